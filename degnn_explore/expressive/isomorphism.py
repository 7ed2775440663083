"""When two graphs, or two target sets, are the same up to their nodes' numbers, and by which map."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..encodings.paths import Distance
from ..graphs.graph import Graph, needs_graph
from .own_targets import root_colours
from .refinement import Instances

__all__ = ["isomorphic", "set_map"]

Ints = NDArray[np.int64]


def isomorphic(G: Graph, H: Graph, budget: int = 1_000_000) -> bool | None:
    """Whether two graphs are the same up to their nodes' numbers; None if the search took more than ``budget`` steps.

    Nodes are matched within their exact DE-1 colours, one after another, with every link checked.

    Examples
    --------
    >>> from degnn_explore import zoo
    >>> isomorphic(zoo.paley(9), zoo.rook(3)), isomorphic(zoo.shrikhande(), zoo.rook(4))
    (True, False)
    """
    needs_graph("isomorphic", G)
    needs_graph("isomorphic", H)
    if G.num_nodes != H.num_nodes or G.num_edges != H.num_edges:
        return False
    found = _search(G, H, root_colours([G, H], layers=4)[-1], (), budget)
    return found if found is None else bool(len(found))


def set_map(G: Graph, S: Ints, H: Graph, T: Ints, budget: int = 1_000_000) -> Ints | None:
    """A map of all nodes that takes G to H and the set S to the set T; empty if there is none, None past the budget.

    Examples
    --------
    >>> from degnn_explore import zoo
    >>> G = zoo.figure1()
    >>> set_map(G, np.array([2]), G, np.array([7])).tolist(), set_map(G, np.array([2]), G, np.array([3])).tolist()
    ([4, 5, 7, 6, 0, 1, 3, 2], [])
    """
    none = np.zeros(0, dtype=np.int64)
    if (G.num_nodes, G.num_edges, len(S)) != (H.num_nodes, H.num_edges, len(T)):
        return none
    run = Instances.build([(G, S[None, :]), (H, T[None, :])], Distance())
    ((classes, _),) = deque(run.refine(), maxlen=1)  # the last layer's
    if G.num_nodes <= 200:  # finer, and cheap enough
        classes = np.unique(np.stack([classes, root_colours([G, H], layers=4)[-1]]), axis=1, return_inverse=True)[1]
    return _search(G, H, classes.reshape(-1), S.tolist(), budget)


def _search(G: Graph, H: Graph, kinds: Ints, first: Sequence[int], budget: int) -> Ints | None:
    """A map that keeps links and kinds [2n], beginning with the nodes ``first``; empty if there is none."""
    from . import _kernels as compiled

    n = G.num_nodes
    image = np.empty(n, dtype=np.int64)
    if not np.array_equal(np.sort(kinds[:n]), np.sort(kinds[n:])):
        return image[:0]
    a, b = (X.to_scipy().toarray() > 0 for X in (G, H))
    _, place, sizes = np.unique(kinds[:n], return_inverse=True, return_counts=True)
    rare, links = sizes[place], np.zeros(n, dtype=np.int64)
    rank = np.where(np.isin(np.arange(n), first), -1, 0)  # then: most links to those placed, then the rarest kind
    order = np.empty(n, dtype=np.int64)
    for step in range(n):
        order[step] = chosen = int(np.lexsort((rare, -links, rank))[0])
        rank[chosen] = 1
        links += a[chosen]
    found = compiled.find_isomorphism(a, b, kinds[:n], kinds[n:], order, budget, image)
    return None if found < 0 else image if found else image[:0]
