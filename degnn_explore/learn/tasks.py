"""Tasks: target sets with labels, honest negatives, and splits that leak nothing.

Held-out positives are taken out of the graph that everything is computed from; no negative repeats a node, another
negative or a set of another part; training negatives are drawn without knowledge of the held-out positives.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import MOST_SEED, GraphError, ParameterError, TargetError, check_choice, check_int, short_repr
from ..engine.features import DegreesAsGiven
from ..graphs.build import clean_csr, digest_of, frozen
from ..graphs.distances import components
from ..graphs.graph import Graph, needs_graph
from .hints import suggested_max_dist
from .leaks import leaky, protocol_of
from .ranking import hard_negatives, random_negatives
from .splits import (
    PARTS,
    Ints,
    Parts,
    are_words,
    checked_shares,
    draw_negatives,
    given_sets,
    named,
    no_set_twice,
    split_by_class,
    split_by_words,
    split_rows,
    triangles,
    warn_of_leaking_attributes,
    warn_of_unlearned,
    without_inner_edges,
)

Shares = Sequence[float]  # of training, validation and test sets
Protocol = str | Sequence[str]  # "honest", "paper" or names of leaks
EIGHTY_TEN_TEN = (0.8, 0.1, 0.1)
MANY_POSITIVES = 500_000  # positives from which a sample is the better beginning
_UNREACHABLE = 0.05  # share of sets without a path from which on a model can gain by seeing just that
NEGATIVES = ("random", "hard")
_IGNORED = ("weight", "year")  # of a link, in splits of OGB: graphs here have neither


@dataclass(frozen=True, eq=False)
class Split:
    """Target sets with their labels: ``sets`` int64 [k, p], ``labels`` int64 [k].

    ``ranked`` int64 [positives, m, p], if there are any: m negatives of each positive, in the order of the positives.
    """

    sets: Ints
    labels: Ints
    ranked: Ints | None = None

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True, eq=False, repr=False)
class Task:
    """What to learn: labeled target sets of one size p on one graph, in three parts.

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
        A :class:`Split` each: ``sets``, ``labels`` and, with ``per_positive=``, ``ranked``.
    seed
        The seed that the split and the negatives were drawn with.
    classes
        The label, as it was given, of each class 0..num_classes-1; where words were given, that number.
    names
        Names of the classes, if they were given; see :attr:`class_names`.
    leaks
        Leaks that the ``protocol`` added on purpose, see :func:`degnn_explore.leaks`; none by default.
    fit_options
        Options of :func:`degnn_explore.fit` that a protocol sets.

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
    fit_options: Mapping[str, Any] = field(default_factory=dict)
    negatives: str = ""  # "random" or "hard": those that each held-out positive is ranked among

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

    @cached_property
    def max_dist(self) -> int:
        """The largest distance that an encoding should tell apart: 3, or as far as nine in ten positives reach.

        Counted on the training graph for the positives of training, each with its own edges cut; at most 20.
        :func:`degnn_explore.build` uses it where ``max_dist`` is not given.

        Examples
        --------
        >>> from degnn_explore import Graph, link_task, load
        >>> link_task(load("karate")).max_dist
        3
        >>> link_task(Graph.from_edges([(i, (i + s) % 40) for i in range(40) for s in (1, 5)])).max_dist
        5
        """
        return suggested_max_dist(self.graph, self.train.sets[self.train.labels == 1])

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
        """A checksum of everything that a model is trained and tested on: graph, attributes, sets and labels."""
        splits = (column for part in (self.train, self.val, self.test) for column in (part.sets, part.labels))
        extra: list[NDArray[Any]] = [np.frombuffer(self.protocol.encode(), np.uint8)] if self.leaks else []
        if isinstance(self.graph, DegreesAsGiven) and self.graph.degrees_shown is not None:
            extra.append(self.graph.degrees_shown)
        if self.graph.parts is not None:  # metrics are taken graph by graph
            extra.append(self.graph.parts)
        extra += [part.ranked for part in (self.val, self.test) if part.ranked is not None]
        return digest_of(self.graph.indptr, self.graph.indices, self.graph.attributes, *splits, *extra)

    def __repr__(self) -> str:
        return (
            f"Task({self.kind}, p={self.p}, {len(self.train)} training, {len(self.val)} validation, "
            f"{len(self.test)} test sets, {self.num_classes} classes, chosen by {self.metric}"
            f"{f', leaking: {self.protocol}' if self.leaks else ''})"
        )

    def summary(self) -> str:
        """The task in sentences: its sets, the negatives of each positive, and how many pairs have no path left.

        Examples
        --------
        >>> from degnn_explore import Graph, link_task
        >>> print(link_task(Graph.from_edges([(i, i + 1) for i in range(40)]), per_positive=5).summary())
        Links of 41 nodes: 64 training, 8 validation and 8 test sets, half of them links.
        Each of the 8 held-out links is ranked among 5 random negatives of its own.
        No path is left between 100 % of the held-out links and 62 % of the negatives, so AUC measures reachability too.
        """
        many = f"{len(self.train):,} training, {len(self.val):,} validation and {len(self.test):,} test sets"
        words = [f"{self.kind.capitalize()} of {self.graph.num_nodes:,} nodes: {many}"]
        words[0] += f", half of them {self.kind}." if self.kind in ("links", "triangles") else "."
        held_out = sum(0 if part.ranked is None else len(part.ranked) for part in (self.val, self.test))
        if self.val.ranked is not None and held_out:
            kind = f"{self.negatives} " if self.negatives else ""
            words.append(
                f"Each of the {held_out:,} held-out links is ranked among {self.val.ranked.shape[1]:,} {kind}negatives "
                "of its own."
            )
        if self.kind == "links":
            positives, negatives = (f"{100 * share:.0f} %" for share in self.unreachable())
            seen = max(self.unreachable()) > _UNREACHABLE
            words.append(
                f"No path is left between {positives} of the held-out links and {negatives} of the negatives"
                f"{', so AUC measures reachability too' if seen else ''}."
            )
        return "\n".join(words)

    def unreachable(self) -> tuple[float, float]:
        """The share of held-out positives, and of held-out negatives, whose nodes no path joins in ``graph``.

        Examples
        --------
        >>> from degnn_explore import link_task, load
        >>> link_task(load("karate")).unreachable()
        (0.125, 0.0)
        """
        component = components(self.graph)
        sets = np.concatenate([self.val.sets, self.test.sets])
        labels = np.concatenate([self.val.labels, self.test.labels])
        apart = (component[sets] != component[sets[:, :1]]).any(axis=1)
        return float(apart[labels == 1].mean()), float(apart[labels == 0].mean())


