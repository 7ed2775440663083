"""The runs of a Training Board: those of the chosen race, and earlier ones in its store. No widgets here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..learn.registry import MODELS
from ..learn.tasks import TASKS, Task
from .comparison import Comparison, compare_runs, latest_setting
from .diagnostics import TrainedModels
from .race import Race, RaceSetup, Snapshot, snapshot_of, states_of
from .runs import Run, by_model, finished
from .store import Store, left_out


class BoardRuns:
    """The runs of the chosen task and graph, which of them are shown, and the progress of the chosen ones."""

    def __init__(self, setup: RaceSetup, store: Store, show_earlier: bool = True) -> None:
        self.race: Race | None = None
        self.show_earlier = show_earlier  # whether to show stored runs that were not raced on this board
        self._raced: set[str] = set()  # keys of the runs that were raced on this board
        self.trained_models = TrainedModels(setup, store.models)
        self._table: tuple[list[str], Comparison | None] = ([], None)
        self.choose(setup, store)

    def choose(self, setup: RaceSetup, store: Store) -> None:
        """Switch to another setup or store; no race may be running."""
        old = self.trained_models
        if (old.folder, old.setup.digest, old.setup.kind) != (store.models, setup.digest, setup.kind):
            self.trained_models = TrainedModels(setup, store.models)
        if self.race is not None and not _is_race_of(self.race, setup, store, self.race.workers):
            self.race = None
        self.setup, self.store = setup, store
        self._stored = finished(store.runs(task=setup.kind, digest=setup.digest))
        others = [run for run in finished(store.runs(task=setup.kind, graph=setup.title)) if run.digest != setup.digest]
        unknown = store.unknown_models(task=setup.kind, digest=setup.digest)
        self.note = " ".join(filter(None, [left_out(unknown) if unknown else "", ignored(others)]))

    def new_race(self, workers: int) -> Race:
        """The race of the chosen setup: the current one if it is the same, so that it continues, else a new one."""
        if self.race is None or not _is_race_of(self.race, self.setup, self.store, workers):
            self.race = Race(self.setup, self.store, workers)
        self._raced |= {spec.key for spec in self.setup.specs()}
        return self.race

    @property
    def earlier(self) -> int:
        """How many finished runs in the store are hidden."""
        return 0 if self.show_earlier else len(self._stored) - len(self._visible())

    def _visible(self) -> list[Run]:
        return [run for run in self._stored if self.show_earlier or run.key in self._raced]

    @property
    def file_name(self) -> str:
        """A name for files about the chosen task and graph, such as links-celegans."""
        slug = "".join(c if c.isalnum() else "-" for c in self.setup.title.lower()).strip("-")[:60] or "own-graph"
        return f"{self.setup.kind}-{slug}"

    # ---- runs ---------------------------------------------------------------------------------

    @property
    def runs(self) -> list[Run]:
        """The finished runs of the task and graph, with any settings; see :attr:`show_earlier`."""
        fresh = {run.key: run for run in ([] if self.race is None else self.race.results())}
        return [run for run in self._visible() if run.key not in fresh] + list(fresh.values())

    @property
    def shown(self) -> list[Run]:
        """Each model's runs with the chosen settings; if it has none, those with its latest settings."""
        shown: list[Run] = []
        for model, group in by_model(self.runs).items():
            chosen = self.setup.spec(model).full_settings
            shown += [run for run in group if (run.hyper, run.options) == chosen] or latest_setting(group)
        return shown

    def table(self) -> Comparison | None:
        """The comparison of the runs shown, with a note on their settings."""
        shown = self.shown
        last = {run.model: (run.hyper, run.options) for run in shown}
        other = [model for model, settings in last.items() if settings != self.setup.spec(model).full_settings]
        keys = [str(self.store.folder), *(run.key for run in shown), *other, self.note]
        if keys != self._table[0]:
            table = compare_runs(shown) if shown else None
            if table is not None:
                notes = (settings_note(shown, self.setup, other), *table.notes, *([self.note] if self.note else []))
                table = replace(table, notes=notes)
            self._table = keys, table
        return self._table[1]

    def code(self) -> str:
        """Python that repeats the runs shown; if there are none, those chosen."""
        return code_of(self.setup, self.shown)

    def best(self) -> Run | None:
        """The first seed of the best model that has a model file."""
        table, shown = self.table(), self.shown
        for row in table.rows if table is not None else ():
            for seed in sorted({run.seed for run in shown}):
                run = self.trained_models.of_seed(shown, seed).get(row.model)
                if run is not None:
                    return run
        return None

    # ---- progress -----------------------------------------------------------------------------

    def snapshot(self) -> Snapshot | None:
        """The progress of the chosen runs, in the race or, before there is one, in the store; None if nothing ran."""
        if self.race is not None:
            return self.race.snapshot()
        shown = self._visible()
        states = states_of(self.setup, shown)
        left = [key for key, one in states.items() if one.run is None]
        begun = any(self.store.checkpoint(key).is_file() for key in left)
        if not states or (len(left) == len(states) and not shown and not begun):
            return None
        return snapshot_of(self.setup, states, "cancelled" if begun else "ready" if left else "finished")

    def drawn(self) -> list[Run]:
        """The runs for the chart: those of the race so far, and those shown of other models."""
        if self.race is None:
            return self.shown
        return [run for run in self.shown if run.model not in self.race.setup.models] + list(self.race.snapshot().runs)


