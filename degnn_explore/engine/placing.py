"""Where the data of a run are: resident on the device, or streamed to it batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..common.files import readable_size
from .store import SetData, ahead
from .tables import Table

Ints = NDArray[np.int64]

SHARE = 0.5  # of a device's free memory that data may take; the rest is for the computation
UNKNOWN = 2_000_000_000  # free bytes assumed of a device that does not report them


@dataclass(frozen=True)
class Placement:
    """Where a model was trained, and where its data were.

    Examples
    --------
    >>> print(Placement("cuda:0", "resident", 7_900_000))
    cuda:0: 7.9 MB of data, resident
    """

    device: str
    where: str  # "resident" or "streamed"
    nbytes: int  # of the data
    note: str = ""

    def __str__(self) -> str:
        return f"{self.device}: {readable_size(self.nbytes)} of data, {self.where}{self.note and '; '}{self.note}"


@dataclass(frozen=True)
class Order:
    """The order of target sets: their numbers on the host and on the device."""

    here: Ints
    there: Tensor


class Placed:
    """The data of many target sets for a model on ``device``.

    They are resident if they are kept in memory and, on an accelerator, take at most half of its free memory: then
    they are copied once and batches are gathered there. Otherwise each batch is sent from pinned memory while the one
    before is computed.

    Examples
    --------
    >>> from degnn_explore import Graph, blocks
    >>> placed = Placed(blocks(Graph.from_edges([(0, 1), (1, 2), (2, 3)]), [(0, 3), (1, 2)], layers=2), "cpu")
    >>> [batch.num_sets for _, batch in placed.batches(placed.order(np.array([1, 0])), [1, 1])]
    [1, 1]
    """

    def __init__(self, data: SetData, device: str) -> None:
        self.data, self.device = data, torch.device(device)
        self._table: Table | None = None
        self.where = "streamed" if data.streamed else "resident"
        if self.device.type != "cpu" and not data.streamed:
            if data.has_table and data.nbytes <= SHARE * free_memory(self.device):
                self._table = data.table().to(self.device)
            else:
                self.where = "streamed"

    def placement(self) -> Placement:
        return Placement(str(self.device), self.where, self.data.nbytes, self.data.capping)

    def order(self, index: Ints) -> Order:
        """These sets in this order: one copy to the device."""
        return Order(index, torch.from_numpy(index).to(self.device))

    def batches(self, order: Order, sizes: Sequence[int]) -> Iterator[tuple[Tensor, Any]]:
        """Batches of these sizes, in the order given, each with its set numbers on the device."""
        bounds = list(pairwise(accumulate(sizes, initial=0)))
        here = [order.here[begin:end] for begin, end in bounds]
        there = [order.there[begin:end] for begin, end in bounds]
        if self._table is not None:
            batches: Iterator[Any] = map(self._table.batch, there, here)
        elif self.device.type == "cpu":
            batches = self.data.batches(here)
        else:
            batches = ahead(here, lambda index: self.data.batch(index, self.device))
        return zip(there, batches, strict=True)


def free_memory(device: torch.device) -> int:
    """Free bytes of a device; ``UNKNOWN`` if it does not report them.

    >>> free_memory(torch.device("cpu")) == UNKNOWN
    True
    """
    if device.type == "mps":
        return torch.mps.recommended_max_memory() - torch.mps.driver_allocated_memory()
    ask = getattr(getattr(torch, device.type, None), "mem_get_info", None)  # torch.cuda, torch.xpu, ...
    return int(ask(device)[0]) if ask is not None else UNKNOWN
