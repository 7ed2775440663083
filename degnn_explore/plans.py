"""A race before it is run: graph, task, models, seeds and settings, checked; and the Python that repeats it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .errors import GraphError, ParameterError, one_of, whole_number
from .graph import Graph
from .targets import Task, link_task, role_task, triangle_task

__all__ = ["TASKS", "Job", "Plan"]

TASKS = {"roles": role_task, "links": link_task, "triangles": triangle_task}
TARGET_SIZE = {"roles": 1, "links": 2, "triangles": 3}
MOST_SEEDS = 20
_SAME_NAME_OTHER_MEANING = {"SEAL": {"hops"}}  # hops of its subgraph, not of its aggregation
_MADE_FROM = {"roles": "role_task", "links": "link_task", "triangles": "triangle_task"}


@dataclass(frozen=True)
class Job:
    """One run of a plan: a model and a seed."""

    model: str
    seed: int


@dataclass(frozen=True, eq=False)
class Plan:
    """What to race.

    Parameters
    ----------
    graph
        The graph.
    task
        "roles" (needs labels), "links" or "triangles".
    models
        Names from :func:`degnn_explore.models`.
    seeds
        How many, 1 to 20: run s uses seed s for the split, the weights and the order of the sets, so in one seed
        all models see the same split.
    epochs
        At most so many a run.
    device
        As in :func:`degnn_explore.fit`.
    hyper
        Hyperparameters for every model that has them; the others keep their defaults.
    options
        More arguments of :func:`degnn_explore.fit`, such as learning_rate.
    name
        The name by which :func:`degnn_explore.load` finds the graph, or "" for another.

    Examples
    --------
    >>> import degnn_explore as de
    >>> plan = Plan(de.load("karate"), "links", ["GCN", "DE-GNN-SPD"], seeds=2, hyper={"max_dist": 4}, name="karate")
    >>> plan.hyper_of("GCN"), plan.hyper_of("DE-GNN-SPD")
    ({}, {'max_dist': 4})
    >>> [(job.model, job.seed) for job in plan.jobs()][:3]
    [('GCN', 0), ('DE-GNN-SPD', 0), ('GCN', 1)]
    """

    graph: Graph
    task: str
    models: Iterable[str]
    seeds: int = 3
    epochs: int = 40
    device: str = "auto"
    hyper: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", tuple(dict.fromkeys(self.models)))

    def check(self) -> None:
        """Raise an error, in words, for anything that can be known to fail before the first epoch."""
        from .judging import choose_device
        from .nets import MODELS, build
        from .training import fit

        one_of("task", self.task, TASKS)
        if whole_number("seeds", self.seeds, least=1) > MOST_SEEDS:
            raise ParameterError(f"seeds must be at most {MOST_SEEDS}, not {self.seeds}.")
        whole_number("epochs", self.epochs, least=1)
        if not self.models:
            raise ParameterError("No model is chosen; choose at least one, say GCN and DE-GNN-SPD.")
        for model in self.models:
            one_of("model", model, MODELS)
        choose_device(self.device)
        if self.task == "roles" and self.graph.labels is None:
            raise GraphError("role_task needs a label for each node and this graph has none; choose a graph that has "
                             "them (us-flights, karate, …), give a file of labels with yours, or add them with "
                             "G.with_labels([...]).")
        task = self.make_task(0)
        known: set[str] = set()
        for model in self.models:
            built = build(model, task, **self.hyper_of(model))
            known |= set(built.hyper)
            fit(built, task, self.epochs, device=self.device, **self.options)  # checks its arguments, trains nothing
        for name in self.hyper:
            one_of("hyperparameter", name, sorted(known))

    def make_task(self, seed: int) -> Task:
        """The task with the split of this seed."""
        return TASKS[self.task](self.graph, seed=seed)

    def hyper_of(self, model: str) -> dict[str, Any]:
        """The chosen hyperparameters that this model has."""
        from .nets import MODELS

        kind = MODELS[one_of("model", model, MODELS)].load()
        skipped = _SAME_NAME_OTHER_MEANING.get(model, set())
        return {key: value for key, value in self.hyper.items() if key in kind.HYPER and key not in skipped}

    def jobs(self) -> list[Job]:
        """All runs, seed by seed, so that every model has a first result early."""
        return [Job(model, seed) for seed in range(self.seeds) for model in self.models]

    def key(self, job: Job) -> str:
        """Names a run: equal for equal graph, task, model, settings and seed."""
        parts = [self._graph_digest, self.task, job.model, job.seed, self.epochs, self.hyper_of(job.model),
                 dict(self.options)]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:20]

    @cached_property
    def _graph_digest(self) -> str:
        graph = self.graph
        content = hashlib.sha256(graph.indptr.astype("<i8").tobytes() + graph.indices.astype("<i8").tobytes())
        for column in (graph.labels, graph.attributes):
            content.update(b"-" if column is None else str(column.dtype).encode() + column.tobytes())
        return content.hexdigest()

    @property
    def title(self) -> str:
        """The graph's name: the one that load knows, else its title."""
        return self.name or self.graph.title or "my graph"

    def code(self) -> str:
        """Python that repeats the runs without the board, to paste.

        Examples
        --------
        >>> import degnn_explore as de
        >>> print(Plan(de.load("karate"), "roles", ["GCN"], seeds=1, epochs=5, name="karate").code())
        import degnn_explore as de
        <BLANKLINE>
        G = de.load("karate")
        hyper = {"GCN": {}}
        for seed in range(1):
            task = de.role_task(G, seed=seed)
            for name in hyper:
                model = de.build(name, task, seed=seed, **hyper[name])
                run = list(de.fit(model, task, epochs=5, seed=seed, device="auto"))
                print(name, seed, de.summarise(run))
        """
        graph = f"de.load({_text(self.name)})" if self.name else 'de.read_graph("...")  # your graph'
        hyper = "{" + ", ".join(f"{_text(m)}: {self.hyper_of(m)!r}" for m in self.models) + "}"
        more = "".join(f", {key}={value!r}" for key, value in self.options.items())
        return "\n".join([
            "import degnn_explore as de", "", f"G = {graph}", f"hyper = {hyper}", f"for seed in range({self.seeds}):",
            f"    task = de.{_MADE_FROM[self.task]}(G, seed=seed)", "    for name in hyper:",
            "        model = de.build(name, task, seed=seed, **hyper[name])",
            f"        run = list(de.fit(model, task, epochs={self.epochs}, seed=seed, device={_text(self.device)}"
            f"{more}))",
            "        print(name, seed, de.summarise(run))"])


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
