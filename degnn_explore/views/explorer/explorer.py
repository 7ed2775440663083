"""The Explorer: pick target sets, see their distance encoding, their unrolled subtrees, and who tells them apart."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import ipywidgets as W
import numpy as np

from ...common.errors import ParameterError, one_of
from ...expressive.likeness import Likeness
from ...graphs.graph import Graph
from ..lessons.guide import Guide
from ..lessons.guide import ask as ask_first
from ..lessons.tours import TOURS, Step
from ..widgets.glossary import Glossary
from ..widgets.html import box, button, error_box, guarded, tag
from ..widgets.messages import listed, text, whole
from ..widgets.panel import Panel
from ..widgets.still import save
from ..widgets.strip import VerdictStrip
from .drawers import Actions, Drawers
from .excerpt import MAX_DRAWN, search
from .opening import large_file
from .pages import free_view, pictures, sharing
from .pages.living import CONTROLS, living
from .pages.share import export
from .pages.svg import svg
from .pages.tree_svg import tree_svg
from .presets import preset as find_preset
from .scene import Scene
from .settings import Settings
from .state import ExplorerState, Side
from .trees import forest
from .verdict_table import Judge, Question, pills


class Explorer(Panel):
    """One panel in which a person sees what a plain GNN cannot see, and why distance encoding can.

    Parameters
    ----------
    a, b
        A graph, or a pair (graph, target set). With ``b`` two sets are compared. Without any, the paper's
        Fig. 1(a) opens. A graph is a Graph, one of networkx or PyG, a name of ``de.datasets()``, or a file such as
        ``"my.csv"``, which beyond 20 MB is opened in the background: see :meth:`wait`.
    preset
        The key or title of an example instead, see :data:`degnn_explore.views.explorer.presets.PRESETS`.
    ask
        A question to answer first: verdict and subtrees stay hidden until the reader has said something.
    tour
        The key of a guided tour to begin with, see :data:`degnn_explore.views.lessons.tours.TOURS`.
    settings
        colour_by ("SPD", "LP", "PageRank", "DRNL", "1-WL", "DE-SPD", "DE-LP", "DEA-SPD", an encoding of your own or its
        name), column (of your own encoding), layer, step, hops, cut, layout, size.

    Examples
    --------
    >>> import degnn_explore as de
    >>> explorer = de.Explorer((de.zoo.figure1(), {2}), (de.zoo.figure1(), {3}), layer=2)
    >>> explorer.state.pick(0, 7)
    >>> explorer.targets
    [[2, 7], [3]]
    """

    def __init__(
        self, a: Any = None, b: Any = None, *, preset: str | None = None, ask: str = "", tour: str = "", **settings: Any
    ) -> None:
        if a is not None and preset is not None:
            raise ParameterError("Give a graph or a preset, not both.")
        if a is None and b is not None:
            raise ParameterError("Give the first graph as well, or none for the example.")
        file = None if b is not None else large_file(a)
        self.state = ExplorerState.of_preset(preset or "fig1") if a is None or file else ExplorerState(a, b)
        if settings:
            self.state.update(**settings)
        super().__init__(self._build())
        self.add_class("de-explorer").add_class("de-screen")
        self.state.observe(self._changed)
        self._changed({"graphs"})
        self._drawers.open_file(file)
        if ask:
            ask_first(self, ask)
        if tour:
            self.tour(tour)

    @classmethod
    def restore(cls, code: str, graph: Graph | None = None) -> Explorer:
        """The Explorer that a code from Share stands for; ``graph`` if it was too large to be in the code.

        Examples
        --------
        >>> Explorer.restore(Explorer(preset="hexagon").share()).targets
        [[0], [0]]
        """
        state = sharing.decode(code, graph)
        restored = cls()
        restored.state.take(state)
        return restored

    # ---- for code -----------------------------------------------------------------------------

    @property
    def targets(self) -> list[list[int]]:
        """The target set of each side, in the order of picking."""
        return [list(side.targets) for side in self.state.sides]

    def share(self) -> str:
        """A short code for :meth:`restore`, to send to somebody."""
        return sharing.encode(self.state)

    def code(self) -> str:
        """Python that opens the same Explorer, to paste."""
        return sharing.as_python(self.state)

    def svg(self, what: str = "graph") -> str:
        """The graph or the "tree" as an SVG document."""
        one_of("what", what, ("graph", "tree"))
        return svg(self.graph_canvas) if what == "graph" else tree_svg(self.state, self.tree_view.method == "1-WL")

    def html(self) -> str:
        """The subtrees as a standalone, free-moving page (pyvis) that needs no network."""
        return free_view.page(forest(self.state, self.tree_view.method == "1-WL"))

    def page(self, file: str | os.PathLike[str], controls: Iterable[str] = CONTROLS, tour: str = "") -> Path:
        """Writes one HTML file in which a reader explores on without a kernel and without a network.

        A reader may pick any single target, on graphs up to 60 nodes any pair, change colouring and layer, and sees
        subtrees and verdicts; ``controls`` leaves some of these ("pick", "colour_by", "layer", "size") out.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Explorer(preset="hexagon").page(f"{folder}/lesson.html", ["pick", "layer"], tour="hexagon").name
        'lesson.html'
        """
        return save(file, living(self, controls, tour))

    def still(self) -> tuple[str, str]:
        """Graphs and subtrees as a picture with a caption, for viewers without a kernel."""
        self._judge.wait(0.3)  # the verdicts of a small graph are in by then
        return self._drawers.opening.still() or pictures.still(self.state, self.graph_canvas, self._found)

    def tour(self, name: str = "hexagon") -> None:
        """Begins a guided tour, see :data:`degnn_explore.views.lessons.tours.TOURS`."""
        self._guide.start(name)
        self._drawers.header.show(tour={"pressed": True})

    def wait(self, seconds: float = 60.0) -> None:
        """Until a file that was chosen is open, and the verdicts are in, for scripts and tests."""
        self._drawers.opening.wait(seconds)
        self._judge.wait(seconds)

    @property
    def verdicts(self) -> dict[str, Any]:
        """The verdicts found so far, by method."""
        return dict(self._found)

    # ---- building -----------------------------------------------------------------------------

    def _build(self) -> list[W.Widget]:
        self._found: dict[str, Any] = {}
        self._asked_of: Any = None  # the encoding of one's own that the strip has a pill for
        self._scene = Scene(self.state, uuid.uuid4().hex)
        self.graph_canvas, self.tree_view = self._scene.graph, self._scene.tree
        self._listen()
        self._error, self._idea = W.HTML(), W.HTML()
        close = button("×", "Close this message", partial(self.clear_error, focus=True))
        self._float = box("de-float", self._error, close)
        self._float.layout.display = "none"
        self._settings = Settings(self._from_control, self.show_error)
        self._more = button("Show more", "Draw a larger neighbourhood of S", self._show_more)
        self._guide = Guide(self, lambda: self._drawers.header.show(tour={"pressed": False}))
        actions = Actions(
            self.open_preset,
            self._toggle_tour,
            self.open_graph,
            partial(export, self),
            self.html,
            self.share,
            self.code,
            self.show_error,
        )
        self._drawers = Drawers(actions)
        self.parts = (*self._drawers.parts, self._guide.panel)
        self.slot = box("de-slot")  # for a tour or a question; takes no room while it is empty
        self.slot.observe(lambda _: self._show_idea(), "children")
        self.strip = VerdictStrip(link=self._scene.graph.link)
        self._judge = Judge(self._show_verdicts, self.show_error)
        cards = [box("de-card", self.graph_canvas, self._more), box("de-card", self.tree_view, self._settings.root)]
        verdict = box("de-verdict-of-two" if len(self.state.sides) == 2 else "de-verdict-of-one", self.strip)
        self.spots = {"graphs": cards[0], "subtrees": cards[1], "verdict": verdict}  # what a lesson points at
        both = box("de-cards", *cards, self._float)
        top = [self._drawers.header, self._drawers.box, self._settings.bar, self._idea, self.slot]
        return [*top, verdict, both, Glossary()]

    # ---- from the reader ----------------------------------------------------------------------

    @guarded
    def _from_control(self, name: str, value: Any) -> None:
        self.clear_error()
        if name == "compare":
            self.state.compare(bool(value))
        else:
            self.state.update(**{name: value})

    @guarded
    def open_preset(self, key: str) -> None:
        """Shows another example."""
        self.clear_error()
        self.state.take(ExplorerState.of_preset(find_preset(key)))

    @guarded
    def arrange(self, step: Step) -> None:
        """Shows what a step of a tour is about."""
        self.clear_error()
        self.state.arrange(step.preset, step.targets, step.settings)
        self.strip.chosen = step.method
        self.tree_view.method = "1-WL" if step.settings.get("colour_by") == "1-WL" else "DE"

    @guarded
    def _toggle_tour(self) -> None:
        if self._guide.tour:
            self._guide.leave()
        else:
            key = self.state.preset_key
            self.tour({"fig3": "fig1", "fig2b": "fig4"}.get(key, key if key in TOURS else "hexagon"))

    @guarded
    def open_graph(self, graph: Graph) -> None:
        """Shows another graph, with its cleaning report."""
        self.clear_error()
        fresh = ExplorerState(Side(graph, (int(graph.degrees.argmax()),)))
        fresh.idea = f"{graph!r}: {graph.cleaning}. Click nodes to pick a target set."
        self.state.take(fresh)

    @guarded
    def _show_more(self) -> None:
        self.state.show_more()

    def _listen(self) -> None:
        canvas = self.graph_canvas
        canvas.hear("pick", self._pick, self._say, node=canvas.node)
        canvas.hear("lasso", self._lasso, self._say, nodes=listed(canvas.node))
        canvas.hear("clear", self._clear, self._say)
        canvas.hear("search", self._search, self._say, text=text(100))
        canvas.hear("find", self._find, self._say, key=self._is_key)
        canvas.hear("tip", self._tip, self._say, node=canvas.node)

    def _pick(self, node: int) -> None:
        self.clear_error()
        self.state.pick(*self._scene.whose(node))

    def _lasso(self, nodes: list[int]) -> None:
        self.clear_error()
        inside = [self._scene.whose(node) for node in dict.fromkeys(nodes)]
        for side in sorted({side for side, _ in inside}):
            self.state.add(side, [node for its, node in inside if its == side])

    def _clear(self) -> None:
        self.clear_error()
        self.state.clear()

    def _search(self, wanted: str) -> None:
        sides = self.state.sides
        items = []
        for k, node, name, note in search([side.graph for side in sides], self.state.active, wanted):
            where = f"in {self.state.letter(k)} {note}".strip() if len(sides) == 2 else note
            items.append({"key": [k, node], "name": name, "note": where})
        self.graph_canvas.send({"type": "matches", "text": wanted, "items": items})

    def _is_key(self, value: Any) -> str:
        """Whether a page's value is one of the keys that were sent with the matches: [side, node]."""
        sides = self.state.sides
        fits = isinstance(value, list) and len(value) == 2 and not whole(lambda: len(sides))(value[0])
        return "a side and a node" if not fits or whole(lambda: sides[value[0]].graph.num_nodes)(value[1]) else ""

    def _find(self, key: list[int]) -> None:
        side, node = key
        if node not in self.state.sides[side].targets:
            self.state.pick(side, np.int64(node))
        self.graph_canvas.send({"type": "focus", "node": self._scene.place(side, node)})

    def _tip(self, node: int) -> None:
        self.graph_canvas.send({"type": "tip", "node": node, "lines": self.state.tip(*self._scene.whose(node))})

    def end(self) -> None:
        """Stops looking for verdicts, and opening a file."""
        self._judge.stop()
        self._drawers.opening.stop()

    # ---- to the reader ------------------------------------------------------------------------

    def show_error(self, error: BaseException) -> None:
        """Shows an error over the graphs, which stay where they are; nothing that fails stays unseen."""
        self._error.value = error_box(error)
        self._float.layout.display = ""

    def _say(self, error: Exception) -> None:
        """Shows what a hand on the canvas could not do: a sentence beside the pointer."""
        if isinstance(error, ValueError):
            self.graph_canvas.send({"type": "error", "text": str(error)})
        else:
            self.show_error(error)

    def clear_error(self, focus: bool = False) -> None:
        """Takes the last error away; ``focus``: the keyboard goes on in the graphs, for its button is gone."""
        self._error.value, self._float.layout.display = "", "none"
        if focus:
            self.graph_canvas.take_focus()

    @guarded
    def _changed(self, changed: set[str]) -> None:
        state = self.state
        if changed & {"graphs", "layout"} or (
            "targets" in changed and (state.layout == "concentric" or state.outgrown())
        ):
            self._scene.draw_graphs()
            large = any(state.is_large(k) for k in range(len(state.sides)))
            self._more.layout.display = "" if large and state.shown_limit < MAX_DRAWN else "none"
        self._scene.recolour(edges_too=bool(changed & {"graphs", "layout", "targets", "cut"}))
        self._settings.show(state)
        if changed - {"layout"}:
            self._scene.draw_trees()
        question = Question.of(state)
        own = question.own and question.own.own
        if changed & {"graphs", "targets", "hops", "cut"} or own is not self._asked_of:
            self._asked_of = own
            self._judge.ask(question)
        if "graphs" in changed:
            self.strip.chosen = ""
            self._show_idea()
        self._drawers.refresh(state.preset_key)

    def _show_idea(self) -> None:
        self._idea.value = tag("div", self.state.idea, "de-idea")
        self._idea.layout.display = "" if self.state.idea and not self.slot.children else "none"

    def _show_verdicts(self, question: Question, found: dict[str, Any], alike: Likeness | None) -> None:
        self._found = found
        moves = [] if alike is None else [(u, self._scene.graph.starts[1] + v) for u, v in enumerate(alike.mapping)]
        with self.strip.hold_sync():
            self.strip.hint, self.strip.pills = question.hint, pills(question, found, alike)
            self.strip.moves = moves
