#!/usr/bin/env python3
"""SimFL and what it is compared with, on prepared sets, as markdown (Li, Wen, He: Practical Federated Gradient Boosting Decision Trees. AAAI
2020): its tables 2 and 3 beside the paper's figures, its figures 2 to 4 (plot.py draws them), how errors go from Hedgerow's settings to the
published ones, and its Theorem 2 beside what it bounds. simfl_cost.py has table 4. A quarter of a set is for the test, as there. Every run of
simfl draws its own division and hashes.

HEDGEROW_DATA names the folder of sets (see sets.py); without it, ../shared/data beside the project. usage: simfl.py [--help]"""
import collections
import json
import os
import statistics
import subprocess
import tempfile

os.environ.setdefault('OMP_NUM_THREADS', '1')

import measure  # noqa: E402  (after the number of threads is set)
import pages  # noqa: E402
import sets  # noqa: E402
import simfl_bound  # noqa: E402

# The paper's error of each set in %: simfl's average, least and largest, tfl, solo of A and B, all-in.
TABLE_2 = {
    'a9a': (17.0, 16.7, 17.2, 23.1, 19.1, 22.0, 15.1),
    'cod-rna': (6.5, 6.3, 6.7, 7.5, 9.6, 8.2, 6.13),
    'real-sim': (8.3, 8.2, 8.4, 10.1, 11.8, 14.4, 6.5),
    'ijcnn1': (4.5, 4.5, 4.6, 4.7, 5.9, 4.9, 3.7),
    'susy': (23.3, 23.1, 23.4, 32.6, 25.4, 32.8, 21.38),
    'higgs': (30.9, 30.8, 31.0, 36.1, 37.1, 35.6, 29.4),
}
TABLE_3 = {
    'a9a': (15.1, 14.9, 15.2, 15.6, 15.5, 15.9, 15.1),
    'cod-rna': (6.0, 5.9, 6.1, 6.3, 6.4, 6.7, 6.1),
    'real-sim': (7.1, 6.9, 7.2, 7.4, 8.4, 7.9, 6.5),
    'ijcnn1': (3.6, 3.5, 3.7, 3.8, 3.8, 4.2, 3.7),
    'susy': (19.6, 19.4, 19.9, 20.2, 20.1, 20.1, 20.0),
    'higgs': (29.3, 29.2, 29.5, 31.4, 30.2, 30.5, 29.3),
}
INSTEAD = {'reuters': 'real-sim'}  # the set of the paper, where it is another
# How owners train: (learning rate, loss, gamma, order)
Settings = collections.namedtuple('Settings', 'rate loss gamma order')
# Those of the program that the authors published (Xtra-Computing/SimFL on GitHub). Its gamma of 1 is without the 1/2 of equation 3.
PUBLISHED = Settings('1', 'square', '0.5', 'blocks')
STEPS = Settings('0.1', 'logistic', '0', 'turns')
# From Hedgerow's defaults to those, for all records in one place.
PATH = [STEPS, STEPS._replace(rate='1'), STEPS._replace(rate='1', gamma='0.5'), PUBLISHED._replace(gamma='0'), PUBLISHED]
# part -> (theta, what the paper says, settings)
TABLES = {
    'simfl-by-class': (.8, TABLE_2, PUBLISHED),
    'simfl-even': (0, TABLE_3, PUBLISHED),
    'simfl-by-class-steps': (.8, TABLE_2, STEPS),
    'simfl-even-steps': (0, TABLE_3, STEPS),
}
SETS = ['a9a', 'cod-rna', 'reuters', 'ijcnn1', 'susy', 'higgs']
SAME_SETS = ['a9a', 'cod-rna', 'ijcnn1']  # those of the paper, record for record
FIGURE_SETS = ['a9a', 'cod-rna', 'ijcnn1', 'susy', 'higgs', 'reuters']  # plot.py draws the first five
COLUMNS = ['simfl', 'least', 'largest', 'tfl', 'solo A', 'solo B', 'all-in']

# What varies: (how it is called, owners, theta)
Point = collections.namedtuple('Point', 'head owners theta')
KINDS = ['simfl', 'simfl, least', 'simfl, largest', 'tfl', 'solo, mean', 'solo, least', 'all-in']


def points_of(owners):
    """{part: its points}; the paper's settings."""
    return {
        'simfl-theta': [Point('theta %g' % theta, 2, theta) for theta in (.6, .7, .8, .9)],
        'simfl-owners-by-class': [Point('owners %d' % n, n, .8) for n in owners],
        'simfl-owners-even': [Point('owners %d' % n, n, 0) for n in owners],
    }


SAID = {
    'simfl-theta': 'Figure 2: two owners, divided by class.',
    'simfl-owners-by-class': 'Figure 3: theta 0.8.',
    'simfl-owners-even': 'Figure 4: records divided evenly.',
}


def words_of(args, settings, method, *options):
    """The arguments of a training."""
    words = [method, '--trees', str(args.trees), '--learning-rate', settings.rate]
    more = ['loss=' + settings.loss, 'gamma=' + settings.gamma] + (['order=' + settings.order] if method in ('simfl', 'tfl') else [])
    return words + [word for option in (*more, *options) for word in ('--option', option)]


