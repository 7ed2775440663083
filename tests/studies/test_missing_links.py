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
BIG = de.link_task(de.load("celegans"), seed=0)
MODELS = {name: de.build(name, TASK, seed=3) for name in ("DE-GNN-SPD", "GCN")}


def slowly(graph: de.Graph, full: de.Graph, S: set[int]) -> dict[tuple[int, int], int]:
    """The same by networkx, pair by pair: which pairs, and how far from S the farther node is."""
    steps = {v: 99 for v in range(graph.num_nodes)}
    steps |= nx.multi_source_dijkstra_path_length(graph.to_networkx(), S, weight=None)
    pairs = [pair for pair in combinations(range(graph.num_nodes), 2) if not full.has_edge(*pair)]
    far = {(u, v): max(steps[u], steps[v]) for u, v in pairs}
    return {pair: steps for pair, steps in far.items() if steps <= 2 or S & {*pair}}


@settings(max_examples=60)
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
            far = [expected[pair] for pair, own in zip(found, of_S, strict=True) if own == group]
            assert far == sorted(far)


def test_the_likeliest_of_all_pairs_are_given_with_the_scores_of_every_model() -> None:
    answer = missing_links(MODELS, TASK, [0], 5)
    expected = sorted(slowly(TASK.graph, TASK.full_graph, {0}))
    scores = np.sort(de.predict(MODELS["DE-GNN-SPD"], TASK.graph, expected))[::-1]
    assert answer.scored == answer.within == len(expected)
    assert [p["DE-GNN-SPD"] for _, _, p in answer.found] == pytest.approx(scores[:5], abs=1e-6)
    for name, model in MODELS.items():
        again = de.predict(model, TASK.graph, [(u, v) for u, v, _ in answer.found])
        assert [p[name] for *_, p in answer.found] == pytest.approx(again, abs=1e-6)
    promised = promised_precision(MODELS["DE-GNN-SPD"], TASK, [p["DE-GNN-SPD"] for _, _, p in answer.found])
    assert answer.promised == pytest.approx(promised)
    assert len(missing_links(MODELS, TASK, [0]).found) == 10
    some = missing_links(MODELS, TASK, [0], most=100)
    assert (some.scored, some.within) == (100, answer.within)


def test_a_search_that_is_stopped_gives_the_best_so_far() -> None:
    model, stop, shares = {"GCN": de.build("GCN", BIG)}, threading.Event(), list[float]()
    within = missing_links(model, BIG, [0, 5], 1).within

    def report(what: str, share: float) -> None:
        if what.endswith("pairs"):
            shares.append(share)
            if len(shares) == 2:
                stop.set()

    with watching(report, stop):
        halted = missing_links(model, BIG, [0, 5], 10)
        assert missing_links(model, BIG, [0]).found == []
    assert shares == [500 / within, 1000 / within] and halted.scored == 1000 < halted.within == within
    assert len(halted.found) == len(halted.promised) == 10


def test_what_cannot_be_answered_is_refused() -> None:
    triangles = de.triangle_task(de.load("karate"))
    for wrong, words in (({"S": []}, "Pick a node"), ({"task": triangles}, "sets of 3"), ({"most": 0}, "most"),
                         ({"count": 0}, "count")):  # fmt: skip
        with pytest.raises((ParameterError, TargetError), match=words):
            missing_links(**{"models": MODELS, "task": TASK, "S": [0], **wrong})


@pytest.mark.parametrize(("task", "name"), [(TASK, "Adamic-Adar"), (BIG, "shortest path")], ids=["all", "a sample"])
def test_the_promise_counts_validation_links_among_all_unlinked_pairs(task: de.Task, name: str) -> None:
    graph, model = task.full_graph, de.build(name, task)
    drawn, total = unlinked(graph)
    assert total == graph.num_nodes * (graph.num_nodes - 1) // 2 - graph.num_edges
    assert len({*map(tuple, drawn.tolist())}) == min(total, 4000) and not graph.has_edges(drawn).any()
    list(de.fit(model, task))
    others, links = (de.predict(model, task.graph, x) for x in (drawn, task.val.sets[task.val.labels == 1]))
    thresholds = [0.0, 0.2, 0.5, 0.9, float(links.max()), float(np.sort(others)[-3]), 1.1]
    unseen = total > 4000  # one more of a sample, so that it never promises certainty
    right = [(links >= t).sum() for t in thresholds]
    wrong = [total * ((others >= t).sum() + unseen) / (len(drawn) + unseen) for t in thresholds]
    expected = [r / max(r + w, 1) for r, w in zip(right, wrong, strict=True)]
    assert promised_precision(model, task, thresholds) == pytest.approx(expected)
