"""The exact color of every node as the only target (DE-1 with SPD), for thousands of graphs together.

After L layers with K hops, the color of the target v depends on the nodes within K·L hops of v alone, and in
layer l only those within K·(L-l) still matter. So each target costs its ball, not the whole graph. The colors are
those of ``de.colors(G, S={v}, hops=K)[:, v]``, held as 128 bits until they are numbered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError, check_int
from ..common.files import readable_size
from ..common.progress import check_cancelled
from ..graphs.graph import Graph, needs_graph
from .refinement import MAX_BYTES, NO_TARGETS, Instances

__all__ = ["root_colors", "same_fraction"]

Ints = NDArray[np.int64]


def root_colors(
    graphs: Sequence[Graph], layers: int, hops: int = 1, *, step: Callable[[int], object] = lambda targets: None
) -> Ints:
    """The color of every node of every graph as the only target, after 0..layers layers of DE-1 with SPD.

    int64 [layers + 1, number of nodes], the nodes of the graphs one after another: equal exactly where no DE-GNN-1
    with that many layers and K = ``hops`` can tell the nodes apart, but for a chance of about 2^-128 a pair. The
    numbers mean nothing outside this call. ``step`` is called with the number of targets done since its last call.

    Examples
    --------
    Six nodes in two triangles, six in a hexagon: one layer sees no difference, two layers see it.

    >>> import degnn_explore as de
    >>> colors = root_colors([de.zoo.two_triangles(), de.zoo.hexagon()], layers=2)
    >>> [len(set(row)) for row in colors.tolist()]
    [1, 1, 2]
    """
    from . import _kernels as kernels

    layers, hops = check_int("layers", layers, least=1), check_int("hops", hops, least=1)
    for G in graphs:
        needs_graph("root_colors", G)
    nodes = sum(G.num_nodes for G in graphs)
    hops = min(hops, max(nodes, 1))  # no node is further away
    if (size := 16 * (layers + 1) * nodes) > MAX_BYTES:
        raise ParameterError(f"layers={layers:,} for {nodes:,} targets take {readable_size(size)}; take fewer layers.")
    words = np.zeros((layers + 1, nodes, 2), dtype=np.uint64)  # layer 0 tells no two targets apart
    done = 0
    for G in graphs:
        check_cancelled("coloring every node as the only target")
        run = Instances.build([(G, NO_TARGETS)], hops=hops)
        arcs = run.indptr, run.indices, run.hop
        kernels.root_colors(G.indptr, G.indices, *arcs, hops, layers, words[:, done : done + G.num_nodes])
        done += G.num_nodes
        step(G.num_nodes)
    return np.stack([np.unique(row, axis=0, return_inverse=True)[1].ravel() for row in words])


def same_fraction(classes: Ints) -> float:
    """The fraction of pairs that share a class; nan if there is no pair. [n]"""
    n = len(classes)
    if n < 2:
        return float("nan")
    _, sizes = np.unique(classes, return_counts=True)
    return int((sizes.astype(object) * (sizes - 1)).sum()) / (n * (n - 1))
