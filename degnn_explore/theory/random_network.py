"""An untrained DE-GNN-1 with random weights, as in Fig. 2(a): how much of the exact colours do real numbers keep?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import one_of, whole_number
from ..common.stopping import raise_if
from ..expressive.own_targets import khop_union
from ..graphs.graph import Graph

__all__ = ["TOLERANCE", "RandomNetwork", "close_fraction"]

Floats = NDArray[np.floating[Any]]
TOLERANCE = {"float64": 1e-13, "float32": 1e-6}
"""Two representations count as equal if their distance is at most this, relative to the largest norm among them.

Nodes of the same exact colour differ by rounding alone: measured, by less than 1e-15 and 5e-7.
"""


@dataclass(frozen=True)
class RandomNetwork:
    """DE-GNN-1 with SPD, L layers and random weights:

    h_v' = σ(h_v W_0 + sum over k = 1..K of (1 / s_k) (sum over u at distance k from v of h_u) W_k + b),

    h_u at the start the one-hot of SPD(u, v), and s_k = d (d - 1)^(k - 1), d the mean degree: a constant that keeps
    the numbers near 1. Weights are normal, drawn in float64 from ``seed`` and then rounded to ``dtype``, so that both
    precisions run the same network.

    With σ = tanh the network is as good as injective. With ReLU it is not quite: where all units stay on
    the linear side, a layer adds up what its neighbours say and forgets who said what.

    Examples
    --------
    >>> import degnn_explore as de
    >>> h = RandomNetwork(layers=2, hidden=8).run([de.zoo.two_triangles(), de.zoo.hexagon()])
    >>> h.shape  # layers, nodes, hidden
    (2, 12, 8)
    >>> bool(np.allclose(h[0], h[0][0])), bool(np.allclose(h[1][0], h[1][6]))
    (True, False)
    """

    layers: int = 6
    hops: int = 1
    hidden: int = 32
    dtype: str = "float64"
    activation: str = "tanh"
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("layers", "hops", "hidden"):
            whole_number(name, getattr(self, name), least=1)
        whole_number("seed", self.seed, least=0)
        one_of("dtype", self.dtype, TOLERANCE)
        one_of("activation", self.activation, ("tanh", "relu"))

    def weights(self) -> tuple[Floats, Floats]:
        """W [L, K + 1, width, hidden] and b [L, hidden]; of the first layer's W, the first K·L + 1 rows are used."""
        rng = np.random.default_rng(self.seed)
        width = max(self.hidden, self.hops * self.layers + 1)
        gain = 2.0 if self.activation == "relu" else 1.0
        W = rng.normal(0.0, np.sqrt(gain / self.hidden / 2), (self.layers, self.hops + 1, width, self.hidden))
        W[0] *= np.sqrt(self.hidden)  # a one-hot input has one entry, not `hidden` of them
        return W.astype(self.dtype), rng.normal(0.0, 0.1, (self.layers, self.hidden)).astype(self.dtype)

    def run(
        self, graphs: Sequence[Graph], *, stop: Event | None = None, step: Callable[[int], object] | None = None
    ) -> Floats:
        """The representation of every node as its own target after 1..L layers. [L, number of nodes, hidden]"""
        from . import _kernels as compiled

        start, arcs, tags = khop_union(graphs, self.hops)
        n = len(start) - 1
        degree = max((tags == 1).sum() / max(n, 1), 2.0)
        scale = np.array([1.0, *(1 / (degree * (degree - 1) ** k) for k in range(self.hops))], dtype=self.dtype)
        W, b = self.weights()
        out = np.empty((self.layers, n, self.hidden), dtype=self.dtype)
        for first in range(0, n, 500):
            raise_if(stop, "the random network was cancelled")
            roots = np.arange(first, min(first + 500, n))
            part = np.empty((self.layers, len(roots), self.hidden), dtype=self.dtype)
            compiled.random_network(
                start, arcs, tags, self.hops, self.layers, roots, W, b, scale, self.activation == "tanh", part
            )
            out[:, roots] = part
            if step is not None:
                step(len(roots))
        return out


def close_fraction(h: Floats, tolerance: float) -> float:
    """The fraction of pairs of rows whose distance is at most tolerance times the largest norm; nan without a pair.

    Examples
    --------
    >>> close_fraction(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), 1e-9)  # one pair of three
    0.3333333333333333
    """
    from . import _kernels as compiled

    n = len(h)
    if n < 2:
        return float("nan")
    points, copies = np.unique(h.astype(np.float64), axis=0, return_counts=True)
    reach = tolerance * float(np.linalg.norm(points, axis=1).max())
    along = np.random.default_rng(0).normal(size=points.shape[1])
    line = points @ (along / np.linalg.norm(along))
    order = np.argsort(line)
    return int(compiled.close_pairs(points[order], copies[order], line[order], reach)) / (n * (n - 1) / 2)
