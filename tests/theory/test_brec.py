"""BREC: the pairs as they are published, and what is known of them."""

from __future__ import annotations

import os

import pytest

from degnn_explore import theory

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
    for ours, theirs in zip(board.graphs(61), theory.brec_pairs("simple regular")[1], strict=True):
        assert ours.edges.tolist() == theirs.edges.tolist()


@needs_brec
def test_by_default_all_methods_of_the_table_are_compared() -> None:
    board = theory.brec(categories=["simple regular"], progress=False)
    assert tuple(board.table.columns[1:]) == theory.BREC_METHODS
    assert board.table.loc["together"].tolist() == [50, 0, 50, 50, 50, 50, 50, 50, 50] and not board.notes
    table = board.published
    assert table["together"].tolist() == [270, 83, 166, 233, 223, 216, 254, 275, 281, 79]
    assert table.index[0] == "3-WL" and table.loc["GSN"].tolist() == [60, 99, 95, 0, 254]
