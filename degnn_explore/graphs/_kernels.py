"""Breadth-first search, compiled.

``inside`` marks the nodes of S when the edges between them are cut; it is all False otherwise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.compiled import compiled

Ints = NDArray[Any]


@compiled
def bfs(indptr: Ints, indices: Ints, source: int, inside: Ints, queue: Ints, dist: Ints, depth: int) -> int:
    """Distances from ``source`` into ``dist`` (-1 where not reached), no further than ``depth``; returns how many."""
    dist[source] = 0
    queue[0] = source
    head, tail = 0, 1
    while head < tail:
        u = queue[head]
        head += 1
        if dist[u] == depth:
            break
        for e in range(indptr[u], indptr[u + 1]):
            w = indices[e]
            if dist[w] < 0 and not (inside[u] and inside[w]):
                dist[w] = dist[u] + 1
                queue[tail] = w
                tail += 1
    return tail


@compiled
def distances(indptr: Ints, indices: Ints, sets: Ints, cut: bool, out: Ints) -> None:
    """Shortest-path distance from each member of each set to every node; out [k, p, n], -1: unreachable."""
    n = len(indptr) - 1
    inside = np.zeros(n, dtype=np.bool_)
    queue = np.empty(n, dtype=np.int64)
    out[:] = -1
    for i in range(sets.shape[0]):
        if cut:
            inside[sets[i]] = True
        for j in range(sets.shape[1]):
            bfs(indptr, indices, sets[i, j], inside, queue, out[i, j], n)
        inside[sets[i]] = False


@compiled
def inner_distances(indptr: Ints, indices: Ints, sets: Ints, out: Ints) -> None:
    """Distances between the members of each set, the edges between them cut; out [k, p, p], -1: unreachable."""
    n = len(indptr) - 1
    inside = np.zeros(n, dtype=np.bool_)
    queues = np.empty((2, n), dtype=np.int32)
    dist = np.full((2, n), -1, dtype=np.int32)
    for i in range(sets.shape[0]):
        S = sets[i]
        inside[S] = True
        for j in range(len(S)):
            out[i, j, j] = 0
            for k in range(j):
                out[i, j, k] = out[i, k, j] = _between(indptr, indices, S[j], S[k], inside, queues, dist)
        inside[S] = False


@compiled
def _between(indptr: Ints, indices: Ints, a: int, b: int, inside: Ints, queues: Ints, dist: Ints) -> int:
    """The distance between two nodes, -1 if there is no path; ``dist`` is left as it was, -1 everywhere.

    Searches from both ends, each time one step further from the end whose rim is smaller, until the two meet: on a
    graph of a million nodes that looks at some thousands of them instead of at most.
    """
    queues[0, 0], queues[1, 0] = a, b
    dist[0, a] = dist[1, b] = 0
    head, tail = np.zeros(2, dtype=np.int64), np.ones(2, dtype=np.int64)
    between = -1
    while between < 0 and head[0] < tail[0] and head[1] < tail[1]:
        near = 0 if tail[0] - head[0] <= tail[1] - head[1] else 1
        far, rim = 1 - near, tail[near]
        while head[near] < rim and between < 0:
            u = queues[near, head[near]]
            head[near] += 1
            for e in range(indptr[u], indptr[u + 1]):
                w = indices[e]
                if dist[near, w] < 0 and not (inside[w] and inside[u]):
                    dist[near, w] = dist[near, u] + 1
                    queues[near, tail[near]] = w
                    tail[near] += 1
                    if dist[far, w] >= 0:  # no shorter way: the searches had not met one step before
                        between = dist[near, w] + dist[far, w]
                        break
    for side in range(2):
        dist[side][queues[side, : tail[side]]] = -1
    return between
