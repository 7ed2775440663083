"""What a board has to show, without widgets: which runs, how far the chosen ones are, the code that repeats them."""

from __future__ import annotations

import contextlib
import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import degnn_explore as de
from degnn_explore.studies.board_runs import BoardRuns, code_of, ignored, settings_note
from degnn_explore.studies.race import RaceSetup
from degnn_explore.studies.runs import Run, run_one
from degnn_explore.studies.store import Store
from tests.support.waiting import LONG

pytestmark = pytest.mark.usefixtures("in_process")
KARATE = de.load("karate")


def setup(**more: Any) -> RaceSetup:
    usual = {"graph": KARATE, "task": "links", "models": ["GCN"], "seeds": 2, "epochs": 3, "device": "cpu"}
    return RaceSetup(**{**usual, **more})


def keep(store: Store, of: RaceSetup, tests: dict[tuple[str, int], float], **more: Any) -> list[Run]:
    """Put finished runs of a setup with these test metrics into the store."""
    runs = []
    for (model, seed), test in tests.items():
        record = of.spec(model, seed).record()
        runs.append(replace(record, sizes={"test": 16}, test=test, val=test, optimistic=test, **more))
    store.put(*runs)
    return runs


def means(board: BoardRuns) -> dict[str, float]:
    table = board.table()
    return {} if table is None else {row.model: round(row.mean, 6) for row in table.rows}


@pytest.mark.parametrize(
    "other", [{"settings": {"hidden": 16}}, {"options": {"learning_rate": 0.05}}, {"epochs": 9}], ids=str
)
def test_runs_with_other_settings_are_never_averaged_in(tmp_path: Path, other: dict[str, Any]) -> None:
    store = Store(tmp_path)
    keep(store, setup(), {("GCN", 0): 0.5, ("GCN", 1): 0.7, ("GIN", 0): 0.6})
    keep(store, setup(**other), {("GCN", 0): 0.9, ("GCN", 1): 0.9, ("GCN", 2): 0.9})
    assert means(BoardRuns(setup(), store)) == {"GCN": 60.0, "GIN": 60.0}
    chosen = BoardRuns(setup(**other), store)
    assert means(chosen) == {"GCN": 90.0, "GIN": 60.0} and len(chosen.runs) == 6
    assert "GIN" in chosen.table().notes[0] and chosen.drawn() == chosen.shown  # it lacks the chosen settings


def test_runs_of_other_questions_and_unknown_models_are_counted_below_the_table(tmp_path: Path) -> None:
    store, chosen = Store(tmp_path), setup()
    (run,) = keep(store, chosen, {("GCN", 0): 0.5})
    board = BoardRuns(chosen, store)
    assert board.note == "" and board.table() is board.table() is not None  # made once
    others = [{"digest": "2e"}, {"digest": "2e", "protocol": "paper"}, {"digest": "2e", "task": "roles"}]
    others += [{"task": "triangles"}, {"task": "triangles", "model": "my net"}]  # of the same digest
    store.put(*(replace(run, key=f"other{k}", **more) for k, more in enumerate(others)))
    board.choose(chosen, store)
    assert board.runs == [run] and board.table().notes[-1] == board.note
    assert re.findall(r"\d runs?\b", board.note) == ["1 run", "1 run"] and "3 runs" in ignored([run] * 3)
    store.put(*(replace(run, key=f"k{seed}", model="my net", seed=seed) for seed in (0, 1)))
    with pytest.warns(UserWarning, match="my net"):
        board.choose(chosen, store)
    assert "2 runs of 'my net'" in board.table().notes[-1] and means(board) == {"GCN": 50.0}


def test_earlier_runs_can_be_hidden_and_those_raced_here_are_shown(tmp_path: Path) -> None:
    store, short = Store(tmp_path), setup(epochs=2, seeds=1)
    keep(store, setup(), {("GCN", 0): 0.5, ("GIN", 0): 0.6})
    board = BoardRuns(short, store, show_earlier=False)
    assert board.runs == [] and board.earlier == 2 and board.table() is None and board.snapshot() is None
    race = board.new_race(1)
    race.start()
    assert race.wait(LONG) and [run.options["epochs"] for run in board.runs] == [2]
    board.show_earlier = True
    assert board.earlier == 0 and len(board.runs) == 3 and {*means(board)} == {"GCN", "GIN"}
    assert [run.model for run in board.drawn()] == ["GIN", "GCN"]
    board.show_earlier = False
    board.choose(short, store)
    assert [run.options["epochs"] for run in board.runs] == [2] and board.earlier == 2  # raced here, stored by now


