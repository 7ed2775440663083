"""Can a method tell two nodes, node sets or graphs apart, and from which layer on?

After l layers a set is represented by the multiset of its nodes' colors; a graph by the multiset
over all its nodes (1-WL), over all ordered pairs (2-WL), or over all its p-sets or edges (DE).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError, TargetError, check_int, short_repr
from ..common.style import counted
from ..encodings.base import TOLERANCE_NOTE, Encoding
from ..graphs.graph import Graph, Targets
from .explanations import explain_graphs, explain_same, explain_sets, say
from .methods import GraphMethod, Method, method_of
from .refinement import History, Instances
from .two_wl import pair_colors

__all__ = ["Verdict", "distinguish"]

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Verdict:
    """The answer to "can this method tell the two apart?".

    Examples
    --------
    >>> import degnn_explore as de
    >>> verdict = de.distinguish((de.zoo.petersen(), 0), (de.zoo.petersen(), 1))
    >>> verdict.different, verdict.layer
    (False, None)
    """

    different: bool
    layer: int | None  # the first at which the two differ; None if they never do, or not within ``layers``
    why: str  # the reason, in a sentence
    method: str

    def __str__(self) -> str:
        answer = f"different from layer {self.layer}" if self.different else "same"
        return f"{self.method}: {answer} ({self.why})"


def distinguish(
    a: Graph | tuple[Graph, Targets | None],
    b: Graph | tuple[Graph, Targets | None],
    method: str | Encoding = "DE-SPD",
    layers: int | None = None,
    hops: int | None = None,
    cut: bool = False,
    *,
    order: int | Literal["edges"] | None = None,
    attributes: bool = False,
    progress: bool = True,
) -> Verdict:
    """Whether a method can tell two target sets, or two whole graphs, apart, and from which layer.

    Parameters
    ----------
    a, b
        (G, S) each; S = None, or the graph alone, for the whole graph.
    method
        "1-WL" (the bound of GCN, SAGE, GIN), "2-WL" (folklore, up to some 2,400 nodes), "DE-SPD",
        "DE-LP" (landing probabilities of every length, in exact arithmetic) or "DEA-SPD"
        (aggregation over K hops). Distances are not truncated. Or a method from later work: "zero-one" (marks on
        the targets), "DRNL" (SEAL's labels, pairs) or "RWSE" (return probabilities of every length, exact; without
        the targets). Or an encoding, also a custom one, or its name as
        "DE-name" or "DEA-name": its values are compared as numbers, and the reason states the tolerance.
    layers
        Compare up to this layer only; None to go on until nothing changes.
    hops
        K of "DEA-SPD", 2 by default, and of an encoding; the others aggregate direct neighbors.
    cut
        Remove the edges inside each target set first.
    order
        For whole graphs and the DE methods: compare the multisets over all sets of this many nodes
        (1 by default, Corollary 3.4), or over all ``"edges"``.
    attributes
        Let node attributes tell nodes apart from the start.
    progress
        Show a bar for 2-WL when it takes more than two seconds.

    Examples
    --------
    >>> import degnn_explore as de
    >>> a, b = de.zoo.two_triangles(), de.zoo.cycle(6)
    >>> distinguish((a, 0), (b, 0), "1-WL").different
    False
    >>> print(distinguish((a, 0), (b, 0), "DE-SPD"))  # doctest: +ELLIPSIS
    DE-SPD: different from layer 2 (...)
    """
    if not isinstance(method, str | Encoding):
        raise ParameterError(f"method must be a name such as 'DE-SPD', or an encoding, not {short_repr(method)}.")
    chosen = method_of(method, hops not in (None, 1))
    if layers is not None:
        check_int("layers", layers, least=0)
    if hops not in (None, 1) and not chosen.many_hops:
        raise ParameterError(f"hops={hops} is an option of DEA-SPD; {chosen.name} aggregates direct neighbors.")
    K = (2 if hops is None else hops) if chosen.many_hops else 1
    sides = _parse(a), _parse(b)
    (G1, S1), (G2, _) = sides
    _check(chosen, sides, order)
    if chosen.name == "2-WL":
        return _pairs_verdict(sides, layers, cut, attributes, progress)
    how = GraphMethod(chosen, 1 if order is None else order, K)
    for G, S in sides:
        if S is None:
            how.check(G)
    zeta = chosen.encoding and chosen.encoding(G1.num_nodes + G2.num_nodes)
    with_sets = [(G, how.sets(G) if S is None else S[None, :]) for G, S in sides]
    if zeta is not None:
        zeta.check_targets(with_sets[0][1].shape[1])
    run = Instances.build(
        with_sets, zeta, hops=K, cut=cut and (S1 is not None or chosen.encoding is not None), attributes=attributes
    )
    return _refined_verdict(chosen, run, layers, whole=S1 is None)


def _parse(side: Any) -> tuple[Graph, Ints | None]:
    G, S = (side, None) if isinstance(side, Graph) else side if isinstance(side, tuple) and len(side) == 2 else (0, 0)
    if not isinstance(G, Graph):
        raise TargetError(f"Each side is a Graph or a pair (Graph, target set), not {side!r:.80}.")
    return G, None if S is None else G.target_set(S)


def _check(method: Method, sides: tuple[tuple[Graph, Ints | None], ...], order: Any) -> None:
    """Raise an error unless this method can compare the two sides."""
    (G1, S1), (G2, S2) = sides
    if (S1 is None) != (S2 is None):
        raise TargetError(
            "One side is a target set and the other a whole graph; give a target set on both, or on neither."
        )
    if S1 is not None and S2 is not None and len(S1) != len(S2):
        raise TargetError(
            f"The target sets have {len(S1)} and {len(S2)} nodes; only sets of equal size can be compared."
        )
    if order is not None and (S1 is not None or method.encoding is None):
        raise ParameterError(
            f"order={order!r} is for whole graphs and the DE methods; leave it out with "
            + ("target sets." if S1 is not None else f"{method.name}.")
        )
    if reason := method.infeasible([G1.num_nodes, G2.num_nodes]):
        raise ParameterError(
            f"{method.name} takes too long here: {reason}. Use DE-SPD, or smaller graphs around the targets."
        )


def _refined_verdict(method: Method, run: Instances, layers: int | None, *, whole: bool) -> Verdict:
    """Refine both sides together until the multisets of their sets' colors differ."""
    starts = np.split(run.start[:-1, None], [len(run.parts[0].sets)])
    rows = [start + part.sets for start, part in zip(starts, run.parts, strict=True)]  # [k, p] each
    history = History()
    numerically = (
        f" {TOLERANCE_NOTE[0].upper()}{TOLERANCE_NOTE[1:]}."
        if run.encoding is not None and not run.encoding.exact
        else ""
    )
    for layer, (classes, changed) in enumerate(run.refine(layers)):
        history.add(classes, changed)
        if _representation(classes[rows[0]]) != _representation(classes[rows[1]]):
            explain = explain_graphs if whole else explain_sets
            return Verdict(True, layer, explain(method, layer, run, rows, history) + numerically, method.name)
    same = explain_same(method, len(history) - 1, layers, run, rows, classes)
    return Verdict(False, None, same + numerically, method.name)