def error(args, folder, run, settings, method, *options):
    """In %, of the test records."""
    words = words_of(args, settings, method, *options)
    return 100 * measure.metrics(args.hedgerow, folder, words + ['--unsafe-reproducible-noise', '--seed', str(run)])['error']


def submit(args, pool, folder, point, settings, runs):
    """{method: the jobs of its runs; solo: of every owner of the first division}"""
    divided = ['owners=%d' % point.owners, 'theta=%g' % point.theta]
    return {
        'simfl': [pool.submit(error, args, folder, run, settings, 'simfl', *divided, *args.option) for run in range(runs)],
        'tfl': [pool.submit(error, args, folder, 0, settings, 'tfl', *divided)],
        'solo': [pool.submit(error, args, folder, 0, settings, 'solo', 'owner=%d' % owner, *divided) for owner in range(1, point.owners + 1)],
    }


def model_text(args, settings):
    return ('Settings: not private; %d trees of depth 8, learning rate %s, %s loss, gamma %s, owners in %s, lambda 1, min-child-weight 1, 255 bins, r = 4, '
            'L = min(40, d - 1), lsh-range 1%s.'
            % (args.trees, settings.rate, settings.loss, settings.gamma, settings.order, ''.join(', ' + o for o in args.option)))


def settings_text(args, folders, settings, runs):
    """All that a table was measured with."""
    return ('%s %d runs of simfl, each with its own division and hashes; tfl and solo: the first of the divisions. Records for training: %s; a third as '
            'many for the test, the same in all runs.' % (model_text(args, settings), runs, records_of(folders)))


def records_of(folders):
    return ', '.join('%s %d' % (name, records(folder)) for name, folder in folders.items())


def records(folder):
    return len(sets.lines_of(folder, 'train')[1])


# ---- Tables 2 and 3 ------------------------------------------------------------------------------------------------------

def errors_of(args, pool, folder, theta, settings):
    jobs = submit(args, pool, folder, Point('', 2, theta), settings, args.runs)
    together = pool.submit(error, args, folder, 0, settings, 'all-in')
    simfl, tfl, solo = ([job.result() for job in jobs[method]] for method in ('simfl', 'tfl', 'solo'))
    return [statistics.mean(simfl), min(simfl), max(simfl)] + tfl + solo + [together.result()]


def table_of(part):
    theta, published, settings = TABLES[part]

    def lines_of(args, pool):
        yield 'Test error in %%, two owners, %s. %s' % ('theta %g' % theta if theta else 'records divided evenly', settings_text(args, args.folders, settings, args.runs))
        yield from pages.header(['set', 'source'] + COLUMNS)
        for name, folder in args.folders.items():
            yield pages.line([name, 'measured'] + ['%.1f' % e for e in errors_of(args, pool, folder, theta, settings)])
            other = INSTEAD.get(name, name)
            if other in published:
                yield pages.line([name, 'paper' if other == name else 'paper, ' + other] + ['%.1f' % e for e in published[other]])
    return lines_of


# ---- The same over other quarters for the test ---------------------------------------------------------------------------

def of_split(args, folder, split, theta):
    """The errors of a row of table 2 or 3, with one run of simfl."""
    divided = ['owners=2', 'theta=%g' % theta]
    alone = [error(args, folder, split, PUBLISHED, 'solo', 'owner=%d' % owner, *divided) for owner in (1, 2)]
    return [*(error(args, folder, split, PUBLISHED, method, *divided) for method in ('simfl', 'tfl')), *alone, error(args, folder, 0, PUBLISHED, 'all-in')]


def splits(args, pool):
    names = [name for name in args.folders if args.sets or name in SAME_SETS]
    folders = {name: [sets.prepared(args.data, args.cache, name, 1 + split, test=.25) for split in range(args.splits)] for name in names}
    yield ('Test error in %%, two owners, least to largest over %d random quarters for the test, each with another division and other hashes; the paper has '
           'one, and does not say which. %s Records for training: %s; a third as many for the test.'
           % (args.splits, model_text(args, PUBLISHED), records_of({name: of[0] for name, of in folders.items()})))
    yield from pages.header(['set', 'theta', 'source', 'simfl', 'tfl', 'solo A', 'solo B', 'all-in', 'of the paper within'])
    for theta, published in ((.8, TABLE_2), (0, TABLE_3)):
        for name in names:
            shown = '%g' % theta if theta else 'even'
            jobs = [pool.submit(of_split, args, folder, split, theta) for split, folder in enumerate(folders[name])]
            found = [(min(column), max(column)) for column in zip(*(job.result() for job in jobs))]
            paper = [published[name][at] for at in (0, 3, 4, 5, 6)] if name in published else []
            within = sum(round(least, 1) <= told <= round(most, 1) for told, (least, most) in zip(paper, found))
            yield pages.line([name, shown, 'measured'] + ['%.1f to %.1f' % of for of in found] + ['%d of 5' % within if paper else ''])
            if paper:
                yield pages.line([name, shown, 'paper'] + ['%.1f' % told for told in paper] + [''])


