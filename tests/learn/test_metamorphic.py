"""What a model says of a set does not depend on how it is asked: numbers of nodes, order, company, repetition."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import degnn_explore as de

MODELS = [str(name) for name in de.models().index]
INDUCTIVE = [name for name in MODELS if de.models().loc[name, "inductive"]]
POSITIONAL = {"DE-GNN-LapPE"}  # eigenvectors of another graph are other ones
SMALL = {"hidden": 8, "dim": 8, "walks": 2, "length": 12, "sort_k": 12, "anchor_sets": 12}


@cache
def trained(name: str) -> tuple[de.SetNet, de.Task, np.ndarray, np.ndarray]:
    """A model after one epoch, its task, sets to ask about, and what it says of them."""
    task = de.role_task(de.load("karate")) if name in ("degree", "centralities") else de.link_task(de.load("karate"))
    hyper = {key: value for key, value in SMALL.items() if key in de.models().loc[name, "hyperparameters"]}
    model = de.build(name, task, seed=1, **hyper)
    list(de.fit(model, task, epochs=1, device="cpu", progress=False))
    sets = np.concatenate([task.test.sets, task.val.sets])[:7]
    return model, task, sets, asked(model, task.graph, sets)


def asked(model: de.SetNet, G: de.Graph, sets: np.ndarray) -> np.ndarray:
    return de.predict(model, G, sets, device="cpu", progress=False)


@pytest.mark.parametrize("name", MODELS)
def test_order_repetition_and_company_of_sets_do_not_matter(name: str) -> None:
    model, task, sets, said = trained(name)
    order = np.array([3, 0, 6, 5, 1, 2, 4])
    np.testing.assert_allclose(asked(model, task.graph, sets[order]), said[order], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(asked(model, task.graph, sets[[2, 2, 2]]), said[[2, 2, 2]], rtol=1e-4, atol=1e-6)
    alone = np.concatenate([asked(model, task.graph, sets[k : k + 1]) for k in range(3)])
    np.testing.assert_allclose(alone, said[:3], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(asked(model, task.graph, sets[:, ::-1]), said, rtol=1e-4, atol=1e-6)
    named = [{task.graph.names[v] for v in S} for S in sets]
    np.testing.assert_allclose(de.predict(model, task.graph, named, device="cpu"), said, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", [name for name in INDUCTIVE if name not in POSITIONAL])
def test_numbers_of_nodes_and_what_is_not_connected_do_not_matter(name: str) -> None:
    model, task, sets, said = trained(name)
    G = task.graph
    place = np.random.default_rng(4).permutation(G.num_nodes)
    renumbered = de.Graph.from_edges(place[G.edges], G.num_nodes)
    np.testing.assert_allclose(asked(model, renumbered, place[sets]), said, rtol=1e-4, atol=1e-6)
    if name == "centralities":
        return  # paths through the whole graph
    union = de.disjoint_union([de.Graph.from_edges(G.edges, G.num_nodes), de.zoo.petersen()])
    np.testing.assert_allclose(asked(model, union, sets), said, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", [name for name in MODELS if name not in ("degree", "centralities")])
def test_an_edge_inside_a_set_is_not_looked_at(name: str) -> None:
    """So a pair is judged the same whether or not it is linked already: training and test links look alike."""
    model, task, _, _ = trained(name)
    if not model.inductive:
        pytest.skip("it is asked about the graph that it has seen alone")
    G, pair = task.graph, np.array([task.train.sets[task.train.labels == 1][0]])
    u, v = sorted(int(node) for node in pair[0])
    without = de.Graph.from_edges([edge for edge in G.edges.tolist() if edge != [u, v]], G.num_nodes)
    assert without.num_edges == G.num_edges - 1
    apart = 1e-3 if name == "Katz" else 1e-6  # a sum that is broken off
    np.testing.assert_allclose(asked(model, without, pair), asked(model, G, pair), rtol=1e-4, atol=apart)
