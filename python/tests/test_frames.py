"""Tables of other libraries: the same records make the same model, and malformed ones the errors that users of scikit-learn expect."""
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn

import hedgerow
from hedgerow import HedgerowClassifier

WARDS = ['internal', 'surgery', 'oncology']
FACTS = dict(bounds={'age': (18, 105), 'days': (0, 60), 'dose': (0, 10)}, categories={'ward': WARDS}, classes=[0, 1], random_state=1)
pytestmark = pytest.mark.filterwarnings('ignore::hedgerow.PrivacyLeakWarning')


def frame(rows=800):
    rng = np.random.default_rng(1)
    made = pd.DataFrame({
        'age': rng.integers(18, 105, rows),
        'days': rng.integers(0, 60, rows).astype('float32'),
        'dose': np.where(rng.random(rows) < .1, np.nan, rng.random(rows) * 10),
        'smoker': rng.random(rows) < .3,
        'ward': rng.choice(WARDS, rows),
    })
    return made, (made.age + 20 * made.smoker > 70).astype(int).to_numpy()


def probabilities(X, y, test, **facts):
    return HedgerowClassifier(**{**FACTS, **facts}).fit(X, y).predict_proba(test)


@pytest.mark.parametrize('convert', [
    lambda df: df.astype({'ward': pd.CategoricalDtype(WARDS)}),
    lambda df: df.astype({'ward': pd.CategoricalDtype(WARDS[::-1])}),
    lambda df: df.astype({'age': 'Int64', 'smoker': 'boolean', 'ward': 'string'}),
    lambda df: df.astype({'age': 'int8', 'days': 'float64', 'dose': 'Float64'}),
    lambda df: df.convert_dtypes(dtype_backend='pyarrow'),
    pl.from_pandas,
    lambda df: pl.from_pandas(df).with_columns(pl.col('ward').cast(pl.Enum(WARDS))),
    lambda df: pl.from_pandas(df).with_columns(pl.col('ward').cast(pl.Categorical)),
    lambda df: pl.concat([pl.from_pandas(df[:300]), pl.from_pandas(df[300:])], rechunk=False),
    lambda df: pa.Table.from_pandas(df),
    lambda df: pa.concat_tables([pa.Table.from_pandas(df[:300]), pa.Table.from_pandas(df[300:])]),
    lambda df: pa.Table.from_pandas(df.astype({'ward': 'category'})),
    lambda df: pa.Table.from_pandas(pd.concat([df[:50], df], ignore_index=True)).slice(50),
])
def test_the_same_records__make_the_same_model(convert):
    df, y = frame()
    expected = probabilities(df, y, df)
    assert np.array_equal(probabilities(convert(df), y, convert(df)), expected)


def test_arrays_of_any_stride__are_read_where_they_are():
    X = np.random.default_rng(1).normal(size=(500, 6))
    y = (X[:, 0] > 0).astype(int)
    facts = dict(bounds=(-4, 4), classes=[0, 1], random_state=1)
    expected = HedgerowClassifier(**facts).fit(X, y).predict_proba(X)
    for same in (np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2], X[::-1][::-1]):
        assert np.array_equal(HedgerowClassifier(**facts).fit(same, y).predict_proba(same), expected)


def test_missing_cells_of_arrow__are_missing():
    df, y = frame()
    table = pa.Table.from_pandas(df)
    ward = pa.array([None if i % 7 == 0 else w for i, w in enumerate(df.ward)])
    with_none = df.assign(ward=[None if i % 7 == 0 else w for i, w in enumerate(df.ward)])
    table = table.set_column(table.column_names.index('ward'), 'ward', ward)
    assert np.array_equal(probabilities(table, y, table), probabilities(with_none, y, with_none))


def test_lists_of_categorical_types__are_never_taken_for_public():
    df, y = frame()
    df = df.astype({'ward': 'category'})
    facts = {**FACTS, 'random_state': None}
    with pytest.warns(hedgerow.PrivacyLeakWarning, match='categories of ward'):
        model = HedgerowClassifier(**{**facts, 'categories': None}).fit(df, y)
    assert not model.guarantee_.is_private
    with pytest.raises(hedgerow.SchemaError, match='ward'):
        HedgerowClassifier(**{**facts, 'categories': 'declared'}).fit(df, y)


def fitted():
    df, y = frame()
    return HedgerowClassifier(**FACTS).fit(df, y), df


