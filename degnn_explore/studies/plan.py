"""A race before it is run: graph, task, models, seeds and settings, checked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from ..common.errors import GraphError, ParameterError, one_of, whole_number
from ..graphs.graph import Graph
from ..learn.hints import distance_hint
from ..learn.leaks import leaks_of, protocol_of
from ..learn.nets import mark_of
from ..learn.sampling import triangles
from ..learn.tasks import TASKS, Task
from ..reading.catalogue import name_of

if TYPE_CHECKING:
    from ..learn.nets.base import SetNet

MOST_SEEDS = 20
_HOW = ("checkpoint_every", "num_threads")  # options of fit that do not decide what comes out


@dataclass(frozen=True)
class Job:
    """One run of a plan: a model and a seed.

    Of a trial, whose ``rung`` is counted from 1, only what validation says is recorded.
    """

    model: str
    seed: int
    rung: int = 0  # 0: no trial
    keep: bool = True  # the trained model


@dataclass(frozen=True, eq=False)
class Plan:
    """What to race.

    Run s uses seed s for the split, the weights and the order of the sets, so in one seed all models see the same
    split. ``name`` is the one by which :func:`degnn_explore.load` finds the graph; it is found by itself.

    Examples
    --------
    >>> import degnn_explore as de
    >>> plan = Plan(de.load("karate"), "links", ["GCN", "DE-GNN-SPD"], seeds=2, hyper={"max_dist": 4})
    >>> plan.name
    'karate'
    >>> plan.hyper_of("GCN"), plan.hyper_of("DE-GNN-SPD")
    ({}, {'max_dist': 4})
    >>> [(job.model, job.seed) for job in plan.jobs()][:3]
    [('GCN', 0), ('DE-GNN-SPD', 0), ('GCN', 1)]
    """

    graph: Graph
    task: str
    models: Iterable[str]
    seeds: int = 3
    epochs: int = 40  # at most so many a run
    device: str = "auto"
    hyper: Mapping[str, Any] = field(default_factory=dict)  # for every model that has them
    options: Mapping[str, Any] = field(default_factory=dict)  # further arguments of fit
    name: str = ""
    own: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # for one model: its hyperparameters and rate
    given: Task | None = None  # a task of one's own on ``graph``, of this kind; its split is that of every seed
    protocol: str | Iterable[str] = "honest"  # or "paper", or names of leaks; an own task has its own

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", tuple(dict.fromkeys(self.models)))
        object.__setattr__(self, "name", self.name or self._found_name())
        if self.given is not None:
            object.__setattr__(self, "protocol", self.given.protocol)
        elif self.task in TASKS:
            object.__setattr__(self, "protocol", protocol_of(self.leaks, self.task))

    def check(self) -> None:
        """Raise an error, in words, for anything that can be known to fail before the first epoch."""
        from ..learn.devices import choose_device
        from ..learn.nets import MODELS, build
        from ..learn.training import fit

        if self.given is None:
            one_of("task", self.task, TASKS)
        if whole_number("seeds", self.seeds, least=1) > MOST_SEEDS:
            raise ParameterError(f"seeds must be at most {MOST_SEEDS}, not {self.seeds}.")
        whole_number("epochs", self.epochs, least=1)
        if not self.models:
            raise ParameterError("No model is chosen; choose at least one, say GCN and DE-GNN-SPD.")
        for model in self.models:
            one_of("model", model, MODELS)
        choose_device(self.device)
        self._check_options()
        if self.name and self.name != self._found_name():
            raise ParameterError(
                f"name={self.name!r} is not the name of this graph; leave it out, it is found by itself."
            )
        if self.given is None and self.task == "roles" and self.graph.labels is None:
            raise GraphError(
                "role_task needs a label for each node and this graph has none; choose a graph that has "
                "them (us-flights, karate, …), give a file of labels with yours, or add them with "
                "G.with_labels([...])."
            )
        task = self.make_task(0)
        known: set[str] = set()
        for model in self.models:
            built = build(model, task, **self.hyper_of(model))
            known |= set(built.hyper)
            fit(built, task, self.epochs, device=self.device, **self.options_of(model))  # checks, trains nothing
        for name in self.hyper:
            one_of("hyperparameter", name, sorted(known))

    def _found_name(self) -> str:
        """Labels count where the digest counts them, so that equal digests have equal names; an own task has none."""
        if self.given is not None:
            return ""
        return name_of(self.graph, labels=self.task == "roles")

    def _check_options(self) -> None:
        from ..learn.stepping import Learning

        given_elsewhere = ("seed", "epochs", "device", "checkpoint", "stop", "progress", "model", "task")
        for name in self.options:
            if name in given_elsewhere:
                raise ParameterError(
                    f"options may not name {name!r}: the race gives it to each run itself. Leave it "
                    "out; how many seeds and epochs, and the device, are arguments of the plan."
                )
            one_of("option", name, [*(option.name for option in fields(Learning)), *_HOW])

    def make_task(self, seed: int) -> Task:
        """The task with the split of this seed; an own task keeps its split, and bears the seed."""
        if self.given is not None:
            return replace(self.given, seed=seed)
        return TASKS[self.task].make(self.graph, seed=seed, protocol=self.protocol)

    @property
    def leaks(self) -> tuple[str, ...]:
        """What its runs are told that they should not know: nothing, unless a protocol asks for it."""
        return leaks_of(self.protocol, self.task) if self.given is None else self.given.leaks

    @property
    def p(self) -> int:
        """Nodes in a target set."""
        return TASKS[self.task].p if self.given is None else self.given.p

    @property
    def metric(self) -> str:
        """What models are chosen by."""
        return TASKS[self.task].metric if self.given is None else self.given.metric

    def hyper_of(self, model: str) -> dict[str, Any]:
        """The chosen hyperparameters that this model has."""
        from ..learn.nets import MODELS

        entry = MODELS[one_of("model", model, MODELS)]
        known = entry.load().HYPER
        common = {key: value for key, value in self.hyper.items() if key in known and key not in entry.own}
        return common | {key: value for key, value in self.own.get(model, {}).items() if key != "learning_rate"}

    def options_of(self, model: str) -> dict[str, Any]:
        """The further arguments of fit for this model."""
        rate = {key: value for key, value in self.own.get(model, {}).items() if key == "learning_rate"}
        return {**self.options, **rate}

    def settings(self, model: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """Hyperparameters and options of this model's runs in full, defaults and learning rate included.

        A value that is given and is the default is the same setting as one that is not given.
        """
        from ..learn.nets import MODELS
        from ..learn.stepping import Learning

        kind: type[SetNet] = MODELS[one_of("model", model, MODELS)].load()
        p, given = self.p, self.hyper_of(model)
        hyper = {key: one.checked(key, given.get(key, one.default_for(p))) for key, one in kind.HYPER.items()}
        if not kind.learns:
            return hyper, {}
        learning = Learning(**{key: value for key, value in self.options_of(model).items() if key not in _HOW})
        return hyper, {"epochs": self.epochs, **learning.with_rate(kind.RATE.default_for(p)).said()}

    def hint(self) -> str:
        """A sentence if the largest distance that a model tells apart leaves out many positives; else ""."""
        given = {int(self.settings(model)[0].get("max_dist") or 0) for model in self.models}
        told = (_hint(self.given or self.graph, self.task, most) for most in sorted(given) if most)
        return next(filter(None, told), "")

    def jobs(self) -> list[Job]:
        """All runs, seed by seed, so that every model has a first result early."""
        return [Job(model, seed) for seed in range(self.seeds) for model in self.models]

    def key(self, job: Job) -> str:
        """Names a run: equal for equal graph, task, model, settings and seed; of a user's model, for equal code."""
        parts: list[Any] = [self.digest, self.task, job.model, job.seed, *self.settings(job.model)]
        parts += [mark] if (mark := mark_of(job.model)) else []
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:20]

    @cached_property
    def digest(self) -> str:
        """Names what the runs are about, see :func:`digest_of`."""
        if self.given is not None:
            return self.given.digest()[:32]
        return digest_of(self.graph, self.task, self.leaks)

    @property
    def title(self) -> str:
        """The graph's name: the one that load knows, else its title."""
        return self.name or self.graph.title or "my graph"


@lru_cache(maxsize=16)
def _hint(about: Graph | Task, task: str, max_dist: int) -> str:
    if isinstance(about, Task):
        return distance_hint(about.graph, about.train.sets[about.train.labels == 1], max_dist)
    graph = about
    positives = {"links": lambda: graph.edges, "triangles": lambda: triangles(graph)}
    return distance_hint(graph, positives[task](), max_dist) if task in positives else ""


def digest_of(graph: Graph, task: str, leaks: tuple[str, ...] = ()) -> str:
    """Names what runs are about: the same for the same edges and attributes, for roles the same labels; and leaks."""
    digest = graph.digest(labels=task == "roles")
    return (hashlib.sha256(" ".join([digest, *leaks]).encode()).hexdigest() if leaks else digest)[:32]
