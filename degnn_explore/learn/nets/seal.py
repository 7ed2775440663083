"""SEAL: DRNL labels on enclosing subgraphs, read by DGCNN (Zhang & Chen, 2018; Zhang et al., 2018)."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from ...encodings.paths import DRNL
from ...engine.batch import Subgraphs
from ...engine.egonets import EgoNetworks, ego_networks
from ...engine.tables import Table
from ...graphs.graph import Graph
from .base import Dropout, Encoded, Hyper, Ints, SetData, SetNet, Shape, horizon_of


class SubgraphData(SetData):
    """Enclosing subgraphs of many pairs."""

    def __init__(self, egos: EgoNetworks) -> None:
        self.egos = egos
        self.heavy, self.streamed, self.nbytes, self.capping = egos.heavy, egos.streamed, egos.nbytes, egos.capping

    def __len__(self) -> int:
        return len(self.egos)

    def table(self, index: Any = None) -> Table:
        return self.egos.subgraph_table(index)


class SEAL(SetNet):
    """SEAL for links: DGCNN on the ``hops``-hop enclosing subgraph of a pair, its nodes labeled by DRNL.

    Graph convolutions h' = tanh((A + I) h Θ / (d + 1)), the last one of width 1; SortPooling keeps the ``sort_k`` nodes
    largest in it, with the channels of all layers; two 1-D convolutions and a dense layer read them in order.
    :class:`degnn_explore.DRNL` says how its labels differ from SEAL's own behind a target.
    """

    HYPER: ClassVar = {
        "hops": Hyper(1, paper="1, 2", choices=(1, 2)),
        "layers": Hyper(3, paper="1, 2, 3", least=1, most=100),
        "hidden": Hyper(32, paper="20, 50, 80, 100", least=1),
        "dropout": Hyper(0.5, paper="0, 0.2", below=1.0),
        "max_dist": Hyper(3, paper="3, 4", least=1),
        "sort_k": Hyper(30, least=10, most=100_000),
        "max_nodes_per_hop": Hyper(None, least=1, optional=True),
    }

    def __init__(self, name: str, shape: Shape, **hyper: Any) -> None:
        encoding = DRNL(max_dist=hyper["max_dist"])
        hidden, layers, k = hyper["hidden"], hyper["layers"], hyper["sort_k"]
        widths = [1 + shape.num_attributes + encoding.dim, *[hidden] * layers, 1]
        super().__init__(name, shape, hyper, widths[0])
        self.encoding = encoding
        self.convs = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))
        self.by_node = nn.Linear(layers * hidden + 1, 16)  # a 1-D convolution whose stride is one node
        self.along = nn.Conv1d(16, 32, 5)
        self.dense = nn.Linear(32 * (k // 2 - 4), 128)
        self.dropout = Dropout(hyper["dropout"])
        self.out = nn.Linear(128, shape.outputs)

    def prepare(self, graph: Graph, sets: Ints) -> SubgraphData:
        self.check(graph, sets)
        around = {key: self.hyper[key] for key in ("hops", "max_nodes_per_hop")}
        return SubgraphData(ego_networks(graph, sets, **around, encoding=self.encoding))

    @property
    def horizon(self) -> int | None:
        return None if self.hyper["max_nodes_per_hop"] is not None else horizon_of(self.hyper["hops"], self.encoding)

    def encoded(self, graph: Graph, S: Ints) -> Encoded | None:
        if self.hyper["max_nodes_per_hop"] is not None:
            return None
        data = self.prepare(graph, S[None, :])
        batch, base = data.batch(np.zeros(1, dtype=np.int64)), 1 + self.shape.num_attributes
        x = batch.x
        return Encoded(
            data.egos.part([0]).distance.astype(np.int64),
            x[:, base:],
            lambda zeta: replace(batch, x=torch.cat([x[:, :base], zeta], dim=1)),
        )

    def features(self, batch: Subgraphs) -> list[Tensor]:
        return [batch.x]

    def forward(self, batch: Subgraphs) -> Tensor:
        h, channels = batch.x * self.scale, []
        for conv in self.convs:
            h = conv(h)
            h = torch.tanh((h + batch.neighbors.aggregate(h)[:, 0]) / (batch.degree + 1))
            channels.append(h)
        k, pooled = self.hyper["sort_k"], torch.cat(channels, dim=1)  # [N, layers*hidden + 1]
        kept, there = sort_pooling(h.detach()[:, 0], batch.place, batch.num_sets, batch.longest, k)
        z = torch.relu(self.by_node(pooled[kept])) * there[..., None]  # [k sets, sort_k, 16]
        z = nn.functional.max_pool1d(z.transpose(1, 2), 2)  # [k sets, 16, sort_k/2]
        z = torch.relu(self.along(z)).flatten(1)
        return self.out(self.dropout(torch.relu(self.dense(z)))).squeeze(1)  # [k] or [k, C]


def sort_pooling(key: Tensor, place: Tensor, num_sets: int, longest: int, k: int) -> tuple[Tensor, Tensor]:
    """The rows of each set's k largest keys, in falling order, and which of them exist. [N] -> 2 x [num_sets, k]

    >>> sort_pooling(torch.tensor([0.1, 0.7, 0.3]), torch.tensor([0, 1, 2]), 2, 2, 2)  # sets {0, 1} and {2}
    (tensor([[1, 0],
            [2, 0]]), tensor([[ True,  True],
            [ True, False]]))
    """
    width = max(longest, k)
    spread = place // longest * width + place % longest
    keys = key.new_full((num_sets * width,), float("-inf")).index_put((spread,), key).view(num_sets, width)
    rows = torch.zeros(num_sets * width, dtype=torch.int64, device=key.device)
    rows = rows.index_put((spread,), torch.arange(len(place), device=key.device)).view(num_sets, width)
    best, order = torch.sort(keys, dim=1, descending=True, stable=True)
    return rows.gather(1, order[:, :k]), best[:, :k] > float("-inf")
