"""Features that are monotone."""
import numpy as np
import pandas
import pytest

import hedgerow
from hedgerow import Column, HedgerowClassifier, HedgerowRegressor, Schema

BOUNDS = {'dose': (0, 1), 'age': (0, 1), 'noise': (0, 1)}


def table(rows=600):
    dice = np.random.default_rng(1)
    x = pandas.DataFrame(dice.random((rows, 3)), columns=list(BOUNDS))
    return x, (x.dose - x.age + .5 * dice.standard_normal(rows)).clip(-1, 1)


def steps_of(predict, x, column):
    """How predictions change as one column rises from 0 to 1."""
    outputs = []
    for value in np.linspace(0, 1, 33):
        outputs.append(predict(x.assign(**{column: value})))
    return np.diff(np.array(outputs), axis=0)


@pytest.mark.parametrize('directions', [{'dose': 1, 'age': -1}, [1, -1, 0], np.array([1, -1, 0])])
def test_regressor__never_falls_where_it_must_not(directions):
    x, y = table()
    model = HedgerowRegressor(epsilon=1, bounds=BOUNDS, label_bounds=(-1, 1), monotonic_cst=directions).fit(x, y)
    assert steps_of(model.predict, x[:50], 'dose').min() >= 0
    assert steps_of(model.predict, x[:50], 'age').max() <= 0
    assert {column.name: column.monotone for column in model.model_.schema.features} == {'dose': 'increasing', 'age': 'decreasing', 'noise': None}


@pytest.mark.parametrize('classes', [['no', 'yes'], ['yes', 'no']])
def test_classifier__means_the_second_of_classes(classes):
    x, y = table()
    model = HedgerowClassifier(epsilon=1, bounds=BOUNDS, classes=classes, monotonic_cst={'dose': 1, 'age': -1}).fit(x, np.where(y > 0, 'yes', 'no'))
    assert list(model.classes_) == ['no', 'yes']

    def second(rows):
        return model.predict_proba(rows)[:, 1]
    assert steps_of(second, x[:50], 'dose').min() >= -1e-15
    assert steps_of(second, x[:50], 'age').max() <= 1e-15


def test_estimators__refuse_directions_of_what_has_none():
    x, y = table(100)
    fits = {'has 2 entries': [1, 0], "-1 \\(decreasing\\)": {'dose': 2}, 'does not have': {'dosis': 1}}
    for message, directions in fits.items():
        with pytest.raises(hedgerow.errors.ArgumentError, match=message):
            HedgerowRegressor(bounds=BOUNDS, label_bounds=(-1, 1), monotonic_cst=directions).fit(x, y)
    with pytest.raises(hedgerow.errors.ArgumentError, match='no number'):
        HedgerowRegressor(bounds=BOUNDS, label_bounds=(-1, 1), monotonic_cst={'ward': 1}, categories={'ward': ['a']}).fit(x.assign(ward='a'), y)
    with pytest.raises(hedgerow.errors.ArgumentError, match='dpboost does not train models that are monotone'):
        HedgerowRegressor('dpboost', bounds=BOUNDS, label_bounds=(-1, 1), monotonic_cst={'dose': 1}).fit(x, y)
    with pytest.raises(hedgerow.errors.ArgumentError, match='more than two classes'):
        HedgerowClassifier(bounds=BOUNDS, classes=[0, 1, 2], monotonic_cst={'dose': 1}).fit(x, np.arange(100) % 3)
    schema = Schema.build(Column('y', -1, 1), [Column('dose', 0, 1), Column('age', 0, 1), Column('noise', 0, 1)])
    with pytest.raises(hedgerow.errors.ArgumentError, match='beside schema'):
        HedgerowRegressor(schema=schema, monotonic_cst={'dose': 1}).fit(x, y)


def test_report__says_what_never_falls(tmp_path):
    x, y = table()
    model = HedgerowRegressor(epsilon=1, bounds=BOUNDS, label_bounds=(-1, 1), monotonic_cst={'dose': 1, 'age': -1}).fit(x, y)
    hedgerow.report(model.model_, tmp_path / 'report.html')
    text = (tmp_path / 'report.html').read_text()
    assert 'As dose rises and all else stays, the model&#39;s answer never falls' in text.replace("'", '&#39;')
    assert 'As age rises and all else stays, the model&#39;s answer never rises' in text.replace("'", '&#39;')


def test_schema__has_directions():
    schema = Schema.build(Column('y', 0, 1), [Column('x', 0, 1, monotone='decreasing'), Column('z', 0, 1)])
    assert 'monotone: decreasing' in schema.to_yaml()
    assert [column.monotone for column in Schema.parse(schema.to_yaml()).features] == ['decreasing', None]
    with pytest.raises(hedgerow.errors.ArgumentError, match="'increasing', 'decreasing' or None"):
        Schema.build(Column('y', 0, 1), [Column('x', 0, 1, monotone='up')])
