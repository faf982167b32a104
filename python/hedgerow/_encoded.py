"""Columns that look computed from the records before the fit: the owner is warned, and the model is not changed.

A model that said so would differ between a table and its neighbour. So what is found here goes to the owner's screen alone."""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._frames import Columns, FrameColumn
from ._native import callers_level
from .errors import PolicyError, PrivacyLeakWarning

FEWEST = 20  # records: below, a mean of 0 says nothing
LOOK = 1000  # records that rule out most columns


def is_scaled(cells: NDArray[Any]) -> bool:
    """Mean 0 and variance 1, but for rounding: what StandardScaler makes, and public facts never."""
    known = cells[~np.isnan(cells)] if cells.dtype.kind == 'f' else cells[:0]
    if len(known) < FEWEST:
        return False
    near = 1e-4 if known.dtype.itemsize < 8 else 1e-9
    if abs(float(known.mean(dtype=np.float64))) > near:
        return False
    return bool(abs(float(known.var(dtype=np.float64)) - 1) <= near)


def is_between_extremes(cells: NDArray[Any]) -> bool:
    """The least number is 0 and the largest 1, and others are between: what MinMaxScaler makes."""
    known = cells[~np.isnan(cells)] if cells.dtype.kind == 'f' else cells[:0]
    if len(known) < FEWEST or known.min() != 0 or abs(float(known.max()) - 1) > 1e-6:
        return False
    return bool(((known > 0) & (known < 1)).any())


def indicator(column: FrameColumn) -> NDArray[Any] | None:
    """The cells of a column of 0 and 1; None of any other."""
    if column.kind not in ('boolean', 'number'):
        return None
    cells = column.cells
    for part in (cells[:LOOK], cells):
        if not ((part == 0) | (part == 1)).all():
            return None
    return cells.astype(np.int8)


def dummies(columns: Columns) -> list[list[str]]:
    """Neighbouring columns of 0 and 1 of which each record has exactly one 1."""
    groups: list[list[str]] = []
    names: list[str] = []
    total = np.zeros(columns.rows, dtype=np.int64)
    for column in columns.items:
        cells = indicator(column)
        if cells is None:
            names, total = [], np.zeros(columns.rows, dtype=np.int64)
            continue
        names, total = [*names, column.name], total + cells
        if (total > 1).any():
            names, total = [column.name], cells.astype(np.int64)
        elif len(names) > 1 and (total == 1).all():
            groups.append(names)
            names, total = [], np.zeros(columns.rows, dtype=np.int64)
    return groups


def encoder_remarks(columns: Columns) -> list[str]:
    """What to say of columns that an encoder or a scaler made of the records."""
    if columns.rows < FEWEST:
        return []
    said = ['The columns %s have one 1 in each record: if get_dummies or a fitted encoder made them, the model publishes which categories '
            'occur, and its guarantee does not cover that. Give the column itself, with categories={column: [...]}.' % ', '.join(names[:10])
            for names in dummies(columns)]
    scaled = [column.name for column in columns.items if column.kind == 'number' and is_scaled(column.cells)]
    if scaled:
        said.append('The mean is 0 and the variance 1 in %s: if a fitted scaler made that, exact statistics of the records are in the pipeline, and '
                    'the guarantee does not cover them. Trees need no scaling; give public bounds, or none.' % ', '.join(scaled[:10]))
    extremes = [column.name for column in columns.items if column.kind == 'number' and is_between_extremes(column.cells)]
    if len(extremes) > 1:  # one alone may be a share
        said.append('The least number is 0 and the largest 1 in %s: if a fitted scaler made that, one record decides how all others look, and the '
                    'guarantee does not cover that. Trees need no scaling; give public bounds, or none, or use PublicScaler.' % ', '.join(extremes[:10]))
    return said


def warn_of_encoders(columns: Columns, strict: bool) -> None:
    """Fails: PolicyError (strict)."""
    for text in encoder_remarks(columns):
        if strict:
            raise PolicyError(text)
        warnings.warn(PrivacyLeakWarning(text), stacklevel=callers_level())
