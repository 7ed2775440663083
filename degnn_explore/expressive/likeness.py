"""Why two target sets are not told apart: they are the same up to a renaming of nodes, or a method is blind to it.

A map of nodes that keeps every link and takes one set to the other ends all search: no method that looks at the graph
alone can see a difference. Where there is none the sets do differ, and the reason why a method fails has a name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..common.errors import GraphError
from ..graphs.graph import Graph
from ..graphs.regular import intersection_array
from .isomorphism import set_map
from .methods import METHODS, method_of

__all__ = ["Likeness", "likeness"]

Ints = NDArray[np.int64]
Side = tuple[Graph, Ints]  # a graph and the positions of its targets

MAX_NODES = 2_000  # a matrix of all pairs of nodes is searched
STEPS_A_NODE = 40  # of the search, before it is given up
MAX_ARRAY = 500  # nodes of a graph whose intersection array is looked for


@dataclass(frozen=True)
class Likeness:
    """Whether two target sets are the same up to a renaming of nodes, and if not, why methods cannot see it.

    Examples
    --------
    >>> from degnn_explore import zoo
    >>> G = zoo.figure1()
    >>> found = likeness((G, np.array([3])), (G, np.array([6])))
    >>> found.why
    'an automorphism maps v3 to v6: no method can tell them apart by the graph alone'
    >>> found = likeness((zoo.shrikhande(), np.array([0])), (zoo.rook(), np.array([0])))
    >>> found.unseen("DE-SPD")  # doctest: +ELLIPSIS
    'they do differ, but DE-1 SPD cannot see it: both graphs are strongly regular (16, 6, 2, 2), so ... (Theorem 3.7)'
    """

    kind: Literal["same", "different", "undecided"]
    why: str  # in a sentence
    mapping: tuple[int, ...]  # where each node of the first graph goes, if kind is "same"; else empty
    p: int
    degree: int | None  # of every node of both graphs, None if they vary
    array: tuple[tuple[int, ...], tuple[int, ...]] | None  # the intersection array that both graphs have
    nodes: int
    whose: str  # "the graph is" or "both graphs are"

    def unseen(self, method: str, hops: int = 2) -> str:
        """Why a method that says "same" does so: the map, or the name of what it is blind to."""
        if self.kind != "different":
            return self.why
        chosen = method_of(method)
        differ = f"they do differ, but {chosen.title(self.p, hops)} cannot see it: "
        if method == "1-WL":
            if self.degree is None:
                return f"{differ}their plain subtrees agree to any depth"
            return f"{differ}{self.whose} {self.degree}-regular, so all nodes look alike"
        if self.array is not None and method in METHODS and (self.p == 1 or method == "2-WL"):
            rest = (
                "the colour of a pair says its distance and no more"
                if method == "2-WL"
                else "what lies below a node depends on its distance alone (Theorem 3.7)"
            )
            return f"{differ}{self.whose} {self._family}, so {rest}"
        if method == "2-WL":
            return f"{differ}the colours of their pairs agree"
        return f"{differ}their subtrees agree to any depth, with all {chosen.nouns} written in"

    @property
    def _family(self) -> str:
        """The name of what both graphs are: strongly regular with its four numbers, or distance-regular."""
        b, c = self.array or ((), ())
        if len(b) == 2:
            return f"strongly regular ({self.nodes}, {b[0]}, {b[0] - b[1] - 1}, {c[1]})"
        return f"distance-regular with intersection array {{{','.join(map(str, b))};{','.join(map(str, c))}}}"


def likeness(a: Side, b: Side, cut: bool = False, *, differ: bool = False) -> Likeness:
    """Looks for a map that takes one target set to the other; ``differ``: it is known that there is none.

    With ``cut`` both graphs lack the edges inside their sets, as methods see them then. The search ends above
    2,000 nodes and after a number of steps; the kind is "undecided" then.
    """
    (G, S), (H, T) = ((X.cut(R) if cut and len(R) > 1 else X, R) for X, R in (a, b))
    kind: Literal["same", "different", "undecided"] = "different"
    one_graph = a[0] is b[0] or (np.array_equal(a[0].edges, b[0].edges) and a[0].names == b[0].names)
    whose = "the graph is" if one_graph else "both graphs are"
    why, mapping = "they do differ: no renaming of nodes takes one to the other", ()
    if not differ:
        budget = max(STEPS_A_NODE * G.num_nodes, 400_000_000 // max(G.num_nodes, 1) ** 2)
        if G.num_nodes > MAX_NODES:
            kind = "undecided"
            why = f"not decided: above {MAX_NODES:,} nodes no map from one to the other is looked for"
        elif (found := set_map(G, S, H, T, min(budget, 1_000_000))) is None:
            kind, why = "undecided", "not decided: the search for a map from one to the other was too long"
        elif len(found):
            kind, mapping = "same", tuple(found.tolist())
            why = _mapped(a, b, mapping, one_graph, cut)
    degrees = np.unique(np.concatenate([G.degrees, H.degrees]))
    regular = int(degrees[0]) if len(degrees) == 1 else None
    array = None
    if regular is not None and kind == "different" and max(G.num_nodes, H.num_nodes) <= MAX_ARRAY:
        array = _common_array(G, H)
    return Likeness(kind, why, mapping, len(S), regular, array, G.num_nodes, whose)


def _common_array(G: Graph, H: Graph) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    try:
        array = intersection_array(G)
        return array if array == intersection_array(H) else None
    except GraphError:  # connected and distance-regular they are not
        return None


def _mapped(a: Side, b: Side, mapping: tuple[int, ...], one_graph: bool, cut: bool) -> str:
    """The map in words: where the targets go."""
    (G, S), (H, T) = a, b
    if one_graph and set(S.tolist()) == set(T.tolist()):
        return "A and B are the same set"
    moves = [f"{G.names[u]} to {H.names[mapping[u]]}" for u in S.tolist()[:4]]
    goes = (" and " if len(moves) < 3 else ", ").join(moves) + (", …" if len(S) > 4 else "")
    what = "an automorphism maps" if one_graph else "the graphs are the same up to names: an isomorphism maps"
    there = " once the edges inside S are cut" if cut and len(S) > 1 else ""
    return f"{what} {goes}{there}: no method can tell them apart by the graph alone"
