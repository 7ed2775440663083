"""Classes of nodes from words or numbers: in a file of their own, or in a column of the graph's file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import GraphError
from ..graphs.graph import Graph
from .tables import numbers, read_table

LABEL = {"label", "labels", "class", "y", "group", "community"}
ID = {"id", "node", "nodeid", "name", "vertex"}


def labelled_by(graph: Graph, column: str) -> Graph:
    """The graph with the labels that an info column holds."""
    if column == "label" and graph.labels is not None:
        return graph
    if column not in graph.info:
        raise GraphError(
            f"no node attribute {column!r} to take labels from; there are {sorted(graph.info)}. For "
            "labels in a file of their own, give labels=."
        )
    labels, words = as_labels(graph.info[column], lambda row: f"node {graph.names[row]!r}")
    info = {key: cells for key, cells in graph.info.items() if key != column}
    if words is not None:
        info["label"] = words
    return graph.with_labels(labels).with_info(info)


def labelled_from(graph: Graph, content: bytes, column: str | None) -> Graph:
    """The graph with the labels of a labels file."""
    table = read_table(content, header=True if column is not None else None, words=[ID | LABEL])
    ids, place = table.find(ID) or 0, table.find(LABEL)
    if column is not None:
        if column not in (table.header or []):
            raise GraphError(f"line {table.line(0) - 1}: no column {column!r} among {table.header}.")
        place = table.first.index(column)
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
            line, like = table.line(row), graph.names[0]
            raise GraphError(f"line {line}: {cell[:50]!r} is not a node of the graph; expected ids like {like!r}.")
        nodes[row] = where[cell]
        if seen.setdefault(where[cell], row) != row:
            before = table.line(seen[where[cell]])
            raise GraphError(f"line {table.line(row)}: node {cell[:50]!r} was on line {before}; expected it once.")
    found, words = as_labels(table.frame[place], lambda row: f"line {table.line(row)}")
    labels = np.full(graph.num_nodes, -1, dtype=np.int64)
    labels[nodes] = found
    if words is None:
        return graph.with_labels(labels)
    column_of_words = np.full(graph.num_nodes, "", dtype=object)
    column_of_words[nodes] = words
    return graph.with_labels(labels).with_info({**graph.info, "label": column_of_words})


def as_labels(cells: Any, where: Callable[[int], str]) -> tuple[NDArray[np.int64], NDArray[Any] | None]:
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
