"""GCN, SAGE, GIN (bounded by 1-WL), DE-GNN and DEA-GNN-SPD: the networks that are computed on blocks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from ...common.progress import memory
from ...encodings.base import Encoding
from ...encodings.custom import REGISTRY
from ...encodings.paths import SPD
from ...encodings.positional import LaplacianPE, RandomWalkSE, ZeroOne
from ...encodings.walks import LandingProbability
from ...engine.batch import Blocks, Step
from ...engine.egonets import Aggregation, BlockData, blocks
from ...graphs.distances import distance_to_set
from ...graphs.graph import Graph
from .base import Dropout, Encoded, Hyper, Ints, RandomSigns, SetNet, Shape, horizon_of
from .operators import layer_and_aggregate, relu_sum
from .readout import COMMON_HYPER, Readout


class GCNConv(nn.Module):
    """h_v' = ReLU(Θ Σ_{u in N(v) ∪ {v}} h_u / √((d_u+1)(d_v+1))), Kipf & Welling (2016), Eq. 9."""

    aggregation = "gcn"

    def __init__(self, width_in: int, width_out: int, hops: int = 1) -> None:
        super().__init__()
        self.linear = nn.Linear(width_in, width_out)

    @property
    def linears_of_relu_sum(self) -> list[nn.Module]:
        """The linears of h_v' = Σ_k ReLU(linear_k(aggregate_k)); a layer that also reads h_v has none."""
        return [self.linear]

    def forward(self, h: Tensor, agg: Tensor) -> Tensor:  # [N, in], [N, 1, in] -> [N, out]
        return torch.relu(self.linear(agg[:, 0]))


class SAGEConv(nn.Module):
    """h_v' = ReLU(Θ [h_v, mean of h_u over N(v)]), Hamilton et al. (2017), Algorithm 1, mean pooling."""

    aggregation = "mean"

    def __init__(self, width_in: int, width_out: int, hops: int = 1) -> None:
        super().__init__()
        self.linear = nn.Linear(2 * width_in, width_out)

    def forward(self, h: Tensor, agg: Tensor) -> Tensor:
        return torch.relu(self.linear(torch.cat([h, agg[:, 0]], dim=1)))


class GINConv(nn.Module):
    """h_v' = MLP((1 + ε) h_v + Σ_{u in N(v)} h_u), ε learned, Xu et al. (2019), Eq. 4.1."""

    aggregation = "sum"

    def __init__(self, width_in: int, width_out: int, hops: int = 1) -> None:
        super().__init__()
        self.epsilon = nn.Parameter(torch.zeros(()))
        self.mlp = nn.Sequential(nn.Linear(width_in, width_out), nn.ReLU(), nn.Linear(width_out, width_out), nn.ReLU())

    def forward(self, h: Tensor, agg: Tensor) -> Tensor:
        return self.mlp((1 + self.epsilon) * h + agg[:, 0])


class HopsConv(nn.Module):
    """h_v' = Σ_{k=1..K} ReLU( (h_v + Σ_{u in S_{v,k}} h_u) Θ^{(k)} / (|S_{v,k}| + 1) ), S_{v,k} the nodes k from v.

    Eq. 4 with ζ_spd(u|v). The appendix ("DEA-GNN-SPD") prints Θ inside the sum only; as in a GCN layer, it is for h_v
    too, with a bias.
    """

    aggregation = "hops"

    def __init__(self, width_in: int, width_out: int, hops: int) -> None:
        super().__init__()
        self.linears = nn.ModuleList(nn.Linear(width_in, width_out) for _ in range(hops))

    @property
    def linears_of_relu_sum(self) -> list[nn.Module]:
        return list(self.linears)

    def forward(self, h: Tensor, agg: Tensor) -> Tensor:  # [N, in], [N, K, in] -> [N, out]
        return relu_sum(agg, self.linears_of_relu_sum)


CONVOLUTIONS: dict[str, type[nn.Module]] = {"GCN": GCNConv, "SAGE": SAGEConv, "GIN": GINConv}

BLOCK_HYPER = {**COMMON_HYPER, "max_nodes_per_hop": Hyper(None, least=1, optional=True)}


