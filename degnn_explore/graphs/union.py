"""``disjoint_union``: several graphs side by side in one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..common.errors import GraphError, ParameterError
from .build import frozen
from .graph import Graph, needs_graph


def disjoint_union(graphs: Sequence[Graph]) -> Graph:
    """Several graphs side by side in one, without an edge between them: to learn one task on all of them.

    ``parts`` says which graph each node came from. Tasks on the union split every graph by itself, draw negatives
    within a graph, and judge by the mean over the graphs. Labels and attributes are kept if all graphs have them.

    Parameters
    ----------
    graphs
        Two or more graphs; their nodes are numbered one graph after the other.

    Examples
    --------
    >>> triangle, path = Graph.from_edges([(0, 1), (1, 2), (2, 0)]), Graph.from_edges([("a", "b")])
    >>> both = disjoint_union([triangle, path])
    >>> both, both.parts.tolist(), both.names[3:]
    (Graph('graph 0 + graph 1', 5 nodes, 4 edges), [0, 0, 0, 1, 1], ('1:a', '1:b'))
    """
    if isinstance(graphs, Graph) or not isinstance(graphs, Sequence) or not graphs:
        raise ParameterError("disjoint_union needs a list of graphs, such as [G1, G2].")
    for graph in graphs:
        needs_graph("disjoint_union", graph)
    begins = np.cumsum([0, *(graph.num_nodes for graph in graphs)])
    edges = [graph.edges + begin for graph, begin in zip(graphs, begins, strict=False)]
    named = any(graph.names != tuple(map(str, range(graph.num_nodes))) for graph in graphs)
    names = [f"{number}:{name}" for number, graph in enumerate(graphs) for name in graph.names]
    union = Graph.from_edges(
        np.concatenate(edges),
        int(begins[-1]),
        names=names if named else None,
        labels=_stacked("labels", graphs),
        attributes=_stacked("attributes", graphs),
        title=" + ".join(graph.title or f"graph {number}" for number, graph in enumerate(graphs)),
    )
    parts = np.repeat(np.arange(len(graphs)), [graph.num_nodes for graph in graphs])
    return replace(union, parts=frozen(parts))


def _stacked(column: str, graphs: Sequence[Graph]) -> Any:
    """The column of all graphs, one after the other; None if one of them lacks it."""
    values = [getattr(graph, column) for graph in graphs]
    if any(value is None for value in values):
        return None
    if len({value.shape[1:] for value in values}) > 1:
        widths = ", ".join(str(value.shape[1]) for value in values)
        raise GraphError(f"The graphs have {widths} columns of {column}; they need the same number.")
    return np.concatenate(values)
