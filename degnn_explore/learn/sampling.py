"""What tasks are drawn from: parts by share, negatives, all subsets, all triangles."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import GraphError, ParameterError, TargetError
from ..graphs.graph import Graph

Ints = NDArray[np.int64]
_CHUNK = 4_000_000  # wedges looked at in one go when triangles are listed


def checked_shares(split: Sequence[float]) -> tuple[float, float, float]:
    try:
        train, val, test = (float(share) for share in split)
    except (TypeError, ValueError):
        raise ParameterError(f"split must be three shares such as (0.8, 0.1, 0.1), not {split!r}.") from None
    if not (min(train, val, test) > 0 and abs(train + val + test - 1) <= 1e-6):  # so that NaN fails
        raise ParameterError(f"split must be three positive shares that add up to 1, not {split!r}.")
    return train, val, test


def in_three(rows: Ints, shares: tuple[float, float, float], what: str) -> tuple[Ints, Ints, Ints]:
    """Rows in three parts by the shares, at least one in each."""
    if len(rows) < 3:
        raise TargetError(
            f"There are {len(rows)} {what}, too few to have one each for training, validation and test; "
            "at least 3 are needed."
        )
    test = max(1, round(shares[2] * len(rows)))
    val = min(max(1, round(shares[1] * len(rows))), len(rows) - test - 1)
    if val < 1:
        test, val = len(rows) - 2, 1
    return rows[test + val :], rows[:val], rows[val : val + test]


def _keys(sets: Ints, n: int) -> Ints:
    """One whole number for each sorted set: its digits in base n."""
    key = sets[:, 0].astype(np.int64)
    for column in sets.T[1:]:
        key = key * n + column
    return key


def negatives_of(
    G: Graph, positives: Ints, count: int, rng: np.random.Generator, kind: str, repeat: bool = False
) -> Ints:
    """``count`` different sorted p-sets, uniform among those that are not positives; ``repeat``: not all different."""
    n, p = G.num_nodes, positives.shape[1]
    if n**p > np.iinfo(np.int64).max:
        raise GraphError(f"A graph of {n:,} nodes is too large for {kind}; at most {2**21:,} nodes for triangles.")
    available = comb(n, p) - len(positives)
    if available < (1 if repeat else count):
        raise TargetError(
            f"The graph is too dense: {count:,} negatives are wanted, as many as there are {kind}, but "
            f"only {available:,} sets of {p} nodes are none. Use max_positives= to take fewer {kind}."
        )
    taken = np.sort(_keys(positives, n))
    if available <= 4 * max(count, len(positives) // 16):  # dense: list them all, at most 5 per positive, and choose
        everything = subsets(n, p)
        free = everything[~_among(_keys(everything, n), taken)]
        return free[rng.integers(len(free), size=count) if repeat else rng.permutation(len(free))[:count]]
    drawn = np.empty((0, p), dtype=np.int64)
    while len(drawn) < count:
        wanted = 1.2 * (count - len(drawn)) * comb(n, p) / available
        draws = np.sort(rng.integers(n, size=(int(wanted) + 64, p)), axis=1)
        draws = draws[(np.diff(draws, axis=1) > 0).all(axis=1)]
        draws = np.concatenate([drawn, draws[~_among(_keys(draws, n), taken)]])
        if repeat:
            drawn = draws
            continue
        _, first = np.unique(_keys(draws, n), return_index=True)
        drawn = draws[np.sort(first)]  # in the order drawn, so that the choice stays uniform
    return drawn[:count]


def _among(keys: Ints, ordered: Ints) -> NDArray[np.bool_]:
    """Whether each key is in the sorted array."""
    place = np.minimum(np.searchsorted(ordered, keys), max(len(ordered) - 1, 0))
    return ordered[place] == keys if len(ordered) else np.zeros(len(keys), dtype=bool)


def subsets(n: int, p: int) -> Ints:
    """All sorted p-sets of 0..n-1. [C(n, p), p]"""
    sets = np.arange(n, dtype=np.int64)[:, None]
    for _ in range(p - 1):
        sets = _extend(sets, n - 1 - sets[:, -1], sets[:, -1] + 1)
    return sets


def _extend(sets: NDArray[Any], counts: Ints, start: Ints) -> Ints:
    """Each row i repeated counts[i] times, with start[i], start[i]+1, ... appended."""
    offset = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.column_stack([np.repeat(sets, counts, axis=0), np.repeat(start, counts) + offset])


def triangles(G: Graph) -> Ints:
    """All closed triads u < v < w, sorted. [k, 3]"""
    # edges point from lower to higher degree, which bounds the wedges to look at by m^1.5
    order = np.lexsort((np.arange(G.num_nodes), G.degrees))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    a, b = rank[G.edges].min(axis=1), rank[G.edges].max(axis=1)
    by_source = np.lexsort((b, a))
    a, b = a[by_source], b[by_source]
    ends = np.searchsorted(a, a, side="right")  # wedges of edge i: the later edges with the same source
    later = ends - np.arange(len(a)) - 1
    closed = [np.empty((0, 3), dtype=np.int64)]
    bounds = np.searchsorted(np.cumsum(later), np.arange(0, max(1, later.sum()), _CHUNK)).tolist()
    for low, high in zip(bounds, [*bounds[1:], len(a)], strict=True):
        wedge = _extend(np.arange(low, high)[:, None], later[low:high], np.arange(low, high) + 1)
        triad = np.column_stack([order[a[wedge[:, 0]]], order[b[wedge[:, 0]]], order[b[wedge[:, 1]]]])
        closed.append(triad[G.has_edges(triad[:, 1:])])
    triads = np.sort(np.concatenate(closed), axis=1)
    return triads[np.lexsort(triads.T[::-1])]
