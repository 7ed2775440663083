"""BREC: the pairs as they are published, and the counts of the new methods against a slow version."""

from __future__ import annotations

import os
from collections import Counter
from fractions import Fraction

import pytest

import degnn_explore as de
from degnn_explore import theory

needs_brec = pytest.mark.skipif(
    "brec" not in os.environ.get("DEGNN_DATA", ""), reason="DEGNN_DATA names no BREC folder"
)


def refine(G: de.Graph, start: list[object]) -> object:
    """Color refinement by nested tuples, as many layers as there are nodes; colors named by first sight are shared."""
    colors = start
    for _ in range(G.num_nodes):
        nested = [
            (colors[u], tuple(sorted(map(repr, (colors[v] for v in G.neighbors(u).tolist())))))
            for u in range(G.num_nodes)
        ]
        colors = [NAMES.setdefault(color, len(NAMES)) for color in nested]
    return colors


NAMES: dict[object, int] = {}


def slow_zero_one(G: de.Graph) -> Counter[object]:
    marked = [[int(u == v) for u in range(G.num_nodes)] for v in range(G.num_nodes)]
    return Counter(refine(G, list(marks))[v] for v, marks in enumerate(marked))  # type: ignore[index]


def slow_returns(G: de.Graph) -> Counter[object]:
    start: list[object] = []
    for u in range(G.num_nodes):
        at, row = {u: Fraction(1)}, []
        for _ in range(G.num_nodes):
            after: dict[int, Fraction] = {}
            for v, probability in at.items():
                for w in G.neighbors(v).tolist():
                    after[w] = after.get(w, Fraction(0)) + probability / int(G.degrees[v])
            at = after
            row.append(at.get(u, Fraction(0)))
        start.append(tuple(row))
    return Counter(refine(G, start))  # type: ignore[arg-type]


@needs_brec
def test_zero_one_and_return_probabilities_agree_with_slow_versions_on_the_basic_pairs() -> None:
    board = theory.brec(["1-WL", "zero-one", "RWSE", "DE-1 SPD"], categories=["basic"], progress=False)
    pairs = theory.brec_pairs("basic")
    assert len(pairs) == 60
    for row, (G, H) in enumerate(pairs[::4]):
        told = board.pairs.iloc[4 * row]
        assert told["zero-one"].startswith("layer") == (slow_zero_one(G) != slow_zero_one(H))
        assert told["RWSE"].startswith("layer") == (slow_returns(G) != slow_returns(H))
    assert board.table.loc["basic", "1-WL"] == 0
    assert board.table.loc["together", "pairs"] == 60


@needs_brec
def test_counts_of_two_categories_are_those_checked_elsewhere() -> None:
    board = theory.brec(
        ["1-WL", "DE-1 SPD", "2-WL", "DE-2 edges"], categories=["simple regular", "distance-regular"], progress=False
    )
    assert board.table.loc["together", "pairs"] == 70
    assert board.table.loc["together", "1-WL"] == 0
    assert board.table.loc["simple regular", "2-WL"] == 50
    assert board.table.loc["distance-regular", "2-WL"] == 0
    assert board.table.loc["simple regular", "DE-1 SPD"] == board.table.loc["simple regular", "DE-2 edges"] == 50
    assert board.table.loc["distance-regular", "DE-1 SPD"] == board.table.loc["distance-regular", "DE-2 edges"] == 0


def test_published_counts_add_up() -> None:
    table = theory.brec_published()
    assert table.loc["3-WL", "together"] == 270
    assert table.loc["I²-GNN", "together"] == 281
    assert table.loc["Graphormer", "together"] == 79


def test_an_unknown_category_is_refused_with_a_suggestion() -> None:
    with pytest.raises(de.ParameterError, match="CFI"):
        theory.brec(categories=["CFY"])
