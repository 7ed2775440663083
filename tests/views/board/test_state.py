"""What is chosen on a board, without a widget: every choice reaches the race, and what does not fit changes nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

import degnn_explore as de
from degnn_explore.common.errors import ParameterError
from degnn_explore.learn.registry import MODELS
from degnn_explore.views.board.state import SETTINGS, BoardState


@pytest.mark.parametrize("kind", ["file", "networkx", "graph"])
def test_a_graph_of_any_kind_is_asked_about(tmp_path: Path, kind: str) -> None:
    (tmp_path / "club.csv").write_text("a,b\nb,c\nc,a\nc,d\n", encoding="utf-8")
    given = {"file": str(tmp_path / "club.csv"), "networkx": nx.cycle_graph(8), "graph": de.zoo.figure1()}
    state = BoardState(given[kind])
    kinds = [key for key, _ in state.questions() if key.endswith("|own graph")]
    assert state.question == "links|own graph" and kinds == ["links|own graph", "triangles|own graph"]
    assert state.setup().kind == "links" and state.asked == f"links of {state.graph.title or 'my graph'}"


def test_labels_are_asked_about_first_and_other_questions_have_graphs_of_their_own() -> None:
    assert BoardState(de.load("karate")).question == "roles|karate" == BoardState("karate").question
    labeled = de.zoo.figure1().with_labels([0, 1] * 4).with_title("")
    state = BoardState(labeled)
    assert state.question == "roles|own graph" and state.asked == "roles of my graph" and state.graph is labeled
    keys = [key for key, _ in state.questions()]
    assert "links|celegans" in keys and "roles|celegans" not in keys and "roles|karate" in keys
    state.update(question="triangles|celegans")
    assert (state.task, state.p, state.graph.num_nodes) == ("triangles", 3, 297)


def test_a_task_of_a_users_own_has_its_graph() -> None:
    task = de.link_task(de.load("karate"), per_positive=5, negatives="random")
    state = BoardState(task, models=["GCN"])
    assert state.setup().task is task is state.task and state.graph is task.full_graph and state.p == 2
    assert state.asked == "links of karate club (your task)"
    assert "metric" in [name for name, *_ in state.form()["settings"]]
    state.update(question="links|celegans")
    assert state.setup().task == "links" and "metric" not in [name for name, *_ in state.form()["settings"]]
    for wrong in ((task, "links"), ("karate", task)):
        with pytest.raises(ParameterError, match="alone"):
            BoardState(*wrong)


def test_models_that_do_not_take_the_sets_stay_chosen_but_do_not_race() -> None:
    state = BoardState("karate", "links")
    assert state.models == [name for name, entry in MODELS.items() if entry.usual and entry.takes(2)] == state.chosen
    assert BoardState("karate", "roles").chosen != state.chosen and BoardState("karate", models=[]).chosen == []
    state.update(models=["SEAL", "GCN", "GCN"])
    assert state.values["models"] == ["SEAL", "GCN"] and state.chosen == ["GCN", "SEAL"]
    state.update(question="roles|karate")
    assert state.chosen == ["GCN"] == list(state.setup().models) and state.models == ["SEAL", "GCN"]
    fits = {one["name"]: one["fits"] for one in state.form()["models"]}
    assert fits["GCN"] and not fits["SEAL"] and fits["degree"]


OF_MODELS = {"layers": 3, "hidden": 20, "dropout": 0.2, "max_dist": 3, "steps": 4, "hops": 2}
CHOICES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    *(({name: value}, {"settings": {name: value}}) for name, value in OF_MODELS.items()),
    *(({name: value}, {name: value}) for name, value in (("seeds", 2), ("epochs", 7), ("device", "cpu"))),
    ({"dropout": 0.0}, {"settings": {"dropout": 0.0}}),
    ({"learning_rate": 0.01}, {"options": {"learning_rate": 0.01}}),
    ({"optimizer": "sgd", "metric": "mrr"}, {"options": {"optimizer": "sgd", "metric": "mrr"}}),
    ({"patience": "never"}, {"options": {"patience": None}}),
    ({"patience": 7}, {"options": {"patience": 7}}),
    ({"workers": 3, "layers": ""}, {}),
]


@pytest.mark.parametrize(("chosen", "effect"), CHOICES)
def test_every_choice_reaches_the_race_and_changes_nothing_else(chosen: dict[str, Any], effect: dict[str, Any]) -> None:
    usual = {"seeds": 3, "epochs": 40, "device": "auto", "settings": {}, "options": {}}
    models = ["DEA-GNN-SPD", "DE-GNN-LP"]
    early, late, plain = (BoardState("karate", "links", models, **given) for given in (chosen, {}, {}))
    late.update(**chosen)
    for state in (early, late):
        setup = state.setup()
        found = {name: getattr(setup, name) for name in usual}
        assert found | {"settings": dict(setup.settings), "options": dict(setup.options)} == usual | effect
        assert state.values == plain.values | chosen and plain.values["workers"] == 1
    late.update(models=["GCN"])  # what no chosen model has stays out of the race
    assert set(late.setup().settings) <= {"layers", "hidden", "dropout"}


@pytest.mark.parametrize("wrong", [
    *({name: value} for name in ("seeds", "epochs", "workers") for value in (0, 2.5, True, "3", 10_001)),
    *({"seeds": 21}, {"workers": 65}, {"models": ["GNC"]}, {"question": "links|nowhere"}, {"layer": 2}),
])  # fmt: skip
def test_what_does_not_fit_changes_nothing(wrong: dict[str, Any]) -> None:
    state = BoardState("karate", "links", ["GCN"], seeds=20, epochs=10_000, workers=64)
    before = state.values
    with pytest.raises(ParameterError):
        state.update(**{"layers": 4, "models": ["GIN"], **wrong})
    assert state.values == before


def test_the_form_offers_what_there_is_and_what_default_means(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    state = BoardState("karate", "links", ["GCN", "DE-GNN-SPD", "Katz"], hidden=77, device="tpu", workers=6)
    form = state.form()
    settings = {name: choices for name, _, choices in form["settings"]}
    assert [name for name in SETTINGS if name != "metric"] == list(settings)
    assert [value for value, _ in settings["hidden"]] == ["", *SETTINGS["hidden"][1], 77]
    assert [value for value, _ in settings["layers"]] == ["", *SETTINGS["layers"][1]]
    meant = {name: choices[0][1] for name, choices in settings.items()}
    assert (meant["hidden"], meant["hops"], meant["optimizer"]) == ("default (100)", "default", "default (Adam)")
    rates = {float(MODELS[name].load().RATE.default_for(2)) for name in ("GCN", "DE-GNN-SPD")}
    assert {float(x) for x in meant["learning_rate"][9:-1].split(", ")} == rates
    assert form["devices"][0][0] == "auto" and form["devices"][-1] == ["tpu", "tpu"]
    assert form["workers"] == [1, 2, 3, 4, 5, 6] and form["questions"] == state.questions()
    one, entry = next(one for one in form["models"] if one["name"] == "GCN"), MODELS["GCN"]
    assert (one["about"], one["group"], one["color"]) == (entry.about, "baseline", entry.color)
    cold = state.form(known=False)
    assert cold["devices"] == [["auto", "auto"], ["tpu", "tpu"]] and cold["settings"][0][2][0] == ["", "default"]
    for cores, offered in ((1, 2), (None, 2), (99, 16)):
        monkeypatch.setattr(os, "cpu_count", lambda cores=cores: cores)
        assert BoardState("karate").form()["workers"] == [*range(1, offered + 1)]


@pytest.mark.parametrize(("fast", "seeds", "epochs"), [("1", 1, 3), ("0", 2, 9)])
def test_lessons_can_ask_for_short_races(monkeypatch: pytest.MonkeyPatch, fast: str, seeds: int, epochs: int) -> None:
    monkeypatch.setenv("DEGNN_FAST", fast)
    state = BoardState("karate", seeds=2, epochs=9)
    assert (state.seeds, state.epochs) == (seeds, epochs) and BoardState("karate", epochs=2).epochs == 2
