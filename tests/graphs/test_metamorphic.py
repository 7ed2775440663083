"""Changes of an input whose effect on the graph, its distances and its encodings is known."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.graphs.distances import components, distances
from degnn_explore.reading.read import read_file

from ..strategies import graphs, graphs_with_targets

ENCODINGS = [de.SPD(3), de.LandingProbability(3), de.PageRank(0.7), de.SPD(2, pool=None)]


@given(graphs(8), st.randoms(use_true_random=False))
def test_order_direction_and_repetition_of_edges_change_the_report_alone(G: de.Graph, chance) -> None:
    edges = [edge[:: chance.choice([1, -1])] for edge in G.edges.tolist() for _ in range(chance.randint(1, 3))]
    loops = [[u, u] for u in range(G.num_nodes) if chance.random() < 0.3]
    chance.shuffle(edges := edges + loops)
    again = de.Graph.from_edges(edges, G.num_nodes)
    assert again.digest() == G.digest()
    counts = again.cleaning
    assert counts.self_loops == len(loops)
    assert counts.duplicates + counts.reversed_duplicates == len(edges) - len(loops) - G.num_edges


@given(graphs_with_targets(7, 2), graphs(5), st.booleans())
@settings(max_examples=40)
def test_a_graph_keeps_distances_and_encodings_in_a_disjoint_union(case, other: de.Graph, cut: bool) -> None:
    G, S = case
    union = de.disjoint_union([G, other])
    n = G.num_nodes
    assert (union.num_edges, union.parts.tolist()) == (G.num_edges + other.num_edges, [0] * n + [1] * other.num_nodes)
    assert len(set(components(union))) == len(set(components(G))) + len(set(components(other)))
    reached = distances(union, S, cut)
    np.testing.assert_array_equal(reached[:, :n], distances(G, S, cut))
    assert (reached[:, n:] == -1).all()
    for zeta in ENCODINGS:
        np.testing.assert_allclose(zeta.encode(union, S, cut)[:n], zeta.encode(G, S, cut), atol=1e-12)


def test_a_union_keeps_columns_that_all_graphs_have() -> None:
    one, two = de.zoo.cycle(3).with_attributes(np.eye(3)[:, :2]), de.zoo.cycle(4).with_attributes(np.eye(4)[:, :2])
    union = de.disjoint_union([one.with_labels([0, 1, 2]), two.with_labels([3, 4, 5, 6])])
    assert union.labels.tolist() == [*range(7)] and union.attributes[3:].tolist() == two.attributes.tolist()
    assert de.disjoint_union([one.with_labels([0, 1, 2]), two]).labels is None
    with pytest.raises(de.GraphError, match="The graphs have 2, 1 columns of attributes"):
        de.disjoint_union([one, two.with_attributes(np.ones(4))])
    assert de.disjoint_union([one, de.zoo.domino()]).title == "3-cycle + domino"


@pytest.mark.parametrize("door", ["networkx", "PyG", "DataFrame", "CSV", "TSV", "JSON"])
@given(graphs(7).filter(lambda G: G.num_edges > 0), st.booleans())
@settings(max_examples=15)
def test_a_round_trip_gives_back_the_graph(door: str, G: de.Graph, named: bool) -> None:
    kept = np.flatnonzero(G.degrees)  # an edge list knows no isolated node
    names = [f"node {u}" if named else str(u) for u in range(len(kept))]
    pairs = np.searchsorted(kept, G.edges)
    G = de.Graph.from_edges(pairs, len(kept), names=names if named else None)
    rows = pd.DataFrame([[names[u], names[v]] for u, v in pairs], columns=["source", "target"])
    if door == "networkx":
        again = de.read_graph(G.to_networkx())
    elif door == "PyG":
        again = de.read_graph(G.to_pyg())
    elif door == "DataFrame":
        again = de.read_graph(rows)
    elif door == "JSON":
        document = {"nodes": [{"id": name} for name in names], "links": rows.to_dict("records")}
        again = read_file(("g.json", json.dumps(document).encode()))
    else:
        text = rows.to_csv(index=False, sep="," if door == "CSV" else "\t")
        again = read_file((f"g.{door}", text.encode()))
    assert sorted(again.names) == sorted(names)
    assert {frozenset(again.names[u] for u in edge) for edge in again.edges} == {
        frozenset(names[u] for u in edge) for edge in pairs
    }
