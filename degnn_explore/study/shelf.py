"""Trained models to ask: opened from the files beside the results, each once, with the task they were trained on."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError, TargetError
from ..graphs.graph import Graph
from ..learn.tasks import Task
from .judged import Scored, open_model, score
from .plan import TARGET_SIZE, TASKS, digest_of
from .records import Run, finished

if TYPE_CHECKING:
    from ..learn.nets.base import SetNet

__all__ = ["Shelf"]


class Shelf:
    """The models of one task on one graph.

    Parameters
    ----------
    graph, task
        As in :class:`degnn_explore.study.plan.Plan`.
    folder
        Where the model files are.

    Examples
    --------
    >>> import tempfile, degnn_explore as de
    >>> from degnn_explore.study.plan import Plan
    >>> from degnn_explore.study.race import Race
    >>> G = de.load("karate")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     race = Race(Plan(G, "links", ["GCN"], seeds=1, epochs=2), f"{folder}/karate.jsonl")
    ...     race.start()
    ...     done = race.wait()
    ...     answers = Shelf(G, "links", race.models_folder).ask(race.results(), [0, 1])
    >>> [(model, p.shape) for model, p in answers.items()]
    [('GCN', (1,))]
    """

    def __init__(self, graph: Graph, task: str, folder: Path) -> None:
        self.graph, self.kind, self.folder = graph, task, folder
        self.digest = digest_of(graph, task)
        self._tasks: dict[int, Task] = {}
        self._models: dict[str, SetNet] = {}
        self._scored: dict[str, Scored] = {}
        self._lock = threading.Lock()

    def task(self, seed: int) -> Task:
        """The task with the split of this seed."""
        if seed not in self._tasks:
            self._tasks[seed] = TASKS[self.kind](self.graph, seed=seed)
        return self._tasks[seed]

    def model(self, run: Run) -> SetNet:
        """The model that a run trained; the run must be one of this task on this graph."""
        if (run.task, run.digest) != (self.kind, self.digest):
            raise ParameterError(
                f"This run of {run.model} was trained for {run.task} on another graph, or with other "
                "labels; open it with the graph that it is of."
            )
        if run.key not in self._models:
            self._models[run.key] = open_model(self.folder, run.model_file)
        return self._models[run.key]

    def scored(self, run: Run) -> Scored:
        """The run's judgement of its test sets."""
        with self._lock:  # the board's thread and a click may ask for the same at once
            if run.key not in self._scored:
                self._scored[run.key] = score(self.model(run), self.task(run.seed))
            return self._scored[run.key]

    def of_seed(self, runs: Iterable[Run], seed: int) -> dict[str, Run]:
        """The latest run of each model on this graph with this seed whose model file is there."""
        return {
            run.model: run
            for run in finished(runs)
            if run.seed == seed and (run.task, run.digest) == (self.kind, self.digest)
            if run.model_file and (self.folder / run.model_file).is_file()
        }

    def ask(self, runs: Iterable[Run], S: Iterable[int], seed: int = 0) -> dict[str, NDArray[np.float64]]:
        """Each model's probability for the set S, on the graph that it was trained on.

        [1] for two classes, [1, C] for more.
        """
        from ..learn.predicting import predict

        nodes, p = list(S), TARGET_SIZE[self.kind]
        if len(nodes) != p:
            raise TargetError(f"These models judge sets of {p} node{'s' if p > 1 else ''}; {len(nodes)} are picked.")
        graph = self.task(seed).graph
        return {
            name: predict(self.model(run), graph, [nodes], device="cpu")
            for name, run in self.of_seed(runs, seed).items()
        }
