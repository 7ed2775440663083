"""The compiled passes of the networks' operators on the CPU, with their gradients.

The loop that computes z is repeated in each: as a shared function it takes up to three times as long.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...common.compiled import compiled

Array = NDArray[Any]


@compiled(plain=False, fastmath=True)
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


@compiled(plain=False, fastmath=True)
def relu_sum_back(x: Array, weight: Array, bias: Array, grad: Array, grad_weight: Array, grad_bias: Array) -> None:
    """Adds the gradients of :func:`relu_sum`; computing z again is cheaper than having kept it. grad [N, H]"""
    width = grad.shape[1]
    z = np.empty(width, np.float32)
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


@compiled(plain=False)
def drop(h: Array, draws: Array, dropped: int, factor: float, out: Array) -> None:
    """out = factor * h where the draw, a byte, is at least ``dropped``; else 0. All flat."""
    factor32 = np.float32(factor)
    for i in range(len(h)):
        out[i] = h[i] * factor32 if draws[i] >= dropped else np.float32(0)


@compiled(plain=False, fastmath=True)
def relu_sum_onto(x: Array, weight: Array, bias: Array, ptr: Array, col: Array, value: Array, out: Array) -> None:
    """out[row] += value Σ_k ReLU(bias_k + x_k weight_k) for each entry (row, value) of each node of x [N, K, d]."""
    heads, d, width = weight.shape
    z, h = np.empty(width, np.float32), np.empty(width, np.float32)
    for i in range(len(x)):
        if ptr[i] == ptr[i + 1]:
            continue  # no later row reads it
        for j in range(width):
            h[j] = 0
        for k in range(heads):
            b = bias[k]
            for j in range(width):
                z[j] = b[j]
            for c in range(0, d - 2, 3):  # three at a time: z is read and written less often
                a0, a1, a2 = x[i, k, c], x[i, k, c + 1], x[i, k, c + 2]
                w0, w1, w2 = weight[k, c], weight[k, c + 1], weight[k, c + 2]
                for j in range(width):
                    z[j] += a0 * w0[j] + a1 * w1[j] + a2 * w2[j]
            for c in range(d - d % 3, d):
                a, w = x[i, k, c], weight[k, c]
                for j in range(width):
                    z[j] += a * w[j]
            for j in range(width):
                h[j] += max(z[j], np.float32(0))
        for e in range(ptr[i], ptr[i + 1]):
            row, share = out[col[e]], value[e]
            for j in range(width):
                row[j] += share * h[j]


@compiled(plain=False, fastmath=True)
def relu_sum_onto_back(
    x: Array,
    weight: Array,
    bias: Array,
    ptr: Array,
    col: Array,
    value: Array,
    grad: Array,
    grad_weight: Array,
    grad_bias: Array,
) -> None:
    """Adds the gradients of :func:`relu_sum_onto`, four nodes at a time. grad [rows, H]"""
    heads, d, width = weight.shape
    z, g = np.zeros((4, width), np.float32), np.empty((4, width), np.float32)
    z0, z1, z2, z3 = z[0], z[1], z[2], z[3]
    a = np.zeros((4, d), np.float32)
    for first in range(0, len(x), 4):
        some = min(4, len(x) - first)
        for r in range(some):
            to_h = g[r]
            for j in range(width):
                to_h[j] = 0
            for e in range(ptr[first + r], ptr[first + r + 1]):
                row, share = grad[col[e]], value[e]
                for j in range(width):
                    to_h[j] += share * row[j]
        for k in range(heads):
            b, to_bias = bias[k], grad_bias[k]
            for r in range(some, 4):
                for j in range(width):
                    z[r, j] = 0
            for r in range(some):
                own, to_h, here = z[r], g[r], a[r]
                for j in range(width):
                    own[j] = b[j]
                for c in range(d):
                    here[c] = x[first + r, k, c]
                for c in range(0, d - 2, 3):
                    a0, a1, a2 = here[c], here[c + 1], here[c + 2]
                    w0, w1, w2 = weight[k, c], weight[k, c + 1], weight[k, c + 2]
                    for j in range(width):
                        own[j] += a0 * w0[j] + a1 * w1[j] + a2 * w2[j]
                for c in range(d - d % 3, d):
                    a0, w0 = here[c], weight[k, c]
                    for j in range(width):
                        own[j] += a0 * w0[j]
                for j in range(width):
                    own[j] = to_h[j] if own[j] > 0 else np.float32(0)
            for j in range(width):
                to_bias[j] += z0[j] + z1[j] + z2[j] + z3[j]
            for c in range(d):
                a0, a1, a2, a3, to_weight = a[0, c], a[1, c], a[2, c], a[3, c], grad_weight[k, c]
                for j in range(width):
                    to_weight[j] += a0 * z0[j] + a1 * z1[j] + a2 * z2[j] + a3 * z3[j]
