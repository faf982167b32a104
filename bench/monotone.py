#!/usr/bin/env python3
"""Monotone features: hedge with directions in the schema beside hedge without, by records that were held out, and what they cost without privacy.

usage: monotone.py HEDGEROW OUTPUT.json [--seeds N] [--sets A,B]

Sets and directions are in SETS: of credit the probability of a default rises with each month's delay of payment and falls with the limit and what was
paid; of adult that of a high income rises with years of education, gains and hours; of kc_house the price rises with areas, bathrooms, grade, view
and condition. 'made' is drawn here: its mean has the directions. HEDGEROW_DATA names the folder of sets (see sets.py); without it, ../shared/data
beside the project. Without privacy: scikit-learn's HistGradientBoosting, with its monotonic_cst and without. Needs numpy and scikit-learn."""
import argparse
import csv
import json
import os
import re
import subprocess
import tempfile
import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import mean_squared_error, roc_auc_score
from sklearn.preprocessing import OrdinalEncoder
from pages import as_json, markdown, record
from pages import write as write_text
import sets

EPSILONS = (.25, .5, 1, 2, 4, 8)
DELTA = 1e-6
HERE = os.path.dirname(os.path.abspath(__file__))
UP, DOWN = 'increasing', 'decreasing'
SETS = {'credit': {'LIMIT_BAL': DOWN, **{'PAY_%d' % i: UP for i in (0, 2, 3, 4, 5, 6)}, **{'PAY_AMT%d' % i: DOWN for i in range(1, 7)}},
        'adult': dict.fromkeys(('education-num', 'capital-gain', 'hours-per-week'), UP),
        'kc_house': dict.fromkeys(('sqft_living', 'sqft_above', 'sqft_living15', 'bathrooms', 'grade', 'view', 'condition', 'waterfront'), UP),
        'made': {'x0': UP, 'x1': UP, 'x2': DOWN, 'x3': UP}}


def make_made(folder, seed):
    """10,000 records, eight features: steps and slopes in four of them, and noise of the label that is as large as they are."""
    dice = np.random.default_rng(seed)
    x = dice.random((10000, 8))
    y = np.clip(.6 * x[:, 0] + .5 * (x[:, 1] > .6) * x[:, 3] - .7 * x[:, 2] ** 2 + .4 * dice.standard_normal(10000), -1, 1)
    for part, rows in (('train', range(8000)), ('test', range(8000, 10000))):
        with open(os.path.join(folder, part + '.csv'), 'w', newline='', encoding='utf-8') as out:
            writer = csv.writer(out, lineterminator='\n')
            writer.writerow(['x%d' % f for f in range(8)] + ['y'])
            writer.writerows([*('%.6f' % v for v in x[i]), '%.6f' % y[i]] for i in rows)
    with open(os.path.join(folder, 'schema.yaml'), 'w', encoding='utf-8') as out:
        out.write('hedgerow-schema: 1\nlabel:\n  name: y\n  kind: number\n  low: -1\n  high: 1\nfeatures:\n')
        for f in range(8):
            out.write('  - name: "x%d"\n    kind: number\n    low: 0\n    high: 1\n' % f)


def directed(text, directions):
    """A schema with 'monotone' in the entries of these names."""
    for name, direction in directions.items():
        text, found = re.subn(r'(?m)^(  - name: "?%s"?\n    kind: number\n)' % re.escape(name), r'\1    monotone: %s\n' % direction, text)
        assert found == 1, name
    return text


def figure_of(args, folder, schema, epsilon):
    with tempfile.TemporaryDirectory() as work:
        model = os.path.join(work, 'model.json')
        subprocess.run([args.hedgerow, 'train', '--data', os.path.join(folder, 'train.csv'), '--schema', schema, '--epsilon', str(epsilon), '--delta',
                        str(DELTA), '--threads', '1', '--model', model, '--quiet'], check=True, capture_output=True)
        out = subprocess.run([args.hedgerow, 'evaluate', '--model', model, '--data', os.path.join(folder, 'test.csv'), '--json'], check=True,
                             capture_output=True, text=True).stdout
    found = json.loads(out)
    return found['auc'] if 'auc' in found else found['rmse']


def columns_of(folder, part):
    with open(os.path.join(folder, part + '.csv'), newline='', encoding='utf-8') as f:
        rows = list(csv.DictReader(f))
    return {name: [row[name] for row in rows] for name in rows[0]}


