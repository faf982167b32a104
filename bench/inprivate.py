#!/usr/bin/env python3
"""Figures 5 to 8 of InPrivate Digging's paper (Zhao et al. 2018) as tables that plot.py draws: what a federation reaches with more owners,
more records each, more rounds and more budget, at the paper's maximum depth of 10 and at 4, our default.

As the paper evaluates it: five-fold cross-validation, repeated. Beside the federation as published (not private) stand the sound federation,
the same without noise, and what an owner reaches alone with the same budget, in mode sound; in a table of their own, fits on the pooled
records. Accuracy in %, or the mean absolute error of labels scaled to [-1, 1]. HEDGEROW_DATA names the folder of sets (see sets.py);
without it, ../shared/data beside the project. --results FILE keeps every figure, so that a run that was stopped goes on.
usage: inprivate.py [--help]"""
import collections
import json
import os
import random
import re
import statistics
import subprocess
import tempfile

os.environ.setdefault('OMP_NUM_THREADS', '1')

import measure  # noqa: E402  (after the number of threads is set)
import pages  # noqa: E402
import sets  # noqa: E402

SETS = ['adult', 'gss', 'acs', 'kc_house', 'acs_income']
# The census of the paper has the income itself, too: that of acs, in dollars.
INCOME = {'label': 'PINCP', 'threshold': None, 'y': [0, 200000], 'drop': ['PUMA', 'PINCP_DECILE', 'POVPIP', 'PWGTP', 'WGTP', 'INDP', 'DVET']}
MOST = 25000  # records of a set, so that 20 owners train on 1,000 each
FOLDS = 5
RECORDS = 1000
ALONE = 3     # owners of a fold that are also tried alone
NO_NOISE = 10000  # the largest epsilon of a job; choices between nearly equal splits still vary
WHOLE_POOL = 20

# What is trained: epsilon counts the owner's budget.
Point = collections.namedtuple('Point', 'owners records rounds epsilon')
KINDS = ['as published', 'no noise', 'sound', 'an owner alone']
PAPER_DEPTH = 10
DEPTHS = [PAPER_DEPTH, 4]


