#!/usr/bin/env python3
"""Times one other library on the table that bench_train and bench_hedge read, in a process of its own, and prints one line of JSON.
usage: peer.py version LIBRARY
       peer.py train LIBRARY FILE ROWS FEATURES THREADS FEW MANY
       peer.py forest KIND FILE ROWS FEATURES THREADS FEW MANY DEPTH
       peer.py fit LIBRARY FILE ROWS FEATURES THREADS
       peer.py csv LIBRARY FILE THREADS
LIBRARY: xgboost, lightgbm, lightgbm-quantised, pandas; to fit: sklearn, interpret. KIND: rf, ert, of sklearn. The label is the last
column of a CSV file."""
import importlib
import json
import os
import resource
import sys
import time

DEPTH, BINS, LAMBDA, ETA = 6, 255, 0.1, 0.1
EPSILON, DELTA, LOW, HIGH = 1, 1e-6, -4, 4  # as hedge has them; the bounds of the table
MODULES = {'sklearn': 'sklearn.ensemble', 'interpret': 'interpret.privacy'}


def load(path, rows, features):
    import numpy as np
    with open(path, 'rb') as f:
        x = np.fromfile(f, np.float32, rows * features).reshape(rows, features)
        y = np.fromfile(f, np.uint8, rows).astype(np.float32)
    return x, y


def logloss(p, y):
    import numpy as np
    p = np.clip(p, 1e-15, 1 - 1e-15)
    return float(-np.mean(y * np.log(p) + (1 - y) * np.log(1 - p)))


def timed(action):
    start = time.perf_counter()
    result = action()
    return time.perf_counter() - start, result


def train_xgboost(x, y, threads, few, many):
    import xgboost
    settings = dict(objective='binary:logistic', tree_method='hist', max_depth=DEPTH, max_bin=BINS, eta=ETA,
                    reg_lambda=LAMBDA, nthread=threads, verbosity=0)
    bins, table = timed(lambda: xgboost.QuantileDMatrix(x, y, max_bin=BINS, nthread=threads))
    first, _ = timed(lambda: xgboost.train(settings, table, few))
    second, model = timed(lambda: xgboost.train(settings, table, many))
    predicting, p = timed(lambda: model.inplace_predict(x))
    return bins, first, second, predicting, p


def train_lightgbm(x, y, threads, few, many, **more):
    import lightgbm
    # min_data and min_sum_hessian as XGBoost has them; 2^DEPTH leaves, so that depth is the only limit.
    settings = dict(objective='binary', max_depth=DEPTH, num_leaves=2 ** DEPTH, max_bin=BINS, learning_rate=ETA, lambda_l2=LAMBDA,
                    min_data_in_leaf=1, min_sum_hessian_in_leaf=1, num_threads=threads, verbosity=-1, **more)
    bins, table = timed(lambda: lightgbm.Dataset(x, y, params=settings).construct())
    first, _ = timed(lambda: lightgbm.train(settings, table, few))
    second, model = timed(lambda: lightgbm.train(settings, table, many))
    predicting, p = timed(lambda: model.predict(x, num_threads=threads))
    return bins, first, second, predicting, p


def train_quantised(*args):
    return train_lightgbm(*args, use_quantized_grad=True)


TRAIN = {'xgboost': train_xgboost, 'lightgbm': train_lightgbm, 'lightgbm-quantised': train_quantised}


def train_forest(kind, x, y, threads, few, many, depth):
    """scikit-learn's forests with as many candidates of a node as ours: the root of the number of features, rounded."""
    from sklearn import ensemble
    make = {'rf': ensemble.RandomForestClassifier, 'ert': ensemble.ExtraTreesClassifier}[kind]
    settings = dict(max_depth=depth, max_features=round(x.shape[1] ** .5), min_samples_leaf=1, n_jobs=threads)
    first, _ = timed(lambda: make(few, **settings).fit(x, y))
    second, model = timed(lambda: make(many, **settings).fit(x, y))
    predicting, p = timed(lambda: model.predict_proba(x)[:, 1])
    return first, second, predicting, p


def fit_sklearn(x, y, threads):
    """Its histogram gradient boosting, without privacy; OpenMP knows the number of threads."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    return HistGradientBoostingClassifier().fit(x, y)


def fit_interpret(x, y, threads):
    """Its private additive model. Kinds and bounds of the columns are told, so that no budget goes into them."""
    import numpy as np
    from interpret.privacy import DPExplainableBoostingClassifier
    features = x.shape[1]
    return DPExplainableBoostingClassifier(epsilon=EPSILON, delta=DELTA, feature_types=['continuous'] * features, n_jobs=threads,
                                           privacy_bounds=np.tile([float(LOW), float(HIGH)], (features, 1))).fit(x, y)


FIT = {'sklearn': fit_sklearn, 'interpret': fit_interpret}


def imports(library):
    """Imports the library; the memory in MB that interpreter and library take before there is any data."""
    importlib.import_module(MODULES.get(library, library.split('-')[0]))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def train(library, path, rows, features, threads, few, many):
    start = imports(library)
    x, y = load(path, rows, features)
    bins, first, second, predicting, p = TRAIN[library](x, y, threads, few, many)
    return dict(tree=(second - first) / (many - few), bins=bins, predict=predicting / (rows * many), logloss=logloss(p, y), imports=start)


def forest(kind, path, rows, features, threads, few, many, depth):
    start = imports('sklearn')
    x, y = load(path, rows, features)
    first, second, predicting, p = train_forest(kind, x, y, threads, few, many, depth)
    tree = (second - first) / (many - few)
    return dict(tree=tree, bins=first - tree * few, predict=predicting / (rows * many), logloss=logloss(p, y), imports=start)


def fit(library, path, rows, features, threads):
    os.environ['OMP_NUM_THREADS'] = str(threads)
    start = imports(library)
    from sklearn.metrics import roc_auc_score
    x, y = load(path, rows, features)
    spent, model = timed(lambda: FIT[library](x, y, threads))
    p = model.predict_proba(x)[:, 1]
    return dict(seconds=spent, logloss=logloss(p, y), auc=roc_auc_score(y, p), imports=start)


def read_csv(library, path, threads):
    """What the library itself offers to turn a CSV file into its own table of numbers."""
    if library == 'pandas':
        import pandas
        return lambda: pandas.read_csv(path)
    if library == 'xgboost':
        import xgboost
        last = open(path, encoding='utf-8').readline().count(',')
        return lambda: xgboost.DMatrix('%s?format=csv&label_column=%d' % (path, last), nthread=threads)
    import lightgbm
    settings = dict(header=True, label_column='name:y', num_threads=threads, verbosity=-1)
    return lambda: lightgbm.Dataset(path, params=settings).construct()


def main():
    verb, library = sys.argv[1], sys.argv[2]
    if verb == 'version':
        imports(library)
        print(json.dumps(sys.modules[library.split('-')[0]].__version__))
    elif verb == 'train':
        print(json.dumps(train(library, sys.argv[3], *map(int, sys.argv[4:]))))
    elif verb == 'forest':
        print(json.dumps(forest(library, sys.argv[3], *map(int, sys.argv[4:]))))
    elif verb == 'fit':
        print(json.dumps(fit(library, sys.argv[3], *map(int, sys.argv[4:]))))
    else:
        path, threads = sys.argv[3], int(sys.argv[4])
        start = imports(library)
        spent, _ = timed(read_csv(library, path, threads))
        print(json.dumps(dict(seconds=spent, megabytes=os.path.getsize(path) / 1e6, imports=start)))


main()
