"""The row at the top of a Training Board, and the drawers that it opens: models, an own graph, settings and files."""

from __future__ import annotations

from collections.abc import Callable

import ipywidgets as W

from ...common.errors import GraphError
from ...expressive.summary import summary
from ...studies.plan import MOST_SEEDS
from ..explorer.about import summary_list
from ..widgets.html import box, button, guarded, tag, text
from ..widgets.uploads import UPLOAD_HINT, label_own, read_own, uploaded
from .controls import PAPER_EPOCHS, PAPER_RATE, USUAL, Controls
from .figures import paint

_TOGGLES = {
    "models": ("Models", "Choose models"),
    "own": ("Own graph…", "Train on a graph of your own"),
    "more": ("More…", "Hyperparameters, processes, results"),
}
_OWN_HINT = (
    f"{UPLOAD_HINT} For roles also labels: a second file with a node and its label on each line, at once or later, or "
    "a column of the graph file. Graphs stay in the menu."
)
_OPEN_TIP = (
    "A folder: show its runs and models, and add to it (no name: the board's own again). "
    "A file: add its runs to those here."
)
_PAPER_TEXT = (
    "The paper searched: layers 1, 2, 3; hidden 20, 50, 80, 100; dropout 0, 0.2; max. distance and walk steps 3, 4; "
    "hops K 1, 2, 3 (DEA-GNN-SPD); and trained with SGD, learning rate 1e-4, batches of 64 or 128, 20 seeds, until the "
    "loss converged: hundreds of epochs. Our default is Adam, at 1e-2 for single nodes and for DEA-GNN-PR, else 1e-3."
)
_IN_CHART = (
    "In the chart baselines are dotted, distance encoding is solid; of the heuristics, which need no training, the one "
    "best on validation is a dashed line."
)
_LONG = (
    f"The paper's take long: {MOST_SEEDS} seeds of {PAPER_EPOCHS} epochs for each model, "
    f"{MOST_SEEDS * PAPER_EPOCHS // (USUAL['seeds'] * USUAL['epochs'])} times our defaults."
)


