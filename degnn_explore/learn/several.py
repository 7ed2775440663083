"""Several tasks of one kind as one: their graphs stand side by side, and nothing passes from one to the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError, shown
from ..graphs.columns import digest_of
from ..graphs.graph import Graph
from .metrics import metrics
from .task import Split, Task


@dataclass(frozen=True, eq=False, repr=False)
class JoinedTask(Task):
    """The tasks of a list as one on the union of their graphs; metrics are those of each task, averaged."""

    tasks: tuple[Task, ...] = ()

    def digest(self) -> str:
        """Of the list: which sets are judged together counts."""
        return digest_of(*(np.frombuffer(task.digest().encode(), np.uint8) for task in self.tasks))

    def __repr__(self) -> str:
        return f"{len(self.tasks)} tasks as one: {super().__repr__()}"


def as_one(caller: str, task: Any) -> Task:
    """A task as it is; a list of several as a :class:`JoinedTask`; of one as that one.

    Examples
    --------
    >>> import degnn_explore as de
    >>> karate, ring = de.load("karate"), de.Graph.from_edges([(i, (i + 1) % 30) for i in range(30)])
    >>> as_one("fit", [de.link_task(karate), de.link_task(ring)])
    2 tasks as one: Task(links, p=2, 172 training, 22 validation, 22 test sets, 2 classes, chosen by auc)
    """
    if isinstance(task, Task):
        return task
    listed = list(task) if isinstance(task, list | tuple) else []
    odd = next((one for one in listed if not isinstance(one, Task)), None)
    if not listed or odd is not None:
        given = type(task if odd is None else odd).__name__
        raise ParameterError(f"{caller} needs a task, such as de.link_task(G), or a list of tasks, not {given}.")
    if len(listed) == 1:
        return listed[0]
    if leaking := [one.protocol for one in listed if one.leaks]:
        raise ParameterError(
            f"Tasks that are learnt together are honest, and one has the protocol {leaking[0]!r}; fit that alone."
        )
    first = _said(listed[0])
    for number, one in enumerate(listed[1:], start=2):
        for what, value in _said(one).items():
            if value != first[what]:
                raise ParameterError(
                    f"Tasks that are learnt together are of one kind: the {what} of the first task is "
                    f"{shown(first[what])}, of task {number} {shown(value)}."
                )
    return _joined(listed)


def _said(task: Task) -> dict[str, Any]:
    """What must be the same for one model to learn several tasks."""
    attributes = task.graph.attributes
    return {
        "kind": task.kind,
        "set size p": task.p,
        "number of classes": task.num_classes,
        "class labels": list(task.classes),
        "class names": task.class_names,
        "metric": task.metric,
        "number of attribute columns": 0 if attributes is None else attributes.shape[1],
    }


def _joined(tasks: Sequence[Task]) -> JoinedTask:
    first, shift = tasks[0], np.cumsum([0, *(task.graph.num_nodes for task in tasks)])

    def part(name: str) -> Split:
        splits = [getattr(task, name) for task in tasks]
        sets = [split.sets + begin for split, begin in zip(splits, shift, strict=False)]
        return Split(np.concatenate(sets), np.concatenate([split.labels for split in splits]))

    return JoinedTask(
        _union([task.graph for task in tasks]),
        _union([task.full_graph for task in tasks]),
        first.kind,
        first.p,
        first.num_classes,
        first.metric,
        part("train"),
        part("val"),
        part("test"),
        first.seed,
        first.classes,
        first.names,
        tasks=tuple(tasks),
    )


def _union(graphs: Sequence[Graph]) -> Graph:
    """The graphs side by side, nodes numbered on."""
    shift = np.cumsum([0, *(graph.num_nodes for graph in graphs)])
    edges = [graph.edges + begin for graph, begin in zip(graphs, shift, strict=False)]
    columns = [graph.attributes for graph in graphs if graph.attributes is not None]
    attributes = np.concatenate(columns) if columns else None
    return Graph.from_edges(np.concatenate(edges), int(shift[-1]), attributes=attributes)


def measured(task: Task, part: str, logits: NDArray[Any], labels: NDArray[np.int64]) -> dict[str, float]:
    """The metrics of a part of a task, its sets in order; of several tasks, the mean of each one's."""
    if not isinstance(task, JoinedTask):
        return metrics(logits, labels)
    ends = np.cumsum([len(getattr(one, part)) for one in task.tasks])[:-1]
    each = [metrics(*some) for some in zip(np.split(logits, ends), np.split(labels, ends), strict=True)]
    known = {key: [one[key] for one in each if not np.isnan(one[key])] for key in each[0]}
    return {key: float(np.mean(values)) if values else float("nan") for key, values in known.items()}
