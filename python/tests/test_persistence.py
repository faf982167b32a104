"""What is saved and sent, by each of the ways in which people do it, is read back to the same; the ledger stays where it is."""
import concurrent.futures
import pathlib
import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import hedgerow
from hedgerow import HedgerowClassifier, HedgerowRegressor

rng = np.random.default_rng(3)
X = rng.uniform(-1, 1, size=(600, 3))
Y = np.where(X[:, 0] > 0, 'yes', 'no')
PUBLIC = {'bounds': (-1, 1), 'classes': ['yes', 'no'], 'epsilon': 8, 'delta': 0}


def by_pickle(thing, folder):
    return pickle.loads(pickle.dumps(thing))


def by_cloudpickle(thing, folder):
    cloudpickle = pytest.importorskip('cloudpickle')
    return pickle.loads(cloudpickle.dumps(thing))


def by_joblib(thing, folder):
    joblib = pytest.importorskip('joblib')
    joblib.dump(thing, folder / 'thing.joblib')
    return joblib.load(folder / 'thing.joblib')


def by_skops(thing, folder):
    skops = pytest.importorskip('skops.io')
    skops.dump(thing, folder / 'thing.skops')
    assert set(skops.get_untrusted_types(file=folder / 'thing.skops')) <= set(hedgerow.SKOPS_TYPES)
    return skops.load(folder / 'thing.skops', trusted=hedgerow.SKOPS_TYPES)


def by_mlflow(thing, folder, **how):
    mlflow = pytest.importorskip('mlflow.sklearn')
    if not hasattr(thing, 'fit'):
        pytest.skip('this flavour of mlflow is for estimators')
    mlflow.save_model(thing, folder / 'model', pip_requirements=[], **how)
    return mlflow.load_model(str(folder / 'model'))


def by_mlflow_as_it_is(thing, folder):
    """mlflow 3.17 writes files of skops unless it is told otherwise; earlier ones cloudpickle's."""
    pytest.importorskip('skops.io')
    return by_mlflow(thing, folder, skops_trusted_types=hedgerow.SKOPS_TYPES)


def by_mlflow_and_cloudpickle(thing, folder):
    return by_mlflow(thing, folder, serialization_format='cloudpickle')


WAYS = {'pickle': by_pickle, 'cloudpickle': by_cloudpickle, 'joblib': by_joblib, 'skops': by_skops, 'mlflow': by_mlflow_as_it_is,
        'mlflow, cloudpickle': by_mlflow_and_cloudpickle}


def ledger_in(folder):
    return hedgerow.Ledger.create(folder / 'hospital.db', 100)


def classifier(folder):
    return HedgerowClassifier(ledger=ledger_in(folder), **PUBLIC).fit(X, Y)


# Each makes a thing, and says what is to be the same of it.
THINGS = {
    'classifier': (classifier, lambda m: m.predict_proba(X).tolist()),
    'regressor': (lambda folder: HedgerowRegressor(bounds=(-1, 1), label_bounds=(-1, 1)).fit(X, X[:, 0]), lambda m: m.predict(X).tolist()),
    'pipeline': (lambda folder: make_pipeline(FunctionTransformer(), classifier(folder)).fit(X, Y), lambda m: m.predict(X).tolist()),
    'unfitted': (lambda folder: HedgerowClassifier(ledger=ledger_in(folder), options={'bins': 16}, **PUBLIC),
                 lambda m: {**m.get_params(), 'ledger': m.ledger.path}),
    'model': (lambda folder: classifier(folder).model_, lambda m: m.to_json()),
    'schema': (lambda folder: classifier(folder).model_.schema, lambda s: s.to_yaml()),
    'predictor': (lambda folder: classifier(folder).predictor(), lambda p: [(p.predict_row(x), *p.predict_proba_row(x)) for x in X[:50]]),
    'ledger': (ledger_in, lambda ledger: (ledger.path, ledger.limit)),
}


@pytest.mark.filterwarnings('ignore::UserWarning', 'ignore::FutureWarning', 'ignore::DeprecationWarning')
@pytest.mark.parametrize('way', WAYS)
@pytest.mark.parametrize('thing', THINGS)
def test_what_is_sent__is_what_arrives(thing, way, tmp_path):
    make, facts = THINGS[thing]
    sent = make(tmp_path)
    arrived = WAYS[way](sent, tmp_path)
    assert type(arrived) is type(sent) and facts(arrived) == facts(sent)


def pickled_at_the_hospital(folder):
    """A fitted estimator, after the ledger's folder has gone."""
    (folder / 'hospital').mkdir()
    data = pickle.dumps(classifier(folder / 'hospital'))
    for file in (folder / 'hospital').iterdir():
        file.unlink()
    (folder / 'hospital').rmdir()
    return data


