"""A race: several models and seeds on one task, trained in the background. No widgets here."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ..common.errors import ParameterError, check_choice, check_int
from ..graphs.graph import Graph
from ..learn.registry import MODELS, is_heuristic
from ..learn.tasks import Task
from .runs import Run, RunSpec
from .scheduler import Scheduler, Update
from .store import Store

MOST_SEEDS = 20
_PATIENCE = 0.4  # seconds after which a cancelled race is shown as cancelled, even if its runs have not ended
ENDED = ("finished", "failed")


@dataclass(frozen=True)
class RaceSetup:
    """What to race: models and seeds on one task.

    Examples
    --------
    >>> import degnn_explore as de
    >>> setup = RaceSetup(de.load("karate"), "links", ["GCN", "DE-GNN-SPD"], seeds=2, settings={"max_dist": 4})
    >>> [(spec.model, spec.seed, dict(spec.settings)) for spec in setup.specs()][:3]
    [('GCN', 0, {}), ('DE-GNN-SPD', 0, {'max_dist': 4}), ('GCN', 1, {})]
    """

    graph: Graph
    task: str | Task
    models: Sequence[str]
    seeds: int = 3
    epochs: int = 40
    device: str = "auto"
    settings: Mapping[str, Any] = field(default_factory=dict)  # hyperparameters, for every model that has them
    options: Mapping[str, Any] = field(default_factory=dict)  # further arguments of fit

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", tuple(dict.fromkeys(self.models)))

    def spec(self, model: str, seed: int = 0) -> RunSpec:
        """The run of a model with a seed."""
        entry = MODELS[check_choice("model", model, MODELS)]
        names = [name for name in self.settings if name in entry.load().HYPER and name not in entry.own]
        settings = {name: self.settings[name] for name in names}
        return RunSpec(self.graph, self.task, model, seed, self.epochs, settings, self.options, device=self.device)

    def specs(self) -> list[RunSpec]:
        """All runs, seed by seed, so that every model gets a first result early."""
        return [self.spec(model, seed) for seed in range(self.seeds) for model in self.models]

    @cached_property
    def question(self) -> RunSpec:
        """A run that stands for the question: graph, task and metric."""
        return self.spec(self.models[0] if self.models else "GCN")

    @property
    def kind(self) -> str:
        """ "roles", "links", "triangles" or "sets"."""
        return self.question.kind

    @property
    def digest(self) -> str:
        """Identifies the question, see :attr:`RunSpec.digest`."""
        return self.question.digest

    @property
    def title(self) -> str:
        """The graph's name."""
        return self.question.title

    def check(self) -> None:
        """Raise an error for anything that would fail before the first epoch."""
        if check_int("seeds", self.seeds, least=1) > MOST_SEEDS:
            raise ParameterError(f"seeds must be at most {MOST_SEEDS}, not {self.seeds}.")
        if not self.models:
            raise ParameterError("No model is chosen; choose at least one, say GCN and DE-GNN-SPD.")
        for model in self.models:
            self.spec(model).check()
        known = sorted({name for model in self.models for name in self.spec(model).full_settings[0]})
        for name in self.settings:
            check_choice("hyperparameter", name, known)


# ---- progress -------------------------------------------------------------------------------------


@dataclass
class RunState:
    """The progress of one run: "waiting", "preparing", "running", "finished" or "failed"."""

    spec: RunSpec
    state: str = "waiting"
    epochs: list[dict[str, Any]] = field(default_factory=list)
    error: str = ""
    run: Run | None = None
    doing: str = ""  # while it prepares


@dataclass(frozen=True)
class ModelProgress:
    """The progress of one model."""

    model: str
    state: str  # "waiting", "preparing", "running", "finished", "failed" or "cancelled"
    done: int  # seeds finished or failed
    of: int
    share: float  # of all its epochs
    left: float | None  # seconds until its last seed is finished; None: unknown
    error: str = ""
    doing: str = ""


@dataclass(frozen=True)
class Snapshot:
    """The race at one moment."""

    state: str  # "ready", "running", "cancelled" or "finished"
    progress: tuple[ModelProgress, ...]
    left: float | None  # seconds until all is finished
    runs: tuple[Run, ...]  # finished, or with their epochs so far (status "running")
    where: str = ""  # where the latest run is trained and its data are


def states_of(setup: RaceSetup, runs: Iterable[Run]) -> dict[str, RunState]:
    """The state of each run of a race, by key, given the runs in the store."""
    states = {spec.key: RunState(spec) for spec in setup.specs()}
    for run in runs:
        if run.key in states and run.status == "finished":
            states[run.key] = RunState(states[run.key].spec, "finished", run.epochs, run=run)
    return states


def snapshot_of(
    setup: RaceSetup, states: Mapping[str, RunState], state: str, workers: int = 1, where: str = ""
) -> Snapshot:
    """A snapshot of these states."""
    left = _seconds_left(list(states.values()), setup.epochs, workers) if state == "running" else {}
    by_model = {model: [one for one in states.values() if one.spec.model == model] for model in setup.models}
    progress = tuple(_progress(model, own, setup.epochs, state, left) for model, own in by_model.items())
    runs = tuple(
        one.run
        if one.run is not None and one.state == "finished"
        else replace(one.spec.record(), status="running", epochs=list(one.epochs))
        for one in states.values()
        if one.epochs
    )
    if where and workers > 1:
        where += f"; up to {workers} runs at once"
    return Snapshot(state, progress, max(left.values(), default=None), runs, where)


