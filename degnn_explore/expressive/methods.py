"""The methods that tell things apart, one entry each; verdicts, the Explorer, the scoreboard and the command read it.

A method becomes exact by refinement of what it sees at layer 0 (its encoding); 2-WL colours pairs of nodes instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError, whole_number
from ..encodings.base import Encoding
from ..encodings.paths import Distance
from ..encodings.walks import LandingProbability
from ..graphs.graph import Graph
from .refinement import khop_size

__all__ = ["METHODS", "WHOLE_GRAPHS", "Limit", "Method", "Setting"]

Ints = NDArray[np.int64]
MAX_SETS = 100_000


@dataclass(frozen=True)
class Limit:
    """Up to which size of two graphs a method works, and why no further."""

    size: Callable[[Sequence[int]], int]  # what counts of the two numbers of nodes
    most: int
    quick: int  # what takes a moment: the Explorer asks no more
    nodes: str  # what ``most`` counts
    because: str
    instead: str


@dataclass(frozen=True)
class Method:
    """A way to tell two target sets, or two graphs, apart."""

    name: str
    what: str
    spelt: str  # its title, with p and hops in braces
    encoding: Callable[[int], Encoding] | None = None  # for graphs of so many nodes together
    hint: str = ""  # beside its name in a menu
    nouns: str = ""  # what the encodings of several nodes are called
    many_hops: bool = False
    limit: Limit | None = None

    def title(self, p: int = 1, hops: int = 1) -> str:
        """Its name in the paper's words.

        Examples
        --------
        >>> METHODS["DE-SPD"].title(2), METHODS["DEA-SPD"].title(1, hops=2)
        ('DE-2 SPD', 'DEA-1, K=2')
        """
        return self.spelt.format(p=p, hops=hops)

    @property
    def menu(self) -> str:
        """Its name with a hint."""
        return f"{self.name} ({self.hint})" if self.hint else self.name

    def infeasible(self, sizes: Sequence[int], quick: bool = False) -> str:
        """Why graphs of so many nodes are too much for it (or for a ``quick`` answer); "" if they are not.

        Examples
        --------
        >>> METHODS["2-WL"].infeasible([500, 20], quick=True)
        'it colours all pairs of 500 nodes; shown up to 400 nodes'
        """
        if self.limit is None:
            return ""
        size, most = self.limit.size(sizes), self.limit.quick if quick else self.limit.most
        if size <= most:
            return ""
        known = f"shown up to {most:,}" if quick else f"its limit is {most:,}"
        return f"{self.limit.because.format(size=size)}; {known} {self.limit.nodes}"


def _landing(nodes: int) -> Encoding:
    # the walk matrices of both graphs together satisfy their characteristic polynomial, of degree
    # `nodes`: sequences of landing probabilities that agree so far agree for ever
    return LandingProbability(nodes - 1)


METHODS = {
    method.name: method
    for method in (
        Method("1-WL", "colour refinement: the bound of GCN, SAGE and GIN", "1-WL", hint="plain GNN"),
        Method(
            "DE-SPD",
            "colour refinement from shortest-path distances to S, not truncated",
            "DE-{p} SPD",
            lambda nodes: Distance(),
            nouns="distances",
        ),
        Method(
            "DE-LP",
            "colour refinement from the landing probabilities of walks of every length, exact",
            "DE-{p} LP",
            _landing,
            nouns="walk profiles",
            limit=Limit(
                sum,
                4096,
                4096,
                "nodes in all",
                "it follows walks of {size:,} steps",
                "DE-SPD, or de.colours with LandingProbability(steps)",
            ),
        ),
        Method(
            "DEA-SPD",
            "as DE-SPD, aggregating all nodes within K hops with their distances",
            "DEA-{p}, K={hops}",
            lambda nodes: Distance(),
            "K hops",
            "distances",
            many_hops=True,
        ),
        Method(
            "2-WL",
            "colours of all ordered pairs of nodes (folklore)",
            "2-WL",
            limit=Limit(
                max,
                2000,
                400,
                "nodes",
                "it colours all pairs of {size:,} nodes",
                "DE-SPD, or an ego-network of the targets",
            ),
        ),
    )
}


@dataclass(frozen=True)
class Setting:
    """A method with its options, to represent a whole graph: a multiset over its nodes, its edges or its p-sets."""

    method: Method
    order: int | Literal["edges"] = 1
    hops: int = 1

    def sets(self, G: Graph) -> Ints:
        """The target sets whose colours represent G [k, p]; all nodes as one set for 1-WL."""
        if self.method.encoding is None:
            return np.arange(G.num_nodes)[None, :]
        if self.order == "edges":
            return np.asarray(G.edges)
        return np.array(list(combinations(range(G.num_nodes), self.order)), dtype=np.int64).reshape(-1, self.order)

    def check(self, G: Graph) -> None:
        """A ParameterError where G has no set of that order, or too many."""
        if self.method.encoding is None or self.order == "edges":
            return
        p = whole_number("order", self.order, least=1)
        if p > G.num_nodes:
            raise ParameterError(f"order={p}, but a graph of {G.num_nodes} nodes has no such set.")
        few = min(p, G.num_nodes - p)
        count = comb(G.num_nodes, min(few, 6))  # of more, no number that anyone can read
        if max(count, comb(G.num_nodes, few) if G.num_nodes < 30 else 0) > MAX_SETS:
            raise ParameterError(
                f"order={p} means {count:,} sets or more in a graph of {G.num_nodes} nodes, above {MAX_SETS:,}; "
                "take a lower order, or order='edges'."
            )

    @property
    def options(self) -> dict[str, Any]:
        """The options of :func:`degnn_explore.distinguish` that ask the same."""
        options: dict[str, Any] = {"method": self.method.name}
        if self.method.many_hops:
            options["hops"] = self.hops
        return options if self.order == 1 else {**options, "order": self.order}

    def arcs(self, G: Graph) -> int:
        """About how many arcs its refinement of G takes."""
        sets = G.num_edges if self.order == "edges" else comb(G.num_nodes, self.order)
        return (1 if self.method.encoding is None else sets) * (G.num_nodes + khop_size(G, self.hops))


_SPD = METHODS["DE-SPD"]
WHOLE_GRAPHS = {
    "1-WL": Setting(METHODS["1-WL"]),
    "2-WL": Setting(METHODS["2-WL"]),
    "DE-1 SPD": Setting(_SPD),
    "DE-1 LP": Setting(METHODS["DE-LP"]),
    "DEA-1, K=2": Setting(METHODS["DEA-SPD"], hops=2),
    "DE-2 edges": Setting(_SPD, "edges"),
    "DE-2 pairs": Setting(_SPD, 2),
    "DE-3": Setting(_SPD, 3),
}
"""What a whole graph can be asked about, by the title of each."""