def _representation(members: Ints) -> Counter[tuple[int, ...]]:
    """The multiset over sets of the multisets of their members' classes. members [k, p]"""
    return Counter(map(tuple, np.sort(members).tolist()))


def _pairs_verdict(sides: tuple[tuple[Graph, Ints | None], ...], layers: int | None, cut: bool, *how: Any) -> Verdict:
    """2-WL: compare the multisets of the colors of all pairs, or of the pairs inside S."""
    S1 = sides[0][1]
    graphs = [G if S is None or not cut else G.cut(S) for G, S in sides]
    layer = 0
    for layer, colors in enumerate(pair_colors(graphs[0], graphs[1], layers, *how)):
        left, right = (
            Counter((pairs if S is None else pairs[np.ix_(S, S)]).ravel().tolist())
            for pairs, (_, S) in zip(colors, sides, strict=True)
        )
        if left == right:
            continue
        if layer == 0:
            nodes, linked = zip(*(_inside(G, S) for G, (_, S) in zip(graphs, sides, strict=True)), strict=True)
            if nodes[0] != nodes[1]:
                why = say("has", a="A", b="B", x=f"{nodes[0]:,} nodes", y=f"{nodes[1]:,}")
            elif linked[0] != linked[1]:
                why = say("pairs_linked", x=f"{linked[0]:,}", y=f"{linked[1]:,}")
            else:
                why = "The attributes of A’s nodes and of B’s differ."
        elif S1 is not None:
            why = say("pairs", layers=counted(layer, "layer"))
        else:
            only = (left - right).total()
            when = f"After {counted(layer, 'layer')}"
            why = f"{when} {only:,} of A’s {left.total():,} pairs of nodes have colors that B’s lack."
        return Verdict(True, layer, why, "2-WL")
    if layers is not None:
        return Verdict(False, None, f"Up to layer {layers} the colors of all their pairs agree.", "2-WL")
    same = f"The colors of all their pairs agree; after layer {layer} no class of pairs splits any more."
    return Verdict(False, None, same, "2-WL")


def _inside(G: Graph, S: Ints | None) -> tuple[int, int]:
    """The number of nodes in a set, and of links between them."""
    if S is None:
        return G.num_nodes, G.num_edges
    return len(S), int(np.isin(G.edges, S).all(axis=1).sum())
