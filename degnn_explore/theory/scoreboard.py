"""The scoreboard: how many pairs of non-isomorphic graphs does each method tell apart?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from os import PathLike
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError, one_of, whole_number
from ..common.parallel import Threads
from ..expressive.isomorphism import isomorphic
from ..expressive.methods import WHOLE_GRAPHS as METHODS
from ..expressive.methods import Setting
from ..expressive.refinement import Instances
from ..expressive.two_wl import pair_colours
from ..graphs.graph import Graph, needs_graph
from ..reading.graph6 import read_pairs
from . import families as fam
from .finding import Finding

if TYPE_CHECKING:
    import pandas

    from ..views.explorer.explorer import Explorer

__all__ = ["FAMILIES", "METHODS", "Scoreboard", "scoreboard"]

Ints = NDArray[np.int64]
SAME, TOO_LARGE = -1, -2
FAMILIES: dict[str, Callable[[], fam.Groups]] = {
    "connected, up to 7 nodes": fam.small_family,
    "regular, up to 10 nodes": fam.regular_family,
    "strongly regular": fam.strongly_regular_family,
    "CSL, 41 nodes": fam.csl_family,
}
"""The families of graphs that the scoreboard compares within, by name; each is a function that makes its groups.

Examples
--------
>>> list(FAMILIES)[-1]
'CSL, 41 nodes'
"""


@dataclass(frozen=True, repr=False)
class Scoreboard(Finding):
    """The scoreboard: ``table`` counts the pairs that each method separates, ``pairs`` has a row for each pair.

    In ``pairs`` a method's entry is "layer 2" (first layer at which the graphs differ), "same" or "too large".

    Examples
    --------
    >>> board = scoreboard(["strongly regular"], ["2-WL", "DE-1 LP"], progress=False)
    >>> len(board.unseparated)
    8
    >>> board.graphs(0)
    (Graph('Shrikhande graph', 16 nodes, 48 edges), Graph("4×4 rook's graph", 16 nodes, 48 edges))
    """

    pairs: pandas.DataFrame
    _graphs: tuple[tuple[Graph, Graph], ...] = field(repr=False)

    @property
    def unseparated(self) -> pandas.DataFrame:
        """The pairs that no method separates, with whether they are isomorphic (None: not found out)."""
        methods = [column for column in self.pairs.columns if column in METHODS]
        kept = self.pairs[~self.pairs[methods].apply(lambda column: column.str.startswith("layer")).any(axis=1)]
        return kept.assign(isomorphic=[isomorphic(*self.graphs(i)) for i in kept.index])

    def graphs(self, pair: int) -> tuple[Graph, Graph]:
        """The two graphs of a row of :attr:`pairs`."""
        if not 0 <= whole_number("pair", pair, least=0) < len(self._graphs):
            raise ParameterError(f"pair={pair} is not a row of this scoreboard; they are 0..{len(self._graphs) - 1}.")
        return self._graphs[pair]

    def open(self, pair: int) -> Explorer:
        """The two graphs of a row of :attr:`pairs` side by side in the Explorer, node 0 of each as the target."""
        from ..views.explorer.explorer import Explorer

        first, second = self.graphs(pair)
        return Explorer((first, [0]), (second, [0]))


def scoreboard(
    families: Sequence[str] | Mapping[str, Sequence[Sequence[Graph]]] | str | PathLike[str] | None = None,
    methods: Sequence[str] | None = None,
    *,
    max_arcs: int = 8_000_000,
    progress: bool = True,
    stop: Event | None = None,
) -> Scoreboard:
    """How many pairs of non-isomorphic graphs each method tells apart.

    Graphs are compared as multisets of exact colours, refined until nothing changes. Nothing is trained and
    nothing is sampled.

    Parameters
    ----------
    families
        Names in ``theory.FAMILIES`` (all by default); a file of pairs in graph6 (see :func:`read_pairs`); or a
        mapping from a name to groups of graphs, all pairs in each group being compared.
    methods
        Names in ``theory.METHODS``, all by default.
    max_arcs
        A pair whose refinement would take more arcs (about 60 bytes each) is left out, as "too large".
    progress
        Show a bar when it takes longer than a second.
    stop
        Work ends with ``Cancelled`` soon after this event is set.

    Examples
    --------
    >>> board = scoreboard(["strongly regular"], ["2-WL", "DE-1 SPD", "DE-2 edges"], progress=False)
    >>> board.table
                      pairs  2-WL  DE-1 SPD  DE-2 edges
    family
    strongly regular      8     0         0           8
    >>> board.pairs.loc[0, "DE-2 edges"]
    'layer 2'
    """
    import pandas as pd

    named = METHODS if methods is None else [methods] if isinstance(methods, str) else methods
    chosen = [one_of("method", name, METHODS) for name in named]
    max_arcs = whole_number("max_arcs", max_arcs, least=1)
    groups = [(name, tuple(group)) for name, made in _families(families).items() for group in made]
    pieces: list[Piece] = []
    rows: list[tuple[str, str, str, int]] = []
    graphs: list[tuple[Graph, Graph]] = []
    for name, group in groups:
        index = list(combinations(range(len(group)), 2))
        at = len(rows)
        rows += [(name, group[i].title, group[j].title, group[i].num_nodes) for i, j in index]
        graphs += [(group[i], group[j]) for i, j in index]
        pieces += [piece for m in chosen for piece in _pieces(m, group, at, max_arcs)]
    if not rows:
        raise ParameterError("These families hold no pair of graphs to compare.")
    answers = {m: np.full(len(rows), TOO_LARGE) for m in chosen}
    pieces.sort(key=lambda piece: -piece.cost)  # the longest first, so that no core is left waiting for one at the end
    threads = Threads(stop=stop, progress=progress)
    layers_of = threads.items(_work, pieces, total=sum(piece.cost for piece in pieces), label="Scoreboard")
    for piece, layers in zip(pieces, layers_of, strict=True):
        answers[piece.method][piece.rows] = layers
    pairs = pd.DataFrame(rows, columns=["family", "first", "second", "nodes"])
    for m in chosen:
        pairs[m] = [{SAME: "same", TOO_LARGE: "too large"}.get(int(x), f"layer {x}") for x in answers[m]]
    summary, notes = _summary(pairs, answers), _notes(answers, max_arcs)
    return Scoreboard("Pairs of graphs told apart", summary, notes, "scores", pairs, tuple(graphs))


def _families(given: Any) -> dict[str, Sequence[Sequence[Graph]]]:
    if given is None:
        given = list(FAMILIES)
    if isinstance(given, Mapping):
        for group in (group for groups in given.values() for group in groups):
            for G in group:
                needs_graph("scoreboard", G)
        return dict(given)
    if isinstance(given, str | PathLike):
        if given in FAMILIES:
            given = [given]
        else:
            return {Path(given).name: read_pairs(given)}
    if not isinstance(given, Iterable):
        wanted = "names of families, a file of pairs, or a dict of names, each with groups of graphs"
        raise ParameterError(f"scoreboard takes {wanted}, not a {type(given).__name__}.")
    return {one_of("family", name, FAMILIES): FAMILIES[name]() for name in given}


@dataclass(frozen=True)
class Piece:
    """Graphs to be refined together by one method, and the rows of the pairs among them."""

    method: str
    graphs: tuple[Graph, ...]
    rows: Ints
    cost: int


def _pieces(method: str, group: tuple[Graph, ...], at: int, max_arcs: int) -> list[Piece]:
    """A whole group at once if it fits, else pair by pair, without the pairs that are too large."""
    index = list(combinations(range(len(group)), 2))
    setting = METHODS[method]
    by_pairs = setting.method.name == "2-WL"
    if not by_pairs and (cost := sum(map(setting.arcs, group))) <= max_arcs:
        return [Piece(method, group, at + np.arange(len(index)), cost)]
    if by_pairs and all(G.num_nodes <= 32 for G in group):
        return [Piece(method, group, at + np.arange(len(index)), sum(len(index) * G.num_nodes**3 for G in group))]
    pieces = []
    for row, (i, j) in enumerate(index, start=at):
        pair = group[i], group[j]
        cost = 5 * sum(G.num_nodes**3 for G in pair) if by_pairs else sum(map(setting.arcs, pair))
        if not setting.method.infeasible([G.num_nodes for G in pair]) if by_pairs else cost <= max_arcs:
            pieces.append(Piece(method, pair, np.array([row]), cost))
    return pieces


def _work(piece: Piece, step: Callable[[int], object], halt: Event) -> Ints:
    """The first layer at which each pair differs, or SAME."""
    setting = METHODS[piece.method]
    layers = _by_pairs(piece.graphs, halt) if piece.method == "2-WL" else _together(setting, piece.graphs, halt)
    step(piece.cost)
    return layers


def _together(setting: Setting, graphs: tuple[Graph, ...], halt: Event) -> Ints:
    sides = [(G, setting.sets(G)) for G in graphs]
    first, second = np.array(list(combinations(range(len(graphs)), 2))).T
    answer = np.full(len(first), SAME)
    if not any(len(sets) for _, sets in sides):  # graphs without edges, compared by their edges
        return answer
    encoding = setting.method.encoding
    sizes = sorted(G.num_nodes for G in graphs)
    run = Instances.build(sides, encoding and encoding(sizes[-1] + sizes[-2]), hops=setting.hops)
    members, copy = [], 0
    for _, sets in sides:
        rows = run.start[copy : copy + len(sets), None] + sets
        members.append(rows if encoding else rows.reshape(-1, 1))  # 1-WL: every node of the one copy
        copy += len(sets)
    for layer, (classes, _) in enumerate(run.refine(None, halt)):
        known: dict[bytes, int] = {}
        look = np.array([known.setdefault(_multiset(classes[rows]), len(known)) for rows in members])
        answer[(answer == SAME) & (look[first] != look[second])] = layer
        if (answer != SAME).all():
            break
    return answer


def _multiset(colours: Ints) -> bytes:
    """The multiset of rows, each a multiset of colours. [k, p]"""
    colours = np.sort(colours, axis=1)
    return colours[np.lexsort(colours.T)].tobytes()


def _by_pairs(graphs: tuple[Graph, ...], halt: Event) -> Ints:
    answer = []
    for G, H in combinations(graphs, 2):
        found = SAME
        for layer, (a, b) in enumerate(pair_colours(G, H, stop=halt)):
            if not np.array_equal(np.sort(a, axis=None), np.sort(b, axis=None)):
                found = layer
                break
        answer.append(found)
    return np.array(answer)


def _summary(pairs: pandas.DataFrame, answers: dict[str, Ints]) -> pandas.DataFrame:
    import pandas as pd

    order = list(dict.fromkeys(pairs["family"]))
    table = pd.DataFrame({"pairs": pairs.groupby("family", sort=False).size()}).reindex(order)
    for method, layers in answers.items():
        counts = []
        for name in order:
            own = layers[(pairs["family"] == name).to_numpy()]
            counts.append(pd.NA if (own == TOO_LARGE).all() else int((own >= 0).sum()))
        table[method] = pd.array(counts, dtype="Int64")
    return table.rename_axis("family")


def _notes(answers: dict[str, Ints], max_arcs: int) -> tuple[str, ...]:
    return tuple(
        f"{method}: {count:,} of {len(layers):,} pairs are too large (more than {max_arcs:,} arcs; raise max_arcs) and "
        "do not count as told apart."
        for method, layers in answers.items()
        if (count := int((layers == TOO_LARGE).sum()))
    )
