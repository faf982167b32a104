"""SHAP values beside those of the package shap, on the same trees and counts. Runs where shap is installed (pip install shap)."""
import json

import numpy as np
import pandas as pd
import pytest

from hedgerow import HedgerowClassifier, HedgerowRegressor, Model

shap = pytest.importorskip('shap')


def table(rows, seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.uniform(size=(rows, 5)), columns=list('abcde'))
    return X, X.a + X.b * X.c + .3 * (X.d > .5)


def tree_of(tree):
    """A tree of the model file as shap takes it: x <= threshold goes left, and the weight of a node is its released count."""
    nodes, counts = tree['nodes'], tree['counts']
    found = {key: [] for key in ('children_left', 'children_right', 'features', 'thresholds', 'values', 'node_sample_weight')}
    for node, count in zip(nodes, counts):
        left, feature, threshold = (node[0], node[1], float(node[2])) if len(node) > 1 else (-1, -1, 0.)
        found['children_left'].append(left)
        found['children_right'].append(left + 1 if left >= 0 else -1)
        found['features'].append(feature)
        found['thresholds'].append(threshold)
        found['values'].append([0. if left >= 0 else float(node[0])])
        found['node_sample_weight'].append(count)
    found = {key: np.array(values) for key, values in found.items()}
    found['children_default'] = found['children_right']
    return found


def with_counts(fitted, seed):
    """The same model with other counts, none of which is 0: shap divides by them. A split has the records of its children."""
    rng, file = np.random.default_rng(seed), json.loads(fitted.model_.to_json())
    for tree in file['trees']:
        counts = [float(count) for count in rng.integers(1, 1000, len(tree['nodes']))]
        for n in reversed(range(len(counts))):
            if len(tree['nodes'][n]) > 1:
                left = tree['nodes'][n][0]
                counts[n] = counts[left] + counts[left + 1]
        tree['counts'] = counts
    return file, Model.parse(json.dumps(file))


@pytest.mark.parametrize('method', ['hedge', 'dpboost', 'seq'])
@pytest.mark.parametrize('task', ['classes', 'number'])
def test_values__are_those_of_the_package(method, task):
    X, signal = table(5000, 1)
    if task == 'classes':
        fitted = HedgerowClassifier(method, epsilon=8, bounds=(0, 1), classes=[False, True]).fit(X, signal > signal.median())
    else:
        fitted = HedgerowRegressor(method, epsilon=8, bounds=(0, 1), label_bounds=(0, 3)).fit(X, signal)
    file, model = with_counts(fitted, 2)
    package = shap.TreeExplainer({'trees': [tree_of(tree) for tree in file['trees']]}, feature_perturbation='tree_path_dependent')
    ours, theirs = model.shap(X[:200]), package.shap_values(X[:200].to_numpy())
    values = ours.values[:, 0, :]
    assert ours.counted_trees == len(file['trees']) > 0
    assert np.abs(values - np.reshape(theirs, values.shape)).max() < 1e-6 * np.abs(values).max()
    assert float(np.ravel(package.expected_value)[0]) + file['base'][0] == pytest.approx(ours.expected[0], abs=1e-6)
