"""Schemas for raw frames: proposals, decisions, and fits whose cells are those of the frame's CSV."""
import datetime
import decimal
import pathlib
import sys
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hedgerow
from hedgerow import HedgerowClassifier, HedgerowRegressor, Schema
from hedgerow._cells import csv_of
from hedgerow._frames import columns_of

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / 'tests' / 'cli'))
import raw_trouble  # noqa: E402: kinds of trouble in raw tables

pytestmark = pytest.mark.filterwarnings('ignore::hedgerow.PrivacyLeakWarning')


def raw(rows=400):
    """Dates as times and as texts, codes, decimals, missing spellings, booleans in words, an identifier."""
    rng = np.random.default_rng(3)
    days = pd.Timestamp('2020-01-01') + pd.to_timedelta(rng.integers(0, 900, rows), unit='D')
    made = pd.DataFrame({
        'patient': ['P%05d' % (7 * i) for i in range(rows)],
        'day': days,
        'seen': [d.strftime('%d.%m.%Y') for d in days],
        'at': days + pd.to_timedelta(rng.integers(0, 86400, rows), unit='s'),
        'age': np.where(rng.random(rows) < .05, -9, rng.integers(18, 90, rows)),
        'amount': ['{:,}'.format(v) for v in rng.integers(500, 9000, rows)],
        'share': ['%d %%' % v for v in rng.integers(0, 100, rows)],
        'dose': np.where(rng.random(rows) < .1, np.nan, rng.random(rows) * 10),
        'level': np.where(rng.random(rows) < .04, 'unknown', np.round(rng.random(rows) * 50, 2).astype(str)),
        'code': ['%03d' % v for v in rng.integers(0, 6, rows)],
        'ward': rng.choice(['internal', 'surgery', 'a "quoted", name'], rows),
        'smoker': rng.choice(['yes', 'no'], rows),
    })
    return made, pd.Series(np.where((made.age > 50) ^ (made.smoker == 'yes'), 'sick', 'well'), name='outcome')


def of_csv(schema, text):
    """The hr_data of a CSV table, as the command reads it."""
    from hedgerow._native import ffi, lib, made
    options = ffi.new('hr_read_options *', {'size': ffi.sizeof('hr_read_options'), 'label_optional': True})
    return made(lib.hr_data_parse, 'hr_data', lib.hr_data_free, schema._at, text, len(text), options)


def cells_of(schema, table):
    """All cells and counts of a Table, which owns the arrays, or of an hr_data."""
    from hedgerow._native import ffi, lib
    at = getattr(table, 'at', table)
    rows, found = lib.hr_data_rows(at), []
    for i, column in enumerate(schema.features):
        buffer = np.zeros(rows, dtype=np.uint16 if column.is_category else np.float64)
        read = lib.hr_data_code_block if column.is_category else lib.hr_data_number_block
        kept = ffi.from_buffer('uint16_t[]' if column.is_category else 'double[]', buffer)
        block = read(at, i, 0, rows, kept)
        found.append(np.frombuffer(ffi.buffer(block, buffer.nbytes), buffer.dtype).copy())
        report = lib.hr_data_report(at, i)
        found.append((report.missing, report.unknown, report.out_of_range, report.not_integer))
    return found


def same_cells(schema, frame, text):
    from hedgerow._frames import Table
    return all(np.array_equal(ours, theirs, equal_nan=True) if isinstance(ours, np.ndarray) else ours == theirs
               for ours, theirs in zip(cells_of(schema, Table(schema, columns_of(frame), None)), cells_of(schema, of_csv(schema, text))))


CONVERT = [
    lambda df: df,
    lambda df: df.convert_dtypes(),
    lambda df: df.convert_dtypes(dtype_backend='pyarrow'),
    lambda df: df.astype({'ward': 'category', 'code': 'category'}),
    lambda df: df.astype({'day': object, 'age': object, 'dose': object}),
    lambda df: df.assign(day=df.day.dt.date),
    pl.from_pandas,
    lambda df: pl.from_pandas(df).with_columns(pl.col('day').cast(pl.Date), pl.col('at').cast(pl.Datetime('ms'))),
    lambda df: pa.Table.from_pandas(df),
    lambda df: pa.concat_tables([pa.Table.from_pandas(df[:100]), pa.Table.from_pandas(df[100:]).slice(0)]),
]


