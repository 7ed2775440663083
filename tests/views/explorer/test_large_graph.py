"""A graph too large to draw whole: what is drawn of it, and which node a click means."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import degnn_explore as de
from degnn_explore.graphs.distances import distances, induced
from degnn_explore.views.explorer.colouring import FAR, _unique_rows
from degnn_explore.views.explorer.excerpt import nearest
from degnn_explore.views.explorer.state import ExplorerState
from degnn_explore.views.explorer.trees import MAX_TREE, forest, view_of
from tests.strategies import graphs


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


@given(graphs(max_nodes=12), st.data())
def test_trees_of_a_large_graph_are_those_of_the_whole_one(G: de.Graph, data: st.DataObject) -> None:
    """Only what the roots reach is refined there; every class that a tree asks for is the same, on one side or two."""
    node = st.integers(0, G.num_nodes - 1)
    sets = st.lists(st.lists(node, min_size=1, max_size=3, unique=True), min_size=1, max_size=2)
    picks = [(G, np.array(S)) for S in data.draw(sets)]
    state = ExplorerState(*picks)
    state.update(layer=data.draw(st.integers(0, 3)), cut=data.draw(st.booleans()))
    state.update(colour_by=data.draw(st.sampled_from(["SPD", "LP", "1-WL", "DE-SPD"])))
    whole = view_of(state, lambda side, u: 100 * side + u)
    with mock.patch.object(ExplorerState, "is_large", lambda self, side: True):
        near = view_of(state, lambda side, u: 100 * side + u)
    for part in ("indptr", "indices", "codes", "names", "drawn", "roots", "layers", "note"):
        assert near[part] == whole[part], part
    depth, links = whole["layers"], np.frombuffer(whole["indptr"], "<u4")
    ring = np.full(len(links) - 1, depth)
    reached = whole["roots"]
    for step in range(depth):
        ring[reached] = np.minimum(ring[reached], step)
        arcs = [np.frombuffer(whole["indices"], "<u4")[links[u] : links[u + 1]] for u in reached]
        reached = np.unique(np.concatenate([*arcs, np.zeros(0, dtype=np.int64)])).astype(int)
    for part in ("classes", "plain"):
        rows = [np.frombuffer(view[part], "<u4").reshape(depth + 1, -1) for view in (whole, near)]
        for layer in range(depth + 1):
            asked = np.flatnonzero(ring <= depth - layer)
            first, second = (row[layer][asked] for row in rows)
            np.testing.assert_array_equal(first[:, None] == first, second[:, None] == second)


@given(graphs(max_nodes=12), st.data())
def test_the_nearest_nodes_are_those_of_the_least_distance(G: de.Graph, data: st.DataObject) -> None:
    start = np.array(data.draw(st.lists(st.integers(0, G.num_nodes - 1), min_size=1, max_size=3)))
    limit = data.draw(st.integers(len(set(start.tolist())), G.num_nodes))
    hops = distances(G, np.unique(start))
    far = np.where(hops < 0, 99, hops).min(axis=0)
    expected = np.sort(np.argsort(far, kind="stable")[:limit])
    np.testing.assert_array_equal(nearest(G, start, limit), expected)
    indptr, indices = induced(G, expected)
    within = [(u, v) for u, v in G.edges.tolist() if u in expected and v in expected]
    pairs = np.stack([expected[np.repeat(np.arange(limit), np.diff(indptr))], expected[indices]], axis=1)
    assert sorted(map(tuple, pairs.tolist())) == sorted([*within, *((v, u) for u, v in within)])


@given(arrays(np.int64, st.tuples(st.integers(1, 20), st.integers(1, 3)), elements=st.integers(-3, 9) | st.just(FAR)))
def test_rows_that_differ_are_found_as_numpy_finds_them(rows: np.ndarray) -> None:
    values, place = np.unique(rows, axis=0, return_inverse=True)
    found, where = _unique_rows(rows)
    assert found == [tuple(row) for row in values.tolist()]
    np.testing.assert_array_equal(where, place.reshape(-1))
