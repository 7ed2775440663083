"""Unrolled subtrees: against a slow recursion, merged or not, and where two of them differ."""

from __future__ import annotations

from collections import Counter
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.encodings.base import UNREACHABLE
from degnn_explore.encodings.paths import Distance

from ..strategies import graphs_with_targets
from .slow import Question, as_networkx, distance, questions

FIG1 = de.zoo.figure1()
NONE: list[int] = []


def nested(tree: de.Subtree, i: int = 0, without: Any = NONE) -> Any:
    """The subtree below i without the names of its nodes: label and the multiset of children."""
    below: Counter[Any] = Counter()
    for c in tree.children(i).tolist():
        if c not in without:
            below[int(tree.hop[c]), nested(tree, c, without)] += int(tree.multiplicity[c])
    return tree.label[i], frozenset(below.items())


def tree_of(edges: list[tuple[int, int]], root: int = 0, **options: Any) -> de.Subtree:
    return de.unroll(de.Graph.from_edges(edges), root, **{"layers": 1, "merge": True, **options})


@given(graphs_with_targets(6, 3), st.integers(0, 3), st.integers(1, 2), st.booleans(), st.booleans(), st.booleans())
@settings(max_examples=150)
def test_trees_are_what_a_recursion_finds(case, depth: int, hops: int, cut: bool, plain: bool, merge: bool) -> None:
    G, S = case
    cut = cut and not plain
    far = distance(as_networkx(G, S, cut))

    def slow(u: int, layers: int) -> Any:
        distances = sorted(UNREACHABLE if far[v][u] == inf else int(far[v][u]) for v in S)
        below = Counter((far[u][w], slow(w, layers - 1)) for w in far if layers and 1 <= far[u][w] <= hops)
        return "" if plain else Distance().label(distances), frozenset(below.items())

    root = S[-1]
    tree = de.unroll(G, root, depth, S=None if plain else S, cut=cut, hops=hops, merge=merge, max_nodes=10**6)
    assert nested(tree) == slow(root, depth)
    assert (tree.root, tree.layers, tree.graph, len(tree.root_colors)) == (root, depth, G, depth + 1)
    assert [len(each) for each in tree.members] == tree.multiplicity.tolist()
    assert [each[0] for each in tree.members] == tree.node.tolist()
    below: dict[Any, Any] = {}
    for i, u in enumerate(tree.node.tolist()):
        siblings = sorted((tree.hop[c], w) for c in tree.children(i).tolist() for w in tree.members[c])
        assert siblings == sorted((far[u][w], w) for w in far if tree.depth[i] < depth and 1 <= far[u][w] <= hops)
        assert all(tree.parent[c] == i and tree.depth[c] == tree.depth[i] + 1 for c in tree.children(i))
        same = below.setdefault((tree.depth[i], tree.color[i]), nested(tree, i))
        assert same == nested(tree, i)  # equal colors at equal depth are equal subtrees
    if merge:  # no two siblings at one distance are equal
        keys = list(zip(tree.parent.tolist(), tree.hop.tolist(), tree.color.tolist(), strict=True))
        assert len(set(keys)) == len(keys)


def test_trees_are_printed_as_the_paper_draws_them() -> None:
    assert str(de.unroll(FIG1, 2, layers=2, S={2}, merge=True)) == (
        "v2 [0]\n├─ v4 [1] ×2\n│  ├─ v2 [0]\n│  ├─ v5 [1]\n│  └─ v3 [2]\n└─ v7 [1]\n   ├─ v2 [0]\n   └─ v0 [2] ×2"
    )
    assert str(de.unroll(FIG1, "v3", layers=1)) == "v3\n├─ v1\n├─ v4\n└─ v6"
    path = [(0, 1), (1, 2), (2, 3)]
    assert str(tree_of(path, 1, hops=2, S=[1])) == "1 [0]\n├─ 0 [1] ×2\n└─ 3 [2] (2 hops)"
    assert "'v2', 6 layers, 1,093" in repr(de.unroll(FIG1, 2, layers=6, S={2}))  # 1 + 3 + 9 + ... + 3^6


def test_a_node_is_labeled_by_its_encoding() -> None:
    path, far = [(0, 1), (1, 2)], de.Graph.from_edges([(0, 1)], num_nodes=3)
    assert de.unroll(far, 0, layers=1, S={0, 2}).label == ("{0,∞}", "{1,∞}")
    assert de.unroll(far, 0, layers=1, encoding=de.SPD(1), S={0, 2}).label == ("{0,∞}", "{1+,∞}")
    assert tree_of(path, 1, encoding=de.LandingProbability(1)).label == ("1, 0", "0, 0.5")  # S is the root by default
    assert tree_of(path, 1, encoding=de.DRNL(2), S=[0, 2]).label == ("2", "1")
    assert de.unroll(de.zoo.complete(5), 0, 1, S=range(5), merge=True).label == ("{0, 1×4}", "{0, 1×4}")


