"""What a model says on average for each value of a feature, or of a pair, which follows from its file.

The average is the one that SHAP values compare with (docs/how-to/explanations.md): at a split by another feature a record goes every way
at once, in the shares of the released counts, or of public bounds where a tree has none."""
from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from .schema import Column

__all__ = ['Effect', 'Effects']

BINS = 255  # of a category: missing, and 254 values or 253 and all later ones
NODES = 100_000  # beyond so many the trees take too long to walk here

Numbers = NDArray[np.float64]
_Path = tuple[tuple[int, int, float], ...]  # from the top to a leaf, of each split its feature, which way of that feature's, and its chance


@dataclass(frozen=True)
class Effect:
    """Of each cell of one feature or two, and output: how far the average score there is from that of all records, and the standard deviation of
    what the noise of the leaves' sums adds to that, as if leaves were independent of each other (None: the model does not tell it). Splits and
    counts are taken as they are. `own`: the same without what each of two features does alone."""
    values: Numbers
    deviations: Numbers | None
    own: Numbers
    own_deviations: Numbers | None


@dataclass(frozen=True)
class _Tree:
    """Trees that share their splits: where their leaves are among those of all trees, leaf values of each output, and the features of the splits."""
    leaves: slice
    values: Numbers
    noise: Numbers | None
    features: frozenset[int]


class _Cells:
    """The cells of one feature. Cell 0 is missing; then intervals between thresholds, or values of a category."""

    def __init__(self, column: Column, thresholds: set[float]) -> None:
        self.column = column
        self.edges = np.array(sorted(t for t in thresholds if np.isfinite(t)))
        self.count = min(len(column.values), BINS) + 1 if column.is_category else len(self.edges) + 2
        self.sizes = self._sizes()

    def _sizes(self) -> Numbers:
        """How much of the public facts is in each cell: values, integers or lengths. Nothing is missing."""
        if self.column.is_category:
            sizes = np.ones(self.count)
            sizes[-1] = len(self.column.values) - self.count + 2
        else:
            low, high = self.column.low, self.column.high
            ends = np.concatenate([[-np.inf], self.edges, [np.inf]])
            if self.column.integer:
                least, most = np.maximum(np.floor(ends[:-1]), np.ceil(low) - 1), np.floor(np.minimum(ends[1:], high))
            else:
                least, most = np.maximum(ends[:-1], low), np.minimum(ends[1:], high)
            one_number = (ends[:-1] < low) & (low <= ends[1:])
            sizes = np.concatenate([[0.], one_number.astype(float) if low == high and not self.column.integer else np.maximum(most - least, 0)])
        sizes[0] = 0
        return sizes

    def below(self, threshold: float) -> NDArray[np.bool_]:
        """The cells of numbers that are at most the threshold."""
        found = np.zeros(self.count, dtype=bool)
        found[1:] = True if threshold == np.inf else np.append(self.edges <= threshold, False)
        return found


def _threshold(value: Any) -> float:
    return float(value)  # 'inf' and '-inf', too


def _ways(tree: dict[str, Any], node: list[Any], cells: _Cells) -> list[NDArray[np.bool_]]:
    """Of each child of a split, the cells that go there."""
    indices = np.arange(cells.count)
    if len(node) == 2:
        return [indices == k for k in range(cells.count)]
    if cells.column.is_category:
        left = np.isin(indices, tree['subsets'][node[2]])
        return [left, ~left]
    if isinstance(node[2], list):
        at_most = [cells.below(_threshold(t)) for t in node[2]]
        return [indices == 0, *[up & ~down for up, down in zip([*at_most, indices > 0], [indices < 0, *at_most])]]
    left = cells.below(_threshold(node[2]))
    left[0] = node[3] == 1
    return [left, ~left]


def _is_split(node: list[Any]) -> bool:
    return len(node) > 1


