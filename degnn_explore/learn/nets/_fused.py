"""Two operations of the networks as one pass over memory on the CPU, compiled, with their gradients.

Kept because they were measured (C. elegans, one thread, CPU seconds of an epoch): the figures stand with each.
The loop that computes z stands twice: as a function of its own, called by both, it takes up to three times as long.
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
    if x.device.type == "cpu" and x.dtype == torch.float32 and not x.requires_grad:
        parts: list[Tensor] = [part for linear in linears for part in linear.parameters()]  # Θ and bias in turn
        return _ReluSum.apply(x, torch.stack(parts[0::2]).transpose(1, 2), torch.stack(parts[1::2]))
    total = torch.relu(linears[0](x[:, 0]))
    for k in range(1, len(linears)):
        total = total + torch.relu(linears[k](x[:, k]))
    return total


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
