"""Trained models and what they say: scores of the test sets, ROC, confusion, hardest mistakes, sets to ask about."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError, TargetError, whole_number
from ..graphs.distances import distances
from ..graphs.graph import Graph
from ..learn.tasks import TASKS, Task
from .plan import digest_of
from .records import Run, finished

if TYPE_CHECKING:
    from ..learn.nets.base import SetNet


@dataclass(frozen=True)
class Scored:
    """The test sets of a task as a model judges them; sets and labels are those of ``task.test``.

    Attributes
    ----------
    probability
        Of class 1 [k], or of each class [k, C].
    distance
        Between the targets of each set, see :func:`set_distance`; 0 for one. [k]
    """

    task: Task
    probability: NDArray[np.float64]
    distance: NDArray[np.int64]

    @property
    def given(self) -> NDArray[np.int64]:
        """The class that the model gives each set. [k]"""
        if self.probability.ndim == 1:
            return (self.probability > 0.5).astype(np.int64)
        return self.probability.argmax(axis=1)

    @property
    def of_truth(self) -> NDArray[np.float64]:
        """The probability that the model gives to the true class. [k]"""
        labels = self.task.test.labels
        if self.probability.ndim == 1:
            return np.where(labels == 1, self.probability, 1 - self.probability)
        return np.asarray(self.probability[np.arange(len(labels)), labels])


@dataclass(frozen=True)
class Mistake:
    """A test set judged wrong; ``probability`` is that of class 1, with several classes that of the given one."""

    nodes: tuple[int, ...]
    truth: int
    given: int
    probability: float
    distance: int


def score(model: SetNet, task: Task) -> Scored:
    """The model's judgement of the test sets of the task that it was trained on."""
    from ..learn.predicting import predict

    return Scored(task, predict(model, task.graph, list(task.test.sets)), set_distance(task.graph, task.test.sets))


def set_distance(graph: Graph, sets: Iterable[Sequence[int]]) -> NDArray[np.int64]:
    """Distance between the targets of each set with the edges inside it cut, as a model sees them.

    Parameters
    ----------
    graph
        Where steps are counted; of a task, ``task.graph``, which lacks the held-out links.
    sets
        Target sets, such as ``task.test.sets``.

    Returns
    -------
    int64 array [num_sets]
        The largest distance between two targets of the set; 0 for a single node, -1 where there is no path.

    Examples
    --------
    >>> square = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])
    >>> set_distance(square, [[0, 1], [0, 2]]).tolist()
    [3, 2]
    """
    largest = []
    for row in sets:
        S = graph.target_set(row)
        between = distances(graph, S, cut=True)[:, S] if len(S) > 1 else np.zeros(1)
        largest.append(-1 if (between < 0).any() else int(between.max()))
    return np.array(largest, dtype=np.int64)


def roc(scored: Scored) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Shares of negatives and of positives above each threshold, from (0, 0) to (1, 1); several classes: together."""
    labels = scored.task.test.labels
    if scored.probability.ndim == 1:
        scores, positive = scored.probability, labels == 1
    else:
        scores, positive = scored.probability.ravel(), np.eye(scored.task.num_classes, dtype=bool)[labels].ravel()
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.diff(scores[order]) != 0, True)  # a tie is one step
    above = np.cumsum(positive[order])[last]
    below = np.cumsum(~positive[order])[last]
    return np.append(0.0, below / max(1, below[-1])), np.append(0.0, above / max(1, above[-1]))


def confusion(scored: Scored) -> NDArray[np.int64]:
    """How often each class (row) was given as each class (column). [C, C]"""
    counts = np.zeros((scored.task.num_classes, scored.task.num_classes), dtype=np.int64)
    np.add.at(counts, (scored.task.test.labels, scored.given), 1)
    return counts


def hardest(scored: Scored, count: int = 10) -> list[Mistake]:
    """The test sets that the model is most wrong about, worst first."""
    test = scored.task.test
    wrong = np.flatnonzero(scored.given != test.labels)
    worst = wrong[np.argsort(scored.of_truth[wrong], kind="stable")][: whole_number("count", count, least=1)]
    sure = scored.probability if scored.probability.ndim == 1 else scored.probability.max(axis=1)
    columns = (test.sets, test.labels, scored.given, sure, scored.distance)
    return [Mistake(tuple(nodes), *rest) for nodes, *rest in zip(*(c[worst].tolist() for c in columns), strict=True)]


class Shelf:
    """The models of one task on one graph, opened from the files in ``folder``, each once, with their tasks."""

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
            self._tasks[seed] = TASKS[self.kind].make(self.graph, seed=seed)
        return self._tasks[seed]

    def model(self, run: Run) -> SetNet:
        """The model that a run trained; the run must be one of this task on this graph."""
        from ..learn.saving import load_model

        if (run.task, run.digest) != (self.kind, self.digest):
            raise ParameterError(
                f"This run of {run.model} was trained for {run.task} on another graph, or with other "
                "labels; open it with the graph that it is of."
            )
        if run.key not in self._models:
            if not run.model_file or Path(run.model_file).name != run.model_file:  # it may not lead elsewhere
                raise ParameterError(f"The record names no model file beside it ({run.model_file!r}).")
            self._models[run.key] = load_model(self.folder / run.model_file)
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

        nodes, p = list(S), TASKS[self.kind].p
        if len(nodes) != p:
            raise TargetError(f"These models judge sets of {p} node{'s' if p > 1 else ''}; {len(nodes)} are picked.")
        graph = self.task(seed).graph
        return {
            name: predict(self.model(run), graph, [nodes], device="cpu")
            for name, run in self.of_seed(runs, seed).items()
        }
