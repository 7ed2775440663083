"""Graph: every way in and out, what is cleaned, what is refused, and that nothing can be changed."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from degnn_explore import Cleaning, Graph, GraphError, ParameterError, TargetError, disjoint_union
from degnn_explore.graphs.build import frozen

from ..strategies import graphs

SQUARE = [(0, 1), (1, 2), (2, 3), (3, 0)]
COLUMNS = ("labels", "positions", "attributes")


@st.composite
def decorated(draw: st.DrawFn, parts: bool = True) -> Graph:
    """A graph with some of the columns that a graph can have."""
    G = draw(graphs(7))
    n = G.num_nodes
    quarters = st.integers(-8, 8).map(lambda x: x / 4)  # float32 holds them
    width = draw(st.integers(1, 3))
    name = draw(st.sampled_from(["node {}", "{}0"]))  # words, or numbers other than 0..n-1
    columns: dict[str, Any] = {
        "names": [name.format(i) for i in draw(st.permutations(range(1, n + 1)))],
        "labels": draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n)),
        "positions": draw(st.lists(st.tuples(quarters, quarters), min_size=n, max_size=n)),
        "attributes": draw(st.lists(st.lists(quarters, min_size=width, max_size=width), min_size=n, max_size=n)),
        "info": {"city": [f"city {i % 3}" for i in range(n)], "km": list(range(n)), "share": [i / 4 for i in range(n)]},
        "title": "mine",
    }
    chosen = draw(st.sets(st.sampled_from(sorted(columns))))
    G = Graph.from_edges(G.edges, n, **{key: columns[key] for key in chosen})
    return dataclasses.replace(G, parts=frozen(np.arange(n) // 2)) if parts and draw(st.booleans()) else G


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
    assert (G.indptr.dtype, G.indices.dtype, G.to_scipy().dtype) == (np.int64, np.int32, np.float64)
    assert [G.neighbors(u).tolist() for u in range(8)] == [sorted(slow[u]) for u in range(8)]
    assert G.edges.tolist() == sorted(sorted(e) for e in slow.edges)
    assert (G.num_nodes, G.num_edges) == (8, slow.number_of_edges())
    assert G.degrees.tolist() == [slow.degree[u] for u in range(8)]
    every_pair = [(u, v) for u in range(8) for v in range(8)]
    assert G.has_edges(every_pair).tolist() == [slow.has_edge(u, v) for u, v in every_pair]
    np.testing.assert_array_equal(G.to_scipy().toarray(), nx.to_numpy_array(slow, nodelist=range(8)))
    loops = sum(u == v for u, v in pairs)
    both_ways = sum(u < v and (v, u) in set(pairs) for u, v in set(pairs))
    repeated = len(pairs) - loops - both_ways - G.num_edges
    isolated = nx.number_of_isolates(slow)
    assert G.cleaning == Cleaning(loops, repeated, both_ways, directed, weighted, isolated)
    changes = {"dropped": loops, "repeated": repeated, "both directions": both_ways, "edge directions": directed}
    changes |= {"edge weights": weighted, "isolated": isolated}
    assert {word: word in str(G.cleaning) for word in changes} == {word: bool(n) for word, n in changes.items()}
    assert bool(G.cleaning) == any(changes.values()) == (str(G.cleaning) != "nothing to clean")


@pytest.mark.parametrize(
    ("edges", "options", "names", "expected"),
    [
        ([("b", "a"), ("a", ("x", 1))], {}, ("b", "a", "('x', 1)"), [[0, 1], [1, 2]]),
        ([("c", "a")], {"names": ["a", "b", "c"]}, ("a", "b", "c"), [[0, 2]]),
        (np.array([[0.0, 1.0], [1.0, 2.0]]), {}, ("0", "1", "2"), [[0, 1], [1, 2]]),
        (np.array([[0.5, 1.0]]), {}, ("0.5", "1.0"), [[0, 1]]),
        (iter([np.array([2, 1]), [0, 1]]), {}, ("0", "1", "2"), [[0, 1], [1, 2]]),
        ([(True, False)], {}, ("True", "False"), [[0, 1]]),
        (np.array([[0, 1]], dtype=np.uint8), {"num_nodes": np.int64(3)}, ("0", "1", "2"), [[0, 1]]),
        ([], {"num_nodes": 1}, ("0",), []),
        ([], {"names": ["x", 7]}, ("x", "7"), []),
    ],
    ids=range(9),
)
def test_edges_may_be_written_in_many_ways(edges, options, names, expected) -> None:
    G = Graph.from_edges(edges, **options)
    assert (G.names, G.edges.tolist(), G.edges.shape) == (names, expected, (len(expected), 2))


def test_columns_may_be_written_in_many_ways() -> None:
    info = {"n": [1, 2], "mixed": [1, "a"], "gaps": [None, 2], "lists": [[1, 2], [3]], 7: [[1, 2], [3, 4]]}
    G = Graph.from_edges([(0, 1)], info=info, labels=[2.0, -1.0], attributes=[3, -1e18])
    assert {key: column.tolist() for key, column in G.info.items()} == {
        "n": [1, 2], "mixed": ["1", "a"], "gaps": ["", "2"], "lists": ["[1, 2]", "[3]"], "7": ["[1, 2]", "[3, 4]"]
    }  # fmt: skip
    assert G.labels.tolist() == [2, -1] and G.attributes.tolist() == [[3.0], [-1e18]]
    assert G.with_labels([2**53 - 1, False]).labels.tolist() == [2**53 - 1, 0]
    long = Graph.from_edges([], 1_000, info={"text": ["a" * 20_000] + ["b"] * 999, "short": ["c"] * 1_000}).info
    assert long["text"].nbytes < 10_000  # one long cell does not widen the others
    assert long["text"].tolist()[:2] == ["a" * 20_000, "b"] and long["short"].dtype.kind == "U"


@pytest.mark.parametrize(
    ("edges", "options", "words"),
    [
        ([(0, 1)], {"num_nodes": 0}, "at least one node"), ([(0, 1)], {"num_nodes": 2.5}, r"num_nodes .*2\.5"),
        ([(0, 1)], {"num_nodes": True}, "num_nodes .*True"), ([(0, 1)], {"num_nodes": 20_000_001}, "too many"),
        ([(0, 1)], {"num_nodes": 10**400}, r"1\.00e\+400 nodes"), ([(0, 2)], {"num_nodes": 2}, r"node 2, .*0\.\.1"),
        ([(-1, 5)], {"num_nodes": 3}, "node -1"), (7, {}, "not 7"), (["ab"], {}, "not 'ab'"), ([{0, 1}], {}, "pair"),
        ([np.eye(2)], {}, "pair"), ([({}, 1)], {}, "hashable"), ([(0, 2**70)], {}, r"2\^63"),
        (np.zeros((2, 3), dtype=int), {}, r"\[2, 3\]"), (np.zeros(2, dtype=int), {}, r"\[2\]"),
        ([(0, 1)], {"names": ["a"], "num_nodes": 2}, "names has 1 .*2 nodes"), ([(0, 1)], {"names": 7}, "names is 7"),
        ([(0, 1)], {"names": ["a", "a"]}, "called 'a'"), ([("a", "z")], {"names": ["a", "b"]}, r"\['z'\]"),
        ([("a", "\ud800")], {}, r"'\\ud800'.* surrogate"), ([("a", 10**5000)], {}, r"1\.00e\+5000"),
    ],
    ids=range(21),
)  # fmt: skip
def test_input_that_is_no_list_of_edges_is_refused(edges: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(GraphError, match=words):
        Graph.from_edges(edges, **options)


REFUSED: dict[str, list[Any]] = {  # columns of two nodes, the second of which is wrong
    r"labels? .*(node 1 is nan|whole|not -2|not 9|one entry)":
        [{"labels": [0, bad]} for bad in (np.nan, 0.5, -2, 2**53, 2**63, 10**400, "x", None, [3])],
    r"positions (of node 1 .*inf|must)":
        [{"positions": [[0, 0], bad]} for bad in ((0, np.inf), (0, 0, 0), (0,), (0, 10**400), ("a", "b"))],
    r"attributes (of node 1 .*(nan|-2e\+18)|must)":
        [{"attributes": [[0, 1, 2], bad]} for bad in ((3, np.nan, 5), (3, -2e18, 5), (0, 1), ("a",) * 3)],
    "surrogate": [{"names": ["a", "\udc00"]}, {"title": "\ud800"}, {"info": {"city": ["a", "\ud800"]}},
                  {"info": {"\ud800": [1, 2]}}],
    "info": [{"info": bad} for bad in ({"city": ["a"]}, {"city": 5}, [1, 2])],
}  # fmt: skip


@pytest.mark.parametrize(("words", "columns"), [(words, columns) for words in REFUSED for columns in REFUSED[words]])
def test_a_wrong_column_is_refused_by_name_and_node(words: str, columns: dict[str, Any]) -> None:
    with pytest.raises(GraphError, match=words):
        Graph.from_edges([(0, 1)], **columns)


# ---- immutable --------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(decorated())
def test_nothing_can_be_changed_and_pickles_hold_all_but_what_can_be_computed_again(G: Graph) -> None:
    fresh = pickle.dumps(G)
    _ = G.edges, G.degrees, G.names, G.has_edge(np.int64(0), np.int64(0))
    assert pickle.dumps(G) == fresh
    copies = [pickle.loads(fresh), copy.deepcopy(G)]
    assert everything(copies[0]) == everything(copies[1]) == everything(G)
    derived = [G.cut(np.arange(G.num_nodes)), G.without_edges(G.edges[:1]), G.relabel(np.arange(G.num_nodes)[::-1])]
    for H in (G, *copies, *derived, disjoint_union([G.with_attributes(None), G])):
        arrays = [H.indptr, H.indices, *(getattr(H, key) for key in COLUMNS), *H.info.values(), H.degrees, H.edges]
        arrays += [H.neighbors(np.int64(0)), H.parts]
        assert not any(array.flags.writeable for array in arrays if array is not None)
        with pytest.raises(dataclasses.FrozenInstanceError):
            H.title = "other"  # type: ignore[misc]
        with pytest.raises(TypeError):
            H.info["city"] = None  # type: ignore[index]


def test_the_caller_s_arrays_are_copied() -> None:
    own = {"labels": np.ones(4, dtype=np.int64), "positions": np.ones((4, 2)), "attributes": np.ones(4)}
    pairs, info = np.array(SQUARE), {"km": np.ones(4)}
    G = Graph.from_edges(pairs, info=info, **own)
    before = everything(G)
    for array in (pairs, info["km"], *own.values()):
        array[0] = 9
    info["new"] = np.ones(4)
    assert everything(G) == before


# ---- graphs made from another ---------------------------------------------------------------------------------


@given(decorated(), st.randoms(use_true_random=False))
def test_relabeling_moves_every_column_and_can_be_undone(G: Graph, chance) -> None:
    order = list(range(G.num_nodes))
    chance.shuffle(order)
    H = G.relabel(np.array(order))
    held = everything(G, "edges")
    moved = {key: [column[v] for v in order] for key, column in held.items() if isinstance(column, list)}
    if G.names[0] != "0":
        moved["names"] = tuple(G.names[v] for v in order)
    assert everything(H, "edges") == held | moved
    assert {frozenset(order[v] for v in e) for e in H.edges} == {frozenset(e) for e in G.edges.tolist()}
    assert everything(H.relabel(np.argsort(order))) == everything(G)
    for wrong, error in ((order[:-1], GraphError), ([*order[:-1], order[0]], TargetError)):
        if len(order) > 1:
            with pytest.raises(error, match="once"):
                G.relabel(np.array(wrong))


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
    with pytest.raises(GraphError, match="title"):
        G.with_title("\ud800")
    if "km" in G.info:
        sizes = [[share, float(size)] for size, share in zip(G.info["km"], G.info["share"], strict=True)]
        assert everything(G.with_attributes(("share", "km"))) == everything(G) | {"attributes": sizes}
        with pytest.raises(GraphError, match="'city' is text"):
            G.with_attributes(["km", "city"])


@given(decorated(), st.data())
def test_without_edges_and_cut_agree_with_networkx_and_leave_all_else(G: Graph, data) -> None:
    drop = data.draw(st.lists(st.sampled_from(G.edges.tolist()))) if G.num_edges else []
    S = data.draw(st.permutations(range(G.num_nodes)))[: data.draw(st.integers(1, G.num_nodes))]
    inside = [(u, v) for u in S for v in S]
    for made, gone in (
        (G.without_edges(np.array([(v, u) for u, v in drop], dtype=np.int64).reshape(-1, 2)), drop),
        (G.without_edges(np.array(inside)), inside),  # some of them are no edges
        (G.cut(np.array(S)), inside),
        (G.cut([G.names[v] for v in S]), inside),
    ):
        slow = G.to_networkx()
        slow.remove_edges_from(gone)
        assert made.edges.tolist() == sorted(sorted(e) for e in slow.edges)
        assert [made.neighbors(np.int64(v)).tolist() for v in range(G.num_nodes)] == [sorted(slow[v]) for v in slow]
        assert everything(made, "edges") == everything(G, "edges")
    assert (G.cut(np.array(S)) is G) == (not G.has_edges(np.array(inside)).any())  # then nothing is computed again


@given(st.lists(decorated().map(lambda G: G.with_attributes(None)), min_size=1, max_size=3))
def test_a_union_numbers_one_graph_after_the_other(those: list[Graph]) -> None:
    union, begins = disjoint_union(those), np.cumsum([0, *(G.num_nodes for G in those)]).tolist()
    assert union.edges.tolist() == [[u + b, v + b] for G, b in zip(those, begins, strict=False) for u, v in G.edges]
    assert union.parts.tolist() == [k for k, G in enumerate(those) for _ in range(G.num_nodes)]
    named = any(G.names != tuple(map(str, range(G.num_nodes))) for G in those)
    expected = [f"{k}:{name}" if named else "" for k, G in enumerate(those) for name in G.names]
    assert union.names == tuple(name or str(i) for i, name in enumerate(expected))
    assert union.title == " + ".join(G.title or f"graph {k}" for k, G in enumerate(those))
    assert union.cleaning == Cleaning(isolated=sum(G.cleaning.isolated for G in those))
    labels = None if any(G.labels is None for G in those) else [label for G in those for label in G.labels.tolist()]
    assert (None if union.labels is None else union.labels.tolist()) == labels


def test_a_union_needs_graphs_with_as_many_attributes() -> None:
    one, two = Graph.from_edges(SQUARE, attributes=np.eye(4)), Graph.from_edges([(0, 1)], attributes=np.eye(2))
    assert disjoint_union((one, one)).attributes.tolist() == [*np.eye(4).tolist(), *np.eye(4).tolist()]
    assert disjoint_union([one, Graph.from_edges(SQUARE)]).attributes is None
    with pytest.raises(GraphError, match="4, 2 columns of attributes"):
        disjoint_union([one, two])
    for wrong in (one, [], None, [one, SQUARE]):
        with pytest.raises(ParameterError, match="disjoint_union needs"):
            disjoint_union(wrong)  # type: ignore[arg-type]


def test_a_digest_covers_edges_and_chosen_columns_and_never_changes() -> None:
    G = Graph.from_edges(SQUARE, 5, names=list("abcde"), attributes=np.ones(5), labels=[0, 1, 0, 1, -1])
    ways = [{"attributes": a, "labels": b} for a, b in ((False, False), (True, False), (False, True), (True, True))]
    for H, same in (
        (G.without_edges([(0, 1)]), (False, False, False, False)),
        (Graph.from_edges(SQUARE, 6), (False, False, False, False)),
        (G.with_attributes(2 * G.attributes), (True, False, True, False)),
        (G.with_attributes(np.ones((5, 2))), (True, False, True, False)),
        (G.with_attributes(G.labels).with_labels(None), (True, False, False, False)),
        (G.with_labels([0, 1, 0, 1, 1]), (True, True, False, False)),
        (G.with_title("T").with_info({"x": range(5)}).with_positions(np.eye(5)[:, :2]), (True, True, True, True)),
    ):
        assert tuple(G.digest(**way) == H.digest(**way) for way in ways) == same
    assert G.digest() == G.digest(attributes=True, labels=False)
    stored = "040a299d", "a9847161"  # by which runs of an earlier version are found
    assert (G.with_attributes(None).digest()[:8], G.digest(labels=True)[:8]) == stored


def test_what_a_graph_and_its_cleaning_say_of_themselves() -> None:
    G = Graph.from_edges(SQUARE, 1_000, labels=[0, 1, -1, -1] * 250, title="square")
    assert repr(G) == "Graph('square', 1,000 nodes, 4 edges, 2 classes)"
    assert repr(Graph.from_edges(SQUARE, names=list("4321"))) == "Graph(4 nodes, 4 edges, ids renumbered)"
    cleaning = Cleaning(isolated=2_000, columns_ignored=("a", "b"))
    assert str(cleaning) == "ignored columns 'a', 'b'; kept 2,000 isolated nodes"