class Effects:
    """The average effects of a model whose file is given, read as JSON. `features` are the columns of its schema."""

    def __init__(self, file: dict[str, Any], features: Sequence[Column]) -> None:
        self.outputs = len(file['base'])
        self.cells = [_Cells(column, found) for column, found in zip(features, _thresholds(file['trees'], len(features)))]
        self.is_drawn = sum(len(tree['nodes']) for tree in file['trees']) <= NODES
        ways: list[list[NDArray[np.bool_]]] = [[np.ones(cells.count, dtype=bool)] for cells in self.cells]
        paths: list[_Path] = []
        self.trees = [self._tree(group, ways, paths) for group in _groups(file['trees'])] if self.is_drawn else []
        self.ways = [np.array(known) for known in ways]  # of each feature, the cells that go to each child of a split by it; the first: no split
        steps = list(itertools.zip_longest(*paths, fillvalue=(-1, 0, 1.)))
        by_depth = np.array(steps, dtype=float).reshape(len(steps), len(paths), 3)  # of each depth and leaf, the step there
        self.asked, self.way, self.chance = by_depth[..., 0].astype(int), by_depth[..., 1].astype(int), by_depth[..., 2]
        self.known: dict[tuple[int, ...], Numbers] = {}

    def _tree(self, group: list[dict[str, Any]], ways: list[list[NDArray[np.bool_]]], paths: list[_Path]) -> _Tree:
        """Adds the ways of its splits to `ways`, and of each leaf the path to it to `paths`."""
        first = group[0]
        leaves = [n for n, node in enumerate(first['nodes']) if not _is_split(node)]
        values = np.zeros((len(leaves), self.outputs))
        for tree in group:
            values[:, tree['output']] += [tree['nodes'][n][0] for n in leaves]
        noise = None if 'noise' not in first else np.array([first['noise'][n] for n in leaves])
        ways_of = [_ways(first, node, self.cells[node[1]]) if _is_split(node) else [] for node in first['nodes']]
        chances = self._chances(first, ways_of).tolist()
        path: list[_Path] = [()] * len(chances)
        for n, node in enumerate(first['nodes']):
            for child, way in enumerate(ways_of[n], node[0] if ways_of[n] else 0):
                path[child] = (*path[n], (node[1], len(ways[node[1]]), chances[child]))
                ways[node[1]].append(way)
        paths += [path[n] for n in leaves]
        return _Tree(slice(len(paths) - len(leaves), len(paths)), values, noise, frozenset(node[1] for node in first['nodes'] if _is_split(node)))

    def _chances(self, tree: dict[str, Any], ways_of: list[list[NDArray[np.bool_]]]) -> Numbers:
        """Of each node, the share of what reaches its parent that goes there."""
        nodes, chances = tree['nodes'], np.ones(len(tree['nodes']))
        left: list[dict[int, NDArray[np.bool_]]] = [{} for _ in nodes]  # of each node, the cells that the splits above it leave
        for n, node in enumerate(nodes):
            if not _is_split(node):
                continue
            cells = self.cells[node[1]]
            ways = ways_of[n]
            at = slice(node[0], node[0] + len(ways))
            if 'counts' in tree:
                weights = np.array(tree['counts'][at], dtype=float)
            else:
                known = [left[n].get(node[1], True) & way for way in ways]
                weights = np.array([cells.sizes[way].sum() for way in known])
                for child, way in enumerate(known):
                    left[node[0] + child] = {**left[n], node[1]: way}
            chances[at] = weights / weights.sum() if weights.sum() > 0 else 1 / len(ways)
        return chances

    def _shares(self, asked: tuple[int, ...]) -> Numbers:
        """Of each leaf of all trees, the chance that a record gets there that goes the right way at each split by an asked feature."""
        if asked not in self.known:
            shares = np.ones(self.asked.shape[1])
            for features, chances in zip(self.asked, self.chance):
                shares = shares * np.where(np.isin(features, asked), 1., chances)
            self.known[asked] = shares
        return self.known[asked]

    def _reach(self, tree: _Tree, asked: tuple[int, ...]) -> Numbers:
        """Leaves x cells of the asked features: the chance that a record of that cell gets to the leaf."""
        reach = self._shares(asked)[tree.leaves]
        for feature in asked:
            way = np.where(self.asked[:, tree.leaves] == feature, self.way[:, tree.leaves], 0)
            passed = np.ones((way.shape[1], self.cells[feature].count), dtype=bool)
            for of_leaves in way[way.any(axis=1)]:
                passed &= self.ways[feature][of_leaves]
            reach = reach[..., None] * passed.reshape((len(passed),) + (1,) * (reach.ndim - 1) + (-1,))
        return reach

    @property
    def is_additive(self) -> bool:
        """Whether no tree splits by more than one feature: the effects of single features are then the whole model."""
        return self.is_drawn and all(len(tree.features) <= 1 for tree in self.trees)

    @property
    def mean(self) -> Numbers:
        """What the trees add to the score of all records on average, by output."""
        sums = [self._reach(tree, ()) @ tree.values for tree in self.trees]
        return np.sum(sums, axis=0) if sums else np.zeros(self.outputs)

    def of(self, *features: int) -> Effect:
        """Of one feature or two, by their indices, the smaller one first."""
        shape = tuple(self.cells[feature].count for feature in features)
        sums = [_Sum(shape, self.outputs) for _ in range(2)]
        for tree in self.trees:
            if not tree.features & set(features):
                continue
            whole = self._reach(tree, features)
            mean = self._reach(tree, ()).reshape((-1,) + (1,) * len(features))
            sums[0].add(whole - mean, tree)
            if len(features) == 2 and tree.features >= set(features):
                first, second = self._reach(tree, features[:1])[:, :, None], self._reach(tree, features[1:])[:, None, :]
                sums[1].add(whole - first - second + mean, tree)
        own = sums[len(features) - 1]
        return Effect(sums[0].values, sums[0].deviations, own.values, own.deviations)


