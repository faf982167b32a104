"""What is read off the records takes the guarantee away or is refused; what looks so is told to the owner; and no output keeps a record."""
import gc
import math
import pickle
import struct
import types
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

import hedgerow
from hedgerow import Column, HedgerowClassifier, HedgerowRegressor, Schema, _frames, _guess
from hedgerow.model import FORMATS

WARDS = ['internal', 'surgery', 'oncology']


def patients(rows=600):
    rng = np.random.default_rng(3)
    made = pd.DataFrame({'age': rng.uniform(18, 105, rows), 'ward': rng.choice(WARDS, rows)})
    return made, np.where(made.age > 60, 'yes', 'no')


# ---- Encoders and scalers ------------------------------------------------------------------------------------------------

@pytest.mark.parametrize('made, says', [
    (lambda X: pd.get_dummies(X, columns=['ward']), 'ward_internal.*one 1 in each record'),
    (lambda X: pd.get_dummies(X, columns=['ward'], dtype=float), 'ward_internal.*one 1 in each record'),
    (lambda X: OneHotEncoder(sparse_output=False).fit_transform(X[['ward']]), 'x0, x1, x2 have one 1'),
    (lambda X: StandardScaler().fit_transform(X[['age']]), 'mean is 0 and the variance 1 in x0'),
    (lambda X: StandardScaler().fit_transform(X[['age']]).astype(np.float32), 'mean is 0 and the variance 1 in x0'),
    (lambda X: MinMaxScaler().fit_transform(np.column_stack([X.age, -X.age])), 'The least number is 0 and the largest 1 in x0, x1'),
    (lambda X: MinMaxScaler().fit_transform(np.column_stack([X.age, -X.age])).astype(np.float32), 'The least number is 0 and the largest 1 in x0, x1'),
])
def test_fitted_encoders__are_told_to_the_owner(made, says):
    X, y = patients()
    with pytest.warns(hedgerow.PrivacyLeakWarning, match=says):
        HedgerowClassifier(bounds=(-10, 200), classes=['no', 'yes']).fit(made(X), y)


def test_a_scaler_in_a_pipeline__is_told_to_the_owner():
    X, y = patients()
    with pytest.warns(hedgerow.PrivacyLeakWarning, match='fitted scaler'):
        make_pipeline(StandardScaler(), HedgerowClassifier(bounds=(-10, 10), classes=['no', 'yes'])).fit(X[['age']], y)


def test_what_the_owner_is_told__is_not_in_the_model():
    X, y = patients()
    with pytest.warns(hedgerow.PrivacyLeakWarning):
        model = HedgerowClassifier(bounds=(-10, 200), classes=['no', 'yes']).fit(pd.get_dummies(X), y)
    assert model.guarantee_.is_private and 'Read off' not in model.guarantee_.statement


def test_plain_tables__are_fitted_without_a_warning():
    X, y = patients()
    flags = X.assign(smoker=np.arange(len(X)) % 3 == 0, diabetic=np.arange(len(X)) % 2 == 0)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        HedgerowClassifier(bounds={'age': (18, 105)}, categories={'ward': WARDS}, classes=['no', 'yes']).fit(flags, y)


# ---- Facts ---------------------------------------------------------------------------------------------------------------

def schema_and_leak(X, bounds, categories):
    facts = _guess.Facts()
    made = _guess.schema_of(_frames.columns_of(X), Column('label', values=('no', 'yes')), _guess.Given(bounds, categories, 'record'), facts)
    return made.features, facts.leak


@pytest.mark.parametrize('bounds', [None, {'age': (0, 120)}, {'age': (18, 105), 'dose': (0, 10)}, 'data'])
def test_schemas_of_neighbours__are_equal_or_the_leak_is_named(bounds):
    X, _ = patients()
    X['dose'] = 1.5
    one_more = pd.concat([X, pd.DataFrame({'age': [-1234.56789], 'ward': ['oncology'], 'dose': [987.654321]})], ignore_index=True)
    (one, leak), (two, _) = (schema_and_leak(table, bounds, {'ward': WARDS}) for table in (X, one_more))
    assert one == two or leak
    assert (bounds == 'data') == (leak is not None)
    if bounds == 'data':
        assert leak == 'the bounds of age, the bounds of dose'


