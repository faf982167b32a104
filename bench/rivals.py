#!/usr/bin/env python3
"""Test error of hedge against epsilon beside two other private methods, run by their authors' code: S-BDT and interpret's DP-EBM. All get the same
splits, the same public bounds and lists of categories, and (epsilon, delta) with delta 1e-6. Beside them scikit-learn's gradient boosting without
privacy, and a constant guess.

They run in the interpreter that --python names, which tools/peers.sh makes. S-BDT is in no package: --sbdt names the folder "code" of
github.com/kirschte/sbdt in which its Python module was built for this interpreter, with -DDELTA=1e-6. A method that cannot be imported is left out, by name.

Every figure is kept in a file of results as soon as it is known; a run that was stopped goes on from there. After a change of the program name
another file, or remove it. HEDGEROW_DATA names the folder of sets (see sets.py). usage: rivals.py [--help]"""
import argparse
import collections
import itertools
import json
import math
import os
import statistics
import subprocess
import sys

os.environ.setdefault('OMP_NUM_THREADS', '1')

import measure  # noqa: E402  (after the number of threads is set)
import pages  # noqa: E402
import sets  # noqa: E402

SETS = ['adult', 'credit', 'cod-rna', 'abalone', 'kc_house']
EPSILONS = [.1, .25, .5, 1, 2, 4, 8]
DELTA = 1e-6
ROWS = 30000
RADIX = {'kc_house': 1e-3}  # thousand dollars

# columns: of each feature (low, high), or the number of its categories; low, high: those of the label, None of a class.
Split = collections.namedtuple('Split', 'x y xt yt columns label')


# ---- What a method is given ----------------------------------------------------------------------------------------------

def split_of(folder):
    """Without missing cells: a number is its low bound then, a category one more than the schema's list has."""
    import numpy as np
    bounds, (kinds, _) = sets.bounds_of(folder), sets.columns_of(folder)
    label, *names = kinds
    columns = [bounds[name] if kinds[name] is None else len(kinds[name]) + 1 for name in names]

    def filled(part):
        x, y, _, _ = sets.arrays(folder, part)
        for f, of in enumerate(columns):
            x[:, f] = np.clip(np.nan_to_num(x[:, f], nan=of[0]), *of) if isinstance(of, tuple) else np.nan_to_num(x[:, f], nan=of - 1)
        return x, y
    return Split(*filled('train'), *filled('test'), columns, bounds.get(label))


def numbers_of(split):
    return [f for f, of in enumerate(split.columns) if isinstance(of, tuple)]


def unit(values, low, high):
    """Bounds become 0 and 1."""
    return (values - low) / (high - low)


# ---- Methods: (split, epsilon, setting) -> probabilities of the second class, or numbers, of the test records ------------

def fit_interpret(split, epsilon, setting):
    from interpret.privacy import DPExplainableBoostingClassifier, DPExplainableBoostingRegressor
    types = ['continuous' if isinstance(of, tuple) else 'nominal' for of in split.columns]
    common = {'feature_types': types, 'epsilon': epsilon, 'delta': DELTA, 'n_jobs': 1, 'privacy_bounds': {f: split.columns[f] for f in numbers_of(split)},
              **setting['classes' if split.label is None else 'numbers']}
    x, xt = (as_frame(split, values) for values in (split.x, split.xt))
    if split.label is None:
        return DPExplainableBoostingClassifier(**common).fit(x, split.y.astype(int)).predict_proba(xt)[:, 1]
    low, high = split.label
    return DPExplainableBoostingRegressor(privacy_target_min=low, privacy_target_max=high, **common).fit(x, split.y).predict(xt)


def as_frame(split, x):
    import pandas as pd
    numbers = numbers_of(split)
    return pd.DataFrame({'f%d' % f: x[:, f] if f in numbers else x[:, f].astype(int).astype(str) for f in range(x.shape[1])})


