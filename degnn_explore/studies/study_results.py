"""The results of a study as files to commit: one row per run, enough to continue on another machine.

A row is recognized by its key, which covers protocol version, graph, task, model, settings, seed and epochs. Trials of
a search are in a second file, ``NAME_search.csv``. Rows of another protocol have other keys, and are left out.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..common.errors import ParameterError
from ..common.files import csv_text, write_whole
from .runs import Run

DIGITS, SECONDS = 6, 2  # decimals of metrics and CPU-seconds in the files; settings are chosen on rounded metrics
_METRICS = ("val", "test", "optimistic")
_COLUMNS = (
    "task dataset model protocol seed metric val test optimistic epochs best_epoch cpu_seconds settings trials rung "
    "version key"
).split()
_MEASURES = "measures"  # an extra column where links are ranked: all test metrics of a run, as JSON
Row = dict[str, str]


def search_file(path: Path) -> Path:
    """The file with the trials.

    >>> search_file(Path("results/table1.csv")).name
    'table1_search.csv'
    """
    return path.with_name(f"{path.stem}_search{path.suffix}")


def write_rows(rows: Iterable[Mapping[str, Any]], path: Path) -> None:
    """Write both files, each completely or not at all."""
    listed = list(rows)
    reported, trials = ([row for row in listed if bool(row["rung"]) == trial] for trial in (False, True))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, _text(reported).encode())
        if trials:
            write_whole(search_file(path), _text(trials).encode())
    except OSError as error:
        raise ParameterError(f"{path} cannot be written ({error.strerror or error}); choose another place.") from None


def row_of(run: Run, dataset: str, settings: Mapping[str, Any], trials: int) -> dict[str, Any]:
    """A run as a row."""
    return {
        "task": run.task, "dataset": dataset, "model": run.model, "protocol": run.protocol, "seed": run.seed,
        "metric": run.metric, **{name: _number(getattr(run, name)) for name in _METRICS}, "epochs": run.trained,
        "best_epoch": run.best_epoch, "cpu_seconds": f"{run.cpu_seconds:.{SECONDS}f}",
        "settings": json.dumps(settings, sort_keys=True), "trials": trials, "rung": run.rung or "",
        "version": run.version, "key": run.key,
        _MEASURES: json.dumps({name: round(value, DIGITS) for name, value in run.measures.items()})}  # fmt: skip


def read_rows(path: Path) -> dict[str, Row]:
    """The rows of both files, by key."""
    return {row["key"]: row for file in (path, search_file(path)) if file.is_file() for row in _rows(file)}


def run_of(run: Run, row: Row) -> Run | None:
    """The run with the results in its row; None if the row was edited into impossible values."""
    try:
        val, test, optimistic = (float(row[name]) if row[name] else None for name in _METRICS)
        filled = replace(
            run, val=val, test=test, optimistic=optimistic, trained=int(row["epochs"]),
            best_epoch=int(row["best_epoch"]), cpu_seconds=float(row["cpu_seconds"]), version=row["version"],
            measures=json.loads(row.get(_MEASURES) or "{}"),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError):
        return None
    if any(value is not None and not 0 <= value <= 1 for value in (val, test, optimistic)):
        return None
    return None if filled.val is None or (filled.test is None and not row["rung"]) else filled


def _number(value: float | None) -> str:
    return "" if value is None or not math.isfinite(value) else f"{value:.{DIGITS}f}"


def _text(rows: list[Mapping[str, Any]]) -> str:
    import pandas as pd

    ranked = any(row.get(_MEASURES, "{}") not in ("{}", "") for row in rows)
    return csv_text(pd.DataFrame(rows, columns=[*_COLUMNS, *([_MEASURES] if ranked else [])]), index=False)


def _rows(file: Path) -> Iterator[Row]:
    with file.open(newline="", encoding="utf-8") as lines:
        rows = csv.DictReader(lines)
        if missing := [name for name in _COLUMNS if name not in (rows.fieldnames or ())]:
            raise ParameterError(f"{file} is not a file of a study's results: it has no column {missing[0]!r}.")
        yield from (row for row in rows if None not in row.values())
