"""PGNN: position-aware GNN (You et al., 2019), distances to random anchor sets as messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log2
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from ...common.errors import MOST_SEED
from ...common.progress import check_cancelled
from ...engine.features import base_features, set_features
from ...graphs.distances import set_distances
from ...graphs.graph import Graph
from ..edge_changes import side_by_side
from ..tasks import Task
from .base import Dropout, Hyper, Ints, Rows, Shape, TransductiveNet
from .readout import COMMON_HYPER, Readout

_SETS_AT_ONCE = 256


@dataclass(frozen=True)
class AnchorBatch:
    """For k sets of p nodes and a anchor sets: ``x`` [k, p, d], ``closeness`` [k, p, a], ``x_anchor`` [k, p, a, d]:
    the nearest anchor of each anchor set, and how near."""

    x: Tensor
    closeness: Tensor
    x_anchor: Tensor


class PGNN(TransductiveNet):
    """Position-aware GNN: messages from the nearest node u_i of each random anchor set, of n/2, n/4, ... nodes in turn.

    M_i = ReLU(Θ_1 h_v + s(v, u_i) Θ_2 x_{u_i}), s = 1/(SPD + 1); a layer passes on their mean, the last one gives the
    position z_v[i] = ⟨w, M_i⟩ (their Eqs. 3-5 and Algorithm 1). Distances are those with the edges inside S cut, set by
    set; so a message carries input features in every layer: deeper ones would need the cut graph again.
    """

    HYPER: ClassVar = {
        **COMMON_HYPER,
        "layers": Hyper(1, paper="1, 2, 3", least=1, most=100),
        "hidden": Hyper(50, paper="20, 50, 80, 100", least=1),
        "anchor_sets": Hyper(64, least=1),
        "anchor_seed": Hyper(0, least=0, most=MOST_SEED),
    }
    anchors: Tensor
    anchor_ptr: Tensor

    def __init__(self, name: str, shape: Shape, **hyper: Any) -> None:
        width, hidden = 1 + shape.num_attributes, hyper["hidden"]
        super().__init__(name, shape, hyper, width)
        # anchor set i is anchors[anchor_ptr[i]:anchor_ptr[i+1]]
        self.register_buffer("anchors", torch.zeros(0, dtype=torch.int64))
        self.register_buffer("anchor_ptr", torch.zeros(1, dtype=torch.int64))
        self.enter = nn.Linear(width, hidden)
        self.own = nn.ModuleList(nn.Linear(hidden, hidden) for _ in range(hyper["layers"]))
        self.message = nn.ModuleList(nn.Linear(width, hidden) for _ in range(hyper["layers"]))
        self.dropout = Dropout(hyper["dropout"])
        self.position = nn.Linear(hidden, 1)
        self.readout = Readout(hyper["readout"], hyper["anchor_sets"], shape)

    def bind(self, task: Task) -> None:
        super().bind(task)
        n = task.graph.num_nodes
        rng = np.random.default_rng(self.hyper["anchor_seed"])
        levels = max(1, int(log2(n)))
        sizes = [max(1, n >> (i % levels + 1)) for i in range(self.hyper["anchor_sets"])]
        chosen = np.concatenate([np.sort(rng.choice(n, size, replace=False)) for size in sizes])
        device = self.anchors.device
        self.anchors = torch.from_numpy(chosen).to(device)
        self.anchor_ptr = torch.from_numpy(np.cumsum([0, *sizes])).to(device)

    def prepare(self, graph: Graph, sets: Ints) -> Rows:
        self.check(graph, sets)
        return self._to_anchors(graph, sets)

    def variants(self, graph: Graph, S: Ints, changes: Sequence[Ints]) -> Iterator[Rows]:
        """The anchors stay, by their numbers; ways to them and degrees are those of each variant."""
        for pairs in changes:
            yield self._to_anchors(side_by_side(graph, [pairs]), S[None, :])

    def _to_anchors(self, graph: Graph, sets: Ints) -> Rows:
        anchors, starts = self.anchors.cpu().numpy(), self.anchor_ptr.cpu().numpy()[:-1]
        far = 2 * graph.num_nodes  # further than any node
        parts = []
        for begin in range(0, len(sets), _SETS_AT_ONCE):
            check_cancelled("distances to the anchors")
            chunk = sets[begin : begin + _SETS_AT_ONCE]
            away = set_distances(graph, chunk, cut=True)[:, :, anchors].astype(np.int64)  # [k, p, anchors]
            away[away < 0] = far
            # the nearest of each anchor set, and among equals the one listed first
            code = np.minimum.reduceat(away * len(anchors) + np.arange(len(anchors)), starts, axis=2)  # [k, p, a]
            distance, nearest = code // len(anchors), anchors[code % len(anchors)]
            closeness = np.where(distance < far, 1.0 / (distance + 1.0), 0.0).astype(np.float32)
            x = set_features(graph, chunk)
            x_anchor = base_features(graph)[nearest]  # [k, p, a, d]
            for j in range(chunk.shape[1]):  # an anchor that is in S has its degree after the cut
                same = nearest == chunk[:, j, None, None]
                x_anchor[same] = np.broadcast_to(x[:, j, None, None, :], x_anchor.shape)[same]
            parts.append((x, closeness, x_anchor))
        tensors = (torch.from_numpy(np.concatenate(arrays)) for arrays in zip(*parts, strict=True))
        return Rows(tuple(tensors), AnchorBatch)

    def features(self, batch: AnchorBatch) -> list[Tensor]:
        return [batch.x, batch.x_anchor]

    def forward(self, batch: AnchorBatch) -> Tensor:
        h = torch.relu(self.enter(batch.x * self.scale))  # [k, p, hidden]
        x_anchor = batch.x_anchor * self.scale
        for own, message in zip(self.own, self.message, strict=True):
            sent = batch.closeness[..., None] * message(x_anchor)  # [k, p, a, hidden]
            m = self.dropout(torch.relu(own(h)[:, :, None] + sent))
            h = m.mean(dim=2)
        return self.readout(self.position(m)[..., 0])  # [k, p, a]
