"""Every encoding against a slow, obvious version; what they share; words for trees and legends; bad parameters."""

from __future__ import annotations

import math
from collections.abc import Callable
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

from ..strategies import graphs_with_targets, shuffled

PATH = de.Graph.from_edges([(0, 1), (1, 2), (2, 3)], num_nodes=5)  # 0-1-2-3 and the isolated node 4
ENCODINGS = [
    de.SPD(0), de.SPD(2), de.LandingProbability(0), de.LandingProbability(4), de.PageRank(0.7), de.HeatKernel(1.5),
    de.GeneralizedPageRank([0.3, 1, -0.5, 2]), de.ZeroOne(), de.RandomWalkSE(5), de.DRNL(1), de.DRNL(3),
]  # fmt: skip


def slow_distances(G: de.Graph, S: list[int], cut: bool) -> np.ndarray:
    graph = G.to_networkx()
    if cut:
        graph.remove_edges_from([(u, v) for u in S for v in S])
    away = [nx.single_source_shortest_path_length(graph, v) for v in S]
    return np.array([[reached.get(u, -1) for u in graph] for reached in away])


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


def fitting(S: list[int]) -> list[Encoding]:
    return [encoding for encoding in ENCODINGS if encoding.num_targets in (None, len(S))]


@settings(max_examples=60)
@given(graphs_with_targets(7, 3), st.booleans(), st.integers(0, 99))
def test_every_encoding_equals_its_formula(case: tuple[de.Graph, list[int]], cut: bool, seed: int) -> None:
    """Its values by each pool, tokens that are equal exactly where the values are, under other numbers too."""
    G, S = case
    H, new = shuffled(G, seed)
    sets = np.array([S, S[::-1]])
    for encoding in fitting(S):
        zeta = slow(encoding, G, S, cut)
        assert zeta.shape[2] == encoding.dim == len(encoding.columns)
        pooled = {"mean": zeta.mean(axis=0), "sum": zeta.sum(axis=0), None: zeta.transpose(1, 0, 2)}
        for pool, values in pooled.items():
            made = replace(encoding, pool=pool)
            np.testing.assert_allclose(made.encode(G, S, cut), values, atol=1e-9)
            np.testing.assert_allclose(made.encode(H, new[S], cut)[new], values, atol=1e-9)
            assert cut or np.array_equal(made.encode(G, S), made.encode(G, S, False))
        shown, first = (encoding.shown(X, sets[0], flag) for X, flag in ((G, True), (G.cut(S), False)))
        np.testing.assert_allclose(shown, first, atol=1e-12)
        tokens = encoding.tokens(G, sets, cut)
        assert cut or np.array_equal(tokens, encoding.tokens(G, sets))
        assert np.array_equal(tokens, np.concatenate([encoding.tokens(G, T[None], cut) for T in sets]))
        assert np.array_equal(encoding.tokens(G, sets, True), encoding.tokens(G.cut(S), sets))
        rows, values = tokens[0].reshape(-1, tokens.shape[3]), zeta.transpose(1, 0, 2).reshape(-1, encoding.dim)
        near = np.abs(values[:, None] - values).max(axis=2) < 1e-9
        assert np.array_equal((rows[:, None] == rows).all(axis=2), near)


@given(graphs_with_targets(7, 3), st.booleans())
def test_distances_are_compared_without_truncation(case: tuple[de.Graph, list[int]], cut: bool) -> None:
    G, S = case
    far = slow_distances(G, S, cut)
    assert np.array_equal(Distance().tokens(G, np.array([S]), cut)[0, :, :, 0], far.T)
    assert np.array_equal(Distance(pool=None).encode(G, S, cut)[..., 0], np.where(far < 0, np.inf, far).T)
    listed = [sorted(UNREACHABLE if d < 0 else d for d in column) for column in far.T.tolist()]
    assert Distance().shown(G, np.array(S), cut).tolist() == listed


def test_defaults_are_those_that_are_documented() -> None:
    assert (de.SPD(), de.DRNL(), de.LandingProbability()) == (de.SPD(3), de.DRNL(3), de.LandingProbability(3))
    assert (de.PageRank(), de.HeatKernel()) == (de.PageRank(0.9, pool="mean"), de.HeatKernel(3.0, pool="mean"))
    assert (de.RandomWalkSE(), de.LaplacianPE()) == (de.RandomWalkSE(8), de.LaplacianPE(4))
    assert de.GeneralizedPageRank(np.array([1, 2])) == de.GeneralizedPageRank((1.0, 2.0)) != de.GeneralizedPageRank([2])


@pytest.mark.parametrize("t", [0, 0.5, 40, 300, 700])
def test_the_heat_kernel_at_any_time(t: float) -> None:
    ring = de.zoo.cycle(7)
    exact = slow(de.HeatKernel(t), ring, [0], False)[0]
    np.testing.assert_allclose(de.HeatKernel(t).encode(ring, 0), exact, atol=1e-11)


