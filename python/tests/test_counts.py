"""Labels that are counts."""
import pickle
import re

import numpy as np
import pandas
import pytest

import hedgerow
from hedgerow import Column, HedgerowRegressor, Schema


def counts():
    dice = np.random.default_rng(1)
    x = dice.random((4000, 2))
    return x, np.minimum(dice.poisson(np.exp(3 * x[:, 0])), 60).astype(float)


def test_regressor__learns_means_of_counts():
    x, y = counts()
    model = HedgerowRegressor(epsilon=8, bounds=(0, 1), label_bounds=(0, 60), counts=True).fit(x, y)
    predicted = model.predict(x)
    assert model.model_.schema.task == 'count' and model.model_.schema.label.count
    assert predicted.min() >= 0 and predicted.max() <= 60
    assert abs(np.log(predicted) - 3 * x[:, 0]).mean() < .5


def test_report__is_of_logarithms_of_means(tmp_path):
    x, y = counts()
    model = HedgerowRegressor(epsilon=8, bounds=(0, 1), label_bounds=(0, 60), counts=True).fit(x, y)
    hedgerow.report(model.model_, tmp_path / 'report.html')
    assert 'logarithm of the mean' in (tmp_path / 'report.html').read_text()


def test_regressor__wants_public_bounds_of_counts():
    x, y = counts()
    with pytest.raises(hedgerow.errors.ArgumentError, match='label_bounds'):
        HedgerowRegressor(bounds=(0, 1), counts=True).fit(x, y)
    with pytest.raises(hedgerow.errors.FormatError, match='no count'):
        HedgerowRegressor(bounds=(0, 1), label_bounds=(-1, 60), counts=True).fit(x, y)
    with pytest.raises(hedgerow.errors.ArgumentError, match='does not learn a count'):
        HedgerowRegressor('dpboost', bounds=(0, 1), label_bounds=(0, 60), counts=True).fit(x, y)


@pytest.mark.parametrize('by_schema', [False, True])
def test_regressor__refuses_fractions(by_schema):
    x, y = counts()
    y[[7, 9]] = .25
    schema = Schema.build(Column('y', 0, 60, count=True), [Column('x0', 0, 1), Column('x1', 0, 1)]) if by_schema else None
    how = {'schema': schema} if by_schema else {'bounds': (0, 1), 'label_bounds': (0, 60), 'counts': True}
    with pytest.raises(hedgerow.errors.ArgumentError, match='2 of the labels are no whole numbers, such as 0.25'):
        HedgerowRegressor(**how).fit(x, y)
    model = HedgerowRegressor(epsilon=4, bounds=(0, 1), label_bounds=(0, 60)).fit(x, y)
    assert model.model_.schema.task == 'regression'


def test_explanations__add_up_to_the_logarithm():
    x, y = counts()
    model = HedgerowRegressor(epsilon=8, bounds=(0, 1), label_bounds=(0, 60), counts=True).fit(x, y)
    shares = model.model_.shap(x[:200])
    scores = shares.values.sum(axis=2)[:, 0] + shares.expected[0]
    np.testing.assert_allclose(np.minimum(scores, 0), np.log(model.predict(x[:200]) / 60), atol=1e-9)
    assert scores.max() > np.log(.1) > np.log(.02) > scores.min()


def exposed_counts():
    x, _ = counts()
    dice = np.random.default_rng(2)
    days = dice.integers(30, 366, len(x)).astype(float)
    y = np.minimum(dice.poisson(4 * np.exp(2 * x[:, 0]) * days / 365), 60).astype(float)
    schema = Schema.build(Column('y', 0, 60, count=True), [Column('x0', 0, 1), Column('x1', 0, 1)], exposure=('days', 365))
    return x, days, y, schema


def test_regressor__learns_rates_by_exposure():
    x, days, y, schema = exposed_counts()
    assert schema.exposure == ('days', 365) and Schema.parse(schema.to_yaml()).exposure == ('days', 365)
    model = HedgerowRegressor(epsilon=8, schema=schema).fit(x, y, exposure=days)
    rates, predicted = model.predict(x, rate=True), model.predict(x, exposure=days)
    np.testing.assert_allclose(predicted, rates * days, rtol=1e-9)
    assert abs(np.log(365 * rates / (4 * np.exp(2 * x[:, 0]))).mean()) < .2
    for wrong, text in (({}, 'names an exposure'), ({'exposure': days[1:]}, 'one number for each'), ({'exposure': 0 * days}, 'not above 0'),
                        ({'exposure': 2 * days}, 'at most 365'), ({'exposure': ['a'] * len(days)}, 'a number above 0')):
        with pytest.raises(hedgerow.errors.ArgumentError, match=text):
            model.predict(x, **wrong)
        with pytest.raises(hedgerow.errors.ArgumentError, match=text):
            HedgerowRegressor(schema=schema).fit(x, y, **wrong)
    with pytest.raises(hedgerow.errors.ArgumentError, match='exposure is for counts'):
        HedgerowRegressor(bounds=(0, 1), label_bounds=(0, 60), counts=True).fit(x, y, exposure=days)


