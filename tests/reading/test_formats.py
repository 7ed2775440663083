"""Every format there and back, and what its reader says about files that are damaged, odd or lie."""

from __future__ import annotations

import io
import json
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data, HeteroData

from degnn_explore import Cleaning, Graph, GraphError, ParameterError, read_graph, theory, zoo
from degnn_explore.reading import matrices, read
from degnn_explore.reading.documents import read_graph6, read_json
from degnn_explore.reading.read import FORMATS

from ..strategies import graphs
from .conftest import Write, refused

PATH = nx.path_graph(3)


def written(write: Callable[..., Any], *arguments: Any, **options: Any) -> bytes:
    """What a function writes into a stream, which is passed in the place of ``...``."""
    stream = io.BytesIO()
    write(*(stream if argument is ... else argument for argument in arguments), **options)
    return stream.getvalue()


def document(graph: nx.Graph, ending: str) -> bytes:
    if ending == ".json":
        return json.dumps(nx.node_link_data(graph, edges="links")).encode()
    return written(getattr(nx, f"write_{ending[1:]}"), graph, ...)


# ---- which format is which -----------------------------------------------------------------------------------

DOCUMENTS = [".graphml", ".gexf", ".gml", ".json"]
RISKY = {"graphml", "gexf", "gml", "npz", "mtx", "mat", "pt"}
SAMPLES: dict[str, Callable[[], bytes]] = {
    "csv": lambda: b"0,1\n1,2\n",
    "tsv": lambda: b"0\t1\n1\t2\n",
    "edgelist": lambda: b"0 1\n1 2\n",
    "graph6": lambda: nx.to_graph6_bytes(PATH),
    "npz": lambda: written(np.savez, ..., adjacency=nx.to_numpy_array(PATH)),
    "mtx": lambda: written(scipy.io.mmwrite, ..., nx.to_scipy_sparse_array(PATH)),
    "mat": lambda: written(scipy.io.savemat, ..., {"A": nx.to_numpy_array(PATH)}),
    "pt": lambda: written(torch.save, Graph.from_networkx(PATH).to_pyg(), ...),
    **{ending[1:]: lambda ending=ending: document(PATH, ending) for ending in DOCUMENTS},
}


@pytest.mark.parametrize("entry", FORMATS, ids=lambda entry: entry.name)
def test_a_format_is_known_by_its_endings_or_by_name(write: Write, parsed_here: list[str], entry: read.Format) -> None:
    content = SAMPLES[entry.name]()
    files = [(f"path{ending}", {}) for ending in entry.endings.split()]
    files += [(name.upper(), {}) for name, _ in files]
    files += [("path.json" if entry.name != "json" else "path.csv", {"format": entry.name})]
    for name, options in files:
        G = read_graph(write(name, content), **options)
        assert (G.title, G.edges.tolist()) == (name[:4], [[0, 1], [1, 2]]) and not G.cleaning
    assert len(parsed_here) == (len(files) if entry.name in RISKY else 0)
    assert entry.spoken in read.spoken_formats() and entry.holds in (read_graph.__doc__ or "")
    if entry.read is not None:
        with pytest.raises(ParameterError, match=rf"columns=\(0, 1\) is for edge lists, .*{entry.spoken}"):
            read_graph(write(name, content), columns=(0, 1), **options)


