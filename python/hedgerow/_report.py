"""A model as one page of HTML: what it is and promises, how good it is if that was released, what matters to it, and where the budget went."""
from __future__ import annotations

import datetime
import itertools
import json
import math
import os
import pathlib
import re
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _figures
from ._effects import Effect, Effects
from ._figures import Axis, Curve
from ._native import lib, text_of
from .errors import ArgumentError
from .schema import quantile_names

if TYPE_CHECKING:
    from .model import Model, Release
    from .schema import Column

__all__ = ['render', 'report']

DRAWN, PAIRS, CANDIDATES, WORK = 12, 4, 10, 20_000_000
TREE_ROWS, LISTED = 64, 12
TASKS = {'regression': 'a number', 'binary': 'one of two classes', 'multiclass': 'one of several classes', 'count': 'the mean of a count',
         'survival': 'when', 'quantiles': 'quantiles of a number'}
FIGURES = {'records': ('Test records', '%.0f', 'how many records were predicted'),
           'error': ('Wrong predictions', '%.1f %%', 'the share of records whose predicted class is not the true one'),
           'auc': ('AUC', '%.3f', 'the chance that a record of the second class gets a higher probability than one of the first; 0.5 is guessing, 1 is best'),
           'logloss': ('Log loss', '%.3f', 'how far probabilities are from the truth; 0 is best'),
           'interval_concordance': ('Concordance', '%.3f', 'of pairs of records with events in different intervals, how often the one with the lower predicted survival has its event first; 0.5 is guessing, 1 is best'),
           'predicted': ('Predicted survival', '%.3f', 'the share of records that are predicted to have no event until the last time'),
           'observed': ('Observed survival', '%.3f', 'the share of records that had no event until the last time, as far as they were followed'),
           'coverage': ('Coverage', '%.3f', 'the share of records whose number lies between the outer two quantiles that are predicted'),
           'width': ('Width', '%.4g', 'how far these two are apart on average'),
           'rmse': ('Root mean squared error', '%.4g', 'the typical size of an error; large errors count more'),
           'mae': ('Mean absolute error', '%.4g', 'the size of an error on average')}

Numbers = NDArray[np.float64]


def report(model: Model | Any, path: str | os.PathLike[str], *, evaluation: Any = None, day: datetime.date | None = None) -> None:
    """Writes a page about a model, or about the model of a fitted estimator: one file that needs nothing else, for any browser.

    It says what the model file says, in words and pictures; it needs no records and spends nothing, and may be published as the model may.
    evaluation: figures that were released with noise, as `hedgerow evaluate --epsilon E --json` prints them: a mapping, or the path of a file. They
    come from a guarantee of their own, which the page repeats. day: the date on the page; None: today. The file appears whole or not at all.

    Fails: ArgumentError (jinja2 or matplotlib are missing: pip install 'hedgerow[report]'; exact figures, which no guarantee covers), OSError."""
    text = render(model, evaluation=evaluation, day=day)
    target = pathlib.Path(path)
    with tempfile.NamedTemporaryFile('w', encoding='utf-8', dir=target.parent, prefix=target.name, delete=False) as out:
        out.write(text)
    try:
        os.chmod(out.name, 0o644)
        os.replace(out.name, target)
    except OSError:
        os.unlink(out.name)
        raise


def render(model: Model | Any, *, evaluation: Any = None, day: datetime.date | None = None) -> str:
    """The page as a text."""
    try:
        import jinja2
        import matplotlib  # noqa: F401
    except ImportError as e:
        raise ArgumentError("a report needs jinja2 and matplotlib (%s); pip install 'hedgerow[report]'" % e) from None
    from .model import amount as model_amount
    model = getattr(model, 'model_', model)
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(pathlib.Path(__file__).parent), autoescape=True, trim_blocks=True,
                                     lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    environment.filters.update(spent=model_amount, sentence=lambda text: text[:1].upper() + text[1:], percent=_percent, number=_number, breakable=_breakable)
    day = day or datetime.date.today()
    return environment.get_template('report.html').render(_facts_of(model), figures=_released_figures(evaluation),
                                                          day='%d %s' % (day.day, day.strftime('%B %Y')), iso_day=day.isoformat())


