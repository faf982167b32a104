"""scikit-learn's estimators on Hedgerow's methods."""
from __future__ import annotations

import contextlib
import os
import warnings
from inspect import signature
from numbers import Integral
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from . import _frames
from ._encoded import warn_of_encoders
from ._guess import WIDE, Facts, Given, checked_pair, negated, schema_of
from ._labels import _ascending, _class_codes, _classes_of, _distinct, _is_encoded, _numbers_target, _target, _weights_of
from ._progress import LOG, Steps
from ._proposal import label_name
from ._reading import check_unknown, table_columns
from ._native import Interrupts, call, ffi, lib, made, text_of, text_to, texts_to
from ._parameters import check_budget, check_parameters, exposures_of, option_text, record_weights, threads_of
from ._sklearn import check_feature_names, validate_data
from ._steps import found_around
from .errors import ArgumentError, PrivacyLeakWarning, SchemaError
from .ledger import Ledger, LedgerLeftBehind, ledger_of
from .model import Guarantee, Model, Releases
from .predictor import Predictor
from .schema import Column, Schema, middle_quantile

MODES = {'sound': lib.HR_MODE_SOUND, 'paper': lib.HR_MODE_PAPER}
NESTED = 'options__'  # before the name of an option, as scikit-learn names parameters of parameters


