"""DEA-GNN-PR: every node aggregates over all others, by personalized PageRank (Eq. 4; appendix, "DEA-GNN-PR").

Scores P = (I − αW)^-1 are exact. They are computed once for the graph, and corrected for the edges inside each S that
are cut (:meth:`Scores.correction`). That takes n × n numbers, so graphs may have at most 4,000 nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ...common.errors import GraphError, check_machine_memory
from ...common.files import readable_size
from ...common.progress import memory, report
from ...encodings.paths import SPD
from ...engine.batch import Step
from ...engine.features import base_features, inner_edges, set_features
from ...engine.store import starts
from ...engine.tables import Table, ends_of, ranges, row_table, starts_of
from ...graphs.distances import distance_to_set, set_distances
from ...graphs.graph import Graph
from ..edge_changes import side_by_side
from .base import Dropout, Encoded, Hyper, Ints, SetData, SetNet, Shape
from .operators import layer_and_aggregate, relu_sum
from .readout import COMMON_HYPER, Readout

MOST_NODES = 4000  # of a graph
AT_ONCE = 64  # sets that are computed together
HELD = 2_000_000_000  # bytes; a task that needs no more is computed once, before the first epoch
SHARED = 500_000_000  # bytes that the aggregates of single targets may take, from which those of sets are made

Features = NDArray[np.float32]


# ---- the model -------------------------------------------------------------------------------------------------------


class PageRankConv(nn.Module):
    """h_v' = ReLU(Θ Σ_{u in V} ζ_ppr(u|v) h_u), with a bias."""

    def __init__(self, width_in: int, width_out: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width_in, width_out)

    @property
    def linears_of_relu_sum(self) -> list[nn.Module]:
        return [self.linear]

    def forward(self, h: Tensor, agg: Tensor) -> Tensor:  # [N, in], [N, 1, in] -> [N, out]
        return relu_sum(agg, [self.linear])


