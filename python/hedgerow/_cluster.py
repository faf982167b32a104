"""Fits over the workers of an engine, such as Dask's: what hedgerow.dask, hedgerow.spark and hedgerow.ray share.

The engine places workers and moves partitions. Here are the two ends of the link between them, over which sums travel (hedgerow/cluster.h): `ClusterFit`
at the driver, which is rank 0, has no records, and alone has ledger, gate and noise; and `serve_part` at each worker, which never gives a record away.

    with ClusterFit(estimator, workers=4, columns=['age', 'dose'], host='10.0.0.1') as fit:
        tasks = [start(serve_part, fit.ticket(i), part) for i, part in enumerate(parts)]   # all at the same time, none started twice
        fit.run(lambda: raise_what_failed(tasks))

A task that fails or is killed ends the fit with an error that names its rank, worker i being rank i + 1. The engine must not start one again: its key is
of one fit."""
from __future__ import annotations

import socket
import time
from dataclasses import dataclass, field
from inspect import Parameter, signature
from numbers import Integral
from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _frames, errors
from ._cells import FrameColumn
from ._guess import Facts
from ._labels import _ascending, _classes_of, _weights_of, labels_in, labels_of
from ._native import call, failure, ffi, lib, made, text_of, text_to
from ._parameters import exposures_of, threads_of
from ._reading import table_columns
from .errors import AbsentError, ArgumentError, FileError, HedgerowError, SchemaError
from .estimators import HedgerowClassifier, HedgerowEstimator
from .model import Model
from .schema import Schema
from .survival import HedgerowSurvival

__all__ = ['ClusterFit', 'Ticket', 'columns_beside', 'columns_in', 'host_towards', 'schema_of_fit', 'serve_part', 'takes_workers', 'whole_workers']

STATUS = {errors.ArgumentError: lib.HR_E_ARGUMENT, errors.FormatError: lib.HR_E_FORMAT, errors.SchemaError: lib.HR_E_SCHEMA,
          errors.LimitError: lib.HR_E_LIMIT, errors.PolicyError: lib.HR_E_POLICY, errors.AbsentError: lib.HR_E_ABSENT, MemoryError: lib.HR_E_MEMORY}
JOIN_SECONDS = 60.0  # for all workers to join, once all of them run


@dataclass(frozen=True)
class Ticket:
    """What a worker needs to take part in one fit. Secret: who has the key may take a rank's place."""
    address: str
    key: str = field(repr=False)
    rank: int
    ranks: int
    schema: str = field(repr=False)
    threads: int
    join_seconds: float


# ---- The link ------------------------------------------------------------------------------------------------------------

def _open_link(address: str, ticket: Ticket, keeper: Any = None) -> tuple[Any, list[Any]]:
    """The link, and what has to be kept as long as it is open. keeper: has `stopped`, which is asked while the link waits."""
    kept = [text_to(address), text_to(ticket.key), None if keeper is None else ffi.new_handle(keeper)]
    options = {'rank': ticket.rank, 'size': ticket.ranks, 'address': kept[0], 'key': kept[1], 'join_seconds': ticket.join_seconds}
    if keeper is not None:
        options.update(should_continue=lib.hedgerow_should_continue, user=kept[2])
    link = ffi.new('hr_cluster_link *')
    call(lib.hr_cluster_zeromq_open, ffi.new('hr_cluster_zeromq *', options), link)
    return link, kept


