"""Tasks: target sets with labels, honest negatives, and splits that leak nothing.

Three leaks of public code are closed here: held-out positives stay in the graph that features are
computed from; negatives repeat a node, repeat each other or occur in two splits; a negative is an
edge after all, one that was held out. :mod:`.leaks` opens them again, one by one, to measure what they are worth.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..common.errors import MOST_SEED, GraphError, ParameterError, TargetError, whole_number
from ..graphs.graph import Graph, needs_graph
from .leaks import REPEATED, VALIDATION_LINKS, leaks_of, with_degrees
from .own_tasks import (
    EIGHTY_TEN_TEN,
    Parts,
    are_words,
    coded,
    no_set_twice,
    own_links,
    own_nodes,
    own_parts,
    warn_of_leaks,
    warn_of_unlearnt,
    without_inner_edges,
    words_of,
)
from .sampling import Ints, checked_shares, in_three, negatives_of, triangles
from .task import Split, Task

Shares = Sequence[float]  # of training, validation and test sets
_MANY = 500_000  # positives from which a sample is the better beginning
Protocol = str | Sequence[str]  # "honest", "paper" or names of leaks


def role_task(
    G: Graph,
    *,
    seed: int = 0,
    split: Shares = EIGHTY_TEN_TEN,
    train: Any = None,
    val: Any = None,
    test: Any = None,
    protocol: Protocol = "honest",
) -> Task:
    """Node classification (Task 1, p = 1): the label of every labelled node, split class by class.

    Parameters
    ----------
    G
        A graph with labels; nodes labelled -1 are left out.
    seed
        Which split.
    split
        Shares of training, validation and test sets.
    train, val, test
        Parts of your own in place of drawn ones: nodes by name or number, or a mask of all nodes, as PyG has them.
        ``train`` is by default every other labelled node.
    protocol
        As in :func:`link_task`; of the leaks only those of training can be had.

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
    nodes, parts = own_nodes(G, {"train": train, "val": val, "test": test}, split)
    codes, labels, names = coded(G.labels[nodes], len(nodes), None)
    leaks, classes = leaks_of(protocol, "roles"), (codes, labels, names or words_of(G, labels))
    return replace(_labelled_task(G, G, "roles", nodes[:, None], classes, seed, parts), leaks=leaks)


