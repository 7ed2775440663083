"""Node features after the cut: log-degree and the graph's own attributes, the same for every model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..graphs.graph import Graph
from ..graphs.nodes import Node


@dataclass(frozen=True, eq=False, repr=False)
class DegreesAsGiven(Graph):
    """A graph whose degree feature was counted on another graph and ignores cut edges: a leak, made on purpose.

    Edges, distances and weights of aggregations are its own; only the feature log(1 + degree) differs.
    """

    degrees_shown: NDArray[np.int64] | None = None  # [n]

    def relabel(self, order: Iterable[Node]) -> Graph:
        assert self.degrees_shown is not None
        moved: dict[str, Any] = {"degrees_shown": self.degrees_shown[self.target_set(order)]}
        return replace(super().relabel(order), **moved)


def log_degrees(graph: Graph) -> NDArray[np.float32]:
    """log(1 + d) for each degree d up to the largest: equal degrees give equal features to the last bit."""
    return np.log1p(np.arange(graph.degrees.max(initial=0) + 1)).astype(np.float32)


def base_features(graph: Graph, degree: bool = True) -> NDArray[np.float32]:
    """log(1 + degree) if requested, then the graph's attributes, of every node before any cut. [n, 1 + attributes]"""
    columns = [_shown(graph)[:, None]] if degree else []
    if graph.attributes is not None:
        columns.append(graph.attributes.astype(np.float32))
    return np.concatenate([*columns, np.empty((graph.num_nodes, 0), np.float32)], axis=1)


def _shown(graph: Graph) -> NDArray[np.float32]:
    if isinstance(graph, DegreesAsGiven) and graph.degrees_shown is not None:
        return np.log1p(graph.degrees_shown).astype(np.float32)
    return log_degrees(graph)[graph.degrees]


def inner_edges(graph: Graph, sets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which nodes of each set are neighbors of each other. [k, p] -> [k, p, p]"""
    k, p = sets.shape
    pairs = np.stack([np.repeat(sets, p, axis=1), np.tile(sets, (1, p))], axis=2)  # [k, p*p, 2]
    return graph.has_edges(pairs.reshape(-1, 2)).reshape(k, p, p)


def set_features(graph: Graph, sets: NDArray[np.int64]) -> NDArray[np.float32]:
    """:func:`base_features` of the nodes of S, with degrees after the edges inside S are cut. [k, p, 1 + attributes]"""
    x = base_features(graph)[sets]
    if not isinstance(graph, DegreesAsGiven):
        x[:, :, 0] = log_degrees(graph)[graph.degrees[sets] - inner_edges(graph, sets).sum(axis=2)]
    return x
