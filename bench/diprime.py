#!/usr/bin/env python3
"""DiPriMe's own evaluation (Consul, Williamson 2020): mean and standard deviation over seeded splits, 90 % of a set for the training, labels
scaled as the paper does it. What is trained is in diprime.json.

diprime: tables 1 and 2 beside the paper's figures; and scikit-learn's forests on the same splits, where the interpreter has them.
diprime-depth, -trees, -epsilon: figures 3 (records in parts) and 5 (all records for every tree).
diprime-classes: figures 4 (in parts) and 7 (all records).
diprime-rho: figure 6.
bench/balance.py has figures 1 and 2, and the theorems.

HEDGEROW_DATA names the folder of sets (see sets.py); without it, ../shared/data beside the project.
usage: diprime.py [--help]"""
import collections
import csv
import functools
import importlib.util
import io
import os
import statistics

os.environ.setdefault('OMP_NUM_THREADS', '1')

import accuracy  # noqa: E402  (after the number of threads is set)
import measure  # noqa: E402
import pages  # noqa: E402
import sets  # noqa: E402

TEST = .1
NEAR, FAR = .1, 2  # a figure is off beyond this part of the paper's (without privacy), or beyond so many standard deviations
# What we train for a row of the paper, if it is one; SHAPE, K, EPSILON and RHO stand for the settings of a table or figure. doubt, of
# classes alone: how far the probability of the true class is from 1, on average.
Row = collections.namedtuple('Row', 'title published method told', defaults=('error',))
ROWS = [
    Row('Random Forest', 'Random Forest', ['rf', 'SHAPE', 'K']),
    Row('ERT', 'ERT', ['ert', 'SHAPE', 'K']),
    Row('Median Trees', 'Median Trees', ['median', 'SHAPE', 'K']),
    Row('DP-DF', 'DP-DF', ['dp-df', 'SHAPE', 'EPSILON']),
    Row('DP-ERT', 'DP-ERT', ['dp-ert', 'SHAPE', 'EPSILON']),
    Row('DP-ERT, mean doubt in place of error', 'DP-ERT', ['dp-ert', 'SHAPE', 'EPSILON'], 'doubt'),
    Row('DiPriMe as published, Algorithm 1', 'DiPriMe', ['diprime', '--mode', 'paper', 'RHO', 'SHAPE', 'K', 'EPSILON']),
    Row('DiPriMe as published, section 3', 'DiPriMe', ['diprime', '--mode', 'paper', '--option', 'split-budget=text', 'RHO', 'SHAPE', 'K', 'EPSILON']),
    Row('DiPriMe sound', '', ['diprime', '--mode', 'sound', 'RHO', 'SHAPE', 'K', 'EPSILON']),
    Row('DiPriMe sound, its own defaults', '', ['diprime', '--mode', 'sound', 'EPSILON']),
]
CURVES = [
    Row('Random Forest', 'Random Forest', ['rf', 'SHAPE', 'K']),
    Row('ERT', 'ERT', ['ert', 'SHAPE', 'K']),
    Row('Median Trees', 'Median Trees', ['median', 'SHAPE', 'K']),
    Row('DP-DF', 'DP-DF', ['dp-df', 'SHAPE', 'EPSILON']),
    Row('DP-ERT', 'DP-ERT', ['dp-ert', 'SHAPE', 'EPSILON']),
    Row('DiPriMe as published, in parts', 'DiPriMe', ['diprime', '--mode', 'paper', 'SHAPE', 'K', 'EPSILON', 'RHO']),
    Row('DiPriMe as published, all records', 'DiPriMe', ['diprime', '--mode', 'paper', '--option', 'part=false', 'SHAPE', 'K', 'EPSILON', 'RHO']),
    Row('DiPriMe sound, in parts', '', ['diprime', '--mode', 'sound', 'SHAPE', 'K', 'EPSILON', 'RHO']),
]
RHO_CURVE = CURVES[5]
PEERS = {'Random Forest, scikit-learn': 'RandomForest', 'ERT, scikit-learn': 'ExtraTrees'}


def command(row, table, of_set):
    """The arguments of a row's training."""
    settings = {'SHAPE': ['--trees', str(table['trees']), '--depth', str(of_set['depth'])],
                'K': ['--option', 'max-features=%d' % table['max-features']],
                'EPSILON': ['--epsilon', str(table['epsilon'])],
                'RHO': ['--option', 'leaf-share=%.4g' % (1 - table['rho'])]}
    return [argument for part in row.method for argument in settings.get(part, [part])]


def span_of(of_set):
    """What the label is scaled by; None: classes."""
    bounds = of_set['changes'].get('y')
    return bounds[1] - bounds[0] if bounds else None


