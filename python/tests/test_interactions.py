"""Which features of hedge's trees may meet: parameters of the estimators, and the report of a model that is additive."""
import datetime
import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from hedgerow import ArgumentError, HedgerowClassifier, HedgerowRegressor, Model
from hedgerow._report import render

NAMES = ['age', 'dose', 'blood, group', 'x']
LISTS = [['age', 'dose'], ['dose', 'blood, group', 'x']]


def table(rows=3000):
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.uniform(size=(rows, 4)), columns=NAMES)
    return X, (X['age'] * X['dose'] + .5 * X['x']).to_numpy()


def regressor(**more):
    return HedgerowRegressor(epsilon=20, bounds=(0, 1), label_bounds=(0, 2), random_state=3, **more)


def features_of(tree):
    return frozenset(NAMES[node[1]] for node in tree['nodes'] if len(node) > 1)


@pytest.fixture(scope='module')
def additive():
    with pytest.warns(UserWarning, match='NOT PRIVATE'):
        return regressor(interactions='none').fit(*table())


@pytest.mark.filterwarnings('ignore:NOT PRIVATE')
@pytest.mark.parametrize('interactions', ['pairs', LISTS, tuple(map(tuple, LISTS))])
def test_trees__split_by_features_that_may_meet(interactions):
    model = regressor(interactions=interactions).fit(*table()).model_
    found = {features_of(tree) for tree in json.loads(model.to_json())['trees']}
    assert not model.is_additive and any(len(features) > 1 for features in found)
    if interactions == 'pairs':
        assert model.interactions == 'pairs' and all(len(features) <= 2 for features in found)
    else:
        assert json.loads(model.interactions) == LISTS
        assert all(len(features) <= 1 or any(features <= set(names) for names in LISTS) for features in found)


@pytest.mark.filterwarnings('ignore:NOT PRIVATE')
def test_all__is_the_default():
    X, y = table()
    models = [regressor(**more).fit(X, y).model_ for more in ({}, {'interactions': 'all'}, {'interactions': None})]
    assert len({model.to_json() for model in models}) == 1
    assert models[0].interactions == 'all'


def test_additive_models__are_the_sum_of_their_shapes(additive):
    model, (X, _) = additive.model_, table()
    shapes = model.shapes()
    assert model.is_additive and model.interactions == 'none' and shapes.other_trees == 0
    score = np.full(len(X), shapes.base[0])
    for shape in shapes.shapes:
        axis, = shape.axes
        score += shape.values[1 + np.searchsorted(axis.edges, X[axis.feature]), 0]
    assert np.allclose(np.clip(1 + score, 0, 2), additive.predict(X), atol=1e-9)


def test_report__of_an_additive_model_has_every_curve_and_where_they_begin(additive):
    model, (X, _) = additive.model_, table()
    page = re.sub(r'\s+', ' ', render(model, day=datetime.date(2031, 2, 3)))
    assert 'These charts are the whole model' in page
    assert page.count(' as a table</summary>') >= len(NAMES)
    begins = float(re.search(r'it begins at ([0-9.]+), its average', page).group(1))
    row = X.iloc[0]
    added = begins
    for name in NAMES:
        part = page.split('<summary>%s as a table' % name)[1].split('</table>')[0]
        rows = re.findall(r'<th scope="row">([^<]*)</th><td class="n"[^>]*>([^<]*)</td>', part)
        added += next(number(text) for cell, text in rows if holds(cell, row[name]))
    assert abs(added - additive.predict(X.iloc[:1])[0]) < .02


def number(text):
    return float(text.split(' \u00b1 ')[0].replace('\u2212', '-').replace('\u202f', ''))


def holds(cell, value):
    if cell.startswith('up to '):
        return value <= float(cell[len('up to '):])
    if cell.startswith('above '):
        return value > float(cell[len('above '):])
    if ' to ' in cell:
        low, high = map(float, cell.split(' to '))
        return low < value <= high
    return cell == 'any'


@pytest.mark.filterwarnings('ignore:NOT PRIVATE')
def test_report__of_other_models_does_not_say_so():
    page = render(regressor(interactions='pairs').fit(*table()).model_, day=datetime.date(2031, 2, 3))
    assert 'the whole model' not in page.split('id="effects"')[1].split('</section>')[0]


@pytest.mark.parametrize('interactions, told', [
    ('some', 'some'), ([], 'no list in the list'), ([[]], 'no feature'), ([['age']], 'one feature alone'), ([['age', 'dose', 'age']], 'twice'),
    ([['age', 'weight']], "no feature 'weight'"), (['age', 'dose'], 'lists of names'), ([['age', 1]], 'lists of names'), ({'age': 'dose'}, 'lists of names'),
    (7, 'lists of names')])
def test_interactions__that_are_none_are_refused(interactions, told):
    with pytest.raises(ArgumentError, match=re.escape(told)):
        HedgerowRegressor(bounds=(0, 1), label_bounds=(0, 2), interactions=interactions).fit(*table(100))


def test_interactions__are_a_parameter_of_their_own():
    with pytest.raises(ArgumentError, match='interactions'):
        regressor(options={'interactions': 'none'}).fit(*table(100))
    with pytest.raises(ArgumentError, match="no option 'interactions'"):
        HedgerowRegressor('dpboost', bounds=(0, 1), label_bounds=(0, 2), interactions='none').fit(*table(100))
    assert clone(HedgerowClassifier(interactions=LISTS)).get_params()['interactions'] == LISTS


def test_plans__leave_out_kinds_of_trees_that_there_are_none_of():
    plans = [HedgerowClassifier(interactions=which).plan(5000) for which in ('all', 'pairs', 'none', LISTS)]
    assert [(plan['depth_pair'] > 0, plan['depth_all'] > 0, plan['lists']) for plan in plans] == [
        (True, True, False), (True, False, False), (False, False, False), (True, True, True)]


def test_models__that_go_beyond_what_they_state_are_refused(additive):
    with pytest.warns(UserWarning, match='NOT PRIVATE'):
        text = regressor(interactions='pairs').fit(*table()).model_.to_json()
    with pytest.raises(Exception, match='keeps apart'):
        Model.parse(text.replace('"interactions": "pairs"', '"interactions": "none"'))
