"""Random walks, compiled, and nothing else.

``inside`` marks the nodes of S when the edges between them are cut; it is all False otherwise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[Any]


@njit(cache=True, nogil=True)
def walk_sums(
    indptr: Ints, indices: Ints, sets: Ints, cut: bool, steps: int, primes: Ints, points: Ints, inverse: Ints, out: Ints
) -> None:
    """sum over k = 0..steps of z^k (W^k)_{uv} modulo each prime, for v in each set; out [k, n, p, primes].

    ``inverse[q, d]`` is 1/d modulo prime q; every number stays below 2^31, so products fit 64 bits.
    """
    n = len(indptr) - 1
    inside = np.zeros(n, dtype=np.bool_)
    degree = np.empty(n, dtype=np.int64)
    x = np.empty(n, dtype=np.int64)
    y = np.empty(n, dtype=np.int64)
    out[:] = 0
    for i in range(sets.shape[0]):
        if cut:
            inside[sets[i]] = True
        for u in range(n):
            degree[u] = indptr[u + 1] - indptr[u]
            if inside[u]:
                for e in range(indptr[u], indptr[u + 1]):
                    if inside[indices[e]]:
                        degree[u] -= 1
        for j in range(sets.shape[1]):
            for q in range(len(primes)):
                prime, z = primes[q], 1
                x[:] = 0
                x[sets[i, j]] = 1
                out[i, sets[i, j], j, q] = 1
                for _ in range(steps):
                    z = z * points[q] % prime
                    for u in range(n):
                        y[u] = x[u] * inverse[q, degree[u]] % prime
                    for u in range(n):
                        total = 0
                        for e in range(indptr[u], indptr[u + 1]):
                            w = indices[e]
                            if not (inside[u] and inside[w]):
                                total += y[w]
                        x[u] = total % prime
                        out[i, u, j, q] = (out[i, u, j, q] + z * x[u]) % prime
        inside[sets[i]] = False
