"""The compiled loops that turn balls into blocks and flat ego-networks: count, fill, gather a batch."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..common.compiled import compiled
from ._ball import GCN, HOPS, MEAN, MOST_NODES, SUM_POOL, Array, Net, Request, Scratch, ball, copy, release
from ._shells import dense_shell_means, shared_shell_means, shell_means, shells_of
from ._zeta import features


class FlatBlocks(NamedTuple):
    """The blocks of many sets one after the other; what belongs to set i begins at ``*_ptr[i]``.

    The sparse matrix of step 1 has A rows for each node, in local numbers; those of later steps are its first rows.
    """

    rows: Array  # [s, T + 1] nodes at each level
    entries: Array  # [s, T] entries of each step's matrix
    row_ptr: Array
    head_ptr: Array
    entry_ptr: Array
    x_self: Array  # [N, d]
    x_agg: Array  # [N, A, d]
    scale: Array  # [N] 1 / sqrt(degree + 1), gcn only
    length: Array  # [heads] entries of each row of the matrix
    column: Array  # [entries]


class FlatEgos(NamedTuple):
    """Ego-networks one after the other: nodes of set i are ``node_ptr[i]:node_ptr[i + 1]``, its edges
    ``edge_ptr[i]:edge_ptr[i + 1]``, each in both directions."""

    node_ptr: Array
    edge_ptr: Array
    nodes: Array  # [N] the node of G, in BFS order from S: the targets come first
    distance: Array  # [N] its distance to S, 0..hops
    degree: Array  # [N] its degree in the cut graph, neighbors outside the ego-network included
    x: Array  # [N, d] features, float32
    length: Array  # [N] its neighbors inside the ego-network
    column: Array  # [E] which they are, row by row, counted from the set's first node


@compiled(plain=False)
def count_blocks(
    net: Net,
    request: Request,
    sets: Array,
    caps: Any,
    scratch: Scratch,
    rows: Array,
    entries: Array,
    lost: Array,
    neighbors: Any,
    shells: Any,
) -> None:
    """The size of each set: rows [s, T + 1] of each level, entries [s, T] of each step, nodes dropped [s].

    ``caps``, ``neighbors`` and ``shells`` are None or not, see :func:`fill_blocks`.
    """
    T, K, level, shell = request.layers, request.hops, scratch.level, scratch.shell
    for s in range(len(sets)):
        radius, whole = K * T, True
        if caps is not None and caps[s]:
            radius, whole = request.ball, False
        count, lost[s] = ball(net, sets[s], radius, radius - 1, caps, s, request.seed, scratch)
        release(scratch, count)
        for j in range(T + 1):
            rows[s, j] = level[K * (T - j) + 1]
        if whole and rows[s, 0] > MOST_NODES:
            continue  # counted again with a cap
        done, total = 0, 0
        for j in range(T, 0, -1):  # the rows of a later level are the first ones of an earlier level
            if neighbors is not None:
                entries[s, j - 1] = scratch.lptr[rows[s, j]] + (rows[s, j] if request.aggregation == GCN else 0)
            if shells is not None:
                for i in range(done, rows[s, j]):
                    shells_of(scratch, i, K)
                    total += shell[K + 1] - 1 + K
                done = rows[s, j]
                entries[s, j - 1] = total


@compiled(plain=False)
def fill_blocks(
    net: Net,
    request: Request,
    sets: Array,
    caps: Any,
    begin: int,
    end: int,
    scratch: Scratch,
    flat: FlatBlocks,
    neighbors: Any,
    alone: Any,
    shared: Any,
    paths: Any,
    walks: Any,
    own: Any,
) -> int:
    """Write the blocks of sets begin..end. Returns 0, or the bytes that a ball of them would need beyond the budget.

    ``caps`` is None if no set is capped. One of the next three is not None: ``neighbors`` for an aggregation over
    neighbors; for "hops" ``shared``, the :class:`Shells` of the graph, or ``alone``, if those of each set are searched.
    ``paths``, ``walks`` and ``own`` are as in :func:`features`. What belongs to a None is not compiled.
    """
    radius, p, d = request.ball, sets.shape[1], flat.x_self.shape[1]
    expand = radius if request.reach > radius else radius - 1
    for s in range(begin, end):
        count, _ = ball(net, sets[s], radius, expand, caps, s, request.seed, scratch)
        seen, at, first = scratch.level[request.radius + 1], flat.row_ptr[s], flat.rows[s, 0]
        if 4 * seen * d > request.budget:
            release(scratch, count)
            return 4 * seen * d
        x = np.empty((seen, d), np.float32)
        features(net, request, sets[s], scratch, seen, radius, x, paths, walks, own)
        release(scratch, count)
        for i in range(first):
            for c in range(d):
                flat.x_self[at + i, c] = x[i, c]
        if neighbors is not None:
            _fill_neighbors(net, request, scratch, x, p, s, flat)
        if shared is not None:
            unit = np.float32(1) if request.pool == SUM_POOL else np.float32(1) / np.float32(p)
            shared_shell_means(net, shared, scratch, p, x, unit, flat.x_agg[at : at + first])
            _fill_shells(request, scratch, s, flat)
        if alone is not None:
            inner, out = scratch.level[request.radius], flat.x_agg[at : at + first]
            per_shell = (scratch.lptr[inner] / inner) ** request.hops  # about as many nodes as that
            if request.hops > 1 and seen <= 8192 and 4.0 * per_shell > seen and not request.raw:
                dense_shell_means(scratch.lptr, scratch.lcol, inner, first, x, out)
            elif not request.raw:
                shell_means(scratch, x, out)
            _fill_shells(request, scratch, s, flat)
    return 0


@compiled(plain=False)
def _fill_neighbors(net: Net, request: Request, scratch: Scratch, x: Array, p: int, s: int, flat: FlatBlocks) -> None:
    """The aggregations over neighbors, "gcn", "mean" and "sum": x_agg and the matrix of step 1 of set s."""
    lptr, lcol, length, column = scratch.lptr, scratch.lcol, flat.length, flat.column
    gcn, d = request.aggregation == GCN, x.shape[1]
    at, head, entry = flat.row_ptr[s], flat.head_ptr[s], flat.entry_ptr[s]
    if gcn:  # x_u / sqrt(d_u + 1) is what is summed
        for i in range(len(x)):
            u = scratch.order[i]
            degree = net.indptr[u + 1] - net.indptr[u] - (scratch.cut[i] if i < p else 0)
            scale = np.float32(1.0 / np.sqrt(degree + 1.0))
            if i < flat.rows[s, 0]:
                flat.scale[at + i] = scale
            for c in range(d):
                x[i, c] *= scale
    total = np.empty(d)
    for i in range(0 if request.raw else flat.rows[s, 0]):
        begin, end = lptr[i], lptr[i + 1]
        for c in range(d):
            total[c] = x[i, c] if gcn else 0.0
        for e in range(begin, end):
            j = np.uint64(lcol[np.uint64(e)])
            for c in range(d):
                total[c] += x[j, c]
        factor = 1.0
        if gcn:
            factor = flat.scale[at + i]
        elif request.aggregation == MEAN:
            factor = 1.0 / (end - begin if end > begin else 1)
        for c in range(d):
            flat.x_agg[at + i, 0, c] = total[c] * factor
    for i in range(flat.rows[s, 1] if request.layers > 0 else 0):
        begin, end = lptr[i], lptr[i + 1]
        length[head + i] = end - begin + gcn
        if gcn:
            column[entry] = i
            entry += 1
        copy(lcol, begin, end - begin, column, entry)
        entry += end - begin


@compiled(plain=False)
def _fill_shells(request: Request, scratch: Scratch, s: int, flat: FlatBlocks) -> None:
    """The aggregation "hops", over the shell at each distance: the matrix of step 1 of set s."""
    queue, shell, head, entry = scratch.queue, scratch.shell, flat.head_ptr[s], flat.entry_ptr[s]
    for i in range(flat.rows[s, 1] if request.layers > 0 else 0):
        shells_of(scratch, i, request.hops)
        for k in range(request.hops):
            begin, size = shell[k + 1], shell[k + 2] - shell[k + 1]
            flat.length[head] = size + 1
            flat.column[entry] = i
            copy(queue, begin, size, flat.column, entry + 1)
            head += 1
            entry += size + 1


@compiled(plain=False)
def count_egos(
    net: Net, request: Request, sets: Array, caps: Any, scratch: Scratch, nodes: Array, edges: Array, lost: Array
) -> None:
    """The size of each ego-network: nodes [s], directed edges [s], and nodes dropped by the cap [s]."""
    radius = request.ball
    for s in range(len(sets)):
        count, lost[s] = ball(net, sets[s], radius, radius, caps, s, request.seed, scratch)
        release(scratch, count)
        inner = scratch.level[request.radius + 1]
        nodes[s] = inner
        edges[s] = scratch.lptr[inner]
        if inner < count:
            for e in range(scratch.lptr[inner]):
                if scratch.lcol[e] >= inner:
                    edges[s] -= 1


@compiled(plain=False)
def fill_egos(
    net: Net,
    request: Request,
    sets: Array,
    caps: Any,
    begin: int,
    end: int,
    scratch: Scratch,
    flat: FlatEgos,
    paths: Any,
    walks: Any,
    own: Any,
) -> None:
    """Write the ego-networks of sets begin..end; ``paths``, ``walks`` and ``own`` are as in :func:`features`."""
    p, radius = sets.shape[1], request.ball
    order, lptr, lcol, level, cut = scratch.order, scratch.lptr, scratch.lcol, scratch.level, scratch.cut
    for s in range(begin, end):
        count, _ = ball(net, sets[s], radius, radius, caps, s, request.seed, scratch)
        inner, at, entry = level[request.radius + 1], flat.node_ptr[s], flat.edge_ptr[s]
        features(net, request, sets[s], scratch, inner, radius, flat.x[at : at + inner], paths, walks, own)
        release(scratch, count)
        for r in range(request.radius + 1):
            flat.distance[at + level[r] : at + level[r + 1]] = r
        for i in range(inner):
            u = order[i]
            flat.nodes[at + i] = u
            flat.degree[at + i] = net.indptr[u + 1] - net.indptr[u] - (cut[i] if i < p else 0)
            flat.length[at + i] = lptr[i + 1] - lptr[i]
        if inner == count:
            copy(lcol, 0, lptr[inner], flat.column, entry)
            continue
        for i in range(inner):  # the ball reaches beyond the ego-network: skip neighbors outside
            before = entry
            for e in range(lptr[i], lptr[i + 1]):
                if lcol[e] < inner:
                    flat.column[entry] = lcol[e]
                    entry += 1
            flat.length[at + i] = entry - before


@compiled(plain=False)
def gather_step(
    index: Array,
    aggregation: int,
    heads: int,
    before: int,
    flat: FlatBlocks,
    self_index: Array,
    ptr: Array,
    col: Array,
    weight: Array,
    back_ptr: Array,
    back_col: Array,
    back_weight: Array,
) -> None:
    """The sparse matrix of one step for the sets in ``index``, and its transpose for the way back.

    From level ``before`` to the next; ``heads`` = A rows for each node.
    """
    rows, length, column, scale = flat.rows, flat.length, flat.column, flat.scale
    row, start, entry = 0, 0, 0
    for c in range(len(back_ptr)):
        back_ptr[c] = 0
    ptr[0] = 0
    for i in index:
        head, source, at = flat.head_ptr[i], flat.entry_ptr[i], flat.row_ptr[i]
        for r in range(rows[i, before + 1]):
            self_index[row] = start + r
            for k in range(heads):
                size = length[head]
                head += 1
                value = np.float32(1.0)
                if aggregation in (MEAN, HOPS):
                    value = np.float32(1.0) / np.float32(size if size > 0 else 1)
                for _ in range(size):
                    c = column[source]
                    source += 1
                    col[entry] = start + c
                    back_ptr[start + c + 1] += 1
                    if aggregation == GCN:
                        value = scale[at + r] * scale[at + c]
                    weight[entry] = value
                    entry += 1
                ptr[row * heads + k + 1] = entry
            row += 1
        start += rows[i, before]
    for c in range(start):
        back_ptr[c + 1] += back_ptr[c]
    for r in range(row * heads):
        for e in range(ptr[r], ptr[r + 1]):
            place = back_ptr[col[e]]
            back_col[place] = r
            back_weight[place] = weight[e]
            back_ptr[col[e]] += 1
    for c in range(start, 0, -1):
        back_ptr[c] = back_ptr[c - 1]
    back_ptr[0] = 0


@compiled(plain=False)
def gather_egos(
    index: Array, flat: FlatEgos, x: Array, node: Array, distance: Array, edge_index: Array, batch: Array
) -> None:
    """The ego-networks of the sets in ``index``, one after the other, with the number of the set at each node.

    Array by array in numpy an epoch's batches take two to four times as long.
    """
    row, entry = 0, 0
    for number in range(len(index)):
        i, start = index[number], row
        source = flat.edge_ptr[i]
        for at in range(flat.node_ptr[i], flat.node_ptr[i + 1]):
            for c in range(x.shape[1]):
                x[row, c] = flat.x[at, c]
            node[row], distance[row], batch[row] = flat.nodes[at], flat.distance[at], number
            for _ in range(flat.length[at]):
                edge_index[0, entry], edge_index[1, entry] = start + flat.column[source], row
                source += 1
                entry += 1
            row += 1
