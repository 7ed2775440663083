"""BUDDY and NCN, two link predictors after distance encoding: one counts nodes, the other pools common neighbors."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ...common.errors import ParameterError
from ...common.progress import quietly, report
from ...encodings.paths import SPD
from ...engine.batch import Step
from ...engine.egonets import ego_networks
from ...engine.features import DegreesAsGiven, inner_edges, set_features
from ...graphs.graph import Graph
from .base import Dropout, Hyper, Ints, Rows, SetNet, Shape

_AT_ONCE = 2048  # pairs whose ego-networks are in memory together
_LAYERS = Hyper(2, least=1, most=100)
_HIDDEN = Hyper(32, least=1)
_DROPOUT = Hyper(0.0, least=0.0, most=0.9)


def distance_histogram(graph: Graph, pairs: Ints, most: int) -> NDArray[np.float32]:
    """How many nodes are i from a and j from b, for i, j = 1..most or farther, the link a–b cut. [k, (most + 1)²]

    Entry (i - 1, j - 1), row by row; index ``most`` stands for farther than ``most``, or no path. Nodes farther than
    that from both are not counted, and neither are a and b. This is the histogram of DE-2: how many nodes u have each
    value of ζ(u|{a, b}), with distances.

    Examples
    --------
    >>> square = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0), (2, 4)])
    >>> distance_histogram(square, np.array([[0, 2]]), 1)  # 1 and 3 touch both, 4 touches one
    array([[2., 0., 1., 0.]], dtype=float32)
    """
    encoding = SPD(max_dist=most + 1, pool=None)
    width, side = encoding.dim, most + 1
    counts = np.zeros((len(pairs), side * side), dtype=np.float32)
    for begin in range(0, len(pairs), _AT_ONCE):
        some = pairs[begin : begin + _AT_ONCE]
        if len(pairs) > _AT_ONCE:
            report("counting nodes by distance", begin / len(pairs))
        with quietly() if len(pairs) > _AT_ONCE else nullcontext():
            egos = ego_networks(graph, some, hops=most, encoding=encoding, degree=False, progress=False)
        flat = egos.part(np.arange(len(some)))
        zeta = flat.x[:, -2 * width :].reshape(-1, 2, width)  # attributes, if there are any, come first
        away = np.minimum(zeta.argmax(axis=2), side)  # the last entry is "no path"
        of_pair = np.repeat(np.arange(len(some)), np.diff(flat.node_ptr))
        near = (away > 0).all(axis=1)
        place = (of_pair * side + away[:, 0] - 1) * side + away[:, 1] - 1
        counts[begin : begin + len(some)] = np.bincount(place[near], minlength=counts[0].size * len(some)).reshape(
            len(some), -1
        )
    return counts


class BUDDY(SetNet):
    """BUDDY with exact counts: a perceptron on how many nodes are i from a and j from b.

    Chamberlain et al., "Graph Neural Networks for Link Prediction with Subgraph Sketching" (ICLR 2023), Eqs. 5 and 6:
    A_ab[i, j] = |{u: d(u, a) = i, d(u, b) = j}| and B_ab[i] = |{u: d(u, a) = i, d(u, b) > k}| for i, j = 1..k, which
    they estimate with sketches. Here they are exact, with the pair's own link cut. The counts of (i, j) and (j, i) are
    added, so that (a, b) and (b, a) get the same score. The perceptron also reads x_a ∘ x_b and x_a + x_b of the node
    features, which are not propagated.
    """

    HYPER: ClassVar = {
        "distances": Hyper(2, least=1, most=10),
        "layers": _LAYERS,
        "hidden": _HIDDEN,
        "dropout": _DROPOUT,
    }

    def __init__(self, name: str, shape: Shape, **hyper: Any) -> None:
        side = hyper["distances"] + 1
        counts, base = side * (side + 1) // 2 - 1, 1 + shape.num_attributes
        super().__init__(name, shape, hyper, counts + 2 * base)
        widths = [counts + 2 * base, *[hyper["hidden"]] * hyper["layers"]]
        self.hidden = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))
        self.dropout = Dropout(hyper["dropout"])
        self.out = nn.Linear(hyper["hidden"], shape.outputs)

    @property
    def horizon(self) -> int:
        return int(self.hyper["distances"])

    def prepare(self, graph: Graph, sets: Ints) -> Rows:
        self.check(graph, sets)
        side = self.hyper["distances"] + 1
        counts = distance_histogram(graph, sets, side - 1).reshape(-1, side, side)
        i, j = np.triu_indices(side)
        both = (counts + counts.transpose(0, 2, 1))[:, i, j] / np.where(i == j, 2, 1)
        both = np.log1p(both[:, :-1])  # the last, farther from both, is never counted
        x = set_features(graph, sets)  # [k, 2, d]
        rows = np.concatenate([both, x[:, 0] * x[:, 1], x[:, 0] + x[:, 1]], axis=1)
        return Rows((torch.from_numpy(np.ascontiguousarray(rows, dtype=np.float32)),))

    def features(self, batch: Tensor) -> list[Tensor]:
        return [batch]

    def feature_units(self, size: Tensor) -> Tensor:
        return size  # every count and feature gets size one

    def forward(self, batch: Tensor) -> Tensor:  # [k, counts + 2 d] -> [k]
        h = batch * self.scale
        for linear in self.hidden:
            h = self.dropout(torch.relu(linear(h)))
        return self.out(h).squeeze(1)


class NCN(SetNet):
    """Neural Common Neighbor: h = GNN(A, X); the score of (a, b) is MLP([h_a ∘ h_b, Σ_{u ∈ N(a) ∩ N(b)} h_u]).

    Wang, Yang & Zhang, "Neural Common Neighbor with Completion for Link Prediction" (ICLR 2024), Eq. 9, without the
    completion. The GNN is a GCN on the whole graph, with log-degrees and attributes as features. In training, all links
    of a batch are removed from the graph before the GNN runs, as in the paper. Afterwards only the pair's own link is
    removed, so that its score does not depend on the other pairs of the batch.
    """

    HYPER: ClassVar = {"layers": _LAYERS, "hidden": _HIDDEN, "dropout": _DROPOUT}

    def __init__(self, name: str, shape: Shape, **hyper: Any) -> None:
        width, hidden = 1 + shape.num_attributes, hyper["hidden"]
        super().__init__(name, shape, hyper, width)
        widths = [width, *[hidden] * hyper["layers"]]
        self.convs = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))
        self.dropout = Dropout(hyper["dropout"])
        self.mlp = nn.Sequential(nn.Linear(2 * hidden, hidden), nn.ReLU(), nn.Linear(hidden, shape.outputs))

    @property
    def horizon(self) -> int:
        return int(self.hyper["layers"]) + 1  # around a common neighbor

    def prepare(self, graph: Graph, sets: Ints) -> Rows:
        self.check(graph, sets)
        if isinstance(graph, DegreesAsGiven):
            raise ParameterError(
                f"{self.name} computes degrees itself, so it cannot follow a protocol in which degrees leak."
            )
        own = inner_edges(graph, sets)[:, 0, 1]
        attributes = np.zeros((graph.num_nodes, 0)) if graph.attributes is None else graph.attributes
        row = np.repeat(np.arange(graph.num_nodes), graph.degrees)
        shared = [np.array(a, dtype=np.int64) for a in (graph.indptr, graph.indices, row)]
        rows = (np.array(sets, dtype=np.int64), own, *shared, attributes.astype(np.float32))
        pairs, is_edge, *whole = (torch.from_numpy(array) for array in rows)
        return Rows((pairs, is_edge), shared=tuple(whole))

    def features(self, batch: tuple[Tensor, ...]) -> list[Tensor]:
        indptr, attributes = batch[2], batch[5]
        return [torch.cat([torch.log1p(indptr.diff())[:, None], attributes], dim=1)]

    def forward(self, batch: tuple[Tensor, ...]) -> Tensor:
        pairs, own, *graph = batch
        if self.training:
            return self._scores(pairs, self._nodes(graph, pairs[own]), graph)
        scores = self._scores(pairs, self._nodes(graph, pairs[:0]), graph)
        for row in np.flatnonzero(own.cpu().numpy()).tolist():
            pair = pairs[row : row + 1]
            scores[row] = self._scores(pair, self._nodes(graph, pair), graph)[0]
        return scores

    def _nodes(self, graph: list[Tensor], removed: Tensor) -> Tensor:
        """h_v of every node in the graph without these edges. [n, hidden]"""
        indptr, indices, row, attributes = graph
        n = len(indptr) - 1
        kept = torch.ones(len(indices), device=indices.device)
        if len(removed):
            a, b = removed[:, 0], removed[:, 1]
            kept[torch.searchsorted(row * n + indices, torch.cat([a * n + b, b * n + a]))] = 0.0
        degrees = torch.zeros(n, device=kept.device).index_add_(0, row, kept)
        inverse = (degrees + 1).rsqrt()
        matrix = (indptr, indices, inverse[row] * inverse[indices] * kept)  # D^-1/2 A D^-1/2, D with loops: symmetric
        step = Step(torch.arange(n, device=kept.device), 1, n, *matrix, back=matrix)
        h = torch.cat([torch.log1p(degrees)[:, None], attributes], dim=1) * self.scale
        for conv in self.convs:
            sent = conv(h)
            h = self.dropout(torch.relu(step.aggregate(sent)[:, 0] + inverse.square()[:, None] * sent))
        return h

    def _scores(self, pairs: Tensor, h: Tensor, graph: list[Tensor]) -> Tensor:
        of_pair, node = common_neighbors_of(pairs, *graph[:3])
        pooled = torch.zeros((len(pairs), h.shape[1]), dtype=h.dtype, device=h.device)
        pooled = pooled.index_add(0, of_pair, h.index_select(0, node))
        a, b = h.index_select(0, pairs[:, 0]), h.index_select(0, pairs[:, 1])
        return self.mlp(torch.cat([a * b, pooled], dim=1)).squeeze(1)  # [k] or [k, C]


def common_neighbors_of(pairs: Tensor, indptr: Tensor, indices: Tensor, row: Tensor) -> tuple[Tensor, Tensor]:
    """The common neighbors of all pairs, as (number of the pair, node), pair by pair.

    ``indptr``, ``indices`` and ``row`` hold every edge in both directions, sorted by its first node ``row``.

    Examples
    --------
    >>> square = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])
    >>> row = np.repeat(np.arange(4), square.degrees)
    >>> graph = [torch.from_numpy(np.array(a, dtype=np.int64)) for a in (square.indptr, square.indices, row)]
    >>> common_neighbors_of(torch.tensor([[0, 1], [0, 2]]), *graph)
    (tensor([1, 1]), tensor([1, 3]))
    """
    n = len(indptr) - 1
    a, b = pairs[:, 0], pairs[:, 1]
    swap = indptr[a + 1] - indptr[a] > indptr[b + 1] - indptr[b]
    a, b = torch.where(swap, b, a), torch.where(swap, a, b)  # look up the neighbors of the node that has fewer
    many = indptr[a + 1] - indptr[a]
    of_pair = torch.repeat_interleave(torch.arange(len(pairs), device=pairs.device), many)
    offset = torch.arange(len(of_pair), device=pairs.device) - torch.repeat_interleave(many.cumsum(0) - many, many)
    node = indices[indptr[a][of_pair] + offset]
    key, wanted = row * n + indices, b[of_pair] * n + node
    place = torch.searchsorted(key, wanted).clamp(max=max(len(key) - 1, 0))
    shared = key[place] == wanted if len(key) else torch.zeros(0, dtype=torch.bool, device=key.device)
    return of_pair[shared], node[shared]
