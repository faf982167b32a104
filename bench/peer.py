#!/usr/bin/env python3
"""Times one other library on the table that bench_train and bench_hedge read, in a process of its own, and prints one line of JSON.
usage: peer.py version LIBRARY
       peer.py train LIBRARY FILE ROWS FEATURES THREADS FEW MANY
       peer.py predict LIBRARY FILE ROWS FEATURES THREADS TREES
       peer.py rows LIBRARY FILE ROWS FEATURES TREES COUNT
       peer.py forest KIND FILE ROWS FEATURES THREADS FEW MANY DEPTH
       peer.py fit LIBRARY FILE ROWS FEATURES THREADS
       peer.py csv LIBRARY FILE THREADS
      peer.py texts LIBRARY FILE THREADS
LIBRARY: xgboost, lightgbm, lightgbm-quantised, hessboost, hedgerow, which is our package for Python; to predict also lleaves, which compiles a
model of lightgbm, and daal4py, where oneDAL predicts with a model of xgboost; to fit: sklearn, interpret; to read: pandas, polars, pyarrow, xgboost, lightgbm.
The columns of bench_texts are read as what they are: dates, categories (polars, pyarrow) and numbers.
KIND: sklearnex-rf, sklearnex-ert (scikit-learn as oneDAL accelerates it), lightgbm-rf, lightgbm-ert. The label is the last column of a CSV file."""
import importlib
import importlib.metadata
import json
import os
import resource
import sys
import time

DEPTH, BINS, LAMBDA, ETA = 6, 255, 0.1, 0.1
PREDICTIONS = 3  # of the same records, of which the fastest counts, as in bench_train
EPSILON, DELTA, LOW, HIGH = 1, 1e-6, -4, 4  # as hedge has them; the bounds of the table
MODULES = {'sklearn': 'sklearn.ensemble', 'sklearnex': 'sklearnex.ensemble', 'interpret': 'interpret.privacy'}
PACKAGES = {'sklearn': 'scikit-learn', 'sklearnex': 'scikit-learn-intelex', 'daal4py': 'scikit-learn-intelex', 'interpret': 'interpret-core'}


def load(path, rows, features):
    import numpy as np
    with open(path, 'rb') as f:
        x = np.fromfile(f, np.float32, rows * features).reshape(rows, features)
        y = np.fromfile(f, np.uint8, rows).astype(np.float32)
    return x, y


def logloss(p, y):
    import numpy as np
    p = np.clip(np.asarray(p, dtype=np.float64), 1e-15, 1 - 1e-15)
    return float(-np.mean(y * np.log(p) + (1 - y) * np.log(1 - p)))


def timed(action):
    start = time.perf_counter()
    result = action()
    return time.perf_counter() - start, result


def fastest(action):
    """Seconds of the fastest call, and what it returned."""
    runs = [timed(action) for _ in range(PREDICTIONS)]
    return min(spent for spent, _ in runs), runs[0][1]


# ---- Boosted trees ----

def xgboost_settings(threads):
    return dict(objective='binary:logistic', tree_method='hist', max_depth=DEPTH, max_bin=BINS, eta=ETA, reg_lambda=LAMBDA, nthread=threads,
                verbosity=0)


def lightgbm_settings(threads, **more):
    """min_data and min_sum_hessian as XGBoost has them; 2^DEPTH leaves, so that depth is the only limit."""
    return dict(objective='binary', max_depth=DEPTH, num_leaves=2 ** DEPTH, max_bin=BINS, learning_rate=ETA, lambda_l2=LAMBDA, min_data_in_leaf=1,
                min_sum_hessian_in_leaf=1, num_threads=threads, verbosity=-1, **more)


def hessboost_settings(threads):
    return dict(objective='binary:logistic', tree_method='hist', max_depth=DEPTH, max_bin=BINS, eta=ETA, reg_lambda=LAMBDA, nthread=threads)


def train_xgboost(x, y, threads, trees):
    import xgboost
    return xgboost.train(xgboost_settings(threads), xgboost.QuantileDMatrix(x, y, max_bin=BINS, nthread=threads), trees)