def budget() -> int:
    """Bytes of blocks that are kept in memory: an eighth of the machine's, from 2 to 4 GB."""
    return max(2_000_000_000, min(4_000_000_000, memory() // 8))


class BlockNet(SetNet):
    """L layers on blocks, then the readout of S: the logits of the same network on the whole ego-network.

    Layer l computes h_v' = conv(h_v, aggregate of v) on the nodes within K·(L−l) hops of S only, N_l of them, and after
    the last one these are S. The first aggregation has no weights, so it comes ready with the batch.
    """

    raw = False  # whether the first aggregation is left to the network, and ζ(u|v) comes for each v

    def __init__(
        self, name: str, shape: Shape, hyper: dict[str, Any], conv: type[Any], encoding: Any = None, width_in: int = 0
    ) -> None:
        width = 1 + shape.num_attributes + (0 if encoding is None else encoding.dim)
        super().__init__(name, shape, hyper, width)
        self.encoding = encoding
        hidden, hops = hyper["hidden"], hyper.get("hops", 1)
        self.aggregation: Aggregation = conv.aggregation
        widths = [width_in or width, *[hidden] * (hyper["layers"] - 1)]
        self.convs = nn.ModuleList(conv(width_in, hidden, hops) for width_in in widths)
        self.dropout = Dropout(hyper["dropout"])
        self.readout = Readout(hyper["readout"], hidden, shape)
        self.signs = (
            RandomSigns(1 + shape.num_attributes, width) if encoding is not None and encoding.any_sign else None
        )

    @property
    def factors(self) -> Tensor:
        """What features are multiplied by: their units and, in training, the sign of columns that have none. [d]"""
        return self.scale if self.signs is None else self.signs(self.scale)

    def prepare(self, graph: Graph, sets: Ints) -> BlockData:
        return self._blocks(graph, sets, self.raw)

    def _blocks(self, graph: Graph, sets: Ints, raw: bool) -> BlockData:
        self.check(graph, sets)
        near = ("layers", "hops", "max_nodes_per_hop")
        how: dict[str, Any] = {key: self.hyper[key] for key in near if key in self.hyper}
        how |= {"encoding": self.encoding, "aggregation": self.aggregation, "raw": raw, "budget": budget()}
        return blocks(graph, sets, **how)

    def encoded(self, graph: Graph, S: Ints) -> Encoded | None:
        if self.encoding is None or self.hyper["max_nodes_per_hop"] is not None:
            return None
        batch = self._blocks(graph, S[None, :], raw=True).batch(np.zeros(1, dtype=np.int64))
        base = 1 + self.shape.num_attributes
        away = distance_to_set(graph, S)
        seen = np.sort(away[away >= 0])[: len(batch.x_self)]  # rows stand in the order of their distance
        return Encoded(
            seen,
            batch.x_self[:, base:],
            lambda zeta: replace(batch, x_self=torch.cat([batch.x_self[:, :base], zeta], dim=1)),
        )

    @property
    def horizon(self) -> int | None:
        if self.hyper["max_nodes_per_hop"] is not None:  # which nodes are kept depends on their numbers
            return None
        return horizon_of(self.hyper["layers"] * self.hyper.get("hops", 1), self.encoding)

    def features(self, batch: Blocks) -> list[Tensor]:
        return [batch.x_self] if batch.x_agg is None else [batch.x_self, batch.x_agg]

    def feature_units(self, size: Tensor) -> Tensor:
        """Every feature gets size one: landing probabilities are a hundred times smaller than log-degrees."""
        if len(size) == len(self.scale):
            return size
        base = 1 + self.shape.num_attributes  # then ζ(u|v) side by side for each v
        return torch.cat([size[:base], size[base:].view(self.shape.p, -1).amax(dim=0)])

    def forward(self, batch: Blocks) -> Tensor:
        h, agg, steps = self.first_aggregate(batch)  # x_v [N_1, d], and its aggregate at each hop [N_1, A, d]
        for conv, step in zip(self.convs, steps, strict=False):  # all but the last layer
            h, agg = layer_and_aggregate(conv, h, agg, step, self.dropout)  # [N_l, hidden], [N_l, A, hidden]
        h = self.dropout(self.convs[-1](h, agg))  # [k p, hidden]
        return self.readout(h.view(batch.num_sets, batch.p, -1))

    def first_aggregate(self, batch: Blocks) -> tuple[Tensor, Tensor, list[Step]]:
        """The features of the nodes that the first layer computes and their first aggregate; the later aggregations."""
        if batch.x_agg is not None:
            return batch.x_self * self.factors, batch.x_agg * self.factors, batch.steps
        base = 1 + self.shape.num_attributes  # raw: ζ(u|v) for each v in S, and nothing is aggregated yet
        zeta = batch.x_self[:, base:].reshape(-1, batch.p, self.encoding.dim)  # [N_0, p, dim]
        scale = self.factors
        x = torch.cat([batch.x_self[:, :base] * scale[:base], self.pooled(zeta * scale[base:])], dim=1)
        step, *later = batch.steps
        return x.index_select(0, step.self_index), step.aggregate(x), later

    def pooled(self, zeta: Tensor) -> Tensor:
        """ζ(u|S) from ζ(u|v) for each v in S (Eq. 1). [N, p, dim] -> [N, dim]"""
        return zeta.sum(dim=1) if self.encoding.pool == "sum" else zeta.mean(dim=1)


class WLGNN(BlockNet):
    """GCN, SAGE or GIN, with log-degree (and the graph's own attributes) as features.

    Two sets that 1-WL cannot tell apart once the edges inside S are cut get the same logits (Section 2.2).
    """

    HYPER: ClassVar = BLOCK_HYPER

    def __init__(self, name: str, shape: Shape, **hyper: Any) -> None:
        super().__init__(name, shape, hyper, CONVOLUTIONS[name])


BASE = Hyper("GCN", paper="GCN", choices=tuple(CONVOLUTIONS))


class DESPD(BlockNet):
    """DE-GNN-SPD: ζ(u|v) is the one-hot of min(SPD(u, v), d_max); ζ(u|S) the mean over v in S (Eq. 1).

    Nodes without a path to v have a separate entry, so there are d_max + 2, not the paper's d_max + 1.
    """

    HYPER: ClassVar = {**BLOCK_HYPER, "base": BASE, "max_dist": Hyper(3, paper="3, 4", least=1, from_task=True)}

    def __init__(self, name: str, shape: Shape, **hyper: Any) -> None:
        super().__init__(name, shape, hyper, CONVOLUTIONS[hyper["base"]], SPD(max_dist=hyper["max_dist"]))


class DELP(BlockNet):
    """DE-GNN-LP: ζ(u|v) = ((W^0)_uv, ..., (W^d_rw)_uv), the landing probabilities of walks from v (Eq. 2).

    With ``f3 > 0`` each ζ(u|v) first passes a learned f_3, a two-layer perceptron of that width, before the mean over
    v in S; the first aggregation then has weights before it and can no longer be computed once and for all.
    """

    HYPER: ClassVar = {
        **BLOCK_HYPER,
        "layers": Hyper(2, paper="1, 2, 3", least=1, most=100, for_nodes=3),
        "base": BASE,
        "steps": Hyper(3, paper="3, 4", least=1),
        "f3": Hyper(0, least=0),
    }

    def __init__(self, name: str, shape: Shape, **hyper: Any) -> None:
        encoding = LandingProbability(steps=hyper["steps"])
        width = hyper["f3"]
        width_in = 1 + shape.num_attributes + width if width else 0
        super().__init__(name, shape, hyper, CONVOLUTIONS[hyper["base"]], encoding, width_in)
        self.raw = width > 0
        self.f3 = nn.Sequential(nn.Linear(encoding.dim, width), nn.ReLU(), nn.Linear(width, width)) if width else None

    def pooled(self, zeta: Tensor) -> Tensor:
        return super().pooled(zeta) if self.f3 is None else self.f3(zeta).mean(dim=1)  # [N, p, steps+1] -> [N, f3]


class ZeroOneNet(BlockNet):
    """ζ(u|S) marks the targets: the labeling trick's least label (Zhang et al., NeurIPS 2021)."""

    HYPER: ClassVar = {**BLOCK_HYPER, "base": BASE}

    def __init__(self, name: str, shape: Shape, **hyper: Any) -> None:
        super().__init__(name, shape, hyper, CONVOLUTIONS[hyper["base"]], ZeroOne())


class RWSENet(BlockNet):
    """ζ(u) are the return probabilities of walks of 1..steps steps (Dwivedi et al., ICLR 2022), own edges cut."""

    HYPER: ClassVar = {**BLOCK_HYPER, "base": BASE, "steps": Hyper(8, least=1, most=1000)}

    def __init__(self, name: str, shape: Shape, **hyper: Any) -> None:
        super().__init__(name, shape, hyper, CONVOLUTIONS[hyper["base"]], RandomWalkSE(hyper["steps"]))


class LapPENet(BlockNet):
    """ζ(u) are entries of k eigenvectors of the Laplacian (Dwivedi & Bresson, 2021), own edges cut.

    Their signs mean nothing: each epoch of training draws them at random.
    """

    HYPER: ClassVar = {**BLOCK_HYPER, "base": BASE, "eigenvectors": Hyper(4, least=1, most=1000)}

    def __init__(self, name: str, shape: Shape, **hyper: Any) -> None:
        super().__init__(name, shape, hyper, CONVOLUTIONS[hyper["base"]], LaplacianPE(hyper["eigenvectors"]))


class DEASPD(BlockNet):
    """DEA-GNN-SPD: the features of DE-GNN-SPD, and messages from K hops with weights for each hop."""

    HYPER: ClassVar = {
        **BLOCK_HYPER,
        "hops": Hyper(2, paper="1, 2, 3", least=1, most=100),
        "max_dist": Hyper(3, paper="3, 4", least=1, from_task=True),
    }

    def __init__(self, name: str, shape: Shape, **hyper: Any) -> None:
        super().__init__(name, shape, hyper, HopsConv, SPD(max_dist=hyper["max_dist"]))


def registered(name: str, shape: Shape) -> Encoding:
    """The user's encoding in a model of this name, checked for this set size."""
    encoding = REGISTRY[name.split("-GNN-", 1)[1]]
    encoding.check_targets(shape.p)
    return encoding


class DEOwn(BlockNet):
    """DE-GNN with a registered encoding of your own as features: DE-GNN-name."""

    HYPER: ClassVar = {**BLOCK_HYPER, "base": BASE}

    def __init__(self, name: str, shape: Shape, **hyper: Any) -> None:
        super().__init__(name, shape, hyper, CONVOLUTIONS[hyper["base"]], registered(name, shape))


class DEAOwn(BlockNet):
    """DEA-GNN with a registered encoding of your own as features, and messages from K hops: DEA-GNN-name."""

    HYPER: ClassVar = {**BLOCK_HYPER, "hops": DEASPD.HYPER["hops"]}

    def __init__(self, name: str, shape: Shape, **hyper: Any) -> None:
        super().__init__(name, shape, hyper, HopsConv, registered(name, shape))
