"""The summary of a graph: each fact against networkx, and which of them come from a sample."""

from __future__ import annotations

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.common.progress import watching
from degnn_explore.expressive import summary as module
from tests.strategies import graphs


@given(graphs(max_nodes=12), st.integers(1, 4))
def test_facts_agree_with_networkx(G: de.Graph, max_dist: int) -> None:
    shares: list[float] = []
    with watching(lambda what, share: shares.append(share)):
        found = de.summary(G, max_dist=max_dist)
    assert shares == sorted(shares) and shares[0] >= 0 and shares[-1] <= 1
    theirs, degrees = G.to_networkx(), G.degrees
    parts = sorted(nx.connected_components(theirs), key=len)
    assert (found.nodes, found.edges, found.components) == (len(theirs), theirs.size(), len(parts))
    assert (found.largest, found.isolated) == (len(parts[-1]), nx.number_of_isolates(theirs))
    assert found.degrees == (degrees.min(), np.median(degrees), degrees.mean(), degrees.max())
    largest = [nx.diameter(theirs.subgraph(part)) for part in parts if len(part) == len(parts[-1])]
    assert found.exact and found.diameter in largest
    classes = Counter(de.colors(G)[-1].tolist()).values()
    assert (found.kinds, found.alike, found.layers) == (len(classes), sum(k for k in classes if k > 1), None)
    detours: Counter[int] = Counter()
    for u, v in G.edges.tolist():
        rest = nx.restricted_view(theirs, [], [(u, v)])
        detours[nx.shortest_path_length(rest, u, v) if nx.has_path(rest, u, v) else -1] += 1
    assert found.detours == pytest.approx({far: k / G.num_edges for far, k in detours.items()})
    assert found.beyond == pytest.approx(sum(k for far, k in detours.items() if far > max_dist) / max(G.num_edges, 1))
    around = sorted(far for far, k in detours.items() for _ in range(k) if far > 0)
    assert found.enough == (around[int(np.ceil(0.9 * len(around))) - 1] if around else 0)
    facts = found.facts
    assert (f"max_dist={found.enough}" in facts["links"]) == (found.beyond > 0.1)
    assert (facts["links"] == "none") == (G.num_edges == 0)
    assert ("without a path" in facts["links"]) == (-1 in detours)
    assert str(found).splitlines() == [f"{name}: {words}" for name, words in facts.items()]
    assert found.to_frame()["what"].to_dict() == facts


def test_every_number_is_in_the_sentences() -> None:
    """A ring with two tails, and an isolated node."""
    edges = [(i, (i + 1) % 8) for i in range(8)] + [(0, 8), (0, 9)]
    G = de.Graph.from_edges(edges, num_nodes=11, labels=[*[1] * 9, 2, -1], attributes=np.eye(11), title="a <b>")
    found = de.summary(G)
    for name, words in {
        "size": ["11 nodes", "10 links"],
        "parts": ["2 components", "91 %", "1 node without"],
        "degrees": ["0 to 4", "1.8 on average", "median 2"],
        "reach": ["5 steps"],
        "kinds": ["7 kinds", "8 of 11"],
        "links": ["more than 3 steps apart in 80 %", "without a path in 20 %", "max_dist=7"],
        "labels": ["2 classes (1: 9, 2: 1)", "1 node without"],
        "attributes": ["11 numbers"],
        "cleaning": [str(G.cleaning)],
    }.items():
        assert [word for word in words if word not in found.facts[name]] == [], found.facts[name]
    html = found._repr_html_()
    assert "11 nodes" in html and "max_dist=7" in html and "<b>" not in html
    assert found.to_frame().index.name == "a <b>"
    labels = de.summary(de.Graph.from_edges([(0, 1)], num_nodes=12, labels=range(12))).facts["labels"]
    assert "12 classes" in labels and "7: 1, …)" in labels and "without" not in labels


def test_a_share_is_none_or_all_only_if_it_is() -> None:
    """A star, and that many nodes without a link."""
    shares = {(2, 2000): "0.1", (2, 5000): "under 0.1", (3, 300): "1", (1999, 2000): "99.9", (4999, 5000): "over 99.9"}
    for (part, whole), percent in shares.items():
        G = de.Graph.from_edges([(0, v) for v in range(1, part)], num_nodes=whole)
        assert f" {percent} %" in de.summary(G).facts["parts"]


def test_large_graphs_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = de.summary("ns")
    for name, value in {"LARGE": 1_000, "STEPS": 100, "LINKS": 50}.items():
        monkeypatch.setattr(module, name, value)
    reports: list[tuple[str, float]] = []
    with watching(lambda what, share: reports.append((what, share))):
        part = de.summary("ns")
    shares = [share for _, share in reports]
    assert shares == sorted(shares) and sum("diameter" in what for what, _ in reports) == 1 + module.SWEEPS
    assert (part.layers, whole.layers, part.exact, whole.exact) == (2, None, False, True)
    assert whole.diameter // 2 <= part.diameter <= whole.diameter
    assert part.kinds == len(np.unique(de.colors(de.load("ns"), layers=2)[-1])) < whole.kinds
    assert 25 < part.looked_at <= 50 and whole.looked_at > 50
    facts = part.facts
    assert "at least" in facts["reach"] and "of 2 layers" in facts["kinds"] and f"{part.looked_at}" in facts["links"]
    star = de.summary(de.Graph.from_edges([(0, v) for v in range(1, 60)]))
    assert (star.diameter, star.exact) == (2, True)  # from its center no two nodes are further apart
    path = de.summary(de.Graph.from_edges([(v, v + 1) for v in range(60)]))
    assert (path.diameter, path.exact) == (60, False)  # found from either end
