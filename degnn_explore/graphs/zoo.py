"""The zoo: the paper's figure graphs, named regular graphs and random ones, all as ``de.zoo.<name>()``.

The regular ones live in :mod:`degnn_explore.graphs.regular` and are offered here too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..common.errors import ParameterError, whole_number
from ..common.limits import fits
from . import regular
from .graph import Graph
from .regular import *  # noqa: F403  (every name of its __all__ is one of the zoo's)
from .regular import check_regular, cycle, ring

__all__ = [*regular.__all__, "bridged_triangles", "domino", "erdos_renyi", "figure1", "figure3", "figure5"]
__all__ += ["hexagon", "random_regular", "two_triangles"]


def _pairs(edges: str) -> list[tuple[int, int]]:
    """Edges written as "01 12"."""
    return [(int(edge[0]), int(edge[1])) for edge in edges.split()]


def _drawn(edges: str, positions: Sequence[tuple[float, float]], title: str) -> Graph:
    """A small figure graph, its nodes named v0, v1, ..."""
    names = [f"v{i}" for i in range(len(positions))]
    return Graph.from_edges(_pairs(edges), names=names, positions=positions, title=title)


# ---- the paper's figures ------------------------------------------------------------------------


def figure1() -> Graph:
    """The cubic graph of Fig. 1(a): 8 nodes that look all the same to 1-WL, though they are of three kinds.

    The kinds are {v0, v1, v4, v5}, {v2, v7} and {v3, v6}. DE-1 with shortest-path distances separates the last
    two at layer 2, and the first two at layer 3.

    Examples
    --------
    >>> figure1()
    Graph('Fig. 1(a): a cubic graph', 8 nodes, 12 edges)
    >>> figure1().degrees
    array([3, 3, 3, 3, 3, 3, 3, 3])
    """
    positions = [(-1.1, 1.3), (-1.1, -1.3), (2.2, 0), (0, -1.3), (1.1, -1.3), (1.1, 1.3), (0, 1.3), (-2.2, 0)]
    return _drawn("01 06 07 13 17 24 25 27 34 36 45 56", positions, "Fig. 1(a): a cubic graph")


def figure3() -> tuple[Graph, Graph]:
    """A pair as in Fig. 3: two cubic graphs whose node 0 is the target, told apart by DE-1 at layer 2.

    The paper's source has the figure's caption but not its picture, so the pair is built from Fig. 1(a): both
    are that graph, numbered from the target, which is v2 in the first and v3 in the second. Both targets have
    three nodes at distance 1 and four at distance 2; but v2 has two neighbours that are linked, v3 has none.

    Examples
    --------
    >>> left, right = figure3()
    >>> left.names[0], right.names[0]
    ('v2', 'v3')
    """
    graph = figure1()

    def seen_from(target: int) -> Graph:
        order = [target, *(v for v in range(graph.num_nodes) if v != target)]
        return graph.relabel(order).with_title(f"Fig. 3: a cubic graph, target v{target}")

    return seen_from(2), seen_from(3)


def figure5() -> tuple[Graph, Graph]:
    """The two trees of Fig. 5, root 0: DE-1 needs two layers to tell the roots apart, and so does DEA-1 with 2 hops.

    Examples
    --------
    >>> [tree.edges.tolist() for tree in figure5()]
    [[[0, 1], [0, 2], [2, 3], [2, 4]], [[0, 1], [0, 3], [1, 2], [3, 4]]]
    """
    left = _drawn("01 02 23 24", [(0, 2), (-0.8, 1), (0.8, 1), (0.2, 0), (1.4, 0)], "Fig. 5: left tree")
    return left, _drawn("01 03 12 34", [(0, 2), (-0.8, 1), (-0.8, 0), (0.8, 1), (0.8, 0)], "Fig. 5: right tree")


# ---- small graphs that make one point -----------------------------------------------------------


def two_triangles() -> Graph:
    """Two triangles side by side: to 1-WL the same as a :func:`hexagon`, to DE-1 not (from layer 2).

    Examples
    --------
    >>> two_triangles().edges.tolist()
    [[0, 1], [0, 2], [1, 2], [3, 4], [3, 5], [4, 5]]
    """
    positions = np.concatenate([ring(3) + np.array([x, 0.0]) for x in (-1.4, 1.4)])
    return Graph.from_edges(_pairs("01 02 12 34 35 45"), 6, positions=positions, title="two triangles")


def hexagon() -> Graph:
    """The 6-cycle, companion of :func:`two_triangles`.

    Examples
    --------
    >>> hexagon().num_edges
    6
    """
    return cycle(6)


def domino() -> Graph:
    """Two squares that share an edge, {0, 3} (graph6 ``ElEG``).

    Its middle edge and the bridge of :func:`bridged_triangles`, also {0, 3}, are told apart by DE-2 only when
    the edges inside S are cut.

    Examples
    --------
    >>> domino().edges.tolist()
    [[0, 1], [0, 3], [0, 5], [1, 2], [2, 3], [3, 4], [4, 5]]
    """
    positions = [(0, 0.5), (-1, 0.5), (-1, -0.5), (0, -0.5), (1, -0.5), (1, 0.5)]
    return _drawn("01 03 05 12 23 34 45", positions, "domino")


def bridged_triangles() -> Graph:
    """Two triangles joined by the edge {0, 3} (graph6 ``E{CW``). See :func:`domino`.

    Examples
    --------
    >>> bridged_triangles().edges.tolist()
    [[0, 1], [0, 2], [0, 3], [1, 2], [3, 4], [3, 5], [4, 5]]
    """
    positions = [(-0.5, 0), (-1.4, 0.6), (-1.4, -0.6), (0.5, 0), (1.4, 0.6), (1.4, -0.6)]
    return _drawn("01 02 03 12 34 35 45", positions, "bridged triangles")


# ---- random graphs ------------------------------------------------------------------------------


def random_regular(n: int, r: int, seed: int = 0) -> Graph:
    """A random r-regular graph on n nodes, as Theorem 3.3 speaks of; the same seed gives the same graph.

    This is ``networkx.random_regular_graph(r, n, seed=seed)``: Steger and Wormald's pairing, which is
    asymptotically uniform over the r-regular graphs with numbered nodes (Kim & Vu 2003). It need not be connected.

    There is one if r < n and n·r is even.

    Examples
    --------
    >>> random_regular(10, 3, seed=1)
    Graph('random 3-regular, n=10, seed=1', 10 nodes, 15 edges)
    """
    import networkx as nx

    n, r, seed = whole_number("n", n, least=1), whole_number("r", r, least=0), whole_number("seed", seed, least=0)
    check_regular(n, r)
    fits(f"A {r}-regular graph on {n} nodes", 250 * n * max(r, 1))  # as Python objects while it is drawn
    edges = list(nx.random_regular_graph(r, n, seed=seed).edges)
    return Graph.from_edges(edges, n, title=f"random {r}-regular, n={n}, seed={seed}")


def erdos_renyi(n: int, p: float, seed: int = 0) -> Graph:
    """A random graph G(n, p): each of the n(n-1)/2 pairs is an edge with probability p, independently.

    Takes time and memory in proportion to the nodes and edges, so a million nodes are no trouble while p is small.

    The same seed gives the same graph.

    Examples
    --------
    >>> erdos_renyi(5, 1.0).num_edges
    10
    """
    n, seed = whole_number("n", n, least=1), whole_number("seed", seed, least=0)
    if not isinstance(p, int | float | np.number) or not 0 <= p <= 1:
        raise ParameterError(f"p must be a probability, 0 to 1, not {p!r}.")
    pairs = n * (n - 1) // 2
    fits(f"A random graph of {n} nodes and about {p * pairs:.3g} edges", 32 * n + int(150 * p * pairs))
    rng = np.random.default_rng(seed)
    # Pair number k is (u, v) with v(v-1)/2 + u = k and u < v; the root may be off by one through rounding.
    k = rng.choice(max(pairs, 1), size=rng.binomial(pairs, p), replace=False, shuffle=False)
    v = ((1 + np.sqrt(1 + 8 * k.astype(np.float64))) / 2).astype(np.int64)
    v -= v * (v - 1) // 2 > k
    v += v * (v + 1) // 2 <= k
    edges = np.stack([k - v * (v - 1) // 2, v], axis=1)  # [m, 2]
    return Graph.from_edges(edges, n, title=f"random G({n}, {p:g}), seed={seed}")