def our_error(program, folder, arguments, span):
    found = measure.metrics(program, folder, arguments)
    return (found['rmse'] / span) ** 2 if span else found['error']


def our_doubt(program, folder, arguments, _):
    columns, _ = sets.columns_of(folder)
    label = next(iter(columns))
    said = csv.DictReader(io.StringIO(measure.asked(program, folder, arguments, ['predict', '--scores'])))
    return statistics.mean(1 - float(p['p_' + columns[label][k]]) for p, k in zip(said, sets.table(folder, 'test')[label]))


TOLD = {'error': our_error, 'doubt': our_doubt}


def peer_error(folder, family, table, depth, span):
    from sklearn import ensemble
    features = len(sets.columns_of(folder)[0]) - 1
    model = getattr(ensemble, family + ('Regressor' if span else 'Classifier'))(table['trees'], max_depth=depth, random_state=0,
                                                                                max_features=min(table['max-features'], features))
    found = accuracy.test_error(model, folder, accuracy.ordinal)
    return (found / span) ** 2 if span else found / 100


def peers():
    return PEERS if importlib.util.find_spec('sklearn') else {}


def rows_of(there, wanted):
    """Of the methods that this build has, and of these sets' kind of label."""
    return [row for row in ROWS if row.method[0] in there and (row.told == 'error' or not any(map(span_of, wanted.values())))]


def records_of(args):
    return 'at most %d records' % args.rows if args.rows else 'all records'


def folders_of(args, pool, wanted):
    jobs = {name: [pool.submit(sets.prepared, args.data, os.path.join(args.cache, 'diprime'), name, seed, args.rows, TEST, of_set['changes'])
                   for seed in range(args.seeds)] for name, of_set in wanted.items()}
    return {name: [job.result() for job in waiting] for name, waiting in jobs.items()}


def measured(args, pool, table, wanted, rows):
    """{(title, set): what was measured over the splits}, in the set's unit."""
    folders = folders_of(args, pool, wanted)
    jobs = {}
    for name, s in wanted.items():
        for row in rows:
            jobs[row.title, name] = [pool.submit(TOLD[row.told], args.hedgerow, f, command(row, table, s), span_of(s)) for f in folders[name]]
        for title, family in peers().items():
            jobs[title, name] = [pool.submit(peer_error, f, family, table, s['depth'], span_of(s)) for f in folders[name]]
    return {(title, name): [job.result() / wanted[name]['unit'] for job in waiting] for (title, name), waiting in jobs.items()}


def is_off(private, published, values):
    """Whether a row misses what the paper prints."""
    room = FAR * pages.deviation(values) if private else NEAR * published
    return abs(statistics.mean(values) - published) > room


def cells_of(row, of_set, values, counts):
    """The paper's figure and ours; ≠ marks one that is off."""
    ours = pages.spread(values)
    if row.published not in of_set['paper']:
        return ['', ours]
    published = of_set['paper'][row.published] / of_set['unit']
    off = not of_set.get('substitute') and is_off('EPSILON' in row.method, published, values)
    counts['substitute' if of_set.get('substitute') else 'off' if off else 'near'] += 1
    return ['%.2f' % published, ours + (' ≠' if off else '')]


def table_lines(args, pool, table, there, counts):
    wanted = {name: s for name, s in table['sets'].items() if args.sets is None or name in args.sets}
    if not wanted:
        return
    rows = rows_of(there, wanted)
    found = measured(args, pool, table, wanted, rows)
    depths = ', '.join('%s %d' % (name, s['depth']) for name, s in wanted.items())
    yield from ['', '%s. Settings: epsilon %g, %d trees, K (max-features) %d, rho %g, depth: %s; %d %% of %s for the test.' % (
        table['title'], table['epsilon'], table['trees'], table['max-features'], table['rho'], depths, 100 * TEST, records_of(args))]
    yield from pages.header(['method', *(cell for name, s in wanted.items() for cell in ('%s, %s: paper' % (name, s['shown']), 'ours'))])
    for row in rows:
        yield pages.line([row.title, *(cell for name, s in wanted.items() for cell in cells_of(row, s, found[row.title, name], counts))])
    for title in peers():
        yield pages.line([title, *(cell for name in wanted for cell in ('', pages.spread(found[title, name])))])


def settings(args):
    """The paper's, but for those that are asked for."""
    published = pages.load(args.published)
    for table in published['tables'].values():
        table.update({'max-features': args.features or table['max-features'], 'rho': published['rho']})
        for of_set in table['sets'].values():
            of_set['depth'] = args.depth or of_set['depth']
    return published


