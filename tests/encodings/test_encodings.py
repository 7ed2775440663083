from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import dataclass

import networkx as nx
import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.encodings.base import UNREACHABLE, Encoding, tokens_of
from degnn_explore.encodings.paths import Distance
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
    line = de.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)], num_nodes=7)
    assert de.DRNL(5).labels(line, [0, 6]).tolist() == [1, 0, 0, 0, 0, 0, 1]  # reached by one of the two only
    with pytest.raises(de.TargetError, match=r"pairs.*3 nodes"):
        de.DRNL(2).encode(house, [0, 1, 2])


@given(graphs_with_targets(8, 2).filter(lambda case: len(case[1]) == 2), st.integers(1, 4), st.booleans())
def test_drnl_equals_the_formula_node_by_node(case: tuple[de.Graph, list[int]], max_dist: int, cut: bool) -> None:
    G, S = case
    labels = []
    for u, (a, b) in enumerate(slow_distances(G, S, cut).T.tolist()):
        x, y = min(a, max_dist), min(b, max_dist)
        half, odd = divmod(x + y, 2)
        labels.append(1 if u in S else 0 if min(a, b) < 0 else 1 + min(x, y) + half * (half + odd - 1))
    assert de.DRNL(max_dist).labels(G, S, cut).tolist() == labels
    assert np.array_equal(de.DRNL(max_dist).encode(G, S, cut), np.eye(max_dist**2 + 2)[labels])


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
def test_relabeling_the_nodes_changes_nothing(case: tuple[de.Graph, list[int]], cut: bool, seed: int) -> None:
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


def test_a_million_edges_need_no_square_array() -> None:  # how fast is a question for the benchmarks
    edges = np.random.default_rng(0).integers(0, 200_000, (1_000_000, 2))
    G = de.Graph.from_edges(edges, num_nodes=200_000)
    zeta = de.SPD(3).encode(G, {4, 7})
    assert zeta.shape == (200_000, 5)
    assert np.allclose(zeta.sum(axis=1), 1)
    assert np.allclose(de.LandingProbability(3).encode(G, {4, 7}).sum(axis=0), 1)


@given(graphs_with_targets(8, 3), st.integers(0, 3))
def test_cutting_first_is_the_same_as_cut(case: tuple[de.Graph, list[int]], k: int) -> None:
    G, S = case
    H, sets = G.cut(S), np.array([S])
    for encoding in [*ALL, de.SPD(k), de.LandingProbability(k), Distance(), *([de.DRNL(2)] if len(S) == 2 else [])]:
        assert np.array_equal(encoding.encode(G, S, cut=True), encoding.encode(H, S))
        assert np.array_equal(encoding.tokens(G, sets, True), encoding.tokens(H, sets))
        assert np.array_equal(encoding.shown(G, sets[0], True), encoding.shown(H, sets[0], False))
    assert np.array_equal(distances(G, S, cut=True), distances(H, S))


def test_tokens_of_several_sets_are_those_of_each() -> None:
    sets = np.array([[0, 1], [1, 3], [2, 1]])
    for encoding in [*ALL, Distance(), de.DRNL(2)]:
        for cut in (False, True):
            each = np.concatenate([encoding.tokens(PATH, S[None, :], cut) for S in sets])
            assert np.array_equal(encoding.tokens(PATH, sets, cut), each)


def test_spd_tokens_keep_unreachable_apart() -> None:
    assert Distance().tokens(PATH, np.array([[1, 2]]), True)[0, :, :, 0].tolist() == [
        [1, -1], [0, -1], [-1, 0], [-1, 1], [-1, -1]
    ]  # fmt: skip
    assert de.SPD(1).tokens(PATH, np.array([[0]]))[0, :, 0, 0].tolist() == [0, 1, 1, 1, 2]


def test_numbers_equal_to_ten_digits_have_equal_tokens() -> None:
    @dataclass(frozen=True)
    class Given(Encoding):
        columns = ("value",)

        def pairwise(self, G: de.Graph, S: np.ndarray, cut: bool) -> np.ndarray:
            return np.array([0.1, 0.1 - 1e-17, 0.1 + 1e-9, 1 - 1e-16, 1.0])[None, :, None]

    tokens = Given().tokens(PATH, np.array([[0]]))[0, :, 0].tolist()
    assert tokens[0] == tokens[1] != tokens[2]
    assert tokens[3] == tokens[4]


@pytest.mark.parametrize("t", [0, 0.5, 40, 300, 700])
def test_the_heat_kernel_sums_to_one_at_any_time(t: float) -> None:
    ring = de.zoo.cycle(7)
    zeta = de.HeatKernel(t).encode(ring, 0)[:, 0]
    assert abs(zeta.sum() - 1) < 1e-11
    W = slow_walk_matrix(ring, [0], False)
    assert np.allclose(zeta, scipy.linalg.expm(-t * (np.eye(7) - W))[:, 0], atol=1e-11)


def test_words_for_trees_and_legends() -> None:
    assert [de.SPD(2).label(row) for row in ([0], [2], [1, UNREACHABLE], [0, 1, 1, 1, UNREACHABLE])] == [
        "0", "2+", "{1,∞}", "{0, 1×3, ∞}"
    ]  # fmt: skip
    assert de.SPD(2).shown(PATH, np.array([3, 0]), False).tolist() == [
        [0, 2],
        [1, 2],
        [1, 2],
        [0, 2],
        [UNREACHABLE, UNREACHABLE],
    ]
    drnl = de.DRNL(2)
    assert [drnl.legend([k]) for k in (1, UNREACHABLE)] == ["label 1", "label 0 (unreachable)"]
    assert [e.title() for e in ALL] == [
        "distance to S", "landing probability at step 3", "PageRank from S (α = 0.7)", "heat kernel",
        "generalized PageRank",
    ]  # fmt: skip


def test_columns_that_cannot_fit_are_refused_before_they_are_made() -> None:
    """In a process that may take 4 GB, so that a missing guard is a finding and not the end of the machine."""
    code = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (4 * 10**9,) * 2)
import numpy as np, degnn_explore as de
n = 100_000
path = de.Graph.from_edges(np.stack([np.arange(n - 1), np.arange(1, n)], axis=1), num_nodes=n)
assert de.SPD(10**6).dim == 10**6 + 2
assert de.SPD(50).encode(path, 0)[:3, :2].tolist() == [[1, 0], [0, 1], [0, 0]]
try:
    de.SPD(10_000).encode(path, 0)
except de.ParameterError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    assert "10,002 numbers for each of 100,000 nodes and each of 1 targets: 8.0 GB, more than 2.0 GB" in done.stdout


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30), st.floats(0, 2e-9))
def test_a_class_of_equal_numbers_is_no_wider_than_the_tolerance(numbers: list[float], step: float) -> None:
    """Chains of tiny steps do not join what is far apart, and rounding separates nothing."""
    chain = [numbers[0] + k * step for k in range(50)]
    values = np.array([*numbers, *chain, *(x * (1 + 1e-15) for x in numbers)])
    (tokens,) = tokens_of([values[:, None]])
    for row in np.unique(tokens, axis=0):
        members = values[(tokens == row).all(axis=1)]
        assert np.ptp(members) <= 2 * (1e-9 * np.abs(members).max() + 1e-12)
    assert np.array_equal(tokens[: len(numbers)], tokens[-len(numbers) :]) or step > 0


def test_a_long_chain_is_several_classes() -> None:
    (tokens,) = tokens_of([np.arange(2000)[:, None] * 0.9e-12])
    assert len(np.unique(tokens, axis=0)) > 500
