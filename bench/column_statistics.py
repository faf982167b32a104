#!/usr/bin/env python3
"""How far private statistics of columns are from the truth: of all columns of a set, in one process and over ten owners together, and how often
the intervals cover it. Beside the mean that is released, the one that the middles of the released histogram would give.

HEDGEROW_DATA names the folder of sets (see sets.py).
usage: column_statistics.py HEDGEROW OUTPUT.json [--repeats N] [--only SET]..."""
import argparse
import csv
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

import pages

SETS, EPSILONS, OWNERS, BINS = ['adult', 'credit', 'abalone'], ['0.25', '1', '4'], 10, 16
COMMAND = 'bench/column_statistics.py build/cli/hedgerow docs/reference/results/column-statistics.json'


def run(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout


def prepared(name, folder):
    source = os.environ['HEDGEROW_DATA']
    subprocess.run([sys.executable, os.path.join(source, 'prepare.py'), name, folder, '--seed', '1'], check=True, stdout=subprocess.DEVNULL)


def spelled_missing(folder):
    with open(os.path.join(folder, 'schema.yaml'), encoding='utf-8') as f:
        lines = [line for line in f if line.startswith('missing:')]
    return {'', *(json.loads(lines[0].split(':', 1)[1]) if lines else ())}


def truths(folder, shown):
    """{(column, figure, of): truth} of the figures that are shown."""
    missing = spelled_missing(folder)
    with open(os.path.join(folder, 'train.csv'), newline='', encoding='utf-8') as f:
        rows = list(csv.DictReader(f))
    found = {('', 'records', ''): len(rows)}
    for part in shown[1:]:
        column = part['column']
        given = [row[column].strip() for row in rows if row[column].strip() not in missing]
        found[column, 'missing', ''] = 1 - len(given) / len(rows)
        bins = [figure['up_to'] for figure in part['figures'] if figure['figure'] == 'bin']
        for figure in part['figures']:
            if figure['figure'] == 'value':
                found[column, 'value', figure['of']] = sum(cell == figure['of'] for cell in given)
        if bins:
            numbers = [float(cell) for cell in given]
            found[column, 'mean', ''], found[column, 'deviation', ''] = statistics.fmean(numbers), statistics.pstdev(numbers)
            low = -math.inf
            for end in bins:
                found[column, 'bin', end] = sum(low < number <= end or (end == bins[-1] and number > end) for number in numbers)
                low = end
    return found


def bounds(folder):
    """{column: (low, high)} of the schema."""
    found, name, low = {}, None, None
    with open(os.path.join(folder, 'schema.yaml'), encoding='utf-8') as f:
        for line in f:
            key, _, value = line.strip().removeprefix('- ').partition(':')
            value = value.strip().strip('"')
            name = value if key == 'name' else name
            low = float(value) if key == 'low' else low
            if key == 'high':
                found[name] = (low, float(value))
    return found


def released(hedgerow, folder, epsilon, owners, work):
    out = os.path.join(work, 'out.json')
    if owners == 1:
        run(hedgerow, 'train', '--method', 'statistics', '--data', folder + '/train.csv', '--schema', folder + '/schema.yaml', '--epsilon', epsilon,
            '--bins', str(BINS), '--model', out, '--force', '--quiet')
    else:
        with open(os.path.join(work, 'job.yaml'), 'w', encoding='utf-8') as f:
            f.write('hedgerow-job: 1\nschema: %s/schema.yaml\nmethod: statistics\nepsilon: %s\noptions: {bins: %d}\n' % (folder, epsilon, BINS))
        run(hedgerow, 'simulate', f.name, '--data', folder + '/train.csv', '--owners', str(owners), '--model', out, '--force', '--quiet')
    return json.loads(run(hedgerow, 'show', out, '--json'))['statistics']


def of_middles(part, low):
    """The mean of a histogram whose records lie in the middles of bins."""
    total = weighed = 0
    for figure in part['figures']:
        if figure['figure'] == 'bin':
            total, weighed, low = total + figure['value'], weighed + figure['value'] * (low + figure['up_to']) / 2, figure['up_to']
    return weighed / total if total else 0


def errors(shown, found, limits):
    """{figure: errors}: counts in records, rates in percentage points, means and deviations in percent of the range."""
    off, covered = {}, []
    for part in shown:
        low, high = limits.get(part['column'], (0, 1))
        for figure in part['figures']:
            of = figure.get('up_to', figure.get('of', ''))
            truth = found.get((part['column'], figure['figure'], of))
            if truth is None:
                continue
            scale = 100 if figure['figure'] == 'missing' else 100 / (high - low) if figure['figure'] in ('mean', 'deviation') else 1
            off.setdefault(figure['figure'], []).append(scale * abs(figure['value'] - truth))
            covered.append(figure['low'] <= truth <= figure['high'])
        if (part['column'], 'mean', '') in found:
            off.setdefault('middles', []).append(100 / (high - low) * abs(of_middles(part, low) - found[part['column'], 'mean', '']))
    return off, covered


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('hedgerow')
    parser.add_argument('output')
    parser.add_argument('--repeats', type=int, default=5)
    parser.add_argument('--only', action='append')
    args = parser.parse_args()
    rows = []
    for name in args.only or SETS:
        with tempfile.TemporaryDirectory() as folder:
            prepared(name, folder)
            limits, found = bounds(folder), None
            for owners in (1, OWNERS):
                for epsilon in EPSILONS:
                    all_off, all_covered = {}, []
                    for _ in range(args.repeats):
                        shown = released(args.hedgerow, folder, epsilon, owners, folder)
                        found = found or truths(folder, shown)
                        off, covered = errors(shown, found, limits)
                        all_covered += covered
                        for figure, values in off.items():
                            all_off.setdefault(figure, []).extend(values)
                    mean = {figure: float('%.3g' % statistics.fmean(values)) for figure, values in all_off.items()}
                    rows.append([name, found['', 'records', ''], len(shown) - 1, owners, float(epsilon), mean['records'], mean.get('bin', ''), mean.get('value', ''),
                                 mean['missing'], mean.get('mean', ''), mean.get('middles', ''), mean.get('deviation', ''), float('%.3g' % (100 * statistics.fmean(all_covered)))])
                    print(rows[-1], flush=True)
    columns = ['set', 'records', 'columns', 'owners', 'epsilon', 'records', 'bin', 'value', 'missing, points', 'mean, % of range', 'mean of the middles', 'deviation, % of range',
               'intervals that cover, %']
    text = ['Mean absolute errors over all columns; counts in records. One epsilon pays for all columns together.',
            'Settings: delta 1e-6, %d bins, %d releases, the training table of seed 1, all columns and the label.' % (BINS, args.repeats)]
    shown = json.loads(json.dumps({'command': COMMAND, 'tables': [{'text': text, 'columns': columns, 'rows': rows}]}), parse_float=str, parse_int=str)
    pages.write(args.output, pages.as_json({'command': shown['command'], **pages.record(pages.markdown(shown))}))


main()
