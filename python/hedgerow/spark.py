"""Estimators of pyspark.ml that train over the workers of a Spark cluster (docs/how-to/engines.md).

Spark places a task for each part, in one barrier stage; sums travel by Hedgerow's own link. Method, ledger, gate and noise are at the driver alone."""
from __future__ import annotations

import contextlib
import os
import time
import uuid
from inspect import signature
from typing import Any, Callable, Iterator

import numpy as np
import pandas as pd
import pyarrow as pa
from pyspark import BarrierTaskContext, InheritableThread
from pyspark.ml import Estimator, Model as SparkModel
from pyspark.ml.functions import array_to_vector, vector_to_array
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import HasFeaturesCol, HasInputCols, HasLabelCol, HasPredictionCol, HasProbabilityCol
from pyspark.ml.util import DefaultParamsReadable, DefaultParamsReader, DefaultParamsWritable, DefaultParamsWriter
from pyspark.sql import DataFrame, SparkSession, functions as F
from pyspark.sql.pandas.types import to_arrow_schema

from . import estimators
from ._cells import text_of_value
from ._cluster import ClusterFit, columns_beside, columns_in, serve_part
from ._labels import _ascending, _classes_of
from ._native import lib
from ._parameters import IN_SCHEMA
from ._reading import table_columns
from .errors import ArgumentError, SchemaError
from .ledger import Ledger
from .model import Model
from .schema import Schema, middle_quantile

NOT_HERE = (*IN_SCHEMA, 'self', 'unit', 'counts', 'quantiles', 'progress')  # the schema has them, or they are no values
NAMED = ('num_workers', 'unknown', 'labelCol', 'featuresCol', 'inputCols', 'predictionCol', 'probabilityCol')  # of classes that have them
PATIENCE, ROOM_SECONDS = 10, 60  # for tasks to end by themselves once a fit has; for room to come


def cells_of(name: str) -> Any:
    """A column by its name, which may have dots."""
    return F.col('`%s`' % name.replace('`', '``'))


class _Columns(HasFeaturesCol, HasInputCols, HasPredictionCol):  # type: ignore[misc]
    """Which columns of a frame are the schema's, and what estimators and models have for each parameter: a getter and a setter."""

    def __init_subclass__(cls, **others: Any) -> None:
        super().__init_subclass__(**others)
        for name in (*getattr(cls, '_of_fit', ()), *(name for name in NAMED if hasattr(cls, name))):
            title = ''.join(word[:1].upper() + word[1:] for word in name.split('_'))
            setattr(cls, 'get' + title, lambda self, name=name: self.getOrDefault(name))
            setattr(cls, 'set' + title, lambda self, value, name=name: self._set(**{name: value}))

    def _features(self, frame: DataFrame, schema: Schema) -> list[Any]:
        """Of the schema, in its order: those that inputCols names, the elements of a vector, or those of the schema's own names."""
        described = [column.name for column in table_columns(schema)]
        if self.isSet(self.inputCols):
            given = self.getInputCols()
            if len(given) != len(described):
                raise SchemaError('inputCols names %d columns, and the schema has %d: give as many, in its order.' % (len(given), len(described)))
            return [cells_of(here).alias(name) for here, name in zip(given, described)]
        if self.isSet(self.featuresCol) or (self.getFeaturesCol() in frame.columns and not set(described) <= set(frame.columns)):
            return self._elements(schema, described)
        return [cells_of(here).alias(name) for here, name in columns_in(schema, frame.columns).items()]

    def _elements(self, schema: Schema, names: list[str]) -> list[Any]:
        others = [column.name for column in schema.features if column.is_category or column.name not in names]
        if others:
            raise SchemaError('A vector has numbers alone, and the schema has categories or dates (%s): give the columns, not featuresCol.' % ', '.join(others[:10]))
        vector = vector_to_array(cells_of(self.getFeaturesCol()))
        checked = F.when(F.size(vector) == len(names), vector).otherwise(F.raise_error(F.lit('a vector has not the %d elements of the schema' % len(names))))
        return [checked[i].alias(name) for i, name in enumerate(names)]