def test_siblings_merge_only_if_they_are_equal() -> None:
    star = de.Graph.from_edges([(0, 1), (0, 2)]).with_attributes([[0.0], [1.0], [2.0]])
    assert [len(de.unroll(star, 0, 1, merge=True, attributes=flag)) for flag in (False, True)] == [2, 3]
    # One step from node 0 reaches neither 2 nor 3: the landing probabilities of both are 0, 0.
    edges = [(0, 1), (1, 2), (2, 3), (4, 2), (4, 3), (4, 5)]
    tree = tree_of(edges, 4, encoding=de.LandingProbability(1), S=[0])
    assert (tree.label, tree.multiplicity.tolist()) == (("0, 0", "0, 0"), [1, 3])


def test_a_tree_may_have_as_many_nodes_as_allowed() -> None:
    for merge, nodes, remedy in ((False, 1 + 3 + 9, "merge=True"), (True, 8, "fewer layers")):  # 8: see Fig. 3 above
        assert len(de.unroll(FIG1, 2, 2, S={2}, merge=merge, max_nodes=nodes)) == nodes
        with pytest.raises(de.GraphError, match=f"more than {nodes - 1} nodes.*{remedy}"):
            de.unroll(FIG1, 2, 2, S={2}, merge=merge, max_nodes=nodes - 1)


# ---- where two trees differ -------------------------------------------------------------------------


@given(questions(), st.integers(0, 3), st.booleans(), st.booleans(), st.integers(1, 2))
@settings(max_examples=150)
def test_trees_without_their_differences_are_equal(question: Question, layers: int, merge, plain, hops: int) -> None:
    a, b = (
        de.unroll(G, S[0], layers, S=None if plain else S[:1], merge=merge, hops=hops, max_nodes=10**6)
        for G, S in question
    )
    found = de.compare(a, b)
    one, other = ((G, S[:1]) for G, S in question)
    method = "1-WL" if plain else "DEA-SPD"
    verdict = de.distinguish(one, other, method, layers, None if plain else hops) if not plain or hops == 1 else None
    assert verdict is None or found.layer == verdict.layer
    assert found.same == (nested(a) == nested(b)) == (found.layer is None)
    sides = ((a, found.branches_a, found.parts_a), (b, found.branches_b, found.parts_b))
    for tree, ways, parts in sides:
        assert ways[0] != found.same and not (parts & ~ways).any()
        assert all(ways[tree.parent[i]] for i in np.flatnonzero(ways) if i)
    if not merge and found.layer != 0:
        assert nested(a, 0, np.flatnonzero(found.parts_a)) == nested(b, 0, np.flatnonzero(found.parts_b))
        children = [{(tree.hop[c], tree.label[c]) for c in tree.children(0) if parts[c]} for tree, _, parts in sides]
        assert not children[0] & children[1]  # a difference further down is marked there
    assert (found.parts_a.any() or found.parts_b.any()) != found.same
    swapped = de.compare(b, a)
    assert swapped.layer == found.layer and swapped.parts_b.sum() == found.parts_a.sum()


def test_a_difference_is_marked_where_it_begins() -> None:
    a, b = (de.unroll(FIG1, v, layers=2, S={v}, merge=True) for v in (2, 3))
    found = de.compare(a, b)
    assert found.layer == 2
    assert a.node[found.branches_a].tolist() == [2, 4, 5] and a.node[found.parts_a].tolist() == [5]
    roots = de.compare(*(tree_of([(0, 1), (1, 2), (2, 0)], root, layers=2, S=[0]) for root in (0, 1)))
    assert (roots.same, roots.layer, roots.parts_a[0], roots.parts_b[0]) == (False, 0, True, True)


@pytest.mark.parametrize("merge", [False, True])
def test_equal_branches_are_counted(merge: bool) -> None:
    two, three = (tree_of([(0, v) for v in range(1, k + 1)], merge=merge) for k in (2, 3))
    found = de.compare(two, three)
    assert (found.layer, found.branches_a.sum(), found.branches_b.sum()) == (1, 1, 2)  # both leaves have a partner
    assert de.compare(three, two).branches_a.sum() == 2
