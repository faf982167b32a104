"""A trained model: its guarantee, what was released for it, and its predictions."""
from __future__ import annotations

import importlib
import os
import warnings
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _frames, _html
from ._native import Remarks, call, ffi, lib, made, spent_amount, take_text, text_of, text_to
from ._parameters import exposures_of
from .errors import ArgumentError, SuspectModelWarning, UnknownCategoryWarning
from .explain import Shap, Shapes, shap_of, shapes_of
from .predictor import Predictor
from .schema import Schema

FORMATS = {'xgboost': lib.HR_EXPORT_XGBOOST, 'lightgbm': lib.HR_EXPORT_LIGHTGBM, 'onnx': lib.HR_EXPORT_ONNX,
           'onnx-float32': lib.HR_EXPORT_ONNX_FLOAT32}


def amount(value: float) -> str:
    """An amount of epsilon or delta as all statements print it: rounded up to six digits."""
    text = ffi.new('char[]', 16)
    lib.hr_spent_text(value, text)
    return text_of(text)


@dataclass(frozen=True, repr=False)
class Guarantee:
    """What the model promises. epsilon and delta are for adding or removing what `unit` says, the other two for replacing it;
    epsilon is infinite if the model is not private, and `statement` says why. `promise` says what the numbers mean.

    `conditions` says against whom they hold, and what else must; '' means against everybody, always. Where owners added noisy sums up,
    `coalition` owners with the coordinator are what epsilon is against, `epsilon_owners` is against all other owners together and
    `epsilon_everyone` if the coordinator is with them (infinite: nothing is promised); else these are None."""
    is_private: bool
    epsilon: float
    delta: float
    epsilon_replace: float
    delta_replace: float
    unit: str
    statement: str
    promise: str = ''
    conditions: str = ''
    coalition: int | None = None
    epsilon_owners: float | None = None
    epsilon_everyone: float | None = None

    @property
    def _short(self) -> str:
        """In a few words."""
        if not self.is_private:
            return 'NOT PRIVATE'
        delta = ', delta %s' % amount(self.delta) if self.delta > 0 else ''
        return 'epsilon %s%s for adding or removing %s' % (amount(self.epsilon), delta, self.unit)

    def __repr__(self) -> str:
        return '<Guarantee: %s>' % self._short

    def _repr_html_(self) -> str:
        if not self.is_private:
            return _html.block('No guarantee', _html.note(self.statement))
        replaced = ['If one is replaced by another', 'epsilon %s%s' % (amount(self.epsilon_replace), ', delta %s' % amount(self.delta_replace) if self.delta_replace > 0 else '')]
        rows = [['Promise', self._short], replaced, *([['This holds', self.conditions]] if self.conditions else [])]
        return _html.block('Guarantee', _html.table([], rows), _html.fold('In full', _html.note(self.promise), _html.note(self.statement)))


def _guarantee_of(g: Any) -> Guarantee:
    c = g.conditions
    larger = (c.coalition, c.epsilon_owners, c.epsilon_everyone) if c.shared_noise else (None, None, None)
    return Guarantee(bool(g.is_private), g.epsilon, spent_amount(g.delta), g.epsilon_replace, spent_amount(g.delta_replace), text_of(g.unit), text_of(g.statement),
                     text_of(g.promise), text_of(c.text), *larger)


@dataclass(frozen=True)
class Release:
    """One noisy answer that the model was built from (hr_release_info in the C API)."""
    what: str
    mechanism: str
    tree: int
    level: int
    group: int
    part: int
    sensitivity: int
    scale: float
    cost: float
    draws: int
    shares: int


def release_of(one: Any) -> Release:
    return Release(text_of(one.what), text_of(one.mechanism), one.tree, one.level, one.group, one.part, one.sensitivity, one.scale, one.cost,
                   one.draws, one.shares)


@dataclass(frozen=True)
class SurvivalCurve:
    """A released survival curve. group: '' of all records, 'sex=f' or 'sex is missing' of a group. At each of `times` the probability that no event
    came until then, and the band that covers the truth with a probability of about .95; a group that noise hides has no points."""
    group: str
    times: NDArray[np.float64]
    survival: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


@dataclass(frozen=True)
class Statistic:
    """A released figure of a column (of all columns: ''), over the records of one class of the label ('': all). figure: 'records', 'missing' (a part of the
    records), 'mean', 'deviation', 'bin' or 'value' (records); of: the largest value of a bin, or the value that is counted. The interval from low to high covers
    the figure without noise with a probability of about .95."""
    column: str
    group: str
    figure: str
    of: float | str | None
    value: float
    low: float
    high: float


