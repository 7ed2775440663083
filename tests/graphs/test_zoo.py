"""The zoo: facts about the paper's graphs and the named regular ones, random graphs, and how they are drawn."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.graphs import zoo
from degnn_explore.graphs.graph import Graph

FLIP, TURN, SWAP = np.diag([-1, 1]), -np.eye(2), np.eye(2)[::-1]
DRAWN = {  # a graph, and a reflection or turn that leaves its drawing as it is
    "figure1": (zoo.figure1(), FLIP), "figure1, turned": (zoo.figure1(), TURN), "shrikhande": (zoo.shrikhande(), TURN),
    "rook 3": (zoo.rook(3), SWAP), "rook 4": (zoo.rook(4), SWAP), "rook 6": (zoo.rook(6), SWAP),
    "two triangles": (zoo.two_triangles(), FLIP), "hexagon": (zoo.hexagon(), TURN), "domino": (zoo.domino(), FLIP),
    "domino, turned": (zoo.domino(), TURN), "bridged triangles": (zoo.bridged_triangles(), FLIP),
    "bridged triangles, turned": (zoo.bridged_triangles(), TURN), "petersen": (zoo.petersen(), FLIP),
    "desargues": (zoo.desargues(), TURN), "dodecahedron": (zoo.dodecahedron(), FLIP), "csl": (zoo.csl(11, 3), FLIP),
    "complete": (zoo.complete(6), TURN), "triangular": (zoo.triangular(8), TURN), "chang": (zoo.chang(1), TURN),
    "paley": (zoo.paley(13), FLIP),
}  # fmt: skip
RINGS = ("shrikhande", "petersen", "desargues", "dodecahedron", "csl", "complete", "triangular", "chang", "paley")
TREES = dict(zip(("figure5 left", "figure5 right"), zoo.figure5(), strict=True))


def is_same(a: Graph, b: nx.Graph) -> bool:
    return nx.is_isomorphic(a.to_networkx(), b)


# ---- which graphs they are -------------------------------------------------------------------------------


@pytest.mark.parametrize(("graph", "edges"), [
    (zoo.figure1(), "01 06 07 13 17 24 25 27 34 36 45 56"),
    (zoo.figure5()[0], "01 02 23 24"),
    (zoo.figure5()[1], "01 03 12 34"),
    (zoo.domino(), " ".join(f"{u}{v}" for u, v in sorted(nx.from_graph6_bytes(b"ElEG").edges))),
    (zoo.bridged_triangles(), " ".join(f"{u}{v}" for u, v in sorted(nx.from_graph6_bytes(b"E{CW").edges))),
    (zoo.two_triangles(), "01 02 12 34 35 45"),
])  # fmt: skip
def test_small_graphs_are_those_of_the_design(graph: Graph, edges: str) -> None:
    assert [f"{u}{v}" for u, v in graph.edges] == edges.split()
    numbered = graph.title == "two triangles"
    assert graph.names == tuple(f"{v}" if numbered else f"v{v}" for v in range(graph.num_nodes))


def test_figure3_has_cubic_graphs_with_equal_shells_around_node_0() -> None:
    for graph, target, linked in zip(zoo.figure3(), ("v2", "v3"), (1, 0), strict=True):
        assert is_same(graph, zoo.figure1().to_networkx())
        assert graph.names[0] == target and graph.title.endswith(target)
        distance = nx.single_source_shortest_path_length(graph.to_networkx(), 0)
        assert np.bincount(list(distance.values())).tolist() == [1, 3, 4]
        assert graph.has_edges(list(combinations(graph.neighbors(0).tolist(), 2))).sum() == linked


@pytest.mark.parametrize(("graph", "known"), [
    (zoo.cycle(3), nx.cycle_graph(3)),
    (zoo.hexagon(), nx.cycle_graph(6)),
    (zoo.complete(1), nx.complete_graph(1)),
    (zoo.complete(5), nx.complete_graph(5)),
    (zoo.petersen(), nx.petersen_graph()),
    (zoo.desargues(), nx.desargues_graph()),
    (zoo.dodecahedron(), nx.dodecahedral_graph()),
    (zoo.csl(5, 2), nx.circulant_graph(5, [1, 2])),
    (zoo.csl(11, 4), nx.circulant_graph(11, [1, 4])),
    (zoo.rook(4), nx.line_graph(nx.complete_bipartite_graph(4, 4))),
    (zoo.triangular(3), nx.complete_graph(3)),
    (zoo.triangular(6), nx.line_graph(nx.complete_graph(6))),
    (zoo.paley(9), nx.cartesian_product(nx.complete_graph(3), nx.complete_graph(3))),
    (zoo.paley(13), nx.Graph(nx.paley_graph(13))),
])  # fmt: skip
def test_named_graphs_equal_those_of_networkx(graph: Graph, known: nx.Graph) -> None:
    assert is_same(graph, known)


@pytest.mark.parametrize(("graph", "array"), [
    (zoo.shrikhande(), ((6, 3), (1, 2))),
    (zoo.rook(2), ((2, 1), (1, 2))),
    (zoo.rook(4), ((6, 3), (1, 2))),
    (zoo.desargues(), ((3, 2, 2, 1, 1), (1, 1, 2, 2, 3))),
    (zoo.triangular(8), ((12, 5), (1, 4))),
    *[(zoo.chang(i), ((12, 5), (1, 4))) for i in (1, 2, 3)],
    (zoo.cycle(7), ((2, 1, 1), (1, 1, 1))),
    (zoo.complete(1), ((), ())),
    (zoo.paley(25), ((12, 6), (1, 6))),
    (zoo.paley(29), ((14, 7), (1, 7))),
])  # fmt: skip
def test_intersection_arrays(graph: Graph, array: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    assert zoo.intersection_array(graph) == array


def test_graphs_with_the_same_array_differ() -> None:
    """Around a node of Shrikhande's graph is a hexagon, around one of the rook's two triangles."""
    for graph, around in ((zoo.shrikhande(), nx.cycle_graph(6)), (zoo.rook(4), zoo.two_triangles().to_networkx())):
        for u in range(16):
            assert nx.is_isomorphic(graph.to_networkx().subgraph(graph.neighbors(u).tolist()), around)
    graphs = [zoo.triangular(8), zoo.chang(1), zoo.chang(2), zoo.chang(3)]
    cliques = [tuple(np.bincount([len(c) for c in nx.find_cliques(G.to_networkx())]).tolist()) for G in graphs]
    assert len(set(cliques)) == 4  # quick where an isomorphism search is not


def test_distance_regularity_agrees_with_networkx_on_random_regular_graphs() -> None:
    for n, r in ((6, 3), (8, 3), (7, 4), (10, 3)):
        for seed in range(10):
            theirs = zoo.random_regular(n, r, seed).to_networkx()
            expected = nx.is_connected(theirs) and nx.is_distance_regular(theirs)
            assert zoo.is_distance_regular(zoo.random_regular(n, r, seed)) == expected, (n, r, seed)


@pytest.mark.parametrize(("graph", "words"), [
    (zoo.two_triangles(), "no path from node 0 to node 3"),
    (zoo.figure1(), "nodes 2 and 3 are both at distance 2 from node 0"),
    (Graph.from_edges([(0, 1), (1, 2)]), "not distance-regular: nodes 0 and 1"),
])  # fmt: skip
def test_a_graph_without_intersection_array_says_why(graph: Graph, words: str) -> None:
    with pytest.raises(de.GraphError, match=words):
        zoo.intersection_array(graph)
    assert not zoo.is_distance_regular(graph)


# ---- random graphs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "r", "seed"), [(10, 3, 0), (10, 3, 7), (100, 5, 3), (4, 0, 0), (4, 3, 0)])
def test_random_regular_graphs_are_those_of_networkx(n: int, r: int, seed: int) -> None:
    G = zoo.random_regular(n, r, seed)
    known = sorted(tuple(sorted(e)) for e in nx.random_regular_graph(r, n, seed=seed).edges)
    assert [tuple(e) for e in G.edges.tolist()] == known
    assert G.degrees.tolist() == [r] * n


@pytest.mark.parametrize("p", [0.05, 0.5, 0.95])
def test_every_pair_is_an_edge_equally_often(p: float) -> None:
    total = np.zeros((12, 12))
    for seed in range(400):
        edges = zoo.erdos_renyi(12, p, seed).edges
        total[edges[:, 0], edges[:, 1]] += 1
    share = total[np.triu_indices(12, 1)] / 400
    assert abs(share.mean() - p) < 0.01
    assert np.abs(share - p).max() < 5 * (p * (1 - p) / 400) ** 0.5


def test_random_graphs_at_the_extremes() -> None:
    assert [zoo.erdos_renyi(n, p).num_edges for n, p in ((1, 0.5), (1, 1), (50, 0.0), (50, 1.0))] == [0, 0, 0, 1225]
    assert np.array_equal(zoo.erdos_renyi(50, 0.3, 4).edges, zoo.erdos_renyi(50, 0.3, 4).edges)
    big = zoo.erdos_renyi(200_000, 1e-5, 1)
    assert abs(big.num_edges - 200_000) < 3_000
    assert not (big.cleaning.self_loops or big.cleaning.duplicates)


# ---- parameters ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("call", "words"), [
    (lambda: zoo.random_regular(5, 3), "n·r = 15 must be even; try n=6"),
    (lambda: zoo.random_regular(4, 4), "r must be less than n"),
    (lambda: zoo.random_regular(0, 0), "at least 1, not 0"),
    (lambda: zoo.random_regular(4, -1), "r must be .* at least 0"),
    (lambda: zoo.random_regular(4, 2, seed=-1), "seed must be .* at least 0"),
    (lambda: zoo.random_regular(10**9, 4), "would take 1,000.0 GB"),
    (lambda: zoo.erdos_renyi(4, 1.5), "p must be a probability"),
    (lambda: zoo.erdos_renyi(4, float("nan")), "p must be a probability"),
    (lambda: zoo.erdos_renyi(4, "x"), "p must be a probability"),
    (lambda: zoo.erdos_renyi(4, 0.5, -1), "seed must be"),
    (lambda: zoo.erdos_renyi(0, 0.5), "n must be"),
    (lambda: zoo.erdos_renyi(10**6, 0.5), r"about 2\.5e\+11 edges would take 37,500\.0 GB"),
    (lambda: zoo.erdos_renyi(10**15, 0.0), "would take 32,000,000.0 GB"),
    (lambda: zoo.cycle(2), "from 3 to 1,000,000, not 2"),
    (lambda: zoo.cycle(10**6 + 1), "from 3 to 1,000,000"),
    (lambda: zoo.csl(4, 2), "from 5 to 1,000,000"),
    (lambda: zoo.csl(8, 4), "skip=4 is too long for n=8"),
    (lambda: zoo.csl(8, 1), "at least 2, not 1"),
    (lambda: zoo.rook(1), "from 2 to 100, not 1"),
    (lambda: zoo.complete(0), "from 1 to 2,000, not 0"),
    (lambda: zoo.triangular(2), "from 3 to 100, not 2"),
    (lambda: zoo.chang(4), "choose one of 1, 2, 3"),
    *[(lambda q=q: zoo.paley(q), rf"paley\({q}\): q must be a prime") for q in (4, 7, 21, 35, 81, 225, 121 * 9)],
    (lambda: zoo.paley(1), "from 2 to 5,000"),
    (lambda: zoo.paley(5_001), "from 2 to 5,000"),
])  # fmt: skip
def test_bad_parameters_are_named(call, words: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(de.ParameterError, match=words):
        call()


# ---- drawings --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*DRAWN, *TREES])
def test_no_edge_hides_behind_a_node_of_the_drawing(name: str) -> None:
    G = DRAWN[name][0] if name in DRAWN else TREES[name]
    assert G.title
    position = G.positions
    spread = np.ptp(position, axis=0).max()
    for u, v in G.edges:
        along = position[v] - position[u]
        for w in set(range(G.num_nodes)) - {u, v}:
            share = np.clip(np.dot(position[w] - position[u], along) / np.dot(along, along), 0, 1)
            gap = np.linalg.norm(position[u] + share * along - position[w])
            assert gap > 0.01 * spread, f"edge {G.names[u]}–{G.names[v]} runs behind {G.names[w]}"


@pytest.mark.parametrize("name", DRAWN)
def test_drawings_are_symmetric(name: str) -> None:
    G, symmetry = DRAWN[name]
    before, after = (sorted(map(tuple, (x + 0.0).round(9).tolist())) for x in (G.positions, G.positions @ symmetry))
    np.testing.assert_allclose(before, after, atol=1e-8)
    if name in RINGS:
        assert np.linalg.norm(G.positions, axis=1).max() == pytest.approx(1)


@pytest.mark.parametrize("name", TREES)
def test_trees_hang_from_their_root(name: str) -> None:
    G = TREES[name]
    depth = nx.single_source_shortest_path_length(G.to_networkx(), 0)
    assert G.positions[:, 1].tolist() == [2 - depth[u] for u in range(G.num_nodes)]
    for u in range(G.num_nodes):
        below = [w for w in G.neighbors(u) if depth[w] > depth[u]]
        assert not below or G.positions[below, 0].mean() == pytest.approx(G.positions[u, 0])


def test_rings_run_clockwise_from_the_top() -> None:
    np.testing.assert_allclose(zoo.ring(4, 2.0), [[0, 2], [2, 0], [0, -2], [-2, 0]], atol=1e-12)
    np.testing.assert_allclose(zoo.ring(4, turn=1), zoo.ring(4)[[1, 2, 3, 0]], atol=1e-12)


def test_figure1_is_drawn_as_in_the_paper() -> None:
    x, y = zoo.figure1().positions.T
    assert x[7] == x.min() and x[2] == x.max()
    assert x[0] < x[6] < x[5] and x[1] < x[3] < x[4]
    assert set(y[[0, 6, 5]]) == {y.max()} and set(y[[1, 3, 4]]) == {y.min()}
