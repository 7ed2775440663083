"""Metrics, ranks and negatives of each link, against slow versions that follow their definitions."""

from __future__ import annotations

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from sklearn.metrics import accuracy_score, average_precision_score, roc_auc_score

import degnn_explore as de
from degnn_explore import Graph, ParameterError, TargetError
from degnn_explore.learn import metrics, ranking
from degnn_explore.learn.ranking import hard_negatives, hits, mean_reciprocal_rank, random_negatives
from degnn_explore.learn.tasks import Split

KARATE = de.load("karate")
UNION = de.disjoint_union([KARATE, de.zoo.petersen(), de.Graph.from_edges([(0, 1)])])

# ---- metrics --------------------------------------------------------------------------------------------------------


def test_metrics_agree_with_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    for classes, logits in ((2, rng.normal(size=200).round(1)), (4, rng.normal(size=(200, 4)).round(1))):  # with ties
        labels = rng.integers(classes, size=200)
        ours, share = metrics.metrics(logits, labels), metrics.probabilities(logits)
        assert ours["auc"] == pytest.approx(roc_auc_score(labels, share, multi_class="ovr"))
        called = logits > 0 if classes == 2 else logits.argmax(axis=1)
        assert ours["accuracy"] == pytest.approx(accuracy_score(labels, called))


def test_what_one_class_alone_does_not_define_is_not_a_number() -> None:
    scores, nan = np.array([0.1, 0.2]), float("nan")
    for label in (0, 1):
        wanted = {"accuracy": float(label), "auc": nan}
        assert metrics.metrics(scores, np.array([label, label])) == pytest.approx(wanted, nan_ok=True)
    several = np.array([[2.0, 1, 0], [0, 2, 1], [3, 2, 0]])  # no set is of class 2: the mean is of the two others
    assert metrics.metrics(several, np.array([0, 1, 1])) == pytest.approx({"accuracy": 2 / 3, "auc": 0.75})
    assert np.isnan(metrics.metrics(several, np.array([1, 1, 1]))["auc"])
    none = np.array([])
    assert np.isnan([mean_reciprocal_rank(none), hits(none, 3), metrics.average_precision(scores, np.zeros(2))]).all()


def test_probabilities_of_huge_logits_do_not_overflow() -> None:
    assert metrics.probabilities([0.0, np.log(3), -1e4, 1e4]) == pytest.approx([0.5, 0.75, 0, 1])
    assert metrics.probabilities([[0, np.log(3)], [1e4, 0]]) == pytest.approx(np.array([[0.25, 0.75], [1, 0]]))


def test_metrics_of_a_union_are_means_over_the_graphs_where_they_are_defined() -> None:
    rng = np.random.default_rng(0)
    rows = np.array([*((u, u + 1) for u in range(20)), *((u, u + 1) for u in range(34, 40)), (44, 45)])
    split, logits = Split(rows, np.arange(27) % 2), rng.normal(size=27)
    task = replace(de.link_task(KARATE), graph=UNION, val=split)
    parts = [metrics.metrics(logits[some], split.labels[some]) for some in (slice(20), slice(20, 26), slice(26, 27))]
    accuracies = [part["accuracy"] for part in parts]
    assert metrics.task_metrics(task, "val", logits) == pytest.approx(
        {"accuracy": np.mean(accuracies), "auc": (parts[0]["auc"] + parts[1]["auc"]) / 2}
    )
    assert metrics.task_metrics(replace(task, graph=KARATE), "val", logits) == metrics.metrics(logits, split.labels)


def test_metrics_of_ranked_links_by_hand() -> None:
    task = de.link_task(KARATE, per_positive=5)
    rng = np.random.default_rng(0)
    logits, ranked = (rng.integers(0, 4, size).astype(float) for size in (len(task.test), task.test.ranked.shape[:2]))
    reached = metrics.task_metrics(task, "test", logits, ranked.reshape(-1))
    positive = task.test.labels == 1
    places = [1 + (row > s).sum() + (row == s).sum() / 2 for s, row in zip(logits[positive], ranked, strict=True)]
    assert reached == pytest.approx(
        {
            **metrics.metrics(logits, task.test.labels),
            "average_precision": average_precision_score(positive, logits),
            "mrr": np.mean(1 / np.array(places)),
            **{f"hits@{k}": np.mean(np.array(places) <= k) for k in (1, 3, 10, 50, 100)},
        }
    )
    for metric in reached:
        assert metrics.check_metric(metric, task) == metric
        if metric not in ("accuracy", "auc"):
            with pytest.raises(ParameterError, match="per_positive"):
                metrics.check_metric(metric, de.link_task(KARATE))


