"""The board's comparison: the table, its notes, its downloads, and the code that repeats the runs."""

from __future__ import annotations

from collections.abc import Callable

import ipywidgets as W

from ...studies.exports import Comparison
from ..widgets.html import box, button, guarded, tag, text
from ..widgets.sheet import Sheet
from .texts import comparison_table


class Compare:
    """Shows a comparison; ``results()`` gives the one to download, ``code()`` the code to copy."""

    def __init__(
        self, results: Callable[[], Comparison], code: Callable[[], str], failed: Callable[[BaseException], None]
    ) -> None:
        self._results, self._make_code, self.show_error = results, code, failed
        self._name = "results"
        self._sheet = Sheet(empty="The comparison appears here as soon as a run is finished.")
        self._sheet.on_copied(self._copied)
        self._notes, self._code, self._said = W.HTML(), W.HTML(), W.HTML()
        files = [
            button(label, f"Download the table as {label}", lambda kind=kind: self.download(kind))  # type: ignore[misc]
            for label, kind in (("CSV", "csv"), ("LaTeX", "latex"), ("Markdown", "markdown"))
        ]
        copy = button("Copy the code that repeats this", "Python, on the clipboard and below", self.copy)
        self._files = box("de-row", W.HTML(tag("span", "Download", "de-hint")), *files)
        row = box("de-row", self._files, copy, self._said)
        self.box = box("de-card", W.HTML(tag("span", "Compare", "de-head")), self._sheet, self._notes, row, self._code)

    def show(self, table: Comparison | None, name: str) -> None:
        """Shows a table; downloads get this name."""
        self._name = name
        self._files.layout.display = "none" if table is None else ""
        columns, rows = comparison_table(table)
        with self._sheet.hold_sync():
            self._sheet.columns, self._sheet.rows = columns, rows
        self._code.value = self._said.value = ""  # the code was that of another table
        self._notes.value = "" if table is None else tag("div", " ".join(table.notes), "de-notes")

    @guarded
    def download(self, kind: str) -> None:
        """Gives the reader the table as a file: "csv", "latex" or "markdown"."""
        table = self._results()
        made = {
            "csv": (table.to_csv, "csv", "text/csv"),
            "latex": (table.to_latex, "tex", "text/x-tex"),
            "markdown": (table.to_markdown, "md", "text/markdown"),
        }
        write, ending, mime = made[kind]
        self._sheet.download(f"{self._name}.{ending}", mime, write())

    @guarded
    def copy(self) -> None:
        """Puts the code on the clipboard, and shows it."""
        code = self._make_code()
        self._said.value = ""
        self._sheet.copy(code)
        self._code.value = f'<div class="de-code" data-code="python">{text(code)}</div>'

    def _copied(self, done: bool) -> None:
        words = "Copied." if done else "The browser did not allow copying: select the code below, and copy it by hand."
        self._said.value = tag("span", words, "de-hint")
