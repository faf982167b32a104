"""Fits over a real local cluster of Spark: two workers with an executor each (tools/engines.sh installs Spark)."""
import os
import pathlib
import re
import signal
import sys
import time

import numpy as np
import pandas as pd
import pytest

import hedgerow
from hedgerow import ArgumentError, Column, FileError, Ledger, Model, Schema, SchemaError

pytest.importorskip('pyspark')
from pyspark import TaskContext  # noqa: E402
from pyspark.ml import Pipeline, PipelineModel  # noqa: E402
from pyspark.ml.evaluation import BinaryClassificationEvaluator  # noqa: E402
from pyspark.ml.feature import VectorAssembler  # noqa: E402
from pyspark.sql import SparkSession, functions as F  # noqa: E402

from hedgerow import spark  # noqa: E402

pytestmark = pytest.mark.filterwarnings('ignore::FutureWarning', 'ignore::hedgerow.PrivacyLeakWarning', 'ignore::hedgerow.ReviewWarning')
ROOT = pathlib.Path(__file__).parents[2]
FEATURES = [Column('age', 18, 105, integer=True), Column('dose.mg', 0, 1), Column('ward', values=('north', 'south'))]
CLASSES = Schema.build(Column('ill', values=('yes', 'no')), FEATURES)
NUMBERS = Schema.build(Column('days', 0, 60), FEATURES)
PERSONS = Schema.build(Column('ill', values=('yes', 'no')), FEATURES, unit='who')
VECTOR = Schema.build(Column('ill', values=('1', '0')), FEATURES[:2])
KNOWN = {'epsilon': 4., 'random_state': 1}


@pytest.fixture(scope='module')
def session():
    os.environ['PYSPARK_PYTHON'] = sys.executable
    paths = [str(pathlib.Path(__file__).parent), os.environ.get('PYTHONPATH', '')]
    builder = SparkSession.builder.master('local-cluster[2,1,1024]').config('spark.driver.host', '127.0.0.1').config('spark.ui.enabled', 'false')
    made = (builder.config('spark.ui.showConsoleProgress', 'false').config('spark.sql.shuffle.partitions', '2')
            .config('spark.executorEnv.PYTHONPATH', os.pathsep.join(paths)).getOrCreate())
    yield made
    made.stop()


@pytest.fixture(scope='module')
def table():
    rng = np.random.default_rng(1)
    made = pd.DataFrame({'age': rng.integers(18, 105, 600), 'dose.mg': rng.uniform(0, 1, 600), 'ward': rng.choice(['north', 'south'], 600),
                         'who': rng.integers(0, 150, 600)})
    made.loc[::7, 'dose.mg'] = np.nan
    return made.assign(row=range(600), ill=np.where(made.age > 60, 'yes', 'no'), days=made.age / 2.)


@pytest.fixture(scope='module')
def frame(session, table):
    return session.createDataFrame(table).repartition(3)  # as many partitions as no fit has workers


def parts_of(estimator, frame, schema):
    """What the workers had, in their order."""
    parts = estimator._parts(frame, schema).withColumn('part', F.spark_partition_id()).toPandas()
    return parts.sort_values('part', kind='stable')


def one_process(kind, parts, schema, **others):
    features = parts.drop(columns=['part', schema.label.name])
    return kind(schema=schema, **KNOWN, **others).fit(features, parts[schema.label.name]).model_


@pytest.mark.parametrize('kind, schema, others', [('HedgerowClassifier', CLASSES, {'class_weights': {'yes': 2}}), ('HedgerowRegressor', NUMBERS, {'method': 'gbdt', 'options': {'edges': 'public'}}),
                                                  ('HedgerowClassifier', PERSONS, {})])
def test_model__has_the_bytes_of_one_process(frame, kind, schema, others):
    estimator = getattr(spark, kind)(schema=schema, num_workers=2, **KNOWN, **others)
    parts = parts_of(estimator, frame, schema)
    assert set(parts.part) == {0, 1}
    assert schema.unit_column is None or parts.groupby('who').part.nunique().max() == 1
    assert estimator.fit(frame).model.to_json() == one_process(getattr(hedgerow, kind), parts, schema, **others).to_json()


def test_part__may_be_empty(frame, table):
    one = frame.coalesce(1).union(frame.filter('false').coalesce(1))
    model = spark.HedgerowClassifier(schema=CLASSES, num_workers=2, **KNOWN).fit(one).model
    rows = one.toPandas()
    assert model.to_json() == one_process(hedgerow.HedgerowClassifier, rows.assign(part=0)[['age', 'dose.mg', 'ward', 'ill', 'part']], CLASSES).to_json()


