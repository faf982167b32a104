"""Inside the estimators of scikit-learn that change labels, weigh records, search settings or pass sparse tables."""
import os
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn import config_context
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, LeaveOneGroupOut, RandomizedSearchCV, cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

import hedgerow
from hedgerow import HedgerowClassifier, HedgerowRegressor
from hedgerow._parameters import processors, threads_of

rng = np.random.default_rng(4)
X = rng.uniform(-1, 1, size=(1200, 3))
TWO = np.where(X[:, 0] > 0, 'yes', 'no')
THREE = np.select([X[:, 0] < -.3, X[:, 0] < .3], ['low', 'middle'], 'top')
PUBLIC = {'bounds': (-1, 1), 'epsilon': 8}
SCHEMA = hedgerow.Schema.build(hedgerow.Column('late', values=('yes', 'no')), [hedgerow.Column('x%d' % i, -1, 1) for i in range(3)])


def base(classes=('no', 'yes'), **parameters):
    return HedgerowClassifier(classes=list(classes), **{**PUBLIC, **parameters})


# ---- Labels that are numbered before the fit ----

AROUND = {
    'voting': lambda one: VotingClassifier([('a', one), ('b', one)]),
    'soft voting': lambda one: VotingClassifier([('a', one), ('b', one)], voting='soft'),
    'stacking': lambda one: StackingClassifier([('a', one)], LogisticRegression(), cv=2),
    'one against the rest': OneVsRestClassifier,
    'one against one': OneVsOneClassifier,
    'calibration': lambda one: CalibratedClassifierCV(one, cv=2),
    'pipeline': lambda one: make_pipeline(FunctionTransformer(), one),
    'search': lambda one: GridSearchCV(one, {'options__bins': [8, 16]}, cv=2, error_score='raise'),
}


@pytest.mark.parametrize('around', AROUND)
@pytest.mark.parametrize('facts', [{'classes': ['no', 'yes']}, {'classes': ['yes', 'no']}, {'schema': SCHEMA, 'bounds': None}, {'classes': [0, 1]}],
                         ids=['ascending', 'descending', 'schema', 'numbers'])
def test_text_classes__work_inside(around, facts):
    if facts.get('classes') == [0, 1] and around in ('calibration', 'pipeline', 'search'):
        pytest.skip('it passes the texts on')
    with warnings.catch_warnings():
        warnings.simplefilter('error', hedgerow.PrivacyLeakWarning)
        model = AROUND[around](HedgerowClassifier(**{**PUBLIC, **facts})).fit(X, TWO)
    assert model.score(X, TWO) > .9
    assert list(model.classes_) == ['no', 'yes']


@pytest.mark.parametrize('around', ['voting', 'soft voting', 'stacking', 'calibration', 'pipeline'])
@pytest.mark.parametrize('classes', [['low', 'middle', 'top'], ['top', 'low', 'middle']])
def test_three_text_classes__work_inside(around, classes):
    model = AROUND[around](base(classes)).fit(X, THREE)
    assert model.score(X, THREE) > .7


@pytest.mark.parametrize('around', [OneVsRestClassifier, OneVsOneClassifier])
def test_pairs_of_three_classes__need_numbers(around):
    with pytest.raises(hedgerow.SchemaError, match=r'classes=\[0, 1\]'):
        around(base(['low', 'middle', 'top'])).fit(X, THREE)
    assert around(base([0, 1])).fit(X, THREE).score(X, THREE) > .7


def test_numbers__name_the_classes_in_the_model():
    """Weights and the published names are those of the texts, whatever the order of the list."""
    for facts in ({'classes': ['yes', 'no'], **PUBLIC}, {'schema': SCHEMA, 'epsilon': 8}):
        model = HedgerowClassifier(class_weights={'yes': 4}, **facts).fit(X, (TWO == 'yes').astype(int))
        assert list(model.classes_) == [0, 1] and model.score(X, (TWO == 'yes').astype(int)) > .9
        assert model.model_.schema.label.values == ('yes', 'no')
        yes = model.model_.predict(X)[:, 0]
        assert np.array_equal(model.predict_proba(X)[:, 1], yes) and yes[X[:, 0] > .5].mean() > .7