class HedgerowEstimator(BaseEstimator):  # type: ignore[misc]
    """What classifier and regressor share. Parameters are documented there."""

    options: dict[str, Any] | None
    __metadata_request__fit = {'sample_weight': None}  # what set_fit_request may ask for, which fit does not announce (record_weights)

    # ---- What is asked for ----

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """deep: also what `options` has, as options__NAME."""
        found: dict[str, Any] = super().get_params(deep)
        nested = self.options if deep and isinstance(self.options, dict) else {}
        return {**found, **{NESTED + str(name): value for name, value in nested.items()}}

    def set_params(self, **parameters: Any) -> Any:
        """options__NAME sets one option of the method, so that a grid may go over it. Fails: ArgumentError (no such parameter)."""
        options = {name[len(NESTED):]: parameters.pop(name) for name in list(parameters) if name.startswith(NESTED)}
        try:
            super().set_params(**parameters)
        except ValueError as error:
            raise ArgumentError('%s An option of the method is set as options__NAME, such as options__bins.' % error) from None
        if options:
            self.options = {**(self.options or {}), **options}
        return self

    def __getstate__(self) -> dict[str, Any]:
        """A fitted estimator goes to others: what belongs to the place where it was fitted stays there."""
        state = dict(super().__getstate__())
        if 'model_' in state:
            state.update(progress=None, ledger=None if self.ledger is None else LedgerLeftBehind())
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Parameters that the version did not have that wrote the state get their defaults."""
        parameters = signature(type(self)).parameters.values()
        super().__setstate__({**{parameter.name: parameter.default for parameter in parameters}, **state})

    def _options(self) -> Any:
        """hr_fit_options of the parameters; `self` keeps their texts."""
        check_parameters(self.get_params(deep=False))
        if self.mode not in MODES:
            raise ArgumentError("mode is 'sound' or 'paper', not %r" % (self.mode,))
        options, name = ffi.new('hr_fit_options *'), text_to(self.method)
        call(lib.hr_fit_options_init_sized, options, ffi.sizeof('hr_fit_options'), name, MODES[self.mode])
        chosen = dict(self.options or {})
        if self.interactions is not None:
            chosen['interactions'] = self.interactions
        if getattr(self, 'conformal', None) is not None:
            chosen['conformal'] = self.conformal
        if self._is_private():
            check_budget(self.epsilon, self.delta)
            chosen.update(epsilon=self.epsilon, delta=self.delta)
        for key, value in chosen.items():
            if value is not None:
                call(lib.hr_fit_options_set, options, text_to(key.replace('_', '-')), text_to(option_text(value)))
        options.threads = threads_of(self.n_jobs)
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
            columns, exposure = _frames.columns_of(X), self._exposure_name(reset)
            names = [column.name for column in columns.items if column.name != exposure]
            check_feature_names(self, X if len(names) == len(columns.items) else _without(X, exposure), reset=reset)
            if not hasattr(X, 'iloc'):
                self._check_arrow_names(names, reset)
            self._count_features(len(names), reset)
            return columns
        if getattr(getattr(X, 'dtype', None), 'kind', 'f') in 'OUM' and len(X.shape) == 2:
            columns = _frames.columns_of(X)
            if self.schema is not None or any(column.kind in ('text', 'time') for column in columns.items):
                self._count_features(len(columns.items), reset)
                return columns
        matrix = validate_data(self, _frames.checked_cells(X), reset=reset, dtype=[np.float64, np.float32, np.uint16], ensure_all_finite='allow-nan',
                               accept_sparse='csc')
        return _frames.columns_of(matrix, finite=not get_config()['assume_finite'])

    def _exposure_name(self, reset: bool) -> str | None:
        """The column of exposures, which is no feature: a table that is predicted may do without. None: there is none, or columns go by position."""
        if reset:
            schema = self._given_schema()
        else:
            schema = self.model_.schema if hasattr(self, 'model_') and hasattr(self, 'feature_names_in_') else None
        return schema.exposure[0] if schema is not None and schema.exposure else None

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
        schema = self.schema if self.schema is None or isinstance(self.schema, Schema) else Schema.read(self.schema)
        if schema is not None and schema.weight:
            raise SchemaError('The schema names a column of weights (%s), which tables in memory do not have: leave it out of the schema, and give '
                              'fit sample_weight, from 0 to 1.' % schema.weight[0])
        return schema

    def _schema_of(self, columns: _frames.Columns, label: Column, facts: Facts, directions: Any) -> Schema:
        bounds = self.bounds
        if bounds is None and not self._promises():
            bounds = 'data'
        return schema_of(columns, label, Given(bounds, self.categories, self.unit, directions), facts)

    # ---- The fit ----

    def _train(self, schema: Schema, columns: _frames.Columns, label: NDArray[Any], facts: Facts, weights_of_records: NDArray[np.float64] | None) -> None:
        check_unknown(self.unknown)
        schema.check_reviewed()
        has_steps, leaks = found_around()
        if self._promises():
            facts.leaks += leaks
        if not has_steps or leaks:
            warn_of_encoders(columns, self.strict)
        options = self._options()
        kept = [texts_to(facts.private), text_to(facts.leak)]
        options.private_bounds, options.private_bounds_count = kept[0][0], len(facts.private)
        if self._promises() and facts.leak:
            options.leak = kept[1]
            warnings.warn('NOT PRIVATE: read off the records and not paid for: %s. Give it as public knowledge (bounds, categories, '
                          'classes, or a schema, which Schema.propose proposes) for a guarantee.' % facts.leak, PrivacyLeakWarning, stacklevel=3)
        if self.random_state is not None:
            options.reproducible_noise, options.seed = True, _seed(self.random_state)
            if self._promises():
                warnings.warn('NOT PRIVATE: random_state makes the noise predictable. Use it for tests alone. (BaggingClassifier, AdaBoostClassifier and '
                              'their like set it in what they fit.)', PrivacyLeakWarning, stacklevel=3)
        weights = getattr(self, '_class_weights', None)
        kept.append(None if weights is None else ffi.new('double[]', weights))
        if weights is not None:
            options.class_weights, options.class_weight_count = kept[-1], len(weights)
        if weights_of_records is not None:
            options.record_weights = ffi.from_buffer('double[]', weights_of_records)
            options.record_weight_count = len(weights_of_records)
        ledger = ledger_of(self.ledger)
        table = _frames.Table(schema, columns, label, exposure=getattr(self, '_exposure', None))
        LOG.info('fit of %s: method %s, mode %s, epsilon %g, delta %g, %d features', schema.label.name, self.method, self.mode, options.epsilon,
                 options.delta, len(schema.features))
        with ledger._lock if ledger else contextlib.nullcontext(), Steps('fit', self.progress, self.verbose) as steps, \
                Interrupts(steps, self.strict) as interrupts:
            options.ledger = ffi.NULL if ledger is None else ledger._open()
            options.of_program = True
            options.progress, options.remark, options.user = lib.hedgerow_progress, lib.hedgerow_remark, interrupts.handle
            self.model_ = self._made(table, options)
        LOG.info('fit of %s: done, %r', schema.label.name, self.model_)

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
    def releases_(self) -> Releases:
        """All noisy answers that the model was built from, with what each cost."""
        check_is_fitted(self)
        return self.model_.releases

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Of the columns that `fit` was given, in their order; 0 of one that is no feature: `Model.weighted_importance`, which the report has, too. From the published
        model alone: no records are needed. The sum is 1, or 0 if no tree has a split."""
        check_is_fitted(self)
        if not hasattr(self, 'feature_names_in_'):
            return self.model_.weighted_importance
        schema, parts = self.model_.schema, self.model_.weighted_importance
        importance = dict(zip([column.name for column in schema.features], parts))
        importance.update({column.name: float(parts[column.features].sum()) for column in table_columns(schema)})
        return np.array([importance.get(str(name).strip(), 0.) for name in self.feature_names_in_])

    def plan(self, n: int) -> dict[str, float | str]:
        """What a fit on about n records would do, from the parameters alone: nothing is read or spent.

        Keys are the fields of hr_plan_info in the C API: rounds, shares of the budget, noise. Without a schema it is for two classes and
        numeric features. Fails: BudgetError (epsilon is too small; of n records noise may hide the label, whose bounds are not given),
        ArgumentError (the method has no plan)."""
        schema = self._given_schema()
        if schema is None:
            self._plan_bounds(n)
        info = ffi.new('hr_plan_info *')
        call(lib.hr_fit_plan, self._options(), float(n), ffi.NULL if schema is None else schema._at, info)
        return {name: text_of(info.leaf_figure) if name == 'leaf_figure' else getattr(info, name) for name, _ in ffi.typeof('hr_plan_info').fields}

    def _plan_bounds(self, n: int) -> None:
        """Fails: BudgetError (noise may hide what a fit cannot do without)."""

    def _outputs(self, X: Any, exposure: Any = None, rate: bool = False) -> NDArray[np.float64]:
        check_is_fitted(self)
        columns = self._columns(X, reset=False)
        if not hasattr(self, 'feature_names_in_'):  # fitted on columns by their position
            columns = _frames.Columns(columns.items, False)
        return self.model_.predict(columns, threads_of(self.n_jobs), self.unknown, self.strict, exposure, rate)

    def predictor(self) -> Predictor:
        """What predicts one record at a time, with the results of `predict` and `predict_proba`."""
        check_is_fitted(self)
        return Predictor(self.model_, getattr(self, 'classes_', None), getattr(self, 'feature_names_in_', ()), getattr(self, '_order', None),
                         self.unknown)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.non_deterministic = True  # noise is not drawn from random_state unless that is given
        return tags


