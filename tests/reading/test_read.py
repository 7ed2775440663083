"""read_graph: every kind of file there and back, and what each bad file is told."""

from __future__ import annotations

import gzip
import json
import tempfile
import threading
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from degnn_explore import Cleaning, Graph, GraphError, ParameterError, read_graph
from degnn_explore.common.stopping import Cancelled
from degnn_explore.reading.content import Content
from degnn_explore.reading.read import read_content, read_folder

from ..strategies import graphs

DATA = Path(__file__).parents[2] / "data"
WIDE = " ".join(f"b{i}='1'" for i in range(201))
MANY = [{f"k{i}": 1} for i in range(3000)]


@pytest.fixture
def put(tmp_path):
    """Writes a file and gives its path."""

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def refused(path: Path, message: str, **options: object) -> None:
    """The file is refused, and the error begins with its name."""
    with pytest.raises(GraphError, match=message) as caught:
        read_graph(path, **options)
    assert str(caught.value).startswith(f"{path}: ")


# ---- edge lists --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("e.csv", "a,b\nb,c\n"),
        ("e.csv", "source,target\na,b\nb,c\n"),
        ("e.csv", "a;b\nb;c\n"),
        ("e.csv", "a b\nb c"),
        ("e.csv", 'a, b\n"b" , "c"\n'),
        ("e.csv", "\ufeffFrom,To\r\na,b\r\n\r\nb,c\r\n"),
        ("e.tsv", "a\tb\nb\tc\n"),
        ("e.txt", "# a comment\n% another\na b\n  # inside\nb   c\n\n"),
        ("e.edgelist", "a b {}\nb c {}\n"),
        ("e.edges", " a\tb\n b\tc\n"),
        ("e.tab", "Source\tTarget\na\tb\nb\tc"),
        ("e.el", "a,b\rb,c\r"),
    ],
)
def test_edge_lists_in_all_their_dresses(put, name, content):
    G = read_graph(put(name, content))
    assert (G.names, G.edges.tolist(), G.title) == (("a", "b", "c"), [[0, 1], [1, 2]], "e")
    assert not G.cleaning


def test_numbers_with_gaps_are_names_and_no_node_is_made_up(put):
    G = read_graph(put("gaps.csv", "0,2\n2,5\n"))
    assert (G.names, G.edges.tolist()) == (("0", "2", "5"), [[0, 1], [1, 2]])
    far = read_graph(put("far.csv", "0,2\n2,50\n"))
    assert (far.names, far.edges.tolist()) == (("0", "2", "50"), [[0, 1], [1, 2]])


def test_ids_zero_to_n_stay_the_numbers(put):
    G = read_graph(put("e.csv", "3,1\n0,2\n1,0\n"))
    assert G.edges.tolist() == [[0, 1], [0, 2], [1, 3]]
    assert G.names == ("0", "1", "2", "3")


def test_other_integers_are_sorted_and_keep_their_text(put):
    for ids in ((10, 7, 2), (10**15, 7, -3)):
        G = read_graph(put("e.csv", f"{ids[0]},{ids[1]}\n{ids[1]},{ids[2]}\n"))
        assert G.names == tuple(str(i) for i in sorted(ids))
        assert G.edges.tolist() == [[0, 1], [1, 2]]


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(*[st.integers(-9, 30) | st.integers(-(2**62), 2**62) | st.sampled_from("abcd")] * 2), min_size=1)
)
def test_any_ids_are_numbered_as_promised(rows):
    content = "source,target\n" + "\n".join(f"{a},{b}" for a, b in rows)
    G = read_content(Content("e.csv", "e", ".csv", content.encode()))
    seen = dict.fromkeys(cell for row in rows for cell in row)
    names = sorted(seen) if all(isinstance(cell, int) for cell in seen) else [str(cell) for cell in seen]
    if set(map(str, names)) == set(map(str, range(len(names)))):
        names = range(len(names))
    assert G.names == tuple(map(str, names))
    pairs = {frozenset(map(str, row)) for row in rows if str(row[0]) != str(row[1])}
    assert {frozenset(G.names[u] for u in edge) for edge in G.edges} == pairs


