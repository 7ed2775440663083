"""The pictures of the Theory Lab, in plotly, and how they are saved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from pathlib import Path
from textwrap import wrap
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.colors import sample_colorscale
from plotly.subplots import make_subplots

from ..common.errors import ParameterError
from ..common.figures import CONFIG, GRID, INK, LOOK, WIDEST, Themed
from ..common.files import csv_text
from ..common.palette import ACCENT, categorical, text_on
from .finding import Finding

__all__ = ["CONFIG", "draw", "save"]

_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "x", "cross", "hexagon", "star")
_SCALE = "Cividis"  # from dark, nothing told apart, to yellow, everything: in every picture of this room
_APART, _ALIKE = "#fee838", "#00224e"  # its ends
_PLAIN = {"showgrid": False, "zeroline": False}
Picture = tuple[go.Figure, int, int]  # with its usual width and height


def draw(finding: Finding, width: int | None = None, height: int | None = None) -> go.Figure:
    """The figure of a finding.

    Examples
    --------
    >>> from degnn_explore import theory
    >>> figure = draw(theory.corollary_3_8())
    >>> figure.layout.title.text
    'DEA-GNN-1 with K hops: the first layer that tells two target nodes apart'
    """
    made, default_width, default_height = _PICTURES[finding.picture](finding)
    wide = width or max(default_width, min(9 * len(finding.title) + 20, 760))
    title = wrap(finding.title, max(wide // 9, 20))  # 9 pixels hold a letter of this size
    more = 22 * (len(title) - 1)
    figure = Themed(made)
    figure.update_layout(
        title={"text": "<br>".join(map(escape, title)), "x": 0.02, "xanchor": "left", "font": {"size": 16}},
        margin={"t": made.layout.margin.t + more},
        width=wide,
        height=(height or default_height + more),
        **LOOK,
    )
    figure.update_xaxes(gridcolor=GRID).update_yaxes(gridcolor=GRID)
    return figure


def save(finding: Finding, path: Path, width: int | None = None, height: int | None = None) -> Path:
    """The figure as a file of the kind that its name ends in; ``.csv``: the table."""
    kind = path.suffix.lower()
    if not path.absolute().parent.is_dir():
        raise ParameterError(f"There is no folder {path.parent}; make it first, or save somewhere else.")
    if kind == ".csv":
        path.write_text(csv_text(finding.table), encoding="utf-8")
    elif kind in (".html", ".htm"):
        draw(finding, width, height).write_html(path, include_plotlyjs=True, full_html=True, config=CONFIG)
    elif kind in (".png", ".svg", ".pdf"):
        try:
            draw(finding, width, height).write_image(path, scale=2 if kind == ".png" else 1)
        except Exception as error:  # kaleido raises errors of its own when it, or a browser, is missing
            raise ParameterError(
                f"{path.name} could not be drawn ({type(error).__name__}: {error}). Pictures need the "
                "package kaleido and a Chrome or Chromium; a .html file needs neither."
            ) from error
    else:
        raise ParameterError(
            f"{path.name!r} ends in {kind!r}; the plot can be saved as .html, .png, .svg or .pdf, and "
            "the table as .csv."
        )
    return path


# ---- fractions over sizes and layers ------------------------------------------------------------


def _number(value: float) -> str:
    """A fraction in at most four characters: 1, .61, 2e-4, 0."""
    if np.isnan(value):
        return ""
    if value in (0.0, 1.0):
        return f"{value:.0f}"
    if value >= 0.995:
        return ".99+"
    if value >= 0.01:
        return f"{value:.2f}"[1:]
    mantissa, exponent = f"{value:.0e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def _layers(finding: Finding) -> Picture:
    table = finding.table
    methods, sizes = list(dict.fromkeys(table["method"])), list(dict.fromkeys(table["n"]))
    top = int(table["layers"].max())
    names = [method if method not in ("float64", "float32") else f"random network, {method}" for method in methods]
    titles = names if len(methods) > 1 else None
    figure = make_subplots(1, len(methods), subplot_titles=titles, shared_yaxes=True, horizontal_spacing=0.03)
    for place, method in enumerate(methods, start=1):
        grid = table[table["method"] == method].pivot(index="layers", columns="n", values="undistinguished")[sizes]
        shares, x = grid.to_numpy(), np.arange(len(sizes))
        said = "n = %{customdata}, L = %{y}: %{z:.4g} not told apart<extra></extra>"  # 1 is dark
        look = {"coloraxis": "coloraxis", "xgap": 1, "ygap": 1, "hovertemplate": said}
        heat = go.Heatmap(z=shares, x=x, y=grid.index, customdata=np.tile(np.array(sizes), (len(grid), 1)), **look)
        text = [[_number(v) for v in row] for row in shares]
        for trace in (heat, _labels(text, shares, x, grid.index, f"{_SCALE}_r", 12), *_edge(table, sizes, place == 1)):
            figure.add_trace(trace, row=1, col=place)
        figure.update_xaxes(_axis(list(map(str, sizes)), title="nodes n"), row=1, col=place)
        left = {"title": "layers L"} if place == 1 else {}
        figure.update_yaxes(tickvals=np.arange(1, top + 1), range=[0.42, top + 0.6], **_PLAIN, **left, row=1, col=place)
    bar = {"title": {"text": "share not told apart", "side": "right"}, "thickness": 14}
    figure.update_layout(
        coloraxis={"colorscale": f"{_SCALE}_r", "cmin": 0, "cmax": 1, "colorbar": bar},
        legend=_legend(-62 / (46 * max(top, 4))),  # 62 pixels down
        margin={"t": 90 if len(methods) > 1 else 60, "b": 100, "l": 60, "r": 20},
    )
    return figure, max(760, 170 + min(max(44 * len(sizes), 230) * len(methods), WIDEST - 170)), 190 + 46 * max(top, 4)


def _axis(names: Sequence[str], **more: Any) -> dict[str, Any]:
    """An axis with a name at each of 0, 1, …"""
    ticks = {"tickvals": np.arange(len(names)), "ticktext": [escape(name) for name in names]}
    return {**_PLAIN, **ticks, "range": [-0.5, len(names) - 0.5], **more}


def _legend(y: float) -> dict[str, Any]:
    return {"orientation": "h", "x": 0, "y": y, "yanchor": "top"}


def _labels(text: Sequence[Sequence[str]], level: Any, x: Any, y: Any, scale: Any, size: int) -> go.Scatter:
    """The text of each cell, white or dark, whichever is clearer on the cell's colour."""
    shares = np.asarray(level, dtype=float)
    fills = sample_colorscale(scale, np.nan_to_num(shares, nan=1.0).ravel().tolist(), colortype="tuple")
    inks = [
        text_on("#" + "".join(f"{round(255 * part):02x}" for part in fill)) if not np.isnan(share) else INK
        for fill, share in zip(fills, shares.ravel(), strict=True)
    ]
    words = [escape(t) for row in text for t in row]
    font = {"size": size, "color": inks}
    x, y = np.tile(x, len(y)), np.repeat(y, len(x))
    return go.Scatter(x=x, y=y, text=words, mode="text", textfont=font, hoverinfo="skip", showlegend=False)


