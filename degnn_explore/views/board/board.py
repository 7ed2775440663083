"""The Training Board: race models on a graph, compare them, look into mistakes, ask the trained models."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import ipywidgets as W

from ...common.errors import ParameterError
from ...graphs.graph import Graph
from ...learn.task import Task
from ...studies.exports import Comparison
from ...studies.judged import Mistake
from ...studies.ledger import Ledger
from ...studies.race import Race
from ...studies.records import Run
from ...studies.storage.files import latest_for
from ...studies.storage.store import Store
from ...studies.workers import warm
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
from .tried import Tried
from .tuned import Tuning

_PAUSE = 0.3  # seconds between two updates; five a second would be drawn as well, and seen no better
_SHARE = 0.04  # of the time may go into drawing; the larger the race, the rarer the updates


class TrainingBoard(Panel):
    """A panel in which a class races models on a graph and sees distance encoding win, lose or tie.

    Parameters
    ----------
    graph
        A name that :func:`degnn_explore.load` knows, a graph, or any Task, whose split is then that of every seed.
    task
        "roles" (needs labels), "links" or "triangles"; by default roles if the graph has labels, else links.
    models
        Names from :func:`degnn_explore.models`; by default GCN and DE-GNN-SPD.
    seeds, epochs, device
        As in the panel; with ``DEGNN_FAST=1`` in the environment at most 1 seed and 3 epochs.
    results
        The folder of a :class:`degnn_explore.Store`; by default ``runs/`` of the project. A run that it holds is shown
        at once, whichever board or notebook trained it, and not trained again.
    workers
        How many runs at a time, each in a process of its own.
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
    >>> board = de.TrainingBoard("karate", "links", ["GCN"], seeds=1, epochs=2, results=folder.name)
    >>> board.start()
    >>> board.wait()
    >>> board.results().frame().index.tolist()
    ['GCN']
    >>> board.close()
    >>> folder.cleanup()
    """

    def __init__(
        self,
        graph: str | Graph | Task = "celegans",
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
        self.close_earlier()
        self._ledger: Ledger | None = None
        self._own_store = self._store = Store.open(results)
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
        self._quiet = False
        self._changed()
        warm()

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
                f"Nothing to train: all these runs are in {self.store.folder} already. To train more, choose more "
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
        """The finished runs of the chosen task and graph in any settings, earlier ones of the store included."""
        return self._known.runs

    @property
    def store(self) -> Store:
        """Where the runs are kept; models are files in ``store.models``."""
        return self._store

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

    def open_results(self, folder: str | os.PathLike[str] | None) -> None:
        """Shows the runs of another store, and adds to it from now on; None: the board's own again.

        If it has none of the chosen task and graph, those of its latest run are chosen.
        """
        if self._running:
            raise ParameterError("The board is training; cancel it first.")
        store = self._own_store if folder is None else Store.open(folder)
        if folder is not None:
            plan = self._controls.plan()
            latest = latest_for(store.runs(), plan.task, plan.digest)
            if latest is None:
                raise ParameterError(f"There is no finished run in {store.folder}; name a folder that has some.")
            self._controls.turn_to(latest, plan)
        self._store = store
        self._controls.changed()

    def load_results(self, file: str | os.PathLike[str]) -> None:
        """Adds the runs of a file of JSON lines or CSV to the board's store, see :meth:`degnn_explore.Store.load`."""
        said = self._store.load(file)
        self._changed()
        self._note(said)

    def end(self) -> None:
        """Stops training; called once, when the panel is closed."""
        self._closed = True
        if self.race is not None:
            self.race.cancel(wait=False)
        self._deep.close()
        self._tuning.stop()
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
        opened, loaded = (partial(self._clicked, act) for act in (self.open_results, self.load_results))
        self._tuning = Tuning(self._controls, lambda: (self._known.store, self._controls.workers.value))
        self._drawers = Drawers(self._controls, self._go_button, self._tuning.box, opened, loaded, self.show_error)
        self._curves = Curves(partial(self._clicked, self._draw_curves))
        self._progress = W.HTML()
        self._mistakes = Mistakes(partial(self._clicked, self.open_mistake))
        beside = box("de-card", self._progress, self._mistakes.title, self._mistakes.sheet)
        self._top = box("de-cards", self._curves.box, beside)
        self._top.add_class("de-race")
        self._comparing = Compare(self.results, self.code, self.show_error)
        self._deep = Deep(lambda: self._ledger.trained() if self._ledger else None, self._controls, self.show_error)
        tip = "Move these runs to a folder of their own and begin anew; nothing is lost"
        aside = button("Set results aside", tip, partial(self._clicked, self._set_aside))
        saved = button("Save report", "As one HTML page", partial(self._clicked, lambda: self._story().download()))
        self._tried = Tried(lambda: self._known, self.show_error)
        self._more = box("de-row", *self._deep.toggles.values(), self._tried.toggle, saved, aside)
        parts = (self._error, self._top, self._comparing.box, self._more, self._deep.box, self._tried.box)
        return [self._drawers.header, self._drawers.drawer, *parts]

    # ---- from the reader ----------------------------------------------------------------------

    @guarded
    def _changed(self) -> None:
        """A control changed: other results are meant."""
        self._drawers.count()
        self._changed_meanwhile = self._running
        if self._running or self._quiet:
            return
        self.clear_error()  # it was about what was chosen before
        plan = self._controls.plan()
        self._drawers.advise(plan.hint())
        if self._ledger is None:
            self._ledger = Ledger(plan, self._store)
        else:
            self._ledger.turn_to(plan, self._store)
        self._drawers.where.value = tag("span", f"Results: {self._store.about}.", "de-hint")
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
        if not self._known.runs:
            self._note("There are no results yet.")
            return
        old = self._store.set_aside(self._known.runs, self._known.name)
        self._known.race = None
        self._changed()
        self._note(f"The results are in {old.folder} now.")

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
            for part in (self._deep, self._tried):
                part.fill()
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
                self._comparing.show(table, self._known.name)
                for part in (self._more, self._deep.box):
                    part.layout.display = "none" if table is None else ""  # nothing to look into yet

    def _draw_curves(self) -> None:
        self._curves.draw(self._known.drawn(), self._known.plan.metric, self._known.plan.epochs)

    @property
    def _known(self) -> Ledger:
        if self._ledger is None:
            raise ParameterError("The board cannot use what was chosen, see its message; choose something else.")
        return self._ledger

    @property
    def _running(self) -> bool:
        return self.race is not None and self.race.running
