"""Verdicts by an encoding of one's own: as exact as the numbers are, and the sentence says how exact that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.encodings.numbers import ABSOLUTE, NUMERICALLY, RELATIVE, tokens_of
from degnn_explore.encodings.paths import Distance
from tests.strategies import graphs_with_targets

TRIANGLES, HEXAGON = de.zoo.two_triangles(), de.zoo.cycle(6)


@dataclass(frozen=True)
class Given(de.Encoding):
    """Values written down beforehand."""

    values: tuple[float, ...] = ()
    columns = ("x",)

    def pairwise(self, G, S, cut):
        return np.tile(np.array(self.values)[:, None], (len(S), 1, 1))


def own_distance() -> de.Encoding:
    return de.encoding("far", lambda near: near.distance, columns=["distance"])


def sums() -> de.Encoding:
    return de.encoding("sums", lambda near: near.walks[:, 1:].sum(axis=1), columns=["Σ"], walks=3)


@given(graphs_with_targets(8, 2), graphs_with_targets(8, 2), st.booleans(), st.sampled_from([1, 2]))
def test_distances_written_anew_have_the_verdicts_of_the_built_in(a, b, cut, hops) -> None:
    if len(a[1]) != len(b[1]):
        return
    built_in = "DE-SPD" if hops == 1 else "DEA-SPD"
    mine = de.distinguish(a, b, own_distance(), hops=hops, cut=cut)
    theirs = de.distinguish(a, b, built_in, hops=None if hops == 1 else hops, cut=cut)
    assert (mine.different, mine.layer) == (theirs.different, theirs.layer)
    assert mine.why.endswith(NUMERICALLY)
    again = de.distinguish(a, b, Distance(), hops=hops, cut=cut)  # exact: nothing is said of numbers
    assert (again.layer, "numbers" in again.why) == (theirs.layer, False)


def test_an_encoding_by_itself_by_name_and_as_dea() -> None:
    z = sums()
    verdict = de.distinguish((TRIANGLES, 0), (HEXAGON, 0), z)
    assert verdict == de.distinguish((TRIANGLES, 0), (HEXAGON, 0), "DE-sums")
    assert str(verdict) == (
        "DE-sums: different from layer 0 (already at layer 0: in A 0 has the value 0.75, in B 0 has 0.5; values are "
        "compared as numbers, equal if they differ by at most 1e-9 of their size, or by 1e-12)"
    )
    wide = de.distinguish((TRIANGLES, 0), (HEXAGON, 0), z, hops=2)
    assert wide == de.distinguish((TRIANGLES, 0), (HEXAGON, 0), "DEA-sums")
    assert wide.method == "DEA-sums"
    assert de.distinguish(TRIANGLES, HEXAGON, z).why.startswith("already at layer 0 6 of the colours of A's 6 nodes")
    assert not de.distinguish((HEXAGON, 0), (HEXAGON, 3), z).different


def test_neighbours_are_told_by_their_values() -> None:
    both = de.encoding("both", lambda n: np.stack([n.distance, n.degree], axis=1), columns=["far", "degree"])
    G = de.zoo.figure1()
    said = de.distinguish((G, 2), (G, 3), both).why
    assert said.startswith(
        "after 2 layers: v2 has 2 neighbours (v4, v5), each with neighbours with values {(0; 3), (1; 3), (2; 3)}; "
        "v3 has none; values"
    )
    pairs = de.distinguish((G, [2, 3]), (G, [3, 6]), both).why
    assert "A's targets have the values {(0; 3),(2; 3) ×2}, B's {(0; 3),(1; 3) ×2}" in pairs
    seal = de.distinguish((TRIANGLES, [0, 1]), (HEXAGON, [0, 3]), de.DRNL(2))
    assert seal.why == "after 1 layer: in A 0 has 1 neighbour with value 1, in B 0 has none"


def test_rounding_does_not_part_and_small_differences_do() -> None:
    pair = de.Graph.from_edges([(0, 1)])

    def told(x: float, y: float) -> de.Verdict:
        return de.distinguish((pair, 0), (pair, 1), Given(values=(x, y)))

    tie = 3.0517578125e-05  # half-way between two numbers of ten digits
    for x, y in ((tie, np.nextafter(tie, 1)), (0.0, 1e-17), (0.3, 0.1 + 0.2), (1e20, 1e20 + 1e10), (-1.0, -1 - 1e-10)):
        assert not told(x, y).different, (x, y)
    for x, y in ((1.0, 1 + 1e-8), (0.0, 1e-11), (1e-6, -1e-6), (1e20, 1.0000001e20)):
        assert told(x, y).different, (x, y)
    assert "0 has the value 1, 1 has 1.00001;" in told(1.0, 1.00001).why  # more digits where fewer look alike
    assert "0 has the value 1, 1 has 1.00000001;" in told(1.0, 1 + 1e-8).why


@given(
    st.lists(st.sampled_from([0.0, 1e-13, -2e-12, 1.0, 1 + 5e-10, 1 + 1.2e-9, 2.0, -3.0, 1e9, 1e9 + 0.4]), min_size=1)
)
def test_tokens_are_equal_exactly_where_a_chain_of_small_steps_leads(numbers) -> None:
    x = np.array(numbers)
    tokens = tokens_of([x[:1, None], x[1:, None]])
    rows = np.concatenate(tokens).tolist()
    near = np.abs(x[:, None] - x) <= RELATIVE * np.maximum(np.abs(x)[:, None], np.abs(x)) + ABSOLUTE
    for _ in x:  # the slow way: join what is joined by a step
        near = near @ near
    assert [[a == b for b in rows] for a in rows] == near.tolist()


def test_what_is_not_a_number_is_said_with_its_node() -> None:
    z = de.encoding("log", lambda near: np.log(np.maximum(10 - near.degree, 0)), columns=["log"])
    G = de.load("karate")
    for ask in (
        lambda: de.distinguish((G, 0), (G, 33), z),
        lambda: de.colours(G, {0}, z),
        lambda: de.unroll(G, 0, 1, z),
        lambda: z.shown(G, np.array([0]), False),
    ):
        with pytest.raises(
            de.ParameterError, match=r"<encoding 'log': log> gives -inf in column 'log' for node 0; ret"
        ):
            ask()


def test_graphs_without_an_edge_have_no_pairs_to_compare() -> None:
    empty = de.Graph.from_edges([], num_nodes=3)
    verdict = de.distinguish(empty, TRIANGLES, sums(), order="edges")
    assert verdict.why.startswith("A has no pairs, B has 6; values are compared")


@pytest.mark.parametrize("number", [1.0, 0.1, -100.0, 1e-6])
def test_a_number_just_below_a_power_of_ten_is_that_power_from_one_call_to_the_next(number: float) -> None:
    (exact,), (less,) = tokens_of([np.array([[number]])]), tokens_of([np.array([[number * (1 - 1e-12)]])])
    np.testing.assert_array_equal(less, exact)
