"""A model as one page of HTML: what it promises, where the budget went, and what it says of its features."""
from __future__ import annotations

import json
import math
import os
import pathlib
import tempfile
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _figures
from ._native import ffi, lib, text_of
from .errors import ArgumentError

if TYPE_CHECKING:
    from .explain import Shape, Shapes
    from .model import Model, Release

__all__ = ['render', 'report']

SHAPES, SURFACES, TREE_LINES, TREE_LEAVES = 8, 4, 80, 16
TASKS = {'regression': 'a number', 'binary': 'one of two classes', 'multiclass': 'one of several classes'}


def report(model: Model | Any, path: str | os.PathLike[str]) -> None:
    """Writes a page about a model, or about the model of a fitted estimator: one file that needs nothing else, for any browser.

    It says what the model file says, in words and pictures; it needs no records and spends nothing, and may be published as the model may.
    The file appears whole or not at all.

    Fails: ArgumentError (jinja2 or matplotlib are missing: pip install 'hedgerow[report]'), OSError."""
    text = render(model)
    target = pathlib.Path(path)
    with tempfile.NamedTemporaryFile('w', encoding='utf-8', dir=target.parent, prefix=target.name, delete=False) as out:
        out.write(text)
    try:
        os.chmod(out.name, 0o644)
        os.replace(out.name, target)
    except OSError:
        os.unlink(out.name)
        raise


def render(model: Model | Any) -> str:
    """The page as a text."""
    try:
        import jinja2
        import matplotlib  # noqa: F401
    except ImportError as e:
        raise ArgumentError("a report needs jinja2 and matplotlib (%s); pip install 'hedgerow[report]'" % e) from None
    model = getattr(model, 'model_', model)
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(pathlib.Path(__file__).parent), autoescape=True, trim_blocks=True,
                                     lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    environment.filters.update(spent=_spent, sentence=lambda text: text[:1].upper() + text[1:])
    return environment.get_template('report.html').render(_facts_of(model))


def _facts_of(model: Model) -> dict[str, Any]:
    file = json.loads(model.to_json())
    schema, shapes = model.schema, model.shapes()
    return {
        'label': schema.label, 'features': schema.features, 'unit': schema.unit_column, 'method': model.method, 'mode': file['mode'],
        'task': TASKS[file['task']], 'trees': model.tree_count, 'guarantee': model.guarantee, 'start': model.start_guarantee, 'settings': file['settings'],
        'budget': _budget(model), 'importance': _importance(model), 'shapes': _shapes(model, shapes, file), 'calibration': _calibration(model, file),
        'owners': _owners(model, file['settings']), 'tree': _first_tree(model), 'picture': _picture(model, file), 'isfinite': math.isfinite}


def _spent(amount: float) -> str:
    """An amount as every other statement prints it: rounded up."""
    text = ffi.new('char[]', 16)
    lib.hr_spent_text(amount, text)
    return text_of(text)


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


def _budget(model: Model) -> dict[str, Any]:
    """By what was released: its share of the cost, in percent, how many lines and numbers, and how it was drawn."""
    found: dict[str, dict[str, Any]] = {}
    for line in model.releases:
        row = found.setdefault(line.what, {'what': line.what, 'share': 0., 'lines': 0, 'draws': 0, 'mechanisms': set()})
        row['lines'] += 1
        row['draws'] += line.draws
        row['mechanisms'].add(line.mechanism)
    counted = [line for line in _costliest_parts(model.releases) if math.isfinite(line.cost)]
    total = sum(line.cost for line in counted)
    for line in counted:
        found[line.what]['share'] += 100 * line.cost / total if total > 0 else 0.
    rows = sorted(found.values(), key=lambda row: (-row['share'], row['what']))
    for row in rows:
        row['mechanisms'] = ', '.join(sorted(row['mechanisms']))
    figure = _figures.bars([row['what'] for row in rows], [row['share'] for row in rows], 'Share of the privacy budget, by what it was spent on',
                           'percent of the budget') if total > 0 else None
    return {'rows': rows, 'figure': figure}


# ---- Features ----

def _importance(model: Model) -> dict[str, Any]:
    names = [column.name for column in model.schema.features]
    plain, weighted = 100 * model.importance, 100 * model.weighted_importance
    order = [int(k) for k in np.argsort(-weighted, kind='stable')]
    rows = [{'name': names[k], 'plain': plain[k], 'weighted': weighted[k]} for k in order]
    used = [row for row in rows if row['weighted'] > 0][:20]
    figure = _figures.bars([row['name'] for row in used], [row['weighted'] for row in used], 'Importance of the features', 'percent') if used else None
    return {'rows': rows, 'figure': figure, 'shown': len(used)}


def _scale(model: Model, link: str) -> tuple[float, str]:
    """What a unit of the score is, and what it is called."""
    label = model.schema.label
    if link == 'number':
        return (label.high - label.low) / 2, 'change of %s' % label.name
    if link == 'signed':
        return .5, 'change of the probability'
    return 1., 'change of the log-odds'


def _outputs(model: Model, count: int) -> list[str]:
    label = model.schema.label
    return list(label.values) if label.is_category and count == len(label.values) else [label.values[-1] if label.is_category else label.name]


def _cells(shape: Shape, column: Any, scale: float) -> list[dict[str, Any]]:
    """A shape of one feature as rows of a table."""
    axis = shape.axes[0]
    if axis.edges is not None:
        edges = ['%.6g' % edge for edge in axis.edges]
        names = ['missing', *['%s to %s' % pair for pair in zip(['%.6g' % column.low, *edges], [*edges, '%.6g' % column.high])]]
    else:
        names = ['missing', *_figures._texts(axis, column)]
    none = np.full(shape.values.shape, np.nan)
    bands = none if shape.deviations is None else 2 * scale * shape.deviations
    return [{'cell': name, 'values': scale * shape.values[k], 'bands': bands[k]} for k, name in enumerate(names)]


