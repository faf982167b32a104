"""Cells of a frame by a column of a schema. Texts and times are read by the library, as cells of a CSV table are."""
from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, NoReturn, Sequence

import numpy as np
from numpy.typing import NDArray

from ._cells import FrameColumn, csv_of, number_texts
from ._native import call, ffi, lib, made, text_of, text_to, texts_to
from .errors import ArgumentError, HedgerowError, SchemaError
from .schema import Schema

SHOWN = 10  # texts of a column that a message lists
ANY_NUMBER = 2.0 ** 1021  # bounds that clip nothing: their difference is finite
NUMERAL = re.compile(r'[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?')
UNKNOWN = ('error', 'missing')


@dataclass
class TableColumn:
    """A column of the table that a schema describes. features: indices; a column of dates has one for each part."""
    name: str
    features: list[int]
    is_date: bool = False

    def names(self, schema: Schema) -> list[str]:
        """Of the features."""
        return [text_of(lib.hr_schema_feature(schema._at, i).name) for i in self.features]


@dataclass
class Problem:
    """What is wrong with a column, after its name."""
    name: str
    text: str


@dataclass
class Cells:
    """What the library read: an array for each feature, how many cells do not fit, and what they are."""
    arrays: list[NDArray[Any]]
    out_of_range: list[int]
    misfits: int = 0
    shown: str = ''
    remedy: str = ''
    refusal: str = ''  # of the table as a whole


def table_columns(schema: Schema) -> list[TableColumn]:
    """Columns of the table in the order of the schema."""
    found: list[TableColumn] = []
    for i in range(lib.hr_schema_feature_count(schema._at)):
        at = lib.hr_schema_feature(schema._at, i)
        is_date = at.date != ffi.NULL
        name = text_of(at.date.name if is_date else at.name)
        if is_date and found and found[-1].is_date and found[-1].name == name:
            found[-1].features.append(i)
        else:
            found.append(TableColumn(name, [i], is_date))
    return found


def refuse_columns(problems: Sequence[Problem], remedy: str = '') -> None:
    """Fails: SchemaError with all of them; none is no failure."""
    if not problems:
        return
    lines = ['Column %r %s.' % (problem.name, problem.text.rstrip('.')) for problem in problems]
    text = lines[0] if len(lines) == 1 else '%d columns cannot be read:\n  %s' % (len(lines), '\n  '.join(lines))
    raise SchemaError(text + remedy, field=problems[0].name, message=problems[0].text)


def cells_text(count: int) -> str:
    return '%d cell%s' % (count, '' if count == 1 else 's')


def check_unknown(unknown: str) -> None:
    if unknown not in UNKNOWN:
        raise ArgumentError("unknown is 'error' or 'missing', not %r." % (unknown,))


def numbers_among(words: Sequence[str]) -> list[float]:
    """Spellings of missing that are numbers, such as -999."""
    return [float(word) for word in words if NUMERAL.fullmatch(word)]


def is_missing_number(numbers: NDArray[Any], missing: Sequence[str]) -> NDArray[np.bool_]:
    """NaN, and the numbers that the schema says mean missing."""
    absent = np.isin(numbers, numbers_among(missing))
    return absent | np.isnan(numbers) if numbers.dtype.kind == 'f' else absent


