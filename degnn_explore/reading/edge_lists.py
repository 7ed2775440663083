"""Edge lists: a line for each edge, two nodes on it, and perhaps a weight."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import GraphError
from ..graphs.columns import node_numbers
from ..graphs.graph import Graph
from .tables import Table, numbers, read_table

SOURCE = {"source", "src", "from", "fromnodeid", "sourceid", "fromnode", "sourcenode", "node1", "id1", "nodeid1"}
TARGET = {"target", "dst", "to", "tonodeid", "targetid", "tonode", "targetnode", "node2", "id2", "nodeid2"}


def read_edge_list(content: bytes, *, seps: str = "\t,;", header: bool | None = None) -> Graph:
    """A graph from an edge list.

    A header may name the two columns, in any place among others. Without one there are two columns, and a third
    only if it holds numbers (weights). Integers 0..n-1 number the nodes; other integers are sorted, other ids come
    in order of appearance, and their text is the name.

    Examples
    --------
    >>> read_edge_list(b"# who knows whom\\nana ben\\nben cai\\n").names
    ('ana', 'ben', 'cai')
    """
    text, weighted = _without_dictionaries(content)
    table = read_table(text, header=header, seps=seps, words=[SOURCE, TARGET])
    if len(table.first) < 2:
        raise GraphError(
            f"line {table.line(0)}: one column ({table.first[0][:50]!r}); expected "
            "two, the two ends of an edge, with a comma, semicolon, tab or blank between them."
        )
    source, target = table.find(SOURCE), table.find(TARGET)
    named = source is not None and target is not None
    ends = [source or 0, target or 0] if named else [0, 1]
    pairs, names = _coded(table, ends)
    others = [place for place in range(len(table.first)) if place not in ends and not _is_empty(table, place)]
    weights = [place for place in others if _is_weight(table, place, alone=len(others) == 1)]
    ignored = [place for place in others if place not in weights]
    if ignored and not named:
        raise GraphError(_too_many(table, others))
    kinds = table.find({"type"})  # as Gephi writes it
    directed = named and kinds in others and bool((table.frame[kinds].str.strip().str.lower() == "directed").any())
    graph = Graph.from_edges(
        pairs, len(names) if names else None, names=names, weighted=weighted or bool(weights), directed=directed
    )
    columns = tuple((table.header or [])[place] for place in ignored)
    return replace(graph, cleaning=replace(graph.cleaning, columns_ignored=columns))


def _without_dictionaries(content: bytes) -> tuple[bytes, bool]:
    """networkx ends each line of an edge list with a dictionary, most often an empty one."""
    ending = rb"(?m)(^[^{\r\n]*)(?<=[ \t])\{([^\r\n]*)\}[ \t]*(?=\r?$)"  # from the line's start: linear in its length
    if b"}" not in content or not (found := re.findall(ending, content)):
        return content, False
    return re.sub(ending, rb"\1", content), any(inside for _, inside in found)


def _coded(table: Table, ends: list[int]) -> tuple[NDArray[np.int64], list[str] | None]:
    """The pairs of nodes, and their names unless they are 0..n-1: integers sorted, other ids as they appear."""
    import pandas as pd

    cells = table.exactly(ends)
    if cells.dtypes.iloc[0] == np.int64:
        ids = cells.to_numpy()
        if ids.min() >= 0 and ids.max() < ids.size and np.bincount(ids.ravel()).all():
            return ids, None  # exactly 0..n-1
        codes, sorted_ids = pd.factorize(ids.ravel(), sort=True)
        return codes.reshape(-1, 2), list(map(str, sorted_ids.tolist()))
    codes, texts = pd.factorize(pd.concat([cells[end] for end in ends], ignore_index=True))
    codes, order = pd.factorize(codes.reshape(2, -1).T.ravel())  # row by row: sources and targets in turn
    names = [text.strip() for text in texts.take(order).tolist()]
    if len(set(names)) < len(names):  # some differed by blanks only
        again, stripped = pd.factorize(np.array(names, dtype=object))
        codes, names = again[codes], stripped.tolist()
    pairs = codes.reshape(-1, 2).astype(np.int64)
    if "" in names:
        row = int(np.flatnonzero((pairs == names.index("")).any(axis=1))[0])
        raise GraphError(f"line {table.line(row)}: {_listed(table, row)}; expected two nodes, the ends of an edge.")
    numbered = node_numbers(names)
    return (pairs, names) if numbered is None else (numbered[pairs], None)


def _is_empty(table: Table, place: int) -> bool:
    """Whether it is what a separator at each line's end leaves."""
    column = table.values[place]
    return column.dtype.kind == "O" and not (column != "").any()


def _is_weight(table: Table, place: int, alone: bool) -> bool:
    called = table.header[place].casefold() if table.header else ""
    return (alone or called == "weight") and numbers(table.values[place]) is not None


def _listed(table: Table, row: int) -> str:
    cells: list[Any] = table.frame.iloc[row].tolist()
    return f"found {', '.join(repr(str(cell)[:50]) for cell in cells[:5])}"


def _too_many(table: Table, others: list[int]) -> str:
    remedy = "Name the columns in a header line (source, target, ...) to have the others ignored."
    if len(others) > 1:
        return f"line {table.line(0)}: {len(others) + 2} columns; expected two nodes and at most a weight. {remedy}"
    cells = table.frame[others[0]]
    row = next(row for row, cell in enumerate(cells) if numbers([cell]) is None)
    return f"line {table.line(row)}: the third column is {cells[row][:50]!r}; expected a number, a weight. {remedy}"