class _Sum:
    """Trees added up: their values, and the variance of the noise in them."""

    def __init__(self, shape: tuple[int, ...], outputs: int) -> None:
        self.values, self.variance, self.is_told = np.zeros((*shape, outputs)), np.zeros(shape), True

    def add(self, parts: Numbers, tree: _Tree) -> None:
        """parts: leaves x cells, what each leaf counts."""
        self.values += np.tensordot(parts, tree.values, axes=(0, 0))
        if tree.noise is None:
            self.is_told = False
        else:
            self.variance += np.tensordot(parts ** 2, tree.noise ** 2, axes=(0, 0))

    @property
    def deviations(self) -> Numbers | None:
        return np.repeat(np.sqrt(self.variance)[..., None], self.values.shape[-1], axis=-1) if self.is_told else None


def _thresholds(trees: list[dict[str, Any]], count: int) -> list[set[float]]:
    """Of each feature, those of all splits by it."""
    found: list[set[float]] = [set() for _ in range(count)]
    for tree in trees:
        for node in tree['nodes']:
            if len(node) == 4 or len(node) == 3 and isinstance(node[2], list):
                found[node[1]] |= {_threshold(t) for t in (node[2] if isinstance(node[2], list) else [node[2]])}
    return found


def _groups(trees: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Trees that share their leaves, one an output: of these the first alone has counts and noise."""
    at = 0
    while at < len(trees):
        end = at + 1
        while end < len(trees) and trees[end]['output'] == end - at and trees[at]['output'] == 0 and _has_same_splits(trees[at], trees[end]):
            end += 1
        yield trees[at:end]
        at = end


def _has_same_splits(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return a['subsets'] == b['subsets'] and [node for node in a['nodes'] if _is_split(node)] == [node for node in b['nodes'] if _is_split(node)] and \
        len(a['nodes']) == len(b['nodes']) and not {'counts', 'noise'} & set(b)
