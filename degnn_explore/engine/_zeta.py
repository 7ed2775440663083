"""The compiled loops that encode a ball: ζ(u|S) and the other features of its nodes, on the cut graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..common.compiled import compiled
from ._ball import FAR, MEAN_POOL, NO_POOL, SPD, Array, Net, OwnRows, Paths, Request, Scratch, Walks, ball, release


@compiled(plain=False)
def _merge(group: Array, a: int, b: int) -> None:
    old, new = group[a], group[b]
    for i in range(len(group)):
        if group[i] == old:
            group[i] = new


@compiled(plain=False)
def _apart(net: Net, targets: Array, head: Array, group: Array) -> bool:
    """Whether two targets of one component are in different groups and both searches can continue."""
    for a in range(len(targets)):
        for b in range(a):
            apart = group[a] != group[b] and net.component[targets[a]] == net.component[targets[b]]
            if apart and head[a] >= 0 and head[b] >= 0:
                return True
    return False


@compiled(plain=False)
def _connect(net: Net, targets: Array, scratch: Scratch, paths: Paths) -> None:
    """Finish ``group``: two targets share one if and only if the cut graph connects them.

    Targets of different components of G stay apart; without cut edges, those of one component belong
    together. Otherwise searches from all targets advance in turn, a node at a time, until they meet or
    all but one are exhausted, so that the smaller side decides the cost.
    """
    p = len(targets)
    local, owner, chain, group = scratch.local, paths.owner, paths.chain, paths.group
    lost = 0
    for i in range(p):
        lost += scratch.cut[i]
    if not lost:
        for a in range(p):
            for b in range(a):
                if net.component[targets[a]] == net.component[targets[b]]:
                    _merge(group, a, b)
        return
    head, tail = targets.copy(), targets.copy()
    for i in range(p):
        owner[targets[i]] = i
        chain[targets[i]] = -1
    while _apart(net, targets, head, group):
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
                    _merge(group, np.int64(owner[x]), i)
            head[i] = chain[u]
    for i in range(p):
        u = np.int64(targets[i])
        while u >= 0:
            owner[u] = -1
            u = chain[u]


@compiled(plain=False)
def _degree(net: Net, scratch: Scratch, p: int, i: int) -> int:
    """The degree of node i of the ball in the cut graph."""
    u = scratch.order[i]
    return net.indptr[u + 1] - net.indptr[u] - (scratch.cut[i] if i < p else 0)


@compiled(plain=False)
def _walk(
    net: Net, scratch: Scratch, walks: Walks, p: int, rows: int, radius: int, steps: int, pool: int, x: Array
) -> None:
    """Landing probabilities of walks of at most ``steps`` from each target on the cut graph, into x."""
    lptr, lcol, now, then = scratch.lptr, scratch.lcol, walks.now, walks.then
    level, count = scratch.level, scratch.level[radius + 1]
    share = 1.0 / p if pool == MEAN_POOL else 1.0
    total = np.zeros((rows if pool != NO_POOL else 0, steps + 1))
    for v in range(p):
        for i in range(count):
            now[i] = 0.0
        now[v] = 1.0
        for k in range(steps + 1):
            if pool == NO_POOL:
                for i in range(rows):
                    x[i, v * (steps + 1) + k] = now[i]
            else:
                for i in range(rows):
                    total[i, k] += now[i]
            if k == steps:
                break
            for i in range(count):
                then[i] = 0.0
            for i in range(level[min(k, radius) + 1]):  # after k steps a walk is within k hops of S
                degree = _degree(net, scratch, p, i)
                if now[i] != 0.0 and degree > 0:
                    part = now[i] / degree
                    for e in range(lptr[i], lptr[i + 1]):
                        then[np.uint64(lcol[np.uint64(e)])] += part
            now, then = then, now
    if pool != NO_POOL:
        for i in range(rows):
            for k in range(steps + 1):
                x[i, k] = total[i, k] * share


@compiled(plain=False)
def _read_own(own: OwnRows, rows: int, pool: int, x: Array) -> None:
    """ζ(u|S) of the next ``rows`` into x, pooled from a user's ζ(u|v) for each v in S."""
    zeta, width, first = own.zeta, x.shape[1], own.read[0]
    own.read[0] = first + rows
    times = zeta.shape[1] // width  # p; 1 where nothing is pooled
    share = 1.0 / times if pool == MEAN_POOL else 1.0
    for i in range(rows):
        for c in range(width):
            total = zeta[first + i, c]
            for v in range(1, times):
                total += zeta[first + i, v * width + c]
            x[i, c] = total * share


