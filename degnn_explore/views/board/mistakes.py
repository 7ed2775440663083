"""The board's list of the hardest mistakes of the best model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import ipywidgets as W

from ...common.errors import ParameterError
from ...studies.judged import Mistake, Shelf, hardest
from ...studies.records import Run
from ..widgets.html import tag, text
from ..widgets.sheet import Sheet
from .texts import mistake_table

_SHOWN = 6


class Mistakes:
    """Lists them; ``opened(row)`` is called when one is clicked."""

    def __init__(self, opened: Callable[[int], None]) -> None:
        self.listed: list[Mistake] = []
        self.judged: tuple[list[str], Shelf] | None = None  # the keys of the runs that made them
        self.whose = ""
        self.title = W.HTML()
        self.sheet = Sheet(action="open", empty="The hardest mistakes of the best model appear here.")
        self.sheet.on_row(opened)

    def chosen(self, number: int) -> tuple[Shelf, int, tuple[int, ...]]:
        """The shelf, the seed and the nodes of a mistake in the list."""
        if self.judged is None or not 0 <= number < len(self.listed):
            raise ParameterError(f"There is no mistake {number}; {len(self.listed)} are listed.")
        return self.judged[1], self.listed[number].seed, self.listed[number].nodes

    def put(self, shelf: Shelf, best: Run | None, runs: Sequence[Run]) -> None:
        """Shows the mistakes of the best model in all its runs, or that there is none."""
        if best is None:
            self.listed, self.judged = [], None
            self.title.value = self.whose = ""
            with self.sheet.hold_sync():
                self.sheet.rows, self.sheet.empty = [], "The hardest mistakes of the best model appear here."
            return
        own = [run for run in runs if run.model == best.model and run in shelf.of_seed(runs, run.seed).values()]
        keys = [run.key for run in own]
        if self.judged is None or self.judged[0] != keys or self.judged[1] is not shelf:
            self.listed = hardest(map(shelf.scored, own), _SHOWN)
            self.judged = keys, shelf
        columns, rows = mistake_table(self.listed, shelf.task(best.seed), len(own))
        with self.sheet.hold_sync():
            self.sheet.columns, self.sheet.rows = columns, rows
            self.sheet.empty = f"{best.model} makes no mistake in any test set."
        seeds = f"seed {best.seed}" if len(own) == 1 else f"over {len(own)} seeds"
        self.whose = f"of {best.model}, {seeds}"
        self.title.value = f'<div class="de-head">Hardest mistakes of {text(best.model)}{tag("span", seeds)}</div>'