@pytest.mark.parametrize("odd", ["007", "+7", "7.0", "-0", "1e3", "0x10", "nan", "NA", "None", "True", "9" * 30, "héé"])
def test_an_id_keeps_its_text_even_if_it_looks_like_a_number(put, odd):
    G = read_graph(put("e.csv", f"1,2\n2,{odd}\n"))
    assert G.names == ("1", "2", odd)
    assert read_graph(put("w.csv", f"1,2,0.5\n2,{odd},1\n")).names == ("1", "2", odd)
    assert read_graph(put("f.csv", f"{odd},2\n2,5\n"), header=False).names == (odd, "2", "5")


def test_words_with_numbers_among_them_further_down_stay_text(put):
    rows = [f"a{i},b{i}" for i in range(5)] + ["007,7", "7,1.0"]
    names = read_graph(put("e.csv", "\n".join(rows))).names
    assert names[-3:] == ("007", "7", "1.0")


def test_quotes_blanks_and_marks_inside_names(put):
    G = read_graph(put("e.csv", '"Smith, J",C#\nC#,"#tag"\n"50%", "Smith, J" \n'))
    assert G.names == ("Smith, J", "C#", "#tag", "50%")


def test_self_loops_and_repeats_are_counted(put):
    G = read_graph(put("e.txt", "0 1\n1 0\n0 1\n2 2\n"))
    assert G.cleaning == Cleaning(self_loops=1, duplicates=1, reversed_duplicates=1, isolated=1)


def test_a_third_column_of_numbers_is_a_weight_and_reported(put):
    for content in ("0,1,2\n1,2,3\n", "0,1,0.5\n1,2,1e-05\n", "u,v,strength\n0,1,.5\n1,2,1\n", "a,b,2\nb,c,3\n"):
        G = read_graph(put("e.csv", content))
        assert (G.num_nodes, G.num_edges, G.cleaning) == (3, 2, Cleaning(weights_ignored=True))
    G = read_graph(put("e.edgelist", "0 1 {'weight': 2, 'x': 3}\n1 2 {}\n"))
    assert (G.num_edges, G.cleaning) == (2, Cleaning(weights_ignored=True))


def test_columns_named_in_the_header_are_found_and_the_others_reported(put):
    G = read_graph(put("e.csv", "Id,Source,Target,Type,Weight,Label\n1,a,b,Directed,2,x\n2,b,c,Directed,1,y\n"))
    assert G.names == ("a", "b", "c")
    assert G.cleaning == Cleaning(direction_ignored=True, weights_ignored=True, columns_ignored=("Id", "Type", "Label"))
    assert str(G.cleaning) == "ignored edge directions; ignored edge weights; ignored columns 'Id', 'Type', 'Label'"


def test_the_header_can_be_said(put):
    path = put("e.csv", "ana,ben\nben,cai\n")
    assert read_graph(path).num_edges == 2
    assert read_graph(path, header=True).names == ("ben", "cai")
    assert read_graph(put("f.csv", "from,to\nto,there\n"), header=False).names == ("from", "to", "there")


@pytest.mark.parametrize(
    ("content", "doubt"),
    [
        ("id,name,age\n1,alice,30\n2,bob,41\n", "'id', 'name', 'age'.* are called like those of a table of nodes"),
        ("id,label\n1,red\n2,blue\n", "are called like those of a table of nodes"),
        ("Node_ID,Age\n1,30\n2,41\n", "are called like those of a table of nodes"),
        ("1,alice,30\n2,bob,41\n", "'1', 'alice', '30'.* hold numbers and words"),
        ("who,where,height\n1,7,1.6\n2,8,1.8\n", "have no node in common"),
    ],
)
def test_a_table_of_nodes_is_not_taken_for_edges_in_silence(put, content, doubt):
    refused(put("people.csv", content), doubt + r".*columns=\(0, 1\)")
    G = read_graph(put("people.csv", content), columns=(0, 1))
    assert (G.num_nodes, G.num_edges) == (4, 2)


