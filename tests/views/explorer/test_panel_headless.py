"""The whole panel without a browser: what a click sends, what each side shows, what fails."""

from __future__ import annotations

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


def test_an_error_in_a_callback_is_shown() -> None:
    explorer = de.Explorer(preset="fig1")
    tell(explorer, {"type": "pick", "node": "nonsense"})
    assert "de-error" in explorer._error.value
    tell(explorer, {"type": "pick", "node": 5})
    assert explorer._error.value == ""


def test_each_side_shows_its_own_names_and_notes() -> None:
    a = de.Graph.from_edges([("x", "y")], info={"city": ["Bonn", "Rome"]}, title="A")
    b = de.Graph.from_edges([("p", "q"), ("q", "r")], info={"city": ["Lima", "Oslo", "Kiel"]}, title="B")
    canvas = de.Explorer((a, ["x"]), (b, ["q"])).graph_canvas
    assert canvas.names == ["x", "y", "p", "q", "r"]
    assert canvas.notes == ["Bonn", "Rome", "Lima", "Oslo", "Kiel"]
    assert canvas.captions == ["A = {x}, p = 1 · A", "B = {q}, p = 1 · B"]
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
