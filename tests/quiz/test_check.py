"""An answer is taken as people type it; a wrong one gets a hint, never the solution."""

from __future__ import annotations

import numpy as np
import pytest

import degnn_explore as de


@pytest.mark.parametrize(
    ("answer", "truth", "said"),
    [
        (4, 4, "4"),
        ("4", 4, "4"),
        (" Four ", 4, "4"),
        ("layer 4", 4, "4"),
        ("4 layers.", np.int64(4), "4"),
        (np.int32(4), 4, "4"),
        ("1,234", 1234, "1234"),
        (4.0, 4, "4"),
        ("1/6", 1 / 6, "0.1667"),
        ("16.7 %", 1 / 6, "0.1667"),
        (0.167, 1 / 6, "0.1667"),
        ("No.", False, "no"),
        ("false", "no", "no"),
        (False, "no", "no"),
        (np.bool_(True), True, "yes"),
        ("Y", np.bool_(True), "yes"),
        ("never", None, "never"),
        ("Shrikhande ", "shrikhande", "shrikhande"),
        ({3, 6}, [6, 3], "3, 6"),
        ("v6 and v3", {3, 6}, "3, 6"),
        ("{3; 6}", np.array([3, 6]), "3, 6"),
        ([np.int64(6), "3"], (3, 6), "3, 6"),
        (3, {3}, "3"),
        ("3 & 6", {3, 6}, "3, 6"),
        ("two layers", 2, "2"),
        ("at layer Four", 4, "4"),
        ("at once", 0, "0"),
        ("4", "four", "four"),
        (4, "four", "four"),
        ("Four", "four", "four"),
        ("1 wl", "1-WL", "1-WL"),
        ("1.5/2", 0.75, "0.75"),
        ("1e-3", 0.001, "0.001"),
        ("0,5", 0.5, "0.5"),
        ("−4", -4, "-4"),
        ("∞", float("inf"), "∞"),
        ("nope", False, "no"),
        (False, None, "never"),
    ],
)
def test_right_answers(answer, truth, said: str) -> None:
    judged = de.check(answer, truth, hint="Count.")
    assert judged.right is True
    assert repr(judged) == f"Right: {said}."


@pytest.mark.parametrize(
    ("answer", "truth"),
    [
        (5, 4),
        ("3 or 4", 4),
        ("1/0", 1),
        ("1/00", 1),
        ("1,2,3", 123),
        ("1e999", 1),
        ([3, 6], [3, 3]),
        ("five", "four"),
        ("fourteen", 4),
        (True, 1),
        (1, True),
        ("yes", False),
        (3, None),
        (float("nan"), 4),
        ({3}, {3, 6}),
        ({3, 6, 7}, {3, 6}),
        (object(), 4),
        ("x" * 500, 4),
        ("", 4),
        (de.check, "no"),
    ],
)
def test_wrong_answers_get_the_hint(answer, truth) -> None:
    judged = de.check(answer, truth, hint="Count the green nodes.")
    assert judged.right is False
    assert judged.message.endswith("\nCount the green nodes.") and "Right" not in judged.message
    assert len(judged.message) < 120


def test_no_answer_yet() -> None:
    assert [de.check(nothing, None).right for nothing in (None, ...)] == [None, None]


def test_a_notebook_shows_a_card_with_a_sign_and_escapes_what_was_typed() -> None:
    cards = [de.check(answer, 4, hint="Count.")._repr_html_() for answer in (4, "<b>5</b>", None)]
    assert [sign in card for sign, card in zip("✓✗✎", cards, strict=True)] == [True, True, True]
    assert "&lt;b&gt;5&lt;/b&gt; is not right." in cards[1] and "Count." in cards[1]


def test_a_real_number_may_be_rounded_and_a_count_may_not() -> None:
    assert [de.check(x, 0.5).right for x in (0.5, "0.501", "50 %", "1/2", 0.51, 0.9)] == [True] * 4 + [False] * 2
    assert [de.check(x, 1_000).right for x in (1_000, "1,000", 1_001, "999")] == [True, True, False, False]
