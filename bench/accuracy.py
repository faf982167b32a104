#!/usr/bin/env python3
"""How well every method predicts on prepared sets: mean and standard deviation over seeded splits, as markdown. hedge and the
published methods stand beside the figures of their prototypes (hedge.json, utility.json), gbdt beside scikit-learn's histogram
gradient boosting at the same settings, and the forests without privacy beside its forests.

HEDGEROW_DATA names the folder of sets (see sets.py); without it, ../shared/data beside the project. PEER_PYTHON names a Python
interpreter that has scikit-learn; the parts of gbdt and the forests and the set "synth" need it.
usage: accuracy.py [--help]"""
import collections
import os
import statistics

os.environ.setdefault('OMP_NUM_THREADS', '1')

import measure  # noqa: E402  (after the number of threads is set)
import pages  # noqa: E402
import sets  # noqa: E402
from pages import deviation, shown, spread  # noqa: E402

RADIX = {'kc_house': 1e-3}  # as the prototypes count: thousand dollars
PRIVATE = {
    'DPBoost sound': ['dpboost', '--mode', 'sound'],
    'SEQ sound': ['seq', '--mode', 'sound'],
    'PARA sound': ['para', '--mode', 'sound'],
    'DPBoost as published': ['dpboost', '--mode', 'paper', '--option', 'leaf-budget=intended'],
    'DPBoost as published, line 14 literally': ['dpboost', '--mode', 'paper', '--option', 'leaf-budget=literal'],
    'SEQ as published': ['seq', '--mode', 'paper'],
    'PARA as published': ['para', '--mode', 'paper'],
    'DiPriMe sound': ['diprime', '--mode', 'sound'],
    'DiPriMe as published': ['diprime', '--mode', 'paper', '--option', 'max-features=5'],
    'InPrivate sound': ['inprivate', '--mode', 'sound'],
    'InPrivate as published': ['inprivate', '--mode', 'paper', '--trees', '8', '--option', 'split-budget=text'],
    'DP-ERT': ['dp-ert'],
    'DP-DF': ['dp-df'],
}
HEDGE_SETS = ['adult', 'credit', 'banknote', 'cod-rna', 'covtype', 'susy', 'ijcnn1', 'acs', 'higgs', 'abalone', 'kc_house', 'appliances',
              'parkinsons', 'flights']
MORE_SETS = ['robot', 'nursery', 'car', 'gss']
UNSEEN_SETS = ['a9a', 'w8a', 'mushroom', 'tic_tac_toe', 'votes', 'yearmsd']  # no constant was chosen on these but a9a
HEDGE_EPSILONS = [.1, .25, .5, 1, 2, 4, 8]
CUT_ROWS = 30000  # of which 24,000 are trained on: what the prototype took
PURE_SEEDS = 3
ETAS = ['0.1', '0.3']
FOREST_SETS = ['adult', 'credit', 'banknote', 'robot', 'parkinsons', 'appliances', 'kc_house', 'abalone']
FORESTS = {'rf': 'RandomForest', 'ert': 'ExtraTrees', 'median': None}  # what scikit-learn calls them; it has no median trees
FOREST_TREES, FOREST_DEPTH = 100, 16
# How a metric is called and shown, and whether more of it is better. Figures are compared as they are shown.
Metric = collections.namedtuple('Metric', 'title digits more')
METRICS = {'error': Metric('error, %', 2, False), 'rmse': Metric('RMSE', 2, False), 'auc': Metric('AUC', 3, True)}


def hedgerow_metrics(program, folder, arguments):
    """Test error in % (and AUC, of two classes), or RMSE."""
    found = {metric: value for metric, value in measure.metrics(program, folder, arguments).items() if metric in METRICS and value is not None}
    return {metric: 100 * value if metric == 'error' else value for metric, value in found.items()}


def hedgerow_error(program, folder, arguments):
    """Test error in %, or RMSE."""
    return next(v for metric, v in hedgerow_metrics(program, folder, arguments).items() if metric != 'auc')