def _is_race_of(race: Race, setup: RaceSetup, store: Store, workers: int) -> bool:
    return (
        race.store.folder == store.folder
        and race.workers == workers
        and race.setup.device == setup.device
        and [spec.key for spec in race.setup.specs()] == [spec.key for spec in setup.specs()]
    )


def ignored(runs: Sequence[Run]) -> str:
    """A sentence about runs of the same task on a graph of the same name that answer another question."""
    leaking = sum(run.protocol != "honest" for run in runs)
    counted = [
        (leaking, "with a protocol that leaks on purpose"),
        (len(runs) - leaking, "on another graph of that name, or with other labels or splits"),
    ]
    parts = [f"{count} run{'s' if count > 1 else ''} {why}" for count, why in counted if count]
    return f"Ignored: {'; '.join(parts)}." if parts else ""


# ---- how the runs were trained, and the Python that repeats them -----------------------------------

_SAYS = {("optimizer", "sgd"): "SGD", ("patience", None): "no early stop"}


def settings_note(runs: Sequence[Run], setup: RaceSetup, other: Sequence[str] = ()) -> str:
    """A sentence about the settings of these runs; ``other`` lists models without runs of the chosen settings.

    Examples
    --------
    >>> import degnn_explore as de
    >>> setup = RaceSetup(de.load("karate"), "links", ["GCN"])
    >>> run = Run("k", "karate", "links", "GCN", hyper={"layers": 3}, options={"epochs": 5, "learning_rate": 0.05})
    >>> settings_note([run], setup)
    'Trained with at most 5 epochs, learning rate 0.05, layers 3.'
    """
    usual = replace(setup, settings={}, options={})
    groups: dict[str, list[str]] = {}
    for model, run in {run.model: run for run in runs if run.options or run.hyper}.items():
        groups.setdefault(_words(run, *usual.spec(model).full_settings), []).append(model)
    if len(groups) <= 1:
        note = f"Trained with {next(iter(groups))}." if groups else "Heuristics: nothing was trained."
    else:
        note = "Trained with: " + "; ".join(f"{', '.join(names)}: {words}" for words, names in groups.items()) + "."
    if other:
        note += f" These are not the settings chosen above for {', '.join(other)}, whose latest runs are shown."
    return note


def _words(run: Run, hyper: dict[str, Any], options: dict[str, Any]) -> str:
    """The epochs of a run, and its settings that are not the defaults."""
    own = {name: value for name, value in run.options.items() if name != "epochs" and value != options.get(name)}
    own |= {name: value for name, value in run.hyper.items() if value != hyper.get(name)}
    parts = [_SAYS.get((name, value), f"{name.replace('_', ' ')} {value}") for name, value in own.items()]
    trained = [f"at most {run.options['epochs']} epochs"] if "epochs" in run.options else []
    return ", ".join([*trained, *(parts or ["default settings"])])


