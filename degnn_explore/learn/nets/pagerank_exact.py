"""What DEA-GNN-PR takes from whole graphs: features after each cut, and exact PageRank scores."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...common.files import readable_size
from ...common.limits import fits_machine
from ...common.parallel import Threads, memory
from ...common.stopping import raise_if
from ...encodings.paths import SPD
from ...engine.features import base_features, inner_edges, set_features
from ...engine.tables import Table, row_table
from ...graphs.changed import side_by_side
from ...graphs.distances import set_distances
from ...graphs.graph import Graph
from .base import Ints, SetData

_AT_ONCE = 256  # sets whose features are computed together
_HELD = 1_000_000_000  # bytes; a task that needs no more is computed once, before the first epoch

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PageRankBatch:
    """k sets; the nodes of a set are all n (exact) or those that S hears (truncated), N either way."""

    x_agg: Tensor  # [k, N, d] first aggregation, which has no weights; [k, p, d] for a single layer
    last: Tensor | None  # [k, p, N] weights of the last aggregation, onto S
    # middle aggregations: h -> matrix h + right (left^T h), [n, n] and [k, n, p]; None if there are none
    matrix: Tensor | None = None
    left: Tensor | None = None
    right: Tensor | None = None


def woodbury(
    columns: Floats, own: Floats, sets: Ints, at: Ints, degrees: Ints, inner: NDArray[Any], alpha: float
) -> Floats:
    """U of P_cut = P + U V^T for each set, where V holds the rows of P that belong to S.

    With ΔW the change of the p columns of S and E the unit vectors of S,
    (I − αW − αΔW E^T)^-1 = P + P αΔW (I − α E^T P ΔW)^-1 E^T P. And P W = (P − I)/α gives P ΔW from
    the columns of S alone: a column a of the cut W is (d_a W e_a − Σ_{b in S, ab an edge} e_b) / d'_a.
    ``columns`` are P e_a for a in S on N nodes and ``own`` is E on them [k, N, p]; the nodes of S stand ``at`` [k, p]
    among the N; degrees [n] are those before the cut, ``inner`` says which nodes of S lose their edge, and, where it is
    -1, which gain one [k, p, p].
    """
    d = degrees[sets].astype(float)[:, None, :]  # [k, 1, p]
    kept = d - inner.sum(axis=1)[:, None, :]
    walked = (columns - own) / alpha  # P W e_a
    left, some = d * walked - columns @ inner.astype(float), np.broadcast_to(kept > 0, walked.shape)
    after = np.divide(left, kept, out=np.zeros_like(walked), where=some)
    change = alpha * (after - walked)  # α P ΔW
    small = np.eye(sets.shape[1]) - np.take_along_axis(change, at[:, :, None], axis=1)  # [k, p, p]
    return np.asarray(change @ np.linalg.inv(small))


class WholeGraphs:
    """Features of whole graphs, cut set by set: log-degree, attributes, ζ_spd(u|S)."""

    def __init__(self, graph: Graph, sets: Ints, encoding: SPD) -> None:
        self.graph, self.sets, self.encoding = graph, sets, encoding
        self.base = base_features(graph)
        wide = 64 * graph.num_nodes * (self.base.shape[1] + sets.shape[1] * encoding.dim) * 4  # bytes of a batch
        takes = f"max_dist={encoding.max_dist} takes {readable_size(wide)} for a batch on {graph.num_nodes:,} nodes"
        fits_machine(takes, wide, memory(), "take a smaller max_dist")
        self.at_sets = set_features(graph, sets)
        self.inner: NDArray[Any] = inner_edges(graph, sets)

    def __len__(self) -> int:
        return len(self.sets)

    def features(self, index: Ints, nodes: Ints | None = None) -> NDArray[np.float32]:
        """Of all nodes, [k, n, d], or of some of each set, nodes [k, M] -> [k, M, d]."""
        sets, last = self.sets[index], self.encoding.max_dist
        away = set_distances(self.graph, sets, cut=True)  # [k, p, n]
        if nodes is None:
            nodes = np.broadcast_to(np.arange(self.graph.num_nodes), (len(sets), self.graph.num_nodes))
        else:
            away = np.take_along_axis(away, nodes[:, None, :], axis=2)  # [k, p, M]
        code = np.where(away < 0, last + 1, np.minimum(away, last))
        zeta = (code[..., None] == np.arange(last + 2)).mean(axis=1, dtype=np.float32)  # [k, M, dim]
        base = self.base[nodes]
        for j in range(sets.shape[1]):  # a node of S loses the edges inside S
            row, column = np.nonzero(nodes == sets[:, j, None])
            base[row, column] = self.at_sets[index][row, j]
        return np.concatenate([base, zeta], axis=2)


class PageRankData(WholeGraphs, SetData):
    """What DEA-GNN-PR is given of each set, computed once or, where that is too much, when it is asked for."""

    matrix: Tensor  # of the middle aggregations, if there are any
    _there: Tensor | None = None  # the same where the model computes
    held: list[Tensor] | None = None  # what a batch is made of, for all sets, if it is computed once
    streamed = True

    @abstractmethod
    def _compute(self, index: Ints) -> list[Tensor]:
        """x_agg of these sets, last if there is a second aggregation, left and right if there are more."""

    def table(self, index: Any = None) -> Table:
        wanted = np.arange(len(self)) if index is None else np.asarray(index)
        if self.held is None:
            parts = [self._compute(wanted[i : i + _AT_ONCE]) for i in range(0, len(wanted), _AT_ONCE)]
            return row_table([torch.cat(rows) for rows in zip(*parts, strict=True)], self._made)
        rows = self.held if index is None else [x[torch.from_numpy(wanted)] for x in self.held]
        return row_table(rows, self._made)

    def _made(self, x_agg: Tensor, last: Tensor | None = None, *middle: Tensor) -> PageRankBatch:
        if not middle:
            return PageRankBatch(x_agg, last)
        if self._there is None or self._there.device != x_agg.device:
            self._there = self.matrix.to(x_agg.device)
        return PageRankBatch(x_agg, last, self._there, *middle)


class Exact(PageRankData):
    """Dense scores (1 − α)(I − αW)^-1 of the whole graph, corrected for each set's cut."""

    def __init__(self, graph: Graph, sets: Ints, encoding: SPD, alpha: float, layers: int, threads: Threads) -> None:
        super().__init__(graph, sets, encoding)
        self.alpha, self.layers = alpha, layers
        self.touched = sets  # the nodes that lose edges, by ``inner``
        n = graph.num_nodes
        walk = graph.to_scipy().toarray() / np.maximum(graph.degrees, 1)[None, :]
        self.scores = np.linalg.inv(np.eye(n) - alpha * walk)
        self.matrix = torch.from_numpy(((1 - alpha) * self.scores.T).astype(np.float32))
        self.nbytes = 4 * len(sets) * n * (self.base.shape[1] + encoding.dim + sets.shape[1])  # of all batches
        self.streamed = layers > 2 or self.nbytes > _HELD
        self.held = None if self.streamed else self._all(threads)

    def _all(self, threads: Threads) -> list[Tensor]:
        from tqdm.auto import tqdm

        parts = []
        chunks = np.array_split(np.arange(len(self)), -(-len(self) // 64))
        for chunk in tqdm(chunks, desc="PageRank aggregation", disable=not threads.progress, delay=2, leave=False):
            raise_if(threads.stop, "the PageRank aggregation was cancelled")
            parts.append(self._compute(chunk))
        return [torch.cat(tensors) for tensors in zip(*parts, strict=True)]

    def _compute(self, index: Ints) -> list[Tensor]:
        sets, n = self.sets[index], self.graph.num_nodes
        k = len(sets)
        touched = self.touched[index]  # [k, q]
        left = np.zeros((k, n, touched.shape[1]), dtype=np.float32)
        changed = np.flatnonzero(self.inner[index].any(axis=(1, 2)))
        if len(changed):
            cut = touched[changed]
            columns = self.scores[:, cut].transpose(1, 0, 2)  # [k, n, p]
            own = (np.arange(n)[None, :, None] == cut[:, None, :]).astype(float)
            left[changed] = woodbury(columns, own, cut, cut, self.graph.degrees, self.inner[index[changed]], self.alpha)
        U = torch.from_numpy(left)
        V = self.matrix[:, torch.from_numpy(touched)].permute(1, 0, 2)  # (1 − α) rows of P, [k, n, q]
        x = torch.from_numpy(self.features(index))  # [k, n, d]
        rows = self.matrix[torch.from_numpy(sets)]  # [k, p, n]
        at_sets = V.gather(1, torch.from_numpy(sets)[:, :, None].expand(-1, -1, V.shape[2]))  # [k, p, q]
        last = rows + at_sets @ U.transpose(1, 2)  # [k, p, n]
        if self.layers == 1:
            return [last @ x]
        wide = x.permute(1, 0, 2).reshape(n, -1)  # one multiplication for all sets
        x_agg = (self.matrix @ wide).view(n, k, -1).permute(1, 0, 2) + V @ (U.transpose(1, 2) @ x)
        return [x_agg, last, U, V] if self.layers > 2 else [x_agg, last]


class Variants(Exact):
    """One set in variants of a graph, edges left out or put in: like the cut, a change of a few columns of W."""

    def __init__(self, whole: Exact, S: Ints, changes: Sequence[Ints]) -> None:
        self.__dict__.update(whole.__dict__)
        graph, k = whole.graph, len(changes)
        ends = [np.unique(np.concatenate([S, pairs.ravel()])) for pairs in changes]
        self.sets, self.held, self.streamed = np.tile(S, (k, 1)), None, True
        self.touched = np.full((k, max(map(len, ends))), S[0])  # a node named twice that loses no edge changes nothing
        self.inner = np.zeros((k, self.touched.shape[1], self.touched.shape[1]))
        parts = []
        for i, (nodes, pairs) in enumerate(zip(ends, changes, strict=True)):
            self.touched[i, : len(nodes)] = nodes
            own = np.searchsorted(nodes, S)
            cut = inner_edges(graph, S[None, :])[0]
            there = np.where(graph.has_edges(pairs), 1, -1) if len(pairs) else np.zeros(0)
            u, v = np.searchsorted(nodes, pairs).T
            self.inner[i, u, v] = self.inner[i, v, u] = there
            self.inner[i][np.ix_(own, own)] = cut
            parts.append(
                WholeGraphs(side_by_side(graph, [pairs]), S[None, :], self.encoding).features(np.zeros(1, int))
            )
        self.given = np.concatenate(parts)  # [k, n, d]

    def features(self, index: Ints, nodes: Ints | None = None) -> NDArray[np.float32]:
        return self.given[index]


def variants(whole: Exact, S: Ints, changes: Sequence[Ints]) -> Iterator[Variants]:
    """S in all variants, so many at a time as fit in memory with ease."""
    size = max(1, min(64, 16_000_000 // whole.graph.num_nodes))
    for start in range(0, len(changes), size):
        yield Variants(whole, S, changes[start : start + size])
