"""Decision-tree ensembles with privacy guarantees that are theorems.

    from hedgerow import HedgerowClassifier
    model = HedgerowClassifier(epsilon=1, bounds={'age': (18, 105)}, classes=['no', 'yes']).fit(X, y)
    print(model.guarantee_.statement)
"""
from ._native import ffi, lib, text_of
from .errors import (AbsentError, ArgumentError, BudgetError, FileError, FormatError, HedgerowError, HedgerowWarning, LimitError, MisfitWarning,
                     PolicyError, PrivacyLeakWarning, ReviewWarning, SchemaError, SuspectModelWarning, UnknownCategoryWarning)
from .estimators import HedgerowClassifier, HedgerowRegressor
from .explain import Axis, Shap, Shape, Shapes
from .federation import simulate
from .generate import generate_hospital
from .ledger import Entry, Ledger, LedgerLeftBehind
from .model import Guarantee, Model, Release, Releases
from ._report import report
from .predictor import Predictor
from .schema import Column, Fact, Schema
from .evaluation import evaluate, Evaluation, Figure
from .search import PrivateSearchCV
from ._search_cost import check_search, search_cost
from .pipeline import private_pipeline, PublicEncoder, PublicScaler

__version__ = text_of(lib.hr_version())
# Types of this package that files of skops name: what `trusted` of skops.io.load and `skops_trusted_types` of mlflow take.
SKOPS_TYPES = [kind.__module__ + '.' + kind.__name__ for kind in
               (HedgerowClassifier, HedgerowRegressor, PrivateSearchCV, PublicEncoder, PublicScaler, Ledger, LedgerLeftBehind, Model, Predictor, Schema)]

__all__ = ['AbsentError', 'ArgumentError', 'Axis', 'BudgetError', 'Column', 'Entry', 'Evaluation', 'Fact', 'Figure', 'FileError', 'FormatError',
           'Guarantee', 'HedgerowClassifier', 'HedgerowError', 'HedgerowRegressor', 'HedgerowWarning', 'Ledger', 'LimitError', 'MisfitWarning',
           'Model', 'PolicyError', 'Predictor', 'PrivacyLeakWarning', 'PrivateSearchCV', 'PublicEncoder', 'PublicScaler', 'Release', 'Releases',
           'ReviewWarning', 'SKOPS_TYPES', 'Schema', 'SchemaError', 'Shap', 'Shape', 'Shapes', 'SuspectModelWarning', 'UnknownCategoryWarning', 'check_search', 'evaluate',
           'generate_hospital', 'methods', 'private_pipeline', 'report', 'search_cost', 'simulate']


def methods() -> dict[str, dict[str, str]]:
    """Every method by name: its options, and the range of each as text."""
    found: dict[str, dict[str, str]] = {}
    option = ffi.new('hr_option_info *')
    for i in range(lib.hr_method_count()):
        method, ranges, k = lib.hr_method_at(i), {}, 0
        while lib.hr_method_option(method, k, option):
            ranges[text_of(option.name)] = text_of(option.range)
            k += 1
        found[text_of(method.name)] = ranges
    return found
