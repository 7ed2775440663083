"""Heuristics against networkx, set by set on the cut graph, and as models beside the others."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

import degnn_explore as de
from degnn_explore.learn.metrics import auc
from degnn_explore.learn.nets._centrality import centralities
from degnn_explore.learn.nets.heuristics import STEPS, WalkProfile, logistic
from degnn_explore.learn.nets.set_scores import SET_SCORES, inner_walks

LINKS = de.link_task(de.load("celegans"), seed=0)
FOR_SETS = list(SET_SCORES)


def slowly(name: str, G: nx.Graph, S: list[int], largest: float) -> float:
    """The score of one set by networkx, its own edges cut."""
    G = G.copy()
    G.remove_edges_from(list(combinations(S, 2)))
    if name == "preferential attachment":
        return float(np.prod([G.degree[u] for u in S]))
    total = 0.0
    for u, v in combinations(S, 2):
        if name == "common neighbors":
            total += len(list(nx.common_neighbors(G, u, v)))
        elif name == "Adamic-Adar":
            total += next(nx.adamic_adar_index(G, [(u, v)]))[2]
        elif name == "resource allocation":
            total += next(nx.resource_allocation_index(G, [(u, v)]))[2]
        elif name == "shortest path":
            total += 1 / nx.shortest_path_length(G, u, v) if nx.has_path(G, u, v) else 0.0
        elif name == "Katz":
            A = nx.to_numpy_array(G, nodelist=range(len(G)))
            total += np.linalg.inv(np.eye(len(G)) - 0.2 / largest * A)[u, v]
        else:
            for start, end in ((u, v), (v, u)):
                total += nx.pagerank(G, 0.85, personalization={start: 1}, tol=1e-13, max_iter=1000)[end]
    return total


@pytest.mark.parametrize("name", FOR_SETS)
@settings(max_examples=15, deadline=None)
@given(n=st.integers(4, 12), density=st.floats(0.1, 0.8), seed=st.integers(0, 10**6), p=st.integers(2, 3))
def test_scores_are_those_of_networkx_on_the_cut_graph(name: str, n: int, density: float, seed: int, p: int) -> None:
    rng = np.random.default_rng(seed)
    G = nx.gnp_random_graph(n, density, seed=seed)
    graph = de.Graph.from_edges(list(G.edges), num_nodes=n)
    sets = np.array([rng.choice(n, p, replace=False) for _ in range(6)])
    largest = max(1.0, max(np.linalg.eigvalsh(nx.to_numpy_array(G))))
    expected = [slowly(name, G, S, largest) for S in sets.tolist()]
    assert SET_SCORES[name](graph, sets) == pytest.approx(expected, rel=1e-4, abs=1e-9)


def test_adamic_adar_alone_gives_83_5_on_celegans() -> None:
    (epoch,) = de.fit(de.build("Adamic-Adar", LINKS), LINKS)
    assert round(100 * epoch.test["auc"], 1) == 83.5
    (epoch,) = de.fit(de.build("personalized PageRank", LINKS), LINKS)
    assert round(100 * epoch.test["auc"], 1) == 87.9


@pytest.mark.parametrize("name", FOR_SETS)
@pytest.mark.parametrize("make", [de.link_task, de.triangle_task])
def test_a_heuristic_is_a_model_whose_order_is_that_of_its_formula(name: str, make: object, tmp_path: Path) -> None:
    task = make(de.load("lesmis"), seed=1)  # type: ignore[operator]
    model = de.build(name, task)
    assert not list(model.parameters())
    (epoch,) = de.fit(model, task, epochs=50, checkpoint=tmp_path / "never.checkpoint")
    scores = SET_SCORES[name](task.graph, task.test.sets)
    assert epoch.test["auc"] == pytest.approx(auc(scores, task.test.labels == 1), abs=1e-3)  # rounded ties
    said = de.predict(model, task.graph, task.test.sets)
    assert auc(said, task.test.labels == 1) == pytest.approx(epoch.test["auc"])
    again = de.load_model(de.save(model, tmp_path / "heuristic.safetensors"))
    assert (de.predict(again, task.graph, task.test.sets) == said).all()
    assert list(tmp_path.iterdir()) == [tmp_path / "heuristic.safetensors"]
    # their scale is that of a probability: on the training sets positives and negatives balance
    on_training = de.predict(model, task.graph, task.train.sets)
    if name != "preferential attachment":  # its slope may be the wrong way round, which is not mended
        assert on_training.mean() == pytest.approx(0.5, abs=0.01)


def test_centralities_are_those_of_networkx() -> None:
    graph = de.load("lesmis")
    n, G = graph.num_nodes, graph.to_networkx()
    columns = centralities(graph)
    degrees = graph.degrees
    near = [nx.harmonic_centrality(G)[v] / (n - 1) for v in range(n)]
    between = nx.betweenness_centrality(G, normalized=False)
    expected = [
        np.log1p(degrees),
        np.log1p([nx.average_neighbor_degree(G)[v] for v in range(n)]),
        np.log1p([between[v] for v in range(n)]),
        [nx.clustering(G)[v] for v in range(n)],
        np.log1p([nx.core_number(G)[v] for v in range(n)]),
        near,
        np.log(n * np.array([nx.pagerank(G, 0.85, tol=1e-12)[v] for v in range(n)])),
    ]
    assert np.allclose(columns, np.stack(expected, axis=1), atol=1e-6)


def test_centralities_of_many_nodes_are_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = de.load("lesmis")
    exact = centralities(graph)
    monkeypatch.setattr("degnn_explore.learn.nets._centrality._SOURCES", 40)
    guessed = centralities(graph)
    assert np.corrcoef(exact[:, 2], guessed[:, 2])[0, 1] > 0.9
    assert np.corrcoef(exact[:, 5], guessed[:, 5])[0, 1] > 0.9


@pytest.mark.parametrize("classes", [2, 4])
def test_the_regression_is_that_of_scikit_learn(classes: int) -> None:
    rng = np.random.default_rng(3)
    x, labels = rng.normal(size=(60, 3)), rng.integers(0, classes, 60)
    weight, bias = logistic(x, labels, 1 if classes == 2 else classes)
    expected = LogisticRegression(C=1.0, tol=1e-8).fit(x, labels)
    assert weight == pytest.approx(expected.coef_, abs=1e-3)
    assert bias - bias.mean() == pytest.approx(expected.intercept_ - expected.intercept_.mean(), abs=1e-3)


def test_roles_are_judged_by_degree_and_centralities() -> None:
    task = de.role_task(de.load("us-flights"), seed=0)
    accuracy = {name: next(de.fit(de.build(name, task), task)).test["accuracy"] for name in ("degree", "centralities")}
    assert accuracy["degree"] == 0.75
    assert accuracy["centralities"] > 0.6
    with pytest.raises(de.ParameterError, match="takes target sets of 2 or 3 nodes"):
        de.build("Katz", task)
    with pytest.raises(de.ParameterError, match="takes target sets of 1 nodes"):
        de.build("degree", LINKS)


# ---- walk profiles --------------------------------------------------------------------------------------------------


def drawn(n: int, density: float, seed: int, p: int, count: int = 6) -> tuple[nx.Graph, de.Graph, np.ndarray]:
    rng = np.random.default_rng(seed)
    G = nx.gnp_random_graph(n, density, seed=seed)
    sets = np.array([rng.choice(n, p, replace=False) for _ in range(count)])
    return G, de.Graph.from_edges(list(G.edges), num_nodes=n), sets


def walked(G: nx.Graph, S: list[int], steps: int, linked: bool, counted: bool) -> np.ndarray:
    """Powers of the (normalized) adjacency matrix of the changed graph, between the nodes of S."""
    G = G.copy()
    (G.add_edges_from if linked else G.remove_edges_from)(list(combinations(S, 2)))
    A = nx.to_numpy_array(G, nodelist=range(len(G)))
    if not counted:
        root = np.sqrt(np.maximum(A.sum(axis=1), 1))
        A = A / root[:, None] / root[None, :]
    return np.stack([np.linalg.matrix_power(A, t)[np.ix_(S, S)] for t in range(steps + 1)])


RANDOM = {"n": st.integers(4, 12), "density": st.floats(0.05, 0.8), "seed": st.integers(0, 10**6)}


@settings(max_examples=60, deadline=None)
@given(**RANDOM, p=st.integers(2, 4), counted=st.booleans())
def test_walks_are_those_of_the_graph_with_the_edges_of_each_set_cut_or_put_in(
    n: int, density: float, seed: int, p: int, counted: bool
) -> None:
    G, graph, sets = drawn(n, density, seed, p)
    cut, joined = (np.stack([walked(G, S, 7, linked, counted) for S in sets.tolist()]) for linked in (False, True))
    found_cut, found_joined = inner_walks(graph, sets, 7, counted=counted)
    assert found_cut == pytest.approx(cut, rel=1e-9, abs=1e-12)
    assert found_joined == pytest.approx(joined, rel=1e-9, abs=1e-12)
    # where no walk is left there is nothing at all, and not a rounding that its logarithm would show
    assert (found_cut[cut == 0] == 0).all()


@settings(max_examples=25, deadline=None)
@given(**RANDOM)
def test_a_walk_profile_knows_neither_numbers_nor_order_nor_the_own_link_nor_what_is_far_away(
    n: int, density: float, seed: int
) -> None:
    G, graph, sets = drawn(n, density, seed, 2)
    model = WalkProfile("walk profiles", de.Shape(p=2, num_classes=2))
    columns = model.columns(graph, sets)
    assert columns.shape == (6, model.width) and np.isfinite(columns).all()
    number = np.random.default_rng(seed).permutation(n)
    again = de.Graph.from_edges([(number[u], number[v]) for u, v in G.edges], num_nodes=n)
    assert model.columns(again, number[sets][:, ::-1]) == pytest.approx(columns, abs=1e-9)
    for pair, own in zip(sets, columns, strict=True):
        other = G.copy()
        (other.remove_edge if other.has_edge(*pair) else other.add_edge)(*pair)
        flipped = de.Graph.from_edges(list(other.edges), num_nodes=n)
        assert model.columns(flipped, pair[None])[0] == pytest.approx(own, abs=1e-9)
        away = nx.multi_source_dijkstra_path_length(other, set(pair.tolist()))
        far = [(u, v) for u, v in other.edges if min(away.get(u, n), away.get(v, n)) > model.horizon]
        other.remove_edges_from(far)
        nearby = de.Graph.from_edges(list(other.edges), num_nodes=n)
        assert model.columns(nearby, pair[None])[0] == pytest.approx(own, abs=1e-9)


def test_how_far_a_walk_profile_looks_is_as_far_as_it_says() -> None:
    path = nx.path_graph(8)
    model = WalkProfile("walk profiles", de.Shape(p=2, num_classes=2))
    plain = de.Graph.from_edges(list(path.edges), num_nodes=9)
    before = model.columns(plain, np.array([[0, 1]]))
    for at, counts in ((4, True), (5, False)):  # a leaf at the node 3 from S = {0, 1}, and at the one 4 from it
        with_leaf = de.Graph.from_edges([*path.edges, (at, 8)], num_nodes=9)
        assert (np.abs(model.columns(with_leaf, np.array([[0, 1]])) - before).max() > 1e-9) == counts
    assert model.horizon == STEPS // 2 == 3


def test_walk_profiles_are_a_model_that_is_fitted_asked_saved_and_explained(tmp_path: Path) -> None:
    task = de.link_task(de.load("celegans"), seed=0, split=(0.85, 0.05, 0.10))
    model = de.build("walk profiles", task)
    (epoch,) = de.fit(model, task)
    assert round(100 * epoch.test["auc"], 1) == 94.0
    said = de.predict(model, task.graph, task.test.sets)
    assert auc(said, task.test.labels == 1) == pytest.approx(epoch.test["auc"])
    again = de.load_model(de.save(model, tmp_path / "walks.safetensors"))
    assert (de.predict(again, task.graph, task.test.sets) == said).all()
    why = de.explain(model, task.graph, task.test.sets[0].tolist(), most=5)
    assert why.score == pytest.approx(said[0]) and len(why.edges) == 5
    with pytest.raises(de.ParameterError, match="takes target sets of 2 nodes"):
        de.build("walk profiles", de.triangle_task(de.load("lesmis")))


@pytest.mark.parametrize("name", ["Katz", "personalized PageRank"])
def test_nodes_that_are_very_far_apart_are_scored_too(name: str) -> None:
    grid = de.Graph.from_networkx(nx.convert_node_labels_to_integers(nx.grid_2d_graph(4, 120)))
    task = de.link_task(grid, seed=0)
    (epoch,) = de.fit(model := de.build(name, task), task, device="cpu")
    assert np.isfinite(de.predict(model, task.graph, task.test.sets.tolist())).all()
    assert epoch.test["auc"] > 0.9  # links are three steps apart, other pairs forty
