"""Fits over a real local cluster of Ray: two processors, a process for each actor (tools/engines.sh installs Ray)."""
import os
import pathlib
import re
import signal
import time

import numpy as np
import pandas as pd
import pytest

import hedgerow
from hedgerow import _cluster, ArgumentError, Column, FileError, Ledger, Schema, SchemaError

ray = pytest.importorskip('ray')
from hedgerow import ray as over_ray  # noqa: E402

pytestmark = pytest.mark.filterwarnings('ignore::FutureWarning', 'ignore::hedgerow.PrivacyLeakWarning', 'ignore::hedgerow.ReviewWarning')
ROOT = pathlib.Path(__file__).parents[2]
FEATURES = [Column('age', 18, 105, integer=True), Column('dose', 0, 1), Column('ward', values=('north', 'south'))]
CLASSES = Schema.build(Column('ill', values=('yes', 'no')), FEATURES)
NUMBERS = Schema.build(Column('days', 0, 60), FEATURES)
PERSONS = Schema.build(Column('ill', values=('yes', 'no')), FEATURES, unit='who')
KNOWN = {'epsilon': 4., 'random_state': 1}


@pytest.fixture(scope='module', autouse=True)
def cluster():
    os.environ['RAY_worker_niceness'] = '0'  # else they wait for whatever else runs
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False,
             runtime_env={'env_vars': {'PYTHONPATH': os.pathsep.join([str(pathlib.Path(__file__).parent), os.environ.get('PYTHONPATH', '')])}})
    ray.data.DataContext.get_current().enable_progress_bars = False
    ray.data.DataContext.get_current().execution_options.preserve_order = True
    yield
    ray.shutdown()


@pytest.fixture(scope='module')
def table():
    rng = np.random.default_rng(1)
    made = pd.DataFrame({'age': rng.integers(18, 105, 600), 'dose': rng.uniform(0, 1, 600), 'ward': rng.choice(['north', 'south'], 600),
                         'who': rng.integers(0, 150, 600)})
    made.loc[::7, 'dose'] = np.nan
    return made.assign(ill=np.where(made.age > 60, 'yes', 'no'), days=made.age / 2.)


@pytest.fixture(scope='module')
def dataset(table):
    return ray.data.from_pandas([table[:100], table[100:250], table[250:]])


def one_process(kind, rows, schema, **others):
    return kind(schema=schema, **KNOWN, **others).fit(rows.drop(columns=[schema.label.name]), rows[schema.label.name])


@pytest.mark.parametrize('kind, schema, others', [('HedgerowClassifier', CLASSES, {'class_weights': {'yes': 2}}), ('HedgerowRegressor', NUMBERS, {'method': 'gbdt', 'options': {'edges': 'public'}})])
def test_model__has_the_bytes_of_one_process(dataset, table, kind, schema, others):
    model = getattr(over_ray, kind)(schema=schema, num_workers=2, **KNOWN, **others).fit(dataset)
    rows = table[['age', 'dose', 'ward', schema.label.name]]
    assert model.model_.to_json() == one_process(getattr(hedgerow, kind), rows, schema, **others).model_.to_json()
    assert list(model.feature_names_in_) == ['age', 'dose', 'ward'] and model.get_params()['num_workers'] == 2


def test_persons__are_at_one_worker_each(dataset):
    names = ['age', 'dose', 'ward', 'who', 'ill']
    blocks = [pd.DataFrame(ray.get(block).to_pydict()) for block in over_ray.part_blocks(dataset.select_columns(names), 2, 'who')]
    assert len(blocks) == 2 and not set(blocks[0].who) & set(blocks[1].who) and sum(map(len, blocks)) == 600
    model = over_ray.HedgerowClassifier(schema=PERSONS, num_workers=2, **KNOWN).fit(dataset)
    assert model.model_.to_json() == one_process(hedgerow.HedgerowClassifier, pd.concat(blocks), PERSONS).model_.to_json()


def test_parts__may_be_empty(table):
    one = table[:1][['age', 'dose', 'ward', 'ill']]
    dataset = ray.data.from_pandas(one.rename(columns={'ill': 'y'}))
    assert sorted(len(ray.get(block)) for block in over_ray.part_blocks(dataset, 2, None)) == [0, 1]
    model = over_ray.HedgerowClassifier(schema=CLASSES, num_workers=2, **KNOWN).fit(dataset, 'y')
    assert model.model_.to_json() == one_process(hedgerow.HedgerowClassifier, one, CLASSES).model_.to_json()


def test_predictions__are_those_of_the_model(dataset, table):
    local = one_process(hedgerow.HedgerowClassifier, table[['age', 'dose', 'ward', 'ill']], CLASSES)
    model = over_ray.HedgerowClassifier(schema=CLASSES)
    model.__setstate__({**local.__getstate__(), 'num_workers': 2})
    scored = model.predict_proba(model.predict(dataset)).to_pandas()
    assert list(scored.prediction) == list(local.predict(table[['age', 'dose', 'ward']])) and list(scored.who) == list(table.who)
    assert scored[['probability_no', 'probability_yes']].to_numpy().tolist() == local.predict_proba(table[['age', 'dose', 'ward']]).tolist()


