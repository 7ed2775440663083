"""DEA-GNN-SPD: distances also control the aggregation (Eq. 7 and the appendix's formula)."""

from __future__ import annotations

from typing import Any, ClassVar

from torch import Tensor, nn

from ...encodings.paths import SPD
from .base import Hyper, Shape
from .block_nets import BLOCK_HYPER, BlockNet
from .fused import relu_sum

__all__ = ["DEASPD"]


class HopsConv(nn.Module):
    """h_v' = Σ_{k=1..K} ReLU( (h_v + Σ_{u in S_{v,k}} h_u) Θ^{(k)} / (|S_{v,k}| + 1) ).

    S_{v,k} holds the nodes at distance exactly k from v: "for each k we aggregate k-hop neighbours
    via a GCN layer with a self-loop" (appendix, "DEA-GNN-SPD"). The appendix prints Θ inside the sum over
    neighbours only; here, as in a GCN layer, it is applied to h_v too, and there is a bias.
    """

    aggregation = "hops"

    def __init__(self, width_in: int, width_out: int, hops: int) -> None:
        super().__init__()
        self.linears = nn.ModuleList(nn.Linear(width_in, width_out) for _ in range(hops))

    def forward(self, h: Tensor, agg: Tensor) -> Tensor:  # [N, in], [N, K, in] -> [N, out]
        return relu_sum(agg, list(self.linears))


class DEASPD(BlockNet):
    """DEA-GNN-SPD: the features of DE-GNN-SPD, and messages from K hops with weights for each hop."""

    HYPER: ClassVar = {
        **BLOCK_HYPER,
        "hops": Hyper(2, paper="1, 2, 3", least=1),
        "max_dist": Hyper(3, paper="3, 4", least=1),
    }

    def __init__(self, name: str, shape: Shape, **hyper: Any) -> None:
        super().__init__(name, shape, hyper, HopsConv, SPD(max_dist=hyper["max_dist"]))
