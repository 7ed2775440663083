"""Graph: every way in and out, what is cleaned, what is refused, and that nothing can be changed."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from degnn_explore import Cleaning, Graph, GraphError, TargetError
from degnn_explore.graphs.distances import (
    components,
    distance_to_set,
    distances,
    induced,
    inner_distances,
    rings,
    set_distances,
)

from ..strategies import graphs, graphs_with_targets

SQUARE = [(0, 1), (1, 2), (2, 3), (3, 0)]
COLUMNS = ("labels", "positions", "attributes")


@st.composite
def decorated(draw: st.DrawFn) -> Graph:
    """A graph with some of the columns that a graph can have."""
    G = draw(graphs(7))
    n = G.num_nodes
    quarters = st.integers(-8, 8).map(lambda x: x / 4)  # float32 holds them
    width = draw(st.integers(1, 3))
    columns: dict[str, Any] = {
        "names": [f"node {i}" for i in draw(st.permutations(range(n)))],
        "labels": draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n)),
        "positions": draw(st.lists(st.tuples(quarters, quarters), min_size=n, max_size=n)),
        "attributes": draw(st.lists(st.lists(quarters, min_size=width, max_size=width), min_size=n, max_size=n)),
        "info": {"city": [f"city {i % 3}" for i in range(n)], "km": list(range(n)), "share": [i / 4 for i in range(n)]},
        "title": "mine",
    }
    chosen = draw(st.sets(st.sampled_from(sorted(columns))))
    return Graph.from_edges(G.edges, n, **{key: columns[key] for key in chosen})


def everything(G: Graph, *but: str) -> dict[str, Any]:
    """All that a graph holds, as plain values."""
    held = {key: getattr(G, key) for key in (*COLUMNS, "edges", "names", "title", "cleaning", "parts")}
    held |= {f"info {key}": column for key, column in G.info.items()}
    return {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in held.items() if k not in but}


# ---- from edges, and what is cleaned --------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=30), st.booleans(), st.booleans())
def test_from_edges_agrees_with_networkx_and_counts_what_it_cleans(pairs, directed: bool, weighted: bool) -> None:
    G = Graph.from_edges(pairs, num_nodes=8, directed=directed, weighted=weighted)
    slow = nx.Graph((u, v) for u, v in pairs if u != v)
    slow.add_nodes_from(range(8))
    assert (G.indptr.dtype, G.indices.dtype) == (np.int64, np.int32)
    assert [G.neighbors(u).tolist() for u in range(8)] == [sorted(slow[u]) for u in range(8)]
    assert G.edges.tolist() == sorted(sorted(e) for e in slow.edges)
    assert (G.num_nodes, G.num_edges) == (8, slow.number_of_edges())
    assert G.degrees.tolist() == [slow.degree[u] for u in range(8)]
    everything = [(u, v) for u in range(8) for v in range(8)]
    assert G.has_edges(everything).tolist() == [slow.has_edge(u, v) for u, v in everything]
    np.testing.assert_array_equal(G.to_scipy().toarray(), nx.to_numpy_array(slow, nodelist=range(8)))
    loops = sum(u == v for u, v in pairs)
    both_ways = sum(u < v and (v, u) in set(pairs) for u, v in set(pairs))
    repeated = len(pairs) - loops - both_ways - G.num_edges
    isolated = nx.number_of_isolates(slow)
    assert G.cleaning == Cleaning(loops, repeated, both_ways, directed, weighted, isolated)
    assert bool(G.cleaning) == bool(loops or repeated or both_ways or directed or weighted or isolated)
    text = str(G.cleaning)
    said = ("dropped", "repeated", "in both directions", "ignored edge dir", "ignored edge weights", "kept")
    there = (loops, repeated, both_ways, directed, weighted, isolated)
    assert [word in text for word in said] == list(map(bool, there))
    assert ("nothing to clean" in text) == (not any(there))


def test_counts_are_written_with_their_nouns() -> None:
    assert str(Cleaning(self_loops=1, isolated=2_000)) == "dropped 1 self-loop; kept 2,000 isolated nodes"
    assert str(Cleaning(columns_ignored=("a",))) == "ignored column 'a'"
    assert str(Cleaning(columns_ignored=("a", "b"))) == "ignored columns 'a', 'b'"


@pytest.mark.parametrize(
    ("edges", "options", "names", "expected"),
    [
        ([("b", "a"), ("a", ("x", 1))], {}, ("b", "a", "('x', 1)"), [[0, 1], [1, 2]]),
        ([("b", "a")], {"names": ["a", "b", "c"]}, ("a", "b", "c"), [[0, 1]]),
        ([("c", "a")], {"names": ["a", "b", "c"]}, ("a", "b", "c"), [[0, 2]]),
        (np.array([[0.0, 1.0], [1.0, 2.0]]), {}, ("0", "1", "2"), [[0, 1], [1, 2]]),
        (np.array([[0.5, 1.0]]), {}, ("0.5", "1.0"), [[0, 1]]),
        (np.array([["b", "a"]]), {}, ("b", "a"), [[0, 1]]),
        (iter([np.array([2, 1]), [0, 1]]), {}, ("0", "1", "2"), [[0, 1], [1, 2]]),
        ([(True, False)], {}, ("True", "False"), [[0, 1]]),
        (np.array([[0, 1]], dtype=np.uint8), {"num_nodes": np.int64(3)}, ("0", "1", "2"), [[0, 1]]),
        ([], {"num_nodes": 1}, ("0",), []),
        ([], {"names": ["x", "y"]}, ("x", "y"), []),
        ([(0, 1)], {"names": [7, "y"]}, ("7", "y"), [[0, 1]]),
    ],
    ids=range(12),
)
def test_edges_may_be_written_in_many_ways(edges, options, names, expected) -> None:
    G = Graph.from_edges(edges, **options)
    assert (G.names, G.edges.tolist()) == (names, expected)
    assert G.edges.shape == (len(expected), 2)


@pytest.mark.parametrize(
    ("edges", "options", "message"),
    [
        ([], {}, "needs at least one node"),
        ([(0, 1)], {"num_nodes": 0}, "needs at least one node"),
        ([(0, 1)], {"num_nodes": 2.5}, "num_nodes must be a whole number, not 2.5"),
        ([(0, 1)], {"num_nodes": True}, "num_nodes must be a whole number, not True"),
        ([(0, 2)], {"num_nodes": 2}, r"names node 2, but the nodes are 0\.\.1"),
        ([(-1, 5)], {"num_nodes": 3}, "names node -1"),
        ([(0, 1, 2)], {}, r"An edge is a pair of nodes, not \(0, 1, 2\)"),
        (["ab"], {}, "An edge is a pair of nodes, not 'ab'"),
        ([np.eye(2)], {}, "An edge is a pair"),
        (7, {}, "Edges are pairs of nodes, not 7"),
        ([({}, 1)], {}, "Node ids must be hashable"),
        ([(0, 2**70)], {}, "above 2\\^63"),
        (np.zeros((2, 3), dtype=int), {}, r"an array of shape \[m, 2\], not \[2, 3\]"),
        (np.zeros(2, dtype=int), {}, r"an array of shape \[m, 2\], not \[2\]"),
        ([(0, 1)], {"names": ["a"], "num_nodes": 2}, "names has 1 entries for 2 nodes"),
        ([(0, 1)], {"names": 7}, "names is 7; give a list"),
        ([(0, 1)], {"names": ["a", "a"]}, "Two nodes are called 'a'"),
        ([("a", "z")], {"names": ["a", "b"]}, r"not in names: \['z'\]"),
        ([(0, 1)], {"labels": [0]}, r"one entry for each of the 2 nodes, not shape \[1\]"),
        ([(0, 1)], {"labels": [0, np.nan]}, "The label of node 1 is nan; use -1"),
        ([(0, 1)], {"labels": [0, 0.5]}, "these have fractions"),
        ([(0, 1)], {"labels": [0, -2]}, "or -1 for none, not -2"),
        ([(0, 1)], {"labels": [0, 2**53]}, "or -1 for none, not 9007199254740992"),
        ([(0, 1)], {"labels": [[1, 2], [3]]}, "labels must be whole numbers"),
        ([(0, 1)], {"positions": [[0, 0, 0]] * 2}, r"positions must have shape \[2, 2\], not \[2, 3\]"),
        ([(0, 1)], {"positions": [0, 1]}, r"positions must have shape \[2, 2\], not \[2\]"),
        ([(0, 1)], {"positions": [[0, 0], [0, np.inf]]}, r"positions of node 1 are \[0.0, inf\]"),
        ([(0, 1)], {"attributes": [["a"], ["b"]]}, "attributes must be numbers"),
        ([(0, 1)], {"attributes": [[0, 1], [2e18, 3]]}, r"attributes of node 1 hold 2e\+18"),
        ([(0, 1)], {"attributes": [[0], [1], [2]]}, r"attributes must have shape \[2, d\], not \[3, 1\]"),
        ([(0, 1)], {"info": {"city": ["x"]}}, "info 'city' has 1 entries for 2 nodes"),
        ([(0, 1)], {"info": [1]}, "info must be a dict of columns"),
    ],
    ids=range(32),
)
def test_bad_input_is_named(edges, options, message) -> None:
    with pytest.raises(GraphError, match=message):
        Graph.from_edges(edges, **options)


def test_columns_may_be_written_in_many_ways() -> None:
    info = {"n": [1, 2], "mixed": [1, "a"], "gaps": [None, 2], "lists": [[1, 2], [3]], "long": ["a" * 20_000_000, "b"]}
    G = Graph.from_edges([(0, 1)], info=info, labels=[2.0, -1.0], attributes=[3, -1e18])
    assert G.info["n"].tolist() == [1, 2]
    assert G.info["mixed"].tolist() == ["1", "a"]
    assert G.info["gaps"].tolist() == ["", "2"]
    assert G.info["lists"].tolist() == ["[1, 2]", "[3]"]
    assert G.info["long"].nbytes < 1000  # one long cell does not widen the others
    assert G.info["mixed"].dtype.kind == "U"
    assert G.labels.tolist() == [2, -1] and G.attributes.tolist() == [[3.0], [-1e18]]
    assert G.with_labels(np.array([True, False])).labels.tolist() == [1, 0]


# ---- immutable --------------------------------------------------------------------------------------------


DERIVED: dict[str, Callable[[Graph], Graph]] = {
    "new": lambda G: G,
    "cut": lambda G: G.cut(range(G.num_nodes)),
    "without": lambda G: G.without_edges(G.edges[:1]),
    "relabel": lambda G: G.relabel(np.arange(G.num_nodes)[::-1]),
    "pickle": lambda G: pickle.loads(pickle.dumps(G)),
    "copy": copy.deepcopy,
}


@pytest.mark.parametrize("way", DERIVED)
@given(decorated())
def test_nothing_can_be_changed(way: str, G: Graph) -> None:
    H = DERIVED[way](G)
    arrays = [H.indptr, H.indices, *(getattr(H, key) for key in COLUMNS), *H.info.values(), H.degrees, H.edges]
    arrays += [H.neighbors(np.int64(0)), H.parts]
    assert not any(array.flags.writeable for array in arrays if array is not None)
    with pytest.raises(dataclasses.FrozenInstanceError):
        H.title = "other"  # type: ignore[misc]
    with pytest.raises(TypeError):
        H.info["city"] = None  # type: ignore[index]


def test_the_caller_s_arrays_are_copied() -> None:
    pairs, positions, labels = np.array(SQUARE), np.zeros((4, 2)), np.zeros(4, dtype=np.int64)
    G = Graph.from_edges(pairs, positions=positions, labels=labels)
    pairs[0], positions[0], labels[0] = 9, 9, 9
    assert G.edges.tolist() == [[0, 1], [0, 3], [1, 2], [2, 3]]
    assert not G.positions.any() and not G.labels.any()


# ---- round trips ----------------------------------------------------------------------------------------------


@given(decorated())
def test_there_and_back_keeps_all_that_the_other_form_can_hold(G: Graph) -> None:
    assert everything(pickle.loads(pickle.dumps(G))) == everything(copy.deepcopy(G)) == everything(G)
    again = Graph.from_networkx(G.to_networkx())
    assert everything(again, "attributes") == everything(G, "attributes")
    lost = ("title", "info city")
    assert everything(Graph.from_pyg(G.to_pyg()), *lost) == everything(G, *lost)


@given(decorated(), st.randoms(use_true_random=False))
def test_relabeling_moves_every_column_and_can_be_undone(G: Graph, chance) -> None:
    order = list(range(G.num_nodes))
    chance.shuffle(order)
    H = G.relabel(np.array(order))
    for key in COLUMNS:
        column = getattr(G, key)
        assert column is None or getattr(H, key).tolist() == column[order].tolist()
    for key, column in G.info.items():
        assert H.info[key].tolist() == column[order].tolist()
    if G.names[0] != "0":
        assert H.names == tuple(G.names[v] for v in order)
    assert {frozenset(order[v] for v in e) for e in H.edges} == {frozenset(e) for e in G.edges.tolist()}
    assert everything(H.relabel(np.argsort(order))) == everything(G)


def test_an_order_names_each_node_once() -> None:
    G = Graph.from_edges(SQUARE)
    for order, error in (([0, 0, 1, 2], TargetError), ([0, 1, 2], GraphError)):
        with pytest.raises(error, match="once"):
            G.relabel(order)


@given(decorated())
def test_each_with_changes_its_own_column_alone(G: Graph) -> None:
    n = G.num_nodes
    new: dict[str, Any] = {"labels": [7] * n, "positions": [[3.0, 4.0]] * n, "attributes": [[5.0]] * n}
    for key, values in new.items():
        change = getattr(G, f"with_{key}")
        assert everything(change(values)) == everything(G) | {key: values}
        assert everything(change(None)) == everything(G) | {key: None}
    plain = {key: value for key, value in everything(G).items() if not key.startswith("info")}
    assert everything(G.with_info({"x": range(n)})) == plain | {"info x": list(range(n))}
    assert everything(G.with_title("other")) == everything(G) | {"title": "other"}
    if "km" in G.info:
        sizes = [[size, share] for size, share in zip(G.info["km"], G.info["share"], strict=True)]
        assert G.with_attributes(["km", "share"]).attributes.tolist() == sizes
        for names, words in ((["none"], "No column 'none'; this graph has"), (["city"], "'city' is text")):
            with pytest.raises(GraphError, match=words):
                G.with_attributes(names)


def test_a_digest_covers_edges_and_chosen_columns() -> None:
    G = Graph.from_edges(SQUARE, 5).with_attributes(np.ones((5, 1))).with_labels([0, 1, 0, 1, -1])
    bare = Graph.from_edges(SQUARE, 5)
    alike = {  # which of the digests of (edges), (edges, attributes), (edges, labels), (all) stay the same
        (False, False, False, False): [G.without_edges([(0, 1)]), Graph.from_edges(SQUARE, 6)],
        (True, False, True, False): [G.with_attributes(np.ones((5, 1)) * 2), G.with_attributes(np.ones((5, 2)))],
        (True, True, False, False): [G.with_labels([0, 1, 0, 1, 1])],
        (True, False, False, False): [bare, bare.with_attributes(np.array([[0.0], [1], [0], [1], [-1]]))],
        (True, True, True, True): [G.with_title("T").with_info({"x": range(5)}).with_positions(np.eye(5)[:, :2])],
    }
    for expected, others in alike.items():
        for H in others:
            ways = [
                {"attributes": a, "labels": b} for a, b in ((False, False), (True, False), (False, True), (True, True))
            ]
            assert tuple(G.digest(**how) == H.digest(**how) for how in ways) == expected
    assert G.digest() == G.digest(attributes=True, labels=False)
    renamed = Graph.from_edges([(v, u) for u, v in reversed(SQUARE)], 5, names=list("abcde"))
    assert renamed.digest() == bare.digest()


def test_repr_says_what_it_is() -> None:
    G = Graph.from_edges(SQUARE, 1_000, labels=[0, 1, -1, -1] * 250, title="square")
    assert repr(G) == "Graph('square', 1,000 nodes, 4 edges, 2 classes)"
    assert repr(Graph.from_edges(SQUARE, names=list("4321"))) == "Graph(4 nodes, 4 edges, ids renumbered)"


# ---- networkx and PyG --------------------------------------------------------------------------------------


def test_networkx_ids_that_spell_the_numbers_are_the_numbers_and_name_names_them() -> None:
    for ids in (["2", "0", "1"], [2, 0, 1]):
        graph = nx.Graph([(ids[0], ids[1]), (ids[1], ids[2])])
        G = Graph.from_networkx(graph)
        assert (G.names, G.edges.tolist()) == (("0", "1", "2"), [[0, 1], [0, 2]])
        nx.set_node_attributes(graph, dict(zip(ids, ("cai", "ana", "ben"), strict=True)), "name")
        G = Graph.from_networkx(graph)
        assert (G.names, G.edges.tolist(), dict(G.info)) == (("ana", "ben", "cai"), [[0, 1], [0, 2]], {})
        for bad in ("ana", "", None):  # twice, or nothing: no name for a node then
            graph.nodes[ids[2]]["name"] = bad
            assert Graph.from_networkx(graph).names == ("0", "1", "2")


@pytest.mark.parametrize(
    ("attributes", "kept"),
    [
        ({"pos": (0.5, 1)}, []),
        ({"x": 0.5, "y": 1}, []),
        ({"longitude": 0.5, "latitude": 1}, ["latitude", "longitude"]),
        ({"viz": {"position": {"x": 0.5, "y": 1, "z": 0}, "color": "red"}}, []),
        ({"pos": (0.5, 1), "x": 7, "y": 8}, ["x", "y"]),
    ],
)
def test_networkx_positions_by_each_of_their_names(attributes, kept) -> None:
    graph = nx.Graph()
    graph.add_nodes_from(["a", "b"], **attributes)
    G = Graph.from_networkx(graph)
    assert G.positions.tolist() == [[0.5, 1.0], [0.5, 1.0]]
    assert sorted(G.info) == kept
    graph.nodes["b"].clear()  # known of one node only: shown, not drawn
    assert Graph.from_networkx(graph).positions is None


def test_networkx_ids_become_names_and_a_named_attribute_labels() -> None:
    graph = nx.MultiDiGraph([("b", "a"), ("a", "b"), ("a", "b"), ("a", "a")])
    nx.set_node_attributes(graph, {"a": 1, "b": 0}, "club")
    graph.edges["a", "b", 0]["weight"] = 2.0
    G = Graph.from_networkx(graph, label="club")
    assert (G.names, G.labels.tolist(), dict(G.info)) == (("b", "a"), [0, 1], {})
    assert G.cleaning == Cleaning(
        self_loops=1, duplicates=1, reversed_duplicates=1, direction_ignored=True, weights_ignored=True
    )
    assert (plain := Graph.from_networkx(graph)).labels is None and plain.info["club"].tolist() == [0, 1]
    nx.set_node_attributes(graph, {"a": True, "b": False}, "label")  # truths are no classes
    assert Graph.from_networkx(graph).labels is None
    with pytest.raises(GraphError, match=r"No node attribute 'klub' .* there are \['club', 'label'\]"):
        Graph.from_networkx(graph, label="klub")


@pytest.mark.parametrize("with_labels", [False, True])
def test_columns_called_as_networkx_calls_ours_survive_a_round_trip(with_labels: bool) -> None:
    info = {"label": ["red", "blue", "red"], "name": ["x", "x", "y"], "pos": ["left", "right", "left"]}
    G = Graph.from_edges([(0, 1), (1, 2)], info=info, labels=[1, 0, 1] if with_labels else None)
    back = Graph.from_networkx(G.to_networkx())
    called = "label_" if with_labels else "label"
    assert sorted(back.info) == sorted(["name", "pos", called])
    assert back.info[called].tolist() == info["label"]
    assert (back.labels is None) != with_labels


def test_pyg_data_both_ways_keeps_what_each_node_has() -> None:
    import torch
    from torch_geometric.data import Data

    there_and_back = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    x, mask = torch.tensor([[0.5, 1.0], [2.0, 0.0], [0.1, 3.0]]), torch.tensor([True, False, True])
    data = Data(x, there_and_back, y=torch.tensor([0.5, -1.5, 2.0]), train_mask=mask, names=["a", "b", "c"])
    again = Graph.from_pyg(data).to_pyg()
    for key in ("x", "edge_index", "y", "train_mask"):
        assert torch.equal(again[key], data[key]), key
    assert again.names == data.names
    assert Graph.from_pyg(data).labels is None  # real numbers are no classes
    data.y = torch.tensor([[2], [0], [1]])
    assert Graph.from_pyg(data).to_pyg().y.tolist() == [2, 0, 1]
    G = Graph.from_edges([(0, 1)], info={"x": [1, 2], "keys": [3, 4], "size": [5, 6], "km": [7, 8], "city": ["p", "q"]})
    assert sorted(G.to_pyg().to_dict()) == ["edge_index", "km", "num_nodes"]  # nothing that means something else there


def test_pyg_directed_edges_and_weights_are_reported() -> None:
    import torch
    from torch_geometric.data import Data

    twice = Data(edge_index=torch.tensor([[0, 0, 1, 1, 2], [1, 1, 0, 0, 2]]), num_nodes=3)
    assert Graph.from_pyg(twice).cleaning == Cleaning(self_loops=1, duplicates=1, isolated=1)
    one_way = torch.tensor([[0, 1], [1, 2]])
    for weights in ({"edge_weight": torch.ones(2)}, {"edge_attr": torch.ones(2, 1)}):
        G = Graph.from_pyg(Data(edge_index=one_way, num_nodes=4, **weights))
        assert G.cleaning == Cleaning(direction_ignored=True, weights_ignored=True, isolated=1)


def test_pyg_without_a_proper_edge_index_is_refused() -> None:
    import torch
    from torch_geometric.data import Data

    for data, words in (
        (Data(x=torch.ones(2, 1)), "no edge_index, so it holds no graph"),
        (Data(edge_index=torch.zeros(3, 2, dtype=torch.long), num_nodes=3), r"shape \[2, m\], not int64 \[3, 2\]"),
        (Data(edge_index=torch.zeros(2, dtype=torch.long), num_nodes=3), r"shape \[2, m\], not int64 \[2\]"),
        (Data(edge_index=torch.zeros(2, 2), num_nodes=3), "not float32"),
        (Data(adj_t=torch.eye(3).to_sparse_csr()), r"has adj_t: use T.ToSparseTensor\(remove_edge_index=False\)"),
    ):
        with pytest.raises(GraphError, match=words):
            Graph.from_pyg(data)


@pytest.mark.parametrize("pos", [[0.5, 1.5], [(0.5,), (1.5,)]])
def test_positions_of_one_number_are_no_positions(pos) -> None:
    import torch

    theirs = nx.path_graph(2)
    nx.set_node_attributes(theirs, dict(enumerate(pos)), "pos")
    assert Graph.from_networkx(theirs).positions is None
    data = Graph.from_edges([(0, 1)]).to_pyg()
    data.pos = torch.tensor(pos)
    assert Graph.from_pyg(data).positions is None
    data.pos = torch.tensor([(1.0, 2.0, 3.0)] * 2)
    assert Graph.from_pyg(data).positions.tolist() == [[1, 2], [1, 2]]


# ---- graphs made from this one, and distances -------------------------------------------------------------------


@given(decorated(), st.data())
def test_without_edges_and_cut_agree_with_networkx_and_leave_all_else(G: Graph, data) -> None:
    drop = data.draw(st.lists(st.sampled_from(G.edges.tolist()))) if G.num_edges else []
    S = data.draw(st.permutations(range(G.num_nodes)))[: data.draw(st.integers(1, G.num_nodes))]
    by_number = np.array(S)
    for made, gone in (
        (G.without_edges(np.array([(v, u) for u, v in drop], dtype=np.int64).reshape(-1, 2)), drop),
        *[(G.cut(T), [(u, v) for u in S for v in S]) for T in (by_number, by_number[::-1], [G.names[v] for v in S])],
        (G.cut(by_number).cut(by_number), [(u, v) for u in S for v in S]),
    ):
        slow = G.to_networkx()
        slow.remove_edges_from(gone)
        assert made.edges.tolist() == sorted(sorted(e) for e in slow.edges)
        assert [made.neighbors(np.int64(v)).tolist() for v in range(G.num_nodes)] == [sorted(slow[v]) for v in slow]
        assert everything(made, "edges") == everything(G, "edges")
    assert (G.cut(by_number) is G) == (not G.has_edges([(u, v) for u in by_number for v in by_number]).any())


@given(graphs_with_targets(8, 3), st.data())
def test_distances_are_those_of_networkx(case, data) -> None:
    G, S = case
    n = G.num_nodes
    sets = np.array([S, S[::-1], data.draw(st.permutations(range(n)))[: len(S)]])
    whole = dict(nx.all_pairs_shortest_path_length(G.to_networkx()))
    cut = [dict(nx.all_pairs_shortest_path_length(G.cut(T).to_networkx())) for T in sets]
    expected = [[[far[v].get(u, -1) for u in range(n)] for v in T] for far, T in zip(cut, sets.tolist(), strict=True)]
    assert set_distances(G, sets, cut=True).tolist() == expected
    inside = [[[far[v].get(u, -1) for u in T] for v in T] for far, T in zip(cut, sets.tolist(), strict=True)]
    assert inner_distances(G, sets).tolist() == inside  # each set is cut by itself
    expected = [[[whole[v].get(u, -1) for u in range(n)] for v in T] for T in sets.tolist()]
    assert set_distances(G, sets).tolist() == expected
    assert (
        distances(G, S).tolist() == expected[0]
        and distances(G, S, cut=True).tolist() == set_distances(G, sets[:1], True)[0].tolist()
    )
    nearest = [min((d for d in column if d >= 0), default=-1) for column in zip(*expected[0], strict=True)]
    assert distance_to_set(G, np.array(S)).tolist() == nearest
    around = [[u for u in range(n) if nearest[u] == far] for far in range(max(nearest) + 1)]
    assert [ring.tolist() for ring in rings(G, np.array(S))] == around
    parts = sorted(sorted(part) for part in nx.connected_components(G.to_networkx()))
    assert sorted(np.flatnonzero(components(G) == k).tolist() for k in range(len(parts))) == parts
    nodes = np.sort(S)
    indptr, indices = induced(G, nodes)
    part = G.to_networkx().subgraph(nodes.tolist())
    linked = [nodes[row].tolist() for row in np.split(indices, indptr[1:-1])]
    assert linked == [sorted(part[u]) for u in nodes.tolist()]