@pytest.mark.parametrize(
    "content", ["u,v,w\n0,1,2\n0,2,3\n", "a,b,1\nc,d,2\n", "user,item,stars\n1,11,5\n1,12,3\n", "id,friend\n1,2\n"]
)
def test_what_may_well_be_edges_is_read_as_edges(put, content):
    assert read_graph(put("e.csv", content)).num_edges in (1, 2)


def test_columns_are_named_or_counted_and_the_others_reported(put):
    path = put("e.csv", "id,name,friend\n1,ana,ben\n2,ben,cai\n")
    for columns in (("name", "friend"), (1, 2), ["friend", "name"]):
        G = read_graph(path, columns=columns)
        assert (sorted(G.names), G.num_edges) == (["ana", "ben", "cai"], 2)
    assert read_graph(path, columns=("friend", "name")).names[0] == "ben"
    assert read_graph(put("w.csv", "a,x,b\nb,y,c\n"), columns=(0, 2)).cleaning.columns_ignored == ("column 1",)
    for columns in (("name",), ("name", "foe"), ("name", "name"), (0, 7), "na", (True, 2), (-1, 0), 5, ("name", None)):
        refused(path, r"expected two of \['id', 'name', 'friend'\]", columns=columns)
    with pytest.raises(ParameterError, match=r"columns=.* is for edge lists, and .* is JSON"):
        read_graph(put("g.json", "{}"), columns=(0, 1))


def test_a_trailing_separator_is_no_column(put):
    assert read_graph(put("e.csv", "0,1,\n1,2,\n")).edges.tolist() == [[0, 1], [1, 2]]


def test_the_format_can_be_said_and_the_ending_may_be_packed(put):
    assert read_graph(put("out.moreno", "% sym\n1 2\n2 3\n"), format="edgelist").names == ("1", "2", "3")
    G = read_graph(put("roads.csv.gz", gzip.compress(b"0,1\n1,2\n")))
    assert (G.num_edges, G.title) == (2, "roads")
    with pytest.raises(ParameterError, match=r"format='xls' is not known; choose one of 'csv'"):
        read_graph(put("e.csv", "0,1\n"), format="xls")


@pytest.mark.parametrize("words", [False, True])
def test_a_file_that_pandas_reads_in_threads_gives_the_same_graph(put, words):
    pairs = np.random.default_rng(0).integers(0, 50_000, size=(600_000, 2))
    text = [[f"user-{u:05d}", f"user-{v:05d}"] if words else [str(u), str(v)] for u, v in pairs.tolist()]
    path = put("big.csv", "source,target\n" + "\n".join(map(",".join, text)))
    assert path.stat().st_size > 5 * 2**20
    G = read_graph(path)
    H = Graph.from_edges(text if words else pairs)
    assert (G.names, G.cleaning) == (H.names, H.cleaning)
    np.testing.assert_array_equal(G.indices, H.indices)


