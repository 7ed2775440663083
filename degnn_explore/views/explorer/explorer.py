"""The Explorer: one panel, one widget. Python says what is seen; the page (``views/js``) draws it."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import traitlets as t
from numpy.typing import NDArray

from ...common import compiled as _loads_numba  # noqa: F401  (on_compiling notices only a numba that is loaded)
from ...common.errors import ParameterError, check_choice
from ...common.progress import on_compiling
from ...encodings.custom import REGISTRY
from ...expressive.summary import Summary
from ...graphs.graph import Graph
from ...reading.read import read_graph
from ..content import PRESETS, TERMS, TOURS
from ..content import preset as find_preset
from ..content import tour as find_tour
from ..js import joined, loader, read
from ..panel import CellNote, Panel
from ..static_html import figure, image, save
from ..text import node_name
from ..uploads import UPLOAD_HINT, is_page, read_own
from . import ego_network, layouts, offline_page, svg
from .as_python import as_python
from .excerpt import MAX_DRAWN, note_column, search
from .opening import Opening, large_file
from .state import COLORINGS, MAX_LAYER, PLAIN, SETTINGS, ExplorerState, Side
from .verdicts import Question, VerdictWorker

MODULES = (
    *("dom", "form", "geometry", "layers", "folding", "compose", "words", "glossary", "canvas", "subtree", "strip"),
    *("drawer", "lesson", "explorer"),
)
SCRIPT = joined(*MODULES) + "\nexport { renderExplorer, startModel };\n"
ALL_LAYERS = 2_000  # nodes up to which the classes of all layers go to the page, so that stepping asks nobody
_NET_ARCS = 60_000  # that a page follows around the targets of a graph that is drawn in part


class Explorer(Panel):
    """One panel in which a person sees what a plain GNN cannot see, and why distance encoding can.

    Parameters
    ----------
    a, b
        A graph, or a pair (graph, target set). With ``b`` two sets are compared. Without any, the paper's
        Fig. 1(a) opens. A graph is a Graph, one of networkx or PyG, a name of ``de.datasets()``, or a file such as
        ``"my.csv"``, which beyond 20 MB is opened in the background: see :meth:`wait`.
    preset
        The key or title of an example instead, see :data:`degnn_explore.views.content.PRESETS`.
    ask
        A question to answer first: verdict and subtrees stay hidden until the reader has said something. Whether a
        "yes", a "no" or a number was right is read off the verdict of the method shown, or given as ``answer``.
    tour
        The key of a guided tour to begin with, see :data:`degnn_explore.views.content.TOURS`.
    settings
        color_by ("SPD", "LP", "PageRank", "heat kernel", "DRNL", "zero-one", "RWSE", "LapPE", "1-WL", an encoding of
        your own or its name), column (of your own encoding), layer, step (of LP), hops (more than 1: DEA), cut, layout,
        size.

    Examples
    --------
    >>> import degnn_explore as de
    >>> explorer = de.Explorer((de.zoo.figure1(), {2}), (de.zoo.figure1(), {3}), layer=2)
    >>> explorer.observe(lambda change: print(change["new"]), "targets")
    >>> explorer.targets = [[2, 7], [3]]
    [[2, 7], [3]]
    """

    _script = t.Unicode(SCRIPT).tag(sync=True)
    _esm = loader(SCRIPT, "renderExplorer")
    _css = read("panel.css")
    from_page = frozenset({"targets", "values", "view", "lesson", "xy"})

    targets: Any = t.List(t.List()).tag(sync=True)
    """The target set of each side, as node numbers in the order of picking. Observe it, or set it."""
    values: Any = t.Dict().tag(sync=True)
    """The settings by name, and "toggle": the encoding that *plain GNN | + distance* goes back to."""
    view: Any = t.Dict().tag(sync=True)
    """How a reader looks at it: what is open, folded or named, zoom. Written by the page alone."""
    options: Any = t.Dict().tag(sync=True)
    """What there is to choose from: examples, tours, colorings, layouts, words."""
    graphs: Any = t.Dict().tag(sync=True)
    """Titles, names and notes of the drawn nodes, and where each side begins."""
    xy = t.Bytes(b"").tag(sync=True)  # float32 [drawn, 2], y upwards
    edges = t.Bytes(b"").tag(sync=True)  # uint32 [m, 2]
    codes = t.Bytes(b"").tag(sync=True)  # uint16 [drawn]: each node's label before the first layer
    numbers = t.Bytes(b"").tag(sync=True)  # float32 [drawn] where labels are only bins of a real number, else empty
    classes = t.Bytes(b"").tag(sync=True)  # uint32 [layers + 1, drawn]
    seen: Any = t.Dict().tag(sync=True)
    """What the codes and classes mean: labels, method, layers; around large targets the arcs near them."""
    pills: Any = t.Dict().tag(sync=True)
    """The verdict of each method as the page shows it, and why methods fail; see :attr:`verdicts`."""
    lesson: Any = t.Dict().tag(sync=True)
    """A tour and its step, or a question and the reader's answer; empty: none."""
    opening: Any = t.Dict().tag(sync=True)
    """How far a file is that is being opened, or the facts of the graph that was opened."""
    busy = t.Unicode("").tag(sync=True)

    def __init__(
        self,
        a: Any = None,
        b: Any = None,
        *,
        preset: str | None = None,
        ask: str = "",
        answer: str = "",
        tour: str = "",
        **settings: Any,
    ) -> None:
        if a is not None and preset is not None:
            raise ParameterError("Give a graph or a preset, not both.")
        if a is None and b is not None:
            raise ParameterError("Give the first graph as well, or none for the example.")
        file = None if b is not None else large_file(a)
        self.state = ExplorerState.of_preset(preset or "fig1") if a is None or file else ExplorerState(a, b)
        self.state.update(**settings)
        self._toggle = self.state.color_by if self.state.color_by != PLAIN else "SPD"
        self._drawn: list[NDArray[np.int64]] = []  # of each side, the nodes that are drawn, ascending
        self._quiet = False  # while Python itself writes targets and values
        self._worker = VerdictWorker(lambda found: self.put(pills=found), self._tell_busy, self.show_error)
        self._opening = Opening(lambda progress: self.put(opening=progress), self._opened, self.show_error)
        super().__init__(options=_options())
        with CellNote() as note, on_compiling(note.tell):  # no page can say it yet
            self._show({"graphs"})
        self.observe(self._take_targets, "targets")
        self.observe(self._take_values, "values")
        if ask:
            self.put(lesson={"kind": "ask", "question": ask, "expected": answer, "reply": None})
        if file is not None:
            self.put(view={"open": "file"})
            self._opening.begin(str(file), partial(read_graph, file))
        if tour:
            self.tour(tour)

    # ---- for code -----------------------------------------------------------------------------

    @property
    def verdicts(self) -> dict[str, Any]:
        """The verdicts found so far, by method."""
        return dict(self._worker.found)

    def show(self, state: ExplorerState) -> None:
        """Shows another state: other graphs, targets and settings."""
        with self.turn:
            kept = [side.graph for side in state.sides] == [side.graph for side in self.state.sides]
            same = kept and state.layout == self.state.layout and state.preset_key == self.state.preset_key
            self.state = state
            self._toggle = state.color_by if state.color_by != PLAIN else self._toggle
            self._show({"targets", *SETTINGS} if same else {"graphs"})

    def tour(self, name: str = "hexagon", at: int = 0) -> None:
        """Begins a guided tour, or shows a step of it; see :data:`degnn_explore.views.content.TOURS`."""
        guided = find_tour(name)
        step = guided.steps[at]
        self.show(self.state.arranged(step.preset, step.targets, step.settings))
        lesson = {"kind": "tour", "key": guided.key, "title": guided.title, "at": at, "of": len(guided.steps)}
        self.put(lesson=lesson | {"text": step.text, "look": step.look})

    def code(self) -> str:
        """Python that opens the same Explorer, to paste."""
        return as_python(self.state)

    def svg(self, what: str = "graph") -> str:
        """The graph or the "tree" as an SVG document."""
        check_choice("what", what, ("graph", "tree"))
        return svg.graph(self.state) if what == "graph" else svg.tree(self.state)

    def html(self) -> str:
        """The ego-network of S as a draggable page (pyvis), colored and labeled as here; it needs no network."""
        return ego_network.page(self.state)

    def page(self, file: str | os.PathLike[str], tour: str = "") -> Path:
        """Writes one HTML file in which a reader explores on without a kernel and without a network.

        A reader may pick any single target, on graphs up to 60 nodes any pair, change method and layer, and sees
        subtrees and verdicts.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Explorer(preset="hexagon").page(f"{folder}/lesson.html", tour="hexagon").name
        'lesson.html'
        """
        return save(file, offline_page.page(self, tour))

    def wait(self, seconds: float = 60.0) -> None:
        """Waits until the chosen file is open and the verdicts are in, for scripts and tests."""
        self._opening.wait(seconds)
        self._worker.wait(seconds)

    def static(self) -> tuple[str, str]:
        """Graphs and subtrees as a picture with a caption, for viewers without a kernel."""
        if self._opening.busy:
            note = f"{self._opening.name} was being opened when this cell ran; run it again to see the graph."
            return note, figure(note)
        self._worker.wait(0.3)  # the verdicts of a small graph are in by then
        caption = svg.caption(self.state, self.verdicts)
        pictures = (image(svg.graph(self.state), "The graphs"), image(svg.tree(self.state), "Their subtrees"))
        return caption, figure(caption, *pictures)

    def end(self) -> None:
        """Stops looking for verdicts and opening a file, and lets go of the arrays."""
        if not hasattr(self, "_worker"):  # the constructor raised
            return
        self._worker.stop()
        self._opening.stop()
        self.unobserve_all()
        for name in ("xy", "edges", "codes", "classes"):
            self.set_trait(name, b"")

    # ---- from the page ------------------------------------------------------------------------

    def _take_targets(self, change: dict[str, Any]) -> None:
        if self._quiet:
            return
        before = vars(self.state).copy()
        try:
            with self.turn:
                self.state.set_targets(change["new"])
                self._show({"targets"})
        except Exception:
            vars(self.state).update(before)  # what is shown stays as it is
            self._put_targets()
            raise

    def _take_values(self, change: dict[str, Any]) -> None:
        if self._quiet:
            return
        new, before, toggle = dict(change["new"]), vars(self.state).copy(), self._toggle
        self._toggle = new.pop("toggle", toggle)
        try:
            with self.turn:
                self._show(self.state.update(**new))
        except Exception:
            vars(self.state).update(before)
            self._toggle = toggle
            self._put_values()
            raise

    def do(self, name: str, content: dict[str, Any]) -> None:
        """Handles a command from the page."""
        commands: dict[str, Callable[[dict[str, Any]], None]] = {
            "example": lambda content: self.show(ExplorerState.of_preset(find_preset(content["key"]))),
            "compare": self._compare,
            "tour": lambda content: self.tour(content["key"], int(content.get("at", 0))),
            "open": self._open_path,
            "cancel": lambda content: self._opening.stop(),
            "more": self._draw_more,
            "search": self._search,
            "export": self._export,
        }
        commands[check_choice("command", name, commands)](content)

    def _compare(self, content: dict[str, Any]) -> None:
        self.state.compare(bool(content["on"]))
        self._show({"graphs"})

    def _open_path(self, content: dict[str, Any]) -> None:
        if is_page():
            raise ParameterError("Files of the machine that serves this page cannot be opened; upload one instead.")
        path = str(content["path"]).strip()
        self._opening.begin(path, partial(read_graph, Path(path).expanduser()))

    def uploaded(self, name: str, content: bytes) -> None:
        """Opens an uploaded file."""
        self._opening.begin(name, partial(read_own, name, content))

    def _opened(self, name: str, graph: Graph, found: Summary) -> None:
        self.open_graph(graph)
        self.put(opening={"name": Path(name).name, "facts": list(found.facts.items())})

    def open_graph(self, graph: Graph) -> None:
        """Shows another graph, with its cleaning report."""
        fresh = ExplorerState(Side(graph, (int(graph.degrees.argmax()),)))
        fresh.idea = f"{graph!r}: {graph.cleaning}. Click nodes to pick a target set."
        self.show(fresh)

    def _draw_more(self, _: dict[str, Any]) -> None:
        self.state.shown_limit = min(self.state.shown_limit * 2, MAX_DRAWN)
        self._show({"graphs"})

    def _search(self, content: dict[str, Any]) -> None:
        text = str(content["text"])[:100]
        found = search([side.graph for side in self.state.sides], text)
        self.send({"kind": "matches", "text": text, "items": [list(match) for match in found]})

    def _export(self, content: dict[str, Any]) -> None:
        what = check_choice(
            "what", content["what"], ("graph.svg", "tree.svg", "graph.png", "tree.png", "page", "ego", "code")
        )
        if what in ("page", "ego"):
            self._tell_busy("writing the page")
        try:
            if what == "code":
                self.send({"kind": "copy", "text": self.code()})
            elif what == "page":
                self._download("explorer.html", offline_page.page(self), "text/html")
            elif what == "ego":
                self._download("ego_network.html", self.html(), "text/html")
            else:
                self._download(what, self.svg(what.split(".")[0]), "image/svg+xml")
        finally:
            self.put(busy="")

    def _download(self, name: str, text: str, mime: str) -> None:
        self.send({"kind": "download", "name": name, "mime": mime, "text": text})

    # ---- to the page --------------------------------------------------------------------------

    def _show(self, changed: set[str]) -> None:
        """Sends what changed: whole graphs, or only what the network sees of them."""
        state = self.state
        new = changed & {"graphs", "layout"} or (
            "targets" in changed and (state.layout == "concentric" or state.outgrown())
        )
        with self.turn, self.hold_sync(), on_compiling(self._tell_busy):
            if new:
                self._draw_graphs()
            deeper = "layer" in changed and state.layer > self.seen.get("layers", 0)
            if new or deeper or changed - {"layer", "layout", "root"}:
                self._draw_seen()
            self._put_targets()
            self._put_values()
            if changed - {"layer", "layout", "root"} or new:
                self._worker.ask(Question.of(state))

    def _tell_busy(self, what: str) -> None:
        """Shows on the page what takes a while ("": nothing), at once: other changes wait for the end of the work."""
        self.busy = f"{what[0].upper()}{what[1:]}…" if what else ""
        self.send_state("busy")

    def _put_targets(self) -> None:
        self._quietly(targets=[list(side.targets) for side in self.state.sides])

    def _put_values(self) -> None:
        values = {name: getattr(self.state, name) for name in SETTINGS}
        self._quietly(values=values | {"toggle": self._toggle})

    def _quietly(self, **traits: Any) -> None:
        self._quiet = True
        try:
            self.put(**traits)
        finally:
            self._quiet = False

    def _draw_graphs(self) -> None:
        state = self.state
        count = sum(side.graph.num_nodes for side in state.sides)
        if count > 1_000 and state.layout == "force":
            self._tell_busy(f"laying out {count:,} nodes")
        drawn = [state.excerpt(k) for k in range(len(state.sides))]
        self._drawn = [part.nodes for part in drawn]
        starts = np.cumsum([0, *map(len, self._drawn)]).tolist()
        edges = np.concatenate([part.graph.edges + start for part, start in zip(drawn, starts, strict=False)])
        notes = [note for part in drawn for note in note_column(part.graph) or [""] * part.graph.num_nodes]
        xy = np.concatenate([state.positions(k) for k in range(len(drawn))])
        self.put(
            graphs={
                "titles": [side.graph.title for side in state.sides],
                "same": len(state.sides) == 2 and state.sides[0].graph is state.sides[1].graph,
                "names": [node_name(side.graph, i) for k, side in enumerate(state.sides) for i in self._drawn[k]],
                "notes": notes if any(notes) else [],
                "starts": starts,
                "nodes": [side.graph.num_nodes for side in state.sides],
                "drawn": [part.tolist() if state.is_large(k) else [] for k, part in enumerate(self._drawn)],
                "more": any(state.is_large(k) for k in range(len(drawn))) and state.shown_limit < MAX_DRAWN,
                "coast": layouts.coastline(state.sides[0].graph) if state.layout == "geography" else [],
                "example": state.preset_key,
                "title": state.title,
                "idea": state.idea,
                "layouts": state.layouts(),
            },
            xy=_bytes(xy, "<f4"),
            edges=_bytes(edges, "<u4"),
            options=_options(),
            busy="",
        )

    def _draw_seen(self) -> None:
        state = self.state
        total = sum(side.graph.num_nodes for side in state.sides)
        layers = MAX_LAYER if total <= ALL_LAYERS else state.layer
        labels, classes = state.labels(), state.classes(layers)
        here = [(rows[:, nodes], k) for k, (rows, nodes) in enumerate(zip(classes, self._drawn, strict=True))]
        self.put(
            seen={
                "targets": [list(side.targets) for side in state.sides],
                "serial": self.seen.get("serial", 0) + 1,
                "method": state.method.name,
                "color_by": state.color_by,
                "hops": state.hops if state.method.many_hops else 1,
                "cut": state.cut,
                "title": labels.title,
                "note": labels.note,
                "labels": [[label.text, label.mark, label.far] for label in labels.table],
                "layers": layers,
                "columns": list(state.columns()),
                "net": [
                    self._net(k, classes[k], labels.codes[k]) for k in range(len(state.sides)) if state.is_large(k)
                ],
            },
            codes=_bytes(np.concatenate([labels.codes[k][nodes] for k, nodes in enumerate(self._drawn)]), "<u2"),
            numbers=b""
            if labels.values is None
            else _bytes(np.concatenate([labels.values[k][nodes] for k, nodes in enumerate(self._drawn)]), "<f4"),
            classes=_bytes(np.concatenate([rows for rows, _ in here], axis=1), "<u4"),
        )

    def _net(self, side: int, classes: NDArray[np.int64], codes: NDArray[np.int64]) -> dict[str, Any]:
        """Of a graph that is drawn in part: the nodes within ``layer`` hops of its targets, their arcs and classes."""
        here = self.state.sides[side]
        graph = here.graph.cut(here.nodes) if self.state.cut and len(here.targets) > 1 else here.graph
        inner, ball = np.zeros(0, dtype=np.int64), np.unique(here.nodes)
        depth = 0
        while depth < self.state.layer and graph.degrees[ball].sum() <= _NET_ARCS:
            inner, depth = ball, depth + 1
            ball = np.unique(np.concatenate([ball, *(graph.neighbors(int(u)) for u in ball)]))
        return {
            "side": side,
            "depth": depth,
            "nodes": ball.tolist(),
            "names": [node_name(graph, int(u)) for u in ball],
            "arcs": [np.searchsorted(ball, graph.neighbors(int(u))).tolist() if u in inner else [] for u in ball],
            "classes": classes[: depth + 1, ball].tolist(),
            "codes": codes[ball].tolist(),
        }


def _options() -> dict[str, Any]:
    return {
        "examples": [[example.key, example.title] for example in PRESETS.values()],
        "tours": [[guided.key, guided.title] for guided in TOURS.values()],
        "colorings": [
            *([key, words] for key, words in COLORINGS.items()),
            *([name, f"{name} (yours)"] for name in REGISTRY),
        ],
        "words": [[term.name, term.pattern, term.line] for term in TERMS],
        "upload": UPLOAD_HINT,
        "paths": not is_page(),
        "max_layer": MAX_LAYER,
        "recorded": False,
    }


def _bytes(values: NDArray[Any], kind: str) -> bytes:
    return np.ascontiguousarray(values, dtype=kind).tobytes()
