"""The Training Board: race models on a graph, compare them, look into mistakes, ask the trained models."""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import ipywidgets as W

from ..comparison import Comparison, compare_runs
from ..errors import ParameterError
from ..graph import Graph
from ..inspection import Mistake
from ..plans import Plan
from ..racing import Race, Snapshot
from ..runs import Run, finished, read, set_aside
from ..shelf import Shelf
from .board_controls import Controls
from .board_curves import Curves, latest_settings
from .board_deep import Deep
from .board_mistakes import Mistakes
from .board_setup import cell, choose, free_file, on_deleted_cells, slug
from .compare import Compare
from .controls import box, button
from .safe import error_box, guarded, tag
from .shown import progress_bars, progress_title

__all__ = ["TrainingBoard"]

_PAUSE = 0.3  # seconds between two updates; five a second would be drawn as well, and seen no better
_SHARE = 0.04  # of the time may go into drawing; the larger the race, the rarer the updates
_live: weakref.WeakSet[TrainingBoard] = weakref.WeakSet()


@cache
def _watch_cells() -> None:
    """From now on a board whose cell is deleted is closed."""
    on_deleted_cells(_cells_deleted)


def _cells_deleted(cells: set[str]) -> None:
    for board in list(_live):
        if board._cell is not None and board._cell[0] in cells and board._curves.chart.views == 0:
            board.close()


