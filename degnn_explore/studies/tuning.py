"""Settings chosen on validation, within a time that is given: the best for a task, or as many for every model."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..common.errors import MOST_SEED, ParameterError, one_of, real_number, whole_number
from ..learn.nets import MODELS, mark_of
from ..learn.tasks import Task
from .plan import Plan
from .race import Race
from .statistics import on_validation
from .storage.store import Store

if TYPE_CHECKING:
    import pandas

    from ..learn.nets.base import SetNet

Settings = dict[str, Any]
Trial = Callable[[dict[str, Settings], float], dict[str, float] | None]
"""Trains each model with its settings until a deadline; the validation metric of each, None if it was not reached."""

SPACE: dict[str, tuple[Any, ...]] = {
    "layers": (1, 2, 3), "hidden": (32, 50, 100), "dropout": (0.0, 0.2, 0.5), "max_dist": (3, 4, 6, 10),
    "steps": (3, 4, 6), "hops": (1, 2), "learning_rate": (3e-4, 1e-3, 3e-3, 1e-2),
    "damping": (0.05, 0.5, 0.9), "alpha": (0.5, 0.85, 0.9, 0.95)}  # fmt: skip
"""What is tried of the hyperparameters that a model has; the paper searched layers, hidden, dropout, max_dist, hops."""
_MOST = 30  # settings of a model


@dataclass
class Tuned:
    """What was tried, and the best of it by the validation sets.

    In ``tried`` are for each model its settings and what they reach on validation. Where models were named, every one
    was given as many settings, ``rounds``, the defaults ({}) first; one that has fewer tried all that it has.

    Attributes
    ----------
    model
        The network that is best on validation, trained; or several that judge together, see ``trials``.
    settings
        Of the model, or the best of those in it: ``{"model": name, ...}`` with what differs from the defaults.
    val, test
        The task's metric of ``model``, a fraction; test sets are looked at when everything has been chosen.
    """

    tried: dict[str, list[tuple[Settings, float]]] = field(default_factory=dict)
    rounds: int = 0
    model: SetNet | None = None
    settings: Settings = field(default_factory=dict)
    val: float = float("nan")
    test: float = float("nan")
    _trials: list[dict[str, Any]] = field(default_factory=list, repr=False)

    @property
    def best(self) -> dict[str, Settings]:
        """The settings of each model that are best on validation; of equals the first, so the defaults if they are."""
        return {model: max(values, key=lambda value: value[1])[0] for model, values in self.tried.items()}

    @property
    def trials(self) -> pandas.DataFrame:
        """A row for each training run, the best on validation first: how long it took, and whether it is in ``model``.

        Columns: model, validation, epochs, cpu_seconds, chosen, seed, settings.
        """
        import pandas as pd

        columns = ["model", "validation", "epochs", "cpu_seconds", "chosen", "seed", "settings"]
        made = pd.DataFrame(self._trials, columns=columns)
        return made.sort_values("validation", ascending=False, kind="stable", ignore_index=True)

    def frame(self) -> pandas.DataFrame:
        """A row for each setting that was tried, the best first in each model."""
        import pandas as pd

        rows = [
            {"model": model, "validation": value, "settings": settings}
            for model, values in self.tried.items()
            for settings, value in sorted(values, key=lambda value: -value[1])
        ]
        return pd.DataFrame(rows, columns=["model", "validation", "settings"])


def tune(
    task: Task,
    models: Iterable[str] | None = None,
    *,
    minutes: float = 2.0,
    epochs: int | None = None,
    seed: int = 0,
    device: str = "auto",
    stop: threading.Event | None = None,
    progress: bool = False,
) -> Tuned:
    """A good network for a task: settings chosen on its validation sets; the test sets are looked at only at the end.

    Without ``models`` the time goes where it pays: a short look at distance-encoded networks that differ in what they
    see (how far ``max_dist`` must reach is taken from the positives), the better half trained on, and again; the last
    few, and what time is left, with the best settings from other weights, judge together. Pairs are judged by their
    walk profiles too: alone, beside the networks with half of the say, or not at all, whichever is best on validation.

    With ``models`` they are compared fairly, in rounds: in each, every model trains with its next settings, first with
    the defaults, then with some drawn from a small grid. Only rounds that end within the time count (the first always
    does), so that every model is given as many settings.

    Parameters
    ----------
    task
        From :func:`degnn_explore.link_task`, say.
    models
        Names from :func:`degnn_explore.models`.
    minutes
        Time for the search: of the processor without ``models``, else by the clock.
    epochs, device
        As in :func:`degnn_explore.fit`; by default at most 200 epochs, with ``models`` 40. Each run also stops early,
        after 15 (10) epochs without gain.
    seed
        Draws the settings, the weights and the order of the sets.
    stop
        When this event is set, or on Ctrl-C, the search ends with what it has; with ``models`` what round it has.
    progress
        Show a bar with what is being trained.

    Examples
    --------
    >>> import degnn_explore as de
    >>> task = de.link_task(de.load("karate"))
    >>> tuned = de.tune(task, ["Adamic-Adar", "Katz"], minutes=0.2)
    >>> tuned.rounds, sorted(tuned.best), tuned.model.name
    (4, ['Adamic-Adar', 'Katz'], 'Adamic-Adar')
    >>> quick = de.tune(task, minutes=0.01, epochs=2)
    >>> 0 <= quick.test <= 1, de.predict(quick.model, task.graph, [{0, 9}]).shape
    (True, (1,))
    """
    from ..learn.nets import build

    if not isinstance(task, Task):
        raise ParameterError(f"tune needs a task, such as de.link_task(G), not {type(task).__name__}.")
    real_number("minutes", minutes, above=0)
    whole_number("epochs", 1 if epochs is None else epochs, least=1)
    whole_number("seed", seed, least=0, most=MOST_SEED)
    with _Bar(progress) as bar:
        if models is None:
            return _judged(task, *_halved(task, minutes, epochs or 200, seed, device, stop, bar))
        names = list(models)
        for name in names:
            build(one_of("model", name, MODELS), task)  # what cannot be built is said before an hour is spent
        trial = FitTrial(task, epochs or 40, seed, device, stop, bar)
        found = search(names, task.p, minutes, trial, seed)
        found._trials, found.settings = trial.rows, trial.settings
        return _judged(task, found, trial.model)


class _Bar:
    """A line of how far a search is, if one is wanted."""

    def __init__(self, shown: bool) -> None:
        from tqdm.auto import tqdm

        shape = "{l_bar}{bar}| {elapsed}"
        self._bar = tqdm(total=100, bar_format=shape, desc="tune", leave=False, mininterval=0.3, disable=not shown)

    def __call__(self, words: str, share: float) -> None:
        self._bar.set_description(words, refresh=False)
        self._bar.update(min(100, int(100 * share)) - self._bar.n)

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()


def _halved(
    task: Task, minutes: float, epochs: int, seed: int, device: str, stop: Any, bar: _Bar
) -> tuple[Tuned, SetNet]:
    from ..learn.choosing.ensemble import Ensemble
    from ..learn.choosing.halving import halve, together

    ranked = halve(task, minutes, epochs, seed, device, stop, bar)
    chosen, found = together(task, ranked), Tuned()
    for trial in ranked:
        found.tried.setdefault(trial.name, []).append((trial.settings, trial.best))
        found._trials.append(
            _row(trial.name, trial.settings, trial.seed, trial.best, trial.epochs, trial.seconds, trial in chosen)
        )
    found.settings = {"model": chosen[0].name, **chosen[0].settings}
    nets = [trial.net for trial in chosen]
    return found, nets[0] if len(nets) == 1 else Ensemble(nets)


def _row(
    model: str, settings: Settings, seed: int, value: float, epochs: int, seconds: float, chosen: bool
) -> dict[str, Any]:
    return {"model": model, "validation": value, "epochs": epochs, "cpu_seconds": round(seconds, 2),
            "chosen": chosen, "seed": seed, "settings": settings}  # fmt: skip


def _judged(task: Task, found: Tuned, model: SetNet) -> Tuned:
    """With the chosen model and what it reaches: the first, and only, look at the test sets."""
    from ..learn.choosing.halving import asked
    from ..learn.metrics import metrics

    logits = asked(model, task.graph, np.concatenate([task.val.sets, task.test.sets]))
    parts = {"val": (logits[: len(task.val)], task.val), "test": (logits[len(task.val) :], task.test)}
    reached = {name: metrics(part, split.labels)[task.metric] for name, (part, split) in parts.items()}
    return replace(found, model=model, val=reached["val"], test=reached["test"])


class FitTrial:
    """A trial that trains in this process, and keeps the network that is best on validation."""

    def __init__(self, task: Task, epochs: int, seed: int, device: str, stop: Any, bar: _Bar) -> None:
        self._task, self._how, self._stop, self._bar = task, (epochs, seed, device), stop, bar
        self.rows: list[dict[str, Any]] = []
        self.settings: Settings = {}
        self.model: Any = None
        self._value = -np.inf

    def __call__(self, settings: dict[str, Settings], deadline: float) -> dict[str, float] | None:
        from ..learn.choosing.halving import When, begun

        (epochs, seed, device), metric, reached = self._how, self._task.metric, dict[str, float]()
        until = When(lambda: time.monotonic() >= deadline or (self._stop is not None and self._stop.is_set()))
        for number, (name, given) in enumerate(settings.items()):
            self._bar(f"settings {len(self.rows) // len(settings) + 1}: {name}", number / len(settings))
            trial = begun(self._task, name, given, seed, epochs, device, until, patience=10)
            trial.train(epochs, metric)
            trial.close()
            if until.is_set():
                return None
            reached[name] = trial.best
            self.rows.append(_row(name, given, seed, trial.best, trial.epochs, trial.seconds, chosen=False))
            if trial.best > self._value:
                self._value, self.model, self.settings = trial.best, trial.net, {"model": name, **given}
                for row in self.rows:
                    row["chosen"] = row is self.rows[-1]
        return reached


def search(models: Iterable[str], p: int, minutes: float, trial: Trial, seed: int = 0) -> Tuned:
    """Rounds of ``trial`` until the time is over or nothing is left to try; the first has no deadline."""
    names = list(dict.fromkeys(models))
    if not names:
        raise ParameterError("No model is chosen; choose at least one, say GCN and DE-GNN-SPD.")
    deadline = time.monotonic() + 60 * real_number("minutes", minutes, above=0)
    plans = {name: candidates(name, p, seed) for name in names}
    found = Tuned({name: [] for name in names})
    for number in range(_MOST):
        settings = {name: plan[number] for name, plan in plans.items() if number < len(plan)}
        if not settings or (number and time.monotonic() >= deadline):
            break
        reached = trial(settings, deadline if number else float("inf"))
        if reached is None:
            break
        found.rounds += 1
        for name, value in reached.items():
            found.tried[name].append((settings[name], value))
    if not found.rounds:
        raise ParameterError("The search was stopped before every model was tried once; give it more time.")
    return found


def candidates(
    model: str, p: int, seed: int = 0, grid: Mapping[str, Sequence[Any]] = SPACE, most: int = _MOST
) -> list[Settings]:
    """What to try of a model, the defaults ({}) first, then settings drawn from the grid, none twice.

    Examples
    --------
    >>> candidates("Katz", 2)[0], len(candidates("Katz", 2)), len(candidates("Adamic-Adar", 2))
    ({}, 4, 1)
    """
    kind = MODELS[one_of("model", model, MODELS)].load()
    own = {**kind.HYPER, **({"learning_rate": kind.RATE} if kind.learns else {})}
    space = dict(grid) | {name: hyper.choices for name, hyper in own.items() if mark_of(model) and hyper.choices}
    fitting = {name: [value for value in space[name] if own[name].takes(value)] for name in space if name in own}
    grid = {name: values for name, values in fitting.items() if values}
    usual = {name: own[name].default_for(p) for name in grid}
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


class StoreTrial:
    """A trial that trains in worker processes and keeps every run in a store; :meth:`cancel` ends the search."""

    def __init__(self, plan: Plan, store: Store, workers: int, progress: Callable[[int, int, int], None]) -> None:
        self._plan = replace(plan, seeds=1, hyper={}, options={**plan.options, "patience": 10}, own={})
        self._store, self._workers, self._progress = store, workers, progress
        self._cancelled, self._round = threading.Event(), 0

    def cancel(self) -> None:
        """Ends the search within half a second; the rounds that ended count."""
        self._cancelled.set()

    def __call__(self, settings: Mapping[str, Settings], deadline: float) -> dict[str, float] | None:
        self._round += 1
        race = Race(replace(self._plan, models=tuple(settings), own=settings), self._store, self._workers)
        if not all(lane.state == "finished" for lane in race.snapshot().progress):
            race.start()
        while not race.wait(0.3):
            self._progress(self._round, sum(p.done for p in race.snapshot().progress), len(settings))
            if self._cancelled.is_set() or time.monotonic() >= deadline:
                race.cancel()
        runs = race.results()
        if self._cancelled.is_set() or len(runs) < len(settings):
            return None
        return {run.model: on_validation(run) for run in runs}
