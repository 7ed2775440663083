"""The picture of "Look into it": ROC, calibration, scores by distance or the confusion, as plotly's JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...learn.nets import colour_of
from ...studies.density import corrected, learnt_share
from ...studies.judged import Scored, calibration, confusion, roc
from .figures import dash, short

_YES, _NO = "#404a5c", "#aeb8c6"  # no model's colours
_CHANCE = {"color": "#98a2b3", "width": 1, "dash": "dot"}


def look_figure(
    scored: Mapping[str, Scored], chosen: str, areas: Mapping[str, float], prior: float | None
) -> dict[str, Any]:
    """ROC of every model with its area; of the ``chosen`` one calibration, and scores by distance or confusion.

    ``prior`` is the share of positives in the graph, None where that is not what the task is about.
    """
    judged = scored[chosen]
    several = judged.task.num_classes > 2
    low = several or judged.task.p == 1  # by classes, in one row; else also by distance, in a second
    sheet = _Sheet(320 if low else 580)
    upper = (0.0, 1.0) if low else (0.6, 1.0)
    at = sheet.axes("ROC, test sets", (0.0, 0.27), upper, "negatives taken for positives", "positives found")
    _add_roc(sheet, at, scored, chosen, areas)
    what = "share judged right" if several else "share of positives"
    at = sheet.axes(f"{chosen}: calibration", (0.36, 0.63), upper, "score", what)
    _add_calibration(sheet, at, judged, prior)
    legends = {"legend": {"x": 0.66 if not low else 0.0, "y": 1.0 if not low else -0.28, "yanchor": "top"}}
    names = judged.task.class_names
    if low:
        at = sheet.axes(f"{chosen}: rows are the truth", (0.74, 1.0), upper, "given", "", range=None, type="category")
        _add_confusion(sheet, at, judged, names)
        legends["legend"]["orientation"] = "h"
    else:
        panels = _by_distance(judged)
        wide = (1 + 0.05) / max(1, len(panels))
        for k, (title, here) in enumerate(panels):
            at = sheet.axes(
                title, (k * wide, (k + 1) * wide - 0.05), (0.0, 0.36), "score", "test sets" if not k else ""
            )
            sheet.layout["yaxis" + at["yaxis"][1:]].pop("range")
            _add_scores(sheet, at, judged, here, names, first=not k)
        legends["legend2"] = {"x": 0.0, "y": 0.46, "yanchor": "top", "orientation": "h"}
    return {"data": sheet.traces, "layout": {**sheet.layout, **legends}}


class _Sheet:
    """A figure of several pairs of axes."""

    def __init__(self, height: int) -> None:
        self.traces: list[dict[str, Any]] = []
        self.layout: dict[str, Any] = {
            "height": height, "margin": {"l": 48, "r": 10, "t": 30, "b": 66}, "barmode": "group", "bargap": 0.1,
            "hovermode": "closest", "annotations": []}  # fmt: skip
        if height < 400:
            self.layout["margin"]["b"] = 96  # the legend is below

    def axes(
        self,
        title: str,
        x: tuple[float, float],
        y: tuple[float, float],
        below: str,
        beside: str,
        range: Any = (0, 1.01),
        **more: Any,
    ) -> dict[str, str]:
        """Another pair of axes in this part of the figure; what a trace says to be drawn on it."""
        number = str(sum(key.startswith("xaxis") for key in self.layout) + 1)
        number = "" if number == "1" else number
        common = {"nticks": 6, **more} if range is None else {"nticks": 6, "range": list(range), **more}
        self.layout[f"xaxis{number}"] = {"domain": x, "anchor": f"y{number}", "title": {"text": below}, **common}
        self.layout[f"yaxis{number}"] = {"domain": y, "anchor": f"x{number}", "title": {"text": beside}, **common}
        self.layout["annotations"].append(
            {"x": sum(x) / 2, "y": y[1], "xref": "paper", "yref": "paper", "xanchor": "center", "yanchor": "bottom",
             "showarrow": False, "text": title, "font": {"size": 12}})  # fmt: skip
        return {"xaxis": f"x{number}", "yaxis": f"y{number}"}

    def add(self, at: Mapping[str, str], **trace: Any) -> None:
        self.traces.append({"type": "scatter", "mode": "lines", **at, **trace})


def _add_roc(
    sheet: _Sheet, at: dict[str, str], scored: Mapping[str, Scored], chosen: str, areas: Mapping[str, float]
) -> None:
    sheet.add(at, x=[0, 1], y=[0, 1], line=_CHANCE, hoverinfo="skip", showlegend=False)
    for model, judged in sorted(scored.items(), key=lambda item: -areas[item[0]]):
        x, y = roc(judged)
        line = {"color": colour_of(model), "width": 3 if model == chosen else 1.5, "dash": dash(model)}
        name = f"{model}, AUC {100 * areas[model]:.1f}"
        said = "%{y:.2f} of the positives, %{x:.2f} of the negatives" + f"<extra>{model}</extra>"
        sheet.add(at, x=short(x.tolist()), y=short(y.tolist()), name=name, line=line, hovertemplate=said)


def _add_calibration(sheet: _Sheet, at: dict[str, str], judged: Scored, prior: float | None) -> None:
    """How often sets of a score are positive: in the test set, and in the whole graph."""
    found = calibration(judged, prior)
    sheet.add(at, x=[0, 1], y=[0, 1], line=_CHANCE, hoverinfo="skip", showlegend=False)
    score = short(found["score"].tolist())
    kinds = {"observed": ("in the test set", "circle", _YES), "graph": ("in the graph", "diamond-open", _YES)}
    for kind, (where, symbol, colour) in kinds.items():
        if kind in found:
            said = f"%{{y:.3f}} {where} at a score of about %{{x:.2f}}<extra></extra>"
            sheet.add(
                at, x=score, y=short(found[kind].tolist()), mode="markers", name=where, hovertemplate=said,
                marker={"color": colour, "symbol": symbol, "size": 8}, cliponaxis=False)  # fmt: skip
    if prior is not None:
        grid = np.linspace(0, 1, 101)
        said = "%{x:.2f} stands for %{y:.3f}<extra></extra>"
        x, y = short(grid.tolist()), short(corrected(grid, prior, learnt_share(judged.task)).tolist())
        sheet.add(at, x=x, y=y, name="corrected score", line={"color": _YES, "width": 1.5}, hovertemplate=said)


def _add_confusion(sheet: _Sheet, at: dict[str, str], judged: Scored, classes: Sequence[str]) -> None:
    counts = confusion(judged).tolist()
    sheet.traces.append(
        {"type": "heatmap", **at, "z": counts, "x": list(classes), "y": list(classes), "text": counts,
         "texttemplate": "%{text}", "colorscale": "Cividis", "showscale": False,
         "hovertemplate": "truth %{y}, given %{x}: %{z}<extra></extra>"})  # fmt: skip
    sheet.layout["yaxis" + at["yaxis"][1:]]["autorange"] = "reversed"


def _add_scores(
    sheet: _Sheet, at: dict[str, str], judged: Scored, here: Any, classes: Sequence[str], first: bool
) -> None:
    for label, colour in ((1, _YES), (0, _NO)):
        values = judged.probability[here & (judged.task.test.labels == label)]
        counts, edges = np.histogram(values, bins=10, range=(0, 1))
        sheet.traces.append(
            {"type": "bar", **at, "x": ((edges[1:] + edges[:-1]) / 2).round(2).tolist(), "y": counts.tolist(),
             "name": classes[label], "legendgroup": classes[label], "showlegend": first, "legend": "legend2",
             "marker": {"color": colour, "pattern": {"shape": "" if label else "/"}},
             "hovertemplate": f"%{{y}} {classes[label]}, score about %{{x}}<extra></extra>"})  # fmt: skip


def _by_distance(scored: Scored) -> list[tuple[str, Any]]:
    """At most four groups of test sets by the distance between their targets: (title, which)."""
    values, counts = np.unique(scored.distance, return_counts=True)
    near = [int(v) for v in values[values > 0]]
    shown = near[:3] if len(near) > 3 else near
    panels = [(f"distance {v}, {int(counts[values == v][0])} sets", scored.distance == v) for v in shown]
    rest = (scored.distance > shown[-1]) if shown else np.zeros(len(scored.distance), dtype=bool)
    rest |= scored.distance < 0
    if rest.any():
        further = bool(shown) and (scored.distance > shown[-1]).any()
        far = f"distance {shown[-1] + 1} or more" if further else "unreachable"
        panels.append((f"{far}, {int(rest.sum())} sets", rest))
    return panels
