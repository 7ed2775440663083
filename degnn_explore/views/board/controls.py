"""The Training Board's controls: the row at the top, and the drawers for models, an own graph, and settings."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import ipywidgets as W

from ...common.errors import GraphError, ParameterError, one_of
from ...graphs.graph import Graph
from ...learn.nets import MODELS
from ...reading.catalogue import datasets, load
from ...study.plan import MOST_SEEDS, TARGET_SIZE, TASKS, Plan, digest_of
from ...study.records import Run
from ..widgets.chart import paint
from ..widgets.html import box, button, tag, text
from ..widgets.uploads import read_own
from .go import Go

__all__ = ["OWN", "Controls", "devices", "offer"]

OWN = "own graph"
_OWN_DEFAULT = "each model's own"
_CHOICES: dict[str, tuple[str, list[Any]]] = {
    "layers": ("Layers", [1, 2, 3, 4]),
    "hidden": ("Hidden", [20, 32, 50, 80, 100, 200]),
    "dropout": ("Dropout", [0.0, 0.2, 0.5]),
    "max_dist": ("Max. distance", [2, 3, 4, 5]),
    "steps": ("Walk steps", [2, 3, 4, 5]),
    "hops": ("Hops K", [1, 2, 3]),
}
_RATES = [1e-4, 3e-4, 1e-3, 3e-3, 1e-2]
_SGD = {"optimizer": "sgd", "batch_size": 64}
_PAPER = {"layers": 2, "hidden": 100, "dropout": 0.2, "max_dist": 3, "steps": 3, "hops": 2}
_PAPER_RATE, _PAPER_EPOCHS = 1e-4, 500
USUAL = {"seeds": 3, "epochs": 40}
_PAPER_TEXT = (
    "The paper searched: layers 1, 2, 3; hidden 20, 50, 80, 100; dropout 0, 0.2; max. distance and walk steps 3, 4; "
    "hops K 1, 2, 3 (DEA-GNN-SPD); and trained with SGD, learning rate 1e-4, batches of 64 or 128, 20 seeds, until the "
    "loss converged: hundreds of epochs. Our default is Adam, at 1e-2 for single nodes and for DEA-GNN-PR, else 1e-3."
)


def devices() -> list[tuple[str, str]]:
    """What can be trained on here: (text, name).

    Examples
    --------
    >>> [name for _, name in devices()][0]
    'auto'
    """
    import torch

    found = [(f"cpu ({os.cpu_count()} cores)", "cpu")]
    found += [(f"cuda:{i} ({torch.cuda.get_device_name(i)})", f"cuda:{i}") for i in range(torch.cuda.device_count())]
    if torch.backends.mps.is_available():
        found.append(("mps (Apple)", "mps"))
    best = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    return [(f"auto: {best}", "auto"), *found]


class Controls:
    """What the reader chooses; every change is told to ``act()``, errors to ``failed(error)``.

    ``go()`` is called by the button, ``opened(name)`` when another results file is to be opened.
    """

    def __init__(
        self,
        act: Callable[[], None],
        failed: Callable[[BaseException], None],
        go: Callable[[], None],
        opened: Callable[[str], None],
    ) -> None:
        self._act, self._failed, self._opened = act, failed, opened
        self.own: Graph | None = None
        self._quiet = False
        wide: dict[str, Any] = {"style": {"description_width": "initial"}}
        self.task = W.Dropdown(
            description="Task", options=[(f"{name} (p = {TARGET_SIZE[name]})", name) for name in TASKS], **wide
        )
        self._known = [
            (f"{row['name']} · {row['nodes']:,} nodes, {row['edges']:,} edges", row["name"])
            for _, row in datasets().iterrows()
            if row["available"]
        ]
        self.graph = W.Dropdown(description="Graph", options=self._known, **wide)
        self.seeds = W.BoundedIntText(description="Seeds", min=1, max=MOST_SEEDS, tooltip="1 to 20", **wide)
        self.epochs = W.BoundedIntText(description="Epochs", min=1, max=10_000, **wide)
        for number in (self.seeds, self.epochs):
            number.add_class("de-number")
        self.device = W.Dropdown(description="Device", options=devices(), **wide)
        self.go = Go(go)
        self.models = {
            name: W.Checkbox(description=f"{name}: {entry.about}", indent=False) for name, entry in MODELS.items()
        }
        self.hyper = {
            name: W.Dropdown(description=label, options=[(_OWN_DEFAULT, ""), *((str(v), v) for v in values)], **wide)
            for name, (label, values) in _CHOICES.items()
        }
        self.rate = W.Dropdown(
            description="Learning rate", options=[(_OWN_DEFAULT, ""), *((f"{rate:g}", rate) for rate in _RATES)], **wide
        )
        self.optimiser = W.Dropdown(
            description="Optimiser",
            options=[("each model's own: Adam, batches of 64", ""), ("SGD, batches of 64, as the paper", "sgd")],
            **wide,
        )
        self.patience = W.Dropdown(
            description="Early stop",
            options=[("after 30 epochs without gain", ""), ("never, as the paper", "never")],
            **wide,
        )
        cores = max(2, os.cpu_count() or 2)
        self.workers = W.Dropdown(
            description="Train",
            options=[("one run after another", 1)]
            + [(f"{n} at a time, in processes", n) for n in range(2, min(cores, 16) + 1)],
            **wide,
        )
        self.header, self.drawer = self._build()
        for control in (
            self.task,
            self.graph,
            self.seeds,
            self.epochs,
            self.device,
            self.rate,
            self.optimiser,
            self.patience,
            self.workers,
            *self.models.values(),
            *self.hyper.values(),
        ):
            control.observe(self._changed, "value")

    def _build(self) -> tuple[W.Box, W.Box]:
        self._toggles = {
            key: W.ToggleButton(description=label, tooltip=tip, layout=W.Layout(width="auto"))
            for key, label, tip in (
                ("models", "Models", "Choose models"),
                ("own", "Own graph…", "Train on a graph of your own"),
                ("more", "More…", "Hyperparameters, processes, results file"),
            )
        }
        for key, toggle in self._toggles.items():
            toggle.observe(lambda change, key=key: self._toggled(key, change["new"]), "value")
        spring = W.Box()
        spring.add_class("de-spring")
        name = W.HTML(tag("span", "Training Board", "de-name"))
        header = box(
            "de-row",
            # two groups, so that a narrow page breaks the row between them and nowhere else
            box("de-row", name, self.task, self.graph, self._toggles["own"]),
            box("de-row", self._toggles["models"], self.seeds, self.epochs, self.device, self._toggles["more"]),
            spring,
            self.go,
        )
        drawer = box("de-drawer")
        drawer.layout.display = "none"
        rows = []
        for name, check in self.models.items():
            dot = W.HTML(f'<span class="de-dot" style="background:{text(paint(name))}"></span>')
            row = W.HBox([dot, check])
            row.add_class("de-model")
            rows.append(row)
        self._model_grid = W.VBox(rows)
        self._model_grid.add_class("de-models")
        self._files = [
            W.FileUpload(description=label, multiple=False, layout=W.Layout(width="auto"))
            for label in ("Graph file", "Labels file")
        ]
        self._column = W.Text(placeholder="column of the labels, if several", layout=W.Layout(width="230px"))
        self._report = W.HTML(
            tag(
                "span",
                "Edge list, CSV, GraphML, GML, GEXF, JSON, … For roles also labels: a second file with a node "
                "and its label on each line, or a column of the graph file. Files are read here and go nowhere else.",
                "de-hint",
            )
        )
        self.where = W.HTML()
        self.file = W.Text(
            placeholder="another results file, such as runs/links-celegans.jsonl", layout=W.Layout(width="360px")
        )
        return header, drawer

    # ---- drawers ------------------------------------------------------------------------------

    def _toggled(self, key: str, on: bool) -> None:
        if on:
            for other, toggle in self._toggles.items():
                if other != key:
                    toggle.value = False
            self.drawer.children = self._content(key)
        self.drawer.layout.display = "" if any(toggle.value for toggle in self._toggles.values()) else "none"

    def _content(self, key: str) -> tuple[W.Widget, ...]:
        if key == "models":
            return (
                self._model_grid,
                W.HTML(tag("span", "Baselines are dotted in the chart, distance encoding is solid.", "de-hint")),
            )
        if key == "own":
            use = button("Use them", "Read the files and train on this graph", self._read)
            return (box("de-row", *self._files, self._column, use), self._report)
        values = box("de-row", *self.hyper.values(), self.rate, self.optimiser, self.patience)
        presets = box(
            "de-row",
            button(
                "Our defaults",
                f"Each model's own values, {USUAL['seeds']} seeds, {USUAL['epochs']} epochs",
                self.our_values,
            ),
            button(
                "The paper's values",
                f"SGD at {_PAPER_RATE:g}, {MOST_SEEDS} seeds, {_PAPER_EPOCHS} epochs, and the paper's sizes",
                self.paper_values,
            ),
            W.HTML(
                tag(
                    "span",
                    f"The paper's take long: {MOST_SEEDS} seeds of {_PAPER_EPOCHS} epochs for each model, "
                    f"{MOST_SEEDS * _PAPER_EPOCHS // (USUAL['seeds'] * USUAL['epochs'])} times our defaults.",
                    "de-hint",
                )
            ),
        )
        opening = button(
            "Open results",
            "Show the runs and models of this file, and add to it; no name: the board's own file again",
            lambda: self._opened(self.file.value.strip()),
        )
        return (
            values,
            presets,
            W.HTML(tag("span", _PAPER_TEXT, "de-hint")),
            box("de-row", self.workers),
            self.where,
            box("de-row", self.file, opening),
        )

    def _read(self) -> None:
        try:
            graph_file, label_file = (one.value[0] if one.value else None for one in self._files)
            if graph_file is None:
                raise GraphError("Choose a graph file first.")
            labels = None if label_file is None else (str(label_file["name"]), bytes(label_file["content"]))
            graph = read_own(
                str(graph_file["name"]), bytes(graph_file["content"]), labels, self._column.value.strip() or None
            )
        except Exception as error:
            self._failed(error)
            return
        for one in self._files:
            one.value = ()  # else the labels of this graph would be put on the next
        self.use(graph)
        classes = (
            "no labels" if graph.labels is None else f"{len(set(graph.labels[graph.labels >= 0].tolist()))} classes"
        )
        self._report.value = tag("span", f"{graph!r}, {classes}. {graph.cleaning}.", "de-hint")

    # ---- values -------------------------------------------------------------------------------

    def use(self, graph: Graph) -> None:
        """Offers a graph that load does not know, and chooses it."""
        self.own = graph
        label = f"{graph.title or OWN} · {graph.num_nodes:,} nodes, {graph.num_edges:,} edges"
        self.graph.options = [*self._known, (label, OWN)]
        if self.graph.value == OWN:
            self._changed(None)
        self.graph.value = OWN

    def turn_to(self, run: Run, plan: Plan) -> None:
        """Chooses the task and graph of a run, unless the plan has them."""
        if (run.task, run.digest) == (plan.task, plan.digest):
            return
        if run.digest == digest_of(plan.graph, run.task):
            self.task.value = run.task
        elif run.catalogue in [value for _, value in self.graph.options]:
            self.task.value, self.graph.value = run.task, run.catalogue
        else:
            raise ParameterError(
                f"The file holds runs of {run.task} on {run.graph}, and this graph is not in the menu; choose it above "
                "under “Own graph…” first, then open the file."
            )

    def our_values(self) -> None:
        """Each model's own hyperparameters and optimiser, and few seeds and epochs."""
        menus = (*self.hyper.values(), self.rate, self.optimiser, self.patience)
        self._set({menu: "" for menu in menus} | {self.seeds: USUAL["seeds"], self.epochs: USUAL["epochs"]})

    def paper_values(self) -> None:
        """The paper's optimiser and seeds, values within its ranges, and epochs enough for its small steps."""
        menus = {menu: _PAPER[name] for name, menu in self.hyper.items()}
        learning = {self.rate: _PAPER_RATE, self.optimiser: "sgd", self.patience: "never"}
        self._set(menus | learning | {self.seeds: MOST_SEEDS, self.epochs: _PAPER_EPOCHS})

    def _set(self, values: dict[W.Widget, Any]) -> None:
        """Sets many controls, and tells of it once."""
        self._quiet = True
        try:
            for control, value in values.items():
                control.value = value
        finally:
            self._quiet = False
        self._changed(None)

    def set_hyper(self, name: str, value: Any) -> None:
        """Sets a hyperparameter from code; a value that the menu lacks is added to it."""
        if name == "learning_rate":
            offer(self.rate, f"{value:g}" if isinstance(value, float) else str(value), value)
            return
        menu = self.hyper[one_of("setting", name, [*self.hyper, "learning_rate"])]
        offer(menu, str(value), value)

    def chosen(self) -> list[str]:
        """The chosen models that take the task's sets."""
        return [name for name, check in self.models.items() if check.value and self._fits(name)]

    def _fits(self, model: str) -> bool:
        return MODELS[model].takes(TARGET_SIZE[self.task.value])

    def plan(self) -> Plan:
        """What is chosen, not yet checked."""
        if self.graph.value == OWN and self.own is None:
            raise ParameterError("Choose a graph first.")
        name = "" if self.graph.value == OWN else str(self.graph.value)
        graph = load(name) if name else self.own
        assert graph is not None
        models = self.chosen()
        known = {key for model in models for key in MODELS[model].load().HYPER}
        hyper = {key: control.value for key, control in self.hyper.items() if control.value != "" and key in known}
        options = {
            **(_SGD if self.optimiser.value == "sgd" else {}),
            **({"learning_rate": self.rate.value} if self.rate.value != "" else {}),
            **({"patience": None} if self.patience.value == "never" else {}),
        }
        return Plan(
            graph, self.task.value, models, self.seeds.value, self.epochs.value, self.device.value, hyper, options, name
        )

    def _changed(self, _change: Any) -> None:
        if self._quiet:
            return
        for name, check in self.models.items():
            check.disabled = not self._fits(name)
        self._toggles["models"].description = f"Models: {len(self.chosen())} chosen"
        self._act()

    def lock(self, on: bool) -> None:
        """While training, what is being trained is out of reach of the mouse.

        In one message for each of two boxes: to disable thirty controls costs the browser and the server as much as
        a chart. A change by keyboard is taken up when the race has ended.
        """
        for part in (self.header, self.drawer):
            (part.add_class if on else part.remove_class)("de-locked")


def offer(menu: W.Dropdown, label: str, value: Any) -> None:
    """Chooses a value of a menu; one that the menu lacks is added to it."""
    if value not in [option[1] for option in menu.options]:
        menu.options = [*menu.options, (label, value)]
    menu.value = value
