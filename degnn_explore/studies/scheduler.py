"""The scheduler: claims runs in the store, submits them to an executor, and stores the results.

Boards, studies and searches use this one loop; they differ only in their list of runs. All state is in the store: a
process that is killed loses nothing finished, and the next one, or another at the same time, trains what is left.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future
from dataclasses import dataclass, replace
from typing import Any

from ..common.errors import ParameterError
from .executors import DaskExecutor, LocalExecutor, OtherVersions, executor_for
from .runs import Run, RunSpec
from .store import CLAIM, Store, new_owner

_DEATHS = 3  # a run fails after this many worker processes died with it
_TICK = 0.1  # seconds between checks of progress files and the stop event
_ELSEWHERE = 1.0  # seconds between checks of runs that another process trains
_GRACE = 5.0  # seconds that stopped runs have to write their checkpoints before their processes are killed
_DIED = (
    f"The worker process ended unexpectedly, {_DEATHS} times. If there was too little memory, train fewer models at "
    "once; if the model is your own, try it in the notebook with de.fit."
)


@dataclass(frozen=True)
class Update:
    """An update of one run: its state, and what is new."""

    spec: RunSpec
    state: str  # "preparing", "running", "waiting" (stopped, or its worker died), "finished" or "failed"
    epochs: Sequence[dict[str, Any]] = ()  # since the last update
    doing: str = ""  # the current step, while it prepares
    placed: str = ""  # where it is trained
    cpu_seconds: float = 0.0  # so far; 0 on a cluster
    run: Run | None = None  # once it has ended


@dataclass
class _Running:
    spec: RunSpec
    future: Future[Any]
    offset: int = 0  # bytes of its progress file that were read
    state: str = "preparing"


class Scheduler:
    """Runs specs, once, on ``workers``: a number of processes, or a Dask cluster, see :func:`executor_for`.

    Examples
    --------
    >>> import tempfile, degnn_explore as de
    >>> karate = de.load("karate")
    >>> specs = [RunSpec(karate, "links", "Adamic-Adar", seed) for seed in range(3)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(folder)
    ...     Scheduler(store, workers=1).run(lambda: [spec for spec in specs if store.get(spec.key) is None])
    ...     len(store.runs(status="finished"))
    3
    """

    def __init__(self, store: Store, workers: Any = None, *, retry_failed: bool = False) -> None:
        self.store, self.workers, self._retry = store, workers, retry_failed
        self.places = 0  # runs at once, known once it runs
        self._owner = new_owner()
        self._scratch = store.scratch_of(self._owner)
        self._tell: Callable[[Update], object] = lambda update: None
        self._claimed: list[RunSpec] = []  # not submitted yet
        self._running: dict[str, _Running] = {}
        self._unsaved: list[tuple[RunSpec, Run]] = []
        self._deaths: Counter[str] = Counter()
        self._retried: set[str] = set()  # failed runs are trained once more, not again and again
        self._news = threading.Event()
        self._next_claim = 0.0

    def run(
        self,
        todo: Callable[[], Sequence[RunSpec]],
        stop: threading.Event | None = None,
        on_update: Callable[[Update], object] | None = None,
    ) -> None:
        """Train until ``todo()`` is empty or ``stop`` is set.

        ``todo()`` returns the runs that have not ended, most urgent first; it is called again whenever one has ended.
        An error, such as a full disk or Ctrl-C, is raised after running runs were stopped and claims released.
        """
        self._tell = on_update or self._tell
        self.store.prepare()
        self._executor: LocalExecutor | DaskExecutor = executor_for(self.workers)
        over = threading.Event()
        try:
            self._scratch.mkdir(parents=True, exist_ok=True)
            threading.Thread(target=self._renew, args=(over,), daemon=True, name="renews claims").start()
            waiting, elsewhere = list(todo()), False
            while not (stop is not None and stop.is_set()):
                self.places = self._executor.places
                self._collect()
                self._submit()  # before writing results: no worker waits for the disk
                if self._keep() or elsewhere:
                    waiting = list(todo())
                elsewhere = self._claim(waiting)
                self._submit()
                if not (self._left(waiting) or self._claimed or self._running):
                    break
                self._wait()
        finally:
            try:
                self._stop_running()
            finally:
                over.set()
                self._executor.shutdown()
                try:
                    with contextlib.suppress(ParameterError):
                        self._keep()
                finally:
                    with contextlib.suppress(ParameterError):  # on a full disk the claims end by themselves
                        self.store.release(self._owner)
                    self.store.tidy(self._owner)

    def _renew(self, over: threading.Event) -> None:
        while not over.wait(CLAIM / 3):
            with contextlib.suppress(ParameterError):  # a full disk is reported by the loop
                self.store.renew(self._owner)

    # ---- submitting ---------------------------------------------------------------------------

    @property
    def _most(self) -> int:
        """How many runs may be submitted: on a cluster some are queued, so that no worker waits for the client."""
        return self.places if self._executor.live else max(2, 2 * self.places)

    def _left(self, waiting: Sequence[RunSpec]) -> dict[str, RunSpec]:
        """The runs that are neither claimed by this scheduler nor failed again, by key."""
        taken = {spec.key for spec in self._claimed} | self._running.keys() | self._retried
        return {spec.key: spec for spec in waiting if spec.key not in taken}

    def _claim(self, waiting: Sequence[RunSpec]) -> bool:
        """Claim runs for free workers; return whether other processes have ended runs, or train all that is left."""
        left = self._left(waiting)
        ahead = min(self._most, 2)  # claimed in advance, so that a free worker gets a run at once
        room = self._most + ahead - len(self._running) - len(self._claimed)
        if not left or room <= 0 or time.monotonic() < self._next_claim:
            return False
        keys, ended = self.store.claim(left, self._owner, room, retry_failed=self._retry)
        self._claimed += [left[key] for key in keys]
        for key in ended:
            if (run := self.store.get(key)) is not None:
                self._tell(Update(left[key], run.status, run.epochs, run=run))
        if not keys:
            self._next_claim = time.monotonic() + _ELSEWHERE
        return bool(ended) or not keys

    def _submit(self) -> None:
        """Submit claimed runs to free workers."""
        while self._claimed and len(self._running) < self._most:
            spec = self._claimed.pop(0)
            if spec.resume_from and not (checkpoint := self.store.checkpoint(spec.key)).exists():
                with contextlib.suppress(OSError):  # without the checkpoint of the rung below, it starts over
                    os.replace(self.store.checkpoint(spec.resume_from), checkpoint)
            try:
                future = self._executor.train(spec, self.store.models, self._scratch)
            except ParameterError as error:  # a model that cannot be pickled
                self._unsaved.append((spec, replace(spec.record(), status="failed", error=str(error))))
                continue
            self._running[spec.key] = _Running(spec, future)
            self._tell(Update(spec, "preparing"))
            future.add_done_callback(lambda _: self._news.set())

    # ---- collecting ---------------------------------------------------------------------------

    def _wait(self) -> None:
        """Wait until a run has ended, or for a tick."""
        self._news.wait(_TICK)
        self._news.clear()

    def _collect(self) -> None:
        """Report the progress of running runs, and collect those that have ended."""
        for running in list(self._running.values()):
            ended = running.future.done()
            self._follow(running)
            if ended:
                del self._running[running.spec.key]
                if (run := self._outcome(running)) is not None:
                    self._unsaved.append((running.spec, run))
                else:
                    self._claimed.insert(0, running.spec)  # still claimed: train it again before anything else
                    self._tell(Update(running.spec, "waiting"))

    def _outcome(self, running: _Running) -> Run | None:
        """The run that has ended; None if it is to be trained again."""
        spec = running.spec
        try:
            run, files = running.future.result()
        except CancelledError:
            self._executor.forget_shared()  # the Dask scheduler may have restarted and lost them
            return None
        except OtherVersions as error:
            assert isinstance(self._executor, DaskExecutor)
            self._executor.leave_out(*error.args)
            return None
        except BrokenExecutor:
            self._deaths[spec.key] += 1
            if self._deaths[spec.key] < _DEATHS:
                return None
            return replace(spec.record(), status="failed", error=_DIED)
        except ImportError as error:
            raise ParameterError(f"A worker of the cluster cannot import what is needed: {error}.") from None
        except Exception as error:
            words = str(error) if isinstance(error, ParameterError) else f"{type(error).__name__}: {error}"
            if type(error).__name__ == "KilledWorker":
                words = f"Every worker that began with it died: {error}"
            return replace(spec.record(), status="failed", error=words)
        for name, content in files.items():
            (self.store.models / name).write_bytes(content)
        return None if run.status == "cancelled" else run

    def _keep(self) -> bool:
        """Store runs that ended, report them, and remove their files; return whether there were any."""
        if not self._unsaved:
            return False
        self.store.put(*(run for _, run in self._unsaved))  # before its checkpoint is removed
        stored, self._unsaved = self._unsaved, []
        for spec, run in stored:
            if not run.rung or run.status == "failed":
                self.store.checkpoint(run.key).unlink(missing_ok=True)
            for ending in ("progress", "stop"):
                (self._scratch / f"{run.key}.{ending}").unlink(missing_ok=True)
            if run.status == "failed" and self._retry:
                self._retried.add(run.key)
            self._tell(Update(spec, run.status, () if self._executor.live else run.epochs, run=run))
        return True

    def _follow(self, running: _Running) -> None:
        """Report what a run on this machine has appended to its progress file."""
        try:
            with open(self._scratch / f"{running.spec.key}.progress", "rb") as file:
                file.seek(running.offset)
                text = file.read()
        except FileNotFoundError:
            return
        whole = text[: text.rfind(b"\n") + 1]
        running.offset += len(whole)
        for line in whole.splitlines():
            message = json.loads(line)
            if "epochs" in message:
                running.state = "running"
            self._tell(Update(running.spec, running.state, **message))

    def _stop_running(self) -> None:
        """Stop running runs and keep those that have ended; what does not stop in time is killed."""
        self._claimed.clear()
        for key, running in self._running.items():
            with contextlib.suppress(OSError):
                (self._scratch / f"{key}.stop").touch()
            if not self._executor.live:
                running.future.cancel()
        until = time.monotonic() + _GRACE
        while self._running and time.monotonic() < until:
            self._collect()
            with contextlib.suppress(ParameterError):
                self._keep()
            if self._running:
                self._wait()
        for running in self._running.values():
            self._executor.kill(running.future)
            self._tell(Update(running.spec, "waiting"))
