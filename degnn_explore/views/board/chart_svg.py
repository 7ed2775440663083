"""A chart of lines, dots and bands as SVG: for reports and still pictures, where no script runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import numpy as np

from ..text import escape as text

_TEXT, _FAINT, _GRID = "#1f2328", "#57606a", "#d8dee4"
_DASHES = {"dot": "2 4", "dash": "6 4", "dashdot": "6 3 2 3"}


def chart_svg(figure: dict[str, Any], width: int = 820) -> str:
    """Plotly's JSON of scatter traces on one pair of axes that state their range, as an SVG document.

    >>> line = {"x": [1, 2], "y": [0.5, 0.7], "line": {"color": "#0072b2"}}
    >>> axes = {"xaxis": {"range": [1, 2]}, "yaxis": {"range": [0, 1]}, "margin": {"l": 20, "r": 0, "t": 0, "b": 20}}
    >>> made = chart_svg({"data": [line], "layout": {"height": 120, **axes}}, width=120)
    >>> [part for part in made.splitlines() if part.startswith("<path")]
    ['<path d="M20.0 50.0L120.0 30.0" fill="none" stroke="#0072b2" stroke-width="2"/>']
    """
    layout = figure["layout"]
    height, margin = layout.get("height", 320), layout.get("margin", {})
    left, top = margin.get("l", 44), margin.get("t", 10)
    right, bottom = width - margin.get("r", 20), height - margin.get("b", 40)
    (x0, x1), (y0, y1) = layout["xaxis"]["range"], layout["yaxis"]["range"]

    def place(x: float, y: float) -> tuple[float, float]:
        return left + (x - x0) / (x1 - x0) * (right - left), bottom - (y - y0) / (y1 - y0) * (bottom - top)

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="system-ui, sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<clipPath id="in"><rect x="{left}" y="{top}" width="{right - left}" height="{bottom - top}"/></clipPath>',
    ]
    for y in _ticks(y0, y1, 6):
        at = place(x0, y)[1]
        lines.append(f'<line x1="{left}" y1="{at:.1f}" x2="{right}" y2="{at:.1f}" stroke="{_GRID}"/>')
        lines.append(_words(left - 6, at + 4, f"{y:g}", _FAINT, "end"))
    for x in _ticks(x0, x1, 10):
        if x == round(x):
            lines.append(_words(place(x, y0)[0], bottom + 16, f"{x:g}", _FAINT, "middle"))
    lines.append(_words((left + right) / 2, height - 6, _plain(_title(layout["xaxis"])), _FAINT, "middle"))
    lines.append('<g clip-path="url(#in)">')
    for trace in figure["data"]:
        places = [None if y is None else place(x, y) for x, y in zip(trace["x"], trace["y"], strict=True)]
        lines += _trace(trace, places)
    lines.append("</g>")
    for note in layout.get("annotations", []):
        x = left + note["x"] * (right - left) if note.get("xref") == "paper" else place(note["x"], y0)[0]
        y = bottom - note["y"] * (bottom - top) if note.get("yref") == "paper" else place(x0, note["y"])[1]
        color = note.get("font", {}).get("color", _TEXT)
        lines.append(_words(x, y + 4, _plain(note["text"]), color, "start", bold="<b>" in note["text"]))
    return "\n".join([*lines, "</svg>"])


def _trace(trace: dict[str, Any], places: list[tuple[float, float] | None]) -> Iterator[str]:
    """Lines with a gap at each None, a filled outline, or dots."""
    line, mode = trace.get("line", {}), trace.get("mode", "lines")
    opacity = f' opacity="{float(trace["opacity"])}"' if "opacity" in trace else ""
    points = [point for point in places if point is not None]
    drawn = ["" if point is None else f"{point[0]:.1f} {point[1]:.1f}" for point in places]
    path = "L".join(drawn).replace("LL", "M").strip("L")
    if trace.get("fill") == "toself" and points:
        yield f'<path d="M{path}Z" fill="{text(trace["fillcolor"])}"/>'
    elif "lines" in mode and points:
        dash = _DASHES.get(line.get("dash", ""), "")
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        stroke = f'stroke="{text(line.get("color", _TEXT))}" stroke-width="{float(line.get("width", 2)):g}"'
        yield f'<path d="M{path}" fill="none" {stroke}{dashes}{opacity}/>'
    if "markers" in mode:
        marker = trace.get("marker", {})
        size, color = marker.get("size", 6), marker.get("color", line.get("color", _TEXT))
        for x, y in points:
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{float(size) / 2:g}" fill="{text(color)}"{opacity}/>'


def _ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers from low to high, no more than so many.

    >>> _ticks(0.48, 0.93, 6), _ticks(0.5, 15.5, 10)
    ([0.5, 0.6, 0.7, 0.8, 0.9], [2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0])
    """
    rough = max(high - low, 1e-12) / most
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(power * k for k in (1, 2, 5, 10) if power * k >= rough * 0.999)
    return [round(float(k * step), 10) for k in range(int(np.ceil(low / step)), int(np.floor(high / step)) + 1)]


def _title(axis: dict[str, Any]) -> str:
    return str(axis.get("title", {}).get("text", ""))


def _plain(marked: str) -> str:
    """The words of a text with plotly's few tags."""
    return unescape(re.sub("<[^>]*>", "", marked))


def _words(x: float, y: float, words: str, color: str, anchor: str, bold: bool = False) -> str:
    weight = ' font-weight="600"' if bold else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{text(color)}" text-anchor="{anchor}"{weight}>{text(words)}</text>'
