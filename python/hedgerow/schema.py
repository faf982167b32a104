"""The public facts about a table: which columns there are, of which kind, within which bounds."""
from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Iterable, Sequence

from .errors import PolicyError
from ._native import call, ffi, lib, made, take_text, text_of, text_to, texts_to

TASKS = {lib.HR_TASK_REGRESSION: 'regression', lib.HR_TASK_BINARY: 'binary', lib.HR_TASK_MULTICLASS: 'multiclass'}


@dataclass(frozen=True)
class Column:
    """A column: a number within [low, high], or a category of `values` (low and high do not apply then)."""
    name: str
    low: float = 0.0
    high: float = 0.0
    values: tuple[str, ...] = ()
    boolean: bool = False
    integer: bool = False

    @property
    def is_category(self) -> bool:
        """Whether it has a list of values."""
        return bool(self.values)


def column_of(at: Any) -> Column:
    values = tuple(text_of(at.values[i]) for i in range(at.value_count)) if at.kind == lib.HR_KIND_CATEGORY else ()
    return Column(text_of(at.name), at.low, at.high, values, bool(at.boolean), bool(at.integer))


class Schema:
    """A schema. It is public: every model holds its own. Nothing in it may be read off private records."""

    def __init__(self, at: Any, owner: object = None) -> None:
        self._at, self._owner = at, owner

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Schema:
        """Reads a YAML file (docs/reference/formats.md). Fails: FileError, FormatError (line and column are named), LimitError."""
        return cls(made(lib.hr_schema_read, 'hr_schema', lib.hr_schema_free, text_to(os.fspath(path))))

    @classmethod
    def parse(cls, text: str) -> Schema:
        """The same of a text."""
        data = text.encode()
        return cls(made(lib.hr_schema_parse, 'hr_schema', lib.hr_schema_free, data, len(data), text_to('the schema')))

    @property
    def accepted(self) -> str:
        """What was read from the records and accepted in place of public facts (`reviewed: true` beside lines `review`), in words; '': nothing.
        A model is then not private, and no ledger, plan or federation takes the schema. Fails: PolicyError (it is not reviewed yet)."""
        call(lib.hr_schema_reviewed, self._at)
        try:
            call(lib.hr_schema_public, self._at)
        except PolicyError as error:
            return str(error)
        return ''

    @classmethod
    def build(cls, label: Column, features: Iterable[Column], unit: str | None = 'record') -> Schema:
        """From code. Who builds one vouches that all of it is public. unit: the column that says whose each record is; 'record', or None:
        each person has one record, which the guarantee says. Fails: FormatError (the column is named), LimitError."""
        builder = made(lib.hr_schema_builder_new, 'hr_schema_builder', lib.hr_schema_builder_free)
        if label.is_category:
            values, _kept = texts_to(list(label.values))
            call(lib.hr_schema_label_classes, builder, text_to(label.name), values, len(label.values))
        else:
            call(lib.hr_schema_label_number, builder, text_to(label.name), label.low, label.high)
        for column in features:
            cls._add(builder, column)
        if unit not in (None, 'record'):
            call(lib.hr_schema_set_unit, builder, text_to(unit))
        return cls(made(lib.hr_schema_build, 'hr_schema', lib.hr_schema_free, builder))

    @staticmethod
    def _add(builder: Any, column: Column) -> None:
        name = text_to(column.name)
        if column.boolean:
            call(lib.hr_schema_add_boolean, builder, name)
        elif column.is_category:
            values, _kept = texts_to(list(column.values))
            call(lib.hr_schema_add_category, builder, name, values, len(column.values))
        else:
            call(lib.hr_schema_add_number, builder, name, column.low, column.high, column.integer)

    def __reduce__(self) -> tuple[Any, ...]:
        return Schema.parse, (self.to_yaml(),)

    @property
    def task(self) -> str:
        """'regression', 'binary' or 'multiclass'."""
        return TASKS[lib.hr_schema_task(self._at)]

    @property
    def label(self) -> Column:
        """What is predicted: a number, or the classes in the order of their indices."""
        return column_of(lib.hr_schema_label(self._at))

    @property
    def features(self) -> Sequence[Column]:
        """In the order of the columns that models take."""
        return [column_of(lib.hr_schema_feature(self._at, i)) for i in range(lib.hr_schema_feature_count(self._at))]

    @property
    def unit(self) -> str | None:
        """The column that says whose record it is; 'record': each person has one record; None: the schema does not say, and no ledger pays."""
        return text_of(lib.hr_schema_unit(self._at)) or ('record' if lib.hr_schema_single_records(self._at) else None)

    @property
    def unit_column(self) -> str | None:
        """The column that says whose record it is; None: there is none."""
        return text_of(lib.hr_schema_unit(self._at)) or None

    def to_yaml(self) -> str:
        """What `parse` reads back to the same facts."""
        out = ffi.new('char **')
        call(lib.hr_schema_render, self._at, out)
        return take_text(out[0])
