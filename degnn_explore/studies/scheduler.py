"""The scheduler: claims runs in the store, submits them to an executor, and stores the results.

Boards, studies and searches use this one loop; they differ only in their list of runs. All state is in the store: a
process that is killed loses nothing finished, and the next one, or another at the same time, trains what is left.
"""

from __future__ import annotations

import contextlib
import hashlib
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
from ..learn.registry import mark_of
from .executors import (
    DaskExecutor,
    LocalExecutor,
    OtherVersions,
    StopFile,
    bundle_of,
    executor_for,
    train_here,
    train_there,
    versions_here,
    without_graph,
)
from .runs import Run, RunSpec, run_one
from .store import CLAIM, Store, new_owner

_DEATHS = {True: 2, False: 5}  # a run fails when so many of its workers died after, or before, it began
_TICK = 0.1  # seconds between checks of progress files and the stop event
_ELSEWHERE = 1.0  # seconds between checks of runs that another process trains
_GRACE = 5.0  # seconds that stopped runs have to write their checkpoints before their processes are killed
_DIED = (
    "The worker process ended unexpectedly, twice. If there was too little memory, train fewer models at once; if the "
    "model is your own, try it in the notebook with de.fit."
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
    began_at: int  # size of its progress file when it was submitted
    offset: int = 0  # bytes of its progress file that were read
    state: str = "preparing"


class Scheduler:
    """Runs specs on ``workers``: a number of processes, or a Dask cluster, see :func:`executor_for`.

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
        self.store.prepare()
        executor = executor_for(self.workers)
        session = _Session(self.store, executor, on_update or (lambda update: None), self._retry)
        try:
            session.scratch.mkdir(parents=True, exist_ok=True)
            waiting = list(todo())
            while not (stop is not None and stop.is_set()):
                self.places = executor.places if executor.live else executor.places // 2
                ended = session.collect()
                session.submit_claimed()  # before writing results: no worker waits for the disk
                ended |= session.keep()
                if ended or session.looked_elsewhere:
                    waiting = list(todo())
                if not session.fill(waiting):
                    break
                session.wait()
        finally:
            session.end()


class _Session:
    """One call of :meth:`Scheduler.run`."""

    def __init__(
        self,
        store: Store,
        executor: LocalExecutor | DaskExecutor,
        on_update: Callable[[Update], object],
        retry_failed: bool,
    ) -> None:
        self.store, self.executor, self.on_update, self._retry = store, executor, on_update, retry_failed
        self.owner = new_owner()
        self.scratch = store.scratch_of(self.owner)
        self.looked_elsewhere = False
        self._running: dict[str, _Running] = {}
        self._claimed: list[RunSpec] = []
        self._unsaved: list[tuple[RunSpec, Run]] = []
        self._bundles: dict[tuple[str, int, str], tuple[str, Any]] = {}
        self._deaths: Counter[tuple[str, bool]] = Counter()
        self._news, self._over = threading.Event(), threading.Event()
        self._next_look = 0.0
        self._retried: set[str] = set()
        threading.Thread(target=self._renew, daemon=True, name="renews claims").start()

    def _renew(self) -> None:
        while not self._over.wait(CLAIM / 3):
            with contextlib.suppress(ParameterError):  # a full disk is reported by the loop
                self.store.renew(self.owner)

    # ---- submitting ---------------------------------------------------------------------------

    def fill(self, waiting: Sequence[RunSpec]) -> bool:
        """Claim and submit runs while workers are free; return whether anything is left, here or elsewhere."""
        self.looked_elsewhere = False
        claimed = {spec.key for spec in self._claimed}
        left = {spec.key: spec for spec in waiting if spec.key not in self._running and spec.key not in claimed}
        left = {key: spec for key, spec in left.items() if key not in self._retried}
        room = self.executor.places - len(self._running) - len(self._claimed)
        ahead = min(self.executor.places, 2)  # claimed in advance, so that a free worker gets a run at once
        if left and room + ahead > 0 and time.monotonic() >= self._next_look:
            keys, ended = self.store.claim(left, self.owner, room + ahead, retry_failed=self._retry)
            self._claimed += [left[key] for key in keys]
            for key in ended:  # by another process
                if (run := self.store.get(key)) is not None:
                    self.on_update(Update(left[key], run.status, run.epochs, run=run))
                    self.looked_elsewhere = True
            if not keys:  # others train what is left
                self._next_look = time.monotonic() + _ELSEWHERE
                self.looked_elsewhere = True
        self.submit_claimed()
        return bool(left or self._running or self._claimed)

    def submit_claimed(self) -> None:
        """Submit claimed runs to free workers."""
        while self._claimed and len(self._running) < self.executor.places:
            spec = self._claimed.pop(0)
            self._continue_from(spec)
            began_at = self._progress_size(spec)
            future = self._submit(spec)
            self._running[spec.key] = _Running(spec, future, began_at)
            self.on_update(Update(spec, "preparing"))
            future.add_done_callback(lambda _: self._news.set())

    def _progress_size(self, spec: RunSpec) -> int:
        file = self.scratch / f"{spec.key}.progress"
        return file.stat().st_size if file.exists() else 0

    def _continue_from(self, spec: RunSpec) -> None:
        """A trial continues from the checkpoint of the rung below; without it, it starts over."""
        if spec.resume_from and not (place := self.store.checkpoint(spec.key)).exists():
            with contextlib.suppress(OSError):
                os.replace(self.store.checkpoint(spec.resume_from), place)

    def _submit(self, spec: RunSpec) -> Future[Any]:
        light = without_graph(spec)
        try:
            name, bundle = self._shared(spec)
        except ParameterError as error:  # a model that cannot be pickled
            if not self.executor.live:
                raise ParameterError(
                    f"{error} So it cannot be trained on a cluster; workers=1 trains it here."
                ) from None
            return self._in_thread(spec, str(error))
        if isinstance(self.executor, LocalExecutor):
            return self.executor.submit(train_here, light, bundle, name, str(self.store.models), str(self.scratch))
        checkpoint = self.store.checkpoint(spec.key)
        content_so_far = checkpoint.read_bytes() if checkpoint.exists() else b""
        return self.executor.submit(train_there, light, bundle, name, content_so_far, versions_here())

    def _shared(self, spec: RunSpec) -> tuple[str, Any]:
        """Name and location of a spec's bundle, which is sent once."""
        about = (spec.digest, id(spec.graph), mark_of(spec.model))
        if about not in self._bundles:
            content = bundle_of(spec)
            name = hashlib.sha256(content).hexdigest()[:20]
            self._bundles[about] = name, self.executor.share(name, content, self.scratch)
        return self._bundles[about]

    def _in_thread(self, spec: RunSpec, why: str) -> Future[Any]:
        """Train a model that cannot be pickled in a thread of this process."""
        future: Future[Any] = Future()
        file = self.scratch / f"{spec.key}.progress"

        def tell(message: dict[str, Any]) -> None:
            if "placed" in message:
                message = {"placed": f"{message['placed']}; in this notebook's own process: {why}"}
            with file.open("a", encoding="utf-8") as progress:
                progress.write(json.dumps(message) + "\n")

        def work() -> None:
            future.set_result(run_one(spec, self.store.models, tell, StopFile(self.scratch / f"{spec.key}.stop")))

        threading.Thread(target=work, daemon=True, name=f"train {spec.model}").start()
        return future

    # ---- collecting ---------------------------------------------------------------------------

    def wait(self) -> None:
        """Wait until a run has ended, or for a tick."""
        self._news.wait(_TICK)
        self._news.clear()

    def collect(self) -> bool:
        """Report the progress of running runs and collect those that ended; return whether one has."""
        for running in self._running.values():
            self._follow(running)
        done = [running for running in self._running.values() if running.future.done()]
        for running in done:
            self._follow(running)  # its last epochs
            del self._running[running.spec.key]
            if (run := self._outcome(running)) is not None:
                self._unsaved.append((running.spec, run))
            else:
                self._claimed.insert(0, running.spec)  # still claimed: train it again before anything else
                self.on_update(Update(running.spec, "waiting"))
        return bool(done)

    def _outcome(self, running: _Running) -> Run | None:
        """The run that has ended; None if it is to be trained again."""
        spec, future = running.spec, running.future
        try:
            result = future.result()
        except CancelledError:
            if isinstance(self.executor, DaskExecutor):
                self._bundles.clear()  # the Dask scheduler restarted and lost them
                self.executor.forget_shared()
            return None
        except BrokenExecutor:
            began = running.offset > running.began_at
            self._deaths[spec.key, began] += 1
            if self._deaths[spec.key, began] < _DEATHS[began]:
                return None
            return replace(spec.record(), status="failed", error=_DIED)
        except OtherVersions as error:
            if isinstance(self.executor, DaskExecutor):
                self.executor.leave_out(error.args[0], f"The worker {error.args[0]} has {error.args[1]}.")
            return None
        except Exception as error:
            if type(error).__name__ == "KilledWorker":
                words = f"Every worker that began with it died: {error}"
            elif isinstance(error, ImportError):
                raise ParameterError(f"A worker of the cluster cannot import what is needed: {error}.") from None
            else:
                words = f"{type(error).__name__}: {error}"
            return replace(spec.record(), status="failed", error=words)
        run, files = (result, {}) if isinstance(result, Run) else result
        for name, content in files.items():
            self.store.models.mkdir(parents=True, exist_ok=True)
            (self.store.models / name).write_bytes(content)
        if run.status == "cancelled":
            return None
        return run if run.graph else replace(spec.record(), status=run.status, error=run.error)

    def keep(self) -> bool:
        """Store runs that ended, report them, and remove their files; return whether there were any."""
        if not self._unsaved:
            return False
        self.store.put(*(run for _, run in self._unsaved))  # before its checkpoint is removed
        stored, self._unsaved = self._unsaved, []
        for spec, run in stored:
            if not run.rung or run.status == "failed":
                self.store.checkpoint(run.key).unlink(missing_ok=True)
            for ending in ("progress", "stop"):
                (self.scratch / f"{run.key}.{ending}").unlink(missing_ok=True)
            if run.status == "failed" and self._retry:
                self._retried.add(run.key)  # once per call
            self.on_update(Update(spec, run.status, () if self.executor.live else run.epochs, run=run))
        return True

    def _follow(self, running: _Running) -> None:
        """Report what a run has appended to its progress file."""
        if not self.executor.live:
            return
        try:
            with open(self.scratch / f"{running.spec.key}.progress", "rb") as file:
                file.seek(running.offset)
                text = file.read()
        except OSError:
            return
        whole = text[: text.rfind(b"\n") + 1]
        running.offset += len(whole)
        for line in whole.splitlines():
            message = json.loads(line)
            if "epochs" in message:
                running.state = "running"
            self.on_update(
                Update(
                    running.spec, running.state, message.get("epochs", ()), message.get("doing", ""),
                    message.get("placed", ""), message.get("cpu_seconds", 0.0)))  # fmt: skip

    # ---- the end ------------------------------------------------------------------------------

    def end(self) -> None:
        """Stop running runs and keep those that ended; nothing is claimed or running afterwards."""
        self._claimed.clear()
        try:
            for key, running in self._running.items():
                with contextlib.suppress(OSError):
                    (self.scratch / f"{key}.stop").touch()
                if not self.executor.live:
                    running.future.cancel()
            until = time.monotonic() + _GRACE
            while self._running and time.monotonic() < until:
                self.collect()
                with contextlib.suppress(ParameterError):
                    self.keep()
                if self._running:
                    self.wait()
            for running in self._running.values():
                self.executor.kill(running.future)
                self.on_update(Update(running.spec, "waiting"))
        finally:
            self._over.set()
            self.executor.shutdown()
            with contextlib.suppress(ParameterError):
                self.keep()
            with contextlib.suppress(ParameterError):  # on a full disk the claims end by themselves
                self.store.release(self.owner)
            self.store.tidy(self.owner)