@pytest.mark.parametrize('table', [pd.DataFrame, pa.Table.from_pandas, pl.from_pandas])
def test_columns_without_a_cell__are_what_they_are_given_as(table):
    """A record with a cell would make them booleans, or texts."""
    X, y = patients()
    X['flag'] = np.array([None] * len(X), dtype=object)
    with pytest.raises(hedgerow.SchemaError, match="flag.*has no cell, and its type does not say"):
        HedgerowClassifier(bounds={'age': (18, 105)}, categories={'ward': WARDS}, classes=['no', 'yes']).fit(table(X), y)
    for bounds, categories in (({'flag': (0, 1)}, {}), ({}, {'flag': [False, True]})):
        schema_and_leak(table(X), {'age': (18, 105), **bounds}, {'ward': WARDS, **categories})
    X['flag'] = X.flag.astype('boolean')
    made, leak = schema_and_leak(table(X), {'age': (18, 105)}, {'ward': WARDS})
    assert made[-1].boolean and leak is None


def test_limits_of_private_bounds__are_those_of_the_grid():
    X, _ = patients()
    facts = _guess.Facts()
    column = _guess.number_column('age', X.age.to_numpy(), None, facts)
    assert (column.low, column.high) == (-2.0 ** 127, 2.0 ** 127) and facts.private == ['age'] and facts.leak is None


@pytest.mark.parametrize('facts', [{'label_bounds': 'data'}, {'label_bounds': 'data', 'bounds': 'data'}])
def test_a_label_whose_bounds_are_read__takes_the_guarantee_away(facts, tmp_path):
    X, _ = patients()
    model = HedgerowRegressor(**{'bounds': (18, 105), **facts})
    with pytest.warns(hedgerow.PrivacyLeakWarning, match='bounds of the label'):
        model.fit(X[['age']], X.age)
    assert not model.guarantee_.is_private and model.guarantee_.epsilon == math.inf
    assert 'bounds of the label' in model.guarantee_.statement
    ledger = hedgerow.Ledger.create(tmp_path / 'ledger.db', 10)
    with pytest.warns(hedgerow.PrivacyLeakWarning), pytest.raises(hedgerow.PolicyError):
        model.set_params(ledger=ledger, delta=0).fit(X[['age']], X.age)
    assert ledger.entries == []


def test_label_bounds_nobody_gave__are_those_of_the_grid():
    facts = _guess.Facts()
    column = HedgerowRegressor()._label(np.array([1.25, 3.5]), facts)
    assert (column.low, column.high) == (-2.0 ** 127, 2.0 ** 127) and facts.private == ['label'] and facts.leak is None


def scaled_labels(rows, scale, shift):
    x = np.random.default_rng(5).random((rows, 1))
    return x, shift + scale * x[:, 0]


@pytest.mark.parametrize('scale, shift', [(3e16, 1.6e18), (60, 1e6), (700, -350), (1e-9, 0)])
def test_labels_of_any_scale__are_learnt_within_private_bounds(scale, shift):
    X, y = scaled_labels(10000, scale, shift)
    assert HedgerowRegressor(epsilon=2).fit(X, y).score(X, y) > .7


def test_labels_that_noise_hides__are_refused_by_plan_and_end_the_fit():
    X, y = scaled_labels(150, 700, -350)
    model = HedgerowRegressor(epsilon=1)
    with pytest.raises(hedgerow.BudgetError, match='need about'):
        model.plan(150)
    with pytest.raises(hedgerow.BudgetError, match='counts as spent'):
        model.fit(X, y)
    assert HedgerowRegressor(epsilon=1).plan(5000)['records'] == 5000
    assert HedgerowRegressor(epsilon=1, bounds=(0, 1), label_bounds=(-350, 350)).plan(150)['records'] == 150
    HedgerowRegressor(epsilon=1, bounds=(0, 1), label_bounds=(-350, 350)).fit(X, y)


