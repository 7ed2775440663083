"""Blocks: exactly what a GNN needs to know the targets, and nothing more.

Only S is read out, so layer l is needed only on the nodes within K (L - l) hops of S, and the
first aggregation, which has no parameters, is a constant of the data. A batch is therefore dense
rows ``x_self`` and ``x_agg`` for the nodes within K (L - 1) hops, then one sparse matrix for each
later layer, ending at S.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd.function import once_differentiable

from ..common.errors import ParameterError
from ..common.parallel import Threads
from . import _ball, _fill
from ._ball import Net, Plan, Scratch
from .request import index_dtype
from .store import Store, gather, starts

__all__ = ["BlockData", "Blocks", "Step"]

Array = NDArray[Any]


class _Multiply(torch.autograd.Function):
    """M h, with the transpose of M at hand for the way back.

    torch's own way back sorts the columns each time: an epoch of DEA-GNN-SPD takes 15 % longer with it, of SEAL 47 %.
    """

    @staticmethod
    def forward(ctx: Any, h: Tensor, step: Step) -> Tensor:
        ctx.step = step
        return _weighted_sums(h, step.ptr, step.col, step.weight)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        step = ctx.step
        return _weighted_sums(grad, step.back_ptr, step.back_col, step.back_weight), None


def _weighted_sums(h: Tensor, ptr: Tensor, col: Tensor, weight: Tensor) -> Tensor:
    """The product of a matrix in CSR form and h, on any device."""
    return torch.nn.functional.embedding_bag(
        col, h.contiguous(), ptr, mode="sum", per_sample_weights=weight.to(h.dtype), include_last_offset=True
    )


@dataclass(frozen=True)
class Step:
    """One aggregation: from the rows of one layer to those, fewer, of the next.

    Attributes
    ----------
    self_index
        int64 [N_next]: where each node stands among the rows before.
    heads
        A: 1, or the number of hops K for the aggregation "hops".
    num_before
        Number of rows before, N_prev.
    ptr, col, weight
        The sparse matrix [N_next * A, N_prev] in CSR form, ptr and col of one type; back_* is its transpose.
    """

    self_index: Tensor
    heads: int
    num_before: int
    ptr: Tensor
    col: Tensor
    weight: Tensor
    back_ptr: Tensor
    back_col: Tensor
    back_weight: Tensor

    def aggregate(self, h: Tensor) -> Tensor:
        """The weighted sum over neighbours (or over each shell). h [N_prev, c] -> [N_next, A, c]"""
        if h.shape[0] != self.num_before:
            raise ParameterError(f"This step takes {self.num_before} rows, not {h.shape[0]}; apply the steps in order.")
        return _Multiply.apply(h, self).view(-1, self.heads, h.shape[1])

    def _map(self, change: Any) -> Step:
        return replace(self, **{k: change(v) for k, v in vars(self).items() if isinstance(v, Tensor)})


@dataclass(frozen=True)
class Blocks:
    """A batch of target sets, ready for a GNN. See :meth:`BlockData.batch`.

    Attributes
    ----------
    x_self
        float32 [N, d]: features of the nodes within K (L - 1) hops; with ``raw``, within K L.
    x_agg
        float32 [N, A, d]: their first aggregation; None with ``raw``.
    steps
        The later aggregations. After the last one, rows i*p .. i*p + p - 1 are the nodes of set i.
    num_sets, p
        Number of target sets and nodes in each.
    """

    x_self: Tensor
    x_agg: Tensor | None
    steps: list[Step]
    num_sets: int
    p: int

    def _map(self, change: Any) -> Blocks:
        return replace(
            self,
            x_self=change(self.x_self),
            x_agg=None if self.x_agg is None else change(self.x_agg),
            steps=[step._map(change) for step in self.steps],
        )

    def to(self, device: str | torch.device, non_blocking: bool = False) -> Blocks:
        """The same batch on another device."""
        return self._map(lambda tensor: tensor.to(device, non_blocking=non_blocking))

    def pin_memory(self) -> Blocks:
        """The same batch in page-locked memory, from which copies to a GPU run beside the computation."""
        return self._map(lambda tensor: tensor.pin_memory())


@dataclass(frozen=True)
class FlatBlocks:
    """The blocks of many sets one after the other; what belongs to set i begins at ``*_ptr[i]``."""

    rows: Array  # [s, T + 1] nodes at each level
    entries: Array  # [s, T] entries of each step's matrix
    row_ptr: Array
    head_ptr: Array
    entry_ptr: Array
    x_self: Array
    x_agg: Array
    scale: Array
    length: Array
    column: Array


class BlockData(Store[FlatBlocks, Blocks]):
    """The blocks of all target sets, made by :func:`degnn_explore.engine.egonets.blocks`; see :class:`Store`.

    Examples
    --------
    >>> from degnn_explore import Graph
    >>> from degnn_explore.engine.egonets import blocks
    >>> data = blocks(Graph.from_edges([(0, 1), (1, 2), (2, 3)]), [(0, 3), (1, 2)], layers=2)
    >>> batch = data.batch([1])
    >>> batch.x_self.shape, batch.steps[0].aggregate(batch.x_self).shape
    (torch.Size([4, 1]), torch.Size([2, 1, 1]))
    """

    def __init__(
        self, net: Net, plan: Plan, sets: NDArray[np.int64], in_dim: int, budget: int, threads: Threads
    ) -> None:
        self._heads = plan.hops if plan.aggregation == _ball.HOPS else 1
        self._rows = np.empty((len(sets), plan.layers + 1), dtype=np.int64)
        self._entries = np.empty((len(sets), plan.layers), dtype=np.int64)
        super().__init__(net, plan, sets, in_dim, budget, threads)

    def _count(self, part: slice, scratch: Scratch, lost: NDArray[np.int64]) -> None:
        _fill.count_blocks(
            self._net, self._plan, self._sets[part], scratch, self._rows[part], self._entries[part], lost
        )

    def _bytes(self, part: slice | NDArray[np.int64]) -> NDArray[np.int64]:
        rows, plan = self._rows[part], self._plan
        floats = self.in_dim * (1 if plan.raw else 1 + self._heads) + (plan.aggregation == _ball.GCN)
        size = 4 * floats * rows[:, 0]
        if plan.layers:
            item = self._net.indices.dtype.itemsize
            size = size + 4 * self._heads * rows[:, 1] + item * self._entries[part][:, 0]
        return size

    def _extract(self, index: NDArray[np.int64], quiet: bool = False) -> FlatBlocks:
        plan, net = self._plan, self._net
        rows, entries, sets = self._rows[index], self._entries[index], self._sets[index]
        nothing = np.zeros(len(rows), np.int64)
        row_ptr = starts(rows[:, 0])
        head_ptr = starts(rows[:, 1] * self._heads if plan.layers else nothing)
        entry_ptr = starts(entries[:, 0] if plan.layers else nothing)
        total = int(row_ptr[-1])
        flat = FlatBlocks(
            rows,
            entries,
            row_ptr,
            head_ptr,
            entry_ptr,
            x_self=np.empty((total, self.in_dim), np.float32),
            x_agg=np.empty((0 if plan.raw else total, self._heads, self.in_dim), np.float32),
            scale=np.empty(total if plan.aggregation == _ball.GCN else 0, np.float32),
            length=np.empty(head_ptr[-1], np.int32),
            column=np.empty(entry_ptr[-1], net.indices.dtype),
        )

        def fill(begin: int, end: int, scratch: Scratch) -> None:
            part = slice(begin, end)
            _fill.fill_blocks(
                net,
                plan,
                sets[part],
                scratch,
                rows[part],
                row_ptr[part],
                head_ptr[part],
                entry_ptr[part],
                flat.x_self,
                flat.x_agg,
                flat.scale,
                flat.length,
                flat.column,
            )

        self._threads.ranges(len(index), fill, "extracting ego-networks", quiet)
        return flat

    def _move(self, batch: Blocks, device: Any) -> Blocks:
        if torch.device(device).type == "cuda":
            return batch.pin_memory().to(device, non_blocking=True)
        return batch.to(device)

    def _gather(self, flat: FlatBlocks, index: NDArray[np.int64]) -> Blocks:
        rows = flat.rows[index]  # [batch, T + 1]
        totals = rows.sum(axis=0)
        x_self = gather(index, flat.row_ptr, flat.rows[:, 0], flat.x_self)
        x_agg = None if self._plan.raw else gather(index, flat.row_ptr, flat.rows[:, 0], flat.x_agg)
        steps = [
            self._step(flat, index, level, int(totals[level]), int(totals[level + 1]))
            for level in range(self._plan.layers)
        ]
        return Blocks(
            torch.from_numpy(x_self), None if x_agg is None else torch.from_numpy(x_agg), steps, len(index), self.p
        )

    def _step(self, flat: FlatBlocks, index: NDArray[np.int64], level: int, before: int, after: int) -> Step:
        size = int(flat.entries[index, level].sum())
        kind = index_dtype(max(size, before, after * self._heads))
        self_index = np.empty(after, np.int64)
        ptr, back_ptr = np.empty(after * self._heads + 1, kind), np.empty(before + 1, kind)
        col, back_col = np.empty(size, kind), np.empty(size, kind)
        weight, back_weight = np.empty(size, np.float32), np.empty(size, np.float32)
        _fill.gather_step(
            index,
            self._plan.aggregation,
            self._heads,
            flat.rows,
            level,
            flat.row_ptr,
            flat.head_ptr,
            flat.entry_ptr,
            flat.scale,
            flat.length,
            flat.column,
            self_index,
            ptr,
            col,
            weight,
            back_ptr,
            back_col,
            back_weight,
        )
        tensors = map(torch.from_numpy, (ptr, col, weight, back_ptr, back_col, back_weight))
        return Step(torch.from_numpy(self_index), self._heads, before, *tensors)
