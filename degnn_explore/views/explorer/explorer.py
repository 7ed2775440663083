"""The Explorer: pick target sets, see their distance encoding, their unrolled subtrees, and who tells them apart."""

from __future__ import annotations

import uuid
from typing import Any

import ipywidgets as W
import numpy as np

from ...common.errors import ParameterError
from ...graphs.graph import Graph, Targets
from ..widgets.canvas import Canvas
from ..widgets.html import box, button, error_box, guarded, node_name, tag
from . import controls, free_view, sharing, svg, trees
from .presets import preset as find_preset
from .state import COLOURINGS, MAX_DRAWN, ExplorerState, Side, note_column
from .verdict_table import Judge, Question, table

__all__ = ["Explorer"]

_REMINDER = "click to pick · Shift-drag to lasso · arrows and Enter to walk · Esc to clear"
_SYNCED = ("colour_by", "layer", "step", "hops", "cut", "layout", "size", "root")


class Explorer(W.VBox):
    """One panel in which a person sees what a plain GNN cannot see, and why distance encoding can.

    Parameters
    ----------
    a, b
        A graph, or a pair (graph, target set). With ``b`` two sets are compared. Without any, the paper's
        Fig. 1(a) opens.
    preset
        The key or title of an example instead, see :data:`degnn_explore.views.explorer.presets.PRESETS`.
    settings
        colour_by ("SPD", "LP", "PageRank", "DRNL", "1-WL", "DE-SPD", "DE-LP", "DEA-SPD"), layer, step, hops, cut,
        layout, size.

    Examples
    --------
    >>> import degnn_explore as de
    >>> explorer = de.Explorer((de.zoo.figure1(), {2}), (de.zoo.figure1(), {3}), layer=2)
    >>> explorer.state.pick(0, 7)
    >>> explorer.targets
    [[2, 7], [3]]
    """

    def __init__(
        self,
        a: Graph | tuple[Graph, Targets] | None = None,
        b: Graph | tuple[Graph, Targets] | None = None,
        *,
        preset: str | None = None,
        **settings: Any,
    ) -> None:
        if a is not None and preset is not None:
            raise ParameterError("Give a graph or a preset, not both.")
        if a is None and b is not None:
            raise ParameterError("Give the first graph as well, or none for the example.")
        self.state = ExplorerState.of_preset(preset or "fig1") if a is None else ExplorerState(a, b)
        if settings:
            self.state.update(**settings)
        super().__init__(self._build())
        self.add_class("de-explorer")
        self.state.observe(self._changed)
        self._quiet = False
        self._changed({"graphs"})

    @classmethod
    def restore(cls, code: str, graph: Graph | None = None) -> Explorer:
        """The Explorer that a code from Export stands for; ``graph`` if it was too large to be in the code.

        Examples
        --------
        >>> Explorer.restore(Explorer(preset="hexagon").share()).targets
        [[0], [0]]
        """
        one = cls()
        one.state.take(sharing.decode(code, graph))
        return one

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
        return svg.svg(self.graph_canvas if what == "graph" else self.tree_canvas)

    def html(self) -> str:
        """The subtrees as a standalone, free-moving page (pyvis) that needs no network."""
        return free_view.page(self._forest)

    def wait(self, seconds: float = 60.0) -> None:
        """Until the verdicts are in, for scripts and tests."""
        self._judge.wait(seconds)

    @property
    def verdicts(self) -> dict[str, Any]:
        """The verdicts found so far, by method."""
        return dict(self._found)

    # ---- building -----------------------------------------------------------------------------

    def _build(self) -> list[W.Widget]:
        link = uuid.uuid4().hex
        self._quiet = True
        self._found: dict[str, Any] = {}
        self._nodes: list[Any] = []
        self.graph_canvas = Canvas(link=link, height=300)
        self.tree_canvas = Canvas(
            link=link,
            height=300,
            pickable=False,
            stretch=True,
            title="Unrolled subtrees",
            description="Unrolled subtrees of the targets.",
        )
        self.graph_canvas.on_message(self._message)
        self._error, self._idea, self._table = W.HTML(), W.HTML(), W.HTML()
        self._error.layout.display = "none"
        self._control = controls.settings(self._from_control)
        self._more = button("Show more", "Draw a larger neighbourhood of S", self._show_more)
        self._roots = controls.root_menu(self._from_control)
        cards = box(
            "de-cards", box("de-card", self.graph_canvas, self._more), box("de-card", self.tree_canvas, self._roots)
        )
        verdicts = box("de-card", W.HTML(tag("b", "Can they be told apart?")), self._table)
        self._drawers = controls.Drawers(self)
        self._judge = Judge(self._show_verdicts, self.show_error)
        header, drawer = self._drawers.header, self._drawers.box
        return [header, drawer, self._error, self._idea, self._control.box, cards, verdicts]

    # ---- from the reader ----------------------------------------------------------------------

    @guarded
    def _from_control(self, name: str, value: Any) -> None:
        if self._quiet:
            return
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
    def open_graph(self, graph: Graph) -> None:
        """Shows another graph, with its cleaning report."""
        self.clear_error()
        fresh = ExplorerState(Side(graph, (int(graph.degrees.argmax()),)))
        fresh.idea = f"{graph!r}: {graph.cleaning}. Click nodes to pick a target set."
        self.state.take(fresh)

    @guarded
    def _show_more(self) -> None:
        self.state.show_more()

    @guarded
    def _message(self, message: dict[str, Any]) -> None:
        kind = message["type"]
        if kind == "pick":
            self.clear_error()
            self.state.pick(*self._whose(message["node"]))
        elif kind == "lasso":
            self.clear_error()
            by_side: dict[int, list[int]] = {}
            for scene in message["nodes"]:
                side, node = self._whose(scene)
                by_side.setdefault(side, []).append(node)
            for side, nodes in by_side.items():
                self.state.add(side, nodes)
        elif kind == "clear":
            self.clear_error()
            self.state.clear()
        elif kind == "search":
            found = self.state.search(str(message["text"]))
            two = len(self.state.sides) == 2
            items = [
                {"key": [k, i], "name": name, "note": f"in {self.state.letter(k)} {note}".strip() if two else note}
                for k, i, name, note in found
            ]
            self.graph_canvas.send({"type": "matches", "text": message["text"], "items": items})
        elif kind == "find":
            side, node = (int(x) for x in message["key"])
            if node not in self.state.sides[side].targets:
                self.state.pick(side, node)
            self.graph_canvas.send({"type": "focus", "node": self._scene(side, node)})
        elif kind == "tip":
            self.graph_canvas.send(
                {"type": "tip", "node": message["node"], "lines": self.state.tip(*self._whose(message["node"]))}
            )

    def _whose(self, scene: int) -> tuple[int, int]:
        """The side and the node of the graph that a drawn node is."""
        side = int(np.searchsorted(self.graph_canvas.starts, int(scene), side="right")) - 1
        return side, int(self._nodes[side][int(scene) - self.graph_canvas.starts[side]])

    def _scene(self, side: int, node: int) -> int:
        return int(self.graph_canvas.starts[side] + np.searchsorted(self._nodes[side], node))

    # ---- to the reader ------------------------------------------------------------------------

    def show_error(self, error: BaseException) -> None:
        """Shows an error above the graphs; nothing that fails stays unseen."""
        self._error.value = error_box(error)
        self._error.layout.display = ""

    def clear_error(self) -> None:
        """Takes the last error away."""
        if self._error.value:
            self._error.value = ""
            self._error.layout.display = "none"

    @guarded
    def _changed(self, changed: set[str]) -> None:
        follows = self.state.layout == "concentric" or self._outgrown()
        if changed & {"graphs", "layout"} or ("targets" in changed and follows):
            self._draw_graphs()
        self._recolour(changed)
        self._sync_controls()
        if changed - {"layout", "step"}:
            self._draw_trees()
        if changed & {"graphs", "targets", "hops", "cut"}:
            self._judge.ask(Question.of(self.state))
        if "graphs" in changed:
            self._idea.value = tag("div", self.state.idea, "de-idea")
            self._idea.layout.display = "" if self.state.idea else "none"
        self._drawers.refresh()

    def _outgrown(self) -> bool:
        """Whether a large graph must be drawn anew, because a target lies outside what is drawn."""
        return any(
            self.state.is_large(k) and not np.isin(side.targets, self._nodes[k]).all()
            for k, side in enumerate(self.state.sides)
            if k < len(self._nodes)
        )

    def _draw_graphs(self) -> None:
        state = self.state
        graphs, nodes, starts, positions, edges, names, notes = [], [], [0], [], [], [], []
        for k in range(len(state.sides)):
            graph, shown = state.drawing(k)
            graphs.append(graph)
            nodes.append(shown)
            positions.append(state.positions(k))
            edges.append(graph.edges + starts[-1])
            starts.append(starts[-1] + graph.num_nodes)
            names += [node_name(state.sides[k].graph, int(i)) for i in shown]
            notes += note_column(graph) or [""] * graph.num_nodes
        self._nodes = nodes
        self._edges = np.concatenate(edges)
        titles = {side.graph.title for side in state.sides}
        title = "Two graphs" if len(titles) > 1 else titles.pop() or "Graph"
        total = starts[-1]
        self.graph_canvas.put(
            positions=np.concatenate(positions),
            edges=self._edges,
            starts=starts,
            shares=[1.0] * len(starts[1:]),
            names=names,
            notes=notes if any(notes) else [],
            title=title,
            note=_REMINDER,
            camera=[1.0, 0.0, 0.0],
            height=300 if total <= 60 else 400,
            codes=np.zeros(total, dtype="<u2").tobytes(),
            targets=[],
            letters=[],
        )
        large = any(state.is_large(k) for k in range(len(state.sides)))
        self._more.layout.display = "" if large and state.shown_limit < MAX_DRAWN else "none"

    def _recolour(self, changed: set[str]) -> None:
        state = self.state
        coloured = state.coloured()
        codes = np.concatenate([coloured.codes[k][self._nodes[k]] for k in range(len(state.sides))])
        values = (
            None
            if coloured.values is None
            else np.concatenate([coloured.values[k][self._nodes[k]] for k in range(len(state.sides))])
        )
        targets, letters = [], []
        for k, side in enumerate(state.sides):
            targets += [self._scene(k, t) for t in side.targets]
            letters += [state.letter(k)] * len(side.targets)
        texts: dict[str, Any] = {}
        if changed & {"graphs", "layout", "targets", "cut"}:
            texts["edge_styles"] = self._edge_styles(targets, letters)
        self.graph_canvas.recolour(
            codes,
            values,
            legend=[entry.as_dict() for entry in coloured.entries],
            legend_title=coloured.title,
            legend_note=coloured.note,
            targets=targets,
            letters=letters,
            captions=[state.caption(k) for k in range(len(state.sides))],
            **texts,
        )

    def _edge_styles(self, targets: list[int], letters: list[str]) -> bytes:
        """Dots for the edges that are cut: those inside one target set."""
        if not self.state.cut or len(targets) < 2:
            return b""
        whose = np.zeros(self.graph_canvas.starts[-1], dtype=np.int64)
        whose[targets] = [1 + "SAB".index(letter) for letter in letters]
        inside = (whose[self._edges[:, 0]] > 0) & (whose[self._edges[:, 0]] == whose[self._edges[:, 1]])
        return bytes((2 * inside).astype("u1").tobytes())

    def _draw_trees(self) -> None:
        state = self.state
        self._forest = shown = trees.forest(state)
        positions = [trees.tidy(tree) for tree in shown.trees]
        starts = np.concatenate([[0], np.cumsum([len(tree) for tree in shown.trees])]).astype(int).tolist()
        marks = [None, None] if shown.comparison is None else [shown.comparison.branches_a, shown.comparison.branches_b]
        edges, styles, badges, tips, stands = [], [], [], [], []
        for k, tree in enumerate(shown.trees):
            below = np.arange(1, len(tree))
            edges.append(np.stack([tree.parent[1:], below], axis=1) + starts[k])
            mark = marks[k] if k < 2 else None
            styles.append(np.zeros(len(below)) if mark is None else mark[1:].astype(int))
            badges += [f"×{m}" if m > 1 else "" for m in tree.multiplicity]
            tips += [trees.tree_tip(tree, i) for i in range(len(tree))]
            drawn = set(self._nodes[shown.sides[k]].tolist()) if state.is_large(shown.sides[k]) else None
            stands += [
                [self._scene(shown.sides[k], u) for u in members if drawn is None or u in drawn]
                for members in tree.members
            ]
        letters = [state.letter(side) for side in shown.sides]
        captions = [
            f"{letter}: root {node_name(tree.graph, tree.root)}"
            for letter, tree in zip(letters, shown.trees, strict=True)
        ]
        legend = [entry.as_dict() for entry in shown.entries]
        self.tree_canvas.put(
            positions=np.concatenate([np.zeros((0, 2)), *positions]),
            edges=np.concatenate([np.zeros((0, 2), dtype=int), *edges]),
            starts=starts if len(starts) > 1 else [0, 0],
            shares=trees.shares(shown.trees) or [1.0],
            edge_styles=np.concatenate([np.zeros(0, dtype=int), *styles]),
            badges=badges,
            tips=tips,
            stands_for=stands,
            captions=captions,
            targets=starts[:-1] if shown.trees else [],
            letters=letters,
            note=shown.note,
            title=f"Unrolled subtree{'s' if len(shown.trees) > 1 else ''}, depth {shown.depth}",
            camera=[1.0, 0.0, 0.0],
            codes=shown.codes.astype("<u2").tobytes(),
            legend=legend,
            height=self.graph_canvas.height,
            legend_title="distance to S" if any(e["counts"] is not None for e in legend) else "",
        )

    def _show_verdicts(self, question: Question, found: dict[str, Any]) -> None:
        self._found = found
        self._table.value = table(question, found)

    def _sync_controls(self) -> None:
        """Controls follow the state, without answering back."""
        self._quiet = True
        try:
            state = self.state
            self._control.show(state, {name: getattr(state, name) for name in _SYNCED}, list(COLOURINGS.items()))
            most = max(len(side.targets) for side in state.sides)
            self._roots.show(most, state.root, visible=len(state.sides) == 2 and most > 1)
        finally:
            self._quiet = False
