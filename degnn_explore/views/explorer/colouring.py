"""From library values to a legend: which nodes share a colour, what that colour is called, how many there are.

Both sides are always coloured together, so that one colour means the same thing in both graphs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...common.palette import UNREACHABLE, categorical, sequential, text_on
from ...encodings.encodings import DRNL, LandingProbability, PageRank
from ...expressive.refinement import colours
from ...graphs.distances import distances
from ...graphs.graph import Graph

__all__ = ["Colouring", "Entry", "by_class", "by_distance", "by_drnl", "by_pagerank", "by_walk", "multiset"]

Ints = NDArray[np.int64]
Pick = tuple[Graph, Sequence[int]]
"""A graph and its targets, possibly none yet."""

MAX_LISTED = 24
MAX_CLASSES = 400
_BINS = 8


@dataclass(frozen=True)
class Entry:
    """One colour of the legend: what it means, the text inside its nodes, and how many nodes a side has."""

    label: str
    mark: str
    colour: str
    counts: tuple[int, ...] | None = None

    def as_dict(self) -> dict[str, Any]:
        """For the canvas, with the colour of text on it."""
        return {
            "label": self.label,
            "mark": self.mark,
            "colour": self.colour,
            "ink": text_on(self.colour),
            "counts": None if self.counts is None else list(self.counts),
        }


@dataclass(frozen=True)
class Colouring:
    """A code for each node of each side, and an entry for each code.

    Attributes
    ----------
    codes
        For each side, int [n].
    entries
        What each code means.
    title, note
        What is shown, and what a reader should know or do about it.
    values
        For each side, float [n], where a code is only a bin of a real value.
    """

    codes: tuple[Ints, ...]
    entries: tuple[Entry, ...]
    title: str
    note: str = ""
    values: tuple[NDArray[np.float64], ...] | None = None

    def label(self, side: int, node: int) -> str:
        """What the node's colour says."""
        return self.entries[int(self.codes[side][node])].label


def multiset(values: Sequence[int]) -> str:
    """Distances as text: one as a number, several as a multiset, many with counts; ∞ stands for unreachable (-1).

    Examples
    --------
    >>> multiset([2]), multiset([2, 1]), multiset([-1, 1]), multiset([1, 0, 1, 1, 2])
    ('2', '{1,2}', '{1,∞}', '{0, 1×3, 2}')
    """
    ordered = sorted(values, key=lambda d: (d < 0, d))
    texts = ["∞" if d < 0 else str(d) for d in ordered]
    if len(texts) > 4:
        counted = [f"{d}×{k}" if (k := texts.count(d)) > 1 else d for d in dict.fromkeys(texts)]
        return "{" + ", ".join(counted) + "}"
    return texts[0] if len(texts) == 1 else "{" + ",".join(texts) + "}"


def by_distance(picks: Sequence[Pick], cut: bool = False) -> Colouring:
    """Colours by the multiset of shortest-path distances to S.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> [(e.label, e.counts) for e in by_distance([(path, [0, 1])]).entries[:-1]]
    [('{0,1}', (2,)), ('{1,2}', (1,)), ('{2,3}', (1,))]
    """
    keys: list[list[tuple[int, ...]] | None] = []
    inverse: list[Ints | None] = []
    for graph, S in picks:
        if not len(S):
            keys.append(None)
            inverse.append(None)
            continue
        far = distances(graph, list(S), cut)  # [p, n]
        ordered = np.sort(np.where(far < 0, np.iinfo(np.int32).max, far), axis=0).T  # [n, p], unreachable last
        if len(S) == 1:  # much faster than unique rows, and the case that must be fast
            rows, place = np.unique(ordered[:, 0], return_inverse=True)
            rows = rows[:, None]
        else:
            rows, place = np.unique(ordered, axis=0, return_inverse=True)
        rows = np.where(rows == np.iinfo(np.int32).max, -1, rows)
        keys.append([tuple(row) for row in rows.tolist()])
        inverse.append(place.reshape(-1).astype(np.int64))
    seen = {row for rows_ in keys if rows_ for row in rows_}
    classes = sorted(seen, key=lambda row: (-1 in row, sum(d for d in row if d >= 0), row))
    lost = [row for row in classes if set(row) == {-1}]
    palette = dict(zip([c for c in classes if c not in lost], sequential(len(classes) - len(lost)), strict=True))
    labels = {row: multiset(row) for row in classes}
    marks = {row: text.strip("{}") if len(row) <= 4 else "" for row, text in labels.items()}
    return _from_keys(picks, keys, inverse, classes, labels, marks, palette, "distance to S")


