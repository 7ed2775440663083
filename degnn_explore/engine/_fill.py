"""The compiled loops that turn balls into blocks and flat ego-networks, gather batches, and multiply by them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ._ball import GCN, HOPS, MEAN, Net, Plan, Scratch, ball, copy, features, release

Array = NDArray[Any]


@njit(cache=True, nogil=True)
def _ball_radius(plan: Plan) -> int:
    """A path of at most ``reach`` steps between a target and a node of the ego-network strays no further."""
    return max(plan.radius, (plan.radius + plan.reach) // 2)


@njit(cache=True, nogil=True)
def _shells(scratch: Scratch, centre: int, hops: int, shell: Array) -> None:
    """The nodes at distance exactly k of ``centre``, for k = 1..hops: queue[shell[k]:shell[k + 1]]."""
    lptr, lcol, queue, mark = scratch.lptr, scratch.lcol, scratch.queue, scratch.mark
    mark[-1] += 1
    stamp = mark[-1]  # a new one for each search: old marks need no clearing
    mark[centre] = stamp
    queue[0] = centre
    shell[0], shell[1] = 0, 1
    tail = 1
    for k in range(hops):
        for h in range(shell[k], shell[k + 1]):
            u = queue[h]
            for e in range(lptr[u], lptr[u + 1]):
                x = np.uint64(lcol[np.uint64(e)])
                if mark[x] != stamp:
                    mark[x] = stamp
                    queue[tail] = x
                    tail += 1
        shell[k + 2] = tail


@njit(cache=True, nogil=True, fastmath=True)
def _dense_shell_means(
    lptr: Array, lcol: Array, seen: int, known: int, rows: int, hops: int, x: Array, out: Array
) -> None:
    """(x_v + sum over the nodes at distance exactly k) / (their number + 1), for v = 0..rows-1. out [rows, hops, d]

    The same as walking over :func:`_shells`, for shells that hold much of the ball: sets of nodes are
    bits, their union takes a few instructions, and sums run over whole columns. ``known`` rows of
    lcol are filled; ``seen`` nodes have features.
    """
    d = x.shape[1]
    words = (seen + 63) // 64
    one = np.uint64(1)
    bits = np.zeros((known, words), np.uint64)
    for i in range(known):
        for e in range(lptr[i], lptr[i + 1]):
            if lcol[e] < seen:
                bits[i, lcol[e] >> 6] |= one << np.uint64(lcol[e] & 63)
    columns = np.zeros((d, words * 64), np.float32)
    for i in range(seen):
        for c in range(d):
            columns[c, i] = x[i, c]
    inside, fresh = np.empty(words, np.uint64), np.empty(words, np.uint64)
    member = np.zeros(words * 64, np.float32)
    for i in range(rows):
        size = lptr[i + 1] - lptr[i]
        for c in range(d):
            out[i, 0, c] = x[i, c]
        for e in range(lptr[i], lptr[i + 1]):
            for c in range(d):
                out[i, 0, c] += x[lcol[e], c]
        for c in range(d):
            out[i, 0, c] /= size + 1
        copy(bits[i], 0, words, inside, 0)
        inside[i >> 6] |= one << np.uint64(i & 63)
        for k in range(1, hops):
            fresh[:] = 0
            if k == 1:
                for e in range(lptr[i], lptr[i + 1]):
                    row = bits[lcol[e]]
                    for w in range(words):
                        fresh[w] |= row[w]
            else:
                for u in range(known):
                    if member[u] != 0:
                        row = bits[u]
                        for w in range(words):
                            fresh[w] |= row[w]
            for w in range(words):
                fresh[w] &= ~inside[w]
                inside[w] |= fresh[w]
            number = np.float32(0)
            for w in range(words):
                word = fresh[w]
                for b in range(64):
                    member[w * 64 + b] = np.float32((word >> np.uint64(b)) & one)
            for u in range(words * 64):
                number += member[u]
            for c in range(d):
                column, total = columns[c], np.float32(0)
                for u in range(words * 64):
                    total += member[u] * column[u]
                out[i, k, c] = (x[i, c] + total) / (number + np.float32(1))


@njit(cache=True, nogil=True)
def count_blocks(net: Net, plan: Plan, sets: Array, scratch: Scratch, rows: Array, entries: Array, lost: Array) -> None:
    """How much each set needs: rows [s, T + 1] of each level, entries [s, T] of each step, nodes dropped [s]."""
    p, T, K = sets.shape[1], plan.layers, plan.hops
    radius = _ball_radius(plan) if plan.cap else K * T
    level, cut, shell = np.zeros(radius + 2, np.int64), np.zeros(p, np.int64), np.zeros(K + 2, np.int64)
    for s in range(len(sets)):
        count, lost[s] = ball(net, sets[s], radius, radius - 1, plan.cap, plan.seed, scratch, level, cut)
        release(scratch, count)
        for j in range(T + 1):
            rows[s, j] = level[K * (T - j) + 1]
        done, total = 0, 0
        for j in range(T, 0, -1):  # the rows of a later level are the first ones of an earlier level
            if plan.aggregation == HOPS:
                for i in range(done, rows[s, j]):
                    _shells(scratch, i, K, shell)
                    total += shell[K + 1] - 1 + K
            else:
                total = scratch.lptr[rows[s, j]] + (rows[s, j] if plan.aggregation == GCN else 0)
            done = rows[s, j]
            entries[s, j - 1] = total


@njit(cache=True, nogil=True)
def fill_blocks(
    net: Net,
    plan: Plan,
    sets: Array,
    scratch: Scratch,
    rows: Array,
    row_ptr: Array,
    head_ptr: Array,
    entry_ptr: Array,
    x_self: Array,
    x_agg: Array,
    scale: Array,
    length: Array,
    column: Array,
) -> None:
    """Write the blocks of each set where row_ptr, head_ptr and entry_ptr say.

    x_self [N, d] and x_agg [N, A, d] are the first-layer rows, ``scale`` (gcn only) is
    1 / sqrt(degree + 1) of each; ``length`` and ``column`` are the rows of the sparse matrix of
    step 1, A for each node, in local numbers. Those of later steps are their first rows.
    """
    p, K = sets.shape[1], plan.hops
    radius = _ball_radius(plan)
    level, cut, shell = np.zeros(radius + 2, np.int64), np.zeros(p, np.int64), np.zeros(K + 2, np.int64)
    order, lptr, lcol, queue, x, root_scale = (
        scratch.order,
        scratch.lptr,
        scratch.lcol,
        scratch.queue,
        scratch.x,
        scratch.scale,
    )
    d = x_self.shape[1]
    total = np.empty(d)
    for s in range(len(sets)):
        count, _ = ball(
            net,
            sets[s],
            radius,
            radius if plan.reach > radius else radius - 1,
            plan.cap,
            plan.seed,
            scratch,
            level,
            cut,
        )
        seen = level[plan.radius + 1]
        features(net, plan, sets[s], scratch, seen, level, radius, cut, x)
        release(scratch, count)
        at = row_ptr[s]
        first = rows[s, 0]
        for i in range(first):
            for c in range(d):
                x_self[at + i, c] = x[i, c]
        if plan.aggregation == GCN:
            for i in range(seen):
                degree = net.indptr[order[i] + 1] - net.indptr[order[i]] - (cut[i] if i < p else 0)
                root_scale[i] = 1.0 / np.sqrt(degree + 1.0)
            copy(root_scale, 0, first, scale, at)
            if not plan.raw:
                for i in range(seen):
                    for c in range(d):
                        x[i, c] *= root_scale[i]
        heads = rows[s, 1] if plan.layers > 0 else 0  # rows of the sparse matrix
        head, entry = head_ptr[s], entry_ptr[s]
        dense = False
        if plan.aggregation == HOPS and not plan.raw and K > 1 and seen <= 8192:
            known = level[plan.radius]
            dense = 4.0 * (lptr[known] / known) ** K > seen  # shells of about degree^K nodes, against all nodes
            if dense:
                _dense_shell_means(lptr, lcol, seen, known, first, K, x, x_agg[at : at + first])
        for i in range(heads if plan.raw or dense else first):
            if plan.aggregation == HOPS:
                _shells(scratch, i, K, shell)
                for k in range(K):
                    if not plan.raw and not dense:
                        for c in range(d):
                            total[c] = x[i, c]
                        for h in range(shell[k + 1], shell[k + 2]):
                            j = queue[h]
                            for c in range(d):
                                total[c] += x[j, c]
                        for c in range(d):
                            x_agg[at + i, k, c] = total[c] / (shell[k + 2] - shell[k + 1] + 1)
                    if i < heads:
                        length[head] = shell[k + 2] - shell[k + 1] + 1
                        head += 1
                        column[entry] = i
                        entry += 1
                        for h in range(shell[k + 1], shell[k + 2]):
                            column[entry] = queue[h]
                            entry += 1
                continue
            begin, end = lptr[i], lptr[i + 1]
            if not plan.raw:
                for c in range(d):
                    total[c] = x[i, c] if plan.aggregation == GCN else 0.0
                for e in range(begin, end):
                    j = np.uint64(lcol[np.uint64(e)])
                    for c in range(d):
                        total[c] += x[j, c]
                factor = 1.0
                if plan.aggregation == GCN:
                    factor = root_scale[i]
                elif plan.aggregation == MEAN:
                    factor = 1.0 / max(end - begin, 1)
                for c in range(d):
                    x_agg[at + i, 0, c] = total[c] * factor
            if i < heads:
                length[head] = end - begin
                if plan.aggregation == GCN:
                    length[head] += 1
                    column[entry] = i
                    entry += 1
                head += 1
                for e in range(begin, end):
                    column[entry] = lcol[e]
                    entry += 1


@njit(cache=True, nogil=True)
def count_egos(net: Net, plan: Plan, sets: Array, scratch: Scratch, nodes: Array, edges: Array, lost: Array) -> None:
    """The size of each ego-network: nodes [s], directed edges [s], and nodes dropped by the cap [s]."""
    radius = _ball_radius(plan)
    level, cut = np.zeros(radius + 2, np.int64), np.zeros(sets.shape[1], np.int64)
    for s in range(len(sets)):
        count, lost[s] = ball(net, sets[s], radius, radius, plan.cap, plan.seed, scratch, level, cut)
        release(scratch, count)
        inner = level[plan.radius + 1]
        nodes[s] = inner
        edges[s] = scratch.lptr[inner]
        if inner < count:
            for e in range(scratch.lptr[inner]):
                if scratch.lcol[e] >= inner:
                    edges[s] -= 1


@njit(cache=True, nogil=True)
def fill_egos(
    net: Net,
    plan: Plan,
    sets: Array,
    scratch: Scratch,
    node_ptr: Array,
    edge_ptr: Array,
    nodes: Array,
    distance: Array,
    degree: Array,
    x: Array,
    length: Array,
    column: Array,
) -> None:
    """Write each ego-network where node_ptr and edge_ptr say; ``column`` in local numbers, row after row."""
    p = sets.shape[1]
    radius = _ball_radius(plan)
    level, cut = np.zeros(radius + 2, np.int64), np.zeros(p, np.int64)
    order, lptr, lcol = scratch.order, scratch.lptr, scratch.lcol
    for s in range(len(sets)):
        count, _ = ball(net, sets[s], radius, radius, plan.cap, plan.seed, scratch, level, cut)
        inner, at, entry = level[plan.radius + 1], node_ptr[s], edge_ptr[s]
        features(net, plan, sets[s], scratch, inner, level, radius, cut, x[at : at + inner])
        release(scratch, count)
        for r in range(plan.radius + 1):
            distance[at + level[r] : at + level[r + 1]] = r
        for i in range(inner):
            u = order[i]
            nodes[at + i] = u
            degree[at + i] = net.indptr[u + 1] - net.indptr[u] - (cut[i] if i < p else 0)
            length[at + i] = lptr[i + 1] - lptr[i]
        if inner == count:
            copy(lcol, 0, lptr[inner], column, entry)
            continue
        for i in range(inner):  # the ball reaches further than the ego-network: leave out what is not in it
            begin = entry
            for e in range(lptr[i], lptr[i + 1]):
                if lcol[e] < inner:
                    column[entry] = lcol[e]
                    entry += 1
            length[at + i] = entry - begin


@njit(cache=True, nogil=True)
def gather_edges(
    index: Array, node_ptr: Array, edge_ptr: Array, length: Array, column: Array, edge_index: Array
) -> None:
    """The edges of the ego-networks in ``index``, numbered one after the other. edge_index [2, E]"""
    start, entry = 0, 0
    for i in index:
        source = edge_ptr[i]
        for r in range(node_ptr[i + 1] - node_ptr[i]):
            for _ in range(length[node_ptr[i] + r]):
                edge_index[0, entry] = start + column[source]
                edge_index[1, entry] = start + r
                source += 1
                entry += 1
        start += node_ptr[i + 1] - node_ptr[i]


@njit(cache=True, nogil=True)
def gather_rows(index: Array, row_ptr: Array, rows: Array, width: int, source: Array, out: Array) -> None:
    """Copy the rows of the sets in ``index`` one after the other. source [N * width], flat"""
    at = 0
    for i in index:
        copy(source, row_ptr[i] * width, rows[i] * width, out, at)
        at += rows[i] * width


@njit(cache=True, nogil=True)
def gather_step(
    index: Array,
    aggregation: int,
    heads: int,
    rows: Array,
    before: int,
    row_ptr: Array,
    head_ptr: Array,
    entry_ptr: Array,
    scale: Array,
    length: Array,
    column: Array,
    self_index: Array,
    ptr: Array,
    col: Array,
    weight: Array,
    back_ptr: Array,
    back_col: Array,
    back_weight: Array,
) -> None:
    """The sparse matrix of one step for the sets in ``index``, and its transpose for the way back.

    ``rows`` [s, T + 1], from level ``before`` to the next; ``heads`` = A rows for each node.
    """
    row, start, entry = 0, 0, 0
    back_ptr[:] = 0
    ptr[0] = 0
    for i in index:
        head, source = head_ptr[i], entry_ptr[i]
        for r in range(rows[i, before + 1]):
            self_index[row] = start + r
            for k in range(heads):
                size = length[head]
                head += 1
                value = np.float32(1.0)
                if aggregation in (MEAN, HOPS):
                    value = np.float32(1.0) / np.float32(max(size, 1))
                for _ in range(size):
                    c = column[source]
                    source += 1
                    col[entry] = start + c
                    back_ptr[start + c + 1] += 1
                    if aggregation == GCN:
                        value = scale[row_ptr[i] + r] * scale[row_ptr[i] + c]
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
