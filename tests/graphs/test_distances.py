"""Distances, rings, components and induced graphs agree with networkx."""

from __future__ import annotations

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from degnn_explore import Graph
from degnn_explore.graphs.distances import (
    components,
    distance_to_set,
    distances,
    induced,
    inner_distances,
    rings,
    set_distances,
)

from ..strategies import graphs_with_targets, trees_with_targets

CASES = graphs_with_targets(8, 3) | trees_with_targets(14, 3)


def slow(G: Graph, S: list[int]) -> list[list[int]]:
    """The distance from each node of S to each node, -1 without a path."""
    away = dict(nx.all_pairs_shortest_path_length(G.to_networkx()))
    return [[away[v].get(u, -1) for u in range(G.num_nodes)] for v in S]


@given(CASES, st.data())
def test_distances_are_those_of_networkx(case: tuple[Graph, list[int]], data: st.DataObject) -> None:
    G, S = case
    sets = np.array([S, S[::-1], data.draw(st.permutations(range(G.num_nodes)))[: len(S)]])
    cut = [slow(G.cut(T), T.tolist()) for T in sets]  # each set is cut by itself
    assert set_distances(G, sets).tolist() == [slow(G, T.tolist()) for T in sets]
    assert set_distances(G, sets, cut=True).tolist() == cut
    inside = [[[row[u] for u in T] for row in away] for away, T in zip(cut, sets.tolist(), strict=True)]
    assert inner_distances(G, sets).tolist() == inside
    assert distances(G, list(map(str, S))).tolist() == slow(G, S)
    assert distances(G, S, cut=True).tolist() == cut[0]


@given(CASES)
def test_rings_components_and_induced_graphs_are_those_of_networkx(case: tuple[Graph, list[int]]) -> None:
    G, S = case
    nearest = [min((d for d in column if d >= 0), default=-1) for column in zip(*slow(G, S), strict=True)]
    assert distance_to_set(G, np.array(S)).tolist() == nearest
    around = [[u for u, d in enumerate(nearest) if d == away] for away in range(max(nearest) + 1)]
    assert [ring.tolist() for ring in rings(G, np.array([*S, S[0]]))] == around
    theirs = G.to_networkx()
    numbers = components(G).tolist()
    assert [set(np.flatnonzero(np.equal(numbers, k))) for k in dict.fromkeys(numbers)] == sorted(
        nx.connected_components(theirs), key=min
    )
    assert list(dict.fromkeys(numbers)) == list(range(len(set(numbers))))
    nodes = np.sort(S)
    indptr, indices = induced(G, nodes)
    linked = [nodes[row].tolist() for row in np.split(indices, indptr[1:-1])]
    assert linked == [sorted(theirs.subgraph(S)[u]) for u in nodes.tolist()] and indptr[-1] == len(indices)