def test_a_proposal__is_the_one_of_the_command(tmp_path):
    from hedgerow._native import call, ffi, lib, take_text, text_to
    df, y = raw()
    table = df.assign(outcome=y)
    table.to_csv(tmp_path / 'raw.csv', index=False)
    out = ffi.new('char **')
    call(lib.hr_schema_infer, text_to(str(tmp_path / 'raw.csv')), lib.HR_FORMAT_AUTO, text_to('outcome'), out)
    of_file = Schema.parse(take_text(out[0]))
    assert Schema.propose(table, 'outcome').to_yaml() == of_file.to_yaml()
    assert Schema.propose(df, y=y).to_yaml() == of_file.to_yaml()


@pytest.mark.parametrize('kind', list(raw_trouble.kinds()), ids=lambda kind: kind.name)
def test_troubled_columns__get_the_proposal_of_the_command_to_the_letter(kind, tmp_path):
    from hedgerow._native import call, ffi, lib, take_text, text_to
    from hedgerow._proposal import proposal
    rows = range(raw_trouble.ROWS)
    frame = pd.DataFrame({kind.column: [kind.cells(i) for i in rows], 'z': [kind.beside(i) for i in rows], 'y': [kind.label(i) for i in rows]})
    frame.to_csv(tmp_path / 'raw.csv', index=False)
    out = ffi.new('char **')
    call(lib.hr_schema_infer, text_to(str(tmp_path / 'raw.csv')), lib.HR_FORMAT_AUTO, text_to('y'), out)
    yaml, remarks, _ = proposal(frame, 'y', None, None, [])
    assert yaml == take_text(out[0])
    assert kind.says.split('; delete the entry')[0] in remarks.get(kind.column, '') or kind.says.startswith('delete')
    assert same_cells(Schema.parse(yaml), frame, (tmp_path / 'raw.csv').read_bytes())


@pytest.mark.parametrize('convert', CONVERT)
def test_frames_of_all_libraries__give_one_proposal_and_the_cells_of_the_csv(convert):
    df, y = raw()
    expected = Schema.propose(df, y=y)
    schema = Schema.propose(convert(df), y=y)
    assert schema.to_yaml() == expected.to_yaml()
    kinds = {fact.name: fact.proposed for fact in schema.facts}
    assert kinds['day'].startswith('date, 2020') and kinds['seen'].startswith('date') and kinds['patient'] == 'no feature'
    assert kinds['share'] == 'integer, 0 to 100' and kinds['smoker'] == 'boolean' and 'values' in kinds['code'] and '-9' in kinds['missing']
    assert same_cells(schema, convert(df), df.to_csv(index=False).encode())


@pytest.mark.parametrize('convert', CONVERT)
def test_a_fit__makes_the_model_of_the_csv(convert):
    from hedgerow._native import call, ffi, lib, made, text_to
    df, y = raw()
    schema = Schema.propose(df, y=y).accept_proposed()
    model = HedgerowClassifier(schema=schema, random_state=5).fit(convert(df), y)
    options = ffi.new('hr_fit_options *')
    call(lib.hr_fit_options_init_sized, options, ffi.sizeof('hr_fit_options'), text_to('hedge'), lib.HR_MODE_SOUND)
    call(lib.hr_fit_options_set, options, text_to('epsilon'), text_to('1'))
    options.reproducible_noise, options.seed, options.threads = True, 5, 1
    data = of_csv(schema, df.assign(outcome=y).to_csv(index=False).encode())
    of_file = hedgerow.Model(made(lib.hr_fit, 'hr_model', lib.hr_model_free, data, options))
    assert [tree for tree in map(model.model_.tree_text, range(model.model_.tree_count))] == [
        tree for tree in map(of_file.tree_text, range(of_file.tree_count))]
    assert np.array_equal(model.predict_proba(convert(df)), of_file.predict(df))
    assert model.model_.schema.label.name == 'outcome' and list(model.classes_) == ['sick', 'well']


