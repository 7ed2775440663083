"""Which links are missing? The unlinked pairs around S, scored by trained models, the likeliest first.

A score is not the probability of a link: half of the training pairs are links, but few pairs of a graph are.
:func:`promised_precision` estimates the precision of a score from validation.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Mapping
from contextvars import Context
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError, TargetError, check_int
from ..common.progress import Cancelled, report
from ..graphs.distances import distances
from ..graphs.graph import Graph
from ..learn.splits import negatives_of
from ..learn.tasks import Task

if TYPE_CHECKING:
    from ..learn.nets.base import SetNet

REACH = 2  # pairs of other nodes must be within so many steps of S
_MOST = 50_000  # pairs, at most
_AT_ONCE = 500  # pairs between two reports of progress
_DRAWN = 4000  # size of a sample of the unlinked sets
Shares = NDArray[np.float64]


@dataclass(frozen=True)
class Missing:
    """The likeliest pairs, as (u, v, score by model), and the precision to expect, estimated from validation.

    The precision of a pair is the share of links among all unlinked pairs that the first model scores as high or
    higher, if as many links are missing as were held out for validation; see :func:`promised_precision`.
    """

    found: list[tuple[int, int, dict[str, float]]]
    promised: list[float]
    scored: int  # pairs that the first model scored
    within: int  # unlinked pairs around S


def missing_links(
    models: Mapping[str, SetNet], task: Task, S: Iterable[int], count: int = 10, *, most: int = _MOST
) -> Missing:
    """The unlinked pairs around S that the first model scores highest, with every model's score.

    Candidates are the pairs of a node of S with any node, and all pairs of nodes within two steps of S, except those
    linked in the full graph.

    Parameters
    ----------
    models
        Trained models of pairs, by name. The first one scores all pairs, the others only the best of them.
    task
        Their task; they see its graph, which lacks the held-out links.
    S, count, most
        The target set, how many pairs to return, and how many to score at most, those nearest to S first.

    Notes
    -----
    Inside ``watching(report, stop)`` it reports its progress; when stopped, it returns the best pairs so far.

    Examples
    --------
    >>> import degnn_explore as de
    >>> task = de.link_task(de.load("karate"))
    >>> answer = missing_links({"GCN": de.build("GCN", task)}, task, [0], 3)
    >>> len(answer.found), answer.scored == answer.within
    (3, True)
    """
    from ..learn.predicting import predict

    if task.p != 2:
        raise TargetError(f"Missing links are pairs, and these models judge sets of {task.p}; train models on links.")
    if not models:
        raise ParameterError("No trained model yet; train one first.")
    check_int("count", count, least=1)
    pairs, within = unlinked_pairs(task.graph, task.full_graph, S, check_int("most", most, least=1))
    judge = next(iter(models.values()))
    parts: list[NDArray[np.float64]] = []
    with contextlib.suppress(Cancelled):  # return the best pairs so far
        for start in range(0, len(pairs), _AT_ONCE):
            parts.append(predict(judge, task.graph, list(pairs[start : start + _AT_ONCE])))
            report(f"{len(pairs):,} pairs", min(start + _AT_ONCE, len(pairs)) / len(pairs))
    if not parts:
        return Missing([], [], 0, within)
    scores = np.concatenate(parts)
    best = pairs[np.argsort(-scores, kind="stable")[:count]]
    # in a new context, so that a search that was stopped can still score the best few
    by_model = Context().run(lambda: {name: predict(model, task.graph, list(best)) for name, model in models.items()})
    found = [(int(u), int(v), {name: float(p[i]) for name, p in by_model.items()}) for i, (u, v) in enumerate(best)]
    promised = Context().run(promised_precision, judge, task, by_model[next(iter(models))])
    return Missing(found, promised.tolist(), len(scores), within)


def unlinked_pairs(graph: Graph, full: Graph, S: Iterable[int], most: int) -> tuple[NDArray[np.int64], int]:
    """At most ``most`` unlinked pairs around S, nearest first [k, 2]; and how many there are.

    These are pairs of a node of S with any node, and of other nodes within two steps of S, counted in ``graph``,
    except those linked in ``full``.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)])
    >>> pairs, within = unlinked_pairs(path, path, [0], 10)
    >>> pairs.tolist(), within
    ([[0, 2], [0, 3], [0, 4]], 3)
    >>> unlinked_pairs(path, path, [1], 2)[0].tolist()
    [[1, 3], [1, 4]]
    """
    chosen = list(S)
    if not chosen:
        raise TargetError("Pick a node first: missing links are looked for near S.")
    targets = graph.target_set(chosen)
    far = distances(graph, targets)
    nearest = np.where(far < 0, np.iinfo(far.dtype).max, far).min(axis=0)
    order = np.argsort(nearest, kind="stable")  # S itself comes first
    others = order[len(targets) :]
    near = others[nearest[others] <= REACH]
    first = np.array([(order[i], v) for i in range(len(targets)) for v in order[i + 1 :]]).reshape(-1, 2)
    # enough near nodes for ``most`` pairs, even if all edges are among them
    enough = near[: math.isqrt(2 * (most + full.num_edges)) + 2]
    later, sooner = np.tril_indices(len(enough), -1)  # (1, 0), (2, 0), (2, 1), …: nearest first
    second = np.stack([enough[sooner], enough[later]], axis=1)
    first, second = (pairs[~full.has_edges(pairs)] for pairs in (first, second))
    linked = int(np.isin(full.edges, near).all(axis=1).sum())
    within = len(first) + len(near) * (len(near) - 1) // 2 - linked
    if not within:
        raise TargetError("All nodes near S are linked to each other already; pick another node.")
    return np.sort(np.concatenate([first, second])[:most], axis=1), within


# ---- the precision of a score in the whole graph --------------------------------------------------


def promised_precision(model: SetNet, task: Task, thresholds: Any) -> Shares:
    """The share of links to expect among all unlinked pairs that score as high as each threshold.

    It assumes that exactly the validation links are missing: V(t) of them score t or more, and so do N F(t) of the N
    unlinked pairs, with F(t) estimated from a sample of 4,000 (all, if they are fewer).
    """
    from ..learn.predicting import predict

    others, total = unlinked(task.full_graph)
    links = task.val.sets[task.val.labels == 1]
    scores = predict(model, task.graph, [*links, *others])
    right, wrong = np.sort(scores[: len(links)]), np.sort(scores[len(links) :])
    unseen = int(len(others) < total)  # add one to a sample, so that it never promises certainty
    found = len(right) - np.searchsorted(right, thresholds)
    false = total * (len(wrong) - np.searchsorted(wrong, thresholds) + unseen) / (len(wrong) + unseen)
    return np.asarray(found / np.maximum(found + false, 1e-300))


def unlinked(full: Graph) -> tuple[NDArray[np.int64], int]:
    """The pairs that are not linked: all, or a sample of 4,000; and how many there are."""
    total = comb(full.num_nodes, 2) - full.num_edges
    return negatives_of(full, full.edges, min(total, _DRAWN), np.random.default_rng(0), "links"), total
