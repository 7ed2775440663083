"""Shortest-path distances from target sets to every node."""

from __future__ import annotations

from collections.abc import Iterator

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


def distance_to_set(G: Graph, S: NDArray[np.int64]) -> NDArray[np.int64]:
    """The distance of each node to the nearest of S, -1 without a path. [n]"""
    away = distances(G, S).astype(np.int64)
    nearest = np.where(away < 0, G.num_nodes, away).min(axis=0)
    return np.where(nearest == G.num_nodes, -1, nearest)


def inner_distances(G: Graph, sets: NDArray[np.int64]) -> NDArray[np.int32]:
    """Distances between the nodes of each target set, edges inside it cut; -1 without a path. [k, p] -> [k, p, p]

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


def components(G: Graph) -> NDArray[np.int32]:
    """The connected component of each node, 0, 1, 2, ... [n]

    Examples
    --------
    >>> components(Graph.from_edges([(0, 2), (1, 3)], num_nodes=5)).tolist()
    [0, 1, 0, 1, 2]
    """
    from scipy.sparse.csgraph import connected_components

    _, component = connected_components(G.to_scipy(), directed=False)
    return component


def rings(G: Graph, start: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """The nodes at distance 0, 1, 2, ... from the nearest of ``start``, each ring ascending.

    Lazy: the first few rings cost little, however large the graph.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)])
    >>> [ring.tolist() for ring in rings(path, np.array([1]))]
    [[1], [0, 2], [3], [4]]
    """
    seen = np.zeros(G.num_nodes, dtype=bool)
    ring = np.unique(start)
    while len(ring):
        seen[ring] = True
        yield ring
        near = G.indices[entries_of(G, ring)]
        ring = np.unique(near[~seen[near]]).astype(np.int64)


def entries_of(G: Graph, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places in ``G.indices`` of the neighbors of these nodes, node by node."""
    degrees = G.degrees[nodes]
    ends = np.cumsum(degrees)
    return np.arange(degrees.sum()) + np.repeat(G.indptr[nodes] - (ends - degrees), degrees)


def induced(G: Graph, nodes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The graph on some of the nodes, ascending, as CSR arrays (indptr, indices), numbered by their places.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)])
    >>> [part.tolist() for part in induced(path, np.array([1, 2, 4]))]
    [[0, 1, 2, 2], [1, 0]]
    """
    from scipy.sparse import csr_array

    far = G.indices[entries_of(G, nodes)]
    starts = np.concatenate([[0], np.cumsum(G.degrees[nodes])])
    part = csr_array((np.ones(len(far), dtype=bool), far, starts), shape=(len(nodes), G.num_nodes))[:, nodes]
    return part.indptr.astype(np.int64), part.indices.astype(np.int32)
