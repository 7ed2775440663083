"""The loop of a study: claims what is due, has it run, and writes down what comes back.

What is written is all there is: a process that is killed at any moment has lost nothing that was finished, and the
next one, or another one at the same time, takes up what is left.
"""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace

from ...common.errors import ParameterError
from ..storage.store import Store, claimant
from ..workers import begun
from .agenda import Agenda, Due, Standing
from .cells import Cell, Work
from .crew import Ended, Executor

_BATCH_RUNS = 32  # of short runs are given together, at most
_DEATHS = 2  # of the workers of a run, after which it has failed
_LOOK = 1.0  # seconds between two looks at runs that are made elsewhere
_SIGN = 20.0  # seconds after which we say that we are alive
_TELL = 5.0  # seconds between two words about the progress
_TOLD_BY = 5.0  # CPU-seconds after which it is said how busy the machine is
_ENDED = ("finished", "failed")


class Loop:
    """One sitting of a study."""

    def __init__(self, agenda: Agenda, store: Store, executor: Executor, tell: Callable[[Standing], None]) -> None:
        self.agenda, self.store, self.executor, self._tell = agenda, store, executor, tell
        self._owner = claimant()
        self._given: dict[str, Due] = {}
        self._deaths: Counter[str] = Counter()
        self._signed = self._told = self._began = time.monotonic()
        self._worked = 0.0  # CPU-seconds of what ended in this sitting

    def run(self, until: float = math.inf) -> None:
        """Until nothing is left, or the moment (of ``time.monotonic``) has come; Ctrl-C ends it at any time."""
        self.store.needs_place()
        try:
            self._tell(self.standing())
            while time.monotonic() < until and (left := self._fill()):
                pause = _LOOK if left and self.executor.free() else _TELL
                self._write(self.executor.wait(max(0.0, min(pause, until - time.monotonic()))))
                self._say()
        finally:
            try:
                self._write(self.executor.stop())
            finally:
                self.executor.close()
                with contextlib.suppress(ParameterError):  # on a full disk the claims end by themselves
                    self.store.release(self._owner)
            self._tell(self.standing())

    def standing(self) -> Standing:
        """How far the study is; on a busy machine the time left is longer than the work that is left."""
        slower = 1.0
        if self._worked > _TOLD_BY:
            slower = max(1.0, (time.monotonic() - self._began) * self.executor.places / self._worked)
        return self.agenda.standing(self.executor.places, slower)

    def _say(self) -> None:
        now = time.monotonic()
        if now - self._signed > _SIGN:
            self.store.alive(self._owner)
            self._signed = now
        if now - self._told > _TELL:
            self._tell(self.standing())
            self._told = now

    def _fill(self) -> bool:
        """Gives work to who has none; whether there is any left, here or elsewhere."""
        while True:
            due = [one for one in self.agenda.due() if one.work.key not in self._given]
            if not due or not self.executor.free():
                return bool(due or self._given)
            keys = {one.work.key: one for one in due}
            claimed, over = self.store.claim_some(keys, self._owner, self._size(due), _ENDED)
            self.agenda.learn((keys[key].cell, run) for key in over if (run := self.store.get(key)) is not None)
            if claimed:
                batch = [keys[key] for key in claimed]
                self._given |= {one.work.key: one for one in batch}
                for one in batch:
                    self._hand_on(one.work)
                self.executor.give([one.work for one in batch])
            elif not over:
                return True

    def _size(self, due: list[Due]) -> int:
        """How many of the first are given together: what its executor likes, and no more than a share."""
        seconds, most = 0.0, min(_BATCH_RUNS, math.ceil(len(due) / max(1, self.executor.places)))
        for size, one in enumerate(due[:most]):
            seconds += one.seconds
            if seconds > self.executor.seconds:
                return max(1, size)
        return max(1, most)

    def _hand_on(self, work: Work) -> None:
        """A trial goes on where it was on the rung below."""
        if work.before and not (place := self.store.checkpoint(work.key)).exists():
            with contextlib.suppress(OSError):  # it is gone, or was made elsewhere; then it is trained from the start
                os.replace(self.store.checkpoint(work.before), place)

    def _write(self, ended: Iterable[Ended]) -> None:
        """Writes down what ended, and tidies up after it."""
        runs = []
        for one in ended:
            due = self._given.pop(one.work.key)
            run = one.run
            if one.died:
                self._deaths[one.work.key] += 1
                if self._deaths[one.work.key] >= _DEATHS:
                    run = replace(begun(one.work.plan, one.work.job), status="failed", error=one.died)
            if run is not None:
                runs.append((due.cell, run))
                self._worked += run.cpu_seconds
        if not runs:
            return
        self.store.put(*(run for _, run in runs))  # first: until it is written, a checkpoint is all there is of a run
        self.agenda.learn(runs)
        for cell, run in runs:
            if not run.rung or run.status == "failed":
                self.store.checkpoint(run.key).unlink(missing_ok=True)
            elif cell.search(self.agenda.known)[0] is not None:
                self._forget_trials(cell)

    def _forget_trials(self, cell: Cell) -> None:
        """The search is over: nothing goes on from its checkpoints."""
        for _, work in cell.trial_works():
            self.store.checkpoint(work.key).unlink(missing_ok=True)
