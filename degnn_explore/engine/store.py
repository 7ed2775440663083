"""Flat storage of what was extracted for many target sets: kept in memory if it fits, streamed if not."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..common.files import readable_size
from ..common.limits import fits
from . import _ball, _fill
from ._ball import MOST_NODES, Scratch
from .request import Work, stored_width

if TYPE_CHECKING:
    from .tables import Table

HEAVY = 1000  # nodes of an ego-network: 256 of them with 100 channels take 100 MB
WIDE = 64  # columns of ζ from which it pays to look which of them occur
FEWER = "Raise budget=, take fewer layers, hops or columns, or set max_nodes_per_hop=."

Flat = TypeVar("Flat")
Item = TypeVar("Item")
Made = TypeVar("Made")
Batch = TypeVar("Batch", bound=Any)


class SetData(ABC):
    """The input of a model for many target sets, by the batch."""

    heavy: bool = False  # whether sets are so large that only a few should stand in a batch
    streamed: bool = False  # whether each batch is computed when it is asked for
    nbytes: int = 0  # of the data of all sets
    capping: str = ""  # which of the sets are seen in part only, in words

    @abstractmethod
    def __len__(self) -> int: ...

    def table(self, index: Any = None) -> Table:
        """What batches of these sets (None: of all) are gathered from."""
        raise NotImplementedError

    def batch(self, index: Any, device: Any = "cpu") -> Any:
        """The data of the sets numbered in ``index``, in that order."""
        import torch

        here = np.asarray(index)
        if str(device) == "cpu" and not self.streamed:
            return self._whole.batch(torch.from_numpy(here), here)
        table, here = self.table(here).to(device), np.arange(len(here))
        return table.batch(torch.from_numpy(here).to(device), here)

    @cached_property
    def _whole(self) -> Table:
        return self.table()

    def batches(self, indices: Iterable[Any]) -> Iterator[Any]:
        """:meth:`batch` for each of ``indices`` in turn; if streamed, a thread makes the next one meanwhile."""
        # with a thread an epoch of DEA-GNN-SPD on pb takes two thirds of the time
        return ahead(indices, self.batch) if self.streamed else map(self.batch, indices)


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

    _nodes: NDArray[np.int64]  # stored of each set

    def __init__(self, work: Work) -> None:
        self._work, number = work, len(work.sets)
        self.in_dim, self.p = work.columns(work.width), work.sets.shape[1]
        self._caps, self._lost = np.full(number, work.cap), np.zeros(number, dtype=np.int64)
        work.threads.ranges(number, self._count, "sizing ego-networks")
        if not work.cap and len(hubs := np.flatnonzero(self._nodes > MOST_NODES)):
            self._thin(hubs)
        if work.request.width > WIDE and work.request.encoding in (_ball.SPD, _ball.DRNL):
            self._narrow()
        self.capped, self.capping = bool(self._lost.any()), self._in_words()
        sizes = self._bytes(slice(None), work.columns(self._work.request.width))
        self.nbytes = int(sizes.sum())
        self.streamed = self.nbytes > work.budget
        self.heavy = self.streamed or int(self._nodes.max(initial=0)) > HEAVY
        fits("The ego-network of a single target set", int(sizes.max(initial=0)), budget=work.budget, remedy=FEWER)
        self._store = None if self.streamed else self._extract(np.arange(number))

    def _thin(self, hubs: NDArray[np.int64]) -> None:
        """Keep some nodes of the ego-networks around hubs: which ones have too many is a matter of each set alone."""
        cap = max(1, MOST_NODES // self._work.request.radius)
        warnings.warn(
            f"{len(hubs):,} of {len(self):,} ego-networks hold more than {MOST_NODES:,} nodes, the largest "
            f"{self._nodes.max():,}; of those, {cap:,} nodes are kept at each hop. Set max_nodes_per_hop= to choose.",
            stacklevel=5,
        )
        self._caps[hubs] = cap

        def again(begin: int, end: int, scratch: Scratch) -> None:
            for s in hubs[begin:end]:
                self._count(s, s + 1, scratch)

        self._work.threads.ranges(len(hubs), again, "sizing ego-networks")

    def _in_words(self) -> str:
        """What caps left out; "" if nothing."""
        lost = self._lost[self._lost > 0]
        if not len(lost):
            return ""
        kept = " or ".join(f"{cap:,}" for cap in np.unique(self._caps[self._lost > 0]))
        of_all = f"{len(lost):,} of {len(self):,} ego-networks are seen in part"
        return f"{of_all}: of the nodes met at a hop at most {kept} are kept"

    def _narrow(self) -> None:
        """Store ζ as wide as the distances that occur, not as max_dist allows; :meth:`_widen` makes good for it."""
        work, longest = self._work, np.zeros(len(self), dtype=np.int64)

        def measure(begin: int, end: int, scratch: Scratch) -> None:
            _fill.longest_paths(work.net, work.request, work.sets, self._caps, begin, end, scratch, longest)

        work.threads.ranges(len(self), measure, "measuring distances")
        reach = min(work.request.reach, int(longest.max(initial=0)))
        request = work.request._replace(reach=reach, width=stored_width(work.request.encoding, reach))
        self._work = replace(work, request=request)

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        """Which of the promised columns each stored one is. [stored columns]"""
        work, base, narrow = self._work, self._work.net.base.shape[1], self._work.request.width
        last = 2 if work.request.encoding == _ball.SPD else 0  # "that far or further" and "unreachable"
        zeta = np.concatenate([np.arange(narrow - last), np.arange(work.width - last, work.width)])
        copies = np.arange(work.copies)[:, None] * work.width
        return np.concatenate([np.arange(base), base + (copies + zeta).reshape(-1)])

    def _widen(self, x: NDArray[np.float32]) -> NDArray[np.float32]:
        """Every column that was promised. [..., stored columns] -> [..., in_dim]"""
        if x.shape[-1] == self.in_dim:
            return x
        wide = np.zeros((*x.shape[:-1], self.in_dim), np.float32)
        wide[..., self._places] = x
        return wide

    @abstractmethod
    def _count(self, begin: int, end: int, scratch: Scratch) -> None:
        """Size the sets begin..end, and say in ``_lost`` how many nodes each lost to its cap."""

    @abstractmethod
    def _bytes(self, part: slice | NDArray[np.int64], columns: int) -> NDArray[np.int64]:
        """Bytes of each set of ``part`` if a node has so many features."""

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
        if self._store is not None:
            batch = self._gather(self._store, wanted)
        else:
            batch = self._gather(self._extract(wanted, quiet=True), np.arange(len(wanted)))
        return batch if str(device) == "cpu" else batch.to(device)

    def _wanted(self, index: Any) -> NDArray[np.int64]:
        """The numbers of the sets that a batch is asked of, checked; their data must fit."""
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
        size = int(self._bytes(wanted, self.in_dim).sum())
        remedy = "Take smaller batches, or raise budget=."
        fits(f"This batch of {len(wanted):,} target sets", size, budget=self._work.budget, remedy=remedy)
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
    pieces = [source[ptr[i] : ptr[i] + rows[i]] for i in index]
    return np.concatenate(pieces) if pieces else source[:0]
