"""Statistics of columns: figures of a data frame, what they cost, the file, and what is refused."""
import numpy as np
import pytest

import hedgerow

pandas = pytest.importorskip('pandas')


def made(rows=3000):
    rng = np.random.default_rng(5)
    frame = pandas.DataFrame({'age': rng.integers(18, 90, rows).astype(float), 'dose': rng.uniform(0, 5, rows), 'ward': rng.choice(['a', 'b'], rows), 'died': rng.choice(['no', 'yes'], rows)})
    frame.loc[::10, 'dose'] = np.nan
    columns = [hedgerow.Column('age', low=18, high=90, integer=True), hedgerow.Column('dose', low=0, high=5), hedgerow.Column('ward', values=['a', 'b'])]
    return frame, hedgerow.Schema.build(hedgerow.Column('died', values=['no', 'yes']), columns)


def figure(found, column, name, group='', of=None):
    return next(one for one in found.of(column, group) if one.figure == name and (of is None or one.of == of))


def test_figures_are_those_of_the_frame():
    frame, schema = made()
    found = hedgerow.statistics(frame, schema, epsilon=10000, delta=0, columns=['dose', 'ward'], by='label', bins=5)
    assert abs(found.records.value - len(frame)) < .1
    assert abs(figure(found, 'dose', 'mean').value - frame.dose.mean()) < .01
    assert abs(figure(found, 'dose', 'deviation').value - frame.dose.std()) < .01
    assert abs(figure(found, 'dose', 'missing').value - .1) < .001
    assert abs(figure(found, 'ward', 'value', of='b').value - (frame.ward == 'b').sum()) < .1
    assert abs(figure(found, 'ward', 'value', 'yes', 'b').value - ((frame.ward == 'b') & (frame.died == 'yes')).sum()) < .1
    assert [one.of for one in found.of('dose') if one.figure == 'bin'] == [1, 2, 3, 4, 5]
    table = found.frame()
    assert list(table.columns) == ['column', 'group', 'figure', 'of', 'value', 'low', 'high'] and len(table) == len(found.figures)
    assert (table.low <= table.value).all() and (table.value <= table.high).all()


def test_a_ledger_pays_once_and_the_file_is_read(tmp_path):
    frame, schema = made(500)
    ledger = hedgerow.Ledger.create(tmp_path / 'l.db', epsilon=2, delta=1e-5)
    found = hedgerow.statistics(frame, schema, epsilon=1, ledger=ledger)
    assert abs(ledger.spent[0] - 1) < 1e-6
    assert found.guarantee.is_private and 'statistics of columns' in str(found)
    found.write(tmp_path / 'statistics.json')
    assert hedgerow.Model.read(tmp_path / 'statistics.json').statistics == found.figures
    with pytest.raises(hedgerow.BudgetError):
        hedgerow.statistics(frame, schema, epsilon=1.5, ledger=ledger)


def test_what_it_cannot_do_is_refused():
    frame, schema = made(50)
    for wrong in ({'columns': ['none']}, {'columns': []}, {'by': 'ward'}, {'bins': 1}, {'epsilon': 'much'}):
        with pytest.raises(hedgerow.ArgumentError):
            hedgerow.statistics(frame, schema, **{'epsilon': 1, **wrong})
    found = hedgerow.statistics(frame, schema, epsilon=1)
    with pytest.raises(hedgerow.ArgumentError, match='predict nothing'):
        found.model.predict(frame)


def test_a_schema_is_a_path_too_and_a_text_one_column(tmp_path):
    frame, schema = made(50)
    schema.write(tmp_path / 'schema.yaml')
    for path in (tmp_path / 'schema.yaml', str(tmp_path / 'schema.yaml')):
        found = hedgerow.statistics(frame, path, epsilon=1, columns='age')
        assert {one.column for one in found.figures} - {'', 'age'} == set() and found.of('age')
    for wrong in (None, {'age': 3}):
        with pytest.raises(hedgerow.ArgumentError, match='schema is a Schema or the path of one') as caught:
            hedgerow.statistics(frame, wrong, epsilon=1)
        assert caught.value.field == 'schema' and caught.value.remedy
    with pytest.raises(hedgerow.FileError):
        hedgerow.statistics(frame, tmp_path / 'nothing.yaml', epsilon=1)


def test_the_report_has_the_figures(tmp_path):
    pytest.importorskip('jinja2')
    pytest.importorskip('matplotlib')
    frame, schema = made(500)
    found = hedgerow.statistics(frame, schema, epsilon=1, columns=['dose', 'ward'], by='label')
    hedgerow.report(found.model, tmp_path / 'report.html')
    page = (tmp_path / 'report.html').read_text(encoding='utf-8')
    assert '<h3>dose, where died is yes</h3>' in page and 'standard deviation' in page and page.count('<meter') == 3 * (16 + 2)
