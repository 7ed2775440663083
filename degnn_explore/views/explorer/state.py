"""What the Explorer shows, as plain Python: graphs, target sets, settings. Widgets observe it; tests need none."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...common.errors import ParameterError, TargetError, one_of, whole_number
from ...encodings.own import OWN
from ...encodings.paths import Distance
from ...graphs.graph import Graph, Targets
from ...reading.catalogue import as_graph
from ..widgets.html import node_name
from . import colouring, layouts
from .colour_menu import colour_key, offered
from .excerpt import FIRST_DRAWN, MAX_DRAWN, Excerpt, excerpt_of
from .presets import Preset, build, preset, starting_targets

SETTINGS = ("colour_by", "column", "layer", "step", "hops", "cut", "layout", "size", "root")
MAX_LAYER = 6
MAX_TARGETS = 100
_RANGES = {
    "layer": (0, MAX_LAYER),
    "step": (0, 20),
    "hops": (1, 4),
    "size": (0, 10),
    "root": (0, 1_000),
    "column": (0, 9_999),
}


@dataclass(frozen=True)
class Side:
    """A graph, its target set in the order of picking, and where the graph came from ("" if it was handed in)."""

    graph: Graph
    targets: tuple[int, ...] = ()
    source: str = ""

    @property
    def nodes(self) -> NDArray[np.int64]:
        """The targets as an array, which the library takes as positions and not as a reader's numbers."""
        return np.array(self.targets, dtype=np.int64)


