"""What is wrong with a file is said with its name, its line, and what was expected: a table of bad files.

More of what newcomers do wrong is in tests/test_wrong_things.py.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.io
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from degnn_explore import GraphError, read_graph, theory
from degnn_explore.reading.read import FORMATS

from .conftest import Write, refused

EDGE_LISTS: list[tuple[str | bytes, str]] = [
    (" \n\t\n", "empty"),
    ("# only\n% comments\n", "begins with # or %"),
    ("#ml,ai\n#ai,python\n", "begins with # or %.*put a header line"),
    ("source,target\n", "only a header line"),
    ("0,1\n\n1,2,3\n", "line 3: 3 columns; expected 2"),
    ("# x\n\n0,1\n\n1,2\n2\n", "line 6: found '2', ''"),
    ("# x\rsource,target\r\r0,1\r2\r", "line 5: found '2', ''"),
    ("a,b\n,c\n", "line 2: found '', 'c'"),
    ("source,target\n0\n", "line 2: 1 columns; expected 2.*header"),
    ("source,target\n0,1,2\n", "line 2: 3 columns; expected 2.*header"),
    ("a;b;w\nx;y;0,5\ny;z;1,5\n", r"line 1: the third column is 'w'.*header=True.*columns=\(0, 1\)"),
    ("0,1,2\n1,2,x\n", "line 2: the third column is 'x'"),
    ("0,1,2\n\n1,2\n", "line 3: the third column is ''"),
    ("0,1,2,3\n1,2,3,4\n", "line 1: 4 columns"),
    ("u,v,w,x\n1,2,3,4\n", r"line 2: 4 columns.*columns=\(0, 1\)"),
    ("a,c\na,1.0\n1,b\n", "two ids are '1.0' and '1'"),
    ("ana,1e3\n1000.0,ben\n", "two ids are '1e3' and '1000.0'"),
    ('a,"b\nb,c\n', "quotation mark"),
    (b"\xff", "line 1: the byte 0xff"),
    (b"a,b\nb,c\nc,\x00\n", "line 3: the byte 0x00"),
    ("x" * 200_000 + ",b\n", "not a row of cells"),
    ("\r\t\x01", "table of cells|1 columns; expected 2"),
    ("x" * 2_000_000, "line 1 is longer than"),
    ("a,b\nb,c\n" + "c," * 1_050_000 + "\nc,d\n", "line 3 is longer than"),
    (",".join("a" * 1_001), "1,001 columns; expected at most 1,000"),
]


def node_link(nodes: list[Any], *edges: Any) -> str:
    return json.dumps({"nodes": nodes, "edges": edges})


JSON: list[tuple[str | bytes, str]] = [
    ('{"nodes": [\n{"id": 1},\n}', "line 3: .*expected JSON"),
    ("[1, 2]", "this is a JSON list; expected node-link"),
    ("null", "this is a JSON null"),
    ('"a"', "this is a JSON string"),
    ('{"nodes": []}', "no list called edges or links"),
    ('{"nodes": {}, "edges": []}', "no list called nodes"),
    (node_link([]), "no nodes"),
    (node_link([{"id": 1}, 5]), r"nodes\[1\] is a JSON int"),
    (node_link([{"id": 1}, {"id": "1"}]), r"nodes\[1\] has the id '1' of another node"),
    (node_link([{"name": "a"}, {"id": 0}]), r"nodes\[1\] has the id 0 of another node"),
    (node_link([{"id": 1}], {"source": 1}), r"edges\[0\] has no 'target'"),
    (node_link([{"id": 1}], {"source": 1, "target": 1}, [1, 1]), r"edges\[1\] has no 'source'"),
    (node_link([{"id": 1}], {"source": 1, "target": 2}), r"edges\[0\] names '2'"),
    ("[" * 100_000, "expected JSON"),
    (b'{"nodes": \xff}', "line 1: the byte 0xff"),
    (node_link([{f"k{i}": 1} for i in range(3000)]), "3,000 different attributes"),
    (node_link([{"id": 1, "label": 10**40}]), "labels must be whole numbers"),
]
GRAPH6: list[tuple[str | bytes, str]] = [
    ("ElEG\n\nE{CW\n", "2 graphs, the second on line 3; expected one.*read_pairs"),
    ("\n~}~~\n", "line 2: .*is not graph6"),
    ("Elé\n", "line 1: .*ASCII"),
    (":Fa@x^\n", "line 1: .*sparse6"),
    ("El!G\n", "line 1: '!' is not a graph6 character"),
    ("~\n", "cut off"),
    ("?\n", "no nodes"),
    ("# x\n", "holds no graph"),
    ("a" * 9_000_000, "line 1: 9,000,000 characters; expected at most"),
]
ROWS = [
    (name, content, message)
    for name, rows in (("e.csv", EDGE_LISTS), ("g.json", JSON), ("g.g6", GRAPH6))
    for content, message in rows
]


@pytest.mark.parametrize(("name", "content", "message"), ROWS)
def test_a_bad_file_is_refused(write: Write, name: str, content: str | bytes, message: str) -> None:
    refused(write(name, content), message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("ElEG E{CW\nElE E{CW\n", "line 2: 'ElE' is not graph6"),
        ("ElEG E{CW\n\nElEG\n", "line 3: 1 graphs, but line 1 has 2"),
        ("ElEG\nElEG ElEG\n", "line 2: 2 graphs, but line 1 has 1"),
        ("ElEG\nE{CW\n\nElEG\n", "line 4: the last of the 3 graphs has no partner"),
        ("ElEG E CW\n", "line 1: 3 graphs; expected two"),
        ("\n# nothing\n", "holds no graph"),
    ],
)
def test_a_bad_file_of_pairs_is_refused(write: Write, content: str, message: str) -> None:
    with pytest.raises(GraphError, match=f"pairs.g6.*{message}"):
        theory.read_pairs(write("pairs.g6", content))


@pytest.mark.parametrize(
    ("content", "column", "message"),
    [
        ("a,0\nzoe,1\n", None, "line 2: 'zoe' is not a node of the graph.*'a'"),
        ("a,0\nb,NaN\n", None, "line 2: the label is 'NaN'"),
        ("a,0\nb,-inf\n", None, "line 2: the label is '-inf'"),
        ("a,0\nb,1.5\n", None, "line 2: the label is 1.5; expected classes"),
        ("a,0\nb,-2\n", None, "line 2: the label is -2"),
        (f"a,{2**53}\nb,1\n", None, f"line 1: the label is {2**53}"),
        ("a,0\nb,1\n\na,0\n", None, "line 4: node 'a' is already on line 1"),
        ("a\nb\n", None, "expected two, a node id and its label"),
        ("a,0,1\nb,1,2\n", None, "3 columns; expected two.*label_column="),
        ("who,club\na,red\n", "size", r"no column 'size' among \['who', 'club'\]"),
    ],
)
def test_bad_labels_are_refused(write: Write, content: str, column: str | None, message: str) -> None:
    edges, labels = write("e.csv", "a,b\n"), write("labels.csv", content)
    with pytest.raises(GraphError, match=f"(?s){message}") as caught:
        read_graph(edges, labels=labels, label_column=column)
    assert str(caught.value).startswith(f"{labels}: ")


@pytest.mark.parametrize(
    ("nodes", "edges", "message"),
    [
        (None, "source,target\n0,1\n", "nodes.csv: there is no such file"),
        ("name\na\n", "source,target\na,a\n", r"nodes.csv: line 1: no column 'id' among \['name'\]"),
        ("id\n0\n0\n", "source,target\n0,0\n", "nodes.csv: line 3: the id '0' appears twice"),
        ("id\n0\n1\n", "source,target\n0,0\n# x,1\n", "edges.csv: line 3: '# x' is not an id"),
        ("id\n0\n1\n", "source,b\n0,1\n", r"edges.csv: line 1: the columns \['source', 'b'\]"),
        ("id\n0\n1\n", "a,target\n0,1\n", r"edges.csv: line 1: the columns \['a', 'target'\]"),
        ("id,label\n0,nan\n1,2\n", "source,target\n0,1\n", "nodes.csv: line 2: the label is 'nan'"),
        ("id,name\n0,a\n1,a\n", "source,target\n0,1\n", "Two nodes are called 'a'"),
        ("id\n0\n", "source,target\n", "edges.csv: there is only a header line"),
    ],
)
def test_a_bad_folder_is_refused(write: Write, tmp_path: Path, nodes: str | None, edges: str, message: str) -> None:
    write("edges.csv", edges)
    if nodes is not None:
        write("nodes.csv", nodes)
    with pytest.raises(GraphError, match=f"{tmp_path}.*{message}"):
        read_graph(tmp_path)


# ---- risky formats, read without their child process ---------------------------------------------------------

MARKET = "%%MatrixMarket matrix coordinate"
CSR = {"indptr": [0, 1, 3, 5, 6], "indices": [1, 0, 2, 1, 3, 2], "data": [1.0] * 6, "shape": [4, 4], "format": b"csr"}


def npz(**arrays: Any) -> bytes:
    np.savez(file := io.BytesIO(), **arrays)
    return file.getvalue()


def mat(**arrays: Any) -> bytes:
    scipy.io.savemat(file := io.BytesIO(), arrays)
    return file.getvalue()


# Errors of other kinds are those of the parsers; isolate.py turns each into one of ours.
RISKY: list[tuple[str, str | bytes, type[Exception], str]] = [
    ("billion.mtx", f"{MARKET} pattern general\n1000000000 1000000000 1\n1 2\n", GraphError, "has 1,000,000,000 rows"),
    ("oblong.mtx", f"{MARKET} pattern general\n3 4 1\n1 2\n", GraphError, r"shape \[3, 4\]; expected a square"),
    ("complex.mtx", f"{MARKET} complex general\n3 3 1\n1 2 1 1\n", GraphError, "type complex"),
    ("infinite.mtx", f"{MARKET} real general\n3 3 1\n1 2 inf\n", GraphError, "not finite"),
    ("indices.npz", npz(**CSR | {"indices": [1, 0, 2, 1, 3, 2**40]}), ValueError, ""),
    ("nan.npz", npz(adjacency=np.array([[0, np.nan], [1, 0]])), GraphError, "not finite"),
    ("text.npz", npz(adjacency=np.array([["a"]])), GraphError, "values of type"),
    ("objects.npz", npz(adjacency=np.array([[{}]], dtype=object)), ValueError, "pickle"),
    ("empty.npz", npz(adjacency=np.zeros((0, 0))), GraphError, "expected a square"),
    ("vector.npz", npz(adjacency=np.zeros(3)), GraphError, "expected a square"),
    ("cube.npz", npz(adjacency=np.zeros((2, 2, 2))), GraphError, "expected a square"),
    ("two.npz", npz(x=np.zeros((1, 1)), y=np.zeros((2, 2))), GraphError, r"no array called .* among \['x', 'y'\]"),
    ("two.mat", mat(x=np.zeros((1, 1)), y=np.zeros((2, 2))), GraphError, r"no array called .* among \['x', 'y'\]"),
    ("v73.mat", b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + bytes(400), GraphError, "-v7.3.*'-v7'"),
    ("unclosed.graphml", "<graphml>\n<graph>\n</graphml>", SyntaxError, "line 3"),
    ("entity.graphml", '<!DOCTYPE g [<!ENTITY e SYSTEM "file:///etc/fstab">]><g>&e;</g>', SyntaxError, "entity"),
    ("cut.gml", "graph [ node [ id 0 ]", nx.NetworkXError, ""),
    ("bytes.gml", b"graph\n[\xff", GraphError, "line 2: the byte 0xff"),
]


@pytest.mark.parametrize(("name", "content", "error", "message"), RISKY, ids=[row[0] for row in RISKY])
def test_a_bad_file_gives_no_graph(name: str, content: str | bytes, error: type[Exception], message: str) -> None:
    reader = next(entry.read for entry in FORMATS if Path(name).suffix in entry.endings.split())
    assert reader is not None
    with pytest.raises(error, match=f"(?s){message}"):
        reader(io.BytesIO(content.encode() if isinstance(content, str) else content))


# ---- any bytes -----------------------------------------------------------------------------------------------

GOOD = {
    "e.csv": b"source,target,weight\n" + b"".join(b"%d,%d,1.5\n" % edge for edge in nx.karate_club_graph().edges),
    "e.txt": b"ann bob {}\nbob cai {}\n",
    "g.json": json.dumps(nx.node_link_data(nx.florentine_families_graph(), edges="links")).encode(),
    "g.g6": b">>graph6<<ElEG\n",
}
PIECES = [*'01a,; \n\r"#%{}[]-.e\u2028\x00', "nan", "source,target\n", '"edges":', "\\ud800", "9" * 400, " " * 5000]


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(data=st.data(), name=st.sampled_from(list(GOOD)))
def test_any_bytes_give_a_graph_or_one_of_our_errors(write: Write, data: st.DataObject, name: str) -> None:
    content = bytearray(GOOD[name])
    for _ in range(data.draw(st.integers(0, 4))):
        start, length = data.draw(st.integers(0, len(content))), data.draw(st.sampled_from([0, 1, 1, 4, 30, 10**6]))
        pieces = data.draw(st.lists(st.sampled_from(PIECES), max_size=4).map("".join))
        content[start : start + length] = data.draw(st.binary(max_size=8)) or pieces.encode()
    path = write(name, bytes(content))
    try:
        G = read_graph(path)
        assert len(G.names) == len(set(G.names)) == G.num_nodes >= 1
    except GraphError as error:
        assert str(path) in str(error)
