"""Symmetry: maps of nodes that anyone can check, and the names of graphs that hide a difference."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.expressive import symmetry
from degnn_explore.expressive.methods import METHODS
from degnn_explore.expressive.symmetry import isomorphic, match_sets, set_map

from ..strategies import graphs_with_targets, shuffled
from .slow import as_networkx, questions

FIG1, SHRIKHANDE, ROOK = de.zoo.figure1(), de.zoo.shrikhande(), de.zoo.rook(4)


def nodes(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.int64)


def marked(G: de.Graph, S, cut: bool = False) -> nx.Graph:
    made = as_networkx(G, S, cut)
    nx.set_node_attributes(made, {u: u in S for u in made}, "target")
    return made


@given(questions(), st.booleans())
@settings(max_examples=150)
def test_a_map_is_found_exactly_where_networkx_finds_one(question, cut: bool) -> None:
    (G, S), (H, T) = question
    match = match_sets((G, nodes(*S)), (H, nodes(*T)), cut)
    first, second = marked(G, S, cut), marked(H, T, cut)
    there = nx.is_isomorphic(first, second, node_match=lambda a, b: a["target"] == b["target"])
    assert match.kind == ("same" if there else "different")
    if there:
        moved = nx.relabel_nodes(first, dict(enumerate(match.mapping)))
        assert nx.utils.graphs_equal(nx.Graph(moved.edges), nx.Graph(second.edges))
        assert {match.mapping[u] for u in S} == set(T)
        for method in METHODS:
            assert not de.distinguish((G, S), (H, T), method, cut=cut).different
    else:
        assert (match.mapping == () and len(set_map(G, nodes(*S), H, nodes(*T))) == 0) or cut
    degrees = {d for graph in (first, second) for _, d in graph.degree}
    assert match.degree == (degrees.pop() if len(degrees) == 1 else None)
    assert isomorphic(G, H) == nx.is_isomorphic(G.to_networkx(), H.to_networkx())


@given(graphs_with_targets(9, 3), st.integers(0, 99))
def test_a_renumbered_set_is_mapped_and_what_is_equal_stays_where_it_is(case, seed: int) -> None:
    G, S = case
    H, new = shuffled(G, seed)
    assert isomorphic(G, H) is True
    assert {match_sets((G, nodes(*S)), (H, new[S])).mapping[u] for u in S} == set(new[S].tolist())
    assert set_map(G, nodes(*S), G, nodes(*S)).tolist() == list(range(G.num_nodes))


@pytest.mark.parametrize(
    ("a", "b", "blind", "degree", "family"),
    [
        ((SHRIKHANDE, nodes(0, 1)), (ROOK, nodes(0, 1)), "2-WL", 6, "strongly regular (16, 6, 2, 2)"),
        ((FIG1, nodes(2)), (FIG1, nodes(3)), "1-WL", 3, ""),
        ((de.zoo.cycle(7), nodes(0, 1)), (de.zoo.cycle(7), nodes(0, 2)), "1-WL", 2, "distance-regular {2,1,1;1,1,1}"),
        ((de.zoo.desargues(), nodes(0)), (de.zoo.dodecahedron(), nodes(0)), "1-WL", 3, ""),
        ((de.zoo.domino(), nodes(0, 3)), (de.zoo.bridged_triangles(), nodes(0, 3)), "DE-SPD", None, ""),
    ],
)
def test_what_a_method_is_blind_to_has_a_name(a, b, blind: str, degree, family: str, monkeypatch) -> None:
    match = match_sets(a, b)
    assert not de.distinguish(a, b, blind).different
    assert (match.kind, match.degree) == ("different", degree)
    assert match.family.replace("with intersection array ", "") == family
    monkeypatch.setattr(symmetry, "set_map", None)
    assert match_sets(a, b, differ=True) == match  # what is known is not searched for


def test_what_is_too_large_is_not_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    rings = [((ring := de.zoo.cycle(n)), nodes(0)) for n in (2_000, 2_001)]
    assert [match_sets(ring, ring).kind for ring in rings] == ["same", "undecided"]
    assert match_sets(rings[1], rings[1]).degree == 2
    assert set_map(SHRIKHANDE, nodes(0), ROOK, nodes(0), budget=3) is None is isomorphic(SHRIKHANDE, ROOK, budget=3)
    assert len(set_map(FIG1, nodes(0), FIG1, nodes(0), budget=8)) == 8  # a step for each node
    assert set_map(FIG1, nodes(0), FIG1, nodes(0), budget=7) is None
    for most, named in ((16, True), (15, False)):
        monkeypatch.setattr(symmetry, "MAX_ARRAY", most)
        assert bool(match_sets((SHRIKHANDE, nodes(0)), (ROOK, nodes(0))).family) == named
    ring = de.zoo.cycle(40_000)
    with pytest.raises(de.ParameterError, match=r"two graphs of 40,000 nodes would take 3\.2 GB"):
        isomorphic(ring, ring)


def test_twins_of_a_real_graph_are_mapped_and_all_others_stay() -> None:
    authors = de.load("ns")
    match = match_sets((authors, nodes(357)), (authors, nodes(358)))
    assert {u: v for u, v in enumerate(match.mapping) if u != v} == {357: 358, 358: 357}
