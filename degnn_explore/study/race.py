"""The race: trains the runs of a plan in the background, keeps what is finished, can be cancelled and continued.

No widgets here: a view asks for :meth:`Race.snapshot` when it likes.
"""

from __future__ import annotations

import heapq
import os
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..common.errors import ParameterError, whole_number
from .plan import Job, Plan
from .records import Run, append, models_folder, read
from .workers import ProcessWorker, ThreadWorker

__all__ = ["Lane", "Progress", "Race", "Snapshot"]

_PATIENCE = 0.35  # seconds until a cancelled race says so, whether or not its workers have ended
_GRACE = 3.0  # seconds that a worker has to end by itself and write its checkpoint, before it is ended
ENDED = ("finished", "failed")


@dataclass
class Lane:
    """Where one run is: "waiting", "preparing", "running", "finished" or "failed"."""

    job: Job
    state: str = "waiting"
    epochs: list[dict[str, Any]] = field(default_factory=list)
    error: str = ""
    run: Run | None = None
    heard: list[dict[str, Any]] = field(default_factory=list)
    """The epochs told since the last start; a continued run tells its earlier ones again."""
    begun: float | None = None
    """When its worker took it up, by the monotonic clock."""
    preparation: float | None = None
    """Seconds from then to its first epoch."""


@dataclass(frozen=True)
class Progress:
    """How far a model is.

    Attributes
    ----------
    model, state
        ``state`` is "waiting", "preparing", "running", "finished", "failed" or "cancelled".
    done, of
        Seeds finished (or failed), of so many.
    share
        Of all its epochs, from 0 to 1.
    left
        Seconds until its last seed is finished, what is trained before it and the preparation of its data included;
        less if a run stops early. None if not known yet, or if nothing is being trained.
    error
        What went wrong, in words.
    """

    model: str
    state: str
    done: int
    of: int
    share: float
    left: float | None
    error: str = ""


@dataclass(frozen=True)
class Snapshot:
    """The race at one moment.

    Attributes
    ----------
    state
        "ready", "running", "cancelled" or "finished".
    progress
        One entry per model.
    left
        Seconds until all is finished, in the same sense.
    runs
        Finished runs, and those under way as far as they are (status "running").
    version
        Grows with every change.
    """

    state: str
    progress: tuple[Progress, ...]
    left: float | None
    runs: tuple[Run, ...]
    version: int