@pytest.mark.parametrize('cells, expected', [
    ([decimal.Decimal('1.25'), decimal.Decimal('-7'), None], [1.25, -7, np.nan]),
    ([1, 2.5, None], [1, 2.5, np.nan]),
    ([True, False, None], ['true', 'false', '']),
    ([datetime.date(2020, 1, 2), None, datetime.date(2021, 3, 4)], ['2020-01-02', '', '2021-03-04']),
    ([datetime.datetime(2020, 1, 2, 3, 4, 5), None, datetime.datetime(2021, 3, 4)], ['2020-01-02T03:04:05', '', '2021-03-04T00:00:00']),
    ([datetime.time(10, 30), None], ['10:30:00', '']),
    ([uuid.UUID(int=1), None], ['00000000-0000-0000-0000-000000000001', '']),
    (['a', float('nan'), 'b,"c"'], ['a', '', 'b,"c"']),
    (['a', 1, True], ['a', '1', 'true']),
    ([None, None, None], [np.nan] * 3),
    ([10 ** 400, -10 ** 400, 1], [np.inf, -np.inf, 1]),
])
def test_objects__are_read_as_what_they_are(cells, expected):
    array = np.array(cells, dtype=object)
    for frame in (pd.DataFrame({'c': pd.Series(cells, dtype=object)}), array.reshape(-1, 1)):
        column = columns_of(frame).items[0]
        if column.kind == 'number':
            assert np.array_equal(column.cells, expected, equal_nan=True)
        else:
            assert [(column.values + ('',))[code] for code in column.cells] == expected


@pytest.mark.parametrize('times', [
    pd.Series(pd.date_range('2020-03-28 22:00', periods=40, freq='h', tz='Europe/Berlin')),
    pl.from_pandas(pd.DataFrame({'t': pd.date_range('2020-03-28 22:00', periods=40, freq='h', tz='Europe/Berlin')})),
    pa.table({'t': pa.array(pd.date_range('2020-03-28 22:00', periods=40, freq='h', tz='Europe/Berlin'))}),
    pa.table({'t': pa.array(pd.date_range('2020-03-28 21:00', periods=40, freq='h', tz='UTC'), pa.timestamp('s', '+01:00'))}),
    pd.Series([pd.Timestamp('2020-03-28 22:00', tz='Europe/Berlin') + pd.Timedelta(hours=i) for i in range(40)], dtype=object),
])
def test_times_of_a_zone__are_converted_as_the_schema_says(times):
    from hedgerow._frames import Table
    text = ('hedgerow-schema: 1\nlabel: {name: y, kind: classes, values: [a, b]}\nfeatures:\n  - {name: t, kind: date, from: 2020-01-01, to: 2020-12-31, '
            'parts: [hour, day], offset: %s}\n')
    frame = pd.DataFrame({'t': times}) if isinstance(times, pd.Series) else times
    utc, local = (cells_of(s, Table(s, columns_of(frame), None)) for s in (Schema.parse(text % 'utc'), Schema.parse(text % 'local')))
    assert utc[0][:4].tolist() == [21, 22, 23, 0]
    fixed = isinstance(times, pa.Table) and '+01:00' in str(times.schema)
    assert local[0][1:6].tolist() == ([23, 0, 1, 2, 3] if fixed else [23, 0, 1, 3, 4])
    refused = Schema.parse((text % 'utc').replace(', offset: utc', ''))
    with pytest.raises(hedgerow.SchemaError, match='offset: utc'):
        Table(refused, columns_of(frame), None)


def test_periods_and_other_units__are_their_first_days():
    months = pd.DataFrame({'m': pd.period_range('2019-11', periods=4, freq='M')})
    assert columns_of(months).items[0].values == ('2019-11-01', '2019-12-01', '2020-01-01', '2020-02-01')
    objects = months.astype(object)
    assert columns_of(objects).items[0].values == columns_of(months).items[0].values
    early = np.array(['1650-01-01', '9000-12-31', 'NaT'], dtype='datetime64[D]').reshape(-1, 1)
    assert columns_of(early).items[0].values == ('1650-01-01', '9000-12-31')


def test_decimals_of_arrow__are_the_nearest_numbers():
    texts = ['0.1', '-12345678901234567890123.456', '99999999999999.999', '-0.001', None]
    cells = pa.array([None if t is None else decimal.Decimal(t) for t in texts], pa.decimal128(38, 3))
    found = columns_of(pa.table({'d': cells})).items[0].cells
    assert np.array_equal(found, [np.nan if t is None else float(t) for t in texts], equal_nan=True)
    assert columns_of(pl.DataFrame({'d': cells.to_pylist()[:1]})).items[0].cells.tolist() == [.1]


