"""A plotly figure on the page, in the page's colours."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import plotly
import plotly.graph_objects as go
import traitlets

from .messages import PageWidget, script, whole
from .sheet import STYLE


@cache
def _library() -> bytes:
    """Plotly, as it is installed, for the page to import; nothing is fetched."""
    file = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    # it asks for a CommonJS module first, and would else put itself on the page's window
    before, after = (
        b"const module = { exports: {} }; const exports = module.exports;",
        b";export default module.exports;",
    )
    return b"\n".join([before, file.read_bytes(), after])


class Chart(PageWidget):
    """A plotly figure as a synced trait, so that a page reload shows the latest one; drawn in the page's colours.

    The page asks for plotly itself, once; a state of 5 MB for each chart would be sent with every reload.
    """

    _esm = script("late", "chart")
    _css = STYLE

    figure: Any = traitlets.Dict({"data": [], "layout": {}}).tag(sync=True)
    description = traitlets.Unicode("").tag(sync=True)  # what the chart shows, for those who cannot see it
    serial = traitlets.Int(0).tag(sync=True)  # counts the figures shown
    views = traitlets.Int(0)  # how often the page that was last touched shows the chart

    def __init__(self) -> None:
        super().__init__()
        self.hear("views", self._seen, count=whole(lambda: 1000))
        self.hear("library", lambda: self.send({"type": "library"}, [_library()]))

    def _seen(self, count: int) -> None:
        self.views = count

    def show(self, figure: go.Figure | dict[str, Any], description: str = "") -> None:
        """Shows another figure, in one message; a dictionary is taken as plotly's JSON."""
        made = figure if isinstance(figure, dict) else _plain(figure)
        if made == self.figure and description == self.description:
            return  # the browser would draw the same again
        with self.hold_sync():
            self.serial += 1
            self.description = description
            self.figure = made


def _plain(figure: go.Figure) -> dict[str, Any]:
    made = figure.to_plotly_json()
    made["layout"].pop("template", None)  # half a megabyte of defaults; the page's own colours are used
    return {"data": [_lists(trace) for trace in made["data"]], "layout": _lists(made["layout"])}


def _lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _lists(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    return [_lists(item) for item in value] if isinstance(value, list | tuple) else value
