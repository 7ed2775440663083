"""The methods that tell things apart, one entry each; verdicts, the Explorer, the scoreboard and the command read it.

A method is exact by refinement of what it sees at layer 0, its encoding; 2-WL refines pairs of nodes instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, log2
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError, one_of, whole_number
from ..encodings.base import Encoding
from ..encodings.own import OWN, name_of
from ..encodings.paths import Distance
from ..encodings.walks import LandingProbability
from ..graphs.graph import Graph
from .refinement import khop_size

__all__ = ["METHODS", "WHOLE_GRAPHS", "Method", "Setting", "method_of"]

MAX_SETS = 100_000
MAX_WALK = 4096  # nodes of both graphs together, for DE-LP: it follows that many steps
PAIR_SECONDS = 1.5e-9  # of 2-WL, for each triple of nodes in each layer: 27 s of CPU for two paths of 1,000 nodes


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
    spelt: str  # its title, with p and hops in braces
    what: str
    encoding: Callable[[int], Encoding] | None = None  # for graphs of so many nodes together
    nouns: str = ""  # what the encodings of several nodes are called
    hint: str = ""  # beside its name in a menu
    many_hops: bool = False
    limit: Callable[[Sequence[int], float], str] = lambda sizes, seconds: ""
    own: Encoding | None = None  # the encoding that it was made of, and not one of the entries below

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

    def infeasible(self, sizes: Sequence[int], seconds: float = 600) -> str:
        """Why graphs of so many nodes are too much for it, or take longer than that; "" if they are not.

        Examples
        --------
        >>> METHODS["DE-LP"].infeasible([5_000, 20])
        'it follows walks of 5,020 steps; its limit is 4,096 nodes in all'
        """
        return self.limit(sizes, seconds)


def _distance(nodes: int) -> Encoding:
    return Distance()


def _landing(nodes: int) -> Encoding:
    # the walk matrices of both graphs together satisfy their characteristic polynomial, of degree
    # `nodes`: sequences of landing probabilities that agree so far agree for ever
    return LandingProbability(nodes - 1)


_ALL = (
    Method("1-WL", "1-WL", "colour refinement: the bound of GCN, SAGE and GIN", hint="plain GNN"),
    Method("DE-SPD", "DE-{p} SPD", "colours from shortest-path distances to S, not truncated", _distance, "distances"),
    Method(
        "DE-LP",
        "DE-{p} LP",
        "colours from walks of every length, exact",
        _landing,
        "walk profiles",
        "",
        False,
        _walk_limit,
    ),
    Method("DEA-SPD", "DEA-{p}, K={hops}", "DE-SPD over all nodes within K hops", _distance, "distances", "", True),
    Method("2-WL", "2-WL", "colours of all ordered pairs of nodes (folklore)", limit=_pair_limit),
)
METHODS = {method.name: method for method in _ALL}


def method_of(given: str | Encoding, many_hops: bool = False) -> Method:
    """The method of that name, or of an encoding: DE-name, DEA-name with ``many_hops``, also of a registered one.

    Examples
    --------
    >>> from degnn_explore import PageRank
    >>> method_of("DE-LP").name, method_of(PageRank(0.5)).title(2)
    ('DE-LP', "DE-2 PageRank(pool='mean', alpha=0.5)")
    """
    if isinstance(given, Encoding):
        return _of_encoding(name_of(given) or getattr(given, "name", None) or repr(given), given, many_hops)
    names = {f"{kind}-{name}": (name, kind == "DEA") for name in OWN for kind in ("DE", "DEA")}
    if isinstance(given, str) and given not in METHODS and given in names:
        name, many = names[given]
        return _of_encoding(name, OWN[name], many)
    return METHODS[one_of("method", given, [*METHODS, *names])]


def _of_encoding(name: str, encoding: Encoding, many_hops: bool) -> Method:
    spelt = name.replace("{", "{{").replace("}", "}}")
    return Method(
        f"DEA-{name}" if many_hops else f"DE-{name}",
        f"DEA-{{p}} {spelt}, K={{hops}}" if many_hops else f"DE-{{p}} {spelt}",
        f"colours from the encoding {name!r}" + (" over all nodes within K hops" if many_hops else ""),
        lambda nodes: encoding,
        "values",
        many_hops=many_hops,
        own=encoding,
    )


@dataclass(frozen=True)
class Setting:
    """A method with its options, to represent a whole graph: a multiset over its nodes, its edges or its p-sets."""

    method: Method
    order: int | Literal["edges"] = 1
    hops: int = 1

    def sets(self, G: Graph) -> NDArray[np.int64]:
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
        hops = {"hops": self.hops} if self.method.many_hops else {}
        return {"method": self.method.name, **hops, **({} if self.order == 1 else {"order": self.order})}

    def arcs(self, G: Graph) -> int:
        """About how many arcs its refinement of G takes."""
        sets = G.num_edges if self.order == "edges" else comb(G.num_nodes, self.order)
        return (1 if self.method.encoding is None else sets) * (G.num_nodes + khop_size(G, self.hops))


WHOLE_GRAPHS = {
    **{METHODS[name].title(): Setting(METHODS[name]) for name in ("1-WL", "2-WL", "DE-SPD", "DE-LP")},
    "DEA-1, K=2": Setting(METHODS["DEA-SPD"], hops=2),
    "DE-2 edges": Setting(METHODS["DE-SPD"], "edges"),
    "DE-2 pairs": Setting(METHODS["DE-SPD"], 2),
    "DE-3": Setting(METHODS["DE-SPD"], 3),
}
"""What a whole graph can be asked about, by the title of each; ``de.theory.METHODS``.

Examples
--------
>>> list(WHOLE_GRAPHS)[:2]
['1-WL', '2-WL']
"""
