"""The Training Board: race models on a graph, compare them, look into mistakes, ask the trained models."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import ipywidgets as W

from ...common.errors import ParameterError
from ...graphs.graph import Graph
from ...study.comparison import Comparison
from ...study.judged import Mistake
from ...study.ledger import Ledger
from ...study.race import Race, Snapshot
from ...study.records import Run, set_aside
from ...study.shelf import Shelf
from ..widgets.html import box, button, error_box, guarded, tag
from .cells import cell, choose, free_file, on_deleted_cells, slug, trained_in
from .controls import USUAL, Controls
from .curves import Curves
from .deep import Deep
from .go import meaning
from .mistakes import Mistakes
from .table import Compare
from .texts import progress_bars, progress_title
from .watch import watch

__all__ = ["TrainingBoard"]

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
        Names from :func:`degnn_explore.models`; by default GCN and DE-GNN-SPD.
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
        models: Iterable[str] | None = None,
        *,
        seeds: int = USUAL["seeds"],
        epochs: int = USUAL["epochs"],
        device: str = "auto",
        results: str | os.PathLike[str] | None = None,
        workers: int = 1,
        **settings: Any,
    ) -> None:
        self._ledger: Ledger | None = None
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
        self._must_be_free(self._given_file)
        if os.environ.get("DEGNN_FAST") == "1":
            seeds, epochs = min(seeds, 1), min(epochs, 3)
        self._ticker: threading.Thread | None = None
        self._closed = False
        self._drawing = threading.RLock()
        self._quiet = True
        self._changed_meanwhile = False
        self._table: Comparison | None = None
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
        """The comparison as it is shown; ``.frame()``, ``.to_latex()`` and so on."""
        table = self._known.table()
        if table is None:
            raise ParameterError("There is no finished run to compare; train at least one seed of one model.")
        return table

    @property
    def race(self) -> Race | None:
        """The race of what is chosen, once it was started."""
        return None if self._ledger is None else self._ledger.race

    @property
    def runs(self) -> list[Run]:
        """The finished runs of the chosen task and graph in any settings, earlier ones of the results file included."""
        return self._known.runs

    @property
    def results_file(self) -> Path:
        """Where the records are written."""
        return self._known.file

    @property
    def mistakes(self) -> list[Mistake]:
        """The hardest mistakes shown."""
        return list(self._mistakes.listed)

    def code(self) -> str:
        """Python that repeats the runs of the table without the board; before there are any, the chosen ones."""
        return self._known.code()

    def open_mistake(self, number: int = 0) -> None:
        """Opens one of the mistakes shown in the Explorer, with its encoding and subtrees."""
        listed, judged = self._mistakes.listed, self._mistakes.judged
        if judged is None or not 0 <= number < len(listed):
            raise ParameterError(f"There is no mistake {number}; {len(listed)} are listed.")
        run, shelf = judged
        self._deep.open_set(shelf, run.seed, listed[number].nodes)

    def open_results(self, file: str | os.PathLike[str] | None) -> None:
        """Shows the runs of another results file, and adds to it from now on; None: the board's own file again.

        If the file has none of the chosen task and graph, those of its latest run are chosen.
        """
        if self._running:
            raise ParameterError("The board is training; cancel it first.")
        path = None if file is None else Path(file).expanduser()
        if path is not None:
            self._must_be_free(path)
            plan = self._controls.plan()
            run = trained_in(path, plan)
            self._quiet = True
            try:
                self._controls.turn_to(run, plan)
            finally:
                self._quiet = False
        self._given_file = path
        self._changed()

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
        self._controls = Controls(self._changed, self.show_error, self._go, self._open_clicked)
        self._error = W.HTML(layout=W.Layout(display="none"))
        self._curves = Curves(self._draw_again)
        self._progress = W.HTML()
        self._mistakes = Mistakes(self._mistake_clicked)
        self._top = box(
            "de-cards", self._curves.box, box("de-card", self._progress, self._mistakes.title, self._mistakes.sheet)
        )
        self._top.add_class("de-race")
        self._comparing = Compare(self.results, self.code, self.show_error)
        aside = button(
            "Set results aside", "Rename the results file and begin a new one; nothing is lost", self._set_aside
        )
        self._more = box("de-row", *self._deep.toggles.values(), aside)

    # ---- from the reader ----------------------------------------------------------------------

    @guarded
    def _go(self) -> None:
        if self._running:
            self.cancel()
        else:
            self._begin()

    def _begin(self) -> None:
        self.clear_error()
        if self._running:
            raise ParameterError("The board is training already; cancel it first, or wait.")
        race = self._known.entered(self._controls.workers.value)
        if all(p.state == "finished" for p in race.snapshot().progress):
            self._settle()
            self._say(
                tag(
                    "div",
                    f"Nothing to train: all these runs are in {self.results_file} already. To train more, choose more "
                    "seeds, other epochs or settings, or another model; or set the results aside.",
                    "de-idea",
                )
            )
            return
        race.start()
        self._controls.lock(True)
        self._refresh()
        self._ticker = threading.Thread(target=self._tick, args=(race,), daemon=True, name="training board")
        self._ticker.start()

    @guarded
    def _changed(self) -> None:
        """A control changed: another file may be meant, and other results."""
        if self._running:
            self._changed_meanwhile = True
            return
        if self._quiet:
            return
        self._changed_meanwhile = False
        self.clear_error()  # it was about what was chosen before
        plan = self._controls.plan()
        file = self._given_file or free_file(Path("runs") / f"{plan.task}-{slug(plan.title)}.jsonl", self._taken())
        if self._ledger is None:
            self._ledger = Ledger(plan, file)
        else:
            self._ledger.turn_to(plan, file)
        self._controls.where.value = tag("span", f"Results: {file}, models in {self._known.shelf.folder}.", "de-hint")
        self._settle()
        if self._known.aside and not self._known.shown:
            self._say(tag("div", self._known.aside, "de-idea"))

    @guarded
    def _draw_again(self) -> None:
        self._draw_curves(self._known.snapshot())

    @guarded
    def _mistake_clicked(self, row: int) -> None:
        self.clear_error()
        self.open_mistake(row)

    @guarded
    def _open_clicked(self, name: str) -> None:
        self.clear_error()
        self.open_results(name or None)

    @guarded
    def _set_aside(self) -> None:
        self.clear_error()
        if self._running:
            raise ParameterError("The board is training; cancel it first.")
        old = set_aside(self.results_file)
        self._known.race = None
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
        try:
            watch(race, self._refresh, lambda: self._closed)
            if not self._closed:
                self._settle()
        except Exception as error:
            self.show_error(error)

    @guarded
    def _settle(self) -> None:
        """Shows all that there is once nothing is trained: table, mistakes, parts below."""
        with self._drawing:
            self._controls.lock(False)
            self._refresh()
            self._mistakes.put(self._known.shelf, self._known.best())
            self._deep.fill()
            if self._changed_meanwhile:  # within the lock: who settles second finds it done
                self._changed()

    def _refresh(self) -> None:
        with self._drawing:
            shown, table = self._known.snapshot(), self._known.table()
            self._progress.value = progress_title(shown) + progress_bars(shown)
            self._controls.go.mean(meaning(shown))
            self._draw_curves(shown)
            if table is not self._table or table is None:
                self._table = table
                self._comparing.show(table, self.results_file.stem)
                for part in (self._more, self._deep.box):
                    part.layout.display = "none" if table is None else ""  # nothing to look into yet

    def _draw_curves(self, shown: Snapshot | None) -> None:
        metric = "accuracy" if self._known.plan.task == "roles" else "auc"
        self._curves.draw(self._known.drawn(shown), metric, self._known.plan.epochs)

    # ---- what there is ------------------------------------------------------------------------

    @property
    def _known(self) -> Ledger:
        if self._ledger is None:
            raise ParameterError("The board cannot use what was chosen, see its message; choose another results file.")
        return self._ledger

    @property
    def _running(self) -> bool:
        return self.race is not None and self.race.running

    def _trained(self) -> tuple[Shelf, list[Run], Run] | None:
        """The models to ask, the runs that are shown, and the best of them."""
        best = None if self._ledger is None else self._ledger.best()
        return None if best is None else (self._known.shelf, self._known.shown, best)

    def _taken(self) -> set[Path]:
        """The results files of the other boards."""
        return {other._ledger.file.resolve() for other in _live if other is not self and other._ledger is not None}

    def _must_be_free(self, file: Path | None) -> None:
        """Two boards that write to one file would not know of each other's runs."""
        if file is not None and file.resolve() in self._taken():
            raise ParameterError(
                f"Another board writes to {file} already; close it with board.close(), or name another results file."
            )
