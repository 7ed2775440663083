"""Flat storage of what was extracted for many target sets: kept in memory if it fits, streamed if not."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError
from ..common.files import readable_size
from . import _gather
from ._ball import Scratch
from .request import Work

__all__ = ["SetData", "Store"]

Flat = TypeVar("Flat")
Batch = TypeVar("Batch", bound=Any)


class SetData(ABC):
    """The input of a model for many target sets, by the batch."""

    streamed = False  # whether each batch is extracted when it is asked for, ego-networks being too large to keep

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def batch(self, index: Any, device: Any = "cpu") -> Any: ...

    def batches(self, indices: Iterable[Any], device: Any = "cpu") -> Iterator[Any]:
        """A batch for each of ``indices`` in turn."""
        for index in indices:
            yield self.batch(index, device)


class Store(SetData, Generic[Flat, Batch]):
    """Sizes of all sets, then either their data in flat arrays or the means to extract any of them.

    A child says how to count, extract and gather; extraction is a function of the set alone, so
    streamed batches equal stored ones.

    Attributes
    ----------
    in_dim
        Number of features of a node, d.
    p
        Nodes in each target set.
    capped
        Whether ``max_nodes_per_hop`` left nodes out of some ego-network.
    nbytes
        Size of the data of all sets.
    streamed
        Whether that is more than the budget, so that each batch is extracted when it is asked for.
    """

    def __init__(self, work: Work) -> None:
        self._net, self._request, self._sets, self._threads = work.net, work.request, work.sets, work.threads
        self._budget, sets = work.budget, work.sets
        self.in_dim, self.p = work.in_dim, work.sets.shape[1]
        lost = np.zeros(len(sets), dtype=np.int64)

        def count(begin: int, end: int, scratch: Scratch) -> None:
            part = slice(begin, end)
            self._count(part, scratch, lost[part])
            largest = int(self._bytes(part).max())
            if largest > work.budget:  # known as soon as that set is sized, before anything is extracted
                raise ParameterError(
                    f"The ego-network of a single target set takes {readable_size(largest)}, more than the budget "
                    f"of {readable_size(work.budget)}. Raise budget=, take fewer layers or hops, or set "
                    "max_nodes_per_hop=."
                )

        work.threads.ranges(len(sets), count, "sizing ego-networks")
        self.capped = bool(lost.any())
        self.nbytes = int(self._bytes(slice(None)).sum())
        self.streamed = self.nbytes > work.budget
        self._store = None if self.streamed else self._extract(np.arange(len(sets)))

    @abstractmethod
    def _count(self, part: slice, scratch: Scratch, lost: NDArray[np.int64]) -> None:
        """Size the sets of ``part`` and say how many nodes each lost to the cap."""

    @abstractmethod
    def _bytes(self, part: slice | NDArray[np.int64]) -> NDArray[np.int64]:
        """Bytes of each set of ``part``."""

    @abstractmethod
    def _extract(self, index: NDArray[np.int64], quiet: bool = False) -> Flat:
        """The flat data of the sets in ``index``."""

    @abstractmethod
    def _gather(self, flat: Flat, index: NDArray[np.int64]) -> Batch:
        """A batch of the sets at places ``index`` of ``flat``."""

    def __len__(self) -> int:
        return len(self._sets)

    def __repr__(self) -> str:
        notes = (", streamed" if self.streamed else "") + (", capped" if self.capped else "")
        return (
            f"{type(self).__name__}({len(self):,} sets of {self.p}, {self.in_dim} features, "
            f"{readable_size(self.nbytes)}{notes})"
        )

    def batch(self, index: Any, device: Any = "cpu") -> Batch:
        """The data of the target sets numbered in ``index`` (integers, or a mask), in that order."""
        wanted = self._index(index)
        if self._store is not None:
            batch = self._gather(self._store, wanted)
        else:
            size = int(self._bytes(wanted).sum())
            if size > self._budget:
                raise ParameterError(
                    f"This batch of {len(wanted):,} target sets takes {readable_size(size)}, more than the "
                    f"budget of {readable_size(self._budget)}; take smaller batches or raise budget=."
                )
            batch = self._gather(self._extract(wanted, quiet=True), np.arange(len(wanted)))
        if str(device) == "cpu":
            return batch
        if str(device).startswith("cuda"):  # from page-locked memory a copy runs beside the computation
            return batch.pin_memory().to(device, non_blocking=True)
        return batch.to(device)

    def batches(self, indices: Iterable[Any], device: Any = "cpu") -> Iterator[Batch]:
        """:meth:`batch` for each of ``indices`` in turn; if streamed, a thread extracts the next one meanwhile."""
        if not self.streamed:
            yield from (self.batch(index, device) for index in indices)
            return
        coming: Future[Batch] | None = None
        with ThreadPoolExecutor(
            1, "ego-network-stream"
        ) as ahead:  # pb, DEA-GNN-SPD: an epoch in two thirds of the time
            for index in indices:
                ready, coming = coming, ahead.submit(self.batch, index, device)
                if ready is not None:
                    yield ready.result()
            if coming is not None:
                yield coming.result()

    def _index(self, index: Any) -> NDArray[np.int64]:
        wanted = np.asarray(index)
        if wanted.dtype == bool:
            if wanted.shape != (len(self),):
                raise IndexError(
                    f"A mask needs one entry for each of the {len(self)} target sets, not shape {list(wanted.shape)}."
                )
            wanted = np.flatnonzero(wanted)
        wanted = wanted.astype(np.int64).reshape(-1)
        bad = (wanted < 0) | (wanted >= len(self))
        if bad.any():
            raise IndexError(f"There is no target set {wanted[bad][0]}; they are numbered 0..{len(self) - 1}.")
        return wanted


def starts(sizes: NDArray[Any]) -> NDArray[np.int64]:
    """Where each piece begins when pieces of these sizes stand one after the other; the total at the end.

    Examples
    --------
    >>> starts(np.array([2, 0, 3]))
    array([0, 2, 2, 5])
    """
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def gather(index: NDArray[np.int64], ptr: NDArray[np.int64], rows: NDArray[np.int64], source: NDArray[Any]) -> Any:
    """The rows of each set in ``index``, ``rows[i]`` from ``ptr[i]`` on, one set after the other.

    Examples
    --------
    >>> gather(np.array([1, 0]), np.array([0, 2]), np.array([2, 1]), np.array([10.0, 11.0, 20.0]))
    array([20., 10., 11.])
    """
    out = np.empty((int(rows[index].sum()), *source.shape[1:]), source.dtype)
    width = int(np.prod(source.shape[1:]))
    _gather.gather_rows(index, ptr, rows, width, source.reshape(-1), out.reshape(-1))
    return out
