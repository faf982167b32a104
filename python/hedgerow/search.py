"""Choosing an estimator's settings within one budget."""
from __future__ import annotations

import os
from typing import Any, Callable, Mapping, Sequence

from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.model_selection import ParameterGrid
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from . import _frames
from ._native import call, ffi, lib
from .errors import ArgumentError
from .estimators import HedgerowEstimator
from .ledger import Ledger
from .model import Guarantee, Model, Release

# What belongs to the search, or to the table that all settings share.
SHARED = ('epsilon', 'delta', 'ledger', 'mode', 'schema', 'bounds', 'categories', 'classes', 'label_bounds', 'monotonic_cst', 'class_weights', 'unit',
          'records_per_person', 'progress', 'random_state', 'n_jobs', 'unknown', 'strict', 'verbose')
# Fields of hr_fit_options that a setting has by itself; all others tell of the table, and of what is to become of it.
OF_METHODS = ('size', 'method', 'mode', 'epsilon', 'delta', 'trees', 'depth', 'bins', 'learning_rate', 'lambda', 'loss', 'edges', 'gradient_bound',
              'bin_share', 'leaf_share', 'count_share', 'by_name', 'interactions')


def _best_has(name: str) -> Callable[[Any], bool]:
    return lambda search: hasattr(getattr(search, 'best_estimator_', search.estimator), name)


class PrivateSearchCV(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """The best of several settings, and a model trained with it: the guarantee, and what the ledger is charged, is of all of it.

    No folds are used, whatever the name is known for: every setting trains once on all records, for its part of `share` of the budget; one is chosen by a
    private choice of how well these models predict the records (docs/explanation/tuning.md); a model is trained with it for the rest. A default that
    is good as it is needs no search, and loses `share` of the budget by one.

    estimator: a `HedgerowClassifier` or `HedgerowRegressor`; its own epsilon, delta and ledger are not looked at.
    grid: {parameter: [values]}, or a list of such: `method`, or anything that a method takes, by its name ('trees', 'depth', 'learning_rate', 'edges',
        'loss', ...). 2 to 64 settings; with delta above 0 of methods that count in one measure.
    epsilon, delta: of the whole search; delta=None is that of the estimator's method. share: part of the budget for trials and choice, 0.01 to 0.9.
    ledger: a `Ledger` or its path: charged with epsilon and delta before the first noise.

    Attributes: best_params_, best_index_ (in the order of scikit-learn's ParameterGrid), best_estimator_ (with the model), guarantee_, releases_,
    epsilon_trial_ and epsilon_fit_ (what one trial and the last training had), n_features_in_, classes_. There are no scores: each would cost."""

    def __init__(self, estimator: Any, grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]], *, epsilon: float = 1.0,
                 delta: float | None = None, ledger: Ledger | str | os.PathLike[str] | None = None, share: float = 0.1) -> None:
        self.estimator, self.grid = estimator, grid
        self.epsilon, self.delta, self.ledger, self.share = epsilon, delta, ledger, share

    def fit(self, X: Any, y: Any) -> PrivateSearchCV:
        """Spends: epsilon and delta. Fails, with nothing spent: as a fit of each setting, and ArgumentError (the grid)."""
        if not isinstance(self.estimator, HedgerowEstimator):
            raise ArgumentError('estimator is a HedgerowClassifier or a HedgerowRegressor, not %r.' % type(self.estimator).__name__)
        settings = list(ParameterGrid(self.grid))
        best = clone(self.estimator).set_params(epsilon=self.epsilon, delta=self.delta, ledger=self.ledger)
        candidates = [_with(best, setting) for setting in settings]
        tuned = ffi.new('hr_tuned *')

        def tune(table: _frames.Table, options: Any) -> Model:
            return _tune(table, options, [candidate._options() for candidate in candidates], self.share, tuned)

        vars(best)['_made'] = tune  # in place of the one training of `fit`
        try:
            best.fit(X, y)
        finally:
            del vars(best)['_made']
        chosen = int(tuned.chosen)
        for name, value in candidates[chosen].get_params(deep=False).items():
            if name not in SHARED:
                best.set_params(**{name: value})
        self.best_index_, self.best_params_, self.best_estimator_ = chosen, settings[chosen], best
        self.epsilon_trial_, self.epsilon_fit_ = float(tuned.epsilon_trial), float(tuned.epsilon_fit)
        return self

    def predict(self, X: Any) -> Any:
        """As the best estimator does."""
        check_is_fitted(self, 'best_estimator_')
        return self.best_estimator_.predict(X)

    @available_if(_best_has('predict_proba'))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """As the best estimator does."""
        check_is_fitted(self, 'best_estimator_')
        return self.best_estimator_.predict_proba(X)

    def score(self, X: Any, y: Any) -> float:
        """Exact figures, for the owner's eyes; `hedgerow.evaluate` releases figures for a part of a budget."""
        check_is_fitted(self, 'best_estimator_')
        return float(self.best_estimator_.score(X, y))

    @property
    def guarantee_(self) -> Guarantee:
        """Of trials, choice and model together."""
        check_is_fitted(self, 'best_estimator_')
        found: Guarantee = self.best_estimator_.guarantee_
        return found

    @property
    def releases_(self) -> list[Release]:
        """All noisy answers of trials, choice and model."""
        check_is_fitted(self, 'best_estimator_')
        found: list[Release] = self.best_estimator_.releases_
        return found

    @property
    def n_features_in_(self) -> int:
        """Of the table that `fit` was given."""
        check_is_fitted(self, 'best_estimator_')
        return int(self.best_estimator_.n_features_in_)

    @property
    def classes_(self) -> Any:
        """Of a classifier."""
        check_is_fitted(self, 'best_estimator_')
        return self.best_estimator_.classes_

    def __sklearn_tags__(self) -> Any:
        return self.estimator.__sklearn_tags__()


def _with(estimator: HedgerowEstimator, setting: Mapping[str, Any]) -> HedgerowEstimator:
    """Names that are no parameters are options of the method, with `options__` before them or not. Fails: ArgumentError (a parameter that all settings
    share)."""
    setting = {name.removeprefix('options__'): value for name, value in setting.items()}
    shared = sorted(set(setting) & set(SHARED))
    if shared:
        raise ArgumentError('The grid has %s, which all settings share; set it on the estimator or on the search.' % ', '.join(shared))
    parameters = estimator.get_params(deep=False)
    own = {name: value for name, value in setting.items() if name in parameters}
    options = {name: value for name, value in setting.items() if name not in parameters}
    if options:
        own['options'] = {**(own.get('options', estimator.options) or {}), **options}
    made: HedgerowEstimator = clone(estimator).set_params(**own)
    return made


def _tune(table: _frames.Table, options: Any, settings: list[Any], share: float, tuned: Any) -> Model:
    """options: what the fit would have had, with the facts that all settings share."""
    of_table = [name for name, _ in ffi.typeof('hr_fit_options').fields if name not in OF_METHODS]
    for setting in settings:
        for name in of_table:
            setattr(setting, name, getattr(options, name))
    tuning = ffi.new('hr_tune_options *', {'size': ffi.sizeof('hr_tune_options'), 'epsilon': options.epsilon, 'delta': options.delta, 'share': share,
                                           'ledger': options.ledger, 'progress': options.progress, 'user': options.user})
    list_of = ffi.new('hr_fit_options *[]', settings)
    call(lib.hr_tune, table.at, list_of, len(settings), tuning, tuned)
    return Model(ffi.gc(tuned.model, lib.hr_model_free))