def test_transform__scores_as_the_model_does(frame, table):
    model = spark.HedgerowClassifierModel(Model(one_process(hedgerow.HedgerowClassifier, table.assign(part=0), CLASSES)._at))
    scored = model.transform(frame).toPandas()
    expected = model.model.predict(scored[['age', 'dose.mg', 'ward']])
    assert np.array(scored.probability.map(lambda v: v.toArray()).tolist()).tolist() == expected[:, ::-1].tolist()  # of no and yes
    assert list(scored.prediction) == ['yes' if yes > no else 'no' for yes, no in expected]


def test_pipeline__of_vectors_is_saved_and_loaded(frame, tmp_path):
    known = frame.withColumn('y', (F.col('age') > 60).cast('double')).withColumnRenamed('dose.mg', 'dose')
    last = spark.HedgerowClassifier(schema=VECTOR, num_workers=2, labelCol='y', predictionCol='said', **KNOWN)
    made = Pipeline(stages=[VectorAssembler(inputCols=['age', 'dose'], outputCol='features', handleInvalid='keep'), last]).fit(known)
    scored = made.transform(known)
    assert scored.filter('said = y').count() > 550
    assert BinaryClassificationEvaluator(rawPredictionCol='probability', labelCol='y').evaluate(scored) > .95
    made.save(str(tmp_path / 'made'))
    again = PipelineModel.load(str(tmp_path / 'made'))
    said, once = (frame.select('row', 'said').orderBy('row').toPandas() for frame in (again.transform(known), scored))
    assert said.equals(once)
    text, = (tmp_path / 'made').glob('stages/1_*/model/part-*.txt')
    assert Model.read(text).to_json() == made.stages[1].model.to_json() == again.stages[1].model.to_json()


def test_estimator__is_saved_with_its_parameters(session, tmp_path):
    made = spark.HedgerowRegressor(schema=NUMBERS, num_workers=3, options={'bins': 20}, ledger=tmp_path / 'b.db').setEpsilon(.5)
    made.save(str(tmp_path / 'made'))
    again = spark.HedgerowRegressor.load(str(tmp_path / 'made'))
    assert (again.getEpsilon(), again.getNumWorkers(), again.getOptions(), again.getLedger()) == (.5, 3, {'bins': 20}, str(tmp_path / 'b.db'))
    assert again.getSchema() == NUMBERS.to_yaml() and again.uid == made.uid


@pytest.mark.parametrize('given, error, message', [
    ({'num_workers': 3}, ArgumentError, 'num_workers is 3, and the cluster runs 2'), ({'schema': None}, ArgumentError, 'needs schema'),
    ({'labelCol': 'health'}, SchemaError, "no column 'health'"), ({'featuresCol': 'ward'}, SchemaError, 'A vector has numbers alone'),
    ({'inputCols': ['age', 'who']}, SchemaError, 'inputCols names 2 columns, and the schema has 3'), ({'schema': PERSONS, 'lost': 'who'}, SchemaError, "no column 'who'"),
    ({'lost': 'ward'}, SchemaError, "no column 'ward'")])
def test_misfit__is_refused_before_a_task_begins(frame, monkeypatch, given, error, message):
    monkeypatch.setattr(spark, 'ROOM_SECONDS', 0)
    frame = frame.drop(given.pop('lost', ''))
    with pytest.raises(error, match=message):
        spark.HedgerowClassifier(**{'schema': CLASSES, 'num_workers': 2, **given}).fit(frame)


def test_parameter_of_the_schema__is_refused():
    for use in (spark.HedgerowClassifier, spark.HedgerowClassifier().setParams):
        with pytest.raises(ArgumentError, match='no parameter bounds'):
            use(bounds=(0, 1))


def test_parameters__have_the_setters_of_pyspark():
    made = spark.HedgerowClassifier().setLabelCol('y').setFeaturesCol('v').setPredictionCol('said').setProbabilityCol('p').setNumWorkers(2).setNJobs(3)
    assert (made.getLabelCol(), made.getFeaturesCol(), made.getPredictionCol(), made.getProbabilityCol(), made.getNumWorkers(), made.getNJobs()) == ('y', 'v', 'said', 'p', 2, 3)
    assert made.setParams(inputCols=['a', 'b'], epsilon=2).getInputCols() == ['a', 'b'] and made.setInputCols(['c']).getInputCols() == ['c'] and made.getEpsilon() == 2
    model = spark.HedgerowClassifierModel().setPredictionCol('said').setFeaturesCol('v').setProbabilityCol('p').setInputCols(['a']).setUnknown('missing')
    assert (model.getPredictionCol(), model.getFeaturesCol(), model.getProbabilityCol(), model.getInputCols(), model.getUnknown()) == ('said', 'v', 'p', ['a'], 'missing')
    assert not hasattr(model, 'setLabelCol') and not hasattr(spark.HedgerowRegressor, 'setProbabilityCol')


