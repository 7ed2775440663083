"""Graph: every way in and out, what is cleaned, what is refused, and that nothing can be changed."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from degnn_explore import Cleaning, Graph, GraphError, TargetError
from degnn_explore.graphs.distances import distances, set_distances

from ..strategies import graphs, graphs_with_targets

SQUARE = [(0, 1), (1, 2), (2, 3), (3, 0)]
pair_lists = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=30)


# ---- from edges, and what is cleaned --------------------------------------------------------------------


def test_csr_arrays_of_a_path():
    G = Graph.from_edges([(2, 1), (0, 1)])
    assert G.indptr.tolist() == [0, 1, 3, 4]
    assert G.indices.tolist() == [1, 0, 2, 1]
    assert (G.indptr.dtype, G.indices.dtype) == (np.int64, np.int32)
    assert G.edges.tolist() == [[0, 1], [1, 2]]
    assert (G.num_nodes, G.num_edges, G.degrees.tolist(), G.names) == (3, 2, [1, 2, 1], ("0", "1", "2"))


def test_cleaning_counts_each_kind_apart():
    edges = [(0, 0), (3, 3), (0, 1), (0, 1), (0, 1), (1, 0), (1, 0), (1, 2)]
    G = Graph.from_edges(edges, num_nodes=5, directed=True, weighted=True)
    assert G.edges.tolist() == [[0, 1], [1, 2]]
    assert G.cleaning == Cleaning(
        self_loops=2, duplicates=3, reversed_duplicates=1, direction_ignored=True, weights_ignored=True, isolated=2
    )
    assert str(G.cleaning) == (
        "dropped 2 self-loops; merged 3 repeated edges; merged 1 edge given in both directions; "
        "ignored edge directions; ignored edge weights; kept 2 isolated nodes"
    )


def test_a_clean_input_is_reported_as_such():
    G = Graph.from_edges(SQUARE)
    assert not G.cleaning
    assert str(G.cleaning) == "nothing to clean"


@given(pair_lists)
def test_cleaning_adds_up(pairs):
    G = Graph.from_edges(pairs, num_nodes=8)
    c = G.cleaning
    assert len(pairs) == G.num_edges + c.self_loops + c.duplicates + c.reversed_duplicates
    assert c.self_loops == sum(u == v for u, v in pairs)
    assert c.reversed_duplicates == sum(u < v and (v, u) in set(pairs) for u, v in set(pairs))
    assert c.isolated == int((G.degrees == 0).sum())


@given(pair_lists)
def test_from_edges_agrees_with_networkx(pairs):
    G = Graph.from_edges(pairs, num_nodes=8)
    slow = nx.Graph((u, v) for u, v in pairs if u != v)
    slow.add_nodes_from(range(8))
    assert [set(G.neighbors(u).tolist()) for u in range(8)] == [set(slow[u]) for u in range(8)]
    assert all(np.all(np.diff(G.neighbors(u)) > 0) for u in range(8))
    assert {frozenset(e) for e in G.edges.tolist()} == {frozenset(e) for e in slow.edges}
    everything = [(u, v) for u in range(8) for v in range(8)]
    assert G.has_edges(everything).tolist() == [slow.has_edge(u, v) for u, v in everything]
    np.testing.assert_array_equal(G.to_scipy().toarray(), nx.to_numpy_array(slow, nodelist=range(8)))


def test_other_ids_become_names_in_order_of_appearance():
    G = Graph.from_edges([("b", "a"), ("a", ("x", 1))])
    assert G.names == ("b", "a", "('x', 1)")
    assert G.edges.tolist() == [[0, 1], [1, 2]]


def test_names_decide_the_numbers_of_text_ids():
    assert Graph.from_edges([("b", "a")], names=["a", "b", "c"]).edges.tolist() == [[0, 1]]


def test_whole_floats_are_node_numbers():
    assert Graph.from_edges(np.array([[0.0, 1.0], [1.0, 2.0]])).edges.tolist() == [[0, 1], [1, 2]]


def test_one_node_and_no_edge():
    G = Graph.from_edges([], num_nodes=1)
    assert (G.num_nodes, G.num_edges, G.edges.shape, G.cleaning.isolated) == (1, 0, (0, 2), 1)
    assert not G.has_edge(0, 0)


@pytest.mark.parametrize(
    ("edges", "options", "message"),
    [
        ([], {}, "needs at least one node"),
        ([(0, 1)], {"num_nodes": 0}, "needs at least one node"),
        ([(0, 1)], {"num_nodes": 2.5}, "num_nodes must be a whole number, not 2.5"),
        ([(0, 5)], {"num_nodes": 3}, r"names node 5, but the nodes are 0\.\.2"),
        ([(-1, 0)], {}, "names node -1"),
        ([(0, 1, 2)], {}, r"An edge is a pair of nodes, not \(0, 1, 2\)"),
        (["ab"], {}, "An edge is a pair of nodes, not 'ab'"),
        (7, {}, "Edges are pairs of nodes, not 7"),
        ([({}, 1)], {}, "Node ids must be hashable"),
        ([(0, 2**70)], {}, "above 2\\^63"),
        (np.zeros((2, 3), dtype=int), {}, r"an array of shape \[m, 2\], not \[2, 3\]"),
        ([(0, 1)], {"num_nodes": 2**40}, "1099511627776 nodes are too many: a graph has at most 20,000,000"),
        ([(0, 1)], {"names": ["a"], "num_nodes": 2}, "names has 1 entries for 2 nodes"),
        ([(0, 1)], {"names": ["a", "a"]}, "Two nodes are called 'a'"),
        ([("a", "z")], {"names": ["a", "b"]}, r"not in names: \['z'\]"),
        ([(0, 1)], {"labels": [0]}, r"one entry for each of the 2 nodes, not shape \[1\]"),
        ([(0, 1)], {"labels": [0, np.nan]}, "The label of node 1 is nan; use -1"),
        ([(0, 1)], {"labels": [0, 0.5]}, "these have fractions"),
        ([(0, 1)], {"labels": [0, -2]}, "or -1 for none, not -2"),
        ([(0, 1)], {"labels": ["a", "b"]}, "labels must be whole numbers"),
        ([(0, 1)], {"labels": [[1, 2], [3]]}, "labels must be whole numbers"),
        ([(0, 1)], {"positions": [[0, 0, 0]] * 2}, r"positions must have shape \[2, 2\], not \[2, 3\]"),
        ([(0, 1)], {"positions": [[0, 0], [0, np.inf]]}, r"positions of node 1 are \[0.0, inf\]"),
        ([(0, 1)], {"attributes": [["a"], ["b"]]}, "attributes must be numbers"),
        ([(0, 1)], {"info": {"city": ["x"]}}, "info 'city' has 1 entries for 2 nodes"),
    ],
)
def test_bad_input_is_named(edges, options, message):
    with pytest.raises(GraphError, match=message):
        Graph.from_edges(edges, **options)


def test_labels_may_be_whole_floats_and_minus_one():
    assert Graph.from_edges([(0, 1)], labels=[2.0, -1.0]).labels.tolist() == [2, -1]


def test_info_is_numbers_or_text():
    info = {"n": [1, 2], "mixed": [1, "a"], "gaps": [None, 2], "lists": [[1, 2], [3]], "long": ["a" * 20_000_000, "b"]}
    G = Graph.from_edges([(0, 1)], info=info)
    assert G.info["n"].tolist() == [1, 2]
    assert G.info["mixed"].tolist() == ["1", "a"]
    assert G.info["gaps"].tolist() == ["", "2"]
    assert G.info["lists"].tolist() == ["[1, 2]", "[3]"]
    assert G.info["long"].nbytes < 1000  # one long cell does not widen the others


# ---- immutable --------------------------------------------------------------------------------------------


def full_graph() -> Graph:
    return Graph.from_edges(
        SQUARE,
        names=list("abcd"),
        labels=[0, 1, 0, -1],
        positions=np.eye(4)[:, :2],
        attributes=np.arange(8.0).reshape(4, 2),
        info={"city": list("uvwx")},
        title="square",
    )


def all_arrays(G: Graph) -> list[np.ndarray]:
    return [
        G.indptr,
        G.indices,
        G.labels,
        G.positions,
        G.attributes,
        G.info["city"],
        G.degrees,
        G.edges,
        G.neighbors(0),
    ]


@pytest.mark.parametrize(
    "derive",
    [
        lambda G: G,
        lambda G: G.cut({0, 1}),
        lambda G: G.without_edges([(0, 1)]),
        lambda G: G.relabel([3, 2, 1, 0]),
        lambda G: pickle.loads(pickle.dumps(G)),
        copy.deepcopy,
    ],
    ids=["new", "cut", "without", "relabel", "pickle", "copy"],
)
def test_nothing_can_be_changed(derive):
    G = derive(full_graph())
    for array in all_arrays(G):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[0]
    with pytest.raises(dataclasses.FrozenInstanceError):
        G.title = "other"
    with pytest.raises(TypeError):
        G.info["city"] = None
    with pytest.raises(TypeError):
        Graph.from_edges(SQUARE).info["new"] = None


def test_the_caller_s_arrays_are_copied():
    pairs, positions, labels = np.array(SQUARE), np.zeros((4, 2)), np.zeros(4, dtype=np.int64)
    G = Graph.from_edges(pairs, positions=positions, labels=labels)
    pairs[0], positions[0], labels[0] = 9, 9, 9
    assert G.edges.tolist() == [[0, 1], [0, 3], [1, 2], [2, 3]]
    assert not G.positions.any()
    assert not G.labels.any()


def test_a_pickled_graph_is_the_same():
    G, H = full_graph(), pickle.loads(pickle.dumps(full_graph()))
    for a, b in zip(all_arrays(G), all_arrays(H), strict=True):
        np.testing.assert_array_equal(a, b)
    assert (H.names, H.title, H.cleaning) == (G.names, G.title, G.cleaning)


# ---- networkx and PyG --------------------------------------------------------------------------------------


def test_networkx_both_ways_keeps_everything_it_can_hold():
    G = full_graph()
    H = Graph.from_networkx(G.to_networkx())
    assert (H.names, H.labels.tolist(), H.info["city"].tolist(), H.title) == (
        G.names,
        G.labels.tolist(),
        G.info["city"].tolist(),
        "square",
    )
    np.testing.assert_array_equal(H.edges, G.edges)
    np.testing.assert_array_equal(H.positions, G.positions)


@given(graphs())
def test_networkx_and_pyg_both_ways(G):
    for H in (Graph.from_networkx(G.to_networkx()), Graph.from_pyg(G.to_pyg())):
        assert H.num_nodes == G.num_nodes
        np.testing.assert_array_equal(H.edges, G.edges)
        assert dataclasses.replace(H.cleaning, isolated=0) == Cleaning()


def test_networkx_integers_stay_numbers_in_whatever_order_they_came():
    G = Graph.from_networkx(nx.Graph([(2, 0), (0, 1)]))
    assert G.edges.tolist() == [[0, 1], [0, 2]]
    assert G.names == ("0", "1", "2")


def test_networkx_ids_that_spell_the_numbers_are_the_numbers_and_name_names_them():
    graph = nx.Graph([("2", "0"), ("0", "1")])
    assert Graph.from_networkx(graph).edges.tolist() == [[0, 1], [0, 2]]
    nx.set_node_attributes(graph, {"2": "cai", "0": "ana", "1": "ben"}, "name")
    G = Graph.from_networkx(graph)
    assert (G.names, G.edges.tolist(), dict(G.info)) == (("ana", "ben", "cai"), [[0, 1], [0, 2]], {})
    nx.set_node_attributes(graph, {"1": "ana"}, "name")  # twice: no name for a node then
    assert Graph.from_networkx(graph).names == ("0", "1", "2")


@pytest.mark.parametrize(
    ("attributes", "kept"),
    [
        ({"pos": (0.5, 1)}, []),
        ({"x": 0.5, "y": 1}, []),
        ({"longitude": 0.5, "latitude": 1}, ["latitude", "longitude"]),
        ({"viz": {"position": {"x": 0.5, "y": 1, "z": 0}, "color": "red"}}, []),
    ],
)
def test_networkx_positions_by_each_of_their_names(attributes, kept):
    graph = nx.Graph()
    graph.add_nodes_from(["a", "b"], **attributes)
    G = Graph.from_networkx(graph)
    assert G.positions.tolist() == [[0.5, 1.0], [0.5, 1.0]]
    assert sorted(G.info) == kept
    graph.nodes["b"].clear()  # known of one node only: shown, not drawn
    assert Graph.from_networkx(graph).positions is None


def test_networkx_ids_become_names_and_a_named_attribute_labels():
    graph = nx.MultiDiGraph([("b", "a"), ("a", "b"), ("a", "b"), ("a", "a")])
    nx.set_node_attributes(graph, {"a": 1, "b": 0}, "club")
    graph.edges["a", "b", 0]["weight"] = 2.0
    G = Graph.from_networkx(graph, label="club")
    assert (G.names, G.labels.tolist(), dict(G.info)) == (("b", "a"), [0, 1], {})
    assert G.cleaning == Cleaning(
        self_loops=1, duplicates=1, reversed_duplicates=1, direction_ignored=True, weights_ignored=True
    )
    with pytest.raises(GraphError, match=r"No node attribute 'klub' .* there are \['club'\]"):
        Graph.from_networkx(graph, label="klub")


def test_pyg_both_ways_keeps_attributes_labels_positions_names():
    G = full_graph()
    H = Graph.from_pyg(G.to_pyg())
    assert (H.names, H.labels.tolist()) == (G.names, G.labels.tolist())
    np.testing.assert_array_equal(H.attributes, G.attributes)
    np.testing.assert_array_equal(H.positions, G.positions)
    assert not H.cleaning


def test_pyg_data_both_ways_keeps_what_each_node_has():
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


def test_pyg_directed_edges_and_weights_are_reported():
    import torch
    from torch_geometric.data import Data

    twice = Data(edge_index=torch.tensor([[0, 0, 1, 1, 2], [1, 1, 0, 0, 2]]), num_nodes=3)
    assert str(Graph.from_pyg(twice).cleaning) == "dropped 1 self-loop; merged 1 repeated edge; kept 1 isolated node"
    G = Graph.from_pyg(Data(edge_index=torch.tensor([[0, 1], [1, 2]]), edge_weight=torch.ones(2), num_nodes=4))
    assert G.cleaning == Cleaning(direction_ignored=True, weights_ignored=True, isolated=1)


def test_pyg_without_a_proper_edge_index_is_refused():
    import torch
    from torch_geometric.data import Data

    with pytest.raises(GraphError, match="no edge_index"):
        Graph.from_pyg(Data(x=torch.ones(2, 1)))
    with pytest.raises(GraphError, match=r"whole numbers of shape \[2, m\], not int64 \[3, 2\]"):
        Graph.from_pyg(Data(edge_index=torch.zeros(3, 2, dtype=torch.long), num_nodes=3))
    with pytest.raises(GraphError, match="not float32"):
        Graph.from_pyg(Data(edge_index=torch.zeros(2, 2), num_nodes=3))
    with pytest.raises(GraphError, match=r"has adj_t: use T.ToSparseTensor\(remove_edge_index=False\)"):
        Graph.from_pyg(Data(adj_t=torch.eye(3).to_sparse_csr()))


# ---- target sets, edges asked for, graphs made from this one ---------------------------------------------------


def test_target_sets_by_number_name_and_kind():
    G = Graph.from_edges([("a", "b"), ("b", "c")])
    assert G.target_set(2).tolist() == [2]
    assert G.target_set("c").tolist() == [2]
    assert G.target_set(["c", 0]).tolist() == [2, 0]
    assert G.target_set({2, 0}).tolist() == [0, 2]
    assert G.target_set(np.array([1, 0], dtype=np.int32)).tolist() == [1, 0]
    assert G.target_set(range(3)).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("S", "message"),
    [
        ([], "empty"),
        (set(), "empty"),
        ("", "No node is called ''"),
        ([0, 0], "Node 0 occurs twice"),
        ([0, 1, 2, 0], "Node 0 occurs twice"),
        (np.array([2, 0, 1, 2]), "Node 2 occurs twice"),
        (["a", 0], "Node 0 occurs twice"),
        (3, r"Node 3 is not in the graph; its nodes are 0\.\.2"),
        (-1, "Node -1"),
        ("alise", "No node is called 'alise'. Did you mean 'alice'?"),
        (1.0, "a node or several nodes, not 1.0"),
        ([1.5], "not 1.5"),
        (True, "not True"),
        (None, "not None"),
        ([None], "not None"),
        (np.array(1), "not array"),
        ([[0, 1]], r"not \[0, 1\]"),
    ],
)
def test_bad_target_sets_are_named(S, message):
    G = Graph.from_edges([(0, 1), (1, 2)], names=["a", "alice", "c"])
    with pytest.raises(TargetError, match=message.replace("?", r"\?")):
        G.target_set(S)


def test_pairs_outside_the_graph_are_refused_not_mistaken_for_others():
    G = Graph.from_edges([(1, 2)], num_nodes=5)
    for pairs in ([(0, 7)], [(-1, 2)]):  # 0 * 5 + 7 = 1 * 5 + 2
        with pytest.raises(TargetError, match="is not in the graph"):
            G.has_edges(pairs)
        with pytest.raises(TargetError, match="is not in the graph"):
            G.without_edges(pairs)
    with pytest.raises(TargetError, match=r"A node is a number 0\.\.4 or a name, not 0\.5"):
        G.has_edges([(0.5, 1)])
    with pytest.raises(TargetError, match=r"Pairs of nodes have shape \[k, 2\], not float64"):
        G.has_edges(np.array([(0.5, 1)]))
    assert G.has_edges([]).tolist() == []


@given(graphs(), st.data())
def test_without_edges_agrees_with_networkx(G, data):
    drop = data.draw(st.lists(st.sampled_from(G.edges.tolist()))) if G.num_edges else []
    slow = G.to_networkx()
    slow.remove_edges_from(drop)
    fewer = G.without_edges([(v, u) for u, v in drop])
    assert fewer.num_nodes == G.num_nodes
    assert fewer.edges.tolist() == sorted(sorted(e) for e in slow.edges)
    assert fewer.degrees.tolist() == [slow.degree[u] for u in range(G.num_nodes)]


@given(graphs_with_targets())
def test_cut_removes_the_edges_inside_and_no_other(case):
    G, S = case
    inside = set(S)
    assert G.cut(S).edges.tolist() == [[u, v] for u, v in G.edges.tolist() if not {u, v} <= inside]


@given(graphs_with_targets())
def test_cut_in_any_order_and_twice_is_the_same_and_leaves_all_else(case):
    G, S = case
    G = G.with_labels(range(G.num_nodes)).with_attributes(np.eye(G.num_nodes)).with_title("G")
    cut = G.cut(S)
    for other in (G.cut(S[::-1]), G.cut(set(S)), cut.cut(S), G.cut(np.array(S)), G.cut([str(v) for v in S])):
        np.testing.assert_array_equal(other.indptr, cut.indptr)
        np.testing.assert_array_equal(other.indices, cut.indices)
    slow = G.to_networkx()
    slow.remove_edges_from([(u, v) for u in S for v in S])
    assert cut.degrees.tolist() == [slow.degree[u] for u in range(G.num_nodes)]
    assert [cut.neighbors(v).tolist() for v in range(G.num_nodes)] == [sorted(slow[v]) for v in range(G.num_nodes)]
    assert cut.labels is G.labels and cut.attributes is G.attributes and (cut.names, cut.title) == (G.names, "G")


@given(graphs_with_targets())
def test_distances_with_cut_are_those_of_the_cut_graph(case):
    G, S = case
    slow = dict(nx.all_pairs_shortest_path_length(G.cut(S).to_networkx()))
    expected = [[slow[v].get(u, -1) for u in range(G.num_nodes)] for v in S]
    assert distances(G, S, cut=True).tolist() == distances(G.cut(S), S).tolist() == expected
    sets = np.array([S, S[::-1]])
    whole = dict(nx.all_pairs_shortest_path_length(G.to_networkx()))
    expected = [[[whole[v].get(u, -1) for u in range(G.num_nodes)] for v in row] for row in sets.tolist()]
    assert set_distances(G, sets).tolist() == expected


def test_each_target_set_is_cut_by_itself():
    G = Graph.from_edges(SQUARE)
    assert set_distances(G, np.array([[0, 1], [1, 2]]), cut=True).tolist() == [
        [[0, 3, 2, 1], [3, 0, 1, 2]],  # without 0-1 alone
        [[1, 0, 3, 2], [2, 3, 0, 1]],  # without 1-2 alone
    ]


def test_cut_of_a_set_without_inner_edges_is_the_graph_itself():
    G = Graph.from_edges(SQUARE)
    assert G.cut({0, 2}) is G


@given(graphs(), st.integers(0, 2**32 - 1))
def test_relabel_renames_and_can_be_undone(G, seed):
    order = np.random.default_rng(seed).permutation(G.num_nodes)
    H = G.with_labels(np.arange(G.num_nodes)).relabel(order)
    assert H.labels.tolist() == order.tolist()
    assert {frozenset(order[list(e)].tolist()) for e in H.edges.tolist()} == {frozenset(e) for e in G.edges.tolist()}
    np.testing.assert_array_equal(H.relabel(np.argsort(order)).edges, G.edges)


def test_relabel_moves_every_column():
    H = full_graph().relabel([3, 0, 1, 2])
    assert (H.names, H.labels.tolist(), H.info["city"].tolist()) == (tuple("dabc"), [-1, 0, 1, 0], ["x", "u", "v", "w"])
    assert H.attributes[0].tolist() == [6, 7]
    with pytest.raises(TargetError, match=r"Node 0 occurs twice"):
        full_graph().relabel([0, 0, 1, 2])
    with pytest.raises(GraphError, match=r"name each node 0\.\.3 exactly once"):
        full_graph().relabel([0, 1, 2])


def test_attributes_from_columns():
    G = Graph.from_edges([(0, 1)], info={"age": [3, 4], "city": ["x", "y"]})
    assert G.with_attributes(["age"]).attributes.tolist() == [[3.0], [4.0]]
    with pytest.raises(GraphError, match=r"No column 'size'; this graph has \['age', 'city'\]"):
        G.with_attributes(["size"])
    with pytest.raises(GraphError, match="Column 'city' is text"):
        G.with_attributes(["city"])


def test_a_digest_covers_edges_and_chosen_columns():
    G = Graph.from_edges(SQUARE, 5).with_attributes(np.ones((5, 1))).with_labels([0, 1, 0, 1, -1])
    others = {
        "edges": G.without_edges([(0, 1)]),
        "nodes": Graph.from_edges(SQUARE, 6),
        "attributes": G.with_attributes(np.ones((5, 1)) * 2),
        "shape of attributes": G.with_attributes(np.ones((5, 2))),
        "labels": G.with_labels([0, 1, 0, 1, 1]),
    }
    for what, H in others.items():
        assert G.digest(labels=True) != H.digest(labels=True), what
        if what in ("attributes", "shape of attributes"):
            assert G.digest() != H.digest() and G.digest(attributes=False) == H.digest(attributes=False)
        if what == "labels":
            assert G.digest() == H.digest()
    bare = Graph.from_edges(SQUARE, 5)
    assert bare.digest() == G.digest(attributes=False) != G.digest()
    renamed = Graph.from_edges(
        SQUARE, 5, names=list("abcde"), title="T", info={"x": range(5)}, positions=np.eye(5)[:, :2]
    )
    assert renamed.digest(labels=True) == bare.digest(labels=True)


def test_repr_says_what_it_is():
    assert repr(full_graph()) == "Graph('square', 4 nodes, 4 edges, 2 classes)"


@pytest.mark.parametrize("with_labels", [False, True])
def test_columns_called_as_networkx_calls_ours_survive_a_round_trip(with_labels: bool) -> None:
    info = {"label": ["red", "blue", "red"], "name": ["x", "x", "y"], "pos": ["left", "right", "left"]}
    G = Graph.from_edges([(0, 1), (1, 2)], info=info, labels=[1, 0, 1] if with_labels else None)
    back = Graph.from_networkx(G.to_networkx())
    assert sorted(map(str, back.info)) == sorted(["name", "pos", "label_" if with_labels else "label"])
    assert back.info["label_" if with_labels else "label"].tolist() == info["label"]
    assert (back.labels is None) != with_labels


def test_none_removes_labels_attributes_and_positions() -> None:
    G = Graph.from_edges([(0, 1)], labels=[0, 1], attributes=np.eye(2), positions=np.eye(2))
    assert G.with_labels(None).labels is None and G.with_labels(None).attributes is not None
    assert G.with_attributes(None).attributes is None and G.with_attributes(None).labels is not None
    assert G.with_positions(None).positions is None


@pytest.mark.parametrize("pos", [[0.5, 1.5], [(0.5,), (1.5,)]])
def test_positions_of_one_number_are_no_positions(pos) -> None:
    torch = pytest.importorskip("torch")
    theirs = nx.path_graph(2)
    nx.set_node_attributes(theirs, dict(enumerate(pos)), "pos")
    assert Graph.from_networkx(theirs).positions is None
    data = Graph.from_edges([(0, 1)]).to_pyg()
    data.pos = torch.tensor(pos)
    assert Graph.from_pyg(data).positions is None