# ---- negatives of each link -----------------------------------------------------------------------------------------


def slow_scores(graph: Graph, a: int) -> tuple[dict[int, float], dict[int, float]]:
    """Resource allocation by sets; PageRank by solving the linear system."""
    G, n = graph.to_networkx(), graph.num_nodes
    allocation = {c: sum(1 / G.degree(z) for z in set(G[a]) & set(G[c])) for c in range(n)}
    walk = np.zeros((n, n))
    for u in range(n):
        for v in G[u]:
            walk[u, v] = 1 / G.degree(u)
    row = 0.15 * np.linalg.inv(np.eye(n) - 0.85 * walk)[a]
    return allocation, {c: row[c] if row[c] > 1e-12 else 0.0 for c in range(n)}


def slow_rank(scores: dict[int, float]) -> dict[int, float]:
    return {
        c: 1 + sum(other > score + 1e-12 for other in scores.values()) if score > 0 else len(scores) + 1
        for c, score in scores.items()
    }


def better_ranks(training: Graph, known: Graph, keep: int, other: int) -> dict[int, float]:
    """Of each candidate that may stand in for ``other``, the better of its two ranks."""
    allowed = [c for c in range(training.num_nodes) if c not in {keep, other, *known.neighbors(keep).tolist()}]
    first, second = (slow_rank({c: scores[c] for c in allowed}) for scores in slow_scores(training, keep))
    return {c: min(first[c], second[c]) for c in allowed}