@pytest.mark.parametrize('made', [
    lambda X: X,
    lambda X: X.astype({'ward': 'string'}),
    lambda X: X.astype({'ward': 'category'}),
    lambda X: X.assign(ward=pd.Categorical(X.ward, categories=X.ward.unique(), ordered=True)),
    pl.from_pandas,
    lambda X: pl.from_pandas(X).with_columns(pl.col('ward').cast(pl.Categorical)),
    lambda X: pa.Table.from_pandas(X),
    lambda X: pa.Table.from_pandas(X.astype({'ward': 'category'})),
])
def test_declared_categories__are_never_made_of_the_records(made, tmp_path):
    X, y = patients()
    ledger = hedgerow.Ledger.create(tmp_path / 'ledger.db', 10)
    with pytest.raises(hedgerow.SchemaError, match="'ward'.*categories="):
        HedgerowClassifier(bounds=(18, 105), categories='declared', classes=['no', 'yes'], ledger=ledger, delta=0).fit(made(X), y)
    assert ledger.entries == []


def test_an_enum_of_polars__is_declared():
    X, y = patients()
    table = pl.from_pandas(X).with_columns(pl.col('ward').cast(pl.Enum([*WARDS, 'nobody'])))
    model = HedgerowClassifier(bounds=(18, 105), categories='declared', classes=['no', 'yes']).fit(table, y)
    assert model.guarantee_.is_private and model.model_.schema.features[1].values == (*WARDS, 'nobody')


# ---- Classes -------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize('listed, y, kind, expected', [
    (('0', '1'), np.array([0, 1], np.int64), 'int64', [0, 1]),
    (('0', '1'), np.array([0, 1], np.int8), 'int8', [0, 1]),
    (('0', '1'), np.array([0, 1], np.float32), 'float32', [0, 1]),
    (('false', 'true'), np.array([False, True]), 'bool', [False, True]),
    (('no', 'yes'), np.array(['no', 'yes']), '<U3', ['no', 'yes']),
    (('0', '300'), np.array([0, 0], np.int8), 'int64', [0, 300]),
    (('-1', '1'), np.array([1, 1], np.uint8), 'int64', [-1, 1]),
    (('0', '1.5'), np.array([0, 0], np.int64), 'float64', [0, 1.5]),
])
def test_classes_of_a_schema__have_the_type_of_y_where_it_has_them_all(listed, y, kind, expected):
    y = np.resize(y, 100)
    X = np.random.default_rng(1).random((100, 1))
    schema = Schema.build(Column('label', values=listed), [Column('x0', 0, 1)])
    model = HedgerowClassifier(schema=schema).fit(X, y)
    assert model.classes_.dtype == np.dtype(kind) and list(model.classes_) == expected
    assert model.predict(X).dtype == model.classes_.dtype


@pytest.mark.parametrize('occur', [['a'], ['a', 'bb'], ['a', 'bb', 'cccccccc']])
def test_classes_that_are_listed__do_not_depend_on_the_records(occur):
    X = np.random.default_rng(1).random((99, 1))
    model = HedgerowClassifier(bounds=(0, 1), classes=['a', 'bb', 'cccccccc']).fit(X, np.resize(occur, 99))
    assert model.classes_.dtype == np.dtype('<U8') and list(model.classes_) == ['a', 'bb', 'cccccccc']


# ---- Outputs -------------------------------------------------------------------------------------------------------------

PLANTED = 73.91827364512345
IDENTIFIER = 918273645546372
NAME = 'Zyxwvutsrq'
FACTS = Schema.parse('''hedgerow-schema: 1
label: {name: late, kind: classes, values: ["no", "yes"]}
features:
  - {name: age, kind: number, low: 0, high: 120}
  - {name: ward, kind: category, values: [internal, surgery, oncology]}
unit: patient
''')


def encodings():
    """The planted values as any file may have them."""
    numbers = [PLANTED, float(np.float32(PLANTED)), float(IDENTIFIER)]
    found = [repr(PLANTED).encode(), b'%.9g' % PLANTED, b'%.6f' % PLANTED, str(IDENTIFIER).encode(), NAME.encode(), NAME.encode('utf-16-le')]
    found += [struct.pack(order + form, number) for order in '<>' for form in 'df' for number in numbers]
    return found + [struct.pack(order + 'q', IDENTIFIER) for order in '<>']


def planted():
    """A table with one record that nobody else is like; the name is in a column that is no feature."""
    X, y = patients()
    X['patient'] = np.arange(len(X))
    X['name'] = 'somebody'
    X.loc[7, ['age', 'patient', 'name']] = PLANTED, IDENTIFIER, NAME
    return X.astype({'patient': 'int64'}), y


def fitted(folder):
    X, y = planted()
    ledger = hedgerow.Ledger.create(folder / 'ledger.db', 10)
    return HedgerowClassifier(schema=FACTS, epsilon=4, delta=0, ledger=ledger).fit(X, y), X, y


