"""What scikit-learn 1.6 made functions and what were methods of its estimators before."""
from typing import Any, Callable

from sklearn.utils import validation


def _validate_by_method(estimator: Any, X: Any, ensure_all_finite: Any, **options: Any) -> Any:
    return estimator._validate_data(X, force_all_finite=ensure_all_finite, **options)


def _check_names_by_method(estimator: Any, X: Any, *, reset: bool) -> None:
    estimator._check_feature_names(X, reset=reset)


validate_data: Callable[..., Any] = getattr(validation, 'validate_data', _validate_by_method)
check_feature_names: Callable[..., None] = getattr(validation, '_check_feature_names', _check_names_by_method)
