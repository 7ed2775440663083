"""The record of a training run, and what may be in one."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from ..common.errors import ParameterError
from ..learn.nets import MODELS

_CHOICES: dict[str, Iterable[str]] = {
    "model": MODELS,
    "task": ("roles", "links", "triangles", "sets"),
    "metric": ("auc", "accuracy"),
    "status": ("finished", "failed", "running"),
}


@dataclass(frozen=True)
class Run:
    """One model trained once: what was asked, how each epoch went, how it ended. Everything in it is JSON.

    Examples
    --------
    >>> run = Run(key="k", graph="karate", task="links", model="GCN", test=0.8)
    >>> Run.from_json(run.to_json()) == run
    True
    """

    key: str  # the same for the same graph, task, model, settings and seed
    graph: str  # its name, as de.load knows it, or its title
    task: str
    model: str
    seed: int = 0  # draws the split, the weights and the order of the sets
    nodes: int = 0
    edges: int = 0
    digest: str = ""  # of what the run is about, see plan.digest_of; only runs of the same one may be compared
    catalogue: str = ""  # the name by which de.load gives this very graph; the paper has numbers only for those
    p: int = 2
    num_classes: int = 2
    metric: str = "auc"
    sizes: dict[str, int] = field(default_factory=dict)  # of train, val and test
    hyper: dict[str, Any] = field(default_factory=dict)  # with the defaults, as are the options
    options: dict[str, Any] = field(default_factory=dict)
    device: str = "cpu"
    status: str = "finished"
    error: str = ""  # why it failed, in words
    epochs: list[dict[str, Any]] = field(default_factory=list)  # the fields of de.Epoch
    best_epoch: int = 0  # chosen on validation
    trained: int = 0  # epochs; 0: as many as are listed
    val: float | None = None  # of the best epoch, on validation; None: see its entry among the epochs
    rung: int = 0  # of a search, counted from 1; 0: no trial. A trial has no test result
    test: float | None = None  # of that epoch
    optimistic: float | None = None  # the best of any epoch: an upper bound, not an estimate
    seconds: float = 0.0  # by the clock, of its epochs
    cpu_seconds: float = 0.0  # of the processor, preparation included; 0: not measured (earlier versions)
    parameters: int = 0
    model_file: str = ""  # its name in the folder of models
    when: str = ""  # it ended (ISO, UTC)
    version: str = ""  # of this package
    protocol: str = "honest"  # "paper", or names of leaks; runs of two protocols differ in their digests, too
    note: str = ""  # in the words of whoever looked at it

    def to_json(self) -> str:
        """The record as one line."""
        return json.dumps(plain(asdict(self)), ensure_ascii=False, allow_nan=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str) -> Run:
        """The record on a line; fields that this version does not know are left out. ParameterError if it is none."""
        try:
            values = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ParameterError(f"This line is not a record: {error}.") from None
        return cls.from_values(values)

    @classmethod
    def from_values(cls, values: Any) -> Run:
        """The record with these values, as JSON has them; see :meth:`from_json`."""
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
        for column in fields(self):
            value = getattr(self, column.name)
            if not _HOLDS[str(column.type)](value) or value not in _CHOICES.get(column.name, [value]):
                raise ParameterError(f"{column.name}={str(value)[:60]} cannot be in a record.")
        if not _is_count(self.options.get("epochs", 0)):
            raise ParameterError(f"options={str(self.options)[:60]} cannot be in a record.")
        for epoch in self.epochs:
            if not _is_epoch(epoch, self.metric):
                raise ParameterError(f"epochs={str(epoch)[:60]} cannot be in a record.")


def finished(runs: Iterable[Run]) -> list[Run]:
    """Those that ended well."""
    return [run for run in runs if run.status == "finished" and run.test is not None]


def by_model(runs: Iterable[Run]) -> dict[str, list[Run]]:
    """The runs of each model."""
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(run.model, []).append(run)
    return groups


# ---- what a record may hold -----------------------------------------------------------------------


def plain(value: Any) -> Any:
    """NaN and infinity as null, which JSON can say."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300  # NaN is not


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _is_share(value: Any) -> bool:
    """A metric: from 0 to 1, or null."""
    return value is None or (_is_number(value) and 0 <= value <= 1)


def _is_text(value: Any) -> bool:
    """Half of a surrogate pair is no letter: JSON can spell it, but no file can be written with it."""
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)


def _is_setting(value: Any) -> bool:
    return value is None or isinstance(value, bool) or _is_text(value) or _is_number(value)


def _is_table(value: Any, holds: Callable[[Any], bool]) -> bool:
    return isinstance(value, dict) and all(_is_text(name) and holds(item) for name, item in value.items())


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


_HOLDS: dict[str, Callable[[Any], bool]] = {
    "str": _is_text,
    "int": _is_count,
    "float": lambda value: _is_number(value) and value >= 0,
    "float | None": _is_share,
    "dict[str, int]": lambda value: _is_table(value, _is_count),
    "dict[str, Any]": lambda value: _is_table(value, _is_setting),
    "list[dict[str, Any]]": lambda value: isinstance(value, list),
}
"""By the type that is written beside a field of Run."""