def test_a_class_that_does_not_occur__is_not_guessed():
    """Of three classes two occur: the number 1 is the first or the second listed class."""
    few = X[THREE != 'middle'], THREE[THREE != 'middle']
    with pytest.raises(hedgerow.SchemaError, match='numbered the classes'):
        VotingClassifier([('a', base(['low', 'middle', 'top']))]).fit(*few)
    assert base(['low', 'middle', 'top']).fit(*few).score(*few) > .9


@pytest.mark.parametrize('classes', [['10', '9', '1'], ['1', '10', '9']])
def test_numbers_in_texts__are_not_guessed(classes):
    """Numbers have one order as texts, and another as numbers."""
    with pytest.raises(hedgerow.SchemaError, match='not among'):
        base(classes).fit(X, np.resize([0, 1, 2], len(X)))


def test_classes_that_are_numbers__are_what_y_has():
    y = np.where(TWO == 'yes', 2, 1)
    assert list(base([2, 1]).fit(X, y).classes_) == [1, 2] == list(base(['1', '2']).fit(X, y).classes_)
    assert VotingClassifier([('a', base([1, 2]))]).fit(X, y).score(X, y) > .9


def test_a_schema_of_an_integer_label__keeps_its_numbers():
    schema = hedgerow.Schema.build(hedgerow.Column('y', values=('2', '0', '1')), SCHEMA.features)
    model = HedgerowClassifier(schema=schema, epsilon=8).fit(X, np.searchsorted(['low', 'middle', 'top'], THREE))
    assert list(model.classes_) == [0, 1, 2] and model.score(X, np.searchsorted(['low', 'middle', 'top'], THREE)) > .7


def test_ensembles_that_set_random_state__are_not_private(tmp_path):
    """BaggingClassifier sets it in each of its estimators, so their noise can be computed again."""
    bagging = BaggingClassifier(base(['yes', 'no']), n_estimators=2, bootstrap=False, max_samples=.8)
    with pytest.warns(hedgerow.PrivacyLeakWarning, match='BaggingClassifier'):
        assert bagging.fit(X, TWO).score(X, TWO) > .9
    assert not any(model.guarantee_.is_private for model in bagging.estimators_)
    ledger = hedgerow.Ledger.create(tmp_path / 'ledger.db', 100, 1e-3)
    with pytest.raises(hedgerow.PolicyError), warnings.catch_warnings():
        warnings.simplefilter('ignore')
        bagging.set_params(estimator__ledger=ledger).fit(X, TWO)
    assert ledger.entries == []


# ---- The order of classes, scores ----

@pytest.mark.parametrize('facts', [{'classes': ['yes', 'no'], **PUBLIC}, {'schema': SCHEMA, 'epsilon': 8}])
def test_classes__ascend_so_that_scorers_agree(facts):
    model = HedgerowClassifier(**facts).fit(X, TWO)
    assert list(model.classes_) == ['no', 'yes']
    assert get_scorer('roc_auc')(model, X, TWO) > .95 and get_scorer('neg_log_loss')(model, X, TWO) > -.4
    predictor, table = model.predictor(), model.predict_proba(X)
    assert all(np.array_equal(predictor.predict_proba_row(X[i]), table[i]) for i in range(50))
    assert [predictor.predict_row(row) for row in X[:50]] == list(model.predict(X[:50]))


def test_scores__agree_with_probabilities():
    two, three = base().fit(X, TWO), base(['top', 'low', 'middle']).fit(X, THREE)
    p, score = two.predict_proba(X), two.decision_function(X)
    assert score.shape == (len(X),) and np.allclose(score, np.log(p[:, 1] / p[:, 0]))
    assert np.array_equal(two.classes_[(score > 0).astype(int)], two.predict(X))
    scores = three.decision_function(X)
    assert scores.shape == (len(X), 3) and np.array_equal(three.classes_[scores.argmax(axis=1)], three.predict(X))
    for model in (two, three):
        assert np.allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))


