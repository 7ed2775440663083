"""Distance-regular graphs: Theorem 3.7, and the lemma on walks that it stands on."""

from __future__ import annotations

from collections.abc import Mapping
from math import log2
from threading import Event

import numpy as np

from ..common.errors import GraphError, ParameterError, whole_number
from ..expressive.methods import WHOLE_GRAPHS
from ..expressive.own_targets import alike, root_colours
from ..graphs import zoo
from ..graphs.distances import set_distances
from ..graphs.graph import Graph, needs_graph
from .finding import Finding, checked_pairs, verdict_table

__all__ = ["theorem_3_7", "walk_counts"]


def walk_counts(G: Graph, length: int = 8) -> Finding:
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
    Finding
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
    length = whole_number("length", length, least=0, most=10_000)
    if b and length * log2(b[0]) >= 62:
        raise ParameterError(f"length={length} gives numbers above 2^62 in a graph of degree {b[0]}; take it shorter.")
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
            found = np.unique(walks[distance == j])
            if len(found) != 1:
                raise GraphError(
                    f"{G!r}: pairs at distance {j} have {found[0]} to {found[-1]} walks of {step} steps, "
                    "which no distance-regular graph allows."
                )
            rows.append((j, step, int(found[0]), expected[j], int(found[0]) / max(degree, 1) ** step))
    table = pd.DataFrame(rows, columns=["distance", "length", "walks", "recurrence", "probability"])
    note = "Counted for all pairs of nodes: the numbers depend on the distance alone and follow from the array."
    return Finding(f"Walks in the {G.title or repr(G)}", table, (note,), "walks")


def _usual_pairs() -> dict[str, tuple[Graph, Graph]]:
    """Pairs of distance-regular graphs; all but the last have the same intersection array."""
    return {
        "Shrikhande, rook": (zoo.shrikhande(), zoo.rook(4)),
        **{f"T(8), Chang {i}": (zoo.triangular(8), zoo.chang(i)) for i in (1, 2, 3)},
        "Chang 1, Chang 2": (zoo.chang(1), zoo.chang(2)),
        "Desargues, dodecahedron": (zoo.desargues(), zoo.dodecahedron()),
    }


def theorem_3_7(
    pairs: Mapping[str, tuple[Graph, Graph]] | None = None, *, length: int = 8, stop: Event | None = None
) -> Finding:
    """Theorem 3.7: nodes of distance-regular graphs with one intersection array are all alike to DE-1. DE-2 goes on.

    Parameters
    ----------
    pairs
        Names, each with two connected distance-regular graphs; by default those of the zoo.
    length
        Longest walk of the lemma's check, see :func:`walk_counts`.
    stop
        Work ends with ``Cancelled`` soon after this event is set.

    Returns
    -------
    Finding
        A row for each pair: the arrays, whether the walk counts agree, whether distance and walk profile
        determine each other, whether all nodes look alike, and the verdict of each method on the whole graphs.

    Examples
    --------
    >>> found = theorem_3_7({"Shrikhande, rook": (zoo.shrikhande(), zoo.rook(4))})
    >>> found.table.loc["Shrikhande, rook", ["first array", "2-WL", "DE-1 SPD", "DE-1 LP", "DE-2 edges"]].tolist()
    ['{6,3;1,2}', 'same', 'same', 'same', 'layer 2']
    """
    import pandas as pd

    chosen = _usual_pairs() if pairs is None else checked_pairs("theorem_3_7", pairs)
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
            "nodes alike": all(alike(root_colours([G], 2 * G.num_nodes)[-1]) == 1 for G in two),
        }
    asked = ["1-WL", "DE-1 SPD", "DE-1 LP", "DEA-1, K=2", "2-WL", "DE-2 edges"]
    methods = {title: WHOLE_GRAPHS[title].options for title in asked}
    verdicts = verdict_table(chosen, methods, stop)
    table = pd.concat([pd.DataFrame.from_dict(facts, orient="index"), verdicts], axis=1).rename_axis("pair")
    notes = tuple(
        f"{name}: the arrays differ, so the theorem does not apply and DE-1 may tell the two apart."
        for name in table.index[~table["same array"]]
    )
    return Finding("Distance-regular graphs: the first layer that tells two graphs apart", table, notes, "verdicts")


def _written(array: tuple[tuple[int, ...], tuple[int, ...]]) -> str:
    return "{" + ";".join(",".join(map(str, part)) for part in array) + "}"
