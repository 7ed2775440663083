"""Below the board's table, made when first opened: "Look into it", and what opens it and "Ask the model"."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets as W

from ...studies.judged import Shelf, measures
from ...studies.records import Run
from ..widgets.chart import Chart
from ..widgets.html import box, guarded, tag
from ..widgets.sheet import Sheet
from ..widgets.spot import Spot
from .asking.ask import Ask
from .controls import Controls
from .look_figure import look_figure
from .texts import look_notes, measure_table

_PARTS = (
    ("look", "Look into it", "ROC, calibration, precision, scores by distance, confusion"),
    ("ask", "Ask the model", "Pick nodes and read the trained models' scores"),
)
_WIDE: dict[str, Any] = {"style": {"description_width": "initial"}}


class Look:
    """ROC, calibration, scores by distance or confusion, and a table of measures, of one seed; errors to ``failed``."""

    def __init__(self, failed: Callable[[BaseException], None]) -> None:
        self.show_error = failed
        self._shelf: Shelf | None = None
        self._runs: Sequence[Run] = ()
        self._quiet = False
        self.model = W.Dropdown(description="Model", options=[], **_WIDE)
        self.seed = W.Dropdown(description="Seed", options=[], **_WIDE)
        self.k = W.BoundedIntText(20, description="k", min=1, max=10_000, tooltip="For precision@k and Hits@k", **_WIDE)
        self.k.add_class("de-number")
        self._note = W.HTML()
        self.chart, self.spot, self.sheet = Chart(), Spot(), Sheet()
        head = box("de-row", W.HTML(tag("span", "Look into it", "de-head")), self.model, self.seed, self.k)
        self.box = box("de-card", self.spot, head, self.chart, self.sheet, self._note)
        for control in (self.model, self.seed, self.k):
            control.observe(lambda _: self._draw(), "value")

    def put(self, shelf: Shelf, runs: Sequence[Run], best: str) -> None:
        """Shows these runs, the best model first."""
        self._shelf, self._runs = shelf, runs
        seeds = sorted({run.seed for run in runs if shelf.of_seed(runs, run.seed)})
        models = list(dict.fromkeys([best, *(run.model for run in runs)]))
        self._quiet = True
        try:
            for menu, options in ((self.seed, seeds), (self.model, models)):
                if list(menu.options) != options:
                    kept = menu.value
                    menu.options = options
                    menu.value = kept if kept in options else (options[0] if options else None)
        finally:
            self._quiet = False
        self._draw()

    @guarded
    def _draw(self) -> None:
        if self._quiet or self._shelf is None or self.seed.value is None:
            return
        name, seed = self.model.value, self.seed.value
        there = self._shelf.of_seed(self._runs, seed)
        if name not in there:
            self._note.value = tag("div", f"{name} has no finished run with seed {seed}.", "de-hint")
            return
        scored = {model: self._shelf.scored(run) for model, run in there.items()}
        task, prior = scored[name].task, self._shelf.density
        self.k.layout.display = "none" if prior is None else ""
        table = {model: measures(judged, self.k.value, prior) for model, judged in scored.items()}
        wrong = int((scored[name].given != task.test.labels).sum())
        what = f"{name}, seed {seed}: {wrong} of {len(task.test)} test sets are judged wrong."
        areas = {model: found["AUC"] for model, found in table.items()}
        self.chart.show(look_figure(scored, name, areas, prior), what)
        columns, rows = measure_table(table)
        with self.sheet.hold_sync():
            self.sheet.columns, self.sheet.rows = columns, rows
        self._note.value = tag("div", " ".join([what, *look_notes(task, prior)]), "de-notes")


class Deep:
    """Two buttons, and the parts that they open; errors go to ``failed``.

    ``trained()`` gives the shelf of trained models, the finished runs, and the best run; None if there is none yet.
    ``controls`` has the graphs that they may be asked on.
    """

    def __init__(
        self,
        trained: Callable[[], tuple[Shelf, Sequence[Run], Run] | None],
        controls: Controls,
        failed: Callable[[BaseException], None],
    ) -> None:
        self._trained, self._controls, self.show_error = trained, controls, failed
        self.look: Look | None = None
        self.ask: Ask | None = None
        self._filling = threading.RLock()  # a click and the board's thread would lose each other's messages
        self.toggles = {
            key: W.ToggleButton(description=label, tooltip=tip, layout=W.Layout(width="auto"))
            for key, label, tip in _PARTS
        }
        for key, toggle in self.toggles.items():
            toggle.observe(lambda _, key=key: self._toggled(key), "value")
        self.box = box("de-deep")

    @property
    def parts(self) -> dict[str, Look | Ask]:
        """Those that were made."""
        return {key: part for key, part in (("look", self.look), ("ask", self.ask)) if part is not None}

    def open_set(self, shelf: Shelf, seed: int, nodes: Sequence[int]) -> None:
        """Shows a set in the Explorer, on the graph of a seed."""
        self.toggles["ask"].value = True
        if self.ask is not None:
            self.ask.open_set(shelf, seed, nodes)
            self.ask.spot.show()

    def fill(self) -> None:
        """Shows the latest runs in the parts that are open."""
        with self._filling:
            trained = self._trained()
            if trained is not None:
                shelf, runs, best = trained
                for key, part in self.parts.items():
                    if self.toggles[key].value:
                        part.put(shelf, runs, best.model)

    def close(self) -> None:
        """Stops what is under way."""
        if self.ask is not None:
            self.ask.missing.clear()

    @guarded
    def _toggled(self, key: str) -> None:
        with self._filling:
            trained = self._trained()
            if self.toggles["look"].value and self.look is None:
                self.look = Look(self.show_error)
            if self.toggles["ask"].value and self.ask is None and trained is not None:
                self.ask = Ask(trained[0].task(trained[2].seed).graph, self._controls, self.show_error)
            self.box.children = tuple(part.box for name, part in self.parts.items() if self.toggles[name].value)
            self.fill()
        if key in self.parts and self.toggles[key].value:
            self.parts[key].spot.show()
