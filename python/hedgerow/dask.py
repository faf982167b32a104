"""Training where the partitions of a Dask collection are (docs/how-to/engines.md).

    from dask.distributed import Client
    from hedgerow.dask import HedgerowClassifier

    client = Client('tls://scheduler:8786')
    model = HedgerowClassifier(schema='schema.yaml', ledger='budget.db', epsilon=1).fit(frame)

Each worker that holds partitions is one rank: it puts them together where they lie and answers with exact sums, and no partition goes to another worker or
to this process, which alone has ledger, gate and noise. The model is, byte for byte, that of one process with the same records in the order of `parts_` and
the same noise."""
from __future__ import annotations

import contextlib
import functools
from typing import Any
from urllib.parse import urlsplit

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask.distributed import Client, Future, TimeoutError, default_client, wait

import hedgerow

from ._cluster import ClusterFit, Ticket, host_towards, schema_of_fit, serve_part, takes_workers, whole_workers
from ._labels import labels_in
from .errors import ArgumentError, FileError
from .schema import Schema

__all__ = ['HedgerowClassifier', 'HedgerowRegressor']


# ---- At a worker ---------------------------------------------------------------------------------------------------------

def _serve(ticket: Ticket, parts: list[Any], of_arrays: bool, empty: Any) -> None:
    """parts: of this worker, in their order; of arrays, pairs of records and labels. empty: a part without records."""
    parts = parts or [empty]
    if of_arrays:
        serve_part(ticket, np.concatenate([X for X, _ in parts]), np.concatenate([y for _, y in parts]))
    else:
        serve_part(ticket, parts[0] if len(parts) == 1 else pd.concat(parts, ignore_index=True))


def _predicted(part: Any, model: Any, what: str) -> Any:
    """Of a partition of a frame: a series, or a column a class."""
    if what == 'predict':
        return pd.Series(getattr(model, what)(part) if len(part) else np.empty(0, dtype=_dtype(model)), index=part.index)
    return pd.DataFrame(getattr(model, what)(part) if len(part) else np.empty((0, len(model.classes_))), index=part.index, columns=model.classes_)


def _predicted_rows(part: Any, model: Any, what: str) -> Any:
    """Of a block of an array."""
    return getattr(model, what)(part)


def _dtype(model: Any) -> Any:
    return model.classes_.dtype if hasattr(model, 'classes_') else np.dtype(np.float64)


# ---- The fit -------------------------------------------------------------------------------------------------------------

class _Fit:
    """Tasks that serve, one at each worker; ended with it."""

    def __init__(self, client: Client, timeout: float) -> None:
        self.client, self.timeout = client, timeout
        self.tasks: list[Future] = []

    def check(self) -> None:
        """Raises what a task failed with before the link knew."""
        for number, task in enumerate(self.tasks):
            if task.status in ('error', 'cancelled', 'lost'):
                failed = task.exception() if task.status == 'error' else None
                raise failed if isinstance(failed, hedgerow.HedgerowError) and 'rank ' in str(failed) else FileError(
                    'rank %d (%s) is gone: its task ended (%s)' % (number + 1, self.addresses[number], failed or task.status))

    def run(self, fit: ClusterFit, parts: dict[str, list[Any]], how: tuple[bool, Any]) -> None:
        self.addresses = list(parts)
        self.tasks = [self.client.submit(_serve, fit.ticket(number), own, *how, workers=[address], allow_other_workers=False, retries=0, pure=False,
                                         priority=100, key='hedgerow-rank-%d-%s' % (number + 1, fit.address))
                      for number, (address, own) in enumerate(parts.items())]
        try:
            fit.run(self.check)
            with contextlib.suppress(TimeoutError):  # the model is there, whatever becomes of the tasks
                wait(self.tasks, timeout=self.timeout)
        finally:
            self.client.cancel(self.tasks, force=True)