def test_a_fitted_estimator__is_read_where_the_ledger_is_not(tmp_path):
    data = pickled_at_the_hospital(tmp_path)
    assert b'hospital' not in data
    model = pickle.loads(data)
    assert model.score(X, Y) > .8 and model.guarantee_.is_private and clone(model).get_params()['epsilon'] == 8


def test_a_path_of_a_ledger__stays_behind_too(tmp_path):
    ledger_in(tmp_path)
    model = HedgerowClassifier(ledger=tmp_path / 'hospital.db', progress=print, **PUBLIC).fit(X, Y)
    again = pickle.loads(pickle.dumps(model))
    assert b'hospital' not in pickle.dumps(model) and again.progress is None
    assert model.ledger == tmp_path / 'hospital.db' and model.progress is print
    assert pickle.loads(pickle.dumps(HedgerowClassifier(**PUBLIC).fit(X, Y))).ledger is None


def test_a_fit_without_the_ledger_that_paid__is_refused(tmp_path):
    model = pickle.loads(pickled_at_the_hospital(tmp_path))
    for estimator in (model, clone(model)):
        with pytest.raises(hedgerow.PolicyError, match='set_params'):
            estimator.fit(X, Y)
    assert model.set_params(ledger=None).fit(X, Y).guarantee_.is_private


def test_a_ledger_that_is_not_there__is_missed_at_its_first_use(tmp_path):
    data = pickle.dumps(ledger_in(tmp_path))
    (tmp_path / 'hospital.db').unlink()
    ledger = pickle.loads(data)
    with pytest.raises(hedgerow.FileError, match='hospital.db'):
        ledger.left
    with pytest.raises(hedgerow.FileError, match='hospital.db'):
        HedgerowClassifier(ledger=ledger, **PUBLIC).fit(X, Y)


def test_threads__open_a_ledger_that_was_read_back_once(tmp_path):
    for turn in range(5):
        folder = tmp_path / str(turn)
        folder.mkdir()
        ledger = pickle.loads(pickle.dumps(ledger_in(folder)))
        model = HedgerowClassifier(ledger=ledger, **PUBLIC)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: HedgerowClassifier(**model.get_params()).fit(X[:100], Y[:100]), range(4)))
        assert ledger.spent[0] == 32


def test_workers__charge_the_ledger_and_return_estimators(tmp_path):
    pytest.importorskip('cloudpickle')
    ledger = ledger_in(tmp_path)
    found = cross_validate(HedgerowClassifier(ledger=ledger, **PUBLIC), X, Y, cv=3, n_jobs=2, return_estimator=True, error_score='raise')
    assert ledger.spent[0] == 24
    assert all(model.score(X, Y) > .7 for model in found['estimator'])


def test_a_search_that_is_sent__predicts(tmp_path):
    pytest.importorskip('cloudpickle')
    search = GridSearchCV(HedgerowClassifier(progress=lambda done, total: None, **PUBLIC), {'options__bins': [8, 16]}, cv=2, n_jobs=2,
                          error_score='raise').fit(X, Y)
    best = pickle.loads(pickle.dumps(search.best_estimator_))
    assert np.array_equal(best.predict(X), search.predict(X))


def test_parameters_that_an_older_version_lacks__get_their_defaults():
    model = HedgerowClassifier(**PUBLIC).fit(X, Y)
    state = model.__getstate__()
    old = HedgerowClassifier.__new__(HedgerowClassifier)
    old.__setstate__({name: value for name, value in state.items() if name not in ('unit', 'records_per_person')})
    assert old.unit == 'record' and old.records_per_person is None
    assert old.get_params() == model.get_params() and np.array_equal(old.predict_proba(X), model.predict_proba(X))


def test_pickles_that_name_parse__are_read():
    """As the first development versions wrote them."""
    model = HedgerowClassifier(**PUBLIC).fit(X, Y).model_

    class Old:
        def __reduce__(self):
            return hedgerow.Model.parse, (model.to_json(),)

    assert pickle.loads(pickle.dumps(Old())).to_json() == model.to_json()


def test_another_process__needs_no_ledger(tmp_path):
    (tmp_path / 'model.pkl').write_bytes(pickled_at_the_hospital(tmp_path))
    package = str(pathlib.Path(hedgerow.__file__).parent.parent)
    code = ('import sys, pickle; sys.path.insert(0, %r); m = pickle.load(open(%r, "rb")); print(m.predict([[.9, 0, 0]])[0])' %
            (package, str(tmp_path / 'model.pkl')))
    out = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, cwd='/')
    assert out.stdout.strip() == 'yes', out.stderr


