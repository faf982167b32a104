#!/usr/bin/env python3
"""Figures 5 to 8 of InPrivate Digging's paper (Zhao et al. 2018) as tables that plot.py draws: what a federation reaches with more owners,
more records each, more rounds and more budget.

Beside the sound federation stand the same as published (not private), the same without noise, and what an owner reaches alone with the
same budget; in a table of their own, fits on the pooled records. Accuracy in %, or the mean absolute error of labels scaled to [-1, 1].
HEDGEROW_DATA names the folder of sets (see sets.py); without it, ../shared/data beside the project.
usage: inprivate.py [--help]"""
import collections
import json
import os
import re
import statistics
import subprocess
import tempfile

os.environ.setdefault('OMP_NUM_THREADS', '1')

import measure  # noqa: E402  (after the number of threads is set)
import pages  # noqa: E402
import sets  # noqa: E402

SETS = ['adult', 'credit', 'gss', 'acs', 'kc_house']
TEST = {'acs': .13, 'kc_house': .07}  # so that 20,000 records are left to train on
TEST_ELSE = .2
RECORDS = 1000
ALONE = 5     # owners of a split that are also tried alone
NO_NOISE = 10000  # the largest epsilon of a job; choices between nearly equal splits still vary
WHOLE_POOL = 20

# What is trained: epsilon counts the owner's budget.
Point = collections.namedtuple('Point', 'owners records rounds epsilon')
KINDS = ['sound', 'as published', 'no noise', 'an owner alone']