def needs_task(caller: str, task: Any) -> None:
    if not isinstance(task, Task):
        union = " Several graphs are one task on de.disjoint_union([G1, G2])." if isinstance(task, list | tuple) else ""
        raise ParameterError(f"{caller} needs a task, such as de.link_task(G), not {type(task).__name__}.{union}")


# ---- the four tasks --------------------------------------------------------------------------------------------------


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
    """Node classification (Task 1, p = 1): the label of every labeled node, split class by class.

    Parameters
    ----------
    G
        A graph with labels; nodes labeled -1 are left out.
    seed
        Which split.
    split
        Shares of training, validation and test sets.
    train, val, test
        Parts of your own in place of drawn ones: nodes by name or number, or a mask of all nodes, as PyG has them.
        ``train`` is by default every other labeled node.
    protocol
        As in :func:`link_task`; only the leaks of training apply.

    Examples
    --------
    >>> from degnn_explore import Graph, role_task
    >>> G = Graph.from_edges([(0, i) for i in range(1, 20)], labels=[0] * 10 + [1] * 10)
    >>> role_task(G).train.sets.shape
    (16, 1)
    """
    needs_graph("role_task", G)
    if G.labels is None or not (G.labels >= 0).any():
        given = "this graph has none" if G.labels is None else "all labels of this graph are missing (-1)"
        raise GraphError(f"role_task needs labeled nodes and {given}; add labels with G.with_labels([...]).")
    nodes, parts = _role_parts(G, {"train": train, "val": val, "test": test}, split)
    codes, labels, names = coded(G.labels[nodes], len(nodes), None)
    classes = (codes, labels, names or words_of(G, labels))
    return leaky(_labeled_task(G, G, "roles", nodes[:, None], classes, seed, parts), protocol)