def _edge(table: pd.DataFrame, sizes: Sequence[int], named: bool) -> Iterator[go.Scatter]:
    """The boundary as a line below the first row of cells that the theorem promises to be told apart."""
    bound = table.drop_duplicates("n").set_index("n")["boundary"]
    if bound.isna().any():
        return
    top = int(table["layers"].max())
    x = np.repeat(np.arange(len(sizes)), 2) + np.tile([-0.5, 0.5], len(sizes))
    y = np.repeat([min(int(bound[n]), top + 1) - 0.5 for n in sizes], 2)
    name = "boundary of the theorem: rows above it should be told apart"
    for colour, width in (("#ffffff", 7), (ACCENT, 3)):  # a white halo keeps the line clear of every cell
        line = go.Scatter(x=x, y=y, mode="lines", line={"color": colour, "width": width}, hoverinfo="skip", name=name)
        yield line.update(cliponaxis=False, showlegend=named and colour == ACCENT)


# ---- verdicts and scores ------------------------------------------------------------------------


def _cells(text: list[list[str]], level: list[list[float]], rows: list[str], columns: list[str], scale: Any) -> Picture:
    x, y = np.arange(len(columns)), np.arange(len(rows))
    look = {"zmin": 0, "zmax": 1, "colorscale": scale, "showscale": False, "xgap": 3, "ygap": 3, "hoverinfo": "skip"}
    figure = go.Figure([go.Heatmap(z=level, x=x, y=y, **look), _labels(text, level, x, y, scale, 13)])
    figure.update_xaxes(_axis(columns, side="top"))
    figure.update_yaxes(_axis(rows, automargin=True, range=[len(rows) - 0.5, -0.5]))
    figure.update_layout(margin={"t": 95, "b": 30, "l": 20, "r": 20})
    return figure, min(220 + 105 * len(columns), WIDEST), 135 + 42 * len(rows)


def _verdicts(finding: Finding) -> Picture:
    table = finding.table.select_dtypes(exclude="bool")
    table = table[[c for c in table if table[c].map(lambda v: v == "same" or str(v).startswith("layer ")).all()]]
    level = [[0.0 if v == "same" else 1.0 for v in row] for row in table.to_numpy()]
    scale = [[0, _ALIKE], [1, _APART]]
    return _cells(table.to_numpy().tolist(), level, list(table.index), list(table.columns), scale)


