"""``study``: a table of graphs, tasks and models, trained where the store has gaps, and compared with the paper."""

from __future__ import annotations

import math
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..common.errors import GraphError, ParameterError, check_choice, check_float, check_int
from ..common.progress import cores
from ..graphs.graph import Graph
from ..learn.registry import MODELS
from ..learn.tasks import TASKS, Task
from ..learn.training import Epoch
from ..reading.datasets import load
from ..reading.read import read_graph
from .leak_effects import leak_effects, leak_figure, read_leak_effects
from .paper_table import CHOSEN, Reading, Result, SideBySide, as_text, long_table, read_table, result_of, wide_table
from .runs import Run, RunSpec, finished
from .scheduler import Scheduler, Update
from .search import Settings, candidates, promote, rung_sizes
from .store import Store
from .study_file import ColumnConfig, StudyConfig, make_config, read_config
from .study_results import DIGITS, Row, read_rows, row_of, run_of, write_rows

if TYPE_CHECKING:
    import pandas

_PAUSE = 5.0  # seconds between two reports of progress
OnEpoch = Callable[[Run, Epoch], object]


def study(
    file: str | os.PathLike[str] | None = None,
    *,
    graphs: Any = None,
    tasks: Any = "links",
    models: str | Iterable[str] = (),
    seeds: int = 5,
    epochs: int = 40,
    options: Mapping[str, Any] | None = None,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    search: Mapping[str, Any] | None = None,
    protocol: Any = "honest",
    split: Any = None,
    metric: str | None = None,
    per_positive: int | None = None,
    negatives: str = "random",
    device: str = "cpu",
    title: str = "",
    store: Store | str | os.PathLike[str] | None = None,
    on_epoch: OnEpoch | None = None,
) -> Study:
    """A study: every model on every graph and task, seed by seed.

    Parameters
    ----------
    file
        A TOML file such as ``studies/table1.toml``, which holds all of the following; "table1", "heuristics", "leaks"
        and "demo" are included. Runs in ``results/table1.csv`` next to its folder are not trained again.
    graphs, tasks
        A graph or several (names, files or graphs), and "links", "roles" or "triangles", or several. Or a task of your
        own, with its graph and split: ``tasks=de.link_task(G, ...)``.
    models
        Names from :func:`degnn_explore.models`, or one name.
    seeds
        How many.
    epochs, options, device
        Passed to :func:`degnn_explore.fit`, such as ``options={"patience": 10}``.
    settings
        Hyperparameters of single models: ``{"DE-GNN-SPD": {"max_dist": 4}}``.
    search
        Choose settings by successive halving on validation, on seeds that are not reported, with as many trials for
        every model: ``{"trials": 16, "seeds": [1000, 1001], "rungs": [5, 15, 45], "space": {...}}``.
    protocol
        "honest", "paper", or names from :func:`degnn_explore.leaks`. A file may list several ``protocols``, each of
        which becomes a column. Settings are always chosen honestly.
    split
        Shares of training, validation and test sets, such as (0.85, 0.05, 0.1). Anything else that the task takes as
        ``split=`` is used for every seed.
    metric
        The metric to choose epochs and settings by, and to report, as in :func:`degnn_explore.fit`: "mrr", say.
    per_positive, negatives
        As in :func:`degnn_explore.link_task`: how many negatives each held-out link has, "random" or "hard".
    store
        Where runs are kept, see :class:`degnn_explore.Store`; by default the project's store.
    on_epoch
        Called as ``on_epoch(run, epoch)``, for TensorBoard or W&B: during training on this machine, when a run ends on
        a cluster.

    Examples
    --------
    >>> import tempfile, degnn_explore as de
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     study = de.study(graphs="karate", models=["Adamic-Adar", "shortest path"], seeds=2, store=folder)
    ...     done = study.run(workers=1, progress=False)
    ...     study.table()["karate links"]["seeds"].tolist()
    ['2', '2']
    """
    where = store if isinstance(store, Store) else Store(store)
    if file is not None:
        return Study(read_config(Path(file).expanduser()), where, on_epoch)
    kinds = [tasks] if isinstance(tasks, str | Task) else list(tasks)
    listed = [graphs] if isinstance(graphs, str | Graph) else list(graphs or ())
    drawing: dict[str, Any] = {} if split is None else {"split": split}
    drawing |= {} if protocol == "honest" else {"protocol": protocol}
    drawing |= {} if per_positive is None else {"per_positive": per_positive}
    drawing |= {} if negatives == "random" else {"negatives": negatives}
    columns = [{"graph": task.full_graph, "task": task} for task in kinds if isinstance(task, Task)]
    if len(columns) == len(kinds) and (listed or drawing):
        unused = ", ".join([*(["graphs"] if listed else []), *drawing])
        raise ParameterError(
            f"A task of your own has its graph and split, so the study has no use for {unused}; give them to the task "
            "when you make it: de.link_task(G, split=...)."
        )
    shares = split is None or (isinstance(split, list | tuple) and all(isinstance(s, int | float) for s in split))
    for kind in kinds:
        for graph in listed if isinstance(kind, str) else ():
            if shares:
                columns.append({"graph": graph, "task": kind, **drawing})
            else:
                loaded = graph if isinstance(graph, Graph) else _graph(graph, None)
                task = TASKS[check_choice("task", kind, TASKS)].make(loaded, **drawing)
                columns.append({"graph": loaded, "task": task})
    if not columns:
        raise ParameterError('A study needs a file, graphs or a task: de.study("table1"), or graphs="celegans".')
    given: dict[str, Any] = {
        "title": title or "study", "models": models if isinstance(models, str) else list(models), "seeds": seeds,
        "epochs": epochs, "options": dict(options or {}), "settings": dict(settings or {}), "device": device,
        "metric": metric, "columns": columns}  # fmt: skip
    return Study(make_config({**given, **({"search": search} if search else {})}), where, on_epoch)