def sklearn_error(folder, eta):
    """The same of scikit-learn: 50 trees of depth 6, 255 bins, and no rule of its own against small leaves."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    kind = HistGradientBoostingClassifier if is_classes(folder) else HistGradientBoostingRegressor
    _, _, categories, _ = sets.arrays(folder, 'test')
    return test_error(kind(max_iter=50, max_depth=6, learning_rate=float(eta), max_bins=255, max_leaf_nodes=None, min_samples_leaf=1,
                           l2_regularization=1, early_stopping=False, categorical_features=categories, random_state=0), folder, as_it_is)


def as_it_is(folder, part):
    """(x, y, whether y is a class)"""
    x, y, _, classes = sets.arrays(folder, part)
    return x, y, classes


def test_error(model, folder, arrays):
    """Test error in %, or RMSE, of a model of scikit-learn; `arrays` reads a part of the set."""
    x, y, classes = arrays(folder, 'train')
    xt, yt, _ = arrays(folder, 'test')
    p = model.fit(x, y).predict(xt)
    return float(100 * (p != yt).mean() if classes else (((p - yt) ** 2).mean()) ** 0.5)


def ordinal(folder, part):
    """(x, y, whether y is a class); a category is its place in the schema's list, and -1 if it is missing."""
    import numpy as np
    x, y, categories, classes = sets.arrays(folder, part)
    x[:, categories] = np.nan_to_num(x[:, categories], nan=-1)
    return x, y, classes


def root(folder):
    """K: the root of the number of features, rounded."""
    return max(1, round((len(sets.columns_of(folder)[0]) - 1) ** .5))


def sklearn_forest_error(folder, name):
    """The same of a forest of scikit-learn."""
    from sklearn import ensemble
    kind = getattr(ensemble, name + ('Classifier' if is_classes(folder) else 'Regressor'))
    return test_error(kind(FOREST_TREES, max_depth=FOREST_DEPTH, max_features=root(folder), min_samples_leaf=1, random_state=0), folder, ordinal)


def forest_arguments(method, folder):
    return [method, '--trees', str(FOREST_TREES), '--depth', str(FOREST_DEPTH), '--option', 'max-features=%d' % root(folder), '--option', 'min-child-weight=1']


def is_classes(folder):
    columns, _ = sets.columns_of(folder)
    return next(iter(columns.values())) is not None


def gbdt_arguments(eta, classes):
    return ['gbdt', '--trees', '50', '--depth', '6', '--bins', '255', '--learning-rate', eta, '--lambda', '1', '--option',
            'loss=' + ('logistic' if classes else 'square')]


def verdict(values, mark, metric):
    """Whether the mean of `values`, as shown, is 'better' or 'worse' than the mark by more than one standard deviation, or 'level';
    None without a mark, or if one split tells no deviation."""
    if mark is None or len(values) < 2:
        return None
    gain = (round(statistics.mean(values), metric.digits) - mark) * (1 if metric.more else -1)
    if round(abs(gain) - round(deviation(values), metric.digits), 6) <= 0:
        return 'level'
    return 'better' if gain > 0 else 'worse'


def paired(pairs, classes):
    """Ours less theirs: points of error, or per cent of the RMSE."""
    if classes:
        return '%+.2f points' % statistics.mean(a - b for a, b in pairs)
    return '%+.1f %%' % (100 * statistics.mean((a - b) / b for a, b in pairs))


def header(first, epsilons):
    return pages.header(first + ['eps %g' % e for e in epsilons])


def prepare_all(args, pool, names, seeds, rows):
    """({set: its folders, one a seed}, lines that name the sets that prepare.py lacks); rows is None for all of a set."""
    there = sets.available(args.data)
    lacking = ['', 'Left out, for prepare.py does not have them: %s.' % ', '.join(n for n in names if n not in there)]
    jobs = {name: [pool.submit(sets.prepared, args.data, args.cache, name, s, rows) for s in range(seeds)] for name in names if name in there}
    return {name: [job.result() for job in waiting] for name, waiting in jobs.items()}, lacking if len(jobs) < len(names) else []


def private_table(args, pool, name, folders, reference):
    """One set: method x epsilon, ours and the reference's row in turn."""
    jobs = {(title, e): [pool.submit(hedgerow_error, args.hedgerow, f, arguments + ['--epsilon', str(e)]) for f in folders]
            for title, arguments in PRIVATE.items() for e in reference['epsilon']}
    known = reference['sets'].get(name, {'rows': {}})
    yield from ['', '### %s' % name, '', '; '.join('%s %s' % (k, shown(*v)) for k, v in known.items() if k != 'rows')]
    yield from header(['method'], reference['epsilon'])
    for title in PRIVATE:
        cells = [spread([RADIX.get(name, 1) * job.result() for job in jobs[title, e]]) for e in reference['epsilon']]
        yield '| **%s** | %s |' % (title, ' | '.join(cells))
        if title in known['rows']:
            yield '| %s (prototype) | %s |' % (title, ' | '.join(shown(*v) for v in known['rows'][title]))


