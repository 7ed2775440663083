"""Can these two be told apart, and from which layer on? Two nodes, two node sets, or two graphs.

A set is represented after l layers by the multiset of its nodes' colours; a graph by the multiset
over all its nodes (1-WL), over all ordered pairs (2-WL), or over all its p-sets or edges (DE).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from threading import Event
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError, TargetError, shown, whole_number
from ..encodings.base import Encoding
from ..encodings.numbers import NUMERICALLY
from ..graphs.graph import Graph, Targets
from .explanations import counted, explain_graphs, explain_same, explain_sets
from .methods import Method, Setting, method_of
from .refinement import History, Instances
from .two_wl import pair_colours

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
    stop: Event | None = None,
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
        (aggregation over K hops). Distances are not truncated. Or an encoding, also one of your own, by itself or as
        "DE-name" or "DEA-name": its values are compared as numbers, and the reason says to which tolerance.
    layers
        Compare up to this layer only; None to go on until nothing changes.
    hops
        K of "DEA-SPD", 2 by default, and of an encoding; the others aggregate direct neighbours.
    cut
        Remove the edges inside each target set first.
    order
        For whole graphs and the DE methods: compare the multisets over all sets of this many nodes
        (1 by default, Corollary 3.4), or over all ``"edges"``.
    attributes
        Let node attributes tell nodes apart from the start.
    stop, progress
        Work ends with ``Cancelled`` soon after this event is set; 2-WL shows a bar when it takes longer.

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
        raise ParameterError(f"method must be a name such as 'DE-SPD', or an encoding, not {shown(method)}.")
    chosen = method_of(method, hops not in (None, 1))
    if layers is not None:
        whole_number("layers", layers, least=0)
    if hops not in (None, 1) and not chosen.many_hops:
        raise ParameterError(f"hops={hops} is an option of DEA-SPD; {chosen.name} aggregates direct neighbours.")
    K = (2 if hops is None else hops) if chosen.many_hops else 1
    sides = _parse(a), _parse(b)
    (G1, S1), (G2, _) = sides
    _check(chosen, sides, order)
    if chosen.name == "2-WL":
        return _pairs_verdict(sides, layers, cut, attributes, stop, progress)
    setting = Setting(chosen, 1 if order is None else order, K)
    for G, S in sides:
        if S is None:
            setting.check(G)
    zeta = chosen.encoding and chosen.encoding(G1.num_nodes + G2.num_nodes)
    asked = [(G, setting.sets(G) if S is None else S[None, :]) for G, S in sides]
    if zeta is not None:
        zeta.check_targets(asked[0][1].shape[1])
    run = Instances.build(
        asked, zeta, hops=K, cut=cut and (S1 is not None or chosen.encoding is not None), attributes=attributes
    )
    return _refined_verdict(chosen, run, layers, whole=S1 is None, stop=stop)


def _parse(side: Any) -> tuple[Graph, Ints | None]:
    G, S = (side, None) if isinstance(side, Graph) else side if isinstance(side, tuple) and len(side) == 2 else (0, 0)
    if not isinstance(G, Graph):
        raise TargetError(f"Each side is a Graph or a pair (Graph, target set), not {side!r:.80}.")
    return G, None if S is None else G.target_set(S)


def _check(method: Method, sides: tuple[tuple[Graph, Ints | None], ...], order: Any) -> None:
    """Whether the two sides can be compared, and by this method."""
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
            f"{method.name} is too much here: {reason}. Use DE-SPD, or smaller graphs around the targets."
        )


def _refined_verdict(method: Method, run: Instances, layers: int | None, *, whole: bool, stop: Event | None) -> Verdict:
    """Refines both sides together until the multisets of their sets' colours differ."""
    starts = np.split(run.start[:-1, None], [len(run.parts[0].sets)])
    rows = [start + part.sets for start, part in zip(starts, run.parts, strict=True)]  # [k, p] each
    history = History()
    numerically = f"; {NUMERICALLY}" if run.encoding is not None and not run.encoding.exact else ""
    for layer, (classes, changed) in enumerate(run.refine(layers, stop)):
        history.add(classes, changed)
        if _representation(classes[rows[0]]) != _representation(classes[rows[1]]):
            explain = explain_graphs if whole else explain_sets
            return Verdict(True, layer, explain(method, layer, run, rows, history) + numerically, method.name)
    same = explain_same(method, len(history) - 1, layers, run, rows, classes)
    return Verdict(False, None, same + numerically, method.name)


def _representation(members: Ints) -> Counter[tuple[int, ...]]:
    """The multiset over sets of the multisets of their members' classes. members [k, p]"""
    return Counter(map(tuple, np.sort(members, axis=1).tolist()))


def _pairs_verdict(sides: tuple[tuple[Graph, Ints | None], ...], layers: int | None, cut: bool, *how: Any) -> Verdict:
    """2-WL: compares the multisets of the colours of all pairs, or of the pairs inside S."""
    (G1, S1), (G2, S2) = sides
    graphs = [G if S is None or not cut else G.cut(S) for G, S in sides]
    what = "pairs of nodes" if S1 is None else "pairs of target nodes"
    layer = 0
    for layer, colours in enumerate(pair_colours(graphs[0], graphs[1], layers, *how)):
        left, right = (
            Counter((pairs if S is None else pairs[np.ix_(S, S)]).ravel().tolist())
            for pairs, (_, S) in zip(colours, sides, strict=True)
        )
        if left == right:
            continue
        if layer == 0:
            nodes, linked = zip(*(_inside(G, S) for G, (_, S) in zip(graphs, sides, strict=True)), strict=True)
            if nodes[0] != nodes[1]:
                why = f"A has {nodes[0]:,} nodes, B has {nodes[1]:,}"
            elif linked[0] != linked[1]:
                why = f"{linked[0]:,} of A's pairs of nodes are linked, {linked[1]:,} of B's"
            else:
                why = "the attributes of A's nodes and of B's differ"
        elif S1 is not None and S2 is not None and len(S1) == 1:
            a, b = G1.names[S1[0]], G2.names[S2[0]]
            a, b = (f"({name}, {name})" for name in (a, b))
            where = ("", "") if G1 is G2 else (" in A", " in B")
            why = f"after {counted(layer)} the pair {a}{where[0]} has another colour than {b}{where[1]}"
        else:
            only = (left - right).total()
            why = f"after {counted(layer)} {only:,} of A's {left.total():,} {what} have colours that B's lack"
        return Verdict(True, layer, why, "2-WL")
    agree = "the pair colours of both agree"
    ended = f"up to layer {layers} {agree}" if layers is not None else f"{agree}, and after layer {layer} no class"
    return Verdict(False, None, ended if layers is not None else f"{ended} of pairs splits any more", "2-WL")


def _inside(G: Graph, S: Ints | None) -> tuple[int, int]:
    """How many nodes a set has, and how many links between them."""
    if S is None:
        return G.num_nodes, G.num_edges
    return len(S), int(np.isin(G.edges, S).all(axis=1).sum())
