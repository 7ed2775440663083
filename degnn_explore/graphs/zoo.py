"""The zoo: the paper's figure graphs, named regular graphs and random ones, all as ``de.zoo.<name>()``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import GraphError, ParameterError, check_choice, check_int, check_memory
from .distances import distances
from .graph import Graph, needs_graph

__all__ = ["bridged_triangles", "chang", "complete", "csl", "cycle", "desargues", "dodecahedron", "domino"]
__all__ += ["erdos_renyi", "figure1", "figure3", "figure5", "hexagon", "intersection_array", "is_distance_regular"]
__all__ += ["paley", "petersen", "random_regular", "rook", "shrikhande", "triangular", "two_triangles"]

_LARGEST = 1_000_000  # nodes of a graph made edge by edge; those made from a matrix of all pairs end far below


def ring(n: int, radius: float = 1.0, turn: float = 0.0) -> NDArray[np.float64]:
    """n points on a circle, clockwise from the top, turned clockwise by ``turn`` steps. [n, 2]"""
    angle = 2 * np.pi * (np.arange(n) + turn) / n
    return radius * np.stack([np.sin(angle), np.cos(angle)], axis=1)


def check_regular(n: int, r: int) -> None:
    """A ParameterError unless there is an r-regular graph on n nodes."""
    if r >= n:
        raise ParameterError(f"No {r}-regular graph has {n} nodes: r must be less than n.")
    if n * r % 2:
        raise ParameterError(f"No {r}-regular graph has {n} nodes: n·r = {n * r} must be even; try n={n + 1}.")


def _drawn(edges: Any, positions: NDArray[np.float64], title: str, names: Sequence[str] | None = None) -> Graph:
    return Graph.from_edges(edges, len(positions), names=names, positions=positions, title=title)


def _small(edges: str, positions: Any, title: str, names: bool = True) -> Graph:
    """A small graph with edges written as "01 12"; its nodes are named v0, v1, ... if ``names``."""
    pairs = [(int(edge[0]), int(edge[1])) for edge in edges.split()]
    return _drawn(pairs, positions, title, [f"v{i}" for i in range(len(positions))] if names else None)


# ---- the paper's figures ------------------------------------------------------------------------


def figure1() -> Graph:
    """The cubic graph of Fig. 1(a): 8 nodes of three kinds that all look the same to 1-WL.

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
    return _small("01 06 07 13 17 24 25 27 34 36 45 56", positions, "Fig. 1(a): a cubic graph")


