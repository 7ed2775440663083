"""The compiled loops of the networks on the CPU: what torch would do in many passes over memory, in one.

The loop that computes z stands twice: as a function of its own, called by both, it takes up to three times as long.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]


@njit(cache=True, nogil=True, fastmath=True)
def relu_sum(x: Array, weight: Array, bias: Array, out: Array) -> None:
    """out = Σ_k ReLU(bias_k + x_k weight_k). [N, K, d], [K, d, H], [K, H] -> [N, H]"""
    width = out.shape[1]
    z = np.empty(width, np.float32)
    for i in range(len(x)):
        row = out[i]
        for j in range(width):
            row[j] = 0
        for k in range(x.shape[1]):
            b = bias[k]
            for j in range(width):
                z[j] = b[j]
            for c in range(x.shape[2]):
                a, w = x[i, k, c], weight[k, c]
                for j in range(width):
                    z[j] += a * w[j]
            for j in range(width):
                row[j] += max(z[j], np.float32(0))


@njit(cache=True, nogil=True, fastmath=True)
def relu_sum_back(x: Array, weight: Array, bias: Array, grad: Array, grad_weight: Array, grad_bias: Array) -> None:
    """The gradients of :func:`relu_sum`; computing z again is cheaper than having kept it. grad [N, H]"""
    width = grad.shape[1]
    z = np.empty(width, np.float32)
    grad_weight[:] = 0
    grad_bias[:] = 0
    for i in range(len(x)):
        row = grad[i]
        for k in range(x.shape[1]):
            b = bias[k]
            for j in range(width):
                z[j] = b[j]
            for c in range(x.shape[2]):
                a, w = x[i, k, c], weight[k, c]
                for j in range(width):
                    z[j] += a * w[j]
            to_bias = grad_bias[k]
            for j in range(width):
                z[j] = row[j] if z[j] > 0 else np.float32(0)
                to_bias[j] += z[j]
            for c in range(x.shape[2]):
                a, to_weight = x[i, k, c], grad_weight[k, c]
                for j in range(width):
                    to_weight[j] += a * z[j]


@njit(cache=True, nogil=True)
def drop(h: Array, draws: Array, dropped: int, factor: float, out: Array) -> None:
    """out = factor * h where the draw, a byte, is at least ``dropped``; else 0. All flat."""
    factor32 = np.float32(factor)
    for i in range(len(h)):
        out[i] = h[i] * factor32 if draws[i] >= dropped else np.float32(0)
