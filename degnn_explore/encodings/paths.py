"""Encodings by shortest-path distance: the distance itself, SPD, and SEAL's labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..common.errors import check_int
from ..graphs.distances import set_distances
from ..graphs.graph import Graph, Targets
from .base import MAX_COLUMNS, UNREACHABLE, Encoding, Floats, Ints, Recipe, multiset

__all__ = ["DRNL", "SPD", "Distance"]


def _one_hot(codes: Ints, width: int) -> Floats:
    zeta = np.zeros((*codes.shape, width))
    np.put_along_axis(zeta, codes[..., None], 1.0, axis=-1)
    return zeta


@dataclass(frozen=True)
class Distance(Encoding):
    """ζ(u|v) = SPD(u, v), not truncated and infinite where there is no path: what verdicts and legends compare.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2)], num_nodes=4)
    >>> Distance().shown(path, np.array([0, 1]), cut=False)[:3].tolist(), Distance().label([1, UNREACHABLE])
    ([[0, 1], [0, 1], [1, 2]], '{1,∞}')
    """

    @property
    def columns(self) -> tuple[str, ...]:
        return ("distance",)

    def pairwise(self, G: Graph, S: Ints, cut: bool) -> Floats:
        far = set_distances(G, S[None, :], cut)[0].astype(float)
        far[far < 0] = np.inf
        return far[..., None]

    def tokens(self, G: Graph, sets: Ints, cut: bool = False) -> Ints:
        if cut:
            dist = set_distances(G, sets, True)
        else:  # without cutting, a distance depends on its source alone
            sources, place = np.unique(sets, return_inverse=True)
            dist = set_distances(G, sources[:, None])[:, 0][place.reshape(sets.shape)]  # [k, p, n]
        return dist.transpose(0, 2, 1)[..., None].astype(np.int64)

    def shown(self, G: Graph, S: Ints, cut: bool) -> Ints:
        tokens = self.tokens(G, S[None, :], cut)[0, :, :, 0]
        return np.sort(np.where(tokens == self.unreachable, UNREACHABLE, tokens), axis=1)

    @property
    def unreachable(self) -> int:
        """The token of a node without a path to the target."""
        return -1

    def word(self, token: int) -> str:
        """One distance in words."""
        return "∞" if token in (self.unreachable, UNREACHABLE) else str(token)

    def label(self, row: Sequence[Any]) -> str:
        return multiset([self.word(token) for token in row])

    def title(self, column: int = -1) -> str:
        return "distance to S"


@dataclass(frozen=True)
class SPD(Distance):
    """Shortest-path distance as one-hot(min(SPD(u, v), max_dist)), unreachable nodes apart.

    Column k < max_dist says "at distance k", column max_dist "that far or further", and the last
    one, max_dist + 1, "unreachable".

    Examples
    --------
    >>> SPD(max_dist=2).columns
    ('0', '1', '2+', 'unreachable')
    """

    max_dist: int = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        check_int("max_dist", self.max_dist, least=0, most=MAX_COLUMNS)

    @property
    def columns(self) -> tuple[str, ...]:
        return (*map(str, range(self.max_dist)), f"{self.max_dist}+", "unreachable")

    @property
    def dim(self) -> int:
        return self.max_dist + 2

    @property
    def recipe(self) -> Recipe:
        return Recipe("SPD", self.max_dist - 1)

    def pairwise(self, G: Graph, S: Ints, cut: bool) -> Floats:
        return _one_hot(self.codes(set_distances(G, S[None, :], cut)[0].astype(np.int64)), self.dim)

    def codes(self, dist: Ints) -> Ints:
        """The column of each distance (-1: unreachable)."""
        return np.where(dist < 0, self.max_dist + 1, np.minimum(dist, self.max_dist))

    def tokens(self, G: Graph, sets: Ints, cut: bool = False) -> Ints:
        return self.codes(super().tokens(G, sets, cut))

    @property
    def unreachable(self) -> int:
        return self.max_dist + 1

    def word(self, token: int) -> str:
        return f"{token}+" if token == self.max_dist else super().word(token)


@dataclass(frozen=True)
class DRNL(Encoding):
    """Double-radius node labeling of SEAL, for pairs S = {a, b}, as one-hot.

    With d = SPD(u, a) + SPD(u, b), both truncated at max_dist, the label of u is
    1 + min(SPD(u, a), SPD(u, b)) + (d // 2) (d // 2 + d % 2 - 1); it is 1 for a and b themselves
    and 0 where one of them cannot be reached. The label is a function of the pair, so ``pool``
    has nothing left to do. Distances are those of the graph, as in the paper's account of SEAL; SEAL itself
    measures the way to each target with the other taken out, so nodes behind a target have other labels there.

    Examples
    --------
    >>> DRNL(max_dist=2).labels(Graph.from_edges([(0, 1), (1, 2)], num_nodes=4), [0, 2])
    array([1, 2, 1, 0])
    """

    max_dist: int = 3
    num_targets = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        check_int("max_dist", self.max_dist, least=1, most=MAX_COLUMNS)

    @property
    def columns(self) -> tuple[str, ...]:
        return ("unreachable", *(f"label {k}" for k in range(1, self.dim)))

    @property
    def dim(self) -> int:
        return self.max_dist**2 + 2

    @property
    def recipe(self) -> Recipe:
        return Recipe("DRNL", self.max_dist - 1)

    def labels(self, G: Graph, S: Targets, cut: bool = False) -> Ints:
        """The label of every node. [n]"""
        nodes = G.target_set(S)
        self.check_targets(len(nodes))
        dist = set_distances(G, nodes[None, :], cut)[0].astype(np.int64)  # [2, n]
        near = np.minimum(dist, self.max_dist)
        half, odd = np.divmod(near.sum(axis=0), 2)
        label = 1 + near.min(axis=0) + half * (half + odd - 1)
        label[(dist < 0).any(axis=0)] = 0
        label[nodes] = 1
        return label

    def pairwise(self, G: Graph, S: Ints, cut: bool) -> Floats:
        return _one_hot(self.labels(G, S, cut)[None], self.dim)

    def tokens(self, G: Graph, sets: Ints, cut: bool = False) -> Ints:
        return np.stack([self.labels(G, S, cut) for S in sets])[:, :, None, None]

    def shown(self, G: Graph, S: Ints, cut: bool) -> Ints:
        labels = self.labels(G, S, cut)
        return np.where(labels == 0, UNREACHABLE, labels)[:, None]

    def label(self, row: Sequence[Any]) -> str:
        return "0" if row[0] == UNREACHABLE else str(row[0])

    def legend(self, row: Sequence[Any]) -> str:
        return f"label {self.label(row)}" + (" (unreachable)" if row[0] == UNREACHABLE else "")

    def title(self, column: int = -1) -> str:
        return "DRNL"
