"""What an encoding ζ(u|S) is: its columns, values, exact tokens, labels, and how the compiled engine makes it.

To add one, subclass :class:`Encoding`: ``columns`` and ``pairwise`` are enough. ``tokens``, ``shown``, ``label`` and
``recipe`` have defaults that work for real numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError, TargetError, check_choice
from ..common.files import readable_size
from ..graphs.graph import Graph, Targets, needs_graph

__all__ = ["TOLERANCE_NOTE", "UNREACHABLE", "Encoding", "Recipe", "multiset", "needs_encoding", "tokens_of"]

Pool = Literal["mean", "sum"] | None
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

UNREACHABLE = np.iinfo(np.int64).max
"""Stands in :meth:`Encoding.shown` for a node that cannot be reached: sorts last, is drawn gray."""
MAX_BYTES = 2e9  # of ζ(u|v) for all u and v
MAX_COLUMNS = 1_000_000
RELATIVE, ABSOLUTE = 1e-9, 1e-12
TOLERANCE_NOTE = "values are compared as numbers, equal if they differ by at most 1e-9 of their size, or by 1e-12"
_OFFSET = 0.3141592653589793  # so that no decimal a person would write lies halfway between two integers


@dataclass(frozen=True)
class Recipe:
    """How the compiled engine makes an encoding: from distances or walks up to ``reach`` hops."""

    kind: Literal["SPD", "walk", "DRNL", "own"]
    reach: int


@dataclass(frozen=True, kw_only=True)
class Encoding(ABC):
    """What all encodings share: ζ(u|S) = AGG over v in S of ζ(u|v) (Eq. 1).

    Your own subclass declares its ``columns`` and computes them in ``pairwise``; see :func:`encoding`.

    Parameters
    ----------
    pool
        AGG: ``"mean"``, ``"sum"``, or None to keep the multiset as [n, p, dim].

    Examples
    --------
    >>> class Common(Encoding):
    ...     columns = ("common neighbors",)
    ...     def pairwise(self, G, S, cut):
    ...         A = (G.cut(S) if cut else G).to_scipy()
    ...         return (A[S] @ A).toarray()[:, :, None]
    >>> Common().encode(Graph.from_edges([(0, 1), (1, 2), (0, 3)]), {0}).ravel()
    array([2., 0., 1., 0.])
    """

    pool: Pool = "mean"

    num_targets: ClassVar[int | None] = None
    """The number of targets, if ζ is a function of all of them together; None: any number, one by one."""
    effort: ClassVar[int] = 1
    """How much longer ``pairwise`` takes for a set with edges inside than one pass over its numbers."""
    any_sign: ClassVar[bool] = False
    """Whether the sign of each column means nothing; then training draws it at random in every epoch."""

    def __post_init__(self) -> None:
        check_choice("pool", self.pool, ["mean", "sum", None])

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """What each column means, for legends."""

    @property
    def dim(self) -> int:
        """Number of columns of ζ(u|v)."""
        return len(self.columns)

    @property
    def recipe(self) -> Recipe | None:
        """How the compiled engine makes it; None if it cannot."""
        return None

    @abstractmethod
    def pairwise(self, G: Graph, S: Ints, cut: bool) -> Floats:
        """ζ(u|v) for each v in S and every node u. [p, n, dim]"""

    def encode(self, G: Graph, S: Targets, cut: bool = False) -> Floats:
        """ζ(u|S) for every node u of G.

        Parameters
        ----------
        G, S
            The graph and the target set, nodes by number or name.
        cut
            Remove the edges between nodes of S first (G'_S of the paper's appendix).

        Returns
        -------
        float64 [n, dim], or [n, p, dim] with ``pool=None`` (p in the order of S; a set is sorted).

        Examples
        --------
        >>> import degnn_explore as de
        >>> de.SPD(max_dist=1).encode(Graph.from_edges([(0, 1), (1, 2)], num_nodes=4), {0})
        array([[1., 0., 0.],
               [0., 1., 0.],
               [0., 1., 0.],
               [0., 0., 1.]])
        """
        needs_graph("encode", G)
        nodes = G.target_set(S)
        self.check_targets(len(nodes))
        size = 8 * len(nodes) * G.num_nodes * self.dim
        if size > MAX_BYTES:
            raise ParameterError(
                f"{self} gives {self.dim:,} numbers for each of {G.num_nodes:,} nodes and each of {len(nodes):,} "
                f"targets: {readable_size(size)}, more than {readable_size(MAX_BYTES)}. Take fewer columns or targets."
            )
        zeta = self.pairwise(G, nodes, cut)  # [p, n, dim]
        if self.pool is None:
            return np.ascontiguousarray(zeta.transpose(1, 0, 2))  # [n, p, dim]
        return zeta.mean(axis=0) if self.pool == "mean" else zeta.sum(axis=0)

    def check_targets(self, p: int) -> None:
        """Raise a TargetError unless it takes sets of p nodes."""
        if self.num_targets not in (None, p):
            raise TargetError(
                f"{type(self).__name__} is defined for {'pairs' if self.num_targets == 2 else self.num_targets}; "
                f"this target set has {p} {'node' if p == 1 else 'nodes'}. Use SPD, which takes any number."
            )

    @property
    def exact(self) -> bool:
        """Whether its tokens are exact; by default real numbers are compared with a tolerance."""
        return type(self).tokens is not Encoding.tokens

    def tokens(self, G: Graph, sets: Ints, cut: bool = False) -> Ints:
        """Integers that are equal exactly where ζ(u|v) is. sets [k, p] -> [k, n, p, words]

        By default they are made from the numbers, with a tolerance for rounding (:func:`tokens_of`).
        """
        return tokens_of([self.numbers(G, sets, cut)])[0]

    def numbers(self, G: Graph, sets: Ints, cut: bool = False) -> Floats:
        """ζ(u|v) itself, which must be finite. sets [k, p] -> [k, n, p, dim]"""
        size = 32 * sets.size * G.num_nodes * self.dim  # with the tokens that are made of it
        if size > MAX_BYTES:
            raise ParameterError(
                f"{self} of {len(sets):,} target sets on {G.num_nodes:,} nodes takes {readable_size(size)} to compare, "
                f"more than {readable_size(MAX_BYTES)}. Take fewer sets or columns."
            )
        each = [self.pairwise(G, S, cut).transpose(1, 0, 2) for S in sets]
        values = np.stack(each) if each else np.zeros((0, G.num_nodes, sets.shape[1], self.dim))
        self.need_finite(G, values, 1)
        return values

    def need_finite(self, G: Graph, values: Floats, axis: int, nodes: Ints | None = None) -> None:
        """Raise a ParameterError that names the first node, along ``axis``, without a finite value. [..., columns]"""
        if np.isfinite(values).all():
            return
        place = np.argwhere(~np.isfinite(values))[0]
        node = place[axis] if nodes is None else nodes[place[axis]]
        raise ParameterError(
            f"{self!r} gives {values[tuple(place)]} in column {self.columns[place[-1] % self.dim]!r} for node "
            f"{G.names[node]}; return a number for every pair, also where there is no path or no neighbor."
        )

    def shown(self, G: Graph, S: Ints, cut: bool) -> NDArray[Any]:
        """What trees and legends show for each node [n, width]: integers to list one by one, or real numbers to bin."""
        values = self.encode(G, S, cut).reshape(G.num_nodes, -1)
        self.need_finite(G, values, 0)
        return values

    def label(self, row: Sequence[Any]) -> str:
        """A row of :meth:`shown` in words, short enough for a tree node."""
        return ", ".join(f"{x:.3g}" for x in row)

    def legend(self, row: Sequence[Any]) -> str:
        """A row of :meth:`shown` in words, for a legend."""
        return self.label(row)

    def title(self, column: int = -1) -> str:
        """The heading of that column's legend."""
        return self.columns[column]


