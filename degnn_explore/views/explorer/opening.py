"""A graph that is being opened: read in a thread, with a line that says how far it is, and a Cancel button."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

import ipywidgets as W

from ...common.stopping import Cancelled, Tell, raise_if, watched
from ...expressive.summary import Summary, summary
from ...graphs.graph import Graph
from ...reading.content import READING
from ..widgets.html import box, button, tag

LARGE_FILE = 20_000_000  # bytes; a larger one would keep a cell waiting for more than a second or two
_AT_ONCE = 0.3  # seconds that a click waits, so that small files are there without a line that comes and goes
_READ = 0.6  # the share of the time that reading takes; the rest is the summary


class Opening:
    """Reads a graph and its summary in a thread; only when both are there, ``done`` gets them.

    ``ended`` is told in a sentence when it was cancelled, ``failed`` gets the error; what was shown before stays.
    """

    def __init__(
        self,
        done: Callable[[str, Graph, Summary], None],
        ended: Callable[[str], None],
        failed: Callable[[BaseException], None],
    ) -> None:
        self._done, self._ended, self._failed = done, ended, failed
        self._stop, self._thread, self._at = Event(), Thread(), ("", "", "")
        self._line = W.HTML()
        self.cancel = button("Cancel", "Stop opening this graph", self.stop)
        self.box = box("de-row", self.cancel, self._line)  # in this order the button stays under the pointer
        self.box.add_class("de-opening")
        self.box.layout.display = "none"

    def begin(self, name: str, read: Callable[[], Graph]) -> None:
        """Opens what ``read`` gives; one that is still being opened is given up."""
        self.stop()
        self._stop = stop = Event()
        self.cancel.disabled = False
        self._show(name, "0", READING)
        self._thread = Thread(target=self._work, args=(name, read, stop), daemon=True, name="opening a graph")
        self._thread.start()
        self.wait(_AT_ONCE)
        if self._thread.is_alive() and not stop.is_set():
            self.box.layout.display = ""

    @property
    def busy(self) -> bool:
        """Whether a graph is being opened."""
        return self._thread.is_alive() and not self._stop.is_set()

    def stop(self) -> None:
        """Gives it up; the thread ends within a moment, and shows nothing of what it read."""
        if self.busy:
            self._show(*self._at[:2], "stopping")
        self._stop.set()
        self.cancel.disabled = True

    def wait(self, seconds: float = 60.0) -> None:
        """Until it is open, or was given up."""
        if self._thread.ident is not None:
            self._thread.join(seconds)

    def still(self) -> tuple[str, str] | None:
        """What a viewer without a kernel reads while a graph is being opened, as text and as HTML; else None."""
        said = f"{Path(self._at[0]).name} was being opened when this cell ran; run it again to see the graph."
        return (said, tag("p", said)) if self.busy else None

    def _work(self, name: str, read: Callable[[], Graph], stop: Event) -> None:
        try:
            with watched(self._tell(name, stop, 0.0, _READ), stop):
                graph = read()
            with watched(self._tell(name, stop, _READ, 1.0), stop):
                found = summary(graph, stop=stop)
            raise_if(stop, "stopped at the last moment")
        except Cancelled:
            return self._end(stop, lambda: self._ended(name))
        except Exception as error:
            trouble = error
            return self._end(stop, lambda: self._failed(trouble))
        self._end(stop, lambda: self._done(name, graph, found))

    def _end(self, stop: Event, act: Callable[[], Any]) -> None:
        """Says how it ended, unless another one was begun since; one that was cancelled at the last moment was."""
        if stop is not self._stop:
            return
        try:
            act()
        except Exception as error:
            self._failed(error)
        self.box.layout.display = "none"

    def _tell(self, name: str, stop: Event, low: float, high: float) -> Tell:
        """Shows the share of this part of the work as one of it all."""

        def tell(what: str, share: float) -> None:
            if stop is self._stop:
                self._show(name, f"{100 * (low + (high - low) * share):.0f}", what)

        return tell

    def _show(self, name: str, percent: str, what: str) -> None:
        if self._at != (name, percent, what):
            self._at = name, percent, what
            bar = f'<progress max="100" value="{percent}" aria-label="share that is done"></progress>'
            self._line.value = f"{bar} {tag('b', Path(name).name)} {tag('span', f'{percent} %, {what} …')}"


def large_file(given: Any) -> Path | None:
    """The file that is meant, if it is one that takes more than a moment to open."""
    try:
        path = Path(given) if isinstance(given, str | Path) else None
        return path if path is not None and path.is_file() and path.stat().st_size > LARGE_FILE else None
    except (OSError, ValueError):  # whoever reads it says what is wrong with it
        return None
