"""Accuracy and AUC of logits."""

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
