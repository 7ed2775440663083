"""From any pairs of nodes to the CSR form of an undirected, unweighted, simple graph, with a report."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import GraphError

__all__ = ["Cleaning", "as_pairs", "clean_csr", "is_symmetric"]


@dataclass(frozen=True)
class Cleaning:
    """What was changed to make the input an undirected, unweighted, simple graph.

    Attributes
    ----------
    self_loops
        Edges from a node to itself, dropped.
    duplicates
        Repetitions of an edge in the same direction, merged.
    reversed_duplicates
        Edges given in both directions, merged.
    direction_ignored
        The input was declared as directed.
    weights_ignored
        The input carried edge weights.
    isolated
        Nodes without any edge, kept.
    columns_ignored
        Columns of an edge list that were neither ends nor weights.

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

    def __bool__(self) -> bool:
        return self != Cleaning()

    def __str__(self) -> str:
        parts = []
        if self.self_loops:
            parts.append(f"dropped {self.self_loops:,} {_plural('self-loop', self.self_loops)}")
        if self.duplicates:
            parts.append(f"merged {self.duplicates:,} repeated {_plural('edge', self.duplicates)}")
        if self.reversed_duplicates:
            edges = _plural("edge", self.reversed_duplicates)
            parts.append(f"merged {self.reversed_duplicates:,} {edges} given in both directions")
        if self.direction_ignored:
            parts.append("ignored edge directions")
        if self.weights_ignored:
            parts.append("ignored edge weights")
        if self.columns_ignored:
            columns = _plural("column", len(self.columns_ignored))
            parts.append(f"ignored {columns} {', '.join(map(repr, self.columns_ignored))}")
        if self.isolated:
            parts.append(f"kept {self.isolated:,} isolated {_plural('node', self.isolated)}")
        return "; ".join(parts) or "nothing to clean"


def _plural(word: str, count: int) -> str:
    return word if count == 1 else word + "s"


def as_pairs(edges: Any) -> tuple[NDArray[np.int64], list[str] | None]:
    """Pairs as integers [m, 2] and, if the ids were not integers, their names in order of appearance."""
    if not isinstance(edges, np.ndarray):
        try:
            edges = list(edges)
        except TypeError:
            raise GraphError(f"Edges are pairs of nodes, not {edges!r}.") from None
        if (odd := next((e for e in edges if not _is_pair(e)), None)) is not None:
            raise GraphError(f"An edge is a pair of nodes, not {odd!r}.")
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
        return as_pairs(edges.tolist())
    return edges.astype(np.int64, copy=False), None


def _is_pair(edge: Any) -> bool:
    return isinstance(edge, Sequence | np.ndarray) and not isinstance(edge, str | bytes) and len(edge) == 2


def _coded(edges: list[Any]) -> tuple[NDArray[np.int64], list[str]]:
    place: dict[Hashable, int] = {}
    try:
        coded = [[place.setdefault(x, len(place)) for x in e] for e in edges]
    except TypeError as error:
        raise GraphError(f"A node id is a number or a text, or anything else that can be looked up: {error}.") from None
    return np.array(coded, dtype=np.int64), [str(name) for name in place]


def clean_csr(
    pairs: NDArray[np.int64], n: int, directed: bool, weighted: bool
) -> tuple[NDArray[np.int64], NDArray[np.int32], Cleaning]:
    """Pairs of nodes 0..n-1 as sorted CSR arrays (indptr, indices) and what was cleaned.

    An edge is sorted as one number: 32 bits for the lower end, 31 for the upper, and one for the direction it was
    given in. That is several times faster than by way of a sparse matrix, and all the counts come from one sort.
    """
    if n > np.iinfo(np.int32).max:
        raise GraphError(f"A graph has at most {np.iinfo(np.int32).max:,} nodes, not {n:,}.")
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
        direction_ignored=directed,
        weights_ignored=weighted,
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
