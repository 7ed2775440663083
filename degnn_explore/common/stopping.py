"""Long work that can be stopped: whoever waits sets an event, whoever works looks at it now and then."""

from __future__ import annotations

from threading import Event


class Cancelled(Exception):
    """Work was stopped because its stop event was set; nothing is half-done."""


def raise_if(stop: Event | None, what: str) -> None:
    """Raises Cancelled if somebody has set ``stop``; ``what`` says what ended and how far it was."""
    if stop is not None and stop.is_set():
        raise Cancelled(what)
