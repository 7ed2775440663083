"""The search for settings on validation sets: what to try, what to keep, and :func:`tune`.

Studies and ``tune`` draw the same candidates and promote them by the same rule; they differ in how a trial is
evaluated. A trial that fails or diverges counts as -inf and does not end the search.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from ..common.errors import MOST_SEED, ParameterError, check_choice, check_float, check_int
from ..common.progress import Cancelled, on_compiling, progress_bar, report, watching
from ..learn.ensemble import Ensemble, blended
from ..learn.metrics import check_metric, task_metrics
from ..learn.nets.heuristics import STEPS
from ..learn.predicting import Stream, device_of
from ..learn.registry import MODELS, build, mark_of
from ..learn.tasks import Task
from ..learn.training import Epoch, fit

if TYPE_CHECKING:
    import pandas

    from ..learn.nets.base import SetNet

Settings = dict[str, Any]
SPACE: dict[str, tuple[Any, ...]] = {
    "layers": (1, 2, 3), "hidden": (32, 50, 100), "dropout": (0.0, 0.2, 0.5), "max_dist": (3, 4, 6, 10),
    "steps": (3, 4, 6), "hops": (1, 2), "distances": (1, 2, 3), "learning_rate": (3e-4, 1e-3, 3e-3, 1e-2),
    "damping": (0.05, 0.5, 0.9), "alpha": (0.5, 0.85, 0.9, 0.95)}  # fmt: skip
"""Values to try, for the hyperparameters a model has; the paper searched layers, hidden, dropout, max_dist and hops."""

_MOST = 30  # settings of a model
_FIRST_STEPS = 250  # of training before networks are compared: 5 epochs on C. elegans, one on pb
_RUNGS = (0.3, 0.55)  # shares of the time after which half of the networks are dropped
_FOR_TEST = 0.1  # share of the time reserved for evaluating the result
_MEMBERS = 2  # networks that are always trained to the end
_COPIES = 8  # networks in an ensemble, including copies of the best with other initial weights
_PATIENCE = 15
_BEHIND = 0.02  # further behind the best on validation: left out of the ensemble
_WALKED = 2_000_000_000  # steps over edges that walk profiles may take: 4 seconds
_ROOM = 4_000_000_000  # bytes of data that waiting networks may hold


# ---- candidates and promotion ---------------------------------------------------------------------


def candidates(
    model: str, p: int, seed: int = 0, space: Mapping[str, Sequence[Any]] = SPACE, most: int = _MOST
) -> list[Settings]:
    """Settings to try for a model: first the defaults ({}), then draws from the space, none twice.

    Examples
    --------
    >>> candidates("Katz", 2)[0], len(candidates("Katz", 2)), len(candidates("Adamic-Adar", 2))
    ({}, 4, 1)
    """
    kind = MODELS[check_choice("model", model, MODELS)].load()
    known = {**kind.HYPER, **({"learning_rate": kind.RATE} if kind.learns else {})}
    offered = dict(space) | {name: one.choices for name, one in known.items() if mark_of(model) and one.choices}
    fitting = {name: [v for v in offered[name] if known[name].takes(v)] for name in offered if name in known}
    grid = {name: values for name, values in fitting.items() if values}
    usual = {name: known[name].default_for(p) for name in grid}
    rng = np.random.default_rng([seed, *model.encode()])
    listed: list[Settings] = [{}]
    for _ in range(20 * most if grid else 0):
        if len(listed) >= most:
            break
        drawn = {name: values[int(rng.integers(len(values)))] for name, values in grid.items()}
        differing = {name: value for name, value in drawn.items() if value != usual[name]}
        if differing not in listed:
            listed.append(differing)
    return listed


def rung_sizes(trials: int, rungs: int, reduce: int) -> list[int]:
    """How many trials are trained to each rung.

    Examples
    --------
    >>> rung_sizes(16, 3, 3), rung_sizes(2, 3, 3), rung_sizes(1, 2, 3)
    ([16, 6, 2], [2, 1, 1], [1, 1])
    """
    sizes = [trials]
    for _ in range(rungs - 1):
        sizes.append(max(1, math.ceil(sizes[-1] / reduce)))
    return sizes


def promote(values: Mapping[int, float], keep: int) -> list[int]:
    """The best ``keep`` trials, in the order of their numbers; ties go to the first.

    Examples
    --------
    >>> promote({0: 0.7, 1: 0.9, 2: 0.9}, 2), promote({0: -math.inf, 1: 0.5}, 1)
    ([1, 2], [1])
    """
    return sorted(sorted(values, key=lambda trial: (-values[trial], trial))[:keep])


def search(
    models: Iterable[str], evaluate: Callable[[str, Settings], float], budget: CpuBudget, p: int = 2, seed: int = 0
) -> dict[str, list[tuple[Settings, float]]]:
    """Try candidates in rounds, one per model, until the budget is spent or nothing is left to try.

    Only complete rounds count, so that every model gets the same number of settings; the first always does.
    """
    names = list(dict.fromkeys(models))
    if not names:
        raise ParameterError("No model is chosen; choose at least one, say GCN and DE-GNN-SPD.")
    plans = {name: candidates(name, p, seed) for name in names}
    tried: dict[str, list[tuple[Settings, float]]] = {name: [] for name in names}
    for number in range(_MOST):
        settings = {name: plan[number] for name, plan in plans.items() if number < len(plan)}
        budget.may_overrun = not number
        if not settings or budget.is_set():
            break
        values = {}
        for name, given in settings.items():
            values[name] = evaluate(name, given)
            if budget.is_set():
                break
        if len(values) < len(settings) or (budget.is_set() and number):
            break
        for name, value in values.items():
            tried[name].append((settings[name], value))
    if not all(tried.values()):
        raise ParameterError("The search was stopped before every model was tried once; give it more time.")
    return tried


class CpuBudget:
    """CPU-seconds of this process, as a stop event: set once they are spent, or when the search is interrupted.

    Compiling is not counted: it happens once after installing, and can take longer than the search.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds, self._began, self._compiled, self._compiling = seconds, time.process_time(), 0.0, 0.0
        self.may_overrun = True  # until there is a first result
        self.interrupted = False

    def compiling(self, words: str) -> None:
        """For :func:`on_compiling`."""
        if words:
            self._compiling = time.process_time()
        else:
            self._compiled += time.process_time() - self._compiling

    def spent(self) -> float:
        """The share that is spent."""
        return (time.process_time() - self._began - self._compiled) / self._seconds

    def is_set(self) -> bool:
        """For :func:`watching`: whether training must stop."""
        return self.interrupted or (not self.may_overrun and self.spent() >= 1)


