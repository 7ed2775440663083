"""What of a large graph is drawn, what is said of its nodes, and how they are found by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ...graphs.distances import distances
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
    hops = distances(graph, np.array(targets or [graph.degrees.argmax()], dtype=np.int64))
    nearest = np.where(hops < 0, np.iinfo(np.int32).max, hops).min(axis=0)
    nodes = np.sort(np.argsort(nearest, kind="stable")[:limit])
    place = np.full(graph.num_nodes, -1, dtype=np.int64)
    place[nodes] = np.arange(len(nodes))
    ends = place[graph.edges]
    part = Graph.from_edges(
        ends[(ends >= 0).all(axis=1)],
        len(nodes),
        names=[graph.names[i] for i in nodes],
        title=graph.title,
        positions=None if graph.positions is None else graph.positions[nodes],
        info={key: column[nodes] for key, column in graph.info.items()},
    )
    return Excerpt(part, nodes)


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
