"""An owner of a federation: what `hedgerow serve`, `jobs`, `jobs approve`, `jobs refuse`, `jobs cancel` and `policy check` do."""
from __future__ import annotations

import atexit
import os
import threading
import weakref
from dataclasses import dataclass
from typing import Any, Callable, TypeVar

from . import _frames
from ._carrier import Carrier
from ._jobs import CancelledJob, Charge, Job, cancel_job, charges, jobs, text_of_job
from ._native import call, ffi, lib, text_of, text_to
from ._parameters import exposures_of, is_whole, threads_of
from ._progress import LOG
from ._work import LogLine, Traffic, Work
from .errors import ArgumentError, BusyError, FormatError, HedgerowError
from .ledger import Ledger
from .schema import Schema

Failure = TypeVar('Failure', bound=HedgerowError)


@dataclass(frozen=True)
class Rule:
    """A rule that an owner asks of a job. rule: a key of the policy, 'limits.KEY' of its coordinator's, or 'job', 'schema', 'terms' or 'ledger'. text: the numbers."""
    rule: str
    keeps: bool
    text: str


@dataclass(frozen=True)
class Answer:
    """What an owner would answer to a job."""
    accepted: bool
    rules: tuple[Rule, ...]


class Owner:
    """An owner, by its owner file (docs/reference/formats.md): its records, ledger, key and policy.

    table: records in place of the table that the file names, which needs no `data` then: a table of pandas, polars or pyarrow with the columns of the file's
    schema and its label; or a pair of features and labels, such as arrays have. test: the same in place of `test`, the records that models are evaluated
    on. Both stay as they are while they are served; columns of numbers are not copied.

    Several owners may be served in one process, each with files of its own.

    Fails: FileError, FormatError (file, line), SchemaError (the table does not follow the schema), ValueError (labels), ArgumentError, PolicyError (the
    schema has a weight, which a table in memory cannot have), LimitError (two persons of one hash)."""

    def __init__(self, path: str | os.PathLike[str], table: Any = None, *, test: Any = None) -> None:
        self.path = os.fspath(path)
        _refuse_path('table', 'data', table)
        _refuse_path('test', 'test', test)
        names = _names_in(self.path)
        self.name, self._ledger_path, self._names_data = names['name'], names['ledger'], bool(names['data'])
        schema = Schema.read(names['schema']) if table is not None or test is not None else None
        self._data = _data_of(schema, table) if schema is not None and table is not None else None
        self._test = _data_of(schema, test) if schema is not None and test is not None else None

    def serve(self, *, jobs: int | None = None, n_jobs: int = -1, metrics: str | os.PathLike[str] | None = None,
              on_line: Callable[[LogLine], Any] | None = None, on_ready: Callable[[], Any] | None = None, carrier: Carrier | None = None) -> Traffic:
        """Serves the records to the coordinators that the policy names: waits for jobs, refuses what the policy does not allow, answers, charges the ledger.
        Returns when so many `jobs` are over, or at Ctrl-C (in the main thread): what was begun continues when the owner serves again, here or by the command.

        n_jobs: threads of a training, -1 for all processors. metrics: a file that is replaced every 15 seconds with numbers for Prometheus. on_line: called
        with each line of the log, which the logger 'hedgerow' gets as well. on_ready: called when files and journal are open and the broker has answered,
        which is waited for. carrier: carries the packets in place of the broker. What they raise ends the work, and comes out.

        Spends: of each job that it accepts at most its epsilon, in the ledger. Fails: FileError, FormatError, SchemaError, PolicyError (its files; the broker
        refuses), BusyError (a program serves the owner already), ArgumentError (in a process that was forked from one which had used a broker)."""
        work = Work(on_line=on_line, carrier=carrier)
        work.on_ready = on_ready
        return self._serve(work, self._settings(work, jobs, n_jobs, metrics))

    def serve_in_thread(self, **options: Any) -> Service:
        """`serve` in a thread of its own, which has begun; options: those of `serve`. `stop` of what is returned ends it, and so does the end of the program."""
        return Service(self, options).start()

    def serving(self, **options: Any) -> Service:
        """The same for a block: `with owner.serving() as service: ...` serves while the block runs, and stops at its end, whether by Ctrl-C or otherwise."""
        return Service(self, options)

    def jobs(self) -> list[Job]:
        """All jobs that the owner was offered, oldest first."""
        return jobs(self.path)

    def approve(self, job: Job | str) -> None:
        """Accepts an offer that waits for a person (`approve: manual`). job: a `Job`, its name, or the first digits of its id. The program that serves acts
        within a second. Fails: ArgumentError (no such job, or several), PolicyError (it does not wait any more)."""
        call(lib.hr_job_approve, text_to(self.path), text_of_job(job))

    def refuse(self, job: Job | str, reason: str | None = None) -> None:
        """Declines it; the coordinator is told the reason. Fails: as `approve`."""
        call(lib.hr_job_refuse, text_to(self.path), text_of_job(job), text_to(reason))

    def cancel(self, job: Job | str) -> CancelledJob:
        """Ends the owner's part in a job, as `cancel_job` does."""
        return cancel_job(self.path, job)

    def check(self, job_file: str | os.PathLike[str]) -> Answer:
        """What the owner would answer if the coordinator of the job file offered it now, rule by rule. No record is read, and nothing is sent."""
        found: list[Rule] = []
        handle, accepted = ffi.new_handle(found), ffi.new('bool *')
        call(lib.hr_policy_explain, text_to(self.path), text_to(os.fspath(job_file)), lib.hedgerow_policy_line, handle, accepted)
        return Answer(bool(accepted[0]), tuple(found))

    @property
    def ledger(self) -> Ledger:
        """The ledger that the owner file names, opened anew."""
        return Ledger(self._ledger_path)

    @property
    def charges(self) -> list[Charge]:
        """Every entry of the ledger with its job, oldest first, then the jobs without an entry."""
        return charges(self.path)

    def __repr__(self) -> str:
        return 'Owner(%r)' % self.path

    def _settings(self, work: Work, jobs: int | None, n_jobs: int, metrics: str | os.PathLike[str] | None) -> tuple[Any, Any]:
        """hr_party_settings, and what has to be kept. Fails: ArgumentError, FormatError."""
        if self._data is None and not self._names_data:
            raise _failure(FormatError, self.path, 'data', "the key 'data' is missing", 'name a file, or the address of a database, or give table=')
        if jobs is not None and not (is_whole(jobs) and jobs > 0):
            raise ArgumentError('jobs is a whole number from 1 on, or None, not %r.' % (jobs,))
        settings, file = work.settings(), text_to(None if metrics is None else os.fspath(metrics))
        settings.threads, settings.jobs, settings.metrics = threads_of(n_jobs), jobs or 0, file
        return settings, file

    def _serve(self, work: Work, settings: tuple[Any, Any]) -> Traffic:
        records, own = ffi.new('hr_owner_records *'), (os.getpid(), os.path.realpath(self._ledger_path))
        records.data = ffi.NULL if self._data is None else self._data.at
        records.test = ffi.NULL if self._test is None else self._test.at
        SERVED.append(own)
        try:
            with work:
                call(lib.hr_serve_records, text_to(self.path), records, settings[0])
        except KeyboardInterrupt:
            if work.raised is not None:  # by a function of the program
                raise
        except BusyError:
            if SERVED.count(own) < 2:
                raise
            raise _failure(BusyError, self._ledger_path, '', 'this program serves it already', 'stop that service first') from None
        finally:
            SERVED.remove(own)
        return work.traffic


