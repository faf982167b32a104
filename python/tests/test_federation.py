"""Owners in one process: the model and what it promises, and what is refused before anything is trained."""
import html
import json
import math
import pickle
import warnings

import numpy as np
import pytest

import hedgerow
from hedgerow import Column, Schema
from hedgerow._report import render

FEATURES = [Column('a', -5, 5), Column('b', -5, 5), Column('c', values=('x', 'y', 'z'))]
CLASSES = Schema.build(Column('label', values=('no', 'yes')), FEATURES)
NUMBERS = Schema.build(Column('label', -10, 10), FEATURES)


def owner(rows, seed, regression=False):
    rng = np.random.default_rng(seed)
    X = {'a': np.clip(rng.normal(size=rows), -5, 5), 'b': np.clip(rng.normal(size=rows), -5, 5), 'c': rng.choice(['x', 'y', 'z'], rows)}
    total = X['a'] + X['b']
    return X, total if regression else np.where(total > 0, 'yes', 'no')


def frames(regression=False, rows=2000):
    import pandas as pd
    return [(pd.DataFrame(X), y) for X, y in (owner(rows, seed, regression) for seed in range(3))]


def test_owners__train_a_model_that_protects_a_record_of_any():
    model = hedgerow.simulate(frames(), schema=CLASSES, epsilon=4)
    assert model.guarantee.is_private and model.guarantee.unit == 'one record of any owner'
    assert model.guarantee.epsilon <= 4 and model.guarantee.delta <= 1e-6
    X, y = frames()[0]
    assert ((model.predict(X)[:, 1] > .5) == (y == 'yes')).mean() > .85
    assert {release.shares for release in model.releases} >= {2}  # a coalition of one, as usual


def continued(model):
    """As if a fit had continued it, which cost (1, 0) beside it: the file says what both cost, and against whom."""
    file = json.loads(model.to_json())
    g, c = model.guarantee, model.guarantee
    file['start_model'] = 64 * '0'
    file['start_guarantee'] = {'privacy_measure': 'none', 'units': 0, 'epsilon': g.epsilon + 1, 'delta': g.delta, 'epsilon_replace': g.epsilon_replace + 2,
                               'delta_replace': g.delta_replace, 'coalition': c.coalition, 'epsilon_owners': c.epsilon_owners + 1,
                               'epsilon_everyone': None, 'units_owners': 0, 'units_everyone': 0}
    return hedgerow.Model.parse(json.dumps(file))


def test_conditions__are_those_of_the_owners_and_go_on():
    model = hedgerow.simulate(frames(), schema=CLASSES, epsilon=4)
    own, both = model.guarantee, continued(model).start_guarantee
    assert own.coalition == 1 and own.epsilon < own.epsilon_owners < own.epsilon_everyone and model.start_guarantee is None
    assert own.conditions in own.statement and 'any owner with it' in own.conditions and 'BLAKE2b' in own.conditions
    assert (both.coalition, both.epsilon, both.epsilon_owners, both.epsilon_everyone) == (1, own.epsilon + 1, own.epsilon_owners + 1, math.inf)
    assert 'nothing is promised if the coordinator is with them' in both.conditions
    text = ' '.join(html.unescape(render(continued(model))).split())
    assert 'This holds %s.' % own.conditions in text and 'This holds %s.' % both.conditions in text
    assert own.promise[1:] in text and both.promise[1:] in text
    alone = hedgerow.simulate(frames(), schema=CLASSES, method='inprivate', epsilon=4).guarantee
    assert (alone.conditions, alone.coalition, alone.epsilon_owners, alone.epsilon_everyone) == ('', None, None, None)


def test_a_suspect_model__warns_where_it_is_read_and_used(tmp_path):
    model = hedgerow.simulate(frames(rows=300), schema=CLASSES, epsilon=4)
    assert model.suspect == '' and 'Suspect' not in model._repr_html_() and 'suspect' not in render(model)
    file = json.loads(model.to_json())
    file['settings']['job.suspect'] = 'record count, <b>size</b> of a sum'
    (tmp_path / 'm.json').write_text(json.dumps(file), 'utf-8')
    X, row = frames(rows=20)[0][0], {'a': 1, 'b': 1, 'c': 'x'}
    with pytest.warns(hedgerow.SuspectModelWarning, match='the model is suspect: .* Checks that failed: record count') as caught:
        suspect = hedgerow.Model.read(tmp_path / 'm.json')
    assert caught[0].filename == __file__ and caught[0].message.checks == suspect.suspect == 'record count, <b>size</b> of a sum'
    for use in (lambda: suspect.predict(X), lambda: suspect.predictor(), lambda: pickle.loads(pickle.dumps(suspect)), lambda: hedgerow.Model.parse(json.dumps(file))):
        with pytest.warns(hedgerow.SuspectModelWarning) as caught:
            use()
        assert len(caught) == 1
    assert pickle.loads(pickle.dumps(caught[0].message)).checks == suspect.suspect
    with warnings.catch_warnings():  # one warning for a predictor, none for each record
        warnings.simplefilter('ignore', hedgerow.SuspectModelWarning)
        predictor = suspect.predictor()
        warnings.simplefilter('error')
        assert predictor.predict_proba_row(row) is not None
    assert 'Suspect' in suspect._repr_html_()
    page = ' '.join(html.unescape(render(suspect)).split())
    assert 'This model is suspect.' in page and 'Checks that failed: record count, <b>size</b> of a sum.' in page
    assert '<b>size</b>' not in render(suspect)


