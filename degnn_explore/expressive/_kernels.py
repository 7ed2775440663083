"""The compiled loops of color refinement, and nothing else.

``arcs`` lead from each node to those within K hops, nearest first, each with its distance ("tag"): see ``khop_arcs``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.compiled import compiled
from ..graphs._kernels import bfs

Ints = NDArray[Any]
TAG = 1 << 40  # a neighbor in a row is tag * TAG + color: fewer than 2^40 colors, hop below 2^23


@compiled
def khop_arcs(indptr: Ints, indices: Ints, hops: int) -> tuple[Ints, Ints, Ints]:
    """All (u, w) with 1 <= distance <= hops in CSR form: (indptr, indices, distance), neighbors in BFS order."""
    n = len(indptr) - 1
    inside = np.zeros(n, dtype=np.bool_)
    queue = np.empty(n, dtype=np.int64)
    dist = np.full(n, -1, dtype=np.int64)
    start = np.zeros(n + 1, dtype=np.int64)
    for u in range(n):
        reached = bfs(indptr, indices, u, inside, queue, dist, hops)
        start[u + 1] = start[u] + reached - 1
        dist[queue[:reached]] = -1
    arcs = np.empty(start[n], dtype=np.int64)
    hop = np.empty(start[n], dtype=np.int64)
    for u in range(n):
        reached = bfs(indptr, indices, u, inside, queue, dist, hops)
        arcs[start[u] : start[u + 1]] = queue[1:reached]
        hop[start[u] : start[u + 1]] = dist[queue[1:reached]]
        dist[queue[:reached]] = -1
    return start, arcs, hop


@compiled
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


@compiled
def _mix(h: Any, value: Any) -> Any:
    h = (h ^ value) * np.uint64(0x9E3779B97F4A7C15)
    return h ^ (h >> np.uint64(29))


@compiled
def _stir(a: Any, b: Any) -> Any:
    """The two mixed so that sums of such values do not meet by the structure of a graph."""
    h = _mix(_mix(np.uint64(0x51ED270B), a), b)
    return _mix(h, h >> np.uint64(32))


@compiled
def group_rows(indptr: Ints, rows: Ints, color: Ints, out: Ints) -> int:
    """Numbers equal (color, row) alike, 0.. in order of first appearance. Exact: rows are compared, not hashes.

    Row u is ``rows[indptr[u]:indptr[u+1]]``. Returns the number of classes.
    """
    n = len(color)
    size = 16
    while size < 2 * n:
        size *= 2
    table = np.full(size, -1, dtype=np.int64)
    mask = np.uint64(size - 1)
    classes = 0
    for u in range(n):
        a, b = indptr[u], indptr[u + 1]
        h = _mix(np.uint64(b - a), np.uint64(color[u]))
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
            same = color[v] == color[u] and indptr[v + 1] - start == b - a
            e = 0
            while same and e < b - a:
                same = rows[start + e] == rows[a + e]
                e += 1
            if same:
                out[u] = out[v]
                break
            slot = (slot + 1) & np.int64(size - 1)
    return classes


@compiled
def refine_layer(
    indptr: Ints, indices: Ints, hop: Ints, color: Ints, size: Ints, count: int, dirty: Ints, scratch: Ints
) -> tuple[Ints, Ints, int]:
    """One layer of refinement, in place: the rows whose color changed, those to look at next, how many colors.

    Only ``dirty`` rows have a neighbor of a new color, which no other row has: they part from the rest of their
    class, and from each other by their sorted (tag, color) of neighbors. The rest of a class, or else its largest
    part, keeps the number. ``size`` [rows] counts each color, ``scratch`` [rows] is -1 everywhere.
    """
    start = np.zeros(len(dirty) + 1, dtype=np.int64)
    for i in range(len(dirty)):
        start[i + 1] = start[i] + indptr[dirty[i] + 1] - indptr[dirty[i]]
    rows = np.empty(start[-1], dtype=np.int64)
    part = np.empty(len(dirty), dtype=np.int64)
    for i in range(len(dirty)):
        for k in range(start[i + 1] - start[i]):
            e = indptr[dirty[i]] + k
            rows[start[i] + k] = hop[e] * TAG + color[indices[e]]
        _sort_row(rows[start[i] : start[i + 1]])
    old = color[dirty]
    parts = group_rows(start, rows, old, part)
    home, amount, number = np.zeros((3, parts), dtype=np.int64)
    for i in range(len(dirty)):
        home[part[i]] = old[i]
        amount[part[i]] += 1
        size[old[i]] -= 1
    for q in range(parts):  # which part keeps the number of its class
        heir = scratch[home[q]]
        if size[home[q]] == 0 and (heir < 0 or amount[q] > amount[heir]):
            scratch[home[q]] = q
    for q in range(parts):
        number[q] = home[q]
        if scratch[home[q]] != q:
            number[q] = count
            count += 1
    for q in range(parts):
        scratch[home[q]] = -1
        size[number[q]] += amount[q]
    changed = dirty[number[part] != old]
    color[dirty] = number[part]
    reach = 0
    for u in changed:
        reach += indptr[u + 1] - indptr[u]
    following = np.empty(reach, dtype=np.int64)
    length = 0
    for u in changed:
        for e in range(indptr[u], indptr[u + 1]):
            if scratch[indices[e]] < 0:
                scratch[indices[e]] = 0
                following[length] = indices[e]
                length += 1
    scratch[following[:length]] = -1
    return changed, following[:length], count


@compiled
def pair_sums(color: Ints, classes: int, begin: int, end: int, out: Ints) -> None:
    """Two 64-bit sums over w of a mix of (color[w, v], color[u, w]): a fingerprint of 2-WL's multiset.

    For the pairs (u, v) with begin <= u < end; out [n * n, 2].
    """
    n = color.shape[0]
    sums = np.empty((2, n), dtype=np.uint64)
    for u in range(begin, end):
        sums[:] = np.uint64(0)
        for w in range(n):
            for v in range(n):
                h = _mix(np.uint64(0x51ED270B), np.uint64(color[w, v] * classes + color[u, w]))
                h = _mix(h, h >> np.uint64(32))
                sums[0, v] += h
                sums[1, v] += _mix(h, np.uint64(0x2545F491))
        out[u * n : (u + 1) * n] = sums.T.astype(np.int64)


@compiled
def root_colors(
    indptr: Ints, indices: Ints, start: Ints, arcs: Ints, hop: Ints, hops: int, layers: int, out: Ints
) -> None:
    """The color of every node as its own target after 1..layers layers; out [layers + 1, n, 2], two 64-bit words.

    A color of layer 0 is a distance, 0 for every target, and ``out[0]`` stays as it is. One above is mixed from the
    node's own and the sum over its neighbors of their mixed (tag, color): different words prove different colors.
    """
    n = len(indptr) - 1
    inside = np.zeros(n, dtype=np.bool_)
    dist = np.full(n, -1, dtype=np.int64)
    queue = np.empty(n, dtype=np.int64)
    color = np.empty((n, 2), dtype=np.uint64)
    finer = np.empty((n, 2), dtype=np.uint64)
    for root in range(n):
        reached = inner = bfs(indptr, indices, root, inside, queue, dist, hops * layers)
        for u in queue[:reached]:
            color[u, 0] = _stir(np.uint64(dist[u]), np.uint64(0x51ED270B))
            color[u, 1] = _stir(np.uint64(dist[u]), np.uint64(0x2545F491))
        for layer in range(1, layers + 1):
            while dist[queue[inner - 1]] > hops * (layers - layer):  # it can no longer reach the root
                inner -= 1
            for u in queue[:inner]:
                first, second = np.uint64(0), np.uint64(0)
                for e in range(start[u], start[u + 1]):
                    a, b = color[arcs[e], 0], color[arcs[e], 1]
                    first += _stir(a + np.uint64(hop[e]), b)
                    second += _stir(b + np.uint64(hop[e]), a)
                finer[u, 0] = _stir(color[u, 0], first)
                finer[u, 1] = _stir(color[u, 1], second)
            for u in queue[:inner]:
                color[u] = finer[u]
            out[layer, root] = color[root]
        dist[queue[:reached]] = -1


@compiled
def find_isomorphism(a: Ints, b: Ints, kind_a: Ints, kind_b: Ints, order: Ints, budget: int, image: Ints) -> int:
    """1 if a node map takes adjacency a to b and kind_a to kind_b, 0 if none does, -1 if the budget ran out.

    Depth-first: node ``order[d]`` of a is sent to each free node of b in turn, its own number first, and every link to
    the nodes before it is checked. The map is left in ``image`` [n].
    """
    n = len(a)
    image[:] = -1
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
            w = (u + tried[d]) % n
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
