"""The Explorer inside a board: a sub-state of the board's own model, not a widget of its own.

It has no channel to the page. What it would send goes to the board's traits ``inner_…``, from which the page draws it
with the Explorer's own script; what a reader does comes back through the same traits.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import ipywidgets
import traitlets as t

from ..explorer.explorer import Explorer
from ..panel import Panel

if TYPE_CHECKING:
    from threading import RLock

TRAITS = (
    *("targets", "values", "view", "options", "graphs", "xy", "edges", "codes", "numbers", "classes", "seen", "pills"),
    *("lesson", "opening", "busy", "error"),
)
FROM_PAGE = ("targets", "values", "view")


class PanelWithExplorer(Panel):
    """A panel with room for an Explorer's state; see :class:`~degnn_explore.Explorer` for what each trait means."""

    inner_targets: Any = t.List().tag(sync=True)
    inner_values: Any = t.Dict().tag(sync=True)
    inner_view: Any = t.Dict().tag(sync=True)
    inner_options: Any = t.Dict().tag(sync=True)
    inner_graphs: Any = t.Dict().tag(sync=True)
    inner_xy = t.Bytes(b"").tag(sync=True)
    inner_edges = t.Bytes(b"").tag(sync=True)
    inner_codes = t.Bytes(b"").tag(sync=True)
    inner_numbers = t.Bytes(b"").tag(sync=True)
    inner_classes = t.Bytes(b"").tag(sync=True)
    inner_seen: Any = t.Dict().tag(sync=True)
    inner_pills: Any = t.Dict().tag(sync=True)
    inner_lesson: Any = t.Dict().tag(sync=True)
    inner_opening: Any = t.Dict().tag(sync=True)
    inner_busy = t.Unicode("").tag(sync=True)
    inner_error: Any = t.Dict().tag(sync=True)


class _WithoutChannel(ipywidgets.Widget):
    """A widget that is never announced to a page or a notebook: marimo opens a channel for each that is."""

    def __init__(self, **traits: Any) -> None:
        self._model_id = None
        t.HasTraits.__init__(self, **traits)


class EmbeddedExplorer(Explorer, _WithoutChannel):
    """An Explorer that is drawn by a board."""

    def __init__(self, board: Panel, graph: Any) -> None:
        self._board = board
        super().__init__(graph)
        self.embed()
        self.observe(self._forward, TRAITS)
        with board.turn, board.hold_sync():
            for name in TRAITS:
                self._pass_on(name, getattr(self, name))

    @property
    def turn(self) -> RLock:
        """One writer at a time, in the board and in it."""
        return self._board.turn

    @turn.setter
    def turn(self, _: Any) -> None:
        """The board's stays."""

    def send(self, content: Any, buffers: Any = None) -> None:
        """Tells the page by way of the board."""
        self._board.send({"kind": "inner", "content": content}, buffers)

    @contextmanager
    def hold_sync(self) -> Iterator[None]:
        """Changes together: in one message of the board."""
        with self._board.hold_sync():
            yield

    def take(self, name: str, value: Any) -> None:
        """What a reader changed on the page."""
        if getattr(self, name) != value:
            self.set_trait(name, value)

    def _forward(self, change: dict[str, Any]) -> None:
        self._pass_on(change["name"], change["new"])

    def _pass_on(self, name: str, value: Any) -> None:
        if name == "options":
            value = value | {"inside": True}
        self._board.set_trait(f"inner_{name}", value)
