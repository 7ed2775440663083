"""Questions in notebooks that check themselves: the truth is computed by the library, never written down."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["check"]


def check(answer: Any, truth: Any, hint: str = "") -> None:
    """Says whether an answer is right; None stands for "not answered yet". Order does not matter in a set.

    Examples
    --------
    >>> check(None, 4)
    Your turn: replace None by your answer and run the cell again.
    >>> check({3, 6}, [6, 3])
    Yes, {3, 6}.
    >>> check(5, 4, hint="Count the green nodes.")
    Not 5. Count the green nodes.
    """
    if answer is None or answer is ...:
        print("Your turn: replace None by your answer and run the cell again.")
    elif _plain(answer) == _plain(truth):
        print(f"Yes, {answer}.")
    else:
        print(f"Not {answer}. {hint}".rstrip())


def _plain(value: Any) -> Any:
    if isinstance(value, Iterable) and not isinstance(value, str):
        return frozenset(_plain(v) for v in value)
    return value.casefold().strip() if isinstance(value, str) else value
