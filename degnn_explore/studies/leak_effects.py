"""The effect of leaks: the points that each protocol gains over the honest one, seed by seed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..common.errors import ParameterError
from ..common.style import signed
from ..learn.leaks import LEAKS
from ..learn.registry import MODELS, color_of
from .paper_table import Reading, Result
from .statistics import interval

if TYPE_CHECKING:
    import pandas

_COLUMNS = "dataset task model protocol seeds points half differences".split()


def leak_effects(results: Iterable[Result]) -> pandas.DataFrame:
    """For each leaking cell, the mean difference of its test metric from the honest protocol, in points.

    Both runs of a seed have the same split, so differences are taken seed by seed; ``half`` is half the 95% interval
    of their mean.
    """
    import pandas as pd

    scores: dict[tuple[str, str, str], dict[str, dict[int, float]]] = {}
    for one in results:
        by_seed = {run.seed: 100 * float(run.test or 0) for run in one.runs}
        scores.setdefault((one.graph, one.task, one.model), {})[one.protocol] = by_seed
    rows = []
    for where, protocols in scores.items():
        honest = protocols.get("honest", {})
        for protocol, values in protocols.items():
            gains = [values[seed] - honest[seed] for seed in sorted(values) if seed in honest]
            if protocol != "honest" and gains:
                rows.append([*where, protocol, len(gains), *interval(gains), gains])
    return pd.DataFrame(rows, columns=_COLUMNS)


def leak_figure(table: pandas.DataFrame) -> Any:
    """The table as a plotly figure: a row for each leak, a dot for each seed, and the mean with its value."""
    from plotly.subplots import make_subplots

    from ..common.style import GRID, LAYOUT, MAX_WIDTH, themed

    if not len(table):
        raise ParameterError("No leak has a seed in common with the honest protocol yet; run the study first.")
    places = list(dict.fromkeys(zip(table.dataset, table.task, strict=True)))
    order = [name for name in [*LEAKS, "paper"] if name in set(table.protocol)]
    order[len(order) - ("paper" in order) : len(order) - ("paper" in order)] = sorted({*table.protocol} - {*order})
    titles, axis = [f"{g}, {task}" for g, task in places], "points beyond the honest protocol"
    figure = make_subplots(1, len(places), shared_yaxes=True, subplot_titles=titles, x_title=axis)
    symbols = {model: symbol for model, symbol in zip(MODELS, _SYMBOLS * len(MODELS), strict=False)}
    for number, (dataset, task) in enumerate(places, start=1):
        for model in [name for name in MODELS if name in set(table.model)]:
            own = table[(table.dataset == dataset) & (table.task == task) & (table.model == model)]
            dots = [(gain, protocol_words(row.protocol)) for row in own.itertuples() for gain in row.differences]
            how: dict[str, Any] = {"legendgroup": model, "name": model, "offsetgroup": model, "orientation": "h"}
            figure.add_scatter(
                x=[gain for gain, _ in dots], y=[name for _, name in dots], mode="markers",
                showlegend=False, hoverinfo="skip",
                marker={"color": color_of(model), "opacity": 0.35, "symbol": symbols[model]}, **how,
                row=1, col=number)  # fmt: skip
            figure.add_scatter(
                x=own.points, y=[protocol_words(name) for name in own.protocol], showlegend=number == 1,
                mode="markers+text",
                text=[signed(points) for points in own.points], textposition="top center", textfont={"size": 10},
                marker={"color": color_of(model), "size": 11, "symbol": symbols[model], "line": {"width": 1}},
                hovertemplate="%{y}: %{x:+.2f} points<extra>" + model + "</extra>", **how,
                row=1, col=number)  # fmt: skip
        figure.add_vline(x=0, line={"width": 1, "color": "#8a8f98"}, row=1, col=number)
    figure.update_yaxes(categoryorder="array", categoryarray=[protocol_words(name) for name in reversed(order)])
    tall = 150 + (20 + 24 * table.model.nunique()) * len(order)
    shown = themed(figure)
    shown.update_layout(width=MAX_WIDTH, height=tall, margin={"l": 10, "r": 10, "t": 40}, scattermode="group", **LAYOUT)
    shown.update_layout(legend={"orientation": "h", "y": -60 / tall, "yanchor": "top"})
    shown.update_annotations(font={"size": 13})
    shown.update_xaxes(gridcolor=GRID, zeroline=False).update_yaxes(gridcolor=GRID)
    return shown


_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "x", "star")


def read_leak_effects(table: pandas.DataFrame, model: str | None = None) -> Reading:
    """For each task and graph, the leaks by their effect on a model; ± is half the 95% interval over seeds."""
    if not len(table):
        raise ParameterError("No leak has a seed in common with the honest protocol yet; run the study first.")
    parts = []
    for (dataset, task, name), rows in table.groupby(["dataset", "task", "model"], sort=False):
        if model is None or name == model:
            listed: list[Any] = list(rows.itertuples())
            ordered = sorted(listed, key=lambda row: (row.protocol == "paper", -row.points))
            parts.append((f"{dataset}, {task}, {name}:", f"{'; '.join(map(_gain, ordered))}."))
    if not parts:
        raise ParameterError(f"No leak of {model!r} was measured; choose one of {', '.join(sorted(set(table.model)))}.")
    return Reading(tuple(parts))


def protocol_words(protocol: str) -> str:
    """The name of a protocol for people; several leaks are counted, not listed.

    Examples
    --------
    >>> protocol_words("gradients_not_reset"), protocol_words("a + b + c"), protocol_words("paper")
    ('gradients not reset', '3 of the published code', 'all together, as published')
    """
    names = protocol.split(" + ")
    if protocol == "paper":
        return "all together, as published"
    return f"{len(names)} of the published code" if len(names) > 1 else protocol.replace("_", " ")


def _gain(row: Any) -> str:
    half = f" ± {row.half:.2f}" if row.half is not None and row.half == row.half else ""
    return f"{protocol_words(row.protocol)} {signed(row.points, 2)}{half}"
