"""struc2vec against the definitions of its paper (Ribeiro et al., 2017), each written out the plain way."""

from __future__ import annotations

import math
import threading
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

import degnn_explore as de
from degnn_explore import ParameterError
from degnn_explore.common.progress import watching
from degnn_explore.graphs.distances import distances
from degnn_explore.learn.nets import _struc2vec as kernels
from degnn_explore.learn.nets.struc2vec import Layers, embed, random_walks, structural_layers

from .small_nets import answers, built, random_graph

STAY = 0.3


# ---- structural distances --------------------------------------------------------------------------------------------


def warped(a: list[int], b: list[int]) -> float:
    """The cheapest alignment of the degrees of two rings, by the recursive definition of dynamic time warping ."""
    x, y = sorted(set(a)), sorted(set(b))

    @cache
    def best(i: int, j: int) -> float:
        if i < 0 or j < 0:
            return 0.0 if i == j else math.inf
        unlike = (max(x[i], y[j]) + 0.5) / (min(x[i], y[j]) + 0.5) - 1  # the half is for degree 0
        cost = unlike * max(a.count(x[i]), b.count(y[j]))
        return cost + min(best(i - 1, j), best(i, j - 1), best(i - 1, j - 1))

    return best(len(x) - 1, len(y) - 1)


def test_warped_distance_by_hand() -> None:
    """The kernel takes degrees and how often each occurs."""
    for a, b, expected in (
        ([(3, 2)], [(3, 3)], 0),
        ([(1, 2)], [(4, 3)], 2 * 3),  # 4.5 / 1.5 - 1 = 2, three times
        ([(1, 3)], [(1, 1), (4, 1)], 2 * 3),  # the three ones pay again for the 4
    ):
        assert kernels.warped(*np.array(a).T.copy(), *np.array(b).T.copy()) == pytest.approx(expected)


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 14), st.floats(0.02, 0.5), st.integers(0, 10**6), st.integers(1, 4))
def test_layers_hold_the_distances_of_the_nodes_closest_in_degree(
    n: int, density: float, seed: int, depth: int
) -> None:
    G = random_graph(n, density, seed)
    layers, away = structural_layers(G, depth), distances(G, np.arange(n))
    assert layers.distance.shape == (depth, len(layers.neighbor)) and layers.ptr[-1] == len(layers.neighbor)
    pairs = {}
    for u in range(n):
        for i in range(layers.ptr[u], layers.ptr[u + 1]):
            v, total = int(layers.neighbor[i]), 0.0
            pairs[u, v] = layers.distance[:, i]
            for k in range(depth):
                ours, theirs = (G.degrees[away[w] == k].tolist() for w in (u, v))
                total = total + warped(ours, theirs) if ours and theirs else math.inf
                assert layers.distance[k, i] == pytest.approx(total)
        near = layers.neighbor[layers.ptr[u] : layers.ptr[u + 1]]
        wanted = min(n - 1, 2 * math.ceil(math.log2(n)))
        gaps = np.sort(abs(np.delete(G.degrees, u) - G.degrees[u]))
        assert u not in near and len(set(near)) == len(near) >= wanted
        assert np.sort(abs(G.degrees[near] - G.degrees[u]))[:wanted].tolist() == gaps[:wanted].tolist()
    assert {(v, u) for u, v in pairs} == {*pairs}
    some = np.random.default_rng(seed).permutation(n)[: max(2, n // 2)]
    part = structural_layers(G, depth, some)  # compared among themselves alone
    for i, (u, v) in enumerate(zip(some[part.source].tolist(), some[part.neighbor].tolist(), strict=True)):
        assert part.distance[:, i] == pytest.approx(pairs.get((u, v), part.distance[:, i]))
    assert len(part.ptr) == len(some) + 1


def test_reach_is_the_last_layer_with_a_ring_shared_by_a_neighbor() -> None:
    """In a path of five, rings end at distance 4, 3, 2, 3, 4; the ends share theirs, and so do 1 and 3."""
    path = de.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)])
    assert structural_layers(path, 6).reach.tolist() == [4, 3, 2, 3, 4]
    assert structural_layers(path, 2).reach.tolist() == [1, 1, 1, 1, 1]
    assert structural_layers(de.Graph.from_edges([(0, 1)], 3), 3).reach.tolist() == [1, 1, 0]
    star = de.Graph.from_edges([(0, leaf) for leaf in range(1, 301)])
    assert set(structural_layers(star, 3).reach.tolist()) == {1, 2}  # though its center's weights round to 0