def points_of(records):
    """{part: (what varies, [(how it is called, point)])}; the paper's settings."""
    return {
        'inprivate-owners': ('owners', [('%d' % n, Point(n, records, 1, 1)) for n in (1, 5, 10, 15, 20)]),
        'inprivate-records': ('records an owner', [('%d' % (records * k // 10), Point(10, records * k // 10, 1, 1)) for k in (1, 5, 10, 15, 20)]),
        'inprivate-rounds': ('rounds', [('%d' % r, Point(5, 2 * records, r, 1)) for r in (1, 2, 3, 4)]),
        'inprivate-epsilon': ('eps', [('%g' % e, Point(20, records, 1, e)) for e in (.1, .5, 1, 2, 8)]),
    }


SAID = {
    'inprivate-owners': 'Figure 5: {records} records an owner, epsilon 1, one round.',
    'inprivate-records': 'Figure 6: 10 owners, epsilon 1, one round.',
    'inprivate-rounds': 'Figure 7: 5 owners with {twice} records each, epsilon 1.',
    'inprivate-epsilon': 'Figure 8: 20 owners with {records} records each, one round.',
}


# ---- One fit -------------------------------------------------------------------------------------------------------------

def folds_of(data, cache, name, repeat):
    """The folders of the folds: each is the test of one, and the others are trained on."""
    folder = os.path.join(cache, '%s-folds-%d' % (name, repeat))
    made = [os.path.join(folder, str(k)) for k in range(FOLDS)]
    if os.path.exists(os.path.join(folder, 'schema.yaml')):
        return made
    changes = INCOME if name == 'acs_income' else None
    whole = sets.prepared(data, os.path.join(cache, name), name.partition('_income')[0], repeat, MOST, changes=changes)
    head, *rows = pages.read(os.path.join(whole, 'train.csv')).splitlines(keepends=True)
    rows += pages.read(os.path.join(whole, 'test.csv')).splitlines(keepends=True)[1:]
    random.Random(repeat).shuffle(rows)
    schema = pages.read(os.path.join(whole, 'schema.yaml'))
    for k, fold in enumerate(made):
        os.makedirs(fold, exist_ok=True)
        pages.write(os.path.join(fold, 'train.csv'), head + ''.join(row for i, row in enumerate(rows) if i % FOLDS != k))
        pages.write(os.path.join(fold, 'test.csv'), head + ''.join(rows[k::FOLDS]))
        pages.write(os.path.join(fold, 'schema.yaml'), schema)
    pages.write(os.path.join(folder, 'schema.yaml'), schema)
    return made


def dealt(folder, work, first, count):
    """A table of `count` training records, from `first` on; of fewer if there are fewer."""
    with open(os.path.join(folder, 'train.csv'), encoding='utf-8') as f:
        head, *rows = f.read().splitlines(keepends=True)
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
        pages.write(job, 'hedgerow-job: 1\nschema: "%s"\nmethod: inprivate\nmode: %s\nepsilon: %g\nrounds: %d\norder: chain\noptions: {%s}\n' % (
            os.path.abspath(os.path.join(folder, 'schema.yaml')), mode, point.epsilon, point.rounds, options))
        subprocess.run([program, 'simulate', job, '--data', data, '--owners', str(point.owners), '--model', model, '--threads', '1', '--quiet'],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return told(program, folder, model)


def fitted(program, folder, first, count, arguments):
    """Of a fit on a part of the training records."""
    with tempfile.TemporaryDirectory() as work:
        model = os.path.join(work, 'model.json')
        subprocess.run([program, 'train', '--data', dealt(folder, work, first, count), '--schema', os.path.join(folder, 'schema.yaml'), '--model', model,
                        '--threads', '1', '--quiet', '--method', *arguments], check=True)
        return told(program, folder, model)


def alone(program, folder, point, depth, owners):
    """The mean over owners, each with the same budget and records; rounds are its own to choose."""
    return statistics.mean(fitted(program, folder, o * point.records, point.records,
                                  ['inprivate', '--epsilon', '%g' % point.epsilon, '--depth', str(depth)]) for o in range(owners))


def measured(kind, program, folder, point, depth, owners):
    """owners: how many are tried alone."""
    if kind == 'an owner alone':
        return alone(program, folder, point, depth, owners)
    return federated(program, folder, point, 'paper' if kind == 'as published' else 'sound', 'depth: %d' % depth)


def of_kind(kind, point):
    """What the figure of a kind depends on, so that nothing is trained twice."""
    if kind == 'no noise':
        return point._replace(epsilon=NO_NOISE)
    return point._replace(owners=1, rounds=1) if kind == 'an owner alone' else point


# ---- Tables --------------------------------------------------------------------------------------------------------------

class Bench:
    """What was trained so far: one figure a kind, depth, point, set and fold."""

    def __init__(self, args):
        self.args = args
        self.jobs = {}
        self.folders = {}
        self.results = measure.Results(args.results)

    def folders_of(self, pool, name):
        if name not in self.folders:
            jobs = [pool.submit(folds_of, self.args.data, os.path.join(self.args.cache, 'inprivate'), name, repeat)
                    for repeat in range(self.args.repeats)]
            self.folders[name] = [folder for job in jobs for folder in job.result()][:self.args.folds]
        return self.folders[name]

    def figures(self, pool, name, kind, depth, point):
        """Functions that wait for the figure of each fold."""
        return [self.submit(pool, (name, fold, kind, depth, *of_kind(kind, point)), folder) for fold, folder in enumerate(self.folders_of(pool, name))]

    def submit(self, pool, key, folder):
        if key not in self.jobs and key not in self.results.known:
            _, _, kind, depth, *point = key
            self.jobs[key] = pool.submit(measured, kind, self.args.hedgerow, folder, Point(*point), depth, self.args.alone)
        return lambda: self.result(key)

    def result(self, key):
        if key not in self.results.known:
            self.results.note(key, self.jobs[key].result())
        return self.results.known[key]

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
    rows = [(kind, depth) for depth in bench.args.depths for kind in bench.args.kinds]
    waiting = {row: [bench.figures(pool, name, *row, point) for _, point in points] for row in rows}
    found = {row: [[wait() for wait in of_point] for of_point in of_points] for row, of_points in waiting.items()}
    for kind, depth in rows:
        yield pages.line(['%s, %s' % (name, what), '%s, depth %d' % (kind, depth), *(pages.spread(values, digits) for values in found[kind, depth])])
    for depth in bench.args.depths:
        if not {'sound', 'an owner alone'} <= set(bench.args.kinds):
            continue
        for values, beside, (_, point) in zip(found['sound', depth], found['an owner alone', depth], points):
            if point.owners > 1:
                counts[is_better(values, beside, more)] += 1


def settings(args):
    """Of every comparison, as is printed under it."""
    folds = min(args.folds, FOLDS * args.repeats)
    return ('Settings: cross-validation in five folds, %d of %d folds measured (the paper: 10 times all five); mean ± standard deviation over folds. At most %d '
            'records of a set, a fifth of them for the test; kc_house, acs and acs_income have fewer, so that 20 owners have 864, 920 and 920 records each. '
            'method inprivate, order chain; each record draws its owner. "As published": mode paper, leaf-share 0.5, split-budget algorithm, learning rate '
            '1, each round an exact half of what is left, no votes. "Sound": mode sound, learning rate 0.5, bins 32 with private edges (bin-share 0.1), '
            'leaf-share 0.4, count-share 0.3, gradient-bound 1, delta 0, one round takes all records. "No noise": the same at epsilon %d. "An owner alone": hedgerow '
            'train, mode sound, 3 trees, learning rate 1, else the same; the mean over %d owners. Depth: levels of splits.' % (folds, FOLDS * 10, MOST, NO_NOISE, args.alone))


def figure(bench, part):
    def lines(args, pool):
        varies, points = points_of(args.records)[part]
        counts = collections.Counter()
        yield SAID[part].format(records=args.records, twice=2 * args.records)
        yield from pages.header(['set', 'trained', *('%s %s' % (varies, shown) for shown, _ in points)])
        for name in bench.names():
            yield from of_set(bench, pool, name, points, counts)
        yield ''
        yield settings(args)
        yield ''
        yield 'The sound federation of two owners or more is better than its owners alone in %d of %d cells.' % (counts[True], sum(counts.values()))
    return lines


POOLED = {
    'hedge, epsilon 1, delta 0': ['hedge', '--epsilon', '1', '--delta', '0'],
    'inprivate, epsilon 1': ['inprivate', '--epsilon', '1'],
    'gbdt, no privacy': ['gbdt'],
}


# ---- Leaves --------------------------------------------------------------------------------------------------------------

LEAVES = {
    'as published': ['--mode', 'paper', '--epsilon', '1'],
    'as published, epsilon %d' % NO_NOISE: ['--mode', 'paper', '--epsilon', str(NO_NOISE)],
    'sound': ['--mode', 'sound', '--epsilon', '1'],
}


def leaves_of(program, folder, first, count, arguments):
    """Per cent of the leaves of one tree whose step exceeds 2 and 10 in magnitude; no record of a first round calls for more than 1."""
    with tempfile.TemporaryDirectory() as work:
        model = os.path.join(work, 'model.json')
        subprocess.run([program, 'train', '--data', dealt(folder, work, first, count), '--schema', os.path.join(folder, 'schema.yaml'), '--model', model,
                        '--threads', '1', '--quiet', '--method', 'inprivate', '--trees', '1', *arguments], check=True, stderr=subprocess.DEVNULL)
        nodes = json.loads(pages.read(model))['trees'][0]['nodes']
    steps = [abs(node[0]) / (1 if label_range(folder) else 2) for node in nodes if len(node) == 1]
    return [100 * sum(step > most for step in steps) / len(steps) for most in (2, 10)]


def leaves_part(bench):
    def lines(args, pool):
        yield 'Leaves of the first tree of an owner with %d records: per cent that move the score by more than 2 and by more than 10, where no record calls for more than 1.' % args.records
        yield from pages.header(['set', 'trained', *('%s, depth %d' % (head, depth) for depth in args.depths for head in ('beyond 2, %', 'beyond 10, %'))])
        for name in bench.names():
            folders = bench.folders_of(pool, name)
            for title, arguments in LEAVES.items():
                jobs = [[pool.submit(leaves_of, args.hedgerow, f, o * args.records, args.records, [*arguments, '--depth', str(depth)])
                         for f in folders for o in range(args.alone)] for depth in args.depths]
                found = [[job.result() for job in of_depth] for of_depth in jobs]
                yield pages.line([name, title, *(pages.spread(column, 1) for of_depth in found for column in zip(*of_depth))])
        yield ''
        yield ('Settings: hedgerow train --method inprivate --trees 1; as published the tree has half of the records, sound all of them, learning rate 1; else as above; '
               'mean ± standard deviation over %d owners and the folds above.' % args.alone)
    return lines


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


def defaults_of(program, method):
    """The options of a method in mode sound, as "depth 4, trees 3"."""
    said = json.loads(subprocess.run([program, 'methods', method, '--json'], check=True, stdout=subprocess.PIPE, text=True).stdout)
    return ', '.join('%s %s' % (option['name'], option['default']) for option in said['options'] if option.get('default') is not None)


def pooled_part(bench):
    def lines(args, pool):
        count = WHOLE_POOL * args.records
        yield 'The records that one owner has, at most %d, over the same folds.' % count
        titles = [*POOLED, 'a constant']
        yield from pages.header(['set', 'measure', *titles])
        for name in bench.names():
            folders = bench.folders_of(pool, name)
            what, digits, _ = unit_of(folders[0])
            jobs = [[pool.submit(fitted, args.hedgerow, f, 0, count, arguments) for f in folders] for arguments in POOLED.values()]
            jobs.append([pool.submit(constant, f) for f in folders])
            yield pages.line([name, what, *(pages.spread([job.result() for job in waiting], digits) for waiting in jobs)])
        yield ''
        yield 'Settings: folds and sets as above, mode sound, and but for epsilon the defaults. ' + ' '.join(
            '%s: %s.' % (method, defaults_of(args.hedgerow, method)) for method in dict.fromkeys(arguments[0] for arguments in POOLED.values()))
    return lines


def arguments_of():
    parser = measure.parser(__doc__)
    parser.add_argument('--repeats', type=int, default=1, help='of the cross-validation (1; the paper: 10)')
    parser.add_argument('--folds', type=int, default=FOLDS * 10, help='stop after so many folds (all)')
    parser.add_argument('--records', type=int, default=RECORDS, help='an owner (%d)' % RECORDS)
    parser.add_argument('--alone', type=int, default=ALONE, help='owners that are tried alone (%d)' % ALONE)
    parser.add_argument('--depths', type=lambda text: [int(depth) for depth in text.split(',')], default=DEPTHS, help='of the trees (10,4)')
    parser.add_argument('--kinds', type=lambda text: text.split('+'), default=KINDS, help='with + between them (all)')
    parser.add_argument('--results', default='build/accuracy/inprivate.jsonl', help='what was measured (build/accuracy/inprivate.jsonl)')
    parser.add_argument('--only', choices=[*points_of(1), 'inprivate-leaves', 'inprivate-pooled'], help='one part')
    return parser.parse_args()


def main():
    args = arguments_of()
    bench = Bench(args)
    parts = {**{part: figure(bench, part) for part in SAID}, 'inprivate-leaves': leaves_part(bench), 'inprivate-pooled': pooled_part(bench)}
    parts = {name: lines for name, lines in parts.items() if args.only in (None, name)}
    measure.check(args, parts)
    measure.run(args, parts)


if __name__ == '__main__':
    main()
