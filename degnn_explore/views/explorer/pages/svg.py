"""A canvas as SVG, for papers and slides: the same nodes, colours, marks, rings and dashes, with its legend."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from ....common.palette import ACCENT
from ...widgets.canvas import Canvas

EDGE, TEXT, FAINT = "#98a2b3", "#1f2328", "#6b7280"
SECOND = "#0072b2"  # of B, as ACCENT is of A
_DOTS = ' stroke-dasharray="1 5" stroke-linecap="round"'  # a cut edge


def svg(canvas: Canvas, width: int = 900, height: int = 420, most: int | None = None) -> str:
    """The canvas as an SVG document, with ``most`` edges spread evenly over all; names are escaped."""
    at, radius = _place(canvas, width, height)
    listed = sum(entry["counts"] is not None for entry in canvas.legend)
    total = height + 28 + 24 * (listed // 6 + 1)
    parts = (_edges(canvas, at, most), _nodes(canvas, at, radius), _legend(canvas, width, height))
    return document(width, total, [line for part in parts for line in part])


def document(width: int, height: int, lines: list[str]) -> str:
    """An SVG document of that size, on white."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'style="max-width: 100%; height: auto" font-family="system-ui, sans-serif">\n'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    )
    return "\n".join([head, *lines, "</svg>"])


def _edges(canvas: Canvas, at: NDArray[np.float64], most: int | None) -> Iterator[str]:
    edges = np.frombuffer(canvas.edges, dtype="<u4").reshape(-1, 2)
    styles = np.frombuffer(canvas.edge_styles, dtype="u1").tolist() or [0] * len(edges)
    thin = len(edges) > 1200
    plain = []
    for k in range(0, len(edges), max(1, -(-len(edges) // (most or len(edges) or 1)))):
        (ax, ay), (bx, by), style = at[edges[k, 0]], at[edges[k, 1]], styles[k]
        if thin and not style:  # one path: a line each would take six times the bytes
            plain.append(f"M{ax:.0f} {ay:.0f}L{bx:.0f} {by:.0f}")
            continue
        dots = _DOTS if style else ""
        yield (
            f'<line x1="{ax:.1f}" y1="{ay:.1f}" x2="{bx:.1f}" y2="{by:.1f}" stroke="{EDGE}" stroke-width="1.4"{dots}/>'
        )
    if plain:
        yield f'<path d="{"".join(plain)}" fill="none" stroke="{EDGE}" stroke-width="0.6" opacity="0.35"/>'


def _nodes(canvas: Canvas, at: NDArray[np.float64], radius: float) -> Iterator[str]:
    codes = np.frombuffer(canvas.codes, dtype="<u2").tolist()
    for i, (x, y) in enumerate(at.tolist()):
        entry = canvas.legend[codes[i]]
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{entry["colour"]}"/>'
        if entry["mark"] and radius >= 6.5:
            size = min(13.0, radius * 1.1, 3.0 * radius / len(entry["mark"]))
            yield svg_text(x, y + size * 0.36, entry["mark"], entry["ink"], size, "middle", 600)
        if i < len(canvas.names) and len(at) <= 80:
            yield svg_text(x + radius * 0.8, y + radius + 8, canvas.names[i], FAINT, 11)
    for i, letter in zip(canvas.targets, canvas.letters, strict=False):
        x, y = at[i].tolist()
        colour = SECOND if letter == "B" else ACCENT
        ring = f'r="{max(radius, 3) + 4:.1f}" fill="none" stroke="{colour}" stroke-width="2.2"'
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" {ring}/>'
        yield svg_text(x - radius - 7, y - radius - 2, letter, colour, 13, "middle", 700)


def _legend(canvas: Canvas, width: int, height: int) -> Iterator[str]:
    for k, caption in enumerate(canvas.captions):
        yield svg_text(k * width / len(canvas.captions) + 14, height + 12, caption, FAINT, 12)
    listed = [entry for entry in canvas.legend if entry["counts"] is not None]
    if listed and canvas.legend_title:
        yield svg_text(14, height + 34, canvas.legend_title, FAINT, 12)
    for k, entry in enumerate(listed):
        start = max(150.0, 24 + 6.6 * len(canvas.legend_title))
        x, y = start + (k % 6) * (width - start - 10) / 6, height + 30 + 24 * (k // 6)
        counts = " | ".join(str(c) for c in entry["counts"])
        yield f'<circle cx="{x:.1f}" cy="{y}" r="8" fill="{entry["colour"]}"/>'
        yield svg_text(x + 13, y + 4, f"{entry['label']}  {counts}", TEXT, 12)


def svg_text(
    x: float, y: float, content: str, colour: str, size: float, anchor: str = "start", weight: int = 400
) -> str:
    """A text as an SVG element, whatever characters it has."""
    printable = "".join(c if c.isprintable() else " " for c in content)  # XML allows no control characters
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill={quoteattr(colour)} font-size="{size:.1f}" text-anchor="{anchor}" '
        f'font-weight="{weight}">{escape(printable)}</text>'
    )


def _place(canvas: Canvas, width: int, height: int) -> tuple[NDArray[np.float64], float]:
    """Pixels for every node, all panels at one scale, and a radius that fits between them."""
    positions = np.frombuffer(canvas.positions, dtype="<f4").reshape(-1, 2).astype(np.float64)
    if not len(positions):
        return positions, 6.0
    parts = [slice(a, b) for a, b in zip(canvas.starts[:-1], canvas.starts[1:], strict=True)]
    each = width / len(parts)
    spans = [np.maximum(np.ptp(positions[p], axis=0), 1e-9) if p.stop > p.start else np.ones(2) for p in parts]
    sx = min((each - 80) / s[0] for s in spans)
    sy = min((height - 70) / s[1] for s in spans)
    scale = min(sx, sy, 2.0 * height)
    at = np.empty_like(positions)
    for k, part in enumerate(parts):
        if part.stop > part.start:
            low, high = positions[part].min(axis=0), positions[part].max(axis=0)
            at[part, 0] = (k + 0.5) * each + (positions[part, 0] - (low[0] + high[0]) / 2) * scale
            at[part, 1] = height / 2 - (positions[part, 1] - (low[1] + high[1]) / 2) * scale
    gap = np.sqrt(width * height / len(at))
    if 1 < len(at) <= 500:
        apart = np.hypot(*(at[:, None] - at[None]).transpose(2, 0, 1))
        apart[np.diag_indices(len(at))] = np.inf
        gap = min(gap, float(apart.min()) if len(at) <= 60 else gap * 0.7)
    return at, float(np.clip(0.34 * gap, 1.6, 14))
