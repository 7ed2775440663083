"""Edge lists: a line for each edge, two nodes on it, and perhaps a weight."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import GraphError
from ..graphs.columns import node_numbers
from ..graphs.graph import Graph
from .tables import Table, numbers, read_table

SOURCE = {"source", "src", "from", "fromnodeid", "sourceid", "fromnode", "sourcenode", "node1", "id1", "nodeid1"}
TARGET = {"target", "dst", "to", "tonodeid", "targetid", "tonode", "targetnode", "node2", "id2", "nodeid2"}


def read_edge_list(
    content: bytes, *, seps: str = "\t,;", header: bool | None = None, path: Path | None = None
) -> Graph:
    """A graph from an edge list.

    A header may name the two columns, in any place among others. Without one there are two columns, and a third
    only if it holds numbers (weights). Integers 0..n-1 number the nodes; other integers are sorted, other ids come
    in order of appearance, and their text is the name. ``path`` is the file that holds the content, if it is as is.

    Examples
    --------
    >>> read_edge_list(b"# who knows whom\\nana ben\\nben cai\\n").names
    ('ana', 'ben', 'cai')
    """
    text, weighted = _without_dictionaries(content)
    table = read_table(text, header=header, seps=seps, words=[SOURCE, TARGET], path=path if text is content else None)
    if len(table.first) < 2:
        raise GraphError(
            f"line {table.line(0)}: one column ({table.first[0][:50]!r}); expected "
            "two, the two ends of an edge, with a comma, semicolon, tab or blank between them."
        )
    places = table.find(SOURCE), table.find(TARGET)
    if places in ((None, None), (0, 1), (1, 0)) and (ends := table.whole_numbers()) is not None:
        pairs, names = _numbered(ends)
        return Graph.from_edges(
            pairs, len(names) if names else None, names=names, weighted=weighted or len(table.first) == 3
        )
    source, target = places if None not in places else (0, 1)
    pairs, names = _coded(table, int(source or 0), int(target or 0))
    others = [place for place in range(table.frame.shape[1]) if place not in (source, target)]
    others = [place for place in others if (table.frame[place] != "").any()]  # a separator at each line's end
    named = None not in places
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
    ending = rb"(?m)[ \t]+\{([^\r\n]*)\}[ \t]*(?=\r?$)"
    if b"}" not in content or not (found := re.findall(ending, content)):
        return content, False
    return re.sub(ending, b"", content), any(found)


def _numbered(ends: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[str] | None]:
    """Integer ids as nodes: themselves if they are 0..n-1, else their rank, with their text as names."""
    low, high = int(ends.min()), int(ends.max())
    if low >= 0 and high < 2 * ends.size:  # a table of all the numbers is small, and faster than sorting
        used = np.zeros(high + 1, dtype=bool)
        used[ends.ravel()] = True
        if used.all():
            return ends, None
        return (np.cumsum(used) - 1)[ends], list(map(str, np.flatnonzero(used).tolist()))
    ids, ranks = np.unique(ends, return_inverse=True)
    return ranks.reshape(-1, 2), list(map(str, ids.tolist()))


def _coded(table: Table, source: int, target: int) -> tuple[NDArray[np.int64], list[str] | None]:
    """Text ids as nodes, in order of appearance, with their text as names."""
    import pandas as pd

    ends, texts = pd.factorize(pd.concat([table.frame[source], table.frame[target]], ignore_index=True))
    codes, order = pd.factorize(ends.reshape(2, -1).T.ravel())  # row by row: sources and targets in turn
    names = [text.strip() for text in texts.take(order).tolist()]
    if len(set(names)) < len(names):  # some differed by blanks only
        again, stripped = pd.factorize(np.array(names, dtype=object))
        codes, names = again[codes], stripped.tolist()
    pairs = codes.reshape(-1, 2).astype(np.int64)
    if "" in names:
        row = int(np.flatnonzero((pairs == names.index("")).any(axis=1))[0])
        raise GraphError(f"line {table.line(row)}: {_listed(table, row)}; expected two nodes, the ends of an edge.")
    return as_numbers(names, pairs)


def as_numbers(ids: Sequence[str], pairs: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[str] | None]:
    """The pairs, by number, and no names, where the ids are exactly 0..n-1 in any order."""
    order = node_numbers(ids)
    return (pairs, list(ids)) if order is None else (order[pairs], None)


def _is_weight(table: Table, place: int, alone: bool) -> bool:
    called = table.header[place].casefold() if table.header and place < len(table.header) else ""
    return (alone or called == "weight") and numbers(table.frame[place]) is not None


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
