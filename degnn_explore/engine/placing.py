"""Where the data of a model are when it computes: in memory for the CPU, else on the device, all or in chunks."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..common.errors import ParameterError
from ..common.files import readable_size
from .store import SetData, ahead
from .tables import Table

SHARE = 0.5  # of a device's free memory that data may take; the rest is for weights and what a batch computes
CHUNK = 64_000_000  # bytes that are staged at a time where the data do not fit
UNKNOWN = 4_000_000_000  # bytes taken as free where a device does not say
_ALIGNED = 16  # bytes; an item of a tensor begins at a multiple of its size

Ints = NDArray[np.int64]
log = logging.getLogger("degnn_explore")


class Order(NamedTuple):
    """Numbers of target sets, on the host and on the device."""

    here: Ints
    there: Tensor

    def part(self, begin: int, end: int | None = None) -> Order:
        return Order(self.here[begin:end], self.there[begin:end])


class TooLittleMemory(ParameterError):
    """A device cannot hold what even one target set needs; fewer runs at once may help."""


@dataclass(frozen=True)
class Placement:
    """Where a model was computed, and its data.

    Examples
    --------
    >>> print(Placement("cuda:0", "device", 7_900_000, 310_000_000))
    cuda:0: 7.9 MB of data copied there once; 310 MB of its memory used at most
    """

    device: str
    where: str  # "memory", "streamed", "device", "chunks" or "batches", see :class:`Placed`
    nbytes: int  # of the data
    used: int | None = None  # of the device's memory at most, if it says
    note: str = ""

    def __str__(self) -> str:
        how = {
            "memory": "in memory",
            "streamed": "too large to keep, extracted anew for each batch",
            "device": "copied there once",
        }.get(self.where, f"staged in {self.where}")
        used = "" if self.used is None else f"; {readable_size(self.used)} of its memory used at most"
        return f"{self.device}: {readable_size(self.nbytes)} of data {how}{used}{self.note and '; '}{self.note}"


class Placed:
    """The data of many target sets for a model on ``device``: batches of them, whatever their place.

    On the CPU they stay where they are. Elsewhere they are copied once if they take at most ``SHARE`` of the device's
    free memory, and a batch is gathered there; else chunks of a few batches are staged ahead, each in one copy.

    Attributes
    ----------
    where
        "memory", "streamed" (on the CPU, batch by batch), "device", "chunks" or, of data without a table, "batches".

    Examples
    --------
    >>> from degnn_explore import Graph
    >>> from degnn_explore.engine.egonets import blocks
    >>> placed = Placed(blocks(Graph.from_edges([(0, 1), (1, 2), (2, 3)]), [(0, 3), (1, 2)], layers=2), "cpu")
    >>> [batch.num_sets for _, batch in placed.batches(placed.order(np.array([1, 0])), [1, 1])]
    [1, 1]
    """

    def __init__(self, data: SetData, device: str) -> None:
        self.data, self.device = data, torch.device(device)
        self.where, self.note = "streamed" if data.streamed else "memory", ""
        self._table: Table | None = None
        if self.device.type == "cpu":
            return
        self.where, self._stage = "chunks", _Stage(self.device)
        if type(data).table is SetData.table:
            self.where = "batches"
        elif not data.streamed and data.nbytes <= SHARE * free_memory(self.device):
            try:
                self._table, self.where = data.table().to(self.device), "device"
            except RuntimeError as error:  # another process took the memory meanwhile
                if not out_of_memory(error):
                    raise

    def shrink(self, at_once: int) -> int:
        """After the device ran out of memory: of how many sets a batch should be from here on, at most."""
        if at_once > 1:
            at_once = -(-at_once // 2)
            self.note = f"for want of memory {at_once} sets at a time are computed"
        elif self._table is not None:
            self._table, self.where = None, "chunks"
            self.note = "for want of memory one set at a time is computed, and the data are no longer there"
        else:
            raise TooLittleMemory(
                f"{self.device} has too little memory for what a single target set needs ({self.placement()}); train "
                "fewer runs at once, use device='cpu', or take fewer layers, hops or hidden channels."
            )
        empty = getattr(getattr(torch, self.device.type, None), "empty_cache", None)
        if empty is not None:
            empty()
        log.warning("%s ran out of memory: %s. Nothing is lost.", self.device, self.note)
        return at_once

    def placement(self) -> Placement:
        """Where the data are now, and what the device says of its memory."""
        ask = getattr(getattr(torch, self.device.type, None), "max_memory_allocated", None)
        used = None if ask is None else int(ask(self.device))
        return Placement(str(self.device), self.where, self.data.nbytes, used, self.note)

    def order(self, index: Ints) -> Order:
        """These sets, to be asked for: one copy to the device."""
        return Order(index, torch.from_numpy(index).to(self.device))

    def batches(self, order: Order, sizes: Sequence[int]) -> Iterator[tuple[Tensor, Any]]:
        """Batches of so many sets of ``order`` each, with their numbers on the device."""
        ends = list(accumulate(sizes, initial=0))
        parts = [order.part(*bounds) for bounds in pairwise(ends)]
        if self.where in ("memory", "streamed"):
            batches: Iterator[Any] = self.data.batches([part.here for part in parts])
        elif self._table is not None:
            batches = (self._table.batch(part.there, part.here) for part in parts)
        elif self.where == "batches":
            batches = ahead([part.here for part in parts], lambda index: self.data.batch(index, self.device))
        else:
            batches = self._staged(order.here, sizes)
        return zip((part.there for part in parts), batches, strict=True)

    def _staged(self, index: Ints, sizes: Sequence[int]) -> Iterator[Any]:
        """Chunk by chunk, a whole number of batches each; a thread extracts, packs and sends the next one meanwhile."""
        most = max(CHUNK * len(self.data) // max(self.data.nbytes, 1), 1)  # sets
        chunks: list[list[int]] = []
        for size in sizes:
            if not chunks or sum(chunks[-1]) + size > most:
                chunks.append([])
            chunks[-1].append(size)
        ends = list(accumulate(map(sum, chunks), initial=0))
        parts = [index[begin:end] for begin, end in pairwise(ends)]
        tables = ahead(parts, lambda part: self._stage.send(self.data.table(part)))
        for table, within in zip(tables, chunks, strict=True):
            here, begin = np.arange(sum(within)), 0
            there = torch.arange(sum(within), device=self.device)
            for size in within:
                yield table.batch(there[begin : begin + size], here[begin : begin + size])
                begin += size


class _Stage:
    """Two buffers in turn, page-locked for a GPU so that a copy runs beside the computation, and used again."""

    def __init__(self, device: torch.device) -> None:
        self._device, self._pinned = device, device.type == "cuda"
        self._buffers = [torch.empty(0, dtype=torch.uint8)] * 2
        self._copied: list[Any] = [None, None]  # events: the copy out of each buffer has ended
        self._turn = 0

    def send(self, table: Table) -> Table:
        """The table on the device, in one copy."""
        begins = [0, *accumulate(-(-x.nbytes // _ALIGNED) * _ALIGNED for x in table.tensors)]
        self._turn = turn = 1 - self._turn
        if self._copied[turn] is not None:
            self._copied[turn].synchronize()
        if len(self._buffers[turn]) < begins[-1]:
            self._buffers[turn] = torch.empty(begins[-1], dtype=torch.uint8, pin_memory=self._pinned)
        packed = self._buffers[turn][: begins[-1]]
        for mine, x in zip(_unpacked(packed, begins, table), table.tensors, strict=True):
            mine.copy_(x)
        there = packed.to(self._device, non_blocking=self._pinned)
        if self._pinned:
            self._copied[turn] = torch.cuda.current_stream(self._device).record_event()
        return Table(tuple(_unpacked(there, begins, table)), table.gather)


def _unpacked(packed: Tensor, begins: Sequence[int], like: Table) -> Iterator[Tensor]:
    """The tensors that stand one after the other in bytes, with the types and shapes of those of ``like``."""
    for begin, x in zip(begins, like.tensors, strict=False):
        yield packed[begin : begin + x.nbytes].view(x.dtype).view(x.shape)


def free_memory(device: torch.device) -> int:
    """Bytes that a device says are free; ``UNKNOWN`` if it says nothing.

    >>> free_memory(torch.device("cpu")) == UNKNOWN
    True
    """
    if device.type == "mps":
        return torch.mps.recommended_max_memory() - torch.mps.driver_allocated_memory()
    ask = getattr(getattr(torch, device.type, None), "mem_get_info", None)  # torch.cuda, torch.xpu, ...
    return int(ask(device)[0]) if ask is not None else UNKNOWN


def out_of_memory(error: BaseException) -> bool:
    """Whether a device had too little memory; Apple's says so in words alone."""
    return isinstance(error, torch.OutOfMemoryError | TooLittleMemory) or "out of memory" in str(error)
