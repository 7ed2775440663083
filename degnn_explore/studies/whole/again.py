"""A cell of a study run again: the same seeds and settings, nothing taken from the store, beside what is kept there."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...common.errors import ParameterError
from ..records import Run
from .cells import Cell, Known, Work
from .crew import Crew, Ended

if TYPE_CHECKING:
    import pandas


def run_again(cells: Sequence[Cell], known: Known, seeds: int) -> pandas.DataFrame:
    """A row for each run: its test metric as kept and as it comes out now, in per cent.

    On the processor that made the kept ones they are equal; another one may round differently.
    """
    import pandas as pd

    works = [work for cell in cells for work in _kept(cell, known)[:seeds]]
    if not works:
        raise ParameterError("This cell has no finished run to compare with; run the study first, or choose another.")
    rows = []
    for ended in _made(works):
        if ended.run is None or ended.run.status != "finished":
            raise ParameterError(f"The run ended without a result: {ended.run.error if ended.run else ended.died}")
        rows.append(_row(known[ended.work.key], ended.run))
    return pd.DataFrame(rows).sort_values(["model", "seed"], ignore_index=True)


def _kept(cell: Cell, known: Known) -> list[Work]:
    chosen, _ = cell.search(known)
    works = [] if chosen is None else cell.reported(chosen)
    return [work for work in works if work.key in known and known[work.key].test is not None]


def _made(works: Sequence[Work]) -> list[Ended]:
    ended = list[Ended]()
    with tempfile.TemporaryDirectory() as folder:
        crew = Crew(1, Path(folder))
        try:
            crew.give(works)
            while len(ended) < len(works):
                ended += crew.wait(1.0)
        finally:
            crew.close()
    return ended


def _row(kept: Run, now: Run) -> dict[str, object]:
    return {
        "model": now.model, "seed": now.seed, "epochs": now.trained or len(now.epochs),
        "kept": round(100 * float(kept.test or 0), 4), "now": round(100 * float(now.test or 0), 4),
        "cpu_seconds": round(now.cpu_seconds, 2)}  # fmt: skip
