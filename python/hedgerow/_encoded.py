"""Columns that look computed from the records before the fit: the owner is warned, and the model is not changed.

A model that said so would differ between a table and its neighbour. So what is found here goes to the owner's screen alone."""
from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Iterator

import numpy as np
from numpy.typing import NDArray

from ._frames import ROWS_TOGETHER, Columns, FrameColumn, MatrixColumns
from ._native import callers_level
from .errors import PolicyError, PrivacyLeakWarning

FEWEST = 20  # records: below, a mean of 0 says nothing
LOOK = 1000  # records that rule out most columns


@dataclass
class Spread:
    """Of each column of an array, over the numbers that are there."""
    known: NDArray[np.int64]
    means: NDArray[np.float64]
    squares: NDArray[np.float64]  # means of squares
    least: NDArray[np.float64]
    largest: NDArray[np.float64]
    between: NDArray[np.bool_]  # a number above 0 and below 1
    near: float  # what rounding makes of a mean or a variance


def spread(cells: NDArray[Any]) -> Spread:
    """cells: rows x columns of floats. By blocks of rows: those of an array of numpy lie side by side."""
    width = cells.shape[1]
    known, sums, squares = np.zeros(width, dtype=np.int64), np.zeros(width), np.zeros(width)
    least, largest, between = np.full(width, np.inf), np.full(width, -np.inf), np.zeros(width, dtype=bool)
    for begin in range(0, len(cells), ROWS_TOGETHER):
        block = cells[begin:begin + ROWS_TOGETHER].astype(np.float64)
        missing = np.isnan(block)
        known += len(block) - missing.sum(axis=0)
        least, largest = np.fmin(least, np.fmin.reduce(block)), np.fmax(largest, np.fmax.reduce(block))
        if not between.all():
            between |= ((block > 0) & (block < 1)).any(axis=0)
        block[missing] = 0
        sums += block.sum(axis=0)
        squares += np.einsum('ij,ij->j', block, block)
    with np.errstate(divide='ignore', invalid='ignore'):
        return Spread(known, sums / known, squares / known, least, largest, between, 1e-4 if cells.dtype.itemsize < 8 else 1e-9)


def is_scaled(of: Spread) -> NDArray[np.bool_]:
    """Mean 0 and variance 1, but for rounding: what StandardScaler makes, and public facts never."""
    found: NDArray[np.bool_] = (of.known >= FEWEST) & (np.abs(of.means) <= of.near) & (np.abs(of.squares - of.means ** 2 - 1) <= of.near)
    return found


def is_between_extremes(of: Spread) -> NDArray[np.bool_]:
    """The least number is 0 and the largest 1, and others are between: what MinMaxScaler makes."""
    found: NDArray[np.bool_] = (of.known >= FEWEST) & (of.least == 0) & (np.abs(of.largest - 1) <= 1e-6) & of.between
    return found


def parts_of(columns: Columns) -> Iterator[tuple[list[str], NDArray[Any]]]:
    """Names of columns and their cells, rows x columns; a column at a time where they do not lie in one array."""
    if isinstance(columns.items, MatrixColumns):
        yield ['x%d' % i for i in range(len(columns.items))], columns.items.matrix
        return
    for column in columns.items:
        if column.kind == 'number':
            yield [column.name], column.cells[:, None]


def scaled_columns(columns: Columns) -> tuple[list[str], list[str]]:
    """Names of the columns that is_scaled finds, and of those that is_between_extremes finds."""
    scaled: list[str] = []
    extremes: list[str] = []
    for names, cells in parts_of(columns):
        if cells.dtype.kind == 'f':
            of = spread(cells)
            scaled += [name for name, found in zip(names, is_scaled(of)) if found]
            extremes += [name for name, found in zip(names, is_between_extremes(of)) if found]
    return scaled, extremes


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
    scaled, extremes = scaled_columns(columns)
    if scaled:
        said.append('The mean is 0 and the variance 1 in %s: if a fitted scaler made that, exact statistics of the records are in the pipeline, and '
                    'the guarantee does not cover them. Trees need no scaling; give public bounds, or none.' % ', '.join(scaled[:10]))
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
