"""Tasks in your own words: parts, negatives and labels as they were given, checked for leaks and never replaced."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..common.errors import ParameterError, TargetError, one_of, shown
from ..engine.request import as_sets
from ..graphs.cleaning import clean_csr
from ..graphs.columns import frozen
from ..graphs.graph import Graph
from .sampling import Ints, checked_shares, in_three, negatives_of

PARTS = ("train", "val", "test")
Parts = Sequence[Ints]  # of training, validation and test
EIGHTY_TEN_TEN = (0.8, 0.1, 0.1)
_LEAKS = 0.5  # partial rank correlation


# ---- sets ------------------------------------------------------------------------------------------------------------


def given_sets(G: Graph, given: Any, p: int, what: str) -> Ints:
    """Sets of p nodes by name or number: a list, an array [k, p], a table of p columns, or a mask of the nodes. [k, p]

    Numbers in a table are a reader's own ids, so that one that could mean two nodes is refused.

    Examples
    --------
    >>> given_sets(Graph.from_edges([("a", "b"), ("b", "c")]), [("a", "c")], 2, "train")
    array([[0, 2]])
    """
    if hasattr(given, "columns"):
        given = given.to_numpy().tolist()
    mask = np.asarray(given) if hasattr(given, "__array__") else None
    if p == 1 and mask is not None and mask.dtype == bool and mask.shape == (G.num_nodes,):
        given = np.flatnonzero(mask)[:, None]
    try:
        rows = as_sets(G, given)
    except TargetError as error:
        raise TargetError(f"{what}: {error}") from None
    if not len(rows):
        raise TargetError(f"{what}: there are no sets; give at least one.")
    if rows.shape[1] != p:
        raise TargetError(f"{what}: sets of {p} node{'s' if p > 1 else ''} are wanted, not of {rows.shape[1]}.")
    return np.sort(rows, axis=1)


def named(G: Graph, nodes: Sequence[int] | Ints) -> str:
    """A set by the names of its nodes, for a sentence."""
    return "{" + ", ".join(G.names[int(v)] for v in nodes) + "}"


def no_set_twice(G: Graph, parts: Mapping[str, Ints]) -> None:
    """A TargetError if a set is given twice, in one part or in two, in whatever order its nodes stand."""
    ordered = np.sort(np.concatenate(list(parts.values())), axis=1)
    part = np.repeat(np.arange(len(parts)), [len(rows) for rows in parts.values()])
    _, place, count = np.unique(ordered, axis=0, return_inverse=True, return_counts=True)
    if (count > 1).any():
        twice = np.flatnonzero(place.reshape(-1) == count.argmax())[:2]
        first, second = (list(parts)[part[row]] for row in twice)
        where = f"twice in {first}" if first == second else f"in {first} and in {second}"
        raise TargetError(
            f"The target set {named(G, ordered[twice[0]])} is given twice, {where}; it could be learnt in one part "
            "and asked in another. Give each set once."
        )


# ---- links -----------------------------------------------------------------------------------------------------------


def own_links(
    G: Graph, given: Mapping[str, Any], negatives: Any, rng: np.random.Generator, split: Any, max_positives: int | None
) -> tuple[Graph, Parts, Parts]:
    """The full graph, and the links and the negatives of each part, as they were given or, where not, drawn."""
    links: Parts
    if all(rows is None for rows in given.values()):
        drawn = rng.permutation(G.edges)[:max_positives]
        full, links = G, in_three(drawn, checked_shares(split), "links")
    else:
        if max_positives is not None or tuple(split) != EIGHTY_TEN_TEN:
            raise ParameterError("split= and max_positives= are for parts that are drawn; leave them out with val=.")
        full, links = _given_links(G, given)
    return full, links, _negatives(full, links, negatives, rng)


def _given_links(G: Graph, given: Mapping[str, Any]) -> tuple[Graph, Parts]:
    if given["val"] is None or given["test"] is None:
        raise ParameterError("Own parts are given as val= and test=, both; train= is by default all other edges.")
    held_out = [given_sets(G, given[part], 2, part) for part in ("val", "test")]
    if given["train"] is None:
        n = np.array([G.num_nodes, 1])
        train = G.edges[~np.isin(G.edges @ n, np.concatenate(held_out) @ n)]
    else:
        train = given_sets(G, given["train"], 2, "train")
    if not len(train):
        raise TargetError("No edge is left for training; validation and test hold them all.")
    links = [train, *held_out]
    no_set_twice(G, dict(zip(PARTS, links, strict=True)))
    if not (there := G.has_edges(train)).all():
        pair = named(G, train[~there][0])
        raise TargetError(f"train: {pair} is not an edge of the graph; links to learn from must be in it.")
    asked = np.concatenate(held_out)
    there = G.has_edges(asked)
    if there.any() and not there.all():
        raise TargetError(
            f"Of {len(asked):,} links held out {int(there.sum()):,} are in the graph, such as "
            f"{named(G, asked[there][0])}, and the others are not, such as {named(G, asked[~there][0])}. Give the "
            "whole graph, and all are taken out of it; or the training graph, and none may be in it."
        )
    return (G if there.all() else _with_edges(G, asked)), links


def _with_edges(G: Graph, pairs: Ints) -> Graph:
    indptr, indices, _ = clean_csr(np.concatenate([G.edges, pairs]), G.num_nodes)
    return replace(G, indptr=frozen(indptr), indices=frozen(indices))


def _negatives(full: Graph, links: Parts, given: Any, rng: np.random.Generator) -> Parts:
    """Those given, all of them; as many as there are links where none are."""
    sizes = dict(zip(PARTS, map(len, links), strict=True))
    if isinstance(given, Mapping):
        for name in given:
            one_of("part of negatives", name, PARTS)
        own = {name: given_sets(full, rows, 2, f"negatives of {name}") for name, rows in given.items()}
    elif given is not None:
        rows = rng.permutation(given_sets(full, given, 2, "negatives"))
        own = dict(zip(PARTS, in_three(rows, _as_shares(sizes), "negatives"), strict=True))
    else:
        own = {}
    if own:
        no_set_twice(full, {f"negatives of {name}": rows for name, rows in own.items()})
        every = np.concatenate(list(own.values()))
        if (linked := full.has_edges(every)).any():
            raise TargetError(
                f"The negative {named(full, every[linked][0])} is a link; {int(linked.sum()):,} of {len(every):,} are. "
                "Give pairs that are no edge of the graph, held-out ones included."
            )
    taken = np.unique(np.concatenate([full.edges, *own.values()]), axis=0)
    lacking = {name: size for name, size in sizes.items() if name not in own}
    drawn = negatives_of(full, taken, sum(lacking.values()), rng, "links") if lacking else taken[:0]
    own |= dict(zip(lacking, np.split(drawn, np.cumsum(list(lacking.values()))[:-1]), strict=True)) if lacking else {}
    return [own[name] for name in PARTS]


def _as_shares(sizes: Mapping[str, int]) -> tuple[float, float, float]:
    train, val, test = (size / sum(sizes.values()) for size in sizes.values())
    return train, val, test


# ---- labelled sets ---------------------------------------------------------------------------------------------------


def own_nodes(G: Graph, given: Mapping[str, Any], split: Any) -> tuple[Ints, Any]:
    """The labelled nodes, and the split; or the given nodes, and the part of each."""
    assert G.labels is not None
    nodes = np.flatnonzero(G.labels >= 0)
    if all(part is None for part in given.values()):
        return nodes, split
    if given["val"] is None or given["test"] is None or tuple(split) != EIGHTY_TEN_TEN:
        raise ParameterError(
            "Own parts are given as val= and test=, both, and without split=; train= is by default every other "
            "labelled node."
        )
    parts = {name: given_sets(G, part, 1, name) for name, part in given.items() if part is not None}
    if "train" not in parts:
        parts["train"] = np.setdiff1d(nodes, np.concatenate(list(parts.values())))[:, None]
    no_set_twice(G, parts)
    chosen = np.concatenate(list(parts.values()))[:, 0]
    if (unlabelled := chosen[G.labels[chosen] < 0]).size:
        raise TargetError(f"Node {G.names[unlabelled[0]]} has no label; leave it out of train, val and test.")
    return chosen, np.repeat(list(parts), [len(part) for part in parts.values()]).tolist()


def words_of(G: Graph, labels: Sequence[int]) -> tuple[str, ...]:
    """The words that the labels of a graph were given as; () if they were numbers, or are not told apart by words."""
    if "label" not in G.info:
        return ()
    words = [{str(word) for word in np.asarray(G.info["label"])[G.labels == label]} for label in labels]
    one_each = all(len(word) == 1 for word in words) and len(set().union(*words)) == len(words)
    return tuple(word.pop() for word in words) if one_each else ()


def own_parts(words: Any, count: int) -> Parts:
    """Which sets are in which part, from one word for each. Rows of the sets, ascending.

    Examples
    --------
    >>> [rows.tolist() for rows in own_parts(["train", "test", "train", "val"], 4)]
    [[0, 2], [3], [1]]
    """
    given = [str(word) for word in words]
    if len(given) != count:
        raise ParameterError(f"split names a part for each set: {count:,} are wanted, {len(given):,} were given.")
    for word in given:
        one_of("part", word, PARTS)
    rows = [np.flatnonzero(np.array(given) == part) for part in PARTS]
    for part, there in zip(PARTS, rows, strict=True):
        if not len(there):
            raise TargetError(f"No set is in {part}; each part needs at least one.")
    return rows


def are_words(split: Any) -> bool:
    """Whether a split is given as one word for each set, and not as three shares."""
    return not isinstance(split, str) and hasattr(split, "__iter__") and isinstance(next(iter(split), None), str)


def warn_of_unlearnt(codes: Ints, parts: Parts, names: Sequence[str]) -> None:
    """Warns of a class that is asked for and never learnt."""
    unlearnt = [names[c] for c in np.setdiff1d(np.concatenate([codes[rows] for rows in parts[1:]]), codes[parts[0]])]
    if unlearnt:
        words = f"No training set is of {', '.join(unlearnt[:5])}: it is asked for, and never learnt."
        warnings.warn(words, stacklevel=4)


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
    found, codes = np.unique(given if words else given.astype(np.int64), return_inverse=True)
    order = found.tolist()
    names = order if words and class_names is None else _names(order, class_names)
    if words and not isinstance(class_names, Mapping | None):
        one_of("class_names", sorted(names), [order])
        codes = np.array([names.index(word) for word in order])[codes]
    return codes.astype(np.int64), tuple(range(len(order))) if words else tuple(order), tuple(names)


def _names(labels: list[Any], given: Any) -> list[str]:
    """What the classes of these labels are called; [] if nobody said."""
    if given is None:
        return []
    names: list[Any] = []
    if isinstance(given, Mapping):
        names = [given.get(label) for label in labels]
    elif isinstance(given, Sequence) and not isinstance(given, str):
        names = list(given)
    if len({*names} - {None, ""}) != len(labels) or not all(isinstance(name, str) for name in names):
        raise ParameterError(
            f"class_names must be {len(labels)} different names, for the labels {shown(labels)}, not {shown(given)}."
        )
    return names


# ---- leaks -----------------------------------------------------------------------------------------------------------


def warn_of_leaks(full: Graph, training: Graph) -> None:
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


def without_inner_edges(G: Graph, sets: Ints) -> Graph:
    """G without the edges between nodes of the same set."""
    i, j = np.triu_indices(sets.shape[1], k=1)
    pairs = np.stack([sets[:, i].ravel(), sets[:, j].ravel()], axis=1)
    return G.without_edges(pairs[G.has_edges(pairs)]) if len(pairs) else G
