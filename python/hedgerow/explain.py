"""What a model says of its features, from released values alone unless the caller brings a table (docs/how-to/explanations.md)."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _frames, _html
from ._native import call, ffi, lib, made

if TYPE_CHECKING:
    from .model import Model


@dataclass(frozen=True)
class Axis:
    """The cells of one feature. Cell 0 is missing. Of a number, cell i >= 1 has edges[i - 2] < x <= edges[i - 1], without a lower
    edge in the first and an upper in the last; of a category, cell i has the schema's value i - 1, the last all later ones, too."""
    feature: str
    cell_count: int
    edges: NDArray[np.float64] | None


@dataclass(frozen=True, repr=False)
class Shape:
    """The trees that split by exactly these features, added up. values and deviations: cells of each axis x outputs. deviations:
    the standard deviation of what the noise of the leaves added, the splits and counts as they are; None if the model does not tell."""
    axes: tuple[Axis, ...]
    trees: int
    share: float
    values: NDArray[np.float64]
    deviations: NDArray[np.float64] | None

    @property
    def _title(self) -> str:
        return ' and '.join(axis.feature for axis in self.axes)

    @property
    def _cells(self) -> str:
        return ' x '.join(str(axis.cell_count) for axis in self.axes)

    def __repr__(self) -> str:
        return '<Shape of %s: %s cells, %d trees, %.1f %% of the spread>' % (self._title, self._cells, self.trees, 100 * self.share)


@dataclass(frozen=True, repr=False)
class Shapes:
    """A score is `base` (one number an output), plus the record's cell of every shape, plus what `other_trees` trees say that are
    in no shape; `other_share` is their share of the spread of all trees."""
    base: NDArray[np.float64]
    shapes: tuple[Shape, ...]
    other_trees: int
    other_share: float

    def __repr__(self) -> str:
        trees = sum(shape.trees for shape in self.shapes)
        return '<Shapes: %d of one feature or two, from %d trees; %d other trees with %.1f %% of the spread>' % (
            len(self.shapes), trees, self.other_trees, 100 * self.other_share)

    def _repr_html_(self) -> str:
        ordered = sorted(self.shapes, key=lambda shape: -shape.share)
        rows = [[shape._title, shape._cells, shape.trees, '%.1f %%' % (100 * shape.share)] for shape in ordered]
        return _html.block('%d shapes' % len(rows), _html.table(['features', 'cells', 'trees', 'share of the spread'], rows, numeric={1, 2, 3}, most=20),
                           _html.note('%d other trees have %.1f %% of the spread.' % (self.other_trees, 100 * self.other_share)))


@dataclass(frozen=True, repr=False)
class Shap:
    """values: rows x outputs x features, what each feature adds to the score; with `expected` (one an output) they add up to it.
    counted_trees: how many trees were compared with their released counts. own_background: the caller's table is the background;
    `expected` and the values then say what its records are like, and no guarantee covers them."""
    values: NDArray[np.float64]
    expected: NDArray[np.float64]
    counted_trees: int
    own_background: bool

    def __repr__(self) -> str:
        background = "the caller's table" if self.own_background else 'released counts and public bounds'
        return '<Shap of %d rows, %d outputs, %d features, compared with %s>' % (*self.values.shape, background)


def _numbers(at: Any, *shape: int) -> NDArray[np.float64]:
    count = int(np.prod(shape))
    return np.array(ffi.unpack(at, count) if count else [], dtype=np.float64).reshape(shape)


def _axis(model: Model, axis: Any) -> Axis:
    edges = None if axis.edges == ffi.NULL else _numbers(axis.edges, axis.cell_count - 2)
    return Axis(model.schema.features[axis.feature].name, axis.cell_count, edges)


def _shape(model: Model, shape: Any, outputs: int) -> Shape:
    axes = tuple(_axis(model, shape.axes[i]) for i in range(shape.axis_count))
    cells = tuple(axis.cell_count for axis in axes)
    deviations = None if shape.deviations == ffi.NULL else _numbers(shape.deviations, *cells, outputs)
    return Shape(axes, shape.trees, shape.share, _numbers(shape.values, *cells, outputs), deviations)


def shapes_of(model: Model) -> Shapes:
    at = made(lib.hr_shapes_make, 'hr_shapes', lib.hr_shapes_free, model._at)
    outputs, one, found = lib.hr_shapes_output_count(at), ffi.new('hr_shape *'), []
    for i in range(lib.hr_shapes_count(at)):
        lib.hr_shapes_at(at, i, one)
        found.append(_shape(model, one, outputs))
    rest = lib.hr_shapes_rest(at)
    return Shapes(_numbers(lib.hr_shapes_base(at), outputs), tuple(found), rest.trees, rest.share)


def shap_of(model: Model, X: Any, background: Any, threads: int) -> Shap:
    schema = model.schema
    table = _frames.Table(schema, _frames.columns_of(X), None)
    given = None if background is None else _frames.Table(schema, _frames.columns_of(background), None)
    options = ffi.new('hr_shap_options *', {'size': ffi.sizeof('hr_shap_options'), 'threads': threads})
    if given is not None:
        options.background = given.at
    at = made(lib.hr_shap_new, 'hr_shap', lib.hr_shap_free, model._at, options)
    outputs = lib.hr_shap_output_count(at)
    values = np.empty((table.rows, outputs, len(schema.features)))
    call(lib.hr_shap_values, at, table.at, ffi.from_buffer('double[]', values))
    return Shap(values, _numbers(lib.hr_shap_expected(at), outputs), lib.hr_shap_counted_trees(at), given is not None)