def serving(tickets: list[Any], kinds: pa.Schema, names: list[str]) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What each task of the barrier stage does: it joins, reads its part and serves it, and gives nothing back."""
    def serve(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        context = BarrierTaskContext.get()
        if len(context.getTaskInfos()) != len(tickets):
            raise ArgumentError('The table came in %d parts, not %d: repartition it, and persist it.' % (len(context.getTaskInfos()), len(tickets)))
        serve_part(tickets[context.partitionId()], lambda: pa.Table.from_batches(list(batches), kinds).rename_columns(names))
        yield from ()
    return serve


@contextlib.contextmanager
def stage_of(parts: DataFrame, fit: ClusterFit) -> Iterator[Callable[[], None]]:
    """A barrier stage beside the fit at the driver; gives a function that fails as the stage did. Spark starts a failed stage anew: it finds no link any
    more, and is cancelled."""
    plain_names = parts.toDF(*['c%d' % i for i in range(len(parts.columns))])  # mapInArrow takes no dots in names
    task = serving([fit.ticket(worker) for worker in range(fit.workers)], to_arrow_schema(plain_names.schema), parts.columns)
    answers, tag, failures = plain_names.mapInArrow(task, 'nothing int', barrier=True), 'hedgerow-%s' % uuid.uuid4(), list[Exception]()

    def run() -> None:
        parts.sparkSession.addTag(tag)
        try:
            answers.collect()
        except Exception as error:  # noqa: B902 (raised in the thread of the fit, if that still runs)
            failures.append(error)

    def check() -> None:
        for error in failures:
            raise error
    thread = InheritableThread(target=run, daemon=True)
    thread.start()
    try:
        yield check
        thread.join(PATIENCE)
    finally:
        while thread.is_alive():
            parts.sparkSession.interruptTag(tag)
            thread.join(1)


def await_room(session: SparkSession, workers: int) -> None:
    """Until Spark can run so many tasks at once: an executor may just be started anew. Fails: ArgumentError (it cannot)."""
    context, until = session.sparkContext._jsc.sc(), time.monotonic() + ROOM_SECONDS
    profile = context.resourceProfileManager().defaultResourceProfile()
    while workers > (room := context.maxNumConcurrentTasks(profile)):
        if time.monotonic() > until:
            raise ArgumentError('num_workers is %d, and the cluster runs %d tasks at once, which all of a fit must.' % (workers, room))
        time.sleep(.2)


class _Estimator(Estimator, _Columns, HasLabelCol, DefaultParamsReadable, DefaultParamsWritable):  # type: ignore[misc]
    """Parameters are those of the estimator of this name in `hedgerow` but for those that a schema has: each is a Param, with a getter and a setter. schema:
    required. num_workers: tasks of the fit, each with a part of the table. featuresCol: a vector of the schema's columns in their order; inputCols: names of
    such columns; else columns have the names of the schema. labelCol: unless set, the name of the schema's label."""

    num_workers: Any = Param(Params._dummy(), 'num_workers', 'tasks of a fit, each with a part of the records', TypeConverters.toInt)
    _kind: type[estimators.HedgerowEstimator]
    _made: type[_Model]
    _of_fit: list[str]

    def __init_subclass__(cls, **others: Any) -> None:
        cls._of_fit = [name for name in signature(cls._kind.__init__).parameters if name not in NOT_HERE]
        for name in cls._of_fit:
            setattr(cls, name, Param(Params._dummy(), name, 'as in hedgerow.%s' % cls._kind.__name__, plain))
        super().__init_subclass__(**others)

    def __init__(self, **params: Any) -> None:
        super().__init__()
        defaults = signature(self._kind.__init__).parameters
        self._setDefault(num_workers=1, **{name: defaults[name].default for name in self._of_fit})
        self.setParams(**params)

    def setParams(self, **params: Any) -> Any:
        if others := [name for name in params if not self.hasParam(name)]:
            raise ArgumentError('%s has no parameter %s; what a schema has is given there.' % (type(self).__name__, ', '.join(others)))
        return self._set(**params)

    def _parts(self, dataset: DataFrame, schema: Schema) -> DataFrame:
        """The schema's columns, in as many partitions as there are workers; of persons, all records of one in one partition."""
        workers, unit = self.getOrDefault('num_workers'), schema.unit_column
        beside = columns_beside(schema, dataset.columns, self.getLabelCol() if self.isSet(self.labelCol) else None)
        table = dataset.select(*self._features(dataset, schema), *(cells_of(here).alias(name) for here, name in beside.items()))
        if unit is not None:
            return table.repartition(workers, F.trim(cells_of(unit).cast('string')))
        return table if table.rdd.getNumPartitions() == workers else table.repartition(workers)

    def _fit(self, dataset: DataFrame) -> _Model:
        """Fails: as `fit` in hedgerow; FileError (a worker is gone: which is named)."""
        workers, session, schema = self.getOrDefault('num_workers'), dataset.sparkSession, self.getOrDefault('schema')
        estimator = self._kind(**{name: self.getOrDefault(name) for name in self._of_fit})
        estimator.schema = Schema.parse(schema) if '\n' in str(schema) else schema
        with ClusterFit(estimator, workers, columns=(), host=session.conf.get('spark.driver.host'), timeout=lib.HR_CLUSTER_SECONDS_MAX) as fit:
            await_room(session, workers)
            with stage_of(self._parts(dataset, fit.schema), fit) as check:
                fit.run(check)
        return self._copyValues(self._made(estimator.model_))  # type: ignore[no-any-return]


