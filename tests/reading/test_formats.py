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
from hypothesis import given, settings
from hypothesis import strategies as st

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


def torch_file(content: object) -> bytes:
    import torch

    return written(torch.save, content, ...)


# ---- which format is which -----------------------------------------------------------------------------------

RISKY = {"graphml", "gexf", "gml", "npz", "mtx", "mat", "pt"}
SAMPLES: dict[str, Callable[[], bytes]] = {
    "csv": lambda: b"0,1\n1,2\n",
    "tsv": lambda: b"0\t1\n1\t2\n",
    "edgelist": lambda: b"0 1\n1 2\n",
    "graph6": lambda: nx.to_graph6_bytes(PATH),
    "npz": lambda: written(np.savez, ..., adjacency=nx.to_numpy_array(PATH)),
    "mtx": lambda: written(scipy.io.mmwrite, ..., nx.to_scipy_sparse_array(PATH)),
    "mat": lambda: written(scipy.io.savemat, ..., {"A": nx.to_numpy_array(PATH)}),
    "pt": lambda: torch_file(Graph.from_networkx(PATH).to_pyg()),
    **{ending[1:]: lambda ending=ending: document(PATH, ending) for ending in (".graphml", ".gexf", ".gml", ".json")},
}


@pytest.mark.parametrize("entry", FORMATS, ids=lambda entry: entry.name)
def test_a_format_is_known_by_its_endings_or_by_name(write: Write, parsed_here: list[str], entry: read.Format) -> None:
    content = SAMPLES[entry.name]()
    files = [(f"path{ending}", {}) for ending in entry.endings.split()]
    files += [(name.upper(), {}) for name, _ in files] + [("path.dat", {"format": entry.name})]
    files += [("path.json" if entry.name != "json" else "path.csv", {"format": entry.name})]
    for name, options in files:
        G = read_graph(write(name, content), **options)
        assert (G.title, G.edges.tolist()) == (name[:4], [[0, 1], [1, 2]]) and not G.cleaning
    assert len(parsed_here) == (len(files) if entry.name in RISKY else 0)
    if entry.read is not None:
        with pytest.raises(ParameterError, match=rf"columns=\(0, 1\) is for edge lists, .*{entry.spoken}"):
            read_graph(write(name, content), columns=(0, 1), **options)
    with pytest.raises(ParameterError, match="format='xls' is not known; choose one of 'csv'"):
        read_graph(write("e.csv", "0,1\n"), format="xls")


