"""DEA-GNN-PR: every node hears every other, by its personalised PageRank (appendix, "DEA-GNN-PR")."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ...common.errors import ParameterError
from ...common.parallel import Threads
from ...encodings.paths import SPD
from ...graphs.graph import Graph
from ._fused import fuses, relu_sum, relu_sum_onto
from .base import Dropout, Hyper, Ints, SetData, SetNet, Shape, Stop
from .pagerank_exact import Exact, Heard, HeardBatch, PageRankBatch, variants
from .pagerank_top import Truncated
from .readout import COMMON_HYPER, Readout

EXACT_UP_TO = 4000  # nodes; beyond, n x n numbers would not fit and the columns are truncated


class DEAPR(SetNet):
    """DEA-GNN-PR: h_v' = ReLU(Σ_{u in V} ζ_ppr(u|v) h_u Θ), ζ_ppr(u|v) = [(I − αW)^-1]_{uv}, DE-SPD features.

    Scores are scaled by 1 − α, a factor that Θ takes, so that activations stay of order one. Up to 4,000 nodes they are
    exact, also for the graph with the edges inside S cut (:func:`woodbury`). Beyond, or with ``top``, each node hears
    only the ``top`` largest ones (the paper's remark after Eq. 8), found by pushing, in at most two layers.
    """

    HYPER: ClassVar = {
        **COMMON_HYPER,
        "max_dist": Hyper(3, paper="3, 4", least=1),
        "alpha": Hyper(0.9, paper="0.9", above=0.0, below=1.0),
        "top": Hyper(None, least=1, optional=True),
    }

    RATE: ClassVar[Hyper] = Hyper(1e-2)  # averages over the whole graph differ little from set to set

    def __init__(self, name: str, shape: Shape, **hyper: Any) -> None:
        encoding = SPD(max_dist=hyper["max_dist"])
        width = 1 + shape.num_attributes + encoding.dim
        super().__init__(name, shape, hyper, width)
        self.encoding = encoding
        self.linears = nn.ModuleList(
            nn.Linear(width if layer == 0 else hyper["hidden"], hyper["hidden"]) for layer in range(hyper["layers"])
        )
        self.dropout = Dropout(hyper["dropout"])
        self.readout = Readout(hyper["readout"], hyper["hidden"], shape)

    def prepare(self, graph: Graph, sets: Ints, *, stop: Stop = None, progress: bool = True) -> SetData:
        self.check(graph, sets)
        layers, alpha, top = self.hyper["layers"], self.hyper["alpha"], self.hyper["top"]
        threads = Threads(stop=stop, progress=progress)
        if top is None and graph.num_nodes <= EXACT_UP_TO:
            if layers == 2 and Heard.fits(graph, sets, self.encoding):
                return Heard(graph, sets, self.encoding, alpha, threads)
            return Exact(graph, sets, self.encoding, alpha, layers, threads)
        if layers > 2:
            limit = f"truncates its scores and takes at most 2 layers, not {layers}"
            raise ParameterError(f"DEA-GNN-PR on {graph.num_nodes:,} nodes {limit}.")
        return Truncated(graph, sets, self.encoding, alpha, layers, min(top or 32, graph.num_nodes), threads)

    def variants(self, graph: Graph, S: Ints, changes: Sequence[Ints]) -> Iterator[SetData]:
        whole = self.prepare(graph, S[None, :], progress=False)
        return variants(whole, S, changes) if isinstance(whole, Exact) else super().variants(graph, S, changes)

    def features(self, batch: PageRankBatch | HeardBatch) -> list[Tensor]:
        return [batch.x_agg]

    def forward(self, batch: PageRankBatch | HeardBatch) -> Tensor:
        if isinstance(batch, HeardBatch):
            return self._two_layers(batch)
        x = batch.x_agg * self.scale  # [k, N, d]
        first = relu_sum(x.reshape(-1, 1, x.shape[2]), [self.linears[0]])
        h = self.dropout(first.view(*x.shape[:2], -1))  # [k, N, hidden]
        for linear in list(self.linears)[1:-1]:
            assert batch.matrix is not None and batch.left is not None and batch.right is not None
            h = batch.matrix @ h + batch.right @ (batch.left.transpose(1, 2) @ h)
            h = self.dropout(torch.relu(linear(h)))
        if batch.last is not None:
            h = self.dropout(torch.relu(self.linears[-1](batch.last @ h)))  # [k, p, hidden]
        return self.readout(h)

    def _two_layers(self, batch: HeardBatch) -> Tensor:
        x, first, p = batch.x_agg[:, None], self.linears[0], self.shape.p
        if fuses(x) and not self.dropout.drops:
            heard = relu_sum_onto(x, [first], self.scale, len(batch.sizes) * p, batch.back())
        else:
            heard = batch.step().aggregate(self.dropout(relu_sum(x * self.scale, [first])))[:, 0]
        h = self.dropout(torch.relu(self.linears[-1](heard)))  # [k p, hidden]
        return self.readout(h.view(len(batch.sizes), p, -1))
