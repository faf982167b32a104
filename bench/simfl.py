#!/usr/bin/env python3
"""SimFL and what it is compared with, on prepared sets, as markdown: test errors over two owners beside those of the paper (Li, Wen, He:
Practical Federated Gradient Boosting Decision Trees. AAAI 2020, tables 2 and 3), and by theta and by the number of owners (its figures 2
to 4; plot.py draws them). A quarter of a set is for the test, as there. Every run of simfl draws its own division and hashes.

HEDGEROW_DATA names the folder of sets (see sets.py); without it, ../shared/data beside the project. usage: simfl.py [--help]"""
import collections
import os
import statistics

os.environ.setdefault('OMP_NUM_THREADS', '1')

import measure  # noqa: E402  (after the number of threads is set)
import pages  # noqa: E402
import sets  # noqa: E402

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
# part -> (theta, what the paper says)
TABLES = {
    'simfl-by-class': (.8, TABLE_2),
    'simfl-even': (0, TABLE_3),
}
SETS = ['a9a', 'cod-rna', 'reuters', 'ijcnn1', 'susy', 'higgs']
COLUMNS = ['simfl', 'least', 'largest', 'tfl', 'solo A', 'solo B', 'all-in']

# What varies: (how it is called, owners, theta)
Point = collections.namedtuple('Point', 'head owners theta')
KINDS = ['simfl', 'tfl', 'solo, mean', 'solo, best', 'all-in']


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


def error(args, folder, run, method, *options):
    """In %, of the test records."""
    words = [method, '--trees', str(args.trees), '--learning-rate', args.learning_rate, '--unsafe-reproducible-noise', '--seed', str(run)]
    for option in options:
        words += ['--option', option]
    return 100 * measure.metrics(args.hedgerow, folder, words)['error']


def submit(args, pool, folder, point, runs):
    """{method: the jobs of its runs; solo: of every owner of the first division}"""
    divided = ['owners=%d' % point.owners, 'theta=%g' % point.theta]
    return {
        'simfl': [pool.submit(error, args, folder, run, 'simfl', *divided, *args.option) for run in range(runs['simfl'])],
        'tfl': [pool.submit(error, args, folder, run, 'tfl', *divided) for run in range(runs['tfl'])],
        'solo': [pool.submit(error, args, folder, 0, 'solo', 'owner=%d' % owner, *divided) for owner in range(1, point.owners + 1)],
    }


# ---- Tables 2 and 3 ------------------------------------------------------------------------------------------------------

def errors_of(args, pool, folder, theta):
    jobs = submit(args, pool, folder, Point('', 2, theta), {'simfl': args.runs, 'tfl': 1})
    together = pool.submit(error, args, folder, 0, 'all-in')
    simfl, tfl, solo = ([job.result() for job in jobs[method]] for method in ('simfl', 'tfl', 'solo'))
    return [statistics.mean(simfl), min(simfl), max(simfl)] + tfl + solo + [together.result()]


def table_of(part):
    theta, published = TABLES[part]

    def lines_of(args, pool):
        yield ('Test error in %%, two owners, %s; %d runs of simfl, %d trees, learning rate %s, defaults otherwise%s.'
               % ('theta %g' % theta if theta else 'records divided evenly', args.runs, args.trees, args.learning_rate,
                  ''.join(', ' + o for o in args.option)))
        yield from pages.header(['set', 'source'] + COLUMNS)
        for name, folder in args.folders.items():
            yield pages.line([name, 'measured'] + ['%.1f' % e for e in errors_of(args, pool, folder, theta)])
            other = INSTEAD.get(name, name)
            if other in published:
                yield pages.line([name, 'paper' if other == name else 'paper, ' + other] + ['%.1f' % e for e in published[other]])
    return lines_of


# ---- Figures 2 to 4 ------------------------------------------------------------------------------------------------------

def rows_of(args, pool, name, folder, points):
    """A row for each kind, with a cell for each point."""
    runs = {'simfl': args.figure_runs, 'tfl': args.figure_runs}
    together = pool.submit(error, args, folder, 0, 'all-in')
    waiting = [submit(args, pool, folder, point, runs) for point in points]
    found = [{method: [job.result() for job in jobs] for method, jobs in of.items()} for of in waiting]
    cells = {
        'simfl': [pages.spread(of['simfl']) for of in found],
        'tfl': [pages.spread(of['tfl']) for of in found],
        'solo, mean': ['%.2f' % statistics.mean(of['solo']) for of in found],
        'solo, best': ['%.2f' % min(of['solo']) for of in found],
        'all-in': ['%.2f' % together.result() for of in found],
    }
    for kind in KINDS:
        yield pages.line([name, kind] + cells[kind])


def figure_of(part):
    def lines_of(args, pool):
        points = points_of(args.owners)[part]
        yield ('%s Test error in %%, mean ± standard deviation of %d runs of simfl and tfl; solo: mean and least over the owners of one division; '
               '%d trees, learning rate %s.' % (SAID[part], args.figure_runs, args.trees, args.learning_rate))
        yield from pages.header(['set', 'method'] + [point.head for point in points])
        for name, folder in args.folders.items():
            yield from rows_of(args, pool, name, folder, points)
    return lines_of


def main():
    made = {**{part: table_of(part) for part in TABLES}, **{part: figure_of(part) for part in SAID}}
    parser = measure.parser(__doc__)
    parser.add_argument('--runs', type=int, default=10, help='of simfl, for a table (10)')
    parser.add_argument('--figure-runs', type=int, default=3, help='of simfl and tfl, for a figure (3)')
    parser.add_argument('--trees', type=int, default=500, help='of a model (500)')
    parser.add_argument('--learning-rate', default='0.1', metavar='X', help='(0.1)')
    parser.add_argument('--owners', type=lambda text: list(map(int, text.split(','))), default=list(range(2, 11)),
                        help='of figures 3 and 4, with commas (2 to 10)')
    parser.add_argument('--option', action='append', default=[], metavar='NAME=VALUE', help='another option of simfl; may be repeated')
    parser.add_argument('--only', type=lambda text: text.split(','), default=list(made), metavar='PARTS', help='with commas, of: ' + ', '.join(made))
    args = parser.parse_args()
    for part in args.only:
        if part not in made:
            parser.error('there is no part %s; choose from: %s' % (part, ', '.join(made)))
    parts = {part: made[part] for part in args.only}
    measure.check(args, parts)
    args.folders = {name: sets.prepared(args.data, args.cache, name, 0, test=.25) for name in args.sets or SETS}
    measure.run(args, parts)


if __name__ == '__main__':
    main()
