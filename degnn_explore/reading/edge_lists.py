"""Edge lists: a line for each edge, two nodes on it, and perhaps a weight."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import GraphError
from ..common.stopping import at
from ..graphs.columns import node_numbers
from ..graphs.graph import Graph
from .labels import ID, LABEL
from .tables import Table, is_text, numbers, plain_word, read_table

SOURCE = {"source", "src", "from", "fromnodeid", "sourceid", "fromnode", "sourcenode", "node1", "id1", "nodeid1"}
TARGET = {"target", "dst", "to", "tonodeid", "targetid", "tonode", "targetnode", "node2", "id2", "nodeid2"}
_WEIGHT = {"weight", "weights", "w", "strength", "count", "value"}
_ABOUT = {"age", "size", "type", "kind", "gender", "sex", "city", "country", "title", "degree", "value", "x", "y"}


def read_edge_list(
    content: bytes, *, seps: str = "\t,;", header: bool | None = None, columns: Sequence[str | int] | None = None
) -> Graph:
    """A graph from an edge list.

    A header may name the two columns, in any place among others, or ``columns`` may. Without either there are two
    columns, and a third only if it holds numbers (weights). Integers 0..n-1 number the nodes; other integers are
    sorted, other ids come in order of appearance, and their text is the name.

    Examples
    --------
    >>> read_edge_list(b"# who knows whom\\nana ben\\nben cai\\n").names
    ('ana', 'ben', 'cai')
    """
    text, weighted = _without_dictionaries(content)
    if isinstance(columns, list | tuple) and any(isinstance(column, str) for column in columns):
        header = True
    table = read_table(text, header=header, seps=seps, words=[SOURCE, TARGET])
    if len(table.first) < 2:
        raise GraphError(
            f"line {table.line(0)}: one column ({table.first[0][:50]!r}); expected "
            "two, the two ends of an edge, with a comma, semicolon, tab or blank between them."
        )
    return edges_of(table, columns, weighted)


def edges_of(table: Table, columns: Sequence[str | int] | None = None, weighted: bool = False) -> Graph:
    """The graph of a table with an edge in each row, see :func:`read_edge_list`."""
    source, target = table.find(SOURCE), table.find(TARGET)
    named = columns is not None or (source is not None and target is not None)
    ends = _asked(table, columns) if columns is not None else [source or 0, target or 0] if named else [0, 1]
    others = [place for place in range(len(table.first)) if place not in ends and not _is_empty(table, place)]
    weights = [place for place in others if _is_weight(table, place, alone=len(others) == 1)]
    ignored = [place for place in others if place not in weights]
    pairs, names = _coded(table, ends)
    at("joining the links", 0.8)
    if not named:
        if ignored:
            raise GraphError(_too_many(table, others))
        _check_doubt(table, pairs, others)
    kinds = table.find({"type"})  # as Gephi writes it
    directed = kinds in others and named and bool((table.frame[kinds].str.strip().str.lower() == "directed").any())
    graph = Graph.from_edges(
        pairs, len(names) if names else None, names=names, weighted=weighted or bool(weights), directed=directed
    )
    called = table.header or [f"column {place}" for place in range(len(table.first))]
    return replace(graph, cleaning=replace(graph.cleaning, columns_ignored=tuple(called[place] for place in ignored)))


def _asked(table: Table, columns: Any) -> list[int]:
    """The two columns that were asked for, by name or counted from 0."""
    seen: list[Any] = table.header or list(range(len(table.first)))
    asked = list(columns) if isinstance(columns, list | tuple) else []
    by_name = [
        place for column in asked for place, word in enumerate(seen) if isinstance(column, str) and word == column
    ]
    places = by_name or [column for column in asked if type(column) is int and 0 <= column < len(seen)]
    if len(asked) != 2 or len(places) != 2 or places[0] == places[1]:
        raise GraphError(
            f"columns={columns!r}; expected two of {seen}, or their places from 0: the two ends of an edge."
        )
    return places


def _check_doubt(table: Table, pairs: NDArray[np.int64], others: list[int]) -> None:
    """Refuses what looks like a table of nodes: it would give edges from each node to its own name or age."""
    words = [plain_word(word) for word in table.header or []]
    ends = table.values[[0, 1]]
    text = [end for end in (0, 1) if is_text(ends[end].dtype)]
    doubt = ""
    if words and words[0] in ID and words[1] in (ID | LABEL | _ABOUT) - {words[0]}:
        doubt = "are called like those of a table of nodes"
    elif not others:
        return
    elif len(text) == 1:
        doubt = "" if ends[text[0]].str.fullmatch(r"\s*[+-]?\d+\s*").any() else "hold numbers and words"
    elif words and words[others[0]] not in _WEIGHT and len(pairs) > 1 and ends[0].is_unique:
        doubt = "" if np.isin(pairs[:, 0], pairs[:, 1]).any() else "have no node in common"
    if doubt:
        raise GraphError(
            f"the first line is {', '.join(map(repr, table.first[:6]))}, and the first two of the columns {doubt}: are "
            "they the two ends of an edge? Say so with columns=(0, 1), or which columns are, or call them source and "
            "target in the header line."
        )


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
    at("numbering the nodes", 0.4)
    if cells.dtypes.iloc[0] == np.int64:
        return _in_order(cells.to_numpy())
    codes, texts = pd.factorize(pd.concat([cells[end] for end in ends], ignore_index=True))
    codes = codes.reshape(2, -1).T.ravel()  # row by row: sources and targets in turn
    first = np.full(len(texts), len(codes))
    np.minimum.at(first, codes, np.arange(len(codes)))
    order = np.argsort(first)
    codes = np.argsort(order)[codes]
    names = [text.strip() for text in texts.take(order).tolist()]
    if len(set(names)) < len(names):  # some differed by blanks only
        again, stripped = pd.factorize(np.array(names, dtype=object))
        codes, names = again[codes], stripped.tolist()
    pairs = codes.reshape(-1, 2).astype(np.int64)
    if "" in names:
        row = int(np.flatnonzero((pairs == names.index("")).any(axis=1))[0])
        raise GraphError(f"{table.where(row)}: {_listed(table, row)}; expected two nodes, the ends of an edge.")
    numbered = node_numbers(names)
    return (pairs, names) if numbered is None else (numbered[pairs], None)


def _in_order(ids: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[str] | None]:
    """Integers numbered in their order, and their names unless they are exactly 0..n-1. [m, 2]"""
    import pandas as pd

    least, span = int(ids.min()), int(ids.max()) - int(ids.min()) + 1
    if span > 4 * ids.size:  # far apart: a place for each possible one would take more room than they do
        codes, found = pd.factorize(ids.ravel(), sort=True)
        return codes.reshape(-1, 2), list(map(str, found.tolist()))
    there = np.zeros(span, dtype=bool)
    there[ids - least] = True
    if least == 0 and there.all():
        return ids, None
    return (np.cumsum(there) - 1)[ids - least], list(map(str, (np.flatnonzero(there) + least).tolist()))


def _is_empty(table: Table, place: int) -> bool:
    """Whether it is what a separator at each line's end leaves."""
    column = table.values[place]
    return is_text(column.dtype) and not (column != "").any()


def _is_weight(table: Table, place: int, alone: bool) -> bool:
    called = table.header[place].casefold() if table.header else ""
    return (alone or called == "weight") and numbers(table.values[place]) is not None


def _listed(table: Table, row: int) -> str:
    cells: list[Any] = table.frame.iloc[row].tolist()
    return f"found {', '.join(repr(str(cell)[:50]) for cell in cells[:5])}"


def _too_many(table: Table, others: list[int]) -> str:
    remedy = "To have others ignored, say columns=(0, 1), or name source and target in a header line."
    if len(others) > 1:
        return f"{table.where(0)}: {len(others) + 2} columns; expected two nodes and at most a weight. {remedy}"
    cells = table.frame[others[0]]
    row = next(row for row, cell in enumerate(cells) if numbers([cell]) is None)
    return f"{table.where(row)}: the third column is {cells[row][:50]!r}; expected a number, a weight. {remedy}"
