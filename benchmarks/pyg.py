"""TargetSetLoader beside the same written with PyG's k_hop_subgraph: seconds for the same batches, AUC of the same net.

    python benchmarks/pyg.py          # writes results/pyg.csv

One torch thread, CPU seconds, both in one process and in turns, the fastest of two by hand and of six of ours, which
are so short that whatever else runs shows in them. By hand a target set takes k_hop_subgraph on the graph without the
edges inside S, scipy's shortest paths from S, and one ``Data``, made once and kept; a PyG DataLoader makes batches of
them. ``make`` is all sets once, ``pass`` one epoch's batches, ``ratio`` that of
the two together: what passes before the first epoch is through, without the network. Then the same loop trains the same
network, from the same weights, over the same sets in the same order.
"""

from __future__ import annotations

import time

import numpy as np
import torch
from _record import write
from scipy.sparse import coo_array
from scipy.sparse.csgraph import shortest_path
from sklearn.metrics import roc_auc_score
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import SAGEConv
from torch_geometric.utils import degree, k_hop_subgraph

import degnn_explore as de
from degnn_explore.pyg import TargetSetLoader

MAX_DIST, BATCH, EPOCHS = 3, 64, 5
CASES = (("celegans", 1), ("celegans", 2), ("ns", 2))


class Net(nn.Module):
    """Two SAGE layers and the mean of the targets."""

    def __init__(self, features: int, hidden: int = 32) -> None:
        super().__init__()
        self.first, self.second = SAGEConv(features, hidden), SAGEConv(hidden, hidden)
        self.out = nn.Linear(hidden, 1)

    def forward(self, batch: Data) -> Tensor:
        h = self.second(self.first(batch.x, batch.edge_index).relu(), batch.edge_index).relu()
        return self.out(h[batch.target_index].view(batch.num_graphs, 2, -1).mean(dim=1))[:, 0]


class EgoData(Data):
    """Rows of targets move with the nodes when graphs are put together."""

    def __inc__(self, key: str, value: object, *args: object) -> object:
        return self.num_nodes if key == "target_index" else super().__inc__(key, value, *args)


def by_hand(data: Data, S: Tensor, y: int, hops: int) -> Data:
    """One ego-network, encoded, with PyG's and scipy's functions."""
    inside = torch.isin(data.edge_index, S).all(dim=0)
    edge_index = data.edge_index[:, ~inside]
    n = data.num_nodes
    nodes, local, places, _ = k_hop_subgraph(S, hops, edge_index, relabel_nodes=True, num_nodes=n)
    A = coo_array((np.ones(edge_index.shape[1]), edge_index.numpy()), (n, n)).tocsr()
    away = torch.from_numpy(shortest_path(A, unweighted=True, indices=S.numpy()))[:, nodes]  # [2, N]
    code = torch.where(away.isinf(), MAX_DIST + 1, away.clamp(max=MAX_DIST)).long()
    zeta = nn.functional.one_hot(code, MAX_DIST + 2).float().mean(dim=0)
    x = torch.cat([torch.log1p(degree(edge_index[0], n))[nodes, None], zeta], dim=1)
    return EgoData(x=x, edge_index=local, target_index=places, y=torch.tensor([y]))


def trained(loaders: list[DataLoader], features: int) -> float:
    """Test AUC after a few epochs from the same weights."""
    torch.manual_seed(0)
    net = Net(features)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    for _ in range(EPOCHS):
        for batch in loaders[0]:
            optimizer.zero_grad()
            nn.functional.binary_cross_entropy_with_logits(net(batch), batch.y.float()).backward()
            optimizer.step()
    with torch.no_grad():
        scores, y = zip(*[(net(batch), batch.y) for batch in loaders[1]], strict=True)
    return float(roc_auc_score(torch.cat(y), torch.cat(scores)))


def through(loaders: list[DataLoader]) -> None:
    for loader in loaders:
        for _ in loader:
            pass


def compare(name: str, hops: int) -> dict[str, object]:
    task = de.link_task(de.load(name), seed=0)
    order = np.random.default_rng(0).permutation(len(task.train))
    parts = [(task.train.sets[order], task.train.labels[order]), (task.test.sets, task.test.labels)]
    data = task.graph.to_pyg()

    def ours() -> list[DataLoader]:
        how = {"encoding": de.SPD(max_dist=MAX_DIST), "hops": hops, "batch_size": BATCH, "progress": False}
        return [TargetSetLoader(data, sets, labels, **how) for sets, labels in parts]

    def theirs() -> list[DataLoader]:
        egos = [[by_hand(data, torch.from_numpy(S), int(y), hops) for S, y in zip(*one, strict=True)] for one in parts]
        return [DataLoader(one, batch_size=BATCH) for one in egos]

    through(ours())  # compiled kernels are loaded
    seconds, aucs = {}, {}
    for _ in range(2):
        for who, make in (*[("ours", ours)] * 3, ("by_hand", theirs)):
            began = time.process_time()
            loaders = make()
            made = time.process_time()
            through(loaders)
            times = made - began, time.process_time() - made
            seconds[who] = min(seconds.get(who, times), times, key=sum)
            aucs[who] = aucs.get(who) or trained(loaders, 1 + MAX_DIST + 2)
    row: dict[str, object] = {"dataset": name, "hops": hops, "sets": sum(len(sets) for sets, _ in parts)}
    for who, (make, one_pass) in seconds.items():
        row |= {f"{who}_make": round(make, 4), f"{who}_pass": round(one_pass, 4)}
    row["ratio"] = round(sum(seconds["by_hand"]) / sum(seconds["ours"]), 1)
    row |= {f"{who}_auc": round(value, 4) for who, value in aucs.items()}
    print(row, flush=True)
    return row


if __name__ == "__main__":
    torch.set_num_threads(1)
    write("pyg", [compare(*case) for case in CASES])
