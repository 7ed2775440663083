"""One pass over the training sets, batch by batch, on any device: nothing waits for a value of the batch before."""

from __future__ import annotations

import contextlib
import inspect
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from math import sqrt
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.optim import Optimizer

from ..common.errors import ParameterError, one_of, real_number, whole_number
from ..common.files import readable_size
from ..common.stopping import raise_if
from ..engine.placing import Order, Placed, log, out_of_memory
from .devices import cpu_has_bf16
from .nets.base import SetNet
from .predicting import sizes


def _plain(kind: type[Optimizer]) -> type[Optimizer]:
    """An optimiser as it is without torch's compiler: nothing of ours is compiled, and loading that takes a second."""
    names = ("add_param_group", "load_state_dict", "state_dict", "zero_grad")
    plain = {name: inspect.unwrap(getattr(kind, name)) for name in names}
    return type(kind.__name__, (kind,), {**plain, "step": torch.no_grad()(inspect.unwrap(kind.step))})


_OPTIMISERS = {"adam": _plain(torch.optim.Adam), "sgd": _plain(torch.optim.SGD)}
_USUAL_BATCH = 64  # what every model's own learning rate is for
_TRIED = 3  # batches that are timed to choose a device; the first warms up


@dataclass(frozen=True)
class Learning:
    """The options of :func:`fit` that decide, with the seed, what comes out; the others say only how."""

    batch_size: int = _USUAL_BATCH
    optimizer: str = "adam"
    learning_rate: float | str | None = None
    weight_decay: float = 0.0
    patience: int | None = 30
    clip: float | None = 5.0
    precision: str = "float32"

    def __post_init__(self) -> None:
        """Every value is of its type and in its range, numpy's numbers as plain ones."""
        checked = {
            "batch_size": whole_number("batch_size", self.batch_size, least=1),
            "optimizer": one_of("optimizer", self.optimizer, _OPTIMISERS),
            "weight_decay": real_number("weight_decay", self.weight_decay, least=0),
            "patience": None if self.patience is None else whole_number("patience", self.patience, least=1),
            "clip": None if self.clip is None else real_number("clip", self.clip, above=0),
            "precision": one_of("precision", self.precision, ["float32", "bf16"]),
        }
        if self.learning_rate is not None and self.learning_rate != "scaled":
            checked["learning_rate"] = real_number("learning_rate", self.learning_rate, above=0)
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def with_rate(self, own: float) -> Learning:
        """With a number for the learning rate: the one given, or the model's ``own``, scaled if asked.

        For batches k times larger than usual, √k times as much for Adam and k times for SGD.

        Examples
        --------
        >>> Learning(batch_size=256, learning_rate="scaled").with_rate(1e-3).learning_rate
        0.002
        """
        if self.learning_rate is None:
            return replace(self, learning_rate=own)
        if self.learning_rate != "scaled":
            return self
        larger = self.batch_size / _USUAL_BATCH
        return replace(self, learning_rate=own * (sqrt(larger) if self.optimizer == "adam" else larger))

    def said(self) -> dict[str, Any]:
        """Names and values, as records and checkpoints keep them: those from before bf16 was offered lack it."""
        values = asdict(self)
        if self.precision == "float32":
            del values["precision"]
        return values


USUAL = Learning()


def loss_of(logits: Tensor, labels: Tensor) -> Tensor:
    """Cross entropy: of one logit [k] for two classes, of C logits [k, C] for more."""
    if logits.dim() == 1:
        return torch.nn.functional.binary_cross_entropy_with_logits(logits, labels.to(logits.dtype))
    return torch.nn.functional.cross_entropy(logits, labels)