class TrainingBoard(W.VBox):
    """A panel in which a class races models on a graph and sees distance encoding win, lose or tie.

    Parameters
    ----------
    graph
        A name that :func:`degnn_explore.load` knows, or a graph of your own.
    task
        "roles" (needs labels), "links" or "triangles"; by default roles if the graph has labels, else links.
    models
        Names from :func:`degnn_explore.models`.
    seeds, epochs, device
        As in the panel; with ``DEGNN_FAST=1`` in the environment at most 1 seed and 3 epochs.
    results
        The file of results; by default ``runs/TASK-GRAPH.jsonl`` beside the notebook. What it holds is shown at once,
        and not trained again.
    workers
        1: one run after another, in this process. More: so many at a time, in processes of their own.
    **settings
        layers, hidden, dropout, max_dist, steps, hops, learning_rate.

    Notes
    -----
    A race goes on when the page is closed or reloaded, and can be looked at again. It is stopped by Cancel, by
    ``board.close()``, by running the board's cell again, and, when the cell was deleted and the board is nowhere else
    on the page, by running any other cell: only then does JupyterLab tell the kernel that a cell is gone.

    Examples
    --------
    >>> import tempfile, degnn_explore as de
    >>> folder = tempfile.TemporaryDirectory()
    >>> board = de.TrainingBoard("karate", "links", ["GCN"], seeds=1, epochs=2, results=f"{folder.name}/karate.jsonl")
    >>> board.start()
    >>> board.wait()
    >>> board.results().frame().index.tolist()
    ['GCN']
    >>> board.close()
    >>> folder.cleanup()
    """

    def __init__(
        self,
        graph: str | Graph = "celegans",
        task: str | None = None,
        models: Iterable[str] = ("GCN", "DE-GNN-SPD"),
        *,
        seeds: int = 3,
        epochs: int = 40,
        device: str = "auto",
        results: str | os.PathLike[str] | None = None,
        workers: int = 1,
        **settings: Any,
    ) -> None:
        self.race: Race | None = None
        self._deep = Deep(self._trained, self.show_error)
        self._cell = cell()
        for other in list(_live):
            if (
                self._cell is not None
                and other._cell is not None
                and other._cell[0] == self._cell[0]
                and other._cell[1] != self._cell[1]
            ):
                other.close()  # the cell was run again: its earlier board goes
        self._given_file = None if results is None else Path(results)
        if self._given_file is not None and any(self._given_file == other.results_file for other in _live):
            raise ParameterError(
                f"Another board writes to {self._given_file} already; close it with board.close(), or "
                "name another results file."
            )
        if os.environ.get("DEGNN_FAST") == "1":
            seeds, epochs = min(seeds, 1), min(epochs, 3)
        self._file: Path | None = None
        self._ticker: threading.Thread | None = None
        self._closed = False
        self._drawing = threading.RLock()
        self._quiet = True
        self._changed_meanwhile = False
        self._table: Comparison | None = None
        self._table_keys: set[str] | None = None
        self._shelf: Shelf | None = None
        self._stored: list[Run] = []
        self._build()
        numbers = {"seeds": seeds, "epochs": epochs, "device": device, "workers": workers}
        choose(self._controls, graph, task, models, numbers, settings)
        super().__init__(
            [
                self._controls.header,
                self._controls.drawer,
                self._error,
                self._top,
                self._comparing.box,
                self._more,
                self._deep.box,
            ]
        )
        for css in ("de-explorer", "de-board"):
            self.add_class(css)
        _live.add(self)
        _watch_cells()
        self._quiet = False
        self._changed()

    # ---- for code -----------------------------------------------------------------------------

    def start(self) -> None:
        """Trains what is chosen, in the background, and continues after cancel; finished runs are not trained again."""
        self._begin()

    def cancel(self) -> None:
        """Stops within half a second; what is finished is kept."""
        if self.race is not None:
            self.race.cancel()
            self._settle()

    def wait(self, seconds: float | None = None) -> None:
        """Until nothing is trained any more and the panel shows it, for scripts and notebooks."""
        ticker = self._ticker
        if ticker is not None:
            ticker.join(seconds)

    def results(self) -> Comparison:
        """The comparison of the finished runs; ``.frame()``, ``.to_latex()`` and so on."""
        return compare_runs(self.runs)

    @property
    def runs(self) -> list[Run]:
        """The finished runs of the chosen task and graph, earlier ones of the results file included."""
        fresh = [] if self.race is None else self.race.results()
        keys = {run.key for run in fresh}
        return [run for run in self._stored if run.key not in keys] + fresh

    @property
    def results_file(self) -> Path:
        """Where the records are written."""
        assert self._file is not None
        return self._file

    @property
    def mistakes(self) -> list[Mistake]:
        """The hardest mistakes shown."""
        return list(self._mistakes.listed)

    def code(self) -> str:
        """Python that repeats the chosen runs without the board."""
        return self._controls.plan().code()

    def open_mistake(self, number: int = 0) -> None:
        """Opens one of the mistakes shown in the Explorer, with its encoding and subtrees."""
        listed, judged = self._mistakes.listed, self._mistakes.judged
        if judged is None or not 0 <= number < len(listed):
            raise ParameterError(f"There is no mistake {number}; {len(listed)} are listed.")
        run, shelf = judged
        self._deep.open_set(shelf, run.seed, listed[number].nodes)

    def close(self) -> None:
        """Stops training and takes the panel away."""
        self._closed = True
        _live.discard(self)
        if self.race is not None:
            self.race.cancel(wait=False)
        self._deep.close()
        super().close()

    # ---- building -----------------------------------------------------------------------------

    def _build(self) -> None:
        self._controls = Controls(self._changed, self.show_error, self._go)
        self._error = W.HTML(layout=W.Layout(display="none"))
        self._curves = Curves(self._draw_again)
        self._progress = W.HTML()
        self._mistakes = Mistakes(self._mistake_clicked)
        self._top = box(
            "de-cards",
            self._curves.box,
            box("de-card", self._progress, self._mistakes.title, self._mistakes.sheet),
        )
        self._top.add_class("de-race")
        self._comparing = Compare(self.results, lambda: self._controls.plan().code(), self.show_error)
        aside = button(
            "Set results aside", "Rename the results file and begin a new one; nothing is lost", self._set_aside
        )
        self._more = box("de-row", *self._deep.toggles.values(), aside)

    # ---- from the reader ----------------------------------------------------------------------

    @guarded
    def _go(self) -> None:
        if self.race is not None and self.race.running:
            self.cancel()
        else:
            self._begin()

    def _begin(self) -> None:
        self.clear_error()
        if self.race is not None and self.race.running:
            raise ParameterError("The board is training already; cancel it first, or wait.")
        plan = self._controls.plan()
        if not self._same_race(plan):
            self.race = Race(plan, self.results_file, self._controls.workers.value)
        assert self.race is not None
        if all(p.state == "finished" for p in self.race.snapshot().progress):
            self._settle()
            self._say(
                tag(
                    "div",
                    f"Nothing to train: all these runs are in {self.results_file} already. Change a setting, "
                    "or set the results aside.",
                    "de-idea",
                )
            )
            return
        self.race.start()
        self._controls.lock(True)
        self._refresh(self.race.snapshot())
        self._ticker = threading.Thread(target=self._tick, args=(self.race,), daemon=True, name="training board")
        self._ticker.start()

    def _same_race(self, plan: Plan) -> bool:
        old = self.race
        return (
            old is not None
            and old.results_file == self.results_file
            and old.workers == self._controls.workers.value
            and old.plan.device == plan.device
            and [old.plan.key(job) for job in old.plan.jobs()] == [plan.key(job) for job in plan.jobs()]
        )

    @guarded
    def _changed(self) -> None:
        """A control changed: another file may be meant, and other results."""
        if self.race is not None and self.race.running:
            self._changed_meanwhile = True
            return
        if self._quiet:
            return
        self._changed_meanwhile = False
        self.clear_error()  # it was about what was chosen before
        plan = self._controls.plan()
        taken = {other._file for other in _live if other is not self}
        file = self._given_file or free_file(Path("runs") / f"{plan.task}-{slug(plan.title)}.jsonl", taken)
        if self.race is not None and not self._same_race(plan):
            self.race = None
        shelf = self._shelf
        if file != self._file or shelf is None or shelf.graph is not plan.graph or shelf.kind != plan.task:
            self._file = file
            self._shelf = Shelf(plan.graph, plan.task, file.with_suffix(""))
        self._stored = [
            run
            for run in finished(read(file))
            if (run.graph, run.task) == (plan.title, plan.task)
            and (run.nodes, run.edges) == (plan.graph.num_nodes, plan.graph.num_edges)
        ]
        self._controls.where.value = tag("span", f"Results: {file}, models in {file.with_suffix('')}.", "de-hint")
        self._settle()

    @guarded
    def _draw_again(self) -> None:
        self._draw_curves(None if self.race is None else self.race.snapshot())

    @guarded
    def _mistake_clicked(self, row: int) -> None:
        self.clear_error()
        self.open_mistake(row)

    @guarded
    def _set_aside(self) -> None:
        self.clear_error()
        if self.race is not None and self.race.running:
            raise ParameterError("The board is training; cancel it first.")
        old = set_aside(self.results_file)
        self.race = None
        self._changed()
        self._say(
            tag("div", "There are no results yet." if old is None else f"The results are in {old} now.", "de-idea")
        )

    # ---- to the reader ------------------------------------------------------------------------

    def show_error(self, error: BaseException) -> None:
        """Shows an error below the controls; nothing that fails stays unseen."""
        self._say(error_box(error))

    def clear_error(self) -> None:
        """Takes the last error away."""
        self._say("")

    def _say(self, markup: str) -> None:
        if self._error.value != markup:
            self._error.value = markup
        self._error.layout.display = "" if markup else "none"

    def _tick(self, race: Race) -> None:
        """In a thread: shows the race now and then until it ends."""
        seen, pause = race.version, _PAUSE
        try:
            while not race.wait(pause) and not self._closed:
                began = time.thread_time()
                if race.version != seen:
                    seen = race.version
                    self._refresh(race.snapshot())
                pause = max(_PAUSE, (time.thread_time() - began) / _SHARE)
            if not self._closed:
                self._settle()
        except Exception as error:
            self.show_error(error)

    @guarded
    def _settle(self) -> None:
        """Shows all that there is once nothing is trained: table, mistakes, parts below."""
        with self._drawing:
            shown = None if self.race is None else self.race.snapshot()
            self._controls.lock(False)
            self._refresh(shown)
            assert self._shelf is not None
            self._mistakes.put(self._shelf, self._best())
            self._deep.fill()
        if self._changed_meanwhile:
            self._changed()

    def _refresh(self, shown: Snapshot | None) -> None:
        with self._drawing:
            self._progress.value = progress_title(shown) + progress_bars(shown)
            running = shown is not None and shown.state == "running"
            halted = shown is not None and shown.state == "cancelled"
            self._controls.go.description = "■ Cancel" if running else "▶ Continue" if halted else "▶ Start"
            self._draw_curves(shown)
            done = self.runs
            if (keys := {run.key for run in done}) != self._table_keys:
                self._table_keys = keys
                self._table = compare_runs(done) if done else None
                self._comparing.show(self._table, self.results_file.stem)
                for part in (self._more, self._deep.box):
                    part.layout.display = "" if done else "none"  # nothing to look into yet

    def _draw_curves(self, shown: Snapshot | None) -> None:
        raced = () if self.race is None else self.race.plan.models
        runs = latest_settings([run for run in self._stored if run.model not in raced])
        runs += () if shown is None else shown.runs
        metric = "accuracy" if self._controls.task.value == "roles" else "auc"
        self._curves.draw(runs, metric, self._controls.epochs.value if self.race is None else self.race.plan.epochs)

    def _best(self) -> Run | None:
        """The first seed of the best model whose file is there."""
        if self._table is None or self._shelf is None:
            return None
        runs = self.runs
        for row in self._table.rows:
            for seed in sorted({run.seed for run in runs}):
                run = self._shelf.of_seed(runs, seed).get(row.model)
                if run is not None:
                    return run
        return None

    def _trained(self) -> tuple[Shelf, list[Run], Run] | None:
        best = self._best()
        return None if self._shelf is None or best is None else (self._shelf, self.runs, best)
