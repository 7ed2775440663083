"""The compact results of a study: one row a run, small enough to commit, enough to go on from on another machine.

A row is known again by its key, which names graph, task, model, settings, seed and epochs; nothing else of it is
trusted to say what was run. Trials of a search stand in a second file, ``NAME_search.csv``.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ...common.errors import ParameterError
from ...common.files import csv_text, write_whole
from ..records import Run
from ..statistics import on_validation
from ..workers import begun
from .cells import DIGITS, SECONDS, Cell, Known, Work

_METRICS = ("val", "test", "optimistic")
_COLUMNS = (
    "task dataset model protocol seed metric val test optimistic epochs best_epoch cpu_seconds settings trials rung "
    "version key"
).split()


def search_file(path: Path) -> Path:
    """Where the trials are.

    >>> search_file(Path("results/table1.csv")).name
    'table1_search.csv'
    """
    return path.with_name(f"{path.stem}_search{path.suffix}")


def write(cells: Iterable[Cell], known: Known, path: Path) -> None:
    """Writes both files, each whole or not at all; the order of the rows depends on nothing but the study."""
    reported: list[dict[str, Any]] = []
    trials: list[dict[str, Any]] = []
    for cell in cells:
        for trial, work in _asked(cell, known):
            run = known.get(work.key)
            if run is not None and run.status == "finished":
                (trials if work.job.rung else reported).append(_row(cell, trial, work, run))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, _text(reported).encode())
        if trials:
            write_whole(search_file(path), _text(trials).encode())
    except OSError as error:
        raise ParameterError(f"{path} cannot be written ({error.strerror or error}); choose another place.") from None


def read(cells: Sequence[Cell], path: Path) -> dict[str, Run]:
    """The runs of these files that the cells ask for, by key; rows of other settings or graphs are left aside."""
    rows = {row.get("key", ""): row for file in (path, search_file(path)) if file.is_file() for row in _rows(file)}
    known: dict[str, Run] = {}
    if rows:
        for cell in cells:
            for _, work in _asked(cell, known):
                if work.key in rows and (run := _run(work, rows[work.key])) is not None:
                    known[work.key] = run
    return known


def _asked(cell: Cell, known: Known) -> Iterator[tuple[int, Work]]:
    """The trials of a cell, then, when its settings are chosen by what is known, its reported runs."""
    yield from cell.trial_works()
    chosen, _ = cell.search(known)
    if chosen is not None:
        for work in cell.reported(chosen):
            yield chosen, work


def _row(cell: Cell, trial: int, work: Work, run: Run) -> dict[str, Any]:
    return {
        "task": run.task, "dataset": cell.column.name, "model": run.model, "protocol": cell.protocol, "seed": run.seed,
        "metric": run.metric, "val": _number(on_validation(run)), "test": _number(run.test),
        "optimistic": _number(run.optimistic), "epochs": run.trained or len(run.epochs), "best_epoch": run.best_epoch,
        "cpu_seconds": f"{run.cpu_seconds:.{SECONDS}f}",
        "settings": json.dumps({**cell.column.settings.get(cell.model, {}), **cell.trials[trial]}, sort_keys=True),
        "trials": len(cell.trials), "rung": run.rung or "", "version": run.version, "key": run.key}  # fmt: skip


def _run(work: Work, row: dict[str, str]) -> Run | None:
    """None for a row that was edited by hand into something that no run can have."""
    try:
        values: dict[str, Any] = {name: float(row[name]) if row[name] else None for name in _METRICS}
        values |= {"trained": int(row["epochs"]), "best_epoch": int(row["best_epoch"])}
        values |= {"cpu_seconds": float(row["cpu_seconds"]), "version": row["version"]}
        run = Run.from_values(asdict(begun(work.plan, work.job)) | values)
    except (KeyError, TypeError, ValueError):
        return None
    return None if run.val is None or (run.test is None and not run.rung) else run


def _number(value: float | None) -> str:
    return "" if value is None or not math.isfinite(value) else f"{value:.{DIGITS}f}"


def _text(rows: list[dict[str, Any]]) -> str:
    import pandas as pd

    return csv_text(pd.DataFrame(rows, columns=_COLUMNS), index=False)


def _rows(file: Path) -> list[dict[str, str]]:
    with file.open(newline="", encoding="utf-8") as lines:
        rows = csv.DictReader(lines)
        if missing := [name for name in _COLUMNS if name not in (rows.fieldnames or ())]:
            raise ParameterError(f"{file} is not a file of a study's results: it has no column {missing[0]!r}.")
        return [row for row in rows if None not in row.values()]
