"""PageRank scores for graphs where n x n numbers do not fit: the largest ones of each node, found by pushing."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...common.files import readable_size
from ...common.limits import fits_machine
from ...common.parallel import Threads, memory
from ...encodings.paths import SPD
from ...graphs.graph import Graph
from ._push import push_columns
from .base import Ints
from .pagerank_exact import Floats, PageRankData, woodbury

_TOLERANCE = 1e-5  # what pushing may leave unplaced, per degree; 1e-6 takes ten times as long for 0.3 % more


class Truncated(PageRankData):
    """The ``top`` largest scores of each node that is heard, found by pushing; for graphs where n x n does not fit."""

    def __init__(
        self, graph: Graph, sets: Ints, encoding: SPD, alpha: float, layers: int, top: int, threads: Threads
    ) -> None:
        super().__init__(graph, sets, encoding)
        self.alpha, self.layers, self.top = alpha, layers, top
        size = 16 * top * (len(np.unique(sets)) if layers == 1 else graph.num_nodes)
        takes = f"top={top} takes {readable_size(size)} for the scores of {graph.num_nodes:,} nodes"
        fits_machine(takes, size, memory(), "take a smaller top")
        p = sets.shape[1]
        self.nbytes = 4 * len(sets) * p * (1 + top) * (self.base.shape[1] + encoding.dim + p)
        self._row = np.full(graph.num_nodes, -1)  # where a node's scores stand
        self._nodes, self._values = np.empty((0, top), np.int64), np.empty((0, top))
        self._push(np.unique(sets), threads)
        if layers == 2:  # the targets hear these, and these hear others in turn
            self._push(np.setdiff1d(self._nodes, np.unique(sets)), threads)

    def _push(self, sources: Ints, threads: Threads) -> None:
        nodes, values = np.empty((len(sources), self.top), np.int64), np.empty((len(sources), self.top))

        def work(begin: int, end: int, _: Any) -> None:
            graph, here = self.graph, slice(begin, end)
            push_columns(graph.indptr, graph.indices, sources[here], self.alpha, _TOLERANCE, nodes[here], values[here])

        threads.ranges(len(sources), work, "PageRank scores")
        self._row[sources] = len(self._nodes) + np.arange(len(sources))
        self._nodes, self._values = np.concatenate([self._nodes, nodes]), np.concatenate([self._values, values])

    def heard(self, nodes: Ints) -> tuple[Ints, Floats]:
        """The nodes with the largest scores for each of ``nodes``, and the scores. [...] -> [..., top] twice"""
        rows = self._row[nodes]
        return self._nodes[rows], self._values[rows]

    def _compute(self, index: Ints) -> list[Tensor]:
        sets = self.sets[index]
        k, p = sets.shape
        # what S hears: S itself first (for the correction), then the top nodes of each of its members
        nearest, scores = self.heard(sets)  # [k, p, top]
        near = np.concatenate([sets, nearest.reshape(k, -1)], axis=1)  # [k, N = p + p*top]
        columns = self._entries(near, sets)  # P_{wa}, [k, N, p]
        own = (near[:, :, None] == sets[:, None, :]).astype(float)
        at = np.broadcast_to(np.arange(p), (k, p))
        U = woodbury(columns, own, sets, at, self.graph.degrees, self.inner[index], self.alpha)  # [k, N, p]
        degrees = np.maximum(self.graph.degrees, 1)
        V = columns * degrees[sets][:, None, :] / degrees[near][:, :, None]  # P_{aw} = P_{wa} d_a / d_w
        first = np.zeros(near.shape, dtype=bool)  # near may name a node twice; U^T h counts it once
        for row, nodes in zip(first, near, strict=True):
            row[np.unique(nodes, return_index=True)[1]] = True
        U = U * first[:, :, None]
        last = np.zeros((k, p, near.shape[1]))
        top = self.top
        for j in range(p):
            last[:, j, p + j * top : p + (j + 1) * top] = scores[:, j]
        last += V[:, :p] @ U.transpose(0, 2, 1)
        if self.layers == 1:
            return self._scaled(last @ self.features(index, near))
        further, weights = self.heard(near)  # [k, N, top]
        x = self.features(index, np.concatenate([near, further.reshape(k, -1)], axis=1))
        x_near, x_further = x[:, : near.shape[1]], x[:, near.shape[1] :].reshape(*further.shape, -1)
        x_agg = np.einsum("knt,kntd->knd", weights, x_further) + V @ (U.transpose(0, 2, 1) @ x_near)
        return self._scaled(x_agg, last)

    def _scaled(self, *arrays: Floats) -> list[Tensor]:
        return [torch.from_numpy(((1 - self.alpha) * array).astype(np.float32)) for array in arrays]

    def _entries(self, near: Ints, sets: Ints) -> Floats:
        """Kept entries P_{wa} for w in ``near`` [k, N] and a in S [k, p], zero where truncated. [k, N, p]"""
        out = np.zeros((*near.shape, sets.shape[1]))
        for j in range(sets.shape[1]):
            kept, values = self.heard(sets[:, j])  # [k, top]
            order = np.argsort(kept, axis=1, kind="stable")
            n = self.graph.num_nodes
            base = np.arange(len(sets))[:, None] * n
            keys = (np.take_along_axis(kept, order, axis=1) + base).ravel()
            flat = np.take_along_axis(values, order, axis=1).ravel()
            wanted = near + base
            place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            out[:, :, j] = np.where(keys[place] == wanted, flat[place], 0.0)
        return out
