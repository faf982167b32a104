"""A party of a federation at work: what the library calls while an owner serves or a job is coordinated, and how that ends."""
from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from typing import Any, Callable

from ._carrier import Carried, Carrier
from ._native import Interrupts, ffi, lib, text_of
from ._progress import LEVELS, LOG
from .errors import ArgumentError, StoppedError

PARTS = {lib.HR_OWNER_PART_TAKEN: 'took part', lib.HR_OWNER_PART_DECLINED: 'declined', lib.HR_OWNER_PART_SILENT: 'did not answer',
         lib.HR_OWNER_PART_CUT_OFF: 'cut off', lib.HR_OWNER_PART_ACCEPTED: 'accepted'}
LEVEL_NAMES = {lib.HR_LOG_ERROR: 'error', lib.HR_LOG_WARNING: 'warning', lib.HR_LOG_INFO: 'info', lib.HR_LOG_DEBUG: 'debug'}


@dataclass(frozen=True)
class LogLine:
    """A line for people. level: 'error', 'warning', 'info' or 'debug'. member: whose line it is. job: its id; '' is of no job, or of all."""
    level: str
    member: str
    job: str
    text: str


@dataclass(frozen=True)
class OwnerPart:
    """An owner of a job. part: 'took part', 'declined', 'did not answer', 'cut off' or 'accepted' (the job started without it, or not at all) of a job that is
    over; of one that is open also 'takes part'. trees, skipped: turns, or sums, with its answer, and without. reason: why it declined or was cut off;
    '': none was given. awaited: an open job waits for it."""
    name: str
    part: str
    trees: int
    skipped: int
    reason: str
    awaited: bool = False


@dataclass(frozen=True)
class Traffic:
    """Sealed packets of one program of a party, and their bytes, without what the broker's protocol and TLS add."""
    packets_sent: int = 0
    packets_received: int = 0
    bytes_sent: int = 0
    bytes_received: int = 0


@dataclass(frozen=True)
class JobProgress:
    """How far an open job is. Numbers count from 1; 0 is not known. round of rounds, which is how many there are at most; step: the question or the slot
    (`unit`), by all of the job. epsilon: what the job may cost each owner. owners: those that were offered the job."""
    id: str
    name: str
    epsilon: float
    round: int
    rounds: int
    step: int
    unit: str
    owners: tuple[OwnerPart, ...]

    @property
    def waits_for(self) -> tuple[str, ...]:
        """The owners that the job waits for."""
        return tuple(owner.name for owner in self.owners if owner.awaited)


def progress_of(at: Any) -> JobProgress:
    owners = tuple(OwnerPart(text_of(o.name), text_of(o.part), o.trees, o.skipped, text_of(o.reason), bool(o.awaited)) for o in at.owners[0:at.owner_count])
    return JobProgress(text_of(at.id), text_of(at.name), at.epsilon, at.round, at.rounds, at.step, text_of(at.unit), owners)


