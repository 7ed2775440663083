"""How well logits and scores tell classes apart: accuracy, AUC, average precision, precision and hits at k."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


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


def average_precision(scores: NDArray[Any], positive: NDArray[Any], negatives: float = 1.0) -> float:
    """Mean over the positives of the precision at each one's score; a tie is one step.

    ``negatives`` is how many negatives each one given stands for: with as many as the graph has, it is the average
    precision among all its sets.

    Examples
    --------
    >>> average_precision(np.array([0.9, 0.8, 0.3]), np.array([1, 0, 1]))
    0.8333333333333333
    >>> average_precision(np.array([0.9, 0.8, 0.3]), np.array([1, 0, 1]), negatives=20)
    0.5454545454545454
    """
    positive = np.asarray(positive, dtype=bool)
    if not positive.any():
        return float("nan")
    values, place = np.unique(-np.asarray(scores), return_inverse=True)
    right = np.cumsum(np.bincount(place, positive, len(values)))
    wrong = negatives * np.cumsum(np.bincount(place, ~positive, len(values)))
    return float((right / (right + wrong))[place[positive]].mean())


def precision_at(k: int, scores: NDArray[Any], positive: NDArray[Any], negatives: float = 1.0) -> float:
    """The share of positives among the k highest scores; of a tie at the end, its share counts.

    Examples
    --------
    >>> precision_at(2, np.array([0.9, 0.8, 0.8]), np.array([1, 0, 1]))
    0.75
    """
    positive = np.asarray(positive, dtype=bool)
    values, place = np.unique(-np.asarray(scores), return_inverse=True)
    right = np.bincount(place, positive, len(values))
    size = right + negatives * np.bincount(place, ~positive, len(values))
    taken = np.clip(k - (np.cumsum(size) - size), 0, size)  # of each value, from the highest score down
    return float((right * taken / size).sum() / taken.sum())


def hits_at(k: int, scores: NDArray[Any], positive: NDArray[Any]) -> float:
    """The share of positives above the k-th highest negative (Hits@K of the Open Graph Benchmark).

    Examples
    --------
    >>> hits_at(1, np.array([0.9, 0.8, 0.3]), np.array([1, 0, 1]))
    0.5
    """
    positive, scores = np.asarray(positive, dtype=bool), np.asarray(scores)
    lowest = np.sort(scores[~positive])[-k] if k <= (~positive).sum() else -np.inf
    return float((scores[positive] > lowest).mean()) if positive.any() else float("nan")
