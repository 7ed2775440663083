"""The folded subtrees as SVG, for papers, slides and static viewers: one disc for equal subtrees, a row a layer."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ....common.palette import ACCENT
from ....expressive.explanations import counted
from ....expressive.folding import Folded
from ....expressive.subtrees import partings
from ...widgets.html import node_name
from ..state import ExplorerState
from ..trees import folded, roots_of, seen_by
from .svg import EDGE, FAINT, SECOND, TEXT, document, svg_text

_MOST = 26  # discs of a level that can be told apart
_SIDES = (EDGE, ACCENT, SECOND, EDGE)  # below neither, A, B, both


def tree_svg(state: ExplorerState, plain: bool = False, width: int = 900, height: int = 420) -> str:
    """The subtrees of the Explorer's targets as an SVG document; ``plain``: as 1-WL sees them."""
    wanted = roots_of(state)
    if not wanted:
        return document(width, height, [svg_text(14, 30, "No target is picked.", FAINT, 12)])
    graph = folded(state, plain)
    two = {side for side, _ in wanted} == {0, 1}
    sides = sum((2**side * graph.below(k) for k, (side, _) in enumerate(wanted)), np.zeros(len(graph.level), dtype=int))
    colouring = seen_by(state).colouring
    first = [next((k, nodes[0]) for k, nodes in enumerate(own) if nodes) for own in graph.members]
    codes = np.array([0 if plain else colouring.codes[wanted[k][0]][u] for k, u in first])
    at = _places(graph, codes, sides, width, height)
    inks = [_SIDES[side] if two else EDGE for side in sides.tolist()]
    lines = list(_lines(graph, at, inks, two))
    for i, (x, y) in at.items():
        entry = colouring.entries[codes[i]]
        lines.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="12" fill="{"#7f8fa6" if plain else entry.colour}"/>')
        if entry.mark and not plain:
            size = min(12.0, 33 / len(entry.mark))
            lines.append(svg_text(x, y + size * 0.36, entry.mark, entry.as_dict()["ink"], size, "middle", 600))
        if two and sides[i] in (1, 2):
            lines.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="15" fill="none" stroke="{inks[i]}" stroke-width="2"/>')
            if graph.level[i]:
                lines.append(svg_text(x - 17, y - 10, "AB"[sides[i] - 1], inks[i], 10, "middle", 700))
    for i in dict.fromkeys(graph.roots):
        own = [(side, root) for k, (side, root) in enumerate(wanted) if graph.roots[k] == i]
        names = [f"{state.letter(side)}: {node_name(state.sides[side].graph, root)}" for side, root in own]
        lines.append(svg_text(at[i][0], at[i][1] - 22, " = ".join(names), inks[i] if two else TEXT, 12, "middle", 700))
    said = f"{counted(int(graph.level[-1]))}; equal subtrees are one disc"
    said += "; ring: only below A or only below B; dashed: where they part" if two else ""
    hidden = len(graph.level) - len(at)
    said += f"; {hidden:,} further discs are not drawn" if hidden else ""
    return document(width, height, [*lines, svg_text(14, height - 8, said, FAINT, 12)])


def _places(
    graph: Folded, codes: NDArray[np.int64], sides: NDArray[np.int64], width: int, height: int
) -> dict[int, tuple[float, float]]:
    """Pixels of the discs that can be drawn: A's to the left, B's to the right, then by label and by their parents."""
    at: dict[int, tuple[float, float]] = {}
    step = (height - 110) / max(int(graph.level[-1]), 1)
    walks = np.zeros(len(graph.level))
    walks[list(graph.roots)] = 1
    for parent, child, _, times in graph.lines.tolist():
        walks[child] += walks[parent] * times
    for depth in range(int(graph.level[-1]) + 1):
        here = np.flatnonzero(graph.level == depth)
        here = here[np.argsort(-walks[here], kind="stable")[:_MOST]]
        above = {
            i: [at[p][0] for p in graph.lines[graph.lines[:, 1] == i, 0].tolist() if p in at] for i in here.tolist()
        }
        order = sorted(
            here.tolist(), key=lambda i: ((0, 0, 2, 1)[sides[i]], codes[i], np.mean(above[i]) if above[i] else 0.0)
        )
        for k, i in enumerate(order):
            at[i] = width * (k + 0.5) / len(order), 48 + depth * step
    return at


def _lines(graph: Folded, at: dict[int, tuple[float, float]], inks: list[str], two: bool) -> Iterator[str]:
    ways: dict[int, bool] = {}
    taken: list[tuple[float, float]] = []
    if two and graph.roots[0] != graph.roots[-1]:
        for side in partings(graph, graph.roots[0], graph, graph.roots[-1]):
            ways |= side
    for e, (parent, child, _, times) in enumerate(graph.lines.tolist()):
        if parent not in at or child not in at:
            continue
        (x, y), (u, v) = at[parent], at[child]
        width = 2.6 if e in ways else min(1 + 0.35 * (times - 1), 4)
        dashes = ' stroke-dasharray="6 4"' if ways.get(e) else ""
        yield (
            f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{u:.1f}" y2="{v:.1f}" stroke="{inks[parent]}" '
            f'stroke-width="{width:.1f}"{dashes}/>'
        )
        if times > 1:
            taken.append(_free((x, y), (u, v), taken))
            yield svg_text(taken[-1][0] + 4, taken[-1][1], f"×{times}", TEXT, 11, weight=600)


def _free(a: tuple[float, float], b: tuple[float, float], taken: list[tuple[float, float]]) -> tuple[float, float]:
    """A place along the line from a to b where a number covers no other, the middle first."""
    places = [
        (a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])) for share in (0.5, 0.42, 0.58, 0.34, 0.66, 0.26)
    ]
    clear = (at for at in places if all(abs(at[0] - x) >= 26 or abs(at[1] - y) >= 12 for x, y in taken))
    return next(clear, places[0])
