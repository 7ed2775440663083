"""Heuristics: scores, walks and centralities of networkx on the changed graph, and as models that are fitted."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

import degnn_explore as de
from degnn_explore.learn.metrics import auc
from degnn_explore.learn.nets.heuristics import centralities
from degnn_explore.learn.nets.set_scores import SET_SCORES, inner_walks

from .small_nets import answers

RANDOM = {"n": st.integers(4, 12), "density": st.floats(0.05, 0.8), "seed": st.integers(0, 10**6)}


def drawn(n: int, density: float, seed: int, p: int) -> tuple[nx.Graph, de.Graph, np.ndarray]:
    G = nx.gnp_random_graph(n, density, seed=seed)
    sets = np.array([np.random.default_rng([seed, k]).choice(n, p, replace=False) for k in range(6)])
    return G, de.Graph.from_edges(list(G.edges), num_nodes=n), sets


# ---- scores of sets --------------------------------------------------------------------------------------------------


def katz(G: nx.Graph, u: int, v: int, whole: nx.Graph, damping: float = 0.2) -> float:
    beta = damping / max(1.0, *np.linalg.eigvalsh(nx.to_numpy_array(whole)))
    return float(np.linalg.inv(np.eye(len(G)) - beta * nx.to_numpy_array(G, nodelist=range(len(G))))[u, v])


def pagerank(G: nx.Graph, u: int, v: int, _: nx.Graph, alpha: float = 0.85) -> float:
    return sum(nx.pagerank(G, alpha, personalization={a: 1}, tol=1e-13, max_iter=1000)[b] for a, b in ((u, v), (v, u)))


PAIR_SCORES: dict[str, Callable[..., float]] = {
    "common neighbors": lambda G, u, v, _: len(list(nx.common_neighbors(G, u, v))),
    "Adamic-Adar": lambda G, u, v, _: next(nx.adamic_adar_index(G, [(u, v)]))[2],
    "resource allocation": lambda G, u, v, _: next(nx.resource_allocation_index(G, [(u, v)]))[2],
    "shortest path": lambda G, u, v, _: 1 / nx.shortest_path_length(G, u, v) if nx.has_path(G, u, v) else 0.0,
    "Katz": katz,
    "personalized PageRank": pagerank,
}


@pytest.mark.parametrize(
    ("name", "option"),
    [*((name, {}) for name in SET_SCORES), ("Katz", {"damping": 0.7}), ("personalized PageRank", {"alpha": 0.4})],
)
@settings(max_examples=15, deadline=None)
@given(**RANDOM, p=st.integers(2, 3))
def test_scores_are_those_of_networkx_with_the_edges_of_each_set_cut(
    name: str, option: dict[str, float], n: int, density: float, seed: int, p: int
) -> None:
    G, graph, sets = drawn(n, density, seed, p)
    expected = []
    for S in sets.tolist():
        cut = G.copy()
        cut.remove_edges_from(list(combinations(S, 2)))
        if name == "preferential attachment":
            expected.append(np.prod([cut.degree[u] for u in S]))
        else:
            expected.append(sum(PAIR_SCORES[name](cut, u, v, G, **option) for u, v in combinations(S, 2)))
    found = SET_SCORES[name](graph, sets, **option)
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-9)
    assert (found[np.array(expected) < 1e-12] == 0).all()  # exactly, where there is no path


# ---- walks -----------------------------------------------------------------------------------------------------------


def walked(G: nx.Graph, S: list[int], linked: bool, counted: bool) -> np.ndarray:
    """Powers of the (normalized) adjacency matrix of the changed graph, between the nodes of S."""
    G = G.copy()
    (G.add_edges_from if linked else G.remove_edges_from)(list(combinations(S, 2)))
    A = nx.to_numpy_array(G, nodelist=range(len(G)))
    if not counted:
        root = np.sqrt(np.maximum(A.sum(axis=1), 1))
        A = A / root[:, None] / root[None, :]
    return np.stack([np.linalg.matrix_power(A, t)[np.ix_(S, S)] for t in range(8)])


@settings(max_examples=60, deadline=None)
@given(**RANDOM, p=st.integers(2, 4), counted=st.booleans())
def test_walks_are_those_with_the_edges_of_each_set_cut_or_put_in(
    n: int, density: float, seed: int, p: int, counted: bool
) -> None:
    G, graph, sets = drawn(n, density, seed, p)
    both = inner_walks(graph, sets, 7, counted=counted)
    for found, linked in zip(both, (False, True), strict=True):
        expected = np.stack([walked(G, S, linked, counted) for S in sets.tolist()])
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)
        assert (found[expected == 0] == 0).all()  # not a rounding that its logarithm would show


# ---- nodes -----------------------------------------------------------------------------------------------------------


PIECES = de.Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3), (5, 6)], 9)


@pytest.mark.parametrize("graph", [de.load("lesmis"), PIECES, de.Graph.from_edges([(0, 1)])], ids=str)
def test_centralities_are_those_of_networkx(graph: de.Graph) -> None:
    n, G = graph.num_nodes, graph.to_networkx()
    near = nx.harmonic_centrality(G)
    expected = (
        np.log1p(graph.degrees),
        np.log1p(list(nx.average_neighbor_degree(G).values())),
        np.log1p(list(nx.betweenness_centrality(G, normalized=False).values())),
        list(nx.clustering(G).values()),
        np.log1p(list(nx.core_number(G).values())),
        [near[v] / (n - 1) for v in range(n)],
        np.log(n * np.array(list(nx.pagerank(G, 0.85, tol=1e-12).values()))),
    )
    assert list(G) == list(range(n))
    for found, column in zip(centralities(graph).T, expected, strict=True):
        assert found == pytest.approx(column, abs=1e-6)


def test_closeness_and_betweenness_of_many_nodes_are_estimated() -> None:
    """800 paths of three nodes: 2,400 in all, of which 2,000 are asked; the mean of the estimates is the truth."""
    place = np.random.default_rng(0).permutation(2400).reshape(-1, 3)
    columns = centralities(de.Graph.from_edges(np.concatenate([place[:, :2], place[:, 1:]])))[place]
    between, near = np.expm1(columns[:, :, 2]), 2399 * columns[:, :, 5]
    assert between.mean(axis=0) == pytest.approx([0, 1, 0], abs=0.04)
    assert near.mean(axis=0) == pytest.approx([1.5, 2, 1.5], rel=0.04)
    assert len(np.unique(near.round(9))) > 3


# ---- as models -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SET_SCORES)
@pytest.mark.parametrize("make", [de.link_task, de.triangle_task], ids=["links", "triangles"])
def test_a_formula_is_a_model_that_orders_sets_as_its_scores_do(name: str, make: Callable[..., de.Task]) -> None:
    """Even where training says that less is more."""
    task = make(de.load("lesmis"), seed=1)
    backwards = de.set_task(task.graph, task.train.sets, 1 - task.train.labels, remove_edges=False)
    for given_task, sets in ((task, task.test.sets), (backwards, task.train.sets)):
        model = de.build(name, given_task)
        (epoch,) = de.fit(model, given_task, epochs=50)
        said, scores = answers(model, task.graph, sets), SET_SCORES[name](task.graph, sets)
        order = np.argsort(scores, kind="stable")
        apart = np.diff(scores[order]) > 1e-6 * scores[order][1:]
        assert (np.diff(said[order])[apart] > 0).all() and (np.diff(said[order])[~apart] < 1e-6).all()
        if given_task is task:
            assert epoch.test["auc"] == pytest.approx(auc(said, task.test.labels == 1))
        if epoch.train["auc"] > 0.55:  # a scale of probabilities: positives and negatives of training balance
            train = given_task.train
            assert answers(model, task.graph, train.sets).mean() == pytest.approx(train.labels.mean(), abs=0.01)


@pytest.mark.parametrize("name", ["degree", "centralities", "walk profiles"])
def test_columns_are_read_by_the_regression_of_scikit_learn_on_standardized_columns(name: str) -> None:
    task = de.link_task(de.load("karate")) if name == "walk profiles" else de.role_task(de.load("us-flights"))
    model: Any = de.build(name, task)
    list(de.fit(model, task))
    train, test = (model.columns(task.graph, split.sets) for split in (task.train, task.test))
    center, spread = train.mean(axis=0), train.std(axis=0)
    slow = LogisticRegression(C=1.0, tol=1e-9, max_iter=10_000).fit((train - center) / spread, task.train.labels)
    expected = slow.predict_proba((test - center) / spread)
    found = answers(model, task.graph, task.test.sets)
    assert found == pytest.approx(expected[:, 1] if task.num_classes == 2 else expected, abs=2e-3)


def test_a_column_that_never_changes_does_no_harm() -> None:
    task = de.set_task(de.zoo.cycle(12), np.arange(12)[:, None], np.arange(12) % 2)
    model = de.build("degree", task)
    model.bind(task)
    assert answers(model, task.graph, task.test.sets) == pytest.approx(0.5, abs=0.2)


@pytest.mark.parametrize("name", ["Katz", "personalized PageRank"])
def test_nodes_that_are_very_far_apart_are_scored_too(name: str) -> None:
    grid = de.Graph.from_networkx(nx.convert_node_labels_to_integers(nx.grid_2d_graph(4, 120)))
    task = de.link_task(grid, seed=0)
    (epoch,) = de.fit(model := de.build(name, task), task, device="cpu")
    assert np.isfinite(answers(model, task.graph, task.test.sets)).all()
    assert epoch.test["auc"] > 0.9  # links are three steps apart, other pairs forty
