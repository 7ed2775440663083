"""Training curves with their names next to them, as plotly's JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...learn.registry import color_of, is_baseline, is_heuristic
from ...studies.statistics import Curve
from ..text import escape

_LINES = 40  # curves of single seeds, more would hide the means


def curve_figure(curves: Sequence[Curve], epochs: int, height: int = 260) -> dict[str, Any]:
    """The curves in percent with bands, and each model's name at the end of its curve, as plotly's JSON.

    Not a ``go.Figure``: checking one takes longer than an epoch of a small graph, five times a second.

    Examples
    --------
    >>> made = curve_figure([Curve("GCN", [0.6, 0.7], [[0.6, 0.7]], [], [])], 10)
    >>> [note["text"] for note in made["layout"]["annotations"]]
    ['<b>GCN</b>']
    """
    curves = [_in_percent(curve) for curve in curves]
    last = max([epochs, *(len(curve.mean) for curve in curves)])
    # the curves fill the chart; the bands of few seeds are many times as wide and may leave it
    every = [value for curve in curves for value in (*curve.mean, *(seed[-1] for seed in curve.seeds))]
    low, high = (min(every), max(every)) if every else (50.0, 100.0)
    pad = max(2.0, 0.15 * (high - low))
    bottom, top = max(0.0, low - pad), min(101.0, high + pad)
    lines = sum(len(curve.seeds) for curve in curves) <= _LINES
    traces = [trace for curve in curves for trace in _traces(curve, last, lines)]
    room = (top - bottom) / max(1, (height - 40) / 16)  # the height of a line of text, in units of y
    places = _apart([curve.mean[-1] for curve in curves], room, bottom, top)
    notes = [
        {"x": 1.01, "xref": "paper", "y": y, "text": f"<b>{escape(curve.model)}</b>", "showarrow": False,
         "xanchor": "left", "font": {"color": color_of(curve.model), "size": 12}}
        for curve, y in zip(curves, places, strict=True)]  # fmt: skip
    right = max([108, *(14 + round(7.6 * len(curve.model)) for curve in curves)])
    several = any(len(curve.seeds) > 1 for curve in curves)
    meanings = ["points: single seeds"] * several + ["bands: 95% over seeds"] * any(curve.low for curve in curves)
    return {"data": traces, "layout": {
        "height": height, "margin": {"l": 34, "r": right, "t": 6, "b": 34}, "uirevision": "curves",
        "hovermode": "closest", "annotations": notes,
        "xaxis": {"title": {"text": "; ".join(["epoch", *meanings])},
                  "range": [0.5, last + 0.5], "showgrid": False, **({"dtick": 1} if last <= 10 else {})},
        "yaxis": {"range": [bottom, top], "nticks": 6}}}  # fmt: skip


def _in_percent(curve: Curve) -> Curve:
    def percent(values: Sequence[float]) -> list[float]:
        return [100 * value for value in values]

    return Curve(curve.model, percent(curve.mean), [percent(seed) for seed in curve.seeds], percent(curve.low),
                 percent(curve.high))  # fmt: skip


def _traces(curve: Curve, last: int, lines: bool) -> list[dict[str, Any]]:
    """Band, curves of the seeds with a point where each ends, and on top the mean; a formula is a level line."""
    color, level = color_of(curve.model), is_heuristic(curve.model)
    epochs = list(range(1, len(curve.mean) + 1))
    common = {"type": "scatter", "showlegend": False, "marker": {"color": color, "size": 5, "opacity": 0.7}}
    traces: list[dict[str, Any]] = []
    if curve.low and not level:
        traces.append(
            {**common, "mode": "lines", "x": epochs + epochs[::-1], "y": short(curve.high) + short(curve.low)[::-1],
             "fill": "toself", "fillcolor": _faint(color), "line": {"width": 0}, "hoverinfo": "skip"})  # fmt: skip
    if len(curve.seeds) > 1:
        if lines and not level:  # one trace: a gap between two seeds
            gaps = {
                "x": [e for seed in curve.seeds for e in (*range(1, len(seed) + 1), None)],
                "y": [value for seed in curve.seeds for value in (*short(seed), None)],
            }
            traces.append({**common, "mode": "lines", **gaps, "opacity": 0.35, "hoverinfo": "skip",
                           "line": {"color": color, "width": 1}})  # fmt: skip
        ends = [last + 0.4 if level else len(seed) for seed in curve.seeds]
        traces.append(
            {**common, "mode": "markers", "x": ends, "y": short([seed[-1] for seed in curve.seeds]),
             "hovertemplate": f"%{{y:.1f}}, one seed<extra>{escape(curve.model)}</extra>"})  # fmt: skip
    x, y = ([0.5, last + 0.5], [curve.mean[-1]] * 2) if level else (epochs, curve.mean)
    hover = "%{y:.1f}, no training" if level else "%{y:.1f} after %{x} epochs"
    traces.append(
        {**common, "mode": "lines" if len(y) > 1 else "markers", "name": curve.model, "x": x, "y": short(y),
         "line": {"color": color, "width": 2, "dash": dash(curve.model)},
         "hovertemplate": f"{hover}<extra>{escape(curve.model)}</extra>"})  # fmt: skip
    return traces


def dash(model: str) -> str:
    return "dash" if is_heuristic(model) else "dot" if is_baseline(model) else "solid"


def short(values: Sequence[float]) -> list[float]:
    return [round(value, 2) for value in values]


def _faint(color: str) -> str:
    return f"rgba({int(color[1:3], 16)},{int(color[3:5], 16)},{int(color[5:7], 16)},0.16)"


def _apart(places: Sequence[float], room: float, bottom: float, top: float) -> list[float]:
    """The places moved as little as it takes for neighbors to have room.

    Examples
    --------
    >>> [round(y, 2) for y in _apart([0.90, 0.91, 0.5], 0.04, 0.4, 1.0)]
    [0.89, 0.93, 0.5]
    >>> [round(y, 2) for y in _apart([0.99, 1.0, 0.4], 0.04, 0.4, 1.0)]  # none goes beyond an end
    [0.94, 0.98, 0.42]
    """
    order = sorted(range(len(places)), key=lambda i: places[i])
    groups: list[list[Any]] = []  # [members, center]
    for i in order:
        groups.append([[i], places[i]])
        while len(groups) > 1 and groups[-1][1] - groups[-2][1] < room * (len(groups[-1][0]) + len(groups[-2][0])) / 2:
            (a, x), (b, y) = groups[-2:]
            groups[-2:] = [[a + b, (x * len(a) + y * len(b)) / (len(a) + len(b))]]
    moved = [0.0] * len(places)
    for members, center in groups:
        start = center - room * (len(members) - 1) / 2
        start = max(bottom + room / 2, min(start, top - room * (len(members) - 0.5)))
        for k, i in enumerate(members):
            moved[i] = start + room * k
    return moved
