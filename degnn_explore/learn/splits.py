"""How target sets are split and drawn: shares, negatives, triangles, and parts that you bring."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import GraphError, ParameterError, TargetError, check_choice, short_repr
from ..engine.request import as_sets
from ..graphs.graph import Graph

Ints = NDArray[np.int64]
Parts = Sequence[Ints]  # of training, validation and test
PARTS = ("train", "val", "test")
WEDGES_AT_ONCE = 4_000_000
_SUSPICIOUS = 0.5  # partial rank correlation of an attribute with the degrees of the full graph


# ---- shares ----------------------------------------------------------------------------------------------------------


def checked_shares(split: Sequence[float]) -> tuple[float, float, float]:
    try:
        train, val, test = (float(share) for share in split)
    except (TypeError, ValueError):
        raise ParameterError(f"split must be three shares such as (0.8, 0.1, 0.1), not {short_repr(split)}.") from None
    if not (min(train, val, test) > 0 and abs(train + val + test - 1) <= 1e-6):  # so that NaN fails
        raise ParameterError(f"split must be three positive shares that add up to 1, not {short_repr(split)}.")
    return train, val, test


def split_rows(rows: Ints, shares: tuple[float, float, float], what: str) -> tuple[Ints, Ints, Ints]:
    """Rows in three parts by the shares, at least one in each."""
    if len(rows) < 3:
        raise TargetError(
            f"There are {len(rows)} {what}, too few to have one each for training, validation and test; "
            "at least 3 are needed."
        )
    test = max(1, round(shares[2] * len(rows)))
    val = min(max(1, round(shares[1] * len(rows))), len(rows) - test - 1)
    if val < 1:
        test, val = len(rows) - 2, 1
    return rows[test + val :], rows[:val], rows[val : val + test]


def split_by_class(
    codes: Ints, names: Sequence[Any], shares: tuple[float, float, float], rng: np.random.Generator
) -> list[Ints]:
    """The rows of each part, ascending: of every class its share."""
    parts: list[list[Ints]] = [[], [], []]
    for code, name in enumerate(names):
        members = rng.permutation(np.flatnonzero(codes == code))
        for part, rows in zip(parts, split_rows(members, shares, f"sets of class {name}"), strict=True):
            part.append(rows)
    return [np.sort(np.concatenate(part)) for part in parts]


def split_by_words(words: Any, count: int) -> Parts:
    """Which sets are in which part, from one word for each. Rows of the sets, ascending.

    Examples
    --------
    >>> [rows.tolist() for rows in split_by_words(["train", "test", "train", "val"], 4)]
    [[0, 2], [3], [1]]
    """
    given = [str(word) for word in words]
    if len(given) != count:
        raise ParameterError(f"split needs a part for each of the {count:,} sets; {len(given):,} were given.")
    for word in given:
        check_choice("part", word, PARTS)
    rows = [np.flatnonzero(np.array(given) == part) for part in PARTS]
    for part, there in zip(PARTS, rows, strict=True):
        if not len(there):
            raise TargetError(f"No set is in {part}; each part needs at least one.")
    return rows


def are_words(split: Any) -> bool:
    """Whether a split is given as one word for each set, and not as three shares."""
    return not isinstance(split, str) and hasattr(split, "__iter__") and isinstance(next(iter(split), None), str)


# ---- negatives -------------------------------------------------------------------------------------------------------


def draw_negatives(
    full: Graph,
    graph: Graph,
    positives: Ints,
    learned: Ints,
    sizes: Sequence[int],
    rng: np.random.Generator,
    kind: str,
    taken: Ints | None = None,
) -> list[Ints]:
    """Negatives of training, validation and test; none occurs twice.

    Held-out negatives are no positives of the full graph. Training negatives are drawn as if the full graph were not
    known: any set that is neither learned as a positive nor closed in the training graph, so that a held-out positive
    is drawn as often as any other set.

    Parameters
    ----------
    full, graph
        The full graph and the training graph.
    positives, learned
        All positives of the full graph, and those of training.
    sizes
        How many of training, validation and test.
    taken
        Further sets that may not be drawn.
    """
    taken = positives[:0] if taken is None else taken
    held_out = negatives_of(full, unique_sets(positives, taken), sum(sizes[1:]), rng, kind)
    known = unique_sets(known_in_training(graph, positives, learned), held_out, taken)
    train = negatives_of(full, known, sizes[0], rng, kind)
    return [train, held_out[: sizes[1]], held_out[sizes[1] :]]


def known_in_training(graph: Graph, positives: Ints, learned: Ints) -> Ints:
    """The positives that training knows: those that it learns, and those that are closed in its graph."""
    return unique_sets(learned, positives[closed(graph, positives)])


def negatives_of(
    G: Graph, positives: Ints, count: int, rng: np.random.Generator, kind: str, repeat: bool = False
) -> Ints:
    """``count`` different sorted p-sets of nodes, uniform among those not given; ``repeat``: not all different.

    ``positives`` are sorted sets without repeats, [k, p].
    """
    n, p = G.num_nodes, positives.shape[1]
    if n**p - 1 > np.iinfo(np.int64).max:
        raise GraphError(f"A graph of {n:,} nodes is too large for {kind}; at most {2**21:,} nodes for triangles.")
    available = comb(n, p) - len(positives)
    if not count:
        return positives[:0]
    if available < (1 if repeat else count):
        raise TargetError(
            f"The graph is too dense: the task needs {count:,} negatives, one for each positive, but only "
            f"{available:,} sets of {p} nodes are left to draw from. Use max_positives= to take fewer {kind}."
        )
    taken = np.sort(keys_of(positives, n))
    if available <= 4 * max(count, len(positives) // 16):  # dense: list them all, at most 5 per positive, and choose
        everything = subsets(n, p)
        free = everything[~is_among(keys_of(everything, n), taken)]
        return free[rng.integers(len(free), size=count) if repeat else rng.permutation(len(free))[:count]]
    drawn = np.empty((0, p), dtype=np.int64)
    while len(drawn) < count:
        wanted = 1.2 * (count - len(drawn)) * comb(n, p) / available
        draws = np.sort(rng.integers(n, size=(int(wanted) + 64, p)), axis=1)
        draws = draws[(np.diff(draws, axis=1) > 0).all(axis=1)]
        draws = np.concatenate([drawn, draws[~is_among(keys_of(draws, n), taken)]])
        if repeat:
            drawn = draws
            continue
        _, first = np.unique(keys_of(draws, n), return_index=True)
        drawn = draws[np.sort(first)]  # in the order drawn, so that the choice stays uniform
    return drawn[:count]


def keys_of(sets: Ints, n: int) -> Ints:
    """One whole number for each sorted set: its digits in base n."""
    key = sets[:, 0].astype(np.int64)
    for column in sets.T[1:]:
        key = key * n + column
    return key


def is_among(keys: Ints, ordered: Ints) -> NDArray[np.bool_]:
    """Whether each key is in the sorted array."""
    place = np.minimum(np.searchsorted(ordered, keys), max(len(ordered) - 1, 0))
    return ordered[place] == keys if len(ordered) else np.zeros(len(keys), dtype=bool)


def unique_sets(*parts: Ints) -> Ints:
    """The sets of all parts, each once, in the order of their nodes."""
    sets = np.concatenate(parts)
    n, p = int(sets.max(initial=0)) + 1, sets.shape[1]
    if n**p > np.iinfo(np.int64).max:
        return np.unique(sets, axis=0)
    keys = np.sort(keys_of(sets, n))  # np.unique of rows takes several times as long
    keys = keys[np.diff(keys, prepend=-1) > 0]
    return np.stack(np.unravel_index(keys, (n,) * p), axis=1).astype(np.int64)


def subsets(n: int, p: int) -> Ints:
    """All sorted p-sets of 0..n-1. [C(n, p), p]"""
    sets = np.arange(n, dtype=np.int64)[:, None]
    for _ in range(p - 1):
        sets = _extend(sets, n - 1 - sets[:, -1], sets[:, -1] + 1)
    return sets


def _extend(sets: NDArray[Any], counts: Ints, start: Ints) -> Ints:
    """Each row i repeated counts[i] times, with start[i], start[i]+1, ... appended."""
    offset = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.column_stack([np.repeat(sets, counts, axis=0), np.repeat(start, counts) + offset])


# ---- sets and edges --------------------------------------------------------------------------------------------------


def triangles(G: Graph) -> Ints:
    """All closed triads u < v < w, sorted. [k, 3]"""
    # edges point from lower to higher degree, which bounds the wedges to look at by m^1.5
    order = np.lexsort((np.arange(G.num_nodes), G.degrees))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    a, b = rank[G.edges].min(axis=1), rank[G.edges].max(axis=1)
    by_source = np.lexsort((b, a))
    a, b = a[by_source], b[by_source]
    ends = np.searchsorted(a, a, side="right")  # wedges of edge i: the later edges with the same source
    later = ends - np.arange(len(a)) - 1
    closed_triads = [np.empty((0, 3), dtype=np.int64)]
    bounds = np.searchsorted(np.cumsum(later), np.arange(0, max(1, later.sum()), WEDGES_AT_ONCE)).tolist()
    for low, high in zip(bounds, [*bounds[1:], len(a)], strict=True):
        wedge = _extend(np.arange(low, high)[:, None], later[low:high], np.arange(low, high) + 1)
        triad = np.column_stack([order[a[wedge[:, 0]]], order[b[wedge[:, 0]]], order[b[wedge[:, 1]]]])
        closed_triads.append(triad[G.has_edges(triad[:, 1:])])
    triads = np.sort(np.concatenate(closed_triads), axis=1)
    return triads[np.lexsort(triads.T[::-1])]


def inner_pairs(sets: Ints) -> Ints:
    """The pairs of nodes inside each set. [k, p (p - 1) / 2, 2]"""
    i, j = np.triu_indices(sets.shape[1], k=1)
    return np.stack([sets[:, i], sets[:, j]], axis=2)


def closed(graph: Graph, sets: Ints) -> NDArray[np.bool_]:
    """Whether all nodes of each set are linked to each other. [k]"""
    pairs = inner_pairs(sets)
    return np.asarray(graph.has_edges(pairs.reshape(-1, 2)).reshape(pairs.shape[:2]).all(axis=1))


def without_inner_edges(G: Graph, sets: Ints) -> Graph:
    """G without the edges between nodes of the same set."""
    pairs = inner_pairs(sets).reshape(-1, 2)
    return G.without_edges(pairs[G.has_edges(pairs)]) if len(pairs) else G


def given_sets(G: Graph, given: Any, p: int, what: str) -> Ints:
    """Sets of p nodes by name or number: a list, an array or tensor [k, p], a table of p columns, a mask of the nodes.

    Numbers in a table are a reader's own ids, so that one that could mean two nodes is refused. [k, p], rows sorted

    Examples
    --------
    >>> given_sets(Graph.from_edges([("a", "b"), ("b", "c")]), [("a", "c")], 2, "train")
    array([[0, 2]])
    """
    if hasattr(given, "columns"):
        given = given.to_numpy().tolist()
    elif hasattr(given, "__array__"):
        given = np.asarray(given)
        if p == 1 and given.dtype == bool and given.shape == (G.num_nodes,):
            given = np.flatnonzero(given)[:, None]
        if p == 2 and given.ndim == 2 and len(given) == 2 != given.shape[1]:
            shape = list(given.shape)
            raise TargetError(f"{what}: pairs are expected as [k, 2], not {shape} like PyG's edge_index; transpose it.")
    try:
        rows = as_sets(G, given)
    except TargetError as error:
        raise TargetError(f"{what}: {error}") from None
    if not len(rows):
        raise TargetError(f"{what}: there are no sets; give at least one.")
    if rows.shape[1] != p:
        raise TargetError(f"{what}: sets of {p} node{'s' if p > 1 else ''} are expected, not of {rows.shape[1]}.")
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
            f"The target set {named(G, ordered[twice[0]])} is given twice, {where}; a model could learn in one part "
            "what it is tested on in another. Give each set once."
        )


# ---- warnings --------------------------------------------------------------------------------------------------------


def warn_of_unlearned(codes: Ints, parts: Parts, names: Sequence[str]) -> None:
    """Warn if validation or test has a class that training does not have."""
    unlearned = [names[c] for c in np.setdiff1d(np.concatenate([codes[rows] for rows in parts[1:]]), codes[parts[0]])]
    if unlearned:
        words = f"No training set is of {', '.join(unlearned[:5])}, but validation or test sets are."
        warnings.warn(words, stacklevel=4)


def warn_of_leaking_attributes(full: Graph, training: Graph) -> None:
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
    if leaking := [f"{column} ({value:.2f})" for column, value in enumerate(partial) if abs(value) > _SUSPICIOUS]:
        warnings.warn(
            f"Attribute column {', '.join(leaking[:5])} follows the degrees of the full graph more than those of the "
            "training graph (partial rank correlation), as if it was computed before the held-out links were taken "
            "out: it may give them away. Compute it on task.graph, or leave it out; every model has the degrees.",
            stacklevel=4,
        )
