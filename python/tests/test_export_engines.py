"""Exports in the engines that they are for: probabilities are the model's or are refused, SHAP values add up, and 32 bits lead to the same leaves."""
import functools
import json
import warnings

import numpy as np
import pytest

from hedgerow import HedgerowClassifier, HedgerowRegressor
from hedgerow.errors import PrivacyLeakWarning

ROWS = 3000
NAMES = ['x0', 'x1', 'x2']

# Of these the link is logistic, and no calibration was made: engines have it. Of hedge they do not.
LINKED = [('inprivate', 2), ('gbdt', 2), ('gbdt', 3)]
OTHERS = [('hedge', 2), ('hedge', 3), ('dpboost', 2), ('dp-ert', 3)]


def table(rows=ROWS):
    """Numbers of 32 bits, some of them missing."""
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(rows, 3)).astype(np.float32)
    X[rng.uniform(size=X.shape) < .05] = np.nan
    return X


@functools.cache
def model_of(method, classes):
    """classes: 0 is a number."""
    X = table()
    budget = {} if method == 'gbdt' else {'epsilon': 8, 'delta': 1e-6} if method == 'hedge' else {'epsilon': 8, 'delta': 0}
    place = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) / 2
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', PrivacyLeakWarning)
        if not classes:
            return HedgerowRegressor(method=method, bounds=(0, 1), label_bounds=(-3, 9), **budget).fit(X, 3 * place).model_
        y = np.minimum((place * classes / 1.5).astype(int), classes - 1)
        return HedgerowClassifier(method=method, bounds=(0, 1), classes=list(range(classes)), **budget).fit(X, y).model_


def booster_of(model, tmp_path, engine):
    path = tmp_path / 'model'
    path = path.with_suffix({'xgboost': '.json', 'lightgbm': '.txt'}[engine])
    model.export(path, engine)
    package = pytest.importorskip(engine)
    return package, package.Booster(model_file=str(path)), path


def wrong_by(a, b):
    return np.abs(np.asarray(a) - np.asarray(b)).max()


def both_classes(found):
    return np.stack([1 - found, found], axis=1) if found.ndim == 1 else found


@pytest.mark.parametrize('method, classes', LINKED)
def test_xgboost__gives_the_probabilities_of_the_model(tmp_path, method, classes):
    model, X = model_of(method, classes), table()
    xgboost, booster, path = booster_of(model, tmp_path, 'xgboost')
    right = model.predict(X.astype(np.float64))
    assert wrong_by(both_classes(booster.predict(xgboost.DMatrix(X, feature_names=booster.feature_names))), right) < 1e-6
    classifier = xgboost.XGBClassifier()
    classifier.load_model(path)
    found = classifier.predict_proba(X, validate_features=False)
    assert found.shape == right.shape and wrong_by(found, right) < 1e-6
    with pytest.raises(TypeError):
        xgboost.XGBRegressor().load_model(path)


@pytest.mark.parametrize('method, classes', OTHERS)
def test_xgboost__refuses_probabilities_of_other_links(tmp_path, method, classes):
    xgboost, booster, path = booster_of(model_of(method, classes), tmp_path, 'xgboost')
    with pytest.raises(TypeError, match='Expecting: classifier, got: regressor'):
        xgboost.XGBClassifier().load_model(path)
    data = xgboost.DMatrix(table(), feature_names=booster.feature_names)
    assert wrong_by(booster.predict(data), booster.predict(data, output_margin=True)) == 0


@pytest.mark.parametrize('method, classes', LINKED)
def test_lightgbm__gives_the_probabilities_of_the_model(tmp_path, method, classes):
    model, X = model_of(method, classes), table().astype(np.float64)
    _, booster, _ = booster_of(model, tmp_path, 'lightgbm')
    assert wrong_by(both_classes(booster.predict(X)), model.predict(X)) < 1e-12


@pytest.mark.parametrize('method, classes', OTHERS)
def test_lightgbm__gives_scores_of_other_links(tmp_path, method, classes):
    _, booster, _ = booster_of(model_of(method, classes), tmp_path, 'lightgbm')
    X = table().astype(np.float64)
    assert wrong_by(booster.predict(X), booster.predict(X, raw_score=True)) == 0


