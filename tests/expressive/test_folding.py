"""Folded subtrees: how many nodes a level has, and that nothing is lost by folding."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.expressive.folding import Folded, fold
from degnn_explore.expressive.subtrees import Unrolling, partings

from ..strategies import graphs_with_targets, shuffled
from .test_subtrees import nested


def folded(layers: int, *sides: tuple[de.Graph, list[int]], **options) -> Folded:
    """The first target of each side as root."""
    return fold([(Unrolling(G, layers, None, S, **options), S[0]) for G, S in sides], layers)


def sizes(graph: Folded) -> list[int]:
    return np.bincount(graph.level).tolist()


def unfolded(graph: Folded, i: int):
    """As ``nested`` of a subtree: label, and the multiset of what hangs below."""
    below: Counter = Counter()
    for branch in graph.branches(i):
        below[branch.hop, unfolded(graph, branch.child)] += branch.times
    return graph.label[i], frozenset(below.items())


def test_figure_1_at_depth_6_has_at_most_ten_nodes_a_level() -> None:
    G = de.zoo.figure1()
    graph = folded(6, (G, [2]), (G, [3]))
    assert sizes(graph) == [2, 4, 7, 9, 10, 5, 3]
    assert sum(len(de.unroll(G, v, 6, S=[v])) for v in (2, 3)) == 2_186
    plain = fold([(Unrolling(G, 6), v) for v in (2, 3)], 6)
    assert sizes(plain) == [1] * 7  # to a plain GNN all subtrees of a cubic graph are one
    assert plain.lines[:, 3].tolist() == [3] * 6


def test_figure_2b_at_depth_2() -> None:
    pair = (de.zoo.shrikhande(), [0, 1]), (de.zoo.rook(), [0, 1])
    graph = folded(2, *pair)
    assert sizes(graph) == [2, 5, 4]
    only_a, only_b = (graph.below(k) & ~graph.below(1 - k) for k in (0, 1))
    assert [graph.label[i] for i in np.flatnonzero(only_a)] == ["{0,1}", "{1,2}", "{1,1}"]
    assert [graph.label[i] for i in np.flatnonzero(only_b)] == ["{0,1}", "{1,1}"]


def test_the_arrays_of_a_path() -> None:
    graph = folded(2, (de.Graph.from_edges([(0, 1), (1, 2)]), [1]))
    assert graph.roots == (0,)
    assert graph.level.tolist() == [0, 1, 2]
    assert graph.label == ("0", "1", "0")
    assert graph.members == (((1,),), ((0, 2),), ((1,),))
    assert graph.lines.tolist() == [[0, 1, 1, 2], [1, 2, 1, 1]]


@given(graphs_with_targets(6, 2), st.integers(0, 3), st.integers(1, 2), st.booleans())
def test_unfolding_gives_back_the_trees(case, layers: int, hops: int, cut: bool) -> None:
    G, S = case
    prepared = Unrolling(G, layers, None, S, cut, hops)
    graph = fold([(prepared, int(root)) for root in S], layers)
    for k, root in enumerate(S):
        tree = de.unroll(G, root, layers, S=S, hops=hops, cut=cut, max_nodes=10**6)
        assert unfolded(graph, graph.roots[k]) == nested(tree)
        for depth in range(layers + 1):  # it stands for the nodes that the tree has at that depth
            here = graph.below(k) & (graph.level == depth)
            nodes = [u for i in np.flatnonzero(here) for u in graph.members[i][k]]
            assert sorted(nodes) == np.unique(tree.node[tree.depth == depth]).tolist()


@given(graphs_with_targets(7, 2), st.integers(0, 99))
def test_no_two_nodes_of_a_level_have_equal_subtrees_and_relabelling_changes_nothing(case, seed: int) -> None:
    G, S = case
    H, new = shuffled(G, seed)
    a, b = folded(2, (G, S)), folded(2, (H, new[S].tolist()))
    shapes = [[(int(x.level[i]), unfolded(x, i)) for i in range(len(x.level))] for x in (a, b)]
    assert len(set(shapes[0])) == len(shapes[0])
    assert set(shapes[0]) == set(shapes[1])


def test_folded_sides_part_at_the_same_line_as_the_trees() -> None:
    """Fig. 1(a): a neighbour of v2 has a child at distance 1 where v3's has one more at distance 2."""
    G = de.zoo.figure1()
    graph = folded(2, (G, [2]), (G, [3]))
    ways = partings(graph, graph.roots[0], graph, graph.roots[1])
    ends = [[graph.lines[e, :2].tolist() for e, parts in way.items() if parts] for way in ways]
    assert [[[graph.label[i] for i in line] for line in lines] for lines in ends] == [[["1", "1"]], [["1", "2"]]]
    assert all(graph.level[graph.lines[e, 1]] == 1 for way in ways for e, parts in way.items() if not parts)
