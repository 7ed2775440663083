"""The runs of a study on a Dask cluster: batches are sent out, records come back; nothing is scheduled here.

The store stays with the client. Workers are sent graphs once, plans, and checkpoints of trials that go on; they send
back records. What a worker was at when it died, Dask has repeated by another.
"""

from __future__ import annotations

import pickle
import queue
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...common.errors import ParameterError
from ...common.files import write_whole
from ..carrying import pack
from ..cluster.connection import Cluster
from ..cluster.runs import Outcome, Piece, make_runs, without_graph
from ..cluster.versions import versions_here
from ..plan import Plan
from ..records import Run
from .cells import Work
from .crew import Ended

_AHEAD = 2  # batches for each place: one that is worked on, one that is ready
_FEW = 2  # batches that are given while there is no worker: a cluster that grows by need has to see some
_FETCH = 20.0  # seconds to fetch the records of a batch, after which it is given again; claims last longer


class RemoteCrew:
    """The workers of a Dask cluster as an :class:`.crew.Executor`; ``folder`` is the store's, for checkpoints.

    ``places`` follows the workers that come and go. Their versions must be those of this process.
    """

    seconds = 3.0  # of work in a batch

    def __init__(self, workers: Any, folder: Path) -> None:
        self._cluster, self._folder = Cluster(workers), folder
        self.places = self._cluster.places()
        self._expected = versions_here()
        self._given: dict[str, tuple[Any, list[Work]]] = {}  # by the key of the future
        self._done: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._plans: dict[int, tuple[Plan, Plan, bytes]] = {}  # as they are, as they are sent, models of the user

    def free(self) -> int:
        return max(0, max(_FEW, _AHEAD * self.places) - len(self._given))

    def give(self, batch: Sequence[Work]) -> None:
        graphs = {id(work.plan.graph): work.plan.graph for work in batch}
        numbers = {name: number for number, name in enumerate(graphs)}
        pieces = [self._piece(work, numbers[id(work.plan.graph)]) for work in batch]
        sent = [self._cluster.sent(graph) for graph in graphs.values()]
        future = self._cluster.submit(make_runs, sent, pickle.dumps(pieces), self._expected)
        self._given[future.key] = (future, list(batch))
        future.add_done_callback(lambda future: self._done.put(future.key))

    def _piece(self, work: Work, graph: int) -> Piece:
        if id(work.plan) not in self._plans:
            self._plans[id(work.plan)] = (work.plan, without_graph(work.plan), _carried(work.plan))
        _, plan, carried = self._plans[id(work.plan)]
        kept = self._folder / f"{work.key}.checkpoint"
        return Piece(plan, graph, work.job, work.key, carried, kept.read_bytes() if kept.exists() else b"")

    def wait(self, seconds: float) -> list[Ended]:
        self.places = self._cluster.places()
        keys = []
        try:
            keys.append(self._done.get(timeout=seconds) if seconds else self._done.get_nowait())
            while True:
                keys.append(self._done.get_nowait())
        except queue.Empty:
            pass
        return [ended for key in keys if key in self._given for ended in self._ended(*self._given.pop(key))]

    def _ended(self, future: Any, works: list[Work]) -> list[Ended]:
        from distributed import KilledWorker

        if future.status == "error":
            error = future.exception()
            if not isinstance(error, KilledWorker):
                self._tell(error)
            if len(works) > 1:  # one of them may kill its workers; the others have no part in it
                for work in works:
                    self.give([work])
                return []
            return [Ended(work, died=f"Every worker that began with it died: {error}") for work in works]
        try:
            outcomes: list[Outcome] = future.result(timeout=_FETCH)
        except Exception:  # cancelled, because the scheduler was gone for a while, or its worker is
            self._cluster.forget()
            return [Ended(work) for work in works]
        return [self._kept(work, outcome) for work, outcome in zip(works, outcomes, strict=True)]

    def _tell(self, error: BaseException) -> None:
        """Raises what is wrong with a worker, or with us."""
        if isinstance(error, ImportError):
            self._cluster.check()  # says which worker it is
        words = str(error) if isinstance(error, ParameterError) else f"{type(error).__name__}: {error}"
        raise ParameterError(words if isinstance(error, ParameterError) else f"A worker cannot work: {words}")

    def _kept(self, work: Work, outcome: Outcome) -> Ended:
        if outcome.checkpoint:
            write_whole(self._folder / f"{work.key}.checkpoint", outcome.checkpoint)
        return Ended(work, Run.from_json(outcome.record) if outcome.record else None, outcome.died)

    def stop(self) -> list[Ended]:
        """Cancels what is queued or being made, and keeps what is done."""
        ended = []
        for future, works in self._given.values():
            if future.status == "finished":
                ended += self._ended(future, works)
            else:
                ended += [Ended(work) for work in works]
        self._cluster.cancel(future for future, _ in self._given.values())
        self._given.clear()
        return ended

    def close(self) -> None:
        self._cluster.close()


def _carried(plan: Plan) -> bytes:
    try:
        return pack(plan.models)
    except ParameterError as error:
        raise ParameterError(f"{error} So it cannot be trained on a cluster; workers=1 trains it here.") from None
