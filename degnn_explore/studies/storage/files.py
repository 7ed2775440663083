"""Runs as files, to keep, to mend by hand and to hand on: JSON lines or CSV, a line for each run or each epoch."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable
from dataclasses import MISSING, asdict, fields
from pathlib import Path
from typing import Any

from ...common.errors import ParameterError, one_of
from ...common.files import write_whole
from ..records import Run, finished, plain

_BEGINS_LIKE_OURS = re.compile(rb'\s*\{\s*"key"\s*:')
_LISTED = {field.name: field.default for field in fields(Run) if field.name != "epochs"}
_ENDINGS = (".jsonl", ".csv")


def write_runs(runs: Iterable[Run], path: Path, per: str = "run") -> None:
    """Writes runs as JSON lines or CSV, by the ending of the name; ``per`` is "run" or "epoch".

    JSON lines of runs hold all there is. CSV has a column for each value, and leaves the epochs to a second file.
    """
    ending, epochs = one_of("ending", path.suffix, _ENDINGS), one_of("per", per, ("run", "epoch")) == "epoch"
    rows: list[dict[str, Any]] = (
        [{"key": run.key, **plain(epoch)} for run in runs for epoch in run.epochs]
        if epochs
        else [plain(asdict(run)) for run in runs]
    )
    text = _csv(rows) if ending == ".csv" else "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    try:
        write_whole(path, text.encode())
    except OSError as error:
        raise ParameterError(f"{path} cannot be written ({error.strerror or error}); choose another place.") from None


def read_runs(path: Path, epochs: Path | None = None) -> tuple[list[Run], int]:
    """The runs in a file of :func:`write_runs`, oldest first, and how many lines were left out because they are none.

    ``epochs`` is a second file, of their epochs. A line that a crash cut short, or that was edited by hand into
    something that cannot be, is left out, and so is the earlier of two runs of the same key.
    """
    for file in (path, epochs) if epochs else (path,):
        if not file.is_file():
            here = "is a folder" if file.exists() else f"is not there, as seen from {Path.cwd()}"
            raise ParameterError(f"{file} {here}; name a file of runs, such as runs.jsonl or runs.csv.")
    lines = _rows(path)
    told: dict[str, list[dict[str, Any]]] = {}
    for row in _rows(epochs) if epochs else ():
        if isinstance(row, dict):
            told.setdefault(str(row.pop("key", "")), []).append(row)
    records: dict[str, Run] = {}
    readable = 0
    for row in lines:
        try:
            run = Run.from_values(row)
            if run.key in told:
                run = Run.from_values({**asdict(run), "epochs": sorted(told[run.key], key=lambda one: one["number"])})
        except (ValueError, KeyError, TypeError):
            continue
        readable += 1
        records.pop(run.key, None)
        records[run.key] = run
    if lines and not readable and not _begins_like_ours(path):
        raise ParameterError(f"{path} is not a file of runs: none of its lines is a record. Choose another file.")
    return list(records.values()), len(lines) - readable


def _rows(file: Path) -> list[Any]:
    """The lines of a file as values; None where a line is not one."""
    content = file.read_bytes()
    if file.suffix == ".csv":
        text = content.decode("utf-8-sig", errors="replace")  # the mark of spreadsheets is no part of a name
        return [_from_cells(row) for row in csv.DictReader(io.StringIO(text, newline=""))]
    return [_from_line(line) for line in content.split(b"\n") if line.strip()]


def _from_line(line: bytes) -> Any:
    try:
        return json.loads(line.decode())
    except (ValueError, RecursionError):  # UnicodeDecodeError, where a line was cut inside a letter, is a ValueError
        return None


def _begins_like_ours(file: Path) -> bool:
    """Whether a crash may have cut the first record short; else nothing of ours was ever in the file."""
    lines = [line for line in file.read_bytes().split(b"\n") if line.strip()]
    return b'{"key":'.startswith(lines[-1]) or any(_BEGINS_LIKE_OURS.match(line) for line in lines)


# ---- CSV: lossless, and nothing in it is a formula ------------------------------------------------


def _csv(rows: list[dict[str, Any]]) -> str:
    flat = [_to_cells(row) for row in rows]
    out = io.StringIO(newline="")
    columns = dict.fromkeys(name for row in flat for name in row)
    # a lone carriage return ends a row, and is not put in quotes unless all is; cells have none
    quoting: Any = csv.QUOTE_ALL if any("\r" in name for name in columns) else csv.QUOTE_MINIMAL
    writer = csv.DictWriter(out, columns, lineterminator="\n", quoting=quoting)
    writer.writeheader()
    writer.writerows(flat)
    return out.getvalue()


def _to_cells(row: dict[str, Any]) -> dict[str, str]:
    """A column for each value; those of hyper, options, val and so on are called hyper.layers, val.auc."""
    cells: dict[str, str] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            cells |= {f"{name}.{inner}": _cell(item) for inner, item in value.items()}
        elif not isinstance(value, list):
            cells[name] = "" if value in ("", None) and value == _LISTED.get(name, MISSING) else _cell(value)
    return cells


def _from_cells(row: dict[Any, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for column, cell in row.items():
        if cell and isinstance(cell, str) and isinstance(column, str):
            name, _, inner = column.partition(".")
            if inner or column.endswith("."):
                values.setdefault(name, {})[inner] = _value(cell)
            else:
                values[name] = _value(cell)
    return values


def _cell(value: Any) -> str:
    """As it is, if it is a text that reads as itself and starts no formula; else in JSON, with its quotes."""
    if isinstance(value, str) and _value(value) == value and value[:1] not in "=+-@'\"" and value.isprintable():
        return value
    return json.dumps(value, ensure_ascii=False)


def _value(cell: str) -> Any:
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return cell


def latest_for(runs: Iterable[Run], task: str, digest: str) -> Run | None:
    """A finished run: the latest of this task and graph if there is one, else the latest of all."""
    done = finished(runs)
    return next(iter(reversed([run for run in done if (run.task, run.digest) == (task, digest)] or done)), None)
