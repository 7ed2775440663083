"""Documents: what networkx, Gephi and D3 write, and graph6; every damaged or lying file is in test_isolate.py."""

from __future__ import annotations

import io
import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from degnn_explore import Cleaning, Graph, read_graph, zoo
from degnn_explore.reading.documents import read_graph6, read_json

from ..strategies import graphs
from .conftest import refused


def write_with_networkx(graph: nx.Graph, path: Path) -> Path:
    if path.suffix == ".json":
        path.write_text(json.dumps(nx.node_link_data(graph, edges="edges")), encoding="utf-8")
    else:
        getattr(nx, f"write_{path.suffix[1:]}")(graph, path)
    return path


@pytest.mark.parametrize("ending", [".graphml", ".gexf", ".gml", ".json"])
def test_what_networkx_writes(tmp_path, ending):
    club = nx.karate_club_graph()
    path = write_with_networkx(club, tmp_path / f"karate{ending}")
    G = read_graph(path, label_column="club")
    assert (G.num_nodes, G.num_edges, G.title) == (34, 78, "karate")
    assert G.edges.tolist() == sorted(sorted(e) for e in club.edges)
    assert G.labels.tolist() == [int(club.nodes[u]["club"] == "Officer") for u in range(34)]
    assert set(G.info["label"]) == {"Mr. Hi", "Officer"}
    assert G.cleaning == Cleaning(weights_ignored=True)


@pytest.mark.parametrize("ending", [".graphml", ".gexf", ".gml", ".json"])
def test_ids_that_number_the_nodes_in_another_order(tmp_path, ending):
    graph = nx.Graph()
    graph.add_nodes_from(reversed(range(12)))
    graph.add_edges_from([(0, 11), (3, 10), (2, 1)])
    G = read_graph(write_with_networkx(graph, tmp_path / f"g{ending}"))
    assert G.names == tuple(map(str, range(12)))
    assert G.edges.tolist() == [[0, 11], [1, 2], [3, 10]]


@pytest.mark.parametrize("ending", [".graphml", ".gexf", ".gml", ".json"])
def test_text_ids_directions_loops_and_columns(tmp_path, ending):
    graph = nx.DiGraph([("new york", "rome"), ("rome", "new york"), ("rome", "rome"), ("rome", "<b>")])
    nx.set_node_attributes(graph, {"new york": 3, "rome": 4, "<b>": 5}, "size")
    G = read_graph(write_with_networkx(graph, tmp_path / f"g{ending}"))
    assert G.names == ("new york", "rome", "<b>")
    assert G.info["size"].tolist() == [3, 4, 5]
    assert G.cleaning == Cleaning(self_loops=1, reversed_duplicates=1, direction_ignored=True)
    refused(tmp_path / f"g{ending}", "no node attribute 'club' to take labels from", label_column="club")


def test_integer_labels_and_positions_of_graphml_and_json(put):
    nodes = [{"id": "b", "label": 1, "x": 0.5, "y": 2}, {"id": "a", "label": 0, "x": 1, "y": 3}]
    G = read_graph(put("g.json", json.dumps({"nodes": nodes, "links": [{"source": "a", "target": "b"}]})))
    assert (G.names, G.labels.tolist(), G.positions.tolist()) == (("b", "a"), [1, 0], [[0.5, 2.0], [1.0, 3.0]])
    assert dict(G.info) == {}


def test_the_names_and_layout_of_gephi(put):
    node = ('<node id="{0}" label="{1}"><viz:position x="{2}" y="{3}" z="0"/></node>').format
    G = read_graph(
        put(
            "g.gexf",
            '<?xml version="1.0" encoding="UTF-8"?><gexf xmlns="http://www.gexf.net/1.2draft" '
            'xmlns:viz="http://www.gexf.net/1.2draft/viz" version="1.2"><graph defaultedgetype="undirected">'
            f"<nodes>{node(7, 'Ana', 1, 2)}{node(9, 'Ben', 3, 4)}</nodes>"
            '<edges><edge source="7" target="9"/></edges></graph></gexf>',
        )
    )
    assert (G.names, G.positions.tolist(), G.num_edges) == (("Ana", "Ben"), [[1.0, 2.0], [3.0, 4.0]], 1)


