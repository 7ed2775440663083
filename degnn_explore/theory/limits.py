"""What 1-WL, DE-1 and K hops cannot do: Theorems 2.7 and 3.7, Corollary 3.8, and the case S = V."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import GraphError, ParameterError, one_of, whole_number
from ..common.stopping import raise_if
from ..expressive.methods import WHOLE_GRAPHS
from ..expressive.own_targets import alike, root_colours
from ..expressive.refinement import colours
from ..expressive.verdicts import distinguish
from ..graphs import zoo
from ..graphs.distances import set_distances
from ..graphs.graph import Graph, Targets
from ..learn.nets import MODELS as NETS
from .families import lift
from .finding import Finding

if TYPE_CHECKING:
    import pandas

__all__ = [
    "all_nodes_as_targets",
    "corollary_3_8",
    "equitable_partition",
    "look_alikes",
    "theorem_2_7",
    "theorem_3_7",
    "walk_counts",
]

Ints = NDArray[np.int64]
Side = tuple[Graph, Targets]
MODELS = (*(name for name, entry in NETS.items() if entry.bound == "1-WL"), "DE-GNN-SPD")
LOGIT_TOLERANCE = 1e-5
"""Two outputs of a float32 network count as equal if they differ by at most this, relative to the largest output."""


# ---- Theorem 2.7: the limit of 1-WL -------------------------------------------------------------


def equitable_partition(G: Graph) -> tuple[Ints, Ints]:
    """The coarsest equitable partition of G, which is what 1-WL finds (appendix on irregular graphs).

    Returns
    -------
    cell, counts
        ``cell`` [n] is the cell of each node, 0.. in order of first appearance. Every node of cell i has
        ``counts[i, j]`` neighbours in cell j, [c, c]: inside each cell and between any two, the graph is regular.

    Examples
    --------
    The ends of a path of four nodes are one cell, the middle nodes the other.

    >>> equitable_partition(Graph.from_edges([(0, 1), (1, 2), (2, 3)]))
    (array([0, 1, 1, 0]), array([[0, 1], [1, 1]]))
    """
    _, first, cell = np.unique(colours(G)[-1], return_index=True, return_inverse=True)
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
    pairs: dict[str, tuple[Side, Side]] | None = None,
    models: Sequence[str] = MODELS,
    *,
    layers: int = 4,
    hidden: int = 64,
    seeds: int = 5,
    stop: Event | None = None,
) -> Finding:
    """Theorem 2.7: where 1-WL sees no difference, no WLGNN does, whatever its weights. A DE-GNN does.

    Each model of ours is built with random weights, once for each seed, and gives 16 outputs for both target sets. As
    everywhere in the models, the edges inside a target set are removed; 1-WL is asked about the same graphs.

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
    stop
        Work ends with ``Cancelled`` soon after this event is set.

    Returns
    -------
    Finding
        Columns: pair, p, 1-WL, DE-SPD (the exact verdicts), model, difference (largest over the seeds, relative to
        the largest output), told apart.

    Examples
    --------
    >>> found = theorem_2_7(models=["GIN", "DE-GNN-SPD"], seeds=2)
    >>> found.table.groupby("model")["told apart"].agg(["sum", "size"])
                sum  size
    model
    DE-GNN-SPD    6     6
    GIN           0     6
    """
    import pandas as pd
    import torch

    from ..learn.nets import from_shape
    from ..learn.nets.base import Shape

    hyper = {"layers": whole_number("layers", layers, least=1), "hidden": whole_number("hidden", hidden, least=1)}
    rows = []
    for name, (a, b) in (look_alikes() if pairs is None else pairs).items():
        sides = [(G, G.target_set(S)) for G, S in (a, b)]
        p = len(sides[0][1])
        exact = {m: distinguish(a, b, m, layers=layers, cut=True, stop=stop) for m in ("1-WL", "DE-SPD")}
        for model in models:
            one_of("model", model, NETS)
            gap = 0.0
            for seed in range(whole_number("seeds", seeds, least=1)):
                raise_if(stop, "Theorem 2.7 was cancelled")
                net = from_shape(model, Shape(p, 16), seed, hyper).eval()
                with torch.no_grad():
                    inputs = [net.prepare(G, S[None, :], progress=False) for G, S in sides]
                    outputs = [net(data.batch(np.zeros(1, dtype=np.int64))) for data in inputs]  # [1, 16] each
                scale = max(float(x.abs().max()) for x in outputs)
                gap = max(gap, float((outputs[0] - outputs[1]).abs().max()) / scale)
            rows.append(
                {
                    "pair": name,
                    "p": p,
                    **{m: _layer(v) for m, v in exact.items()},
                    "model": model,
                    "difference": gap,
                    "told apart": gap > LOGIT_TOLERANCE,
                }
            )
    notes = (
        f"Told apart: outputs differ by more than {LOGIT_TOLERANCE:g} of the largest output, in float32, for one "
        f"of {seeds} random networks of {layers} layers and {hidden} units.",
    )
    return Finding("Where 1-WL sees no difference: outputs of untrained networks", pd.DataFrame(rows), notes, "outputs")


def _layer(verdict: Any) -> str:
    return f"layer {verdict.layer}" if verdict.different else "same"


def _verdicts(
    cases: Mapping[str, tuple[Any, ...]], methods: dict[str, dict[str, Any]], stop: Event | None
) -> pandas.DataFrame:
    """A row for each case, a column for each method: "layer 2" or "same"."""
    import pandas as pd

    rows = {
        case: {label: _layer(distinguish(a, b, **how, stop=stop)) for label, how in methods.items()}
        for case, (a, b) in cases.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("pair")


# ---- Theorem 3.7: distance-regular graphs -------------------------------------------------------


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

    b, c = zoo.intersection_array(G)
    length = whole_number("length", length, least=0)
    if b and b[0] ** length >= 2**62:
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


def distance_regular_pairs() -> dict[str, tuple[Graph, Graph]]:
    """Pairs of distance-regular graphs; all but the last have the same intersection array.

    Examples
    --------
    >>> distance_regular_pairs()["T(8), Chang 1"]
    (Graph('triangular graph T(8)', 28 nodes, 168 edges), Graph('Chang graph 1', 28 nodes, 168 edges))
    """
    others = {f"T(8), Chang {i}": (zoo.triangular(8), zoo.chang(i)) for i in (1, 2, 3)}
    return {
        "Shrikhande, rook": (zoo.shrikhande(), zoo.rook(4)),
        **others,
        "Chang 1, Chang 2": (zoo.chang(1), zoo.chang(2)),
        "Desargues, dodecahedron": (zoo.desargues(), zoo.dodecahedron()),
    }


def theorem_3_7(
    pairs: dict[str, tuple[Graph, Graph]] | None = None, *, length: int = 8, stop: Event | None = None
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

    chosen = distance_regular_pairs() if pairs is None else pairs
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
    verdicts = _verdicts(chosen, methods, stop)
    table = pd.concat([pd.DataFrame.from_dict(facts, orient="index"), verdicts], axis=1).rename_axis("pair")
    notes = tuple(
        f"{name}: the arrays differ, so the theorem does not apply and DE-1 may tell the two apart."
        for name in table.index[~table["same array"]]
    )
    return Finding("Distance-regular graphs: the first layer that tells two graphs apart", table, notes, "verdicts")


def _written(array: tuple[tuple[int, ...], tuple[int, ...]]) -> str:
    return "{" + ";".join(",".join(map(str, part)) for part in array) + "}"


# ---- Corollary 3.8 and S = V --------------------------------------------------------------------


def corollary_3_8(hops: Sequence[int] = (1, 2, 3, 4), *, stop: Event | None = None) -> Finding:
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
    trees = zoo.figure5()
    cases = {
        "Fig. 5, trees": ((trees[0], [0]), (trees[1], [0])),
        "random cubic, n=320": ((zoo.random_regular(320, 3, 0), [0]), (zoo.random_regular(320, 3, 1), [0])),
        "Shrikhande, rook": ((zoo.shrikhande(), [0]), (zoo.rook(4), [0])),
        "T(8), Chang 1": ((zoo.triangular(8), [0]), (zoo.chang(1), [0])),
    }
    methods = {f"K={K}": {"method": "DEA-SPD", "hops": whole_number("each of hops", K, least=1)} for K in hops}
    if not methods:
        raise ParameterError("hops is empty; give at least one K, such as hops=[1, 2].")
    return Finding(
        "DEA-GNN-1 with K hops: the first layer that tells two target nodes apart",
        _verdicts(cases, methods, stop),
        (),
        "verdicts",
    )


def all_nodes_as_targets(pairs: dict[str, tuple[Graph, Graph]] | None = None, *, stop: Event | None = None) -> Finding:
    """The case S = V (after Corollary 3.4): marking the targets with 1 says nothing, their distances do.

    Examples
    --------
    >>> all_nodes_as_targets().table
                            marked with 1   DE-SPD
    pair
    two triangles, hexagon           same  layer 0
    CSL(41, 2), CSL(41, 3)           same  layer 0
    Shrikhande, rook                 same     same
    """
    chosen = (
        pairs
        if pairs is not None
        else {
            "two triangles, hexagon": (zoo.two_triangles(), zoo.hexagon()),
            "CSL(41, 2), CSL(41, 3)": (zoo.csl(41, 2), zoo.csl(41, 3)),
            "Shrikhande, rook": (zoo.shrikhande(), zoo.rook(4)),
        }
    )
    cases = {name: tuple((G, list(range(G.num_nodes))) for G in two) for name, two in chosen.items()}
    methods = {"marked with 1": {"method": "1-WL"}, "DE-SPD": {"method": "DE-SPD"}}
    note = 'Every node is in S, so a mark for "in S" is the same for all nodes: what is left is 1-WL.'
    return Finding(
        "All nodes as targets: the first layer that tells two graphs apart",
        _verdicts(cases, methods, stop),
        (note,),
        "verdicts",
    )
