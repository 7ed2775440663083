"""A graph with some edges left out or put in: many such variants side by side, and as little of each as is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..graphs.distances import distances
from ..graphs.graph import Graph

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Neighborhood:
    """A part of a graph in which S has the same ego-network, encoding and degrees as in the whole."""

    graph: Graph
    S: Ints  # in the part's numbers
    nodes: Ints  # the numbers in the whole graph of its first nodes, ascending; then come stand-ins for what is far


def neighborhood(G: Graph, S: Ints, horizon: int, changes: Sequence[Ints] = ()) -> Neighborhood:
    """The nodes within ``horizon`` of S, and of the ends of pairs put in, with all their neighbors.

    What lies beyond counts for one thing only, whether it connects: each connected piece of it is one node.

    Examples
    --------
    >>> ring = Graph.from_edges([(i, (i + 1) % 9) for i in range(9)])
    >>> near = neighborhood(ring, np.array([0]), horizon=2)
    >>> near.nodes.tolist(), near.graph.neighbors(7).tolist()  # 7 stands for nodes 4 and 5 of the ring
    ([0, 1, 2, 3, 6, 7, 8], [3, 4])
    """
    from scipy.sparse.csgraph import connected_components

    pairs = np.concatenate([np.zeros((0, 2), np.int64), *changes])
    new = pairs[~G.has_edges(pairs)] if len(pairs) else pairs
    away = distances(G, np.unique(np.concatenate([S, new.ravel()])))
    inside = np.asarray(((away >= 0) & (away <= horizon)).any(axis=0))
    inside[pairs] = True
    edges = G.edges[inside[G.edges].any(axis=1)]
    kept = inside.copy()
    kept[edges] = True
    nodes, rim = np.flatnonzero(kept), np.flatnonzero(kept & ~inside)
    beyond = G.edges[~inside[G.edges].any(axis=1)]
    _, piece = connected_components(Graph.from_edges(beyond, G.num_nodes).to_scipy(), directed=False)
    rim = rim[np.bincount(piece[rim], minlength=G.num_nodes)[piece[rim]] > 1]  # one end connects nothing
    pieces, stand_in = np.unique(piece[rim], return_inverse=True)
    number = len(pieces)
    far = np.stack([np.searchsorted(nodes, rim), len(nodes) + stand_in], axis=1)
    attributes = None
    if G.attributes is not None:
        attributes = np.concatenate([G.attributes[nodes], np.zeros((number, G.attributes.shape[1]))])
    joined = np.concatenate([np.searchsorted(nodes, edges), far])
    part = Graph.from_edges(joined, len(nodes) + number, attributes=attributes)
    return Neighborhood(part, np.searchsorted(nodes, S), nodes)


def side_by_side(graph: Graph, changes: Sequence[Ints]) -> Graph:
    """A copy of the graph for each of ``changes``, with its pairs left out where they are edges, put in where not.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> side_by_side(path, [np.array([(1, 2)]), np.array([(0, 2)])]).edges.tolist()
    [[0, 1], [3, 4], [3, 5], [4, 5]]
    """
    n, entries, k = graph.num_nodes, len(graph.indices), len(changes)
    pairs, copy = np.concatenate(changes), np.repeat(np.arange(k), [len(each) for each in changes])
    pairs, copy = np.concatenate([pairs, pairs[:, ::-1]]), np.tile(copy, 2)  # both ways
    order = np.lexsort((pairs[:, 1], pairs[:, 0], copy))
    pairs, copy = pairs[order], copy[order]
    keys = np.append(np.repeat(np.arange(n), graph.degrees) * n + graph.indices, n * n)  # where each entry stands
    wanted = pairs @ np.array([n, 1])
    at = np.searchsorted(keys, wanted)
    edge = keys[at] == wanted
    keep = np.ones(k * entries, dtype=bool)
    keep[(copy * entries + at)[edge]] = False
    place = (copy * entries + at)[~edge]
    indices = (graph.indices + n * np.arange(k, dtype=np.int32)[:, None]).ravel()
    indices = np.insert(indices, place, (pairs[:, 1] + n * copy)[~edge])[np.insert(keep, place, True)]
    degrees = np.tile(graph.degrees, k)
    np.add.at(degrees, pairs[:, 0] + n * copy, np.where(edge, -1, 1))
    attributes = None if graph.attributes is None else np.tile(graph.attributes, (k, 1))
    return Graph(np.concatenate([[0], np.cumsum(degrees)]), indices, attributes=attributes)