def without_privacy(folder, label, kinds, directions):
    """kinds: {feature: whether it is a number}."""
    train, test = columns_of(folder, 'train'), columns_of(folder, 'test')
    parts = []
    for name, is_number in kinds.items():
        if is_number:
            parts.append([np.array([float(v or 'nan') for v in table[name]]) for table in (train, test)])
        else:
            coder = OrdinalEncoder(handle_unknown='use_encoded_value', unknown_value=np.nan).fit(np.array(train[name]).reshape(-1, 1))
            parts.append([coder.transform(np.array(table[name]).reshape(-1, 1))[:, 0] for table in (train, test)])
    x, x_test = (np.column_stack([part[i] for part in parts]) for i in range(2))
    signs = [{UP: 1, DOWN: -1}.get(directions.get(name), 0) for name in kinds]
    categories = [i for i, is_number in enumerate(kinds.values()) if not is_number]
    options = {'monotonic_cst': signs, 'categorical_features': categories, 'random_state': 0}
    if label[1]:
        classes = [np.array(table[label[0]]) == label[1] for table in (train, test)]
        return roc_auc_score(classes[1], HistGradientBoostingClassifier(**options).fit(x, classes[0]).predict_proba(x_test)[:, 1])
    y, y_test = (np.clip(np.array(table[label[0]], dtype=float), *label[2]) for table in (train, test))
    return mean_squared_error(y_test, HistGradientBoostingRegressor(**options).fit(x, y).predict(x_test)) ** .5


def read_schema(path):
    """(name of the label, its second class or None, its bounds), {feature: whether it is a number}."""
    with open(path, encoding='utf-8') as f:
        text = f.read()
    label, features = text.split('\nfeatures:\n')
    name = re.search(r'name: "?([^"\n]*)"?', label).group(1)
    values = re.search(r'values: (\[.*\])', label)
    bounds = None if values else tuple(float(re.search(r'\n  %s: (.*)' % key, label).group(1)) for key in ('low', 'high'))
    found = re.findall(r'(?m)^  - name: "?([^"\n]*)"?\n    kind: (\w+)', features)
    return (name, json.loads(values.group(1))[1] if values else None, bounds), {feature: kind == 'number' for feature, kind in found}


def cell(values):
    return [round(float(np.mean(values)), 4), round(float(np.std(values, ddof=1)), 4)]


def difference(ones, others):
    """With the standard error."""
    d = np.array(ones) - np.array(others)
    return [round(float(d.mean()), 4), round(float(d.std(ddof=1) / len(d) ** .5), 4)]


def folders_of(args, name):
    for seed in range(args.seeds):
        if name != 'made':
            yield sets.prepared(args.data, args.cache, name, seed, None)
            continue
        folder = os.path.join(args.cache, 'made-monotone-%d' % seed)
        os.makedirs(folder, exist_ok=True)
        make_made(folder, seed)
        yield folder


def table_of(args, name):
    free, with_directions, limits = {e: [] for e in EPSILONS}, {e: [] for e in EPSILONS}, ([], [])
    for folder in folders_of(args, name):
        plain, monotone = os.path.join(folder, 'schema.yaml'), os.path.join(args.cache, name + '-monotone.yaml')
        with open(plain, encoding='utf-8') as f:
            write_text(monotone, directed(f.read(), SETS[name]))
        label, kinds = read_schema(plain)
        for epsilon in EPSILONS:
            free[epsilon].append(figure_of(args, folder, plain, epsilon))
            with_directions[epsilon].append(figure_of(args, folder, monotone, epsilon))
        limits[0].append(without_privacy(folder, label, kinds, {}))
        limits[1].append(without_privacy(folder, label, kinds, SETS[name]))
        print(name, *('%g %.4f %.4f' % (e, free[e][-1], with_directions[e][-1]) for e in EPSILONS), flush=True)
    figure = 'AUC' if label[1] else 'RMSE'
    rows = [[epsilon, cell(free[epsilon]), cell(with_directions[epsilon]), difference(with_directions[epsilon], free[epsilon])] for epsilon in EPSILONS]
    rows.append(['without privacy', cell(limits[0]), cell(limits[1]), difference(limits[1], limits[0])])
    return {'text': ['Settings: %s, %s; %d of %d features are monotone; the mean and deviation of %d splits, and the mean difference with its standard '
                     'error; delta %g.' % (name, figure, len(SETS[name]), len(kinds), args.seeds, DELTA)],
            'columns': ['epsilon', 'free', 'monotone', 'difference'], 'rows': rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('hedgerow')
    parser.add_argument('output')
    parser.add_argument('--seeds', type=int, default=10)
    parser.add_argument('--sets', default=','.join(SETS))
    parser.add_argument('--data', default=os.environ.get('HEDGEROW_DATA', os.path.join(HERE, '..', '..', 'shared', 'data')))
    parser.add_argument('--cache', default=os.path.join(HERE, '..', 'build', 'sets'))
    args = parser.parse_args()
    args.hedgerow = os.path.abspath(args.hedgerow)
    os.makedirs(args.cache, exist_ok=True)
    found = {'command': 'bench/monotone.py build/cli/hedgerow docs/reference/results/monotone.json',
             'tables': [table_of(args, name) for name in args.sets.split(',')]}
    shown = json.loads(json.dumps(found), parse_float=str, parse_int=str)
    write_text(args.output, as_json({'command': shown['command'], **record(markdown(shown))}))


if __name__ == '__main__':
    main()
