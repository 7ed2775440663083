"""Questions in notebooks that check themselves: the truth is computed by the library, never written down."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

__all__ = ["check"]

_YES_NO = dict.fromkeys(("yes", "y", "true", "yep", "yeah"), True)
_YES_NO |= dict.fromkeys(("no", "n", "false", "nope"), False)
_COUNTS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_WORDS = {word: str(count) for count, word in enumerate(_COUNTS)} | {"at once": "0"}  # as the Explorer says of layer 0
_WORD = re.compile(rf"\b({'|'.join(_WORDS)})\b")
_INFINITE = {"∞", "inf", "infinity", "infinite"}
_NEVER = {"never", "none", "no", "nothing", "no layer"}  # what people type where the truth is None
_NUMBER = re.compile(r"[-+]?(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:e[-+]?\d{1,3})?(?:\s*/\s*\d+)?\s*%?")


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
        return typed is False or (isinstance(typed, str) and typed in _NEVER)
    if isinstance(truth, bool):
        return (_YES_NO.get(typed) if isinstance(typed, str) else typed if isinstance(typed, bool) else None) is truth
    if isinstance(truth, str):
        if truth.casefold() in _YES_NO:
            return _agree(answer, _YES_NO[truth.casefold()])
        if truth.casefold() in _WORDS:
            return _agree(answer, int(_WORDS[truth.casefold()]))
        return _plain(str(typed)) == _plain(truth)
    if _many(truth):
        given = re.split(r"\s*(?:,|;|&|\band\b|\s)\s*", typed) if isinstance(typed, str) else answer
        given = [one for one in given if one != ""] if _many(given) else [given]
        for wanted in truth:
            meant = next((place for place, one in enumerate(given) if _agree(one, wanted)), None)
            if meant is None:
                return False
            del given[meant]
        return not given
    number = _number(typed)
    return number is not None and math.isclose(number, float(truth), rel_tol=5e-3 if isinstance(truth, float) else 1e-9)


def _number(typed: Any) -> float | None:
    """The one number in what was typed; None if there is none, or several."""
    if isinstance(typed, int | float) and not isinstance(typed, bool):
        return float(typed)
    if not isinstance(typed, str):
        return None
    if typed in _INFINITE:
        return math.inf
    digits = _WORD.sub(lambda word: _WORDS[word[0]], typed.replace("−", "-"))
    found = _NUMBER.findall(digits)
    if len(found) != 1:
        return None
    above, _, below = found[0].rstrip(" %").replace(" ", "").partition("/")
    above = re.sub(r",(?=\d{3}(?!\d))", "", above).replace(",", ".", 1)  # 1,234 is thousands; 0,5 a half
    if "," in above or above.count(".") > 1 or (below and float(below) == 0):
        return None
    return float(above) / float(below or 1) / (100 if found[0].endswith("%") else 1)


def _plain(text: str) -> str:
    """Without what people leave out or add: 1-WL, 1 WL and 1wl are one."""
    return re.sub(r"[\s_-]+", "", text.casefold())


def _many(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str) and getattr(value, "ndim", 1) > 0


def _said(truth: Any) -> str:
    if truth is None:
        return "never"
    if isinstance(truth, bool) or type(truth).__name__ == "bool":  # numpy has its own
        return "yes" if truth else "no"
    if _many(truth):
        return ", ".join(sorted(map(_said, truth)))
    if isinstance(truth, float):
        return "∞" if truth == math.inf else f"{truth:.4g}"
    return str(truth)