class _Ranks:
    """The ranks that joined, from `with` on."""

    def __init__(self, link: Any, rank: int) -> None:
        self.rank, self._link = rank, link

    def __enter__(self) -> _Ranks:
        out = ffi.new('hr_cluster **')
        call(lib.hr_cluster_join, self._link, out)
        self.at = out[0]
        return self

    def __exit__(self, *_: object) -> None:
        lib.hr_cluster_close(self.at)

    def agree(self, step: Callable[[], Any]) -> Any:
        """What a step of this rank's own gives, if no rank's fails; else all fail as the lowest of these does, which names it."""
        err, status, done = ffi.new('hr_error *'), int(lib.HR_OK), None
        try:
            done = step()
        except Exception as e:
            status = next((code for kind, code in STATUS.items() if isinstance(e, kind)), lib.HR_E_ARGUMENT)
            text = 'rank %d: %s' % (self.rank, e if isinstance(e, (HedgerowError, ValueError)) else '%s: %s' % (type(e).__name__, e))
            err.message = text.encode()[:len(err.message) - 1].decode(errors='ignore').encode()
        status = lib.hr_cluster_agree(self.at, status, err)
        if status != lib.HR_OK:
            raise failure(status, err)
        return done


# ---- A worker ------------------------------------------------------------------------------------------------------------

def serve_part(ticket: Ticket, frame: Any, y: Any = None) -> None:
    """Takes part in a fit with the records of `frame`, which may be none, until the driver has its model. frame: what `fit` takes as a table, with the
    label's column by the schema's name, or a function that makes it once all have joined; y: the labels, where the table is an array or lacks them. It is
    read by the schema alone: nothing is learnt from the part. Opens no ledger, draws nothing and writes no file. Fails: as the driver does, with its rank."""
    schema = Schema.parse(ticket.schema)
    with _Ranks(_open_link(ticket.address, ticket)[0], ticket.rank) as ranks:
        table = ranks.agree(lambda: _part_table(schema, frame, y))
        call(lib.hr_cluster_share, ranks.at, table.at)
        call(lib.hr_cluster_serve, ranks.at, table.at, ticket.threads)


def _part_table(schema: Schema, frame: Any, y: Any) -> _frames.Table:
    frame = frame() if callable(frame) else frame
    columns = _frames.columns_of(frame)
    labels = labels_of(schema, labels_in(frame, y, schema), columns.rows)
    return _frames.Table(schema, columns, labels, exposure=exposures_of(None, schema.exposure, columns), persons=_frames.person_hashes)


# ---- Columns of an engine's table ----------------------------------------------------------------------------------------

def columns_in(schema: Schema, given: Sequence[str]) -> dict[str, str]:
    """{a name among those given: the schema's} of the features. Fails: SchemaError (one is absent)."""
    empty = _frames.Columns([FrameColumn(name, 'number', np.empty(0)) for name in given], True)
    return {given[i]: column.name for i, column in _frames.find_columns(schema, empty)}


def columns_beside(schema: Schema, given: Sequence[str], label: str | None) -> dict[str, str]:
    """The same of what else a fit reads: the label, which the table has under the name `label` (None: the schema's), persons, exposures."""
    own = [name for name in (schema.unit_column, schema.exposure[0] if schema.exposure else None) if name is not None]
    wanted = {schema.label.name if label is None else label: schema.label.name, **{name: name for name in own}}
    absent = [name for name in wanted if name not in given]
    if absent:
        raise SchemaError('The table has no column %s.' % ', '.join(map(repr, absent)))
    return wanted


# ---- The driver ----------------------------------------------------------------------------------------------------------

