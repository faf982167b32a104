#!/usr/bin/env python3
"""Exports of every kind of model in the engines that they are for: every record reaches the same leaf of every tree, and sums are within 1e-5 of
the range of scores. tools/exports.sh runs it in an environment that has the engines.

usage: engines.py HEDGEROW [FOLDER...]      FOLDER: a prepared set, with train.csv, test.csv and schema.yaml, instead of invented ones"""
import json
import os
import subprocess
import sys
import tempfile

import models
import numpy as np
import reference

RECORDS, MOST = 400, 20000


def export(hedgerow, path, name):
    out = '%s.%s' % (path, {'xgboost': 'xgb.json', 'lightgbm': 'txt', 'onnx': 'onnx', 'onnx-float32': 'float32.onnx'}[name])
    subprocess.run([hedgerow, 'export', path, '--to', name, '--out', out], check=True)
    return out


class Case:
    """A model, records, and what it says of them: scores, and the value of each tree's leaf."""

    def __init__(self, path, rows=None):
        self.model = reference.Model(path)
        self.rows = rows or reference.records(self.model, RECORDS, path)[:MOST]
        self.table = np.array(self.rows, dtype=np.float64)
        for f, column in enumerate(self.model.columns):  # an index behind the list is a value that nobody knows
            if column['kind'] == 'category':
                self.table[::2, f] = np.nan_to_num(self.table[::2, f], nan=len(column['values']) + 2)
        self.leaves = np.array([[self.model.leaf(t, row) for t in range(len(self.model.trees))] for row in self.rows], dtype=np.float64)
        self.scores = np.array([self.model.base] * len(self.rows), dtype=np.float64)
        for t, tree in enumerate(self.model.trees):
            self.scores[:, tree['output']] += self.leaves[:, t]
        self.order = self.places()
        self.shift, self.scale = self.model.units()

    def places(self):
        """Where each tree of the model stands in an export: the base first, then rounds of one tree an output."""
        outputs, rounds, found = len(self.model.base), {}, []
        for tree in self.model.trees:
            rounds[tree['output']] = rounds.get(tree['output'], 0) + 1
            found.append(rounds[tree['output']] * outputs + tree['output'])
        return found

    def scores_of(self, found):
        """Of what XGBoost and LightGBM add up: a number in the units of its label."""
        return (found.astype(np.float64) - self.shift) / self.scale

    def check_scores(self, scores, share):
        apart = np.abs(scores.reshape(self.scores.shape) - self.scores).max() / self.model.score_range()
        assert apart <= share, 'scores are apart by %g of their range' % apart
        return apart

    def check_probabilities(self, found, apart):
        """Of a link that engines know: the logistic function of a score, or the softmax of several."""
        scores = np.concatenate([np.zeros_like(self.scores), self.scores], axis=1) if self.scores.shape[1] == 1 else self.scores
        parts = np.exp(scores - scores.max(axis=1, keepdims=True))
        right = parts / parts.sum(axis=1, keepdims=True)
        assert np.abs(found - (right[:, 1] if found.ndim == 1 else right)).max() <= apart

    def check_values(self, values, scores):
        """SHAP values of an engine: finite, and their sum is the score."""
        values = values.reshape(scores.shape + (len(self.model.columns) + 1,))
        assert np.isfinite(values).all() and np.abs(values.sum(axis=-1) - scores).max() <= 1e-4 * self.scale * self.model.score_range()

    def check_leaves(self, values):
        wrong = np.argwhere(values != (self.scale * self.leaves).astype(values.dtype))
        assert not len(wrong), 'record %d, tree %d: %r is not %r\n%r' % (
            *wrong[0], values[tuple(wrong[0])], self.leaves[tuple(wrong[0])], self.rows[wrong[0][0]])


# ---- XGBoost ----

def run_xgboost(hedgerow, path, case):
    import xgboost
    out = export(hedgerow, path, 'xgboost')
    booster = xgboost.Booster(model_file=out)
    with open(out, encoding='utf-8') as f:
        trees = json.load(f)['learner']['gradient_booster']['model']['trees']
    columns = case.model.columns
    data = xgboost.DMatrix(case.table.astype(np.float32), feature_names=[c['name'] for c in columns], enable_categorical=True,
                           feature_types=['float' if c['kind'] == 'number' else 'c' for c in columns])
    leaves = booster.predict(data, pred_leaf=True).reshape(len(case.rows), -1).astype(int)
    case.check_leaves(np.array([np.array(trees[p]['split_conditions'], dtype=np.float32)[leaves[:, p]] for p in case.order]).T)
    scores = booster.predict(data, output_margin=True)
    if case.model.is_logistic():
        case.check_probabilities(booster.predict(data), 1e-5 * case.model.score_range())
    else:
        case.check_scores(case.scores_of(booster.predict(data)), 1e-5)
    case.check_values(booster.predict(data, pred_contribs=True), scores)
    return case.check_scores(case.scores_of(scores), 1e-5)