# ---- walks over the layers -------------------------------------------------------------------------------------------


def layers_of(distance: np.ndarray) -> Layers:
    """All pairs compared, from distances [depth, n, n]; the diagonal is left out."""
    n = distance.shape[1]
    off = ~np.eye(n, dtype=bool)
    return Layers(np.arange(n + 1) * (n - 1), np.tile(np.arange(n), (n, 1))[off], distance[:, off].copy())


def random_distances(n: int, depth: int, seed: int) -> np.ndarray:
    """f_k of a made-up graph: symmetric, growing with k, some pairs ending early."""
    rng = np.random.default_rng(seed)
    steps = rng.exponential(1.0, (depth, n, n))
    steps[1:][rng.random((depth - 1, n, n)) < 0.15] = np.inf
    steps = np.triu(steps, 1)
    return np.cumsum(steps + steps.transpose(0, 2, 1), axis=0)


def weights(layer: np.ndarray) -> np.ndarray:
    """w_k(u, v) = exp(-f_k(u, v)), in units in which the largest is 1; 0 for a pair that is not there. [n, n]"""
    off = ~np.eye(len(layer), dtype=bool)
    return np.where(off & np.isfinite(layer), np.exp(layer[off].min() - layer), 0.0)


def plain_upward(distance: np.ndarray) -> np.ndarray:
    """w(u_k, u_k+1) = log(Γ_k(u) + e) against 1, Γ_k counting the edges above the mean of the layer."""
    w = [weights(layer) for layer in distance]
    up = np.array([np.log((each > each.sum() / (each > 0).sum()).sum(axis=1) + math.e) for each in w])
    return up / (up + 1)


def after_steps(distance: np.ndarray, start: int, steps: int) -> np.ndarray:
    """The law of a walk's node after 1, 2, ... steps, by multiplying plain matrices. [steps, n]"""
    depth, n, _ = distance.shape
    up, step = plain_upward(distance), np.zeros(distance.shape)
    for k, u in product(range(depth), range(n)):  # each row by itself: a hub's weights would be lost among the others
        if np.isfinite(others := np.delete(distance[k, u], u)).any():
            row = np.where(np.arange(n) == u, 0.0, np.exp(others.min() - distance[k, u]))
            step[k, u] = row / row.sum()
    leave = np.zeros((n, depth, depth))  # in which layer a walk that is in layer k takes its next step
    for u in range(n):
        change = np.zeros((depth, depth))
        for k in range(depth):
            higher = k + 1 < depth and step[k + 1, u].any()
            change[k, k + 1 if higher else k] += up[k, u]
            change[k, max(k - 1, 0)] += 1 - up[k, u]
        leave[u] = STAY * np.linalg.inv(np.eye(depth) - (1 - STAY) * change)
    law = np.zeros((n, depth))
    law[start, 0] = 1
    out = []
    for _ in range(steps):
        law = np.einsum("uk,ukl,luv->vl", law, leave, step)
        out.append(law.sum(axis=1))
    return np.array(out)


def assert_walks_follow(layers: Layers, distance: np.ndarray, start: int, count: int = 8_000) -> None:
    paths = random_walks(layers, np.full(count, start), 4, np.random.default_rng(7))
    assert (paths[:, 0] == start).all()
    for t, law in enumerate(after_steps(distance, start, 3), start=1):
        seen, expected = np.bincount(paths[:, t], minlength=len(law)), count * law
        rare = expected < 5
        assert seen[rare].sum() <= 3 * expected[rare].sum() + 15
        assert seen[law == 0].sum() == 0
        kept = expected[~rare] * seen[~rare].sum() / expected[~rare].sum()
        assert chisquare(seen[~rare], kept).pvalue > 1e-3


@pytest.mark.parametrize("seed", range(2))
def test_walks_step_with_the_probabilities_of_the_paper(seed: int) -> None:
    distance = random_distances(7, 3, seed)
    for start in (0, 3):
        assert_walks_follow(layers_of(distance), distance, start)


