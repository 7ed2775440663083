"""Leaks on purpose: off, nothing has changed; on, each lets through what its name says."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.engine.features import base_features, set_features
from degnn_explore.learn.leaks import LEAKS, leaks_of, protocol_of
from degnn_explore.learn.metrics import metrics
from degnn_explore.studies.board_runs import BoardRuns
from degnn_explore.studies.comparison import compare_runs
from degnn_explore.studies.race import RaceSetup
from degnn_explore.studies.runs import Run, RunSpec, run_one
from degnn_explore.studies.store import Store
from tests.strategies import shuffled

KARATE = de.load("karate")
OF_LINKS = [name for name, leak in LEAKS.items() if "links" in leak.kinds]
FULL, OWN = "degrees_of_the_full_graph", "own_edges_in_degrees"


def lost(task: de.Task, sets: np.ndarray) -> np.ndarray:
    """How many edges more than those it can see each node of S has, by its first feature. [k, p]"""
    counted = np.rint(np.expm1(set_features(task.graph, sets)[:, :, 0]))
    inside = np.array([[task.graph.has_edge(u, v) for u, v in pairwise(S)] for S in sets])[:, :1]
    return counted - (task.graph.degrees[sets] - inside)


# ---- off ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "digest"),
    [(de.link_task, "7745c3dd7656602f"), (de.triangle_task, "ca594fa24e1a75be"), (de.role_task, "27d19ad23047a3e2")],
)
def test_an_honest_task_is_what_it_was_before_there_were_leaks(make: Any, digest: str) -> None:
    for task in (make(KARATE, seed=3), make(KARATE, seed=3, protocol="honest"), make(KARATE, seed=3, protocol=())):
        assert (task.digest()[:16], task.protocol, task.leaks) == (digest, "honest", ())
        assert "leak" not in repr(task) and type(task.graph) is de.Graph


# ---- names --------------------------------------------------------------------------------------------------------


def test_the_table_of_leaks_says_what_each_lets_through_and_where_it_was_seen() -> None:
    table = de.leaks()
    assert list(table.index) == list(LEAKS) and (table["about"].str.len() > 40).all() and table["seen"].all()
    assert not table.loc["validation_links_in_the_graph", "paper"]
    roles = de.role_task(KARATE, protocol="paper")
    assert roles.fit_options == {"zero_grad": False, "choose_on": "test"} and roles.protocol == "paper"


@given(st.sets(st.sampled_from(OF_LINKS)), st.randoms())
def test_a_protocol_is_the_same_in_any_order_and_reads_as_it_is_called(names: set[str], rng: Any) -> None:
    listed = sorted(names)
    rng.shuffle(listed)
    leaks = leaks_of(listed, "links")
    assert set(leaks) == names and leaks_of(protocol_of(leaks, "links"), "links") == leaks


@pytest.mark.parametrize("name", [*OF_LINKS, "paper"])
def test_a_task_says_what_it_leaks_and_shares_no_digest_and_no_key_with_an_honest_one(name: str) -> None:
    task, honest = de.link_task(KARATE, protocol=name), de.link_task(KARATE)
    assert task.protocol == name and f"leaking: {name}" in repr(task)
    assert task.digest() != honest.digest()
    specs = [RunSpec(KARATE, "links", "GCN", protocol=protocol) for protocol in ("honest", name)]
    assert specs[0].key != specs[1].key and specs[0].digest != specs[1].digest
    assert specs[1].make_task().leaks == task.leaks
    own = [RunSpec(KARATE, each, "GCN") for each in (honest, task)]
    assert own[1].protocol == name and own[0].key != own[1].key


# ---- on: the data -------------------------------------------------------------------------------------------------


def test_degrees_of_the_full_graph_tell_which_pairs_have_lost_their_edge() -> None:
    G = de.load("celegans")
    leaking, honest = (de.link_task(G, protocol=protocol) for protocol in (FULL, "honest"))
    assert (leaking.test.sets == honest.test.sets).all()
    assert base_features(leaking.graph)[:, 0] == pytest.approx(np.log1p(G.degrees))
    found = {}
    for task in (leaking, honest):
        gap = lost(task, task.test.sets)
        found[task.protocol] = metrics(gap.min(axis=1).astype(np.float32), task.test.labels)["auc"]
        positives = gap[task.test.labels == 1]
        assert (positives >= 1).all() if task is leaking else (gap == 0).all()
    assert found["honest"] == 0.5 < 0.6 < found[FULL]


def test_a_held_out_edge_changes_what_training_sees_only_if_degrees_leak() -> None:
    """The same training and validation links, on the graph with and without one test link."""
    edges = KARATE.edges
    parts = {
        "train": {"edge": edges[:50], "edge_neg": [(0, 9), (3, 33)]},
        "valid": {"edge": edges[50:60], "edge_neg": [(0, 32)]},
    }
    for protocol in (FULL, OWN, "honest"):
        seen = []
        for test in (edges[60:], edges[60:-1]):
            kept = de.Graph.from_edges(np.concatenate([edges[:60], test]), KARATE.num_nodes)
            task = de.link_task(kept, split={**parts, "test": {"edge": test}}, protocol=protocol)
            seen.append(de.blocks(task.graph, task.train.sets, layers=2).batch(range(len(task.train))).x_agg)
        assert torch.equal(*seen) == (protocol != FULL)


def test_own_edges_in_degrees_are_those_of_training_positives_alone() -> None:
    task = de.link_task(KARATE, protocol=OWN)
    for part, expected in ((task.train, 1), (task.val, 0), (task.test, 0)):
        gap = lost(task, part.sets)
        assert (gap[part.labels == 1] == expected).all() and (gap[part.labels == 0] == 0).all()


@pytest.mark.parametrize("model", ["GCN", "DE-GNN-LP", "DEA-GNN-SPD", "DEA-GNN-PR", "PGNN", "SEAL"])
def test_every_network_is_shown_the_degrees_of_the_full_graph(model: str) -> None:
    """A network given the same degrees as its only difference gives another score."""
    leaking, honest = de.link_task(KARATE, protocol=FULL), de.link_task(KARATE)
    net = de.build(model, honest)
    net.bind(honest)
    scores = [de.predict(net, task.graph, honest.test.sets) for task in (leaking, honest)]
    assert not np.allclose(*scores)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_scores_on_a_leaking_graph_do_not_depend_on_how_nodes_are_numbered(seed: int) -> None:
    task = de.link_task(KARATE, protocol="paper")
    net = de.build("DE-GNN-SPD", task, hidden=8)
    other, new = shuffled(task.graph, seed)
    asked = task.test.sets
    assert de.predict(net, other, new[asked]) == pytest.approx(de.predict(net, task.graph, asked), abs=1e-5)


@settings(max_examples=30, deadline=None)
@given(st.integers(6, 9), st.integers(0, 10**6), st.sampled_from([0.2, 0.3, 0.4]))
def test_repeated_negatives_are_no_positives_and_as_many_as_there_are(n: int, seed: int, density: float) -> None:
    rng = np.random.default_rng(seed)
    pairs = np.array([(u, v) for u in range(n) for v in range(u + 1, n)])
    edges = pairs[rng.permutation(len(pairs))[: max(3, int(density * len(pairs)))]]
    task = de.link_task(de.Graph.from_edges(edges, n), seed=seed, protocol="negatives_repeat")
    drawn = [part.sets[part.labels == 0] for part in (task.train, task.val, task.test)]
    every = np.concatenate(drawn)
    assert len(every) == len(edges) and (every[:, 0] < every[:, 1]).all() and not task.graph.has_edges(every).any()
    assert not task.full_graph.has_edges(np.concatenate(drawn[1:])).any()


def test_repeated_negatives_occur_in_training_and_in_test() -> None:
    G = de.load("celegans")
    for protocol, expected in (("negatives_repeat", True), ("honest", False)):
        task = de.link_task(G, protocol=protocol)
        train, test = ({tuple(S) for S in part.sets[part.labels == 0].tolist()} for part in (task.train, task.test))
        assert bool(train & test) == expected and (len(train) < (task.train.labels == 0).sum()) == expected


@pytest.mark.parametrize("make", [de.link_task, de.triangle_task])
def test_validation_links_in_the_graph_are_there_and_test_links_are_not(make: Any) -> None:
    for protocol, expected in (("validation_links_in_the_graph", True), ("honest", False)):
        task = make(KARATE, protocol=protocol)
        edges = {part: getattr(task, part).sets[getattr(task, part).labels == 1][:, :2] for part in ("val", "test")}
        assert not task.graph.has_edges(edges["test"]).any()
        assert task.graph.has_edges(edges["val"]).any() == expected


# ---- on: training -------------------------------------------------------------------------------------------------


def test_gradients_that_are_not_reset_are_those_of_a_loop_without_zero_grad(tmp_path: Path) -> None:
    task = de.link_task(KARATE, seed=2, protocol="gradients_not_reset")
    how: dict[str, Any] = {"batch_size": 16, "clip": None, "optimizer": "sgd", "learning_rate": 0.01, "seed": 5}
    fitted = de.build("DE-GNN-SPD", task, hidden=8)
    run = list(de.fit(fitted, task, 1, checkpoint=tmp_path / "c", **how))
    assert not (tmp_path / "c").exists()  # it could not go on from there: a checkpoint has no gradients

    slow = de.build("DE-GNN-SPD", task, hidden=8)
    sets, labels = task.train.sets, task.train.labels
    data = slow.prepare(task.graph, sets)
    slow.calibrate(slow.prepare(task.graph, sets), np.arange(len(sets)))
    steps = torch.optim.SGD(slow.parameters(), lr=0.01, momentum=0.9)
    order = np.random.default_rng([5, 1]).permutation(len(sets))
    for begin in range(0, len(order), 16):
        some = order[begin : begin + 16]
        wanted = torch.from_numpy(labels[some]).float()
        torch.nn.functional.binary_cross_entropy_with_logits(slow(data.batch(some)), wanted).backward()
        steps.step()
    for ours, theirs in zip(fitted.parameters(), slow.parameters(), strict=True):
        assert torch.allclose(ours, theirs, atol=1e-6)
    honest = de.link_task(KARATE, seed=2)
    usual = list(de.fit(de.build("DE-GNN-SPD", honest, hidden=8), honest, 1, **how))
    told = list(de.fit(de.build("DE-GNN-SPD", honest, hidden=8), honest, 1, zero_grad=False, **how))
    assert usual[0].loss != run[0].loss == told[0].loss  # anyone may set the option
    back = list(de.fit(de.build("DE-GNN-SPD", task, hidden=8), task, 1, zero_grad=True, **how))
    assert back[0].loss == usual[0].loss


def test_an_epoch_chosen_on_test_is_the_best_on_test_and_its_weights_are_kept() -> None:
    G = de.load("celegans")
    for protocol in ("epoch_chosen_on_test", "honest"):
        task = de.link_task(G, protocol=protocol, max_positives=200, seed=1)
        model = de.build("GCN", task, hidden=8)
        run = list(de.fit(model, task, 12, learning_rate=0.05))
        best = max(run, key=lambda epoch: epoch.test["auc"] if task.leaks else epoch.val["auc"])
        kept = metrics(np.log(p := de.predict(model, task.graph, task.test.sets)) - np.log(1 - p), task.test.labels)
        assert kept["auc"] == pytest.approx(best.test["auc"], abs=1e-9)
    assert de.summarize(run).epoch != de.summarize(run, chosen_on="test").epoch == de.summarize(run).optimistic_epoch
    assert de.summarize(run).test < de.summarize(run).optimistic
    assert de.summarize(run, chosen_on="test").test == de.summarize(run).optimistic


# ---- records, boards and tables -----------------------------------------------------------------------------------


def test_a_run_writes_down_its_protocol_and_an_honest_board_leaves_its_runs_aside(tmp_path: Path) -> None:
    store = Store(tmp_path)
    leaking = RunSpec(KARATE, "links", "GCN", epochs=3, protocol="epoch_chosen_on_test")
    run = run_one(leaking, tmp_path / "models")
    store.put(run)
    assert run.protocol == "epoch_chosen_on_test" and run.test == run.optimistic
    assert Run.from_json(run.to_json()) == run
    assert Run.from_json('{"key":"k","graph":"g","task":"links","model":"GCN"}').protocol == "honest"
    honest = BoardRuns(RaceSetup(KARATE, "links", ["GCN"], seeds=1, epochs=3), store)
    assert honest.runs == [] and honest.note == "Ignored: 1 run with a protocol that leaks on purpose."
    assert compare_runs([run]).notes[0].startswith("Not an honest comparison, on purpose: protocol epoch_chosen_on_te")
    assert "Not an honest" not in " ".join(compare_runs([replace(run, protocol="honest")]).notes)


def test_a_leaking_graph_is_not_explained_for_its_degrees_would_not_follow() -> None:
    task = de.link_task(KARATE, protocol=FULL)
    with pytest.raises(de.GraphError, match="leaks on purpose"):
        de.explain(de.build("GCN", task), task.graph, {0, 9})


def test_a_study_says_what_each_leak_is_worth_seed_by_seed(tmp_path: Path) -> None:
    study = de.study(graphs=KARATE, models=["Adamic-Adar"], seeds=2, protocol="honest", store=tmp_path)
    column = study.config.columns[0].model_copy(update={"protocols": ("honest", "negatives_repeat")})
    study = de.Study(study.config.model_copy(update={"columns": (column,)}), study.store)
    with pytest.raises(de.ParameterError, match="No leak has a seed in common"):
        study.plot_leaks()
    study.run(workers=1, progress=False)
    (row,) = study.leak_effects().itertuples()
    scores = {
        (run.protocol, run.seed): 100 * float(run.test or 0)
        for run in study.store.runs(task="links", status="finished")
    }
    gains = [scores["negatives_repeat", seed] - scores["honest", seed] for seed in (0, 1)]
    assert row.differences == pytest.approx(gains) and row.points == pytest.approx(sum(gains) / 2)
    figure = study.plot_leaks()
    assert list(figure.data[0].x) == pytest.approx(gains) and list(figure.data[1].y) == ["negatives repeat"]
