"""The settings of a study, from a TOML file or from arguments, checked by pydantic."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    InstanceOf,
    ValidationError,
    field_validator,
    model_validator,
)

from ..common.errors import MOST_SEED, ParameterError, check_choice, check_float, check_int, short_repr
from ..common.files import shipped
from ..graphs.graph import Graph
from ..learn.leaks import leaks_of, protocol_of
from ..learn.metrics import RANKING
from ..learn.registry import MODELS
from ..learn.tasks import NEGATIVES, TASKS, Task
from .search import SPACE

Table = dict[str, Any]
_SHARED = (
    "models", "epochs", "seeds", "options", "settings", "search", "protocol", "protocols", "device", "split", "metric",
    "per_positive", "negatives",
)  # fmt: skip
"""Keys that may be given for all columns, or for a single one."""
_EXAMPLES = {"graph": '"celegans"', "task": '"links"', "models": '["GCN", "DE-GNN-SPD"]'}

Count = Annotated[int, BeforeValidator(lambda value: check_int("it", value, least=1))]
Seed = Annotated[int, BeforeValidator(lambda value: check_int("it", value, least=0, most=MOST_SEED))]
Names = Annotated[
    tuple[str, ...],
    BeforeValidator(lambda value: tuple(dict.fromkeys([value] if isinstance(value, str) else _listed(value)))),
]


Protocol = Annotated[
    str, BeforeValidator(lambda value: " + ".join(value) if isinstance(value, list | tuple) else value)
]


class _Checked(BaseModel):
    """Refuses unknown keys and suggests the nearest one."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    @model_validator(mode="before")
    @classmethod
    def _keys_are_known(cls, given: Any) -> Any:
        if not isinstance(given, Mapping):
            raise ValueError(f"a table of names with values is expected, not {short_repr(given)}")
        for key in given:
            check_choice("key", key, [name for name in cls.model_fields if name not in ("name", "place")])
        return dict(given)


class SearchConfig(_Checked):
    """How settings are chosen: the same number of trials for every model, on seeds that are not reported.

    All trials are trained to the first of ``rungs`` (epochs), the best ``1 / reduce`` of them on validation to the
    second, and so on.
    """

    trials: Annotated[int, BeforeValidator(lambda value: check_int("it", value, least=1, most=1000))] = 8
    seeds: Annotated[tuple[Seed, ...], Field(min_length=1)] = (1000, 1001)
    rungs: Annotated[tuple[Count, ...], Field(min_length=1)] = (5, 15, 45)
    reduce: Annotated[int, BeforeValidator(lambda value: check_int("it", value, least=2))] = 3
    space: Table = Field(default_factory=lambda: dict(SPACE))  # may hold a table for a single model

    @field_validator("rungs")
    @classmethod
    def _rungs_grow(cls, rungs: tuple[int, ...]) -> tuple[int, ...]:
        if list(rungs) != sorted(set(rungs)):
            raise ValueError(f"rungs must grow, such as [5, 15, 45], not {list(rungs)}")
        return rungs

    @field_validator("space")
    @classmethod
    def _space_is_known(cls, space: Table) -> Table:
        def checked(values: Mapping[str, Any]) -> Table:
            for name in values:
                check_choice("setting", name, _settings_of(MODELS))
            return {name: tuple(_listed(choices)) for name, choices in values.items()}

        own = {name: values for name, values in space.items() if isinstance(values, Mapping)}
        for model in own:
            check_choice("model", model, MODELS)
        common = checked({name: values for name, values in space.items() if name not in own})
        return {**common, **{model: checked(values) for model, values in own.items()}}

    def space_of(self, model: str) -> dict[str, tuple[Any, ...]]:
        """The values to try for the settings of this model."""
        common = {name: values for name, values in self.space.items() if not isinstance(values, Mapping)}
        return common | dict(self.space.get(model, {}))


