"""Ranking metrics and hard negatives, against slow versions that follow their definitions."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import degnn_explore as de
from degnn_explore import Graph, ParameterError, TargetError
from degnn_explore.learn import predicting
from degnn_explore.learn.metrics import task_metrics
from degnn_explore.learn.ranking import RESTART, hard_negatives, hits, mean_reciprocal_rank, random_negatives, ranks
from degnn_explore.views.board.state import BoardState


def random_graph(seed: int, n: int = 24, p: float = 0.12) -> Graph:
    return Graph.from_networkx(nx.gnp_random_graph(n, p, seed=seed))


def slow_scores(graph: Graph, a: int) -> tuple[dict[int, float], dict[int, float]]:
    """Resource allocation by sets; PageRank by solving the linear system."""
    G = graph.to_networkx()
    n = graph.num_nodes
    allocation = {c: sum(1 / G.degree(z) for z in set(G[a]) & set(G[c])) for c in range(n)}
    walk = np.zeros((n, n))
    for u in range(n):
        for v in G[u]:
            walk[u, v] = 1 / G.degree(u)
    row = RESTART * np.linalg.inv(np.eye(n) - (1 - RESTART) * walk)[a]
    return allocation, {c: row[c] if row[c] > 1e-12 else 0.0 for c in range(n)}


def slow_rank(scores: dict[int, float]) -> dict[int, float]:
    return {
        c: 1 + sum(other > score + 1e-12 for other in scores.values()) if score > 0 else len(scores) + 1
        for c, score in scores.items()
    }


@pytest.mark.parametrize("seed", range(12))
def test_hard_negatives_are_the_best_of_two_ranks(seed: int) -> None:
    graph = random_graph(seed)
    positives = graph.edges[:6]
    training = graph.without_edges(positives)
    count = 5
    negatives = hard_negatives(training, positives, count, training, np.random.default_rng(seed))
    assert negatives.shape == (len(positives), count, 2)
    for (a, b), pairs in zip(positives.tolist(), negatives.tolist(), strict=True):
        for keep, other, half in ((a, b, pairs[:3]), (b, a, pairs[3:])):
            allowed = [c for c in range(graph.num_nodes) if c not in {keep, other, *training.neighbors(keep).tolist()}]
            allocation, pagerank = slow_scores(training, keep)
            first = slow_rank({c: allocation[c] for c in allowed})
            second = slow_rank({c: pagerank[c] for c in allowed})
            better = {c: min(first[c], second[c]) for c in allowed}
            chosen = [v if u == keep else u for u, v in half]
            assert all(keep in pair for pair in half)
            assert set(chosen) <= set(allowed) and len(set(chosen)) == len(chosen)
            assert sorted(better[c] for c in chosen) == sorted(better.values())[: len(chosen)]


@pytest.mark.parametrize("graph", [nx.connected_caveman_graph(5, 6), nx.karate_club_graph()], ids=len)
def test_equal_scores_tie_although_rounding_parts_them(graph: nx.Graph) -> None:
    """Each candidate that ties for the last place is drawn by some seed."""
    training = Graph.from_networkx(graph)
    for a in range(0, training.num_nodes, 3):
        b = (a + 11) % training.num_nodes
        allowed = [c for c in range(training.num_nodes) if c not in {a, b, *training.neighbors(a).tolist()}]
        first, second = (slow_rank({c: scores[c] for c in allowed}) for scores in slow_scores(training, a))
        better = {c: min(first[c], second[c]) for c in allowed}
        wanted = 4
        last = sorted(better.values())[wanted - 1]
        drawn: set[int] = set()
        for seed in range(60):
            rng = np.random.default_rng(seed)
            drawn |= set(
                hard_negatives(training, np.array([[a, b]]), 2 * wanted, training, rng)[0, :wanted].ravel().tolist()
            )
        assert drawn - {a} == {c for c in allowed if better[c] <= last}


def test_links_of_validation_are_no_hard_negatives_of_test_links() -> None:
    graph = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (0, 7), (7, 8)])
    training = graph.without_edges(np.array([[1, 2]]))
    blind = hard_negatives(training, np.array([[1, 8]]), 12, training, np.random.default_rng(0))
    told = hard_negatives(training, np.array([[1, 8]]), 10, graph, np.random.default_rng(0))
    assert [1, 2] in blind[0].tolist()
    assert [1, 2] not in told[0].tolist()


def test_ties_and_missing_scores_are_drawn_by_the_seed() -> None:
    star = Graph.from_edges([(0, i) for i in range(1, 9)], num_nodes=40)  # nodes 9.. have no score
    draw = [hard_negatives(star, np.array([[1, 2]]), 30, star, np.random.default_rng(s)).tolist() for s in (0, 0, 1)]
    assert draw[0] == draw[1] != draw[2]
    kept = {v if u == 1 else u for u, v in draw[0][0][:15]}
    assert {3, 4, 5, 6, 7, 8} <= kept  # all that have a score come first


def test_too_few_candidates_is_said() -> None:
    complete = Graph.from_networkx(nx.complete_graph(6))
    with pytest.raises(TargetError, match="per_positive"):
        hard_negatives(complete, np.array([[0, 1]]), 4, complete, np.random.default_rng(0))
    with pytest.raises(TargetError, match="not linked"):
        random_negatives(complete, 4, np.array([[0, 1]]), complete, np.random.default_rng(0))


@pytest.mark.parametrize("p", [0.1, 0.9])
def test_random_negatives_are_different_pairs_that_are_not_linked(p: float) -> None:
    graph = random_graph(3, n=12, p=p)
    linked = set(map(tuple, graph.edges.tolist()))
    negatives = random_negatives(graph, 4, graph.edges, graph, np.random.default_rng(0))
    for pairs in negatives.tolist():
        assert len(set(map(tuple, pairs))) == 4
        assert all(u < v and (u, v) not in linked for u, v in pairs)
    seen = {tuple(pair) for pairs in negatives.tolist() for pair in pairs}
    assert len(seen) > 0.5 * min(66 - len(linked), 4 * len(graph.edges))  # they differ from link to link


def test_ranks_follow_their_definition_and_ignore_the_order_of_negatives() -> None:
    rng = np.random.default_rng(0)
    positive, negative = rng.integers(5, size=30) / 4, rng.integers(5, size=(30, 9)) / 4
    for value, others, rank in zip(positive, negative, ranks(positive, negative), strict=True):
        best = 1 + sum(other > value for other in others)
        worst = 1 + sum(other >= value for other in others)
        assert rank == (best + worst) / 2
    assert np.array_equal(ranks(positive, negative), ranks(positive, negative[:, ::-1]))


def test_a_constant_model_gains_nothing_from_ties() -> None:
    constant = ranks(np.zeros(10), np.zeros((10, 99)))
    assert (constant == 50.5).all()
    assert hits(constant, 50) == 0 and hits(constant, 51) == 1
    assert mean_reciprocal_rank(constant) == pytest.approx(1 / 50.5)
    assert mean_reciprocal_rank(np.array([1.0, 1.0])) == hits(np.array([1.0, 1.0]), 1) == 1


def link_graph(seed: int = 0) -> Graph:
    return Graph.from_networkx(nx.connected_watts_strogatz_graph(40, 6, 0.2, seed=seed))


@pytest.mark.parametrize("negatives", ["random", "hard"])
def test_held_out_links_have_negatives_of_their_own(negatives: str) -> None:
    graph = link_graph()
    task = de.link_task(graph, per_positive=12, negatives=negatives)
    usual = de.link_task(graph)
    for part in ("train", "val", "test"):
        assert (getattr(task, part).sets == getattr(usual, part).sets).all()  # the split stays
    assert task.train.ranked is None and usual.test.ranked is None
    assert task.digest() != usual.digest()
    with_val = {(int(u), int(v)) for u, v in [*task.graph.edges, *task.val.sets[task.val.labels == 1]]}
    for split, linked in ((task.val, task.graph.edges), (task.test, with_val)):
        positives = split.sets[split.labels == 1]
        assert split.ranked is not None and split.ranked.shape == (len(positives), 12, 2)
        taken = {(int(u), int(v)) for u, v in linked}
        for (a, b), pairs in zip(positives.tolist(), split.ranked.tolist(), strict=True):
            assert len({tuple(pair) for pair in pairs}) == 12
            assert not {tuple(pair) for pair in pairs} & (taken | {(a, b)})
            if negatives == "hard":
                assert all(a in pair for pair in pairs[:6]) and all(b in pair for pair in pairs[6:])
    again = de.link_task(graph, per_positive=12, negatives=negatives)
    assert (again.test.ranked == task.test.ranked).all()
    other = de.link_task(graph, per_positive=12, negatives=negatives, seed=1)
    assert other.digest() != task.digest()


def test_negatives_of_each_link_can_be_given_and_may_repeat() -> None:
    graph = link_graph()
    free = graph.num_nodes - 1
    pairs = [[[0, 20], [1, 21]], [[0, 20], [2, free // 2]]]
    split = {
        "valid": {"edge": graph.edges[:2], "edge_neg": pairs},
        "test": {"edge": graph.edges[2:4], "edge_neg": pairs},
    }
    task = de.link_task(graph, split=split)
    assert task.test.ranked is not None and task.test.ranked.tolist() == pairs
    assert len(task.test) == 4  # and one drawn negative of each, for AUC
    with pytest.raises(TargetError, match="links"):
        de.link_task(graph, split={**split, "test": {"edge": graph.edges[2:5], "edge_neg": pairs}})


def test_metrics_of_ranked_links_by_hand() -> None:
    task = de.link_task(link_graph(), per_positive=5)
    rng = np.random.default_rng(0)
    logits = rng.integers(0, 4, len(task.test)).astype(float)  # with ties
    ranked = rng.integers(0, 4, task.test.ranked.shape).astype(float)
    reached = task_metrics(task, "test", logits, ranked.reshape(-1))
    places = []
    for score, others in zip(logits[task.test.labels == 1], ranked, strict=True):
        above, tied = (others > score).sum(), (others == score).sum()
        places.append(1 + above + tied / 2)
    assert reached["mrr"] == pytest.approx(np.mean([1 / place for place in places]))
    for k in (1, 3, 10, 50, 100):
        assert reached[f"hits@{k}"] == np.mean([place <= k for place in places])
    assert reached["auc"] == task_metrics(task, "test", logits)["auc"]


def test_the_metric_chooses_the_epoch_and_ranked_negatives_are_scored_as_predicted() -> None:
    task = de.link_task(link_graph(), per_positive=7)
    model = de.build("GCN", task, hidden=8)
    epochs = list(de.fit(model, task, 4, metric="mrr", learning_rate=0.05, seed=3))
    best = de.summarize(epochs)
    assert best.metric == "mrr" and best.test == epochs[best.epoch - 1].test["mrr"]
    assert epochs[best.epoch - 1].val["mrr"] == max(epoch.val["mrr"] for epoch in epochs)
    positives = de.predict(model, task.graph, task.test.sets[task.test.labels == 1])
    negatives = de.predict(model, task.graph, task.test.ranked.reshape(-1, 2)).reshape(-1, 7)
    assert mean_reciprocal_rank(ranks(positives, negatives)) == pytest.approx(best.test)


def test_any_number_of_sets_streams_to_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    task = de.link_task(link_graph(), per_positive=7)
    model = de.build("DE-GNN-SPD", task, hidden=8)
    whole = de.predict(model, task.graph, task.test.ranked.reshape(-1, 2))
    runs = [next(de.fit(de.build("DE-GNN-SPD", task, hidden=8), task, 1))]
    for kept in (0, 10**9):
        monkeypatch.setattr(predicting, "_SLAB", 10)
        monkeypatch.setattr(predicting, "_KEPT", kept)
        assert np.allclose(de.predict(model, task.graph, task.test.ranked.reshape(-1, 2)), whole, atol=1e-6)
        runs.append(next(de.fit(de.build("DE-GNN-SPD", task, hidden=8), task, 1)))
    assert runs[1].test == pytest.approx(runs[0].test)
    assert runs[2].test == pytest.approx(runs[0].test)


def test_a_pair_that_several_links_are_ranked_against_is_scored_once(monkeypatch: pytest.MonkeyPatch) -> None:
    task = de.link_task(link_graph(), per_positive=12, negatives="hard")
    model = de.build("GCN", task, hidden=8)
    prepared: list[np.ndarray] = []
    prepare = type(model).prepare
    monkeypatch.setattr(type(model), "prepare", lambda self, G, S: prepare(self, G, prepared.append(S) or S))
    next(de.fit(model, task, 1))
    pairs = np.concatenate([split.ranked.reshape(-1, 2) for split in (task.val, task.test)])
    different = {tuple(pair) for pair in pairs.tolist()}
    assert len(different) < len(pairs)
    assert sorted(map(tuple, prepared[-1].tolist())) == sorted(different)


@pytest.mark.parametrize("name", ["GCN", "Adamic-Adar"])
def test_test_sets_need_not_be_scored(name: str) -> None:
    task = de.link_task(link_graph(), per_positive=7)
    both = [list(de.fit(de.build(name, task), task, 3, metric="mrr", score_test=scored)) for scored in (True, False)]
    assert [(epoch.loss, epoch.train, epoch.val) for epoch in both[0]] == [
        (epoch.loss, epoch.train, epoch.val) for epoch in both[1]
    ]
    assert all(epoch.test for epoch in both[0]) and not any(epoch.test for epoch in both[1])
    with pytest.raises(ParameterError, match="score_test"):
        de.summarize(both[1])
    with pytest.raises(ParameterError, match="score_test"):
        de.fit(de.build(name, task), task, choose_on="test", score_test=False)


def test_a_metric_that_the_task_does_not_have_is_refused() -> None:
    task = de.link_task(link_graph())
    with pytest.raises(ParameterError, match="per_positive"):
        de.fit(de.build("GCN", task), task, metric="mrr")
    with pytest.raises(ParameterError, match="metric"):
        de.fit(de.build("GCN", task), task, metric="mmr")
    with pytest.raises(ParameterError, match="per_positive"):
        de.link_task(link_graph(), negatives="hard")


def test_a_search_is_judged_by_the_metric() -> None:
    task = de.link_task(link_graph(), per_positive=7)
    tuned = de.tune(task, ["Adamic-Adar", "shortest path"], minutes=0.05, metric="mrr")
    epoch = next(de.fit(de.build(task=task, **tuned.settings), task, metric="mrr"))
    assert tuned.val == epoch.val["mrr"] and tuned.test == epoch.test["mrr"]


def test_studies_rank_and_keep_what_they_ranked_by(tmp_path: Path) -> None:
    plain = {"graphs": "karate", "models": ["Adamic-Adar"], "seeds": 2, "store": tmp_path / "store"}
    hard = {"per_positive": 5, "negatives": "hard"}
    studies = [
        de.study(**plain),
        de.study(**plain, per_positive=5),
        de.study(**plain, **hard),
        de.study(**plain, **hard, metric="mrr"),
    ]
    keys = {cell.spec(0, 0).key for study in studies for cell in study._cells()}
    assert len(keys) == 3  # a formula has no options: only the question differs
    gcn = {"graphs": "karate", "models": ["GCN"], "store": tmp_path / "store", **hard}
    assert len({de.study(**gcn, metric=metric)._cells()[0].spec(0, 0).key for metric in (None, "auc", "mrr")}) == 3
    ranked = studies[-1]
    ranked.run(workers=1, progress=False)
    cell = ranked.cells().iloc[0]
    assert cell["metric"] == "mrr" and cell["seeds"] == 2 and 0 < cell["mean"] < 100
    file = ranked.results(tmp_path / "results.csv")
    again = de.study(**{**plain, "store": tmp_path / "other"}, **hard, metric="mrr")
    assert again.load(file) == 2
    assert again.cells().iloc[0]["mean"] == pytest.approx(cell["mean"], abs=1e-3)
    row = next(csv.DictReader(file.open(encoding="utf-8")))
    measures = json.loads(row["measures"])
    assert measures["mrr"] == pytest.approx(float(row["test"])) and "auc" in measures
    with pytest.raises(ParameterError, match="per_positive"):
        de.study(graphs="karate", models="GCN", metric="mrr")


def test_a_race_is_judged_by_the_metric_that_was_chosen() -> None:
    ranked = BoardState(de.link_task(link_graph(), per_positive=5), metric="mrr", models=["GCN"])
    assert ranked.setup().question.metric == "mrr" and ranked.setup().spec("GCN").options == {"metric": "mrr"}
    assert ranked.setup().question.digest == ranked.setup().spec("GCN").digest
    plain = BoardState(de.link_task(link_graph()), models=["GCN"])
    offered = [{setting[0] for setting in state.form(known=False)["settings"]} for state in (ranked, plain)]
    assert "metric" in offered[0] and "metric" not in offered[1]


def test_the_bar_of_many_sets_never_goes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, shares = link_graph(), list[float]()
    model = de.build("GCN", de.link_task(graph), hidden=8)
    monkeypatch.setattr(predicting, "_SLAB", 10)
    de.predict(
        model, graph, np.stack(np.triu_indices(15, 1), axis=1), progress=lambda what, share: shares.append(share)
    )
    assert shares == sorted(shares) and len(shares) == 11 and shares[-1] < 1


@pytest.mark.parametrize("seed", range(4))
def test_the_summary_says_how_many_held_out_pairs_have_no_path_left(seed: int) -> None:
    task = de.link_task(Graph.from_networkx(nx.gnp_random_graph(60, 0.03, seed=seed)), seed=seed)
    left = task.graph.to_networkx()
    apart: dict[int, list[bool]] = {0: [], 1: []}
    for split in (task.val, task.test):
        for (a, b), label in zip(split.sets.tolist(), split.labels.tolist(), strict=True):
            apart[label].append(not nx.has_path(left, a, b))
    positives, negatives = (np.mean(apart[label]) for label in (1, 0))
    assert task.unreachable() == pytest.approx((positives, negatives))
    said = f"{100 * positives:.0f} % of the held-out links and {100 * negatives:.0f} % of the negatives"
    assert said in task.summary() and "AUC measures reachability" in task.summary()