def test_large_documents_are_risky_too(write: Write, parsed_here: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("g.json", SAMPLES["json"]())
    monkeypatch.setattr(read, "LARGE_DOCUMENT", path.stat().st_size)
    assert read_graph(path).num_edges == 2 and parsed_here == []
    monkeypatch.setattr(read, "LARGE_DOCUMENT", path.stat().st_size - 1)
    assert read_graph(path).num_edges == 2 and parsed_here == ["read_json"]
    assert read_graph(write("e.csv", "0,1\n" * 100)).num_edges == 1 and len(parsed_here) == 1


# ---- documents: GraphML, GEXF, GML, JSON ---------------------------------------------------------------------


@pytest.mark.parametrize("ending", DOCUMENTS)
@pytest.mark.parametrize("directed", [False, True])
def test_nodes_and_attributes_come_back(write: Write, parsed_here: list[str], ending: str, directed: bool) -> None:
    graph: nx.Graph = nx.DiGraph() if directed else nx.Graph()
    graph.add_node("new york", size=3, club="b", x=0.5, y=2.0)
    graph.add_node("<rome>", size=4, club="a", x=1.5, y=3.0)
    graph.add_node("bonn ü", size=5, club="b", x=-1.0, y=0.0)
    graph.add_edges_from([("new york", "<rome>"), ("<rome>", "<rome>"), ("<rome>", "new york")])
    path = write(f"towns{ending}", document(graph, ending))
    G = read_graph(path)
    assert (G.names, G.edges.tolist(), G.title) == (("new york", "<rome>", "bonn ü"), [[0, 1]], "towns")
    assert {key: column.tolist() for key, column in G.info.items()} == {"size": [3, 4, 5], "club": ["b", "a", "b"]}
    assert (G.positions.tolist(), G.labels) == ([[0.5, 2], [1.5, 3], [-1, 0]], None)
    both = {"reversed_duplicates": 1, "direction_ignored": True} if directed else {}
    assert G.cleaning == Cleaning(self_loops=1, isolated=1, **both)
    for source in (path, graph):
        H = read_graph(source, label_column="club")
        assert (H.labels.tolist(), H.info["label"].tolist()) == ([1, 0, 1], ["b", "a", "b"])
        assert list(H.info) == ["size", "label"]
    H = read_graph(path, label_column="size")
    assert (H.labels.tolist(), list(H.info)) == ([3, 4, 5], ["club"])
    assert read_graph(path, labels=write("l.csv", "<rome>,7\n")).labels.tolist() == [-1, 7, -1]
    refused(path, "no node attribute 'age' .*'club', 'size'", label_column="age")
    graph["new york"]["<rome>"]["weight"] = 2.5
    assert read_graph(write(path.name, document(graph, ending))).cleaning.weights_ignored


@pytest.mark.parametrize("ending", DOCUMENTS)
def test_ids_that_number_the_nodes_from_0_or_not(write: Write, parsed_here: list[str], ending: str) -> None:
    graph = nx.Graph([(11, 0), (10, 3), (1, 2), *((i, i) for i in range(12))])
    graph.add_node(5, name="not every node has one")
    G = read_graph(write(f"g{ending}", document(graph, ending)))
    assert (G.names, G.cleaning.renumbered) == (tuple(map(str, range(12))), False)
    assert G.edges.tolist() == [[0, 11], [1, 2], [3, 10]]
    G = read_graph(write(f"g{ending}", document(nx.Graph([(3, 1)]), ending)))
    assert (G.names, G.cleaning) == (("3", "1"), Cleaning(renumbered=True))


def test_the_names_and_the_layout_of_gephi(write: Write, parsed_here: list[str]) -> None:
    node = '<node id="{0}" label="{1}"><viz:position x="{2}" y="{3}" z="0"/></node>'.format
    head = '<gexf xmlns="http://www.gexf.net/1.2draft" xmlns:viz="http://www.gexf.net/1.2draft/viz" version="1.2">'
    nodes = f'<graph defaultedgetype="undirected"><nodes>{node(7, "Ana", 1, 2)}{node(9, "Ben", 3, 4)}</nodes>'
    G = read_graph(write("g.gexf", f'{head}{nodes}<edges><edge source="7" target="9"/></edges></graph></gexf>'))
    assert (G.names, G.positions.tolist(), G.num_edges) == (("Ana", "Ben"), [[1.0, 2.0], [3.0, 4.0]], 1)
    gml = 'graph [ node [ id 7 label "ABE" ] node [ id 1 label "ABI" ] edge [ source 1 target 7 ] ]'
    for H in (G, read_graph(write("g.gml", gml))):
        assert H.cleaning == Cleaning(renumbered=True) and H.names[0] in ("Ana", "ABE")


def from_json(nodes: list[Any], links: list[Any], key: str = "edges", **more: Any) -> Graph:
    return read_json(io.BytesIO(json.dumps({"nodes": nodes, key: links, **more}).encode()))


def test_json_of_d3_and_of_networkx() -> None:
    link = {"source": 1, "target": 0}
    d3 = [{"name": "ana"}, {"name": "ben"}]
    for key in ("edges", "links"):
        G = from_json(d3, [link], key)
        assert (G.names, G.num_edges, G.cleaning, dict(G.info)) == (("ana", "ben"), 1, Cleaning(), {})
    for more, ignored in (({"weight": 1}, False), ({"weight": 2}, True), ({"size": 2}, False)):
        assert from_json(d3, [link | more]).cleaning == Cleaning(weights_ignored=ignored)
    for directed, more in ((True, {"directed": True}), (False, {"directed": False}), (False, {"directed": 1})):
        assert from_json(d3, [link], **more).cleaning.direction_ignored == directed
    nodes = [{"id": "b", "label": 1, "x": 0.5, "y": 2, "age": None}, {"id": "a", "label": 0, "x": 1, "y": 3, "age": 7}]
    G = from_json(nodes, [{"source": "a", "target": "b"}])
    assert (G.names, G.labels.tolist(), G.positions.tolist()) == (("b", "a"), [1, 0], [[0.5, 2.0], [1.0, 3.0]])
    assert {key: column.tolist() for key, column in G.info.items()} == {"age": ["", "7"]}
    nodes = [{"id": 1}, {"id": 2.0}, {"id": True}, {"id": 2.5}]  # 2 and 2.0 are one node
    G = from_json(nodes, [{"source": 1.0, "target": 2}, {"source": "true", "target": 2.5}])
    assert (G.names, G.edges.tolist()) == (("1", "2", "true", "2.5"), [[0, 1], [2, 3]])


def test_labels_of_json_are_numbers_or_words(write: Write) -> None:
    for words in ((1, 0), ("b", "a")):
        path = write("g.json", json.dumps({"nodes": [{"label": word} for word in words], "edges": []}))
        assert (read_graph(path).labels is None) == ("label" in read_graph(path).info) == ("b" in words)
        assert read_graph(path, label_column="label").labels.tolist() == [1, 0]


@given(G=graphs())
@settings(max_examples=40)
def test_any_graph_as_json_and_graph6_there_and_back(G: Graph) -> None:
    graph = G.to_networkx()
    for reader, content in ((read_json, document(graph, ".json")), (read_graph6, nx.to_graph6_bytes(graph))):
        H = reader(io.BytesIO(content))
        assert H.edges.tolist() == G.edges.tolist() and H.num_nodes == G.num_nodes


# ---- graph6 --------------------------------------------------------------------------------------------------


def test_graph6_is_read_when_it_holds_one_graph() -> None:
    for content in (b"ElEG", b">>graph6<<ElEG\n", b"# a domino\n\nElEG\r\n"):
        assert read_graph6(io.BytesIO(content)).digest() == zoo.domino().digest()
    assert read_graph6(io.BytesIO(b"A~\n")).edges.tolist() == [[0, 1]]  # the five other bits fill the character up
    large = zoo.random_regular(100, 3)
    assert read_graph6(io.BytesIO(nx.to_graph6_bytes(large.to_networkx()))).digest() == large.digest()


@pytest.mark.parametrize(
    ("content", "titles"),
    [
        ("ElEG E{CW\n\n# more\nA_,A?\n", ["1 first", "1 second", "4 first", "4 second"]),
        (">>graph6<<ElEG\nE{CW\r\n\nA_\n  A?", ["1", "2", "4", "5"]),
    ],
)
def test_pairs_are_read_two_on_a_line_or_on_two_lines(write: Write, content: str, titles: list[str]) -> None:
    path = write("pairs.g6", content)
    for name in (path, str(path)):
        pairs = theory.read_pairs(name)
        assert [G.title for pair in pairs for G in pair] == [f"pairs.g6:{title}" for title in titles]
        expected = [zoo.domino(), zoo.bridged_triangles(), Graph.from_edges([(0, 1)]), Graph.from_edges([], 2)]
        assert [G.digest() for pair in pairs for G in pair] == [G.digest() for G in expected]


# ---- matrices ------------------------------------------------------------------------------------------------


def files_of(matrix: np.ndarray) -> Iterator[tuple[Callable[..., Graph], bytes]]:
    """The matrix in every form that scipy, numpy and MATLAB write."""
    yield matrices.read_npz, written(np.savez, ..., adjacency=matrix)
    yield matrices.read_npz, written(np.savez_compressed, ..., matrix.astype(np.float32))
    for kind in ("csr", "csc", "coo", "dia", "bsr"):
        yield matrices.read_npz, written(scipy.sparse.save_npz, ..., scipy.sparse.csr_array(matrix).asformat(kind))
    sparse = scipy.sparse.coo_array(matrix)
    yield matrices.read_mtx, written(scipy.io.mmwrite, ..., matrix)
    yield matrices.read_mtx, written(scipy.io.mmwrite, ..., sparse, symmetry="general")
    if (matrix == matrix.T).all():
        yield matrices.read_mtx, written(scipy.io.mmwrite, ..., sparse, symmetry="symmetric")
    if matrix.max() < 2:
        yield matrices.read_mtx, written(scipy.io.mmwrite, ..., sparse, field="pattern")
    for array in (matrix, scipy.sparse.csc_matrix(matrix.astype(float))):
        content = {"network": array, "other": np.zeros(3), "note": "text"}
        yield matrices.read_mat, written(scipy.io.savemat, ..., content, do_compression=array is matrix)


@settings(max_examples=25)
@given(data=st.data())
def test_a_matrix_in_any_form_is_the_graph_of_its_entries(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 5))
    cells = data.draw(st.lists(st.sampled_from([0, 0, 0, 1, 1, 2]), min_size=n * n, max_size=n * n))
    matrix = np.array(cells).reshape(n, n)
    if data.draw(st.booleans()):
        matrix = np.maximum(matrix, matrix.T)
    symmetric = (matrix > 0).tolist() == (matrix.T > 0).tolist()  # then it states each edge twice
    pairs = [(u, v) for u, v in np.argwhere(matrix).tolist() if u <= v or not symmetric]
    expected = Graph.from_edges(pairs, n, directed=not symmetric, weighted=2 in cells)
    for reader, content in files_of(matrix):
        G = reader(io.BytesIO(content))
        assert (G.num_nodes, G.edges.tolist(), G.cleaning) == (n, expected.edges.tolist(), expected.cleaning)


