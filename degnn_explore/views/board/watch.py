"""Looks at a race now and then, as often as the drawing is cheap."""

from __future__ import annotations

import time
from collections.abc import Callable

from ...study.race import Race

__all__ = ["watch"]

_PAUSE = 0.3  # seconds between two updates; five a second would be drawn as well, and seen no better
_SHARE = 0.04  # of the time may go into drawing; the larger the race, the rarer the updates


def watch(race: Race, draw: Callable[[], None], gone: Callable[[], bool]) -> None:
    """Calls ``draw()`` whenever there is something new, until the race ends or nobody looks any more."""
    seen, pause = race.version, _PAUSE
    while not race.wait(pause) and not gone():
        began = time.thread_time()
        if race.version != seen:
            seen = race.version
            draw()
        pause = max(_PAUSE, (time.thread_time() - began) / _SHARE)