# ---- tune -----------------------------------------------------------------------------------------


@dataclass
class Tuned:
    """The result of :func:`tune`: the best model on validation, and everything that was tried.

    Attributes
    ----------
    model
        The trained network that is best on validation, or an ensemble of several.
    settings
        What rebuilds it: ``de.build(task=task, **tuned.settings)``. For an ensemble, those of its best member.
    members
        The settings of every network in ``model``.
    options
        Arguments of :func:`degnn_explore.fit` that are not the defaults, such as its learning rate.
    val, test
        The task's metric for ``model``, between 0 and 1; the test sets are used once, after everything was chosen.
    """

    model: SetNet
    settings: Settings
    members: list[Settings]
    options: dict[str, Any]
    val: float
    test: float
    _trials: list[Trial] = field(repr=False)

    @property
    def tried(self) -> dict[str, list[tuple[Settings, float]]]:
        """The settings of each model and their validation metric, -inf where training failed or diverged.

        Named models all get the same number of settings, ``rounds``, unless a model has fewer.
        """
        tried: dict[str, list[tuple[Settings, float]]] = {}
        for trial in self._trials:
            tried.setdefault(trial.name, []).append((trial.settings, trial.best))
        return tried

    @property
    def rounds(self) -> int:
        """How many settings each model was given, at most."""
        return max(map(len, self.tried.values()), default=0)

    @property
    def best(self) -> dict[str, Settings]:
        """The best settings of each model on validation; ties go to the first, which are the defaults."""
        return {model: max(values, key=lambda value: value[1])[0] for model, values in self.tried.items()}

    @property
    def trials(self) -> pandas.DataFrame:
        """A row for each training run, the best on validation first.

        Columns: model, validation, epochs, cpu_seconds, chosen (whether it is in ``model``), seed, settings, error.
        """
        import pandas as pd

        columns = ["model", "validation", "epochs", "cpu_seconds", "chosen", "seed", "settings", "error"]
        rows = [(t.name, t.best, t.epochs, round(t.seconds, 2), t.chosen, t.seed, t.settings, t.error)
                for t in self._trials]  # fmt: skip
        table = pd.DataFrame(rows, columns=columns)
        return table.sort_values("validation", ascending=False, kind="stable", ignore_index=True)

    def frame(self) -> pandas.DataFrame:
        """What was tried, the best on validation first: model, validation and settings."""
        return self.trials[["model", "validation", "settings"]]