def train_lightgbm(x, y, threads, trees, **more):
    import lightgbm
    settings = lightgbm_settings(threads, **more)
    return lightgbm.train(settings, lightgbm.Dataset(x, y, params=settings), trees)


def train_quantised(*args):
    return train_lightgbm(*args, use_quantized_grad=True)


def train_hessboost(x, y, threads, trees):
    import hessboost
    return hessboost.train(hessboost_settings(threads), hessboost.DMatrix(x, label=y), trees)


def train_hedgerow(x, y, threads, trees):
    """Ours, by Python, as bench_train has it."""
    import hedgerow
    return hedgerow.HedgerowClassifier('gbdt', bounds=(LOW, HIGH), classes=[0, 1], n_jobs=threads,
                                       options={'trees': trees, 'depth': DEPTH, 'bins': BINS, 'learning_rate': ETA, 'lambda': LAMBDA,
                                                'loss': 'logistic'}).fit(x, y)


# A whole fit, from an array of rows: no library keeps anything, such as bins, from one fit to the next.
TRAIN = {'xgboost': train_xgboost, 'lightgbm': train_lightgbm, 'lightgbm-quantised': train_quantised, 'hessboost': train_hessboost,
         'hedgerow': train_hedgerow}


# ---- Predictions ----

def model_of_lleaves(x, y, threads, trees):
    """Compiled for numbers of 32 bits, as the table has them."""
    import tempfile
    import lleaves
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'model.txt')
        train_lightgbm(x, y, threads, trees).save_model(path)
        model = lleaves.Model(model_file=path)
        model.compile(use_fp64=False)
    return model


def model_of_daal4py(x, y, threads, trees):
    """oneDAL predicts with a model of XGBoost."""
    import daal4py
    daal4py.daalinit(threads)
    return daal4py.mb.convert_model(train_xgboost(x, y, threads, trees))


# library -> (its model, its predictions of a table)
PREDICT = {
    'xgboost': (train_xgboost, lambda model, x, threads: model.inplace_predict(x)),
    'lightgbm': (train_lightgbm, lambda model, x, threads: model.predict(x, num_threads=threads)),
    'lightgbm-quantised': (train_quantised, lambda model, x, threads: model.predict(x, num_threads=threads)),
    'lleaves': (model_of_lleaves, lambda model, x, threads: model.predict(x, n_jobs=threads)),
    'hessboost': (train_hessboost, lambda model, x, threads: model.predict(x)),
    'daal4py': (model_of_daal4py, lambda model, x, threads: model.predict_proba(x)[:, 1]),
    'hedgerow': (train_hedgerow, lambda model, x, threads: model.predict_proba(x)[:, 1]),
}


# ---- Forests ----

def train_sklearn_forest(kind, x, y, threads, few, many, depth):
    """scikit-learn's forests, by oneDAL, with as many candidates of a node as ours: the root of the number of features, rounded."""
    from sklearnex import ensemble
    make = {'rf': ensemble.RandomForestClassifier, 'ert': ensemble.ExtraTreesClassifier}[kind]
    settings = dict(max_depth=depth, max_features=round(x.shape[1] ** .5), min_samples_leaf=1, n_jobs=threads)
    first, _ = timed(lambda: make(few, **settings).fit(x, y))
    second, model = timed(lambda: make(many, **settings).fit(x, y))
    predicting, p = fastest(lambda: model.predict_proba(x)[:, 1])
    return first, second, predicting, p


