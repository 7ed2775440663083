"""Verdicts by a custom encoding: as exact as the numbers are, and the sentence says how exact that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.encodings.base import ABSOLUTE, RELATIVE, TOLERANCE_NOTE, tokens_of
from degnn_explore.encodings.paths import Distance
from degnn_explore.expressive.methods import method_of
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
    return de.encoding("far", lambda near: near.distance, columns=["distance"], max_dist=99)


def sums() -> de.Encoding:
    return de.encoding("sums", lambda near: near.walks[:, 1:].sum(axis=1), columns=["Σ"], max_dist=1, walks=3)


@given(graphs_with_targets(8, 2), graphs_with_targets(8, 2), st.booleans(), st.sampled_from([1, 2]))
def test_distances_as_a_function_have_the_verdicts_of_the_built_in(a, b, cut, hops) -> None:
    if len(a[1]) != len(b[1]):
        return
    built_in = "DE-SPD" if hops == 1 else "DEA-SPD"
    mine = de.distinguish(a, b, own_distance(), hops=hops, cut=cut)
    theirs = de.distinguish(a, b, built_in, hops=None if hops == 1 else hops, cut=cut)
    assert (mine.different, mine.layer) == (theirs.different, theirs.layer)
    assert mine.why.endswith(f"{TOLERANCE_NOTE[1:]}.")
    again = de.distinguish(a, b, Distance(), hops=hops, cut=cut)  # exact: nothing is said of numbers
    assert (again.layer, "numbers" in again.why) == (theirs.layer, False)


def test_an_encoding_by_itself_by_name_and_as_dea() -> None:
    z = sums()
    verdict = de.distinguish((TRIANGLES, 0), (HEXAGON, 0), z)
    assert verdict == de.distinguish((TRIANGLES, 0), (HEXAGON, 0), "DE-sums")
    assert str(verdict) == (
        "DE-sums: different from layer 0 (v0 in A has the value 0.75, v0 in B has 0.5. Values are "
        "compared as numbers, equal if they differ by at most 1e-9 of their size, or by 1e-12.)"
    )
    wide = de.distinguish((TRIANGLES, 0), (HEXAGON, 0), z, hops=2)
    assert wide == de.distinguish((TRIANGLES, 0), (HEXAGON, 0), "DEA-sums")
    assert wide.method == "DEA-sums"
    assert de.distinguish(TRIANGLES, HEXAGON, z).why.startswith("Already at layer 0 6 of the colors of A’s 6 nodes")
    assert not de.distinguish((HEXAGON, 0), (HEXAGON, 3), z).different


def test_a_name_with_braces_is_a_title_as_it_is() -> None:
    @dataclass(frozen=True, repr=False)
    class Braces(Given):
        def __repr__(self) -> str:
            return "{p}"

    assert (method_of(Braces()).title(2), method_of(Braces(), True).title(1, 3)) == ("DE-2 {p}", "DEA-1 {p}, K=3")


def test_sentences_name_neighbors_by_their_values() -> None:
    both = de.encoding(
        "both", lambda n: np.stack([n.distance, n.degree], axis=1), columns=["far", "degree"], max_dist=99
    )
    G = de.zoo.figure1()
    said = de.distinguish((G, 2), (G, 3), both).why
    assert said.startswith(
        "Two neighbors of v2 (v4 and v5) are linked to each other; no two neighbors of v3 are. Values"
    )
    pairs = de.distinguish((G, [2, 3]), (G, [3, 6]), both).why
    assert "The targets of A have the values (0; 3),(2; 3) (×2), those of B (0; 3),(1; 3) (×2)." in pairs
    seal = de.distinguish((TRIANGLES, [0, 1]), (HEXAGON, [0, 3]), de.DRNL(2))
    assert seal.why == "One neighbor of v0 in A (v1) has value 1; v0 in B has no such neighbor."


def test_small_differences_separate_nodes_and_rounding_does_not() -> None:
    pair = de.Graph.from_edges([(0, 1)])

    def told(x: float, y: float) -> de.Verdict:
        return de.distinguish((pair, 0), (pair, 1), Given(values=(x, y)))

    tie = 3.0517578125e-05  # half-way between two numbers of ten digits
    for x, y in ((tie, np.nextafter(tie, 1)), (0.0, 1e-17), (0.3, 0.1 + 0.2), (1e20, 1e20 + 1e10), (-1.0, -1 - 1e-10)):
        assert not told(x, y).different, (x, y)
    for x, y in ((1.0, 1 + 1e-8), (0.0, 1e-11), (1e-6, -1e-6), (1e20, 1.0000001e20)):
        assert told(x, y).different, (x, y)
    assert "v0 has the value 1, v1 has 1.00001." in told(1.0, 1.00001).why  # more digits where fewer look alike
    assert "v0 has the value 1, v1 has 1.00000001." in told(1.0, 1 + 1e-8).why


@given(
    st.lists(st.sampled_from([0.0, 1e-13, -2e-12, 1.0, 1 + 5e-10, 1 + 1.2e-9, 2.0, -3.0, 1e9, 1e9 + 0.4]), min_size=1)
)
def test_tokens_are_equal_exactly_within_a_class(numbers) -> None:
    x = np.array(numbers)
    tokens = tokens_of([x[:1, None], x[1:, None]])
    rows = np.concatenate(tokens).tolist()
    leader: dict[float, float] = {}  # the slow way: the smallest number left and all within its tolerance are a class
    for value in sorted(set(numbers)):
        last = max(leader.values(), default=-np.inf)
        leader[value] = last if value <= last + RELATIVE * abs(last) + ABSOLUTE else value
    classes = [leader[value] for value in numbers]
    assert [[a == b for b in rows] for a in rows] == [[a == b for b in classes] for a in classes]


def test_values_that_are_not_finite_are_reported_with_their_node() -> None:
    z = de.encoding("log", lambda near: np.log(np.maximum(10 - near.degree, 0)), columns=["log"], max_dist=1)
    G = de.load("karate")
    for ask in (
        lambda: de.distinguish((G, 0), (G, 33), z),
        lambda: de.colors(G, {0}, z),
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
    assert verdict.why.startswith("A has no pairs, B has 6 pairs. Values are compared")


@pytest.mark.parametrize("number", [1.0, 0.1, -100.0, 1e-6])
def test_a_number_just_below_a_power_of_ten_is_that_power_from_one_call_to_the_next(number: float) -> None:
    (exact,), (less,) = tokens_of([np.array([[number]])]), tokens_of([np.array([[number * (1 - 1e-12)]])])
    np.testing.assert_array_equal(less, exact)
