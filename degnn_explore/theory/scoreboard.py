"""The scoreboard: how many pairs of non-isomorphic graphs does each method tell apart?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError, check_choice, check_int
from ..common.progress import map_items
from ..common.style import MAX_WIDTH, counted
from ..expressive.methods import WHOLE_GRAPHS as METHODS
from ..expressive.methods import GraphMethod
from ..expressive.refinement import Instances
from ..expressive.symmetry import isomorphic
from ..expressive.two_wl import pair_colors
from ..graphs.graph import Graph, needs_graph
from ..reading.read import read_pairs
from . import families as fam
from .result import SCALE, Picture, Result, draw_cells

if TYPE_CHECKING:
    import pandas

    from ..views.explorer.explorer import Explorer

__all__ = ["FAMILIES", "METHODS", "Scoreboard", "scoreboard"]

Ints = NDArray[np.int64]
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
class Scoreboard(Result):
    """The scoreboard: ``table`` counts the pairs that each method separates, ``pairs`` has a row for each pair.

    In ``pairs`` a method's entry is "layer 2" (the first layer at which the graphs differ), "same" or "too large".

    Examples
    --------
    >>> board = scoreboard(["strongly regular"], ["2-WL", "DE-1 LP"], progress=False)
    >>> len(board.unseparated)
    8
    >>> board.graphs(0)
    (Graph('Shrikhande graph', 16 nodes, 48 edges), Graph("4×4 rook's graph", 16 nodes, 48 edges))
    """

    pairs: pandas.DataFrame = field(kw_only=True)
    _graphs: tuple[tuple[Graph, Graph], ...] = field(kw_only=True)

    @property
    def unseparated(self) -> pandas.DataFrame:
        """The pairs that no method separates, and whether they are isomorphic (None: not decided)."""
        methods = [column for column in self.pairs.columns if column in METHODS]
        kept = self.pairs[~self.pairs[methods].apply(lambda column: column.str.startswith("layer")).any(axis=1)]
        return kept.assign(isomorphic=[isomorphic(*self.graphs(i)) for i in kept.index])

    def graphs(self, pair: int) -> tuple[Graph, Graph]:
        """The two graphs of a row of :attr:`pairs`."""
        if not 0 <= check_int("pair", pair, least=0) < len(self._graphs):
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
) -> Scoreboard:
    """How many pairs of non-isomorphic graphs each method tells apart.

    Graphs are compared as multisets of exact colors, refined until nothing changes. Nothing is trained and
    nothing is sampled.

    Parameters
    ----------
    families
        Names in ``theory.FAMILIES`` (all by default); a file of pairs in graph6 (see :func:`read_pairs`); or a
        mapping from a name to groups of graphs, in which all pairs of a group are compared.
    methods
        Names in ``theory.METHODS``, all by default.
    max_arcs
        A pair whose refinement would take more arcs (about 60 bytes each) is left out, as "too large". 2-WL, which
        refines pairs of nodes, leaves out what would take it more than ten minutes.
    progress
        Show a bar when it takes more than two seconds.

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

    names = METHODS if methods is None else [methods] if isinstance(methods, str) else methods
    chosen = [check_choice("method", name, METHODS) for name in names]
    max_arcs = check_int("max_arcs", max_arcs, least=1)
    groups = [(family, tuple(group)) for family, groups in _families(families).items() for group in groups]
    graphs = [pair for _, group in groups for pair in combinations(group, 2)]
    if not graphs:
        raise ParameterError("These families hold no pair of graphs to compare.")
    rows = [(family, G.title, H.title, G.num_nodes) for family, group in groups for G, H in combinations(group, 2)]
    jobs = [(method, k) for method in chosen for k, (_, group) in enumerate(groups) if len(group) > 1]
    jobs.sort(key=lambda job: -_cost(job[0], groups[job[1]][1]))  # longest first, so that no core waits at the end

    def words_of(job: tuple[str, int], step: Callable[[int], None]) -> list[str]:
        return _verdicts(job[0], groups[job[1]][1], max_arcs, step)

    total = len(graphs) * len(chosen)
    answers = map_items(words_of, jobs, total=total, label="Scoreboard", unit="verdict", progress=progress)
    by_job = dict(zip(jobs, answers, strict=True))
    pairs = pd.DataFrame(rows, columns=["family", "first", "second", "nodes"])
    for method in chosen:
        pairs[method] = [words for k in range(len(groups)) for words in by_job.get((method, k), [])]
    notes = tuple(
        f"{method}: {count:,} of {len(rows):,} pairs are too large ({_limit(method, max_arcs)}) and do not count as "
        "told apart."
        for method in chosen
        if (count := int((pairs[method] == "too large").sum()))
    )
    counts = _counts(pairs, chosen)
    return Scoreboard("Pairs of graphs told apart", counts, notes, _draw_scores, pairs=pairs, _graphs=tuple(graphs))


def _families(chosen: Any) -> dict[str, Sequence[Sequence[Graph]]]:
    if chosen is None:
        chosen = list(FAMILIES)
    if isinstance(chosen, Mapping):
        for G in (G for groups in chosen.values() for group in groups for G in group):
            needs_graph("scoreboard", G)
        return dict(chosen)
    if isinstance(chosen, str | PathLike):
        if chosen not in FAMILIES:
            return {Path(chosen).name: read_pairs(chosen)}
        chosen = [chosen]
    if not isinstance(chosen, Iterable):
        wanted = "names of families, a file of pairs, or a dict of names, each with groups of graphs"
        raise ParameterError(f"scoreboard takes {wanted}, not a {type(chosen).__name__}.")
    return {check_choice("family", name, FAMILIES): FAMILIES[name]() for name in chosen}


