from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.common.progress import Cancelled, watching
from degnn_explore.expressive.methods import AFTERWARDS, METHODS, WHOLE_GRAPHS
from degnn_explore.expressive.two_wl import pair_colors

from ..encodings.test_encodings import slow_distances
from ..strategies import graphs, graphs_with_targets, shuffled
from .test_refinement import slow_colors

FIG1 = de.zoo.figure1()
SHRIKHANDE, ROOK = de.zoo.shrikhande(), de.zoo.rook(4)


def answer(*args, **kwargs) -> tuple[bool, int | None]:
    verdict = de.distinguish(*args, **kwargs)
    return verdict.different, verdict.layer


# ---- the exact answers of the paper --------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "layer"),
    [(2, 3, 2), (7, 6, 2), (0, 2, 3), (1, 7, 3), (4, 3, 2), (0, 5, None), (2, 7, None), (3, 6, None)],
)
def test_figure_1_by_de_1_spd(a: int, b: int, layer: int | None) -> None:
    assert answer((FIG1, a), (FIG1, b), "DE-SPD") == (layer is not None, layer)
    assert answer((FIG1, a), (FIG1, b), "1-WL") == (False, None)


def test_shrikhande_and_rook() -> None:
    for v in (0, 5, 11):
        for method in ("1-WL", "DE-SPD", "DE-LP", "DEA-SPD", "2-WL"):
            assert answer((SHRIKHANDE, 0), (ROOK, v), method) == (False, None)
    assert answer(SHRIKHANDE, ROOK, "DE-SPD", order=1) == (False, None)
    assert answer(SHRIKHANDE, ROOK, "2-WL") == (False, None)
    assert answer(SHRIKHANDE, ROOK, "DE-SPD", order="edges") == (True, 2)
    for S in SHRIKHANDE.edges[::7]:
        assert answer((SHRIKHANDE, S), (ROOK, ROOK.edges[3]), "DE-SPD") == (True, 2)
        assert answer((SHRIKHANDE, S), (ROOK, ROOK.edges[3]), "2-WL") == (False, None)


def test_two_triangles_or_a_hexagon() -> None:
    two, six = de.zoo.two_triangles(), de.zoo.cycle(6)
    assert answer((two, 0), (six, 0), "1-WL") == (False, None)
    assert answer((two, 0), (six, 0), "DE-SPD") == (True, 2)
    assert answer(two, six, "1-WL") == (False, None)
    assert answer(two, six, "DE-SPD") == (True, 2)
    assert answer((two, range(6)), (six, range(6)), "DE-SPD") == (True, 0)  # S = V


def test_figure_5_k_hop_is_not_faster() -> None:
    first, second = de.zoo.figure5()
    assert answer((first, 0), (second, 0), "DE-SPD") == (True, 2)
    assert answer((first, 0), (second, 0), "DEA-SPD", hops=2) == (True, 2)


# ---- against slow, obvious versions ---------------------------------------------------------------


def slow_verdict(first, second, hops: int, layers: int, cut: bool) -> int | None:
    histories = []
    for G, S in (first, second):
        initial = [tuple(sorted(d)) for d in slow_distances(G, S, cut).T.tolist()]
        history = slow_colors(G, initial, hops, layers, S, cut)
        histories.append([Counter(row[v] for v in S) for row in history])
    return next((layer for layer in range(layers + 1) if histories[0][layer] != histories[1][layer]), None)


@given(graphs_with_targets(7, 2), st.data(), st.booleans(), st.integers(1, 3))
def test_sets_equal_the_slow_version(first, data, cut: bool, hops: int) -> None:
    G, S = first
    H = data.draw(graphs(7).filter(lambda H: H.num_nodes >= len(S)))
    T = data.draw(st.permutations(range(H.num_nodes)))[: len(S)]
    slow = slow_verdict((G, S), (H, T), hops, 4, cut)
    assert answer((G, S), (H, T), "DEA-SPD", hops=hops, layers=4, cut=cut) == (slow is not None, slow)


