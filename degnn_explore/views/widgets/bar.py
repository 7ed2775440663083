"""A row of controls of our own: native HTML elements, each with a name, a state and a visible focus."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import traitlets

from .messages import PageWidget, script

Field = dict[str, Any]


def menu(label: str, **more: Any) -> Field:
    """One of several ``options``, pairs of text and value."""
    return {"kind": "select", "label": label, "options": [], "value": None, **more}


def number(label: str, low: int, high: int, kind: str = "number", **more: Any) -> Field:
    """A whole number; ``kind`` "range" for a slider."""
    return {"kind": kind, "label": label, "min": low, "max": high, "value": low, **more}


def check(label: str, **more: Any) -> Field:
    """A box to tick."""
    return {"kind": "check", "label": label, "value": False, **more}


def press(label: str, title: str, **more: Any) -> Field:
    """A button; with ``pressed`` one that opens something and says whether it is, with ``copy`` a text to copy."""
    return {"kind": "button", "label": label, "title": title, **more}


SPRING: Field = {"kind": "spring"}


class Bar(PageWidget):
    """Fields by name; a reader's change is told to ``act(name, value)``, and what is shown is told by :meth:`show`.

    >>> bar = Bar("Settings", {"layer": number("Layers", 0, 6)}, lambda name, value: print(name, value), print)
    >>> bar._handle_custom_msg({"type": "set", "name": "layer", "value": 3}, [])
    layer 3
    >>> bar.show(layer={"value": 3})
    >>> bar["layer"]["value"]
    3
    """

    _esm = script("late", "dom", "bar")
    _css = Path(__file__).with_name("explorer.css")

    fields: Any = traitlets.List().tag(sync=True)
    label = traitlets.Unicode("").tag(sync=True)

    def __init__(
        self, label: str, fields: dict[str, Field], act: Callable[[str, Any], None], refuse: Callable[[Exception], None]
    ) -> None:
        super().__init__(label=label, fields=[{"name": name, **field} for name, field in fields.items()])
        self._act = act
        self.hear("set", self._set, refuse, name=self._is_name, value=_is_value)

    def __getitem__(self, name: str) -> Field:
        field: Field = next(field for field in self.fields if field["name"] == name)
        return field

    def show(self, **changed: Field) -> None:
        """Shows other values, options or titles of the fields named."""
        self.fields = [{**field, **changed.get(field["name"], {})} for field in self.fields]

    def _set(self, name: str, value: Any) -> None:
        try:
            self._act(name, value)
        finally:
            if self[name].get("value", value) != value:  # it was not taken: the page must not go on showing it
                self.send({"type": "show"})  # not the state: unchanged, it would tell the page nothing

    def _is_name(self, value: Any) -> str:
        return "" if value in [field["name"] for field in self.fields] else "the name of a control"


def _is_value(value: Any) -> str:
    short = type(value) in (int, bool) or (isinstance(value, str) and len(value) <= 200)
    return "" if short else "a number, yes or no, or a short text"
