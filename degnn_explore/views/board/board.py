"""The Training Board: race models on a graph, compare them, look into mistakes, ask the trained models."""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import ipywidgets as W

from ...common.errors import ParameterError
from ...graphs.graph import Graph
from ...study.exports import Comparison
from ...study.judged import Mistake
from ...study.ledger import Ledger
from ...study.race import Race
from ...study.records import Run
from ...study.results import free_file, set_aside, trained_in
from ..widgets.html import Notice, box, button, guarded, tag
from ..widgets.panel import Panel
from .controls import USUAL, Controls
from .curves import Curves
from .drawers import Drawers
from .go import Go, meaning
from .look import Deep
from .mistakes import Mistakes
from .report import Story
from .table import Compare
from .texts import progress_bars, progress_title

_PAUSE = 0.3  # seconds between two updates; five a second would be drawn as well, and seen no better
_SHARE = 0.04  # of the time may go into drawing; the larger the race, the rarer the updates
_live: weakref.WeakSet[TrainingBoard] = weakref.WeakSet()


class TrainingBoard(Panel):
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
        self.close_earlier()  # one that trains and holds the results file
        self._ledger: Ledger | None = None
        self._given_file = None if results is None else Path(results)
        self._must_be_free(self._given_file)
        self._ticker: threading.Thread | None = None
        self._drawing = threading.RLock()
        self._quiet, self._changed_meanwhile = True, False
        self._table: Comparison | None = None
        self._closed = False
        super().__init__(self._build())
        try:
            numbers = {"seeds": seeds, "epochs": epochs, "device": device, "workers": workers}
            self._controls.choose(graph, task, models, numbers, settings)
        except Exception:
            self.close()
            raise
        if os.environ.get("DEGNN_FAST") == "1":
            self._controls.seeds.value, self._controls.epochs.value = 1, min(epochs, 3)
        for css in ("de-explorer", "de-board"):
            self.add_class(css)
        _live.add(self)
        self._quiet = False
        self._changed()

    # ---- for code -----------------------------------------------------------------------------

    def start(self) -> None:
        """Trains what is chosen, in the background, and continues after cancel; finished runs are not trained again."""
        self.clear_error()
        if self._running:
            raise ParameterError("The board is training already; cancel it first, or wait.")
        race = self._known.entered(self._controls.workers.value)
        if all(p.state == "finished" for p in race.snapshot().progress):
            self._settle()
            self._note(
                f"Nothing to train: all these runs are in {self.results_file} already. To train more, choose more "
                "seeds, other epochs or settings, or another model; or set the results aside."
            )
            return
        race.start()
        self._drawers.lock(True)
        self._refresh()
        self._ticker = threading.Thread(target=self._tick, args=(race,), daemon=True, name="training board")
        self._ticker.start()

    def cancel(self) -> None:
        """Stops within half a second; what is finished is kept."""
        if self.race is not None:
            self.race.cancel()
            self._settle()

    def wait(self, seconds: float | None = None) -> None:
        """Until nothing is trained any more and the panel shows it, for scripts and notebooks."""
        if self._ticker is not None:
            self._ticker.join(seconds)

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

    def still(self) -> tuple[str, str]:
        """Curves and table for viewers without a kernel, with a caption."""
        return self._story().still()

    def report(self, file: str | os.PathLike[str]) -> Path:
        """Writes curves, table, mistakes, settings and versions as one HTML page that needs no network, a handout."""
        return self._story().write(file)

    def open_mistake(self, number: int = 0) -> None:
        """Opens one of the mistakes shown in the Explorer, with its encoding and subtrees."""
        self._deep.open_set(*self._mistakes.chosen(number))

    def open_results(self, file: str | os.PathLike[str] | None) -> None:
        """Shows the runs of another results file, and adds to it from now on; None: the board's own file again.

        If the file has none of the chosen task and graph, those of its latest run are chosen.
        """
        if self._running:
            raise ParameterError("The board is training; cancel it first.")
        path = None if file is None else Path(file).expanduser()
        self._must_be_free(path)
        if path is not None:
            plan = self._controls.plan()
            self._controls.turn_to(trained_in(path, plan.task, plan.digest), plan)
        self._given_file = path
        self._controls.changed()

    def end(self) -> None:
        """Stops training; called once, when the panel is closed."""
        self._closed = True
        _live.discard(self)
        if self.race is not None:
            self.race.cancel(wait=False)
        self._deep.close()
        hidden = [part.box for part in self._deep.parts.values()]
        self.parts = (*hidden, *(widget for content in self._drawers.contents.values() for widget in content))

    def stays(self, names: dict[str, Any], deleted: bool) -> bool:
        """When its cell was deleted the board goes even if a variable names it, unless the page still shows it."""
        return self._curves.chart.views > 0 if deleted else super().stays(names, deleted)

    def _build(self) -> list[W.Widget]:
        self._error = Notice()
        self.show_error, self.clear_error, self._note = self._error.show, self._error.clear, self._error.note
        self._controls = Controls(self._changed)
        self._go_button = Go(self._go)
        opened = partial(self._clicked, self.open_results)
        self._drawers = Drawers(self._controls, self._go_button, opened, self.show_error)
        self._curves = Curves(partial(self._clicked, self._draw_curves))
        self._progress = W.HTML()
        self._mistakes = Mistakes(partial(self._clicked, self.open_mistake))
        beside = box("de-card", self._progress, self._mistakes.title, self._mistakes.sheet)
        self._top = box("de-cards", self._curves.box, beside)
        self._top.add_class("de-race")
        self._comparing = Compare(self.results, self.code, self.show_error)
        self._deep = Deep(lambda: None if self._ledger is None else self._ledger.trained(), self.show_error)
        tip = "Rename the results file and begin a new one; nothing is lost"
        aside = button("Set results aside", tip, partial(self._clicked, self._set_aside))
        tip = "Curves, table, mistakes, settings and versions as one HTML page"
        saved = button("Save report", tip, partial(self._clicked, lambda: self._story().download()))
        self._more = box("de-row", *self._deep.toggles.values(), saved, aside)
        parts = (self._error, self._top, self._comparing.box, self._more, self._deep.box)
        return [self._drawers.header, self._drawers.drawer, *parts]

    # ---- from the reader ----------------------------------------------------------------------

    @guarded
    def _changed(self) -> None:
        """A control changed: another file may be meant, and other results."""
        self._drawers.count()
        self._changed_meanwhile = self._running
        if self._running or self._quiet:
            return
        self.clear_error()  # it was about what was chosen before
        plan = self._controls.plan()
        file = self._given_file or free_file(plan.task, plan.title, self._files_beside())
        if self._ledger is None:
            self._ledger = Ledger(plan, file)
        else:
            self._ledger.turn_to(plan, file)
        self._drawers.where.value = tag("span", f"Results: {file}, models in {self._known.shelf.folder}.", "de-hint")
        self._settle()
        if self._known.aside and not self._known.shown:
            self._note(self._known.aside)

    @guarded
    def _clicked(self, act: Callable[..., None], *given: Any) -> None:
        """The last message is about what was done before; now this is done."""
        self.clear_error()
        act(*given)

    def _go(self) -> None:
        self._clicked(self.cancel if self._running else self.start)

    def _story(self) -> Story:
        return Story.of(self._known, self._curves.chart.figure, self._mistakes)

    def _set_aside(self) -> None:
        if self._running:
            raise ParameterError("The board is training; cancel it first.")
        old = set_aside(self.results_file)
        self._known.race = None
        self._changed()
        self._note("There are no results yet." if old is None else f"The results are in {old} now.")

    # ---- to the reader ------------------------------------------------------------------------

    @guarded
    def _tick(self, race: Race) -> None:
        """In a thread: shows the race whenever there is something new and drawing is cheap, until it ends."""
        seen, pause = race.version, _PAUSE
        while not race.wait(pause) and not self._closed:
            began = time.thread_time()
            if race.version != seen:
                seen = race.version
                self._refresh()
            pause = max(_PAUSE, (time.thread_time() - began) / _SHARE)
        if not self._closed:
            self._settle()

    @guarded
    def _settle(self) -> None:
        """Shows all that there is once nothing is trained: table, mistakes, parts below."""
        with self._drawing:
            self._drawers.lock(False)
            self._refresh()
            self._mistakes.put(self._known.shelf, self._known.best(), self._known.shown)
            self._deep.fill()
            if self._changed_meanwhile:  # within the lock: who settles second finds it done
                self._changed()

    def _refresh(self) -> None:
        with self._drawing:
            shown, table = self._known.snapshot(), self._known.table()
            self._progress.value = progress_title(shown) + progress_bars(shown)
            self._go_button.show_as(meaning(shown))
            self._draw_curves()
            if table is not self._table or table is None:
                self._table = table
                self._comparing.show(table, self.results_file.stem)
                for part in (self._more, self._deep.box):
                    part.layout.display = "none" if table is None else ""  # nothing to look into yet

    def _draw_curves(self) -> None:
        metric = "accuracy" if self._known.plan.task == "roles" else "auc"
        self._curves.draw(self._known.drawn(), metric, self._known.plan.epochs)

    @property
    def _known(self) -> Ledger:
        if self._ledger is None:
            raise ParameterError("The board cannot use what was chosen, see its message; choose another results file.")
        return self._ledger

    @property
    def _running(self) -> bool:
        return self.race is not None and self.race.running

    def _files_beside(self) -> set[Path]:
        """The results files of the other boards."""
        return {other._ledger.file.resolve() for other in _live if other is not self and other._ledger is not None}

    def _must_be_free(self, file: Path | None) -> None:
        """Two boards that write to one file would not know of each other's runs."""
        if file is not None and file.resolve() in self._files_beside():
            raise ParameterError(
                f"Another board writes to {file} already; close it with board.close(), or name another results file."
            )
