"""The estimators: scikit-learn's own checks, what they promise, what they spend, and what they refuse."""
import copy
import gzip
import math
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator

import hedgerow
from hedgerow import HedgerowClassifier, HedgerowRegressor

# What check_estimator leaves out by itself, and why.
SKIPPED = {
    'check_pipeline_consistency': 'noise differs from fit to fit',
    'check_array_api_input': 'it asks for SCIPY_ARRAY_API, which changes scipy for the whole process',
}
PUBLIC = {'bounds': (-5, 5), 'classes': ['no', 'yes']}


def table(rows=3000, seed=1):
    rng = np.random.default_rng(seed)
    X = np.clip(rng.normal(size=(rows, 4)), -5, 5)
    return X, np.where(X[:, 0] + X[:, 1] > 0, 'yes', 'no')


@pytest.mark.parametrize('kind', [HedgerowClassifier, HedgerowRegressor])
@pytest.mark.parametrize('method', ['hedge', 'dpboost', 'diprime', 'gbdt'])
def test_scikit_learns_checks__pass(kind, method):
    """Their tables are too small for private bounds of a label."""
    estimator = kind(method, label_bounds=(-1000, 1000)) if kind is HedgerowRegressor else kind(method)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        results = check_estimator(estimator, on_fail=None)
    assert [(r['check_name'], repr(r['exception'])) for r in results if r['status'] == 'failed'] == []
    assert {r['check_name'] for r in results if r['status'] == 'skipped'} <= set(SKIPPED)
    assert len(results) > 40


def test_public_facts__give_a_guarantee_without_a_warning():
    X, y = table()
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        model = HedgerowClassifier(epsilon=2, delta=1e-6, **PUBLIC).fit(X, y)
    assert model.guarantee_.is_private and model.guarantee_.epsilon <= 2
    assert model.score(X, y) > .9
    assert model.releases_ and all(release.mechanism != 'identity' for release in model.releases_)
    assert model.feature_importances_[:2].sum() > .8 and math.isclose(model.feature_importances_.sum(), 1)


def test_importances__are_in_the_order_of_the_columns():
    rng = np.random.default_rng(5)
    X = pd.DataFrame({'noise': rng.uniform(size=3000), 'label': 'x', 'signal': rng.uniform(size=3000)})
    X['label'] = np.where(X.signal > .5, 'yes', 'no')
    schema = hedgerow.Schema.build(hedgerow.Column('label', values=('no', 'yes')), [hedgerow.Column('signal', 0, 1), hedgerow.Column('noise', 0, 1)])
    model = HedgerowClassifier(schema=schema, epsilon=4).fit(X, X.label)
    assert len(model.feature_importances_) == model.n_features_in_ == 3
    assert model.feature_importances_[2] > .5 and model.feature_importances_[1] == 0


@pytest.mark.parametrize('given, what', [
    ({'bounds': (-5, 5)}, 'classes of the label'),
    ({'bounds': 'data', 'classes': ['no', 'yes']}, 'bounds of x0, the bounds of x1'),
])
def test_facts_read_off_the_records__take_the_guarantee_away(given, what):
    X, y = table()
    with pytest.warns(hedgerow.PrivacyLeakWarning, match=what):
        model = HedgerowClassifier(**given).fit(X, y)
    assert not model.guarantee_.is_private and model.guarantee_.epsilon == math.inf
    assert what in model.guarantee_.statement and 'NOT DIFFERENTIALLY PRIVATE' in model.model_.summary()


MARKED = """hedgerow-schema: 1
reviewed: %s
label: {name: y, kind: classes, values: ['no', 'yes']%s}
features:
  - {name: x0, kind: number, low: -5, high: 5%s}
  - {name: x1, kind: number, low: -5, high: 5%s}
  - {name: x2, kind: number, low: -5, high: 5%s}
  - {name: x3, kind: number, low: -5, high: 5%s}
"""
SOURCE = ', source: a form'


def test_marks_that_are_accepted__take_the_guarantee_away(tmp_path):
    X, y = table()
    schema = hedgerow.Schema.parse(MARKED % ('true', SOURCE, ', review: [high]', '', ', review: [low]', ''))
    with pytest.warns(hedgerow.PrivacyLeakWarning, match='x0, x2'):
        model = HedgerowClassifier(schema=schema).fit(X, y)
    assert not model.guarantee_.is_private and model.guarantee_.epsilon == math.inf and 'x0, x2' in model.guarantee_.statement
    ledger = hedgerow.Ledger.create(tmp_path / 'ledger.db', 10, 1e-3)
    for refused in (lambda: HedgerowClassifier(schema=schema, ledger=ledger).fit(X, y),
                    lambda: hedgerow.simulate([(X[:300], y[:300]), (X[300:], y[300:])], schema=schema)):
        with pytest.raises(hedgerow.PolicyError, match='x0, x2'):
            refused()
    assert ledger.entries == []