class ColumnConfig(_Checked):
    """One column of a study: a task on a graph, and how its models are trained."""

    graph: str | InstanceOf[Graph]  # a name, a file, or the graph itself
    task: str | InstanceOf[Task]
    models: Annotated[Names, Field(min_length=1)]
    epochs: Count = 40
    seeds: Count = 5
    options: Table = Field(default_factory=dict)  # further arguments of fit
    settings: dict[str, Table] = Field(default_factory=dict)  # of single models
    search: SearchConfig | None = None
    protocols: Annotated[tuple[Protocol, ...], Field(min_length=1)] = ("honest",)  # "paper", or names of leaks
    device: str = "cpu"
    split: tuple[float, ...] | None = None
    metric: str | None = None  # None: the task's
    per_positive: Count | None = None  # negatives that each held-out link is ranked among
    negatives: str = "random"  # or "hard"

    @field_validator("task")
    @classmethod
    def _task_is_known(cls, task: str | Task) -> str | Task:
        return check_choice("task", task, TASKS) if isinstance(task, str) else task

    @field_validator("split", mode="before")
    @classmethod
    def _split_is_shares(cls, split: Any) -> Any:
        return None if split is None else tuple(check_float("split", share, least=0) for share in split)

    @field_validator("settings")
    @classmethod
    def _settings_are_known(cls, settings: dict[str, Table]) -> dict[str, Table]:
        for model, values in settings.items():
            check_choice("model", model, MODELS)
            for name in values:
                check_choice(f"setting of {model}", name, _settings_of([model]))
        return settings

    @model_validator(mode="after")
    def _fits_together(self) -> ColumnConfig:
        for model in self.models:
            entry = MODELS[check_choice("model", model, MODELS)]
            if not entry.takes(self.p):
                raise ValueError(
                    f"{model} does not take sets of {self.p} ({self.name} {self.kind}); leave it out there"
                )
        if self.search is not None:
            if "rungs" not in self.search.model_fields_set:
                fitting = tuple(rung for rung in self.search.rungs if rung <= self.epochs) or (self.epochs,)
                object.__setattr__(self, "search", self.search.model_copy(update={"rungs": fitting}))
            if max(self.search.rungs) > self.epochs:
                raise ValueError(f"search.rungs {list(self.search.rungs)} go beyond the {self.epochs} epochs")
            if min(self.search.seeds) < self.seeds:
                raise ValueError(
                    f"search.seeds {list(self.search.seeds)} are reported, too (0 to {self.seeds - 1}): settings "
                    "must not be chosen on the seeds that judge them. Take others, such as 1000 and 1001"
                )
        if self.metric is not None:
            check_choice("metric", self.metric, ["accuracy", "auc", *RANKING])
        check_choice("negatives", self.negatives, NEGATIVES)
        if self.per_positive is not None and self.task != "links":
            raise ValueError("per_positive is only for links that the study draws; leave it out of this column")
        if isinstance(self.task, str):
            if self.metric in RANKING and self.per_positive is None:
                raise ValueError(f"metric {self.metric!r} needs per_positive, say 100 negatives of each link")
            named = tuple(dict.fromkeys(protocol_of(leaks_of(one, self.task), self.task) for one in self.protocols))
            object.__setattr__(self, "protocols", named)
        return self

    @property
    def p(self) -> int:
        """Nodes in a target set."""
        return TASKS[self.task].p if isinstance(self.task, str) else self.task.p

    @property
    def fit_options(self) -> Table:
        """Further arguments of fit, including the metric."""
        return dict(self.options) if self.metric is None else {**self.options, "metric": self.metric}

    @property
    def name(self) -> str:
        """The graph's name for people."""
        return self.graph if isinstance(self.graph, str) else self.graph.title or "my graph"

    @property
    def kind(self) -> str:
        """The task's name."""
        return self.task if isinstance(self.task, str) else self.task.kind


class StudyConfig(_Checked):
    """A whole study."""

    title: str
    columns: Annotated[tuple[ColumnConfig, ...], Field(min_length=1)]
    name: str = ""  # of its file, without the ending
    place: Path | None = None  # the folder of its file


