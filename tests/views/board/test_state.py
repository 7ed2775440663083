"""What is chosen on a board, and its sentences, without a widget."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import pytest

import degnn_explore as de
from degnn_explore.common.errors import ParameterError
from degnn_explore.studies.comparison import Comparison, Row
from degnn_explore.studies.race import ModelProgress, Snapshot
from degnn_explore.views.board import words
from degnn_explore.views.board.state import BoardState


def row(model: str, mean: float, seeds: int = 5, verdict: str = "", p: float | None = None) -> Row:
    return Row(model, seeds, mean, 1.0, None, mean, 1.0, None, 1.0, 10, verdict, p)


def table(*rows: Row) -> Comparison:
    return Comparison(rows, "celegans", "links", 2, "auc", 430, ())


def test_a_graph_of_any_kind_is_asked_about(tmp_path: Path) -> None:
    (tmp_path / "club.csv").write_text("a,b\nb,c\nc,a\nc,d\n", encoding="utf-8")
    for given in (str(tmp_path / "club.csv"), nx.cycle_graph(8), de.zoo.figure1()):
        state = BoardState(given)
        assert state.question == "links|own graph" and state.setup().kind == "links"
        assert state.questions()[0][0] == "links|own graph"
    assert BoardState(de.load("karate")).question == "roles|karate"


def test_a_task_of_ones_own_has_its_graph() -> None:
    task = de.link_task(de.load("karate"))
    state = BoardState(task, models=["GCN"])
    assert state.setup().task is task and state.graph is task.full_graph and state.p == 2
    state.update(question="links|celegans")
    assert state.setup().task == "links" and state.graph.num_nodes == 297
    with pytest.raises(ParameterError, match="give it alone"):
        BoardState(task, "links")


def test_models_that_do_not_take_the_sets_stay_chosen_but_do_not_race() -> None:
    state = BoardState("karate", "links", ["GCN", "SEAL"])
    assert state.chosen == ["GCN", "SEAL"]
    state.update(question="roles|karate")
    assert state.chosen == ["GCN"]
    state.update(question="links|karate")
    assert state.chosen == ["GCN", "SEAL"]


def test_every_setting_reaches_the_race() -> None:
    state = BoardState("karate", "links", ["DEA-GNN-SPD", "DE-GNN-LP"], seeds=2, epochs=7, workers=2)
    assert state.setup().settings == {} and state.setup().options == {}
    state.update(layers=3, hidden=20, dropout=0.2, max_dist=3, steps=4, hops=2)
    state.update(learning_rate=0.01, optimizer="sgd", patience="never")
    setup = state.setup()
    assert setup.settings == {"layers": 3, "hidden": 20, "dropout": 0.2, "max_dist": 3, "steps": 4, "hops": 2}
    assert setup.options == {"learning_rate": 0.01, "optimizer": "sgd", "patience": None}
    assert (setup.seeds, setup.epochs, state.values["workers"]) == (2, 7, 2)
    state.update(layers="")
    assert "layers" not in state.setup().settings


def test_what_does_not_fit_changes_nothing() -> None:
    state = BoardState("karate", "links", ["GCN"])
    before = state.values
    for wrong in ({"seeds": 0}, {"epochs": 2.5}, {"models": ["GNC"]}, {"question": "links|nowhere"}, {"layer": 2}):
        with pytest.raises(ParameterError):
            state.update(**{"layers": 4, **wrong})
        assert state.values == before


def test_the_headline_says_who_is_ahead_also_when_it_is_a_formula() -> None:
    assert "2 points ahead of GIN, a plain GNN." in words.headline(table(row("DE-GNN-SPD", 80.0), row("GIN", 78.0)))
    ahead = words.headline(table(row("Katz", 91.0), row("DE-GNN-SPD", 90.0)))
    assert ahead == "Katz, a formula without training, reaches 91.0, 1 point ahead of DE-GNN-SPD."
    assert words.headline(table(row("GCN", 80.0), row("DE-GNN-SPD", 80.0))) == "GCN and DE-GNN-SPD are level at 80.0."


def test_how_sure_it_is() -> None:
    base = row("GIN", 78.0, verdict="the baseline")
    few = table(row("DE-GNN-SPD", 90.0, seeds=3), row("GIN", 78.0, seeds=3))
    assert words.how_sure(few) == "Three seeds: too few to be sure. Run 5 for a verdict."
    sure = table(row("DE-GNN-SPD", 90.0, verdict="+12.0, above (p = 0.004)", p=0.004), base)
    assert "DE-GNN-SPD is above GIN" in words.how_sure(sure) and "(p = 0.004)" in words.how_sure(sure)
    open_ = table(row("DE-GNN-SPD", 79.0, verdict="+1.0, not shown to differ (p = 0.400)", p=0.4), base)
    assert "is not shown to differ from GIN" in words.how_sure(open_)


def test_the_button_and_the_status_follow_the_race() -> None:
    def shown(state: str, error: str = "", model: str = "finished") -> Snapshot:
        return Snapshot(state, (ModelProgress("GCN", model, 1, 2, 0.5, 3.0, error),), 3.0, ())

    assert [words.meaning(shown(state)) for state in ("ready", "running", "cancelled", "finished")] == [
        "race",
        "cancel",
        "continue",
        "done",
    ]
    assert words.meaning(shown("finished", "boom", "failed")) == "retry"
    assert words.status(shown("finished", "boom", "failed")) == "Finished with errors, see below."
    assert words.status(shown("running")) == "Training: about 3 s left."
    assert words.progress(shown("running", "Traceback\nValueError: x"))[0]["error"] == "ValueError: x"


def test_before_a_race_it_says_what_is_trained_and_how_long_that_takes() -> None:
    state = BoardState("celegans", "links", ["GCN", "DE-GNN-SPD"], seeds=3, epochs=40)
    title, sure = words.plan(state.setup(), state.asked, 1)
    assert title == "Which model is best at the links of C. elegans?"
    assert sure.startswith("Race GCN and DE-GNN-SPD: 3 seeds each, up to 40 epochs, about ")


def test_while_it_trains_the_result_is_one_so_far_and_nothing_is_called_sure() -> None:
    setup = BoardState("celegans", "links", ["GCN", "DE-GNN-SPD"]).setup()
    running = Snapshot("running", (ModelProgress("GCN", "running", 1, 3, 0.5, 3.0),), 3.0, ())
    few, both = table(row("GCN", 76.0)), table(row("DE-GNN-SPD", 90.0), row("GCN", 76.0))
    for shown in (None, few):
        assert words.title_and_note(setup, "links", 1, running, shown)[0] == "Which model is best at the links?"
    title, sure = words.title_and_note(setup, "links", 1, running, both)
    assert title.startswith("So far, DE-GNN-SPD reaches 90.0") and sure == "Training: about 3 s left."