class Reader:
    """Reads columns by one schema, and gathers all that does not fit."""

    def __init__(self, schema: Schema, unknown: str = 'error') -> None:
        check_unknown(unknown)
        self._schema, self._unknown = schema, unknown
        self.problems: list[Problem] = []
        self.unknown_cells: dict[str, int] = {}
        self.reports = ffi.new('hr_column_report[]', int(lib.hr_schema_feature_count(schema._at)))
        self._missing = schema.missing
        self.missing_numbers = numbers_among(self._missing)

    def read(self, column: FrameColumn, wanted: TableColumn) -> list[NDArray[Any]]:
        """An array for each feature. What does not fit is a problem more, and what is returned then is of no use."""
        if column.kind == 'other':
            return self._refuse(column, wanted, column.remedy)
        if wanted.is_date:
            return self._dates(column, wanted)
        if lib.hr_schema_feature(self._schema._at, wanted.features[0]).kind == lib.HR_KIND_CATEGORY:
            return [self._codes(column, wanted)]
        return [self._numbers(column, wanted)]

    def _refuse(self, column: FrameColumn, wanted: TableColumn, text: str) -> list[NDArray[Any]]:
        self.problems.append(Problem(column.name, text))
        return [np.empty(0)] * len(wanted.features)

    def _refuse_misfits(self, column: FrameColumn, wanted: TableColumn, cells: Cells, what: str) -> list[NDArray[Any]]:
        if cells.refusal:
            return self._refuse(column, wanted, cells.refusal)
        verb = 'is' if cells.misfits == 1 else 'are'
        return self._refuse(column, wanted, 'has %s that %s %s: %s; %s' % (cells_text(cells.misfits), verb, what, cells.shown, cells.remedy))

    def _dates(self, column: FrameColumn, wanted: TableColumn) -> list[NDArray[Any]]:
        if column.kind == 'boolean':
            return self._refuse(column, wanted, 'has booleans, and the schema says that it has dates')
        if column.kind == 'number' and np.isnan(column.cells.astype(np.float64)).all():
            return [np.full(len(column.cells), np.nan)] * len(wanted.features)
        cells = self._parse(column, wanted)
        if cells.refusal or cells.misfits:
            return self._refuse_misfits(column, wanted, cells, 'no date as the schema writes them')
        for i, clipped in zip(wanted.features, cells.out_of_range):
            self.reports[i].out_of_range = clipped
        return cells.arrays

    def _numbers(self, column: FrameColumn, wanted: TableColumn) -> NDArray[Any]:
        if column.kind == 'time':
            return self._refuse(column, wanted, 'has dates or times, and the schema says that it has numbers')[0]
        if column.kind == 'boolean':
            return np.where(column.cells < 0, np.nan, column.cells.astype(np.float64))
        if column.kind == 'number':
            return self._plain_numbers(column, wanted)
        cells = self._parse(column, wanted)
        if cells.refusal or cells.misfits:
            return self._refuse_misfits(column, wanted, cells, 'no number as the schema writes them (texts or categories)')[0]
        return cells.arrays[0]

    def _plain_numbers(self, column: FrameColumn, wanted: TableColumn) -> NDArray[Any]:
        numbers = column.cells
        if numbers.dtype.kind == 'f' and not column.finite and np.isinf(numbers).any():
            return self._refuse(column, wanted, 'has %s with infinity or a value too large for a number' %
                                cells_text(int(np.isinf(numbers).sum())))[0]
        if self.missing_numbers and np.isin(numbers, self.missing_numbers).any():
            return np.where(np.isin(numbers, self.missing_numbers), np.nan, numbers)
        return numbers

    def _codes(self, column: FrameColumn, wanted: TableColumn) -> NDArray[np.uint16]:
        """1 is the schema's first value, 0 a missing one."""
        if column.kind == 'number':
            column = as_texts(column)
        at = lib.hr_schema_feature(self._schema._at, wanted.features[0])
        listed = [text_of(at.values[i]) for i in range(at.value_count)]
        known = {value: i + 1 for i, value in enumerate(listed)}
        known.update((word, 0) for word in self._missing)
        of_value = np.array([known.get(value, -1) for value in column.values] + [0], dtype=np.int64)
        codes = of_value[column.cells]
        if codes.min(initial=0) >= 0:
            made_codes: NDArray[np.uint16] = codes.astype(np.uint16)
            return made_codes
        cells = self._parse(column, wanted)
        if cells.refusal:
            return self._refuse(column, wanted, cells.refusal)[0]
        if cells.misfits and self._unknown == 'error':
            self._refuse(column, wanted, 'has unknown categories, %s in %s; the schema lists %s. Correct them or the list; when predicting, '
                         "unknown='missing' reads them as missing" % (cells.shown, cells_text(cells.misfits), listed[:SHOWN]))
        elif cells.misfits:
            self.unknown_cells[column.name] = cells.misfits
            self.reports[wanted.features[0]].unknown = cells.misfits
        return cells.arrays[0]

    # ---- The library's reader ----

    def _parse(self, column: FrameColumn, wanted: TableColumn) -> Cells:
        features = [lib.hr_schema_feature(self._schema._at, i) for i in wanted.features]
        schema = column_schema(features, wanted.name, self._missing, as_times=column.kind == 'time')
        return parse(schema, csv_of([replace(column, name=wanted.name)]), wanted)


