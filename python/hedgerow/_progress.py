"""What is told while a fit runs: a bar or lines for people (verbose), and lines of the logger 'hedgerow', which name parameters of the fit and
what stands in the model."""
from __future__ import annotations

import importlib
import logging
import sys
from typing import Any, Callable

from ._native import ffi, lib, text_of
from .errors import ArgumentError

__all__ = ['LOG', 'Steps']

LOG = logging.getLogger('hedgerow')
LOG.addHandler(logging.NullHandler())  # a program chooses what becomes of the lines
LEVELS = {lib.HR_LOG_ERROR: logging.ERROR, lib.HR_LOG_WARNING: logging.WARNING, lib.HR_LOG_INFO: logging.INFO, lib.HR_LOG_DEBUG: logging.DEBUG}


class Steps:
    """Called as steps(done, total) during a fit; passes both on to the caller's own function, if there is one.

    verbose: 1 or True shows a bar (tqdm, where it is installed) or a line for each tenth on standard error; 0 or False shows nothing.
    Fails: ArgumentError (another value of verbose)."""

    def __init__(self, name: str, progress: Callable[[int, int], Any] | None, verbose: Any) -> None:
        if isinstance(verbose, (str, float)) or verbose not in (0, 1):
            raise ArgumentError('verbose is 0 (nothing is shown) or 1 (progress is shown), not %r' % (verbose,))
        self.name, self.progress = name, progress
        self.show: Callable[[int, int], None] | None = None
        self.bar: Any = None
        self.tenths = 0
        if verbose:
            self.show = self._show_bar if self._open_bar() else self._show_line

    def _open_bar(self) -> bool:
        try:
            tqdm: Any = importlib.import_module('tqdm.auto')
        except ImportError:
            return False
        self.bar = tqdm.tqdm(desc=self.name, unit='step')
        return True

    def __enter__(self) -> Steps:
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.close()

    def __call__(self, done: int, total: int) -> None:
        LOG.debug('%s: step %d of %d', self.name, done, total)
        if self.show is not None:
            self.show(done, total)
        if self.progress is not None:
            self.progress(done, total)

    def _show_bar(self, done: int, total: int) -> None:
        self.bar.total = total
        self.bar.update(done - self.bar.n)

    def _show_line(self, done: int, total: int) -> None:
        tenths = 10 * done // max(total, 1)
        if tenths > self.tenths or done == total:
            self.tenths = tenths
            print('%s: step %d of %d' % (self.name, done, total), file=sys.stderr)


@ffi.def_extern()  # type: ignore[untyped-decorator]
def hedgerow_log_line(user: Any, line: Any) -> None:
    """A line of the library, of an owner or the coordinator of a simulation."""
    who = text_of(line.owner) or 'coordinator'
    LOG.log(LEVELS.get(line.level, logging.INFO), '%s: %s', who, text_of(line.text))
