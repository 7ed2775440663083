"""The board's chart: the curves of the race, their heading, and the choice of what they show."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import ipywidgets as W

from ...learn.nets import MODELS, is_heuristic
from ...studies.records import Run, by_model
from ...studies.statistics import best_on_validation, curves
from ..widgets.chart import Chart
from ..widgets.html import box, tag
from .figures import curve_figure


class Curves:
    """Shows runs as curves; ``again()`` is called when the reader wants another measure."""

    def __init__(self, again: Callable[[], None]) -> None:
        self.chart = Chart()
        self._title = W.HTML()
        self._which = W.ToggleButtons(
            options=[("Test", "test"), ("Validation", "validation"), ("Loss", "loss")], style={"button_width": "auto"}
        )
        self._which.observe(lambda _: again(), "value")
        self.box = box("de-card", box("de-row", self._title, self._which), self.chart)

    def draw(self, runs: Sequence[Run], metric: str, epochs: int) -> None:
        """Shows the runs, at least so many epochs wide; ``metric`` is that of runs to come, if there are none."""
        order = list(MODELS)
        measure = self._which.value
        shown = sorted(_drawn(runs, measure), key=lambda run: order.index(run.model))
        name = "AUC" if (shown[0].metric if shown else metric) == "auc" else "accuracy"
        drawn = curves(shown, measure)
        self.chart.show(
            curve_figure(drawn, measure, name, epochs),
            ", ".join(f"{c.model} {c.mean[-1]:.3f} {_trained(c.model, len(c.mean))}" for c in drawn),
        )
        title = {
            "test": f"Test {name}, chosen on validation",
            "validation": f"Validation {name}",
            "loss": "Training loss",
        }
        self._title.value = tag("div", title[measure], "de-head")


def _trained(model: str, epochs: int) -> str:
    if is_heuristic(model):
        return "without training"
    return f"after {epochs} epoch{'s' * (epochs != 1)}"


def _drawn(runs: Sequence[Run], measure: str) -> list[Run]:
    """All networks, and of the heuristics the one that is best on validation; a formula has no training loss."""
    best = best_on_validation(by_model(run for run in runs if is_heuristic(run.model)))
    return [run for run in runs if not is_heuristic(run.model) or (run.model == best and measure != "loss")]