def _facts_of(model: Model) -> dict[str, Any]:
    file = json.loads(model.to_json())
    schema, features = model.schema, _Features(model, file)
    effects, pairs = features.effects(), features.pairs()
    return {
        'label': schema.label, 'columns': schema.features, 'unit': schema.unit_column, 'method': model.method, 'mode': file['mode'],
        'task': TASKS[file['task']], 'trees': model.tree_count, 'guarantee': model.guarantee, 'start': model.start_guarantee,
        'settings': file['settings'], 'suspect': model.suspect, 'records': _records(model), 'exposure': schema.exposure, 'guess': _guess(model.guarantee), 'version': text_of(lib.hr_version()), 'made_by': file['version'],
        'budget': _budget(model), 'importance': features.importance(), 'scale': features.scale, 'effects': effects, 'pairs': pairs, 'is_drawn': features.found.is_drawn,
        'curves': _curves_of(model), 'statistics': _statistics_of(model), 'calibration': _calibration(file), 'interval': _interval(model, file), 'owners': _owners(model, file['settings']), 'tree': _first_tree(model, file, features.scale)}


# ---- Words and numbers ----

def _percent(share: float) -> str:
    """A share of 100, short and unbroken: 12 %, 3.4 %, under 0.1 %."""
    if 0 < share < .05:
        return 'under 0.1\u00a0%'
    return '%.0f\u00a0%%' % share if share >= 9.95 else '%.1f\u00a0%%' % share


def _breakable(name: str) -> str:
    """A name that may be broken behind its hyphens, dots and underscores."""
    import markupsafe
    return markupsafe.Markup(re.sub(r'([_.-])', r'\1<wbr>', str(markupsafe.escape(name))))


def _number(value: float) -> str:
    """With blanks between thousands, which read alike everywhere."""
    return '{:,.0f}'.format(value).replace(',', '\u202f') if abs(value) >= 10000 else '%.6g' % value


def _guess(guarantee: Any) -> str | None:
    """In percent, rounded up to a tenth, or near 100 to a hundredth: how often a guess whether a record was there is right at most, at even odds
    before."""
    if not guarantee.is_private or guarantee.epsilon > 700:
        return None
    odds = math.exp(guarantee.epsilon)
    percent = 100 * min(1., (odds + guarantee.delta) / (1 + odds))
    digits = 1 if percent < 99 else 2
    return '%.*f' % (digits, math.ceil(percent * 10 ** digits) / 10 ** digits) if percent < 99.99 else '100'


def _records(model: Model) -> str | None:
    """Their number as it was released; with exposures the sum of these."""
    largest = model.schema.exposure[1] if model.schema.exposure else 1
    return None if model.records is None else _number(round(model.records * largest))


def _object_of(path: pathlib.Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text('utf-8'))
    except ValueError as e:
        raise ArgumentError('%s: not JSON (%s); give the file that `hedgerow evaluate --epsilon E --ledger LEDGER --json` printed' % (path, e)) from None
    if not isinstance(found, dict):
        raise ArgumentError('%s: not a JSON object; give the file that `hedgerow evaluate --epsilon E --ledger LEDGER --json` printed' % path)
    return found


def _released_figures(evaluation: Any) -> dict[str, Any] | None:
    """Figures of an evaluation, for people. Fails: ArgumentError (they are exact, or no figures)."""
    if evaluation is None:
        return None
    found = evaluation if isinstance(evaluation, Mapping) else _object_of(pathlib.Path(evaluation))
    if found.get('exact', False):
        raise ArgumentError('the figures are exact statistics of the records, which no guarantee covers; a report takes those of '
                            '`hedgerow evaluate --epsilon E --ledger LEDGER --json`')
    if not {'figures', 'epsilon', 'delta', 'statement'} <= set(found):
        raise ArgumentError('these are no released figures: they lack figures, epsilon, delta or statement; give what '
                            '`hedgerow evaluate --epsilon E --ledger LEDGER --json` prints')
    rows = []
    for name, (title, form, meaning) in FIGURES.items():
        figure = found['figures'].get(name)
        if figure is not None and figure['value'] is not None:
            times = 100 if name == 'error' else 1
            rows.append({'title': title, 'meaning': meaning, **{key: form % (times * figure[key]) for key in ('value', 'low', 'high')}})
    return {'rows': rows, 'epsilon': found['epsilon'], 'delta': found['delta'], 'statement': found['statement']}


