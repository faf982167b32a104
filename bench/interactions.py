#!/usr/bin/env python3
"""Interactions: what it costs hedge that a tree may split by one feature, or two, beside interpret's DP-EBM, whose models are additive, too. AUC of two
classes, or RMSE, of held-out records: the same splits, public bounds, lists of categories and (epsilon, delta) with delta 1e-6. Without privacy:
scikit-learn's gradient boosting whose trees may split by one feature, two, or all, of as many trees as a tenth of the records finds best.

Every figure is kept in a file of results as soon as it is known; a run that was stopped goes on from there. HEDGEROW_DATA names the folder of sets (see
sets.py). Needs numpy, pandas, scikit-learn and interpret-core. usage: interactions.py HEDGEROW OUTPUT.json [--help]"""
import argparse
import itertools
import math
import os
import statistics
import warnings

os.environ.setdefault('OMP_NUM_THREADS', '1')
warnings.filterwarnings('ignore')

import measure  # noqa: E402  (after the number of threads is set)
import pages  # noqa: E402
import rivals  # noqa: E402
import sets  # noqa: E402

SETS = ['adult', 'credit', 'cod-rna', 'abalone', 'kc_house']
EPSILONS = [.25, .5, 1, 2, 4, 8]
HEDGE = {'hedge, none': 'none', 'hedge, pairs': 'pairs', 'hedge, all': 'all'}
EBM = next(method for method in rivals.METHODS if method.title == 'DP-EBM')
BOOSTING = {'boosting, one feature': 'no_interactions', 'boosting, pairs': 'pairwise', 'boosting, all': None}


def boosted(split, constraint):
    numbers = rivals.numbers_of(split)
    model = measure.boosting(split.label is None, categorical_features=[f for f in range(len(split.columns)) if f not in numbers], max_iter=1000,
                             early_stopping=True, interaction_cst=constraint)
    fitted = model.fit(split.x, split.y)
    return fitted.predict(split.xt) if split.label is not None else fitted.predict_proba(split.xt)[:, 1]


def fitted(args, folder, title, epsilon):
    if title in HEDGE:
        return measure.metrics(args.hedgerow, folder, ['hedge', '--epsilon', str(epsilon), '--delta', str(rivals.DELTA), '--interactions', HEDGE[title]])
    split = rivals.split_of(folder)
    return rivals.metrics_of(split, boosted(split, BOOSTING[title]) if title in BOOSTING else EBM.fit(split, epsilon, EBM.setting))


def table_of(results, name, seeds):
    metric = 'rmse' if 'rmse' in results[(EBM.title, name, 0, EPSILONS[0])] else 'auc'
    scale, digits = (rivals.RADIX.get(name, 1), 3) if metric == 'rmse' else (1, 4)

    def cell(title, epsilon):
        values = [scale * results[(title, name, seed, epsilon)][metric] for seed in range(seeds)]
        return pages.shown(statistics.mean(values), pages.deviation(values) / math.sqrt(seeds), digits)
    rows = [[title, *(cell(title, epsilon) for epsilon in EPSILONS)] for title in [*HEDGE, EBM.title]]
    free = '; '.join('%s %s' % (title, cell(title, 0)) for title in BOOSTING)
    what = 'RMSE%s' % (', thousand dollars' if name in rivals.RADIX else '') if metric == 'rmse' else 'AUC'
    return ['', '### %s, %s' % (name, what), '', 'Without privacy: %s.' % free, *pages.header(['method'] + ['eps %g' % e for e in EPSILONS]),
            *map(pages.line, rows)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('hedgerow')
    parser.add_argument('output')
    parser.add_argument('--data', default=os.environ.get('HEDGEROW_DATA', os.path.join(measure.HERE, '..', '..', 'shared', 'data')))
    parser.add_argument('--cache', default='build/accuracy', help='where prepared sets are kept (build/accuracy)')
    parser.add_argument('--results', default='build/accuracy/interactions.jsonl', help='the file of results (build/accuracy/interactions.jsonl)')
    parser.add_argument('--sets', type=lambda names: names.split(','), default=SETS, help='names, with commas (%s)' % ','.join(SETS))
    parser.add_argument('--seeds', type=int, default=4, help='number of splits (4)')
    parser.add_argument('--rows', type=int, default=15000, help='of a set at most (15000)')
    args = parser.parse_args()
    results = measure.Results(args.results)
    for seed, name in itertools.product(range(args.seeds), args.sets):
        folder = sets.prepared(args.data, args.cache, name, seed, args.rows)
        wanted = [(title, e) for e in EPSILONS for title in [*HEDGE, EBM.title]] + [(title, 0) for title in BOOSTING]
        for title, epsilon in wanted:
            if (title, name, seed, epsilon) not in results.known:
                results.note((title, name, seed, epsilon), fitted(args, folder, title, epsilon))
    lines = ['Settings: hedge with delta %g and all other options at their defaults; DP-EBM as in bench/rivals.py; boosting of at most 1000 trees, ended early; at most '
             '%s records of a set, of which 80 %% are trained on. Mean ± standard error of %d splits.' % (rivals.DELTA, '{:,}'.format(args.rows), args.seeds)]
    for name in args.sets:
        lines += table_of(results.known, name, args.seeds)
    pages.write(args.output, pages.as_json({'command': 'bench/interactions.py build/cli/hedgerow docs/reference/results/interactions.json',
                                            **pages.record(lines)}))


if __name__ == '__main__':
    main()
