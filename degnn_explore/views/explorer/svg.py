"""The Explorer's two pictures as SVG, with their legend: for papers, slides, nbconvert and GitHub."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from ...common.style import text_on
from ...expressive.verdicts import Verdict
from ..js import PALETTE
from ..text import node_name
from . import seen
from .state import PLAIN, ExplorerState

_LOOK = PALETTE["light"]
_MOST_EDGES = 6_000  # of a picture in a notebook: 100 kB
_MOST_DISCS = 22  # of a level that can be told apart
_ROOTS = 3  # trees of a single set
Point = tuple[float, float]


def caption(state: ExplorerState, verdicts: dict[str, Any]) -> str:
    """What the pictures show, and the verdicts, in a few sentences."""
    said = [f"Distance Encoding Explorer: {state.title}", "; ".join(map(state.caption, range(len(state.sides))))]
    said.append(f"Colors: {'a plain GNN' if state.color_by == PLAIN else state.labels().title}, layer {state.layer}")
    known = {name: it for name, it in verdicts.items() if isinstance(it, Verdict)}
    told = [f"{name} from layer {it.layer}" for name, it in known.items() if it.different]
    blind = [name for name, it in known.items() if not it.different]
    if told:
        said.append(f"A and B are told apart by {', '.join(told)}" + (f", not by {', '.join(blind)}" if blind else ""))
    elif blind:
        said.append("No method tells A from B")
    edges = max(state.excerpt(k).graph.num_edges for k in range(len(state.sides)))
    if edges > _MOST_EDGES:
        said.append(f"Not every one of the {edges:,} edges is drawn")
    return ". ".join(said) + "."


# ---- the graphs -------------------------------------------------------------------------------


def graph(state: ExplorerState, width: int = 900, height: int = 420) -> str:
    """The graphs as they are drawn in the panel, with the legend, as an SVG document; names are escaped."""
    colored = state.colored()
    drawn = [state.excerpt(k) for k in range(len(state.sides))]
    places = [state.positions(k) for k in range(len(drawn))]
    spots, radius = _fit(places, width, height)
    lines: list[str] = []
    for k, part in enumerate(drawn):
        inside = set(state.sides[k].targets) if state.cut else set()
        edges = part.graph.edges
        stride = max(1, -(-len(edges) // _MOST_EDGES))
        thin = len(edges) > 1_200
        for u, v in edges[::stride].tolist():
            (ax, ay), (bx, by) = spots[k][u].tolist(), spots[k][v].tolist()
            cut = int(part.nodes[u]) in inside and int(part.nodes[v]) in inside
            dots = ' stroke-dasharray="1 5" stroke-linecap="round"' if cut else ""
            stroke = f'stroke="{_LOOK["edge"]}" stroke-width="{0.5 if thin else 1.6}"{dots}'
            lines.append(f'<line x1="{ax:.1f}" y1="{ay:.1f}" x2="{bx:.1f}" y2="{by:.1f}" {stroke}/>')
        lines += _nodes(state, k, spots[k], part.nodes, colored, radius)
        left = k * width / len(drawn) + 14
        ink = _ink(state, k)
        lines.append(_text(left, 22, state.caption(k), ink, 14, weight=600))
    legend, rows = _legend(colored, width, height)
    return _document(width, height + 22 * rows + 14, [*lines, *legend])


def _nodes(
    state: ExplorerState,
    k: int,
    spots: NDArray[np.float64],
    nodes: NDArray[np.int64],
    colored: seen.Coloring,
    radius: float,
) -> Iterator[str]:
    side, small = state.sides[k], len(nodes) <= 60
    for (x, y), node in zip(spots.tolist(), nodes.tolist(), strict=True):
        entry = colored.entries[int(colored.codes[k][node])]
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{entry.color}"/>'
        if entry.mark and radius >= 7:
            size = min(13.0, radius, 3.2 * radius / len(entry.mark))
            yield _text(x, y + size * 0.36, entry.mark, text_on(entry.color), size, "middle", 700)
        if node in side.targets:
            yield (
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{max(radius, 3) + 4:.1f}" fill="none" '
                f'stroke="{_ink(state, k)}" stroke-width="2.4"/>'
            )
        if small or node in side.targets:
            below = radius + (19 if node in side.targets else 13)
            yield _text(x, y + below, node_name(side.graph, node), _LOOK["faint"], 11, "middle")


def _fit(places: list[NDArray[np.float64]], width: int, height: int) -> tuple[list[NDArray[np.float64]], float]:
    """Pixels for every node, all graphs at one scale, and a radius that fits between them."""
    each = width / len(places)
    spans = [np.maximum(np.ptp(xy, axis=0), 1e-9) for xy in places]
    scale = min(min((each - 70) / span[0], (height - 90) / span[1]) for span in spans)
    scale = min(scale, 2.0 * height)
    spots = []
    for k, xy in enumerate(places):
        middle = (xy.min(axis=0) + xy.max(axis=0)) / 2
        spots.append((xy - middle) * (scale, -scale) + ((k + 0.5) * each, height / 2 + 6))
    gap = float(np.sqrt(width * height / sum(map(len, places))))
    for xy in spots:
        if 1 < len(xy) <= 500:
            apart = np.hypot(*(xy[:, None] - xy[None]).transpose(2, 0, 1))
            apart[np.diag_indices(len(xy))] = np.inf
            gap = min(gap, float(apart.min()) if len(xy) <= 60 else gap * 0.7)
    return spots, float(np.clip(0.36 * gap, 2.2, 15))


def _legend(colored: seen.Coloring, width: int, height: int) -> tuple[list[str], int]:
    """Swatches with their words in as many rows as they need, and how many rows that is."""
    lines, x, row = [], 14.0, 1
    shown = [entry for entry in colored.entries if sum(entry.counts)][: seen.LISTED]
    for entry in shown:
        words = f"{entry.text}: {' | '.join(map(str, entry.counts))}"
        wide = 30 + 6.6 * len(words)
        if x + wide > width and x > 14:
            x, row = 14.0, row + 1
        y = height + 22 * row - 12
        lines.append(f'<circle cx="{x + 6:.1f}" cy="{y - 4:.1f}" r="6" fill="{entry.color}"/>')
        lines.append(_text(x + 17, y, words, _LOOK["faint"], 12))
        x += wide
    if len(colored.entries) > len(shown):
        lines.append(
            _text(14, height + 22 * (row + 1) - 12, f"and {len(colored.entries) - len(shown)} more", _LOOK["faint"], 12)
        )
        row += 1
    return lines, row


# ---- the subtrees -----------------------------------------------------------------------------


def tree(state: ExplorerState, width: int = 900, height: int = 420) -> str:
    """The folded subtrees of the targets as an SVG document: one disc for equal subtrees, a row for each layer."""
    roots = roots_of(state)
    if not roots:
        return _document(width, height, [_text(14, 30, "No target is picked.", _LOOK["faint"], 13)])
    labels, classes = state.labels(), state.classes(state.layer)
    levels, arcs = fold(state, roots, classes, state.hops if state.method.many_hops else 1)
    two = {side for side, _ in roots} == {0, 1}
    at = _places(levels, arcs, width, height)
    inks = (_LOOK["edge"], _LOOK["a"], _LOOK["b"], _LOOK["edge"])
    colored = [seen.compose(labels, classes, layer) for layer in range(state.layer + 1)]
    lines, discs = [], []
    for (depth, parent, child), times in sorted(arcs.items()):
        if (depth, parent) not in at or (depth + 1, child) not in at:
            continue
        (x, y), (u, v) = at[depth, parent], at[depth + 1, child]
        stroke = inks[_sides(levels[depth][parent])] if two else _LOOK["edge"]
        lines.append(
            f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{u:.1f}" y2="{v:.1f}" stroke="{stroke}" stroke-width="1.8"/>'
        )
        if times > 1:
            discs.append(_text(x + 0.42 * (u - x) + 6, y + 0.42 * (v - y), f"×{times}", _LOOK["text"], 11, weight=600))
    for (depth, cls), (x, y) in at.items():
        sides, (side, node) = _sides(levels[depth][cls]), levels[depth][cls][0]
        coloring = colored[state.layer - depth]
        entry = coloring.entries[int(coloring.codes[side][node])]
        discs.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="14" fill="{entry.color}"/>')
        if entry.mark:
            size = min(12.0, 40 / len(entry.mark))
            discs.append(_text(x, y + size * 0.36, entry.mark, text_on(entry.color), size, "middle", 700))
        if two and sides < 3:
            ring = f'fill="none" stroke="{inks[sides]}" stroke-width="2.2"'
            square = f'<rect x="{x - 18:.1f}" y="{y - 18:.1f}" width="36" height="36" rx="4" {ring}/>'
            discs.append(square if sides == 2 else f'<circle cx="{x:.1f}" cy="{y:.1f}" r="18" {ring}/>')
    names: dict[int, list[str]] = {}
    for side, root in roots:
        named = f"{state.letter(side)}: {node_name(state.sides[side].graph, root)}"
        names.setdefault(int(classes[side][state.layer, root]), []).append(named)
    for cls, words in names.items():
        x, y = at[0, cls]
        ink = inks[_sides(levels[0][cls])] if two and len(words) == 1 else _LOOK["text"]
        lines.append(_text(x, y - 26, " = ".join(words), ink, 13, "middle", 700))
    said = "equal subtrees share a disc" + ("; round ring: only in A, square: only in B" if two else "")
    hidden = sum(map(len, levels)) - len(at)
    said += f"; {hidden:,} further discs are not drawn" if hidden else ""
    return _document(width, height, [*lines, *discs, _text(14, height - 10, said, _LOOK["faint"], 12)])


def roots_of(state: ExplorerState) -> list[tuple[int, int]]:
    """(side, root) of each tree: one a side, or the first targets of a single set."""
    if len(state.sides) == 1:
        return [(0, target) for target in state.sides[0].targets[:_ROOTS]]
    return [
        (k, side.targets[min(state.root, len(side.targets) - 1)]) for k, side in enumerate(state.sides) if side.targets
    ]


Level = dict[int, list[tuple[int, int]]]  # by class: the nodes of that class that the trees reach, as (side, node)


def fold(
    state: ExplorerState, roots: list[tuple[int, int]], classes: Sequence[NDArray[np.int64]], hops: int
) -> tuple[list[Level], Counter[tuple[int, int, int]]]:
    """Level by level the classes of the subtrees, and how often a class hangs below another: {(depth, up, down): k}."""
    graphs = [side.graph.cut(side.nodes) if state.cut and len(side.targets) > 1 else side.graph for side in state.sides]
    layers = len(classes[0]) - 1
    reached = dict.fromkeys(roots)
    levels: list[Level] = []
    arcs: Counter[tuple[int, int, int]] = Counter()
    for depth in range(layers + 1):
        level: Level = {}
        below: dict[tuple[int, int], None] = {}
        for side, u in reached:
            cls = int(classes[side][layers - depth, u])
            level.setdefault(cls, []).append((side, u))
            for v in _within(graphs[side], u, hops) if depth < layers else ():
                below[side, v] = None
                if len(level[cls]) == 1:
                    arcs[depth, cls, int(classes[side][layers - depth - 1, v])] += 1
        levels.append(level)
        reached = below
    return levels, arcs


def _sides(members: list[tuple[int, int]]) -> int:
    """1: only A has them, 2: only B, 3: both."""
    return sum({1 << side for side, _ in members})


def _within(graph: Any, u: int, hops: int) -> list[int]:
    if hops == 1:
        return list(graph.neighbors(u).tolist())
    from ...graphs.distances import rings

    return [int(v) for depth, ring in enumerate(rings(graph, np.array([u]))) if 0 < depth <= hops for v in ring]


def _places(
    levels: list[Level], arcs: Counter[tuple[int, int, int]], width: int, height: int
) -> dict[tuple[int, int], Point]:
    """Pixels of the discs: A's to the left, B's to the right, then below their parents."""
    at: dict[tuple[int, int], Point] = {}
    step = (height - 130) / max(len(levels) - 1, 1)
    for depth, level in enumerate(levels):
        above: dict[int, list[float]] = {}
        for (d, up, down), _ in arcs.items():
            if d == depth - 1 and (d, up) in at:
                above.setdefault(down, []).append(at[d, up][0])
        kept = sorted(level, key=lambda cls: (depth and cls not in above, cls))[:_MOST_DISCS]
        order = sorted(
            kept, key=lambda cls: ((0, 0, 2, 1)[_sides(level[cls])], float(np.mean(above.get(cls, [0.0]))), cls)
        )
        for k, cls in enumerate(order):
            at[depth, cls] = width * (k + 0.5) / len(order), 60 + depth * step
    return at


# ---- SVG --------------------------------------------------------------------------------------


def _ink(state: ExplorerState, side: int) -> str:
    return str(_LOOK["b" if side else "a"])


def _document(width: int, height: int, lines: list[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'style="max-width: 100%; height: auto" font-family="system-ui, sans-serif">\n'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    )
    return "\n".join([head, *lines, "</svg>"])


def _text(x: float, y: float, content: str, color: str, size: float, anchor: str = "start", weight: int = 400) -> str:
    """A text as an SVG element, whatever characters it has."""
    printable = "".join(c if c.isprintable() else " " for c in content)  # XML allows no control characters
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill={quoteattr(color)} font-size="{size:.1f}" text-anchor="{anchor}" '
        f'font-weight="{weight}">{escape(printable)}</text>'
    )
