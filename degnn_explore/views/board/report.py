"""What a race showed, for those without the board: a still picture in the notebook, and a report as one HTML file."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from ... import __version__
from ...common.errors import ParameterError
from ...studies.comparison import COLUMNS, Comparison
from ...studies.runs import Run
from ..static_html import figure, image, page, table
from ..text import escape, tag
from .chart_svg import chart_svg
from .words import headline, how_sure

_USED = ("torch", "numpy", "scipy", "numba")
_LOOK = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1f2328; background: #fff; max-width: 980px; margin: 24px auto; padding: 0 16px }
h1 { font-size: 24px } h2 { font-size: 18px; margin: 28px 0 8px } p, li { max-width: 75ch } .faint { color: #57606a }
pre { background: #f3f6fa; padding: 12px; overflow-x: auto; font-size: 12px } .wide { overflow-x: auto }
@media print { body { margin: 0 } h2 { break-after: avoid } img, table { break-inside: avoid } }
"""  # noqa: E501


def still(asked: str) -> tuple[str, str]:
    """The same before there is a result."""
    caption = f"Training Board: {asked}. Nothing is trained yet: run this cell and press Race."
    return caption, figure(caption)


@dataclass(frozen=True)
class Story:
    """A race as the board tells it."""

    asked: str  # such as "links of C. elegans"
    figure: dict[str, Any]  # the curves, plotly's JSON
    comparison: Comparison | None
    mistakes: dict[str, Any]  # a table of the page
    whose: str  # the model that makes them
    runs: Sequence[Run]
    code: str

    def still(self) -> tuple[str, str]:
        """A caption, and HTML of curves and table that needs no script."""
        if self.comparison is None:
            return still(self.asked)
        caption = f"Training Board: {self.asked}. {headline(self.comparison)} {how_sure(self.comparison)}"
        return caption, figure(caption, self._chart(), _table(self.comparison))

    def report(self) -> str:
        """The whole page: result, curves, table, mistakes, settings, versions, and the code that repeats the runs."""
        if self.comparison is None:
            raise ParameterError("There is nothing to report yet; train at least one seed of one model.")
        notes = "".join(tag("li", note) for note in self.comparison.notes)
        when = datetime.now(UTC).strftime("%B %d, %Y, %H:%M UTC")
        wrong = self.mistakes.get("rows", [])
        listed = table(self.mistakes["columns"], [row["cells"] for row in wrong]) if wrong else tag("p", "None.")
        ours = {"Python": platform.python_version(), "degnn_explore": __version__}
        used = ours | {name: version(name) for name in _USED}
        machine = f"{platform.system()} {platform.machine()}, device {', '.join(sorted({r.device for r in self.runs}))}"
        parts = [
            tag("h1", f"Training report: {self.asked}"),
            tag("p", headline(self.comparison)),
            tag("p", f"{how_sure(self.comparison)} Written by degnn_explore on {when}.", "faint"),
            *(tag("h2", f"Curves: test {self.comparison.metric_name}"), self._chart()),
            *(tag("h2", "Comparison"), f'<div class="wide">{_table(self.comparison)}</div><ul>{notes}</ul>'),
            *(tag("h2", f"Hardest mistakes of {self.whose}"), f'<div class="wide">{listed}</div>'),
            *(tag("h2", "Settings"), f'<div class="wide">{_settings(self.runs)}</div>'),
            *(tag("h2", "Versions"), table(list(used), [list(used.values())]), tag("p", machine, "faint")),
            *(tag("h2", "Python that repeats these runs"), f"<pre>{escape(self.code)}</pre>"),
        ]
        return page(f"Training report: {self.asked}", "\n".join(["<main>", *parts, "</main>"]), _LOOK)

    def _chart(self) -> str:
        return image(chart_svg(self.figure), f"Curves of {self.asked}")


def _table(compared: Comparison) -> str:
    """The comparison as a plain table, without columns of the paper's that are empty."""
    shown = [column for column in COLUMNS if any(column.values(row)[0] is not None for row in compared.rows)]
    headings = [column.heading.format(metric=compared.metric_name) for column in shown]
    return table(headings, [[column.text(row) for column in shown] for row in compared.rows])


def _settings(runs: Sequence[Run]) -> str:
    """A column for each model, with its seeds and what it was trained with."""
    models = {run.model: {**run.hyper, **run.options} for run in runs}
    names = list(dict.fromkeys(name for own in models.values() for name in own))
    seeds = [", ".join(str(run.seed) for run in runs if run.model == model) for model in models]
    rows = [[name.replace("_", " "), *(str(own.get(name, "–")) for own in models.values())] for name in names]
    return table(["setting", *models], [["seeds", *seeds], *rows])
