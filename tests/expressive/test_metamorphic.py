"""Changes of a question whose effect on the verdict is known, and an effect for every option."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.expressive.methods import METHODS

from ..strategies import graphs, graphs_with_targets, shuffled

ANY_METHOD = st.sampled_from([*METHODS, de.PageRank(0.5), de.SPD(2)])


def answer(verdict: de.Verdict) -> tuple[bool, int | None]:
    return verdict.different, verdict.layer


@st.composite
def questions(draw: st.DrawFn) -> tuple[tuple[de.Graph, list[int]], tuple[de.Graph, list[int]]]:
    """Two target sets of one size, often in one graph."""
    G, S = draw(graphs_with_targets(max_nodes=7, max_targets=2))
    H = draw(st.just(G) | graphs(max_nodes=7).filter(lambda H: H.num_nodes >= len(S)))
    return (G, S), (H, draw(st.permutations(range(H.num_nodes)))[: len(S)])


@settings(max_examples=60, deadline=None)
@given(questions(), ANY_METHOD, st.integers(0, 100), st.booleans())
def test_other_numbers_or_sides_change_no_verdict(question, method, seed: int, cut: bool) -> None:
    (G, S), (H, T) = question
    expected = answer(de.distinguish((G, S), (H, T), method, cut=cut))
    renumbered, new = shuffled(G, seed)
    assert answer(de.distinguish((renumbered, new[S]), (H, T[::-1]), method, cut=cut)) == expected
    assert answer(de.distinguish((H, T), (G, S), method, cut=cut)) == expected


@settings(max_examples=40, deadline=None)
@given(questions(), graphs(max_nodes=4), st.sampled_from(["1-WL", "DE-SPD", "DE-LP", "DEA-SPD"]))
def test_what_no_path_leads_to_changes_no_verdict(question, stranger: de.Graph, method: str) -> None:
    (G, S), (H, T) = question
    expected = answer(de.distinguish((G, S), (H, T), method))
    assert (
        answer(de.distinguish((de.disjoint_union([G, stranger]), S), (de.disjoint_union([H, stranger]), T), method))
        == expected
    )


@settings(max_examples=40, deadline=None)
@given(questions(), ANY_METHOD, st.integers(0, 4))
def test_fewer_layers_see_the_same_first_difference_or_none(question, method, layers: int) -> None:
    full = answer(de.distinguish(*question, method))
    seen = full[1] is not None and full[1] <= layers
    assert answer(de.distinguish(*question, method, layers=layers)) == (full if seen else (False, None))


@settings(max_examples=40, deadline=None)
@given(questions())
def test_more_distances_and_more_hops_never_see_less(question) -> None:
    """1-WL ≤ DE with truncated distances ≤ DE with all of them; more hops never see less."""
    plain, truncated, full = (de.distinguish(*question, m).different for m in ("1-WL", de.SPD(1), "DE-SPD"))
    assert plain <= truncated <= full
    layers = [de.distinguish(*question, "DEA-SPD", hops=K).layer for K in (1, 2, 3)]
    for fewer, more in pairwise(layers):
        assert fewer is None or (more is not None and more <= fewer)


@pytest.mark.parametrize(
    ("a", "b", "method", "option"),
    [
        ((de.zoo.domino(), [0, 3]), (de.zoo.bridged_triangles(), [0, 3]), "DE-SPD", {"cut": True}),
        ((de.zoo.figure1(), 2), (de.zoo.figure1(), 3), "DE-SPD", {"layers": 1}),
        ((de.zoo.random_regular(320, 3, 0), 0), (de.zoo.random_regular(320, 3, 1), 0), "DEA-SPD", {"hops": 3}),
        (de.zoo.shrikhande(), de.zoo.rook(4), "DE-SPD", {"order": "edges"}),
        (de.zoo.shrikhande(), de.zoo.rook(4), "DE-SPD", {"order": 2}),
        (
            (de.zoo.hexagon().with_attributes(np.arange(6.0)), 0),
            (de.zoo.hexagon().with_attributes(np.arange(6.0)), 1),
            "1-WL",
            {"attributes": True},
        ),
    ],
)
def test_every_option_has_an_effect(a, b, method: str, option: dict) -> None:
    assert answer(de.distinguish(a, b, method)) != answer(de.distinguish(a, b, method, **option))
