"""The numba loop of personalised PageRank by pushing, and nothing else."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@numba.njit(cache=True, nogil=True)
def push_columns(
    indptr: Array, indices: Array, sources: Array, alpha: float, tolerance: float, nodes: Array, values: Array
) -> None:
    """For each source v the largest entries of column v of (I - alpha W)^-1, by forward pushing.

    A residual of less than ``tolerance`` times its node's degree is left where it is. ``nodes`` and
    ``values`` [len(sources), top] are filled; node v itself with value 0 pads a short column.
    """
    n, top = len(indptr) - 1, nodes.shape[1]
    estimate, residual = np.zeros(n), np.zeros(n)
    queued, seen = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
    queue, touched = np.empty(n + 1, dtype=np.int64), np.empty(n, dtype=np.int64)
    for i in range(len(sources)):
        v = sources[i]
        count = 1
        touched[0] = v
        seen[v] = True
        residual[v] = 1.0
        queue[0] = v
        queued[v] = True
        head, tail = 0, 1
        while head != tail:
            u = queue[head]
            head = (head + 1) % (n + 1)
            queued[u] = False
            mass = residual[u]
            residual[u] = 0.0
            estimate[u] += mass
            degree = indptr[u + 1] - indptr[u]
            if degree == 0:
                continue
            share = alpha * mass / degree
            for e in range(indptr[u], indptr[u + 1]):
                w = indices[e]
                if not seen[w]:
                    seen[w] = True
                    touched[count] = w
                    count += 1
                residual[w] += share
                if not queued[w] and residual[w] > tolerance * (indptr[w + 1] - indptr[w]):
                    queue[tail] = w
                    queued[w] = True
                    tail = (tail + 1) % (n + 1)
        order = touched[:count][np.argsort(-estimate[touched[:count]], kind="mergesort")]
        for j in range(top):
            if j < count:
                nodes[i, j] = order[j]
                values[i, j] = estimate[order[j]]
            else:
                nodes[i, j] = v
                values[i, j] = 0.0
        for j in range(count):
            u = touched[j]
            estimate[u] = 0.0
            residual[u] = 0.0
            seen[u] = False
            queued[u] = False
