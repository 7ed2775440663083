"""The compiled loops of the ego-network engine: balls around target sets, ζ on them, features.

Everything here works on one target set at a time, on the graph with the edges inside S cut. Nodes
of the ball get local numbers in BFS order: the targets are 0..p-1, and the nodes within r hops are
always the first ``level[r + 1]`` ones. All kernels release the GIL and are run by plain threads:
numba's own parallel loops may not be entered from two threads at once, which a notebook does.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]

NONE, SPD, WALK, DRNL = 0, 1, 2, 3  # encodings
MEAN_POOL, SUM_POOL, NO_POOL = 0, 1, 2
GCN, MEAN, SUM, HOPS = 0, 1, 2, 3  # aggregations
FAR = np.int32(2**31 - 1)  # a distance not found


class Net(NamedTuple):
    """What is computed once a graph."""

    indptr: Array
    indices: Array
    base: Array  # float32 [n, b]: log-degree (if asked), then the graph's attributes
    logs: Array  # float32: log(1 + d) for each degree d
    component: Array  # connected component of each node


class Plan(NamedTuple):
    """What is asked of every set."""

    layers: int  # number of levels T: sparse steps in a batch
    hops: int  # K
    radius: int  # the ego-network reaches this far from S
    reach: int  # paths or walks of ζ are at most this long
    encoding: int
    width: int  # columns of ζ(u|v)
    pool: int
    aggregation: int
    raw: bool
    degree: bool
    cap: int  # nodes kept at each hop; 0: all
    seed: np.uint64


class Scratch(NamedTuple):
    """Working memory of one thread, large enough for any ball; pages not touched take no room.

    ``local``, ``owner`` and ``chain`` are -1 wherever no set is at work.
    """

    local: Array  # [n] number of each node in the ball
    owner: Array  # [n], for searches over the whole graph
    chain: Array  # [n]
    order: Array  # [n + 1] the nodes of the ball
    root: Array  # [n + 1] the target each was found from
    lptr: Array  # [n + 1] the rows of the ball
    lcol: Array  # [2 m + 1]
    dist: Array  # [p, n]
    queue: Array  # [n]
    now: Array  # [n]
    then: Array  # [n]
    mark: Array  # [n + 1], zero at first; the last one counts searches
    x: Array  # [n, d]
    scale: Array  # [n]


@njit(cache=True, nogil=True)
def components(indptr: Array, indices: Array, component: Array) -> None:
    """The connected component of each node, named after its smallest node; ``component`` comes in as -1."""
    n = len(indptr) - 1
    queue = np.empty(n, dtype=component.dtype)
    for start in range(n):
        if component[start] >= 0:
            continue
        component[start] = start
        queue[0] = start
        head, tail = 0, 1
        while head < tail:
            u = queue[head]
            head += 1
            for e in range(indptr[u], indptr[u + 1]):
                x = indices[e]
                if component[x] < 0:
                    component[x] = start
                    queue[tail] = x
                    tail += 1


@njit(cache=True, nogil=True)
def _mix(x: Any) -> Any:
    """splitmix64's finaliser: 64 well-mixed bits."""
    x = np.uint64(x) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@njit(cache=True, nogil=True)
def copy(source: Array, begin: int, size: int, out: Array, at: int) -> None:
    """out[at : at + size] = source[begin : begin + size] for flat arrays; numba compiles slices ten times slower."""
    for i in range(size):
        out[at + i] = source[begin + i]


@njit(cache=True, nogil=True)
def _thin(order: Array, root: Array, begin: int, end: int, cap: int, key: Any, local: Array) -> int:
    """Keep ``cap`` of the nodes begin..end, chosen by hash: a function of the seed, the set and the
    node alone. The others are marked -2 and put behind, so that no later hop takes them in."""
    keys = np.empty(end - begin, dtype=np.uint64)
    for i in range(begin, end):
        keys[i - begin] = _mix(key ^ _mix(np.uint64(order[i])))
    limit = np.uint64(0)  # the cap keys below it are kept: found bit by bit
    for bit in range(63, -1, -1):
        trial = limit | (np.uint64(1) << np.uint64(bit))
        below = 0
        for h in keys:
            if h < trial:
                below += 1
        if below <= cap:
            limit = trial
        if below == cap:
            break
    kept = begin
    dropped = np.empty(end - begin - cap, dtype=order.dtype)
    lost = 0
    for i in range(begin, end):
        if keys[i - begin] < limit and kept < begin + cap:
            order[kept] = order[i]
            root[kept] = root[i]
            local[order[kept]] = kept
            kept += 1
        else:
            dropped[lost] = order[i]
            local[order[i]] = -2
            lost += 1
    copy(dropped, 0, lost, order, kept)
    return kept


