"""The paper's theorems as experiments: reference values, limits, and the exact colors of all targets."""

from __future__ import annotations

import json
import math
from threading import Event

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore import theory
from degnn_explore.common import errors
from degnn_explore.common.progress import Cancelled, watching
from degnn_explore.expressive.self_targets import same_fraction
from degnn_explore.graphs import zoo
from degnn_explore.graphs.distances import distances
from degnn_explore.theory.families import lift
from degnn_explore.theory.random_network import RandomNetwork, close_fraction
from degnn_explore.theory.wl_limits import look_alikes

from ..strategies import graphs


def slow_root_colors(G: de.Graph, layers: int, hops: int) -> list[list[object]]:
    """The definition, in dictionaries: nested tuples instead of numbers, the whole graph for each target."""
    n = G.num_nodes
    dist = [distances(G, [v])[0].tolist() for v in range(n)]
    out: list[list[object]] = [[] for _ in range(layers + 1)]
    for root in range(n):
        color: list[object] = list(dist[root])
        out[0].append(color[root])
        for layer in range(1, layers + 1):
            near = [[(dist[u][w], color[w]) for w in range(n) if 1 <= dist[u][w] <= hops] for u in range(n)]
            color = [(color[u], tuple(sorted(near[u], key=repr))) for u in range(n)]
            out[layer].append(color[root])
    return out


def partition(values: list[object]) -> list[int]:
    first: dict[object, int] = {}
    return [first.setdefault(value, len(first)) for value in values]


@settings(max_examples=40)
@given(graphs(max_nodes=7), graphs(max_nodes=7), st.integers(1, 3), st.integers(1, 2))
def test_root_colors_agree_with_the_definition(G: de.Graph, H: de.Graph, layers: int, hops: int) -> None:
    fast = theory.root_colors([G, H], layers, hops)
    slow = [a + b for a, b in zip(slow_root_colors(G, layers, hops), slow_root_colors(H, layers, hops), strict=True)]
    for mine, theirs in zip(fast.tolist(), slow, strict=True):
        assert partition(mine) == partition(theirs)


