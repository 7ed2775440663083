"""What the network sees, against the library's slow and obvious answers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.encodings.base import UNREACHABLE as FAR
from degnn_explore.encodings.paths import Distance
from degnn_explore.encodings.walks import LandingProbability, PageRank
from degnn_explore.views.explorer import seen
from tests.strategies import graphs


@given(graphs(), st.data())
def test_classes_are_the_colors_of_the_library(graph: de.Graph, data: st.DataObject) -> None:
    S = np.array(sorted(data.draw(st.sets(st.integers(0, graph.num_nodes - 1), min_size=1, max_size=3))))
    cut = data.draw(st.booleans())
    mine = seen.classes_of([(graph, S)], Distance(), 3, 1, cut)[0]
    theirs = de.colors(graph, S, layers=3, cut=cut)
    for ours, color in zip(mine, theirs, strict=True):
        assert (
            len({*zip(ours.tolist(), color.tolist(), strict=True)}) == len({*ours.tolist()}) == len({*color.tolist()})
        )


def test_labels_are_the_distances_in_words() -> None:
    path = de.Graph.from_edges([(0, 1), (1, 2)], num_nodes=4)
    labels = seen.labels_of([(path, np.array([0]))], Distance())
    assert [labels.table[code].text for code in labels.codes[0]] == [
        "target",
        "distance 1",
        "distance 2",
        "unreachable",
    ]
    assert [label.far for label in labels.table] == [0.0, 1.0, 2.0, None]


def test_real_numbers_are_exact_on_small_graphs_and_binned_on_large_ones() -> None:
    small = seen.labels_of([(de.zoo.figure1(), np.array([2]))], LandingProbability(2))
    assert small.values is None and {label.text for label in small.table} >= {"0", "1/3"}
    graph = de.load("celegans")
    large = seen.labels_of([(graph, np.array([3]))], LandingProbability(2))
    assert large.values is not None and len(large.table) == len(seen.PROBABILITIES)
    far = [label.far for label in large.table]
    assert far == sorted(far)  # from near to far, as distances are
    for code, value in zip(large.codes[0].tolist(), large.values[0].tolist(), strict=True):
        assert (large.table[code].text == "0") == (value == 0)


@pytest.mark.parametrize("name", ["figure1", "karate"])
def test_pagerank_above_1_is_told_apart_by_color(name: str) -> None:
    graph = de.zoo.figure1() if name == "figure1" else de.load("karate")
    labels = seen.labels_of([(graph, np.array([2]))], PageRank())
    colors = [seen.shade(label.far, 0) for label in labels.table]
    assert len(set(colors)) == len(colors) > 4


def test_a_color_depends_on_the_label_alone() -> None:
    one = seen.labels_of([(de.zoo.cycle(12), np.array([0]))], LandingProbability(3))
    other = seen.labels_of([(de.zoo.cycle(7), np.array([0]))], LandingProbability(3))
    shared = {label.text: label.far for label in one.table}
    assert shared.keys() & {label.text for label in other.table}
    assert all(shared.get(label.text, label.far) == label.far for label in other.table)


@pytest.mark.parametrize("width", [1, 2, 3])
def test_unique_rows_are_numpys(width: int) -> None:
    rows = np.random.default_rng(width).integers(0, 4, (200, width))
    rows[::7] = FAR
    found, place = seen.unique_rows(rows)
    assert np.array_equal(np.array(found)[place], rows) and len(found) == len(np.unique(rows, axis=0))
