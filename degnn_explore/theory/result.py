"""The result of an experiment in the Theory Lab: a table, notes and a plot, which can be saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from os import PathLike
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from ..common.errors import ParameterError, short_repr
from ..common.files import csv_text
from ..common.style import CONFIG, GRID, LAYOUT, MAX_WIDTH, themed
from ..expressive.verdicts import Verdict, distinguish
from ..graphs.graph import needs_graph

if TYPE_CHECKING:
    import pandas
    import plotly.graph_objects as go

__all__ = ["Result", "in_words", "named_pairs", "verdict_table"]

SCALE = "Cividis"  # in every picture: dark where nothing is told apart, yellow where everything is
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "x", "cross", "hexagon", "star")
Picture = tuple["go.Figure", int, int]  # with its usual width and height


@dataclass(frozen=True)
class Result:
    """The outcome of an experiment.

    Attributes
    ----------
    title
        The question.
    table
        The values, a pandas DataFrame.
    notes
        What to know when reading them.
    draw
        Draws the table: a function of the result that returns a plotly figure, its width and its height.

    Examples
    --------
    >>> import pandas as pd
    >>> Result("Verdicts", pd.DataFrame({"1-WL": ["same"]}, index=["hexagon"]), ("exact",))
    Verdicts
             1-WL
    hexagon  same
    Note: exact
    """

    title: str
    table: pandas.DataFrame
    notes: tuple[str, ...] = ()
    draw: Callable[[Any], Picture] = lambda result: draw_verdicts(result)

    def plot(self, width: int | None = None, height: int | None = None) -> go.Figure:
        """The table as a plotly figure; ``width`` and ``height`` in pixels."""
        figure, usual_width, usual_height = self.draw(self)
        wide = width or max(usual_width, min(9 * len(self.title) + 20, 760))
        lines = wrap(self.title, max(wide // 9, 20))  # a letter of this size takes 9 pixels
        more = 22 * (len(lines) - 1)
        figure = themed(figure)
        figure.update_layout(
            title={"text": "<br>".join(map(escape, lines)), "x": 0.02, "xanchor": "left", "font": {"size": 16}},
            margin={"t": figure.layout.margin.t + more},
            width=wide,
            height=height or usual_height + more,
            **LAYOUT,
        )
        return figure.update_xaxes(gridcolor=GRID).update_yaxes(gridcolor=GRID)

    def save(self, path: str | PathLike[str], width: int | None = None, height: int | None = None) -> Path:
        """The plot as ``.html`` (stands alone, works offline), ``.png``, ``.svg`` or ``.pdf``, the table as ``.csv``.

        Pictures need the package kaleido and a Chrome or Chromium.
        """
        path = Path(path)
        kind = path.suffix.lower()
        if not path.absolute().parent.is_dir():
            raise ParameterError(f"There is no folder {path.parent}; create it first, or save somewhere else.")
        if kind == ".csv":
            path.write_text(csv_text(self.table), encoding="utf-8")
        elif kind in (".html", ".htm"):
            self.plot(width, height).write_html(path, include_plotlyjs=True, full_html=True, config=CONFIG)
        elif kind in (".png", ".svg", ".pdf"):
            try:
                self.plot(width, height).write_image(path, scale=2 if kind == ".png" else 1)
            except Exception as error:  # kaleido raises its own errors when it, or a browser, is missing
                raise ParameterError(
                    f"{path.name} could not be drawn ({type(error).__name__}: {error}). Pictures need the package "
                    "kaleido and a Chrome or Chromium; a .html file needs neither."
                ) from error
        else:
            raise ParameterError(
                f"{path.name!r} ends in {kind!r}; save the plot as .html, .png, .svg or .pdf, or the table as .csv."
            )
        return path

    def __repr__(self) -> str:
        return "\n".join([self.title, str(self.table), *(f"Note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        notes = "".join(f"<p><i>{escape(note)}</i></p>" for note in self.notes)
        return f"<p><b>{escape(self.title)}</b></p>{self.table.to_html(max_rows=60, notebook=True)}{notes}"


# ---- tables of verdicts -------------------------------------------------------------------------


def named_pairs(caller: str, pairs: Any, *, with_sets: bool = False) -> dict[str, tuple[Any, Any]]:
    """A dict from names to two graphs, or to two (graph, target set); a ParameterError if it is something else."""
    wanted = "two (graph, target set)" if with_sets else "two graphs"
    if not isinstance(pairs, Mapping):
        raise ParameterError(f"{caller} takes a dict of names, each with {wanted}, not a {type(pairs).__name__}.")
    for name, pair in pairs.items():
        sides = pair if isinstance(pair, tuple | list) and len(pair) == 2 else ()
        if not sides or (with_sets and not all(isinstance(side, tuple | list) and len(side) == 2 for side in sides)):
            raise ParameterError(f"{caller}: {name!r} needs {wanted}, not {short_repr(pair)}.")
        for side in sides:
            needs_graph(caller, side[0] if with_sets else side)
    return dict(pairs)


def in_words(verdict: Verdict) -> str:
    """ "layer 2" or "same", as in all tables."""
    return f"layer {verdict.layer}" if verdict.different else "same"


def verdict_table(cases: Mapping[str, tuple[Any, ...]], methods: Mapping[str, Mapping[str, Any]]) -> pandas.DataFrame:
    """A row for each case, a column for each method: a name, and options of ``distinguish``."""
    import pandas as pd

    rows = {
        case: {label: in_words(distinguish(a, b, **options)) for label, options in methods.items()}
        for case, (a, b) in cases.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("pair")


def draw_verdicts(result: Result) -> Picture:
    """Each verdict in a cell, yellow where two are told apart; other columns are left out."""
    table = result.table.select_dtypes(exclude="bool")
    table = table[[c for c in table if table[c].map(lambda v: v == "same" or str(v).startswith("layer ")).all()]]
    level = [[0.0 if verdict == "same" else 1.0 for verdict in row] for row in table.to_numpy()]
    ends = [[0, "#00224e"], [1, "#fee838"]]
    return draw_cells(table.to_numpy().tolist(), level, list(table.index), list(table.columns), ends)


# ---- parts of pictures --------------------------------------------------------------------------


def draw_cells(text: Any, level: Any, rows: Sequence[str], columns: Sequence[str], scale: Any) -> Picture:
    """A heatmap of ``level``, 0 to 1, with a text in each cell."""
    import plotly.graph_objects as go

    x, y = np.arange(len(columns)), np.arange(len(rows))
    look = {"zmin": 0, "zmax": 1, "colorscale": scale, "showscale": False, "xgap": 3, "ygap": 3, "hoverinfo": "skip"}
    figure = go.Figure(go.Heatmap(z=level, x=x, y=y, text=text, texttemplate="%{text}", **look))
    figure.update_xaxes(named_axis(columns, side="top"))
    figure.update_yaxes(named_axis(rows, automargin=True, range=[len(rows) - 0.5, -0.5]))
    figure.update_layout(margin={"t": 95, "b": 30, "l": 20, "r": 20})
    return figure, min(220 + 105 * len(columns), MAX_WIDTH), 135 + 42 * len(rows)


def named_axis(names: Sequence[str], **options: Any) -> dict[str, Any]:
    """An axis with a name at each of 0, 1, 2, ..."""
    ticks = {"tickvals": np.arange(len(names)), "ticktext": [escape(name) for name in names]}
    return {"showgrid": False, "zeroline": False, **ticks, "range": [-0.5, len(names) - 0.5], **options}


def legend_below(y: float) -> dict[str, Any]:
    """A legend in a row under the plot."""
    return {"orientation": "h", "x": 0, "y": y, "yanchor": "top"}