# ---- From Hedgerow's settings to the published ones ----------------------------------------------------------------------

def all_in(args, folder, settings):
    """(error in %, trees that have a split) of all records in one place."""
    with tempfile.TemporaryDirectory() as work:
        model = os.path.join(work, 'model.json')
        measure.train(args.hedgerow, folder, model, words_of(args, settings, 'all-in'))
        with open(model, encoding='utf-8') as f:
            split = sum(len(tree['nodes']) > 1 for tree in json.load(f)['trees'])
        words = [args.hedgerow, 'evaluate', '--json', '--model', model, '--data', sets.path_of(folder, 'test')]
        figures = json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout)
    return 100 * figures['error'], split


def path(args, pool):
    yield ('Test error in %%, all records in one place (all-in): learning rate, loss, gamma. Last: how many of the %d trees with the last settings have a '
           'split. Settings: not private; depth 8, lambda 1, min-child-weight 1, 255 bins. Records for training: %s; a third as many for the test.'
           % (args.trees, records_of(args.folders)))
    yield from pages.header(['set'] + ['%s, %s, %s' % of[:3] for of in PATH] + ['paper', 'trees with splits'])
    for name, folder in args.folders.items():
        found = [job.result() for job in [pool.submit(all_in, args, folder, of) for of in PATH]]
        paper = '%.1f' % TABLE_3[name][-1] if name in TABLE_3 else ''
        yield pages.line([name] + ['%.1f' % of for of, _ in found] + [paper, '%d' % found[-1][1]])


# ---- Figures 2 to 4 ------------------------------------------------------------------------------------------------------

def rows_of(args, pool, name, folder, points):
    """A row for each kind, with a cell for each point."""
    together = pool.submit(error, args, folder, 0, PUBLISHED, 'all-in')
    waiting = [submit(args, pool, folder, point, PUBLISHED, args.runs) for point in points]
    found = [{method: [job.result() for job in jobs] for method, jobs in of.items()} for of in waiting]
    of_kind = {
        'simfl': lambda of: statistics.mean(of['simfl']),
        'simfl, least': lambda of: min(of['simfl']),
        'simfl, largest': lambda of: max(of['simfl']),
        'tfl': lambda of: of['tfl'][0],
        'solo, mean': lambda of: statistics.mean(of['solo']),
        'solo, least': lambda of: min(of['solo']),
        'all-in': lambda of: together.result(),
    }
    for kind in KINDS:
        yield pages.line([name, kind] + ['%.2f' % of_kind[kind](of) for of in found])


def figure_of(part):
    def lines_of(args, pool):
        points = points_of(args.owners)[part]
        folders = {name: args.folders[name] for name in args.sets or FIGURE_SETS}
        yield ('%s Test error in %%; simfl: mean, least and largest; solo: mean and least over the owners of one division. %s'
               % (SAID[part], settings_text(args, folders, PUBLISHED, args.runs)))
        yield from pages.header(['set', 'method'] + [point.head for point in points])
        for name, folder in folders.items():
            yield from rows_of(args, pool, name, folder, points)
    return lines_of


def cell_of(text):
    records_of_other, features, depth = map(int, text.split('x'))
    return records_of_other, features, depth


def main():
    made = {**{part: table_of(part) for part in TABLES}, 'simfl-splits': splits, 'simfl-settings': path, **{part: figure_of(part) for part in SAID}, 'simfl-bound': simfl_bound.lines_of}
    parser = measure.parser(__doc__)
    parser.set_defaults(cache='build/simfl')  # a quarter for the test, where others have a fifth
    parser.add_argument('--runs', type=int, default=10, help='of simfl (10)')
    parser.add_argument('--trees', type=int, default=500, help='of a model (500)')
    parser.add_argument('--owners', type=lambda text: list(map(int, text.split(','))), default=list(range(2, 11)),
                        help='of figures 3 and 4, with commas (2 to 10)')
    parser.add_argument('--option', action='append', default=[], metavar='NAME=VALUE', help='another option of simfl; may be repeated')
    parser.add_argument('--splits', type=int, default=8, help='quarters for the test (8)')
    parser.add_argument('--bound-runs', type=int, default=20, help='draws of Theorem 2 (20)')
    parser.add_argument('--bound-cells', type=lambda text: list(map(cell_of, text.split(','))), metavar='CELLS',
                        help='of Theorem 2: records of the other owner x features x depth, with commas')
    parser.add_argument('--only', type=lambda text: text.split(','), default=list(made), metavar='PARTS', help='with commas, of: ' + ', '.join(made))
    args = parser.parse_args()
    for part in args.only:
        if part not in made:
            parser.error('there is no part %s; choose from: %s' % (part, ', '.join(made)))
    if 'simfl-bound' in args.only:
        measure.with_module('numpy', 'numpy')
    parts = {part: made[part] for part in args.only}
    measure.check(args, parts)
    of_sets = args.only != ['simfl-bound']
    args.folders = {name: sets.prepared(args.data, args.cache, name, 0, test=.25) for name in args.sets or SETS} if of_sets else {}
    measure.run(args, parts)


if __name__ == '__main__':
    main()
