"""An explanation as an SVG picture: S in the middle, around it the edges that move its score most."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..common.style import signed
from ..graphs.distances import distance_to_set
from ..graphs.graph import Graph

if TYPE_CHECKING:
    from .explain import Explanation

FOR, AGAINST = "#0072b2", "#d55e00"  # Okabe and Ito's blue and vermilion; width and dashes say the same
_WIDE, _HIGH = 640, 420


def svg(why: Explanation, most: int) -> str:
    """The ``most`` edges at the head of its table; gray: the other edges between these nodes."""
    top = why.edges.head(most)
    shown = list(dict.fromkeys([*why.S, *top.u.tolist(), *top.v.tolist()]))
    places = (50, 37) + places_around(why.graph, why.S, shown) * (_WIDE - 100, _HIGH - 90)
    at = dict(zip(shown, places.tolist(), strict=True))
    strongest = max(float(top.change.abs().max()) if len(top) else 0.0, 1e-12)
    inside = why.graph.edges[np.isin(why.graph.edges, shown).all(axis=1)].tolist()
    moved = {(u, v): change for u, v, change in zip(top.u, top.v, top.change, strict=True)}
    names = why.graph.names
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {_HIGH}" role="img" '
        f'style="max-width:{_WIDE}px;width:100%;color:inherit" font-family="system-ui, sans-serif" font-size="11">',
        f"<title>{escape(why.title)}</title>",
    ]
    for u, v in sorted(inside, key=lambda edge: abs(moved.get(tuple(edge), 0.0))):
        (x, y), (to_x, to_y) = at[u], at[v]
        change = moved.get((u, v))
        look = 'stroke="#9aa0a6" stroke-width="0.8" opacity="0.45"'
        if change is not None:
            color, dashes = (FOR, "") if change <= 0 else (AGAINST, ' stroke-dasharray="6 4"')
            look = f'stroke="{color}" stroke-width="{1.2 + 6 * abs(change) / strongest:.2f}"{dashes}'
        effect = "" if change is None else f": without it {why.score + change:.3f} ({signed(change, 3)})"
        line = f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" {look}>'
        parts.append(f"{line}<title>{escape(f'{names[u]} — {names[v]}{effect}')}</title></line>")
    for v, (x, y) in at.items():
        target = v in why.S
        disc = f'r="{9 if target else 6}" fill="{"#e69f00" if target else "#9aa0a6"}" stroke="currentColor"'
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" {disc}><title>{escape(names[v])}</title></circle>')
        label = escape(names[v][:14])
        parts.append(f'<text x="{x:.1f}" y="{y - 11:.1f}" text-anchor="middle" fill="currentColor">{label}</text>')
    parts.append(_key())
    return "".join([*parts, "</svg>"])


def _key() -> str:
    """What the lines mean."""
    lines = (("", FOR, "speaks for it: the score falls without it"), ("6 4", AGAINST, "speaks against it"))
    parts = []
    for place, (dashes, color, words) in enumerate(lines):
        x, y = 16 + 280 * place, _HIGH - 12
        parts.append(
            f'<line x1="{x}" y1="{y}" x2="{x + 26}" y2="{y}" stroke="{color}" stroke-width="4" '
            f'stroke-dasharray="{dashes}"/><text x="{x + 34}" y="{y + 4}" fill="currentColor">{words}</text>'
        )
    return "".join(parts)


def places_around(graph: Graph, S: Sequence[int], shown: Sequence[int]) -> NDArray[np.float64]:
    """Where to draw these nodes: rings by distance to S; on each, nodes near those that they are linked to.

    [len(shown), 2], from 0 to 1.

    Examples
    --------
    >>> places_around(Graph.from_edges([(0, 1), (1, 2)]), [1], [1, 0, 2]).round(2).tolist()
    [[0.5, 0.5], [0.85, 0.85], [0.15, 0.15]]
    """
    nodes = np.array(shown)
    away = distance_to_set(graph, np.array(S))[nodes]
    ring = np.where(away < 0, away.max(initial=0) + 1, away)
    radius = np.where(ring > 0, np.sqrt(ring), 0.3 * (len(S) > 1))
    angle = np.zeros(len(nodes))
    pairs = np.stack(np.meshgrid(nodes, nodes, indexing="ij"), axis=2).reshape(-1, 2)
    linked = graph.has_edges(pairs).reshape(len(nodes), -1)
    for r in range(int(ring.max(initial=0)) + 1):
        here, inner = np.flatnonzero(ring == r), ring < r
        toward = np.angle((linked[here][:, inner] @ np.exp(1j * angle[inner])).round(9) + 0)
        by_angle = np.argsort(toward, kind="stable")
        slots = 2 * np.pi * np.arange(len(here)) / max(1, len(here))
        turn = np.exp(1j * (toward[by_angle] - slots)).sum()  # brings the slots nearest to where their nodes belong
        angle[here[by_angle]] = slots + (np.angle(turn) if abs(turn) > 1e-6 else np.pi / 4 if r else np.pi)
        if len(here) > 8:
            radius[here[by_angle[::2]]] *= 0.8  # names side by side would not fit
    reach = max(float(radius.max(initial=0.0)), 1e-9)
    return 0.5 + 0.5 * np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1) / reach
