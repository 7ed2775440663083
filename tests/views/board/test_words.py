"""The board's sentences, by the numbers and names that they must hold."""

from __future__ import annotations

import re
from typing import Any

import pytest

from degnn_explore.learn.registry import color_of
from degnn_explore.studies.comparison import SAME_SPLIT, Comparison, Row
from degnn_explore.studies.race import ModelProgress, Snapshot
from degnn_explore.views.board import words
from degnn_explore.views.board.state import BoardState


def row(model: str, mean: float, verdict: str = "", p: float | None = None, seeds: int = 5) -> Row:
    return Row(model, seeds, mean, 1.0, None, mean, 1.0, None, 1.0, 10, verdict, p)


def table(*rows: tuple[Any, ...]) -> Comparison:
    return Comparison(tuple(row(*one) for one in rows), "celegans", "links", 2, "auc", 430, ())


def shown(state: str, model: str = "running", left: float | None = 3.0, **more: Any) -> Snapshot:
    about = {"done": 1, "of": 3, "share": 0.504, "error": ""} | more
    return Snapshot(state, (ModelProgress("GCN", model, left=left, **about),), left, ())


DE, BASE = "DE-GNN-SPD", ("GIN", 78.0, "the baseline")


@pytest.mark.parametrize(("rows", "said"), [
    ([(DE, 80.04), ("GIN", 78.0)], "DE-GNN-SPD reaches 80.0, 2 points ahead of GIN, a plain GNN."),
    ([(DE, 80.0), ("GIN", 79.0), ("GCN", 70.0)], "80.0, 1 point ahead of GIN, the best plain GNN."),
    ([(DE, 80.0), ("SEAL", 79.0), ("GCN", 70.04)], "80.0, 10 points ahead of GCN, a plain GNN."),
    ([(DE, 80.0), ("DE-GNN-LP", 79.5), ("SEAL", 78.5)], "80.0, 1.5 points ahead of SEAL."),
    ([(DE, 80.0), ("DE-GNN-LP", 79.75)], "80.0, 0.2 points ahead of DE-GNN-LP."),
    ([("GIN", 91.0), ("GCN", 90.5), (DE, 88.0)], "GIN reaches 91.0, 3 points ahead of DE-GNN-SPD."),
    ([("Katz", 91.0), ("GCN", 80.1)], "a formula without training, reaches 91.0, 11 points ahead of GCN, a plain GNN."),
    ([("SEAL", 91.0), ("Katz", 90.0)], "91.0, 1 point ahead of Katz, a formula without training."),
    ([("GCN", 80.0), (DE, 79.96)], "GCN and DE-GNN-SPD are level at 80.0."),
    ([(DE, 80.0), ("GCN", 80.0)], "DE-GNN-SPD and GCN, a plain GNN, are level at 80.0."),
    ([("GCN", 80.0)], "GCN reaches 80.0."),
])  # fmt: skip
def test_the_headline_says_who_is_ahead_of_whom_by_how_much(rows: list[Any], said: str) -> None:
    assert words.headline(table(*rows)).endswith(said)


@pytest.mark.parametrize(("rows", "said"), [
    ([("GCN", 80.0)], "Five seeds. Race another"),
    ([("GCN", 80.0, "", None, 1), ("GIN", 70.0)], "One seed: too few"),
    ([("GCN", 80.0, "", None, 4), ("GIN", 70.0, "", None, 12)], "Four seeds: too few .* 5 "),
    ([("GCN", 80.0, "", None, 12), ("GIN", 70.0, "", None, 11)], "11 seeds; there is nothing"),
    ([("GCN", 80.0, "", None, 10), ("GIN", 70.0, "", None, 10)], "Ten seeds"),
    ([(DE, 90.0, f"+12.0, {SAME_SPLIT}", None, 2), BASE], "Every seed has the same split"),
    ([(DE, 90.0, "+12.0, above (p = 0.004)", 0.004), BASE], r"DE-GNN-SPD is above GIN, .*\(p = 0.004\)"),
    ([(DE, 90.0, "+12.0, above (p < 0.001)", 1e-3 - 1e-9), BASE], r"\(p < 0.001\)"),
    ([BASE, (DE, 70.0, "-8.0, below (p = 0.001)", 1e-3)], r"is below GIN, .*\(p = 0.001\)"),
    ([(DE, 79.0, "+1.0, not shown to differ (p = 0.4)", 0.4), BASE], r"not shown .* GIN.*\(p = 0.400\)"),
])  # fmt: skip
def test_how_sure_the_result_is(rows: list[Any], said: str) -> None:
    assert re.match(f".*{said}", words.how_sure(table(*rows)))


