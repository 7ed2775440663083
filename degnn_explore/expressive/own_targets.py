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

from ..common.errors import ParameterError, whole_number
from ..common.files import readable_size
from ..common.stopping import raise_if
from ..graphs.graph import Graph, needs_graph
from .refinement import MAX_BYTES, NO_TARGETS, Instances

__all__ = ["alike", "root_colours"]

Ints = NDArray[np.int64]


def root_colours(
    graphs: Sequence[Graph],
    layers: int,
    hops: int = 1,
    *,
    stop: Event | None = None,
    step: Callable[[int], object] | None = None,
) -> Ints:
    """The colour of every node of every graph as its own target, after 0..layers layers of DE-1 with SPD.

    int64 [layers + 1, number of nodes], the nodes of the graphs one after another: equal exactly where no DE-GNN-1
    with that many layers and K = ``hops`` can tell the nodes apart, but for a chance of about 2^-128 a pair. The
    numbers mean nothing outside this call. ``step`` is called with the number of targets done since its last call.

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
    for G in graphs:
        needs_graph("root_colours", G)
    nodes = sum(G.num_nodes for G in graphs)
    hops = min(hops, max(nodes, 1))  # no node is further away
    if (size := 16 * (layers + 1) * nodes) > MAX_BYTES:
        raise ParameterError(f"layers={layers:,} for {nodes:,} targets take {readable_size(size)}; take fewer layers.")
    words = np.empty((layers + 1, nodes, 2), dtype=np.uint64)
    done = 0
    for G in graphs:
        raise_if(stop, "the colouring of all targets was cancelled")
        run = Instances.build([(G, NO_TARGETS)], hops=hops)
        arcs = run.indptr, run.indices, run.tags
        kernels.root_colours(G.indptr, G.indices, *arcs, hops, layers, words[:, done : done + G.num_nodes])
        done += G.num_nodes
        if step is not None:
            step(G.num_nodes)
    return np.stack([np.unique(row, axis=0, return_inverse=True)[1].reshape(-1) for row in words])


def alike(classes: Ints) -> float:
    """The fraction of pairs that share a class; nan if there is no pair. [n]"""
    n = len(classes)
    if n < 2:
        return float("nan")
    _, sizes = np.unique(classes, return_counts=True)
    return int((sizes.astype(object) * (sizes - 1)).sum()) / (n * (n - 1))