def _cost(method: str, graphs: Sequence[Graph]) -> int:
    """The approximate work of refining these graphs together, in arcs."""
    if method == "2-WL":
        return 5 * (len(graphs) - 1) * sum(G.num_nodes**3 for G in graphs)
    return sum(map(METHODS[method].arcs, graphs))


def _verdicts(method: str, group: Sequence[Graph], max_arcs: int, step: Callable[[int], None]) -> list[str]:
    """ "layer 2", "same" or "too large" for each pair of a group: all at once if that fits."""
    all_at_once = method != "2-WL" and _cost(method, group) <= max_arcs
    verdicts: list[str] = []
    for graphs in [group] if all_at_once else combinations(group, 2):
        if method == "2-WL":
            too_large = bool(METHODS[method].method.infeasible([G.num_nodes for G in graphs]))
        else:
            too_large = _cost(method, graphs) > max_arcs
        if too_large:
            some = ["too large"]
        else:
            some = [_pair_verdict(*graphs)] if method == "2-WL" else _refined_verdicts(METHODS[method], graphs)
        verdicts += some
        step(len(some))
    return verdicts


def _refined_verdicts(how: GraphMethod, graphs: Sequence[Graph]) -> list[str]:
    """The first layer at which each pair of the graphs differs, or "same"; all graphs are refined together."""
    sides = [(G, how.sets(G)) for G in graphs]
    first, second = np.array(list(combinations(range(len(graphs)), 2))).T
    verdicts = np.full(len(first), "same", dtype=object)
    if not any(len(sets) for _, sets in sides):  # graphs without edges, compared by their edges
        return verdicts.tolist()
    encoding = how.method.encoding
    sizes = sorted(G.num_nodes for G in graphs)
    run = Instances.build(sides, encoding and encoding(sizes[-1] + sizes[-2]), hops=how.hops)
    members, copy = [], 0
    for _, sets in sides:
        rows = run.start[copy : copy + len(sets), None] + sets
        members.append(rows if encoding else rows.reshape(-1, 1))  # 1-WL: every node of the one copy
        copy += len(sets)
    for layer, (classes, _) in enumerate(run.refine()):
        numbers: dict[bytes, int] = {}
        multisets = np.array([numbers.setdefault(_multiset(classes[rows]), len(numbers)) for rows in members])
        verdicts[(verdicts == "same") & (multisets[first] != multisets[second])] = f"layer {layer}"
        if (verdicts != "same").all():
            break
    return verdicts.tolist()


def _pair_verdict(G: Graph, H: Graph) -> str:
    """The same for two graphs and 2-WL."""
    for layer, (a, b) in enumerate(pair_colors(G, H)):
        if not np.array_equal(np.sort(a, axis=None), np.sort(b, axis=None)):
            return f"layer {layer}"
    return "same"


def _multiset(colors: Ints) -> bytes:
    """The multiset of rows, each a multiset of colors. [k, p]"""
    colors = np.sort(colors, axis=1)
    return colors[np.lexsort(colors.T)].tobytes()


def _limit(method: str, max_arcs: int) -> str:
    if method == "2-WL":
        return "more than ten minutes of work"
    return f"more than {max_arcs:,} arcs; raise max_arcs"


def _counts(pairs: pandas.DataFrame, methods: Sequence[str]) -> pandas.DataFrame:
    """The number of pairs in each family, and of those that each method tells apart; NA where all are too large."""
    import pandas as pd

    rows: dict[Any, dict[str, Any]] = {}
    for family, group in pairs.groupby("family", sort=False):
        rows[family] = {"pairs": len(group)}
        for m in methods:
            too_large = (group[m] == "too large").all()
            rows[family][m] = pd.NA if too_large else int(group[m].str.startswith("layer").sum())
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("family")
    return table.astype({"pairs": np.int64} | dict.fromkeys(methods, "Int64"))


def _draw_scores(board: Scoreboard) -> Picture:
    table, pairs = board.table, board.pairs
    methods = [column for column in table.columns if column != "pairs"]
    text, level, names = [], [], []
    for family, row in table.iterrows():
        judged = (pairs.loc[pairs["family"] == family, methods] != "too large").sum()
        text.append([_score(row[m], judged[m], row["pairs"]) for m in methods])
        level.append([row[m] / judged[m] if judged[m] else float("nan") for m in methods])
        names.append(f"{family} ({counted(row['pairs'], 'pair')})")
    figure, width, height = draw_cells(text, level, names, methods, SCALE)
    bar = {"title": {"text": "share told apart", "side": "right"}, "thickness": 14, "tickformat": ".0%"}
    figure.update_traces(showscale=True, colorbar=bar)
    figure.add_heatmap(  # a gray cell where no pair was judged, so that its text shows on dark pages too
        z=np.where(np.isnan(np.array(level, dtype=float)), 0.0, np.nan),
        text=[[words if words == "too large" else "" for words in row] for row in text],
        **{"texttemplate": "%{text}", "hoverinfo": "skip", "xgap": 3, "ygap": 3},
        **{"colorscale": [[0, "#dddddd"], [1, "#dddddd"]], "showscale": False},
    )
    return figure, min(width + 120, MAX_WIDTH), height + 30


def _score(told_apart: int, judged: int, pairs: int) -> str:
    if not judged:
        return "too large"
    return f"{told_apart:,}" if judged == pairs else f"{told_apart:,} of {judged:,}"
