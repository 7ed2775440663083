"""The board's one button: start, cancel, continue; deaf for a moment when that changes under the pointer."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import ipywidgets as W

from ...studies.snapshot import Snapshot

_DEAF = 0.7  # seconds; longer than the second click of a double click takes to come
_MEANINGS = {
    "start": ("▶ Start", "Train the chosen models", "primary"),
    "cancel": ("■ Cancel", "Stop; what is finished is kept", "primary"),
    "continue": ("▶ Continue", "Go on from where training stopped", "primary"),
    "retry": ("▶ Try again", "Train once more what failed", "primary"),
    "done": ("✓ All trained", "To train more: more seeds, other epochs or settings, another model or graph", ""),
}


def meaning(shown: Snapshot | None) -> str:
    """What a click would do now.

    Examples
    --------
    >>> meaning(None)
    'start'
    """
    if shown is None or shown.state == "ready":
        return "start"
    if shown.state == "finished":
        return "retry" if any(p.state == "failed" for p in shown.progress) else "done"
    return {"running": "cancel", "cancelled": "continue"}[shown.state]


class Go(W.Button):
    """Calls ``act()`` when clicked, unless it was about to mean something else a moment ago.

    Without that, the second click of a double click on Cancel would fall on Continue, and start again what was to be
    stopped. Clicks after a change of the settings count at once: those do not take the button from under the pointer.

    Examples
    --------
    >>> clicks = []
    >>> go = Go(lambda: clicks.append(go.meaning))
    >>> go.click()
    >>> go.show_as("cancel")
    >>> go.click()
    >>> clicks, go.description
    (['start'], '■ Cancel')
    """

    def __init__(self, act: Callable[[], None]) -> None:
        self._act = act
        self._deaf_until = 0.0
        self.meaning = "start"
        label, tooltip, style = _MEANINGS["start"]
        super().__init__(description=label, tooltip=tooltip, button_style=style, layout=W.Layout(width="auto"))
        self.add_class("de-go")
        self.on_click(self._clicked)

    def show_as(self, what: str) -> None:
        """From now on a click means "start", "cancel", "continue", "retry", or nothing more to do: "done"."""
        if what == self.meaning:
            return
        raced = "cancel" in (what, self.meaning)
        self._deaf_until = time.monotonic() + _DEAF if raced else 0.0  # else the reader has chosen something since
        self.meaning = what
        with self.hold_sync():
            self.description, self.tooltip, self.button_style = _MEANINGS[what]

    def _clicked(self, _button: Any) -> None:
        if time.monotonic() < self._deaf_until:
            return
        before = self.meaning
        self._act()
        if "cancel" in (before, self.meaning) and self.meaning != before:
            self._deaf_until = time.monotonic() + _DEAF  # what was done may have taken longer than that
