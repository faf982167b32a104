"""Figures of the report, as SVG with an accessible name. Their colours are the page's, so that they follow its light and dark."""
from __future__ import annotations

import html
import io
import re
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .explain import Axis, Shape
    from .schema import Column

__all__ = ['bars', 'curve', 'steps', 'surface', 'tree']

# What is drawn in such a colour gets the variable of the page's style.
INK, GRID, BAND, PAPER = '#010101', '#020202', '#030303', '#050505'
LINES = ['#0404%02x' % k for k in range(4, 10)]
VARIABLES = {INK: '--ink', GRID: '--grid', BAND: '--band', PAPER: '--paper', **{line: '--line%d' % k for k, line in enumerate(LINES)}}
WIDE, NARROW = 6.4, 4.4


def _figure(width: float, height: float) -> Any:
    import matplotlib.figure
    with _style('figure'):
        return matplotlib.figure.Figure(figsize=(width, height), layout='constrained', facecolor='none')


def _style(salt: str) -> Any:
    import matplotlib
    return matplotlib.rc_context({
        'svg.fonttype': 'none', 'svg.hashsalt': salt, 'text.parse_math': False, 'axes.unicode_minus': False, 'font.size': 10, 'text.color': INK,
        'axes.edgecolor': GRID, 'axes.labelcolor': INK, 'axes.facecolor': 'none', 'xtick.color': INK, 'ytick.color': INK, 'grid.color': GRID,
        'axes.spines.top': False, 'axes.spines.right': False, 'legend.frameon': False})


def _svg(figure: Any, name: str) -> str:
    """The figure with `name` for those who do not see it. Nothing in it refers to anything outside of it."""
    out = io.StringIO()
    with _style(name):
        figure.savefig(out, format='svg', metadata={'Date': None})
    text = out.getvalue()
    text = re.sub(r'<metadata>.*?</metadata>', '', text[text.index('<svg'):], flags=re.S)
    text = re.sub(r'^<svg ([^>]*?)width="[^"]*" ([^>]*?)height="[^"]*"', r'<svg \1\2', text.replace('height=', ' height=', 1), count=1)
    text = text.replace('<svg ', '<svg role="img" aria-label="%s" ' % html.escape(name), 1)
    for colour, variable in VARIABLES.items():
        text = text.replace(colour, 'var(%s)' % variable)
    return text


def bars(names: Sequence[str], values: Sequence[float], name: str, unit: str) -> str:
    """The first at the top."""
    with _style(name):
        figure = _figure(WIDE, .5 + .26 * len(names))
        axes = figure.subplots()
        axes.barh(range(len(names)), values, color=LINES[0], height=.7)
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.set_xlabel(unit)
        axes.set_xlim(0, max([*values, 1e-9]) * 1.15)
        for k, value in enumerate(values):
            axes.annotate('%.1f' % value, (value, k), (4, 0), textcoords='offset points', va='center')
    return _svg(figure, name)


def _ends(axis: Axis, column: Column) -> NDArray[np.float64]:
    """The cells of a number within its public bounds: n + 1 ends of n cells."""
    assert axis.edges is not None
    low, high = column.low, column.high
    return np.concatenate([[low], np.clip(axis.edges, low, high), [high]])


def _texts(axis: Axis, column: Column) -> list[str]:
    values = list(column.values[:axis.cell_count - 1])
    return [*values[:-1], values[-1] if len(column.values) < axis.cell_count else values[-1] + ' ...']


def _lines(shape: Shape, scale: float, labels: Sequence[str]) -> list[tuple[NDArray[np.float64], NDArray[np.float64] | None, str]]:
    """For each output its cells, twice the deviation, and its name."""
    band = None if shape.deviations is None else 2 * scale * shape.deviations
    return [(scale * shape.values[..., k], None if band is None else band[..., k], labels[k] if len(labels) > 1 else '')
            for k in range(shape.values.shape[-1])]


def _number_steps(axes: Any, axis: Axis, column: Column, cells: NDArray[np.float64], band: NDArray[np.float64] | None, colour: str, label: str) -> None:
    ends = _ends(axis, column)
    axes.stairs(cells[1:], ends, color=colour, linewidth=1.8, label=label, baseline=None)
    away = column.low - .06 * (column.high - column.low)
    if band is not None:
        axes.fill_between(ends, *[np.append(edge, edge[-1]) for edge in (cells[1:] - band[1:], cells[1:] + band[1:])], step='post', color=BAND,
                          alpha=.35 if not label else .15, linewidth=0)
    axes.errorbar([away], [cells[0]], None if band is None else [band[0]], fmt='o', color=colour, markersize=4)
    axes.annotate('missing', (away, cells[0]), (5, 4), textcoords='offset points', fontsize=8)