def read_config(path: Path) -> StudyConfig:
    """The study in a TOML file, or an included one by name; a ParameterError names the key that is wrong."""
    if not path.is_file() and not path.suffix:
        path = shipped(f"studies/{path}.toml") or path
    if not path.is_file():
        folder = shipped("studies")
        included = f", or one of {', '.join(sorted(file.stem for file in folder.glob('*.toml')))}" if folder else ""
        raise ParameterError(f"There is no study {str(path)!r} here; name a TOML file of yours{included}.")
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ParameterError(f"{path} cannot be read as TOML: {error}.") from None
    try:
        return make_config(given, path.stem, path.parent)
    except ParameterError as error:
        raise ParameterError(f"{path}: {error}") from None


def make_config(given: Mapping[str, Any], name: str = "", place: Path | None = None) -> StudyConfig:
    """The study with these values.

    Examples
    --------
    >>> make_config({"models": "GCN", "columns": [{"graph": "karate", "task": "links"}]}).columns[0].models
    ('GCN',)
    """
    for key in given:
        check_choice("key", key, [*_SHARED, "title", "columns"])
    columns = given.get("columns")
    if not isinstance(columns, list | tuple) or not columns:
        raise ParameterError('a study needs columns: [[columns]] with graph = "celegans" and task = "links", say.')
    shared = {key: value for key, value in given.items() if key in _SHARED}
    merged = []
    for number, column in enumerate(columns, start=1):
        if not isinstance(column, Mapping):
            raise ParameterError(f"columns[{number}] must be a table with graph and task, not {short_repr(column)}.")
        values = _merged(shared, column)
        for key, example in _EXAMPLES.items():
            if key not in values:
                raise ParameterError(f"columns[{number}] has no {key}; add one, such as {example}.")
        if "protocol" in values and "protocols" in values:
            raise ParameterError(f"columns[{number}] has protocol and protocols; keep one of them.")
        if "protocol" in values:
            values["protocols"] = [values.pop("protocol")]
        if not values.get("search", True):
            del values["search"]
        merged.append(values)
    try:
        config = StudyConfig(title=given.get("title", name or "study"), columns=merged)  # type: ignore[arg-type]
    except ValidationError as error:
        sentence = _sentence(error)
        raise ParameterError(sentence if place else re.sub(r"^columns\[\d+\](\.|: )", "", sentence)) from None
    config = config.model_copy(update={"name": name, "place": place})
    questions = [(column.name, column.kind) for column in config.columns]
    if len(set(questions)) < len(questions):
        raise ParameterError(
            "two columns have the same graph and task; join them, or make a study of each if the tasks are your own."
        )
    return config


def _merged(common: Mapping[str, Any], column: Mapping[str, Any]) -> Table:
    """A column's own values override the common ones; tables such as options are merged key by key."""
    merged = dict(common)
    for key, value in column.items():
        old = merged.get(key)
        merged[key] = _merged(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return merged


def _sentence(error: ValidationError) -> str:
    """The first error and where it is, such as columns[2].search.trials."""
    first = error.errors()[0]
    where = ""
    for part in first["loc"]:
        if isinstance(part, int):
            where += f"[{part + 1}]"
        elif part in _FIELDS or part in MODELS:
            where += f".{part}" if where else str(part)
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] != "value_error":
        message += f", not {short_repr(first['input'])}"
    if not message.endswith((".", "?")):
        message += "."
    return f"{where}: {message}" if where else message


_FIELDS = {name for kind in (SearchConfig, ColumnConfig, StudyConfig) for name in kind.model_fields}


def _settings_of(models: Iterable[str]) -> list[str]:
    names = {name: None for model in models for name in MODELS[model].load().HYPER}
    return [*names, "learning_rate"]


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list | tuple) or not value:
        raise ValueError(f"a list with at least one value is expected, not {short_repr(value)}")
    return list(value)