@pytest.mark.parametrize('spoil, error, message', [
    (lambda df: df.drop(columns='age'), ValueError, 'age'),
    (lambda df: df.rename(columns={'age': 'Age'}), ValueError, 'Age'),
    (lambda df: df[df.columns[::-1]], ValueError, 'same order'),
    (lambda df: df.assign(more=1), ValueError, 'more'),
    (lambda df: df.assign(ward='radiology'), ValueError, 'radiology'),
    (lambda df: df.assign(age=np.inf), ValueError, 'infinity'),
    (lambda df: df.assign(age='old'), ValueError, 'age'),
    (lambda df: pd.concat([df, df[['age']]], axis=1), ValueError, 'age'),
    (lambda df: df.assign(age=pd.Timestamp('2020-01-01')), ValueError, 'dates'),
    (lambda df: df.to_numpy()[:, :3].astype(float), ValueError, '3 features'),
])
def test_other_columns_at_predict__are_refused(spoil, error, message):
    model, df = fitted()
    with pytest.raises(error, match=message):
        model.predict(spoil(df))


@pytest.mark.parametrize('spoil, message', [
    (lambda df: df.assign(name='Ada'), "categories="),
    (lambda df: df.assign(age=np.inf), 'infinity'),
    (lambda df: df.assign(ward='radiology'), 'radiology'),
    (lambda df: pd.concat([df, df[['age']]], axis=1), "'age'"),
    (lambda df: df.assign(day=pd.Timestamp('2020-01-01')), 'dates'),
    (lambda df: pa.table({'a': pa.array([[1], [2]] * 400)}), 'Arrow type'),
])
def test_malformed_tables_at_fit__are_refused_and_nothing_is_spent(spoil, message, tmp_path):
    df, y = frame()
    ledger = hedgerow.Ledger.create(tmp_path / 'ledger.db', 10)
    facts = {**FACTS, 'random_state': None, 'delta': 0}
    with pytest.raises(ValueError, match=message):
        HedgerowClassifier(ledger=ledger, **facts).fit(spoil(df), y)
    assert ledger.entries == []


def test_a_label_of_another_length_or_class__is_refused():
    df, y = frame()
    with pytest.raises(ValueError, match='inconsistent'):
        HedgerowClassifier(**FACTS).fit(df, y[:-1])
    with pytest.raises(ValueError, match='2'):
        HedgerowClassifier(**FACTS).fit(df, y + 1)


def test_an_empty_table__is_refused():
    df, y = frame()
    with pytest.raises(ValueError):
        HedgerowClassifier(**FACTS).fit(df[:0], y[:0])


UNIT = '''hedgerow-schema: 1
label: {name: y, kind: classes, values: ["0", "1"]}
features:
  - {name: age, kind: number, low: 18, high: 105}
unit: patient
'''


