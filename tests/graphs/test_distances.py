"""Distances, rings, components and induced graphs agree with networkx."""

from __future__ import annotations

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from degnn_explore import Graph
from degnn_explore.graphs import _kernels as kernels
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
    named = [str(v) for v in S]
    assert distances(G, named).tolist() == slow(G, S) and distances(G, named, cut=True).tolist() == cut[0]


@given(CASES)
def test_rings_and_distances_to_a_set_are_by_the_nearest_node(case: tuple[Graph, list[int]]) -> None:
    G, S = case
    nearest = [min((d for d in column if d >= 0), default=-1) for column in zip(*slow(G, S), strict=True)]
    assert distance_to_set(G, np.array(S)).tolist() == nearest
    around = [[u for u, d in enumerate(nearest) if d == away] for away in range(max(nearest) + 1)]
    assert [ring.tolist() for ring in rings(G, np.array([*S, S[0]]))] == around


@given(CASES, st.integers(0, 5))
def test_a_search_goes_no_further_than_its_depth(case: tuple[Graph, list[int]], depth: int) -> None:
    G, (source, *_) = case
    n = G.num_nodes
    distance, queue = np.full(n, -1), np.zeros(n, dtype=np.int64)
    reached = kernels.bfs(G.indptr, G.indices, source, np.zeros(n, dtype=bool), queue, distance, depth)
    expected = [d if d <= depth else -1 for d in slow(G, [source])[0]]
    assert distance.tolist() == expected
    assert sorted(queue[:reached].tolist()) == [u for u, d in enumerate(expected) if d >= 0]


@given(CASES)
def test_components_and_induced_graphs_are_those_of_networkx(case: tuple[Graph, list[int]]) -> None:
    G, S = case
    theirs = G.to_networkx()
    numbers = components(G).tolist()
    assert {frozenset(np.flatnonzero(np.equal(numbers, k)).tolist()) for k in set(numbers)} == set(
        map(frozenset, nx.connected_components(theirs))
    )
    assert list(dict.fromkeys(numbers)) == list(range(len(set(numbers))))
    nodes = np.sort(S)
    indptr, indices = induced(G, nodes)
    linked = [nodes[row].tolist() for row in np.split(indices, indptr[1:-1])]
    assert linked == [sorted(theirs.subgraph(S)[u]) for u in nodes.tolist()] and indptr[-1] == len(indices)
