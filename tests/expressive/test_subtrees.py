from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import degnn_explore as de

from ..strategies import graphs_with_targets, shuffled

FIG1 = de.zoo.figure1()


def nested(tree: de.Subtree, i: int = 0):
    """The subtree below i without the names of its nodes: label and the multiset of children."""
    below: Counter = Counter()
    for c in tree.children(i).tolist():
        below[int(tree.hop[c]), nested(tree, c)] += int(tree.multiplicity[c])
    return tree.label[i], frozenset(below.items())


def test_figure_3_prints_as_the_paper_draws_it() -> None:
    assert str(de.unroll(FIG1, 2, layers=2, S={2}, merge=True)) == (
        "v2 [0]\n├─ v4 [1] ×2\n│  ├─ v2 [0]\n│  ├─ v5 [1]\n│  └─ v3 [2]\n└─ v7 [1]\n   ├─ v2 [0]\n   └─ v0 [2] ×2"
    )
    assert str(de.unroll(FIG1, "v3", layers=1)) == "v3\n├─ v1\n├─ v4\n└─ v6"


def test_the_flat_arrays_of_a_small_tree() -> None:
    tree = de.unroll(de.Graph.from_edges([(0, 1), (1, 2)]), 0, layers=2, S={0})
    assert tree.node.tolist() == [0, 1, 0, 2]
    assert tree.parent.tolist() == [-1, 0, 1, 1]
    assert tree.depth.tolist() == [0, 1, 2, 2]
    assert tree.multiplicity.tolist() == [1, 1, 1, 1]
    assert tree.label == ("0", "1", "0", "2")
    assert tree.children(1).tolist() == [2, 3]
    assert tree.children(0).tolist() == [1]
    assert tree.children(3).tolist() == []


def test_labels_of_pairs_are_multisets() -> None:
    tree = de.unroll(FIG1, 0, layers=1, S={0, 1})
    assert tree.label[0] == "{0,1}"
    assert sorted(tree.label[1:]) == ["{0,1}", "{1,1}", "{1,2}"]
    assert sorted(de.unroll(FIG1, 0, layers=1, S={0, 1}, cut=True).label[1:]) == ["{1,1}", "{1,2}"]
    far = de.Graph.from_edges([(0, 1)], num_nodes=3)
    assert de.unroll(far, 0, layers=1, S={0, 2}).label == ("{0,∞}", "{1,∞}")
    assert de.unroll(far, 0, layers=1, encoding=de.SPD(1), S={0, 2}).label == ("{0,∞}", "{1+,∞}")


@given(graphs_with_targets(6, 2), st.integers(0, 3), st.integers(1, 2), st.booleans())
def test_merging_keeps_the_tree(case, layers: int, hops: int, cut: bool) -> None:
    G, S = case
    whole = de.unroll(G, S[0], layers, S=S, hops=hops, cut=cut, max_nodes=10**6)
    merged = de.unroll(G, S[0], layers, S=S, hops=hops, cut=cut, merge=True)
    assert nested(whole) == nested(merged)
    weight = np.ones(len(merged), dtype=int)
    for i in range(1, len(merged)):
        weight[i] = weight[merged.parent[i]] * merged.multiplicity[i]
    assert weight.sum() == len(whole)
    assert [len(m) for m in merged.members] == merged.multiplicity.tolist()


@given(graphs_with_targets(6, 1), st.integers(0, 3), st.data())
def test_trees_are_equal_exactly_where_colors_are(case, layers: int, data) -> None:
    G, (u,) = case
    v = data.draw(st.integers(0, G.num_nodes - 1))
    a, b = (de.unroll(G, x, layers, S=[x], merge=True) for x in (u, v))
    comparison = de.compare(a, b)
    assert comparison.same == (nested(a) == nested(b)) == bool(a.color[0] == b.color[0])
    verdict = de.distinguish((G, u), (G, v), layers=layers)
    assert (comparison.layer is not None, comparison.layer) == (verdict.different, verdict.layer)
    assert comparison.branches_a.any() == comparison.branches_b.any() == verdict.different


@given(graphs_with_targets(7, 2), st.integers(0, 99))
def test_relabeling_the_nodes_changes_no_tree(case, seed: int) -> None:
    G, S = case
    H, new = shuffled(G, seed)
    assert nested(de.unroll(G, S[0], 2, S=S)) == nested(de.unroll(H, int(new[S[0]]), 2, S=new[S]))


