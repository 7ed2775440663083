"""The Explorer's two pictures as SVG, with their legend: for papers, slides, nbconvert and GitHub."""

from __future__ import annotations

import re
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
from . import layouts, seen
from .state import PLAIN, ExplorerState

_LOOK = PALETTE["light"]
_MOST_EDGES = 6_000  # of a picture in a notebook: 100 kB
_MOST_DISCS = 22  # of a level that can be told apart
_ROOTS = 3  # trees of a single set
_LEGEND_ITEMS = 12  # as in the panel
_GUTTER = 70  # right of the trees, where the layers are named
_START = {"SPD": "distance", "LP": "walks"}  # what a node has before the first layer
_PLAIN_EDGE = f'stroke="{_LOOK["edge"]}" stroke-width="1.6"'
Point = tuple[float, float]


def caption(state: ExplorerState, verdicts: dict[str, Any]) -> str:
    """What the pictures show, and the verdicts, in a few sentences."""
    sentences = [f"Distance Encoding Explorer: {state.title}", "; ".join(map(state.caption, range(len(state.sides))))]
    sentences.append(
        f"Colors: {'a plain GNN' if state.color_by == PLAIN else state.labels().title}, layer {state.layer}"
    )
    known = {name: it for name, it in verdicts.items() if isinstance(it, Verdict)}
    apart = [f"{name} from layer {it.layer}" for name, it in known.items() if it.different]
    blind = [name for name, it in known.items() if not it.different]
    if apart:
        sentences.append(
            f"A and B are told apart by {', '.join(apart)}" + (f", not by {', '.join(blind)}" if blind else "")
        )
    elif blind:
        sentences.append("No method tells A from B")
    edges = max(state.excerpt(k).graph.num_edges for k in range(len(state.sides)))
    if edges > _MOST_EDGES:
        sentences.append(f"Not every one of the {edges:,} edges is drawn")
    return ". ".join(sentences) + "."


# ---- the graphs -------------------------------------------------------------------------------


