"""What plotly's pictures share: ink and grid, and that they take the colours of the page where they are shown."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

CONFIG = {
    "displaylogo": False,
    "modeBarButtonsToRemove": ["sendDataToCloud", "sendChartToCloud", "lasso2d", "select2d"],
}
"""For ``fig.show(config=CONFIG)``: no logo, and no button that sends data away."""

WIDEST = 840  # pixels that a notebook has beside the file browser of JupyterLab, on a laptop
INK, GRID = "#1f2328", "rgba(127, 127, 127, 0.25)"
LOOK: dict[str, Any] = {
    "template": "plotly_white",
    "font": {"family": "system-ui, sans-serif", "size": 13, "color": INK},
    "paper_bgcolor": "white",
    "plot_bgcolor": "white",
}
"""For ``fig.update_layout``."""


class Themed(go.Figure):
    """A figure that takes the colours of the page where it is shown; in a file it stays dark on white."""

    def _ipython_display_(self) -> None:
        from IPython.display import HTML, display

        display(HTML(_THEME))
        go.Figure(self).update_layout(paper_bgcolor="rgba(0,0,0,0)", plot_bgcolor="rgba(0,0,0,0)").show(config=CONFIG)


# Of the figure in the next output, what is written in INK (text inside coloured cells is not) in the page's colour.
_THEME = """<style class="de-theme">
.jp-OutputArea-child:has(.de-theme) + .jp-OutputArea-child .js-plotly-plot text[style*="fill: rgb(31, 35, 40)"] {
fill: var(--jp-ui-font-color1) !important; }
</style>"""
