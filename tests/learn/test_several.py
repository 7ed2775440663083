"""A list of tasks, learnt together: what passes between their graphs (nothing), and how they are judged."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import degnn_explore as de
from degnn_explore import ParameterError
from degnn_explore.learn.metrics import metrics
from degnn_explore.learn.nets import MODELS
from degnn_explore.learn.predicting import logits_of
from degnn_explore.learn.several import as_one

KARATE, LESMIS = de.load("karate"), de.load("lesmis")
LINKS = [de.link_task(KARATE), de.link_task(LESMIS, seed=1)]


def roles(graph: de.Graph) -> de.Task:
    return de.role_task(graph.with_labels(np.arange(graph.num_nodes) % 3), seed=2)


TOGETHER = {1: [roles(KARATE), roles(LESMIS)], 2: LINKS, 3: [de.triangle_task(KARATE), de.triangle_task(LESMIS)]}
WHOLE = {"Katz", "centralities"}  # depend on the largest eigenvalue, on the number of nodes


def logits(model: de.SetNet, graph: de.Graph, sets: np.ndarray) -> np.ndarray:
    return logits_of(model, model.prepare(graph, sets, progress=False), np.arange(len(sets)), "cpu", None)


def numbers(run) -> list[tuple]:
    return [(epoch.number, epoch.loss, epoch.train, epoch.val, epoch.test) for epoch in run]


@pytest.mark.parametrize("p", [1, 2, 3])
def test_every_inductive_model_sees_in_the_union_what_it_sees_in_each_graph(p: int) -> None:
    tasks = TOGETHER[p]
    joined = as_one("fit", tasks)
    for name in [name for name, entry in MODELS.items() if entry.takes(p) and name not in WHOLE]:
        model = de.build(name, tasks)
        if model.inductive:
            alone = [logits(model, task.graph, task.test.sets) for task in tasks]
            together = logits(model, joined.graph, joined.test.sets)
            np.testing.assert_allclose(together, np.concatenate(alone), rtol=1e-5, atol=1e-5, err_msg=name)


def test_one_task_in_a_list_is_that_task_to_the_bit() -> None:
    task = LINKS[0]
    alone = numbers(de.fit(de.build("DE-GNN-SPD", task), task, 3))
    assert numbers(de.fit(de.build("DE-GNN-SPD", [task]), [task], 3)) == alone
    assert as_one("fit", (task,)) is task


def test_metrics_are_the_mean_of_the_tasks() -> None:
    model = de.build("DE-GNN-SPD", LINKS, dropout=0.0)
    (epoch,) = de.fit(model, LINKS, 1)
    for part in ("val", "test"):
        each = [metrics(logits(model, t.graph, getattr(t, part).sets), getattr(t, part).labels) for t in LINKS]
        mean = {key: (each[0][key] + each[1][key]) / 2 for key in each[0]}
        assert getattr(epoch, part) == pytest.approx(mean)
    # a step so small that the logits of the pass are those of the weights as they were drawn
    model = de.build("DE-GNN-SPD", LINKS, dropout=0.0)
    (epoch,) = de.fit(model, LINKS, 1, learning_rate=1e-12)
    each = [metrics(logits(model, t.graph, t.train.sets), t.train.labels) for t in LINKS]
    assert epoch.train == pytest.approx({key: (each[0][key] + each[1][key]) / 2 for key in each[0]}, abs=1e-4)
    (heuristic,) = de.fit(de.build("Adamic-Adar", LINKS), LINKS)
    alone = [next(de.fit(de.build("Adamic-Adar", task), task)).test["auc"] for task in LINKS]
    assert heuristic.test["auc"] == pytest.approx(sum(alone) / 2)


def test_a_part_in_which_a_class_is_missing_has_no_auc_and_is_left_out_of_the_mean() -> None:
    first, second = TOGETHER[1]
    only = np.flatnonzero(second.val.labels == 0)
    one_class = replace(second, val=replace(second.val, sets=second.val.sets[only], labels=second.val.labels[only]))
    (epoch,) = de.fit(de.build("GCN", first), [first, one_class], 1)
    assert np.isfinite(epoch.val["auc"]) and np.isfinite(epoch.val["accuracy"])


def test_the_same_seed_gives_the_same_and_a_stopped_run_goes_on_to_it(tmp_path: Path) -> None:
    def model() -> de.SetNet:
        return de.build("DE-GNN-SPD", LINKS, seed=3)

    whole = numbers(de.fit(model(), LINKS, 4, seed=3))
    assert numbers(de.fit(model(), LINKS, 4, seed=3)) == whole
    stop, file = threading.Event(), tmp_path / "run.safetensors"
    for epoch in de.fit(model(), LINKS, 4, seed=3, checkpoint=file, stop=stop):
        if epoch.number == 2:
            stop.set()
    for other in (LINKS[::-1], LINKS[:1], [*LINKS, LINKS[0]]):
        with pytest.raises(ParameterError, match="belongs to another run: its task is"):
            list(de.fit(model(), other, 4, seed=3, checkpoint=file))
    assert numbers(de.fit(model(), LINKS, 4, seed=3, checkpoint=file)) == whole


def test_it_learns_from_both_and_is_asked_on_a_third() -> None:
    model = de.build("DE-GNN-SPD", LINKS, hidden=16)
    run = list(de.fit(model, LINKS, 12, learning_rate=1e-2))
    assert run[-1].loss < run[0].loss
    other = de.load("celegans")
    assert de.predict(model, other, [{0, 1}, {0, 2}]).shape == (2,)


def with_classes(names: list[str]) -> de.Task:
    return de.set_task(KARATE, [{i} for i in range(34)], np.arange(34) % 2, class_names=names)


@pytest.mark.parametrize(
    ("tasks", "words"),
    [
        ([], "fit needs a task, .* or a list of tasks, not list"),
        ([LINKS[0], KARATE], "or a list of tasks, not Graph"),
        ("links", "or a list of tasks, not str"),
        ([LINKS[0], TOGETHER[3][0]], "the kind of the first task is 'links', of task 2 'triangles'"),
        (
            [LINKS[0], de.link_task(KARATE.with_attributes(np.ones((34, 2))))],
            "attribute columns of the first task is 0",
        ),
        (
            [with_classes(["a", "b"]), with_classes(["a", "c"])],
            r"class names of the first task is \['a', 'b'\], of task",
        ),
    ],
)
def test_tasks_of_several_kinds_are_refused(tasks, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        de.fit(de.build("GCN", LINKS[0]), tasks)


def test_models_that_know_one_graph_are_refused() -> None:
    for name in ("PGNN", "struc2vec"):
        with pytest.raises(ParameterError, match=f"{name} is transductive: .* cannot learn from 2 tasks"):
            de.fit(de.build(name, LINKS), LINKS)
    for p, name in ((2, "Katz"), (1, "centralities")):
        with pytest.raises(ParameterError, match=f"{name} reads the whole graph: for a set of task 1 it gives"):
            list(de.fit(de.build(name, TOGETHER[p]), TOGETHER[p]))


def test_a_pyg_network_learns_several_tasks() -> None:
    from torch_geometric.nn import GraphSAGE

    model = de.PyGModel(lambda features, outputs: GraphSAGE(features, 8, 2, outputs), LINKS, encoding=de.SPD(3), hops=1)
    assert len(list(de.fit(model, LINKS, 2))) == 2
