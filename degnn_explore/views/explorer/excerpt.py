"""What of a large graph is drawn, what is said of its nodes, and how they are found by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ...graphs.distances import induced, rings
from ...graphs.graph import Graph
from ..text import node_name

MAX_DRAWN = 20_000  # nodes of a graph that is drawn whole
FIRST_DRAWN = 1_500  # nodes of a larger one that are drawn at first


@dataclass(frozen=True, eq=False)
class Excerpt:
    """The graph as drawn, and for each of its nodes, in ascending order, its number in the whole graph."""

    graph: Graph
    nodes: NDArray[np.int64]


@lru_cache(maxsize=8)  # the same object for the same question, so that its layout is computed once
def excerpt_of(graph: Graph, targets: tuple[int, ...], limit: int) -> Excerpt:
    """All of a graph, or of a large one the ``limit`` nodes nearest to the targets (or to the busiest node)."""
    if graph.num_nodes <= MAX_DRAWN:
        return Excerpt(graph, np.arange(graph.num_nodes))
    nodes = nearest(graph, np.array(targets or [graph.degrees.argmax()], dtype=np.int64), limit)
    indptr, indices = induced(graph, nodes)
    part = Graph.from_edges(
        np.stack([np.repeat(np.arange(len(nodes)), np.diff(indptr)), indices], axis=1),
        len(nodes),
        names=[graph.names[i] for i in nodes],
        title=graph.title,
        positions=None if graph.positions is None else graph.positions[nodes],
        info={key: column[nodes] for key, column in graph.info.items()},
    )
    return Excerpt(part, nodes)


def nearest(graph: Graph, start: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
    """The ``limit`` nodes nearest to any of ``start``, ascending; of equally near ones those of the lowest numbers.

    >>> nearest(Graph.from_edges([(0, 1), (1, 2), (2, 3), (4, 5)]), np.array([2]), 3).tolist()
    [1, 2, 3]
    """
    chosen, count = list[NDArray[np.int64]](), 0
    for ring in rings(graph, start):
        chosen.append(ring[: limit - count])
        count += len(chosen[-1])
        if count == limit:
            break
    nodes = np.sort(np.concatenate(chosen))
    if count < limit:  # all that can be reached, and then others
        nodes = np.sort(np.append(nodes, np.setdiff1d(np.arange(graph.num_nodes), nodes)[: limit - count]))
    return nodes


@lru_cache(maxsize=8)
def note_column(graph: Graph) -> list[str]:
    """A second line for each node, from its columns of text (city, state); empty if it has none."""
    texts = [c for key, c in graph.info.items() if c.dtype.kind == "U" and key.lower() not in ("name", "id")][:3]
    return [", ".join(filter(None, map(str, row))) for row in zip(*texts, strict=True)] if texts else []


class _Lines:
    """Texts, one for each node, as one text without regard to case: a million names are looked through at once."""

    def __init__(self, texts: Sequence[str]) -> None:
        low = list(map(_one_line, texts))
        self._text = "\n".join(["", *low, ""])
        self._start = np.cumsum([1, *(len(line) + 1 for line in low)])  # of each line, and of one after the last

    def holding(self, wanted: str, limit: int) -> list[int]:
        """The first lines that hold it; a line break in it is where a line begins or ends."""
        lead = wanted.startswith("\n")
        found, at, end = list[int](), self._text.find(wanted, 1 - lead), self._start[-1] - lead
        while 0 <= at < end and len(found) < limit:
            found.append(int(np.searchsorted(self._start, at + lead, side="right")) - 1)
            at = self._text.find(wanted, self._start[found[-1] + 1] - lead)
        return found


def _one_line(text: str) -> str:
    return " ".join(text.casefold().splitlines())


@lru_cache(maxsize=8)
def _lines(graph: Graph) -> tuple[_Lines, _Lines]:
    """The names of its nodes, and the notes."""
    return _Lines([node_name(graph, node) for node in range(graph.num_nodes)]), _Lines(note_column(graph))


def search(graphs: Sequence[Graph], text: str, limit: int = 12) -> list[tuple[int, int, str, str]]:
    """Nodes whose name, or else whose columns of text, hold ``text``: (side, node, name, note), the best match first.

    Of equal matches those on the first side come first.
    """
    wanted = _one_line(text).strip()
    ranks: dict[tuple[int, int], int] = {}  # (side, node) -> how well it fits, 0 is best
    for side, graph in enumerate(graphs):
        names, notes = _lines(graph)
        fits = (names, f"\n{wanted}\n"), (names, f"\n{wanted}"), (names, wanted), (notes, wanted)
        for rank, (lines, wished) in enumerate(fits):
            for node in lines.holding(wished, limit):
                ranks.setdefault((side, node), rank)
    best = sorted(ranks, key=lambda match: (ranks[match], match))[:limit]
    columns = [note_column(graph) for graph in graphs]
    return [(s, v, node_name(graphs[s], v), columns[s][v] if columns[s] else "") for s, v in best]
