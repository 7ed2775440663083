"""Ego-networks with SPD features: this engine beside what one would write with networkx, PyG or scipy.

    python benchmarks/extraction.py            # prints the table, writes results/extraction.csv
    python benchmarks/extraction.py --quick    # without the graph of a million nodes; writes nothing
    python benchmarks/extraction.py --own      # an own ζ alone; writes results/own_encoding.csv

Every method yields, for each target set S, the nodes within some hops of S, the induced edges without
those inside S, and per node log(1 + degree) and the pooled one-hot SPD(3); before it is timed, its
nodes, edges and short distances are compared with ours. Slow methods take as many sets of the same
shuffled list as fit a few seconds. Two PyG versions are timed, since the search can be written in two ways;
on dense graphs the one in tensor operations is the harder to beat. ``ratio`` is our rate on one thread over
theirs, in one run; it is taken in CPU seconds, which a busy machine disturbs less, and in wall seconds where
a method uses several threads.

``--own``: SPD(3) and landing probabilities written anew with ``de.encoding`` beside the built-in ones, blocks of all
sets of a link task on one thread, in turns; ``ratio`` is the CPU time over that of the built-in, and the function's own
time, which is its author's, is left out of the third column.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse
import scipy.sparse.csgraph
import torch
from _record import timed, write
from torch_geometric.utils import k_hop_subgraph

import degnn_explore as de
from degnn_explore.engine.egonets import blocks, ego_networks
from degnn_explore.engine.request import make_net

MAX_DIST = 3
Ego = tuple[np.ndarray, set, np.ndarray]  # nodes, edges as pairs of nodes of G, SPD one-hot without "unreachable"


def one_hot(dist: np.ndarray) -> np.ndarray:
    """Pooled one-hot of distances [p, nodes]; -1 or inf: unreachable. [nodes, MAX_DIST + 2]"""
    dist = np.where(np.isfinite(dist) & (dist >= 0), dist, MAX_DIST + 1)
    codes = np.where(dist > MAX_DIST, np.where(dist == MAX_DIST + 1, MAX_DIST + 1, MAX_DIST), dist).astype(int)
    return np.eye(MAX_DIST + 2, dtype=np.float32)[codes].mean(axis=0)


class Networkx:
    """networkx.ego_graph around each target, joined."""

    def __init__(self, G: de.Graph) -> None:
        self.graph = nx.Graph()
        self.graph.add_nodes_from(range(G.num_nodes))
        self.graph.add_edges_from(G.edges.tolist())

    def __call__(self, S: list[int], hops: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        ego = nx.compose_all([nx.ego_graph(self.graph, v, radius=hops) for v in S])
        ego = nx.Graph(self.graph.subgraph(ego.nodes))
        inside = [(u, v) for u in S for v in S if ego.has_edge(u, v)]
        ego.remove_edges_from(inside)
        nodes = list(ego.nodes)
        lost = {v: sum(v == u for u, _ in inside) for v in S}
        degree = np.log1p([self.graph.degree[u] - lost.get(u, 0) for u in nodes])
        far = [nx.single_source_shortest_path_length(ego, v) for v in S]
        dist = np.array([[d.get(u, -1) for u in nodes] for d in far])
        place = {u: i for i, u in enumerate(nodes)}
        edges = np.array([(place[u], place[v]) for u, v in ego.edges]).reshape(-1, 2)
        return np.array(nodes), edges, np.concatenate([degree[:, None], one_hot(dist)], axis=1)


class PyG:
    """k_hop_subgraph, then a breadth-first search from each target with a queue over neighbor lists."""

    def __init__(self, G: de.Graph) -> None:
        source = np.repeat(np.arange(G.num_nodes), G.degrees)
        self.edge_index = torch.from_numpy(np.stack([source, G.indices.astype(np.int64)]))
        self.degree = torch.from_numpy(G.degrees.astype(np.int64))
        self.num_nodes = G.num_nodes

    def __call__(self, S: list[int], hops: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        nodes, edge_index, where, _ = k_hop_subgraph(
            S, hops, self.edge_index, relabel_nodes=True, num_nodes=self.num_nodes
        )
        target = torch.zeros(len(nodes), dtype=torch.bool)
        target[where] = True
        inside = target[edge_index[0]] & target[edge_index[1]]
        degree = self.degree[nodes] - torch.bincount(edge_index[0, inside], minlength=len(nodes))
        edge_index = edge_index[:, ~inside]
        dist = self.distances(edge_index, where.tolist(), len(nodes))
        x = np.concatenate([torch.log1p(degree.float())[:, None].numpy(), one_hot(dist)], axis=1)
        return nodes.numpy(), edge_index.T.numpy(), x

    def distances(self, edge_index: torch.Tensor, sources: list[int], num: int) -> np.ndarray:
        neighbors: list[list[int]] = [[] for _ in range(num)]
        for u, v in edge_index.T.tolist():
            neighbors[u].append(v)
        dist = np.full((len(sources), num), -1)
        for row, v in zip(dist, sources, strict=True):
            far, queue = {v: 0}, deque([v])
            while queue:
                u = queue.popleft()
                for w in neighbors[u]:
                    if w not in far:
                        far[w] = far[u] + 1
                        queue.append(w)
            row[list(far)] = list(far.values())
        return dist


class PyGTensors(PyG):
    """The same, with the search written in whole-tensor operations: one step for all nodes of a distance."""

    def distances(self, edge_index: torch.Tensor, sources: list[int], num: int) -> np.ndarray:
        row, col = edge_index
        dist = torch.full((len(sources), num), -1)
        for i, v in enumerate(sources):
            front = torch.zeros(num, dtype=torch.bool)
            front[v], depth = True, 0
            while front.any():
                dist[i, front] = depth
                reached = torch.zeros_like(front)
                reached[col[front[row]]] = True
                front = reached & (dist[i] < 0)
                depth += 1
        return dist.numpy()


class Scipy:
    """Frontiers and submatrices of a CSR matrix, distances by scipy's compiled search."""

    def __init__(self, G: de.Graph) -> None:
        self.A = scipy.sparse.csr_array(
            (np.ones(len(G.indices), dtype=np.float32), G.indices, G.indptr), shape=(G.num_nodes,) * 2
        )
        self.degree = G.degrees

    def __call__(self, S: list[int], hops: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        nodes = front = np.array(S)
        for _ in range(hops):
            front = np.setdiff1d(self.A[front].indices, nodes)
            nodes = np.concatenate([nodes, front])
        ego = self.A[nodes][:, nodes].tocoo()
        p = len(S)
        inside = (ego.row < p) & (ego.col < p)
        degree = self.degree[nodes] - np.bincount(ego.row[inside], minlength=len(nodes))
        row, col = ego.row[~inside], ego.col[~inside]
        ego = scipy.sparse.csr_array((np.ones(len(row), dtype=np.float32), (row, col)), shape=ego.shape)
        dist = scipy.sparse.csgraph.dijkstra(ego, unweighted=True, indices=np.arange(p), limit=np.inf)
        return nodes, np.stack([row, col], axis=1), np.concatenate([np.log1p(degree)[:, None], one_hot(dist)], axis=1)


def comparable(nodes: np.ndarray, edges: np.ndarray, x: np.ndarray) -> Ego:
    """What all methods must agree on. A path outside the ego-network decides between "3+" and "unreachable",
    and the others cannot see it, so these two columns are added up."""
    order = np.argsort(nodes)
    pairs = {(min(a, b), max(a, b)) for a, b in nodes[edges].tolist()}
    x = np.concatenate([x[:, :-2], x[:, -2:].sum(axis=1, keepdims=True)], axis=1)
    return nodes[order], pairs, x[order]


def ours(G: de.Graph, sets: np.ndarray, hops: int, threads: int) -> Any:
    """All ego-networks at once."""
    return ego_networks(
        G, sets, hops=hops, encoding=de.SPD(MAX_DIST), num_threads=threads, budget=8_000_000_000, progress=False
    )


def agree(G: de.Graph, sets: np.ndarray, hops: int, method: Callable[..., Any]) -> None:
    flat = ours(G, sets, hops, 1).flat
    for i, S in enumerate(sets.tolist()):
        part = slice(flat.node_ptr[i], flat.node_ptr[i + 1])
        row = np.repeat(np.arange(part.stop - part.start), flat.length[part])
        edges = np.stack([row, flat.column[flat.edge_ptr[i] : flat.edge_ptr[i + 1]]], axis=1)
        a, b = comparable(flat.nodes[part], edges, flat.x[part]), comparable(*method(S, hops))
        assert np.array_equal(a[0], b[0]) and a[1] == b[1], f"{method} finds another ego-network of {S}"
        np.testing.assert_allclose(a[2], b[2], atol=1e-5)


def while_time_lasts(method: Callable[..., Any], sets: np.ndarray, hops: int, limit: float) -> tuple[int, float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    done = 0
    for S in sets.tolist():
        method(S, hops)
        done += 1
        if time.perf_counter() - wall > limit:
            break
    return done, time.perf_counter() - wall, time.process_time() - cpu


def link_sets(G: de.Graph, num: int, seed: int = 0) -> np.ndarray:
    """As many edges as random pairs, shuffled. [num, 2]"""
    rng = np.random.default_rng(seed)
    positive = G.edges if num >= 2 * G.num_edges else G.edges[rng.permutation(G.num_edges)[: num // 2]]
    first = rng.integers(0, G.num_nodes, len(positive))
    second = (first + rng.integers(1, G.num_nodes, len(positive))) % G.num_nodes
    sets = np.concatenate([positive, np.stack([first, second], axis=1)])
    return sets[rng.permutation(len(sets))]


def random_graph(n: int, m: int, seed: int = 0) -> de.Graph:
    """n nodes and very nearly m random edges."""
    return de.Graph.from_edges(np.random.default_rng(seed).integers(0, n, (m, 2)), n, title=f"random {n:,}/{m:,}")


def compile_seconds() -> list[tuple[float, float]]:
    """Wall and CPU seconds of a new process's first blocks and ego-networks: empty cache, then the one it left."""
    script = (
        "import time, degnn_explore as de\n"
        "from degnn_explore.engine.egonets import blocks, ego_networks\n"
        "G = de.Graph.from_edges([(0, 1), (1, 2)])\n"
        "wall, cpu = time.perf_counter(), time.process_time()\n"
        "blocks(G, [(0, 2)], layers=2, encoding=de.SPD(), progress=False).batch([0])\n"
        "ego_networks(G, [(0, 2)], hops=2, encoding=de.SPD(), progress=False).part([0])\n"
        "print(time.perf_counter() - wall, time.process_time() - cpu)\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        found = []
        for _ in range(2):
            run = subprocess.run(
                [sys.executable, "-c", script], env=environment, check=True, capture_output=True, text=True
            )
            wall, cpu = map(float, run.stdout.split())
            found.append((wall, cpu))
    return found


def own_encodings(repeats: int = 7) -> list[dict[str, Any]]:
    """CPU seconds of blocks with an own ζ and with the same built in, and of the function alone."""
    spent = [0.0]

    def clocked(fn: Callable[..., Any]) -> Callable[..., Any]:
        def call(near: Any) -> Any:
            began = time.thread_time()
            values = fn(near)
            spent[0] += time.thread_time() - began
            return values

        return call

    def seconds(task: de.Task, sets: np.ndarray, zeta: de.Encoding) -> tuple[float, float]:
        spent[0] = 0.0
        used = timed(lambda: blocks(task.graph, sets, layers=2, encoding=zeta, num_threads=1, progress=False))[1]
        return used, spent[0]

    def one_hots(near: Any) -> np.ndarray:
        return np.eye(MAX_DIST + 2)[np.where(near.distance < 0, MAX_DIST + 1, near.distance)]

    steps = [f"{k} steps" for k in range(MAX_DIST + 1)]
    codes = [f"code {k}" for k in range(MAX_DIST + 2)]
    walks = de.encoding("own walks", clocked(lambda near: near.walks), columns=steps, max_dist=1, walks=MAX_DIST)
    paths = de.encoding("own distances", clocked(one_hots), columns=codes, max_dist=MAX_DIST)
    rows = []
    for name in ("celegans", "ns"):
        task = de.link_task(de.load(name), seed=0)
        sets = np.concatenate([split.sets for split in (task.train, task.val, task.test)])
        for own, built_in in ((paths, de.SPD(MAX_DIST)), (walks, de.LandingProbability(MAX_DIST))):
            seconds(task, sets[:50], own)  # compiled
            runs = [(seconds(task, sets, built_in)[0], *seconds(task, sets, own)) for _ in range(repeats)]
            theirs = min(run[0] for run in runs)
            whole, fn = min(run[1:] for run in runs)
            row = {"graph": name, "sets": len(sets), "zeta": str(built_in), "built_in_cpu_seconds": f"{theirs:.4f}"}
            row |= {"own_cpu_seconds": f"{whole:.4f}", "of_which_fn": f"{fn:.4f}"}
            row |= {"ratio": f"{whole / theirs:.2f}", "ratio_without_fn": f"{(whole - fn) / theirs:.2f}"}
            rows.append(row)
            print(" ".join(f"{key} {value}" for key, value in row.items()), flush=True)
    return rows


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small graphs only; write nothing")
    parser.add_argument("--own", action="store_true", help="an own ζ beside the same built in, alone")
    parser.add_argument("--seconds", type=float, default=6.0, help="time for each slow method on each graph")
    options = parser.parse_args()
    torch.set_num_threads(1)
    if options.own:
        write("own_encoding", own_encodings())
        return
    cores = os.cpu_count() or 1
    rows: list[dict[str, Any]] = []

    def note(
        G: de.Graph,
        what: str,
        hops: int,
        method: str,
        threads: int,
        sets: int,
        wall: float,
        cpu: float,
        ratio: float | None = None,
    ) -> None:
        row = {
            "what": what,
            "graph": G.title,
            "nodes": G.num_nodes,
            "edges": G.num_edges,
            "hops": hops,
            "method": method,
            "threads": threads,
            "sets": sets,
            "seconds": f"{wall:.4g}",
            "cpu_seconds": f"{cpu:.4g}",
            "sets_per_second": f"{sets / wall:.4g}",
            "ratio": "" if ratio is None else f"{ratio:.3g}",
        }
        rows.append(row)
        print(
            f"{G.title:24} {what:20} {method:10} {threads} thr {sets:7,} sets {wall:8.3f} s {cpu:8.3f} CPU s "
            f"{sets / wall:10,.1f} sets/s{'' if ratio is None else f'   ours is {ratio:7.1f} x'}",
            flush=True,
        )

    cold, warm = compile_seconds()
    graphs = []
    for name, most in (("celegans", 10**9), ("pb", 4000), ("usa-airports", 4000), ("ns", 10**9)):
        try:
            graphs.append((de.load(name), 3, most))
        except Exception as problem:  # usa-airports is downloaded: without a network it is left out, and said so
            print(f"{name} left out: {problem}")
    if not options.quick:
        graphs.append((random_graph(1_000_000, 5_000_000), 2, 20_000))
    tiny = de.Graph.from_edges([(0, 1), (1, 2)], title="path of 3")
    note(tiny, "compile, empty cache", 2, "ours", 1, 1, *cold)
    note(tiny, "compile, cached", 2, "ours", 1, 1, *warm)
    ours(tiny, np.array([[0, 2]]), 2, 1)
    for G, hops, most in graphs:
        sets = link_sets(G, most)
        prepared = timed(lambda G=G: make_net(G, True), 1)  # degrees and components, kept while the graph lives
        note(G, "prepare the graph", 0, "ours", 1, 1, *prepared)
        one = timed(lambda G=G, sets=sets, hops=hops: ours(G, sets, hops, 1), 3)
        wall_rate, cpu_rate = len(sets) / one[0], len(sets) / one[1]
        note(G, "ego-networks", hops, "ours", 1, len(sets), *one, 1.0)
        all_cores = timed(lambda G=G, sets=sets, hops=hops: ours(G, sets, hops, cores), 3)
        note(G, "ego-networks", hops, "ours", cores, len(sets), *all_cores, wall_rate * all_cores[0] / len(sets))
        for method in (Networkx, PyG, PyGTensors, Scipy):
            other = method(G)
            agree(G, sets[:5], hops, other)
            done, wall, cpu = while_time_lasts(other, sets, hops, options.seconds)
            note(G, "ego-networks", hops, method.__name__.lower(), 1, done, wall, cpu, cpu_rate * cpu / done)
            del other
    for G, _, _ in graphs[:-1] if not options.quick else graphs:
        sets = link_sets(G, 10**9)
        for layers, hops, kind in ((2, 1, "gcn"), (2, 2, "hops")):
            part = sets if hops == 1 else sets[:4000]
            for threads in (1, cores):
                used = timed(
                    lambda G=G, part=part, layers=layers, hops=hops, kind=kind, threads=threads: blocks(
                        G,
                        part,
                        layers=layers,
                        hops=hops,
                        encoding=de.SPD(MAX_DIST),
                        aggregation=kind,
                        progress=False,
                        num_threads=threads,
                    ),
                    3 if hops == 1 else 1,
                )
                note(G, f"blocks L={layers} K={hops} {kind}", layers * hops, "ours", threads, len(part), *used)
    if not options.quick:
        write("extraction", rows)


if __name__ == "__main__":
    main()
