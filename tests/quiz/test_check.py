"""An answer is taken as people type it; a wrong one gets a hint, never the solution."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
import pytest

import degnn_explore as de

QUESTIONS: list[tuple[Any, str, list[Any], list[Any]]] = [  # truth, in words, right answers, wrong ones
    (4, "4", [4, "4", " Four ", "layer 4", "4 layers.", np.int32(4), 4.0, "at layer Four", "(4)", "+4", "8/2", "'4'."],
     [5, "5", ".4", "3 or 4", "fourteen", "14", True, nan, object(), "", " ", "x" * 500, [4, 4], "4 5"]),
    (np.int64(4), "4", [4, "four", np.array(4)], [5, "layer"]),
    (0, "0", [0, "at once", "zero", "layer 0"], ["once", "never", False, "1"]),
    (-4, "-4", ["-4", "−4", -4], [4, "4"]),
    (1234, "1234", ["1,234", "1234"], ["1,23,4", "1.234", "12,34"]),
    (1000, "1000", [1000, "1,000", "1e3"], [1001, "999", 1000.5]),
    (1, "1", [1, 1.0], [True, "1/0", "1/00", "1e999", "yes"]),
    (123, "123", ["123"], ["1,2,3"]),
    (1 / 6, "0.1667", ["1/6", "1 / 6", "16.7 %", "16.7%", 0.167, ".1667"], ["1/7", "16 %", 0.17, 16.7, "0.16"]),
    (0.5, "0.5", [0.5, "0.501", "50 %", "1/2", "0,5", "5e-1", ".5", "50 % of them."], [0.51, 0.9, "2", 50, "1/3"]),
    (0.75, "0.75", ["1.5/2", 0.75], ["1.5"]),
    (inf, "∞", ["∞", "inf", "Infinite", "infinity", inf], ["never", 10**9, "-inf"]),
    (False, "no", ["No.", "n", "nope", "FALSE", False, np.bool_(False)], ["yes", True, 0, "0", "not"]),
    (np.bool_(True), "yes", ["Y", "yep", "yeah", "true", True], ["no", False, 1, "maybe"]),
    ("no", "no", ["false", False, "No!", "no."], ["yes", True, de.check]),
    ("four", "four", ["4", 4, "Four", "layer four"], ["five", 5]),
    ("shrikhande", "shrikhande", ["Shrikhande ", '"SHRIKHANDE"'], ["rook", "", 4]),
    ("1-WL", "1-WL", ["1 wl", "1wl", "1_WL"], ["2-WL", "1"]),
    (None, "never", ["never", "No layer", "nothing", "none", "no", False], [3, "3", True, "yes"]),
    ({3, 6}, "3, 6", [{3, 6}, [6, 3], "v6 and v3", "{3; 6}", "3 & 6", "3 6", (np.int64(6), "3"), np.array([3, 6])],
     [{3}, "3", {3, 6, 7}, "3, 6, 7", [3, 3], [3, 3, 6], "36"]),
    (np.array([3, 6]), "3, 6", ["{3; 6}"], ["3"]),
    ({3}, "3", [3, "3", [3]], [[], 4]),
    ([3, 3], "3, 3", [[3, 3], "3, 3"], [[3, 6], 3, "3"]),
    ({"GCN", "GIN"}, "GCN, GIN", ["gin, gcn", ["GCN", "GIN"]], ["GCN"]),
]  # fmt: skip


@pytest.mark.parametrize(("truth", "words", "right", "wrong"), QUESTIONS, ids=[words for _, words, _, _ in QUESTIONS])
def test_answers_are_taken_as_people_type_them(truth: Any, words: str, right: list[Any], wrong: list[Any]) -> None:
    for answer in right:
        judged = de.check(answer, truth, hint="Count.")
        assert judged.right is True and repr(judged) == f"Right: {words}.", answer
    for answer in wrong:
        judged = de.check(answer, truth, hint="Count the green nodes.")
        first, hint = judged.message.split("\n")
        assert judged.right is False and hint == "Count the green nodes.", answer
        assert "Right" not in first and len(first) < 85
    assert len(de.check("y" * 200, truth).message.split("\n")) == 2  # a wrong answer always gets some hint


def test_no_answer_yet() -> None:
    assert [de.check(nothing, None, hint="Count.").right for nothing in (None, ...)] == [None, None]
    assert "Count" not in de.check(None, 4, hint="Count.").message


def test_a_notebook_shows_a_card_with_a_sign_and_escapes_what_was_typed() -> None:
    right, wrong, none = (de.check(answer, 4, hint="Count <i>.")._repr_html_() for answer in (4, "<b>5</b>", None))
    assert [sign in card for sign, card in zip("✓✗✎", (right, wrong, none), strict=True)] == [True, True, True]
    assert "&lt;b&gt;5&lt;/b&gt; is" in wrong and "<br>" in wrong and "Count &lt;i&gt;." in wrong
    assert "Count" not in right + none
    lines = repr(de.check("a b" * 20, 4, hint="x y " * 80)).splitlines()
    assert all(60 < len(line) <= 90 for line in lines[:-1]) and len(lines) > 3
