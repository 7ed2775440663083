"""From library values to a legend: which nodes share a colour, what that colour is called, how many there are.

Both sides are always coloured together, so that one colour means the same thing in both graphs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...common.palette import UNREACHABLE, categorical, sequential, steady, text_on
from ...encodings.base import FAR, Encoding
from ...encodings.own import OWN
from ...encodings.paths import DRNL, Distance
from ...encodings.walks import LandingProbability, PageRank
from ...expressive.explanations import counted
from ...expressive.methods import method_of
from ...expressive.refinement import colours
from ...graphs.graph import Graph

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Pick = tuple[Graph, Sequence[int] | Ints]  # a graph and its targets, possibly none yet

MAX_LISTED = 24
MAX_CLASSES = 400
MAX_VALUES = 20_000  # a code of the canvas has 16 bits
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
        counts = None if self.counts is None else list(self.counts)
        return {**vars(self), "ink": text_on(self.colour), "counts": counts}


@dataclass(frozen=True)
class Colouring:
    """A code for each node of each side, and what each code means; in ``values`` what a code is only a bin of."""

    codes: tuple[Ints, ...]
    entries: tuple[Entry, ...]
    title: str
    note: str = ""
    values: tuple[Floats, ...] | None = None

    def label(self, side: int, node: int | np.integer[Any]) -> str:
        """What the node's colour says."""
        return self.entries[int(self.codes[side][node])].label


# The encodings that colour a graph, for a step of the walk and graphs of so many nodes.
SHOWN: dict[str, Callable[[int, int], Encoding]] = {
    "SPD": lambda step, nodes: Distance(),
    "LP": lambda step, nodes: LandingProbability(step),
    "PageRank": lambda step, nodes: PageRank(),
    "DRNL": lambda step, nodes: DRNL(nodes),
}


def encoding_of(by: str, step: int, nodes: int) -> Encoding | None:
    """The encoding of that name, of the library or registered; None for what is no encoding."""
    return SHOWN[by](step, nodes) if by in SHOWN else OWN.get(by)


def own_name(by: str) -> str:
    """The registered encoding that is meant by its name, or by DE-name for its classes; "" for anything else."""
    return next((name for name in (by, by.removeprefix("DE-")) if name in OWN), "")


def by_encoding(
    picks: Sequence[Pick], encoding: Encoding, cut: bool = False, column: int = -1, title: str = ""
) -> Colouring:
    """Colours by what an encoding shows of each node: its integers one by one, or a column of real numbers in bins.

    >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> [(e.label, e.counts) for e in by_encoding([(path, [0, 1])], Distance()).entries[:-1]]
    [('{0,1}', (2,)), ('{1,2}', (1,)), ('{2,3}', (1,))]
    >>> [(e.label, e.counts) for e in by_encoding([(path, [0, 2])], DRNL(4)).entries[:-1]]
    [('label 1', (2,)), ('label 2', (1,)), ('label 4', (1,))]
    >>> [(e.label, e.counts) for e in by_encoding([(path, [1])], LandingProbability(2)).entries[:-1]]
    [('0', (2,)), ('1/4', (1,)), ('3/4', (1,))]
    """
    odd = [not len(S) or encoding.num_targets not in (None, len(S)) for _, S in picks]
    shown = [None if bad else encoding.shown(G, np.array(S), cut) for (G, S), bad in zip(picks, odd, strict=True)]
    title, note = title or encoding.title(column), _empty_note(picks)
    if any(odd) and encoding.num_targets is not None:
        one = {1: "single nodes: pick one target", 2: "pairs: pick two targets"}
        wanted = one.get(encoding.num_targets, f"{encoding.num_targets} nodes: pick as many targets")
        note = f"{title} is defined for {wanted} (now {len(picks[odd.index(True)][1])})"
    if any(rows is not None and rows.dtype.kind == "f" for rows in shown):
        values = [
            np.full(G.num_nodes, np.nan) if rows is None else rows[:, column]
            for (G, _), rows in zip(picks, shown, strict=True)
        ]
        return _by_value(values, title, note)
    unique = [None if rows is None else _unique_rows(rows) for rows in shown]
    seen = {row for pair in unique if pair for row in pair[0]}
    classes = sorted(seen, key=lambda row: (FAR in row, sum(x for x in row if x != FAR), row))
    place = {row: min(i, MAX_VALUES) for i, row in enumerate(classes)}
    rest, classes = len(classes) - MAX_VALUES, classes[:MAX_VALUES]
    none = len(classes) + (rest > 0)
    codes = [
        np.full(G.num_nodes, none) if pair is None else np.array([place[row] for row in pair[0]])[pair[1]]
        for (G, _), pair in zip(picks, unique, strict=True)
    ]
    lost = [set(row) == {FAR} for row in classes]
    entries = [
        Entry(
            encoding.legend(row),
            encoding.label(row).strip("{}") if len(row) <= 4 else "",
            UNREACHABLE if grey else steady(_farness(row)),
        )
        for row, grey in zip(classes, lost, strict=True)
    ]
    entries += [Entry(f"one of {rest:,} further values", "", UNREACHABLE)] if rest > 0 else []
    return _counted(codes, entries, title, note)


