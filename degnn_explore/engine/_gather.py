"""The compiled loop that puts the sparse matrices of a batch together."""

from __future__ import annotations

import numpy as np
from numba import njit

from ._ball import GCN, HOPS, MEAN, Array
from ._fill import FlatBlocks


@njit(cache=True, nogil=True)
def gather_step(
    index: Array,
    aggregation: int,
    heads: int,
    before: int,
    flat: FlatBlocks,
    self_index: Array,
    ptr: Array,
    col: Array,
    weight: Array,
    back_ptr: Array,
    back_col: Array,
    back_weight: Array,
) -> None:
    """The sparse matrix of one step for the sets in ``index``, and its transpose for the way back.

    From level ``before`` to the next; ``heads`` = A rows for each node.
    """
    rows, length, column, scale = flat.rows, flat.length, flat.column, flat.scale
    row, start, entry = 0, 0, 0
    back_ptr[:] = 0
    ptr[0] = 0
    for i in index:
        head, source, at = flat.head_ptr[i], flat.entry_ptr[i], flat.row_ptr[i]
        for r in range(rows[i, before + 1]):
            self_index[row] = start + r
            for k in range(heads):
                size = length[head]
                head += 1
                value = np.float32(1.0)
                if aggregation in (MEAN, HOPS):
                    value = np.float32(1.0) / np.float32(max(size, 1))
                for _ in range(size):
                    c = column[source]
                    source += 1
                    col[entry] = start + c
                    back_ptr[start + c + 1] += 1
                    if aggregation == GCN:
                        value = scale[at + r] * scale[at + c]
                    weight[entry] = value
                    entry += 1
                ptr[row * heads + k + 1] = entry
            row += 1
        start += rows[i, before]
    for c in range(start):
        back_ptr[c + 1] += back_ptr[c]
    for r in range(row * heads):
        for e in range(ptr[r], ptr[r + 1]):
            place = back_ptr[col[e]]
            back_col[place] = r
            back_weight[place] = weight[e]
            back_ptr[col[e]] += 1
    for c in range(start, 0, -1):
        back_ptr[c] = back_ptr[c - 1]
    back_ptr[0] = 0
