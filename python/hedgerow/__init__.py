"""Decision-tree ensembles with privacy guarantees that are theorems.

    from hedgerow import HedgerowClassifier
    model = HedgerowClassifier(epsilon=1, bounds={'age': (18, 105)}, classes=['no', 'yes']).fit(X, y)
    print(model.guarantee_.statement)

What needs scikit-learn is imported when it is first used: to read a model and to predict takes numpy alone.
"""
import importlib
from typing import TYPE_CHECKING

from ._native import ffi, lib, text_of
from .errors import (AbsentError, ArgumentError, BudgetError, BusyError, DeclinedError, FileError, FormatError, HedgerowError, HedgerowWarning, JobError,
                     LimitError, MisfitWarning, PolicyError, PrivacyLeakWarning, ReviewWarning, SchemaError, StoppedError, SuspectModelWarning,
                     UnknownCategoryWarning)
from .explain import Axis, Shap, Shape, Shapes
from .generate import generate_hospital
from .ledger import Entry, Ledger, LedgerLeftBehind
from .model import Guarantee, Model, Release, Releases, Statistic, SurvivalCurve
from .predictor import Predictor
from .schema import Column, Fact, Schema

# Names of modules that are imported at their first use.
LATER = {'HedgerowClassifier': 'estimators', 'HedgerowRegressor': 'estimators', 'HedgerowSurvival': 'survival', 'Evaluation': 'evaluation', 'Figure': 'evaluation', 'evaluate': 'evaluation',
         'simulate': 'federation', 'Owner': 'owner', 'Service': 'owner', 'coordinate': 'coordinator', 'JobResult': 'coordinator', 'Job': '_jobs', 'jobs': '_jobs',
         'cancel_job': '_jobs', 'Carrier': '_carrier', 'JobProgress': '_work', 'PublicEncoder': 'pipeline', 'PublicScaler': 'pipeline', 'private_pipeline': 'pipeline', 'PrivateSearchCV': 'search',
         'check_search': '_search_cost', 'search_cost': '_search_cost', 'report': '_report', 'Statistics': '_statistics', 'statistics': '_statistics'}

if TYPE_CHECKING:
    from ._carrier import Carrier
    from ._jobs import Job, cancel_job, jobs
    from ._report import report
    from ._search_cost import check_search, search_cost
    from ._statistics import Statistics, statistics
    from ._work import JobProgress
    from .coordinator import JobResult, coordinate
    from .estimators import HedgerowClassifier, HedgerowRegressor
    from .evaluation import Evaluation, Figure, evaluate
    from .federation import simulate
    from .owner import Owner, Service
    from .pipeline import PublicEncoder, PublicScaler, private_pipeline
    from .search import PrivateSearchCV
    from .survival import HedgerowSurvival
else:
    def __getattr__(name: str) -> object:
        if name in LATER:
            globals()[name] = getattr(importlib.import_module('.' + LATER[name], __name__), name)
            return globals()[name]
        if name in LATER.values():
            return importlib.import_module('.' + name, __name__)
        raise AttributeError('module %r has no attribute %r' % (__name__, name), name=name)

    def __dir__() -> list[str]:
        return sorted({*globals(), *LATER, *LATER.values()})

__version__ = text_of(lib.hr_version())
# Types of this package that files of skops name: what `trusted` of skops.io.load and `skops_trusted_types` of mlflow take.
SKOPS_TYPES = ['%s.%s.%s' % (__name__, LATER[name], name) for name in
               ('HedgerowClassifier', 'HedgerowRegressor', 'HedgerowSurvival', 'PrivateSearchCV', 'PublicEncoder', 'PublicScaler')]
SKOPS_TYPES += [kind.__module__ + '.' + kind.__name__ for kind in (Ledger, LedgerLeftBehind, Model, Predictor, Schema)]

__all__ = ['AbsentError', 'ArgumentError', 'Axis', 'BudgetError', 'BusyError', 'Carrier', 'Column', 'DeclinedError', 'Entry', 'Evaluation', 'Fact', 'Figure', 'FileError', 'FormatError',
           'Guarantee', 'HedgerowClassifier', 'HedgerowError', 'HedgerowRegressor', 'HedgerowSurvival', 'HedgerowWarning', 'Job', 'JobError', 'JobProgress', 'JobResult', 'Ledger', 'LimitError', 'MisfitWarning',
           'Model', 'Owner', 'PolicyError', 'Predictor', 'PrivacyLeakWarning', 'PrivateSearchCV', 'PublicEncoder', 'PublicScaler', 'Release', 'Releases',
           'ReviewWarning', 'SKOPS_TYPES', 'Schema', 'SchemaError', 'Service', 'Shap', 'Shape', 'Shapes', 'Statistic', 'Statistics', 'StoppedError', 'SurvivalCurve', 'SuspectModelWarning', 'UnknownCategoryWarning', 'cancel_job', 'check_search', 'coordinate', 'evaluate',
           'generate_hospital', 'jobs', 'methods', 'private_pipeline', 'report', 'search_cost', 'simulate', 'statistics']


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
