"""Private statistics of the columns of a table, before anything is trained."""
from __future__ import annotations

import contextlib
import importlib
import json
import os
from dataclasses import dataclass
from typing import Any, Sequence

from . import _frames
from ._labels import labels_in, labels_of
from ._native import Interrupts, call, ffi, lib, made, text_to
from ._parameters import check_budget, exposures_of
from .errors import ArgumentError
from .ledger import Ledger, ledger_of
from .model import Guarantee, Model, Statistic
from .schema import Schema


@dataclass(frozen=True)
class Statistics:
    """What was released. model: the file, with its guarantee and releases; it predicts nothing. figures: all of them, by column and class."""
    model: Model
    figures: list[Statistic]

    @property
    def guarantee(self) -> Guarantee:
        return self.model.guarantee

    @property
    def records(self) -> Statistic:
        """How many records there are."""
        return self.figures[0]

    def of(self, column: str, group: str = '') -> list[Statistic]:
        """The figures of a column, of all records or of one class. Empty: there are none."""
        return [figure for figure in self.figures if (figure.column, figure.group) == (column, group)]

    def frame(self) -> Any:
        """A data frame of pandas with a row for each figure. Fails: ArgumentError (pandas is not installed)."""
        try:
            pandas: Any = importlib.import_module('pandas')
        except ImportError:
            raise ArgumentError('a data frame needs pandas, which is not installed; `figures` has the same rows') from None
        return pandas.DataFrame([vars(figure) for figure in self.figures])

    def write(self, path: str | os.PathLike[str]) -> None:
        """The file that `hedgerow show` and the report read."""
        self.model.write(path)

    def __str__(self) -> str:
        return self.model.summary()


def statistics(X: Any, schema: Schema | str | os.PathLike[str], *, epsilon: float, delta: float | None = None, columns: Sequence[str] | str | None = None, bins: int | None = None,
               by: str | None = None, y: Any = None, ledger: Ledger | str | os.PathLike[str] | None = None, threads: int = 1) -> Statistics:
    """Releases statistics of columns once: what `hedgerow train --method statistics` does.

    X: a table with the columns of the schema. schema: a `Schema` or the path of one. y: the labels, or the name of a column of X that has them; None: the column that the schema's label is named as.
    columns: whose statistics, names or one name; None: all. bins: of a number; None: 16. by: 'label': also of each class of the label.
    epsilon, delta: one budget for all columns together; delta None: 1e-6, and 0 is pure epsilon. ledger: of the records in X; a `Ledger` or its path; None: nothing is charged.
    Fails, with nothing spent: ArgumentError, FileError, FormatError, SchemaError, PolicyError, BudgetError."""
    check_budget(epsilon, delta)
    known = _schema_of(schema)
    asked = [columns] if isinstance(columns, str) else columns
    options = ffi.new('hr_fit_options *')
    call(lib.hr_fit_options_init_sized, options, ffi.sizeof('hr_fit_options'), text_to('statistics'), lib.HR_MODE_SOUND)
    chosen = {'epsilon': epsilon, 'delta': delta, 'columns': None if asked is None else json.dumps(list(asked), ensure_ascii=False), 'bins': bins, 'by': by}
    for name, value in chosen.items():
        if value is not None:
            call(lib.hr_fit_options_set, options, text_to(name), text_to(str(value)))
    options.threads, options.of_program = threads, True
    given = _frames.columns_of(X)
    table = _frames.Table(known, given, labels_of(known, labels_in(X, y, known), given.rows), exposure=exposures_of(None, known.exposure, given))
    opened = ledger_of(ledger)
    with opened._lock if opened else contextlib.nullcontext(), Interrupts() as interrupts:
        options.ledger = ffi.NULL if opened is None else opened._open()
        options.progress, options.remark, options.user = lib.hedgerow_progress, lib.hedgerow_remark, interrupts.handle
        model = Model(made(lib.hr_fit, 'hr_model', lib.hr_model_free, table.at, options))
    return Statistics(model, model.statistics)


def _schema_of(schema: Any) -> Schema:
    """Fails: ArgumentError, and as `Schema.read`."""
    if isinstance(schema, Schema):
        return schema
    if isinstance(schema, (str, os.PathLike)):
        return Schema.read(schema)
    message, remedy = 'schema is a Schema or the path of one, not %r' % (schema,), 'write one with `hedgerow schema init`, or make it with Schema.build or Schema.propose'
    raise ArgumentError('%s; %s' % (message, remedy), field='schema', message=message, remedy=remedy)
