"""Distance-regular graphs: Theorem 3.7, and the lemma on walks behind it."""

from __future__ import annotations

from collections.abc import Mapping
from math import log2

import numpy as np

from ..common.errors import GraphError, ParameterError, check_int
from ..common.style import categorical
from ..expressive.methods import WHOLE_GRAPHS
from ..expressive.self_targets import root_colors, same_fraction
from ..graphs import zoo
from ..graphs.distances import set_distances
from ..graphs.graph import Graph, needs_graph
from .result import SYMBOLS, Picture, Result, draw_verdicts, legend_below, named_pairs, verdict_table

__all__ = ["theorem_3_7", "walk_counts"]


def walk_counts(G: Graph, length: int = 8) -> Result:
    """The walk lemma of Theorem 3.7, checked: in a distance-regular graph, walks depend on the distance alone.

    The number of walks of each length between two nodes is counted from the adjacency matrix, for all
    pairs of nodes, and computed from the intersection array:
    g(j, l) = c_j g(j-1, l-1) + a_j g(j, l-1) + b_j g(j+1, l-1), a_j = b_0 - b_j - c_j. The paper's formula leaves
    the term a_j out; without it the rook's graph, for one, comes out wrong.

    Parameters
    ----------
    G
        A connected distance-regular graph.
    length
        Longest walk.

    Returns
    -------
    Result
        Columns: distance, length, walks, recurrence (the same number from the array), probability (that a random
        walk is there).

    Examples
    --------
    >>> walk_counts(zoo.petersen(), 3).table.pivot(index="distance", columns="length", values="walks")
    length    0  1  2  3
    distance
    0         1  0  3  0
    1         0  1  0  5
    2         0  0  1  2
    """
    import pandas as pd

    needs_graph("walk_counts", G)
    b, c = zoo.intersection_array(G)
    length = check_int("length", length, least=0, most=10_000)
    if b and length * log2(b[0]) >= 62:
        raise ParameterError(
            f"length={length} gives numbers above 2^62 in a graph of degree {b[0]}; take a shorter one."
        )
    everyone = np.arange(G.num_nodes)
    distance = set_distances(G, everyone[:, None])[:, 0]
    A = G.to_scipy().astype(np.int64)
    diameter, degree = len(c), b[0] if b else 0
    up, down = [*b, 0], [0, *c]
    walks = np.eye(G.num_nodes, dtype=np.int64)
    expected = [1] + [0] * diameter
    rows = []
    for step in range(length + 1):
        if step:
            walks = A @ walks
            before = [0, *expected, 0]
            expected = [
                down[j] * before[j] + (degree - up[j] - down[j]) * before[j + 1] + up[j] * before[j + 2]
                for j in range(diameter + 1)
            ]
        for j in range(diameter + 1):
            counts = np.unique(walks[distance == j])
            if len(counts) != 1:
                raise GraphError(
                    f"{G!r}: pairs at distance {j} have {counts[0]} to {counts[-1]} walks of {step} steps, "
                    "which no distance-regular graph allows."
                )
            rows.append((j, step, int(counts[0]), expected[j], int(counts[0]) / max(degree, 1) ** step))
    table = pd.DataFrame(rows, columns=["distance", "length", "walks", "recurrence", "probability"])
    note = "Counted for all pairs of nodes: the numbers depend on the distance alone and follow from the array."
    return Result(f"Walks in the {G.title or repr(G)}", table, (note,), _draw_walks)


