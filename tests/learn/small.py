"""What tests of training share: a small graph and its tasks, small models, and a network that notes its batches."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np
import torch

import degnn_explore as de
from degnn_explore.learn import registry
from degnn_explore.learn.nets.base import Dropout, RandomSigns

SMALL: dict[str, dict[str, Any]] = {
    "struc2vec": {"dim": 8, "walks": 2, "length": 10},
    "PGNN": {"anchor_sets": 8, "hidden": 8},
    "SEAL": {"sort_k": 12, "hidden": 8},
}
EVERY = [name for name in registry.MODELS if not registry.is_heuristic(name)]


def small_world(n: int = 60, seed: int = 0) -> de.Graph:
    """A ring of n nodes, each linked to the next two, with some random links."""
    rng = np.random.default_rng(seed)
    ring = [(i, (i + s) % n) for i in range(n) for s in (1, 2)]
    return de.Graph.from_edges([*ring, *rng.integers(n, size=(n // 4, 2)).tolist()])


G = small_world()
TASK = de.link_task(G)
ROLES = de.role_task(small_world(80).with_labels(np.arange(80) % 4))


def small(name: str, task: de.Task = TASK, seed: int = 0, **hyper: Any) -> de.SetNet:
    return de.build(name, task, seed=seed, **{**SMALL.get(name, {"hidden": 8}), **hyper})


def numbers(run: list[de.Epoch]) -> list[dict[str, Any]]:
    """Everything that the epochs say except how long they took."""
    return [{**asdict(epoch), "seconds": 0} for epoch in run]


def state(model: de.SetNet) -> dict[str, torch.Tensor]:
    """A copy of all weights and buffers."""
    return {name: tensor.detach().clone() for name, tensor in model.state_dict().items()}


def same(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


class Look(NamedTuple):
    """One call of ``Watched.forward``."""

    training: bool
    gradients: bool
    threads: int
    numbers: list[int]  # of the sets in the batch, as they were prepared
    dropped: torch.Tensor
    signs: torch.Tensor


class Watched(de.SetNet):
    """A linear network of the degrees in a set, which notes each batch.

    With a ``script``, its logits for the held-out sets after each epoch are those, whatever its weights are; the last
    ones stay.
    """

    RATE = de.Hyper(0.03, for_nodes=0.2)

    def __init__(self, task: de.Task = TASK, *, dropout: float = 0.0, seed: int = 0) -> None:
        super().__init__("watched", de.Shape.of(task), {"dropout": dropout})
        self.looks, self.script = list[Look](), list[torch.Tensor]()
        self.out = torch.nn.Linear(task.p, self.shape.outputs)
        self.dropout, self.signs = Dropout(dropout), RandomSigns(0, task.p)
        chance = torch.Generator().manual_seed(seed)
        for weight in self.parameters():
            weight.data = torch.randn(weight.shape, generator=chance)

    def prepare(self, graph: de.Graph, sets: np.ndarray) -> de.Rows:
        degrees = torch.tensor(2 * graph.degrees[sets] + sets / 20).float() + 1
        return de.Rows((degrees, torch.arange(len(sets))))

    def forward(self, batch: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        x, number = batch
        h = self.dropout(x)
        signs = torch.zeros(0) if self.signs.drawn is None else self.signs.drawn
        look = Look(self.training, torch.is_grad_enabled(), torch.get_num_threads(), number.tolist(), h == 0, signs)
        self.looks.append(look)
        if self.script and not self.training:
            return self.script[min(sum(not look.training for look in self.looks), len(self.script)) - 1]
        return self.out(h).squeeze(1)

    def batches(self) -> list[list[int]]:
        """The training sets of each step."""
        return [look.numbers for look in self.looks if look.training]


def says(val: int, test: int, shift: float = 0.0) -> torch.Tensor:
    """A script's logits: so many sets of validation and test are right; the shift leaves their order as it is."""
    logits = []
    for part, right in ((TASK.val, val), (TASK.test, test)):
        signs = np.where(np.arange(len(part)) < right, 1, -1)
        logits.append(torch.tensor(signs * (2 * part.labels - 1)).float() + shift)
    return torch.cat(logits)
