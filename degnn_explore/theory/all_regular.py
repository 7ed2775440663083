"""All regular graphs on few nodes, one of each isomorphism class."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError, whole_number
from ..graphs.graph import Graph
from ..graphs.regular import check_regular, circulant

__all__ = ["regular_graphs"]

LARGEST_REGULAR = 12


@lru_cache(maxsize=64)
def regular_graphs(n: int, r: int) -> tuple[Graph, ...]:
    """All r-regular graphs on n <= 12 nodes, one of each isomorphism class, connected or not.

    Any graph becomes any other with the same degrees by switches: edges ab, cd give way to ac, bd. So
    the classes are found by switching from one of them until nothing new appears; the dense ones are the
    complements of the sparse ones.

    Examples
    --------
    >>> [len(regular_graphs(n, 3)) for n in (4, 6, 8, 10)]  # 1, 2, 5, 19 connected ones, and the others
    [1, 2, 6, 21]
    """
    n, r = whole_number("n", n, least=1), whole_number("r", r, least=0)
    if n > LARGEST_REGULAR:
        raise ParameterError(
            f"All regular graphs are generated up to {LARGEST_REGULAR} nodes, not {n}; "
            "use zoo.random_regular for a random one."
        )
    check_regular(n, r)
    if 2 * r > n - 1:
        full = ~np.eye(n, dtype=bool)
        matrices = [full & ~(G.to_scipy().toarray() > 0) for G in regular_graphs(n, n - 1 - r)]
    else:
        steps = [*range(1, r // 2 + 1), *([n // 2] if r % 2 else [])]
        matrices = _by_switching(circulant(n, steps).to_scipy().toarray() > 0)
    return tuple(_graph(A, f"{r}-regular, n={n}, no. {i}") for i, A in enumerate(matrices, start=1))


def _graph(A: NDArray[np.bool_], title: str) -> Graph:
    return Graph.from_edges(np.argwhere(np.triu(A)), len(A), title=title)


def _by_switching(first: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    from ..expressive import _kernels as compiled

    n = len(first)
    order, image = np.arange(n), np.empty(n, dtype=np.int64)
    found: list[NDArray[np.bool_]] = [first]
    known: dict[bytes, list[tuple[NDArray[np.bool_], NDArray[np.int64]]]] = {}
    (kinds,), (key,) = _kinds(first[None])
    known[key] = [(first, kinds)]
    for A in found:  # grows while it is walked through
        switched = _switches(A)
        if not len(switched):
            continue
        for B, kinds, key in zip(switched, *_kinds(switched), strict=True):
            alike = known.setdefault(key, [])
            if not any(compiled.find_isomorphism(B, C, kinds, other, order, 1 << 60, image) for C, other in alike):
                alike.append((B, kinds))
                found.append(B)
    return found


def _switches(A: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Every graph one switch away. [k, n, n]"""
    made = []
    edges = np.argwhere(np.triu(A)).tolist()
    for (a, b), (c, d) in combinations(edges, 2):
        for x, y in ((c, d), (d, c)):  # ab, xy -> ax, by
            if len({a, b, x, y}) == 4 and not A[a, x] and not A[b, y]:
                B = A.copy()
                B[a, b] = B[b, a] = B[x, y] = B[y, x] = False
                B[a, x] = B[x, a] = B[b, y] = B[y, b] = True
                made.append(B)
    return np.array(made, dtype=bool).reshape(-1, *A.shape)


def _kinds(graphs: NDArray[np.bool_]) -> tuple[NDArray[np.int64], list[bytes]]:
    """A number for each node that isomorphism keeps (closed walks of 3..7 steps), and a key for each graph."""
    A = graphs.astype(np.int64)
    power, kinds = A @ A, np.zeros(A.shape[:2], dtype=np.int64)
    for _ in range(5):
        power = power @ A
        kinds = kinds * 1_000_003 + np.diagonal(power, axis1=1, axis2=2)  # wraps round, the same for all
    return kinds, [row.tobytes() for row in np.sort(kinds, axis=1)]