def by_drnl(picks: Sequence[Pick], cut: bool = False) -> Colouring:
    """Colours by SEAL's label, which exists for pairs alone.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> [(e.label, e.counts) for e in by_drnl([(path, [0, 2])]).entries[:-1]]
    [('label 1', (2,)), ('label 2', (1,))]
    """
    keys: list[list[tuple[int, ...]] | None] = []
    inverse: list[Ints | None] = []
    for graph, S in picks:
        if len(S) != 2:
            keys.append(None)
            inverse.append(None)
            continue
        values, place = np.unique(
            DRNL(max_dist=max(graph.num_nodes, 1)).labels(graph, list(S), cut), return_inverse=True
        )
        keys.append([(int(v),) for v in values])
        inverse.append(place.astype(np.int64))
    classes = sorted({row for rows in keys if rows for row in rows}, key=lambda row: (row[0] == 0, row))
    palette = dict(zip([c for c in classes if c[0]], sequential(len(classes) - ((0,) in classes)), strict=True))
    labels = {row: f"label {row[0]}" if row[0] else "label 0 (unreachable)" for row in classes}
    marks = {row: str(row[0]) for row in classes}
    odd = [len(S) for _, S in picks if len(S) != 2]
    note = f"DRNL is defined for pairs: pick two targets (now {odd[0]})" if odd else ""
    return _from_keys(picks, keys, inverse, classes, labels, marks, palette, "DRNL", note)


def _from_keys(
    picks: Sequence[Pick],
    keys: Sequence[list[tuple[int, ...]] | None],
    inverse: Sequence[Ints | None],
    classes: list[tuple[int, ...]],
    labels: dict[tuple[int, ...], str],
    marks: dict[tuple[int, ...], str],
    palette: dict[tuple[int, ...], str],
    title: str,
    note: str = "",
) -> Colouring:
    place = {row: i for i, row in enumerate(classes)}
    codes = []
    for (graph, _), rows, where in zip(picks, keys, inverse, strict=True):
        if rows is None or where is None:
            codes.append(np.full(graph.num_nodes, len(classes), dtype=np.int64))
        else:
            codes.append(np.array([place[row] for row in rows], dtype=np.int64)[where])
    entries = [Entry(labels[row], marks[row], palette.get(row, UNREACHABLE)) for row in classes]
    return _counted(codes, entries, title, note or _empty_note(picks))


def _empty_note(picks: Sequence[Pick]) -> str:
    empty = [i for i, (_, S) in enumerate(picks) if not len(S)]
    if not empty:
        return ""
    return (
        "click a node to pick a target"
        if len(picks) == 1
        else f"click a node of {' and '.join('AB'[i] for i in empty)} to pick a target"
    )


def _counted(
    codes: Sequence[Ints],
    entries: Sequence[Entry],
    title: str,
    note: str = "",
    values: Sequence[NDArray[np.float64]] | None = None,
) -> Colouring:
    """Adds the counts, and one grey entry at the end for nodes of a side without targets."""
    counts = np.stack([np.bincount(c, minlength=len(entries) + 1) for c in codes], axis=1)  # [entries + 1, sides]
    listed = [
        Entry(e.label, e.mark, e.colour, tuple(int(x) for x in counts[i]) if i < MAX_LISTED else None)
        for i, e in enumerate(entries)
    ]
    if len(entries) > MAX_LISTED:
        note = "; ".join(filter(None, [note, f"and {len(entries) - MAX_LISTED:,} more, shown when you hover"]))
    if len(codes) > 1 and len(entries):
        note = "; ".join(filter(None, ["counts: A | B", note]))
    listed.append(Entry("", "", UNREACHABLE))
    return Colouring(tuple(codes), tuple(listed), title, note, None if values is None else tuple(values))


def by_walk(picks: Sequence[Pick], step: int, cut: bool = False) -> Colouring:
    """Colours by the landing probability at one step: where a walk from S is after ``step`` steps.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> [(e.label, e.counts) for e in by_walk([(path, [0])], step=2).entries[:-1]]
    [('0', (1,)), ('1/2', (2,))]
    """
    values = [
        LandingProbability(steps=step).encode(graph, list(S), cut)[:, step]
        if len(S)
        else np.full(graph.num_nodes, np.nan)
        for graph, S in picks
    ]
    return _by_value(picks, values, f"landing probability at step {step}")


def by_pagerank(picks: Sequence[Pick], cut: bool = False) -> Colouring:
    """Colours by personalised PageRank from S, in bins of equal ratio.

    Examples
    --------
    >>> by_pagerank([(Graph.from_edges([(0, 1), (1, 2)]), [1])]).entries[0].counts
    (2,)
    """
    values = [
        PageRank().encode(graph, list(S), cut)[:, 0] if len(S) else np.full(graph.num_nodes, np.nan)
        for graph, S in picks
    ]
    return _by_value(picks, values, "PageRank from S (α = 0.9)")


def _number(x: float) -> str:
    """A small fraction where the number is one, else three digits.

    >>> _number(2 / 27), _number(0.123456), _number(3.0)
    ('2/27', '0.123', '3')
    """
    near = Fraction(x).limit_denominator(400)
    if abs(float(near) - x) < 1e-10 and near.denominator <= 400:
        return str(near)
    return f"{x:.3g}"


