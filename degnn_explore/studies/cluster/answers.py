"""Many pieces of one question answered on a Dask cluster, and handed on in the order in which they were asked."""

from __future__ import annotations

import pickle
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping
from typing import Any, TypeVar

from ...common.errors import ParameterError
from ...common.parallel import at_most
from ..carrying import pack, unpack
from .connection import Cluster
from .versions import need_same, versions_here

_AHEAD = 3  # pieces for each place: worked on, ready, and answered while an earlier one is not
_FEW = 4  # pieces that are asked while there is no worker
_LOOK = 5.0  # seconds between two looks whether the cluster is there
Item = TypeVar("Item")


def in_order(
    workers: Any, work: Callable[[Item], Any], items: Iterable[Item], models: Iterable[str] = ()
) -> Generator[tuple[Item, Any], None, None]:
    """``((item, work(item)) for item in items)``, by a cluster; items are read as they are needed.

    Parameters
    ----------
    workers
        The address of a scheduler, or a client of it.
    work
        What holds all that an answer needs, such as a model and a graph; it is sent once.
    models
        Names of models in it: those of the user go along.

    Examples
    --------
    >>> from distributed import LocalCluster
    >>> with LocalCluster(1, processes=False, protocol="tcp", host="127.0.0.1", dashboard_address=None) as local:
    ...     list(in_order(local.scheduler_address, abs, [-1, 2, -3]))
    [(-1, 1), (2, 2), (-3, 3)]
    """
    cluster, packed = Cluster(workers), _packed(work, models)
    waiting: deque[tuple[Item, Any]] = deque()

    def ask(item: Item) -> Any:
        return cluster.submit(answer, cluster.sent(packed), pickle.dumps(item), versions_here())

    def first() -> tuple[Item, Any]:
        while True:
            try:
                return waiting[0][0], _answered(cluster, waiting[0][1])
            except _Lost:
                cluster.forget()
                again = [(item, ask(item)) for item, _ in waiting]
                waiting.clear()
                waiting.extend(again)

    try:
        for item in items:
            waiting.append((item, ask(item)))
            while len(waiting) >= max(_FEW, _AHEAD * cluster.places()):
                yield first()
                waiting.popleft()
        while waiting:
            yield first()
            waiting.popleft()
    finally:
        cluster.cancel(future for _, future in waiting)
        cluster.close()


class _Lost(Exception):
    """The scheduler forgot what it was asked."""


def _answered(cluster: Cluster, future: Any) -> Any:
    """The answer, as soon as it is there; an error of the work is raised as it is."""
    from distributed import CancelledError, KilledWorker

    while True:
        try:
            return future.result(timeout=_LOOK)
        except TimeoutError:
            cluster.places()  # raises if the cluster is gone
        except CancelledError:
            raise _Lost from None
        except KilledWorker as error:
            raise ParameterError(f"Every worker that was asked died: {error}") from None
        except ImportError:
            cluster.check()  # says which worker has not what is needed
            raise


# ---- in a worker ----------------------------------------------------------------------------------

_here = threading.local()  # what was unpacked last, by each thread for itself


def answer(packed: bytes, item: bytes, expected: Mapping[str, str]) -> Any:
    """What the packed work says of an item, by one thread."""
    from distributed import get_worker

    need_same(get_worker().address, versions_here(), expected)
    if getattr(_here, "packed", None) != packed:
        carried, work = pickle.loads(packed)
        unpack(carried)
        _here.packed, _here.work = packed, pickle.loads(work)
    with at_most(1):
        return _here.work(pickle.loads(item))


def _packed(work: Callable[[Any], Any], models: Iterable[str]) -> bytes:
    import cloudpickle

    carried = pack(models)
    try:
        return pickle.dumps((carried, cloudpickle.dumps(work)))
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise ParameterError(f"This cannot be sent to a cluster ({why}); leave out --workers to do it here.") from error