def _farness(row: tuple[int, ...]) -> float:
    """One number for the distances to all p targets, by their sum, at least p - 1, and by how unlike they are.

    >>> [round(_farness(row), 2) for row in [(0,), (2,), (0, 1), (1, 1), (0, 2), (1, FAR)]]
    [0.0, 2.0, 0.15, 0.9, 1.2, 4.05]
    """
    near = [4 if x == FAR else x for x in row]
    spread = max(near) - min(near)
    return (sum(near) - len(row) + 1) * min(1.0, 1.8 / len(row)) + 0.15 * spread


def _unique_rows(rows: Ints) -> tuple[list[tuple[int, ...]], Ints]:
    """The different rows, and which of them each row is."""
    if rows.shape[1] == 1:  # much faster than unique rows, and the case that must be fast
        values, place = np.unique(rows[:, 0], return_inverse=True)
        return [(value,) for value in values.tolist()], place
    low, high = rows.min(axis=0), rows.max(axis=0)
    if np.prod(high.astype(float) - low + 1) < 2**62:  # as one number each, in the same order: five times as fast
        width = (high - low).astype(np.int64) + 1
        scale = np.append(np.cumprod(width[:0:-1])[::-1], 1)
        _, first, place = np.unique((rows - low) @ scale, return_index=True, return_inverse=True)
        return [tuple(row) for row in rows[first].tolist()], place
    values, place = np.unique(rows, axis=0, return_inverse=True)
    return [tuple(row) for row in values.tolist()], place.reshape(-1)


def _empty_note(picks: Sequence[Pick]) -> str:
    empty = ["AB"[i] for i, (_, S) in enumerate(picks) if not len(S)]
    if not empty:
        return ""
    where = "" if len(picks) == 1 else f" of {' and '.join(empty)}"
    return f"click a node{where} to pick a target"


def _counted(
    codes: Sequence[Ints], entries: list[Entry], title: str, note: str = "", values: Sequence[Floats] | None = None
) -> Colouring:
    """Adds the counts, and one grey entry at the end for nodes of a side without targets."""
    counts = np.stack([np.bincount(c, minlength=len(entries) + 1) for c in codes], axis=1)  # [entries + 1, sides]
    listed = [replace(entry, counts=tuple(counts[i].tolist())) for i, entry in enumerate(entries[:MAX_LISTED])]
    notes = ["counts: A | B"] if len(codes) > 1 and entries else []
    notes += [note] if note else []
    if len(entries) > MAX_LISTED:
        notes.append(f"and {len(entries) - MAX_LISTED:,} more, shown when you hover")
    shown = (*listed, *entries[MAX_LISTED:], Entry("", "", UNREACHABLE))
    return Colouring(tuple(codes), shown, title, "; ".join(notes), None if values is None else tuple(values))


def _number(x: float) -> str:
    """A small fraction where the number is one, else three digits.

    >>> _number(2 / 27), _number(0.123456), _number(3.0)
    ('2/27', '0.123', '3')
    """
    near = Fraction(x).limit_denominator(400)
    return str(near) if abs(float(near) - x) < 1e-10 else f"{x:.3g}"


