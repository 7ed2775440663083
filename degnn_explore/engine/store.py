"""Flat storage of what was extracted for many target sets: kept in memory if it fits, streamed if not."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..common.errors import check_memory
from ..common.files import readable_size
from ._ball import MOST_NODES, Memory
from .request import Work

if TYPE_CHECKING:
    from .tables import Table

HEAVY = 1000  # nodes of an ego-network: 256 of them with 100 channels take 100 MB
FEWER = "Raise budget=, take fewer layers, hops or columns, or set max_nodes_per_hop=."

Flat = TypeVar("Flat")
Item = TypeVar("Item")
Made = TypeVar("Made")
Batch = TypeVar("Batch", bound=Any)


class SetData(ABC):
    """The input of a model for many target sets, by the batch."""

    heavy: bool = False  # whether sets are so large that a batch should have only a few
    streamed: bool = False  # whether each batch is computed when it is needed
    nbytes: int = 0  # of the data of all sets
    capping: str = ""  # a sentence, if some sets are seen only in part

    @abstractmethod
    def __len__(self) -> int: ...

    def table(self, index: Any = None) -> Table:
        """The table from which batches of these sets (None: of all) are gathered."""
        raise NotImplementedError

    @property
    def has_table(self) -> bool:
        return type(self).table is not SetData.table

    def batch(self, index: Any, device: Any = "cpu") -> Any:
        """The data of the sets numbered in ``index``, in that order; to a device they are sent from pinned memory."""
        import torch

        here = np.asarray(index)
        if str(device) == "cpu" and not self.streamed:
            return self._whole.batch(torch.from_numpy(here), here)
        table = self.table(here).to(device)
        return table.batch(torch.arange(len(here), device=device), np.arange(len(here)))

    @cached_property
    def _whole(self) -> Table:
        return self.table()

    def batches(self, indices: Iterable[Any]) -> Iterator[Any]:
        """:meth:`batch` for each of ``indices`` in turn; if streamed, a thread makes the next one meanwhile."""
        # with a thread an epoch of DEA-GNN-SPD on pb takes two thirds of the time
        return ahead(indices, self.batch) if self.streamed else map(self.batch, indices)


class Store(SetData, Generic[Flat, Batch]):
    """Sizes of all sets, and their data in flat arrays unless they are streamed.

    A subclass implements count, extract and gather; extraction is a function of the set alone, so
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
        Whether that is more than the budget, so that each batch is extracted when it is needed.
    """

    _nodes: NDArray[np.int64]  # stored of each set

    def __init__(self, work: Work) -> None:
        self._work, number = work, len(work.sets)
        self.in_dim, self.p = work.in_dim, work.sets.shape[1]
        self._caps, self._lost = np.full(number, work.cap), np.zeros(number, dtype=np.int64)
        work.ranges(number, self._count, "sizing ego-networks")
        if not work.cap and len(hubs := np.flatnonzero(self._nodes > MOST_NODES)):
            self._thin(hubs)
        self.capped, self.capping = bool(self._lost.any()), self._in_words()
        sizes = self._bytes(slice(None))
        self.nbytes = int(sizes.sum())
        self.streamed = self.nbytes > work.request.budget
        self.heavy = self.streamed or int(self._nodes.max(initial=0)) > HEAVY
        check_memory(
            "The ego-network of a single target set",
            int(sizes.max(initial=0)),
            budget=work.request.budget,
            remedy=FEWER,
        )
        self._store = None if self.streamed else self._extract(np.arange(number))

    def _thin(self, hubs: NDArray[np.int64]) -> None:
        """Cap the ego-networks around hubs; the others stay whole."""
        cap = max(1, MOST_NODES // self._work.request.radius)
        warnings.warn(
            f"{len(hubs):,} of {len(self):,} ego-networks hold more than {MOST_NODES:,} nodes, the largest "
            f"{self._nodes.max():,}; of those, {cap:,} nodes are kept at each hop. Set max_nodes_per_hop= to choose.",
            stacklevel=5,
        )
        self._caps[hubs] = cap

        def again(begin: int, end: int, memory: Memory) -> None:
            for s in hubs[begin:end]:
                self._count(s, s + 1, memory)

        self._work.ranges(len(hubs), again, "sizing ego-networks")

    def _caps_of(self, part: slice | NDArray[np.int64]) -> NDArray[np.int64] | None:
        """How many nodes each of these sets keeps at a hop (0: all); None if none is capped: that is compiled less."""
        return self._caps[part] if self._caps.any() else None

    def _in_words(self) -> str:
        """A sentence about what caps left out; "" if nothing."""
        if not self._lost.any():
            return ""
        of_all = f"{np.count_nonzero(self._lost):,} of {len(self):,} ego-networks are seen in part"
        return f"{of_all}: of the nodes met at a hop at most {self._caps.max():,} are kept"

    @abstractmethod
    def _count(self, begin: int, end: int, memory: Memory) -> None:
        """Size the sets begin..end; ``_lost`` is how many nodes each lost to its cap."""

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
        return len(self._work.sets)

    def __repr__(self) -> str:
        notes = (", streamed" if self.streamed else "") + (", capped" if self.capped else "")
        return (
            f"{type(self).__name__}({len(self):,} sets of {self.p}, {self.in_dim} features, "
            f"{readable_size(self.nbytes)}{notes})"
        )

    def batch(self, index: Any, device: Any = "cpu") -> Batch:
        """The data of the target sets numbered in ``index`` (integers, or a mask), in that order."""
        wanted = self._wanted(index)
        if str(device) != "cpu":
            return super().batch(wanted, device)
        if self._store is not None:
            return self._gather(self._store, wanted)
        return self._gather(self._extract(wanted, quiet=True), np.arange(len(wanted)))

    def _wanted(self, index: Any) -> NDArray[np.int64]:
        """The numbers of the sets of a batch, checked; their data must fit."""
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
        size = int(self._bytes(wanted).sum())
        remedy = "Take smaller batches, or raise budget=."
        check_memory(
            f"This batch of {len(wanted):,} target sets", size, budget=self._work.request.budget, remedy=remedy
        )
        return wanted


def ahead(items: Iterable[Item], make: Callable[[Item], Made]) -> Iterator[Made]:
    """``make`` of each item in turn; a thread makes the next one meanwhile.

    Examples
    --------
    >>> list(ahead([1, 2, 3], lambda x: x * x))
    [1, 4, 9]
    """
    coming: Future[Made] | None = None
    with ThreadPoolExecutor(1, "ego-network-stream") as thread:
        for item in items:
            ready, coming = coming, thread.submit(make, item)
            if ready is not None:
                yield ready.result()
        if coming is not None:
            yield coming.result()


def starts(sizes: NDArray[Any]) -> NDArray[np.int64]:
    """Where each piece begins when pieces of these sizes follow one another; the total at the end.

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
    pieces = [source[ptr[i] : ptr[i] + rows[i]] for i in index]
    return np.concatenate(pieces) if pieces else source[:0]
