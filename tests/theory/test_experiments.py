"""The paper's theorems as experiments: tables against slow counts, an effect for each option, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import ceil, inf, log
from threading import Event
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore import theory, zoo
from degnn_explore.common.progress import Cancelled, watching
from degnn_explore.graphs.distances import distances
from degnn_explore.theory.random_network import RandomNetwork, close_fraction

from ..strategies import graphs
from .test_brec import needs_brec

KITE = de.Graph.from_edges([(0, 1), (0, 2), (1, 2), (2, 3)])
SMALL = {"sizes": [10, 20], "layers": 3, "progress": False}
PAIR = {"pair": theory.look_alikes()["Fig. 3, cubic"]}


def shares(table: pd.DataFrame, **where: Any) -> list[float]:
    for column, value in where.items():
        table = table[table[column] == value]
    return table["undistinguished"].tolist()


def equal_pairs(classes: Any) -> float:
    """The share of pairs that are equal, counted one by one."""
    pairs = list(combinations(classes, 2))
    return sum(a == b for a, b in pairs) / len(pairs)


# ---- Theorem 3.3 and Corollary 3.4 --------------------------------------------------------------


@pytest.mark.parametrize(("r", "hops", "seed", "nodes"), [(3, 1, 0, 35), (4, 1, 7, 40), (3, 2, 3, 20), (2, 1, 1, 40)])
def test_theorem_3_3_counts_all_pairs_of_nodes(r: int, hops: int, seed: int, nodes: int) -> None:
    table = theory.theorem_3_3(**SMALL, r=r, hops=hops, seed=seed, nodes=nodes, epsilon=0.2).table
    for n in SMALL["sizes"]:
        made = [zoo.random_regular(n, r, seed + i) for i in range(ceil(nodes / n))]
        rows = table[table["n"] == n]
        assert shares(rows) == [equal_pairs(row) for row in theory.root_colors(made, 3, hops)[1:].tolist()]
        assert rows["layers"].tolist() == [1, 2, 3]
        assert set(rows["graphs"]) == {len(made)} and set(rows["nodes"]) == {len(made) * n}
        bound = None if r < 3 else ceil(0.7 * log(n) / (hops * log(r - 1)))
        assert rows["boundary"].tolist() == [bound or pd.NA] * 3 and theory.boundary(n, r, hops, 0.2) == bound


def test_the_paper_s_fractions() -> None:
    table = theory.theorem_3_3(sizes=[20, 160], progress=False).table
    assert shares(table, n=160)[:5] == pytest.approx([1, 0.946, 0.645, 0.131, 3.5e-4], rel=0.02)
    assert table.groupby("n")["graphs"].first().tolist() == [500, 63] and len(table) == 12
    assert [theory.boundary(n, 3) for n in theory.PAPER_SIZES] == [2, 3, 3, 4, 5, 5, 6, 6]


def test_corollary_3_4_counts_pairs_of_whole_graphs() -> None:
    result = theory.corollary_3_4([8, 20], hops=1, layers=3, graphs=12, seed=4, epsilon=0.3, progress=False)
    assert "n = 8 are isomorphic" in result.notes[-1]
    for n, rows in result.table.groupby("n"):
        made = [zoo.random_regular(n, 3, 4 + i) for i in range(12)]
        whole = np.sort(theory.root_colors(made, 3).reshape(4, 12, n), axis=2)
        assert shares(rows) == [equal_pairs([tuple(bag) for bag in row]) for row in whole[1:].tolist()]
        same = [nx.is_isomorphic(a.to_networkx(), b.to_networkx()) for a, b in combinations(made, 2)]
        assert set(rows["isomorphic"]) == {sum(same) / len(same)} and (n > 8 or any(same))
        assert (rows["graphs"] == 12).all() and (rows["nodes"] == 12 * n).all()
        assert set(rows["boundary"]) == {theory.boundary(n, 3, 1, 0.3)}
    four = theory.corollary_3_4([20], r=4, hops=2, layers=2, graphs=6, progress=False)
    assert shares(four.table)[-1] == 0 and "4-regular" in four.title and "2-hop" in four.title


def test_notes_say_which_assumptions_do_not_hold() -> None:
    def notes(*sizes: int, **options: Any) -> tuple[str, ...]:
        return theory.theorem_3_3(sizes=sizes, layers=1, nodes=20, progress=False, **options).notes

    assert "n > 90; n = 20, 90 lie" in notes(20, 90, 92)[0] and "all sizes" in notes(20)[0]
    assert notes(92) == () and "n > 2,980" in notes(100, r=4)[0]
    assert "r = 2" in notes(20, r=2)[0] and len(notes(20, r=2)) == 1
    nets = notes(92, networks=["float32", "float64"], hidden=5, activation="relu")
    assert [words in note for note, words in zip(nets, ("float32", "float64"), strict=True)] == [True, True]
    assert "5 relu" in nets[0] and "1e-06" in nets[0] and "1e-13" in nets[1]


FAST = {"sizes": [4], "layers": 1, "progress": False}
RANGES: list[tuple[Callable[..., object], dict[str, Any], str, int, float]] = [  # the least and the largest value
    (theory.theorem_3_3, FAST | {"nodes": 2, "sizes": [2000]}, "r", 0, 1000),
    (theory.theorem_3_3, FAST | {"nodes": 2}, "hops", 1, 1000),
    (theory.theorem_3_3, FAST | {"nodes": 2}, "layers", 1, 1000),
    (theory.theorem_3_3, FAST | {"nodes": 2}, "seed", 0, inf),
    (theory.theorem_3_3, FAST, "nodes", 2, 1_000_000),
    (lambda size: theory.theorem_3_3([size], 1, layers=1, nodes=2, progress=False), {}, "size", 2, 100_000),
    (theory.corollary_3_4, FAST, "graphs", 2, 10_000),
    (theory.boundary, {"r": 3}, "n", 2, inf),
    (theory.boundary, {"n": 9}, "r", 0, inf),
    (RandomNetwork, {}, "hidden", 1, 1000),
    (theory.theorem_2_7, {"pairs": PAIR, "models": ["GCN"], "progress": False}, "seeds", 1, inf),
    (theory.theorem_2_7, {"pairs": PAIR, "models": ["GCN"], "progress": False, "seeds": 1}, "hidden", 1, 1000),
    (theory.lift, {"base": KITE}, "copies", 1, 100_000),
    (theory.walk_counts, {"G": zoo.complete(2)}, "length", 0, 10_000),
    (theory.scoreboard, {"families": {"f": [[KITE, KITE]]}, "methods": "1-WL", "progress": False}, "max_arcs", 1, inf),
    (theory.regular_family, {}, "max_nodes", 1, inf),
    (de.summary, {"graph": KITE}, "max_dist", 1, inf),
    (de.unroll, {"G": KITE, "root": 0, "layers": 0}, "max_nodes", 1, inf),
]


@pytest.mark.parametrize(("function", "others", "option", "least", "most"), RANGES)
def test_the_least_value_of_an_option_is_computed_and_others_are_refused(function, others, option, least, most) -> None:
    function(**others | {option: least})
    for wrong in [least - 1, None, "2", *([most + 1] if most < inf else [])]:
        with pytest.raises(de.ParameterError, match=option):
            function(**others | {option: wrong})


# ---- the random network -------------------------------------------------------------------------


@pytest.mark.parametrize(("activation", "hops", "hidden"), [("tanh", 2, 6), ("relu", 1, 2), ("tanh", 3, 9)])
def test_a_random_network_follows_its_formula(activation: str, hops: int, hidden: int) -> None:
    made, L = [zoo.figure1(), KITE], 2
    net = RandomNetwork(layers=L, hops=hops, hidden=hidden, activation=activation, seed=3)
    W, b = net.weights()
    assert W.shape == (L, hops + 1, max(hidden, hops * L + 1), hidden) and b.shape == (L, hidden)
    steps: list[int] = []
    found = net.run(made, step=steps.append)
    degree = (24 + 8) / 12
    at = 0
    for G in made:
        dist = distances(G, np.arange(G.num_nodes))
        for root in range(G.num_nodes):
            h = (dist[root][:, None] == np.arange(W.shape[2])).astype(float)
            for layer in range(L):
                total = h @ W[layer, 0] + b[layer]
                for k in range(1, hops + 1):
                    total += (dist == k) @ h @ W[layer, k] / (degree * (degree - 1) ** (k - 1))
                h = np.zeros_like(h)
                h[:, :hidden] = np.tanh(total) if activation == "tanh" else np.maximum(total, 0)
                np.testing.assert_allclose(found[layer, at], h[root, :hidden], rtol=1e-10, atol=1e-14)
            at += 1
    assert sum(steps) == at == found.shape[1]


def test_weights_come_from_the_seed_and_are_rounded_to_the_precision() -> None:
    zero, one, single = (
        RandomNetwork(layers=2, hidden=4, **options).run([zoo.hexagon(), KITE])
        for options in ({}, {"seed": 1}, {"dtype": "float32"})
    )
    assert not np.allclose(zero, one)
    assert single.dtype == np.float32 and 0 < np.abs(single - zero).max() < 1e-5
    for activation, size in (("tanh", 0.5**0.5), ("relu", 1)):  # numbers of size 1 stay of size 1
        W, b = RandomNetwork(layers=3, hidden=400, activation=activation).weights()
        assert [W[0].std(), W[1].std() * 20, b.std()] == pytest.approx([size, size, 0.1], rel=0.1)


def test_graphs_of_any_size_run_in_order() -> None:
    """Small graphs run side by side, large balls in parts: the rows are those of each graph alone."""
    made = [zoo.random_regular(n, 3, n) for n in (10, 600, 4, 20)]
    net = RandomNetwork(layers=4, hops=2, hidden=5)
    alone = np.concatenate([net.run([G]) for G in made], axis=1)
    np.testing.assert_allclose(net.run(made), alone, rtol=1e-10)  # all cubic, so the scale is equal
    assert net.run([]).shape == (4, 0, 5)


def test_double_precision_sees_what_exact_colors_see() -> None:
    def found(seed: int = 0, **options: Any) -> pd.DataFrame:
        ask = {"networks": "float32", "nodes": 400, "hidden": 16, "seed": seed} | options
        return theory.theorem_3_3([40], layers=4, progress=False, **ask).table

    table = found(networks=["float64", "float32"])
    exact, double, single = (shares(table, method=method) for method in ("exact colors", "float64", "float32"))
    assert exact == double and all(a >= b for a, b in zip(single, exact, strict=True))
    assert shares(found(activation="relu"))[-2] > exact[-2]  # where all units are linear, differences are missed
    h = RandomNetwork(4, 1, 1, "float32", "tanh", 5).run([zoo.random_regular(40, 3, 5)])
    assert shares(found(5, hidden=1, nodes=40))[4:] == [close_fraction(x, theory.TOLERANCE["float32"]) for x in h]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=9), st.sampled_from([0.13, 0.57, 1.01]))
def test_close_fraction_counts_pairs_within_the_tolerance(points, tolerance: float) -> None:
    h = np.array(points, dtype=float).reshape(-1, 2)
    reach = tolerance * np.linalg.norm(h, axis=1).max(initial=0)
    pairs = [np.linalg.norm(a - b) <= reach for a, b in combinations(h, 2)]
    assert close_fraction(h, tolerance) == pytest.approx(sum(pairs) / len(pairs) if pairs else np.nan, nan_ok=True)


# ---- Theorem 2.7 --------------------------------------------------------------------------------


def test_wlgnns_are_equal_where_1wl_is_and_de_is_not() -> None:
    found = theory.theorem_2_7(seeds=2, progress=False)
    table = found.table
    assert (table["1-WL"] == "same").all() and (table["DE-SPD"] != "same").all()
    assert table["model"].tolist() == ["GCN", "SAGE", "GIN", "DE-GNN-SPD"] * 6
    assert (table["told apart"] == (table["model"] == "DE-GNN-SPD")).all()
    assert (table["told apart"] == (table["difference"] > 1e-5)).all()
    assert table.groupby("pair", sort=False)["p"].first().tolist() == [1, 1, 1, 1, 1, 2]
    assert "2 random networks of 4 layers and 64 units" in found.notes[0]


def test_options_of_theorem_2_7_change_the_networks() -> None:
    def gap(**options: Any) -> float:
        ask = {"models": ["DE-GNN-SPD"], "layers": 2, "hidden": 8, "seeds": 1, "progress": False}
        return float(theory.theorem_2_7(PAIR, **(ask | options)).table["difference"].iloc[0])

    assert gap() == gap() and len({gap(), gap(layers=3), gap(hidden=9)}) == 3
    gaps = [gap(seeds=n) for n in (1, 2, 8)]  # more networks can only find a larger difference, and do
    assert gaps == sorted(gaps) and gaps[0] < gaps[2]
    table = theory.theorem_2_7(PAIR, ["DE-GNN-SPD"], layers=1, seeds=1, progress=False).table
    assert table.loc[0, "DE-SPD"] == "same" and not table.loc[0, "told apart"]  # they differ from layer 2 on
    sides = ((zoo.domino(), [0, 3]), (zoo.bridged_triangles(), [0, 3]))  # these only when their edge is cut
    table = theory.theorem_2_7({"pair": sides}, ["DE-GNN-SPD"], seeds=1, progress=False).table
    assert table.loc[0, ["1-WL", "DE-SPD", "told apart"]].tolist() == ["same", "layer 0", True]


@given(graphs(max_nodes=8))
def test_the_equitable_partition_is_equitable_and_the_coarsest(G: de.Graph) -> None:
    cell, counts = theory.equitable_partition(G)
    for v in range(G.num_nodes):
        assert np.bincount(cell[G.neighbors(v)], minlength=len(counts)).tolist() == counts[cell[v]].tolist()
    colors = de.colors(G)[-1].tolist()
    assert cell.tolist() == [list(dict.fromkeys(colors)).index(color) for color in colors]


# ---- Theorem 3.7, Corollary 3.8, S = V ----------------------------------------------------------


def test_distance_regular_graphs() -> None:
    found = theory.theorem_3_7()
    same, other = found.table.iloc[:5], found.table.loc["Desargues, dodecahedron"]
    assert len(found.table) == 6
    assert same[["same array", "same walk counts", "distance = walk profile", "nodes alike"]].all(axis=None)
    assert (other["first array"], other["second array"]) == ("{3,2,2,1,1;1,1,2,2,3}", "{3,2,1,1,1;1,1,1,2,3}")
    assert other["nodes alike"] and not other[["same array", "same walk counts"]].any()
    assert len(found.notes) == 1 and found.notes[0].startswith("Desargues, dodecahedron")
    for length, different in ((0, False), (2, False), (3, True)):  # there are nodes at distance 3, and one walk to each
        table = theory.theorem_3_7({"mine": (zoo.cycle(9), zoo.cycle(9))}, length=length).table
        assert table.index.tolist() == ["mine"] and table["distance = walk profile"].tolist() == [different]


@pytest.mark.parametrize(
    "G", [zoo.shrikhande(), zoo.chang(2), zoo.desargues(), zoo.dodecahedron(), zoo.complete(2), zoo.complete(1)]
)
def test_walk_counts_are_powers_of_the_adjacency_matrix(G: de.Graph) -> None:
    table = theory.walk_counts(G, 7).table.set_index(["distance", "length"])
    A, far = G.to_scipy().toarray().astype(int), distances(G, np.arange(G.num_nodes))
    assert len(table) == 8 * (far.max() + 1)
    for (j, length), row in table.iterrows():
        assert set(np.linalg.matrix_power(A, length)[far == j].tolist()) == {row["walks"]}
        assert row["walks"] == row["recurrence"]
        assert row["probability"] == pytest.approx(row["walks"] / max(G.degrees[0], 1) ** length)


def test_walks_are_counted_up_to_8_steps_or_numbers_of_62_bits() -> None:
    assert theory.walk_counts(zoo.petersen()).table["length"].max() == 8
    assert theory.walk_counts(zoo.cycle(5), 61).table["walks"].min() >= 0
    with pytest.raises(de.ParameterError, match="degree 2"):
        theory.walk_counts(zoo.cycle(5), 62)


def test_pairs_and_hops_of_your_own() -> None:
    mine = theory.all_nodes_as_targets({"mine": (zoo.domino(), zoo.bridged_triangles())}).table
    assert mine.loc["mine"].tolist() == ["same", "layer 0"] and len(mine) == 1
    assert theory.corollary_3_8([3, 1]).table.loc["random cubic, n=320"].tolist() == ["layer 1", "layer 4"]
    for wrong in ([], 3, [0]):
        with pytest.raises(de.ParameterError, match="hops"):
            theory.corollary_3_8(wrong)


# ---- progress -----------------------------------------------------------------------------------

LONG = {
    "Theorem 3.3": lambda **how: theory.theorem_3_3([10, 20], layers=2, nodes=30, networks="float64", **how),
    "Corollary 3.4": lambda **how: theory.corollary_3_4([10, 20], layers=2, graphs=3, **how),
    "Theorem 2.7": lambda **how: theory.theorem_2_7(models=["GCN"], seeds=2, hidden=4, **how),
    "Scoreboard": lambda **how: theory.scoreboard({"f": [[*zoo.figure3(), zoo.figure1()]]}, ["1-WL", "2-WL"], **how),
    "BREC": lambda **how: theory.brec(["1-WL"], categories=["basic"], **how),
    "2-WL, layer 1": lambda **how: de.distinguish(zoo.cycle(200), zoo.cycle(200), "2-WL", **how),
}


@pytest.mark.parametrize("label", [pytest.param(label, marks=[needs_brec] * (label == "BREC")) for label in LONG])
def test_long_work_has_a_bar_that_fills_and_can_be_stopped(label: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from tqdm.auto import tqdm

    bars: list[Any] = []

    class Bar(tqdm):
        def __init__(self, *args: Any, disable: bool, **options: Any) -> None:
            bars.append(self)
            self.hidden = disable
            super().__init__(*args, **options | {"disable": False, "delay": 1000})

    monkeypatch.setattr("tqdm.auto.tqdm", Bar)
    for how in ({}, {"progress": False}):
        bars.clear()
        LONG[label](**how)
        (bar,) = [bar for bar in bars if bar.desc.startswith(label.replace("BREC", "Scoreboard"))]
        assert bar.hidden == bool(how) and bar.n == bar.total and bar.unit != "item"
    stop = Event()
    stop.set()
    with pytest.raises(Cancelled), watching(stop=stop):
        LONG[label]()
