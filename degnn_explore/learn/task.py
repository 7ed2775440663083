"""A task: labelled target sets of one size on one graph, in three parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.features import DegreesAsGiven
from ..graphs.columns import digest_of
from ..graphs.graph import Graph
from .leaks import protocol_of
from .sampling import Ints


@dataclass(frozen=True, eq=False)
class Split:
    """Target sets with their labels: ``sets`` int64 [k, p], ``labels`` int64 [k]."""

    sets: Ints
    labels: Ints

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True, eq=False, repr=False)
class Task:
    """What to learn: labelled target sets of one size p on one graph, in three parts.

    Attributes
    ----------
    graph
        The graph that everything is computed from: the edges of validation and test positives
        are not in it.
    full_graph
        The graph as given.
    kind
        "roles", "links", "triangles" or "sets".
    p
        Nodes in a target set.
    num_classes
        Number of classes; with 2, models give one logit for "class 1".
    metric
        What models are chosen by: "accuracy" for roles and for more than two classes, else "auc".
    train, val, test
        A :class:`Split` each.
    seed
        The seed that the split and the negatives were drawn with.
    classes
        The label, as it was given, of each class 0..num_classes-1; where words were given, that number.
    names
        What the classes are called, if that was said; see :attr:`class_names`.
    leaks
        What tells more than it should, see :func:`degnn_explore.leaks`: nothing, unless a ``protocol`` asked for it.

    Examples
    --------
    >>> from degnn_explore import Graph, link_task
    >>> task = link_task(Graph.from_edges([(i, (i + s) % 20) for i in range(20) for s in (1, 2)]))
    >>> task
    Task(links, p=2, 64 training, 8 validation, 8 test sets, 2 classes, chosen by auc)
    """

    graph: Graph
    full_graph: Graph
    kind: str
    p: int
    num_classes: int
    metric: str
    train: Split
    val: Split
    test: Split
    seed: int
    classes: tuple[int, ...]
    names: tuple[str, ...] = ()
    leaks: tuple[str, ...] = ()

    @property
    def class_names(self) -> list[str]:
        """What the classes are called.

        Examples
        --------
        >>> from degnn_explore import link_task, load
        >>> link_task(load("karate")).class_names
        ['not linked', 'linked']
        """
        return list(self.names or (f"class {label}" for label in self.classes))

    @property
    def protocol(self) -> str:
        """ "honest", "paper", or the leaks by their names.

        Examples
        --------
        >>> from degnn_explore import link_task, load
        >>> link_task(load("karate")).protocol
        'honest'
        """
        return protocol_of(self.leaks, self.kind)

    def digest(self) -> str:
        """A checksum of everything that a model is trained on and judged by: graph, attributes, sets and labels."""
        splits = (column for part in (self.train, self.val, self.test) for column in (part.sets, part.labels))
        leaking: list[NDArray[Any]] = [np.frombuffer(self.protocol.encode(), np.uint8)] if self.leaks else []
        if isinstance(self.graph, DegreesAsGiven) and self.graph.degrees_shown is not None:
            leaking.append(self.graph.degrees_shown)
        return digest_of(self.graph.indptr, self.graph.indices, self.graph.attributes, *splits, *leaking)

    def __repr__(self) -> str:
        return (
            f"Task({self.kind}, p={self.p}, {len(self.train)} training, {len(self.val)} validation, "
            f"{len(self.test)} test sets, {self.num_classes} classes, chosen by {self.metric}"
            f"{f', leaking: {self.protocol}' if self.leaks else ''})"
        )