@pytest.mark.parametrize(("hub", "away"), [(0, 31.0), (6, 1000.0)])
def test_a_hub_far_from_every_node_keeps_its_transition_probabilities(hub: int, away: float) -> None:
    """Its weights are below 1e-13 of all others, or 0 in floating point."""
    distance = random_distances(7, 3, seed=5)
    distance[:, hub, :] += away
    distance[:, :, hub] += away
    assert_walks_follow(layers_of(distance), distance, hub)


@pytest.mark.parametrize("seed", range(3))
def test_the_chance_of_going_up_counts_the_edges_above_the_mean_of_the_layer(seed: int) -> None:
    distance = random_distances(8, 3, seed)
    assert layers_of(distance).upward == pytest.approx(plain_upward(distance))
    assert layers_of(distance + 2000).upward == pytest.approx(plain_upward(distance))  # weights round to 0
    for alike in (3.3, np.inf):  # none above the mean; an empty layer
        assert (layers_of(np.full((2, 4, 4), alike)).upward == 0.5).all()


# ---- embeddings ------------------------------------------------------------------------------------------------------

TINY: dict[str, int] = {"dim": 3, "walks": 2, "length": 8, "window": 3, "depth": 2, "passes": 2, "seed": 0}


def test_every_column_of_an_embedding_has_mean_0_and_variance_1() -> None:
    vectors = embed(random_graph(), **TINY)
    assert vectors.shape == (14, 3) and vectors.dtype == np.float32
    assert vectors.mean(axis=0) == pytest.approx(0, abs=1e-5) and vectors.std(axis=0) == pytest.approx(1, abs=1e-3)


def test_in_a_large_graph_nodes_with_the_same_neighbors_share_a_vector() -> None:
    """12 million words would take minutes."""
    large = {**TINY, "walks": 1, "length": 2, "passes": 300}
    star = de.Graph.from_edges([(0, leaf) for leaf in range(1, 20_001)])
    vectors = embed(star, **large)
    assert len(np.unique(vectors, axis=0)) == 2 and (vectors[1:] == vectors[1]).all()
    assert (embed(de.Graph.from_edges([], 20_001), **large) == 0).all()
    few = embed(de.Graph.from_edges([(0, leaf) for leaf in range(1, 9)]), **TINY)
    assert len(np.unique(few, axis=0)) == 9


class StopAtLook(threading.Event):
    """A stop that is set from its n-th look on."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.left = n

    def is_set(self) -> bool:
        self.left -= 1
        return self.left <= 0


TASKS = [de.link_task(random_graph(40, 0.15, seed)) for seed in (1, 2)]


def fitted(task: de.Task, **hyper: int) -> Any:
    model = built("struc2vec", task, **hyper)
    list(de.fit(model, task, epochs=1))
    return model


@pytest.mark.parametrize("look", [1, 2, 3, 4])
def test_a_cancelled_fit_leaves_what_the_model_knew(look: int) -> None:
    a, b = TASKS
    model, new = fitted(a), de.build("struc2vec", a, dim=4, walks=2, length=8)
    before = model.embedding
    with watching(stop=StopAtLook(1)):
        model.bind(a)  # is not embedded again
    for each, task in ((model, b), (new, a)):
        with watching(stop=StopAtLook(look)):
            assert list(de.fit(each, task, epochs=1)) == []
    assert model.embedding is before
    assert answers(model, a.graph, a.test.sets).shape == (len(a.test),)
    for each, graph, words in ((model, b, "this is another graph"), (new, a, "has not been trained yet")):
        with pytest.raises(ParameterError, match=words):
            answers(each, graph.graph, graph.test.sets)
    list(de.fit(model, b, epochs=1))
    assert torch.equal(model.embedding, fitted(b).embedding)


def test_any_whole_number_is_a_seed_of_the_walks() -> None:
    drawn = [embed(random_graph(), **{**TINY, "seed": seed}) for seed in (2**40, 2**40, 2**40 + 2**32, 2**200, 0)]
    assert np.array_equal(drawn[0], drawn[1])
    assert all(not np.array_equal(drawn[0], other) for other in drawn[2:])