@given(graphs(6), graphs(6), st.integers(1, 2), st.booleans())
@settings(max_examples=60)
def test_whole_graphs_equal_the_slow_version(G: de.Graph, H: de.Graph, order: int, cut: bool) -> None:
    if min(G.num_nodes, H.num_nodes) < order:
        return

    def slow(X: de.Graph) -> list[Counter]:
        bags: list[Counter] = [Counter() for _ in range(4)]
        for S in combinations(range(X.num_nodes), order):
            initial = [tuple(sorted(d)) for d in slow_distances(X, list(S), cut).T.tolist()]
            for layer, row in enumerate(slow_colors(X, initial, 1, 3, list(S), cut)):
                bags[layer][tuple(sorted((row[v] for v in S), key=repr))] += 1
        return bags

    left, right = slow(G), slow(H)
    layer = next((k for k in range(4) if left[k] != right[k]), None)
    assert answer(G, H, "DE-SPD", layers=3, order=order, cut=cut) == (layer is not None, layer)


def slow_folklore(G: de.Graph, layers: int) -> list[list[list]]:
    n = G.num_nodes
    color = [[(u == v, G.has_edge(u, v)) for v in range(n)] for u in range(n)]
    history = [color]
    for _ in range(layers):
        now = history[-1]
        history.append(
            [
                [(now[u][v], tuple(sorted(((now[w][v], now[u][w]) for w in range(n)), key=repr))) for v in range(n)]
                for u in range(n)
            ]
        )
    return history


@given(graphs(5), graphs(5))
@settings(max_examples=60)
def test_2_wl_equals_the_slow_version(G: de.Graph, H: de.Graph) -> None:
    left, right = ([Counter(c for row in layer for c in row) for layer in slow_folklore(X, 2)] for X in (G, H))
    layer = next((k for k in range(3) if left[k] != right[k]), None)
    assert answer(G, H, "2-WL", layers=2) == (layer is not None, layer)


@given(graphs_with_targets(8, 3), st.integers(0, 99), st.booleans())
def test_isomorphic_sets_are_never_told_apart(case, seed: int, cut: bool) -> None:
    G, S = case
    H, new = shuffled(G, seed)
    for method in METHODS:
        assert answer((G, S), (H, new[S]), method, cut=cut) == (False, None)
        assert answer(G, H, method) == (False, None)


def test_landing_probabilities_of_any_length_are_compared() -> None:
    # two long paths from the end: only a walk that has been to the far end and back can tell
    a, b = (de.Graph.from_edges([(i, i + 1) for i in range(n)], num_nodes=15) for n in (12, 14))
    assert answer((a, 0), (b, 0), "DE-LP") == (True, 0)
    assert de.LandingProbability(20).encode(a, 0)[0].tolist() == de.LandingProbability(20).encode(b, 0)[0].tolist()


# ---- bad questions ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "kwargs", "error", "message"),
    [
        (((FIG1, [0, 1]), (FIG1, [2])), {}, de.TargetError, "2 and 1 nodes"),
        (((FIG1, [0]), FIG1), {}, de.TargetError, "one side|One side"),
        (((FIG1, []), (FIG1, [])), {}, de.TargetError, "empty"),
        (((FIG1, 0), (FIG1, 99)), {}, de.TargetError, "Node 99"),
        (((FIG1, 0), 7), {}, de.TargetError, "not 7"),
        (((FIG1, 0), (FIG1, 1)), {"method": "DE-SDP"}, de.ParameterError, "Did you mean 'DE-SPD'"),
        (((FIG1, 0), (FIG1, 1)), {"method": "1-WL", "hops": 2}, de.ParameterError, "option of DEA-SPD"),
        (((FIG1, 0), (FIG1, 1)), {"layers": -1}, de.ParameterError, "-1"),
        (((FIG1, 0), (FIG1, 1)), {"order": 2}, de.ParameterError, "whole graphs"),
        ((FIG1, FIG1), {"order": 9}, de.ParameterError, "no such set"),
        ((FIG1, FIG1), {"order": 0}, de.ParameterError, "order"),
        ((FIG1, FIG1), {"method": "2-WL", "order": 1}, de.ParameterError, "2-WL"),
    ],
)
def test_bad_questions_are_answered_clearly(args, kwargs, error, message: str) -> None:
    with pytest.raises(error, match=message):
        de.distinguish(*args, **kwargs)


