"""What a study asks for, as data: read from a TOML file or from arguments, checked key by key."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from ...common.errors import MOST_SEED, ParameterError, one_of, real_number, shown, whole_number
from ...common.files import shipped
from ...graphs.graph import Graph
from ...learn.leaks import leaks_of, protocol_of
from ...learn.nets import MODELS
from ...learn.tasks import TASKS
from ..tuning import SPACE

_TRIED_ON = (1000, 1001)  # seeds of a search, where none are given: none that is reported
Table = dict[str, Any]


@dataclass(frozen=True)
class Seeds:
    """Which seeds are reported: ``least`` in every cell, ``most`` where a run takes under ``quick`` CPU-seconds."""

    least: int = 5
    most: int = 5
    quick: float = 10.0


@dataclass(frozen=True)
class Search:
    """How settings are chosen: as many trials for every model, on seeds that are not reported.

    All trials are trained to the first of ``rungs`` (epochs), the best ``1 / reduce`` of them, on validation, to the
    second, and so on. Settings whose runs would take more than ``seconds`` CPU-seconds are dropped after the first.
    """

    trials: int = 8
    seeds: tuple[int, ...] = _TRIED_ON
    rungs: tuple[int, ...] = (5, 15, 45)
    reduce: int = 3
    seconds: float | None = None
    space: Mapping[str, Any] = field(default_factory=lambda: dict(SPACE))  # also a table of its own for a model

    def grid(self, model: str) -> dict[str, tuple[Any, ...]]:
        """What is tried of this model's settings, if it has them."""
        common = {name: values for name, values in self.space.items() if not isinstance(values, Mapping)}
        return common | dict(self.space.get(model, {}))


@dataclass(frozen=True)
class Column:
    """One question of a study, a task on a graph, and how its models are trained."""

    graph: str | Graph  # a name, a file, or the graph itself
    task: str
    models: tuple[str, ...]
    epochs: int = 40
    seeds: Seeds = field(default_factory=Seeds)
    options: Table = field(default_factory=dict)  # further arguments of fit
    settings: Mapping[str, Table] = field(default_factory=dict)  # of single models
    search: Search | None = None
    protocols: tuple[str, ...] = ("honest",)  # "paper", or names of leaks

    @property
    def name(self) -> str:
        """The graph's, for people."""
        return self.graph if isinstance(self.graph, str) else self.graph.title or "my graph"


@dataclass(frozen=True)
class Asked:
    """All that a study asks for."""

    title: str
    columns: tuple[Column, ...]
    name: str = ""  # of its file, without the ending
    place: Path | None = None  # the folder of its file


def read(path: Path) -> Asked:
    """The study in a TOML file, or one that comes along, by its name; a ParameterError names the key that is wrong."""
    if not path.is_file() and not path.suffix:
        path = shipped(f"studies/{path}.toml") or path
    if not path.is_file():
        folder = shipped("studies")
        along = f", or one of {', '.join(sorted(file.stem for file in folder.glob('*.toml')))}" if folder else ""
        raise ParameterError(f"There is no study {str(path)!r} here; name a TOML file of yours{along}.")
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ParameterError(f"{path} cannot be read as TOML: {error}.") from None
    try:
        return asked(given, path.stem, path.parent)
    except ParameterError as error:
        raise ParameterError(f"{path}: {error}") from None


def asked(given: Mapping[str, Any], name: str = "", place: Path | None = None) -> Asked:
    """The study that these values ask for; see docs in :func:`degnn_explore.study`.

    Examples
    --------
    >>> asked({"models": ["GCN"], "columns": [{"graph": "karate", "task": "links"}]}).columns[0].models
    ('GCN',)
    """
    common = {key: value for key, value in given.items() if key in _COMMON}
    for key in given:
        one_of("key", key, [*_COMMON, "title", "columns"])
    columns = given.get("columns")
    if not isinstance(columns, list | tuple) or not columns:
        raise ParameterError('a study needs columns: [[columns]] with graph = "celegans" and task = "links", say.')
    made = []
    for number, column in enumerate(columns, start=1):
        where = f"columns[{number}]"
        if not isinstance(column, Mapping):
            raise ParameterError(f"{where} must be a table with graph and task, not {shown(column)}.")
        made.append(_column(_merged(common, column), where))
    asked_twice = [(column.name, column.task) for column in made]
    if len(set(asked_twice)) < len(made):
        raise ParameterError("two columns have the same graph and task; join them.")
    title = given.get("title", name or "study")
    if not isinstance(title, str):
        raise ParameterError(f"title must be a text, not {shown(title)}.")
    return Asked(title, tuple(made), name, place)


_COMMON = ("models", "epochs", "seeds", "options", "settings", "search", "protocol", "protocols")
"""What may be said for all columns, and for one of them."""