@pytest.mark.parametrize('method', ['hedge', 'gbdt'])
def test_numbers__are_those_of_the_model_within_its_bounds(tmp_path, method):
    model, X = model_of(method, 0), table()
    right = model.predict(X.astype(np.float64))[:, 0]
    xgboost, _, path = booster_of(model, tmp_path, 'xgboost')
    regressor = xgboost.XGBRegressor()
    regressor.load_model(path)
    assert wrong_by(np.clip(regressor.predict(X, validate_features=False), -3, 9), right) < 12e-6
    with pytest.raises(TypeError, match='Expecting: classifier, got: regressor'):
        xgboost.XGBClassifier().load_model(path)
    _, booster, _ = booster_of(model, tmp_path, 'lightgbm')
    assert wrong_by(np.clip(booster.predict(X.astype(np.float64)), -3, 9), right) < 1e-11


@pytest.mark.parametrize('method, classes', LINKED + OTHERS + [('hedge', 0), ('gbdt', 0)])
def test_shap__is_finite_and_adds_up_in_each_engine(tmp_path, method, classes):
    model, X = model_of(method, classes), table(300)
    xgboost, booster, _ = booster_of(model, tmp_path, 'xgboost')
    data = xgboost.DMatrix(X, feature_names=booster.feature_names)
    values, scores = booster.predict(data, pred_contribs=True), booster.predict(data, output_margin=True)
    assert np.isfinite(values).all() and wrong_by(values.sum(axis=-1), scores) < 1e-5 * (1 + np.abs(scores).max())
    _, booster, _ = booster_of(model, tmp_path, 'lightgbm')
    X = X.astype(np.float64)
    scores = booster.predict(X, raw_score=True)
    values = np.asarray(booster.predict(X, pred_contrib=True)).reshape(scores.shape + (len(NAMES) + 1,))
    assert np.isfinite(values).all() and wrong_by(values.sum(axis=-1), scores) < 1e-10 * (1 + np.abs(scores).max())


def test_shap__is_that_of_the_model_where_all_leaves_have_records(tmp_path):
    """The released counts are the background of both; engines have them as whole numbers. A score of 1 is 6 of the label."""
    model, X = model_of('hedge', 0), table(300)
    xgboost, booster, _ = booster_of(model, tmp_path, 'xgboost')
    values = booster.predict(xgboost.DMatrix(X, feature_names=booster.feature_names), pred_contribs=True)
    ours = model.shap(X.astype(np.float64))
    assert wrong_by(values[:, :-1] / 6, ours.values.reshape(len(X), -1)) < .02 * np.abs(ours.values).max()


def neighbours_of(thresholds):
    """The numbers of 32 bits around each."""
    near = np.asarray(thresholds, dtype=np.float64).astype(np.float32)
    return np.concatenate([np.nextafter(near, np.float32(-np.inf)), near, np.nextafter(near, np.float32(np.inf))])


def at_thresholds(model):
    """Records beside every threshold of each feature, and with missing values."""
    splits = [node for tree in json.loads(model.to_json())['trees'] for node in tree['nodes'] if len(node) == 4]
    X = [table(500)]
    for f in range(len(NAMES)):
        values = neighbours_of([float(node[2]) for node in splits if node[1] == f and abs(float(node[2])) < 1e30] or [.5])
        rows = np.resize(table(len(values)), (len(values), len(NAMES)))
        rows[:, f] = values
        X.append(rows)
    return np.concatenate(X)


@pytest.mark.parametrize('method, classes', [('gbdt', 2), ('hedge', 2), ('gbdt', 3), ('hedge', 0)])
def test_onnx_float32__reaches_the_same_leaves(tmp_path, method, classes):
    onnxruntime = pytest.importorskip('onnxruntime')
    model, found = model_of(method, classes), {}
    X = at_thresholds(model)
    for name, kind in (('onnx', np.float64), ('onnx-float32', np.float32)):
        path = tmp_path / (name + '.onnx')
        model.export(path, name)
        session = onnxruntime.InferenceSession(str(path), providers=['CPUExecutionProvider'])
        outputs = [o.name for o in session.get_outputs()]
        found[name] = dict(zip(outputs, session.run(None, {'features': X.astype(kind)})))
    right, said = found['onnx'], found['onnx-float32']
    assert said['scores'].dtype == np.float32
    assert wrong_by(said['scores'], right['scores']) < 1e-6 * (1 + np.abs(right['scores']).max())
    if classes:
        assert said['probabilities'].dtype == np.float32 and wrong_by(said['probabilities'], model.predict(X.astype(np.float64))) < 1e-6
    else:
        assert wrong_by(said['prediction'], model.predict(X.astype(np.float64))[:, 0]) < 12e-6
