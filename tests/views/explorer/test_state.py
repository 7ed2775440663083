"""The Explorer's state: what it opens with, which method it means, bounds, captions, and how nodes are found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.views.content import PRESETS
from degnn_explore.views.explorer.excerpt import excerpt_of, search
from degnn_explore.views.explorer.state import COLORINGS, MAX_TARGETS, ExplorerState

METHODS = {  # with one hop, with two
    "1-WL": ("1-WL", "1-WL"),
    "SPD": ("DE-SPD", "DEA-SPD"),
    "LP": ("DE-LP", "DE-LP"),
    "DRNL": ("DRNL", "DEA-DRNL"),
    "zero-one": ("zero-one", "DEA-ZeroOne"),
    "RWSE": ("RWSE", "DEA-RandomWalkSE"),
    "PageRank": ("DE-PageRank", "DEA-PageRank"),
    "heat kernel": ("DE-HeatKernel", "DEA-HeatKernel"),
    "LapPE": ("DE-LaplacianPE", "DEA-LaplacianPE"),
}


def targets_of(state: ExplorerState) -> list[tuple[int, ...]]:
    return [side.targets for side in state.sides]


@pytest.mark.parametrize("color_by", ["1-WL", *COLORINGS])
def test_the_coloring_names_its_method_and_every_encoding_has_labels(color_by: str) -> None:
    state = ExplorerState((de.load("karate"), [0, 33]), (de.load("karate"), [0, 1]))
    for hops, name in zip((1, 2), METHODS[color_by], strict=True):
        assert state.update(color_by=color_by, hops=hops) <= {"color_by", "hops"}
        assert state.method.name.startswith(name) and state.method.many_hops == name.startswith("DEA")
    assert sum(sum(entry.counts) for entry in state.colored().entries) == 68


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("layer", 0, 6), ("step", 0, 20), ("hops", 1, 4), ("size", 0, 10), ("root", 0, 1_000), ("column", 0, 9_999)],
)
def test_numbers_have_bounds(name: str, low: int, high: int) -> None:
    state = ExplorerState.of_preset("fig1")
    for value in (low, high, low):
        assert state.update(**{name: value}) - {"targets"} <= {name} and getattr(state, name) == value
    for value in (low - 1, high + 1, 1.5, "2", True):
        with pytest.raises(de.ParameterError, match=name):
            state.update(**{"color_by": "LP", name: value})
        assert (getattr(state, name), state.color_by) == (low, "SPD")  # all or nothing


@pytest.mark.parametrize(("color_by", "most"), [("RWSE", 5_000), ("LapPE", 2_500)])
def test_encodings_of_a_whole_graph_are_for_small_ones(color_by: str, most: int) -> None:
    small, large = (de.Graph.from_edges([(0, 1)], n) for n in (most, most + 1))
    assert ExplorerState(small).update(color_by=color_by) == {"color_by"}
    with pytest.raises(de.ParameterError, match=f"up to {most:,}"):
        ExplorerState(small, large).update(color_by=color_by)


def test_a_state_opens_where_there_is_something_to_see() -> None:
    for n, layer in ((100, 2), (101, 0)):
        state = ExplorerState(de.zoo.cycle(n), (de.zoo.cycle(5), [1]))
        assert (state.layer, state.step, state.hops, state.size, state.root) == (layer, 2, 1, 0, 0)
        assert targets_of(state) == [(), (1,)] and not state.cut and state.color_by == "SPD"
    layouts = [ExplorerState(graph).layout for graph in (de.load("us-flights"), de.zoo.figure1(), de.load("karate"))]
    assert layouts == ["geography", "as drawn", "force"]


def test_target_sets_are_checked_and_a_failed_change_changes_nothing() -> None:
    state = ExplorerState.of_preset("fig1")
    for wrong in ([[99], [3]], [[2]], [[2, 2], [3]], [["v9"], [3]], [[-1], [3]], [[2.5], [3]]):
        with pytest.raises(de.TargetError):
            state.set_targets(wrong)
        assert targets_of(state) == [(2,), (3,)]
    state.set_targets(["v5", np.int64(4)])
    assert targets_of(state) == [(5,), (4,)] and state.size == 1
    state.choose(1, [4, 1])
    assert targets_of(state) == [(5,), (4, 1)] and state.size == 0  # more than was fixed
    large = ExplorerState(de.zoo.cycle(300))
    large.set_targets([range(MAX_TARGETS)])
    with pytest.raises(de.TargetError, match=f"up to {MAX_TARGETS}"):
        large.set_targets([range(MAX_TARGETS + 1)])
    numbered = ExplorerState(de.Graph.from_edges([("1", "2"), ("2", "3")]))
    numbered.set_targets([[1]])  # a click says which node, not a reader's number
    assert targets_of(numbered) == [(1,)] and numbered.caption(0) == "S = {2}"


def test_a_fixed_size_keeps_the_latest_targets_and_the_root_stays_a_target() -> None:
    state = ExplorerState((de.zoo.figure1(), [1, 2, 3]), (de.zoo.figure1(), [4]))
    state.update(root=2)
    assert state.update(size=2) == {"size", "targets"} and targets_of(state) == [(2, 3), (4,)]
    for sets, root in (([[5, 6], [7]], 1), ([[], []], 0)):
        state.set_targets(sets)
        assert (state.root, state.size) == (root, 2)


def test_captions_name_the_sets_and_an_example_keeps_its_graphs() -> None:
    G, H = de.zoo.petersen(), de.zoo.figure1()
    state = ExplorerState((G, [0]))
    assert state.caption(0) == "S = {v0}" and state.title == G.title
    state.compare(True)
    assert state.caption(0) == "A = {v0}" and state.caption(1).startswith("B: ") and state.title == G.title
    for count, listed in ((6, ""), (8, ", … 2 more")):
        state.choose(1, range(count))
        assert state.caption(1) == f"B = {{v0, v1, v2, v3, v4, v5{listed}}}"
    state.compare(False)
    assert len(state.sides) == 1
    for title, shown in (("x" * 24, True), ("x" * 25, False)):
        two = ExplorerState((G, [0]), (H.with_title(title), [1]))
        assert two.caption(1) == "B = {v1}" + f" · {title}" * shown
    assert ExplorerState((G.with_title(""), [0])).title == "a graph"
    state = ExplorerState.of_preset("fig1")
    other = state.arranged("fig1", [[5], [6]], {"layer": 1})
    assert all(new.graph is old.graph for new, old in zip(other.sides, state.sides, strict=True))
    assert targets_of(other) == [(5,), (6,)] and (other.layer, state.layer) == (1, 2)
    assert state.arranged("hexagon", (), {}).title == PRESETS["hexagon"].title


def test_an_excerpt_keeps_names_places_and_columns() -> None:
    n = 20_001
    names, places = [f"n{i}" for i in range(n)], np.random.default_rng(0).random((n, 2))
    edges = [(i, i + 1) for i in range(n - 1)]
    graph = de.Graph.from_edges(edges, names=names, positions=places, info={"city": names[::-1]}, title="long")
    for S, first in (((500,), 495), ((), 0)):  # without targets around a node of highest degree
        part, nodes = excerpt_of(graph, S, 11), range(first, first + 11)
        assert part.nodes.tolist() == [*nodes] and part.graph.edges.tolist() == [[i, i + 1] for i in range(10)]
        assert list(part.graph.names) == names[first : first + 11] and part.graph.title == "long"
        assert part.graph.info["city"].tolist() == names[::-1][first : first + 11]
        np.testing.assert_array_equal(part.graph.positions, places[nodes])
    assert excerpt_of(de.zoo.figure1(), (2,), 3).nodes.tolist() == [*range(8)]  # a small graph is drawn whole


WORDS = st.sampled_from(["Ann", "anna", "An", "Ann Lee", "Straße", "b\nan", "ANN", "x"])
WANTED = st.sampled_from(["ann", "an", "STRASSE", "n l", " x ", "é", "land"])


@given(st.lists(WORDS, min_size=1, max_size=8), WANTED, st.integers(1, 8))
def test_nodes_are_found_by_name_then_by_their_columns_the_best_match_first(
    names: list[str], text: str, limit: int
) -> None:
    names = [f"{name}{i}" if name in names[:i] else name for i, name in enumerate(names)]
    notes = [f"{name} Land" if i % 2 else "" for i, name in enumerate(names)]
    info = {"note": notes, "id": names, "n": [1] * len(names)}
    graph, other = de.Graph.from_edges([], len(names), names=names, info=info), de.zoo.cycle(4)
    wanted, ranked = text.strip().casefold(), []
    for node, shown in enumerate(zip(names, notes, strict=True)):
        name, note = (" ".join(line.casefold().splitlines()) for line in shown)
        fits = (name == wanted, name.startswith(wanted), wanted in name, wanted in note)
        ranked += [(fits.index(True), side, node) for side in (0, 1) if any(fits)]
    found = search([graph, graph, other], text, limit)
    assert [match[:2] for match in found] == [(side, node) for _, side, node in sorted(ranked)[:limit]]
    assert all((name, note) == (names[v], notes[v]) for _, v, name, note in found)
    assert search([other], "v3") == [(0, 3, "v3", "")]
