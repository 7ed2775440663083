"""What trained models get right and wrong: scores of test sets, confusion, hardest mistakes, any set."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError, TargetError, check_int
from ..graphs.distances import inner_distances
from ..graphs.graph import Graph, needs_graph
from ..learn.tasks import Task
from .race import RaceSetup
from .runs import Run, finished

if TYPE_CHECKING:
    from ..learn.nets.base import SetNet


@dataclass(frozen=True)
class Scored:
    """A model's predictions for the test sets of a task.

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
        """The predicted class of each set. [k]"""
        if self.probability.ndim == 1:
            return (self.probability > 0.5).astype(np.int64)
        return self.probability.argmax(axis=1)

    @property
    def of_truth(self) -> NDArray[np.float64]:
        """The probability of the true class. [k]"""
        labels = self.task.test.labels
        if self.probability.ndim == 1:
            return np.where(labels == 1, self.probability, 1 - self.probability)
        return np.asarray(self.probability[np.arange(len(labels)), labels])


@dataclass(frozen=True)
class Mistake:
    """A test set with a wrong prediction; ``score`` is that of class 1, with several classes that of the given one.

    ``asked`` seeds have the set in their test sets and ``wrong`` of them are wrong; the other values are those of the
    worst, ``seed``.
    """

    nodes: tuple[int, ...]
    truth: int
    given: int
    score: float
    distance: int
    seed: int
    wrong: int
    asked: int


def set_distance(graph: Graph, sets: Iterable[Sequence[int]]) -> NDArray[np.int64]:
    """Distance between the targets of each set, with the edges inside it cut, as a model sees it.

    Parameters
    ----------
    graph
        The graph; for a task use ``task.graph``, which lacks the held-out links.
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
    needs_graph("set_distance", graph)
    rows = [graph.target_set(row) for row in sets]
    sizes = np.array([len(row) for row in rows], dtype=np.int64)
    largest = np.zeros(len(rows), dtype=np.int64)
    for size in np.unique(sizes):
        here = np.flatnonzero(sizes == size)
        between = inner_distances(graph, np.stack([rows[i] for i in here]))
        largest[here] = np.where((between < 0).any(axis=(1, 2)), -1, between.max(axis=(1, 2)))
    return largest


def confusion(scored: Scored) -> NDArray[np.int64]:
    """How often each class (row) was predicted as each class (column). [C, C]"""
    counts = np.zeros((scored.task.num_classes, scored.task.num_classes), dtype=np.int64)
    np.add.at(counts, (scored.task.test.labels, scored.given), 1)
    return counts


def hardest(scored: Iterable[Scored], count: int = 10) -> list[Mistake]:
    """A model's worst test sets over its seeds: those most often wrong first, then by probability."""
    asked: Counter[tuple[int, ...]] = Counter()
    wrong: dict[tuple[int, ...], list[tuple[float, dict[str, Any]]]] = {}
    for judged in scored:
        test = judged.task.test
        sure = judged.probability if judged.probability.ndim == 1 else judged.probability.max(axis=1)
        sets = [tuple(row) for row in test.sets.tolist()]
        asked.update(sets)
        labels, given, distance = test.labels.tolist(), judged.given.tolist(), judged.distance.tolist()
        for i in np.flatnonzero(judged.given != test.labels).tolist():
            about = {"truth": labels[i], "given": given[i], "score": float(sure[i]), "distance": distance[i],
                     "seed": judged.task.seed}  # fmt: skip
            wrong.setdefault(sets[i], []).append((float(judged.of_truth[i]), about))
    worst = [(len(times), nodes, *min(times, key=lambda time: time[0])) for nodes, times in wrong.items()]
    worst.sort(key=lambda row: (-row[0], row[2]))
    most = check_int("count", count, least=1)
    return [Mistake(nodes, wrong=often, asked=asked[nodes], **about) for often, nodes, _, about in worst[:most]]


class TrainedModels:
    """The models of a race's task and graph, loaded from the files in ``folder`` and cached, with their tasks."""

    def __init__(self, setup: RaceSetup, folder: Path) -> None:
        self.setup, self.folder = setup, folder
        self.kind, self.digest = setup.kind, setup.digest
        self._tasks: dict[int, Task] = {}
        self._models: dict[str, SetNet] = {}
        self._scored: dict[str, Scored] = {}
        self._distances: dict[int, NDArray[np.int64]] = {}  # by seed
        self._lock = threading.Lock()

    def task(self, seed: int) -> Task:
        """The task with the split of this seed."""
        if seed not in self._tasks:
            self._tasks[seed] = replace(self.setup.question, seed=seed).make_task()
        return self._tasks[seed]

    def model(self, run: Run) -> SetNet:
        """The trained model of a run on this task and graph."""
        from ..learn.saving import load_model

        if (run.task, run.digest) != (self.kind, self.digest):
            raise ParameterError(
                f"This run of {run.model} was trained for {run.task} on another graph, or with other "
                "labels; open it with the graph that it is of."
            )
        if run.key not in self._models:
            if not run.model_file:
                raise ParameterError(f"This run of {run.model} has no model file: studies do not keep models.")
            self._models[run.key] = load_model(self.folder / run.model_file)
        return self._models[run.key]

    def scored(self, run: Run) -> Scored:
        """The predictions of the run's model for its test sets."""
        from ..learn.predicting import predict

        with self._lock:  # the board's thread and a click may need the same at once
            if run.key not in self._scored:
                task = self.task(run.seed)
                if run.seed not in self._distances:
                    self._distances[run.seed] = set_distance(task.graph, task.test.sets)
                probability = predict(self.model(run), task.graph, list(task.test.sets))
                self._scored[run.key] = Scored(task, probability, self._distances[run.seed])
            return self._scored[run.key]

    def of_seed(self, runs: Iterable[Run], seed: int) -> dict[str, Run]:
        """The latest run of each model with this seed that has a model file."""
        return {
            run.model: run
            for run in finished(runs)
            if run.seed == seed and (run.task, run.digest) == (self.kind, self.digest)
            if run.model_file and (self.folder / run.model_file).is_file()
        }

    def ask(self, runs: Iterable[Run], S: Iterable[int], seed: int = 0) -> dict[str, NDArray[np.float64]]:
        """Each model's probability for the set S: [1] for two classes, [1, C] for more."""
        from ..learn.predicting import predict

        nodes, p = list(S), self.setup.question.p
        if len(nodes) != p:
            raise TargetError(f"These models judge sets of {p} node{'s' if p > 1 else ''}; {len(nodes)} are picked.")
        graph = self.task(seed).graph
        return {name: predict(self.model(run), graph, [nodes], device="cpu")
                for name, run in self.of_seed(runs, seed).items()}  # fmt: skip
