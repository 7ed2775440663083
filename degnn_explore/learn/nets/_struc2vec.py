"""The numba loops of struc2vec (Ribeiro et al., 2017): rings, warped distances, walks. Nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...common.compiled import compiled

Array = NDArray[Any]


@compiled(plain=False)
def rings(indptr: Array, indices: Array, sources: Array, depth: int, start: Array, degree: Array, count: Array) -> None:
    """Ring k around source i is ``degree[start[i, k]:start[i, k + 1]]``, ascending, each degree with its ``count``.

    Pass empty ``degree`` and ``count`` to have ``start`` filled with lengths only.
    """
    n = len(indptr) - 1
    away = np.full(n, -1, dtype=np.int64)
    queue = np.empty(n, dtype=np.int64)
    fill = len(degree) > 0
    for i in range(len(sources)):
        queue[0] = sources[i]
        away[sources[i]] = 0
        begin, end = 0, 1
        for k in range(depth):
            found = np.empty(end - begin, dtype=np.int64)
            for j in range(begin, end):
                found[j - begin] = indptr[queue[j] + 1] - indptr[queue[j]]
            found.sort()
            out = start[i, k] if fill else 0
            length = 0
            for j in range(len(found)):
                if j == 0 or found[j] != found[j - 1]:
                    length += 1
                    if fill:
                        degree[out + length - 1] = found[j]
                        count[out + length - 1] = 0
                if fill:
                    count[out + length - 1] += 1
            if not fill:
                start[i, k + 1] = length
            last = end
            for j in range(begin, last):
                u = queue[j]
                for e in range(indptr[u], indptr[u + 1]):
                    w = indices[e]
                    if away[w] < 0:
                        away[w] = k + 1
                        queue[end] = w
                        end += 1
            begin = last
        for j in range(end):
            away[queue[j]] = -1


@compiled(plain=False)
def closest_in_degree(order: Array, degrees: Array, position: Array, sources: Array, wanted: int, out: Array) -> None:
    """For each source the ``wanted`` other nodes closest in degree, walking outwards in the sorted ``order``."""
    n = len(order)
    for i in range(len(sources)):
        u = sources[i]
        low, high = position[u] - 1, position[u] + 1
        for j in range(wanted):
            down = low >= 0 and (high >= n or degrees[u] - degrees[order[low]] <= degrees[order[high]] - degrees[u])
            if down:
                out[i, j] = order[low]
                low -= 1
            else:
                out[i, j] = order[high]
                high += 1


@compiled(plain=False)
def warped(a_degree: Array, a_count: Array, b_degree: Array, b_count: Array) -> float:
    """Dynamic time warping of two compressed degree sequences (OPT1, Section 3.5 of struc2vec).

    Aligning degree a, held by m nodes, with b, held by n, costs (max(a, b) / min(a, b) - 1) max(m, n), as in the full
    sequences; but a degree aligned with several others pays its count each time, so this is an upper bound of theirs.
    As in the authors' code, both degrees are raised by 1/2, so that a node without edges has a finite distance.
    """
    rows, columns = len(a_degree), len(b_degree)
    before = np.full(columns + 1, np.inf)
    before[0] = 0.0
    for i in range(rows):
        now = np.full(columns + 1, np.inf)
        for j in range(columns):
            high = max(a_degree[i], b_degree[j]) + 0.5
            low = min(a_degree[i], b_degree[j]) + 0.5
            cost = (high / low - 1.0) * max(a_count[i], b_count[j])
            now[j + 1] = cost + min(before[j], before[j + 1], now[j])
        before = now
    return before[columns]


@compiled(plain=False)
def distances(pairs: Array, start: Array, degree: Array, count: Array, out: Array) -> None:
    """f_k(u, v) for each pair and layer k, the sum of the warped distances of rings 0..k; inf past the last ring."""
    depth = out.shape[1]
    for i in range(len(pairs)):
        u, v = pairs[i, 0], pairs[i, 1]
        total = 0.0
        for k in range(depth):
            a, b = slice(start[u, k], start[u, k + 1]), slice(start[v, k], start[v, k + 1])
            if a.start == a.stop or b.start == b.stop:
                total = np.inf
            else:
                total += warped(degree[a], count[a], degree[b], count[b])
            out[i, k] = total


@compiled(plain=False)
def running_weights(ptr: Array, distance: Array, out: Array) -> None:
    """Running sums of exp(-f_k) over the neighbors of each node, in each layer; f_k in ``distance``.

    Each node's sums start at zero and are divided by its largest weight, which no transition probability notices: the
    weights of a hub, far from every node, would be lost otherwise. All are 0 without a neighbor in the layer.
    """
    for k in range(len(distance)):
        for u in range(len(ptr) - 1):
            nearest = np.inf
            for j in range(ptr[u], ptr[u + 1]):
                nearest = min(nearest, distance[k, j])
            total = 0.0
            for j in range(ptr[u], ptr[u + 1]):
                if distance[k, j] < np.inf:
                    total += np.exp(nearest - distance[k, j])
                out[k, j] = total


@compiled(plain=False)
def walks(
    ptr: Array,
    neighbor: Array,
    cumulative: Array,
    up: Array,
    reach: Array,
    starts: Array,
    stay: float,
    rng: np.random.Generator,
    out: Array,
) -> None:
    """Walks over the layers. From u in layer k: with ``stay`` to a neighbor of that layer, else a layer up or down.

    ``cumulative`` is from :func:`running_weights`, ``up[k, u]`` the chance of moving up rather than down, ``reach[u]``
    the highest layer that u has a neighbor in. A walk that would leave the layers keeps its layer and draws again.
    """
    length = out.shape[1]
    for i in range(len(starts)):
        u, k = starts[i], 0
        out[i, 0] = u
        step = 1
        while step < length:
            if rng.random() < stay:
                low, high = ptr[u], ptr[u + 1]
                # below the last sum, so it falls on a neighbor of positive weight, which is in layer k as well
                draw = rng.random() * cumulative[k, high - 1]
                u = neighbor[low + np.searchsorted(cumulative[k, low:high], draw, side="right")]
                out[i, step] = u
                step += 1
            elif rng.random() < up[k, u]:
                if k < reach[u]:
                    k += 1
            elif k > 0:
                k -= 1
