"""A graph too large to draw whole: what is drawn of it, and which node a click means."""

from __future__ import annotations

import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.views.explorer.state import ExplorerState
from degnn_explore.views.explorer.trees import MAX_TREE, forest


def tell(explorer: de.Explorer, message: object) -> None:
    """What ipywidgets does with a message from the page."""
    explorer.graph_canvas._handle_custom_msg(message, [])


def test_a_tree_too_large_to_read_is_shown_less_deep() -> None:
    G = de.load("celegans")
    state = ExplorerState((G, [int(G.degrees.argmax())]))
    state.update(layer=4)
    shown = forest(state)
    assert shown.trees[0].layers < 4
    assert len(shown.trees[0]) <= MAX_TREE


def test_a_large_graph_opens_on_the_neighbourhood_of_s() -> None:
    rng = np.random.default_rng(0)
    G = de.Graph.from_edges(rng.integers(0, 25_000, (50_000, 2)), num_nodes=25_000)
    explorer = de.Explorer((G, [7]))
    assert explorer.graph_canvas.starts == [0, 1500]
    assert "1,500 of 25,000 nodes drawn" in explorer.graph_canvas.captions[0]
    assert explorer._more.layout.display == ""
    drawn = explorer._scene.nodes[0]
    explorer.state.pick(0, int(drawn[3]))
    np.testing.assert_array_equal(explorer._scene.nodes[0], drawn)
    explorer._show_more()
    assert explorer.graph_canvas.starts == [0, 3000]
    outside = int(np.setdiff1d(np.arange(25_000), explorer._scene.nodes[0])[0])
    tell(explorer, {"type": "find", "key": [0, outside]})
    assert outside in explorer._scene.nodes[0]


def test_a_click_on_a_large_graph_picks_the_node_that_is_drawn_there() -> None:
    path = de.Graph.from_edges([(i, i + 1) for i in range(24_999)])
    explorer = de.Explorer((path, [20_000]))
    drawn = explorer._scene.nodes[0]
    assert drawn[0] == 20_000 - 750
    tell(explorer, {"type": "pick", "node": 0})
    assert explorer.targets == [[20_000, int(drawn[0])]]
    assert explorer.graph_canvas.targets == [750, 0]
    tell(explorer, {"type": "lasso", "nodes": [1, 2]})
    assert explorer.targets[0][2:] == [int(drawn[1]), int(drawn[2])]


def test_a_tip_on_a_large_graph_speaks_of_the_node_that_is_drawn_there(monkeypatch: pytest.MonkeyPatch) -> None:
    path = de.Graph.from_edges([(i, i + 1) for i in range(24_999)])
    explorer = de.Explorer((path, [20_000]), colour_by="1-WL", layer=0)
    sent: list[dict] = []
    monkeypatch.setattr(explorer.graph_canvas, "send", sent.append)
    tell(explorer, {"type": "tip", "node": 748})
    assert sent == [{"type": "tip", "node": 748, "lines": ["distance to S: 2"]}]
