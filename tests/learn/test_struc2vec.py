"""struc2vec against the definitions of its paper (Ribeiro et al., 2017), each written out the plain way."""

from __future__ import annotations

import math
import threading
from decimal import Decimal
from functools import cache

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

import degnn_explore as de
from degnn_explore.common.errors import ParameterError
from degnn_explore.common.progress import Cancelled, watching
from degnn_explore.learn.nets import _struc2vec as kernels
from degnn_explore.learn.nets import struc2vec
from degnn_explore.learn.nets.struc2vec import Layers

SMALL = {"dim": 8, "walks": 2, "length": 10}
STAY = 0.3
PATH = de.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)])


def random_graph(n: int = 30, density: float = 0.12, seed: int = 0) -> de.Graph:
    rng = np.random.default_rng(seed)
    return de.Graph.from_edges(np.argwhere(np.triu(rng.random((n, n)) < density, k=1)), n)


def star(leaves: int) -> de.Graph:
    return de.Graph.from_edges([(0, leaf) for leaf in range(1, leaves + 1)])


# ---- rings -------------------------------------------------------------------------------------


def rings(G: de.Graph, source: int, depth: int) -> list[list[tuple[int, int]]]:
    """The compressed rings of one node, from the kernel."""
    start, none = np.zeros((1, depth + 1), dtype=np.int64), np.empty(0, dtype=np.int64)
    kernels.rings(G.indptr, G.indices, np.array([source]), depth, start, none, none)
    start = np.cumsum(start, axis=1)
    degree, count = np.empty(start[0, -1], dtype=np.int64), np.empty(start[0, -1], dtype=np.int64)
    kernels.rings(G.indptr, G.indices, np.array([source]), depth, start, degree, count)
    return [
        list(zip(degree[a:b].tolist(), count[a:b].tolist(), strict=True))
        for a, b in zip(start[0, :-1], start[0, 1:], strict=True)
    ]


def test_rings_hold_the_degrees_at_each_distance():
    assert rings(PATH, 0, 4) == [[(1, 1)], [(2, 1)], [(2, 1)], [(2, 1)]]
    assert rings(PATH, 2, 4) == [[(2, 1)], [(2, 2)], [(1, 2)], []]  # nothing lies three steps from the middle
    assert rings(star(5), 0, 3) == [[(5, 1)], [(1, 5)], []]
    assert rings(star(5), 1, 3) == [[(1, 1)], [(5, 1)], [(1, 4)]]


def test_rings_of_a_node_without_edges():
    assert rings(de.Graph.from_edges([(0, 1)], 3), 2, 3) == [[(0, 1)], [], []]


def test_reach_is_the_last_layer_with_a_ring_shared_by_a_neighbor():
    """In a path of five, rings end at distance 4, 3, 2, 3, 4; the ends share theirs, and so do 1 and 3."""
    assert struc2vec.structural_layers(PATH, 6).reach.tolist() == [4, 3, 2, 3, 4]
    assert struc2vec.structural_layers(PATH, 2).reach.tolist() == [1, 1, 1, 1, 1]
    apart = de.Graph.from_edges([(0, 1)], 3)
    assert struc2vec.structural_layers(apart, 3).reach.tolist() == [1, 1, 0]


def test_a_hub_reaches_the_layers_that_its_rings_reach():
    """Its weights there are 0 in floating point, its distances are not infinite."""
    layers = struc2vec.structural_layers(star(300), 3)
    assert layers.weight[1, : layers.ptr[1]].max() == 0
    assert layers.reach[0] == 1
    assert set(layers.reach[1:].tolist()) == {2}


# ---- warped distances ----------------------------------------------------------------------------


def unlikeness(a: int, b: int) -> float:
    """The paper's max/min - 1, with the half that the authors add for degree 0."""
    return (max(a, b) + 0.5) / (min(a, b) + 0.5) - 1


def least_alignment(a: tuple, b: tuple, cost) -> float:
    """The cheapest alignment, by the recursive definition of dynamic time warping."""

    @cache
    def best(i: int, j: int) -> float:
        if i == 0 and j == 0:
            return cost(a[0], b[0])
        before = [best(x, y) for x, y in ((i - 1, j), (i, j - 1), (i - 1, j - 1)) if x >= 0 and y >= 0]
        return cost(a[i], b[j]) + min(before)

    return best(len(a) - 1, len(b) - 1)


def compressed(degrees: list[int]) -> tuple[tuple[int, int], ...]:
    return tuple((d, degrees.count(d)) for d in sorted(set(degrees)))


def warped(a: list[int], b: list[int]) -> float:
    """Of the rings with these degrees, from the kernel."""
    (x, m), (y, n) = (np.array(compressed(ring)).T for ring in (a, b))
    return kernels.warped(x.copy(), m.copy(), y.copy(), n.copy())


