"""Graphs from files: :func:`read_graph` for a user's file, :func:`read_folder` for nodes.csv with edges.csv."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import GraphError
from .graph import Graph
from .tables import Table, numbers, read_bytes, read_table

__all__ = ["read_folder"]


def read_folder(path: str | Path) -> Graph:
    """A graph from a folder with ``edges.csv`` (source, target) and ``nodes.csv`` (id, ...).

    In nodes.csv, ``name`` gives the names, ``label`` the labels, ``longitude`` and ``latitude`` the positions
    (x, y); every other column becomes :attr:`Graph.info`. Nodes keep the order of nodes.csv.

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
        nodes = read_table(read_bytes(folder / "nodes.csv"), header=True)
        columns = {word: nodes.frame[i].to_numpy(dtype=object) for i, word in enumerate(nodes.header or [])}
        if "id" not in columns:
            raise GraphError(f"line 1: no column 'id' among {list(columns)}; expected id and, if known, name, label, "
                             "longitude, latitude.")
        ids = columns.pop("id")
        place: dict[str, int] = {}
        for row, node in enumerate(ids):
            if place.setdefault(node, row) != row:
                raise GraphError(f"line {nodes.line(row)}: id {node!r} is there twice; expected each node once.")
        labels, classes = _labels(columns.pop("label", None), nodes)
        positions = None
        if "longitude" in columns and "latitude" in columns:
            x, y = numbers(columns["longitude"]), numbers(columns["latitude"])
            if x is not None and y is not None:
                positions = np.stack([x, y], axis=1)
                del columns["longitude"], columns["latitude"]
        info = {word: cells if (found := numbers(cells)) is None else found for word, cells in columns.items()}
        names = info.pop("name", None)
        if names is not None:
            names = columns["name"]
        elif list(place) != [str(i) for i in range(len(ids))]:
            names = ids
        if classes is not None:
            info["label"] = classes
    with _naming(folder / "edges.csv"):
        edges = read_table(read_bytes(folder / "edges.csv"), header=True)
        ends = edges.column("source"), edges.column("target")
        if ends[0] is None or ends[1] is None:
            raise GraphError(f"line 1: columns {edges.header}; expected source and target.")
        pairs = np.empty((len(edges.frame), 2), dtype=np.int64)
        for side, end in enumerate(ends):
            coded = edges.frame[end].map(place)
            if coded.isna().any():
                row = int(np.flatnonzero(coded.isna())[0])
                raise GraphError(f"line {edges.line(row)}: {edges.frame[end][row]!r} is not an id in nodes.csv.")
            pairs[:, side] = coded
    with _naming(folder):
        return Graph.from_edges(pairs, len(ids), names=names, labels=labels, positions=positions, info=info,
                                title=folder.absolute().name)


def _labels(cells: Any, table: Table) -> tuple[NDArray[np.int64] | None, NDArray[Any] | None]:
    """Labels from text: whole numbers as they are, words coded in sorted order; an empty cell is -1 (none).

    The second value is the words themselves, a column for ``info``, or None if the labels were numbers.
    """
    if cells is None:
        return None, None
    cells = np.array([str(cell).strip() for cell in cells], dtype=str)
    given = np.flatnonzero(cells != "")
    labels = np.full(len(cells), -1, dtype=np.int64)
    values = numbers(cells[given])
    if values is None:
        if len(odd := np.flatnonzero(np.char.lower(cells) == "nan")):
            raise GraphError(f"line {table.line(int(odd[0]))}: the label is {cells[odd[0]]!r}; expected a class, or an "
                             "empty cell for none.")
        labels[given] = np.unique(cells[given], return_inverse=True)[1]
        return labels, cells
    wrong = (values != np.round(values)) | (values < -1) | (np.abs(values) >= 2**53)
    if wrong.any():
        row = int(given[np.flatnonzero(wrong)[0]])
        raise GraphError(f"line {table.line(row)}: the label is {cells[row]}; expected classes 0, 1, 2, ... or words, "
                         "and -1 or an empty cell for none.")
    labels[given] = values.astype(np.int64)
    return labels, None


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Puts the file's name before the message of a GraphError."""
    try:
        yield
    except GraphError as error:
        raise GraphError(f"{path}: {error}") from None
