"""Confusion, mistakes and distances against slow versions, and the trained models of a question."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

import degnn_explore as de
from degnn_explore.studies.diagnostics import Scored, TrainedModels, confusion, hardest, set_distance
from degnn_explore.studies.race import RaceSetup
from degnn_explore.studies.runs import RunSpec, run_one

KARATE = de.load("karate")
LINKS = [de.link_task(KARATE, seed=seed, split=(0.3, 0.1, 0.6)) for seed in range(3)]
ROLES = [de.role_task(de.load("us-flights"), seed=seed) for seed in range(3)]


def judged(task: de.Task) -> Scored:
    """By chance, with ties and probabilities of one half, which is no yes."""
    rng = np.random.default_rng(task.seed)
    shape = (len(task.test),) if task.num_classes == 2 else (len(task.test), task.num_classes)
    return Scored(task, rng.random(shape).round(1), set_distance(task.graph, task.test.sets))


def slowly(scored: list[Scored]) -> list[dict[str, Any]]:
    """The mistakes, set by set."""
    found: dict[tuple[int, ...], list[dict[str, Any]]] = {}
    asked: list[tuple[int, ...]] = []
    for one in scored:
        test, two = one.task.test, one.task.num_classes == 2
        rows = zip(test.sets.tolist(), test.labels.tolist(), one.probability, one.distance, strict=True)
        for nodes, label, p, distance in rows:
            asked.append(tuple(nodes))
            classes = [1 - p, p] if two else list(p)
            answer = max(range(len(classes)), key=classes.__getitem__)
            if answer != label:
                about = {"truth": label, "given": answer, "score": p if two else max(p), "distance": distance}
                about |= {"nodes": tuple(nodes), "seed": one.task.seed, "of truth": classes[label]}
                found.setdefault(tuple(nodes), []).append(about)
    worst = [min(each, key=lambda m: m["of truth"]) | {"wrong": len(each), "asked": asked.count(nodes)}
             for nodes, each in found.items()]  # fmt: skip
    return sorted(worst, key=lambda m: (-m["wrong"], m["of truth"]))


@pytest.mark.parametrize("tasks", [LINKS, ROLES], ids=["links", "roles"])
def test_mistakes_are_those_of_a_slow_search_most_often_wrong_first(tasks: list[de.Task]) -> None:
    scored = [judged(task) for task in tasks]
    mistakes, expected = hardest(scored, 1000), slowly(scored)
    assert [vars(m) for m in mistakes] == [{k: v for k, v in m.items() if k != "of truth"} for m in expected]
    assert max(m.wrong for m in mistakes) > 1 and hardest(scored) == mistakes[:10]
    assert hardest(scored, 1) == mistakes[:1]
    with pytest.raises(de.ParameterError, match="count"):
        hardest(scored, 0)
    labels, classes = tasks[0].test.labels, range(tasks[0].num_classes)
    assert (confusion(scored[0]) == metrics.confusion_matrix(labels, scored[0].given, labels=classes)).all()


@settings(max_examples=30)
@given(st.integers(3, 9), st.floats(0.1, 0.6), st.integers(0, 10**6))
def test_the_distance_of_a_set_is_the_largest_inside_it_without_its_own_edges(
    n: int, density: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    graph = de.Graph.from_edges([pair for pair in combinations(range(n), 2) if rng.random() < density], num_nodes=n)
    sets = [rng.choice(n, size, replace=False).tolist() for size in rng.integers(1, 4, size=6)]
    expected = []
    for S in sets:
        cut = graph.to_networkx()
        cut.remove_edges_from(list(combinations(S, 2)))
        lengths = dict(nx.all_pairs_shortest_path_length(cut))
        between = [lengths[u].get(v, -1) for u, v in combinations(S, 2)]
        expected.append(-1 if -1 in between else max(between, default=0))
    assert set_distance(graph, sets).tolist() == expected


def test_trained_models_of_a_question_are_found_asked_and_scored(tmp_path: Path) -> None:
    setup = RaceSetup(KARATE, "links", ["GCN", "DE-GNN-SPD"], seeds=2, epochs=2, device="cpu")
    runs = [run_one(spec, tmp_path) for spec in setup.specs()]
    models = TrainedModels(setup, tmp_path)
    assert models.of_seed(runs, 1) == {run.model: run for run in runs if run.seed == 1}
    run, task = runs[3], de.link_task(KARATE, seed=1)
    scored = models.scored(run)
    expected = de.predict(de.load_model(tmp_path / run.model_file), task.graph, task.test.sets)
    assert (scored.probability == expected).all() and scored.task.digest() == task.digest()
    assert (scored.distance == set_distance(task.graph, task.test.sets)).all() and models.scored(run) is scored
    answers = models.ask(runs, [0, 33], seed=1)
    assert list(answers) == ["GCN", "DE-GNN-SPD"]
    assert answers[run.model].tolist() == pytest.approx(de.predict(models.model(run), task.graph, [{0, 33}]))
    assert models.ask(runs, [0, 33])[run.model] != pytest.approx(answers[run.model])  # those of seed 0
    for S in ([0], [0, 1, 2]):
        with pytest.raises(de.TargetError, match="sets of 2"):
            models.ask(runs, S)
    for wrong, words in (({"digest": "other"}, "another graph"), ({"key": "k", "model_file": ""}, "no model file")):
        with pytest.raises(de.ParameterError, match=words):
            models.model(replace(run, **wrong))


def test_models_are_given_of_finished_runs_whose_files_are_there_the_latest_first(tmp_path: Path) -> None:
    models = TrainedModels(RaceSetup(KARATE, "links", ["GCN"]), tmp_path)
    (tmp_path / "a").touch()
    good = replace(RunSpec(KARATE, "links", "GCN").record(), test=0.5, model_file="a")
    changes = [{"seed": 1}, {"status": "failed"}, {"test": None}, {"digest": "other"}, {"task": "roles"}]
    others = [replace(good, **change) for change in [*changes, {"model_file": "gone"}, {"model_file": ""}]]
    assert models.of_seed([good, *others], 0) == {"GCN": good} and models.of_seed(others, 0) == {}
    later = replace(good, key="later")
    assert models.of_seed([good, later], 0) == {"GCN": later}