def code_of(setup: RaceSetup, runs: Sequence[Run] = ()) -> str:
    """Python that trains these runs again without the board; if there are none, those of the setup.

    Every hyperparameter is written out, so that the code keeps its meaning when a default changes.

    Examples
    --------
    >>> import degnn_explore as de
    >>> run = Run("k", "karate", "links", "GCN", hyper={"layers": 3}, options={"epochs": 5})
    >>> print(code_of(RaceSetup(de.load("karate"), "links", ["SEAL"]), [run]))
    import degnn_explore as de
    <BLANKLINE>
    G = de.load("karate")
    runs = [  # model, seeds, hyperparameters, training
        ('GCN', [0],
         {'layers': 3},
         {'epochs': 5}),
    ]
    for name, seeds, hyper, training in runs:
        for seed in seeds:
            task = de.link_task(G, seed=seed)
            model = de.build(name, task, seed=seed, **hyper)
            run = list(de.fit(model, task, seed=seed, device='cpu', **training))
            print(name, seed, de.summarize(run))
    """
    given = [(run.seed, run.device, (run.model, run.hyper, run.options)) for run in runs] or [
        (spec.seed, spec.device, (spec.model, *spec.full_settings)) for spec in setup.specs()
    ]
    groups: dict[str, tuple[list[int], tuple[Any, ...]]] = {}
    for seed, _, (model, hyper, options) in given:
        of_task = [name for name, one in MODELS[model].load().HYPER.items() if one.from_task]
        written = {name: value for name, value in hyper.items() if value is not None or name not in of_task}
        groups.setdefault(repr((model, written, options)), ([], (model, written, options)))[0].append(seed)
    listed = [
        f"    ({model!r}, {sorted(seeds)},\n     {hyper!r},\n     {options!r}),"
        for seeds, (model, hyper, options) in groups.values()
    ]
    own_task = isinstance(setup.task, Task)
    task = [] if own_task else [f"        task = de.{TASKS[setup.kind].make.__name__}(G, seed=seed)"]
    devices = {device for _, device, _ in given}
    device = devices.pop() if len(devices) == 1 else "auto"
    return "\n".join(
        [
            "import degnn_explore as de",
            "",
            *_graph_code(setup),
            "runs = [  # model, seeds, hyperparameters, training",
            *listed,
            "]",
            "for name, seeds, hyper, training in runs:",
            "    for seed in seeds:",
            *task,
            "        model = de.build(name, task, seed=seed, **hyper)",
            f"        run = list(de.fit(model, task, seed=seed, device={device!r}, **training))",
            "        print(name, seed, de.summarize(run))",
        ]
    )


def _graph_code(setup: RaceSetup) -> list[str]:
    """The lines that make G; for a user's graph or task, a line to fill in."""
    if isinstance(setup.task, Task):
        return [
            f"# A task of your own on {_text(setup.title)}; put what made it in the place of the dots.",
            f"task = ...  # {setup.task!r}",
        ]
    if setup.question.catalog:
        return [f"G = de.load({_text(setup.question.catalog)})"]
    graph = setup.graph
    lines = [
        f"# A graph of your own, {_text(setup.title)}: {graph.num_nodes} nodes, {graph.num_edges} edges.",
        "# Put what it was made from in the place of the dots, with the nodes in the same order.",
        'G = de.read_graph("...")  # your file, or de.Graph.from_networkx(...), de.Graph.from_edges(...)',
    ]
    if graph.attributes is not None:
        lines.append(f"G = G.with_attributes([...])  # its attributes, {graph.attributes.shape[1]} for each node")
    if setup.task == "roles":
        lines.append(
            "G = G.with_labels([...])  # its labels, a whole number for each node, -1 for none; or above: "
            'de.read_graph("...", labels="...")'
        )
    return lines


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
