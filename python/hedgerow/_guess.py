"""A schema for a table of which a person gave some public facts: what is not given is released privately, or read off the records."""
from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Mapping

import numpy as np
from numpy.typing import NDArray

from ._frames import BOOLEAN, Columns, FrameColumn, text_of_value
from ._reading import Problem, refuse_columns
from .errors import ArgumentError, SchemaError
from .schema import Column, Schema

WIDE = 2.0 ** 127  # public limits of numbers whose range nobody knows: within the grid of private bounds, and their difference is finite


@dataclass
class Facts:
    """What was found out about a table. private: columns whose bounds the fit has to release. leaks: what was read off the records."""
    private: list[str] = field(default_factory=list)
    leaks: list[str] = field(default_factory=list)

    @property
    def leak(self) -> str | None:
        return 'the %s' % ', the '.join(self.leaks) if self.leaks else None


@dataclass(frozen=True)
class Given:
    """What the caller says of the columns, and of whom the records are: 'record', each of another person, or a column of persons."""
    bounds: Any
    categories: Any
    unit: str
    directions: Any = None


def given_for(given: Any, column: str, index: int | None) -> Any:
    """Of a mapping by names, which may be integers, or by positions. index: None where columns have names."""
    if not isinstance(given, Mapping):
        return None
    if column in given or index is not None:
        return given[column] if column in given else given.get(index)
    return next((value for key, value in given.items() if str(key) == column), None)


def checked_pair(pair: Any, of: str) -> tuple[float, float]:
    try:
        low, high = (float(x) for x in pair)
    except (TypeError, ValueError):
        raise ArgumentError('The bounds of %s must be two numbers (low, high), not %r.' % (of, pair)) from None
    return low, high


def number_column(column: str, cells: NDArray[Any], pair: Any, facts: Facts) -> Column:
    """pair: (low, high), 'data', or None: private bounds."""
    if isinstance(pair, str) and pair == 'data':
        facts.leaks.append('bounds of %s' % column)
        known = cells[~np.isnan(cells)]
        low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
        return Column(column, low, high)
    if pair is None:
        facts.private.append(column)
        return Column(column, -WIDE, WIDE)
    low, high = checked_pair(pair, column)
    return Column(column, low, high)


def category_column(column: FrameColumn, values: Any, facts: Facts) -> Column:
    """values: a list, a `Column` of one with its source, or None: the type's own, which pandas makes of the records."""
    source = values.source if isinstance(values, Column) else None
    if isinstance(values, Column):
        values = values.values
    if values is not None and (isinstance(values, (str, bytes)) or not hasattr(values, '__iter__')):
        raise ArgumentError('categories is {column: [values]}, and %s has %r.' % (column.name, values))
    if values is not None and len(values) == 0:
        raise ArgumentError('categories lists nothing for %s.' % column.name)
    if column.kind == 'boolean':
        if values is not None and {text_of_value(value) for value in values} != set(BOOLEAN):
            raise ArgumentError('Column %r is boolean: it needs no categories, and has no others than False and True.' % column.name)
        return Column(column.name, values=BOOLEAN, boolean=True)
    if values is None:
        facts.leaks.append('categories of %s' % column.name)
        values = column.values
    return Column(column.name, values=tuple(text_of_value(value) for value in values), source=source)


def declared_values(column: FrameColumn) -> tuple[str, ...]:
    """The list of a type that cannot have been made of the records. Fails: SchemaError (nobody can tell)."""
    if not column.declared:
        raise SchemaError("Column %r has a categorical type whose list may have been made of the records, as astype('category') does; "
                          'list the categories: categories={%r: [...]}' % (column.name, column.name))
    return column.values


def values_for(column: FrameColumn, index: int | None, categories: Any) -> Any:
    """The list that is given for a column, or declared by its type; None: there is none."""
    values = given_for(categories, column.name, index)
    if column.kind == 'category' and values is None and isinstance(categories, str):
        values = declared_values(column)
    return values


def feature(column: FrameColumn, index: int | None, bounds: Any, categories: Any, facts: Facts) -> Column:
    values = values_for(column, index, categories)
    pair = given_for(bounds, column.name, index) if isinstance(bounds, Mapping) else bounds
    is_number = values is None and column.kind == 'number'
    if isinstance(bounds, Mapping) and pair is not None and not is_number:
        raise ArgumentError('bounds has %r, whose cells are no numbers: categories and booleans have none.' % column.name)
    if values is not None or column.kind in ('boolean', 'category'):
        return category_column(column, values, facts)
    return number_column(column.name, column.cells, pair, facts)


