#!/usr/bin/env python3
"""How the bands of the report's average effects compare with whole fits: hedge is fitted again and again on one table, and for each feature the
scatter of the effects at ten quantiles, or of all values, is set beside the deviation that each model tells by itself.
usage: effect_bands.py TRAIN.csv SCHEMA.yaml [--fits N] [--epsilon E]      (with the package hedgerow)"""
import argparse
import json

import numpy as np
import pandas as pd

from hedgerow import HedgerowClassifier, HedgerowRegressor, Schema
from hedgerow._effects import Effects


def places(column, cells, values):
    """Cells at which an effect is compared: the values of a category, or a number's quantiles."""
    if column.is_category:
        return np.arange(1, cells.count)
    return 1 + np.searchsorted(cells.edges, np.quantile(values.dropna(), np.linspace(.05, .95, 10)), side='left')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('table')
    parser.add_argument('schema')
    parser.add_argument('--fits', type=int, default=16)
    parser.add_argument('--epsilon', type=float, default=1.)
    args = parser.parse_args()
    schema = Schema.read(args.schema)
    table = pd.read_csv(args.table, na_values='?')
    estimator = HedgerowClassifier if schema.label.is_category else HedgerowRegressor
    found = {}
    for _ in range(args.fits):
        model = estimator(epsilon=args.epsilon, schema=schema).fit(table, table[schema.label.name]).model_
        effects = Effects(json.loads(model.to_json()), schema.features)
        for k, column in enumerate(schema.features):
            effect, at = effects.of(k), places(column, effects.cells[k], table[column.name])
            found.setdefault(column.name, []).append((effect.values[at], effect.deviations[at]))
    ratios = []
    for name, fits in found.items():
        scatter = np.std([values for values, _ in fits], axis=0, ddof=1)
        told = np.sqrt(np.mean([deviations ** 2 for _, deviations in fits], axis=0))
        ratios.append((scatter / told).ravel())
        print('%-20s scatter of fits %.4f, told %.4f' % (name, np.sqrt((scatter ** 2).mean()), np.sqrt((told ** 2).mean())))
    ratios = np.concatenate(ratios)
    print('scatter / told: median %.2f, nine of ten below %.2f' % tuple(np.quantile(ratios, [.5, .9])))


if __name__ == '__main__':
    main()
