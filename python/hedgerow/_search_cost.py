"""What a search over settings costs, before it begins."""
from __future__ import annotations

from decimal import Decimal
from typing import Any

from sklearn.base import clone, is_classifier
from sklearn.model_selection import GridSearchCV, ParameterGrid, RandomizedSearchCV, check_cv
from sklearn.pipeline import Pipeline

from .errors import ArgumentError, BudgetError
from .estimators import HedgerowEstimator
from .ledger import ledger_of


def search_cost(search: Any, fits: int | None = None, *, X: Any = None, y: Any = None, groups: Any = None) -> tuple[float, float]:
    """Epsilon and delta that a search spends: those of its fits add up, since all see the same records.

    search: a GridSearchCV or a RandomizedSearchCV, whose folds and settings are counted, with the refit (6 settings in 5 folds have 31 fits);
    or an estimator, or a pipeline that ends in one, with the number of fits, as of cross_val_score. X, y, groups: for a `cv` that counts its folds
    by them. Scores of a cross-validation are exact statistics of the records: neither they nor what they select is covered by any guarantee.

    Fails: ArgumentError (the number of fits is not known)."""
    costs = _costs_of_search(search, X, y, groups) if fits is None else [(_cost(search), fits)]
    sums = [sum((Decimal(repr(cost[i])) * count for cost, count in costs), Decimal(0)) for i in range(2)]
    return float(sums[0]), float(sums[1])


def check_search(search: Any, fits: int | None = None, *, X: Any = None, y: Any = None, groups: Any = None) -> tuple[float, float]:
    """What `search_cost` says, if the ledger of the estimator has so much left. Nothing is fitted or spent.

    scikit-learn tells no estimator how many fits will follow: call it before the search, which would spend what is left before it fails.
    Fails: BudgetError (the ledger has less); ArgumentError (there is no ledger, or the number of fits is not known)."""
    estimator = _trained_by(search if fits is not None else getattr(search, 'estimator', search))
    ledger = ledger_of(estimator.ledger)
    if ledger is None:
        raise ArgumentError('The estimator has no ledger, so there is no budget to compare with; give it one: ledger=...')
    cost = search_cost(search, fits, X=X, y=y, groups=groups)
    for name, needed, left in zip(('epsilon', 'delta'), cost, ledger.left):
        if needed > left * (1 + 1e-9):  # a ledger counts in units, which a sum of decimals may miss by their rounding
            raise BudgetError('The search would spend %s %.6g, and the ledger %r has %.6g left. Nothing was spent; take fewer settings or folds, '
                              'or a smaller %s a fit.' % (name, needed, ledger.path, left, name))
    return cost


def _trained_by(estimator: Any) -> HedgerowEstimator:
    last = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    if not isinstance(last, HedgerowEstimator):
        raise ArgumentError('%s is no estimator of Hedgerow, and no pipeline that ends in one: how often it fits one is not known. Give the estimator '
                            'and fits=.' % type(last).__name__)
    return last


def _cost(estimator: Any) -> tuple[float, float]:
    """Of one fit."""
    options = _trained_by(estimator)._options()
    return float(options.epsilon), float(options.delta)


def _costs_of_search(search: Any, X: Any, y: Any, groups: Any) -> list[tuple[tuple[float, float], int]]:
    """The cost of one fit, and how many there are of it."""
    settings = _settings_of(search)
    try:
        folds = check_cv(search.cv, y, classifier=is_classifier(search.estimator)).get_n_splits(X, y, groups)
    except (TypeError, ValueError) as error:
        raise ArgumentError('The folds of the search cannot be counted (%s); give X and y, or an estimator and fits=.' % error) from None
    costs = [_cost(clone(search.estimator).set_params(**clone(setting, safe=False))) for setting in settings]
    refit = [(max(costs), 1)] if search.refit else []
    return [*((cost, folds) for cost in costs), *refit]


def _settings_of(search: Any) -> list[dict[str, Any]]:
    if isinstance(search, GridSearchCV):
        return list(ParameterGrid(search.param_grid))
    if not isinstance(search, RandomizedSearchCV):
        raise ArgumentError('The number of fits of %s is not known; give the estimator and fits=.' % type(search).__name__)
    drawn = [name for setting in _as_list(search.param_distributions) for name in setting]
    if any(name.split('__')[-1] in ('epsilon', 'delta') for name in drawn):
        raise ArgumentError('The search draws epsilon or delta, so its cost is not known; give the estimator with the largest ones and fits=.')
    return [{}] * search.n_iter


def _as_list(given: Any) -> list[Any]:
    return given if isinstance(given, list) else [given]