def test_a_stored_zero_is_no_edge_and_truths_are_entries() -> None:
    matrix = scipy.sparse.coo_array(([1, 1, 0, 0], ([0, 1, 1, 2], [1, 0, 2, 1])), shape=(3, 3))
    for form in (matrix, matrix.astype(bool), matrix.toarray().astype(bool)):
        G = matrices.graph_of_matrix(form)
        assert (G.edges.tolist(), G.cleaning) == ([[0, 1]], Cleaning(isolated=1))


def test_which_of_several_arrays_is_meant() -> None:
    small, meant = np.zeros((1, 1)), np.zeros((2, 2))
    for arrays in (
        {"adjacency": meant, "A": small},
        {"x": small, "A": meant},
        {"whatever": meant},
        {"x": small, "y": meant},
    ):
        npz, mat = written(np.savez, ..., **arrays), written(scipy.io.savemat, ..., arrays)
        for reader, content in ((matrices.read_npz, npz), (matrices.read_mat, mat)):
            if "y" not in arrays:
                assert reader(io.BytesIO(content)).num_nodes == 2
                continue
            with pytest.raises(GraphError, match=r"no array called 'adjacency' among \['x', 'y'\]"):
                reader(io.BytesIO(content))


# ---- PyG -----------------------------------------------------------------------------------------------------