class ClusterFit:
    """A fit of `estimator` (HedgerowClassifier, HedgerowRegressor or HedgerowSurvival with a schema) over `workers` ranks beside this one.

    columns: the names of the table's columns but the labels', in their order, or the number of an array's columns: what `predict` is to be given.
    label_dtype: the numpy type of the labels, which classes_ has. host: this machine's name or address as the workers reach it. timeout: seconds within
    which all workers join. Fails, also while it runs: as `fit`; ArgumentError (no schema, what ranks cannot train), AbsentError (a build without ZeroMQ),
    FileError (a rank is gone, or did not join)."""

    def __init__(self, estimator: HedgerowEstimator, workers: int, *, columns: Sequence[str] | int, label_dtype: Any = object, host: str | None = None,
                 timeout: float = 60.0) -> None:
        self.estimator, self.workers, self.columns = estimator, whole_workers(workers), columns
        self.label_dtype, self.host, self.timeout = np.dtype(label_dtype), host or '127.0.0.1', float(timeout)
        self._check: Callable[[], Any] | None = None
        self._has_joined, self._until = False, float('inf')
        self._interrupts: Any = None
        self._link: Any = None

    def __enter__(self) -> ClusterFit:
        self.schema = schema_of_fit(self.estimator)
        key = ffi.new('char[]', lib.HR_CLUSTER_KEY_TEXT)
        try:
            call(lib.hr_cluster_key, key)
        except AbsentError as error:
            raise AbsentError('%s. Driver and workers need a build with it: "pip install ." in the source makes one where libzmq3-dev is installed; a wheel of '
                              '"make wheels" has none.' % error.message, message=error.message, remedy=error.remedy) from None
        host = '[%s]' % self.host if ':' in self.host else self.host
        self._ticket = Ticket('', text_of(key), 0, self.workers + 1, self.schema.to_yaml(), threads_of(self.estimator.n_jobs), self.timeout)
        self._link, self._kept = _open_link('tcp://%s:0' % host, self._ticket, self)
        self.address = 'tcp://%s:%s' % (host, text_of(self._link.address).rsplit(':', 1)[1])
        return self

    def __exit__(self, *_: object) -> None:
        if self._link is not None:
            self._link.close(self._link.state)
            self._link = None

    def ticket(self, worker: int) -> Ticket:
        """For the worker of this number, from 0 on."""
        if not 0 <= worker < self.workers:
            raise ArgumentError('Workers are numbered from 0 to %d, not %r.' % (self.workers - 1, worker))
        own = self._ticket
        return Ticket(self.address, own.key, worker + 1, own.ranks, own.schema, own.threads, own.join_seconds)

    def run(self, check: Callable[[], Any] | None = None) -> HedgerowEstimator:
        """Waits for the workers and fits: the estimator is then as `fit` leaves it. check: called some times a second while workers are waited for; what
        it raises ends the fit, and once it gave True, all workers run, and have JOIN_SECONDS to join. Ctrl-C ends it, too."""
        estimator, self._check = self.estimator, check
        label = self.schema.label
        if isinstance(estimator, HedgerowClassifier):
            estimator._class_weights = _weights_of(estimator.class_weights, list(label.values))
        named = [column.name for column in table_columns(self.schema)] + [name for name in (self.schema.unit_column, (self.schema.exposure or ('',))[0]) if name]
        columns = _frames.Columns([FrameColumn(name, 'number', np.empty(0)) for name in named], True)
        own: Any = vars(estimator)
        own.update(_made=self._made, _exposure=exposures_of(None, self.schema.exposure, columns))  # in place of the training in one process
        try:
            estimator._train(self.schema, columns, np.empty(0), Facts(), None)
        finally:
            del own['_made'], own['_exposure']
            self._interrupts = None
        self._set_fitted()
        return estimator

    @property
    def stopped(self) -> bool:
        """While the link waits: whether it is to end."""
        keeper = self._interrupts
        if self._check is not None and keeper.raised is None and not keeper.stopped:
            try:
                self._limit_join(bool(self._check()))
            except BaseException as e:  # noqa: B902 (raised again when the library has returned)
                keeper.raised = e
        return bool(keeper.stopped or keeper.raised is not None)

    def _limit_join(self, all_run: bool) -> None:
        now = time.monotonic()
        self._until = min(self._until, now + JOIN_SECONDS) if all_run else self._until
        if now > self._until and not self._has_joined:
            raise FileError('All workers run, and some did not join within %g seconds: let them connect to %s.' % (JOIN_SECONDS, self.address))

    def _made(self, table: _frames.Table, options: Any) -> Model:
        self._interrupts = ffi.from_handle(options.user)
        link, self._link = self._link, None  # closed with the ranks
        with _Ranks(link, 0) as ranks:
            self._has_joined = True
            options.cluster = ranks.at
            ranks.agree(lambda: call(lib.hr_fit_check_cluster, options, self.schema._at))
            call(lib.hr_cluster_share, ranks.at, table.at)
            return Model(made(lib.hr_fit, 'hr_model', lib.hr_model_free, table.at, options))

    def _set_fitted(self) -> None:
        estimator, columns = self.estimator, self.columns
        if isinstance(columns, int):
            estimator.n_features_in_ = columns
        else:
            names = [name for name in map(str, columns) if name != (self.schema.exposure or ('',))[0]]
            estimator.feature_names_in_, estimator.n_features_in_ = np.array(names, dtype=object), len(names)
        if isinstance(estimator, HedgerowClassifier):
            classes = _classes_of(list(self.schema.label.values), self.label_dtype)
            order: NDArray[np.int64] = _ascending(list(classes))
            estimator.classes_ = classes[order]
            estimator._order = None if list(order) == list(range(len(order))) else order
        if isinstance(estimator, HedgerowSurvival):
            estimator.times_ = np.array(estimator.model_.schema.label.intervals)
            estimator.curves_ = estimator.model_.survival_curves


