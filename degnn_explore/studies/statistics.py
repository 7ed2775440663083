"""Means over seeds: confidence intervals, tests of two models seed by seed, and training curves with bands."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean, stdev
from typing import Any

from ..common.errors import ParameterError, check_choice
from .runs import Run

MEASURES = ("test", "validation", "loss")
ENOUGH = 5  # seeds needed to judge a difference or draw a band


def interval(values: Sequence[float]) -> tuple[float, float | None]:
    """Mean, and half the width of its 95% confidence interval by Student's t; None for a single value.

    Examples
    --------
    >>> mean, half = interval([0.90, 0.92, 0.94])
    >>> round(mean, 2), round(half, 4)
    (0.92, 0.0497)
    >>> interval([0.9])
    (0.9, None)
    """
    count = len(values)
    if not count:
        raise ParameterError("There are no values to take the mean of; train at least one seed.")
    if count == 1:
        return float(values[0]), None
    if len(set(values)) == 1:
        return float(values[0]), 0.0  # exactly, without rounding errors
    return fmean(values), _quantile(count - 1) * stdev(values) / math.sqrt(count)


@cache
def _quantile(freedom: float) -> float:
    """Of Student's t, for a 95% interval; cached, because a chart needs the same few at every epoch."""
    from scipy.stats import t

    return float(t.ppf(0.975, freedom))


def difference_interval(
    mean: float, half: float, count: int, other: float, other_half: float, other_count: int
) -> tuple[float, float]:
    """The difference of two means and half its 95% confidence interval (Welch), from the interval of each mean.

    Examples
    --------
    >>> difference, half = difference_interval(91.0, 0.5, 20, 90.0, 0.4, 20)
    >>> round(difference, 2), round(half, 2)
    (1.0, 0.62)
    """
    errors = [one / _quantile(size - 1) for one, size in ((half, count), (other_half, other_count))]
    total = errors[0] ** 2 + errors[1] ** 2
    if not total:
        return mean - other, 0.0
    freedom = total**2 / (errors[0] ** 4 / (count - 1) + errors[1] ** 4 / (other_count - 1))
    return mean - other, _quantile(freedom) * math.sqrt(total)


def corrected_p(differences: Sequence[float], ratio: float) -> float | None:
    """Two-sided p of "no difference" by the corrected resampled t-test (Nadeau & Bengio, 2003).

    Each difference is that of two models on the same split. The splits overlap, which makes the usual t-test far too
    confident; its variance s² / J is replaced by s² (1 / J + ratio), with J - 1 degrees of freedom.

    Parameters
    ----------
    differences
        J differences, one per seed.
    ratio
        Size of the test set divided by that of the training set.

    Returns
    -------
    float or None
        None for fewer than two differences, or if all are equal: their variance is unknown.

    Examples
    --------
    >>> round(corrected_p([2.0, 3.0, 1.0, 2.5, 1.5], ratio=0.125), 4)
    0.0114
    >>> corrected_p([1.0, 1.0, 1.0], ratio=0.125) is None
    True
    """
    if len(differences) < 2 or max(differences) - min(differences) < 1e-9:
        return None
    from scipy.stats import t

    error = stdev(differences) * math.sqrt(1 / len(differences) + ratio)
    return float(2 * t.sf(abs(fmean(differences)) / error, len(differences) - 1))


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted for multiple comparisons (Holm, 1979).

    Examples
    --------
    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = highest
    return adjusted


def best_on_validation(groups: Mapping[str, Sequence[Run]]) -> str:
    """The model whose runs are best on validation, on average; "" if there is none.

    Examples
    --------
    >>> runs = [Run("k", "g", "links", "GCN", val=0.7), Run("k", "g", "links", "GIN", val=0.8)]
    >>> best_on_validation({run.model: [run] for run in runs})
    'GIN'
    """
    return max(groups, key=lambda model: fmean(run.val or 0.0 for run in groups[model]), default="")


@dataclass(frozen=True)
class Curve:
    """A model's training curve: the mean at each epoch, each seed, and the 95% interval from five seeds."""

    model: str
    mean: list[float]
    seeds: list[list[float]]
    low: list[float]  # like high empty below five seeds: an interval from three values is too wide to be useful
    high: list[float]


def curves(runs: Iterable[Run], measure: str = "test") -> list[Curve]:
    """One curve per model. A run that stopped early continues with its last value.

    ``measure`` is "test": the test metric of the best epoch on validation so far, which would be reported if training
    ended here; "validation": the validation metric; or "loss": the training loss.

    Examples
    --------
    >>> def epoch(number, val, test):
    ...     return {"number": number, "loss": 1.0, "val": {"auc": val}, "test": {"auc": test}}
    >>> run = Run("k", "g", "links", "GCN", epochs=[epoch(1, 0.6, 0.7), epoch(2, 0.5, 0.9), epoch(3, 0.7, 0.8)])
    >>> curves([run])[0].mean
    [0.7, 0.7, 0.8]
    """
    check_choice("measure", measure, MEASURES)
    by_model: dict[str, list[tuple[list[float], bool]]] = {}
    for run in runs:
        if values := _values(run, measure):
            by_model.setdefault(run.model, []).append((values, run.status == "finished"))
    return [_curve(model, seeds) for model, seeds in by_model.items()]


def _values(run: Run, measure: str) -> list[float]:
    if measure == "loss":
        return [float(epoch["loss"]) for epoch in run.epochs if epoch["loss"] is not None]
    if measure == "validation":
        return [float(epoch["val"][run.metric]) for epoch in run.epochs if epoch["val"][run.metric] is not None]
    best: dict[str, Any] | None = None
    values = []
    for epoch in run.epochs:
        if best is None or (epoch["val"][run.metric] or 0) > (best["val"][run.metric] or 0):
            best = epoch
        values.append(float(best["test"][run.metric] or 0))
    return values


def _curve(model: str, seeds: list[tuple[list[float], bool]]) -> Curve:
    mean, low, high = [], [], []
    for e in range(max(len(values) for values, _ in seeds)):
        middle, half = interval([x[min(e, len(x) - 1)] for x, ended in seeds if ended or e < len(x)])
        mean.append(middle)
        if len(seeds) >= ENOUGH:
            low.append(middle - (half or 0))
            high.append(middle + (half or 0))
    return Curve(model, mean, [values for values, _ in seeds], low, high)
