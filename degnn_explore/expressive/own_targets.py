"""The exact colour of every node as its own target (DE-1 with SPD), for thousands of graphs together.

After L layers with K hops, the colour of the target v depends on the nodes within K·L hops of v alone, and in
layer l only those within K·(L-l) still matter. So each target costs its ball, not the whole graph. The colours are
those of ``de.colours(G, S={v}, hops=K)[:, v]``, held as 128 bits until they are numbered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Event

import numpy as np
from numpy.typing import NDArray

from ..common.errors import GraphError, ParameterError, whole_number
from ..common.files import readable_size
from ..common.stopping import raise_if
from ..graphs.graph import Graph
from .refinement import MAX_ARCS, MAX_BYTES, khop_size

__all__ = ["alike", "khop_union", "root_colours"]

Ints = NDArray[np.int64]


def khop_union(graphs: Sequence[Graph], hops: int = 1) -> tuple[Ints, Ints, Ints]:
    """The disjoint union of the graphs: for each node the nodes within K hops and their distances, in CSR form."""
    from . import _kernels as kernels

    for G in graphs:
        if not isinstance(G, Graph):
            raise GraphError(f"Each graph must be a degnn_explore.Graph, not {type(G).__name__}.")
    size = sum(khop_size(G, hops) for G in graphs)
    if size > MAX_ARCS:
        raise ParameterError(
            f"hops={hops} in these graphs means about {size:,} arcs, more than {MAX_ARCS:,}; "
            "take fewer hops, fewer graphs or smaller ones."
        )
    shift = np.cumsum([0, *(G.num_nodes for G in graphs)])
    ends = np.cumsum([0, *(len(G.indices) for G in graphs)])
    empty, zero = np.zeros(0, dtype=np.int64), np.zeros(1, dtype=np.int64)
    indptr = np.concatenate([zero, *(G.indptr[1:] + e for G, e in zip(graphs, ends[:-1], strict=True))])
    indices = np.concatenate([empty, *(G.indices + s for G, s in zip(graphs, shift[:-1], strict=True))])
    start, arcs, tags = kernels.khop_arcs(indptr, indices, hops)
    return start, arcs, tags


def root_colours(
    graphs: Sequence[Graph],
    layers: int,
    hops: int = 1,
    *,
    stop: Event | None = None,
    step: Callable[[int], object] | None = None,
) -> Ints:
    """The colour of every node of every graph as its own target, after 0..layers layers of DE-1 with SPD.

    Parameters
    ----------
    graphs
        Any graphs; their nodes follow one another in the result.
    layers
        L, at least 1.
    hops
        K: aggregate all nodes within K hops, with their distances (DEA-GNN-1-K-hop).
    stop
        Work ends with ``Cancelled`` soon after this event is set.
    step
        Called with the number of targets done since the last call.

    Returns
    -------
    int64 [layers + 1, number of nodes]
        Equal exactly where no DE-GNN-1 with that many layers can tell the nodes apart (but for a chance of about
        2^-128 a pair). The numbers mean nothing outside this call.

    Examples
    --------
    Six nodes in two triangles, six in a hexagon: one layer sees no difference, two layers see it.

    >>> import degnn_explore as de
    >>> colours = root_colours([de.zoo.two_triangles(), de.zoo.hexagon()], layers=2)
    >>> [len(set(row)) for row in colours.tolist()]
    [1, 1, 2]
    """
    from . import _kernels as kernels

    layers, hops = whole_number("layers", layers, least=1), whole_number("hops", hops, least=1)
    nodes = sum(G.num_nodes for G in graphs)
    hops = min(hops, max(nodes, 1))  # no node is further away
    if (size := 16 * (layers + 1) * nodes) > MAX_BYTES:
        raise ParameterError(f"layers={layers:,} for {nodes:,} targets take {readable_size(size)}; take fewer layers.")
    halves = [np.zeros((layers + 1, 0, 2), dtype=np.uint64)]
    for G in graphs:
        raise_if(stop, "the colouring of all targets was cancelled")
        halves.append(np.empty((layers + 1, G.num_nodes, 2), dtype=np.uint64))
        kernels.root_colours(*khop_union([G], hops), hops, layers, halves[-1])
        if step is not None:
            step(G.num_nodes)
    words = np.concatenate(halves, axis=1)
    return np.stack([np.unique(row, axis=0, return_inverse=True)[1].reshape(-1) for row in words])


def alike(classes: Ints) -> float:
    """The fraction of pairs that share a class; nan if there is no pair. [n]"""
    n = len(classes)
    if n < 2:
        return float("nan")
    _, sizes = np.unique(classes, return_counts=True)
    return int((sizes.astype(object) * (sizes - 1)).sum()) / (n * (n - 1))
