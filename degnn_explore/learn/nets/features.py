"""Node features after the cut, for the models that do not work on ego-networks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...graphs.graph import Graph

__all__ = ["base_features", "inner_edges", "set_features"]


def inner_edges(graph: Graph, sets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which nodes of each set are neighbours of each other. [k, p] -> [k, p, p]"""
    k, p = sets.shape
    pairs = np.stack([np.repeat(sets, p, axis=1), np.tile(sets, (1, p))], axis=2)  # [k, p*p, 2]
    return graph.has_edges(pairs.reshape(-1, 2)).reshape(k, p, p)


def base_features(graph: Graph) -> NDArray[np.float32]:
    """log(1 + degree), then the graph's attributes, of every node before any cut. [n, 1 + attributes]"""
    columns = [np.log1p(graph.degrees)[:, None]]
    if graph.attributes is not None:
        columns.append(graph.attributes)
    return np.concatenate(columns, axis=1).astype(np.float32)


def set_features(graph: Graph, sets: NDArray[np.int64]) -> NDArray[np.float32]:
    """The same for the nodes of S, with their degrees after the edges inside S are cut. [k, p, 1 + attributes]"""
    x = base_features(graph)[sets]
    x[:, :, 0] = np.log1p(graph.degrees[sets] - inner_edges(graph, sets).sum(axis=2))
    return x