# ---- Budget ----

def _costliest_parts(releases: list[Release]) -> list[Release]:
    """The lines that count: of a group, whose parts saw different records, those of its costliest part."""
    parts: dict[tuple[int, int], float] = {}
    for line in releases:
        parts[line.group, line.part] = parts.get((line.group, line.part), 0.) + line.cost
    costliest: dict[int, tuple[int, int]] = {}
    for (group, part), cost in parts.items():
        if group not in costliest or cost > parts[costliest[group]]:
            costliest[group] = group, part
    return [line for line in releases if costliest[line.group] == (line.group, line.part)]


# What records pay for that were kept out of the trees: no part of what the others pay.
OF_HELD_OUT = 'correction of the interval'


def _budget(model: Model) -> dict[str, Any]:
    """By what was released: its share of the cost, in percent, how many lines and numbers, and how it was drawn."""
    found: dict[str, dict[str, Any]] = {}
    for line in model.releases:
        row = found.setdefault(line.what, {'what': line.what, 'share': 0., 'lines': 0, 'draws': 0, 'mechanisms': set()})
        row['lines'] += 1
        row['draws'] += line.draws
        row['mechanisms'].add(line.mechanism)
    counted = [line for line in _costliest_parts(model.releases) if math.isfinite(line.cost)]
    total = sum(line.cost for line in counted if line.what != OF_HELD_OUT)
    for line in counted:
        found[line.what]['share'] += 100 * line.cost / total if total > 0 else 0.
    rows = sorted(found.values(), key=lambda row: (-row['share'], row['what']))
    for row in rows:
        row['mechanisms'] = ', '.join(sorted(row['mechanisms']))
    return {'rows': rows, 'most': max([row['share'] for row in rows], default=0.), 'is_costed': total > 0}


# ---- Features ----

@dataclass(frozen=True)
class Scale:
    """What a unit of the score is worth on the page: `factor`, what that is called, how a number of it is written, and what a score of 0 is."""
    factor: float
    what: str
    unit: str
    form: str
    zero: float = 0.

    def bare(self, value: float, signed: bool = True) -> str:
        """A score, on the page, without its unit."""
        text = self.form % abs(self.factor * value)
        if self.form == '%.3g':
            text = _number(float(text))
        is_nothing = not any(digit in text for digit in '123456789')
        return ('' if not signed or is_nothing else '+' if value > 0 else '\u2212') + text

    def level(self, value: float) -> str:
        """A whole score, not a change of it."""
        return ('%.5g' if self.form == '%.3g' else self.form) % (self.zero + self.factor * value) + (' %' if self.unit == 'points' else '')

    def text(self, value: float, deviation: float | None = None) -> str:
        """A score, on the page, with twice its deviation and its unit."""
        band = '' if deviation is None else ' \u00b1 ' + self.bare(2 * deviation, signed=False)
        return self.bare(value) + band + (' ' + self.unit if self.unit else '')


def _scale_of(model: Model, link: str, outputs: int) -> Scale:
    label = model.schema.label
    if link == 'number':
        width = (label.high - label.low) / 2
        return Scale(width, 'Change of the predicted %s%s' % (label.name, ', each quantile' if outputs > 1 else ''), '', '%.3g', label.low + width)
    if link == 'log':
        name, exposure = label.name, model.schema.exposure
        if exposure:
            name += ' at an exposure of %g %s' % (exposure[1], exposure[0])
        return Scale(1., 'Change of the logarithm of the mean of %s' % name, '', '%.2f', math.log(label.high))
    if link == 'hazard':
        return Scale(1., 'Change of the log-odds of %s in each interval, of records at risk' % label.event, '', '%.2f')
    what = 'each class' if outputs > 1 else '%s is %s' % (label.name, label.values[-1])
    if link == 'signed':
        return Scale(50., 'Change of the probability %s %s, in percentage points' % ('of' if outputs > 1 else 'that', what), 'points', '%.1f', 50.)
    return Scale(1., 'Change of the log-odds %s %s' % ('of' if outputs > 1 else 'that', what), '', '%.2f')