@pytest.mark.parametrize("seed", range(6))
def test_hard_negatives_are_the_best_of_two_ranks(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = Graph.from_networkx(nx.gnp_random_graph(24, 0.12, seed=seed))
    positives, known = graph.edges[:6], graph.without_edges(graph.edges[:4])
    training = graph.without_edges(positives)
    negatives = hard_negatives(training, positives, 5, known, np.random.default_rng(seed))
    for (a, b), pairs in zip(positives.tolist(), negatives.tolist(), strict=True):
        assert all(u < v for u, v in pairs)
        for keep, other, half in ((a, b, pairs[:3]), (b, a, pairs[3:])):
            better = better_ranks(training, known, keep, other)
            assert all(keep in pair for pair in half)
            chosen = {sum(pair) - keep for pair in half}
            assert len(chosen) == len(half) and chosen <= better.keys()
            assert sorted(better[c] for c in chosen) == sorted(better.values())[: len(half)]
    monkeypatch.setattr(ranking, "SCORES_AT_ONCE", 50)  # two rows at once
    again, other = (hard_negatives(training, positives, 5, known, np.random.default_rng(s)) for s in (seed, seed + 1))
    assert np.array_equal(again, negatives) and not np.array_equal(other, negatives)


STAR = nx.disjoint_union(nx.star_graph(8), nx.empty_graph(14))  # most nodes have no score


@pytest.mark.parametrize("graph", [nx.connected_caveman_graph(5, 6), nx.karate_club_graph(), STAR], ids=len)
def test_candidates_that_tie_for_the_last_place_are_drawn_now_and_then_also_if_rounding_parts_them(
    graph: nx.Graph,
) -> None:
    training = Graph.from_networkx(graph)
    for a in range(0, training.num_nodes, 5):
        better = better_ranks(training, training, a, b := (a + 11) % training.num_nodes)
        drawn = hard_negatives(training, np.array([[a, b]] * 200), 16, training, np.random.default_rng(0))[:, :8]
        last = sorted(better.values())[7]
        assert {*drawn.ravel().tolist()} - {a} == {c for c, rank in better.items() if rank <= last}
        assert all(sum(c in pairs for pairs in drawn) == 200 for c, rank in better.items() if rank < last)


@pytest.mark.parametrize("density", [0.1, 0.5, 0.9])
def test_random_negatives_are_different_pairs_that_are_not_linked_each_as_likely(density: float) -> None:
    graph = Graph.from_networkx(nx.gnp_random_graph(9, density, seed=3))
    free = {(u, v) for u in range(9) for v in range(u + 1, 9)} - {*map(tuple, graph.edges.tolist())}
    count = min(4, len(free))
    negatives = random_negatives(graph, count, np.zeros((800, 2), int), graph, np.random.default_rng(0))
    rows = [[tuple(pair) for pair in pairs] for pairs in negatives.tolist()]
    assert len(rows) == 800 and all(len(row) == len(set(row)) == count for row in rows)
    drawn = {pair: sum(pair in row for row in rows) for row in rows for pair in row}
    assert drawn.keys() == free
    assert list(drawn.values()) == pytest.approx([800 * count / len(free)] * len(free), rel=0.35)


def test_too_few_candidates_for_negatives_are_an_error_and_just_enough_are_none() -> None:
    graph, link, rng = Graph.from_edges([(0, 1), (2, 3)], 4), np.array([[0, 1]]), np.random.default_rng(0)
    for draw in (
        lambda count: hard_negatives(graph, link, count, graph, rng),
        lambda count: random_negatives(graph, count, link, graph, rng),
    ):
        assert {*map(tuple, draw(4)[0].tolist())} == {(0, 2), (0, 3), (1, 2), (1, 3)}
        with pytest.raises(TargetError, match="per_positive"):
            draw(5)


# ---- in tasks -------------------------------------------------------------------------------------------------------

WORLD = Graph.from_networkx(nx.connected_watts_strogatz_graph(40, 6, 0.2, seed=0))


@pytest.mark.parametrize(
    ("negatives", "count"), [("random", 1), ("random", 12), ("hard", 1), ("hard", 7), ("hard", 12)]
)
def test_each_held_out_link_is_ranked_among_its_own_negatives(negatives: str, count: int) -> None:
    task, usual = de.link_task(WORLD, per_positive=count, negatives=negatives), de.link_task(WORLD)
    splits = (task.train, task.val, task.test)
    for split, other in zip(splits, (usual.train, usual.val, usual.test), strict=True):
        assert np.array_equal(split.sets, other.sets) and other.ranked is None
    assert task.train.ranked is None and task.negatives == negatives
    links = [{*map(tuple, split.sets[split.labels == 1].tolist())} for split in splits]
    known = (links[0], links[0] | links[1]) if negatives == "hard" else (links[0] | links[1] | links[2],) * 2
    touching: list[set[int]] = []
    for split, linked in zip(splits[1:], known, strict=True):
        positives = split.sets[split.labels == 1]
        assert split.ranked.shape == (len(positives), count, 2)
        for (a, b), pairs in zip(positives.tolist(), split.ranked.tolist(), strict=True):
            assert len({tuple(pair) for pair in pairs} - linked - {(a, b)}) == count
            ends = [{a, b} & {*pair} for pair in pairs]
            assert negatives == "random" or ends == [{a}] * ((count + 1) // 2) + [{b}] * (count // 2)
            touching += ends
    assert all(touching) == (negatives == "hard")
    again, other = (de.link_task(WORLD, seed=seed, per_positive=count, negatives=negatives) for seed in (0, 1))
    assert again.digest() == task.digest() != other.digest()


def test_negatives_of_each_link_can_be_given_and_may_repeat() -> None:
    val, test, pairs = WORLD.edges[:2], WORLD.edges[[9, 4]], [[[20, 0], [1, 21], [2, 19]], [[0, 20], [2, 19], [3, 30]]]
    given = {"valid": {"edge": val, "edge_neg": pairs}, "test": {"edge": test, "edge_neg": np.array(pairs)[::-1]}}
    task = de.link_task(WORLD, split=given)
    assert task.val.ranked.tolist() == np.sort(pairs, axis=2).tolist() == task.test.ranked[::-1].tolist()
    assert task.test.sets[:2].tolist() == test.tolist() and task.negatives == ""
    assert len(task.test) == 4  # and one drawn negative of each, for AUC
    half = {"valid": given["valid"], "test": {"edge": test}}
    drawn = de.link_task(WORLD, split=half, per_positive=7)
    assert drawn.val.ranked.shape == (2, 3, 2) and drawn.test.ranked.shape == (2, 7, 2)
    with pytest.raises(ParameterError, match="per_positive"):
        de.link_task(WORLD, split=half)
    with pytest.raises(TargetError, match="links"):
        de.link_task(WORLD, split={**given, "test": {"edge": WORLD.edges[2:5], "edge_neg": pairs}})
    with pytest.raises(ParameterError, match="per_positive"):
        de.link_task(WORLD, negatives="hard")
