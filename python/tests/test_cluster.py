"""Fits over processes that each have a part of the table: what the engines' modules (hedgerow.dask and its like) share."""
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import hedgerow
import numpy as np
import pandas as pd
import pytest
from hedgerow import _cluster
from hedgerow._cluster import ClusterFit, host_towards, serve_part, takes_workers
from hedgerow._native import call, ffi, lib
from sklearn.base import clone

FEATURES = ('features:\n  - {name: a, kind: number, low: 0, high: 1}\n  - {name: b, kind: number, low: -1, high: 1}\n'
            '  - {name: c, kind: category, values: [p, q, r]}\n  - {name: d, kind: date, from: 2020-01-01, to: 2020-12-31, parts: [month, weekday]}\n')
CLASSES = 'label: {name: y, kind: classes, values: [yes, no]}\n'
NUMBER = 'label: {name: y, kind: number, low: 0, high: 2}\n'
SECONDS = 120  # to wait for anything before giving up


def schema(label=CLASSES, unit='record', more=''):
    return hedgerow.Schema.parse('hedgerow-schema: 1\nunit: %s\n%s%s%s' % (unit, label, FEATURES, more))


@pytest.fixture(scope='module', autouse=True)
def with_zeromq():
    try:
        call(lib.hr_cluster_key, ffi.new('char[]', lib.HR_CLUSTER_KEY_TEXT))
    except hedgerow.AbsentError as error:
        if 'HEDGEROW_ZEROMQ' in os.environ:
            raise
        pytest.skip(str(error))


