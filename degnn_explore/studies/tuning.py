"""Settings chosen on validation: a small search, equal for every model, within a time that is given."""

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
    """What was tried: for each model its settings and what they reach on validation, the defaults ({}) first.

    Every model was given as many settings, ``rounds``; one that has fewer tried all that it has.
    """

    tried: dict[str, list[tuple[Settings, float]]] = field(default_factory=dict)
    rounds: int = 0

    @property
    def best(self) -> dict[str, Settings]:
        """The settings of each model that are best on validation; of equals the first, so the defaults if they are."""
        return {model: max(values, key=lambda value: value[1])[0] for model, values in self.tried.items()}

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
    epochs: int = 40,
    seed: int = 0,
    device: str = "auto",
) -> Tuned:
    """Settings of models chosen on the validation sets of a task; the test sets are not looked at.

    Models are tried in rounds: in each, every model trains with its next settings, first with the defaults, then with
    some drawn from a small grid. Only rounds that end within the time count (the first always does), so that every
    model is given as many settings.

    Parameters
    ----------
    task
        From :func:`degnn_explore.link_task`, say.
    models
        Names from :func:`degnn_explore.models`; by default all that take the task's sets.
    minutes
        Time for the search.
    epochs, device
        As in :func:`degnn_explore.fit`; each run also stops early, after 10 epochs without gain.
    seed
        Draws the settings, the weights and the order of the sets.

    Examples
    --------
    >>> import degnn_explore as de
    >>> tuned = de.tune(de.link_task(de.load("karate")), ["Adamic-Adar", "Katz"], minutes=0.2)
    >>> tuned.rounds, sorted(tuned.best)
    (4, ['Adamic-Adar', 'Katz'])
    """
    from ..learn.nets import build
    from ..learn.training import fit

    if not isinstance(task, Task):
        raise ParameterError(f"tune needs a task, such as de.link_task(G), not {type(task).__name__}.")
    names = [name for name, entry in MODELS.items() if entry.takes(task.p)] if models is None else list(models)
    whole_number("epochs", epochs, least=1)
    whole_number("seed", seed, least=0, most=MOST_SEED)
    for name in names:
        build(one_of("model", name, MODELS), task)  # what cannot be built is said before an hour is spent

    def trial(settings: dict[str, Settings], deadline: float) -> dict[str, float] | None:
        stop = threading.Event()
        timer = threading.Timer(max(0.0, min(deadline - time.monotonic(), 1e6)), stop.set)
        timer.start()
        reached = {}
        try:
            for name, given in settings.items():
                hyper = {key: value for key, value in given.items() if key != "learning_rate"}
                model = build(name, task, seed=seed, **hyper)
                how: dict[str, Any] = {"learning_rate": given.get("learning_rate"), "patience": 10, "stop": stop}
                run = list(fit(model, task, epochs, seed=seed, device=device, **how))
                if stop.is_set():
                    return None
                reached[name] = max(epoch.val[task.metric] for epoch in run)
        finally:
            timer.cancel()
        return reached

    return search(names, task.p, minutes, trial, seed)


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