@dataclass(frozen=True)
class StudyProgress:
    """How far a study is. Trials of a search are counted among the runs."""

    done: int
    failed: int
    left: int  # an estimate during a search, whose next trials depend on its results
    trials: int  # among those done
    seconds_left: float | None  # by the clock, with ``workers`` at once; None before the first run has ended
    cpu_hours: float  # spent on what is done
    workers: int
    interrupted: bool = False  # Ctrl-C was pressed

    @property
    def share(self) -> float:
        """The share of runs that have ended, from 0 to 1."""
        return (self.done + self.failed) / max(1, self.done + self.failed + self.left)

    def __str__(self) -> str:
        failed = f", {self.failed} failed" if self.failed else ""
        trials = f" ({self.trials} of them trials)" if self.trials else ""
        left = f"{self.left} left" if self.left else "all"
        if self.left and not self.workers:
            left += ", waiting for workers"
        elif self.left and self.seconds_left is not None:
            left += f", about {_time(self.seconds_left)} with {self.workers} at once"
        runs = f"{self.done} run{'' if self.done == 1 else 's'} done"
        return f"{runs}{trials}{failed}, {left}; {self.cpu_hours:.2f} CPU-hours spent"


def _time(seconds: float) -> str:
    """Seconds for people.

    >>> _time(42), _time(600), _time(9000)
    ('42 s', '10 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


# ---- one cell: one model of one column -------------------------------------------------------------


class Cell:
    """One model in a column. What it says of its progress is looked up in ``runs``: those that have ended, by key."""

    def __init__(self, column: ColumnConfig, model: str, graph: Graph, protocol: str, runs: Mapping[str, Run]) -> None:
        self.column, self.model, self.protocol, self._graph, self._runs = column, model, protocol, graph, runs
        self.learns = MODELS[model].load().learns
        self.trials: list[Settings] = [{}]
        self.rungs: tuple[int, ...] = ()
        self._search_seeds: tuple[int, ...] = ()
        self._rung_sizes: list[int] = []
        if (search := column.search) is not None:
            given = column.settings.get(model, {})
            space = {name: values for name, values in search.space_of(model).items() if name not in given}
            self.trials = candidates(model, column.p, space=space, most=search.trials)
            if len(self.trials) > 1:
                self.rungs = search.rungs if self.learns else search.rungs[:1]
                self._search_seeds = search.seeds
                self._rung_sizes = rung_sizes(len(self.trials), len(self.rungs), search.reduce)
        self._specs: dict[tuple[int, int, int], RunSpec] = {}

    def settings(self, trial: int) -> Settings:
        """The settings of a trial, with those fixed by the study."""
        return {**self.column.settings.get(self.model, {}), **self.trials[trial]}

    def spec(self, trial: int, seed: int, rung: int = 0) -> RunSpec:
        """A run to report or, with a rung, a trial of the search, which is always honest."""
        if (trial, seed, rung) not in self._specs:
            before = self.spec(trial, seed, rung - 1).key if rung > 1 else ""
            self._specs[trial, seed, rung] = self.spec_with(self.settings(trial), seed, rung, before)
        return self._specs[trial, seed, rung]

    def spec_with(self, settings: Settings, seed: int, rung: int = 0, before: str = "") -> RunSpec:
        """A run with any settings."""
        column = self.column
        return RunSpec(
            self._graph, column.task, self.model, seed, self.rungs[rung - 1] if rung else column.epochs, settings,
            column.fit_options, "honest" if rung else self.protocol, column.device, column.split, rung,
            keep_model=False, resume_from=before, per_positive=column.per_positive,
            negatives=column.negatives)  # fmt: skip

    def reported(self, trial: int) -> list[RunSpec]:
        """The runs of all seeds, with these settings."""
        return [self.spec(trial, seed) for seed in range(self.column.seeds)]

    def trial_specs(self) -> list[tuple[int, RunSpec]]:
        """All trials that the search may need, rung by rung, with the numbers of their settings."""
        numbers = range(len(self.trials))
        return [
            (trial, self.spec(trial, seed, rung + 1))
            for rung, trial, seed in product(range(len(self.rungs)), numbers, self._search_seeds)
        ]

    # ---- its runs so far ----------------------------------------------------------------------

    def chosen(self) -> tuple[int | None, list[RunSpec]]:
        """The number of the chosen settings; or None, and the trials to train next."""
        alive = list(range(len(self.trials)))
        for rung, keep in enumerate([*self._rung_sizes[1:], 1][: len(self.rungs)], start=1):
            specs = {trial: [self.spec(trial, seed, rung) for seed in self._search_seeds] for trial in alive}
            if missing := [spec for seeds in specs.values() for spec in seeds if spec.key not in self._runs]:
                return None, missing
            values = {trial: statistics.fmean(_value(self._runs[spec.key]) for spec in specs[trial]) for trial in alive}
            alive = promote(values, keep)
        return alive[0], []

    def todo(self) -> list[tuple[int, RunSpec]]:
        """What can be trained now, each with its level: 0 for trials and the first seed, then a level for each seed."""
        chosen, missing = self.chosen()
        if chosen is None:
            return [(0, spec) for spec in missing]
        return [(spec.seed, spec) for spec in self.reported(chosen) if spec.key not in self._runs]

    def specs(self) -> list[tuple[int, RunSpec]]:
        """All trials and, once the settings are chosen, the runs to report, with the numbers of their settings."""
        chosen, _ = self.chosen()
        return self.trial_specs() + ([] if chosen is None else [(chosen, spec) for spec in self.reported(chosen)])

    def ended(self) -> list[tuple[int, Run]]:
        """Those of :meth:`specs` that have ended."""
        return [(trial, self._runs[spec.key]) for trial, spec in self.specs() if spec.key in self._runs]

    def tried(self) -> int:
        """How many settings have been tried so far; one, if there is nothing to choose from."""
        return len({trial for trial, run in self.ended() if run.rung}) if self.rungs else len(self.trials)

    def cost(self) -> float | None:
        """Average CPU-seconds of a run: from its seeds so far, else from its trials; None before one has ended."""
        ended = [run for _, run in self.ended() if run.status == "finished" and run.cpu_seconds]
        if reported := [run.cpu_seconds for run in ended if not run.rung]:
            return statistics.fmean(reported)
        whole = [run.cpu_seconds / max(1, run.trained) * self.column.epochs for run in ended]
        return statistics.fmean(whole) if whole else None

    def left(self) -> tuple[int, float]:
        """An estimate of the runs that are left; and the same with each trial counted by its share of epochs."""
        chosen, missing = self.chosen()
        if chosen is not None:
            runs = len(self.todo())
            return runs, runs
        now = missing[0].rung
        counts = [len(missing), *(size * len(self._search_seeds) for size in self._rung_sizes[now:])]
        shares = [(e - b) / self.column.epochs for e, b in zip(self.rungs, (0, *self.rungs), strict=False)][now - 1 :]
        trials = sum(count * share for count, share in zip(counts, shares, strict=True))
        return sum(counts) + self.column.seeds, trials + self.column.seeds

    def spent(self) -> float:
        """CPU-seconds spent so far; those of a rung include the rungs below."""
        latest = {(trial, run.seed, run.rung > 0): run.cpu_seconds for trial, run in self.ended()}
        return math.fsum(latest.values())


def _value(run: Run) -> float:
    """The validation metric of a trial; -inf, and so the mean over its seeds, if it failed or diverged."""
    return -math.inf if run.status != "finished" or run.val is None else round(run.val, DIGITS)


# ---- the study ------------------------------------------------------------------------------------


class Study:
    """A table of runs to train, and the store with the runs so far; made by :func:`study`.

    ``missing`` lists graphs that could not be loaded, and why; their columns are left out.

    Examples
    --------
    >>> import tempfile, degnn_explore as de
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     study = de.study(graphs=["karate", "lesmis"], models=["GCN", "SAGE"], seeds=3, store=folder)
    ...     study.progress().left, study.only(models=["GCN"], seeds=1).progress().left
    (12, 2)
    """

    def __init__(self, config: StudyConfig, store: Store, on_epoch: OnEpoch | None = None) -> None:
        self.config, self.store, self._on_epoch = config, store, on_epoch
        self.missing: dict[str, str] = {}
        self._prepared: list[Cell] | None = None
        self._runs: dict[str, Run] = {}  # all that have ended, by key; cells look into it
        self._loaded: dict[str, Run] = {}  # those of committed results

    def __repr__(self) -> str:
        count = len(self.config.columns)
        return f"Study({self.config.title!r}, {count} column{'' if count == 1 else 's'}, {self.store!r})"

    @property
    def title(self) -> str:
        """The title from the file or from :func:`study`."""
        return self.config.title

    def only(
        self,
        graphs: Sequence[str] | None = None,
        models: Sequence[str] | None = None,
        seeds: int | None = None,
        tasks: Sequence[str] | None = None,
    ) -> Study:
        """A part of the study: some graphs, tasks and models, and at most ``seeds`` seeds; the runs are the same."""
        columns = self.config.columns
        for what, chosen, there in (
            ("graph", graphs, {column.name for column in columns}),
            ("task", tasks, {column.kind for column in columns}),
            ("model", models, {model for column in columns for model in column.models}),
        ):
            for name in chosen or ():
                check_choice(f"{what} of this study", name, sorted(there))
        most = None if seeds is None else check_int("seeds", seeds, least=1)
        kept = []
        for column in columns:
            names = tuple(model for model in column.models if models is None or model in models)
            if names and (graphs is None or column.name in graphs) and (tasks is None or column.kind in tasks):
                count = column.seeds if most is None else min(column.seeds, most)
                kept.append(column.model_copy(update={"models": names, "seeds": count}))
        if not kept:
            raise ParameterError("No column has all of these; name fewer graphs, tasks and models.")
        part = Study(self.config.model_copy(update={"columns": tuple(kept)}), self.store, self._on_epoch)
        part._loaded = self._loaded
        return part

    # ---- runs so far --------------------------------------------------------------------------

    def _cells(self) -> list[Cell]:
        """All cells; graphs and committed results are read when first needed."""
        if self._prepared is None:
            self._prepared = [cell for column in self.config.columns for cell in self._column(column)]
            if not self._prepared:
                raise GraphError(" ".join(f"{name}: {why}" for name, why in self.missing.items()))
            if self.config.place is not None:
                file = self.config.place.parent / "results" / f"{self.config.name}.csv"
                self._loaded = self._read(file) | self._loaded
        return self._prepared

    def _column(self, column: ColumnConfig) -> list[Cell]:
        try:
            graph = column.graph if isinstance(column.graph, Graph) else _graph(column.graph, self.config.place)
        except (GraphError, OSError) as error:
            self.missing[column.name] = str(error)
            return []
        models = [model for model in MODELS if model in column.models]
        return [Cell(column, model, graph, protocol, self._runs) for protocol in column.protocols for model in models]

    def _read(self, file: Path) -> dict[str, Run]:
        """The runs in a results file that belong to this study, by key."""
        rows, found = read_rows(file), dict[str, Run]()
        for cell in self._cells() if rows else ():
            for _ in range(2):  # the trials say which settings are reported
                for _, spec in cell.specs():
                    if spec.key in rows and (run := run_of(spec.record(), rows[spec.key])) is not None:
                        self._runs[spec.key] = found[spec.key] = run
        return found

    def _cells_now(self) -> list[Cell]:
        """All cells, with the runs that have ended by now, in the store or in committed results."""
        cells = self._cells()
        self._runs.clear()
        self._runs |= self._loaded
        specs = [cell.spec(0, 0, rung) for cell in cells for rung in range(1 + bool(cell.rungs))]  # trials are honest
        for kind, digest in {(spec.kind, spec.digest) for spec in specs}:
            for run in self.store.runs(task=kind, digest=digest):
                if run.status == "finished" or run.key not in self._runs:
                    self._runs[run.key] = run
        return cells

    def load(self, path: str | os.PathLike[str]) -> int:
        """Add the runs from a file written by :meth:`results`; return how many belong to this study."""
        file = Path(path).expanduser()
        if not file.is_file():
            raise ParameterError(f"There is no file {file} in {Path.cwd()}; name a file written by Study.results.")
        found = self._read(file)
        self._loaded = self._loaded | found
        return len(found)

    def results(self, path: str | os.PathLike[str]) -> Path:
        """Write one row per run, to commit: ``results/table1.csv``, and the trials of the search in a second file.

        Rows of other graphs, tasks, models and seeds stay, so that a part of a study can be run on its own.
        """
        file, cells = Path(path).expanduser(), self._cells_now()
        seeds = {(cell.column.name, cell.column.kind, cell.model, cell.protocol): cell.column.seeds for cell in cells}

        def stays(row: Row) -> bool:
            asked = seeds.get((row["dataset"], row["task"], row["model"], row["protocol"]))
            return asked is None or (not row["rung"] and int(row["seed"]) >= asked)

        rows: dict[str, Mapping[str, Any]] = {key: row for key, row in read_rows(file).items() if stays(row)}
        for cell in cells:
            for trial, run in cell.ended():
                if run.status == "finished":
                    rows[run.key] = row_of(run, cell.column.name, cell.settings(trial), len(cell.trials))
        write_rows(rows.values(), file)
        return file

    # ---- running ------------------------------------------------------------------------------

    def check(self) -> None:
        """Raise an error for anything that would fail before the first epoch."""
        for cell in self._cells():
            cell.spec(0, 0).check()

    def run(
        self,
        workers: Any = None,
        *,
        minutes: float | None = None,
        progress: bool | Callable[[StudyProgress], object] = True,
        retry: bool = False,
    ) -> StudyProgress:
        """Train what the store does not have yet. It can be stopped at any moment; call it again to continue.

        Parameters
        ----------
        workers
            Runs at once, each in a process with one torch thread; by default as many as there are cores. Or a Dask
            cluster: the address of its scheduler, such as "tcp://10.0.0.7:8786", or a ``dask.distributed.Client``
            (extra ``cluster``). Its workers need this package, but no shared disk and no graph files: results come back
            to this store.
        minutes
            Stop after this many CPU minutes, added up over the workers (runs under way on a cluster count by the
            clock); breadth first, so that every cell has about as many seeds.
        progress
            Print a line now and then; or a function that takes a :class:`StudyProgress`.
        retry
            Train failed runs again.
        """
        budget = math.inf if minutes is None else 60 * check_float("minutes", minutes, above=0)
        self.check()
        study = self.only() if retry else self  # a copy, in which failed runs have not ended
        cells = study._cells_now()
        if retry:
            for run in [run for run in study._runs.values() if run.status == "failed"]:
                del study._runs[run.key]
        scheduler = Scheduler(self.store, workers, retry_failed=retry)
        training = _Training(study, scheduler, budget, progress)
        interrupted = False
        try:
            scheduler.run(training.todo, training.stop, training.update)
        except KeyboardInterrupt:
            interrupted = True
        finally:
            for cell in cells:
                if cell.rungs and cell.chosen()[0] is not None:  # its search is over
                    for _, spec in cell.trial_specs():
                        self.store.checkpoint(spec.key).unlink(missing_ok=True)
        ended = replace(training.progress(), interrupted=interrupted)
        training.tell(ended)
        if interrupted:
            of = ended.done + ended.failed + ended.left
            print(f"{ended.done} of {of} runs kept; run again to continue.", file=sys.stderr, flush=True)
        return ended

    def again(self, graph: str, model: str, task: str | None = None, seeds: int = 1) -> pandas.DataFrame:
        """Train the first ``seeds`` of a cell again: the stored test metric next to the new one.

        On the same kind of processor they are equal; another one may round differently.
        """
        import pandas as pd

        part = self.only([graph], [model], tasks=None if task is None else [task])
        count = check_int("seeds", seeds, least=1)
        kept: list[tuple[RunSpec, Run]] = []
        for cell, one in zip(part._cells(), part.cell_results(), strict=True):
            kept += [(cell.spec_with(one.settings, run.seed), run) for run in one.runs[:count]]
        if not kept:
            raise ParameterError("This cell has no finished run to compare with; run the study, or choose another.")
        rows = []
        with tempfile.TemporaryDirectory() as folder:
            store = Store(folder)
            Scheduler(store, 1).run(lambda: [spec for spec, _ in kept if store.get(spec.key) is None])
            for spec, old in kept:
                run = store.get(spec.key)
                if run is None or run.test is None:
                    raise ParameterError(f"The run ended without a result: {run.error if run else 'it was stopped'}")
                rows.append(
                    {"model": run.model, "seed": run.seed, "epochs": run.trained,
                     "kept": round(100 * float(old.test or 0), 4), "now": round(100 * run.test, 4),
                     "cpu_seconds": round(run.cpu_seconds, 2)})  # fmt: skip
        return pd.DataFrame(rows).sort_values(["model", "seed"], ignore_index=True)

    def progress(self, workers: int | None = None) -> StudyProgress:
        """Runs done, failed and left, the time left with ``workers``, and CPU-hours spent."""
        self._cells_now()
        return self._progress(workers or cores())

    def _progress(self, workers: int, slower: float = 1.0) -> StudyProgress:
        """The same of the runs that are known; a busy machine is ``slower`` than the CPU-seconds say."""
        cells = self._cells()
        costs, left = [cell.cost() for cell in cells], [cell.left() for cell in cells]
        seconds = None
        if measured := [cost for cost in costs if cost is not None]:
            usual = statistics.fmean(measured)
            seconds = sum(runs * (usual if cost is None else cost) for (_, runs), cost in zip(left, costs, strict=True))
            seconds *= slower / max(1, workers)
        ended = [run for cell in cells for _, run in cell.ended()]
        failed = sum(run.status == "failed" for run in ended)
        trials = sum(run.status == "finished" and run.rung > 0 for run in ended)
        spent = sum(cell.spent() for cell in cells)
        runs_left = sum(runs for runs, _ in left)
        return StudyProgress(len(ended) - failed, failed, runs_left, trials, seconds, spent / 3600, workers)

    def failures(self) -> dict[str, str]:
        """Failed runs (model, column and seed) and their errors."""
        failures = {}
        for cell in self._cells_now():
            for run in [run for _, run in cell.ended() if run.status == "failed"]:
                rung = f", trial of rung {run.rung}" if run.rung else ""
                failures[f"{cell.model}, {cell.column.name} {run.task}, seed {run.seed}{rung}"] = run.error
        return failures

    # ---- showing ------------------------------------------------------------------------------

    def cell_results(self, view: str = "validation") -> list[Result]:
        """Every cell as it stands; ``view`` is "validation", or "optimistic" for the paper's appendix."""
        return [self._result(cell, view) for cell in self._cells_now()]

    def _result(self, cell: Cell, view: str) -> Result:
        chosen, _ = cell.chosen()
        settings = {} if chosen is None else cell.settings(chosen)
        reported = [run for _, run in cell.ended() if not run.rung]
        failed = sum(run.status == "failed" for run in reported)
        return result_of(cell.spec(0, 0), cell.column.name, finished(reported), failed, settings, cell.tried(), view)

    def side_by_side(self, view: str = "validation", beside: Study | None = None) -> SideBySide:
        """A table in the paper's layout: in each cell our result, the paper's, and how they compare.

        ``beside`` is another study of the same columns, such as heuristics, whose models are added below. A notebook
        shows the table; ``.markdown()`` gives it for a file.
        """
        below = () if beside is None else tuple(beside.cell_results(view))
        return SideBySide(tuple(self.cell_results(view)), view, below, dict(self.missing))

    def reading(self, beside: Study | None = None, model: str | None = None) -> Reading:
        """The results in sentences: how complete they are, how they compare with the paper, and every exception.

        For a study with several protocols: the effect of each leak, on one ``model`` or on all.
        """
        if any(len(column.protocols) > 1 for column in self.config.columns):
            return read_leak_effects(self.leak_effects(), model)
        if model is not None:
            raise ParameterError("reading(model=...) is for studies of leaks; use .only(models=[...]).reading() here.")
        return read_table(self.cell_results(), () if beside is None else beside.cell_results())

    def table(self, view: str = "validation") -> pandas.DataFrame:
        """A row for each model; for each column our result, the paper's, and how they compare.

        Ours is the mean ± half the 95% interval over seeds, in percent. "better", "within" and "below" say where the
        interval of the difference of the two means lies; "tried" counts the settings that the search tried.
        """
        return wide_table(self.cell_results(view))

    def cells(self, view: str = "validation") -> pandas.DataFrame:
        """The same in numbers, a row for each cell."""
        return long_table(self.cell_results(view))

    def leak_effects(self) -> pandas.DataFrame:
        """For a study with several protocols: the points that each leak gains."""
        return leak_effects(self.cell_results())

    def plot_leaks(self) -> Any:
        """The same as a plotly figure, a dot for each seed."""
        return leak_figure(self.leak_effects())

    def plot(self, view: str = "validation") -> Any:
        """A dot plot (plotly): every seed, our mean ± half the 95% interval, and the paper's number as a bar."""
        from .plots import dot_plot

        more = ", best test epoch (optimistic)" if view == "optimistic" else ""
        return dot_plot(self.cell_results(view), self.title + more)

    def text(self, view: str = "validation") -> str:
        """The table for a terminal."""
        return f"{CHOSEN[check_choice('view', view, CHOSEN)]}\n\n{as_text(self.cell_results(view))}"