def tune(
    task: Task,
    models: str | Iterable[str] | None = None,
    *,
    minutes: float = 2.0,
    epochs: int | None = None,
    seed: int = 0,
    device: str = "auto",
    metric: str | None = None,
    progress: bool = False,
    on_epoch: Callable[[Trial, Epoch], object] | None = None,
) -> Tuned:
    """Find a good network for a task. Settings are chosen on validation; the test sets are used once, at the end.

    Without ``models``, several distance-encoded networks are trained briefly (``max_dist`` is taken from the distances
    of the positives), the better half is trained further, and again. The last few form an ensemble; time that is left
    goes to copies of the best with other initial weights. For pairs, walk profiles are tried too: alone, with weight ½
    next to the networks, or not at all, whichever is best on validation.

    With ``models``, these are compared fairly, in rounds. In each round every model trains with its next settings:
    first the defaults, then draws from a small grid. Only complete rounds count (the first always does), so every
    model gets the same number of settings. The same seed tries the same settings in the same order.

    Parameters
    ----------
    task
        From :func:`degnn_explore.link_task`, say.
    models
        Names from :func:`degnn_explore.models`, or one name.
    minutes
        CPU minutes for the search. Compiling, once after installing, is not counted.
    epochs, device
        As in :func:`degnn_explore.fit`; by default at most 200 epochs, with ``models`` 40. Each run stops early, after
        15 (with ``models`` 10) epochs without gain.
    seed
        Draws the settings, the weights and the order of the sets.
    metric
        The metric to choose by, as in :func:`degnn_explore.fit`; by default the task's.
    progress
        Show a progress bar.
    on_epoch
        Called as ``on_epoch(trial, epoch)`` after every epoch, for TensorBoard or W&B; a trial has ``name``,
        ``settings`` and ``seed``.

    Notes
    -----
    Ctrl-C ends the search with what it has.

    Examples
    --------
    >>> import degnn_explore as de
    >>> task = de.link_task(de.load("karate"))
    >>> tuned = de.tune(task, ["Adamic-Adar", "Katz"], minutes=0.2)
    >>> tuned.rounds, sorted(tuned.best), tuned.settings
    (4, ['Adamic-Adar', 'Katz'], {'name': 'Adamic-Adar'})
    >>> quick = de.tune(task, minutes=0.01, epochs=2)
    >>> 0 <= quick.test <= 1, de.predict(quick.model, task.graph, [{0, 9}]).shape
    (True, (1,))
    """
    if not isinstance(task, Task):
        raise ParameterError(f"tune needs a task, such as de.link_task(G), not {type(task).__name__}.")
    if metric is not None:
        task = replace(task, metric=check_metric(metric, task))
    seconds = 60 * check_float("minutes", minutes, above=0)
    check_int("epochs", 1 if epochs is None else epochs, least=1)
    check_int("seed", seed, least=0, most=MOST_SEED)
    names = None if models is None else [models] if isinstance(models, str) else list(models)
    for name in names or ():
        build(check_choice("model", name, MODELS), task)  # what cannot be built fails before an hour is spent
    with progress_bar(progress):
        budget = CpuBudget(seconds * (1 if names else 1 - _FOR_TEST))
        trainer = _Trainer(task, epochs or (40 if names else 200), device, budget, on_epoch, 10 if names else _PATIENCE)
        with on_compiling(budget.compiling):
            chosen = _search_freely(trainer, seed) if names is None else _search_named(trainer, names, seed)
        return _result(task, trainer, chosen)


