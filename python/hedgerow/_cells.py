"""Columns of numbers, or of codes and the texts that they stand for, and such columns as a CSV table in memory."""
from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any, Callable, Iterable, Sequence
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

BOOLEAN = ('false', 'true')
TRUTH = (bool, np.bool_)
NUMBER = (int, float, Decimal, np.integer, np.floating)
BLOCK = 16384  # rows
NO_VALUE = frozenset(('NoneType', 'NAType', 'NaTType'))  # of Python, and of pandas
SPECIAL = re.compile('[",\r\n\ufeff]')  # the last one would be a byte order mark


@dataclass
class FrameColumn:
    """A column of a table: numbers (NaN: missing), or codes of `values`, from 0 on (-1: missing).

    kind: 'number', 'boolean', 'category' (the list of values is the type's), 'text' (it was read off the cells), 'time' (values are ISO 8601),
    or 'other': nothing that can be read; `remedy` says what it is, and what to do."""
    name: str
    kind: str
    cells: NDArray[Any]
    values: tuple[str, ...] = ()
    declared: bool = False  # the list was part of the type before there were records: an Enum of polars
    remedy: str = ''
    finite: bool = False  # numbers that were looked at already: none is infinite
    untyped: bool = False  # no cell is there, and the table's type does not say what they would be


class Numbering(dict[Any, int]):
    """Numbers what it is asked for, from 0 on, in the order in which it comes."""

    def __missing__(self, key: Any) -> int:
        self[key] = number = len(self)
        return number


