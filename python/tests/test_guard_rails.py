"""The guard rails of the library, through each front end of Python: the estimators, `simulate`, and the C API. tests/cli/guard_rails.test has the
commands."""
import warnings

import numpy as np
import pandas as pd
import pytest

import hedgerow
from hedgerow import Column, HedgerowClassifier, HedgerowRegressor, Schema, _frames
from hedgerow._native import call, ffi, lib, made, text_of, text_to
from hedgerow.model import Model

ROWS = 600
NUMBERS = {'weight': (0, 200), 'age': (0, 120)}


def patients(seed=1, rows=ROWS):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({'weight': rng.uniform(40, 140, rows), 'age': rng.uniform(18, 98, rows)})


def label_of(X):
    return np.where(X.age > 50, 'yes', 'no')


# ---- Tables with one trouble each: the table, the facts, what is said ----------------------------------------------------

def grams(X):
    return X.assign(weight=X.weight * 1000), [Column('weight', 0, 200), Column('age', 0, 120)]


def with_identifier(X):
    return X.assign(patient_id=100000. + np.arange(len(X)) // 2), [Column('weight', 0, 200), Column('age', 0, 120), Column('patient_id', 0, 1e9)]


def with_names(X, count=200):
    names = ['Name %d' % i for i in range(count)]
    return X.assign(surgeon=pd.Categorical.from_codes(np.arange(len(X)) % count, names))[:count], [
        Column('weight', 0, 200), Column('age', 0, 120), Column('surgeon', values=tuple(names))]


def with_many_names(X):
    return with_names(X, 300)


def joined(X):
    return pd.concat([X, X], ignore_index=True), [Column('weight', 0, 200), Column('age', 0, 120)]


def undecided(X):
    return X, None


UNDECIDED = '''hedgerow-schema: 1
label: {name: label, kind: classes, values: ["no", "yes"]}
features:
  - {name: weight, kind: number, low: 0, high: 200}
  - {name: age, kind: number, low: 0, high: 120}
'''
UNREVIEWED = UNDECIDED.replace('high: 120}', 'high: 120, review: [high]}') + 'unit: record\n'


def unreviewed(X):
    return X, UNREVIEWED


def schema_for(facts):
    if facts is None or isinstance(facts, str):
        return Schema.parse(facts or UNDECIDED)
    return Schema.build(Column('label', values=('no', 'yes')), facts)


def estimator(X, facts, strict):
    return HedgerowClassifier(schema=schema_for(facts), strict=strict).fit(X, label_of(X)).model_


def simulation(X, facts, strict):
    other = patients(2, len(X)).assign(**{name: X[name].to_numpy() for name in X.columns[2:]})
    return hedgerow.simulate([(X, label_of(X)), (other, label_of(other))], schema=schema_for(facts), strict=strict)


@ffi.callback('bool(void *, const hr_remark *)')
def keep_remark(user, remark):
    kept = ffi.from_handle(user)
    kept['found'].append((remark.kind, text_of(remark.what.message)))
    return not kept['strict']


def c_api(X, facts, strict):
    """hr_fit, with what a C program would do: warn by its own means."""
    schema, kept = schema_for(facts), {'strict': strict, 'found': []}
    options, handle, name = ffi.new('hr_fit_options *'), ffi.new_handle(kept), text_to('hedge')
    call(lib.hr_fit_options_init_sized, options, ffi.sizeof('hr_fit_options'), name, lib.HR_MODE_SOUND)
    options.remark, options.user, options.threads = keep_remark, handle, 1
    table = _frames.Table(schema, _frames.columns_of(X), (label_of(X) == 'yes').astype(float))
    model = Model(made(lib.hr_fit, 'hr_model', lib.hr_model_free, table.at, options))
    kinds = {lib.HR_REMARK_CELLS: hedgerow.MisfitWarning}
    for kind, text in kept['found']:
        warnings.warn(kinds.get(kind, hedgerow.ReviewWarning)(text))
    return model


@pytest.mark.parametrize('front', [estimator, simulation, c_api])
@pytest.mark.parametrize('trouble, category, says', [
    (grams, hedgerow.MisfitWarning, '100.0 % of the cells are outside the bounds'),
    (with_identifier, hedgerow.ReviewWarning, 'identifies persons'),
    (with_names, hedgerow.ReviewWarning, '200 values for 200 records, and 200 occur'),
    (undecided, hedgerow.ReviewWarning, 'does not say whether a person has one record or several'),
])
def test_remarks__are_warnings_and_with_strict_errors(front, trouble, category, says):
    X, facts = trouble(patients())
    with pytest.warns(category, match=says):
        assert front(X, facts, False).guarantee.is_private
    with warnings.catch_warnings(), pytest.raises((hedgerow.SchemaError, hedgerow.PolicyError), match=says):
        warnings.simplefilter('ignore')
        front(X, facts, True)


@pytest.mark.parametrize('front', [estimator, simulation, c_api])
@pytest.mark.parametrize('trouble, error, says', [
    (unreviewed, hedgerow.PolicyError, 'not reviewed yet'),
    (with_many_names, hedgerow.PolicyError, 'a list of 300 values, which the model would publish'),
    (joined, hedgerow.ArgumentError, 'holds all of its records 2 times'),
])
def test_what_would_break_the_guarantee__is_refused(front, trouble, error, says):
    X, facts = trouble(patients())
    with pytest.raises(error, match=says):
        front(X, facts, False)


@pytest.mark.parametrize('front', [estimator, simulation, c_api])
def test_tables_that_fit__are_fitted_without_a_word(front):
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        front(patients(), [Column('weight', 0, 200), Column('age', 0, 120)], True)


# ---- What is special to Python -------------------------------------------------------------------------------------------

def test_grams_under_bounds_of_kilograms__cost_nothing_with_strict(tmp_path):
    """The same by a filter of warnings: each comes before anything is spent."""
    X = grams(patients())[0]
    ledger = hedgerow.Ledger.create(tmp_path / 'ledger.db', epsilon=3, delta=1e-5)
    model = HedgerowRegressor(bounds=NUMBERS, label_bounds=(0, 120), ledger=ledger, strict=True)
    with pytest.raises(hedgerow.SchemaError, match="'weight': 100.0 %") as caught:
        model.fit(X, X.age)
    assert caught.value.field == 'weight' and 'unit' in caught.value.remedy
    with warnings.catch_warnings(), pytest.raises(hedgerow.MisfitWarning) as warned:
        warnings.simplefilter('error', hedgerow.MisfitWarning)
        model.set_params(strict=False).fit(X, X.age)
    assert warned.value.column == 'weight' and warned.value.message.startswith('100.0 %') and warned.value.remedy
    assert not list(ledger.entries)


def test_a_warning__stands_at_the_line_of_the_caller():
    X = grams(patients())[0]
    with pytest.warns(hedgerow.MisfitWarning) as found:
        HedgerowRegressor(bounds=NUMBERS, label_bounds=(0, 120)).fit(X, X.age)
    assert {warning.filename for warning in found} == {__file__}


def test_two_thousand_names__are_not_published():
    X = patients(rows=2000)
    X['name'] = pd.Categorical(['Name %d' % i for i in range(2000)])
    public = {'bounds': NUMBERS, 'classes': ['no', 'yes']}
    with pytest.raises(hedgerow.PolicyError, match="'name': a list of 2000 values") as caught:
        HedgerowClassifier(**public, categories={'name': list(X.name.cat.categories)}).fit(X, label_of(X))
    assert 'source=' in caught.value.remedy
    pl = pytest.importorskip('polars')
    enum = pl.DataFrame({'age': X.age.to_numpy(), 'name': pl.Series(list(X.name), dtype=pl.Enum(list(X.name)))})
    with pytest.raises(hedgerow.PolicyError, match="'name': a list of 2000 values"):
        HedgerowClassifier(bounds={'age': (0, 120)}, classes=['no', 'yes'], categories='declared').fit(enum, label_of(X))


def test_a_long_list_with_its_source__is_taken_and_kept(tmp_path):
    codes = ['%c%02d' % (chr(65 + i // 100), i % 100) for i in range(1000)]
    X = patients().assign(icd=[codes[i * 7 % 90] for i in range(ROWS)])
    listed = Column('icd', values=tuple(codes), source='ICD-10-CM 2024')
    model = HedgerowClassifier(bounds=NUMBERS, categories={'icd': listed}, classes=['no', 'yes']).fit(X, label_of(X))
    assert model.guarantee_.is_private
    assert model.model_.schema.features[2].source == 'ICD-10-CM 2024'


def test_private_bounds__are_wide_without_a_warning():
    X = patients()
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        HedgerowRegressor().fit(X, X.age)


def test_identifiers__are_named_where_the_unit_was_not_stated():
    X = patients().assign(patient_id=np.arange(ROWS) // 2)
    public = {'bounds': {**NUMBERS, 'patient_id': (0, 1e9)}, 'classes': ['no', 'yes']}
    with pytest.warns(hedgerow.ReviewWarning, match='identifies persons.*has no unit.*unit= in Python'):
        HedgerowClassifier(**public).fit(X, label_of(X))
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        HedgerowClassifier(bounds=NUMBERS, classes=['no', 'yes'], unit='patient_id').fit(X, label_of(X))


def test_predictions__warn_of_cells_that_do_not_fit():
    X = patients()
    model = HedgerowClassifier(bounds=NUMBERS, classes=['no', 'yes']).fit(X, label_of(X))
    with pytest.warns(hedgerow.MisfitWarning, match='100.0 % of the cells are outside'):
        model.predict(grams(X)[0])
    with pytest.warns(hedgerow.MisfitWarning, match="outside the model's bounds, and were clipped"):
        model.predict(X.assign(age=np.where(np.arange(ROWS) % 5 == 0, 200, X.age)))
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        model.predict(X)
        model.predict(grams(X)[0][:9])  # shares of a few records mean nothing
    with pytest.raises(hedgerow.SchemaError, match='100.0 %'):
        model.set_params(strict=True).predict(grams(X)[0])


def test_many_columns_that_do_not_fit__are_counted():
    wide = pd.DataFrame(np.full((50, 30), 5.) + np.arange(50)[:, None] % 7, columns=['x%d' % i for i in range(30)])
    with pytest.warns(hedgerow.MisfitWarning) as found:
        HedgerowRegressor(bounds=(-1, 0), label_bounds=(0, 50)).fit(wide, np.arange(50.))
    assert len(found) == 21 and '10 more columns do not fit' in str(found[-1].message)


def test_no_remark__is_in_a_model():
    X, facts = with_identifier(grams(patients())[0])
    with pytest.warns(hedgerow.HedgerowWarning):
        model = HedgerowClassifier(schema=schema_for(facts)).fit(X, label_of(X))
    text = model.model_.to_json()
    assert 'of the cells' not in text and 'identifies' not in text


def test_encoders__are_errors_with_strict():
    X = patients()
    with pytest.raises(hedgerow.PolicyError, match='mean is 0 and the variance 1 in weight'):
        HedgerowClassifier(bounds=(-10, 10), classes=['no', 'yes'], strict=True).fit((X - X.mean()) / X.std(ddof=0), label_of(X))