FIGURES = ('records', 'missing', 'mean', 'deviation', 'bin', 'value')


class Releases(list[Release]):
    """All noisy answers, in the order in which they were drawn. In a notebook it shows them by what was released."""

    def kinds(self) -> list[tuple[str, int, int, str]]:
        """By what was released, in the order of the first: how many lines, how many numbers, and how they were drawn."""
        found: dict[str, tuple[int, int, str]] = {}
        for line in self:
            lines, draws, how = found.get(line.what, (0, 0, line.mechanism))
            found[line.what] = lines + 1, draws + line.draws, how if line.mechanism in how.split(', ') else how + ', ' + line.mechanism
        return [(what, *row) for what, row in found.items()]

    def frame(self) -> Any:
        """A data frame of pandas with a row for each. Fails: ArgumentError (pandas is not installed)."""
        try:
            pandas: Any = importlib.import_module('pandas')
        except ImportError as e:
            raise ArgumentError('a data frame needs pandas (%s); pip install pandas, or use the list as it is' % e) from None
        return pandas.DataFrame([asdict(line) for line in self], columns=[field.name for field in fields(Release)])

    def __repr__(self) -> str:
        return '<%d releases: %s>' % (len(self), ', '.join('%d %s' % (lines, what) for what, lines, _, _ in self.kinds()) or 'none')

    def _repr_html_(self) -> str:
        rows = [[what, lines, draws, how] for what, lines, draws, how in self.kinds()]
        return _html.block('%d releases' % len(self), _html.table(['released', 'releases', 'noisy numbers', 'mechanism'], rows, numeric={1, 2}))


def remark_on(table: _frames.Table, use: int, strict: bool = False) -> None:
    """Remarks about a table that is to be predicted or evaluated. Fails: SchemaError (strict, and most cells of a column do not fit)."""
    with Remarks(strict) as remarks:
        options = ffi.new('hr_remark_options *', {'size': ffi.sizeof('hr_remark_options'), 'use': use,
                                                  'take': lib.hedgerow_remark, 'user': remarks.handle})
        call(lib.hr_data_remarks, table.at, options)


