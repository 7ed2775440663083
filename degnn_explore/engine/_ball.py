"""The compiled loops of the ego-network engine: balls around target sets, ζ on them, features.

Everything here works on one target set at a time, on the graph with the edges inside S cut. Nodes
of the ball get local numbers in BFS order: the targets are 0..p-1, and the nodes within r hops are
always the first ``level[r + 1]`` ones. All kernels release the GIL and are run by plain threads:
numba's own parallel loops may not be entered from two threads at once, which a notebook does.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..common.compiled import compiled

Array = NDArray[Any]

NONE, SPD, WALK, DRNL, OWN = 0, 1, 2, 3, 4  # encodings
MEAN_POOL, SUM_POOL, NO_POOL = 0, 1, 2
GCN, MEAN, SUM, HOPS = 0, 1, 2, 3  # aggregations
FAR = np.int32(2**31 - 1)  # a distance not found
MOST_NODES = 10_000  # of an ego-network, unless max_nodes_per_hop says otherwise; 64 with 100 channels take 256 MB


class Net(NamedTuple):
    """A graph as the loops read it, computed once."""

    indptr: Array
    indices: Array
    base: Array  # float32 [n, b]: log-degree (if requested), then the graph's attributes
    logs: Array  # float32: log(1 + d) for each degree d
    component: Array  # connected component of each node


class Request(NamedTuple):
    """What to extract for every set."""

    layers: int  # number of levels T: sparse steps in a batch
    hops: int  # K
    radius: int  # the ego-network reaches this far from S
    ball: int  # paths and walks of ζ go at most this far from S
    reach: int  # and are at most this long
    encoding: int
    width: int  # columns of ζ(u|v)
    pool: int
    aggregation: int
    raw: bool
    degree: bool
    seed: np.uint64
    budget: int  # bytes that the features of one ball may take


class Scratch(NamedTuple):
    """Working memory of one thread, large enough for any ball; pages not touched take no room.

    Between two sets ``local`` is -1 everywhere.
    """

    local: Array  # [n] number of each node in the ball
    order: Array  # [n + 1] the nodes of the ball
    root: Array  # [n + 1] the target each was found from
    lptr: Array  # [n + 1] the rows of the ball
    lcol: Array  # [2 m + 1]
    queue: Array  # [n]
    mark: Array  # [n + 1], zero at first; the last one counts searches
    level: Array  # [request.ball + 2] the first node at each distance from S
    cut: Array  # [p] edges that each target lost
    shell: Array  # [K + 2]


class Paths(NamedTuple):
    """Working memory for ζ of shortest paths. Between two sets ``owner`` and ``chain`` are -1 everywhere."""

    dist: Array  # [p, n]
    group: Array  # [p] targets of one group are connected in the cut graph
    owner: Array  # [n], for searches over the whole graph
    chain: Array  # [n]


class Walks(NamedTuple):
    """Working memory for ζ of walks."""

    now: Array  # [n]
    then: Array  # [n]


class OwnRows(NamedTuple):
    """ζ(u|v) of the next sets, for encodings of your own."""

    zeta: Array  # float64 [rows, p * columns]
    read: Array  # [1] rows read so far


class Memory(NamedTuple):
    """All working memory of one thread; what ζ does not need is None, and numba then leaves out what reads it."""

    ball: Scratch
    paths: Paths | None
    walks: Walks | None
    own: OwnRows | None


@compiled(plain=False)
def _mix(x: Any) -> Any:
    """splitmix64's finalizer: 64 well-mixed bits."""
    x = np.uint64(x) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@compiled(plain=False, inner=True)
def copy(source: Array, begin: int, size: int, out: Array, at: int) -> None:
    """out[at : at + size] = source[begin : begin + size] for flat arrays; numba compiles slices ten times slower."""
    for i in range(size):
        out[at + i] = source[begin + i]


