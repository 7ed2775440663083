"""The compiled loops over whole graphs, and nothing else.

``inside`` marks the nodes of S when the edges between them are cut; it is all False otherwise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

Ints = NDArray[Any]


@njit(cache=True, nogil=True)
def _bfs(indptr: Ints, indices: Ints, source: int, inside: Ints, queue: Ints, dist: Ints, depth: int) -> int:
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
            _bfs(indptr, indices, sets[i, j], inside, queue, out[i, j], n)
        inside[sets[i]] = False


@njit(cache=True, nogil=True)
def walk_sums(
    indptr: Ints, indices: Ints, sets: Ints, cut: bool, steps: int, primes: Ints, points: Ints, inverse: Ints, out: Ints
) -> None:
    """sum over k = 0..steps of z^k (W^k)_{uv} modulo each prime, for v in each set; out [k, n, p, primes].

    ``inverse[q, d]`` is 1/d modulo prime q; every number stays below 2^31, so products fit 64 bits.
    """
    n = len(indptr) - 1
    inside = np.zeros(n, dtype=np.bool_)
    degree = np.empty(n, dtype=np.int64)
    x = np.empty(n, dtype=np.int64)
    y = np.empty(n, dtype=np.int64)
    out[:] = 0
    for i in range(sets.shape[0]):
        if cut:
            inside[sets[i]] = True
        for u in range(n):
            degree[u] = indptr[u + 1] - indptr[u]
            if inside[u]:
                for e in range(indptr[u], indptr[u + 1]):
                    if inside[indices[e]]:
                        degree[u] -= 1
        for j in range(sets.shape[1]):
            for q in range(len(primes)):
                prime, z = primes[q], 1
                x[:] = 0
                x[sets[i, j]] = 1
                out[i, sets[i, j], j, q] = 1
                for _ in range(steps):
                    z = z * points[q] % prime
                    for u in range(n):
                        y[u] = x[u] * inverse[q, degree[u]] % prime
                    for u in range(n):
                        total = 0
                        for e in range(indptr[u], indptr[u + 1]):
                            w = indices[e]
                            if not (inside[u] and inside[w]):
                                total += y[w]
                        x[u] = total % prime
                        out[i, u, j, q] = (out[i, u, j, q] + z * x[u]) % prime
        inside[sets[i]] = False


@njit(cache=True, nogil=True)
def khop_arcs(indptr: Ints, indices: Ints, S: Ints, cut: bool, hops: int) -> tuple[Ints, Ints, Ints]:
    """All (u, w) with 1 <= distance <= hops in CSR form: (indptr, indices, distance), neighbours in BFS order."""
    n = len(indptr) - 1
    inside = np.zeros(n, dtype=np.bool_)
    if cut:
        inside[S] = True
    queue = np.empty(n, dtype=np.int64)
    dist = np.full(n, -1, dtype=np.int64)
    start = np.zeros(n + 1, dtype=np.int64)
    for u in range(n):
        reached = _bfs(indptr, indices, u, inside, queue, dist, hops)
        start[u + 1] = start[u] + reached - 1
        dist[queue[:reached]] = -1
    arcs = np.empty(start[n], dtype=np.int64)
    tags = np.empty(start[n], dtype=np.int64)
    for u in range(n):
        reached = _bfs(indptr, indices, u, inside, queue, dist, hops)
        arcs[start[u] : start[u + 1]] = queue[1:reached]
        tags[start[u] : start[u + 1]] = dist[queue[1:reached]]
        dist[queue[:reached]] = -1
    return start, arcs, tags


@njit(cache=True, nogil=True)
def _sort_row(row: Ints) -> None:
    if len(row) > 48:
        row.sort()
        return
    for i in range(1, len(row)):
        value = row[i]
        j = i - 1
        while j >= 0 and row[j] > value:
            row[j + 1] = row[j]
            j -= 1
        row[j + 1] = value


@njit(types.uint64(types.uint64, types.uint64), cache=True, nogil=True)
def _mix(h: Any, value: Any) -> Any:
    h = (h ^ value) * np.uint64(0x9E3779B97F4A7C15)
    return h ^ (h >> np.uint64(29))


@njit(cache=True, nogil=True)
def group_rows(indptr: Ints, rows: Ints, own: Ints, out: Ints) -> int:
    """Numbers equal (own, row) alike, 0.. in order of first appearance. Exact: rows are compared, not hashes.

    Row u is ``rows[indptr[u]:indptr[u+1]]``. Returns the number of classes.
    """
    n = len(own)
    size = 16
    while size < 2 * n:
        size *= 2
    table = np.full(size, -1, dtype=np.int64)
    mask = np.uint64(size - 1)
    classes = 0
    for u in range(n):
        a, b = indptr[u], indptr[u + 1]
        h = _mix(np.uint64(b - a), np.uint64(own[u]))
        for e in range(a, b):
            h = _mix(h, np.uint64(rows[e]))
        slot = np.int64(h & mask)
        while True:
            v = table[slot]
            if v < 0:
                table[slot] = u
                out[u] = classes
                classes += 1
                break
            start = indptr[v]
            same = own[v] == own[u] and indptr[v + 1] - start == b - a
            e = 0
            while same and e < b - a:
                same = rows[start + e] == rows[a + e]
                e += 1
            if same:
                out[u] = out[v]
                break
            slot = (slot + 1) & np.int64(size - 1)
    return classes


@njit(cache=True, nogil=True)
def neighbour_rows(indptr: Ints, indices: Ints, tags: Ints, colour: Ints, classes: int, rows: Ints) -> None:
    """For each node its neighbours' (tag, colour), as one sorted row of tag * classes + colour."""
    for u in range(len(indptr) - 1):
        for e in range(indptr[u], indptr[u + 1]):
            rows[e] = tags[e] * classes + colour[indices[e]]
        _sort_row(rows[indptr[u] : indptr[u + 1]])


@njit(cache=True, nogil=True)
def pair_sums(colour: Ints, classes: int, start: int, rows: int, out: Ints) -> None:
    """Two 64-bit sums over w of a mix of (colour[w, v], colour[u, w]): a fingerprint of 2-WL's multiset.

    For the pairs (u, v) with start <= u < start + rows; out [rows * n, 2].
    """
    n = colour.shape[0]
    for i in range(rows):
        u = start + i
        for v in range(n):
            first, second = np.uint64(0), np.uint64(0)
            for w in range(n):
                h = _mix(np.uint64(0x51ED270B), np.uint64(colour[w, v] * classes + colour[u, w]))
                h = _mix(h, h >> np.uint64(32))
                first += h
                second += _mix(h, np.uint64(0x2545F491))
            out[i * n + v, 0] = np.int64(first)
            out[i * n + v, 1] = np.int64(second)