def test_texts_of_arrow__are_found_whatever_their_length_and_what_is_missing():
    long = ['a text of more than twelve bytes', 'another one of so many bytes', 'short', '', None, 'ärzte']
    for frame in (pl.DataFrame({'t': long * 3}), pa.table({'t': pa.array(long * 3)}), pa.table({'t': pa.array(long * 3, pa.large_string())}),
                  pa.table({'t': pa.array(long * 3, pa.string_view())}), pa.table({'t': pa.array(['x'] + long * 3)}).slice(1)):
        column = columns_of(frame).items[0]
        assert [(*column.values, None)[code] for code in column.cells] == long * 3


def test_decisions__make_a_public_schema_and_a_private_model(tmp_path):
    df, y = raw()
    schema = Schema.propose(df, y=y)
    assert 'facts await a decision' in repr(schema) and repr(schema).startswith("<Schema: label 'outcome'")
    decided = (schema.decide('age', bounds=(0, 120), source='form').decide(['day', 'seen', 'at'], dates=('2020-01-01', '2022-12-31'), source='study plan')
               .decide('ward', values=['internal', 'surgery', 'a "quoted", name'], source='list of wards')
               .decide('missing', values=['-9', 'unknown'], source='code book').decide(['patient'], leave_out=True)
               .decide('unit', unit='record')
               .decide(['outcome', 'amount', 'share', 'dose', 'level', 'code', 'smoker'], source='code book'))
    assert not any(fact.open for fact in decided.facts) and all(fact.open for fact in schema.facts)
    ledger = hedgerow.Ledger.create(tmp_path / 'ledger.db', 3, 1e-4)
    model = HedgerowClassifier(schema=decided, ledger=ledger).fit(df, y)
    assert model.guarantee_.is_private and decided.missing == ['-9', 'unknown']
    decided.write(tmp_path / 'schema.yaml')
    assert Schema.read(tmp_path / 'schema.yaml').to_yaml() == decided.to_yaml()
    with pytest.raises(OSError):
        decided.write(tmp_path / 'schema.yaml')


def test_what_is_open__is_refused_with_all_names_and_nothing_is_spent(tmp_path):
    df, y = raw()
    schema = Schema.propose(df, y=y)
    ledger = hedgerow.Ledger.create(tmp_path / 'ledger.db', 3, 1e-4)
    for method in ('hedge', 'gbdt'):
        with pytest.raises(hedgerow.PolicyError, match='outcome, day, seen, at, age.*schema.decide'):
            HedgerowClassifier(method, schema=schema, ledger=ledger if method == 'hedge' else None).fit(df, y)
    assert ledger.entries == []
    with pytest.warns(hedgerow.PrivacyLeakWarning, match='NOT PRIVATE'):
        model = HedgerowClassifier(schema=schema.accept_proposed()).fit(df, y)
    assert not model.guarantee_.is_private


@pytest.mark.parametrize('decision, error, message', [
    (dict(facts='agee', source='x'), hedgerow.ArgumentError, "no fact 'agee'"),
    (dict(facts='age'), hedgerow.ArgumentError, 'one of source'),
    (dict(facts='age', bounds=(0, 1), values=['a'], source='x'), hedgerow.ArgumentError, 'one of source'),
    (dict(facts='age', bounds=(0, 120)), hedgerow.FormatError, 'source is blank'),
    (dict(facts='age', bounds=(120, 0), source='x'), hedgerow.FormatError, 'age'),
    (dict(facts='age', values=['a'], source='x'), hedgerow.ArgumentError, 'another kind'),
    (dict(facts='day', dates=('then', 'now'), source='x'), hedgerow.FormatError, 'no range'),
    (dict(facts='ward', bounds=(0, 1), source='x'), hedgerow.ArgumentError, 'another kind'),
    (dict(facts='outcome', leave_out=True), hedgerow.ArgumentError, 'cannot be left out'),
    (dict(facts='unit', unit='nobody', accept=True), hedgerow.ArgumentError, 'one of source'),
])
def test_decisions_that_do_not_fit__are_refused(decision, error, message):
    df, y = raw()
    with pytest.raises(error, match=message):
        Schema.propose(df, y=y).decide(**decision)


