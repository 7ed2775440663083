"""Trained models and what they say: scores of the test sets, ROC, confusion, hardest mistakes, sets to ask about."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError, TargetError, whole_number
from ..graphs.distances import inner_distances
from ..graphs.graph import Graph, needs_graph
from ..learn.metrics import auc, average_precision, hits_at, precision_at
from ..learn.task import Task
from .density import density
from .plan import Plan
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
    """A test set judged wrong; ``score`` is that of class 1, with several classes that of the given one.

    ``wrong`` of the ``asked`` seeds whose test sets have it are wrong about it; the rest is of the worst, ``seed``.
    """

    nodes: tuple[int, ...]
    truth: int
    given: int
    score: float
    distance: int
    seed: int = 0
    wrong: int = 1
    asked: int = 1


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
    needs_graph("set_distance", graph)
    rows = [graph.target_set(row) for row in sets]
    sizes = np.array([len(row) for row in rows], dtype=np.int64)
    largest = np.zeros(len(rows), dtype=np.int64)
    for size in np.unique(sizes):
        here = np.flatnonzero(sizes == size)
        between = inner_distances(graph, np.stack([rows[i] for i in here]))
        largest[here] = np.where((between < 0).any(axis=(1, 2)), -1, between.max(axis=(1, 2)))
    return largest


def roc(scored: Scored) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Shares of negatives and of positives above each threshold, from (0, 0) to (1, 1).

    With several classes the mean of their curves, each class against the rest, as the AUC is the mean of theirs.
    """
    labels, said = scored.task.test.labels, scored.probability
    if said.ndim == 1:
        return _roc(said, labels == 1)
    there = [c for c in range(said.shape[1]) if 0 < (labels == c).sum() < len(labels)]
    curves = [_roc(said[:, c], labels == c) for c in there]
    # a step up at x is met from the left and from the right
    x = np.unique(np.concatenate([np.concatenate([x, x - 1e-9]) for x, _ in curves]).clip(0, 1))
    return np.append(0.0, x), np.append(0.0, np.mean([np.interp(x, *curve) for curve in curves], axis=0))


def _roc(scores: NDArray[np.float64], positive: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.diff(scores[order]) != 0, True)  # a tie is one step
    above = np.cumsum(positive[order])[last]
    below = np.cumsum(~positive[order])[last]
    return np.append(0.0, below / max(1, below[-1])), np.append(0.0, above / max(1, above[-1]))


def measures(scored: Scored, k: int, prior: float | None) -> dict[str, float]:
    """What a table of test results holds, from 0 to 1: "AUC" and, of links and triangles, precision where it matters.

    Test sets are half positives; with ``prior``, the share of positives in the graph, each test negative stands for as
    many of the graph as it takes. "Hits@k" is the share of positives above the k-th negative of the test set.
    """
    labels, said = scored.task.test.labels, scored.probability
    if said.ndim > 1:
        per_class = [auc(said[:, c], labels == c) for c in range(said.shape[1])]
        accuracy = float((scored.given == labels).mean())
        return {"accuracy": accuracy, "AUC": float(np.nanmean(per_class))}
    positive = labels == 1
    found = {"AUC": auc(said, positive), "average precision": average_precision(said, positive)}
    if prior is not None:
        each = stands_for(positive, prior)
        found |= {
            "average precision, in the graph": average_precision(said, positive, each),
            f"precision@{k}": precision_at(k, said, positive),
            f"Hits@{k}": hits_at(k, said, positive),
        }
    return found


def stands_for(positive: NDArray[np.bool_], prior: float) -> float:
    """How many negatives of a graph each one of a test set stands for, if each positive stands for itself.

    Examples
    --------
    >>> stands_for(np.array([True, True, False, False]), prior=0.25)
    3.0
    """
    return float(positive.sum() * (1 - prior) / prior / max(1, (~positive).sum()))


def calibration(scored: Scored, prior: float | None, bins: int = 10) -> dict[str, NDArray[np.float64]]:
    """In bins of equally many test sets, by score: mean "score", and the share "observed" of positives.

    With ``prior`` also the share among all sets of the "graph". Several classes: the score of the class that is given,
    and how often it is the right one.
    """
    labels, said = scored.task.test.labels, scored.probability
    positive = labels == 1 if said.ndim == 1 else scored.given == labels
    scores = said if said.ndim == 1 else said.max(axis=1)
    order = np.argsort(scores, kind="stable")
    parts = [part for part in np.array_split(order, bins) if len(part)]
    mean, right = (np.array([column[part].mean() for part in parts]) for column in (scores, positive))
    found = {"score": mean, "observed": right}
    if prior is not None:
        found["graph"] = right / np.maximum(right + (1 - right) * stands_for(positive, prior), 1e-300)
    return found