def check_columns(parameter: str, given: Any, columns: Columns) -> None:
    """A name that is misspelt would get private bounds without a word. Fails: ArgumentError."""
    known = {column.name for column in columns.items}
    if isinstance(given, Mapping):
        positions = set() if columns.named else set(range(len(columns.items)))
        unknown = [key for key in given if not (str(key) in known or key in positions)]
        if unknown:
            raise ArgumentError('%s names %r, which the table does not have; it has %r.' % (parameter, unknown[:10], sorted(known)[:10]))


def problems_of(columns: Columns, bounds: Any, categories: Any, unit: str) -> list[Problem]:
    """Columns that nothing is given for and that are no numbers, or would be something else with one record more."""
    found = []
    for i, column in enumerate(columns.items):
        if column.name == unit or values_for(column, None if columns.named else i, categories) is not None:
            continue
        if column.untyped and not (isinstance(bounds, Mapping) and given_for(bounds, column.name, None if columns.named else i) is not None):
            found.append(Problem(column.name, 'has no cell, and its type does not say what they are: give bounds={%r: (low, high)} or its categories, '
                                 'or leave it out' % column.name))
        elif column.kind == 'other':
            found.append(Problem(column.name, column.remedy))
        elif column.kind == 'time':
            found.append(Problem(column.name, 'has dates or times, whose range only a schema says'))
        elif column.kind == 'text':
            found.append(Problem(column.name, 'has texts (could not convert string to float): if they are categories, list them, categories={%r: [...]}' %
                                 column.name))
    return found


def negated(directions: Any) -> Any:
    if directions is None:
        return None
    return {name: -value for name, value in directions.items()} if isinstance(directions, Mapping) else [-value for value in directions]


def with_directions(features: list[Column], columns: Columns, directions: Any) -> list[Column]:
    """directions: {column: 1, 0 or -1}, or such a number for every column of the table, as scikit-learn's monotonic_cst. Fails: ArgumentError."""
    if directions is None:
        return features
    names = [column.name for column in columns.items]
    if isinstance(directions, Mapping):
        check_columns('monotonic_cst', directions, columns)
        of = {name: given_for(directions, name, None if columns.named else i) or 0 for i, name in enumerate(names)}
    else:
        listed = list(np.asarray(directions).ravel())
        if len(listed) != len(names):
            raise ArgumentError('monotonic_cst has %d entries, and X has %d columns.' % (len(listed), len(names)))
        of = dict(zip(names, listed))
    words = {0: None, 1: 'increasing', -1: 'decreasing'}
    wrong = next((name for name in names if of[name] not in words), None)
    if wrong is not None:
        raise ArgumentError('monotonic_cst is 1 (increasing), -1 (decreasing) or 0 for a column, and %s has %r.' % (wrong, of[wrong]))
    others = [name for name in names if of[name] and not any(column.name == name and not column.is_category for column in features)]
    if others:
        raise ArgumentError('monotonic_cst names %r, which is no number: only a number has an order.' % others[0])
    return [replace(column, monotone=words[of[column.name]]) for column in features]


PROPOSE = (' Schema.propose(X, y=y) proposes dates, categories, decimals and spellings of missing for all columns; decide about what it read off '
           'the records, and give it as schema=...')


def schema_of(columns: Columns, label: Column, given: Given, facts: Facts) -> Schema:
    """The schema of a table; `facts` gets what it cost."""
    bounds, categories, unit = given.bounds, given.categories, given.unit
    known = [column.name for column in columns.items] if columns.named else []
    if unit != 'record' and unit not in known:
        raise ArgumentError("unit is 'record' or a column of X, not %r; X has %r" % (unit, known[:10]))
    if not (categories is None or isinstance(categories, Mapping) or (isinstance(categories, str) and categories == 'declared')):
        raise ArgumentError("categories is {column: [values]} or 'declared', not %r" % (categories,))
    for name, given_facts in (('bounds', bounds), ('categories', categories)):
        if unit != 'record' and given_for(given_facts, unit, None) is not None:
            raise ArgumentError('%s has %r, which is the unit and no feature.' % (name, unit))
    if isinstance(bounds, str) and bounds != 'data':
        raise ArgumentError("bounds is a mapping, (low, high) or 'data', not %r" % bounds)
    problems = problems_of(columns, bounds, categories, unit)
    if any(column.kind == 'other' for column in columns.items):
        refuse_columns(problems, PROPOSE)
    for name, facts_given in (('bounds', bounds), ('categories', categories)):
        check_columns(name, facts_given, columns)
    refuse_columns(problems, PROPOSE)
    features = [feature(column, None if columns.named else i, bounds, categories, facts) for i, column in enumerate(columns.items)
                if unit == 'record' or column.name != unit]
    return Schema.build(label, with_directions(features, columns, given.directions), unit)