def test_a_table_in_a_notebook__shows_what_is_open_first_and_no_markup_of_the_table():
    df, y = raw()
    schema = Schema.propose(df.assign(ward=df.ward + '<script>'), y=y)
    html = schema._repr_html_()
    assert '<script>' not in html and '&lt;script&gt;' in html and '%d of %d facts' % (len(schema.facts), len(schema.facts)) in html
    decided = schema.decide('age', bounds=(0, 120), source='form')
    html = decided._repr_html_()
    assert html.index('public: form') > html.index('open: read off the records')
    remarks = {fact.name: fact.remark for fact in decided.facts}
    assert 'stand apart' in remarks['age'] and 'identifies' in remarks['patient'] and not remarks['ward'] and not remarks['smoker']
    assert 'Nothing awaits' in HedgerowClassifier(bounds=(0, 1), classes=[0, 1]).fit(np.random.random((50, 1)), [0, 1] * 25).model_.schema._repr_html_()


def test_columns_that_do_not_fit__are_listed_at_once_with_their_cells():
    df, y = raw()
    schema = Schema.propose(df, y=y).accept_proposed()
    model = HedgerowClassifier(schema=schema, random_state=1).fit(df, y)
    spoilt = df.assign(ward=['radiology'] * 3 + list(df.ward[3:]), amount=['many'] * 2 + list(df.amount[2:]), seen='31.02.2020', dose=np.inf,
                       day=True, age=pd.Timestamp('2020-01-01'))
    for call in (lambda: model.predict(spoilt), lambda: HedgerowClassifier(schema=schema).fit(spoilt, y), lambda: model.model_.predict(spoilt)):
        with pytest.raises(hedgerow.SchemaError) as caught:
            call()
        text = str(caught.value)
        for part in ('6 columns cannot be read', "'ward' has unknown categories, 'radiology' (3 cells)", "'many' (2 cells)", "'31.02.2020' (400 cells)",
                     "'dose' has 400 cells with infinity", "'day' has booleans", "'age' has dates"):
            assert part in text, text


def test_a_raw_frame_without_a_schema__is_refused_with_all_columns_and_the_remedy(tmp_path):
    df, y = raw()
    ledger = hedgerow.Ledger.create(tmp_path / 'ledger.db', 3, 1e-4)
    for X in (df, pl.from_pandas(df), pa.Table.from_pandas(df), df.to_numpy()):
        with pytest.raises(hedgerow.SchemaError) as caught:
            HedgerowClassifier(ledger=ledger).fit(X, y)
        text = str(caught.value)
        names = df.columns if hasattr(X, 'columns') else ['x%d' % i for i in range(df.shape[1])]
        numeric = {'age', 'dose', 'x4', 'x7'}
        assert all(('%r' % name in text) == (name not in numeric) for name in names) and 'Schema.propose' in text
    assert ledger.entries == []


def test_unknown_categories__may_be_missing_when_predicting_and_are_counted():
    df, y = raw()
    schema = Schema.propose(df, y=y).accept_proposed()
    other = df.assign(ward=['radiology'] * 3 + list(df.ward[3:]), code=['999'] + list(df.code[1:]))
    blank = df.assign(ward=[None] * 3 + list(df.ward[3:]), code=[None] + list(df.code[1:]))
    model = HedgerowClassifier(schema=schema, random_state=1, unknown='missing').fit(df, y)
    with pytest.warns(hedgerow.UnknownCategoryWarning, match='ward \\(3 cells\\), code|code \\(1 cell\\), ward') as caught:
        predicted = model.predict_proba(other)
    warning = next(w.message for w in caught if isinstance(w.message, hedgerow.UnknownCategoryWarning))
    assert warning.counts == {'ward': 3, 'code': 1}
    assert np.array_equal(predicted, model.predict_proba(blank))
    with pytest.warns(hedgerow.UnknownCategoryWarning):
        assert np.array_equal(model.model_.predict(other, unknown='missing'), predicted)
    with pytest.raises(hedgerow.SchemaError, match="unknown='missing'"):
        model.model_.predict(other)
    with pytest.raises(hedgerow.SchemaError, match='radiology'):
        model.fit(other, y)
    with pytest.raises(hedgerow.ArgumentError, match="'error' or 'missing'"):
        HedgerowClassifier(schema=schema, unknown='ignore').fit(df, y)
    record = other.iloc[0].to_dict()
    with pytest.warns(hedgerow.UnknownCategoryWarning):
        assert np.array_equal(model.predictor().predict_proba_row(record), predicted[0])