ring = st.lists(st.integers(0, 9), min_size=1, max_size=12)


@settings(max_examples=200, deadline=None)
@given(ring, ring)
def test_warped_distance_is_that_of_opt1_and_never_below_plain_warping(a, b):
    opt1 = least_alignment(compressed(a), compressed(b), lambda x, y: unlikeness(x[0], y[0]) * max(x[1], y[1]))
    plain = least_alignment(tuple(sorted(a)), tuple(sorted(b)), unlikeness)
    assert warped(a, b) == pytest.approx(opt1)
    assert warped(a, b) >= plain - 1e-9
    assert warped(a, b) == pytest.approx(warped(b, a))


@settings(max_examples=100, deadline=None)
@given(st.sets(st.integers(0, 30), min_size=1, max_size=8), st.sets(st.integers(0, 30), min_size=1, max_size=8))
def test_warped_distance_is_plain_warping_if_no_degree_repeats(a, b):
    assert warped(list(a), list(b)) == pytest.approx(least_alignment(tuple(sorted(a)), tuple(sorted(b)), unlikeness))


@pytest.mark.parametrize(
    ("a", "b", "opt1", "plain"),
    [
        ([3, 3], [3, 3, 3], 0, 0),
        ([1, 1], [4, 4, 4], 3 * 2, 3 * 2),  # 4.5 / 1.5 - 1 = 2, three times: one degree each
        ([1, 1, 1], [1, 4], 3 * 2, 2),  # the three ones pay again for the 4, where plain warping bends one of them
    ],
)
def test_warped_distance_by_hand(a, b, opt1, plain):
    assert warped(a, b) == pytest.approx(opt1)
    assert least_alignment(tuple(a), tuple(b), unlikeness) == pytest.approx(plain)


# ---- the multilayer graph ------------------------------------------------------------------------


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


def weights(distance: np.ndarray) -> list[list[list[Decimal]]]:
    """w_k(u, v) = exp(-f_k(u, v)) by decimals, which do not underflow; 0 for a pair that is not there."""
    return [
        [
            [Decimal(0) if u == v or f == np.inf else (-Decimal(float(f))).exp() for v, f in enumerate(row)]
            for u, row in enumerate(layer)
        ]
        for layer in distance
    ]


def plain_upward(distance: np.ndarray) -> np.ndarray:
    """w(u_k, u_k+1) = log(Γ_k(u) + e) against 1, Γ_k counting the edges above the mean of the layer."""
    up = np.empty(distance.shape[:2])
    for k, layer in enumerate(weights(distance)):
        edges = [w for row in layer for w in row if w]
        for u, row in enumerate(layer):
            above = sum(w > sum(edges) / len(edges) for w in row)
            up[k, u] = math.log(above + math.e) / (math.log(above + math.e) + 1)
    return up


def after_steps(distance: np.ndarray, start: int, steps: int) -> np.ndarray:
    """The law of a walk's node after 1, 2, ... steps, by multiplying plain matrices. [steps, n]"""
    depth, n, _ = distance.shape
    w, up = weights(distance), plain_upward(distance)
    step = np.array([[[float(x / sum(row)) if sum(row) else 0.0 for x in row] for row in layer] for layer in w])
    leave = np.zeros((n, depth, depth))  # in which layer a walk that is in layer k takes its next step
    for u in range(n):
        change = np.zeros((depth, depth))
        for k in range(depth):
            higher = k + 1 < depth and any(w[k + 1][u])
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


def assert_walks_follow(layers: Layers, distance: np.ndarray, start: int, steps: int = 3, count: int = 20_000) -> None:
    paths = struc2vec.random_walks(layers, np.full(count, start), steps + 1, np.random.default_rng(7))
    assert (paths[:, 0] == start).all()
    for t, law in enumerate(after_steps(distance, start, steps), start=1):
        seen, expected = np.bincount(paths[:, t], minlength=len(law)), count * law
        rare = expected < 5
        assert seen[rare].sum() <= 3 * expected[rare].sum() + 15
        assert seen[law == 0].sum() == 0
        kept = expected[~rare] * seen[~rare].sum() / expected[~rare].sum()
        assert chisquare(seen[~rare], kept).pvalue > 1e-3


@pytest.mark.parametrize("seed", range(3))
def test_walks_step_with_the_probabilities_of_the_paper(seed):
    distance = random_distances(7, 3, seed)
    for start in (0, 3):
        assert_walks_follow(layers_of(distance), distance, start)


@pytest.mark.parametrize("away", [31.0, 45.0, 1000.0])
@pytest.mark.parametrize("hub", [0, 3, 6])
def test_a_hub_keeps_its_transition_probabilities(hub, away):
    """Its weights are below 1e-13 of all others, or 0 in floating point."""
    distance = random_distances(7, 3, seed=5)
    distance[:, hub, :] += away
    distance[:, :, hub] += away
    layers = layers_of(distance)
    mine = (layers.source == hub) | (layers.neighbor == hub)
    assert layers.weight[0, mine].max() < 1e-13 * layers.weight[0, ~mine].sum()
    assert_walks_follow(layers, distance, hub)