# What every fit of S-BDT gets: its defaults, but bounds of 0 and 1 and labels that are scaled by public bounds.
SBDT = {'nb_trees': 150, 'subsampling_ratio': .1, 'learning_rate': .1, 'max_depth': 2, 'newton_boosting': False, 'balance_partition': False, 'lambda_reg_mode': 1,
        'l2_lambda': 15, 'reg_delta': 2, 'min_samples_split': 0, 'ignore_split_constraints': True, 'max_features': 0, 'max_feature_values': 0, 'criterion': 0,
        'reuse_attr': True, 'use_dp': True, 'privacy_budget_init_score_ratio': 0, 'privacy_budget_gain_ratio': 0, 'leaf_denom_noise_weight': .2, 'l2_threshold': .1,
        'hess_l2_threshold': 1, 'init_score_threshold': 0, 'numeric_feature_weight': 1, 'leaf_noise': 1, 'use_privacy_filter': False,
        'approximate_privacy_filter': False, 'pf_additional_nb_trees': 0, 'pf_l2_threshold': .1, 'pf_hess_l2_threshold': 1, 'pf_subsampling_ratio_factor': 1,
        'additional_nb_trees': 0, 'refine_splits_rounds': 0, 'num_split_candidates': 32, 'gradient_filtering': False, 'leaf_clipping': False,
        'cyclical_feature_interactions': True, 'refine_splits': False, 'random_splits_from_candidates': True, 'refine_splits_subsample': 1,
        'cut_off_leaf_denom': True, 'custom_noise_scale': -1, 'verbosity': 6, 'feature_val_border': (0, 1), 'continuous_learning': False, 'scale_y': False}


def fit_sbdt(split, epsilon, setting):
    import numpy as np
    import sbdt
    numbers = numbers_of(split)
    classes = split.label is None
    chosen = {**SBDT, **[of for least, of in setting['classes' if classes else 'numbers'] if least <= epsilon][-1]}
    model = sbdt.S_BDT(**chosen, privacy_budget=epsilon,
                       task=b'BinaryClassification' if classes else b'Regression', num_idx=numbers,
                       cat_idx=[f for f in range(len(split.columns)) if f not in numbers],
                       cat_values=[[] if f in numbers else list(range(of)) for f, of in enumerate(split.columns)])

    def scaled(x):
        return np.ascontiguousarray(np.column_stack([unit(x[:, f], *of) if isinstance(of, tuple) else x[:, f] for f, of in enumerate(split.columns)]))
    y = split.y if classes else 2 * unit(split.y, *split.label) - 1
    model.train(scaled(split.x), np.ascontiguousarray(y, float), b'')
    told = model.predict(scaled(split.xt))
    if classes:
        return 1 / (1 + np.exp(-told))
    low, high = split.label
    return low + (told + 1) / 2 * (high - low)


def boosted(split):
    """By scikit-learn's gradient boosting, without privacy."""
    import numpy as np
    numbers = numbers_of(split)
    model = measure.boosting(split.label is None, categorical_features=[f for f in range(len(split.columns)) if f not in numbers], max_iter=100)
    if split.label is not None:
        return model.fit(split.x, split.y).predict(split.xt)
    if len(np.unique(split.y)) == 1:
        return np.full(len(split.xt), split.y[0])
    return model.fit(split.x, split.y).predict_proba(split.xt)[:, 1]


def fit_boosting(split, epsilon, setting):
    return boosted(split)


def fit_constant(split, epsilon, setting):
    import numpy as np
    return np.full(len(split.yt), np.mean(split.y))


# Of S-BDT: (from which epsilon on, setting). The first is the one with which its authors' figures for adult (classes) and abalone (numbers) were best at epsilon .1,
# and at .5; in the second a tree may split by all features. DP-EBM has its default learning rate for numbers, five times that for classes. Chosen on split 8.
CLASSES = {'newton_boosting': True, 'subsampling_ratio': 1, 'max_depth': 6, 'hess_l2_threshold': .1, 'leaf_denom_noise_weight': .04, 'nb_trees': 200,
           'l2_threshold': .8, 'l2_lambda': 5}
