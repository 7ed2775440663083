"""What holds for every model: it learns, resumes, is saved, uses a device, and leaks nothing; and how it is asked does
not matter: numbers of nodes, order of sets, other sets, repetition."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import degnn_explore as de
from tests import pretend_device  # noqa: F401 (registers the device)

from .small import EVERY, ROLES, TASK, G, numbers, same, small, state

MODELS = [str(name) for name in de.models().index]
FOR_NODES = ("degree", "centralities")
REAL = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else ""
real = pytest.param(
    REAL,
    marks=[
        pytest.mark.gpu,
        pytest.mark.skipif(not REAL, reason="needs a CUDA or MPS device, and this machine has none"),
    ],
)
TRIANGLES = de.triangle_task(G)


def dropping(name: str, **options: Any) -> de.SetNet:
    return small(name, **({} if name == "struc2vec" else {"dropout": 0.2}), **options)


@cache
def trained(name: str) -> tuple[list[de.Epoch], de.SetNet]:
    """Three epochs and their model."""
    model = dropping(name)
    return list(de.fit(model, TASK, 3, seed=5, learning_rate=1e-2, device="cpu")), model


@pytest.mark.parametrize("name", EVERY)
def test_every_model_learns_and_resumes_to_the_same_numbers_and_weights(name: str, tmp_path: Path) -> None:
    run, model = trained(name)
    assert run[-1].loss < run[0].loss
    assert all(set(part) == {"accuracy", "auc"} for epoch in run for part in (epoch.train, epoch.val, epoch.test))
    how: dict[str, Any] = {"seed": 5, "learning_rate": 1e-2, "checkpoint": tmp_path / "run", "device": "cpu"}
    torch.manual_seed(99)  # torch's own random numbers do not matter
    list(de.fit(dropping(name), TASK, 1, **how))
    again = dropping(name)
    resumed = list(de.fit(again, TASK, 3, **how))
    assert numbers(resumed) == numbers(run) and same(state(again), state(model))
    other = list(de.fit(dropping(name), TASK, 1, seed=6, learning_rate=1e-2))
    assert other[0].loss != run[0].loss


@pytest.mark.parametrize("name", EVERY)
def test_the_held_out_part_of_the_graph_changes_no_training_number(name: str) -> None:
    """Other links in place of the held-out ones: the same losses and training metrics."""
    held_out = np.concatenate([part.sets[part.labels == 1] for part in (TASK.val, TASK.test)])
    every = np.concatenate([TASK.graph.edges, TASK.train.sets, TASK.val.sets, TASK.test.sets])
    free = sorted({(u, v) for u in range(60) for v in range(u + 1, 60)} - {*map(tuple, every.tolist())})
    moved = np.random.default_rng(1).permutation(free)[: len(held_out)]
    other = de.Graph.from_edges(np.concatenate([TASK.graph.edges, moved]), 60)
    val, test = (
        replace(part, sets=np.concatenate([rows, part.sets[part.labels == 0]]))
        for part, rows in zip((TASK.val, TASK.test), np.split(moved, [len(TASK.val) // 2]), strict=True)
    )
    task = replace(TASK, full_graph=other, graph=other.without_edges(moved), val=val, test=test)
    run = list(de.fit(dropping(name), task, 2, seed=5, learning_rate=1e-2, patience=None))
    assert [(e.loss, e.train) for e in run] == [(e.loss, e.train) for e in trained(name)[0][:2]]


@pytest.mark.parametrize("name", EVERY)
def test_a_loaded_model_is_the_saved_one(name: str, tmp_path: Path) -> None:
    _, model = trained(name)
    loaded = de.load_model(de.save(model, tmp_path / "model.safetensors"))
    assert (loaded.name, loaded.hyper, loaded.shape) == (model.name, model.hyper, model.shape)
    assert not loaded.training and same(state(loaded), state(model))
    assert np.array_equal(de.predict(loaded, G, TASK.test.sets), de.predict(model, G, TASK.test.sets))
    assert numbers(list(de.fit(loaded, TASK, 1))) == numbers(list(de.fit(deepcopy(model), TASK, 1)))


@pytest.mark.parametrize("device", ["pretend", real])
@pytest.mark.parametrize("task", [TASK, ROLES, TRIANGLES], ids=["links", "roles", "triangles"])
@pytest.mark.parametrize("name", EVERY)
def test_every_model_trains_on_a_device_to_the_numbers_of_the_cpu(name: str, task: de.Task, device: str) -> None:
    sizes = de.models().loc[name, "sizes"]
    if sizes != "any" and str(task.p) not in sizes:
        pytest.skip(f"{name} is for other sets")
    hyper = {} if name == "struc2vec" else {"dropout": 0.0}  # another device draws other entries
    model, kept = small(name, task, **hyper), small(name, task, **hyper)
    (there,), (here,) = de.fit(model, task, 1, device=device), de.fit(kept, task, 1, device="cpu")
    assert there.loss == pytest.approx(here.loss, abs=1e-6 if device == "pretend" else 1e-3)
    assert model.placement.device.startswith(device) and kept.placement.device == "cpu"
    scores = [de.predict(model, task.graph, task.test.sets, device=where) for where in (device, "cpu")]
    np.testing.assert_allclose(*scores, atol=1e-4)
    if device == "pretend":
        assert there.test == here.test
        np.testing.assert_allclose(scores[0], de.predict(kept, task.graph, task.test.sets), atol=1e-4)


@pytest.mark.parametrize("name", [name for name in EVERY if name != "struc2vec"])
def test_the_units_of_an_attribute_do_not_matter(name: str) -> None:
    column, losses = np.random.default_rng(0).normal(size=(60, 1)) + 3, []
    for unit in (1.0, 2.0**20):
        task = de.link_task(G.with_attributes(unit * column))
        losses.append([epoch.loss for epoch in de.fit(small(name, task), task, 2)])
    assert losses[0] == pytest.approx(losses[1], abs=1e-4)


def test_another_number_of_threads_changes_the_last_digits_at_most() -> None:
    one, two = (next(de.fit(small("PGNN"), TASK, num_threads=number)).loss for number in (1, 2))
    assert one == pytest.approx(two, abs=1e-5)


# ---- how a model is asked -------------------------------------------------------------------------------------------

KARATE = de.load("karate")
SMALL = {"hidden": 8, "dim": 8, "walks": 2, "length": 12, "sort_k": 12, "anchor_sets": 12}


@cache
def judged(name: str) -> tuple[de.SetNet, de.Task, np.ndarray, np.ndarray]:
    """A model after one epoch, its task, sets, and its scores for them."""
    task = de.role_task(KARATE) if name in FOR_NODES else de.link_task(KARATE)
    hyper = {key: value for key, value in SMALL.items() if key in de.models().loc[name, "hyperparameters"]}
    model = de.build(name, task, seed=1, **hyper)
    list(de.fit(model, task, 1, device="cpu", progress=False))
    sets = np.concatenate([task.test.sets, task.val.sets])[:7]
    return model, task, sets, de.predict(model, task.graph, sets, device="cpu")


def near(scores: np.ndarray, others: np.ndarray, atol: float = 1e-6) -> None:
    np.testing.assert_allclose(scores, others, rtol=1e-4, atol=atol)


@pytest.mark.parametrize("name", MODELS)
def test_order_repetition_and_other_sets_do_not_matter(name: str) -> None:
    model, task, sets, scores = judged(name)
    order = [3, 0, 6, 5, 1, 2, 4, 4]
    near(de.predict(model, task.graph, sets[order]), scores[order])
    near(np.concatenate([de.predict(model, task.graph, sets[k : k + 1]) for k in range(3)]), scores[:3])
    near(de.predict(model, task.graph, sets[:, ::-1]), scores)


@pytest.mark.parametrize("name", [name for name in MODELS if de.models().loc[name, "inductive"]])
def test_numbers_of_nodes_and_what_is_not_connected_do_not_matter(name: str) -> None:
    model, task, sets, scores = judged(name)
    if name == "DE-GNN-LapPE":
        pytest.skip("eigenvectors of another graph are others")
    edges, place = task.graph.edges, np.random.default_rng(4).permutation(34)
    near(de.predict(model, de.Graph.from_edges(place[edges], 34), place[sets]), scores)
    if name != "centralities":  # paths through the whole graph
        union = de.disjoint_union([de.zoo.petersen(), de.Graph.from_edges(edges, 34)])
        near(de.predict(model, union, sets + 10), scores)


@pytest.mark.parametrize("name", [name for name in MODELS if name not in FOR_NODES])
def test_an_edge_inside_a_set_does_not_matter(name: str) -> None:
    """Linked or not, a pair has the same score: training and test links look alike."""
    model, task, _, _ = judged(name)
    if not model.inductive:
        pytest.skip("it knows the graph that it was trained on alone")
    pair = task.train.sets[task.train.labels == 1][:1]
    without = task.graph.without_edges(pair)
    assert without.num_edges == task.graph.num_edges - 1
    apart = 1e-3 if name == "Katz" else 1e-6  # a sum that is broken off
    near(de.predict(model, without, pair), de.predict(model, task.graph, pair), apart)
