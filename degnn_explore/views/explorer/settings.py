"""The Explorer's row of settings, and the menu of roots beside its subtrees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..widgets.bar import SPRING, Bar, Field, check, menu, number, press
from ..widgets.glossary import explain
from .state import MAX_LAYER, ExplorerState

_SIZES = [("any", 0), ("1", 1), ("2", 2), ("3", 3)]


class Settings:
    """Colour by, layer, cut, layout, p, compare, root: each change by a reader is told to ``act(name, value)``."""

    def __init__(self, act: Callable[[str, Any], None], refuse: Callable[[BaseException], None]) -> None:
        fields: dict[str, Field] = {
            "colour_by": menu("Colour by"),
            "column": menu("Column", title="Which number of your encoding the colours show"),
            "step": number("k", 0, 20, title="Steps of the random walk", name_for_ears="Step k"),
            "hops": number("K", 1, 4, title="How many hops a layer spans", name_for_ears="Hops K"),
            "layer": number("Layers", 0, MAX_LAYER, kind="range"),
            "size": menu("Targets", title="p, how many nodes a target set has"),
            "cut": check("cut edges inside S"),
            "compare": check("compare", title="Compare two target sets, A and B"),
            "spring": SPRING,
            "more": press(
                "⚙", "More settings: how the graphs are laid out", pressed=False, name_for_ears="More settings"
            ),
            "layout": menu("Layout", hidden=True),
        }
        self._act = act
        self.bar = Bar("Settings", fields, self._set, refuse)
        self.root = Bar("Root of the subtrees", {"root": menu("Root")}, act, refuse)

    def _set(self, name: str, value: Any) -> None:
        if name != "more":
            return self._act(name, value)
        closed = self.bar["more"]["pressed"]
        self.bar.show(more={"pressed": not closed}, layout={"hidden": closed})

    def show(self, state: ExplorerState) -> None:
        """Shows what the state says."""
        sizes = [*_SIZES, *([(str(state.size), state.size)] if state.size > 3 else [])]
        most = max(1, *(len(side.targets) for side in state.sides))
        columns, chosen = state.columns(), state.colour_by
        says = explain(chosen) or (f"Your encoding: {', '.join(columns[:8])}" if columns else "")
        self.bar.show(
            colour_by={"options": state.colourings(), "value": chosen, "title": says},
            column={
                "options": [(name, k) for k, name in enumerate(columns)],
                "value": state.legend_of(chosen)[0],
                "hidden": len(columns) < 2,
            },
            step={"value": state.step, "hidden": state.colour_by != "LP"},
            hops={"value": state.hops, "hidden": state.colour_by != "DEA-SPD"},
            layer={"value": state.layer},
            size={"options": sizes, "value": state.size},
            cut={"value": state.cut},
            compare={"value": len(state.sides) == 2},
            layout={"options": [(name, name) for name in state.layouts()], "value": state.layout},
        )
        self.root.show(
            root={
                "options": [(f"target {i + 1} of each set", i) for i in range(most)],
                "value": min(state.root, most - 1),
            }
        )
        self.root.layout.display = "" if len(state.sides) == 2 and most > 1 else "none"
