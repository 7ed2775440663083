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
def test_right_answers(answer, truth, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    de.check(answer, truth, hint="Count.")
    assert capsys.readouterr().out == f"Right: {said}.\n"


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
def test_wrong_answers_get_the_hint(answer, truth, capsys: pytest.CaptureFixture[str]) -> None:
    de.check(answer, truth, hint="Count the green nodes.")
    said = capsys.readouterr().out
    assert said.endswith("Count the green nodes.\n") and "Right" not in said and len(said) < 120


def test_nothing_said_yet(capsys: pytest.CaptureFixture[str]) -> None:
    for nothing in (None, ...):
        de.check(nothing, None)
        assert "Your turn" in capsys.readouterr().out
    de.check(3, 4)
    assert capsys.readouterr().out == "3 is not it. Look again, then try another.\n"
