"""Every encoding against a slow, obvious version; what they share; words for trees and legends; bad parameters."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import dataclass, replace

import networkx as nx
import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.encodings import positional
from degnn_explore.encodings.base import UNREACHABLE, Encoding, tokens_of
from degnn_explore.encodings.paths import Distance
from degnn_explore.graphs.distances import distances

from ..strategies import graphs_with_targets, shuffled

PATH = de.Graph.from_edges([(0, 1), (1, 2), (2, 3)], num_nodes=5)  # 0-1-2-3 and the isolated node 4
ENCODINGS = [
    de.SPD(0),
    de.SPD(2),
    de.LandingProbability(0),
    de.LandingProbability(4),
    de.PageRank(0.7),
    de.HeatKernel(1.5),
    de.GeneralizedPageRank([0.3, 1, -0.5, 2]),
    de.ZeroOne(),
    de.RandomWalkSE(5),
    de.DRNL(1),
    de.DRNL(3),
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


def slow(encoding: Encoding, G: de.Graph, S: list[int], cut: bool) -> np.ndarray:
    """ζ(u|v) by its formula. [p, n, dim]"""
    far, W, one = slow_distances(G, S, cut), slow_walk_matrix(G, S, cut), np.eye(G.num_nodes)

    def powers(count: int) -> np.ndarray:
        return np.stack([np.linalg.matrix_power(W, k) for k in range(count)])

    match encoding:
        case de.SPD(max_dist=k):
            return np.eye(k + 2)[np.where(far < 0, k + 1, np.minimum(far, k))]
        case de.LandingProbability(steps=k):
            return powers(k + 1)[:, :, S].transpose(2, 1, 0)
        case de.GeneralizedPageRank(gamma=gamma):
            return np.tensordot(gamma, powers(len(gamma)), 1)[:, S].T[..., None]
        case de.PageRank(alpha=alpha):
            return np.linalg.inv(one - alpha * W)[:, S].T[..., None]
        case de.HeatKernel(t=t):
            return scipy.linalg.expm(-t * (one - W))[:, S].T[..., None]
        case de.ZeroOne():
            return one[S][..., None]
        case de.RandomWalkSE(steps=k):
            return np.tile(np.einsum("kuu->uk", powers(k + 1)[1:]), (len(S), 1, 1))
        case de.DRNL(max_dist=k):
            labels = []
            for u, (a, b) in enumerate(far.T.tolist()):
                x, y = min(a, k), min(b, k)
                half, odd = divmod(x + y, 2)
                labels.append(1 if u in S else 0 if min(a, b) < 0 else 1 + min(x, y) + half * (half + odd - 1))
            return np.eye(k**2 + 2)[labels][None]
    raise NotImplementedError


def fitting(encoding: Encoding, S: list[int]) -> bool:
    return encoding.num_targets in (None, len(S))


@settings(max_examples=60)
@given(graphs_with_targets(7, 3), st.booleans(), st.integers(0, 99))
def test_every_encoding_equals_its_formula(case: tuple[de.Graph, list[int]], cut: bool, seed: int) -> None:
    """Its values by each pool, tokens that are equal exactly where the values are, under other numbers too."""
    G, S = case
    H, new = shuffled(G, seed)
    sets = np.array([S, S[::-1]])
    for encoding in filter(lambda zeta: fitting(zeta, S), ENCODINGS):
        zeta = slow(encoding, G, S, cut)
        assert zeta.shape[2] == encoding.dim == len(encoding.columns)
        pooled = {"mean": zeta.mean(axis=0), "sum": zeta.sum(axis=0), None: zeta.transpose(1, 0, 2)}
        for pool, values in pooled.items():
            made = replace(encoding, pool=pool)
            np.testing.assert_allclose(made.encode(G, S, cut), values, atol=1e-9)
            np.testing.assert_allclose(made.encode(H, new[S], cut)[new], values, atol=1e-9)
        shown, first = (encoding.shown(X, sets[0], flag) for X, flag in ((G, True), (G.cut(S), False)))
        np.testing.assert_allclose(shown, first, atol=1e-12)
        tokens = encoding.tokens(G, sets, cut)
        assert np.array_equal(tokens, np.concatenate([encoding.tokens(G, T[None], cut) for T in sets]))
        assert np.array_equal(encoding.tokens(G, sets, True), encoding.tokens(G.cut(S), sets))
        rows, values = tokens[0].reshape(-1, tokens.shape[3]), zeta.transpose(1, 0, 2).reshape(-1, encoding.dim)
        near = np.abs(values[:, None] - values).max(axis=2) < 1e-9
        assert np.array_equal((rows[:, None] == rows).all(axis=2), near)


@given(graphs_with_targets(7, 3), st.booleans())
def test_tokens_of_distances_are_the_distances(case: tuple[de.Graph, list[int]], cut: bool) -> None:
    G, S = case
    far = slow_distances(G, S, cut)
    assert np.array_equal(Distance().tokens(G, np.array([S]), cut)[0, :, :, 0], far.T)
    assert np.array_equal(Distance(pool=None).encode(G, S, cut)[..., 0], np.where(far < 0, np.inf, far).T)
    assert np.array_equal(distances(G, S, cut), far)


@pytest.mark.parametrize("t", [0, 0.5, 40, 300, 700])
def test_the_heat_kernel_at_any_time(t: float) -> None:
    ring = de.zoo.cycle(7)
    np.testing.assert_allclose(
        de.HeatKernel(t).encode(ring, 0), slow(de.HeatKernel(t), ring, [0], False)[0], atol=1e-11
    )


@pytest.mark.parametrize("entries", [1, 40, 10**9])
def test_walks_that_return_are_followed_block_by_block(entries: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In blocks of start nodes; after a cut from a table of all walks, or without one where it would be too large."""
    G = de.zoo.figure1()
    expected = [encoding.tokens(G, np.array([[0, 1]]), True) for encoding in (de.RandomWalkSE(4), de.RandomWalkSE(6))]
    monkeypatch.setattr(positional, "MAX_ENTRIES", entries)
    monkeypatch.setattr(positional, "TABLE_BYTES", 8 * 5 * 8**2)  # enough for four steps, not for six
    for steps, tokens in zip((4, 6), expected, strict=True):
        encoding, again = de.RandomWalkSE(steps), G.with_title("again")  # what is computed once is kept for a graph
        for cut in (False, True):
            np.testing.assert_allclose(
                encoding.encode(again, [0, 1], cut), slow(encoding, G, [0, 1], cut)[0], atol=1e-12
            )
        assert np.array_equal(encoding.tokens(again, np.array([[0, 1]]), True), tokens)


