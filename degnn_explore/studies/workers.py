"""Who trains: processes of their own, so that the notebook stays free; one is kept warm for the next race.

A message is a tuple: ("prepare", what is being done in words), ("placed", where it is trained in words, how many more
runs fit there or None), ("epochs", list of dicts), ("finished", line of JSON), ("failed", line of JSON), ("short", line
of JSON) for a run that failed for want of a device's memory, or ("stopped",); the last four end a job.
"""

from __future__ import annotations

import atexit
import contextlib
import datetime
import os
import pickle
import queue
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..common.compiling import told_of_compiling
from ..common.errors import ParameterError
from ..common.parallel import heard_by
from .carrying import pack, unpack
from .plan import Job, Plan
from .records import Run

if TYPE_CHECKING:
    from ..learn.checkpoint import Epoch

Message = tuple[Any, ...]
Send = Callable[[Message], None]
_MESSAGES_A_SECOND = 10  # more epochs than that are sent together
_TOLD_AGAIN = 1e-3  # seconds of the processor: an epoch that took less was read from the checkpoint


def train(plan: Plan, job: Job, folder: Path, send: Send, stop: threading.Event) -> None:
    """One run from start to end; whatever happens, the last message says how it ended.

    The model is saved in ``folder``, a store's models. The run leaves its checkpoint there, and goes on from it the
    next time; whoever has written down how a finished run ended takes the checkpoint away.
    """
    from ..engine.placing import out_of_memory
    from ..learn.devices import choose_device, give_back

    record, short = begun(plan, job), False
    try:
        send(("prepare", ""))
        record = replace(record, device=choose_device(plan.device))
        with heard_by(lambda label, share: send(("prepare", f"{label}, {share:.0%}"))):
            record = _trained(plan, job, folder, record, send, stop)
    except Exception as error:
        short = out_of_memory(error)
        words = str(error) if isinstance(error, ValueError) else "".join(traceback.format_exception(error))
        record = replace(record, status="failed", error=words.strip() or type(error).__name__)
    record = replace(record, when=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"))
    if short:
        give_back()
    ended = ("short" if short else record.status, record.to_json())
    send(("stopped",) if stop.is_set() and record.val is None else ended)


def begun(plan: Plan, job: Job) -> Run:
    """The record of a run before anything is known of it but what was asked."""
    graph, (hyper, options) = plan.graph, plan.settings(job.model)
    return Run(
        plan.key(job), plan.title, plan.task, job.model, job.seed, graph.num_nodes, graph.num_edges,
        plan.digest, plan.name, p=plan.p, metric=plan.metric, hyper=hyper, options=options, rung=job.rung,
        version=__version__, protocol=str(plan.protocol))  # fmt: skip


def _trained(plan: Plan, job: Job, folder: Path, record: Run, send: Send, stop: threading.Event) -> Run:
    from ..learn.devices import runs_beside
    from ..learn.leaks import CHOSEN_ON_TEST
    from ..learn.nets import build
    from ..learn.saving import save
    from ..learn.training import fit, summarise

    began = time.process_time()
    task = plan.make_task(job.seed)
    model = build(job.model, task, seed=job.seed, **plan.hyper_of(job.model))
    sizes = {part: len(getattr(task, part)) for part in ("train", "val", "test")}
    record = replace(record, p=task.p, num_classes=task.num_classes, metric=task.metric, sizes=sizes)
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / f"{record.key}.checkpoint"
    run: list[Epoch] = []
    waiting, said, worked = [], 0.0, began
    how: dict[str, Any] = {"seed": job.seed, "device": plan.device, "checkpoint": kept, "stop": stop, "progress": False}
    for epoch in fit(model, task, plan.epochs, **how, **plan.options_of(job.model)):
        if (at := time.process_time()) - worked < _TOLD_AGAIN:
            began -= epoch.seconds  # trained in an earlier sitting, whose processor time nobody wrote down
        worked = at
        if not run and model.placement is not None:
            record = replace(record, device=model.placement.device)
            send(("placed", f"{job.model} on {model.placement}", runs_beside(model.placement)))
        run.append(epoch)
        waiting.append(asdict(epoch))
        if (now := time.monotonic()) - said >= 1 / _MESSAGES_A_SECOND:
            send(("epochs", waiting))
            waiting, said = [], now
    if waiting:
        send(("epochs", waiting))
    if stop.is_set() or not run:
        return record
    file = save(model, folder / f"{record.key}.safetensors").name if job.keep else ""
    lucky = CHOSEN_ON_TEST in task.leaks and not job.rung
    summary = summarise(run, chosen_on="test" if lucky else "val")
    val = run[summary.epoch - 1].val[summary.metric]
    record = replace(
        record, epochs=[asdict(epoch) for epoch in run], model_file=file, best_epoch=summary.epoch, val=val,
        trained=len(run), seconds=sum(epoch.seconds for epoch in run), cpu_seconds=time.process_time() - began,
        parameters=sum(weight.numel() for weight in model.parameters()))  # fmt: skip
    if not job.rung:
        return replace(record, test=summary.test, optimistic=summary.optimistic)
    unseen = [{**epoch, "test": dict.fromkeys(epoch["test"])} for epoch in record.epochs]
    return replace(record, epochs=unseen)  # nobody can choose by what is not there


class _Heard:
    """What a worker said and nobody has read yet; ``news`` is set with every message, so that nobody need look."""

    def __init__(self, news: threading.Event) -> None:
        self._heard: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._news = news

    def _put(self, message: Message) -> None:
        self._heard.put(message)
        self._news.set()

    def messages(self) -> list[Message]:
        """What was said since the last call; a process that died says so."""
        return [self._heard.get() for _ in range(self._heard.qsize())]


class ThreadWorker(_Heard):
    """Trains in a thread of this process, which shares its time; ``why`` is said beside where it is trained."""

    def __init__(self, plan: Plan, folder: Path, news: threading.Event, why: str = "") -> None:
        super().__init__(news)
        self._plan, self._folder, self._why = plan, folder, why
        self._stop = threading.Event()

    def serve(self, plan: Plan, folder: Path, news: threading.Event, carried: bytes = b"") -> None:
        """From now on its jobs are of this plan."""
        self._plan, self._folder, self._news = plan, folder, news

    def _put(self, message: Message) -> None:
        kind, *rest = message
        super()._put((kind, f"{rest[0]}{self._why}", rest[1]) if kind == "placed" else message)

    def give(self, job: Job) -> None:
        """Begins a job."""
        given = (self._plan, job, self._folder, self._put, self._stop)
        threading.Thread(target=train, args=given, daemon=True, name=f"train {job.model}").start()

    def stop(self) -> None:
        """Asks the job to end."""
        self._stop.set()

    def close(self) -> None:
        """Nothing more is heard. A thread cannot be ended from outside: it ends at its next look at the stop event."""
        self._stop.set()


class ProcessWorker(_Heard):
    """Trains in a process of its own, which ends when this one does, however this one ends.

    It is started by its command, not by ``multiprocessing``, which would run a script that has no guard of its main
    part a second time. Objects go through its standard input and output.
    """

    def __init__(self) -> None:
        super().__init__(threading.Event())
        # a session of its own: Ctrl-C in a terminal, or "interrupt kernel", is for this process
        self.process = subprocess.Popen(
            [sys.executable, "-c", _CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        self._send(sys.path)
        self._ear = threading.Thread(target=self._listen, daemon=True, name="listens to a worker")
        self._ear.start()

    def serve(self, plan: Plan, folder: Path, news: threading.Event, carried: bytes = b"") -> None:
        """From now on its jobs are of this plan; ``carried`` is what of it only this process knows."""
        self._news = news
        news.set()  # it may have said something before it was hired
        self._send((plan, folder, carried))

    def _listen(self) -> None:
        """In a thread: hears the process until it is gone."""
        try:
            while True:
                self._put(pickle.load(self.process.stdout))  # type: ignore[arg-type]
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(1)
            words = (
                f"The worker process ended unexpectedly (exit code {self.process.returncode}). If there was too little "
                "memory, train fewer models at once, or in one process."
            )
            self._put(("died", words))

    def _send(self, said: Any) -> None:
        with contextlib.suppress(OSError):  # it is gone already, and messages() will say so
            pickle.dump(said, self.process.stdin)  # type: ignore[arg-type]
            self.process.stdin.flush()  # type: ignore[union-attr]

    def give(self, job: Job) -> None:
        """Begins a job."""
        self._send(job)

    def stop(self) -> None:
        """Asks the job to end."""
        self._send("stop")

    def close(self) -> None:
        """Ends the process."""
        self.process.kill()
        self.process.wait()
        self._ear.join(2)  # it ends with the process, and only then may the pipes be closed
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]


# ---- the crew: who is hired, and who is kept warm -------------------------------------------------

_spare: list[ProcessWorker] = []
_hiring = threading.Lock()


def warm() -> None:
    """Starts a worker in the background, if none is to spare, so that the next race begins at once."""
    with _hiring:
        if not _spare:
            with contextlib.suppress(OSError):  # no processes here; who trains will do it in a thread
                _spare.append(ProcessWorker())


def hire(plan: Plan, folder: Path, news: threading.Event) -> ThreadWorker | ProcessWorker:
    """A worker for the plan's jobs: the warm one, a new one, or where no process would do, a thread."""
    try:
        carried = pack(plan.models)
    except ParameterError as error:
        return ThreadWorker(plan, folder, news, f"; in this notebook's own process: {error}")
    with _hiring:
        while _spare:
            worker = _spare.pop()
            if worker.process.poll() is None:
                break
            worker.close()
        else:
            try:
                worker = ProcessWorker()
            except OSError as error:
                return ThreadWorker(plan, folder, news, f"; in this notebook's own process: no other starts ({error})")
    worker.serve(plan, folder, news, carried)
    return worker


def dismiss(worker: ThreadWorker | ProcessWorker, idle: bool) -> None:
    """A worker is not needed any more; one process that is idle is kept for the next race."""
    with _hiring:
        if idle and isinstance(worker, ProcessWorker) and not _spare and worker.process.poll() is None:
            _spare.append(worker)
            return
    worker.close()


@atexit.register
def _close_spare() -> None:
    for worker in _spare:
        worker.process.kill()


# ---- in the worker process ------------------------------------------------------------------------

_CHILD = (
    "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); "
    f"from {__name__} import work; work(sys.stdin.buffer)"
)


def _warm_up(send: Send) -> None:
    """Loads torch and the compiled loops before they are needed, so that no run's time counts them.

    If they must be compiled, that is said once; the first run takes it back with its own first word.
    """
    from ..engine import _fill  # noqa: F401 - loads numba
    from ..graphs.graph import Graph
    from ..learn.nets import build
    from ..learn.tasks import link_task
    from ..learn.training import fit

    said: list[str] = []

    def compiling(words: str) -> None:
        if not said:
            said.append(words)
            send(("prepare", words))

    with told_of_compiling(compiling):
        task = link_task(Graph.from_edges([(i, (i + step) % 20) for i in range(20) for step in (1, 2)]))
        list(fit(build("DE-GNN-SPD", task, hidden=2), task, 1, device="cpu", progress=False))


def work(said: Any) -> None:
    """The worker process: plans and jobs come in, messages go out; when the way in closes, the parent is gone."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no message
    jobs: queue.SimpleQueue[tuple[Plan, Job, Path, bytes, threading.Event]] = queue.SimpleQueue()

    def listen() -> None:
        plan, folder, carried, stop = None, None, b"", threading.Event()
        while True:
            try:
                heard = pickle.load(said)
            except Exception:  # the parent is gone, or what follows cannot be understood: it hears that nobody is here
                os._exit(1)
            if heard == "stop":
                stop.set()  # of the job that was given last
            elif isinstance(heard, Job):
                stop = threading.Event()
                jobs.put((plan, heard, folder, carried, stop))  # type: ignore[arg-type]
            else:
                plan, folder, carried = heard

    def send(message: Message) -> None:
        pickle.dump(message, out)
        out.flush()

    threading.Thread(target=listen, daemon=True).start()
    with contextlib.suppress(Exception):  # what is wrong here is said by the run that it concerns
        _warm_up(send)
    while True:
        plan, job, folder, carried, stop = jobs.get()
        try:
            unpack(carried)
        except Exception as error:
            send(("died", f"A worker process cannot load {job.model}: {type(error).__name__}: {error}"))
        else:
            train(plan, job, folder, send, stop)
