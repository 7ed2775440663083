"""The verdicts: what each method says, and that an old question is forgotten."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

import degnn_explore as de
from degnn_explore.views.explorer import verdict_table
from degnn_explore.views.explorer.state import ExplorerState, Side
from degnn_explore.views.explorer.verdict_table import Judge, Question, answers, pills, reason
from tools.waiting import LONG


@pytest.mark.parametrize(
    ("preset", "layers"),
    [
        ("fig1", [None, 2, 0, 2, 2]),
        ("fig2b", [None, 2, 2, 2, None]),
        ("fig4", [None, None, None, None, None]),
        ("hexagon", [None, 2, 0, 1, 2]),
    ],
)
def test_verdicts_of_the_presets(preset: str, layers: list[int | None]) -> None:
    found = [v.layer for _, v in answers(Question.of(ExplorerState.of_preset(preset)))]
    assert found[:2] == layers[:2]
    assert found == layers


def test_cutting_the_edge_inside_s_matters_for_the_domino() -> None:
    state = ExplorerState.of_preset("cut")
    assert not dict(answers(Question.of(state)))["DE-SPD"].different
    state.update(cut=True)
    assert dict(answers(Question.of(state)))["DE-SPD"].different


def test_sets_of_different_size_get_a_hint_not_an_error() -> None:
    state = ExplorerState.of_preset("fig1")
    state.add(0, [7])
    assert "A has 2 targets and B has 1" in Question.of(state).hint
    assert pills(Question.of(state), {}) == []


def test_a_new_question_cancels_the_old_one(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, failed, heard, begun, done = [], [], [], threading.Event(), threading.Event()

    def at_work(question: Question, stop: threading.Event) -> Iterator[tuple[str, object]]:
        if question is first:  # at work until it hears that another one is asked
            heard.append(stop)
            begun.set()
            assert stop.wait(LONG)
        yield from answers(question, stop)

    def show(question: Question, found: dict, alike: object) -> None:
        shown.append((question, len(found)))
        if question is second and len(found) == 5:
            done.set()

    judge = Judge(show, failed.append)
    G = de.load("celegans")
    first = Question((Side(G, (0,)), Side(G, (1,))), 2, False)
    second = Question.of(ExplorerState.of_preset("fig1"))
    monkeypatch.setattr(verdict_table, "answers", at_work)
    judge.ask(first)
    assert begun.wait(LONG)
    judge.ask(second)
    assert heard[0].is_set()
    assert done.wait(LONG)
    assert not failed
    assert max(count for question, count in shown if question is first) == 0


def test_a_pill_says_the_answer_its_layer_and_the_sentence() -> None:
    question = Question.of(ExplorerState.of_preset("fig1"))
    found = dict(answers(question))
    shown = pills(question, {**found, "2-WL": "left out: too much"})
    assert [(p["name"], p["title"], p["answer"], p["layer"]) for p in shown] == [
        ("1-WL", "1-WL", "no", None),
        ("DE-SPD", "DE-1 SPD", "yes", 2),
        ("DE-LP", "DE-1 LP", "yes", 0),
        ("DEA-SPD", "DEA-1, K=2", "yes", 2),
        ("2-WL", "2-WL", "none", None),
    ]
    assert [p["why"] for p in shown[1:]] == [
        *(found[m].why for m in ("DE-SPD", "DE-LP", "DEA-SPD")),
        "left out: too much",
    ]
    assert {p["answer"] for p in pills(question, {})} == {"busy"}
    reasons = {p["name"]: p["more"] for p in pills(question, found, reason(question, found))}
    assert reasons.pop("1-WL").startswith("they do differ, but 1-WL cannot see it")
    assert set(reasons.values()) == {""}
