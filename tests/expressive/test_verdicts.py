"""Verdicts: the paper's exact answers, and every method and option against the definitions in slow.py."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.expressive import methods
from degnn_explore.expressive.methods import AFTERWARDS, METHODS, WHOLE_GRAPHS, method_of
from degnn_explore.expressive.two_wl import pair_colors

from ..strategies import graphs, shuffled
from .slow import Question, first_layer, questions

FIG1, SHRIKHANDE, ROOK = de.zoo.figure1(), de.zoo.shrikhande(), de.zoo.rook(4)
BY_NODES = ["1-WL", "DE-SPD", "DEA-SPD", "DE-LP", "zero-one", "RWSE"]


def answer(*args, **kwargs) -> int | None:
    verdict = de.distinguish(*args, **kwargs)
    assert verdict.different == (verdict.layer is not None)
    return verdict.layer


def with_attributes(question: Question, seed: int) -> Question:
    """Each node of both graphs has one of a few attributes."""
    rng = np.random.default_rng(seed)
    values = np.array([[0.0, 1], [-0.0, 1], [1, 0]])
    same = question[0][0] is question[1][0]
    (G, S), (H, T) = question
    G = G.with_attributes(values[rng.integers(0, 3, G.num_nodes)])
    return (G, S), (G if same else H.with_attributes(values[rng.integers(0, 3, H.num_nodes)]), T)


# ---- the exact answers of the paper; more of them are in tests/golden --------------------


LEFT, RIGHT = (de.zoo.random_regular(320, 3, seed) for seed in (0, 1))


@pytest.mark.parametrize(
    ("a", "b", "options", "layer"),
    [
        *[((LEFT, 0), (RIGHT, 0), {"method": "DEA-SPD", "hops": K}, k) for K, k in [(1, 4), (2, 2), (3, 1), (None, 2)]],
        ((LEFT, 0), (RIGHT, 0), {"hops": 1}, 4),
        *[((SHRIKHANDE, 0), (ROOK, 5), {"method": method}, None) for method in METHODS],
        ((SHRIKHANDE, [0, 1]), (ROOK, [0, 1]), {}, 2),
        (SHRIKHANDE, ROOK, {"method": "2-WL"}, None),
        (SHRIKHANDE, ROOK, {"order": "edges"}, 2),
    ],
)
def test_known_answers(a, b, options: dict, layer: int | None) -> None:
    assert answer(a, b, **options) == layer


# ---- against the definitions ----------------------------------------------------------------------


@given(
    questions(), st.sampled_from([*BY_NODES, "2-WL", "DRNL"]), st.sampled_from([None, None, 0, 1, 2]), st.booleans(),
    st.integers(1, 3), st.booleans(), st.integers(0, 99),
)  # fmt: skip
@settings(max_examples=300)
def test_verdicts_on_target_sets_follow_the_definition(question, method, layers, cut, hops, attributes, seed) -> None:
    if method == "DRNL" and len(question[0][1]) != 2:
        method = "DEA-SPD"
    hops = hops if method == "DEA-SPD" else 1
    question = with_attributes(question, seed)
    expected = first_layer(*question, method, layers=layers, hops=hops, cut=cut, attributes=attributes)
    found = de.distinguish(*question, method, layers, hops, cut, attributes=attributes)
    assert (found.different, found.layer, found.method) == (expected is not None, expected, method)
    assert str(found) == f"{method}: {'same' if expected is None else f'different from layer {expected}'} ({found.why})"


@given(graphs(5), graphs(5), st.sampled_from([*BY_NODES, "2-WL"]), st.sampled_from([None, 1, 2, 3, "edges"]),
       st.sampled_from([None, 0, 1]), st.booleans(), st.booleans(), st.integers(0, 99))  # fmt: skip
@settings(max_examples=200)
def test_verdicts_on_whole_graphs_follow_the_definition(G, H, method, order, layers, cut, attributes, seed) -> None:
    if method in ("1-WL", "2-WL") or (isinstance(order, int) and min(G.num_nodes, H.num_nodes) < order):
        order = None
    (G, _), (H, _) = with_attributes(((G, []), (H, [])), seed)
    options = {"layers": layers, "hops": 2 if method == "DEA-SPD" else 1, "cut": cut, "attributes": attributes}
    expected = first_layer((G, None), (H, None), method, order=order or 1, **options)
    assert answer(G, H, method, order=order, **options) == expected
    if method != "1-WL" and order is None and G.num_nodes < 4:
        expected = first_layer((G, None), (shuffled(G, seed)[0], None), method, **options)
        assert expected is answer(G, shuffled(G, seed)[0], method, **options) is None


def test_walks_of_any_length_count() -> None:
    """Two long paths seen from the end: only a walk to the far end and back can tell."""
    a, b = (de.Graph.from_edges([(i, i + 1) for i in range(n)], num_nodes=15) for n in (12, 14))
    for method in ("DE-LP", "RWSE"):
        verdict = de.distinguish((a, 0), (b, 0), method)
        assert verdict.layer == 0
        assert "12 steps" in verdict.why and "probability" not in verdict.why  # too many steps for a sentence


def test_2_wl_sees_the_distances_of_a_ring_and_shares_the_work() -> None:
    rings = [de.zoo.cycle(n) for n in (200, 90)]
    shares: list[tuple[str, float]] = []
    with de.common.progress.watching(lambda what, share: shares.append((what, share))):
        *_, colors = pair_colors(*rings)
    for ring, pairs in zip(rings, colors, strict=True):
        far = np.abs(np.subtract.outer(*[np.arange(ring.num_nodes)] * 2))
        far = np.minimum(far, ring.num_nodes - far)
        assert len(set(zip(pairs.ravel(), far.ravel(), strict=True))) == far.max() + 1 == len(np.unique(pairs))
    assert not np.isin(*colors).any()
    assert [what for what, _ in shares][:2] == ["2-WL, layer 1", "2-WL, layer 2"]


# ---- methods ---------------------------------------------------------------------------------------


def test_methods_have_the_names_of_the_paper() -> None:
    assert {name: method.title(2, 3) for name, method in METHODS.items()} == {
        "1-WL": "1-WL", "DE-SPD": "DE-2 SPD", "DE-LP": "DE-2 LP", "DEA-SPD": "DEA-2, K=3", "2-WL": "2-WL"
    }  # fmt: skip
    assert {name: each.targets for name, each in AFTERWARDS.items()} == {"zero-one": None, "DRNL": 2, "RWSE": None}
    assert (method_of("1-WL").title(), method_of("DEA-SPD").title()) == ("1-WL", "DEA-1, K=1")
    assert {title: tuple(how.options.values()) for title, how in WHOLE_GRAPHS.items()} == {
        "1-WL": ("1-WL",), "2-WL": ("2-WL",), "DE-1 SPD": ("DE-SPD",), "DE-1 LP": ("DE-LP",), "zero-one": ("zero-one",),
        "RWSE": ("RWSE",), "DEA-1, K=2": ("DEA-SPD", 2), "DE-2 edges": ("DE-SPD", "edges"), "DE-2 pairs": ("DE-SPD", 2),
        "DE-3": ("DE-SPD", 3),
    }  # fmt: skip


def test_an_estimate_says_what_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    two = METHODS["2-WL"]
    for few, many in (([2_400, 2_400], [2_500, 2_500]), ([3_000, 10], [10, 3_100])):  # ten minutes of work
        assert two.infeasible(few) == "" and "10 minutes" in two.infeasible(many)
    assert re.search(r"500 nodes.* 4 seconds .* 3 seconds", two.infeasible([500, 10, 500], seconds=3))
    assert "4,097 steps" in AFTERWARDS["RWSE"].infeasible([4_000, 97]) and not METHODS["DE-LP"].infeasible([4_000, 96])
    monkeypatch.setattr(methods, "MAX_SETS", 10)  # pairs of five nodes
    assert answer(de.zoo.cycle(5), de.zoo.cycle(5), order=2) is None is answer(FIG1, FIG1, order=7)
    for n, order in ((6, 2), (6, 3), (11, 10), (40, 20), (3_000, 1), (3_000, 1_500)):
        with pytest.raises(de.ParameterError, match=f"in a graph of {n} nodes, more than 10"):
            de.distinguish(de.zoo.cycle(n), de.zoo.cycle(n), order=order)
