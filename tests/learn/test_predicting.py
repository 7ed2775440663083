"""``predict``: any form of sets, in slabs or at once; the model stays as it was; ensembles are means of logits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import degnn_explore as de
from degnn_explore.common.errors import ParameterError, TargetError
from degnn_explore.learn import predicting
from degnn_explore.learn.ensemble import Ensemble
from tests import pretend_device as pretend

from .small import ROLES, TASK, G, Watched, same, small, small_world, state

SETS = TASK.test.sets


def logits(model: de.SetNet, sets: np.ndarray = SETS, G: de.Graph = TASK.graph) -> np.ndarray:
    share = de.predict(model, G, sets)
    return np.log(share / (1 - share)) if share.ndim == 1 else np.log(share)


# ---- what is asked --------------------------------------------------------------------------------------------------


def test_sets_may_be_in_any_form_and_of_another_graph() -> None:
    model = small("DE-GNN-SPD")
    scores = de.predict(model, TASK.graph, SETS)
    assert scores.shape == (len(SETS),) and ((scores > 0) & (scores < 1)).all()
    named = de.Graph.from_edges(TASK.graph.edges, 60, names=[f"n{i}" for i in range(60)])
    for graph, sets in (
        (TASK.graph, SETS.astype(np.int32)),
        (TASK.graph, SETS.tolist()),
        (TASK.graph, np.array([{*S} for S in SETS.tolist()])),
        (named, [{f"n{u}", f"n{v}"} for u, v in SETS.tolist()]),
    ):
        assert de.predict(model, graph, sets) == pytest.approx(scores, rel=1e-6)
    assert de.predict(model, small_world(90, seed=4), [{80, 85}]).shape == (1,)
    share = de.predict(small("GCN", ROLES), ROLES.graph, [3, 5])
    assert share.shape == (2, 4) and share.sum(axis=1) == pytest.approx([1, 1])


@pytest.mark.parametrize(
    "sets",
    [[{1, 2}, {4}], np.array([[1, 2, 3]]), np.zeros((0, 2), int), [{1, 99}], np.array([[1, 99]]), np.array([[1, 1]])],
)
def test_sets_that_the_model_cannot_judge_are_refused(sets: Any) -> None:
    with pytest.raises((ParameterError, TargetError)):
        de.predict(small("GCN"), G, sets)


@pytest.mark.parametrize("name", ["PGNN", "struc2vec"])
def test_a_transductive_model_judges_its_training_graph_only(name: str) -> None:
    model = small(name)
    with pytest.raises(ParameterError, match="has not been trained"):
        de.predict(model, G, [{0, 1}])
    list(de.fit(model, TASK, 1))
    for graph in (G, TASK.graph):
        assert de.predict(model, graph, [{0, 1}]).shape == (1,)
    for asked in (model, Ensemble([small("GCN"), model])):
        assert not asked.inductive
        with pytest.raises(ParameterError, match="transductive"):
            de.predict(asked, small_world(60, seed=9), [{0, 1}])


@pytest.mark.parametrize("training", [True, False])
def test_a_model_that_is_asked_stays_where_and_as_it_was(training: bool) -> None:
    model = small("DE-GNN-SPD", dropout=0.5).train(training)
    model.readout.eval()
    before, random = state(model), torch.get_rng_state()
    there = de.predict(model, TASK.graph, SETS, device="pretend")
    np.testing.assert_allclose(there, de.predict(model, TASK.graph, SETS, device="cpu"), atol=1e-6)  # without dropout
    assert model.training == model.dropout.training == training and not model.readout.training
    assert same(state(model), before) and torch.equal(torch.get_rng_state(), random)  # and on the CPU
    de.predict(model.to("pretend"), TASK.graph, SETS, device="cpu")
    assert {tensor.device.type for tensor in model.parameters()} == {"pretend"}


# ---- many sets ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slabs", [2, 15])
def test_many_sets_are_judged_in_slabs_on_the_device_and_report_their_progress(
    slabs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, shares, sets = small("DE-GNN-SPD"), list[float](), np.concatenate([TASK.train.sets, SETS])
    here = de.predict(model, TASK.graph, sets, device="cpu", progress=lambda what, share: shares.append(share))
    assert not [share for share in shares if 0 < share < 1]
    shares.clear()
    monkeypatch.setattr(predicting, "SETS_AT_ONCE", -(-len(sets) // slabs))
    pretend.reset()
    there = de.predict(model, TASK.graph, sets, device="pretend", progress=lambda what, share: shares.append(share))
    np.testing.assert_allclose(there, here, atol=1e-6)
    assert pretend.counts["to_host"] == slabs + len(model.state_dict())  # the model is moved back to where it was
    assert shares == [k / slabs for k in range(slabs)]


def test_a_pair_that_several_links_are_ranked_against_is_scored_once_and_in_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task = de.link_task(G, per_positive=12, negatives="hard")
    pairs = {part: getattr(task, part).ranked.reshape(-1, 2) for part in ("val", "test")}
    different = {tuple(pair) for rows in pairs.values() for pair in rows.tolist()}
    model, prepared = Watched(task), list[Any]()
    prepare = model.prepare
    monkeypatch.setattr(model, "prepare", lambda graph, sets: prepared.append(sets.tolist()) or prepare(graph, sets))
    for at_once in (10**6, 100):
        monkeypatch.setattr(predicting, "SETS_AT_ONCE", at_once)
        prepared.clear()
        run = list(de.fit(model, task, 2, metric="mrr"))
        scored = [tuple(pair) for sets in prepared[1:] for pair in sets]
        assert len(scored) == len(different) < sum(map(len, pairs.values())) and {*scored} == different
        best = run[de.summarize(run).epoch - 1]
        for part, measured in (("val", best.val), ("test", best.test)):
            split = getattr(task, part)
            positive = logits(model, split.sets[split.labels == 1], task.graph)[:, None]
            others = logits(model, pairs[part], task.graph).reshape(-1, 12)
            places = 1 + (others > positive + 1e-9).sum(1) + (abs(others - positive) < 1e-9).sum(1) / 2
            assert measured["mrr"] == pytest.approx(np.mean(1 / places))


# ---- ensembles ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "networks", "formulas"),
    [
        (TASK, ["GCN", "DE-GNN-SPD", "SEAL"], []),
        (TASK, [], ["Adamic-Adar", "Katz"]),
        (TASK, ["GCN", "GIN"], ["Adamic-Adar"]),
        (ROLES, ["GCN", "DE-GNN-SPD"], []),
    ],
)
def test_an_ensemble_is_the_mean_of_its_logits_with_half_the_weight_for_formulas(
    task: de.Task, networks: list[str], formulas: list[str]
) -> None:
    groups = [[small(name, task) for name in networks], [de.build(name, task) for name in formulas]]
    parts = [[logits(net, task.test.sets, task.graph) for net in nets] for nets in groups if nets]
    mean = np.exp(np.mean([np.mean(part, axis=0) for part in parts], axis=0))
    both = Ensemble([net for nets in groups for net in nets])
    wanted = mean / (1 + mean) if task.num_classes == 2 else mean / mean.sum(axis=1, keepdims=True)
    for device in ("pretend", "cpu"):
        shares = de.predict(both, task.graph, task.test.sets, device=device)
        np.testing.assert_allclose(shares, wanted, atol=1e-5)
    assert repr(both) == f"Ensemble({', '.join(networks + formulas)})" and both.inductive


def test_an_ensemble_sees_what_its_members_see() -> None:
    near, far, everywhere = small("GCN", layers=1), small("GCN", layers=3), de.build("personalized PageRank", TASK)
    assert [net.horizon for net in (near, far, everywhere)] == [1, 3, None]
    assert Ensemble([near, far]).horizon == 3 and Ensemble([near, everywhere]).horizon is None


def test_an_ensemble_is_made_of_networks_for_one_task() -> None:
    for members in ([], [small("GCN"), small("GCN", ROLES)], [Ensemble([small("GCN")]), small("GCN")]):
        with pytest.raises(ParameterError, match="same task"):
            Ensemble(members)
