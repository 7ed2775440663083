"""Which links are missing: every unlinked pair around S is looked at, and nothing else."""

from __future__ import annotations

import threading
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.common.errors import ParameterError, TargetError
from degnn_explore.common.progress import watching
from degnn_explore.studies.missing_links import missing_links, promised_precision, unlinked, unlinked_pairs

TASK = de.link_task(de.load("karate"), seed=0)
MODELS = {name: de.build(name, TASK, seed=3) for name in ("DE-GNN-SPD", "GCN")}


def slowly(graph: de.Graph, full: de.Graph, S: set[int]) -> set[tuple[int, int]]:
    """The same by networkx, pair by pair."""
    steps: dict[int, int] = {}
    for s in S:
        for v, d in nx.single_source_shortest_path_length(graph.to_networkx(), s).items():
            steps[v] = min(d, steps.get(v, d))
    near = {v for v, d in steps.items() if d <= 2}
    pairs = combinations(range(graph.num_nodes), 2)
    return {(u, v) for u, v in pairs if not full.has_edge(u, v) and (u in S or v in S or {u, v} <= near)}


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 14), st.floats(0.05, 0.5), st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 120))
def test_the_pairs_are_those_of_a_slow_search(n: int, density: float, seed: int, size: int, most: int) -> None:
    rng = np.random.default_rng(seed)
    edges = [pair for pair in combinations(range(n), 2) if rng.random() < density]
    full = de.Graph.from_edges(edges, num_nodes=n)
    graph = de.Graph.from_edges([edge for edge in edges if rng.random() < 0.8], num_nodes=n)
    S = {int(v) for v in rng.choice(n, min(size, n), replace=False)}
    expected = slowly(graph, full, S)
    if not expected:
        with pytest.raises(TargetError, match="linked to each other already"):
            unlinked_pairs(graph, full, S, most)
        return
    pairs, within = unlinked_pairs(graph, full, S, most)
    got = [tuple(pair) for pair in pairs.tolist()]
    assert within == len(expected)
    assert len(got) == len(set(got)) == min(most, len(expected))
    assert set(got) <= expected


def test_the_likeliest_of_all_pairs_are_given() -> None:
    answer = missing_links(MODELS, TASK, [0], 5)
    expected = sorted(slowly(TASK.graph, TASK.full_graph, {0}))
    scores = de.predict(MODELS["DE-GNN-SPD"], TASK.graph, expected)
    assert (answer.scored, answer.within) == (len(expected), len(expected))
    assert [p["DE-GNN-SPD"] for _, _, p in answer.found] == pytest.approx(np.sort(scores)[::-1][:5], abs=1e-6)
    u, v, p = answer.found[0]
    assert p["GCN"] == pytest.approx(de.predict(MODELS["GCN"], TASK.graph, [(u, v)])[0], abs=1e-6)


def test_a_limit_and_a_stop_are_told_in_numbers() -> None:
    everything = missing_links(MODELS, TASK, [0]).within
    some = missing_links(MODELS, TASK, [0], most=100)
    assert (some.scored, some.within) == (100, everything)
    big = de.link_task(de.load("celegans"), seed=0)
    model = {"GCN": de.build("GCN", big)}
    stop = threading.Event()

    def report(what: str, share: float) -> None:
        if what.endswith("pairs") and share * everywhere > 900:
            stop.set()

    everywhere = missing_links(model, big, [0, 5], 1).within
    with watching(report, stop):
        halted = missing_links(model, big, [0, 5], 10)
        assert missing_links(model, big, [0]).found == []
    assert halted.scored == 1000 < halted.within == everywhere
    assert len(halted.found) == 10


def test_what_cannot_be_answered_is_said() -> None:
    with pytest.raises(TargetError, match="Pick a node first"):
        missing_links(MODELS, TASK, [])
    with pytest.raises(ParameterError, match="No trained model yet"):
        missing_links({}, TASK, [0])
    with pytest.raises(TargetError, match="judge sets of 3"):
        missing_links(MODELS, de.triangle_task(de.load("karate")), [0])


def test_the_promise_counts_validation_links_among_all_unlinked_pairs() -> None:
    model = de.build("Adamic-Adar", TASK)
    list(de.fit(model, TASK))
    every = np.array(list(combinations(range(34), 2)))
    pairs = every[~TASK.full_graph.has_edges(every)]
    others, links = (de.predict(model, TASK.graph, x) for x in (pairs, TASK.val.sets[TASK.val.labels == 1]))
    thresholds = [0.2, 0.5, 0.9]
    expected = [(links >= t).sum() / max(1, (links >= t).sum() + (others >= t).sum()) for t in thresholds]
    assert promised_precision(model, TASK, thresholds) == pytest.approx(expected)


def test_a_sample_of_many_unlinked_pairs_promises_no_certainty() -> None:
    drawn, total = unlinked(de.load("celegans"))
    assert (len(drawn), total) == (4000, 297 * 296 // 2 - 2148)
    task = de.link_task(de.load("celegans"))
    model = de.build("shortest path", task)
    list(de.fit(model, task))
    high, beyond = promised_precision(model, task, [0.0, 1.1])
    assert high == pytest.approx(215 / (215 + total))
    assert beyond == 0.0