def steps(shape: Shape, column: Column, scale: float, labels: Sequence[str], unit: str, name: str) -> str:
    """A shape of one feature: a step function with its band, or a point with its bar for every category."""
    axis = shape.axes[0]
    with _style(name):
        figure = _figure(NARROW, 2.9)
        axes = figure.subplots()
        for k, (cells, band, label) in enumerate(_lines(shape, scale, labels)):
            colour = LINES[k % len(LINES)]
            if axis.edges is not None:
                _number_steps(axes, axis, column, cells, band, colour, label)
            else:
                at = np.arange(axis.cell_count) + .12 * k
                axes.errorbar(at, cells, band, fmt='o', color=colour, label=label, capsize=3)
        if axis.edges is None:
            axes.set_xticks(range(axis.cell_count), ['missing', *_texts(axis, column)], rotation=30 if axis.cell_count > 5 else 0)
        if shape.values.shape[-1] > 1:
            axes.legend(fontsize=8)
        axes.axhline(0, color=GRID, linewidth=.8, zorder=0)
        axes.set_xlabel(axis.feature)
        axes.set_ylabel(unit)
    return _svg(figure, name)


def _positions(axis: Axis, column: Column) -> NDArray[np.float64]:
    """Ends of the cells, without that of missing values."""
    return _ends(axis, column) if axis.edges is not None else np.arange(axis.cell_count, dtype=np.float64) - .5


def surface(shape: Shape, columns: Sequence[Column], scale: float, output: int, unit: str, name: str) -> str:
    """A shape of two features, where neither is missing."""
    with _style(name):
        figure = _figure(NARROW, 3.2)
        axes = figure.subplots()
        cells = scale * shape.values[1:, 1:, output]
        most = float(np.abs(cells).max()) or 1.
        drawn = axes.pcolormesh(_positions(shape.axes[0], columns[0]), _positions(shape.axes[1], columns[1]), cells.T, cmap='RdBu_r', vmin=-most,
                                vmax=most, rasterized=False, linewidth=0)
        figure.colorbar(drawn, ax=axes, label=unit)
        for axis, column, ticks in ((shape.axes[0], columns[0], axes.set_xticks), (shape.axes[1], columns[1], axes.set_yticks)):
            if axis.edges is None:
                ticks(range(axis.cell_count - 1), _texts(axis, column))
        axes.set_xlabel(shape.axes[0].feature)
        axes.set_ylabel(shape.axes[1].feature)
    return _svg(figure, name)


def curve(x: NDArray[np.float64], y: NDArray[np.float64], labels: tuple[str, str], name: str) -> str:
    """A curve within the unit square, beside its diagonal."""
    with _style(name):
        figure = _figure(WIDE, 3.2)
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], color=GRID, linewidth=1)
        axes.plot(x, y, color=LINES[0], linewidth=1.8)
        axes.set_xlabel(labels[0])
        axes.set_ylabel(labels[1])
    return _svg(figure, name)


def _places(children: Sequence[tuple[int, int] | None]) -> tuple[list[float], list[int]]:
    """Of every node: leaves side by side, splits in the middle above their children; and how deep it is."""
    across, depth = [0.] * len(children), [0] * len(children)
    order, leaves, waiting = [], 0, [0]
    while waiting:
        n = waiting.pop()
        order.append(n)
        pair = children[n]
        if pair is None:
            across[n] = leaves
            leaves += 1
            continue
        for child in pair:
            depth[child] = depth[n] + 1
        waiting += [pair[1], pair[0]]
    for n in reversed(order):
        pair = children[n]
        if pair is not None:
            across[n] = (across[pair[0]] + across[pair[1]]) / 2
    return across, depth


def tree(children: Sequence[tuple[int, int] | None], texts: Sequence[str], name: str) -> str:
    """A tree of two-way splits: the left child is where the text is true."""
    across, depth = _places(children)
    leaves = sum(pair is None for pair in children)
    with _style(name):
        figure = _figure(max(WIDE, .95 * leaves), .9 + .8 * max(depth))
        axes = figure.subplots()
        for n, pair in enumerate(children):
            for child in pair or ():
                axes.plot([across[n], across[child]], [-depth[n], -depth[child]], color=GRID, linewidth=1)
            axes.annotate(texts[n], (across[n], -depth[n]), ha='center', va='center', fontsize=8, fontweight='normal' if pair else 'bold',
                          bbox={'boxstyle': 'round', 'facecolor': PAPER, 'edgecolor': GRID})
        axes.set_xlim(-.7, leaves - .3)
        axes.set_ylim(-max(depth) - .5, .5)
        axes.axis('off')
    return _svg(figure, name)
