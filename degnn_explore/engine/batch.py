"""What a model is given: the blocks of a batch of target sets as tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from ..common.errors import ParameterError


class _Multiply(torch.autograd.Function):
    """M h; the backward pass uses a transpose of M that is already there.

    torch sorts the columns each time: an epoch of DEA-GNN-SPD takes 15 % longer with it, of SEAL 47 %.
    """

    @staticmethod
    def forward(ctx: Any, h: Tensor, step: Step) -> Tensor:
        ctx.step = step
        return _weighted_sums(h, step.ptr, step.col, step.weight)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return _weighted_sums(grad, *(ctx.step.back or ctx.step.transpose())), None


def _weighted_sums(h: Tensor, ptr: Tensor, col: Tensor, weight: Tensor) -> Tensor:
    """The product of a matrix in CSR form and h, on any device."""
    return torch.nn.functional.embedding_bag(
        col, h.contiguous(), ptr, mode="sum", per_sample_weights=weight.to(h.dtype), include_last_offset=True
    )


@dataclass(frozen=True)
class Step:
    """One aggregation: from the rows of one layer to those, fewer, of the next.

    Attributes
    ----------
    self_index
        int64 [N_next]: where each node stands among the rows before.
    heads
        A: 1, or the number of hops K for the aggregation "hops".
    num_before
        Number of rows before, N_prev.
    ptr, col, weight
        The sparse matrix [N_next * A, N_prev] in CSR form, ptr and col of one type.
    back
        The same of its transpose, if known.
    """

    self_index: Tensor
    heads: int
    num_before: int
    ptr: Tensor
    col: Tensor
    weight: Tensor
    back: tuple[Tensor, Tensor, Tensor] | None = None

    def aggregate(self, h: Tensor) -> Tensor:
        """The weighted sum over neighbors (or over each shell). h [N_prev, c] -> [N_next, A, c]"""
        if h.shape[0] != self.num_before:
            raise ParameterError(f"This step takes {self.num_before} rows, not {h.shape[0]}; apply the steps in order.")
        return _Multiply.apply(h, self).view(-1, self.heads, h.shape[1])

    def transpose(self) -> tuple[Tensor, Tensor, Tensor]:
        """ptr, col and weight of the transpose, by sorting: atomic additions would not be deterministic."""
        rows = torch.arange(len(self.ptr) - 1, dtype=self.col.dtype, device=self.col.device)
        row = torch.repeat_interleave(rows, self.ptr.diff(), output_size=len(self.col))
        col, order = torch.sort(self.col, stable=True)
        every = torch.arange(self.num_before + 1, dtype=col.dtype, device=col.device)
        ptr = torch.searchsorted(col, every, out_int32=col.dtype == torch.int32)
        return ptr, row.index_select(0, order), self.weight.index_select(0, order)


@dataclass(frozen=True)
class Blocks:
    """A batch of target sets, ready for a GNN. See :meth:`BlockData.batch`.

    Attributes
    ----------
    x_self
        float32 [N, d]: features of the nodes within K (L - 1) hops; with ``raw``, within K L.
    x_agg
        float32 [N, A, d]: their first aggregation; None with ``raw``.
    steps
        The later aggregations. After the last one, rows i*p .. i*p + p - 1 are the nodes of set i.
    num_sets, p
        Number of target sets and nodes in each.
    """

    x_self: Tensor
    x_agg: Tensor | None
    steps: list[Step]
    num_sets: int
    p: int


@dataclass(frozen=True)
class Subgraphs:
    """A batch of whole ego-networks, N nodes in all. See :meth:`EgoNetworks.table`.

    Attributes
    ----------
    x
        float32 [N, d]: features.
    neighbors
        Sums over neighbors, from N rows to N rows.
    degree
        float32 [N, 1]: inside the ego-network.
    place
        int64 [N]: where a node goes when the ego-networks lie side by side, each padded to ``longest``.
    num_sets, longest
        Number of target sets, and nodes of the largest ego-network.
    """

    x: Tensor
    neighbors: Step
    degree: Tensor
    place: Tensor
    num_sets: int
    longest: int