def test_marks_that_await_review__are_refused():
    X, y = table()
    for marks in ((SOURCE, ', review: [high]', SOURCE, SOURCE, SOURCE), (SOURCE, '', SOURCE, SOURCE, SOURCE)):
        with pytest.raises(hedgerow.PolicyError, match='x0'):
            HedgerowClassifier(schema=hedgerow.Schema.parse(MARKED % ('false', *marks))).fit(X, y)
    assert HedgerowClassifier(schema=hedgerow.Schema.parse(MARKED % (('false', ) + 5 * (SOURCE, )))).fit(X, y).guarantee_.is_private


def test_a_leak__cannot_be_charged_to_a_ledger(tmp_path):
    X, y = table()
    ledger = hedgerow.Ledger.create(tmp_path / 'ledger.db', 10)
    with pytest.warns(hedgerow.PrivacyLeakWarning), pytest.raises(hedgerow.PolicyError, match='read off the records'):
        HedgerowClassifier(delta=0, ledger=ledger).fit(X, y)
    assert ledger.entries == [] and ledger.spent == (0, 0)


def test_bounds_nobody_gave__are_released_for_a_part_of_the_budget():
    X, y = table()
    model = HedgerowClassifier(classes=['no', 'yes']).fit(X * 1000, y)
    assert model.guarantee_.is_private and 'bounds of 4 columns' in model.guarantee_.statement
    assert all(-16000 < c.low < -1000 and 1000 < c.high < 16000 for c in model.model_.schema.features)


def test_random_state__makes_equal_models_that_are_not_private():
    X, y = table()
    with pytest.warns(hedgerow.PrivacyLeakWarning, match='random_state'):
        one, two = (HedgerowClassifier(random_state=7, **PUBLIC).fit(X, y) for _ in range(2))
    assert one.model_.to_json() == two.model_.to_json() and not one.guarantee_.is_private


def test_paper_mode__says_what_the_model_does():
    X, y = table()
    model = HedgerowClassifier('dpboost', mode='paper', **PUBLIC).fit(X, y)
    assert not model.guarantee_.is_private and model.guarantee_.epsilon == math.inf


def test_a_ledger__is_charged_for_each_fit_and_refuses_beyond(tmp_path):
    X, y = table()
    path = tmp_path / 'ledger.db'
    hedgerow.Ledger.create(path, epsilon=2)
    model = HedgerowClassifier(epsilon=1, delta=0, ledger=path, **PUBLIC).fit(X, y).fit(X, y)
    with pytest.raises(hedgerow.BudgetError, match='left'):
        model.fit(X, y)
    ledger = hedgerow.Ledger(path)
    assert ledger.left[0] == 0 and [e.state for e in ledger.entries] == ['committed', 'committed']


def test_a_grid_search__spends_what_search_cost_says(tmp_path):
    X, y = table(600)
    ledger = hedgerow.Ledger.create(tmp_path / 'ledger.db', epsilon=100)
    model = HedgerowClassifier(epsilon=1, delta=0, ledger=str(ledger.path), **PUBLIC)
    GridSearchCV(model, {'options__bins': [16, 32]}, cv=3).fit(X, y)
    assert ledger.spent[0] == pytest.approx(hedgerow.search_cost(model, 2 * 3 + 1)[0])


def test_a_grid_search__stops_where_the_ledger_ends(tmp_path):
    X, y = table(600)
    ledger = hedgerow.Ledger.create(tmp_path / 'ledger.db', epsilon=3)
    model = HedgerowClassifier(epsilon=1, delta=0, ledger=str(ledger.path), **PUBLIC)
    with pytest.raises(hedgerow.BudgetError):
        GridSearchCV(model, {'options__bins': [16, 32]}, cv=3, error_score='raise').fit(X, y)
    assert ledger.spent[0] <= 3