def _one(model: Model, shape: Shape, scale: float, unit: str) -> dict[str, Any]:
    column = next(column for column in model.schema.features if column.name == shape.axes[0].feature)
    outputs = _outputs(model, shape.values.shape[-1])
    name = 'Shape of %s, %s' % (column.name, 'with the noise that privacy added' if shape.deviations is not None else 'without its noise')
    return {'title': column.name, 'shape': shape, 'cells': _cells(shape, column, scale), 'outputs': outputs,
            'figure': _figures.steps(shape, column, scale, outputs, unit, name)}


def _two(model: Model, shape: Shape, scale: float, unit: str) -> dict[str, Any]:
    columns = [next(column for column in model.schema.features if column.name == axis.feature) for axis in shape.axes]
    spread = [float(np.abs(shape.values[..., k]).max()) for k in range(shape.values.shape[-1])]
    output = int(np.argmax(spread))
    outputs = _outputs(model, len(spread))
    title = ' and '.join(column.name for column in columns)
    band = None if shape.deviations is None else 2 * scale * float(np.median(shape.deviations[1:, 1:, output]))
    return {'title': title, 'shape': shape, 'output': outputs[output] if len(outputs) > 1 else None, 'most': scale * spread[output], 'band': band,
            'figure': _figures.surface(shape, columns, scale, output, unit, 'Surface of %s' % title)}


def _shapes(model: Model, found: Shapes, file: dict[str, Any]) -> dict[str, Any]:
    scale, unit = _scale(model, file['link'])
    ordered = sorted(found.shapes, key=lambda shape: -shape.share)
    one, two = [[shape for shape in ordered if len(shape.axes) == axes] for axes in (1, 2)]
    rest = one[SHAPES:] + two[SURFACES:]
    return {'unit': unit, 'one': [_one(model, shape, scale, unit) for shape in one[:SHAPES]],
            'two': [_two(model, shape, scale, unit) for shape in two[:SURFACES]], 'has_bands': any(shape.deviations is not None for shape in ordered),
            'rest': [{'title': ' and '.join(axis.feature for axis in shape.axes), 'trees': shape.trees, 'share': 100 * shape.share}
                     for shape in sorted(rest, key=lambda shape: -shape.share)],
            'other_trees': found.other_trees, 'other_share': 100 * found.other_share}


# ---- The rest ----

def _calibration(model: Model, file: dict[str, Any]) -> dict[str, Any] | None:
    """How released counts of the label by score correct probabilities (docs/reference/formats.md, Predictions)."""
    if 'calibration' not in file:
        return None
    intercept, slope = file['calibration']['intercept'], file['calibration']['slope']
    p = np.linspace(.005, .995, 100)
    q = .5 + (p - .5) / 1.1
    corrected = 1 / (1 + np.exp(-(intercept + slope * np.log(q / (1 - q)))))
    figure = _figures.curve(p, corrected, ('probability before', 'probability after'), 'How calibration corrects probabilities')
    rows = [(at, float(np.interp(at, p, corrected))) for at in (.05, .1, .25, .5, .75, .9, .95)]
    return {'intercept': intercept, 'slope': slope, 'figure': figure, 'rows': rows}


def _owners(model: Model, settings: dict[str, str]) -> dict[str, Any] | None:
    if 'owners' not in settings:
        return None
    shares = [line.shares for line in model.releases if line.shares]
    return {'count': settings['owners'], 'shares': max(shares) if shares else None,
            'rows': [(key, settings[key]) for key in ('owners', 'coalition', 'rounds', 'order') if key in settings]}


def _first_tree(model: Model) -> str | None:
    if not model.tree_count:
        return None
    lines = model.tree_text(0).splitlines()
    more = ['... and %d lines more (hedgerow show MODEL --tree 1)' % (len(lines) - TREE_LINES)] if len(lines) > TREE_LINES else []
    return '\n'.join(lines[:TREE_LINES] + more)


def _split_text(model: Model, tree: dict[str, Any], node: list[Any]) -> str:
    column = model.schema.features[node[1]]
    if not column.is_category:
        return '%s <= %.5g' % (column.name, float(node[2]))
    listed = [column.values[b - 1] for b in tree['subsets'][node[2]] if 0 < b <= len(column.values)]
    text = '%s: %s' % (column.name, ', '.join(listed) or 'missing')
    return text if len(text) <= 28 else text[:27] + '...'


def _picture(model: Model, file: dict[str, Any]) -> str | None:
    """The first tree, if its splits are two-way and few."""
    if not file['trees']:
        return None
    tree, scale = file['trees'][0], _scale(model, file['link'])[0]
    nodes = tree['nodes']
    is_two_way = all(len(node) == 1 or len(node) == 4 or len(node) == 3 and isinstance(node[2], int) for node in nodes)
    if not is_two_way or not 2 <= sum(len(node) == 1 for node in nodes) <= TREE_LEAVES:
        return None
    children = [None if len(node) == 1 else (node[0], node[0] + 1) for node in nodes]
    texts = ['%+.3g' % (scale * node[0]) if len(node) == 1 else _split_text(model, tree, node) for node in nodes]
    return _figures.tree(children, texts, 'The first tree: %d splits; the text below has the same' % sum(pair is not None for pair in children))
