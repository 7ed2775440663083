"""The 2-WL test in its folklore form (the paper's appendix on higher-order WL tests), on all ordered pairs."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event

import numpy as np
from numpy.typing import NDArray

from ..common.stopping import raise_if
from ..graphs.graph import Graph

__all__ = ["pair_colours"]

Ints = NDArray[np.int64]


def pair_colours(
    G1: Graph, G2: Graph, layers: int | None = None, attributes: bool = False, stop: Event | None = None
) -> Iterator[tuple[Ints, Ints]]:
    """Colours of all ordered pairs (u, v) of both graphs, comparable, after 0, 1, 2, ... layers.

    Layer 0 tells u = v, linked and unlinked pairs apart; layer l + 1 is the pair's own colour with
    the multiset over all nodes w of (colour of (w, v), colour of (u, w)). The multiset is held as
    two 64-bit sums of mixed values: different sums prove different multisets, and equal sums of
    different multisets have a chance of about 2^-128.

    Yields
    ------
    int64 [n1, n1] and [n2, n2]

    Examples
    --------
    >>> path, triangle = Graph.from_edges([(0, 1), (1, 2)]), Graph.from_edges([(0, 1), (1, 2), (0, 2)])
    >>> first, second = next(pair_colours(path, triangle))
    >>> bool(first[0, 2] == second[0, 2]), bool(first[0, 1] == second[0, 1])
    (False, True)
    """
    from . import _kernels as kernels

    graphs = (G1, G2)
    colours = [_initial(G) for G in graphs]
    if attributes:
        from .refinement import Instances

        run = Instances.build([(G, np.zeros((1, 0), dtype=np.int64)) for G in graphs], attributes=True)
        classes, _ = next(run.refine(0))
        for i, G in enumerate(graphs):
            np.fill_diagonal(colours[i], 2 + classes[run.start[i] : run.start[i] + G.num_nodes])
    sizes = [G.num_nodes for G in graphs]
    flat = np.unique(np.concatenate([c.ravel() for c in colours]), return_inverse=True)[1]
    count, layer = int(flat.max()) + 1, 0
    sums = np.empty((len(flat), 2), dtype=np.int64)
    while True:
        colours = [half.reshape(n, n) for half, n in zip(np.split(flat, [sizes[0] ** 2]), sizes, strict=True)]
        yield colours[0], colours[1]
        if layer == layers:
            return
        at = 0
        for n, colour in zip(sizes, colours, strict=True):
            chunk = max(1, 20_000_000 // n**2)  # nodes at a time, so that a stop event is seen soon
            for u in range(0, n, chunk):
                raise_if(stop, "the 2-WL test was cancelled")
                size = min(chunk, n - u)
                kernels.pair_sums(colour, count, u, size, sums[at : at + size * n])
                at += size * n
        finer = np.empty_like(flat)
        new = kernels.group_rows(np.arange(len(flat) + 1) * 2, sums.ravel(), flat, finer)
        if layers is None and new == count:
            return
        flat, count, layer = finer, new, layer + 1


def _initial(G: Graph) -> Ints:
    colour = np.zeros((G.num_nodes, G.num_nodes), dtype=np.int64)
    colour[G.edges[:, 0], G.edges[:, 1]] = 1
    colour[G.edges[:, 1], G.edges[:, 0]] = 1
    np.fill_diagonal(colour, 2)
    return colour
