"""What the command `schema init` proposes for a table in a file, for one in memory: its cells as CSV are what the library looks at."""
from __future__ import annotations

import json
import os
import re
from typing import Any

from . import _frames
from ._cells import csv_of
from ._native import call, ffi, lib, take_text, text_to
from ._reading import Problem, refuse_columns
from .errors import ArgumentError, SchemaError

NAME = re.compile(r'^ *(?:- )?name: (".*")$')
REMARK = re.compile(r'# REVIEW: (.*); (?:replace by public facts|delete the entry)')


def proposal(frame: Any, label: str | None, y: Any, dictionary: str | os.PathLike[str] | None, drop: list[str]) -> tuple[str, dict[str, str], str]:
    """The schema as YAML, remarks by column, and what was counted of columns that may say whose a record is."""
    columns = list(_frames.columns_of(frame).items)
    names = [column.name for column in columns]
    if y is not None:
        label = label or label_name(y, names)
        columns.append(_frames.series_column(label, y))
        if len(columns[-1].cells) != len(columns[0].cells):
            raise ArgumentError('y has %d labels, and the table %d records.' % (len(columns[-1].cells), len(columns[0].cells)))
        if label in names:
            raise ArgumentError('The table has a column %r already: name the label otherwise, or leave y out.' % label)
    if label is None:
        raise ArgumentError('Name the column to be predicted: label=...; or give the labels: y=...')
    if y is None and label not in names:
        raise SchemaError('The table has no column %r to be predicted; it has %s.' % (label, ', '.join(map(repr, names[:10]))))
    refuse_columns([Problem(column.name, column.remedy) for column in columns if column.kind == 'other' and column.name not in drop],
                   ' Or leave them out: drop=[...].')
    absent = [name for name in drop if name not in names]
    if absent:
        raise ArgumentError('drop names %r, which the table does not have.' % absent[:10])
    yaml, notes = inferred(csv_of([column for column in columns if column.name not in drop]), label.strip(), dictionary)
    return yaml, remarks_of(yaml), notes


def label_name(y: Any, names: list[str]) -> str:
    """The name of a series, or 'label', unless a column of the table has it."""
    name = str(getattr(y, 'name', None) or 'label').strip()
    if name in names:
        name = 'label'
    while name in names:
        name += '_'
    return name


def inferred(table: bytes, label: str, dictionary: str | os.PathLike[str] | None) -> tuple[str, str]:
    kept = [text_to(label), text_to(None if dictionary is None else os.fspath(dictionary)), text_to('the table'), ffi.new('char **')]
    reading = ffi.new('hr_read_options *', {'size': ffi.sizeof('hr_read_options'), 'format': lib.HR_FORMAT_CSV,
                                            'separator': lib.HR_SEPARATOR_COMMA, 'name': kept[2]})
    options = ffi.new('hr_infer_options *', {'size': ffi.sizeof('hr_infer_options'), 'label': kept[0], 'dictionary': kept[1], 'reading': reading,
                                             'notes': kept[3]})
    out = ffi.new('char **')
    call(lib.hr_schema_infer_bytes, table, len(table), options, out)
    return take_text(out[0]), take_text(kept[3][0])


def remarks_of(yaml: str) -> dict[str, str]:
    """What a proposal says of each column in its comments, besides what it says of all."""
    found: dict[str, str] = {}
    name = None
    for line in yaml.splitlines():
        named, remark = NAME.match(line), REMARK.search(line)
        name = json.loads(named[1]) if named else name
        if remark and name is not None and line.startswith(' '):  # others are of the whole table
            found[name] = remark[1]
    return found
