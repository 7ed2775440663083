"""Subtrees of any depth, folded: equal subtrees are one node, and what was a tree is a layered graph.

The subtree below a tree node at depth k is known by its colour after L - k layers, so level k of the folded graph has
one node for each such colour: Fig. 1(a) at depth 6 has at most ten a level, where its trees have 2,186 nodes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .subtrees import Branch, Unrolling

__all__ = ["Folded", "fold"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Folded:
    """The subtrees of some roots as one layered graph, upper levels first."""

    roots: tuple[int, ...]  # the folded node of each root; equal subtrees share it
    level: Ints  # 0 for roots [f]
    colour: Ints  # of its graph nodes after layers - level layers [f]
    label: tuple[str, ...]  # the encoding in words; empty without one
    members: tuple[tuple[tuple[int, ...], ...], ...]  # the graph nodes it stands for below each root, maybe none
    lines: Ints  # parent, child, hop, multiplicity [e, 4]

    def below(self, root: int) -> NDArray[np.bool_]:
        """Which nodes occur in the subtree of root number ``root``. [f]"""
        return np.array([bool(sides[root]) for sides in self.members])

    def branches(self, i: int) -> list[Branch]:
        """What hangs right below node i; a branch is known by the number of its line."""
        rows = self._by_parent.get(i, [])
        return [
            Branch(hop, int(self.colour[child]), self.label[child], times, child, e)
            for e in rows
            for _, child, hop, times in [self.lines[e].tolist()]
        ]

    @cached_property
    def _by_parent(self) -> dict[int, list[int]]:
        rows: dict[int, list[int]] = {}
        for e, parent in enumerate(self.lines[:, 0].tolist()):
            rows.setdefault(parent, []).append(e)
        return rows


def fold(roots: Sequence[tuple[Unrolling, int]], layers: int) -> Folded:
    """The subtrees of these roots, each in what was prepared for its graph and target set, ``layers`` deep.

    Examples
    --------
    >>> import degnn_explore as de
    >>> G = de.zoo.figure1()
    >>> folded = fold([(Unrolling(G, 6, S={v}), v) for v in (2, 3)], layers=6)
    >>> np.bincount(folded.level).tolist()
    [2, 4, 7, 9, 10, 5, 3]
    """
    level: list[int] = []
    colour: list[int] = []
    label: list[str] = []
    members: list[tuple[tuple[int, ...], ...]] = []
    lines: list[tuple[int, int, int, int]] = []
    above: dict[int, tuple[int, int, int]] = {}  # by colour, one level up: its folded node, a root, a graph node of it
    reached = [np.array([root]) for _, root in roots]  # by the tree of each root, at this depth
    for depth in range(layers + 1):
        here = [prepared.colour[layers - depth] for prepared, _ in roots]
        place: dict[int, tuple[int, int, int]] = {}
        for k, (prepared, _) in enumerate(roots):
            for value in np.unique(here[k][reached[k]]).tolist():
                if value not in place:
                    u = int(reached[k][here[k][reached[k]] == value][0])
                    place[value] = len(level), k, u
                    level.append(depth)
                    colour.append(value)
                    label.append(prepared.label(u))
                    members.append(
                        tuple(
                            tuple(nodes[own[nodes] == value].tolist()) for nodes, own in zip(reached, here, strict=True)
                        )
                    )
        for node, k, u in above.values():
            neighbours, hops = roots[k][0].arcs.row(u)
            counts = Counter(zip(here[k][neighbours].tolist(), hops.tolist(), strict=True))
            lines += [(node, place[value][0], hop, times) for (value, hop), times in sorted(counts.items())]
        if depth == 0:
            tops = tuple(place[int(own[root])][0] for own, (_, root) in zip(here, roots, strict=True))
        reached = [
            np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *(prepared.arcs.row(u)[0] for u in nodes)]))
            for (prepared, _), nodes in zip(roots, reached, strict=True)
        ]
        above = place
    arrays = np.array(level), np.array(colour)
    return Folded(tops, *arrays, tuple(label), tuple(members), np.array(lines, dtype=np.int64).reshape(-1, 4))
