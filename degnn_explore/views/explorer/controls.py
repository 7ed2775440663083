"""The Explorer's controls: its row of settings, and a header whose buttons open drawers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import ipywidgets as W

from ..widgets.html import box, button, tag, text
from ..widgets.uploads import read_own
from . import free_view
from .presets import PRESETS
from .state import MAX_LAYER, ExplorerState

if TYPE_CHECKING:
    from .explorer import Explorer

__all__ = ["Drawers", "Settings", "settings"]

_HELP = """<b>How to read this panel</b>
<dl class="de-keys">
<dt>click a node</dt><dd>puts it into the target set S (or takes it out); the ring and the letter mark it</dd>
<dt>Shift-drag</dt><dd>lassos several nodes</dd>
<dt>drag</dt><dd>moves a node, or the view; the wheel zooms after a click</dd>
<dt>arrow keys, Enter, Esc</dt><dd>walk along edges, pick, clear</dd>
<dt>hover</dt><dd>over a tree node to see the graph nodes it stands for, and the other way round;
over a legend entry to see its nodes</dd>
<dt>numbers</dt><dd>in a node: its distance to S; 1,2 with two targets: one step from one of them,
two from the other; ∞: unreachable</dd>
<dt>layer</dt><dd>how many layers the GNN has: the depth of the subtrees, and of the colour classes</dd>
<dt>colour class</dt><dd>nodes that no GNN of that kind with so many layers can tell apart</dd></dl>"""


class Settings:
    """Colour by, layer, cut, layout, p, compare: each change is told to ``act(name, value)``."""

    def __init__(self, act: Callable[[str, Any], None]) -> None:
        wide = {"style": {"description_width": "initial"}}
        self.colour_by = W.Dropdown(description="Colour by", **wide)
        self.layer = W.IntSlider(description="Layer", min=0, max=MAX_LAYER, layout=W.Layout(width="132px"), **wide)
        self.play = W.Play(min=0, max=MAX_LAYER, interval=900, show_repeat=False, tooltip="Step through the layers")
        self.step = W.BoundedIntText(description="Step k", min=0, max=20, layout=W.Layout(width="110px"), **wide)
        self.hops = W.BoundedIntText(description="Hops K", min=1, max=4, layout=W.Layout(width="110px"), **wide)
        self.cut = W.Checkbox(description="cut the edges inside S", indent=False, layout=W.Layout(width="auto"))
        self.layout = W.Dropdown(description="Layout", **wide)
        self.size = W.Dropdown(
            description="Targets", options=[("any p", 0), ("p = 1", 1), ("p = 2", 2), ("p = 3", 3)], **wide
        )
        self.compare = W.Checkbox(description="compare two sets", indent=False, layout=W.Layout(width="auto"))
        named = ("colour_by", "layer", "step", "hops", "cut", "layout", "size", "compare")
        for name in named:
            getattr(self, name).observe(lambda change, name=name: act(name, change["new"]), "value")
        self.play.observe(lambda change: act("layer", change["new"]), "value")
        self.box = box(
            "de-row",
            self.colour_by,
            self.step,
            self.hops,
            self.layer,
            self.play,
            self.size,
            self.cut,
            self.compare,
            self.layout,
        )

    def show(self, state: ExplorerState, values: dict[str, Any], colourings: list[tuple[str, str]]) -> None:
        """Shows what the state says."""
        menu = [(label, key) for key, label in colourings]
        _options(self.colour_by, menu, values["colour_by"])
        _options(self.layout, state.layouts(), values["layout"])
        sizes = [("any p", 0), ("p = 1", 1), ("p = 2", 2), ("p = 3", 3)]
        if values["size"] > 3:
            sizes.append((f"p = {values['size']}", values["size"]))
        _options(self.size, sizes, values["size"])
        for name in ("layer", "step", "hops", "cut"):
            getattr(self, name).value = values[name]
        self.play.value = values["layer"]
        self.compare.value = len(state.sides) == 2
        self.step.layout.display = "" if values["colour_by"] == "LP" else "none"
        self.hops.layout.display = "" if values["colour_by"] == "DEA-SPD" else "none"


def _options(menu: W.Dropdown, options: list[Any], value: Any) -> None:
    if list(menu.options) != options:
        menu.options = options
    menu.value = value


def settings(act: Callable[[str, Any], None]) -> Settings:
    """The row of settings."""
    return Settings(act)


class RootMenu(W.Dropdown):
    """Which target's subtree is shown, where a set has several."""

    def show(self, count: int, root: int, visible: bool) -> None:
        """Offers as many targets as there are."""
        _options(self, [(f"target {i + 1} of each set", i) for i in range(max(count, 1))], min(root, max(count, 1) - 1))
        self.layout.display = "" if visible else "none"


def root_menu(act: Callable[[str, Any], None]) -> RootMenu:
    """The menu of roots."""
    menu = RootMenu(description="Root", style={"description_width": "initial"}, layout=W.Layout(width="auto"))
    menu.observe(lambda change: act("root", change["new"]), "value")
    return menu