def link_task(
    G: Graph,
    *,
    seed: int = 0,
    split: Shares | Mapping[str, Any] = EIGHTY_TEN_TEN,
    max_positives: int | None = None,
    per_positive: int | None = None,
    negatives: str = "random",
    protocol: Protocol = "honest",
) -> Task:
    """Link prediction (Task 2, p = 2): the edges, and as many pairs that are not edges.

    The edges of validation and test are taken out of ``task.graph``. Negatives of validation and test are drawn
    uniformly from the pairs that are no edge of the full graph, those of training from the pairs that are no edge of
    ``task.graph``: training knows nothing of the held-out links, so a few of its negatives may be among them. No
    negative occurs twice. In a :func:`degnn_explore.disjoint_union` each graph is split by itself, negatives are drawn
    within a graph, and metrics are the mean over the graphs.

    ``task.max_dist`` is the largest distance that models should tell apart, counted on ``task.graph``;
    :func:`degnn_explore.build` uses it unless you give another.

    Node attributes are taken as they are. Those computed from the edges of the full graph (degrees, PageRank,
    embeddings) know the held-out links: compute them on ``task.graph``. A column that follows the degrees of the full
    graph more than those of ``task.graph`` gives a warning.

    Parameters
    ----------
    G
        The graph.
    seed
        Which split and which negatives.
    split
        Shares of training, validation and test links; or a split of your own, the dictionary that OGB and PyG use:
        ``{"train": {"edge": ...}, "valid": {"edge": ..., "edge_neg": ...}, "test": {...}}`` with pairs of names or
        numbers as a list, an array or tensor [k, 2] or a table of two columns. "train" is by default every other edge,
        and may list both directions of a link; "weight" and "year" are ignored. A part without "edge_neg" has its
        negatives drawn; negatives of each link [k, m, 2] are what it is ranked among. Validation and test links are
        taken out of the graph; if G is a training graph that has none of them, they are put into ``task.full_graph``.
        It is an error if two parts share a link, a negative is a link, or only some held-out links are in the graph.
    max_positives
        Use a random sample of at most this many edges as positives (for large graphs).
    per_positive
        Also rank each link of validation and test among this many of its own negatives (``task.test.ranked``), for MRR
        and Hits@k. AUC, average precision and accuracy still use one negative for each link. A pair may be a negative
        of several links.
    negatives
        Which these are: "random" pairs that are no edge of the full graph; or "hard" ones, as in HeaRT (Li et al.,
        NeurIPS 2023): half of them keep one end of the link and half the other, with the nodes that score best by
        resource allocation or personalized PageRank on ``task.graph`` and are no neighbors of it there (for test
        links: nor in validation). Other held-out links are not left out.
    protocol
        "honest"; or, to measure what a leak gains, "paper" or names from :func:`degnn_explore.leaks`, which make the
        task wrong on purpose. The task names them, and training follows them.

    Examples
    --------
    >>> from degnn_explore import Graph, link_task
    >>> G = Graph.from_edges([(i, (i + s) % 20) for i in range(20) for s in (1, 2)])
    >>> task = link_task(G)
    >>> task.full_graph.num_edges, task.graph.num_edges
    (40, 32)
    >>> held_out = {"edge": [(4, 5)], "edge_neg": [(4, 9), (4, 10), (4, 11)]}
    >>> link_task(G, split={"valid": {"edge": [(0, 1), (1, 2)]}, "test": held_out})
    Task(links, p=2, 74 training, 4 validation, 4 test sets, 2 classes, chosen by auc)
    >>> link_task(G, per_positive=10, negatives="hard").test.ranked.shape
    (4, 10, 2)
    """
    needs_graph("link_task", G)
    check_choice("negatives", negatives, NEGATIVES)
    rng = np.random.default_rng(check_int("seed", seed, least=0, most=MOST_SEED))
    own: dict[str, Ints] = {}
    if isinstance(split, Mapping):
        if max_positives is not None:
            raise ParameterError("max_positives= is for links that are drawn; leave it out with a split of your own.")
        split, own = _ranked_apart(G, split)
        full, links, drawn = _given_links(G, split, rng)
    else:
        full, (links, drawn) = G, _drawn(G, "links", G.edges, rng, checked_shares(split), max_positives)
    task = _existence_task(full, "links", links, drawn, seed)
    if own or per_positive is not None:
        task = _ranked(task, own, per_positive, negatives)
    elif negatives != "random":
        raise ParameterError(f"negatives={negatives!r} are drawn for each link; say how many, with per_positive=100.")
    return leaky(task, protocol)


