"""Centralities of the nodes, compiled where they need a search from every node."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...common.compiled import compiled
from ...graphs.graph import Graph

Ints = NDArray[Any]
_SOURCES = 2000  # searches at most; on a larger graph from nodes spread evenly


def centralities(graph: Graph) -> NDArray[np.float64]:
    """Seven columns a node, those that span powers of ten by their logarithm. [n, 7]

    Degree, mean degree of the neighbors, clustering coefficient, core number, harmonic closeness, betweenness and
    PageRank (α = 0.85). On graphs of more than 2,000 nodes closeness and betweenness are estimated from as many.
    """
    from networkx import core_number

    n, degrees = graph.num_nodes, graph.degrees.astype(np.float64)
    A = graph.to_scipy().astype(np.float64)
    around = np.maximum(degrees, 1)
    triangles = (A @ A).multiply(A).sum(axis=1) / 2
    clustering = triangles / np.maximum(degrees * (degrees - 1) / 2, 1)
    rank = np.full(n, 1 / n)
    for _ in range(100):
        rank = 0.15 / n + 0.85 * (A @ (rank / around) + rank[degrees == 0].sum() / n)
    sources = np.unique(np.linspace(0, n - 1, min(n, _SOURCES)).astype(np.int64))
    near, between = searches(graph.indptr, graph.indices, sources)
    share = n / len(sources)
    wide = np.log1p([degrees, A @ degrees / around, between * share])
    core = np.array([number for _, number in sorted(core_number(graph.to_networkx()).items())])
    return np.stack([*wide, clustering, np.log1p(core), near * share / max(1, n - 1), np.log(n * rank)], axis=1)


@compiled(plain=False)
def searches(indptr: Ints, indices: Ints, sources: Ints) -> tuple[Ints, Ints]:
    """For each node the sum of 1 / distance to the sources, and the shortest paths through it (Brandes, 2001)."""
    n = len(indptr) - 1
    near, between = np.zeros(n), np.zeros(n)
    order = np.empty(n, dtype=np.int64)
    for source in sources:
        dist = np.full(n, -1, dtype=np.int64)
        paths, share = np.zeros(n), np.zeros(n)
        dist[source], paths[source], order[0] = 0, 1.0, source
        head, tail = 0, 1
        while head < tail:
            u = order[head]
            head += 1
            for e in range(indptr[u], indptr[u + 1]):
                w = indices[e]
                if dist[w] < 0:
                    dist[w] = dist[u] + 1
                    order[tail] = w
                    tail += 1
                if dist[w] == dist[u] + 1:
                    paths[w] += paths[u]
        for i in range(tail - 1, 0, -1):
            w = order[i]
            near[w] += 1 / dist[w]
            between[w] += share[w]
            for e in range(indptr[w], indptr[w + 1]):
                u = indices[e]
                if dist[u] == dist[w] - 1:
                    share[u] += paths[u] / paths[w] * (1 + share[w])
    return near, between / 2  # each pair was seen from both ends
