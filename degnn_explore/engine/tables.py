"""Batches gathered where they are computed: flat tensors of many sets, and how a batch is taken from them by index.

The host knows every size beforehand, so that no operation makes an accelerator wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ._ball import GCN, SUM
from ._fill import FlatBlocks, FlatEgos
from .batch import Blocks, Step, Subgraphs

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Table:
    """The data of some target sets: ``gather(tensors, index, here)`` is the batch of those numbered ``index``.

    ``index`` is where the tensors are, ``here`` the same numbers on the host, for the sizes that only it knows.
    """

    tensors: tuple[Tensor, ...]
    gather: Callable[[Sequence[Tensor], Tensor, Ints], Any]

    def batch(self, index: Tensor, here: Ints) -> Any:
        return self.gather(self.tensors, index, here)

    def to(self, device: str | torch.device) -> Table:
        """The same table on another device; to a GPU it is sent from pinned memory."""
        pinned = torch.device(device).type == "cuda"
        sent = ((x.pin_memory() if pinned else x).to(device, non_blocking=pinned) for x in self.tensors)
        return Table(tuple(sent), self.gather)


def row_table(tensors: Sequence[Tensor], make: Callable[..., Any], shared: Sequence[Tensor] = ()) -> Table:
    """Of data that are one row of each tensor for a set; ``make`` puts the rows of a batch together with ``shared``."""
    count = len(tensors)

    def gather(held: Sequence[Tensor], index: Tensor, _: Ints) -> Any:
        return make(*(x.index_select(0, index) for x in held[:count]), *held[count:])

    return Table((*tensors, *shared), gather)


def ranges(first: Tensor, sizes: Tensor, total: int) -> Tensor:
    """first[i], first[i] + 1, ..., sizes[i] of them, for each i in turn; ``total`` of them in all.

    >>> ranges(torch.tensor([10, 5, 0]), torch.tensor([2, 0, 3]), 5)
    tensor([10, 11,  0,  1,  2])
    """
    shift = torch.repeat_interleave(first - starts_of(sizes), sizes, output_size=total)
    return shift + torch.arange(total, device=sizes.device)


def starts_of(sizes: Tensor) -> Tensor:
    """Where each piece begins when pieces of these sizes follow one another."""
    return sizes.cumsum(0) - sizes


def ends_of(sizes: Tensor, kind: torch.dtype) -> Tensor:
    """The row pointer of a sparse matrix whose rows have these sizes."""
    return torch.nn.functional.pad(sizes.cumsum(0, dtype=kind), (1, 0))


def ego_table(flat: FlatEgos) -> Table:
    """The ego-networks in ``flat`` as :class:`Subgraphs`."""
    sizes = np.stack([np.diff(flat.node_ptr), np.diff(flat.edge_ptr)], axis=1)
    arrays = [np.concatenate([[flat.node_ptr[:-1], flat.edge_ptr[:-1]], sizes.T]), flat.x, flat.length, flat.column]

    def gather(tensors: Sequence[Tensor], index: Tensor, here: Ints) -> Subgraphs:
        numbers, x, length, column = tensors
        node_ptr, edge_ptr, nodes, edges = numbers.index_select(1, index).unbind()  # [k] each
        (total, size), longest = sizes[here].sum(axis=0).tolist(), int(sizes[here, 0].max())
        kept, start = ranges(node_ptr, nodes, total), starts_of(nodes)
        lengths = length.index_select(0, kept)
        col = column.index_select(0, ranges(edge_ptr, edges, size))
        col = col + torch.repeat_interleave(start.to(col.dtype), edges, output_size=size)
        # A is symmetric, so the way back is the same matrix
        matrix = (ends_of(lengths, col.dtype), col, torch.ones(size, device=col.device))
        step = Step(torch.arange(total, device=col.device), 1, total, *matrix, matrix)
        place = ranges(torch.arange(len(here), device=col.device) * longest, nodes, total)
        degree = lengths[:, None].to(torch.float32)
        return Subgraphs(x.index_select(0, kept), step, degree, place, len(here), longest)

    return Table(tuple(torch.from_numpy(array) for array in arrays), gather)


def block_table(flat: FlatBlocks, aggregation: int, heads: int, raw: bool, p: int) -> Table:
    """The blocks in ``flat``."""
    levels = flat.entries.shape[1]
    numbers = np.concatenate(
        [[flat.row_ptr[:-1], flat.head_ptr[:-1], flat.entry_ptr[:-1]], flat.rows.T, flat.entries.T]
    )
    arrays = [numbers, flat.x_self, flat.x_agg, flat.scale, flat.length, flat.column]

    def gather(tensors: Sequence[Tensor], index: Tensor, here: Ints) -> Blocks:
        numbers, x_self, x_agg, scale, length, column = tensors
        row_ptr, head_ptr, entry_ptr, *sizes = numbers.index_select(1, index).unbind()  # [k] each
        rows, entries = sizes[: levels + 1], sizes[levels + 1 :]
        num_rows, num_entries = flat.rows[here].sum(axis=0).tolist(), flat.entries[here].sum(axis=0).tolist()
        kept = ranges(row_ptr, rows[0], num_rows[0])
        steps, root = [], scale.index_select(0, kept) if aggregation == GCN else scale
        for level in range(levels):
            after, size, start = num_rows[level + 1], num_entries[level], starts_of(rows[level])
            self_index = ranges(start, rows[level + 1], after)
            lengths = length.index_select(0, ranges(head_ptr, rows[level + 1] * heads, after * heads))
            col = column.index_select(0, ranges(entry_ptr, entries[level], size))
            col = col + torch.repeat_interleave(start.to(col.dtype), entries[level], output_size=size)
            if aggregation == GCN:
                before, root = root, root.index_select(0, self_index)
                weight = torch.repeat_interleave(root, lengths, output_size=size) * before.index_select(0, col)
            elif aggregation == SUM:
                weight = torch.ones(size, device=col.device)
            else:
                share = 1 / lengths.clamp(min=1).to(torch.float32)
                weight = torch.repeat_interleave(share, lengths, output_size=size)
            steps.append(Step(self_index, heads, num_rows[level], ends_of(lengths, col.dtype), col, weight))
        x = [rows.index_select(0, kept) for rows in ([x_self] if raw else [x_self, x_agg])]
        return Blocks(x[0], None if raw else x[1], steps, len(here), p)

    return Table(tuple(torch.from_numpy(array) for array in arrays), gather)
