"""The zoo: literal facts about the paper's graphs and the named regular ones."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.graphs import zoo
from degnn_explore.graphs.graph import Graph

DRAWN = {
    "figure1": zoo.figure1(), "figure3 left": zoo.figure3()[0], "figure3 right": zoo.figure3()[1],
    "figure5 left": zoo.figure5()[0], "figure5 right": zoo.figure5()[1], "shrikhande": zoo.shrikhande(),
    "rook 3": zoo.rook(3), "rook 4": zoo.rook(4), "rook 6": zoo.rook(6), "two triangles": zoo.two_triangles(),
    "hexagon": zoo.hexagon(), "domino": zoo.domino(), "bridged triangles": zoo.bridged_triangles(),
    "petersen": zoo.petersen(), "desargues": zoo.desargues(), "dodecahedron": zoo.dodecahedron(),
    "csl": zoo.csl(11, 3), "complete": zoo.complete(6), "triangular": zoo.triangular(8), "chang": zoo.chang(1),
    "paley": zoo.paley(13),
}  # fmt: skip


def is_same(a: Graph, b: nx.Graph) -> bool:
    return nx.is_isomorphic(a.to_networkx(), b)


def test_figure1_is_the_graph_of_the_design() -> None:
    G = zoo.figure1()
    assert G.edges.tolist() == [[0, 1], [0, 6], [0, 7], [1, 3], [1, 7], [2, 4], [2, 5], [2, 7], [3, 4], [3, 6], [4, 5],
                                [5, 6]]  # fmt: skip
    assert G.names == ("v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7")
    assert (G.degrees == 3).all()


def test_figure1_is_drawn_as_in_the_paper() -> None:
    place = dict(zip(zoo.figure1().names, zoo.figure1().positions, strict=True))
    x = {name: p[0] for name, p in place.items()}
    y = {name: p[1] for name, p in place.items()}
    assert x["v7"] == min(x.values())
    assert x["v2"] == max(x.values())
    assert x["v0"] < x["v6"] < x["v5"]
    assert x["v1"] < x["v3"] < x["v4"]
    assert {y["v0"], y["v6"], y["v5"]} == {max(y.values())}
    assert {y["v1"], y["v3"], y["v4"]} == {min(y.values())}


def test_figure1_has_three_kinds_of_nodes() -> None:
    plain = zoo.figure1().to_networkx()

    def alike(u: int, v: int) -> bool:
        marked = [plain.copy(), plain.copy()]
        for graph, node in zip(marked, (u, v), strict=True):
            graph.nodes[node]["target"] = True
        return nx.is_isomorphic(*marked, node_match=lambda a, b: a.get("target") == b.get("target"))

    assert [v for v in range(8) if alike(0, v)] == [0, 1, 4, 5]
    assert [v for v in range(8) if alike(2, v)] == [2, 7]
    assert [v for v in range(8) if alike(3, v)] == [3, 6]


def test_figure3_has_cubic_graphs_with_equal_shells_around_node_0() -> None:
    left, right = zoo.figure3()
    for graph, name, linked in ((left, "v2", 1), (right, "v3", 0)):
        assert is_same(graph, zoo.figure1().to_networkx())
        assert graph.names[0] == name
        distance = nx.single_source_shortest_path_length(graph.to_networkx(), 0)
        assert np.bincount(list(distance.values())).tolist() == [1, 3, 4]
        assert graph.has_edges(list(combinations(graph.neighbors(0).tolist(), 2))).sum() == linked


def test_figure5_has_the_trees_of_the_design() -> None:
    left, right = zoo.figure5()
    assert left.edges.tolist() == [[0, 1], [0, 2], [2, 3], [2, 4]]
    assert right.edges.tolist() == [[0, 1], [0, 3], [1, 2], [3, 4]]


def test_domino_and_bridged_triangles_match_their_graph6() -> None:
    assert sorted(nx.from_graph6_bytes(b"ElEG").edges) == [tuple(e) for e in zoo.domino().edges.tolist()]
    assert sorted(nx.from_graph6_bytes(b"E{CW").edges) == [tuple(e) for e in zoo.bridged_triangles().edges.tolist()]
    assert zoo.domino().has_edges([(0, 3)]).all()
    assert zoo.bridged_triangles().has_edges([(0, 3)]).all()


def test_two_triangles_and_hexagon_are_both_2_regular() -> None:
    assert zoo.two_triangles().degrees.tolist() == zoo.hexagon().degrees.tolist() == [2] * 6
    assert is_same(zoo.two_triangles(), nx.disjoint_union(nx.complete_graph(3), nx.complete_graph(3)))
    assert is_same(zoo.hexagon(), nx.cycle_graph(6))


@pytest.mark.parametrize(("graph", "known"), [
    (zoo.cycle(7), nx.cycle_graph(7)),
    (zoo.complete(1), nx.complete_graph(1)),
    (zoo.complete(5), nx.complete_graph(5)),
    (zoo.petersen(), nx.petersen_graph()),
    (zoo.desargues(), nx.desargues_graph()),
    (zoo.dodecahedron(), nx.dodecahedral_graph()),
    (zoo.csl(11, 4), nx.circulant_graph(11, [1, 4])),
    (zoo.rook(4), nx.line_graph(nx.complete_bipartite_graph(4, 4))),
    (zoo.triangular(6), nx.line_graph(nx.complete_graph(6))),
    (zoo.paley(9), nx.cartesian_product(nx.complete_graph(3), nx.complete_graph(3))),
    (zoo.paley(13), nx.Graph(nx.paley_graph(13))),
])  # fmt: skip
def test_named_graphs_equal_those_of_networkx(graph: Graph, known: nx.Graph) -> None:
    assert is_same(graph, known)


@pytest.mark.parametrize(("graph", "array"), [
    (zoo.shrikhande(), ((6, 3), (1, 2))),
    (zoo.rook(4), ((6, 3), (1, 2))),
    (zoo.rook(2), ((2, 1), (1, 2))),
    (zoo.petersen(), ((3, 2), (1, 1))),
    (zoo.desargues(), ((3, 2, 2, 1, 1), (1, 1, 2, 2, 3))),
    (zoo.dodecahedron(), ((3, 2, 1, 1, 1), (1, 1, 1, 2, 3))),
    (zoo.triangular(8), ((12, 5), (1, 4))),
    (zoo.chang(1), ((12, 5), (1, 4))),
    (zoo.chang(2), ((12, 5), (1, 4))),
    (zoo.chang(3), ((12, 5), (1, 4))),
    (zoo.cycle(7), ((2, 1, 1), (1, 1, 1))),
    (zoo.complete(5), ((4,), (1,))),
    (zoo.complete(1), ((), ())),
    (zoo.paley(25), ((12, 6), (1, 6))),
    (zoo.paley(29), ((14, 7), (1, 7))),
])  # fmt: skip
def test_intersection_arrays(graph: Graph, array: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    assert zoo.intersection_array(graph) == array
    assert zoo.is_distance_regular(graph)


def test_shrikhande_and_rook_are_different_graphs_with_the_same_parameters() -> None:
    shrikhande, rook = zoo.shrikhande(), zoo.rook(4)
    assert shrikhande.num_edges == rook.num_edges == 48
    assert not is_same(shrikhande, rook.to_networkx())
    # The six neighbors of a node form a hexagon in the one, two triangles in the other.
    for graph, around in ((shrikhande, nx.cycle_graph(6)), (rook, zoo.two_triangles().to_networkx())):
        for u in range(16):
            assert nx.is_isomorphic(graph.to_networkx().subgraph(graph.neighbors(u).tolist()), around)


def test_chang_graphs_and_t8_are_pairwise_different() -> None:
    # Counting cliques is enough to tell the four apart, and quick where an isomorphism search is not.
    graphs = [zoo.triangular(8), zoo.chang(1), zoo.chang(2), zoo.chang(3)]
    cliques = [tuple(np.bincount([len(c) for c in nx.find_cliques(G.to_networkx())]).tolist()) for G in graphs]
    assert len(set(cliques)) == 4
    assert all((G.degrees == 12).all() and G.num_nodes == 28 and G.num_edges == 168 for G in graphs)


def test_csl_graphs_are_4_regular_and_differ_by_skip() -> None:
    assert (zoo.csl(41, 2).degrees == 4).all()
    assert (zoo.csl(41, 9).degrees == 4).all()
    assert not is_same(zoo.csl(11, 2), zoo.csl(11, 3).to_networkx())


def test_distance_regularity_agrees_with_networkx_on_random_regular_graphs() -> None:
    for n, r in ((6, 3), (8, 3), (7, 4), (10, 3)):
        for seed in range(10):
            G = zoo.random_regular(n, r, seed)
            assert zoo.is_distance_regular(G) == (
                nx.is_connected(G.to_networkx()) and nx.is_distance_regular(G.to_networkx())
            ), (n, r, seed)


def test_a_graph_without_intersection_array_says_why() -> None:
    with pytest.raises(de.GraphError, match="not connected"):
        zoo.intersection_array(zoo.two_triangles())
    with pytest.raises(de.GraphError, match="not distance-regular: nodes 2 and 3 are both at distance 2 from node 0"):
        zoo.intersection_array(zoo.figure1())
    with pytest.raises(de.GraphError, match="not distance-regular"):
        zoo.intersection_array(Graph.from_edges([(0, 1), (1, 2)]))
    assert not zoo.is_distance_regular(zoo.two_triangles())


@pytest.mark.parametrize(("n", "r", "seed"), [(10, 3, 0), (10, 3, 7), (100, 5, 3), (4, 0, 0)])
def test_random_regular_equals_networkx_and_is_repeatable(n: int, r: int, seed: int) -> None:
    G = zoo.random_regular(n, r, seed)
    known = sorted(tuple(sorted(e)) for e in nx.random_regular_graph(r, n, seed=seed).edges)
    assert [tuple(e) for e in G.edges.tolist()] == known
    assert G.degrees.tolist() == [r] * n
    assert np.array_equal(zoo.random_regular(n, r, seed).edges, G.edges)


def test_random_regular_is_near_uniform_over_cubic_graphs_on_6_nodes() -> None:
    # Of the 70 numbered cubic graphs on 6 nodes 10 are K33 and 60 are prisms.
    k33 = sum(nx.is_bipartite(zoo.random_regular(6, 3, seed).to_networkx()) for seed in range(700))
    assert 60 <= k33 <= 170


def test_erdos_renyi_has_the_right_number_of_edges_everywhere() -> None:
    for p in (0.05, 0.5, 0.95):
        total = np.zeros((12, 12))
        for seed in range(400):
            edges = zoo.erdos_renyi(12, p, seed).edges
            total[edges[:, 0], edges[:, 1]] += 1
        share = total[np.triu_indices(12, 1)] / 400
        assert abs(share.mean() - p) < 0.01
        assert np.abs(share - p).max() < 5 * (p * (1 - p) / 400) ** 0.5


def test_erdos_renyi_extremes() -> None:
    assert zoo.erdos_renyi(1, 0.5).num_edges == 0
    assert zoo.erdos_renyi(50, 0.0).num_edges == 0
    assert zoo.erdos_renyi(50, 1.0).num_edges == 1225
    assert np.array_equal(zoo.erdos_renyi(50, 0.3, 4).edges, zoo.erdos_renyi(50, 0.3, 4).edges)
    big = zoo.erdos_renyi(200_000, 1e-5, 1)
    assert abs(big.num_edges - 200_000) < 3_000
    assert not big.cleaning.self_loops
    assert not big.cleaning.duplicates


@pytest.mark.parametrize(("call", "words"), [
    (lambda: zoo.random_regular(5, 3), "No 3-regular graph has 5 nodes: n·r = 15 must be even; try n=6"),
    (lambda: zoo.random_regular(4, 4), "r must be less than n"),
    (lambda: zoo.random_regular(4.0, 2), "n must be a whole number of at least 1, not 4.0"),
    (lambda: zoo.random_regular(4, 2, seed=-1), "seed must be a whole number of at least 0, not -1"),
    (lambda: zoo.erdos_renyi(4, 1.5), "p must be a probability, 0 to 1, not 1.5"),
    (lambda: zoo.erdos_renyi(4, float("nan")), "p must be a probability, 0 to 1, not nan"),
    (lambda: zoo.erdos_renyi(4, "x"), "p must be a probability, 0 to 1, not 'x'"),
    (lambda: zoo.cycle(2), "n must be a whole number from 3 to 1,000,000, not 2"),
    (lambda: zoo.csl(8, 4), "skip=4 is too long for n=8"),
    (lambda: zoo.csl(8, 1), "skip must be a whole number of at least 2, not 1"),
    (lambda: zoo.rook(1), "m must be a whole number from 2 to 100, not 1"),
    (lambda: zoo.complete(0), "n must be a whole number from 1 to 2,000, not 0"),
    (lambda: zoo.triangular(2), "n must be a whole number from 3 to 100, not 2"),
    (lambda: zoo.chang(4), "i=4 is not known; choose one of 1, 2, 3"),
    (lambda: zoo.paley(7), r"paley\(7\): q must be a prime with remainder 1 modulo 4"),
    (lambda: zoo.paley(21), r"paley\(21\)"),
    (lambda: zoo.paley(4), r"paley\(4\)"),
    (lambda: zoo.paley(81), r"paley\(81\).*other prime powers are not supported"),
    (lambda: zoo.paley(225), r"paley\(225\)"),
    (lambda: zoo.cycle(10**9), "n must be a whole number from 3 to 1,000,000, not 1000000000"),
    (lambda: zoo.csl(10**9, 2), "from 5 to 1,000,000"),
    (lambda: zoo.rook(10**5), "from 2 to 100, not 100000"),
    (lambda: zoo.paley(10**9 + 7), "q must be a whole number from 2 to 5,000"),
    (lambda: zoo.random_regular(10**9, 4), "A 4-regular graph on 1000000000 nodes would take 1,000.0 GB"),
    (lambda: zoo.erdos_renyi(10**6, 0.5), r"1000000 nodes and about 2\.5e\+11 edges would take 37,500\.0 GB"),
    (lambda: zoo.erdos_renyi(10**15, 0.0), "would take 32,000,000.0 GB"),
])  # fmt: skip
def test_bad_parameters_are_named(call, words: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(de.ParameterError, match=words):
        call()


@pytest.mark.parametrize("name", DRAWN)
def test_no_edge_hides_behind_a_node_of_the_drawing(name: str) -> None:
    G = DRAWN[name]
    assert G.title
    position = G.positions
    spread = np.ptp(position, axis=0).max()
    for u, v in G.edges:
        along = position[v] - position[u]
        for w in set(range(G.num_nodes)) - {u, v}:
            share = np.clip(np.dot(position[w] - position[u], along) / np.dot(along, along), 0, 1)
            gap = np.linalg.norm(position[u] + share * along - position[w])
            assert gap > 0.01 * spread, f"edge {G.names[u]}–{G.names[v]} runs behind {G.names[w]}"


def test_every_public_name_of_the_zoo_is_reachable_from_the_package() -> None:
    assert de.zoo is zoo
    assert all(callable(getattr(zoo, name)) for name in zoo.__all__)
