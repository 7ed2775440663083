"""Training: ``fit`` yields one Epoch at a time. Read it from top to bottom.

options → fit → _Run (prepare, epochs, one epoch, one step, evaluate) → Checkpoint (a run on disk).
"""

from __future__ import annotations

import contextlib
import inspect
import logging
import math
import os
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.optim import Optimizer

from ..common.errors import MOST_SEED, ParameterError, check_choice, check_float, check_int, short_repr
from ..common.files import readable_size
from ..common.progress import Cancelled, check_cancelled, progress_bar, report
from ..engine.placing import Order, Placed
from .devices import MOST_THREADS, choose_device, generator_on, torch_threads
from .hints import distance_hint
from .metrics import check_metric, task_metrics
from .nets.base import Dropout, RandomSigns, SetNet
from .predicting import RankedStream, batch_sizes, judge
from .registry import mark_of
from .saving import check_place, load_state, read_tensors, write_tensors
from .tasks import Task, needs_task

log = logging.getLogger("degnn_explore")
SECONDS_BETWEEN_REPORTS = 0.5


# ---- what comes out --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Epoch:
    """One pass over the training sets.

    Attributes
    ----------
    number
        Counted from 1.
    loss
        Mean training loss of the pass, every set counted once.
    train, val, test
        ``{"accuracy": ..., "auc": ...}`` each, from 0 to 1. ``train`` is measured during the pass, on the
        logits that were learned from; ``val`` and ``test`` after it. Where held-out links have negatives of their own
        (``per_positive=``), these two also have "average_precision", "mrr" and "hits@1", "@3", "@10", "@50", "@100".
        ``test`` is empty with ``fit(score_test=False)``.
    seconds
        Time of the pass and its measurements.
    metric
        The one that the epoch is chosen by.

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


@dataclass(frozen=True)
class Summary:
    """Both settings of the paper, from one run.

    ``optimistic`` chooses by what it reports, so it is an upper bound and not an estimate.
    """

    epoch: int  # the number of the epoch that is best on validation
    test: float  # test metric of that epoch: the paper's main table
    optimistic: float  # the best test metric of any epoch, "no-validation, optimistic": the paper's appendix
    optimistic_epoch: int
    metric: str  # "auc", "accuracy", "mrr", ...


def summarize(epochs: Iterable[Epoch], metric: str | None = None, *, chosen_on: str = "val") -> Summary:
    """The test metric chosen on validation, and the no-validation, optimistic one.

    Parameters
    ----------
    epochs
        What :func:`fit` yielded.
    metric
        "auc", "accuracy", "mrr" or another that the epochs have; by default the one of the run.
    chosen_on
        "val"; with "test" the epoch is the optimistic one, as :func:`fit` keeps it with ``choose_on="test"``.

    Examples
    --------
    >>> run = [Epoch(1, 0.6, {}, {"auc": 0.8}, {"auc": 0.7}, 1.0), Epoch(2, 0.5, {}, {"auc": 0.7}, {"auc": 0.9}, 1.0)]
    >>> summarize(run)
    Summary(epoch=1, test=0.7, optimistic=0.9, optimistic_epoch=2, metric='auc')
    """
    run = list(epochs)
    if not run:
        raise ParameterError("There are no epochs to summarize; run de.fit first.")
    if not run[0].test:
        raise ParameterError("These epochs have no test results to summarize; run de.fit without score_test=False.")
    key = check_choice("metric", metric or run[0].metric, run[0].test)
    part = check_choice("chosen_on", chosen_on, ["val", "test"])
    chosen, lucky = best_epoch(run, key, part), best_epoch(run, key, "test")
    return Summary(chosen.number, chosen.test[key], lucky.test[key], lucky.number, key)


def best_epoch(epochs: Iterable[Epoch], metric: str, part: str = "val") -> Epoch:
    """The epoch that is best on a part; the first of equals, and never one whose metric is not a number.

    >>> run = [Epoch(i, 0.6, {}, {"auc": auc}, {}, 1.0) for i, auc in ((1, math.nan), (2, 0.7), (3, 0.7))]
    >>> best_epoch(run, "auc").number
    2
    """

    def value(epoch: Epoch) -> float:
        measured: float = getattr(epoch, part)[metric]
        return -math.inf if math.isnan(measured) else measured

    return max(epochs, key=lambda epoch: (value(epoch), -epoch.number))


# ---- options ---------------------------------------------------------------------------------------------------------


def _plain(kind: type[Optimizer]) -> type[Optimizer]:
    """An optimizer without torch's compiler, which nothing here needs and which takes a second to load."""
    names = ("add_param_group", "load_state_dict", "state_dict", "zero_grad")
    plain = {name: inspect.unwrap(getattr(kind, name)) for name in names}
    return type(kind.__name__, (kind,), {**plain, "step": torch.no_grad()(inspect.unwrap(kind.step))})


