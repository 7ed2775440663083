"""Which node is meant: names, numbers, and graphs whose ids are other numbers than 0..n-1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore import Graph, TargetError
from degnn_explore.views.explorer.state import ExplorerState
from tests.strategies import graphs

IDS_FROM_1 = Graph.from_edges([(str(i), str(i % 20 + step)) for i in range(1, 21) for step in (1, 2)])


def test_ids_that_are_the_numbers_or_words_are_not_renumbered() -> None:
    for G in (
        Graph.from_edges([("0", "1"), ("1", "2")]),
        Graph.from_edges([("-", "1")]),
        Graph.from_networkx(nx.path_graph(4)),
        Graph.from_pyg(Graph.from_edges([(0, 1)], names=["0", "1"]).to_pyg()),
        *map(de.load, ("celegans", "us-flights", "karate", "lesmis")),
    ):
        assert not G.cleaning.renumbered and "renumbered" not in repr(G) + str(G.cleaning)
        assert G.has_edge(0, 1) or G.num_nodes > 4
    G = Graph.from_edges([("ABE", "ABI")], renumbered=True)  # its ids were replaced by words
    assert "renumbered" in repr(G) and "renumbered" in str(G.cleaning)
    with pytest.raises(TargetError, match=r"'1' \(there is none\) or node number 1 \(called 'ABI'\)"):
        G.neighbors(1)


TAKERS: dict[str, Callable[[Graph, Any, Any], object]] = {
    "has_edge": lambda G, u, v: G.has_edge(u, v),
    "has_edges": lambda G, u, v: G.has_edges([(u, v)]),
    "without_edges": lambda G, u, v: G.without_edges([(u, v)]).edges,
    "neighbors": lambda G, u, v: G.neighbors(u),
    "target_set": lambda G, u, v: G.target_set([u, v]),
    "one target": lambda G, u, v: G.target_set(u),
    "cut": lambda G, u, v: G.cut({u, v}).edges,
    "relabel": lambda G, u, v: G.relabel([u, v, *map(str, range(3, G.num_nodes + 1))]).names,
    "encode": lambda G, u, v: de.SPD(3).encode(G, [u, v]),
    "colors": lambda G, u, v: de.colors(G, [u]),
    "distinguish": lambda G, u, v: de.distinguish((G, [u]), (G, [v])),
    "unroll": lambda G, u, v: de.unroll(G, u, 2, S=[v]),
    "set_distance": lambda G, u, v: de.set_distance(G, [[u, v]]),
    "ego_networks": lambda G, u, v: de.ego_networks(G, [[u, v]], hops=1).flat,
    "Explorer": lambda G, u, v: ExplorerState((G, [u, v])).sides[0].targets,
    "predict": lambda G, u, v: de.predict(de.build("GCN", de.link_task(G), seed=0), G, [(u, v)]),
}


@pytest.mark.parametrize("taker", TAKERS)
def test_a_bare_integer_is_refused_wherever_nodes_are_taken_and_a_name_is_not(taker: str) -> None:
    with pytest.raises(TargetError, match=r"'1' \(number 0\) or node number 1 \(called '2'\)"):
        TAKERS[taker](IDS_FROM_1, 1, 2)
    by_name, by_number = TAKERS[taker](IDS_FROM_1, "1", "2"), TAKERS[taker](IDS_FROM_1, np.int64(0), np.int64(1))
    assert repr(by_name) == repr(by_number)


@given(graphs(), st.data())
def test_names_and_numbers_mean_the_same_nodes_under_any_names(G: Graph, data: st.DataObject) -> None:
    n = G.num_nodes
    names = data.draw(st.lists(st.integers(-3, 2 * n), min_size=n, max_size=n, unique=True))
    H = Graph.from_edges(G.edges, n, names=list(map(str, names)))
    assert H.cleaning.renumbered == (names != list(range(n)))
    for v in range(n):
        assert H.target_set(str(names[v])).tolist() == H.target_set(np.int64(v)).tolist() == [v]
    for v in range(-3, 2 * n + 1):
        if 0 <= v < n and names[v] == v:
            assert H.target_set(v).tolist() == [v]
            continue
        with pytest.raises(TargetError) as raised:  # never another node than the one meant
            H.target_set(v)
        if H.cleaning.renumbered:
            by_name = f"number {names.index(v)}" if v in names else "there is none"
            by_number = f"called '{names[v]}'" if 0 <= v < n else rf"0..{n - 1}"
            assert all(words in str(raised.value) for words in (by_name, by_number, f"numpy.int64({v})"))


def test_a_number_among_words_is_refused_only_where_it_names_another_node() -> None:
    words = Graph.from_edges([("a", "2"), ("2", "b"), ("b", "c")])  # '2' is node 1
    assert not words.cleaning.renumbered
    assert words.target_set([0, 1, 3]).tolist() == [0, 1, 3]
    with pytest.raises(TargetError, match=r"'2' \(number 1\) or node number 2 \(called 'b'\)"):
        words.target_set(2)


def test_arrays_are_numbers_and_strings_in_arrays_are_names() -> None:
    G = Graph.from_edges([("1", "2"), ("2", "3"), ("3", "4")])
    for S in (np.array([2, 0]), np.array(["3", "1"]), [np.int32(2), "1"], iter(["3", np.uint8(0)])):
        assert G.target_set(S).tolist() == [2, 0]
    for pairs in ([("1", "2"), ("3", "1")], np.array([["1", "2"], ["3", "1"]]), np.array([[0, 1], [2, 0]], np.uint8)):
        assert G.has_edges(pairs).tolist() == [True, False]
    assert G.has_edges([("1", np.int64(1)), G.edges[0]]).tolist() == [True, True]
    assert G.has_edges([]).shape == G.has_edges(np.empty((0, 2))).shape == (0,)
    many = Graph.from_edges([(0, 1)], 30, names=[f"v{i}" for i in range(30)])
    assert many.target_set({f"v{i}" for i in range(30)}).tolist() == list(range(30))  # never by chance
    nodes = np.array([2, 0])
    G.target_set(nodes)[0] = 1
    assert nodes.tolist() == [2, 0]


NAMED = Graph.from_edges([(0, 1), (1, 2)], names=["a", "alice", "c"])


@pytest.mark.parametrize(
    ("take", "given", "words"),
    [
        *[(NAMED.target_set, S, words) for S, words in (
            ([], "empty"), (set(), "empty"), (np.array([], dtype=int), "empty"), ("", "called ''"),
            ("alise", "'alise'.*'alice'"), ("\ud800", r"'\\ud800'"), (np.array([2, 0, 1, 2]), "Node 2 .*twice"),
            (["a", 0], "Node 0 .*twice"), (3, r"Node 3 .*0\.\.2"), (np.int64(-1), "Node -1 "),
            (np.array([-2, 5]), "Node -2 "), (np.array([0, 3]), "Node 3 "), (10**400, r"Node 1\.00e\+400 "),
            (1.0, r"not 1\.0"), (None, "not None"), (np.array(1), "not array"), (True, "not True"),
            ([np.True_], "True_"), ([[0, 1]], r"not \[0, 1\]"), (np.array([[0, 1]]), r"not array\(\[0, 1\]"),
        )],
        *[(take, pairs, words) for take in (NAMED.has_edges, NAMED.without_edges) for pairs, words in (
            ([(0, 7)], "Node 7 "), (np.array([(-1, 2)]), "Node -1 "), (["ab"], "entry 0 is 'ab'"), (5, "not 5"),
            ([(0, 1), (0, 1, 2)], r"entry 1 is \(0, 1, 2\)"), ([(0.5, 1)], r"not 0\.5"),
            (np.array([(0.5, 1)]), r"\[k, 2\], not float64"), (np.zeros((2, 3), dtype=int), r"not int64 \[2, 3\]"),
            (np.zeros(4, dtype=int), r"not int64 \[4\]"),
        )],
    ],
)  # fmt: skip
def test_wrong_nodes_and_pairs_are_shown_in_the_error(take: Callable[[Any], object], given: Any, words: str) -> None:
    with pytest.raises(TargetError, match=words):
        take(given)
