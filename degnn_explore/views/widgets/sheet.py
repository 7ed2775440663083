"""A table whose headings sort and whose rows can be opened; it also hands files and text to the browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import traitlets

from .messages import PageWidget, script, whole

_HERE = Path(__file__).parent
STYLE = (_HERE / "explorer.css").read_text() + (_HERE / "board.css").read_text()


def column(label: str, title: str = "", align: str = "", first: str = "down") -> dict[str, str]:
    """A heading: its text, what it means, and which way it sorts first."""
    return {"label": label, "title": title, "align": align, "first": first}


def cell(text: Any, sort: float | str | None = None, css: str = "", dot: str = "") -> dict[str, Any]:
    """A cell: its text, the value it is sorted by, how it looks, the colour of a dot before it."""
    return {"text": str(text), "sort": sort, "css": css, "dot": dot}


class Sheet(PageWidget):
    """Columns and rows are the state; `sheet.js` shows them, as text."""

    _esm = script("late", "sheet")
    _css = STYLE

    columns: Any = traitlets.List().tag(sync=True)
    rows: Any = traitlets.List().tag(sync=True)
    action = traitlets.Unicode("").tag(sync=True)  # the text of the link at the end of each row; "" for none
    empty = traitlets.Unicode("").tag(sync=True)  # what stands in place of no rows

    def on_row(self, act: Callable[[int], None]) -> None:
        """Calls ``act`` with the number of the row whose link is clicked, as the rows are in Python."""
        self.hear("row", act, row=whole(lambda: len(self.rows)))

    def download(self, name: str, mime: str, text: str) -> None:
        """Gives the reader a file."""
        self.send({"type": "download", "name": name, "mime": mime, "text": text})

    def on_copied(self, act: Callable[[bool], None]) -> None:
        """Calls ``act`` when a text was copied, or when the browser did not allow it, with whether it was."""
        self.hear("copied", lambda: act(True))
        self.hear("not copied", lambda: act(False))

    def copy(self, text: str) -> None:
        """Puts a text on the reader's clipboard, if the browser allows it; see :meth:`on_copied`."""
        self.send({"type": "copy", "text": text})
