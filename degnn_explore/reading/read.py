"""A user's graph: :func:`read_graph` of a file or of what is in memory, :func:`read_folder` for two files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import GraphError, ParameterError, shown
from ..common.stopping import Tell, told
from ..graphs.columns import are_other_numbers
from ..graphs.graph import Graph
from ..graphs.interop import take_positions
from .content import Content, check_size, naming, open_file
from .edge_lists import SOURCE, TARGET
from .formats import format_of, formats_table
from .frames import read_frame
from .labels import as_labels, labelled_by, labelled_from
from .tables import Table, numbers, read_table

if TYPE_CHECKING:
    import pandas


def read_graph(
    path: str | Path | pandas.DataFrame | Any,
    *,
    format: str | None = None,
    labels: str | Path | pandas.DataFrame | None = None,
    label_column: str | None = None,
    header: bool | None = None,
    columns: Sequence[str | int] | None = None,
    progress: Tell | bool = False,
    stop: Event | None = None,
) -> Graph:
    """A graph from a file, a DataFrame of edges, or a graph of networkx or PyG; taken whole or not at all.

    FORMATS

    What had to be changed is told in :attr:`Graph.cleaning`. Node ids are any text and become the names. If they are
    exactly 0..n-1, node "3" is node 3.

    Parameters
    ----------
    path
        The file, or a folder, see :func:`read_folder`. Or a DataFrame with an edge in each row, by the rules of an
        edge list; or a graph of networkx or PyG, see :meth:`Graph.from_networkx` and :meth:`Graph.from_pyg`.
    format
        What is in it, where the ending does not say: the first ending of a row above, without its dot.
    labels
        A second file, or a DataFrame: a node id and its label on each line. Words are coded 0, 1, ... in sorted
        order, and kept in ``info["label"]``; a node that is not there has label -1.
    label_column
        The column of the labels file, or without one the node attribute, to take the labels from.
    header
        Whether the first line of an edge list names its columns; None looks at it and decides.
    columns
        The two columns of an edge list that hold the ends of an edge, by name or counted from 0. The others are
        ignored, and reported. Needed where the header or the cells look like a table of nodes.
    progress
        True shows a bar; a function is told what is being done, and which share of it all is done (0 to 1).
    stop
        An event that ends the reading with :class:`~degnn_explore.common.stopping.Cancelled`, as Ctrl-C does with
        its own.

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
    with told(progress, stop):
        others = None if labels is None else _labels_content(labels)
        if not isinstance(path, str | Path):
            kind = type(path).__name__
            with naming(kind):
                graph = read_frame(path, columns) if is_a("pandas", "DataFrame", path) else _of_library(path)
            return labelled(graph, kind, others, label_column)
        if (Path(path) / "edges.csv").is_file():
            return labelled(read_folder(path), str(path), others, label_column)
        return read_content(open_file(path), others, label_column, format=format, header=header, columns=columns)


read_graph.__doc__ = (read_graph.__doc__ or "").replace("    FORMATS", formats_table())


def is_a(module: str, kind: str, given: Any) -> bool:
    """Whether this is of a library's class; it can be only if the library was imported."""
    return isinstance(given, getattr(sys.modules.get(module), kind, ()))


def _of_library(given: Any) -> Graph:
    if is_a("networkx", "Graph", given):
        return Graph.from_networkx(given)
    if is_a("torch_geometric.data.data", "BaseData", given):
        return Graph.from_pyg(given)
    raise ParameterError(
        f"path must be a file's name, a DataFrame of edges, or a graph of networkx or PyG, not {shown(given)}."
    )


def _labels_content(labels: Any) -> Content:
    if is_a("pandas", "DataFrame", labels):
        return Content("labels", "labels", ".csv", labels.to_csv(index=False).encode())
    if not isinstance(labels, str | Path):
        raise ParameterError(f"labels must be a file's name or a DataFrame, not {shown(labels)}.")
    return open_file(labels)


