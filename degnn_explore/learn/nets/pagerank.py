"""DEA-GNN-PR: every node hears every other, by its personalised PageRank (appendix, "DEA-GNN-PR")."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ...common.errors import ParameterError
from ...common.parallel import Threads
from ...common.stopping import raise_if
from ...encodings.paths import SPD
from ...engine.features import base_features, inner_edges, set_features
from ...graphs.distances import set_distances
from ...graphs.graph import Graph
from .base import Dropout, Hyper, SetData, SetNet, Shape
from .fused import relu_sum
from .readout import READOUT, Readout

__all__ = ["DEAPR"]

EXACT_UP_TO = 4000  # nodes; beyond, n x n numbers would not fit and the columns are truncated
_HELD = 1_000_000_000  # bytes; a task that needs no more is computed once, before the first epoch
_TOLERANCE = 1e-5  # what pushing may leave unplaced, per degree; 1e-6 takes ten times as long for 0.3 % more

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PageRankBatch:
    """k sets; the nodes of a set are all n (exact) or those that S hears (truncated), N either way.

    Attributes
    ----------
    x_agg
        [k, N, d] first aggregation, which has no weights; [k, p, d] for a single layer.
    last
        [k, p, N] weights of the last aggregation, onto S.
    matrix, left, right
        Middle aggregations: h -> matrix h + right (left^T h), [n, n] and [k, n, p]; None if there are none.
    """

    x_agg: Tensor
    last: Tensor | None
    matrix: Tensor | None = None
    left: Tensor | None = None
    right: Tensor | None = None


class DEAPR(SetNet):
    """DEA-GNN-PR: h_v' = ReLU(Σ_{u in V} ζ_ppr(u|v) h_u Θ), ζ_ppr(u|v) = [(I − αW)^-1]_{uv}, DE-SPD features.

    The paper's α is 0.9. Scores are scaled by 1 − α, a factor that Θ takes, so that activations stay
    of order one. As for every model, the edges inside S are cut, set by set: W then changes in the p
    columns of S only, and (I − αW)^-1 by a matrix of rank p (Woodbury), so the aggregation is exact
    for the cut graph without inverting it again.

    Up to 4,000 nodes the scores are exact. Beyond, or with ``top``, each node hears only the ``top``
    nodes with the largest scores (the paper's remark after Eq. 8), found by pushing; that form has at
    most two layers.
    """

    HYPER: ClassVar = {
        "layers": Hyper(2, paper="1, 2, 3", least=1),
        "hidden": Hyper(100, paper="20, 50, 80, 100", least=1),
        "dropout": Hyper(0.0, paper="0, 0.2", below=1.0),
        "readout": READOUT,
        "max_dist": Hyper(3, paper="3, 4", least=1),
        "alpha": Hyper(0.9, paper="0.9", above=0.0, below=1.0),
        "top": Hyper(None, least=1, optional=True),
    }

    RATE: ClassVar[Hyper] = Hyper(1e-2)  # averages over the whole graph differ little from set to set

    def __init__(self, name: str, shape: Shape, **hyper: Any) -> None:
        encoding = SPD(max_dist=hyper["max_dist"])
        width = 1 + shape.num_attributes + encoding.dim
        super().__init__(name, shape, hyper, width)
        self.encoding = encoding
        self.linears = nn.ModuleList(
            nn.Linear(width if layer == 0 else hyper["hidden"], hyper["hidden"]) for layer in range(hyper["layers"])
        )
        self.dropout = Dropout(hyper["dropout"])
        self.readout = Readout(hyper["readout"], hyper["hidden"], shape)

    def prepare(
        self, graph: Graph, sets: NDArray[np.int64], *, stop: threading.Event | None = None, progress: bool = True
    ) -> SetData:
        self.check(graph, sets)
        layers, alpha, top = self.hyper["layers"], self.hyper["alpha"], self.hyper["top"]
        if top is None and graph.num_nodes <= EXACT_UP_TO:
            data = Exact(graph, sets, self.encoding, alpha, layers)
            return Held(data, stop, progress) if layers <= 2 and data.nbytes <= _HELD else data
        if layers > 2:
            raise ParameterError(
                f"DEA-GNN-PR on {graph.num_nodes:,} nodes truncates its scores and takes at most "
                f"2 layers, not {layers}."
            )
        threads = Threads(stop=stop, progress=progress)
        return Truncated(graph, sets, self.encoding, alpha, layers, min(top or 32, graph.num_nodes), threads)

    def features(self, batch: PageRankBatch) -> list[Tensor]:
        return [batch.x_agg]

    def forward(self, batch: PageRankBatch) -> Tensor:
        x = batch.x_agg * self.scale  # [k, N, d]
        first = relu_sum(x.reshape(-1, 1, x.shape[2]), [self.linears[0]])
        h = self.dropout(first.view(*x.shape[:2], -1))  # [k, N, hidden]
        for linear in list(self.linears)[1:-1]:
            assert batch.matrix is not None and batch.left is not None and batch.right is not None
            h = batch.matrix @ h + batch.right @ (batch.left.transpose(1, 2) @ h)
            h = self.dropout(torch.relu(linear(h)))
        if batch.last is not None:
            h = self.dropout(torch.relu(self.linears[-1](batch.last @ h)))  # [k, p, hidden]
        return self.readout(h)


def woodbury(
    columns: Floats,
    own: Floats,
    sets: NDArray[np.int64],
    at: NDArray[np.int64],
    degrees: NDArray[np.int64],
    inner: NDArray[np.bool_],
    alpha: float,
) -> Floats:
    """U of P_cut = P + U V^T for each set, where V holds the rows of P that belong to S.

    With ΔW the change of the p columns of S and E the unit vectors of S,
    (I − αW − αΔW E^T)^-1 = P + P αΔW (I − α E^T P ΔW)^-1 E^T P. And P W = (P − I)/α gives P ΔW from
    the columns of S alone: a column a of the cut W is (d_a W e_a − Σ_{b in S, ab an edge} e_b) / d'_a.

    Parameters
    ----------
    columns
        P e_a for a in S, on some nodes. [k, N, p]
    own
        E: 1 where a node is a. [k, N, p]
    sets, at
        The sets, and where their nodes stand among the N. [k, p]
    degrees, inner
        Degrees before the cut [n]; which nodes of S are neighbours [k, p, p].
    """
    d = degrees[sets].astype(float)[:, None, :]  # [k, 1, p]
    kept = d - inner.sum(axis=1)[:, None, :]
    walked = (columns - own) / alpha  # P W e_a
    after = np.divide(
        d * walked - columns @ inner.astype(float),
        kept,
        out=np.zeros_like(walked),
        where=np.broadcast_to(kept > 0, walked.shape),
    )
    change = alpha * (after - walked)  # α P ΔW
    small = np.eye(sets.shape[1]) - np.take_along_axis(change, at[:, :, None], axis=1)  # [k, p, p]
    return np.asarray(change @ np.linalg.inv(small))


class _Encoder(SetData):
    """Features of whole graphs, cut set by set: log-degree, attributes, ζ_spd(u|S)."""

    def __init__(self, graph: Graph, sets: NDArray[np.int64], encoding: SPD) -> None:
        self.graph, self.sets, self.encoding = graph, sets, encoding
        self.base = base_features(graph)
        self.at_sets = set_features(graph, sets)
        self.inner = inner_edges(graph, sets)

    def __len__(self) -> int:
        return len(self.sets)

    def features(self, index: NDArray[np.int64], nodes: NDArray[np.int64] | None = None) -> NDArray[np.float32]:
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


class Exact(_Encoder):
    """Dense scores (1 − α)(I − αW)^-1 of the whole graph, corrected for each set's cut."""

    def __init__(self, graph: Graph, sets: NDArray[np.int64], encoding: SPD, alpha: float, layers: int) -> None:
        super().__init__(graph, sets, encoding)
        self.alpha, self.layers = alpha, layers
        n = graph.num_nodes
        walk = graph.to_scipy().toarray() / np.maximum(graph.degrees, 1)[None, :]
        self.scores = np.linalg.inv(np.eye(n) - alpha * walk)
        self.matrix = torch.from_numpy(((1 - alpha) * self.scores.T).astype(np.float32))
        self.nbytes = 4 * len(sets) * n * (self.base.shape[1] + encoding.dim + sets.shape[1])  # of all batches

    def batch(self, index: NDArray[np.int64], device: str = "cpu") -> PageRankBatch:
        index = np.asarray(index)
        sets, n = self.sets[index], self.graph.num_nodes
        k, p = sets.shape
        left = np.zeros((k, n, p), dtype=np.float32)
        changed = np.flatnonzero(self.inner[index].any(axis=(1, 2)))
        if len(changed):
            cut = sets[changed]
            columns = self.scores[:, cut].transpose(1, 0, 2)  # [k, n, p]
            own = (np.arange(n)[None, :, None] == cut[:, None, :]).astype(float)
            left[changed] = woodbury(columns, own, cut, cut, self.graph.degrees, self.inner[index[changed]], self.alpha)
        U = torch.from_numpy(left)
        V = self.matrix[:, torch.from_numpy(sets)].permute(1, 0, 2)  # (1 − α) rows of P at S, [k, n, p]
        x = torch.from_numpy(self.features(index))  # [k, n, d]
        rows = self.matrix[torch.from_numpy(sets)]  # [k, p, n]
        at_sets = V.gather(1, torch.from_numpy(sets)[:, :, None].expand(-1, -1, p))  # [k, p, p]
        last = rows + at_sets @ U.transpose(1, 2)  # [k, p, n]
        if self.layers == 1:
            return PageRankBatch((last @ x).to(device), None)
        wide = x.permute(1, 0, 2).reshape(n, -1)  # one multiplication for all sets
        x_agg = (self.matrix @ wide).view(n, k, -1).permute(1, 0, 2) + V @ (U.transpose(1, 2) @ x)
        middle = (self.matrix, U, V) if self.layers > 2 else ()
        return PageRankBatch(x_agg.to(device), last.to(device), *(t.to(device) for t in middle))


class Held(SetData):
    """All batches of an exact task of one or two layers, computed once."""

    def __init__(self, data: Exact, stop: threading.Event | None, progress: bool) -> None:
        from tqdm.auto import tqdm

        parts = []
        chunks = np.array_split(np.arange(len(data)), -(-len(data) // 64))
        for chunk in tqdm(chunks, desc="PageRank aggregation", disable=not progress, delay=2, leave=False):
            raise_if(stop, "the PageRank aggregation was cancelled")
            parts.append(data.batch(chunk))
        self.x_agg = torch.cat([part.x_agg for part in parts])
        self.last = None if data.layers == 1 else torch.cat([part.last for part in parts if part.last is not None])

    def __len__(self) -> int:
        return len(self.x_agg)

    def batch(self, index: NDArray[np.int64], device: str = "cpu") -> PageRankBatch:
        rows = torch.from_numpy(np.asarray(index))
        return PageRankBatch(self.x_agg[rows].to(device), None if self.last is None else self.last[rows].to(device))


class Truncated(_Encoder):
    """The ``top`` largest scores of each node that is heard, found by pushing; for graphs where n x n does not fit."""

    def __init__(
        self,
        graph: Graph,
        sets: NDArray[np.int64],
        encoding: SPD,
        alpha: float,
        layers: int,
        top: int,
        threads: Threads,
    ) -> None:
        super().__init__(graph, sets, encoding)
        self.alpha, self.layers, self.top = alpha, layers, top
        self._row = np.full(graph.num_nodes, -1)  # where a node's scores stand
        self._nodes, self._values = np.empty((0, top), np.int64), np.empty((0, top))
        self._push(np.unique(sets), threads)
        if layers == 2:  # the targets hear these, and these hear others in turn
            self._push(np.setdiff1d(self._nodes, np.unique(sets)), threads)

    def _push(self, sources: NDArray[np.int64], threads: Threads) -> None:
        from . import _push

        nodes, values = np.empty((len(sources), self.top), np.int64), np.empty((len(sources), self.top))

        def work(begin: int, end: int, _: Any) -> None:
            _push.push_columns(
                self.graph.indptr,
                self.graph.indices,
                sources[begin:end],
                self.alpha,
                _TOLERANCE,
                nodes[begin:end],
                values[begin:end],
            )

        threads.ranges(len(sources), work, "PageRank scores")
        self._row[sources] = len(self._nodes) + np.arange(len(sources))
        self._nodes, self._values = np.concatenate([self._nodes, nodes]), np.concatenate([self._values, values])

    def heard(self, nodes: NDArray[np.int64]) -> tuple[NDArray[np.int64], Floats]:
        """The nodes with the largest scores for each of ``nodes``, and the scores. [...] -> [..., top] twice"""
        rows = self._row[nodes]
        return self._nodes[rows], self._values[rows]

    def batch(self, index: NDArray[np.int64], device: str = "cpu") -> PageRankBatch:
        index = np.asarray(index)
        sets, scale = self.sets[index], 1 - self.alpha
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
            x_agg = last @ self.features(index, near)
            return PageRankBatch(torch.from_numpy((scale * x_agg).astype(np.float32)).to(device), None)
        further, weights = self.heard(near)  # [k, N, top]
        x = self.features(index, np.concatenate([near, further.reshape(k, -1)], axis=1))
        x_near, x_further = x[:, : near.shape[1]], x[:, near.shape[1] :].reshape(*further.shape, -1)
        x_agg = np.einsum("knt,kntd->knd", weights, x_further) + V @ (U.transpose(0, 2, 1) @ x_near)
        return PageRankBatch(*(torch.from_numpy((scale * a).astype(np.float32)).to(device) for a in (x_agg, last)))

    def _entries(self, near: NDArray[np.int64], sets: NDArray[np.int64]) -> Floats:
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
