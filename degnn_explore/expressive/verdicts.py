"""Can these two be told apart, and from which layer on? Two nodes, two node sets, or two graphs.

A set is represented after l layers by the multiset of its nodes' colours; a graph by the multiset
over all its nodes (1-WL), over all ordered pairs (2-WL), or over all its p-sets or edges (DE).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from threading import Event
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError, TargetError, one_of, whole_number
from ..encodings.paths import Distance
from ..encodings.walks import LandingProbability
from ..graphs.graph import Graph, Targets
from .explanations import Part, explain_graphs, explain_sets
from .refinement import Instances
from .two_wl import MAX_NODES_2WL, pair_colours

__all__ = ["METHODS", "Verdict", "distinguish"]

Ints = NDArray[np.int64]
METHODS = ("1-WL", "2-WL", "DE-SPD", "DE-LP", "DEA-SPD")
MAX_WALK = 4096  # nodes of both graphs together, for DE-LP: it follows that many steps
MAX_SETS = 100_000


@dataclass(frozen=True)
class Verdict:
    """The answer to "can this method tell the two apart?".

    Attributes
    ----------
    different
        Whether it can.
    layer
        The first layer at which the two differ; None if they never do (or not within ``layers``).
    why
        The reason, in a sentence.
    method
        The method asked.

    Examples
    --------
    >>> import degnn_explore as de
    >>> verdict = de.distinguish((de.zoo.petersen(), 0), (de.zoo.petersen(), 1))
    >>> verdict.different, verdict.layer
    (False, None)
    """

    different: bool
    layer: int | None
    why: str
    method: str

    def __str__(self) -> str:
        answer = f"different from layer {self.layer}" if self.different else "same"
        return f"{self.method}: {answer} ({self.why})"


def distinguish(
    a: Graph | tuple[Graph, Targets | None],
    b: Graph | tuple[Graph, Targets | None],
    method: str = "DE-SPD",
    layers: int | None = None,
    hops: int | None = None,
    cut: bool = False,
    *,
    order: int | Literal["edges"] | None = None,
    attributes: bool = False,
    stop: Event | None = None,
) -> Verdict:
    """Whether a method can tell two target sets, or two whole graphs, apart, and from which layer.

    Parameters
    ----------
    a, b
        (G, S) each; S = None, or the graph alone, for the whole graph.
    method
        "1-WL" (the bound of GCN, SAGE, GIN), "2-WL" (folklore, up to 2,000 nodes), "DE-SPD",
        "DE-LP" (landing probabilities of every length, in exact arithmetic) or "DEA-SPD"
        (aggregation over K hops). Distances are not truncated.
    layers
        Compare up to this layer only; None to go on until nothing changes.
    hops
        K of "DEA-SPD", 2 by default; the others aggregate direct neighbours.
    cut
        Remove the edges inside each target set first.
    order
        For whole graphs and the DE methods: compare the multisets over all sets of this many nodes
        (1 by default, Corollary 3.4), or over all ``"edges"``.
    attributes
        Let node attributes tell nodes apart from the start.
    stop
        Work ends with ``Cancelled`` soon after this event is set.

    Examples
    --------
    >>> import degnn_explore as de
    >>> a, b = de.zoo.two_triangles(), de.zoo.cycle(6)
    >>> distinguish((a, 0), (b, 0), "1-WL").different
    False
    >>> print(distinguish((a, 0), (b, 0), "DE-SPD"))  # doctest: +ELLIPSIS
    DE-SPD: different from layer 2 (...)
    """
    one_of("method", method, METHODS)
    if layers is not None:
        whole_number("layers", layers, least=0)
    if hops is not None and method != "DEA-SPD" and hops != 1:
        raise ParameterError(f"hops={hops} is an option of DEA-SPD; {method} aggregates direct neighbours.")
    K = whole_number("hops", 2 if hops is None else hops, least=1) if method == "DEA-SPD" else 1
    (G1, S1), (G2, S2) = _parse(a), _parse(b)
    if (S1 is None) != (S2 is None):
        raise TargetError(
            "One side is a target set and the other a whole graph; give a target set on both, or on neither."
        )
    if S1 is not None and S2 is not None and len(S1) != len(S2):
        raise TargetError(
            f"The target sets have {len(S1)} and {len(S2)} nodes; only sets of equal size can be compared."
        )
    if order is not None and (S1 is not None or method in ("1-WL", "2-WL")):
        raise ParameterError(
            f"order={order!r} is for whole graphs and the DE methods; leave it out with "
            + ("target sets." if S1 is not None else f"{method}.")
        )
    if method == "2-WL":
        return _pairs_verdict(G1, S1, G2, S2, layers, cut, attributes, stop)

    sides = []
    for G, S in ((G1, S1), (G2, S2)):
        if S is not None:
            sides.append((G, S[None, :]))
        elif method == "1-WL":
            sides.append((G, np.arange(G.num_nodes)[None, :]))
        else:
            sides.append((G, _all_sets(G, 1 if order is None else order)))
    tokens = [_tokens(method, G, sets, cut, G1.num_nodes + G2.num_nodes) for G, sets in sides]
    run = Instances.build(
        [(G, sets, t) for (G, sets), t in zip(sides, tokens, strict=True)],
        hops=K,
        cut=cut and (S1 is not None or method != "1-WL"),
        attributes=attributes,
    )
    rows = [_rows(run.start, first, sets) for (_, sets), first in zip(sides, (0, len(sides[0][1])), strict=True)]
    history: list[Ints] = []
    for layer, classes in enumerate(run.refine(layers, stop)):
        history.append(classes)
        if _representation(classes[rows[0]]) != _representation(classes[rows[1]]):
            parts = [Part(G, sets, t) for (G, sets), t in zip(sides, tokens, strict=True)]
            explain = explain_sets if S1 is not None else explain_graphs
            return Verdict(True, layer, explain(method, layer, parts, run, rows, history), method)
    return Verdict(
        False,
        None,
        _why_same(method, len(history) - 1, layers, history[-1][np.concatenate([r.ravel() for r in rows])]),
        method,
    )


def _parse(side: Any) -> tuple[Graph, Ints | None]:
    G, S = (
        (side, None)
        if isinstance(side, Graph)
        else side
        if isinstance(side, tuple) and len(side) == 2
        else (None, None)
    )
    if not isinstance(G, Graph):
        raise TargetError(f"Each side is a Graph or a pair (Graph, target set), not {side!r:.80}.")
    return G, None if S is None else G.target_set(S)


def _all_sets(G: Graph, order: int | Literal["edges"]) -> Ints:
    if order == "edges":
        return np.asarray(G.edges)
    p = whole_number("order", order, least=1)
    count = 1
    for i in range(p):
        count = count * (G.num_nodes - i) // (i + 1)
    if count < 1:
        raise ParameterError(f"order={p}, but a graph of {G.num_nodes} nodes has no such set.")
    if count > MAX_SETS:
        raise ParameterError(
            f"order={p} means {count:,} sets in a graph of {G.num_nodes} nodes, more than {MAX_SETS:,}; "
            "take a lower order, or order='edges'."
        )
    return np.array(list(combinations(range(G.num_nodes), p)), dtype=np.int64)


def _tokens(method: str, G: Graph, sets: Ints, cut: bool, nodes: int) -> Ints:
    if method == "1-WL":
        return np.zeros((len(sets), G.num_nodes, 0, 1), dtype=np.int64)
    if method == "DE-LP":
        if nodes > MAX_WALK:
            raise ParameterError(
                f"DE-LP follows walks of as many steps as there are nodes, {nodes:,} here; "
                f"its limit is {MAX_WALK:,} nodes in all. Use DE-SPD, or de.colours with LandingProbability(steps)."
            )
        # the walk matrices of both graphs together satisfy their characteristic polynomial, of degree
        # `nodes`: sequences of landing probabilities that agree so far agree for ever
        return LandingProbability(nodes - 1).tokens(G, sets, cut)
    return Distance().tokens(G, sets, cut)


def _rows(start: Ints, first: int, sets: Ints) -> Ints:
    """The rows of the members of each set. [k, p]"""
    return start[first : first + len(sets), None] + sets


def _representation(members: Ints) -> Counter[tuple[int, ...]]:
    """The multiset over sets of the multisets of their members' classes. members [k, p]"""
    return Counter(map(tuple, np.sort(members, axis=1).tolist()))