def test_models__survive_pickle_files_and_clones(tmp_path):
    X, y = table()
    model = HedgerowClassifier(**PUBLIC).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    model.model_.write(tmp_path / 'model.json')
    read = hedgerow.Model.read(tmp_path / 'model.json')
    model.model_.write(tmp_path / 'model.json.gz')
    packed = (tmp_path / 'model.json.gz').read_bytes()
    assert gzip.decompress(packed) == (tmp_path / 'model.json').read_bytes()
    assert hedgerow.Model.read(tmp_path / 'model.json.gz').to_json() == read.to_json()
    (tmp_path / 'model.json.gz').write_bytes(packed[:-9])
    with pytest.raises(hedgerow.FormatError, match='end too early'):
        hedgerow.Model.read(tmp_path / 'model.json.gz')
    expected = model.predict_proba(X)
    assert np.array_equal(again.predict_proba(X), expected) and np.array_equal(read.predict(X), expected)
    assert not hasattr(clone(model), 'model_')


def test_pipelines_and_probabilities():
    X, y = table()
    model = make_pipeline(FunctionTransformer(), HedgerowClassifier(**PUBLIC)).fit(X, y)
    assert np.allclose(model.predict_proba(X).sum(axis=1), 1)
    assert set(model.predict(X)) <= {'no', 'yes'}


def test_a_regressor__keeps_to_its_public_bounds():
    X, _ = table()
    model = HedgerowRegressor(bounds=(-5, 5), label_bounds=(-2, 2)).fit(X, 3 * X[:, 0])
    out = model.predict(X)
    assert out.min() >= -2 and out.max() <= 2 and model.guarantee_.is_private


def test_a_schema_file__is_what_the_command_reads(tmp_path):
    X, y = table()
    (tmp_path / 'schema.yaml').write_text('''hedgerow-schema: 1
label: {name: late, kind: classes, values: ["no", "yes"]}
features:
  - {name: a, kind: number, low: -5, high: 5}
  - {name: b, kind: number, low: -5, high: 5}
  - {name: c, kind: number, low: -5, high: 5}
  - {name: d, kind: number, low: -5, high: 5}
''')
    model = HedgerowClassifier(schema=tmp_path / 'schema.yaml').fit(X, y)
    assert model.guarantee_.is_private and list(model.classes_) == ['no', 'yes']
    assert [c.name for c in model.model_.schema.features] == list('abcd')


def test_a_plan__reads_nothing_and_spends_nothing():
    plan = HedgerowClassifier(epsilon=1).plan(10000)
    assert plan['records'] == 10000 and plan['rounds'] > 1 and 0 < plan['share_sums'] < 1
    assert plan['leaf_figure'].startswith('the mean error of the model') and plan['leaf_noise'] == plan['gradient_noise']
    with pytest.raises(hedgerow.ArgumentError):
        HedgerowClassifier('dpboost').plan(10000)


@pytest.mark.parametrize('parameters, message', [
    ({'method': 'hedg'}, 'hedg'),
    ({'mode': 'papre'}, 'papre'),
    ({'epsilon': -1}, 'epsilon'),
    ({'epsilon': float('nan')}, 'epsilon'),
    ({'options': {'bins': 0}}, 'bins'),
    ({'options': {'tree': 3}}, 'tree'),
    ({'bounds': {'x0': (1, 0)}}, 'x0'),
    ({'bounds': {'x0': 5}}, 'two numbers'),
    ({'bounds': 'read'}, 'bounds is'),
    ({'categories': 'all'}, 'categories is'),
    ({'classes': ['no']}, 'two values'),
    ({'classes': ['no', 'maybe']}, 'yes'),
    ({'class_weights': 'balanced'}, 'public'),
    ({'class_weights': {'maybe': 2}}, 'maybe'),
    ({'class_weights': {'yes': 0}}, 'class-weight'),
    ({'class_weights': {'yes': 2}, 'method': 'para'}, 'class-weight'),
    ({'schema': '/nowhere.yaml', 'bounds': None, 'classes': None}, '/nowhere.yaml'),
    ({'ledger': '/nowhere.db'}, '/nowhere.db'),
    ({'delta': .5}, 'delta'),
])
def test_wrong_parameters__are_named(parameters, message):
    X, y = table(200)
    with pytest.raises((hedgerow.HedgerowError, ValueError, OSError), match=message):
        HedgerowClassifier(**{**PUBLIC, **parameters}).fit(X, y)


def test_an_interrupted_fit__raises_and_the_next_one_works():
    X, y = table()

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        HedgerowClassifier(progress=stop, **PUBLIC).fit(X, y)
    steps = []
    HedgerowClassifier(progress=lambda done, total: steps.append((done, total)), **PUBLIC).fit(X, y)
    assert steps and steps[-1][0] == steps[-1][1]