_OPTIMIZERS = {"adam": _plain(torch.optim.Adam), "sgd": _plain(torch.optim.SGD)}


@dataclass(frozen=True)
class Learning:
    """The options of :func:`fit` that change the result; the others change only how it is computed."""

    batch_size: int = 64
    optimizer: str = "adam"
    learning_rate: float | None = None
    weight_decay: float = 0.0
    patience: int | None = 30
    clip: float | None = 5.0
    metric: str | None = None  # None: the task's

    def __post_init__(self) -> None:
        """Every value is of its type and in its range, numpy's numbers as plain ones."""
        checked: dict[str, Any] = {
            "batch_size": check_int("batch_size", self.batch_size, least=1),
            "optimizer": check_choice("optimizer", self.optimizer, _OPTIMIZERS),
            "weight_decay": check_float("weight_decay", self.weight_decay, least=0),
        }
        if self.patience is not None:
            checked["patience"] = check_int("patience", self.patience, least=1)
        for name in ("clip", "learning_rate"):
            if getattr(self, name) is not None:
                checked[name] = check_float(name, getattr(self, name), above=0)
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def with_rate(self, own: float) -> Learning:
        """With a number for the learning rate: the one given, or the model's own."""
        return replace(self, learning_rate=own) if self.learning_rate is None else self

    def as_dict(self) -> dict[str, Any]:
        """Names and values, as records and checkpoints keep them."""
        return {name: value for name, value in asdict(self).items() if name != "metric" or value is not None}


USUAL = Learning()


# ---- fit -------------------------------------------------------------------------------------------------------------


def fit(
    model: SetNet,
    task: Task,
    epochs: int = 100,
    *,
    max_steps: int | None = None,
    seed: int = 0,
    device: str = "auto",
    batch_size: int = USUAL.batch_size,
    optimizer: str = USUAL.optimizer,
    learning_rate: float | None = USUAL.learning_rate,
    weight_decay: float = USUAL.weight_decay,
    patience: int | None = USUAL.patience,
    clip: float | None = USUAL.clip,
    metric: str | None = USUAL.metric,
    zero_grad: bool | None = None,
    choose_on: str | None = None,
    score_test: bool = True,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 5.0,
    progress: bool = True,
    num_threads: int = 1,
) -> Iterator[Epoch]:
    """Train a model, one :class:`Epoch` at a time; the weights best on validation are kept at the end.

    Parameters
    ----------
    model, task
        From :func:`degnn_explore.build` and, say, :func:`degnn_explore.link_task`.
    epochs
        The largest number of epochs.
    max_steps
        Stop with the epoch in which this many steps (batches) are reached: a fair limit for graphs of very
        different size, where an epoch is 54 steps (C. elegans) or 418 (pb).
    seed
        Order of the sets and dropout. The same seed gives the same numbers.
    device
        "auto" (cuda, then mps, then cpu) or the name of a torch device. ``model.placement`` says where it was.
    batch_size, optimizer, learning_rate, weight_decay
        The optimizer is "adam" or "sgd" (momentum 0.9); the learning rate by default the model's own, see
        :func:`degnn_explore.models`.
    patience
        Stop after this many epochs without a better validation metric; None: never.
    clip
        Largest norm of the gradient; None: no limit.
    metric
        What the epoch is chosen by: "auc", "accuracy"; with ``link_task(G, per_positive=100)`` also "mrr", "hits@10"
        and the others in :attr:`Epoch.val`. None: ``task.metric``.
    zero_grad, choose_on
        False: gradients are not reset between batches; "test": the epoch is chosen on the test sets. Both are
        mistakes of published code, here to be measured. None: True and "val", unless the protocol of the task says
        otherwise (see :func:`degnn_explore.leaks`).
    score_test
        False: do not score the test sets, and leave ``Epoch.test`` empty. Trials of a search do that: it saves time,
        and nothing can be chosen on test results.
    checkpoint
        A file to keep the state in. If it exists, its epochs are yielded again from the file and training continues
        after them, to the same final numbers.
    checkpoint_every
        Seconds from one writing of the checkpoint to the next; 0 writes it after each epoch. It is also written
        when the run ends or is left, by cancelling, ``break`` or an error, so that no finished epoch is lost; only a
        process that is killed loses those of the last seconds.
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
    needs_task("fit", task)
    if model.shape.num_classes != task.num_classes or model.shape.p != task.p:
        raise ParameterError(
            f"This {model.name} was built for p={model.shape.p} and {model.shape.num_classes} classes, the task has "
            f"p={task.p} and {task.num_classes} classes; build it for this task."
        )
    learning = Learning(batch_size, optimizer, learning_rate, weight_decay, patience, clip, metric)
    if metric is not None:
        task = replace(task, metric=check_metric(metric, task))
    options = {**{"zero_grad": True, "choose_on": "val"}, **task.fit_options}
    zero_grad = options["zero_grad"] if zero_grad is None else bool(zero_grad)
    choose_on = options["choose_on"] if choose_on is None else check_choice("choose_on", choose_on, ["val", "test"])
    if choose_on == "test" and not score_test:
        raise ParameterError('choose_on="test" needs the test sets to be scored; leave out score_test=False.')
    run = _Run(
        model,
        task,
        check_int("seed", seed, least=0, most=MOST_SEED),
        learning.with_rate(model.learning_rate),
        choose_device(device),
        check_int("num_threads", num_threads, least=1, most=MOST_THREADS),
        zero_grad,
        choose_on,
        bool(score_test),
        progress,
    )
    epochs = check_int("epochs", epochs, least=1)
    if max_steps is not None:
        steps = check_int("max_steps", max_steps, least=1)
        epochs = min(epochs, -(-steps // len(batch_sizes(len(task.train), learning.batch_size))))
    every = check_float("checkpoint_every", checkpoint_every, least=0)
    if not model.learns:
        return until_cancelled(run.without_training())
    forgets = checkpoint is None or not zero_grad  # a checkpoint has no gradients
    kept = None if forgets else Checkpoint(Path(str(checkpoint)), run.identity(), every)
    return until_cancelled(run.epochs(epochs, kept))


def until_cancelled(epochs: Iterator[Epoch]) -> Iterator[Epoch]:
    """The epochs; they end within a batch when the caller's :func:`watching` cancels."""
    with contextlib.suppress(Cancelled):
        yield from epochs