def test_a_large_file_of_words_that_turns_to_numbers_keeps_their_text(put):
    words = [f"person-{i:06d},person-{i + 1:06d}" for i in range(200_000)]
    digits = [f"{i:06d},{i + 1:06d}" for i in range(200_000)]  # whole chunks that look like integers: 000123
    path = put("big.csv", "\n".join(words + digits))
    assert path.stat().st_size > 5 * 2**20
    G = read_graph(path)
    assert (G.num_nodes, G.num_edges) == (400_002, 400_000)
    assert G.names[200_001:200_003] == ("000000", "000001")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty; expected a graph"),
        (" \n\t\n", "the file is empty"),
        ("# only\n% comments\n", "nothing but comments"),
        ("source,target\n", "a header line and nothing else"),
        ("0,1\n1,2\n2\n", "line 3: found '2', ''; expected two nodes"),
        ("0,1\n\n# x\n1,2,3\n", "line 4: 3 columns; expected 2"),
        ("a,b\n,c\n", "line 2: found '', 'c'; expected two nodes"),
        ("0\n1\n", "line 1: one column .*expected two, the two ends of an edge"),
        ("source,target\n0\n", "line 2: 1 columns; expected 2, as in the header line"),
        ("source,target\n0,1,2\n", "line 2: 3 columns; expected 2, as in the header line"),
        ("a,b,x\nb,c,1\n", r"line 1: the third column is 'x'; expected a number.*columns=\(0, 1\).* header line"),
        ("0,1,2\n1,2,x\n", "line 2: the third column is 'x'; expected a number"),
        ("0,1,2\n1,2\n", "line 2: the third column is ''; expected a number"),
        ("0,1,2,3\n1,2,3,4\n", "line 1: 4 columns; expected two nodes and at most a weight"),
        ('a,"b\nb,c\n', "a quotation mark is opened and never closed"),
        (b"a,b\nb,\xff\xfe\n", "line 2: the byte 0xff is not UTF-8 text"),
        (b"a,b\nb,c\nc,\x00\n", "line 3: the byte 0x00 is not UTF-8 text"),
        ("x" * 200_000 + ",b\n", "the first line is not a row of cells"),
        ("\r\t\x01", "line 2: 1 columns; expected 2, as in the first line"),
        (",".join("a" * 200_000), "the first line has 200,000 columns; expected at most 1,000"),
    ],
)
def test_bad_edge_lists_are_told_where_and_what(put, content, message):
    refused(put("e.csv", content), message)


def test_files_that_are_not_there_or_not_files(tmp_path, put):
    refused(tmp_path / "nothing.csv", "there is no such file")
    refused(tmp_path, "this is a folder; expected a file")
    refused(put("e.xyz", "0,1\n"), r"the ending '.xyz' says nothing.*expected one of .csv .*format='edgelist'")
    refused(put("e.csv.gz", b"0,1\n"), "the file cannot be read")
    refused(put("e.npz.gz", gzip.compress(b"0,1" * 50)[:-20]), "the file cannot be read")


# ---- labels ------------------------------------------------------------------------------------------------


def test_labels_by_number_with_none_for_the_rest(put):
    edges = put("e.csv", "0,1\n1,2\n2,3\n")
    for content in ("2,5\n0,1\n3,-1\n", "node label\n2 5\n0 1\n3 -1\n", "2\t5.0\n0\t1\n", "label,id\n5,2\n1,0\n,3\n"):
        G = read_graph(edges, labels=put("l.csv", content))
        assert G.labels.tolist() == [1, -1, 5, -1]
        assert dict(G.info) == {}


def test_labels_in_words_are_coded_in_sorted_order_and_kept(put):
    edges = put("e.csv", "ana,ben\nben,cai\ncai,dee\n")
    for content in ("cai,red\nana,blue\nben,red\n", "id,colour\ncai,red\nana,blue\nben,red\ndee,\n"):
        G = read_graph(edges, labels=put("l.csv", content))
        assert G.labels.tolist() == [0, 1, 1, -1]
        assert G.info["label"].tolist() == ["blue", "red", "red", ""]


