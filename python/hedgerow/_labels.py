"""Labels of a table: what other libraries have as numpy arrays, the classes that occur, and the classes that are listed."""
from __future__ import annotations

import contextlib
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d

from . import _frames
from ._reading import read_labels
from .errors import ArgumentError, SchemaError
from .schema import Schema


def _target(y: Any, rows: int) -> NDArray[Any]:
    if y is None:
        raise ValueError('requires y to be passed, but the target y is None')
    plain: NDArray[Any] = column_or_1d(_plain(y), warn=True)
    if len(plain) != rows:
        raise ValueError('Found input variables with inconsistent numbers of samples: [%d, %d]' % (rows, len(plain)))
    return plain


def _plain(y: Any) -> Any:
    """Series of pandas and polars, and pyarrow's arrays, as numpy arrays; truth values as such, however they are held."""
    if hasattr(y, 'to_pylist'):  # pyarrow's: booleans and texts are copied
        y = y.to_numpy(zero_copy_only=False)
    plain = y.to_numpy() if hasattr(y, 'to_numpy') else y
    is_object = isinstance(plain, np.ndarray) and plain.dtype == object and plain.size
    return plain.astype(bool) if is_object and all(isinstance(value, (bool, np.bool_)) for value in plain.flat) else plain


def _numbers_target(y: NDArray[Any], schema: Schema | None = None) -> NDArray[np.float64]:
    """Texts are read as the schema describes the label."""
    if schema is not None and y.dtype.kind in 'OU' and (column := _frames.series_column('y', y)).kind != 'number':
        return read_labels(schema, column)
    made = y.astype(np.float64)
    if not np.isfinite(made).all():
        raise ValueError('Input y contains NaN or infinity.')
    return made