@dataclass
class _Run:
    """One call of fit: what it trains, how, and the best weights so far."""

    model: SetNet
    task: Task
    seed: int
    learning: Learning
    device: str
    threads: int
    zero_grad: bool
    choose_on: str
    score_test: bool
    progress: bool

    def __post_init__(self) -> None:
        self.history: list[Epoch] = []
        self.best: dict[str, Tensor] = {}
        self.best_number, self.best_value = 0, -math.inf

    def identity(self) -> dict[str, Any]:
        """What must be the same to resume a run: model, task and options."""
        model = {"name": self.model.name, "hyper": self.model.hyper}
        if mark := mark_of(self.model.name):
            model["code"] = mark
        choice: dict[str, Any] = {} if self.choose_on == "val" else {"choose_on": self.choose_on}
        if not self.score_test:
            choice["score_test"] = False
        return {**model, "task": self.task.digest(), "seed": self.seed, **self.learning.as_dict(), **choice}

    def epochs(self, count: int, checkpoint: Checkpoint | None) -> Iterator[Epoch]:
        try:
            self._prepare()
            optimizer = self._optimizer()
            if checkpoint is not None and checkpoint.path.exists():
                past, self.best = checkpoint.resume(self.model, optimizer, count)
                for epoch in past:
                    self._remember(epoch)
                yield from past
            while len(self.history) < count and not self._out_of_patience():
                with torch_threads(self.threads):
                    epoch = self._epoch(len(self.history) + 1, optimizer)
                if self._remember(epoch):
                    self.best = {name: tensor.detach().clone() for name, tensor in self.model.state_dict().items()}
                if checkpoint is not None:
                    checkpoint.keep(self.model, self.best, optimizer, self.history)
                yield epoch
        finally:  # at the end, when cancelled, on an error, and when the caller leaves the loop early
            if self.best:
                self.model.load_state_dict(self.best)
            self.model.eval()
            if checkpoint is not None:
                checkpoint.write()

    def without_training(self) -> Iterator[Epoch]:
        """The one epoch of a model that has nothing to learn."""
        started = time.perf_counter()
        self.device = "cpu"
        self._prepare()
        logits = judge(self.model, self.placed, self.placed.order(np.arange(len(self.labels))))
        loss = float(loss_of(torch.from_numpy(logits[self.train]), torch.from_numpy(self.labels[self.train])))
        train = task_metrics(self.task, "train", logits[self.train])
        val, test = self._held_out_metrics(logits[len(self.train) :])
        yield Epoch(1, loss, train, val, test, time.perf_counter() - started, self.task.metric)

    def _prepare(self) -> None:
        """Put the data of all sets on the device: training sets first, then validation and test."""
        model, task = self.model, self.task
        held_out = {"val": task.val, "test": task.test} if self.score_test else {"val": task.val}
        parts = [task.train, *held_out.values()]
        self.labels = np.concatenate([part.labels for part in parts])
        self.train, rest = np.split(np.arange(len(self.labels)), [len(task.train)])
        if "max_dist" in model.hyper:
            linked = task.train.sets[task.train.labels == 1]
            if hint := distance_hint(task.graph, linked, model.hyper["max_dist"]):
                warnings.warn(hint, stacklevel=4)
        with torch_threads(self.threads), progress_bar(self.progress):
            model.bind(task)
            data = model.prepare(task.graph, np.concatenate([part.sets for part in parts]))
            model.calibrate(data, self.train)
            model.to(self.device)
            self.placed = Placed(data, self.device)
        self.held_out = self.placed.order(rest)
        self.ranked = RankedStream(model, task.graph, held_out, self.device)
        self.device_labels = torch.from_numpy(self.labels).to(self.placed.device)
        model.placement = self.placed.placement()
        log.info("%s on %s", model.name, model.placement)
        if data.streamed:
            log.warning(
                "%s: %s of data are more than is kept in memory, so each batch is extracted again in every epoch. "
                "Fewer hops or layers, or max_nodes_per_hop=, take less.",
                model.name,
                readable_size(data.nbytes),
            )

    def _optimizer(self) -> Optimizer:
        kind = self.learning.optimizer
        extra: dict[str, Any] = {"momentum": 0.9} if kind == "sgd" else {"fused": True}
        how = {"lr": self.learning.learning_rate, "weight_decay": self.learning.weight_decay, **extra}
        return _OPTIMIZERS[kind](self.model.parameters(), **how)

    def _epoch(self, number: int, optimizer: Optimizer) -> Epoch:
        """Order and dropout depend on the seed and the epoch's number alone, so a resumed run repeats them."""
        started = time.perf_counter()
        order = np.random.default_rng([self.seed, number]).permutation(self.train)
        seed_dropout(self.model, self.device, (self.seed * 1_000_003 + number) % 2**63)
        losses, logits = self._learn(self.placed.order(order), optimizer)
        if not np.isfinite(losses).all():
            raise self._diverged(f"The loss became {losses[~np.isfinite(losses)][0]} in epoch {number}")
        back = np.argsort(order)  # training sets come first, so this undoes the permutation
        train = task_metrics(self.task, "train", logits[back])
        held_out = judge(self.model, self.placed, self.held_out)
        if not np.isfinite(held_out).all():
            raise self._diverged(f"The model's outputs are no longer finite after epoch {number}")
        val, test = self._held_out_metrics(held_out)
        loss = float(losses @ batch_sizes(len(order), self.learning.batch_size) / len(order))
        return Epoch(number, loss, train, val, test, time.perf_counter() - started, self.task.metric)

    def _held_out_metrics(self, logits: NDArray[np.float32]) -> tuple[dict[str, float], dict[str, float]]:
        """The metrics of validation and, if it is scored, of test, from the logits of their sets."""
        with progress_bar(self.progress):
            ranked = self.ranked.logits()
        count = len(self.task.val)
        val = task_metrics(self.task, "val", logits[:count], ranked.get("val"))
        if not self.score_test:
            return val, {}
        return val, task_metrics(self.task, "test", logits[count:], ranked.get("test"))

    def _learn(self, order: Order, optimizer: Optimizer) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """One step for each batch: the loss of each, and the logits of all sets. Nothing is read back in between."""
        self.model.train()
        sizes = batch_sizes(len(order.here), self.learning.batch_size)
        losses, logits, reported = [], [], time.monotonic()
        with progress_bar(self.progress):
            for done, (index, batch) in enumerate(self.placed.batches(order, sizes)):
                check_cancelled("training")
                if time.monotonic() - reported > SECONDS_BETWEEN_REPORTS:
                    report(f"{self.model.name}, an epoch", done / len(sizes))
                    reported = time.monotonic()
                loss, out = self._step(batch, self.device_labels.index_select(0, index), optimizer)
                losses.append(loss)
                logits.append(out)
        return torch.stack(losses).cpu().double().numpy(), torch.cat(logits).cpu().numpy()

    def _step(self, batch: Any, labels: Tensor, optimizer: Optimizer) -> tuple[Tensor, Tensor]:
        if self.zero_grad:
            optimizer.zero_grad()
        logits = self.model(batch)
        loss = loss_of(logits, labels)
        loss.backward()
        if self.learning.clip is not None:
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.learning.clip)
        optimizer.step()
        return loss.detach(), logits.detach()

    def _remember(self, epoch: Epoch) -> bool:
        """Add the epoch to the history; return whether it is the best so far."""
        self.history.append(epoch)
        value = getattr(epoch, self.choose_on)[self.task.metric]
        better = bool(value > self.best_value)
        if better:
            self.best_value, self.best_number = value, epoch.number
        return better

    def _out_of_patience(self) -> bool:
        patience = self.learning.patience
        return patience is not None and len(self.history) - self.best_number >= patience

    def _diverged(self, what: str) -> ParameterError:
        return ParameterError(
            f"{what}; learning_rate={self.learning.learning_rate} is probably too high. Try a tenth of it."
        )


