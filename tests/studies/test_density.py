"""Scores as probabilities: against counting all pairs of a small graph."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sklearn import metrics

import degnn_explore as de
from degnn_explore.learn.heuristics import common_neighbours
from degnn_explore.learn.metrics import average_precision, hits_at, precision_at
from degnn_explore.studies.density import corrected, density, promised_precision, unlinked

KARATE = de.load("karate")
LINKS = de.link_task(KARATE, seed=0)
PAIRS = np.array(list(combinations(range(34), 2)))


def test_the_density_is_that_of_counting() -> None:
    assert density(LINKS) == 78 / 561
    assert density(de.triangle_task(KARATE)) == 45 / 5984
    assert density(de.role_task(KARATE)) is None


def test_a_corrected_score_is_the_share_among_all_pairs_of_the_graph() -> None:
    linked = KARATE.has_edges(PAIRS)
    shared = common_neighbours(KARATE, PAIRS).astype(int)
    for value in np.unique(shared):
        here = shared == value
        # what a perfect model learns where half of the pairs are links: P(value | link) against P(value | no link)
        yes, no = (here & linked).sum() / linked.sum(), (here & ~linked).sum() / (~linked).sum()
        assert corrected(yes / (yes + no), 78 / 561) == pytest.approx(linked[here].mean())
        quarter = yes / (yes + 3 * no)  # a quarter of what it learns from are links
        assert corrected(quarter, 78 / 561, learnt=0.25) == pytest.approx(linked[here].mean())


def test_the_promise_counts_validation_links_among_all_unlinked_pairs() -> None:
    model = de.build("Adamic-Adar", LINKS)
    list(de.fit(model, LINKS))
    pairs = PAIRS[~KARATE.has_edges(PAIRS)]
    others, links = (de.predict(model, LINKS.graph, x) for x in (pairs, LINKS.val.sets[LINKS.val.labels == 1]))
    thresholds = [0.2, 0.5, 0.9]
    expected = [(links >= t).sum() / max(1, (links >= t).sum() + (others >= t).sum()) for t in thresholds]
    assert promised_precision(model, LINKS, thresholds) == pytest.approx(expected)


def test_a_sample_of_many_unlinked_pairs_promises_no_certainty() -> None:
    drawn, total = unlinked(de.load("celegans"), 2)
    assert (len(drawn), total) == (4000, 297 * 296 // 2 - 2148)
    task = de.link_task(de.load("celegans"))
    model = de.build("shortest path", task)
    list(de.fit(model, task))
    high, beyond = promised_precision(model, task, [0.0, 1.1])
    assert high == pytest.approx(215 / (215 + total))
    assert beyond == 0.0


@pytest.mark.parametrize("seed", range(4))
def test_average_precision_is_that_of_scikit_learn_and_of_all_pairs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels, scores = rng.integers(0, 2, 40), rng.random(40).round(1)
    assert average_precision(scores, labels) == pytest.approx(metrics.average_precision_score(labels, scores))
    repeated = np.repeat(np.arange(40), np.where(labels == 1, 1, 7))  # each negative stands for seven
    expected = metrics.average_precision_score(labels[repeated], scores[repeated])
    assert average_precision(scores, labels, negatives=7) == pytest.approx(expected)


def test_precision_and_hits_at_k_by_hand() -> None:
    scores, labels = np.array([0.9, 0.8, 0.7, 0.7, 0.1]), np.array([1, 0, 1, 0, 1])
    assert precision_at(1, scores, labels) == 1.0
    assert precision_at(2, scores, labels) == 0.5
    assert precision_at(3, scores, labels) == pytest.approx(1.5 / 3)  # half of the tie
    assert precision_at(100, scores, labels) == pytest.approx(3 / 5)
    assert precision_at(5, scores, labels, negatives=4) == pytest.approx(1 / 5)  # one link, four like the second
    assert [hits_at(k, scores, labels) for k in (1, 2, 3)] == pytest.approx([1 / 3, 1 / 3, 1.0])


def test_classes_are_called_as_their_labels_were_given() -> None:
    G = de.Graph.from_edges([(i, (i + 1) % 20) for i in range(20)], labels=[i % 2 for i in range(20)])
    assert de.role_task(G).class_names == ["class 0", "class 1"]
    named = G.with_info({"label": ["hub" if i % 2 else "leaf" for i in range(20)]})
    assert de.role_task(named).class_names == ["leaf", "hub"]
    unclear = G.with_info({"label": ["hub"] * 20})
    assert de.role_task(unclear).class_names == ["class 0", "class 1"]
