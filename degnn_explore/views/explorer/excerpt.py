"""What of a large graph is drawn, what is said of its nodes, and how they are found by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ...graphs.distances import induced, rings
from ...graphs.graph import Graph
from ..widgets.html import node_name

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


def search(graphs: Sequence[Graph], active: int, text: str, limit: int = 12) -> list[tuple[int, int, str, str]]:
    """Nodes whose name, or else whose columns of text, hold ``text``: (side, node, name, note), the best match first.

    Of equal matches those on the active side come first.
    """
    wanted = text.casefold().strip()
    matches = []
    for side, graph in enumerate(graphs):
        notes = note_column(graph) or [""] * graph.num_nodes
        for node, note in enumerate(notes):
            name = node_name(graph, node)
            low = name.casefold()
            fits = (low == wanted, low.startswith(wanted), wanted in low, wanted in note.casefold())
            if any(fits):
                matches.append((fits.index(True), side != active, side, node, name, note))
    return [match[2:] for match in sorted(matches, key=lambda match: match[:4])[:limit]]