def test_limits_are_stated() -> None:
    big, huge = de.zoo.cycle(2_001), de.zoo.cycle(3_000)
    with pytest.raises(
        de.ParameterError, match=r"triples of 3,000 nodes .* about 18 minutes of work; its limit is 10 m"
    ):
        de.distinguish((huge, 0), (huge, 1), "2-WL")
    with pytest.raises(de.ParameterError, match="2,001,000 sets"):
        de.distinguish(big, big, order=2)
    bigger = de.zoo.cycle(3_000)
    with pytest.raises(de.ParameterError, match="limit is 4,096"):
        de.distinguish((bigger, 0), (bigger, 1), "DE-LP")


def test_a_set_event_cancels() -> None:
    stop = threading.Event()
    stop.set()
    for method in METHODS:
        with pytest.raises(Cancelled), watching(stop=stop):
            de.distinguish((FIG1, 2), (FIG1, 7), method)


def test_attributes_count_if_wanted() -> None:
    colored = de.zoo.cycle(6).with_attributes(np.array([[1.0], [0], [0], [0], [0], [0]]))
    assert answer((colored, 0), (colored, 1), "1-WL") == (False, None)
    for method in METHODS:
        assert answer((colored, 0), (colored, 1), method, attributes=True) == (True, 0)


def test_graphs_without_edges_can_be_compared_over_their_edges() -> None:
    none, one = (de.Graph.from_edges(edges, num_nodes=3) for edges in ([], [(0, 1)]))
    assert answer(none, none, order="edges") == (False, None)
    assert de.distinguish(none, one, order="edges").why == "A has no pairs, B has 1 pair."


def test_each_side_has_its_own_attributes() -> None:
    ring = de.zoo.cycle(6)
    a, b = (ring.with_attributes(np.full((6, 1), x)) for x in (0.0, 1.0))
    for method in METHODS:
        assert answer((a, 0), (b, 0), method, attributes=True) == (True, 0)
        assert answer((a, 0), (a, 0), method, attributes=True) == (False, None)
        assert answer((a, 0), (b, 0), method) == (False, None)


@given(graphs_with_targets(6, 3), st.data())
@settings(max_examples=60)
def test_cutting_first_is_the_same_as_cut(first, data) -> None:
    G, S = first
    H = data.draw(graphs(6).filter(lambda H: H.num_nodes >= len(S)))
    T = data.draw(st.permutations(range(H.num_nodes)))[: len(S)]
    for method in METHODS:
        cut = de.distinguish((G, S), (H, T), method, cut=True)
        first = de.distinguish((G.cut(S), S), (H.cut(T), T), method)
        assert replace(cut, why=cut.why.removesuffix(" (Edges inside S are cut.)")) == first


def test_whole_graphs_over_pairs_can_be_cut() -> None:
    linked, apart = de.zoo.complete(2), de.Graph.from_edges([], 2)
    assert answer(linked, apart, order=2) == (True, 0)
    assert answer(linked, apart, order=2, cut=True) == (False, None)


def test_2_wl_looks_at_pairs_inside_s_alone() -> None:
    assert answer((FIG1, 2), (FIG1, 3), "2-WL") == (True, 2)  # pairs of v2 with others differ a layer before


def test_cut_matters_to_methods_without_distances() -> None:
    triangle, edge = de.zoo.cycle(3), de.Graph.from_edges([(0, 1), (1, 2)])
    for method in ("1-WL", "2-WL"):
        assert answer((triangle, [0, 1]), (edge, [0, 1]), method)[0]
        assert answer((de.zoo.complete(2), [0, 1]), (de.Graph.from_edges([], 2), [0, 1]), method, cut=True) == (
            False,
            None,
        )