def _merged(common: Mapping[str, Any], column: Mapping[str, Any]) -> Table:
    """A column's own values over the common ones; tables such as options are joined key by key."""
    merged = dict(common)
    for key, value in column.items():
        old = merged.get(key)
        merged[key] = _merged(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return merged


def _column(given: Table, where: str) -> Column:
    for key in given:
        one_of(f"{where}: key", key, [*_COMMON, "graph", "task"])
    for key in ("graph", "task", "models"):
        if key not in given:
            raise ParameterError(f"{where} has no {key}; add one, such as {_EXAMPLES[key]}.")
    graph, task = given["graph"], one_of(f"{where}.task", given["task"], TASKS)
    if not isinstance(graph, str | Graph):
        raise ParameterError(f"{where}.graph must be a name or a file, not {shown(graph)}.")
    models = tuple(dict.fromkeys(_texts(f"{where}.models", given["models"])))
    p = TASKS[task].p
    for model in models:
        entry = MODELS[one_of(f"{where}: model", model, MODELS)]
        if not entry.takes(p):
            raise ParameterError(f"{where}: {model} does not take sets of {p} ({task}); leave it out of this column.")
    epochs = whole_number(f"{where}.epochs", given.get("epochs", 40), least=1)
    seeds = _seeds(given.get("seeds", 5), f"{where}.seeds")
    options = _table(f"{where}.options", given.get("options", {}))
    search = _search(given["search"], f"{where}.search", epochs) if given.get("search") else None
    if search is not None and min(search.seeds) < seeds.most:
        raise ParameterError(
            f"{where}.search.seeds {list(search.seeds)} are reported, too (0 to {seeds.most - 1}): what is chosen on "
            "them would be judged on them. Take others, such as 1000 and 1001."
        )
    settings = _settings(given.get("settings", {}), models, f"{where}.settings")
    if "protocol" in given and "protocols" in given:
        raise ParameterError(f"{where} has protocol and protocols; keep one of them.")
    protocols = _protocols(given.get("protocols", [given.get("protocol", "honest")]), task, f"{where}.protocols")
    return Column(graph, task, models, epochs, seeds, options, settings, search, protocols)


_EXAMPLES = {"graph": '"celegans"', "task": '"links"', "models": '["GCN", "DE-GNN-SPD"]'}


def _protocols(given: Any, task: str, where: str) -> tuple[str, ...]:
    """Each by its usual name, none twice; names of leaks are those of ``de.leaks()``."""
    try:
        named = [protocol_of(leaks_of(one, task), task) for one in _list(where, given)]
    except ParameterError as error:
        raise ParameterError(f"{where}: {error}") from None
    return tuple(dict.fromkeys(named))


def _seeds(given: Any, where: str) -> Seeds:
    if not isinstance(given, Mapping):
        count = whole_number(where, given, least=1)
        return Seeds(count, count)
    _only(given, Seeds, where)
    least = whole_number(f"{where}.least", given.get("least", 5), least=1)
    most = whole_number(f"{where}.most", given.get("most", least), least=least)
    return Seeds(least, most, real_number(f"{where}.quick", given.get("quick", 10.0), above=0))


def _search(given: Any, where: str, epochs: int) -> Search:
    _only(_table(where, given), Search, where)
    usual = Search()
    rungs = given.get("rungs", [rung for rung in usual.rungs if rung <= epochs] or [epochs])
    seeds = given.get("seeds", list(usual.seeds))
    counts = tuple(
        whole_number(f"{where}.rungs", rung, least=1, most=epochs) for rung in _list(f"{where}.rungs", rungs)
    )
    if list(counts) != sorted(set(counts)):
        raise ParameterError(f"{where}.rungs must grow, such as [5, 15, 45], not {list(counts)}.")
    seconds = given.get("seconds")
    return Search(
        whole_number(f"{where}.trials", given.get("trials", usual.trials), least=1, most=1000),
        tuple(
            whole_number(f"{where}.seeds", seed, least=0, most=MOST_SEED)
            for seed in dict.fromkeys(_list(f"{where}.seeds", seeds))
        ),
        counts,
        whole_number(f"{where}.reduce", given.get("reduce", usual.reduce), least=2),
        None if seconds is None else real_number(f"{where}.seconds", seconds, above=0),
        _space(_table(f"{where}.space", given.get("space", usual.space)), f"{where}.space"),
    )


def _space(given: Table, where: str) -> Table:
    space: Table = {}
    for name, values in given.items():
        if isinstance(values, Mapping):
            one_of(f"{where}: model", name, MODELS)
            space[name] = _space(dict(values), f"{where}.{name}")
        else:
            one_of(f"{where}: setting", name, _hyperparameters(MODELS))
            space[name] = tuple(_list(f"{where}.{name}", values))
    return space


def _settings(given: Any, models: tuple[str, ...], where: str) -> dict[str, Table]:
    """Of each model of the column; a table of another model is for other columns."""
    settings = {}
    for model, values in _table(where, given).items():
        one_of(f"{where}: model", model, MODELS)
        for name in _table(f"{where}.{model}", values):
            one_of(f"{where}.{model}: setting", name, _hyperparameters([model]))
        if model in models:
            settings[model] = dict(values)
    return settings


def _hyperparameters(models: Iterable[str]) -> list[str]:
    names = {name: None for model in models for name in MODELS[model].load().HYPER}
    return [*names, "learning_rate"]


def _only(given: Mapping[str, Any], kind: type, where: str) -> None:
    for key in given:
        one_of(f"{where}: key", key, [column.name for column in fields(kind)])


def _table(where: str, given: Any) -> Table:
    if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
        raise ParameterError(f"{where} must be a table of names with values, not {shown(given)}.")
    return dict(given)


def _list(where: str, given: Any) -> list[Any]:
    if not isinstance(given, list | tuple) or not given:
        raise ParameterError(f"{where} must be a list with at least one value, not {shown(given)}.")
    return list(given)


def _texts(where: str, given: Any) -> list[str]:
    if isinstance(given, str) or not all(isinstance(item, str) for item in _list(where, given)):
        raise ParameterError(f'{where} must be a list of names, such as ["GCN"], not {shown(given)}.')
    return list(given)
