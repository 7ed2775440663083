"""The summary of a graph: its facts against networkx, and its sentences."""

from __future__ import annotations

import threading

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given

import degnn_explore as de
from degnn_explore.common.progress import Cancelled, watching
from degnn_explore.expressive import summary as module
from tests.strategies import graphs


def test_two_triangles_and_a_lone_node() -> None:
    found = de.summary(de.Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)], num_nodes=7))
    assert (found.nodes, found.edges, found.components, found.largest, found.isolated) == (7, 6, 3, 3, 1)
    assert found.degrees == (0, 2.0, 12 / 7, 2)
    assert (found.diameter, found.exact) == (1, True)
    assert (found.kinds, found.alike, found.layers) == (2, 6, None)  # one in a triangle, one alone
    assert found.detours == {2: 1.0}
    assert "a plain GNN sees 2 kinds of nodes here; 6 of 7 nodes look like another" in str(found)
    assert "3 components; the largest holds 43 % of the nodes, 1 node without any link" in str(found)


def test_links_with_a_long_way_round_or_none() -> None:
    ring = de.Graph.from_edges([(i, (i + 1) % 8) for i in range(8)] + [(0, 8), (0, 9)])
    found = de.summary(ring)
    assert found.detours == {-1: 0.2, 7: 0.8}
    assert (found.beyond, found.enough) == (0.8, 7)
    assert found.facts["links"] == (
        "removing the link leaves its ends more than 3 steps apart in 80 %, and without a path in 20 %; "
        "nine in ten detours are within 7 steps: try max_dist=7"
    )
    assert de.summary(ring, max_dist=7).beyond == 0


def test_labels_and_attributes_are_counted() -> None:
    G = de.Graph.from_edges([(0, 1), (1, 2)], labels=[1, 1, -1], attributes=np.eye(3))
    facts = de.summary(G).facts
    assert (facts["labels"], facts["attributes"]) == ("1 class (1: 2); 1 node without", "3 numbers for each node")


def test_no_links_at_all() -> None:
    found = de.summary(de.Graph.from_edges([], num_nodes=3))
    assert (found.components, found.diameter, found.kinds, found.detours, found.beyond) == (3, 0, 1, {}, 0)
    assert found.facts["links"] == "none"


def test_every_kind_of_graph_is_taken() -> None:
    frame = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"]})
    path = nx.path_graph(3)
    counts = [(s.nodes, s.edges) for s in map(de.summary, ("karate", frame, path, de.Graph.from_networkx(path)))]
    assert counts == [(34, 78), (3, 2), (3, 2), (3, 2)]


def test_a_table_shows_names_as_text() -> None:
    html = de.summary(de.Graph.from_edges([(0, 1)], title="<script>"))._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;" in html


def test_large_graphs_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = de.summary("ns")
    for name, value in {"LARGE": 100, "STEPS": 100, "LINKS": 50}.items():
        monkeypatch.setattr(module, name, value)
    part = de.summary("ns")
    assert (part.layers, whole.layers, part.exact, whole.exact) == (2, None, False, True)
    assert whole.diameter // 2 <= part.diameter <= whole.diameter
    assert part.kinds <= whole.kinds and part.looked_at <= 50
    assert "a plain GNN of 2 layers sees" in str(part) and "at least" in str(part)


@given(graphs(max_nodes=12))
def test_facts_agree_with_networkx(G: de.Graph) -> None:
    found, theirs = de.summary(G), G.to_networkx()
    parts = sorted(map(len, nx.connected_components(theirs)))
    assert (found.components, found.largest, found.isolated) == (len(parts), parts[-1], nx.number_of_isolates(theirs))
    largest = [theirs.subgraph(part) for part in nx.connected_components(theirs) if len(part) == parts[-1]]
    assert found.exact and found.diameter in map(nx.diameter, largest)
    assert found.kinds == len(np.unique(de.colors(G)[-1]))
    assert sum(found.detours.values()) == pytest.approx(min(G.num_edges, 1))


def test_it_can_be_stopped() -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled), watching(stop=stop):
        de.summary("karate")
