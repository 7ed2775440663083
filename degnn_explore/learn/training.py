"""The training loop: ``fit`` yields one Epoch at a time."""

from __future__ import annotations

import math
import os
import threading
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..common.errors import MOST_SEED, ParameterError, one_of, real_number, whole_number
from ..common.stopping import Cancelled
from ..engine.placing import Placed, log
from ..engine.store import SetData
from .checkpoint import Checkpoint, Epoch
from .devices import MOST_THREADS, choose_device, generator_on, torch_threads
from .hints import distance_hint
from .leaks import CHOSEN_ON_TEST, KEPT_GRADIENTS
from .nets import mark_of
from .nets.base import Dropout, SetNet
from .predicting import judge, needs_own_graphs, sizes
from .several import JoinedTask, as_one, measured
from .stepping import USUAL, Learning, Stepper, loss_of, needs_bf16
from .task import Task


@dataclass(frozen=True)
class Summary:
    """Both settings of the paper, from one run.

    ``optimistic`` chooses by what it reports, so it is an upper bound and not an estimate.
    """

    epoch: int  # the number of the epoch that is best on validation
    test: float  # test metric of that epoch: the paper's main table
    optimistic: float  # the best test metric of any epoch, "no-validation, optimistic": the paper's appendix
    optimistic_epoch: int
    metric: str  # "auc" or "accuracy"


def summarise(epochs: Iterable[Epoch], metric: str | None = None, *, chosen_on: str = "val") -> Summary:
    """The test metric chosen on validation, and the no-validation, optimistic one.

    Parameters
    ----------
    epochs
        What :func:`fit` yielded.
    metric
        "auc" or "accuracy"; by default the one of the task.
    chosen_on
        "val"; with "test" the epoch is the optimistic one, as :func:`fit` keeps it where the task leaks
        "epoch_chosen_on_test".

    Examples
    --------
    >>> run = [Epoch(1, 0.6, {}, {"auc": 0.8}, {"auc": 0.7}, 1.0), Epoch(2, 0.5, {}, {"auc": 0.7}, {"auc": 0.9}, 1.0)]
    >>> summarise(run)
    Summary(epoch=1, test=0.7, optimistic=0.9, optimistic_epoch=2, metric='auc')
    """
    run = list(epochs)
    if not run:
        raise ParameterError("There are no epochs to summarise; run de.fit first.")
    key = one_of("metric", metric or run[0].metric, ["auc", "accuracy"])
    part = one_of("chosen_on", chosen_on, ["val", "test"])
    chosen = max(run, key=lambda e: (getattr(e, part)[key], -e.number))
    lucky = max(run, key=lambda e: (e.test[key], -e.number))
    return Summary(chosen.number, chosen.test[key], lucky.test[key], lucky.number, key)


