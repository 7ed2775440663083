"""Several trained networks as one: their logits are averaged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from ..common.errors import ParameterError
from ..engine.store import SetData
from ..graphs.graph import Graph
from .nets.base import Ints, SetNet
from .tasks import Task

NAME = "ensemble"


class Several(SetData):
    """What each of several networks needs to see of the same sets; a batch is a batch of each."""

    def __init__(self, parts: Sequence[SetData]) -> None:
        self.parts = tuple(parts)
        self.heavy = any(part.heavy for part in parts)
        self.streamed = any(part.streamed for part in parts)
        self.nbytes = sum(part.nbytes for part in parts)

    def __len__(self) -> int:
        return len(self.parts[0])

    def batch(self, index: Any, device: Any = "cpu") -> tuple[Any, ...]:
        return tuple(part.batch(index, device) for part in self.parts)


def blended(logits: Sequence[Tensor], learns: Sequence[bool]) -> Tensor:
    """The mean of the networks' logits; where there are formulas too, the mean of theirs and the networks'.

    >>> blended([torch.tensor([1.0]), torch.tensor([3.0]), torch.tensor([4.0])], [True, True, False])
    tensor([3.])
    """
    networks = [each.float() for each, learned in zip(logits, learns, strict=True) if learned]
    formulas = [each.float() for each, learned in zip(logits, learns, strict=True) if not learned]
    voices = [torch.stack(each).mean(dim=0) for each in (networks, formulas) if each]
    return torch.stack([voice.to(voices[0].device) for voice in voices]).mean(dim=0)  # a formula's are on the CPU


class Ensemble(SetNet):
    """Networks for the same sets as one: the mean of their logits, (1/k) Σ_i f_i(S).

    Formulas, if there are any, get weight ½ in total. It predicts, is saved and loaded like any other network.

    Parameters
    ----------
    members
        Networks of one shape, not ensembles themselves.

    Examples
    --------
    >>> import degnn_explore as de
    >>> task = de.link_task(de.load("karate"))
    >>> both = Ensemble([de.build(name, task, hidden=8) for name in ("GCN", "DE-GNN-SPD")])
    >>> both
    Ensemble(GCN, DE-GNN-SPD)
    >>> de.predict(both, task.graph, [{0, 9}]).shape
    (1,)
    """

    def __init__(self, members: Sequence[SetNet]) -> None:
        if not members or len({net.shape for net in members}) > 1 or any(isinstance(net, Ensemble) for net in members):
            raise ParameterError("An ensemble is made of networks for the same task, none of them an ensemble itself.")
        super().__init__(NAME, members[0].shape, {})
        self.members = nn.ModuleList(members)
        self.inductive = all(net.inductive for net in members)  # type: ignore[misc]

    @property
    def nets(self) -> list[SetNet]:
        """The networks."""
        return [net for net in self.members if isinstance(net, SetNet)]

    @property
    def horizon(self) -> int | None:
        far = [net.horizon for net in self.nets]
        return None if None in far else max(each for each in far if each is not None)

    def check(self, graph: Graph, sets: Ints) -> None:
        for net in self.nets:
            net.check(graph, sets)

    def bind(self, task: Task) -> None:
        for net in self.nets:
            net.bind(task)

    def prepare(self, graph: Graph, sets: Ints) -> Several:
        return Several([net.prepare(graph, sets) for net in self.nets])

    def forward(self, batch: tuple[Any, ...]) -> Tensor:
        logits = [net(part) for net, part in zip(self.nets, batch, strict=True)]
        return blended(logits, [net.learns for net in self.nets])

    def __repr__(self) -> str:
        return f"Ensemble({', '.join(net.name for net in self.nets)})"
