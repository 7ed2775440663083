"""Look up nodes by name or number; an error for what could mean two nodes.

One rule wherever nodes are taken: a string is a name. An integer in an array (or a numpy integer), as this library
returns them, is a number 0..n-1. A Python integer is that number too, unless the ids of the graph were other integers
and the nodes were renumbered: then it is an error, except where both readings mean the same node.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import TargetError, did_you_mean, short_repr

Node = int | np.integer[Any] | str
Targets = Node | Iterable[Node]  # a target set: a node, a name, or several of them


@dataclass(frozen=True)
class Nodes:
    """Looks up the nodes of a graph; ``explicit`` are their names, or None if every node is called by its number."""

    count: int
    explicit: tuple[str, ...] | None
    renumbered: bool

    @cached_property
    def names(self) -> tuple[str, ...]:
        return self.explicit if self.explicit is not None else tuple(map(str, range(self.count)))

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def number(self, v: Node) -> int:
        """The number of one node."""
        if isinstance(v, str):
            if v not in self._place:
                raise TargetError(f"No node is called {short_repr(v)}.{did_you_mean(v, self.names[:100_000])}")
            return self._place[v]
        if isinstance(v, bool | np.bool_) or not isinstance(v, int | np.integer):
            raise TargetError(f"A node is a number 0..{self.count - 1} or a name, not {short_repr(v)}.")
        if isinstance(v, int) and self.explicit is not None:
            self._refuse_two_readings(v)
        if not 0 <= v < self.count:
            raise TargetError(f"Node {short_repr(int(v))} is not in the graph; its nodes are 0..{self.count - 1}.")
        return int(v)

    def _refuse_two_readings(self, v: int) -> None:
        named = self._place.get(short_repr(v))
        if named == v or (named is None and not self.renumbered):
            return
        as_name = f"a node called '{short_repr(v)}' (" + ("there is none)" if named is None else f"number {named})")
        called = f"called {self.names[v]!r}" if 0 <= v < self.count else f"there are 0..{self.count - 1}"
        raise TargetError(
            f"{short_repr(v)} could mean {as_name} or node number {short_repr(v)} ({called}), because the nodes of "
            f"this graph were renumbered. Say which: the name as text, '{short_repr(v)}', or the number as "
            f"numpy.int64({short_repr(v)})."
        )

    def numbers(self, array: NDArray[Any]) -> NDArray[np.int64]:
        """A copy of integers that must all be node numbers."""
        if array.size and (array.min() < 0 or array.max() >= self.count):
            bad = array.min() if array.min() < 0 else array.max()
            raise TargetError(f"Node {bad} is not in the graph; its nodes are 0..{self.count - 1}.")
        return array.astype(np.int64)

    def target_set(self, S: Targets) -> NDArray[np.int64]:
        """The nodes of S as numbers: not empty, none twice; see ``Graph.target_set``. [p]"""
        if isinstance(S, int | np.integer | str):
            S = [S]
        members: Any = np.asarray(S) if hasattr(S, "__array__") else S
        try:
            members = members if isinstance(members, np.ndarray) and members.ndim == 1 else list(members)
        except TypeError:
            raise TargetError(f"A target set is a node or several nodes, not {short_repr(S)}.") from None
        if not len(members):
            raise TargetError("The target set is empty; give at least one node.")
        if isinstance(members, np.ndarray) and members.dtype.kind in "iu":
            nodes = self.numbers(members)
        else:
            nodes = np.array([self.number(v) for v in members], dtype=np.int64)
        if isinstance(S, set | frozenset):
            nodes.sort()
        values, counts = np.unique(nodes, return_counts=True)
        if len(values) < len(nodes):
            twice = int(values[counts > 1][0])
            raise TargetError(
                f"Node {twice} occurs twice in the target set {list(members)[:10]!r}; name each node once."
            )
        return nodes

    def pairs(self, pairs: Any) -> NDArray[np.int64]:
        """Pairs of nodes as numbers. [k, 2]"""
        array = np.asarray(pairs) if hasattr(pairs, "__array__") else None
        if array is None or array.dtype.kind in "OU":
            array = self._pairs_by_node(pairs)
        if array.size == 0:
            return np.empty((0, 2), dtype=np.int64)
        if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
            raise TargetError(f"Pairs of nodes have shape [k, 2], not {array.dtype} {list(array.shape)}.")
        return self.numbers(array)

    def _pairs_by_node(self, pairs: Any) -> NDArray[np.int64]:
        try:
            rows = [() if isinstance(pair, str) else tuple(pair) for pair in pairs]
        except TypeError:
            raise TargetError(f"Pairs of nodes are written [(u, v), ...], not {short_repr(pairs)}.") from None
        if (odd := next((i for i, row in enumerate(rows) if len(row) != 2), None)) is not None:
            raise TargetError(
                f"Pairs of nodes are written [(u, v), ...]; entry {odd} is {short_repr(list(pairs)[odd])}."
            )
        return np.array([[self.number(u), self.number(v)] for u, v in rows])
