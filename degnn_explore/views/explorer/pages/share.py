"""The Explorer's Share menu: copy the code or Python, save a picture, save a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import ipywidgets as W

from ...widgets.bar import Bar, Field, press
from ...widgets.html import box, text
from .living import Shown, living

_LONGEST_CODE = 6_000  # letters that a person would paste
_FILES = {
    "lesson.html": ("Save a page", "One HTML file in which a reader can pick, colour and step without a kernel"),
    "graph.png": ("Graph PNG", "The graph as it is drawn"),
    "graph.svg": ("Graph SVG", "The graph as vectors"),
    "subtree.png": ("Subtrees PNG", "The subtrees as drawn"),
    "subtree.svg": ("Subtrees SVG", "The subtrees as vectors"),
    "subtree.html": ("Subtrees, free", "A free-moving page of the subtrees, for slides"),
}


class Share:
    """Two texts to copy, which are shown too, and files to save: ``export`` is told which."""

    def __init__(self, export: Callable[[str], None], refuse: Callable[[BaseException], None]) -> None:
        fields: dict[str, Field] = {
            "code": press("Copy the code", "A line that opens this very view, for a colleague", copy=""),
            "python": press("Copy Python", "Python whose last line shows this Explorer", copy=""),
            **{name: press(label, tip) for name, (label, tip) in _FILES.items()},
        }
        self.bar = Bar("Share", fields, lambda name, _: export(name), refuse)
        self._texts = W.HTML()
        self.box = box("de-share", self.bar, self._texts)

    def show(self, code: str, python: str) -> None:
        """Shows the texts of the present view."""
        opening = f'import degnn_explore as de\n\nde.Explorer.restore("{code}")'
        shown = (
            opening if len(opening) <= _LONGEST_CODE else f"{opening[:200]}…  # {len(code):,} letters: copy them above"
        )
        self.bar.show(code={"copy": opening}, python={"copy": python})
        self._texts.value = "".join(
            f'<b>{title}</b><div class="de-code" data-code="{name}">{text(content)}</div>'
            for title, name, content in (
                ("This very view, as a code", "restore", shown),
                ("… and as Python", "python", python),
            )
        )


class Sharer(Shown, Protocol):
    """What an Explorer can give away."""

    def svg(self, what: str = "graph") -> str: ...
    def html(self) -> str: ...


def export(explorer: Sharer, what: str) -> None:
    """Hands the reader a file: "graph", "subtree" or "lesson" with an ending that says what it is."""
    canvas = explorer.tree_view if what.startswith("subtree") else explorer.graph_canvas
    if what.endswith("png"):
        canvas.send({"type": "png", "name": what})
        return
    explorer.graph_canvas.busy = "Writing the page…" if what == "lesson.html" else ""
    try:
        if what.endswith("svg"):
            content = explorer.svg("tree" if what.startswith("subtree") else "graph")
        else:
            content = living(explorer) if what == "lesson.html" else explorer.html()
    finally:
        explorer.graph_canvas.busy = ""
    mime = "text/html" if what.endswith("html") else "image/svg+xml"
    canvas.send({"type": "download", "name": what, "mime": mime, "text": content})
