"""Encodings by random walks: landing probabilities and the sums of them, PageRank and its kin (Eqs. 2 and 3).

With W = A D^-1 the random-walk matrix, (W^k)_{uv} is the probability that a walk started at v stands
at u after k steps; a walk at a node without neighbors cannot go on and ends there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from ..common.errors import ParameterError, check_int
from ..graphs.graph import Graph
from .base import MAX_COLUMNS, Encoding, Floats, Ints, Recipe

if TYPE_CHECKING:
    import scipy.sparse

__all__ = ["GeneralizedPageRank", "HeatKernel", "LandingProbability", "PageRank"]

# Four primes below 2^31 and a point for each: the landing probabilities of all lengths are
# summed up as a polynomial at that point, modulo the prime (see LandingProbability.tokens).
PRIMES = np.array([2147483629, 2147483587, 2147483579, 2147483563])
POINTS = np.array([1163531501, 987654323, 1618033989, 1414213573])


def walk_matrix(G: Graph) -> scipy.sparse.csr_array:
    """W = A D^-1. [n, n]"""
    import scipy.sparse

    inverse = 1.0 / np.maximum(G.degrees, 1)
    return scipy.sparse.csr_array((inverse[G.indices], G.indices, G.indptr), shape=(G.num_nodes,) * 2)


def _walks(G: Graph, S: Ints, cut: bool, steps: int) -> Iterator[Floats]:
    """Columns S of W^0, W^1, ..., W^steps, one after another. [n, p]"""
    W = walk_matrix(G.cut(S) if cut else G)
    x = np.zeros((G.num_nodes, len(S)))
    x[S, np.arange(len(S))] = 1.0
    yield x
    for _ in range(steps):
        x = W @ x
        yield x


def walk_tokens(G: Graph, sources: Ints, steps: int) -> Ints:
    """The polynomials of :meth:`LandingProbability.tokens` for walks from each source. [sources, n, 4]"""
    from . import _kernels as kernels

    out = np.empty((len(sources), G.num_nodes, len(PRIMES)), dtype=np.int64)
    inverse = _inverses(int(G.degrees.max()))
    kernels.walk_sums(G.indptr, G.indices, sources, steps, PRIMES, POINTS, inverse, out)
    return out


@cache
def _inverses(largest: int) -> Ints:
    """1/d modulo each prime for d = 1..largest; 0 for a node without neighbors. [4, largest + 1]"""
    return np.array([[0] + [pow(d, -1, int(q)) for d in range(1, largest + 1)] for q in PRIMES])


@dataclass(frozen=True)
class LandingProbability(Encoding):
    """Landing probabilities ((W^0)_{uv}, (W^1)_{uv}, ..., (W^steps)_{uv}) of walks from v (Eq. 2).

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
        check_int("steps", self.steps, least=0, most=MAX_COLUMNS)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(f"step {k}" for k in range(self.dim))

    @property
    def dim(self) -> int:
        return self.steps + 1

    @property
    def recipe(self) -> Recipe:
        return Recipe("walk", self.steps)

    def title(self, column: int = -1) -> str:
        return f"landing probability at {self.columns[column]}"

    def pairwise(self, G: Graph, S: Ints, cut: bool) -> Floats:
        zeta = np.empty((len(S), G.num_nodes, self.dim))
        for k, x in enumerate(_walks(G, S, cut, self.steps)):
            zeta[:, :, k] = x.T
        return zeta

    def tokens(self, G: Graph, sets: Ints, cut: bool = False) -> Ints:
        """In exact arithmetic. sets [k, p] -> [k, n, p, 4]

        The rational numbers (W^0)_{uv}, ..., (W^steps)_{uv} are the coefficients of a polynomial, which is
        evaluated at a fixed point modulo four 31-bit primes. Different values prove different probabilities;
        equal values mean equal ones but for a chance below (steps / 2^31)^4.
        """
        if cut:
            values = np.stack([walk_tokens(G.cut(S), S, self.steps) for S in sets])  # [k, p, n, 4]
        else:  # a walk depends on its source alone
            sources, place = np.unique(sets, return_inverse=True)
            values = walk_tokens(G, sources, self.steps)[place.reshape(sets.shape)]
        return np.ascontiguousarray(values.transpose(0, 2, 1, 3))


@dataclass(frozen=True)
class GeneralizedPageRank(Encoding):
    """ζ(u|v) = sum over k of gamma[k] (W^k)_{uv} (Eq. 3; the paper's sum starts at k = 1: gamma[0] = 0).

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

    def pairwise(self, G: Graph, S: Ints, cut: bool) -> Floats:
        total = np.zeros((G.num_nodes, len(S)))
        for weight, x in zip(self.gamma, _walks(G, S, cut, len(self.gamma) - 1), strict=True):
            total += weight * x
        return total.T[:, :, None]


@dataclass(frozen=True)
class PageRank(Encoding):
    """Personalized PageRank ζ(u|v) = [sum over k >= 0 of (alpha W)^k]_{uv} = [(I - alpha W)^-1]_{uv}.

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

    def title(self, column: int = -1) -> str:
        return f"PageRank from S (α = {self.alpha:g})"

    def pairwise(self, G: Graph, S: Ints, cut: bool) -> Floats:
        import scipy.sparse
        import scipy.sparse.linalg

        H = G.cut(S) if cut else G
        root = np.sqrt(np.maximum(H.degrees, 1))
        symmetric = scipy.sparse.diags_array(1 / root) @ walk_matrix(H) @ scipy.sparse.diags_array(root)
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

    def pairwise(self, G: Graph, S: Ints, cut: bool) -> Floats:
        steps = int(self.t + 9 * math.sqrt(self.t) + 30)  # past it the Poisson(t) tail is below 1e-15
        logs = [k * math.log(self.t) - self.t - math.lgamma(k + 1) for k in range(steps)] if self.t else [0.0]
        return GeneralizedPageRank([math.exp(x) for x in logs]).pairwise(G, S, cut)
