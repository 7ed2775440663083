"""An untrained DE-GNN-1 with random weights, as in Fig. 2(a): how much of the exact colors do real numbers keep?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ..common.errors import check_choice, check_int
from ..common.extras import needs_extra
from ..common.progress import check_cancelled
from ..graphs.distances import set_distances
from ..graphs.graph import Graph
from ..graphs.union import disjoint_union

__all__ = ["TOLERANCE", "RandomNetwork", "close_fraction"]

Floats = NDArray[np.floating[Any]]
_ROWS = 50_000  # rows of h at a time: some 15 MB
_UNION = 400  # nodes of small graphs that are run together
TOLERANCE = {"float64": 1e-13, "float32": 1e-6}
"""Two representations count as equal if their distance is at most this, relative to the largest norm among them.

Nodes of the same exact color differ by rounding alone: measured, by less than 1e-15 and 5e-7.

Examples
--------
>>> TOLERANCE["float64"]
1e-13
"""


@dataclass(frozen=True)
class RandomNetwork:
    """DE-GNN-1 with SPD, L layers and random weights:

    h_v' = σ(h_v W_0 + sum over k = 1..K of (1 / s_k) (sum over u at distance k from v of h_u) W_k + b),

    h_u at the start the one-hot of SPD(u, v), and s_k = d (d - 1)^(k - 1), d the mean degree: a constant that keeps
    the numbers near 1. Weights are normal, drawn in float64 from ``seed`` and then rounded to ``dtype``, so that both
    precisions run the same network.

    Only the ball of K·L hops around v matters, and of it, in layer l, the nodes within K·(L - l).
    With σ = tanh the network is as good as injective. With ReLU it is not quite: where all units stay on
    the linear side, a layer adds up its neighbors' messages and cannot tell which came from whom.

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
            check_int(name, getattr(self, name), least=1, most=1000)
        check_int("seed", self.seed, least=0)
        check_choice("dtype", self.dtype, TOLERANCE)
        check_choice("activation", self.activation, ("tanh", "relu"))

    def weights(self) -> tuple[Floats, Floats]:
        """W [L, K + 1, width, hidden] and b [L, hidden]; of the first layer's W, the first K·L + 1 rows are used."""
        rng = np.random.default_rng(self.seed)
        width = max(self.hidden, self.hops * self.layers + 1)
        gain = 2.0 if self.activation == "relu" else 1.0
        W = rng.normal(0.0, np.sqrt(gain / self.hidden / 2), (self.layers, self.hops + 1, width, self.hidden))
        W[0] *= np.sqrt(self.hidden)  # a one-hot input has one entry, not `hidden` of them
        return W.astype(self.dtype), rng.normal(0.0, 0.1, (self.layers, self.hidden)).astype(self.dtype)

    def run(self, graphs: Sequence[Graph], *, step: Callable[[int], object] = lambda targets: None) -> Floats:
        """The representation of every node as its own target after 1..L layers. [L, number of nodes, hidden]"""
        with needs_extra("a random network"):
            from ..learn.predicting import torch_threads

        degree = max(sum(len(G.indices) for G in graphs) / max(sum(G.num_nodes for G in graphs), 1), 2.0)
        weights, parts = self.weights(), [np.zeros((self.layers, 0, self.hidden), dtype=self.dtype)]
        for G in _unions(graphs):
            away = set_distances(G, np.arange(G.num_nodes)[:, None])[:, 0]  # [n, n]
            near = [csr_array(away == k + 1).astype(self.dtype) for k in range(self.hops)]
            for k, matrix in enumerate(near):
                matrix.data /= degree * (degree - 1) ** k
            ball = int(np.count_nonzero((away >= 0) & (away <= self.hops * self.layers))) / G.num_nodes
            at_once = max(1, int(_ROWS / ball))
            for first in range(0, G.num_nodes, at_once):
                check_cancelled("the random network")
                with torch_threads(1):  # small products: a second thread only waits
                    parts.append(self._targets(away[first : first + at_once], near, *weights))
                step(parts[-1].shape[1])
        return np.concatenate(parts, axis=1)

    def _targets(self, away: NDArray[np.int32], near: list[Any], W: Floats, b: Floats) -> Floats:
        """The representations of some targets, from their distances to all nodes [t, n]. [L, t, hidden]

        A row of h is a node in the ball of a target, by distance: the nodes that layer l still needs are the first.
        """
        import torch

        target, node = np.nonzero((away >= 0) & (away <= self.hops * self.layers))
        order = np.argsort(away[target, node], kind="stable")
        target, node = target[order], node[order]
        dist = away[target, node]
        row_of = np.zeros(away.shape, dtype=np.int64)
        row_of[target, node] = np.arange(len(node))
        inner = np.searchsorted(dist, self.hops * (self.layers - 1 - np.arange(self.layers)), side="right")
        sums = []
        for matrix in near:
            rows = matrix[node[: inner[0]]]
            column = row_of[np.repeat(target[: inner[0]], np.diff(rows.indptr)), rows.indices]
            sums.append(csr_array((rows.data, column, rows.indptr), shape=(inner[0], len(node))))
        h = torch.from_numpy(np.eye(self.hops * self.layers + 1, dtype=self.dtype)[dist])
        out = []
        for m, weight, bias in zip(inner, torch.from_numpy(W), torch.from_numpy(b), strict=True):
            new = torch.addmm(bias, h[:m], weight[0, : h.shape[1]])
            for matrix, weight_k in zip(sums, weight[1:], strict=True):
                new += torch.from_numpy(matrix[:m, : len(h)] @ h.numpy()) @ weight_k[: h.shape[1]]
            h = torch.tanh(new) if self.activation == "tanh" else torch.relu(new)
            out.append(h[: len(away)].numpy())
        return np.stack(out)


def _unions(graphs: Sequence[Graph]) -> Iterator[Graph]:
    """The graphs in order, small ones side by side in one graph."""
    part: list[Graph] = []
    for i, G in enumerate(graphs, start=1):
        part.append(G)
        if sum(H.num_nodes for H in part) >= _UNION or i == len(graphs):
            yield disjoint_union(part)
            part = []


def close_fraction(h: Floats, tolerance: float) -> float:
    """The fraction of pairs of rows whose distance is at most tolerance times the largest norm; nan without a pair.

    Examples
    --------
    >>> close_fraction(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), 1e-9)  # one pair of three
    0.3333333333333333
    """
    from scipy.spatial import cKDTree

    n = len(h)
    if n < 2:
        return float("nan")
    points, copies = np.unique(h.astype(np.float64), axis=0, return_counts=True)
    reach = tolerance * float(np.linalg.norm(points, axis=1).max())
    tree = cKDTree(points)
    close = int(tree.count_neighbors(tree, reach, weights=copies.astype(np.float64)))  # ordered, each with itself too
    return (close - n) / (n * (n - 1))
