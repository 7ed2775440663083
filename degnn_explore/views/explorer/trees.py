"""The unrolled subtrees of the chosen targets, laid out side by side for the canvas."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...expressive.methods import METHODS
from ...expressive.subtrees import Subtree, TreeComparison, Unrolling, compare
from ..widgets.html import node_name
from .colouring import Entry
from .state import ExplorerState

MAX_TREE = 420  # tree nodes of one panel that can still be read


@dataclass(frozen=True)
class Forest:
    """Trees to draw, the side of each, where the first two part, and a legend entry for every tree node in a row."""

    trees: tuple[Subtree, ...] = ()
    sides: tuple[int, ...] = ()
    comparison: TreeComparison | None = None
    codes: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    entries: tuple[Entry, ...] = ()
    note: str = "pick a target to see the tree a GNN computes along"
    depth: int = 0

    def differs(self, k: int) -> NDArray[np.bool_]:
        """For each node of tree k, whether it lies on a branch that the other tree lacks."""
        if self.comparison is None:
            return np.zeros(len(self.trees[k]), dtype=bool)
        return self.comparison.branches_b if k else self.comparison.branches_a


def forest(state: ExplorerState) -> Forest:
    """The subtrees that the Explorer shows for this state."""
    wanted = _roots(state)
    if not wanted:
        return Forest()
    trees, depth = _unrolled(state, wanted)
    sides = tuple(side for side, _ in wanted)
    both = len(trees) == 2 and sides == (0, 1)
    comparison = compare(*trees) if both else None
    notes = ["equal siblings merged" + (f", {state.hops} hops at a time" if state.colour_by == "DEA-SPD" else "")]
    if depth < state.layer:
        notes = [f"depth {state.layer} would not fit; depth {depth} is shown"]
    if comparison is not None:
        notes.append("equal so far" if comparison.same else f"dashed: where A and B part (layer {comparison.layer})")
    codes, entries = _colours(state, trees, sides)
    return Forest(trees, sides, comparison, codes, entries, " · ".join(notes), depth)


def _roots(state: ExplorerState) -> list[tuple[int, int]]:
    """(side, root) of each tree: one a side, or the first three targets of a single set."""
    if len(state.sides) == 1:
        return [(0, t) for t in state.sides[0].targets[:3]]
    return [
        (k, side.targets[min(state.root, len(side.targets) - 1)]) for k, side in enumerate(state.sides) if side.targets
    ]


def _unrolled(state: ExplorerState, wanted: list[tuple[int, int]]) -> tuple[tuple[Subtree, ...], int]:
    """The subtrees at the depth of the layer, or at the greatest one at which each can still be read."""
    made: dict[int, Unrolling] = {}
    for side in {side for side, _ in wanted}:
        graph, S = state.sides[side].graph, state.sides[side].nodes
        if state.colour_by == "1-WL":
            made[side] = Unrolling(graph.cut(S) if state.cut else graph, state.layer)
        else:
            hops = state.hops if state.colour_by in METHODS and METHODS[state.colour_by].many_hops else 1
            made[side] = Unrolling(graph, state.layer, None, S, state.cut, hops)
    depth = state.layer
    while depth and any(made[side].size(root, depth, True, MAX_TREE) > MAX_TREE for side, root in wanted):
        depth -= 1
    return tuple(made[side].tree(root, depth, True, MAX_TREE) for side, root in wanted), depth


def _colours(
    state: ExplorerState, trees: tuple[Subtree, ...], sides: tuple[int, ...]
) -> tuple[NDArray[np.int64], tuple[Entry, ...]]:
    if state.colour_by == "1-WL":
        count = sum(len(tree) for tree in trees)
        return np.zeros(count, dtype=np.int64), (Entry("a plain GNN sees no distances", "", "#7f8fa6", None),)
    full = state.coloured("SPD")
    codes = np.concatenate([full.codes[side][tree.node] for side, tree in zip(sides, trees, strict=True)])
    used = set(codes.tolist()) if state.colour_by != "SPD" else set()  # else the graph's legend says it already
    return codes, tuple(Entry(e.label, e.mark, e.colour, () if i in used else None) for i, e in enumerate(full.entries))


def tidy(tree: Subtree) -> NDArray[np.float64]:
    """A tidy drawing: leaves one apart (cousins a little more), parents over the middle of their children. [t, 2]"""
    x = np.zeros(len(tree))
    slot, last_parent = -1.0, -1
    stack = [(0, False)]
    while stack:
        i, done = stack.pop()
        below = tree.children(i)
        if done:
            x[i] = (x[below[0]] + x[below[-1]]) / 2
        elif len(below):
            stack.append((i, True))
            stack.extend((int(j), False) for j in below[::-1])
        else:
            parent = int(tree.parent[i])
            slot += 1.0 if parent == last_parent or last_parent < 0 else 1.35
            last_parent = parent
            x[i] = max(slot, 0.0)
    return np.stack([x, 0.0 - tree.depth], axis=1)


def shares(places: list[NDArray[np.float64]]) -> list[float]:
    """How much of the width each tidy tree takes: as much as its leaves need, but none less than a quarter."""
    widths = [float(np.ptp(place[:, 0])) + 1.5 for place in places]
    return [max(width, 0.5 * sum(widths) / len(widths)) for width in widths]


def tree_tip(tree: Subtree, i: int) -> str:
    """What a tree node stands for, such as ``v5, v6 (2 equal subtrees)``."""
    names = [node_name(tree.graph, u) for u in tree.members[i]]
    text = ", ".join(names[:8]) + ("…" if len(names) > 8 else "")
    return f"{text} ({len(names)} equal subtrees)" if len(names) > 1 else text