class Stepper:
    """A model's optimiser, and the data and labels that it learns from, on one device.

    Where the device runs out of memory, batches are computed in parts whose gradients add up to the batch's own.
    """

    def __init__(
        self,
        model: SetNet,
        placed: Placed,
        labels: NDArray[np.int64],
        learning: Learning,
        stop: threading.Event | None,
        keep_gradients: bool = False,
    ) -> None:
        self.model, self.placed, self.learning, self.stop = model, placed, learning, stop
        self.progress = False  # whether a bar is shown in epochs that take more than two seconds
        if placed.data.streamed:
            log.warning(
                "%s: %s of data are more than is kept in memory, so each batch is extracted anew in every epoch. Fewer "
                "hops or layers, or max_nodes_per_hop=, take less.",
                model.name,
                readable_size(placed.data.nbytes),
            )
        self._keep_gradients = keep_gradients  # from batch to batch: a leak, made on purpose
        self._labels = torch.from_numpy(labels).to(placed.device)
        self._at_once = learning.batch_size  # sets that are computed together
        kind = learning.optimizer
        extra: dict[str, Any] = {"momentum": 0.9} if kind == "sgd" else {"fused": True}
        how = {"lr": learning.learning_rate, "weight_decay": learning.weight_decay, **extra}
        self.optimiser = _OPTIMISERS[kind](model.parameters(), **how)

    def learn(self, order: Order) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """One step for each batch: the loss of each, and the logits of all sets."""
        from tqdm.auto import tqdm

        self.model.train()
        losses: list[Tensor] = []
        logits: list[Tensor] = []
        while (done := sum(map(len, logits))) < len(order.here):
            try:
                steps, total = self._steps(order.part(done)), -(-(len(order.here) - done) // self.learning.batch_size)
                told: dict[str, Any] = {
                    "desc": f"{self.model.name}, an epoch",
                    "unit": "batch",
                    "disable": not self.progress,
                }
                for loss, out in tqdm(steps, total=total, delay=2, leave=False, **told):
                    losses.append(loss)
                    logits.append(out)
            except RuntimeError as error:
                if not out_of_memory(error):
                    raise
            else:
                break
            self._at_once = self.placed.shrink(self._at_once)  # not above: what failed is held until its error is gone
        return torch.stack(losses).cpu().double().numpy(), torch.cat(logits).cpu().numpy()

    def _steps(self, order: Order) -> Iterator[tuple[Tensor, Tensor]]:
        """The loss and the logits of each batch, after its step."""
        batches = sizes(len(order.here), self.learning.batch_size)
        parts = [sizes(size, self._at_once) for size in batches]
        computed = self.placed.batches(order, [size for within in parts for size in within])
        for size, within in zip(batches, parts, strict=True):
            raise_if(self.stop, "training was cancelled")
            if not self._keep_gradients:
                self.optimiser.zero_grad()
            found = [self._backward(*next(computed), part / size) for part in within]
            if self.learning.clip is not None:
                torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.learning.clip)
            self.optimiser.step()
            losses, logits = zip(*found, strict=True)
            yield (losses[0], logits[0]) if len(found) == 1 else (torch.stack(losses).sum(), torch.cat(logits))

    def _backward(self, index: Tensor, batch: Any, share: float) -> tuple[Tensor, Tensor]:
        """Adds the gradients of some sets, a share of a batch; their share of its loss, and their logits."""
        with self._precision():
            out = self.model(batch)
        loss = loss_of(out.float(), self._labels.index_select(0, index))
        if share < 1:
            loss = loss * share
        loss.backward()
        return loss.detach(), out.detach().float()

    def _precision(self) -> contextlib.AbstractContextManager[Any]:
        if self.learning.precision == "float32":
            return contextlib.nullcontext()
        return torch.autocast(self.placed.device.type, torch.bfloat16)

    def seconds(self, order: Order) -> float:
        """Of one batch, without its step; nothing is learnt, and nothing drawn."""
        self.model.eval()
        taken = []
        for index, batch in self.placed.batches(order, sizes(len(order.here), self.learning.batch_size)[:_TRIED]):
            began = time.perf_counter()
            loss, _ = self._backward(index, batch, 1.0)
            float(loss)  # waits for it
            taken.append(time.perf_counter() - began)
        self.optimiser.zero_grad()
        return min(taken[1:] or taken)


def needs_bf16(device: str) -> None:
    """A ParameterError where a device cannot compute in bf16."""
    kind = torch.device(device).type
    try:
        with torch.autocast(kind, torch.bfloat16):
            able = torch.is_autocast_enabled(kind) and (kind != "cuda" or torch.cuda.is_bf16_supported())
    except (RuntimeError, AssertionError, ValueError):
        able = False
    if not able:
        raise ParameterError(f"precision='bf16' is not to be had on {device}; use 'float32', which is everywhere.")
    if kind == "cpu" and not cpu_has_bf16():
        raise ParameterError(
            "precision='bf16' fails on this processor: it announces instructions (AMX) that are not allowed here. Use "
            "'float32', or set the environment variable ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16 before Python starts."
        )
