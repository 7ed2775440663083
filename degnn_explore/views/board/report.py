"""What a race showed, for those without the board: a still picture in the notebook, and a report as one HTML file."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ... import __version__
from ...common.errors import ParameterError
from ...studies.exports import Comparison
from ...studies.ledger import Ledger
from ...studies.records import Run
from ..widgets.chart_svg import chart_svg
from ..widgets.html import tag, text
from ..widgets.sheet import Sheet
from ..widgets.still import figure, image, page, save, table
from .mistakes import Mistakes
from .texts import comparison_table

_USED = ("torch", "numpy", "scipy", "numba")
_LOOK = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1f2328; background: #fff; max-width: 980px; margin: 24px auto; padding: 0 16px }
h1 { font-size: 24px } h2 { font-size: 18px; margin: 28px 0 8px } p, li { max-width: 75ch } .faint { color: #57606a }
pre { background: #f3f6fa; padding: 12px; overflow-x: auto; font-size: 12px } .wide { overflow-x: auto }
@media print { body { margin: 0 } h2 { break-after: avoid } img, table { break-inside: avoid } }
"""  # noqa: E501


@dataclass(frozen=True)
class Story:
    """A race as the board tells it: the chart of its curves, the comparison, the sheet of mistakes and whose they are.

    Examples
    --------
    >>> import degnn_explore as de
    >>> board = de.TrainingBoard("karate", "links", results="none-yet.jsonl")
    >>> board.still()[0]
    'Training Board: links on karate. Nothing is trained yet: run this cell and press Start.'
    >>> board.report("race.html")
    Traceback (most recent call last):
    degnn_explore.common.errors.ParameterError: There is nothing to report yet; train at least one seed of one model.
    >>> board.close()
    """

    title: str  # such as "links on C. elegans"
    figure: dict[str, Any]  # plotly's JSON
    comparison: Comparison | None
    mistakes: Sheet
    whose: str
    runs: Sequence[Run]
    code: str

    @classmethod
    def of(cls, known: Ledger, figure: dict[str, Any], mistakes: Mistakes) -> Story:
        """What a board shows now."""
        title = f"{known.plan.task} on {known.plan.title}"
        return cls(title, figure, known.table(), mistakes.sheet, mistakes.whose, known.shown, known.code())

    def write(self, file: str | os.PathLike[str]) -> Path:
        """Writes the report into a file, and says where."""
        return save(file, self.report())

    def download(self) -> None:
        """Hands the report to the reader."""
        name = re.sub(r"[^\w.-]+", "-", f"report-{self.title}") + ".html"
        self.mistakes.download(name, "text/html", self.report())

    @property
    def chart(self) -> str:
        """The curves as an image."""
        return image(chart_svg(self.figure), f"{self.measure} of {self.title}")

    @property
    def measure(self) -> str:
        """What the curves show, such as "test AUC"."""
        return str(self.figure["layout"].get("meta", {}).get("title", "as on the board"))

    @property
    def table(self) -> str:
        """The comparison as a plain table."""
        return _plain(*comparison_table(self.comparison))

    def still(self) -> tuple[str, str]:
        """A caption, and HTML of curves and table that needs no script."""
        if self.comparison is None:
            caption = f"Training Board: {self.title}. Nothing is trained yet: run this cell and press Start."
            return caption, figure(caption)
        rows = self.comparison.rows
        how_many = f"{len(rows)} models, up to {max(row.seeds for row in rows)} seeds"
        caption = f"Training Board: {self.title}, {how_many}. Run this cell to train, compare and ask."
        return caption, figure(caption, self.chart, self.table)

    def report(self) -> str:
        """The whole page: curves, table, mistakes, settings, versions, and the code that repeats the runs."""
        if self.comparison is None:
            raise ParameterError("There is nothing to report yet; train at least one seed of one model.")
        notes = "".join(tag("li", note) for note in self.comparison.notes)
        when = datetime.now(UTC).strftime("%d %B %Y, %H:%M UTC")
        wrong = (
            _plain(self.mistakes.columns, self.mistakes.rows) if self.mistakes.rows else tag("p", "None are listed.")
        )
        ours = {"Python": platform.python_version(), "degnn_explore": __version__}
        used = ours | {name: version(name) for name in _USED}
        machine = f"{platform.system()} {platform.machine()}, device {', '.join(sorted({r.device for r in self.runs}))}"
        parts = [
            tag("h1", f"Training report: {self.title}"),
            tag("p", f"Written by degnn_explore on {when}.", "faint"),
            *(tag("h2", f"Curves: {self.measure}"), self.chart),
            *(tag("h2", "Comparison"), f'<div class="wide">{self.table}</div><ul>{notes}</ul>'),
            *(tag("h2", f"Hardest mistakes {self.whose}"), f'<div class="wide">{wrong}</div>'),
            *(tag("h2", "Settings"), f'<div class="wide">{_settings(self.runs)}</div>'),
            *(tag("h2", "Versions"), table(list(used), [list(used.values())]), tag("p", machine, "faint")),
            *(tag("h2", "Python that repeats these runs"), f"<pre>{text(self.code)}</pre>"),
        ]
        return page(f"Training report: {self.title}", "\n".join(["<main>", *parts, "</main>"]), _LOOK)


def _plain(columns: Sequence[dict[str, str]], rows: Sequence[Sequence[dict[str, Any]]]) -> str:
    """What a sheet shows, as a plain table."""
    return table([column["label"] for column in columns], [[cell["text"] for cell in row] for row in rows])


def _settings(runs: Sequence[Run]) -> str:
    """A column for each model, with its seeds and what it was trained with."""
    models = {run.model: {**run.hyper, **run.options} for run in runs}
    names = list(dict.fromkeys(name for own in models.values() for name in own))
    seeds = [", ".join(str(run.seed) for run in runs if run.model == model) for model in models]
    rows = [[name.replace("_", " "), *(str(own.get(name, "–")) for own in models.values())] for name in names]
    return table(["setting", *models], [["seeds", *seeds], *rows])
