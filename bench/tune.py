#!/usr/bin/env python3
"""What choosing among settings within one budget brings (docs/explanation/tuning.md): the default with the whole budget; the best setting with the
whole budget, found in hindsight on the test records, which no budget allows; PrivateSearchCV; and what Liu and Talwar's selection would have, a
geometric number of runs of random settings, each with the epsilon that makes the whole cost the budget (Papernot and Steinke 2022, Theorem 2).
Its runs are drawn a thousand times from the models of all settings at that epsilon, trained on three quarters of the records and scored on the rest.
Runs in an environment that has the package (tools/python.sh), pandas and scipy. HEDGEROW_DATA names the folder of sets (see sets.py).
usage: tune.py [SEEDS]"""
import itertools
import math
import os
import statistics
import sys
import tempfile

os.environ.setdefault('OMP_NUM_THREADS', '1')

import numpy as np  # noqa: E402  (after the number of threads is set)
import pandas as pd  # noqa: E402
import sets  # noqa: E402
from hedgerow import HedgerowClassifier, HedgerowRegressor, PrivateSearchCV, Schema  # noqa: E402
from scipy.optimize import brentq  # noqa: E402
from scipy.stats import norm  # noqa: E402

SETS, EPSILONS, DELTA, ROWS = ['adult', 'credit', 'abalone', 'kc_house'], [1, 4], 1e-6, 12500  # rows: of which a fifth is the test
GRIDS = {'hedge': {'bins': [8, 32], 'edges': ['private', 'public'], 'loss': ['square', 'logistic']},
         'dpboost': {'trees': [5, 20, 50], 'depth': [2, 4], 'learning_rate': [.2, .5]}}


def epsilon_of(mu):
    """Of mu-GDP at DELTA."""
    return brentq(lambda e: norm.cdf(mu / 2 - e / mu) - math.exp(e) * norm.cdf(-mu / 2 - e / mu) - DELTA, 1e-9, 200)


def epsilon_of_a_run(epsilon, runs):
    """Such that a geometric number of runs, `runs` on average, costs epsilon in all."""
    orders = np.exp(np.linspace(math.log(1.01), math.log(300), 400))

    def whole(mu):
        middle = (2 * (orders - 1) * mu * mu / 2 + 2 * math.log(runs) / orders).min()
        renyi = orders * mu * mu / 2 + middle + math.log(runs) / (orders - 1)
        return (renyi + np.log1p(-1 / orders) - np.log(DELTA * orders) / (orders - 1)).min()

    return epsilon_of(brentq(lambda mu: whole(mu) - epsilon, 1e-2, 5))


def read(folder, part, schema):
    """(features, labels)"""
    table = pd.read_csv(os.path.join(folder, part + '.csv'), dtype=str, keep_default_na=False)
    for column in schema.features:
        cells = table[column.name]
        table[column.name] = cells.where(cells.isin(column.values), None) if column.is_category else pd.to_numeric(cells, errors='coerce')
    label = table.pop(schema.label.name)
    return table, label.to_numpy() if schema.label.is_category else label.to_numpy(dtype=float)


def error(model, X, y):
    """Errors in %, or the root of the mean square of misses in % of the labels' deviation."""
    predicted = model.predict(X)
    return 100 * float(np.mean(predicted != y) if y.dtype == object else np.sqrt(np.mean((predicted - y) ** 2)) / y.std())


def rows_of(method, name, seed, epsilon, cache):
    """(default, all settings, search, selection), each an error."""
    folder = sets.prepared(os.environ['HEDGEROW_DATA'], cache, name, seed, ROWS)
    schema = Schema.read(os.path.join(folder, 'schema.yaml'))
    (X, y), test = read(folder, 'train', schema), read(folder, 'test', schema)
    grid = {key: values for key, values in GRIDS[method].items() if key != 'loss' or schema.label.is_category}
    settings = [dict(zip(grid, values)) for values in itertools.product(*grid.values())]

    def made(setting, budget, part=slice(None)):
        kind = HedgerowClassifier if schema.label.is_category else HedgerowRegressor
        return kind(method, epsilon=budget, delta=DELTA, schema=schema, options=setting).fit(X.iloc[part], y[part])

    search = PrivateSearchCV(made({}, epsilon), grid, epsilon=epsilon, delta=DELTA).fit(X, y)
    rng = np.random.default_rng(seed)
    order, runs, small = rng.permutation(len(y)), 2 * len(settings), epsilon_of_a_run(epsilon, 2 * len(settings))
    tries = [made(setting, small, order[len(y) // 4:]) for setting in settings]
    scores = np.array([error(model, X.iloc[order[:len(y) // 4]], y[order[:len(y) // 4]]) for model in tries])
    errors = np.array([error(model, *test) for model in tries])
    drawn = [rng.integers(0, len(settings), rng.geometric(1 / runs)) for _ in range(1000)]
    selection = float(np.mean([errors[d[scores[d].argmin()]] for d in drawn]))
    return error(made({}, epsilon), *test), [error(made(setting, epsilon), *test) for setting in settings], error(search, *test), selection


def main():
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    print('| method, set | epsilon | default | best in hindsight | search | Liu and Talwar |\n|---|---|---|---|---|---|')
    with tempfile.TemporaryDirectory() as cache:
        for method, name, epsilon in itertools.product(GRIDS, SETS, EPSILONS):
            default, every, search, selection = zip(*[rows_of(method, name, seed, epsilon, cache) for seed in range(seeds)])
            best = min(statistics.mean(errors) for errors in zip(*every))
            means = [statistics.mean(default), best, statistics.mean(search), statistics.mean(selection)]
            print('| %s, %s | %g | %s |' % (method, name, epsilon, ' | '.join('%.2f' % mean for mean in means)), flush=True)


if __name__ == '__main__':
    main()
