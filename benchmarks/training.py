"""How fast training is: an epoch on blocks beside the same model on PyG ego-networks, and the race to the paper's AUC.

    python benchmarks/training.py               # both; writes results/training.csv
    python benchmarks/training.py --race        # the race alone; writes nothing
    python benchmarks/training.py --hops        # K = 2 on a graph with hubs, alone; writes results/training_hops.csv

One torch thread throughout. Compiling (or loading compiled) kernels is timed apart, on a small graph first.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import torch
from _record import write
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import roc_auc_score

import degnn_explore as de
from degnn_explore.engine.egonets import ego_networks
from degnn_explore.learn.training import loss_of

PAPER = {"celegans": 0.8937, "ns": 0.9909, "pb": 0.9495}  # DE-GNN-SPD, Table 1
LIMIT = {"celegans": 10, "ns": 5, "pb": 30}
EPOCHS = {"celegans": 40, "ns": 40, "pb": 5}
BATCH = 64


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--race", action="store_true")
    parser.add_argument("--hops", action="store_true")
    parser.add_argument("--seeds", type=int, default=5)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    if arguments.hops:
        write("training_hops", [two_hops()])
        return
    rows = [warm_up()]
    for name in PAPER:
        rows += race(name, range(5, 5 + arguments.seeds))  # the seeds that quality.py reports on
    if arguments.race:
        return
    rows += [epochs(name) for name in ("celegans", "pb", "us-flights")]
    columns = ("what", "dataset", "seed", "ours_seconds", "other_seconds", "ratio", "note")
    write("training", [{column: values.get(column, "") for column in columns} for values in rows])


def graph_with_hubs(n: int = 1800, m: int = 14_700, seed: int = 0) -> de.Graph:
    """Random ends, the i-th node drawn in proportion to i^-0.8: two hops around a pair are two thirds of all nodes."""
    rng, edges = np.random.default_rng(seed), set()
    share = (np.arange(n) + 1.0) ** -0.8
    while len(edges) < m:
        u, v = sorted(rng.choice(n, 2, replace=False, p=share / share.sum()).tolist())
        edges.add((u, v))
    return de.Graph.from_edges(sorted(edges), n)


def two_hops() -> dict[str, object]:
    """CPU seconds of preparing and of an epoch of DEA-GNN-SPD with K = 2, whose blocks take 2.7 GB."""
    warm_up()
    task = de.link_task(graph_with_hubs(), seed=0)
    model = de.build("DEA-GNN-SPD", task, hops=2)
    taken, began = [], time.process_time()
    for _ in de.fit(model, task, epochs=2, patience=None, device="cpu", progress=True):
        taken.append(time.process_time() - began)
        began = time.process_time()
    print(f"DEA-GNN-SPD, K = 2: prepare {taken[0] - taken[1]:.1f}, epoch {taken[1]:.1f} CPU s; {model.placement}")
    return {"prepare_cpu_seconds": round(taken[0] - taken[1], 1), "epoch_cpu_seconds": round(taken[1], 1)}


def warm_up() -> dict[str, object]:
    """Compile the kernels that the race uses, on a small graph."""
    start = time.process_time()
    G = de.Graph.from_edges([(i, (i + s) % 30) for i in range(30) for s in (1, 2)])
    task = de.link_task(G)
    list(de.fit(de.build("DE-GNN-SPD", task), task, epochs=1))
    seconds = time.process_time() - start
    print(f"imports and compiled kernels: {seconds:.1f} CPU s", flush=True)
    return {"what": "compile", "ours_seconds": round(seconds, 2)}


def race(name: str, seeds: range) -> list[dict[str, object]]:
    """CPU seconds from de.load to the first epoch whose validation-chosen test AUC reaches the paper's mean.

    Seed by seed, and for the mean over the seeds, which is what the paper's number is. For the
    splits with test links that nothing but the held-out edge joins, also the AUC without those.
    """
    traces, rows = [], []
    for seed in seeds:
        trace, joined = run(name, seed)
        traces.append(trace)
        rows.append(row(name, str(seed), trace, f"; {joined}"))
    mean = [tuple(np.mean(values, axis=0)) for values in zip(*traces, strict=True)]
    return [*rows, row(name, f"mean of {len(seeds)}", mean)]


def run(name: str, seed: int) -> tuple[list[tuple[float, float]], str]:
    """(CPU seconds so far, validation-chosen test AUC) after each epoch, and what is said of links without a path."""
    from degnn_explore.reading import catalog

    getattr(catalog._read, "cache_clear", lambda: None)()
    start = time.process_time()
    task = de.link_task(de.load(name), seed=seed)
    model = de.build("DE-GNN-SPD", task, seed=seed)
    best_val, test, trace = -1.0, 0.0, []
    for epoch in de.fit(model, task, epochs=EPOCHS[name], seed=seed, patience=None):
        if epoch.val["auc"] > best_val:
            best_val, test = epoch.val["auc"], epoch.test["auc"]
        trace.append((time.process_time() - start, test))
    scores = de.predict(model, task.graph, task.test.sets)
    positive = task.test.labels == 1
    _, part = connected_components(task.graph.to_scipy(), directed=False)
    lost = positive & (part[task.test.sets[:, 0]] != part[task.test.sets[:, 1]])
    rest = roc_auc_score(task.test.labels[~lost], scores[~lost])
    return trace, f"{lost.sum()} of {positive.sum()} test links have no path, AUC without them {rest:.4f}"


def row(name: str, seed: str, trace: list[tuple[float, float]], note: str = "") -> dict[str, object]:
    reached = next((i for i, (_, test) in enumerate(trace) if test >= PAPER[name]), None)
    seconds, test = trace[-1 if reached is None else reached]
    what = (
        f"NOT reached in {len(trace)} epochs: {test:.4f}"
        if reached is None
        else f"reached {test:.4f} after {reached + 1} epochs"
    ) + f" (paper {PAPER[name]:.4f}){note}"
    print(f"race {name:9} seed {seed:9}: {seconds:6.1f} CPU s (limit {LIMIT[name]}), {what}", flush=True)
    return {"what": "race", "dataset": name, "seed": seed, "ours_seconds": round(seconds, 2), "note": what}


class PlainNet(torch.nn.Module):
    """DE-GNN-SPD as one would write it in PyG: two GCNConv layers on whole ego-networks, the readout of S."""

    def __init__(self, ours: torch.nn.Module) -> None:
        from torch_geometric.nn import GCNConv

        super().__init__()
        self.convs = torch.nn.ModuleList()
        for conv in ours.convs:
            plain = GCNConv(conv.linear.in_features, conv.linear.out_features, normalize=False)
            plain.lin.weight.data.copy_(conv.linear.weight.data)
            plain.bias.data.copy_(conv.linear.bias.data)
            self.convs.append(plain)
        self.readout = ours.readout

    def forward(self, batch) -> torch.Tensor:
        h = batch.x
        for conv in self.convs:
            h = torch.relu(conv(h, batch.edge_index, batch.edge_weight))
        first = batch.ptr[:-1, None] + torch.arange(2)  # the targets are the first nodes of each ego-network
        return self.readout(h[first])


def pyg_list(graph: de.Graph, sets: np.ndarray, labels: np.ndarray) -> list:
    """One PyG Data for each set, with self-loops and the symmetric weights of the cut graph."""
    from torch_geometric.data import Data

    egos = ego_networks(graph, sets, hops=2, encoding=de.SPD(max_dist=3), progress=False)
    out = []
    for i in range(len(sets)):
        one = egos.to_pyg([i])
        loops = torch.arange(len(one.x))
        edge_index = torch.cat([one.edge_index, torch.stack([loops, loops])], dim=1)
        degree = torch.expm1(one.x[:, 0])
        weight = ((degree[edge_index[0]] + 1) * (degree[edge_index[1]] + 1)) ** -0.5
        out.append(Data(x=one.x, edge_index=edge_index, edge_weight=weight, y=torch.tensor([labels[i]])))
    return out


def epochs(name: str, batches: int = 12) -> dict[str, object]:
    """Seconds of a training pass: ours whole, PyG's from the mean of some batches."""
    from torch_geometric.loader import DataLoader

    graph = de.load(name)
    task = de.link_task(graph)
    ours = de.build("DE-GNN-SPD", task)
    data = ours.prepare(task.graph, task.train.sets)
    order = np.random.default_rng(0).permutation(len(task.train))
    labels = torch.from_numpy(task.train.labels)
    in_all = -(-len(order) // BATCH)

    some = order[: batches * BATCH]
    listed = pyg_list(task.graph, task.train.sets[some], task.train.labels[some])
    plain = PlainNet(de.build("DE-GNN-SPD", task))
    with torch.no_grad():
        there = plain(next(iter(DataLoader(listed, batch_size=BATCH))))
        here = ours(data.batch(order[:BATCH]))
    difference = float((there - here).abs().max())
    assert difference < 1e-4, difference

    def one_pass(model, pairs) -> float:
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        start = time.process_time()
        for batch, wanted in pairs:
            loss = loss_of(model(batch), wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return time.process_time() - start

    def our_pairs():
        for begin in range(0, len(order), BATCH):
            index = order[begin : begin + BATCH]
            yield data.batch(index), labels[index]

    def pyg_pairs():
        for batch in DataLoader(listed, batch_size=BATCH, shuffle=True):
            yield batch, batch.y

    fast = min(one_pass(ours, our_pairs()) for _ in range(3))
    slow = min(one_pass(plain, pyg_pairs()) for _ in range(2)) * in_all / batches
    note = f"{in_all} batches, PyG from {batches} of them; largest difference of logits {difference:.1e}"
    print(f"epoch {name:11} blocks {fast:7.3f} s, PyG {slow:8.1f} s, {slow / fast:6.1f}x; {note}", flush=True)
    return {
        "what": "epoch",
        "dataset": name,
        "ours_seconds": round(fast, 4),
        "other_seconds": round(slow, 2),
        "ratio": round(slow / fast, 1),
        "note": note,
    }


if __name__ == "__main__":
    main()
