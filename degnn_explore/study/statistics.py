"""How sure a mean over few seeds is: Student's interval, and Welch's test of two means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

from ..common.errors import ParameterError

__all__ = ["confidence_above", "interval"]


def interval(values: Sequence[float], level: float = 0.95) -> tuple[float, float | None]:
    """Mean, and half the width of its confidence interval by Student's t; None for a single value.

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
        return float(values[0]), 0.0  # exactly, whatever rounding does to the mean
    mean = math.fsum(values) / count
    spread = math.sqrt(math.fsum((x - mean) ** 2 for x in values) / (count - 1))
    return mean, _quantile(level, count - 1) * spread / math.sqrt(count)


@cache
def _quantile(level: float, freedom: int) -> float:
    """Student's t; kept, because a chart asks for the same few at every epoch."""
    from scipy.stats import t

    return float(t.ppf(0.5 + level / 2, freedom))


def confidence_above(ours: Sequence[float], baseline: Sequence[float]) -> float | None:
    """How sure we may be that our mean is above the baseline's: Welch's t-test, one-sided.

    None where the test can say nothing: below two values each, or where all of ours are equal and all of theirs, so
    that nothing is known of how much they scatter.

    Examples
    --------
    >>> round(confidence_above([0.91, 0.92, 0.93], [0.88, 0.90, 0.89]), 3)
    0.989
    >>> confidence_above([0.9, 0.9], [0.8, 0.8]) is None
    True
    """
    if len(ours) < 2 or len(baseline) < 2 or len(set(ours)) == len(set(baseline)) == 1:
        return None
    from scipy.stats import t

    (a, va), (b, vb) = _mean_and_error(ours), _mean_and_error(baseline)
    freedom = (va + vb) ** 2 / (va**2 / (len(ours) - 1) + vb**2 / (len(baseline) - 1))
    return float(t.cdf((a - b) / math.sqrt(va + vb), freedom))


def _mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Mean, and the variance of that mean."""
    mean = math.fsum(values) / len(values)
    return mean, math.fsum((x - mean) ** 2 for x in values) / (len(values) - 1) / len(values)
