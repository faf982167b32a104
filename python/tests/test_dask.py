"""hedgerow.dask on a local cluster of processes. Skipped where Dask is not installed; tools/engines.sh installs it."""
import gc
import os
import signal
import time

import numpy as np
import pandas as pd
import pytest

pytest.importorskip('dask.distributed')
import dask.array as da  # noqa: E402
import dask.dataframe as dd  # noqa: E402
from dask.distributed import Client, LocalCluster, futures_of, wait  # noqa: E402

import hedgerow  # noqa: E402
from hedgerow import _cluster  # noqa: E402
from hedgerow.dask import HedgerowClassifier, HedgerowRegressor  # noqa: E402
from sklearn.base import clone  # noqa: E402
from test_cluster import SECONDS, of_label, paying, schema, states, table, with_zeromq  # noqa: E402, F401 (fixtures)
from test_docs import all_blocks  # noqa: E402

pytestmark = pytest.mark.filterwarnings('ignore')


def start():
    return LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs='ERROR')


@pytest.fixture(scope='module')
def client(with_zeromq):  # noqa: F811
    with start() as cluster, Client(cluster) as client:
        yield client


@pytest.fixture
def doomed(with_zeromq):  # noqa: F811
    """For a test that kills a worker."""
    with start() as cluster, Client(cluster) as client:
        yield client


def in_order(frame, model):
    """What the ranks had, one behind the other."""
    return pd.concat([frame.partitions[number].compute() for own in model.parts_ for number in own])


def await_no_task(client):
    until = time.monotonic() + SECONDS
    while client.run_on_scheduler(lambda dask_scheduler: [key for key in dask_scheduler.tasks if 'hedgerow-rank' in str(key)]):
        assert time.monotonic() < until
        time.sleep(.05)


@pytest.mark.parametrize('label, method, options', [('y', 'hedge', None), ('y', 'dp-ert', None), ('z', 'gbdt', {'edges': 'public', 'trees': 3})])
def test_frame__gives_the_model_of_one_process(client, table, label, method, options):  # noqa: F811
    X, y, whole = of_label(table, label)
    frame = dd.from_pandas(whole, npartitions=5)
    kind, of_one = (HedgerowClassifier, hedgerow.HedgerowClassifier) if label == 'y' else (HedgerowRegressor, hedgerow.HedgerowRegressor)
    how = {'method': method, 'schema': schema() if label == 'y' else schema('label: {name: y, kind: number, low: 0, high: 2}\n'), 'options': options, 'random_state': 4}
    model = kind(**how).fit(frame)
    assert sorted(number for own in model.parts_ for number in own) == list(range(5)) and len(model.parts_) == 2
    ordered = in_order(frame, model)
    one = of_one(**how).fit(ordered.drop(columns='y'), ordered.y)
    assert model.model_.to_json() == one.model_.to_json()
    beside = clone(model).fit(frame.drop(columns='y'), frame.y)
    assert beside.model_.guarantee == one.model_.guarantee and list(beside.feature_names_in_) == ['a', 'b', 'c', 'd']
    predicted = model.predict(frame.drop(columns='y'))
    assert isinstance(predicted, dd.Series) and (predicted.compute() == one.predict(X)).all() and (model.predict(X) == one.predict(X)).all()
    if label == 'y':
        assert (model.predict_proba(frame.drop(columns='y')).compute().to_numpy() == one.predict_proba(X)).all()
        assert list(model.predict_proba(frame.drop(columns='y')).columns) == list(one.classes_)


def test_arrays__give_the_model_of_one_process(client, table):  # noqa: F811
    X, y = table[['a', 'b']].to_numpy(), (table.y == 'yes').to_numpy(dtype=int)
    numbers = hedgerow.Schema.build(hedgerow.Column('y', values=('0', '1')), [hedgerow.Column('x0', 0, 1), hedgerow.Column('x1', -1, 1.2)])
    blocks = da.from_array(X, chunks=(400, 1))
    model = HedgerowClassifier(schema=numbers, random_state=4).fit(blocks, da.from_array(y, chunks=300))
    one = hedgerow.HedgerowClassifier(schema=numbers, random_state=4).fit(X, y)
    assert model.model_.to_json() == one.model_.to_json()
    assert (model.predict(blocks).compute() == one.predict(X)).all() and model.predict(blocks).compute().dtype == one.predict(X).dtype
    assert (model.predict_proba(blocks).compute() == one.predict_proba(X)).all()


