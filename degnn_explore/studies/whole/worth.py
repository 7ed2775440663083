"""What leaks are worth: the points that each protocol gives beyond the honest one, seed by seed; table and figure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...common.errors import ParameterError
from ...common.numbers import signed
from ...learn.leaks import LEAKS
from ...learn.nets import MODELS, colour_of
from ..beside.leaks import protocol_words
from ..statistics import interval
from .cells import Cell, Known
from .tables import runs_of

if TYPE_CHECKING:
    import pandas

_COLUMNS = "dataset task model protocol seeds points half differences".split()


def worth(cells: Iterable[Cell], known: Known) -> pandas.DataFrame:
    """Points beyond the honest protocol: of each cell that leaks the mean difference of test metrics, in per cent.

    Both runs of a seed have the same split, so differences are taken seed by seed; ``half`` is half the 95 % interval
    of their mean.
    """
    import pandas as pd

    scores: dict[tuple[str, str, str], dict[str, dict[int, float]]] = {}
    for cell in cells:
        done, _, _ = runs_of(cell, known)
        by_seed = {run.seed: 100 * float(run.test or 0) for run in done}
        scores.setdefault((cell.column.name, cell.base.task, cell.model), {})[cell.protocol] = by_seed
    rows = []
    for where, protocols in scores.items():
        honest = protocols.get("honest", {})
        for protocol, values in protocols.items():
            gains = [values[seed] - honest[seed] for seed in sorted(values) if seed in honest]
            if protocol != "honest" and gains:
                rows.append([*where, protocol, len(gains), *interval(gains), gains])
    return pd.DataFrame(rows, columns=_COLUMNS)


def worth_figure(table: pandas.DataFrame) -> Any:
    """The table as a plotly figure: a row for each leak, a dot for each seed, a mark with its value for the mean."""
    from plotly.subplots import make_subplots

    from ...common.figures import GRID, LOOK, WIDEST, Themed

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
                marker={"color": colour_of(model), "opacity": 0.35, "symbol": symbols[model]}, **how,
                row=1, col=number)  # fmt: skip
            figure.add_scatter(
                x=own.points, y=[protocol_words(name) for name in own.protocol], showlegend=number == 1,
                mode="markers+text",
                text=[signed(points) for points in own.points], textposition="top center", textfont={"size": 10},
                marker={"color": colour_of(model), "size": 11, "symbol": symbols[model], "line": {"width": 1}},
                hovertemplate="%{y}: %{x:+.2f} points<extra>" + model + "</extra>", **how,
                row=1, col=number)  # fmt: skip
        figure.add_vline(x=0, line={"width": 1, "color": "#8a8f98"}, row=1, col=number)
    figure.update_yaxes(categoryorder="array", categoryarray=[protocol_words(name) for name in reversed(order)])
    tall = 150 + (20 + 24 * table.model.nunique()) * len(order)
    shown = Themed(figure)
    shown.update_layout(width=WIDEST, height=tall, margin={"l": 10, "r": 10, "t": 40}, scattermode="group", **LOOK)
    shown.update_layout(legend={"orientation": "h", "y": -60 / tall, "yanchor": "top"})
    shown.update_annotations(font={"size": 13})
    shown.update_xaxes(gridcolor=GRID, zeroline=False).update_yaxes(gridcolor=GRID)
    return shown


_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "x", "star")