def test_class_weights__find_more_of_a_rare_class():
    X, _ = table()
    y = np.where(X[:, 0] + np.random.default_rng(2).normal(size=len(X)) > 1.8, 'yes', 'no')
    even = HedgerowClassifier(epsilon=10, **PUBLIC).fit(X, y)
    weighed = HedgerowClassifier(epsilon=10, class_weights={'yes': 10}, **PUBLIC).fit(X, y)
    assert weighed.guarantee_.is_private and weighed.guarantee_.epsilon <= 10
    assert (weighed.predict(X) == 'yes').sum() > 2 * (even.predict(X) == 'yes').sum()


SCHEMA = hedgerow.Schema.build(hedgerow.Column('y', values=('0', '1', '2')), [hedgerow.Column('x%d' % i, -5, 5) for i in range(4)])


@pytest.mark.parametrize('occur', [[0, 1], [0, 1, 2], [2]])
def test_classes__do_not_tell_which_of_them_occur(occur):
    X, _ = table(600)
    model = HedgerowClassifier(schema=SCHEMA).fit(X, np.resize(occur, len(X)))
    assert model.classes_.dtype.kind == 'i' and list(model.classes_) == [0, 1, 2]


def test_a_refused_fit__leaves_the_last_model_as_it_was(tmp_path):
    X, y = table()
    ledger = hedgerow.Ledger.create(tmp_path / 'ledger.db', 1)
    model = HedgerowClassifier(delta=0, ledger=ledger, **PUBLIC).fit(X, y)
    before = model.score(X, y)
    with pytest.raises(hedgerow.BudgetError):
        model.set_params(classes=['yes', 'no']).fit(X, y)
    assert model.score(X, y) == before


def test_schemas_and_ledgers__are_cloned_and_pickled(tmp_path):
    X, _ = table(600)
    ledger = hedgerow.Ledger.create(tmp_path / 'ledger.db', 5)
    model = pickle.loads(pickle.dumps(clone(HedgerowClassifier(schema=SCHEMA, ledger=ledger, delta=0))))
    assert 'Schema: label' in repr(model)
    model.fit(X, np.resize([0, 1], len(X)))
    assert ledger.spent[0] == 1


def test_copies_of_a_proposal__have_its_facts_and_nothing_of_the_records():
    X, y = table(600)
    proposed = hedgerow.Schema.propose(pd.DataFrame(X, columns=list('abcd')), y=y)
    for again in (copy.copy(proposed), copy.deepcopy(proposed), pickle.loads(pickle.dumps(proposed)), clone(HedgerowClassifier(schema=proposed)).schema):
        assert [fact.name for fact in again.facts] == [fact.name for fact in proposed.facts] and repr(again) == repr(proposed)
        assert again.notes == '' and not any(fact.remark for fact in again.facts) and again.accept_proposed().to_yaml() == proposed.accept_proposed().to_yaml()


def test_one_ledger__may_be_used_by_several_threads(tmp_path):
    import concurrent.futures
    X, y = table(600)
    ledger = hedgerow.Ledger.create(tmp_path / 'ledger.db', 40)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: HedgerowClassifier(delta=0, ledger=ledger, **PUBLIC).fit(X, y), range(20)))
    assert ledger.spent[0] == 20


def test_search_cost__has_the_delta_of_the_method():
    assert hedgerow.search_cost(HedgerowClassifier(), 10) == pytest.approx((10, 1e-5))


def test_an_interrupt_after_the_last_step__is_not_lost():
    import os
    import signal

    from hedgerow._native import Interrupts
    with pytest.raises(KeyboardInterrupt):
        with Interrupts():
            os.kill(os.getpid(), signal.SIGINT)


def test_a_schema_with_weights__is_refused_with_what_to_give():
    schema = hedgerow.Schema.build(hedgerow.Column('y', values=('no', 'yes')), [hedgerow.Column('x', 0, 1)], weight=('w', 4))
    assert schema.weight == ('w', 4) and hedgerow.Schema.parse(schema.to_yaml()).weight == ('w', 4)
    assert hedgerow.Schema.build(hedgerow.Column('y', values=('no', 'yes')), [hedgerow.Column('x', 0, 1)]).weight is None
    with pytest.raises(hedgerow.SchemaError, match='sample_weight'):
        hedgerow.HedgerowClassifier(schema=schema).fit([[.1], [.9]], ['no', 'yes'])


def test_counts__are_refused_beside_a_schema_of_a_number():
    schema = hedgerow.Schema.build(hedgerow.Column('y', 0, 40), [hedgerow.Column('x', 0, 1)])
    with pytest.raises(hedgerow.SchemaError, match='no count'):
        hedgerow.HedgerowRegressor(schema=schema, counts=True).fit([[.1], [.9]], [1, 2])
