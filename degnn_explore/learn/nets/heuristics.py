"""Heuristics as models: a formula's score of a set, put on the scale of a probability; no epochs, no descent.

``fit`` gives one epoch, its metrics are those of the formula itself: the scale never changes the order of links.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...engine.features import inner_edges
from ...graphs.graph import Graph
from ..tasks import Task
from ._centrality import centralities
from .base import Hyper, Ints, SetData, SetNet, Shape
from .set_scores import SET_SCORES, inner_walks

Columns = NDArray[np.float64]
STEPS, _COUNTED = 7, 5  # of the walks between two nodes, and of those that are counted
_LEAST, _LEAST_BACK = 1e-6, 1e-3  # stands for a probability of 0 on a logarithmic scale
_LEAST_SCORE = 1e-30  # Katz of nodes fifty steps apart is less than a number of 32 bits can be
L2_PENALTY = 1.0  # of the ridge


@dataclass(frozen=True)
class Logits(SetData):
    """What a formula says of each set. [k] or [k, C]"""

    values: Columns

    def __len__(self) -> int:
        return len(self.values)

    def batch(self, index: Ints, device: str = "cpu") -> Tensor:
        return torch.from_numpy(self.values[index])  # float64, which not every device has: equal scores stay equal


class Formula(SetNet):
    """Columns of a set by a formula, and a logistic regression on them that ``bind`` solves."""

    learns: ClassVar[bool] = False
    width: ClassVar[int] = 1
    weight: Tensor
    bias: Tensor
    center: Tensor
    spread: Tensor

    def __init__(self, name: str, shape: Shape, **hyper: Any) -> None:
        super().__init__(name, shape, hyper)
        self.register_buffer("weight", torch.ones(shape.outputs, self.width, dtype=torch.float32))
        self.register_buffer("bias", torch.zeros(shape.outputs))
        self.register_buffer("center", torch.zeros(self.width))
        self.register_buffer("spread", torch.ones(self.width))

    def columns(self, graph: Graph, sets: Ints) -> Columns:
        """What the formula says of each set. [k, width]"""
        raise NotImplementedError

    def bind(self, task: Task) -> None:
        x = self.columns(task.graph, task.train.sets)
        center, spread = x.mean(axis=0), x.std(axis=0)
        spread[spread < 1e-9] = 1.0
        weight, bias = logistic((x - center) / spread, task.train.labels, self.shape.outputs)
        for name, value in {"weight": weight, "bias": bias, "center": center, "spread": spread}.items():
            kept = getattr(self, name)
            setattr(self, name, torch.from_numpy(value).to(kept.device, kept.dtype))

    def prepare(self, graph: Graph, sets: Ints) -> Logits:
        self.check(graph, sets)
        solved = (getattr(self, name).cpu().double().numpy() for name in ("weight", "bias", "center", "spread"))
        weight, bias, center, spread = solved
        logits = (self.columns(graph, sets) - center) / spread @ weight.T + bias  # [k, outputs]
        return Logits(logits[:, 0] if self.shape.outputs == 1 else logits)

    def forward(self, batch: Tensor) -> Tensor:
        return batch


class SetScore(Formula):
    """A score of :mod:`degnn_explore.learn.nets.set_scores`; a higher one is never less likely."""

    least: Tensor

    def __init__(self, name: str, shape: Shape, **hyper: Any) -> None:
        super().__init__(name, shape, **hyper)
        self.register_buffer("least", torch.ones(()))

    def columns(self, graph: Graph, sets: Ints) -> Columns:
        scores = SET_SCORES[self.name](graph, sets, **self.hyper)
        # scores span many powers of ten, and are often zero: far below the least that training has seen
        # equal sums may differ in their last digits by the order in which they were added
        return np.log(scores + 1e-3 * float(self.least)).round(12)[:, None]

    def bind(self, task: Task) -> None:
        scores = SET_SCORES[self.name](task.graph, task.train.sets, **self.hyper)
        least = max(scores[scores > 0].min(initial=1.0), _LEAST_SCORE)
        self.least = torch.tensor(least, dtype=torch.float32, device=self.least.device)
        super().bind(task)
        if self.shape.outputs == 1:
            self.weight = self.weight.clamp(min=0.01)


class Katz(SetScore):
    HYPER: ClassVar = {"damping": Hyper(0.2, above=0.0, below=1.0)}


class PageRankScore(SetScore):
    HYPER: ClassVar = {"alpha": Hyper(0.85, above=0.0, below=1.0)}


class WalkProfile(Formula):
    """Random walks of up to seven steps between two nodes and back to each, their own link cut, and put in.

    Of each length: the landing probability, cut and put in; the probabilities to be back, and what the link adds to
    them; the number of short walks; the degrees. Nearly all on a logarithmic scale.
    """

    width: ClassVar[int] = 4 + 5 * (STEPS - 1) + 1 + (_COUNTED - 1)

    @property
    def horizon(self) -> int:
        return STEPS // 2  # and back

    def columns(self, graph: Graph, sets: Ints) -> Columns:
        cut, joined = (walks[:, 1:] for walks in inner_walks(graph, sets, STEPS))
        counts = inner_walks(graph, sets, _COUNTED, counted=True)[0][:, 2:, 0, 1]
        degrees = graph.degrees[sets] - inner_edges(graph, sets).sum(axis=2)
        u, v = np.log1p(degrees).T
        back = np.diagonal(cut, axis1=2, axis2=3)[:, 1:]  # [k, steps-1, 2]
        log_back = np.log(back + _LEAST_BACK)
        columns = [
            np.stack([u + v, np.abs(u - v), u * v, np.log1p(degrees.sum(axis=1))], axis=1),
            np.log(cut[:, 1:, 0, 1] + _LEAST),
            np.log(joined[:, :, 0, 1] + _LEAST),
            log_back.sum(axis=2),
            np.abs(log_back[:, :, 0] - log_back[:, :, 1]),
            (np.diagonal(joined, axis1=2, axis2=3)[:, 1:] - back).sum(axis=2),
            np.log1p(counts),
        ]
        return np.concatenate(columns, axis=1)


class Degree(Formula):
    """log(1 + degree) of a node."""

    def columns(self, graph: Graph, sets: Ints) -> Columns:
        return np.log1p(graph.degrees[sets[:, 0]])[:, None]


class Centralities(Formula):
    """Degree, mean degree of the neighbors, clustering, core number, closeness, betweenness, PageRank of a node."""

    width: ClassVar[int] = 7

    def columns(self, graph: Graph, sets: Ints) -> Columns:
        return centralities(graph)[sets[:, 0]]


def logistic(x: Columns, labels: Ints, outputs: int) -> tuple[Columns, Columns]:
    """Weights [outputs, d] and biases [outputs] of a ridge logistic regression; one output: of class 1 against 0."""
    from scipy.optimize import minimize

    k, d = x.shape
    classes = max(2, outputs)
    given = np.eye(classes)[labels]  # [k, classes]

    def loss(flat: Columns) -> tuple[float, Columns]:
        solved = flat.reshape(outputs, d + 1)  # weights, then the bias
        z = np.zeros((k, classes))
        z[:, classes - outputs :] = x @ solved[:, :d].T + solved[:, d]
        z -= z.max(axis=1, keepdims=True)
        total = np.log(np.exp(z).sum(axis=1, keepdims=True))
        slope = (np.exp(z - total) - given)[:, classes - outputs :]  # [k, outputs]
        value = float((given * (total - z)).sum())
        step = np.concatenate([slope.T @ x + L2_PENALTY * solved[:, :d], slope.sum(axis=0)[:, None]], axis=1)
        return (value + 0.5 * L2_PENALTY * float((solved[:, :d] ** 2).sum())) / k, step.ravel() / k

    solved = minimize(loss, np.zeros(outputs * (d + 1)), jac=True, method="L-BFGS-B").x.reshape(outputs, d + 1)
    return solved[:, :d], solved[:, d]