def link_task(
    G: Graph,
    *,
    seed: int = 0,
    split: Shares = EIGHTY_TEN_TEN,
    max_positives: int | None = None,
    train: Any = None,
    val: Any = None,
    test: Any = None,
    negatives: Any = None,
    protocol: Protocol = "honest",
) -> Task:
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
    train, val, test
        Links of your own in place of drawn ones: pairs of names or numbers, as a list, an array [k, 2] or a table of
        two columns. ``train`` is by default every other edge. Validation and test links are taken out of the graph;
        if G is a training graph that has none of them, they are put into ``task.full_graph``.
    negatives
        Pairs of your own that are no links: for all parts together, shared out as the links are, or
        ``{"train": ..., "val": ..., "test": ...}``; a part that is not named is drawn.
        Whatever is given is used as it is. A set that is given twice, a negative that is a link, and links of which
        some are held out of the graph and some are not are errors.
    protocol
        "honest"; or, to see what a leak is worth, "paper" or names from :func:`degnn_explore.leaks`, which say what
        is made wrong on purpose. The task names them, and training follows them.

    Examples
    --------
    >>> from degnn_explore import Graph, link_task
    >>> G = Graph.from_edges([(i, (i + s) % 20) for i in range(20) for s in (1, 2)])
    >>> task = link_task(G)
    >>> task.full_graph.num_edges, task.graph.num_edges
    (40, 32)
    >>> link_task(G, val=[(0, 1), (1, 2)], test=[(4, 5)], negatives={"test": [(4, 9), (4, 10), (4, 11)]})
    Task(links, p=2, 74 training, 4 validation, 4 test sets, 2 classes, chosen by auc)
    """
    needs_graph("link_task", G)
    given, leaks = {"train": train, "val": val, "test": test}, leaks_of(protocol, "links")
    if negatives is None and all(part is None for part in given.values()):
        drawn = _drawn(G, "links", G.edges, seed, split, max_positives, leaks)
        return _about_existence(G, "links", *drawn, seed, leaks)
    if REPEATED in leaks:
        raise ParameterError(f"protocol={REPEATED!r} is for drawn negatives; leave out negatives= and own parts.")
    rng = np.random.default_rng(whole_number("seed", seed, least=0, most=MOST_SEED))
    most = None if max_positives is None else whole_number("max_positives", max_positives, least=3)
    full, links, others = own_links(G, given, negatives, rng, split, most)
    return _about_existence(full, "links", links, others, seed, leaks)


def triangle_task(
    G: Graph,
    *,
    seed: int = 0,
    split: Shares = EIGHTY_TEN_TEN,
    max_positives: int | None = None,
    protocol: Protocol = "honest",
) -> Task:
    """Triangle prediction (Task 3, p = 3): the closed triads, and as many that are not closed.

    All three edges of each validation and test triangle are taken out of ``task.graph``. Negatives
    are drawn uniformly from the triads that are no triangle of the full graph.

    Parameters
    ----------
    G, seed, split, max_positives, protocol
        As in :func:`link_task`.

    Examples
    --------
    >>> from degnn_explore import Graph, triangle_task
    >>> task = triangle_task(Graph.from_edges([(i, (i + s) % 20) for i in range(20) for s in (1, 2)]))
    >>> len(task.train), task.train.sets.shape
    (32, (32, 3))
    """
    needs_graph("triangle_task", G)
    leaks = leaks_of(protocol, "triangles")
    drawn = _drawn(G, "triangles", triangles(G), seed, split, max_positives, leaks)
    return _about_existence(G, "triangles", *drawn, seed, leaks)


def set_task(
    G: Graph,
    sets: Any,
    labels: Any,
    *,
    seed: int = 0,
    split: Shares | Sequence[str] = EIGHTY_TEN_TEN,
    class_names: Any = None,
    remove_edges: bool = True,
) -> Task:
    """A task of your own: target sets of one size p, each with a class, split class by class.

    Parameters
    ----------
    G
        The graph.
    sets
        Target sets, all of the same size, none given twice: a list, an array [k, p] or a table of p columns.
    labels
        A whole number, or a word, for each set.
    seed
        As in :func:`link_task`.
    split
        Shares of training, validation and test sets, or "train", "val" or "test" for each set.
    class_names
        What the classes are called: a name for each label, in their order, or ``{label: name}``. Words are names
        already; the same words in another order say which class comes first: of two, scores are for the second.
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
    >>> set_task(G, [{i, (i + 3) % 12} for i in range(12)], ["near", "far"] * 6).class_names
    ['far', 'near']
    """
    needs_graph("set_task", G)
    rows = [G.target_set(S) for S in (sets.to_numpy().tolist() if hasattr(sets, "columns") else sets)]
    if not rows:
        raise TargetError("There are no target sets; give at least three for each class.")
    sizes = sorted({len(row) for row in rows})
    if len(sizes) > 1:
        raise TargetError(f"The target sets have sizes {sizes}; a task needs sets of one size.")
    array = np.stack(rows)
    no_set_twice(G, {"sets": array})
    classes = coded(labels, len(rows), class_names)
    return _labelled_task(G, None if remove_edges else G, "sets", array, classes, seed, split)


def _labelled_task(
    G: Graph,
    graph: Graph | None,
    kind: str,
    sets: Ints,
    classes: tuple[Ints, tuple[int, ...], tuple[str, ...]],
    seed: int,
    split: Any,
) -> Task:
    """Given sets split class by class, or as told; ``graph=None`` removes the edges inside held-out sets."""
    codes, labels, names = classes
    seed = whole_number("seed", seed, least=0, most=MOST_SEED)
    if len(labels) < 2:
        raise TargetError(f"All labels are the same ({list(names or labels)}); a task needs at least two classes.")
    if are_words(split):
        parts = own_parts(split, len(sets))
        warn_of_unlearnt(codes, parts, names or [f"class {label}" for label in labels])
    else:
        parts = _by_class(codes, names or labels, checked_shares(split), np.random.default_rng(seed))
    if graph is None:
        graph = without_inner_edges(G, sets[np.concatenate(parts[1:])])
    warn_of_leaks(G, graph)
    train, val, test = (Split(sets[rows], codes[rows]) for rows in parts)
    metric = TASKS[kind].metric if kind in TASKS else "auc" if len(labels) == 2 else "accuracy"
    return Task(graph, G, kind, sets.shape[1], len(labels), metric, train, val, test, seed, labels, names)


def _by_class(
    codes: Ints, names: Sequence[Any], shares: tuple[float, float, float], rng: np.random.Generator
) -> list[Ints]:
    """The rows of each part, ascending: of every class its share."""
    parts: list[list[Ints]] = [[], [], []]
    for code, label in enumerate(names):
        members = rng.permutation(np.flatnonzero(codes == code))
        for part, rows in zip(parts, in_three(members, shares, f"sets of class {label}"), strict=True):
            part.append(rows)
    return [np.sort(np.concatenate(part)) for part in parts]


def _drawn(
    G: Graph, kind: str, positives: Ints, seed: int, split: Shares, max_positives: int | None, leaks: tuple[str, ...]
) -> tuple[Parts, Parts]:
    """Positives, and as many random negatives in each part."""
    shares = checked_shares(split)
    rng = np.random.default_rng(whole_number("seed", seed, least=0, most=MOST_SEED))
    chosen = rng.permutation(positives)
    if max_positives is not None:
        chosen = chosen[: whole_number("max_positives", max_positives, least=3)]
    elif len(chosen) > _MANY:
        warnings.warn(
            f"All {len(chosen):,} {kind} and as many negatives are to be learnt from, which takes hours. A sample is "
            "enough to begin with: max_positives=10_000, and max_nodes_per_hop=50 of a model where nodes have many "
            "neighbours.",
            stacklevel=3,
        )
    negatives = negatives_of(G, positives, len(chosen), rng, kind, repeat=REPEATED in leaks)
    return in_three(chosen, shares, kind), in_three(negatives, shares, f"negatives for {kind}")


def _about_existence(
    G: Graph, kind: str, positives: Parts, negatives: Parts, seed: int, leaks: tuple[str, ...]
) -> Task:
    """The task of these sets by part; held-out positives leave the graph."""
    splits = []
    for yes, no in zip(positives, negatives, strict=True):
        labels = np.repeat(np.array([1, 0], dtype=np.int64), [len(yes), len(no)])
        splits.append(Split(np.concatenate([yes, no]), labels))
    held_out = np.concatenate([part.sets[part.labels == 1] for part in splits[1 + (VALIDATION_LINKS in leaks) :]])
    graph = with_degrees(without_inner_edges(G, held_out), G, leaks)
    warn_of_leaks(G, graph)
    train, val, test = splits
    about = TASKS[kind]
    return Task(graph, G, kind, about.p, 2, about.metric, train, val, test, int(seed), (0, 1), about.class_names, leaks)


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
