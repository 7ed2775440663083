"""DE-GNN-SPD and DE-GNN-LP: the encoding ζ(u|S) as extra node features (Section 3.1, Eqs. 2 and 3)."""

from __future__ import annotations

import threading
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ...encodings.paths import SPD
from ...encodings.walks import LandingProbability
from ...engine.batch import Blocks
from ...engine.egonets import BlockData
from ...graphs.graph import Graph
from .base import Hyper, Shape
from .block_nets import BLOCK_HYPER, CONVOLUTIONS, BlockNet

__all__ = ["DELP", "DESPD"]

BASE = Hyper("GCN", paper="GCN", choices=tuple(CONVOLUTIONS))


class DESPD(BlockNet):
    """DE-GNN-SPD: ζ(u|v) is the one-hot of min(SPD(u, v), d_max); ζ(u|S) the mean over v in S.

    Nodes that no path joins to v have an entry of their own, so there are d_max + 2 and not the paper's d_max + 1.
    The aggregation is that of the base network, 1 hop (appendix, "DE-GNN-SPD").
    """

    HYPER: ClassVar = {**BLOCK_HYPER, "base": BASE, "max_dist": Hyper(3, paper="3, 4", least=1)}

    def __init__(self, name: str, shape: Shape, **hyper: Any) -> None:
        super().__init__(name, shape, hyper, CONVOLUTIONS[hyper["base"]], SPD(max_dist=hyper["max_dist"]))


class DELP(BlockNet):
    """DE-GNN-LP: ζ(u|v) = ((W^0)_uv, ..., (W^d_rw)_uv), the landing probabilities of walks from v (Eq. 3).

    With ``f3 > 0`` each ζ(u|v) first passes a learnt f_3, a two-layer perceptron of that width,
    before the mean over v in S; the first aggregation then has weights before it and can no longer
    be computed once and for all.
    """

    HYPER: ClassVar = {
        **BLOCK_HYPER,
        "layers": Hyper(2, paper="1, 2, 3", least=1, for_nodes=3),
        "base": BASE,
        "steps": Hyper(3, paper="3, 4", least=1),
        "f3": Hyper(0, least=0),
    }

    def __init__(self, name: str, shape: Shape, **hyper: Any) -> None:
        encoding = LandingProbability(steps=hyper["steps"])
        width = hyper["f3"]
        super().__init__(
            name,
            shape,
            hyper,
            CONVOLUTIONS[hyper["base"]],
            encoding,
            width_in=1 + shape.num_attributes + width if width else None,
        )
        self.f3 = nn.Sequential(nn.Linear(encoding.dim, width), nn.ReLU(), nn.Linear(width, width)) if width else None

    def prepare(
        self,
        graph: Graph,
        sets: NDArray[np.int64],
        *,
        stop: threading.Event | None = None,
        progress: bool = True,
        raw: bool = False,
    ) -> BlockData:
        return super().prepare(graph, sets, stop=stop, progress=progress, raw=raw or self.f3 is not None)

    def forward(self, batch: Blocks) -> Tensor:
        if self.f3 is None:
            return super().forward(batch)
        base = 1 + self.shape.num_attributes
        zeta = batch.x_self[:, base:].reshape(-1, self.shape.p, self.encoding.dim)  # [N0, p, steps+1]
        first, rest = self.scale[:base], self.scale[base:]
        x = torch.cat([batch.x_self[:, :base] * first, self.f3(zeta * rest).mean(dim=1)], dim=1)  # [N0, base+f3]
        return self.later_layers(batch, x, first=0)
