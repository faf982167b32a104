"""The coordinator of a federation: what `hedgerow coordinate` does."""
from __future__ import annotations

import importlib
import os
import threading
from dataclasses import dataclass, field
from typing import Any, Callable

from ._carrier import Carrier
from ._jobs import jobs
from ._native import call, ffi, lib, text_of, text_to
from ._progress import Steps
from ._work import JobProgress, LogLine, OwnerPart, Traffic, Work
from .errors import DeclinedError, HedgerowError, JobError, PolicyError
from .model import Model
from .schema import Schema

SUSPECT = 5  # exit code of `hedgerow coordinate`: a model is there, and checks of what owners sent failed


@dataclass(frozen=True)
class JobResult:
    """What came of a job, which is in `file`, too: a model; of the method evaluation an `Evaluation`; of the method bounds a schema. The others are None.

    statement: the guarantee, for people. epsilon: what the job cost each owner that took part, as far as the coordinator knows: what it may cost.
    owners: what became of each that was asked. traffic: packets of this call; a call that continues a job counts from its own beginning."""
    id: str
    name: str
    file: str
    model: Model | None
    evaluation: Any
    schema: Schema | None
    statement: str
    epsilon: float
    owners: tuple[OwnerPart, ...]
    traffic: Traffic = field(repr=False)

    @property
    def exit_code(self) -> int:
        """That of `hedgerow coordinate`: 0, or 5 of a suspect model."""
        return SUSPECT if self.model is not None and self.model.suspect else 0


def coordinate(job: str | os.PathLike[str], result: str | os.PathLike[str], *, progress: Callable[[JobProgress], Any] | None = None, verbose: int = 0,
               on_line: Callable[[LogLine], Any] | None = None, stop: threading.Event | None = None, carrier: Carrier | None = None) -> JobResult:
    """Asks the owners that a job file names, over the broker or by a `carrier`, for what the job makes, writes it to the file `result`, and returns it: what
    `hedgerow coordinate JOB --model RESULT` does, with the same journal and files. `result` must not exist, unless the job was begun before.

    Ctrl-C ends the call with KeyboardInterrupt, and a `stop` that another thread sets with StoppedError; so does an exception of `progress` or `on_line`,
    which comes out. The job stays in its journal: the same call, or the command, continues it. A broker that does not answer is waited for.

    progress: called while the job is open, at once and then at most five times a second. verbose: 1 shows a bar (tqdm, where it is installed) or a line for each tenth of the rounds.
    on_line: called with each line of the log, which the logger 'hedgerow' gets as well. carrier: carries the packets in place of the broker. All are called by the calling thread.

    Spends: nothing here; each owner's ledger is charged at most the job's epsilon. Warns of a suspect model. Fails: FileError (`result` exists or cannot be written, before an owner is asked; the journal),
    FormatError, SchemaError, PolicyError, BusyError (a program works from the journal), JobError (it ended without a result; DeclinedError: every owner
    declined), AbsentError."""
    with Steps('coordinate', None, verbose) as steps:
        shown = steps.show

        def show(now: JobProgress) -> None:
            if shown is not None and 0 < now.round <= now.rounds:
                shown(now.round, now.rounds)
            if progress is not None:
                progress(now)
        work = Work(stop, on_line, show if shown is not None or progress is None else progress, carrier)
        made = _work_on(work, os.fspath(job), os.fspath(result))
        if shown is not None:
            rounds = work.last.rounds if work.last is not None and work.last.rounds else 1  # a short job ends before any round is seen
            shown(rounds, rounds)
    return _result_of(made, work, os.fspath(job), os.fspath(result))


def _work_on(work: Work, job: str, result: str) -> Any:
    """hr_job_result. Fails: as `coordinate`."""
    made = ffi.gc(ffi.new('hr_job_result *'), lib.hr_job_result_free)
    try:
        with work:
            call(lib.hr_coordinate, text_to(job), text_to(result), work.settings(), made)
    except KeyboardInterrupt:
        if work.stopped or work.raised is not None:
            raise
        raise work.stopped_error() from None
    except (JobError, PolicyError) as error:
        raise (_failure(error, work) if work.ending else error) from None
    return made


def _failure(error: HedgerowError, work: Work) -> JobError:
    """The same, with what became of the job."""
    kind = DeclinedError if isinstance(error, PolicyError) else JobError
    return kind(str(error), ending=work.ending, exit_code=work.exit_code, owners=tuple(work.owners), file=error.file, line=error.line, field=error.field,
                message=error.message, remedy=error.remedy)


def _result_of(made: Any, work: Work, job: str, result: str) -> JobResult:
    model, evaluation, schema, statement = None, None, None, ''
    if made.model != ffi.NULL:
        model = Model(ffi.gc(made.model, lib.hr_model_free))
        made.model = ffi.NULL
        statement = model.guarantee.statement
        model._warn_if_suspect()
    elif made.evaluation != ffi.NULL:
        evaluation = importlib.import_module('.evaluation', __package__).evaluation_of(made.evaluation)
        statement = evaluation.guarantee.statement
    else:
        schema, statement = Schema(ffi.gc(made.bounded.schema, lib.hr_schema_free)), text_of(made.bounded.statement)
        made.bounded.schema = ffi.NULL
    known = next((one for one in reversed(jobs(job)) if one.id == work.job), None)
    return JobResult(work.job, known.name if known else '', result, model, evaluation, schema, statement, known.epsilon if known else 0.,
                     tuple(work.owners), work.traffic)
