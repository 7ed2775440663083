"""Runs of a study in a worker of a Dask cluster: each in a process of its own, as on one machine.

So a worker with many threads trains as many models, each by one torch thread, and a run that needs too much memory
ends its own process and not the worker. The worker needs no disk but its scratch folder, and no data.
"""

from __future__ import annotations

import contextlib
import pickle
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path

from ...graphs.graph import Graph
from ..plan import Job, Plan
from ..workers import Message, ProcessWorker
from .versions import need_same, versions_here

_LOOK = 1.0  # seconds between two looks whether the runs are still wanted
_KEPT = 60.0  # seconds that an idle process is kept warm
_ENDS = ("finished", "failed", "short", "stopped", "died")


@dataclass(frozen=True)
class Piece:
    """A run as it is sent: the plan without its graph, which has a place among those sent along."""

    plan: Plan
    graph: int
    job: Job
    key: str
    carried: bytes = b""  # models of the user, see carrying.py
    checkpoint: bytes = b""  # to go on from


@dataclass(frozen=True)
class Outcome:
    """How a run ended: its record as JSON, why there is none, and of a trial what the next rung goes on from."""

    record: str = ""
    died: str = ""
    checkpoint: bytes = b""


def without_graph(plan: Plan) -> Plan:
    """The same plan to be sent; :func:`make_runs` puts the graph back."""
    plan.digest  # noqa: B018 (kept with the plan, so that no worker computes it again)
    return with_graph(plan, None)


def with_graph(plan: Plan, graph: Graph | None) -> Plan:
    """The same plan with this graph, which must be the one that was taken out."""
    whole = copy(plan)
    object.__setattr__(whole, "graph", graph)
    return whole


def make_runs(graphs: Sequence[Graph], parcel: bytes, expected: Mapping[str, str]) -> list[Outcome]:
    """In a worker: the runs of a parcel of pieces, one after the other; ``expected`` are the client's versions."""
    from distributed import get_worker

    worker = get_worker()
    need_same(worker.address, versions_here(), expected)
    pieces: list[Piece] = pickle.loads(parcel)
    task = worker.state.tasks.get(worker.get_current_task())

    def wanted() -> bool:
        """Not any more, if the client cancelled it, or is gone."""
        return task is None or task.state not in ("cancelled", "released", "forgotten")

    with tempfile.TemporaryDirectory(dir=worker.local_directory) as folder, _hand() as hand:
        plans: dict[int, Plan] = {}
        outcomes = []
        for piece in pieces:
            plan = plans.setdefault(id(piece.plan), with_graph(piece.plan, graphs[piece.graph]))
            message, checkpoint = _made(hand, plan, piece, Path(folder), wanted)
            if message[0] == "died":
                outcomes.append(Outcome(died=f"On the worker {worker.address}: {message[1]}"))
                hand.renew()
            else:
                outcomes.append(Outcome("".join(message[1:]), checkpoint=checkpoint))
    return outcomes


class Unwanted(Exception):
    """Nobody waits for these runs any more."""


def _made(hand: _Hand, plan: Plan, piece: Piece, folder: Path, wanted: Callable[[], bool]) -> tuple[Message, bytes]:
    """The message that ends the run, and the checkpoint of a trial."""
    kept, news = folder / f"{piece.key}.checkpoint", threading.Event()
    if piece.checkpoint:
        kept.write_bytes(piece.checkpoint)
    process = hand.process
    process.serve(plan, folder, news, piece.carried)
    process.give(piece.job)
    while not (ends := [message for message in process.messages() if message[0] in _ENDS]):
        news.wait(_LOOK)
        news.clear()
        if not wanted():
            raise Unwanted(piece.key)
    goes_on = piece.job.rung and ends[0][0] == "finished" and kept.exists()
    checkpoint = kept.read_bytes() if goes_on else b""
    kept.unlink(missing_ok=True)
    return ends[0], checkpoint


# ---- processes that are kept warm from one batch to the next --------------------------------------

_idle: dict[ProcessWorker, threading.Timer] = {}
_lock = threading.Lock()


@dataclass
class _Hand:
    """The process that trains for one thread of the worker."""

    process: ProcessWorker

    def renew(self) -> None:
        self.process.close()
        self.process = ProcessWorker()


@contextlib.contextmanager
def _hand() -> Iterator[_Hand]:
    """One that is idle, or a new one; it is kept warm for a while, unless an error says that it may be at work."""
    hand = _Hand(_taken() or ProcessWorker())
    try:
        yield hand
    except BaseException:
        hand.process.close()
        raise
    timer = threading.Timer(_KEPT, _dismiss, [hand.process])
    timer.daemon = True
    with _lock:
        _idle[hand.process] = timer
    timer.start()


def _taken() -> ProcessWorker | None:
    with _lock:
        while _idle:
            process, timer = _idle.popitem()
            timer.cancel()
            if process.process.poll() is None:
                return process
            process.close()
    return None


def _dismiss(process: ProcessWorker) -> None:
    with _lock:
        kept = _idle.pop(process, None)
    if kept is not None:
        process.close()
