"""The unrolled subtrees of an explained set, for the same picture as the Explorer's: lines by what they carry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ....encodings.paths import Distance
from ....expressive.refinement import colours
from ...explorer.colouring import by_encoding
from ...widgets.html import node_name

if TYPE_CHECKING:
    from ....learn.why.explaining import Along, Explanation

Ints = NDArray[np.int64]


def subtrees_of(why: Explanation) -> dict[str, Any]:
    """What a :class:`~degnn_explore.views.widgets.subtree.SubtreeView` shows of it; no roots if it has no trees."""
    if why.along is None:
        return {"roots": [], "letters": [], "effects": {}}
    along, arcs = why.along, why.along.unrolling.arcs
    nodes, inner = _reached(along)
    local = np.full(len(arcs.indptr), -1)
    local[nodes] = np.arange(len(nodes))
    degree = np.where(np.isin(nodes, inner), np.diff(arcs.indptr)[nodes], 0)
    kept = np.concatenate([nodes[:0], *(np.arange(*arcs.indptr[[u, u + 1]]) for u in nodes[degree > 0])])
    encoded, graph = along.encoding is not None, along.unrolling.graph
    seen = along.unrolling.colour[: along.depth + 1, nodes]
    plain = colours(graph.cut(along.S), layers=along.depth)[:, nodes] if encoded else seen
    shown = by_encoding([(graph, along.S)], along.encoding or Distance(), cut=True)
    return {
        "indptr": _bytes(np.concatenate([[0], np.cumsum(degree)]), "<u4"),
        "indices": _bytes(local[arcs.indices[kept]], "<u4"),
        "tags": _bytes(arcs.tags[kept], "u1"),
        "classes": _classes(seen) if encoded else b"",
        "plain": _classes(plain),
        "codes": _bytes(shown.codes[0][nodes], "<u2"),
        "legend": [entry.as_dict() for entry in shown.entries],
        "legend_title": shown.title,
        "listed": True,
        "names": [node_name(why.graph, int(along.nodes[u])) for u in nodes],
        "drawn": _bytes(np.full(len(nodes), -1), "<i4"),
        "roots": local[along.S].tolist(),
        "letters": ["S"] * len(along.S),
        "layers": along.depth,
        "effects": {"folded": _folded(along, local), "tree": _ways(along, local)},
    }


def _reached(along: Along) -> tuple[Ints, Ints]:
    """The nodes that the trees reach, and those of them with something below."""
    nodes = inner = np.unique(along.S)
    for _ in range(along.depth):
        inner, nodes = nodes, np.unique(np.concatenate([nodes, *(along.unrolling.arcs.row(u)[0] for u in nodes)]))
    return nodes, inner


def _folded(along: Along, local: Ints) -> list[list[float]]:
    lines = along.lines.copy()
    lines[:, 1:3] = local[lines[:, 1:3]]
    return [[*line, float(change)] for line, change in zip(lines.tolist(), along.line_changes, strict=True)]


def _ways(along: Along, local: Ints) -> list[list[Any]]:
    """[root, [hop, node, ...], change] of every branch of every tree."""
    found = []
    for root, (tree, changes) in enumerate(zip(along.trees, along.changes, strict=True)):
        place = local[np.searchsorted(along.nodes, tree.node)]
        ways: list[list[int]] = [[]]
        for t in range(1, len(tree)):
            ways.append([*ways[tree.parent[t]], int(tree.hop[t]), int(place[t])])
            found.append([root, ways[t], float(changes[t])])
    return found


def _classes(colour: Ints) -> bytes:
    """Colours of 63 bits as small numbers, layer by layer."""
    return _bytes(np.stack([np.unique(row, return_inverse=True)[1] for row in colour]), "<u4")


def _bytes(values: NDArray[Any], kind: str) -> bytes:
    return np.ascontiguousarray(values, dtype=kind).tobytes()
