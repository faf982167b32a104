#!/usr/bin/env python3
"""The same script with three libraries for Python: Hedgerow, diffprivlib's random forest and interpret's private EBM, on tables with a schema.

Each is given what is public, bounds and lists of categories, in the way that it wants it, and epsilon 1 (delta 1e-6, but diffprivlib, which is pure). Test
AUC, mean and standard error over the runs; seconds of the fit; lines of code from a data frame to probabilities, as below.
A set is a folder with train.csv, test.csv and schema.yaml, as shared data sets are prepared. Each library has an interpreter of its own, as they want
different versions of scikit-learn.
usage: python_peers.py --hedgerow PYTHON --diffprivlib PYTHON --interpret PYTHON [--runs N] SET..."""
import argparse
import ast
import inspect
import json
import os
import statistics
import subprocess
import sys
import time

LIBRARIES = ['hedgerow', 'diffprivlib', 'interpret']


def fit_hedgerow(train, label, schema, test):
    from hedgerow import HedgerowClassifier
    model = HedgerowClassifier(epsilon=1, schema=schema['path'])
    model.fit(train, train[label].astype(str))
    return model.predict_proba(test)[:, 1]


def fit_diffprivlib(train, label, schema, test):
    import pandas as pd
    from diffprivlib.models import RandomForestClassifier
    numbers = [f for f in schema['features'] if f['kind'] == 'number']
    categories = [f for f in schema['features'] if f['kind'] != 'number']

    def encoded(table):
        columns = {f['name']: table[f['name']].fillna(f['low']).clip(f['low'], f['high']) for f in numbers}
        columns.update({'%s=%s' % (f['name'], v): (table[f['name']].astype(str) == str(v)).astype(float) for f in categories for v in f['values']})
        return pd.DataFrame(columns)

    low = [f['low'] for f in numbers] + [0] * sum(len(f['values']) for f in categories)
    high = [f['high'] for f in numbers] + [1] * sum(len(f['values']) for f in categories)
    model = RandomForestClassifier(epsilon=1, bounds=(low, high), classes=schema['label']['values'])
    model.fit(encoded(train), train[label].astype(str))
    return model.predict_proba(encoded(test))[:, 1]


def fit_interpret(train, label, schema, test):
    from interpret.privacy import DPExplainableBoostingClassifier
    features = schema['features']
    types = ['continuous' if f['kind'] == 'number' else 'nominal' for f in features]
    bounds = {i: (f['low'], f['high']) for i, f in enumerate(features) if f['kind'] == 'number'}
    names = [f['name'] for f in features]
    missing = {f['name']: f['low'] if f['kind'] == 'number' else 'missing' for f in features}
    model = DPExplainableBoostingClassifier(names, types, epsilon=1, delta=1e-6, privacy_bounds=bounds, n_jobs=1)
    model.fit(train[names].fillna(missing), train[label].astype(str))
    return model.predict_proba(test[names].fillna(missing))[:, 1]


def lines_of(library):
    """Statements' lines of the function, without its head."""
    text = inspect.getsource(globals()['fit_' + library])
    inside = ast.parse(text).body[0].body
    return len([line for line in text.splitlines()[inside[0].lineno - 1:] if line.strip()])


def measure(library, folder):
    """In the interpreter that has the library: AUC and seconds."""
    import pandas as pd
    import yaml
    from sklearn.metrics import roc_auc_score
    path = os.path.join(folder, 'schema.yaml')
    with open(path, encoding='utf-8') as f:
        schema = yaml.safe_load(f)
    schema['path'] = path
    train, test = (pd.read_csv(os.path.join(folder, name), na_values='?') for name in ('train.csv', 'test.csv'))
    label = schema['label']['name']
    schema['label']['values'] = [str(value) for value in schema['label']['values']]
    began = time.perf_counter()
    scores = globals()['fit_' + library](train, label, schema, test)
    return {'auc': float(roc_auc_score(test[label].astype(str) == schema['label']['values'][1], scores)), 'seconds': time.perf_counter() - began}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for library in LIBRARIES:
        parser.add_argument('--' + library, metavar='PYTHON')
    parser.add_argument('--runs', type=int, default=5)
    parser.add_argument('--one', choices=LIBRARIES, help=argparse.SUPPRESS)
    parser.add_argument('sets', nargs='+', metavar='SET')
    args = parser.parse_args()
    if args.one:
        print(json.dumps(measure(args.one, args.sets[0])))
        return
    names = [os.path.basename(os.path.normpath(folder)) for folder in args.sets]
    print('| library | lines |' + ''.join(' %s AUC | seconds |' % name for name in names))
    print('|---' * (2 + 2 * len(names)) + '|')
    for library in LIBRARIES:
        if not getattr(args, library):
            continue
        cells = []
        for folder in args.sets:
            told = [json.loads(subprocess.run([getattr(args, library), os.path.abspath(__file__), '--one', library, folder], check=True,
                                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.splitlines()[-1]) for _ in range(args.runs)]
            auc = [t['auc'] for t in told]
            cells.append(' %.3f ± %.3f | %.1f |' % (statistics.mean(auc), statistics.stdev(auc) / len(auc) ** .5 if len(auc) > 1 else 0,
                                                    statistics.median(t['seconds'] for t in told)))
        print('| %s | %d |%s' % (library, lines_of(library), ''.join(cells)))
        sys.stdout.flush()


if __name__ == '__main__':
    main()