def test_the_branches_where_two_trees_diverge() -> None:
    a, b = (de.unroll(FIG1, v, layers=2, S={v}, merge=True) for v in (2, 3))
    comparison = de.compare(a, b)
    assert (comparison.same, comparison.layer) == (False, 2)
    assert [a.label[i] for i in np.flatnonzero(comparison.branches_a)] == ["0", "1", "1"]  # the linked neighbor
    assert a.node[np.flatnonzero(comparison.branches_a)].tolist() == [2, 4, 5]
    assert a.node[comparison.parts_a].tolist() == [5]  # dashed here alone, not on the way there
    same = de.compare(*(de.unroll(FIG1, v, layers=4, S={v}, merge=True) for v in (2, 7)))
    assert same.same and same.layer is None and not same.branches_a.any()


def test_a_tree_that_would_explode_is_refused_before_it_is_built() -> None:
    celegans = de.load("celegans")
    hub = int(celegans.degrees.argmax())
    with pytest.raises(de.GraphError, match="merge=True"):
        de.unroll(celegans, hub, layers=5)
    with pytest.raises(de.GraphError, match=r"Even merged.*fewer layers"):
        de.unroll(celegans, hub, layers=5, merge=True, S={hub})


def test_six_layers_of_a_cubic_graph_stay_small_when_merged() -> None:
    assert len(de.unroll(FIG1, 2, layers=6, S={2})) == 1_093  # 1 + 3 + 9 + ... + 3^6
    assert len(de.unroll(FIG1, 2, layers=6, S={2}, merge=True)) < 400
    assert len(de.unroll(FIG1, 2, layers=6, merge=True)) == 7


@pytest.mark.parametrize(
    ("kwargs", "error", "message"),
    [
        ({"root": 99, "layers": 1}, de.TargetError, "Node 99"),
        ({"root": 0, "layers": -1}, de.ParameterError, "layers.*-1"),
        ({"root": 0, "layers": 1, "hops": 0}, de.ParameterError, "hops.*0"),
        ({"root": 0, "layers": 1, "S": []}, de.TargetError, "empty"),
        ({"root": 0, "layers": 1, "cut": True}, de.ParameterError, "no S was given"),
    ],
)
def test_bad_questions_are_answered_clearly(kwargs, error, message: str) -> None:
    with pytest.raises(error, match=message):
        de.unroll(FIG1, **kwargs)


def test_trees_of_different_depth_are_not_compared() -> None:
    with pytest.raises(de.TargetError, match="1 and 2 layers"):
        de.compare(de.unroll(FIG1, 0, 1), de.unroll(FIG1, 0, 2))


def tree_of(edges: list[tuple[int, int]], root: int = 0, **options) -> de.Subtree:
    return de.unroll(de.Graph.from_edges(edges), root, **{"layers": 1, "merge": True, **options})


def test_equal_branches_count() -> None:
    two, three = tree_of([(0, 1), (0, 2)]), tree_of([(0, 1), (0, 2), (0, 3)])
    comparison = de.compare(two, three)
    assert (comparison.same, comparison.layer) == (False, 1)
    assert comparison.branches_a.tolist() == [True, False]  # both of its leaves have a partner
    assert comparison.branches_b.tolist() == [True, True]
    assert de.compare(three, two).branches_a.tolist() == [True, True]
    unmerged = de.compare(tree_of([(0, 1), (0, 2)], merge=False), tree_of([(0, 1), (0, 2), (0, 3)], merge=False))
    assert (unmerged.branches_a.sum(), unmerged.branches_b.sum()) == (1, 2)


def test_a_whole_branch_that_is_missing_is_marked_where_it_begins() -> None:
    short, long = tree_of([(0, 1)], layers=2), tree_of([(0, 1), (0, 2), (2, 3)], layers=2)
    comparison = de.compare(short, long)
    assert (short.node.tolist(), comparison.branches_a.tolist()) == ([0, 1, 0], [True, False, False])
    assert (long.depth.tolist(), long.node.tolist()) == ([0, 1, 1, 2, 2], [0, 2, 1, 0, 0])
    assert comparison.branches_b.tolist() == [True, True, False, False, False]
    assert comparison.parts_b.tolist() == [False, True, False, False, False]
    assert not comparison.parts_a.any()


