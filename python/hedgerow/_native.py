"""The library behind the package: its functions, their failures as exceptions, and what they allocate."""
from __future__ import annotations

import os
import signal
import sys
import warnings
from typing import Any, Callable

from . import errors
from ._hedgerow import ffi, lib

__all__ = ['Interrupts', 'Remarks', 'call', 'callers_level', 'delta_left', 'ffi', 'lib', 'made', 'spent_amount', 'take_text', 'text_of', 'text_to', 'texts_to']

CLASSES = {
    lib.HR_E_ARGUMENT: errors.ArgumentError, lib.HR_E_IO: errors.FileError, lib.HR_E_FORMAT: errors.FormatError,
    lib.HR_E_SCHEMA: errors.SchemaError, lib.HR_E_BUDGET: errors.BudgetError, lib.HR_E_POLICY: errors.PolicyError,
    lib.HR_E_ABSENT: errors.AbsentError, lib.HR_E_LIMIT: errors.LimitError, lib.HR_E_JOB: errors.JobError, lib.HR_E_BUSY: errors.BusyError,
}


def text_of(at: Any) -> str:
    """A text that ends with NUL; '' for NULL."""
    return '' if at == ffi.NULL else bytes(ffi.string(at)).decode('utf-8', 'replace')


def text_to(value: str | None) -> Any:
    """NULL for None. The caller keeps what is returned as long as the library uses it."""
    if value is not None and '\0' in value:
        raise ValueError('%r has a NUL character.' % value)
    return ffi.NULL if value is None else ffi.new('char[]', value.encode())


def take_text(at: Any) -> str:
    """The same of a text that the library allocated for the caller."""
    try:
        return text_of(at)
    finally:
        lib.hr_text_free(at)


def spent_amount(amount: float) -> float:
    """Of epsilon or delta, as messages and JSON have it: rounded up to six digits, so that 1e-6 in whole units is 1e-06 again."""
    return _amount(lib.hr_spent_text, amount)


def delta_left(delta: float) -> float:
    """What may be spent, rounded down; the decimal that it was given as."""
    return _amount(lib.hr_delta_left_text, delta)


def _amount(write: Callable[..., None], amount: float) -> float:
    text = ffi.new('char[]', lib.HR_AMOUNT_TEXT)
    write(amount, text)
    return float(text_of(text))


def texts_to(values: list[str]) -> tuple[Any, list[Any]]:
    """An array of texts, and what has to be kept as long as it is used."""
    kept = [text_to(value) for value in values]
    return ffi.new('const char *[]', kept or [ffi.NULL]), kept


def call(function: Callable[..., int], *args: Any) -> None:
    """Calls a function whose last parameter is an hr_error. Raises what it fails with."""
    err = ffi.new('hr_error *')
    status = function(*args, err)
    if status != lib.HR_OK:
        raise failure(status, err)


def failure(status: int, err: Any) -> BaseException:
    whole = ffi.new('char[]', 2048)
    lib.hr_error_format(err, whole, len(whole))
    text = text_of(whole)
    if status == lib.HR_E_MEMORY:
        return MemoryError(text)
    if status == lib.HR_E_CANCELLED:
        return KeyboardInterrupt()
    return CLASSES.get(status, errors.HedgerowError)(
        text, file=text_of(err.file), line=err.line, field=text_of(err.field), message=text_of(err.message), remedy=text_of(err.remedy))


def made(function: Callable[..., int], kind: str, free: Callable[[Any], None], *args: Any) -> Any:
    """What a function makes that has *out before its hr_error; freed with the object that is returned."""
    out = ffi.new(kind + ' **')
    call(function, *args, out)
    return ffi.gc(out[0], free)


REMARKS: dict[int, type[errors.HedgerowWarning]] = {
    lib.HR_REMARK_CELLS: errors.MisfitWarning, lib.HR_REMARK_PART: errors.MisfitWarning, lib.HR_REMARK_BOUNDS: errors.MisfitWarning,
    lib.HR_REMARK_IDENTIFIER: errors.ReviewWarning, lib.HR_REMARK_LIST: errors.ReviewWarning, lib.HR_REMARK_UNIT: errors.ReviewWarning,
    lib.HR_REMARK_MARKS: errors.PrivacyLeakWarning, lib.HR_REMARK_INTERVAL: errors.HedgerowWarning,
}
COLUMNS_SHOWN = 20  # that do not fit
HERE = os.path.dirname(__file__)