@dataclass(eq=False)
class Trial:
    """One network in training: its settings, its epochs so far, and its best validation metric."""

    name: str
    settings: Settings
    seed: int
    net: SetNet | None = None  # built with its first epoch
    run: Iterator[Epoch] = field(default_factory=lambda: iter(()), repr=False)
    epochs: int = 0
    best: float = -math.inf
    seconds: float = 0.0  # of the processor
    ended: bool = False
    dropped: bool = False  # it was worse than half of the others
    chosen: bool = False  # it is in the result
    error: str = ""

    @property
    def learns(self) -> bool:
        """Whether it is a network; a formula has no weights to train."""
        return self.net is not None and self.net.learns

    @property
    def hyper(self) -> Settings:
        """The settings that :func:`degnn_explore.build` takes."""
        return {key: value for key, value in self.settings.items() if key != "learning_rate"}

    def close(self) -> None:
        """End training; the network keeps its best weights on validation."""
        self.run.close()  # type: ignore[attr-defined]
        self.ended = True


class _Trainer:
    """Trains trials in this process. A run of ``fit`` is a generator, so it can pause while others are trained."""

    def __init__(self, task: Task, epochs: int, device: str, budget: CpuBudget, on_epoch: Any, patience: int) -> None:
        self.task, self.epochs, self._device, self.budget = task, epochs, device, budget
        self._on_epoch, self._patience = on_epoch, patience
        self.trials: list[Trial] = []

    def begin(self, name: str, settings: Settings, seed: int) -> Trial:
        """A new trial; its network is built when it is first trained."""
        trial = Trial(name, settings, seed)
        trial.run = self._epochs_of(trial)
        self.trials.append(trial)
        return trial

    def _epochs_of(self, trial: Trial) -> Iterator[Epoch]:
        trial.net = build(trial.name, self.task, seed=trial.seed, **trial.hyper)
        how: dict[str, Any] = {"learning_rate": trial.settings.get("learning_rate"), "patience": self._patience}
        yield from fit(trial.net, self.task, self.epochs, seed=trial.seed, device=self._device, progress=False, **how)

    def train(self, trial: Trial, epochs: int) -> None:
        """Train for more epochs; a trial that fails or diverges has ended and counts as -inf."""
        for _ in range(epochs):
            began = time.process_time()
            try:
                with watching(stop=self.budget):  # type: ignore[arg-type]
                    epoch = next(trial.run, None)
            except Cancelled:
                epoch = None
            except Exception as error:  # of a user's model, too: one failed trial must not end the search
                epoch, trial.best = None, -math.inf
                trial.error = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
            trial.seconds += time.process_time() - began
            if epoch is None:
                trial.ended = True
                return
            trial.epochs += 1
            if math.isfinite(value := epoch.val[self.task.metric]):
                trial.best = max(trial.best, value)
            if self._on_epoch is not None:
                self._on_epoch(trial, epoch)

    def train_to(self, alive: Sequence[Trial], share: float = math.inf) -> None:
        """Give each next epoch to the trial with the least CPU time, until the budget or this share of it is spent."""
        while self.budget.spent() < share and not self.budget.is_set():
            waiting = [trial for trial in alive if not trial.ended]
            if not waiting:
                return
            least = min(waiting, key=lambda trial: trial.seconds)
            report(f"{least.name}, {max(trial.best for trial in alive):.3f} on validation", min(1, self.budget.spent()))
            self.train(least, 1)


