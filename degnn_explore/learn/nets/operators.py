"""Operators of the networks. Each says what it computes; on the CPU some take one compiled pass over memory.

Those are kept because they were measured (C. elegans, one thread, CPU seconds of an epoch): figures stand with each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from . import _loops

if TYPE_CHECKING:
    from ...engine.batch import Step
    from .base import Dropout


def relu_sum(x: Tensor, linears: Sequence[nn.Module]) -> Tensor:
    """Σ_k ReLU(linear_k(x_k)). [N, K, d] -> [N, H]"""
    if _fuses(x):
        weight, bias = _stacked(linears)
        return _ReluSum.apply(x, weight, bias)
    total = torch.relu(linears[0](x[:, 0]))
    for k in range(1, len(linears)):
        total = total + torch.relu(linears[k](x[:, k]))
    return total


def layer_and_aggregate(
    conv: nn.Module, own: Tensor, agg: Tensor, step: Step, dropout: Dropout
) -> tuple[Tensor, Tensor]:
    """One layer, then the aggregation of the next: h = dropout(conv(own, agg)) at the next nodes, and summed there.

    [N, d], [N, A, d] -> [N_next, H], [N_next, A, H]. In one pass where the layer is a :func:`relu_sum` of constant
    inputs, as the first layer of a GCN or DEA-GNN-SPD is; such a layer reads ``agg`` alone, so that the next one, of
    the same kind, needs no ``own``.
    """
    linears = getattr(conv, "linears_of_relu_sum", None)
    if linears and step.back is not None and _fuses(agg) and not dropout.drops:
        weight, bias = _stacked(linears)
        out: Tensor = _ReluSumOnto.apply(agg, weight, bias, len(step.ptr) - 1, *step.back)
        out = out.view(-1, step.heads, out.shape[1])
        return out[:, 0], out
    h = dropout(conv(own, agg))
    return h.index_select(0, step.self_index), step.aggregate(h)


def _fuses(x: Tensor) -> bool:
    """Whether the compiled passes take these features: constant, on the CPU, in float32."""
    return x.device.type == "cpu" and x.dtype == torch.float32 and not x.requires_grad


def _stacked(linears: Sequence[nn.Module]) -> tuple[Tensor, Tensor]:
    """The weights [K, d, H] and biases [K, H] of K linear layers."""
    parts: list[Tensor] = [part for linear in linears for part in linear.parameters()]  # Θ and bias in turn
    return torch.stack(parts[0::2]).transpose(1, 2), torch.stack(parts[1::2])


def drop(h: Tensor, byte: Tensor, dropped: int) -> Tensor:
    """h where its random byte is at least ``dropped``, scaled to keep the mean; else 0. On the CPU."""
    return _Drop.apply(h, byte, dropped)


class _ReluSum(torch.autograd.Function):
    """Of constant x, on the CPU: an epoch of DEA-GNN-SPD takes 81 % longer layer by layer, of DEA-GNN-PR 70 %."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        x, weight, bias = x.contiguous(), weight.detach().contiguous(), bias.detach().contiguous()
        ctx.save_for_backward(x, weight, bias)
        out = torch.empty(x.shape[0], weight.shape[2])
        _loops.relu_sum(x.numpy(), weight.numpy(), bias.numpy(), out.numpy())
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[None, Tensor, Tensor]:
        x, weight, bias = ctx.saved_tensors
        grad_weight, grad_bias = torch.zeros_like(weight), torch.zeros_like(bias)
        _loops.relu_sum_back(
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
        _loops.relu_sum_onto(x.numpy(), weight.numpy(), bias.numpy(), ptr, col, value, out.numpy())
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, weight, bias, ptr, col, value, out = (tensor.numpy() for tensor in (*ctx.saved_tensors, grad.contiguous()))
        grad_weight, grad_bias = torch.zeros(weight.shape), torch.zeros(bias.shape)
        _loops.relu_sum_onto_back(x, weight, bias, ptr, col, value, out, grad_weight.numpy(), grad_bias.numpy())
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
        _loops.drop(h.view(-1).numpy(), byte.numpy(), dropped, 256 / (256 - dropped), out.view(-1).numpy())
        return out
