"""The parts below the board's table that are made when first opened: "Look into it" and "Ask the model"."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import ipywidgets as W

from ...study.records import Run
from ...study.shelf import Shelf
from ..widgets.html import box
from .look import Ask, Look

__all__ = ["Deep"]

_PARTS = (
    ("look", "Look into it", "ROC, scores by distance, confusion"),
    ("ask", "Ask the model", "Pick nodes and read the trained models' probabilities"),
)


class Deep:
    """Two buttons, and the parts that they open.

    Parameters
    ----------
    trained
        Gives the shelf of trained models, the finished runs, and the run that is best; None if there is none yet.
    failed
        Is told of errors.
    """

    def __init__(
        self, trained: Callable[[], tuple[Shelf, Sequence[Run], Run] | None], failed: Callable[[BaseException], None]
    ) -> None:
        self._trained, self._failed = trained, failed
        self.look: Look | None = None
        self.ask: Ask | None = None
        self.toggles = {
            key: W.ToggleButton(description=label, tooltip=tip, layout=W.Layout(width="auto"))
            for key, label, tip in _PARTS
        }
        for key, toggle in self.toggles.items():
            toggle.observe(lambda _, key=key: self._toggled(key), "value")
        self.box = box("de-deep")

    def open_set(self, shelf: Shelf, seed: int, nodes: Sequence[int]) -> None:
        """Shows a set in the Explorer, on the graph of a seed."""
        self.toggles["ask"].value = True
        if self.ask is not None:
            self.ask.open_set(shelf, seed, nodes)
            self.ask.spot.show()

    def fill(self) -> None:
        """Shows the latest runs in the parts that are open."""
        found = self._trained()
        if found is None:
            return
        shelf, runs, best = found
        for key, part in (("look", self.look), ("ask", self.ask)):
            if part is not None and self.toggles[key].value:
                part.put(shelf, runs, best.model)

    def close(self) -> None:
        """Stops what is under way."""
        if self.ask is not None:
            self.ask.missing.clear()

    def _toggled(self, key: str) -> None:
        try:
            found = self._trained()
            if self.toggles["look"].value and self.look is None:
                self.look = Look(self._failed)
            if self.toggles["ask"].value and self.ask is None and found is not None:
                self.ask = Ask(found[0].task(found[2].seed).graph, self._failed)
            parts: dict[str, Look | Ask | None] = {"look": self.look, "ask": self.ask}
            self.box.children = tuple(
                part.box for name, part in parts.items() if part is not None and self.toggles[name].value
            )
            self.fill()
            opened = parts[key]
            if opened is not None and self.toggles[key].value:
                opened.spot.show()
        except Exception as error:
            self._failed(error)
