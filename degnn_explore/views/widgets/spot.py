"""A place on the page that can be scrolled to: what a click opens below the fold would else seem to do nothing."""

from __future__ import annotations

from .messages import PageWidget, script


class Spot(PageWidget):
    """Shows nothing itself; :meth:`show` brings the card that it stands in into view."""

    _esm = script("late", "spot")

    def __init__(self) -> None:
        self.wanted = False  # whether a page is still to do it: a card just being opened is not on the page yet
        super().__init__()
        self.hear("shown", self._shown)
        self.hear("here", self._here)

    def show(self) -> None:
        """Scrolls the page to it, as soon as it is there."""
        self.wanted = True
        self.send({"type": "show"})

    def _shown(self) -> None:
        self.wanted = False

    def _here(self) -> None:
        if self.wanted:  # and not when a page is reloaded
            self.send({"type": "show"})
