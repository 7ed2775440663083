"""What the reader of a Training Board chooses: task, graph, models, seeds, epochs, device and settings."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import ipywidgets as W

from ...common.errors import ParameterError, one_of
from ...graphs.graph import Graph
from ...learn.nets import MODELS
from ...learn.task import Task
from ...learn.tasks import TASKS
from ...reading.catalogue import datasets, load, name_of
from ...studies.plan import MOST_SEEDS, Plan, digest_of
from ...studies.records import Run

OWN, OWN_TASK = "own graph", "own task"
_OWN_DEFAULT = ("each model's own", "")  # and, once models are chosen, what that is
_CHOICES: dict[str, tuple[str, list[Any]]] = {
    "layers": ("Layers", [1, 2, 3, 4]),
    "hidden": ("Hidden", [20, 32, 50, 80, 100, 200]),
    "dropout": ("Dropout", [0.0, 0.2, 0.5]),
    "max_dist": ("Max. distance", [2, 3, 4, 5]),
    "steps": ("Walk steps", [2, 3, 4, 5]),
    "hops": ("Hops K", [1, 2, 3]),
}
_RATES = [1e-4, 3e-4, 1e-3, 3e-3, 1e-2]
_LARGER_BATCHES = [256, 1024]
_PAPER = {"layers": 2, "hidden": 100, "dropout": 0.2, "max_dist": 3, "steps": 3, "hops": 2}
PAPER_RATE, PAPER_EPOCHS = 1e-4, 500
USUAL = {"seeds": 3, "epochs": 40}


class Controls:
    """The menus, numbers and boxes to tick; every change is told to ``act()``."""

    def __init__(self, act: Callable[[], None]) -> None:
        from ...learn.devices import best_device, devices

        self._act = act
        self._quiet = False
        self.given: Task | None = None  # the board was made for it; its graph is ``_place`` in the menu
        self._place = ""
        self.own: dict[str, Graph] = {}  # graphs that load does not know, by their place in the menu
        self._known = [
            (f"{row['name']} · {row['nodes']:,} nodes, {row['edges']:,} edges", row["name"])
            for _, row in datasets().iterrows()
            if row["available"]
        ]
        self.task = _menu("Task", [(f"{name} (p = {kind.p})", name) for name, kind in TASKS.items()])
        self.graph = _menu("Graph", self._known)
        self.seeds, self.epochs = _number("Seeds", MOST_SEEDS), _number("Epochs", 10_000)
        self.device = _menu("Device", devices())
        self.models = {
            name: W.Checkbox(description=f"{name}: {entry.about}", indent=False) for name, entry in MODELS.items()
        }
        self.hyper = {
            name: _menu(label, [_OWN_DEFAULT, *((str(v), v) for v in values)])
            for name, (label, values) in _CHOICES.items()
        }
        self.rate = _menu("Learning rate", [_OWN_DEFAULT, *((f"{rate:g}", rate) for rate in _RATES)])
        sgd = ("SGD, as the paper", "sgd")
        self.optimiser = _menu("Optimiser", [("each model's own: Adam", ""), sgd])
        suggested = "" if best_device() == "cpu" else ", suggested on a GPU"
        larger = [(f"{size}, learning rate scaled{suggested}", size) for size in _LARGER_BATCHES]
        self.batch = _menu("Batches", [("of 64 sets", ""), *larger])
        never = ("never, as the paper", "never")
        self.patience = _menu("Early stop", [("after 30 epochs without gain", ""), never])
        most = min(max(2, os.cpu_count() or 2), 16)
        fit = "" if best_device() == "cpu" else ", or as many as fit the GPU"
        several = [(f"{n} at a time, in processes{fit}", n) for n in range(2, most + 1)]
        self.workers = _menu("Train", [("one run after another", 1), *several])
        self.settings = (*self.hyper.values(), self.rate, self.optimiser, self.batch, self.patience)
        rest = (self.task, self.graph, self.seeds, self.epochs, self.device, self.workers)
        self.found: dict[str, dict[str, Any]] = {}  # settings of single models, chosen on validation
        self.task.observe(lambda _: self._keep_together(self.graph), "value")
        self.graph.observe(lambda _: self._keep_together(self.task), "value")
        for control in (self.task, self.graph, *self.settings):  # first, so that the change is told without them
            control.observe(lambda _: None if self._quiet else self.found.clear(), "value")
        for control in (*rest, *self.settings, *self.models.values()):
            control.observe(lambda _: self.changed(), "value")

    # ---- from code ----------------------------------------------------------------------------

    def choose(
        self,
        graph: str | Graph | Task,
        task: str | None,
        models: Iterable[str] | None,
        numbers: Mapping[str, Any],
        settings: Mapping[str, Any],
    ) -> None:
        """Sets the controls from a board's arguments; ``numbers`` are seeds, epochs, device and workers."""
        if isinstance(task, Task) or (isinstance(graph, Task) and task is not None):
            raise ParameterError("A task of your own has its graph: give it alone, as TrainingBoard(task).")
        if isinstance(graph, Task):
            self._use_task(graph)
        else:
            if isinstance(graph, Graph):
                self.use(graph)
            else:
                load(graph)
                _offer(self.graph, graph, graph)
            self.task.value = one_of("task", task, TASKS) if task else self._usual_task()
        for model in [name for name, entry in MODELS.items() if entry.usual] if models is None else models:
            self.models[one_of("model", model, MODELS)].value = True
        for name, number in (("seeds", self.seeds), ("epochs", self.epochs)):
            value = numbers[name]
            if isinstance(value, bool) or not isinstance(value, int) or not number.min <= value <= number.max:
                raise ParameterError(f"{name} must be a whole number from {number.min} to {number.max}, not {value!r}.")
            number.value = value
        _offer(self.device, f"{numbers['device']}: not found here", numbers["device"])
        _offer(self.workers, f"{numbers['workers']} at a time, in processes", numbers["workers"])
        for name, setting in settings.items():
            self.set_hyper(name, setting)

    def set_hyper(self, name: str, value: Any) -> None:
        """Sets a hyperparameter; a value that the menu lacks is added to it."""
        menus = {**self.hyper, "learning_rate": self.rate}
        _offer(menus[one_of("setting", name, menus)], f"{value:g}" if isinstance(value, float) else str(value), value)

    def use(self, graph: Graph) -> None:
        """Offers a graph that load does not know, and chooses it."""
        same = (key for key, known in self.own.items() if known.digest() == graph.digest())  # perhaps with labels now
        key = next(same, f"{OWN} {len(self.own) + 1}")
        self.own[key] = graph
        offered = [
            (f"{own.title or name} · {own.num_nodes:,} nodes, {own.num_edges:,} edges", name)
            for name, own in self.own.items()
        ]
        before = self.graph.value
        self._quiet = True
        try:
            self.graph.options = [*self._known, *offered]
            self.graph.value = before
        finally:
            self._quiet = False
        if before == key:
            self.changed()
        self.graph.value = key

    def _use_task(self, task: Task) -> None:
        """Offers a task of one's own, and chooses it with its graph."""
        self.given = task
        self._place = name_of(task.full_graph, labels=False)
        if self._place not in [name for _, name in self._known]:
            self.use(task.full_graph)
            self._place = self.graph.value
        _offer(self.task, f"{task.kind} (p = {task.p}), your own", OWN_TASK)

    def _keep_together(self, follower: W.Dropdown) -> None:
        """A task of one's own is of one graph: with it comes its graph, and with another graph goes the task."""
        if not self._quiet and self.task.value == OWN_TASK and self.graph.value != self._place:
            self._set({follower: self._place if follower is self.graph else self._usual_task()})

    def _usual_task(self) -> str:
        return "links" if self.current().labels is None else "roles"

    def current(self) -> Graph:
        """The chosen graph."""
        return self.find(str(self.graph.value))

    def find(self, name: str) -> Graph:
        """A graph of the menu."""
        return self.own[name] if name in self.own else load(name)

    def turn_to(self, run: Run, plan: Plan) -> None:
        """Chooses the task and graph of a run, unless the plan has them; tells nobody."""
        if (run.task, run.digest) == (plan.task, plan.digest):
            return
        self.found = {}
        if run.digest == digest_of(plan.graph, run.task):
            self._set({self.task: run.task})
        elif run.catalogue in [value for _, value in self.graph.options]:
            self._set({self.task: run.task, self.graph: run.catalogue})
        else:
            raise ParameterError(
                f"The file holds runs of {run.task} on {run.graph}, and this graph is not in the menu; choose it above "
                "under “Own graph…” first, then open the file."
            )

    def use_own(self, found: Mapping[str, Mapping[str, Any]]) -> None:
        """Settings for single models, in place of those for all, until another value is chosen for all."""
        self._set({menu: "" for menu in self.hyper.values()})
        self.found = {model: dict(settings) for model, settings in found.items() if settings}
        self.changed()

    def our_values(self) -> None:
        """Each model's own hyperparameters and optimiser, and few seeds and epochs."""
        self.found = {}
        usual = {self.seeds: USUAL["seeds"], self.epochs: USUAL["epochs"]}
        self._set({menu: "" for menu in self.settings} | usual)
        self.changed()

    def paper_values(self) -> None:
        """The paper's optimiser and seeds, values within its ranges, and epochs enough for its small steps."""
        self.found = {}
        menus = {menu: _PAPER[name] for name, menu in self.hyper.items()}
        learning = {self.rate: PAPER_RATE, self.optimiser: "sgd", self.batch: "", self.patience: "never"}
        self._set(menus | learning | {self.seeds: MOST_SEEDS, self.epochs: PAPER_EPOCHS})
        self.changed()

    def _set(self, values: Mapping[W.Widget, Any]) -> None:
        """Sets many controls, without a word."""
        self._quiet = True
        try:
            for control, value in values.items():
                control.value = value
        finally:
            self._quiet = False

    # ---- what is chosen -----------------------------------------------------------------------

    def changed(self) -> None:
        """Another value was chosen."""
        if self._quiet:
            return
        for name, check in self.models.items():
            check.disabled = not self._fits(name)
        self._show_own_values()
        self._act()

    def _show_own_values(self) -> None:
        """What "each model's own" stands for, of the models that are chosen."""
        kinds = [MODELS[model].load() for model in self.chosen()]
        for name, menu in (*self.hyper.items(), ("learning_rate", self.rate)):
            hypers = [{**kind.HYPER, "learning_rate": kind.RATE}.get(name) for kind in kinds if kind.learns]
            defaults = (hyper.default_for(self.p) for hyper in hypers if hyper is not None)
            values = dict.fromkeys(f"{one:g}" if isinstance(one, float) else str(one) for one in defaults)
            label = f"each model's own: {', '.join(values)}" if values else _OWN_DEFAULT[0]
            if menu.options[0][0] != label:
                kept = menu.value
                self._quiet = True
                try:
                    menu.options = [(label, ""), *menu.options[1:]]
                    menu.value = kept
                finally:
                    self._quiet = False

    def chosen(self) -> list[str]:
        """The chosen models that take the task's sets."""
        return [name for name, check in self.models.items() if check.value and self._fits(name)]

    def _fits(self, model: str) -> bool:
        return MODELS[model].takes(self.p)

    @property
    def p(self) -> int:
        """Nodes in a target set of the chosen task."""
        return self.given.p if self.given and self.task.value == OWN_TASK else TASKS[self.task.value].p

    def plan(self) -> Plan:
        """What is chosen, not yet checked."""
        given = self.given if self.task.value == OWN_TASK else None
        name = "" if given or self.graph.value in self.own else str(self.graph.value)
        graph, task = (given.full_graph, given.kind) if given else (self.current(), self.task.value)
        models = self.chosen()
        known = {key for model in models for key in MODELS[model].load().HYPER}
        hyper = {key: control.value for key, control in self.hyper.items() if control.value != "" and key in known}
        options = {
            **({"optimizer": "sgd"} if self.optimiser.value == "sgd" else {}),
            **({"batch_size": self.batch.value, "learning_rate": "scaled"} if self.batch.value else {}),
            **({"learning_rate": self.rate.value} if self.rate.value != "" else {}),
            **({"patience": None} if self.patience.value == "never" else {}),
        }
        numbers = (self.seeds.value, self.epochs.value, self.device.value)
        found = {model: settings for model, settings in self.found.items() if model in models}
        return Plan(graph, task, models, *numbers, hyper, options, name, found, given)


def _menu(label: str, options: Sequence[Any]) -> W.Dropdown:
    return W.Dropdown(description=label, options=options, style={"description_width": "initial"})


def _number(label: str, most: int) -> W.BoundedIntText:
    made = W.BoundedIntText(
        description=label, min=1, max=most, tooltip=f"1 to {most:,}", style={"description_width": "initial"}
    )
    made.add_class("de-number")
    return made


def _offer(menu: W.Dropdown, label: str, value: Any) -> None:
    """Chooses a value of a menu; one that the menu lacks is added to it."""
    if value not in [option[1] for option in menu.options]:
        menu.options = [*menu.options, (label, value)]
    menu.value = value