def test_cells_that_do_not_fit__end_the_fit_with_the_rank(session, frame, tmp_path):
    bad = frame.withColumn('ward', F.when(F.col('who') == 7, 'roof').otherwise(F.col('ward')))
    with pytest.raises(SchemaError, match="(?s)rank [12]: .*'ward'.*roof"):
        spark.HedgerowClassifier(schema=CLASSES, num_workers=2, ledger=Ledger.create(tmp_path / 'b.db', 3)).fit(bad)
    assert Ledger(tmp_path / 'b.db').entries == []
    assert not session.sparkContext.statusTracker().getActiveJobsIds()


# ---- A worker that is gone ----

def parent(pid):
    return int(re.sub(r'.*\)', '', pathlib.Path('/proc/%d/stat' % pid).read_text()).split()[1])


def is_running(pid):
    try:
        return pathlib.Path('/proc/%d/stat' % pid).read_text().rsplit(') ', 1)[1][0] != 'Z'
    except OSError:
        return False


def await_end(pid):
    """What an executor started ends soon after it."""
    until = time.monotonic() + 120
    while is_running(pid) and time.monotonic() < until:
        time.sleep(.01)


def telling(folder, serve):
    """A task that says which process it is."""
    def told(batches):
        folder.joinpath(str(TaskContext.get().partitionId())).write_text(str(os.getpid()))
        yield from serve(batches)
    return told


class Watched(hedgerow.HedgerowClassifier):
    """What it does at its first step is up to the test."""
    at_start = None
    progress = property(lambda self: lambda done, total: type(self).at_start and type(self).at_start(), lambda self, given: None)


class WatchedOnSpark(spark.HedgerowClassifier):
    _kind = Watched


@pytest.mark.parametrize('which', ['task', 'executor'])
def test_worker_that_is_killed__ends_the_fit_and_is_named(session, frame, tmp_path, monkeypatch, which):
    serving = spark.serving
    monkeypatch.setattr(spark, 'serving', lambda *given: telling(tmp_path, serving(*given)))

    def kill():
        if not list(tmp_path.glob('killed')):
            pid = int(tmp_path.joinpath('1').read_text())
            os.kill(parent(parent(pid)) if which == 'executor' else pid, signal.SIGKILL)
            tmp_path.joinpath('killed').touch()
            await_end(pid)
    monkeypatch.setattr(Watched, 'at_start', staticmethod(kill))
    ledger = Ledger.create(tmp_path / 'b.db', 3, 1e-5)
    with pytest.raises(FileError, match=r'rank 2 \(.*\) is gone'):
        WatchedOnSpark(schema=CLASSES, num_workers=2, epsilon=1, ledger=ledger).fit(frame)
    assert [entry.state for entry in ledger.entries] == ['reserved']
    assert not session.sparkContext.statusTracker().getActiveJobsIds()


def test_worker_that_dies_as_it_reads__is_named_and_not_started_again(session, frame, tmp_path, monkeypatch):
    serving = spark.serving

    def reading(*given):
        def dying(batches):
            if TaskContext.get().partitionId() == 1:
                os.kill(os.getpid(), signal.SIGKILL)
            yield from batches
        return lambda batches: serving(*given)(dying(batches))
    monkeypatch.setattr(spark, 'serving', reading)
    ledger = Ledger.create(tmp_path / 'b.db', 3, 1e-5)
    with pytest.raises(FileError, match=r'rank 2 \(.*\) is gone'):
        spark.HedgerowClassifier(schema=CLASSES, num_workers=2, epsilon=1, ledger=ledger).fit(frame)
    assert ledger.entries == []
    assert not session.sparkContext.statusTracker().getActiveJobsIds()


def test_examples__run(session, table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    train = table.rename(columns={'dose.mg': 'dose'})
    train.to_csv('train.csv', index=False)
    Schema.build(Column('ill', values=('yes', 'no')), [FEATURES[0], Column('dose', 0, 1), FEATURES[2]]).write('schema.yaml')
    Ledger.create('budget.db', 3, 1e-5)
    names = {'spark': session}
    text = (ROOT / 'docs/how-to/engines.md').read_text()
    code, = [block for block in re.findall(r'^```python\n(.*?)^```', text, flags=re.S | re.M) if 'hedgerow.spark' in block]
    exec(code.replace("'train.csv'", repr(str(tmp_path / 'train.csv'))).replace("save('model')", "save('%s')" % (tmp_path / 'model')), names)
    assert names['model'].model.guarantee.is_private and Ledger('budget.db').spent[0] == 1
