"""Labels that are counts."""
import numpy as np
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


def test_schema__has_a_count():
    schema = Schema.build(Column('y', 0, 60, count=True), [Column('x', 0, 1)])
    assert schema.task == 'count' and 'kind: count' in schema.to_yaml()
    assert Schema.parse(schema.to_yaml()).label == schema.label