def exports():
    """One row for each format that the package knows."""
    return {'export ' + name: lambda model, path, name=name: model.model_.export(path, name) for name in FORMATS}


OUTPUTS = {
    'pickle of the estimator': lambda model, path: path.write_bytes(pickle.dumps(model)),
    'old pickle of the estimator': lambda model, path: path.write_bytes(pickle.dumps(model, protocol=0)),
    'pickle of the model': lambda model, path: path.write_bytes(pickle.dumps(model.model_)),
    'model': lambda model, path: model.model_.write(path),
    'summary': lambda model, path: path.write_text(model.model_.summary()),
    'trees': lambda model, path: path.write_text(''.join(model.model_.tree_text(i) for i in range(model.model_.tree_count))),
    'releases': lambda model, path: path.write_text(repr(model.releases_)),
    'guarantee': lambda model, path: path.write_text(repr(model.guarantee_)),
    'shapes': lambda model, path: path.write_text(repr(model.model_.shapes())),
    'report': lambda model, path: hedgerow.report(model, path),
    'shap of others': lambda model, path: path.write_text(repr(model.model_.shap(patients(5)[0].assign(patient=1)))),
    **exports(),
}


def holds(data):
    return [found for found in encodings() if found in data]


@pytest.mark.parametrize('name', OUTPUTS)
def test_outputs__hold_no_record(name, tmp_path):
    model, _, _ = fitted(tmp_path)
    OUTPUTS[name](model, tmp_path / 'output')
    files = [path for path in tmp_path.rglob('*') if path.is_file()]
    assert (tmp_path / 'output').stat().st_size > 0 and len(files) >= 2
    assert {path.name: holds(path.read_bytes()) for path in files} == {path.name: [] for path in files}


def test_the_scan__finds_each_encoding():
    X, _ = planted()
    row = X.iloc[7]
    for data in (pickle.dumps(X), repr(row.age).encode(), X.age.to_numpy().tobytes(), X.age.to_numpy(np.float32).tobytes(), X.patient.to_numpy().tobytes(),
                 X.to_csv().encode(), row['name'].encode()):
        assert holds(data)


# Methods and functions that write a file, or return what is written: a new one has to be put into OUTPUTS.
WRITERS = {'write', 'export', 'report', 'summary', 'tree_text', 'to_json', 'shapes', 'shap'}


def test_the_table__has_every_output():
    public = {name for kind in (hedgerow.Model, HedgerowClassifier) for name in vars(kind) if not name.startswith('_') and callable(getattr(kind, name))}
    others = {'read', 'parse', 'predict', 'predict_proba', 'predict_log_proba', 'decision_function', 'predictor', 'fit', 'set_fit_request', 'set_score_request', 'set_predict_request'}
    assert public - others <= WRITERS, 'put it into OUTPUTS: %s' % sorted(public - others - WRITERS)
    assert {name for name in OUTPUTS if name.startswith('export ')} == {'export ' + name for name in FORMATS}


def reachable(root):
    """All objects that an object keeps alive, but code and modules."""
    seen, todo = {}, [root]
    while todo:
        one = todo.pop()
        if id(one) in seen or isinstance(one, (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.CodeType)):
            continue
        seen[id(one)] = one
        todo += gc.get_referents(one)
    return list(seen.values())


def test_a_fitted_estimator__keeps_no_record_alive(tmp_path):
    model, X, y = fitted(tmp_path)
    kept = reachable(model)
    assert len(kept) > 10
    assert not [one for one in kept if isinstance(one, (pd.DataFrame, pd.Series, _frames.Columns, _frames.FrameColumn, _frames.Table))]
    arrays = [one for one in kept if isinstance(one, np.ndarray)]
    assert max((a.size for a in arrays), default=0) <= len(X.columns)
    assert not [one for one in kept if isinstance(one, (float, int, str)) and one in (PLANTED, IDENTIFIER, NAME)]


def test_a_refused_fit__tells_no_record_of_others(tmp_path):
    X, y = planted()
    with pytest.raises(hedgerow.SchemaError) as refused:
        HedgerowClassifier(schema=FACTS).fit(X.assign(ward='radiology'), y)
    assert holds(str(refused.value).encode()) == []
