"""Tables of other libraries as columns that the C library reads where they are: numpy, pandas, and all that speak Arrow.

A column of numbers is a view of the caller's memory if that has float64, float32 or uint16, of any stride; else it is converted. Tables of scipy of which
at most one of 8 cells is there stay sparse.
Texts and times are read by the library's reader of CSV cells (_reading.py)."""
from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _arrow
from ._cells import BOOLEAN, FrameColumn, Numbering, coded, is_missing, object_column, text_of_value, time_column, unreadable, without_cells, zone_offsets
from ._native import call, ffi, lib
from ._reading import Problem, Reader, TableColumn, check_unknown, is_missing_number, numbers_among, refuse_columns, table_columns
from .errors import LimitError, SchemaError
from .schema import Schema

__all__ = ['BOOLEAN', 'Columns', 'FrameColumn', 'Table', 'columns_of', 'is_missing', 'person_hashes', 'person_numbers', 'readable', 'text_of_value', 'unique_names']

ELEMENTS = {'f8': lib.HR_ELEMENT_FLOAT64, 'f4': lib.HR_ELEMENT_FLOAT32, 'u2': lib.HR_ELEMENT_UINT16}
ROWS_TOGETHER = 4096
NO_TABLE = 'Expected 2D array, got %dD array instead. Reshape your data: rows x features.'


@dataclass
class Columns:
    """named: the table has names of its own. Else they are x0, x1, ..."""
    items: Sequence[FrameColumn]
    named: bool

    @property
    def rows(self) -> int:
        if self.items and isinstance(self.items, (MatrixColumns, SparseColumns)):
            return int(self.items.shape[0])
        return len(self.items[0].cells) if self.items else 0


class MatrixColumns(Sequence[FrameColumn]):
    """Columns of an array of numbers that the library reads where they are. A table whose schema has as many plain numbers takes them all at once."""

    def __init__(self, matrix: NDArray[Any], finite: bool) -> None:
        self.matrix, self.shape = matrix, matrix.shape
        self._finite = True if finite else None

    @property
    def finite(self) -> bool:
        """No number is infinite."""
        if self._finite is None:
            self._finite = self.matrix.dtype.kind != 'f' or is_finite(self.matrix if self.matrix.flags.c_contiguous else self.matrix.T)
        return self._finite

    def __len__(self) -> int:
        return int(self.shape[1])

    def __getitem__(self, i: Any) -> Any:
        if not 0 <= i < len(self):
            raise IndexError(i)
        return FrameColumn('x%d' % i, 'number', self.matrix[:, i], finite=self.finite)


class SparseColumns(Sequence[FrameColumn]):
    """Columns of a table of scipy's: its cells that are there, sorted, those of one place added up; `begins`, `rows` and `values` as in CSC. What is
    taken from it is one column with all its zeros, made anew each time."""

    def __init__(self, X: Any) -> None:
        if len(X.shape) != 2:
            raise ValueError(NO_TABLE % len(X.shape))
        matrix = checked_cells(checked_cells(X).tocsc())
        if not matrix.has_canonical_format:
            matrix = matrix.copy()  # the caller's stays as it is
            matrix.sum_duplicates()
        self.shape: tuple[int, int] = matrix.shape
        self.begins, self.rows, self.values = matrix.indptr, matrix.indices, readable(matrix.data)

    @property
    def is_few(self) -> bool:
        """At most one of 8 cells is there."""
        return len(self.values) <= self.shape[0] * self.shape[1] // 8

    def __len__(self) -> int:
        return self.shape[1]

    def places(self, i: int) -> slice:
        """Of the cells of a column."""
        return slice(int(self.begins[i]), int(self.begins[i + 1]))

    def __getitem__(self, i: Any) -> Any:
        """With all zeros: 2 bytes a cell of whole numbers below 2^16, such as an encoder's; else 4 or 8."""
        if not 0 <= i < len(self):
            raise IndexError(i)
        there = self.places(i)
        values = self.values[there]
        is_small = bool(((values >= 0) & (values < 2 ** 16) & (values == np.floor(values))).all())
        cells = np.zeros(self.shape[0], dtype=np.uint16 if is_small else values.dtype)
        cells[self.rows[there]] = values
        return FrameColumn('x%d' % i, 'number', cells)


