"""Distance encodings ζ(u|S): how far every node u is from the target set S (Eqs. 2-4 of the paper).

Each encoding is a small frozen object; ``encode(G, S)`` returns one row for every node. With
W = A D^-1 the random-walk matrix, (W^k)_{uv} is the probability that a walk started at v stands
at u after k steps; a walk at a node without neighbours cannot go on and ends there.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError, TargetError, one_of, whole_number
from ..graphs.distances import set_distances
from ..graphs.graph import Graph, Targets

if TYPE_CHECKING:
    import scipy.sparse

__all__ = ["DRNL", "SPD", "Encoding", "GeneralizedPageRank", "HeatKernel", "LandingProbability", "PageRank"]

Pool = Literal["mean", "sum"] | None
Floats = NDArray[np.float64]


def walk_matrix(G: Graph, S: NDArray[np.int64], cut: bool) -> scipy.sparse.csr_array:
    """W = A D^-1 [n, n]; with ``cut``, of the graph without the edges inside S (kept as stored zeros)."""
    import scipy.sparse

    weight = np.ones(len(G.indices))
    degree = G.degrees.astype(float)
    if cut:
        for u in S:
            row = slice(G.indptr[u], G.indptr[u + 1])
            inside = np.isin(G.indices[row], S)
            weight[row][inside] = 0.0
            degree[u] -= inside.sum()
    inverse = np.divide(1.0, degree, out=np.zeros_like(degree), where=degree > 0)
    return scipy.sparse.csr_array((weight * inverse[G.indices], G.indices, G.indptr), shape=(G.num_nodes,) * 2)


@dataclass(frozen=True, kw_only=True)
class Encoding(ABC):
    """What all encodings share: ζ(u|S) = AGG over v in S of ζ(u|v) (Eq. 2).

    Parameters
    ----------
    pool
        AGG: ``"mean"``, ``"sum"``, or None to keep the multiset as [n, p, dim].
    """

    pool: Pool = "mean"

    def __post_init__(self) -> None:
        one_of("pool", self.pool, ["mean", "sum", None])

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """What each column means, for legends."""

    @property
    def dim(self) -> int:
        """Number of columns of ζ(u|v)."""
        return len(self.columns)

    @abstractmethod
    def pairwise(self, G: Graph, S: NDArray[np.int64], cut: bool) -> Floats:
        """ζ(u|v) for each v in S and every node u. [p, n, dim]"""

    def encode(self, G: Graph, S: Targets, cut: bool = False) -> Floats:
        """ζ(u|S) for every node u of G.

        Parameters
        ----------
        G, S
            The graph and the target set, given as numbers or names.
        cut
            Remove the edges between nodes of S first (G'_S of the paper's appendix).

        Returns
        -------
        float64 [n, dim], or [n, p, dim] with ``pool=None`` (p in the order of S; a set is sorted).

        Examples
        --------
        >>> SPD(max_dist=1).encode(Graph.from_edges([(0, 1), (1, 2)], num_nodes=4), {0})
        array([[1., 0., 0.],
               [0., 1., 0.],
               [0., 1., 0.],
               [0., 0., 1.]])
        """
        zeta = self.pairwise(G, G.target_set(S), cut)  # [p, n, dim]
        if self.pool is None:
            return np.ascontiguousarray(zeta.transpose(1, 0, 2))  # [n, p, dim]
        return zeta.mean(axis=0) if self.pool == "mean" else zeta.sum(axis=0)


@dataclass(frozen=True)
class SPD(Encoding):
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
        whole_number("max_dist", self.max_dist, least=0)

    @property
    def columns(self) -> tuple[str, ...]:
        return (*map(str, range(self.max_dist)), f"{self.max_dist}+", "unreachable")

    def pairwise(self, G: Graph, S: NDArray[np.int64], cut: bool) -> Floats:
        return np.eye(self.dim)[self.codes(set_distances(G, S[None, :], cut)[0])]

    def codes(self, dist: NDArray[np.int32]) -> NDArray[np.int32]:
        """The column of each distance (-1: unreachable)."""
        return np.where(dist < 0, self.max_dist + 1, np.minimum(dist, self.max_dist))


@dataclass(frozen=True)
class LandingProbability(Encoding):
    """Landing probabilities ((W^0)_{uv}, (W^1)_{uv}, ..., (W^steps)_{uv}) of walks from v (Eq. 3).

    Examples
    --------
    >>> LandingProbability(steps=2).encode(Graph.from_edges([(0, 1), (1, 2)]), {0})
    array([[1. , 0. , 0.5],
           [0. , 1. , 0. ],
           [0. , 0. , 0.5]])
    """

    steps: int = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number("steps", self.steps, least=0)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(f"step {k}" for k in range(self.steps + 1))

    def pairwise(self, G: Graph, S: NDArray[np.int64], cut: bool) -> Floats:
        W = walk_matrix(G, S, cut)
        x = np.zeros((G.num_nodes, len(S)))
        x[S, np.arange(len(S))] = 1.0
        zeta = np.empty((len(S), G.num_nodes, self.dim))
        for k in range(self.dim):
            if k:
                x = W @ x
            zeta[:, :, k] = x.T
        return zeta


@dataclass(frozen=True)
class GeneralizedPageRank(Encoding):
    """ζ(u|v) = sum over k of gamma[k] (W^k)_{uv} (Eq. 4; the paper's sum starts at k = 1: gamma[0] = 0).

    Examples
    --------
    >>> GeneralizedPageRank([0, 1]).encode(Graph.from_edges([(0, 1), (1, 2)]), {0}).ravel()
    array([0., 1., 0.])
    """

    gamma: Sequence[float]

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            values = tuple(float(g) for g in self.gamma)
        except (TypeError, ValueError):
            raise ParameterError(f"gamma must be a list of numbers, one for each step, not {self.gamma!r}.") from None
        if not values or not all(math.isfinite(g) for g in values):
            raise ParameterError(f"gamma must hold at least one number, all finite, not {list(values)}.")
        object.__setattr__(self, "gamma", values)

    @property
    def columns(self) -> tuple[str, ...]:
        return ("generalized PageRank",)

    def pairwise(self, G: Graph, S: NDArray[np.int64], cut: bool) -> Floats:
        W = walk_matrix(G, S, cut)
        x = np.zeros((G.num_nodes, len(S)))
        x[S, np.arange(len(S))] = 1.0
        total = np.zeros_like(x)
        for k, weight in enumerate(self.gamma):
            if k:
                x = W @ x
            if weight:
                total += weight * x
        return total.T[:, :, None]


@dataclass(frozen=True)
class PageRank(Encoding):
    """Personalised PageRank ζ(u|v) = [sum over k >= 0 of (alpha W)^k]_{uv} = [(I - alpha W)^-1]_{uv}.

    Solved, not truncated: conjugate gradients on the equivalent symmetric system
    (I - alpha D^-1/2 A D^-1/2), to a relative residual of 1e-12.

    Examples
    --------
    >>> PageRank(alpha=0.5).encode(Graph.from_edges([(0, 1)]), {0}).ravel().round(6)
    array([1.333333, 0.666667])
    """

    alpha: float = 0.9

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (isinstance(self.alpha, int | float) and 0 < self.alpha < 1):
            raise ParameterError(f"alpha must lie strictly between 0 and 1, not {self.alpha!r}.")

    @property
    def columns(self) -> tuple[str, ...]:
        return ("PageRank",)

    def pairwise(self, G: Graph, S: NDArray[np.int64], cut: bool) -> Floats:
        import scipy.sparse
        import scipy.sparse.linalg

        W = walk_matrix(G, S, cut)
        degree = np.asarray((W != 0).sum(axis=1)).ravel()
        root = np.sqrt(np.maximum(degree, 1))
        symmetric = scipy.sparse.diags_array(1 / root) @ W @ scipy.sparse.diags_array(root)
        system = scipy.sparse.eye_array(G.num_nodes, format="csr") - self.alpha * symmetric
        zeta = np.empty((len(S), G.num_nodes, 1))
        for i, v in enumerate(S):
            start = np.zeros(G.num_nodes)
            start[v] = 1 / root[v]
            y, failed = scipy.sparse.linalg.cg(system, start, rtol=1e-12, maxiter=100_000)
            if failed:
                raise ParameterError(f"PageRank did not converge with alpha={self.alpha}; take one further from 1.")
            zeta[i, :, 0] = np.maximum(y * root, 0.0)
        return zeta


@dataclass(frozen=True)
class HeatKernel(Encoding):
    """Heat-kernel PageRank ζ(u|v) = [exp(-t (I - W))]_{uv} = e^-t sum over k of t^k / k! (W^k)_{uv}.

    The sum ends where the weights left out add up to less than 1e-15.

    Examples
    --------
    >>> HeatKernel(t=1.0).encode(Graph.from_edges([(0, 1)]), {0}).ravel().round(6)
    array([0.567668, 0.432332])
    """

    t: float = 3.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (isinstance(self.t, int | float) and 0 <= self.t <= 700):
            raise ParameterError(f"t must lie between 0 and 700, not {self.t!r}.")

    @property
    def columns(self) -> tuple[str, ...]:
        return ("heat kernel",)

    def pairwise(self, G: Graph, S: NDArray[np.int64], cut: bool) -> Floats:
        steps = int(self.t + 9 * math.sqrt(self.t) + 30)  # past it the Poisson(t) tail is below 1e-15
        logs = [k * math.log(self.t) - self.t - math.lgamma(k + 1) for k in range(steps)] if self.t else [0.0]
        return GeneralizedPageRank([math.exp(x) for x in logs]).pairwise(G, S, cut)


@dataclass(frozen=True)
class DRNL(Encoding):
    """Double-radius node labelling of SEAL, for pairs S = {a, b}, as one-hot.

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

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number("max_dist", self.max_dist, least=1)

    @property
    def columns(self) -> tuple[str, ...]:
        return ("unreachable", *(f"label {k}" for k in range(1, self.max_dist**2 + 2)))

    def labels(self, G: Graph, S: Targets, cut: bool = False) -> NDArray[np.int64]:
        """The label of every node. [n]"""
        nodes = G.target_set(S)
        if len(nodes) != 2:
            raise TargetError(
                f"DRNL labels are defined for pairs; this target set has {len(nodes)} nodes. "
                "Use SPD, which takes any number."
            )
        dist = set_distances(G, nodes[None, :], cut)[0].astype(np.int64)  # [2, n]
        near = np.minimum(dist, self.max_dist)
        half, odd = np.divmod(near.sum(axis=0), 2)
        label = 1 + near.min(axis=0) + half * (half + odd - 1)
        label[(dist < 0).any(axis=0)] = 0
        label[nodes] = 1
        return label

    def pairwise(self, G: Graph, S: NDArray[np.int64], cut: bool) -> Floats:
        return np.eye(self.dim)[self.labels(G, list(S), cut)][None]
