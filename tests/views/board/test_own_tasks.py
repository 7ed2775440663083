"""Tasks of one's own on the Training Board, and its models asked on other graphs, without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.studies.plan import Plan
from degnn_explore.studies.records import Run
from degnn_explore.studies.tuning import Tuned
from degnn_explore.views.board import tuned
from degnn_explore.views.board.board import TrainingBoard
from degnn_explore.views.board.controls import OWN_TASK
from tools.waiting import LONG

KARATE = de.load("karate")


def teams(p: int = 4, count: int = 60) -> de.Task:
    """Sets of p members of the karate club in three classes, by how many friendships are among them."""
    rng = np.random.default_rng(0)
    sets = list(dict.fromkeys(tuple(sorted(rng.choice(34, p, replace=False).tolist())) for _ in range(count)))
    friends = [int(KARATE.has_edges(list(combinations(S, 2))).sum()) for S in sets]
    return de.set_task(KARATE, sets, ["apart" if k == 0 else "loose" if k == 1 else "tight" for k in friends])


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrainingBoard]:
    one = TrainingBoard(teams(), models=["DE-GNN-SPD"], seeds=2, epochs=1, results=tmp_path_factory.mktemp("own"))
    one.start()
    one.wait(LONG)
    yield one
    one.close()


@pytest.fixture(scope="module")
def linked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrainingBoard]:
    models = ["DE-GNN-SPD", "PGNN"]
    one = TrainingBoard("karate", "links", models, seeds=2, epochs=1, results=tmp_path_factory.mktemp("links"))
    one.start()
    one.wait(LONG)
    yield one
    one.close()


def test_a_set_task_of_four_nodes_and_three_classes_is_seen_through_the_board(board: TrainingBoard) -> None:
    task, plan = teams(), board._controls.plan()
    assert (plan.task, plan.p, plan.metric, plan.name, plan.title) == ("sets", 4, "accuracy", "", "karate club")
    assert plan.digest == task.digest()[:32]
    assert [run.task for run in board.runs] == ["sets", "sets"] and {run.p for run in board.runs} == {4}
    assert "Every seed has the task's own split: seeds differ in weights and order alone." in board.results().notes
    splits = [board._known.shelf.task(seed) for seed in (0, 1)]
    assert splits[0].graph is splits[1].graph and [one.seed for one in splits] == [0, 1]
    row = [cell["text"] for cell in board._mistakes.sheet.rows[0]]
    truth = ("apart", "loose", "tight")[board.mistakes[0].truth]
    assert row[0].count(" — ") == 3 and row[2] == truth and row[3].split(",")[0] in task.class_names
    board._deep.toggles["look"].value = True
    assert board._deep.look is not None
    heat = next(trace for trace in board._deep.look.chart.figure["data"] if trace["type"] == "heatmap")
    assert heat["x"] == ["apart", "loose", "tight"]
    assert "task = ...  # Task(sets, p=4" in board.code() and "de.load" not in board.code()


def test_ask_and_why_take_four_nodes_and_name_the_class(board: TrainingBoard) -> None:
    board.open_mistake(0)
    ask, worst = board._deep.ask, board.mistakes[0]
    assert ask is not None and ask.explorer.targets == [list(worst.nodes)] and ask.explorer.state.size == 4
    truth = ("apart", "loose", "tight")[worst.truth]
    assert f"In truth: {truth} (a test set)." in ask._answer.value
    assert ask.missing.button.layout.display == "none"
    ask.why.toggle.value = True
    assert any(f"for “{name}”?" in ask.why._title.value for name in ("apart", "loose", "tight"))
    asked = {tuple(row) for part in (teams().train, teams().val, teams().test) for row in part.sets.tolist()}
    new = next(S for S in combinations(range(34), 4) if S not in asked)
    ask.explorer.state.choose(0, np.array(new))
    assert "It is none of the task&#x27;s sets" in ask._answer.value
    ask.why.toggle.value = False


def test_an_opened_mistake_keeps_its_seed_when_the_board_settles(board: TrainingBoard) -> None:
    ask = board._deep.ask
    assert ask is not None
    ask.open_set(board._known.shelf, 1, [0, 1, 2, 3])
    board._settle()
    assert ask._seed == 1 and ask.explorer.targets == [[0, 1, 2, 3]]


def test_with_another_graph_the_own_task_goes_and_comes_back_with_its_graph(tmp_path: Path) -> None:
    one = TrainingBoard(teams(p=5), models=["GCN"], results=tmp_path)
    controls = one._controls
    assert (controls.task.value, controls.graph.value, controls.p) == (OWN_TASK, "karate", 5)
    controls.graph.value = "celegans"
    assert (controls.task.value, controls.plan().given) == ("links", None)
    controls.task.value = OWN_TASK
    assert controls.graph.value == "karate" and controls.plan().p == 5
    controls.task.value = "roles"
    assert controls.graph.value == "karate" and controls.plan().name == "karate"
    one.close()


def test_a_task_on_a_graph_of_ones_own_brings_its_graph_to_the_menu(tmp_path: Path) -> None:
    ring = de.Graph.from_edges([(i, (i + s) % 20) for i in range(20) for s in (1, 2)], title="ring")
    one = TrainingBoard(de.link_task(ring, val=[(0, 1)], test=[(4, 5)]), models=["GCN"], results=tmp_path)
    assert one._controls.current() is ring and one._known.plan.metric == "auc"
    assert dict(one._controls.task.options)["links (p = 2), your own"] == OWN_TASK
    one.close()


# ---- on another graph -----------------------------------------------------------------------------


def test_inductive_models_are_asked_on_another_graph_and_others_say_why_not(linked: TrainingBoard) -> None:
    linked._deep.toggles["ask"].value = True
    ask = linked._deep.ask
    assert ask is not None
    ask.graph.value = "celegans"
    neurons = ask.explorer.state.sides[0].graph
    assert neurons.num_nodes == 297 and ask.explorer.state.size == 2
    pair = neurons.edges[7]
    ask.explorer.state.choose(0, pair)
    told = ask._answer.value
    model = linked._known.shelf.model(linked._known.shelf.of_seed(linked.runs, 0)["DE-GNN-SPD"])
    assert f"<b>{de.predict(model, neurons, [pair])[0]:.3f}</b>" in told
    assert "PGNN is transductive" in told and "In this graph: linked." in told
    assert "where 4.9 % of all are linked" in told
    assert ask.missing.button.layout.display == "none" and ask._search()[2] == []
    ask.why.toggle.value = True
    assert list(ask.why.model.options) == ["DE-GNN-SPD"] and "Why 0." in ask.why._title.value
    ask.why.toggle.value = False
    ask.graph.value = ""
    assert ask.explorer.state.sides[0].graph is linked._known.shelf.task(0).graph
    assert ask.missing.button.layout.display == ""


def test_a_graph_opened_in_the_explorer_is_asked_as_well(linked: TrainingBoard) -> None:
    linked._deep.toggles["ask"].value = True
    ask = linked._deep.ask
    assert ask is not None
    ask.explorer.open_graph(de.Graph.from_edges([(i, (i + 1) % 9) for i in range(9)], title="ring of nine"))
    ask.explorer.state.choose(0, [0, 4])
    assert dict(ask.graph.options)["the graph opened below"] == ask.graph.value
    assert "In this graph: not linked." in ask._answer.value and 'data-model="DE-GNN-SPD"' in ask._answer.value
    ask.graph.value = ""
    assert "the graph opened below" not in dict(ask.graph.options)


# ---- settings that were found ---------------------------------------------------------------------


def test_found_settings_take_the_place_of_the_menus(tmp_path: Path) -> None:
    one = TrainingBoard("karate", "links", ["GCN"], results=tmp_path, hidden=20, learning_rate=0.01)
    one._controls.use_own({"GCN": {"layers": 3}})
    plan = one._controls.plan()
    assert plan.hyper_of("GCN") == {"layers": 3} and plan.options_of("GCN") == {"learning_rate": 0.01}
    one.close()


def test_settings_found_for_another_graph_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = TrainingBoard("karate", "links", ["GCN"], results=tmp_path)

    def search(*_: object) -> Tuned:
        one._controls.graph.value = "celegans"  # meanwhile
        return Tuned({"GCN": [({"layers": 3}, 0.5)]}, 1)

    monkeypatch.setattr(tuned, "search", search)
    one._tuning.go()
    one._tuning.wait(LONG)
    assert one._controls.found == {} and "The search was for links on karate" in one._tuning.note.value
    one.close()


def test_results_of_another_task_bring_no_settings_along(tmp_path: Path) -> None:
    one = TrainingBoard("karate", "links", ["GCN"], results=tmp_path)
    one._controls.use_own({"GCN": {"layers": 3}})
    roles = Plan(KARATE, "roles", ["GCN"])
    run = Run("k", "karate", "roles", "GCN", digest=roles.digest, catalogue="karate", test=0.5)
    one._controls.turn_to(run, one._controls.plan())
    assert one._controls.task.value == "roles" and one._controls.found == {}
    one.close()
