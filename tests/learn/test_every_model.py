"""What holds for every model that learns, PyG's included: it resumes, trains on any device, and leaks nothing."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch_geometric.nn import GCNConv

import degnn_explore as de
from degnn_explore.learn.registry import MODELS
from tests import pretend_device  # noqa: F401 (registers the device)

from .small import EVERY, ROLES, TASK, G, numbers, same, small, state

LEARNING = [*EVERY, "PyG"]
REAL = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else ""
real = pytest.param(
    REAL,
    marks=[
        pytest.mark.gpu,
        pytest.mark.skipif(not REAL, reason="needs a CUDA or MPS device, and this machine has none"),
    ],
)


class Network(torch.nn.Module):
    """A network for PyG, with torch's own dropout."""

    def __init__(self, features: int, outputs: int, dropout: float) -> None:
        super().__init__()
        self.conv, self.out, self.dropout = GCNConv(features, 8), torch.nn.Linear(8, outputs), dropout

    def forward(self, batch: Any) -> torch.Tensor:
        h = self.conv(batch.x, batch.edge_index).relu()
        h = torch.nn.functional.dropout(h, self.dropout, self.training)
        return self.out(h[batch.target_index].view(batch.num_graphs, -1, 8).mean(dim=1))


def made(name: str, task: de.Task = TASK, dropout: float = 0.0) -> Any:
    if name == "PyG":
        return de.PyGModel(partial(Network, dropout=dropout), task, encoding=de.SPD(3))
    return small(name, task, **({} if name == "struc2vec" else {"dropout": dropout}))


@cache
def trained(name: str) -> tuple[list[de.Epoch], de.SetNet]:
    """Three epochs and their model."""
    model = made(name, dropout=0.2)
    return list(de.fit(model, TASK, 3, **HOW)), model


HOW: dict[str, Any] = {"seed": 5, "learning_rate": 1e-2, "device": "cpu"}


@pytest.mark.parametrize("name", LEARNING)
def test_every_model_learns_and_resumes_to_the_same_numbers_and_weights(name: str, tmp_path: Path) -> None:
    run, model = trained(name)
    assert run[-1].loss < run[0].loss
    torch.manual_seed(99)  # torch's own random numbers do not matter
    list(de.fit(made(name, dropout=0.2), TASK, 1, checkpoint=tmp_path / "run", **HOW))
    again = made(name, dropout=0.2)
    resumed = list(de.fit(again, TASK, 3, checkpoint=tmp_path / "run", **HOW))
    assert numbers(resumed) == numbers(run) and same(state(again), state(model))
    assert next(de.fit(made(name, dropout=0.2), TASK, 1, **HOW | {"seed": 6})).loss != run[0].loss


@pytest.mark.parametrize("name", LEARNING)
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
    run = list(de.fit(made(name, dropout=0.2), task, 2, **HOW))
    assert [(e.loss, e.train) for e in run] == [(e.loss, e.train) for e in trained(name)[0][:2]]


@pytest.mark.parametrize("device", ["pretend", real])
@pytest.mark.parametrize(
    ("name", "task"),
    [
        pytest.param(name, task, id=f"{name}-{kind}")
        for kind, task in (("links", TASK), ("roles", ROLES), ("triangles", de.triangle_task(G)))
        for name in LEARNING
        if name == "PyG" or MODELS[name].takes(task.p)
    ],
)
def test_every_model_trains_on_a_device_to_the_numbers_of_the_cpu(name: str, task: de.Task, device: str) -> None:
    model, kept = made(name, task), made(name, task)  # without dropout: another device draws other entries
    (there,), (here,) = de.fit(model, task, 1, device=device), de.fit(kept, task, 1, device="cpu")
    assert there.loss == pytest.approx(here.loss, abs=1e-6 if device == "pretend" else 1e-3)
    assert model.placement.device.startswith(device) and kept.placement.device == "cpu"
    scores = [de.predict(model, task.graph, task.test.sets, device=where) for where in (device, "cpu")]
    np.testing.assert_allclose(*scores, atol=1e-4)
    if device == "pretend":
        assert there.test == here.test
        np.testing.assert_allclose(scores[0], de.predict(kept, task.graph, task.test.sets), atol=1e-4)
