"""A CSV of a million nodes and five million links: open it, summarize it, explore it, and learn links from a sample.

    python benchmarks/million.py              # writes results/million.csv; two to three CPU-minutes, 3 GB
    python benchmarks/million.py 10000        # this many nodes, five times as many links; writes nothing
    python benchmarks/million.py citation     # 0.3 and 3 million nodes, ten links a node, the size of ogbl-citation2;
                                              # writes results/citation.csv
    python benchmarks/million.py ranked       # pb with 500 negatives for each held-out link; writes results/ranked.csv

CPU time and peak memory so far; each part runs in its own process, with compiled code warm. For comparison networkx and
we read and summarize a graph of a tenth of the size: the whole file would take networkx minutes and 10 GB.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _record import circumstances, write

import degnn_explore as de
from degnn_explore.cli import main as main_of_command
from degnn_explore.graphs.distances import components, induced, rings

MILLION = 1_000_000
CITATION = (300_000, 3_000_000)  # nodes; ogbl-citation2 has 2.9 million and 30.6 million links
POSITIVES, CAP, SCORED, PER_POSITIVE = 10_000, 50, 20_000, 500
NODE = np.int64(77)  # the one that is picked


def make(nodes: int, folder: Path, links: int = 5, kinds: tuple[str, ...] = ("ids", "names")) -> dict[str, Path]:
    """The same graph with numbers and with names: degrees follow a power law (Chung-Lu), every node has a link."""
    rng = np.random.default_rng(0)
    ends = np.cumsum((np.arange(nodes) + 10.0) ** -0.5)
    pairs = np.searchsorted(ends / ends[-1], rng.random((links * nodes + links * nodes // 25, 2)))
    pairs = rng.permutation(nodes)[pairs[pairs[:, 0] != pairs[:, 1]]]
    _, first = np.unique(np.sort(pairs, axis=1) @ [nodes, 1], return_index=True)
    pairs = pairs[np.sort(first)]
    lonely = np.setdiff1d(np.arange(nodes), pairs[: links * nodes])
    pairs = np.concatenate([pairs[: links * nodes - len(lonely)], np.stack([lonely, (lonely + 1) % nodes], axis=1)])
    files = {kind: folder / f"{kind}.csv" for kind in kinds}
    if "names" in kinds:
        names = np.array([f"user{i * 7919 % nodes:07d}" for i in range(nodes)], dtype=object)
    for kind, path in files.items():
        pd.DataFrame(pairs if kind == "ids" else names[pairs], columns=["source", "target"]).to_csv(path, index=False)
    return files


@contextmanager
def measured(rows: list[dict[str, Any]], step: str) -> Iterator[dict[str, Any]]:
    """Processor and clock time of what is done inside, and the most memory that the process has had so far."""
    row: dict[str, Any] = {"step": step}
    cpu, wall = time.process_time(), time.perf_counter()
    yield row
    row |= {"cpu_seconds": round(time.process_time() - cpu, 2), "seconds": round(time.perf_counter() - wall, 2)}
    # not ru_maxrss, which begins with the peak of the process that started this one
    status = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    peak = next(line for line in status if line.startswith("VmHWM"))
    row["peak_gb"] = round(int(peak.split()[1]) / 1e6, 2)
    rows.append(row)


def opened(path: str) -> list[dict[str, Any]]:
    de.Explorer((de.load("celegans"), [0])).close()
    de.summary("celegans")  # both compiled and imported
    rows: list[dict[str, Any]] = []
    with measured(rows, "read"):
        G = de.read_graph(path)
    with measured(rows, "summary"):
        de.summary(G)
    with measured(rows, "first neighborhood in the Explorer"):
        explorer = de.Explorer(G)
    with measured(rows, "another node is picked"):
        explorer.targets = [[NODE]]
    with measured(rows, "encode one pair, all nodes"):
        de.SPD(max_dist=3).encode(G, [NODE, NODE + 1])
    return rows


def learned(path: str) -> list[dict[str, Any]]:
    small = de.link_task(de.load("celegans"), max_positives=30)
    list(de.fit(de.build("DE-GNN-SPD", small, max_nodes_per_hop=5), small, epochs=1))
    G, rows = de.read_graph(path), list[dict[str, Any]]()
    with measured(rows, f"task: {POSITIVES:,} links and as many pairs that are none"):
        task = de.link_task(G, max_positives=POSITIVES)
    model = de.build("DE-GNN-SPD", task, max_nodes_per_hop=CAP)
    epochs = de.fit(model, task, epochs=4, progress=False)
    with measured(rows, f"ego-networks, at most {CAP} nodes a hop, and the first epoch"):
        next(epochs)
    with measured(rows, "three more epochs") as row:
        row["auc"] = round([epoch.test["auc"] for epoch in epochs][-1], 4)
    pairs = np.random.default_rng(1).permutation(G.num_nodes)[: 2 * min(SCORED, G.num_nodes // 2)].reshape(-1, 2)
    with measured(rows, f"score {len(pairs):,} pairs") as row:
        de.predict(model, task.graph, pairs)
    row["pairs_per_second"] = round(len(pairs) / row["cpu_seconds"])
    return rows


def citation(path: str) -> list[dict[str, Any]]:
    """Open, sample a task, one epoch, 100,000 scores."""
    small = de.link_task(de.load("celegans"), max_positives=30)
    list(de.fit(de.build("DE-GNN-SPD", small, max_nodes_per_hop=5), small, epochs=1))
    rows: list[dict[str, Any]] = []
    with measured(rows, "open"):
        G = de.read_graph(path)
    with measured(rows, f"task: {POSITIVES:,} links and as many pairs that are none"):
        task = de.link_task(G, max_positives=POSITIVES)
    model = de.build("DE-GNN-SPD", task, max_nodes_per_hop=CAP)
    with measured(rows, f"ego-networks, at most {CAP} nodes a hop, and one epoch") as row:
        row["auc"] = round(next(de.fit(model, task, epochs=1, progress=False)).test["auc"], 4)
    pairs = np.random.default_rng(1).permutation(G.num_nodes)[: 10 * SCORED].reshape(-1, 2)
    with measured(rows, f"score {len(pairs):,} pairs") as row:
        de.predict(model, task.graph, pairs, progress=False)
    row["pairs_per_second"] = round(len(pairs) / row["cpu_seconds"])
    return rows


def scored(path: str) -> list[dict[str, Any]]:
    folder, pb = Path(path).parent, de.load("pb")
    task = de.link_task(pb, max_positives=300)
    model = de.build("DE-GNN-SPD", task)
    list(de.fit(model, task, epochs=1, progress=False))
    de.save(model, folder / "pb.safetensors")
    pairs = np.random.default_rng(2).integers(pb.num_nodes - 1, size=(5 * SCORED, 2))
    pairs[:, 1] += pairs[:, 1] >= pairs[:, 0]  # two different ones
    pd.DataFrame(pairs, columns=["from", "to"]).to_csv(folder / "pairs.csv", index=False)
    files = [str(folder / name) for name in ("pairs.csv", "scores.csv")]
    rows: list[dict[str, Any]] = []
    with measured(rows, f"degnn-explore score of {len(pairs):,} pairs on pb") as row:
        main_of_command(["score", str(folder / "pb.safetensors"), "pb", files[0], "--out", files[1], "--quiet"])
    row["pairs_per_second"] = round(len(pairs) / row["cpu_seconds"])
    return rows


def ranked(negatives: str) -> list[dict[str, Any]]:
    """1.7 million negatives to rank 3,342 links among, "hard" or "random"."""
    small = de.link_task(de.load("celegans"), max_positives=30)
    list(de.fit(de.build("DE-GNN-SPD", small), small, epochs=1))
    G, rows = de.load("pb"), list[dict[str, Any]]()
    with measured(rows, f"task: {PER_POSITIVE} {negatives} negatives for each held-out link"):
        task = de.link_task(G, per_positive=PER_POSITIVE, negatives=negatives)
    epochs = de.fit(de.build("DE-GNN-SPD", task), task, epochs=1, metric="mrr", progress=False)
    with measured(rows, "one epoch, validation and test ranked") as row:
        row["mrr"] = round(next(epochs).test["mrr"], 4)
    return rows


def ours(path: str) -> list[dict[str, Any]]:
    components(de.load("celegans"))  # compiled
    rows: list[dict[str, Any]] = []
    with measured(rows, "read, components, degrees, two hops around a node"):
        G = de.read_graph(path)
        components(G).max(), G.degrees.sum()
        induced(G, np.sort(np.concatenate(list(islice(rings(G, np.array([NODE])), 3)))))
    return rows


def networkx(path: str) -> list[dict[str, Any]]:
    import networkx as nx

    rows: list[dict[str, Any]] = []
    with measured(rows, "read, components, degrees, two hops around a node"):
        G = nx.from_pandas_edgelist(pd.read_csv(path))
        nx.number_connected_components(G), sum(degree for _, degree in G.degree())
        nx.ego_graph(G, NODE, radius=2)
    return rows


PARTS: dict[str, Callable[[str], list[dict[str, Any]]]] = {
    "opened": opened,
    "learned": learned,
    "citation": citation,
    "scored": scored,
    "ranked": ranked,
    "ours": ours,
    "networkx": networkx,
}


def apart(part: str, argument: Path | str) -> list[dict[str, Any]]:
    """What a part measured in its own process."""
    command = [sys.executable, __file__, part, argument]
    return list(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-1]))


def main(nodes: int) -> None:
    about, rows = circumstances(), list[dict[str, Any]]()
    with tempfile.TemporaryDirectory() as folder:
        files = make(nodes, Path(folder))
        todo = [("degnn_explore", "opened", kind, path) for kind, path in files.items()]
        todo.append(("degnn_explore", "learned", "ids", files["ids"]))
        for who, part, kind, path in todo:
            rows += [{"who": who, "nodes": nodes, "ids": kind, **row} for row in apart(part, path)]
        rows += [{"who": "degnn_explore", "nodes": 1222, **row} for row in apart("scored", files["ids"])]
        tenth = make(nodes // 10, Path(folder))["ids"]
        for who, part in (("degnn_explore", "ours"), ("pandas and networkx", "networkx")):
            rows += [{"who": who, "nodes": nodes // 10, "ids": "ids", **row} for row in apart(part, tenth)]
    print(pd.DataFrame(rows).to_string(index=False))
    if nodes == MILLION:
        write("million", rows, about)


def main_citation() -> None:
    about, rows = circumstances(), list[dict[str, Any]]()
    for nodes in CITATION:
        with tempfile.TemporaryDirectory() as folder:
            path = make(nodes, Path(folder), links=10, kinds=("ids",))["ids"]
            rows += [{"who": "degnn_explore", "nodes": nodes, "ids": "ids", **row} for row in apart("citation", path)]
        print(pd.DataFrame(rows).to_string(index=False), flush=True)
    write("citation", rows, about)


def main_ranked() -> None:
    about, rows = circumstances(), list[dict[str, Any]]()
    for negatives in ("hard", "random"):
        rows += [{"graph": "pb", "model": "DE-GNN-SPD", **row} for row in apart("ranked", negatives)]
    print(pd.DataFrame(rows).to_string(index=False))
    write("ranked", rows, about)


if __name__ == "__main__":
    if sys.argv[1:] == ["citation"]:
        main_citation()
    elif sys.argv[1:] == ["ranked"]:
        main_ranked()
    elif len(sys.argv) > 2:
        print(json.dumps(PARTS[sys.argv[1]](sys.argv[2])))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else MILLION)