class _OnDask:
    """What both estimators share; before Hedgerow's own in the order of their classes."""
    timeout: float

    def fit(self: Any, X: Any, y: Any = None) -> Any:
        """X: a dask.dataframe with the label's column by the schema's name; or the features, or a dask.array of them, and y beside it. Where the schema
        names a unit, X is shuffled first, so that each person's records are at one worker. num_workers: how many workers take part; None: all that get
        partitions. Spends and Fails: as hedgerow's estimators of these names; FileError (a worker is gone, which is named by its rank), upon which nothing
        is started again and what was reserved in a ledger stays reserved. Nothing is read off the records but the sums that the guarantee covers."""
        client = default_client()
        schema, workers = schema_of_fit(self), None if self.num_workers is None else whole_workers(self.num_workers)
        of_arrays = not isinstance(X, dd.DataFrame)
        parts, empty = _array_parts(X, y) if of_arrays else _frame_parts(X, y, schema, workers)
        placed = _placed(client, parts, workers)
        labels = empty[1] if of_arrays else np.asarray(labels_in(empty, None, schema))
        columns = X.shape[1] if of_arrays else [name for name in empty.columns if name not in (schema.label.name, schema.label.event)]
        host = host_towards(urlsplit(client.scheduler.address).hostname or '127.0.0.1')
        with ClusterFit(self, len(placed), columns=columns, label_dtype=labels.dtype, host=host, timeout=self.timeout) as fit:
            _Fit(client, self.timeout).run(fit, {address: [part for _, part in own] for address, own in placed.items()}, (of_arrays, empty))
        self.parts_ = [[number for number, _ in own] for own in placed.values()]
        return self

    def _mapped(self: Any, X: Any, what: str) -> Any:
        if isinstance(X, dd.DataFrame):
            return X.map_partitions(_predicted, self, what, meta=_predicted(X._meta, self, what))
        if isinstance(X, da.Array):
            X, of_part = X.rechunk({1: -1}), functools.partial(_predicted_rows, model=self, what=what)
            if what == 'predict':
                return X.map_blocks(of_part, dtype=_dtype(self), drop_axis=1, meta=np.empty(0, dtype=_dtype(self)))
            return X.map_blocks(of_part, dtype=np.float64, chunks=(X.chunks[0], (len(self.classes_),)), meta=np.empty((0, 0)))
        return getattr(super(_OnDask, self), what)(X)

    def predict(self, X: Any) -> Any:
        """Lazy of a dask collection, partition by partition; of other tables as hedgerow's estimators do."""
        return self._mapped(X, 'predict')


on_dask = functools.partial(takes_workers, timeout=60.0)


@on_dask
class HedgerowClassifier(_OnDask, hedgerow.HedgerowClassifier):  # type: ignore[misc]
    """`hedgerow.HedgerowClassifier` over the workers of a Dask cluster: the same parameters, of which schema is required, num_workers, and timeout: seconds
    within which all workers join, whose tasks have to begin."""

    def predict_proba(self, X: Any) -> Any:
        """As `predict`: a column for each of classes_."""
        return self._mapped(X, 'predict_proba')


@on_dask
class HedgerowRegressor(_OnDask, hedgerow.HedgerowRegressor):  # type: ignore[misc]
    """`hedgerow.HedgerowRegressor` over the workers of a Dask cluster: the same parameters, of which schema is required, num_workers, and timeout: seconds
    within which all workers join, whose tasks have to begin."""


# ---- Partitions ----------------------------------------------------------------------------------------------------------

def _frame_parts(frame: Any, y: Any, schema: Schema, workers: int | None) -> tuple[list[Any], Any]:
    """And a part without records."""
    if y is not None and not isinstance(y, dd.Series):
        raise ArgumentError('Beside a dask.dataframe y is a series of it, or left out: X has the column.')
    if y is not None:
        frame = frame.assign(**{schema.label.name: y})
    if schema.unit_column:
        frame = frame.shuffle(on=schema.unit_column, npartitions=workers or frame.npartitions)
    return list(frame.to_delayed()), frame._meta


def _array_parts(X: Any, y: Any) -> tuple[list[Any], Any]:
    if not isinstance(X, da.Array) or not isinstance(y, da.Array):
        raise ArgumentError('X is a dask.dataframe, or X and y are dask.arrays.')
    X, y = X.rechunk({1: -1}), y.rechunk({0: X.chunks[0]})
    pair = dask.delayed(lambda X, y: (X, y), pure=True)
    blocks = zip(X.to_delayed().ravel(), y.to_delayed().ravel())
    return [pair(*block) for block in blocks], (np.empty((0, X.shape[1]), dtype=X.dtype), np.empty(0, dtype=y.dtype))


def _placed(client: Client, parts: list[Any], workers: int | None) -> dict[str, list[tuple[int, Future]]]:
    """Computes the partitions, and gives those of each worker, which stay where they came to lie. Fails: as a task; ArgumentError (fewer workers)."""
    there = sorted(client.scheduler_info(n_workers=-1)['workers'])
    if workers is not None and workers > len(there):
        raise ArgumentError('num_workers is %d, and the cluster has %d workers.' % (workers, len(there)))
    futures = client.compute(parts, workers=there[:workers])
    wait(futures)
    for future in futures:
        if future.status != 'finished':
            future.result()
    where = client.who_has(futures)
    found: dict[str, list[tuple[int, Future]]] = {}
    for number, future in enumerate(futures):
        holders = where.get(future.key) or ()
        if not holders:
            raise FileError('partition %d is gone with its worker' % number)
        found.setdefault(next((one for one in found if one in holders), sorted(holders)[0]), []).append((number, future))
    if workers is not None:
        for address in there[:workers]:
            found.setdefault(address, [])
    return found