@pytest.mark.parametrize('convert', [lambda df: df, pl.from_pandas, lambda df: df.assign(patient=df.patient.str[1:].astype(int))])
def test_a_unit__makes_the_guarantee_one_for_persons(convert):
    df, y = frame()
    df = df.assign(patient=['P%d' % (i // 3) for i in range(len(df))])
    model = HedgerowClassifier(schema=hedgerow.Schema.parse(UNIT)).fit(convert(df), y)
    assert model.guarantee_.is_private and model.guarantee_.unit == 'one person'


@pytest.mark.parametrize('spoil, message', [
    (lambda df: df.drop(columns='patient'), "no column 'patient'"),
    (lambda df: df.assign(patient=[None] + list(df.patient[1:])), 'lacks 1 identifiers'),
    (lambda df: df.drop(columns='patient').to_numpy()[:, :1].astype(float), 'unit'),
])
def test_a_unit_without_persons__is_refused(spoil, message):
    df, y = frame()
    df = df.assign(patient=['P%d' % (i // 3) for i in range(len(df))])
    with pytest.raises(ValueError, match=message):
        HedgerowClassifier(schema=hedgerow.Schema.parse(UNIT)).fit(spoil(df), y)


def test_a_unit_in_code__is_a_record_unless_a_column_is_named(tmp_path):
    df, y = frame()
    df = df[['age']].assign(patient=['P%d' % (i // 3) for i in range(len(df))])
    facts = dict(bounds={'age': (0, 120)}, classes=sorted(set(y)))
    model = HedgerowClassifier(unit='patient', **facts).fit(df, y)
    assert model.guarantee_.is_private and model.guarantee_.unit == 'one person' and len(model.model_.schema.features) == 1
    alone = HedgerowClassifier(**facts).fit(df[['age']], y)
    assert alone.guarantee_.unit == 'one record' and 'each person has one record' in alone.guarantee_.statement
    assert alone.model_.schema.unit == 'record' and model.model_.schema.unit is None
    with pytest.raises(ValueError, match='a column of X'):
        HedgerowClassifier(unit='nobody', **facts).fit(df, y)
    with pytest.raises(ValueError, match='its own unit'):
        HedgerowClassifier(unit='patient', schema=hedgerow.Schema.parse(UNIT)).fit(df, y)


def test_a_schema_that_leaves_the_unit_open__is_no_ledgers(tmp_path):
    df, y = frame()
    path = str(tmp_path / 'l.db')
    ledger = hedgerow.Ledger.create(path, epsilon=3, delta=1e-4)
    open_schema = hedgerow.Schema.parse(UNIT.replace('unit: patient\n', ''))
    assert open_schema.unit is None
    with pytest.raises(hedgerow.PolicyError, match='unit: record'):
        HedgerowClassifier(schema=open_schema, ledger=ledger).fit(df, y)
    said = hedgerow.Schema.parse(UNIT.replace('unit: patient', 'unit: record'))
    assert HedgerowClassifier(schema=said, ledger=ledger).fit(df, y).guarantee_.is_private and said.unit == 'record' and said.unit_column is None


def test_records_per_person__protect_persons_with_any_method():
    df, y = frame()
    df = df.assign(patient=['P%d' % (i // 3) for i in range(len(df))])
    facts = dict(schema=hedgerow.Schema.parse(UNIT), method='para')
    assert HedgerowClassifier(records_per_person=2, **facts).fit(df, y).guarantee_.unit == 'one person'
    with pytest.raises(hedgerow.PolicyError, match='records-per-person'):
        HedgerowClassifier(**facts).fit(df, y)


def test_a_frame__may_be_predicted_by_a_model_of_an_array():
    X = np.random.default_rng(1).random((300, 3))
    model = HedgerowClassifier(bounds=(0, 1), classes=[0, 1]).fit(X, (X[:, 0] > .5).astype(int))
    with pytest.warns(UserWarning, match='fitted without feature names'):
        assert np.array_equal(model.predict_proba(pd.DataFrame(X, columns=list('abc'))), model.predict_proba(X))


@pytest.mark.parametrize('facts, message', [
    ({'bounds': {'agee': (18, 105)}}, "bounds names \\['agee'\\]"),
    ({'categories': {'ward': WARDS, 'wrd': WARDS}}, "categories names \\['wrd'\\]"),
])
def test_facts_about_columns_that_are_not_there__are_refused(facts, message):
    df, y = frame()
    with pytest.raises(hedgerow.ArgumentError, match=message):
        HedgerowClassifier(**{**FACTS, **facts}).fit(df, y)


def test_labels_of_another_kind__are_refused_by_name():
    df, y = frame()
    with pytest.raises(ValueError, match='missing values'):
        HedgerowClassifier(**FACTS).fit(df, np.array(['a', None] * 400, dtype=object))
    X = df[['days']]
    regressor = hedgerow.HedgerowRegressor(bounds=(0, 60), label_bounds=(0, 60)).fit(X, df.days)
    with pytest.raises(ValueError, match='HedgerowRegressor'):
        HedgerowClassifier(schema=regressor.model_.schema).fit(X, y)


def persons_in(X):
    """How many persons the engine is told of."""
    from hedgerow import _frames
    return len(np.unique(_frames.person_numbers(_frames.columns_of(X), 'patient')))


@pytest.mark.parametrize('patients, persons', [
    (pa.DictionaryArray.from_arrays(pa.array(range(100), 'int32'), pa.array(['A'] * 100)), 1),
    (pa.array(range(2 ** 60, 2 ** 60 + 100)), 100),
    (pa.array(['A', 'B'] * 50), 2),
])
def test_persons__are_the_values_not_how_they_are_stored(patients, persons):
    assert persons_in(pa.table({'patient': patients})) == persons
    if persons == 100:
        ids = np.arange(2 ** 60, 2 ** 60 + 100)
        assert persons_in(pd.DataFrame({'patient': ids})) == persons_in(pd.DataFrame({'patient': pd.array(ids, 'Int64')})) == 100


def test_a_missing_value_of_a_dictionary__is_no_person():
    patients = pa.DictionaryArray.from_arrays(pa.array([0, 1] * 50, 'int32'), pa.array(['A', None]))
    with pytest.raises(ValueError, match='lacks 50'):
        persons_in(pa.table({'patient': patients}))


def test_record_batches__keep_their_order_of_columns():
    X = np.random.default_rng(1).random((300, 2))
    batch = pa.RecordBatch.from_pydict({'a': X[:, 0], 'b': X[:, 1]})
    model = HedgerowClassifier(bounds=(0, 1), classes=[0, 1]).fit(batch, (X[:, 0] > .5).astype(int))
    with pytest.raises(ValueError, match='same order'):
        model.predict(pa.RecordBatch.from_pydict({'b': X[:, 1], 'a': X[:, 0]}))


def test_bytes_of_another_order__are_the_same_numbers():
    X = np.random.default_rng(1).random((300, 2))
    model = HedgerowClassifier(bounds=(0, 1), classes=[0, 1]).fit(X, (X[:, 0] > .5).astype(int)).model_
    assert np.array_equal(model.predict(X.astype('>f8')), model.predict(X))


def test_odd_cells__are_read_or_refused():
    df, y = frame()
    text = df.assign(ward=pd.array([pd.NA] + list(df.ward[1:]), 'string'))
    assert np.array_equal(probabilities(text, y, text), probabilities(df.assign(ward=[None] + list(df.ward[1:])), y, text))
    with pytest.raises(hedgerow.ArgumentError, match='lists nothing'):
        HedgerowClassifier(**{**FACTS, 'categories': {'ward': []}}).fit(df, y)
    with pytest.raises(ValueError, match='dates'):
        HedgerowClassifier(bounds=(0, 1), classes=[0, 1]).fit(np.full((10, 1), np.datetime64('2020-01-01')), [0, 1] * 5)
    with pytest.raises(ValueError, match='NUL'):
        HedgerowClassifier(**{**FACTS, 'categories': {'ward': [*WARDS, 'a' + chr(0)]}}).fit(df, y)


def test_integer_names__are_names():
    X = pd.DataFrame(np.random.default_rng(1).random((300, 2)))[[1, 0]]
    model = HedgerowClassifier(bounds={0: (0, 1), 1: (0, 200)}, classes=[0, 1]).fit(X, (X[0] > .5).astype(int))
    assert {c.name: c.high for c in model.model_.schema.features} == {'0': 1, '1': 200}


LAYOUTS = {
    'by rows': lambda X: X, 'by columns': np.asfortranarray, 'every second column': lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    'columns backwards': lambda X: X[:, ::-1].copy()[:, ::-1], 'rows backwards': lambda X: X[::-1].copy()[::-1], 'one row': lambda X: X[:1],
    'no row': lambda X: X[:0], 'a row for all': lambda X: np.broadcast_to(X[0], X.shape), 'a column for all': lambda X: np.broadcast_to(X[:, :1], X.shape),
    'a list': lambda X: X.tolist(), 'other bytes': lambda X: X.astype(X.dtype.newbyteorder())}


@pytest.mark.parametrize('layout', LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize('dtype', [np.float32, np.float64, np.uint16, np.int64, bool])
def test_an_array__is_predicted_as_its_columns_are(layout, dtype):
    rng = np.random.default_rng(2)
    whole = (rng.random((300, 9)) * 3).astype(np.float32)
    model = HedgerowClassifier('gbdt', bounds=(0, 2), options={'trees': 3}).fit(whole, [0, 1] * 150).model_
    X = layout(whole.astype(dtype))
    columns = pd.DataFrame({name: np.asarray(X)[:, i] for i, name in enumerate(c.name for c in model.schema.features)})
    assert np.array_equal(model.predict(X), model.predict(columns.astype(dtype)))


@pytest.mark.parametrize('order', 'CF')
@pytest.mark.parametrize('row', [0, 4095, 4096, 9999])
def test_an_infinity_in_an_array__is_refused_wherever_it_is(order, row):
    X = np.random.default_rng(1).random((10000, 3), dtype=np.float32).astype(np.float32, order=order)
    model = HedgerowClassifier('gbdt', bounds=(0, 1), options={'trees': 1}, random_state=1).fit(X[:100], [0, 1] * 50)
    X[row, 1] = -np.inf
    with pytest.raises(ValueError, match="Column 'x1' has 1 cell with infinity"):
        model.model_.predict(X)


@pytest.mark.parametrize('dtype', [np.float32, np.float64])
@pytest.mark.parametrize('assume_finite', [False, True])
def test_an_infinity_in_an_array__is_refused_by_the_estimator(dtype, assume_finite):
    """By scikit-learn, or by the package where scikit-learn is told to assume that there is none."""
    X = np.random.default_rng(1).random((100, 9)).astype(dtype)
    model = HedgerowClassifier('gbdt', bounds=(0, 1), options={'trees': 1}, random_state=1).fit(X, [0, 1] * 50)
    X[7, 1] = np.inf
    with sklearn.config_context(assume_finite=assume_finite), pytest.raises(ValueError, match='infinity'):
        model.predict(X)
    with sklearn.config_context(assume_finite=assume_finite), pytest.raises(ValueError, match='infinity'):
        model.fit(X, [0, 1] * 50)
