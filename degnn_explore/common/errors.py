"""The errors a user can cause. Each message says what was given, what was expected, what to do."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

__all__ = ["GraphError", "ParameterError", "TargetError"]


class GraphError(ValueError):
    """A graph or a graph file that cannot be read or used as asked."""


class TargetError(ValueError):
    """A target set S that does not fit the graph or the question."""


class ParameterError(ValueError):
    """An option, a coefficient or a name outside its range."""


def whole_number(name: str, value: Any, *, least: int) -> int:
    """``value`` as an int, or a ParameterError that names it."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ParameterError(f"{name} must be a whole number of at least {least}, not {value!r}.")
    return int(value)


def real_number(
    name: str, value: Any, *, least: float | None = None, above: float | None = None, below: float = math.inf
) -> float:
    """``value`` as a float, or a ParameterError that names it."""
    number = float(value) if not isinstance(value, bool) and isinstance(value, Real) else math.nan
    if number < below and (least is None or number >= least) and (above is None or number > above):
        return number
    if below == math.inf:
        wanted = "a positive number" if above == 0 else "0 or a positive number"
    else:
        wanted = f"a number from {least} to below {below}" if above is None else f"above {above} and below {below}"
    raise ParameterError(f"{name} must be {wanted}, not {value!r}.")


def one_of(name: str, value: Any, choices: Iterable[Any]) -> Any:
    """``value`` if it is among ``choices``, or a ParameterError that suggests the nearest."""
    choices = list(choices)
    if value in choices:
        return value
    near = difflib.get_close_matches(str(value), [str(c) for c in choices], n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    listed = ", ".join(repr(c) for c in choices)
    raise ParameterError(f"{name}={value!r} is not known; choose one of {listed}.{hint}")
