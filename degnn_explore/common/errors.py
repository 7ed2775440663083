"""The errors a user can cause, and the checks that raise them.

Each message says what is wrong, what was expected, and what to do.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

from .files import readable_size

MOST_SEED = 2**256 - 1  # any number a person would write down; numpy takes it as it is
MAX_NODES = 20_000_000  # of one graph: a file of a few bytes may claim more
FILE_BUDGET = 1_000_000_000  # bytes a file may hold once it is unpacked
MEMORY_BUDGET = 2_000_000_000  # bytes one request (an encoding, a model, a store of ego-networks) may take


class GraphError(ValueError):
    """A graph, or a file, that cannot be read or used."""


class TargetError(ValueError):
    """A target set S that does not fit the graph or the question."""


class ParameterError(ValueError):
    """An option, a coefficient or a name outside its range."""


def short_repr(value: Any) -> str:
    """The repr of a value for an error message, shortened; a number of hundreds of digits is shown by its size.

    >>> short_repr("a" * 100), short_repr(-(10**400))
    ("'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...", '-1.00e+400')
    """
    if isinstance(value, int) and abs(value) >= 10**30:
        power = int(math.log10(abs(value)) + 1e-9)
        return f"{'-' if value < 0 else ''}{abs(value) // 10 ** (power - 2) / 100:.2f}e+{power}"
    try:
        text = repr(value)
    except ValueError:  # it contains a number of thousands of digits
        return f"a {type(value).__name__}"
    return text if len(text) <= 50 else text[:48] + "..."


def check_int(name: str, value: Any, *, least: int, most: int = 2**63 - 1) -> int:
    """``value`` as an int that fits native code, or a ParameterError that names it."""
    if isinstance(value, bool) or not isinstance(value, Integral) or not least <= int(value) <= most:
        bounds = f"of at least {least}" if most >= 2**63 - 1 else f"from {least} to {most:,}"
        size = " (and below 2^63)" if isinstance(value, int) and value > 2**63 - 1 == most else ""
        raise ParameterError(f"{name} must be a whole number {bounds}{size}, not {short_repr(value)}.")
    return int(value)


def check_float(
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


def check_choice(name: str, value: Any, choices: Iterable[Any]) -> Any:
    """``value`` if it is among ``choices``, or a ParameterError that suggests the nearest."""
    choices = list(choices)
    if value in choices:
        return value
    listed = ", ".join(repr(c) for c in choices)
    raise ParameterError(f"{name}={value!r} is not known; choose one of {listed}.{did_you_mean(value, choices)}")


def did_you_mean(value: Any, choices: Iterable[Any]) -> str:
    """A question that names the nearest of ``choices``, after a space; "" if none is near."""
    near = difflib.get_close_matches(str(value), [str(c) for c in choices], n=1, cutoff=0.5)
    return f" Did you mean {near[0]!r}?" if near else ""


def check_memory(
    what: str, needed: int, *, budget: int = MEMORY_BUDGET, remedy: str = "", error: type[ValueError] = ParameterError
) -> None:
    """Raise an error, before anything is allocated, if ``what`` would take more than ``budget`` bytes."""
    if needed > budget:
        sizes = f"would take {readable_size(needed)}, more than the {readable_size(budget)} allowed"
        raise error(f"{what} {sizes}. {remedy}".rstrip())


def check_machine_memory(takes: str, needed: int, memory: int, remedy: str) -> None:
    """Raise an error if ``needed`` exceeds the machine's ``memory``; ``takes`` is a clause such as "X takes 9 GB"."""
    if needed > memory:
        raise ParameterError(f"{takes}, and this machine has {readable_size(memory)}; {remedy}.")
