"""What a call of the library can fail with. Each error has the parts of the message: where, what, and the remedy."""
from __future__ import annotations

from typing import Any


class HedgerowError(Exception):
    """A call failed. `str()` of it names place, message and remedy; the parts that do not apply are empty or 0."""

    def __init__(self, text: str, *, file: str = '', line: int = 0, field: str = '', message: str = '', remedy: str = '') -> None:
        super().__init__(text)
        self.file, self.line, self.field, self.message, self.remedy = file, line, field, message, remedy


class ArgumentError(HedgerowError, ValueError):
    """An option or argument is outside of its documented range."""


class FormatError(HedgerowError, ValueError):
    """A file is not what its format says."""


class SchemaError(HedgerowError, ValueError):
    """Data and schema do not fit each other."""


class LimitError(HedgerowError, ValueError):
    """The input is larger than a documented limit."""


class BudgetError(HedgerowError):
    """The privacy budget is too small. Nothing was spent."""


class PolicyError(HedgerowError):
    """A rule refuses it: one that the owner of the data set, or one that protects it."""


class BusyError(HedgerowError):
    """Another program works with the file already."""


class StoppedError(HedgerowError):
    """The program asked the work to stop. A job of a federation continues when it is started again."""


class JobError(HedgerowError):
    """A job of a federation ended without a result. ending: the word of how, such as 'not begun' or 'timed out'; exit_code: that of `hedgerow coordinate`;
    owners: what became of each that was asked (`OwnerPart`)."""

    def __init__(self, text: str, *, ending: str = '', exit_code: int = 1, owners: tuple[Any, ...] = (), **parts: Any) -> None:
        super().__init__(text, **parts)
        self.ending, self.exit_code, self.owners = ending, exit_code, owners


class DeclinedError(JobError, PolicyError):
    """Every owner declined the job; `owners` have their reasons."""


class AbsentError(HedgerowError):
    """This build of the library lacks the feature."""


class FileError(HedgerowError, OSError):
    """The operating system refused to read or to write."""


class HedgerowWarning(UserWarning):
    """What the owner of a table should know before it is used. It may hold exact counts of the records: for the owner's screen alone; no model
    depends on it. With strict=True it is an error, before anything is spent. `column`, `message` and `remedy` are its parts, '' where they do not apply."""

    def __init__(self, text: str, *, column: str = '', message: str = '', remedy: str = '') -> None:
        super().__init__(text)
        self.column, self.message, self.remedy = column, message, remedy


class MisfitWarning(HedgerowWarning):
    """Cells do not fit the public facts: outside the bounds, not among the values, missing; or bounds are wide for the label."""


class ReviewWarning(HedgerowWarning):
    """A person should decide: a column seems to identify persons or records, a list of values seems to be read from the records, or the
    schema does not say whose a record is."""


class PrivacyLeakWarning(HedgerowWarning):
    """Something that is published was read off the records and not paid for. A warning with the words NOT PRIVATE is of the model, which says so
    itself; others are of what surrounds it, such as an encoder that was fitted to the records."""


class SuspectModelWarning(UserWarning):
    """A model of several owners was read, or predicts, and what an owner sent cannot be true of the records that the job said: the model may be
    spoiled; what it promises of records is the same. checks: those that failed, as `Model.suspect` has them."""

    def __init__(self, checks: str) -> None:
        self.checks = checks
        super().__init__('the model is suspect: what an owner sent is not possible with the records that the job said. Checks that failed: %s. '
                         'Ask the owners for their numbers of records before you use it' % checks)

    def __reduce__(self) -> tuple[type[SuspectModelWarning], tuple[str]]:
        return SuspectModelWarning, (self.checks,)


class UnknownCategoryWarning(UserWarning):
    """Cells of a table that is predicted have categories that the schema does not list; they were read as missing (`unknown='missing'`).
    counts: how many cells, by column."""

    def __init__(self, counts: dict[str, int]) -> None:
        self.counts = dict(counts)
        super().__init__('Unknown categories were read as missing: %s.' % ', '.join(
            '%s (%d cell%s)' % (name, count, '' if count == 1 else 's') for name, count in counts.items()))

    def __reduce__(self) -> tuple[type[UnknownCategoryWarning], tuple[dict[str, int]]]:
        return UnknownCategoryWarning, (self.counts,)
