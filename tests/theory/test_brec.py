"""BREC: the pairs as they are published, and counts against the definitions."""

from __future__ import annotations

import os

import pytest

from degnn_explore import theory

from ..expressive.slow import first_layer

needs_brec = pytest.mark.skipif(
    "brec" not in os.environ.get("DEGNN_DATA", ""), reason="DEGNN_DATA names no BREC folder"
)
CATEGORIES = {"basic": 60, "simple regular": 50, "strongly regular": 50, "extension": 100, "CFI": 100,
              "4-vertex condition": 20, "distance-regular": 20, "together": 400}  # fmt: skip


@needs_brec
def test_1_wl_confuses_all_400_pairs() -> None:
    board = theory.brec(["1-WL"], progress=False)
    assert board.table["pairs"].to_dict() == CATEGORIES and not board.table["1-WL"].any()
    assert board.pairs.loc[61, ["family", "first", "second"]].tolist() == [
        "simple regular", "simple regular 1a", "simple regular 1b"
    ]  # fmt: skip


@needs_brec
def test_counts_follow_the_definitions() -> None:
    methods = {"1-WL": "1-WL", "zero-one": "zero-one", "RWSE": "RWSE", "DE-1 SPD": "DE-SPD"}
    board = theory.brec(list(methods), categories=["distance-regular", "basic"], progress=False)
    assert board.table["pairs"].to_dict() == {"distance-regular": 20, "basic": 60, "together": 80}
    assert (board.table.loc["together"] == board.table.iloc[:2].sum()).all()
    assert (board.table.loc["distance-regular"].iloc[1:] == 0).all()
    for row, (G, H) in enumerate(theory.brec_pairs("basic")[::25]):
        assert [X.edges.tolist() for X in board.graphs(20 + 25 * row)] == [G.edges.tolist(), H.edges.tolist()]
        for title, method in methods.items():
            layer = first_layer((G, None), (H, None), method)
            assert board.pairs.loc[20 + 25 * row, title] == ("same" if layer is None else f"layer {layer}")


@needs_brec
def test_by_default_all_methods_of_the_table_are_compared() -> None:
    board = theory.brec(categories=["simple regular"], progress=False)
    assert tuple(board.table.columns[1:]) == theory.BREC_METHODS
    assert board.table.loc["together"].tolist() == [50, 0, 50, 50, 50, 50, 50, 50, 50] and not board.notes
    assert board.published.equals(theory.brec_published())


def test_published_counts_add_up_to_the_totals_of_the_paper() -> None:
    table = theory.brec_published()
    assert table["together"].tolist() == [270, 83, 166, 233, 223, 216, 254, 275, 281, 79]
    assert table.index[0] == "3-WL" and table.loc["GSN"].tolist() == [60, 99, 95, 0, 254]