class ExplorerState:
    """One or two sides, how they are coloured, and who wants to know of changes.

    >>> state = ExplorerState.of_preset("fig1")
    >>> state.pick(0, 5)
    >>> state.sides[0].targets, state.caption(0)
    ((5,), 'A = {v5}, p = 1')
    >>> [(e.label, e.counts) for e in state.coloured().entries[:-1]]
    [('0', (1, 1)), ('1', (3, 3)), ('2', (3, 4)), ('3', (1, 0))]
    """

    def __init__(self, a: Any, b: Any = None) -> None:
        self.sides: tuple[Side, ...] = tuple(_side(x) for x in (a, b) if x is not None)
        self.colour_by = "SPD"
        self.layer = 2 if max(side.graph.num_nodes for side in self.sides) <= 100 else 1
        self.step = self.hops = 2
        self.cut = False
        self.size = self.root = self.active = self.column = 0
        self.idea = self.preset_key = ""
        self.shown_limit = FIRST_DRAWN
        self.layout = self.layouts()[0]
        self._turn = RLock()  # one change is drawn at a time: a graph that was opened arrives from another thread
        self._listeners: list[Callable[[set[str]], None]] = []
        self._kept: dict[str, colouring.Colouring] = {}  # what was computed since the last change
        self._excerpts: dict[int, tuple[Graph, int, Excerpt]] = {}

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
        with self._turn:
            self._kept.clear()
            for act in list(self._listeners):
                act(set(changed))

    def take(self, other: ExplorerState) -> None:
        """Becomes a copy of ``other`` but keeps its own listeners: how presets and files are opened."""
        with self._turn:
            self.__dict__.update(other.__dict__ | {"_listeners": self._listeners, "_turn": self._turn})
            self._tell("graphs")

    def arrange(self, preset: str, targets: Sequence[Targets], settings: Mapping[str, Any]) -> None:
        """An example with other targets and settings than it opens with; what is there already is not drawn anew."""
        fresh = ExplorerState.of_preset(preset)
        for side, S in enumerate(targets):
            fresh.choose(side, S)
        fresh.update(**settings)
        if self.preset_key != preset or [side.source for side in self.sides] != [side.source for side in fresh.sides]:
            return self.take(fresh)
        moved = {k: side.targets for k, side in enumerate(fresh.sides) if side.targets != self.sides[k].targets}
        self.update(**{name: getattr(fresh, name) for name in SETTINGS})
        if moved:
            self._set_targets(moved)

    # ---- picking ------------------------------------------------------------------------------

    def pick(self, side: int, node: int | np.integer[Any]) -> None:
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

    def add(self, side: int, nodes: Iterable[int | np.integer[Any]]) -> None:
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
        graph = self.sides[side].graph
        # positions: a click says which node, not a reader's number
        given = [np.int64(v) if type(v) is int and 0 <= v < graph.num_nodes else v for v in nodes]
        return [int(v) for v in graph.target_set(given)] if given else []

    def _set_targets(self, new: dict[int, tuple[int, ...]]) -> None:
        self.sides = tuple(replace(side, targets=new.get(k, side.targets)) for k, side in enumerate(self.sides))
        self.root = min(self.root, max(max(len(side.targets) for side in self.sides) - 1, 0))
        self._tell("targets")

    # ---- settings -----------------------------------------------------------------------------

    def update(self, **settings: Any) -> None:
        """Changes settings by name: colour_by, column, layer, step, hops, cut, size, layout, root."""
        for name, value in settings.items():
            if name == "colour_by":
                settings[name] = colour_key(value)
            elif name == "layout":
                one_of(name, value, self.layouts())
            elif name == "cut":
                settings[name] = bool(one_of(name, value, (True, False)))
            elif name in _RANGES:
                low, high = _RANGES[name]
                if whole_number(name, value, least=low) > high:
                    raise ParameterError(f"{name} must be at most {high}, not {value}.")
            else:
                one_of("setting", name, SETTINGS)
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
        if self.layout not in self.layouts():
            self.layout = self.layouts()[0]
        self._tell("graphs")

    @property
    def by_class(self) -> bool:
        """Whether classes of a method are shown, and no encoding."""
        return self.colour_by not in colouring.SHOWN and self.colour_by not in OWN

    # ---- what is drawn ------------------------------------------------------------------------

    def layouts(self) -> list[str]:
        """The layouts that every side can be drawn in."""
        offered = [layouts.available(side.graph) for side in self.sides]
        return [name for name in offered[0] if name in offered[-1]]

    def colourings(self) -> list[tuple[str, str]]:
        """What the graphs can be coloured by, each with its key; one that needs other sets says so beside its name."""
        pairs = all(len(side.targets) == 2 for side in self.sides)
        return [(label if pairs or key != "DRNL" else "DRNL (needs p = 2)", key) for key, label in offered().items()]

    def columns(self) -> tuple[str, ...]:
        """Those of the encoding of one's own that the graphs are coloured by; none for anything else."""
        return OWN[self.colour_by].columns if self.colour_by in OWN else ()

    def is_large(self, side: int) -> bool:
        """Whether the graph is drawn in part only."""
        return self.sides[side].graph.num_nodes > MAX_DRAWN

    def excerpt(self, side: int) -> Excerpt:
        """What is drawn of a side: it stays while it holds all targets, so that picking never moves the picture."""
        here = self.sides[side]
        graph, limit, kept = self._excerpts.get(side, (None, 0, None))
        if kept is None or graph is not here.graph or limit != self.shown_limit or not _holds(kept, here.nodes):
            kept = excerpt_of(here.graph, here.targets, self.shown_limit)
            self._excerpts[side] = here.graph, self.shown_limit, kept
        return kept

    def outgrown(self) -> bool:
        """Whether a target lies outside what is drawn of a large graph, which must then be drawn anew."""
        large = [k for k in self._excerpts if k < len(self.sides) and self.is_large(k)]
        return not all(_holds(self._excerpts[k][2], self.sides[k].nodes) for k in large)

    def show_more(self) -> None:
        """Doubles how much of a large graph is drawn."""
        self.shown_limit = min(self.shown_limit * 2, MAX_DRAWN)
        self._tell("graphs")

    def positions(self, side: int) -> NDArray[np.float64]:
        """Where the drawn nodes are. [drawn, 2]"""
        drawn = self.excerpt(side)
        return layouts.place(drawn.graph, self.layout, np.flatnonzero(np.isin(drawn.nodes, self.sides[side].nodes)))

    def coloured(self, by: str = "") -> colouring.Colouring:
        """The colour of every node of every side, and the legend, as set or by another of the colourings.

        Computed once a change: the graph, the trees and every tip ask for it.
        """
        by = by or self.colour_by
        if by not in self._kept:
            picks = [(side.graph, side.nodes) for side in self.sides]
            encoding = colouring.encoding_of(by, self.step, max(graph.num_nodes for graph, _ in picks))
            if encoding is not None:
                self._kept[by] = colouring.by_encoding(picks, encoding, self.cut, *self.legend_of(by))
            else:
                self._kept[by] = colouring.by_class(picks, by, self.layer, self.hops, self.cut)
        return self._kept[by]

    def legend_of(self, by: str) -> tuple[int, str]:
        """The column that stands for an encoding, and what its legend is headed with ("": what it says itself)."""
        if by not in OWN:
            return -1, ""
        columns = OWN[by].columns
        column = min(self.column, len(columns) - 1)
        return column, by if columns == (by,) else f"{by}: {columns[column]}"

    def tip(self, side: int, node: int | np.integer[Any]) -> list[str]:
        """What the colour of a node does not say already: its distances, and its class after the layers shown."""
        here = self.sides[side]
        if not here.targets:
            return []
        lines = []
        if self.colour_by != "SPD":
            far = Distance().shown(here.graph, here.nodes, self.cut)[node]
            lines.append(f"distance to S: {Distance().label(far)}")
        if not self.by_class and here.graph.num_nodes <= 5_000:
            classes = self.coloured("DE-SPD")
            same = sum(int((codes == classes.codes[side][node]).sum()) for codes in classes.codes)
            lines.append(f"{classes.title}: {classes.label(side, node)} (of {same})")
        return lines

    # ---- texts --------------------------------------------------------------------------------

    def letter(self, side: int) -> str:
        """A and B, or S where there is only one set."""
        return "S" if len(self.sides) == 1 else "AB"[side]

    def caption(self, side: int) -> str:
        """The target set as text, such as ``A = {v2}, p = 1``."""
        here, letter = self.sides[side], self.letter(side)
        names = [node_name(here.graph, t) for t in here.targets]
        listed = ", ".join(names[:6]) + (f", … {len(names) - 6} more" if len(names) > 6 else "")
        text = f"{letter} = {{{listed}}}" if names else f"{letter}: click a node"
        title = here.graph.title
        if len({s.graph.title for s in self.sides}) > 1 and len(title) <= 24:
            text += f" · {title}"  # and no p: half a card has room for one line
        elif names:
            text += f", p = {len(names)}"
        if self.is_large(side):
            text += f" · {len(self.excerpt(side).nodes):,} of {here.graph.num_nodes:,} nodes drawn"
        return text


def _holds(drawn: Excerpt, nodes: NDArray[np.int64]) -> bool:
    return bool(np.isin(nodes, drawn.nodes).all())


def _side(given: Any) -> Side:
    if isinstance(given, Side):
        return given
    whose, S = given if isinstance(given, tuple) and len(given) == 2 else (given, ())
    try:
        graph = as_graph(whose)
    except ParameterError:
        raise TargetError(
            f"An Explorer shows a graph or a pair (graph, target set), not {given!r:.80}; a graph is a Graph, one of "
            "networkx or PyG, a DataFrame of edges, a file's name, or a name of de.datasets()."
        ) from None
    empty = S is None or (isinstance(S, Collection) and not len(S)) or (isinstance(S, np.ndarray) and not S.size)
    return Side(graph, () if empty else tuple(graph.target_set(S).tolist()))