def test_large_documents_are_risky_too(write: Write, parsed_here: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("g.json", SAMPLES["json"]())
    monkeypatch.setattr(read, "LARGE_DOCUMENT", path.stat().st_size)
    assert read_graph(path).num_edges == 2 and parsed_here == []
    monkeypatch.setattr(read, "LARGE_DOCUMENT", path.stat().st_size - 1)
    assert read_graph(path).num_edges == 2 and parsed_here == ["read_json"]
    assert read_graph(write("e.csv", "0,1\n" * 100)).num_edges == 1 and len(parsed_here) == 1


# ---- documents: GraphML, GEXF, GML, JSON ---------------------------------------------------------------------

DOCUMENTS = pytest.mark.parametrize("ending", [".graphml", ".gexf", ".gml", ".json"])


@DOCUMENTS
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


@DOCUMENTS
def test_ids_that_number_the_nodes_in_another_order(write: Write, parsed_here: list[str], ending: str) -> None:
    graph = nx.Graph([(11, 0), (10, 3), (1, 2), *((i, i) for i in range(12))])
    graph.add_node(5, name="not every node has one")
    G = read_graph(write(f"g{ending}", document(graph, ending)))
    assert G.names == tuple(map(str, range(12)))
    assert G.edges.tolist() == [[0, 11], [1, 2], [3, 10]]


def test_the_names_and_the_layout_of_gephi(write: Write, parsed_here: list[str]) -> None:
    node = '<node id="{0}" label="{1}"><viz:position x="{2}" y="{3}" z="0"/></node>'.format
    head = '<gexf xmlns="http://www.gexf.net/1.2draft" xmlns:viz="http://www.gexf.net/1.2draft/viz" version="1.2">'
    nodes = f'<graph defaultedgetype="undirected"><nodes>{node(7, "Ana", 1, 2)}{node(9, "Ben", 3, 4)}</nodes>'
    G = read_graph(write("g.gexf", f'{head}{nodes}<edges><edge source="7" target="9"/></edges></graph></gexf>'))
    assert (G.names, G.positions.tolist(), G.num_edges) == (("Ana", "Ben"), [[1.0, 2.0], [3.0, 4.0]], 1)


def node_link(nodes: list[Any], links: list[Any], key: str = "edges", **more: Any) -> bytes:
    return json.dumps({"nodes": nodes, key: links, **more}).encode()


def test_json_of_d3_and_of_networkx(write: Write, tmp_path: Path) -> None:
    link = {"source": 1, "target": 0}
    d3 = [{"name": "ana"}, {"name": "ben"}]
    for key in ("edges", "links"):
        G = read_graph(write("g.json", node_link(d3, [link], key)))
        assert (G.names, G.num_edges, G.cleaning, dict(G.info)) == (("ana", "ben"), 1, Cleaning(), {})
    for more, cleaning in (
        ({"weight": 1}, Cleaning()),
        ({"weight": 2}, Cleaning(weights_ignored=True)),
        ({"size": 2}, Cleaning()),
    ):
        assert read_graph(write("g.json", node_link(d3, [link | more]))).cleaning == cleaning
    for directed, more in ((True, {"directed": True}), (False, {"directed": False}), (False, {"directed": 1})):
        assert read_graph(write("g.json", node_link(d3, [link], **more))).cleaning.direction_ignored == directed
    nodes = [{"id": "b", "label": 1, "x": 0.5, "y": 2, "age": None}, {"id": "a", "label": 0, "x": 1, "y": 3, "age": 7}]
    G = read_graph(write("g.json", node_link(nodes, [{"source": "a", "target": "b"}])))
    assert (G.names, G.labels.tolist(), G.positions.tolist()) == (("b", "a"), [1, 0], [[0.5, 2.0], [1.0, 3.0]])
    assert {key: column.tolist() for key, column in G.info.items()} == {"age": ["", "7"]}
    assert read_graph(tmp_path / "g.json", label_column="label").digest(labels=True) == G.digest(labels=True)
    path = write("g.json", node_link([{"label": "red"}, {"label": "blue"}], []))
    for column, labels in ((None, None), ("label", [1, 0])):
        G = read_graph(path, label_column=column)
        assert (None if G.labels is None else G.labels.tolist()) == labels
        assert G.info["label"].tolist() == ["red", "blue"]


def test_json_ids_with_and_without_a_fraction_are_one_node(write: Write) -> None:
    nodes = [{"id": 1}, {"id": 2.0}, {"id": True}, {"id": 2.5}]
    G = read_graph(write("g.json", node_link(nodes, [{"source": 1.0, "target": 2}, {"source": "true", "target": 2.5}])))
    assert (G.names, G.edges.tolist()) == (("1", "2", "true", "2.5"), [[0, 1], [2, 3]])


@given(G=graphs())
@settings(max_examples=40)
def test_any_graph_as_json_and_graph6_there_and_back(G: Graph) -> None:
    graph = G.to_networkx()
    for reader, content in ((read_json, document(graph, ".json")), (read_graph6, nx.to_graph6_bytes(graph))):
        H = reader(io.BytesIO(content))
        assert H.edges.tolist() == G.edges.tolist() and H.num_nodes == G.num_nodes


# ---- graph6 --------------------------------------------------------------------------------------------------


def test_graph6_is_read_when_it_holds_one_graph(write: Write) -> None:
    for content in ("ElEG", ">>graph6<<ElEG\n", "# a domino\n\nElEG\r\n"):
        G = read_graph(write("domino.g6", content))
        assert (G.title, G.num_nodes, G.edges.tolist()) == ("domino", 6, zoo.domino().edges.tolist())
    assert read_graph(write("edge.g6", "A~\n")).edges.tolist() == [[0, 1]]  # the five other bits fill the character up
    large = zoo.random_regular(100, 3)
    path = write("large.g6", nx.to_graph6_bytes(large.to_networkx()))
    assert read_graph(path).edges.tolist() == large.edges.tolist()


@pytest.mark.parametrize(
    ("content", "titles"),
    [
        ("ElEG E{CW\n\n# more\nA_,A?\n", ["1 first", "1 second", "4 first", "4 second"]),
        (">>graph6<<ElEG\nE{CW\r\n\nA_\n  A?", ["1", "2", "4", "5"]),
        ("ElEG\tE{CW\r\nA_ A?", ["1 first", "1 second", "2 first", "2 second"]),
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


def npz(**arrays: object) -> bytes:
    return written(np.savez, ..., **arrays)


def mat(**arrays: object) -> bytes:
    return written(scipy.io.savemat, ..., arrays)


def files_of(matrix: np.ndarray) -> Iterator[tuple[Callable[..., Graph], bytes]]:
    """The matrix in every form that scipy, numpy and MATLAB write."""
    yield matrices.read_npz, written(np.savez, ..., adjacency=matrix)
    yield matrices.read_npz, written(np.savez_compressed, ..., matrix.astype(np.float32))
    for kind in ("csr", "csc", "coo", "dia", "bsr"):
        sparse = scipy.sparse.csr_array(matrix).asformat(kind)
        yield matrices.read_npz, written(scipy.sparse.save_npz, ..., sparse)
    yield matrices.read_mtx, written(scipy.io.mmwrite, ..., matrix)
    yield matrices.read_mtx, written(scipy.io.mmwrite, ..., scipy.sparse.coo_array(matrix), symmetry="general")
    if (matrix == matrix.T).all():
        yield matrices.read_mtx, written(scipy.io.mmwrite, ..., scipy.sparse.coo_array(matrix), symmetry="symmetric")
    if matrix.max() < 2:
        yield matrices.read_mtx, written(scipy.io.mmwrite, ..., scipy.sparse.coo_array(matrix), field="pattern")
    for array in (matrix, scipy.sparse.csc_matrix(matrix.astype(float))):
        for packed in (False, True):
            content = {"network": array, "other": np.zeros(3), "note": "text"}
            yield matrices.read_mat, written(scipy.io.savemat, ..., content, do_compression=packed)


@settings(max_examples=25)
@given(data=st.data())
def test_a_matrix_in_any_form_is_the_graph_of_its_entries(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 5))
    cells = data.draw(st.lists(st.sampled_from([0, 0, 0, 1, 1, 2]), min_size=n * n, max_size=n * n))
    matrix = np.array(cells).reshape(n, n)
    if data.draw(st.booleans()):
        matrix = np.maximum(matrix, matrix.T)
    filled = {(u, v) for u in range(n) for v in range(n) if matrix[u, v]}
    edges = sorted({(min(pair), max(pair)) for pair in filled if pair[0] != pair[1]})
    directed = any(pair[::-1] not in filled for pair in filled)
    cleaning = Cleaning(
        self_loops=sum(u == v for u, v in filled),
        reversed_duplicates=sum(u < v and (v, u) in filled for u, v in filled) if directed else 0,
        direction_ignored=directed,
        weights_ignored=2 in cells,
        isolated=sum(all(node not in edge for edge in edges) for node in range(n)),
    )
    for reader, content in files_of(matrix):
        G = reader(io.BytesIO(content))
        assert (G.num_nodes, list(map(tuple, G.edges.tolist())), G.cleaning) == (n, edges, cleaning)


def test_a_stored_zero_is_no_edge_and_truths_are_entries() -> None:
    matrix = scipy.sparse.coo_array(([1, 1, 0, 0], ([0, 1, 1, 2], [1, 0, 2, 1])), shape=(3, 3))
    for form in (matrix, matrix.astype(bool), matrix.toarray().astype(bool)):
        G = matrices.graph_of_matrix(form)
        assert (G.edges.tolist(), G.cleaning) == ([[0, 1]], Cleaning(isolated=1))


def test_which_of_several_arrays_is_meant() -> None:
    one, two = np.zeros((1, 1)), np.zeros((2, 2))
    meant: list[dict[str, object]] = [
        {"adjacency": two, "A": one}, {"x": one, "A": two}, {"whatever": two}, {"G": two, "note": one}]  # fmt: skip
    for arrays in meant:
        assert matrices.read_npz(io.BytesIO(npz(**arrays))).num_nodes == 2
        assert matrices.read_mat(io.BytesIO(mat(**arrays))).num_nodes == 2
    for reader, content in ((matrices.read_npz, npz(x=one, y=two)), (matrices.read_mat, mat(x=one, y=two))):
        with pytest.raises(GraphError, match=r"no array called 'adjacency' among \['x', 'y'\]"):
            reader(io.BytesIO(content))


# ---- PyG -----------------------------------------------------------------------------------------------------


class Trap:
    """What a pickle could do to whoever loads it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.path,)


def test_torch_files_of_pyg_and_of_plain_tensors() -> None:
    G = Graph.from_edges([("a", "b"), ("b", "c")], labels=[0, 1, 1], attributes=[[1.0], [2.0], [3.0]])
    data = G.to_pyg()
    fields = data.to_dict()
    contents = (data, fields, (fields, None), [fields, None, type(data)], (data, None, type(data)))
    for H in (read_graph(data), *(matrices.read_pt(io.BytesIO(torch_file(content))) for content in contents)):
        assert (H.names, H.labels.tolist(), H.attributes.tolist()) == (G.names, [0, 1, 1], [[1.0], [2.0], [3.0]])
        assert H.edges.tolist() == [[0, 1], [1, 2]] and not H.cleaning


def test_torch_files_that_are_refused_run_no_code(tmp_path: Path) -> None:
    import torch
    from torch_geometric.data import Data, HeteroData

    trap = Trap(tmp_path / "trap")
    edges = torch.tensor([[0], [1]])
    contents: list[tuple[object, str]] = [
        ({"edge_index": edges, "trap": trap}, "it holds a .*; expected a PyG Data"),
        (HeteroData({"paper": {"x": edges}}), r"types \['paper'\].*to_homogeneous"),
        (Data(x=torch.ones(2, 1)), "no edge_index"),
        ({"x": 1}, "no edge_index"),
        ({"edge_index": "text"}, "no edge_index"),
        ([edges], "no edge_index"),
        (({"edge_index": edges}, {"edge_index": edges}), "no edge_index"),
        ({"edge_index": torch.tensor([[0.5], [1.0]])}, "not float32"),
        ({"edge_index": edges, "num_nodes": 10**9}, "too many"),
    ]
    for content, message in contents:
        with pytest.raises(GraphError, match=message):
            matrices.read_pt(io.BytesIO(torch_file(content)))
    assert not trap.path.exists()
    with pytest.raises((RuntimeError, pickle.UnpicklingError)):
        matrices.read_pt(io.BytesIO(torch_file(contents[0][0])[:-100]))
