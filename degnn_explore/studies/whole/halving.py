"""Successive halving: which trials go on, by what validation says of them, and which settings are chosen.

Pure functions of what was reached; a trial's record holds no test result, so that nothing here could look at one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence


def rung_sizes(trials: int, rungs: int, reduce: int) -> list[int]:
    """How many trials are trained to each rung.

    Examples
    --------
    >>> rung_sizes(16, 3, 3), rung_sizes(2, 3, 3), rung_sizes(1, 2, 3)
    ([16, 6, 2], [2, 1, 1], [1, 1])
    """
    sizes = [trials]
    for _ in range(rungs - 1):
        sizes.append(max(1, math.ceil(sizes[-1] / reduce)))
    return sizes


def promoted(reached: Mapping[int, float], costs: Mapping[int, float], most: float | None, keep: int) -> list[int]:
    """The trials that go on, in the order of their numbers: the best ``keep`` on validation.

    Those that cost more than ``most`` go only where no other is left; of equals the first goes on.

    Parameters
    ----------
    reached
        Validation metric of each trial, -inf for one that failed.
    costs
        CPU-seconds that a whole run of each would take.

    Examples
    --------
    >>> promoted({0: 0.7, 1: 0.9, 2: 0.8}, {0: 1.0, 1: 99.0, 2: 1.0}, most=10.0, keep=1)
    [2]
    >>> promoted({0: 0.7, 1: 0.9, 2: 0.9}, {}, most=None, keep=2)
    [1, 2]
    """
    quick = [trial for trial in reached if most is None or costs.get(trial, 0.0) <= most]
    if not quick:
        quick = [min(reached, key=lambda trial: (costs.get(trial, 0.0), trial))]
    return sorted(sorted(quick, key=lambda trial: (-reached[trial], trial))[:keep])


def mean_of(values: Sequence[float]) -> float:
    """The mean over seeds; -inf if one of them failed."""
    return math.fsum(values) / len(values) if all(map(math.isfinite, values)) else -math.inf
