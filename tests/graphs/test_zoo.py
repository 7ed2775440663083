"""The zoo: facts about the paper's graphs and the named regular ones, random graphs, and how they are drawn."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.graphs import zoo
from degnn_explore.graphs.graph import Graph

FLIP, TURN, SWAP = np.diag([-1, 1]), -np.eye(2), np.eye(2)[::-1]
DRAWN: dict[str, tuple[Callable[[], Graph], np.ndarray]] = {  # and what leaves the drawing as it is
    "figure1": (zoo.figure1, FLIP), "rook 3": (lambda: zoo.rook(3), SWAP), "rook 6": (lambda: zoo.rook(6), SWAP),
    "two triangles": (zoo.two_triangles, FLIP), "domino": (zoo.domino, FLIP),
    "bridged triangles": (zoo.bridged_triangles, FLIP), "shrikhande": (zoo.shrikhande, TURN),
    "petersen": (zoo.petersen, FLIP), "desargues": (zoo.desargues, TURN), "csl": (lambda: zoo.csl(11, 3), FLIP),
    "dodecahedron": (zoo.dodecahedron, FLIP), "complete": (lambda: zoo.complete(6), TURN),
    "triangular": (zoo.triangular, TURN), "chang": (lambda: zoo.chang(1), TURN), "paley": (lambda: zoo.paley(13), FLIP),
}  # fmt: skip
RINGS = list(DRAWN)[list(DRAWN).index("shrikhande") :]
TREES = {"left tree": lambda: zoo.figure5()[0], "right tree": lambda: zoo.figure5()[1]}


# ---- which graphs they are -------------------------------------------------------------------------------


@pytest.mark.parametrize(("make", "known"), [
    (zoo.domino, nx.from_graph6_bytes(b"ElEG")),
    (zoo.bridged_triangles, nx.from_graph6_bytes(b"E{CW")),
    (lambda: zoo.cycle(3), nx.cycle_graph(3)),
    (lambda: zoo.complete(1), nx.complete_graph(1)),  # the smallest that are allowed, too
    (lambda: zoo.complete(5), nx.complete_graph(5)),
    (lambda: zoo.csl(5, 2), nx.complete_graph(5)),
    (lambda: zoo.triangular(3), nx.complete_graph(3)),
    (zoo.petersen, nx.petersen_graph()),
    (zoo.desargues, nx.desargues_graph()),
    (zoo.dodecahedron, nx.dodecahedral_graph()),
    (lambda: zoo.csl(11, 4), nx.circulant_graph(11, [1, 4])),
    (lambda: zoo.rook(2), nx.cycle_graph(4)),
    (zoo.rook, nx.line_graph(nx.complete_bipartite_graph(4, 4))),
    (lambda: zoo.triangular(6), nx.line_graph(nx.complete_graph(6))),
    (lambda: zoo.paley(9), nx.cartesian_product(nx.complete_graph(3), nx.complete_graph(3))),
    *[(lambda q=q: zoo.paley(q), nx.Graph(nx.paley_graph(q))) for q in (5, 29)],
])  # fmt: skip
def test_named_graphs_equal_those_of_networkx(make: Callable[[], Graph], known: nx.Graph) -> None:
    assert nx.is_isomorphic(make().to_networkx(), known)


def test_graphs_with_the_same_intersection_array_differ() -> None:
    """Around a node of Shrikhande's graph is a hexagon, around one of the rook's two triangles."""
    for graph, around in ((zoo.shrikhande(), nx.cycle_graph(6)), (zoo.rook(), zoo.two_triangles().to_networkx())):
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


# ---- random graphs and parameters ------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "r", "seed"), [(10, 3, 0), (10, 3, 7), (1, 0, 0), (4, 3, 0)])
def test_random_regular_graphs_are_those_of_networkx(n: int, r: int, seed: int) -> None:
    G = zoo.random_regular(n, r, seed)
    assert nx.utils.graphs_equal(nx.Graph(G.to_networkx().edges), nx.Graph(nx.random_regular_graph(r, n, seed).edges))
    assert G.degrees.tolist() == [r] * n and str(seed) in G.title
    assert seed or G.digest() == zoo.random_regular(n, r).digest()


@pytest.mark.parametrize("p", [0.05, 0.5, 0.95])
def test_every_pair_is_an_edge_equally_often(p: float) -> None:
    total = sum(zoo.erdos_renyi(12, p, seed).to_scipy().toarray() for seed in range(400))
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


REFUSED: dict[Callable[..., Graph], list[tuple]] = {
    zoo.random_regular: [(5, 3), (4, 4), (0, 0), (4, -1), (4, 2, -1), (10**9, 4)],
    zoo.erdos_renyi: [
        (4, 1.5), (4, -0.1), (4, float("nan")), (4, "x"), (4, 0.5, -1), (0, 0.5), (10**6, 0.5), (10**15, 0)
    ],
    zoo.cycle: [(2,), (10**6 + 1,)],
    zoo.csl: [(4, 2), (8, 4), (8, 1), (10**6 + 1, 2)],
    zoo.complete: [(0,), (2_001,)],
    zoo.rook: [(1,), (101,)],
    zoo.triangular: [(2,), (101,)],
    zoo.chang: [(0,), (4,)],
    zoo.paley: [(q,) for q in (1, 2, 4, 7, 21, 35, 81, 225, 5_009)],
}  # fmt: skip


@pytest.mark.parametrize(("make", "arguments"), [(make, each) for make, those in REFUSED.items() for each in those])
def test_impossible_parameters_are_refused_and_shown(make: Callable[..., Graph], arguments: tuple) -> None:
    with pytest.raises(de.ParameterError) as raised:
        make(*arguments)
    assert any(str(each) in str(raised.value).replace(",", "") for each in arguments)


# ---- drawings --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*DRAWN, *TREES])
def test_no_edge_hides_behind_a_node_of_the_drawing(name: str) -> None:
    G = DRAWN[name][0]() if name in DRAWN else TREES[name]()
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
    make, symmetry = DRAWN[name]
    G = make()
    away = np.linalg.norm((G.positions @ symmetry)[:, None] - G.positions, axis=2)
    image = away.argmin(axis=1)
    assert away.min(axis=1).max() < 1e-9 and len(set(image.tolist())) == G.num_nodes  # each node lands on another
    assert name not in RINGS or np.linalg.norm(G.positions, axis=1).max() == pytest.approx(1)


def test_trees_hang_from_their_root() -> None:
    for tree in zoo.figure5():
        depth = nx.single_source_shortest_path_length(tree.to_networkx(), 0)
        for u, (x, y) in enumerate(tree.positions):
            below = [w for w in tree.neighbors(u) if depth[w] > depth[u]]
            assert y == 2 - depth[u] and (not below or tree.positions[below, 0].mean() == pytest.approx(x))


def test_rings_run_clockwise_from_the_top() -> None:
    np.testing.assert_allclose(zoo.ring(4, 2.0), [[0, 2], [2, 0], [0, -2], [-2, 0]], atol=1e-12)
    np.testing.assert_allclose(zoo.ring(4, turn=1), zoo.ring(4)[[1, 2, 3, 0]], atol=1e-12)
