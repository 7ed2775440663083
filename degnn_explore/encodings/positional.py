"""What came after distance encoding: the zero-one labeling trick, random-walk and Laplacian encodings.

``ZeroOne`` marks the targets and nothing else. ``RandomWalkSE`` and ``LaplacianPE`` describe the place of a node in the
graph, whatever the targets are: ζ(u|v) is the same for each v.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..common.errors import ParameterError, check_int
from ..graphs.graph import Graph
from .base import MAX_COLUMNS, Encoding, Floats, Ints
from .walks import PRIMES, walk_matrix, walk_tokens

if TYPE_CHECKING:
    import scipy.sparse

__all__ = ["LaplacianPE", "RandomWalkSE", "ZeroOne"]

TABLE_BYTES = 1_000_000_000  # most for the walks between all nodes, which make cuts quick: 3,700 nodes with 8 steps
MAX_ENTRIES = 20_000_000  # entries of a block of start nodes whose walks are followed together
SMALLEST_GAP = 1e-6  # between eigenvalues: closer ones count as one that is repeated


@dataclass(frozen=True)
class ZeroOne(Encoding):
    """ζ(u|v) = 1 if u = v, else 0: the simplest labeling trick (Zhang, Li, Xia, Wang & Jin, NeurIPS 2021).

    With the targets marked, a sufficiently expressive GNN represents the set S and not just its nodes one by one. The
    distance to the nearest mark can be computed from the marks, with one layer for each step.

    Examples
    --------
    >>> ZeroOne(pool="sum").encode(Graph.from_edges([(0, 1), (1, 2)]), {0, 1}).ravel()
    array([1., 1., 0.])
    """

    @property
    def columns(self) -> tuple[str, ...]:
        return ("target",)

    def pairwise(self, G: Graph, S: Ints, cut: bool) -> Floats:
        zeta = np.zeros((len(S), G.num_nodes, 1))
        zeta[np.arange(len(S)), S] = 1.0
        return zeta

    def tokens(self, G: Graph, sets: Ints, cut: bool = False) -> Ints:
        """Exact. sets [k, p] -> [k, n, p, 1]"""
        return (np.arange(G.num_nodes)[None, :, None, None] == sets[:, None, :, None]).astype(np.int64)

    def shown(self, G: Graph, S: Ints, cut: bool) -> Ints:
        return np.isin(np.arange(G.num_nodes), S)[:, None].astype(np.int64)

    def label(self, row: object) -> str:
        return str(row[0])  # type: ignore[index]

    def legend(self, row: object) -> str:
        return "target" if row[0] else "not a target"  # type: ignore[index]


@dataclass(frozen=True)
class RandomWalkSE(Encoding):
    """Return probabilities ((W^1)_{uu}, ..., (W^steps)_{uu}): how likely a random walk from u is back after k steps.

    A structural encoding (Dwivedi, Luu, Laurent, Bengio & Bresson, ICLR 2022): equal for nodes that an automorphism
    swaps, and independent of the targets. It sees triangles (k = 3) and other short cycles around a node.

    Examples
    --------
    >>> triangle_with_tail = Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3)])
    >>> RandomWalkSE(steps=3).encode(triangle_with_tail, {0}).round(3)
    array([[0.   , 0.417, 0.167],
           [0.   , 0.417, 0.167],
           [0.   , 0.667, 0.167],
           [0.   , 0.333, 0.   ]])
    """

    steps: int = 8

    def __post_init__(self) -> None:
        super().__post_init__()
        check_int("steps", self.steps, least=1, most=MAX_COLUMNS)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(f"return after {k}" for k in range(1, self.steps + 1))

    def title(self, column: int = -1) -> str:
        return f"probability to {self.columns[column]} steps"

    def pairwise(self, G: Graph, S: Ints, cut: bool) -> Floats:
        returns = _cached(G, self, lambda: self._returns(G))
        if cut and _has_inner_edges(G, S):
            if 8 * (self.steps + 1) * G.num_nodes**2 <= TABLE_BYTES:
                walks = _cached(G, ("walks", self.steps), lambda: _walks(G, self.steps))
                returns = _returns_without(G, S, walks)
            else:
                returns = self._returns(G.cut(S))
        return np.broadcast_to(returns, (len(S), *returns.shape))

    def _returns(self, G: Graph) -> Floats:
        """Return probabilities of every node. [n, steps]"""
        W, n = walk_matrix(G), G.num_nodes
        returns = np.empty((n, self.steps))
        size = max(1, MAX_ENTRIES // n)
        for begin in range(0, n, size):
            nodes = np.arange(begin, min(n, begin + size))
            x = np.zeros((n, len(nodes)))
            x[nodes, np.arange(len(nodes))] = 1.0
            for k in range(self.steps):
                x = W @ x
                returns[nodes, k] = x[nodes, np.arange(len(nodes))]
        return returns

    def tokens(self, G: Graph, sets: Ints, cut: bool = False) -> Ints:
        """In exact arithmetic, as those of :class:`LandingProbability`. sets [k, p] -> [k, n, p, 4]"""
        each = [_return_tokens(G.cut(S), self.steps) for S in sets] if cut else [_return_tokens(G, self.steps)]
        return np.broadcast_to(np.stack(each)[:, :, None], (len(sets), G.num_nodes, sets.shape[1], len(PRIMES)))


def _walks(G: Graph, steps: int) -> Floats:
    """M_t = (D^-1 A)^t D^-1 for t = 0..steps, with degree 1 for nodes without neighbors. [steps + 1, n, n]"""
    inverse = 1 / np.maximum(G.degrees, 1)
    step = G.to_scipy().astype(np.float64).multiply(inverse[:, None]).tocsr()
    walks = np.empty((steps + 1, G.num_nodes, G.num_nodes))
    walks[0] = np.diag(inverse)
    for t in range(steps):
        walks[t + 1] = step @ walks[t]
    return walks


def _returns_without(G: Graph, S: Ints, walks: Floats) -> Floats:
    """Return probabilities once the edges inside S are cut, from the walks of G. [n, steps]

    The M_t are the coefficients of (D - zA)^-1, and the cut adds C_0 + z C_1 to D - zA at the rows and columns of S:
    M' = M - M_{:S} K M_{S:} with K = C (I + M_SS C)^-1 (Woodbury), all of them power series in z.
    """
    p, steps = len(S), len(walks) - 1
    inner = np.asarray(G.to_scipy()[S][:, S].toarray(), dtype=np.float64)
    after = np.maximum(G.degrees[S] - inner.sum(axis=1), 1.0)
    C = np.zeros((2, p, p))
    C[0], C[1] = np.diag(after - np.maximum(G.degrees[S], 1)), inner
    block, rows = walks[:, S][:, :, S], walks[:, S]  # M_SS [steps+1, p, p], M_S: [steps+1, p, n]
    B = [block[t] @ C[0] + (block[t - 1] @ C[1] if t else 0) for t in range(steps + 1)]  # M_SS C
    solved = np.linalg.inv(np.eye(p) + B[0])
    K = np.zeros((steps + 1, p, p))  # K (I + M_SS C) = C
    for t in range(steps + 1):
        known = C[t] if t < 2 else np.zeros((p, p))
        K[t] = (known - sum((K[t - s] @ B[s] for s in range(1, t + 1)), start=np.zeros((p, p)))) @ solved
    half = np.stack([sum(K[t - s].T @ rows[s] for s in range(t + 1)) for t in range(steps + 1)])  # [steps+1, p, n]
    changed = np.stack([sum((half[s] * rows[t - s]).sum(axis=0) for s in range(t + 1)) for t in range(steps + 1)])
    degrees = np.maximum(G.degrees, 1).astype(np.float64)
    degrees[S] = after
    returns = (np.einsum("tuu->tu", walks) - changed)[1:].T * degrees[:, None]
    return np.where(np.abs(returns) < 1e-12, 0.0, returns)  # zeros, up to rounding


def _has_inner_edges(G: Graph, S: Ints) -> bool:
    i, j = np.triu_indices(len(S), 1)
    return bool(G.has_edges(np.stack([S[i], S[j]], axis=1)).any())


_CACHE: weakref.WeakKeyDictionary[Graph, dict[Hashable, Any]] = weakref.WeakKeyDictionary()


def _cached(G: Graph, key: Hashable, compute: Callable[[], Any]) -> Any:
    """What ``compute`` gives, computed once per graph: it is the same for every target set."""
    of_graph = _CACHE.setdefault(G, {})
    if key not in of_graph:
        of_graph[key] = compute()
    return of_graph[key]


def _return_tokens(G: Graph, steps: int) -> Ints:
    """The return probabilities of each node as a polynomial, evaluated modulo four primes. [n, 4]"""
    tokens = np.empty((G.num_nodes, len(PRIMES)), dtype=np.int64)
    size = max(1, MAX_ENTRIES // tokens.size)
    for begin in range(0, G.num_nodes, size):
        nodes = np.arange(begin, min(G.num_nodes, begin + size))
        tokens[nodes] = walk_tokens(G, nodes, steps)[np.arange(len(nodes)), nodes]
    return tokens


@dataclass(frozen=True)
class LaplacianPE(Encoding):
    """Eigenvectors of I - D^-1/2 A D^-1/2 for the k smallest eigenvalues after the first: coordinates in the graph.

    A positional encoding (Dwivedi & Bresson, 2021), the same for every target set. An eigenvector is determined only up
    to its sign, and those of a repeated eigenvalue only up to a rotation, so two equal graphs can have different
    encodings. ``encode`` makes the largest entry positive; training draws new signs in each epoch; verdicts
    compare absolute values, and only if the k + 1 smallest eigenvalues differ from each other and from the next. If
    edges inside a target set are cut, the eigenvectors are computed for that set alone.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> np.abs(LaplacianPE(1).encode(path, {0})).round(3).ravel()
    array([0.707, 0.   , 0.707])
    """

    k: int = 4

    effort: ClassVar[int] = 20
    any_sign: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_int("k", self.k, least=1, most=10_000)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(f"eigenvector {i}" for i in range(1, self.k + 1))

    def title(self, column: int = -1) -> str:
        return f"Laplacian {self.columns[column]}"

    def pairwise(self, G: Graph, S: Ints, cut: bool) -> Floats:
        if cut and _has_inner_edges(G, S):
            _, vectors = self._spectrum(G.cut(S))
        else:
            _, vectors = _cached(G, self, lambda: self._spectrum(G))
        largest = np.take_along_axis(vectors, np.abs(vectors).argmax(axis=0)[None], axis=0)
        vectors = vectors * np.where(largest < 0, -1.0, 1.0)
        return np.broadcast_to(vectors, (len(S), *vectors.shape))

    def numbers(self, G: Graph, sets: Ints, cut: bool = False) -> Floats:
        """Absolute values, which do not depend on signs; a ParameterError if an eigenvalue is repeated."""
        graphs = [G.cut(S) for S in sets] if cut else [G]
        sizes = []
        for graph in graphs:
            values, vectors = self._spectrum(graph)
            gaps = np.diff(values)
            if gaps.min() < SMALLEST_GAP:
                raise ParameterError(
                    f"{self!r} gives no verdict here: eigenvalue {values[int(gaps.argmin())]:.4g} of the Laplacian is "
                    "repeated, so its eigenvectors are only known up to a rotation. Take a smaller k, or another "
                    "encoding."
                )
            sizes.append(np.abs(vectors))
        shape = (len(sets), G.num_nodes, sets.shape[1], self.k)
        each = np.stack(sizes)[:, :, None] if sizes else np.zeros((0, *shape[1:]))
        return np.ascontiguousarray(np.broadcast_to(each, shape))

    def _spectrum(self, G: Graph) -> tuple[Floats, Floats]:
        """The k + 2 smallest eigenvalues (fewer in small graphs), and k eigenvectors from the second on. [n, k]"""
        n = G.num_nodes
        if n <= self.k:
            raise ParameterError(f"{self!r} needs more than {self.k} nodes; this graph has {n}.")
        laplacian = _laplacian(G)
        count = min(self.k + 2, n)
        if n <= 2_000 or count > n // 3:
            from scipy.linalg import eigh

            values, vectors = eigh(laplacian.toarray(), subset_by_index=(0, count - 1))
        else:
            from scipy.sparse.linalg import eigsh

            start = np.random.default_rng(0).random(n)  # fixed, so that the same graph gives the same vectors
            values, vectors = eigsh(laplacian, k=count, sigma=-1e-3, which="LM", v0=start)
            order = np.argsort(values)
            values, vectors = values[order], vectors[:, order]
        return values[:count], vectors[:, 1 : self.k + 1]


def _laplacian(G: Graph) -> scipy.sparse.csc_array:
    import scipy.sparse

    root = scipy.sparse.diags_array(1 / np.sqrt(np.maximum(G.degrees, 1)))
    linked = scipy.sparse.diags_array((G.degrees > 0).astype(np.float64))
    return (linked - root @ G.to_scipy().astype(np.float64) @ root).tocsc()
