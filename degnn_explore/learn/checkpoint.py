"""A run of ``fit`` on disk: its state after the last epoch, so that it goes on to the same numbers."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from ..common.errors import ParameterError, shown
from .nets.base import SetNet
from .saving import Kinds, check_place, load_state, need_kinds, read_tensors, write_tensors


@dataclass(frozen=True)
class Epoch:
    """One pass over the training sets.

    Attributes
    ----------
    number
        Counted from 1.
    loss
        Mean training loss of the pass.
    train, val, test
        ``{"accuracy": ..., "auc": ...}`` each, from 0 to 1. ``train`` is measured during the pass, on the
        logits that were learnt from; ``val`` and ``test`` after it.
    seconds
        Time of the pass and its measurements.
    metric
        Which of the two the task is judged by.

    Examples
    --------
    >>> epoch = Epoch(1, 0.62, {"auc": 0.7}, {"auc": 0.74}, {"auc": 0.73}, seconds=0.2)
    >>> epoch.val[epoch.metric]
    0.74
    """

    number: int
    loss: float
    train: dict[str, float]
    val: dict[str, float]
    test: dict[str, float]
    seconds: float
    metric: str = "auc"


class Checkpoint:
    """The file of one run. ``identity`` is what must be the same for a run to go on: model, task and options."""

    def __init__(self, path: Path, identity: Mapping[str, Any], every: float) -> None:
        check_place(path)  # now, not when the first hour is to be kept
        self.path, self.identity, self.every = path, identity, every
        self._unwritten: tuple[dict[str, Tensor], list[Epoch]] | None = None
        self._written = time.monotonic()

    def keep(self, model: SetNet, best: Mapping[str, Tensor], optimiser: Optimizer, history: list[Epoch]) -> None:
        """A copy of the state after an epoch: one that is stopped half-way changes weights and optimiser again."""
        tensors = {f"now.{name}": tensor.detach().clone() for name, tensor in model.state_dict().items()}
        tensors |= {f"best.{name}": tensor for name, tensor in best.items()}
        for i, state in optimiser.state_dict()["state"].items():
            tensors |= {f"optimiser.{i}.{key}": value.clone() for key, value in state.items() if torch.is_tensor(value)}
        self._unwritten = tensors, list(history)
        if time.monotonic() - self._written >= self.every:
            self.write()

    def write(self) -> None:
        """The state after the last epoch, unless the file has it already."""
        if self._unwritten is not None:
            tensors, history = self._unwritten
            how = {"kind": "checkpoint", "identity": self.identity, "history": [asdict(epoch) for epoch in history]}
            write_tensors(self.path, tensors, how)
            self._unwritten, self._written = None, time.monotonic()

    def resume(
        self, model: SetNet, optimiser: Optimizer, count: int, metric: str
    ) -> tuple[list[Epoch], dict[str, Tensor]]:
        """Puts the kept state into model and optimiser; the epochs so far, and the best weights."""

        def check(how: dict[str, Any], kinds: Kinds) -> None:
            self._check(how, count, metric)
            self._check_tensors(kinds, model, optimiser)

        tensors, how = read_tensors(self.path, check)
        groups: dict[str, dict[str, Tensor]] = {"now": {}, "best": {}, "optimiser": {}}
        for name, tensor in tensors.items():
            group, _, rest = name.partition(".")
            groups[group][rest] = tensor.clone()  # the file's own memory goes with the file
        load_state(model, groups["now"])
        states: dict[int, dict[str, Tensor]] = {}
        for name, tensor in groups["optimiser"].items():
            i, _, key = name.partition(".")
            states.setdefault(int(i), {})[key] = tensor
        optimiser.load_state_dict({**optimiser.state_dict(), "state": states})
        return [Epoch(**epoch) for epoch in how["history"]], groups["best"]

    def _check(self, how: Mapping[str, Any], count: int, metric: str) -> None:
        if how.get("kind") != "checkpoint":
            raise ParameterError(f"{self.path} is a {how.get('kind')}, not a checkpoint; choose another file.")
        kept, history = how.get("identity"), how.get("history")
        if not isinstance(kept, dict) or not isinstance(history, list) or not history:
            raise self._broken("it does not say which run it is")
        if differing := [key for key in self.identity if self.identity[key] != kept.get(key)]:
            key = differing[0]
            raise ParameterError(
                f"{self.path} belongs to another run: its {key} is {shown(kept.get(key))}, not "
                f"{shown(self.identity[key])}. Choose another file, or delete it to start anew."
            )
        if len(history) > count:
            raise ParameterError(
                f"{self.path} holds {len(history)} epochs already, more than epochs={count}; "
                "ask for at least as many, or choose another file."
            )
        for number, epoch in enumerate(history, start=1):
            if not _is_epoch(epoch, number, metric):
                raise self._broken(f"epoch {number} in it is {shown(epoch)}")

    def _check_tensors(self, kinds: Kinds, model: SetNet, optimiser: Optimizer) -> None:
        """The weights now, the best ones (none if validation was never a number) and the optimiser's own."""
        state = model.state_dict()
        wanted = {f"now.{name}": tensor for name, tensor in state.items()}
        if any(name.startswith("best.") for name in kinds):
            wanted |= {f"best.{name}": tensor for name, tensor in state.items()}
        weights = [weight for group in optimiser.param_groups for weight in group["params"]]
        adam = isinstance(optimiser, torch.optim.Adam)
        for i, weight in enumerate(weights):
            if not any(name.startswith(f"optimiser.{i}.") for name in kinds):
                continue  # a weight that took no part
            kept = {"exp_avg": weight, "exp_avg_sq": weight} if adam else {"momentum_buffer": weight}
            kept |= {"step": torch.zeros(())} if adam else {}
            wanted |= {f"optimiser.{i}.{key}": tensor for key, tensor in kept.items()}
        need_kinds(self.path, wanted, kinds, model.grows)

    def _broken(self, what: str) -> ParameterError:
        return ParameterError(f"{self.path} cannot be gone on from: {what}. Delete it to start anew.")


def _is_epoch(value: Any, number: int, metric: str) -> bool:
    if not isinstance(value, dict) or value.keys() != Epoch.__dataclass_fields__.keys():
        return False
    measured = [value[part] for part in ("train", "val", "test")]
    if not all(isinstance(part, dict) and part.keys() == {"accuracy", "auc"} for part in measured):
        return False
    numbers = [value["loss"], value["seconds"], *(share for part in measured for share in part.values())]
    return value["number"] == number and value["metric"] == metric and all(type(x) in (int, float) for x in numbers)