def whole_workers(number: Any) -> int:
    """num_workers as an engine was given it. Fails: ArgumentError (it is no whole number from 1 on)."""
    if isinstance(number, bool) or not isinstance(number, Integral) or number < 1:
        raise ArgumentError('num_workers is a whole number from 1 on, not %r.' % (number,))
    return int(number)


def schema_of_fit(estimator: HedgerowEstimator) -> Schema:
    """Of an estimator whose fit workers may take part in. Fails: as `fit` does with these parameters, before anything is computed."""
    if estimator.schema is None:
        raise ArgumentError('A fit over workers needs schema: bounds, categories and classes are public facts, and no worker may guess them from its part. '
                            'Schema.propose proposes one.')
    estimator._options()
    schema = estimator._given_schema()
    assert schema is not None
    label, is_classes = schema.label, isinstance(estimator, HedgerowClassifier)
    wanted = 'classes' if is_classes else 'a time' if isinstance(estimator, HedgerowSurvival) else 'a number'
    given = 'a time' if label.event is not None else 'classes' if label.is_category else 'a number'
    if wanted != given:
        raise SchemaError('The label of the schema is %s, and %s learns %s.' % (given, type(estimator).__name__, wanted))
    if getattr(estimator, 'counts', False) and not label.count:
        raise SchemaError('The label of the schema is no count: write "kind: count" in it, or leave counts out.')
    quantiles = getattr(estimator, 'quantiles', None)
    if quantiles is not None and tuple(quantiles) != label.quantiles:
        raise SchemaError('The label of the schema has other quantiles: write the same there, or leave quantiles out.')
    schema.check_reviewed()
    return schema


def host_towards(host: str, port: int = 9) -> str:
    """The address of this machine from which it reaches that one; nothing is sent."""
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
    with socket.socket(family, kind, protocol) as s:
        s.connect(address)
        return str(s.getsockname()[0])


def takes_workers(kind: Any, **others: Any) -> Any:
    """A decorator of an engine's estimator, which has no `__init__` of its own: it takes the parameters of the class that it extends, num_workers, and
    others with these defaults."""
    of = signature(kind.__init__)
    own = {'num_workers': None, **others}
    parameters = [*of.parameters.values(), *(Parameter(name, Parameter.KEYWORD_ONLY, default=default) for name, default in own.items())]

    def init(self: Any, *args: Any, **given: Any) -> None:
        bound = of.replace(parameters=parameters).bind(self, *args, **given)
        bound.apply_defaults()
        for name in list(bound.arguments)[1:]:
            setattr(self, name, bound.arguments[name])

    init.__signature__ = of.replace(parameters=parameters)  # type: ignore[attr-defined]
    kind.__init__ = init
    return kind
