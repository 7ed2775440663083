"""Graphs from files: :func:`read_graph` for a user's file, :func:`read_folder` for nodes.csv with edges.csv."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import GraphError, one_of
from ..graphs.columns import are_other_numbers
from ..graphs.graph import Graph
from ..graphs.interop import take_positions
from .edge_lists import SOURCE, TARGET, read_edge_list
from .formats import READERS
from .tables import numbers, read_bytes, read_table

__all__ = ["read_folder", "read_graph"]

# What may stand between the cells of each kind of edge list, best guess first; blanks always may.
_SEPARATORS = {"csv": ",;\t", "tsv": "\t", "edgelist": "\t,;"}
_ENDINGS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".txt": "edgelist",
    ".edgelist": "edgelist",
    ".edges": "edgelist",
    ".el": "edgelist",
    ".graphml": "graphml",
    ".xml": "graphml",
    ".gml": "gml",
    ".gexf": "gexf",
    ".json": "json",
    ".npz": "npz",
    ".pt": "pt",
    ".pth": "pt",
}
_LABEL = {"label", "labels", "class", "y", "group", "community"}
_ID = {"id", "node", "nodeid", "name", "vertex"}


def read_graph(
    path: str | Path,
    *,
    format: str | None = None,
    labels: str | Path | None = None,
    label_column: str | None = None,
    header: bool | None = None,
) -> Graph:
    """A graph from a file, read whole or not at all.

    ======================================  =================================================================
    ending                                  what is in it
    ======================================  =================================================================
    .csv .tsv .tab .txt .edgelist .edges    an edge a line: two nodes and perhaps a weight; ``#``, ``%`` comments
    .graphml .xml .gexf .gml                what networkx, igraph and Gephi write
    .json                                   node-link data: nodes with id, edges (or links) with source and target
    .npz                                    an adjacency matrix, from scipy.sparse.save_npz or numpy.savez
    .pt .pth                                a PyG ``Data``, or a dictionary with edge_index, from torch.save
    a folder                                nodes.csv and edges.csv, see :func:`read_folder`
    ======================================  =================================================================

    Any of them may be packed, with ``.gz`` at the end. What had to be changed is told in :attr:`Graph.cleaning`.
    Node ids are any text and become the names. If they are exactly 0..n-1, node "3" is node 3.

    Parameters
    ----------
    path
        The file.
    format
        What is in it, where the ending does not say: csv, tsv, edgelist, graphml, gml, gexf, json, npz or pt.
    labels
        A second file: a node id and its label on each line. Words are coded 0, 1, ... in sorted order, and kept
        in ``info["label"]``; a node that is not there has label -1.
    label_column
        The column of the labels file, or without one the node attribute, to take the labels from.
    header
        Whether the first line of an edge list names its columns; None looks at it and decides.

    Raises
    ------
    GraphError
        Naming the file, the line where there is one, and what was expected.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "friends.csv"
    >>> _ = path.write_text("source,target,weight\\nana,ben,2\\nben,cai,1\\nben,ana,1\\n")
    >>> G = read_graph(path)
    >>> G, G.names
    (Graph('friends', 3 nodes, 2 edges), ('ana', 'ben', 'cai'))
    >>> print(G.cleaning)
    merged 1 edge given in both directions; ignored edge weights
    """
    file = Path(path)
    if format is not None:
        one_of("format", format, [*_SEPARATORS, *READERS])
    with _naming(file):
        if file.is_dir() and (file / "edges.csv").is_file():
            graph = read_folder(file)
        else:
            graph = _read_file(file, format, header)
        if label_column is not None and labels is None:
            graph = _labelled_by(graph, label_column)
    if labels is not None:
        with _naming(Path(labels)):
            graph = _labelled_from(graph, read_bytes(Path(labels)), label_column)
    return graph


def _read_file(file: Path, format: str | None, header: bool | None) -> Graph:
    content = read_bytes(file)
    plain = file.with_suffix("") if file.suffix.casefold() == ".gz" else file
    kind = format or _ENDINGS.get(plain.suffix.casefold())
    if kind is None:
        raise GraphError(
            f"the ending {plain.suffix!r} says nothing about what is in it; expected one of "
            f"{' '.join(_ENDINGS)}. Name it with format=, for example format='edgelist'."
        )
    if kind in READERS:
        graph = READERS[kind](content)
    else:
        graph = read_edge_list(content, seps=_SEPARATORS[kind], header=header)
    return graph.with_title(plain.stem)


def _labelled_by(graph: Graph, column: str) -> Graph:
    """The graph with the labels that an info column holds."""
    if column == "label" and graph.labels is not None:
        return graph
    if column not in graph.info:
        raise GraphError(
            f"no node attribute {column!r} to take labels from; there are {sorted(graph.info)}. For "
            "labels in a file of their own, give labels=."
        )
    labels, words = _labels(graph.info[column], lambda row: f"node {graph.names[row]!r}")
    info = {key: cells for key, cells in graph.info.items() if key != column}
    if words is not None:
        info["label"] = words
    return graph.with_labels(labels).with_info(info)


def _labelled_from(graph: Graph, content: bytes, column: str | None) -> Graph:
    """The graph with the labels of a labels file."""
    table = read_table(content, header=True if column is not None else None, words=[_ID | _LABEL])
    places = table.find(_ID), table.find(_LABEL)
    if column is not None:
        if column not in (table.header or []):
            raise GraphError(f"line {table.line(0) - 1}: no column {column!r} among {table.header}.")
        places = places[0], (table.header or []).index(column)
    ids, place = places[0] or 0, places[1]
    if place is None and len(table.first) == 2:
        place = 1 - ids
    if place is None:
        raise GraphError(
            f"{len(table.first)} columns; expected two, a node id and its label. With more, name the one "
            "to take with label_column=."
        )
    nodes = np.empty(len(table.frame), dtype=np.int64)
    where = {name: node for node, name in enumerate(graph.names)}
    seen: dict[int, int] = {}
    for row, cell in enumerate(table.frame[ids].str.strip()):
        if cell not in where:
            raise GraphError(
                f"line {table.line(row)}: {cell[:50]!r} is not a node of the graph; expected ids like "
                f"{graph.names[0]!r}."
            )
        nodes[row] = where[cell]
        if seen.setdefault(where[cell], row) != row:
            before = table.line(seen[where[cell]])
            raise GraphError(f"line {table.line(row)}: node {cell[:50]!r} was on line {before}; expected it once.")
    found, words = _labels(table.frame[place], lambda row: f"line {table.line(row)}")
    labels = np.full(graph.num_nodes, -1, dtype=np.int64)
    labels[nodes] = found
    if words is None:
        return graph.with_labels(labels)
    column_of_words = np.full(graph.num_nodes, "", dtype=object)
    column_of_words[nodes] = words
    return graph.with_labels(labels).with_info({**graph.info, "label": column_of_words})


def read_folder(path: str | Path) -> Graph:
    """A graph from a folder with ``edges.csv`` (source, target) and ``nodes.csv`` (id, ...).

    In nodes.csv, ``name`` gives the names, ``label`` the labels, ``longitude`` and ``latitude`` the positions
    (x, y); these two and every other column become :attr:`Graph.info`. Nodes keep the order of nodes.csv.

    Parameters
    ----------
    path
        The folder.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "nodes.csv").write_text("id,name,city\\n7,ABE,Allentown\\n9,ABI,Abilene\\n")
    >>> _ = (folder / "edges.csv").write_text("source,target\\n9,7\\n")
    >>> G = read_folder(folder)
    >>> G.names, G.info["city"].tolist(), G.edges.tolist()
    (('ABE', 'ABI'), ['Allentown', 'Abilene'], [[0, 1]])
    """
    folder = Path(path)
    with _naming(folder / "nodes.csv"):
        nodes = read_table(read_bytes(folder / "nodes.csv"), header=True, seps=",;\t")
        header = nodes.header or []
        columns: dict[str, Any] = {word: nodes.frame[i].to_numpy(dtype=object) for i, word in enumerate(header)}
        if "id" not in columns:
            raise GraphError(
                f"line 1: no column 'id' among {list(columns)}; expected id and, where known, name, "
                "label, longitude, latitude."
            )
        ids = columns.pop("id")
        place: dict[str, int] = {}
        for row, node in enumerate(ids):
            if place.setdefault(node, row) != row:
                raise GraphError(f"line {nodes.line(row)}: the id {node!r} is there twice; expected each node once.")
        names = columns.pop("name", None)
        if names is None and list(place) != [str(i) for i in range(len(ids))]:
            names = ids
        labels = None
        if "label" in columns:
            labels, words = _labels(columns.pop("label"), lambda row: f"line {nodes.line(row)}")
            columns |= {} if words is None else {"label": words}
        info = {word: cells if (found := numbers(cells)) is None else found for word, cells in columns.items()}
    with _naming(folder / "edges.csv"):
        edges = read_table(read_bytes(folder / "edges.csv"), header=True, seps=",;\t")
        ends = edges.find(SOURCE), edges.find(TARGET)
        if ends[0] is None or ends[1] is None:
            raise GraphError(f"line 1: the columns {edges.header}; expected source and target.")
        pairs = np.empty((len(edges.frame), 2), dtype=np.int64)
        for side, end in enumerate(ends):
            coded = edges.frame[end].map(place)
            if coded.isna().any():
                row = int(np.flatnonzero(coded.isna())[0])
                raise GraphError(f"line {edges.line(row)}: {edges.frame[end][row]!r} is not an id in nodes.csv.")
            pairs[:, side] = coded
    with _naming(folder):
        return Graph.from_edges(
            pairs,
            len(ids),
            names=names,
            labels=labels,
            positions=take_positions(info),
            info=info,
            weighted=edges.find({"weight"}) is not None,
            title=folder.absolute().name,
            renumbered=are_other_numbers(ids),
        )


def _labels(cells: Any, where: Callable[[int], str]) -> tuple[NDArray[np.int64], NDArray[Any] | None]:
    """Labels from cells: whole numbers as they are, words coded in sorted order, an empty cell as -1 (none).

    The second value is the words themselves, a column for ``info``, or None if the labels were numbers.
    ``where`` says, for an error, where a row stands.
    """
    texts = np.array([str(cell).strip() for cell in cells], dtype=object)
    given = np.flatnonzero(texts != "")
    labels = np.full(len(texts), -1, dtype=np.int64)
    if odd := [row for row in given.tolist() if texts[row].lower() in ("nan", "inf", "-inf")]:
        raise GraphError(f"{where(odd[0])}: the label is {texts[odd[0]]!r}; expected a class, or nothing for none.")
    values = numbers(texts[given])
    if values is None:
        labels[given] = np.unique(texts[given].astype(str), return_inverse=True)[1]
        return labels, texts
    wrong = (values != np.round(values)) | (values < -1) | (values >= 2**53)
    if wrong.any():
        row = int(given[np.flatnonzero(wrong)[0]])
        raise GraphError(
            f"{where(row)}: the label is {texts[row]}; expected classes 0, 1, 2, ... or words, and -1 or "
            "nothing where there is none."
        )
    labels[given] = values.astype(np.int64)
    return labels, None


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Puts the file's name before the message of a GraphError."""
    try:
        yield
    except GraphError as error:
        raise GraphError(f"{path}: {error}") from None