def private_part(args, pool):
    """The published methods beside their prototype."""
    reference = pages.load(args.reference)
    folders, lacking = prepare_all(args, pool, args.sets or list(reference['sets']), args.seeds, args.rows or None)
    yield 'Test error in %%, or RMSE. Rows marked (prototype): %s' % reference['source']
    for name in folders:
        yield from private_table(args, pool, name, folders[name], reference)
    yield from lacking
    yield from ['', measure.settings(args.hedgerow, PRIVATE) + ' %d splits of 80/20; %s.' % (args.seeds, cut_rows(args, 0)[1])]


def plain_part(args, pool):
    """gbdt beside scikit-learn."""
    folders, lacking = prepare_all(args, pool, args.sets or list(pages.load(args.reference)['sets']), args.seeds, args.rows or None)
    yield from ['| set | eta | hedgerow | scikit-learn | difference |', '|---|---|---|---|---|']
    for name in folders:
        for eta in ETAS:
            yield plain_line(args, pool, name, folders[name], eta)
    yield from lacking
    yield from ['', measure.settings(args.hedgerow, {'hedgerow': gbdt_arguments('eta', True)}) + ' Numbers: loss square. scikit-learn: HistGradientBoosting with max_iter '
                '50, max_depth 6, max_bins 255, no limit of leaves, min_samples_leaf 1, l2_regularization 1, no early stopping.']


def plain_line(args, pool, name, folders, eta):
    classes = is_classes(folders[0])
    ours = [pool.submit(hedgerow_error, args.hedgerow, f, gbdt_arguments(eta, classes)) for f in folders]
    theirs = [pool.submit(sklearn_error, f, eta) for f in folders]
    return beside(name, eta, classes, ours, theirs)


def beside(name, title, classes, ours, theirs):
    """A line: our errors on every split, theirs (if there are any), and the difference."""
    mine, yours = ([RADIX.get(name, 1) * job.result() for job in jobs] for jobs in (ours, theirs))
    if not yours:
        return pages.line([name, title, spread(mine), '', ''])
    return pages.line([name, title, spread(mine), spread(yours), paired(list(zip(mine, yours)), classes)])


def forests_part(args, pool):
    """Forests without privacy beside scikit-learn."""
    rows, taken = cut_rows(args)
    folders, lacking = prepare_all(args, pool, args.sets or FOREST_SETS, args.seeds, rows)
    yield 'Mean ± standard deviation over %d splits; %s.' % (args.seeds, taken)
    yield from pages.header(['set', 'method', 'hedgerow', 'scikit-learn', 'difference'])
    for name in folders:
        for method, peer in FORESTS.items():
            ours = [pool.submit(hedgerow_error, args.hedgerow, f, forest_arguments(method, f)) for f in folders[name]]
            theirs = [pool.submit(sklearn_forest_error, f, peer) for f in folders[name] if peer]
            yield beside(name, method, is_classes(folders[name][0]), ours, theirs)
    yield from lacking
    common = ['--trees', str(FOREST_TREES), '--depth', str(FOREST_DEPTH), '--option', 'max-features=root', '--option', 'min-child-weight=1']
    yield from ['', measure.settings(args.hedgerow, {method: [method, *common] for method in FORESTS}) + ' Root: that of the number of features, rounded. scikit-learn: as '
                'many trees, the same max_depth and max_features, min_samples_leaf 1.']


def hedge_fits(args, pool, name, folders, arguments):
    """{metric: for every epsilon its values over the splits}"""
    jobs = [[pool.submit(hedgerow_metrics, args.hedgerow, f, ['hedge', '--epsilon', str(e)] + arguments) for f in folders] for e in HEDGE_EPSILONS]
    found = [[job.result() for job in waiting] for waiting in jobs]
    scale = {'rmse': RADIX.get(name, 1)}
    return {metric: [[scale.get(metric, 1) * one[metric] for one in splits] for splits in found] for metric in METRICS if metric in found[0][0]}


