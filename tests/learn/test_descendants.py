"""BUDDY and NCN against slow versions that follow their papers."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch

import degnn_explore as de
from degnn_explore.learn.nets.descendants import NCN, distance_histogram
from degnn_explore.studies.search import candidates


def graph_of(seed: int, n: int = 26) -> de.Graph:
    return de.Graph.from_networkx(nx.connected_watts_strogatz_graph(n, 4, 0.3, seed=seed))


def slow_histogram(G: de.Graph, a: int, b: int, most: int) -> np.ndarray:
    """Node by node, on the graph without the link."""
    H = G.cut(np.array([a, b])).to_networkx()
    to_a, to_b = (nx.single_source_shortest_path_length(H, v) for v in (a, b))
    counts = np.zeros((most + 1, most + 1))
    for u in set(H) - {a, b}:
        i, j = (min(to.get(u, most + 1), most + 1) for to in (to_a, to_b))
        if min(i, j) <= most:
            counts[i - 1, j - 1] += 1
    return counts.ravel()


@pytest.mark.parametrize("most", [1, 2, 3])
def test_the_histogram_counts_nodes_by_both_distances(most: int) -> None:
    G = graph_of(most)
    pairs = np.concatenate([G.edges[:6], [[0, 9], [3, 20]]])
    slow = [slow_histogram(G, a, b, most) for a, b in pairs.tolist()]
    assert (distance_histogram(G, pairs, most) == np.array(slow)).all()


def slow_ncn(model: NCN, G: de.Graph, a: int, b: int) -> float:
    """The formula with dense matrices, on the graph without the link."""
    A = torch.tensor(G.cut(np.array([a, b])).to_scipy().toarray(), dtype=torch.float32)
    degrees = A.sum(dim=1)
    root = (degrees + 1).rsqrt()
    normalized = root[:, None] * (A + torch.eye(len(A))) * root
    h = torch.log1p(degrees)[:, None] * model.scale
    for conv in model.convs:
        h = torch.relu(normalized @ conv(h))
    shared = (A[a] * A[b]) @ h
    return float(model.mlp(torch.cat([h[a] * h[b], shared])[None])[0, 0])


def test_ncn_is_its_formula_with_the_own_link_removed_whatever_else_is_asked() -> None:
    G = graph_of(5)
    task = de.link_task(G)
    model = de.build("NCN", task, hidden=8, layers=2)
    list(de.fit(model, task, 2))
    assert isinstance(model, NCN)
    pairs = np.concatenate([task.graph.edges[:5], task.test.sets])
    with torch.no_grad():
        slow = [slow_ncn(model, task.graph, a, b) for a, b in pairs.tolist()]
    scores = de.predict(model, task.graph, pairs)
    assert np.allclose(scores, 1 / (1 + np.exp(-np.array(slow))), atol=1e-5)
    alone = [de.predict(model, task.graph, pairs[i : i + 1])[0] for i in range(len(pairs))]
    assert np.allclose(scores, alone, atol=1e-6)
    other = graph_of(8)  # nothing of the first graph is remembered
    with torch.no_grad():
        assert de.predict(model, other, [{0, 7}])[0] == pytest.approx(
            1 / (1 + np.exp(-slow_ncn(model, other, 0, 7))), abs=1e-5
        )


@pytest.mark.parametrize("name", ["BUDDY", "NCN"])
def test_they_are_models_like_any_other(name: str, tmp_path: Path) -> None:
    task = de.link_task(graph_of(2), per_positive=5)
    model = de.build(name, task, hidden=8)
    epochs = list(de.fit(model, task, 3, metric="mrr", seed=2))
    again = list(de.fit(de.build(name, task, hidden=8), task, 3, metric="mrr", seed=2))
    assert [epoch.test for epoch in again] == [epoch.test for epoch in epochs]
    sets = task.test.sets
    scores = de.predict(model, task.graph, sets)
    assert np.allclose(de.predict(model, task.graph, sets[:, ::-1].copy()), scores, atol=1e-6)  # (b, a) as (a, b)
    loaded = de.load_model(de.save(model, tmp_path / "model.safetensors"))
    assert (de.predict(loaded, task.graph, sets) == scores).all()
    assert de.explain(model, task.graph, sets[0]).score == pytest.approx(scores[0], abs=1e-5)
    assert len(candidates(name, 2, most=12)) == 12
    with pytest.raises(de.ParameterError, match="sets of 2"):
        de.build(name, de.triangle_task(graph_of(2)))


@pytest.mark.parametrize("name", ["BUDDY", "NCN"])
def test_a_training_link_is_judged_as_if_it_were_not_there(name: str) -> None:
    task = de.link_task(graph_of(3))
    model = de.build(name, task, hidden=8)
    list(de.fit(model, task, 2))
    link = task.graph.edges[4]
    without = task.graph.without_edges(link[None])
    assert de.predict(model, task.graph, [link])[0] == pytest.approx(de.predict(model, without, [link])[0], abs=1e-6)


def test_ncn_judges_by_its_weights_of_now() -> None:
    """Also where a device changes them without torch's counting it."""
    G = graph_of(3)
    model = de.build("NCN", de.link_task(G), hidden=8)
    before = de.predict(model, G, [{0, 9}, {3, 20}])
    for weight in model.parameters():
        weight.data.mul_(1.5)  # torch does not count a change of .data
    assert not np.allclose(de.predict(model, G, [{0, 9}, {3, 20}]), before)