def tables_part(args, pool):
    published = settings(args)
    there = measure.methods(args.hedgerow)
    counts = collections.Counter()
    yield 'Mean ± standard deviation over %d splits; paper: %s. ≠ is off by more than %g %% (without privacy) or %g standard deviations.' % (
        args.seeds, published['source'], 100 * NEAR, FAR)
    for table in published['tables'].values():
        yield from table_lines(args, pool, table, there, counts)
    lacking = sorted({row.method[0] for row in ROWS} - there)
    if lacking:
        yield from ['', 'Left out, for this build has no such methods: %s.' % ', '.join(lacking)]
    yield ''
    yield 'Of the %d figures that have one of the paper beside them on the same set, %d are off.' % (counts['near'] + counts['off'], counts['off'])


# ---- Figures -------------------------------------------------------------------------------------------------------------

def at_point(published, figure, **changes):
    """(the table's settings, the set's) that hold at one point of a figure."""
    table = {**published['tables'][figure['table']], **changes}
    of_set = published['tables'][figure['table']]['sets'][figure['set']]
    return table, {**of_set, 'depth': changes.get('depth', of_set['depth'])}


def settings_line(args, published, figure):
    """All that a figure was measured with."""
    table, of_set = at_point(published, figure)
    scaled = span_of(of_set) and 'mean squared error, %s, of labels scaled from %g to %g' % (of_set['shown'], *of_set['changes']['y'])
    fixed = {'trees': table['trees'], 'depth': of_set['depth'], 'epsilon': table['epsilon'], 'rho': table['rho'], 'K (max-features)': table['max-features']}
    varied = {figure['vary'], *(name for row in figure.get('rows', []) for name in row)}
    return '%s: %s. Settings: %d splits, %d %% of %s for the test; %s. Median Trees and the forests without privacy have no epsilon and no rho.' % (
        figure['set'], scaled or 'error, %', args.seeds, 100 * TEST, records_of(args),
        ', '.join('%s %g' % of for of in fixed.items() if of[0] not in varied))


def curves_of(there, figure, published):
    """The paper compares with DP-DF where labels are classes."""
    classes = not span_of(at_point(published, figure)[1])
    return [row for row in CURVES if row.method[0] in there and (classes or row.method[0] != 'dp-df')]


def points_of(args, pool, published, figure, rows):
    """{title: [values over the splits, at each point]}; rows: [(title, row, changes)]. What is the same at two points is trained once."""
    name, of_set = figure['set'], at_point(published, figure)[1]
    folders, jobs = folders_of(args, pool, {name: of_set})[name], {}

    def job(arguments, folder):
        key = (*arguments, folder)
        if key not in jobs:
            jobs[key] = pool.submit(our_error, args.hedgerow, folder, arguments, span_of(of_set))
        return jobs[key]
    waiting = {title: [[job(command(row, *at_point(published, figure, **changes, **{figure['vary']: value})), f) for f in folders]
                       for value in figure['values']] for title, row, changes in rows}
    return {title: [[of.result() / of_set['unit'] for of in point] for point in points] for title, points in waiting.items()}


def figure_lines(args, pool, name):
    published = settings(args)
    figure = published['figures'][name]
    if 'rows' in figure:
        rows = [(', '.join('%s %g' % of for of in changes.items()), RHO_CURVE, changes) for changes in figure['rows']]
    else:
        rows = [(row.title, row, {}) for row in curves_of(measure.methods(args.hedgerow), figure, published)]
    found = points_of(args, pool, published, figure, rows)
    yield from ['%s. Mean ± standard deviation.' % figure['title'], '', settings_line(args, published, figure)]
    yield from pages.header(['method', *('%s %g' % (figure['vary'], value) for value in figure['values'])])
    for title, *_ in rows:
        yield pages.line([title, *map(pages.spread, found[title])])


FIGURES = ['diprime-depth', 'diprime-trees', 'diprime-epsilon', 'diprime-classes', 'diprime-rho']
PARTS = {'diprime': tables_part, **{name: functools.partial(figure_lines, name=name) for name in FIGURES}}


def arguments_of():
    parser = measure.parser(__doc__)
    parser.add_argument('--published', default=os.path.join(measure.HERE, 'diprime.json'), help="the paper's figures (diprime.json)")
    parser.add_argument('--seeds', type=int, default=5, help='number of splits (5)')
    parser.add_argument('--rows', type=int, help='take so many records of a set at most')
    parser.add_argument('--features', type=int, help="candidate features of a split, in place of the paper's")
    parser.add_argument('--depth', type=int, help="of a tree, in place of the paper's")
    parser.add_argument('--only', type=lambda names: names.split(','), default=list(PARTS), help='parts, with commas: ' + ', '.join(PARTS))
    return parser.parse_args()


def main():
    args = arguments_of()
    parts = {name: lines for name, lines in PARTS.items() if name in args.only}
    measure.check(args, parts)
    measure.run(args, parts)


if __name__ == '__main__':
    main()
