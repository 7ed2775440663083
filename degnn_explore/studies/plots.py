"""The dot plot of a study: every seed, our mean with its interval, and the paper's number."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..common.errors import ParameterError
from ..common.style import GRID, LAYOUT, MAX_WIDTH, themed
from ..learn.metrics import metric_name
from ..learn.registry import color_of
from .paper_table import Result

_PAPER = "#8a8f98"  # visible on white and on black
_ACROSS = 2  # panels side by side
_LINE = 24  # height of a model in pixels


def dot_plot(results: Sequence[Result], title: str) -> go.Figure:
    """A panel for each task and graph, a line for each model: seeds are dots, our mean a diamond, the paper's a bar."""
    headings = [heading for heading in dict.fromkeys(one.heading for one in results)]
    if not any(one.scores for one in results):
        raise ParameterError("There is no finished run to plot; run the study first.")
    across = min(_ACROSS, len(headings))
    down = -(-len(headings) // across)
    groups = [[one for one in results if one.heading == heading] for heading in headings]
    height = sum(_LINE * max(map(len, groups[row * across : (row + 1) * across])) + 90 for row in range(down)) + 90
    names = [metric_name(group[0].metric) for group in groups]
    titles = [escape(f"{heading}, {name} %") for heading, name in zip(headings, names, strict=True)]
    made = make_subplots(
        down, across, subplot_titles=titles, horizontal_spacing=0.2, vertical_spacing=70 / height,
        row_heights=[max(map(len, groups[row * across : (row + 1) * across])) for row in range(down)])  # fmt: skip
    for place, group in enumerate(groups):
        where = {"row": place // across + 1, "col": place % across + 1}
        for trace in _panel(group, legend=place == 0):
            made.add_trace(trace, **where)
        names = [one.model for one in reversed(group)]
        made.update_yaxes(tickvals=list(range(len(names))), ticktext=names, range=[-0.6, len(names) - 0.4], **where)
    figure = themed(made)
    figure.update_layout(
        title={"text": escape(title), "x": 0.02, "xanchor": "left", "font": {"size": 16}},
        legend={"orientation": "h", "y": 1, "yref": "container", "yanchor": "top", "x": 1, "xanchor": "right"},
        margin={"t": 80, "l": 110, "r": 20, "b": 40},
        width=MAX_WIDTH if across > 1 else 520,
        height=height,
        **LAYOUT,
    )
    figure.update_annotations(font={"size": 13})
    figure.update_xaxes(gridcolor=GRID, zeroline=False).update_yaxes(gridcolor=GRID, zeroline=False)
    return figure


def _panel(group: Sequence[Result], legend: bool) -> list[go.Scatter]:
    """The traces of a panel, bottom layer first: the paper's marks, the seeds, our means."""
    lines = {one.model: line for line, one in enumerate(reversed(group))}
    published = [one for one in group if one.paper is not None]
    ours = [one for one in group if one.scores]
    dots = [(one.model, seed, score) for one in ours for seed, score in enumerate(one.scores)]
    shifts = [shift for one in ours for shift in _spread(one)]
    heights = [lines[model] + shift for (model, *_), shift in zip(dots, shifts, strict=True)]
    return [
        _marks(
            "the paper, ± 95%", [float(one.paper or 0) for one in published], [lines[one.model] for one in published],
            [f"{escape(one.model)}, the paper" for one in published], legend,
            marker={"symbol": "line-ns", "size": 16, "line": {"width": 3, "color": _PAPER}, "color": _PAPER},
            error_x=_error([one.paper_half for one in published], _PAPER)),
        _marks(
            "a seed", [score for *_, score in dots], heights,
            [f"{escape(model)}, seed {seed}" for model, seed, _ in dots], legend,
            marker={"size": 5, "color": [color_of(model) for model, *_ in dots], "opacity": 0.45}),
        _marks(
            "ours, mean ± 95%", [float(one.mean or 0) for one in ours], [lines[one.model] for one in ours],
            [f"{escape(one.model)}, {one.seeds} seeds, {one.compared or 'not in the paper'}" for one in ours], legend,
            marker={"symbol": "diamond", "size": 10, "color": [color_of(one.model) for one in ours],
                    "line": {"width": 1, "color": "white"}},
            error_x=_error([one.half for one in ours], _PAPER, 1.5)),
    ]  # fmt: skip


def _marks(
    name: str, x: Sequence[float], y: Sequence[float], words: list[str], legend: bool, **look: Any
) -> go.Scatter:
    hover = "%{text}: %{x:.2f}<extra></extra>"
    return go.Scatter(
        x=list(x), y=list(y), text=words, mode="markers", name=name, legendgroup=name, showlegend=legend,
        hovertemplate=hover, **look)  # fmt: skip


def _spread(one: Result) -> list[float]:
    """Reproducible vertical jitter, so that seeds with equal scores do not hide each other."""
    return [float(shift) for shift in np.random.default_rng(len(one.scores)).uniform(-0.28, 0.28, len(one.scores))]


def _error(halves: Sequence[float | None], color: str, width: float = 2.0) -> dict[str, Any]:
    return {"array": [half or 0.0 for half in halves], "color": color, "thickness": width, "width": 4}
