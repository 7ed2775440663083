"""Verdicts by a custom encoding: as exact as its numbers, and the reason says how exact that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.encodings.base import TOLERANCE_NOTE
from degnn_explore.encodings.paths import Distance
from degnn_explore.expressive.methods import method_of

from .slow import questions

TRIANGLES, HEXAGON, FIG1 = de.zoo.two_triangles(), de.zoo.hexagon(), de.zoo.figure1()
NOTE = TOLERANCE_NOTE[1:] + "."


@dataclass(frozen=True, repr=False)
class Fixed(de.Encoding):
    """The same values for every target."""

    values: tuple[float, ...] = ()
    columns = ("x",)

    def pairwise(self, G, S, cut):
        return np.tile(np.array(self.values)[:, None], (len(S), 1, 1))

    def __repr__(self) -> str:
        return "{p}"


@given(questions, st.booleans(), st.sampled_from([1, 2]))
def test_distances_as_a_function_have_the_verdicts_of_the_built_in(question, cut: bool, hops: int) -> None:
    far = de.encoding("far", lambda near: near.distance, columns=["distance"], max_dist=99)
    mine, exact = (de.distinguish(*question, zeta, hops=hops, cut=cut) for zeta in (far, Distance()))
    built_in = de.distinguish(*question, "DEA-SPD", hops=hops, cut=cut)
    assert mine.layer == exact.layer == built_in.layer
    assert mine.why.endswith(NOTE) and "numbers" not in exact.why


def test_an_encoding_is_a_method_by_itself_and_by_name() -> None:
    sums = de.encoding("sums", lambda n: n.walks[:, 1:].sum(axis=1), columns=["Σ"], max_dist=1, walks=3)
    a, b = (TRIANGLES, 0), (HEXAGON, 0)
    one, wide = de.distinguish(a, b, sums), de.distinguish(a, b, sums, hops=2)
    assert (one.layer, one.method) == (0, "DE-sums") and "v0 in A has the value 0.75, v0 in B has 0.5." in one.why
    assert one == de.distinguish(a, b, "DE-sums") == de.distinguish(a, b, "DE-sums", hops=1)
    assert wide == de.distinguish(a, b, "DEA-sums") and wide.method == "DEA-sums"
    assert de.distinguish(TRIANGLES, HEXAGON, sums).layer == 0 and not de.distinguish(b, (HEXAGON, 3), sums).different
    assert [method_of(sums, many).title(3, 2) for many in (False, True)] == ["DE-3 sums", "DEA-3 sums, K=2"]
    assert method_of(Fixed()).title(2) == "DE-2 {p}"  # a name may have braces
    assert "K hops" in method_of(sums, True).what and "K hops" not in method_of(sums).what


def test_reasons_name_nodes_by_their_values() -> None:
    both = de.encoding("two", lambda n: np.stack([n.distance, n.degree], 1), columns=["far", "degree"], max_dist=99)
    linked = de.distinguish((FIG1, 2), (FIG1, 3), both)
    assert linked.layer == 2 and "v2 (v4 and v5)" in linked.why and linked.why.endswith(NOTE)
    pairs = de.distinguish((FIG1, [2, 3]), (FIG1, [3, 6]), both).why
    assert "(0; 3),(2; 3) (×2), those of B (0; 3),(1; 3) (×2)." in pairs
    drnl = de.distinguish((TRIANGLES, [0, 1]), (HEXAGON, [0, 3]), de.DRNL(2)).why
    assert "(v1) has value 1; v0 in B" in drnl and "numbers" not in drnl


@pytest.mark.parametrize(
    ("x", "y", "digits"),
    [
        (3.0517578125e-05, np.nextafter(3.0517578125e-05, 1), None),  # half-way between two numbers of ten digits
        (0.0, 1e-17, None),
        (0.3, 0.1 + 0.2, None),
        (1e20, 1e20 + 1e10, None),
        (-1.0, -1 - 1e-10, None),
        (1.0, 1.1, ("1", "1.1")),
        (1.0, 1.00001, ("1", "1.00001")),  # more digits where fewer look alike
        (1.0, 1 + 1e-8, ("1", "1.00000001")),
        (0.0, 1e-11, ("0", "1e-11")),
        (1e20, 1.0000001e20, ("1e+20", "1.0000001e+20")),
    ],
)
def test_small_differences_separate_nodes_and_rounding_does_not(x: float, y: float, digits) -> None:
    pair = de.Graph.from_edges([(0, 1)])
    verdict = de.distinguish((pair, 0), (pair, 1), Fixed(values=(x, y)))
    assert verdict.different == (digits is not None)
    assert digits is None or f"v0 has the value {digits[0]}, v1 has {digits[1]}. " in verdict.why


@given(st.lists(st.sampled_from([0.0, 1e-13, -2e-12, 1.0, 1 + 5e-10, 1 + 1.2e-9, 2.0, -3.0, 1e9, 1e9 + 0.4])))
def test_numbers_within_the_tolerance_of_the_smallest_are_one_color(numbers: list[float]) -> None:
    values = [5.0, *numbers]
    colors = de.colors(de.Graph.from_edges([], len(values)), 0, Fixed(values=tuple(values)))[0].tolist()
    leader: dict[float, float] = {}
    for value in sorted(set(values)):
        last = max(leader.values(), default=-np.inf)
        leader[value] = last if value <= last + 1e-9 * abs(last) + 1e-12 else value
    classes = [leader[value] for value in values]
    assert [[a == b for b in colors] for a in colors] == [[a == b for b in classes] for a in classes]


def test_values_that_are_not_finite_are_reported_with_their_node() -> None:
    log = de.encoding("log", lambda near: np.log(np.maximum(10 - near.degree, 0)), columns=["log"], max_dist=1)
    G = de.load("karate")
    for ask in (
        lambda: de.distinguish((G, 0), (G, 33), log),
        lambda: de.colors(G, {0}, log),
        lambda: de.unroll(G, 0, 1, log),
    ):
        with pytest.raises(de.ParameterError, match=r"'log'.* gives -inf in column 'log' for node 0"):
            ask()
