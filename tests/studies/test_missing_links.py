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


def slowly(graph: de.Graph, full: de.Graph, S: set[int]) -> dict[tuple[int, int], tuple[int, int]]:
    """The same by networkx, pair by pair: which pairs, and how far from S their nodes are, the farther first."""
    steps: dict[int, int] = {}
    for s in S:
        for v, d in nx.single_source_shortest_path_length(graph.to_networkx(), s).items():
            steps[v] = min(d, steps.get(v, d))
    far = {v: steps.get(v, 99) for v in range(graph.num_nodes)}
    pairs = [pair for pair in combinations(range(graph.num_nodes), 2) if not full.has_edge(*pair)]
    near = [(u, v) for u, v in pairs if u in S or v in S or max(far[u], far[v]) <= 2]
    return {(u, v): (max(far[u], far[v]), min(far[u], far[v])) for u, v in near}


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 14), st.floats(0.05, 0.5), st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 120))
def test_the_pairs_are_those_of_a_slow_search_nearest_first(
    n: int, density: float, seed: int, size: int, most: int
) -> None:
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
    found = [(u, v) for u, v in pairs.tolist()]
    assert within == len(expected) and len(set(found)) == len(found) == min(most, len(expected))
    assert {*found} <= {*expected} and all(u < v for u, v in found)
    of_S = [S & {*pair} != set() for pair in found]
    assert of_S == sorted(of_S, reverse=True)  # those with a node of S come first
    if len(S) == 1:
        for group in (True, False):
            far = [expected[pair][0] for pair, own in zip(found, of_S, strict=True) if own == group]
            assert far == sorted(far)


def test_the_likeliest_of_all_pairs_are_given_with_the_scores_of_every_model() -> None:
    answer = missing_links(MODELS, TASK, [0], 5)
    expected = sorted(slowly(TASK.graph, TASK.full_graph, {0}))
    scores = de.predict(MODELS["DE-GNN-SPD"], TASK.graph, expected)
    assert (answer.scored, answer.within) == (len(expected), len(expected))
    assert [p["DE-GNN-SPD"] for _, _, p in answer.found] == pytest.approx(np.sort(scores)[::-1][:5], abs=1e-6)
    pairs = [(u, v) for u, v, _ in answer.found]
    for name, model in MODELS.items():
        assert [p[name] for *_, p in answer.found] == pytest.approx(de.predict(model, TASK.graph, pairs), abs=1e-6)
    promised = promised_precision(MODELS["DE-GNN-SPD"], TASK, [p["DE-GNN-SPD"] for *_, p in answer.found])
    assert answer.promised == pytest.approx(promised)
    assert len(missing_links(MODELS, TASK, [0]).found) == 10


def test_the_search_can_be_limited_and_stopped() -> None:
    everything = missing_links(MODELS, TASK, [0]).within
    some = missing_links(MODELS, TASK, [0], most=100)
    assert (some.scored, some.within) == (100, everything)
    big = de.link_task(de.load("celegans"), seed=0)
    model = {"GCN": de.build("GCN", big)}
    within = missing_links(model, big, [0, 5], 1).within
    stop, shares = threading.Event(), list[float]()

    def report(what: str, share: float) -> None:
        if what.endswith("pairs"):
            shares.append(share)
            if len(shares) == 2:
                stop.set()

    with watching(report, stop):
        halted = missing_links(model, big, [0, 5], 10)
        assert missing_links(model, big, [0]).found == []
    assert shares == [500 / within, 1000 / within] and halted.scored == 1000 < halted.within == within
    assert len(halted.found) == len(halted.promised) == 10


def test_what_cannot_be_answered_is_refused() -> None:
    for S, task, models, error in (
        ([], TASK, MODELS, TargetError),
        ([0], TASK, {}, ParameterError),
        ([0], de.triangle_task(de.load("karate")), MODELS, TargetError),
    ):
        with pytest.raises(error):
            missing_links(models, task, S)
    for wrong in ({"count": 0}, {"most": 0}):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            missing_links(MODELS, TASK, [0], **wrong)


def test_the_promise_counts_validation_links_among_all_unlinked_pairs() -> None:
    model = de.build("Adamic-Adar", TASK)
    list(de.fit(model, TASK))
    every = np.array(list(combinations(range(34), 2)))
    pairs = every[~TASK.full_graph.has_edges(every)]
    others, links = (de.predict(model, TASK.graph, x) for x in (pairs, TASK.val.sets[TASK.val.labels == 1]))
    thresholds = [0.2, 0.5, 0.9, float(links.max()), float(np.sort(others)[-3])]
    expected = [(links >= t).sum() / max(1, (links >= t).sum() + (others >= t).sum()) for t in thresholds]
    assert promised_precision(model, TASK, thresholds) == pytest.approx(expected)


def test_a_sample_of_many_unlinked_pairs_promises_no_certainty() -> None:
    drawn, total = unlinked(de.load("celegans"))
    assert (len(drawn), total) == (4000, 297 * 296 // 2 - 2148)
    task = de.link_task(de.load("celegans"))
    model = de.build("shortest path", task)
    list(de.fit(model, task))
    scores = de.predict(model, task.graph, drawn)
    links = de.predict(model, task.graph, task.val.sets[task.val.labels == 1])
    thresholds = [0.0, float(np.quantile(scores, 0.99)), float(links.max()), 1.1]
    right = [(links >= t).sum() for t in thresholds]
    wrong = [total * ((scores >= t).sum() + 1) / 4001 for t in thresholds]  # one more, as if it had been drawn
    assert promised_precision(model, task, thresholds) == pytest.approx(
        [r / (r + w) for r, w in zip(right, wrong, strict=True)])  # fmt: skip
