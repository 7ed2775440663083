"""The 2-WL test in its folklore form (the paper's appendix on higher-order WL tests), on all ordered pairs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.progress import check_cancelled, map_ranges
from ..graphs.graph import Graph
from .refinement import NO_TARGETS, Instances

__all__ = ["pair_colors"]

Ints = NDArray[np.int64]


def pair_colors(
    G1: Graph, G2: Graph, layers: int | None = None, attributes: bool = False, progress: bool = False
) -> Iterator[tuple[Ints, Ints]]:
    """Colors of all ordered pairs (u, v) of both graphs, comparable, after 0, 1, 2, ... layers: [n1, n1] and [n2, n2].

    Layer 0 tells u = v, linked and unlinked pairs apart; layer l + 1 is the pair's color with
    the multiset over all nodes w of (color of (w, v), color of (u, w)). The multiset is held as
    two 64-bit sums of mixed values: different sums prove different multisets, and equal sums of
    different multisets have a chance of about 2^-128.

    Examples
    --------
    >>> path, triangle = Graph.from_edges([(0, 1), (1, 2)]), Graph.from_edges([(0, 1), (1, 2), (0, 2)])
    >>> first, second = next(pair_colors(path, triangle))
    >>> bool(first[0, 2] == second[0, 2]), bool(first[0, 1] == second[0, 1])
    (False, True)
    """
    from . import _kernels as kernels

    sizes = [G.num_nodes for G in (G1, G2)]
    run = Instances.build([(G, NO_TARGETS) for G in (G1, G2)], attributes=attributes)
    kinds, _ = next(run.refine(0))  # of nodes: by their attributes, or all the same
    halves = [_initial(G, nodes) for G, nodes in zip((G1, G2), np.split(kinds, [sizes[0]]), strict=True)]
    flat = np.unique(np.concatenate(halves), return_inverse=True)[1]
    count, layer = int(flat.max()) + 1, 0
    sums = np.empty((len(flat), 2), dtype=np.int64)
    while True:
        sides = [half.reshape(n, n) for half, n in zip(np.split(flat, [sizes[0] ** 2]), sizes, strict=True)]
        yield sides[0], sides[1]
        if layer == layers:
            return
        work = partial(_sums, sides, count, np.split(sums, [sizes[0] ** 2]))
        if max(sizes) < 200:
            check_cancelled("2-WL")
            work(0, sum(sizes), None)
        else:
            map_ranges(sum(sizes), work, label=f"2-WL, layer {layer + 1}", unit="node", progress=progress)
        finer = np.empty_like(flat)
        new = kernels.group_rows(np.arange(len(flat) + 1) * 2, sums.ravel(), flat, finer)
        if new == count:
            return
        flat, count, layer = finer, new, layer + 1


def _sums(sides: list[Ints], count: int, outs: list[Ints], begin: int, end: int, _: Any) -> None:
    """The pairs (u, v) of both graphs with begin <= u < end; the second graph's nodes follow the first's."""
    from . import _kernels as kernels

    n = len(sides[0])
    kernels.pair_sums(sides[0], count, min(begin, n), min(end, n), outs[0])
    kernels.pair_sums(sides[1], count, max(begin - n, 0), max(end - n, 0), outs[1])


def _initial(G: Graph, kinds: Ints) -> Ints:
    color = np.zeros((G.num_nodes, G.num_nodes), dtype=np.int64)
    color[G.edges[:, 0], G.edges[:, 1]] = 1
    color[G.edges[:, 1], G.edges[:, 0]] = 1
    np.fill_diagonal(color, 2 + kinds)
    return color.ravel()