@pytest.mark.parametrize("alpha", [0.05, 0.5, 0.999])
def test_pagerank_is_solved_to_many_digits_and_never_negative(alpha: float) -> None:
    path = de.Graph.from_edges([(i, i + 1) for i in range(150)])
    zeta = de.PageRank(alpha).encode(path, 0)
    np.testing.assert_allclose(zeta, slow(de.PageRank(alpha), path, [0], False)[0], rtol=1e-9, atol=1e-11)
    assert (zeta >= 0).all()


@pytest.mark.parametrize("entries", [1, 40, 10**9])
def test_walks_that_return_are_followed_block_by_block(entries: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In blocks of start nodes; after a cut from a table of all walks, or without one where it would be too large."""
    G, sets = de.zoo.figure1(), np.array([[0, 1]])
    again = G.with_title("again")  # what is computed once is kept for a graph
    expected = [de.RandomWalkSE(steps).tokens(G, sets, True) for steps in (4, 6)]
    monkeypatch.setattr(positional, "MAX_ENTRIES", entries)
    monkeypatch.setattr(positional, "TABLE_BYTES", 8 * 5 * 8**2)  # enough for four steps, not for six
    for steps, tokens in zip((4, 6), expected, strict=True):
        encoding = de.RandomWalkSE(steps)
        for cut in (False, True, False):
            exact = slow(encoding, G, [0, 1], cut)[0]
            np.testing.assert_allclose(encoding.encode(again, [0, 1], cut), exact, atol=1e-12)
        assert np.array_equal(encoding.tokens(again, sets, True), tokens)


def test_one_node_is_enough_and_many_need_no_square_array() -> None:
    one = de.Graph.from_edges([], num_nodes=1)
    for encoding in fitting([0]):
        np.testing.assert_allclose(encoding.encode(one, 0), slow(encoding, one, [0], False)[0])
    many = de.Graph.from_edges(np.random.default_rng(0).integers(0, 10**5, (3 * 10**5, 2)), 10**5)
    for encoding, axis in ((de.SPD(3), 1), (de.DRNL(3), 1), (de.LandingProbability(3), 0), (de.HeatKernel(), 0)):
        np.testing.assert_allclose(encoding.encode(many, {4, 7}).sum(axis=axis), 1)


# ---- what is refused -------------------------------------------------------------------------------------------


REFUSED: dict[Callable[..., Encoding], list] = {
    de.SPD: [-1, 2.0, 1_000_001],
    de.DRNL: [0, 1_000_001],
    de.LandingProbability: [-2, 1_000_001],
    de.RandomWalkSE: [0, 1_000_001],
    de.LaplacianPE: [0, "3", 10_001],
    de.GeneralizedPageRank: [[1.0, math.nan], [math.inf], [], "abc", 5],
    de.PageRank: [1.0, 0, "x", math.nan],
    de.HeatKernel: [-1, 701, "x", math.nan],
}


@pytest.mark.parametrize(("make", "value"), [(make, value) for make, those in REFUSED.items() for value in those])
def test_parameters_out_of_range_are_refused_and_shown(make: Callable[..., Encoding], value: object) -> None:
    with pytest.raises(de.ParameterError) as raised:
        make(value)
    assert repr(value) in str(raised.value)
    with pytest.raises(de.ParameterError, match="pool='max'"):
        make([1.0] if make is de.GeneralizedPageRank else 0.5 if make is de.PageRank else 1, pool="max")


def test_targets_that_do_not_fit_are_refused() -> None:
    for encoding in ENCODINGS:
        for S in ([], [7], ["x"], None):
            with pytest.raises(de.TargetError):
                encoding.encode(PATH, S)
    with pytest.raises(de.TargetError, match=r"pairs.*1 node\."):
        de.DRNL(2).encode(PATH, [0])
    with pytest.raises(de.TargetError, match=r"pairs.*3 nodes\."):
        de.DRNL(2).labels(PATH, [0, 1, 2])


@dataclass(frozen=True)
class Given(Encoding):
    """These numbers, for every target."""

    each: tuple[float, ...] = ()
    width: int = 1

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(f"column {k}" for k in range(self.width))

    def pairwise(self, G: de.Graph, S: np.ndarray, cut: bool) -> np.ndarray:
        values = np.array(self.each or 1.0).reshape(-1, 1)
        return np.broadcast_to(values, (len(S), G.num_nodes, self.width))


def test_columns_that_cannot_fit_are_refused_before_they_are_made() -> None:
    """Two gigabytes are allowed: 250 columns for 1,000 nodes and 1,000 targets."""
    many = de.Graph.from_edges([], num_nodes=1_000)
    assert Given(width=250).encode(many, range(1_000)).shape == (1_000, 250)
    with pytest.raises(de.ParameterError, match=r"251 .* 1,000 nodes .* 1,000 targets: 2\.0 GB"):
        Given(width=251).encode(many, range(1_000))
    with pytest.raises(de.ParameterError, match=r"1,000 target sets on 1,000 nodes takes 2\.0 GB to compare"):
        Given(width=63).tokens(many, np.arange(1_000)[:, None])


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_eachthat_are_not_finite_are_refused_with_their_node_and_column(bad: float) -> None:
    zeta = Given(each=(0, 1, 2, bad, bad), width=3)
    for ask in (lambda: zeta.tokens(PATH, np.array([[0]])), lambda: zeta.shown(PATH, np.array([0]), False)):
        with pytest.raises(de.ParameterError, match=rf"{bad} in column 'column 0' for node 3;"):
            ask()


# ---- words, and what the engine is told --------------------------------------------------------------------------


def test_words_for_trees_and_legends() -> None:
    assert [de.SPD(2).label(row) for row in ([0], [2], [1, UNREACHABLE], [0, 1, 1, 1, UNREACHABLE])] == [
        "0", "2+", "{1,∞}", "{0, 1×3, ∞}"
    ]  # fmt: skip
    assert [Distance().label(row) for row in ([2], [0, 0, 0, UNREACHABLE])] == ["2", "{0,0,0,∞}"]
    far, pair = UNREACHABLE, np.array([3, 0])
    assert de.SPD(2).shown(PATH, pair, False).tolist() == [[0, 2], [1, 2], [1, 2], [0, 2], [far, far]]
    drnl, marks, rank = de.DRNL(2), de.ZeroOne(), de.LandingProbability(1, pool=None)
    assert drnl.shown(PATH, np.array([0, 2]), False).ravel().tolist() == [1, 2, 1, 3, far]
    assert [drnl.legend([k]) for k in (1, far)] == ["label 1", "label 0 (unreachable)"]
    assert [(marks.label([k]), marks.legend([k])) for k in (0, 1)] == [("0", "not a target"), ("1", "target")]
    assert marks.shown(PATH, pair, False).ravel().tolist() == [1, 0, 0, 1, 0]
    assert rank.shown(PATH, pair, False)[:2].tolist() == [[0, 0, 1, 0], [0, 0, 0, 1]]
    assert rank.label([1 / 3, 0.0]) == rank.legend([1 / 3, 0.0]) == "0.333, 0"
    titles = {zeta.title() for zeta in (*ENCODINGS, de.LaplacianPE(3))}
    assert titles == {
        "distance to S", "landing probability at step 0", "landing probability at step 4", "PageRank from S (α = 0.7)",
        "heat kernel", "generalized PageRank", "target", "probability to return after 5 steps", "DRNL",
        "Laplacian eigenvector 3",
    }  # fmt: skip
    assert [zeta.title(0)[-1] for zeta in (rank, de.RandomWalkSE(3, pool="sum"), de.LaplacianPE(3))] == ["0", "s", "1"]
    assert de.SPD(3).columns == ("0", "1", "2", "3+", "unreachable")
    assert de.DRNL(1).columns == ("unreachable", "label 1", "label 2")


def test_how_the_engine_makes_them() -> None:
    recipes = [(zeta.recipe.kind, zeta.recipe.reach) for zeta in ENCODINGS if zeta.recipe is not None]
    assert recipes == [("SPD", -1), ("SPD", 1), ("walk", 0), ("walk", 4), ("DRNL", 0), ("DRNL", 2)]
    exact = {type(zeta) for zeta in ENCODINGS if zeta.exact}
    assert exact == {de.SPD, de.LandingProbability, de.ZeroOne, de.RandomWalkSE, de.DRNL}


# ---- tokens of real numbers --------------------------------------------------------------------------------


@given(st.sampled_from([0.0, 1e-3, 5.0]), st.lists(st.integers(0, 60), max_size=30), st.lists(st.floats(0, 1e6)))
def test_a_class_holds_the_eachwithin_the_tolerance_of_its_smallest(base, steps, others) -> None:
    """Chains of steps of a third of the tolerance do not join what is far apart, and rounding separates nothing."""
    values = np.array([base, *(base + k * 0.37 * (1e-9 * base + 1e-12) for k in steps), *others])
    smallest, classes = -1.0, {}
    for x in sorted(values):
        if x > smallest + 1e-9 * abs(smallest) + 1e-12:
            smallest = x
        classes[x] = smallest
    expected = np.array([classes[x] for x in values])
    tokens = np.concatenate(tokens_of([values[:7, None], values[7:, None]]))  # compared together
    assert np.array_equal((tokens[:, None] == tokens).all(axis=2), expected[:, None] == expected)


def test_graphs_without_edges_have_no_pairs_to_compare() -> None:
    empty = de.Graph.from_edges([], 4)
    for encoding in (*ENCODINGS, de.LaplacianPE(1)):
        assert not de.distinguish(empty, empty, encoding, order="edges", cut=True).different
        assert encoding.exact or encoding.tokens(empty, np.empty((0, 2), dtype=np.int64), True).shape[:3] == (0, 4, 2)
    for encoding in ENCODINGS:
        assert de.distinguish(empty, PATH, encoding, order="edges").layer == 0


@given(st.integers(-(10**12), 10**12).filter(bool), st.integers(-12, 3))
def test_a_decimal_has_the_same_token_in_every_call_however_it_was_computed(digits: int, power: int) -> None:
    written = digits * 10.0 ** (power - 10)
    numbers = np.array([[written], [np.nextafter(written, 9e9)], [written * (1 - 2e-16)]])
    assert len({words.tobytes() for each in (numbers, *numbers[:, None]) for words in tokens_of([each])[0]}) == 1
