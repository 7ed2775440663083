"""BUDDY and NCN next to slow versions that follow their papers; test_metamorphic.py has what holds for all models."""

from __future__ import annotations

from itertools import combinations_with_replacement

import networkx as nx
import numpy as np
import pytest
import torch

import degnn_explore as de
from degnn_explore.learn.nets.descendants import NCN, distance_histogram


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


@pytest.mark.parametrize("distances", [1, 2])
def test_buddy_is_shown_how_many_nodes_are_how_far_from_both(distances: int) -> None:
    """In any order of the two, further than ``distances`` as one class, the pair's own link cut."""
    task = de.link_task(de.load("karate"), seed=2)
    model = de.build("BUDDY", task, distances=distances)
    model.bind(task)
    sets = task.train.sets[:6]
    shown = model.prepare(task.graph, sets).batch(np.arange(len(sets)))
    whole = nx.Graph(task.graph.edges.tolist())
    whole.add_nodes_from(range(task.graph.num_nodes))
    for S, row in zip(sets.tolist(), np.asarray(shown), strict=True):
        cut = whole.copy()
        cut.remove_edges_from([S])
        far = [nx.single_source_shortest_path_length(cut, v) for v in S]
        classes = [
            tuple(sorted(min(far[k].get(u, distances + 1), distances + 1) for k in range(2))) for u in cut if u not in S
        ]
        pairs = list(combinations_with_replacement(range(1, distances + 2), 2))[:-1]
        wanted = [np.log1p(classes.count(pair)) for pair in pairs]
        np.testing.assert_allclose(row[: len(pairs)], wanted, rtol=1e-5)


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


def test_ncn_judges_by_its_weights_of_now() -> None:
    """Also where a device changes them without torch's counting it."""
    G = graph_of(3)
    model = de.build("NCN", de.link_task(G), hidden=8)
    before = de.predict(model, G, [{0, 9}, {3, 20}])
    for weight in model.parameters():
        weight.data.mul_(1.5)  # torch does not count a change of .data
    assert not np.allclose(de.predict(model, G, [{0, 9}, {3, 20}]), before)
