"""Every setting that was tried, notes on runs, and two settings side by side, without a browser."""

from __future__ import annotations

from pathlib import Path

import pytest

import degnn_explore as de
from degnn_explore.studies.plan import Job, Plan
from degnn_explore.studies.records import Run
from degnn_explore.views.board.board import TrainingBoard

KARATE = de.load("karate")


def put(store: de.Store, tests: list[float], model: str = "GCN", **more: object) -> None:
    plan = Plan(KARATE, "links", [model], seeds=len(tests), epochs=2, **more)  # type: ignore[arg-type]
    hyper, options = plan.settings(model)
    for seed, test in enumerate(tests):
        epochs = [
            {"number": i, "loss": 1.0, "seconds": 0.1, "metric": "auc", "val": {"auc": test}, "test": {"auc": test}}
            for i in (1, 2)
        ]
        given = {"hyper": hyper, "options": options, "test": test, "optimistic": test, "epochs": epochs}
        about = {"digest": plan.digest, "catalogue": "karate", "sizes": {"test": 16}, "cpu_seconds": 1.5}
        store.put(Run(plan.key(Job(model, seed)), "karate", "links", model, seed, **about, **given))  # type: ignore[arg-type]


@pytest.fixture
def board(tmp_path: Path) -> TrainingBoard:
    store = de.Store(tmp_path)
    put(store, [0.5, 0.75, 0.75])
    put(store, [0.75, 0.75], hyper={"hidden": 16})
    return de.TrainingBoard("karate", "links", ["GCN"], seeds=3, epochs=2, results=tmp_path)


def test_settings_are_listed_with_their_seeds_and_two_are_compared_seed_by_seed(board: TrainingBoard) -> None:
    tried = board._tried
    assert tried.box.layout.display == "none"
    tried.toggle.value = True
    cells = [[one["text"] for one in row] for row in tried._sheet.rows]
    assert cells == [
        ["GCN", "at most 2 epochs, each model's own values", "3", "66.7 ± 35.9", "1.5", ""],
        ["GCN", "at most 2 epochs, hidden 16", "2", "75.0 ± 0.0", "1.5", ""],
    ]
    assert [menu.value for menu in tried.menus] == ["GCN", cells[0][1], cells[1][1]]
    assert "On the 2 seeds that both have, dashed minus solid is +12.5 ± 158.8 points of test AUC; too few" in (
        tried._words.value
    )
    assert [(line["name"], line["line"]["dash"], line["y"]) for line in tried._chart.figure["data"]] == [
        (cells[0][1], "solid", [pytest.approx(2 / 3)] * 2),
        (cells[1][1], "dash", [0.75, 0.75]),
    ]
    tried.menus[2].value = cells[0][1]
    assert "A second setting of this model is not there yet, or not chosen." in tried._words.value


def test_a_note_is_kept_beside_the_runs_and_shown_on_any_board(board: TrainingBoard, tmp_path: Path) -> None:
    tried = board._tried
    tried.toggle.value = True
    tried.note.value = "  <b>for the poster</b> "
    tried.keep()
    assert [row[5]["text"] for row in tried._sheet.rows] == ["<b>for the poster</b>", ""]
    assert [run.note for run in de.Store(tmp_path).runs()] == ["<b>for the poster</b>"] * 3 + [""] * 2
    again = de.TrainingBoard("karate", "links", ["GCN"], seeds=3, epochs=2, results=tmp_path)
    again._tried.toggle.value = True
    assert again._tried.note.value == "<b>for the poster</b>"
    assert again.runs == board.runs


def test_a_model_with_one_setting_does_not_hide_the_others(board: TrainingBoard, tmp_path: Path) -> None:
    put(de.Store(tmp_path), [0.5, 0.25], "Adamic-Adar")  # before GCN in every list
    several = de.TrainingBoard("karate", "links", ["GCN", "Adamic-Adar"], seeds=2, epochs=2, results=tmp_path)
    tried = several._tried
    tried.toggle.value = True
    assert tried.menus[0].options == ("Adamic-Adar", "GCN") and tried.menus[0].value == "GCN"
    assert "none" not in [menu.layout.display for menu in tried.menus] and "dashed minus solid" in tried._words.value
    assert tried.note.placeholder == "a note on the runs of GCN, the solid setting"
    tried.menus[0].value = "Adamic-Adar"
    assert [menu.layout.display == "none" for menu in tried.menus] == [False, True, True]
    assert tried.note.placeholder == "a note on the runs of Adamic-Adar"
    tried.note.value = "no training"
    tried.keep()
    assert {run.model for run in de.Store(tmp_path).runs() if run.note == "no training"} == {"Adamic-Adar"}
    assert tried.menus[0].value == "Adamic-Adar"  # what was chosen stays chosen
    tried.menus[0].value = "GCN"
    assert "none" not in [menu.layout.display for menu in tried.menus]
    assert several._curves.chart.description.endswith("after 2 epochs, Adamic-Adar 0.375 without training")