def needs_encoding(encoding: Any) -> None:
    """Raise a ParameterError unless it is an encoding, or None."""
    if not isinstance(encoding, Encoding | None):
        raise ParameterError(f"encoding must be one such as de.SPD(3), or None, not {encoding!r:.80}.")


def multiset(words: Sequence[str]) -> str:
    """One word as it is, several as a multiset, many with counts.

    Examples
    --------
    >>> multiset("2"), multiset("12"), multiset(["1", "∞"]), multiset("01112")
    ('2', '{1,2}', '{1,∞}', '{0, 1×3, 2}')
    """
    if len(words) > 4:
        counted = [f"{word}×{k}" if (k := words.count(word)) > 1 else word for word in dict.fromkeys(words)]
        return "{" + ", ".join(counted) + "}"
    return words[0] if len(words) == 1 else "{" + ",".join(words) + "}"


def tokens_of(arrays: Sequence[Floats]) -> list[Ints]:
    """Two integers for each number, [..., columns] -> [..., 2 * columns]; equal where numbers of a column are close.

    Numbers of all the arrays are compared together, so that rounding separates none that belong together: a class holds
    the numbers within the tolerance of its smallest. Across calls, numbers agree to ten significant digits.

    >>> third, nothing = np.array([[1 / 3], [0.1 + 0.2]]), np.array([[1e-17], [1 - 2 / 3]])
    >>> [words.tolist() for words in tokens_of([third, nothing])]
    [[[3333333333, -1], [3000000000, -1]], [[0, 0], [3333333333, -1]]]
    """
    flat = np.concatenate([array.reshape(-1, array.shape[-1]) for array in arrays])
    words = np.zeros((*flat.shape, 2), dtype=np.int64)
    for column, numbers in enumerate(flat.T):
        levels, place = np.unique(numbers, return_inverse=True)
        first = _first_of_class(levels)
        group = np.cumsum(first) - 1
        smallest = levels[first]
        smallest[group[np.abs(levels) <= ABSOLUTE]] = 0.0
        words[:, column] = _digits(smallest)[group[place.reshape(-1)]]
    ends = np.cumsum([array.size // array.shape[-1] for array in arrays])[:-1]
    parts = np.split(words.reshape(len(flat), 2 * flat.shape[1]), ends)
    return [part.reshape(*array.shape[:-1], 2 * array.shape[-1]) for part, array in zip(parts, arrays, strict=True)]


def _first_of_class(levels: Floats) -> NDArray[np.bool_]:
    """Marks each ascending number that is further than the tolerance from the smallest of the class before. [k]"""
    tolerance = RELATIVE * np.abs(levels) + ABSOLUTE
    first = np.ones(len(levels), dtype=bool)
    first[1:] = np.diff(levels) > np.maximum(tolerance[1:], tolerance[:-1])
    starts = np.flatnonzero(first)
    ends = np.append(starts, len(levels))[1:]
    wide = levels[ends - 1] > levels[starts] + tolerance[starts]  # chains of small steps, split into classes
    for start, end in zip(starts[wide].tolist(), ends[wide].tolist(), strict=True):
        while start < end:
            start += int(np.searchsorted(levels[start:end], levels[start] + tolerance[start], side="right"))
            if start < end:
                first[start] = True
    return first


def _digits(numbers: NDArray[np.float64]) -> NDArray[np.int64]:
    """Ten significant digits of each number, and its power of ten. [k] -> [k, 2]"""
    power = np.where(numbers == 0, 0.0, np.floor(np.log10(np.maximum(np.abs(numbers), ABSOLUTE))))
    digits = np.round(numbers / 10.0**power * 1e9 - _OFFSET)
    carried = np.abs(digits) >= 1e10  # 9.9999999999 is 1.0 of the next power
    digits, power = np.where(carried, digits / 10, digits), power + carried
    return np.stack([digits, power], axis=1).astype(np.int64)
