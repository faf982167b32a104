"""scikit-learn's estimators on Hedgerow's methods."""
from __future__ import annotations

import contextlib
import os
import warnings
from numbers import Integral
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_feature_names, check_is_fitted, column_or_1d, validate_data

from . import _frames
from ._encoded import warn_of_encoders
from ._guess import WIDE, Facts, Given, checked_pair, schema_of
from ._proposal import label_name
from ._reading import check_unknown, read_labels, table_columns
from ._native import Interrupts, call, ffi, lib, made, text_to, texts_to
from .errors import ArgumentError, PrivacyLeakWarning, SchemaError
from .ledger import Ledger
from .model import Guarantee, Model, Release
from .predictor import Predictor
from .schema import Column, Schema

MODES = {'sound': lib.HR_MODE_SOUND, 'paper': lib.HR_MODE_PAPER}
BY_NAME = ('trees', 'depth', 'bins', 'learning_rate')


class HedgerowEstimator(BaseEstimator):  # type: ignore[misc]
    """What classifier and regressor share. Parameters are documented there."""

    # ---- What is asked for ----

    def _options(self) -> Any:
        """hr_fit_options of the parameters; `self` keeps their texts."""
        if self.mode not in MODES:
            raise ArgumentError("mode is 'sound' or 'paper', not %r" % (self.mode,))
        options, name = ffi.new('hr_fit_options *'), text_to(self.method)
        call(lib.hr_fit_options_init_sized, options, ffi.sizeof('hr_fit_options'), name, MODES[self.mode])
        chosen = {**{name: getattr(self, name) for name in BY_NAME}, **(self.options or {})}
        if self._is_private():
            chosen.update(epsilon=self.epsilon, delta=self.delta)
        for key, value in chosen.items():
            if value is not None:
                call(lib.hr_fit_options_set, options, text_to(key.replace('_', '-')), text_to(_frames.text_of_value(value)))
        options.threads = _threads(self.n_jobs)
        options.records_per_person = self.records_per_person or 0
        return options

    def _is_private(self) -> bool:
        info = lib.hr_method_find(text_to(self.method))
        return info != ffi.NULL and bool(info.is_private)

    def _promises(self) -> bool:
        """Whether the method has a guarantee in this mode."""
        return self._is_private() and self.mode == 'sound'

    # ---- The table ----

    def _columns(self, X: Any, reset: bool) -> _frames.Columns:
        """With scikit-learn's checks of arrays, names and numbers of features."""
        if _is_frame(X):
            _check_feature_names(self, X, reset=reset)
            columns = _frames.columns_of(X)
            if not hasattr(X, 'iloc'):
                self._check_arrow_names([column.name for column in columns.items], reset)
            self._count_features(len(columns.items), reset)
            return columns
        if getattr(getattr(X, 'dtype', None), 'kind', 'f') in 'OUM' and len(X.shape) == 2:
            columns = _frames.columns_of(X)
            if self.schema is not None or any(column.kind in ('text', 'time') for column in columns.items):
                self._count_features(len(columns.items), reset)
                return columns
        matrix = validate_data(self, X, reset=reset, dtype=[np.float64, np.float32, np.uint16], ensure_all_finite='allow-nan')
        return _frames.columns_of(matrix)

    def _check_arrow_names(self, names: list[str], reset: bool) -> None:
        """scikit-learn finds no names in some tables that speak Arrow."""
        if reset:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, 'feature_names_in_') and list(self.feature_names_in_) != names:
            raise ValueError('The feature names should match those that were passed during fit, in the same order.')

    def _count_features(self, count: int, reset: bool) -> None:
        if reset:
            self.n_features_in_ = count
        elif count != self.n_features_in_:
            raise ValueError('X has %d features, but %s is expecting %d features as input.' %
                             (count, type(self).__name__, self.n_features_in_))

    def _given_schema(self) -> Schema | None:
        if self.schema is not None and self.unit != 'record':
            raise ArgumentError('unit is for bounds that are given in code: the schema names its own unit.')
        return self.schema if self.schema is None or isinstance(self.schema, Schema) else Schema.read(self.schema)

    def _schema_of(self, columns: _frames.Columns, label: Column, facts: Facts) -> Schema:
        bounds = self.bounds
        if bounds is None and not self._promises():
            bounds = 'data'
        return schema_of(columns, label, Given(bounds, self.categories, self.unit), facts)

    # ---- The fit ----

    def _train(self, schema: Schema, columns: _frames.Columns, label: NDArray[Any], facts: Facts) -> None:
        check_unknown(self.unknown)
        schema.check_reviewed()
        warn_of_encoders(columns)
        options = self._options()
        kept = [texts_to(facts.private), text_to(facts.leak)]
        options.private_bounds, options.private_bounds_count = kept[0][0], len(facts.private)
        if self._promises() and facts.leak:
            options.leak = kept[1]
            warnings.warn('NOT PRIVATE: read off the records and not paid for: %s. Give it as public knowledge (bounds, categories, '
                          'classes, schema) for a guarantee.' % facts.leak, PrivacyLeakWarning, stacklevel=3)
        if self._promises() and self.ledger is None and (accepted := schema.accepted):
            warnings.warn('NOT PRIVATE: %s' % accepted, PrivacyLeakWarning, stacklevel=3)
        if self.random_state is not None:
            options.reproducible_noise, options.seed = True, _seed(self.random_state)
            if self._promises():
                warnings.warn('NOT PRIVATE: random_state makes the noise predictable. Use it for tests alone.', PrivacyLeakWarning,
                              stacklevel=3)
        weights = getattr(self, '_class_weights', None)
        kept.append(None if weights is None else ffi.new('double[]', weights))
        if weights is not None:
            options.class_weights, options.class_weight_count = kept[-1], len(weights)
        ledger = self.ledger if self.ledger is None or isinstance(self.ledger, Ledger) else Ledger(self.ledger)
        options.ledger = ffi.NULL if ledger is None else ledger._at
        table = _frames.Table(schema, columns, label)
        with ledger._lock if ledger else contextlib.nullcontext(), Interrupts(self.progress) as interrupts:
            options.progress, options.user = lib.hedgerow_progress, interrupts.handle
            self.model_ = self._made(table, options)

    def _made(self, table: _frames.Table, options: Any) -> Model:
        """The model of a table; a search makes it of several settings."""
        return Model(made(lib.hr_fit, 'hr_model', lib.hr_model_free, table.at, options))

    # ---- What came of it ----

    @property
    def guarantee_(self) -> Guarantee:
        """What the model promises; epsilon is infinite if it is not private."""
        check_is_fitted(self)
        return self.model_.guarantee

    @property
    def releases_(self) -> list[Release]:
        """All noisy answers that the model was built from, with what each cost."""
        check_is_fitted(self)
        return self.model_.releases

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Of the columns that `fit` was given, in their order; 0 of one that is no feature. From the published trees alone: no records are
        needed. The sum is 1, or 0 if no tree has a split."""
        check_is_fitted(self)
        if not hasattr(self, 'feature_names_in_'):
            return self.model_.importance
        schema, parts = self.model_.schema, self.model_.importance
        importance = dict(zip([column.name for column in schema.features], parts))
        importance.update({column.name: float(parts[column.features].sum()) for column in table_columns(schema)})
        return np.array([importance.get(str(name).strip(), 0.) for name in self.feature_names_in_])

    def plan(self, n: int) -> dict[str, float]:
        """What a fit on about n records would do, from the parameters alone: nothing is read or spent.

        Keys are the fields of hr_plan_info in the C API: rounds, shares of the budget, noise. Without a schema it is for two classes and
        numeric features. Fails: BudgetError (epsilon is too small), ArgumentError (the method has no plan)."""
        schema = self._given_schema()
        info = ffi.new('hr_plan_info *')
        call(lib.hr_fit_plan, self._options(), float(n), ffi.NULL if schema is None else schema._at, info)
        return {name: getattr(info, name) for name, _ in ffi.typeof('hr_plan_info').fields}

    def _outputs(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        columns = self._columns(X, reset=False)
        if not hasattr(self, 'feature_names_in_'):  # fitted on columns by their position
            columns = _frames.Columns(columns.items, False)
        return self.model_.predict(columns, _threads(self.n_jobs), self.unknown)

    def predictor(self) -> Predictor:
        """What predicts one record at a time, with the results of `predict` and `predict_proba`."""
        check_is_fitted(self)
        return Predictor(self.model_, getattr(self, 'classes_', None), getattr(self, 'feature_names_in_', ()), self.unknown)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.non_deterministic = True  # noise is not drawn from random_state unless that is given
        return tags


def _is_frame(X: Any) -> bool:
    return (hasattr(X, 'iloc') and hasattr(X, 'columns')) or hasattr(X, '__arrow_c_stream__')


def _threads(n_jobs: Any) -> int:
    """scikit-learn's -1, all processors, is 0; None is 1."""
    if n_jobs is None:
        return 1
    return 0 if n_jobs < 0 else int(n_jobs)


