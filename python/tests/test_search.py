"""Settings chosen within one budget: what is charged and promised, which is chosen, and what is refused before anything is spent."""
import math
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import hedgerow
from hedgerow import HedgerowClassifier, HedgerowRegressor, Ledger, PrivateSearchCV

ROWS = 2000
PUBLIC = {'bounds': (0, 1), 'classes': ['no', 'yes']}
GRID = {'trees': [1, 5], 'depth': [1, 3]}


@pytest.fixture(scope='module')
def table():
    rng = np.random.default_rng(4)
    X = rng.uniform(size=(ROWS, 3))
    return X, np.where((X[:, 0] > .5) ^ (X[:, 1] > .5), 'yes', 'no')


@pytest.fixture
def ledger(tmp_path):
    return Ledger.create(tmp_path / 'year.db', epsilon=30, delta=1e-4)


def test_search__is_one_charge_and_one_guarantee(table, ledger):
    X, y = table
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        search = PrivateSearchCV(HedgerowClassifier('dpboost', **PUBLIC), GRID, epsilon=2, delta=1e-6, ledger=ledger).fit(X, y)
    assert [(e.epsilon, e.state, e.purpose) for e in ledger.entries] == [(2, 'committed', 'tune 4 settings for label')]
    g = search.guarantee_
    assert g.is_private and g.epsilon == 2 and 0 < g.delta <= 1e-6 and 'each of 4 settings trained once' in g.statement
    assert search.epsilon_fit_ < 2 and search.epsilon_trial_ < search.epsilon_fit_
    assert sum(release.what == 'choice of a setting' for release in search.releases_) == 1
    assert {release.what.rsplit(', ')[-1] for release in search.releases_} >= {'setting %d' % i for i in (1, 2, 3, 4)}


@pytest.mark.filterwarnings('ignore:NOT PRIVATE')
def test_search__takes_the_setting_that_predicts_better(table):
    X, y = table
    # A seed: splits of an exclusive or gain nothing at the root, so that one run in twenty finds worse trees.
    forest = HedgerowClassifier('dpboost', options={'learning_rate': .5}, random_state=1, **PUBLIC)
    search = PrivateSearchCV(forest, GRID, epsilon=300, delta=0, share=.5).fit(X, y)
    assert search.best_params_['depth'] == 3  # exclusive or: a stump cannot say it
    assert search.score(X, y) > .9 and search.best_estimator_.options['depth'] == 3
    assert list(search.predict(X)) == list(search.best_estimator_.predict(X)) and list(search.classes_) == ['no', 'yes']
    assert search.predict_proba(X).shape == (ROWS, 2) and search.n_features_in_ == 3
    assert '"depth": "3"' in search.best_estimator_.model_.to_json()


def test_search__keeps_the_interactions_of_each_setting(table):
    X, y = table
    search = PrivateSearchCV(HedgerowClassifier(**PUBLIC), {'interactions': ['none', 'pairs']}, epsilon=100, delta=1e-6, share=.5).fit(X, y)
    assert search.best_params_['interactions'] == 'pairs'  # exclusive or: a sum of one number a feature cannot say it
    assert search.best_estimator_.model_.interactions == 'pairs'


def test_search__compares_methods_where_both_count_in_epsilon(table):
    X, y = table
    grid = [{'method': ['hedge']}, {'method': ['dp-df'], 'depth': [1, 2]}]
    search = PrivateSearchCV(HedgerowClassifier(**PUBLIC), grid, epsilon=300, delta=0).fit(X, y)
    assert search.best_params_ == {'method': 'hedge'} and search.best_index_ == 0
    assert search.best_estimator_.model_.method == search.best_estimator_.method == 'hedge'


def test_search__takes_options_of_the_method_by_name(table):
    X, y = table
    search = PrivateSearchCV(HedgerowClassifier(**PUBLIC), {'loss': ['square', 'logistic'], 'edges': ['public']}, epsilon=4).fit(X, y)
    assert set(search.best_params_) == {'loss', 'edges'}
    assert search.best_estimator_.options == search.best_params_


def test_search__releases_bounds_once(table):
    X, _ = table
    y = 7 * X[:, 0]
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        search = PrivateSearchCV(HedgerowRegressor(), {'bins': [8, 32]}, epsilon=16).fit(pd.DataFrame(X, columns=list('abc')), y)
    assert search.guarantee_.is_private and search.guarantee_.epsilon == 16
    assert sum(release.what == 'magnitudes' for release in search.releases_) == 4
    label = search.best_estimator_.model_.schema.label
    assert label.low <= 0 and 6 < label.high < 100


def test_search__without_privacy_says_so(table):
    X, y = table
    with pytest.warns(hedgerow.PrivacyLeakWarning, match='random_state'):
        search = PrivateSearchCV(HedgerowClassifier(random_state=1, **PUBLIC), {'bins': [8, 32]}).fit(X, y)
    assert not search.guarantee_.is_private and math.isinf(search.guarantee_.epsilon)


def test_refusals__spend_nothing(table, ledger):
    X, y = table

    def refused(error, words, estimator=HedgerowClassifier('dpboost', **PUBLIC), grid=GRID, **given):
        with pytest.raises(error, match=words), warnings.catch_warnings():
            warnings.simplefilter('ignore')
            PrivateSearchCV(estimator, grid, **{'epsilon': 2, 'ledger': ledger, **given}).fit(X, y)

    refused(hedgerow.ArgumentError, 'there are 1 settings', grid={'depth': [2]})
    refused(hedgerow.ArgumentError, 'there are 65 settings', grid={'trees': list(range(1, 66))})
    refused(hedgerow.ArgumentError, 'epsilon', grid={'epsilon': [1, 2]})
    refused(hedgerow.ArgumentError, 'leafs', grid={'leafs': [1, 2]})
    refused(hedgerow.ArgumentError, 'share', share=0)
    refused(hedgerow.ArgumentError, 'different measures', grid={'method': ['hedge', 'dpboost']}, delta=1e-6)
    refused(hedgerow.ArgumentError, 'no guarantee', grid={'method': ['dpboost', 'gbdt']}, delta=0)
    refused(hedgerow.ArgumentError, 'read off the records', estimator=HedgerowClassifier('dpboost', bounds=(0, 1)))
    refused(hedgerow.BudgetError, 'asked 31', epsilon=31)
    refused(hedgerow.ArgumentError, 'HedgerowClassifier', estimator='hedge')
    refused(hedgerow.PolicyError, 'reproducible', estimator=HedgerowClassifier('dpboost', random_state=1, **PUBLIC))
    assert ledger.spent == (0, 0) and not ledger.entries


def test_search__is_an_estimator_of_scikit_learn(table):
    X, y = table
    search = PrivateSearchCV(HedgerowClassifier(**PUBLIC), {'bins': [8, 32]}, epsilon=3)
    copy = clone(search).set_params(estimator__epsilon=1, share=.2)
    assert copy.share == .2 and copy.epsilon == 3
    with pytest.raises(ValueError, match='not fitted'):
        search.predict(X)
    search.fit(X, y)
    again = pickle.loads(pickle.dumps(search))
    assert list(again.predict(X)) == list(search.predict(X)) and again.guarantee_ == search.guarantee_


def test_evaluation__of_what_was_found(table):
    X, y = table
    search = PrivateSearchCV(HedgerowClassifier(**PUBLIC), {'bins': [8, 32]}, epsilon=3).fit(X, y)
    exact = np.mean(search.predict(X) != y)
    assert abs(hedgerow.evaluate(search, X, y, epsilon=5000)['error'].value - exact) < 1e-3
