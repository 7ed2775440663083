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
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from degnn_explore import GraphError, read_graph, theory
from degnn_explore.reading.read import FORMATS

from .conftest import Write, refused


def node_link(nodes: list[Any], *edges: Any) -> str:
    return json.dumps({"nodes": nodes, "edges": edges})


FILES: dict[str, list[tuple[str | bytes, str]]] = {
    "e.csv": [
        (" \n\t\n", "empty"),
        ("# only\n% comments\n", "begins with # or %.*put a header line"),
        ("source,target\n", "only a header line"),
        ("0,1\n\n1,2,3\n", "line 3: 3 columns; expected 2"),
        ("# x\n\n0,1\n\n1,2\n2\n", "line 6: found '2', ''"),
        ("# x\rsource,target\r\r0,1\r2\r", "line 5: found '2', ''"),
        ("a,b\n,c\n", "line 2: found '', 'c'"),
        ("a;b;w\nx;y;0,5\ny;z;1,5\n", r"line 1: the third column is 'w'.*header=True.*columns=\(0, 1\)"),
        ("0,1,2,3\n1,2,3,4\n", "line 1: 4 columns"),
        ("u,v,w,x\n1,2,3,4\n", r"line 2: 4 columns.*columns=\(0, 1\)"),
        ("a,c\na,1.0\n1,b\n", "two ids are '1.0' and '1'"),
        ("ana,1e3\n1000.0,ben\n", "two ids are '1e3' and '1000.0'"),
        ('a,"b\nb,c\n', "quotation mark"),
        (b"a,b\nb,c\nc,\x00\n", "line 3: the byte 0x00"),
        ("x" * 200_000 + ",b\n", "not a row of cells"),
        ("\r\t\x01", "table of cells|1 columns; expected 2"),
        ("a,b\nb,c\n" + "c," * 1_050_000 + "\nc,d\n", "line 3 is longer than"),
        (",".join("a" * 1_001), "1,001 columns; expected at most 1,000"),
    ],
    "g.json": [
        ('{"nodes": [\n{"id": 1},\n}', "line 3: .*expected JSON"),
        ("[1, 2]", "this is a JSON list; expected node-link"),
        ('{"nodes": []}', "no list called edges or links"),
        ('{"nodes": {}, "edges": []}', "no list called nodes"),
        (node_link([]), "no nodes"),
        (node_link([{"id": 1}, 5]), r"nodes\[1\] is a JSON int"),
        (node_link([{"name": "a"}, {"id": 0}]), r"nodes\[1\] has the id 0 of another node"),
        (node_link([{"id": 1}], {"source": 1, "target": 1}, [1, 1]), r"edges\[1\] has no 'source'"),
        (node_link([{"id": 1}], {"source": 1, "target": 2}), r"edges\[0\] names '2'"),
        ("[" * 100_000, "expected JSON"),
        (b'{"nodes": \xff}', "line 1: the byte 0xff"),
        (node_link([{"id": 1, "label": 10**40}]), "labels must be whole numbers"),
    ],
    "g.g6": [
        ("ElEG\n\nE{CW\n", "2 graphs, the second on line 3; expected one.*read_pairs"),
        ("\n~}~~\n", "line 2: .*is not graph6"),
        ("Elé\n", "line 1: .*ASCII"),
        (":Fa@x^\n", "line 1: .*sparse6"),
        ("El!G\n", "line 1: '!' is not a graph6 character"),
        ("~\n", "cut off"),
        ("?\n", "no nodes"),
        ("# x\n", "holds no graph"),
        ("a" * 9_000_000, "line 1: 9,000,000 characters; expected at most"),
    ],
}


@pytest.mark.parametrize(("name", "content", "message"), [(name, *row) for name in FILES for row in FILES[name]])
def test_a_bad_file_is_refused(write: Write, name: str, content: str | bytes, message: str) -> None:
    refused(write(name, content), message)


