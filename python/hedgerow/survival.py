"""Times to an event, with scikit-learn's conventions and the labels of scikit-survival."""
from __future__ import annotations

import os
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ._guess import Facts
from ._labels import events_of
from ._native import call, ffi, lib
from ._parameters import record_weights
from .errors import ArgumentError, SchemaError
from .estimators import HedgerowEstimator
from .ledger import Ledger
from .schema import Column, Schema, cuts_of


@dataclass(frozen=True)
class SurvivalGroup:
    """Records of similar predictions: how many, their weight together, the mean predicted survival, and Kaplan and Meier's estimate of it, which is NaN where
    all follow-ups end before."""
    count: int
    weight: float
    predicted: float
    observed: float


class HedgerowSurvival(HedgerowEstimator):
    """Times to an event, of which some are censored, from private trees: the hazard of each of several intervals.

    intervals: the public cuts at which they end, ascending from above 0, such as (30, 90, 365). Or {'quantiles': 8, 'high': 1825}:
        8 intervals of about equal numbers of events up to the public time 1825, whose cuts the fit releases for 5 % of its budget. Not needed with a schema,
        whose label is of the kind time.
    Other parameters are those of `HedgerowClassifier`, but for classes. method='survival-curve' learns the curve of all records, with bands
        (`curves_`), and with options={'group': 'sex'} that of each value of a category, for the same budget.

    Attributes: times_ (the cuts), curves_ (of survival-curve: a list of `SurvivalCurve`; else empty), model_ (`Model`), n_features_in_, feature_names_in_, guarantee_, releases_, feature_importances_."""

    def __init__(self, method: str = 'hedge', *, intervals: Sequence[float] | Mapping[str, float] | None = None, epsilon: float = 1.0, delta: float | None = None,
                 mode: str = 'sound', schema: Schema | str | os.PathLike[str] | None = None, bounds: Any = None, categories: Any = None,
                 ledger: Ledger | str | os.PathLike[str] | None = None, options: dict[str, Any] | None = None, interactions: Any = None, unit: str = 'record',
                 records_per_person: int | None = None, n_jobs: int | None = None, progress: Callable[[int, int], Any] | None = None,
                 random_state: Any = None, unknown: str = 'error', strict: bool = False, verbose: int = 0) -> None:
        self.method, self.epsilon, self.delta, self.mode = method, epsilon, delta, mode
        self.intervals = intervals
        self.schema, self.bounds, self.categories = schema, bounds, categories
        self.ledger = ledger
        self.options = options
        self.interactions = interactions
        self.unit, self.records_per_person = unit, records_per_person
        self.n_jobs, self.progress, self.random_state = n_jobs, progress, random_state
        self.unknown, self.strict, self.verbose = unknown, strict, verbose

    def fit(self, X: Any, y: Any, **weights: Any) -> HedgerowSurvival:
        """X: rows x features, NaN is missing. y: for each row whether the event came, and the time when it came or until which it had not: a
        structured array of a truth value and a number, as scikit-survival has it, or two columns in this order. sample_weight, Spends and
        Fails: as HedgerowClassifier.fit."""
        self._options()
        columns, facts = self._columns(X, reset=True), Facts()
        event, time = events_of(y, columns.rows)
        schema = self._given_schema()
        if schema is None and self.intervals is None:
            raise ArgumentError('Times to an event need public cuts between intervals: give intervals, such as (30, 90, 365).')
        if schema is None:
            cuts = self.intervals if isinstance(self.intervals, Mapping) else cuts_of('time', self.intervals)
            names = [column.name for column in columns.items]
            label = Column(free_name('time', names), event=free_name('event', names), intervals=cuts)
            schema = self._schema_of(columns, label, facts, None)
        elif schema.label.event is None:
            raise SchemaError("The label of the schema is no time: write 'kind: time' in it.")
        elif self.intervals is not None:
            raise ArgumentError('The schema has the intervals: leave intervals out.')
        self._train(schema, columns, np.where(event, time, -time), facts, record_weights(weights, columns.rows))
        self.times_ = np.array(self.model_.schema.label.intervals)
        self.curves_ = self.model_.survival_curves
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The risk of each row, the sum over times_ of its cumulative hazards: the larger, the sooner is the event expected."""
        return self._outputs(X)[:, -1]

    def predict_survival_function(self, X: Any) -> NDArray[np.float64]:
        """rows x times_: the probability that no event came until then."""
        return self._outputs(X)[:, :-3]

    def predict_cumulative_hazard_function(self, X: Any) -> NDArray[np.float64]:
        """rows x times_: minus the logarithm of `predict_survival_function`, finite."""
        hazards: NDArray[np.float64] = -np.log(np.maximum(self.predict_survival_function(X), np.finfo(np.float64).tiny))
        return hazards

    def predict_median(self, X: Any) -> NDArray[np.float64]:
        """The time at which half of such records survive, linear between times_; infinite if more than half survive the last."""
        return self._outputs(X)[:, -3]

    def predict_mean(self, X: Any) -> NDArray[np.float64]:
        """The mean time of each row up to the last of times_."""
        return self._outputs(X)[:, -2]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Harrell's concordance of the predicted risks; 1/2 is guessing, 1 is best. sample_weight: for each row a number from 0 on. Exact: for the owner's eyes."""
        risk = self.predict(X)
        return Followed(*events_of(y, len(risk)), sample_weight).concordance(risk)

    def brier_scores(self, X: Any, y: Any, sample_weight: Any = None) -> NDArray[np.float64]:
        """At each of times_ the mean square of predicted survival less whether the record survived, weighed by the inverse probability of being followed so
        long (Graf and others); 0 is best. NaN: nobody is followed so long. Exact: for the owner's eyes."""
        survival = self.predict_survival_function(X)
        return Followed(*events_of(y, len(survival)), sample_weight).brier_scores(self.times_, survival)

    def calibration(self, X: Any, y: Any, horizon: float | None = None, groups: int = 10, sample_weight: Any = None) -> list[SurvivalGroup]:
        """Predicted survival until the horizon, one of times_ (None: the last), beside observed one, in groups of about equal numbers of rows from the lowest
        prediction to the highest; rows of equal predictions stay together. Exact: for the owner's eyes. Fails: ArgumentError (no such cut, or no group)."""
        survival = self.predict_survival_function(X)
        found = np.flatnonzero(self.times_ == (self.times_[-1] if horizon is None else horizon))
        if not len(found):
            raise ArgumentError('The model says nothing of survival until %r: the horizon is one of %r.' % (horizon, self.times_.tolist()))
        if not isinstance(groups, Integral) or groups < 1:
            raise ArgumentError('groups is a whole number from 1 on, not %r.' % (groups,))
        return Followed(*events_of(y, len(survival)), sample_weight).calibration(self.times_, survival, int(found[0]), int(groups))


