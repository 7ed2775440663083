"""An exercise: a question with many right answers, a judge that computes, and hints that come one by one."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..common.errors import GraphError, ParameterError, TargetError, shown

__all__ = ["Exercise", "Fact", "Judgement"]

Fact = tuple[bool, str]
"""Whether an answer is right, and what was found out about it, in a sentence."""


@dataclass(frozen=True, repr=False)
class Judgement:
    """What an exercise says of an answer; a notebook shows it as its sentence.

    Examples
    --------
    >>> Judgement(True, "Right: different from layer 3.").right
    True
    """

    right: bool
    said: str

    def __repr__(self) -> str:
        """In lines that fit a notebook, which would break words."""
        return "\n".join(textwrap.fill(line, 90) for line in self.said.splitlines())


@dataclass(repr=False)
class Exercise:
    """A question; call it with an answer to hear what is true of the answer, and a hint, one more with each new try.

    Attributes
    ----------
    name, question
        What :func:`degnn_explore.exercise` knows it by, and what is asked.
    example
        What an answer looks like.
    judge
        Computes whether an answer is right, and a fact about it. It raises one of our errors where it is no answer.
    hints
        From a nudge to nearly all; the solution is none of them.
    given
        Makes what the question is about, where it is about something.
    tried
        The wrong answers so far.
    """

    name: str
    question: str
    example: str
    judge: Callable[[Any], Fact]
    hints: tuple[str, ...]
    given: Callable[[], Any] | None = None
    tried: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"{self.question}\nAn answer looks like this: {self.example}"

    def __call__(self, answer: Any) -> Judgement:
        """Judges an answer; the same wrong one again is no new try."""
        if answer is None or answer is ...:
            return Judgement(False, f"Your turn. {self!r}")
        try:
            right, fact = self.judge(answer)
        except (GraphError, TargetError, ParameterError) as error:
            return Judgement(False, f"This is no answer yet: {error}\nAn answer looks like this: {self.example}")
        if right:
            return Judgement(True, f"Right: {fact}")
        if (given := shown(answer) + fact) not in self.tried:
            self.tried.append(given)
        number = min(self.tried.index(given), len(self.hints) - 1)
        return Judgement(False, f"Not yet: {fact}\nHint {number + 1} of {len(self.hints)}: {self.hints[number]}")
