#!/usr/bin/env python3
"""Quantiles: hedge with 'quantiles: [0.1, 0.5, 0.9]' beside hedge's mean (square loss), by the pinball loss of records that were held out, by the
mean absolute error of the median, and by the part of the labels from the first to the last quantile.

usage: quantiles.py HEDGEROW OUTPUT.json [--data FOLDER] [--cache FOLDER] [--sets A,B] [--seeds N]

Sets are those of prepare.py (sets.py), at most 30,000 records of each, four fifths train; a seed draws the split. Without privacy: scikit-learn's
HistGradientBoostingRegressor(loss='quantile') for each quantile, sorted; the same with loss='squared_error'; and the quantiles of the training
records as constants. Needs numpy and scikit-learn; HEDGEROW_DATA names the folder of sets."""
import argparse
import json
import os
import re
import subprocess
import tempfile
import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
import sets
from pages import as_json, markdown, record
from pages import write as write_text

SETS = ('kc_house', 'flights', 'parkinsons', 'abalone')
QUANTILES = (.1, .5, .9)
EPSILONS = (.25, .5, 1, 2, 4, 8)
DELTA = 1e-6
ROWS = 30000


def schema_of(folder, into, quantiles):
    """The set's schema, with these quantiles of the label; () for its mean."""
    with open(os.path.join(folder, 'schema.yaml'), encoding='utf-8') as f:
        text = f.read()
    label = 'label:\n' + ('  quantiles: %s\n' % list(quantiles) if quantiles else '')
    path = os.path.join(into, 'schema.yaml')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(re.sub(r'^label:\n', label, text, count=1, flags=re.M) + 'unit: record\n')
    return path


def hedge(program, folder, epsilon, quantiles):
    """Predictions of the test records: a column a quantile, or one of the mean."""
    with tempfile.TemporaryDirectory() as work:
        def at(name):
            return os.path.join(work, name)
        subprocess.run([program, 'train', '--quiet', '--threads', '1', '--data', sets.path_of(folder, 'train'), '--schema', schema_of(folder, work, quantiles), '--epsilon',
                        str(epsilon), '--delta', str(DELTA), '--model', at('model.json')], check=True)
        subprocess.run([program, 'predict', '--model', at('model.json'), '--data', sets.path_of(folder, 'test'), '--output', at('out.csv')], check=True)
        return np.loadtxt(at('out.csv'), delimiter=',', skiprows=1, ndmin=2)


def figures(y, quantiles, median, mean):
    """In the label's units; the coverage a part. median: where no other quantile is learned beside it."""
    miss = y[:, None] - quantiles
    median, mean = np.ravel(median), np.ravel(mean)
    levels = np.array(QUANTILES)
    losses = np.maximum(levels * miss, (levels - 1) * miss).mean(axis=0)
    return [*losses, np.mean((y >= quantiles[:, 0]) & (y <= quantiles[:, -1])), np.mean(quantiles[:, -1] - quantiles[:, 0]), np.abs(miss[:, 1]).mean(),
            np.abs(y - median).mean(), np.abs(y - mean).mean()]


def without_privacy(train, test):
    x, y, categories, _ = train

    def fitted(**loss):
        return HistGradientBoostingRegressor(categorical_features=categories, random_state=0, **loss).fit(x, y).predict(test[0])
    quantiles = np.sort(np.column_stack([fitted(loss='quantile', quantile=quantile) for quantile in QUANTILES]), axis=1)
    return figures(test[1], quantiles, quantiles[:, 1], fitted(loss='squared_error'))


def cell(values):
    return float('%.4g' % np.mean(values))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('hedgerow')
    parser.add_argument('output')
    parser.add_argument('--data', default=os.environ.get('HEDGEROW_DATA', '.'))
    parser.add_argument('--cache', default=os.path.join(tempfile.gettempdir(), 'quantile-sets'))
    parser.add_argument('--sets', default=','.join(SETS))
    parser.add_argument('--seeds', type=int, default=3)
    args = parser.parse_args()
    tables = []
    for name in args.sets.split(','):
        folders = [sets.prepared(args.data, args.cache, name, seed, ROWS) for seed in range(1, args.seeds + 1)]
        parts = [[sets.arrays(folder, part) for part in ('train', 'test')] for folder in folders]

        def row(title, runs):
            made = [cell(values) for values in zip(*runs)]
            print(name, title, *('%g' % value for value in made), flush=True)
            return [title, *made]
        rows = [row(epsilon, [figures(test[1], *(hedge(args.hedgerow, folder, epsilon, learned) for learned in (QUANTILES, (.5,), ())))
                              for folder, (_, test) in zip(folders, parts)]) for epsilon in EPSILONS]
        rows += [row('without privacy', [without_privacy(train, test) for train, test in parts]),
                 row('constant', [figures(test[1], np.tile(np.quantile(train[1], QUANTILES), (len(test[1]), 1)), np.median(train[1]),
                                              train[1].mean()) for train, test in parts])]
        tables.append({'text': ['Settings: %s, %d records, four fifths train; the mean of %d splits; delta %g.' %
                                (name, sum(len(part[1]) for part in parts[0]), args.seeds, DELTA)],
                       'columns': ['epsilon', *('pinball loss of %g' % quantile for quantile in QUANTILES), 'coverage', 'width',
                                   'MAE of the median', 'MAE of the median alone', 'MAE of the mean (square loss)'],
                       'rows': rows})
    found = {'command': 'bench/quantiles.py build/cli/hedgerow docs/reference/results/quantiles.json', 'tables': tables}
    shown = json.loads(json.dumps(found), parse_float=str, parse_int=str)
    write_text(args.output, as_json({'command': shown['command'], **record(markdown(shown))}))


if __name__ == '__main__':
    main()
