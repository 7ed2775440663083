"""Shortest-path distances from target sets to every node."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .graph import Graph, Targets


def distances(G: Graph, S: Targets, cut: bool = False) -> NDArray[np.int32]:
    """Shortest-path distance from each node of S to every node; -1 where there is no path. [p, n]"""
    return set_distances(G, G.target_set(S)[None, :], cut)[0]


def set_distances(G: Graph, sets: NDArray[np.int64], cut: bool = False) -> NDArray[np.int32]:
    """:func:`distances` for many target sets at once. sets [k, p] -> [k, p, n]"""
    from . import _kernels as kernels

    out = np.empty((*sets.shape, G.num_nodes), dtype=np.int32)
    kernels.distances(G.indptr, G.indices, sets, cut, out)
    return out


def inner_distances(G: Graph, sets: NDArray[np.int64]) -> NDArray[np.int32]:
    """Distances between the nodes of each target set, its own edges cut; -1 where there is no path. [k, p] -> [k, p, p]

    Examples
    --------
    >>> square = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])
    >>> inner_distances(square, np.array([[0, 1], [0, 2]]))[:, 0, 1].tolist()
    [3, 2]
    """
    from . import _kernels as kernels

    out = np.empty((*sets.shape, sets.shape[1]), dtype=np.int32)
    kernels.inner_distances(G.indptr, G.indices, sets, out)
    return out