def _output_names(label: Column) -> list[str]:
    """Of a model of several outputs: classes, intervals or quantiles."""
    if label.event is not None:
        return ['up to %g' % float(cut) for cut in label.intervals]  # a model's are cuts
    return list(label.values) if label.is_category else quantile_names(label)


class _Features:
    """What is said of single features and pairs: one importance each, and average effects with the noise in them."""

    def __init__(self, model: Model, file: dict[str, Any]) -> None:
        self.columns = model.schema.features
        self.shares = 100 * model.weighted_importance
        self.found = Effects(file, self.columns)
        self.base = np.array(file['base'])
        self.scale = _scale_of(model, file['link'], self.found.outputs)
        label = model.schema.label
        self.name, self.has_classes, self.are_times = label.name, label.is_category, label.event is not None
        several = self.found.outputs > 1 or label.event is not None
        self.labels = _output_names(label) if several else [label.values[-1] if label.is_category else label.name]
        self.order = [int(k) for k in np.argsort(-self.shares, kind='stable')]
        self.pair_shares = {tuple(sorted(names)): share for names, share in
                            ((tuple(axis.feature for axis in shape.axes), shape.share) for shape in model.shapes().shapes) if len(names) == 2}

    def importance(self) -> dict[str, Any]:
        used = [k for k in self.order if self.shares[k] > 0]
        return {'rows': [{'name': self.columns[k].name, 'share': float(self.shares[k])} for k in used],
                'monotone': [(column.name, column.monotone) for column in self.columns if column.monotone],
                'unused': [self.columns[k].name for k in self.order if k not in used], 'most': float(self.shares.max())}

    # ---- One feature ----

    def effects(self) -> dict[str, Any]:
        """Those that are drawn, those that could be noise alone, and how many more there are."""
        is_whole = self.found.is_additive
        used = [k for k in self.order if self.shares[k] > 0] if self.found.is_drawn else []
        drawn: list[dict[str, Any]] = []
        noise: list[dict[str, Any]] = []
        more: list[dict[str, Any]] = []
        for k in used:
            effect = self.found.of(k)
            row = {'name': self.columns[k].name, 'share': float(self.shares[k]), **self._largest(effect)}
            if _is_noise(effect) and not is_whole:
                noise.append(row)
            elif is_whole or len(drawn) < DRAWN:
                drawn.append(self._drawn(k, effect))
            else:
                more.append(row)
        return {'drawn': drawn, 'noise': noise, 'more': more, 'has_bands': any(one['has_bands'] for one in drawn) or bool(noise),
                'starts': self._starts() if is_whole and drawn else [], 'outputs': self.labels}

    def _starts(self) -> list[str]:
        """Of each output, what the curves of an additive model are added to."""
        return [self.scale.level(float(value)) for value in self.base + self.found.mean]

    def _largest(self, effect: Effect) -> dict[str, str]:
        """The largest effect of a value that is there, with its band."""
        sizes = np.abs(effect.values[1:])
        at = np.unravel_index(int(np.argmax(sizes)), sizes.shape)
        return {'largest': self.scale.text(float(effect.values[1:][at]), None if effect.deviations is None else float(effect.deviations[1:][at]))}

    def _axis(self, k: int) -> Axis:
        cells = self.found.cells[k]
        return Axis.of(self.columns[k], cells.edges, cells.count)

    def _curves(self, effect: Effect) -> list[Curve]:
        """In the units of the page, without missing values; of many outputs those with the largest effects."""
        values = self.scale.factor * effect.values[1:]
        outputs = sorted(np.argsort(-np.abs(values).max(axis=0), kind='stable')[:len(_figures.LINES)])
        bands = None if effect.deviations is None else 2 * self.scale.factor * effect.deviations[1:]
        return [Curve(self.labels[j], values[:, j], None if bands is None else bands[:, j]) for j in outputs]

    def _drawn(self, k: int, effect: Effect) -> dict[str, Any]:
        column, axis, curves = self.columns[k], self._axis(k), self._curves(effect)
        draw = _figures.dots if column.is_category else _figures.steps
        noise = 'with the noise that privacy added' if effect.deviations is not None else 'without its noise'
        room = _figures.room_for(len(curves))
        notes = ['The %d values with the largest effects; the table has all %d.' % (room, len(axis.values))] if len(axis.values) > room else []
        notes += ['Steps are drawn equally wide.'] if axis.is_even else []
        notes += ['The %d %s with the largest effects; the table has all.' % (len(curves), 'classes' if self.has_classes else 'intervals' if self.are_times else 'quantiles')] if len(curves) < len(self.labels) else []
        return {'name': column.name, 'share': float(self.shares[k]), 'cells': self._table(axis, effect), 'outputs': self.labels, 'notes': ' '.join(notes),
                'has_bands': effect.deviations is not None, 'figure': draw(axis, curves, self.scale.what, 'Average effect of %s, %s' % (column.name, noise))}

    def _table(self, axis: Axis, effect: Effect) -> list[dict[str, Any]]:
        """Cells as rows, the missing one last."""
        if axis.edges is None:
            names = list(axis.values)
        else:
            inner = [_figures.exact(edge) for edge in axis.edges[1:-1]] if len(axis.edges) > 2 else []
            names = ['up to %s' % inner[0], *['%s to %s' % pair for pair in zip(inner, inner[1:])], 'above %s' % inner[-1]] if inner else ['any']
        scale, deviations = self.scale, effect.deviations
        texts = [[scale.bare(float(value)) + ('' if deviations is None else ' \u00b1 ' + scale.bare(2 * float(deviations[i, j]), signed=False))
                  for j, value in enumerate(row)] for i, row in enumerate(effect.values)]
        return [{'cell': name, 'texts': row} for name, row in [*zip(names, texts[1:]), ('missing', texts[0])]]

    # ---- Two features ----

    def _candidates(self) -> list[tuple[int, int]]:
        """Pairs that trees split by, those of the largest share first, as long as their cells are few."""
        indices = {column.name: k for k, column in enumerate(self.columns)}
        ordered = sorted(self.pair_shares, key=lambda names: -self.pair_shares[names])[:CANDIDATES]
        pairs = [(min(found), max(found)) for found in (tuple(indices[name] for name in names) for names in ordered)]
        leaves = sum(len(tree.values) for tree in self.found.trees)
        return [pair for pair in pairs if leaves * self.found.cells[pair[0]].count * self.found.cells[pair[1]].count <= WORK]

    def pairs(self) -> dict[str, Any]:
        """Those whose joint effect differs most from what both do alone, without those of which that could be noise."""
        found = [(pair, self.found.of(*pair)) for pair in (self._candidates() if self.found.is_drawn else [])]
        told = [(pair, effect) for pair, effect in found if not _is_noise(effect)]
        told.sort(key=lambda one: -_beyond_noise(one[1]))
        return {'drawn': [self._surface(pair, effect) for pair, effect in told[:PAIRS]],
                'noise': [' and '.join(self.columns[k].name for k in pair) for pair, effect in found if _is_noise(effect)]}

    def _surface(self, pair: tuple[int, int], effect: Effect) -> dict[str, Any]:
        output = int(np.argmax(np.abs(effect.own).max(axis=(0, 1))))
        what = self.scale.what if self.found.outputs == 1 else self.scale.what.replace('of each class', 'that %s is %s' % (self.name, self.labels[output]))
        what = what.replace('each quantile', self.labels[output])
        axes = [self._axis(k) for k in pair]
        title = ' and '.join(self.columns[k].name for k in pair)
        own = effect.own[1:, 1:, output]
        noise = np.zeros_like(own) if effect.own_deviations is None else effect.own_deviations[1:, 1:, output]
        at = np.unravel_index(int(np.argmax(np.abs(own) - 2 * noise)), own.shape)
        return {'name': title, 'beyond': self.scale.text(float(own[at]), None if effect.own_deviations is None else float(noise[at])),
                'figure': _figures.surface(axes[0], axes[1], self.scale.factor * effect.values[1:, 1:, output], what, 'Average effect of %s together' % title),
                'notes': 'Steps are drawn equally wide.' if any(axis.is_even for axis in axes) else ''}