def cut_rows(args, rows=CUT_ROWS):
    rows = rows if args.rows is None else args.rows
    return rows or None, 'at most {:,} records of a set'.format(rows) if rows else 'all records of a set'


def hedge_part(args, pool):
    """hedge from strict to lenient budgets beside its prototype; the last line counts."""
    marks = pages.load(args.marks)
    rows, taken = cut_rows(args)
    folders, lacking = prepare_all(args, pool, args.sets or HEDGE_SETS + MORE_SETS + UNSEEN_SETS, args.seeds, rows)
    yield ('Mean ± standard deviation over %d splits; %s, of which 80 %% are trained on. Rows "prototype": %s. A figure with ▼ is worse than '
           "the prototype's by more than one standard deviation." % (args.seeds, taken, marks['source']))
    yield from header(['set', 'measure'], HEDGE_EPSILONS)
    counts = collections.Counter()
    for name in folders:
        for key, values in hedge_fits(args, pool, name, folders[name], []).items():
            mark = marks['sets'].get(name, {}).get(key, [None] * len(HEDGE_EPSILONS))
            said = [verdict(v, m, METRICS[key]) for v, m in zip(values, mark)]
            counts.update(said)
            cells = [spread(v, METRICS[key].digits) + (' ▼' if w == 'worse' else '') for v, w in zip(values, said)]
            yield '| %s | %s | %s |' % (name, METRICS[key].title, ' | '.join(cells))
            if any(mark):
                yield '| %s | prototype | %s |' % (name, ' | '.join('' if m is None else str(m) for m in mark))
    yield from lacking
    yield ''
    yield ('Of the %d figures that have a mark, %d are better than it by more than one standard deviation, %d level, %d worse.' %
           (sum(counts[w] for w in ('better', 'level', 'worse')), counts['better'], counts['level'], counts['worse']))
    yield from ['', measure.settings(args.hedgerow, {'hedge': ['hedge']})]


def pure_part(args, pool):
    """hedge with pure epsilon: error or RMSE alone."""
    rows, taken = cut_rows(args)
    folders, lacking = prepare_all(args, pool, args.sets or HEDGE_SETS, min(args.seeds, PURE_SEEDS), rows)
    yield 'The same with pure epsilon (`--delta 0`), over %d splits; %s.' % (min(args.seeds, PURE_SEEDS), taken)
    yield from header(['set', 'measure'], HEDGE_EPSILONS)
    for name in folders:
        key, values = next(iter(hedge_fits(args, pool, name, folders[name], ['--delta', '0']).items()))
        yield '| %s | %s | %s |' % (name, METRICS[key].title, ' | '.join(spread(v, METRICS[key].digits) for v in values))
    yield from lacking
    yield from ['', measure.settings(args.hedgerow, {'hedge': ['hedge', '--delta', '0']}) + ' 80 % of the records are trained on.']


PARTS = {'plain': plain_part, 'forests': forests_part, 'private': private_part, 'pure': pure_part, 'hedge': hedge_part}


def arguments_of():
    parser = measure.parser(__doc__)
    parser.add_argument('--reference', default=os.path.join(measure.HERE, 'utility.json'), help="the published methods' prototype (utility.json)")
    parser.add_argument('--marks', default=os.path.join(measure.HERE, 'hedge.json'), help="hedge's prototype (hedge.json)")
    parser.add_argument('--seeds', type=int, default=5, help='number of splits (5; of pure epsilon at most %d)' % PURE_SEEDS)
    parser.add_argument('--rows', type=int, help='take so many records of a set at most, 0 for all (hedge, forests: %d; the others: 0)' % CUT_ROWS)
    parser.add_argument('--only', choices=['private', 'plain', 'forests', 'hedge'],
                        help='the published private methods alone, gbdt alone, the forests without privacy alone, or hedge alone')
    return parser.parse_args()


def main():
    args = arguments_of()
    parts = {name: lines for name, lines in PARTS.items() if args.only in (None, name) or (args.only, name) == ('hedge', 'pure')}
    names = args.sets or (pages.load(args.reference)['sets'] if 'private' in parts else [])
    if 'plain' in parts or 'forests' in parts or 'synth' in names:
        measure.with_sklearn()
    measure.check(args, parts)
    measure.run(args, parts)


if __name__ == '__main__':
    main()
