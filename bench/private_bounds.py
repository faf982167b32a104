#!/usr/bin/env python3
"""What it costs that nobody knows the range of any number: hedge with good public bounds, with bounds that it releases itself from wide
limits (--private-bounds, for all numbers), and with the wide limits alone. The label of a regression is one of those numbers.

RMSE is of the labels as the file has them, whatever bounds a model has. One line a set: means and standard deviations over the splits;
the last column compares the second with the first. HEDGEROW_DATA names the folder of sets (see sets.py).
usage: private_bounds.py [--hedgerow PROGRAM] [--sets A,B] [--splits N] [--epsilon E] [--into docs/reference/results]"""
import csv
import json
import math
import os
import re
import statistics
import subprocess
import tempfile

import measure
import pages
import sets

SETS = ['adult', 'credit', 'cod-rna', 'covtype', 'susy', 'abalone', 'kc_house', 'parkinsons', 'appliances', 'flights']
WIDE = '1000000000000'
ROWS = 30000


def widened(folder, into):
    """Writes the set's schema with wide limits for all numbers; returns their names, and the label's if it is a number."""
    with open(os.path.join(folder, 'schema.yaml'), encoding='utf-8') as f:
        text = f.read()
    names, label = [], None
    found = re.compile(r'name: ("(?:[^"\\]|\\.)*"|\S+)\n(\s+)kind: number\n(\s+)low: (\S+)\n(\s+)high: (\S+)\n')
    for match in found.finditer(text):
        name = match.group(1)
        names.append(json.loads(name) if name.startswith('"') else name)
        if text.rfind('features:', 0, match.start()) < 0:
            label = names[-1]
    wide = found.sub(lambda m: m.group(0).replace('low: ' + m.group(4), 'low: -' + WIDE).replace('high: ' + m.group(6), 'high: ' + WIDE), text)
    with open(os.path.join(into, 'wide.yaml'), 'w', encoding='utf-8') as f:
        f.write(wide)
    return names, label


def predicted(program, model, data):
    said = subprocess.run([program, 'predict', '--model', model, '--data', data], check=True, stdout=subprocess.PIPE, text=True).stdout
    return [float(line.split(',')[0]) for line in said.split('\n')[1:] if line]


def figure_of(program, model, data, label):
    """RMSE of a number, else the part of wrong classes in percent."""
    if label is None:
        said = subprocess.run([program, 'evaluate', '--json', '--model', model, '--data', data], check=True, stdout=subprocess.PIPE, text=True).stdout
        return 100 * json.loads(said)['error']
    with open(data, newline='', encoding='utf-8') as f:
        truth = [float(row[label]) for row in csv.DictReader(f)]
    return math.sqrt(statistics.mean((a - b) ** 2 for a, b in zip(truth, predicted(program, model, data))))


def figures(args, name, seed):
    """With public, released and wide bounds."""
    folder = sets.prepared(args.data, args.cache, name, seed, ROWS)
    with tempfile.TemporaryDirectory() as work:
        names, label = widened(folder, work)
        wide, made = os.path.join(work, 'wide.yaml'), []
        ways = [(os.path.join(folder, 'schema.yaml'), []), (wide, [w for n in names for w in ('--private-bounds', n)]), (wide, [])]
        for k, (schema, more) in enumerate(ways):
            model = os.path.join(work, '%d.json' % k)
            subprocess.run([args.hedgerow, 'train', '--quiet', '--threads', '1', '--data', os.path.join(folder, 'train.csv'), '--schema', schema,
                            '--epsilon', args.epsilon, '--model', model, *more], check=True)
            made.append(figure_of(args.hedgerow, model, os.path.join(folder, 'test.csv'), label))
        return made, label, len(names)


def lines_of(args, pool):
    yield 'Epsilon %s, over %d splits; at most %d records of a set. Wide limits are -10^12 to 10^12.' % (args.epsilon, args.splits, ROWS)
    yield from pages.header(['set', 'measure', 'numbers', 'public bounds', 'private bounds', 'wide limits', 'private / public'])
    for name in args.sets or SETS:
        runs = [run.result() for run in [pool.submit(figures, args, name, seed) for seed in range(1, args.splits + 1)]]
        ways = list(zip(*(made for made, _, _ in runs)))
        ratio = statistics.mean(ways[1]) / statistics.mean(ways[0])
        _, label, numbers = runs[0]
        yield pages.line([name, 'error, %' if label is None else 'RMSE', str(numbers), *(pages.spread(way) for way in ways), '%.3f' % ratio])


def main():
    parser = measure.parser(__doc__)
    parser.add_argument('--splits', type=int, default=3)
    parser.add_argument('--epsilon', default='1')
    args = parser.parse_args()
    measure.check(args, ['private-bounds'])
    measure.run(args, {'private-bounds': lines_of})


main()
