"""What an encoding ζ(u|S) is: its columns, its values, its exact tokens, its words, and how the engine makes it.

To add one, subclass :class:`Encoding` in a module of this room: ``columns`` and ``pairwise`` are enough; whatever
else it says of itself (``tokens``, ``shown``, ``label``, ``recipe``) replaces a default that works for real numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError, TargetError, one_of
from ..common.files import readable_size
from ..graphs.graph import Graph, Targets, needs_graph
from .numbers import tokens_of

__all__ = ["ANYWHERE", "FAR", "Encoding", "Recipe", "multiset", "needs_encoding"]

Pool = Literal["mean", "sum"] | None
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FAR = np.iinfo(np.int64).max
"""What :meth:`Encoding.shown` puts where a node has no value, being unreachable: sorts last, drawn grey."""
MAX_BYTES = 2e9  # of ζ(u|v) for all u and v
MAX_COLUMNS = 1_000_000
ANYWHERE = 2**31 - 2  # the reach of paths of any length


@dataclass(frozen=True)
class Recipe:
    """How the compiled engine makes an encoding: from distances or walks that reach so many hops."""

    kind: Literal["SPD", "walk", "DRNL", "own"]
    reach: int


@dataclass(frozen=True, kw_only=True)
class Encoding(ABC):
    """What all encodings share: ζ(u|S) = AGG over v in S of ζ(u|v) (Eq. 2).

    One of your own says what its ``columns`` are, and with ``pairwise`` what they hold; see :func:`encoding`.

    Parameters
    ----------
    pool
        AGG: ``"mean"``, ``"sum"``, or None to keep the multiset as [n, p, dim].

    Examples
    --------
    >>> class Common(Encoding):
    ...     columns = ("common neighbours",)
    ...     def pairwise(self, G, S, cut):
    ...         A = (G.cut(S) if cut else G).to_scipy()
    ...         return (A[S] @ A).toarray()[:, :, None]
    >>> Common().encode(Graph.from_edges([(0, 1), (1, 2), (0, 3)]), {0}).ravel()
    array([2., 0., 1., 0.])
    """

    pool: Pool = "mean"

    num_targets: ClassVar[int | None] = None
    """How many targets it takes, ζ being a function of all of them together; None: any number, one by one."""

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

    @property
    def recipe(self) -> Recipe | None:
        """How the compiled engine makes it; None: it cannot."""
        return None

    @abstractmethod
    def pairwise(self, G: Graph, S: Ints, cut: bool) -> Floats:
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
        """A TargetError unless it takes sets of p nodes."""
        if self.num_targets not in (None, p):
            raise TargetError(
                f"{type(self).__name__} is defined for {'pairs' if self.num_targets == 2 else self.num_targets}; "
                f"this target set has {p} {'node' if p == 1 else 'nodes'}. Use SPD, which takes any number."
            )

    @property
    def exact(self) -> bool:
        """Whether its tokens are of its own making; those of real numbers are equal to within a tolerance."""
        return type(self).tokens is not Encoding.tokens

    def tokens(self, G: Graph, sets: Ints, cut: bool = False) -> Ints:
        """Integers that are equal exactly where ζ(u|v) is. sets [k, p] -> [k, n, p, words]

        By default of the numbers themselves, equal but for rounding (:mod:`degnn_explore.encodings.numbers`).
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
        """A ParameterError that names the first node, along that axis, whose value is none. [..., columns]"""
        if np.isfinite(values.sum()) or np.isfinite(values).all():  # the sum is the quicker; it may also overflow
            return
        place = np.argwhere(~np.isfinite(values))[0]
        node = place[axis] if nodes is None else nodes[place[axis]]
        raise ParameterError(
            f"{self!r} gives {values[tuple(place)]} in column {self.columns[place[-1] % self.dim]!r} for node "
            f"{G.names[node]}; return a number for every pair, also where there is no path or no neighbour."
        )

    def shown(self, G: Graph, S: Ints, cut: bool) -> NDArray[Any]:
        """What trees and legends show of each node [n, width]: integers to name one by one, or real numbers to bin."""
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
        """What a legend of that column is headed with."""
        return self.columns[column]


def needs_encoding(encoding: Any) -> None:
    """A ParameterError unless it is an encoding, or None."""
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