class Drawers:
    """The header, and the drawer that its buttons open: a file, the free view, export, help."""

    def __init__(self, explorer: Explorer) -> None:
        self.explorer = explorer
        self.menu = W.Dropdown(
            options=[("Choose an example…", "")] + [(one.title, one.key) for one in PRESETS],
            description="Example",
            style={"description_width": "initial"},
        )
        self.menu.observe(self._preset, "value")
        names = [
            ("file", "Open a file…", "Your own graph: CSV, edge list, GraphML, …"),
            ("free", "Free view", "The subtrees, free to move (pyvis)"),
            ("export", "Export", "Pictures, a page for slides, a code, Python"),
            ("help", "?", "How to read and use this panel"),
        ]
        self.toggles = {
            key: W.ToggleButton(description=label, tooltip=tip, layout=W.Layout(width="auto"))
            for key, label, tip in names
        }
        for key, toggle in self.toggles.items():
            toggle.observe(lambda change, key=key: self._toggled(key, change["new"]), "value")
        spring = W.Box()
        spring.add_class("de-spring")
        self.header = box(
            "de-row",
            W.HTML(tag("span", "Distance Encoding Explorer", "de-name")),
            self.menu,
            self.toggles["file"],
            spring,
            self.toggles["free"],
            self.toggles["export"],
            self.toggles["help"],
        )
        self.box = box("de-drawer")
        self.box.layout.display = "none"
        self.content = W.HTML()
        self.upload = W.FileUpload(multiple=False, description="Choose a file", layout=W.Layout(width="auto"))
        self.upload.observe(self._uploaded, "value")
        self.report = W.HTML(
            tag(
                "span",
                "CSV or TSV (source, target), edge list, GraphML, GML, GEXF, graph6, JSON, Matrix Market: "
                "the file is read here and goes nowhere else.",
                "de-hint",
            )
        )
        self._quiet = False

    def _preset(self, change: dict[str, Any]) -> None:
        if change["new"] and not self._quiet:
            self.explorer.open_preset(change["new"])

    def _toggled(self, key: str, on: bool) -> None:
        if not on:
            if not any(t.value for t in self.toggles.values()):
                self.box.layout.display = "none"
                self.content.value = ""
            return
        for other, toggle in self.toggles.items():
            if other != key and toggle.value:
                toggle.value = False
        self.box.layout.display = ""
        try:
            self._fill(key)
        except Exception as error:  # a drawer that fails says so, as every callback does
            self.explorer.show_error(error)

    def _fill(self, key: str) -> None:
        one = self.explorer
        if key == "file":
            self.box.children = (self.upload, self.report)
            return
        if key == "help":
            self.content.value = _HELP
            self.box.children = (self.content,)
            return
        if key == "free":
            self.content.value = free_view.frame(one.html())
            self.box.children = (self.content,)
            return
        row = box(
            "de-row",
            W.HTML(tag("b", "Pictures")),
            button(
                "Graph PNG",
                "The graph as it is drawn",
                lambda: one.graph_canvas.send({"type": "png", "name": "graph.png"}),
            ),
            button(
                "Graph SVG", "The graph as vectors", lambda: self._send("graph.svg", "image/svg+xml", one.svg("graph"))
            ),
            button(
                "Subtree PNG",
                "The subtrees as drawn",
                lambda: one.tree_canvas.send({"type": "png", "name": "subtree.png"}),
            ),
            button(
                "Subtree SVG",
                "The subtrees as vectors",
                lambda: self._send("subtree.svg", "image/svg+xml", one.svg("tree")),
            ),
            button(
                "Subtree HTML",
                "A free-moving page for slides",
                lambda: self._send("subtree.html", "text/html", one.html()),
            ),
        )
        self._write_codes()
        self.box.children = (row, self.content)

    def _send(self, name: str, mime: str, content: str) -> None:
        self.explorer.graph_canvas.send({"type": "download", "name": name, "mime": mime, "text": content})

    def _write_codes(self) -> None:
        one = self.explorer
        code = one.share()
        opening = (
            f'de.Explorer.restore("{code}")' if len(code) <= 6_000 else "explorer.share()  # too long to show here"
        )
        self.content.value = (
            f'<b>This very view, as a code</b><div class="de-code" data-code="restore">{text(opening)}</div>'
            f'<b>… and as Python to paste</b><div class="de-code" data-code="python">{text(one.code())}</div>'
        )

    def refresh(self) -> None:
        """Keeps the menu and an open drawer in step with the state."""
        self._quiet = True
        try:
            self.menu.value = self.explorer.state.preset_key
        finally:
            self._quiet = False
        if self.toggles["export"].value:
            self._write_codes()
        elif self.toggles["free"].value:
            self.content.value = free_view.frame(self.explorer.html())

    def _uploaded(self, change: dict[str, Any]) -> None:
        if not change["new"]:
            return
        try:
            item = change["new"][0]
            graph = read_own(str(item["name"]), bytes(item["content"]))
        except Exception as error:
            self.explorer.show_error(error)
            return
        self.explorer.open_graph(graph)
        self.report.value = tag("span", f"{item['name']}: {graph!r}. {graph.cleaning}.", "de-hint")