def loss_of(logits: Tensor, labels: Tensor) -> Tensor:
    """Cross entropy: of one logit [k] for two classes, of C logits [k, C] for more."""
    if logits.dim() == 1:
        return torch.nn.functional.binary_cross_entropy_with_logits(logits, labels.to(logits.dtype))
    return torch.nn.functional.cross_entropy(logits, labels)


def seed_dropout(model: SetNet, device: str, seed: int) -> None:
    """Seed the generators of all dropouts (torch's global one is never used) and draw the random signs."""
    for module in model.modules():
        if isinstance(module, Dropout):
            module.generator = generator_on(device)
            module.generator.manual_seed(seed)
        elif isinstance(module, RandomSigns):
            module.draw(torch.Generator().manual_seed(seed))


# ---- a run on disk ---------------------------------------------------------------------------------------------------


class Checkpoint:
    """The file of one run. ``identity`` is what must be the same to resume it: model, task and options."""

    def __init__(self, path: Path, identity: Mapping[str, Any], every: float) -> None:
        check_place(path)  # now, not after an hour of training
        self.path, self.identity, self.every = path, identity, every
        self._unwritten: tuple[dict[str, Tensor], list[Epoch]] | None = None
        self._written = time.monotonic()

    def keep(self, model: SetNet, best: Mapping[str, Tensor], optimizer: Optimizer, history: list[Epoch]) -> None:
        """Copy the state after an epoch: a stopped epoch changes weights and optimizer half-way."""
        tensors = {f"now.{name}": tensor.detach().clone() for name, tensor in model.state_dict().items()}
        tensors |= {f"best.{name}": tensor for name, tensor in best.items()}
        for i, state in optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{i}.{key}": value.clone() for key, value in state.items() if torch.is_tensor(value)}
        self._unwritten = tensors, list(history)
        if time.monotonic() - self._written >= self.every:
            self.write()

    def write(self) -> None:
        """Write the state after the last epoch, unless the file has it already."""
        if self._unwritten is not None:
            tensors, history = self._unwritten
            header = {"kind": "checkpoint", "identity": self.identity, "history": [asdict(epoch) for epoch in history]}
            write_tensors(self.path, tensors, header)
            self._unwritten, self._written = None, time.monotonic()

    def resume(self, model: SetNet, optimizer: Optimizer, count: int) -> tuple[list[Epoch], dict[str, Tensor]]:
        """Load the saved state into model and optimizer; return the epochs so far and the best weights."""
        tensors, header = read_tensors(self.path, "checkpoint")
        self._check(header["identity"], len(header["history"]), count)
        groups: dict[str, dict[str, Tensor]] = {"now": {}, "best": {}, "optimizer": {}}
        for name, tensor in tensors.items():
            group, _, rest = name.partition(".")
            groups[group][rest] = tensor
        load_state(model, groups["now"])
        states: dict[int, dict[str, Tensor]] = {}
        for name, tensor in groups["optimizer"].items():
            i, _, key = name.partition(".")
            states.setdefault(int(i), {})[key] = tensor
        optimizer.load_state_dict({**optimizer.state_dict(), "state": states})
        return [Epoch(**epoch) for epoch in header["history"]], groups["best"]

    def _check(self, kept: Mapping[str, Any], epochs: int, count: int) -> None:
        if differing := [key for key in {**self.identity, **kept} if self.identity.get(key) != kept.get(key)]:
            key = differing[0]
            raise ParameterError(
                f"{self.path} belongs to another run: its {key} is {short_repr(kept.get(key))}, not "
                f"{short_repr(self.identity.get(key))}. Choose another file, or delete it to start over."
            )
        if epochs > count:
            raise ParameterError(
                f"{self.path} holds {epochs} epochs already, more than epochs={count}; ask for at least as many, or "
                "choose another file."
            )