@pytest.fixture(scope='module')
def table():
    rng, n = np.random.default_rng(1), 1500
    X = pd.DataFrame({'a': rng.random(n), 'b': rng.random(n) * 2.2 - 1, 'c': rng.choice(['p', 'q', 'r'], n), 'who': ['p%d' % (i // 3) for i in range(n)],
                      'd': pd.to_datetime('2020-01-01') + pd.to_timedelta(rng.integers(0, 300, n), 'D')})
    return X.assign(y=np.where(X.a + X.b > .5, 'yes', 'no'), z=(X.a + X.b).clip(0, 2), days=rng.random(n) * 20, died=rng.random(n) < .6)


class Workers:
    """A thread for each part. They end with what `serve_part` ended with."""

    def __init__(self, fit, parts):
        self.ends = [None] * len(parts)
        self.threads = [threading.Thread(target=self.serve, args=(number, pickle.dumps(fit.ticket(number)), part), daemon=True)
                        for number, part in enumerate(parts) if part is not None]

    def serve(self, number, ticket, part):
        frame, y = part if isinstance(part, tuple) else (part, None)
        try:
            serve_part(pickle.loads(ticket), frame, y)
        except Exception as error:
            self.ends[number] = '%s: %s' % (type(error).__name__, error)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.errors()

    def errors(self):
        for thread in self.threads:
            thread.join(SECONDS)
            assert not thread.is_alive()
        return self.ends


def trained(estimator, parts, columns, check=None, **how):
    """The errors of the workers; the estimator is fitted."""
    with ClusterFit(estimator, len(parts), columns=columns, **how) as fit, Workers(fit, parts) as workers:
        fit.run(check)
        return workers.errors()


def of_label(table, name):
    names = ['a', 'b', 'c', 'd']
    return table[names], table[name], table[[*names, name]].rename(columns={name: 'y'})


def one(estimator, X, y):
    return clone(estimator).fit(X, y).model_.to_json()


def cut(frame):
    """One part is empty."""
    return [frame.iloc[:0], frame.iloc[:600], frame.iloc[600:]]


@pytest.mark.parametrize('method, label, options', [
    ('hedge', CLASSES, None), ('gbdt', NUMBER, {'edges': 'public', 'trees': 5}), ('dp-ert', CLASSES, None)])
@pytest.mark.filterwarnings('ignore')
def test_model__is_that_of_one_process(table, method, label, options):
    kind = hedgerow.HedgerowClassifier if label == CLASSES else hedgerow.HedgerowRegressor
    X, y, frame = of_label(table, 'y' if label == CLASSES else 'z')
    estimator = kind(method, schema=schema(label), options=options, epsilon=2, random_state=4)
    assert trained(estimator, cut(frame), list(X.columns), label_dtype=y.to_numpy().dtype) == [None] * 3
    expected = clone(estimator).fit(X, y)
    assert estimator.model_.to_json() == expected.model_.to_json()
    assert list(estimator.feature_names_in_) == list(X.columns)
    assert (estimator.predict(X) == expected.predict(X)).all()
    if label == CLASSES:
        assert list(estimator.classes_) == ['no', 'yes'] and (estimator.predict_proba(X) == expected.predict_proba(X)).all()


@pytest.mark.filterwarnings('ignore')
def test_model__of_arrays_counts_and_times(table):
    numbers = hedgerow.Schema.build(hedgerow.Column('y', 0, 2), [hedgerow.Column('x0', 0, 1), hedgerow.Column('x1', -1, 1.2)])
    X, y = table[['a', 'b']].to_numpy(), table.z.to_numpy()
    estimator = hedgerow.HedgerowRegressor(schema=numbers, random_state=4)
    assert trained(estimator, [(X[:900], y[:900]), (X[900:], y[900:])], 2) == [None] * 2
    assert estimator.model_.to_json() == one(estimator, X, y)
    assert (estimator.predict(X) == clone(estimator).fit(X, y).predict(X)).all()
    counts = schema('label: {name: y, kind: count, high: 4, exposure: {column: time, high: 2}}\n')
    frame = of_label(table, 'z')[2].assign(time=1 + table.a)
    frame['y'] = frame.y.round()
    estimator = hedgerow.HedgerowRegressor(schema=counts, random_state=4)
    assert trained(estimator, cut(frame), [name for name in frame.columns if name != 'y']) == [None] * 3
    assert estimator.model_.to_json() == one(estimator, frame.drop(columns='y'), frame.y)
    times = schema('label: {kind: time, time: days, event: died, intervals: [5, 10, 15]}\n')
    frame = table[['a', 'b', 'c', 'd', 'days', 'died']]
    estimator = hedgerow.HedgerowSurvival(schema=times, random_state=4)
    assert trained(estimator, cut(frame), ['a', 'b', 'c', 'd']) == [None] * 3
    assert estimator.model_.to_json() == one(estimator, frame[['a', 'b', 'c', 'd']], frame[['died', 'days']].to_numpy())
    assert list(estimator.times_) == [5, 10, 15]


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('number, text', [(str, lambda who: ' ' + who), (lambda who: int(who[1:]), lambda who: who[1:]),
                                          (lambda who: float(who[1:]), lambda who: int(who[1:]))], ids=['text', 'whole', 'float'])
def test_persons__are_the_same_at_all_workers(table, number, text):
    """number, text: the same identifiers as parts may have them."""
    frame = table[['who', 'a', 'b', 'c', 'd', 'y']].assign(who=table.who.map(number))
    for most in (1, None):
        estimator = hedgerow.HedgerowClassifier(schema=schema(unit='who'), records_per_person=most, random_state=4)
        assert trained(estimator, cut(frame), list(frame.columns[:-1])) == [None] * 3
        assert estimator.model_.to_json() == one(estimator, frame.drop(columns='y'), frame.y)
    for parts in ([frame.iloc[:601], frame.iloc[601:]], [frame.iloc[:601], frame.iloc[:0], frame.iloc[601:].assign(who=table.who.map(text))]):
        with ClusterFit(estimator, len(parts), columns=[]) as fit, Workers(fit, parts) as workers:
            with pytest.raises(hedgerow.ArgumentError, match='1 persons have records at several ranks; give all records of a person, by the column who, to one rank'):
                fit.run()
            assert all('1 persons have records at several ranks' in error for error in workers.errors())


def test_persons__of_one_hash_are_refused(table, monkeypatch):
    """They would count as one, and move sums by more than a person may."""
    frame = table[['who', 'a', 'b', 'c', 'd', 'y']]
    monkeypatch.setattr(hedgerow._frames, 'hash_of', lambda identifier: len(identifier))
    with ClusterFit(hedgerow.HedgerowClassifier(schema=schema(unit='who')), 1, columns=[]) as fit, Workers(fit, [frame]) as workers:
        with pytest.raises(hedgerow.LimitError, match="rank 1: .*Two persons of the column 'who' have the same hash"):
            fit.run()
        assert 'the same hash' in workers.errors()[0]


def paying(tmp_path, **how):
    hedgerow.Ledger.create(tmp_path / 'budget.db', epsilon=10, delta=1e-3)
    return hedgerow.HedgerowClassifier(schema=schema(), ledger=tmp_path / 'budget.db', **how)


def states(tmp_path):
    return [entry.state for entry in hedgerow.Ledger(tmp_path / 'budget.db').entries]


@pytest.mark.parametrize('spoil, message', [
    (lambda part: part.assign(c='s'), 'rank 2: .*s'), (lambda part: part.assign(y='maybe'), 'rank 2: .*maybe'), (lambda part: part.drop(columns='b'), "rank 2: .*'b'")])
def test_part__that_does_not_fit_ends_the_fit_unpaid(table, tmp_path, spoil, message):
    parts = cut(of_label(table, 'y')[2])
    parts[1] = spoil(parts[1])
    with ClusterFit(paying(tmp_path), 3, columns=['a', 'b', 'c', 'd']) as fit, Workers(fit, parts) as workers:
        with pytest.raises(ValueError, match=message):
            fit.run()
        assert all('rank 2: ' in error for error in workers.errors())
    assert states(tmp_path) == []


@pytest.mark.filterwarnings('ignore')
def test_workers__without_records(table):
    empty = of_label(table, 'y')[2].iloc[:0]
    with ClusterFit(hedgerow.HedgerowClassifier(schema=schema()), 2, columns=[]) as fit, Workers(fit, [empty, empty]) as workers:
        with pytest.raises(ValueError):
            fit.run()
        assert workers.errors() == [None] * 2


DIES = """
import pickle, sys
from hedgerow._cluster import serve_part
ticket, part = pickle.load(sys.stdin.buffer)
serve_part(ticket, part)
"""


def test_killed_worker__ends_the_fit_by_its_rank(table, tmp_path):
    """Once noise was drawn: what was reserved stays reserved."""
    parts = cut(of_label(table, 'y')[2])
    with ClusterFit(paying(tmp_path), 3, columns=['a', 'b', 'c', 'd'], timeout=SECONDS) as fit, Workers(fit, [parts[0], None, parts[2]]) as workers:
        with subprocess.Popen([sys.executable, '-c', DIES], stdin=subprocess.PIPE) as process:
            process.stdin.write(pickle.dumps((fit.ticket(1), parts[1])))
            process.stdin.close()
            fit.estimator.progress = lambda done, total: done == 2 and process.kill()
            with pytest.raises(hedgerow.FileError, match=r'rank 2 \(.*\) is gone'):
                fit.run()
            assert process.wait(SECONDS) == -signal.SIGKILL
        assert all('rank 2 ' in error for error in workers.errors()[::2]), workers.ends
    assert states(tmp_path) == ['reserved']


def test_wait__ends_as_the_program_says(table, tmp_path):
    class TaskFailed(Exception):
        pass

    def fail():
        raise TaskFailed('worker 1')

    for check, raised in ((fail, TaskFailed), (lambda: os.kill(os.getpid(), signal.SIGINT), KeyboardInterrupt)):
        with ClusterFit(hedgerow.HedgerowClassifier(schema=schema()), 2, columns=[], timeout=3600) as fit, pytest.raises(raised):
            fit.run(check)
    with ClusterFit(hedgerow.HedgerowClassifier(schema=schema()), 2, columns=[], timeout=.2) as fit, pytest.raises(hedgerow.FileError, match='rank 1 did not join'):
        fit.run()
    with ClusterFit(hedgerow.HedgerowClassifier(schema=schema()), 1, columns=[]):
        pass  # is closed unused


@pytest.mark.filterwarnings('ignore')
def test_workers_that_run__have_a_limit_to_join(table, monkeypatch):
    monkeypatch.setattr(_cluster, 'JOIN_SECONDS', .3)
    X, _, frame = of_label(table, 'y')
    begun, calls = time.monotonic(), []
    with ClusterFit(hedgerow.HedgerowClassifier(schema=schema()), 2, columns=[], timeout=3600) as fit, Workers(fit, [frame, None]) as workers:
        with pytest.raises(hedgerow.FileError, match='All workers run, and some did not join within 0.3 seconds: let them connect to tcp://127.0.0.1:'):
            fit.run(lambda: calls.append(time.monotonic()) or len(calls) > 3)
        assert workers.errors()[0] is not None
    assert len(calls) > 4 and time.monotonic() - begun < SECONDS
    slow = hedgerow.HedgerowClassifier(schema=schema(), random_state=4, progress=lambda done, total: time.sleep(.1))  # longer than the limit, once all joined
    assert trained(slow, cut(frame), list(X.columns), check=lambda: True) == [None] * 3


def test_refusals__come_before_any_worker():
    for estimator, message in ((hedgerow.HedgerowClassifier(), 'needs schema'), (hedgerow.HedgerowRegressor(schema=schema()), 'learns a number'),
                               (hedgerow.HedgerowSurvival(schema=schema()), 'learns a time'),
                               (hedgerow.HedgerowClassifier(schema=schema(), classes=['no', 'yes']), 'beside schema')):
        with pytest.raises(ValueError, match=message):
            ClusterFit(estimator, 2, columns=[]).__enter__()
    for workers, message in ((0, 'whole number from 1 on, not 0'), ('2', "whole number from 1 on, not '2'"), (True, 'whole number'), (1.5, 'not 1.5'), (5000, 'ranks')):
        with pytest.raises(hedgerow.ArgumentError, match=message):
            ClusterFit(hedgerow.HedgerowClassifier(schema=schema()), workers, columns=[]).__enter__()


def test_what_ranks_cannot_train__is_refused_by_name(table):
    frame = of_label(table, 'y')[2]
    estimator = hedgerow.HedgerowClassifier('dpboost', mode='paper', schema=schema())
    with ClusterFit(estimator, 1, columns=[]) as fit, Workers(fit, [frame]) as workers:
        with pytest.raises(hedgerow.ArgumentError, match='mode paper is not trained over ranks'):
            fit.run()
        assert 'mode paper is not trained' in workers.errors()[0]


def test_ticket__hides_its_key():
    with ClusterFit(hedgerow.HedgerowClassifier(schema=schema()), 2, columns=[]) as fit:
        ticket = fit.ticket(1)
        assert ticket.rank == 2 and ticket.key not in repr(ticket) and 'tcp://127.0.0.1:' in repr(ticket)
        with pytest.raises(hedgerow.ArgumentError):
            fit.ticket(2)
    assert host_towards('127.0.0.1') == '127.0.0.1'


def test_takes_workers__keeps_the_parameters_of_the_estimator():
    @takes_workers
    class Engine(hedgerow.HedgerowClassifier):
        pass

    made = clone(Engine('dpboost', schema='x', num_workers=3).set_params(epsilon=2))
    assert made.get_params()['num_workers'] == 3 and made.epsilon == 2 and made.method == 'dpboost' and made.delta is None
    assert set(made.get_params()) == {*hedgerow.HedgerowClassifier().get_params(), 'num_workers'}
    with pytest.raises(TypeError):
        Engine(nothing=1)
