"""Families of graphs that 1-WL cannot tell apart: small, regular and strongly regular ones, lifts, CSL.

A family is a list of groups; within a group all graphs are pairwise non-isomorphic and have equal 1-WL colors.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from ..common.errors import ParameterError, check_int
from ..graphs import zoo
from ..graphs.graph import Graph, needs_graph
from ..reading.documents import decode_graph6

__all__ = [
    "csl_family",
    "latin_square_graph",
    "lift",
    "regular_family",
    "regular_graphs",
    "small_family",
    "strongly_regular_family",
    "wl_groups",
]

Groups = list[tuple[Graph, ...]]
CSL_SKIPS = (2, 3, 4, 5, 6, 9, 11, 12, 13, 16)  # Murphy et al. 2019: ten non-isomorphic graphs on 41 nodes


def regular_graphs(n: int, r: int) -> tuple[Graph, ...]:
    """All r-regular graphs on n <= 10 nodes, one of each isomorphism class, connected or not.

    Examples
    --------
    >>> [len(regular_graphs(n, 3)) for n in (4, 6, 8, 10)]  # 1, 2, 5, 19 connected ones, and the others
    [1, 2, 6, 21]
    """
    n, r = check_int("n", n, least=1), check_int("r", r, least=0)
    if n > 10:
        raise ParameterError(f"All regular graphs are listed up to 10 nodes, not {n}; use zoo.random_regular for one.")
    zoo.check_regular(n, r)
    return _regular_graphs()[n, r]


@cache
def _regular_graphs() -> dict[tuple[int, int], tuple[Graph, ...]]:
    """By n and r, from a file of all 250 in graph6 (the counts are those of OEIS A005176)."""
    graphs: dict[tuple[int, int], list[Graph]] = {}
    for line in Path(__file__).with_name("regular_graphs.g6").read_text(encoding="ascii").split():
        G = decode_graph6(line)
        n, r = G.num_nodes, int(G.degrees[0])
        same = graphs.setdefault((n, r), [])
        same.append(G.with_title(f"{r}-regular, n={n}, no. {len(same) + 1}"))
    return {key: tuple(same) for key, same in graphs.items()}


def regular_family(max_nodes: int = 10) -> Groups:
    """All regular graphs up to ``max_nodes`` nodes, a group for each n and r with at least two of them.

    Examples
    --------
    >>> sum(len(group) for group in regular_family(8))
    26
    """
    max_nodes = check_int("max_nodes", max_nodes, least=1)
    groups = [regular_graphs(n, r) for n in range(1, max_nodes + 1) for r in range(n) if n * r % 2 == 0]
    return [group for group in groups if len(group) > 1]


def small_family(max_nodes: int = 7) -> Groups:
    """All connected graphs up to 7 nodes that share their 1-WL colors with another one (networkx's graph atlas).

    Examples
    --------
    >>> [[G.title for G in group] for group in small_family(6)]
    [['atlas 128', 'atlas 130'], ['atlas 152', 'atlas 154'], ['atlas 174', 'atlas 175']]
    """
    import networkx as nx

    max_nodes = check_int("max_nodes", max_nodes, least=1)
    if max_nodes > 7:
        raise ParameterError(
            f"The atlas holds all graphs up to 7 nodes, not {max_nodes}; "
            "use regular_family, or a file of your own pairs."
        )
    graphs = [
        Graph.from_networkx(A).with_title(f"atlas {number}")
        for number, A in enumerate(nx.graph_atlas_g())
        if 0 < len(A) <= max_nodes and nx.is_connected(A)
    ]
    return wl_groups(graphs)


def wl_groups(graphs: Sequence[Graph]) -> Groups:
    """The graphs whose 1-WL colors agree with another's, group by group.

    Examples
    --------
    >>> [len(group) for group in wl_groups([zoo.hexagon(), zoo.two_triangles(), zoo.petersen()])]
    [2]
    """
    from ..expressive.refinement import NO_TARGETS, Instances

    if not graphs:
        return []
    run = Instances.build([(G, NO_TARGETS) for G in graphs])
    *_, (classes, _) = run.refine()
    groups: dict[bytes, list[Graph]] = {}
    for G, part in zip(graphs, np.split(classes, run.start[1:-1]), strict=True):
        groups.setdefault(np.sort(part).tobytes(), []).append(G)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def strongly_regular_family() -> Groups:
    """Strongly regular graphs with equal parameters: (16,6,2,2), (25,12,5,6) and (28,12,6,4).

    Shrikhande and rook; the Paley graph of order 25, which is the graph of the cyclic Latin square, and that of
    another square; T(8) and the three Chang graphs.

    Examples
    --------
    >>> [len(group) for group in strongly_regular_family()]
    [2, 2, 4]
    """
    square = np.array([[0, 1, 2, 3, 4], [1, 0, 3, 4, 2], [2, 4, 0, 1, 3], [3, 2, 4, 0, 1], [4, 3, 1, 2, 0]])
    latin = latin_square_graph(square, "Latin square graph of order 5")
    return [(zoo.shrikhande(), zoo.rook(4)), (zoo.paley(25), latin), (zoo.triangular(8), *map(zoo.chang, (1, 2, 3)))]


def latin_square_graph(square: ArrayLike, title: str = "Latin square graph") -> Graph:
    """The graph of a Latin square: two cells are linked when they share a row, a column or a symbol.

    Strongly regular (k², 3(k-1), k, 6) for a square of order k.

    Examples
    --------
    >>> latin_square_graph([[0, 1, 2], [1, 2, 0], [2, 0, 1]]).degrees.tolist()
    [6, 6, 6, 6, 6, 6, 6, 6, 6]
    """
    cells = np.atleast_1d(np.asarray(square))
    k = len(cells)
    if cells.shape != (k, k) or any(
        sorted(line) != sorted(cells[0].tolist()) or len(set(line)) < k for line in [*cells.tolist(), *cells.T.tolist()]
    ):
        raise ParameterError("A Latin square is a k × k array that has the same k symbols in every row and column.")
    row, column = np.divmod(np.arange(k * k), k)
    shared = sum((line[:, None] == line).astype(np.int64) for line in (row, column, cells.ravel()))
    return Graph.from_edges(np.argwhere(np.triu(shared == 1)), k * k, title=title)


def csl_family() -> Groups:
    """The ten circular skip link graphs on 41 nodes of Murphy et al. (2019).

    Examples
    --------
    >>> [len(group) for group in csl_family()]
    [10]
    """
    return [tuple(zoo.csl(41, skip) for skip in CSL_SKIPS)]


def lift(base: Graph, copies: int, seed: int = 0) -> Graph:
    """A random lift: each node becomes ``copies`` nodes, each edge a random matching between its ends' copies.

    All lifts of one graph have the same 1-WL colors: copies of a node see the same numbers of copies of every other.
    So two lifts of an irregular graph are irregular graphs that 1-WL cannot tell apart. Node (v, i) is v·copies + i.

    Examples
    --------
    >>> lift(zoo.figure5()[0], copies=3, seed=1).degrees.tolist()
    [2, 2, 2, 1, 1, 1, 3, 3, 3, 1, 1, 1, 1, 1, 1]
    """
    needs_graph("lift", base)
    copies, seed = check_int("copies", copies, least=1, most=100_000), check_int("seed", seed, least=0)
    rng = np.random.default_rng(seed)
    edges = [
        np.stack([u * copies + np.arange(copies), v * copies + rng.permutation(copies)], axis=1)
        for u, v in base.edges.tolist()
    ]
    name = base.title or f"a graph of {base.num_nodes} nodes"
    return Graph.from_edges(
        np.concatenate([np.zeros((0, 2), dtype=np.int64), *edges]),
        base.num_nodes * copies,
        title=f"{copies}-lift of {name}, seed={seed}",
    )
