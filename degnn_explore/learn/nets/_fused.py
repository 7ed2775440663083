"""Operations of the networks as one pass over memory on the CPU, compiled, with their gradients.

Kept because they were measured (C. elegans, one thread, CPU seconds of an epoch): the figures stand with each.
The loop that computes z stands in each: as a function of its own, called by all, it takes up to three times as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numba import njit
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

Array = NDArray[Any]


def relu_sum(x: Tensor, linears: Sequence[nn.Module]) -> Tensor:
    """Σ_k ReLU(linear_k(x_k)). [N, K, d] -> [N, H]"""
    if fuses(x):
        parts: list[Tensor] = [part for linear in linears for part in linear.parameters()]  # Θ and bias in turn
        return _ReluSum.apply(x, torch.stack(parts[0::2]).transpose(1, 2), torch.stack(parts[1::2]))
    total = torch.relu(linears[0](x[:, 0]))
    for k in range(1, len(linears)):
        total = total + torch.relu(linears[k](x[:, k]))
    return total


def fuses(x: Tensor) -> bool:
    """Whether :func:`relu_sum_onto` takes these features: constant, on the CPU, to be computed in float32."""
    if x.device.type != "cpu" or x.dtype != torch.float32 or x.requires_grad:
        return False
    return not torch.is_autocast_enabled("cpu")  # bf16 was asked for


def relu_sum_onto(x: Tensor, linears: Sequence[nn.Module], scale: Tensor, rows: int, back: Sequence[Tensor]) -> Tensor:
    """M h with h = Σ_k ReLU(linear_k(scale x_k)), which is never written down. [N, K, d] -> [rows, H]

    ``back`` is the transpose of the sparse M, that is the rows of M h that hear each of the N nodes: ptr, col, weight.
    """
    parts: list[Tensor] = [part for linear in linears for part in linear.parameters()]  # Θ and bias in turn
    weight = torch.stack(parts[0::2]).transpose(1, 2) * scale[:, None]  # units are a matter of the weights, too
    out: Tensor = _ReluSumOnto.apply(x, weight, torch.stack(parts[1::2]), rows, *back)
    return out


def drop(h: Tensor, byte: Tensor, dropped: int) -> Tensor:
    """h where its random byte is at least ``dropped``, scaled to keep the mean; else 0. On the CPU, float32."""
    return _Drop.apply(h, byte, dropped)


class _ReluSum(torch.autograd.Function):
    """Of constant x, on the CPU: an epoch of DEA-GNN-SPD takes 81 % longer layer by layer, of DEA-GNN-PR 70 %."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        x, weight, bias = x.contiguous(), weight.detach().contiguous(), bias.detach().contiguous()
        ctx.save_for_backward(x, weight, bias)
        out = torch.empty(x.shape[0], weight.shape[2])
        _relu_sum(x.numpy(), weight.numpy(), bias.numpy(), out.numpy())
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[None, Tensor, Tensor]:
        x, weight, bias = ctx.saved_tensors
        grad_weight, grad_bias = torch.empty_like(weight), torch.empty_like(bias)
        _relu_sum_back(
            x.numpy(), weight.numpy(), bias.numpy(), grad.contiguous().numpy(), grad_weight.numpy(), grad_bias.numpy()
        )
        return None, grad_weight, grad_bias


class _ReluSumOnto(torch.autograd.Function):
    """The first layer and the aggregation after it, node by node, of constant x, on the CPU.

    One after the other a step of DEA-GNN-SPD takes 30 % longer on C. elegans and 48 % on pb, of DE-GNN-SPD 12 and 52 %.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, rows: int, *back: Tensor) -> Tensor:
        x, weight, bias = x.contiguous(), weight.detach().contiguous(), bias.detach().contiguous()
        ctx.save_for_backward(x, weight, bias, *back)
        out = torch.zeros(rows, weight.shape[2])
        ptr, col, value = (tensor.numpy() for tensor in back)
        _relu_sum_onto(x.numpy(), weight.numpy(), bias.numpy(), ptr, col, value, out.numpy())
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, weight, bias, ptr, col, value, out = (tensor.numpy() for tensor in (*ctx.saved_tensors, grad.contiguous()))
        grad_weight, grad_bias = torch.zeros(weight.shape), torch.zeros(bias.shape)
        _relu_sum_onto_back(x, weight, bias, ptr, col, value, out, grad_weight.numpy(), grad_bias.numpy())
        return None, grad_weight, grad_bias, None, None, None, None


class _Drop(torch.autograd.Function):
    """On the CPU in one pass each way: in torch's operations an epoch of DEA-GNN-SPD takes 30 % longer."""

    @staticmethod
    def forward(ctx: Any, h: Tensor, byte: Tensor, dropped: int) -> Tensor:
        ctx.byte, ctx.dropped = byte, dropped
        return _Drop._apply(h.detach(), byte, dropped)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        return _Drop._apply(grad, ctx.byte, ctx.dropped), None, None

    @staticmethod
    def _apply(h: Tensor, byte: Tensor, dropped: int) -> Tensor:
        h = h.contiguous()
        out = torch.empty_like(h)
        _drop(h.view(-1).numpy(), byte.numpy(), dropped, 256 / (256 - dropped), out.view(-1).numpy())
        return out


@njit(cache=True, nogil=True, fastmath=True)
def _relu_sum(x: Array, weight: Array, bias: Array, out: Array) -> None:
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
def _relu_sum_back(x: Array, weight: Array, bias: Array, grad: Array, grad_weight: Array, grad_bias: Array) -> None:
    """The gradients of :func:`_relu_sum`; computing z again is cheaper than having kept it. grad [N, H]"""
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
def _drop(h: Array, draws: Array, dropped: int, factor: float, out: Array) -> None:
    """out = factor * h where the draw, a byte, is at least ``dropped``; else 0. All flat."""
    factor32 = np.float32(factor)
    for i in range(len(h)):
        out[i] = h[i] * factor32 if draws[i] >= dropped else np.float32(0)


@njit(cache=True, nogil=True, fastmath=True)
def _relu_sum_onto(x: Array, weight: Array, bias: Array, ptr: Array, col: Array, value: Array, out: Array) -> None:
    """out[row] += value Σ_k ReLU(bias_k + x_k weight_k) for each entry (row, value) of each node of x [N, K, d]."""
    heads, d, width = weight.shape
    z, h = np.empty(width, np.float32), np.empty(width, np.float32)
    for i in range(len(x)):
        if ptr[i] == ptr[i + 1]:
            continue  # nobody hears it
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


@njit(cache=True, nogil=True, fastmath=True)
def _relu_sum_onto_back(
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
    """Adds the gradients of :func:`_relu_sum_onto`, four nodes at a time. grad [rows, H]

    Long because a call in the loops would cost more than what it does.
    """
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
            z[some:] = 0
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