def free_name(name: str, names: list[str]) -> str:
    while name in names:
        name += '_'
    return name


class Followed:
    """Records as the library's figures of times take them. Each figure is exact: for the owner's eyes.

    Fails: ValueError (weights that are not one a record)."""

    def __init__(self, event: NDArray[np.bool_], time: NDArray[np.float64], sample_weight: Any = None) -> None:
        weights = np.ones(len(time)) if sample_weight is None else np.ascontiguousarray(sample_weight, dtype=np.float64)
        if weights.shape != (len(time),):
            raise ValueError('sample_weight has one number for each of the %d records, not the shape %r.' % (len(time), weights.shape))
        self._arrays = np.ascontiguousarray(event, dtype=np.uint8), np.ascontiguousarray(time, dtype=np.float64), weights
        events, times, _ = self._arrays
        self.at = ffi.new('hr_followed_records *', {
            'count': len(times), 'times': _numbers(times), 'events': ffi.from_buffer('uint8_t[]', events), 'weights': _numbers(weights)})

    def concordance(self, risk: NDArray[np.float64]) -> float:
        """Harrell's. NaN: it is not known of any two records whose event came first."""
        out = ffi.new('double *')
        call(lib.hr_concordance, self.at, _numbers(np.ascontiguousarray(risk, dtype=np.float64)), out)
        return float(out[0])

    def brier_scores(self, times: NDArray[np.float64], survival: NDArray[np.float64]) -> NDArray[np.float64]:
        curves, out = Curves(times, survival), np.empty(len(times))
        call(lib.hr_brier_scores, self.at, curves.at, _numbers(out))
        return out

    def calibration(self, times: NDArray[np.float64], survival: NDArray[np.float64], cut: int, groups: int) -> list[SurvivalGroup]:
        curves, out = Curves(times, survival), ffi.new('hr_survival_group[]', groups)
        call(lib.hr_survival_calibration, self.at, curves.at, cut, groups, out)
        return [SurvivalGroup(g.count, g.weight, g.predicted, g.observed) for g in out if g.count]


class Curves:
    """survival: rows x times."""

    def __init__(self, times: NDArray[np.float64], survival: NDArray[np.float64]) -> None:
        self._arrays = np.ascontiguousarray(times, dtype=np.float64), np.ascontiguousarray(survival, dtype=np.float64)
        self.at = ffi.new('hr_survival_curves *', {
            'cuts': _numbers(self._arrays[0]), 'cut_count': len(times), 'survival': _numbers(self._arrays[1])})


def _numbers(of: NDArray[np.float64]) -> Any:
    return ffi.from_buffer('double[]', of)
