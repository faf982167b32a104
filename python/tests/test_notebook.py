"""What objects look like in a notebook and at a prompt."""
import html.parser
import logging
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from hedgerow import ArgumentError, Column, HedgerowClassifier, HedgerowRegressor, Ledger, Releases, Schema, _html, simulate


def test_html__escapes_every_text():
    text = _html.block('<b>', _html.note('a & b'), _html.table(['<i>'], [['"x"', '<td>']]), _html.fold('</summary>', _html.note('within')))
    assert '<b>' not in text and '&lt;b&gt;' in text and 'a &amp; b' in text
    assert '<i>' not in text and '&quot;x&quot;' in text and '&lt;td&gt;' in text and '&lt;/summary&gt;' in text


def test_html__aligns_numbers_and_says_how_many_rows_are_left_out():
    text = _html.table(['name', 'n'], [['a', 1], ['b', 2], ['c', 3]], numeric={1}, most=2)
    assert text.count('text-align:right') == 3 and text.count('<tr>') == 3
    assert '1 more row is not shown.' in text and 'more row' not in _html.table([], [['a']])
    assert '<thead>' not in _html.table([], [['a']])


# ---- Objects ----

class Balanced(html.parser.HTMLParser):
    """Fails on elements that are not closed."""

    def __init__(self, text):
        super().__init__()
        self.open = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


HOSTILE = '<script>alert(1)</script>'


@pytest.fixture(scope='module')
def fitted():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({'age': rng.uniform(18, 105, 3000), HOSTILE: rng.uniform(0, 10, 3000)})
    return HedgerowClassifier(bounds={'age': (18, 105), HOSTILE: (0, 10)}, classes=['no', '<b>yes']).fit(X, np.where(X.age > 60, '<b>yes', 'no'))


def test_repr__is_one_short_line(fitted):
    model = fitted.model_
    objects = [model, fitted.guarantee_, model.shapes(), model.shapes().shapes[0], fitted.releases_, model.shap(pd.DataFrame({'age': [30.], HOSTILE: [1.]}))]
    for thing in objects:
        assert '\n' not in repr(thing) and 20 < len(repr(thing)) < 350, repr(thing)
    assert repr(fitted.guarantee_) == '<Guarantee: epsilon 1, delta 1e-06 for adding or removing one record>'
    assert repr(model) == '<Model of label: hedge, %d trees, 2 features, epsilon 1, delta 1e-06 for adding or removing one record>' % model.tree_count
    assert repr(fitted.releases_).startswith('<%d releases: ' % len(fitted.releases_)) and repr(Releases()) == '<0 releases: none>'


def test_html__of_objects_is_whole_and_has_no_names_as_markup(fitted):
    model = fitted.model_
    for thing in (model, fitted.guarantee_, model.shapes(), fitted.releases_):
        text = thing._repr_html_()
        Balanced(text)
        assert HOSTILE not in text and '<b>yes' not in text
    assert 'epsilon 1, delta 1e-06' in model._repr_html_() and '&lt;script&gt;' in model._repr_html_()
    assert 'about %.0f, a noisy count' % model.records in model._repr_html_() and '3000' not in model._repr_html_()


def test_html__says_that_a_model_is_not_private():
    X = pd.DataFrame({'x': np.linspace(0, 1, 200)})
    model = HedgerowRegressor('gbdt', label_bounds=(0, 1), bounds=(0, 1), options={'trees': 3}).fit(X, X.x).model_
    assert repr(model.guarantee) == '<Guarantee: NOT PRIVATE>' and 'NOT PRIVATE' in repr(model) and 'NOT PRIVATE' in model._repr_html_()
    assert model.records is None and 'noisy count' not in model._repr_html_()
    Balanced(model.guarantee._repr_html_())


def test_releases__are_a_list_and_a_data_frame(fitted):
    releases = fitted.releases_
    frame = releases.frame()
    assert isinstance(releases, list) and releases == fitted.model_.releases and len(frame) == len(releases)
    assert list(frame.columns)[:2] == ['what', 'mechanism'] and frame.cost.sum() == pytest.approx(sum(line.cost for line in releases))
    assert list(Releases().frame().columns) == list(frame.columns)
    assert sum(lines for _, lines, _, _ in releases.kinds()) == len(releases)


def test_releases__without_pandas_say_what_to_install(fitted, monkeypatch):
    monkeypatch.setitem(sys.modules, 'pandas', None)
    with pytest.raises(ArgumentError, match='pip install pandas'):
        fitted.releases_.frame()


# ---- Progress ----

def fit(**options):
    X = pd.DataFrame({'x': np.linspace(0, 1, 400)})
    return HedgerowRegressor(label_bounds=(0, 1), bounds=(0, 1), **options).fit(X, X.x)


def test_verbose__shows_a_bar(capsys):
    fit(verbose=1)
    assert 'fit' in capsys.readouterr().err
    fit()
    assert capsys.readouterr().err == ''


def test_verbose__without_tqdm_shows_lines_up_to_the_last_step(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, 'tqdm.auto', None)
    steps = []
    fit(verbose=True, progress=lambda done, total: steps.append((done, total)))
    lines = capsys.readouterr().err.splitlines()
    assert 2 <= len(lines) <= 12 and lines[-1] == 'fit: step %d of %d' % steps[-1]


@pytest.mark.parametrize('verbose', [2, -1, 'yes', .5, None])
def test_verbose__of_another_value_is_refused_before_the_fit(verbose, tmp_path):
    ledger = Ledger.create(tmp_path / 'ledger.db', 5, 1e-5)
    with pytest.raises(ArgumentError, match='verbose is 0'):
        fit(verbose=verbose, ledger=ledger)
    assert ledger.spent == (0, 0)


def test_log__names_parameters_and_the_model_and_not_the_records(caplog):
    with caplog.at_level(logging.DEBUG, logger='hedgerow'):
        model = fit().model_
    lines = [record.getMessage() for record in caplog.records if record.name == 'hedgerow']
    assert lines[0] == 'fit of label: method hedge, mode sound, epsilon 1, delta 1e-06, 1 features' and lines[-1] == 'fit of label: done, %r' % model
    assert all(re.fullmatch(r'fit: step \d+ of \d+', line) for line in lines[1:-1]) and len(lines) > 3
    assert not any('400' in line for line in lines)


def test_log__is_silent_unless_a_program_asks_for_it():
    code = ('import logging, numpy as np; from hedgerow import HedgerowRegressor; x = np.linspace(0, 1, 300)[:, None];'
            'HedgerowRegressor(label_bounds=(0, 1), bounds=(0, 1)).fit(x, x[:, 0])')
    seen = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True)
    assert (seen.returncode, seen.stdout, seen.stderr) == (0, '', '')


def test_log__has_the_lines_of_a_simulation(caplog):
    rng = np.random.default_rng(2)
    X = pd.DataFrame({'x': rng.uniform(0, 1, 1200)})
    schema = Schema.build(Column('y', 0, 1), [Column('x', 0, 1)])
    with caplog.at_level(logging.DEBUG, logger='hedgerow'):
        simulate([(X[:600], X.x[:600]), (X[600:], X.x[600:])], schema=schema)
    lines = [record for record in caplog.records if record.name == 'hedgerow']
    assert lines and all(record.levelno in (logging.DEBUG, logging.INFO, logging.WARNING) for record in lines)
    assert not any('600' in record.getMessage() for record in lines)