def test_the_walks_of_a_real_graph_follow_its_distances():
    G = random_graph(12, 0.25, seed=2)
    layers = struc2vec.structural_layers(G, 3)
    distance = np.full((3, 12, 12), np.inf)
    distance[:, layers.source, layers.neighbor] = layers.distance
    for start in (int(np.argmax(G.degrees)), int(np.argmin(G.degrees))):
        assert_walks_follow(layers, distance, start)


def test_the_middle_of_a_large_star_steps_to_all_its_candidates_alike():
    layers = struc2vec.structural_layers(star(3000), 1)
    candidates = layers.neighbor[: layers.ptr[1]]
    paths = struc2vec.random_walks(layers, np.zeros(5_000, dtype=np.int64), 2, np.random.default_rng(0))
    seen = np.bincount(paths[:, 1], minlength=3001)[candidates]
    assert len(candidates) >= 24
    assert seen.sum() == 5_000
    assert chisquare(seen).pvalue > 1e-3


@pytest.mark.parametrize("seed", range(4))
def test_upward_chance_counts_the_edges_above_the_mean_of_the_layer(seed):
    distance = random_distances(8, 3, seed)
    assert layers_of(distance).upward == pytest.approx(plain_upward(distance))


def test_upward_chance_by_hand():
    """Three nodes, w = 1 between 0 and 1, nearly 0 else: one edge above the mean for 0 and 1, none for 2."""
    distance = np.array([[[0, 0, 9], [0, 0, 9], [9, 9, 0]]], dtype=float)
    one, none = math.log(1 + math.e), 1.0
    assert layers_of(distance).upward == pytest.approx(np.array([[one / (one + 1), one / (one + 1), none / 2]]))


def test_upward_chance_is_that_of_a_layer_whose_weights_are_all_zero_in_floating_point():
    distance = random_distances(8, 3, seed=1)
    assert layers_of(distance + 2000).upward == pytest.approx(plain_upward(distance))
    assert (layers_of(np.full((2, 4, 4), 3.3)).upward == 0.5).all()  # all alike: none above the mean
    assert (layers_of(np.full((2, 4, 4), np.inf)).upward == 0.5).all()  # an empty layer


# ---- the model -----------------------------------------------------------------------------------


class StopAtLook(threading.Event):
    """A stop that is set from its n-th look on."""

    def __init__(self, n: int) -> None:
        super().__init__()
        self.left = n

    def is_set(self) -> bool:
        self.left -= 1
        return self.left <= 0


def fitted(task: de.Task, **hyper) -> torch.nn.Module:
    model = de.build("struc2vec", task, **SMALL, **hyper)
    list(de.fit(model, task, epochs=1))
    return model


TASKS = [de.link_task(random_graph(40, 0.15, seed)) for seed in (1, 2)]


@pytest.mark.parametrize("look", [1, 2, 4])
def test_a_cancelled_fit_leaves_no_other_graphs_embedding(look):
    a, b = TASKS
    model = fitted(a)
    before = model.embedding.clone()
    with watching(stop=StopAtLook(look)):
        assert list(de.fit(model, b, epochs=1)) == []
    assert torch.equal(model.embedding, before)
    assert de.predict(model, a.graph, [{0, 1}]).shape == (1,)  # it still knows the graph it was trained on
    with pytest.raises(ParameterError, match="this is another graph"):
        de.predict(model, b.graph, [{0, 1}])
    list(de.fit(model, b, epochs=1))
    assert torch.equal(model.embedding, fitted(b).embedding)
    assert not torch.equal(model.embedding, before)


def test_predict_after_a_first_cancelled_fit_says_that_it_is_not_trained():
    task = TASKS[0]
    model = de.build("struc2vec", task, **SMALL)
    with watching(stop=StopAtLook(2)):
        assert list(de.fit(model, task, epochs=1)) == []
    with pytest.raises(ParameterError, match="has not been trained yet"):
        de.predict(model, task.graph, [{0, 1}])


def test_a_second_fit_on_the_same_graph_does_not_embed_again():
    model = fitted(TASKS[0])
    before = model.embedding
    with watching(stop=StopAtLook(1)):
        model.bind(TASKS[0])
        assert model.embedding is before
        with pytest.raises(Cancelled):
            model.bind(TASKS[1])


def test_any_whole_number_is_a_seed_of_the_walks():
    big = [fitted(TASKS[0], walk_seed=seed).embedding for seed in (2**40, 2**40, 2**40 + 2**32, 2**200, 0)]
    assert torch.equal(big[0], big[1])
    assert all(not torch.equal(big[0], other) for other in big[2:])