def made_there(seed):
    rng = np.random.default_rng(seed)
    a = rng.random(300)
    return pd.DataFrame({'a': a, 'mark': 1.5, 'y': np.where(a > .5, 'yes', 'no')})


def rows_here():
    """Of partitions, in this process."""
    return sum(len(one) for one in gc.get_objects() if isinstance(one, pd.DataFrame) and 'mark' in one.columns)


def test_partitions__never_come_to_the_driver(client):
    seen = []
    known = hedgerow.Schema.build(hedgerow.Column('y', values=('no', 'yes')), [hedgerow.Column('a', 0, 1), hedgerow.Column('mark', 0, 2)])
    frame = dd.from_map(made_there, range(4), meta=made_there(0).iloc[:0])
    gc.collect()
    model = HedgerowClassifier(schema=known, progress=lambda done, total: seen.append(rows_here())).fit(frame)
    assert seen and max(seen) == 0 and rows_here() == 0
    assert model.model_.records is None or model.model_.records > 0
    kept = made_there(0)  # the check sees what is here
    assert rows_here() == len(kept)


def test_persons__are_brought_together(client, table):  # noqa: F811
    whole = table[['who', 'a', 'b', 'c', 'd', 'y']].sample(frac=1, random_state=1, ignore_index=True)
    how = {'schema': schema(unit='who'), 'random_state': 4}
    model = HedgerowClassifier(**how).fit(dd.from_pandas(whole, npartitions=3))
    assert model.model_.to_json() == hedgerow.HedgerowClassifier(**how).fit(whole.drop(columns='y'), whole.y).model_.to_json()


def test_workers__without_partitions_or_records(client, table):  # noqa: F811
    whole = of_label(table, 'y')[2]
    one = hedgerow.HedgerowClassifier(schema=schema(), random_state=4).fit(whole.drop(columns='y'), whole.y).model_.to_json()
    for frame in (dd.from_pandas(whole, npartitions=1), dd.from_pandas(whole, npartitions=4)):
        model = HedgerowClassifier(schema=schema(), random_state=4, num_workers=2).fit(frame)
        assert model.model_.to_json() == one and len(model.parts_) == 2
    frame = dd.from_pandas(whole.sort_values('a'), npartitions=4)
    some = HedgerowClassifier(schema=schema(), random_state=4).fit(frame[frame.a > .6])
    assert some.model_.to_json() == hedgerow.HedgerowClassifier(schema=schema(), random_state=4).fit(
        whole[whole.a > .6].drop(columns='y'), whole[whole.a > .6].y).model_.to_json()
    with pytest.raises(ValueError):
        HedgerowClassifier(schema=schema()).fit(frame[frame.a > 2])


def test_cell_that_does_not_fit__is_told_with_its_rank(client, table, tmp_path):  # noqa: F811
    frame = dd.from_pandas(of_label(table, 'y')[2], npartitions=2)
    paying(tmp_path)
    for spoilt, message in ((frame.assign(c='nowhere'), 'rank 1: .*nowhere'), (frame.drop(columns='b'), "rank 1: .*'b'")):
        with pytest.raises(hedgerow.SchemaError, match=message):
            HedgerowClassifier(schema=schema(), ledger=tmp_path / 'budget.db').fit(spoilt)
    assert states(tmp_path) == []
    await_no_task(client)


def another(ticket, *rest):
    """In the place of a task at a worker that has another schema."""
    vars(ticket)['schema'] = ticket.schema.replace('high: 1', 'high: 3') if ticket.rank == 2 else ticket.schema
    _cluster.serve_part(ticket, pd.concat(rest[0]))


def test_another_schema_at_a_worker__is_refused(client, table, tmp_path, monkeypatch):  # noqa: F811
    paying(tmp_path)
    monkeypatch.setattr('hedgerow.dask._serve', another)
    with pytest.raises(hedgerow.ArgumentError, match='rank 2 has another schema than rank 0'):
        HedgerowClassifier(schema=schema(), ledger=tmp_path / 'budget.db').fit(dd.from_pandas(of_label(table, 'y')[2], npartitions=2))
    assert states(tmp_path) == []