def _distinct(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The classes that occur, ascending, and the index of each record's. Fails: ValueError (None among texts)."""
    try:
        found, inverse = np.unique(y, return_inverse=True)
    except TypeError:
        raise ValueError('Input y has missing values, or values of several types.') from None
    return found, inverse


def _ascending(listed: list[Any]) -> NDArray[np.int64]:
    """Where the listed values are, in the ascending order in which scikit-learn has classes: the first is at out[0]."""
    try:
        return np.argsort(np.array(listed), kind='stable')
    except TypeError:
        raise ArgumentError('classes has values of several types: %r.' % listed[:10]) from None


def _is_encoded(found: NDArray[Any], listed: list[Any]) -> bool:
    """Whether y has the numbers 0, 1, ... of the listed classes in ascending order, in their place: VotingClassifier and others number what occurs
    so, before they fit. All of them must occur, else a number may stand for another class; so no record is taken for one of another class."""
    names = [_frames.text_of_value(value) for value in listed]
    if found.dtype.kind not in 'iu' or not np.array_equal(found, np.arange(len(listed))) or set(map(str, found)) <= set(names):
        return False
    numbers = all(isinstance(value, str) and is_numeral(value) for value in listed)  # of texts or of numbers? their orders may differ
    return not numbers or list(_ascending(listed)) == sorted(range(len(listed)), key=lambda i: float(listed[i]))


def is_numeral(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _codes_of(found: NDArray[Any], listed: list[Any]) -> NDArray[np.float64]:
    """Indices from 0 of the classes that occur. Fails: SchemaError (one that is not listed)."""
    of = {_frames.text_of_value(value): i for i, value in enumerate(listed)}
    unknown = [value for value in found if _frames.text_of_value(value) not in of]
    if unknown:
        raise SchemaError('y has the classes %s, which are not among %s.%s' % (np.array(unknown[:10]).tolist(), listed[:10], _hint_of_numbers(found)))
    return np.array([of[_frames.text_of_value(value)] for value in found], dtype=np.float64)


def _class_codes(schema: Schema | None, y: NDArray[Any], listed: list[Any]) -> NDArray[np.float64]:
    """The index of each record's class. What the schema does not list to the letter is read as a cell of a CSV table, such as yes for true."""
    found, inverse = _distinct(y)
    if schema is not None and y.dtype.kind in 'OU' and not {_frames.text_of_value(value) for value in found} <= set(listed):
        return read_labels(schema, _frames.series_column('y', y.astype(object)))
    codes: NDArray[np.float64] = _codes_of(found, listed)[inverse]
    return codes


def events_of(y: Any, rows: int) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Fails: ValueError (no truth values and times, or not one a row)."""
    if y is None:
        raise ValueError('requires y to be passed, but the target y is None')
    plain = np.asarray(_plain(y))
    names = plain.dtype.names
    if names is None and (plain.ndim != 2 or plain.shape[1] != 2):
        raise ValueError('y has for each row whether the event came, and its time: a structured array of both, or two columns.')
    if names is not None and len(names) != 2:
        raise ValueError('y has the fields %s, not a truth value and a time.' % (names,))
    pair = (plain[:, 0], plain[:, 1]) if names is None else (plain[names[0]], plain[names[1]])
    if len(plain) != rows:
        raise ValueError('Found input variables with inconsistent numbers of samples: [%d, %d]' % (rows, len(plain)))
    event, time = (np.asarray(part).astype(np.float64) for part in pair)
    if not np.isin(event, (0, 1)).all():
        raise ValueError('Whether the event came is False or True, or 0 or 1, and comes before the time.')
    if not (np.isfinite(time) & (time >= 0)).all():
        raise ValueError('Times are finite numbers from 0 on.')
    return event == 1, time


def labels_in(X: Any, y: Any, schema: Schema) -> Any:
    """y, or the column of X that it names, or that the schema's label is named as; of times, two columns. Fails: ArgumentError (no labels)."""
    if y is not None and not isinstance(y, str):
        return y
    label = schema.label
    wanted = [name for name in (label.event, label.name) if name is not None] if y is None else [y]
    names = list(X.column_names if hasattr(X, 'column_names') else getattr(X, 'columns', ()))  # of pyarrow's tables, `columns` are the arrays
    for name in wanted:
        if name not in names:
            raise ArgumentError('X has no column %r with the labels; give them as y.' % name)
    return X[wanted[0]] if len(wanted) == 1 else np.column_stack([np.asarray(_plain(X[name])).astype(np.float64) for name in wanted])


def labels_of(schema: Schema, y: Any, rows: int) -> NDArray[np.float64]:
    """As the library has them: indices of the schema's classes, or numbers. Fails: ValueError, SchemaError."""
    if schema.label.event is not None:
        event, time = events_of(y, rows)
        return np.where(event, time, -time)
    target = _target(y, rows)
    if schema.label.is_category:
        if any(_frames.is_missing(value) for value in _distinct(target)[0]):
            raise SchemaError('y has missing values.')
        return _class_codes(schema, target, list(schema.label.values)) if rows else np.zeros(0)
    return _numbers_target(target, schema)


def _hint_of_numbers(found: NDArray[Any]) -> str:
    if found.dtype.kind not in 'iu':
        return ''
    return (' An estimator around this one, such as OneVsRestClassifier, may have numbered the classes: then give its numbers in their place, '
            'such as classes=[0, 1].')


def _weights_of(given: Any, listed: list[Any]) -> list[float] | None:
    """A number for each class. Fails: ArgumentError."""
    if given is None:
        return None
    if not isinstance(given, dict):
        raise ArgumentError("class_weights is {class: number}, of public numbers, not %r: frequencies must not be read off the records" % (given,))
    names = [_frames.text_of_value(value) for value in listed]
    unknown = [value for value in given if _frames.text_of_value(value) not in names]
    if unknown:
        raise ArgumentError('class_weights names %r, which are not among the classes %r.' % (unknown[:10], listed[:10]))
    of = {_frames.text_of_value(value): float(weight) for value, weight in given.items()}
    return [of.get(name, 1.0) for name in names]


def _classes_of(listed: list[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """As they were given; texts in the type of y. Which classes occur makes no difference."""
    are_texts = all(isinstance(value, str) for value in listed)
    if are_texts and dtype.kind == 'b' and set(listed) <= {'false', 'true'}:
        return np.array([value == 'true' for value in listed])
    if are_texts and dtype.kind in 'iuf':
        with contextlib.suppress(ValueError):
            return _numbers_of(listed, dtype)
    return np.array(listed)


def _numbers_of(listed: list[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """The texts as numbers: in the type of y if it has them all, else in one that does. Fails: ValueError (a text is no number)."""
    whole = all(value.lstrip('+-').isdigit() for value in listed)
    numbers = [int(value) if whole else float(value) for value in listed]
    exact = np.array(numbers)
    with np.errstate(all='ignore'):
        narrow = exact.astype(dtype)
    return narrow if [_frames.text_of_value(value) for value in narrow] == [_frames.text_of_value(value) for value in numbers] else exact
