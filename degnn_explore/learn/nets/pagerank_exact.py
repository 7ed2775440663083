"""What DEA-GNN-PR takes from whole graphs: features after each cut, and exact PageRank scores."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
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
from ...engine.batch import Step
from ...engine.features import base_features, inner_edges, set_features
from ...engine.store import starts
from ...engine.tables import Table, ends_of, ranges, row_table, starts_of
from ...graphs.changed import side_by_side
from ...graphs.distances import set_distances
from ...graphs.graph import Graph
from .base import Ints, SetData

_AT_ONCE = 256  # sets whose features are computed together
_HELD = 2_000_000_000  # bytes; a task that needs no more is computed once, before the first epoch
_SHARED = 500_000_000  # bytes that the aggregates of single targets may take, from which those of sets are made

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


@dataclass(frozen=True)
class HeardBatch:
    """k sets for two layers; of each only the nodes that S hears, one set's after the other's, N in all."""

    x_agg: Tensor  # [N, d] first aggregation
    shares: Tensor  # [N, p] weights of the last aggregation, onto S
    sizes: Tensor  # [k] nodes of each set

    def back(self) -> tuple[Tensor, Tensor, Tensor]:
        """The rows onto which each node is summed: ptr, col and weight of the transpose of :meth:`step`'s matrix."""
        (number, p), device = self.shares.shape, self.shares.device
        first = torch.arange(0, len(self.sizes) * p, p, device=device)
        row = torch.repeat_interleave(first, self.sizes, output_size=number)[:, None] + torch.arange(p, device=device)
        return torch.arange(0, number * p + 1, p, device=device), row.flatten(), self.shares.flatten()

    def step(self) -> Step:
        """The aggregation onto S, k p rows."""
        (number, p), device = self.shares.shape, self.shares.device
        many = self.sizes.repeat_interleave(p, output_size=len(self.sizes) * p)  # [k p]
        col = ranges(starts_of(self.sizes).repeat_interleave(p, output_size=len(many)), many, number * p)
        who = torch.arange(p, device=device).repeat(len(self.sizes)).repeat_interleave(many, output_size=number * p)
        weight = self.shares.flatten().index_select(0, col * p + who)
        return Step(col[:0], 1, number, ends_of(many, col.dtype), col, weight, self.back())


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
        self._hold(threads)

    def _hold(self, threads: Threads) -> None:
        """Computes what batches are made of, if there is room for it."""
        width = self.base.shape[1] + self.encoding.dim + self.sets.shape[1]
        self.nbytes = 4 * len(self.sets) * self.graph.num_nodes * width  # of all batches
        self.streamed = self.layers > 2 or self.nbytes > _HELD
        self.held = None if self.streamed else self._all(threads)

    def _all(self, threads: Threads) -> list[Tensor]:
        return [torch.cat(tensors) for tensors in zip(*map(self._compute, self._chunks(threads)), strict=True)]

    def _chunks(self, threads: Threads) -> Iterator[Ints]:
        """All sets, some at a time, with a bar and a way to stop."""
        from tqdm.auto import tqdm

        chunks = np.array_split(np.arange(len(self)), -(-len(self) // 64))
        for chunk in tqdm(chunks, desc="PageRank aggregation", disable=not threads.progress, delay=2, leave=False):
            raise_if(threads.stop, "the PageRank aggregation was cancelled")
            yield chunk

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


class Heard(Exact):
    """For two layers: the same scores, less what is nought or the same for many sets.

    S hears only the nodes that paths join to it: of 1,461 nodes of ns 156 on average. And the first aggregation is
    linear, so that of ζ(u|S) is the mean of what its targets have alone, computed once for each node; only where edges
    inside S are cut, a few distances and scores differ, and the difference is added.
    """

    def __init__(self, graph: Graph, sets: Ints, encoding: SPD, alpha: float, threads: Threads) -> None:
        from scipy.sparse.csgraph import connected_components

        self.component = connected_components(graph.to_scipy(), directed=False)[1]
        self.nodes, self.place = np.unique(sets, return_inverse=True)
        self.place = self.place.reshape(sets.shape)
        super().__init__(graph, sets, encoding, alpha, 2, threads)

    @staticmethod
    def fits(graph: Graph, sets: Ints, encoding: SPD) -> bool:
        """Whether there is room for what single targets have."""
        return 4 * len(np.unique(sets)) * graph.num_nodes * encoding.dim <= _SHARED

    def _hold(self, threads: Threads) -> None:
        matrix, last = self.matrix.numpy(), self.encoding.max_dist
        self.rows = np.ascontiguousarray(matrix.T)  # what each node is to all others
        self.columns = np.ascontiguousarray(self.scores.T)
        self.base_agg = matrix @ self.base
        self.code = np.empty((len(self.nodes), self.graph.num_nodes), np.int32)  # columns of ζ(u|v) that are 1
        self.alone = np.empty((*self.code.shape, self.encoding.dim), np.float32)  # their aggregate
        for begin in range(0, len(self.nodes), _AT_ONCE):
            some = slice(begin, begin + _AT_ONCE)
            away = set_distances(self.graph, self.nodes[some, None])[:, 0]
            self.code[some] = np.where(away < 0, last + 1, np.minimum(away, last))
            for c in range(self.encoding.dim):
                self.alone[some, :, c] = (self.code[some] == c).astype(np.float32) @ self.rows
        p, members = self.sets.shape[1], np.bincount(self.component)
        parts = np.sort(self.component[self.sets], axis=1)  # of S; each counts once
        fresh = np.concatenate([np.ones((len(parts), 1), bool), parts[:, 1:] != parts[:, :-1]], axis=1)
        self.sizes = (members[parts] * fresh).sum(axis=1)
        width = self.base.shape[1] + self.encoding.dim
        self.nbytes = 4 * int(self.sizes.sum()) * (width + p)
        self.streamed = self.nbytes > _HELD
        self.held = None if self.streamed else self._flat(self._chunks(threads), self.sizes)

    def _flat(self, chunks: Iterable[Ints], sizes: Ints) -> list[Tensor]:
        """x_agg [N, d] and shares [N, p] of these sets one after the other."""
        total, width = int(sizes.sum()), self.base.shape[1] + self.encoding.dim
        flat = [np.empty((total, columns), np.float32) for columns in (width, self.sets.shape[1])]
        begin = 0
        for chunk in chunks:
            parts = self.component[self.sets[chunk]]  # [k, p]
            heard = (self.component[None, :, None] == parts[:, None, :]).any(axis=2)  # [k, n]
            end = begin + int(heard.sum())
            x_agg, onto = self._dense(chunk)
            flat[0][begin:end], flat[1][begin:end] = x_agg[heard], onto.transpose(0, 2, 1)[heard]
            begin = end
        return [torch.from_numpy(array) for array in flat]

    def _dense(self, index: Ints) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """x_agg [k, n, d] and the weights onto S [k, p, n] of all nodes."""
        sets, place, b = self.sets[index], self.place[index], self.base.shape[1]
        x_agg = np.empty((len(sets), *self.base_agg.shape[:1], b + self.encoding.dim), np.float32)
        x_agg[..., :b] = self.base_agg
        x_agg[..., b:] = self.alone[place].mean(axis=1)
        onto = self.matrix.numpy()[sets]
        cut = np.flatnonzero(self.inner[index].any(axis=(1, 2)))
        if not len(cut):
            return x_agg, onto
        S, x = sets[cut], self.features(index[cut])
        columns = self.columns[S].transpose(0, 2, 1)  # [k, n, p]
        own = (np.arange(len(self.base))[None, :, None] == S[:, None, :]).astype(float)
        U = woodbury(columns, own, S, S, self.graph.degrees, self.inner[index[cut]], self.alpha).astype(np.float32)
        before = np.broadcast_to(self.base, (len(cut), *self.base.shape))
        zeta = (self.code[place[cut]][..., None] == np.arange(self.encoding.dim)).mean(axis=1, dtype=np.float32)
        change = x - np.concatenate([before, zeta], axis=2)  # [k, n, d], nought save at a few nodes
        V = self.rows[S].transpose(0, 2, 1)  # [k, n, p]
        x_agg[cut] += V @ (U.transpose(0, 2, 1) @ x)
        for i, moved in zip(cut, change, strict=True):
            nodes = np.flatnonzero(moved.any(axis=1))
            x_agg[i] += self.rows[nodes].T @ moved[nodes]
        at_sets = np.take_along_axis(V, S[:, :, None], axis=1)  # [k, p, p]
        onto[cut] += at_sets @ U.transpose(0, 2, 1)
        return x_agg, onto

    def table(self, index: Any = None) -> Table:
        wanted = np.arange(len(self)) if index is None else np.asarray(index)
        sizes, first = self.sizes[wanted], starts(self.sizes)
        if self.held is None:
            flat = self._flat((wanted[i : i + 64] for i in range(0, len(wanted), 64)), sizes)
            first = starts(sizes)[:-1]
        elif index is None:
            flat, first = self.held, first[:-1]
        else:
            rows = ranges(torch.from_numpy(first[wanted]), torch.from_numpy(sizes), int(sizes.sum()))
            flat, first = [x.index_select(0, rows) for x in self.held], starts(sizes)[:-1]

        def gather(tensors: Sequence[Tensor], there: Tensor, here: Ints) -> HeardBatch:
            first, many = tensors[0].index_select(1, there).unbind()
            rows = ranges(first, many, int(sizes[here].sum()))
            return HeardBatch(tensors[1].index_select(0, rows), tensors[2].index_select(0, rows), many)

        return Table((torch.from_numpy(np.stack([first, sizes])), *flat), gather)


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