class Work(Interrupts):
    """While the library works for a party. It ends at its next step, within about a second, when Ctrl-C comes (in the main thread), when `ask_to_stop` was
    called or the event `stop` is set, and when a function of the program raises; what that raised comes out."""

    def __init__(self, stop: threading.Event | None = None, on_line: Callable[[LogLine], Any] | None = None,
                 on_progress: Callable[[JobProgress], Any] | None = None, carrier: Carrier | None = None) -> None:
        super().__init__()
        for name, function in (('on_line', on_line), ('progress', on_progress)):
            if function is not None and not callable(function):
                raise ArgumentError('%s is a function, or None, not %r.' % (name, function))
        self.asked, self.on_line, self.on_progress = stop or threading.Event(), on_line, on_progress
        self.ready, self.renew = threading.Event(), threading.Event()
        self.on_ready: Callable[[], Any] | None = None
        self.owners: list[OwnerPart] = []
        self.ending, self.exit_code, self.job = '', 0, ''
        self.last: JobProgress | None = None
        self.traffic = Traffic()
        self.carried = None if carrier is None else Carried(carrier, self.run)

    def ask_to_stop(self) -> None:
        self.asked.set()

    @property
    def goes_on(self) -> bool:
        return not self.stopped and self.raised is None and not self.asked.is_set()

    def run(self, function: Callable[..., Any] | None, *args: Any) -> Any:
        """Of the program; none is called after one has raised. None then."""
        if function is None or self.raised is not None:
            return None
        try:
            return function(*args)
        except BaseException as e:  # noqa: B902 (raised again when the library has returned)
            self.raised = e
        return None

    def settings(self) -> Any:
        """hr_party_settings, for which this object has to be kept."""
        made = ffi.new('hr_party_settings *', {'size': ffi.sizeof('hr_party_settings'), 'user': self.handle})
        made.should_continue, made.should_reload = lib.hedgerow_party_goes_on, lib.hedgerow_party_reloads
        made.log_line, made.ready, made.progress = lib.hedgerow_party_line, lib.hedgerow_party_ready, lib.hedgerow_party_progress
        made.report_owner, made.report_end = lib.hedgerow_party_owner, lib.hedgerow_party_end
        made.report_traffic = lib.hedgerow_party_traffic
        made.carrier = ffi.NULL if self.carried is None else self.carried.table
        return made

    def take_line(self, line: LogLine, level: int) -> None:
        self.job = line.job or self.job
        LOG.log(level, '%s: %s%s', line.member, 'job %s: ' % line.job[:8] if line.job else '', line.text)
        if self.on_line is not None:
            self.on_line(line)

    def take_progress(self, progress: JobProgress) -> None:
        self.job, self.last = progress.id, progress
        if self.on_progress is not None:
            self.on_progress(progress)

    def take_ready(self) -> None:
        self.ready.set()
        if self.on_ready is not None:
            self.on_ready()

    def stopped_error(self) -> StoppedError:
        return StoppedError('stopped; start it again: a job of a federation continues')


@ffi.def_extern()  # type: ignore[untyped-decorator]
def hedgerow_party_goes_on(user: Any) -> bool:
    work: Work = ffi.from_handle(user)
    return work.goes_on


@ffi.def_extern()  # type: ignore[untyped-decorator]
def hedgerow_party_reloads(user: Any) -> bool:
    work: Work = ffi.from_handle(user)
    asked = work.renew.is_set()
    work.renew.clear()
    return asked


@ffi.def_extern()  # type: ignore[untyped-decorator]
def hedgerow_party_line(user: Any, at: Any) -> None:
    work: Work = ffi.from_handle(user)
    member = text_of(at.owner) or text_of(at.coordinator)
    work.run(work.take_line, LogLine(LEVEL_NAMES.get(at.level, 'info'), member, text_of(at.job), text_of(at.text)), LEVELS.get(at.level, logging.INFO))


@ffi.def_extern()  # type: ignore[untyped-decorator]
def hedgerow_party_ready(user: Any) -> None:
    work: Work = ffi.from_handle(user)
    work.run(work.take_ready)


@ffi.def_extern()  # type: ignore[untyped-decorator]
def hedgerow_party_progress(user: Any, at: Any) -> None:
    work: Work = ffi.from_handle(user)
    work.run(lambda: work.take_progress(progress_of(at)))


@ffi.def_extern()  # type: ignore[untyped-decorator]
def hedgerow_party_owner(user: Any, at: Any) -> None:
    work: Work = ffi.from_handle(user)
    work.owners.append(OwnerPart(text_of(at.name), PARTS[at.part], at.trees, at.skipped, text_of(at.reason)))


@ffi.def_extern()  # type: ignore[untyped-decorator]
def hedgerow_party_end(user: Any, ending: int) -> None:
    work: Work = ffi.from_handle(user)
    info = lib.hr_job_ending_of(ending)
    work.ending, work.exit_code = text_of(info.word), info.exit_code


@ffi.def_extern()  # type: ignore[untyped-decorator]
def hedgerow_party_traffic(user: Any, at: Any) -> None:
    work: Work = ffi.from_handle(user)
    work.traffic = Traffic(at.packets_sent, at.packets_received, at.bytes_sent, at.bytes_received)
