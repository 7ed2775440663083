"""Leaks on purpose: each changes what its name says and nothing else, and is written down."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.engine.features import base_features, set_features
from degnn_explore.learn.leaks import LEAKS, leaks_of, protocol_of
from degnn_explore.learn.splits import closed
from degnn_explore.studies.board_runs import BoardRuns
from degnn_explore.studies.race import RaceSetup
from degnn_explore.studies.runs import RunSpec, run_one
from degnn_explore.studies.store import Store

from .small import TASK, Watched, same, says, state

KARATE = de.load("karate")
FULL, OWN = "degrees_of_the_full_graph", "own_edges_in_degrees"
MAKE = {"roles": de.role_task, "links": de.link_task, "triangles": de.triangle_task}


def facts(task: de.Task) -> dict[str, Any]:
    """All that a leak may change."""
    known: dict[str, Any] = {"graph": task.graph.edges.tolist(), "fit_options": dict(task.fit_options)}
    learned = task.train.sets[task.train.labels == 1]
    known["degrees"] = base_features(task.graph).tolist(), set_features(task.graph, learned).tolist()
    for name in ("train", "val", "test"):
        part = getattr(task, name)
        for label in np.unique(part.labels):
            known[f"{name} {label}"] = part.sets[part.labels == label].tolist()
        known[f"{name} ranked"] = None if part.ranked is None else part.ranked.tolist()
    return known


@pytest.mark.parametrize("kind", MAKE)
def test_the_table_lists_the_leaks_and_the_paper_has_those_it_says(kind: str) -> None:
    table = de.leaks()
    assert list(table.index) == list(LEAKS) and not table.loc["validation_links_in_the_graph", "paper"]
    fitting = [name for name in LEAKS if kind in table.loc[name, "tasks"].split(", ")]
    assert MAKE[kind](KARATE, protocol="paper").leaks == tuple(name for name in fitting if table.loc[name, "paper"])
    for name in set(LEAKS) - set(fitting):
        with pytest.raises(de.ParameterError, match=kind):
            MAKE[kind](KARATE, protocol=name)


@given(st.sets(st.sampled_from([*LEAKS])), st.randoms())
def test_a_protocol_is_the_same_in_any_order_and_reads_as_it_is_called(names: set[str], rng: Any) -> None:
    listed = sorted(names)
    rng.shuffle(listed)
    leaks = leaks_of(listed, "links")
    assert set(leaks) == names and leaks == leaks_of(" + ".join(listed) if listed else "honest", "links")
    assert leaks_of(protocol_of(leaks, "links"), "links") == leaks == leaks_of(leaks, "links")


# ---- what each changes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("protocol", "changes"),
    [
        (FULL, {"degrees"}),
        (OWN, {"degrees"}),
        ("negatives_repeat", {"train 0", "val 0", "test 0"}),
        ("negatives_avoid_held_out", {"train 0"}),
        ("validation_links_in_the_graph", {"degrees", "graph"}),
        ("gradients_not_reset", {"fit_options"}),
        ("epoch_chosen_on_test", {"fit_options"}),
    ],
)
@pytest.mark.parametrize("kind", ["links", "triangles"])
def test_a_leak_changes_what_it_says_and_nothing_else(kind: str, protocol: str, changes: set[str]) -> None:
    more: dict[str, Any] = {"per_positive": 3} if kind == "links" else {}
    leaking, honest = (MAKE[kind](KARATE, seed=1, protocol=each, **more) for each in (protocol, "honest"))
    before = facts(honest)
    assert {name for name, value in facts(leaking).items() if value != before[name]} == changes
    assert leaking.leaks == (protocol,) and f"leaking: {protocol}" in repr(leaking)
    assert leaking.digest() != honest.digest()
    if protocol == "validation_links_in_the_graph":
        gone = {tuple(edge) for edge in KARATE.edges.tolist()} - {tuple(edge) for edge in leaking.graph.edges.tolist()}
        tested = leaking.test.sets[leaking.test.labels == 1].tolist()
        assert gone == {pair for S in tested for pair in combinations(S, 2)}


@pytest.mark.parametrize("protocol", [FULL, OWN, [OWN, FULL], [OWN, "validation_links_in_the_graph"]])
def test_leaking_degrees_are_those_of_the_graph_that_is_named_and_no_edge_is_cut(protocol: Any) -> None:
    task = de.link_task(KARATE, protocol=protocol)
    counted = np.log1p((KARATE if FULL in protocol else task.graph).degrees)
    assert base_features(task.graph)[:, 0] == pytest.approx(counted)
    for part in (task.train, task.val, task.test):
        assert set_features(task.graph, part.sets)[:, :, 0] == pytest.approx(counted[part.sets])
    net, honest = de.build("GCN", task), de.link_task(KARATE)
    assert not np.allclose(*(de.predict(net, graph, honest.train.sets) for graph in (task.graph, honest.graph)))
    with pytest.raises(de.GraphError, match="leaks on purpose"):
        de.explain(net, task.graph, {0, 9})


@pytest.mark.parametrize("kind", ["links", "triangles"])
@pytest.mark.parametrize("more", [[], ["negatives_avoid_held_out"]])
def test_repeated_negatives_are_drawn_with_replacement_from_the_same_sets(kind: str, more: list[str]) -> None:
    every, held_out = list[tuple[int, ...]](), False
    for seed in range(20):
        task = MAKE[kind](KARATE, seed=seed, protocol=["negatives_repeat", *more])
        drawn = [part.sets[part.labels == 0] for part in (task.train, task.val, task.test)]
        assert not closed(KARATE, np.concatenate(drawn[1:])).any() and not closed(task.graph, drawn[0]).any()
        held_out = held_out or closed(KARATE, drawn[0]).any()
        every.extend({(*S, seed) for rows in drawn for S in rows.tolist()})
        assert all((np.diff(rows, axis=1) > 0).all() for rows in drawn)
    assert len(every) < 20 * sum(map(len, drawn)) and held_out == (not more)


@pytest.mark.parametrize(
    ("protocol", "option", "usual"),
    [
        ("gradients_not_reset", {"zero_grad": False}, {"zero_grad": True}),
        ("epoch_chosen_on_test", {"choose_on": "test"}, {"choose_on": "val"}),
    ],
)
def test_fit_follows_the_protocol_unless_an_option_says_otherwise(protocol: str, option: Any, usual: Any) -> None:
    def weights(task: de.Task, **options: Any) -> dict[str, torch.Tensor]:
        model = Watched(task)
        model.script = [says(5, 9), says(9, 5), says(7, 7)]  # the second is best on validation, the first on test
        list(de.fit(model, task, 3, optimizer="sgd", batch_size=32, **options))
        return state(model)

    leaking = de.link_task(TASK.full_graph, protocol=protocol)
    assert same(weights(leaking), weights(TASK, **option))
    assert same(weights(leaking, **usual), weights(TASK)) and not same(weights(leaking), weights(TASK))


def test_an_honest_board_ignores_a_leaking_run(tmp_path: Path) -> None:
    store = Store(tmp_path)
    run = run_one(RunSpec(KARATE, "links", "GCN", epochs=3, protocol="epoch_chosen_on_test"), tmp_path / "models")
    store.put(run)
    assert run.protocol == "epoch_chosen_on_test" and run.test == run.optimistic
    board = BoardRuns(RaceSetup(KARATE, "links", ["GCN"], seeds=1, epochs=3), store)
    assert board.runs == [] and "1 run" in board.note and "leaks on purpose" in board.note