def test_one_node_is_enough() -> None:
    one = de.Graph.from_edges([], num_nodes=1)
    for encoding in filter(lambda zeta: fitting(zeta, [0]), ENCODINGS):
        np.testing.assert_allclose(encoding.encode(one, 0), slow(encoding, one, [0], False)[0])


def test_a_million_edges_need_no_square_array() -> None:  # how fast is a question for the benchmarks
    edges = np.random.default_rng(0).integers(0, 200_000, (1_000_000, 2))
    G = de.Graph.from_edges(edges, num_nodes=200_000)
    assert np.allclose(de.SPD(3).encode(G, {4, 7}).sum(axis=1), 1)
    assert np.allclose(de.LandingProbability(3).encode(G, {4, 7}).sum(axis=0), 1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: de.SPD(-1), "max_dist must be a whole number from 0 to 1,000,000, not -1"),
        (lambda: de.DRNL(0), "max_dist must be a whole number from 1 to"),
        (lambda: de.LandingProbability(-2), "steps.*not -2"),
        (lambda: de.RandomWalkSE(0), "steps.*from 1 to"),
        (lambda: de.LaplacianPE(0), "k must be"),
        (lambda: de.LaplacianPE("3"), "k must be"),
        (lambda: de.GeneralizedPageRank([1, math.nan]), "finite.*nan"),
        (lambda: de.GeneralizedPageRank([]), "at least one number"),
        (lambda: de.GeneralizedPageRank("abc"), "list of numbers"),
        (lambda: de.PageRank(1.0), "strictly between 0 and 1, not 1.0"),
        (lambda: de.PageRank(0), "strictly between 0 and 1, not 0"),
        (lambda: de.PageRank("x"), "strictly between 0 and 1"),
        (lambda: de.HeatKernel(-1), "not -1"),
        (lambda: de.HeatKernel(701), "not 701"),
        (lambda: de.SPD(2, pool="max"), "pool='max' is not known"),
    ],
)
def test_bad_parameters_are_named(make, message: str) -> None:
    with pytest.raises(de.ParameterError, match=message):
        make()


