"""How well logits and scores tell classes apart: accuracy, AUC, average precision, MRR and hits at k."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError, check_choice
from .ranking import hits, mean_reciprocal_rank, ranks

if TYPE_CHECKING:
    from .tasks import Task

HITS = (1, 3, 10, 50, 100)
RANKING = ("average_precision", "mrr", *(f"hits@{k}" for k in HITS))
"""Metrics of a task whose held-out positives have their own negatives."""
_NAMES = {"auc": "AUC", "mrr": "MRR", "average_precision": "average precision"}


def metric_name(metric: str) -> str:
    """The name of a metric as people write it.

    >>> metric_name("mrr"), metric_name("hits@10"), metric_name("accuracy")
    ('MRR', 'Hits@10', 'accuracy')
    """
    return _NAMES.get(metric, metric.replace("hits", "Hits"))


def check_metric(metric: str, task: Task) -> str:
    """The metric; an error if the task does not have it."""
    check_choice("metric", metric, ["accuracy", "auc", *RANKING])
    if metric in RANKING and task.val.ranked is None:
        raise ParameterError(
            f"metric={metric!r} ranks each held-out link among its own negatives, and this task has none; make the "
            "task with de.link_task(G, per_positive=100)."
        )
    return metric


def auc(scores: NDArray[Any], positive: NDArray[Any]) -> float:
    """Area under the ROC curve: the chance that a positive scores above a negative, a tie counting half.

    NaN when there are no positives or no negatives.
    """
    positive = np.asarray(positive, dtype=bool)
    high, low = int(positive.sum()), int((~positive).sum())
    if not high or not low:
        return float("nan")
    _, place, count = np.unique(np.asarray(scores), return_inverse=True, return_counts=True)
    rank = np.cumsum(count) - (count - 1) / 2  # the mean rank of each value, counted from 1
    return float((rank[place][positive].sum() - high * (high + 1) / 2) / (high * low))


def probabilities(logits: NDArray[Any]) -> NDArray[np.float64]:
    """Probability of class 1 from one logit a set [k], or of each class from several [k, C]."""
    logits = np.asarray(logits, dtype=np.float64)
    if logits.ndim == 1:
        return np.asarray(0.5 * (1.0 + np.tanh(0.5 * logits)))  # the logistic function, without overflow
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=1, keepdims=True))


def metrics(logits: NDArray[Any], labels: NDArray[np.int64]) -> dict[str, float]:
    """``accuracy`` and ``auc``; with several classes the mean of each class against the rest."""
    if logits.ndim == 1:
        return {"accuracy": float(np.mean((logits > 0) == (labels == 1))), "auc": auc(logits, labels == 1)}
    share = probabilities(logits)
    per_class = [auc(share[:, c], labels == c) for c in range(logits.shape[1])]
    known = [value for value in per_class if not np.isnan(value)]
    accuracy = float(np.mean(logits.argmax(axis=1) == labels))
    return {"accuracy": accuracy, "auc": float(np.mean(known)) if known else float("nan")}


def task_metrics(task: Task, part: str, logits: NDArray[Any], ranked: NDArray[Any] | None = None) -> dict[str, float]:
    """The metrics of a part of a task, "train", "val" or "test", from its logits in their order.

    On a disjoint union they are means over its graphs; a graph where a metric is undefined does not count.
    ``ranked`` are the logits of ``split.ranked``; with them there are also the metrics of :data:`RANKING`.
    """
    split = getattr(task, part)
    if ranked is not None:
        positive = split.labels == 1
        place = ranks(logits[positive], ranked.reshape(int(positive.sum()), -1))
        return {
            **metrics(logits, split.labels),
            "average_precision": average_precision(logits, positive),
            "mrr": mean_reciprocal_rank(place),
            **{f"hits@{k}": hits(place, k) for k in HITS},
        }
    if task.graph.parts is None:
        return metrics(logits, split.labels)
    of_set = task.graph.parts[split.sets[:, 0]]
    each = [metrics(logits[of_set == number], split.labels[of_set == number]) for number in np.unique(of_set)]
    known = {key: [one[key] for one in each if not np.isnan(one[key])] for key in each[0]}
    return {key: float(np.mean(values)) if values else float("nan") for key, values in known.items()}


def average_precision(scores: NDArray[Any], positive: NDArray[Any]) -> float:
    """Mean over the positives of the precision at each one's score; a tie is one step.

    Examples
    --------
    >>> average_precision(np.array([0.9, 0.8, 0.3]), np.array([1, 0, 1]))
    0.8333333333333333
    """
    positive = np.asarray(positive, dtype=bool)
    if not positive.any():
        return float("nan")
    values, place = np.unique(-np.asarray(scores), return_inverse=True)
    right = np.cumsum(np.bincount(place, positive, len(values)))
    wrong = np.cumsum(np.bincount(place, ~positive, len(values)))
    return float((right / (right + wrong))[place[positive]].mean())