def train_lightgbm_forest(kind, x, y, threads, few, many, depth):
    """boosting=rf, with as many candidates of a node. It draws records without replacement: as many as a bootstrap has different ones; for ert
    nearly all, as it refuses all. It has at most 2^17 leaves."""
    import lightgbm
    settings = dict(objective='binary', boosting='rf', max_depth=depth, num_leaves=2 ** min(depth, 17), max_bin=BINS, bagging_freq=1,
                    bagging_fraction=.632 if kind == 'rf' else .999999, feature_fraction_bynode=round(x.shape[1] ** .5) / x.shape[1],
                    extra_trees=kind == 'ert', min_data_in_leaf=1, min_sum_hessian_in_leaf=0, histogram_pool_size=1024, num_threads=threads, verbosity=-1)
    first, _ = timed(lambda: lightgbm.train(settings, lightgbm.Dataset(x, y), few))
    second, model = timed(lambda: lightgbm.train(settings, lightgbm.Dataset(x, y), many))
    predicting, p = fastest(lambda: model.predict(x, num_threads=threads))
    return first, second, predicting, p


FOREST = {'sklearnex': train_sklearn_forest, 'lightgbm': train_lightgbm_forest}


# ---- Whole fits ----

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


def imports(library, threads):
    """Imports the library; the memory in MB that interpreter and library take before there is any data. Some go by the environment alone."""
    os.environ.update(OMP_NUM_THREADS=str(threads), RAYON_NUM_THREADS=str(threads))
    importlib.import_module(MODULES.get(library, library.split('-')[0]))
    if library == 'hedgerow' and os.environ.get('HEDGEROW_KERNELS'):
        from hedgerow import _native
        _native.call(_native.lib.hr_use_kernels, _native.text_to(os.environ['HEDGEROW_KERNELS']))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def version_of(library):
    """Fails also if the library is there and does not work, such as lleaves with an llvmlite that is too new for it."""
    module = library.split('-')[0]
    imports(library, 1)
    if library in PREDICT:
        import numpy as np
        x = np.linspace(0, 1, 64, dtype=np.float32).reshape(64, 1)
        PREDICT[library][1](PREDICT[library][0](x, (x[:, 0] > .5).astype(np.float32), 1, 1), x, 1)
    said = None if module in PACKAGES else getattr(sys.modules[module], '__version__', None)
    return said or importlib.metadata.version(PACKAGES.get(module, module))


def train(library, path, rows, features, threads, few, many):
    start = imports(library, threads)
    x, y = load(path, rows, features)
    TRAIN[library](x[:64], y[:64], threads, 1)  # some import on their first fit
    first, _ = timed(lambda: TRAIN[library](x, y, threads, few))
    second, model = timed(lambda: TRAIN[library](x, y, threads, many))
    predicting, p = fastest(lambda: PREDICT[library][1](model, x, threads))
    tree = (second - first) / (many - few)
    return dict(tree=tree, bins=first - few * tree, predict=predicting / (rows * many), logloss=logloss(p, y), imports=start)


def predict(library, path, rows, features, threads, trees):
    start = imports(library, threads)
    x, y = load(path, rows, features)
    make, predictions = PREDICT[library]
    model = make(x, y, threads, trees)
    spent, p = fastest(lambda: predictions(model, x, threads))
    return dict(predict=spent / (rows * trees), row=spent / rows, logloss=logloss(p, y), imports=start)


def rows_alone(library, path, rows, features, trees, count):
    """Predicts `count` records, each by a call of its own; the calls themselves, which Python makes, are taken off."""
    import peer_rows
    start = imports(library, 1)
    x, y = load(path, rows, features)
    model = PREDICT[library][0](x, y, 1, trees)
    expected = PREDICT[library][1](model, x[:count], 1)
    said, spent, call = peer_rows.time_rows(library, model, x[:count])
    worst = max(abs(float(a) - float(b)) for a, b in zip(said, expected))
    if worst > 1e-5:
        sys.exit('peer.py: %s says another thing of a record alone: %g apart' % (library, worst))
    return dict(row=spent - call, call=call, imports=start)


def forest(kind, path, rows, features, threads, few, many, depth):
    library, kind = kind.split('-')
    start = imports(library, threads)
    x, y = load(path, rows, features)
    first, second, predicting, p = FOREST[library](kind, x, y, threads, few, many, depth)
    tree = (second - first) / (many - few)
    return dict(tree=tree, bins=first - tree * few, predict=predicting / (rows * many), logloss=logloss(p, y), imports=start)


