"""Looking into a trained model: scores of the test sets, ROC, confusion, hardest mistakes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError, whole_number
from ..graphs.distances import distances
from ..graphs.graph import Graph
from ..learn.tasks import Task

if TYPE_CHECKING:
    from ..learn.nets.base import SetNet

__all__ = ["Mistake", "Scored", "confusion", "hardest", "roc", "score", "set_distance"]


@dataclass(frozen=True)
class Scored:
    """The test sets of a task as a model judges them.

    Attributes
    ----------
    task
        The task; sets and labels are those of ``task.test``.
    probability
        Of class 1 [k], or of each class [k, C].
    distance
        Between the targets of each set, edges inside it cut: for three the largest; -1 unreachable, 0 for one. [k]
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
    """The model's judgement of the test sets.

    Parameters
    ----------
    model
        A trained model.
    task
        The task, with the split that the model was trained on.

    Examples
    --------
    >>> import degnn_explore as de
    >>> task = de.link_task(de.load("karate"))
    >>> score(de.build("GCN", task), task).probability.shape
    (16,)
    """
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
    found = []
    for row in sets:
        S = [int(v) for v in row]
        if len(S) == 1:
            found.append(0)
            continue
        between = distances(graph, S, cut=True)[:, S]
        found.append(-1 if (between < 0).any() else int(between.max()))
    return np.array(found, dtype=np.int64)


def roc(scored: Scored) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Shares of negatives and of positives above each threshold, from (0, 0) to (1, 1); several classes: all together.

    Examples
    --------
    >>> import degnn_explore as de
    >>> task = de.link_task(de.load("karate"))
    >>> x, y = roc(score(de.build("GCN", task), task))
    >>> float(x[0]), float(y[-1])
    (0.0, 1.0)
    """
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
    """How often each class (row) was given as each class (column). [C, C]

    Examples
    --------
    >>> import degnn_explore as de
    >>> task = de.role_task(de.load("karate"))
    >>> int(confusion(score(de.build("GCN", task), task)).sum()) == len(task.test)
    True
    """
    counts = np.zeros((scored.task.num_classes, scored.task.num_classes), dtype=np.int64)
    np.add.at(counts, (scored.task.test.labels, scored.given), 1)
    return counts


def hardest(scored: Scored, count: int = 10) -> list[Mistake]:
    """The test sets that the model is most wrong about, worst first.

    Examples
    --------
    >>> import degnn_explore as de
    >>> task = de.link_task(de.load("karate"))
    >>> worst = hardest(score(de.build("GCN", task), task), 3)
    >>> all(mistake.truth != mistake.given for mistake in worst)
    True
    """
    test = scored.task.test
    wrong = np.flatnonzero(scored.given != test.labels)
    worst = wrong[np.argsort(scored.of_truth[wrong], kind="stable")][: whole_number("count", count, least=1)]
    sure = scored.probability if scored.probability.ndim == 1 else scored.probability.max(axis=1)
    return [
        Mistake(
            tuple(int(v) for v in test.sets[i]),
            int(test.labels[i]),
            int(scored.given[i]),
            float(sure[i]),
            int(scored.distance[i]),
        )
        for i in worst
    ]


def open_model(folder: Path, file: str) -> SetNet:
    """A model of a results file's folder; the name may not lead elsewhere."""
    from ..learn.saving import load_model

    if not file or Path(file).name != file:
        raise ParameterError(f"The record names no model file beside it ({file!r}).")
    return load_model(folder / file)