@pytest.mark.parametrize(("graph", "task", "models", "race", "said"), [
    # 1.5 s for each run, and 60 µs for each set and epoch, at least 10 ms for each epoch
    ("celegans", "links", ["GCN", DE], {}, "GCN and DE-GNN-SPD: 3 seeds each, up to 40 epochs, about 1 min"),
    ("celegans", "links", ["GCN", "Katz", "GIN"], {"seeds": 1}, "GCN, GIN and Katz: 1 seed each.*about 20 s"),
    ("celegans", "triangles", ["GCN"], {"workers": 2}, "Race GCN.*about 20 s"),
    ("karate", "roles", ["GCN", "GIN", "SAGE", "degree"], {"epochs": 400}, "4 models: 3 seeds.* 400 .*about 50 s"),
    ("karate", "links", ["Katz"], {"seeds": 4, "workers": 64}, "about 5 s"),
    ("karate", "links", ["Katz", "Adamic-Adar"], {"seeds": 20}, "about 1 min"),
    ("karate", "links", [], {}, "GCN and DE-GNN-SPD"),
])  # fmt: skip
def test_before_a_race_it_says_what_is_trained_and_how_long_that_takes(
    graph: str, task: str, models: list[str], race: dict[str, int], said: str
) -> None:
    state = BoardState(graph, task, models, **race)
    title, sure = words.title_and_note(state.setup(), state.asked, state.workers, None, None)
    assert re.search(said, sure) and (state.asked in title) == bool(models)


def test_times_are_as_exact_as_they_are_known() -> None:
    guesses = {7.4: "5 s", 7.6: "10 s", 56.9: "60 s", 57: "1 min", 3299: "55 min", 3300: "1 h", 9000: "2 h"}
    assert {seconds: words.roughly(seconds) for seconds in guesses} == guesses
    exact = {59.4: "59 s", 59.6: "1 min 0 s", 3599: "59 min 59 s", 3600: "1 h 0 min", 7230: "2 h 0 min"}
    assert {seconds: words.duration(seconds) for seconds in exact} == exact


@pytest.mark.parametrize(("snapshot", "meaning", "status", "title", "note"), [
    (None, "race", "", "DE-GNN-SPD reaches", "^Two seeds"),
    (shown("ready"), "race", "", "DE-GNN-SPD reaches", "^Two seeds"),
    (shown("running"), "cancel", "3 s left", "^So far, DE-GNN-SPD", "3 s left.$"),
    (shown("running", left=None), "cancel", "Training…", "^So far", "Training…$"),
    (shown("cancelled"), "continue", "is kept", "^DE-GNN-SPD", "^Stopped.* Two seeds"),
    (shown("cancelled", error="disk"), "continue", "error", "^DE-GNN-SPD", "error.* Two seeds"),
    (shown("finished", "finished"), "done", "", "^DE-GNN-SPD", "^Two seeds"),
    (shown("finished", "failed", error="boom"), "retry", "errors", "^DE-GNN-SPD", "errors.* Two seeds"),
])  # fmt: skip
def test_button_status_title_and_note_follow_the_race(
    snapshot: Snapshot | None, meaning: str, status: str, title: str, note: str
) -> None:
    setup = BoardState("karate", "links", ["GCN"]).setup()
    assert words.meaning(snapshot) == meaning and status in words.status(snapshot)
    assert bool(words.status(snapshot)) == bool(status)
    made = words.button(meaning)
    assert made["meaning"] == meaning and made["label"] and made["about"] and not (made["progress"] or made["running"])
    both = table((DE, 90.0, "", None, 2), ("GCN", 76.0, "", None, 2))
    found = words.title_and_note(setup, "links of karate club", 1, snapshot, both)
    assert re.search(title, found[0]) and re.search(note, found[1])
    running = snapshot is not None and snapshot.state == "running"
    first, then = words.title_and_note(setup, "links of karate club", 1, snapshot, table(("GCN", 76.0)))
    assert (first == words.question("links of karate club")) == running and ("Race another" in then) != running
    assert status in words.title_and_note(setup, "links", 1, snapshot, None)[1]


@pytest.mark.parametrize(("state", "more", "note"), [
    ("running", {}, "1 of 3 seeds, 3 s left"),
    ("running", {"left": None, "of": 1}, "1 of 1 seed"),
    ("preparing", {"doing": "drawing sets"}, "1 of 3 seeds, drawing sets"),
    ("preparing", {}, "1 of 3 seeds, preparing"),
    ("cancelled", {}, "1 of 3 seeds, cancelled"),
    ("failed", {"error": "Traceback\n  line\nValueError: x"}, "1 of 3 seeds, failed"),
    ("waiting", {}, "1 of 3 seeds"),
])  # fmt: skip
def test_progress_of_a_model(state: str, more: dict[str, Any], note: str) -> None:
    error, details = ("ValueError: x", "Traceback\n  line") if "error" in more else ("", "")
    assert words.progress(shown("running", state, **more)) == [
        {"model": "GCN", "color": color_of("GCN"), "percent": 50, "note": note, "state": state, "error": error,
         "details": details}
    ]  # fmt: skip
    assert words.progress(None) == []