# ---- Options of the method ----

def test_a_grid__goes_over_options():
    search = GridSearchCV(make_pipeline(HedgerowClassifier('dpboost', classes=['no', 'yes'], **PUBLIC)),
                          {'hedgerowclassifier__options__depth': [1, 3]}, cv=2, error_score='raise').fit(X, TWO)
    depth = search.best_params_['hedgerowclassifier__options__depth']
    assert search.best_estimator_[-1].options == {'depth': depth} and search.estimator[-1].options is None


def test_an_option__is_set_and_listed_by_its_name():
    model = base(options={'bins': 16})
    assert model.get_params()['options__bins'] == 16 and 'options__bins' not in model.get_params(deep=False)
    options = model.options
    model.set_params(options__loss='logistic', epsilon=2)
    assert model.options == {'bins': 16, 'loss': 'logistic'} and options == {'bins': 16} and model.epsilon == 2
    with pytest.raises(ValueError, match='options__NAME'):
        model.set_params(depth=3)
    with pytest.raises(hedgerow.ArgumentError, match='depth'):
        model.set_params(options__depth=3).fit(X, TWO)


# ---- What would be ignored ----

MIXED = pd.DataFrame({'age': [1., 2.] * 50, 'ward': ['a', 'b'] * 50, 'flag': [True, False] * 50, 'person': np.arange(100)})
FACTS = {'classes': ['no', 'yes'], 'bounds': {'age': (0, 3), 'person': (0, 100)}, 'categories': {'ward': ['a', 'b']}}
TWO_FIELDS = hedgerow.Schema.build(hedgerow.Column('y', values=('no', 'yes')), [hedgerow.Column('age', 0, 3)])


@pytest.mark.parametrize('wrong, message', [
    ({'schema': TWO_FIELDS, 'categories': None, 'classes': None}, 'bounds beside schema'),
    ({'schema': TWO_FIELDS, 'bounds': None, 'classes': None}, 'categories beside schema'),
    ({'schema': TWO_FIELDS, 'bounds': None, 'categories': None}, 'classes beside schema'),
    ({'categories': ['a']}, 'categories is'),
    ({'categories': {'ward': 'ab'}}, 'ward'),
    ({'categories': {'ward': 3}}, 'ward'),
    ({'categories': {'ward': ['a', 'b'], 'flag': ['x']}}, 'flag'),
    ({'bounds': {'ward': (0, 1)}}, 'ward'),
    ({'bounds': {'flag': (0, 1)}}, 'flag'),
    ({'bounds': {'person': (0, 9)}, 'unit': 'person'}, 'unit'),
    ({'bounds': None, 'categories': {'ward': ['a', 'b'], 'person': [1, 2]}, 'unit': 'person'}, 'unit'),
    ({'n_jobs': 1.5}, 'n_jobs'), ({'n_jobs': 0}, 'n_jobs'), ({'n_jobs': True}, 'n_jobs'), ({'n_jobs': '2'}, 'n_jobs'),
    ({'epsilon': None}, 'epsilon'), ({'epsilon': True}, 'epsilon'), ({'epsilon': '1'}, 'epsilon'), ({'epsilon': 0}, 'epsilon'),
    ({'delta': '1e-6'}, 'delta'), ({'delta': -1e-6}, 'delta'),
    ({'method': None}, 'method'), ({'method': 3}, 'method'), ({'random_state': 1.5}, 'random_state'), ({'random_state': np.random.default_rng(1)}, 'random_state'),
    ({'records_per_person': 0}, 'records_per_person'), ({'records_per_person': -1}, 'records_per_person'),
    ({'records_per_person': 1.5}, 'records_per_person'),
    ({'progress': 'tqdm'}, 'progress'),
    ({'options': ['bins']}, 'options'), ({'options': {'epsilon': 3}}, 'epsilon'), ({'options': {'delta': 0}}, 'delta'),
    ({'options': {'leaves': 3}}, 'leaves'), ({'options': {3: 3}}, 'options'),
    ({'classes': 'no'}, 'classes'), ({'classes': []}, 'two values'), ({'classes': ['no', 'no']}, 'once'), ({'classes': {'no': 1}}, 'classes'),
])
def test_what_would_be_ignored__is_refused_and_costs_nothing(wrong, message, tmp_path):
    ledger = hedgerow.Ledger.create(tmp_path / 'ledger.db', 9, 1e-3)
    with pytest.raises(ValueError, match=message):
        HedgerowClassifier(**{**FACTS, 'ledger': ledger, **wrong}).fit(MIXED, ['no', 'yes'] * 50)
    assert ledger.entries == []


