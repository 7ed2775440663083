"""The unrolled subtrees of the chosen targets: arcs, colour classes and labels for the view, trees to export."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...encodings.base import Encoding
from ...encodings.paths import DRNL, Distance
from ...expressive.folding import Folded, fold
from ...expressive.methods import METHODS
from ...expressive.refinement import NO_TARGETS, Instances
from ...expressive.subtrees import Subtree, TreeComparison, Unrolling, compare
from ...graphs.distances import induced, rings
from ...graphs.graph import Graph
from ..widgets.html import node_name
from .colouring import Colouring, Entry, by_class, encoding_of, own_name
from .state import ExplorerState

Ints = NDArray[np.int64]
MAX_TREE = 420  # tree nodes of one exported tree
MAX_ARCS = 60_000  # that a page follows
MAX_ROOTS = 3  # trees of a single set that are drawn side by side
NOTHING = "pick a target to see the tree a GNN computes along"
_WORDS = {"SPD": "DE", "1-WL": "DE", "DE-SPD": "DE", "DEA-SPD": "DEA"}  # on the toggle; others have their own name


def roots_of(state: ExplorerState) -> list[tuple[int, int]]:
    """(side, root) of each tree: one a side, or the first targets of a single set."""
    if len(state.sides) == 1:
        return [(0, t) for t in state.sides[0].targets[:MAX_ROOTS]]
    return [
        (k, side.targets[min(state.root, len(side.targets) - 1)]) for k, side in enumerate(state.sides) if side.targets
    ]


@dataclass(frozen=True)
class Seen:
    """What the network sees of a node before the first layer: how it is computed, coloured and called."""

    encoding: Encoding | None  # None: it says nothing of these target sets
    colouring: Colouring
    hops: int
    note: str = ""


def seen_by(state: ExplorerState) -> Seen:
    """The encoding that the graph is coloured by; distances where it is coloured by 1-WL."""
    by = own_name(state.colour_by) or state.colour_by
    encoding = encoding_of(by, state.step, max(side.graph.num_nodes for side in state.sides))
    if encoding is not None:
        colouring, note = state.coloured(by), ""
        if any(side.targets and encoding.num_targets not in (None, len(side.targets)) for side in state.sides):
            return Seen(None, colouring, 1, colouring.note)
        if colouring.values is not None:
            note = "too many different values to write into discs: hover to read the range"
        elif encoding.dim > 1 and not isinstance(encoding, Distance | DRNL):
            note = f"discs say {colouring.title}; subtrees compare all columns"
        return Seen(encoding, colouring, 1, note)
    method = METHODS[by]
    if by == "DE-LP":
        total = sum(side.graph.num_nodes for side in state.sides)
        profiles = by_class([(side.graph, side.nodes) for side in state.sides], by, 0, cut=state.cut)
        walks = method.encoding and method.encoding(total if total <= 200 else 33)
        length = "every length" if total <= 200 else "up to 32 steps"
        return Seen(walks, profiles, 1, f"a, b, …: nodes with equal walks of {length}")
    return Seen(Distance(), state.coloured("SPD"), state.hops if method.many_hops else 1)


@dataclass(frozen=True)
class Near:
    """What trees of a side reach: the graph on these nodes, ascending, and the depth that can be followed.

    Of a graph that is drawn whole it is the graph itself. Classes are true where trees look at them: a node d steps
    from the root is asked for its class after at most ``depth`` - d layers, which depends on no node left out.
    """

    graph: Graph
    nodes: Ints
    depth: int

    @classmethod
    def of(cls, state: ExplorerState, side: int, roots: list[int], hops: int) -> Near:
        """The neighbourhood of the roots; edges inside S are cut already if they are to be."""
        here = state.sides[side]
        whole = here.graph.cut(here.nodes) if state.cut else here.graph
        if hops > 1 or not state.is_large(side):
            return cls(whole, np.arange(whole.num_nodes), state.layer)
        nodes = np.zeros(0, dtype=np.int64)
        for depth, ring in enumerate(rings(whole, np.array(roots))):
            nodes = np.append(nodes, ring)
            if depth == state.layer or (depth and whole.degrees[nodes].sum() > MAX_ARCS):
                break
        else:  # all that can be reached
            depth = state.layer
        nodes = np.sort(nodes)
        return cls(Graph(*induced(whole, nodes)), nodes, depth)


@dataclass(frozen=True)
class _Whole:
    """An encoding of some nodes that was computed in the whole graph."""

    encoding: Encoding
    near: list[tuple[Near, Graph, Ints]]
    cut: bool

    @property
    def exact(self) -> bool:
        return self.encoding.exact

    def tokens(self, G: Graph, sets: Ints, cut: bool) -> Ints:
        near, whole, S = self._of(G, sets)
        return self.encoding.tokens(whole, S, self.cut)[:, near.nodes]

    def numbers(self, G: Graph, sets: Ints, cut: bool) -> NDArray[np.float64]:
        near, whole, S = self._of(G, sets)
        return self.encoding.numbers(whole, S, self.cut)[:, near.nodes]

    def _of(self, G: Graph, sets: Ints) -> tuple[Near, Graph, Ints]:
        return next(one for one in self.near if one[0].graph is G and np.array_equal(one[2], sets))


def refined(state: ExplorerState, encoding: Encoding | None, hops: int, near: list[Near]) -> tuple[Instances, Ints]:
    """What is near on the sides that have targets as one graph, and the class of its nodes after 0..layer layers.

    Without an encoding what 1-WL sees. Sets of different sizes share no class, for their labels differ in length.
    """
    if encoding is None:
        run = Instances.build([(part.graph, NO_TARGETS) for part in near])
        return run, _layers(run, state.layer)
    given = [side for side in state.sides if side.targets]
    sides = [(part.graph, side.nodes[None, :]) for part, side in zip(near, given, strict=True)]
    known = [(part, side.graph, side.nodes[None, :]) for part, side in zip(near, given, strict=True)]
    zeta: Any = _Whole(encoding, known, state.cut)
    whole = Instances.build(sides, None, hops=hops)
    if len({S.shape[1] for _, S in sides}) == 1:
        return whole, _layers(Instances.build(sides, zeta, hops=hops), state.layer)
    apart = [_layers(Instances.build([side], zeta, hops=hops), state.layer) for side in sides]
    apart[1] += apart[0].max() + 1
    return whole, np.concatenate(apart, axis=1)


def _layers(run: Instances, layers: int) -> Ints:
    rows = [classes.copy() for classes, _ in run.refine(layers)]
    return np.stack(rows + rows[-1:] * (layers + 1 - len(rows)))  # no class splits any more


def view_of(state: ExplorerState, place: Callable[[int, int], int]) -> dict[str, Any]:
    """What the view of the subtrees shows; ``place`` says under which number a node of a side is drawn, or -1."""
    wanted = roots_of(state)
    if not wanted:
        return {"roots": [], "letters": [], "note": NOTHING}
    seen = seen_by(state)
    with_targets = [k for k, side in enumerate(state.sides) if side.targets]
    near = [Near.of(state, k, [root for side, root in wanted if side == k], seen.hops) for k in with_targets]
    plain_run, plain = refined(state, None, 1, near)
    run, classes = plain_run, plain[:, :0]
    if seen.encoding is not None:
        run, classes = refined(state, seen.encoding, seen.hops, near)
    start = {side: int(run.start[i]) for i, side in enumerate(with_targets)}
    known = dict(zip(with_targets, near, strict=True))
    roots = [start[side] + int(np.searchsorted(known[side].nodes, root)) for side, root in wanted]
    nodes, inner, depth = _ball(run, roots, min(part.depth for part in near))
    local = np.full(run.start[-1], -1)
    local[nodes] = np.arange(len(nodes))
    degree = np.where(np.isin(nodes, inner), np.diff(run.indptr)[nodes], 0)
    arcs = np.concatenate(
        [np.zeros(0, dtype=np.int64), *(np.arange(*run.indptr[[u, u + 1]]) for u in nodes[degree > 0])]
    )
    owner = [with_targets[i] for i in np.searchsorted(run.start, nodes, side="right") - 1]
    own = [(side, int(known[side].nodes[u - start[side]])) for side, u in zip(owner, nodes, strict=True)]
    notes = [seen.note] if seen.note else []
    if len(state.sides) == 1 and (given := len(state.sides[0].targets)) > len(wanted):
        notes.append(f"trees of the first {len(wanted)} of {given} targets")
    if depth < state.layer:
        notes.append(f"depth {state.layer} would follow too many links; depth {depth} is shown")
    return {
        "indptr": _bytes(np.concatenate([[0], np.cumsum(degree)]), "<u4"),
        "indices": _bytes(local[run.indices[arcs]], "<u4"),
        "tags": _bytes(run.tags[arcs], "u1") if seen.hops > 1 else b"",
        "classes": _bytes(classes[: depth + 1, nodes] if classes.size else classes, "<u4"),
        "plain": _bytes(plain[: depth + 1, nodes], "<u4"),
        "codes": _bytes(np.array([seen.colouring.codes[side][u] for side, u in own]), "<u2"),
        "legend": [entry.as_dict() for entry in seen.colouring.entries],
        "legend_title": seen.colouring.title,
        "listed": state.by_class,
        "names": [node_name(state.sides[side].graph, u) for side, u in own],
        "drawn": _bytes(np.array([place(side, u) for side, u in own]), "<i4"),
        "roots": [int(local[u]) for u in roots],
        "letters": [state.letter(side) for side, _ in wanted],
        "layers": depth,
        "encoding": _WORDS.get(state.colour_by, state.colour_by),
        "note": " · ".join(notes),
    }


def _bytes(values: NDArray[Any], kind: str) -> bytes:
    return np.ascontiguousarray(values, dtype=kind).tobytes()


def _ball(run: Instances, roots: list[int], layers: int) -> tuple[Ints, Ints, int]:
    """The nodes that trees of that depth reach, those with children among them, and the depth that can be followed."""
    degree = np.diff(run.indptr)
    inner, nodes = np.zeros(0, dtype=np.int64), np.unique(roots)
    for depth in range(layers):
        if degree[nodes].sum() > MAX_ARCS and depth:
            return nodes, inner, depth
        inner, nodes = nodes, np.unique(np.concatenate([nodes, *(run.row(u)[0] for u in nodes)]))
    return nodes, inner, layers


@dataclass(frozen=True)
class Forest:
    """Trees to export, the side of each, where the first two part, and how their nodes are labelled."""

    trees: tuple[Subtree, ...]
    sides: tuple[int, ...]
    comparison: TreeComparison | None
    colouring: Colouring

    def codes(self, k: int) -> list[int]:
        """For each node of tree k, its entry in the colouring."""
        codes: list[int] = self.colouring.codes[self.sides[k]][self.trees[k].node].tolist()
        return codes

    def parts(self, k: int) -> NDArray[np.bool_]:
        """For each node of tree k, whether it is where the other tree parts from it."""
        if self.comparison is None:
            return np.zeros(len(self.trees[k]), dtype=bool)
        return self.comparison.parts_b if k else self.comparison.parts_a


def _prepared(state: ExplorerState, plain: bool) -> dict[int, Unrolling]:
    seen = seen_by(state)
    made = {}
    for k, side in enumerate(state.sides):
        if not side.targets:
            continue
        if plain or seen.encoding is None:
            made[k] = Unrolling(side.graph.cut(side.nodes) if state.cut else side.graph, state.layer)
        else:
            made[k] = Unrolling(side.graph, state.layer, seen.encoding, side.nodes, state.cut, seen.hops)
    return made


def forest(state: ExplorerState, plain: bool = False) -> Forest:
    """The subtrees as trees, as deep as they can be drawn; ``plain``: as 1-WL sees them."""
    wanted, prepared = roots_of(state), _prepared(state, plain)
    depth = state.layer
    while depth and any(prepared[side].size(root, depth, True, MAX_TREE) > MAX_TREE for side, root in wanted):
        depth -= 1
    trees = tuple(prepared[side].tree(root, depth, True, MAX_TREE) for side, root in wanted)
    sides = tuple(side for side, _ in wanted)
    colouring = seen_by(state).colouring
    if plain:
        blank = Entry("a plain GNN sees no distances", "", "#7f8fa6")
        colouring = Colouring(tuple(np.zeros_like(codes) for codes in colouring.codes), (blank,), "1-WL")
    return Forest(trees, sides, compare(*trees) if sides == (0, 1) else None, colouring)


def folded(state: ExplorerState, plain: bool = False) -> Folded:
    """The subtrees as one layered graph; ``plain``: as 1-WL sees them."""
    prepared = _prepared(state, plain)
    return fold([(prepared[side], root) for side, root in roots_of(state)], state.layer)


def tree_tip(tree: Subtree, i: int) -> str:
    """What a tree node stands for, such as ``v5, v6 (2 equal subtrees)``."""
    names = [node_name(tree.graph, u) for u in tree.members[i]]
    text = ", ".join(names[:8]) + ("…" if len(names) > 8 else "")
    return f"{text} ({len(names)} equal subtrees)" if len(names) > 1 else text
