"""A graph that is being opened: read in a thread, which says how far it is and can be cancelled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

from ...common.progress import Cancelled, check_cancelled, watching
from ...expressive.summary import Summary, summary
from ...graphs.graph import Graph

LARGE_FILE = 20_000_000  # bytes; a larger one would keep a cell waiting for more than a second or two
_READ = 0.6  # the share of the time that reading takes; the rest is the summary


class Opening:
    """Reads a graph and its summary in a thread; ``show`` gets the progress, ``done`` the graph, ``failed`` the error.

    ``show`` is called with {"name", "percent", "what"} while it works and with {"name", "note"} when it was cancelled.
    """

    def __init__(
        self,
        show: Callable[[dict[str, Any]], None],
        done: Callable[[str, Graph, Summary], None],
        failed: Callable[[BaseException], None],
    ) -> None:
        self._show, self._done, self._failed = show, done, failed
        self._stop, self._thread, self.name = Event(), Thread(), ""

    def begin(self, name: str, read: Callable[[], Graph]) -> None:
        """Opens what ``read`` gives; one that is still being opened is given up."""
        self.stop()
        self._stop, self.name = Event(), Path(name).name
        self._show({"name": self.name, "percent": 0, "what": "reading the file"})
        self._thread = Thread(target=self._work, args=(name, read, self._stop), daemon=True, name="opening a graph")
        self._thread.start()

    @property
    def busy(self) -> bool:
        """Whether a graph is being opened."""
        return self._thread.is_alive() and not self._stop.is_set()

    def stop(self) -> None:
        """Gives it up; the thread ends within a moment, and shows nothing of what it read."""
        self._stop.set()

    def wait(self, seconds: float = 60.0) -> None:
        """Until it is open, or was given up."""
        if self._thread.ident is not None:
            self._thread.join(seconds)

    def _work(self, name: str, read: Callable[[], Graph], stop: Event) -> None:
        def tell(low: float, high: float) -> Callable[[str, float], None]:
            def show(what: str, share: float) -> None:
                if stop is self._stop:
                    percent = round(100 * (low + (high - low) * share))
                    self._show({"name": self.name, "percent": percent, "what": what})

            return show

        try:
            with watching(tell(0.0, _READ), stop):
                graph = read()
            with watching(tell(_READ, 1.0), stop):
                found = summary(graph)
                check_cancelled("opening a graph")
            if stop is self._stop:
                self._done(name, graph, found)
        except Cancelled:
            if stop is self._stop:
                self._show({"name": self.name, "note": "cancelled; what is shown has not changed"})
        except Exception as error:
            if stop is self._stop:
                self._show({})
                self._failed(error)


def large_file(given: Any) -> Path | None:
    """The file that is meant, if it is one that takes more than a moment to open."""
    try:
        path = Path(given) if isinstance(given, str | Path) else None
        return path if path is not None and path.is_file() and path.stat().st_size > LARGE_FILE else None
    except (OSError, ValueError):  # whoever reads it says what is wrong with it
        return None
