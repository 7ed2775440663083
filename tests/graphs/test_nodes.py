"""Which node is meant: names, numbers, and graphs whose ids are other numbers than 0..n-1."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore import Graph, GraphError, TargetError
from degnn_explore.engine.egonets import ego_networks
from degnn_explore.views.explorer.as_python import as_python
from degnn_explore.views.explorer.state import ExplorerState
from degnn_explore.views.explorer.verdicts import Question, answers
from tests.strategies import graphs

EDGES = b"118 201\n201 7\n7 118\n7 3\n"  # ids 3, 7, 118, 201 are the nodes 0, 1, 2, 3


def renumbered() -> Graph:
    return Graph.from_edges([("1", "2"), ("2", "3"), ("3", "4")], title="ids 1..4")


def write(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def same_graph_by_every_way_in(folder: Path) -> dict[str, Graph]:
    """The path 1-2-3-4, whose ids are 1..4, as files, networkx and edges give it."""
    ids = nx.Graph([(1, 2), (2, 3), (3, 4)])
    nx.write_graphml(ids, folder / "g.graphml")
    nx.write_gml(ids, folder / "g.gml")
    nx.write_gexf(ids, folder / "g.gexf")
    write(folder, "g.json", json.dumps(nx.node_link_data(ids, edges="edges")))
    write(folder, "g.txt", "1 2\n2 3\n3 4\n")
    write(folder, "g.csv", "source,target\n1,2\n2,3\n3,4\n")
    made = {path.suffix: de.read_graph(path) for path in sorted(folder.iterdir())}
    return made | {"networkx": Graph.from_networkx(ids), "text": renumbered()}


def test_every_way_in_says_that_ids_were_renumbered(tmp_path: Path) -> None:
    for way, G in same_graph_by_every_way_in(tmp_path).items():
        assert G.names == ("1", "2", "3", "4"), way
        assert G.cleaning.renumbered and "renumbered the nodes from 0" in str(G.cleaning), way
        assert repr(G).endswith(", ids renumbered)"), way
        assert G.has_edge("1", "2") and not G.has_edge("1", "3"), way
        with pytest.raises(TargetError, match="1 could mean a node called '1'"):
            G.has_edge(1, 2)


def test_ids_that_are_the_numbers_or_words_are_not_renumbered() -> None:
    for G in (
        Graph.from_edges([(0, 1), (1, 2)]),
        Graph.from_edges([("0", "1"), ("1", "2")]),
        Graph.from_edges([("a", "b")]),
        Graph.from_networkx(nx.path_graph(4)),
        Graph.from_pyg(Graph.from_edges([(0, 1)], names=["0", "1"]).to_pyg()),
        Graph.from_edges([(0, 1)], names=["0", "1"]),
    ):
        assert not G.cleaning.renumbered
        assert "renumbered" not in repr(G) + str(G.cleaning)
        assert G.has_edge(0, 1)


TAKERS: dict[str, Callable[[Graph, Any, Any], object]] = {
    "has_edge": lambda G, u, v: G.has_edge(u, v),
    "has_edges": lambda G, u, v: G.has_edges([(u, v)]),
    "without_edges": lambda G, u, v: G.without_edges([(u, v)]),
    "neighbors": lambda G, u, v: G.neighbors(u),
    "target_set": lambda G, u, v: G.target_set([u, v]),
    "one target": lambda G, u, v: G.target_set(u),
    "cut": lambda G, u, v: G.cut({u, v}),
    "relabel": lambda G, u, v: G.relabel([u, v, "3", "4"]),
    "encode": lambda G, u, v: de.SPD(3).encode(G, [u, v]),
    "colors": lambda G, u, v: de.colors(G, [u]),
    "distinguish": lambda G, u, v: de.distinguish((G, [u]), (G, [v])),
    "unroll": lambda G, u, v: de.unroll(G, u, 2, S=[v]),
    "set_distance": lambda G, u, v: de.set_distance(G, [[u, v]]),
    "ego_networks": lambda G, u, v: ego_networks(G, [[u, v]], hops=1),
    "Explorer": lambda G, u, v: ExplorerState((G, [u, v])).sides[0].targets,
}


@pytest.mark.parametrize("taker", TAKERS)
def test_a_bare_integer_is_refused_wherever_nodes_are_taken_and_a_name_is_not(taker: str) -> None:
    G = renumbered()
    with pytest.raises(
        TargetError, match=r"1 could mean a node called '1' \(number 0\) or node number 1 \(called '2'\)"
    ):
        TAKERS[taker](G, 1, 2)
    by_name, by_number = TAKERS[taker](G, "1", "2"), TAKERS[taker](G, np.int64(0), np.int64(1))
    assert repr(by_name) == repr(by_number)


def test_predict_and_tasks_follow_the_same_rule() -> None:
    G = Graph.from_edges([(str(i), str(i % 20 + s)) for i in range(1, 21) for s in (1, 2)])
    task = de.link_task(G)
    model = de.build("GCN", task)
    assert task.graph.cleaning.renumbered
    with pytest.raises(TargetError, match="1 could mean a node called '1'"):
        de.predict(model, G, [(1, 2)])
    by_name = de.predict(model, G, [("1", "2")])
    assert by_name.tolist() == de.predict(model, G, [G.target_set(["1", "2"])]).tolist()
    assert len(de.predict(model, task.graph, list(task.test.sets))) == len(task.test.sets)
    assert len(de.predict(model, task.graph, task.test.sets)) == len(task.test.sets)


def test_clicks_and_codes_of_the_explorer_are_numbers_and_its_python_is_names() -> None:
    G = renumbered()
    state = ExplorerState((G, ["1"]), (G, ["4"]))
    state.set_targets([[0, 1], [3, 2]])
    assert [side.targets for side in state.sides] == [(0, 1), (3, 2)]
    assert "A = (G, ['1', '2'])" in as_python(state)
    assert dict(answers(Question.of(state)))["DE-SPD"].different is False  # type: ignore[union-attr]


def test_the_message_names_both_readings_also_where_one_of_them_is_no_node() -> None:
    G = Graph.from_edges([("3", "7"), ("7", "118")])  # nodes 0, 1, 2
    for v, said in {
        0: r"0 could mean a node called '0' \(there is none\) or node number 0 \(called '3'\)",
        118: r"118 could mean a node called '118' \(number 2\) or node number 118 \(there are 0\.\.2\)",
        -1: r"a node called '-1' \(there is none\) or node number -1 \(there are 0\.\.2\)",
        10**400: r"1\.00e\+400 could mean",
    }.items():
        with pytest.raises(TargetError, match=said):
            G.target_set(v)
    with pytest.raises(TargetError, match=r"Say which: the name as text, '7', or the number as numpy\.int64\(7\)\."):
        G.neighbors(7)


def test_an_integer_whose_two_readings_agree_is_taken() -> None:
    G = Graph.from_edges([("0", "1"), ("1", "5")])  # node 2 is called 5
    assert G.cleaning.renumbered
    assert G.has_edge(0, 1)
    assert G.target_set([1, "5"]).tolist() == [1, 2]
    with pytest.raises(TargetError, match="2 could mean"):
        G.target_set(2)


def test_a_number_among_words_is_refused_only_where_it_names_another_node() -> None:
    G = Graph.from_edges([("a", "2"), ("2", "b"), ("b", "c")])  # '2' is node 1
    assert not G.cleaning.renumbered
    assert G.target_set([0, 1, 3]).tolist() == [0, 1, 3]
    with pytest.raises(
        TargetError, match=r"2 could mean a node called '2' \(number 1\) or node number 2 \(called 'b'\)"
    ):
        G.target_set(2)


def test_ids_that_gave_way_to_words_are_renumbered_too(tmp_path: Path) -> None:
    nodes = [{"id": 1, "label": "ana"}, {"id": 2, "label": "ben"}]
    gml = "graph [\n" + "".join(f'node [ id {n["id"]} label "{n["label"]}" ]\n' for n in nodes)
    G = de.read_graph(write(tmp_path, "g.gml", gml + "edge [ source 1 target 2 ]\n]"))
    assert G.names == ("ana", "ben")
    assert G.has_edge("ana", "ben")
    with pytest.raises(TargetError, match=r"called '1' \(there is none\) or node number 1 \(called 'ben'\)"):
        G.neighbors(1)


def test_ids_of_a_folder_that_gave_way_to_names_are_renumbered_too(tmp_path: Path) -> None:
    write(tmp_path, "nodes.csv", "id,name\n7,ABE\n1,ABI\n")
    write(tmp_path, "edges.csv", "source,target\n1,7\n")
    G = de.read_graph(tmp_path)
    assert G.has_edge("ABE", "ABI")
    with pytest.raises(TargetError, match=r"or node number 1 \(called 'ABI'\)"):
        G.neighbors(1)
    assert not any(de.load(name).cleaning.renumbered for name in ("celegans", "us-flights", "karate", "lesmis"))


def test_it_survives_every_change_and_a_pickle() -> None:
    G = renumbered().with_labels([0, 1, 0, 1]).with_attributes(np.ones((4, 1)))
    for H in (
        G.without_edges([("1", "2")]),
        G.cut({"1", "2"}),
        G.relabel(["4", "3", "2", "1"]),
        G.with_title("other").with_info({"x": range(4)}).with_positions(np.zeros((4, 2))),
        pickle.loads(pickle.dumps(G)),
        Graph.from_networkx(G.to_networkx()),
        Graph.from_pyg(G.to_pyg()),
    ):
        assert H.cleaning.renumbered
        assert set(H.names) == {"1", "2", "3", "4"}
        with pytest.raises(TargetError, match="3 could mean"):
            H.target_set(3)


def test_arrays_are_numbers_and_strings_in_arrays_are_names() -> None:
    G = renumbered()
    assert G.target_set(np.array([2, 0])).tolist() == [2, 0]
    assert G.target_set(np.array(["3", "1"])).tolist() == [2, 0]
    assert G.target_set([np.int32(2), "1"]).tolist() == [2, 0]
    assert G.has_edges(G.edges).all()
    assert G.has_edges(np.array([["1", "2"], ["1", "3"]])).tolist() == [True, False]
    assert G.has_edges([("1", np.int64(1)), G.edges[0]]).tolist() == [True, True]
    assert G.neighbors(np.int64(0)).tolist() == [1]
    assert G.target_set({"4", "2"}).tolist() == [1, 3]
    assert G.target_set("3").tolist() == [2] and G.has_edges([]).tolist() == []
    many = Graph.from_edges([(0, 1)], 30, names=[f"v{i}" for i in range(30)])
    assert many.target_set({f"v{i}" for i in range(30)}).tolist() == list(range(30))  # never by chance


@given(graphs(), st.data())
def test_names_and_numbers_mean_the_same_nodes_under_any_names(G: Graph, data: st.DataObject) -> None:
    n = G.num_nodes
    names = data.draw(st.lists(st.integers(-3, 2 * n), min_size=n, max_size=n, unique=True)).copy()
    H = Graph.from_edges(G.edges, n, names=list(map(str, names)))
    for v in range(n):
        assert H.target_set(str(names[v])).tolist() == H.target_set(np.int64(v)).tolist() == [v]
    for v in range(-3, 2 * n + 1):
        agree = 0 <= v < n and names[v] == v
        if agree:
            assert H.target_set(v).tolist() == [v]
        else:  # never another node than the one meant
            with pytest.raises(TargetError):
                H.target_set(v)


ASKED: list[tuple[Callable[[Graph], object], str]] = [
    (lambda G: G.target_set([]), "The target set is empty"),
    (lambda G: G.target_set(set()), "The target set is empty"),
    (lambda G: G.target_set(""), "No node is called ''"),
    (lambda G: G.target_set("alise"), r"No node is called 'alise'\. Did you mean 'alice'\?"),
    (lambda G: G.target_set("\ud800"), r"No node is called '\\ud800'"),
    (lambda G: G.target_set([0, 1, 2, 0]), "Node 0 occurs twice"),
    (lambda G: G.target_set(np.array([2, 0, 1, 2])), "Node 2 occurs twice"),
    (lambda G: G.target_set(["a", 0]), "Node 0 occurs twice"),
    (lambda G: G.target_set(3), r"Node 3 is not in the graph; its nodes are 0\.\.2"),
    (lambda G: G.target_set(-1), "Node -1 is not in the graph"),
    (lambda G: G.target_set(np.array([-2, 5])), "Node -2 is not in the graph"),
    (lambda G: G.target_set(np.array([3], dtype=np.uint64)), r"Node 3 is not in the graph"),
    (lambda G: G.target_set(10**400), r"Node 1\.00e\+400 is not in the graph"),
    (lambda G: G.target_set(1.0), "a node or several nodes, not 1.0"),
    (lambda G: G.target_set(None), r"A target set is a node or several nodes, not None"),
    (lambda G: G.target_set(np.array(1)), "not array"),
    (lambda G: G.target_set(True), r"A node is a number 0\.\.2 or a name, not True"),
    (lambda G: G.target_set([np.True_]), r"or a name, not np\.True_"),
    (lambda G: G.target_set([[0, 1]]), r"A node is a number 0\.\.2 or a name, not \[0, 1\]"),
    (lambda G: G.target_set(np.array([0.0])), r"or a name, not np\.float64\(0\.0\)"),
    (lambda G: G.has_edges([(0, 7)]), "Node 7 is not in the graph"),
    (lambda G: G.without_edges(np.array([(-1, 2)])), "Node -1 is not in the graph"),
    (lambda G: G.has_edges(["ab"]), r"written \[\(u, v\), \.\.\.\]; entry 0 is 'ab'"),
    (lambda G: G.has_edges([(0, 1), (0, 1, 2)]), r"entry 1 is \(0, 1, 2\)"),
    (lambda G: G.has_edges(5), r"written \[\(u, v\), \.\.\.\], not 5"),
    (lambda G: G.has_edges([(0.5, 1)]), r"or a name, not 0\.5"),
    (lambda G: G.has_edges(np.array([(0.5, 1)])), r"shape \[k, 2\], not float64"),
    (lambda G: G.has_edges(np.zeros((2, 3), dtype=int)), r"shape \[k, 2\], not int64 \[2, 3\]"),
    (lambda G: G.has_edges(np.zeros(4, dtype=int)), r"shape \[k, 2\], not int64 \[4\]"),
    (lambda G: G.has_edge(0, 2**64), r"Node 18446744073709551616 is not in the graph"),
]


@pytest.mark.parametrize(("ask", "said"), ASKED, ids=range(len(ASKED)))
def test_errors_about_nodes_are_one_short_sentence(ask: Callable[[Graph], object], said: str) -> None:
    with pytest.raises(TargetError, match=said):
        ask(Graph.from_edges([(0, 1), (1, 2)], names=["a", "alice", "c"]))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: Graph.from_edges([("a", "\ud800")]),
            r"a node id is '\\ud800', which cannot be written as text: half of a surrogate",
        ),
        (
            lambda: Graph.from_edges([(0, 1)], names=["a", "\udc00"]),
            r"a name is '\\udc00', which cannot be written as text",
        ),
        (lambda: Graph.from_edges([(0, 1)], title="\ud800"), "title is"),
        (lambda: Graph.from_edges([(0, 1)]).with_title("\ud800"), "title is"),
        (lambda: Graph.from_edges([(0, 1)], info={"city": ["a", "\ud800"]}), "info 'city' of node 1 is"),
        (lambda: Graph.from_edges([(0, 1)], info={"\ud800": [1, 2]}), "a column's name is"),
        (lambda: Graph.from_edges([("a", 10**5000)]), r"a node id is 1\.00e\+5000"),
        (lambda: Graph.from_edges([(0, 10**400)]), r"above 2\^63"),
        (lambda: Graph.from_edges([(0, 1)], 10**400), r"1\.00e\+400 nodes are too many"),
        (lambda: Graph.from_edges([(0, 1)], labels=[0, 10**400]), "labels must be whole numbers"),
        (lambda: Graph.from_edges([(0, 1)], labels=[0, 2**64 - 1]), r"or -1 for none, not 1844674407370955161\d"),
        (lambda: Graph.from_edges([(0, 1)], labels=np.array([0, 2**63], dtype=np.uint64)), "not 9223372036854775808"),
        (lambda: Graph.from_edges([(0, 1)], labels=[0, 1e300]), r"for none, not 1\.00e\+300"),
        (lambda: Graph.from_edges([(0, 1)], attributes=[[0], [10**400]]), "attributes must be numbers"),
        (lambda: Graph.from_edges([(0, 1)], positions=[[0, 0], [0, 10**400]]), "positions must be numbers"),
    ],
    ids=range(15),
)
def test_huge_numbers_and_broken_text_are_our_errors(make: Callable[[], Graph], said: str) -> None:
    with pytest.raises(GraphError, match=said):
        make()


def test_a_billion_nodes_cost_nothing_to_refuse() -> None:
    import tracemalloc

    for edges, n in (([(0, 1)], 10**9), ([(0, 10**9)], None), ([(0, 1)], 20_000_001)):
        tracemalloc.start()
        with pytest.raises(
            GraphError, match=r"nodes are too many: a graph has at most 20,000,000, .* give them as text"
        ):
            Graph.from_edges(edges, n)
        assert tracemalloc.get_traced_memory()[1] < 10**6
        tracemalloc.stop()
    assert Graph.from_edges([("0", "1000000000")]).num_nodes == 2
