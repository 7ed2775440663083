"""The board's "Which links are missing?": a search in the background, with progress and a way to stop it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import ipywidgets as W

from ...graphs.graph import Graph
from ...learn.tasks import Task
from ...studies.missing_links import REACH, Missing, missing_links
from ..widgets.html import box, button, error_box, guarded, tag
from ..widgets.sheet import Sheet, cell, column
from .texts import set_name, share

if TYPE_CHECKING:
    from ...learn.nets.base import SetNet

_ASK = "Which links are missing?"
_PAUSE = 0.2  # a search that is faster shows no progress; a slower one, five times a second


class MissingLinks:
    """A button, and below it what was found.

    ``ask()`` gives the trained models (the best first), their task, and S; ``chosen(pair)`` is called with a pair of
    the list that is clicked.
    """

    def __init__(
        self,
        ask: Callable[[], tuple[dict[str, SetNet], Task, Sequence[int]]],
        chosen: Callable[[tuple[int, int]], None],
    ) -> None:
        self._ask, self._chosen = ask, chosen
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.pairs: list[tuple[int, int]] = []
        self.button = button(
            _ASK, "The likeliest of the unlinked pairs around S; the best model chooses, all are shown", self.search
        )
        self.note = W.HTML()
        self.sheet = Sheet(action="show", columns=[], rows=[], empty="")
        self.sheet.on_row(self._clicked)
        self.box = box("de-missing", self.note, self.sheet)

    @guarded
    def search(self) -> None:
        """Starts a search, or stops the one under way, which then shows the best pairs so far."""
        if self._thread is not None and self._thread.is_alive():
            self._stop.set()
            return
        models, task, S = self._ask()
        self._stop = threading.Event()
        work = (models, task, list(S), self._stop)
        self._thread = threading.Thread(target=self._search, args=work, daemon=True, name="missing links")
        self._thread.start()

    def clear(self) -> None:
        """Stops, and forgets what was found."""
        self._stop.set()
        self.wait()
        self._show("", [], [])

    def wait(self, seconds: float | None = None) -> None:
        """Until no search is under way."""
        if self._thread is not None:
            self._thread.join(seconds)

    @guarded
    def _search(self, models: dict[str, SetNet], task: Task, S: list[int], stop: threading.Event) -> None:
        """In a thread."""
        told = time.monotonic()

        def progress(done: int, of: int) -> None:
            nonlocal told
            if time.monotonic() - told >= _PAUSE:
                told = time.monotonic()
                self.button.description = "■ Stop"
                self.note.value = tag("div", f"{done:,} of {of:,} pairs scored …", "de-notes")

        try:
            answer = missing_links(models, task, S, progress=progress, stop=stop)
            if answer.found:
                self._show_answer(answer, list(models), task.full_graph, S)
            else:
                self._show("", [], [])
        finally:
            self.button.description = _ASK

    def _show_answer(self, answer: Missing, names: list[str], graph: Graph, S: list[int]) -> None:
        rows = [
            [
                cell(set_name(graph, (u, v))),
                *(cell(f"{score[name]:.3f}", score[name]) for name in names),
                cell(share(promised), promised),
            ]
            for (u, v, score), promised in zip(answer.found, answer.promised, strict=True)
        ]
        S_name = ", ".join(set_name(graph, [v]) for v in S)
        how = "all" if answer.scored == answer.within else f"{answer.scored:,} of the"
        rest = "" if answer.scored == answer.within else "; those nearest to S came first"
        words = (
            f"{names[0]} scored {how} {answer.within:,} unlinked pairs around S = {S_name}: a node of S with any node, "
            f"or two nodes within {REACH} steps of S{rest}. The {len(rows)} likeliest, with scores. Precision: if as "
            "many links were missing as were held out for validation, so many of all unlinked pairs of the graph that "
            f"{names[0]} scores as high would be links."
        )
        self.pairs = [(u, v) for u, v, _ in answer.found]
        columns = [column("unlinked pair", first="up"), *(column(name, "Score") for name in names)]
        self._show(tag("div", words, "de-notes"), [*columns, column("precision")], rows)

    def _show(self, note: str, columns: list[dict[str, str]], rows: list[list[dict[str, object]]]) -> None:
        self.note.value = note
        with self.sheet.hold_sync():
            self.sheet.columns, self.sheet.rows = columns, rows

    @guarded
    def _clicked(self, row: int) -> None:
        self._chosen(self.pairs[row])

    def show_error(self, error: BaseException) -> None:
        """Where the answer would be: the button that was pressed is beside it."""
        self._show(error_box(error), [], [])