def _progress(model: str, runs: Sequence[RunState], epochs: int, race: str, left: Mapping[str, float]) -> ModelProgress:
    states = [one.state for one in runs]
    done = sum(state in ENDED for state in states)
    trained = sum(epochs if one.state in ENDED else len(one.epochs) for one in runs)
    if done == len(runs):
        state = "failed" if "failed" in states else "finished"
    elif race == "running":
        state = next((s for s in ("running", "preparing") if s in states), "waiting")
    else:
        state = "cancelled" if race == "cancelled" else "waiting"
    known = any(one.epochs for one in runs)  # else there is only an estimate from other models
    seconds = 0.0 if done == len(runs) else left.get(model) if known else None
    error = next((one.error for one in runs if one.error), "")
    doing = next((one.doing for one in runs if one.state == "preparing" and one.doing), "")
    return ModelProgress(model, state, done, len(runs), trained / (epochs * len(runs)), seconds, error, doing)


def _seconds_left(runs: Sequence[RunState], epochs: int, workers: int) -> dict[str, float]:
    """Seconds until the last run of each model ends, estimated from its latest epochs; {} if there are none.

    The work is spread over the workers, but a single run is not.
    """
    times: dict[str, list[float]] = {}
    for one in runs:
        times.setdefault(one.spec.model, []).extend(epoch["seconds"] for epoch in one.epochs[-10:])
    pace = {model: sum(seconds) / len(seconds) for model, seconds in times.items() if seconds}
    if not pace:
        return {}
    usual, work, longest, left = sum(pace.values()) / len(pace), 0.0, 0.0, {}
    for one in runs:
        if one.state not in ENDED:
            ahead = 1 if is_heuristic(one.spec.model) else epochs - len(one.epochs)
            rest = pace.get(one.spec.model, usual) * ahead
            work, longest = work + rest, max(longest, rest)
            left[one.spec.model] = max(work / workers, longest)
    return left


# ---- the race -------------------------------------------------------------------------------------


class Race:
    """Trains the runs of a setup in the background, ``workers`` at a time, and stores each as it ends.

    Runs that are in the store are not trained again; a race waits for those that another process is training.

    Examples
    --------
    >>> import tempfile, degnn_explore as de
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     race = Race(RaceSetup(de.load("karate"), "links", ["GCN"], seeds=1, epochs=2), Store(folder))
    ...     race.start()
    ...     done = race.wait()
    ...     len(race.results()), race.snapshot().state
    (1, 'finished')
    """

    def __init__(self, setup: RaceSetup, store: Store, workers: int = 1) -> None:
        self.setup, self.store = setup, store
        self.workers = check_int("workers", workers, least=1)
        setup.check()
        self.version = 0  # increases with every change: time for another snapshot
        self._state, self._where = "ready", ""
        self._lock, self._idle, self._stop = threading.RLock(), threading.Event(), threading.Event()
        self._idle.set()
        self._thread: threading.Thread | None = None
        self._states = states_of(setup, store.runs(task=setup.kind, digest=setup.digest))
        if all(one.state == "finished" for one in self._states.values()):
            self._state = "finished"

    @property
    def running(self) -> bool:
        """Whether something is being trained."""
        return self._state == "running"

    def start(self) -> None:
        """Train all runs that are not finished; continues after :meth:`cancel`, and trains failed runs again."""
        if self.running:
            raise ParameterError("This race is running already; cancel it first, or wait.")
        if self._thread is not None:
            self._thread.join()  # a cancelled run may still be writing its checkpoint
        self.store.prepare()
        with self._lock:
            for one in self._states.values():
                if one.state != "finished":
                    one.state, one.error = "waiting", ""
            self._stop, self._state = threading.Event(), "running"
            self._idle.clear()
            self.version += 1
            self._thread = threading.Thread(target=self._run, args=(self._stop,), daemon=True, name="race")
            self._thread.start()

    def cancel(self, wait: bool = True) -> None:
        """Stop within half a second. Finished runs are kept; :meth:`start` continues the others."""
        self._stop.set()
        if wait and self._thread is not None and self.running:
            self._thread.join(_PATIENCE)
            self._mark_ended()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until training has ended; return whether it has."""
        return self._idle.wait(seconds)

    def results(self) -> list[Run]:
        """The finished runs."""
        with self._lock:
            return [one.run for one in self._states.values() if one.run is not None and one.state == "finished"]

    def snapshot(self) -> Snapshot:
        """The current state of the race."""
        with self._lock:
            return snapshot_of(self.setup, self._states, self._state, self.workers, self._where)

    def _run(self, stop: threading.Event) -> None:
        """In a thread."""

        def todo() -> list[RunSpec]:
            with self._lock:
                return [one.spec for one in self._states.values() if one.state not in ENDED]

        try:
            Scheduler(self.store, self.workers, retry_failed=True).run(todo, stop, self._update)
        except Exception as error:  # a full disk, say: shown for every run that it stopped
            words = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
            with self._lock:
                for one in self._states.values():
                    if one.state not in ENDED:
                        one.state, one.error = "waiting", words
        finally:
            self._mark_ended()

    def _update(self, update: Update) -> None:
        with self._lock:
            self.version += 1
            one = self._states[update.spec.key]
            one.state, one.doing = update.state, update.doing
            self._where = update.placed or self._where
            # a continued run reports its earlier epochs again: the curve must not jump back
            one.epochs = one.epochs + [epoch for epoch in update.epochs if epoch["number"] > len(one.epochs)]
            if update.run is not None:
                one.run, one.error = update.run, update.run.error
                one.epochs = update.run.epochs or one.epochs

    def _mark_ended(self) -> None:
        """Mark the race as ended."""
        with self._lock:
            if self._state == "running":
                ended = all(one.state in ENDED for one in self._states.values())
                self._state = "finished" if ended else "cancelled"
            self.version += 1
            self._idle.set()