def _is_frame(X: Any) -> bool:
    return (hasattr(X, 'iloc') and hasattr(X, 'columns')) or hasattr(X, '__arrow_c_stream__')


def _without(X: Any, name: str | None) -> Any:
    """A frame with the names of X but this one."""
    if hasattr(X, 'iloc'):
        return X.iloc[:0, [i for i, other in enumerate(X.columns) if str(other).strip() != name]]
    return X.drop([name]) if hasattr(X, 'drop') else X


def _seed(random_state: Any) -> int:
    if isinstance(random_state, Integral):
        return int(random_state) & (2 ** 64 - 1)
    return int(random_state.randint(2 ** 31 - 1))


class HedgerowClassifier(ClassifierMixin, HedgerowEstimator):  # type: ignore[misc]
    """Classes from private trees.

    method: 'hedge', or another of `hedgerow.methods()`. mode: 'sound' (the guarantee is proved) or 'paper' (as published: NOT PRIVATE).
    epsilon, delta: the budget of a fit, for adding or removing one record. delta=None is the method's default.
    schema: a `Schema` or the path of one; or else public facts:
        bounds: {column: (low, high)}, or (low, high) for all numbers. What has none gets private bounds, for a part of the budget.
            'data' reads them off the records: NOT PRIVATE.
        categories: {column: [values]}, for columns of texts and categories; 'declared' takes the lists of polars' Enum, and refuses other
            categorical types, whose lists may be made of the records as `astype('category')` does. None: they are read off: NOT PRIVATE.
        classes: the values of the label, in any order; classes_ has them ascending. Booleans need none. Else: NOT PRIVATE. In an estimator
            that numbers the labels before it fits, such as VotingClassifier, they may be these or the numbers (docs/how-to/python.md).
        Columns may be named by position if X has no names.
    monotonic_cst: as in scikit-learn, {column: direction} or a direction for every column of X: 1, the probability of classes_[1] (a regressor: the
        number) never falls as the column rises and the others stay; -1: it never rises; 0: either. Of numbers, for hedge, at no cost. A schema has
        'monotone' in its place (docs/explanation/hedge.md, Monotone features).
    class_weights: {class: number}, public; a class that is not named counts 1. For hedge, dpboost, inprivate, diprime, dp-ert and dp-df. 'balanced' would read frequencies off
        the records: refused.
    ledger: a `Ledger` or its path: the fit is charged there before noise is drawn, and refused if the rest does not cover it.
    interactions: features that a tree may split by together, for hedge: None or 'all': any; 'pairs': at most two; 'none': one, so that the model is a
        sum of one curve a feature, which its report shows whole; or lists of names, such as [['age', 'dose'], ['x', 'y', 'z']]: those of one list.
    options: {name: value} of the method, such as {'bins': 32} (`hedgerow.methods()` lists what each method has); None: its defaults. A grid goes over
        one as options__bins.
    unit: without a schema, whose the records are: 'record' (each person has one, which the guarantee says), or the column of X that names the
        person of each record, which is then no feature.
    records_per_person: where there is such a column, train on at most so many records of each person; for every method. None: each
        record of a person counts a part, which hedge, dpboost, inprivate, diprime, dp-ert, dp-df, survival-curve and statistics can.
    n_jobs: threads, -1 for all processors; the model does not depend on it. progress: called as progress(done, total) during a fit.
    verbose: 1 shows the progress of a fit, by tqdm where it is installed; 0 does not. The logger 'hedgerow' gets lines in any case.
    random_state: noise from a seed, for tests: NOT PRIVATE.
    unknown: what `predict` does with categories that the schema does not list: 'error', or 'missing': they are read as missing, and an
        UnknownCategoryWarning counts them by column. `fit` refuses them in either case.
    strict: True makes errors of the warnings about the table and its schema (`MisfitWarning`, `ReviewWarning`, `PrivacyLeakWarning` of encoders and
        marks), before anything is spent, and of misfits at predict.

    Attributes: model_ (`Model`), classes_, n_features_in_, feature_names_in_, guarantee_, releases_, feature_importances_."""

    def __init__(self, method: str = 'hedge', *, epsilon: float = 1.0, delta: float | None = None, mode: str = 'sound',
                 schema: Schema | str | os.PathLike[str] | None = None, bounds: Any = None, categories: Any = None, classes: Any = None,
                 monotonic_cst: Any = None, class_weights: dict[Any, float] | None = None, ledger: Ledger | str | os.PathLike[str] | None = None,
                 options: dict[str, Any] | None = None, interactions: Any = None,
                 unit: str = 'record', records_per_person: int | None = None, n_jobs: int | None = None, progress: Callable[[int, int], Any] | None = None,
                 random_state: Any = None, unknown: str = 'error', strict: bool = False, verbose: int = 0) -> None:
        self.method, self.epsilon, self.delta, self.mode = method, epsilon, delta, mode
        self.schema, self.bounds, self.categories, self.classes = schema, bounds, categories, classes
        self.monotonic_cst, self.class_weights = monotonic_cst, class_weights
        self.ledger = ledger
        self.options = options
        self.interactions = interactions
        self.unit, self.records_per_person = unit, records_per_person
        self.n_jobs, self.progress, self.random_state = n_jobs, progress, random_state
        self.unknown, self.strict, self.verbose = unknown, strict, verbose

    _order: NDArray[np.int64] | None = None  # of the model's classes, to be ascending; None: they are

    def fit(self, X: Any, y: Any, **weights: Any) -> HedgerowClassifier:
        """X: rows x features, NaN is missing. y: one class a row. sample_weight: for each row a number from 0 to 1, which must be a function of that
        record alone (docs/how-to/python.md). Spends: epsilon and delta. Fails: ValueError (and subclasses: nothing was spent), BudgetError,
        PolicyError, TypeError (another keyword)."""
        self._options()
        columns, facts = self._columns(X, reset=True), Facts()
        name = label_name(y, [column.name for column in columns.items])
        y = _target(y, columns.rows)
        found, inverse = _distinct(y)
        check_classification_targets(y)
        schema = self._given_schema()
        if schema is not None and not schema.label.is_category:
            raise SchemaError('The schema has a number as its label; use HedgerowRegressor.')
        of_records = record_weights(weights, columns.rows)
        counted = found if of_records is None else found[np.unique(inverse[of_records > 0])]
        listed = [*schema.label.values] if schema else self._listed(found, counted, facts)
        encoded = _is_encoded(found, listed)
        codes = _ascending(listed).astype(np.float64)[inverse] if encoded else _class_codes(schema, y, listed)
        classes = _classes_of(listed, y.dtype)
        order = _ascending(listed if encoded else list(classes))
        if schema is None:
            values = tuple(_frames.text_of_value(value) for value in listed)
            directions = self.monotonic_cst if order[0] == 0 else negated(self.monotonic_cst)  # a score is that of the class listed last
            schema = self._schema_of(columns, Column(name, values=values), facts, directions)
        self._class_weights = _weights_of(self.class_weights, listed)
        self._train(schema, columns, codes, facts, of_records)
        self.classes_ = found if encoded else classes[order]
        self._order = None if list(order) == list(range(len(order))) else order
        return self

    def _listed(self, found: NDArray[Any], counted: NDArray[Any], facts: Facts) -> list[Any]:
        """counted: the classes of records that weigh something."""
        if self.classes is not None:
            return list(self.classes)
        if found.dtype == bool:
            return [False, True]
        facts.leaks.append('classes of the label')
        if len(counted) < 2:
            weighed = ' whose sample_weight is above 0' if len(counted) < len(found) else ''
            raise ValueError('Classifier needs samples of at least 2 classes in the data, but the data contains only one class%s: %r' %
                             (weighed, counted.tolist()))
        return list(found)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # at epsilon 1 on the few hundred records of scikit-learn's checks
        return tags

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """rows x classes, in the order of classes_; each row's sum is 1."""
        outputs = self._outputs(X)
        return outputs if self._order is None else outputs[:, self._order]

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """The logarithm of predict_proba, finite."""
        logarithms: NDArray[np.float64] = np.log(np.maximum(self.predict_proba(X), np.finfo(np.float64).tiny))
        return logarithms

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Of two classes the log-odds of classes_[1], one a row: above 0 where `predict` says that class. Of more, predict_log_proba."""
        scores = self.predict_log_proba(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row."""
        most = np.argmax(self.predict_proba(X), axis=1)
        predicted: NDArray[Any] = self.classes_[most]
        return predicted


