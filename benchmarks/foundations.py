"""Encodings, colors and WL tests, each beside what a user would write instead. One run, ratios.

python benchmarks/foundations.py            # prints the table, writes results/foundations.csv
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import networkx as nx
import numpy as np
from _record import timed, write

import degnn_explore as de


def naive_folklore(G: de.Graph, layers: int) -> dict:
    """2-WL with dictionaries and tuples."""
    nodes = range(G.num_nodes)
    color = {(u, v): (u == v) + 2 * G.has_edge(u, v) for u in nodes for v in nodes}
    for _ in range(layers):
        signature = {
            (u, v): (color[u, v], tuple(sorted((color[w, v], color[u, w]) for w in nodes)))
            for u in nodes
            for v in nodes
        }
        number = {s: i for i, s in enumerate(sorted(set(signature.values())))}
        color = {pair: number[s] for pair, s in signature.items()}
    return color


def naive_pairs(G: de.Graph, layers: int) -> list:
    """DE-2 over all pairs with networkx distances and tuples."""
    graph = G.to_networkx()
    far = dict(nx.all_pairs_shortest_path_length(graph))
    found = []
    for S in combinations(graph, 2):
        color = {u: hash(tuple(sorted(far[v].get(u, -1) for v in S))) for u in graph}
        for _ in range(layers):
            color = {u: hash((color[u], tuple(sorted(color[w] for w in graph[u])))) for u in graph}
        found.append(tuple(sorted(color[v] for v in S)))
    return sorted(found)


def main() -> None:
    """Measures, prints and writes."""
    rng = np.random.default_rng(0)
    big = de.Graph.from_edges(rng.integers(0, 1_000_000, (5_000_000, 2)), num_nodes=1_000_000)
    big_nx = big.to_networkx()
    regular, other = (de.zoo.random_regular(64, 6, seed=s) for s in (0, 1))
    rook, again = de.zoo.rook(8), de.zoo.rook(8).relabel(rng.permutation(64))
    de.SPD(3).encode(regular, {0, 1})
    for method in ("1-WL", "2-WL", "DE-SPD"):
        de.distinguish(regular, other, method)  # compile everything first
    rows = []

    def row(what: str, ours: Callable[[], object], instead: str, theirs: Callable[[], object], repeat: int = 3) -> None:
        (a, _), (b, _) = timed(ours, repeat), timed(theirs)
        rows.append(
            {
                "what": what,
                "seconds": round(a, 4),
                "instead": instead,
                "instead_seconds": round(b, 4),
                "ratio": round(b / a, 1),
            }
        )
        print(f"{what:60} {a:9.4f} s   {instead:34} {b:9.3f} s   {b / a:8.1f}x", flush=True)

    row(
        "SPD(3) of a pair, 1M nodes, 5M edges",
        lambda: de.SPD(3).encode(big, {4, 7}),
        "networkx BFS from both",
        lambda: [nx.single_source_shortest_path_length(big_nx, v) for v in (4, 7)],
    )
    row(
        "1-WL colors, 3 layers, pb",
        lambda: de.colors(de.load("pb"), layers=3),
        "networkx WL subgraph hashes",
        lambda: nx.weisfeiler_lehman_subgraph_hashes(de.load("pb").to_networkx(), iterations=3),
    )
    row(
        "2-WL of two 64-node graphs (same, to the end)",
        lambda: de.distinguish(rook, again, "2-WL"),
        "naive 2-WL, 1 layer each",
        lambda: [naive_folklore(G, 1) for G in (rook, again)],
    )
    row(
        "DE-2 over all pairs, 64 nodes (same, to the end)",
        lambda: de.distinguish(rook, again, order=2),
        "naive DE-2, 2 layers each",
        lambda: [naive_pairs(G, 2) for G in (rook, again)],
    )
    row(
        "DE-2 over all pairs, 64 nodes, edges inside S cut",
        lambda: de.distinguish(rook, again, order=2, cut=True),
        "naive DE-2, 2 layers each",
        lambda: [naive_pairs(G, 2) for G in (rook, again)],
    )
    row(
        "DE-SPD of two nodes, two random 3-regular graphs of 12 nodes",
        lambda: de.distinguish((de.zoo.random_regular(12, 3, 0), 0), (de.zoo.random_regular(12, 3, 1), 0)),
        "networkx: are they isomorphic?",
        lambda: nx.is_isomorphic(*(de.zoo.random_regular(12, 3, s).to_networkx() for s in (0, 1))),
    )
    write("foundations", rows)


if __name__ == "__main__":
    main()
