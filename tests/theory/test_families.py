"""Families of graphs that 1-WL cannot tell apart."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore import theory, zoo
from degnn_explore.theory.families import wl_groups

from ..strategies import graphs, shuffled


def test_the_file_of_regular_graphs_is_complete() -> None:
    """As many as OEIS A005176 says, each regular, and no two of one n and r isomorphic."""
    every = {(n, r): theory.regular_graphs(n, r) for n in range(1, 11) for r in range(n) if n * r % 2 == 0}
    counts = [sum(len(group) for (m, _), group in every.items() if m == n) for n in range(1, 11)]
    assert counts == [1, 2, 2, 4, 3, 8, 6, 22, 26, 176]
    for (n, r), group in every.items():
        assert all(G.degrees.tolist() == [r] * n for G in group)
        assert [G.title for G in group] == [f"{r}-regular, n={n}, no. {k + 1}" for k in range(len(group))]
    for most in (7, 10):
        assert theory.regular_family(most) == [group for (n, _), group in every.items() if n <= most and len(group) > 1]
    for group in theory.regular_family(8):
        assert not any(theory.isomorphic(a, b) for a, b in combinations(group, 2))


def test_the_small_family_is_of_connected_graphs_of_the_atlas() -> None:
    groups, atlas = theory.small_family(), nx.graph_atlas_g()
    for G in (G for group in groups for G in group):
        A = atlas[int(G.title.removeprefix("atlas "))]
        assert nx.is_connected(A) and nx.utils.graphs_equal(nx.Graph(A.edges), nx.Graph(G.edges.tolist()))
    assert [len(theory.small_family(most)) for most in (5, 6, 7)] == [0, 3, len(groups)]


@given(st.lists(graphs(6), max_size=6), st.integers(0, 99))
def test_groups_are_what_1wl_confuses(made: list[de.Graph], seed: int) -> None:
    made += [shuffled(G, seed)[0].with_title(str(i)) for i, G in enumerate(made)]
    groups = wl_groups(made)
    of = {id(G): k for k, group in enumerate(groups) for G in group}
    for a, b in combinations(made, 2):
        assert (of[id(a)] == of[id(b)]) == (not de.distinguish(a, b, "1-WL").different)
    assert sum(map(len, groups)) == len(made)  # each has a twin


def test_strongly_regular_graphs_share_parameters_but_not_graphs() -> None:
    for group in theory.strongly_regular_family():
        assert len({zoo.intersection_array(G) for G in group}) == 1
        assert all(theory.isomorphic(a, b) is False for a, b in combinations(group, 2))
    cyclic = theory.latin_square_graph(np.add.outer(np.arange(5), np.arange(5)) % 5, "cyclic")
    assert theory.isomorphic(cyclic, zoo.paley(25)) is True and cyclic.title == "cyclic"
    letters = theory.latin_square_graph([["a", "b"], ["b", "a"]])
    assert letters.edges.tolist() == [[i, j] for i, j in combinations(range(4), 2)]
    for square in ([[0, 1], [0, 1]], [[0, 1], [1, 1]], [[0, 0], [0, 0]], [[0, 1]], [[0, 1], [1, 2]], [[0, 1], [2, 3]]):
        with pytest.raises(de.ParameterError, match="Latin square"):
            theory.latin_square_graph(square)
    (csl,) = theory.csl_family()
    assert len(csl) == 10 and {G.num_nodes for G in csl} == {41}
    assert not any(theory.isomorphic(a, b) for a, b in combinations(csl, 2))


@given(graphs(6), st.integers(1, 4), st.integers(0, 5))
def test_a_lift_covers_its_graph(G: de.Graph, copies: int, seed: int) -> None:
    """Copy i of node v, number v * copies + i, has one neighbor above each neighbor of v."""
    lift = theory.lift(G, copies, seed)
    assert lift.num_nodes == G.num_nodes * copies
    for v in range(lift.num_nodes):
        assert sorted(lift.neighbors(v) // copies) == G.neighbors(v // copies).tolist()
    assert not de.distinguish(lift, theory.lift(G, copies, seed + 1), "1-WL").different
    assert lift.edges.tolist() == theory.lift(G, copies, seed).edges.tolist()
    assert f"{copies}-lift of a graph of {G.num_nodes} nodes, seed={seed}" == lift.title
    petersens = [theory.lift(zoo.petersen(), 3, each) for each in (seed, seed + 1)]
    assert petersens[0].edges.tolist() != petersens[1].edges.tolist() and "Petersen" in petersens[0].title