def test_exposures__may_be_a_column():
    x, days, y, schema = exposed_counts()
    frame = pandas.DataFrame({'x0': x[:, 0], 'days': days, 'x1': x[:, 1]})
    fitted = HedgerowRegressor(epsilon=8, schema=schema).fit(frame, y)
    model = fitted.model_
    predicted = fitted.predict(frame)
    np.testing.assert_array_equal(predicted, model.predict(x, exposure=days)[:, 0])
    np.testing.assert_allclose(fitted.predict(frame, rate=True) * days, predicted, rtol=1e-9)
    assert fitted.score(frame, y) > .3
    figures = hedgerow.evaluate(model, frame, y, epsilon=8, unit='record')
    other = hedgerow.evaluate(model, x, y, epsilon=8, unit='record', exposure=days)
    assert abs(figures['rmse'].value - other['rmse'].value) < 1
    for wrong in ({}, {'exposure': days * 2}):
        with pytest.raises(hedgerow.errors.ArgumentError, match='exposure'):
            hedgerow.evaluate(model, x, y, epsilon=8, unit='record', **wrong)
    frame.loc[3, 'days'] = np.nan
    with pytest.raises(hedgerow.errors.ArgumentError, match='not above 0'):
        model.predict(frame)


def test_exposures__are_no_feature_of_a_frame():
    polars, pyarrow = pytest.importorskip('polars'), pytest.importorskip('pyarrow')
    x, days, y, schema = exposed_counts()
    frame = pandas.DataFrame({'x0': x[:, 0], 'days': days, 'x1': x[:, 1]})
    features = frame[['x0', 'x1']]
    for fitted in (HedgerowRegressor(epsilon=8, schema=schema).fit(frame, y), HedgerowRegressor(epsilon=8, schema=schema).fit(features, y, exposure=days)):
        assert fitted.n_features_in_ == 2 and list(fitted.feature_names_in_) == ['x0', 'x1'] and len(fitted.feature_importances_) == 2
        predicted = fitted.predict(frame)
        np.testing.assert_array_equal(fitted.predict(features, exposure=days), predicted)
        np.testing.assert_array_equal(fitted.predict(frame, exposure=days), predicted)
        np.testing.assert_array_equal(fitted.predict(features, rate=True), fitted.predict(frame, rate=True))
        for table in (pyarrow.table(frame), polars.from_pandas(frame)):
            np.testing.assert_array_equal(fitted.predict(table), predicted)
    for call in (fitted.predict, lambda X, exposure: fitted.fit(X, y, exposure=exposure)):
        with pytest.raises(hedgerow.errors.ArgumentError, match='X has a column days of other numbers than exposure'):
            call(frame, exposure=days / 2)
    table = polars.from_pandas(frame)
    assert list(HedgerowRegressor(epsilon=8, schema=schema).fit(table, y).feature_names_in_) == ['x0', 'x1']


def test_exposures__are_in_no_explanation(tmp_path):
    x, days, y, schema = exposed_counts()
    model = HedgerowRegressor(epsilon=8, schema=schema).fit(x, y, exposure=days).model_
    shares = model.shap(x[:200])
    scores = shares.values.sum(axis=2)[:, 0] + shares.expected[0]
    np.testing.assert_allclose(np.minimum(scores, 0), np.log(365 / 60 * model.predict(x[:200], rate=True)[:, 0]), atol=1e-9)
    hedgerow.report(model, tmp_path / 'report.html')
    page = (tmp_path / 'report.html').read_text()
    assert 'in proportion to days (up to 365)' in page and 'at an exposure of 365 days' in page
    total = int(re.search(r'Trained on about ([0-9\u202f]+) days in all', page).group(1).replace('\u202f', ''))
    assert abs(total / days.sum() - 1) < .05
    with pytest.raises(hedgerow.errors.ArgumentError, match='an exposure .days., which records by themselves'):
        model.predictor()
    with pytest.raises(hedgerow.errors.ArgumentError, match='other programs know no exposures'):
        model.export(tmp_path / 'model.onnx')
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(x, exposure=days), model.predict(x, exposure=days))


def test_schema__has_a_count():
    schema = Schema.build(Column('y', 0, 60, count=True), [Column('x', 0, 1)])
    assert schema.task == 'count' and 'kind: count' in schema.to_yaml()
    assert Schema.parse(schema.to_yaml()).label == schema.label


def test_rows__have_no_probabilities_of_classes():
    x, y = counts()
    predictor = HedgerowRegressor(epsilon=8, bounds=(0, 1), label_bounds=(0, 60), counts=True).fit(x, y).model_.predictor()
    with pytest.raises(hedgerow.errors.ArgumentError, match='predicts a count: there are no probabilities'):
        predictor.predict_proba_row(x[0])
