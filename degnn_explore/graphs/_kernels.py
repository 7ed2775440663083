"""Breadth-first search, compiled, and nothing else.

``inside`` marks the nodes of S when the edges between them are cut; it is all False otherwise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[Any]


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def inner_distances(indptr: Ints, indices: Ints, sets: Ints, out: Ints) -> None:
    """Distances between the members of each set, the edges between them cut; out [k, p, p], -1: unreachable.

    Each search ends when the other members are found.
    """
    n = len(indptr) - 1
    inside = np.zeros(n, dtype=np.bool_)
    queue = np.empty(n, dtype=np.int64)
    dist = np.full(n, -1, dtype=np.int32)
    for i in range(sets.shape[0]):
        S = sets[i]
        inside[S] = True
        for j in range(len(S)):
            queue[0] = S[j]
            dist[S[j]] = 0
            head, tail, missing = 0, 1, len(S) - 1
            while head < tail and missing:
                u = queue[head]
                head += 1
                for e in range(indptr[u], indptr[u + 1]):
                    w = indices[e]
                    if dist[w] < 0 and not (inside[w] and inside[u]):
                        dist[w] = dist[u] + 1
                        queue[tail] = w
                        tail += 1
                        missing -= inside[w]
            out[i, j] = dist[S]
            dist[queue[:tail]] = -1
        inside[S] = False
