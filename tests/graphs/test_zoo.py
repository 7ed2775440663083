"""The zoo: facts about the paper's graphs and the named regular ones, random graphs, and how they are drawn."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import networkx as nx
import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.graphs import zoo
from degnn_explore.graphs.graph import Graph

FLIP, TURN, SWAP = np.diag([-1, 1]), -np.eye(2), np.eye(2)[::-1]
DRAWN = {  # graphs, and a reflection or turn that leaves their drawings as they are
    "figure1": (zoo.figure1(), FLIP), "shrikhande": (zoo.shrikhande(), TURN), "rook 3": (zoo.rook(3), SWAP),
    "rook 4": (zoo.rook(), SWAP), "rook 6": (zoo.rook(6), SWAP), "two triangles": (zoo.two_triangles(), FLIP),
    "hexagon": (zoo.hexagon(), TURN), "domino": (zoo.domino(), FLIP), "petersen": (zoo.petersen(), FLIP),
    "bridged triangles": (zoo.bridged_triangles(), FLIP), "desargues": (zoo.desargues(), TURN),
    "dodecahedron": (zoo.dodecahedron(), FLIP), "csl": (zoo.csl(11, 3), FLIP), "complete": (zoo.complete(6), TURN),
    "triangular": (zoo.triangular(), TURN), "chang": (zoo.chang(1), TURN), "paley": (zoo.paley(13), FLIP),
}  # fmt: skip
RINGS = "shrikhande petersen desargues dodecahedron csl complete triangular chang paley".split()
TREES = dict(zip(("left tree", "right tree"), zoo.figure5(), strict=True))


# ---- which graphs they are -------------------------------------------------------------------------------


@pytest.mark.parametrize(("graph", "edges"), [
    (zoo.figure1(), "01 06 07 13 17 24 25 27 34 36 45 56"),
    (zoo.figure5()[0], "01 02 23 24"),
    (zoo.figure5()[1], "01 03 12 34"),
    (zoo.domino(), " ".join(f"{u}{v}" for u, v in sorted(nx.from_graph6_bytes(b"ElEG").edges))),
    (zoo.bridged_triangles(), " ".join(f"{u}{v}" for u, v in sorted(nx.from_graph6_bytes(b"E{CW").edges))),
    (zoo.two_triangles(), "01 02 12 34 35 45"),
])  # fmt: skip
def test_small_graphs_are_those_of_the_paper(graph: Graph, edges: str) -> None:
    assert [f"{u}{v}" for u, v in graph.edges] == edges.split()
    letter = "" if graph.title == "two triangles" else "v"
    assert graph.names == tuple(f"{letter}{v}" for v in range(graph.num_nodes))


def test_figure3_has_cubic_graphs_with_equal_shells_around_node_0() -> None:
    for graph, target, linked in zip(zoo.figure3(), ("v2", "v3"), (1, 0), strict=True):
        assert nx.is_isomorphic(graph.to_networkx(), zoo.figure1().to_networkx())
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
    (zoo.rook(2), nx.cycle_graph(4)),
    (zoo.rook(), nx.line_graph(nx.complete_bipartite_graph(4, 4))),
    (zoo.triangular(3), nx.complete_graph(3)),
    (zoo.triangular(6), nx.line_graph(nx.complete_graph(6))),
    (zoo.paley(9), nx.cartesian_product(nx.complete_graph(3), nx.complete_graph(3))),
    *[(zoo.paley(q), nx.Graph(nx.paley_graph(q))) for q in (5, 13, 29)],
])  # fmt: skip
def test_named_graphs_equal_those_of_networkx(graph: Graph, known: nx.Graph) -> None:
    assert nx.is_isomorphic(graph.to_networkx(), known)


def test_graphs_with_the_same_intersection_array_differ() -> None:
    """Around a node of Shrikhande's graph is a hexagon, around one of the rook's two triangles."""
    for graph, around in ((zoo.shrikhande(), nx.cycle_graph(6)), (zoo.rook(), zoo.two_triangles().to_networkx())):
        assert zoo.intersection_array(graph) == ((6, 3), (1, 2))
        for u in range(16):
            assert nx.is_isomorphic(graph.to_networkx().subgraph(graph.neighbors(u).tolist()), around)
    those = [zoo.triangular(), zoo.chang(1), zoo.chang(2), zoo.chang(3)]
    assert {zoo.intersection_array(G) for G in those} == {((12, 5), (1, 4))}
    cliques = [tuple(np.bincount([len(c) for c in nx.find_cliques(G.to_networkx())]).tolist()) for G in those]
    assert len(set(cliques)) == 4  # quick where an isomorphism search is not
    assert those[0].names[:7] == those[1].names[:7] == tuple(f"0-{i}" for i in range(1, 8))


@pytest.mark.parametrize("graph", [
    zoo.desargues(), zoo.dodecahedron(), zoo.cycle(7), zoo.complete(1), zoo.paley(25), zoo.csl(8, 2),
    *[zoo.random_regular(n, r, seed) for n, r in ((6, 3), (8, 3), (7, 4), (10, 3)) for seed in range(8)],
])  # fmt: skip
def test_intersection_arrays_are_those_of_networkx(graph: Graph) -> None:
    theirs = graph.to_networkx()
    regular = nx.is_connected(theirs) and nx.is_distance_regular(theirs)
    assert zoo.is_distance_regular(graph) == regular
    if regular and graph.num_nodes > 1:
        b, c = nx.intersection_array(theirs)
        assert zoo.intersection_array(graph) == (tuple(b), tuple(c))


@pytest.mark.parametrize(("graph", "words"), [
    (zoo.two_triangles(), "no path from node 0 to node 3"),
    (zoo.figure1(), "nodes 2 and 3 are both at distance 2 from node 0, but have 1 and 2 .*nearer.* 1 and 1 further"),
    (Graph.from_edges([(0, 1), (1, 2)]), "nodes 0 and 1 see"),
])  # fmt: skip
def test_a_graph_without_intersection_array_says_why(graph: Graph, words: str) -> None:
    with pytest.raises(de.GraphError, match=words):
        zoo.intersection_array(graph)
    assert not zoo.is_distance_regular(graph)


# ---- random graphs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "r", "seed"), [(10, 3, 0), (10, 3, 7), (100, 5, 3), (1, 0, 0), (4, 3, 0)])
def test_random_regular_graphs_are_those_of_networkx(n: int, r: int, seed: int) -> None:
    G = zoo.random_regular(n, r, seed)
    assert nx.utils.graphs_equal(nx.Graph(G.to_networkx().edges), nx.Graph(nx.random_regular_graph(r, n, seed).edges))
    assert G.degrees.tolist() == [r] * n and str(seed) in G.title
    assert seed or G.digest() == zoo.random_regular(n, r).digest()


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
    again = [zoo.erdos_renyi(50, 0.3, *seed).digest() for seed in ((4,), (4,), (0,), ())]
    assert again[0] == again[1] != again[2] == again[3]
    big = zoo.erdos_renyi(200_000, 1e-5, 1)
    assert abs(big.num_edges - 200_000) < 3_000
    assert not (big.cleaning.self_loops or big.cleaning.duplicates)


# ---- parameters ------------------------------------------------------------------------------------------


REFUSED: dict[Callable[..., Graph], list[tuple]] = {
    zoo.random_regular: [(5, 3), (4, 4), (0, 0), (4, -1), (4, 2, -1), (10**9, 4)],
    zoo.erdos_renyi: [
        (4, 1.5), (4, -0.1), (4, float("nan")), (4, "x"), (4, 0.5, -1), (0, 0.5), (10**6, 0.5), (10**15, 0)
    ],
    zoo.cycle: [(2,), (10**6 + 1,)],
    zoo.csl: [(4, 2), (8, 4), (9, 5), (8, 1), (10**6 + 1, 2)],
    zoo.complete: [(0,), (2_001,)],
    zoo.rook: [(1,), (101,)],
    zoo.triangular: [(2,), (101,)],
    zoo.chang: [(0,), (4,)],
    zoo.paley: [(q,) for q in (1, 2, 4, 7, 21, 35, 81, 225, 1089, 5_001, 5_009)],
}  # fmt: skip


@pytest.mark.parametrize(("make", "arguments"), [(make, each) for make, those in REFUSED.items() for each in those])
def test_impossible_parameters_are_refused_and_shown(make: Callable[..., Graph], arguments: tuple) -> None:
    with pytest.raises(de.ParameterError) as raised:
        make(*arguments)
    assert any(str(each) in str(raised.value).replace(",", "") for each in arguments)


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
    away = np.linalg.norm((G.positions @ symmetry)[:, None] - G.positions, axis=2)
    image = away.argmin(axis=1)
    assert away.min(axis=1).max() < 1e-9 and len(set(image.tolist())) == G.num_nodes  # each node lands on another
    assert name not in RINGS or np.linalg.norm(G.positions, axis=1).max() == pytest.approx(1)


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
    np.testing.assert_allclose(zoo.cycle(5).positions, zoo.ring(5))
