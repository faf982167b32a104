"""The jobs of an owner or a coordinator, as its files have them: a program may serve or coordinate with them meanwhile."""
from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from ._native import call, ffi, lib, spent_amount, text_of, text_to
from .ledger import Entry, STATES


@dataclass(frozen=True)
class Job:
    """A job of an owner or a coordinator. state: 'accepted', 'running', or how it ended, as 'WORD' or 'WORD: detail'; ending: the word of its ending, ''
    while it is open. since: UTC, ISO 8601. waits_for: what it waits for, '' for nothing. ledger: an owner's, the state of its entry there, '' if nothing
    was reserved. epsilon: what it may cost each owner. cancelled: by a person."""
    id: str
    name: str
    coordinator: str
    state: str
    ending: str
    waits_for: str
    since: str
    ledger: str
    epsilon: float
    open: bool
    cancelled: bool


@dataclass(frozen=True)
class Charge:
    """What an owner's ledger was charged, and for which job. entry is None of a job for which nothing was reserved; job is None of a run of the owner's alone,
    and of a job that ended so long ago that the journal has forgotten it."""
    entry: Entry | None
    job: Job | None


@dataclass(frozen=True)
class CancelledJob:
    """What has become of a job that was cancelled. ended: it is over for this member. told: every member that has to know has confirmed it; `unconfirmed` are
    those that have not. why: why it has not ended, or was not sent; '': it was. unbegun: it was queued, and no owner has heard of it. What is left to do,
    the program that serves or coordinates with the file does, or the next one."""
    id: str
    ended: bool
    told: bool
    unconfirmed: tuple[str, ...]
    why: str
    unbegun: bool


def job_of(at: Any) -> Job:
    return Job(text_of(at.id), text_of(at.name), text_of(at.coordinator), text_of(at.state), text_of(lib.hr_job_ending_of(at.ending).word),
               text_of(at.awaits), text_of(at.since), text_of(at.charged), at.epsilon, bool(at.open), bool(at.cancelled))


def entry_of(at: Any) -> Entry:
    return Entry(at.id, text_of(at.when), text_of(at.purpose), at.epsilon, spent_amount(at.delta), STATES[at.state])


@ffi.def_extern()  # type: ignore[untyped-decorator]
def hedgerow_job(user: Any, at: Any) -> bool:
    found: list[Job] = ffi.from_handle(user)
    found.append(job_of(at))
    return True


@ffi.def_extern()  # type: ignore[untyped-decorator]
def hedgerow_charge(user: Any, at: Any) -> bool:
    found: list[Charge] = ffi.from_handle(user)
    found.append(Charge(None if at.entry == ffi.NULL else entry_of(at.entry), None if at.job == ffi.NULL else job_of(at.job)))
    return True


def jobs(file: str | os.PathLike[str]) -> list[Job]:
    """The jobs of a member, oldest first. file: an owner file, a coordinator's job file, or the folder of a coordinator that serves. Fails: FileError,
    FormatError, ArgumentError (a job file without a journal)."""
    found: list[Job] = []
    handle = ffi.new_handle(found)
    call(lib.hr_jobs_each, text_to(os.fspath(file)), lib.hedgerow_job, handle)
    return found


def charges(owner_file: str) -> list[Charge]:
    found: list[Charge] = []
    handle = ffi.new_handle(found)
    call(lib.hr_jobs_audit, text_to(owner_file), lib.hedgerow_charge, handle)
    return found


def text_of_job(job: Job | str) -> Any:
    return text_to(job.id if isinstance(job, Job) else job)


def cancel_job(file: str | os.PathLike[str], job: Job | str) -> CancelledJob:
    """Ends an open job: a coordinator's for all, an owner's for itself alone, and the coordinator continues without it. file: as of `jobs`. job: a `Job`, its
    name, or the first digits of its id. Returns when all members have confirmed it, or after 10 seconds. What was reserved in a ledger stays spent.
    Fails: as `jobs`, and ArgumentError (no such job, or several; it is over): the job is as it was."""
    info = ffi.new('hr_cancel_info *')
    call(lib.hr_jobs_cancel, text_to(os.fspath(file)), text_of_job(job), info)
    names = text_of(info.unconfirmed)
    return CancelledJob(text_of(info.id), bool(info.ended), bool(info.told), tuple(names.split(', ')) if names else (), text_of(info.why), bool(info.unbegun))
