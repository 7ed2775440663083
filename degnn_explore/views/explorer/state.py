"""What the Explorer shows, as plain Python: graphs, target sets and settings. Tests need no widget."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...common.errors import ParameterError, TargetError, check_choice, check_int
from ...encodings.base import Encoding
from ...encodings.custom import REGISTRY, name_of
from ...expressive.methods import AFTERWARDS, METHODS, Method, method_of
from ...graphs.graph import Graph, Targets
from ...reading.datasets import as_graph
from ..content import Preset, preset
from ..text import node_name
from . import layouts, seen
from .excerpt import FIRST_DRAWN, MAX_DRAWN, Excerpt, excerpt_of
from .presets import build, starting_targets

PLAIN = "1-WL"
SETTINGS = ("color_by", "column", "layer", "step", "hops", "cut", "size", "layout", "root")
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
COLORINGS = {
    "SPD": "distance",
    "LP": "random walks",
    "PageRank": "PageRank",
    "heat kernel": "heat kernel",
    "DRNL": "DRNL labels (p = 2)",
    "zero-one": "targets marked (zero-one)",
    "RWSE": "return probabilities (RWSE)",
    "LapPE": "Laplacian eigenvector (LapPE)",
}
LARGEST = {"RWSE": 5_000, "LapPE": 2_500}  # nodes, for encodings of the whole graph: one to two CPU-seconds


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
    """One or two sides, and one method and one layer that drive all that is shown of them.

    ``color_by`` is an encoding, "SPD" for distances, or "1-WL" for a plain GNN. Layer 0 shows what the encoding says,
    layer l the classes after l layers.

    >>> state = ExplorerState.of_preset("fig1")
    >>> state.choose(0, {5})
    >>> state.sides[0].targets, state.caption(0), state.method.name
    ((5,), 'A = {v5}', 'DE-SPD')
    >>> state.update(layer=0)
    {'layer'}
    >>> [(entry.text, entry.counts) for entry in state.colored().entries]
    [('target', (1, 1)), ('distance 1', (3, 3)), ('distance 2', (3, 4)), ('distance 3', (1, 0))]
    """

    def __init__(self, a: Any, b: Any = None) -> None:
        self.sides: tuple[Side, ...] = tuple(_side(x) for x in (a, b) if x is not None)
        self.color_by = "SPD"
        self.layer = 2 if max(side.graph.num_nodes for side in self.sides) <= 100 else 0
        self.step, self.hops = 2, 1
        self.cut = False
        self.size = self.root = self.column = 0
        self.idea = self.preset_key = ""
        self.shown_limit = FIRST_DRAWN
        self.layout = self.layouts()[0]
        self._excerpts: dict[int, tuple[Graph, int, Excerpt]] = {}

    @classmethod
    def of_preset(cls, name: str | Preset) -> ExplorerState:
        """The state that an example opens with."""
        chosen = name if isinstance(name, Preset) else preset(name)
        made: dict[str, Graph] = {}
        sides = []
        for source, wanted in zip(chosen.sources, chosen.targets, strict=True):
            graph = made[source] = made.get(source) or build(source)
            sides.append(Side(graph, starting_targets(graph, wanted), source))
        state = cls(*sides)
        state.update(color_by=chosen.color_by, layer=chosen.layer, cut=chosen.cut, size=chosen.size)
        state.idea, state.preset_key = chosen.idea, chosen.key
        return state

    def arranged(self, preset: str, targets: Sequence[Targets], settings: Mapping[str, Any]) -> ExplorerState:
        """An example with other targets and settings than it opens with; graphs that are shown already are kept."""
        fresh = ExplorerState.of_preset(preset)
        if [side.source for side in self.sides] == [side.source for side in fresh.sides]:
            fresh.sides = tuple(
                replace(side, graph=old.graph) for side, old in zip(fresh.sides, self.sides, strict=True)
            )
            fresh._excerpts = self._excerpts
        for side, S in enumerate(targets):
            fresh.choose(side, S)
        fresh.update(**settings)
        return fresh

    # ---- changing it --------------------------------------------------------------------------

    def choose(self, side: int, S: Targets) -> None:
        """Replaces the target set of a side."""
        self.set_targets([S if k == side else here.nodes for k, here in enumerate(self.sides)])

    def set_targets(self, sets: Sequence[Any]) -> None:
        """Replaces the target set of every side; an empty one is allowed, and a larger one ends a fixed size."""
        if len(sets) != len(self.sides):
            raise TargetError(
                f"There are {len(self.sides)} sides, so give {len(self.sides)} target sets, not {sets!r}."
            )
        new = []
        for side, S in zip(self.sides, sets, strict=True):
            given = [S] if isinstance(S, int | np.integer | str) else list(S)
            # whole numbers are positions here: a click says which node, not a reader's number
            nodes = [np.int64(v) if type(v) is int and 0 <= v < side.graph.num_nodes else v for v in given]
            new.append(tuple(int(v) for v in side.graph.target_set(nodes)) if nodes else ())
            if len(new[-1]) > MAX_TARGETS:
                raise TargetError(
                    f"That would make a target set of {len(new[-1]):,} nodes; the Explorer shows up to {MAX_TARGETS}. "
                    "Pick fewer, or use de.colors and de.distinguish, which take any number."
                )
        self.sides = tuple(replace(side, targets=S) for side, S in zip(self.sides, new, strict=True))
        if self.size and max(map(len, new)) > self.size:
            self.size = 0
        self.root = min(self.root, max(max(len(side.targets) for side in self.sides) - 1, 0))

    def update(self, **settings: Any) -> set[str]:
        """Changes settings by name: color_by, column, layer, step, hops, cut, size, layout, root; returns which did."""
        for name, value in settings.items():
            if name == "color_by":
                settings[name] = color_key(value)
                self._check_size(settings[name])
            elif name == "layout":
                check_choice(name, value, self.layouts())
            elif name == "cut":
                settings[name] = bool(check_choice(name, value, (True, False)))
            elif name in _RANGES:
                low, high = _RANGES[name]
                if check_int(name, value, least=low) > high:
                    raise ParameterError(f"{name} must be at most {high}, not {value}.")
            else:
                check_choice("setting", name, SETTINGS)
        changed = {name for name, value in settings.items() if getattr(self, name) != value}
        for name in changed:
            setattr(self, name, settings[name])
        if "size" in changed and self.size:
            self.sides = tuple(replace(side, targets=side.targets[-self.size :]) for side in self.sides)
            changed.add("targets")
        return changed

    def _check_size(self, color_by: str) -> None:
        nodes = max(side.graph.num_nodes for side in self.sides)
        if nodes > (most := LARGEST.get(color_by, nodes)):
            raise ParameterError(
                f"{color_by} is computed for the whole graph, which takes too long for {nodes:,} nodes; the Explorer "
                f"does it for up to {most:,}. Choose another coloring, or a smaller graph."
            )

    def compare(self, on: bool) -> None:
        """Shows the first graph a second time, with a target set of its own, or hides the second side."""
        if on == (len(self.sides) == 2):
            return
        first = self.sides[0]
        self.sides = (first, Side(first.graph, (), first.source)) if on else (first,)

    # ---- what the network sees ----------------------------------------------------------------

    @property
    def picks(self) -> list[tuple[Graph, NDArray[np.int64]]]:
        """The graph and the targets of each side."""
        return [(side.graph, side.nodes) for side in self.sides]

    @property
    def method(self) -> Method:
        """The method whose classes are shown."""
        if self.color_by == "SPD":
            return METHODS["DEA-SPD" if self.hops > 1 else "DE-SPD"]
        if self.color_by in (PLAIN, "LP"):
            return METHODS[PLAIN if self.color_by == PLAIN else "DE-LP"]
        if self.color_by in AFTERWARDS and self.hops == 1:
            return AFTERWARDS[self.color_by]
        return method_of(self.encoding(), self.hops > 1)

    def encoding(self) -> Encoding:
        """What the graphs are colored by; of a plain GNN, which has none, see :meth:`labels`."""
        return seen.encoding_of(self.color_by, self.step, max(side.graph.num_nodes for side in self.sides))

    def columns(self) -> tuple[str, ...]:
        """Those of the encoding of one's own that the graphs are colored by; none for anything else."""
        return REGISTRY[self.color_by].columns if self.color_by in REGISTRY else ()

    def labels(self) -> seen.Labels:
        """What the encoding says of every node; nothing for a plain GNN."""
        return seen.no_labels(self.picks) if self.color_by == PLAIN else self.labels_of(self.picks)

    def labels_of(self, picks: Sequence[tuple[Graph, NDArray[np.int64]]], exact: bool | None = None) -> seen.Labels:
        """What the encoding shown says for other target sets; ``exact``: real numbers one by one, not in bins."""
        column, title = -1, ""
        if columns := self.columns():
            column = min(self.column, len(columns) - 1)
            title = self.color_by if columns == (self.color_by,) else f"{self.color_by}: {columns[column]}"
        return seen.labels_of(picks, self.encoding(), self.cut, column, title, exact)

    def classes(self, layers: int, method: Method | None = None, hops: int = 1) -> tuple[NDArray[np.int64], ...]:
        """The class of every node of each side after 0..layers layers, by the method shown or another."""
        hops = hops if method else self.hops
        method = method or self.method
        total = sum(side.graph.num_nodes for side in self.sides)
        # walks longer than 33 steps take a while on large graphs, and tell no more in practice
        encoding = method.encoding and method.encoding(total if total <= 200 else 33)
        return seen.classes_of(self.picks, encoding, layers, hops if method.many_hops else 1, self.cut)

    def colored(self) -> seen.Coloring:
        """The color of every node of every side after the layers shown, and the legend."""
        return seen.compose(self.labels(), self.classes(self.layer), self.layer)

    # ---- what is drawn ------------------------------------------------------------------------

    def layouts(self) -> list[str]:
        """The layouts that every side can be drawn in."""
        offered = [layouts.available(side.graph) for side in self.sides]
        return [name for name in offered[0] if name in offered[-1]]

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
        """Whether a target lies outside what is drawn of a large graph, which must then be drawn again."""
        large = [k for k in self._excerpts if k < len(self.sides) and self.is_large(k)]
        return not all(_holds(self._excerpts[k][2], self.sides[k].nodes) for k in large)

    def positions(self, side: int) -> NDArray[np.float64]:
        """Where the drawn nodes are. [drawn, 2]"""
        drawn = self.excerpt(side)
        return layouts.place(drawn.graph, self.layout, np.flatnonzero(np.isin(drawn.nodes, self.sides[side].nodes)))

    # ---- texts --------------------------------------------------------------------------------

    def letter(self, side: int) -> str:
        """A and B, or S where there is only one set."""
        return "S" if len(self.sides) == 1 else "AB"[side]

    def caption(self, side: int) -> str:
        """The target set as text, such as ``A = {v2}``."""
        here, letter = self.sides[side], self.letter(side)
        names = [node_name(here.graph, t) for t in here.targets]
        listed = ", ".join(names[:6]) + (f", … {len(names) - 6} more" if len(names) > 6 else "")
        text = f"{letter} = {{{listed}}}" if names else f"{letter}: click a node"
        title = here.graph.title
        return f"{text} · {title}" if len({s.graph.title for s in self.sides}) > 1 and len(title) <= 24 else text

    @property
    def title(self) -> str:
        """What is shown: the example, or the graphs."""
        graphs = " and ".join(dict.fromkeys(side.graph.title for side in self.sides if side.graph.title))
        return preset(self.preset_key).title if self.preset_key else graphs or "a graph"


def color_key(value: Any) -> str:
    """The name of what a graph is to be colored by, which may be an encoding that is registered."""
    if not isinstance(value, Encoding):
        return str(check_choice("color_by", value, [PLAIN, *COLORINGS, *REGISTRY]))
    if (name := name_of(value)) is None:
        raise ParameterError(
            f"{value!r} is not registered (or another encoding is, under its name, by now); give it a name first: "
            'z = de.encoding("name", ...).'
        )
    return name


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
