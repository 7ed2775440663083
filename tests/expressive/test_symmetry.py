"""Symmetry: maps of nodes that anyone can check, and the names of graphs that hide a difference."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.expressive.methods import METHODS
from degnn_explore.expressive.symmetry import match_sets, set_map

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
    match = match_sets((G, nodes(*S)), (H, nodes(*T)), cut)
    cuts = [X.cut(R) if cut else X for X, R in ((G, S), (H, T))]
    there = nx.is_isomorphic(
        *(marked(X, R) for X, R in zip(cuts, (S, T), strict=True)), node_match=lambda a, b: a["target"] == b["target"]
    )
    assert match.kind == ("same" if there else "different")
    if there:
        assert keeps_links(*cuts, match.mapping)
        assert {match.mapping[u] for u in S} == set(T)


@given(graphs_with_targets(9, 3), st.integers(0, 99), st.booleans())
def test_a_renumbered_set_is_mapped(case, seed: int, cut: bool) -> None:
    G, S = case
    H, new = shuffled(G, seed)
    match = match_sets((G, nodes(*S)), (H, new[S]), cut)
    assert match.kind == "same" and {match.mapping[u] for u in S} == set(new[S].tolist())


@pytest.mark.parametrize(
    ("a", "b", "blind", "degree", "family"),
    [
        ((SHRIKHANDE, nodes(0)), (ROOK, nodes(0)), "DE-LP", 6, "strongly regular (16, 6, 2, 2)"),
        ((SHRIKHANDE, nodes(0, 1)), (ROOK, nodes(0, 1)), "2-WL", 6, "strongly regular (16, 6, 2, 2)"),
        ((FIG1, nodes(2)), (FIG1, nodes(3)), "1-WL", 3, ""),
        ((de.zoo.chang(1), nodes(0)), (de.zoo.chang(1), nodes(8)), "DE-SPD", 12, "strongly regular (28, 12, 6, 4)"),
        ((de.zoo.domino(), nodes(0, 3)), (de.zoo.bridged_triangles(), nodes(0, 3)), "DE-SPD", None, ""),
    ],
)
def test_what_a_method_is_blind_to_has_a_name(a, b, blind: str, degree: int | None, family: str) -> None:
    match = match_sets(a, b)
    assert not de.distinguish(a, b, blind).different
    assert (match.kind, match.degree, match.family) == ("different", degree, family)
    assert match_sets(a, b, differ=True) == match  # what is known need not be searched


@given(graphs(7), graphs(7), st.data())
@settings(max_examples=60)
def test_no_method_separates_what_a_symmetry_swaps_and_names_are_true(G: de.Graph, H: de.Graph, data) -> None:
    S, T = (nodes(data.draw(st.integers(0, X.num_nodes - 1))) for X in (G, H))
    match = match_sets((G, S), (H, T))
    if match.kind == "same":
        assert not any(de.distinguish((G, S), (H, T), method).different for method in METHODS)
    if match.degree is not None:
        assert {*G.degrees.tolist(), *H.degrees.tolist()} == {match.degree}
    if match.family:
        assert de.zoo.intersection_array(G) == de.zoo.intersection_array(H)


def test_what_is_too_large_is_not_decided() -> None:
    ring = de.zoo.cycle(2_001)
    assert match_sets((ring, nodes(0)), (ring, nodes(5))).kind == "undecided"
    assert set_map(SHRIKHANDE, nodes(0), ROOK, nodes(0), budget=3) is None


def test_twins_of_a_real_graph_are_mapped_quickly() -> None:
    authors = de.load("ns")  # 1,461 nodes: all stay where they are but the two
    match = match_sets((authors, nodes(357)), (authors, nodes(358)))
    assert match.kind == "same" and match.mapping[357] == 358 and keeps_links(authors, authors, match.mapping)


def test_with_cut_the_edges_inside_a_set_do_not_count() -> None:
    linked, apart = de.zoo.complete(2), de.Graph.from_edges([], 2)
    assert match_sets((linked, nodes(0, 1)), (apart, nodes(0, 1))).kind == "different"
    assert match_sets((linked, nodes(0, 1)), (apart, nodes(0, 1)), cut=True).kind == "same"