def checked_cells(X: Any) -> Any:
    """A table of scipy's over the same arrays, whose cells lie in it; scipy converts others by writing beyond its arrays. Fails: ValueError."""
    if getattr(X, 'format', None) == 'coo' and len(X.shape) == 2:
        return type(X)((X.data, (X.row, X.col)), shape=X.shape)
    if not hasattr(X, 'check_format') or len(X.shape) != 2:
        return X
    checked = type(X)((X.data, X.indices, X.indptr), shape=X.shape)
    checked.check_format(full_check=True)
    return checked


def columns_of(X: Any, finite: bool = False) -> Columns:
    """X: rows x features. finite: it is known that no number of an array is infinite. Fails: SchemaError (two columns of one name), TypeError."""
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
        sparse = SparseColumns(X)
        return Columns(sparse if sparse.is_few else list(sparse), False)
    matrix = np.asarray(X)
    if matrix.ndim != 2:
        raise ValueError(NO_TABLE % matrix.ndim)
    if matrix.dtype.kind not in 'OUM':
        return Columns(MatrixColumns(readable(matrix), finite), False)
    return Columns([array_column('x%d' % i, matrix[:, i]) for i in range(matrix.shape[1])], False)


def is_finite(matrix: NDArray[Any]) -> bool:
    """No number is infinite. Rows lie side by side: to look at whole rows, not columns, is several times faster."""
    return not any(np.isinf(matrix[i:i + ROWS_TOGETHER]).any() for i in range(0, len(matrix), ROWS_TOGETHER))


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


def is_enum(X: Any, name: str) -> bool:
    """Whether a column of a polars table is an Enum, which takes its list from the program; a Categorical makes it of the records."""
    if type(X).__module__.split('.')[0] != 'polars':
        return False
    return str(type(X.schema[name]).__name__) == 'Enum'


def readable(numbers: NDArray[Any]) -> NDArray[Any]:
    """As they are, if the library reads them so; else as float64. Fails: ValueError (complex numbers)."""
    if numbers.dtype.kind == 'c':
        raise ValueError('Complex data not supported')
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
    return cells if cells.dtype.kind in 'iu' else readable(cells)


def arrow_column(name: str, array: _arrow.Array) -> FrameColumn:
    if array.format == 'n' or (array.kind == 'text' and not array.values):
        return without_cells(name, len(array.cells))
    if array.kind == 'number':
        return FrameColumn(name, 'number', plain_numbers(array.cells))
    if array.kind == 'time':
        return time_column(name, array.cells, zone_offsets(array.zone) if array.zone else None)
    if array.kind == 'other':
        return unreadable(name, len(array.cells), 'has the Arrow type %r; give numbers, booleans, texts, dates or a dictionary' % array.format)
    return coded(name, array.kind, array.cells, (False, True) if array.kind == 'boolean' else array.values)


# ---- Columns as the C library has them -----------------------------------------------------------------------------------

def identifiers(columns: Columns, unit: str, missing: Sequence[str]) -> tuple[NDArray[Any], list[str] | None]:
    """Of all records: numbers, or the indices of texts. Fails: as `person_numbers`."""
    found = [column for column in columns.items if column.name.strip() == unit.strip()]
    if not found:
        raise SchemaError('The table has no column %r, which the schema names as the unit.' % unit)
    column = found[0]
    if column.kind == 'other':
        refuse_columns([Problem(unit, column.remedy)])
    cells = column.cells
    if column.kind == 'number':
        absent, number = is_missing_number(cells, missing), None
    else:
        none, number = {'', *missing}, Numbering()
        codes = np.array([-1 if value.strip() in none else number[value.strip()] for value in column.values] + [-1], dtype=np.int64)
        cells = codes[cells]
        absent = cells < 0
    if absent.any():
        raise SchemaError('Column %r lacks %d identifiers; say whose these records are, or remove them.' % (unit, absent.sum()))
    return cells, None if number is None else list(number)


def person_numbers(columns: Columns, unit: str, missing: Sequence[str] = ()) -> NDArray[np.uint64]:
    """Equal numbers for equal identifiers of one table. missing: what is written where there is none. Fails: SchemaError (no such column, an identifier
    that is missing)."""
    return np.unique(identifiers(columns, unit, missing)[0], return_inverse=True)[1].astype(np.uint64)


