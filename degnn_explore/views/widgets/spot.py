"""A place on the page that can be scrolled to: what a click opens below the fold would else seem to do nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anywidget

__all__ = ["Spot"]


class Spot(anywidget.AnyWidget):
    """Shows nothing itself; :meth:`show` brings the card that it stands in into view.

    Attributes
    ----------
    wanted
        Whether a page is still to do it: a card that is just being opened is not on the page yet.

    Examples
    --------
    >>> spot = Spot()
    >>> spot.show()
    >>> spot.wanted
    True
    """

    _esm = Path(__file__).with_name("spot.js")

    def __init__(self) -> None:
        self.wanted = False
        super().__init__()
        self.on_msg(self._heard)

    def show(self) -> None:
        """Scrolls the page to it, as soon as it is there."""
        self.wanted = True
        self.send({"type": "show"})

    def _heard(self, _widget: Any, content: Any, _buffers: Any) -> None:
        said = content.get("type") if isinstance(content, dict) else None
        if said == "shown":
            self.wanted = False
        elif said == "here" and self.wanted:  # and not when a page is reloaded
            self.send({"type": "show"})