def read_content(
    file: Content,
    labels: Content | None = None,
    label_column: str | None = None,
    *,
    format: str | None = None,
    columns: Sequence[str | int] | None = None,
    header: bool | None = None,
) -> Graph:
    """:func:`read_graph` for bytes that are here already, such as uploads."""
    with naming(file.name):
        kind = format_of(file, format)
        check_size(len(file.data), kind.budget)
        if kind.seps:
            graph = kind.read(file.data, seps=kind.seps, header=header, columns=columns)
        elif columns is not None:
            raise ParameterError(f"columns={columns!r} is for edge lists, and {file.name} is {kind.spoken}.")
        else:
            graph = kind.read(file.data)
    return labelled(graph.with_title(file.stem), file.name, labels, label_column)


def labelled(graph: Graph, name: str, labels: Content | None, column: str | None) -> Graph:
    """The graph with labels from a second file, or from a column of its own."""
    if labels is not None:
        with naming(labels.name):
            return labelled_from(graph, labels.data, column)
    with naming(name):
        return graph if column is None else labelled_by(graph, column)


def read_folder(path: str | Path) -> Graph:
    """A graph from a folder with ``edges.csv`` (source, target) and ``nodes.csv`` (id, ...).

    In nodes.csv, ``name`` gives the names, ``label`` the labels, ``longitude`` and ``latitude`` the positions
    (x, y); these two and every other column become :attr:`Graph.info`. Nodes keep the order of nodes.csv.

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
    files = [open_file(folder / name) for name in ("nodes.csv", "edges.csv")]
    with naming(files[0].name):
        places, columns = _node_columns(read_table(files[0].data, header=True, seps=",;\t"))
    with naming(files[1].name):
        edges = read_table(files[1].data, header=True, seps=",;\t")
        pairs = _placed(edges, places)
    with naming(folder):
        return Graph.from_edges(
            pairs, len(places), **columns, weighted=edges.find({"weight"}) is not None, title=folder.absolute().name
        )


def _node_columns(nodes: Table) -> tuple[dict[str, int], dict[str, Any]]:
    """The place of each id, and the names, labels, positions and info of nodes.csv."""
    header = nodes.header or []
    columns: dict[str, Any] = {word: nodes.frame[place].to_numpy(dtype=object) for place, word in enumerate(header)}
    if "id" not in columns:
        raise GraphError(
            f"line 1: no column 'id' among {list(columns)}; expected id and, where known, name, "
            "label, longitude, latitude."
        )
    ids = columns.pop("id")
    places: dict[str, int] = {}
    for row, node in enumerate(ids):
        if places.setdefault(node, row) != row:
            raise GraphError(f"line {nodes.line(row)}: the id {node!r} is there twice; expected each node once.")
    names = columns.pop("name", None)
    if names is None and list(places) != [str(i) for i in range(len(ids))]:
        names = ids
    labels = None
    if "label" in columns:
        labels, words = as_labels(columns.pop("label"), lambda row: f"line {nodes.line(row)}")
        columns |= {} if words is None else {"label": words}
    info = {word: cells if (values := numbers(cells)) is None else values for word, cells in columns.items()}
    positions, renumbered = take_positions(info), are_other_numbers(ids)
    return places, dict(names=names, labels=labels, positions=positions, info=info, renumbered=renumbered)


def _placed(edges: Table, places: dict[str, int]) -> NDArray[np.int64]:
    """The pairs of nodes of edges.csv. [m, 2]"""
    ends = edges.find(SOURCE), edges.find(TARGET)
    if ends[0] is None or ends[1] is None:
        raise GraphError(f"line 1: the columns {edges.header}; expected source and target.")
    pairs = np.empty((len(edges.frame), 2), dtype=np.int64)
    for side, end in enumerate(ends):
        coded = edges.frame[end].map(places)
        if coded.isna().any():
            row = int(np.flatnonzero(coded.isna())[0])
            raise GraphError(f"line {edges.line(row)}: {edges.frame[end][row]!r} is not an id in nodes.csv.")
        pairs[:, side] = coded
    return pairs