@compiled(plain=False)
def _smallest(keys: Array, number: int) -> Any:
    """The key at this position when all are sorted (Hoare's selection); numpy's takes seconds to compile."""
    low, high = 0, len(keys) - 1
    while low < high:
        pivot, i, j = keys[(low + high) // 2], low, high
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                i += 1
                j -= 1
        if number <= j:
            high = j
        elif number >= i:
            low = i
        else:
            break
    return keys[number]


@compiled(plain=False)
def _thin(order: Array, root: Array, p: int, begin: int, end: int, cap: int, seed: Any, local: Array) -> int:
    """Keep ``cap`` of the nodes begin..end, chosen by a hash of the seed, the set (the first p nodes) and the node.

    The others are marked -2 and moved to the end, so that no later hop adds them.
    """
    key = seed
    for i in range(p):
        key += _mix(np.uint64(order[i]))
    keys = np.empty(end - begin, dtype=np.uint64)
    for i in range(begin, end):
        keys[i - begin] = _mix(key ^ _mix(np.uint64(order[i])))
    limit = _smallest(keys.copy(), cap)  # the hash is one to one: exactly cap keys lie below
    kept = begin
    dropped = np.empty(end - begin - cap, dtype=order.dtype)
    lost = 0
    for i in range(begin, end):
        if keys[i - begin] < limit:
            order[kept], root[kept] = order[i], root[i]
            local[order[kept]] = kept
            kept += 1
        else:
            dropped[lost] = order[i]
            local[order[i]] = -2
            lost += 1
    copy(dropped, 0, lost, order, kept)
    return kept


@compiled(plain=False, inner=True)
def ball(
    net: Net, targets: Array, radius: int, expand: int, caps: Any, s: int, seed: Any, scratch: Scratch
) -> tuple[int, int]:
    """The nodes within ``radius`` hops of S in BFS order, and the rows of those within ``expand``.

    Afterwards ``order[i]`` is node i of the ball, ``root[i]`` the target it was found from,
    ``level[r]`` the first node at distance r, row i of the cut graph ``lcol[lptr[i]:lptr[i + 1]]``
    (neighbors inside the ball only) and ``cut[i]`` the number of edges target i lost. ``local``
    is left set: call :func:`release`. ``expand`` is radius - 1 or radius. At most ``caps[s]`` new nodes
    are kept at a hop; 0: all of them, as in all sets if ``caps`` is None. Returns the number of nodes and
    the number dropped.

    Indices in inner loops are unsigned, so that numba leaves out the test for negative ones.
    """
    indptr, indices, level, cut = net.indptr, net.indices, scratch.level, scratch.cut
    local, order, root, lptr, lcol = scratch.local, scratch.order, scratch.root, scratch.lptr, scratch.lcol
    p = len(targets)
    for i in range(p):
        order[i], root[i], cut[i] = targets[i], i, 0
        local[targets[i]] = i
    count, entries = p, 0
    gone, queue = 0, scratch.queue  # the nodes dropped so far
    level[0], level[1], lptr[0] = 0, p, 0
    for r in range(radius):
        end = level[r + 1]
        for i in range(level[r], end):
            begin, stop, source = indptr[order[i]], indptr[order[i] + 1], root[i]
            if i < p:
                for e in range(begin, stop):
                    x = indices[e]
                    j = local[x]
                    if 0 <= j < p:
                        cut[i] += 1
                        continue
                    if j == -1:
                        j = count
                        local[x], order[j], root[j] = j, x, source
                        count += 1
                    lcol[entries] = j
                    entries += 1
            else:
                for e in range(begin, stop):  # without branches: whether x is new cannot be predicted
                    x = np.uint64(indices[np.uint64(e)])
                    j = local[x]
                    order[np.uint64(count)] = x
                    root[np.uint64(count)] = source
                    j = count if j == -1 else j
                    count += j == count
                    local[x] = j
                    lcol[np.uint64(entries + e - begin)] = j
                entries += stop - begin
            lptr[i + 1] = entries
        if caps is not None and 0 < caps[s] < count - end:
            kept = _thin(order, root, p, end, count, caps[s], seed, local)
            copy(order, kept, count - kept, queue, gone)
            gone += count - kept
            count = kept
        level[r + 2] = count
    first = level[radius]
    if caps is not None and gone:  # the kept nodes were renumbered: read their rows again
        first = 0
        for i in range(gone):
            local[queue[i]] = -1
    _inner_rows(net, scratch, first, level[expand + 1] if expand >= 0 else 0, p)
    return count, gone


@compiled(plain=False)
def _inner_rows(net: Net, scratch: Scratch, first: int, end: int, p: int) -> None:
    """Rows first..end of the ball, without neighbors outside it and without edges inside S."""
    entries = scratch.lptr[first]
    indptr, indices = net.indptr, net.indices
    local, order, lptr, lcol = scratch.local, scratch.order, scratch.lptr, scratch.lcol
    for i in range(first, end):
        least = p if i < p else 0
        for e in range(indptr[order[i]], indptr[order[i] + 1]):
            j = local[np.uint64(indices[np.uint64(e)])]
            lcol[np.uint64(entries)] = j
            entries += j >= least
        lptr[i + 1] = entries


@compiled(plain=False, inner=True)
def release(scratch: Scratch, count: int) -> None:
    """Forget the ball: O(its size), not O(n)."""
    for i in range(count):
        scratch.local[scratch.order[i]] = -1