@given(graphs_with_targets(6, 1), st.integers(1, 3), st.data())
def test_trees_that_differ_diverge_somewhere_and_the_way_there_is_marked(case, layers: int, data) -> None:
    G, (u,) = case
    v = data.draw(st.integers(0, G.num_nodes - 1))
    a, b = (de.unroll(G, x, layers, S=[x], merge=True) for x in (u, v))
    comparison = de.compare(a, b)
    assert (comparison.parts_a.any() or comparison.parts_b.any()) != comparison.same
    for tree, ways, parts in (
        (a, comparison.branches_a, comparison.parts_a),
        (b, comparison.branches_b, comparison.parts_b),
    ):
        assert not (parts & ~ways).any()
        assert all(ways[tree.parent[i]] for i in np.flatnonzero(ways) if i)


def test_trees_whose_roots_differ_differ_at_layer_0() -> None:
    comparison = de.compare(*(tree_of([(0, 1), (1, 2), (2, 0)], root, layers=2, S=[0]) for root in (0, 1)))
    assert (comparison.same, comparison.layer) == (False, 0)


def test_k_hop_trees_keep_hops_apart() -> None:
    path = [(0, 1), (1, 2), (2, 3)]
    tree = tree_of(path, hops=2)
    assert (tree.node.tolist(), tree.hop.tolist(), tree.multiplicity.tolist()) == ([0, 1, 2], [0, 1, 2], [1, 1, 1])
    assert str(tree_of(path, 1, hops=2, S=[1])) == "1 [0]\n├─ 0 [1] ×2\n└─ 3 [2] (2 hops)"
    assert str(tree_of(path, 1, hops=1, S=[1])) == "1 [0]\n└─ 0 [1] ×2"
    near, far = tree_of([(0, 1), (0, 2)], hops=2), tree_of([(0, 1), (1, 2)], hops=2)
    assert de.compare(near, far).layer == 1  # two nodes one hop away, or one of them two hops away
    assert de.compare(near, far).branches_b.tolist() == [True, False, True]


@given(graphs_with_targets(6, 3), st.integers(0, 2), st.integers(1, 2), st.booleans())
def test_cutting_first_is_the_same_as_cut(case, layers: int, hops: int, merge: bool) -> None:
    G, S = case
    for encoding in (None, de.SPD(1), de.LandingProbability(2)):
        cut, first = (
            de.unroll(X, S[0], layers, encoding, S, cut=flag, hops=hops, merge=merge, max_nodes=10**5)
            for X, flag in ((G, True), (G.cut(S), False))
        )
        assert str(cut) == str(first)
        assert np.array_equal(cut.color, first.color)


def test_labels_of_other_encodings() -> None:
    path = [(0, 1), (1, 2)]
    assert tree_of(path, 1, encoding=de.LandingProbability(1)).label == ("1, 0", "0, 0.5")
    assert tree_of(path, 1, encoding=de.DRNL(2), S=[0, 2]).label == ("2", "1")
    assert tree_of(path, encoding=de.SPD(1)).label == ("0", "1+")  # S is the root where none is given
    five = de.unroll(de.zoo.complete(5), 0, 1, S=range(5), merge=True)
    assert five.label == ("{0, 1×4}", "{0, 1×4}")


def test_equal_walks_merge_at_different_distances() -> None:
    """One step from node 0 reaches neither node 2 nor node 3: the landing probabilities of both are 0, 0."""
    tree = tree_of(
        [(0, 1), (1, 2), (2, 3), (4, 2), (4, 3), (4, 5)], 4, encoding=de.LandingProbability(1), S=[0], layers=1
    )
    assert tree.label == ("0, 0", "0, 0")
    assert tree.multiplicity.tolist() == [1, 3]


def test_siblings_with_different_attributes_stay_apart() -> None:
    star = de.Graph.from_edges([(0, 1), (0, 2)]).with_attributes([[0.0], [1.0], [2.0]])
    assert len(de.unroll(star, 0, 1, merge=True)) == 2
    assert len(de.unroll(star, 0, 1, merge=True, attributes=True)) == 3


def test_a_tree_may_have_as_many_nodes_as_allowed() -> None:
    ring = de.zoo.cycle(5)
    assert len(de.unroll(ring, 0, 3, max_nodes=15)) == 15
    with pytest.raises(de.GraphError, match="more than 14 nodes"):
        de.unroll(ring, 0, 3, max_nodes=14)
    with pytest.raises(de.ParameterError, match="max_nodes"):
        de.unroll(ring, 0, 3, max_nodes=0)
