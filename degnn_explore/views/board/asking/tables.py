"""An explanation as the tables and the picture of a *Why?*."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ....common.numbers import signed
from ....graphs.graph import Graph
from ...widgets.html import node_name
from ...widgets.sheet import cell, column
from ..texts import set_name

if TYPE_CHECKING:
    from ....learn.why.explaining import Explanation

Pair = tuple[int, int]
Table = tuple[list[dict[str, str]], list[list[dict[str, Any]]]]  # columns and rows of a sheet
SHOWN = 20


def strongest(why: Explanation) -> list[tuple[list[Pair], str, float]]:
    """The edges and nodes that move the score most: the edges that go, the name, the change."""
    found: list[tuple[list[Pair], str, float]] = []
    for u, v, _, change in why.edges.head(SHOWN).to_numpy().tolist():
        pair = int(u), int(v)
        found.append(([pair], set_name(why.graph, pair), change))
    for node, _, _, change in why.nodes.head(SHOWN).to_numpy().tolist():
        gone = [(int(node), int(u)) for u in why.graph.neighbors(np.int64(node))]
        if len(gone) > 1:  # else its edge says it already
            found.append((gone, f"{node_name(why.graph, int(node))}, all {len(gone)} edges", change))
    return sorted(found, key=lambda each: -abs(each[2]))[:SHOWN]


def edges(why: Explanation) -> Table:
    """What :func:`strongest` found."""
    rows = [[cell(name), *_numbers(why, change)] for _, name, change in strongest(why)]
    return [column("edge or node", first="up"), column("without it"), column("change")], rows


def branches(why: Explanation) -> Table:
    """The branches that carry the score, each with the way from its target."""
    rows = []
    for tree, changes in zip(why.along.trees, why.along.changes, strict=True) if why.along is not None else ():
        for t in np.argsort(-np.abs(changes), kind="stable")[:SHOWN].tolist():
            if t == 0:
                continue
            way, at = [], t
            while at >= 0:
                names = [node_name(why.graph, u) for u in tree.members[at]]
                way.append(", ".join(names[:3]) + (f", … ({len(names)} alike)" if len(names) > 3 else ""))
                at = int(tree.parent[at])
            depth = int(tree.depth[t])
            rows.append([cell(" ← ".join(reversed(way))), cell(depth, float(depth)), *_numbers(why, float(changes[t]))])
    rows.sort(key=lambda row: -abs(row[3]["sort"]))
    about = "A target, and whose message reaches it by whom"
    return [column("branch", about, first="up"), column("depth"), column("without it"), column("change")], rows[:SHOWN]


def rings(why: Explanation) -> Table:
    """The score with the encoding blanked, everywhere and ring by ring."""
    names = {"all": "all, as if equally far", "unreachable": "no path to S"}
    rows = []
    for place, (ring, count, _, change) in enumerate(why.rings.to_numpy().tolist()):
        name = names.get(ring, f"distance {ring}")
        rows.append([cell(name, float(place)), cell(f"{count:,}", float(count)), *_numbers(why, change)])
    return [column("blanked", first="up"), column("nodes"), column("score then"), column("change")], rows


TABLES = {"edges": edges, "branches": branches, "rings": rings}


def picture_of(
    why: Explanation, changes: Sequence[Pair]
) -> tuple[list[int], list[dict[str, Any]], list[dict[str, Any]]]:
    """The drawn nodes, and nodes and edges as the picture takes them: S, the strongest edges, and what was changed."""
    from ....learn.why.picture import places_around

    top = why.edges.head(SHOWN)
    moved = {(int(u), int(v)): change for u, v, _, change in top.to_numpy().tolist()}
    added = changes if len(changes) <= 6 else ()  # all the edges of a hub would hide the rest
    drawn = list(dict.fromkeys([*why.S, *(node for pair in [*moved, *added] for node in pair)]))
    inside = set(map(tuple, why.graph.edges[np.isin(why.graph.edges, drawn).all(axis=1)].tolist()))
    shown = {pair for pair in [*inside, *changes] if set(pair) <= set(drawn) and not set(pair) <= set(why.S)}
    edges = []
    for u, v in sorted(shown):
        change = moved.get((u, v))
        state = "" if (u, v) not in changes else "out" if (u, v) in inside else "in"
        said = "" if change is None else f": without it {why.score + change:.3f} ({signed(change, 3)})"
        ends = {"u": drawn.index(u), "v": drawn.index(v)}
        edges.append({**ends, "change": change, "state": state, "words": set_name(why.graph, (u, v)) + said})
    nodes = [
        {"x": x, "y": y, "name": node_name(why.graph, node), "target": node in why.S}
        for node, (x, y) in zip(drawn, places_around(why.graph, why.S, drawn).tolist(), strict=True)
    ]
    return drawn, nodes, edges


def in_words(graph: Graph, changes: Sequence[Pair]) -> list[str]:
    """What was changed; a node that lost all its edges is named, and not they.

    Examples
    --------
    >>> in_words(Graph.from_edges([(0, 1), (0, 2), (3, 4)]), [(0, 1), (0, 2), (3, 4), (1, 4)])
    ['without v0 (all 2 edges)', 'without v3 — v4', 'with v1 — v4']
    """
    there = graph.has_edges(np.array(changes)).tolist()
    gone = [pair for pair, edge in zip(changes, there, strict=True) if edge]
    lost = np.bincount(np.array(gone, dtype=np.int64).ravel(), minlength=graph.num_nodes)
    nodes = np.flatnonzero((lost > 1) & (lost == graph.degrees)).tolist()
    words = [f"without {node_name(graph, node)} (all {lost[node]} edges)" for node in nodes]
    words += [f"without {set_name(graph, pair)}" for pair in gone if not set(pair) & set(nodes)]
    return words + [f"with {set_name(graph, pair)}" for pair, edge in zip(changes, there, strict=True) if not edge]


def _numbers(why: Explanation, change: float) -> list[dict[str, Any]]:
    """The score without, and how much more or less it is, with a sign."""
    small = 0 < abs(change) < 5e-4  # near 0 and 1 scores move little, and yet not all alike
    return [
        cell(f"{why.score + change:.3f}", why.score + change),
        cell(signed(change, -1 if small else 3), change, "de-strong"),
    ]