def test_d3_nodes_without_ids(put):
    content = {"nodes": [{"name": "ana"}, {"name": "ben"}], "links": [{"source": 1, "target": 0, "weight": 2}]}
    G = read_graph(put("g.json", json.dumps(content)))
    assert (G.names, G.num_edges, G.cleaning.weights_ignored) == (("ana", "ben"), 1, True)


@given(G=graphs())
@settings(max_examples=40)
def test_any_graph_as_json_and_graph6_there_and_back(G: Graph) -> None:
    graph = G.to_networkx()
    as_json = json.dumps(nx.node_link_data(graph, edges="links")).encode()
    for read, content in ((read_json, as_json), (read_graph6, nx.to_graph6_bytes(graph))):
        np.testing.assert_array_equal(read(io.BytesIO(content)).edges, G.edges)


def test_json_ids_with_and_without_a_fraction_are_one_node(put):
    content = {"nodes": [{"id": 1}, {"id": 2.0}], "edges": [{"source": 1.0, "target": 2}]}
    G = read_graph(put("g.json", json.dumps(content)))
    assert (G.names, G.num_edges) == (("1", "2"), 1)
    content["nodes"].append({"id": 1.0})
    refused(put("g.json", json.dumps(content)), r"nodes\[2\] has the id 1.0 of another node")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("g.json", '{"nodes": [\n{"id": 1},\n}', "line 3: .*expected JSON"),
        ("g.json", "[1, 2]", "this is a JSON list; expected node-link JSON"),
        ("g.json", '{"nodes": []}', "no list called edges or links"),
        ("g.json", '{"edges": []}', "no list called nodes"),
        ("g.json", '{"nodes": [], "edges": []}', "it has no nodes"),
        ("g.json", '{"nodes": [5], "edges": []}', r"nodes\[0\] is a JSON int"),
        ("g.json", '{"nodes": [{"id": 1}, {"id": "1"}], "edges": []}', r"nodes\[1\] has the id '1' of another node"),
        ("g.json", '{"nodes": [{"id": 1}], "edges": [{"source": 1}]}', r"edges\[0\] has no 'target'"),
        ("g.json", '{"nodes": [{"id": 1}], "edges": [{"source": 1, "target": 2}]}', r"edges\[0\] names '2'"),
        ("g.json", "[" * 100_000, "expected JSON"),
        (
            "g.json",
            json.dumps({"nodes": [{f"k{i}": 1} for i in range(3000)], "edges": []}),
            "3,000 different attributes",
        ),
        ("g.json", '{"nodes": [{"id": 1, "label": ' + "9" * 40 + '}], "edges": []}', "labels must be whole numbers"),
        ("g.g6", "ElEG\nE{CW\n", "it holds 2 graphs, the second on line 2; expected one.*read_pairs"),
        ("g.g6", "~}~~\n", "line 1: .*is not graph6"),
        ("g.g6", ":Fa@x^\n", "sparse6"),
        ("g.g6", "~\n", "cut off"),
        ("g.g6", "?\n", "the graph has no nodes"),
        ("g.g6", "# x\n", "holds no graph"),
        ("g.g6", "a" * 9_000_000, "line 1: 9,000,000 characters; expected at most"),
    ],
)
def test_errors_in_graph_files_say_what_was_expected(put, name, content, message):
    refused(put(name, content), message)


def test_graph6_is_read_when_it_holds_one_graph(put):
    G = read_graph(put("domino.g6", ">>graph6<<ElEG\n"))
    assert (G.title, G.num_nodes, G.edges.tolist()) == ("domino", 6, zoo.domino().edges.tolist())
    assert read_graph(put("edge.g6", "A~\n")).edges.tolist() == [[0, 1]]  # the five other bits fill the character up