def test_bounds_of_a_label_beside_a_schema__are_refused():
    schema = hedgerow.Schema.build(hedgerow.Column('y', -1, 1), SCHEMA.features)
    with pytest.raises(hedgerow.ArgumentError, match='label_bounds beside schema'):
        HedgerowRegressor(schema=schema, label_bounds=(0, 1)).fit(X, X[:, 0])


@pytest.mark.parametrize('n_jobs', [1, 2, -1, -2, None, np.int64(2)])
def test_threads__as_scikit_learn_counts_them(n_jobs):
    assert base(n_jobs=n_jobs).fit(X, TWO).score(X, TWO) > .9


def test_all_threads__are_those_of_the_variable_or_of_the_processors(monkeypatch):
    monkeypatch.delenv('HEDGEROW_THREADS', raising=False)
    assert 1 <= processors() <= len(os.sched_getaffinity(0))
    monkeypatch.setenv('HEDGEROW_THREADS', '5')
    assert processors() == 5
    assert [threads_of(n_jobs) for n_jobs in (None, 3, -1, -2, -5, -9)] == [1, 3, 0, 4, 1, 1]


def test_all_threads__of_a_variable_that_is_no_number__are_refused_and_cost_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv('HEDGEROW_THREADS', 'lots')
    ledger = hedgerow.Ledger.create(tmp_path / 'ledger.db', 9, 1e-3)
    for n_jobs in (-1, -2):
        with pytest.raises(hedgerow.ArgumentError, match='HEDGEROW_THREADS.*"lots" is not a whole number from 1 to 256; set it to'):
            base(n_jobs=n_jobs, ledger=ledger).fit(X, TWO)
    assert ledger.entries == []
    base(n_jobs=1).fit(X, TWO)  # does not ask it


def test_what_says_the_same__is_no_contradiction():
    HedgerowClassifier(**{**FACTS, 'categories': {'ward': ['a', 'b'], 'flag': [True, False]}}).fit(MIXED, ['no', 'yes'] * 50)


def test_options_of_a_simulation__are_checked_alike():
    with pytest.raises(hedgerow.ArgumentError, match='epsilon'):
        hedgerow.simulate([(X[:600], TWO[:600]), (X[600:], TWO[600:])], schema=SCHEMA, options={'epsilon': 3})


# ---- Sparse tables ----

@pytest.mark.parametrize('form', ['csr_matrix', 'csc_matrix', 'csr_array', 'csc_array', 'coo_array'])
@pytest.mark.parametrize('dtype', [np.float64, np.float32, np.int64])
def test_sparse_tables__give_what_dense_ones_give(form, dtype):
    dense = np.where(rng.uniform(size=(400, 6)) < .7, 0, rng.integers(-3, 4, size=(400, 6))).astype(dtype)
    dense[:, 5] = np.abs(dense[:, 5])
    y = dense[:, 0] + dense[:, 5] > 0
    table = getattr(scipy.sparse, form)(dense)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', hedgerow.PrivacyLeakWarning)
        one, two = (HedgerowClassifier(bounds=(-3, 3), random_state=1).fit(t, y) for t in (dense, table))
    assert one.model_.to_json() == two.model_.to_json()
    assert np.array_equal(one.predict_proba(dense), two.predict_proba(table))
    assert np.array_equal(one.model_.predict(dense), one.model_.predict(table))


