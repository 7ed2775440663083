"""Shortest-path distances from target sets to every node."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .graph import Graph, Targets


def distances(G: Graph, S: Targets, cut: bool = False) -> NDArray[np.int32]:
    """Shortest-path distance from each node of S to every node; -1 where there is no path. [p, n]"""
    return set_distances(G, G.target_set(S)[None, :], cut)[0]


def set_distances(G: Graph, sets: NDArray[np.int64], cut: bool = False) -> NDArray[np.int32]:
    """:func:`distances` for many target sets at once. sets [k, p] -> [k, p, n]"""
    from . import _kernels as kernels

    out = np.empty((*sets.shape, G.num_nodes), dtype=np.int32)
    kernels.distances(G.indptr, G.indices, sets, cut, out)
    return out