def fit(
    model: SetNet,
    task: Task | Sequence[Task],
    epochs: int = 100,
    *,
    max_steps: int | None = None,
    seed: int = 0,
    device: str = "auto",
    batch_size: int = USUAL.batch_size,
    optimizer: str = USUAL.optimizer,
    learning_rate: float | str | None = USUAL.learning_rate,
    weight_decay: float = USUAL.weight_decay,
    patience: int | None = USUAL.patience,
    clip: float | None = USUAL.clip,
    precision: str = USUAL.precision,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 5.0,
    stop: threading.Event | None = None,
    progress: bool = True,
    num_threads: int = 1,
) -> Iterator[Epoch]:
    """Train a model, one :class:`Epoch` at a time; the weights best on validation are kept at the end.

    The function is as long as its list of options, each of which is explained and checked here.

    Parameters
    ----------
    model, task
        From :func:`degnn_explore.build` and, say, :func:`degnn_explore.link_task`. A list of tasks of one kind, on
        several graphs, is learnt together: every epoch sees the training sets of all, in one order, and a metric is
        the mean of what it is on each task. For inductive models.
    epochs
        At most so many.
    max_steps
        End with the epoch in which so many steps (batches) are reached, if ``epochs`` are not over earlier: a fair
        measure for graphs of very different size, where an epoch is 54 steps (C. elegans) or 418 (pb).
    seed
        Order of the sets and dropout. The same seed gives the same numbers.
    device
        "auto" or the name of a torch device. "auto" is cuda, then mps, then cpu; where a few batches show that copying
        and computing there would take longer than all epochs on the CPU, it is the CPU. ``model.placement`` says where
        it was, and the log ("degnn_explore") why.
    batch_size, optimizer, learning_rate, weight_decay
        The optimiser is "adam" or "sgd" (momentum 0.9); the learning rate by default the model's own, see
        :func:`degnn_explore.models`. "scaled": its own for batches of 64, √k times that (sgd: k times) for batches k
        times as large, as suits a GPU.
    patience
        Stop after so many epochs without a better validation metric; None: never.
    clip
        Largest norm of the gradient; None: no limit.
    precision
        "float32", or "bf16": layers compute in bfloat16 where the device has it, sums over neighbours, the loss and
        the weights stay in float32. Models are judged in float32 either way.
    checkpoint
        A file to keep the state in. If it exists, its epochs are yielded again from the file and training goes on
        after them, to the same final numbers.
    checkpoint_every
        Seconds from one writing of the checkpoint to the next; 0 writes it after each epoch. It is also written
        when the run ends or is left, by ``stop``, ``break`` or an error, so that no finished epoch is lost; only a
        process that is killed loses those of the last seconds.
    stop
        When this event is set, the generator ends within a batch.
    progress
        Show a bar where preparing the data, or an epoch, takes more than two seconds.
    num_threads
        Torch threads while training, at most 256. The matrices are small: one is fastest. Torch splits its sums among
        them, so another number may change the last digits (2e-8 of the loss for PGNN and SEAL).

    Yields
    ------
    Epoch

    Examples
    --------
    >>> import degnn_explore as de
    >>> task = de.link_task(de.Graph.from_edges([(i, (i + s) % 20) for i in range(20) for s in (1, 2)]))
    >>> run = list(de.fit(de.build("DE-GNN-SPD", task, hidden=8), task, epochs=2))
    >>> [epoch.number for epoch in run], sorted(run[0].test)
    ([1, 2], ['accuracy', 'auc'])
    """
    if not isinstance(model, SetNet):
        raise ParameterError(
            f"fit needs a model made by de.build, not {type(model).__name__}. A network of your own joins as "
            "de.PyGModel(net, task) or by de.register_model."
        )
    task = as_one("fit", task)
    if isinstance(task, JoinedTask) and not model.inductive:
        raise ParameterError(
            f"{model.name} is transductive: it knows the nodes of one graph, and cannot learn from {len(task.tasks)} "
            "tasks. Take an inductive model such as DE-GNN-SPD, or fit one for each task."
        )
    if model.shape.num_classes != task.num_classes or model.shape.p != task.p:
        raise ParameterError(
            f"This {model.name} was built for p={model.shape.p} and {model.shape.num_classes} classes, the task has "
            f"p={task.p} and {task.num_classes} classes; build it for this task."
        )
    if stop is not None and not callable(getattr(stop, "is_set", None)):
        raise ParameterError(f"stop must be an event such as threading.Event(), not {stop!r}.")
    given = Learning(batch_size, optimizer, learning_rate, weight_decay, patience, clip, precision)
    learning, chosen = given.with_rate(model.learning_rate), choose_device(device)
    if learning.precision == "bf16":
        needs_bf16(chosen)
    seed = whole_number("seed", seed, least=0, most=MOST_SEED)
    threads = whole_number("num_threads", num_threads, least=1, most=MOST_THREADS)
    run = _Run(model, task, seed, learning, chosen, device == "auto" and chosen != "cpu", threads, stop)
    epochs = whole_number("epochs", epochs, least=1)
    if max_steps is not None:
        steps = whole_number("max_steps", max_steps, least=1)
        epochs = min(epochs, -(-steps // len(sizes(len(task.train), learning.batch_size))))
    every = real_number("checkpoint_every", checkpoint_every, least=0)
    if not model.learns:
        return run.judged(progress)
    forgets = checkpoint is None or KEPT_GRADIENTS in task.leaks  # a checkpoint has no gradients
    kept = None if forgets else Checkpoint(Path(str(checkpoint)), run.identity(), every)
    return run.epochs(epochs, kept, progress)


@dataclass
class _Run:
    """One call of fit: what it trains, how, and the best weights so far."""

    model: SetNet
    task: Task
    seed: int
    learning: Learning
    device: str
    measured: bool  # whether the CPU may turn out to be the faster one
    threads: int
    stop: threading.Event | None

    def __post_init__(self) -> None:
        self.history: list[Epoch] = []
        self.best: dict[str, Tensor] = {}
        self.best_number, self.best_value = 0, -math.inf

    def identity(self) -> dict[str, Any]:
        """What must be the same for a run to go on: model, task and options."""
        model = {"name": self.model.name, "hyper": self.model.hyper}
        if mark := mark_of(self.model.name):
            model["code"] = mark
        return {**model, "task": self.task.digest(), "seed": self.seed, **self.learning.said()}

    def epochs(self, count: int, checkpoint: Checkpoint | None, progress: bool) -> Iterator[Epoch]:
        try:
            self._prepare(progress, count)
            if checkpoint is not None and checkpoint.path.exists():
                past, self.best = checkpoint.resume(self.model, self.stepper.optimiser, count, self.task.metric)
                for epoch in past:
                    self._remember(epoch)
                yield from past
            while len(self.history) < count and not self._patience_is_over():
                with torch_threads(self.threads):
                    epoch = self._epoch(len(self.history) + 1)
                if self._remember(epoch):
                    self.best = {name: tensor.detach().clone() for name, tensor in self.model.state_dict().items()}
                if checkpoint is not None:
                    checkpoint.keep(self.model, self.best, self.stepper.optimiser, self.history)
                yield epoch
        except Cancelled:
            return
        finally:  # at the end, on stop, on an error, and when the caller leaves the loop early
            if self.best:
                self.model.load_state_dict(self.best)
            self.model.eval()
            if checkpoint is not None:
                checkpoint.write()

    def judged(self, progress: bool) -> Iterator[Epoch]:
        """The one epoch of a model that has nothing to learn."""
        started = time.perf_counter()
        try:
            self._prepare(progress, 1)
            logits = judge(self.model, self.placed, self.placed.order(np.arange(len(self.labels))), self.stop)
        except Cancelled:
            return
        loss = float(loss_of(torch.from_numpy(logits[self.train]), torch.from_numpy(self.labels[self.train])))
        rows = {"train": self.train, "val": self.val, "test": self.test}
        train, val, test = (measured(self.task, key, logits[part], self.labels[part]) for key, part in rows.items())
        yield Epoch(1, loss, train, val, test, time.perf_counter() - started, self.task.metric)

    def _prepare(self, progress: bool, count: int) -> None:
        """The data of all sets, with their places by part, where they are computed on, and the optimiser."""
        parts = [self.task.train, self.task.val, self.task.test]
        self.labels = np.concatenate([part.labels for part in parts])
        bounds = np.cumsum([0, *(len(part) for part in parts)])
        self.train, self.val, self.test = (np.arange(a, b) for a, b in pairwise(bounds))
        if "max_dist" in self.model.hyper:
            linked = self.task.train.sets[self.task.train.labels == 1]
            if hint := distance_hint(self.task.graph, linked, self.model.hyper["max_dist"]):
                warnings.warn(hint, stacklevel=2)
        with torch_threads(self.threads):
            self.model.bind(self.task, stop=self.stop, progress=progress)
            sets = np.concatenate([part.sets for part in parts])
            data = self.model.prepare(self.task.graph, sets, stop=self.stop, progress=progress)
            self.model.calibrate(data, self.train)
            if isinstance(self.task, JoinedTask) and self.model.horizon is None:
                needs_own_graphs(self.model, self.task)
            if not self.model.learns:
                self.placed = Placed(data, "cpu")
                return
            note = self._choose(data, count) if self.measured else ""
            self.stepper = self._stepper(data, self.device)
        self.placed = self.stepper.placed
        self.placed.note = "; ".join(filter(None, (note, data.capping)))
        self.stepper.progress = progress
        self.held_out = self.placed.order(np.concatenate([self.val, self.test]))
        self.model.placement = self.placed.placement()
        log.info("%s on %s", self.model.name, self.model.placement)

    def _stepper(self, data: SetData, device: str) -> Stepper:
        self.model.to(device)
        keep = KEPT_GRADIENTS in self.task.leaks
        return Stepper(self.model, Placed(data, device), self.labels, self.learning, self.stop, keep)

    def _choose(self, data: SetData, count: int) -> str:
        """Stays with the device, or with the CPU where that would be through all epochs earlier; says why."""
        steps = count * len(sizes(len(self.train), self.learning.batch_size))
        began, seconds = time.perf_counter(), {}
        for device in ("cpu", self.device):
            stepper = self._stepper(data, device)
            began, copying = time.perf_counter(), time.perf_counter() - began
            batch = stepper.seconds(stepper.placed.order(self.train))
            seconds[device] = steps * batch + (copying if device != "cpu" else 0.0)
            began = time.perf_counter()
        here, there = seconds["cpu"], seconds[self.device]
        told = f"{steps:,} batches would take about {here:.3g} s on the CPU and {there:.3g} s on {self.device}"
        if here <= there:
            self.device = "cpu"
        return f"{told}, copying included"

    def _patience_is_over(self) -> bool:
        patience = self.learning.patience
        return patience is not None and len(self.history) - self.best_number >= patience

    def _epoch(self, number: int) -> Epoch:
        """Order and dropout depend on the seed and the epoch's number alone, so a resumed run repeats them."""
        started = time.perf_counter()
        order = np.random.default_rng([self.seed, number]).permutation(self.train)
        for module in self.model.modules():
            if isinstance(module, Dropout):
                module.generator = generator_on(self.device)
                module.generator.manual_seed((self.seed * 1_000_003 + number) % 2**63)
        losses, logits = self.stepper.learn(self.placed.order(order))
        if not np.isfinite(losses).all():
            raise self._diverged(f"The loss became {losses[~np.isfinite(losses)][0]} in epoch {number}")
        back = np.argsort(order)  # the training sets come first, so that this is where each of them stood
        train = measured(self.task, "train", logits[back], self.labels[self.train])
        judged = judge(self.model, self.placed, self.held_out, self.stop)
        if not np.isfinite(judged).all():
            raise self._diverged(f"The model's outputs are no longer finite after epoch {number}")
        ends = len(self.val)
        val = measured(self.task, "val", judged[:ends], self.labels[self.val])
        test = measured(self.task, "test", judged[ends:], self.labels[self.test])
        self.model.placement = self.placed.placement()
        loss = sum(losses * sizes(len(order), self.learning.batch_size)) / len(order)
        return Epoch(number, loss, train, val, test, time.perf_counter() - started, self.task.metric)

    def _diverged(self, what: str) -> ParameterError:
        return ParameterError(
            f"{what}; learning_rate={self.learning.learning_rate} is probably too high. Try a tenth of it."
        )

    def _remember(self, epoch: Epoch) -> bool:
        """Adds the epoch to the history; whether it is the best so far on validation."""
        self.history.append(epoch)
        value = (epoch.test if CHOSEN_ON_TEST in self.task.leaks else epoch.val)[self.task.metric]
        better = value > self.best_value
        if better:
            self.best_value, self.best_number = value, epoch.number
        return better
