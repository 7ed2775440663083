"""Tasks: target sets with labels, honest negatives, and splits that leak nothing.

Three leaks of public code are closed here: held-out positives stay in the graph that features are
computed from; negatives repeat a node, repeat each other or occur in two splits; a negative is an
edge after all, one that was held out.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..common.errors import MOST_SEED, GraphError, TargetError, whole_number
from ..graphs.columns import digest_of
from ..graphs.graph import Graph, needs_graph
from .sampling import Ints, checked_shares, in_three, negatives_of, triangles

Shares = Sequence[float]  # of training, validation and test sets
EIGHTY_TEN_TEN = (0.8, 0.1, 0.1)
_LEAKS = 0.5  # partial rank correlation


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
        The label, as it was given, of each class 0..num_classes-1.

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

    @property
    def class_names(self) -> list[str]:
        """What the classes are called.

        Examples
        --------
        >>> from degnn_explore import link_task, load
        >>> link_task(load("karate")).class_names
        ['not linked', 'linked']
        """
        named = TASKS[self.kind].class_names if self.kind in TASKS else ()
        if self.kind == "roles" and "label" in (
            info := self.full_graph.info
        ):  # the words that the labels were given as
            words = [{str(w) for w in np.asarray(info["label"])[self.full_graph.labels == c]} for c in self.classes]
            if all(len(word) == 1 for word in words) and len(set().union(*words)) == len(words):
                return [word.pop() for word in words]
        return list(named or (f"class {label}" for label in self.classes))

    def digest(self) -> str:
        """A checksum of everything that a model is trained on and judged by: graph, attributes, sets and labels."""
        splits = (column for part in (self.train, self.val, self.test) for column in (part.sets, part.labels))
        return digest_of(self.graph.indptr, self.graph.indices, self.graph.attributes, *splits)

    def __repr__(self) -> str:
        return (
            f"Task({self.kind}, p={self.p}, {len(self.train)} training, {len(self.val)} validation, "
            f"{len(self.test)} test sets, {self.num_classes} classes, chosen by {self.metric})"
        )


def role_task(G: Graph, *, seed: int = 0, split: Shares = EIGHTY_TEN_TEN) -> Task:
    """Node classification (Task 1, p = 1): the label of every labelled node, split class by class.

    Parameters
    ----------
    G
        A graph with labels; nodes labelled -1 are left out.
    seed
        Which split.
    split
        Shares of training, validation and test sets.

    Examples
    --------
    >>> from degnn_explore import Graph, role_task
    >>> G = Graph.from_edges([(0, i) for i in range(1, 20)], labels=[0] * 10 + [1] * 10)
    >>> role_task(G).train.sets.shape
    (16, 1)
    """
    needs_graph("role_task", G)
    if G.labels is None:
        raise GraphError(
            "role_task needs a label for each node and this graph has none; add them with G.with_labels([...])."
        )
    nodes = np.flatnonzero(G.labels >= 0)
    return _labelled_task(G, G, "roles", nodes[:, None], G.labels[nodes], seed, split)


def link_task(G: Graph, *, seed: int = 0, split: Shares = EIGHTY_TEN_TEN, max_positives: int | None = None) -> Task:
    """Link prediction (Task 2, p = 2): the edges, and as many pairs that are not edges.

    The edges of validation and test are taken out of ``task.graph``. Negatives are drawn uniformly
    from the pairs that are no edge of the full graph; none occurs twice.

    Node attributes are taken as they are. Those computed from the edges of the full graph (degrees, PageRank,
    embeddings) know the held-out links: compute them on ``task.graph``. A column that follows the degrees of the
    full graph beyond those of ``task.graph`` is warned of.

    Parameters
    ----------
    G
        The graph.
    seed
        Which split and which negatives.
    split
        Shares of training, validation and test sets.
    max_positives
        Use a random choice of at most so many edges as positives (for large graphs).

    Examples
    --------
    >>> from degnn_explore import Graph, link_task
    >>> task = link_task(Graph.from_edges([(i, (i + s) % 20) for i in range(20) for s in (1, 2)]))
    >>> task.full_graph.num_edges, task.graph.num_edges
    (40, 32)
    """
    needs_graph("link_task", G)
    return _existence_task(G, "links", G.edges, seed, split, max_positives)


def triangle_task(G: Graph, *, seed: int = 0, split: Shares = EIGHTY_TEN_TEN, max_positives: int | None = None) -> Task:
    """Triangle prediction (Task 3, p = 3): the closed triads, and as many that are not closed.

    All three edges of each validation and test triangle are taken out of ``task.graph``. Negatives
    are drawn uniformly from the triads that are no triangle of the full graph.

    Parameters
    ----------
    G, seed, split, max_positives
        As in :func:`link_task`.

    Examples
    --------
    >>> from degnn_explore import Graph, triangle_task
    >>> task = triangle_task(Graph.from_edges([(i, (i + s) % 20) for i in range(20) for s in (1, 2)]))
    >>> len(task.train), task.train.sets.shape
    (32, (32, 3))
    """
    needs_graph("triangle_task", G)
    return _existence_task(G, "triangles", triangles(G), seed, split, max_positives)


def set_task(
    G: Graph,
    sets: Iterable[Any],
    labels: Any,
    *,
    seed: int = 0,
    split: Shares = EIGHTY_TEN_TEN,
    remove_edges: bool = True,
) -> Task:
    """A task of your own: target sets of one size p, each with a class, split class by class.

    Parameters
    ----------
    G
        The graph.
    sets
        Target sets, all of the same size, none given twice.
    labels
        A whole number for each set.
    seed, split
        As in :func:`link_task`.
    remove_edges
        Take the edges inside validation and test sets, of any class, out of ``task.graph``, so
        that no other set's neighbourhood shows them. Switch it off if the label says nothing
        about those edges.

    Examples
    --------
    >>> from degnn_explore import Graph, set_task
    >>> G = Graph.from_edges([(i, (i + 1) % 12) for i in range(12)])
    >>> set_task(G, [{i, (i + 3) % 12} for i in range(12)], [0, 1, 2] * 4)
    Task(sets, p=2, 6 training, 3 validation, 3 test sets, 3 classes, chosen by accuracy)
    """
    needs_graph("set_task", G)
    rows = [G.target_set(S) for S in sets]
    if not rows:
        raise TargetError("There are no target sets; give at least three for each class.")
    sizes = sorted({len(row) for row in rows})
    if len(sizes) > 1:
        raise TargetError(f"The target sets have sizes {sizes}; a task needs sets of one size.")
    array = np.stack(rows)
    classes = np.asarray(labels)
    if classes.shape != (len(rows),) or classes.dtype.kind not in "iub" or classes.max() > np.iinfo(np.int64).max:
        raise TargetError(
            f"labels must be one whole number for each of the {len(rows)} sets, "
            f"not {classes.dtype} of shape {list(classes.shape)}."
        )
    _, first, count = np.unique(np.sort(array, axis=1), axis=0, return_index=True, return_counts=True)
    if (count > 1).any():
        raise TargetError(
            f"The target set {array[first[count > 1][0]].tolist()} is given twice; "
            "it could be learnt in one split and asked in another. Give each set once."
        )
    return _labelled_task(G, None if remove_edges else G, "sets", array, classes.astype(np.int64), seed, split)


def _labelled_task(
    G: Graph, graph: Graph | None, kind: str, sets: Ints, labels: Ints, seed: int, split: Shares
) -> Task:
    """Given sets split class by class; ``graph=None`` removes the edges inside held-out sets."""
    shares = checked_shares(split)
    rng = np.random.default_rng(whole_number("seed", seed, least=0, most=MOST_SEED))
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise TargetError(f"All labels are the same ({classes.tolist()}); a task needs at least two classes.")
    parts: list[list[Ints]] = [[], [], []]
    for code, label in enumerate(classes):
        members = rng.permutation(np.flatnonzero(codes == code))
        for part, rows in zip(parts, in_three(members, shares, f"sets of class {label}"), strict=True):
            part.append(rows)
    train, val, test = (np.sort(np.concatenate(part)) for part in parts)
    if graph is None:
        graph = _without_inner_edges(G, sets[np.concatenate([val, test])])
    _warn_of_leaks(G, graph)
    first, second, third = (Split(sets[rows], codes[rows].astype(np.int64)) for rows in (train, val, test))
    metric = TASKS[kind].metric if kind in TASKS else "auc" if len(classes) == 2 else "accuracy"
    given = tuple(int(c) for c in classes)
    return Task(graph, G, kind, sets.shape[1], len(classes), metric, first, second, third, int(seed), given)


def _existence_task(G: Graph, kind: str, positives: Ints, seed: int, split: Shares, max_positives: int | None) -> Task:
    """Positives and as many random negatives in each part; held-out positives leave the graph."""
    shares = checked_shares(split)
    rng = np.random.default_rng(whole_number("seed", seed, least=0, most=MOST_SEED))
    chosen = rng.permutation(positives)
    if max_positives is not None:
        chosen = chosen[: whole_number("max_positives", max_positives, least=3)]
    negatives = negatives_of(G, positives, len(chosen), rng, kind)
    splits = []
    for yes, no in zip(
        in_three(chosen, shares, kind), in_three(negatives, shares, f"negatives for {kind}"), strict=True
    ):
        labels = np.repeat(np.array([1, 0], dtype=np.int64), [len(yes), len(no)])
        splits.append(Split(np.concatenate([yes, no]), labels))
    held_out = np.concatenate([part.sets[part.labels == 1] for part in splits[1:]])
    graph = _without_inner_edges(G, held_out)
    _warn_of_leaks(G, graph)
    train, val, test = splits
    return Task(graph, G, kind, positives.shape[1], 2, TASKS[kind].metric, train, val, test, int(seed), (0, 1))


def _warn_of_leaks(full: Graph, training: Graph) -> None:
    """Warns of attributes whose ranks follow the full degrees where the training degrees do not explain it.

    The partial rank correlation is 1 for a degree of the full graph and any monotone function of it, 0.6 to 0.9 for
    its PageRank, below 0.4 for what merely goes with the degree (the flights of an airport).
    """
    if full.attributes is None or training is full:
        return
    from scipy.stats import rankdata

    ranks = rankdata(np.column_stack([full.degrees, training.degrees, full.attributes]), axis=0)
    ranks -= ranks.mean(axis=0)
    ranks /= np.maximum(np.linalg.norm(ranks, axis=0), 1e-9)
    with_full, with_training = ranks[:, :2].T @ ranks
    rest = (1 - with_training**2) * (1 - with_training[0] ** 2)
    partial = (with_full - with_training * with_training[0])[2:] / np.sqrt(np.maximum(rest[2:], 1e-9))
    if leaking := [f"{column} ({value:.2f})" for column, value in enumerate(partial) if abs(value) > _LEAKS]:
        warnings.warn(
            f"Attribute column {', '.join(leaking[:5])} follows the degrees of the full graph more than those of the "
            "training graph (partial rank correlation), as if it was computed before the held-out links were taken "
            "out: it may tell them. Compute it on task.graph, or leave it out; every model has the degrees.",
            stacklevel=4,
        )


def _without_inner_edges(G: Graph, sets: Ints) -> Graph:
    """G without the edges between nodes of the same set."""
    i, j = np.triu_indices(sets.shape[1], k=1)
    pairs = np.stack([sets[:, i].ravel(), sets[:, j].ravel()], axis=1)
    return G.without_edges(pairs[G.has_edges(pairs)]) if len(pairs) else G


@dataclass(frozen=True)
class TaskKind:
    """A kind of task: nodes in a set, how it is made, what models are chosen by, names of its classes if it has any."""

    p: int
    make: Callable[..., Task]
    metric: str
    class_names: tuple[str, ...] = ()


TASKS = {
    "roles": TaskKind(1, role_task, "accuracy"),
    "links": TaskKind(2, link_task, "auc", ("not linked", "linked")),
    "triangles": TaskKind(3, triangle_task, "auc", ("no triangle", "triangle")),
}
"""The paper's three tasks by ``Task.kind``; a :func:`set_task` is of kind "sets", for any p."""
