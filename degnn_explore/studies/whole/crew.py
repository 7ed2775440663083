"""Who makes the runs of a study: an executor takes batches of work and says how each piece ended.

:class:`Crew` is the one on this machine, a process for each run at a time; :class:`.remote.RemoteCrew`, on a cluster,
has the same five methods. Whoever uses one writes the records down, so that an executor needs no store.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from ...common.errors import ParameterError, whole_number
from ...common.parallel import cores
from ..carrying import pack
from ..cluster.connection import is_address, is_client, needs_workers
from ..plan import Plan
from ..records import Run
from ..workers import ProcessWorker, dismiss, hire
from .cells import Work

_GRACE = 5.0  # seconds that workers have to end by themselves and write their checkpoints, before they are ended


@dataclass(frozen=True)
class Ended:
    """How a piece of work ended: with its record; or without one, because it was stopped or its worker ``died``."""

    work: Work
    run: Run | None = None
    died: str = ""  # in words


class Executor(Protocol):
    """Makes runs somewhere. It is used by one thread."""

    places: int  # batches that are worked on at once
    seconds: float  # of work that a batch should take; short runs are given together

    def free(self) -> int:
        """How many batches it would begin with at once."""

    def give(self, batch: Sequence[Work]) -> None:
        """Work on these, one after the other."""

    def wait(self, seconds: float) -> list[Ended]:
        """What has ended since the last call; returns as soon as something has, at the latest after so long."""

    def stop(self) -> list[Ended]:
        """End all work soon; what ended well until then, and what did not."""

    def close(self) -> None:
        """Nothing more will be given."""


def executor_of(workers: Any, folder: Path) -> Executor:
    """Who works: as many processes here as there are cores, or as said; on a cluster; or an executor that is given."""
    if is_address(workers) or is_client(workers):
        from .remote import RemoteCrew

        return RemoteCrew(workers, folder)
    if workers is None or isinstance(workers, bool | int | float):
        return Crew(cores() if workers is None else whole_number("workers", workers, least=1), folder)
    if not hasattr(workers, "give"):
        needs_workers(workers)
    executor: Executor = workers
    return executor


@dataclass
class _Seat:
    worker: Any
    plan: Plan
    work: Work | None = None
    rest: deque[Work] = field(default_factory=deque)
    alone: bool = False  # whether nothing else was worked on when its work began


class Crew:
    """Worker processes of this machine, kept from one run to the next; ``folder`` is for their checkpoints.

    Where a device has too little memory for as many runs at once, it works at half as many ``places``.
    """

    seconds = 1.0

    def __init__(self, places: int, folder: Path) -> None:
        self.places, self._folder = places, folder
        self._news, self._team = threading.Event(), list[_Seat]()
        self._ended: list[Ended] = []

    def free(self) -> int:
        return max(0, self.places - sum(seat.work is not None for seat in self._team))

    def give(self, batch: Sequence[Work]) -> None:
        plan = batch[0].plan
        seat = next((seat for seat in self._team if seat.work is None), None)
        if seat is None:
            seat = _Seat(hire(plan, self._folder, self._news), plan)
            self._team.append(seat)
        seat.rest.extend(batch)
        self._begin(seat)

    def _begin(self, seat: _Seat) -> None:
        seat.work = seat.rest.popleft() if seat.rest else None
        if seat.work is None:
            return
        if seat.plan is not seat.work.plan:
            self._turn(seat, seat.work.plan)
        seat.alone = not any(other.work for other in self._team if other is not seat)
        seat.worker.give(seat.work.job)

    def _turn(self, seat: _Seat, plan: Plan) -> None:
        """The next job is of another plan."""
        try:
            carried = pack(plan.models)
            fits = isinstance(seat.worker, ProcessWorker)
        except ParameterError:
            carried, fits = b"", not isinstance(seat.worker, ProcessWorker)
        if fits:
            seat.worker.serve(plan, self._folder, self._news, carried)
        else:  # what can be sent to a process after what could not, or the other way round
            dismiss(seat.worker, idle=True)
            seat.worker = hire(plan, self._folder, self._news)
        seat.plan = plan

    def wait(self, seconds: float) -> list[Ended]:
        self._listen()
        if not self._ended:
            self._news.wait(seconds)
            self._news.clear()
            self._listen()
        ended, self._ended = self._ended, []
        return ended

    def _listen(self) -> None:
        for seat in self._team:
            for kind, *rest in seat.worker.messages():
                if kind == "died":
                    self._bury(seat, rest[0])
                    break
                if kind == "short" and not (seat.alone and self.places == 1):
                    self._make_room(seat)
                    break
                if seat.work is None or kind in ("prepare", "placed", "epochs"):
                    continue
                self._ended.append(Ended(seat.work, None if kind == "stopped" else Run.from_json(rest[0])))
                self._begin(seat)
        self._team = [seat for seat in self._team if seat.worker is not None]

    def _make_room(self, seat: _Seat) -> None:
        """A run found too little memory on its device: from now on half as many run at once, and it is tried again."""
        self.places = max(1, self.places // 2)
        self._ended += [Ended(work) for work in (seat.work, *seat.rest) if work is not None]
        dismiss(seat.worker, idle=True)
        seat.worker = seat.work = None

    def _bury(self, seat: _Seat, words: str) -> None:
        if seat.work is not None:
            self._ended.append(Ended(seat.work, died=words))
        self._ended += [Ended(work) for work in seat.rest]
        seat.worker.close()
        seat.worker = seat.work = None

    def stop(self) -> list[Ended]:
        until, ended = time.monotonic() + _GRACE, list[Ended]()
        for seat in self._team:
            ended += [Ended(work) for work in seat.rest]
            seat.rest.clear()
            if seat.work is not None:
                seat.worker.stop()
        while any(seat.work is not None for seat in self._team) and (left := until - time.monotonic()) > 0:
            ended += self.wait(left)
        return ended + [Ended(seat.work) for seat in self._team if seat.work is not None]

    def close(self) -> None:
        for seat in self._team:
            dismiss(seat.worker, idle=seat.work is None)
        self._team = []