def test_a_record_of_the_raw_table__is_predicted_as_in_the_table():
    df, y = raw()
    model = HedgerowClassifier(schema=Schema.propose(df, y=y).accept_proposed(), random_state=1).fit(df, y)
    expected, predictor = model.predict_proba(df), model.predictor()
    for i in range(30):
        assert np.array_equal(predictor.predict_proba_row(df.iloc[i].to_dict()), expected[i])
        assert np.array_equal(predictor.predict_proba_row(df.iloc[i]), expected[i])
    with pytest.raises(hedgerow.SchemaError, match="field 'seen'.*no date"):
        predictor.predict_row({**df.iloc[0].to_dict(), 'seen': 'never'})


def test_numbers_as_labels__may_be_texts_and_keep_their_name():
    df, _ = raw()
    X, cost = df[['age', 'dose']], pd.Series(df.amount, name='cost')
    schema = Schema.propose(X, y=cost)
    assert schema.task == 'regression' and schema.label.name == 'cost'
    model = HedgerowRegressor(schema=schema.accept_proposed(), random_state=1).fit(X, cost)
    plain = HedgerowRegressor(schema=schema.accept_proposed(), random_state=1).fit(X, cost.str.replace(',', '').astype(float))
    assert np.array_equal(model.predict(X), plain.predict(X))
    with pytest.raises(hedgerow.SchemaError, match="'dear' \\(2 cells\\)"):
        model.fit(X, ['dear'] * 2 + list(cost[2:]))


def test_the_label__keeps_its_name_unless_a_feature_has_it(tmp_path):
    X = pd.DataFrame({'a': np.random.default_rng(1).random(300), 'label': 1.0})
    y = pd.Series((X.a > .5).astype(int), name='sick')
    facts = dict(bounds=(0, 1), classes=[0, 1])
    ledger = hedgerow.Ledger.create(tmp_path / 'ledger.db', 9, 1e-4)
    model = HedgerowClassifier(ledger=ledger, **facts).fit(X, y)
    assert model.model_.schema.label.name == 'sick'
    for labels, name in ((y.rename('a'), 'label_'), (y.to_numpy(), 'label_'), (y.rename(None), 'label_'), (pl.Series('sick', y.to_numpy()), 'sick'), (y.rename(3), '3')):
        assert HedgerowClassifier(**facts).fit(X, labels).model_.schema.label.name == name
    assert HedgerowRegressor(epsilon=100, bounds=(0, 1)).fit(X[['a']], y.rename('cost')).model_.schema.label.name == 'cost'
    assert HedgerowRegressor(bounds=(0, 1), label_bounds=(0, 1)).fit(X[['a']], y.to_numpy()).model_.schema.label.name == 'label'


@pytest.mark.parametrize('call, error, message', [
    (lambda df, y: Schema.propose(df), hedgerow.ArgumentError, 'Name the column'),
    (lambda df, y: Schema.propose(df, 'nothing'), hedgerow.SchemaError, "no column 'nothing'"),
    (lambda df, y: Schema.propose(df, 'age', y), hedgerow.ArgumentError, 'already'),
    (lambda df, y: Schema.propose(df, y=y[:-1]), hedgerow.ArgumentError, '399 labels'),
    (lambda df, y: Schema.propose(df, y=y, drop=['agee']), hedgerow.ArgumentError, 'agee'),
    (lambda df, y: Schema.propose(df[:0], y=y[:0]), hedgerow.SchemaError, 'no records'),
    (lambda df, y: Schema.propose(df, y=['a'] * 400), hedgerow.SchemaError, 'fewer than two'),
    (lambda df, y: Schema.propose(df.assign(age=df.day - df.day[0], dose=[[1]] * 400), y=y), hedgerow.SchemaError, "(?s)2 columns.*'age' has time spans.*'dose' has cells of type list"),
    (lambda df, y: Schema.propose(df.assign(ward='a' + chr(0)), y=y), hedgerow.FormatError, 'NUL'),
    (lambda df, y: Schema.propose(pd.concat([df, df[['age']]], axis=1), y=y), hedgerow.SchemaError, "two columns named 'age'"),
])
def test_tables_without_a_proposal__are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call(*raw())