NUMBERS = {'l2_threshold': .3, 'leaf_denom_noise_weight': .3, 'ignore_split_constraints': False}
ALL_FEATURES = {'max_depth': 6, 'subsampling_ratio': 1, 'leaf_denom_noise_weight': .04, 'ignore_split_constraints': True, 'cyclical_feature_interactions': False}
Method = collections.namedtuple('Method', 'title fit module splits setting')
METHODS = [
    Method('hedge', None, None, 8, None),
    Method('S-BDT, a tree of one feature', fit_sbdt, 'sbdt', 2,
           {'classes': [(0, {**CLASSES, 'nb_trees': 400, 'l2_threshold': .3, 'l2_lambda': 10}), (.5, CLASSES)],
            'numbers': [(0, {**NUMBERS, 'nb_trees': 50, 'ignore_split_constraints': True, 'privacy_budget_init_score_ratio': .1, 'init_score_threshold': .5}),
                        (.25, NUMBERS)]}),
    Method('S-BDT, a tree of all features', fit_sbdt, 'sbdt', 2, {'classes': [(0, {**CLASSES, **ALL_FEATURES})], 'numbers': [(0, {**NUMBERS, **ALL_FEATURES})]}),
    Method('DP-EBM', fit_interpret, 'interpret.privacy', 8, {'classes': {'learning_rate': .05}, 'numbers': {}}),
    Method('boosting without privacy', fit_boosting, 'sklearn', 8, None),
    Method('a constant', fit_constant, 'sklearn', 8, None),
]
NOT_PRIVATE = [method.title for method in METHODS[-2:]]


# ---- In the interpreter of a method --------------------------------------------------------------------------------------

def metrics_of(split, told):
    """As accuracy.hedgerow_metrics() has them."""
    import numpy as np
    from sklearn.metrics import roc_auc_score
    if split.label is None:
        return {'error': 100 * float(((told > .5) != split.yt).mean()), 'auc': float(roc_auc_score(split.yt, told))}
    return {'rmse': float(np.sqrt(((told - split.yt) ** 2).mean()))}


def measure_folder(folder, wanted):
    """wanted: [title, epsilon]"""
    split = split_of(folder)
    for title, epsilon in wanted:
        method = next(of for of in METHODS if of.title == title)
        print(json.dumps([title, epsilon, metrics_of(split, method.fit(split, epsilon, method.setting))]), flush=True)


# ---- Tables --------------------------------------------------------------------------------------------------------------

