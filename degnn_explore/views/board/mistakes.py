"""The board's list of the hardest mistakes of the best model."""

from __future__ import annotations

from collections.abc import Callable

import ipywidgets as W

from ...common.errors import ParameterError
from ...study.judged import Mistake, Shelf, hardest
from ...study.records import Run
from ..widgets.html import tag, text
from ..widgets.sheet import Sheet
from .texts import mistake_table

_SHOWN = 6


class Mistakes:
    """Lists them; ``opened(row)`` is called when one is clicked."""

    def __init__(self, opened: Callable[[int], None]) -> None:
        self.listed: list[Mistake] = []
        self.judged: tuple[Run, Shelf] | None = None  # the run that made them
        self.title = W.HTML()
        self.sheet = Sheet(action="open", empty="The hardest mistakes of the best model appear here.")
        self.sheet.on_row(opened)

    def chosen(self, number: int) -> tuple[Shelf, int, tuple[int, ...]]:
        """The shelf, the seed and the nodes of a mistake in the list."""
        if self.judged is None or not 0 <= number < len(self.listed):
            raise ParameterError(f"There is no mistake {number}; {len(self.listed)} are listed.")
        run, shelf = self.judged
        return shelf, run.seed, self.listed[number].nodes

    def put(self, shelf: Shelf, best: Run | None) -> None:
        """Shows the mistakes of a run, or that there is none."""
        if best is None:
            self.listed, self.judged = [], None
            self.title.value = ""
            with self.sheet.hold_sync():
                self.sheet.rows, self.sheet.empty = [], "The hardest mistakes of the best model appear here."
            return
        if self.judged is None or self.judged[0].key != best.key or self.judged[1] is not shelf:
            self.listed = hardest(shelf.scored(best), _SHOWN)
            self.judged = best, shelf
        columns, rows = mistake_table(self.listed, shelf.task(best.seed))
        with self.sheet.hold_sync():
            self.sheet.columns, self.sheet.rows = columns, rows
            self.sheet.empty = f"{best.model} makes no mistake in the test set of seed {best.seed}."
        seed = tag("span", f"seed {best.seed}")
        self.title.value = f'<div class="de-head">Hardest mistakes of {text(best.model)}{seed}</div>'