def test_a_race_and_trained_models_stay_while_the_question_is_the_same(tmp_path: Path) -> None:
    store, chosen = Store(tmp_path), setup()
    for other, place, same_question in (
        (setup(epochs=9), store, True),
        (setup(device="auto"), store, True),
        (setup(graph=de.load("lesmis")), store, False),
        (setup(task="roles"), store, False),
        (chosen, Store(tmp_path / "other"), False),
    ):
        board = BoardRuns(chosen, store)
        race, models = board.new_race(1), board.trained_models
        board.choose(setup(), store)
        assert board.new_race(1) is race and board.new_race(2) is not race
        board.choose(other, place)
        assert board.race is None and (board.trained_models is models) == same_question


def test_progress_of_the_chosen_runs_is_read_from_the_store(tmp_path: Path) -> None:
    store, both = Store(tmp_path), setup(models=["GCN", "GIN"])

    def seen() -> tuple[str, list[tuple[str, int, int, float]]] | None:
        shown = BoardRuns(both, store).snapshot()
        return None if shown is None else (shown.state, [(p.state, p.done, p.of, p.share) for p in shown.progress])

    assert seen() is None and BoardRuns(setup(models=[]), store).snapshot() is None
    keep(store, both, {("GCN", 0): 0.5})
    assert seen() == ("ready", [("waiting", 1, 2, 0.5), ("waiting", 0, 2, 0.0)])
    store.models.mkdir()
    store.checkpoint(both.spec("GIN", 0).key).touch()
    assert seen() == ("cancelled", [("cancelled", 1, 2, 0.5), ("cancelled", 0, 2, 0.0)])
    keep(store, both, {("GCN", 1): 0.5, ("GIN", 0): 0.5, ("GIN", 1): 0.5})
    assert seen() == ("finished", [("finished", 2, 2, 1.0), ("finished", 2, 2, 1.0)])


def test_the_best_run_is_of_the_best_model_that_has_a_file(tmp_path: Path) -> None:
    store = Store(tmp_path)
    keep(store, setup(), {("GIN", 0): 0.9})
    assert BoardRuns(setup(), store).best() is None
    store.models.mkdir()
    (store.models / "a").touch()
    second, _ = keep(store, setup(), {("GCN", 1): 0.7, ("SAGE", 0): 0.5}, model_file="a")
    keep(store, setup(), {("GCN", 0): 0.7})
    assert BoardRuns(setup(), store).best() == second


def test_a_note_says_the_settings_that_are_not_the_defaults() -> None:
    def note(*setups: RaceSetup, **more: Any) -> str:
        return settings_note([one.spec(one.models[0]).record() for one in setups], setup(), **more)

    usual, other = note(setup()), note(setup(settings={"hidden": 16}, options={"optimizer": "sgd", "patience": None}))
    assert re.findall(r"\d+", usual) == ["3"] and "default settings" in usual
    assert re.findall(r"\d+", other) == ["3", "16"] and "SGD" in other and "no early stop" in other
    assert "hidden" in other and "default" not in other and "nothing was trained" in note(setup(models=["Adamic-Adar"]))
    two = note(setup(), setup(models=["GIN"], epochs=9))
    assert two.index("GCN") < two.index("GIN") and re.findall(r"\d+", two) == ["3", "9"]
    assert "GCN" not in note(setup(), setup(models=["GIN"])) and "SAGE" in note(setup(), other=["SAGE"])


@pytest.mark.parametrize("task", ["links", "roles", "triangles"])
def test_the_code_of_runs_trains_them_again(tmp_path: Path, task: str) -> None:
    chosen = setup(task=task, models=["GCN", "DE-GNN-SPD"], settings={"hidden": 16}, options={"learning_rate": 0.05})
    store = Store(tmp_path)
    before = BoardRuns(chosen, store).code()
    runs = [run_one(spec, store.models) for spec in chosen.specs()]
    store.put(*runs)
    for code in (before, BoardRuns(setup(task=task), store).code()):
        with contextlib.redirect_stdout(io.StringIO()) as output:
            exec(compile(code, "code", "exec"), {})
        tests = {float(test) for test in re.findall(r" test=(?:np\.float64\()?([\d.]+)", output.getvalue())}
        assert tests == {run.test for run in runs}
    assert "device='cpu'" in before
    assert "device='auto'" in code_of(chosen, [runs[0], replace(runs[0], device="cuda:0")])


def test_the_code_of_an_own_graph_or_task_says_what_to_put_in() -> None:
    titled = KARATE.without_edges([(0, 1)]).with_title('my "graph"')
    attributed = titled.with_attributes([[1.0, 2.0]] * 34)
    plain = code_of(setup(graph=titled))
    own = code_of(setup(task=de.link_task(KARATE)))
    roles = code_of(setup(graph=attributed, task="roles"))
    assert "de.load" not in plain and "34 nodes, 77 edges" in plain and '\\"graph\\"' in plain
    assert "with_attributes" in roles and "2 for each node" in roles and "with_attributes" not in plain
    assert "with_labels" in roles and "with_labels" not in plain
    assert "task = ..." in own and "de.link_task(G" not in own and "de.link_task(G, seed=seed)" in plain
    for code in (plain, own, roles):
        compile(code, "code", "exec")