def column_schema(features: Sequence[Any], name: str, missing: Sequence[str], as_times: bool = False) -> Any:
    """A schema of one column of a table alone, whose numbers are not clipped. features: hr_column, one a part of a date. as_times: dates are
    written as ISO 8601 in any case."""
    builder = made(lib.hr_schema_builder_new, 'hr_schema_builder', lib.hr_schema_builder_free)
    call(lib.hr_schema_label_number, builder, text_to('label' if name != 'label' else 'label_'), 0.0, 1.0)
    for word in missing:
        call(lib.hr_schema_add_missing, builder, text_to(word))
    at, text = features[0], text_to(name)
    if at.date != ffi.NULL:
        date = ffi.new('hr_date_column *', at.date[0])
        if as_times:
            date.format = ffi.NULL
        parts = ffi.new('hr_date_part[]', [feature.part for feature in features])
        call(lib.hr_schema_add_date, builder, date, parts, len(parts))
    elif at.boolean:
        call(lib.hr_schema_add_boolean, builder, text)
    elif at.kind == lib.HR_KIND_CATEGORY:
        call(lib.hr_schema_add_category, builder, text, at.values, at.value_count)
    else:
        call(lib.hr_schema_set_number_format, builder, ffi.addressof(at.format))
        call(lib.hr_schema_add_number, builder, text, -ANY_NUMBER, ANY_NUMBER, False)
    return made(lib.hr_schema_build, 'hr_schema', lib.hr_schema_free, builder)


def parse(schema: Any, table: bytes, wanted: TableColumn) -> Cells:
    """Reads a CSV table by a schema of the features of one column, without a label."""
    misfits = ffi.gc(lib.hr_misfits_new(), lib.hr_misfits_free)
    try:
        data = parse_table(schema, table, misfits)
    except HedgerowError as error:
        return Cells([], [], refusal='cannot be read as text: %s; %s' % (error.message, error.remedy))
    rows = lib.hr_data_rows(data)
    reports = [lib.hr_data_report(data, i) for i in range(len(wanted.features))]
    cells = Cells([], [int(report.out_of_range) for report in reports], int(reports[0].unknown))
    for i in range(len(wanted.features)):
        codes = lib.hr_data_codes(data, i)
        at, dtype, size = (codes, np.uint16, 2) if codes != ffi.NULL else (lib.hr_data_numbers(data, i), np.float64, 8)
        cells.arrays.append(np.frombuffer(ffi.buffer(at, rows * size), dtype).copy())
    if cells.misfits:
        cells.shown, cells.remedy = shown_misfits(misfits, 0), first_remedy(misfits)
    return cells


def parse_table(schema: Any, table: bytes, misfits: Any) -> Any:
    options = ffi.new('hr_read_options *', {
        'size': ffi.sizeof('hr_read_options'), 'format': lib.HR_FORMAT_CSV, 'label_optional': True,
        'separator': lib.HR_SEPARATOR_COMMA, 'threads': 1, 'misfits': misfits})
    return made(lib.hr_data_parse, 'hr_data', lib.hr_data_free, schema, table, len(table), options)


