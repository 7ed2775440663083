"""The one place where tests wait: for an event, with a limit that only a fault reaches."""

from __future__ import annotations

import time
from collections.abc import Callable

LONG = 300.0  # seconds, for what takes a few when nothing else runs


def until(
    true: Callable[[], object],
    seconds: float = LONG,
    *,
    pause: Callable[[], object] = lambda: time.sleep(0.01),
    told: Callable[[], object] = lambda: "",
) -> None:
    """Waits until ``true()`` is; after ``seconds`` it fails with what ``told()`` says. A page pauses in its own way."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"waited in vain; {told()}"
        pause()
