"""Encodings of your own: ζ that the compiled loops do not compute.

The loops gather what a function of pairs needs (distances, walks, degrees on the cut graph) for many sets in flat
arrays; the function is called once for all of them, and the loops that fill blocks and ego-networks read its rows.
Any other encoding is computed set by set, on the whole graph.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError, check_memory
from ..encodings.base import Encoding
from ..encodings.custom import FunctionEncoding, PairInputs
from ..graphs.graph import Graph
from . import _zeta
from ._ball import Memory, Net, OwnRows, Request

PAIRS = 1 << 16  # per call of the function: larger arrays leave the cache, smaller ones take many calls
MOST_NUMBERS = 10**10  # of an encoding computed set by set: about an hour for a quick one
INTEGER_INPUTS = ("distance", "degree", "target_degree")  # in the order of the loops
Fill = Callable[[int, int, Memory], None]


@dataclass(frozen=True)
class OwnEncoding:
    """An encoding, the graph, and the request by which the loops gather what the encoding needs."""

    encoding: Encoding
    graph: Graph
    net: Net
    request: Request

    def check(self, sets: NDArray[np.int64]) -> None:
        """A ParameterError if there are too many sets to compute one by one."""
        numbers = self.encoding.effort * sets.size * self.graph.num_nodes * self.encoding.dim
        if not isinstance(self.encoding, FunctionEncoding) and numbers > MOST_NUMBERS:
            raise ParameterError(
                f"{self.encoding!r} is computed set by set on the whole graph, here {numbers:.1e} numbers for "
                f"{len(sets):,} sets on {self.graph.num_nodes:,} nodes, more than {MOST_NUMBERS:.0e}. Take fewer sets "
                "or a smaller graph, or write it as a function of pairs, de.encoding(name, fn), which is much quicker."
            )

    def with_zeta(self, sets: NDArray[np.int64], caps: NDArray[np.int64] | None, fill: Fill) -> Fill:
        """``fill``, which writes a range of these sets, with their ζ in the working memory."""

        def fill_with_zeta(begin: int, end: int, memory: Memory) -> None:
            while begin < end:
                number, zeta = self._compute(sets, caps, begin, end, memory)
                fill(begin, begin + number, Memory(memory.ball, None, None, OwnRows(zeta, np.zeros(1, np.int64))))
                begin += number

        return fill_with_zeta

    def _compute(
        self, sets: NDArray[np.int64], caps: NDArray[np.int64] | None, begin: int, end: int, memory: Memory
    ) -> tuple[int, NDArray[np.float64]]:
        """ζ(u|v) of the first of these sets: how many sets, and their rows one after the other. [rows, p * dim]"""
        p, zeta = sets.shape[1], self.encoding
        by_pairs = isinstance(zeta, FunctionEncoding)
        steps = (zeta.walks or -1) if isinstance(zeta, FunctionEncoding) else -1
        row_bytes, budget = 8 * p * (4 + steps + zeta.dim), self.request.budget
        number, rows = 0, max(1, min(PAIRS // p, budget // row_bytes))
        while number == 0:
            check_memory("The inputs of an encoding, for a single target set,", rows * row_bytes, budget=budget)
            node, walks = np.empty(rows, np.int64), np.empty((rows, p * (steps + 1)))
            integers = {name: np.empty((rows, p * by_pairs), np.int64) for name in INTEGER_INPUTS}
            some = (sets, caps, begin, end if by_pairs else begin + 1, memory.ball, memory.paths, memory.walks)
            number, rows = _zeta.pairs(self.net, self.request, steps, *some, node, walks, *integers.values())
        if isinstance(zeta, FunctionEncoding):
            inputs = {name: array[:rows].reshape(-1) for name, array in integers.items()}
            visits = walks[:rows].reshape(rows * p, -1) if steps > 0 else None
            values = zeta.values(PairInputs(**inputs, walks=visits)).reshape(rows, p, zeta.dim)
        else:
            values = zeta.pairwise(self.graph, sets[begin], True)[:, node[:rows]].transpose(1, 0, 2)
        zeta.need_finite(self.graph, values, 0, node)
        return number, np.require(values.reshape(rows, -1), np.float64, ["C", "W"])  # other layouts compile again


def own_encoding(encoding: Encoding, graph: Graph, net: Net, request: Request) -> OwnEncoding:
    """From the request of the blocks or ego-networks: distances are needed up to the encoding's ``max_dist``."""
    far = min(encoding.max_dist, graph.num_nodes) - 1 if isinstance(encoding, FunctionEncoding) else -1
    return OwnEncoding(encoding, graph, net, request._replace(reach=far))