def points_of(records):
    """{part: (what varies, [(how it is called, point)])}; the paper's settings."""
    return {
        'inprivate-owners': ('owners', [('%d' % n, Point(n, records, 1, 1)) for n in (1, 2, 5, 10, 15, 20)]),
        'inprivate-records': ('records an owner', [('%d' % (records * k // 10), Point(10, records * k // 10, 1, 1)) for k in (1, 5, 10, 15, 20)]),
        'inprivate-rounds': ('rounds', [('%d' % r, Point(5, 2 * records, r, 1)) for r in (1, 2, 3, 4, 8)]),
        'inprivate-epsilon': ('eps', [('%g' % e, Point(20, records, 1, e)) for e in (.1, .25, .5, 1, 2, 4, 8)]),
    }


SAID = {
    'inprivate-owners': 'Figure 5: {records} records an owner, epsilon 1, one round.',
    'inprivate-records': 'Figure 6: 10 owners, epsilon 1, one round.',
    'inprivate-rounds': 'Figure 7: 5 owners with {twice} records each, epsilon 1.',
    'inprivate-epsilon': 'Figure 8: 20 owners with {records} records each, one round.',
}


# ---- One fit -------------------------------------------------------------------------------------------------------------

def dealt(folder, work, first, count):
    """A table of `count` training records, from `first` on."""
    with open(os.path.join(folder, 'train.csv'), encoding='utf-8') as f:
        head, *rows = f.read().splitlines(keepends=True)
    if first + count > len(rows):
        raise ValueError('%s has %d training records, not %d' % (folder, len(rows), first + count))
    path = os.path.join(work, 'part.csv')
    pages.write(path, head + ''.join(rows[first:first + count]))
    return path


def label_range(folder):
    """Low and high of the label; None: classes."""
    label = re.search(r'^label:\n(.*?)^features:', pages.read(os.path.join(folder, 'schema.yaml')), re.S | re.M).group(1)
    found = [re.search(r'^  %s: (\S+)$' % key, label, re.M) for key in ('low', 'high')]
    return [float(f.group(1)) for f in found] if all(found) else None


def told(program, folder, model):
    """Accuracy in %, or the mean absolute error of labels scaled to [-1, 1]."""
    said = json.loads(subprocess.run([program, 'evaluate', '--model', model, '--data', os.path.join(folder, 'test.csv'), '--json'],
                                     check=True, stdout=subprocess.PIPE, text=True).stdout)
    bounds = label_range(folder)
    return said['mae'] * 2 / (bounds[1] - bounds[0]) if bounds else 100 * (1 - said['error'])


def federated(program, folder, point, mode, options):
    """Of a federation that "hedgerow simulate" runs."""
    with tempfile.TemporaryDirectory() as work:
        data = dealt(folder, work, 0, point.owners * point.records)
        job, model = os.path.join(work, 'job.yaml'), os.path.join(work, 'model.json')
        pages.write(job, 'hedgerow-job: 1\nschema: "%s"\nmethod: inprivate\nmode: %s\nepsilon: %g\nrounds: %d\norder: broadcast\n%s' % (
            os.path.abspath(os.path.join(folder, 'schema.yaml')), mode, point.epsilon, point.rounds,
            'options: {%s}\n' % options if options else ''))
        subprocess.run([program, 'simulate', job, '--data', data, '--owners', str(point.owners), '--model', model, '--threads', '1', '--quiet'],
                       check=True, stdout=subprocess.DEVNULL)
        return told(program, folder, model)


def fitted(program, folder, first, count, arguments):
    """Of a fit on a part of the training records."""
    with tempfile.TemporaryDirectory() as work:
        model = os.path.join(work, 'model.json')
        subprocess.run([program, 'train', '--data', dealt(folder, work, first, count), '--schema', os.path.join(folder, 'schema.yaml'), '--model', model,
                        '--threads', '1', '--quiet', '--method', *arguments], check=True)
        return told(program, folder, model)


def alone(program, folder, point, owners):
    """The mean over owners, each with the same budget and records; rounds are its own to choose."""
    return statistics.mean(fitted(program, folder, o * point.records, point.records, ['inprivate', '--epsilon', '%g' % point.epsilon])
                           for o in range(owners))


def measured(kind, program, folder, point, args):
    if kind == 'an owner alone':
        return alone(program, folder, point, args.alone)
    epsilon = NO_NOISE if kind == 'no noise' else point.epsilon
    return federated(program, folder, point._replace(epsilon=epsilon), 'paper' if kind == 'as published' else 'sound', args.options)


def of_kind(kind, point):
    """What the figure of a kind depends on, so that nothing is trained twice."""
    if kind == 'no noise':
        return point._replace(epsilon=NO_NOISE)
    return point._replace(owners=1, rounds=1) if kind == 'an owner alone' else point


# ---- Tables --------------------------------------------------------------------------------------------------------------

class Bench:
    """What was trained so far: one figure a kind, point, set and split."""

    def __init__(self, args):
        self.args = args
        self.jobs = {}
        self.folders = {}

    def folders_of(self, pool, name):
        if name not in self.folders:
            test = TEST.get(name, TEST_ELSE)
            jobs = [pool.submit(sets.prepared, self.args.data, os.path.join(self.args.cache, 'inprivate'), name, seed, None, test)
                    for seed in range(self.args.first_seed, self.args.first_seed + self.args.seeds)]
            self.folders[name] = [job.result() for job in jobs]
        return self.folders[name]

    def submit(self, pool, name, kind, point):
        key = name, kind, of_kind(kind, point)
        if key not in self.jobs:
            self.jobs[key] = [pool.submit(measured, kind, self.args.hedgerow, folder, point, self.args) for folder in self.folders_of(pool, name)]
        return self.jobs[key]

    def names(self):
        return self.args.sets or SETS


def unit_of(folder):
    """(what is told, its digits, whether more is better)"""
    return ('MAE', 4, False) if label_range(folder) else ('accuracy, %', 2, True)


def is_better(a, b, more):
    return (statistics.mean(a) > statistics.mean(b)) == more


def of_set(bench, pool, name, points, counts):
    """The rows of one set."""
    what, digits, more = unit_of(bench.folders_of(pool, name)[0])
    jobs = {kind: [bench.submit(pool, name, kind, point) for _, point in points] for kind in KINDS}
    found = {kind: [[job.result() for job in waiting] for waiting in of_points] for kind, of_points in jobs.items()}
    for kind in KINDS:
        yield pages.line(['%s, %s' % (name, what), kind, *(pages.spread(values, digits) for values in found[kind])])
    for values, beside, (_, point) in zip(found['sound'], found['an owner alone'], points):
        if point.owners > 1:
            counts[is_better(values, beside, more)] += 1


def figure(bench, part):
    def lines(args, pool):
        varies, points = points_of(args.records)[part]
        counts = collections.Counter()
        yield SAID[part].format(records=args.records, twice=2 * args.records)
        yield from pages.header(['set', 'trained', *('%s %s' % (varies, shown) for shown, _ in points)])
        for name in bench.names():
            yield from of_set(bench, pool, name, points, counts)
        yield ''
        yield 'The sound federation of two owners or more is better than its owners alone in %d of %d cells.' % (counts[True], sum(counts.values()))
    return lines


POOLED = {
    'hedge, epsilon 1, delta 0': ['hedge', '--epsilon', '1', '--delta', '0'],
    'inprivate, epsilon 1': ['inprivate', '--epsilon', '1'],
    'gbdt, no privacy': ['gbdt'],
}


def constant(folder):
    """Of the best that needs no features: the class of most, or the median."""
    label = next(iter(sets.columns_of(folder)[0]))
    known, asked = (sets.table(folder, part)[label] for part in ('train', 'test'))
    bounds = label_range(folder)
    if bounds:
        middle = statistics.median(known)
        return statistics.mean(abs(y - middle) for y in asked) * 2 / (bounds[1] - bounds[0])
    most = statistics.mode(known)
    return 100 * statistics.mean(y == most for y in asked)


def pooled_part(bench):
    def lines(args, pool):
        count = WHOLE_POOL * args.records
        yield '%d records that one owner has, over the same splits.' % count
        titles = [*POOLED, 'a constant']
        yield from pages.header(['set', 'measure', *titles])
        for name in bench.names():
            folders = bench.folders_of(pool, name)
            what, digits, _ = unit_of(folders[0])
            jobs = [[pool.submit(fitted, args.hedgerow, f, 0, count, arguments) for f in folders] for arguments in POOLED.values()]
            jobs.append([pool.submit(constant, f) for f in folders])
            yield pages.line([name, what, *(pages.spread([job.result() for job in waiting], digits) for waiting in jobs)])
    return lines


def arguments_of():
    parser = measure.parser(__doc__)
    parser.add_argument('--seeds', type=int, default=5, help='number of splits (5)')
    parser.add_argument('--first-seed', type=int, default=0, help='of the splits (0)')
    parser.add_argument('--records', type=int, default=RECORDS, help='an owner (%d)' % RECORDS)
    parser.add_argument('--alone', type=int, default=ALONE, help='owners that are tried alone (%d)' % ALONE)
    parser.add_argument('--options', default='', help='of the job, as in "depth: 4, bins: 16"')
    parser.add_argument('--only', choices=[*points_of(1), 'inprivate-pooled'], help='one part')
    return parser.parse_args()


def main():
    args = arguments_of()
    bench = Bench(args)
    parts = {**{part: figure(bench, part) for part in SAID}, 'inprivate-pooled': pooled_part(bench)}
    parts = {name: lines for name, lines in parts.items() if args.only in (None, name)}
    measure.check(args, parts)
    measure.run(args, parts)


if __name__ == '__main__':
    main()