class DEAPR(SetNet):
    """DEA-GNN-PR: h_v' = ReLU(Σ_{u in V} ζ_ppr(u|v) h_u Θ) with the features of DE-GNN-SPD.

    That is Eq. 4 with ζ_ppr(u|v) = [Σ_k (αW)^k]_{uv} = [(I − αW)^-1]_{uv}, a case of Eq. 3. Scores are scaled by
    1 − α, a factor that Θ takes, so that activations stay of order one.
    """

    HYPER: ClassVar = {
        **COMMON_HYPER,
        "max_dist": Hyper(3, paper="3, 4", least=1, from_task=True),
        "alpha": Hyper(0.9, paper="0.9", above=0.0, below=1.0),
    }

    RATE: ClassVar[Hyper] = Hyper(1e-2)  # averages over the whole graph differ little from set to set

    def __init__(self, name: str, shape: Shape, **hyper: Any) -> None:
        encoding = SPD(max_dist=hyper["max_dist"])
        width = 1 + shape.num_attributes + encoding.dim
        super().__init__(name, shape, hyper, width)
        self.encoding = encoding
        widths = [width, *[hyper["hidden"]] * (hyper["layers"] - 1)]
        self.convs = nn.ModuleList(PageRankConv(width_in, hyper["hidden"]) for width_in in widths)
        self.dropout = Dropout(hyper["dropout"])
        self.readout = Readout(hyper["readout"], hyper["hidden"], shape)

    def check(self, graph: Graph, sets: Ints) -> None:
        super().check(graph, sets)
        if graph.num_nodes > MOST_NODES:
            raise GraphError(
                f"{self.name} computes PageRank between all pairs of nodes, on graphs of at most {MOST_NODES:,} nodes; "
                f"this one has {graph.num_nodes:,}. Use DEA-GNN-SPD or DE-GNN-SPD."
            )

    def prepare(self, graph: Graph, sets: Ints) -> SetData:
        self.check(graph, sets)
        n, layers, max_dist = graph.num_nodes, self.hyper["layers"], self.hyper["max_dist"]
        size = 4 * AT_ONCE * n * (1 + self.shape.num_attributes + self.shape.p * self.encoding.dim)
        what = f"max_dist={max_dist} takes {readable_size(size)} for a batch on {n:,} nodes"
        check_machine_memory(what, size, memory(), "take a smaller max_dist")
        scores = Scores(graph, self.hyper["alpha"])
        if layers == 2 and 4 * len(np.unique(sets)) * n * self.encoding.dim <= SHARED:
            return CompressedPageRank(scores, sets, self.encoding)
        inner = inner_edges(graph, sets)
        return DensePageRank(scores, sets, sets, inner, cut_features(graph, sets, self.encoding), layers)

    def variants(self, graph: Graph, S: Ints, changes: Sequence[Ints]) -> Iterator[SetData]:
        scores = Scores(graph, self.hyper["alpha"])
        size = max(1, min(64, 16_000_000 // graph.num_nodes))
        for start in range(0, len(changes), size):
            yield changed_graphs(scores, S, changes[start : start + size], self.encoding, self.hyper["layers"])

    def encoded(self, graph: Graph, S: Ints) -> Encoded | None:
        scores, sets, index = Scores(graph, self.hyper["alpha"]), S[None, :], np.zeros(1, dtype=np.int64)
        inner, x = inner_edges(graph, sets), cut_features(graph, sets, self.encoding)(index)  # [1, n, d]
        base = 1 + self.shape.num_attributes

        def batch(zeta: Tensor) -> DenseBatch:
            joined = np.concatenate([x[:, :, :base], zeta.numpy()[None]], axis=2)
            return DensePageRank(scores, sets, sets, inner, lambda _: joined, self.hyper["layers"]).batch(index)

        return Encoded(distance_to_set(graph, S), torch.from_numpy(x[0, :, base:].copy()), batch)

    def features(self, batch: DenseBatch | CompressedBatch) -> list[Tensor]:
        return [batch.x_agg]

    def forward(self, batch: DenseBatch | CompressedBatch) -> Tensor:
        agg = batch.x_agg * self.scale  # Σ_u ζ(u|v) x_u of each node v, which has no weights
        if isinstance(batch, CompressedBatch):  # two layers on N nodes of all k sets together; agg [N, d]
            _, agg = layer_and_aggregate(self.convs[0], agg, agg[:, None], batch.step(), self.dropout)  # [k p, 1, H]
            h = self.dropout(self.convs[1](agg[:, 0], agg))  # [k p, H]
            return self.readout(h.view(-1, self.shape.p, h.shape[1]))
        for number, conv in enumerate(self.convs, start=1):  # agg [k, n, d], in the last layer [k, p, d]
            flat = agg.reshape(-1, 1, agg.shape[2])
            h = self.dropout(conv(flat[:, 0], flat)).view(*agg.shape[:2], -1)  # [k, n, H], [k, p, H]
            if number < len(self.convs):
                agg = batch.aggregate(h, onto_targets=number == len(self.convs) - 1)
        return self.readout(h)


@dataclass(frozen=True)
class DenseBatch:
    """k sets with all n nodes each."""

    x_agg: Tensor  # [k, n, d] first aggregation, which has no weights; [k, p, d] for a single layer
    last: Tensor | None = None  # [k, p, n] weights of the last aggregation, onto S
    # middle aggregations: h -> matrix h + right (left^T h), [n, n] and [k, n, p]; None if there are none
    left: Tensor | None = None
    right: Tensor | None = None
    matrix: Tensor | None = None

    def aggregate(self, h: Tensor, onto_targets: bool) -> Tensor:
        """[k, n, c] -> [k, p, c] onto the targets, else [k, n, c]"""
        if onto_targets:
            assert self.last is not None
            return self.last @ h
        assert self.matrix is not None and self.left is not None and self.right is not None
        return self.matrix @ h + self.right @ (self.left.transpose(1, 2) @ h)


@dataclass(frozen=True)
class CompressedBatch:
    """k sets for two layers; of each only the nodes with weight for S, one set after the other, N in all."""

    x_agg: Tensor  # [N, d] first aggregation
    shares: Tensor  # [N, p] weights of the last aggregation, onto S
    sizes: Tensor  # [k] nodes of each set

    def step(self) -> Step:
        """The aggregation onto S, k p rows."""
        (number, p), device = self.shares.shape, self.shares.device
        first = torch.arange(0, len(self.sizes) * p, p, device=device)
        row = torch.repeat_interleave(first, self.sizes, output_size=number)[:, None] + torch.arange(p, device=device)
        back = torch.arange(0, number * p + 1, p, device=device), row.flatten(), self.shares.flatten()
        many = self.sizes.repeat_interleave(p, output_size=len(self.sizes) * p)  # [k p]
        col = ranges(starts_of(self.sizes).repeat_interleave(p, output_size=len(many)), many, number * p)
        who = torch.arange(p, device=device).repeat(len(self.sizes)).repeat_interleave(many, output_size=number * p)
        weight = self.shares.flatten().index_select(0, col * p + who)
        return Step(torch.zeros_like(many), 1, number, ends_of(many, col.dtype), col, weight, back)


# ---- scores ----------------------------------------------------------------------------------------------------------


class Scores:
    """P = (I − αW)^-1 of a graph, W = A D^-1."""

    def __init__(self, graph: Graph, alpha: float) -> None:
        self.graph, self.alpha = graph, alpha
        walk = graph.to_scipy().toarray() / np.maximum(graph.degrees, 1)[None, :]
        exact = np.linalg.inv(np.eye(graph.num_nodes) - alpha * walk)
        self.columns = np.ascontiguousarray(exact.T)  # row v: P e_v
        self.matrix = torch.from_numpy(((1 - alpha) * exact.T).astype(np.float32))  # row v: weights of v's aggregate

    def correction(self, touched: Ints, inner: NDArray[Any]) -> NDArray[np.float64]:
        """U of P_cut = P + U V^T for each set, where V holds the rows of P that belong to the nodes ``touched``.

        With ΔW the change of these q columns of W and E their unit vectors (Woodbury's identity),
        (I − αW − αΔW E^T)^-1 = P + P αΔW (I − α E^T P ΔW)^-1 E^T P. And P W = (P − I)/α gives P ΔW from the q columns
        of P alone: a column a of the cut W is (d_a W e_a − Σ_{b, ab is cut} e_b) / d'_a.
        ``inner``: 1 where two of the nodes lose their edge, -1 where they gain one. [k, q], [k, q, q] -> [k, n, q]
        """
        d = self.graph.degrees[touched].astype(float)[:, None, :]  # [k, 1, q]
        kept = d - inner.sum(axis=1)[:, None, :]
        columns = self.columns[touched].transpose(0, 2, 1)  # P e_a [k, n, q]
        unit = (np.arange(len(self.columns))[None, :, None] == touched[:, None, :]).astype(float)
        walked = (columns - unit) / self.alpha  # P W e_a
        left, some = d * walked - columns @ inner.astype(float), np.broadcast_to(kept > 0, walked.shape)
        after = np.divide(left, kept, out=np.zeros_like(walked), where=some)
        change = self.alpha * (after - walked)  # α P ΔW
        small = np.eye(touched.shape[1]) - np.take_along_axis(change, touched[:, :, None], axis=1)  # [k, q, q]
        return np.asarray(change @ np.linalg.inv(small))


def cut_features(graph: Graph, sets: Ints, encoding: SPD) -> Callable[[Ints], Features]:
    """Of some of the sets: log-degree, attributes and ζ(u|S) of all nodes, edges inside S cut. [k] -> [k, n, d]"""
    base, at_sets, last = base_features(graph), set_features(graph, sets), encoding.max_dist

    def features(index: Ints) -> Features:
        S = sets[index]
        away = set_distances(graph, S, cut=True)  # [k, p, n]
        code = np.where(away < 0, last + 1, np.minimum(away, last))
        zeta = (code[..., None] == np.arange(last + 2)).mean(axis=1, dtype=np.float32)  # [k, n, dim]
        x = np.broadcast_to(base, (len(S), *base.shape)).copy()
        x[np.arange(len(S))[:, None], S] = at_sets[index]  # a node of S loses the edges inside S
        return np.concatenate([x, zeta], axis=2)

    return features


# ---- data ------------------------------------------------------------------------------------------------------------


class DensePageRank(SetData):
    """All n nodes for each set. ``touched`` are the nodes whose edges change, and ``inner`` the edges they lose."""

    def __init__(
        self,
        scores: Scores,
        sets: Ints,
        touched: Ints,
        inner: NDArray[Any],
        features: Callable[[Ints], Features],
        layers: int,
    ) -> None:
        self.scores, self.sets, self.touched, self.inner = scores, sets, touched, inner
        self.features, self.layers = features, layers
        self.held: list[Tensor] | None = None
        width = features(np.arange(min(1, len(sets)))).shape[2] + sets.shape[1]
        self.nbytes = 4 * len(sets) * len(scores.matrix) * width  # of all batches
        self.streamed = layers > 2 or self.nbytes > HELD
        if not self.streamed:
            self.held = self._computed(np.arange(len(sets)))

    def __len__(self) -> int:
        return len(self.sets)

    def table(self, index: Any = None) -> Table:
        wanted = np.arange(len(self)) if index is None else np.asarray(index)
        rows = self._computed(wanted) if self.held is None else [x[torch.from_numpy(wanted)] for x in self.held]
        return row_table(rows, DenseBatch, (self.scores.matrix,) if self.layers > 2 else ())

    def _computed(self, index: Ints) -> list[Tensor]:
        parts = []
        for begin in range(0, len(index), AT_ONCE):
            if begin and not self.streamed:
                report("PageRank aggregation", begin / len(index))
            parts.append(self._compute(index[begin : begin + AT_ONCE]))
        return [torch.cat(rows) for rows in zip(*parts, strict=True)]

    def _compute(self, index: Ints) -> list[Tensor]:
        """x_agg of these sets, last if there is a second aggregation, left and right if there are more."""
        sets, touched, matrix = self.sets[index], self.touched[index], self.scores.matrix  # [k, p], [k, q], [n, n]
        k, n = len(sets), len(matrix)
        left = np.zeros((k, n, touched.shape[1]), dtype=np.float32)
        changed = np.flatnonzero(self.inner[index].any(axis=(1, 2)))
        if len(changed):
            left[changed] = self.scores.correction(touched[changed], self.inner[index[changed]])
        U = torch.from_numpy(left)
        V = matrix[:, torch.from_numpy(touched)].permute(1, 0, 2)  # (1 − α) rows of P, [k, n, q]
        x = torch.from_numpy(self.features(index))  # [k, n, d]
        at_sets = V.gather(1, torch.from_numpy(sets)[:, :, None].expand(-1, -1, V.shape[2]))  # [k, p, q]
        last = matrix[torch.from_numpy(sets)] + at_sets @ U.transpose(1, 2)  # [k, p, n]
        if self.layers == 1:
            return [last @ x]
        wide = x.permute(1, 0, 2).reshape(n, -1)  # one multiplication for all sets
        x_agg = (matrix @ wide).view(n, k, -1).permute(1, 0, 2) + V @ (U.transpose(1, 2) @ x)
        return [x_agg, last, U, V] if self.layers > 2 else [x_agg, last]


def changed_graphs(scores: Scores, S: Ints, changes: Sequence[Ints], encoding: SPD, layers: int) -> DensePageRank:
    """S in variants of a graph, edges left out or put in: like the cut, a change of a few columns of W."""
    graph, k = scores.graph, len(changes)
    ends = [np.unique(np.concatenate([S, pairs.ravel()])) for pairs in changes]
    touched = np.full((k, max(map(len, ends))), S[0])  # a node named twice that loses no edge changes nothing
    inner = np.zeros((k, touched.shape[1], touched.shape[1]))
    cut = inner_edges(graph, S[None, :])[0]
    for i, (nodes, pairs) in enumerate(zip(ends, changes, strict=True)):
        touched[i, : len(nodes)] = nodes
        places = np.searchsorted(nodes, S)
        u, v = np.searchsorted(nodes, pairs).T
        inner[i, u, v] = inner[i, v, u] = np.where(graph.has_edges(pairs), 1, -1) if len(pairs) else np.zeros(0)
        inner[i][np.ix_(places, places)] = cut
    graphs = (side_by_side(graph, [pairs]) for pairs in changes)
    first = np.zeros(1, dtype=np.int64)
    x = np.concatenate([cut_features(each, S[None, :], encoding)(first) for each in graphs])  # [k, n, d]
    return DensePageRank(scores, np.tile(S, (k, 1)), touched, inner, lambda index: x[index], layers)


class CompressedPageRank(SetData):
    """For two layers: the same scores, skipping zeros and sharing work across sets.

    Only nodes that a path joins to S have weight: of 1,461 nodes of ns 156 on average. And the first aggregation is
    linear, so that of ζ(u|S) is the mean of what its targets have alone, computed once for each node; only where edges
    inside S are cut, a few distances and scores differ, and the difference is added.
    """

    def __init__(self, scores: Scores, sets: Ints, encoding: SPD) -> None:
        from scipy.sparse.csgraph import connected_components

        graph, matrix = scores.graph, scores.matrix.numpy()
        self.scores, self.sets, self.features = scores, sets, cut_features(graph, sets, encoding)
        self.inner, self.base, self.dim = inner_edges(graph, sets), base_features(graph), encoding.dim
        self.rows = matrix.T  # contiguous: what each node is to all others
        self.base_agg = matrix @ self.base
        nodes, places = np.unique(sets, return_inverse=True)
        self.places = places.reshape(sets.shape)  # of S among all targets
        self._aggregate_single_targets(nodes, encoding.max_dist)
        self.component = connected_components(graph.to_scipy(), directed=False)[1]
        parts = np.sort(self.component[sets], axis=1)  # of S; each counts once
        fresh = np.concatenate([np.ones((len(parts), 1), bool), parts[:, 1:] != parts[:, :-1]], axis=1)
        self.sizes = (np.bincount(self.component)[parts] * fresh).sum(axis=1)
        self.nbytes = 4 * int(self.sizes.sum()) * (self.base.shape[1] + self.dim + sets.shape[1])
        self.streamed = self.nbytes > HELD
        self.held = None if self.streamed else self._flat(np.arange(len(sets)))

    def _aggregate_single_targets(self, nodes: Ints, last: int) -> None:
        """The column of ζ(u|v) that is 1 for each target v alone, and the aggregate of ζ(u|v)."""
        self.code = np.empty((len(nodes), len(self.rows)), np.int32)
        self.alone = np.empty((*self.code.shape, self.dim), np.float32)
        for begin in range(0, len(nodes), 256):
            some = slice(begin, begin + 256)
            away = set_distances(self.scores.graph, nodes[some, None])[:, 0]
            self.code[some] = np.where(away < 0, last + 1, np.minimum(away, last))
            for c in range(self.dim):
                self.alone[some, :, c] = (self.code[some] == c).astype(np.float32) @ self.rows

    def __len__(self) -> int:
        return len(self.sets)

    def _flat(self, index: Ints) -> list[Tensor]:
        """x_agg [N, d] and shares [N, p] of these sets one after the other."""
        total, widths = int(self.sizes[index].sum()), (self.base.shape[1] + self.dim, self.sets.shape[1])
        flat = [np.empty((total, columns), np.float32) for columns in widths]
        begin = 0
        for first in range(0, len(index), AT_ONCE):
            if first and not self.streamed:
                report("PageRank aggregation", first / len(index))
            chunk = index[first : first + AT_ONCE]
            parts = self.component[self.sets[chunk]]  # [k, p]
            reached = (self.component[None, :, None] == parts[:, None, :]).any(axis=2)  # [k, n]
            end = begin + int(reached.sum())
            x_agg, shares = self._dense(chunk)
            flat[0][begin:end], flat[1][begin:end] = x_agg[reached], shares.transpose(0, 2, 1)[reached]
            begin = end
        return [torch.from_numpy(array) for array in flat]

    def _dense(self, index: Ints) -> tuple[Features, Features]:
        """x_agg [k, n, d] and the weights onto S [k, p, n] of all nodes."""
        sets, places, b = self.sets[index], self.places[index], self.base.shape[1]
        x_agg = np.empty((len(sets), len(self.base), b + self.dim), np.float32)
        x_agg[..., :b] = self.base_agg
        x_agg[..., b:] = self.alone[places].mean(axis=1)
        shares = self.scores.matrix.numpy()[sets]
        cut = np.flatnonzero(self.inner[index].any(axis=(1, 2)))
        if not len(cut):
            return x_agg, shares
        S, x = sets[cut], self.features(index[cut])
        U = self.scores.correction(S, self.inner[index[cut]]).astype(np.float32).transpose(0, 2, 1)  # [k, p, n]
        V = self.rows[S].transpose(0, 2, 1)  # [k, n, p]
        zeta = (self.code[places[cut]][..., None] == np.arange(self.dim)).mean(axis=1, dtype=np.float32)
        before = np.broadcast_to(self.base, (len(cut), *self.base.shape))
        change = x - np.concatenate([before, zeta], axis=2)  # [k, n, d], zero except at a few nodes
        x_agg[cut] += V @ (U @ x)
        for i, moved in zip(cut, change, strict=True):
            nodes = np.flatnonzero(moved.any(axis=1))
            x_agg[i] += self.rows[nodes].T @ moved[nodes]
        shares[cut] += np.take_along_axis(V, S[:, :, None], axis=1) @ U  # [k, p, p] @ [k, p, n]
        return x_agg, shares

    def table(self, index: Any = None) -> Table:
        wanted = np.arange(len(self)) if index is None else np.asarray(index)
        sizes = self.sizes[wanted]
        flat, first = self.held, starts(sizes)[:-1]
        if flat is None:
            flat = self._flat(wanted)
        elif index is not None:
            begins = torch.from_numpy(starts(self.sizes)[:-1][wanted])
            rows = ranges(begins, torch.from_numpy(sizes), int(sizes.sum()))
            flat = [x.index_select(0, rows) for x in flat]

        def gather(tensors: Sequence[Tensor], there: Tensor, here: Ints) -> CompressedBatch:
            first, many = tensors[0].index_select(1, there).unbind()
            rows = ranges(first, many, int(sizes[here].sum()))
            return CompressedBatch(tensors[1].index_select(0, rows), tensors[2].index_select(0, rows), many)

        return Table((torch.from_numpy(np.stack([first, sizes])), *flat), gather)
