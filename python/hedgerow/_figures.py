"""Figures of the report, as SVG with an accessible name. Their colours are the page's, so that they follow its light and dark."""
from __future__ import annotations

import html
import io
import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .model import SurvivalCurve
    from .schema import Column

__all__ = ['Axis', 'Curve', 'compact', 'curve', 'dots', 'steps', 'surface', 'survival']

Numbers = NDArray[np.float64]

# What is drawn in such a colour gets the variable of the page's style.
INK, GRID, BAND, SOFT = '#010101', '#020202', '#030303', '#050505'
LINES = ['#0404%02x' % k for k in range(4, 10)]
SIGNS = ['#0606%02x' % k for k in range(16, 27)]
VARIABLES = {INK: '--ink', GRID: '--grid', BAND: '--band', SOFT: '--soft', **{line: '--line%d' % k for k, line in enumerate(LINES)},
             **{sign: '--sign%d' % k for k, sign in enumerate(SIGNS)}}
WIDTH, LETTERS, VALUES, FEW, TICKS = 4.2, 22, 12, 6, 5  # inches; letters of a name; values of a category, of several outputs; marks of an axis


def compact(value: float, digits: int = 4) -> str:
    """A number in few letters: 1987, 0.25, 120k, 3.4M."""
    for size, letter in ((1e9, 'G'), (1e6, 'M'), (1e5, 'k')):
        if abs(value) >= size:
            return '%.*g%s' % (digits, value / (1e3 if letter == 'k' else size), letter)
    return '%.*g' % (digits, value) if abs(value) < 1000 else '%.0f' % value


def _apart(values: list[float]) -> list[str]:
    """Numbers with as few digits as tell them apart, at least three."""
    texts = [[compact(value, digits) for value in values] for digits in (3, 4, 6)]
    return next((found for found in texts if len(set(found)) == len(values)), texts[-1])


def exact(value: float) -> str:
    """A number as it is, up to six digits, never in powers of ten below a billion."""
    return '%.0f' % value if 1e5 <= abs(value) < 1e9 else '%.6g' % value


def short(text: str, letters: int = LETTERS) -> str:
    return text if len(text) <= letters else text[:letters - 1] + '…'


