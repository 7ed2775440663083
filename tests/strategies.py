"""Random graphs for property tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from degnn_explore import Graph


@st.composite
def graphs(draw: st.DrawFn, max_nodes: int = 9) -> Graph:
    """A graph of 1..max_nodes nodes with any set of edges: often disconnected, often with isolated nodes."""
    n = draw(st.integers(1, max_nodes))
    pairs = [(u, v) for u in range(n) for v in range(u + 1, n)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return Graph.from_edges(edges, num_nodes=n)


@st.composite
def graphs_with_targets(draw: st.DrawFn, max_nodes: int = 9, max_targets: int = 4) -> tuple[Graph, list[int]]:
    """A graph and a target set of it, in any order."""
    G = draw(graphs(max_nodes))
    size = draw(st.integers(1, min(max_targets, G.num_nodes)))
    return G, draw(st.permutations(range(G.num_nodes)))[:size]


@st.composite
def trees_with_targets(draw: st.DrawFn, max_nodes: int = 14, max_targets: int = 2) -> tuple[Graph, list[int]]:
    """A tree and a target set of it: nodes far from each other, which differ only after many layers."""
    parents = draw(st.lists(st.integers(1, 3), min_size=2, max_size=max_nodes - 1))
    edges = [(max(0, child - back), child) for child, back in enumerate(parents, start=1)]
    G = Graph.from_edges(edges)
    size = draw(st.integers(1, min(max_targets, G.num_nodes)))
    return G, draw(st.permutations(range(G.num_nodes)))[:size]


def shuffled(G: Graph, seed: int) -> tuple[Graph, np.ndarray]:
    """G under other numbers, and the new number of each old node."""
    order = np.random.default_rng(seed).permutation(G.num_nodes)
    new = np.empty_like(order)
    new[order] = np.arange(G.num_nodes)
    return G.relabel(order), new