def _by_value(values: list[Floats], title: str, note: str) -> Colouring:
    """Colours by real numbers: one each where they are few, else bins."""
    together = np.concatenate(values)
    levels = np.unique(np.round(together[~np.isnan(together)], 11))
    plain = [np.nan_to_num(v) for v in values]
    few = len(levels) <= 12
    if few:
        labels = [_number(float(x)) for x in levels]
        marks = [label if len(label) <= 5 else f"{x:.2g}" for label, x in zip(labels, levels, strict=True)]
        codes = [np.searchsorted(levels, np.round(v, 11)) for v in plain]
    else:  # zero apart (a walk cannot be there), then bins of equal ratio; of equal width where some are negative
        below = levels[0] < 0
        zero = int(levels[0] == 0)
        cuts = (np.linspace if below else np.geomspace)(levels[zero], levels[-1], _BINS + 1)
        labels = ["0"] * zero + _ranges(cuts)
        bins = [np.clip(np.searchsorted(cuts, v, side="right") - 1, 0, _BINS - 1) + zero for v in plain]
        marks = [""] * len(labels)
        codes = bins if below else [np.where(v <= 0, 0, where) for v, where in zip(plain, bins, strict=True)]
    codes = [np.where(np.isnan(v), len(labels), code) for v, code in zip(values, codes, strict=True)]
    # high values dark, as distance 0 is: dark means "near S" where high values do
    entries = [
        Entry(label, mark, colour)
        for label, mark, colour in zip(labels, marks, sequential(len(labels))[::-1], strict=True)
    ]
    return _counted(codes, entries, title, note, None if few else plain)


def _ranges(cuts: Floats) -> list[str]:
    """The bins between cuts, with as many digits as tell them apart.

    >>> _ranges(np.array([0.01, 0.1, 1.0])), _ranges(np.array([5.01, 5.02, 5.03]))
    (['0.01 – 0.1', '0.1 – 1'], ['5.01 – 5.02', '5.02 – 5.03'])
    """
    for digits in (2, 3, 4, 6, 9):
        ends = [f"{x:.{digits}g}" for x in cuts]
        if len(set(ends)) == len(ends):
            break
    return [f"{a} – {b}" for a, b in pairwise(ends)]


def by_class(picks: Sequence[Pick], method: str, layer: int, hops: int = 2, cut: bool = False) -> Colouring:
    """Colours by the class of the "proper" GNN after ``layer`` layers.

    The largest part of a class that splits keeps its colour, so that stepping through the layers shows what each adds.
    """
    chosen = method_of(method)
    total = sum(graph.num_nodes for graph, _ in picks)
    encoding = chosen.encoding and chosen.encoding(total if total <= 200 else 33)  # long walks would take a while
    history = []
    for graph, S in picks:
        if encoding is None:
            history.append(colours(graph.cut(S) if cut and len(S) else graph, layers=layer))
        elif len(S):
            history.append(colours(graph, S, encoding, hops if chosen.many_hops else 1, layer, cut))
        else:
            history.append(np.full((layer + 1, graph.num_nodes), -1, dtype=np.int64))
    together = np.concatenate(history, axis=1)  # [layers + 1, all nodes]
    number = _stable_numbers(together)
    known = together[0] >= 0
    count = int(number[known].max()) + 1 if known.any() else 0
    number[known] = np.minimum(number[known], MAX_CLASSES)  # more could neither be told apart nor be sent quickly
    rest = count - MAX_CLASSES
    count = min(count, MAX_CLASSES + 1)
    number[~known] = count
    entries = [Entry(f"class {_letters(i)}", _letters(i), colour) for i, colour in enumerate(categorical(count))]
    if rest > 0:
        entries[-1] = Entry(f"one of {rest:,} further classes", "", UNREACHABLE)
    codes = np.split(number, np.cumsum([graph.num_nodes for graph, _ in picks])[:-1])
    note = "" if encoding is None else _empty_note(picks)
    return _counted(codes, entries, f"classes by {method} after {counted(layer)}", note)


def _stable_numbers(history: Ints) -> Ints:
    """Number the classes of the last layer; the largest part of a class that splits keeps its number."""
    number = np.zeros(history.shape[1], dtype=np.int64)
    fresh = 1
    for colour in history:
        pairs = np.stack([number, colour])
        _, first, place, size = np.unique(pairs, axis=1, return_index=True, return_inverse=True, return_counts=True)
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
        number = new[place.reshape(-1)]
    return number


def _letters(i: int) -> str:
    """a, b, ..., z, aa, ab, ...

    >>> _letters(0), _letters(25), _letters(26)
    ('a', 'z', 'aa')
    """
    rest, last = divmod(i, 26)
    return (_letters(rest - 1) if rest else "") + chr(97 + last)
