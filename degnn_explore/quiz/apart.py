"""Exercises about what can be told apart: an answer is judged by exact verdicts, so any right one is accepted."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..common.errors import ParameterError, TargetError, one_of
from ..expressive.isomorphism import isomorphic, set_map
from ..expressive.refinement import colours
from ..expressive.verdicts import distinguish
from ..graphs.graph import Graph
from ..graphs.regular import is_distance_regular
from .exercise import Fact

MOST_NODES = 200  # a classroom's graph; every pair of nodes may have to be asked about
REASONS = ("symmetry", "distance-regular")


def confused_graphs(answer: Any) -> Fact:
    """(G, H): different graphs that 1-WL does not tell apart."""
    G, H = _parts(answer, 2, "two graphs")
    _small(G)
    _small(H)
    verdict = distinguish(G, H, method="1-WL")
    if verdict.different:
        return False, f"1-WL tells them apart: {verdict.why}."
    same = isomorphic(G, H)
    if same is None:
        return False, "whether these are the same graph took too long to find out; take smaller ones."
    if same:
        return False, "they are the same graph, with its nodes numbered in another way."
    return True, "they are different graphs, and a plain GNN gives both the same output, whatever its weights."


def cubic_at_layer_3(answer: Any) -> Fact:
    """(G, u, v): every node of G has three neighbours, and DE-1 tells u from v at layer 3, not before."""
    G, u, v = _parts(answer, 3, "a graph and two of its nodes")
    _small(G)
    (a,), (b,) = G.target_set(u), G.target_set(v)
    names = f"{G.names[a]} and {G.names[b]}"
    if (odd := np.flatnonzero(G.degrees != 3)).size:
        return False, f"the graph is not cubic, {G.names[odd[0]]} has {_counted(int(G.degrees[odd[0]]), 'neighbour')}."
    verdict = distinguish((G, int(a)), (G, int(b)))
    if verdict.layer == 3:
        return True, f"DE-1 tells {names} apart, not before layer 3. {_sentence(verdict.why)}"
    when = f"at layer {verdict.layer} already" if verdict.different else "at no layer"
    return False, f"DE-1 tells {names} apart {when}."


def edges_beyond_2wl(answer: Any) -> Fact:
    """((G, e), (H, f)): edges that DE-2 tells apart and 2-WL does not, in graphs of other than 16 nodes."""
    sides = []
    for G, S in (_parts(side, 2, "a graph and an edge of it") for side in _parts(answer, 2, "two edges")):
        _small(G)
        e = G.target_set(S)
        if len(e) != 2 or not G.has_edge(int(e[0]), int(e[1])):
            raise TargetError(f"{[G.names[node] for node in e]} is no edge of its graph.")
        sides.append((G, e.tolist()))
    if 16 in {G.num_nodes for G, _ in sides}:
        return False, "graphs of 16 nodes were the lesson's; find others."
    one, other = sides
    stronger = distinguish(one, other, method="2-WL", progress=False)
    if stronger.different:
        return False, f"2-WL tells them apart too, from layer {stronger.layer} on."
    verdict = distinguish(one, other)
    if not verdict.different:
        return False, "2-WL does not tell them apart, but nor does DE-2."
    return True, f"2-WL never tells them apart, DE-2 does. {_sentence(verdict.why)}"


def no_help(answer: Any) -> Fact:
    """(G, why): DE-1 tells no two nodes of G apart that 1-WL finds alike, and the reason given holds."""
    G, why = _parts(answer, 2, "a graph and a reason")
    _small(G)
    one_of("why", why, REASONS)
    if G.num_nodes < 5:
        return False, f"{_counted(G.num_nodes, 'node')} is too small to be of interest; take five or more."
    classes = colours(G)[-1]
    if len(np.unique(classes)) == G.num_nodes:
        return False, "a plain GNN tells all its nodes apart already; take one where it confuses some."
    pairs = [(int(np.flatnonzero(classes == classes[v])[0]), v) for v in range(G.num_nodes)]
    pairs = [(u, v) for u, v in pairs if u != v]
    for u, v in pairs:
        verdict = distinguish((G, u), (G, v))
        if verdict.different:
            return False, f"it does help here: DE-1 tells {G.names[u]} from {G.names[v]}, which 1-WL does not."
    if why == "distance-regular":
        if is_distance_regular(G):
            return (True, "it is distance-regular: what lies below a node depends on its distance alone (Theorem 3.7).")
        return False, "DE-1 does not help here, but the reason is another: the graph is not distance-regular."
    for u, v in pairs:
        found = set_map(G, np.array([u]), G, np.array([v]))
        if found is None:
            return False, "the search for symmetries of this graph took too long; take a smaller one."
        if not len(found):
            return False, (
                f"DE-1 does not help here, but the reason is another: {G.names[u]} and {G.names[v]} do differ, no "
                "symmetry swaps them."
            )
    return True, "a symmetry of the graph takes any node to any that 1-WL finds alike, so nothing could help."


def _parts(answer: Any, number: int, what: str) -> tuple[Any, ...]:
    """The parts of a tuple."""
    if not isinstance(answer, tuple | list) or len(answer) != number:
        raise ParameterError(f"{what} are asked for, as a tuple of {number}.")
    return tuple(answer)


def _small(G: Any) -> None:
    if not isinstance(G, Graph):
        raise ParameterError(f"a Graph is asked for, such as de.zoo.petersen(), not a {type(G).__name__}.")
    if G.num_nodes > MOST_NODES:
        raise ParameterError(f"the graph has {G.num_nodes:,} nodes; take one of at most {MOST_NODES}.")


def _sentence(why: str) -> str:
    return f"{why[:1].upper()}{why[1:]}."


def _counted(number: int, what: str) -> str:
    """A number with its noun."""
    return f"{number:,} {what}{'s' * (number != 1)}"
