"""The results file: a record a line, in JSON, only ever appended to; the models are in a folder beside it."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from ..common.errors import ParameterError
from .records import Run, finished

_writing = threading.Lock()
_BEGINS_LIKE_OURS = re.compile(rb'\s*\{\s*"key"\s*:')


def append(path: str | os.PathLike[str], run: Run) -> None:
    """Add a record to the file; it is on the disk when this returns. A line that a crash cut short is closed first."""
    file, line = Path(path), run.to_json().encode()
    with _writing, _place(file.parent):
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a+b") as out:
            torn = False
            if out.seek(0, os.SEEK_END):
                out.seek(-1, os.SEEK_END)
                torn = out.read(1) != b"\n"
            out.write((b"\n" if torn else b"") + line + b"\n")
            out.flush()
            os.fsync(out.fileno())


def needs_place(results: Path) -> None:
    """Raise an error in words if records or models cannot be written, before anything is trained."""
    for folder in (results.parent, models_folder(results)):
        with _place(folder):
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
    if results.exists():
        with _place(results):
            results.open("ab").close()


@contextlib.contextmanager
def _place(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ParameterError(
            f"{place.resolve()} cannot be written to ({error.strerror or error}). Make it writable, or choose a "
            'results file in another folder: TrainingBoard(..., results="folder/results.jsonl"), or under More….'
        ) from None


def read(path: str | os.PathLike[str]) -> list[Run]:
    """The records in the file, oldest first; none if there is no file.

    A line that is no record is left out: one that a crash cut short, or that was edited by hand into something that
    cannot be. So is the earlier of two records of the same key. A file in which no line even begins like a record is
    refused, so that nothing is ever appended to somebody's notes.
    """
    return _read(Path(path))[0]


def _read(file: Path) -> tuple[list[Run], int]:
    """The records, and how many lines were left out because they are none."""
    if not file.exists():
        return [], 0
    if not file.is_file():
        raise ParameterError(f"{file} is a folder; name a file for the results, such as {file / 'results.jsonl'}.")
    records: dict[str, Run] = {}
    lines = [line for line in file.read_bytes().split(b"\n") if line.strip()]
    readable = 0
    for line in lines:
        try:
            run = Run.from_json(line.decode())
        except ValueError:  # UnicodeDecodeError, where a line was cut inside a letter, is one too
            continue
        readable += 1
        records.pop(run.key, None)
        records[run.key] = run
    torn_early = lines and b'{"key":'.startswith(lines[-1])
    if lines and not readable and not torn_early and not any(_BEGINS_LIKE_OURS.match(line) for line in lines):
        raise ParameterError(f"{file} is not a file of results: none of its lines is a record. Choose another file.")
    return list(records.values()), len(lines) - readable


def read_for(path: str | os.PathLike[str], task: str, digest: str, graph: str) -> tuple[list[Run], str]:
    """The finished runs of one question in the file, and in words what was left aside that might be missed.

    Runs of another digest are never given; those of the same task and graph's name are counted in the words.
    """
    records, skipped = _read(Path(path))
    done = finished(records)
    same_name = [run for run in done if (run.task, run.graph) == (task, graph) and run.digest != digest]
    unnamed = sum(not run.digest for run in same_name)
    counted = [
        (unnamed, "run", " of an earlier version, which did not write down the graph"),
        (len(same_name) - unnamed, "run", " on another graph of that name, or with other labels"),
        (skipped, "line", " that cannot be read"),
    ]
    parts = [f"{count} {what}{'s' if count > 1 else ''}{why}" for count, what, why in counted if count]
    aside = f"Left aside: {'; '.join(parts)}." if parts else ""
    return [run for run in done if (run.task, run.digest) == (task, digest)], aside


def set_aside(path: str | os.PathLike[str]) -> Path | None:
    """Rename the file and its folder of models, so that new ones begin and nothing is lost; the file's new name.

    None if there was no file.
    """
    file = Path(path)
    if not file.exists():
        return None
    number = 1
    while (old := file.with_name(f"{file.stem}.{number}{file.suffix}")).exists() or models_folder(old).exists():
        number += 1
    with _place(file.parent):
        if models_folder(file).is_dir():
            models_folder(file).rename(models_folder(old))
        return file.rename(old)


def models_folder(results: str | os.PathLike[str]) -> Path:
    """Where the models and checkpoints of a results file are: the folder beside it that is called like it."""
    file = Path(results)
    if not file.suffix:
        raise ParameterError(
            f"The results file {str(file)!r} needs an ending, such as {file.name}.jsonl: the folder "
            "of its models is called like it, without."
        )
    return file.with_suffix("")


def checkpoint_of(folder: Path, key: str) -> Path:
    """Where a run that is not finished goes on from."""
    return folder / f"{key}.checkpoint"


def trained_in(file: Path, task: str, digest: str) -> Run:
    """A finished run of a results file: one of this task and graph if there is one, else the latest."""
    if not file.exists():
        raise ParameterError(
            f"There is no file {file}; name one that a board has written, such as runs/links-celegans.jsonl, as seen "
            f"from {Path.cwd()}."
        )
    runs = finished(read(file))
    if not runs:
        raise ParameterError(f"{file} holds no finished run; choose another file, or press Start to train some.")
    return ([run for run in runs if (run.task, run.digest) == (task, digest)] or runs)[-1]


def free_file(task: str, graph: str, taken: set[Path]) -> Path:
    """Where results go if nothing is said; with a number if another board of this notebook has the file.

    Examples
    --------
    >>> free_file("links", "../My graph!", {Path("runs/links-my-graph.jsonl").resolve()}).as_posix()
    'runs/links-my-graph-2.jsonl'
    """
    slug = "".join(c if c.isalnum() else "-" for c in graph.lower()).strip("-")[:60] or "own-graph"
    number, free = 2, Path("runs") / f"{task}-{slug}.jsonl"
    while free.resolve() in taken:
        free = Path("runs") / f"{task}-{slug}-{number}.jsonl"
        number += 1
    return free
