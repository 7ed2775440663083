"""The compiled loops of the Theory Lab, and nothing else.

Many graphs are handed in as one: the disjoint union of them, in the form of ``kernels.khop_arcs``: for each node
its neighbours within K hops, nearest first, each with its distance ("tag").
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ..graphs._kernels import _mix, _sort_row

Ints = NDArray[Any]
TAG = 1 << 40  # a neighbour in a row is tag * TAG + colour: fewer than 2^40 colours, tags below 2^23


@njit(cache=True, nogil=True)
def _ball(start: Ints, arcs: Ints, tags: Ints, root: int, depth: int, dist: Ints, queue: Ints, ends: Ints) -> int:
    """The nodes within ``depth`` of ``root`` into ``queue``, nearest first; ``ends[d]``: how many within d."""
    dist[root] = 0
    queue[0] = root
    head, tail = 0, 1
    for d in range(depth):
        ends[d] = tail
        while head < ends[d]:
            u = queue[head]
            head += 1
            for e in range(start[u], start[u + 1]):
                if tags[e] > 1:
                    break
                w = arcs[e]
                if dist[w] < 0:
                    dist[w] = d + 1
                    queue[tail] = w
                    tail += 1
    ends[depth] = tail
    return tail


@njit(cache=True, nogil=True)
def _grown(old: Ints, size: int) -> Ints:
    new = np.empty(max(size, 2 * len(old)), dtype=np.int64)
    new[: len(old)] = old
    return new


@njit(cache=True, nogil=True)
def root_colours(
    start: Ints,
    arcs: Ints,
    tags: Ints,
    hops: int,
    layers: int,
    slots: Ints,
    hashes: Ints,
    bounds: Ints,
    words: Ints,
    used: int,
    out: Ints,
) -> tuple[Ints, Ints, Ints, Ints, int]:
    """The colour of every node as its own target after 0..layers layers; out [layers + 1, n].

    A colour of layer 0 is a distance; a colour above is the number of its row (own colour, sorted neighbours) in a
    dictionary that goes on from call to call: ``slots`` is its hash table, row i is ``words[bounds[i]:bounds[i+1]]``,
    ``used`` the number of rows. Rows are compared word for word, so the colours are exact.
    """
    n = len(start) - 1
    depth = hops * layers
    first = depth + 1  # colours below are distances
    dist = np.full(n, -1, dtype=np.int64)
    colour = np.zeros(n, dtype=np.int64)
    finer = np.zeros(n, dtype=np.int64)
    queue = np.empty(n, dtype=np.int64)
    ends = np.empty(depth + 1, dtype=np.int64)
    longest = 1
    for u in range(n):
        longest = max(longest, start[u + 1] - start[u] + 1)
    row = np.empty(longest, dtype=np.int64)
    for root in range(n):
        reached = _ball(start, arcs, tags, root, depth, dist, queue, ends)
        new_rows, new_words = 0, 0
        for layer in range(1, layers + 1):
            new_rows += ends[hops * (layers - layer)]
        for i in range(ends[hops * (layers - 1)] if layers else 0):
            new_words += (start[queue[i] + 1] - start[queue[i]] + 1) * layers
        if used + new_rows >= len(hashes):
            hashes = _grown(hashes, used + new_rows + 1)
            bounds = _grown(bounds, len(hashes) + 1)
        if bounds[used] + new_words > len(words):
            words = _grown(words, bounds[used] + new_words)
        if 2 * (used + new_rows) > len(slots):
            size = len(slots)
            while size < 4 * (used + new_rows):
                size *= 2
            slots = np.full(size, -1, dtype=np.int64)
            for i in range(used):
                slot = hashes[i] & (size - 1)
                while slots[slot] >= 0:
                    slot = (slot + 1) & (size - 1)
                slots[slot] = i
        for i in range(reached):
            colour[queue[i]] = dist[queue[i]]
        out[0, root] = 0
        for layer in range(1, layers + 1):
            inner = ends[hops * (layers - layer)]  # only these can still reach the root
            for i in range(inner):
                u = queue[i]
                length = start[u + 1] - start[u] + 1
                for e in range(start[u], start[u + 1]):
                    row[e - start[u] + 1] = tags[e] * TAG + colour[arcs[e]]
                row[0] = -1
                _sort_row(row[:length])
                row[0] = colour[u]
                h = np.uint64(length)
                for k in range(length):
                    h = _mix(h, np.uint64(row[k]))
                mixed = np.int64(h >> np.uint64(1))
                slot = mixed & (len(slots) - 1)
                while True:
                    known = slots[slot]
                    if known < 0:
                        slots[slot] = used
                        hashes[used] = mixed
                        words[bounds[used] : bounds[used] + length] = row[:length]
                        bounds[used + 1] = bounds[used] + length
                        known = used
                        used += 1
                        break
                    at = bounds[known]
                    same = hashes[known] == mixed and bounds[known + 1] - at == length
                    k = 0
                    while same and k < length:
                        same = words[at + k] == row[k]
                        k += 1
                    if same:
                        break
                    slot = (slot + 1) & (len(slots) - 1)
                finer[u] = first + known
            for i in range(inner):
                colour[queue[i]] = finer[queue[i]]
            out[layer, root] = colour[root]
        for i in range(reached):
            dist[queue[i]] = -1
    return slots, hashes, bounds, words, used


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
        reached = _ball(start, arcs, tags, roots[r], depth, dist, queue, ends)
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
