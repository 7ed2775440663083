"""Ranking: negatives for each positive, random or hard, and the metrics that rank a positive among its own negatives.

Hard negatives follow HeaRT (Li, Shomer, Mao, Zeng, Ma, Shah, Tang & Yin, "Evaluating Graph Neural Networks for Link
Prediction: Current Pitfalls and New Benchmarking", NeurIPS 2023): a negative shares one end with its positive and
scores high by resource allocation or personalized PageRank, so seeing that two nodes are far apart is not enough.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..common.errors import TargetError
from ..common.progress import report
from ..graphs.graph import Graph
from .splits import Ints, is_among, keys_of, subsets

Floats = NDArray[np.float64]

RESTART = 0.15  # probability with which a walk of personalized PageRank returns to its start
_STEPS = 224  # steps of the walk: the rest of the sum is below 0.85^224, which is a rounding error
_SAME = 1e-11  # scores this close, relative to their size, are one score that was rounded in two ways
SCORES_AT_ONCE = 4_000_000  # scores computed at once


def hard_negatives(graph: Graph, positives: Ints, count: int, known: Graph, rng: np.random.Generator) -> Ints:
    """The hardest negatives of each link: ``count`` pairs; the first half keeps one end, the rest the other.

    A candidate for end a of the positive (a, b) is any node except a, b and the neighbors of a in ``known``. Candidates
    are ranked by resource allocation and by personalized PageRank from a on ``graph``, largest score first; ties share
    the smaller rank, and zeros come last. A candidate's rank is the smaller of the two. The best ones are taken, ties
    at random; if too few have any score, the rest is drawn at random from the candidates without one. Other positives
    are not excluded: one test link can be a negative of another.

    Parameters
    ----------
    graph
        The training graph, which scores are computed on.
    positives
        Links [k, 2].
    count
        Negatives per link. If it is odd, one more keeps the first end.
    known
        The graph whose edges are excluded: for test links, training and validation links together.
    rng
        Breaks ties, and draws candidates without a score.

    Returns
    -------
    Pairs [k, count, 2], each with the smaller node first.

    Examples
    --------
    >>> from degnn_explore import Graph
    >>> path = Graph.from_edges([(i, i + 1) for i in range(6)])
    >>> hard_negatives(path, np.array([[0, 6]]), 2, path, np.random.default_rng(0)).tolist()
    [[[0, 2], [4, 6]]]
    """
    negatives = np.empty((len(positives), count, 2), dtype=np.int64)
    first = (count + 1) // 2
    halves = ((0, slice(0, first)), (1, slice(first, count)))
    ends = np.concatenate([positives[:, side] for side, _ in halves])
    done = 0
    for a, allocation, pagerank in _scores(graph, np.unique(ends)):
        blocked = np.zeros(graph.num_nodes, dtype=bool)
        blocked[known.neighbors(a)] = blocked[a] = True
        for side, half in halves:
            for row in np.flatnonzero(positives[:, side] == a):
                b = positives[row, 1 - side]
                candidates = np.flatnonzero(~blocked)
                candidates = candidates[candidates != b]
                wanted = half.stop - half.start
                if len(candidates) < wanted:
                    raise TargetError(
                        f"Node {graph.names[a]} has only {len(candidates)} nodes that it is not linked to, but needs "
                        f"{wanted} negatives. Use a smaller per_positive=."
                    )
                chosen = _hardest(candidates, allocation, pagerank, wanted, rng)
                negatives[row, half] = np.sort(np.stack([np.full(wanted, a), chosen], axis=1), axis=1)
                done += 1
        report("hard negatives", done / (2 * len(positives)))
    return negatives


def random_negatives(graph: Graph, count: int, positives: Ints, known: Graph, rng: np.random.Generator) -> Ints:
    """``count`` random negatives for each link [k, count, 2]: different pairs that are not linked in ``known``."""
    n, k = graph.num_nodes, len(positives)
    linked = np.sort(keys_of(known.edges, n))
    free = n * (n - 1) // 2 - len(linked)
    if free < count:
        raise TargetError(f"Only {free:,} pairs are not linked, fewer than per_positive={count}. Use a smaller number.")
    negatives = np.empty((k, count, 2), dtype=np.int64)
    if free <= 4 * count:  # few pairs to choose from: list them all
        pairs = subsets(n, 2)
        pairs = pairs[~is_among(keys_of(pairs, n), linked)]
        for row in range(k):
            negatives[row] = pairs[rng.permutation(free)[:count]]
        return negatives
    for row in range(k):
        keys = np.empty(0, dtype=np.int64)
        while len(keys) < count:
            draws = np.sort(rng.integers(n, size=(2 * count, 2)), axis=1)
            fresh = keys_of(draws[draws[:, 0] < draws[:, 1]], n)
            fresh = np.concatenate([keys, fresh[~is_among(fresh, linked)]])
            keys = fresh[np.sort(np.unique(fresh, return_index=True)[1])]  # in the order drawn
        negatives[row] = np.stack(np.divmod(keys[:count], n), axis=1)
    return negatives


def ranks(positive: Floats, negative: Floats) -> Floats:
    """The rank of each positive [k] among its own negatives [k, m], the best being 1; a tie counts half.

    Examples
    --------
    >>> ranks(np.array([0.9, 0.2]), np.array([[0.8, 0.7], [0.2, 0.4]])).tolist()
    [1.0, 2.5]
    """
    above = (negative > positive[:, None]).sum(axis=1)
    not_below = (negative >= positive[:, None]).sum(axis=1)
    return np.asarray(1 + (above + not_below) / 2)


def mean_reciprocal_rank(ranks: Floats) -> float:
    """The mean of 1 / rank.

    >>> mean_reciprocal_rank(np.array([1.0, 2.0]))
    0.75
    """
    return float(np.mean(1 / ranks)) if len(ranks) else float("nan")


def hits(ranks: Floats, k: int) -> float:
    """The share of positives among the first k.

    >>> hits(np.array([1.0, 2.5, 4.0]), 3)
    0.6666666666666666
    """
    return float(np.mean(ranks <= k)) if len(ranks) else float("nan")


def _scores(graph: Graph, nodes: Ints) -> Iterator[tuple[int, Floats, Floats]]:
    """Each of these nodes, with its resource allocation and its personalized PageRank to all nodes, [n] each."""
    import scipy.sparse

    A = graph.to_scipy().astype(np.float64)
    share = scipy.sparse.diags_array(1 / np.maximum(graph.degrees, 1)).astype(np.float64)
    steps = (share @ A).tocsr()  # row u: where one step from u leads
    size = max(1, SCORES_AT_ONCE // max(graph.num_nodes, 1))
    for begin in range(0, len(nodes), size):
        some = nodes[begin : begin + size]
        allocation = (A[some] @ steps).toarray()  # over common neighbors z: 1 / degree of z
        start = np.zeros((len(some), graph.num_nodes))
        start[np.arange(len(some)), some] = RESTART
        pagerank = start.copy()
        for _ in range(_STEPS):
            pagerank = start + (1 - RESTART) * (pagerank @ steps)
        yield from zip(some.tolist(), allocation, pagerank, strict=True)


def _hardest(candidates: Ints, allocation: Floats, pagerank: Floats, wanted: int, rng: np.random.Generator) -> Ints:
    """The candidates whose better rank is best; ties, and candidates without any score, in random order."""
    better = np.minimum(_rank(allocation[candidates]), _rank(pagerank[candidates]))
    order = np.lexsort((rng.random(len(candidates)), better))
    return candidates[order[:wanted]]


def _rank(scores: Floats) -> Floats:
    """Ranks from 1 for the largest; ties share the smaller rank; zeros share the last."""
    order = np.argsort(-scores, kind="stable")
    descending = scores[order]
    place = np.arange(len(scores))
    place[1:][descending[:-1] - descending[1:] <= _SAME * descending[:-1]] = 0  # as large as the one before it
    rank = np.empty(len(scores))
    rank[order] = np.maximum.accumulate(place) + 1
    rank[scores <= 0] = len(scores) + 1
    return rank