def _beyond_noise(effect: Effect) -> float:
    """How large the joint effect is beyond two deviations of its noise, on average over the cells that are there."""
    noise = 0. if effect.own_deviations is None else 2 * effect.own_deviations[1:, 1:]
    return float(np.maximum(np.abs(effect.own[1:, 1:]) - noise, 0).mean())


def _is_noise(effect: Effect) -> bool:
    """Whether no value that is there has an effect beyond three deviations of its noise; of many values some exceed two by chance."""
    if effect.own_deviations is None:
        return False
    there = (slice(1, None),) * (effect.own.ndim - 1)
    return bool((np.abs(effect.own[there]) <= 3 * effect.own_deviations[there]).all())


# ---- The rest ----

def _interval(model: Model, file: dict[str, Any]) -> dict[str, Any] | None:
    """Of a model whose interval held-out records corrected: four fifths of the records trained, and a fifth corrected, of which owners release the number."""
    if 'conformal' not in file:
        return None
    made = file['conformal']
    held_out = made.get('held_out', None if model.records is None else model.records / 4)
    short = None if held_out is None else made['shortfall'] / (held_out + 1)
    return {**made, 'records': held_out, 'short': short, 'promised': short is None or short < made['coverage'],
            'who': 'persons' if model.guarantee.unit.startswith('one person') else 'records'}


