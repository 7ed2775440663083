"""Runs without worker processes: threads of this process train what a scheduler submits, or call a script."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import degnn_explore as de
from degnn_explore.studies import scheduler
from degnn_explore.studies.executors import LocalExecutor, StopFile, executor_for
from degnn_explore.studies.runs import Run, RunSpec
from tests.support.waiting import until

KARATE = de.load("karate")


def spec(**more: Any) -> RunSpec:
    return RunSpec(**{"graph": KARATE, "task": "links", "model": "GCN", "epochs": 3, "device": "cpu", **more})


def written(folder: Path) -> int:
    """How often a run was written to a store."""
    with sqlite3.connect(folder / "runs.sqlite") as db:
        return db.execute("SELECT coalesce(max(number), 0) FROM runs").fetchone()[0]


class Threads(LocalExecutor):
    """As :class:`LocalExecutor`, with threads in place of worker processes."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        self.threads = ThreadPoolExecutor(workers)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return self.threads.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self.threads.shutdown()


@contextlib.contextmanager
def in_process(kind: Callable[[int], LocalExecutor] = Threads) -> Iterator[None]:
    """Schedulers inside train in threads of this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scheduler, "executor_for", lambda workers: kind(executor_for(workers).places))
        yield


class Patient(StopFile):
    """After the first epochs it waits until it is set."""

    calls = 0

    def is_set(self) -> bool:
        self.calls += 1
        if self.calls > 12:
            until(super().is_set)
        return super().is_set()


class Scripted(Threads):
    """In place of training a run it calls ``script(number of the call, run, scratch folder)``."""

    script: Callable[[int, RunSpec, Path], Any]
    at_once = 0

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        self.places = self.at_once or workers
        self.calls: list[int] = []  # seeds of the runs
        self.futures: list[Future[Any]] = []
        self.killed: list[Future[Any]] = []
        self.most = self.forgotten = 0

    def train(self, spec: RunSpec, models: Path, scratch: Path) -> Future[Any]:
        self.calls.append(spec.seed)
        self.futures.append(self.submit(type(self).script, len(self.calls), spec, scratch))
        self.most = max(self.most, sum(not future.done() for future in self.futures))
        return self.futures[-1]

    def kill(self, future: Future[Any]) -> None:
        self.killed.append(future)

    def forget_shared(self) -> None:
        self.forgotten += 1


def trained(run: RunSpec, **more: Any) -> tuple[Run, dict[str, bytes]]:
    """What an executor returns for a run."""
    return Run(run.key, "karate", "links", run.model, run.seed, **{"test": 0.5, **more}), {}


Scripting = Callable[..., list[Scripted]]
