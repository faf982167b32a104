"""Estimators that train on datasets of Ray Data, over the actors of a Ray cluster (docs/how-to/engines.md).

    from hedgerow.ray import HedgerowClassifier
    model = HedgerowClassifier(epsilon=1, schema='schema.yaml', ledger='budget.db', num_workers=4).fit(dataset)
    model.predict(test)

Ray places an actor for each part of the dataset; sums travel by Hedgerow's own link. Method, ledger, gate and noise are at the driver alone."""
from __future__ import annotations

from typing import Any, Callable, Sequence

import pandas as pd
import pyarrow as pa
import ray
from ray.util.placement_group import placement_group, remove_placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy
from sklearn.utils.validation import check_is_fitted

from . import estimators
from ._cluster import ClusterFit, columns_beside, columns_in, serve_part, takes_workers
from ._native import lib
from ._parameters import threads_of
from .errors import ArgumentError, FileError, HedgerowError

ROOM_SECONDS = 60.0  # to wait until the cluster has room for all actors at once


class _Worker:
    """An actor, which serves one part."""

    def has(self, block: Any) -> None:
        """Ends when the actor runs and its part is where it is."""

    def serve(self, ticket: Any, names: list[str], block: Any) -> None:
        """names: of the columns, which a block without rows may lack."""
        serve_part(ticket, block if len(block) else pd.DataFrame({name: [] for name in names}, dtype=object))


class _Actors:
    """An actor for each block, each started once and placed before the first begins. They end with the fit."""

    def __init__(self, workers: int, cpus: int) -> None:
        self._workers, self._answers = workers, list[Any]()
        self._group = placement_group([{'CPU': cpus}] * workers, strategy='SPREAD')
        self._kind = ray.remote(num_cpus=cpus, max_restarts=0, max_task_retries=0)(_Worker)

    def __enter__(self) -> _Actors:
        if not self._group.wait(ROOM_SECONDS):
            remove_placement_group(self._group)
            raise ArgumentError('The cluster had no room for %d workers at once within %g seconds: num_workers is too large, or others use it.' % (self._workers, ROOM_SECONDS))
        places = [PlacementGroupSchedulingStrategy(self._group, placement_group_bundle_index=i) for i in range(self._workers)]
        self._actors = [self._kind.options(scheduling_strategy=place).remote() for place in places]
        return self

    def serve(self, fit: ClusterFit, names: list[str], blocks: Sequence[Any]) -> None:
        self._begun = [actor.has.remote(block) for actor, block in zip(self._actors, blocks)]
        self._answers = [actor.serve.remote(fit.ticket(i), names, block) for i, (actor, block) in enumerate(zip(self._actors, blocks))]

    def check(self) -> bool:
        """Whether all actors run. Fails: as the first actor that failed; FileError with its rank if it died."""
        for answer in ray.wait(self._answers, num_returns=len(self._answers), timeout=0)[0]:
            try:
                ray.get(answer)
            except ray.exceptions.RayError as error:
                cause = getattr(error, 'cause', None)
                if isinstance(cause, HedgerowError):
                    raise cause from None
                raise FileError('rank %d failed: %s' % (self._answers.index(answer) + 1, str(error).splitlines()[0])) from error
        return not ray.wait(self._begun, num_returns=len(self._begun), timeout=0)[1]

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            ray.wait(self._answers, num_returns=len(self._answers), timeout=ROOM_SECONDS)
        for actor in self._actors:
            ray.kill(actor)
        remove_placement_group(self._group)


def part_blocks(dataset: Any, workers: int, unit: str | None) -> list[Any]:
    """References of one block for each worker; of persons, all records of one in one block."""
    parts = dataset.repartition(workers) if unit is None else dataset.repartition(workers, keys=[unit])
    blocks = [block for bundle in parts.materialize().iter_internal_ref_bundles() for block in bundle.block_refs]
    empty = [ray.put(pa.table({})) for _ in range(workers - len(blocks))]
    return blocks + empty


class _OverRay:
    """fit and predict of datasets, before the estimator of tables in memory."""

    num_workers: int | None
    model_: Any

    def fit(self, dataset: Any, label_column: str | None = None) -> Any:
        """dataset: with the columns of the schema, or more. label_column: None: named as in the schema. num_workers=None: one a node of the cluster. What
        was computed for the dataset is in the object store until the fit ends; no record comes to the driver. Fails: as `fit` in hedgerow;
        ArgumentError (no schema, no room), FileError (a worker is gone: its rank is named)."""
        fit = ClusterFit(self, self._workers(), columns=(), host=ray.util.get_node_ip_address(), timeout=lib.HR_CLUSTER_SECONDS_MAX)  # type: ignore[arg-type]
        with fit:
            schema, given = fit.schema, dataset.schema().names
            fit.columns = list(columns_in(schema, given).values())
            names = {**columns_in(schema, given), **columns_beside(schema, given, label_column)}
            table = dataset.select_columns(list(names)).rename_columns(names)
            blocks = part_blocks(table, fit.workers, schema.unit_column)
            with _Actors(fit.workers, max(1, threads_of(self.n_jobs))) as actors:  # type: ignore[attr-defined]
                actors.serve(fit, list(names.values()), blocks)
                fit.run(actors.check)
        return self

    def _workers(self) -> int:
        return sum(bool(node['Alive']) for node in ray.nodes()) if self.num_workers is None else self.num_workers

    def predict(self, dataset: Any) -> Any:
        """The dataset with a column `prediction`."""
        return self._scored(dataset, lambda estimator, table: {'prediction': estimator.predict(table)})

    def _scored(self, dataset: Any, score: Callable[[Any, Any], dict[str, Any]]) -> Any:
        """With the columns that `score` gives for an estimator and a table in memory."""
        check_is_fitted(self)
        estimator, schema = self._in_memory(), self.model_.schema
        names = columns_in(schema, dataset.schema().names)
        exposure = [schema.exposure[0]] if schema.exposure else []

        def scored(batch: pa.Table) -> pa.Table:
            table = batch.select([*names, *exposure]).rename_columns([*names.values(), *exposure])
            for name, cells in score(estimator, table).items():
                batch = batch.append_column(name, pa.array(cells))
            return batch
        return dataset.map_batches(scored, batch_format='pyarrow')

    def _in_memory(self) -> Any:
        """The fitted estimator, of tables in memory, without what belongs to the driver."""
        kind: Any = type(self).__bases__[-1]
        made = object.__new__(kind)
        made.__setstate__(self.__getstate__())
        return made


@takes_workers
class HedgerowClassifier(_OverRay, estimators.HedgerowClassifier):  # type: ignore[misc]
    """As `hedgerow.HedgerowClassifier`, with num_workers: actors of a fit, each with a part of the records and `n_jobs` processors. The schema is required."""

    def predict_proba(self, dataset: Any) -> Any:
        """The dataset with a column `probability_CLASS` for each class."""
        return self._scored(dataset, lambda estimator, table: {'probability_%s' % name: column for name, column in
                                                               zip(estimator.classes_, estimator.predict_proba(table).T)})


@takes_workers
class HedgerowRegressor(_OverRay, estimators.HedgerowRegressor):  # type: ignore[misc]
    """As `hedgerow.HedgerowRegressor`, with num_workers: actors of a fit, each with a part of the records and `n_jobs` processors. The schema is required."""