def _scores(finding: Finding) -> Picture:
    table, pairs = finding.table, finding.pairs  # type: ignore[attr-defined]
    methods = [c for c in table.columns if c != "pairs"]

    def words(told: Any, judged: int, all_of_them: int) -> str:
        if not judged:
            return "too large"
        return f"{told:,}" if judged == all_of_them else f"{told:,} of {judged:,}"

    text, level, names = [], [], []
    for name, row in table.iterrows():
        judged = (pairs.loc[pairs["family"] == name, methods] != "too large").sum()
        text.append([words(row[m], judged[m], row["pairs"]) for m in methods])
        level.append([row[m] / judged[m] if judged[m] else float("nan") for m in methods])
        names.append(f"{name} ({row['pairs']:,} {'pair' if row['pairs'] == 1 else 'pairs'})")
    figure, width, height = _cells(text, level, names, methods, _SCALE)
    bar = {"title": {"text": "share told apart", "side": "right"}, "thickness": 14, "tickformat": ".0%"}
    figure.update_traces(showscale=True, colorbar=bar, selector={"type": "heatmap"})
    return figure, min(width + 120, WIDEST), height + 30


# ---- outputs and walks --------------------------------------------------------------------------


def _outputs(finding: Finding) -> Picture:
    from .limits import LOGIT_TOLERANCE

    table = finding.table
    pairs, models = list(dict.fromkeys(table["pair"])), list(dict.fromkeys(table["model"]))
    figure = go.Figure()
    for i, (model, colour) in enumerate(zip(models, categorical(len(models)), strict=True)):
        gap = table[table["model"] == model].set_index("pair")["difference"].reindex(pairs)
        y = np.arange(len(pairs)) + 0.76 * ((i + 0.5) / len(models) - 0.5)
        marker = {
            "size": 10,
            "color": colour,
            "symbol": _SYMBOLS[i % len(_SYMBOLS)],
            "line": {"width": 1, "color": INK},
        }
        said = "%{customdata:.2e}<extra>" + escape(model) + "</extra>"
        points = go.Scatter(x=gap.clip(lower=1e-9), y=y, mode="markers", marker=marker, name=escape(model))
        figure.add_trace(points.update(customdata=gap, hovertemplate=said))
    figure.add_vline(x=LOGIT_TOLERANCE, line={"color": ACCENT, "dash": "dash", "width": 2})
    place = {"x": np.log10(LOGIT_TOLERANCE), "y": 1, "yref": "paper", "yanchor": "bottom", "xanchor": "left"}
    figure.add_annotation(**place, text="told apart →", font={"color": ACCENT}, showarrow=False)
    powers = ["0", *(f"10<sup>{k}</sup>" for k in range(-8, 0)), "1"]
    figure.update_xaxes(type="log", range=[-9.3, 0.5], tickvals=[10.0**k for k in range(-9, 1)], ticktext=powers)
    figure.update_xaxes(title="largest difference of two outputs, relative", zeroline=False)
    names = [escape(p) for p in pairs]
    figure.update_yaxes(tickvals=np.arange(len(pairs)), ticktext=names, automargin=True, zeroline=False)
    figure.update_yaxes(autorange="reversed")
    figure.update_layout(legend=_legend(-0.2), margin={"t": 80, "b": 110, "l": 20, "r": 30})
    return figure, 860, 210 + 62 * len(pairs)


def _walks(finding: Finding) -> Picture:
    table = finding.table[finding.table["length"] > 0]  # after no step the walk is where it began
    distances = sorted(set(table["distance"]))
    figure = go.Figure()
    for j, colour in zip(distances, categorical(len(distances)), strict=True):
        own = table[table["distance"] == j]
        said = "%{customdata:,} walks of %{x} steps, probability %{y:.4g}" + f"<extra>distance {j}</extra>"
        line = go.Scatter(x=own["length"], y=own["probability"], mode="lines+markers", name=f"distance {j}")
        marker = {"size": 10, "symbol": _SYMBOLS[j % len(_SYMBOLS)]}
        line.update(line={"color": colour, "width": 2}, marker=marker, cliponaxis=False)
        figure.add_trace(line.update(customdata=own["walks"], hovertemplate=said))
    figure.update_xaxes(title="steps of the walk", dtick=1, zeroline=False)
    top = table["probability"].max()
    figure.update_yaxes(title="probability to be at a given node", range=[-0.07 * top, 1.08 * top], zeroline=False)
    figure.update_layout(legend=_legend(-0.22), margin={"t": 60, "b": 100, "l": 70, "r": 20})
    return figure, 760, 430


_PICTURES: dict[str, Callable[[Finding], Picture]] = {
    "layers": _layers,
    "verdicts": _verdicts,
    "scores": _scores,
    "outputs": _outputs,
    "walks": _walks,
}
