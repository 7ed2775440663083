"""Every setting that was tried: a table of them with notes, and two settings of one model side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets as W

from ...common.numbers import signed
from ...studies.ledger import Ledger
from ...studies.records import Run
from ...studies.repeat import by_setting
from ...studies.statistics import curves, interval
from ..widgets.chart import Chart
from ..widgets.html import box, button, guarded, tag
from ..widgets.sheet import Sheet, cell, column

_COLOURS = ("#0072b2", "#d55e00")  # the first is drawn solid, the second dashed
_WIDE: dict[str, Any] = {"style": {"description_width": "initial"}}
_COLUMNS = [
    column("model", first="up"),
    column("settings", "What is not the model's own value", first="up"),
    column("seeds", align="right"),
    column("test %", "Mean over the seeds, ± half the 95 % interval", "right"),
    column("processor s a seed", align="right"),
    column("note", first="up"),
]


class Tried:
    """The button, and what it opens; ``known()`` is the board's ledger, errors go to ``failed``."""

    def __init__(self, known: Callable[[], Ledger], failed: Callable[[BaseException], None]) -> None:
        self._known, self.show_error = known, failed
        tip = "Every setting that was tried, with notes, and two of a model side by side"
        self.toggle = W.ToggleButton(description="All settings", tooltip=tip, layout=W.Layout(width="auto"))
        self._sheet, self._chart, self._words = Sheet(), Chart(), W.HTML()
        self.menus = [W.Dropdown(description=label, **_WIDE) for label in ("Model", "Solid", "Dashed")]
        self.note = W.Text(layout=W.Layout(width="420px"))
        keep = button("Keep the note", "Write it beside these runs in the store", self.keep)
        self.box = box(
            "de-card", W.HTML(tag("span", "All settings", "de-head")), self._sheet, box("de-row", *self.menus),
            self._words, self._chart, box("de-row", self.note, keep))  # fmt: skip
        self.box.layout.display = "none"
        self._groups: dict[tuple[str, str], list[Run]] = {}
        self._quiet = False
        self.toggle.observe(lambda _: self.fill(), "value")
        self.menus[0].observe(lambda _: self._choose(), "value")
        for menu in self.menus[1:]:
            menu.observe(lambda _: self._compare(), "value")

    @guarded
    def fill(self) -> None:
        """Shows the runs as they are now, if it is open."""
        self._groups = by_setting(self._known().runs, self._known().plan) if self.toggle.value else {}
        self.box.layout.display = "" if self._groups else "none"
        if not self._groups:
            return
        with self._sheet.hold_sync():
            self._sheet.columns = _COLUMNS
            self._sheet.rows = [_row(model, words, runs) for (model, words), runs in self._groups.items()]
        settings = Counter(model for model, _ in self._groups)
        self._offer(self.menus[0], list(settings), next((i for i, many in enumerate(settings.values()) if many > 1), 0))
        self._choose()

    def _offer(self, menu: W.Dropdown, options: Sequence[str], usual: int = 0) -> None:
        """Other options, and the chosen one if it is still there; nobody is told."""
        self._quiet = True
        kept = menu.value
        menu.options = options
        menu.value = kept if kept in options else options[min(usual, len(options) - 1)] if options else None
        self._quiet = False

    @guarded
    def _choose(self) -> None:
        if self._quiet:
            return
        settings = [words for model, words in self._groups if model == self.menus[0].value]
        for usual, menu in enumerate(self.menus[1:]):
            self._offer(menu, settings, usual)
        for one in (*self.menus[1:], self._chart):  # the model can always be chosen: another may have two
            one.layout.display = "" if len(settings) > 1 else "none"
        self._compare()

    @guarded
    def _compare(self) -> None:
        if self._quiet or self.menus[1].value is None:
            return
        pair = [self._groups[self.menus[0].value, menu.value] for menu in self.menus[1:]]
        self.note.value = pair[0][0].note
        which = ", the solid setting" if len(self.menus[1].options) > 1 else ""
        self.note.placeholder = f"a note on the runs of {self.menus[0].value}{which}"
        if pair[0] is pair[1]:
            self._words.value = tag("div", "A second setting of this model is not there yet, or not chosen.", "de-hint")
            return
        metric = "AUC" if pair[0][0].metric == "auc" else "accuracy"
        self._words.value = tag("div", difference(pair[0], pair[1], metric), "de-notes")
        names = [menu.value for menu in self.menus[1:]]
        means = [curve[0].mean if (curve := curves(runs)) else [] for runs in pair]
        self._chart.show(_figure(means, names, metric))

    @guarded
    def keep(self) -> None:
        """Writes the note beside all runs of the solid setting."""
        for run in self._groups.get((self.menus[0].value, self.menus[1].value), []):
            self._known().note(run.key, self.note.value.strip())
        self.fill()


def difference(first: Sequence[Run], second: Sequence[Run], metric: str) -> str:
    """In words, how two settings compare on the seeds that both have.

    >>> runs = [[Run(f"{k}{s}", "g", "links", "GCN", s, test=t) for s, t in enumerate(tests)]
    ...         for k, tests in (("a", [0.5, 0.75]), ("b", [0.75, 0.75, 0.9]))]
    >>> difference(*runs, "AUC")
    'On the 2 seeds that both have, dashed minus solid is +12.5 ± 158.8 points of test AUC; too few seeds to say more.'
    """
    tests = [{run.seed: 100 * float(run.test or 0) for run in runs} for runs in (first, second)]
    common = sorted(tests[0].keys() & tests[1].keys())
    if not common:
        return "They have no seed in common; train both with the same seeds to compare them."
    mean, half = interval([tests[1][seed] - tests[0][seed] for seed in common])
    size = signed(mean) if half is None else f"{signed(mean)} ± {half:.1f}"
    few = "; too few seeds to say more" if len(common) < 5 else ""
    seeds = "seed" if len(common) == 1 else f"{len(common)} seeds"
    return f"On the {seeds} that both have, dashed minus solid is {size} points of test {metric}{few}."


def _row(model: str, words: str, runs: Sequence[Run]) -> list[dict[str, Any]]:
    mean, half = interval([100 * float(run.test or 0) for run in runs])
    seconds = sum(run.cpu_seconds for run in runs) / len(runs)
    notes = "; ".join(dict.fromkeys(run.note for run in runs if run.note))
    size = f"{mean:.1f}" if half is None else f"{mean:.1f} ± {half:.1f}"
    last = [cell(f"{seconds:.1f}" if seconds else "–", seconds), cell(notes, notes)]
    return [cell(model, model), cell(words, words), cell(len(runs), len(runs)), cell(size, mean), *last]


def _figure(means: Sequence[Sequence[float]], names: Sequence[str], metric: str) -> dict[str, Any]:
    data = [
        {
            "type": "scatter", "mode": "lines", "name": name, "x": list(range(1, len(mean) + 1)), "y": list(mean),
            "line": {"color": colour, "width": 2, "dash": dash},
        }
        for mean, name, colour, dash in zip(means, names, _COLOURS, ("solid", "dash"), strict=True)
    ]  # fmt: skip
    axes = {"xaxis": {"title": {"text": "epoch"}}, "yaxis": {"title": {"text": f"test {metric}"}}}
    legend = {"orientation": "h", "y": 1.15, "x": 0}
    return {
        "data": data,
        "layout": {**axes, "height": 260, "legend": legend, "margin": {"l": 56, "r": 16, "t": 8, "b": 40}},
    }
