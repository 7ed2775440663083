"""ζ that the compiled loops do not make: a function of pairs, called on many at a time, or any other encoding.

The loops gather what a function of pairs needs (distances, walks, degrees on the cut graph) for many sets in flat
arrays, the function is called once for them, and the loops that fill blocks and ego-networks take its rows from there.
Any other encoding is asked set by set, for the whole graph.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError
from ..common.limits import fits
from ..encodings.base import Encoding
from ..encodings.own import FunctionEncoding, Near
from ..graphs.graph import Graph
from . import _zeta
from ._ball import Net, Request, Scratch

PAIRS = 1 << 16  # that a function is given at a time: larger arrays leave the cache, smaller ones are many calls
MOST_NUMBERS = 10**10  # of an encoding that is asked set by set: about an hour for a quick one
WHOLE = ("distance", "degree", "target_degree")  # inputs that are whole numbers, in the order of the loops
Fill = Callable[[int, int, Scratch], None]


@dataclass(frozen=True)
class Given:
    """How ζ is made: the encoding, the graph, and the request by which the loops gather what it needs."""

    encoding: Encoding
    graph: Graph
    net: Net
    request: Request

    def check(self, sets: NDArray[np.int64]) -> None:
        """A ParameterError if these are more sets than can be asked one by one."""
        numbers = sets.size * self.graph.num_nodes * self.encoding.dim
        if not isinstance(self.encoding, FunctionEncoding) and numbers > MOST_NUMBERS:
            raise ParameterError(
                f"{self.encoding!r} is computed set by set on the whole graph, here {numbers:.1e} numbers for "
                f"{len(sets):,} sets on {self.graph.num_nodes:,} nodes, more than {MOST_NUMBERS:.0e}. Take fewer sets "
                "or a smaller graph, or write it as a function of pairs, de.encoding(name, fn), which is much quicker."
            )

    def feeding(self, sets: NDArray[np.int64], caps: NDArray[np.int64], fill: Fill) -> Fill:
        """``fill``, which writes a range of these sets, given their ζ."""

        def fed(begin: int, end: int, scratch: Scratch) -> None:
            while begin < end:
                number, zeta = self._some(sets, caps, begin, end, scratch)
                scratch.taken[0] = 0
                fill(begin, begin + number, scratch._replace(given=zeta))
                begin += number

        return fed

    def _some(
        self, sets: NDArray[np.int64], caps: NDArray[np.int64], begin: int, end: int, scratch: Scratch
    ) -> tuple[int, NDArray[np.float64]]:
        """ζ(u|v) of the first of these sets: of how many, and their rows one after the other. [rows, p * dim]"""
        p, zeta = sets.shape[1], self.encoding
        by_pairs = isinstance(zeta, FunctionEncoding)
        steps, reads = (zeta.steps, zeta.reads) if isinstance(zeta, FunctionEncoding) else (-1, frozenset())
        number, rows = 0, max(1, PAIRS // p)
        while number == 0:
            what = "What an encoding is made of, for a single target set,"
            fits(what, 8 * rows * p * (4 + steps + zeta.dim), budget=self.request.budget)
            node, walks = np.empty(rows, np.int64), np.empty((rows, p * (steps + 1)))
            whole = {name: np.empty((rows, p * (name in reads)), np.int64) for name in WHOLE}
            some = (sets, caps, begin, end if by_pairs else begin + 1, scratch)
            number, rows = _zeta.pairs(self.net, self.request, steps, *some, node, walks, *whole.values())
        if isinstance(zeta, FunctionEncoding):
            inputs: dict[str, Any] = {name: array[:rows].reshape(-1) for name, array in whole.items() if name in reads}
            inputs |= {"walks": walks[:rows].reshape(rows * p, -1)} if steps >= 0 else {}
            values = zeta.values(Near(rows * p, inputs)).reshape(rows, p, zeta.dim)
        else:
            values = zeta.pairwise(self.graph, sets[begin], True)[:, node[:rows]].transpose(1, 0, 2)
        zeta.need_finite(self.graph, values, 0, node)
        return number, np.require(values.reshape(rows, -1), np.float64, ["C", "W"])  # else the loops compile anew


def make_given(encoding: Encoding, graph: Graph, net: Net, request: Request) -> Given:
    """For the request of the blocks or ego-networks: that of the paths and walks is made from it."""
    n, far = graph.num_nodes, -1
    if isinstance(encoding, FunctionEncoding) and "distance" in encoding.reads:
        far = n - 1 if encoding.max_dist is None else min(encoding.max_dist - 1, n - 1)
    return Given(encoding, graph, net, request._replace(reach=far))