def test_the_column_of_labels_can_be_named(put):
    edges, labels = put("e.csv", "a,b\n"), put("l.csv", "id,age,club\na,3,x\nb,4,y\n")
    assert read_graph(edges, labels=labels, label_column="club").labels.tolist() == [0, 1]
    assert read_graph(edges, labels=labels, label_column="age").labels.tolist() == [3, 4]
    with pytest.raises(GraphError, match=r"l.csv: line 1: no column 'size' among \['id', 'age', 'club'\]"):
        read_graph(edges, labels=labels, label_column="size")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,0\nzoe,1\n", "line 2: 'zoe' is not a node of the graph; expected ids like 'a'"),
        ("a,0\nb,NaN\n", "line 2: the label is 'NaN'; expected a class"),
        ("a,0\nb,inf\n", "line 2: the label is 'inf'"),
        ("a,0\nb,1.5\n", "line 2: the label is 1.5; expected classes"),
        ("a,0\nb,-2\n", "line 2: the label is -2; expected classes"),
        ("a,0\nb,1\n\na,0\n", "line 4: node 'a' was on line 1; expected it once"),
        ("a\nb\n", "1 columns; expected two, a node id and its label"),
        ("a,0,1\nb,1,2\n", "3 columns; expected two"),
        ("", "the file is empty"),
        (b"\x80\x81", "line 1: the byte 0x80 is not UTF-8"),
    ],
)
def test_bad_labels_files_are_named(put, content, message):
    edges, labels = put("e.csv", "a,b\n"), put("labels.csv", content)
    with pytest.raises(GraphError, match=message) as caught:
        read_graph(edges, labels=labels)
    assert str(caught.value).startswith(f"{labels}: ")


# ---- GraphML, GEXF, GML, JSON ------------------------------------------------------------------------------


def write_with_networkx(graph: nx.Graph, path: Path) -> Path:
    if path.suffix == ".json":
        path.write_text(json.dumps(nx.node_link_data(graph, edges="edges")))
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
@settings(max_examples=20)
@given(G=graphs())
def test_any_graph_there_and_back(ending, G):
    with tempfile.TemporaryDirectory() as folder:
        graph = nx.Graph()
        graph.add_nodes_from(reversed(range(G.num_nodes)))  # out of order, and still by number
        graph.add_edges_from(G.edges.tolist())
        H = read_graph(write_with_networkx(graph, Path(folder) / f"g{ending}"))
        assert H.names == G.names
        np.testing.assert_array_equal(H.edges, G.edges)


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


@pytest.mark.parametrize("ending", [".graphml", ".gexf"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_xml_with_a_dtd_is_refused_before_anything_is_expanded(put, ending, encoding):
    bomb = f'<?xml version="1.0" encoding="{encoding}"?>\n<!DOCTYPE g [<!ENTITY a "ha">'
    bomb += "".join(f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in zip("abcdefghij", "bcdefghijk", strict=True))
    path = put(f"bomb{ending}", (bomb + "]><graphml>&k;</graphml>").encode(encoding))
    refused(path, r"line 2: XML with a DTD .* is refused")
    outside = '<!DOCTYPE graphml SYSTEM "file:///etc/passwd"><graphml/>'
    refused(put(f"outside{ending}", outside), "XML with a DTD")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("g.graphml", "<graphml>\n<graph>\n</graphml>", "line 3: mismatched tag; expected well-formed XML"),
        ("g.graphml", "<html/>", "this is not GraphML"),
        ("g.graphml", "0,1\n", "line 1: syntax error; expected well-formed XML"),
        (
            "g.graphml",
            '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected"/></graphml>',
            "there is no node in it",
        ),
        ("g.gexf", "<gexf/>", "this is not GEXF"),
        ("g.gexf", "<a>" * 201 + "</a>" * 201, "line 1: more than 200 elements in each other"),
        ("g.graphml", f"<a {WIDE}/>", "line 1: more than 200 .* or attributes"),
        ("g.gml", "graph [ node [ id 0 ]", "this is not GML"),
        ("g.gml", b"\xff", "line 1: the byte 0xff"),
        ("g.json", '{"nodes": [\n{"id": 1},\n}', "line 3: .*expected JSON"),
        ("g.json", "[1, 2]", "this is a JSON list; expected node-link JSON"),
        ("g.json", '{"nodes": []}', "no list called edges or links"),
        ("g.json", '{"edges": []}', "no list called nodes"),
        ("g.json", '{"nodes": [], "edges": []}', "there is no node in it"),
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
    ],
)
def test_bad_graph_files_are_told_what_was_expected(put, name, content, message):
    refused(put(name, content), message)