def fails(ticket, *rest):
    raise OSError('no room at rank %d' % ticket.rank)


def test_task_that_fails_before_it_joins__ends_the_fit(client, table, monkeypatch):  # noqa: F811
    monkeypatch.setattr('hedgerow.dask._serve', fails)
    with pytest.raises(hedgerow.FileError, match=r'rank [12] \(tcp://.*no room'):
        HedgerowClassifier(schema=schema()).fit(dd.from_pandas(of_label(table, 'y')[2], npartitions=2))
    await_no_task(client)


def test_ctrl_c__stops_all(client, table, tmp_path):  # noqa: F811
    paying(tmp_path)
    model = HedgerowClassifier(schema=schema(), ledger=tmp_path / 'budget.db', progress=lambda done, total: done == 2 and os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        model.fit(dd.from_pandas(of_label(table, 'y')[2], npartitions=2))
    assert states(tmp_path) == ['reserved'] and not hasattr(model, 'model_')
    await_no_task(client)


def test_killed_worker__ends_the_fit_by_its_rank(doomed, table, tmp_path):  # noqa: F811
    """It is not started again within the fit, and what was reserved stays reserved."""
    paying(tmp_path)
    frame = dd.from_pandas(of_label(table, 'y')[2], npartitions=4).persist()
    wait(frame)
    where, pids = doomed.who_has(futures_of(frame)), doomed.run(os.getpid)
    first = where[futures_of(frame)[0].key][0]
    victim, = set(pids) - {first}
    model = HedgerowClassifier(schema=schema(), ledger=tmp_path / 'budget.db', progress=lambda done, total: done == 2 and os.kill(pids[victim], signal.SIGKILL))
    with pytest.raises(hedgerow.FileError, match=r'rank 2 \(.*\) is gone'):
        model.fit(frame)
    assert states(tmp_path) == ['reserved'] and not hasattr(model, 'model_')
    await_no_task(doomed)


def no_part(number):
    raise OSError('a partition is computed')


def test_parameters__are_those_of_the_estimator(client, table):  # noqa: F811
    model = clone(HedgerowClassifier('dpboost', schema=schema(), epsilon=3, num_workers=9, timeout=5))
    assert model.get_params()['num_workers'] == 9 and model.epsilon == 3 and model.timeout == 5 and HedgerowRegressor().timeout == 60
    frame = dd.from_pandas(of_label(table, 'y')[2], npartitions=2)
    for estimator, X, y, message in ((model, frame, None, 'cluster has 2 workers'), (HedgerowClassifier(), frame, None, 'needs schema'),
                                     (HedgerowClassifier(schema=schema()), frame, [1], 'y is a series'), (HedgerowClassifier(schema=schema()), frame.compute(), None, 'dask'),
                                     (HedgerowClassifier(schema=schema(), classes=['a', 'b']), frame, None, 'beside schema'),
                                     (HedgerowClassifier(schema=schema(), num_workers='2'), frame, None, "whole number from 1 on, not '2'"),
                                     (HedgerowRegressor(schema=schema()), dd.from_map(no_part, range(2), meta=frame._meta), None, 'learns a number')):
        with pytest.raises(ValueError, match=message):
            estimator.fit(X, y)


def test_page__runs_as_printed(client, table, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    hedgerow.Ledger.create('budget.db', epsilon=10, delta=1e-3)
    train = of_label(table, 'y')[2].assign(d=table.d.dt.strftime('%Y-%m-%d'))
    schema().write('schema.yaml')
    (tmp_path / 'visits').mkdir()
    for number in range(2):
        train.iloc[number::2].to_csv('visits/%d.csv' % number, index=False)
    code, = [code for code, _ in all_blocks('docs/how-to/engines.md') if 'hedgerow.dask' in code]
    assert len(code.splitlines()) <= 12 and "'tls://scheduler:8786'" in code
    names = {}
    exec(code.replace("'tls://scheduler:8786'", repr(client.scheduler.address)), names)
    assert names['model'].model_.guarantee.epsilon == 1 and len(hedgerow.Ledger('budget.db').entries) == 1
