"""The methods that tell target sets and graphs apart, one entry each.

A method refines what it sees at layer 0, its encoding, exactly; 2-WL refines pairs of nodes instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, log2
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError, check_choice, check_int
from ..encodings.base import Encoding
from ..encodings.custom import REGISTRY, name_of
from ..encodings.paths import DRNL, Distance
from ..encodings.positional import RandomWalkSE, ZeroOne
from ..encodings.walks import LandingProbability
from ..graphs.graph import Graph
from .refinement import khop_size

__all__ = ["AFTERWARDS", "METHODS", "WHOLE_GRAPHS", "GraphMethod", "Method", "method_of"]

MAX_SETS = 100_000
MAX_WALK = 4096  # nodes of both graphs together, for DE-LP, which takes that many steps
PAIR_SECONDS = 1.5e-9  # of 2-WL for each triple of nodes in each layer: 27 CPU-s for two paths of 1,000 nodes


def _walk_limit(sizes: Sequence[int], seconds: float) -> str:
    if sum(sizes) <= MAX_WALK:
        return ""
    return f"it follows walks of {sum(sizes):,} steps; its limit is {MAX_WALK:,} nodes in all"


def _pair_limit(sizes: Sequence[int], seconds: float) -> str:
    # each layer doubles the distance that a pair has seen
    needed = PAIR_SECONDS * sum(n**3 for n in sizes) * (2 + log2(max(sizes)))
    if needed <= seconds:
        return ""
    return (
        f"it goes through all triples of {max(sizes):,} nodes in every layer, about {_duration(needed)} of work; "
        f"its limit is {_duration(seconds)}"
    )


def _duration(seconds: float) -> str:
    return f"{seconds:,.0f} seconds" if seconds < 120 else f"{seconds / 60:,.0f} minutes"


@dataclass(frozen=True)
class Method:
    """A way to tell two target sets, or two graphs, apart."""

    name: str
    title_template: str  # its title, with p and hops in braces
    what: str
    encoding: Callable[[int], Encoding] | None = None  # a function of the number of nodes of both graphs
    nouns: str = ""  # a plural noun for the encodings of several nodes
    many_hops: bool = False
    limit: Callable[[Sequence[int], float], str] = lambda sizes, seconds: ""
    custom: Encoding | None = None  # the encoding it was made from, if it is not one of METHODS
    targets: int | None = None  # the number of targets that it takes; None: any

    def title(self, p: int = 1, hops: int = 1) -> str:
        """Its name in the paper's words.

        Examples
        --------
        >>> METHODS["DE-SPD"].title(2), METHODS["DEA-SPD"].title(1, hops=2)
        ('DE-2 SPD', 'DEA-1, K=2')
        """
        return self.title_template.format(p=p, hops=hops)

    def infeasible(self, sizes: Sequence[int], seconds: float = 600) -> str:
        """Why graphs of these sizes are too large for it, or take more than ``seconds``; "" if they are not.

        Examples
        --------
        >>> METHODS["DE-LP"].infeasible([5_000, 20])
        'it follows walks of 5,020 steps; its limit is 4,096 nodes in all'
        """
        return self.limit(sizes, seconds)


def _distance(nodes: int) -> Encoding:
    return Distance()


def _landing(nodes: int) -> Encoding:
    # The walk matrices of both graphs together satisfy their characteristic polynomial, of degree `nodes`:
    # sequences of landing probabilities that agree up to that length agree for ever.
    return LandingProbability(nodes - 1)


def _by_name(*methods: Method) -> dict[str, Method]:
    return {method.name: method for method in methods}


METHODS = _by_name(
    Method("1-WL", "1-WL", "color refinement: the bound of GCN, SAGE and GIN"),
    Method("DE-SPD", "DE-{p} SPD", "colors from shortest-path distances to S, not truncated", _distance, "distances"),
    Method("DE-LP", "DE-{p} LP", "colors from walks of every length, exact", _landing, "walk profiles",
           limit=_walk_limit),
    Method("DEA-SPD", "DEA-{p}, K={hops}", "DE-SPD over all nodes within K hops", _distance, "distances",
           many_hops=True),
    Method("2-WL", "2-WL", "colors of all ordered pairs of nodes (folklore)", limit=_pair_limit),
)  # fmt: skip
AFTERWARDS = _by_name(
    Method("zero-one", "zero-one", "colors from marks on the targets alone", lambda nodes: ZeroOne(), "marks"),
    Method("DRNL", "DRNL", "colors from SEAL's labels of pairs", lambda nodes: DRNL(nodes), "labels", targets=2),
    Method("RWSE", "RWSE", "colors from the chances that walks of every length return, exact; blind to the targets",
           lambda nodes: RandomWalkSE(nodes),  # later return probabilities follow from these, see _landing
           "return probabilities", limit=_walk_limit),
)  # fmt: skip
"""Methods of other papers, to compare with those of distance encoding."""


def method_of(name_or_encoding: str | Encoding, many_hops: bool = False) -> Method:
    """The method of that name, or the one that an encoding makes: DE-name, or DEA-name with ``many_hops``.

    Examples
    --------
    >>> from degnn_explore import PageRank
    >>> method_of("DE-LP").name, method_of(PageRank(0.5)).title(2)
    ('DE-LP', "DE-2 PageRank(pool='mean', alpha=0.5)")
    """
    if isinstance(name_or_encoding, Encoding):
        zeta = name_or_encoding
        return _of_encoding(name_of(zeta) or getattr(zeta, "name", None) or repr(zeta), zeta, many_hops)
    registered = {f"{kind}-{name}": (name, kind == "DEA") for name in REGISTRY for kind in ("DE", "DEA")}
    built_in = METHODS | AFTERWARDS
    full_name = check_choice("method", name_or_encoding, [*built_in, *registered])
    if full_name in built_in:
        return built_in[full_name]
    name, many = registered[full_name]
    return _of_encoding(name, REGISTRY[name], many)


def _of_encoding(name: str, encoding: Encoding, many_hops: bool) -> Method:
    title_template = name.replace("{", "{{").replace("}", "}}")
    return Method(
        f"DEA-{name}" if many_hops else f"DE-{name}",
        f"DEA-{{p}} {title_template}, K={{hops}}" if many_hops else f"DE-{{p}} {title_template}",
        f"colors from the encoding {name!r}" + (" over all nodes within K hops" if many_hops else ""),
        lambda nodes: encoding,
        "values",
        many_hops=many_hops,
        custom=encoding,
    )


@dataclass(frozen=True)
class GraphMethod:
    """A method with options that represents a whole graph: by a multiset over its nodes, its edges or its p-sets."""

    method: Method
    order: int | Literal["edges"] = 1
    hops: int = 1

    def sets(self, G: Graph) -> NDArray[np.int64]:
        """The target sets whose colors represent G [k, p]; all nodes as one set for 1-WL."""
        if self.method.encoding is None:
            return np.arange(G.num_nodes)[None, :]
        if self.order == "edges":
            return np.asarray(G.edges)
        return np.array(list(combinations(range(G.num_nodes), self.order)), dtype=np.int64).reshape(-1, self.order)

    def check(self, G: Graph) -> None:
        """Raise a ParameterError if G has no set of that order, or too many."""
        if self.method.encoding is None or self.order == "edges":
            return
        p = check_int("order", self.order, least=1)
        if p > G.num_nodes:
            raise ParameterError(f"order={p}, but a graph of {G.num_nodes} nodes has no such set.")
        count = comb(G.num_nodes, min(p, G.num_nodes - p, 9))  # of 20 nodes or more these are too many already
        if count > MAX_SETS:
            raise ParameterError(
                f"order={p} means {count:,} sets or more in a graph of {G.num_nodes} nodes, more than {MAX_SETS:,}; "
                "take a lower order, or order='edges'."
            )

    @property
    def options(self) -> dict[str, Any]:
        """The same as options of :func:`degnn_explore.distinguish`."""
        hops = {"hops": self.hops} if self.method.many_hops else {}
        return {"method": self.method.name, **hops, **({} if self.order == 1 else {"order": self.order})}

    def arcs(self, G: Graph) -> int:
        """The approximate number of arcs in its refinement of G."""
        sets = G.num_edges if self.order == "edges" else comb(G.num_nodes, self.order)
        return (1 if self.method.encoding is None else sets) * (G.num_nodes + khop_size(G, self.hops))


WHOLE_GRAPHS = {
    **{METHODS[name].title(): GraphMethod(METHODS[name]) for name in ("1-WL", "2-WL", "DE-SPD", "DE-LP")},
    "zero-one": GraphMethod(AFTERWARDS["zero-one"]),
    "RWSE": GraphMethod(AFTERWARDS["RWSE"]),
    "DEA-1, K=2": GraphMethod(METHODS["DEA-SPD"], hops=2),
    "DE-2 edges": GraphMethod(METHODS["DE-SPD"], "edges"),
    "DE-2 pairs": GraphMethod(METHODS["DE-SPD"], 2),
    "DE-3": GraphMethod(METHODS["DE-SPD"], 3),
}
"""The methods for whole graphs by title; ``de.theory.METHODS``.

Examples
--------
>>> list(WHOLE_GRAPHS)[:2]
['1-WL', '2-WL']
"""
