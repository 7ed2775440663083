"""A canvas as SVG, for papers and slides: the same nodes, colours, marks, rings and dashes, with its legend."""

from __future__ import annotations

from typing import Any, Protocol
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from ...common.palette import ACCENT

__all__ = ["svg"]

_EDGE, _TEXT, _FAINT = "#98a2b3", "#1f2328", "#6b7280"


class Drawn(Protocol):
    """The traits of a canvas that a picture needs."""

    positions: bytes
    edges: bytes
    edge_styles: bytes
    codes: bytes
    starts: list[int]
    shares: list[float]
    stretch: bool
    legend: list[dict[str, Any]]
    legend_title: str
    names: list[str]
    badges: list[str]
    targets: list[int]
    letters: list[str]
    captions: list[str]


def svg(canvas: Drawn, width: int = 900, height: int = 420) -> str:
    """The canvas as an SVG document; names are escaped.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> one = SimpleNamespace(positions=np.zeros((1, 2), "<f4").tobytes(), edges=b"", edge_styles=b"", codes=bytes(2),
    ...     starts=[0, 1], shares=[1.0], stretch=False, legend=[dict(label="0", mark="0", colour="#440154", ink="#fff",
    ...     counts=[1])], legend_title="", names=["<b>"], badges=[], targets=[0], letters=["S"], captions=[])
    >>> picture = svg(one)
    >>> "<b>" in picture, "&lt;b&gt;" in picture
    (False, True)
    """
    at, radius = _place(canvas, width, height)
    edges = np.frombuffer(canvas.edges, dtype="<u4").reshape(-1, 2)
    styles = np.frombuffer(canvas.edge_styles, dtype="u1")
    codes = np.frombuffer(canvas.codes, dtype="<u2")
    listed = [entry for entry in canvas.legend if entry["counts"] is not None]
    total = height + 28 + 24 * (len(listed) // 6 + 1)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {total}" width="{width}" height="{total}" '
        'font-family="system-ui, sans-serif">',
        f'<rect width="{width}" height="{total}" fill="#ffffff"/>',
    ]
    dashes = {0: "", 1: ' stroke-dasharray="5 4"', 2: ' stroke-dasharray="1 5" stroke-linecap="round"'}
    thin = len(edges) > 1200
    faint = ' opacity="0.35"' if thin else ""
    for e, (u, v) in enumerate(edges.tolist()):
        style = int(styles[e]) if e < len(styles) else 0
        colour = ACCENT if style == 1 else _EDGE
        out.append(
            f'<line x1="{at[u, 0]:.1f}" y1="{at[u, 1]:.1f}" x2="{at[v, 0]:.1f}" y2="{at[v, 1]:.1f}" stroke="{colour}" '
            f'stroke-width="{0.6 if thin else 2 if style == 1 else 1.4}"{dashes[style]}{faint}/>'
        )
    for i, (x, y) in enumerate(at.tolist()):
        entry = canvas.legend[int(codes[i])]
        out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{entry["colour"]}"/>')
        if entry["mark"] and radius >= 6.5:
            size = min(13.0, radius * 1.1, 3.0 * radius / max(len(entry["mark"]), 1))
            out.append(_text(x, y + size * 0.36, entry["mark"], entry["ink"], size, "middle", 600))
        if i < len(canvas.badges) and canvas.badges[i]:
            out.append(_text(x + radius + 3, y - radius * 0.3, canvas.badges[i], _TEXT, 11, weight=600))
        if i < len(canvas.names) and len(at) <= 80:
            out.append(_text(x + radius * 0.8, y + radius + 8, canvas.names[i], _FAINT, 11))
    for i, letter in zip(canvas.targets, canvas.letters, strict=False):
        x, y = at[i].tolist()
        out.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{max(radius, 3) + 4:.1f}" fill="none" '
            f'stroke="{ACCENT}" stroke-width="2.2"/>'
        )
        out.append(_text(x - radius - 7, y - radius - 2, letter, ACCENT, 13, "middle", 700))
    left, whole = 0.0, sum(canvas.shares) or 1.0
    for share, caption in zip(canvas.shares, canvas.captions, strict=False):
        out.append(_text(left + 14, height + 12, caption, _FAINT, 12))
        left += width * share / whole
    if listed and canvas.legend_title:
        out.append(_text(14, height + 34, canvas.legend_title, _FAINT, 12))
    for k, entry in enumerate(listed):
        x, y = 150 + (k % 6) * (width - 160) / 6, height + 30 + 24 * (k // 6)
        counts = " | ".join(str(c) for c in entry["counts"])
        out.append(f'<circle cx="{x:.1f}" cy="{y}" r="8" fill="{entry["colour"]}"/>')
        out.append(_text(x + 13, y + 4, f"{entry['label']}  {counts}", _TEXT, 12))
    return "\n".join([*out, "</svg>"])


def _text(x: float, y: float, content: str, colour: str, size: float, anchor: str = "start", weight: int = 400) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill={quoteattr(colour)} font-size="{size:.1f}" text-anchor="{anchor}" '
        f'font-weight="{weight}">{escape(_printable(content))}</text>'
    )


def _printable(content: str) -> str:
    """Without control characters, which XML does not allow."""
    return "".join(c if c.isprintable() else " " for c in content)


def _place(canvas: Drawn, width: int, height: int) -> tuple[NDArray[np.float64], float]:
    """Pixels for every node, all panels at one scale, and a radius that fits between them."""
    positions = np.frombuffer(canvas.positions, dtype="<f4").reshape(-1, 2).astype(np.float64)
    if not len(positions):
        return positions, 6.0
    whole = sum(canvas.shares) or 1.0
    parts = [slice(a, b) for a, b in zip(canvas.starts[:-1], canvas.starts[1:], strict=True)]
    widths = [width * share / whole for share in canvas.shares[: len(parts)]]
    spans = [np.maximum(np.ptp(positions[p], axis=0), 1e-9) if p.stop > p.start else np.ones(2) for p in parts]
    sx = min((w - 80) / s[0] for w, s in zip(widths, spans, strict=True))
    sy = min((height - 70) / s[1] for s in spans)
    sx, sy = (min(sx, 90.0), min(sy, 110.0)) if canvas.stretch else (min(sx, sy, 2.0 * height),) * 2
    at = np.empty_like(positions)
    left = 0.0
    for part, w in zip(parts, widths, strict=True):
        if part.stop > part.start:
            low, high = positions[part].min(axis=0), positions[part].max(axis=0)
            at[part, 0] = left + w / 2 + (positions[part, 0] - (low[0] + high[0]) / 2) * sx
            middle = high[1] - (height / 2 - 36) / sy if canvas.stretch else (low[1] + high[1]) / 2
            at[part, 1] = height / 2 - (positions[part, 1] - middle) * sy
        left += w
    gap = np.sqrt(width * height / len(at))
    if 1 < len(at) <= 500:
        apart = np.hypot(*(at[:, None] - at[None]).transpose(2, 0, 1))
        apart[np.diag_indices(len(at))] = np.inf
        gap = min(gap, float(apart.min()) if len(at) <= 60 else gap * 0.7)
    return at, float(np.clip(0.34 * gap, 1.6, 14))
