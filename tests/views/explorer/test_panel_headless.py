"""The whole panel without a browser: what a click sends, what each side shows, what fails."""

from __future__ import annotations

import ipywidgets as W
import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.views.explorer.presets import PRESETS


def tell(explorer: de.Explorer, message: object) -> None:
    """What ipywidgets does with a message from the page."""
    explorer.graph_canvas._handle_custom_msg(message, [])


def test_explorer_sends_only_colours_on_a_click() -> None:
    explorer = de.Explorer(preset="fig1")
    before = explorer.graph_canvas.positions
    sent: list[set[str]] = []
    explorer.graph_canvas.observe(lambda change: sent.append(change["name"]))
    tell(explorer, {"type": "pick", "node": 5})
    assert explorer.targets == [[5], [3]]
    assert "positions" not in sent
    assert "edges" not in sent
    assert explorer.graph_canvas.positions == before
    assert explorer.graph_canvas.targets == [5, 11]
    explorer.wait()
    assert explorer.verdicts["DE-SPD"].different


def test_what_a_hand_cannot_do_is_said_beside_the_pointer_and_a_fault_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    explorer = de.Explorer(preset="fig1")
    sent: list[dict] = []
    monkeypatch.setattr(explorer.graph_canvas, "send", sent.append)
    tell(explorer, {"type": "pick", "node": "nonsense"})
    assert [message["type"] for message in sent] == ["error"]
    assert "not a whole number from 0 to 15" in sent[0]["text"]
    assert explorer._error.value == ""
    monkeypatch.setattr(explorer.state, "coloured", lambda by="": 1 / 0)
    tell(explorer, {"type": "pick", "node": 5})
    assert "ZeroDivisionError" in explorer._error.value
    assert explorer._float.layout.display == ""
    monkeypatch.undo()
    tell(explorer, {"type": "pick", "node": 6})
    assert explorer._error.value == ""
    assert explorer._float.layout.display == "none"


def test_the_strip_gives_the_reason_where_no_method_tells_two_sets_apart() -> None:
    G = de.zoo.figure1()
    explorer = de.Explorer((G, [3]), (G, [6]))
    explorer.wait()
    assert {pill["answer"] for pill in explorer.strip.pills} == {"no"}
    why = "an automorphism maps v3 to v6: no method can tell them apart by the graph alone"
    assert {pill["more"] for pill in explorer.strip.pills} == {why}
    moves = dict(explorer.strip.moves)
    assert moves[3] == 8 + 6
    assert sorted(moves) == list(range(8))
    linked = {tuple(sorted(edge)) for edge in G.edges.tolist()}
    assert {tuple(sorted((moves[u] - 8, moves[v] - 8))) for u, v in linked} == linked
    explorer.open_preset("fig4")
    explorer.wait()
    assert explorer.strip.moves == []
    assert "strongly regular (16, 6, 2, 2)" in explorer.strip.pills[1]["more"]
    assert "(Theorem 3.7)" in explorer.strip.pills[1]["more"]


def test_a_large_graph_says_that_it_is_being_laid_out() -> None:
    explorer = de.Explorer(preset="fig1")
    said: list[str] = []
    explorer.graph_canvas.observe(lambda change: said.append(change["new"]), "busy")
    explorer.open_preset("us-flights")
    assert said == ["Laying out 305 nodes…", ""]
    explorer.open_preset("fig1")
    assert len(said) == 2


def test_the_idea_makes_room_for_what_stands_in_the_slot() -> None:
    explorer = de.Explorer(preset="fig1")
    assert explorer._idea.layout.display == ""
    explorer.slot.children = (W.HTML("a tour"),)
    assert explorer._idea.layout.display == "none"
    explorer.slot.children = ()
    assert explorer._idea.layout.display == ""


def test_each_side_shows_its_own_names_and_notes() -> None:
    a = de.Graph.from_edges([("x", "y")], info={"city": ["Bonn", "Rome"]}, title="A")
    b = de.Graph.from_edges([("p", "q"), ("q", "r")], info={"city": ["Lima", "Oslo", "Kiel"]}, title="B")
    canvas = de.Explorer((a, ["x"]), (b, ["q"])).graph_canvas
    assert canvas.names == ["x", "y", "p", "q", "r"]
    assert canvas.notes == ["Bonn", "Rome", "Lima", "Oslo", "Kiel"]
    assert canvas.captions == ["A = {x} · A", "B = {q} · B"]
    assert np.frombuffer(canvas.edges, dtype="<u4").tolist() == [0, 1, 2, 3, 3, 4]


def test_a_node_without_a_note_beside_a_graph_with_notes() -> None:
    a = de.Graph.from_edges([("x", "y")], info={"city": ["Bonn", "Rome"]})
    assert de.Explorer((a, ["x"]), (de.zoo.hexagon(), [0])).graph_canvas.notes == ["Bonn", "Rome", *[""] * 6]


def test_a_match_in_the_second_graph_says_so() -> None:
    explorer = de.Explorer((de.Graph.from_edges([("ab", "c")]), []), (de.Graph.from_edges([("xab", "d")]), []))
    sent: list[dict] = []
    explorer.graph_canvas.send = sent.append
    tell(explorer, {"type": "search", "text": "AB"})
    assert sent[0]["items"] == [
        {"key": [0, 0], "name": "ab", "note": "in A"},
        {"key": [1, 0], "name": "xab", "note": "in B"},
    ]


def test_only_the_edges_inside_one_target_set_are_dotted() -> None:
    G = de.zoo.two_triangles()
    explorer = de.Explorer((G, [0, 1]), (G, [2, 3]), cut=True)
    styles = np.frombuffer(explorer.graph_canvas.edge_styles, dtype="u1")
    edges = np.frombuffer(explorer.graph_canvas.edges, dtype="<u4").reshape(-1, 2)
    assert edges[styles == 2].tolist() == [[0, 1]]
    explorer.state.update(cut=False)
    assert explorer.graph_canvas.edge_styles == b""


def test_every_preset_opens_without_an_error() -> None:
    explorer = de.Explorer()
    for one in PRESETS:
        explorer.open_preset(one.key)
        assert explorer._error.value == "", one.key
        assert explorer.state.preset_key == explorer._drawers.header["preset"]["value"] == one.key


@pytest.mark.parametrize("colour_by", ["SPD", "LP", "PageRank", "DRNL", "1-WL", "DE-SPD", "DE-LP", "DEA-SPD"])
def test_every_colouring_works_from_no_target_to_three(colour_by: str) -> None:
    explorer = de.Explorer(de.zoo.petersen(), colour_by=colour_by, cut=True)
    for node in (0, 1, 2):
        assert explorer._error.value == ""
        explorer.state.pick(0, node)
    assert explorer._error.value == ""
    explorer.state.compare(True)
    assert explorer._error.value == ""
