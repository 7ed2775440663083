"""The Explorer's two pictures: its state as nodes, edges and colours for the canvas, and its subtrees."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..widgets.canvas import Canvas
from ..widgets.html import node_name
from ..widgets.subtree import SubtreeView
from .excerpt import note_column
from .state import ExplorerState
from .trees import view_of

_REMINDER = "click to pick · Shift-drag to lasso · arrows and Enter to walk · Esc to clear"
_HOME = [1.0, 0.0, 0.0]


class Scene:
    """Draws a state's graphs and subtrees, and knows which node of which side a drawn node is."""

    def __init__(self, state: ExplorerState, link: str) -> None:
        self.state = state
        self.graph = Canvas(link=link)
        self.tree = SubtreeView(link=link)
        self.nodes: list[NDArray[np.int64]] = []  # of each side, the nodes that are drawn, ascending
        self._coloured_by = ""
        self._edges = np.zeros((0, 2), dtype=np.int64)

    def whose(self, drawn: int) -> tuple[int, np.int64]:
        """The side of a drawn node, and its number in that side's whole graph."""
        side = int(np.searchsorted(self.graph.starts, drawn, side="right")) - 1
        return side, self.nodes[side][drawn - self.graph.starts[side]]

    def place(self, side: int, node: int) -> int:
        """The number under which a node is drawn."""
        return int(self.graph.starts[side] + np.searchsorted(self.nodes[side], node))

    def draw_graphs(self) -> None:
        """Both graphs anew: their nodes, edges and names."""
        state = self.state
        count = sum(side.graph.num_nodes for side in state.sides)
        if count > 200:  # the page hears of it before the work begins
            self.graph.busy = f"Laying out {count:,} nodes…"
        try:
            self._draw_graphs(state)
        finally:
            self.graph.busy = ""

    def _draw_graphs(self, state: ExplorerState) -> None:
        drawn = [state.excerpt(k) for k in range(len(state.sides))]
        self.nodes = [part.nodes for part in drawn]
        starts = np.cumsum([0, *map(len, self.nodes)]).tolist()
        self._edges = np.concatenate([part.graph.edges + start for part, start in zip(drawn, starts, strict=False)])
        notes = [note for part in drawn for note in note_column(part.graph) or [""] * part.graph.num_nodes]
        titles = {side.graph.title for side in state.sides}
        self.graph.put(
            positions=np.concatenate([state.positions(k) for k in range(len(drawn))]),
            edges=self._edges,
            starts=starts,
            names=[node_name(side.graph, i) for k, side in enumerate(state.sides) for i in self.nodes[k]],
            notes=notes if any(notes) else [],
            title="Two graphs" if len(titles) > 1 else titles.pop() or "Graph",
            note=_REMINDER,
            camera=_HOME,
            codes=np.zeros(starts[-1], dtype="<u2").tobytes(),
            targets=[],
            letters=[],
        )

    def recolour(self, edges_too: bool) -> None:
        """Other colours, targets and captions; ``edges_too``: and which edges are cut."""
        state = self.state
        sides = range(len(state.sides))
        coloured = state.coloured()
        values = coloured.values
        targets = [self.place(k, t) for k in sides for t in state.sides[k].targets]
        letters = [state.letter(k) for k in sides for _ in state.sides[k].targets]
        more: dict[str, Any] = {"edge_styles": self._cut_edges(targets)} if edges_too else {}
        self.graph.recolour(
            np.concatenate([coloured.codes[k][self.nodes[k]] for k in sides]),
            None if values is None else np.concatenate([values[k][self.nodes[k]] for k in sides]),
            legend=[entry.as_dict() for entry in coloured.entries],
            legend_title=coloured.title,
            legend_note=coloured.note,
            targets=targets,
            letters=letters,
            captions=[state.caption(k) for k in sides],
            **more,
        )

    def _cut_edges(self, targets: list[int]) -> bytes:
        """Dots for the edges that are cut: those inside one target set, for no edge joins two sides."""
        if not self.state.cut or len(targets) < 2:
            return b""
        chosen = np.zeros(self.graph.starts[-1], dtype=bool)
        chosen[targets] = True
        return bytes((2 * chosen[self._edges].all(axis=1)).astype("u1").tobytes())

    def draw_trees(self) -> None:
        """The subtrees anew; a reader's choice between 1-WL and the encoding stays until the graph's colours change."""
        by = self.state.colour_by
        if by != self._coloured_by:
            self._coloured_by, self.tree.method = by, "1-WL" if by == "1-WL" else "DE"
        self.tree.put(**view_of(self.state, self._drawn_as))

    def _drawn_as(self, side: int, node: int) -> int:
        """The number under which a node is drawn, -1 if it is not."""
        at = np.searchsorted(self.nodes[side], node)
        found = at < len(self.nodes[side]) and self.nodes[side][at] == node
        return int(self.graph.starts[side] + at) if found else -1
