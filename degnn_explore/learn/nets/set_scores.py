"""Scores of target sets by a formula, nothing learned: what any model should be compared with.

The edges inside a set are cut before it is scored, as everywhere; the score of three nodes is the sum over their pairs
(preferential attachment: the product over the nodes). The higher the score, the likelier a link or a triangle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...engine.features import inner_edges
from ...graphs.distances import inner_distances
from ...graphs.graph import Graph
from ..splits import Ints

if TYPE_CHECKING:
    import scipy.sparse

Scores = NDArray[np.float64]
_AT_ONCE = 4096  # sets, or columns of an inverse


def common_neighbors(graph: Graph, sets: Ints) -> Scores:
    """|N(u) ∩ N(v)|. [k]

    Examples
    --------
    >>> square = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)])
    >>> common_neighbors(square, np.array([[0, 2], [1, 3], [0, 1]])).tolist()
    [2.0, 2.0, 1.0]
    """
    return _shared(graph, sets, np.ones(graph.num_nodes))


def adamic_adar(graph: Graph, sets: Ints) -> Scores:
    """Sum over common neighbors z of 1 / log d(z) (Adamic & Adar, 2003). [k]"""
    return _shared(graph, sets, 1 / np.log(np.maximum(graph.degrees, 2)))


def resource_allocation(graph: Graph, sets: Ints) -> Scores:
    """Sum over common neighbors z of 1 / d(z) (Zhou, Lü & Zhang, 2009). [k]"""
    return _shared(graph, sets, 1 / np.maximum(graph.degrees, 1))


def _shared(graph: Graph, sets: Ints, weight: Scores) -> Scores:
    """Sum of the weights of the nodes outside S that are neighbors of u and v, over the pairs of each set."""
    A = graph.to_scipy()
    parts = []
    for some in _pieces(sets):
        inner, total = inner_edges(graph, some), np.zeros(len(some))
        for i, j in combinations(range(some.shape[1]), 2):
            total += A[some[:, i]].multiply(A[some[:, j]]) @ weight
            total -= (inner[:, i] * inner[:, j] * weight[some]).sum(axis=1)  # a node of S: its edges to u and v are cut
        parts.append(total)
    return np.concatenate(parts)


def preferential_attachment(graph: Graph, sets: Ints) -> Scores:
    """Product of the degrees (Barabási & Albert, 1999). [k]"""
    return np.asarray(_degrees(graph, sets).prod(axis=1, dtype=np.float64))


def closeness(graph: Graph, sets: Ints) -> Scores:
    """1 / distance; 0 where there is no path. [k]"""
    far = inner_distances(graph, sets)  # [k, p, p]
    i, j = np.triu_indices(sets.shape[1], 1)
    return np.asarray(np.where(far > 0, 1 / np.maximum(far, 1), 0.0)[:, i, j].sum(axis=1))


def katz(graph: Graph, sets: Ints, damping: float = 0.2) -> Scores:
    """Number of walks from u to v, each counting β^length: [(I - βA)^-1]_uv (Katz, 1953). [k]

    β is ``damping`` times the largest that converges, 1 / λ for the largest eigenvalue λ of the graph.
    """
    import scipy.sparse

    A = graph.to_scipy().astype(np.float64)
    beta = damping / _largest_eigenvalue(A)
    matrix = scipy.sparse.eye_array(graph.num_nodes) - beta * A
    return _over_pairs(_inner_inverse(matrix, sets, beta * inner_edges(graph, sets)))


def personalized_pagerank(graph: Graph, sets: Ints, alpha: float = 0.85) -> Scores:
    """Where walks from u that end with probability 1 - α at each step end: at v, and the same from v at u. [k]"""
    import scipy.sparse

    degrees = np.maximum(graph.degrees, 1)  # a node without neighbors stays where it is
    matrix = scipy.sparse.diags_array(degrees.astype(np.float64)) - alpha * graph.to_scipy()
    after = np.maximum(_degrees(graph, sets), 1)  # [k, p]
    cut = alpha * inner_edges(graph, sets) + np.eye(sets.shape[1]) * (after - degrees[sets])[:, :, None]
    ends = (1 - alpha) * _inner_inverse(matrix, sets, cut) * after[:, None, :]
    return _over_pairs(ends + ends.transpose(0, 2, 1))


def _inner_inverse(matrix: scipy.sparse.sparray, sets: Ints, cut: NDArray[Any]) -> Scores:
    """The inverse's entries between the nodes of each set after its edges are cut. [k, p] -> [k, p, p]

    The cut adds ``cut`` [k, p, p] to the matrix at the rows and columns of the set, and so changes this block R of the
    inverse to (R^-1 + cut)^-1 (Woodbury): one factorization serves all sets, exactly.
    """
    from scipy.sparse.linalg import splu

    solver = splu(matrix.tocsc())
    block = _inner_entries(sets, matrix.shape[0], 1, lambda units: [solver.solve(units)])[:, 0]
    changed = np.flatnonzero(cut.any(axis=(1, 2)))  # the others are exact to the last digit, however small
    before = block[changed]
    after = np.linalg.inv(np.linalg.inv(before) + cut[changed])
    block[changed] = np.where(after > 1e-10 * before, after, 0.0)  # clip rounding noise to zero
    return block


def _inner_entries(sets: Ints, num_nodes: int, count: int, columns: Callable[[Scores], Iterable[Scores]]) -> Scores:
    """Entries between the nodes of each set, of ``count`` matrices that are known by their products with unit columns.

    [k, p] -> [k, count, p, p]
    """
    nodes, place = np.unique(sets, return_inverse=True)
    place = place.reshape(sets.shape)
    entries = np.empty((len(sets), count, sets.shape[1], sets.shape[1]))
    width = max(1, _AT_ONCE * 1000 // num_nodes)
    for start in range(0, len(nodes), width):
        chosen = nodes[start : start + width]
        units = np.zeros((num_nodes, len(chosen)))
        units[chosen, np.arange(len(chosen))] = 1
        rows_of = [np.flatnonzero((column >= start) & (column < start + width)) for column in place.T]
        for number, product in enumerate(columns(units)):
            for j, rows in enumerate(rows_of):
                entries[rows, number, :, j] = product[sets[rows], place[rows, j, None] - start]
    return entries


def inner_walks(graph: Graph, sets: Ints, steps: int, *, counted: bool = False) -> tuple[Scores, Scores]:
    """Walks of 0, ..., ``steps`` steps between the nodes of each set, its edges cut, and all put in. [k, steps+1, p, p]

    Entries of the powers of D^-1/2 A D^-1/2: on the diagonal the probability to be back, elsewhere the geometric mean
    of the landing probabilities there and back; ``counted``: of A, the numbers of walks.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> cut, joined = inner_walks(path, np.array([[0, 2]]), 2)
    >>> cut[0, 2].round(3).tolist()  # to the middle, then back or on
    [[0.5, 0.5], [0.5, 0.5]]
    >>> inner_walks(path, np.array([[0, 2]]), 2, counted=True)[1][0, 2].tolist()  # a triangle
    [[2.0, 1.0], [1.0, 2.0]]
    """
    A = graph.to_scipy().astype(np.float64)
    edges = inner_edges(graph, sets).astype(np.float64)
    weight = np.ones(graph.num_nodes) if counted else np.maximum(graph.degrees, 1.0)
    before = weight[sets]  # [k, p]

    def powers(units: Scores) -> Iterator[Scores]:
        yield (walked := units / weight[:, None])
        for _ in range(steps):
            yield (walked := (A @ walked) / weight[:, None])

    walks = _inner_entries(sets, graph.num_nodes, steps + 1, powers)

    def with_edges(wanted: Scores | float) -> Scores:
        more = wanted - edges  # what is put in, or cut: -1
        after = before if counted else np.maximum(graph.degrees[sets] + more.sum(axis=2), 1.0)
        changed_walks = walks.copy()
        changed = np.flatnonzero(more.any(axis=(1, 2)))  # the others are exact to the last digit
        changed_walks[changed] = _with_edges(walks[changed], more[changed], before[changed], after[changed])
        return np.asarray(changed_walks * np.sqrt(after[:, None, :, None] * after[:, None, None, :]))

    return with_edges(0.0), with_edges(1 - np.eye(sets.shape[1]))


def _with_edges(walks: Scores, more: Scores, before: Scores, after: Scores) -> Scores:
    """The entries of (D^-1 A)^t D^-1 between the nodes of each set once edges between them are put in or cut.

    They are the coefficients R_t of a power series, the block of (D - zA)^-1. Another D and A between the nodes of S
    add C_0 + z C_1 to the block of its inverse, and so make it R' = (R^-1 + C_0 + z C_1)^-1 (Woodbury), that is
    (I + R_0 C_0) R'_t = R_t - Σ_{s=1..t} (R_s C_0 + R_{s-1} C_1) R'_{t-s}: walks from a node serve all sets, exactly.
    """
    C_0, C_1 = np.eye(more.shape[1]) * (after - before)[:, :, None], -more
    ratio = (before / after)[:, :, None]  # of (I + R_0 C_0)^-1, which is diagonal: R_0 = D^-1
    R_new = np.empty_like(walks)
    for t in range(walks.shape[1]):
        R_new[:, t] = walks[:, t]
        for s in range(1, t + 1):
            R_new[:, t] -= (walks[:, s] @ C_0 + walks[:, s - 1] @ C_1) @ R_new[:, t - s]
        R_new[:, t] *= ratio
    most = more.max(axis=(1, 2))[:, None, None, None]  # not above 0: edges were cut
    return np.where((most <= 0) & (R_new < 1e-10 * walks), 0.0, R_new)  # clip rounding noise to zero


def _over_pairs(block: Scores) -> Scores:
    i, j = np.triu_indices(block.shape[1], 1)
    return np.asarray(block[:, i, j].sum(axis=1))


def _largest_eigenvalue(A: scipy.sparse.csr_array) -> float:
    """By power iteration on A + I, which has no eigenvalue -λ as a bipartite graph's A has; 1 without edges."""
    v = np.ones(A.shape[0])
    value = 1.0
    for _ in range(1000):
        w = A @ v + v
        value, before = float(np.linalg.norm(w) / np.linalg.norm(v)), value
        v = w / np.linalg.norm(w)
        if abs(value - before) < 1e-6 * value:
            break
    return max(1.0, value - 1)


def _degrees(graph: Graph, sets: Ints) -> Ints:
    """Degrees of the nodes of each set after the cut. [k, p]"""
    return graph.degrees[sets] - inner_edges(graph, sets).sum(axis=2)


def _pieces(sets: Ints) -> Iterator[Ints]:
    return (sets[start : start + _AT_ONCE] for start in range(0, len(sets), _AT_ONCE))


SET_SCORES: dict[str, Callable[..., Scores]] = {
    "common neighbors": common_neighbors,
    "Adamic-Adar": adamic_adar,
    "resource allocation": resource_allocation,
    "preferential attachment": preferential_attachment,
    "Katz": katz,
    "personalized PageRank": personalized_pagerank,
    "shortest path": closeness,
}
