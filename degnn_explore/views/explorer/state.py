"""What the Explorer shows, as plain Python: graphs, target sets, settings. Widgets observe it; tests need none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...common.errors import ParameterError, TargetError, one_of, whole_number
from ...encodings.paths import Distance
from ...graphs.distances import distances
from ...graphs.graph import Graph, Targets
from ..widgets.html import node_name
from . import colouring, layouts
from .presets import Preset, build, preset, starting_targets

__all__ = ["COLOURINGS", "MAX_DRAWN", "MAX_LAYER", "ExplorerState", "Side"]

COLOURINGS = {
    "SPD": "distance (SPD)",
    "LP": "landing probability",
    "PageRank": "PageRank",
    "DRNL": "DRNL labels",
    "1-WL": "classes: 1-WL (plain GNN)",
    "DE-SPD": "classes: DE-SPD",
    "DE-LP": "classes: DE-LP",
    "DEA-SPD": "classes: DEA-SPD, K hops",
}
MAX_LAYER = 6
MAX_DRAWN = 20_000
MAX_TARGETS = 100
_FIRST_SHOWN = 1_500


@dataclass(frozen=True)
class Side:
    """A graph, its target set in the order of picking, and where the graph came from ("" if it was handed in)."""

    graph: Graph
    targets: tuple[int, ...] = ()
    source: str = ""


class ExplorerState:
    """One or two sides, how they are coloured, and who wants to know of changes.

    Parameters
    ----------
    a, b
        A graph, or a pair (graph, target set); ``b`` for a comparison.

    Examples
    --------
    >>> state = ExplorerState.of_preset("fig1")
    >>> state.pick(0, 5)
    >>> state.sides[0].targets, state.caption(0)
    ((5,), 'A = {v5}, p = 1')
    >>> [(e.label, e.counts) for e in state.coloured().entries[:-1]]
    [('0', (1, 1)), ('1', (3, 3)), ('2', (3, 4)), ('3', (1, 0))]
    """

    def __init__(
        self, a: Graph | tuple[Graph, Targets] | Side, b: Graph | tuple[Graph, Targets] | Side | None = None
    ) -> None:
        self.sides: tuple[Side, ...] = tuple(_side(x) for x in (a, b) if x is not None)
        self.colour_by = "SPD"
        self.step = 2
        self.layer = 2 if max(side.graph.num_nodes for side in self.sides) <= 100 else 1
        self.hops = 2
        self.cut = False
        self.size = 0
        self.root = 0
        self.idea = ""
        self.preset_key = ""
        self.report = ""
        self.active = 0
        self.shown_limit = _FIRST_SHOWN
        self.layout = self._best_layout()
        self._listeners: list[Callable[[set[str]], None]] = []
        self._classes: tuple[Any, colouring.Colouring] | None = None
        self._shown: dict[int, tuple[Any, NDArray[np.int64]]] = {}

    @classmethod
    def of_preset(cls, name: str | Preset) -> ExplorerState:
        """The state that a preset opens with."""
        chosen = name if isinstance(name, Preset) else preset(name)
        made: dict[str, Graph] = {}
        sides = []
        for source, wanted in zip(chosen.sources, chosen.targets, strict=True):
            graph = made[source] = made.get(source) or build(source)
            sides.append(Side(graph, starting_targets(graph, wanted), source))
        state = cls(*sides)
        state.colour_by, state.layer, state.cut, state.size = chosen.colour_by, chosen.layer, chosen.cut, chosen.size
        state.idea, state.preset_key = chosen.idea, chosen.key
        return state

    # ---- observing ----------------------------------------------------------------------------

    def observe(self, act: Callable[[set[str]], None]) -> None:
        """Calls ``act`` after every change with the set of what changed: "graphs", "targets", "layout", settings."""
        self._listeners.append(act)

    def _tell(self, *changed: str) -> None:
        for act in list(self._listeners):
            act(set(changed))

    def take(self, other: ExplorerState) -> None:
        """Becomes a copy of ``other`` but keeps its own listeners: how presets and files are opened."""
        keep = self._listeners
        self.__dict__.update(other.__dict__)
        self._listeners, self._shown = keep, {}
        self._tell("graphs")

    # ---- picking ------------------------------------------------------------------------------

    def pick(self, side: int, node: int) -> None:
        """Toggles a node; when the size p is fixed and S is full, the target picked first makes room."""
        chosen = self._checked(side, [node])[0]
        targets = self.sides[side].targets
        if chosen in targets:
            targets = tuple(t for t in targets if t != chosen)
        else:
            targets = (*targets, chosen)
            if self.size:
                targets = targets[-self.size :]
        self.active = side
        self._set_targets({side: targets})

    def add(self, side: int, nodes: Iterable[int]) -> None:
        """Adds nodes, as the lasso does; a fixed size gives way."""
        old = self.sides[side].targets
        new = tuple(dict.fromkeys([*old, *self._checked(side, nodes)]))
        if len(new) > MAX_TARGETS:
            raise TargetError(
                f"That would make a target set of {len(new):,} nodes; the Explorer shows up to {MAX_TARGETS}. "
                "Lasso fewer, or use de.colours and de.distinguish, which take any number."
            )
        if self.size and len(new) > self.size:
            self.size = 0
        self.active = side
        self._set_targets({side: new})

    def clear(self) -> None:
        """Empties every target set."""
        self._set_targets({k: () for k in range(len(self.sides))})

    def choose(self, side: int, S: Targets) -> None:
        """Replaces the target set of a side."""
        self._set_targets({side: tuple(int(v) for v in self.sides[side].graph.target_set(S))})

    def _checked(self, side: int, nodes: Iterable[Any]) -> list[int]:
        if not 0 <= side < len(self.sides):
            raise TargetError(f"There is no side {side}; there are {len(self.sides)}.")
        given = list(nodes)
        return [int(v) for v in self.sides[side].graph.target_set(given)] if given else []

    def _set_targets(self, new: dict[int, tuple[int, ...]]) -> None:
        self.sides = tuple(replace(side, targets=new.get(k, side.targets)) for k, side in enumerate(self.sides))
        self.root = min(self.root, max(max(len(side.targets) for side in self.sides) - 1, 0))
        self._tell("targets")

    # ---- settings -----------------------------------------------------------------------------

    def update(self, **settings: Any) -> None:
        """Changes settings by name: colour_by, layer, step, hops, cut, size, layout, root.

        Examples
        --------
        >>> state = ExplorerState.of_preset("hexagon")
        >>> state.update(colour_by="1-WL", layer=3)
        >>> state.layer
        3
        """
        ranges = {"layer": (0, MAX_LAYER), "step": (0, 20), "hops": (1, 4), "size": (0, 10), "root": (0, 1_000)}
        for name, value in settings.items():
            if name == "colour_by":
                one_of(name, value, COLOURINGS)
            elif name == "layout":
                one_of(name, value, self.layouts())
            elif name == "cut":
                value = bool(value)
            elif name in ranges:
                low, high = ranges[name]
                if whole_number(name, value, least=low) > high:
                    raise ParameterError(f"{name} must be at most {high}, not {value}.")
            else:
                one_of("setting", name, ["colour_by", "layout", "cut", *ranges])
        changed = {name for name, value in settings.items() if getattr(self, name) != value}
        for name in changed:
            setattr(self, name, settings[name])
        if "size" in changed and self.size:
            self.sides = tuple(replace(side, targets=side.targets[-self.size :]) for side in self.sides)
            changed.add("targets")
        if changed:
            self._tell(*changed)

    def compare(self, on: bool) -> None:
        """Shows the first graph a second time, with a target set of its own, or hides the second side."""
        if on == (len(self.sides) == 2):
            return
        first = self.sides[0]
        self.sides = (first, Side(first.graph, (), first.source)) if on else (first,)
        self.active = 1 if on else 0
        self.layout = self.layout if self.layout in self.layouts() else self._best_layout()
        self._shown.clear()
        self._tell("graphs")

    # ---- what is drawn ------------------------------------------------------------------------

    def layouts(self) -> list[str]:
        """The layouts that every side can be drawn in."""
        common = [layouts.available(side.graph) for side in self.sides]
        return [name for name in common[0] if all(name in one for one in common)]

    def _best_layout(self) -> str:
        return self.layouts()[0]

    def is_large(self, side: int) -> bool:
        """Whether the graph is drawn in part only."""
        return self.sides[side].graph.num_nodes > MAX_DRAWN

    def shown(self, side: int) -> NDArray[np.int64]:
        """The nodes drawn: all, or for a large graph the nearest to S (or to the node of highest degree).

        The selection stays while it holds all targets, so that picking never moves the picture.
        """
        graph, targets = self.sides[side].graph, self.sides[side].targets
        if not self.is_large(side):
            return np.arange(graph.num_nodes)
        key, nodes = self._shown.get(side, (None, np.empty(0, dtype=np.int64)))
        if key == self.shown_limit and np.isin(targets, nodes).all():
            return nodes
        hops = distances(graph, list(targets) or [int(graph.degrees.argmax())])
        nearest = np.where(hops < 0, np.iinfo(np.int32).max, hops).min(axis=0)
        nodes = np.sort(np.argsort(nearest, kind="stable")[: self.shown_limit])
        self._shown[side] = (self.shown_limit, nodes)
        return nodes

    def show_more(self) -> None:
        """Doubles how much of a large graph is drawn."""
        self.shown_limit = min(self.shown_limit * 2, MAX_DRAWN)
        self._tell("graphs")

    def drawing(self, side: int) -> tuple[Graph, NDArray[np.int64]]:
        """The graph as drawn, and for each of its nodes the node of the whole graph."""
        graph, nodes = self.sides[side].graph, self.shown(side)
        return (graph, nodes) if not self.is_large(side) else (_induced(graph, nodes), nodes)

    def positions(self, side: int) -> NDArray[np.float64]:
        """Where the shown nodes are drawn. [shown, 2]"""
        graph, nodes = self.drawing(side)
        if self.layout == "force":
            return _force(graph)
        here = np.flatnonzero(np.isin(nodes, self.sides[side].targets)).tolist()
        return layouts.place(graph, self.layout, here)

    def coloured(self) -> colouring.Colouring:
        """The colour of every node of every side, and the legend."""
        picks = [(side.graph, side.targets) for side in self.sides]
        if self.colour_by in colouring.SHOWN:
            largest = max(side.graph.num_nodes for side in self.sides)
            return colouring.by_encoding(picks, colouring.SHOWN[self.colour_by](self.step, largest), self.cut)
        return colouring.by_class(picks, self.colour_by, self.layer, self.hops, self.cut)

    def tip(self, side: int, node: int) -> list[str]:
        """What the colour of a node does not say already: its distances, and its class after the layers shown."""
        lines = []
        here = self.sides[side]
        if self.colour_by != "SPD" and here.targets:
            far = Distance().shown(here.graph, np.array(here.targets), self.cut)[node]
            lines.append(f"distance to S: {Distance().label(far)}")
        if self.colour_by in colouring.SHOWN and here.targets and here.graph.num_nodes <= 5_000:
            picks = [(s.graph, s.targets) for s in self.sides]
            key = (self.sides, self.layer, self.cut)
            if self._classes is None or self._classes[0] != key:  # hovering asks again and again
                self._classes = key, colouring.by_class(picks, "DE-SPD", self.layer, self.hops, self.cut)
            classes = self._classes[1]
            same = sum(int((codes == classes.codes[side][node]).sum()) for codes in classes.codes)
            lines.append(f"{classes.title}: {classes.label(side, node)} (of {same})")
        return lines

    # ---- texts --------------------------------------------------------------------------------

    def letter(self, side: int) -> str:
        """A and B, or S where there is only one set."""
        return "S" if len(self.sides) == 1 else "AB"[side]

    def caption(self, side: int) -> str:
        """The target set as text, such as ``A = {v2}, p = 1``."""
        one = self.sides[side]
        names = [node_name(one.graph, t) for t in one.targets]
        listed = ", ".join(names[:6]) + (f", … {len(names) - 6} more" if len(names) > 6 else "")
        text = (
            f"{self.letter(side)} = {{{listed}}}, p = {len(names)}" if names else f"{self.letter(side)}: click a node"
        )
        graph = one.graph
        if len({s.graph.title for s in self.sides}) > 1 and len(graph.title) <= 24:
            text += f" · {graph.title}"
        if self.is_large(side):
            text += f" · {len(self.shown(side)):,} of {graph.num_nodes:,} nodes drawn"
        return text

    def search(self, text: str, limit: int = 12) -> list[tuple[int, int, str, str]]:
        """Nodes whose name, or else whose columns of text, hold ``text``: (side, node, name, note), best first.

        Examples
        --------
        >>> ExplorerState(Graph.from_edges([("Atlanta", "Boston"), ("Boston", "Natal")])).search("atl")
        [(0, 0, 'Atlanta', '')]
        """
        wanted = text.casefold().strip()
        found = []
        for k, side in enumerate(self.sides):
            if k and side.graph is self.sides[0].graph and k != self.active:
                continue
            if k != self.active and side.graph is self.sides[self.active].graph:
                continue
            notes = note_column(side.graph)
            for i in range(side.graph.num_nodes):
                name = node_name(side.graph, i)
                low, note = name.casefold(), notes[i] if notes else ""
                where = (
                    0
                    if low == wanted
                    else 1
                    if low.startswith(wanted)
                    else 2
                    if wanted in low
                    else 3
                    if note and wanted in note.casefold()
                    else 9
                )
                if where < 9:
                    found.append((where, k != self.active, k, i, name, note))
        found.sort(key=lambda row: row[:4])
        return [(k, i, name, note) for _, _, k, i, name, note in found[:limit]]


@lru_cache(maxsize=8)
def note_column(graph: Graph) -> list[str]:
    """A second line for each node, from its columns of text (city, state); empty if it has none.

    Examples
    --------
    >>> note_column(Graph.from_edges([(0, 1)], info={"city": ["Bonn", "Rome"], "size": [1, 2]}))
    ['Bonn', 'Rome']
    """
    columns = [
        column for key, column in graph.info.items() if column.dtype.kind == "U" and key.lower() not in ("name", "id")
    ][:3]
    return [", ".join(filter(None, map(str, row))) for row in zip(*columns, strict=True)] if columns else []


def _side(given: Graph | tuple[Graph, Targets] | Side) -> Side:
    if isinstance(given, Side):
        return given
    graph, S = given if isinstance(given, tuple) and len(given) == 2 else (given, ())
    if not isinstance(graph, Graph):
        raise TargetError(f"An Explorer shows a Graph or a pair (Graph, target set), not {given!r:.80}.")
    if S is None or (not isinstance(S, int | np.integer | str) and not len(list(S := list(S)))):
        return Side(graph)
    return Side(graph, tuple(int(v) for v in graph.target_set(S)))


@lru_cache(maxsize=16)
def _force(graph: Graph) -> NDArray[np.float64]:
    return layouts.force(graph)


def _induced(graph: Graph, nodes: Sequence[int] | NDArray[np.int64]) -> Graph:
    """The subgraph on the given nodes, with its positions and columns."""
    nodes = np.asarray(nodes)
    place = np.full(graph.num_nodes, -1, dtype=np.int64)
    place[nodes] = np.arange(len(nodes))
    ends = place[graph.edges]
    kept = ends[(ends >= 0).all(axis=1)]
    return _cached_induced(graph, kept.tobytes(), nodes.tobytes())


@lru_cache(maxsize=8)
def _cached_induced(graph: Graph, edges: bytes, nodes: bytes) -> Graph:
    # the same object for the same nodes, so that its layout is computed once
    chosen = np.frombuffer(nodes, dtype=np.int64)
    return Graph.from_edges(
        np.frombuffer(edges, dtype=np.int64).reshape(-1, 2),
        len(chosen),
        names=[graph.names[i] for i in chosen],
        title=graph.title,
        positions=None if graph.positions is None else graph.positions[chosen],
        info={key: column[chosen] for key, column in graph.info.items()},
    )