def _draw_walks(result: Result) -> Picture:
    import plotly.graph_objects as go

    table = result.table[result.table["length"] > 0]  # after no step the walk is where it started
    distances = sorted(set(table["distance"]))
    figure = go.Figure()
    for j, color in zip(distances, categorical(len(distances)), strict=True):
        at_j = table[table["distance"] == j]
        hover = "%{customdata:,} walks of %{x} steps, probability %{y:.4g}" + f"<extra>distance {j}</extra>"
        line = go.Scatter(x=at_j["length"], y=at_j["probability"], mode="lines+markers", name=f"distance {j}")
        marker = {"size": 10, "symbol": SYMBOLS[j % len(SYMBOLS)]}
        line.update(line={"color": color, "width": 2}, marker=marker, cliponaxis=False)
        figure.add_trace(line.update(customdata=at_j["walks"], hovertemplate=hover))
    figure.update_xaxes(title="steps of the walk", dtick=1, zeroline=False)
    top = table["probability"].max()
    figure.update_yaxes(title="probability of being at one node", range=[-0.07 * top, 1.08 * top], zeroline=False)
    figure.update_layout(legend=legend_below(-0.22), margin={"t": 60, "b": 100, "l": 70, "r": 20})
    return figure, 760, 430


def _usual_pairs() -> dict[str, tuple[Graph, Graph]]:
    """Pairs of distance-regular graphs; all but the last have the same intersection array."""
    return {
        "Shrikhande, rook": (zoo.shrikhande(), zoo.rook(4)),
        **{f"T(8), Chang {i}": (zoo.triangular(8), zoo.chang(i)) for i in (1, 2, 3)},
        "Chang 1, Chang 2": (zoo.chang(1), zoo.chang(2)),
        "Desargues, dodecahedron": (zoo.desargues(), zoo.dodecahedron()),
    }


def theorem_3_7(pairs: Mapping[str, tuple[Graph, Graph]] | None = None, *, length: int = 8) -> Result:
    """Theorem 3.7: DE-1 cannot tell apart the nodes of distance-regular graphs with one intersection array; DE-2 can.

    Parameters
    ----------
    pairs
        Names, each with two connected distance-regular graphs; by default those of the zoo.
    length
        Longest walk of the lemma's check, see :func:`walk_counts`.

    Returns
    -------
    Result
        A row for each pair: the arrays, whether the walk counts agree, whether distance and walk profile
        determine each other, whether all nodes look alike, and the verdict of each method on the whole graphs.

    Examples
    --------
    >>> result = theorem_3_7({"Shrikhande, rook": (zoo.shrikhande(), zoo.rook(4))})
    >>> result.table.loc["Shrikhande, rook", ["first array", "2-WL", "DE-1 SPD", "DE-1 LP", "DE-2 edges"]].tolist()
    ['{6,3;1,2}', 'same', 'same', 'same', 'layer 2']
    """
    import pandas as pd

    chosen = _usual_pairs() if pairs is None else named_pairs("theorem_3_7", pairs)
    facts = {}
    for name, two in chosen.items():
        arrays = [zoo.intersection_array(G) for G in two]
        walks = [walk_counts(G, length).table for G in two]
        profiles = [[tuple(w) for _, w in t.groupby("distance")["walks"]] for t in walks]
        facts[name] = {
            "first array": _written(arrays[0]),
            "second array": _written(arrays[1]),
            "same array": arrays[0] == arrays[1],
            "same walk counts": walks[0].equals(walks[1]),
            "distance = walk profile": all(len(set(p)) == len(p) for p in profiles),
            "nodes alike": all(same_fraction(root_colors([G], 2 * G.num_nodes)[-1]) == 1 for G in two),
        }
    titles = ["1-WL", "DE-1 SPD", "DE-1 LP", "DEA-1, K=2", "2-WL", "DE-2 edges"]
    methods = {title: WHOLE_GRAPHS[title].options for title in titles}
    verdicts = verdict_table(chosen, methods)
    table = pd.concat([pd.DataFrame.from_dict(facts, orient="index"), verdicts], axis=1).rename_axis("pair")
    notes = tuple(
        f"{name}: the arrays differ, so the theorem does not apply and DE-1 may tell the two apart."
        for name in table.index[~table["same array"]]
    )
    title = "Distance-regular graphs: the first layer that tells two graphs apart"
    return Result(title, table, notes, draw_verdicts)


def _written(array: tuple[tuple[int, ...], tuple[int, ...]]) -> str:
    return "{" + ";".join(",".join(map(str, part)) for part in array) + "}"