class Rivals:
    def __init__(self, args):
        self.args, self.results = args, measure.Results(args.results)
        wanted = [method for method in METHODS if not args.methods or name_of(method) in args.methods]
        there = {module: self.started('-c', 'import ' + module, stderr=subprocess.DEVNULL).wait() == 0 for module in {m.module for m in wanted if m.module}}
        self.methods = [method for method in wanted if there.get(method.module, True)]
        self.lacking = sorted({name_of(method) for method in wanted} - {name_of(method) for method in self.methods})

    def started(self, *words, **more):
        return subprocess.Popen([self.args.python, *words], stdout=subprocess.PIPE, text=True, env={**os.environ, 'PYTHONPATH': self.args.sbdt}, **more)

    def seeds(self, method):
        return range(min(method.splits, self.args.seeds or method.splits))

    def key(self, title, name, seed, epsilon):
        return (title, name, seed, 0 if title in NOT_PRIVATE else epsilon)

    def measure(self, name, seed):
        """What is not known of one split."""
        folder = sets.prepared(self.args.data, self.args.cache, name, seed, self.args.rows)
        keys = [self.key(method.title, name, seed, e) for method in self.methods if seed in self.seeds(method) for e in self.args.epsilons]
        left = [(title, epsilon) for title, _, _, epsilon in dict.fromkeys(keys) if (title, name, seed, epsilon) not in self.results.known]
        for title, epsilon, metrics in itertools.chain(self.of_hedge(folder, left), self.of_rivals(folder, left)):
            self.results.note((title, name, seed, epsilon), metrics)

    def of_hedge(self, folder, left):
        from accuracy import hedgerow_metrics
        for title, epsilon in left:
            if title == 'hedge':
                yield title, epsilon, hedgerow_metrics(self.args.hedgerow, folder, ['hedge', '--epsilon', str(epsilon), '--delta', str(DELTA)])

    def of_rivals(self, folder, left):
        left = [of for of in left if of[0] != 'hedge']
        if not left:
            return
        with self.started(os.path.abspath(__file__), '--one', json.dumps(left), folder) as process:
            yield from map(json.loads, process.stdout)
        if process.returncode:
            sys.exit('rivals.py: the other methods failed on %s' % folder)

    def rows(self, name):
        """Of the splits that are known at every epsilon."""
        from accuracy import METRICS
        for method in self.methods:
            of_splits = [[self.results.known.get(self.key(method.title, name, seed, e)) for e in self.args.epsilons] for seed in self.seeds(method)]
            of_splits = [found for found in of_splits if all(found)]
            for metric in of_splits[0][0] if of_splits else []:
                scale = RADIX.get(name, 1) if metric == 'rmse' else 1
                cells = [shown([scale * one[metric] for one in of], METRICS[metric].digits) for of in zip(*of_splits)]
                yield [method.title, METRICS[metric].title, '%d' % len(of_splits), *cells]

    def lines(self, args, pool):
        yield ('Mean ± standard error over the splits; at most %s records of a set, of which 80 %% are trained on; delta %g. RMSE of kc_house in thousand dollars.' %
               ('{:,}'.format(args.rows), DELTA))
        if self.lacking:
            yield from ['', 'Left out, as the interpreter cannot import them: %s.' % ', '.join(self.lacking)]
        names = args.sets or SETS
        if not args.known:
            for seed, name in itertools.product(range(max(len(self.seeds(method)) for method in self.methods)), names):
                self.measure(name, seed)
        for name in names:
            yield from ['', '### %s' % name]
            yield from pages.header(['method', 'measure', 'splits'] + ['eps %g' % e for e in args.epsilons])
            yield from map(pages.line, self.rows(name))


def shown(values, digits):
    """One split has no standard error."""
    if len(values) == 1:
        return '%.*f' % (digits, values[0])
    return pages.shown(statistics.mean(values), pages.deviation(values) / math.sqrt(len(values)), digits)


def name_of(method):
    return method.title.split(',')[0]


def numbers(text):
    return [float(word) for word in text.split(',')]


def arguments_of():
    parser = measure.parser(__doc__)
    parser.add_argument('--python', default='build/peers/bin/python', help='the interpreter of the other methods (build/peers/bin/python)')
    parser.add_argument('--sbdt', metavar='FOLDER', default='', help="where S-BDT's Python module is")
    parser.add_argument('--methods', type=lambda names: names.split(','), help='names, with commas: %s (all)' % ','.join(dict.fromkeys(map(name_of, METHODS))))
    parser.add_argument('--epsilons', type=numbers, default=EPSILONS, help='with commas (%s)' % ','.join('%g' % e for e in EPSILONS))
    parser.add_argument('--seeds', type=int, help='number of splits at most (%s)' % ', '.join('%s: %d' % (m.title, m.splits) for m in METHODS if m.fit))
    parser.add_argument('--rows', type=int, default=ROWS, help='of a set at most (%d)' % ROWS)
    parser.add_argument('--results', default='build/accuracy/rivals.jsonl', help='the file of results (build/accuracy/rivals.jsonl)')
    parser.add_argument('--known', action='store_true', help='measure nothing: tables of what the file of results has')
    parser.add_argument('--one', help=argparse.SUPPRESS)
    parser.add_argument('folder', nargs='?', help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    args = arguments_of()
    if args.one:
        measure_folder(args.folder, json.loads(args.one))
        return
    measure.check(args, ['rivals'])
    measure.run(args, {'rivals': Rivals(args).lines})


if __name__ == '__main__':
    main()