def read_pt(content: object, cut: int = 0) -> Graph:
    file = written(torch.save, content, ...)
    return matrices.read_pt(io.BytesIO(file[: len(file) - cut]))


def test_torch_files_of_pyg_and_of_plain_tensors() -> None:
    G = Graph.from_edges([("a", "b"), ("b", "c")], labels=[0, 1, 1], attributes=[[1.0], [2.0], [3.0]])
    data = G.to_pyg()
    fields = data.to_dict()
    for H in (read_graph(data), *map(read_pt, (data, fields, (fields, None), [fields, None, type(data)]))):
        assert (H.names, H.labels.tolist(), H.attributes.tolist()) == (G.names, [0, 1, 1], [[1.0], [2.0], [3.0]])
        assert H.edges.tolist() == [[0, 1], [1, 2]] and not H.cleaning


def test_torch_files_that_are_refused_run_no_code() -> None:
    edges = torch.tensor([[0], [1]])
    contents: list[tuple[object, str]] = [
        ({"edge_index": edges, "code": Path()}, "it holds a pathlib.*; expected a PyG Data"),
        (HeteroData({"paper": {"x": edges}}), r"types \['paper'\].*to_homogeneous"),
        (Data(x=torch.ones(2, 1)), "no edge_index"),
        ({"edge_index": "text"}, "no edge_index"),
        ([edges], "no edge_index"),
        (({"edge_index": edges}, {"edge_index": edges}), "no edge_index"),
    ]
    for content, message in contents:
        with pytest.raises(GraphError, match=message):
            read_pt(content)
    with pytest.raises((RuntimeError, pickle.UnpicklingError)):
        read_pt(contents[0][0], cut=100)
