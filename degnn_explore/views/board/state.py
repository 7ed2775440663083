"""What a reader has chosen on a Training Board: the question, models, seeds and settings. No widgets."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from ...common.errors import ParameterError, check_choice
from ...graphs.graph import Graph
from ...learn.registry import MODELS, color_of
from ...learn.tasks import TASKS, Task
from ...reading.datasets import as_graph, name_of, offered
from ...studies.race import MOST_SEEDS, RaceSetup

USUAL = {"seeds": 3, "epochs": 40}
MOST_EPOCHS = 10_000
DEFAULT = ""  # of a setting: each model's default
SETTINGS: dict[str, tuple[str, list[Any]]] = {
    "layers": ("Layers", [1, 2, 3, 4]),
    "hidden": ("Hidden units", [20, 32, 50, 80, 100, 200]),
    "dropout": ("Dropout", [0.0, 0.2, 0.5]),
    "max_dist": ("Largest distance", [2, 3, 4, 5]),
    "steps": ("Walk steps", [2, 3, 4, 5]),
    "hops": ("Hops K", [1, 2, 3]),
    "learning_rate": ("Learning rate", [1e-4, 3e-4, 1e-3, 3e-3, 1e-2]),
    "optimizer": ("Optimizer", ["sgd"]),
    "patience": ("Early stop", ["never"]),
    "metric": ("Chosen by", ["auc", "mrr", "hits@10"]),  # where held-out links have negatives of their own
}
_HYPER = ("layers", "hidden", "dropout", "max_dist", "steps", "hops")
_OWN = "own"


class BoardState:
    """The choices of a board, checked; :meth:`setup` is the race that they mean.

    Examples
    --------
    >>> state = BoardState("karate", "links", ["GCN"], seeds=2, epochs=5)
    >>> state.question, state.asked, state.setup().models
    ('links|karate', 'links of karate club', ('GCN',))
    >>> state.update(question="roles|karate", layers=3)
    >>> state.setup().kind, dict(state.setup().settings)
    ('roles', {'layers': 3})
    """

    def __init__(
        self, graph: Any = "celegans", task: str | None = None, models: Iterable[str] | None = None, **chosen: Any
    ) -> None:
        """``chosen``: seeds, epochs, device, workers and settings, where they differ from the usual ones."""
        if isinstance(task, Task) or (isinstance(graph, Task) and task is not None):
            raise ParameterError("A task of your own has its graph: give it alone, as TrainingBoard(task).")
        self._own: dict[str, Graph | Task] = {}  # what load does not know, by its key in the menu
        self._graphs: dict[str, Graph] = {}  # those of the catalog that were opened
        self._catalog: dict[str, tuple[str, int]] = {}
        self.settings: dict[str, Any] = dict.fromkeys(SETTINGS, DEFAULT)
        self.seeds, self.epochs, self.device, self.workers = USUAL["seeds"], USUAL["epochs"], "auto", 1
        self.question = self.ask_about(graph, task)
        usual = [name for name, entry in MODELS.items() if entry.usual and entry.takes(self.p)]
        self.models: list[str] = []
        self.update(models=usual if models is None else list(models), **chosen)
        if os.environ.get("DEGNN_FAST") == "1":
            self.update(seeds=1, epochs=min(self.epochs, 3))

    # ---- choosing -----------------------------------------------------------------------------

    def ask_about(self, graph: Any, task: str | None = None) -> str:
        """Offers a user's graph or task, and gives the key of the question."""
        found = None if isinstance(graph, Task) else as_graph(graph)  # which may download it
        self._catalog = offered()
        if found is None:
            self._own[f"{_OWN} task"] = graph
            return f"task|{_OWN} task"
        name = graph if isinstance(graph, str) and graph in self._catalog else name_of(found)
        if name:
            self._graphs[name] = found
        else:
            name = f"{_OWN} graph"
            self._own[name] = found
        kind = check_choice("task", task, TASKS) if task else "links" if found.labels is None else "roles"
        return f"{kind}|{name}"

    def update(self, **values: Any) -> None:
        """Takes new values, all or none: what does not fit raises an error and changes nothing."""
        checked: dict[str, Any] = {}
        for name, value in values.items():
            if name == "question":
                checked[name] = check_choice("question", value, [key for key, _ in self.questions()])
            elif name == "models":
                checked[name] = [check_choice("model", model, MODELS) for model in dict.fromkeys(value)]
            elif name in ("seeds", "epochs", "workers"):
                checked[name] = _whole(name, value, {"seeds": MOST_SEEDS, "epochs": MOST_EPOCHS, "workers": 64}[name])
            elif name == "device":
                checked[name] = str(value)
            else:
                check_choice("setting", name, SETTINGS)
        for name, value in checked.items():
            setattr(self, name, value)
        self.settings |= {name: value for name, value in values.items() if name in SETTINGS}

    @property
    def values(self) -> dict[str, Any]:
        """All that is chosen, by name."""
        chosen = {name: getattr(self, name) for name in ("question", "seeds", "epochs", "device", "workers")}
        return chosen | {"models": list(self.models)} | self.settings

    # ---- what it means ------------------------------------------------------------------------

    @property
    def task(self) -> str | Task:
        """The task: "roles", "links", "triangles", or a user's own task."""
        kind, _, name = self.question.partition("|")
        own = self._own.get(name)
        return own if isinstance(own, Task) else kind

    @property
    def graph(self) -> Graph:
        """The graph that it is asked about."""
        name = self.question.partition("|")[2]
        own = self._own.get(name)
        if own is not None:
            return own.full_graph if isinstance(own, Task) else own
        if name not in self._graphs:
            self._graphs[name] = as_graph(name)
        return self._graphs[name]

    @property
    def p(self) -> int:
        """Nodes in a target set."""
        task = self.task
        return task.p if isinstance(task, Task) else TASKS[task].p

    @property
    def asked(self) -> str:
        """The question in words, such as "links of C. elegans"."""
        return dict(self.questions())[self.question]

    @property
    def chosen(self) -> list[str]:
        """The chosen models that take sets of p nodes, in the order of the list."""
        return [name for name, entry in MODELS.items() if name in self.models and entry.takes(self.p)]

    def setup(self) -> RaceSetup:
        """The race, not yet checked."""
        known = {key for model in self.chosen for key in MODELS[model].load().HYPER}
        given = {name: value for name, value in self.settings.items() if value != DEFAULT}
        hyper = {name: value for name, value in given.items() if name in _HYPER and name in known}
        options: dict[str, Any] = {n: given[n] for n in ("learning_rate", "optimizer", "metric") if n in given}
        if "patience" in given:
            options["patience"] = None if given["patience"] == "never" else given["patience"]
        return RaceSetup(self.graph, self.task, self.chosen, self.seeds, self.epochs, self.device, hyper, options)

    # ---- what there is to choose from ---------------------------------------------------------

    def questions(self) -> list[tuple[str, str]]:
        """Key and words of each question: the user's own first, then the catalog."""
        own = []
        for name, given in self._own.items():
            if isinstance(given, Task):
                own.append((f"task|{name}", f"{given.kind} of {given.full_graph.title or 'my graph'} (your task)"))
            else:
                own += [(f"{kind}|{name}", f"{kind} of {given.title or 'my graph'}") for kind in _kinds(given.labels)]
        known = [(f"{kind}|{name}", f"{kind} of {title}")
                 for name, (title, labels) in self._catalog.items() for kind in _kinds(labels or None)]  # fmt: skip
        return own + known

    def form(self, known: bool = True) -> dict[str, Any]:
        """The choices for the page; without torch its devices and what "default" stands for are not ``known``."""
        found = [("auto", "auto")]
        if known:
            from ...learn.devices import devices

            found = devices()
        if self.device not in [name for _, name in found]:
            found = [*found, (self.device, self.device)]
        settings = []
        ranks = isinstance(self.task, Task) and self.task.val.ranked is not None
        for name, (label, values) in SETTINGS.items():
            if name == "metric" and not ranks:
                continue
            own = [] if self.settings[name] in (DEFAULT, *values) else [self.settings[name]]
            choices = [[DEFAULT, self._default(name) if known else "default"], *([v, str(v)] for v in [*values, *own])]
            settings.append([name, label, choices])
        return {
            "questions": self.questions(),
            "models": [
                {"name": name, "about": entry.about, "group": entry.group, "color": color_of(name),
                 "fits": entry.takes(self.p)}
                for name, entry in MODELS.items()],
            "settings": settings,
            "devices": [[name, text] for text, name in found],
            "workers": list(range(1, max(2, min(os.cpu_count() or 2, 16), self.workers) + 1)),
        }  # fmt: skip

    def _default(self, name: str) -> str:
        """What "default" stands for, of the chosen models."""
        words = {"optimizer": "Adam", "patience": "30 epochs without gain", "metric": "as the task says"}
        if name in words:
            return f"default ({words[name]})"
        kinds = [MODELS[model].load() for model in self.chosen]
        hypers = [{**kind.HYPER, "learning_rate": kind.RATE}.get(name) for kind in kinds if kind.learns]
        defaults = dict.fromkeys(
            "by the graph" if hyper.from_task else f"{hyper.default_for(self.p):g}" for hyper in hypers if hyper
        )
        return f"default ({', '.join(defaults)})" if defaults else "default"


def _kinds(labels: Any) -> list[str]:
    return [kind for kind in TASKS if kind != "roles" or labels is not None]


def _whole(name: str, value: Any, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise ParameterError(f"{name} must be a whole number from 1 to {most}, not {value!r}.")
    return value