@compiled(plain=False)
def _distances(net: Net, targets: Array, count: int, reach: int, scratch: Scratch, paths: Paths) -> None:
    """dist[v, u] = SPD in the cut graph where it is at most ``reach``, FAR elsewhere; and the group of each target."""
    lptr, lcol, queue, root = scratch.lptr, scratch.lcol, scratch.queue, scratch.root
    p, group = len(targets), paths.group
    for v in range(p):
        group[v] = v
    for v in range(p):
        row = paths.dist[v]
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
            if d >= reach:  # the search ends here: no node of this distance is visited from
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
                    _merge(group, np.int64(root[u]), v)
    for i in range(p):
        if group[i] != group[0]:
            _connect(net, targets, scratch, paths)
            break


@compiled(plain=False, inner=True)
def features(
    net: Net,
    request: Request,
    targets: Array,
    scratch: Scratch,
    rows: int,
    radius: int,
    x: Array,
    paths: Any,
    walks: Any,
    own: Any,
) -> None:
    """The features of the first ``rows`` nodes of the ball into ``x``: degree, attributes, ζ(u|S).

    Of ``paths``, ``walks`` and ``own`` those that ζ does not need are None: numba then leaves that part out.
    """
    p, base, count = len(targets), net.base.shape[1], scratch.level[radius + 1]
    order = scratch.order
    for i in range(rows):
        for c in range(base):
            x[i, c] = net.base[order[i], c]
    if request.degree:
        for i in range(p):
            x[i, 0] = net.logs[net.indptr[targets[i] + 1] - net.indptr[targets[i]] - scratch.cut[i]]
    if own is not None:
        _read_own(own, rows, request.pool, x[:, base:])
    if walks is not None:
        _walk(net, scratch, walks, p, rows, radius, request.reach, request.pool, x[:, base:])
    if paths is not None:
        _distances(net, targets, count, request.reach, scratch, paths)
        root, dist, group, far = scratch.root, paths.dist, paths.group, request.reach + 1  # far: max_dist
        for i in range(rows):
            for c in range(base, x.shape[1]):
                x[i, c] = 0.0
        if request.encoding == SPD:
            for v in range(p):
                row = dist[v]
                begin = base + (v * request.width if request.pool == NO_POOL else 0)
                for i in range(rows):
                    k = row[i]
                    if k == FAR:
                        k = far if group[root[i]] == group[v] else far + 1
                    x[i, begin + k] += 1.0
            if request.pool == MEAN_POOL and p > 1:
                for i in range(rows):
                    for c in range(base, base + request.width):
                        x[i, c] /= np.float32(p)
        else:  # DRNL
            for i in range(rows):
                label = 1
                if i >= p:
                    a = dist[0, i] if dist[0, i] < far else far
                    b = dist[1, i] if dist[1, i] < far else far
                    half = (a + b) // 2
                    label = 1 + (a if a < b else b) + half * (half + (a + b) % 2 - 1)
                    if group[0] != group[1]:
                        label = 0
                x[i, base + label] = 1.0


@compiled(plain=False)
def pairs(
    net: Net,
    request: Request,
    steps: int,
    sets: Array,
    caps: Any,
    begin: int,
    end: int,
    scratch: Scratch,
    paths: Paths,
    steps_from: Walks,
    node: Array,
    walks: Array,
    distance: Array,
    degree: Array,
    target_degree: Array,
) -> tuple[int, int]:
    """The inputs of a user's ζ for the sets begin..end, or as many as fit: the number of sets and of rows.

    A row is a node of an ego-network and has p pairs: ``node`` [rows], ``distance`` [rows, p], ``walks`` [rows,
    p * (steps + 1)], ``degree`` and ``target_degree`` [rows, p]. An array without columns is not filled. If the
    first set does not fit: 0, and the rows that it needs.
    """
    p, radius, used = sets.shape[1], request.ball, 0
    expand = radius if max(request.reach, steps) > radius else radius - 1
    order, root, dist, group = scratch.order, scratch.root, paths.dist, paths.group
    for s in range(begin, end):
        targets = sets[s]
        count, _ = ball(net, targets, radius, expand, caps, s, request.seed, scratch)
        rows = scratch.level[request.radius + 1]
        if used + rows > len(node):
            release(scratch, count)
            return s - begin, used if s > begin else rows
        if distance.shape[1]:
            _distances(net, targets, count, request.reach, scratch, paths)
            for i in range(rows):
                for v in range(p):
                    far = dist[v, i]
                    if far == FAR:
                        far = request.reach + 1 if group[root[i]] == group[v] else -1
                    distance[used + i, v] = far
        if walks.shape[1]:
            _walk(net, scratch, steps_from, p, rows, radius, steps, NO_POOL, walks[used : used + rows])
        for i in range(rows):
            node[used + i] = order[i]
            for v in range(degree.shape[1]):
                degree[used + i, v] = _degree(net, scratch, p, i)
            for v in range(target_degree.shape[1]):
                target_degree[used + i, v] = _degree(net, scratch, p, v)
        release(scratch, count)
        used += rows
    return end - begin, used