def test_targets_that_are_none_are_refused() -> None:
    for encoding in ENCODINGS:
        for S in ([], [7], ["x"], None):
            with pytest.raises(de.TargetError):
                encoding.encode(PATH, S)
    with pytest.raises(de.TargetError, match=r"pairs.*1 node\."):
        de.DRNL(2).encode(PATH, [0])
    with pytest.raises(de.TargetError, match=r"pairs.*3 nodes\."):
        de.DRNL(2).labels(PATH, [0, 1, 2])


def test_words_for_trees_and_legends() -> None:
    assert [de.SPD(2).label(row) for row in ([0], [2], [1, UNREACHABLE], [0, 1, 1, 1, UNREACHABLE])] == [
        "0", "2+", "{1,∞}", "{0, 1×3, ∞}"
    ]  # fmt: skip
    far = UNREACHABLE
    assert de.SPD(2).shown(PATH, np.array([3, 0]), False).tolist() == [[0, 2], [1, 2], [1, 2], [0, 2], [far, far]]
    drnl, marks = de.DRNL(2), de.ZeroOne()
    assert drnl.shown(PATH, np.array([0, 2]), False).ravel().tolist() == [1, 2, 1, 3, far]
    assert [drnl.legend([k]) for k in (1, far)] == ["label 1", "label 0 (unreachable)"]
    assert [(marks.label([k]), marks.legend([k])) for k in (0, 1)] == [("0", "not a target"), ("1", "target")]
    assert marks.shown(PATH, np.array([3, 0]), False).ravel().tolist() == [1, 0, 0, 1, 0]
    titles = {zeta.title() for zeta in (*ENCODINGS, de.LaplacianPE(3))}
    assert titles == {
        "distance to S", "landing probability at step 0", "landing probability at step 4", "PageRank from S (α = 0.7)",
        "heat kernel", "generalized PageRank", "target", "probability to return after 5 steps", "DRNL",
        "Laplacian eigenvector 3",
    }  # fmt: skip
    assert de.LandingProbability(3).title(1) == "landing probability at step 1"
    assert de.SPD(3).columns == ("0", "1", "2", "3+", "unreachable")
    assert de.DRNL(1).columns == ("unreachable", "label 1", "label 2")


def test_how_the_engine_makes_them() -> None:
    recipes = [(zeta.recipe.kind, zeta.recipe.reach) for zeta in ENCODINGS if zeta.recipe is not None]
    assert recipes == [("SPD", -1), ("SPD", 1), ("walk", 0), ("walk", 4), ("DRNL", 0), ("DRNL", 2)]


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
for ask in (lambda: de.SPD(10_000).encode(path, 0), lambda: de.PageRank().tokens(path, np.arange(1_000)[:, None])):
    try:
        ask()
    except de.ParameterError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    encoding, comparing = done.stdout.splitlines()
    assert "10,002 numbers for each of 100,000 nodes and each of 1 targets: 8.0 GB, more than 2.0 GB" in encoding
    assert "1,000 target sets on 100,000 nodes takes 3.2 GB to compare" in comparing


# ---- tokens of real numbers --------------------------------------------------------------------------------


def test_numbers_equal_to_ten_digits_have_equal_tokens() -> None:
    @dataclass(frozen=True)
    class Given(Encoding):
        columns = ("value",)

        def pairwise(self, G: de.Graph, S: np.ndarray, cut: bool) -> np.ndarray:
            return np.array([0.1, 0.1 - 1e-17, 0.1 + 1e-9, 1 - 1e-16, 1.0])[None, :, None]

    tokens = Given().tokens(PATH, np.array([[0]]))[0, :, 0].tolist()
    assert tokens[0] == tokens[1] != tokens[2]
    assert tokens[3] == tokens[4]


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