def triangle_task(
    G: Graph,
    *,
    seed: int = 0,
    split: Shares = EIGHTY_TEN_TEN,
    max_positives: int | None = None,
    protocol: Protocol = "honest",
) -> Task:
    """Triangle prediction (Task 3, p = 3): the closed triads, and as many that are not closed.

    All three edges of each validation and test triangle are taken out of ``task.graph``. Negatives of validation and
    test are drawn uniformly from the triads that are no triangle of the full graph; those of training from the triads
    that training does not know as triangles.

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
    rng = np.random.default_rng(check_int("seed", seed, least=0, most=MOST_SEED))
    drawn = _drawn(G, "triangles", triangles(G), rng, checked_shares(split), max_positives)
    return leaky(_existence_task(G, "triangles", *drawn, seed), protocol)


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
        that no other set's neighborhood shows them. Switch it off if the label says nothing
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
    if G.parts is not None and (apart := (G.parts[array] != G.parts[array[:, :1]]).any(axis=1)).any():
        raise TargetError(f"The target set {named(G, array[apart][0])} has nodes of several graphs of the union.")
    classes = coded(labels, len(rows), class_names)
    return _labeled_task(G, None if remove_edges else G, "sets", array, classes, seed, split)


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


# ---- sets that exist or not ------------------------------------------------------------------------------------------


def _drawn(
    G: Graph,
    kind: str,
    positives: Ints,
    rng: np.random.Generator,
    shares: tuple[float, float, float],
    max_positives: int | None,
) -> tuple[Parts, Parts]:
    """Positives, and as many random negatives in each part; in a disjoint union, graph by graph."""
    order = rng.permutation(len(positives))
    chosen = positives[order if max_positives is None else order[: check_int("max_positives", max_positives, least=3)]]
    if max_positives is None and len(chosen) > MANY_POSITIVES:
        warnings.warn(
            f"The task has all {len(chosen):,} {kind} and as many negatives, which takes hours to train. Start with a "
            "sample: max_positives=10_000; where nodes have many neighbors, also build(..., max_nodes_per_hop=50).",
            stacklevel=3,
        )

    def drawn_within(G: Graph, positives: Ints, chosen: Ints, what: str) -> tuple[Parts, Parts]:
        parts = split_rows(chosen, shares, what)
        graph = without_inner_edges(G, np.concatenate(parts[1:]))
        return parts, draw_negatives(G, graph, positives, parts[0], [len(rows) for rows in parts], rng, kind)

    if (parts := G.parts) is None:
        return drawn_within(G, positives, chosen, kind)
    links, negatives = [], []  # of each graph: training, validation and test
    for number in np.unique(parts):
        nodes = np.flatnonzero(parts == number)
        here = [np.searchsorted(nodes, x[parts[x[:, 0]] == number]) for x in (G.edges, positives, chosen)]
        graph, what = Graph.from_edges(here[0], len(nodes)), f"{kind} in graph {number} of the union"
        yes, no = drawn_within(graph, here[1], here[2], what)
        links.append([nodes[rows] for rows in yes])
        negatives.append([nodes[rows] for rows in no])
    return [np.concatenate(rows) for rows in zip(*links, strict=True)], [
        np.concatenate(rows) for rows in zip(*negatives, strict=True)
    ]


def _existence_task(G: Graph, kind: str, positives: Parts, negatives: Parts, seed: int) -> Task:
    """The task of these sets by part; held-out positives leave the graph."""
    splits = []
    for yes, no in zip(positives, negatives, strict=True):
        labels = np.repeat(np.array([1, 0], dtype=np.int64), [len(yes), len(no)])
        splits.append(Split(np.concatenate([yes, no]), labels))
    graph = without_inner_edges(G, np.concatenate(positives[1:]))
    warn_of_leaking_attributes(G, graph)
    about = TASKS[kind]
    train, val, test = splits
    return Task(graph, G, kind, about.p, 2, about.metric, train, val, test, int(seed), (0, 1), about.class_names)


def _ranked(task: Task, own: Mapping[str, Ints], per_positive: int | None, negatives: str) -> Task:
    """The task with negatives of each held-out positive: those that were given, the others drawn."""
    if task.graph.parts is not None:
        raise ParameterError("per_positive= is for one graph, not for a disjoint union; make a task of each graph.")
    count = None if per_positive is None else check_int("per_positive", per_positive, least=1)
    of_val, of_test = (part.sets[part.labels == 1] for part in (task.val, task.test))
    ranked: dict[str, Split] = {}
    for part, positives, learned in (("val", of_val, task.graph), ("test", of_test, _with_edges(task.graph, of_val))):
        split, rows = getattr(task, part), own.get(part)
        if rows is not None and len(rows) != len(positives):
            raise TargetError(
                f"{part}: edge_neg holds negatives of {len(rows):,} links, and there are {len(positives):,} links."
            )
        if rows is None and count is not None:
            rng = np.random.default_rng([task.seed, *part.encode(), *negatives.encode()])
            if negatives == "hard":
                rows = hard_negatives(task.graph, positives, count, learned, rng)
            else:
                rows = random_negatives(task.graph, count, positives, task.full_graph, rng)
        ranked[part] = replace(split, ranked=rows)
    if any(split.ranked is None for split in ranked.values()):
        raise ParameterError('Give "edge_neg" [k, m, 2] for "valid" and for "test", or per_positive= to draw the rest.')
    return replace(task, negatives="" if own else negatives, **ranked)  # type: ignore[arg-type]


def _ranked_apart(G: Graph, split: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Ints]]:
    """The split without negatives of each link [k, m, 2], and these by part."""
    rest, ranked = dict(split), dict[str, Ints]()
    for name, part in split.items():
        rows = part.get("edge_neg") if isinstance(part, Mapping) and name in ("val", "valid", "test") else None
        shape = np.shape(rows) if rows is not None and not hasattr(rows, "columns") else ()
        if len(shape) == 3:
            pairs = given_sets(G, np.asarray(rows).reshape(-1, shape[-1]), 2, f"negatives of {name}")
            ranked["val" if name == "valid" else name] = pairs.reshape(shape[0], shape[1], 2)
            rest[name] = {key: value for key, value in part.items() if key != "edge_neg"}
    return rest, ranked


def _given_links(G: Graph, split: Mapping[str, Any], rng: np.random.Generator) -> tuple[Graph, Parts, Parts]:
    """The full graph, and the links and the negatives of each part; what is not given is drawn."""
    given: dict[str, Mapping[str, Any]] = {}
    for name, part in split.items():
        check_choice("part of the split", name, [*PARTS, "valid"])
        if not isinstance(part, Mapping) or not {"edge", "edge_neg", *_IGNORED} >= set(part):
            keys = f"the keys {', '.join(map(repr, part))}" if isinstance(part, Mapping) else short_repr(part)
            raise ParameterError(f'split[{name!r}] must be {{"edge": pairs}}, perhaps with "edge_neg", not {keys}.')
        given["val" if name == "valid" else name] = part
    if any("edge" not in given.get(part, {}) for part in ("val", "test")):
        raise ParameterError('A split names the links of "valid" and "test"; "train" is by default all other edges.')
    links = _checked_links(G, {part: rows["edge"] for part, rows in given.items() if "edge" in rows})
    held_out = np.concatenate(links[1:])
    full = G if G.has_edges(held_out).all() else _with_edges(G, held_out)
    negatives = {name: rows["edge_neg"] for name, rows in given.items() if rows.get("edge_neg") is not None}
    own = {name: given_sets(full, rows, 2, f"negatives of {name}") for name, rows in negatives.items()}
    if own:
        no_set_twice(full, {f"negatives of {name}": rows for name, rows in own.items()})
        every = np.concatenate(list(own.values()))
        if (linked := full.has_edges(every)).any():
            raise TargetError(
                f"The negative {named(full, every[linked][0])} is a link; {int(linked.sum()):,} of {len(every):,} are. "
                "Give pairs that are no edge of the graph, held-out ones included."
            )
    sizes = [0 if name in own else len(rows) for name, rows in zip(PARTS, links, strict=True)]
    taken = np.concatenate([full.edges[:0], *own.values()])
    graph = without_inner_edges(full, held_out)
    drawn = draw_negatives(full, graph, full.edges, links[0], sizes, rng, "links", taken)
    return full, links, [own.get(name, rows) for name, rows in zip(PARTS, drawn, strict=True)]


def _checked_links(G: Graph, given: Mapping[str, Any]) -> Parts:
    """The links of each part: those of training are in the graph, and the others either all or none."""
    held_out = [given_sets(G, given[part], 2, part) for part in ("val", "test")]
    if "train" in given:
        train = given_sets(G, given["train"], 2, "train")
        train = train[np.sort(np.unique(train, axis=0, return_index=True)[1])]  # PyG lists both directions
    else:
        n = np.array([G.num_nodes, 1])
        train = G.edges[~np.isin(G.edges @ n, np.concatenate(held_out) @ n)]
    if not len(train):
        raise TargetError("No edge is left for training; validation and test hold them all.")
    links = [train, *held_out]
    no_set_twice(G, dict(zip(PARTS, links, strict=True)))
    if not (there := G.has_edges(train)).all():
        pair = named(G, train[~there][0])
        raise TargetError(f"train: {pair} is not an edge of the graph; links to learn from must be in it.")
    both = np.concatenate(held_out)
    there = G.has_edges(both)
    if there.any() and not there.all():
        raise TargetError(
            f"Of {len(both):,} links held out {int(there.sum()):,} are in the graph, such as "
            f"{named(G, both[there][0])}, and the others are not, such as {named(G, both[~there][0])}. Give the "
            "whole graph, and all are taken out of it; or the training graph, and none may be in it."
        )
    return links


def _with_edges(G: Graph, pairs: Ints) -> Graph:
    indptr, indices, _ = clean_csr(np.concatenate([G.edges, pairs]), G.num_nodes)
    return replace(G, indptr=frozen(indptr), indices=frozen(indices))


# ---- labeled sets ----------------------------------------------------------------------------------------------------


def _labeled_task(
    G: Graph,
    graph: Graph | None,
    kind: str,
    sets: Ints,
    classes: tuple[Ints, tuple[int, ...], tuple[str, ...]],
    seed: int,
    split: Any,
) -> Task:
    """Labeled sets, split class by class or as given; ``graph=None`` removes the edges inside held-out sets."""
    codes, labels, names = classes
    seed = check_int("seed", seed, least=0, most=MOST_SEED)
    if len(labels) < 2:
        raise TargetError(f"All labels are the same ({list(names or labels)}); a task needs at least two classes.")
    if are_words(split):
        parts = split_by_words(split, len(sets))
        warn_of_unlearned(codes, parts, names or [f"class {label}" for label in labels])
    else:
        parts = split_by_class(codes, names or labels, checked_shares(split), np.random.default_rng(seed))
    if graph is None:
        graph = without_inner_edges(G, sets[np.concatenate(parts[1:])])
    warn_of_leaking_attributes(G, graph)
    train, val, test = (Split(sets[rows], codes[rows]) for rows in parts)
    metric = TASKS[kind].metric if kind in TASKS else "auc" if len(labels) == 2 else "accuracy"
    return Task(graph, G, kind, sets.shape[1], len(labels), metric, train, val, test, seed, labels, names)


def _role_parts(G: Graph, given: Mapping[str, Any], split: Any) -> tuple[Ints, Any]:
    """The labeled nodes, and the split; or the given nodes, and the part of each."""
    assert G.labels is not None
    nodes = np.flatnonzero(G.labels >= 0)
    if all(part is None for part in given.values()):
        return nodes, split
    if given["val"] is None or given["test"] is None or tuple(split) != EIGHTY_TEN_TEN:
        raise ParameterError("Give both val= and test=, and no split=; train= is by default every other labeled node.")
    parts = {name: given_sets(G, part, 1, name) for name, part in given.items() if part is not None}
    if "train" not in parts:
        parts["train"] = np.setdiff1d(nodes, np.concatenate(list(parts.values())))[:, None]
    no_set_twice(G, parts)
    chosen = np.concatenate(list(parts.values()))[:, 0]
    if (unlabeled := chosen[G.labels[chosen] < 0]).size:
        raise TargetError(f"Node {G.names[unlabeled[0]]} has no label; leave it out of train, val and test.")
    return chosen, np.repeat(list(parts), [len(part) for part in parts.values()]).tolist()


def words_of(G: Graph, labels: Sequence[int]) -> tuple[str, ...]:
    """The words of these labels in the file; () if labels were numbers, or two of them share a word."""
    if "label" not in G.info:
        return ()
    words = [{str(word) for word in np.asarray(G.info["label"])[G.labels == label]} for label in labels]
    one_each = all(len(word) == 1 for word in words) and len(set().union(*words)) == len(words)
    return tuple(word.pop() for word in words) if one_each else ()


def coded(labels: Any, count: int, class_names: Any) -> tuple[Ints, tuple[int, ...], tuple[str, ...]]:
    """Labels, whole numbers or words, as classes 0..C-1: the class of each set, the label and the name of each class.

    ``class_names`` names the classes in the order of their labels, or each label; of words it may give the order.

    Examples
    --------
    >>> coded([7, 3, 7], 3, ["low", "high"])
    (array([1, 0, 1]), (3, 7), ('low', 'high'))
    >>> coded(["foe", "friend", "foe"], 3, None)[1:]
    ((0, 1), ('foe', 'friend'))
    """
    given = np.asarray(labels)
    if given.dtype.kind == "O" and all(isinstance(label, str) for label in given.ravel()):
        given = given.astype(str)
    words, whole = given.dtype.kind == "U", given.dtype.kind in "iub"
    if given.shape != (count,) or not (words or whole) or (whole and given.max() > np.iinfo(np.int64).max):
        raise TargetError(
            f"labels must be one whole number, or one word, for each of the {count} sets, "
            f"not {given.dtype} of shape {list(given.shape)}."
        )
    labels, codes = np.unique(given if words else given.astype(np.int64), return_inverse=True)
    order = labels.tolist()
    names = order if words and class_names is None else _class_names(order, class_names)
    if words and not isinstance(class_names, Mapping | None):
        check_choice("class_names", sorted(names), [order])
        codes = np.array([names.index(word) for word in order])[codes]
    return codes.astype(np.int64), tuple(range(len(order))) if words else tuple(order), tuple(names)


def _class_names(labels: list[Any], given: Any) -> list[str]:
    """What the classes of these labels are called; [] if no names were given."""
    if given is None:
        return []
    names: list[Any] = []
    if isinstance(given, Mapping):
        names = [given.get(label) for label in labels]
    elif isinstance(given, Sequence) and not isinstance(given, str):
        names = list(given)
    if len({*names} - {None, ""}) != len(labels) or not all(isinstance(name, str) for name in names):
        raise ParameterError(
            f"class_names must be {len(labels)} different names, for the labels "
            f"{short_repr(labels)}, not {short_repr(given)}."
        )
    return names
