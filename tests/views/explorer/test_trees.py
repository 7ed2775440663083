"""The subtrees of the Explorer: how deep, along how many hops, of which side."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.expressive.subtrees import Unrolling
from degnn_explore.views.explorer.state import ExplorerState
from degnn_explore.views.explorer.trees import forest, shares

from ...strategies import graphs


@settings(max_examples=40, deadline=None)
@given(graphs(), st.integers(0, 3), st.integers(1, 2), st.data())
def test_the_counted_size_is_the_size_of_the_merged_tree(
    G: de.Graph, layers: int, hops: int, data: st.DataObject
) -> None:
    root = data.draw(st.integers(0, G.num_nodes - 1))
    tree = de.unroll(G, root, layers, S=[root], hops=hops, merge=True)
    prepared = Unrolling(G, layers, None, [root], False, hops)
    assert prepared.size(root, layers, True, 20_000) == len(tree)
    assert prepared.size(root, layers, True, len(tree) - 1) > len(tree) - 1  # and says so when it counts no further


def test_k_hops_at_a_time_reach_twice_as_far() -> None:
    """On a path one layer of DEA with two hops sees distance 2; a plain DE-GNN does not."""
    path = de.Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    state = ExplorerState((path, [0]))
    state.update(colour_by="DEA-SPD", hops=2, layer=1)
    (tree,) = forest(state).trees
    assert tree.node.tolist() == [0, 1, 2]
    assert tree.hop.tolist() == [0, 1, 2]
    assert "2 hops at a time" in forest(state).note
    state.update(colour_by="DE-SPD")
    (tree,) = forest(state).trees
    assert tree.node.tolist() == [0, 1]


def test_a_plain_tree_follows_no_edge_that_is_cut() -> None:
    path = de.Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    state = ExplorerState((path, [1, 2]))
    state.update(colour_by="1-WL", layer=1)
    assert [tree.members for tree in forest(state).trees] == [((1,), (0, 2)), ((2,), (1, 3))]
    state.update(cut=True)
    assert [tree.members for tree in forest(state).trees] == [((1,), (0,)), ((2,), (3,))]


def test_each_tree_marks_its_own_branches() -> None:
    star, path = de.Graph.from_edges([(0, 1), (0, 2), (0, 3)]), de.Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    shown = forest(ExplorerState((star, [0]), (path, [0])))
    assert shown.comparison is not None
    assert [len(shown.differs(k)) for k in range(2)] == [len(tree) for tree in shown.trees]
    assert len(shown.trees[0]) != len(shown.trees[1])
    for k, tree in enumerate(shown.trees):
        assert shown.differs(k)[0]  # the roots differ
        assert all(shown.differs(k)[tree.parent[i]] for i in range(1, len(tree)) if shown.differs(k)[i])


def test_the_chosen_root_is_shown_or_the_last_of_a_smaller_set() -> None:
    G = de.zoo.petersen()
    state = ExplorerState((G, [3, 4]), (G, [5]))
    assert [tree.root for tree in forest(state).trees] == [3, 5]
    state.update(root=1)
    assert [tree.root for tree in forest(state).trees] == [4, 5]


def test_one_set_shows_the_trees_of_its_first_three_targets() -> None:
    shown = forest(ExplorerState((de.zoo.petersen(), [3, 4, 5, 6])))
    assert [tree.root for tree in shown.trees] == [3, 4, 5]
    assert shown.comparison is None
    assert not any(shown.differs(k).any() for k in range(3))


def test_trees_of_one_width_share_the_panel_and_a_narrow_one_keeps_a_quarter() -> None:
    wide, narrow = np.stack([np.arange(20.0), np.zeros(20)], axis=1), np.zeros((1, 2))
    assert shares([wide, wide]) == [20.5, 20.5]
    assert shares([wide, narrow]) == [20.5, 5.5]
    assert shares([]) == []