def _search_named(trainer: _Trainer, names: Sequence[str], seed: int) -> list[Trial]:
    """Give every model the same number of settings; the best trial on validation, from complete rounds."""

    def evaluate(name: str, settings: Settings) -> float:
        report(f"settings {len(trainer.trials) // len(names) + 1}: {name}", min(1, trainer.budget.spent()))
        try:
            trial = trainer.begin(name, settings, seed)
            trainer.train(trial, trainer.epochs)
        except KeyboardInterrupt:
            trainer.budget.interrupted = True
            return -math.inf
        trial.close()
        return trial.best

    tried = search(names, evaluate, trainer.budget, trainer.task.p, seed)
    counted = {(name, str(settings)) for name, values in tried.items() for settings, _ in values}
    trainer.trials = [trial for trial in trainer.trials if (trial.name, str(trial.settings)) in counted]
    best = max(trainer.trials, key=lambda trial: trial.best)
    if best.best == -math.inf:
        reason = trainer.trials[0].error or "no validation metric"
        raise ParameterError(f"Every trial failed or diverged. The first error: {reason}.")
    return [best]


def _search_freely(trainer: _Trainer, seed: int) -> list[Trial]:
    """Train several networks, keep the better half, and again; the members of the ensemble."""
    try:
        _train_and_halve(trainer, seed)
    except KeyboardInterrupt:
        pass
    finally:
        for trial in trainer.trials:
            trial.close()
    ranked = sorted((t for t in trainer.trials if t.best > -math.inf), key=lambda trial: -trial.best)
    if not ranked:
        errors = [trial.error for trial in trainer.trials if trial.error]
        why = f"every network failed. The first error: {errors[0]}" if errors else "give it more time"
        raise ParameterError(f"The search ended before a network was trained for one epoch; {why}.")
    return choose_members(trainer.task, ranked)


