"""Pipelines whose model says what the steps before it read off the records; a scaler and an encoder that read nothing off them."""
from __future__ import annotations

from typing import Any, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from . import _frames
from ._guess import checked_pair, given_for
from ._sklearn import validate_data
from ._steps import fitted_inside, leaks_of_steps
from .errors import ArgumentError, SchemaError
from .estimators import HedgerowEstimator


class PrivatePipeline(Pipeline):  # type: ignore[misc]
    """What `private_pipeline` makes: a Pipeline whose last step is told what the others read off the records."""

    hedgerow_tells = True

    def fit(self, X: Any, y: Any = None, **params: Any) -> PrivatePipeline:
        """As Pipeline.fit. The model is NOT PRIVATE, with a PrivacyLeakWarning, if a step before it reads anything off the records; a ledger
        refuses it then (PolicyError)."""
        with fitted_inside(leaks_of_steps(self.steps[:-1])):
            super().fit(X, y, **params)
        return self


def private_pipeline(steps: Sequence[tuple[str, Any]], **options: Any) -> Pipeline:
    """A Pipeline of scikit-learn that ends with a HedgerowClassifier or a HedgerowRegressor, for the records that are given to
    the pipeline. Unless all other steps are public, the model says NOT PRIVATE and names those that are not.

    A step is public if it changes each record by itself and by given facts: `PublicScaler`, `PublicEncoder`; of scikit-learn Normalizer,
    Binarizer, PolynomialFeatures, HashingVectorizer, FeatureHasher, encoders with `categories`, SplineTransformer with `knots`, CountVectorizer
    with `vocabulary`, SimpleImputer(strategy='constant', keep_empty_features=True), MissingIndicator(features='all') and FunctionTransformer
    of a ufunc; ColumnTransformer, FeatureUnion and Pipeline of such steps; and whatever has the attribute `hedgerow_public = True`.
    options: those of Pipeline. Fails: ArgumentError (no such last step)."""
    if not steps or not isinstance(steps[-1][1], HedgerowEstimator):
        raise ArgumentError('the last step of a private pipeline is a HedgerowClassifier or a HedgerowRegressor; it has %s' %
                            (type(steps[-1][1]).__name__ if steps else 'no steps'))
    return PrivatePipeline(list(steps), **options)


class PublicTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """What scaler and encoder share: `fit` keeps the names and the number of columns, and nothing of the records."""

    hedgerow_public = True

    def _names(self) -> list[str]:
        if hasattr(self, 'feature_names_in_'):
            return [str(name) for name in self.feature_names_in_]
        return ['x%d' % i for i in range(self.n_features_in_)]

    def _facts(self, given: Any) -> list[Any]:
        """What is given of each column. Fails: ArgumentError (of a column that is not there)."""
        named, names = hasattr(self, 'feature_names_in_'), self._names()
        unknown = [key for key in given if not (str(key) in names or (not named and key in range(len(names))))]
        if unknown:
            raise ArgumentError('%s has facts of %r, which the table does not have; it has %r' % (type(self).__name__, unknown[:10], names[:10]))
        return [given_for(given, name, None if named else i) for i, name in enumerate(names)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class PublicScaler(OneToOneFeatureMixin, PublicTransformer):  # type: ignore[misc]
    """Numbers within public bounds as numbers from 0 to 1, which are then the bounds of the model. Trees need no scaling: it is for what stands
    between, such as splines and polynomials.

    bounds: {column: (low, high)}, or (low, high) for all columns; of columns by position if X has no names. They are public: not the least and
    the largest value of the records. What is outside becomes 0 or 1; NaN stays."""

    def __init__(self, bounds: Any = (0, 1)) -> None:
        self.bounds = bounds

    def fit(self, X: Any, y: Any = None) -> PublicScaler:
        """Fails: ArgumentError (bounds that are no pair, of a column that is not there, or of not all columns)."""
        validate_data(self, X, dtype=[np.float64, np.float32], ensure_all_finite='allow-nan')
        self._pairs()
        return self

    def _pairs(self) -> NDArray[np.float64]:
        """columns x 2."""
        pairs = self._facts(self.bounds) if isinstance(self.bounds, Mapping) else [self.bounds] * self.n_features_in_
        absent = [name for name, pair in zip(self._names(), pairs) if pair is None]
        if absent:
            raise ArgumentError('PublicScaler has no bounds of %r' % absent[:10])
        checked = np.array([checked_pair(pair, name) for name, pair in zip(self._names(), pairs)])
        if not (np.isfinite(checked).all() and (checked[:, 0] < checked[:, 1]).all()):
            raise ArgumentError('bounds must be two finite numbers (low, high) with low < high, not %r' % (self.bounds,))
        return checked

    def transform(self, X: Any) -> NDArray[Any]:
        """X: the columns of `fit`. Numbers from 0 to 1, and NaN."""
        check_is_fitted(self)
        cells = validate_data(self, X, reset=False, dtype=[np.float64, np.float32], ensure_all_finite='allow-nan')
        pairs = self._pairs().astype(cells.dtype)
        low, high = pairs[:, 0], pairs[:, 1]
        scaled: NDArray[Any] = (np.clip(cells, low, high) - low) / (high - low)
        return scaled


class PublicEncoder(PublicTransformer):
    """Columns of categories as a column of 0 and 1 for each value of a public list; other columns, which are numbers, stay. Trees need no encoding:
    `categories` of the estimators takes the same lists. It is for what stands between.

    categories: {column: [values]}, of columns by position if X has no names. unknown: what becomes of a value that is not listed: 'error', or
    'zero' in all columns of the list, which a missing value always has."""

    def __init__(self, categories: Any = None, unknown: str = 'error') -> None:
        self.categories, self.unknown = categories, unknown

    def fit(self, X: Any, y: Any = None) -> PublicEncoder:
        """Fails: ArgumentError (a column that is not there, an empty list, another word for unknown)."""
        self._read(X, True)
        self._lists()
        return self

    def _read(self, X: Any, reset: bool) -> Any:
        plain = not self.categories
        return validate_data(self, X, reset=reset, dtype='numeric' if plain else None, ensure_all_finite='allow-nan' if plain else False)

    def _lists(self) -> list[list[str] | None]:
        if self.unknown not in ('error', 'zero'):
            raise ArgumentError("unknown is 'error' or 'zero', not %r" % (self.unknown,))
        if self.categories is not None and not isinstance(self.categories, Mapping):
            raise ArgumentError('categories is {column: [values]}, not %r' % (self.categories,))
        lists = self._facts(self.categories or {})
        if any(values is not None and (isinstance(values, str) or len(values) == 0) for values in lists):
            raise ArgumentError('categories has a list that is empty or no list')
        return [None if values is None else [_frames.text_of_value(value) for value in values] for values in lists]

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Fails: SchemaError (a value that is not listed), ValueError (a text in a column of numbers)."""
        check_is_fitted(self)
        cells = self._read(X, False)
        parts = [self._encoded(name, cells[:, i], values) for i, (name, values) in enumerate(zip(self._names(), self._lists()))]
        return np.column_stack(parts).astype(np.float64, copy=False)

    def _encoded(self, name: str, cells: NDArray[Any], values: list[str] | None) -> NDArray[np.float64]:
        if values is None:
            return cells.astype(np.float64)
        texts = [None if _frames.is_missing(cell) else _frames.text_of_value(cell) for cell in cells]
        unknown = sorted({text for text in texts if text is not None} - set(values))
        if unknown and self.unknown == 'error':
            raise SchemaError('Found unknown categories %s in column %r; its list has %s.' % (unknown[:10], name, values[:10]))
        return np.array([[text == value for value in values] for text in texts], dtype=np.float64).reshape(len(texts), len(values))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """'ward_surgery' for the value surgery of the column ward; the other names as they are."""
        check_is_fitted(self)
        names = [[name] if values is None else ['%s_%s' % (name, value) for value in values] for name, values in zip(self._names(), self._lists())]
        return np.array([name for part in names for name in part], dtype=object)