def _refuse_fractions(y: NDArray[np.float64]) -> None:
    fractions = y[np.isfinite(y) & (y != np.floor(y))]
    if len(fractions):
        raise ArgumentError('%d of the labels are no whole numbers, such as %g, and a count is one: round them, or leave counts out.' % (
            len(fractions), fractions[0]))


class HedgerowRegressor(RegressorMixin, HedgerowEstimator):  # type: ignore[misc]
    """Numbers from private trees. Parameters are those of `HedgerowClassifier`, but for classes; and

    label_bounds: (low, high), public: noise is proportional to their distance, and predictions are within them. None: private bounds,
        for a part of the budget. 'data' reads them off the records: NOT PRIVATE.
    counts: y are counts, whose means are learned by the Poisson deviance: label_bounds are whole numbers, such as (0, 40). For hedge.
    quantiles: which quantiles of y are learned in the place of its mean, increasing, such as (0.1, 0.5, 0.9): `predict` gives the one nearest to the
        median, `predict_quantiles` all. For hedge.
    conformal: what part of y the interval between two of these quantiles is to cover, such as 0.8 between 0.1 and 0.9: a fifth of the records, or of
        the persons, is held out, and corrects it at no further cost, so that on average it covers this part less what noise takes away. None: it is
        left as it is (docs/explanation/hedge.md, Intervals whose coverage is promised)."""

    def __init__(self, method: str = 'hedge', *, epsilon: float = 1.0, delta: float | None = None, mode: str = 'sound',
                 schema: Schema | str | os.PathLike[str] | None = None, bounds: Any = None, categories: Any = None,
                 label_bounds: Any = None, counts: bool = False, quantiles: Any = None, conformal: float | None = None, monotonic_cst: Any = None,
                 ledger: Ledger | str | os.PathLike[str] | None = None,
                 options: dict[str, Any] | None = None, interactions: Any = None, unit: str = 'record', records_per_person: int | None = None,
                 n_jobs: int | None = None, progress: Callable[[int, int], Any] | None = None, random_state: Any = None, unknown: str = 'error',
                 strict: bool = False, verbose: int = 0) -> None:
        self.method, self.epsilon, self.delta, self.mode = method, epsilon, delta, mode
        self.schema, self.bounds, self.categories, self.label_bounds = schema, bounds, categories, label_bounds
        self.counts, self.quantiles, self.conformal, self.monotonic_cst = counts, quantiles, conformal, monotonic_cst
        self.ledger = ledger
        self.options = options
        self.interactions = interactions
        self.unit, self.records_per_person = unit, records_per_person
        self.n_jobs, self.progress, self.random_state = n_jobs, progress, random_state
        self.unknown, self.strict, self.verbose = unknown, strict, verbose

    def fit(self, X: Any, y: Any, **weights: Any) -> HedgerowRegressor:
        """X: rows x features, NaN is missing. y: one number a row. exposure: of counts whose schema names one, that of each record; None: X
        has it as a column. sample_weight, Spends and
        Fails: as HedgerowClassifier.fit."""
        self._options()
        columns, facts = self._columns(X, reset=True), Facts()
        name = label_name(y, [column.name for column in columns.items])
        schema = self._given_schema()
        y = _numbers_target(_target(y, columns.rows), schema)
        if schema is None:
            schema = self._schema_of(columns, self._label(y, facts, name), facts, self.monotonic_cst)
        elif schema.label.is_category:
            raise SchemaError('The schema has classes as its label; use HedgerowClassifier.')
        elif self.counts and not schema.label.count:
            raise SchemaError('The label of the schema is no count: write "kind: count" in it, or leave counts out.')
        elif self.quantiles is not None and tuple(self.quantiles) != schema.label.quantiles:
            raise SchemaError('The label of the schema has %s: write the same there, or leave quantiles out.' %
                              ('the quantiles %s' % list(schema.label.quantiles) if schema.label.quantiles else 'no key "quantiles"'))
        if schema.label.count:
            _refuse_fractions(y)
        self._exposure = exposures_of(weights.pop('exposure', None), schema.exposure, columns)
        try:
            self._train(schema, columns, y, facts, record_weights(weights, columns.rows))
        finally:
            del self._exposure
        return self

    def _plan_bounds(self, n: int) -> None:
        if self.label_bounds is not None or not self._promises():
            return
        private = ['label', 'feature'] if self.bounds is None else ['label']
        schema, options = Schema.build(Column('label', -WIDE, WIDE), [Column('feature', -WIDE, WIDE)], 'record'), self._options()
        kept = texts_to(private)
        options.private_bounds, options.private_bounds_count = kept[0], len(private)
        call(lib.hr_fit_plan, options, float(n), schema._at, ffi.new('hr_plan_info *'))

    def _checked_quantiles(self) -> tuple[float, ...]:
        try:
            quantiles = tuple(float(quantile) for quantile in self.quantiles)
        except (TypeError, ValueError):
            quantiles = ()
        if not quantiles or isinstance(self.quantiles, str):
            raise ArgumentError('quantiles is a list of numbers, such as [0.1, 0.5, 0.9], not %r.' % (self.quantiles,))
        return quantiles

    def _label(self, y: NDArray[np.float64], facts: Facts, name: str = 'label') -> Column:
        pair = self.label_bounds
        quantiles = () if self.quantiles is None else self._checked_quantiles()
        if self.counts and (pair is None or isinstance(pair, str)):
            raise ArgumentError('Counts need public bounds: give label_bounds, such as (0, 40).')
        if pair is None and self._promises():
            facts.private.append(name)
            return Column(name, -WIDE, WIDE, quantiles=quantiles)
        if pair is None or (isinstance(pair, str) and pair == 'data'):
            facts.leaks.append('bounds of the label')
            low, high = float(y.min()), float(y.max())
            return Column(name, low, high if high > low else low + 1, quantiles=quantiles)
        low, high = checked_pair(pair, 'the label')
        return Column(name, low, high, integer=self.counts, count=self.counts, quantiles=quantiles)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # at epsilon 1 on the few hundred records of scikit-learn's checks
        return tags

    def predict(self, X: Any, exposure: Any = None, rate: bool = False) -> NDArray[np.float64]:
        """A number for each row, within the label's bounds: the mean; of quantiles the one nearest to the median. exposure, rate: as in `Model.predict`."""
        outputs = self._outputs(X, exposure, rate)
        label = self.model_.schema.label
        return outputs[:, middle_quantile(label) if label.quantiles else 0]

    def predict_quantiles(self, X: Any) -> NDArray[np.float64]:
        """rows x quantiles, increasing along each row. Fails: ArgumentError (the model has none)."""
        outputs = self._outputs(X)
        if not self.model_.schema.label.quantiles:
            raise ArgumentError('The model predicts a mean: give quantiles to HedgerowRegressor, or to the label of the schema.')
        return outputs
