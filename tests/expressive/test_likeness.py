"""Why two sets are not told apart: a map of nodes that anyone can check, or the name of what a method is blind to."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.expressive.isomorphism import set_map
from degnn_explore.expressive.likeness import likeness
from degnn_explore.expressive.methods import METHODS

from ..strategies import graphs, graphs_with_targets, shuffled

FIG1, SHRIKHANDE, ROOK = de.zoo.figure1(), de.zoo.shrikhande(), de.zoo.rook(4)


def nodes(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.int64)


def marked(G: de.Graph, S) -> nx.Graph:
    made = G.to_networkx()
    nx.set_node_attributes(made, {u: u in set(map(int, S)) for u in made}, "target")
    return made


def keeps_links(G: de.Graph, H: de.Graph, mapping) -> bool:
    to = np.asarray(mapping)
    moved = {tuple(sorted(edge)) for edge in to[G.edges].tolist()}
    return sorted(to) == list(range(H.num_nodes)) and moved == {tuple(sorted(edge)) for edge in H.edges.tolist()}


@given(graphs_with_targets(7, 3), st.data(), st.booleans())
@settings(max_examples=60)
def test_a_map_is_found_exactly_where_networkx_finds_one(case, data, cut: bool) -> None:
    G, S = case
    H = data.draw(graphs(7).filter(lambda H: H.num_nodes >= len(S)))
    T = data.draw(st.permutations(range(H.num_nodes)))[: len(S)]
    found = likeness((G, nodes(*S)), (H, nodes(*T)), cut)
    cuts = [X.cut(R) if cut else X for X, R in ((G, S), (H, T))]
    there = nx.is_isomorphic(
        *(marked(X, R) for X, R in zip(cuts, (S, T), strict=True)), node_match=lambda a, b: a["target"] == b["target"]
    )
    assert found.kind == ("same" if there else "different")
    if there:
        assert keeps_links(*cuts, found.mapping)
        assert {found.mapping[u] for u in S} == set(T)


@given(graphs_with_targets(9, 3), st.integers(0, 99), st.booleans())
def test_a_renumbered_set_is_mapped(case, seed: int, cut: bool) -> None:
    G, S = case
    H, new = shuffled(G, seed)
    found = likeness((G, nodes(*S)), (H, new[S]), cut)
    assert found.kind == "same" and {found.mapping[u] for u in S} == set(new[S].tolist())


def test_the_map_is_told() -> None:
    assert likeness((FIG1, nodes(3)), (FIG1, nodes(6))).why == (
        "an automorphism maps v3 to v6: no method can tell them apart by the graph alone"
    )
    assert likeness((FIG1, nodes(3)), (FIG1, nodes(3))).why == "A and B are the same set"
    hexagon, turned = de.zoo.hexagon(), de.Graph.from_edges([(0, 2), (2, 4), (4, 1), (1, 3), (3, 5), (5, 0)])
    assert likeness((hexagon, nodes(0)), (turned, nodes(4))).why == (
        "the graphs are the same up to names: an isomorphism maps 0 to 4: "
        "no method can tell them apart by the graph alone"
    )


@pytest.mark.parametrize(
    ("a", "b", "method", "reason"),
    [
        ((SHRIKHANDE, nodes(0)), (ROOK, nodes(0)), "DE-SPD", "both graphs are strongly regular (16, 6, 2, 2), so what"),
        ((SHRIKHANDE, nodes(0)), (ROOK, nodes(0)), "DE-LP", "depends on its distance alone (Theorem 3.7)"),
        ((SHRIKHANDE, nodes(0)), (ROOK, nodes(0)), "DEA-SPD", "DEA-1, K=2 cannot see it"),
        ((SHRIKHANDE, nodes(0, 1)), (ROOK, nodes(0, 1)), "2-WL", "the colour of a pair says its distance and no more"),
        ((SHRIKHANDE, nodes(0, 1)), (ROOK, nodes(0, 1)), "1-WL", "both graphs are 6-regular, so all nodes look alike"),
        ((FIG1, nodes(2)), (FIG1, nodes(3)), "1-WL", "the graph is 3-regular"),
        ((de.zoo.chang(1), nodes(0)), (de.zoo.chang(1), nodes(8)), "DE-SPD", "the graph is strongly regular (28, 12,"),
        ((de.zoo.domino(), nodes(0, 3)), (de.zoo.bridged_triangles(), nodes(0, 3)), "DE-SPD", "agree to any depth"),
        ((de.zoo.domino(), nodes(0)), (de.zoo.bridged_triangles(), nodes(0)), "1-WL", "plain subtrees agree"),
    ],
)
def test_what_a_method_is_blind_to_has_a_name(a, b, method: str, reason: str) -> None:
    found = likeness(a, b)
    assert found.kind == "different" and not de.distinguish(a, b, method).different
    assert reason in found.unseen(method)
    assert likeness(a, b, differ=True) == found  # what is known need not be searched


@given(graphs(7), graphs(7), st.data())
@settings(max_examples=60)
def test_the_reason_of_every_failure_is_true(G: de.Graph, H: de.Graph, data) -> None:
    S, T = (nodes(data.draw(st.integers(0, X.num_nodes - 1))) for X in (G, H))
    found = likeness((G, S), (H, T))
    for method in METHODS:
        different = de.distinguish((G, S), (H, T), method).different
        assert not (different and found.kind == "same")
        if not different and "regular" in (said := found.unseen(method)):
            assert {*G.degrees.tolist(), *H.degrees.tolist()} == {found.degree}
            if "-regular, so all" not in said:
                assert de.zoo.intersection_array(G) == de.zoo.intersection_array(H) == found.array


def test_what_is_too_large_is_not_decided() -> None:
    ring = de.zoo.cycle(2_001)
    assert likeness((ring, nodes(0)), (ring, nodes(5))).why == (
        "not decided: above 2,000 nodes no map from one to the other is looked for"
    )
    assert set_map(SHRIKHANDE, nodes(0), ROOK, nodes(0), budget=3) is None


def test_twins_of_a_real_graph_are_mapped_quickly() -> None:
    authors = de.load("ns")  # 1,461 nodes: all stay where they are but the two
    found = likeness((authors, nodes(357)), (authors, nodes(358)))
    assert found.kind == "same" and found.mapping[357] == 358 and keeps_links(authors, authors, found.mapping)


def test_with_cut_the_edges_inside_a_set_do_not_count() -> None:
    linked, apart = de.zoo.complete(2), de.Graph.from_edges([], 2)
    assert likeness((linked, nodes(0, 1)), (apart, nodes(0, 1))).kind == "different"
    found = likeness((linked, nodes(0, 1)), (apart, nodes(0, 1)), cut=True)
    assert found.kind == "same" and "once the edges inside S are cut" in found.why
