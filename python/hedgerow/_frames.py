"""Tables of other libraries as columns that the C library reads where they are: numpy, pandas, and all that speak Arrow.

A column of numbers is a view of the caller's memory if that has float64, float32 or uint16, of any stride; else it is converted.
Texts and times are read by the library's reader of CSV cells (_reading.py)."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _arrow
from ._cells import BOOLEAN, FrameColumn, Numbering, coded, is_missing, object_column, text_of_value, time_column, unreadable, zone_offsets
from ._native import call, ffi, lib
from ._reading import Problem, Reader, TableColumn, is_missing_number, refuse_columns, table_columns
from .errors import SchemaError
from .schema import Schema

__all__ = ['BOOLEAN', 'Columns', 'FrameColumn', 'Table', 'columns_of', 'is_missing', 'person_numbers', 'readable', 'text_of_value', 'unique_names']

ELEMENTS = {'f8': lib.HR_ELEMENT_FLOAT64, 'f4': lib.HR_ELEMENT_FLOAT32, 'u2': lib.HR_ELEMENT_UINT16}


@dataclass
class Columns:
    """named: the table has names of its own. Else they are x0, x1, ..."""
    items: Sequence[FrameColumn]
    named: bool

    @property
    def rows(self) -> int:
        return len(self.items[0].cells) if self.items else 0


def columns_of(X: Any) -> Columns:
    """X: rows x features. Fails: SchemaError (two columns of one name), TypeError."""
    if isinstance(X, Columns):
        return X
    if hasattr(X, 'iloc') and hasattr(X, 'columns'):
        return Columns([pandas_column(name, series) for name, (_, series) in zip(unique_names(X.columns), X.items())], True)
    if hasattr(X, '__arrow_c_stream__'):
        names, arrays = _arrow.read(X)
        columns = [arrow_column(name, array) for name, array in zip(unique_names(names), arrays)]
        for column in columns:
            column.declared = column.kind == 'category' and is_enum(X, column.name)
        return Columns(columns, True)
    if hasattr(X, 'tocsc'):
        sparse = X.tocsc()
        return Columns([FrameColumn('x%d' % i, 'number', sparse_cells(sparse[:, [i]])) for i in range(sparse.shape[1])], False)
    matrix = np.asarray(X)
    if matrix.ndim != 2:
        raise ValueError('Expected 2D array, got %dD array instead. Reshape your data: rows x features.' % matrix.ndim)
    if matrix.dtype.kind not in 'OUM':
        matrix = readable(matrix)
    return Columns([array_column('x%d' % i, matrix[:, i]) for i in range(matrix.shape[1])], False)


def array_column(name: str, cells: NDArray[Any]) -> FrameColumn:
    """Of a numpy array."""
    if cells.dtype.kind in 'OU':
        return object_column(name, cells.astype(object))
    if cells.dtype.kind == 'M':
        return time_column(name, cells)
    return FrameColumn(name, 'number', plain_numbers(cells))


def series_column(name: str, y: Any) -> FrameColumn:
    """Of a series of pandas or polars, an array of Arrow or numpy, or a sequence."""
    if hasattr(y, 'iloc') and hasattr(y, 'dtype'):
        return pandas_column(name, y)
    cells = np.asarray(y.to_numpy() if hasattr(y, 'to_numpy') else y)
    return FrameColumn(name, 'boolean', cells.astype(np.int8), BOOLEAN) if cells.dtype.kind == 'b' else array_column(name, cells)


def sparse_cells(column: Any) -> NDArray[Any]:
    """A column of scipy's with all its zeros: 2 bytes a cell of whole numbers below 2^16, such as an encoder's; else 4 or 8."""
    cells: NDArray[Any] = readable(column.toarray().ravel())
    is_small = bool(((cells >= 0) & (cells < 2 ** 16) & (cells == np.floor(cells))).all())
    return cells.astype(np.uint16) if is_small else cells


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


FEW = 500  # cells that a dict tells apart sooner than pandas
SPANS = 'has time spans; give numbers, such as X[%r].dt.total_seconds()'


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
    if kind == 'M':
        return pandas_times(name, series)
    if kind == 'm':
        return unreadable(name, len(series), SPANS % name)
    if type(series.dtype).__name__ == 'PeriodDtype':  # their first days
        return time_column(name, series.dt.to_timestamp().to_numpy())
    if kind == 'c':
        plain_numbers(series.to_numpy())
    return object_column(name, series.to_numpy(dtype=object), series.factorize if len(series) > FEW else None)


def pandas_times(name: str, series: Any) -> FrameColumn:
    if getattr(series.dt, 'tz', None) is None:
        return time_column(name, series.to_numpy(dtype='datetime64[ns]'))
    utc = series.dt.tz_convert('UTC').dt.tz_localize(None).to_numpy(dtype='datetime64[ns]')
    minutes = (series.dt.tz_localize(None).to_numpy(dtype='datetime64[ns]') - utc).astype('timedelta64[m]').astype(np.int64)
    return time_column(name, utc, lambda _, rows: minutes[rows])


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
    if array.kind == 'time':
        return time_column(name, array.cells, zone_offsets(array.zone) if array.zone else None)
    if array.kind == 'other':
        return unreadable(name, len(array.cells), 'has the Arrow type %r; give numbers, booleans, texts, dates or a dictionary' % array.format)
    if array.kind == 'text' and not array.values:
        return FrameColumn(name, 'number', np.full(len(array.cells), np.nan))
    return coded(name, array.kind, array.cells, (False, True) if array.kind == 'boolean' else array.values)


# ---- Columns as the C library has them -----------------------------------------------------------------------------------

def person_numbers(columns: Columns, unit: str, missing: Sequence[str] = ()) -> NDArray[np.uint64]:
    """Equal numbers for equal identifiers. missing: what is written where there is none. Fails: SchemaError (no such column, an identifier
    that is missing)."""
    found = [column for column in columns.items if column.name.strip() == unit.strip()]
    if not found:
        raise SchemaError('The table has no column %r, which the schema names as the unit.' % unit)
    column = found[0]
    if column.kind == 'other':
        refuse_columns([Problem(unit, column.remedy)])
    cells = column.cells
    if column.kind == 'number':
        absent = is_missing_number(cells, missing)
    else:
        none, number = {'', *missing}, Numbering()
        codes = np.array([-1 if value.strip() in none else number[value.strip()] for value in column.values] + [-1], dtype=np.int64)
        cells = codes[cells]
        absent = cells < 0
    if absent.any():
        raise SchemaError('Column %r lacks %d identifiers; say whose these records are, or remove them.' % (unit, absent.sum()))
    return np.unique(cells, return_inverse=True)[1].astype(np.uint64)


def array_of(cells: NDArray[Any]) -> tuple[Any, NDArray[Any]]:
    """hr_array fields, and the memory that has to be kept."""
    if cells.strides[0] == 0 and len(cells) > 1:  # broadcast: elements overlap
        cells = cells.copy()
    address = ffi.cast('void *', cells.__array_interface__['data'][0])
    return (address, ELEMENTS[cells.dtype.str[1:]], cells.strides[0] or cells.itemsize), cells


class Table:
    """Columns in the order of a schema, and a label, as hr_data; numbers stay in the caller's memory.

    unknown: what a category is that the schema does not list: 'error', or 'missing'; `unknown_cells` counts them by column then.
    Fails: SchemaError, which lists all columns that do not fit."""

    def __init__(self, schema: Schema, columns: Columns, label: NDArray[Any] | None, unknown: str = 'error') -> None:
        self.schema, self.rows = schema, columns.rows
        self._kept: list[Any] = []
        reader = Reader(schema, unknown)
        arrays = [array for column, fact in find_columns(schema, columns) for array in reader.read(column, fact)]
        persons = None
        if schema.unit_column:
            try:
                persons = person_numbers(columns, schema.unit_column, schema.missing)
            except SchemaError as error:
                if not reader.problems:
                    raise
                reader.problems.append(Problem(schema.unit_column, str(error)))
        refuse_columns(reader.problems)
        self.unknown_cells = reader.unknown_cells
        fields = [self._keep(array if array.dtype.str[1:] in ELEMENTS else array.astype(np.float64)) for array in arrays]
        given = ffi.new('hr_arrays *', {'rows': self.rows})
        columns_at = given.columns = ffi.new('hr_array[]', fields)
        labels_at = given.labels = ffi.NULL if label is None else ffi.new('hr_array *', self._keep(label))
        given.read = reader.reports
        if persons is not None:
            given.persons = ffi.from_buffer('uint64_t[]', persons)
        out = ffi.new('hr_data **')
        call(lib.hr_data_borrow, schema._at, given, out)
        del columns_at, labels_at
        self.at = ffi.gc(out[0], lib.hr_data_free)

    def _keep(self, cells: NDArray[Any]) -> Any:
        field, kept = array_of(cells)
        self._kept.append(kept)
        return field


def find_columns(schema: Schema, columns: Columns) -> list[tuple[FrameColumn, TableColumn]]:
    """The table's column for each column that the schema describes. Parts of a date may be there in place of the date. Blanks around names
    do not count, as in CSV tables."""
    described = table_columns(schema)
    parts = {i: TableColumn(name, [i]) for column in described for name, i in zip(column.names(schema), column.features)}
    if not columns.named:
        of_count = {len(parts): list(parts.values()), len(described): described}
        if len(columns.items) not in of_count:
            raise SchemaError('X has %d features, but the schema has %d.' % (len(columns.items), len(described)))
        return list(zip(columns.items, of_count[len(columns.items)]))
    of = {**{column.name.strip(): column for column in columns.items}, **{column.name: column for column in columns.items}}
    wanted: list[TableColumn] = []
    for column in described:
        instead = [parts[i] for i in column.features]
        wanted += instead if column.is_date and column.name not in of and all(part.name in of for part in instead) else [column]
    absent = [column.name for column in wanted if column.name not in of]
    if absent:
        raise SchemaError('The table has no column %s of the schema.' % ', '.join(map(repr, absent[:10])))
    return [(of[column.name], column) for column in wanted]
