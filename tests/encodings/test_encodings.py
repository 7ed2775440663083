from __future__ import annotations

import math
import time

import networkx as nx
import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.graphs.distances import distances

from ..strategies import graphs_with_targets, shuffled

PATH = de.Graph.from_edges([(0, 1), (1, 2), (2, 3)], num_nodes=5)  # 0-1-2-3 and the isolated node 4
ALL = [
    de.SPD(2),
    de.LandingProbability(3),
    de.PageRank(0.7),
    de.HeatKernel(1.5),
    de.GeneralizedPageRank([0, 1, -0.5, 0.25]),
]


def slow_distances(G: de.Graph, S: list[int], cut: bool) -> np.ndarray:
    graph = G.to_networkx()
    if cut:
        graph.remove_edges_from([(u, v) for u in S for v in S])
    out = np.full((len(S), G.num_nodes), -1)
    for i, v in enumerate(S):
        for u, d in nx.single_source_shortest_path_length(graph, v).items():
            out[i, u] = d
    return out


def slow_walk_matrix(G: de.Graph, S: list[int], cut: bool) -> np.ndarray:
    A = G.to_scipy().toarray()
    if cut:
        A[np.ix_(S, S)] = 0
    degree = A.sum(axis=0)
    return A / np.where(degree > 0, degree, 1)