def _train_and_halve(trainer: _Trainer, seed: int) -> None:
    task, budget = trainer.task, trainer.budget
    batches = -(-len(task.train) // 64)
    first_epochs = min(trainer.epochs, -(-_FIRST_STEPS // batches))
    for name, settings in first_look(task):
        places = [trial.net.placement for trial in trainer.trials if trial.net is not None]
        held = sum(place.nbytes for place in places if place is not None and place.where != "streamed")
        enough = not budget.may_overrun
        if budget.is_set() or (enough and (budget.spent() > _RUNGS[0] or held > _ROOM)):
            break
        report(f"trying {name}", min(1, budget.spent()))
        trial = trainer.begin(name, settings, seed)
        trainer.train(trial, first_epochs)
        if trial.learns and trial.best > -math.inf:
            budget.may_overrun = False
    networks = [trial for trial in trainer.trials if trial.learns]
    alive = [trial for trial in networks if trial.best > -math.inf]
    for share in _RUNGS:
        trainer.train_to(alive, share)
        kept = promote({number: trial.best for number, trial in enumerate(alive)}, max(_MEMBERS, len(alive) // 2))
        alive = [alive[number] for number in kept]
        for trial in networks:
            if trial not in alive and not trial.dropped:
                trial.dropped = True
                trial.close()
    trainer.train_to(alive)
    alive.sort(key=lambda trial: -trial.best)
    for number in range(_COPIES - len(alive) if alive else 0):  # all have ended, and there is time left
        if budget.is_set() or budget.spent() > 0.9:
            break
        like = alive[number % len(alive)]
        copy = trainer.begin(like.name, like.settings, seed + 1000 * (number + 1))
        trainer.train_to([copy])


def first_look(task: Task) -> list[tuple[str, Settings]]:
    """The networks to try, in this order: distance-encoded ones that differ in what they see and how they learn.

    ``max_dist`` covers the distances of nine in ten positives, which matters in graphs of large diameter. For pairs,
    walk profiles are tried too, unless the graph is too large for them.

    Examples
    --------
    >>> import degnn_explore as de
    >>> first_look(de.link_task(de.load("karate")))[:2]
    [('walk profiles', {}), ('DE-GNN-SPD', {'max_dist': 3})]
    """
    far = task.max_dist if task.num_classes == 2 else 3
    faster = 3 * MODELS["DE-GNN-SPD"].load().RATE.default_for(task.p) if task.p > 1 else 3e-3
    walked = np.unique(np.concatenate([part.sets for part in (task.train, task.val, task.test)])).size
    walks = MODELS["walk profiles"].takes(task.p) and walked * task.graph.num_edges * 2 * STEPS <= _WALKED
    return [
        *([("walk profiles", Settings())] if walks else []),  # first: it takes a second, a network may take many
        ("DE-GNN-SPD", {"max_dist": far}),
        ("DE-GNN-SPD", {"max_dist": far, "base": "GIN"}),
        ("DE-GNN-SPD", {"max_dist": far, "base": "SAGE", "dropout": 0.2, "learning_rate": faster}),
        ("DE-GNN-LP", {"steps": 6, "base": "GIN", "dropout": 0.2}),
        ("DE-GNN-SPD", {"max_dist": max(10, far), "base": "GIN", "dropout": 0.2}),
        ("DEA-GNN-SPD", {"max_dist": far, "dropout": 0.2, "learning_rate": faster}),
        ("DE-GNN-SPD", {"max_dist": max(10, far), "dropout": 0.2, "learning_rate": faster}),
        ("DE-GNN-LP", {"steps": 4, "learning_rate": faster}),
    ]


def choose_members(task: Task, ranked: list[Trial]) -> list[Trial]:
    """The members of the ensemble: networks close to the best one, formulas, or both, as validation decides."""
    networks = [trial for trial in ranked if trial.learns and not trial.dropped]
    near = [trial for trial in networks if trial.best >= networks[0].best - _BEHIND][:_COPIES]
    formulas = [trial for trial in ranked if not trial.learns]
    if not (near and formulas):
        return near or formulas
    logits = {id(trial): _logits(trial.net, task, "val") for trial in near + formulas if trial.net is not None}

    def value(some: list[Trial]) -> float:
        mixed = blended([torch.from_numpy(logits[id(trial)]) for trial in some], [trial.learns for trial in some])
        return _value(task, "val", mixed.numpy())

    best = max([near + formulas, near, formulas], key=value)  # ties go to the first
    return [trial for trial in ranked if trial in best]


def _logits(net: SetNet, task: Task, part: str) -> NDArray[np.float32]:
    """The logits of a part's sets, followed by those of the negatives that its positives are ranked among."""
    split = getattr(task, part)
    ranked = split.sets[:0] if split.ranked is None else split.ranked.reshape(-1, task.p)
    return Stream(net, task.graph, np.concatenate([split.sets, ranked]), device_of(net)).logits()


def _value(task: Task, part: str, logits: NDArray[np.float32]) -> float:
    split = getattr(task, part)
    ranked = None if split.ranked is None else logits[len(split) :]
    return task_metrics(task, part, logits[: len(split)], ranked)[task.metric]


def _result(task: Task, trainer: _Trainer, chosen: list[Trial]) -> Tuned:
    """The chosen model and its metrics: the only use of the test sets."""
    for trial in chosen:
        trial.chosen = True
    nets = [trial.net for trial in chosen if trial.net is not None]
    model = nets[0] if len(nets) == 1 else Ensemble(nets)
    members: list[Settings] = [{"name": trial.name, **trial.hyper} for trial in chosen]
    options = {key: value for key, value in chosen[0].settings.items() if key == "learning_rate"}
    val, test = (_value(task, part, _logits(model, task, part)) for part in ("val", "test"))
    return Tuned(model, members[0], members, options, val, test, trainer.trials)