def test_sparse_cells__keep_fractions_and_missing_values():
    table = scipy.sparse.csr_array(np.array([[0, .5], [np.nan, 70000], [2, 0], [0, -1]] * 50))
    found = hedgerow._frames.columns_of(table).items
    assert all(np.array_equal(column.cells, table.toarray()[:, i], equal_nan=True) for i, column in enumerate(found))
    twice = scipy.sparse.csc_array((np.array([40000., 40000.]), np.array([1, 1]), np.array([0, 2])), shape=(3, 1))
    assert hedgerow._frames.columns_of(twice).items[0].cells.tolist() == [0, 80000, 0]
    assert twice.nnz == 2


def test_an_encoder_with_public_categories__may_stand_in_front():
    frame = pd.DataFrame({'ward': np.where(X[:, 0] > 0, 'a', 'b')})
    model = make_pipeline(OneHotEncoder(categories=[['a', 'b', 'c']]), base(bounds=(0, 1)))
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', hedgerow.PrivacyLeakWarning)  # fit cannot know that the list is public
        assert model.fit(frame, TWO).score(frame, TWO) > .95


def test_sparse_tables_of_another_width__are_refused():
    model = base().fit(scipy.sparse.csr_array(X), TWO)
    with pytest.raises(ValueError, match='features'):
        model.predict(scipy.sparse.csr_array(X[:, :2]))


# ---- Labels of other libraries ----

def labels(kind, values):
    pa, pl = pytest.importorskip('pyarrow'), pytest.importorskip('polars')
    return {'pyarrow array': lambda: pa.array(values), 'pyarrow chunks': lambda: pa.chunked_array([values[:7], values[7:]]),
            'pyarrow dictionary': lambda: pa.array(values).dictionary_encode(), 'polars': lambda: pl.Series(values),
            'pandas': lambda: pd.Series(values), 'objects': lambda: np.array(values, dtype=object),
            'pandas categories': lambda: pd.Series(values).astype('category'), 'pandas nullable': lambda: pd.Series(values).convert_dtypes(),
            'pandas arrow': lambda: pd.Series(pd.arrays.ArrowExtensionArray(pa.array(values)))}[kind]()


KINDS = ['pyarrow array', 'pyarrow chunks', 'pyarrow dictionary', 'polars', 'pandas', 'objects', 'pandas categories', 'pandas nullable', 'pandas arrow']


@pytest.mark.parametrize('kind', KINDS)
def test_labels__may_be_of_any_library(kind):
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        texts = base().fit(X, labels(kind, TWO.tolist()))
        truth = HedgerowClassifier(**PUBLIC).fit(X, labels(kind, (TWO == 'yes').tolist()))
        numbers = HedgerowRegressor(bounds=(-1, 1), label_bounds=(-1, 1)).fit(X, labels(kind, X[:, 0].tolist()))
    assert list(texts.classes_) == ['no', 'yes'] and texts.score(X, TWO) > .9
    assert list(truth.classes_) == [False, True] and truth.score(X, TWO == 'yes') > .9
    assert numbers.score(X, X[:, 0]) > .3


@pytest.mark.parametrize('kind', KINDS)
@pytest.mark.parametrize('values', [['no', None, 'yes'], [True, None, False]])
def test_missing_labels__are_refused(kind, values):
    with pytest.raises(ValueError):
        HedgerowClassifier(classes=sorted({v for v in values if v is not None}), **PUBLIC).fit(X[:300], labels(kind, values * 100))


# ---- What a search costs ----

def with_ledger(folder, epsilon, **parameters):
    return base(ledger=hedgerow.Ledger.create(folder / 'ledger.db', epsilon), **{'epsilon': .1, 'delta': 0, **parameters})


GRID = {'options__bins': [8, 16, 32]}


