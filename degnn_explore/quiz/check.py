"""``de.check``: short questions in notebooks that check themselves."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

__all__ = ["Judgment", "check"]

_YES_NO = dict.fromkeys(("yes", "y", "true", "yep", "yeah"), True)
_YES_NO |= dict.fromkeys(("no", "n", "false", "nope"), False)
_COUNTS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_WORDS = {word: str(count) for count, word in enumerate(_COUNTS)} | {"at once": "0"}  # as the Explorer says of layer 0
_WORD = re.compile(rf"\b({'|'.join(_WORDS)})\b")
_INFINITE = {"∞", "inf", "infinity", "infinite"}
_NEVER = {"never", "none", "no", "nothing", "no layer"}  # what people type where the truth is None
_NUMBER = re.compile(r"[-+]?(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:e[-+]?\d{1,3})?(?:\s*/\s*\d+)?\s*%?")

_AROUND = " !\"'{}()[]"  # what people put around an answer; a point may end it, but .5 begins with one

_LOOKS = {True: ("✓", "#1a7f37"), False: ("✗", "#b35900"), None: ("✎", "#6e7781")}
"""A sign and a color for right, wrong, and not answered yet."""


@dataclass(frozen=True)
class Judgment:
    """Whether an answer is right (None: there is none yet), and a sentence about it.

    Examples
    --------
    >>> judged = Judgment(True, "Right: different from layer 3.")
    >>> judged, judged.right
    (Right: different from layer 3., True)
    """

    right: bool | None
    message: str

    def __repr__(self) -> str:
        """In lines that fit a notebook."""
        return "\n".join(textwrap.fill(line, 90) for line in self.message.splitlines())

    def _repr_html_(self) -> str:
        sign, color = _LOOKS[self.right]
        first, *more = map(escape, self.message.splitlines())
        lines = f"<b>{first}</b>" + "".join(f'<br><span style="opacity:.85">{line}</span>' for line in more)
        box = f"border:1px solid {color}55;border-left:4px solid {color};border-radius:6px;background:{color}14"
        look = (
            f"display:inline-flex;gap:10px;max-width:46em;margin:4px 0;padding:8px 14px;font:14px/1.45 sans-serif;{box}"
        )
        mark = f'<span style="color:{color};font-weight:700" aria-hidden="true">{sign}</span>'
        return f'<div role="status" style="{look}">{mark}<span>{lines}</span></div>'


def check(answer: Any, truth: Any, hint: str = "") -> Judgment:
    """Show on a small card whether an answer is right; after a wrong answer, the card has the hint, never the solution.

    Answers may be typed in many ways: 4, "4", "four" or "layer 4"; yes, "no" or False; {3, 6} or "v3 and v6" in any
    order; "never" if the truth is None. The answer None means "not answered yet".

    Examples
    --------
    >>> check(None, 4)
    Your turn: replace None with your answer and run the cell again.
    >>> check("four", 4)
    Right: 4.
    >>> check("No", False)
    Right: no.
    >>> check("6, 3", {3, 6})
    Right: 3, 6.
    >>> check(5, 4, hint="Count the green nodes.")
    5 is not right.
    Count the green nodes.
    """
    if answer is None or answer is ...:
        return Judgment(None, "Your turn: replace None with your answer and run the cell again.")
    if _agree(answer, truth):
        return Judgment(True, f"Right: {_in_words(truth)}.")
    typed = str(answer).strip()
    wrong = f"{typed if len(typed) <= 60 else typed[:59] + '…'} is not right." if typed else "That is empty."
    return Judgment(False, f"{wrong}\n{hint or 'Look again and try another answer.'}")


def _agree(answer: Any, truth: Any) -> bool:
    """Whether an answer, typed somehow, means the truth."""
    answer, truth = (
        value.item() if hasattr(value, "item") and not _many(value) else value for value in (answer, truth)
    )
    typed = answer.casefold().lstrip(_AROUND).rstrip(_AROUND + ".") if isinstance(answer, str) else answer
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
        parts = re.split(r"\s*(?:,|;|&|\band\b|\s)\s*", typed) if isinstance(typed, str) else answer
        parts = [part for part in parts if part != ""] if _many(parts) else [parts]
        for wanted in truth:
            match = next((place for place, part in enumerate(parts) if _agree(part, wanted)), None)
            if match is None:
                return False
            del parts[match]
        return not parts
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
    numbers = _NUMBER.findall(digits)
    if len(numbers) != 1:
        return None
    above, _, below = numbers[0].rstrip(" %").replace(" ", "").partition("/")
    above = re.sub(r",(?=\d{3}(?!\d))", "", above).replace(",", ".", 1)  # 1,234 is thousands; 0,5 a half
    if "," in above or above.count(".") > 1 or (below and float(below) == 0):
        return None
    return float(above) / float(below or 1) / (100 if numbers[0].endswith("%") else 1)


def _plain(text: str) -> str:
    """Without what people leave out or add: 1-WL, 1 WL and 1wl are one."""
    return re.sub(r"[\s_-]+", "", text.casefold())


def _many(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str) and getattr(value, "ndim", 1) > 0


def _in_words(truth: Any) -> str:
    if truth is None:
        return "never"
    if isinstance(truth, bool) or type(truth).__name__ == "bool":  # numpy.bool is another type
        return "yes" if truth else "no"
    if _many(truth):
        return ", ".join(sorted(map(_in_words, truth)))
    if isinstance(truth, float):
        return "∞" if truth == math.inf else f"{truth:.4g}"
    return str(truth)
