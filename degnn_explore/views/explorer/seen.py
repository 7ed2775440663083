"""What the network sees of the nodes: a label before the first layer, a class after each layer.

The panel and the saved page color graphs and trees by these (``js/compose.js``); ``compose`` does the same for the
static picture. Both sides are looked at together, so that one label, class or color means the same in both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...encodings.base import UNREACHABLE, Encoding
from ...encodings.custom import REGISTRY
from ...encodings.paths import DRNL, Distance
from ...encodings.positional import LaplacianPE, RandomWalkSE, ZeroOne
from ...encodings.walks import HeatKernel, LandingProbability, PageRank
from ...expressive.refinement import NO_TARGETS, Instances
from ...graphs.graph import Graph
from ..js import PALETTE

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Pick = tuple[Graph, Ints]  # a graph and its targets, possibly none yet

NONE = 65_535  # the code of a node of a side without targets
MAX_LABELS = 20_000
EXACT_UP_TO = 60  # nodes of both sides together whose real numbers are shown one by one, not in bins
PROBABILITIES = (0.0, 0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)  # bounds of bins

# The encodings that color a graph, for a step of the walk and graphs of so many nodes.
ENCODINGS: dict[str, Callable[[int, int], Encoding]] = {
    "SPD": lambda step, nodes: Distance(),
    "LP": lambda step, nodes: LandingProbability(step),
    "PageRank": lambda step, nodes: PageRank(),
    "heat kernel": lambda step, nodes: HeatKernel(),
    "DRNL": lambda step, nodes: DRNL(nodes),
    "zero-one": lambda step, nodes: ZeroOne(),
    "RWSE": lambda step, nodes: RandomWalkSE(max(step, 3)),
    "LapPE": lambda step, nodes: LaplacianPE(1),
}


def encoding_of(name: str, step: int, nodes: int) -> Encoding:
    """The encoding of that name, of the library or registered."""
    return ENCODINGS[name](step, nodes) if name in ENCODINGS else REGISTRY[name]


@dataclass(frozen=True)
class Label:
    """What an encoding says of some nodes: in a legend, inside a disc, and how far from S it is (None: unreachable)."""

    text: str
    mark: str
    far: float | None


@dataclass(frozen=True)
class Labels:
    """The label of each node of each side (``NONE`` without targets), and for real numbers the values themselves."""

    title: str
    table: tuple[Label, ...]
    codes: tuple[Ints, ...]
    values: tuple[Floats, ...] | None = None
    note: str = ""


def no_labels(picks: Sequence[Pick]) -> Labels:
    """What a plain GNN knows of a node: nothing."""
    return Labels("", (Label("", "", 0.0),), tuple(np.zeros(graph.num_nodes, dtype=np.int64) for graph, _ in picks))


def labels_of(
    picks: Sequence[Pick],
    encoding: Encoding,
    cut: bool = False,
    column: int = -1,
    title: str = "",
    exact: bool | None = None,
) -> Labels:
    """The labels that an encoding gives the nodes: its integers one by one, or a column of real numbers in bins.

    ``exact``: real numbers one by one, too; by default on small graphs.

    >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> [label.text for label in labels_of([(path, np.array([0, 1]))], Distance()).table]
    ['distances 0,1', 'distances 1,2', 'distances 2,3']
    >>> [label.text for label in labels_of([(path, np.array([1]))], LandingProbability(2)).table]
    ['3/4', '1/4', '0']
    """
    title = title or encoding.title(column)
    fits = [bool(len(S)) and encoding.num_targets in (None, len(S)) for _, S in picks]
    shown = [encoding.shown(G, S, cut) if fit else None for (G, S), fit in zip(picks, fits, strict=True)]
    note = ""
    if encoding.num_targets is not None and any(len(S) for _, S in picks) and not all(fits):
        wanted = {1: "single nodes: pick one target", 2: "pairs: pick two targets"}
        note = f"{title} is defined for {wanted.get(encoding.num_targets, f'{encoding.num_targets} nodes')}."
    if any(rows is not None and rows.dtype.kind == "f" for rows in shown):
        values = [
            np.full(G.num_nodes, np.nan) if rows is None else rows[:, column]
            for (G, _), rows in zip(picks, shown, strict=True)
        ]
        probabilities = encoding not in REGISTRY.values() and not isinstance(encoding, LaplacianPE | PageRank)
        levels, codes, binned = _by_value(values, probabilities, exact)
        return Labels(title, levels, codes, tuple(np.nan_to_num(v) for v in values) if binned else None, note)
    unique = [None if rows is None else unique_rows(rows) for rows in shown]
    seen = {row for pair in unique if pair for row in pair[0]}
    rows = sorted(seen, key=lambda row: (UNREACHABLE in row, sum(x for x in row if x != UNREACHABLE), row))
    place = {row: min(i, MAX_LABELS) for i, row in enumerate(rows)}
    codes = tuple(
        np.full(G.num_nodes, NONE) if pair is None else np.array([place[row] for row in pair[0]])[pair[1]]
        for (G, _), pair in zip(picks, unique, strict=True)
    )
    table = [Label(_words(encoding, row), _mark(encoding, row), farness(row)) for row in rows[:MAX_LABELS]]
    if len(rows) > MAX_LABELS:
        table.append(Label(f"one of {len(rows) - MAX_LABELS:,} further values", "", None))
    return Labels(title, tuple(table), codes, None, note)


def _words(encoding: Encoding, row: tuple[int, ...]) -> str:
    """A row of an encoding in a legend: a distance in words, anything else as the encoding says it."""
    if type(encoding) is not Distance:
        return encoding.legend(row)
    if len(row) == 1:
        return "target" if row[0] == 0 else "unreachable" if row[0] == UNREACHABLE else f"distance {row[0]}"
    return f"distances {encoding.label(row).strip('{}')}"


def _mark(encoding: Encoding, row: tuple[int, ...]) -> str:
    return encoding.label(row).strip("{}") if len(row) <= 4 else ""


def farness(row: tuple[int, ...]) -> float | None:
    """One number for the distances to all p targets, by their sum, at least p - 1, and by how unlike they are.

    >>> [farness(row) for row in [(0,), (2,), (0, 2), (1, UNREACHABLE), (UNREACHABLE,)]]
    [0.0, 2.0, 1.2, 4.05, None]
    """
    if set(row) == {UNREACHABLE}:
        return None
    near = [4 if x == UNREACHABLE else x for x in row]
    spread = max(near) - min(near)
    return (sum(near) - len(row) + 1) * min(1.0, 1.8 / len(row)) + 0.15 * spread


def unique_rows(rows: Ints) -> tuple[list[tuple[int, ...]], Ints]:
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


def _by_value(
    values: list[Floats], fixed: bool, exact: bool | None
) -> tuple[tuple[Label, ...], tuple[Ints, ...], bool]:
    """Labels of real numbers, the highest first: one each on small graphs, else bins; whether they are bins.

    ``fixed``: they are probabilities, whose bins and colors are the same in every picture.
    """
    together = np.concatenate(values)
    levels = np.unique(np.round(together[~np.isnan(together)], 11))
    if exact is None:
        exact = len(together) <= EXACT_UP_TO
    if exact or (not fixed and len(levels) <= 12):
        words = [_number(float(x), 400 if fixed else 30) for x in levels]
        marks = [word if len(word) <= 5 else f"{x:.2g}" for word, x in zip(words, levels, strict=True)]
        codes = [np.searchsorted(levels, np.round(np.nan_to_num(v), 11)) for v in values]
        lows = levels
        binned = False
    else:
        cuts = np.array(PROBABILITIES) if fixed else _cuts(levels)
        words = [f"{a:.3g} – {b:.3g}" if a else f"below {b:.3g}" for a, b in pairwise(cuts.tolist())]
        codes = [np.clip(np.searchsorted(cuts, np.nan_to_num(v), side="right") - 1, 0, len(words) - 1) for v in values]
        lows = np.maximum(cuts[:-1], 3e-5) if fixed else cuts[:-1]
        if fixed or levels[0] == 0:  # a walk cannot be there
            words, lows = ["0", *words], np.append(0.0, lows)
            codes = [np.where(v == 0, 0, code + 1) for v, code in zip(values, codes, strict=True)]
        marks = [""] * len(words)
        binned = True
    last = len(words) - 1  # high values are near S: they come first, and are dark
    far = (
        [6.0 if x <= 0 else min(5.8, max(0.0, -0.55 * np.log2(x))) for x in lows]
        if fixed
        else np.linspace(5, 0, last + 1)
    )
    table = [Label(*row) for row in zip(words, marks, map(float, far), strict=True)][::-1]
    flipped = [np.where(np.isnan(v), NONE, last - code) for v, code in zip(values, codes, strict=True)]
    return tuple(table), tuple(flipped), binned


def _cuts(levels: Floats) -> Floats:
    """Bounds of eight bins, of equal ratio where the numbers spread, else of equal width."""
    if levels[0] > 0 and levels[-1] > 20 * levels[0]:
        return np.asarray(np.geomspace(levels[0], levels[-1], 9))
    return np.asarray(np.linspace(levels[0], levels[-1], 9))


def _number(x: float, most: int = 400) -> str:
    """A fraction where the number is one whose denominator is at most ``most``, else three digits.

    >>> _number(2 / 27), _number(0.123456), _number(3.0), _number(90 / 91, 30)
    ('2/27', '0.123', '3', '0.989')
    """
    near = Fraction(x).limit_denominator(most)
    return str(near) if abs(float(near) - x) < 1e-10 else f"{x:.3g}"


def classes_of(
    picks: Sequence[Pick], encoding: Encoding | None, layers: int, hops: int = 1, cut: bool = False
) -> tuple[Ints, ...]:
    """The class of every node of each side after 0..layers layers [layers + 1, n]; -1 without targets.

    Without an encoding it is what 1-WL sees. Sets of different sizes share no class.
    """
    given = [(k, pick) for k, pick in enumerate(picks) if encoding is None or len(pick[1])]
    out = [np.full((layers + 1, graph.num_nodes), -1, dtype=np.int64) for graph, _ in picks]
    if encoding is None:
        sides = [(graph.cut(S) if cut and len(S) > 1 else graph, NO_TARGETS) for _, (graph, S) in given]
        groups = [list(zip((k for k, _ in given), sides, strict=True))]
    else:
        sized = [(k, (graph, S[None, :])) for k, (graph, S) in given if encoding.num_targets in (None, len(S))]
        sizes = {side[1].shape[1] for _, side in sized}
        groups = [sized] if len(sizes) == 1 else [[one] for one in sized]
    first = 0
    for group in groups:
        if not group:
            continue
        run = Instances.build([side for _, side in group], encoding, hops=hops, cut=cut and encoding is not None)
        rows = [classes.copy() for classes, _ in run.refine(layers)]
        history = np.stack(rows + rows[-1:] * (layers + 1 - len(rows))) + first  # once no class splits it stays so
        first = int(history.max()) + 1
        for i, (k, _) in enumerate(group):
            out[k] = history[:, run.start[i] : run.start[i + 1]]
    return tuple(out)


# ---- the legend, for the static picture; js/compose.js makes the same one for the panel ----------------------


@dataclass(frozen=True)
class Entry:
    """One color of a legend: what it means, the text inside its nodes, and how many nodes each side has."""

    text: str
    mark: str
    color: str
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Coloring:
    """An entry for each node of each side, after so many layers."""

    codes: tuple[Ints, ...]
    entries: tuple[Entry, ...]
    title: str


def compose(labels: Labels, classes: Sequence[Ints], layer: int) -> Coloring:
    """Colors after ``layer`` layers: by label at layer 0, then by class, in shades of the label's hue.

    The largest part of a class that splits keeps its letter and shade.
    """
    codes = np.concatenate(labels.codes)
    history = np.concatenate([rows[: layer + 1] for rows in classes], axis=1)
    letter = letters(codes, history)
    keys = codes * 100_000 + (letter if layer else 0)
    unique, place = np.unique(keys, return_inverse=True)
    plain = len(labels.table) == 1 and not labels.table[0].text
    parts = np.split(place, np.cumsum([len(part) for part in labels.codes])[:-1])
    entries = []
    for i, key in enumerate(unique.tolist()):
        code, k = divmod(key, 100_000)
        counts = tuple(int((part == i).sum()) for part in parts)
        if code == NONE:
            entries.append(Entry("no target yet", "", PALETTE["light"]["unreachable"], counts))
            continue
        label = labels.table[code]
        name = letter_of(k) if layer else ""
        words = f"{label.text}, class {name}" if layer and label.text else f"class {name}" if layer else label.text
        mark = f"{label.mark}{name}" if label.mark or plain else ""
        entries.append(Entry(words or "all nodes", mark, shade(label.far, k, plain), counts))
    title = "" if plain else labels.title
    return Coloring(tuple(parts), tuple(entries), f"{title} after {layer} layers" if layer else title)


def letters(codes: Ints, history: Ints) -> Ints:
    """The letter of each node's class among those of its label, by lineage: the largest part of a class keeps it."""
    letter = np.zeros(len(codes), dtype=np.int64)
    fresh: dict[int, int] = {}
    for classes in history[1:]:
        keys = np.stack([codes, letter, classes])
        _, first, place, size = np.unique(keys, axis=1, return_index=True, return_inverse=True, return_counts=True)
        new, taken = np.empty(len(first), dtype=np.int64), set()
        for i in sorted(range(len(first)), key=lambda i: (-int(size[i]), int(first[i]))):
            code, old = int(codes[first[i]]), int(letter[first[i]])
            if (code, old) in taken:
                fresh[code] = fresh.get(code, 0) + 1
                new[i] = fresh[code]
            else:
                taken.add((code, old))
                new[i] = old
        letter = new[place.reshape(-1)]
    return letter


def letter_of(i: int) -> str:
    """a, b, ..., z, aa, ab, ...

    >>> letter_of(0), letter_of(25), letter_of(26)
    ('a', 'z', 'aa')
    """
    rest, last = divmod(i, 26)
    return (letter_of(rest - 1) if rest else "") + chr(97 + last)


def shade(far: float | None, k: int, plain: bool = False) -> str:
    """The color of class k of a label: its hue by how far it is, paler with each letter; gray for unreachable."""
    look: dict[str, Any] = PALETTE["light"]
    if far is None:
        return str(look["unreachable"])
    if plain:
        return str(look["plain"][k % len(look["plain"])])
    ramp = look["ramp"]
    at = min(far, len(ramp) - 1)
    low = min(int(at), len(ramp) - 2)
    base = blend(ramp[low], ramp[low + 1], at - low)
    return blend(base, look["toward"], look["shades"][k % len(look["shades"])])


def blend(a: str, b: str, share: float) -> str:
    """A color between two, as #rrggbb."""
    pairs = ((int(a[i : i + 2], 16), int(b[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{int(x + (y - x) * share + 0.5):02x}" for x, y in pairs)