def person_hashes(columns: Columns, unit: str, missing: Sequence[str] = ()) -> NDArray[np.uint64]:
    """The same numbers for equal identifiers in all tables, and others for others of this one. Fails: LimitError."""
    cells, texts = identifiers(columns, unit, missing)
    found, inverse = np.unique(cells, return_inverse=True)
    names = [text_of_value(value) if texts is None else texts[value] for value in found]
    hashes = {name: hash_of(name) for name in names}
    if len(set(hashes.values())) < len(hashes):  # they would count as one person, whose share of the budget is one
        raise LimitError('Two persons of the column %r have the same hash of 64 bits: give one of them another identifier.' % unit)
    return np.array([hashes[name] for name in names], dtype=np.uint64)[inverse]


def hash_of(identifier: str) -> int:
    return int.from_bytes(blake2b(identifier.encode(), digest_size=8).digest(), 'little')


def array_of(cells: NDArray[Any]) -> tuple[Any, NDArray[Any]]:
    """hr_array fields, and the memory that has to be kept."""
    if cells.strides[0] == 0 and len(cells) > 1:  # broadcast: elements overlap
        cells = cells.copy()
    address = ffi.cast('void *', cells.__array_interface__['data'][0])
    return (address, ELEMENTS[cells.dtype.str[1:]], cells.strides[0] or cells.itemsize), cells


ARRAY = np.dtype({'names': ['at', 'element', 'stride'], 'formats': [np.uintp, np.intc, np.intp], 'itemsize': ffi.sizeof('hr_array'),
                  'offsets': [ffi.offsetof('hr_array', name) for name in ('at', 'element', 'stride')]})


def plain_features(schema: Schema) -> int:
    """How many features the schema has, if tables give each as a number that means what it is; else 0."""
    if schema._plain_features is None:
        features = [lib.hr_schema_feature(schema._at, i) for i in range(lib.hr_schema_feature_count(schema._at))]
        plain = all(at.kind == lib.HR_KIND_NUMBER and at.date == ffi.NULL for at in features)
        schema._plain_features = len(features) if plain and not schema.unit_column and not numbers_among(schema.missing) else 0
    return schema._plain_features


Found = list[tuple[int, TableColumn]]  # columns of a table, by their place, with what a schema says of them


