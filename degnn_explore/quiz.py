"""Questions in notebooks that check themselves: the truth is computed by the library, never written down."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

__all__ = ["check"]

_YES_NO = {**dict.fromkeys(("yes", "y", "true"), True), **dict.fromkeys(("no", "n", "false"), False)}
_COUNTS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_NEVER = {"never", "none", "no", "nothing", "no layer"}  # what people type where the truth is None
_NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:\s*/\s*\d+)?\s*%?|[-+]?\.\d+\s*%?")


def check(answer: Any, truth: Any, hint: str = "") -> None:
    """Says whether an answer is right, and after a wrong one gives the hint, never the solution.

    An answer is taken as people type it: 4, "4", "four" or "layer 4"; yes, "no" or False; {3, 6} or "v3 and v6" in
    any order; "never" where the truth is None. None as an answer stands for "not answered yet".

    Examples
    --------
    >>> check(None, 4)
    Your turn: replace None by your answer and run the cell again.
    >>> check("four", 4)
    Right: 4.
    >>> check("No", False)
    Right: no.
    >>> check("6, 3", {3, 6})
    Right: 3, 6.
    >>> check(5, 4, hint="Count the green nodes.")
    5 is not it. Count the green nodes.
    """
    if answer is None or answer is ...:
        print("Your turn: replace None by your answer and run the cell again.")
    elif _agree(answer, truth):
        print(f"Right: {_said(truth)}.")
    else:
        given = str(answer).strip()
        begun = f"{given if len(given) <= 60 else given[:59] + '…'} is not it." if given else "That is empty."
        print(f"{begun} {hint or 'Look again, then try another.'}")


def _agree(answer: Any, truth: Any) -> bool:
    """Whether an answer, typed somehow, means the truth."""
    answer, truth = (
        value.item() if hasattr(value, "item") and not _many(value) else value for value in (answer, truth)
    )
    typed = answer.casefold().strip(" .!\"'{}()[]") if isinstance(answer, str) else answer
    if truth is None:
        return isinstance(typed, str) and typed in _NEVER
    if isinstance(truth, bool):
        return (_YES_NO.get(typed) if isinstance(typed, str) else typed if isinstance(typed, bool) else None) is truth
    if isinstance(truth, str):
        if truth.casefold() in _YES_NO:
            return _agree(answer, _YES_NO[truth.casefold()])
        return str(typed) == truth.casefold().strip()
    if _many(truth):
        given = re.split(r"\s*(?:,|;|\band\b|\s)\s*", typed) if isinstance(typed, str) else answer
        given = [one for one in given if one != ""] if _many(given) else [given]
        wanted = list(truth)
        return len(given) == len(wanted) and all(any(_agree(one, other) for one in given) for other in wanted)
    number = _number(typed)
    return number is not None and math.isclose(number, float(truth), rel_tol=5e-3 if isinstance(truth, float) else 1e-9)


def _number(typed: Any) -> float | None:
    """The one number in what was typed; None if there is none, or several."""
    if isinstance(typed, int | float) and not isinstance(typed, bool):
        return float(typed)
    if not isinstance(typed, str):
        return None
    if typed in _COUNTS:
        return float(_COUNTS.index(typed))
    found = _NUMBER.findall(typed)
    if len(found) != 1:
        return None
    plain = found[0].replace(",", "").replace(" ", "")
    value = Fraction(plain.rstrip("%")) if not plain.rstrip("%").endswith("/0") else None
    return None if value is None else float(value) / (100 if plain.endswith("%") else 1)


def _many(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str) and getattr(value, "ndim", 1) > 0


def _said(truth: Any) -> str:
    if truth is None:
        return "never"
    if isinstance(truth, bool) or type(truth).__name__ == "bool":  # numpy has its own
        return "yes" if truth else "no"
    if _many(truth):
        return ", ".join(sorted(map(_said, truth)))
    return f"{truth:.4g}" if isinstance(truth, float) else str(truth)