# ---- LightGBM ----

TINY = 1e-35  # LightGBM reads numbers up to this size as 0


def leaf_values(path):
    with open(path, encoding='utf-8') as f:
        return [np.array(line.partition('=')[2].split(), dtype=np.float64) for line in f if line.startswith('leaf_value=')]


def run_lightgbm(hedgerow, path, case):
    import lightgbm
    out = export(hedgerow, path, 'lightgbm')
    booster, values = lightgbm.Booster(model_file=out), leaf_values(out)
    leaves = booster.predict(case.table, pred_leaf=True).reshape(len(case.rows), -1).astype(int)
    kept = ~((np.abs(case.table) <= TINY) & (case.table != 0)).any(axis=1)
    found = np.array([values[p][leaves[:, p]] for p in case.order]).T
    case.check_leaves(np.where(kept[:, None], found, case.scale * case.leaves))
    scores = booster.predict(case.table, raw_score=True)
    if case.model.is_logistic() and kept.all():
        case.check_probabilities(booster.predict(case.table), 1e-12)
    case.check_values(booster.predict(case.table, pred_contrib=True), scores)
    found = case.scores_of(scores).reshape(case.scores.shape)
    return case.check_scores(np.where(kept[:, None], found, case.scores), 1e-14 if case.shift == 0 else 1e-12)


# ---- treelite, which reads the files of both; of LightGBM's it takes those of one score ----

def run_treelite(hedgerow, path, case):
    import treelite
    models = [(treelite.frontend.load_xgboost_model(export(hedgerow, path, 'xgboost'), format_choice='json'), np.float32)]
    if len(case.model.base) == 1:
        models.append((treelite.frontend.load_lightgbm_model(export(hedgerow, path, 'lightgbm')), np.float64))
    return max(case.check_scores(case.scores_of(treelite.gtil.predict(model, case.table.astype(kind), pred_margin=True)), 1e-5) for model, kind in models)


# ---- ONNX ----

def run_onnx(hedgerow, path, case):
    import onnxruntime
    session = onnxruntime.InferenceSession(export(hedgerow, path, 'onnx'), providers=['CPUExecutionProvider'])
    names = [o.name for o in session.get_outputs()]
    found = dict(zip(names, session.run(None, {'features': case.table})))
    said = reference.predictions(hedgerow, path, case.model, case.rows)
    label, right = case.model.label, np.array([p for _, p in said])
    if label['kind'] == 'number':
        assert np.abs(found['prediction'] - [y for y, _ in said]).max() <= 1e-12 * (label['high'] - label['low'])
    else:
        assert np.abs(found['probabilities'] - right).max() <= 1e-12
        order = np.sort(right, axis=1)
        assert all(found['prediction'][i] == said[i][0] for i in np.flatnonzero(order[:, -1] - order[:, -2] > 1e-12))
    return case.check_scores(found['scores'], 1e-12)


def run_onnx_float32(hedgerow, path, case):
    import onnxruntime
    session = onnxruntime.InferenceSession(export(hedgerow, path, 'onnx-float32'), providers=['CPUExecutionProvider'])
    return case.check_scores(session.run(['scores'], {'features': case.table.astype(np.float32)})[0], 1e-5)


ENGINES = {'xgboost': run_xgboost, 'lightgbm': run_lightgbm, 'treelite': run_treelite, 'onnx': run_onnx, 'onnx-float32': run_onnx_float32}


def cases(hedgerow, folder, sets):
    """(name, path, records) of every model to export; None: drawn records."""
    for place in sets:
        for method in ('hedge', 'dpboost', 'gbdt'):
            path = models.train(hedgerow, place, method, '%s-%s' % (os.path.basename(place), method), into=folder)
            rows = reference.read_csv(reference.Model(path), os.path.join(place, 'test.csv'))
            yield '%s of %s' % (method, place), path, rows
            yield '%s of %s, at thresholds' % (method, place), path, None
    if not sets:
        for name, path in models.every_model(hedgerow, folder):
            yield name, path, None


def main():
    hedgerow, apart = sys.argv[1], {}
    with tempfile.TemporaryDirectory() as folder:
        for name, path, rows in cases(hedgerow, folder, sys.argv[2:]):
            case = Case(path, rows)
            for engine, run in ENGINES.items():
                try:
                    apart[engine] = max(apart.get(engine, 0), run(hedgerow, path, case))
                except AssertionError as e:
                    sys.exit('%s in %s: %s' % (name, engine, e))
            print('%-32s %6d records, %4d trees' % (name, len(case.rows), len(case.model.trees)), flush=True)
    for engine, most in apart.items():
        print('%s: scores at most %.1e of their range apart' % (engine, most))


if __name__ == '__main__':
    main()