class Table:
    """Columns in the order of a schema, and a label, as hr_data; numbers stay in the caller's memory, but for sparse ones.

    unknown: what a category is that the schema does not list: 'error', or 'missing'; `unknown_cells` counts them by column then. exposure: of the records,
    as `exposures_of` has them. persons: numbers identifiers. Fails: SchemaError, which lists all columns that do not fit."""

    def __init__(self, schema: Schema, columns: Columns, label: NDArray[Any] | None, unknown: str = 'error',
                 exposure: NDArray[np.float64] | None = None, persons: Callable[..., NDArray[np.uint64]] = person_numbers) -> None:
        check_unknown(unknown)
        self.schema, self.rows, self._exposure, self._number_persons = schema, columns.rows, exposure, persons
        self._kept: list[Any] = []
        labels_at = ffi.NULL if label is None else ffi.new('hr_array *', self._keep(label))
        out = ffi.new('hr_data **')
        self.unknown_cells: dict[str, int] = {}
        if isinstance(columns.items, MatrixColumns) and 0 < len(columns.items) == plain_features(schema) and self._borrow(columns.items, labels_at, out):
            return
        reader = Reader(schema, unknown)
        wanted = find_columns(schema, columns)
        if isinstance(columns.items, SparseColumns) and not schema.unit_column and not schema.exposure and not any(fact.is_date for _, fact in wanted):
            self._read_sparse(columns.items, wanted, reader, labels_at, out)
        else:
            self._read_columns(columns, wanted, reader, labels_at, out)
        self.unknown_cells = reader.unknown_cells
        self.at = ffi.gc(out[0], lib.hr_data_free)

    def _borrow(self, items: MatrixColumns, labels_at: Any, out: Any) -> bool:
        """Takes all columns as they are. False: what is wrong with one is to be found out column by column."""
        matrix, arrays = items.matrix, np.empty(len(items), dtype=ARRAY)
        step = matrix.strides[0]
        if not step and len(matrix) > 1:
            return False
        arrays['at'] = matrix.__array_interface__['data'][0] + matrix.strides[1] * np.arange(len(items))
        arrays['element'], arrays['stride'] = ELEMENTS[matrix.dtype.str[1:]], step or matrix.itemsize
        given = ffi.new('hr_arrays *', {'rows': self.rows, 'columns': ffi.from_buffer('hr_array[]', arrays), 'labels': labels_at})
        if self._exposure is not None:
            given.exposures = ffi.from_buffer('double[]', self._exposure)
        if not items.finite or lib.hr_data_borrow(self.schema._at, given, out, ffi.NULL):
            return False
        self._kept.append(matrix)
        self.at = ffi.gc(out[0], lib.hr_data_free)
        return True

    def _read_columns(self, columns: Columns, wanted: Found, reader: Reader, labels_at: Any, out: Any) -> None:
        schema, persons = self.schema, None
        arrays = [array for i, fact in wanted for array in reader.read(columns.items[i], fact)]
        if schema.unit_column:
            try:
                persons = self._number_persons(columns, schema.unit_column, schema.missing)
            except SchemaError as error:
                if not reader.problems:
                    raise
                reader.problems.append(Problem(schema.unit_column, str(error)))
        refuse_columns(reader.problems)
        fields = [self._keep(array if array.dtype.str[1:] in ELEMENTS else array.astype(np.float64)) for array in arrays]
        columns_at = ffi.new('hr_array[]', fields)
        given = ffi.new('hr_arrays *', {'rows': self.rows, 'columns': columns_at, 'labels': labels_at, 'read': reader.reports})
        if persons is not None:
            given.persons = ffi.from_buffer('uint64_t[]', persons)
        if self._exposure is not None:
            given.exposures = ffi.from_buffer('double[]', self._exposure)
        call(lib.hr_data_borrow, schema._at, given, out)

    def _read_sparse(self, sparse: SparseColumns, wanted: Found, reader: Reader, labels_at: Any, out: Any) -> None:
        """Reads one column at a time with its zeros, and keeps what its cells that are there became, and what its zeros did."""
        values, absent = np.empty(len(sparse.values)), np.zeros(len(sparse))
        for i, fact in wanted:
            cells, there = reader.read(sparse[i], fact)[0], sparse.places(i)
            rows = sparse.rows[there]
            if not reader.problems:
                values[there] = cells[rows]
            if not reader.problems and len(rows) < self.rows:
                absent[i] = cells[first_absent(rows)]
        refuse_columns(reader.problems)
        begins, rows = sparse.begins.astype(np.uintp), sparse.rows.astype(np.uint32)
        arrays = {'begins': ffi.from_buffer('size_t[]', begins), 'rows_at': ffi.from_buffer('uint32_t[]', rows),
                  'values': ffi.from_buffer('double[]', values), 'absent': ffi.from_buffer('double[]', absent)}
        given = ffi.new('hr_sparse_arrays *', {'rows': self.rows, 'labels': labels_at, 'read': reader.reports, **arrays})
        call(lib.hr_data_from_sparse, self.schema._at, given, out)

    def _keep(self, cells: NDArray[Any]) -> Any:
        field, kept = array_of(cells)
        self._kept.append(kept)
        return field


def first_absent(rows: NDArray[Any]) -> int:
    """The first number that is not among some that ascend."""
    gaps = np.flatnonzero(rows != np.arange(len(rows)))
    return int(gaps[0]) if len(gaps) else len(rows)


def find_columns(schema: Schema, columns: Columns) -> Found:
    """The place of the table's column for each column that the schema describes. Parts of a date may be there in place of the date. Blanks around names
    do not count, as in CSV tables."""
    described = table_columns(schema)
    parts = {i: TableColumn(name, [i]) for column in described for name, i in zip(column.names(schema), column.features)}
    if not columns.named:
        of_count = {len(parts): list(parts.values()), len(described): described}
        if len(columns.items) not in of_count:
            raise SchemaError('X has %d features, but the schema has %d.' % (len(columns.items), len(described)))
        return list(enumerate(of_count[len(columns.items)]))
    names = [column.name for column in columns.items]
    of = {**{name.strip(): i for i, name in enumerate(names)}, **{name: i for i, name in enumerate(names)}}
    wanted: list[TableColumn] = []
    for column in described:
        instead = [parts[i] for i in column.features]
        wanted += instead if column.is_date and column.name not in of and all(part.name in of for part in instead) else [column]
    absent = [column.name for column in wanted if column.name not in of]
    if absent:
        raise SchemaError('The table has no column %s of the schema.' % ', '.join(map(repr, absent[:10])))
    return [(of[column.name], column) for column in wanted]