@njit(cache=True, nogil=True)
def ball(
    net: Net, targets: Array, radius: int, expand: int, cap: int, seed: Any, scratch: Scratch, level: Array, cut: Array
) -> tuple[int, int]:
    """The nodes within ``radius`` hops of S in BFS order, and the rows of those within ``expand``.

    Afterwards ``order[i]`` is node i of the ball, ``root[i]`` the target it was found from,
    ``level[r]`` the first node at distance r, row i of the cut graph ``lcol[lptr[i]:lptr[i + 1]]``
    (neighbours inside the ball only) and ``cut[i]`` the number of edges target i lost. ``local``
    is left set: call :func:`release`. ``expand`` is radius - 1 or radius. Returns the number of
    nodes and that of nodes dropped by ``cap``.

    Indices are cast to unsigned where it counts: numba then leaves out the test for negative ones.
    """
    indptr, indices = net.indptr, net.indices
    local, order, root, lptr, lcol = scratch.local, scratch.order, scratch.root, scratch.lptr, scratch.lcol
    p = len(targets)
    key = seed
    for i in range(p):
        order[i], root[i] = targets[i], i
        local[targets[i]] = i
        cut[i] = 0
        key += _mix(np.uint64(targets[i]))
    count, entries, lost = p, 0, 0
    gone = np.empty(0, dtype=order.dtype)
    level[0], level[1] = 0, p
    lptr[0] = 0
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
                        local[x] = j
                        order[j] = x
                        root[j] = source
                        count += 1
                    lcol[entries] = j
                    entries += 1
            else:
                for e in range(begin, stop):  # without branches: whether x is new cannot be foretold
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
        if 0 < cap < count - end:
            kept = _thin(order, root, end, count, cap, key, local)
            before, gone = gone, np.empty(lost + count - kept, dtype=order.dtype)
            copy(before, 0, lost, gone, 0)
            copy(order, kept, count - kept, gone, lost)
            lost += count - kept
            count = kept
        level[r + 2] = count
    first = level[radius]
    if lost:  # the kept nodes were renumbered: their rows have to be read again
        first, entries = 0, 0
        for i in range(lost):
            local[gone[i]] = -1
    for i in range(first, level[expand + 1] if expand >= 0 else 0):
        for e in range(indptr[order[i]], indptr[order[i] + 1]):
            j = local[np.uint64(indices[np.uint64(e)])]
            lcol[np.uint64(entries)] = j
            entries += j >= 0 and not (i < p and j < p)
        lptr[i + 1] = entries
    return count, lost


@njit(cache=True, nogil=True)
def release(scratch: Scratch, count: int) -> None:
    """Forget the ball: O(its size), not O(n)."""
    for i in range(count):
        scratch.local[scratch.order[i]] = -1


@njit(cache=True, nogil=True)
def _merge(group: Array, a: int, b: int) -> None:
    old, new = group[a], group[b]
    for i in range(len(group)):
        if group[i] == old:
            group[i] = new


@njit(cache=True, nogil=True)
def _near(scratch: Scratch, count: int, p: int, reach: int, group: Array) -> None:
    """dist[v, u] = SPD in the cut graph where it is at most ``reach``, FAR elsewhere.

    Targets whose searches touch are put in one group (of connected targets).
    """
    lptr, lcol, queue, root = scratch.lptr, scratch.lcol, scratch.queue, scratch.root
    for v in range(p):
        row = scratch.dist[v]
        for u in range(count):
            row[u] = FAR
        if reach < 0:
            continue
        row[v] = 0
        queue[0] = v
        head, tail = 0, 1
        while head < tail:
            u = queue[head]
            head += 1
            d = row[u] + 1
            if d >= reach:  # the last nodes need not be searched from, so there is nothing to decide
                if d == reach:
                    last = np.int32(reach)
                    for e in range(lptr[u], lptr[u + 1]):
                        x = np.uint64(lcol[np.uint64(e)])
                        row[x] = min(row[x], last)
                continue
            for e in range(lptr[u], lptr[u + 1]):
                x = np.uint64(lcol[np.uint64(e)])
                if row[x] == FAR:
                    row[x] = d
                    queue[tail] = x
                    tail += 1
        apart = 0
        for i in range(p):
            apart += group[i] != group[v]
        if apart:
            for u in range(count):
                if row[u] != FAR and group[root[u]] != group[v]:
                    _merge(group, root[u], v)


