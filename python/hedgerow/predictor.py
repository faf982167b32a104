"""Predictions of one record at a time, as a service asks for them.

A record becomes C numbers without a table. One of Python's own numbers, None and listed texts takes the short
way; one with other types of numbers or of missing, with infinity or an error, is read cell by cell."""
from __future__ import annotations

import math
import warnings
from decimal import Decimal
from numbers import Real
from types import NoneType
from typing import TYPE_CHECKING, Any, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _frames
from ._cells import object_column
from ._reading import Reader, TableColumn, table_columns
from ._native import call, ffi, lib, text_of
from .errors import ArgumentError, SchemaError, UnknownCategoryWarning
from .schema import Column, middle_quantile

if TYPE_CHECKING:
    from .model import Model

PLAIN = frozenset((float, int, bool))
LISTED = 10  # names and values that a message tells at most


class Predictor:
    """A model that predicts one record at a time; `predictor` of a `Model` or of an estimator makes it. It
    does not change: open it once, and share it among threads. It may be pickled.

    A record is a dict {name: cell}, a row of pandas, or a sequence of cells in the order of the schema's
    features (`Model.schema`). A cell is a number, the text of a category (or a number or boolean that is
    written like it), or None or NaN, which are missing. Numbers are clipped to their bounds. Names of the
    label, and of columns that an estimator was fitted on and that are no features, are passed over.

    The results are those of the same record in a table, bit for bit. Fails: SchemaError, which tells the
    field and the remedy (an absent or unknown name, another count, a category that the schema does not list,
    a cell of another type, infinity); TypeError (no record)."""

    def __init__(self, model: Model, classes: Sequence[Any] | None, passed_over: Iterable[str] = (),
                 order: Iterable[int] | None = None, unknown: str = 'error') -> None:
        schema = model.schema
        if schema.exposure:
            raise ArgumentError('The schema names an exposure (%s), which records by themselves do not have: predict a table, with exposure or rate=True.' %
                                schema.exposure[0])
        self._schema, self._unknown = schema, unknown
        self._missing_numbers = frozenset(Reader(schema, unknown).missing_numbers)
        self._columns = table_columns(schema)
        self._model, self._classes = model, None if classes is None else list(classes)
        # Where the model has each class: an estimator's are ascending, a model's as the schema lists them.
        self._order = None if order is None or list(order) == sorted(order) else [int(i) for i in order]
        self._features = schema.features
        self._names = [column.name for column in self._features]
        self._passed_over = {schema.label.name, *((schema.label.event,) if schema.label.event else ()), *passed_over}
        self._known = self._passed_over.union(self._names, (column.name for column in self._columns))
        self._codes = [(i, codes_of(column, schema.missing)) for i, column in enumerate(self._features) if column.is_category]
        self._number_at = [i for i, column in enumerate(self._features) if not column.is_category]
        self._at = lib.hr_model_predictor(model._at)
        self._values_type = ffi.typeof('double[%d]' % len(self._features))
        self._outputs_type = ffi.typeof('double[%d]' % lib.hr_predictor_output_count(self._at))

    def __getstate__(self) -> dict[str, Any]:
        return {'model': self._model, 'classes': self._classes, 'passed_over': sorted(self._passed_over), 'order': self._order,
                'unknown': self._unknown}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Predictor.__init__(self, state['model'], state['classes'], state['passed_over'], state['order'], state['unknown'])

    def predict_row(self, record: Any) -> Any:
        """The label of a record within its bounds, its most probable class, or of times its risk: what `predict` of an estimator
        says of it."""
        outputs = self._outputs(record)
        if self._classes is None:
            label = self._schema.label
            return outputs[middle_quantile(label) if label.quantiles else len(outputs) - 1]
        probabilities = list(outputs) if self._order is None else [outputs[i] for i in self._order]
        return self._classes[probabilities.index(max(probabilities))]

    def predict_proba_row(self, record: Any) -> NDArray[np.float64]:
        """The probability of each class, whose sum is 1: the row of `Model.predict`, and of `predict_proba`
        of a classifier. Fails: ArgumentError, too (the label has no classes)."""
        if self._classes is None:
            what = text_of(lib.hr_task_text(lib.hr_schema_task(self._schema._at)))
            raise ArgumentError('The model predicts %s: there are no probabilities of classes; call predict_row.' % what)
        probabilities = np.frombuffer(ffi.buffer(self._outputs(record)), np.float64)
        return probabilities if self._order is None else probabilities[self._order]

    def _outputs(self, record: Any) -> Any:
        values, out = ffi.new(self._values_type, self._numbers(record)), ffi.new(self._outputs_type)
        # To make an hr_error takes half as long as to predict: only a failure is asked for it.
        if lib.hr_predict_row(self._at, values, out, ffi.NULL):
            call(lib.hr_predict_row, self._at, values, out)
        return out

    # ---- A record as numbers ----

    def _numbers(self, record: Any) -> list[Any]:
        """What ffi.new takes as doubles, in the order of the features; categories are codes."""
        cells = self._cells(record)
        for i, codes in self._codes:
            code = codes.get(cells[i]) if type(cells[i]) is str else None
            cells[i] = self._code_in(i, cells[i], codes) if code is None else code
        for i in self._number_at if self._missing_numbers else ():
            if cells[i] in self._missing_numbers:
                cells[i] = None
        kinds = set(map(type, cells))
        if NoneType in kinds:
            kinds.remove(NoneType)
            cells = [math.nan if cell is None else cell for cell in cells]
        try:
            if kinds <= PLAIN and not any(map(math.isinf, cells)):
                return cells
        except OverflowError:  # an integer that no float holds, which number_in names
            pass
        return [self._read(i, cell) if isinstance(cell, str) else number_in(cell, column)
                for i, (cell, column) in enumerate(zip(cells, self._features))]

    def _code_in(self, i: int, cell: Any, codes: dict[str, int]) -> Any:
        """0 is missing. Fails: SchemaError."""
        if is_missing(cell):
            return 0
        if not (isinstance(cell, str) or is_number(cell)):
            raise refusal(self._names[i], 'a cell of type %s is no category' % type(cell).__name__, 'give a text, or None if it is missing')
        code = codes.get(_frames.text_of_value(cell))
        return int(self._read(i, cell)) if code is None else code

    def _read(self, i: int, cell: Any) -> Any:
        """A text of one feature as a table has it. Fails: SchemaError."""
        column = self._features[i]
        found, unknown = self._read_cell(TableColumn(column.name, [i]), cell)
        if unknown:
            warnings.warn(UnknownCategoryWarning(unknown), stacklevel=6)
        if found:
            return found[0]
        if column.is_category:
            raise refusal(column.name, 'unknown category %r' % cell, 'give one of the schema, or None if it is missing: %s' % listed(column.values))
        raise refusal(column.name, '%.60r is no number' % cell, 'give an int or a float, or None if it is missing')

    def _read_cell(self, wanted: TableColumn, cell: Any) -> tuple[list[float], dict[str, int]]:
        """A number for each feature, or none: the cell does not fit; and which categories are unknown."""
        reader = Reader(self._schema, self._unknown)
        cells = np.empty(1, dtype=object)
        cells[0] = cell
        arrays = reader.read(object_column(wanted.name, cells), wanted)
        return ([] if reader.problems else [float(array[0]) for array in arrays]), reader.unknown_cells

    def _with_dates(self, record: dict[Any, Any]) -> dict[Any, Any]:
        """With the parts of dates that the record has. Fails: SchemaError."""
        parts: dict[Any, Any] = {}
        for column in self._columns:
            names = column.names(self._schema)
            if column.is_date and column.name in record and not all(name in record for name in names):
                found, _ = self._read_cell(column, record[column.name])
                if not found:
                    raise refusal(column.name, '%.60r is no date as the schema writes them' % (record[column.name],),
                                  'give a date of Python, a text as in the table, or None if it is missing')
                parts.update(zip(names, found))
        return {**record, **parts} if parts else record

    def _cells(self, record: Any) -> list[Any]:
        """A new list, in the order of the features."""
        if type(record) is dict:
            return self._cells_by_name(record)
        if len(getattr(record, 'shape', (0,))) != 1:
            raise TypeError('A record has one dimension, not %d; Model.predict takes tables.' %
                            len(record.shape))
        if hasattr(record, 'keys'):
            return self._cells_by_name(named_cells(record))
        if not is_sequence(record):
            raise TypeError('A record is a dict, or a sequence of cells in the order of the schema, not %s.' %
                            type(record).__name__)
        if len(record) != len(self._names):
            raise SchemaError('The record has %d cells, but the schema has %d features; %s' %
                              (len(record), len(self._names), self._remedy()))
        return self._cells_of_array(np.asarray(record)) if hasattr(record, '__array__') else list(record)

    def _remedy(self) -> str:
        return 'give a cell for each feature, None if it is missing: %s' % listed(self._names)

    def _cells_by_name(self, record: dict[Any, Any]) -> list[Any]:
        try:
            cells = [record[name] for name in self._names]
        except KeyError:
            if not all(isinstance(name, str) for name in record):
                return self._cells_by_name(named_cells(record))
            dated = self._with_dates(record)
            if dated is not record:
                return self._cells_by_name(dated)
            absent = [name for name in self._names if name not in record]
            more = ', and %d more' % (len(absent) - 1) if absent[1:] else ''
            raise refusal(absent[0], 'the record lacks it' + more, self._remedy()) from None
        if len(record) > len(cells):
            self._check_names(record)
        return cells

    def _check_names(self, record: dict[Any, Any]) -> None:
        for name in record:
            if name not in self._known:
                raise refusal(str(name), 'the schema has no such feature',
                              'leave it out; there are: %s' % listed(self._names))

    def _cells_of_array(self, row: NDArray[Any]) -> list[Any]:
        if row.dtype.kind not in 'fiub':
            return list(row)
        row = _frames.readable(row)
        cells: list[Any] = row.tolist()
        for i, _ in self._codes:  # as a category, 0.1 of float32 is "0.1", and no longer number
            cells[i] = row[i]
        return cells