def _why_same(method: str, last: int, layers: int | None, classes: Ints) -> str:
    if layers is not None:
        return f"up to layer {layers} the colours of both agree"
    if len(np.unique(classes)) == 1 and method == "1-WL":
        return "all nodes have the same degree and look alike at every layer"
    when = "from the start" if last == 0 else f"after layer {last}"
    return f"the colours of both agree, and {when} no colour class splits any more"


def _pairs_verdict(
    G1: Graph,
    S1: Ints | None,
    G2: Graph,
    S2: Ints | None,
    layers: int | None,
    cut: bool,
    attributes: bool,
    stop: Event | None,
) -> Verdict:
    for G in (G1, G2):
        if G.num_nodes > MAX_NODES_2WL:
            raise ParameterError(
                f"2-WL colours all pairs of nodes and takes graphs of up to {MAX_NODES_2WL:,} nodes; "
                f"this one has {G.num_nodes:,}. Use DE-SPD, or an ego-network of the targets."
            )
    graphs = [G if S is None or not cut else G.cut(S) for G, S in ((G1, S1), (G2, S2))]

    def seen(pairs: Ints, S: Ints | None) -> Counter[int]:
        return Counter((pairs if S is None else pairs[np.ix_(S, S)]).ravel().tolist())

    last = 0
    for layer, (first, second) in enumerate(pair_colours(graphs[0], graphs[1], layers, attributes, stop)):
        last = layer
        left, right = seen(first, S1), seen(second, S2)
        if left != right:
            what = "pairs of nodes" if S1 is None else "pairs of target nodes"
            if layer == 0:
                why = f"the {what} differ in number, or in how many are linked"
            else:
                only = sum((left - right).values())
                when = f"after {layer} {'layer' if layer == 1 else 'layers'}"
                if S1 is not None and S2 is not None and len(S1) == 1:
                    a, b = G1.names[S1[0]], G2.names[S2[0]]
                    why = f"{when} the pair ({a}, {a}) has another colour than ({b}, {b})"
                else:
                    why = (
                        f"{when} {only:,} of the {sum(left.values()):,} {what} on the first side "
                        "have colours that the second side lacks"
                    )
            return Verdict(True, layer, why, "2-WL")
    same = (
        f"up to layer {layers} the pair colours of both agree"
        if layers is not None
        else f"the pair colours of both agree, and after layer {last} no class of pairs splits any more"
    )
    return Verdict(False, None, same, "2-WL")
