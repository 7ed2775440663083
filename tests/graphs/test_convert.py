"""networkx and PyG, there and back: ids, names, labels, positions and all other columns."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given
from torch_geometric.data import Data

from degnn_explore import Cleaning, Graph, GraphError

from .test_graph import decorated, everything


@given(decorated(parts=False))
def test_a_round_trip_keeps_everything_the_other_library_can_hold(G: Graph) -> None:
    assert everything(Graph.from_networkx(G.to_networkx()), "attributes") == everything(G, "attributes")
    lost = ("title", "info city")
    assert everything(Graph.from_pyg(G.to_pyg()), *lost) == everything(G, *lost)


# ---- networkx ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ids", [["2", "0", "1"], [2, 0, 1]])
def test_ids_that_are_the_numbers_stay_so_and_the_attribute_name_names_the_nodes(ids) -> None:
    graph = nx.Graph([(ids[0], ids[1]), (ids[1], ids[2])], name="mine")
    G = Graph.from_networkx(graph)
    assert (G.names, G.edges.tolist(), G.title) == (("0", "1", "2"), [[0, 1], [0, 2]], "mine")
    nx.set_node_attributes(graph, dict(zip(ids, ("cai", "ana", "ben"), strict=True)), "name")
    G = Graph.from_networkx(graph)
    assert (G.names, G.edges.tolist(), dict(G.info)) == (("ana", "ben", "cai"), [[0, 1], [0, 2]], {})
    for bad in ("ana", "", None):  # twice, or nothing: no name for a node then
        graph.nodes[ids[2]]["name"] = bad
        assert Graph.from_networkx(graph).names == ("0", "1", "2")


def test_other_ids_become_names_and_what_was_cleaned_is_reported() -> None:
    graph = nx.MultiDiGraph([("b", "a"), ("a", "b"), ("a", "b"), ("a", "a")])
    nx.set_node_attributes(graph, {"a": "Ana", "b": "Ben"}, "name")
    G = Graph.from_networkx(graph)
    assert G.names == ("b", "a") and G.info["name"].tolist() == ["Ben", "Ana"] and G.title == ""
    assert G.cleaning == Cleaning(self_loops=1, duplicates=1, reversed_duplicates=1, direction_ignored=True)
    for weight, ignored in ((1, False), (2.0, True)):
        graph.edges["a", "b", 0]["weight"] = weight
        assert Graph.from_networkx(graph).cleaning.weights_ignored == ignored


@pytest.mark.parametrize(
    ("values", "label", "labels"),
    [
        ([0, np.int8(1)], None, [0, 1]),
        ([True, False], None, None),
        ([0, None], None, None),
        ([True, 0.0], "label", [1, 0]),
    ],
)
def test_labels_are_whole_numbers_on_every_node_or_the_attribute_that_is_named(values, label, labels) -> None:
    graph = nx.path_graph(2)
    nx.set_node_attributes(graph, dict(enumerate(values)), "label")
    G = Graph.from_networkx(graph, label=label)
    assert (None if G.labels is None else G.labels.tolist()) == labels and ("label" in G.info) == (labels is None)
    nx.set_node_attributes(graph, {0: 7, 1: 8}, "club")
    assert Graph.from_networkx(graph, label="club").labels.tolist() == [7, 8]
    with pytest.raises(GraphError, match=r"'klub' .*\['club', 'label'\]"):
        Graph.from_networkx(graph, label="klub")


@pytest.mark.parametrize(
    ("attributes", "kept"),
    [
        ({"pos": (0.5, 1)}, []),
        ({"x": 0.5, "y": "1"}, []),
        ({"longitude": 0.5, "latitude": 1}, ["latitude", "longitude"]),
        ({"viz": {"position": {"x": 0.5, "y": 1, "z": 0}, "color": "red"}}, []),
        ({"viz": {"position": 5}, "pos": (0.5, 1)}, ["x", "y"]),
        ({"pos": (1, 2, 3), "x": 0.5, "y": 1}, ["pos"]),
        ({"pos": 10**400, "x": 0.5, "y": 1}, ["pos"]),
        ({"x": 7, "y": float("nan"), "longitude": 0.5, "latitude": 1}, ["latitude", "longitude", "x", "y"]),
    ],
)
def test_positions_by_each_of_their_names(attributes, kept) -> None:
    graph = nx.Graph()
    graph.add_nodes_from(["a", "b"], **attributes)
    G = Graph.from_networkx(graph)
    assert G.positions.tolist() == [[0.5, 1.0], [0.5, 1.0]] and sorted(G.info) == kept
    graph.nodes["b"].clear()  # known of one node only: shown, not drawn
    assert Graph.from_networkx(graph).positions is None


@pytest.mark.parametrize("labels", [None, [1, 0]])
def test_columns_called_as_networkx_calls_ours_survive_a_round_trip(labels) -> None:
    info = {"name": ["x", "x"], "pos": ["left", "right"], "label": ["red", "blue"]}
    back = Graph.from_networkx(Graph.from_edges([(0, 1)], info=info, labels=labels).to_networkx())
    if labels:
        info["label_"] = info.pop("label")
    assert {key: column.tolist() for key, column in back.info.items()} == info
    assert (None if back.labels is None else back.labels.tolist()) == labels


def test_other_objects_and_too_many_attributes_are_refused() -> None:
    dense, sparse = nx.empty_graph(30), nx.empty_graph(2_300)
    for graph in (dense, sparse):
        nx.set_node_attributes(graph, {v: {f"key {v}": v} for v in graph})
    assert len(Graph.from_networkx(dense).info) == 30
    for wrong, words in ((sparse, "2,300 different"), (nx.Graph(), "no nodes"), (Data(), "not Data; use from_pyg")):
        with pytest.raises(GraphError, match=words):
            Graph.from_networkx(wrong)


# ---- PyG -------------------------------------------------------------------------------------------------------


def test_data_both_ways_keeps_what_each_node_has() -> None:
    there_and_back = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    x, mask = torch.tensor([[0.5, 1.0], [2.0, 0.0], [0.1, 3.0]]), torch.tensor([True, False, True])
    data = Data(x, there_and_back, y=torch.tensor([0.5, -1.5, 2.0]), train_mask=mask, names=["a", "b", "c"])
    data.far = torch.ones(5)  # not a number for each node
    data.batch = data.ptr = torch.zeros(3, dtype=torch.long)  # PyG's own
    for pos, positions in ((1.0, None), ([1.0], None), ([1.0, 2.0, 3.0], [[1, 2]] * 3)):
        data.pos = torch.tensor([pos] * 3)
        G = Graph.from_pyg(data)
        assert (None if G.positions is None else G.positions.tolist()) == positions
    assert G.labels is None and sorted(G.info) == ["train_mask", "y"]  # real numbers are no classes
    again = G.to_pyg()
    for key in ("x", "edge_index", "y", "train_mask"):
        assert torch.equal(again[key], data[key]), key
    assert again.names == data.names and again.num_nodes == 3
    assert G.with_labels([2, 0, 1]).to_pyg().y.tolist() == [2, 0, 1]  # labels first, then a column called y
    for y, labels in (([[2], [0], [1]], [2, 0, 1]), ([True, False, True], [1, 0, 1])):
        data.y = torch.tensor(y)
        assert Graph.from_pyg(data).labels.tolist() == labels == Graph.from_pyg(data).to_pyg().y.tolist()
    taken = {"x": [1, 2], "keys": [3, 4], "size": [5, 6], "km": [7, 8], "city": ["p", "q"]}  # only km is free in PyG
    assert sorted(Graph.from_edges([(0, 1)], info=taken).to_pyg().to_dict()) == ["edge_index", "km", "num_nodes"]


@pytest.mark.parametrize(
    ("ends", "options", "cleaning"),
    [
        ([[0, 0, 1, 1, 2], [1, 1, 0, 0, 2]], {}, Cleaning(self_loops=1, duplicates=1, isolated=1)),
        ([[0, 1], [1, 2]], {}, Cleaning(direction_ignored=True)),
        ([[0], [1]], {"edge_weight": torch.ones(1)}, Cleaning(0, 0, 0, True, True, 1)),
        ([[0], [1]], {"edge_attr": torch.ones(1, 1)}, Cleaning(0, 0, 0, True, True, 1)),
    ],
)
def test_directed_edges_and_weights_of_data_are_reported(ends, options, cleaning: Cleaning) -> None:
    assert Graph.from_pyg(Data(edge_index=torch.tensor(ends), num_nodes=3, **options)).cleaning == cleaning


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (Data(x=torch.ones(2, 1)), r"no edge_index, so it holds no graph\.$"),
        (Data(adj_t=torch.eye(3)), "has adj_t: use"),
        (Data(edge_index=torch.zeros(3, 2, dtype=torch.long), num_nodes=3), r"\[2, m\], not int64 \[3, 2\]"),
        (Data(edge_index=torch.zeros(2, dtype=torch.long), num_nodes=3), r"\[2, m\], not int64 \[2\]"),
        (Data(edge_index=torch.zeros(2, 2), num_nodes=3), "not float32"),
        (Data(edge_index=torch.zeros(2, 0, dtype=torch.long), num_nodes=0), "at least one node"),
    ],
)
def test_data_without_a_proper_graph_is_refused(data: Data, words: str) -> None:
    with pytest.raises(GraphError, match=words):
        Graph.from_pyg(data)