def callers_level() -> int:
    """The stacklevel, for the caller of this function, of the line of a program that called the package."""
    level, frame = 0, sys._getframe(1)
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == HERE:
        level, frame = level + 1, frame.f_back
    return level + 1


class Remarks:
    """Remarks of the library about a table as warnings, or as the failure of the call. An exception that a warning became is raised when the
    library has returned."""

    def __init__(self, strict: bool = False) -> None:
        self.strict, self.misfits = bool(strict), 0
        self.raised: BaseException | None = None
        self.handle = ffi.new_handle(self)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, raising: object, *_: object) -> None:
        if self.raised is not None:
            raise self.raised
        if raising is None and self.misfits > COLUMNS_SHOWN:
            warnings.warn(errors.MisfitWarning('%d more columns do not fit the schema' % (self.misfits - COLUMNS_SHOWN)), stacklevel=callers_level())

    def take(self, remark: Any) -> bool:
        """Whether the call goes on."""
        if remark.level == lib.HR_REMARK_NOTE or (self.strict and remark.level == lib.HR_REMARK_FAULT):
            return bool(remark.level == lib.HR_REMARK_NOTE)
        self.misfits += remark.kind == lib.HR_REMARK_CELLS
        if remark.kind == lib.HR_REMARK_CELLS and self.misfits > COLUMNS_SHOWN:
            return True
        what, whole = remark.what, ffi.new('char[]', 2048)
        lib.hr_error_format(ffi.addressof(what), whole, len(whole))
        warning = REMARKS[remark.kind](text_of(whole), column=text_of(what.field), message=text_of(what.message), remedy=text_of(what.remedy))
        try:
            warnings.warn(warning, stacklevel=callers_level())
        except Exception as e:  # a filter made it an error
            self.raised = e
        return self.raised is None


class Interrupts(Remarks):
    """While a fit runs, Ctrl-C stops it at its next step, before it returns to Python."""

    def __init__(self, progress: Callable[[int, int], Any] | None = None, strict: bool = False) -> None:
        super().__init__(strict)
        self.progress, self.stopped = progress, False
        self.before: Any = None

    def __enter__(self) -> Interrupts:
        try:
            self.before = signal.signal(signal.SIGINT, self.stop)
        except ValueError:  # not the main thread, which is the one that is interrupted
            self.before = None
        return self

    def __exit__(self, raising: object, *_: object) -> None:
        if self.before is not None:
            signal.signal(signal.SIGINT, self.before)
        super().__exit__(raising)
        if self.stopped and raising is None:  # after the last step: the fit is done, and the program is not to go on
            raise KeyboardInterrupt

    def stop(self, *_: object) -> None:
        self.stopped = True

    def step(self, done: int, total: int) -> bool:
        if self.progress is not None and self.raised is None:
            try:
                self.progress(done, total)
            except BaseException as e:  # noqa: B902 (raised again when the library has returned)
                self.raised = e
        return not self.stopped and self.raised is None


@ffi.def_extern()  # type: ignore[untyped-decorator]
def hedgerow_progress(user: Any, done: int, total: int) -> bool:
    keeper: Interrupts = ffi.from_handle(user)
    return keeper.step(done, total)


@ffi.def_extern()  # type: ignore[untyped-decorator]
def hedgerow_remark(user: Any, remark: Any) -> bool:
    keeper: Remarks = ffi.from_handle(user)
    return keeper.take(remark)


@ffi.def_extern()  # type: ignore[untyped-decorator]
def hedgerow_should_continue(user: Any) -> bool:
    keeper: Interrupts = ffi.from_handle(user)
    return not keeper.stopped


@ffi.def_extern()  # type: ignore[untyped-decorator]
def hedgerow_entry(user: Any, entry: Any) -> bool:
    entries: list[Any] = ffi.from_handle(user)
    entries.append((entry.id, text_of(entry.when), text_of(entry.purpose), entry.epsilon, entry.delta, entry.state))
    return True
