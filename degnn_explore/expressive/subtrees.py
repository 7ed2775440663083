"""The unrolled subtree a GNN computes along (the paper's Figs. 3 and 4), and where two of them differ.

A tree node at depth d that stands for graph node u has a child for every neighbor of u, its
parent's node included. The color of u after L - d layers determines its subtree down to depth L,
so equal siblings can be merged, and two trees compared, without walking them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..common.errors import GraphError, ParameterError, TargetError, check_int
from ..encodings.base import Encoding
from ..encodings.paths import Distance
from ..graphs.graph import Graph, Targets, needs_graph
from .refinement import NO_TARGETS, Instances, colors

__all__ = ["Subtree", "TreeComparison", "Unrolling", "compare", "unroll"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Subtree:
    """An unrolled subtree in flat arrays, parents before children.

    Examples
    --------
    >>> tree = unroll(Graph.from_edges([(0, 1), (1, 2)]), 1, layers=1, merge=True)
    >>> tree.node.tolist(), tree.multiplicity.tolist(), tree.members
    ([1, 0], [1, 2], ((1,), (0, 2)))
    """

    graph: Graph  # what was unrolled, from where, how deep
    root: int
    layers: int
    node: Ints  # the graph node each tree node stands for [t]
    parent: Ints  # the tree node above; -1 for the root
    depth: Ints  # 0 for the root
    multiplicity: Ints  # how many equal siblings were merged into this one
    hop: Ints  # distance in the graph from the parent's node, up to K; 0 at the root
    color: Ints  # of the graph node after layers - depth layers: equal at equal depth means equal subtrees below
    label: tuple[str, ...]  # its encoding in words: a distance, a multiset like {1,2}; empty without an encoding
    members: tuple[tuple[int, ...], ...]  # the graph nodes of all merged siblings
    root_colors: Ints  # the root's color after 0..layers layers

    def __len__(self) -> int:
        return len(self.node)

    def children(self, i: int) -> Ints:
        """The tree nodes right below tree node i."""
        return self._order[self._start[i] : self._start[i + 1]]

    @cached_property
    def _order(self) -> Ints:
        return np.argsort(self.parent, kind="stable")[1:]  # the root's parent, -1, comes first

    @cached_property
    def _start(self) -> Ints:
        return np.searchsorted(self.parent[self._order], np.arange(len(self) + 1))

    def __repr__(self) -> str:
        return f"Subtree(root {self.graph.names[self.root]!r}, {self.layers} layers, {len(self):,} tree nodes)"

    def __str__(self) -> str:
        lines: list[str] = []
        stack = [(0, "", "")]
        while stack:
            i, before, indent = stack.pop()
            times = f" ×{self.multiplicity[i]}" if self.multiplicity[i] > 1 else ""
            hop = f" ({self.hop[i]} hops)" if self.hop[i] > 1 else ""
            zeta = f" [{self.label[i]}]" if self.label[i] else ""
            lines.append(f"{before}{self.graph.names[self.node[i]]}{zeta}{times}{hop}")
            below = self.children(i)
            for j in reversed(below.tolist()):
                last = j == below[-1]
                stack.append((j, indent + ("└─ " if last else "├─ "), indent + ("   " if last else "│  ")))
        return "\n".join(lines)


def unroll(
    G: Graph,
    root: int | str,
    layers: int,
    encoding: Encoding | None = None,
    S: Targets | None = None,
    *,
    cut: bool = False,
    hops: int = 1,
    merge: bool = False,
    attributes: bool = False,
    max_nodes: int = 20_000,
) -> Subtree:
    """The tree that an L-layer GNN computes along for ``root``.

    Parameters
    ----------
    G, root, layers
        The graph, the node to start from, the depth L.
    encoding
        Label each node with this encoding; with S and no encoding, with shortest-path distances.
    S
        The target set of the encoding; the root alone by default, if there is an encoding.
        Without either the tree is the plain one of a WLGNN.
    cut, hops, attributes
        As in :func:`degnn_explore.colors`.
    merge
        Draw equal sibling subtrees once, with their multiplicity.
    max_nodes
        Refuse larger trees.

    Examples
    --------
    >>> triangle = Graph.from_edges([(0, 1), (1, 2), (0, 2)])
    >>> print(unroll(triangle, 0, layers=2, S={0}, merge=True))
    0 [0]
    └─ 1 [1] ×2
       ├─ 0 [0]
       └─ 2 [1]
    """
    needs_graph("unroll", G)
    check_int("layers", layers, least=0)
    check_int("max_nodes", max_nodes, least=1)
    top = int(G.target_set(root)[0])
    if S is None and encoding is not None:
        S = np.array([top])
    return Unrolling(G, layers, encoding, S, cut, hops, attributes).tree(top, layers, merge, max_nodes)


class Unrolling:
    """What all subtrees of a graph and a target set share, up to ``layers`` layers: colors, arcs, labels."""

    def __init__(
        self,
        G: Graph,
        layers: int,
        encoding: Encoding | None = None,
        S: Targets | None = None,
        cut: bool = False,
        hops: int = 1,
        attributes: bool = False,
    ) -> None:
        nodes = NO_TARGETS[0] if S is None else G.target_set(S)
        if cut and not len(nodes):
            raise ParameterError("cut=True removes the edges inside the target set, but no S was given.")
        self.graph = G
        self.color = colors(G, None if S is None else nodes, encoding, hops, layers, cut, attributes)
        self.arcs = Instances.build([(G, nodes[None, :])], hops=hops, cut=cut)
        self.label: Callable[[int], str] = lambda u: ""
        self.rank = np.zeros(G.num_nodes, dtype=np.int64)
        if len(nodes):
            zeta = encoding or Distance()
            _, first, place = np.unique(self.color[0], return_index=True, return_inverse=True)
            shown = zeta.shown(G, nodes, cut)[first]  # of one node for each color
            self.rank = np.argsort(np.lexsort(shown.T[::-1]))[place]
            self.label = lambda u: zeta.label(shown[place[u]].tolist())

    def size(self, root: int, layers: int, merge: bool, most: int) -> int:
        """The number of nodes of the subtree; counting ends beyond ``most``."""
        total, level = 1, Counter({root: 1})
        for depth in range(layers):
            below, level_above, level = self.color[layers - depth - 1], level, Counter()
            for u, times in level_above.items():
                neighbors, hop = self.arcs.row(u)
                if merge:
                    first = np.unique(np.stack([hop, below[neighbors]]), axis=1, return_index=True)[1]
                    neighbors = neighbors[first]
                total += times * len(neighbors)
                if total > most:
                    return total
                for w in neighbors.tolist():
                    level[w] += times
        return total

    def tree(self, top: int, layers: int, merge: bool, max_nodes: int) -> Subtree:
        """The subtree of ``top``, at most as deep as was prepared."""
        if self.size(top, layers, merge, max_nodes) > max_nodes:
            size = f"the subtree of {self.graph.names[top]!r} has more than {max_nodes:,} nodes"
            remedy = "take fewer layers, or raise max_nodes."
            how = f"Even merged, {size}; " if merge else f"Unmerged, {size}. Merge equal siblings (merge=True), "
            raise GraphError(how + remedy)
        rows: list[tuple[int, int, int, int, int]] = [(top, -1, 0, 1, 0)]  # node, parent, depth, multiplicity, hop
        members: list[tuple[int, ...]] = [(top,)]
        at = 0
        while at < len(rows):
            u, _, depth, _, _ = rows[at]
            if depth < layers:
                for hop, *these in self._siblings(u, self.color[layers - depth - 1], merge):
                    rows.append((these[0], at, depth + 1, len(these), hop))
                    members.append(tuple(these))
            at += 1
        node, parent, deep, multiplicity, hops = (
            np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)
        )
        color, labels = self.color[layers - deep, node], tuple(map(self.label, node))
        above = self.color[: layers + 1, top]
        return Subtree(
            self.graph, top, layers, node, parent, deep, multiplicity, hops, color, labels, tuple(members), above
        )

    def _siblings(self, u: int, below: Ints, merge: bool) -> list[list[int]]:
        """The neighbors of u in the order in which they are drawn, equal ones in one group: [hop, node, ...] each."""
        neighbors, hop = self.arcs.row(u)
        order = np.lexsort((neighbors, below[neighbors] if merge else neighbors, self.rank[neighbors], hop))
        groups: list[list[int]] = []
        for e in order.tolist():
            w = int(neighbors[e])
            if merge and groups and below[groups[-1][1]] == below[w] and groups[-1][0] == hop[e]:
                groups[-1].append(w)
            else:
                groups.append([int(hop[e]), w])
        return groups


@dataclass(frozen=True)
class TreeComparison:
    """Where two subtrees differ."""

    same: bool
    layer: int | None  # the fewest layers at which they differ; None if they are equal
    branches_a: NDArray[np.bool_]  # for every tree node, whether it lies on the way to a difference
    branches_b: NDArray[np.bool_]
    parts_a: NDArray[np.bool_]  # and whether it is the difference: the other tree lacks it at this place
    parts_b: NDArray[np.bool_]


def compare(a: Subtree, b: Subtree) -> TreeComparison:
    """The first layer at which two subtrees differ, and the branches that differ.

    Examples
    --------
    >>> import degnn_explore as de
    >>> G = de.zoo.figure1()
    >>> a, b = (unroll(G, v, layers=3, S={v}, merge=True) for v in (2, 3))
    >>> compare(a, b).layer
    2
    """
    if a.layers != b.layers:
        raise TargetError(f"The subtrees have {a.layers} and {b.layers} layers; unroll both to the same depth.")
    layer = next((k for k in range(a.layers + 1) if a.root_colors[k] != b.root_colors[k]), None)
    (way_a, part_a), (way_b, part_b) = (np.zeros((2, len(tree)), dtype=bool) for tree in (a, b))
    way_a[0] = way_b[0] = layer is not None
    part_a[0] = part_b[0] = layer == 0
    todo = [] if layer is None else [(0, 0)]
    while todo:
        i, j = todo.pop()
        surplus = _surplus(b, j, a, i)
        for c, count in _surplus(a, i, b, j).items():
            # What only one side has is paired by equal labels, so that the deepest cause is found.
            for d in [d for d in surplus if (a.hop[c], a.label[c]) == (b.hop[d], b.label[d])]:
                if paired := min(count, surplus[d]):
                    count, surplus[d] = count - paired, surplus[d] - paired
                    way_a[c] = way_b[d] = True
                    todo.append((c, d))
            if count:
                way_a[c] = part_a[c] = True
        lacking = [d for d, count in surplus.items() if count]
        way_b[lacking] = part_b[lacking] = True
    return TreeComparison(layer is None, layer, way_a, way_b, part_a, part_b)


def _surplus(tree: Subtree, i: int, other: Subtree, j: int) -> dict[int, int]:
    """The children of tree node i with subtrees that the children of j in the other tree lack, and how many of each."""
    have: Counter[tuple[int, int]] = Counter()
    for d in other.children(j).tolist():
        have[int(other.hop[d]), int(other.color[d])] += int(other.multiplicity[d])
    surplus = {}
    for c in tree.children(i).tolist():
        key, times = (int(tree.hop[c]), int(tree.color[c])), int(tree.multiplicity[c])
        shared = min(have[key], times)
        have[key] -= shared
        if shared < times:
            surplus[c] = times - shared
    return surplus
