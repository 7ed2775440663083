"""One look everywhere: colors that color-blind readers can tell apart, signed numbers, plotly figures."""

from __future__ import annotations

from collections.abc import Iterable
from colorsys import hls_to_rgb
from functools import cache
from itertools import product
from math import dist
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import plotly.graph_objects as go

ACCENT = "#d55e00"  # rings of targets and branches that differ; no class is filled with it

# Okabe–Ito without black (invisible on a dark page) and without vermilion (the accent).
_OKABE_ITO = "#0072b2 #e69f00 #009e73 #cc79a7 #56b4e9 #f0e442".split()


def _rgb(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def _blend(a: str, b: str, share: float) -> str:
    return "#" + "".join(f"{round(x + (y - x) * share):02x}" for x, y in zip(_rgb(a), _rgb(b), strict=True))


def categorical(count: int) -> list[str]:
    """``count`` colors for classes: Okabe–Ito, then darker and paler rounds of it.

    Colors repeat after 18; a class also carries its mark, so color never stands alone.
    """
    rounds = (("#000000", 0.0), ("#000000", 0.45), ("#ffffff", 0.55))
    colors = [_blend(color, shade, share) for shade, share in rounds for color in _OKABE_ITO]
    return [colors[i % len(colors)] for i in range(count)]


def text_on(color: str) -> str:
    """White or near-black, whichever has the higher contrast (WCAG) on ``color``."""
    luminance = _luminance(color)
    return "#ffffff" if 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.058 else "#16181d"


def _luminance(color: str) -> float:
    shares = [channel / 255 for channel in _rgb(color)]
    red, green, blue = (s / 12.92 if s <= 0.03928 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def distinct(used: Iterable[str]) -> str:
    """The color furthest from the used ones, among those that show on light and on dark pages.

    >>> distinct(["#0072b2", "#d55e00"])
    '#e232e2'
    """
    others = [_rgb(color) for color in used]
    candidates = []
    for hue, lightness, saturation in product(range(24), (0.34, 0.44, 0.54), (0.35, 0.55, 0.75)):
        channels = hls_to_rgb(hue / 24, lightness, saturation)
        color = "#" + "".join(f"{round(255 * channel):02x}" for channel in channels)
        if 0.13 <= _luminance(color) <= 0.3:  # a contrast of at least three to white and to near-black
            candidates.append(color)
    return max(candidates, key=lambda color: min(dist(_rgb(color), other) for other in others))


# ---- numbers ------------------------------------------------------------------------------------


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "node"), counted(2_000, "node"), counted(0, "class", "classes")
    ('1 node', '2,000 nodes', '0 classes')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


MINUS = "−"  # as wide as +; a hyphen is hardly seen, and screen readers skip it


def signed(value: float, digits: int = 1) -> str:
    """A difference with its sign.

    Examples
    --------
    >>> signed(0.4321, 2), signed(-0.38), signed(-0.01), signed(2e-7, -1)
    ('+0.43', '−0.4', '0.0', '+2e-07')
    """
    text = f"{value:+.0e}" if digits < 0 else f"{value:+.{digits}f}"
    if not float(text):
        return text[1:]
    return MINUS + text[1:] if text[0] == "-" else text


# ---- plotly figures -----------------------------------------------------------------------------

CONFIG = {
    "displaylogo": False,
    "modeBarButtonsToRemove": ["sendDataToCloud", "sendChartToCloud", "lasso2d", "select2d"],
}
"""For ``fig.show(config=CONFIG)``: no logo, and no button that sends data away."""

MAX_WIDTH = 840  # pixels that JupyterLab's file browser leaves for a notebook on a laptop
INK, GRID = "#1f2328", "rgba(127, 127, 127, 0.25)"
LAYOUT: dict[str, Any] = {
    "template": "plotly_white",
    "font": {"family": "system-ui, sans-serif", "size": 13, "color": INK},
    "paper_bgcolor": "white",
    "plot_bgcolor": "white",
}
"""For ``fig.update_layout``."""

# In the figure of the next output, text in INK takes the page's color; text inside colored cells keeps its own.
_THEME = """<style class="de-theme">
.jp-OutputArea-child:has(.de-theme) + .jp-OutputArea-child .js-plotly-plot text[style*="fill: rgb(31, 35, 40)"] {
fill: var(--jp-ui-font-color1) !important; }
</style>"""


def themed(figure: go.Figure) -> go.Figure:
    """A figure that takes the colors of the page it is shown on; in a file it is dark on white."""
    return _themed_class()(figure)


@cache
def _themed_class() -> type[go.Figure]:
    import plotly.graph_objects as go  # slow to import, and the Explorer does not need it

    class ThemedFigure(go.Figure):
        def _ipython_display_(self) -> None:
            from IPython.display import HTML, display

            display(HTML(_THEME))
            clear = "rgba(0,0,0,0)"
            go.Figure(self).update_layout(paper_bgcolor=clear, plot_bgcolor=clear).show(config=CONFIG)

    return ThemedFigure
