#!/usr/bin/env python3
"""What one of several owners reaches by lying in a job of hedge: trees, test error, whether the model is suspect, and the exit code of
`hedgerow coordinate`, with and without public bounds of the owners' records. The liar is the last owner. It lies in its table (tables of this script)
or in its shares (bench_liars.c). Every job runs in one process.

HEDGEROW_DATA names the folder of sets (see sets.py); without it, ../shared/data beside the project. usage: liars.py [--help]"""
import collections
import json
import os
import random
import subprocess
import tempfile

import measure
import pages
import sets

PART = 'liars'
SETTINGS = 'Settings: method hedge, mode sound, epsilon %g, delta 1e-6, coalition 1, all other options at their defaults; 80/20.'
Row = collections.namedtuple('Row', 'title table lie')


class Labels:
    """Of one column, which has two."""

    def __init__(self, folder, heads):
        columns, _ = sets.columns_of(folder)
        name, values = next(iter(columns.items()))
        self.at, self.other = heads[0].strip().split(',').index(name), dict(zip(values, reversed(values)))

    def flipped(self, line):
        cells = line.strip().split(',')
        cells[self.at] = self.other[cells[self.at]]
        return ','.join(cells) + '\n'


# ---- Tables of the liar: (its records, as lines; the labels; how many it may have; what draws) -> lines ----

def true(lines, labels, most, draw):
    return lines


def flipped(lines, labels, most, draw):
    return [labels.flipped(line) for line in lines]


def invented(lines, labels, most, draw):
    """As many as it may have, which it draws from its own with other labels."""
    return draw.choices(flipped(lines, labels, most, draw), k=most)


def beyond(lines, labels, most, draw):
    return invented(lines, labels, 10 * most, draw)


ROWS = [Row('nobody lies', true, 'none'),
        Row('it stays away', None, 'none'),
        Row('it has 2^20 records in the total alone', true, 'invents'),
        Row('it has ten times the records of its bound, with the other label', beyond, 'none'),
        Row('it sends random shares', true, 'random'),
        Row('it has as many records as its bound, with the other label', invented, 'none'),
        Row('its records have the other label', flipped, 'none'),
        Row('it adds to the sum of each leaf what the records of its bound could', true, 'pushes')]


def parts_of(folder, owners, rows, seed):
    """Lines of each owner, of which records are drawn."""
    heads, lines = sets.lines_of(folder, 'train')
    draw = random.Random(seed)
    draw.shuffle(lines)
    return heads, [lines[o * rows:(o + 1) * rows] for o in range(owners)]


def figures(args, folder, seed, row, bounded):
    """(trees, error in % or None, checks that failed, word of the ending, exit code)"""
    heads, parts = parts_of(folder, args.owners, args.rows, seed)
    most = args.rows * 8 // 5
    if row.table is None:
        parts.pop()
    else:
        parts[-1] = row.table(parts[-1], Labels(folder, heads), most, random.Random(seed))
    with tempfile.TemporaryDirectory() as work:
        tables, model = [os.path.join(work, '%d.csv' % o) for o in range(len(parts))], os.path.join(work, 'model.json')
        for path, lines in zip(tables, parts):
            pages.write(path, ''.join(heads + lines))
        said = subprocess.run([os.path.join(args.build, 'bench', 'bench_liars'), os.path.join(folder, 'schema.yaml'), '%g' % args.epsilon,
                               '%d..%d' % (args.rows * 2 // 5, most) if bounded else '-', row.lie, model, *tables], check=True, stdout=subprocess.PIPE, text=True).stdout
        found = json.loads(said)
        error = None
        if os.path.exists(model):
            told = subprocess.run([args.hedgerow, 'evaluate', '--model', model, '--data', sets.path_of(folder, 'test'), '--json'], check=True,
                                  stdout=subprocess.PIPE, text=True).stdout
            error = 100 * json.loads(told)['error']
        return found['trees'], error, found['suspect'], found['ending'], found['exit_code']


def cells_of(found):
    """Of all splits of a row."""
    trees, errors, suspects, endings, codes = zip(*found)
    said = sorted({check for text in suspects for check in text.split(', ') if check})
    few = [e for e in errors if e is not None]
    verdict = ', '.join(said) or ('no' if few else 'no model: ' + '; '.join(sorted(set(endings))))
    return ['%d' % max(trees), pages.spread(few) if few else '', verdict, ', '.join('%d' % code for code in sorted(set(codes)))]


def lines_of(args, pool):
    name, folders = next(iter(args.folders.items()))
    yield ('%s, %d owners with %d records each, over %d splits; the bounds of an owner are %d..%d records (`records:` of the job file). The last owner lies. Trees: the most of a split; error: of the '
           'test records, in %%; suspect: the checks that failed in a split; exit code: of `hedgerow coordinate`.' %
           (name, args.owners, args.rows, len(folders), args.rows * 2 // 5, args.rows * 8 // 5))
    yield from pages.header(['the last owner', 'bounds', 'trees', 'error, %', 'suspect', 'exit code'])
    jobs = {(row.title, bounded): [pool.submit(figures, args, folder, seed, row, bounded) for seed, folder in enumerate(folders)]
            for row in ROWS for bounded in (True, False)}
    for (title, bounded), waiting in jobs.items():
        yield pages.line([title, 'yes' if bounded else 'no', *cells_of([job.result() for job in waiting])])
    yield from ['', SETTINGS % args.epsilon]


def main():
    parser = measure.parser(__doc__)
    parser.add_argument('--build', default='build', help='the build directory (build)')
    parser.add_argument('--seeds', type=int, default=5, help='number of splits (5)')
    parser.add_argument('--owners', type=int, default=3, help='(3)')
    parser.add_argument('--rows', type=int, default=2000, help='records of each owner (2000)')
    parser.add_argument('--epsilon', type=float, default=1, help='(1)')
    args = parser.parse_args()
    parts = {PART: lines_of}
    measure.check(args, parts)
    args.folders = {name: [sets.prepared(args.data, args.cache, name, seed) for seed in range(args.seeds)] for name in args.sets or ['adult']}
    measure.run(args, parts)


if __name__ == '__main__':
    main()
