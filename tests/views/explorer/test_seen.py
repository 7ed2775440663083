"""What the network sees of the nodes, against slow and obvious answers; tests/golden has each encoding's legend.

Letters of classes are compared with those of the page in tests/views/js/test_front_end.py.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.encodings.paths import DRNL, Distance
from degnn_explore.encodings.walks import LandingProbability
from degnn_explore.views.explorer import seen
from tests.strategies import graphs

Sides = list[tuple[de.Graph, np.ndarray]]
NO_PATH = float("inf")


def seen_by(graph: de.Graph, S: Any, cut: bool) -> nx.Graph:
    G = graph.to_networkx()
    G.remove_edges_from([(u, v) for u in S for v in S if cut])
    return G


def distances(graph: de.Graph, S: Any, cut: bool) -> list[tuple[float, ...]]:
    """Of each node the sorted distances to the targets, by networkx."""
    far = [nx.single_source_shortest_path_length(seen_by(graph, S, cut), int(v)) for v in S]
    return [tuple(sorted(near.get(u, NO_PATH) for near in far)) for u in range(graph.num_nodes)]


def refined(graph: de.Graph, S: Any, layers: int, hops: int, cut: bool, plain: bool) -> list[list[Any]]:
    """The slow and obvious color of every node after each layer, as nested tuples."""
    G = seen_by(graph, S, cut)
    near = [nx.single_source_shortest_path_length(G, u, hops) for u in range(graph.num_nodes)]
    history: list[list[Any]] = [[() if plain else (len(S), row) for row in distances(graph, S, cut)]]
    for _ in range(layers):
        last = history[-1]
        heard = [tuple(sorted((d, last[v]) for v, d in near[u].items() if d)) for u in range(graph.num_nodes)]
        history.append(list(zip(last, heard, strict=True)))
    return history


@st.composite
def sides(draw: st.DrawFn) -> Sides:
    """One or two small graphs with up to three targets each, perhaps none."""
    drawn = [draw(graphs(6)) for _ in range(draw(st.integers(1, 2)))]
    sets = [draw(st.permutations(range(graph.num_nodes)))[: draw(st.integers(0, 3))] for graph in drawn]
    return [(graph, np.array(S, dtype=np.int64)) for graph, S in zip(drawn, sets, strict=True)]


@given(sides(), st.integers(0, 3), st.integers(1, 3), st.booleans(), st.booleans())
def test_two_nodes_share_a_class_where_refinement_cannot_tell_them_apart(
    picks: Sides, layers: int, hops: int, cut: bool, plain: bool
) -> None:
    found = seen.classes_of(picks, None if plain else Distance(), layers, hops, cut)
    shown = [k for k, (_, S) in enumerate(picks) if plain or len(S)]
    wanted = {k: refined(*picks[k], layers, hops, cut, plain) for k in shown}
    for layer in range(layers + 1):
        pairs = [(int(found[k][layer, u]), color) for k in shown for u, color in enumerate(wanted[k][layer])]
        assert len(set(pairs)) == len({cls for cls, _ in pairs}) == len({color for _, color in pairs})
        assert all(cls >= 0 for cls, _ in pairs)
    assert all((found[k] == -1).all() for k in range(len(picks)) if k not in shown)
    assert [rows.shape for rows in found] == [(layers + 1, graph.num_nodes) for graph, _ in picks]


@given(sides(), st.booleans())
def test_labels_are_the_distances_in_words_the_nearest_first(picks: Sides, cut: bool) -> None:
    labels, order = seen.labels_of(picks, Distance(), cut), {}
    for (graph, S), codes in zip(picks, labels.codes, strict=True):
        if not len(S):
            assert codes.tolist() == [seen.NONE] * graph.num_nodes
            continue
        for row, code in zip(distances(graph, S, cut), codes.tolist(), strict=True):
            mark = ",".join("∞" if far == NO_PATH else str(far) for far in row)
            words = {"0": "target", "∞": "unreachable"}.get(mark, f"distance {mark}")
            assert labels.table[code].mark == mark
            assert labels.table[code].text == (words if len(S) == 1 else f"distances {mark}")
            order[code] = (NO_PATH in row, sum(far for far in row if far != NO_PATH))
    assert [order[code] for code in sorted(order)] == sorted(order.values()) and len(order) == len(labels.table)


def test_what_is_defined_for_pairs_says_so_for_other_sets() -> None:
    G = de.zoo.figure1()
    pair, one, nothing = ((G, np.array(S, dtype=np.int64)) for S in ([0, 1], [3], []))
    labels = seen.labels_of([pair, one], DRNL(8))
    assert "pairs" in labels.note and set(labels.codes[1]) == {seen.NONE} and seen.NONE not in labels.codes[0]
    assert set(seen.classes_of([pair, one], DRNL(8), 1)[1].ravel()) == {-1}
    assert seen.labels_of([pair, pair], DRNL(8)).note == "" == seen.labels_of([nothing], DRNL(8)).note
    assert seen.labels_of([pair, nothing], DRNL(8)).note


def test_more_labels_than_can_be_told_apart_share_the_last() -> None:
    n = seen.MAX_LABELS + 5
    path = de.Graph.from_edges(np.stack([np.arange(n - 1), np.arange(1, n)], 1))
    labels = seen.labels_of([(path, np.array([0]))], Distance())
    assert len(labels.table) == seen.MAX_LABELS + 1 and "5 further" in labels.table[-1].text
    assert labels.codes[0].tolist() == [*range(seen.MAX_LABELS), *[seen.MAX_LABELS] * 5]


def bounds(label: str) -> tuple[float, float]:
    """The numbers that a label stands for: one, or those of a bin."""
    low, _, high = label.replace("below ", "0 – ").partition(" – ")
    return float(Fraction(low)), float(Fraction(high or low))


def holds(label: str, value: float) -> bool:
    low, high = bounds(label)
    return abs(low - value) <= 5e-3 * abs(value) if low == high else low * 0.99 <= value < high * 1.01 and value != 0


@pytest.mark.parametrize("values", [
    [k / 7 for k in range(60)],  # few nodes: each number is a label
    [k / 7 for k in range(61)],  # else bins of equal width, and 0 by itself
    [1.0 + k for k in range(61)],  # of equal ratio where numbers spread
    [10 + k / 10 for k in range(80)],
    [k % 12 + 0.5 for k in range(90)],  # twelve different numbers are labels whatever the number of nodes
    [k % 13 + 0.5 for k in range(90)],
])  # fmt: skip
def test_real_numbers_are_labels_of_their_own_or_bins_that_hold_them(values: list[float]) -> None:
    n = len(values)
    path = de.Graph.from_edges([(i, i + 1) for i in range(n - 1)])
    own = de.encoding("own", lambda near: np.array(values)[near.distance], columns=["c"], max_dist=n)
    labels = seen.labels_of([(path, np.array([0]))], own)
    texts, far = [label.text for label in labels.table], [label.far for label in labels.table]
    assert all(holds(texts[code], value) for code, value in zip(labels.codes[0], values, strict=True))
    assert (labels.values is None) == (n <= 60 or len(set(values)) <= 12)
    np.testing.assert_allclose(far, np.linspace(0, 5, len(far)))  # high numbers are near
    if labels.values is None:
        assert [bounds(text)[0] for text in texts] == pytest.approx(sorted(set(values), reverse=True), rel=6e-3)
        assert all(label.mark for label in labels.table)
        return
    np.testing.assert_allclose(labels.values[0], values)
    assert len(texts) == 8 + (0 in values) and not any(label.mark for label in labels.table)
    bins = [bounds(text) for text in texts[:8]]
    spread = 0 not in values and max(values) > 20 * min(values)
    widths = [high / low if spread else high - low for low, high in bins]
    np.testing.assert_allclose(widths, widths[0], rtol=0.15)  # bounds are rounded
    assert bins[0][1] == pytest.approx(max(values), rel=0.01) and bins == sorted(bins, reverse=True)


def test_probabilities_are_in_bins_that_hold_them_unless_they_must_be_exact() -> None:
    wheel = [(de.Graph.from_networkx(nx.wheel_graph(100)), np.array([2]))]
    made = seen.labels_of(wheel, LandingProbability(2))
    assert made.values is not None and len(made.table) == len(seen.PROBABILITIES)
    for code, value in zip(made.codes[0].tolist(), made.values[0].tolist(), strict=True):
        assert holds(made.table[code].text, value)
    exact = seen.labels_of(wheel, LandingProbability(2), exact=True)
    assert exact.values is None and len(exact.table) == 4