def test_spd_counts_unreachable_nodes_apart() -> None:
    assert np.array_equal(
        de.SPD(max_dist=2).encode(PATH, {0}), [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    )


def test_spd_of_a_pair_is_the_mean_the_sum_or_the_multiset() -> None:
    mean = [[0.5, 0, 0.5, 0], [0, 1, 0, 0], [0.5, 0, 0.5, 0], [0, 0.5, 0.5, 0], [0, 0, 0, 1]]
    assert np.array_equal(de.SPD(2).encode(PATH, {0, 2}), mean)
    assert np.array_equal(de.SPD(2, pool="sum").encode(PATH, {0, 2}), 2 * np.array(mean))
    kept = de.SPD(2, pool=None).encode(PATH, [2, 0])
    assert kept.shape == (5, 2, 4)
    assert np.array_equal(kept[0], [[0, 0, 1, 0], [1, 0, 0, 0]])  # node 0: two steps from 2, none from 0


def test_cutting_the_edge_inside_s_changes_distances() -> None:
    assert distances(PATH, [1, 2]).tolist() == [[1, 0, 1, 2, -1], [2, 1, 0, 1, -1]]
    assert distances(PATH, [1, 2], cut=True).tolist() == [[1, 0, -1, -1, -1], [-1, -1, 0, 1, -1]]


def test_landing_probabilities_of_a_path() -> None:
    assert np.array_equal(
        de.LandingProbability(2).encode(PATH, {1}), [[0, 0.5, 0], [1, 0, 0.75], [0, 0.5, 0], [0, 0, 0.25], [0, 0, 0]]
    )


def test_a_walk_from_an_isolated_node_ends_there() -> None:
    assert np.array_equal(de.LandingProbability(2).encode(PATH, {4})[4], [1, 0, 0])


def test_one_node_is_enough() -> None:
    one = de.Graph.from_edges([], num_nodes=1)
    assert np.array_equal(de.SPD(1).encode(one, 0), [[1, 0, 0]])
    for encoding in ALL:
        assert np.isfinite(encoding.encode(one, 0)).all()


def test_drnl_labels_by_the_formula() -> None:
    house = de.Graph.from_edges([(0, 2), (1, 2), (2, 3), (0, 3), (3, 4), (5, 6)])
    #           a  b  common  d=(1,2)  d=(2,3)->(2,2)  unreachable
    assert de.DRNL(max_dist=2).labels(house, [0, 1]).tolist() == [1, 1, 2, 3, 5, 0, 0]
    assert de.DRNL(max_dist=3).labels(house, [0, 1]).tolist() == [1, 1, 2, 3, 7, 0, 0]
    assert de.DRNL(2).encode(house, [0, 1]).shape == (7, 6)
    with pytest.raises(de.TargetError, match=r"pairs.*3 nodes"):
        de.DRNL(2).encode(house, [0, 1, 2])


def test_every_encoding_knows_its_columns() -> None:
    for encoding in [*ALL, de.DRNL(3)]:
        assert encoding.encode(PATH, [0, 2]).shape == (5, encoding.dim)
        assert len(encoding.columns) == encoding.dim
    assert de.SPD(3).columns == ("0", "1", "2", "3+", "unreachable")
    assert de.LandingProbability(2).columns == ("step 0", "step 1", "step 2")


@given(graphs_with_targets(), st.booleans(), st.integers(0, 4))
def test_spd_equals_networkx(case: tuple[de.Graph, list[int]], cut: bool, max_dist: int) -> None:
    G, S = case
    slow = slow_distances(G, S, cut)
    assert np.array_equal(distances(G, S, cut), slow)
    column = np.where(slow < 0, max_dist + 1, np.minimum(slow, max_dist))
    assert np.allclose(de.SPD(max_dist).encode(G, S, cut), np.eye(max_dist + 2)[column].mean(axis=0))


@given(graphs_with_targets(), st.booleans())
def test_walks_equal_dense_matrices(case: tuple[de.Graph, list[int]], cut: bool) -> None:
    G, S = case
    W = slow_walk_matrix(G, S, cut)
    powers = [np.linalg.matrix_power(W, k) for k in range(5)]
    lp = de.LandingProbability(4, pool=None).encode(G, S, cut)
    assert np.allclose(lp, np.stack(powers, axis=-1)[:, S], atol=1e-14)
    gamma = [0.3, -1.0, 0.0, 2.0]
    dense = sum(g * P for g, P in zip(gamma, powers, strict=False))
    assert np.allclose(de.GeneralizedPageRank(gamma, pool=None).encode(G, S, cut)[..., 0], dense[:, S], atol=1e-13)
    n = np.eye(G.num_nodes)
    assert np.allclose(
        de.PageRank(0.9, pool=None).encode(G, S, cut)[..., 0], np.linalg.inv(n - 0.9 * W)[:, S], atol=1e-9
    )
    assert np.allclose(
        de.HeatKernel(2.0, pool=None).encode(G, S, cut)[..., 0], scipy.linalg.expm(-2 * (n - W))[:, S], atol=1e-12
    )


@given(graphs_with_targets(), st.booleans(), st.integers(0, 99))
def test_relabelling_the_nodes_changes_nothing(case: tuple[de.Graph, list[int]], cut: bool, seed: int) -> None:
    G, S = case
    H, new = shuffled(G, seed)
    for encoding in [*ALL, *([de.DRNL(2)] if len(S) == 2 else [])]:
        assert np.allclose(encoding.encode(G, S, cut), encoding.encode(H, new[S], cut)[new], atol=1e-9)


def test_s_may_be_the_whole_graph() -> None:
    two, six = de.zoo.two_triangles(), de.zoo.cycle(6)
    assert de.SPD(3).encode(two, range(6))[0].tolist() == [1 / 6, 2 / 6, 0, 0, 3 / 6]
    assert de.SPD(3).encode(six, range(6))[0].tolist() == [1 / 6, 2 / 6, 2 / 6, 1 / 6, 0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: de.SPD(-1), "max_dist must be a whole number from 0 to 1,000,000, not -1"),
        (lambda: de.SPD(2.5), "not 2.5"),
        (lambda: de.LandingProbability(-2), "steps.*not -2"),
        (lambda: de.GeneralizedPageRank([1, math.nan]), "finite.*nan"),
        (lambda: de.GeneralizedPageRank([]), "at least one number"),
        (lambda: de.GeneralizedPageRank("abc"), "list of numbers"),
        (lambda: de.PageRank(1.0), "strictly between 0 and 1, not 1.0"),
        (lambda: de.PageRank(math.nan), "not nan"),
        (lambda: de.HeatKernel(-1), "not -1"),
        (lambda: de.SPD(2, pool="max"), "pool='max' is not known"),
    ],
)
def test_bad_parameters_are_named(make, message: str) -> None:
    with pytest.raises(de.ParameterError, match=message):
        make()


@pytest.mark.parametrize(
    ("S", "message"),
    [
        ([], "empty"),
        ([0, 0], "Node 0 occurs twice"),
        ([7], "Node 7 is not in the graph"),
        ([-1], "Node -1"),
        (["x"], "No node is called 'x'"),
        ([1.5], "not 1.5"),
        (None, "not None"),
    ],
)
def test_bad_target_sets_are_named(S, message: str) -> None:
    for encoding in ALL:
        with pytest.raises(de.TargetError, match=message):
            encoding.encode(PATH, S)


def test_a_million_nodes_need_no_square_array() -> None:
    edges = np.random.default_rng(0).integers(0, 200_000, (1_000_000, 2))
    G = de.Graph.from_edges(edges, num_nodes=200_000)
    de.SPD(3).encode(G, {4, 7})  # compiles
    start = time.perf_counter()
    zeta = de.SPD(3).encode(G, {4, 7})
    assert zeta.shape == (200_000, 5)
    assert np.allclose(zeta.sum(axis=1), 1)
    assert time.perf_counter() - start < 5  # a generous bound: the full size is in benchmarks/encodings.py
    assert np.allclose(de.LandingProbability(3).encode(G, {4, 7}).sum(axis=0), 1)