def test_columns_may_be_dropped_and_described(tmp_path):
    df, y = raw()
    (tmp_path / 'facts.csv').write_text('name,low,high,integer,source\nage,0,130,true,form\n')
    schema = Schema.propose(df, y=y, drop=['ward', 'patient'], dictionary=tmp_path / 'facts.csv')
    facts = {fact.name: fact for fact in schema.facts}
    assert 'ward' not in facts and not facts['age'].open and facts['age'].source == 'form'


def test_arrays_of_objects__are_raw_tables_too():
    df, y = raw()
    X = df.to_numpy()
    schema = Schema.propose(X, y=y).accept_proposed()
    assert next(fact for fact in schema.facts if fact.name == 'x1').proposed.startswith('date')
    wanted = [i for i in range(X.shape[1]) if any(fact.name == 'x%d' % i and fact.place == 'feature' for fact in schema.facts)]
    model = HedgerowClassifier(schema=schema, random_state=1).fit(X[:, wanted], y)
    assert np.array_equal(model.predict_proba(X[:5, wanted]), model.predict_proba(X[:, wanted])[:5])


def test_tables_of_one_column__have_a_record_for_each_missing_cell():
    assert csv_of(columns_of(pd.DataFrame({'a': ['x', None, '', ' ']})).items) == b'a\nx\n""\n""\n" "\n'


def test_names_with_blanks_and_marks__are_those_of_the_csv():
    df, y = raw()
    named = df.rename(columns={'age': ' age', 'ward': '\ufeffward', 'day': 'a,"day" '})
    schema = Schema.propose(named[['\ufeffward', 'a,"day" ', ' age', 'dose']], y=y.rename(' out come ')).accept_proposed()
    assert {fact.name for fact in schema.facts} >= {'\ufeffward', 'a,"day"', 'age', 'out come'}
    model = HedgerowClassifier(schema=schema, random_state=1).fit(named, y)
    plain = Schema.propose(df[['ward', 'day', 'age', 'dose']], y=y).accept_proposed()
    assert np.array_equal(model.predict_proba(named), HedgerowClassifier(schema=plain, random_state=1).fit(df, y).predict_proba(df))
    importance = dict(zip(model.feature_names_in_, model.feature_importances_))
    assert importance['a,"day" '] > 0 and importance[' age'] > 0 and abs(sum(importance.values()) - 1) < 1e-9


def test_persons_of_a_raw_table__are_those_of_its_csv():
    from hedgerow._frames import person_numbers
    columns = columns_of(pd.DataFrame({'who': ['A', ' A', 'B ', 'B', 'A'], 'n': [1, 2, 1, 2, -9]}))
    assert person_numbers(columns, 'who').tolist() == [0, 0, 1, 1, 0]
    with pytest.raises(hedgerow.SchemaError, match='lacks 2 identifiers'):
        person_numbers(columns, 'who', ['B'])
    with pytest.raises(hedgerow.SchemaError, match='lacks 1 identifiers'):
        person_numbers(columns, 'n', ['-9'])
    with pytest.raises(hedgerow.SchemaError, match='lacks 1 identifiers'):
        person_numbers(columns_of(pd.DataFrame({'who': ['A', ' ']})), 'who')


def test_long_tables__are_the_same_csv():
    rows = 40000
    frame = pd.DataFrame({'n': np.arange(rows) / 4, 't': ['a,%d' % (i % 7) for i in range(rows)]})
    expected = frame.assign(n=[str(v)[:-2] if v.is_integer() else str(v) for v in frame.n]).to_csv(index=False).encode()
    assert csv_of(columns_of(frame).items) == expected