def test_2_wl_can_be_stopped_in_every_layer() -> None:
    path = de.Graph.from_edges([(i, i + 1) for i in range(40)])
    for layer in range(3):
        stop = threading.Event()
        with watching(stop=stop):
            layers = pair_colors(path, path)
            for _ in range(layer + 1):
                next(layers)
            stop.set()
            with pytest.raises(Cancelled):
                next(layers)


def test_every_method_has_one_name_and_a_title() -> None:
    assert list(METHODS) == ["1-WL", "DE-SPD", "DE-LP", "DEA-SPD", "2-WL"]
    assert list(AFTERWARDS) == ["zero-one", "DRNL", "RWSE"]
    assert [m.title(2, 3) for m in METHODS.values()] == ["1-WL", "DE-2 SPD", "DE-2 LP", "DEA-2, K=3", "2-WL"]
    assert all(METHODS[name].name == name and METHODS[name].what for name in METHODS)
    assert list(WHOLE_GRAPHS) == [
        "1-WL", "2-WL", "DE-1 SPD", "DE-1 LP", "zero-one", "RWSE", "DEA-1, K=2", "DE-2 edges", "DE-2 pairs", "DE-3"
    ]  # fmt: skip
    assert WHOLE_GRAPHS["DEA-1, K=2"].options == {"method": "DEA-SPD", "hops": 2}
    assert WHOLE_GRAPHS["DE-2 edges"].options == {"method": "DE-SPD", "order": "edges"}
    assert WHOLE_GRAPHS["DE-3"].sets(de.zoo.cycle(4)).tolist() == [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]


def test_what_2_wl_takes_is_estimated() -> None:
    two = METHODS["2-WL"]
    assert two.infeasible([400, 400], seconds=3) == "" != two.infeasible([500, 500], seconds=3)
    assert two.infeasible([2_000, 2_000]) == ""
    assert "about 18 minutes of work; its limit is 10 minutes" in two.infeasible([3_000, 3_000])
    assert METHODS["DE-LP"].infeasible([4_000, 96]) == "" != METHODS["DE-LP"].infeasible([4_000, 97])
    assert METHODS["1-WL"].infeasible([10**9, 10**9]) == ""


def test_orders_that_no_graph_can_have() -> None:
    small = de.zoo.cycle(6)
    assert answer(small, de.zoo.two_triangles(), order=5)[0]
    for order, message in (
        (7, "no such set"),
        (10**9, "no such set"),
        ("edge", "order must be"),
        (True, "order must be"),
    ):
        with pytest.raises(de.ParameterError, match=message):
            de.distinguish(small, small, order=order)
    for n in (22, 3_000):
        with pytest.raises(de.ParameterError, match=f"sets or more in a graph of {n} nodes"):
            de.distinguish(de.zoo.cycle(n), de.zoo.cycle(n), order=n // 2)


def test_the_middle_of_a_long_path_costs_its_nodes() -> None:
    """50,000 layers over two copies of 100,000 nodes: 80 GB if every layer were kept."""
    code = """
import json
import numpy as np, degnn_explore as de
from tests.support.memory import peak
n = 100_000
path = de.Graph.from_edges(np.stack([np.arange(n - 1), np.arange(1, n)], axis=1), num_nodes=n)
mirrored, other = (de.distinguish((path, u), (path, 50_000), "1-WL") for u in (49_999, 900))
assert not mirrored.different and other.layer == 901
print(json.dumps([other.why, peak() / 1e9]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    why, gigabytes = json.loads(done.stdout)
    assert gigabytes < 1
    assert why == (
        "Go from v900 to v899 to v898 to … to v3 to v2 to v1 and from v50000 to v49999 to v49998 to … to v49103 to "
        "v49102 to v49101. One neighbor of v1 (v0) has 1 neighbor; v49101 has no such neighbor."
    )
