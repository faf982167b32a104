#!/usr/bin/env python3
"""SimFL and what it is compared with, on prepared sets, as markdown: test errors over two owners beside those of the paper (Li, Wen, He: Practical
Federated Gradient Boosting Decision Trees. AAAI 2020, tables 2 and 3). A quarter of a set is for the test, as there. Every run of simfl draws
its own division and hashes; the others have the division of the first run.

HEDGEROW_DATA names the folder of sets (see sets.py); without it, ../shared/data beside the project. usage: simfl.py [--help]"""
import os
import statistics

os.environ.setdefault('OMP_NUM_THREADS', '1')

import measure  # noqa: E402  (after the number of threads is set)
import pages  # noqa: E402
import sets  # noqa: E402

# part -> (theta, the paper's error of each set in %: simfl's average, least and largest, tfl, solo of A and B, all-in)
TABLES = {
    'simfl-by-class': (.8, {
        'a9a': (17.0, 16.7, 17.2, 23.1, 19.1, 22.0, 15.1),
        'cod-rna': (6.5, 6.3, 6.7, 7.5, 9.6, 8.2, 6.13),
        'ijcnn1': (4.5, 4.5, 4.6, 4.7, 5.9, 4.9, 3.7),
        'susy': (23.3, 23.1, 23.4, 32.6, 25.4, 32.8, 21.38),
        'higgs': (30.9, 30.8, 31.0, 36.1, 37.1, 35.6, 29.4),
    }),
    'simfl-even': (0, {
        'a9a': (15.1, 14.9, 15.2, 15.6, 15.5, 15.9, 15.1),
        'cod-rna': (6.0, 5.9, 6.1, 6.3, 6.4, 6.7, 6.1),
        'ijcnn1': (3.6, 3.5, 3.7, 3.8, 3.8, 4.2, 3.7),
        'susy': (19.6, 19.4, 19.9, 20.2, 20.1, 20.1, 20.0),
        'higgs': (29.3, 29.2, 29.5, 31.4, 30.2, 30.5, 29.3),
    }),
}
SETS = list(TABLES['simfl-even'][1])
COLUMNS = ['simfl', 'least', 'largest', 'tfl', 'solo A', 'solo B', 'all-in']


def error(args, folder, run, method, *options):
    """In %, of the test records."""
    words = [method, '--trees', str(args.trees), '--learning-rate', args.learning_rate, '--unsafe-reproducible-noise', '--seed', str(run)]
    for option in options:
        words += ['--option', option]
    return 100 * measure.metrics(args.hedgerow, folder, words)['error']


def errors_of(args, pool, folder, theta):
    by_class = ['theta=%g' % theta]
    runs = [pool.submit(error, args, folder, run, 'simfl', *by_class, *args.option) for run in range(args.runs)]
    others = [pool.submit(error, args, folder, 0, 'tfl', *by_class)]
    others += [pool.submit(error, args, folder, 0, 'solo', 'owner=%d' % owner, *by_class) for owner in (1, 2)]
    others += [pool.submit(error, args, folder, 0, 'all-in')]
    simfl = [job.result() for job in runs]
    return [statistics.mean(simfl), min(simfl), max(simfl)] + [job.result() for job in others]


def table_of(part):
    theta, published = TABLES[part]

    def lines_of(args, pool):
        yield ('Test error in %%, two owners, %s; %d runs of simfl, %d trees, learning rate %s, defaults otherwise%s.'
               % ('theta %g' % theta if theta else 'records divided evenly', args.runs, args.trees, args.learning_rate, ''.join(', ' + o for o in args.option)))
        yield from pages.header(['set', ''] + COLUMNS)
        for name, folder in args.folders.items():
            yield pages.line([name, 'measured'] + ['%.1f' % e for e in errors_of(args, pool, folder, theta)])
            if name in published:
                yield pages.line([name, 'paper'] + ['%.1f' % e for e in published[name]])
    return lines_of


def main():
    parser = measure.parser(__doc__)
    parser.add_argument('--runs', type=int, default=10, help='of simfl (10)')
    parser.add_argument('--trees', type=int, default=500, help='of a model (500)')
    parser.add_argument('--learning-rate', default='0.1', metavar='X', help='(0.1)')
    parser.add_argument('--option', action='append', default=[], metavar='NAME=VALUE', help='another option of simfl; may be repeated')
    parser.add_argument('--only', choices=list(TABLES), help='one table')
    args = parser.parse_args()
    parts = {part: table_of(part) for part in TABLES if args.only in (None, part)}
    measure.check(args, parts)
    args.folders = {name: sets.prepared(args.data, args.cache, name, 0, test=.25) for name in args.sets or SETS}
    measure.run(args, parts)


if __name__ == '__main__':
    main()
