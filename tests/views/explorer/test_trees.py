"""The subtrees of the Explorer: how deep, along how many hops, of which side, by which labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.expressive.subtrees import Unrolling
from degnn_explore.views.explorer.state import ExplorerState
from degnn_explore.views.explorer.trees import MAX_ARCS, folded, forest, view_of

from ...strategies import graphs, graphs_with_targets

PATH = de.Graph.from_edges([(0, 1), (1, 2), (2, 3)])


def shown(state: ExplorerState) -> dict[str, Any]:
    """What the view gets, its bytes as lists."""
    traits = view_of(state, lambda side, node: 100 * side + node)
    kinds = {"indptr": "<u4", "indices": "<u4", "tags": "u1", "codes": "<u2", "drawn": "<i4"}
    rows = {name: np.frombuffer(traits[name], "<u4").reshape(traits["layers"] + 1, -1) for name in ("classes", "plain")}
    return traits | {name: np.frombuffer(traits[name], kind).tolist() for name, kind in kinds.items()} | rows


def test_what_the_view_gets_of_a_path() -> None:
    state = ExplorerState((PATH, [0]))
    view = shown(state)
    assert (view["names"], view["roots"], view["letters"], view["layers"]) == (["v0", "v1", "v2"], [0], ["S"], 2)
    assert (view["indptr"], view["indices"], view["drawn"]) == ([0, 1, 3, 3], [1, 0, 2], [0, 1, 2])  # v2: outermost
    assert [view["legend"][code]["mark"] for code in view["codes"]] == ["0", "1", "2"]
    assert [len(set(row)) for row in view["classes"].tolist()] == [3, 3, 3]
    assert [len(set(row)) for row in view["plain"].tolist()] == [1, 2, 2]  # v3, an end like v0, is not reached


@settings(max_examples=40, deadline=None)
@given(graphs_with_targets(6, 2), graphs_with_targets(6, 2), st.integers(0, 3), st.booleans(), st.integers(1, 2))
def test_classes_are_equal_exactly_where_colours_are(a, b, layer: int, cut: bool, hops: int) -> None:
    """Of both sides together, for 1-WL and for DEA; also where the sets differ in size."""
    state = ExplorerState(a, b)
    state.update(layer=layer, cut=cut, colour_by="DEA-SPD", hops=hops)
    view = shown(state)
    assert [view["names"][root] for root in view["roots"]] == [f"v{a[1][0]}", f"v{b[1][0]}"]
    sides = [(G, S, G.cut(S) if cut else G) for G, S in (a, b)]
    at = [divmod(number, 100) for number in view["drawn"]]
    for name, colours in (
        ("classes", [de.colours(G, S, None, hops, layer, cut) for G, S, _ in sides]),
        ("plain", [de.colours(C, layers=layer) for _, _, C in sides]),
    ):
        for row, classes in enumerate(view[name]):
            true = [colours[side][row, u] for side, u in at]
            for i in range(len(true)):
                assert [x == true[i] for x in true] == [x == classes[i] for x in classes]


def test_of_a_larger_set_it_says_whose_trees_are_drawn() -> None:
    one, all_of_it = ExplorerState((PATH, [0, 1, 3])), ExplorerState((PATH, [0, 1, 2, 3]))
    assert (len(shown(one)["roots"]), shown(one)["note"]) == (3, "")
    assert (len(shown(all_of_it)["roots"]), shown(all_of_it)["note"]) == (3, "trees of the first 3 of 4 targets")


def test_a_tree_of_too_many_links_is_shown_less_deep() -> None:
    star = de.Graph.from_edges([(0, v) for v in range(1, 300)] + [(u, v) for u in range(1, 300) for v in range(1, u)])
    state = ExplorerState((star, [0]))
    state.update(layer=3)
    assert star.num_edges * 2 > MAX_ARCS
    assert shown(state)["layers"] == 1
    assert "depth 3 would follow too many links; depth 1 is shown" in shown(state)["note"]


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
    state = ExplorerState((PATH, [0]))
    state.update(colour_by="DEA-SPD", hops=2, layer=1)
    (tree,) = forest(state).trees
    assert (tree.node.tolist(), tree.hop.tolist()) == ([0, 1, 2], [0, 1, 2])
    assert (shown(state)["indices"], shown(state)["tags"], shown(state)["encoding"]) == ([1, 2], [1, 2], "DEA")
    state.update(colour_by="DE-SPD")
    assert forest(state).trees[0].node.tolist() == [0, 1]
    assert (shown(state)["indices"], shown(state)["tags"], shown(state)["encoding"]) == ([1], [], "DE")


def test_a_plain_tree_follows_no_edge_that_is_cut() -> None:
    state = ExplorerState((PATH, [1, 2]))
    state.update(layer=1)
    assert [tree.members for tree in forest(state, plain=True).trees] == [((1,), (0, 2)), ((2,), (1, 3))]
    state.update(cut=True)
    assert [tree.members for tree in forest(state, plain=True).trees] == [((1,), (0,)), ((2,), (3,))]
    assert np.bincount(folded(state, plain=True).level).tolist() == [1, 1]
    assert len(set(shown(state)["plain"][1].tolist())) == 1  # two edges apart: all nodes have one neighbour


def test_each_tree_marks_its_own_branches() -> None:
    star = de.Graph.from_edges([(0, 1), (0, 2), (0, 3)])
    made = forest(ExplorerState((star, [0]), (PATH, [0])))
    assert [len(made.parts(k)) for k in range(2)] == [len(tree) for tree in made.trees] == [3, 4]
    assert [made.parts(k).tolist() for k in range(2)] == [[False, True, False], [False, False, False, True]]


def test_the_chosen_root_is_shown_or_the_last_of_a_smaller_set() -> None:
    G = de.zoo.petersen()
    state = ExplorerState((G, [3, 4]), (G, [5]))
    assert [tree.root for tree in forest(state).trees] == [3, 5]
    state.update(root=1)
    assert [tree.root for tree in forest(state).trees] == [4, 5]


def test_one_set_shows_the_trees_of_its_first_three_targets() -> None:
    made = forest(ExplorerState((de.zoo.petersen(), [3, 4, 5, 6])))
    assert [tree.root for tree in made.trees] == [3, 4, 5]
    assert made.comparison is None
    assert not any(made.parts(k).any() for k in range(3))


@pytest.mark.parametrize(
    ("by", "marks", "note"),
    [
        ("SPD", ["0", "1", "2"], ""),
        ("LP", ["1/2", "0", "1/2"], "discs say landing probability at step 2; subtrees compare all columns"),
        ("PageRank", ["3.1", "90/19", "81/38"], ""),
        ("DE-LP", ["a", "b", "c"], "a, b, …: nodes with equal walks of every length"),
        ("DRNL", [], "DRNL is defined for pairs: pick two targets (now 1)"),
    ],
)
def test_every_encoding_labels_the_tree_or_says_why_not(by: str, marks: list[str], note: str) -> None:
    path = de.Graph.from_edges([(0, 1), (1, 2)])
    state = ExplorerState((path, [0]))
    state.update(colour_by=by)
    view = shown(state)
    assert [view["legend"][code]["mark"] for code in view["codes"]] == (marks or ["", "", ""])
    assert view["note"] == note
    assert (view["classes"].size > 0) == bool(marks)


def test_nothing_is_shown_before_a_target_is_picked() -> None:
    traits = view_of(ExplorerState(PATH), lambda side, node: node)
    assert (traits["roots"], traits["note"]) == ([], "pick a target to see the tree a GNN computes along")
    state = ExplorerState((PATH, [0]), PATH)
    assert (shown(state)["roots"], shown(state)["letters"]) == ([0], ["A"])