# ---- Theorem 3.3 --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "first", "expected"), [(20, 2, [0.614, 0.0534, 2.2e-4]), (160, 2, [0.946, 0.645, 0.131, 3.5e-4])]
)
def test_exact_fractions_of_random_cubic_graphs(n: int, first: int, expected: list[float]) -> None:
    table = theory.theorem_3_3(sizes=[n], layers=6, progress=False).table.set_index("layers")
    assert table.loc[1, "undistinguished"] == 1.0
    for layer, value in enumerate(expected, start=first):
        digits = len(f"{value:.3g}".lstrip("0.").split("e")[0].replace(".", ""))
        assert float(f"{table.loc[layer, 'undistinguished']:.{digits}g}") == value
    assert table["graphs"].unique().tolist() == [-(-10_000 // n)]


def test_exact_fractions_are_exact_counts_of_pairs() -> None:
    table = theory.theorem_3_3(sizes=[10], layers=3, nodes=40, progress=False).table
    colors = theory.root_colors([zoo.random_regular(10, 3, seed) for seed in range(4)], 3)
    pairs = [(a, b) for a in range(40) for b in range(a)]
    by_hand = [sum(row[a] == row[b] for a, b in pairs) / len(pairs) for row in colors[1:]]
    np.testing.assert_allclose(table["undistinguished"], by_hand, rtol=1e-15)


def test_boundary_is_the_formula_of_the_theorem() -> None:
    assert [theory.boundary(n, 3) for n in theory.PAPER_SIZES] == [2, 3, 3, 4, 5, 5, 6, 6]
    assert theory.boundary(1280, 3, hops=2) == 3 and theory.boundary(1280, 5) == 3
    assert theory.boundary(100, 2) is None
    for epsilon in (0, math.inf):
        with pytest.raises(errors.ParameterError, match="epsilon must be a positive number"):
            theory.boundary(100, 3, epsilon=epsilon)


def test_random_network_in_float64_sees_what_exact_colors_see() -> None:
    found = theory.theorem_3_3(sizes=[40, 160], networks=["float64", "float32"], nodes=2000, layers=5, progress=False)
    values = found.table.pivot(index=["n", "layers"], columns="method", values="undistinguished")
    exact, double, single = (values[method].to_numpy() for method in ("exact colors", "float64", "float32"))
    np.testing.assert_array_equal(exact, double)
    assert (single >= exact).all()


def test_random_relu_network_misses_some_differences() -> None:
    made = [zoo.random_regular(160, 3, seed) for seed in range(10)]
    exact = same_fraction(theory.root_colors(made, 4)[4])
    relu = close_fraction(RandomNetwork(layers=4, activation="relu").run(made)[3], theory.TOLERANCE["float64"])
    assert relu > exact > 0


def test_random_network_follows_its_formula() -> None:
    G, L = zoo.figure1(), 2
    net = RandomNetwork(layers=L, hops=2, hidden=6, seed=3)
    W, b = net.weights()
    found = net.run([G])
    dist = np.stack([distances(G, [v])[0] for v in range(8)])
    for root in range(8):
        h = np.zeros((8, W.shape[2]))
        h[np.arange(8), np.minimum(dist[root], 4)] = 1
        for layer in range(L):
            total = [h[:, : W.shape[2]], (dist == 1) @ h / 3, (dist == 2) @ h / 6]
            new = np.tanh(sum(t @ W[layer, k] for k, t in enumerate(total)) + b[layer])
            h = np.zeros_like(h)
            h[:, :6] = new
            np.testing.assert_allclose(found[layer, root], new[root], rtol=1e-12)


def test_a_seed_decides_graphs_and_weights() -> None:
    def shares(**options: int) -> list[float]:
        ask = {"sizes": [20], "layers": 3, "nodes": 60, "progress": False}
        return theory.theorem_3_3(**ask, networks=["float64"], **options).table["undistinguished"].tolist()

    assert shares(seed=5) == shares(seed=5) != shares(seed=6)
    colors = theory.root_colors([zoo.random_regular(20, 3, seed) for seed in (5, 6, 7)], 3)
    assert shares(seed=5)[:3] == [same_fraction(row) for row in colors[1:]]  # graphs seed, seed + 1, …
    whole = [
        theory.corollary_3_4(sizes=[20], layers=2, graphs=12, seed=s, progress=False).table["undistinguished"].tolist()
        for s in (0, 0, 7)
    ]
    assert whole[0] == whole[1] != whole[2]
    nets = [RandomNetwork(layers=1, hidden=4, seed=s).run([zoo.hexagon()]) for s in (0, 0, 1)]
    assert np.array_equal(nets[0], nets[1]) and not np.allclose(nets[0], nets[2])
    kite = de.Graph.from_edges([(0, 1), (0, 2), (1, 2), (2, 3)])
    lifts = [lift(kite, 4, seed).edges.tolist() for seed in (0, 0, 1)]
    assert lifts[0] == lifts[1] != lifts[2]


def test_theorem_2_7_asks_about_the_cut_graphs() -> None:
    """The domino's middle edge and the bridge between two triangles: DE-2 differs only when that edge is cut."""
    sides = [(de.Graph.from_networkx(nx.from_graph6_bytes(code)), [0, 3]) for code in (b"ElEG", b"E{CW")]
    assert not de.distinguish(*sides, "DE-SPD", layers=4).different
    table = theory.theorem_2_7({"pair": tuple(sides)}, ["DE-GNN-SPD"], seeds=1).table
    assert table.loc[0, ["1-WL", "DE-SPD"]].tolist() == ["same", "layer 0"]
    assert table.loc[0, "told apart"]


def test_theorem_2_7_draws_other_weights_for_each_seed() -> None:
    """More networks can only find a larger difference, and do."""
    pair = {"pair": look_alikes()["Fig. 3, cubic"]}
    gaps = [theory.theorem_2_7(pair, ["DE-GNN-SPD"], seeds=n).table["difference"][0] for n in (1, 2, 8)]
    assert gaps[0] <= gaps[1] <= gaps[2] and gaps[0] < gaps[2]


def test_random_network_takes_graphs_of_any_size_in_order() -> None:
    """Small graphs run side by side, large balls in parts: the rows are those of each graph alone."""
    made = [zoo.random_regular(n, 3, n) for n in (10, 600, 4, 20)]
    net = RandomNetwork(layers=4, hops=2, hidden=5)
    alone = np.concatenate([net.run([G]) for G in made], axis=1)
    together = net.run(made)
    assert together.shape == (4, 634, 5)
    np.testing.assert_allclose(together, alone, rtol=1e-10)  # all cubic, so the scale is the same
    assert net.run([]).shape == (4, 0, 5)


def test_parameters_outside_the_theorem_are_noted_and_impossible_ones_refused() -> None:
    some = theory.theorem_3_3(sizes=[20, 100], layers=1, nodes=100, progress=False)
    assert "n > 90; n = 20 lie outside" in some.notes[0]
    assert theory.theorem_3_3(sizes=[100], layers=1, nodes=100, progress=False).notes == ()
    flat = theory.theorem_3_3(sizes=[10], r=2, layers=1, nodes=20, progress=False)
    assert "r >= 3" in flat.notes[0] and flat.table["boundary"].isna().all() and flat.plot().data
    with pytest.raises(errors.ParameterError, match="n·r = 33 must be even; try n=12"):
        theory.theorem_3_3(sizes=[10, 11])
    with pytest.raises(errors.ParameterError, match="r must be less than"):
        theory.theorem_3_3(sizes=[10], r=10)
    with pytest.raises(
        errors.ParameterError, match=r"sizes must be numbers of nodes, such as sizes=\[20, 40\], not \[\]"
    ):
        theory.theorem_3_3(sizes=[])
    with pytest.raises(errors.ParameterError, match="float16"):
        theory.theorem_3_3(sizes=[10], networks=["float16"])


def test_a_stop_event_ends_the_experiment() -> None:
    stop = Event()
    stop.set()
    with pytest.raises(Cancelled), watching(stop=stop):
        theory.theorem_3_3(progress=False)
    with pytest.raises(Cancelled), watching(stop=stop):
        theory.theorem_2_7()


def test_whole_random_graphs_are_told_apart_unless_isomorphic() -> None:
    table = theory.corollary_3_4(sizes=[8, 40], layers=5, graphs=30, progress=False).table.set_index(["n", "layers"])
    assert table.loc[(8, 5), "undistinguished"] == table.loc[(8, 5), "isomorphic"] > 0
    assert table.loc[(40, 5), "undistinguished"] == 0
    assert (table.xs(1, level="layers")["undistinguished"] == 1).all()


# ---- Theorem 2.7 --------------------------------------------------------------------------------


def test_wlgnns_are_equal_where_1wl_is_and_de_is_not() -> None:
    table = theory.theorem_2_7(seeds=2).table
    assert (table["1-WL"] == "same").all() and (table["DE-SPD"] != "same").all()
    assert set(table["model"]) == {"GCN", "SAGE", "GIN", "DE-GNN-SPD"}
    assert (table["told apart"] == (table["model"] == "DE-GNN-SPD")).all()


def test_the_irregular_examples_have_a_common_equitable_partition() -> None:
    (G, _), (H, _) = look_alikes()["irregular, 4-lifts"]
    assert len(set(G.degrees.tolist())) > 1
    assert theory.isomorphic(G, H) is False
    for X in (G, H):
        cell, counts = theory.equitable_partition(X)
        assert np.bincount(cell).tolist() == [8, 4, 4, 4]
        assert counts.tolist() == [[1, 1, 0, 0], [2, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]


@given(graphs(max_nodes=8))
def test_equitable_partition_is_equitable(G: de.Graph) -> None:
    cell, counts = theory.equitable_partition(G)
    for v in range(G.num_nodes):
        seen = np.bincount(cell[G.neighbors(v)], minlength=len(counts))
        assert seen.tolist() == counts[cell[v]].tolist()


@given(graphs(max_nodes=6), st.integers(1, 4), st.integers(0, 5))
def test_lifts_of_one_graph_are_alike_to_1wl(G: de.Graph, copies: int, seed: int) -> None:
    assert not de.distinguish(lift(G, copies, seed), lift(G, copies, seed + 1), "1-WL").different


# ---- Theorem 3.7, Corollary 3.8, S = V ----------------------------------------------------------


def test_distance_regular_graphs() -> None:
    table = theory.theorem_3_7().table
    equal = table[table["same array"]]
    assert len(equal) == 5
    assert equal[["same walk counts", "distance = walk profile", "nodes alike"]].all(axis=None)
    assert (equal[["1-WL", "DE-1 SPD", "DE-1 LP", "DEA-1, K=2", "2-WL"]] == "same").all(axis=None)
    assert (equal["DE-2 edges"] == "layer 2").all()
    other = table.loc["Desargues, dodecahedron"]
    assert other["nodes alike"] and not other["same array"] and other["DE-1 SPD"] == "layer 3"


@pytest.mark.parametrize(
    "G", [zoo.shrikhande(), zoo.rook(4), zoo.triangular(8), zoo.chang(2), zoo.desargues(), zoo.dodecahedron()]
)
def test_walk_counts_follow_from_the_intersection_array(G: de.Graph) -> None:
    table = theory.walk_counts(G, 10).table
    assert (table["walks"] == table["recurrence"]).all()
    A = G.to_scipy().toarray()
    walks = np.linalg.matrix_power(A.astype(np.int64), 7)
    dist = distances(G, [0])[0]
    for j, value in table[table["length"] == 7].set_index("distance")["walks"].items():
        assert set(walks[0][dist == j].tolist()) == {value}


def test_walk_counts_refuse_what_they_cannot_answer() -> None:
    with pytest.raises(errors.GraphError, match="not distance-regular"):
        theory.walk_counts(zoo.figure1())
    with pytest.raises(errors.ParameterError, match="2\\^62"):
        theory.walk_counts(zoo.shrikhande(), 40)


def test_k_hops_reach_the_same_fraction_in_fewer_layers() -> None:
    one, two = (
        theory.theorem_3_3(sizes=[160], hops=hops, layers=layers, nodes=3000, progress=False).table.set_index("layers")[
            "undistinguished"
        ]
        for hops, layers in ((1, 6), (2, 3))
    )
    assert two[2] <= one[4] and two[3] <= one[6]


# ---- plots and files ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "found",
    [
        lambda: theory.theorem_3_3(sizes=[10, 20], layers=3, nodes=200, networks=["float32"], progress=False),
        lambda: theory.corollary_3_8([1]),
        lambda: theory.walk_counts(zoo.petersen()),
        lambda: theory.theorem_2_7(models=["GIN"], seeds=1),
    ],
)
def test_every_result_has_a_plot_and_a_page(found, tmp_path) -> None:
    finding = found()
    page = finding.save(tmp_path / "plot.html").read_text(encoding="utf-8")
    assert len(page) > 1_000_000 and 'src="http' not in page and "cdn." not in page.split("<body>")[1][:500]
    assert finding.plot(width=500).layout.width == 500
    assert finding.save(tmp_path / "table.csv").read_text(encoding="utf-8").count("\n") == len(finding.table) + 1
    with pytest.raises(errors.ParameterError, match=r"\.gif"):
        finding.save(tmp_path / "plot.gif")


def test_pictures_are_drawn_or_the_missing_browser_is_named(tmp_path) -> None:
    finding = theory.corollary_3_8([1])
    try:
        picture = finding.save(tmp_path / "plot.svg")
    except errors.ParameterError as error:
        assert "kaleido" in str(error) and ".html" in str(error)
    else:
        assert picture.read_text(encoding="utf-8").startswith("<svg") and "Fig. 5, trees" in picture.read_text(
            encoding="utf-8"
        )


def test_names_are_shown_as_text_never_as_markup() -> None:
    evil = zoo.shrikhande().with_title("<img src=x onerror=alert(1)>")

    def drawn(finding: theory.Result) -> str:
        return json.dumps(json.loads(finding.plot().to_json()))  # plotly's own spells "<" as a number

    found = theory.walk_counts(evil)
    assert "<img" not in found._repr_html_() and "<img" not in drawn(found)
    finding = theory.all_nodes_as_targets({"<b>x</b>": (zoo.hexagon(), zoo.two_triangles())})
    assert "<b>x" not in finding._repr_html_() and "<b>x" not in drawn(finding) and "&lt;b&gt;x" in drawn(finding)
    noted = theory.Result("a title", finding.table, ("<script>1</script>",))
    assert "<script>" not in noted._repr_html_() and "&lt;script&gt;" in noted._repr_html_()


def test_yellow_means_told_apart_in_every_picture() -> None:
    shares = theory.theorem_3_3([10], nodes=20, layers=2, progress=False).plot().layout.coloraxis.colorscale
    assert shares[0][1] == "#fee838" and shares[-1][1] == "#00224e"  # the share *not* told apart
    for finding in (theory.corollary_3_8(), theory.scoreboard(["CSL, 41 nodes"], ["1-WL", "DE-1 SPD"], progress=False)):
        told = next(trace for trace in finding.plot().data if trace.type == "heatmap").colorscale
        assert told[0][1] == "#00224e" and told[-1][1] == "#fee838"


def test_titles_and_figures_fit_a_laptop() -> None:
    for finding in (theory.corollary_3_8(), theory.theorem_3_7(), theory.all_nodes_as_targets()):
        for width in (None, 300):
            figure = finding.plot(width=width)
            lines = figure.layout.title.text.split("<br>")
            assert figure.layout.width <= 850 and max(map(len, lines)) * 9 <= max(figure.layout.width, 180)
            assert " ".join(lines) == finding.title


def test_a_plot_takes_the_colors_of_the_page_and_a_file_stays_white(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[object] = []
    monkeypatch.setattr("IPython.display.display", lambda html: shown.append(html.data))
    monkeypatch.setattr("plotly.graph_objects.Figure.show", lambda self, config: shown.append(self.layout))
    figure = theory.corollary_3_8().plot()
    figure._ipython_display_()
    style, layout = shown
    assert "var(--jp-ui-font-color1)" in style and layout.paper_bgcolor == layout.plot_bgcolor == "rgba(0,0,0,0)"
    ink = tuple(int(layout.font.color[k : k + 2], 16) for k in (1, 3, 5))
    assert f"fill: rgb{ink}" in style  # what is written in this ink is what takes the page's color
    assert figure.layout.paper_bgcolor == "white"
