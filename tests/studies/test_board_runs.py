"""What a board has to show, without widgets: which runs, how far the chosen ones are, the code that repeats them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import degnn_explore as de
from degnn_explore.studies.board_runs import BoardRuns, code_of
from degnn_explore.studies.race import RaceSetup
from degnn_explore.studies.runs import Run
from degnn_explore.studies.store import Store

KARATE = de.load("karate")


def setup(**more: Any) -> RaceSetup:
    return RaceSetup(KARATE, "links", **{"models": ["GCN"], "seeds": 2, "epochs": 3, **more})


def keep(store: Store, of: RaceSetup, tests: dict[tuple[str, int], float]) -> None:
    """Puts finished runs of a plan with these test metrics."""
    for (model, seed), test in tests.items():
        hyper, options = of.spec(model).full_settings
        key, about = of.spec(model, seed).key, {"digest": of.digest, "catalog": "karate", "sizes": {"test": 16}}
        given = {"hyper": hyper, "options": options, "test": test, "optimistic": test}
        store.put(Run(key, of.title, of.kind, model, seed, **about, **given))


def means(board: BoardRuns) -> dict[str, float]:
    table = board.table()
    return {} if table is None else {row.model: round(row.mean, 6) for row in table.rows}


@pytest.mark.parametrize(
    "other",
    [{"settings": {"hidden": 16}}, {"options": {"learning_rate": 0.05}}, {"epochs": 9}],
    ids=["settings", "rate", "epochs"],
)
def test_runs_with_other_settings_are_never_averaged_in(tmp_path: Path, other: dict[str, Any]) -> None:
    store = Store(tmp_path)
    keep(store, setup(), {("GCN", 0): 0.5, ("GCN", 1): 0.7})
    keep(store, setup(**other), {("GCN", 0): 0.9, ("GCN", 1): 0.9, ("GCN", 2): 0.9})
    assert means(BoardRuns(setup(), store)) == {"GCN": 60.0}
    assert means(BoardRuns(setup(**other), store)) == {"GCN": 90.0}
    assert len(BoardRuns(setup(), store).runs) == 5
    third = BoardRuns(setup(epochs=4), store)  # never trained: the latest runs, and it is said
    assert means(third) == {"GCN": 90.0}
    assert "for GCN, whose latest runs are shown" in third.table().notes[0]  # type: ignore[union-attr]


def test_a_model_that_lacks_the_chosen_settings_shows_its_latest_and_the_others_the_chosen(tmp_path: Path) -> None:
    store = Store(tmp_path)
    keep(store, setup(models=["GIN"]), {("GIN", 0): 0.6})
    keep(store, setup(epochs=7), {("GCN", 0): 0.8})
    keep(store, setup(), {("GCN", 0): 0.5})
    board = BoardRuns(setup(epochs=7), store)
    assert means(board) == {"GCN": 80.0, "GIN": 60.0}
    assert "for GIN, whose latest runs are shown" in board.table().notes[0]  # type: ignore[union-attr]
    assert [run.options["epochs"] for run in board.drawn()] == [3, 7]


def test_how_far_the_chosen_runs_are_is_read_from_the_files(tmp_path: Path) -> None:
    store = Store(tmp_path)

    def seen() -> tuple[str, list[tuple[str, int, int, float]]] | None:
        shown = BoardRuns(setup(models=["GCN", "GIN"]), store).snapshot()
        return None if shown is None else (shown.state, [(p.state, p.done, p.of, p.share) for p in shown.progress])

    assert seen() is None
    keep(store, setup(), {("GCN", 0): 0.5})
    assert seen() == ("ready", [("waiting", 1, 2, 0.5), ("waiting", 0, 2, 0.0)])
    store.models.mkdir()
    store.checkpoint(setup(models=["GIN"]).spec("GIN", 0).key).touch()
    assert seen() == ("cancelled", [("cancelled", 1, 2, 0.5), ("cancelled", 0, 2, 0.0)])
    keep(store, setup(models=["GCN", "GIN"]), {("GCN", 1): 0.5, ("GIN", 0): 0.5, ("GIN", 1): 0.5})
    assert seen() == ("finished", [("finished", 2, 2, 1.0), ("finished", 2, 2, 1.0)])


def test_the_code_is_that_of_the_runs_shown_and_before_there_are_any_of_the_setup(tmp_path: Path) -> None:
    store = Store(tmp_path)
    chosen = setup(settings={"hidden": 16}, device="cpu")
    before = BoardRuns(chosen, store).code()
    assert before == code_of(chosen)
    assert "('GCN', [0, 1],\n" in before
    assert "'hidden': 16" in before and "'max_nodes_per_hop': None" in before
    assert "max_dist" not in code_of(setup(models=["DE-GNN-SPD"]))  # the task of each seed suggests it
    assert "'epochs': 3" in before
    assert "device='cpu'" in before
    keep(store, setup(epochs=9), {("GCN", 4): 0.5})
    after = BoardRuns(chosen, store).code()
    assert "('GCN', [4],\n" in after
    assert "'epochs': 9" in after


def test_the_code_of_runs_on_two_devices_leaves_the_device_to_the_reader() -> None:
    hyper, options = setup().spec("GCN").full_settings
    run = Run("k", "karate", "links", "GCN", hyper=hyper, options=options)
    assert "device='cpu'" in code_of(setup(), [run, replace(run, seed=1)])
    assert "device='auto'" in code_of(setup(), [run, replace(run, seed=1, device="cuda:0")])


def test_runs_of_another_graph_of_the_same_name_are_ignored_and_counted(tmp_path: Path) -> None:
    store, chosen = Store(tmp_path), setup()
    for key, task, digest in (("a", "links", chosen.digest), ("b", "links", "2e"), ("e", "roles", "3d")):
        store.put(Run(key, "karate", task, "GCN", digest=digest, test=0.5))
    board = BoardRuns(chosen, store)
    assert [run.key for run in board.runs] == ["a"]
    assert board.note.startswith("Ignored: 1 run on another graph of that name")


def test_files_about_a_question_have_a_name_that_any_disk_takes(tmp_path: Path) -> None:
    graph = KARATE.with_labels([i % 2 for i in range(34)]).with_title("../My graph!")
    named = BoardRuns(RaceSetup(graph, "roles", ["GCN"]), Store(tmp_path))
    assert named.file_name == "roles-my-graph"
    named.choose(RaceSetup(graph.with_title("../.."), "roles", ["GCN"]), Store(tmp_path))
    assert named.file_name == "roles-own-graph"


def test_runs_of_a_model_that_nobody_registered_here_are_said_below_the_table(tmp_path: Path) -> None:
    store = Store(tmp_path)
    keep(store, setup(), {("GCN", 0): 0.5})
    board = BoardRuns(setup(), store)
    assert board.table() is not None and not any("Left out" in note for note in board.table().notes)
    about = {"digest": setup().digest, "test": 0.9}
    store.put(Run("r0", KARATE.title, "roles", "my net", **about))  # of another task
    board.choose(setup(), store)
    assert board.note == ""
    store.put(*(Run(f"k{seed}", KARATE.title, "links", "my net", seed, **about) for seed in (0, 1)))
    with pytest.warns(UserWarning, match="2 runs of 'my net', not registered here"):
        board.choose(setup(), store)
    words = "Left out: 2 runs of 'my net', not registered here; run the cell that registers it."
    assert board.table().notes[-1] == words
    assert means(board) == {"GCN": 50.0}