def graph(state: ExplorerState, width: int = 900, height: int = 420) -> str:
    """The graphs as they are drawn in the panel, with the legend, as an SVG document; names are escaped."""
    colored = state.colored()
    drawn = [state.excerpt(k) for k in range(len(state.sides))]
    coast = layouts.coastline(state.sides[0].graph) if state.layout == "geography" else []
    fit = _Fit([state.positions(k) for k in range(len(drawn))], width, height)
    lines = [_land(coast, fit, width, height)] if coast else []
    for k, part in enumerate(drawn):
        spots = fit.spots(k)
        inside = set(state.sides[k].targets) if state.cut else set()
        edges = part.graph.edges
        stride = max(1, -(-len(edges) // _MOST_EDGES))
        dense = len(edges) > 1_200
        look = f'stroke="{_LOOK["faint"]}" stroke-width="0.7" opacity="0.13"' if dense else _PLAIN_EDGE
        for u, v in edges[::stride].tolist():
            (ax, ay), (bx, by) = spots[u].tolist(), spots[v].tolist()
            cut = int(part.nodes[u]) in inside and int(part.nodes[v]) in inside
            stroke = f'{_PLAIN_EDGE} stroke-dasharray="1 5" stroke-linecap="round"' if cut else look
            lines.append(f'<line x1="{ax:.1f}" y1="{ay:.1f}" x2="{bx:.1f}" y2="{by:.1f}" {stroke}/>')
        lines += _nodes(state, k, spots, part.nodes, colored, fit.radius)
        lines.append(_text(k * width / len(drawn) + 14, 22, state.caption(k), _ink(state, k), 14, weight=600))
    legend, rows = _legend(colored, state, width, height)
    return _document(width, height + 22 * rows + 14, [*lines, *legend])


def _nodes(
    state: ExplorerState,
    k: int,
    spots: NDArray[np.float64],
    nodes: NDArray[np.int64],
    colored: seen.Coloring,
    radius: float,
) -> Iterator[str]:
    """Discs with their marks, then targets and names above all of them."""
    side, few = state.sides[k], len(nodes) <= 60
    rim = "" if few else f' stroke="{_LOOK["back"]}" stroke-width="0.8"'
    named: list[str] = []
    for (x, y), node in zip(spots.tolist(), nodes.tolist(), strict=True):
        entry, target = colored.entries[int(colored.codes[k][node])], node in side.targets
        disc = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{entry.color}"{rim}/>']
        if entry.mark and radius >= 7:
            size = min(13.0, radius, 3.2 * radius / len(entry.mark))
            disc.append(_text(x, y + size * 0.36, entry.mark, text_on(entry.color), size, "middle", 700))
        if target:
            named += [*disc, _ring(x, y, max(radius, 3) + 4, k, _ink(state, k))]
        else:
            yield from disc
        if few or target:
            below, ink = radius + (19 if target else 13), _LOOK["text" if target else "faint"]
            named.append(_text(x, y + below, node_name(side.graph, node), ink, 11, "middle", halo=True))
    yield from named


def _ring(x: float, y: float, half: float, side: int, ink: str) -> str:
    """Around a disc: round for A, square for B, told apart without color."""
    stroke = f'fill="none" stroke="{ink}" stroke-width="2.4"'
    if not side:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{half:.1f}" {stroke}/>'
    return (
        f'<rect x="{x - half:.1f}" y="{y - half:.1f}" width="{2 * half:.1f}" height="{2 * half:.1f}" rx="5" {stroke}/>'
    )


class _Fit:
    """All graphs side by side at one scale, and a radius that fits between their nodes."""

    def __init__(self, places: list[NDArray[np.float64]], width: int, height: int) -> None:
        self._places, self._height, self._each = places, height, width / len(places)
        spans = [np.maximum(np.ptp(xy, axis=0), 1e-9) for xy in places]
        scale = min(min((self._each - 70) / span[0], (height - 90) / span[1]) for span in spans)
        self._scale = min(scale, 2.0 * height)
        self.radius = _radius([self.spots(k) for k in range(len(places))], width * height)

    def spots(self, k: int, xy: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Pixels of a graph's nodes, or of other points in its coordinates."""
        its = self._places[k]
        middle = (its.min(axis=0) + its.max(axis=0)) / 2
        to = ((k + 0.5) * self._each, self._height / 2 + 6)
        return np.asarray(((its if xy is None else xy) - middle) * (self._scale, -self._scale) + to)


def _radius(spots: list[NDArray[np.float64]], area: float) -> float:
    """How large a node may be, as in the panel: few never touch, many are told apart."""
    from scipy.spatial import cKDTree

    count = sum(map(len, spots))
    near = [cKDTree(xy).query(xy, k=2)[0][:, 1] for xy in spots if len(xy) > 1]
    nearest = np.sort(np.concatenate(near)) if near else np.array([area])
    if count <= 60:
        return float(np.clip(0.43 * nearest[0], 2.4, 16))
    gap = max(min(0.9 * np.sqrt(area / count), 2 * nearest[len(nearest) // 3]), 12 if count <= 2_000 else 0)
    return float(np.clip(0.36 * gap, 1.8, 15))


def _land(coast: list[list[float]], fit: _Fit, width: int, height: int) -> str:
    """The land behind a map, clipped to the picture."""
    rings = (fit.spots(0, np.array(outline).reshape(-1, 2)).round(1).tolist() for outline in coast)
    path = "".join("M" + "L".join(f"{x:g} {y:g}" for x, y in ring) + "Z" for ring in rings)
    clip = f'<clipPath id="sheet"><rect y="30" width="{width}" height="{height - 30}"/></clipPath>'
    return f'{clip}<path class="land" clip-path="url(#sheet)" fill="{_LOOK["coast"]}" d="{path}"/>'


def _legend(colored: seen.Coloring, state: ExplorerState, width: int, height: int) -> tuple[list[str], int]:
    """The panel's legend, a swatch for each label, and how many rows it takes."""
    groups: dict[str, tuple[str, NDArray[np.int64]]] = {}
    for entry in colored.entries:
        label = re.sub(r", class \w+$", "", entry.text)
        color, counts = groups.get(label, (entry.color, np.zeros(len(state.sides), dtype=np.int64)))
        groups[label] = color, counts + entry.counts
    listed = [
        (color, f"{label}: {' | '.join(f'{count:,}' for count in counts)}")
        for label, (color, counts) in list(groups.items())[:_LEGEND_ITEMS]
    ]
    if len(groups) > _LEGEND_ITEMS:
        listed.append(("", f"and {len(groups) - _LEGEND_ITEMS:,} more"))
    labels = state.labels()
    if labels.title and state.color_by != "SPD":
        listed.insert(0, ("", f"{labels.title}:"))
    if state.layer and state.color_by != PLAIN:
        listed.append(("", "same letter: same to the network"))
    if labels.note:
        listed.append(("", labels.note))
    lines, x, row = [], 14.0, 1
    for color, words in listed:
        wide = 30 + 6.6 * len(words)
        if x + wide > width and x > 14:
            x, row = 14.0, row + 1
        y = height + 22 * row - 12
        if color:
            lines.append(f'<circle cx="{x + 6:.1f}" cy="{y - 4:.1f}" r="6" fill="{color}"/>')
        lines.append(_text(x + (17 if color else 0), y, words, _LOOK["faint"], 12))
        x += wide
    return ['<g class="legend">', *lines, "</g>"], row


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
    taken = [(x - 22, y - 22, x + 22, y + 22) for x, y in at.values()]  # where no number of times can be written
    for (depth, parent, child), times in sorted(arcs.items()):
        if (depth, parent) not in at or (depth + 1, child) not in at:
            continue
        (x, y), (u, v) = at[depth, parent], at[depth + 1, child]
        stroke = inks[_sides(levels[depth][parent])] if two else _LOOK["edge"]
        lines.append(
            f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{u:.1f}" y2="{v:.1f}" stroke="{stroke}" stroke-width="1.8"/>'
        )
        if times > 1 and (spot := _free_spot((x, y), (u, v), taken)) is not None:
            discs.append(_text(spot[0], spot[1] + 4, f"×{times}", _LOOK["text"], 11, "middle", 600, halo=True))
    for (depth, cls), (x, y) in at.items():
        sides, (side, node) = _sides(levels[depth][cls]), levels[depth][cls][0]
        coloring = colored[state.layer - depth]
        entry = coloring.entries[int(coloring.codes[side][node])]
        discs.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="14" fill="{entry.color}"/>')
        if entry.mark:
            size = min(12.0, 40 / len(entry.mark))
            discs.append(_text(x, y + size * 0.36, entry.mark, text_on(entry.color), size, "middle", 700))
        if two and sides < 3:
            discs.append(_ring(x, y, 18, sides - 1, inks[sides]))
    start = "start" if state.color_by == PLAIN else _START.get(state.color_by, "label")
    for depth, y in {depth: y for (depth, _), (_, y) in at.items()}.items():
        layer = state.layer - depth
        lines.append(_text(width - 8, y + 4, f"layer {layer}" if layer else start, _LOOK["faint"], 12, "end"))
    names: dict[int, list[str]] = {}
    for side, root in roots:
        named = f"{state.letter(side)}: {node_name(state.sides[side].graph, root)}"
        names.setdefault(int(classes[side][state.layer, root]), []).append(named)
    for cls, words in names.items():
        x, y = at[0, cls]
        ink = inks[_sides(levels[0][cls])] if two and len(words) == 1 else _LOOK["text"]
        lines.append(_text(x, y - 26, " = ".join(words), ink, 13, "middle", 700))
    note = "equal subtrees share a disc" + ("; round ring: only in A, square: only in B" if two else "")
    hidden = sum(map(len, levels)) - len(at)
    note += f"; {hidden:,} further discs are not drawn" if hidden else ""
    return _document(width, height, [*lines, *discs, _text(14, height - 10, note, _LOOK["faint"], 12)])


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
            at[depth, cls] = (width - _GUTTER) * (k + 0.5) / len(order), 60 + depth * step
    return at


def _free_spot(a: Point, b: Point, taken: list[tuple[float, float, float, float]]) -> Point | None:
    """A place along a line for a few letters, clear of what is there; it is taken from then on."""
    for share in (0.42, 0.5, 0.34, 0.58, 0.27, 0.66, 0.73):
        x, y = a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])
        box = (x - 11, y - 8, x + 11, y + 8)
        if all(box[2] <= left or box[0] >= right or box[3] <= top or box[1] >= low for left, top, right, low in taken):
            taken.append(box)
            return x, y
    return None


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


def _text(
    x: float,
    y: float,
    content: str,
    color: str,
    size: float,
    anchor: str = "start",
    weight: int = 400,
    halo: bool = False,
) -> str:
    """A text as an SVG element, whatever characters it has; with a halo it can be read over lines."""
    around = f' stroke="{_LOOK["back"]}" stroke-width="3" paint-order="stroke" stroke-linejoin="round"' if halo else ""
    printable = "".join(c if c.isprintable() else " " for c in content)  # XML allows no control characters
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill={quoteattr(color)} font-size="{size:.1f}" text-anchor="{anchor}" '
        f'font-weight="{weight}"{around}>{escape(printable)}</text>'
    )