class Service:
    """An owner that is served in a thread of its own. A process that was forked meanwhile has no such thread: there `running` is False, and `stop` does nothing.
    It must not open ledgers or journals either, since SQLite's locks may be held by threads that it lacks."""

    def __init__(self, owner: Owner, options: dict[str, Any]) -> None:
        options = {'jobs': None, 'n_jobs': -1, 'metrics': None, 'on_line': None, 'on_ready': None, 'carrier': None, **options}
        self._owner, self._process = owner, os.getpid()
        self._work = Work(on_line=options['on_line'], carrier=options['carrier'])
        self._work.on_ready = options['on_ready']
        unknown = set(options) - {'jobs', 'n_jobs', 'metrics', 'on_line', 'on_ready', 'carrier'}
        if unknown:
            raise TypeError('serve takes no %s.' % ', '.join(sorted(unknown)))
        self._settings = owner._settings(self._work, options['jobs'], options['n_jobs'], options['metrics'])
        self._thread = threading.Thread(target=self._run, name='hedgerow %s' % owner.name, daemon=True)
        self._change, self._over = threading.Condition(), False
        self._error: BaseException | None = None
        self.traffic = Traffic()

    def start(self) -> Service:
        """Begins to serve, once."""
        RUNNING.add(self)
        self._thread.start()
        return self

    def _run(self) -> None:
        own = self._work.on_ready
        self._work.on_ready = lambda: self._announce(own)
        try:
            self.traffic = self._owner._serve(self._work, self._settings)
        except BaseException as e:  # noqa: B902 (raised again in the thread that waits)
            LOG.error('%s: %s', self._owner.name, e)
            self._error = e
        finally:
            with self._change:
                self._over = True
                self._change.notify_all()
            RUNNING.discard(self)

    def _announce(self, own: Callable[[], Any] | None) -> None:
        with self._change:
            self._change.notify_all()
        if own is not None:
            own()

    @property
    def running(self) -> bool:
        return os.getpid() == self._process and self._thread.is_alive()

    @property
    def ready(self) -> bool:
        """Files and journal are open, and the broker has answered."""
        return self._work.ready.is_set()

    def wait_ready(self, timeout: float | None = None) -> bool:
        """Waits until it is ready; False after so many seconds, or if it has ended. Raises what ended it before, as `wait`, `stop` and the end of the block do: once."""
        with self._change:
            self._change.wait_for(lambda: self.ready or self._over, timeout)
        self._raise_error()
        return self.ready

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until it has ended; False after so many seconds. Raises what ended it."""
        with self._change:
            self._change.wait_for(lambda: self._over, timeout)
        self._raise_error()
        return self._over

    def stop(self) -> None:
        """Has it end at its next step, and waits for that. What was begun continues when the owner is served again. Raises what ended it before."""
        self._end()
        self._raise_error()

    def reload(self) -> None:
        """Has it read the owner file, and the files that this names, anew, as `hedgerow serve` does at SIGHUP. A faulty file is logged, and the previous one
        stays in force. A table in memory stays."""
        self._work.renew.set()

    def _end(self) -> None:
        self._work.ask_to_stop()
        if self.running:
            self._thread.join()

    def _raise_error(self) -> None:
        """Once."""
        error, self._error = self._error, None
        if error is not None:
            raise error

    def __enter__(self) -> Service:
        return self.start()

    def __exit__(self, raising: object, *_: object) -> None:
        self._end()
        if raising is None:
            self._raise_error()


RUNNING: weakref.WeakSet[Service] = weakref.WeakSet()
SERVED: list[tuple[int, str]] = []  # the process and the ledger of each owner that is served, or tries to be


@atexit.register
def _stop_all() -> None:
    for service in list(RUNNING):
        service._end()


def _refuse_path(name: str, key: str, table: Any) -> None:
    """A table is no path. Fails: ArgumentError."""
    if isinstance(table, (str, bytes, os.PathLike)):
        raise _failure(ArgumentError, '', name, '%s is a table in memory, not the path %r' % (name, table), 'give a data frame, or name the file as %s: in the owner file' % key)


def _failure(kind: type[Failure], file: str, field: str, message: str, remedy: str) -> Failure:
    place = file + ': ' if file else ''
    return kind('%s%s; %s' % (place, message, remedy), file=file, field=field, message=message, remedy=remedy)


def _data_of(schema: Schema, table: Any) -> _frames.Table:
    from ._labels import labels_in, labels_of  # which needs scikit-learn
    pair = isinstance(table, tuple)
    if pair and len(table) != 2:
        raise ArgumentError('table is a table with the label among its columns, or a pair of features and labels, not %d things.' % len(table))
    X, y = table if pair else (table, None)
    columns = _frames.columns_of(X)
    labels = labels_of(schema, labels_in(X, y, schema), columns.rows)
    return _frames.Table(schema, columns, labels, exposure=exposures_of(None, schema.exposure, columns), persons=_frames.person_hashes)


def _names_in(path: str) -> dict[str, str]:
    """What an owner file names; '' where it names nothing."""
    found: dict[str, str] = {}
    handle = ffi.new_handle(found)
    call(lib.hr_owner_read, text_to(path), lib.hedgerow_owner_info, handle)
    return found


@ffi.def_extern()  # type: ignore[untyped-decorator]
def hedgerow_owner_info(user: Any, at: Any) -> None:
    found: dict[str, str] = ffi.from_handle(user)
    for name in ('name', 'schema', 'ledger', 'data'):
        found[name] = text_of(getattr(at, name))


@ffi.def_extern()  # type: ignore[untyped-decorator]
def hedgerow_policy_line(user: Any, at: Any) -> None:
    found: list[Rule] = ffi.from_handle(user)
    found.append(Rule(text_of(at.rule), bool(at.keeps), text_of(at.text)))
