"""How much of a score is the distance encoding: the score with ζ blanked, everywhere and ring by ring around S."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...engine.features import base_features
from ...graphs.distances import distances
from ...graphs.graph import Graph
from ..nets.base import SetNet
from ..nets.block_nets import BlockNet
from ..nets.pagerank import DEAPR
from ..nets.pagerank_exact import Exact, Variants
from ..nets.pyg_nets import PyGNet
from ..nets.seal import SEAL
from .unrolled import Unrolled

Ints = NDArray[np.int64]


def blanked(model: SetNet, graph: Graph, S: Ints) -> tuple[Ints, Tensor] | None:
    """How far from S each node is that the model reads, and the logits with ζ blanked; None if it has no ζ(u|S).

    Blanked is: the same for all these nodes, their average, as if all were at the same distance. The logits, [k] or
    [k, C], are those of the score as it is, with all nodes blanked, and with those at distance 0, 1, 2, ...
    """
    if isinstance(model, SEAL):
        return _of_subgraph(model, graph, S)
    if isinstance(model, DEAPR):
        return _of_whole_graph(model, graph, S)
    if isinstance(model, PyGNet) and model.encoding is not None:
        return _of_pyg(model, graph, S)
    if isinstance(model, BlockNet) and model.encoding is not None:
        return _of_blocks(model, graph, S)
    return None


def _masks(far: Ints) -> list[NDArray[np.bool_]]:
    """Nobody, everybody, then ring after ring; the last one may be that of nodes without a path to S, -1."""
    return [far < -1, far > -2, *(far == ring for ring in ring_numbers(far))]


def ring_numbers(far: Ints) -> list[int]:
    """The distances that occur, unreachable (-1) last.

    >>> ring_numbers(np.array([0, 2, -1, 1]))
    [0, 1, 2, -1]
    """
    rings = np.unique(far).tolist()
    return [*(ring for ring in rings if ring >= 0), *(ring for ring in rings if ring < 0)]


def _blank(zeta: Tensor, nodes: NDArray[np.bool_]) -> Tensor:
    """ζ [N, ...], the average of all in place of these nodes'."""
    return torch.where(torch.from_numpy(nodes).view(-1, *[1] * (zeta.ndim - 1)), zeta.mean(dim=0), zeta)


def _each(far: Ints, logits: Callable[[NDArray[np.bool_]], Tensor]) -> tuple[Ints, Tensor]:
    return far, torch.cat([logits(mask) for mask in _masks(far)])


def _of_blocks(model: BlockNet, graph: Graph, S: Ints) -> tuple[Ints, Tensor]:
    whole, away = Unrolled(model, graph, S), to_set(graph, S)
    seen = np.flatnonzero((away >= 0) & (away <= model.hyper["layers"] * model.hyper.get("hops", 1)))

    def logits(mask: NDArray[np.bool_]) -> Tensor:
        zeta = whole.zeta.clone()
        zeta[seen] = _blank(zeta[seen], mask)
        return whole.logits(whole.run(model.enter(whole.base, zeta)))

    return _each(away[seen], logits)


def _of_subgraph(model: SEAL, graph: Graph, S: Ints) -> tuple[Ints, Tensor]:
    data = model.prepare(graph, S[None, :], progress=False)
    batch, base = data.batch(np.zeros(1, dtype=np.int64)), 1 + model.shape.num_attributes

    def logits(mask: NDArray[np.bool_]) -> Tensor:
        return model(replace(batch, x=torch.cat([batch.x[:, :base], _blank(batch.x[:, base:], mask)], dim=1)))

    return _each(data.egos.part([0]).distance.astype(np.int64), logits)


def _of_pyg(model: PyGNet, graph: Graph, S: Ints) -> tuple[Ints, Tensor]:
    batch = model.prepare(graph, S[None, :], progress=False).batch([0])
    whole, base = batch.x, 1 + model.shape.num_attributes

    def logits(mask: NDArray[np.bool_]) -> Tensor:
        batch.x = torch.cat([whole[:, :base], _blank(whole[:, base:], mask)], dim=1)
        return model(batch)

    return _each(batch.distance.numpy(), logits)


def _of_whole_graph(model: DEAPR, graph: Graph, S: Ints) -> tuple[Ints, Tensor] | None:
    whole = model.prepare(graph, S[None, :], progress=False)
    if not isinstance(whole, Exact):
        return None
    away, base = to_set(graph, S), base_features(graph).shape[1]
    data = Variants(whole, S, [np.zeros((0, 2), dtype=np.int64)] * len(_masks(away)))
    for x, mask in zip(data.given, _masks(away), strict=True):
        x[:, base:] = _blank(torch.from_numpy(x[:, base:].copy()), mask).numpy()
    return away, model(data.batch(np.arange(len(data))))


def to_set(graph: Graph, S: Ints) -> Ints:
    """The distance of each node to the nearest of S, -1 without a path. [n]"""
    away = distances(graph, S).astype(np.int64)
    nearest = np.where(away < 0, graph.num_nodes, away).min(axis=0)
    return np.where(nearest == graph.num_nodes, -1, nearest)
