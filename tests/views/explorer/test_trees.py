"""The subtrees of the Explorer: how deep, along how many hops, of which side."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.expressive.subtrees import Unrolling
from degnn_explore.views.explorer.state import ExplorerState
from degnn_explore.views.explorer.trees import forest

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
