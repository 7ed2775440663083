"""Verdicts by a custom encoding: as exact as its numbers, and the reason says how exact that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.encodings.base import TOLERANCE_NOTE
from degnn_explore.expressive.methods import method_of

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
    ("x", "y", "words"),
    [
        (1e20, 1e20 + 1e10, None),
        (1.0, 1.1, "1, v1 has 1.1"),
        (1.0, 1.00001, "1, v1 has 1.00001"),  # more digits where fewer look alike
        (1.0, 1 + 1e-8, "1, v1 has 1.00000001"),
        (0.0, 1e-11, "0, v1 has 1e-11"),
    ],
)
def test_small_differences_separate_nodes_and_rounding_does_not(x: float, y: float, words: str | None) -> None:
    pair = de.Graph.from_edges([(0, 1)])
    verdict = de.distinguish((pair, 0), (pair, 1), Fixed(values=(x, y)))
    assert verdict.different == (words is not None)
    assert words is None or f"v0 has the value {words}. " in verdict.why
