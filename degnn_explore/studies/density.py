"""A score is not a probability: models learn from half links, half others; in a graph few pairs are linked."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..graphs.graph import Graph
from ..learn.sampling import negatives_of, triangles
from ..learn.tasks import Task

if TYPE_CHECKING:
    from ..learn.nets.base import SetNet

Shares = NDArray[np.float64]
_DRAWN = 4000  # unlinked sets that stand for all of them


def density(task: Task) -> float | None:
    """The share of all sets of p nodes that are links or triangles; None for a task that is about neither.

    Examples
    --------
    >>> import degnn_explore as de
    >>> round(density(de.link_task(de.load("celegans"))), 3)
    0.049
    """
    full = task.full_graph
    if task.kind == "links":
        return full.num_edges / comb(full.num_nodes, 2)
    return len(triangles(full)) / comb(full.num_nodes, 3) if task.kind == "triangles" else None


def learnt_share(task: Task) -> float:
    """The share of positives among the sets that models learn from: half, unless negatives were given."""
    return float((task.train.labels == 1).mean())


def corrected(score: Any, prior: float, learnt: float = 0.5) -> Shares:
    """The score of a model that learnt from a share ``learnt`` of positives, as a probability where ``prior`` is it.

    odds = odds of the score × prior / (1 - prior) × (1 - learnt) / learnt (Bayes). It is as good as the score is
    calibrated: a model that is too sure stays too sure.

    Examples
    --------
    >>> corrected([0.5, 0.9, 1.0], prior=0.05).round(3).tolist()
    [0.05, 0.321, 1.0]
    """
    score = np.asarray(score, dtype=np.float64)
    positive, negative = score * prior * (1 - learnt), (1 - score) * (1 - prior) * learnt
    return np.asarray(positive / np.maximum(positive + negative, 1e-300))


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