@dataclass(frozen=True)
class Axis:
    """The cells of a feature on an axis: a number's between edges (n + 1 for n cells), or the values of a category."""
    name: str
    edges: Numbers | None
    values: tuple[str, ...]
    is_whole: bool = False

    @classmethod
    def of(cls, column: Column, edges: Numbers, count: int) -> Axis:
        """Of a number: from a little below the smallest edge to a little above the largest one, within the public bounds."""
        if column.is_category:
            last = [] if count - 1 == len(column.values) else ['and %d others' % (len(column.values) - count + 2)]
            return cls(column.name, None, (*column.values[:count - 1 - len(last)], *last))
        if not len(edges):
            return cls(column.name, np.array([column.low, column.high]), ())
        half = .5 if column.integer else 0.  # whole numbers are in the middle of their steps
        margin = max(2 * half, .08 * (edges[-1] - edges[0]) if len(edges) > 1 else .2 * (column.high - column.low))
        return cls(column.name, np.concatenate([[min(edges[0], max(column.low - half, edges[0] - margin))], edges,
                                                [max(edges[-1], min(column.high + half, edges[-1] + margin))]]), (), column.integer)

    @property
    def is_even(self) -> bool:
        """Whether cells are drawn equally wide: half of the edges of a number would fill less than an eighth of its axis."""
        if self.edges is None or len(self.edges) < 8:
            return False
        inner = self.edges[1:-1]
        near, span = np.sort(inner)[len(inner) // 2], inner[-1] - inner[0]
        return bool(min(near - inner[0], inner[-1] - near) < span / 8)

    @property
    def ends(self) -> Numbers:
        """Where cells begin and end: one more than there are cells."""
        if self.edges is None:
            return np.arange(len(self.values) + 1, dtype=np.float64) - np.float64(.5)
        return np.arange(len(self.edges), dtype=np.float64) if self.is_even else self.edges

    def _marks(self, count: int) -> tuple[list[float], list[str]]:
        """About so many places on the axis, and what stands there."""
        from matplotlib.ticker import MaxNLocator
        assert self.edges is not None
        if self.is_even:
            inner = np.arange(1, len(self.edges) - 1)
            chosen = inner[np.unique(np.linspace(0, len(inner) - 1, count).round().astype(int))]
            return [float(k) for k in chosen], _apart([float(self.edges[k]) for k in chosen])
        places = MaxNLocator(count, integer=self.is_whole).tick_values(self.ends[0], self.ends[-1])
        within = [float(place) for place in places if self.ends[0] <= place <= self.ends[-1]]
        return within, _apart(within)

    def mark(self, axis: Any, room: int) -> None:
        """Puts the marks of a number on an axis of a figure, as many as there is room for letters."""
        from matplotlib.ticker import FixedFormatter, FixedLocator
        for count in range(TICKS, 0, -1):
            places, texts = self._marks(count)
            if sum(len(text) + 2 for text in texts) <= room:
                break
        axis.set_major_locator(FixedLocator(places))
        axis.set_major_formatter(FixedFormatter(texts))


@dataclass(frozen=True)
class Curve:
    """One output over the cells of an axis, missing values apart; band: how far to both sides; None: not known."""
    label: str
    values: Numbers
    band: Numbers | None


def _style(salt: str) -> Any:
    import matplotlib
    return matplotlib.rc_context({
        'svg.fonttype': 'none', 'svg.hashsalt': salt, 'text.parse_math': False, 'axes.unicode_minus': False, 'font.size': 9, 'text.color': INK,
        'axes.edgecolor': GRID, 'axes.labelcolor': INK, 'axes.facecolor': 'none', 'xtick.color': GRID, 'ytick.color': GRID,
        'xtick.labelcolor': INK, 'ytick.labelcolor': INK, 'grid.color': GRID, 'grid.linewidth': .5, 'axes.titlesize': 9, 'axes.titlelocation': 'left',
        'axes.spines.top': False, 'axes.spines.right': False, 'axes.axisbelow': True, 'legend.frameon': False, 'legend.fontsize': 9})


def _figure(height: float, what: str) -> tuple[Any, Any]:
    """An empty figure, and its axes, with a line above that says what is measured."""
    import matplotlib.figure
    figure = matplotlib.figure.Figure(figsize=(WIDTH, height), layout='constrained', facecolor='none')
    axes = figure.subplots()
    figure.suptitle(textwrap.fill(what, 54, break_long_words=True), x=0, ha='left', fontsize=9, color=SOFT)
    return figure, axes


def _svg(figure: Any, name: str) -> str:
    """The figure with `name` for those who do not see it. Nothing in it refers to anything outside of it."""
    out = io.StringIO()
    with _style(name):
        figure.savefig(out, format='svg', metadata={'Date': None})
    text = out.getvalue()
    text = re.sub(r'<metadata>.*?</metadata>', '', text[text.index('<svg'):], flags=re.S)
    text = re.sub(r'^<svg ([^>]*?)width="[^"]*" ([^>]*?)height="[^"]*"', r'<svg \1\2', text.replace('height=', ' height=', 1), count=1)
    text = text.replace('<svg ', '<svg role="img" aria-label="%s" ' % html.escape(name), 1)
    text = text.replace('<g id="QuadMesh', '<g shape-rendering="crispEdges" id="QuadMesh')  # no seams between cells
    text = re.sub(r'<g ((?:shape-rendering="crispEdges" )?)id="[^"]*"', r'<g \1', text)  # the same in every figure of the page
    text = re.sub(r"font: ([0-9.]+px) [^;\"]*", r'font: \1 system-ui, sans-serif', text)
    for colour, variable in VARIABLES.items():
        text = text.replace(colour, 'var(%s)' % variable)
    return text


def _legend(figure: Any, axes: Any, count: int) -> None:
    if count > 1:
        figure.legend(*axes.get_legend_handles_labels(), loc='outside lower center', ncols=2)


def steps(axis: Axis, curves: Sequence[Curve], what: str, name: str) -> str:
    """A number: a step function for each output, with its band."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator
    with _style(name):
        figure, axes = _figure(2.7 + .2 * ((len(curves) + 1) // 2 if len(curves) > 1 else 0), what)
        for k, curve in enumerate(curves):
            colour = LINES[k % len(LINES)]
            if curve.band is not None:
                bounds = [np.append(edge, edge[-1]) for edge in (curve.values - curve.band, curve.values + curve.band)]
                axes.fill_between(axis.ends, *bounds, step='post', color=BAND if len(curves) == 1 else colour, alpha=.3 if len(curves) == 1 else .1, linewidth=0)
            axes.stairs(curve.values, axis.ends, color=colour, linewidth=1.8, label=short(curve.label), baseline=None)
        axes.axhline(0, color=SOFT, linewidth=.8, zorder=1)
        axes.set_xlim(axis.ends[0], axis.ends[-1])
        axis.mark(axes.xaxis, 46)
        axes.yaxis.set_major_locator(MaxNLocator(TICKS))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: ('+' if value > 0 else '') + compact(value)))
        axes.grid(axis='y')
        axes.set_xlabel(short(axis.name, 40))
        _legend(figure, axes, len(curves))
    return _svg(figure, name)


def survival(curves: Sequence[SurvivalCurve], unit: str, name: str) -> str:
    """Survival curves from 1 at time 0, through what is known at their cuts, with bands there."""
    from matplotlib.ticker import MaxNLocator
    with _style(name):
        figure, axes = _figure(2.7 + .2 * ((len(curves) + 1) // 2 if len(curves) > 1 else 0), 'Part without an event, with bands of 95 %')
        for k, curve in enumerate(curves):
            colour, times = LINES[k % len(LINES)], np.concatenate([[0], curve.times])
            low, middle, high = (np.concatenate([[1], of]) for of in (curve.low, curve.survival, curve.high))
            axes.fill_between(times, low, high, color=BAND if len(curves) == 1 else colour, alpha=.3 if len(curves) == 1 else .15, linewidth=0)
            axes.plot(times, middle, color=colour, linewidth=1.8, marker='o', markersize=3, label=short(curve.group or 'all'))
        axes.set_xlim(0, curves[0].times[-1])
        axes.set_ylim(min(float(curve.low.min()) for curve in curves), 1)
        axes.xaxis.set_major_locator(MaxNLocator(TICKS))
        axes.yaxis.set_major_locator(MaxNLocator(TICKS))
        axes.grid(axis='y')
        axes.set_xlabel(short(unit, 40))
        _legend(figure, axes, len(curves))
    return _svg(figure, name)


def room_for(outputs: int) -> int:
    """How many values of a category are drawn."""
    return VALUES if outputs == 1 else FEW


def chosen_values(curves: Sequence[Curve]) -> list[int]:
    """The values of a category that are drawn: those with the largest effects, by the first output, the highest first."""
    largest = np.max([np.abs(curve.values) for curve in curves], axis=0)
    kept = np.argsort(-largest, kind='stable')[:room_for(len(curves))]
    return sorted((int(k) for k in kept), key=lambda k: -curves[0].values[k])


def dots(axis: Axis, curves: Sequence[Curve], what: str, name: str) -> str:
    """A category: a row for each value, with a point and its band for each output."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator
    chosen = chosen_values(curves)
    with _style(name):
        rows = .24 if len(curves) == 1 else .14 + .11 * len(curves)
        figure, axes = _figure(.95 + rows * len(chosen) + (.2 * ((len(curves) + 1) // 2) if len(curves) > 1 else 0), what)
        for k, curve in enumerate(curves):
            at = np.arange(len(chosen)) + (.7 * (k + .5) / len(curves) - .35)
            axes.errorbar(curve.values[chosen], at, xerr=None if curve.band is None else curve.band[chosen], fmt='o', markersize=5 if len(curves) == 1 else 3.5,
                          color=LINES[k % len(LINES)], ecolor=BAND if len(curves) == 1 else LINES[k % len(LINES)],
                          elinewidth=3 if len(curves) == 1 else 1, label=short(curve.label))
        axes.axvline(0, color=SOFT, linewidth=.8, zorder=1)
        axes.set_yticks(range(len(chosen)), [short(axis.values[k]) for k in chosen])
        axes.set_ylim(len(chosen) - .4, -.6)
        axes.tick_params(axis='y', length=0)
        axes.xaxis.set_major_locator(MaxNLocator(TICKS))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: ('+' if value > 0 else '') + compact(value)))
        axes.grid(axis='x')
        axes.set_ylabel(short(axis.name, 30) if len(chosen) > 5 else '')
        _legend(figure, axes, len(curves))
    return _svg(figure, name)


def _along(axis: Axis, cells: Numbers) -> tuple[Axis, list[int]]:
    """An axis of a surface, and which cells are drawn: of a category those that differ most from zero."""
    if axis.edges is not None:
        return axis, list(range(len(axis.ends) - 1))
    chosen = sorted(int(k) for k in np.argsort(-np.abs(cells).max(axis=1), kind='stable')[:VALUES])
    return Axis(axis.name, None, tuple(axis.values[k] for k in chosen)), chosen


def surface(across: Axis, up: Axis, cells: Numbers, what: str, name: str) -> str:
    """Cells of two features: across x up. A category with longer names is drawn upwards, where there is room for them."""
    from matplotlib.colors import ListedColormap
    from matplotlib.ticker import FuncFormatter, MaxNLocator
    if across.edges is None and (up.edges is not None or max(map(len, across.values)) > max(map(len, up.values))):
        across, up, cells = up, across, cells.T
    (across, columns), (up, rows) = _along(across, cells), _along(up, cells.T)
    cells = cells[np.ix_(columns, rows)]
    most = float(np.abs(cells).max()) or 1.
    with _style(name):
        height = 1.3 + max(2., .2 * len(rows) if up.edges is None else 0)
        if across.edges is None:
            height += .2 + .075 * max(len(short(value, 16)) for value in across.values)
        figure, axes = _figure(height, what)
        drawn = axes.pcolormesh(across.ends, up.ends, cells.T, cmap=ListedColormap(SIGNS), vmin=-most, vmax=most, linewidth=0)
        bar = figure.colorbar(drawn, ax=axes, aspect=30, ticks=MaxNLocator(TICKS), format=FuncFormatter(lambda value, _: ('+' if value > 0 else '') + compact(value)))
        bar.outline.set_visible(False)
        for axis, side, put in ((across, axes.xaxis, axes.set_xticks), (up, axes.yaxis, axes.set_yticks)):
            if axis.edges is None:
                put(range(len(axis.values)), [short(value, 16) for value in axis.values])
            else:
                axis.mark(side, 26 if axis is across else 99)
        if across.edges is None:
            axes.tick_params(axis='x', rotation=90)
        axes.set_xlabel(short(across.name, 36))
        axes.set_ylabel(short(up.name, 30))
    return _svg(figure, name)


def curve(x: Numbers, y: Numbers, labels: tuple[str, str], name: str) -> str:
    """A curve within the unit square, in percent, beside its diagonal."""
    with _style(name):
        figure, axes = _figure(2.9, labels[1])
        axes.plot([0, 100], [0, 100], color=SOFT, linewidth=1, linestyle='--')
        axes.plot(100 * x, 100 * y, color=LINES[0], linewidth=1.8)
        axes.grid()
        axes.set_xlabel(labels[0])
    return _svg(figure, name)
