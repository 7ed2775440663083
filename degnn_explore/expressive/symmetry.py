"""Symmetry: a map of nodes that keeps every link and takes one target set, or one graph, to another.

Where there is such a map, no method that looks at the graph alone can see a difference. Where there is none the sets do
differ, and what a method is blind to often has a name: regular, strongly regular, distance-regular.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..common.errors import GraphError, check_memory
from ..encodings.paths import Distance
from ..graphs.graph import Graph, needs_graph
from ..graphs.zoo import intersection_array
from .refinement import Instances
from .self_targets import root_colors

__all__ = ["Match", "isomorphic", "match_sets", "set_map"]

Ints = NDArray[np.int64]
Side = tuple[Graph, Ints]  # a graph and the numbers of its targets

MAX_NODES = 2_000  # the search takes a matrix of all pairs of nodes
STEPS_PER_NODE = 40  # of the search, before it gives up
MAX_ARRAY = 500  # nodes of a graph whose intersection array is computed


@dataclass(frozen=True)
class Match:
    """Whether a symmetry takes one target set to the other, and if none does, what kind of graphs hides the difference.

    Examples
    --------
    >>> from degnn_explore import zoo
    >>> match_sets((zoo.figure1(), np.array([3])), (zoo.figure1(), np.array([6]))).mapping
    (1, 0, 2, 6, 5, 4, 3, 7)
    >>> match_sets((zoo.shrikhande(), np.array([0])), (zoo.rook(), np.array([0]))).family
    'strongly regular (16, 6, 2, 2)'
    """

    kind: Literal["same", "different", "undecided"]
    mapping: tuple[int, ...] = ()  # the image of each node of the first graph if kind is "same"; else empty
    degree: int | None = None  # of every node of both graphs, None if they vary
    family: str = ""  # strongly regular or distance-regular with its numbers, if both graphs are and differ


def match_sets(a: Side, b: Side, cut: bool = False, *, differ: bool = False) -> Match:
    """Look for a map that takes one target set to the other; pass ``differ`` if it is known that there is none.

    With ``cut`` both graphs lack the edges inside their sets, as methods see them then. Above 2,000 nodes, or when the
    search takes too many steps, the kind is "undecided".
    """
    (G, S), (H, T) = ((X.cut(R) if cut and len(R) > 1 else X, R) for X, R in (a, b))
    degrees = np.unique(np.concatenate([G.degrees, H.degrees]))
    degree = int(degrees[0]) if len(degrees) == 1 else None
    if not differ:
        if G.num_nodes > MAX_NODES:
            return Match("undecided", degree=degree)
        budget = max(STEPS_PER_NODE * G.num_nodes, 400_000_000 // max(G.num_nodes, 1) ** 2)
        image = set_map(G, S, H, T, min(budget, 1_000_000))
        if image is None:
            return Match("undecided", degree=degree)
        if len(image):
            return Match("same", tuple(image.tolist()), degree)
    return Match("different", (), degree, "" if degree is None else _family(G, H))


def _family(G: Graph, H: Graph) -> str:
    """What both graphs are, if they have the same intersection array."""
    if max(G.num_nodes, H.num_nodes) > MAX_ARRAY:
        return ""
    try:
        array = intersection_array(G)
        if array != intersection_array(H):
            return ""
    except GraphError:  # not distance-regular
        return ""
    b, c = array
    if len(b) == 2:
        return f"strongly regular ({G.num_nodes}, {b[0]}, {b[0] - b[1] - 1}, {c[1]})"
    return f"distance-regular with intersection array {{{','.join(map(str, b))};{','.join(map(str, c))}}}"


# ---- the search for a map ------------------------------------------------------------------------


def isomorphic(G: Graph, H: Graph, budget: int = 1_000_000) -> bool | None:
    """Whether two graphs are the same up to their nodes' numbers; None if the search took more than ``budget`` steps.

    Nodes are matched within their exact DE-1 colors, one after another, with every link checked.

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
    image = _search(G, H, root_colors([G, H], layers=4)[-1], (), budget)
    return None if image is None else bool(len(image))


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
        classes = np.unique(np.stack([classes, root_colors([G, H], layers=4)[-1]]), axis=1, return_inverse=True)[1]
    return _search(G, H, classes.reshape(-1), S.tolist(), budget)


def _search(G: Graph, H: Graph, kinds: Ints, first: Sequence[int], budget: int) -> Ints | None:
    """A map that keeps links and kinds [2n], beginning with the nodes ``first``; empty if there is none."""
    from . import _kernels as compiled

    n = G.num_nodes
    image = np.empty(n, dtype=np.int64)
    if not np.array_equal(np.sort(kinds[:n]), np.sort(kinds[n:])):
        return image[:0]
    check_memory(f"Matching two graphs of {n:,} nodes", 2 * n * n, remedy="Take smaller graphs.")
    a, b = map(_adjacency, (G, H))
    _, place, sizes = np.unique(kinds[:n], return_inverse=True, return_counts=True)
    rare, links = sizes[place], np.zeros(n, dtype=np.int64)
    rank = np.where(np.isin(np.arange(n), first), -1, 0)  # then: most links to those placed, then the rarest kind
    order = np.empty(n, dtype=np.int64)
    for step in range(n):
        order[step] = chosen = int(np.lexsort((rare, -links, rank))[0])
        rank[chosen] = 1
        links += a[chosen]
    answer = compiled.find_isomorphism(a, b, kinds[:n], kinds[n:], order, budget, image)
    return None if answer < 0 else image if answer else image[:0]


def _adjacency(G: Graph) -> NDArray[np.bool_]:
    linked = np.zeros((G.num_nodes,) * 2, dtype=bool)
    linked[np.repeat(np.arange(G.num_nodes), G.degrees), G.indices] = True
    return linked
