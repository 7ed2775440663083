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
    Distance(), de.SPD(0), de.SPD(2), de.LandingProbability(0), de.LandingProbability(4), de.PageRank(0.7),
    de.HeatKernel(1.5), de.GeneralizedPageRank([0.3, 1, -0.5, 2]), de.ZeroOne(), de.RandomWalkSE(5), de.DRNL(1),
    de.DRNL(3),
]  # fmt: skip


def slow(encoding: Encoding, G: de.Graph, S: list[int], cut: bool) -> np.ndarray:
    """ζ(u|v) by its formula. [p, n, dim]"""
    graph, A, one = G.to_networkx(), G.to_scipy().toarray(), np.eye(G.num_nodes)
    if cut:
        graph.remove_edges_from([(u, v) for u in S for v in S])
        A[np.ix_(S, S)] = 0
    W = A / np.maximum(A.sum(axis=0), 1)
    away = [nx.single_source_shortest_path_length(graph, v) for v in S]
    far = np.array([[reached.get(u, np.inf) for u in graph] for reached in away])

    def powers(count: int) -> np.ndarray:
        return np.stack([np.linalg.matrix_power(W, k) for k in range(count)])

    match encoding:
        case de.SPD(max_dist=k):
            return np.eye(k + 2)[np.where(far == np.inf, k + 1, np.minimum(far, k)).astype(int)]
        case Distance():
            return far[..., None]
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
                labels.append(1 if u in S else 0 if max(a, b) == np.inf else 1 + min(x, y) + half * (half + odd - 1))
            return np.eye(k**2 + 2)[np.array(labels, dtype=int)][None]
    raise NotImplementedError