def text_of_value(value: Any) -> str:
    """As a schema has it: 3.0 is "3", True is "true"."""
    if isinstance(value, TRUTH):
        return BOOLEAN[bool(value)]
    if isinstance(value, (float, np.floating, Decimal)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def is_missing(value: Any) -> bool:
    """None, NaN, and pandas' NA, which compares to nothing."""
    try:
        return value is None or bool(value != value)
    except (TypeError, ArithmeticError):
        return True


def unreadable(name: str, rows: int, remedy: str) -> FrameColumn:
    return FrameColumn(name, 'other', np.empty(rows), remedy=remedy)


def coded(name: str, kind: str, codes: Any, values: Iterable[Any]) -> FrameColumn:
    return FrameColumn(name, kind, np.asarray(codes), tuple(text_of_value(v) for v in values))


# ---- Python's objects ----------------------------------------------------------------------------------------------------

def object_column(name: str, cells: NDArray[Any], factorize: Callable[[], tuple[Any, Any]] | None = None) -> FrameColumn:
    """Of Python's objects of one kind, None and NaN. factorize: codes (-1: missing) and distinct values of all cells; None: by a dict."""
    kinds = {kind for kind in set(map(type, cells)) if kind.__name__ not in NO_VALUE}

    def all_are(*of: type) -> bool:
        return all(issubclass(kind, of) for kind in kinds)

    if not kinds:
        return without_cells(name, len(cells))
    if all_are(str):
        return coded(name, 'text', *factorize()) if factorize else text_column(name, cells)
    if all_are(*TRUTH):
        return FrameColumn(name, 'boolean', np.array([-1 if is_missing(v) else int(v) for v in cells], dtype=np.int8), BOOLEAN)
    if all_are(*NUMBER) and not any(issubclass(kind, TRUTH) for kind in kinds):
        return FrameColumn(name, 'number', numbers_of(cells, kinds))
    if all_are(date, float) and not all_are(float):
        return dated(name, [None if is_missing(v) else v.isoformat() if isinstance(v, date) else str(v) for v in cells])
    if kinds and all_are(time, UUID):  # of time: times of day
        return text_column(name, [None if is_missing(v) else str(v) for v in cells])
    if all(kind.__name__ == 'Period' for kind in kinds):
        return dated(name, [None if is_missing(v) else v.to_timestamp().isoformat() for v in cells])
    if all_are(str, date, *TRUTH, *NUMBER):
        return text_column(name, [None if is_missing(v) else text_of_value(v) for v in cells])
    odd = sorted(kind.__name__ for kind in kinds if not issubclass(kind, (str, date, *TRUTH, *NUMBER)))
    return unreadable(name, len(cells), 'has cells of type %s; give numbers, texts, dates or booleans, or leave it out' % ', '.join(odd[:3]))


def without_cells(name: str, rows: int) -> FrameColumn:
    return FrameColumn(name, 'number', np.full(rows, np.nan), untyped=True)


def text_column(name: str, cells: Iterable[Any]) -> FrameColumn:
    """Of texts and missing cells. A column without any text is one of numbers that are all missing."""
    number = Numbering()
    codes = np.array([number[v] for v in cells], dtype=np.int64)
    found = list(number)
    there = [not is_missing(v) for v in found]
    if not any(there):
        return without_cells(name, len(codes))
    new = np.cumsum(there, dtype=np.int64) - 1
    new[~np.array(there)] = -1
    return coded(name, 'text', new[codes], [v for v, known in zip(found, there) if known])


def numbers_of(cells: NDArray[Any], kinds: set[type]) -> NDArray[Any]:
    """Integers stay integers, which may be identifiers of more digits than a float64 has."""
    if all(issubclass(kind, (int, np.integer)) for kind in kinds) and not any(map(is_missing, cells)):
        try:
            return cells.astype(np.int64)
        except OverflowError:
            pass
    return np.array([float_of(v) for v in cells], dtype=np.float64)


def float_of(value: Any) -> float:
    try:
        return float('nan') if is_missing(value) else float(value)
    except OverflowError:
        return float('inf') if value > 0 else float('-inf')


# ---- Times ---------------------------------------------------------------------------------------------------------------

def dated(name: str, texts: Sequence[str | None]) -> FrameColumn:
    """Of ISO 8601. Where no cell has a time of day they are days."""
    midnight = 'T00:00:00'
    if all(text is None or len(text) == 10 or text.endswith(midnight) for text in texts):
        texts = [None if text is None else text[:10] for text in texts]
    column = text_column(name, texts)
    return column if column.kind == 'number' else FrameColumn(name, 'time', column.cells, column.values)


def time_column(name: str, utc: NDArray[Any], offsets_of: Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]] | None = None) -> FrameColumn:
    """Of datetime64 of any unit, NaT: missing. offsets_of: of distinct times, given with a row of each, the minutes from UTC that clocks
    show; None: the times are those of clocks, and no offset is known."""
    there = ~np.isnat(utc)
    distinct, rows, inverse = np.unique(utc[there], return_index=True, return_inverse=True)
    codes = np.full(len(utc), -1, dtype=np.int64)
    codes[there] = inverse
    if offsets_of is None:
        return FrameColumn(name, 'time', codes, tuple(iso_texts(distinct)))
    minutes = offsets_of(distinct, np.flatnonzero(there)[rows])
    clocks = distinct + minutes.astype('timedelta64[m]')
    ends = {m: '%s%02d:%02d' % ('-' if m < 0 else '+', abs(m) // 60, abs(m) % 60) for m in set(minutes.tolist())}
    return FrameColumn(name, 'time', codes, tuple(
        text + ends[m] for text, m in zip(np.datetime_as_string(clocks, unit='s').tolist(), minutes.tolist())))


def iso_texts(times: NDArray[Any]) -> list[str]:
    days = times.astype('datetime64[D]')
    texts: list[str] = (np.datetime_as_string(days) if (days == times).all() else np.datetime_as_string(times, unit='s')).tolist()
    return texts


def zone_offsets(zone: str) -> Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]]:
    """Of a name such as Europe/Berlin, or +01:00. Fails: ValueError (there is no such zone)."""
    fixed = re.fullmatch(r'([+-])(\d\d):?(\d\d)', zone)
    if fixed:
        minutes = int(fixed[2]) * 60 + int(fixed[3])
        tz: Any = timezone(timedelta(minutes=-minutes if fixed[1] == '-' else minutes))
    else:
        tz = ZoneInfo(zone)

    def offsets(times: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
        seconds = times.astype('datetime64[s]').astype(np.int64).tolist()
        from_utc = [datetime.fromtimestamp(s, tz).utcoffset() or timedelta() for s in seconds]
        return np.array([round(offset.total_seconds() / 60) for offset in from_utc], dtype=np.int64)
    return offsets


# ---- CSV in memory -------------------------------------------------------------------------------------------------------

def number_texts(cells: NDArray[Any]) -> list[str]:
    """The shortest texts that read back to the same numbers; '' is missing. Whole ones have no point."""
    if cells.dtype.kind in 'iu':
        return [str(v) for v in cells.tolist()]
    numbers = cells if cells.dtype.itemsize < 8 else cells.tolist()  # 0.1 of float32 is "0.1"
    texts = ['' if v != v else str(v) for v in numbers]
    return [text[:-2] if text.endswith('.0') else text for text in texts]


def quoted(text: str) -> str:
    """A cell of a CSV table. A blank one is quoted, so that a line of one blank cell is a record."""
    if SPECIAL.search(text) or not text.strip():
        return '"%s"' % text.replace('"', '""')
    return text


def cell_texts(column: FrameColumn) -> Callable[[slice], list[str]]:
    """What gives the cells of some rows as a CSV table has them."""
    if column.kind == 'number':
        return lambda rows: [text or '""' for text in number_texts(column.cells[rows])]
    values = np.array([quoted(text) for text in column.values] + ['""'], dtype=object)

    def texts(rows: slice) -> list[str]:
        found: list[str] = values[column.cells[rows]].tolist()
        return found
    return texts


def csv_of(columns: Sequence[FrameColumn]) -> bytes:
    """A table with a header, made block by block: the texts of all cells at once would take several times the memory."""
    texts = [cell_texts(column) for column in columns]
    parts = [','.join(quoted(column.name) for column in columns).encode('utf-8', 'surrogatepass')]
    for begin in range(0, len(columns[0].cells), BLOCK):
        block = [text(slice(begin, begin + BLOCK)) for text in texts]
        lines = block[0] if len(block) == 1 else map(','.join, zip(*block))
        parts.append('\n'.join(lines).encode('utf-8', 'surrogatepass'))
    return b'\n'.join([*parts, b''])
