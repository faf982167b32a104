"""The durable privacy budget of one owner."""
from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from typing import Any

from ._native import call, delta_left, ffi, lib, made, spent_amount, text_to
from .errors import PolicyError

STATES = {lib.HR_ENTRY_RESERVED: 'reserved', lib.HR_ENTRY_COMMITTED: 'committed', lib.HR_ENTRY_VOID: 'void'}


@dataclass(frozen=True)
class Entry:
    """One run: when (UTC, ISO 8601), what for, what it cost, and whether it is 'reserved', 'committed' or 'void'."""
    id: int
    when: str
    purpose: str
    epsilon: float
    delta: float
    state: str


class Ledger:
    """A ledger file: how much may be spent on some records, and what was.

    Each private fit reserves its budget here before noise is drawn. A fit that the rest does not cover is refused
    (`BudgetError`), and nothing is spent. Any number of processes and threads may use one file, and threads one object."""

    _at: Any  # None: not opened yet

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Opens a ledger that is there. Fails: FileError, FormatError (not a ledger)."""
        self.__setstate__({'path': os.fspath(path)})
        with self._lock:
            self._open()

    @classmethod
    def create(cls, path: str | os.PathLike[str], epsilon: float, delta: float = 0.0) -> Ledger:
        """Creates the file with its limits. Fails: PolicyError (it is there), ArgumentError, FileError."""
        call(lib.hr_ledger_create, text_to(os.fspath(path)), epsilon, delta)
        return cls(path)

    def _total(self) -> Any:
        total = ffi.new('hr_ledger_total *')
        with self._lock:
            call(lib.hr_ledger_sum, self._open(), total)
        return total

    @property
    def limit(self) -> tuple[float, float]:
        """Epsilon and delta that may be spent in all."""
        total = self._total()
        return total.epsilon_limit, delta_left(total.delta_limit)

    @property
    def spent(self) -> tuple[float, float]:
        """Epsilon and delta of all entries that are not void."""
        total = self._total()
        return total.epsilon_spent, spent_amount(total.delta_spent)

    @property
    def left(self) -> tuple[float, float]:
        """Epsilon and delta that may still be spent."""
        total = self._total()
        return total.epsilon_left, delta_left(total.delta_left)

    @property
    def entries(self) -> list[Entry]:
        """All runs, oldest first."""
        found: list[Any] = []
        handle = ffi.new_handle(found)
        with self._lock:
            call(lib.hr_ledger_each, self._open(), lib.hedgerow_entry, handle)
        return [Entry(number, when, purpose, epsilon, spent_amount(delta), STATES[state]) for number, when, purpose, epsilon, delta, state in found]

    def freeze(self) -> None:
        """Forbids all further spending, for good."""
        with self._lock:
            call(lib.hr_ledger_freeze, self._open())

    def _open(self) -> Any:
        """What the C library calls the ledger; opened at its first use. The caller holds the lock."""
        if self._at is None:
            self._at = made(lib.hr_ledger_open, 'hr_ledger', lib.hr_ledger_close, text_to(self.path))
        return self._at

    def __getstate__(self) -> dict[str, Any]:
        return {'path': self.path}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """The file is opened at the first use: where the object is read back it need not be."""
        self.path: str = state['path']
        self._lock = threading.Lock()
        self._at = None

    def __repr__(self) -> str:
        return 'Ledger(%r)' % self.path


class LedgerLeftBehind:
    """In place of the ledger of a fitted estimator that was pickled: nothing of the ledger goes along, not even its path. A fit that has it
    is refused, so that none is paid for by nobody: `set_params(ledger=...)` names a ledger, or None."""

    def __repr__(self) -> str:
        return 'LedgerLeftBehind()'


def ledger_of(given: Any) -> Ledger | None:
    """A `Ledger`, or the path of one; None: there is none. Fails: PolicyError (it was left behind), FileError, FormatError."""
    if isinstance(given, LedgerLeftBehind):
        raise PolicyError('This estimator was fitted with a ledger, which was left behind when it was pickled; name the ledger that pays: '
                          'set_params(ledger=...), or None for none.')
    return given if given is None or isinstance(given, Ledger) else Ledger(given)
