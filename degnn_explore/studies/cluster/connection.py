"""A Dask cluster as studies and commands use it: connected to, its workers checked, things sent to it once."""

from __future__ import annotations

import contextlib
import sys
import time
import uuid
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from ...common.errors import ParameterError, shown
from .versions import need_same, versions_here

CONNECT = 15.0  # seconds after which a scheduler that does not answer is not there
_LOOK = 2.0  # seconds between two looks at how many workers there are


def is_address(workers: Any) -> bool:
    """Whether this is meant as the address of a scheduler.

    >>> is_address("tcp://10.0.0.7:8786"), is_address("2")
    (True, False)
    """
    return isinstance(workers, str) and "://" in workers


def is_client(workers: Any) -> bool:
    """Whether this is a ``dask.distributed.Client``; where nobody imported it there is none."""
    distributed = sys.modules.get("distributed")
    return distributed is not None and isinstance(workers, distributed.Client)


class Cluster:
    """A scheduler's workers, all with the versions of this process; ``workers`` is its address or a client of it.

    What is sent stays with the scheduler until :meth:`close`, so that workers may come, go and die.

    Examples
    --------
    >>> from distributed import LocalCluster
    >>> with LocalCluster(1, processes=False, protocol="tcp", host="127.0.0.1", dashboard_address=None) as local:
    ...     cluster = Cluster(local.scheduler_address)
    ...     total = cluster.submit(sum, cluster.sent([1, 2, 3])).result()
    ...     cluster.close()
    >>> total
    6
    """

    def __init__(self, workers: Any) -> None:
        self._ours = not is_client(workers)
        self.client = _connected(workers) if self._ours else workers
        if self.client.asynchronous:
            raise ParameterError("workers is an asynchronous Client; give one made without asynchronous=True.")
        if self.client.status == "closed":
            raise ParameterError("workers is a Client that is closed; make a new one: Client(address).")
        self.address = str(self.client.scheduler.address)
        self._sent: dict[int, tuple[Any, Any]] = {}
        self._looked, self._places = -_LOOK, 0
        try:
            self.check()
        except BaseException:
            self.close()
            raise

    def check(self) -> None:
        """A ParameterError that names the first worker, if any, with other versions than here."""
        expected = versions_here()
        for worker, has in self.client.run(versions_here, on_error="return").items():
            if isinstance(has, ImportError):
                need_same(worker, {"degnn_explore": f"missing ({has})"}, {"degnn_explore": expected["degnn_explore"]})
            if isinstance(has, dict):  # else it is gone again, or dying; whoever comes instead is checked at work
                need_same(worker, has, expected)

    def places(self) -> int:
        """Pieces of work that are done at once: threads of all workers. A ParameterError if the scheduler is gone."""
        if self.client.status in ("closing", "closed"):
            raise ParameterError(
                f"The connection to {self.address} was lost. What is finished is kept; start it again, and it goes on."
            )
        if time.monotonic() - self._looked > _LOOK:
            try:
                self._places = sum(self.client.nthreads().values()) if self.client.status == "running" else 0
            except OSError:  # it is being connected to anew
                self._places = 0
            self._looked = time.monotonic()
        return self._places

    def sent(self, thing: Any) -> Any:
        """The future of a thing that is sent to the cluster once, however often this is called.

        It is a task of its own and not scattered: then it also reaches workers where all that had it have died, and a
        cluster that has no worker yet.
        """
        if id(thing) not in self._sent:
            self._sent[id(thing)] = (thing, self.submit(_itself, thing))
        return self._sent[id(thing)][1]

    def forget(self) -> None:
        """What was sent may be lost: it is sent again when it is needed."""
        self._sent.clear()

    def submit(self, work: Callable[..., Any], *given: Any) -> Any:
        """The future of ``work(*given)`` on some worker, which is repeated elsewhere if that worker dies."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph")  # it is sent once, which is what is advised
            return self.client.submit(work, *given, key=f"degnn_{work.__name__.strip('_')}-{uuid.uuid4().hex}")

    def cancel(self, futures: Iterable[Any]) -> None:
        """What is queued is not begun, and what is being worked on ends soon."""
        with contextlib.suppress(Exception):  # the scheduler may be gone, and with it the work
            self.client.cancel(list(futures))

    def close(self) -> None:
        """Nothing more will be asked; a client that was given stays open."""
        self.forget()
        if self._ours:
            with contextlib.suppress(Exception):
                self.client.close(timeout=CONNECT)


def _itself(thing: Any) -> Any:
    return thing


def _connected(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise ParameterError(
            "Workers on a cluster need the package distributed, which is not installed: "
            "pip install 'degnn_explore[cluster]'. Without it give the number of processes on this machine."
        ) from None
    try:
        return Client(address, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise ParameterError(
            f"No Dask scheduler answers at {shown(address)} ({' '.join(str(error).split()) or type(error).__name__}). "
            "Expected is what 'dask scheduler' says when it starts, such as tcp://10.0.0.7:8786."
        ) from None


def needs_workers(workers: Any) -> None:
    """A ParameterError that says what may be given."""
    raise ParameterError(
        f"workers={shown(workers)} cannot be worked with: expected a whole number of processes, the address of a Dask "
        "scheduler such as 'tcp://10.0.0.7:8786', or a dask.distributed.Client (of a cluster: cluster.get_client())."
    )
