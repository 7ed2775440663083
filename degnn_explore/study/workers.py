"""Who trains: this process in a thread, or processes of their own. Both speak the same few messages.

A message is a tuple: ("prepare",), ("epochs", list of dicts), ("finished", line of JSON),
("failed", line of JSON) or ("stopped",); the last three end a job.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import queue
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from .plan import Job, Plan
from .records import Run
from .results import checkpoint_of

Message = tuple[Any, ...]
Send = Callable[[Message], None]
_MESSAGES_A_SECOND = 10  # more epochs than that are sent together


def train(plan: Plan, job: Job, folder: Path, send: Send, stop: threading.Event) -> None:
    """One run from start to end; whatever happens, the last message says how it ended.

    The model is saved in ``folder``. The run leaves its checkpoint there, and goes on from it the next time; whoever
    has written down how a finished run ended takes the checkpoint away.
    """
    from ..learn.devices import choose_device

    graph, (hyper, options) = plan.graph, plan.settings(job.model)
    record = Run(
        plan.key(job), plan.title, plan.task, job.model, job.seed, graph.num_nodes, graph.num_edges,
        plan.digest, plan.name, hyper=hyper, options=options, version=_version())  # fmt: skip
    try:
        send(("prepare",))
        record = replace(record, device=choose_device(plan.device))
        record = _trained(plan, job, folder, record, send, stop)
    except Exception as error:
        words = str(error) if isinstance(error, ValueError) else "".join(traceback.format_exception(error))
        record = replace(record, status="failed", error=words.strip() or type(error).__name__)
    record = replace(record, when=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"))
    send(("stopped",) if stop.is_set() and record.test is None else (record.status, record.to_json()))


def _version() -> str:
    try:
        return version("degnn_explore")
    except PackageNotFoundError:  # a checkout that was not installed
        return ""


def _trained(plan: Plan, job: Job, folder: Path, record: Run, send: Send, stop: threading.Event) -> Run:
    from ..learn.nets import build
    from ..learn.saving import save
    from ..learn.training import fit, summarise

    task = plan.make_task(job.seed)
    model = build(job.model, task, seed=job.seed, **plan.hyper_of(job.model))
    sizes = {part: len(getattr(task, part)) for part in ("train", "val", "test")}
    record = replace(record, p=task.p, num_classes=task.num_classes, metric=task.metric, sizes=sizes)
    folder.mkdir(parents=True, exist_ok=True)
    kept = checkpoint_of(folder, record.key)
    run, waiting, said = [], [], 0.0
    how: dict[str, Any] = {"seed": job.seed, "device": record.device, "checkpoint": kept, "stop": stop}
    for epoch in fit(model, task, plan.epochs, **how, **plan.options):
        run.append(epoch)
        waiting.append(asdict(epoch))
        if (now := time.monotonic()) - said >= 1 / _MESSAGES_A_SECOND:
            send(("epochs", waiting))
            waiting, said = [], now
    if waiting:
        send(("epochs", waiting))
    if stop.is_set() or not run:
        return record
    file = save(model, folder / f"{record.key}.safetensors")
    summary = summarise(run)
    return replace(
        record, epochs=[asdict(epoch) for epoch in run], model_file=file.name, best_epoch=summary.epoch,
        test=summary.test, optimistic=summary.optimistic, seconds=sum(epoch.seconds for epoch in run),
        parameters=sum(weight.numel() for weight in model.parameters()))  # fmt: skip


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
    """Trains in a thread of this process: starts at once, shares the processor with the notebook."""

    def __init__(self, plan: Plan, folder: Path, news: threading.Event) -> None:
        super().__init__(news)
        self._plan, self._folder = plan, folder
        self._stop = threading.Event()

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
    """Trains in a process of its own, which ends when this one does, however this one ends."""

    def __init__(self, plan: Plan, folder: Path, news: threading.Event) -> None:
        import multiprocessing

        super().__init__(news)
        context = multiprocessing.get_context("spawn")  # a fork would copy locks of threads that it does not copy
        self._pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True, name="degnn_explore worker")
        self.process.start()
        theirs.close()
        self._send((plan, folder))
        self._ear = threading.Thread(target=self._listen, daemon=True, name="listens to a worker")
        self._ear.start()

    def _listen(self) -> None:
        """In a thread: hears the process until it is gone."""
        try:
            while True:
                self._put(self._pipe.recv())
        except (EOFError, OSError):
            self.process.join(1)
            words = (
                f"The worker process ended unexpectedly (exit code {self.process.exitcode}). If there was too little "
                "memory, train fewer models at once, or in one process."
            )
            self._put(("died", words))

    def _send(self, said: Any) -> None:
        with contextlib.suppress(OSError):  # it is gone already, and messages() will say so
            self._pipe.send(said)

    def give(self, job: Job) -> None:
        """Begins a job."""
        self._send(job)

    def stop(self) -> None:
        """Asks the job to end."""
        self._send("stop")

    def close(self) -> None:
        """Ends the process."""
        self.process.kill()
        self._ear.join(2)  # it ends with the process, and only then may the pipe be closed
        self._pipe.close()


def _serve(pipe: Any) -> None:
    """The worker process: jobs come in through the pipe, messages go out; when the pipe closes, the parent is gone."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal, or "interrupt kernel", is for the parent
    jobs: queue.SimpleQueue[Job] = queue.SimpleQueue()
    stop = threading.Event()

    def listen() -> None:
        while True:
            try:
                said = pipe.recv()
            except (EOFError, OSError):
                os._exit(1)
            if said == "stop":
                stop.set()
            else:
                jobs.put(said)

    plan, folder = pipe.recv()
    threading.Thread(target=listen, daemon=True).start()
    while True:
        train(plan, jobs.get(), folder, pipe.send, stop)