class Model:
    """A published model. A private one holds released values and public facts alone, and may be pickled and sent on as its guarantee says."""

    _schema: Schema | None = None  # once it was asked for

    def __init__(self, at: Any) -> None:
        self._at = at

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Model:
        """Warns (`SuspectModelWarning`) of a suspect model. Fails: FileError, FormatError."""
        model = cls(made(lib.hr_model_read, 'hr_model', lib.hr_model_free, text_to(os.fspath(path))))
        model._warn_if_suspect()
        return model

    @classmethod
    def parse(cls, json: str) -> Model:
        """The same of a text. Fails: FormatError."""
        data = json.encode()
        model = cls(made(lib.hr_model_parse, 'hr_model', lib.hr_model_free, data, len(data), text_to('the model')))
        model._warn_if_suspect()
        return model

    def _warn_if_suspect(self) -> None:
        """In the name of who calls the function that calls this."""
        if self.suspect:
            warnings.warn(SuspectModelWarning(self.suspect), stacklevel=3)

    def write(self, path: str | os.PathLike[str]) -> None:
        """The file appears whole or not at all. One whose name ends in '.gz' is compressed by gzip; `read` takes either. Fails: FileError."""
        call(lib.hr_model_write, self._at, text_to(os.fspath(path)))

    def to_json(self) -> str:
        """What `write` writes, as docs/reference/formats.md specifies it."""
        return self._text(lib.hr_model_render)

    def export(self, path: str | os.PathLike[str], format: str = 'onnx') -> None:
        """Writes the model for another engine (docs/how-to/exports.md): 'xgboost' (JSON) and 'lightgbm' (text) give numbers,
        probabilities where their link is the model's, else scores; 'onnx' and 'onnx-float32' (for tables of numpy.float32) give predictions, probabilities
        and scores. It takes the columns of the schema in their order: numbers, the index of a category's value, NaN for what is
        missing or not listed. The file holds what the model holds, and no more. Fails: ArgumentError (no such format), LimitError (the format cannot say
        what the model says), FileError."""
        if format not in FORMATS:
            raise ArgumentError('%r is no format of exports; take one of %s.' % (format, ', '.join(FORMATS)))
        call(lib.hr_model_export, self._at, FORMATS[format], text_to(os.fspath(path)))

    def _text(self, render: Any, *args: Any) -> str:
        out = ffi.new('char **')
        call(render, self._at, *args, out)
        return take_text(out[0])

    def __getstate__(self) -> dict[str, Any]:
        return {'json': self.to_json()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._at = Model.parse(state['json'])._at

    def __repr__(self) -> str:
        schema = self.schema
        return '<Model of %s: %s, %d trees, %d features, %s>' % (schema.label.name, self.method, self.tree_count, len(schema.features), self.guarantee._short)

    def _repr_html_(self) -> str:
        schema, guarantee = self.schema, self.guarantee
        label = schema.label
        facts: list[list[object]] = [['Predicts', ', '.join(label.values) if label.is_category else '%g to %g' % (label.low, label.high)],
                 ['Promise', guarantee._short], ['Trees', '%d, method %s' % (self.tree_count, self.method)], ['Features', len(schema.features)]]
        if self.suspect:
            facts.insert(0, ['Suspect', 'what an owner sent failed checks: %s' % self.suspect])
        if self.records is not None:
            facts.append(['Records', 'about %.0f, a noisy count' % self.records])
        shares, features = 100 * self.weighted_importance, schema.features
        importance = [[features[k].name, '%.1f %%' % shares[k]] for k in np.argsort(-shares, kind='stable') if shares[k] > 0]
        return _html.block('Model of %s' % label.name, _html.table([], facts), _html.fold('Importance of the features', _html.table([], importance, numeric={1}, most=20)),
                           _html.fold('What was released', self.releases._repr_html_()), _html.fold('The guarantee in full', _html.note(guarantee.statement)))

    def summary(self) -> str:
        """A summary for people."""
        return self._text(lib.hr_model_summary)

    def tree_text(self, tree: int) -> str:
        """Fails: ArgumentError (no such tree)."""
        return self._text(lib.hr_model_tree_text, tree)

    @property
    def schema(self) -> Schema:
        """The public facts about the table that it was trained on."""
        if self._schema is None:
            self._schema = Schema(lib.hr_model_schema(self._at), owner=self._at)
        return self._schema

    @property
    def method(self) -> str:
        """The name of the method that trained it."""
        return text_of(lib.hr_model_method(self._at))

    @property
    def tree_count(self) -> int:
        """How many trees it has, of all classes."""
        return int(lib.hr_model_tree_count(self._at))

    @property
    def guarantee(self) -> Guarantee:
        """What it promises of the records that it was trained on."""
        return _guarantee_of(lib.hr_model_guarantee(self._at))

    @property
    def start_guarantee(self) -> Guarantee | None:
        """What it and the models that it continues cost together a record that is in the data of all of them, with the conditions of
        those; None if it continues none, or one that is said to be public."""
        out = ffi.new('hr_guarantee *')
        return _guarantee_of(out) if lib.hr_model_start_guarantee(self._at, out) else None

    @property
    def records(self) -> float | None:
        """The number of records (of persons, of their weights, or of parts of the largest exposure) that it was trained on, as it was released: noisy. None: it was not
        released."""
        return float(lib.hr_model_records(self._at)) or None

    @property
    def suspect(self) -> str:
        """The checks that what owners sent failed, such as 'record count, leaf or bin counts': the model may be spoiled. '': none failed."""
        return text_of(lib.hr_model_suspect(self._at))

    @property
    def interactions(self) -> str:
        """Which features a tree may split by together, as the fit was told: 'all', 'none', 'pairs', or lists such as '[["age", "dose"]]'."""
        return text_of(lib.hr_model_interactions(self._at))

    @property
    def is_additive(self) -> bool:
        """Whether no tree splits by more than one feature: a score is then `shapes.base` and one number of each shape."""
        return bool(lib.hr_model_is_additive(self._at))

    @property
    def survival_curves(self) -> list[SurvivalCurve]:
        """Of a model of the method survival-curve: the curve of all, then those of groups. Empty for other methods."""
        point, found = ffi.new('hr_curve_point *'), list[SurvivalCurve]()
        while name := lib.hr_model_curve(self._at, len(found)):
            points = list[tuple[float, ...]]()
            while lib.hr_model_curve_point(self._at, len(found), len(points), point):
                points.append((point.time, point.survival, point.low, point.high))
            found.append(SurvivalCurve(text_of(name), *np.array(points).reshape(-1, 4).T))
        return found

    @property
    def statistics(self) -> list[Statistic]:
        """Of a model of the method statistics: all figures, by column and class. Empty for other methods."""
        one, found, index = ffi.new('hr_statistic_figure *'), list[Statistic](), 0
        values = {column.name: column.values for column in (*self.schema.features, self.schema.label)}
        while column := lib.hr_model_statistic(self._at, index):
            group = 0
            while name := lib.hr_model_statistic_group(self._at, index, group):
                place = 0
                while lib.hr_model_statistic_figure(self._at, index, (group, place), one):
                    figure, of = FIGURES[one.kind], None
                    if figure == 'bin':
                        of = one.end
                    elif figure == 'value':
                        of = values[text_of(column)][int(one.end) - 1]
                    found.append(Statistic(text_of(column), text_of(name), figure, of, one.value, one.low, one.high))
                    place += 1
                group += 1
            index += 1
        return found

    @property
    def releases(self) -> Releases:
        """All noisy answers, in the order in which they were drawn."""
        one, found = ffi.new('hr_release_info *'), Releases()
        for i in range(lib.hr_model_release_count(self._at)):
            lib.hr_model_release_at(self._at, i, one)
            found.append(release_of(one))
        return found

    @property
    def importance(self) -> NDArray[np.float64]:
        """Of each feature; the sum is 1, or 0 if no tree has a split."""
        out = np.zeros(lib.hr_schema_feature_count(lib.hr_model_schema(self._at)))
        lib.hr_model_importance(self._at, ffi.from_buffer('double[]', out))
        return out

    @property
    def weighted_importance(self) -> NDArray[np.float64]:
        """The same with every way at a split weighed by its released count, or by public bounds where there is none."""
        out = np.zeros(lib.hr_schema_feature_count(lib.hr_model_schema(self._at)))
        call(lib.hr_weighted_importance, self._at, ffi.from_buffer('double[]', out), ffi.new('size_t *'))
        return out

    def predict(self, X: Any, threads: int = 0, unknown: str = 'error', strict: bool = False, exposure: Any = None,
                rate: bool = False) -> NDArray[np.float64]:
        """rows x outputs: the label within its bounds (one output, or one a quantile, increasing along a row), or the probability of each class (their sum is 1).

        X: an array or a data frame with the columns of the schema. threads: 0 is all processors. unknown: 'error', or 'missing':
        categories that the schema does not list are read as missing, and an UnknownCategoryWarning counts them. Warns (`MisfitWarning`) of
        columns of which a tenth of the cells or more do not fit, in tables of 10 records or more, and (`SuspectModelWarning`) of a suspect
        model; strict: fails where most cells of a column do not. exposure: of a model whose schema names one, that of each record, for which
        the mean is given; None: X has it as a column. rate: no exposures, and the mean of one unit of exposure. Fails: ValueError."""
        self._warn_if_suspect()
        columns, named = _frames.columns_of(X), self.schema.exposure
        if rate and (named is None or exposure is not None):
            raise ArgumentError('rate is for counts whose schema names an exposure, and in the place of exposure.')
        exposures = None if rate else exposures_of(exposure, named, columns)
        table = _frames.Table(self.schema, columns, None, unknown, exposures)
        if table.unknown_cells:
            warnings.warn(UnknownCategoryWarning(table.unknown_cells), stacklevel=2)
        remark_on(table, lib.HR_REMARKS_PREDICT, strict)
        out = np.empty((table.rows, lib.hr_model_output_count(self._at)))
        call(lib.hr_model_predict, self._at, table.at, threads, ffi.from_buffer('double[]', out))
        return out / named[1] if rate and named else out

    def predictor(self, unknown: str = 'error') -> Predictor:
        """What predicts one record at a time. Classes are the schema's texts. unknown: as in `predict`. Warns of a suspect model. Fails: ArgumentError (the
        schema names an exposure)."""
        self._warn_if_suspect()
        label = self.schema.label
        return Predictor(self, label.values if label.is_category else None, unknown=unknown)

    def shapes(self) -> Shapes:
        """What the trees of one feature or two add up to, cell by cell and exactly, with the deviation of the noise in it."""
        return shapes_of(self)

    def shap(self, X: Any, background: Any = None, threads: int = 0) -> Shap:
        """SHAP values of the scores, before they become labels or probabilities.

        background: a table of the same columns that features are compared with; the values then say what its records are like.
        None: the model's released counts, and public bounds for trees without. Fails: ValueError."""
        return shap_of(self, X, background, threads)