def test_owners__train_on_numbers_and_with_other_methods():
    model = hedgerow.simulate(frames(True), schema=NUMBERS, method='inprivate', rounds=2, epsilon=4, options={'depth': 3})
    assert model.guarantee.is_private
    X, y = frames(True)[0]
    assert np.corrcoef(model.predict(X)[:, 0], y)[0, 1] > .5
    assert not hedgerow.simulate(frames(), schema=CLASSES, method='simfl', mode='paper', options={'trees': 3}).guarantee.is_private


def test_owners__train_with_lists_of_interactions():
    model = hedgerow.simulate(frames(), schema=CLASSES, epsilon=4, options={'interactions': [['a', 'b']]})
    assert model.interactions == '[["a", "b"]]'
    with pytest.raises(hedgerow.ArgumentError, match='interactions is'):
        hedgerow.simulate(frames(), schema=CLASSES, epsilon=4, options={'interactions': ['a', 'b']})


def test_owners__give_polars_and_arrow_tables():
    polars = pytest.importorskip('polars')
    tables = [(polars.DataFrame({k: v.tolist() for k, v in owner(500, seed)[0].items()}), owner(500, seed)[1]) for seed in range(2)]
    assert hedgerow.simulate(tables, schema=CLASSES, epsilon=4).guarantee.is_private


def test_owners__with_one_table_are_refused():
    import pandas as pd
    one, other, third = frames(rows=200)
    with pytest.raises(hedgerow.ArgumentError, match=r'owners\[0\] and owners\[2\] have one table: every record in it would count twice'):
        hedgerow.simulate([one, other, (one[0], third[1])], schema=CLASSES, epsilon=4)
    numbers = np.asfortranarray(np.random.default_rng(1).uniform(-1, 1, (200, 2)))
    schema, y = Schema.build(Column('label', values=('no', 'yes')), FEATURES[:2]), one[1]
    with pytest.raises(hedgerow.ArgumentError, match='tables 1 and 2 are one: every record in it would count twice'):
        hedgerow.simulate([(numbers, y), (numbers[:], y)], schema=schema, epsilon=4)
    assert hedgerow.simulate([(numbers[:100], y[:100]), (numbers[100:], y[100:])], schema=schema, epsilon=4).guarantee.is_private
    assert hedgerow.simulate([one, (pd.DataFrame(other[0]), one[1])], schema=CLASSES, epsilon=4).guarantee.is_private


@pytest.mark.parametrize('asked, kind, says', [
    ({'method': 'dpboost'}, hedgerow.ArgumentError, 'owners do not train the method'),
    ({'method': 'nonsense'}, hedgerow.ArgumentError, 'nonsense'),
    ({'mode': 'loud'}, hedgerow.ArgumentError, 'loud'),
    ({'epsilon': -1}, hedgerow.ArgumentError, 'epsilon'),
    ({'epsilon': 1e-9}, hedgerow.HedgerowError, None),
    ({'coalition': 3}, hedgerow.ArgumentError, 'coalition'),
    ({'rounds': 3}, hedgerow.ArgumentError, 'rounds'),
    ({'options': {'candy': 3}}, hedgerow.ArgumentError, 'candy'),
])
def test_wrong_jobs__are_refused(asked, kind, says):
    with pytest.raises(kind, match=says):
        hedgerow.simulate(frames(rows=200), schema=CLASSES, **asked)


def test_wrong_tables__are_refused():
    X, y = frames(rows=50)[0]
    with pytest.raises(hedgerow.SchemaError, match="no column 'c'"):
        hedgerow.simulate([(X.drop(columns='c'), y)], schema=CLASSES)
    with pytest.raises(hedgerow.SchemaError, match='maybe'):
        hedgerow.simulate([(X, np.where(y == 'yes', 'maybe', y))], schema=CLASSES)
    with pytest.raises(ValueError, match='inconsistent numbers'):
        hedgerow.simulate([(X, y[1:])], schema=CLASSES)
    with pytest.raises(hedgerow.ArgumentError, match='no owners'):
        hedgerow.simulate([], schema=CLASSES)
