"""The Explorer's state, colouring, trees, verdicts and sharing, all without a browser."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.views.explorer import colouring
from degnn_explore.views.explorer.excerpt import search
from degnn_explore.views.explorer.state import ExplorerState
from degnn_explore.views.explorer.trees import forest

EVIL = "<img src=x onerror=alert(1)>"


def legend(state: ExplorerState) -> list[tuple[str, tuple[int, ...] | None]]:
    return [(entry.label, entry.counts) for entry in state.coloured().entries[:-1]]


def tell(explorer: de.Explorer, message: object) -> None:
    """What ipywidgets does with a message from the page."""
    explorer.graph_canvas._handle_custom_msg(message, [])


# ---- picking ------------------------------------------------------------------------------------


def test_a_click_toggles_a_target() -> None:
    state = ExplorerState(de.zoo.figure1())
    state.pick(0, 2)
    state.pick(0, 7)
    assert state.sides[0].targets == (2, 7)
    state.pick(0, 2)
    assert state.sides[0].targets == (7,)


def test_with_p_fixed_the_oldest_target_makes_room() -> None:
    state = ExplorerState(de.zoo.figure1())
    state.update(size=2)
    for node in (2, 7, 4):
        state.pick(0, node)
    assert state.sides[0].targets == (7, 4)


def test_a_lasso_adds_and_frees_p() -> None:
    state = ExplorerState.of_preset("fig1")
    state.add(0, [2, 4, 5])
    assert state.sides[0].targets == (2, 4, 5)
    assert state.size == 0


def test_a_lasso_of_hundreds_is_refused_in_words() -> None:
    explorer = de.Explorer((de.load("celegans"), [0]))
    sent: list[dict] = []
    explorer.graph_canvas.send = sent.append
    tell(explorer, {"type": "lasso", "nodes": list(range(150))})
    assert ["up to 100" in message["text"] for message in sent] == [True]
    assert explorer.targets == [[0]]
    tell(explorer, {"type": "lasso", "nodes": list(range(60))})
    assert len(sent) == 1
    assert len(explorer.targets[0]) == 60


def test_listeners_hear_what_changed() -> None:
    state, heard = ExplorerState.of_preset("fig1"), []
    state.observe(heard.append)
    state.pick(1, 0)
    state.update(layer=3)
    state.update(layer=3)
    state.clear()
    assert heard == [{"targets"}, {"layer"}, {"targets"}]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"colour_by": "SDP"}, "Did you mean 'SPD'"),
        ({"layer": 99}, "at most 6"),
        ({"layout": "geography"}, "layout"),
        ({"nonsense": 1}, "setting"),
        ({"hops": 0}, "at least 1"),
    ],
)
def test_wrong_settings_are_named(settings: dict, message: str) -> None:
    with pytest.raises(de.ParameterError, match=message):
        ExplorerState.of_preset("fig1").update(**settings)


def test_a_node_outside_the_graph_is_refused() -> None:
    with pytest.raises(de.TargetError, match="not in the graph"):
        ExplorerState.of_preset("fig1").pick(0, 8)


# ---- colouring ----------------------------------------------------------------------------------


def test_fig1_distances_of_the_mockup() -> None:
    assert legend(ExplorerState.of_preset("fig1")) == [("0", (1, 1)), ("1", (3, 3)), ("2", (4, 4))]


def test_two_targets_give_multisets() -> None:
    state = ExplorerState((de.zoo.hexagon(), [0, 1]))
    assert legend(state) == [("{0,1}", (2,)), ("{1,2}", (2,)), ("{2,3}", (2,))]


def test_unreachable_nodes_are_grey_and_last() -> None:
    entries = ExplorerState((de.zoo.two_triangles(), [0])).coloured().entries
    assert [e.label for e in entries] == ["0", "1", "∞", ""]
    assert entries[2].colour == "#9aa0a6"


def test_landing_probability_shows_fractions() -> None:
    state = ExplorerState.of_preset("fig1")
    state.update(colour_by="LP", step=3)
    coloured = state.coloured()
    assert coloured.label(0, 2) == "2/27"
    assert coloured.label(1, 3) == "0"


def test_pagerank_of_many_values_is_binned_and_keeps_the_exact_ones() -> None:
    state = ExplorerState((de.load("karate"), [0]))
    state.update(colour_by="PageRank")
    coloured = state.coloured()
    assert coloured.values is not None
    np.testing.assert_allclose(coloured.values[0], de.PageRank().encode(de.load("karate"), [0])[:, 0])
    assert sum(e.counts[0] for e in coloured.entries if e.counts) == 34


def test_drnl_asks_for_two_targets() -> None:
    state = ExplorerState((de.zoo.hexagon(), [0]))
    state.update(colour_by="DRNL")
    assert "pick two targets (now 1)" in state.coloured().note
    state.pick(0, 3)
    assert legend(state) == [("label 1", (2,)), ("label 3", (4,))]


def test_fig1_classes_match_the_paper() -> None:
    """v2 and v3 are alike at layer 1 and differ at layer 2; 1-WL never splits anything."""
    state = ExplorerState.of_preset("fig1")
    state.update(colour_by="1-WL", layer=6)
    assert legend(state) == [("class a", (8, 8))]
    state.update(colour_by="DE-SPD", layer=1)
    assert state.coloured().label(0, 2) == state.coloured().label(1, 3)
    state.update(layer=2)
    assert state.coloured().label(0, 2) != state.coloured().label(1, 3)


def test_a_class_keeps_its_colour_when_others_split() -> None:
    state = ExplorerState((de.load("karate"), [0]))
    state.update(colour_by="DE-SPD", layer=1)
    before = state.coloured().codes[0]
    state.update(layer=2)
    after = state.coloured().codes[0]
    for old in np.unique(before):
        assert old in after[before == old]


def test_many_classes_are_capped_not_lost() -> None:
    path = de.Graph.from_edges([(i, i + 1) for i in range(1200)])
    coloured = colouring.by_class([(path, [0])], "DE-SPD", 0)
    assert len(coloured.entries) <= colouring.MAX_CLASSES + 2
    assert "further classes" in coloured.entries[-2].label


def test_a_tip_follows_the_layer_the_cut_and_the_targets() -> None:
    state = ExplorerState.of_preset("fig1")
    state.update(layer=1)
    assert state.tip(0, 2) == ["classes by DE-SPD after 1 layer: class c (of 2)"]
    state.update(layer=2)
    assert state.tip(0, 2)[0].startswith("classes by DE-SPD after 2 layers")
    assert state.tip(0, 2)[0].endswith("(of 1)")  # layer 2 tells v2 in A from v3 in B
    state.update(colour_by="1-WL")
    assert state.tip(0, 0) == ["distance to S: 2"]
    state.pick(0, 0)
    assert state.tip(0, 0) == ["distance to S: 0"]


def test_a_tip_is_silent_without_targets() -> None:
    assert ExplorerState(de.zoo.hexagon()).tip(0, 3) == []


def test_a_colouring_is_computed_once_a_change(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    computed = colouring.by_encoding
    monkeypatch.setattr(colouring, "by_encoding", lambda *a, **k: calls.append("") or computed(*a, **k))
    explorer = de.Explorer(preset="fig1")
    calls.clear()
    tell(explorer, {"type": "pick", "node": 5})
    assert len(calls) == 1
    explorer.state.coloured()
    assert len(calls) == 1
    explorer.state.update(cut=True)
    assert len(calls) == 2


# ---- trees --------------------------------------------------------------------------------------


def test_fig3_trees_part_at_layer_2() -> None:
    shown = forest(ExplorerState.of_preset("fig3"))
    assert shown.comparison is not None
    assert shown.comparison.layer == 2
    assert shown.comparison.branches_a.any()


def test_fig4_trees_are_equal_to_any_depth() -> None:
    state = ExplorerState.of_preset("fig4")
    state.update(layer=4)
    shown = forest(state)
    assert shown.comparison is not None
    assert shown.comparison.same


def test_search_finds_airports_by_code_and_city() -> None:
    flights = [de.load("us-flights")]
    assert search(flights, 0, "ATL")[0][2] == "ATL"
    assert "Seattle" in search(flights, 0, "seattle")[0][3]
    assert search(flights, 0, "no such place") == []


def test_a_graph_may_come_from_elsewhere(tmp_path) -> None:
    file = tmp_path / "friends.csv"
    file.write_text("source,target\nana,ben\nben,cai\n")
    triangle = nx.Graph([("a", "b"), ("b", "c"), ("c", "a")])
    for given, names in (
        (triangle, ("a", "b", "c")),
        (file, ("ana", "ben", "cai")),
        (str(file), ("ana", "ben", "cai")),
    ):
        assert ExplorerState(given).sides[0].graph.names == names
        assert ExplorerState((given, names[1])).sides[0].targets == (1,)
    assert ExplorerState("karate").sides[0].graph.num_nodes == 34


def test_drnl_says_what_it_needs_before_it_is_chosen() -> None:
    state = ExplorerState.of_preset("fig1")
    assert ("DRNL (needs p = 2)", "DRNL") in state.colourings()
    assert ("DRNL labels", "DRNL") in ExplorerState.of_preset("fig2b").colourings()
