"""Intervals that held-out records correct, in Python."""
import json

import numpy as np
import pytest

from hedgerow import HedgerowRegressor, Schema, evaluate, simulate
from hedgerow.errors import ArgumentError
from hedgerow._report import render
from hedgerow.schema import Column

PUBLIC = {'bounds': (0, 1), 'label_bounds': (0, 1), 'epsilon': 4}


def table(n=4000, seed=1):
    dice = np.random.default_rng(seed)
    X = dice.random((n, 2))
    return X, X[:, 0] * dice.random(n)


def test_conformal__corrects_the_interval():
    model = HedgerowRegressor(quantiles=(.1, .5, .9), conformal=.8, **PUBLIC).fit(*table())
    X, y = table(20000, 2)
    q = model.predict_quantiles(X)
    assert (np.diff(q, axis=1) >= 0).all()
    assert .7 < np.mean((q[:, 0] <= y) & (y <= q[:, 2])) < .9
    made = json.loads(model.model_.to_json())['conformal']
    assert made['coverage'] == .8 and made['shortfall'] > 0


def test_evaluate__names_the_intervals():
    """Those of the outer quantiles, and those within, of which one was corrected."""
    model = HedgerowRegressor(quantiles=(.05, .1, .25, .75, .9, .95), conformal=.8, **PUBLIC).fit(*table())
    X, y = table(20000, 2)
    q = model.predict_quantiles(X)
    made = evaluate(model, X, y, epsilon=1000)
    assert list(made.figures) == ['records', 'pinball_q5', 'pinball_q10', 'pinball_q25', 'pinball_q75', 'pinball_q90', 'pinball_q95',
                                  'coverage', 'width', 'coverage_0.8', 'width_0.8', 'coverage_0.5', 'width_0.5']
    for name, low in (('', 0), ('_0.8', 1), ('_0.5', 2)):
        low_end, high_end = q[:, low], q[:, 5 - low]
        assert abs(made['coverage' + name].value - np.mean((low_end <= y) & (y <= high_end))) < .005
        assert abs(made['width' + name].value - np.mean(high_end - low_end)) < .005
    assert abs(made['pinball_q90'].value - np.mean(np.maximum(.9 * (y - q[:, 4]), -.1 * (y - q[:, 4])))) < .005


def test_report__has_the_interval():
    page = render(HedgerowRegressor(quantiles=(.1, .5, .9), conformal=.8, **PUBLIC).fit(*table()).model_)
    assert 'id="interval"' in page and 'is to cover 80 % of the labels' in page
    assert 'wards by' in page and 'records were held out. Groups' in page
    few = render(HedgerowRegressor(quantiles=(.1, .5, .9), conformal=.8, **{**PUBLIC, 'epsilon': .01}).fit(*table(100)).model_)
    assert 'No coverage is promised: too few records were held out for this budget.' in few and 'less at most' not in few
    assert 'id="interval"' not in render(HedgerowRegressor(quantiles=(.1, .5, .9), **PUBLIC).fit(*table()).model_)


def test_conformal__is_refused_by_name():
    for parameters in ({'quantiles': (.1, .5, .9), 'conformal': .7}, {'conformal': .8}, {'quantiles': (.1, .9), 'conformal': 2}):
        with pytest.raises(ArgumentError, match='conformal'):
            HedgerowRegressor(**parameters, **PUBLIC).fit(*table(200))


def test_conformal__of_owners():
    schema = Schema.build(Column('y', low=0, high=1, quantiles=(.1, .5, .9)), [Column('a', low=0, high=1), Column('b', low=0, high=1)])
    owners = [table(3000, seed) for seed in (1, 2, 3)]
    model = simulate(owners, schema=schema, epsilon=4, options={'conformal': .8})
    made = json.loads(model.to_json())['conformal']
    assert made['coverage'] == .8 and 1600 < made['held_out'] < 2000
    page = render(model)
    assert 'id="interval"' in page and 'less at most' in page and 'about %.0f records were held out' % made['held_out'] in page
