"""The Explorer's state: one method and one layer, target sets, what is drawn of large graphs."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.views.content import PRESETS
from degnn_explore.views.explorer.excerpt import search
from degnn_explore.views.explorer.state import COLORINGS, MAX_TARGETS, ExplorerState


@pytest.mark.parametrize("key", PRESETS)
def test_every_example_opens_colored(key: str) -> None:
    state = ExplorerState.of_preset(key)
    colored = state.colored()
    for side, codes in zip(state.sides, colored.codes, strict=True):
        assert side.targets and len(codes) == side.graph.num_nodes
    assert sum(sum(entry.counts) for entry in colored.entries) == sum(side.graph.num_nodes for side in state.sides)
    assert state.title == PRESETS[key].title


@pytest.mark.parametrize(
    ("settings", "method"),
    [
        ({"color_by": "1-WL"}, "1-WL"),
        ({"color_by": "SPD"}, "DE-SPD"),
        ({"color_by": "SPD", "hops": 3}, "DEA-SPD"),
        ({"color_by": "LP"}, "DE-LP"),
    ],
)
def test_the_coloring_names_the_method(settings: dict[str, object], method: str) -> None:
    state = ExplorerState.of_preset("fig1")
    state.update(**settings)
    assert state.method.name == method


@pytest.mark.parametrize("color_by", [*COLORINGS, "1-WL"])
def test_classes_only_ever_split_and_stay_within_labels(color_by: str) -> None:
    simple = (de.load("karate"), {0, 33}), (de.load("karate"), {0, 1})  # LapPE needs different eigenvalues
    state = ExplorerState(*simple) if color_by == "LapPE" else ExplorerState.of_preset("fig2b")
    state.update(color_by=color_by)
    before = None
    for layer in range(5):
        state.update(layer=layer)
        codes = np.concatenate(state.colored().codes)
        if before is not None:
            pairs = {(int(a), int(b)) for a, b in zip(before, codes, strict=True)}
            assert len(pairs) == len(set(codes.tolist()))  # each class of this layer lies in one of the layer before
        before = codes


def test_the_largest_part_of_a_class_keeps_its_color() -> None:
    state = ExplorerState.of_preset("fig1")
    colors = []
    for layer in (1, 2, 3):
        state.update(layer=layer)
        colored = state.colored()
        colors.append([[colored.entries[code].color for code in side.tolist()] for side in colored.codes])
    for earlier, later in pairwise(colors):
        for label in {color for side in earlier for color in side}:
            parts = [b for x, y in zip(earlier, later, strict=True) for a, b in zip(x, y, strict=True) if a == label]
            assert label in parts


def test_layer_zero_shows_the_encoding_and_one_wl_shows_nothing() -> None:
    state = ExplorerState.of_preset("hexagon")
    state.update(layer=0)
    assert [entry.text for entry in state.colored().entries] == [
        "target",
        "distance 1",
        "distance 2",
        "distance 3",
        "unreachable",
    ]
    state.update(color_by="1-WL")
    assert [(entry.text, entry.counts) for entry in state.colored().entries] == [("all nodes", (6, 6))]


def test_target_sets_are_checked_and_a_failed_change_changes_nothing() -> None:
    state = ExplorerState.of_preset("fig1")
    for wrong in ([[99], [3]], [[2]], [[2, 2], [3]], [["v9"], [3]]):
        with pytest.raises(de.TargetError):
            state.set_targets(wrong)
        assert [side.targets for side in state.sides] == [(2,), (3,)]
    large = ExplorerState(de.zoo.cycle(300))
    with pytest.raises(de.TargetError, match=f"up to {MAX_TARGETS}"):
        large.set_targets([range(200)])


def test_a_fixed_size_keeps_the_latest_targets() -> None:
    state = ExplorerState((de.zoo.figure1(), [1, 2, 3]))
    assert state.update(size=2) == {"size", "targets"} and state.sides[0].targets == (2, 3)


def test_comparing_shows_the_graph_again_and_back() -> None:
    state = ExplorerState((de.zoo.petersen(), [0]))
    state.compare(True)
    assert [side.targets for side in state.sides] == [(0,), ()] and state.sides[0].graph is state.sides[1].graph
    assert (state.caption(0), state.caption(1)) == ("A = {v0}", "B: click a node")
    state.compare(False)
    assert len(state.sides) == 1 and state.letter(0) == "S"


def test_a_set_of_other_size_or_none_is_no_error() -> None:
    state = ExplorerState((de.zoo.figure1(), [1]), (de.zoo.figure1(), [2, 3]))
    assert len({code for code in state.colored().codes[0]} & {code for code in state.colored().codes[1]}) == 0
    state.set_targets([[1], []])
    assert state.colored().entries[-1].text == "no target yet"
    state.update(color_by="DRNL")
    assert "pairs: pick two targets" in state.labels().note


def test_cut_edges_are_gone_from_distances_and_classes() -> None:
    state = ExplorerState.of_preset("cut")
    state.update(layer=0)
    apart = [entry.text for entry in state.colored().entries]
    state.update(cut=True)
    assert [entry.text for entry in state.colored().entries] != apart
    assert state.colored().entries[0].text == "distances 0,3"


def test_nodes_are_found_by_name_and_by_their_columns() -> None:
    graph = de.load("us-flights")
    assert search([graph], 0, "atl")[0][2] == "ATL"
    assert any("Alaska" in note or "AK" in note for *_, note in search([graph], 0, "fairbanks"))
