"""Which links are missing? The unlinked pairs around S, judged by trained models, the likeliest first.

A score is not a probability: models learn from half links, half others, and in a graph few pairs are linked.
:func:`promised_precision` says what validation promises of a score.
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
from ..common.progress import Cancelled, is_cancelled, report
from ..graphs.distances import distances
from ..graphs.graph import Graph
from ..learn.splits import negatives_of, triangles
from ..learn.tasks import Task

if TYPE_CHECKING:
    from ..learn.nets.base import SetNet

REACH = 2  # steps from S within which pairs of other nodes are looked at
_MOST = 50_000  # pairs, at most
_AT_ONCE = 500  # pairs between two reports of progress
_DRAWN = 4000  # unlinked sets that stand for all of them
Shares = NDArray[np.float64]


@dataclass(frozen=True)
class Missing:
    """What was found: the likeliest pairs, as (u, v, score by model), and the precision that validation promises.

    For each pair that is the share of links among all unlinked pairs of the graph that the first model scores as high
    or higher, if as many are missing as were held out for validation; see
    :func:`promised_precision`.
    """

    found: list[tuple[int, int, dict[str, float]]]
    promised: list[float]
    scored: int  # pairs that the first model judged
    within: int  # unlinked pairs around S


def missing_links(
    models: Mapping[str, SetNet], task: Task, S: Iterable[int], count: int = 10, *, most: int = _MOST
) -> Missing:
    """Unlinked pairs around S that the first model thinks most likely to be linked, with every model's score.

    Looked at are the pairs of a node of S with any node, and all pairs of nodes within two steps of S; without those
    linked in the full graph.

    Parameters
    ----------
    models
        Trained models of pairs, by name. The first one judges all pairs, the others those that it chose.
    task
        Their task; they see its graph, which lacks the held-out links.
    S, count, most
        Where to look, how many pairs to give, and how many to judge at most, those nearest to S first.

    Notes
    -----
    Inside ``watching(report, stop)`` it reports its progress; once stopped, it gives what was judged so far.

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
    for start in range(0, len(pairs), _AT_ONCE):
        if is_cancelled():
            break
        with contextlib.suppress(Cancelled):  # then what was judged so far is given
            parts.append(predict(judge, task.graph, list(pairs[start : start + _AT_ONCE])))
            report(f"{len(pairs):,} pairs", min(start + _AT_ONCE, len(pairs)) / len(pairs))
    if not parts:
        return Missing([], [], 0, within)
    scores = np.concatenate(parts)
    best = pairs[np.argsort(-scores, kind="stable")[:count]]
    # in a context of its own: a search that was stopped still says what each model thinks of the best few
    by_model = Context().run(lambda: {name: predict(model, task.graph, list(best)) for name, model in models.items()})
    found = [(int(u), int(v), {name: float(p[i]) for name, p in by_model.items()}) for i, (u, v) in enumerate(best)]
    promised = Context().run(promised_precision, judge, task, by_model[next(iter(models))])
    return Missing(found, promised.tolist(), len(scores), within)


def unlinked_pairs(graph: Graph, full: Graph, S: Iterable[int], most: int) -> tuple[NDArray[np.int64], int]:
    """The unlinked pairs around S, those nearest to it first, at most ``most`` [k, 2]; and how many there are.

    Pairs of a node of S with any node, and of other nodes within two steps of S, counted in ``graph``; those that are
    linked in ``full`` are not missing.

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
    # as many of the near nodes as can give the pairs wanted, whatever is linked among them
    enough = near[: math.isqrt(2 * (most + full.num_edges)) + 2]
    later, sooner = np.tril_indices(len(enough), -1)  # (1, 0), (2, 0), (2, 1), …: nearest first
    second = np.stack([enough[sooner], enough[later]], axis=1)
    first, second = (pairs[~full.has_edges(pairs)] for pairs in (first, second))
    linked = int(np.isin(full.edges, near).all(axis=1).sum())
    within = len(first) + len(near) * (len(near) - 1) // 2 - linked
    if not within:
        raise TargetError("All nodes near S are linked to each other already; pick another node.")
    return np.sort(np.concatenate([first, second])[:most], axis=1), within


# ---- what a score is worth in the whole graph -----------------------------------------------------


def promised_precision(model: SetNet, task: Task, thresholds: Any) -> Shares:
    """What validation promises: the share of links among all unlinked pairs that score as high as each threshold.

    As if exactly the validation links were missing: V(t) of them score t or more, and so do N F(t) of the N pairs that
    are not linked, with F(t) estimated from 4,000 drawn of them (all, if they are fewer).
    """
    from ..learn.predicting import predict

    others, total = unlinked(task.full_graph, task.p)
    links = task.val.sets[task.val.labels == 1]
    scores = predict(model, task.graph, [*links, *others])
    right, wrong = np.sort(scores[: len(links)]), np.sort(scores[len(links) :])
    unseen = int(len(others) < total)  # one more might have scored as high: a sample never promises certainty
    found = len(right) - np.searchsorted(right, thresholds)
    false = total * (len(wrong) - np.searchsorted(wrong, thresholds) + unseen) / (len(wrong) + unseen)
    return np.asarray(found / np.maximum(found + false, 1e-300))


def unlinked(full: Graph, p: int) -> tuple[NDArray[np.int64], int]:
    """Sets of p nodes that are no link or triangle: all, or 4,000 drawn evenly; and how many there are."""
    positives = full.edges if p == 2 else triangles(full)
    total = comb(full.num_nodes, p) - len(positives)
    rng = np.random.default_rng(0)
    return negatives_of(full, positives, min(total, _DRAWN), rng, "links"), total