# ---- .npz and .pt ------------------------------------------------------------------------------------------


@given(G=graphs())
@settings(max_examples=20)
def test_adjacency_matrices_there_and_back(G):
    with tempfile.TemporaryDirectory() as folder:
        sparse, dense = Path(folder) / "s.npz", Path(folder) / "d.npz"
        scipy.sparse.save_npz(sparse, G.to_scipy())
        np.savez(dense, adjacency=G.to_scipy().toarray().astype(bool))
        for H in (read_graph(sparse), read_graph(dense)):
            np.testing.assert_array_equal(H.edges, G.edges)
            assert H.cleaning == Cleaning(isolated=int((G.degrees == 0).sum()))


def test_a_matrix_with_weights_and_one_way_entries_is_reported(tmp_path):
    np.savez(tmp_path / "a.npz", np.array([[1, 0.5, 0], [0, 0, 1], [0, 1, 0]]))
    G = read_graph(tmp_path / "a.npz")
    assert G.edges.tolist() == [[0, 1], [1, 2]]
    assert G.cleaning == Cleaning(self_loops=1, reversed_duplicates=1, direction_ignored=True, weights_ignored=True)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"adjacency": np.zeros((2, 3))}, r"shape \[2, 3\]; expected a square one"),
        ({"adjacency": np.array([[0, np.nan], [1, 0]])}, "not finite numbers"),
        ({"adjacency": np.array([["a"]])}, "is <U1 of shape"),
        ({"adjacency": np.zeros((0, 0))}, "expected a square one"),
        ({"x": np.zeros(2), "y": np.zeros(2)}, r"no array called 'adjacency' among \['x', 'y'\]"),
        ({"adjacency": np.array([[{}]], dtype=object)}, "this is not an .npz file"),
        ({"format": np.array(b"csr"), "shape": np.array([2, 2])}, "a csr matrix has the arrays data, indices"),
    ],
)
def test_bad_matrices_are_refused_and_objects_never_unpickled(tmp_path, arrays, message):
    np.savez(tmp_path / "a.npz", **arrays)
    refused(tmp_path / "a.npz", message)


def test_torch_files_of_pyg_and_of_plain_tensors(tmp_path):
    import torch

    G = Graph.from_edges([("a", "b"), ("b", "c")], labels=[0, 1, 1], attributes=[[1.0], [2.0], [3.0]])
    data = G.to_pyg()
    saved = {"data.pt": data, "dict.pt": data.to_dict(), "dataset.pt": (data.to_dict(), None, type(data))}
    for name, content in saved.items():
        torch.save(content, tmp_path / name)
        H = read_graph(tmp_path / name)
        assert (H.names, H.labels.tolist(), H.attributes.tolist()) == (G.names, [0, 1, 1], [[1.0], [2.0], [3.0]])
        np.testing.assert_array_equal(H.edges, G.edges)
        assert not H.cleaning
    torch.save({"edge_index": torch.tensor([[0], [1]])}, tmp_path / "bare.pt")
    assert read_graph(tmp_path / "bare.pt").edges.tolist() == [[0, 1]]


class Trap:
    """What a pickle could do to whoever loads it."""

    def __reduce__(self):
        return Path.touch, (Path(tempfile.gettempdir()) / "degnn-trap",)