def codes_of(column: Column, missing: Sequence[str]) -> dict[str, int]:
    """1 is the first value, 0 what is written for a missing one."""
    return {**{value: i + 1 for i, value in enumerate(column.values)}, **dict.fromkeys(missing, 0)}


def is_sequence(record: Any) -> bool:
    is_text = isinstance(record, (str, bytes))
    return not is_text and hasattr(record, '__len__') and hasattr(record, '__getitem__')


def named_cells(record: Any) -> dict[str, Any]:
    """Of a mapping, or of a row of pandas or sqlite3. Names are texts, as in tables."""
    items = record.items() if hasattr(record, 'items') else ((key, record[key]) for key in record.keys())
    names, cells = zip(*items) if len(record) else ((), ())
    return dict(zip(_frames.unique_names(names), cells))


# ---- Cells that are not plain ----

def is_missing(cell: Any) -> bool:
    return cell is None or (np.ndim(cell) == 0 and _frames.is_missing(cell))


def is_number(cell: Any) -> bool:
    return isinstance(cell, (Real, Decimal, np.bool_))


def number_in(cell: Any, column: Column) -> float:
    """NaN is missing. Fails: SchemaError."""
    if not is_number(cell):
        if is_missing(cell):
            return math.nan
        raise refusal(column.name, 'a cell of type %s is no number' % type(cell).__name__,
                      'give an int or a float, or None if it is missing')
    try:
        number = float(cell)
    except OverflowError:
        number = math.inf
    if math.isinf(number):
        raise refusal(column.name, 'infinity or a value too large for a number',
                      'give a finite number, or None if it is missing')
    return number


def refusal(field: str, message: str, remedy: str) -> SchemaError:
    text = "field '%s': %s; %s" % (field, message, remedy)
    return SchemaError(text, field=field, message=message, remedy=remedy)


def listed(names: Sequence[str]) -> str:
    return ', '.join(names[:LISTED]) + (', ...' if len(names) > LISTED else '')