def test_a_search__is_counted_before_it_begins(tmp_path):
    model = with_ledger(tmp_path, 1.3)
    for search in (GridSearchCV(model, GRID, cv=4), RandomizedSearchCV(model, GRID, n_iter=3, cv=4)):
        assert hedgerow.check_search(search) == hedgerow.search_cost(search) == (1.3, 0)
    assert hedgerow.check_search(model, 13) == (1.3, 0)
    GridSearchCV(model, GRID, cv=4, error_score='raise').fit(X, TWO)
    assert model.ledger.spent[0] == pytest.approx(1.3)


@pytest.mark.parametrize('make', [lambda m: (GridSearchCV(m, GRID, cv=4),), lambda m: (GridSearchCV(make_pipeline(m), [{}] * 3, cv=4),), lambda m: (m, 13)])
def test_a_search_beyond_the_budget__is_refused_before_its_first_fit(make, tmp_path):
    model = with_ledger(tmp_path, 1.29)
    with pytest.raises(hedgerow.BudgetError, match='epsilon 1.3.*1.29 left'):
        hedgerow.check_search(*make(model))
    assert model.ledger.entries == []


def test_a_search_over_epsilon__costs_what_each_setting_costs():
    search = GridSearchCV(make_pipeline(base(delta=1e-6)), {'hedgerowclassifier__epsilon': [1, 2]}, cv=3)
    assert hedgerow.search_cost(search) == (3 * 1 + 3 * 2 + 2, 7e-6)
    assert hedgerow.search_cost(GridSearchCV(base(delta=0), GRID, cv=3, refit=False))[0] == 3 * 3 * 8


def test_folds_of_groups__are_counted_with_them():
    search = GridSearchCV(base(delta=0, epsilon=1), GRID, cv=LeaveOneGroupOut(), refit=False)
    with pytest.raises(hedgerow.ArgumentError, match='give X and y'):
        hedgerow.search_cost(search)
    assert hedgerow.search_cost(search, X=X, y=TWO, groups=np.arange(len(X)) % 5)[0] == 15


@pytest.mark.parametrize('search', [
    HalvingGridSearchCV(base(), GRID), RandomizedSearchCV(base(), {'epsilon': [1, 2]}),
    GridSearchCV(BaggingClassifier(base()), {}), GridSearchCV(LogisticRegression(), {}), base()])
def test_what_cannot_be_counted__is_refused(search):
    with pytest.raises(hedgerow.ArgumentError, match='known'):
        hedgerow.search_cost(search)


def test_a_search_without_a_ledger__has_no_budget():
    with pytest.raises(hedgerow.ArgumentError, match='ledger'):
        hedgerow.check_search(base(), 3)


# ---- Amounts ----

def test_delta__is_what_was_asked_for(tmp_path):
    for delta in (1e-6, 1e-5, 3e-7, 2.5e-6):
        model = base(delta=delta).fit(X, TWO)
        assert model.guarantee_.delta == delta and repr(model.guarantee_.delta) == repr(delta)
    ledger = hedgerow.Ledger.create(tmp_path / 'ledger.db', 100, 1e-5)
    model = base(delta=1e-6, ledger=ledger).fit(X, TWO).fit(X, TWO)
    assert ledger.spent[1] == 2e-6 and ledger.limit[1] == 1e-5 and ledger.left[1] == 8e-6 and ledger.entries[0].delta == 1e-6
    assert hedgerow.search_cost(model, 10)[1] == 1e-5


def test_delta__is_never_understated():
    asked = 1 / 3e5
    assert asked <= base(delta=asked).fit(X, TWO).guarantee_.delta <= asked * (1 + 1e-5)


# ---- Cross-validation, boosting ----

def test_cross_validation__takes_texts():
    assert cross_val_score(base(['yes', 'no']), X, TWO, scoring='roc_auc', error_score='raise', cv=3).min() > .9
    assert cross_val_predict(base(['yes', 'no']), X, TWO, cv=3, method='decision_function').shape == (len(X),)


# ---- Weights of records ----