@njit(cache=True, nogil=True)
def _connect(net: Net, targets: Array, cut: Array, group: Array, scratch: Scratch) -> None:
    """Finish ``group``: two targets share one if and only if the cut graph connects them.

    Different components of G stay apart, and without cut edges equal ones belong together. For
    the rest, searches from the targets go on in step, a node at a time, until they have met or
    all but one are exhausted, so that the smaller side decides the cost.
    """
    p = len(targets)
    pending = False
    cuts = 0
    for i in range(p):
        cuts += cut[i]
    for a in range(p):
        for b in range(a):
            if group[a] != group[b] and net.component[targets[a]] == net.component[targets[b]]:
                if cuts == 0:
                    _merge(group, a, b)
                else:
                    pending = True
    if not pending:
        return
    local, owner, chain = scratch.local, scratch.owner, scratch.chain
    head = np.empty(p, dtype=np.int64)
    tail = np.empty(p, dtype=np.int64)
    for i in range(p):
        owner[targets[i]] = i
        chain[targets[i]] = -1
        head[i] = tail[i] = targets[i]
    while True:
        # A group still searches while one of its members has a node to expand; the search can
        # end when at most one group of each component does.
        open_pairs = False
        for a in range(p):
            for b in range(a):
                if (
                    head[a] >= 0
                    and head[b] >= 0
                    and group[a] != group[b]
                    and net.component[targets[a]] == net.component[targets[b]]
                ):
                    open_pairs = True
        if not open_pairs:
            break
        for i in range(p):
            u = head[i]
            if u < 0:
                continue
            for e in range(net.indptr[u], net.indptr[u + 1]):
                x = net.indices[e]
                if 0 <= local[u] < p and 0 <= local[x] < p:
                    continue
                if owner[x] < 0:
                    owner[x] = i
                    chain[x] = -1
                    chain[tail[i]] = x
                    tail[i] = x
                elif group[owner[x]] != group[i]:
                    _merge(group, owner[x], i)
            head[i] = chain[u]
    for i in range(p):
        u = np.int64(targets[i])
        while u >= 0:
            owner[u] = -1
            u = chain[u]


@njit(cache=True, nogil=True)
def _walk(
    net: Net, plan: Plan, scratch: Scratch, p: int, rows: int, level: Array, radius: int, cut: Array, x: Array
) -> None:
    """Landing probabilities of walks from each target on the cut graph, into the last columns of x."""
    lptr, lcol, now, then = scratch.lptr, scratch.lcol, scratch.now, scratch.then
    count, steps, begin = level[radius + 1], plan.reach, net.base.shape[1]
    share = 1.0 / p if plan.pool == MEAN_POOL else 1.0
    total = np.zeros((rows if plan.pool != NO_POOL else 0, steps + 1))
    for v in range(p):
        now[:count] = 0.0
        now[v] = 1.0
        for k in range(steps + 1):
            if plan.pool == NO_POOL:
                for i in range(rows):
                    x[i, begin + v * (steps + 1) + k] = now[i]
            else:
                for i in range(rows):
                    total[i, k] += now[i]
            if k == steps:
                break
            then[:count] = 0.0
            for i in range(level[min(k, radius) + 1]):  # after k steps a walk is within k hops of S
                degree = net.indptr[scratch.order[i] + 1] - net.indptr[scratch.order[i]] - (cut[i] if i < p else 0)
                if now[i] != 0.0 and degree > 0:
                    part = now[i] / degree
                    for e in range(lptr[i], lptr[i + 1]):
                        then[np.uint64(lcol[np.uint64(e)])] += part
            now, then = then, now
    if plan.pool != NO_POOL:
        for i in range(rows):
            for k in range(steps + 1):
                x[i, begin + k] = total[i, k] * share


@njit(cache=True, nogil=True)
def features(
    net: Net, plan: Plan, targets: Array, scratch: Scratch, rows: int, level: Array, radius: int, cut: Array, x: Array
) -> None:
    """The features of the first ``rows`` nodes of the ball into ``x``: degree, attributes, ζ(u|S)."""
    p, base, count = len(targets), net.base.shape[1], level[radius + 1]
    order, root, dist = scratch.order, scratch.root, scratch.dist
    for i in range(rows):
        for c in range(base):
            x[i, c] = net.base[order[i], c]
    if plan.degree:
        for i in range(p):
            x[i, 0] = net.logs[net.indptr[targets[i] + 1] - net.indptr[targets[i]] - cut[i]]
    if plan.encoding == NONE:
        return
    if plan.encoding == WALK:
        _walk(net, plan, scratch, p, rows, level, radius, cut, x)
        return
    group = np.arange(p)
    _near(scratch, count, p, plan.reach, group)
    for i in range(p):
        if group[i] != group[0]:
            _connect(net, targets, cut, group, scratch)
            break
    x[:rows, base:] = 0.0
    far = plan.reach + 1  # max_dist
    if plan.encoding == SPD:
        for v in range(p):
            row = dist[v]
            begin = base + (v * plan.width if plan.pool == NO_POOL else 0)
            for i in range(rows):
                k = row[i]
                if k == FAR:
                    k = far if group[root[i]] == group[v] else far + 1
                x[i, begin + k] += 1.0
        if plan.pool == MEAN_POOL and p > 1:
            for i in range(rows):
                for c in range(base, base + plan.width):
                    x[i, c] /= np.float32(p)
    else:
        for i in range(rows):
            label = 1
            if i >= p:
                a, b = min(dist[0, i], far), min(dist[1, i], far)
                half = (a + b) // 2
                label = 1 + min(a, b) + half * (half + (a + b) % 2 - 1)
                if group[0] != group[1]:
                    label = 0
            x[i, base + label] = 1.0