@pytest.mark.parametrize('given, lost, error, message', [
    ({'schema': None}, 'who', ArgumentError, 'needs schema'), ({}, 'ward', SchemaError, "no column 'ward'"), ({}, 'ill', SchemaError, "no column 'ill'"),
    ({'schema': PERSONS}, 'who', SchemaError, "no column 'who'"), ({'schema': NUMBERS}, 'who', SchemaError, 'a number, and HedgerowClassifier learns classes')])
def test_misfit__is_refused_before_an_actor_begins(dataset, given, lost, error, message):
    with pytest.raises(error, match=message):
        over_ray.HedgerowClassifier(**{'schema': CLASSES, 'num_workers': 2, **given}).fit(dataset.drop_columns([lost]))


def test_more_workers_than_the_cluster_has_room_for__are_refused(dataset, monkeypatch):
    monkeypatch.setattr(over_ray, 'ROOM_SECONDS', 1.)
    with pytest.raises(ArgumentError, match='no room for 3 workers at once'):
        over_ray.HedgerowClassifier(schema=CLASSES, num_workers=3).fit(dataset)


def test_cells_that_do_not_fit__end_the_fit_with_the_rank(table, tmp_path):
    bad = ray.data.from_pandas(table.assign(ward=np.where(table.index == 599, 'roof', table.ward)))
    ledger = Ledger.create(tmp_path / 'b.db', 3)
    with pytest.raises(SchemaError, match="(?s)rank 2: .*'ward'.*roof"):
        over_ray.HedgerowClassifier(schema=CLASSES, num_workers=2, ledger=ledger).fit(bad)
    assert ledger.entries == []


# ---- A worker that is gone ----

def worker_in(folder):
    """An actor that says which process it is, and dies, once, before it joins where it is to."""
    class Told(over_ray._Worker):
        def serve(self, ticket, names, block):
            if folder.joinpath('die').exists() and ticket.rank == 2:
                folder.joinpath('die').unlink()
                os.kill(os.getpid(), signal.SIGKILL)
            folder.joinpath(str(ticket.rank)).write_text(str(os.getpid()))
            super().serve(ticket, names, block)
    return Told


@pytest.fixture
def told(tmp_path, monkeypatch):
    """The folder in which workers say which processes they are."""
    monkeypatch.setattr(over_ray, '_Worker', worker_in(tmp_path))
    return tmp_path


def test_worker_that_is_killed__ends_the_fit_and_is_named(dataset, told):
    def kill(done, total):
        if not told.joinpath('killed').exists():
            told.joinpath('killed').touch()
            os.kill(int(told.joinpath('2').read_text()), signal.SIGKILL)
    ledger = Ledger.create(told / 'b.db', 3, 1e-5)
    with pytest.raises(FileError, match='rank 2 .*(gone|died)'):
        over_ray.HedgerowClassifier(schema=CLASSES, num_workers=2, ledger=ledger, progress=kill).fit(dataset)
    assert [entry.state for entry in ledger.entries] == ['reserved']


def test_worker_that_dies_before_it_joins__is_named_and_not_started_again(dataset, told):
    told.joinpath('die').touch()
    ledger = Ledger.create(told / 'b.db', 3, 1e-5)
    with pytest.raises(FileError, match='rank 2 failed: .*died'):
        over_ray.HedgerowClassifier(schema=CLASSES, num_workers=2, ledger=ledger).fit(dataset)
    assert ledger.entries == [] and not told.joinpath('2').exists()


class Unreachable(over_ray._Worker):
    def serve(self, ticket, names, block):
        if ticket.rank == 2:
            time.sleep(3600)  # as one behind a firewall that drops what is sent
        super().serve(ticket, names, block)


def test_worker_that_cannot_connect__ends_the_fit(dataset, monkeypatch):
    monkeypatch.setattr(over_ray, '_Worker', Unreachable)
    monkeypatch.setattr(_cluster, 'JOIN_SECONDS', 5.)
    with pytest.raises(FileError, match='All workers run, and some did not join within 5 seconds'):
        over_ray.HedgerowClassifier(schema=CLASSES, num_workers=2).fit(dataset)


def test_examples__run(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table.to_csv('train.csv', index=False)
    CLASSES.write('schema.yaml')
    Ledger.create('budget.db', 3, 1e-5)
    names = {}
    text = (ROOT / 'docs/how-to/engines.md').read_text()
    code, = [block for block in re.findall(r'^```python\n(.*?)^```', text, flags=re.S | re.M) if 'hedgerow.ray' in block]
    exec(code.replace('train.csv', str(tmp_path / 'train.csv')), names)  # workers are where the driver was as they began
    assert names['model'].guarantee_.is_private and Ledger('budget.db').spent[0] == 1