class _Training:
    """One call of :meth:`Study.run`: what is to train, what was spent, and reports of progress."""

    def __init__(self, study: Study, scheduler: Scheduler, budget: float, progress: Any) -> None:
        self._study, self._scheduler, self._budget = study, scheduler, budget
        self.stop = threading.Event()
        self._spent, self._told, self._began = 0.0, -math.inf, time.monotonic()
        self._since: dict[str, float] = {}  # when each run under way began, by the clock
        self._cpu: dict[str, float] = {}  # its CPU-seconds so far; a cluster does not tell
        self._last_epoch: dict[str, int] = {}  # of each run, that on_epoch was called with
        self.tell = (
            progress if callable(progress) else _ProgressLine(study.title) if progress else lambda progress: None
        )

    def todo(self) -> list[RunSpec]:
        """Seed by seed over all cells: formulas, then networks, cheap ones first; a search ends before others begin."""
        ordered = []
        for place, cell in enumerate(self._study._cells()):
            if specs := cell.todo():
                cost = cell.cost() or 0.0
                ordered += [((level, cell.learns, cost if level else 0.0, place), spec) for level, spec in specs]
        return [spec for _, spec in sorted(ordered, key=lambda pair: pair[0])]

    def update(self, update: Update) -> None:
        """For :class:`Scheduler`."""
        key = update.spec.key
        ours = key in self._since  # else another process trained it
        if update.state in ("preparing", "running"):
            self._since.setdefault(key, time.monotonic())
            if update.cpu_seconds:
                self._cpu[key] = update.cpu_seconds
        else:
            self._since.pop(key, None)
            self._cpu.pop(key, None)
        if self._study._on_epoch is not None:
            record = update.run or replace(update.spec.record(), status="running")
            for epoch in update.epochs:  # a run that continues reports its earlier epochs again
                if epoch["number"] > self._last_epoch.get(key, 0):
                    self._last_epoch[key] = epoch["number"]
                    self._study._on_epoch(record, Epoch(**epoch))
        if update.run is not None:
            self._study._runs[key] = update.run
            self._spent += update.run.cpu_seconds if ours else 0.0
        under_way = sum(self._cpu.get(key, time.monotonic() - since) for key, since in self._since.items())
        if self._spent + under_way >= self._budget:
            self.stop.set()
        if time.monotonic() - self._told > _PAUSE:
            self._told = time.monotonic()
            self.tell(self.progress())

    def progress(self) -> StudyProgress:
        """How far the study is; on a busy machine the time left is longer than the CPU-seconds."""
        workers = self._scheduler.places or cores()
        slower = (time.monotonic() - self._began) * workers / self._spent if self._spent > 5 else 1.0
        return self._study._progress(workers, max(1.0, slower))


class _ProgressLine:
    """Prints progress: one line that is overwritten in a terminal or notebook, a line now and then in a log."""

    def __init__(self, title: str) -> None:
        self._title, self._last, self._width = title, -math.inf, 0
        self._over = sys.stderr.isatty() or "ipykernel" in sys.modules

    def __call__(self, progress: StudyProgress) -> None:
        line = f"{self._title}: {progress}"
        if self._over:
            last = not progress.left or progress.interrupted
            print(f"\r{line:<{self._width}}", end="\n" if last else "", file=sys.stderr, flush=True)
            self._width = len(line)
        elif not progress.left or time.monotonic() - self._last > 30:
            print(line, file=sys.stderr, flush=True)
            self._last = time.monotonic()


def _graph(name: str, place: Path | None) -> Graph:
    path = Path(name) if place is None else place / name
    return read_graph(path) if path.suffix or path.is_file() else load(name)
