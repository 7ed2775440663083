"""Confusion, mistakes and curves against scikit-learn and against hand-made values."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics

import degnn_explore as de
from degnn_explore.studies.diagnostics import Scored, TrainedModels, confusion, hardest, set_distance
from degnn_explore.studies.race import RaceSetup
from degnn_explore.studies.runs import Run
from degnn_explore.studies.statistics import curves, interval

LINKS = de.link_task(de.load("karate"), seed=0)
ROLES = de.role_task(de.load("us-flights"), seed=0)


def judged(task: de.Task, seed: int) -> Scored:
    rng = np.random.default_rng(seed)
    shape = (len(task.test),) if task.num_classes == 2 else (len(task.test), task.num_classes)
    scores = rng.random(shape).round(1)  # many ties
    return Scored(task, scores, set_distance(task.graph, task.test.sets))


def test_the_confusion_is_that_of_scikit_learn() -> None:
    scored = judged(ROLES, 0)
    expected = metrics.confusion_matrix(ROLES.test.labels, scored.given, labels=range(ROLES.num_classes))
    assert confusion(scored).tolist() == expected.tolist()


def test_mistakes_are_wrong_and_the_worst_comes_first() -> None:
    for task in (LINKS, ROLES):
        scored = judged(task, 1)
        found = hardest([scored], 1000)
        assert len(found) == int((scored.given != task.test.labels).sum())
        rows = [int(np.flatnonzero((task.test.sets == m.nodes).all(axis=1))[0]) for m in found]
        assert (np.diff(scored.of_truth[rows]) >= 0).all()
        assert hardest([scored], 1) == found[:1] and len(hardest([scored])) == min(10, len(found))
        with pytest.raises(de.ParameterError, match="count"):
            hardest([scored], 0)


def test_mistakes_of_several_seeds_say_how_often() -> None:
    G = de.Graph.from_edges([(i, (i + s) % 12) for i in range(12) for s in (1, 2)])
    tasks = [de.link_task(G, seed=seed, split=(0.3, 0.1, 0.6)) for seed in range(3)]
    always = [Scored(task, 1.0 - task.test.labels, set_distance(task.graph, task.test.sets)) for task in tasks]
    found = hardest(always, 1000)
    tested = [{tuple(row) for row in task.test.sets.tolist()} for task in tasks]
    assert {m.nodes for m in found} == set().union(*tested)
    assert all(m.asked == m.wrong == sum(m.nodes in sets for sets in tested) for m in found)
    assert [m.wrong for m in found] == sorted((m.wrong for m in found), reverse=True)
    assert {m.wrong for m in found} == {1, 2, 3}
    assert all(m.nodes in tested[m.seed] for m in found)
    never = replace(always[0], probability=1.0 * tasks[0].test.labels)
    shared = [m for m in hardest([never, *always[1:]], 1000) if m.nodes in tested[0]]
    assert all(m.asked == m.wrong + 1 and m.seed > 0 for m in shared)


def test_the_distance_of_a_set_ignores_its_own_edges() -> None:
    G = de.Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3), (4, 5)])
    assert set_distance(G, [[0, 1], [0, 3], [4, 5], [0, 4]]).tolist() == [2, 2, -1, -1]
    assert set_distance(G, [[0, 1, 3]]).tolist() == [2]


def test_a_run_that_ended_early_counts_with_its_last_value() -> None:
    def run(seed: int, tests: list[float], status: str) -> Run:
        scored = enumerate(tests, 1)
        epochs = [{"number": i, "loss": 1.0, "val": {"auc": i / 10}, "test": {"auc": t}} for i, t in scored]
        return Run(f"{seed}", "g", "links", "GCN", seed, epochs=epochs, status=status)

    ended = curves([run(0, [0.6, 0.8], "finished"), run(1, [0.6, 0.6, 1.0], "finished")])[0]
    assert ended.mean == pytest.approx([0.6, 0.7, 0.9])
    under_way = curves([run(0, [0.6, 0.8], "running"), run(1, [0.6, 0.6, 1.0], "finished")])[0]
    assert under_way.mean == pytest.approx([0.6, 0.7, 1.0])
    assert under_way.seeds == [[0.6, 0.8], [0.6, 0.6, 1.0]]
    assert under_way.low == under_way.high == []  # no band below five seeds
    five = curves([run(seed, [0.6, 0.7 + seed / 100], "finished") for seed in range(5)])[0]
    assert (five.low[0], five.low[1]) == pytest.approx((0.6, 0.72 - interval([0.7, 0.71, 0.72, 0.73, 0.74])[1]))


def test_of_epochs_equal_on_validation_the_first_is_reported() -> None:
    both = [{"number": i, "loss": 1.0, "val": {"auc": 0.5}, "test": {"auc": t}} for i, t in ((1, 0.6), (2, 0.9))]
    assert curves([Run("k", "g", "links", "GCN", epochs=both)])[0].mean == [0.6, 0.6]
    assert curves([Run("k", "g", "links", "GCN", epochs=both)], "validation")[0].mean == [0.5, 0.5]
    assert curves([Run("k", "g", "links", "GCN", epochs=both)], "loss")[0].mean == [1.0, 1.0]


def test_models_are_given_of_one_seed_whose_files_are_there(tmp_path: Path) -> None:
    G = de.load("karate")
    models = TrainedModels(RaceSetup(G, "links", ["GCN"]), tmp_path)
    about = {"digest": models.digest, "test": 0.5}
    good = Run("a", "karate", "links", "GCN", 0, model_file="a.safetensors", **about)  # type: ignore[arg-type]
    for name in ("a", "b", "c", "d"):
        (tmp_path / f"{name}.safetensors").touch()
    others = [
        replace(good, key="b", seed=1, model="SAGE", model_file="b.safetensors"),
        replace(good, key="c", status="failed", model="GIN", model_file="c.safetensors"),
        replace(good, key="d", digest="other", model="PGNN", model_file="d.safetensors"),
        replace(good, key="e", model="SEAL", model_file="gone.safetensors"),
    ]
    assert models.of_seed([good, *others], 0) == {"GCN": good}
    assert models.of_seed([good, *others], 1) == {"SAGE": others[0]}
    later = replace(good, key="f", model_file="b.safetensors")
    assert models.of_seed([good, later], 0) == {"GCN": later}
    with pytest.raises(de.ParameterError, match="has no model file"):
        models.model(replace(good, model_file=""))
    with pytest.raises(de.TargetError, match="sets of 2 nodes; 1 are picked"):
        models.ask([good], [0])
