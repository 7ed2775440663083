"""The definitions, written slowly and plainly, for the fast code to agree with; and random questions to ask both.

Colors are numbered in the order in which they first appear, in one table: equal numbers are equal nested multisets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations, count, product
from math import inf
from typing import Any

import networkx as nx
from hypothesis import strategies as st

import degnn_explore as de

from ..strategies import graphs, graphs_with_targets, trees_with_targets

Side = tuple[de.Graph, Sequence[int] | None]
Question = tuple[tuple[de.Graph, list[int]], tuple[de.Graph, list[int]]]
Colors = dict[Any, int]
NUMBERS: dict[Any, int] = {}


def number(color: Any) -> int:
    return NUMBERS.setdefault(color, len(NUMBERS))


def as_networkx(G: de.Graph, S: Iterable[int] = (), cut: bool = False) -> nx.Graph:
    """The graph, without the edges inside S if ``cut``."""
    graph = G.to_networkx()
    if cut:
        graph.remove_edges_from(list(combinations(S, 2)))
    return graph


def distance(graph: nx.Graph) -> dict[int, dict[int, float]]:
    far = dict(nx.all_pairs_shortest_path_length(graph))
    return {u: {v: far[u].get(v, inf) for v in graph} for u in graph}


def walk(graph: nx.Graph, start: int, steps: int) -> list[dict[int, Fraction]]:
    """Where a random walk is after 0..steps steps, with which probability."""
    states = [{start: Fraction(1)}]
    for _ in range(steps):
        after: dict[int, Fraction] = {}
        for u, chance in states[-1].items():
            for w in graph[u]:
                after[w] = after.get(w, Fraction(0)) + chance / graph.degree[u]
        states.append(after)
    return states


def encoded(graph: nx.Graph, S: Sequence[int], method: str, steps: int) -> list[Any]:
    """What each node knows before the first layer; walks have ``steps`` steps."""
    far = distance(graph)
    if method in ("DE-SPD", "DEA-SPD"):
        return [sorted(far[v][u] for v in S) for u in graph]
    if method == "DE-LP":
        walks = [walk(graph, v, steps) for v in S]
        return [sorted([state.get(u, 0) for state in states] for states in walks) for u in graph]
    if method == "zero-one":
        return [sorted(u == v for v in S) for u in graph]
    if method == "RWSE":  # the same for each target
        return [[[state.get(u, 0) for state in walk(graph, u, steps)]] * len(S) for u in graph]
    if method == "DRNL":
        a, b = S
        sums = {u: far[a][u] + far[b][u] for u in graph}
        half = {u: 0 if sums[u] == inf else sums[u] // 2 for u in graph}
        label = {u: 1 + min(far[a][u], far[b][u]) + half[u] * (half[u] + sums[u] % 2 - 1) for u in graph}
        return [1 if u in S else 0 if sums[u] == inf else label[u] for u in graph]
    return [()] * len(graph)  # 1-WL


def node_rule(graph: nx.Graph, hops: int) -> Callable[[Colors], Colors]:
    """One layer: the color of each node with the multiset of those within ``hops``, each with its distance."""
    far = distance(graph)

    def finer(old: Colors) -> Colors:
        below = {u: sorted((far[u][w], old[w]) for w in graph if 1 <= far[u][w] <= hops) for u in graph}
        return {u: number((old[u], *below[u])) for u in graph}

    return finer


def pair_rule(graph: nx.Graph) -> Callable[[Colors], Colors]:
    """One layer of folklore 2-WL."""

    def finer(old: Colors) -> Colors:
        return {(u, v): number((old[u, v], *sorted((old[w, v], old[u, w]) for w in graph))) for u, v in old}

    return finer


def colored(G: de.Graph, start: Sequence[Any], attributes: bool) -> Colors:
    """The colors before the first layer."""
    rows = G.attributes.tolist() if attributes and G.attributes is not None else [()] * G.num_nodes
    return {u: number(("start", repr(start[u]), tuple(rows[u]))) for u in range(G.num_nodes)}


def colors(G: de.Graph, start: Sequence[Any], hops: int, cut_at: Sequence[int] = (), attributes: bool = False) -> Any:
    """The colors of the nodes after 0, 1, 2, ... layers, without end."""
    now, finer = colored(G, start, attributes), node_rule(as_networkx(G, cut_at, True), hops)
    while True:
        yield [now[u] for u in range(G.num_nodes)]
        now = finer(now)


def first_layer(
    a: Side,
    b: Side,
    method: str = "DE-SPD",
    *,
    layers: int | None = None,
    hops: int = 1,
    cut: bool = False,
    order: int | str = 1,
    attributes: bool = False,
) -> int | None:
    """The first layer at which two target sets, or two graphs (S = None), differ; None if they never do."""

    def copies(G: de.Graph, S: Sequence[int] | None) -> list[tuple[Colors, Callable[[Colors], Colors], list[Any]]]:
        """Colors, a rule, and what represents it, for each target set."""
        if method == "2-WL":
            graph = as_networkx(G, S or (), cut)
            nodes = colored(G, [()] * G.num_nodes, attributes)
            start = {(u, v): number((graph.has_edge(u, v), nodes[u] if u == v else -1)) for u in graph for v in graph}
            return [(start, pair_rule(graph), list(product(graph if S is None else S, repeat=2)))]
        sets: Iterable[Any] = [S]
        if S is None and method == "1-WL":
            sets = [range(G.num_nodes)]
        elif S is None:
            sets = G.edges.tolist() if order == "edges" else combinations(range(G.num_nodes), int(order))
        made = []
        for T in sets:
            graph = as_networkx(G, T, cut and not (S is None and method == "1-WL"))
            start = colored(G, encoded(graph, T, method, a[0].num_nodes + b[0].num_nodes - 1), attributes)
            made.append((start, node_rule(graph, hops), list(T)))
        return made

    sides = [copies(*a), copies(*b)]
    now = [[start for start, _, _ in side] for side in sides]
    for layer in count():
        bags = [
            Counter(tuple(sorted(color[x] for x in members)) for color, (_, _, members) in zip(*pair, strict=True))
            for pair in zip(now, sides, strict=True)
        ]
        if bags[0] != bags[1]:
            return layer
        after = [
            [finer(color) for color, (_, finer, _) in zip(*pair, strict=True)] for pair in zip(now, sides, strict=True)
        ]
        classes = [len({c for side in each for color in side for c in color.values()}) for each in (now, after)]
        if layer == layers or classes[0] == classes[1]:
            return None
        now = after
    raise AssertionError


# ---- random questions ----------------------------------------------------------------------------


@st.composite
def questions(draw: st.DrawFn) -> Question:
    """Two target sets of one size: in any two graphs, or where it takes layers to see a difference, if there is one."""
    way = draw(st.sampled_from(["any", "lifts", "cubic", "tree", "one graph"]))
    seeds = st.integers(0, 99)
    if way == "lifts":  # a plain GNN confuses lifts of one graph, with sets above the same nodes of it
        base, above = draw(graphs_with_targets(4, 3))
        copies = 8 // base.num_nodes
        first, second = (
            (de.theory.lift(base, copies, draw(seeds)), [v * copies + draw(seeds) % copies for v in above])
            for _ in "AB"
        )
        return first, second
    if way == "cubic":
        G, H = (de.zoo.random_regular(draw(st.sampled_from([6, 8, 10])), 3, draw(seeds)) for _ in "AB")
    elif way == "tree":
        G = H = draw(trees_with_targets(10))[0]
    else:
        G, H = draw(graphs(8)), draw(graphs(8))
    if way == "one graph" or (way != "tree" and draw(st.integers(0, 9)) < 3):
        H = G
    p = draw(st.integers(1, min(3, G.num_nodes, H.num_nodes)))
    first, second = ((X, draw(st.permutations(range(X.num_nodes)))[:p]) for X in (G, H))
    return first, second
