"""The Explorer's header: the menu of examples, and buttons that open a drawer below it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import ipywidgets as W

from ...expressive.summary import Summary
from ...graphs.graph import Graph
from ...reading.formats import spoken_formats
from ...reading.read import read_graph
from ..widgets.bar import SPRING, Bar, Field, menu, press
from ..widgets.glossary import as_html
from ..widgets.html import box, button, tag
from ..widgets.uploads import UPLOAD_HINT, is_page, read_own, uploaded
from .about import summary_list
from .opening import Opening
from .pages import free_view
from .pages.share import Share
from .presets import PRESETS

_HELP = """<b>How to read this panel</b>
<dl class="de-keys">
<dt>click a node</dt><dd>puts it into the target set S (or takes it out); the ring and the letter mark it</dd>
<dt>Shift-drag</dt><dd>lassos several nodes</dd>
<dt>drag</dt><dd>moves a node, or the view; Fit puts all back; the wheel zooms with Ctrl</dd>
<dt>arrow keys, Enter, Esc</dt><dd>walk along edges, pick, clear; the keys A and B change to that graph</dd>
<dt>hover</dt><dd>over a tree node to see the graph nodes it stands for, and the other way round;
over a legend entry to see its nodes</dd>
<dt>numbers</dt><dd>in a node: its distance to S; 1,2 with two targets: one step from one of them,
two from the other; ∞: unreachable</dd>
<dt>layer</dt><dd>how many layers the GNN has: the depth of the subtrees, and of the colour classes</dd>
<dt>colour class</dt><dd>nodes that no GNN of that kind with so many layers can tell apart</dd></dl>"""


@dataclass(frozen=True)
class Actions:
    """What the drawers ask of the Explorer; ``export`` gets what to export, such as "graph.svg"."""

    open_preset: Callable[[str], None]
    tour: Callable[[], None]
    open_graph: Callable[[Graph], None]
    export: Callable[[str], None]
    page: Callable[[], str]
    share: Callable[[], str]
    code: Callable[[], str]
    show_error: Callable[[BaseException], None]


class Drawers:
    """The header, and the drawer that its buttons open: a file, the free view, sharing, help."""

    def __init__(self, actions: Actions) -> None:
        self.actions = actions
        self.open = ""
        fields: dict[str, Field] = {
            "preset": menu("Example", options=[("Choose an example…", ""), *((one.title, one.key) for one in PRESETS)]),
            "file": press("Open a graph…", f"Your own graph: {spoken_formats()}", pressed=False),
            "spring": SPRING,
            "tour": press("Tour", "A guided tour", pressed=False),
            "free": press("Free view", "The subtrees, free to move (pyvis)", pressed=False),
            "share": press("Share ▾", "Copy the code or Python, save a picture or a page", pressed=False),
            "help": press("?", "How to read and use this panel", pressed=False, name_for_ears="Help"),
        }
        self.header = Bar("Explorer", fields, self._asked, actions.show_error)
        self.box = box("de-drawer")
        self.box.layout.display = "none"
        self.content = W.HTML()
        self.upload = W.FileUpload(multiple=False, description="Choose a file", layout=W.Layout(width="auto"))
        self.upload.observe(self._uploaded, "value")
        self.path = W.Text(placeholder="or a file here: data/my.csv", layout=W.Layout(width="260px"))
        self.path.add_class("de-path")
        self.path.on_msg(lambda _, content, __: self._open_path() if content.get("event") == "submit" else None)
        self.open_path = button("Open", "Open the file of this name, beside this notebook or anywhere", self._open_path)
        self.report = W.HTML(tag("span", UPLOAD_HINT, "de-hint"))
        self.opening = Opening(self._opened, self._cancelled, self._failed)
        self.own = box("de-row", self.upload, *([] if is_page() else [self.path, self.open_path]))
        self.share = Share(partial(self._try, actions.export), actions.show_error)

    @property
    def parts(self) -> tuple[W.Widget, ...]:
        """All that a drawer may hold, whether it is open or not."""
        return (self.content, self.own, self.path, self.open_path, self.opening.box, self.report, self.share.box)

    def refresh(self, preset_key: str) -> None:
        """Keeps the menu and an open drawer in step with the state."""
        self.header.show(preset={"value": preset_key})
        if self.open in ("share", "free"):
            self._fill(self.open)

    def _asked(self, name: str, value: Any) -> None:
        if name == "preset":
            if value:
                self.actions.open_preset(value)
        elif name == "tour":
            if self.open:
                self.toggle(self.open)  # a tour's text stands where the drawer would push it out of sight
            self.actions.tour()
        else:
            self.toggle(name)

    def toggle(self, key: str) -> None:
        """Opens a drawer instead of another, or closes it."""
        self.open = "" if self.open == key else key
        self.header.show(**{name: {"pressed": name == self.open} for name in ("file", "free", "share", "help")})
        self.box.layout.display = "" if self.open else "none"
        self.content.value = ""
        if self.open:
            self._try(self._fill, key)

    def _try(self, act: Callable[[str], None], what: str) -> None:
        try:
            act(what)
        except Exception as error:  # a drawer that fails says so, as every callback does
            self.actions.show_error(error)

    def _fill(self, key: str) -> None:
        children: tuple[W.Widget, ...] = (self.content,)
        if key == "file":
            children = (self.own, self.opening.box, self.report)
        elif key == "help":
            self.content.value = f"{_HELP}<b>Words</b>{as_html()}"
        elif key == "free":
            self.content.value = free_view.frame(self.actions.page())
        else:
            children = (self.share.box,)
            self.share.show(self.actions.share(), self.actions.code())
        self.box.children = children

    def _uploaded(self, change: dict[str, Any]) -> None:
        if not change["new"]:
            return
        try:
            name, content = uploaded(change["new"][0])
        except Exception as error:
            return self.actions.show_error(error)
        self._begin(name, partial(read_own, name, content))

    def _open_path(self) -> None:
        if path := self.path.value.strip():
            self._begin(path, partial(read_graph, Path(path).expanduser()))

    def open_file(self, path: Path | None) -> None:
        """Opens a large file in the background, if there is one, and the drawer in which it says how far it is."""
        if path is None:
            return
        self.toggle("file")
        self.path.value = str(path)
        self._open_path()

    def _begin(self, name: str, read: Callable[[], Graph]) -> None:
        self.report.layout.display = "none"  # the line that says how far it is stands in its place
        self.opening.begin(name, read)

    def _opened(self, name: str, graph: Graph, found: Summary) -> None:
        self.actions.open_graph(graph)
        self._say(tag("b", Path(name).name) + summary_list(found))

    def _cancelled(self, name: str) -> None:
        self._say(tag("span", f"Opening {Path(name).name} was cancelled; what is shown has not changed.", "de-hint"))

    def _failed(self, error: BaseException) -> None:
        self._say(tag("span", UPLOAD_HINT, "de-hint"))
        self.actions.show_error(error)

    def _say(self, markup: str) -> None:
        self.report.value = markup
        self.report.layout.display = ""
