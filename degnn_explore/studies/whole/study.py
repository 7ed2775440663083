"""``study``: a table of graphs, tasks and models as data, run where the store has gaps, and shown beside the paper."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...common.errors import GraphError, ParameterError, one_of, real_number, whole_number
from ...common.parallel import cores
from ...graphs.graph import Graph
from ...learn.nets import MODELS
from ...learn.sampling import triangles
from ...reading.catalogue import load
from ...reading.read import read_graph
from ..plan import Plan
from ..records import Run
from ..storage.store import Store
from . import results as result_files
from .again import run_again
from .agenda import Agenda, Standing
from .asked import Asked, Column, Seeds, asked, read
from .cells import Cell
from .crew import executor_of
from .running import Loop
from .showing import Shown

if TYPE_CHECKING:
    import pandas


def study(
    file: str | os.PathLike[str] | None = None,
    *,
    graphs: Any = None,
    tasks: Any = "links",
    models: Iterable[str] = (),
    seeds: int | Mapping[str, Any] = 5,
    epochs: int = 40,
    options: Mapping[str, Any] | None = None,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    search: Mapping[str, Any] | None = None,
    protocol: Any = "honest",
    title: str = "",
    store: Store | str | os.PathLike[str] | None = None,
) -> Study:
    """A study: every model on every graph and task, seed by seed.

    Parameters
    ----------
    file
        A TOML file such as ``studies/table1.toml``, which says all of the following; "table1", "heuristics", "leaks"
        and "demo" come along. Runs in ``results/table1.csv`` beside its folder are known, and not run again.
    graphs, tasks
        A graph or several (names, files or graphs), and "links", "roles" or "triangles", or several.
    models
        Names from :func:`degnn_explore.models`.
    seeds
        How many; or ``{"least": 5, "most": 20, "quick": 10.0}``: 20 where a run takes under 10 CPU-seconds, else 5.
    epochs, options
        Of :func:`degnn_explore.fit`, such as ``options={"patience": 10}``.
    settings
        Of single models: ``{"DE-GNN-SPD": {"max_dist": 4}}``.
    search
        How settings are chosen, e.g. ``{"trials": 16, "seeds": [1000, 1001], "rungs": [5, 15, 45], "space": {...}}``:
        as many for every model, by successive halving on validation, on seeds that are not reported.
    protocol
        "honest", "paper", or names of :func:`degnn_explore.leaks`; in a file also ``protocols``, a list, for a column
        of each. Settings are always chosen honestly.
    store
        Where runs are kept, see :class:`degnn_explore.Store`; by default the project's.

    Examples
    --------
    >>> import tempfile, degnn_explore as de
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     study = de.study(graphs="karate", models=["Adamic-Adar", "shortest path"], seeds=2, store=folder)
    ...     done = study.run(workers=1, progress=False)
    ...     study.table()["karate links"]["seeds"].tolist()
    ['2', '2']
    """
    place = store if isinstance(store, Store) else Store(store)
    if file is not None:
        return Study(read(Path(file).expanduser()), place)
    if graphs is None:
        raise ParameterError('A study needs a file or graphs: de.study("table1"), or graphs="celegans".')
    listed = [graphs] if isinstance(graphs, str | Graph) else list(graphs)
    kinds = [tasks] if isinstance(tasks, str) else list(tasks)
    given: dict[str, Any] = {
        "title": title or "study",
        "models": list(models),
        "seeds": seeds,
        "epochs": epochs,
        "options": dict(options or {}),
        "settings": dict(settings or {}),
        "protocol": protocol,
        "columns": [{"graph": graph, "task": task} for task in kinds for graph in listed],
    }
    return Study(asked({**given, **({"search": search} if search else {})}), place)


class Study(Shown):
    """What is asked, and the store that knows part of it; made by :func:`study`.

    ``missing`` says which graphs could not be had, and why; their columns are left out.

    Examples
    --------
    >>> import tempfile, degnn_explore as de
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     study = de.study(graphs=["karate", "lesmis"], models=["GCN", "SAGE"], seeds=3, store=folder)
    ...     study.progress().left, study.only(models=["GCN"], seeds=1).progress().left
    (12, 2)
    """

    def __init__(self, asked: Asked, store: Store) -> None:
        self.asked, self.store = asked, store
        self.missing: dict[str, str] = {}
        self._cells: list[Cell] | None = None
        self._loaded: dict[str, Run] = {}

    def __repr__(self) -> str:
        return f"Study({self.asked.title!r}, {len(self.asked.columns)} columns, {self.store!r})"

    def only(
        self,
        graphs: Sequence[str] | None = None,
        models: Sequence[str] | None = None,
        seeds: int | None = None,
        tasks: Sequence[str] | None = None,
    ) -> Study:
        """A part of it: some graphs, tasks and models, and at most so many seeds; the runs are the same ones."""
        for what, chosen, there in (
            ("graph", graphs, {column.name for column in self.asked.columns}),
            ("task", tasks, {column.task for column in self.asked.columns}),
            ("model", models, {model for column in self.asked.columns for model in column.models}),
        ):
            for name in chosen or ():
                one_of(f"{what} of this study", name, sorted(there))
        columns = []
        for column in self.asked.columns:
            kept = tuple(model for model in column.models if models is None or model in models)
            if kept and (graphs is None or column.name in graphs) and (tasks is None or column.task in tasks):
                columns.append(replace(column, models=kept, seeds=_at_most(column.seeds, seeds)))
        if not columns:
            raise ParameterError("No column has all of these; name fewer graphs, tasks and models.")
        part = Study(replace(self.asked, columns=tuple(columns)), self.store)
        part._loaded = self._loaded
        return part

    # ---- what is known ------------------------------------------------------------------------

    def _prepared(self) -> list[Cell]:
        """The cells, and the runs of the committed results; graphs are read when first needed."""
        if self._cells is None:
            self._cells = [cell for column in self.asked.columns for cell in self._column(column)]
            if not self._cells:
                raise GraphError(" ".join(f"{name}: {why}" for name, why in self.missing.items()))
            if self.asked.place is not None:
                usual = self.asked.place.parent / "results" / f"{self.asked.name}.csv"
                self._loaded = result_files.read(self._cells, usual) | self._loaded
        return self._cells

    def _column(self, column: Column) -> list[Cell]:
        try:
            graph = self._graph(column.graph)
        except (GraphError, OSError) as error:
            self.missing[column.name] = str(error)
            return []
        base = Plan(graph, column.task, column.models, 1, column.epochs, "cpu", options=column.options)
        sizes = {"links": lambda: graph.num_edges, "triangles": lambda: len(triangles(graph))}
        sets = 2 * sizes[column.task]() if column.task in sizes else graph.num_nodes
        models = _in_order(column.models)
        return [Cell(column, model, base, sets, protocol) for protocol in column.protocols for model in models]

    def _graph(self, given: str | Graph) -> Graph:
        if isinstance(given, Graph):
            return given
        path = Path(given) if self.asked.place is None else self.asked.place / given
        return read_graph(path) if path.suffix or path.is_file() else load(given)

    def _known(self) -> dict[str, Run]:
        """All that has ended, in the store or in loaded results."""
        known = dict(self._loaded)
        questions = {(cell.base.task, digest) for cell in self._prepared() for digest in cell.digests}
        for task, digest in questions:
            for run in self.store.runs(task=task, digest=digest):
                if run.status == "finished" or run.key not in known:
                    known[run.key] = run
        return self._loaded | known

    def load(self, path: str | os.PathLike[str]) -> int:
        """Takes over the runs of a file that :meth:`results` wrote; how many this study asks for."""
        file = Path(path).expanduser()
        if not file.is_file():
            raise ParameterError(f"{file} is not there, as seen from {Path.cwd()}; name a file of results.")
        found = result_files.read(self._prepared(), file)
        self._loaded = self._loaded | found
        return len(found)

    def results(self, path: str | os.PathLike[str]) -> Path:
        """Writes one row a run, to commit: ``results/table1.csv``, and the trials of the search beside it."""
        file = Path(path).expanduser()
        result_files.write(self._prepared(), self._known(), file)
        return file

    # ---- running ------------------------------------------------------------------------------

    def check(self) -> None:
        """Raise an error, in words, for anything that can be known to fail before the first run."""
        for cell in self._prepared():
            replace(cell.base, own=cell.column.settings).check()

    def run(
        self,
        workers: Any = None,
        *,
        minutes: float | None = None,
        progress: bool | Callable[[Standing], None] = True,
        retry: bool = False,
    ) -> Standing:
        """Executes what the store does not have yet; Ctrl-C, or ``kill -9``, at any moment, and call it again.

        Parameters
        ----------
        workers
            Runs at once, each in a process with one torch thread; by default as many as there are cores. Or a Dask
            cluster: the address of its scheduler, such as "tcp://10.0.0.7:8786", or a ``dask.distributed.Client``
            (extra ``cluster``). Its workers need this package, and neither a shared disk nor the graphs: results come
            back into this store. Or an executor of your own.
        minutes
            Stop after so long; breadth first, so that every cell has about as many seeds.
        progress
            Write a line now and then; or a function that is given the :class:`Standing`.
        retry
            Try failed runs again.
        """
        limit = math.inf if minutes is None else time.monotonic() + 60 * real_number("minutes", minutes, above=0)
        self.check()
        executor = executor_of(workers, self.store.models)
        known = self._known()
        if retry:
            failed = [key for key, run in known.items() if run.status == "failed"]
            self.store.forget_failed(failed)
            known = {key: run for key, run in known.items() if run.status != "failed"}
        agenda = Agenda(self._prepared(), known)
        tell = progress if callable(progress) else _Said(self.asked.title) if progress else _nothing
        loop = Loop(agenda, self.store, executor, tell)
        loop.run(limit)
        return loop.standing()

    def again(self, graph: str, model: str, task: str | None = None, seeds: int = 1) -> pandas.DataFrame:
        """Runs a cell again, now, its first ``seeds``: the test metric that is kept beside the one that comes out."""
        part = self.only([graph], [model], tasks=None if task is None else [task])
        return run_again(part._prepared(), part._known(), whole_number("seeds", seeds, least=1))

    def progress(self, workers: int | None = None) -> Standing:
        """How far it is: runs done, failed and left, the time left with so many workers, and CPU-hours spent."""
        return Agenda(self._prepared(), self._known()).standing(workers or cores())

    def failures(self) -> dict[str, str]:
        """What failed, in words, by model, column and seed."""
        known, said = self._known(), {}
        for cell in self._prepared():
            chosen, _ = cell.search(known)
            for work in [w for _, w in cell.trial_works()] + ([] if chosen is None else cell.reported(chosen)):
                run = known.get(work.key)
                if run is not None and run.status == "failed":
                    rung = f", trial of rung {run.rung}" if run.rung else ""
                    said[f"{cell.model}, {cell.column.name} {run.task}, seed {run.seed}{rung}"] = run.error
        return said


def _in_order(models: Iterable[str]) -> list[str]:
    """As they are listed everywhere."""
    order = {model: number for number, model in enumerate(MODELS)}
    return sorted(models, key=lambda model: order[model])


def _at_most(seeds: Seeds, count: int | None) -> Seeds:
    if count is None:
        return seeds
    most = whole_number("seeds", count, least=1)
    return replace(seeds, least=min(seeds.least, most), most=min(seeds.most, most))


def _nothing(standing: Standing) -> None:
    pass


class _Said:
    """One line that is written over in a terminal or notebook, and a line now and then in a log."""

    def __init__(self, title: str) -> None:
        self._title, self._last, self._width = title, -math.inf, 0
        self._over = sys.stderr.isatty() or "ipykernel" in sys.modules

    def __call__(self, standing: Standing) -> None:
        line = f"{self._title}: {standing}"
        if self._over:
            print(f"\r{line:<{self._width}}", end="" if standing.left else "\n", file=sys.stderr, flush=True)
            self._width = len(line)
        elif not standing.left or time.monotonic() - self._last > 30:
            print(line, file=sys.stderr, flush=True)
            self._last = time.monotonic()
