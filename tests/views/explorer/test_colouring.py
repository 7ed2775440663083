"""Which nodes share a colour, and what the legend says of it."""

from __future__ import annotations

import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.encodings.paths import Distance
from degnn_explore.views.explorer import colouring
from degnn_explore.views.explorer.colouring import UNREACHABLE, by_class, by_encoding

PATH = de.Graph.from_edges([(0, 1), (1, 2), (2, 3)])


def test_a_node_that_one_of_two_targets_reaches_is_not_grey() -> None:
    coloured = by_encoding([(de.zoo.two_triangles(), [0, 3])], Distance())
    assert [(e.label, e.counts) for e in coloured.entries[:-1]] == [("{0,∞}", (2,)), ("{1,∞}", (4,))]
    assert UNREACHABLE not in {e.colour for e in coloured.entries[:-1]}
    alone = by_encoding([(de.zoo.two_triangles(), [0])], Distance())
    assert [e.colour == UNREACHABLE for e in alone.entries[:-1]] == [False, False, True]


def test_one_colour_means_the_same_in_both_graphs() -> None:
    coloured = by_encoding([(PATH, [0]), (PATH, [1])], Distance())
    assert [codes.tolist() for codes in coloured.codes] == [[0, 1, 2, 3], [1, 0, 1, 2]]
    assert [e.counts for e in coloured.entries[:-1]] == [(1, 1), (1, 2), (1, 1), (1, 0)]
    assert coloured.note == "counts: A | B"


def test_a_distance_keeps_its_colour_whatever_else_is_in_the_picture() -> None:
    near, far = by_encoding([(PATH, [1])], Distance()), by_encoding([(PATH, [0]), (PATH, [3])], Distance())
    colours = [{e.label: e.colour for e in coloured.entries[:-1]} for coloured in (near, far)]
    assert (len(colours[0]), len(colours[1]), len(set(colours[1].values()))) == (3, 4, 4)
    assert colours[0].items() < colours[1].items()
    edges = [by_encoding([(G, [0, 1])], Distance()).entries[:-1] for G in (PATH, de.zoo.complete(4))]
    assert [[e.label for e in entries] for entries in edges] == [["{0,1}", "{1,2}", "{2,3}"], ["{0,1}", "{1,1}"]]
    assert len({e.colour for entries in edges for e in entries}) == 4


def test_a_side_without_targets_is_grey_and_says_what_to_do() -> None:
    coloured = by_encoding([(PATH, [0]), (PATH, [])], Distance())
    assert coloured.codes[1].tolist() == [4, 4, 4, 4]
    assert coloured.entries[4] == colouring.Entry("", "", UNREACHABLE)
    assert coloured.note == "counts: A | B; click a node of B to pick a target"


def test_many_targets_have_a_label_and_no_mark() -> None:
    entries = by_encoding([(PATH, [0, 1, 2, 3])], Distance()).entries
    assert (entries[0].label, entries[0].mark) == ("{0,1,1,2}", "0,1,1,2")
    five = de.Graph.from_edges([(i, i + 1) for i in range(4)])
    entries = by_encoding([(five, [0, 1, 2, 3, 4])], Distance()).entries
    assert (entries[0].label, entries[0].mark) == ("{0, 1×2, 2×2}", "")


def test_more_values_than_codes_end_in_one_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(colouring, "MAX_VALUES", 2)
    coloured = by_encoding([(PATH, [0]), (PATH, [])], Distance())
    assert [e.label for e in coloured.entries] == ["0", "1", "one of 2 further values", ""]
    assert [codes.tolist() for codes in coloured.codes] == [[0, 1, 2, 2], [3, 3, 3, 3]]


def test_the_largest_part_of_a_class_keeps_its_number() -> None:
    history = np.array([[7, 7, 7, 7], [1, 2, 2, 2], [1, 2, 3, 3]])
    assert colouring._stable_numbers(history[:1]).tolist() == [0, 0, 0, 0]
    assert colouring._stable_numbers(history[:2]).tolist() == [1, 0, 0, 0]
    assert colouring._stable_numbers(history).tolist() == [1, 2, 0, 0]


def test_plain_classes_see_the_graph_without_the_cut_edges() -> None:
    whole, cut = (by_class([(PATH, [1, 2])], "1-WL", 1, cut=cut) for cut in (False, True))
    assert [e.counts for e in whole.entries[:-1]] == [(2,), (2,)]
    assert [e.counts for e in cut.entries[:-1]] == [(4,)]


def test_k_hop_classes_look_further_than_one_hop() -> None:
    one, two = (by_class([(de.zoo.hexagon(), [0])], "DEA-SPD", 1, hops) for hops in (1, 2))
    assert len(two.entries) >= len(one.entries)
    long = de.Graph.from_edges([(i, i + 1) for i in range(5)])
    one, two = (by_class([(long, [0])], "DEA-SPD", 1, hops) for hops in (1, 2))
    assert (one.title, len(one.entries)) == ("classes by DEA-SPD after 1 layer", 7)
    assert [c.tolist() for c in one.codes] == [c.tolist() for c in two.codes]  # distances tell all apart already


def test_where_a_walk_cannot_be_is_apart_from_the_bins() -> None:
    coloured = by_encoding([(de.load("celegans"), [0])], de.LandingProbability(2))
    assert coloured.values is not None
    nowhere = coloured.values[0] == 0
    assert 0 < nowhere.sum() < 297
    assert {coloured.label(0, i) for i in np.flatnonzero(nowhere)} == {"0"}
    assert "0" not in {coloured.label(0, i) for i in np.flatnonzero(~nowhere)}
    assert sum(e.counts[0] for e in coloured.entries if e.counts) == 297


def test_the_bins_hold_the_values_that_their_labels_say() -> None:
    coloured = by_encoding([(de.load("karate"), [0])], de.PageRank())
    assert coloured.values is not None
    for i, value in enumerate(coloured.values[0]):
        low, high = map(float, coloured.label(0, i).split(" – "))
        assert 0.9 * low <= value <= 1.1 * high
    assert coloured.entries[-2].colour == "#440154"  # the highest value is the darkest


def test_the_legend_lists_the_first_and_counts_the_rest() -> None:
    long = de.Graph.from_edges([(i, i + 1) for i in range(29)])
    coloured = by_encoding([(long, [0])], Distance())
    assert [e.counts for e in coloured.entries[:24]] == [(1,)] * 24
    assert {e.counts for e in coloured.entries[24:]} == {None}
    assert coloured.note == "and 6 more, shown when you hover"
