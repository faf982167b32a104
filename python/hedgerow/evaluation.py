"""Figures of how well a model predicts that may be published: a part of the budget of the records that they are of pays for their noise."""
from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, field
from typing import Any, Mapping

import numpy as np
from numpy.typing import NDArray

from . import _frames
from ._native import call, ffi, lib, text_of
from .errors import ArgumentError, SchemaError
from ._labels import labels_in, labels_of
from ._parameters import exposures_of
from .estimators import HedgerowEstimator
from .ledger import Ledger, ledger_of
from .model import Guarantee, Model, Release, release_of, remark_on
from .schema import Schema


@dataclass(frozen=True)
class Figure:
    """A released figure: value and noise (a standard deviation; NaN, both, if the noise is too large to tell anything), and an interval that
    holds the figure of exactly these records with probability 95 %."""
    value: float
    noise: float
    low: float
    high: float


@dataclass(frozen=True)
class Evaluation:
    """figures by name: 'records', 'error', 'auc' (two classes) and 'logloss', or 'records', 'rmse' and 'mae'; of times 'records', 'interval_concordance', 'logloss',
    'predicted', 'observed', 'predicted_1', 'observed_1' and so on; of quantiles 'records', 'pinball_q10' of each, and 'coverage', 'width' of the interval between the
    outer two, 'coverage_0.5', 'width_0.5' of intervals within it. guarantee: of the figures, for
    adding or removing one record of this table; what the model says of records that it was trained on is spent by the model. edges: of times, the predicted survival
    at which groups are divided: 'predicted_1' is of the records below the first."""
    figures: Mapping[str, Figure]
    guarantee: Guarantee
    releases: list[Release] = field(repr=False)
    edges: tuple[float, ...] = ()

    def __getitem__(self, name: str) -> Figure:
        return self.figures[name]

    def __str__(self) -> str:
        lines = ['%-8s %.6g, noise %.2g, %.6g to %.6g' % (name, f.value, f.noise, f.low, f.high) for name, f in self.figures.items()]
        return '\n'.join([*lines, self.guarantee.statement])


def evaluate(model: Model | Any, X: Any, y: Any = None, *, epsilon: float, delta: float = 0.0,
             ledger: Ledger | str | os.PathLike[str] | None = None, unit: str | None = None, threshold: float | None = None,
             costs: Any = None, threads: int = 1, exposure: Any = None) -> Evaluation:
    """Releases how well a model, or a fitted estimator, predicts: what `hedgerow evaluate --epsilon` does.

    X: a table as for `predict`. y: the labels, of times as `HedgerowSurvival.fit` takes them; or the name of a column of X that has them; None: the column that the model's label is named as.
    epsilon, delta: the budget of the figures; delta 0 is pure epsilon, else it is at most 1/records. ledger: of the records in X; a `Ledger` or its
        path; None: nothing is charged.
    unit: 'record' says that each person has one record in X; a ledger needs that, here or in the model's schema. Models that protect persons are refused.
    threshold: two classes: the second one counts as predicted if its probability exceeds this. costs: classes x classes, [truth][predicted]: the class
        of the smallest expected cost counts. None: the most probable class. exposure: as in `Model.predict`.
    Spends: epsilon and delta, reserved before noise is drawn. Fails, with nothing spent: ArgumentError, SchemaError, PolicyError, BudgetError."""
    model = getattr(model, 'best_estimator_', model)  # of a search
    if not isinstance(model, (Model, HedgerowEstimator)):
        raise ArgumentError('evaluate takes a Model or a fitted estimator, not %r.' % type(model).__name__)
    if unit not in (None, 'record'):
        raise ArgumentError("unit is 'record': the figures protect single records, and no persons with several; not %r." % (unit,))
    at = model if isinstance(model, Model) else fitted(model)
    schema = at.schema
    y = labels_in(X, y, schema)
    columns = _frames.columns_of(X) if isinstance(model, Model) else columns_for(model, X)
    table = _frames.Table(schema, columns, labels_of(schema, y, columns.rows), exposure=exposures_of(exposure, schema.exposure, columns))
    options = ffi.new('hr_evaluation_options *', {'size': ffi.sizeof('hr_evaluation_options'), 'epsilon': epsilon, 'delta': delta, 'threads': threads})
    options.single_records = unit == 'record'
    rule, kept = decision_rule(schema, threshold, costs)
    options.decision = rule
    remark_on(table, lib.HR_REMARKS_EVALUATE)
    opened = ledger_of(ledger)
    made = ffi.new('hr_evaluation *')
    with opened._lock if opened else contextlib.nullcontext():
        options.ledger = ffi.NULL if opened is None else opened._open()
        call(lib.hr_evaluate_private, at._at, table.at, options, made)
    del kept
    return evaluation_of(made)


def fitted(estimator: HedgerowEstimator) -> Model:
    """Fails: NotFittedError."""
    estimator.guarantee_  # noqa: B018 (checks that it is fitted)
    model: Model = estimator.model_
    return model


def columns_for(estimator: HedgerowEstimator, X: Any) -> _frames.Columns:
    """The features alone, as `predict` takes them. A frame may have other columns, such as the label."""
    names = getattr(estimator, 'feature_names_in_', None)
    if names is None:
        return _frames.Columns(estimator._columns(X, reset=False).items, False)
    columns = _frames.columns_of(X)
    return columns if columns.named else _frames.Columns(estimator._columns(X, reset=False).items, False)


def decision_rule(schema: Schema, threshold: float | None, costs: Any) -> tuple[Any, list[Any]]:
    """hr_decision_rule, or NULL, and what has to be kept. Fails: ArgumentError."""
    if threshold is None and costs is None:
        return ffi.NULL, []
    if threshold is not None and costs is not None:
        raise ArgumentError('Give a threshold or costs, not both.')
    rule = ffi.new('hr_decision_rule *', {'threshold': .5 if threshold is None else threshold, 'costs': ffi.NULL})
    if costs is None:
        return rule, []
    classes, matrix = len(schema.label.values), np.ascontiguousarray(costs, dtype=np.float64)
    if matrix.shape != (classes, classes):
        raise ArgumentError('costs has %d rows and columns, one a class, not the shape %r.' % (classes, matrix.shape))
    numbers = ffi.new('double[]', matrix.ravel().tolist())
    rule.costs = numbers
    return rule, [numbers]


def evaluation_of(made: Any) -> Evaluation:
    figures = {text_of(f.name): Figure(f.value, f.noise, f.low, f.high) for f in made.figures[0:made.figure_count]}
    releases = [release_of(one) for one in made.releases[0:made.release_count]]
    guarantee = Guarantee(True, made.epsilon, made.delta, made.epsilon_replace, made.delta_replace, 'one record', text_of(made.statement))
    return Evaluation(figures, guarantee, releases, tuple(made.edges[0:made.edge_count]))