def test_a_torch_file_that_would_run_code_is_refused_and_does_not(tmp_path):
    import torch

    (Path(tempfile.gettempdir()) / "degnn-trap").unlink(missing_ok=True)
    torch.save({"edge_index": torch.tensor([[0], [1]]), "trap": Trap()}, tmp_path / "trap.pt")
    refused(tmp_path / "trap.pt", "other Python objects are refused")
    assert not (Path(tempfile.gettempdir()) / "degnn-trap").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"x": 1}, "there is no edge_index in it"),
        ([1, 2], "there is no edge_index in it"),
        ({"edge_index": "text"}, "there is no edge_index in it"),
    ],
)
def test_torch_files_without_a_graph(tmp_path, content, message):
    import torch

    torch.save(content, tmp_path / "a.pt")
    refused(tmp_path / "a.pt", message)
    torch.save({"edge_index": torch.tensor([[0.5], [1.0]])}, tmp_path / "b.pt")
    refused(tmp_path / "b.pt", r"whole numbers of shape \[2, m\], not float32")


# ---- folders -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "nodes", "edges"),
    [("celegans", 297, 2148), ("ns", 1461, 2742), ("pb", 1222, 16_714), ("us-flights", 305, 2834)],
)
def test_the_embedded_folders(name, nodes, edges):
    G = read_folder(DATA / name)
    assert (G.num_nodes, G.num_edges, G.title) == (nodes, edges, name)
    assert not G.cleaning


def test_columns_of_a_folder():
    G = read_graph(DATA / "us-flights")
    assert G.names[:2] == ("ABE", "ABI")
    assert G.positions[0].tolist() == [-75.4404, 40.6524]
    assert sorted(G.info) == ["city", "flights", "latitude", "longitude", "state"]
    assert (G.info["city"][0], G.info["flights"][0], G.labels[:3].tolist()) == ("Allentown", 9602, [2, 1, 3])


@pytest.mark.parametrize(
    ("nodes", "edges", "message"),
    [
        (None, "source,target\n0,1\n", r"nodes.csv: there is no such file"),
        ("id\n0\n", None, r"edges.csv: there is no such file"),
        ("name\na\n", "source,target\na,a\n", r"nodes.csv: line 1: no column 'id' among \['name'\]"),
        ("id\n0\n0\n", "source,target\n0,0\n", r"nodes.csv: line 3: the id '0' is there twice"),
        ("id\n0\n1\n", "source,target\n0,1\n1,2\n", r"edges.csv: line 3: '2' is not an id in nodes.csv"),
        ("id\n0\n1\n", "a,b\n0,1\n", r"edges.csv: line 1: the columns \['a', 'b'\]; expected source and target"),
        ("id,label\n0,nan\n1,2\n", "source,target\n0,1\n", r"nodes.csv: line 2: the label is 'nan'"),
        ("id,name\n0,a\n1,a\n", "source,target\n0,1\n", "Two nodes are called 'a'"),
        ("id\n0\n", "source,target\n", r"edges.csv: there is a header line and nothing else"),
    ],
)
def test_bad_folders_are_told_which_file(tmp_path, nodes, edges, message):
    for name, content in (("nodes.csv", nodes), ("edges.csv", edges)):
        if content is not None:
            (tmp_path / name).write_text(content)
    with pytest.raises(GraphError, match=message):
        read_folder(tmp_path)


def test_reading_says_how_far_it_is_and_can_be_stopped_whenever_it_says_so(put):
    path = put("e.csv", "source,target\na,b\nb,c\n")
    said = []
    assert read_graph(path, progress=lambda what, share: said.append((what, share))).num_edges == 2
    shares = [share for _, share in said]
    assert shares == sorted(shares)
    assert 0 <= shares[0] < shares[-1] < 1
    for moment in range(len(said)):
        stop, heard = threading.Event(), []

        def tell(what, share, heard=heard, stop=stop, moment=moment):
            heard.append((what, share))
            if len(heard) > moment:
                stop.set()

        if moment < len(said) - 1:  # after the last word there is nothing left to stop
            with pytest.raises(Cancelled, match="Stopped while"):
                read_graph(path, progress=tell, stop=stop)
            assert heard == said[: moment + 1]


def test_ctrl_c_ends_the_reading(put):
    def interrupt(what, share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read_graph(put("e.csv", "a,b\n"), progress=interrupt)
