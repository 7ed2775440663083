"""Blocks: exactly what a GNN needs to know the targets, and nothing more.

Only S is read out, so layer l is needed only on the nodes within K (L - l) hops of S, and the
first aggregation, which has no parameters, is a constant of the data. A batch is therefore dense
rows ``x_self`` and ``x_agg`` for the nodes within K (L - 1) hops, then one sparse matrix for each
later layer, ending at S.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import check_memory
from . import _ball, _fill
from ._ball import Memory
from ._fill import FlatBlocks
from ._shells import Shells, all_shells
from .request import Work, index_dtype
from .store import FEWER, Store, gather, starts

if TYPE_CHECKING:
    from .batch import Blocks, Step
    from .tables import Table

_DENSE = 8192  # nodes of a graph up to which sets of nodes are bits: 8 MB a hop
_MANY = 16  # target sets from which it pays to compute the shells of every node


class BlockData(Store[FlatBlocks, "Blocks"]):
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

    def __init__(self, work: Work) -> None:
        request, number = work.request, len(work.sets)
        self._heads = request.hops if request.aggregation == _ball.HOPS else 1
        self._rows = np.empty((number, request.layers + 1), dtype=np.int64)
        self._entries = np.empty((number, request.layers), dtype=np.int64)
        self._nodes = self._rows[:, 0]
        super().__init__(work)

    def _count(self, begin: int, end: int, memory: Memory) -> None:
        work, part = self._work, slice(begin, end)
        of_each = (self._rows[part], self._entries[part], self._lost[part])
        over = (None, 1) if work.request.aggregation == _ball.HOPS else (1, None)
        _fill.count_blocks(work.net, work.request, work.sets[part], self._caps_of(part), memory.ball, *of_each, *over)

    def _bytes(self, part: slice | NDArray[np.int64]) -> NDArray[np.int64]:
        rows, request = self._rows[part], self._work.request
        floats = self.in_dim * (1 if request.raw else 1 + self._heads) + (request.aggregation == _ball.GCN)
        size = 4 * floats * rows[:, 0]
        if request.layers:
            item = self._work.net.indices.dtype.itemsize
            size = size + 4 * self._heads * rows[:, 1] + item * self._entries[part][:, 0]
        return size

    @cached_property
    def shared_shells(self) -> Shells | None:
        """The shells of all nodes; None if those of each set are better searched."""
        net, request = self._work.net, self._work.request
        n, hops = len(net.indptr) - 1, request.hops
        exact = not request.raw and request.encoding in (_ball.NONE, _ball.SPD) and not self._caps.any()
        large = hops > 1 and 16 * (len(net.indices) / max(n, 1)) ** hops > n  # they hold about degree^K nodes each
        if not (exact and large and n <= _DENSE and len(self) >= _MANY):
            return None
        return all_shells(net, hops)

    def _extract(self, index: NDArray[np.int64], quiet: bool = False) -> FlatBlocks:
        request, net = self._work.request, self._work.net
        rows, entries, sets = self._rows[index], self._entries[index], self._work.sets[index]
        nothing = np.zeros(len(rows), np.int64)
        row_ptr = starts(rows[:, 0])
        head_ptr = starts(rows[:, 1] * self._heads if request.layers else nothing)
        entry_ptr = starts(entries[:, 0] if request.layers else nothing)
        total, d = int(row_ptr[-1]), self.in_dim
        flat = FlatBlocks(
            rows,
            entries,
            row_ptr,
            head_ptr,
            entry_ptr,
            x_self=np.empty((total, d), np.float32),
            x_agg=np.empty((0 if request.raw else total, self._heads, d), np.float32),
            scale=np.empty(total if request.aggregation == _ball.GCN else 0, np.float32),
            length=np.empty(head_ptr[-1], np.int32),
            column=np.empty(entry_ptr[-1], net.indices.dtype),
        )

        hops, caps = request.aggregation == _ball.HOPS, self._caps_of(index)
        shells = self.shared_shells if hops else None
        over = (None if hops else 1, 1 if hops and shells is None else None, shells)

        def fill(begin: int, end: int, memory: Memory) -> None:
            some = (net, request, sets, caps, begin, end, memory.ball, flat)
            needed = _fill.fill_blocks(*some, *over, *memory[1:])
            check_memory("A target set with the neighbors it reads", needed, budget=request.budget, remedy=FEWER)

        self._work.ranges(len(index), self._work.with_zeta(sets, caps, fill), "extracting ego-networks", quiet=quiet)
        return flat

    def _gather(self, flat: FlatBlocks, index: NDArray[np.int64]) -> Blocks:
        import torch

        from .batch import Blocks

        totals = flat.rows[index].sum(axis=0)  # [T + 1]
        x = [flat.x_self] if self._work.request.raw else [flat.x_self, flat.x_agg]
        tensors = [torch.from_numpy(gather(index, flat.row_ptr, flat.rows[:, 0], rows)) for rows in x]
        return Blocks(
            tensors[0],
            None if self._work.request.raw else tensors[1],
            [self._step(flat, index, level, *totals[level : level + 2].tolist()) for level in range(len(totals) - 1)],
            len(index),
            self.p,
        )

    def _step(self, flat: FlatBlocks, index: NDArray[np.int64], level: int, before: int, after: int) -> Step:
        import torch

        from .batch import Step

        size, heads = int(flat.entries[index, level].sum()), after * self._heads
        kind = index_dtype(max(size, before, heads))
        arrays = [np.empty(after, np.int64)]  # self_index, then ptr, col, weight and the same of the transpose
        for rows in (heads, before):
            arrays += [np.empty(rows + 1, kind), np.empty(size, kind), np.empty(size, np.float32)]
        _fill.gather_step(index, self._work.request.aggregation, self._heads, level, flat, *arrays)
        self_index, ptr, col, weight, *back = map(torch.from_numpy, arrays)
        return Step(self_index, self._heads, before, ptr, col, weight, (back[0], back[1], back[2]))

    def table(self, index: Any = None) -> Table:
        from .tables import block_table

        flat = self._store if index is None and self._store is not None else self._part(index)
        return block_table(flat, self._work.request.aggregation, self._heads, self._work.request.raw, self.p)

    def _part(self, index: Any) -> FlatBlocks:
        """The blocks of these sets (None: of all) in new flat arrays."""
        wanted = self._wanted(np.arange(len(self)) if index is None else index)
        if (flat := self._store) is None:
            return self._extract(wanted, quiet=True)
        pointers = [flat.row_ptr, flat.head_ptr, flat.entry_ptr]
        sources = [*zip([flat.row_ptr] * 3, flat[5:8], strict=True), *zip(pointers[1:], flat[8:], strict=True)]
        return FlatBlocks(
            flat.rows[wanted],
            flat.entries[wanted],
            *(starts(np.diff(ptr)[wanted]) for ptr in pointers),
            *(gather(wanted, ptr, np.diff(ptr), source) for ptr, source in sources),
        )
