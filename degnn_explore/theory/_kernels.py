"""The compiled loops of the Theory Lab, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ..expressive._kernels import ball

Ints = NDArray[Any]


@njit(cache=True, nogil=True)
def random_network(
    start: Ints,
    arcs: Ints,
    tags: Ints,
    hops: int,
    layers: int,
    roots: Ints,
    weights: Ints,
    biases: Ints,
    scale: Ints,
    smooth: bool,
    out: Ints,
) -> None:
    """The representation of each root as its own target after 1..layers layers; out [layers, roots, hidden].

    weights [layers, K + 1, width, hidden], biases [layers, hidden], scale [K + 1]; the first layer takes the one-hot of
    the distance. ``smooth``: tanh instead of ReLU.
    """
    n = len(start) - 1
    depth, hidden, width = hops * layers, weights.shape[3], weights.shape[2]
    dist = np.full(n, -1, dtype=np.int64)
    place = np.empty(n, dtype=np.int64)
    queue = np.empty(n, dtype=np.int64)
    ends = np.empty(depth + 1, dtype=np.int64)
    h = np.zeros((n, width), dtype=weights.dtype)
    finer = np.zeros((n, hidden), dtype=weights.dtype)
    total = np.zeros((hops + 1, width), dtype=weights.dtype)
    zero = weights.dtype.type(0)
    for r in range(len(roots)):
        reached = ball(start, arcs, tags, roots[r], depth, dist, queue, ends)
        for i in range(reached):
            place[queue[i]] = i
            h[i] = zero
            h[i, dist[queue[i]]] = weights.dtype.type(1)
        for layer in range(1, layers + 1):
            inner = ends[hops * (layers - layer)]
            length = hidden if layer > 1 else depth + 1
            for i in range(inner):
                u = queue[i]
                total[:] = zero
                total[0] = h[i]
                for e in range(start[u], start[u + 1]):
                    k, w = tags[e], place[arcs[e]]
                    for j in range(length):
                        total[k, j] += h[w, j]
                new = finer[i]
                new[:] = biases[layer - 1]
                for k in range(hops + 1):
                    for j in range(length):
                        x = total[k, j] * scale[k]
                        if x != zero:
                            for m in range(hidden):
                                new[m] += x * weights[layer - 1, k, j, m]
                for m in range(hidden):
                    new[m] = np.tanh(new[m]) if smooth else max(new[m], zero)
            for i in range(inner):
                h[i, :hidden] = finer[i]
            out[layer - 1, r] = finer[0]
        for i in range(reached):
            dist[queue[i]] = -1


@njit(cache=True, nogil=True, fastmath=True)
def close_pairs(points: Ints, copies: Ints, line: Ints, reach: float) -> int:
    """How many pairs are within ``reach``, each point standing for so many equal ones.

    ``line`` holds the points' places along a unit vector, ascending: pairs further apart on it need no look.
    """
    count = 0
    limit = reach * reach
    for i in range(len(line)):
        count += copies[i] * (copies[i] - 1) // 2
        j = i + 1
        while j < len(line) and line[j] - line[i] <= 1.01 * reach:
            total = 0.0
            for k in range(points.shape[1]):
                step = points[i, k] - points[j, k]
                total += step * step
            if total <= limit:
                count += copies[i] * copies[j]
            j += 1
    return count


@njit(cache=True, nogil=True)
def find_isomorphism(a: Ints, b: Ints, kind_a: Ints, kind_b: Ints, order: Ints, budget: int) -> int:
    """1 if a node map takes adjacency a to b and kind_a to kind_b, 0 if none does, -1 if the budget ran out.

    Depth-first: node ``order[d]`` of a is sent to each free node of b in turn, and every link to the nodes before it
    is checked.
    """
    n = len(a)
    image = np.full(n, -1, dtype=np.int64)
    taken = np.zeros(n, dtype=np.bool_)
    tried = np.zeros(n + 1, dtype=np.int64)
    d, steps = 0, 0
    while d < n:
        u = order[d]
        if image[u] >= 0:  # back here: the choice made before led nowhere
            taken[image[u]] = False
            image[u] = -1
        placed = False
        while tried[d] < n and not placed:
            w = tried[d]
            tried[d] += 1
            if taken[w] or kind_a[u] != kind_b[w]:
                continue
            fits = True
            for e in range(d):
                if a[u, order[e]] != b[w, image[order[e]]]:
                    fits = False
                    break
            if fits:
                image[u] = w
                taken[w] = True
                placed = True
        steps += 1
        if steps > budget:
            return -1
        if placed:
            d += 1
            tried[d] = 0
        else:
            if d == 0:
                return 0
            d -= 1
    return 1
