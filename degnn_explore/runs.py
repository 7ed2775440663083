"""One record per training run, and the file that keeps them: a line of JSON each, only ever appended to."""

from __future__ import annotations

import json
import math
import os
import threading
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from .errors import ParameterError

__all__ = ["Run", "append", "read", "set_aside"]

_writing = threading.Lock()


@dataclass(frozen=True)
class Run:
    """One model trained once: what was asked, how each epoch went, how it ended. Everything in it is JSON.

    Attributes
    ----------
    key
        Names the question: the same graph, task, model, settings and seed give the same key.
    graph, nodes, edges
        The graph's name (as :func:`degnn_explore.load` knows it, or its title) and size.
    task, p, num_classes, metric
        "roles", "links" or "triangles", as in :class:`degnn_explore.Task`.
    sizes
        Number of "train", "val" and "test" sets.
    model, hyper, options, seed, device
        How it was built and trained; ``seed`` draws the split, the weights and the order of the sets.
    status
        "finished" or "failed"; then ``error`` says why, in words.
    epochs
        One dictionary per epoch, the fields of :class:`degnn_explore.Epoch`.
    best_epoch, test
        The epoch chosen on validation, and its test metric (with validation).
    optimistic
        The best test metric of any epoch (no validation): an upper bound, not an estimate.
    seconds, parameters
        Time of the run, and how many numbers the model learns.
    model_file
        The trained model beside the results file, or "".
    when, version
        When it ended (ISO, UTC) and the version of this package.

    Examples
    --------
    >>> run = Run(key="k", graph="karate", task="links", model="GCN", test=0.8)
    >>> Run.from_json(run.to_json()) == run
    True
    """

    key: str
    graph: str
    task: str
    model: str
    seed: int = 0
    nodes: int = 0
    edges: int = 0
    p: int = 2
    num_classes: int = 2
    metric: str = "auc"
    sizes: dict[str, int] = field(default_factory=dict)
    hyper: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    device: str = "cpu"
    status: str = "finished"
    error: str = ""
    epochs: list[dict[str, Any]] = field(default_factory=list)
    best_epoch: int = 0
    test: float | None = None
    optimistic: float | None = None
    seconds: float = 0.0
    parameters: int = 0
    model_file: str = ""
    when: str = ""
    version: str = ""

    def to_json(self) -> str:
        """The record as one line."""
        return json.dumps(_plain(asdict(self)), ensure_ascii=False, allow_nan=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str) -> Run:
        """The record on a line; fields that this version does not know are left out."""
        values = json.loads(line)
        if not isinstance(values, dict):
            raise ValueError("not a record")
        known = {f.name for f in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in known})


def append(path: str | os.PathLike[str], run: Run) -> None:
    """Add a record to the file; it is on the disk when this returns.

    Parameters
    ----------
    path
        The results file; it and its folder are made if need be. A line that a crash cut short is closed first.
    run
        The record.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     append(f"{folder}/results.jsonl", Run("k", "karate", "links", "GCN"))
    ...     read(f"{folder}/results.jsonl")[0].model
    'GCN'
    """
    file = Path(path)
    with _writing:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a+b") as out:
            torn = False
            if out.seek(0, os.SEEK_END):
                out.seek(-1, os.SEEK_END)
                torn = out.read(1) != b"\n"
            out.write((b"\n" if torn else b"") + run.to_json().encode() + b"\n")
            out.flush()
            os.fsync(out.fileno())


def read(path: str | os.PathLike[str]) -> list[Run]:
    """The records in the file, oldest first; none if there is no file.

    A last line that a crash cut short is left out; so is the earlier of two records of the same key.

    Parameters
    ----------
    path
        The results file.

    Examples
    --------
    >>> read("there-is-no-such-file.jsonl")
    []
    """
    file = Path(path)
    if not file.exists():
        return []
    found: dict[str, Run] = {}
    lines = file.read_bytes().split(b"\n")
    readable = 0
    for line in lines:
        if not line.strip():
            continue
        try:
            run = Run.from_json(line.decode())
        except (ValueError, TypeError):  # cut short, by a crash or a full disk
            continue
        readable += 1
        found.pop(run.key, None)
        found[run.key] = run
    if not readable and any(line.strip() for line in lines[:-1]):
        raise ParameterError(f"{file} is not a file of results: none of its lines is a record. Choose another file.")
    return list(found.values())


def set_aside(path: str | os.PathLike[str]) -> Path | None:
    """Rename the file, so that a new one begins and nothing is lost; the new name, or None if there was no file.

    Examples
    --------
    >>> set_aside("there-is-no-such-file.jsonl") is None
    True
    """
    file = Path(path)
    if not file.exists():
        return None
    number = 1
    while (old := file.with_name(f"{file.stem}.{number}{file.suffix}")).exists():
        number += 1
    return file.rename(old)


def finished(runs: Iterable[Run]) -> list[Run]:
    """Those that ended well."""
    return [run for run in runs if run.status == "finished" and run.test is not None]


def _plain(value: Any) -> Any:
    """NaN and infinity as null, which JSON can say."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
