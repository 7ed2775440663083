"""The race: trains the runs of a plan in the background, keeps what is finished, can be cancelled and continued.

No widgets here: a view asks for :meth:`Race.snapshot` when it likes.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import Any

from ..common.errors import ParameterError, whole_number
from .plan import Plan
from .records import Run
from .snapshot import ENDED, Lane, Snapshot, lanes_of, snapshot
from .storage.store import Store, claimant
from .workers import dismiss, hire

_PATIENCE = 0.35  # seconds until a cancelled race says so, whether or not its workers have ended
_GRACE = 3.0  # seconds that a worker has to end by itself and write its checkpoint, before it is ended
_LOOK = 1.0  # seconds between two looks at runs that are being trained elsewhere
_SIGN = 20.0  # seconds after which a race says that it is alive


class Race:
    """Runs a plan in ``workers`` processes at a time, and keeps the runs in a store as they end.

    On a GPU the first run shows how much of its memory one takes; then as many are trained at once as fit, at most
    ``workers``. One that finds too little halves their number and is tried again.

    Runs that the store has already, with the same key, are not trained again; those that another process, board or
    notebook trains at the moment are waited for.

    Examples
    --------
    >>> import tempfile, degnn_explore as de
    >>> plan = Plan(de.load("karate"), "links", ["GCN"], seeds=1, epochs=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     race = Race(plan, Store(folder))
    ...     race.start()
    ...     done = race.wait()
    ...     len(race.results()), race.snapshot().state
    (1, 'finished')
    """

    def __init__(self, plan: Plan, store: Store, workers: int = 1) -> None:
        self.plan, self.store = plan, store
        self.workers = whole_number("workers", workers, least=1)
        plan.check()
        self._most, self._placed = self.workers, ""  # runs at once for now, and where the latest said it is trained
        self._measured = True  # whether it is known how many there may be
        self._again: list[str] = []  # runs that found too little memory beside others
        self._owner = claimant()
        self._lock = threading.RLock()
        self._cancel, self._news = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None
        self._idle = threading.Event()
        self._idle.set()
        self._version = 0
        self._state = "ready"
        self._lanes = lanes_of(plan, store.runs(task=plan.task, digest=plan.digest))
        if all(lane.state == "finished" for lane in self._lanes.values()):
            self._state = "finished"

    @property
    def running(self) -> bool:
        """Whether something is being trained."""
        return self._state == "running"

    def start(self) -> None:
        """Train what is not finished, in the background; this also continues after :meth:`cancel`.

        Failed runs are tried again.
        """
        from ..learn.devices import choose_device

        if self.running:
            raise ParameterError("This race is running already; cancel it first, or wait.")
        self.store.needs_place()
        if self._thread is not None:
            self._thread.join()  # a cancelled worker may still be writing its checkpoint
        with self._lock:
            for key, lane in self._lanes.items():
                if lane.state != "finished":
                    lane.state, lane.error, lane.heard = "waiting", "", []
                else:  # its process may have died after its record was written
                    self.store.checkpoint(key).unlink(missing_ok=True)
            self._cancel, self._news = threading.Event(), threading.Event()
            self._measured = choose_device(self.plan.device) == "cpu"
            self._most = self.workers if self._measured else 1
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
            return snapshot(self.plan, self._lanes, self._state, self._most, self._version, self._placed)

    @property
    def version(self) -> int:
        """Grows with every change, so that a view need not ask for more."""
        return self._version

    # ---- the work, in a thread of its own -----------------------------------------------------

    def _supervise(self, cancel: threading.Event, news: threading.Event) -> None:
        """Sleeps until a worker, or cancel, sets ``news``, and looks now and then at what others train."""
        pending = deque(key for key, lane in self._lanes.items() if lane.state == "waiting")
        team: list[_Seat] = []
        signed = time.monotonic()
        try:
            while True:
                news.clear()  # before looking: what comes while we look is looked at next time
                if cancel.is_set():
                    break
                for seat in team:
                    self._listen(seat)
                team = [seat for seat in team if seat.worker is not None]
                self._make_room(team, pending)
                self._fill(team, pending, news)
                if not pending and not any(seat.key for seat in team):
                    break
                if time.monotonic() - signed > _SIGN:
                    self.store.alive(self._owner)
                    signed = time.monotonic()
                elsewhere = pending and sum(bool(seat.key) for seat in team) < self._most
                news.wait(_LOOK if elsewhere else _SIGN)
            if cancel.is_set():
                self._wind_up(team, news)
        except Exception as error:  # a full disk, say: shown at every run that it stopped; they can be continued
            words = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
            with self._lock:
                for lane in self._lanes.values():
                    if lane.state not in ENDED:
                        lane.state, lane.error = "waiting", words
        finally:
            for seat in team:
                if seat.worker is not None:
                    dismiss(seat.worker, idle=not seat.key)
            with contextlib.suppress(ParameterError):  # on a full disk the claims end by themselves
                self.store.release(self._owner)
            self._rest()

    def _make_room(self, team: list[_Seat], pending: deque[str]) -> None:
        """Runs that found too little memory are tried again, with half as many beside them."""
        if self._again:
            busy = sum(bool(seat.key) for seat in team) + len(self._again)
            self._most = max(1, busy // 2)
            pending.extendleft(self._again)
            self._again = []

    def _fill(self, team: list[_Seat], pending: deque[str], news: threading.Event) -> None:
        """Gives work to who has none, and hires while there is work and room; takes over what others have finished."""
        while pending and sum(bool(seat.key) for seat in team) < self._most:
            key = self.store.claim(pending, self._owner)
            if key is None:
                for run in self.store.runs(task=self.plan.task, digest=self.plan.digest, status="finished"):
                    if run.key in pending:
                        pending.remove(run.key)
                        with self._lock:
                            self._version += 1
                            self._lanes[run.key] = Lane(self._lanes[run.key].job, "finished", run.epochs, run=run)
                return
            pending.remove(key)
            seat = next((seat for seat in team if not seat.key), None)
            if seat is None:
                seat = _Seat(hire(self.plan, self.store.models, news))
                team.append(seat)
            seat.key = key
            with self._lock:
                self._lanes[key].state = "preparing"  # a sign of life, before the worker has said a word
                self._version += 1
            seat.worker.give(self._lanes[key].job)

    def _rest(self) -> None:
        """From now on nothing is trained."""
        with self._lock:
            self._state = "cancelled" if any(x.state not in ENDED for x in self._lanes.values()) else "finished"
            self._version += 1
            self._idle.set()

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
                    lane.doing = rest[0] if rest else ""
                    lane.state = "running" if lane.heard else "preparing"
                elif kind == "epochs":
                    lane.state = "running"
                    lane.heard = lane.heard + rest[0]
                    lane.epochs = max(lane.epochs, lane.heard, key=len)
                elif kind == "placed":
                    self._placed, more = rest
                    if not self._measured:
                        self._measured, self._most = True, min(self.workers, self.workers if more is None else 1 + more)
                elif kind == "stopped":
                    lane.state, seat.key = "waiting", ""
                elif kind == "short" and self._most > 1:
                    lane.state, lane.heard = "waiting", []
                    self._again.append(seat.key)
                    seat.key = ""
                else:
                    self._end(lane, Run.from_json(rest[0]))
                    seat.key = ""

    def _end(self, lane: Lane, run: Run) -> None:
        self.store.put(run)  # first: until it is written down, the checkpoint is all there is of the run
        if run.status == "finished":
            self.store.checkpoint(run.key).unlink(missing_ok=True)
        lane.state, lane.error, lane.run = run.status, run.error, run
        if run.epochs:
            lane.epochs = run.epochs


@dataclass
class _Seat:
    """A worker and the key of its run, "" while it has none."""

    worker: Any
    key: str = ""
