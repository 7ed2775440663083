"""Training curves: the mean over seeds, with a band, epoch by epoch; finished runs and runs under way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..common.errors import one_of
from .records import Run
from .statistics import interval

__all__ = ["MEASURES", "Curve", "curves"]

MEASURES = ("test", "validation", "loss")


@dataclass(frozen=True)
class Curve:
    """A model's curve: ``mean`` at each epoch, between the ends of its 95 % interval (one seed: no width)."""

    model: str
    epochs: list[int]
    mean: list[float]
    low: list[float]
    high: list[float]


def curves(runs: Iterable[Run], measure: str = "test") -> list[Curve]:
    """One curve per model.

    Parameters
    ----------
    runs
        Runs with epochs. A run that ended early counts with its last value; one under way, as far as it is.
    measure
        "test": test metric of the epoch best on validation so far, which is what would be reported if training
        ended here. "validation": the validation metric. "loss": the training loss.

    Examples
    --------
    >>> def epoch(number, val, test):
    ...     return {"number": number, "loss": 1.0, "val": {"auc": val}, "test": {"auc": test}}
    >>> run = Run("k", "g", "links", "GCN", epochs=[epoch(1, 0.6, 0.7), epoch(2, 0.5, 0.9), epoch(3, 0.7, 0.8)])
    >>> curves([run])[0].mean
    [0.7, 0.7, 0.8]
    """
    one_of("measure", measure, MEASURES)
    by_model: dict[str, list[tuple[list[float], bool]]] = {}
    for run in runs:
        values = _values(run, measure)
        if values:
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
    length = max(len(values) for values, _ in seeds)
    for e in range(length):
        here = [values[min(e, len(values) - 1)] for values, ended in seeds if ended or e < len(values)]
        middle, half = interval(here)
        mean.append(middle)
        low.append(middle - (half or 0))
        high.append(middle + (half or 0))
    return Curve(model, list(range(1, length + 1)), mean, low, high)
