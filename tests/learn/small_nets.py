"""Small graphs, target sets, tasks and networks, for tests that compare with slow versions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

import degnn_explore as de
from degnn_explore.learn.registry import MODELS

SMALL = {"hidden": 5, "dim": 4, "walks": 2, "length": 8, "sort_k": 12, "anchor_sets": 5, "dropout": 0.0}


@pytest.fixture(autouse=True)
def only_here() -> Iterator[None]:
    """What a test registers is forgotten after it."""
    before = dict(MODELS)
    yield
    for name in [name for name in MODELS if name not in before]:
        del MODELS[name]


def random_graph(n: int = 14, density: float = 0.18, seed: int = 0, **columns: Any) -> de.Graph:
    """Each pair linked with that probability; sparse ones have leaves, bridges and several components."""
    rng = np.random.default_rng(seed)
    return de.Graph.from_edges(np.argwhere(np.triu(rng.random((n, n)) < density, k=1)), n, **columns)


def some_sets(G: de.Graph, p: int, count: int = 8, seed: int = 0) -> np.ndarray:
    """Random sets in any order; half of those of several nodes have an edge inside."""
    rng = np.random.default_rng(seed)
    sets = np.stack([rng.choice(G.num_nodes, p, replace=False) for _ in range(count)])
    if p > 1:
        for i, (u, v) in enumerate(rng.permutation(G.edges)[: count // 2]):
            sets[i] = [v, *[w for w in sets[i] if w not in (u, v)][: p - 2], u]
    return sets


def task_of(G: de.Graph, p: int, classes: int = 2, count: int = 24) -> de.Task:
    sets = np.unique(np.sort(some_sets(G, p, count, seed=5), axis=1), axis=0)
    return de.set_task(G, sets, np.arange(len(sets)) % classes, remove_edges=False)


def built(name: str, task: de.Task, seed: int = 1, **hyper: Any) -> de.SetNet:
    """A narrow network, ready to be asked about the task's graph."""
    known = de.models().loc[name, "hyperparameters"]
    model = de.build(name, task, seed=seed, **{key: SMALL[key] for key in SMALL if key in known} | hyper)
    model.bind(task)
    return model.eval()


def lively(model: Any) -> Any:
    """The model with weights that leave few of its units dead, so that a comparison says something."""
    draws = torch.Generator().manual_seed(7)
    for weight in model.parameters():
        width = weight[0].numel() if weight.ndim > 1 else 4
        weight.data = (torch.randn(weight.shape, generator=draws) + 0.4) / width**0.5
    return model


def undecided(model: Any, G: de.Graph, sets: np.ndarray) -> Any:
    """The model with logits around 0 on these sets, where a change shows in the score."""
    last = model.readout.out if hasattr(model, "readout") else model.mlp[-1] if hasattr(model, "mlp") else model.out
    found = torch.from_numpy(logits(model, G, sets)).reshape(len(sets), -1)
    size = 1 / found.std(dim=0)
    last.weight.data = last.weight.data * size[:, None]
    last.bias.data = (last.bias.data - found.mean(dim=0)) * size
    return model


def logits(model: de.SetNet, G: de.Graph, sets: np.ndarray) -> np.ndarray:
    with torch.no_grad():
        return model.eval()(model.prepare(G, sets).batch(np.arange(len(sets)))).numpy()


def answers(model: de.SetNet, G: de.Graph, sets: np.ndarray) -> np.ndarray:
    return de.predict(model, G, sets, device="cpu", progress=False)