@settings(max_examples=60)
@given(graphs_with_targets(7, 3), st.booleans(), st.integers(0, 99), st.sampled_from([1, 40, 10**9]))
def test_every_encoding_equals_its_formula(case: tuple[de.Graph, list[int]], cut: bool, seed: int, block: int) -> None:
    """Its values by each pool, tokens that are equal exactly where the values are, under other numbers too.

    Walks that return: in blocks of start nodes, and after a cut from a table of all walks or without one.
    """
    G, S = case
    H, new = shuffled(G, seed)
    sets = np.array([S, S[::-1]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(positional, "MAX_ENTRIES", block)
        patch.setattr(positional, "TABLE_BYTES", 10**9 * (seed % 2))
        for encoding in ENCODINGS:
            if encoding.num_targets not in (None, len(S)):
                continue
            zeta = slow(encoding, G, S, cut)
            assert zeta.shape[2] == encoding.dim == len(encoding.columns)
            pooled = {"mean": zeta.mean(axis=0), "sum": zeta.sum(axis=0), None: zeta.transpose(1, 0, 2)}
            for pool, values in pooled.items():
                made = replace(encoding, pool=pool)
                np.testing.assert_allclose(made.encode(G, S, cut), values, atol=1e-9)
                np.testing.assert_allclose(made.encode(H, new[S], cut)[new], values, atol=1e-9)
                assert cut or np.array_equal(made.encode(G, S), made.encode(G, S, False))
            if encoding != Distance():  # which is not finite
                shown, first = (encoding.shown(X, sets[0], flag) for X, flag in ((G, True), (G.cut(S), False)))
                np.testing.assert_allclose(shown, first, atol=1e-12)
            tokens = encoding.tokens(G, sets, cut)
            assert cut or np.array_equal(tokens, encoding.tokens(G, sets))
            assert np.array_equal(tokens, np.concatenate([encoding.tokens(G, T[None], cut) for T in sets]))
            assert np.array_equal(encoding.tokens(G, sets, True), encoding.tokens(G.cut(S), sets))
            rows, values = tokens[0].reshape(-1, tokens.shape[3]), zeta.transpose(1, 0, 2).reshape(-1, encoding.dim)
            near = np.isclose(values[:, None], values, rtol=0, atol=1e-9).all(axis=2)
            assert np.array_equal((rows[:, None] == rows).all(axis=2), near)


def test_defaults_are_those_that_are_documented() -> None:
    assert (de.SPD(), de.DRNL(), de.LandingProbability()) == (de.SPD(3), de.DRNL(3), de.LandingProbability(3))
    assert (de.PageRank(), de.HeatKernel()) == (de.PageRank(0.9, pool="mean"), de.HeatKernel(3.0, pool="mean"))
    assert (de.RandomWalkSE(), de.LaplacianPE()) == (de.RandomWalkSE(8), de.LaplacianPE(4))
    assert de.GeneralizedPageRank(np.array([1, 2])) == de.GeneralizedPageRank((1.0, 2.0)) != de.GeneralizedPageRank([2])


@pytest.mark.parametrize(
    "zeta", [*map(de.HeatKernel, (0, 0.5, 40, 300, 700)), *map(de.PageRank, (0.05, 0.5, 0.999))], ids=str
)
def test_sums_over_endless_walks_have_many_digits_and_are_never_negative(zeta: Encoding) -> None:
    path = de.Graph.from_edges([(i, i + 1) for i in range(150)])
    values = zeta.encode(path, 0)
    np.testing.assert_allclose(values, slow(zeta, path, [0], False)[0], rtol=1e-9, atol=1e-11)
    assert (values >= 0).all()


def test_many_nodes_need_no_square_array() -> None:
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


@dataclass(frozen=True)
class Fixed(Encoding):
    """These numbers in each column, for every target."""

    values: tuple[float, ...] = ()
    columns = ("first", "second", "third")

    def pairwise(self, G: de.Graph, S: np.ndarray, cut: bool) -> np.ndarray:
        return np.tile(np.array(self.values)[:, None], (len(S), 1, 3))


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_values_that_are_not_finite_are_refused_with_their_node_and_column(bad: float) -> None:
    zeta = Fixed(values=(0, 1, 2, bad, bad))
    for ask in (lambda: zeta.tokens(PATH, np.array([[0]])), lambda: zeta.shown(PATH, np.array([0]), False)):
        with pytest.raises(de.ParameterError, match=rf"{bad} in column 'first' for node 3;"):
            ask()
    with pytest.raises(de.TargetError, match=r"pairs.*3 nodes\."):
        de.DRNL(2).labels(PATH, [0, 1, 2])


# ---- words, and what the engine is told --------------------------------------------------------------------------


def test_words_for_trees_and_legends() -> None:
    assert [de.SPD(2).label(row) for row in ([0], [2], [1, UNREACHABLE], [0, 1, 1, 1, UNREACHABLE])] == [
        "0", "2+", "{1,∞}", "{0, 1×3, ∞}"
    ]  # fmt: skip
    assert [Distance().label(row) for row in ([2], [0, 0, 0, UNREACHABLE])] == ["2", "{0,0,0,∞}"]
    far, pair = UNREACHABLE, np.array([3, 0])
    assert de.SPD(2).shown(PATH, pair, False).tolist() == [[0, 2], [1, 2], [1, 2], [0, 2], [far, far]]
    assert Distance().shown(PATH, pair[:1], False).ravel().tolist() == [3, 2, 1, 0, far]
    drnl, marks, rank = de.DRNL(2), de.ZeroOne(), de.LandingProbability(1, pool=None)
    assert drnl.shown(PATH, np.array([0, 2]), False).ravel().tolist() == [1, 2, 1, 3, far]
    assert [drnl.labels(PATH, [0, 1], **cut).tolist() for cut in ({}, {"cut": True})] == [
        [1, 1, 3, 5, 0],
        [1, 1, 0, 0, 0],
    ]
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


def test_how_they_are_made_and_compared() -> None:
    recipes = [(zeta.recipe.kind, zeta.recipe.reach) for zeta in ENCODINGS if zeta.recipe is not None]
    assert recipes == [("SPD", -1), ("SPD", 1), ("walk", 0), ("walk", 4), ("DRNL", 0), ("DRNL", 2)]
    empty = de.Graph.from_edges([], 4)
    for encoding in (*ENCODINGS, de.LaplacianPE(1)):  # a graph without edges has no pairs
        assert not de.distinguish(empty, empty, encoding, order="edges", cut=True).different
        if not isinstance(encoding, de.LaplacianPE):
            assert de.distinguish(empty, PATH, encoding, order="edges").layer == 0


# ---- tokens of real numbers --------------------------------------------------------------------------------


@given(st.sampled_from([0.0, 1e-3, 5.0]), st.lists(st.integers(0, 60), max_size=30), st.lists(st.floats(0, 1e6)))
def test_a_class_holds_the_values_within_the_tolerance_of_its_smallest(base, steps, others) -> None:
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


@given(st.integers(-(10**12), 10**12).filter(bool), st.integers(-12, 3))
def test_a_decimal_has_the_same_token_in_every_call_however_it_was_computed(digits: int, power: int) -> None:
    written = digits * 10.0 ** (power - 10)
    numbers = np.array([[written], [np.nextafter(written, 9e9)], [written * (1 - 2e-16)]])
    assert len({words.tobytes() for each in (numbers, *numbers[:, None]) for words in tokens_of([each])[0]}) == 1