def plain(value: Any) -> Any:
    """As JSON has it, for `save`: a schema as its text, which has several lines."""
    if isinstance(value, (Schema, Ledger)):
        return value.to_yaml() if isinstance(value, Schema) else value.path
    if isinstance(value, dict):
        return {text_of_value(name): plain(item) for name, item in value.items()}
    return os.fspath(value) if isinstance(value, os.PathLike) else value


class _Model(SparkModel, _Columns, DefaultParamsReadable, DefaultParamsWritable):  # type: ignore[misc]
    """model: the `hedgerow.Model`. transform scores each partition where it is, by a UDF over pandas."""

    unknown: Any = Param(Params._dummy(), 'unknown', 'as in hedgerow.HedgerowClassifier: what becomes of categories that the schema does not list')

    def __init__(self, model: Any = None) -> None:
        super().__init__()
        self.model: Model = model
        self._setDefault(unknown='error')

    def _outputs(self, dataset: DataFrame) -> Any:
        """An array for each record: the probabilities of `classes`, or numbers."""
        model, schema, unknown = self.model, self.model.schema, self.getOrDefault('unknown')
        order = _ascending(list(self.classes)) if schema.label.is_category else slice(None)

        def score(batches: Iterator[pd.DataFrame]) -> Iterator[pd.Series]:
            for batch in batches:
                yield pd.Series(list(model.predict(batch, 1, unknown)[:, order]))
        return F.pandas_udf(score, 'array<double>')(F.struct(*self._features(dataset, schema), *map(cells_of, (schema.exposure or ())[:1])))

    @property
    def classes(self) -> list[Any]:
        """Of the schema, in its order, as numbers if all are."""
        return list(_classes_of(list(self.model.schema.label.values), np.dtype('f8')))

    def write(self) -> Any:
        return _Writer(self)

    read = classmethod(lambda cls: _Reader(cls))


class _Writer(DefaultParamsWriter):  # type: ignore[misc]
    """The parameters as Spark writes them, and the model's JSON as a text file in the folder `model`."""

    def saveImpl(self, path: str) -> None:
        super().saveImpl(path)
        self.sparkSession.createDataFrame([(self.instance.model.to_json(),)], 'value string').coalesce(1).write.text(os.path.join(path, 'model'))


class _Reader(DefaultParamsReader):  # type: ignore[misc]
    def load(self, path: str) -> _Model:
        found: _Model = super().load(path)
        found.model = Model.parse(self.sparkSession.read.text(os.path.join(path, 'model'), wholetext=True).head()[0])
        return found


class HedgerowClassifierModel(_Model, HasProbabilityCol):  # type: ignore[misc]
    """transform adds the class (a number if the schema's classes are numbers, else a text) and a vector of the probabilities of `classes`, ascending."""

    def _transform(self, dataset: DataFrame) -> DataFrame:
        labels, outputs = F.array(*[F.lit(item if isinstance(item, str) else float(item)) for item in sorted(self.classes)]), '%s outputs' % self.uid
        scored = dataset.withColumn(outputs, self._outputs(dataset))
        largest = F.array_position(cells_of(outputs), F.array_max(cells_of(outputs))).cast('int')
        scored = scored.withColumn(self.getPredictionCol(), F.element_at(labels, largest))
        return scored.withColumn(self.getProbabilityCol(), array_to_vector(cells_of(outputs))).drop(outputs)


class HedgerowRegressorModel(_Model):
    """transform adds a number: the mean, or of quantiles the one nearest to the median."""

    def _transform(self, dataset: DataFrame) -> DataFrame:
        label = self.model.schema.label
        return dataset.withColumn(self.getPredictionCol(), self._outputs(dataset)[middle_quantile(label) if label.quantiles else 0])


class HedgerowClassifier(_Estimator, HasProbabilityCol):  # type: ignore[misc]
    _kind, _made = estimators.HedgerowClassifier, HedgerowClassifierModel


class HedgerowRegressor(_Estimator):
    _kind, _made = estimators.HedgerowRegressor, HedgerowRegressorModel