def _seed(random_state: Any) -> int:
    if isinstance(random_state, Integral):
        return int(random_state) & (2 ** 64 - 1)
    return int(random_state.randint(2 ** 31 - 1))


def search_cost(estimator: Any, fits: int) -> tuple[float, float]:
    """Epsilon and delta that so many fits of this estimator spend: they add up, since all see the same records.

    A grid of 6 settings in 5 folds, with a refit, has 31 fits. Scores of a cross-validation are exact statistics of the records: neither
    they nor what they select is covered by any guarantee."""
    options = estimator._options()
    return fits * float(options.epsilon), fits * float(options.delta)


class HedgerowClassifier(ClassifierMixin, HedgerowEstimator):  # type: ignore[misc]
    """Classes from private trees.

    method: 'hedge', or another of `hedgerow.methods()`. mode: 'sound' (the guarantee is proved) or 'paper' (as published: NOT PRIVATE).
    epsilon, delta: the budget of a fit, for adding or removing one record. delta=None is the method's default.
    schema: a `Schema` or the path of one; or else public facts:
        bounds: {column: (low, high)}, or (low, high) for all numbers. What has none gets private bounds, for a part of the budget.
            'data' reads them off the records: NOT PRIVATE.
        categories: {column: [values]}, for columns of texts and categories; 'declared' takes the lists of polars' Enum, and refuses other
            categorical types, whose lists may be made of the records as `astype('category')` does. None: they are read off: NOT PRIVATE.
        classes: the values of the label, in the order that predict_proba has them. Booleans need none. Else: NOT PRIVATE.
        Columns may be named by position if X has no names.
    class_weights: {class: number}, public; a class that is not named counts 1. For hedge, dpboost, inprivate, diprime, dp-ert and dp-df. 'balanced' would read frequencies off
        the records: refused.
    ledger: a `Ledger` or its path: the fit is charged there before noise is drawn, and refused if the rest does not cover it.
    trees, depth, bins, learning_rate, options: None is the method's default; options: {name: value} of others (`hedgerow.methods()`).
    unit: without a schema, whose the records are: 'record' (each person has one, which the guarantee says), or the column of X that names the
        person of each record, which is then no feature.
    records_per_person: where there is such a column, train on at most so many records of each person; for every method. None: each
        record of a person counts a part, which hedge, dpboost, inprivate, diprime, dp-ert and dp-df can.
    n_jobs: threads, -1 for all processors; the model does not depend on it. progress: called as progress(done, total) during a fit.
    random_state: noise from a seed, for tests: NOT PRIVATE.
    unknown: what `predict` does with categories that the schema does not list: 'error', or 'missing': they are read as missing, and an
        UnknownCategoryWarning counts them by column. `fit` refuses them in either case.

    Attributes: model_ (`Model`), classes_, n_features_in_, feature_names_in_, guarantee_, releases_, feature_importances_."""

    def __init__(self, method: str = 'hedge', *, epsilon: float = 1.0, delta: float | None = None, mode: str = 'sound',
                 schema: Schema | str | os.PathLike[str] | None = None, bounds: Any = None, categories: Any = None, classes: Any = None,
                 class_weights: dict[Any, float] | None = None, ledger: Ledger | str | os.PathLike[str] | None = None, trees: int | None = None, depth: int | None = None,
                 bins: int | None = None, learning_rate: float | None = None, options: dict[str, Any] | None = None,
                 unit: str = 'record', records_per_person: int | None = None, n_jobs: int | None = None, progress: Callable[[int, int], Any] | None = None,
                 random_state: Any = None, unknown: str = 'error') -> None:
        self.method, self.epsilon, self.delta, self.mode = method, epsilon, delta, mode
        self.schema, self.bounds, self.categories, self.classes = schema, bounds, categories, classes
        self.class_weights = class_weights
        self.ledger = ledger
        self.trees, self.depth, self.bins, self.learning_rate, self.options = trees, depth, bins, learning_rate, options
        self.unit, self.records_per_person = unit, records_per_person
        self.n_jobs, self.progress, self.random_state = n_jobs, progress, random_state
        self.unknown = unknown

    def fit(self, X: Any, y: Any) -> HedgerowClassifier:
        """X: rows x features, NaN is missing. y: one class a row. Spends: epsilon and delta. Fails: ValueError (and subclasses: nothing
        was spent), BudgetError, PolicyError."""
        columns, facts = self._columns(X, reset=True), Facts()
        name = label_name(y, [column.name for column in columns.items])
        y = _target(y, columns.rows)
        found, inverse = _distinct(y)
        check_classification_targets(y)
        schema = self._given_schema()
        if schema is not None and not schema.label.is_category:
            raise SchemaError('The schema has a number as its label; use HedgerowRegressor.')
        listed = [*schema.label.values] if schema else self._listed(found, facts)
        codes = _labels(schema, y, found, inverse, listed)
        if schema is None:
            values = tuple(_frames.text_of_value(value) for value in listed)
            schema = self._schema_of(columns, Column(name, values=values), facts)
        self._class_weights = _weights_of(self.class_weights, listed)
        self._train(schema, columns, codes, facts)
        self.classes_ = _classes_of(listed, self.schema is not None, y.dtype)
        return self

    def _listed(self, found: NDArray[Any], facts: Facts) -> list[Any]:
        if self.classes is not None:
            return list(self.classes)
        if found.dtype == bool:
            return [False, True]
        facts.leaks.append('classes of the label')
        if len(found) < 2:
            raise ValueError('Classifier needs samples of at least 2 classes in the data, but the data contains only one class: %r' % found[0])
        return list(found)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # at epsilon 1 on the few hundred records of scikit-learn's checks
        return tags

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """rows x classes, in the order of classes_; each row's sum is 1."""
        return self._outputs(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row."""
        most = np.argmax(self.predict_proba(X), axis=1)
        predicted: NDArray[Any] = self.classes_[most]
        return predicted


class HedgerowRegressor(RegressorMixin, HedgerowEstimator):  # type: ignore[misc]
    """Numbers from private trees. Parameters are those of `HedgerowClassifier`, but for classes; and

    label_bounds: (low, high), public: noise is proportional to their distance, and predictions are within them. None: private bounds,
        for a part of the budget. 'data' reads them off the records: NOT PRIVATE."""

    def __init__(self, method: str = 'hedge', *, epsilon: float = 1.0, delta: float | None = None, mode: str = 'sound',
                 schema: Schema | str | os.PathLike[str] | None = None, bounds: Any = None, categories: Any = None,
                 label_bounds: Any = None, ledger: Ledger | str | os.PathLike[str] | None = None, trees: int | None = None,
                 depth: int | None = None, bins: int | None = None, learning_rate: float | None = None,
                 options: dict[str, Any] | None = None, unit: str = 'record', records_per_person: int | None = None, n_jobs: int | None = None,
                 progress: Callable[[int, int], Any] | None = None, random_state: Any = None, unknown: str = 'error') -> None:
        self.method, self.epsilon, self.delta, self.mode = method, epsilon, delta, mode
        self.schema, self.bounds, self.categories, self.label_bounds = schema, bounds, categories, label_bounds
        self.ledger = ledger
        self.trees, self.depth, self.bins, self.learning_rate, self.options = trees, depth, bins, learning_rate, options
        self.unit, self.records_per_person = unit, records_per_person
        self.n_jobs, self.progress, self.random_state = n_jobs, progress, random_state
        self.unknown = unknown

    def fit(self, X: Any, y: Any) -> HedgerowRegressor:
        """X: rows x features, NaN is missing. y: one number a row. Spends and Fails: as HedgerowClassifier.fit."""
        columns, facts = self._columns(X, reset=True), Facts()
        name = label_name(y, [column.name for column in columns.items])
        schema = self._given_schema()
        y = _numbers_target(_target(y, columns.rows), schema)
        if schema is None:
            schema = self._schema_of(columns, self._label(y, facts, name), facts)
        elif schema.label.is_category:
            raise SchemaError('The schema has classes as its label; use HedgerowClassifier.')
        self._train(schema, columns, y, facts)
        return self

    def _label(self, y: NDArray[np.float64], facts: Facts, name: str = 'label') -> Column:
        pair = self.label_bounds
        if pair is None and self._promises():
            facts.private.append(name)
            return Column(name, -WIDE, WIDE)
        if pair is None or (isinstance(pair, str) and pair == 'data'):
            facts.leaks.append('bounds of the label')
            low, high = float(y.min()), float(y.max())
            return Column(name, low, high if high > low else low + 1)
        low, high = checked_pair(pair, 'the label')
        return Column(name, low, high)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # at epsilon 1 on the few hundred records of scikit-learn's checks
        return tags

    def predict(self, X: Any) -> NDArray[np.float64]:
        """A number for each row, within the label's bounds."""
        return self._outputs(X)[:, 0]


# ---- Labels --------------------------------------------------------------------------------------------------------------

def _target(y: Any, rows: int) -> NDArray[Any]:
    if y is None:
        raise ValueError('requires y to be passed, but the target y is None')
    plain: NDArray[Any] = column_or_1d(_plain(y), warn=True)
    if len(plain) != rows:
        raise ValueError('Found input variables with inconsistent numbers of samples: [%d, %d]' % (rows, len(plain)))
    return plain


def _plain(y: Any) -> Any:
    """Series of polars and pyarrow as numpy arrays."""
    return y.to_numpy() if hasattr(y, 'to_numpy') else y


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


def _labels(schema: Schema | None, y: NDArray[Any], found: NDArray[Any], inverse: NDArray[np.int64], listed: list[Any]) -> NDArray[np.float64]:
    """Indices of classes. What the schema does not list to the letter is read as a cell of a CSV table, such as yes for true."""
    if schema is not None and not {_frames.text_of_value(value) for value in found} <= set(listed):
        return read_labels(schema, _frames.series_column('y', y.astype(object)))
    return _codes_of(found, listed)[inverse]


def _codes_of(found: NDArray[Any], listed: list[Any]) -> NDArray[np.float64]:
    """Indices from 0 of the classes that occur. Fails: SchemaError (one that is not listed)."""
    of = {_frames.text_of_value(value): i for i, value in enumerate(listed)}
    unknown = [value for value in found if _frames.text_of_value(value) not in of]
    if unknown:
        raise SchemaError('y has the classes %s, which are not among %s.' % (unknown[:10], listed[:10]))
    return np.array([of[_frames.text_of_value(value)] for value in found], dtype=np.float64)


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


def _classes_of(listed: list[Any], are_texts: bool, dtype: np.dtype[Any]) -> NDArray[Any]:
    """As they were given; the texts of a schema in the type of y. Which classes occur makes no difference."""
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