class Drawers:
    """Shows the controls, and ``go`` at the end of the row.

    ``opened(folder)`` is called to open another store of runs (None: the board's own again), ``loaded(file)`` to add
    the runs of a file, ``failed`` with errors.
    """

    def __init__(
        self,
        controls: Controls,
        go: W.Button,
        tuning: W.Widget,
        opened: Callable[[str | None], None],
        loaded: Callable[[str], None],
        failed: Callable[[BaseException], None],
    ) -> None:
        self._controls, self._opened, self._loaded, self.show_error = controls, opened, loaded, failed
        self.toggles = {
            key: W.ToggleButton(description=label, tooltip=tip, layout=W.Layout(width="auto"))
            for key, (label, tip) in _TOGGLES.items()
        }
        for key, toggle in self.toggles.items():
            toggle.observe(lambda change, key=key: self._toggled(key, change["new"]), "value")
        spring = W.Box()
        spring.add_class("de-spring")
        name = W.HTML(tag("span", "Training Board", "de-name"))
        numbers = (controls.seeds, controls.epochs, controls.device)
        self.hint = W.HTML(layout=W.Layout(display="none", flex="1 0 100%"))
        self.header = box(
            "de-row",
            # two groups, so that a narrow page breaks the row between them and nowhere else
            box("de-row", name, controls.task, controls.graph, self.toggles["own"]),
            box("de-row", self.toggles["models"], *numbers, self.toggles["more"], self._larger()),
            spring,
            go,
            self.hint,
        )
        self.where, self._tuning = W.HTML(), tuning
        self.contents = {"models": self._models(), "own": self._own(), "more": self._more()}
        self.drawer = box("de-drawer")
        self.drawer.layout.display = "none"

    def _larger(self) -> W.ToggleButton:
        """A switch that the style sheet and chart.js know."""
        tip = "Larger type, for a projector"
        made = W.ToggleButton(description="A+", tooltip=tip, layout=W.Layout(width="auto"))
        made.add_class("de-larger")
        return made

    def count(self) -> None:
        """Says how many models are chosen."""
        self.toggles["models"].description = f"Models: {len(self._controls.chosen())} chosen"

    def advise(self, words: str) -> None:
        """Shows a hint on what is chosen below the row, or none."""
        self.hint.value = tag("div", words, "de-idea") if words else ""
        self.hint.layout.display = "" if words else "none"

    def lock(self, on: bool) -> None:
        """While training, what is being trained is out of reach of the mouse.

        In one message for each of two boxes: to disable thirty controls costs the browser and the server as much as
        a chart. A change by keyboard is taken up when the race has ended.
        """
        for part in (self.header, self.drawer):
            (part.add_class if on else part.remove_class)("de-locked")

    def _toggled(self, key: str, on: bool) -> None:
        if on:
            for other, toggle in self.toggles.items():
                if other != key:
                    toggle.value = False
            self.drawer.children = self.contents[key]
        self.drawer.layout.display = "" if any(toggle.value for toggle in self.toggles.values()) else "none"

    def _models(self) -> tuple[W.Widget, ...]:
        rows = []
        for name, check in self._controls.models.items():
            row = W.HBox([W.HTML(f'<span class="de-dot" style="background:{text(paint(name))}"></span>'), check])
            row.add_class("de-model")
            rows.append(row)
        return box("de-models", *rows), _hint(_IN_CHART)

    def _own(self) -> tuple[W.Widget, ...]:
        self._files = [
            W.FileUpload(description=label, multiple=False, layout=W.Layout(width="auto"))
            for label in ("Graph file", "Labels file")
        ]
        self._column = W.Text(placeholder="column of the labels, if several", layout=W.Layout(width="230px"))
        self._report = _hint(_OWN_HINT)
        use = button("Use them", "Read the files and train on this graph", self._read)
        return box("de-row", *self._files, self._column, use), self._report

    def _more(self) -> tuple[W.Widget, ...]:
        controls = self._controls
        ours = f"Each model's own values, {USUAL['seeds']} seeds, {USUAL['epochs']} epochs"
        papers = f"SGD at {PAPER_RATE:g}, {MOST_SEEDS} seeds, {PAPER_EPOCHS} epochs, and the paper's sizes"
        self.file = W.Text(
            placeholder="another folder of runs, or a file (.jsonl, .csv) to add", layout=W.Layout(width="360px")
        )
        return (
            box("de-row", *controls.settings),
            box(
                "de-row",
                button("Our defaults", ours, controls.our_values),
                button("The paper's values", papers, controls.paper_values),
                _hint(_LONG),
            ),
            _hint(_PAPER_TEXT),
            self._tuning,
            box("de-row", controls.workers),
            self.where,
            box("de-row", self.file, button("Open results", _OPEN_TIP, self._open)),
        )

    def _open(self) -> None:
        """A folder is shown from now on; the runs of a file are added to those here."""
        name = self.file.value.strip()
        if name.endswith((".jsonl", ".csv")):
            self._loaded(name)
        else:
            self._opened(name or None)

    @guarded
    def _read(self) -> None:
        graph_file, labels = (uploaded(upload.value[0]) if upload.value else None for upload in self._files)
        column = self._column.value.strip() or None
        if graph_file is not None:
            graph = read_own(*graph_file, labels, column)
        elif labels is not None:
            graph = label_own(self._controls.current(), labels, column)
        else:
            raise GraphError("Choose a graph file first, or a labels file for the graph that is chosen above.")
        for upload in self._files:
            upload.value = ()  # else the labels of this graph would be put on the next
        self._controls.use(graph)
        self._report.value = summary_list(summary(graph))


def _hint(words: str) -> W.HTML:
    return W.HTML(tag("span", words, "de-hint"))
