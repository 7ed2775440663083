"""struc2vec against the definitions of its paper (Ribeiro et al., 2017), each written out the plain way."""

from __future__ import annotations

import math
import threading
from functools import cache
from itertools import product

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
from degnn_explore.learn.nets.struc2vec import Layers, embed, random_walks, structural_layers

from .small_nets import answers, built, random_graph

STAY = 0.3


# ---- structural distances --------------------------------------------------------------------------------------------


def warped(a: list[int], b: list[int]) -> float:
    """The cheapest alignment of the degrees of two rings, by the recursive definition of dynamic time warping."""
    x, y = sorted(set(a)), sorted(set(b))

    @cache
    def best(i: int, j: int) -> float:
        if i < 0 or j < 0:
            return 0.0 if i == j else math.inf
        unlike = (max(x[i], y[j]) + 0.5) / (min(x[i], y[j]) + 0.5) - 1  # the half is for degree 0
        cost = unlike * max(a.count(x[i]), b.count(y[j]))
        return cost + min(best(i - 1, j), best(i, j - 1), best(i - 1, j - 1))

    return best(len(x) - 1, len(y) - 1)


def plain_layers(G: de.Graph, depth: int) -> np.ndarray:
    """f_k(u, v): the warped distances of the rings of u and v from 0 to k, added up. [depth, n, n]"""
    n = G.num_nodes
    away, f = distances(G, np.arange(n)), np.full((depth, n, n), np.inf)
    for u, v in product(range(n), repeat=2):
        total = 0.0
        for k in range(depth):
            ours, theirs = (G.degrees[away[w] == k].tolist() for w in (u, v))
            total += warped(ours, theirs) if ours and theirs else math.inf
            f[k, u, v] = total
    return f


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 14), st.floats(0.02, 0.5), st.integers(0, 10**6), st.integers(1, 4))
def test_layers_hold_the_distances_of_the_nodes_closest_in_degree(
    n: int, density: float, seed: int, depth: int
) -> None:
    G = random_graph(n, density, seed)
    slow, some = plain_layers(G, depth), np.random.default_rng(seed).permutation(n)[: max(2, n // 2)]
    for nodes in (np.arange(n), some):  # compared among themselves alone
        layers, degrees = structural_layers(G, depth, nodes), G.degrees[nodes]
        assert layers.distance == pytest.approx(slow[:, nodes[layers.source], nodes[layers.neighbor]])
        pairs = {*zip(layers.source.tolist(), layers.neighbor.tolist(), strict=True)}
        assert pairs == {(v, u) for u, v in pairs} and len(pairs) == len(layers.neighbor)
        wanted = min(len(nodes) - 1, 2 * math.ceil(math.log2(len(nodes))))
        for u, degree in enumerate(degrees):
            near = layers.neighbor[layers.source == u]
            gaps, shared = abs(np.delete(degrees, u) - degree), np.isfinite(layers.distance[:, layers.source == u])
            assert u not in near and len(near) >= wanted and layers.reach[u] == np.flatnonzero(shared.any(axis=1)).max()
            assert np.sort(abs(degrees[near] - degree))[:wanted].tolist() == np.sort(gaps)[:wanted].tolist()


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


def plain_upward(distance: np.ndarray) -> np.ndarray:
    """w(u_k, u_k+1) = log(Γ_k(u) + e) against 1, Γ_k counting the edges above the mean of the layer."""
    off = ~np.eye(distance.shape[1], dtype=bool)
    up = []
    for layer in distance:
        w = np.where(off & np.isfinite(layer), np.exp(layer[off].min() - layer), 0.0)  # the largest is 1
        up.append(np.log((w > w.sum() / (w > 0).sum()).sum(axis=1) + math.e))
    return np.array(up) / (np.array(up) + 1)


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


@pytest.mark.parametrize(
    ("seed", "start", "away"), [(0, 0, 0.0), (0, 3, 0.0), (1, 0, 0.0), (1, 3, 0.0), (5, 0, 31.0), (5, 6, 1000.0)]
)
def test_walks_step_with_the_probabilities_of_the_paper(seed: int, start: int, away: float) -> None:
    """Also from a hub whose weights are below 1e-13 of all others, or 0 in floating point."""
    distance, count = random_distances(7, 3, seed), 8_000
    distance[:, start, :] += away
    distance[:, :, start] += away
    paths = random_walks(layers_of(distance), np.full(count, start), 4, np.random.default_rng(7))
    assert (paths[:, 0] == start).all()
    for t, law in enumerate(after_steps(distance, start, 3), start=1):
        seen, expected = np.bincount(paths[:, t], minlength=len(law)), count * law
        rare = expected < 5
        assert seen[rare].sum() <= 3 * expected[rare].sum() + 15
        assert seen[law == 0].sum() == 0
        kept = expected[~rare] * seen[~rare].sum() / expected[~rare].sum()
        assert chisquare(seen[~rare], kept).pvalue > 1e-3


@pytest.mark.parametrize("distance", [3.3, np.inf])
def test_walks_go_up_as_often_as_down_where_all_are_alike_or_no_two_nodes_are_compared(distance: float) -> None:
    assert (layers_of(np.full((2, 4, 4), distance)).upward == 0.5).all()


# ---- embeddings ------------------------------------------------------------------------------------------------------

TINY: dict[str, int] = {"dim": 3, "walks": 2, "length": 8, "window": 3, "depth": 2, "passes": 2, "seed": 0}


def test_columns_of_an_embedding_have_mean_0_and_variance_1_and_follow_any_seed() -> None:
    drawn = [embed(random_graph(), **{**TINY, "seed": seed}) for seed in (2**40, 2**40, 2**40 + 2**32, 2**200, 0)]
    assert np.array_equal(drawn[0], drawn[1])
    assert all(not np.array_equal(drawn[0], other) for other in drawn[2:])
    assert drawn[0].shape == (14, 3) and drawn[0].dtype == np.float32
    assert drawn[0].mean(axis=0) == pytest.approx(0, abs=1e-5)
    assert drawn[0].std(axis=0) == pytest.approx(1, abs=1e-3)


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


@pytest.mark.parametrize("look", [1, 2, 3, 4])
def test_a_cancelled_fit_leaves_what_the_model_knew(look: int) -> None:
    a, b = (de.link_task(random_graph(40, 0.15, seed)) for seed in (1, 2))
    model, new = built("struc2vec", a), de.build("struc2vec", a, dim=4, walks=2, length=8)
    before = model.embedding
    with watching(stop=StopAtLook(1)):
        model.bind(a)  # is not embedded again
    for each, task, words in ((model, b, "this is another graph"), (new, a, "has not been trained yet")):
        with watching(stop=StopAtLook(look)):
            assert list(de.fit(each, task, epochs=1)) == []
        with pytest.raises(ParameterError, match=words):
            answers(each, task.graph, task.test.sets)
    assert model.embedding is before
    assert answers(model, a.graph, a.test.sets).shape == (len(a.test),)
    list(de.fit(model, b, epochs=1))
    assert torch.equal(model.embedding, built("struc2vec", b).embedding)