def shown_misfits(misfits: Any, feature: int) -> str:
    """The most frequent texts of a column with their number of cells."""
    count, cells, texts = lib.hr_misfits_count(misfits, feature), ffi.new('uint64_t *'), []
    for i in range(min(count, SHOWN)):
        text = text_of(lib.hr_misfits_text(misfits, feature, i, cells))
        texts.append('%r (%s)' % (text, cells_text(cells[0])))
    others = count > SHOWN or lib.hr_misfits_rest(misfits, feature) > 0
    return ', '.join(texts) + (', and others' if others else '')


def first_remedy(misfits: Any) -> str:
    err = ffi.new('hr_error *')
    return text_of(err.remedy) if lib.hr_misfits_first(misfits, err) else ''


def as_texts(column: FrameColumn) -> FrameColumn:
    """A column of numbers as one of their texts."""
    cells = column.cells
    there = ~np.isnan(cells) if cells.dtype.kind == 'f' else np.ones(len(cells), dtype=bool)
    values, inverse = np.unique(cells[there], return_inverse=True)
    codes = np.full(len(cells), -1, dtype=np.int64)
    codes[there] = inverse
    return FrameColumn(column.name, 'text', codes, tuple(number_texts(values)))


# ---- Labels --------------------------------------------------------------------------------------------------------------

def read_labels(schema: Schema, column: FrameColumn) -> NDArray[np.float64]:
    """Numbers, or indices of classes, of labels that are texts. Fails: SchemaError (all that do not fit, with their cells)."""
    at = lib.hr_schema_label(schema._at)
    column = replace(column, name=text_of(at.name))
    if at.kind == lib.HR_KIND_CATEGORY:
        return read_classes(schema, column)
    cells = parse(column_schema([at], column.name, schema.missing), csv_of([column]), TableColumn(column.name, [0]))
    missing = 0 if cells.refusal else int(np.isnan(cells.arrays[0]).sum()) - cells.misfits
    if cells.refusal or cells.misfits or missing:
        refuse_labels(column.name, cells, missing)
    labels: NDArray[np.float64] = cells.arrays[0]
    return labels


def read_classes(schema: Schema, column: FrameColumn) -> NDArray[np.float64]:
    """A table that has the labels, one feature that is missing everywhere, and one person."""
    described = table_columns(schema)
    others, _kept = texts_to([name for wanted in described for name in wanted.names(schema)][1:])
    count, rows = lib.hr_schema_feature_count(schema._at), len(column.cells)
    alone = made(lib.hr_schema_without, 'hr_schema', lib.hr_schema_free, schema._at, others, count - 1)
    table = [column, FrameColumn(described[0].name, 'text', np.full(rows, -1))]
    if schema.unit_column:
        table.append(FrameColumn(schema.unit_column, 'text', np.zeros(rows, dtype=np.int64), ('nobody',)))
    misfits = ffi.gc(lib.hr_misfits_new(), lib.hr_misfits_free)
    data = parse_table(alone, csv_of(table), misfits)
    at, report = lib.hr_data_labels(data), lib.hr_data_report(data, 1)
    if at == ffi.NULL:
        shown = shown_misfits(misfits, 1) if report.unknown else ''
        refuse_labels(column.name, Cells([], [], int(report.unknown), shown), int(report.missing))
    return np.frombuffer(ffi.buffer(at, rows * 8), np.float64).copy()


def refuse_labels(name: str, cells: Cells, missing: int) -> NoReturn:
    found = [cells.refusal] if cells.refusal else []
    if cells.misfits:
        found.append('%s that the schema does not describe: %s' % (cells_text(cells.misfits), cells.shown))
    if missing:
        found.append('%d missing labels' % missing)
    raise SchemaError('The label %r has %s; %s.' % (name, ', and '.join(found), cells.remedy or "correct them, list them as the label's values, or leave these records out"))