def fit(library, path, rows, features, threads):
    start = imports(library, threads)
    from sklearn.metrics import roc_auc_score
    x, y = load(path, rows, features)
    spent, model = timed(lambda: FIT[library](x, y, threads))
    p = model.predict_proba(x)[:, 1]
    return dict(seconds=spent, logloss=logloss(p, y), auc=roc_auc_score(y, p), imports=start)


def read_pandas(path, threads):
    """Its default engine has one thread."""
    import pandas
    return lambda: pandas.read_csv(path)


def read_polars(path, threads):
    os.environ['POLARS_MAX_THREADS'] = str(threads)
    import polars
    return lambda: polars.read_csv(path)


def read_pyarrow(path, threads):
    import pyarrow
    from pyarrow import csv
    pyarrow.set_cpu_count(threads)
    return lambda: csv.read_csv(path, csv.ReadOptions(use_threads=threads > 1))


def read_xgboost(path, threads):
    import xgboost
    last = open(path, encoding='utf-8').readline().count(',')
    return lambda: xgboost.DMatrix('%s?format=csv&label_column=%d' % (path, last), nthread=threads)


def read_lightgbm(path, threads):
    import lightgbm
    settings = dict(header=True, label_column='name:y', num_threads=threads, verbosity=-1)
    return lambda: lightgbm.Dataset(path, params=settings).construct()


# What each library itself offers to turn a CSV file into its own table of numbers.
READ = {'pandas': read_pandas, 'polars': read_polars, 'pyarrow': read_pyarrow, 'xgboost': read_xgboost, 'lightgbm': read_lightgbm}


def columns_of(path, letters):
    """Of a table of bench_texts: those whose names begin with one of the letters."""
    with open(path, encoding='utf-8') as f:
        return [name for name in f.readline().strip().split(',') if name[0] in letters]


def texts_polars(path, threads):
    os.environ['POLARS_MAX_THREADS'] = str(threads)
    import polars
    kinds = {'d': polars.Date, 'q': polars.Categorical, 't': polars.Categorical, 'x': polars.Float64, 'y': polars.Float64}
    return lambda: polars.read_csv(path, schema_overrides={name: kinds[name[0]] for name in columns_of(path, kinds)})


def texts_pyarrow(path, threads):
    import pyarrow
    from pyarrow import csv
    pyarrow.set_cpu_count(threads)
    words = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    kinds = {'d': pyarrow.date32(), 'q': words, 't': words, 'x': pyarrow.float64(), 'y': pyarrow.float64()}
    return lambda: csv.read_csv(path, csv.ReadOptions(use_threads=threads > 1),
                                convert_options=csv.ConvertOptions(column_types={name: kinds[name[0]] for name in columns_of(path, kinds)}))


# The same of a table of dates, texts and numbers.
TEXTS = {'polars': texts_polars, 'pyarrow': texts_pyarrow}


def main():
    verb, library = sys.argv[1], sys.argv[2]
    if verb == 'version':
        print(json.dumps(version_of(library)))
    elif verb == 'train':
        print(json.dumps(train(library, sys.argv[3], *map(int, sys.argv[4:]))))
    elif verb == 'predict':
        print(json.dumps(predict(library, sys.argv[3], *map(int, sys.argv[4:]))))
    elif verb == 'rows':
        print(json.dumps(rows_alone(library, sys.argv[3], *map(int, sys.argv[4:]))))
    elif verb == 'forest':
        print(json.dumps(forest(library, sys.argv[3], *map(int, sys.argv[4:]))))
    elif verb == 'fit':
        print(json.dumps(fit(library, sys.argv[3], *map(int, sys.argv[4:]))))
    else:
        path, threads = sys.argv[3], int(sys.argv[4])
        read = {'csv': READ, 'texts': TEXTS}[verb][library](path, threads)  # sets the number of threads before the import
        start, processor = imports(library, threads), time.process_time()
        spent, _ = timed(read)
        print(json.dumps(dict(seconds=spent, processor=time.process_time() - processor, megabytes=os.path.getsize(path) / 1e6, imports=start)))


main()
