"""One record at a time: the bytes that the same record has in a table, whichever way it is given, and errors that
name the field and the remedy."""
import collections
import concurrent.futures
import decimal
import fractions
import gc
import pickle
import sqlite3
import types

import numpy as np
import pandas as pd
import polars as pl
import pytest

import hedgerow
from hedgerow import Column, HedgerowClassifier, HedgerowRegressor, Schema

pytestmark = pytest.mark.filterwarnings('ignore::hedgerow.PrivacyLeakWarning')
WARDS = ['internal', 'surgery', 'oncology']
NUMBERS = {'age': (18, 105), 'days': (0, 60), 'dose': (0, 10)}
PUBLIC = dict(bounds=NUMBERS, categories={'ward': WARDS}, random_state=1)
TASKS = {
    'two classes': (HedgerowClassifier, {'classes': ['no', 'yes']}, lambda df: np.where(risk(df) > 70, 'yes', 'no')),
    'four classes': (HedgerowClassifier, {'classes': [0, 1, 2, 3]}, lambda df: np.clip(risk(df) // 30, 0, 3).astype(int)),
    'number': (HedgerowRegressor, {'label_bounds': (0, 60)}, lambda df: df.days.fillna(0).clip(0, 60)),
}
REFUSED = {('id3', 'number'), *((method, task) for method in ('survival-curve', 'statistics') for task in TASKS), *((method, 'four classes') for method in ('inprivate', 'simfl', 'tfl', 'solo'))}


def risk(df):
    return df.age.fillna(0) + 20 * df.smoker.fillna(False).astype(int)


def patients(rows=800):
    """Numbers within their bounds and beyond, in types of their own; cells of every column are missing."""
    rng = np.random.default_rng(1)
    missing = rng.random((5, rows)) < .1
    return pd.DataFrame({
        'age': np.where(missing[0], np.nan, rng.integers(0, 130, rows)),
        'days': np.where(missing[1], np.nan, rng.integers(-5, 70, rows)).astype('float32'),
        'dose': np.where(missing[2], np.nan, rng.normal(5, 5, rows)),
        'smoker': pd.array(np.where(missing[3], None, rng.random(rows) < .3), 'boolean'),
        'ward': np.where(missing[4], None, rng.choice(WARDS, rows)),
    })


def fitted(method='gbdt', task='two classes'):
    kind, facts, label = TASKS[task]
    df = patients()
    return kind(method, **PUBLIC, **facts).fit(df, label(df)), df


def records_of(df):
    return df.astype(object).where(df.notna(), None).to_dict('records')


def same_bytes(predictor, records, expected):
    return np.array([predictor.predict_proba_row(record) for record in records]).tobytes() == expected.tobytes()


def given_as(convert):
    """Changes each cell that is not missing: convert(name, cell)."""
    return lambda record: {name: None if cell is None else convert(name, cell) for name, cell in record.items()}


def missing_as(nothing):
    return lambda record: {name: nothing if cell is None else cell for name, cell in record.items()}


@pytest.mark.parametrize('method, task', [(m, t) for m in hedgerow.methods() for t in TASKS if (m, t) not in REFUSED])
def test_a_record_alone__has_the_bytes_that_it_has_in_a_table(method, task):
    model, df = fitted(method, task)
    predictor, records = model.predictor(), records_of(df)
    labels = [predictor.predict_row(record) for record in records]
    assert np.array(labels).tobytes() == model.predict(df).tobytes() and len(set(labels)) > 1
    if task != 'number':
        assert same_bytes(predictor, records, model.predict_proba(df))


def test_calibrated_probabilities__are_those_of_the_table():
    df = patients(20000)
    facts = {**PUBLIC, 'random_state': None}
    model = HedgerowClassifier('hedge', epsilon=4, classes=['no', 'yes'], **facts).fit(df, TASKS['two classes'][2](df))
    assert '"calibration"' in model.model_.to_json()
    assert same_bytes(model.predictor(), records_of(df[:2000]), model.predict_proba(df[:2000]))


def sqlite_row(record):
    base = sqlite3.connect(':memory:')
    base.row_factory = sqlite3.Row
    cells = {name: str(cell).lower() if isinstance(cell, bool) else cell for name, cell in reversed(record.items())}
    return base.execute('SELECT ' + ', '.join('? AS "%s"' % name for name in cells), list(cells.values())).fetchone()


@pytest.mark.parametrize('convert', [
    dict,
    lambda r: dict(reversed(r.items())),
    collections.OrderedDict,
    types.MappingProxyType,
    lambda r: list(r.values()),
    lambda r: tuple(r.values()),
    lambda r: collections.deque(r.values()),
    lambda r: np.array(list(r.values()), dtype=object),
    pd.Series,
    lambda r: pd.Series(r)[::-1],
    lambda r: pd.DataFrame([r]).iloc[0],
    lambda r: pl.DataFrame([r]).row(0, named=True),
    lambda r: pl.DataFrame([r]).row(0),
    sqlite_row,
    given_as(lambda name, cell: np.float32(cell) if name in ('age', 'days') else cell),
    given_as(lambda name, cell: np.bool_(cell) if name == 'smoker' else np.str_(cell) if name == 'ward' else cell),
    given_as(lambda name, cell: fractions.Fraction(cell) if name in NUMBERS else cell),
    given_as(lambda name, cell: int(cell) if name == 'age' else cell),
    *map(missing_as, (np.nan, float('nan'), np.float32('nan'), pd.NA, pd.NaT, decimal.Decimal('NaN'))),
])
def test_a_record__may_be_given_in_many_ways(convert):
    model, df = fitted()
    records = records_of(df[:100])
    assert any(None in record.values() for record in records)
    assert same_bytes(model.predictor(), map(convert, records), model.predict_proba(df[:100]))


SPELLED = Schema.build(Column('y', values=('no', 'yes')), [
    Column('x', -5, 5), Column('dose', values=('0.1', '3', '2.5')), Column('sex', values=('1', '0')), Column('smoker', boolean=True)])


def spelled_model():
    rng = np.random.default_rng(1)
    df = pd.DataFrame({'x': rng.normal(size=900).clip(-5, 5), 'dose': rng.choice(['0.1', '3', '2.5'], 900), 'sex': rng.choice(['1', '0'], 900),
                       'smoker': rng.random(900) < .5})
    y = np.where((df.dose == '0.1') ^ (df.sex == '1') ^ (df.x > 0), 'yes', 'no')
    return HedgerowClassifier('gbdt', schema=SPELLED).fit(df, y).model_


@pytest.mark.parametrize('dtype', ['float64', 'float32', '>f8'])
def test_numbers_of_an_array__are_the_categories_that_they_are_in_a_table(dtype):
    """Of 0.1, too, which float32 has other digits of."""
    model, rng = spelled_model(), np.random.default_rng(2)
    X = np.column_stack([rng.normal(size=60) * 4, rng.choice([.1, 3, 2.5, np.nan], 60), rng.choice([0, 1], 60), np.full(60, np.nan)]).astype(dtype)
    assert len(np.unique(model.predict(X)[:, 0])) > 10
    assert same_bytes(model.predictor(), X, model.predict(X))


def test_booleans_of_an_array__are_the_numbers_that_they_are_in_a_table():
    schema = Schema.build(Column('y', values=('no', 'yes')), [Column('x', 0, 1), Column('sex', values=('1', '0'))])
    X = np.random.default_rng(1).random((400, 2)) > .5
    df = pd.DataFrame({'x': X[:, 0].astype(float), 'sex': np.where(X[:, 1], '1', '0')})
    model = HedgerowClassifier('gbdt', schema=schema).fit(df, np.where(X[:, 0] ^ X[:, 1], 'yes', 'no')).model_
    assert same_bytes(model.predictor(), X, model.predict(X)) and same_bytes(model.predictor(), records_of(df), model.predict(X))


@pytest.mark.parametrize('numbers', [
    lambda X: X, np.asfortranarray, lambda X: X[::-1], lambda X: X.astype('float32'), lambda X: X.astype('float16'), lambda X: X.astype('>f8'),
    lambda X: X.astype('longdouble'), lambda X: X.astype('int64'), lambda X: X.astype('int8'), lambda X: abs(X).astype('uint16'),
    lambda X: abs(X).astype('uint64'), lambda X: X > 0,
])
def test_arrays_of_numbers__are_predicted_as_tables_of_them(numbers):
    X = np.random.default_rng(1).normal(size=(500, 6)) * 3
    model = HedgerowClassifier('gbdt', bounds=(-4, 4), classes=[0, 1]).fit(X, (X[:, 0] > 0).astype(int)).model_
    same = numbers(X)
    assert same_bytes(model.predictor(), same, model.predict(same))
    assert same_bytes(model.predictor(), map(list, same), model.predict(same))


@pytest.mark.parametrize('features', [1, 3000])
def test_a_model__may_have_one_feature_or_thousands(features):
    X = np.random.default_rng(1).random((60, features))
    model = HedgerowClassifier('rf', bounds=(0, 1), classes=[0, 1]).fit(X, (X[:, 0] > .5).astype(int)).model_
    assert same_bytes(model.predictor(), X, model.predict(X))


RECORD = {'age': 40, 'days': 3, 'dose': 2.5, 'smoker': True, 'ward': 'surgery'}


@pytest.mark.parametrize('spoil, field, message, remedy', [
    ({'ward': 'radiology'}, 'ward', "unknown category 'radiology'", 'internal, surgery, oncology'),
    ({'ward': 3}, 'ward', 'unknown category 3', 'internal, surgery, oncology'),
    ({'ward': True}, 'ward', 'unknown category True', 'internal, surgery, oncology'),
    ({'ward': ['surgery']}, 'ward', 'type list', 'give a text'),
    ({'ward': b'surgery'}, 'ward', 'type bytes', 'give a text'),
    ({'smoker': 'perhaps'}, 'smoker', "unknown category 'perhaps'", 'false, true'),
    ({'age': 'old'}, 'age', "'old' is no number", 'give an int or a float'),
    ({'age': pd.Timestamp('2020-01-01')}, 'age', 'type Timestamp', 'give an int or a float'),
    ({'age': np.datetime64('2020-01-01')}, 'age', 'type datetime64', 'give an int or a float'),
    ({'age': 1j}, 'age', 'type complex', 'give an int or a float'),
    ({'age': [40]}, 'age', 'type list', 'give an int or a float'),
    ({'age': np.array([40., 41.])}, 'age', 'type ndarray', 'give an int or a float'),
    ({'age': float('inf')}, 'age', 'infinity', 'give a finite number'),
    ({'dose': -float('inf'), 'age': None}, 'dose', 'infinity', 'give a finite number'),
    ({'dose': np.float32('inf')}, 'dose', 'infinity', 'give a finite number'),
    ({'age': 10 ** 400}, 'age', 'infinity', 'give a finite number'),
])
def test_a_cell_that_does_not_fit__is_refused_as_in_a_table(spoil, field, message, remedy):
    model, _ = fitted()
    record = {**RECORD, **spoil}
    for given in (record, list(record.values()), pd.Series(record)):
        with pytest.raises(hedgerow.SchemaError) as caught:
            model.predictor().predict_row(given)
        assert caught.value.field == field and message in caught.value.message and remedy in caught.value.remedy
        assert str(caught.value) == "field '%s': %s; %s" % (field, caught.value.message, caught.value.remedy)
    with pytest.raises((ValueError, TypeError)):
        model.model_.predict(pd.DataFrame({name: pd.Series([cell], dtype=None if np.isscalar(cell) else object) for name, cell in record.items()}))


@pytest.mark.parametrize('record, message', [
    ({name: cell for name, cell in RECORD.items() if name != 'age'}, "field 'age': the record lacks it; .*None if it is missing: age, days"),
    ({'age': 40}, "field 'days': the record lacks it, and 3 more"),
    ({**RECORD, 'agee': 40}, "field 'agee': the schema has no such feature; leave it out; there are: age"),
    ({**RECORD, 3: 40}, "field '3': the schema has no such feature"),
    (pd.Series({**RECORD, 'agee': 40}), "field 'agee'"),
    (pd.Series([40, 41, 3, 2, True, 'surgery'], index=['age', 'age', 'days', 'dose', 'smoker', 'ward']), "two columns named 'age'"),
    ([40, 3, 2.5], 'has 3 cells, but the schema has 5 features; .*: age, days, dose, smoker, ward'),
    ([*RECORD.values(), 1], 'has 6 cells'),
    ({}, 'lacks it, and 4 more'),
    ([], 'has 0 cells'),
])
def test_other_names_and_counts__are_refused_by_name(record, message):
    with pytest.raises(hedgerow.SchemaError, match=message):
        fitted()[0].predictor().predict_row(record)


@pytest.mark.parametrize('record, message', [
    ('abcde', 'not str'),
    (b'abcde', 'not bytes'),
    (set(range(5)), 'not set'),
    (None, 'not NoneType'),
    ((cell for cell in RECORD.values()), 'not generator'),
    (np.zeros((1, 5)), 'one dimension, not 2'),
    (np.float64(3), 'one dimension, not 0'),
    (pd.DataFrame([RECORD]), 'one dimension, not 2'),
    (pl.DataFrame([RECORD]), 'one dimension, not 2'),
])
def test_what_is_no_record__is_refused(record, message):
    with pytest.raises(TypeError, match=message):
        fitted()[0].predictor().predict_row(record)


def test_the_label_and_other_columns_of_the_fit__are_passed_over():
    df, (_, _, label) = patients(), TASKS['two classes']
    schema = Schema.build(Column('late', values=('no', 'yes')), [Column('age', 18, 105), Column('days', 0, 60)], unit='patient')
    table = df.assign(late=label(df), patient=np.arange(len(df)))
    model = HedgerowClassifier(schema=schema).fit(table, table.late)
    record = {'age': 40, 'days': 3}
    expected = model.predictor().predict_proba_row(record)
    for predictor in (model.predictor(), pickle.loads(pickle.dumps(model.predictor()))):
        assert np.array_equal(predictor.predict_proba_row({**record, 'late': None, 'patient': 'P1', 'ward': 'surgery'}), expected)
    assert np.array_equal(model.predictor().predict_proba_row(table.assign(age=40, days=3).iloc[0]), expected)
    assert np.array_equal(model.model_.predictor().predict_proba_row({**record, 'late': None}), expected)
    with pytest.raises(ValueError, match='ward'):
        model.model_.predictor().predict_row({**record, 'late': None, 'ward': 'surgery'})


def test_a_feature_named_as_nothing_else__is_no_column_to_pass_over():
    X = pd.DataFrame(np.random.default_rng(1).random((300, 2)))[[1, 0]]
    model = HedgerowClassifier(bounds={0: (0, 1), 1: (0, 200)}, classes=[0, 1]).fit(X, (X[0] > .5).astype(int))
    assert np.array_equal(model.predictor().predict_proba_row(X.iloc[7]), model.predict_proba(X[7:8])[0])


def test_a_predictor_of_a_file__has_the_texts_of_the_classes_and_keeps_the_model(tmp_path):
    estimator, df = fitted(task='four classes')
    estimator.model_.write(tmp_path / 'model.json')
    predictor = hedgerow.Model.read(tmp_path / 'model.json').predictor()
    gc.collect()
    record, expected = records_of(df[:1])[0], estimator.predict_proba(df[:1])
    assert same_bytes(predictor, [record], expected) and predictor.predict_row(record) == str(estimator.predict(df[:1])[0])
    assert isinstance(estimator.predictor().predict_row(record), np.integer)


def test_a_predictor_of_numbers__has_no_probabilities():
    model, df = fitted(task='number')
    predictor = model.model_.predictor()
    assert type(predictor.predict_row(records_of(df[:1])[0])) is float
    with pytest.raises(hedgerow.ArgumentError, match='predict_row'):
        predictor.predict_proba_row(records_of(df[:1])[0])


def test_probabilities__belong_to_the_caller():
    predictor = fitted()[0].predictor()
    first = predictor.predict_proba_row(RECORD)
    before = first.copy()
    second = predictor.predict_proba_row({**RECORD, 'age': 100})
    assert np.array_equal(first, before) and not np.array_equal(first, second)
    first[0] = 7
    assert np.array_equal(predictor.predict_proba_row(RECORD), before)


def test_a_record__is_not_changed():
    predictor = fitted()[0].predictor()
    record, cells = dict(RECORD), list(RECORD.values())
    predictor.predict_row(record), predictor.predict_row(cells)
    assert record == RECORD and cells == list(RECORD.values())


def test_threads_and_pickles__have_the_same_results():
    model, df = fitted()
    predictor, records, expected = model.predictor(), records_of(df), model.predict_proba(df)
    again = pickle.loads(pickle.dumps(predictor))
    assert same_bytes(again, records, expected) and again.predict_row(records[0]) == predictor.predict_row(records[0])
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(pool.map(lambda _: same_bytes(predictor, records, expected), range(8)))


def test_an_estimator_without_a_model__has_no_predictor():
    with pytest.raises(ValueError, match='not fitted'):
        HedgerowClassifier().predictor()
