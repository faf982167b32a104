"""Several owners in one process: what a federation would reach, for a user who has all of their records."""
from __future__ import annotations

import os
from typing import Any, Sequence

import numpy as np

from . import _frames, _progress  # noqa: F401 (what the library logs)
from ._labels import labels_of
from ._native import Interrupts, call, ffi, lib, text_to
from ._parameters import check_interactions, check_options, exposures_of, option_text, threads_of
from .errors import ArgumentError, SchemaError
from .estimators import MODES
from .model import Model
from .schema import Schema


def simulate(owners: Sequence[tuple[Any, Any]], *, schema: Schema | str | os.PathLike[str], method: str = 'hedge', epsilon: float = 1.0,
             delta: float | None = None, mode: str = 'sound', coalition: int | None = None, rounds: int | None = None,
             options: dict[str, Any] | None = None, n_jobs: int | None = None, strict: bool = False) -> Model:
    """The model that owners would train together: with the roles and messages of a federation, in this process. No ledger is charged.

    owners: for each a table (rows x features: pandas, polars, pyarrow or numpy) and its labels. schema: a `Schema` or the path of one, the
    same for all, public. method: 'hedge', 'id3', 'inprivate', or 'simfl' in mode 'paper'. epsilon, delta: what the job costs each owner; delta=None is the
    job's default. coalition: owners that may act together with the coordinator; None: as many as usual. rounds: of inprivate. options:
    {name: value} of the method, such as {'interactions': [['age', 'dose']]} of hedge. n_jobs: owners that work at the same time, -1 for all processors. strict: as of the estimators, for the table of
    each owner.

    Fails: ArgumentError, SchemaError (a table does not follow the schema), ValueError (labels), BudgetError, PolicyError (the owners decline)."""
    known = schema if isinstance(schema, Schema) else Schema.read(schema)
    _refuse_repeats([X for X, _ in owners])
    tables = [_table(known, X, y) for X, y in owners]
    at = ffi.new('const hr_data *[]', [table.at for table in tables] or [ffi.NULL])
    asked = ffi.new('hr_simulated_owners *', {'tables': at, 'count': len(tables), 'rounds': rounds or 0, 'coalition': coalition or 0})
    settings = ffi.new('hr_party_settings *', {'size': ffi.sizeof('hr_party_settings'), 'threads': threads_of(n_jobs)})
    out, chosen = ffi.new('hr_model **'), _options(method, mode, epsilon, delta, options or {})
    with Interrupts(strict=strict) as interrupts:
        chosen.remark, chosen.user = lib.hedgerow_remark, interrupts.handle
        settings.should_continue, settings.user = lib.hedgerow_should_continue, interrupts.handle
        settings.log_line = lib.hedgerow_log_line
        call(lib.hr_simulate_records, chosen, asked, settings, out)
    return Model(ffi.gc(out[0], lib.hr_model_free))


def _refuse_repeats(tables: list[Any]) -> None:
    """Tables that are converted are copies, so that the library cannot see that two were one."""
    for second, table in enumerate(tables):
        first = next(i for i, other in enumerate(tables) if other is table)
        if first < second:
            raise ArgumentError('owners[%d] and owners[%d] have one table: every record in it would count twice, and the guarantee is for records '
                                'that count once; give each table once' % (first, second))


def _options(method: str, mode: str, epsilon: float, delta: float | None, others: dict[str, Any]) -> Any:
    if mode not in MODES:
        raise ArgumentError("mode is 'sound' or 'paper', not %r" % (mode,))
    check_options(others, apart=('epsilon', 'delta'))
    check_interactions(others.get('interactions'))
    options = ffi.new('hr_fit_options *')
    call(lib.hr_fit_options_init_sized, options, ffi.sizeof('hr_fit_options'), text_to(method), MODES[mode])
    lib.hr_job_options_init(options)
    chosen = {'epsilon': None if method == 'simfl' else epsilon, 'delta': delta, **others}
    for key, value in chosen.items():
        if value is not None:
            call(lib.hr_fit_options_set, options, text_to(key.replace('_', '-')), text_to(option_text(value)))
    return options


def _table(schema: Schema, X: Any, y: Any) -> _frames.Table:
    columns = _frames.columns_of(X)
    return _frames.Table(schema, columns, labels_of(schema, y, columns.rows), exposure=exposures_of(None, schema.exposure, columns))