def test_labels_that_do_not_fit__are_counted():
    df, y = raw()
    schema = Schema.propose(df, y=y).accept_proposed()
    with pytest.raises(hedgerow.SchemaError, match="'outcome' has 2 cells that the schema does not describe: 'dead' \\(2 cells\\)"):
        HedgerowClassifier(schema=schema).fit(df, ['dead', 'dead', *y[2:]])
    with pytest.raises(ValueError, match='missing'):
        HedgerowClassifier(schema=schema).fit(df, pd.Series([None, *y[1:]], dtype=object))
    numbers = Schema.parse('hedgerow-schema: 1\nlabel: {name: cost, kind: number, low: 0, high: 5000, thousands: ","}\n'
                           'features: [{name: dose, kind: number, low: 0, high: 10}]\nunit: record\n')
    model = HedgerowRegressor(schema=numbers, random_state=1).fit(df, df.amount)
    assert model.predict(df).max() <= 5000
    with pytest.raises(hedgerow.SchemaError, match='1 missing label'):
        HedgerowRegressor(schema=numbers).fit(df, pd.Series([None, *df.amount[1:]], dtype=object))


def test_classes_of_a_schema__may_be_spelt_as_in_a_csv():
    df, _ = raw()
    sick = df.smoker.replace({'yes': 'TRUE', 'no': 'FALSE'})
    schema = Schema.parse('hedgerow-schema: 1\nlabel: {name: sick, kind: boolean}\nfeatures: [{name: dose, kind: number, low: 0, high: 10}]\nunit: record\n')
    expected = HedgerowClassifier(schema=schema, random_state=1).fit(df, df.smoker == 'yes').predict_proba(df)
    for labels in (df.smoker, sick):
        assert np.array_equal(HedgerowClassifier(schema=schema, random_state=1).fit(df, labels).predict_proba(df), expected)


def test_tables_without_records__are_predicted_to_nothing():
    df, y = raw()
    model = HedgerowClassifier(schema=Schema.propose(df, y=y).accept_proposed(), random_state=1).fit(df, y)
    assert model.predict_proba(df[:0]).shape == (0, 2)


def test_times_of_day__are_texts():
    day = [datetime.time(10, 30), None, datetime.time(0, 0, 59), datetime.time(10, 30)]
    for frame in (pl.DataFrame({'t': day}), pa.table({'t': day}), pa.table({'t': pa.array(day, pa.time32('ms'))}), pd.DataFrame({'t': day})):
        column = columns_of(frame).items[0]
        assert column.kind == 'text' and [(*column.values, None)[code] for code in column.cells] == ['10:30:00', None, '00:00:59', '10:30:00']


@pytest.mark.parametrize('labels', [
    lambda y: y, lambda y: y.to_numpy(), lambda y: y.tolist(), lambda y: pl.Series('sick', y.to_numpy()), lambda y: y.map({True: 1, False: 0}), lambda y: y.map({True: 'sick', False: 'well'}),
    lambda y: y.map({True: 1.0, False: 0.0}), lambda y: y.map({True: 'sick', False: 'well'}).astype('category'), lambda y: y.map({True: 'sick', False: 'well'}).astype('string'),
])
def test_labels_of_all_types__are_proposed_and_fitted(labels):
    df, y = raw()
    y = labels(y == 'sick')
    schema = Schema.propose(df[['age', 'smoker']], y=y)
    model = HedgerowClassifier(schema=schema.accept_proposed(), random_state=1).fit(df, y)
    found = np.unique(np.asarray(y))
    assert list(model.classes_) == list(found) and (model.predict(df) == np.asarray(y)).mean() > .8


def test_owners__may_have_raw_frames():
    df, y = raw()
    public = [fact for fact in Schema.propose(df.drop(columns='patient'), y=y).facts if fact.place != 'unit']
    schema = Schema.propose(df.drop(columns='patient'), y=y).decide(public, source='code book').decide('unit', unit='record')
    first = df.ward == 'surgery'
    model = hedgerow.simulate([(df[first], y[first]), (pl.from_pandas(df[~first]), ' ' + y[~first])], schema=schema, epsilon=4)
    assert model.schema.label.name == 'outcome' and np.allclose(model.predict(df).sum(axis=1), 1)
    with pytest.raises(hedgerow.SchemaError, match="'ward' has unknown categories"):
        hedgerow.simulate([(df[first], y[first]), (df[~first].assign(ward='x'), y[~first])], schema=schema, epsilon=4)