class Race:
    """Runs a plan, in a thread or in ``workers`` processes.

    Parameters
    ----------
    plan
        What to train.
    results
        The file that a record is appended to as each run ends; the models go into a folder of the same name beside
        it. Runs that the file has already, with the same key, are not trained again.
    workers
        1: one run after another, in a thread. More: so many runs at a time, each in a process of its own.

    Examples
    --------
    >>> import tempfile, degnn_explore as de
    >>> plan = Plan(de.load("karate"), "links", ["GCN"], seeds=1, epochs=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     race = Race(plan, f"{folder}/karate.jsonl")
    ...     race.start()
    ...     done = race.wait()
    ...     len(race.results()), race.snapshot().state
    (1, 'finished')
    """

    def __init__(self, plan: Plan, results: str | os.PathLike[str], workers: int = 1) -> None:
        self.plan, self.results_file = plan, Path(results)
        self.workers = whole_number("workers", workers, least=1)
        plan.check()
        models_folder(self.results_file)  # refuses a name without ending, before anything is trained
        self._lock = threading.RLock()
        self._cancel, self._news = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None
        self._idle = threading.Event()
        self._idle.set()
        self._version = 0
        self._state = "ready"
        self._lanes = {plan.key(job): Lane(job) for job in plan.jobs()}
        for run in read(self.results_file):
            if run.key in self._lanes and run.status == "finished":
                self._lanes[run.key] = Lane(self._lanes[run.key].job, "finished", run.epochs, run=run)
        if all(lane.state == "finished" for lane in self._lanes.values()):
            self._state = "finished"

    @property
    def models_folder(self) -> Path:
        """Where trained models and checkpoints are."""
        return models_folder(self.results_file)

    @property
    def running(self) -> bool:
        """Whether something is being trained."""
        return self._state == "running"

    def start(self) -> None:
        """Train what is not finished, in the background; this also continues after :meth:`cancel`.

        Failed runs are tried again.
        """
        if self.running:
            raise ParameterError("This race is running already; cancel it first, or wait.")
        if self._thread is not None:
            self._thread.join()  # a cancelled worker may still be writing its checkpoint
        with self._lock:
            for lane in self._lanes.values():
                if lane.state != "finished":
                    lane.state, lane.error, lane.heard, lane.begun = "waiting", "", [], None
            self._cancel, self._news = threading.Event(), threading.Event()
            self._state = "running"
            self._idle.clear()
            self._version += 1
            self._thread = threading.Thread(
                target=self._supervise, args=(self._cancel, self._news), daemon=True, name="race"
            )
            self._thread.start()

    def cancel(self, wait: bool = True) -> None:
        """Stop within half a second; finished runs are kept, the others go on from where they were on :meth:`start`."""
        self._cancel.set()
        self._news.set()
        if wait:
            self.wait()

    def wait(self, seconds: float | None = None) -> bool:
        """Until nothing is trained any more; whether that is so."""
        return self._idle.wait(seconds)

    def results(self) -> list[Run]:
        """The finished runs of this plan."""
        with self._lock:
            return [lane.run for lane in self._lanes.values() if lane.run is not None and lane.state == "finished"]

    def snapshot(self) -> Snapshot:
        """The race as it is now."""
        with self._lock:
            lanes = list(self._lanes.items())
            ends = self._ends(time.monotonic()) if self.running else {}
            progress = tuple(self._progress(model, ends) for model in self.plan.models)
            runs = tuple(self._seen(key, lane) for key, lane in lanes if lane.epochs)
            return Snapshot(self._state, progress, max(ends.values(), default=None), runs, self._version)

    @property
    def version(self) -> int:
        """Grows with every change, so that a view need not ask for more."""
        return self._version

    # ---- what a snapshot says -----------------------------------------------------------------

    def _seen(self, key: str, lane: Lane) -> Run:
        if lane.run is not None and lane.state == "finished":
            return lane.run
        metric = lane.epochs[0]["metric"]
        return Run(
            key,
            self.plan.title,
            self.plan.task,
            lane.job.model,
            lane.job.seed,
            digest=self.plan.digest,
            catalogue=self.plan.name,
            metric=metric,
            status="running",
            epochs=list(lane.epochs),
        )

    def _progress(self, model: str, ends: dict[Job, float]) -> Progress:
        lanes = [lane for lane in self._lanes.values() if lane.job.model == model]
        states = [lane.state for lane in lanes]
        done = sum(state in ENDED for state in states)
        whole = self.plan.epochs * len(lanes)
        behind = sum(self.plan.epochs if lane.state in ENDED else len(lane.epochs) for lane in lanes)
        state = next((s for s in ("running", "preparing") if s in states), "")
        if not state:
            state = ("failed" if "failed" in states else "finished") if done == len(lanes) else "waiting"
        if not self.running and state in ("waiting", "running", "preparing"):
            state = "cancelled" if self._state == "cancelled" else "waiting"
        left = 0.0 if done == len(lanes) else None
        if any(lane.epochs for lane in lanes):  # else there is but a guess by the other models
            left = max((ends[lane.job] for lane in lanes if lane.job in ends), default=left)
        error = next((lane.error for lane in lanes if lane.error), "")
        return Progress(model, state, done, len(lanes), behind / whole, left, error)

    def _ends(self, now: float) -> dict[Job, float]:
        """In how many seconds each unfinished run will end, by what its model needed so far; {} if nothing is known.

        The runs are dealt out as they will be: those under way go on, whoever is free takes the next.
        """
        by_model = {model: [x for x in self._lanes.values() if x.job.model == model] for model in self.plan.models}
        costs = {model: cost for model, lanes in by_model.items() if (cost := _cost(lanes)) is not None}
        if not costs:
            return {}
        guess = tuple(sum(parts) / len(costs) for parts in zip(*costs.values(), strict=True))
        ends: dict[Job, float] = {}
        waiting = []
        for lane in self._lanes.values():
            preparation, pace = costs.get(lane.job.model, guess)
            rest = pace * (self.plan.epochs - len(lane.epochs))
            if lane.state == "running":
                ends[lane.job] = rest
            elif lane.state == "preparing":
                ends[lane.job] = max(0.0, preparation - (now - (lane.begun or now))) + rest
            elif lane.state == "waiting":
                waiting.append((lane.job, preparation + rest))
        free = sorted(ends.values()) + [0.0] * (self.workers - len(ends))
        heapq.heapify(free)
        for job, seconds in waiting:
            ends[job] = free[0] + seconds
            heapq.heapreplace(free, ends[job])
        return ends

    # ---- the work, in a thread of its own -----------------------------------------------------

    def _supervise(self, cancel: threading.Event, news: threading.Event) -> None:
        """Sleeps until a worker, or cancel, sets ``news``."""
        pending = deque(key for key, lane in self._lanes.items() if lane.state == "waiting")
        team: list[_Seat] = []
        try:
            while True:
                news.clear()  # before looking: what comes while we look is looked at next time
                if cancel.is_set():
                    break
                for seat in team:
                    self._listen(seat)
                team = [seat for seat in team if seat.worker is not None]
                while len(team) < min(self.workers, len(pending) + sum(bool(seat.key) for seat in team)):
                    team.append(_Seat(self._hire(news)))
                for seat in team:
                    if not seat.key and pending:
                        seat.key = pending.popleft()
                        seat.worker.give(self._lanes[seat.key].job)
                if not any(seat.key for seat in team):
                    break
                news.wait()
            if cancel.is_set():
                self._wind_up(team, news)
        except Exception as error:  # a full disk, say: shown at every run that it stopped
            with self._lock:
                for lane in self._lanes.values():
                    if lane.state not in ENDED:
                        lane.state, lane.error = "failed", f"{type(error).__name__}: {error}"
        finally:
            for seat in team:
                if seat.worker is not None:
                    seat.worker.close()
            self._rest()

    def _rest(self) -> None:
        """From now on nothing is trained."""
        with self._lock:
            self._state = "cancelled" if any(x.state not in ENDED for x in self._lanes.values()) else "finished"
            self._version += 1
            self._idle.set()

    def _hire(self, news: threading.Event) -> ThreadWorker | ProcessWorker:
        kind = ThreadWorker if self.workers == 1 else ProcessWorker
        return kind(self.plan, self.models_folder, news)

    def _wind_up(self, team: list[_Seat], news: threading.Event) -> None:
        """Stops the workers; whoever waits for the race is not kept waiting by a slow one."""
        for seat in team:
            seat.worker.stop()
        began = time.monotonic()
        for patience in (_PATIENCE, _GRACE):
            while any(seat.key for seat in team) and (left := began + patience - time.monotonic()) > 0:
                news.wait(left)
                news.clear()
                for seat in team:
                    self._listen(seat)
            if any(seat.key for seat in team):
                self._rest()

    def _listen(self, seat: _Seat) -> None:
        if seat.worker is None:
            return
        for kind, *rest in seat.worker.messages():
            with self._lock:
                self._version += 1
                lane = self._lanes.get(seat.key)
                if kind == "died":
                    if lane is not None:
                        lane.state, lane.error = "failed", rest[0]
                    seat.worker.close()
                    seat.worker, seat.key = None, ""
                    return
                if lane is None:
                    continue
                if kind == "prepare":
                    lane.state, lane.begun = "preparing", time.monotonic()
                elif kind == "epochs":
                    if lane.state == "preparing" and lane.begun is not None:
                        took = time.monotonic() - lane.begun - sum(epoch["seconds"] for epoch in rest[0])
                        lane.preparation = max(0.0, took)
                    lane.state = "running"
                    lane.heard = lane.heard + rest[0]
                    lane.epochs = max(lane.epochs, lane.heard, key=len)
                elif kind == "stopped":
                    lane.state, seat.key = "waiting", ""
                else:
                    self._end(lane, Run.from_json(rest[0]))
                    seat.key = ""

    def _end(self, lane: Lane, run: Run) -> None:
        append(self.results_file, run)
        lane.state, lane.error, lane.run = run.status, run.error, run
        if run.epochs:
            lane.epochs = run.epochs


@dataclass
class _Seat:
    """A worker and the key of its run, "" while it has none."""

    worker: Any
    key: str = ""


def _cost(lanes: list[Lane]) -> tuple[float, float] | None:
    """Seconds to prepare a run of a model, and seconds for an epoch by its latest ones; None if it has had none."""
    times = [epoch["seconds"] for lane in lanes for epoch in lane.epochs[-10:]]
    prepared = [lane.preparation for lane in lanes if lane.preparation is not None]
    return (sum(prepared) / max(1, len(prepared)), sum(times) / len(times)) if times else None