def test_weights__take_records_out():
    """Half of the labels are wrong, and weigh nothing."""
    wrong = np.arange(len(X)) % 2 == 0
    y = np.where(wrong, np.where(TWO == 'yes', 'no', 'yes'), TWO)
    for method in ('hedge', 'dpboost'):
        model = HedgerowClassifier(method, classes=['no', 'yes'], **{**PUBLIC, 'epsilon': 50}).fit(X, y, sample_weight=np.where(wrong, 0, 1))
        assert model.score(X, TWO) > .9 and model.guarantee_.is_private and 'as the owner declares' in model.guarantee_.statement
    number = HedgerowRegressor(bounds=(-1, 1), label_bounds=(-1, 1), epsilon=50).fit(X, np.where(wrong, -1, 1) * X[:, 0], sample_weight=(~wrong).tolist())
    assert number.score(X, X[:, 0]) > .8


def test_weights__cost_what_a_fit_costs(tmp_path):
    ledger = hedgerow.Ledger.create(tmp_path / 'ledger.db', 9)
    base(epsilon=1, delta=0, ledger=ledger).fit(X, TWO, sample_weight=pd.Series(np.full(len(X), .5)))
    assert ledger.spent[0] == 1


@pytest.mark.parametrize('weights, message', [
    (np.full(len(X), 1.5), 'twice as much'), (-np.ones(len(X)), '0 to 1'), (np.full(len(X), np.nan), '0 to 1'), (np.ones(5), 'shape'),
    (np.ones((len(X), 2)), 'shape'), (1, 'shape'), (['a'] * len(X), 'sample_weight'), ('balanced', 'sample_weight'),
])
def test_weights_that_are_wrong__are_refused_and_cost_nothing(weights, message, tmp_path):
    ledger = hedgerow.Ledger.create(tmp_path / 'ledger.db', 9)
    with pytest.raises(hedgerow.ArgumentError, match=message):
        base(delta=0, ledger=ledger).fit(X, TWO, sample_weight=weights)
    assert ledger.entries == []


def test_weights_that_leave_one_class__are_refused_where_classes_are_read_off():
    with pytest.raises(ValueError, match='sample_weight is above 0'):
        HedgerowClassifier(bounds=(-1, 1)).fit(X, TWO, sample_weight=TWO == 'yes')
    assert list(base().fit(X, TWO, sample_weight=TWO == 'yes').classes_) == ['no', 'yes']


def test_what_cannot_weigh_records__says_what_can():
    with pytest.raises(hedgerow.ArgumentError, match='hedge, dpboost'):
        HedgerowClassifier('gbdt', classes=['no', 'yes']).fit(X, TWO, sample_weight=np.ones(len(X)))
    with pytest.raises(TypeError, match='weight'):
        base().fit(X, TWO, weight=np.ones(len(X)))


def test_weights__go_through_searches_pipelines_and_votes():
    w = rng.uniform(size=len(X))
    assert GridSearchCV(base(), {'options__bins': [8]}, cv=2, error_score='raise').fit(X, TWO, sample_weight=w).score(X, TWO) > .9
    assert make_pipeline(base()).fit(X, TWO, hedgerowclassifier__sample_weight=w).score(X, TWO) > .9
    assert VotingClassifier([('a', base())]).fit(X, TWO, sample_weight=w).score(X, TWO) > .9


def test_weights__may_be_routed():
    with config_context(enable_metadata_routing=True):
        asking = base().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        model = GridSearchCV(asking, {'options__bins': [8]}, cv=2, error_score='raise')
        statement = model.fit(X, TWO, sample_weight=np.ones(len(X))).best_estimator_.guarantee_.statement
        assert 'as the owner declares' in statement
        with pytest.raises(ValueError, match='sample_weight'):
            GridSearchCV(base(), {}, cv=2, error_score='raise').fit(X, TWO, sample_weight=np.ones(len(X)))


def test_ensembles_that_make_weights_of_all_records__are_refused():
    with pytest.raises(ValueError, match='sample_weight'):
        AdaBoostClassifier(base()).fit(X, TWO)
