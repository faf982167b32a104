"""Tables of other libraries as columns that the C library reads where they are: numpy, pandas, and all that speak Arrow.

A column of numbers is a view of the caller's memory if that has float64, float32 or uint16, of any stride; else it is converted."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _arrow
from ._native import call, ffi, lib
from .errors import SchemaError
from .schema import Column, Schema

ELEMENTS = {'f8': lib.HR_ELEMENT_FLOAT64, 'f4': lib.HR_ELEMENT_FLOAT32, 'u2': lib.HR_ELEMENT_UINT16}
BOOLEAN = ('false', 'true')


@dataclass
class FrameColumn:
    """A column of a table: numbers (NaN: missing), or codes of `values`, from 0 on (-1: missing).

    kind: 'number', 'boolean', 'category' (the list of values is the type's) or 'text' (it was read off the cells)."""
    name: str
    kind: str
    cells: NDArray[Any]
    values: tuple[str, ...] = ()
    declared: bool = False  # the list was part of the type before there were records: an Enum of polars


@dataclass
class Columns:
    """named: the table has names of its own. Else they are x0, x1, ..."""
    items: Sequence[FrameColumn]
    named: bool

    @property
    def rows(self) -> int:
        return len(self.items[0].cells) if self.items else 0


def text_of_value(value: Any) -> str:
    """As a schema has it: 3.0 is "3", True is "true"."""
    if isinstance(value, (bool, np.bool_)):
        return BOOLEAN[bool(value)]
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def columns_of(X: Any) -> Columns:
    """X: rows x features. Fails: SchemaError (a type of column that is no number and no category), TypeError."""
    if isinstance(X, Columns):
        return X
    if hasattr(X, 'iloc') and hasattr(X, 'columns'):
        return Columns([pandas_column(name, X.iloc[:, i]) for i, name in enumerate(unique_names(X.columns))], True)
    if hasattr(X, '__arrow_c_stream__'):
        names, arrays = _arrow.read(X)
        columns = [arrow_column(name, array) for name, array in zip(unique_names(names), arrays)]
        for column in columns:
            column.declared = column.kind == 'category' and is_enum(X, column.name)
        return Columns(columns, True)
    matrix = np.asarray(X)
    if matrix.ndim != 2:
        raise ValueError('Expected 2D array, got %dD array instead. Reshape your data: rows x features.' % matrix.ndim)
    matrix = readable(matrix)
    return Columns([FrameColumn('x%d' % i, 'number', matrix[:, i]) for i in range(matrix.shape[1])], False)


def is_enum(X: Any, name: str) -> bool:
    """Whether a column of a polars table is an Enum, which takes its list from the program; a Categorical makes it of the records."""
    if type(X).__module__.split('.')[0] != 'polars':
        return False
    return str(type(X.schema[name]).__name__) == 'Enum'


def readable(numbers: NDArray[Any]) -> NDArray[Any]:
    """As they are, if the library reads them so; else as float64."""
    return numbers if numbers.dtype.str[1:] in ELEMENTS and numbers.dtype.isnative else numbers.astype(np.float64)


def unique_names(names: Any) -> list[str]:
    found = [str(name) for name in names]
    if len(set(found)) < len(found):
        twice = next(name for name in found if found.count(name) > 1)
        raise SchemaError('The table has two columns named %r; rename one.' % twice)
    return found


def coded(name: str, kind: str, codes: Any, values: Any) -> FrameColumn:
    return FrameColumn(name, kind, np.asarray(codes), tuple(text_of_value(v) for v in values))


def is_missing(value: Any) -> bool:
    """None, NaN, and pandas' NA, which compares to nothing."""
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True


def text_column(name: str, cells: NDArray[Any]) -> FrameColumn:
    """Of texts, None and NaN."""
    missing = np.array([is_missing(v) for v in cells], dtype=bool)
    texts = np.array([text_of_value(v) for v in cells[~missing]], dtype=object)
    values, inverse = np.unique(texts, return_inverse=True)
    codes = np.full(len(cells), -1, dtype=np.int64)
    codes[~missing] = inverse
    return coded(name, 'text', codes, values)


def pandas_column(name: str, series: Any) -> FrameColumn:
    kind = str(getattr(series.dtype, 'kind', 'O'))
    if hasattr(series, 'cat'):
        return coded(name, 'category', series.cat.codes.to_numpy(), series.cat.categories)
    if kind == 'b':
        missing = series.isna().to_numpy()
        return coded(name, 'boolean', np.where(missing, -1, series.fillna(False).to_numpy(dtype=bool)), (False, True))
    if kind in 'iuf':
        if isinstance(series.dtype, np.dtype):
            return FrameColumn(name, 'number', plain_numbers(series.to_numpy()))
        if kind in 'iu' and not series.isna().any():
            return FrameColumn(name, 'number', series.to_numpy(dtype=np.uint64 if kind == 'u' else np.int64))
        return FrameColumn(name, 'number', series.to_numpy(dtype=np.float64, na_value=np.nan))
    if kind in 'mM':
        raise SchemaError('Column %r has dates or times; give numbers, such as its year or days since a date.' % name)
    return text_column(name, series.to_numpy(dtype=object))


def plain_numbers(cells: NDArray[Any]) -> NDArray[Any]:
    """What is readable as it is; integers, too, which may be identifiers of more digits than a float64 has."""
    if cells.dtype.kind == 'c':
        raise ValueError('Complex data not supported')
    if cells.dtype.kind in 'iu':
        return cells
    return readable(cells)


def arrow_column(name: str, array: _arrow.Array) -> FrameColumn:
    if array.kind == 'number':
        return FrameColumn(name, 'number', plain_numbers(array.cells))
    if array.kind == 'text':
        return text_column(name, array.cells)
    if array.kind == 'other':
        raise SchemaError('Column %r has the Arrow type %r; give numbers, booleans, texts or a dictionary.' % (name, array.format))
    return coded(name, array.kind, array.cells, array.values if array.kind == 'category' else (False, True))


# ---- Columns as the C library has them -----------------------------------------------------------------------------------

def codes_in(column: FrameColumn, wanted: Column) -> NDArray[np.uint16]:
    """1 is the schema's first value, 0 a missing one. Fails: SchemaError (a value that the schema does not list)."""
    if column.kind == 'number':
        cells = column.cells
        there = ~np.isnan(cells) if cells.dtype.kind == 'f' else np.ones(len(cells), dtype=bool)
        values, inverse = np.unique(cells[there], return_inverse=True)
        codes = np.full(len(cells), -1, dtype=np.int64)
        codes[there] = inverse
        column = coded(column.name, 'text', codes, values)
    known = {value: i + 1 for i, value in enumerate(wanted.values)}
    map_to = np.array([known.get(value, -1) for value in column.values] + [0], dtype=np.int64)
    out: NDArray[np.int64] = map_to[column.cells]
    if out.min(initial=0) < 0:
        unknown = sorted({column.values[c] for c in np.unique(column.cells[out < 0])})
        raise SchemaError('Found unknown categories %s in column %r; the schema lists %s.' %
                          (unknown[:10], column.name, list(wanted.values)[:10]))
    return out.astype(np.uint16)


def numbers_in(column: FrameColumn) -> NDArray[Any]:
    """Fails: SchemaError (no numbers), ValueError (infinite)."""
    if column.kind == 'boolean':
        return np.where(column.cells < 0, np.nan, column.cells.astype(np.float64))
    if column.kind != 'number':
        raise SchemaError('Column %r has texts or categories, and the schema says that it has numbers.' % column.name)
    if column.cells.dtype.kind == 'f' and np.isinf(column.cells).any():
        raise ValueError('Input X contains infinity or a value too large for a number, in column %r.' % column.name)
    return column.cells if column.cells.dtype.str[1:] in ELEMENTS else column.cells.astype(np.float64)


def person_numbers(columns: Columns, unit: str) -> NDArray[np.uint64]:
    """Equal numbers for equal identifiers. Fails: SchemaError (no such column, an identifier that is missing)."""
    found = [column for column in columns.items if column.name == unit]
    if not found:
        raise SchemaError('The table has no column %r, which the schema names as the unit.' % unit)
    cells = found[0].cells
    missing = np.isnan(cells) if cells.dtype.kind == 'f' else cells < 0 if found[0].kind != 'number' else np.zeros(len(cells), dtype=bool)
    if missing.any():
        raise SchemaError('Column %r lacks %d identifiers; say whose these records are, or remove them.' % (unit, missing.sum()))
    return np.unique(cells, return_inverse=True)[1].astype(np.uint64)


def array_of(cells: NDArray[Any]) -> tuple[Any, NDArray[Any]]:
    """hr_array fields, and the memory that has to be kept."""
    if cells.strides[0] == 0 and len(cells) > 1:  # broadcast: elements overlap
        cells = cells.copy()
    address = ffi.cast('void *', cells.__array_interface__['data'][0])
    return (address, ELEMENTS[cells.dtype.str[1:]], cells.strides[0] or cells.itemsize), cells


class Table:
    """Columns in the order of a schema, and a label, as hr_data; numbers stay in the caller's memory."""

    def __init__(self, schema: Schema, columns: Columns, label: NDArray[Any] | None) -> None:
        wanted = schema.features
        found = self._find(columns, wanted)
        self.schema, self.rows = schema, columns.rows
        self._kept: list[Any] = []
        fields = [self._keep(codes_in(c, w) if w.is_category else numbers_in(c)) for c, w in zip(found, wanted)]
        arrays = ffi.new('hr_arrays *', {'rows': self.rows})
        columns_at = arrays.columns = ffi.new('hr_array[]', fields)
        labels_at = arrays.labels = ffi.NULL if label is None else ffi.new('hr_array *', self._keep(label))
        persons = person_numbers(columns, schema.unit_column) if schema.unit_column else None
        if persons is not None:
            arrays.persons = ffi.from_buffer('uint64_t[]', persons)
        out = ffi.new('hr_data **')
        call(lib.hr_data_borrow, schema._at, arrays, out)
        del columns_at, labels_at
        self.at = ffi.gc(out[0], lib.hr_data_free)

    def _keep(self, cells: NDArray[Any]) -> Any:
        field, kept = array_of(cells)
        self._kept.append(kept)
        return field

    @staticmethod
    def _find(columns: Columns, wanted: Sequence[Column]) -> list[FrameColumn]:
        if not columns.named:
            if len(columns.items) != len(wanted):
                raise SchemaError('X has %d features, but the schema has %d.' % (len(columns.items), len(wanted)))
            return list(columns.items)
        of = {column.name: column for column in columns.items}
        absent = [column.name for column in wanted if column.name not in of]
        if absent:
            raise SchemaError('The table has no column %s of the schema.' % ', '.join(map(repr, absent[:10])))
        return [of[column.name] for column in wanted]