TWO = {"edges.csv": "source,target\n0,1\n", "nodes.csv": "id\n0\n1\n"}


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (TWO | {"nodes.csv": "name\na\n"}, r"nodes.csv: line 1: no column 'id' among \['name'\]"),
        (TWO | {"nodes.csv": "id\n0\n0\n"}, "nodes.csv: line 3: the id '0' appears twice"),
        (TWO | {"nodes.csv": "id,label\n0,nan\n1,2\n"}, "nodes.csv: line 2: the label is 'nan'"),
        (TWO | {"nodes.csv": "id,name\n0,a\n1,a\n"}, "Two nodes are called 'a'"),
        (TWO | {"edges.csv": "source,target\n0,0\n# x,1\n"}, "edges.csv: line 3: '# x' is not an id"),
        (TWO | {"edges.csv": "source,b\n0,1\n"}, r"edges.csv: line 1: the columns \['source', 'b'\]"),
        (TWO | {"edges.csv": "a,target\n0,1\n"}, r"edges.csv: line 1: the columns \['a', 'target'\]"),
        ({"edges.csv": "source,target\n0,1\n"}, "nodes.csv: there is no such file"),
        ({"pairs.g6": "ElEG E{CW\nElE E{CW\n"}, "line 2: 'ElE' is not graph6"),
        ({"pairs.g6": "ElEG E{CW\n\nElEG\n"}, "line 3: 1 graphs, but line 1 has 2"),
        ({"pairs.g6": "ElEG\nE{CW\n\nElEG\n"}, "line 4: the last of the 3 graphs has no partner"),
        ({"pairs.g6": "ElEG E CW\n"}, "line 1: 3 graphs; expected two"),
        ({"labels.csv": "a,0\nzoe,1\n"}, "line 2: 'zoe' is not a node of the graph.*'a'"),
        ({"labels.csv": "a,0\nb,-inf\n"}, "line 2: the label is '-inf'"),
        ({"labels.csv": "a,0\nb,1.5\n"}, "line 2: the label is 1.5; expected classes"),
        ({"labels.csv": "a,0\nb,-2\n"}, "line 2: the label is -2"),
        ({"labels.csv": f"a,{2**53}\nb,1\n"}, f"line 1: the label is {2**53}"),
        ({"labels.csv": "a,0\nb,1\n\na,0\n"}, "line 4: node 'a' is already on line 1"),
        ({"labels.csv": "a\nb\n"}, "expected two, a node id and its label"),
        ({"labels.csv": "a,0,1\nb,1,2\n"}, "3 columns; expected two.*label_column="),
        ({"labels.csv": "who,club\na,red\n"}, r"no column 'size' among \['who', 'club'\]"),
    ],
)
def test_bad_folders_pairs_and_labels_are_refused(
    write: Write, tmp_path: Path, files: dict[str, str], message: str
) -> None:
    for name, content in files.items():
        path = write(name, content)
    with pytest.raises(GraphError, match=f"(?s)^(pairs.g6|{tmp_path}).*{message}"):
        if "edges.csv" in files:
            read_graph(tmp_path)
        elif path.suffix == ".g6":
            theory.read_pairs(path)
        else:
            column = "size" if "club" in content else None
            read_graph(pd.DataFrame({"s": ["a"], "t": ["b"]}), labels=path, label_column=column)


# ---- risky formats, read without their child process ---------------------------------------------------------

MARKET = "%%MatrixMarket matrix coordinate"
CSR = {"indptr": [0, 1, 2], "indices": [1, 2**40], "data": [1.0, 1.0], "shape": [2, 2], "format": b"csr"}


def npz(**arrays: Any) -> bytes:
    np.savez(file := io.BytesIO(), **arrays)
    return file.getvalue()


# Errors of other kinds are those of the parsers; isolate.py turns each into one of ours.
RISKY: list[tuple[str, str | bytes, type[Exception], str]] = [
    ("billion.mtx", f"{MARKET} pattern general\n1000000000 1000000000 1\n1 2\n", GraphError, "has 1,000,000,000 rows"),
    ("complex.mtx", f"{MARKET} complex general\n3 3 1\n1 2 1 1\n", GraphError, "type complex"),
    ("infinite.mtx", f"{MARKET} real general\n3 3 1\n1 2 inf\n", GraphError, "not finite"),
    ("indices.npz", npz(**CSR), ValueError, "indices must be < 2"),
    ("objects.npz", npz(adjacency=np.array([[{}]], dtype=object)), ValueError, "pickle"),
    ("empty.npz", npz(adjacency=np.zeros((0, 0))), GraphError, "expected a square"),
    ("vector.npz", npz(adjacency=np.zeros(3)), GraphError, "expected a square"),
    ("v73.mat", b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + bytes(400), GraphError, "-v7.3.*'-v7'"),
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