def _calibration(file: dict[str, Any]) -> dict[str, Any] | None:
    """How released counts of the label by score correct probabilities (docs/reference/formats.md, Predictions)."""
    if 'calibration' not in file:
        return None
    intercept, slope = file['calibration']['intercept'], file['calibration']['slope']
    p = np.linspace(.005, .995, 100)
    q = .5 + (p - .5) / 1.1
    corrected = 1 / (1 + np.exp(-(intercept + slope * np.log(q / (1 - q)))))
    figure = _figures.curve(p, corrected, ('Probability before the correction, %', 'Probability after the correction, %'), 'How calibration corrects probabilities')
    rows = [(100 * at, 100 * float(np.interp(at, p, corrected))) for at in (.05, .1, .25, .5, .75, .9, .95)]
    return {'intercept': intercept, 'slope': slope, 'figure': figure, 'rows': rows}


def _statistics_of(model: Model) -> list[dict[str, Any]]:
    """The released figures by column and class: what they are called, with their intervals, and of counts how long their bars are, in percent."""
    parts: dict[tuple[str, str], list[Any]] = {}
    for figure in model.statistics:
        parts.setdefault((figure.column, figure.group), []).append(figure)
    found = []
    for (column, group), figures in parts.items():
        most = max([figure.value for figure in figures if figure.figure in ('bin', 'value')], default=0) or 1
        rows = []
        for figure in figures:
            counted, scale = figure.figure in ('bin', 'value'), 100 if figure.figure == 'missing' else 1
            name = 'up to %s' % _number(float(figure.of)) if figure.figure == 'bin' else str(figure.of) if counted else {'deviation': 'standard deviation', 'missing': 'missing, %'}.get(figure.figure, figure.figure)
            digits = '%.0f' if counted or figure.figure == 'records' else '%.4g'
            rows.append({'name': name, 'value': digits % (scale * figure.value), 'interval': (digits + ' to ' + digits) % (scale * figure.low, scale * figure.high),
                         'bar': round(100 * figure.value / most) if counted else None})
        found.append({'title': (column or 'all columns') + (', where %s is %s' % (model.schema.label.name, group) if group else ''), 'rows': rows})
    return found


