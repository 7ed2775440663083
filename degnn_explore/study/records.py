"""One record per training run, and the file that keeps them: a line of JSON each, only ever appended to."""

from __future__ import annotations

import json
import math
import os
import re
import threading
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from ..common.errors import ParameterError

__all__ = ["Run", "append", "read", "read_for", "set_aside"]

_writing = threading.Lock()
_TASKS = ("roles", "links", "triangles")
_METRICS = ("auc", "accuracy")
_STATES = ("finished", "failed", "running")
_TEXTS = (
    "key",
    "graph",
    "task",
    "model",
    "digest",
    "catalogue",
    "metric",
    "device",
    "status",
    "error",
    "model_file",
    "when",
    "version",
)
_COUNTS = ("seed", "nodes", "edges", "p", "num_classes", "best_epoch", "parameters")
_BEGINS_LIKE_OURS = re.compile(rb'\s*\{\s*"key"\s*:')


@dataclass(frozen=True)
class Run:
    """One model trained once: what was asked, how each epoch went, how it ended. Everything in it is JSON.

    Attributes
    ----------
    key
        Names the question: the same graph, task, model, settings and seed give the same key.
    graph, nodes, edges
        The graph's name (as :func:`degnn_explore.load` knows it, or its title) and size.
    digest
        Names what the run is about, see ``plans.digest_of``: only runs of the same digest may be
        averaged or compared. "" in records of versions that did not write it.
    catalogue
        The name by which :func:`degnn_explore.load` gives this very graph, or "": the paper has numbers only for those.
    task, p, num_classes, metric
        "roles", "links" or "triangles", as in :class:`degnn_explore.Task`.
    sizes
        Number of "train", "val" and "test" sets.
    model, hyper, options, seed, device
        How it was built and trained, defaults included; ``seed`` draws the split, the weights and the order of the
        sets.
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
    digest: str = ""
    catalogue: str = ""
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
        """The record on a line; fields that this version does not know are left out.

        Raises
        ------
        ParameterError
            If the line is not a record, or a value in it cannot be: an unknown model, a metric above 1, ...
        """
        try:
            values = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ParameterError(f"This line is not a record: {error}.") from None
        if not isinstance(values, dict):
            raise ParameterError(f"A record is a JSON object, not {type(values).__name__}.")
        for name in ("key", "graph", "task", "model"):
            if name not in values:
                raise ParameterError(f"The record has no {name}.")
        known = {f.name for f in fields(cls)}
        run = cls(**{name: value for name, value in values.items() if name in known})
        run._check()
        return run

    def _check(self) -> None:
        """Raise an error for a value that no run can have: a file may have been edited by hand."""
        from ..learn.nets import MODELS

        for name in _TEXTS:
            _need(isinstance(getattr(self, name), str), name, getattr(self, name))
        for name in _COUNTS:
            _need(_is_count(getattr(self, name)), name, getattr(self, name))
        for name, known in (("model", MODELS), ("task", _TASKS), ("metric", _METRICS), ("status", _STATES)):
            _need(getattr(self, name) in known, name, getattr(self, name))
        for name in ("test", "optimistic"):
            _need(_is_share(getattr(self, name)), name, getattr(self, name))
        _need(_is_number(self.seconds) and self.seconds >= 0, "seconds", self.seconds)
        for name in ("sizes", "hyper", "options"):
            _need(isinstance(getattr(self, name), dict), name, getattr(self, name))
        _need(all(_is_count(size) for size in self.sizes.values()), "sizes", self.sizes)
        _need(_is_count(self.options.get("epochs", 0)), "options", self.options)
        _need(isinstance(self.epochs, list), "epochs", self.epochs)
        for epoch in self.epochs:
            _need(_is_epoch(epoch, self.metric), "epochs", epoch)


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

    A line that is no record is left out: one that a crash cut short, or that was edited by hand into something that
    cannot be. So is the earlier of two records of the same key. A file in which no line even begins like a record is
    refused, so that nothing is ever appended to somebody's notes.

    Parameters
    ----------
    path
        The results file.

    Examples
    --------
    >>> read("there-is-no-such-file.jsonl")
    []
    """
    return _read(Path(path))[0]


def _read(file: Path) -> tuple[list[Run], int]:
    """The records, and how many lines were left out because they are none."""
    if not file.exists():
        return [], 0
    if not file.is_file():
        raise ParameterError(f"{file} is a folder; name a file for the results, such as {file / 'results.jsonl'}.")
    found: dict[str, Run] = {}
    lines = [line for line in file.read_bytes().split(b"\n") if line.strip()]
    readable = 0
    for line in lines:
        try:
            run = Run.from_json(line.decode())
        except ValueError:  # UnicodeDecodeError, where a line was cut inside a letter, is one too
            continue
        readable += 1
        found.pop(run.key, None)
        found[run.key] = run
    torn_early = lines and b'{"key":'.startswith(lines[-1])
    if lines and not readable and not torn_early and not any(_BEGINS_LIKE_OURS.match(line) for line in lines):
        raise ParameterError(f"{file} is not a file of results: none of its lines is a record. Choose another file.")
    return list(found.values()), len(lines) - readable


def read_for(path: str | os.PathLike[str], task: str, digest: str, graph: str) -> tuple[list[Run], str]:
    """The finished runs of one question in the file, and in words what was left aside that might be missed.

    Parameters
    ----------
    path
        The results file.
    task, digest, graph
        Those of the runs that are meant, see :class:`Run`. Runs of another digest are never given; those of the same
        task and graph's name are counted in the words.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = f"{folder}/results.jsonl"
    ...     append(file, Run("a", "mine", "links", "GCN", digest="1f", test=0.9))
    ...     append(file, Run("b", "mine", "links", "GCN", digest="2e", test=0.6))
    ...     runs, aside = read_for(file, "links", "1f", "mine")
    >>> len(runs), aside
    (1, 'Left aside: 1 run on another graph of that name, or with other labels.')
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

    Examples
    --------
    >>> set_aside("there-is-no-such-file.jsonl") is None
    True
    """
    file = Path(path)
    if not file.exists():
        return None
    number = 1
    while (old := file.with_name(f"{file.stem}.{number}{file.suffix}")).exists() or models_folder(old).exists():
        number += 1
    if models_folder(file).is_dir():
        models_folder(file).rename(models_folder(old))
    return file.rename(old)


def models_folder(results: str | os.PathLike[str]) -> Path:
    """Where the models and checkpoints of a results file are: the folder beside it that is called like it.

    Examples
    --------
    >>> models_folder("runs/links-karate.jsonl").as_posix()
    'runs/links-karate'
    """
    file = Path(results)
    if not file.suffix:
        raise ParameterError(
            f"The results file {str(file)!r} needs an ending, such as {file.name}.jsonl: the folder "
            "of its models is called like it, without."
        )
    return file.with_suffix("")


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


def _need(holds: bool, name: str, value: Any) -> None:
    if not holds:
        raise ParameterError(f"{name}={str(value)[:60]} cannot be in a record.")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300  # NaN is not


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _is_share(value: Any) -> bool:
    """A metric: from 0 to 1, or null."""
    return value is None or (_is_number(value) and 0 <= value <= 1)


def _is_epoch(epoch: Any, metric: str) -> bool:
    """What the curves are drawn from."""
    return (
        isinstance(epoch, dict)
        and "loss" in epoch
        and (epoch["loss"] is None or _is_number(epoch["loss"]))
        and _is_number(epoch.get("seconds", 0))
        and all(
            isinstance(epoch.get(part), dict) and metric in epoch[part] and _is_share(epoch[part][metric])
            for part in ("val", "test")
        )
    )
