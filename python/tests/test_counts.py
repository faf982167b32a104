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


def test_schema__has_a_count():
    schema = Schema.build(Column('y', 0, 60, count=True), [Column('x', 0, 1)])
    assert schema.task == 'count' and 'kind: count' in schema.to_yaml()
    assert Schema.parse(schema.to_yaml()).label == schema.label
