"""The Explorer's row of settings, and the menu of roots beside its subtrees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets as W

from ..widgets.html import box
from .state import COLOURINGS, MAX_LAYER, ExplorerState

_WIDE = {"style": {"description_width": "initial"}}
_SIZES = (("any p", 0), ("p = 1", 1), ("p = 2", 2), ("p = 3", 3))


def _number(label: str, low: int, high: int) -> W.BoundedIntText:
    return W.BoundedIntText(description=label, min=low, max=high, layout=W.Layout(width="110px"), **_WIDE)


def _checkbox(label: str) -> W.Checkbox:
    return W.Checkbox(description=label, indent=False, layout=W.Layout(width="auto"))


class Settings:
    """Colour by, layer, cut, layout, p, compare, root: each change by a reader is told to ``act(name, value)``."""

    def __init__(self, act: Callable[[str, Any], None]) -> None:
        self.play = W.Play(min=0, max=MAX_LAYER, interval=900, show_repeat=False, tooltip="Step through the layers")
        width = W.Layout(width="132px")
        self.controls = {
            "colour_by": W.Dropdown(description="Colour by", **_WIDE),
            "step": _number("Step k", 0, 20),
            "hops": _number("Hops K", 1, 4),
            "layer": W.IntSlider(description="Layer", min=0, max=MAX_LAYER, layout=width, **_WIDE),
            "size": W.Dropdown(description="Targets", options=_SIZES, **_WIDE),
            "cut": _checkbox("cut the edges inside S"),
            "compare": _checkbox("compare two sets"),
            "layout": W.Dropdown(description="Layout", **_WIDE),
        }
        row = list(self.controls.values())
        self.box = box("de-row", *row[:4], self.play, *row[4:])
        self.root = W.Dropdown(description="Root", layout=W.Layout(width="auto"), **_WIDE)
        self._quiet = False

        def listen(name: str, control: W.Widget) -> None:
            control.observe(lambda change: None if self._quiet else act(name, change["new"]), "value")

        for name, control in [*self.controls.items(), ("layer", self.play), ("root", self.root)]:
            listen(name, control)

    def show(self, state: ExplorerState) -> None:
        """Shows what the state says, without answering back."""
        self._quiet = True
        try:
            self._show(state)
        finally:
            self._quiet = False

    def _show(self, state: ExplorerState) -> None:
        control, by = self.controls, state.colour_by
        _choose(control["colour_by"], [(label, key) for key, label in COLOURINGS.items()], by)
        _choose(control["layout"], state.layouts(), state.layout)
        sizes = [*_SIZES, *([(f"p = {state.size}", state.size)] if state.size > 3 else [])]
        _choose(control["size"], sizes, state.size)
        for name in ("layer", "step", "hops", "cut"):
            control[name].value = getattr(state, name)
        self.play.value = state.layer
        control["compare"].value = len(state.sides) == 2
        control["step"].layout.display = "" if by == "LP" else "none"
        control["hops"].layout.display = "" if by == "DEA-SPD" else "none"
        most = max(1, *(len(side.targets) for side in state.sides))
        _choose(self.root, [(f"target {i + 1} of each set", i) for i in range(most)], min(state.root, most - 1))
        self.root.layout.display = "" if len(state.sides) == 2 and most > 1 else "none"


def _choose(menu: W.Dropdown, options: list[Any], value: Any) -> None:
    if list(menu.options) != options:
        menu.options = options
    menu.value = value