def _curves_of(model: Model) -> dict[str, Any] | None:
    """The released survival curves: those of the groups that have points, in one figure, or that of all."""
    curves = model.survival_curves
    if not curves:
        return None
    known = [curve for curve in curves[1:] if len(curve.times)][:len(_figures.LINES)] or curves[:1]
    rows = [{'group': curve.group or 'all records', 'cells': ['%.3f (%.3f to %.3f)' % cell for cell in zip(curve.survival, curve.low, curve.high)]} for curve in curves]
    figure = _figures.survival(known, model.schema.label.name, 'Survival curves with their bands' if len(known) > 1 else 'The survival curve with its band')
    return {'figure': figure, 'rows': rows, 'times': [_number(float(time)) for time in curves[0].times], 'drawn': len(known), 'groups': len(curves) - 1}


def _owners(model: Model, settings: dict[str, str]) -> dict[str, Any] | None:
    job = {key.removeprefix('job.'): value for key, value in settings.items() if key.startswith('job.')}
    if 'owners' not in job:
        return None
    shares = [line.shares for line in model.releases if line.shares]
    return {'count': job['owners'], 'shares': max(shares) if shares else None,
            'rows': [(key, job[key]) for key in ('owners', 'coalition', 'rounds', 'order', 'train') if key in job]}


# ---- The first tree ----

def _listed(values: Sequence[str]) -> str:
    more = len(values) - LISTED
    return ', '.join(values[:LISTED]) + (' and %d more' % more if more > 0 else '')


def _conditions(column: Any, tree: dict[str, Any], node: list[Any]) -> list[str]:
    """What holds of the records that go to each child of a split."""
    name = column.name
    if column.is_category:
        bins = ['missing', *column.values[:254]] + (['another value'] if len(column.values) > 254 else [])
        if len(node) == 2:
            return ['%s is %s' % (name, text) for text in bins]
        left = set(tree['subsets'][node[2]])
        groups = [[text for k, text in enumerate(bins) if (k in left) == is_left] for is_left in (True, False)]
        return ['%s is %s' % (name, _listed([text for text in group if text != 'missing'] or group or ['no value'])) for group in groups]
    if isinstance(node[2], list):
        ends = [_figures.exact(t) for t in node[2]]
        return ['%s is missing' % name, '%s ≤ %s' % (name, ends[0]), *['%s < %s ≤ %s' % (a, name, b) for a, b in zip(ends, ends[1:])], '%s > %s' % (name, ends[-1])]
    if not math.isfinite(float(node[2])):
        return ['%s is there' % name, '%s is missing' % name] if not node[3] else ['%s is missing' % name, '%s is there' % name]
    texts = ['%s ≤ %s' % (name, _figures.exact(float(node[2]))), '%s > %s' % (name, _figures.exact(float(node[2])))]
    return [text + (' or missing' if (node[3] == 1) == (k == 0) else '') for k, text in enumerate(texts)]


def _rows_of(model: Model, tree: dict[str, Any], scale: Scale) -> Iterator[dict[str, Any]]:
    """The nodes below the root, from above, each after its parent: how deep, what holds there, and what a leaf adds."""
    waiting: list[tuple[int, int, str]] = [(0, -1, 'all records')]
    while waiting:
        n, depth, text = waiting.pop()
        node = tree['nodes'][n]
        if len(node) == 1:
            yield {'depth': max(depth, 0), 'text': text, 'adds': scale.text(node[0])}
            continue
        if depth >= 0:
            yield {'depth': depth, 'text': text, 'adds': None}
        texts = _conditions(model.schema.features[node[1]], tree, node)
        waiting += reversed([(node[0] + k, depth + 1, condition) for k, condition in enumerate(texts)])


def _first_tree(model: Model, file: dict[str, Any], scale: Scale) -> dict[str, Any] | None:
    if not file['trees']:
        return None
    tree = file['trees'][0]
    rows = list(itertools.islice(_rows_of(model, tree, scale), TREE_ROWS))
    labels = _output_names(model.schema.label)
    return {'rows': rows, 'more': len(tree['nodes']) - 1 - len(rows) if len(tree['nodes']) > 1 else 0,
            'output': labels[tree['output']] if len(file['base']) > 1 else None}
