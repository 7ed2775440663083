"""From any pairs of nodes to the CSR form of an undirected, unweighted, simple graph, with a report."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import GraphError, shown
from ..common.limits import MAX_NODES
from .columns import entries, text, texts


@dataclass(frozen=True)
class Cleaning:
    """What was changed to make the input an undirected, unweighted, simple graph.

    Attributes
    ----------
    self_loops, isolated
        Edges from a node to itself, dropped; nodes without any edge, kept.
    duplicates, reversed_duplicates
        Repetitions of an edge in the same direction, and edges given in both directions, merged.
    direction_ignored, weights_ignored
        The input was declared as directed; it carried edge weights.
    columns_ignored
        Columns of an edge list that were neither ends nor weights.
    renumbered
        The ids were other numbers than 0..n-1: the nodes are numbered anew, see :class:`Graph` for what that means.

    Examples
    --------
    >>> from degnn_explore import Graph
    >>> print(Graph.from_edges([(0, 1), (1, 0), (1, 1)], num_nodes=3).cleaning)
    dropped 1 self-loop; merged 1 edge given in both directions; kept 1 isolated node
    """

    self_loops: int = 0
    duplicates: int = 0
    reversed_duplicates: int = 0
    direction_ignored: bool = False
    weights_ignored: bool = False
    isolated: int = 0
    columns_ignored: tuple[str, ...] = ()
    renumbered: bool = False

    def __bool__(self) -> bool:
        return self != Cleaning()

    def __str__(self) -> str:
        columns = ", ".join(map(repr, self.columns_ignored))
        said = [
            _count(self.self_loops, "dropped {} self-loop{s}"),
            _count(self.duplicates, "merged {} repeated edge{s}"),
            _count(self.reversed_duplicates, "merged {} edge{s} given in both directions"),
            "ignored edge directions" * self.direction_ignored,
            "ignored edge weights" * self.weights_ignored,
            _count(len(self.columns_ignored), "ignored column{s} ") + columns,
            _count(self.isolated, "kept {} isolated node{s}"),
            "renumbered the nodes from 0 (their ids are other numbers)" * self.renumbered,
        ]
        return "; ".join(filter(None, said)) or "nothing to clean"


def _count(number: int, sentence: str) -> str:
    return sentence.format(f"{number:,}", s="" if number == 1 else "s") if number else ""


def _as_pairs(edges: Any) -> tuple[NDArray[np.int64], list[str] | None]:
    """Pairs as integers [m, 2] and, if the ids were not integers, their names in order of appearance."""
    if not isinstance(edges, np.ndarray):
        try:
            edges = list(edges)
        except TypeError:
            raise GraphError(f"Edges are pairs of nodes, not {shown(edges)}.") from None
        for edge in edges:
            if not _is_pair(edge):
                raise GraphError(f"An edge is a pair of nodes, not {shown(edge)}.")
        if not all(isinstance(x, int | np.integer) and not isinstance(x, bool) for e in edges for x in e):
            return _coded(edges)
        try:
            edges = np.array(edges, dtype=np.int64).reshape(-1, 2)
        except OverflowError:
            raise GraphError("An edge names a node beyond 2^63; number the nodes 0..n-1, or give text.") from None
    if edges.ndim != 2 or edges.shape[1] != 2:
        raise GraphError(f"Edges are pairs, an array of shape [m, 2], not {list(edges.shape)}.")
    if edges.dtype.kind == "f" and np.isfinite(edges).all() and (edges == np.round(edges)).all():
        edges = edges.astype(np.int64)  # numpy.loadtxt reads whole numbers as floats
    if edges.dtype.kind not in "iu":
        return _as_pairs(edges.tolist())
    return edges.astype(np.int64, copy=False), None


def _is_pair(edge: Any) -> bool:
    many = isinstance(edge, Sequence) or (isinstance(edge, np.ndarray) and edge.ndim == 1)
    return many and not isinstance(edge, str | bytes) and len(edge) == 2


def _coded(edges: list[Any]) -> tuple[NDArray[np.int64], list[str]]:
    place: dict[Hashable, int] = {}
    try:
        coded = [[place.setdefault(x, len(place)) for x in e] for e in edges]
    except TypeError as error:
        raise GraphError(f"A node id is a number or a text, or anything else that can be looked up: {error}.") from None
    return np.array(coded, dtype=np.int64), [text("a node id", name) for name in place]


def numbered_edges(
    edges: Any, num_nodes: int | None, names: Sequence[str] | None
) -> tuple[NDArray[np.int64], int, Sequence[str] | None]:
    """Pairs of nodes 0..n-1 [m, 2], n, and the names, from what was given to ``Graph.from_edges``."""
    pairs, seen = _as_pairs(edges)
    names = None if names is None else texts("a name", entries("names", names))
    if seen is not None:
        if names is None:
            names = seen
        elif missing := set(seen) - set(names):
            raise GraphError(f"The edges name nodes that are not in names: {shown(sorted(missing)[:5])}.")
        else:
            place = {name: i for i, name in enumerate(names)}
            pairs = np.array([place[name] for name in seen], dtype=np.int64)[pairs]
    largest = int(pairs.max()) if pairs.size else -1
    if num_nodes is None:
        num_nodes = len(names) if names is not None else largest + 1
    elif isinstance(num_nodes, bool) or not isinstance(num_nodes, int | np.integer):
        raise GraphError(f"num_nodes must be a whole number, not {shown(num_nodes)}.")
    if num_nodes < 1:
        raise GraphError("A graph needs at least one node; give num_nodes when there are no edges.")
    if num_nodes > MAX_NODES:
        raise GraphError(
            f"{shown(int(num_nodes))} nodes are too many: a graph has at most {MAX_NODES:,}, for each takes memory, "
            "linked or not. Where ids are large numbers with gaps, give them as text, and only those that occur count."
        )
    if pairs.size and (pairs.min() < 0 or largest >= num_nodes):
        bad = int(pairs.min()) if pairs.min() < 0 else largest
        raise GraphError(f"An edge names node {bad}, but the nodes are 0..{num_nodes - 1}.")
    return pairs, int(num_nodes), names


def clean_csr(pairs: NDArray[np.int64], n: int) -> tuple[NDArray[np.int64], NDArray[np.int32], Cleaning]:
    """Pairs of nodes 0..n-1 as sorted CSR arrays (indptr, indices) and what was cleaned.

    An edge is sorted as one number: 32 bits for the lower end, 31 for the upper, and one for the direction it was
    given in. That is several times faster than by way of a sparse matrix, and all the counts come from one sort.
    """
    source, target = pairs[:, 0], pairs[:, 1]
    loops = source == target
    if loops.any():
        source, target = source[~loops], target[~loops]
    keys = np.minimum(source, target) << 32
    keys |= np.maximum(source, target) << 1
    keys |= source > target
    keys.sort()
    one_way = int(_first_of_run(keys).sum())
    keys >>= 1  # now the two directions of an edge are the same number, still in order
    first = _first_of_run(keys)
    unique = keys if first.all() else keys[first]
    low, high = unique >> 31, unique & (2**31 - 1)
    both = np.concatenate([low << 32 | high, high << 32 | low])
    both.sort()
    degrees = np.bincount(both >> 32, minlength=n)
    cleaning = Cleaning(
        self_loops=int(loops.sum()),
        duplicates=len(keys) - one_way,
        reversed_duplicates=one_way - len(unique),
        isolated=int((degrees == 0).sum()),
    )
    indptr = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(degrees)])
    return indptr, both.astype(np.int32), cleaning  # int32 takes the lower half


def is_symmetric(pairs: NDArray[np.int64]) -> bool:
    """Whether each pair is there in both directions, as matrices and PyG state an undirected graph. [m, 2]"""
    source, target = pairs[:, 0], pairs[:, 1]
    return np.array_equal(np.unique(source << 32 | target), np.unique(target << 32 | source))


def _first_of_run(ordered: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Marks the first of each run of equal values in a sorted array."""
    return np.concatenate([np.ones(min(1, len(ordered)), dtype=bool), ordered[1:] != ordered[:-1]])
