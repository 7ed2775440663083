"""What 1-WL and K hops cannot do: Theorem 2.7, Corollary 3.8, and the case S = V."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError, check_choice, check_int
from ..common.extras import needs_extra
from ..common.progress import map_items
from ..common.style import ACCENT, INK, categorical
from ..expressive.refinement import colors
from ..expressive.verdicts import distinguish
from ..graphs import zoo
from ..graphs.graph import Graph, Targets
from ..learn.registry import MODELS as NETS
from .families import lift
from .result import SYMBOLS, Picture, Result, draw_verdicts, in_words, legend_below, named_pairs, verdict_table

__all__ = ["all_nodes_as_targets", "corollary_3_8", "equitable_partition", "look_alikes", "theorem_2_7"]

Ints = NDArray[np.int64]
Side = tuple[Graph, Targets]
Step = Callable[[int], None]
MODELS = (*(name for name, entry in NETS.items() if entry.bound == "1-WL"), "DE-GNN-SPD")
LOGIT_TOLERANCE = 1e-5
"""Two outputs of a float32 network count as equal if they differ by at most this, relative to the largest output."""


def equitable_partition(G: Graph) -> tuple[Ints, Ints]:
    """The coarsest equitable partition of G, which is what 1-WL finds (appendix on irregular graphs).

    Returns
    -------
    cell, counts
        ``cell`` [n] is the cell of each node, 0.. in order of first appearance. Every node of cell i has
        ``counts[i, j]`` neighbors in cell j, [c, c]: inside each cell and between any two, the graph is regular.

    Examples
    --------
    The ends of a path of four nodes are one cell, the middle nodes the other.

    >>> equitable_partition(Graph.from_edges([(0, 1), (1, 2), (2, 3)]))
    (array([0, 1, 1, 0]), array([[0, 1], [1, 1]]))
    """
    _, first, cell = np.unique(colors(G)[-1], return_index=True, return_inverse=True)
    rank = np.empty_like(first)
    rank[np.argsort(first)] = np.arange(len(first))
    cell = rank[cell]
    counts = np.zeros((G.num_nodes, len(first)), dtype=np.int64)
    np.add.at(counts, (np.repeat(np.arange(G.num_nodes), G.degrees), cell[G.indices]), 1)
    return cell, counts[np.sort(first)]


def look_alikes() -> dict[str, tuple[Side, Side]]:
    """Pairs of target sets that 1-WL cannot tell apart: in regular graphs, and in irregular ones (lifts).

    Examples
    --------
    >>> left, right = look_alikes()["two triangles, hexagon"]
    >>> left
    (Graph('two triangles', 6 nodes, 6 edges), [0])
    """
    left, right = zoo.figure3()
    kite = Graph.from_edges([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)], title="a triangle with a tail")
    return {
        "two triangles, hexagon": ((zoo.two_triangles(), [0]), (zoo.hexagon(), [0])),
        "Fig. 3, cubic": ((left, [0]), (right, [0])),
        "random cubic, n=40": ((zoo.random_regular(40, 3, 0), [0]), (zoo.random_regular(40, 3, 1), [0])),
        "CSL(41, 2), CSL(41, 3)": ((zoo.csl(41, 2), [0]), (zoo.csl(41, 3), [0])),
        "irregular, 4-lifts": ((lift(kite, 4, 0), [0]), (lift(kite, 4, 1), [0])),
        "irregular, 4-lifts, pair": ((lift(kite, 4, 0), [0, 12]), (lift(kite, 4, 1), [0, 12])),
    }


def theorem_2_7(
    pairs: Mapping[str, tuple[Side, Side]] | None = None,
    models: Sequence[str] = MODELS,
    *,
    layers: int = 4,
    hidden: int = 64,
    seeds: int = 5,
    progress: bool = True,
) -> Result:
    """Theorem 2.7: where 1-WL sees no difference, no WLGNN does, whatever its weights. A DE-GNN does.

    Each model of ours is built with random weights, once for each seed, and gives 16 outputs for both target sets. As
    always in the models, the edges inside a target set are removed; the verdict of 1-WL is on the same graphs.

    Parameters
    ----------
    pairs
        Names, each with two (graph, target set); regular and irregular examples by default.
    models
        Names in ``de.models()``.
    layers, hidden
        Of the models.
    seeds
        How many random networks of each model.
    progress
        Show a bar when it takes more than two seconds.

    Returns
    -------
    Result
        Columns: pair, p, 1-WL, DE-SPD (the exact verdicts), model, difference (largest over the seeds, relative to
        the largest output), told apart.

    Examples
    --------
    >>> result = theorem_2_7(models=["GIN", "DE-GNN-SPD"], seeds=2)
    >>> result.table.groupby("model")["told apart"].agg(["sum", "size"])
                sum  size
    model
    DE-GNN-SPD    6     6
    GIN           0     6
    """
    import pandas as pd

    hyper = {
        "layers": check_int("layers", layers, least=1, most=1000),
        "hidden": check_int("hidden", hidden, least=1, most=1000),
    }
    seeds = check_int("seeds", seeds, least=1)
    chosen = look_alikes() if pairs is None else named_pairs("theorem_2_7", pairs, with_sets=True)
    for model in models:
        check_choice("model", model, NETS)

    def rows_of(name: str, step: Step) -> list[dict[str, Any]]:
        a, b = chosen[name]
        exact = {m: in_words(distinguish(a, b, m, layers=layers, cut=True)) for m in ("1-WL", "DE-SPD")}
        rows = []
        for model in models:
            gap = _largest_gap(model, a, b, hyper, seeds, step)
            row = {"pair": name, "p": len(a[0].target_set(a[1])), **exact, "model": model}
            rows.append({**row, "difference": gap, "told apart": gap > LOGIT_TOLERANCE})
        return rows

    total = len(chosen) * len(models) * seeds
    answers = map_items(rows_of, chosen, total=total, label="Theorem 2.7", unit="network", threads=1, progress=progress)
    notes = (
        f"Told apart: outputs differ by more than {LOGIT_TOLERANCE:g} of the largest output, in float32, for one "
        f"of {seeds} random networks of {layers} layers and {hidden} units.",
    )
    table = pd.DataFrame([row for rows in answers for row in rows])
    return Result("Where 1-WL sees no difference: outputs of untrained networks", table, notes, _draw_outputs)


def _largest_gap(model: str, a: Side, b: Side, hyper: dict[str, int], seeds: int, step: Step) -> float:
    """The largest difference of outputs for two target sets over random networks, relative to the largest output."""
    with needs_extra("theorem_2_7"):
        import torch

        from ..learn.nets.base import Shape
        from ..learn.registry import from_shape

    sides = [(G, G.target_set(S)) for G, S in (a, b)]
    gap = 0.0
    for seed in range(seeds):
        net = from_shape(model, Shape(len(sides[0][1]), 16), seed, hyper).eval()
        with torch.no_grad():
            inputs = [net.prepare(G, S[None, :]) for G, S in sides]
            outputs = [net(data.batch(np.zeros(1, dtype=np.int64))) for data in inputs]  # [1, 16] each
        scale = max(float(x.abs().max()) for x in outputs)
        gap = max(gap, float((outputs[0] - outputs[1]).abs().max()) / scale)
        step(1)
    return gap


def _draw_outputs(result: Result) -> Picture:
    import plotly.graph_objects as go

    table = result.table
    pairs, models = list(dict.fromkeys(table["pair"])), list(dict.fromkeys(table["model"]))
    figure = go.Figure()
    for i, (model, color) in enumerate(zip(models, categorical(len(models)), strict=True)):
        gap = table[table["model"] == model].set_index("pair")["difference"].reindex(pairs)
        y = np.arange(len(pairs)) + 0.76 * ((i + 0.5) / len(models) - 0.5)
        marker = {"size": 10, "color": color, "symbol": SYMBOLS[i % len(SYMBOLS)], "line": {"width": 1, "color": INK}}
        hover = "%{customdata:.2e}<extra>" + escape(model) + "</extra>"
        points = go.Scatter(x=gap.clip(lower=1e-9), y=y, mode="markers", marker=marker, name=escape(model))
        figure.add_trace(points.update(customdata=gap, hovertemplate=hover))
    figure.add_vline(x=LOGIT_TOLERANCE, line={"color": ACCENT, "dash": "dash", "width": 2})
    place = {"x": np.log10(LOGIT_TOLERANCE), "y": 1, "yref": "paper", "yanchor": "bottom", "xanchor": "left"}
    figure.add_annotation(**place, text="told apart →", font={"color": ACCENT}, showarrow=False)
    powers = ["0", *(f"10<sup>{k}</sup>" for k in range(-8, 0)), "1"]
    figure.update_xaxes(type="log", range=[-9.3, 0.5], tickvals=[10.0**k for k in range(-9, 1)], ticktext=powers)
    figure.update_xaxes(title="largest relative difference between two outputs", zeroline=False)
    names = [escape(pair) for pair in pairs]
    figure.update_yaxes(tickvals=np.arange(len(pairs)), ticktext=names, automargin=True, zeroline=False)
    figure.update_yaxes(autorange="reversed")
    figure.update_layout(legend=legend_below(-0.2), margin={"t": 80, "b": 110, "l": 20, "r": 30})
    return figure, 860, 210 + 62 * len(pairs)


def corollary_3_8(hops: Iterable[int] = (1, 2, 3, 4)) -> Result:
    """Corollary 3.8 and Fig. 5: what aggregation over K hops gains, and what it does not.

    On random regular graphs K hops take about a K-th of the layers (run :func:`theorem_3_3` with ``hops``). But on the
    two trees of Fig. 5 two hops need two layers as one hop does, and on distance-regular graphs no K helps DEA-1.

    Examples
    --------
    >>> corollary_3_8().table
                             K=1      K=2      K=3      K=4
    pair
    Fig. 5, trees        layer 2  layer 2  layer 2  layer 2
    random cubic, n=320  layer 4  layer 2  layer 1  layer 1
    Shrikhande, rook        same     same     same     same
    T(8), Chang 1           same     same     same     same
    """
    graphs = {
        "Fig. 5, trees": zoo.figure5(),
        "random cubic, n=320": (zoo.random_regular(320, 3, 0), zoo.random_regular(320, 3, 1)),
        "Shrikhande, rook": (zoo.shrikhande(), zoo.rook(4)),
        "T(8), Chang 1": (zoo.triangular(8), zoo.chang(1)),
    }
    cases = {name: ((G, [0]), (H, [0])) for name, (G, H) in graphs.items()}
    if not isinstance(hops, Iterable) or not (chosen := list(hops)):
        raise ParameterError(f"hops must be numbers K, such as hops=[1, 2], not {hops!r}.")
    methods = {f"K={K}": {"method": "DEA-SPD", "hops": check_int("each of hops", K, least=1)} for K in chosen}
    title = "DEA-GNN-1 with K hops: the first layer that tells two target nodes apart"
    return Result(title, verdict_table(cases, methods), (), draw_verdicts)


def all_nodes_as_targets(pairs: Mapping[str, tuple[Graph, Graph]] | None = None) -> Result:
    """The case S = V (after Corollary 3.4): marking the targets with 1 adds nothing, their distances do.

    Examples
    --------
    >>> all_nodes_as_targets().table
                            marked with 1   DE-SPD
    pair
    two triangles, hexagon           same  layer 0
    CSL(41, 2), CSL(41, 3)           same  layer 0
    Shrikhande, rook                 same     same
    """
    usual = {
        "two triangles, hexagon": (zoo.two_triangles(), zoo.hexagon()),
        "CSL(41, 2), CSL(41, 3)": (zoo.csl(41, 2), zoo.csl(41, 3)),
        "Shrikhande, rook": (zoo.shrikhande(), zoo.rook(4)),
    }
    chosen = usual if pairs is None else named_pairs("all_nodes_as_targets", pairs)
    cases = {name: tuple((G, list(range(G.num_nodes))) for G in two) for name, two in chosen.items()}
    methods = {"marked with 1": {"method": "1-WL"}, "DE-SPD": {"method": "DE-SPD"}}
    note = 'Every node is in S, so a mark for "in S" is the same for all nodes: what is left is 1-WL.'
    title = "All nodes as targets: the first layer that tells two graphs apart"
    return Result(title, verdict_table(cases, methods), (note,), draw_verdicts)