def _by_value(picks: Sequence[Pick], values: list[NDArray[np.float64]], title: str) -> Colouring:
    together = np.concatenate(values)
    known = np.round(together[~np.isnan(together)], 11)
    unique = np.unique(known)
    if len(unique) <= 12:
        levels = unique
        labels = [_number(float(x)) for x in levels]
        coded = [
            np.where(np.isnan(v), len(levels), np.searchsorted(levels, np.round(np.nan_to_num(v), 11))) for v in values
        ]
        exact = None
    else:  # zero apart (a walk cannot be there), then bins of equal ratio
        positive = unique[unique > 0]
        cuts = np.geomspace(positive[0], positive[-1], _BINS + 1)
        zero = int(unique[0] <= 0)
        labels = ["0"] * zero + [f"{_short(a)} – {_short(b)}" for a, b in pairwise(cuts)]
        coded = []
        for v in values:
            bins = np.clip(np.searchsorted(cuts, np.nan_to_num(v), side="right") - 1, 0, _BINS - 1) + zero
            bins = np.where(np.nan_to_num(v) <= 0, 0, bins)
            coded.append(np.where(np.isnan(v), len(labels), bins))
        exact = [np.nan_to_num(v) for v in values]
    # high values dark, as distance 0 is: dark means "near S" in every legend
    palette = sequential(len(labels))[::-1]
    entries = [
        Entry(label, label if len(label) <= 5 and "–" not in label else "", colour)
        for label, colour in zip(labels, palette, strict=True)
    ]
    return _counted([c.astype(np.int64) for c in coded], entries, title, _empty_note(picks), exact)


def _short(x: float) -> str:
    return f"{x:.2g}"


def by_class(picks: Sequence[Pick], method: str, layer: int, hops: int = 2, cut: bool = False) -> Colouring:
    """Colours by the class of the "proper" GNN after ``layer`` layers.

    The largest part of a class keeps its colour when the class splits, so that stepping through the
    layers shows what each one adds.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> [(e.label, e.counts) for e in by_class([(path, [0])], "1-WL", layer=1).entries[:-1]]
    [('class a', (2,)), ('class b', (1,))]
    """
    encoding = None
    if method == "DE-LP":
        total = sum(graph.num_nodes for graph, _ in picks)
        encoding = LandingProbability(steps=total if total <= 200 else 32)
    history = []
    for graph, S in picks:
        if method == "1-WL":
            history.append(colours(graph.cut(list(S)) if cut and len(S) else graph, layers=layer))
        elif len(S):
            history.append(
                colours(graph, list(S), encoding, hops=hops if method == "DEA-SPD" else 1, layers=layer, cut=cut)
            )
        else:
            history.append(np.full((layer + 1, graph.num_nodes), -1, dtype=np.int64))
    together = np.concatenate(history, axis=1)  # [layers + 1, all nodes]
    number = _stable_numbers(together)
    known = together[0] >= 0
    count = int(number[known].max()) + 1 if known.any() else 0
    if count > MAX_CLASSES:  # more could neither be told apart nor be sent quickly
        number[known] = np.minimum(number[known], MAX_CLASSES)
    rest = count - MAX_CLASSES
    count = min(count, MAX_CLASSES + 1)
    number[~known] = count
    entries = [Entry(f"class {_letters(i)}", _letters(i), colour) for i, colour in enumerate(categorical(count))]
    if rest > 0:
        entries[-1] = Entry(f"one of {rest:,} further classes", "", UNREACHABLE)
    codes = np.split(number, np.cumsum([graph.num_nodes for graph, _ in picks])[:-1])
    note = "" if method == "1-WL" else _empty_note(picks)
    return _counted(codes, entries, f"{method} after {layer} {'layer' if layer == 1 else 'layers'}", note)


def _stable_numbers(history: Ints) -> Ints:
    """Number the classes of the last layer; the largest part of a class that splits keeps its number."""
    number = np.zeros(history.shape[1], dtype=np.int64)
    fresh = 1
    before = np.zeros(history.shape[1], dtype=np.int64)
    for colour in history:
        _, first, place, size = np.unique(
            np.stack([before, colour]), axis=1, return_index=True, return_inverse=True, return_counts=True
        )
        place = place.reshape(-1)
        order = sorted(range(len(first)), key=lambda k: (-int(size[k]), int(first[k])))
        taken: set[int] = set()
        new = np.empty(len(first), dtype=np.int64)
        for k in order:
            parent = int(number[first[k]])
            if parent in taken:
                new[k], fresh = fresh, fresh + 1
            else:
                taken.add(parent)
                new[k] = parent
        number = new[place]
        before = number
    return number


def _letters(i: int) -> str:
    """a, b, ..., z, aa, ab, ...

    >>> _letters(0), _letters(25), _letters(26)
    ('a', 'z', 'aa')
    """
    text = ""
    i += 1
    while i:
        i, rest = divmod(i - 1, 26)
        text = chr(97 + rest) + text
    return text