def confusion(scored: Scored) -> NDArray[np.int64]:
    """How often each class (row) was given as each class (column). [C, C]"""
    counts = np.zeros((scored.task.num_classes, scored.task.num_classes), dtype=np.int64)
    np.add.at(counts, (scored.task.test.labels, scored.given), 1)
    return counts


def hardest(scored: Iterable[Scored], count: int = 10) -> list[Mistake]:
    """The test sets that a model is most wrong about, over its seeds: those wrong most often first, then the worst."""
    asked: Counter[tuple[int, ...]] = Counter()
    wrong: dict[tuple[int, ...], list[tuple[float, Mistake]]] = {}
    for judged in scored:
        test = judged.task.test
        sure = judged.probability if judged.probability.ndim == 1 else judged.probability.max(axis=1)
        sets = [tuple(row) for row in test.sets.tolist()]
        asked.update(sets)
        labels, given, distance = test.labels.tolist(), judged.given.tolist(), judged.distance.tolist()
        for i in np.flatnonzero(judged.given != test.labels).tolist():
            told = Mistake(sets[i], labels[i], given[i], float(sure[i]), distance[i], judged.task.seed)
            wrong.setdefault(sets[i], []).append((float(judged.of_truth[i]), told))
    worst = [(len(times), *min(times, key=lambda time: time[0])) for times in wrong.values()]
    worst.sort(key=lambda told: (-told[0], told[1]))
    most = whole_number("count", count, least=1)
    return [replace(told, wrong=often, asked=asked[told.nodes]) for often, _, told in worst[:most]]


class Shelf:
    """The models of a plan's task and graph, opened from the files in ``folder``, each once, with their tasks."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self.plan, self.folder = plan, folder
        self.kind, self.digest = plan.task, plan.digest
        self._tasks: dict[int, Task] = {}
        self._models: dict[str, SetNet] = {}
        self._scored: dict[str, Scored] = {}
        self._distances: dict[int, NDArray[np.int64]] = {}  # by seed
        self._lock = threading.Lock()

    def task(self, seed: int) -> Task:
        """The task with the split of this seed."""
        if seed not in self._tasks:
            self._tasks[seed] = self.plan.make_task(seed)
        return self._tasks[seed]

    @cached_property
    def density(self) -> float | None:
        """The share of positives among all sets of the graph, see :func:`degnn_explore.studies.density.density`."""
        return density(self.task(0))

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
        from ..learn.predicting import predict

        with self._lock:  # the board's thread and a click may ask for the same at once
            if run.key not in self._scored:
                task = self.task(run.seed)
                if run.seed not in self._distances:
                    self._distances[run.seed] = set_distance(task.graph, task.test.sets)
                said = predict(self.model(run), task.graph, list(task.test.sets))
                self._scored[run.key] = Scored(task, said, self._distances[run.seed])
            return self._scored[run.key]

    def of_seed(self, runs: Iterable[Run], seed: int) -> dict[str, Run]:
        """The latest run of each model on this graph with this seed whose model file is there."""
        return {
            run.model: run
            for run in finished(runs)
            if run.seed == seed and (run.task, run.digest) == (self.kind, self.digest)
            if run.model_file and (self.folder / run.model_file).is_file()
        }

    def ask(
        self, runs: Iterable[Run], S: Iterable[int], seed: int = 0, graph: Graph | None = None
    ) -> dict[str, NDArray[np.float64] | ParameterError]:
        """Each model's probability for the set S, on the graph that it was trained on or on another.

        [1] for two classes, [1, C] for more; or why it cannot judge that graph.
        """
        from ..learn.predicting import predict

        nodes, p = list(S), self.plan.p
        if len(nodes) != p:
            raise TargetError(f"These models judge sets of {p} node{'s' if p > 1 else ''}; {len(nodes)} are picked.")
        answers: dict[str, NDArray[np.float64] | ParameterError] = {}
        for name, run in self.of_seed(runs, seed).items():
            try:
                answers[name] = predict(self.model(run), graph or self.task(seed).graph, [nodes], device="cpu")
            except ParameterError as error:  # a transductive model knows one graph alone
                answers[name] = error
        return answers
