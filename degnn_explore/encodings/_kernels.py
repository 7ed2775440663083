"""Random walks, compiled, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.compiled import compiled

Ints = NDArray[Any]


@compiled
def walk_sums(
    indptr: Ints, indices: Ints, sources: Ints, steps: int, primes: Ints, points: Ints, inverse: Ints, out: Ints
) -> None:
    """sum over k = 0..steps of z^k (W^k)_{uv} modulo each prime, for each source v; out [sources, n, primes].

    ``inverse[q, d]`` is 1/d modulo prime q; every number stays below 2^31, so products fit 64 bits.
    """
    n = len(indptr) - 1
    x = np.empty(n, dtype=np.int64)
    y = np.empty(n, dtype=np.int64)
    out[:] = 0
    for i, source in enumerate(sources):
        for q in range(len(primes)):
            prime, z = primes[q], 1
            x[:] = 0
            x[source] = 1
            out[i, source, q] = 1
            for _ in range(steps):
                z = z * points[q] % prime
                for u in range(n):
                    y[u] = x[u] * inverse[q, indptr[u + 1] - indptr[u]] % prime
                for u in range(n):
                    total = 0
                    for e in range(indptr[u], indptr[u + 1]):
                        total += y[indices[e]]
                    x[u] = total % prime
                    out[i, u, q] = (out[i, u, q] + z * x[u]) % prime
