"""An own encoding is tried before it is used, on small graphs: what fails is said with the example that shows it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..common.errors import ParameterError
from ..graphs.graph import Graph
from .base import Encoding, Floats, Ints

__all__ = ["alike", "cannot", "examples", "row", "said", "try_encoding"]


def examples(num_targets: int | None) -> Iterator[tuple[Graph, Ints]]:
    """Small graphs with target sets of one, two and three nodes: random ones, some in pieces, one without an edge.

    >>> [len(S) for _, S in examples(2)]
    [2, 2, 2, 2, 2, 2]
    """
    rng = np.random.default_rng(7)
    for n, m in ((2, 1), (4, 6), (5, 0), (6, 4), (7, 9), (8, 12)):
        pairs = np.array([(u, v) for v in range(n) for u in range(v)])
        edges = pairs[np.sort(rng.permutation(len(pairs))[:m])]
        G = Graph.from_edges(edges, num_nodes=n)
        for p in (1, 2, 3) if num_targets is None else (num_targets,):
            if p > n:
                continue
            S = rng.permutation(n)[:p]
            if p > 1 and m:  # two of its nodes are neighbours: cutting changes something
                first = edges[rng.integers(m)]
                S = np.concatenate([first, np.setdiff1d(S, first)])[:p]
            yield G, S.astype(np.int64)


def said(G: Graph, S: Ints) -> str:
    """An example in words.

    >>> said(Graph.from_edges([(0, 1), (1, 2)], num_nodes=4), np.array([0, 2]))
    'on the graph of 4 nodes with edges 0-1, 1-2 and S = [0, 2]'
    """
    edges = ", ".join(f"{u}-{v}" for u, v in G.edges.tolist()) or "none"
    return f"on the graph of {G.num_nodes} nodes with edges {edges} and S = {S.tolist()}"


def alike(a: Floats, b: Floats) -> bool:
    """Whether all numbers agree but for rounding."""
    return bool(np.allclose(a, b, rtol=1e-6, atol=1e-9))


def try_encoding(name: str, encoding: Encoding) -> None:
    """A ParameterError with an example unless ζ is finite, as wide as declared, and a matter of the graph alone."""
    for G, S in examples(encoding.num_targets):
        try:
            wrong = failure_of(encoding, G, S)
        except Exception as error:
            raise cannot(name, G, S, error) from error
        if wrong:
            raise ParameterError(f"The encoding {name!r} {wrong}")


def cannot(name: str, G: Graph, S: Ints, error: Exception) -> ParameterError:
    """What is said of an encoding that fails on an example."""
    what = str(error) if isinstance(error, ParameterError) else f"{type(error).__name__}: {error}"
    return ParameterError(f"The encoding {name!r} cannot be computed {said(G, S)}: {what}")


def failure_of(encoding: Encoding, G: Graph, S: Ints) -> str:
    """What is wrong with ζ on one example; "" if nothing is."""
    order = np.random.default_rng(len(S)).permutation(G.num_nodes)
    place = np.argsort(order)  # the number of each node once they are renamed
    for cut in (False, True):
        zeta = encoding.pairwise(G, S, cut)
        wanted = (1 if encoding.num_targets else len(S), G.num_nodes, encoding.dim)
        if not isinstance(zeta, np.ndarray) or zeta.shape != wanted:
            shape = list(zeta.shape) if isinstance(zeta, np.ndarray) else type(zeta).__name__
            return (
                f"gives {shape} {said(G, S)}; pairwise must give an array [targets, nodes, columns] = {list(wanted)}, "
                f"its columns being {list(encoding.columns)}."
            )
        if not np.isfinite(zeta).all():
            v, u, c = np.argwhere(~np.isfinite(zeta))[0]
            return (
                f"is not finite: {said(G, S)} it gives {zeta[v, u, c]} in column {encoding.columns[c]!r} for u = {u}, "
                f"v = {S[v]}. Return a number for every pair, also where there is no path (distance -1) or no "
                "neighbour (degree 0)."
            )
        again = encoding.pairwise(G, S, cut)
        renamed = encoding.pairwise(G.relabel(order), place[S], cut)[:, place]
        turned = encoding.pairwise(G, S[::-1].copy(), cut)
        others = [
            ("when it is computed twice", again, "Return the same for the same pair; draw nothing at random."),
            (f"with the nodes renamed {place.tolist()}", renamed, "Use nothing that depends on a node's number."),
            ("with S in another order", turned[:: 1 if encoding.num_targets else -1], "S is a set."),
        ]
        if cut:
            without = encoding.pairwise(G.cut(S), S, False)
            others.append(("with the edges inside S left out beforehand", without, "With cut=True leave them out."))
        for what, other, remedy in others:
            if not alike(zeta, other):
                v, u = np.argwhere(~np.isclose(zeta, other, rtol=1e-6, atol=1e-9).all(axis=2))[0]
                values = f"{row(zeta[v, u])}, and {row(other[v, u])} {what}"
                return f"changes: {said(G, S)} (cut={cut}) u = {u} and v = {S[v]} get {values}. {remedy}"
    return ""


def row(values: Floats) -> str:
    """The values of one pair, the first of many.

    >>> row(np.array([1, 0.5]))
    '[1, 0.5]'
    """
    return "[" + ", ".join(f"{x:.6g}" for x in values[:8]) + (", …]" if len(values) > 8 else "]")
