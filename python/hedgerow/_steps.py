"""What steps before a model read off the records: a step is public if each record is changed by itself, by facts that are given.

A step of another package, or of one's own, says so by an attribute: `hedgerow_public = True`. Its author vouches that it changes
each record by itself, with public facts or with what was released privately."""
from __future__ import annotations

import sys
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Callable, Iterator, Sequence

import numpy as np
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor, make_column_selector
from sklearn.pipeline import FeatureUnion, Pipeline

Steps = Sequence[tuple[str, Any]]

# What a fitted step keeps of the records. Others: "what it keeps of the records".
READS = {
    'StandardScaler': 'means and deviations', 'MinMaxScaler': 'the least and the largest values', 'MaxAbsScaler': 'the largest values',
    'RobustScaler': 'medians and quartiles', 'QuantileTransformer': 'quantiles', 'PowerTransformer': 'means, deviations and exponents',
    'KBinsDiscretizer': 'the edges of bins', 'TargetEncoder': 'labels of the records', 'OneHotEncoder': 'the categories that occur',
    'OrdinalEncoder': 'the categories that occur', 'SimpleImputer': 'means, or columns that are empty', 'KNNImputer': 'the records themselves',
    'PCA': 'means and covariances', 'TfidfVectorizer': 'the words that occur', 'CountVectorizer': 'the words that occur', 'LabelEncoder': 'the classes that occur',
}


def is_of_each_record(function: Any) -> bool:
    """Whether a function treats each record by itself: None, a ufunc of numpy, or what says so."""
    return function is None or isinstance(function, np.ufunc) or bool(getattr(function, 'hedgerow_public', False))


def is_given(value: Any) -> bool:
    return not isinstance(value, str) and value is not None


def lists_categories(step: Any) -> bool:
    grouped = getattr(step, 'min_frequency', None) is not None or getattr(step, 'max_categories', None) is not None
    return is_given(step.categories) and not grouped


# Steps of scikit-learn that are public, by class, and with which parameters.
PUBLIC: dict[str, Callable[[Any], bool]] = {
    'FunctionTransformer': lambda s: is_of_each_record(s.func),
    'Normalizer': lambda s: True,
    'Binarizer': lambda s: True,
    'PolynomialFeatures': lambda s: True,
    'HashingVectorizer': lambda s: True,
    'FeatureHasher': lambda s: True,
    'SplineTransformer': lambda s: is_given(s.knots),
    'OneHotEncoder': lists_categories,
    'OrdinalEncoder': lists_categories,
    'CountVectorizer': lambda s: s.vocabulary is not None,
    'SimpleImputer': lambda s: s.strategy == 'constant' and s.keep_empty_features and not s.add_indicator,
    'MissingIndicator': lambda s: s.features == 'all',
}


def is_public(step: Any) -> bool:
    """Of one that has no steps itself."""
    if step is None or isinstance(step, str) or getattr(step, 'hedgerow_public', False):
        return True  # 'passthrough' and 'drop'
    kind = type(step)
    known = PUBLIC.get(kind.__name__) if kind.__module__.startswith('sklearn.') else None
    return known is not None and bool(known(step))


def leaks_of(name: str, step: Any) -> list[str]:
    """What a step reads off the records, in words; steps in it by themselves."""
    if isinstance(step, Pipeline):
        return leaks_of_steps(step.steps, name)
    if isinstance(step, FeatureUnion):
        return leaks_of_steps(step.transformer_list, name)
    if isinstance(step, ColumnTransformer):
        found = leaks_of_steps([(part, made) for part, made, _ in step.transformers] + [('remainder', step.remainder)], name)
        chosen = [part for part, _, columns in step.transformers if callable(columns) and not is_of_each_record(columns)
                  and not isinstance(columns, make_column_selector)]
        return found + ['columns that a function chooses in step %s.%s' % (name, part) for part in chosen]
    if is_public(step):
        return []
    kind = type(step).__name__
    return ['step %s of the pipeline (%s: %s)' % (name, kind, READS.get(kind, 'what it keeps of the records'))]


def leaks_of_steps(steps: Steps, outer: str = '') -> list[str]:
    return [leak for name, step in steps for leak in leaks_of('%s.%s' % (outer, name) if outer else name, step)]


# ---- Around a fit --------------------------------------------------------------------------------------------------------

_around: ContextVar[tuple[list[str], ...]] = ContextVar('hedgerow_around', default=())


@contextmanager
def fitted_inside(leaks: list[str]) -> Iterator[None]:
    """A model that is fitted meanwhile has these in front of it."""
    token = _around.set((*_around.get(), leaks))
    try:
        yield
    finally:
        _around.reset(token)


def steps_around(frame: Any) -> tuple[Any, list[str]] | None:
    """The pipeline of scikit-learn whose fit this frame is, and what its earlier steps read; None: it is another frame."""
    owner = frame.f_locals.get('self')
    if isinstance(owner, TransformedTargetRegressor) and frame.f_code.co_name == 'fit':
        return owner, leaks_of('transformer', owner.transformer) + ([] if is_of_each_record(owner.func) else ['func of TransformedTargetRegressor'])
    if not isinstance(owner, Pipeline) or getattr(owner, 'hedgerow_tells', False):
        return None
    if frame.f_code.co_name == '_fit':
        return owner, leaks_of_steps(owner.steps[:frame.f_locals.get('step_idx', len(owner.steps))])
    return (owner, leaks_of_steps(owner.steps[:-1])) if frame.f_code.co_name in ('fit', 'fit_transform', 'fit_predict') else None


def found_around() -> tuple[bool, list[str]]:
    """Whether the model that is fitted now has steps in front of it, and what these read off the records. Pipelines of scikit-learn are
    found by the calls that are under way: one that fits a model elsewhere, such as in another process, is not."""
    given = _around.get()
    leaks, seen = [leak for part in given for leak in part], set()
    frame = sys._getframe(1)
    while frame is not None:
        around = steps_around(frame)
        if around is not None and id(around[0]) not in seen:
            seen.add(id(around[0]))
            leaks += around[1]
        frame = frame.f_back  # type: ignore[assignment]
    return bool(given or seen), leaks