def figure3() -> tuple[Graph, Graph]:
    """A pair as in Fig. 3: two cubic graphs whose node 0 is the target, told apart by DE-1 at layer 2.

    The paper's source has the figure's caption but not its picture, so the pair is built from Fig. 1(a): both
    are that graph, numbered from the target, which is v2 in the first and v3 in the second. Both targets have
    three nodes at distance 1 and four at distance 2; but v2 has two neighbors that are linked, v3 has none.

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
    left = _small("01 02 23 24", [(0, 2), (-0.8, 1), (0.8, 1), (0.2, 0), (1.4, 0)], "Fig. 5: left tree")
    return left, _small("01 03 12 34", [(0, 2), (-0.8, 1), (-0.8, 0), (0.8, 1), (0.8, 0)], "Fig. 5: right tree")


# ---- small graphs that make one point -----------------------------------------------------------


def two_triangles() -> Graph:
    """Two triangles side by side: to 1-WL the same as a :func:`hexagon`, to DE-1 not (from layer 2).

    Examples
    --------
    >>> two_triangles().edges.tolist()
    [[0, 1], [0, 2], [1, 2], [3, 4], [3, 5], [4, 5]]
    """
    positions = np.concatenate([ring(3) + np.array([x, 0.0]) for x in (-1.4, 1.4)])
    return _small("01 02 12 34 35 45", positions, "two triangles", names=False)


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
    return _small("01 03 05 12 23 34 45", positions, "domino")


def bridged_triangles() -> Graph:
    """Two triangles joined by the edge {0, 3} (graph6 ``E{CW``). See :func:`domino`.

    Examples
    --------
    >>> bridged_triangles().edges.tolist()
    [[0, 1], [0, 2], [0, 3], [1, 2], [3, 4], [3, 5], [4, 5]]
    """
    positions = [(-0.5, 0), (-1.4, 0.6), (-1.4, -0.6), (0.5, 0), (1.4, 0.6), (1.4, -0.6)]
    return _small("01 02 03 12 34 35 45", positions, "bridged triangles")


# ---- circulant graphs and their like ------------------------------------------------------------


def cycle(n: int) -> Graph:
    """The cycle C_n, drawn as a regular n-gon.

    Examples
    --------
    >>> cycle(6)
    Graph('6-cycle', 6 nodes, 6 edges)
    """
    n = check_int("n", n, least=3, most=_LARGEST)
    return circulant(n, [1], f"{n}-cycle")


def complete(n: int) -> Graph:
    """The complete graph K_n.

    Examples
    --------
    >>> complete(5).num_edges
    10
    """
    n = check_int("n", n, least=1, most=2_000)
    return _drawn(list(combinations(range(n), 2)), ring(n), f"complete graph K{n}")


def csl(n: int, skip: int) -> Graph:
    """The circular skip link graph CSL(n, skip): an n-cycle and, from each node, a link ``skip`` nodes on.

    Two of them with the same n are both 4-regular, and 1-WL never tells them apart (Murphy, Srinivasan, Rao &
    Ribeiro, *Relational pooling for graph representations*, ICML 2019, where n = 41).

    Examples
    --------
    >>> csl(8, 3).degrees
    array([4, 4, 4, 4, 4, 4, 4, 4])
    """
    n = check_int("n", n, least=5, most=_LARGEST)
    skip = check_int("skip", skip, least=2)
    if 2 * skip >= n:
        raise ParameterError(f"skip={skip} is too long for n={n}: a 4-regular graph needs 2 <= skip < n/2.")
    return circulant(n, [1, skip], f"CSL({n}, {skip})")


def circulant(n: int, steps: Iterable[int], title: str = "") -> Graph:
    """Each of n nodes on a ring linked with those ``steps`` further on."""
    return _drawn([(i, (i + step) % n) for step in steps for i in range(n)], ring(n), title)


# ---- generalized Petersen graphs ----------------------------------------------------------------


def _petersen_edges(n: int, k: int) -> list[tuple[int, int]]:
    """GP(n, k): an outer n-cycle 0..n-1, spokes to n..2n-1, and inner links k steps apart."""
    return [edge for i in range(n) for edge in ((i, (i + 1) % n), (i, n + i), (n + i, n + (i + k) % n))]


def petersen() -> Graph:
    """The Petersen graph, GP(5, 2): 10 nodes, cubic, distance-regular with {3,2;1,1}.

    Examples
    --------
    >>> intersection_array(petersen())
    ((3, 2), (1, 1))
    """
    return _drawn(_petersen_edges(5, 2), np.concatenate([ring(5), ring(5, 0.5)]), "Petersen graph")


def desargues() -> Graph:
    """The Desargues graph, GP(10, 3): 20 nodes, cubic, distance-regular with {3,2,2,1,1;1,1,2,2,3}.

    Cubic on 20 nodes as :func:`dodecahedron` is, so 1-WL cannot tell the two apart.

    Examples
    --------
    >>> intersection_array(desargues())
    ((3, 2, 2, 1, 1), (1, 1, 2, 2, 3))
    """
    return _drawn(_petersen_edges(10, 3), np.concatenate([ring(10), ring(10, 0.6)]), "Desargues graph")


def dodecahedron() -> Graph:
    """The dodecahedron's graph, GP(10, 2): 20 nodes, cubic, distance-regular with {3,2,1,1,1;1,1,1,2,3}.

    Drawn flat, without crossings. See :func:`desargues`.

    Examples
    --------
    >>> intersection_array(dodecahedron())
    ((3, 2, 1, 1, 1), (1, 1, 1, 2, 3))
    """
    # The inner links are two pentagons; one goes to the middle, the other around everything.
    spokes = np.where(np.arange(10)[:, None] % 2 == 0, ring(10, 0.3), ring(10, 1.0))
    return _drawn(_petersen_edges(10, 2), np.concatenate([ring(10, 0.62), spokes]), "dodecahedron")


# ---- strongly regular graphs --------------------------------------------------------------------

# Where each node of the Shrikhande graph stands in its drawing with eightfold symmetry: 0..7 around the outer
# octagon, 8..15 around the inner one.
_SHRIKHANDE_PLACES = [0, 1, 10, 15, 7, 8, 13, 6, 14, 11, 4, 5, 9, 2, 3, 12]


def shrikhande() -> Graph:
    """The Shrikhande graph (left of Fig. 2(b)): 16 nodes, strongly regular (16, 6, 2, 2).

    Node 4i + j is (i, j) of Z4 x Z4; two are linked when they differ by ±(1,0), ±(0,1) or ±(1,1). It has the
    same intersection array as :func:`rook` (4), so DE-1 gives the two the same representations; DE-2 does not.

    Examples
    --------
    >>> intersection_array(shrikhande())
    ((6, 3), (1, 2))
    """
    i, j = np.divmod(np.arange(16), 4)
    edges = [(4 * i + j, 4 * ((i + a) % 4) + (j + b) % 4) for a, b in ((1, 0), (0, 1), (1, 1))]  # [3, 2, 16]
    # Turned a little, so that no link from the outer ring runs behind a node of the inner one.
    places = np.concatenate([ring(8), ring(8, 0.5, turn=0.3)])
    return _drawn(np.concatenate(edges, axis=1).T, places[_SHRIKHANDE_PLACES], "Shrikhande graph")


def rook(m: int = 4) -> Graph:
    """The m x m rook's graph (right of Fig. 2(b) for m = 4): squares in the same row or column are linked.

    Node m·row + column. Drawn as a bent chess board, so that the links of a row do not hide behind its squares.

    Examples
    --------
    >>> rook(4)
    Graph("4×4 rook's graph", 16 nodes, 48 edges)
    >>> intersection_array(rook(4))
    ((6, 3), (1, 2))
    """
    m = check_int("m", m, least=2, most=100)
    row, column = np.divmod(np.arange(m * m), m)
    linked = (row[:, None] == row) ^ (column[:, None] == column)
    x, y = column - (m - 1) / 2, (m - 1) / 2 - row
    bend = 0.8 / m  # small enough that the board does not fold over at a corner
    positions = np.stack([x + bend * y**2, y + bend * x**2], axis=1)
    return _drawn(np.argwhere(np.triu(linked)), positions, f"{m}×{m} rook's graph")


def triangular(n: int = 8) -> Graph:
    """The triangular graph T(n): a node for each pair out of n, linked when the pairs share an element.

    T(8) is strongly regular (28, 12, 6, 4), with the same intersection array as the three :func:`chang` graphs.

    Examples
    --------
    >>> intersection_array(triangular(8))
    ((12, 5), (1, 4))
    """
    n = check_int("n", n, least=3, most=100)
    pairs = list(combinations(range(n), 2))
    edges = [(i, j) for (i, a), (j, b) in combinations(enumerate(pairs), 2) if set(a) & set(b)]
    return _drawn(edges, ring(len(pairs)), f"triangular graph T({n})", [f"{a}-{b}" for a, b in pairs])


# The edges of K8 at which each Chang graph switches T(8): a perfect matching, an 8-cycle, a 3-cycle and a 5-cycle.
_CHANG_SWITCHES = {1: "01 23 45 67", 2: "01 12 23 34 45 56 67 07", 3: "01 12 02 34 45 56 67 37"}


def chang(i: int) -> Graph:
    """The Chang graph i = 1, 2 or 3: strongly regular (28, 12, 6, 4) as T(8), but not isomorphic to it.

    T(8) after Seidel switching: between a chosen set of nodes and the rest, links and non-links change places.
    The set is, as edges of K8, a perfect matching (1), an 8-cycle (2), a 3-cycle and a 5-cycle (3).

    Examples
    --------
    >>> [intersection_array(chang(i)) for i in (1, 2, 3)] == [intersection_array(triangular(8))] * 3
    True
    """
    switch = _CHANG_SWITCHES[check_choice("i", i, _CHANG_SWITCHES)]
    base = triangular(8)
    chosen = np.isin(base.names, [f"{pair[0]}-{pair[1]}" for pair in switch.split()])
    linked = base.to_scipy().toarray() > 0
    linked ^= chosen[:, None] != chosen
    return _drawn(np.argwhere(np.triu(linked)), ring(base.num_nodes), f"Chang graph {i}", base.names)


def paley(q: int) -> Graph:
    """The Paley graph of the field with q elements: two are linked when their difference is a square.

    q is a prime with remainder 1 modulo 4 (5, 13, 17, 29, ...) or the square of an odd prime (9, 25, 49, ...).
    Node a + p·b stands for a + b√d of GF(p²), where d is the least non-square modulo p.

    Examples
    --------
    >>> intersection_array(paley(13))
    ((6, 3), (1, 3))
    """
    q = check_int("q", q, least=2, most=5_000)
    p = round(q**0.5) if round(q**0.5) ** 2 == q else q
    if p % 2 == 0 or any(p % d == 0 for d in range(3, int(p**0.5) + 1, 2)) or q % 4 != 1:
        raise ParameterError(
            f"paley({q}): q must be a prime with remainder 1 modulo 4 (5, 13, 17, 29, ...) or the square of an odd "
            "prime (9, 25, 49, ...); other prime powers are not supported."
        )
    b, a = np.divmod(np.arange(q), p)
    non_square = int(np.setdiff1d(np.arange(p), np.arange(p) ** 2 % p)[0])
    square = np.zeros(q, dtype=bool)
    square[(a * a + non_square * b * b) % p + p * (2 * a * b % p)] = True
    square[0] = False
    difference = (a[:, None] - a) % p + p * ((b[:, None] - b) % p)
    return _drawn(np.argwhere(np.triu(square[difference])), ring(q), f"Paley graph of order {q}")


# ---- distance-regularity ------------------------------------------------------------------------


def intersection_array(G: Graph) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The intersection array {b_0, ..., b_(D-1); c_1, ..., c_D} of a distance-regular graph of diameter D.

    For any two nodes u, v at distance j, v has c_j neighbors at distance j-1 from u and b_j at distance j+1. By
    Theorem 3.7 DE-1 cannot tell apart nodes of two such graphs with the same array.

    If G is not connected and distance-regular, a :class:`GraphError` says why.

    Examples
    --------
    >>> intersection_array(cycle(6))
    ((2, 1, 1), (1, 1, 2))
    """
    needs_graph("intersection_array", G)
    source = np.repeat(np.arange(G.num_nodes), G.degrees)
    array: list[list[int]] = []
    for u in np.arange(G.num_nodes):
        distance = distances(G, [u])[0]  # [n]
        if (distance < 0).any():
            far = int(distance.argmin())
            raise GraphError(
                f"{G!r} is not connected (no path from node {u} to node {far}), so it has no intersection array."
            )
        step = distance[G.indices] - distance[source]
        further, nearer = (np.bincount(source[step == way], minlength=G.num_nodes) for way in (1, -1))  # [n]
        _, first, level = np.unique(distance, return_index=True, return_inverse=True)
        uneven = (further != further[first][level]) | (nearer != nearer[first][level])
        if uneven.any():
            v = int(uneven.argmax())
            w = int(first[level[v]])
            raise GraphError(
                f"{G!r} is not distance-regular: nodes {w} and {v} are both at distance {distance[v]} from node "
                f"{u}, but have {nearer[w]} and {nearer[v]} neighbors nearer to it, {further[w]} and {further[v]} "
                "further away."
            )
        seen_from_u = [further[first].tolist(), nearer[first].tolist()]
        if array and seen_from_u != array:
            raise GraphError(f"{G!r} is not distance-regular: nodes 0 and {u} see different numbers of nodes.")
        array = seen_from_u
    return tuple(array[0][:-1]), tuple(array[1][1:])


def is_distance_regular(G: Graph) -> bool:
    """Whether G is connected and distance-regular, see :func:`intersection_array`.

    Examples
    --------
    >>> is_distance_regular(petersen()), is_distance_regular(csl(8, 2))
    (True, False)
    """
    try:
        intersection_array(G)
    except GraphError:
        return False
    return True


# ---- random graphs ------------------------------------------------------------------------------


def random_regular(n: int, r: int, seed: int = 0) -> Graph:
    """A random r-regular graph on n nodes, as in Theorem 3.3; the same seed gives the same graph.

    This is ``networkx.random_regular_graph(r, n, seed=seed)``: Steger and Wormald's pairing, which is
    asymptotically uniform over the r-regular graphs with numbered nodes (Kim & Vu 2003). It need not be connected.

    There is one if r < n and n·r is even.

    Examples
    --------
    >>> random_regular(10, 3, seed=1)
    Graph('random 3-regular, n=10, seed=1', 10 nodes, 15 edges)
    """
    import networkx as nx

    n, r, seed = check_int("n", n, least=1), check_int("r", r, least=0), check_int("seed", seed, least=0)
    check_regular(n, r)
    check_memory(f"A {r}-regular graph on {n} nodes", 250 * n * max(r, 1))  # as Python objects while it is drawn
    edges = list(nx.random_regular_graph(r, n, seed=seed).edges)
    return Graph.from_edges(edges, n, title=f"random {r}-regular, n={n}, seed={seed}")


def erdos_renyi(n: int, p: float, seed: int = 0) -> Graph:
    """A random graph G(n, p): each of the n(n-1)/2 pairs is an edge with probability p, independently.

    Time and memory grow with the number of nodes and edges, so a million nodes are fine if p is small.

    The same seed gives the same graph.

    Examples
    --------
    >>> erdos_renyi(5, 1.0).num_edges
    10
    """
    n, seed = check_int("n", n, least=1), check_int("seed", seed, least=0)
    if not isinstance(p, int | float | np.number) or not 0 <= p <= 1:
        raise ParameterError(f"p must be a probability, 0 to 1, not {p!r}.")
    pairs = n * (n - 1) // 2
    check_memory(f"A random graph of {n} nodes and about {p * pairs:.3g} edges", 32 * n + int(150 * p * pairs))
    rng = np.random.default_rng(seed)
    # Pair number k is (u, v) with v(v-1)/2 + u = k and u < v; up to 10^8 nodes no rounding of the root reaches v.
    k = rng.choice(pairs, size=rng.binomial(pairs, p), replace=False, shuffle=False)
    v = ((1 + np.sqrt(1 + 8 * k.astype(np.float64))) / 2).astype(np.int64)
    edges = np.stack([k - v * (v - 1) // 2, v], axis=1)  # [m, 2]
    return Graph.from_edges(edges, n, title=f"random G({n}, {p:g}), seed={seed}")
