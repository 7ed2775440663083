from __future__ import annotations

import json
import subprocess
import sys
import threading
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.common.progress import Cancelled, watching
from degnn_explore.expressive.refinement import History, Instances

from ..encodings.test_encodings import slow_distances
from ..strategies import graphs, graphs_with_targets, shuffled


def slow_colors(G: de.Graph, initial: list, hops: int, layers: int, S: list[int], cut: bool) -> list[list]:
    """Refinement with nested tuples: a color is the whole structure it stands for."""
    graph = G.to_networkx()
    if cut:
        graph.remove_edges_from([(u, v) for u in S for v in S])
    near = {u: nx.single_source_shortest_path_length(graph, u, cutoff=hops) for u in graph}
    history = [list(initial)]
    for _ in range(layers):
        now = history[-1]
        history.append(
            [(now[u], tuple(sorted(((d, now[w]) for w, d in near[u].items() if d), key=repr))) for u in graph]
        )
    return history


def partition(row) -> list[list[int]]:
    groups: dict = {}
    for u, c in enumerate(row):
        groups.setdefault(c if not isinstance(c, np.integer) else int(c), []).append(u)
    return sorted(groups.values())


@given(graphs_with_targets(7, 3), st.integers(1, 3), st.booleans(), st.booleans())
def test_colors_are_the_classes_of_nested_multisets(case, hops: int, cut: bool, plain: bool) -> None:
    G, S = case
    if plain:
        initial, cut = [()] * G.num_nodes, False
    else:
        initial = [tuple(sorted(d)) for d in slow_distances(G, S, cut).T.tolist()]
    slow = slow_colors(G, initial, hops, 3, S, cut)
    fast = de.colors(G, None if plain else S, hops=hops, layers=3, cut=cut)
    assert fast.shape == (4, G.num_nodes)
    for layer in range(4):
        assert partition(fast[layer]) == partition(slow[layer])


@given(graphs(6), graphs(6))
def test_colors_agree_across_graphs(G: de.Graph, H: de.Graph) -> None:
    slow = [slow_colors(X, [()] * X.num_nodes, 1, 3, [], False) for X in (G, H)]
    fast = [de.colors(X, layers=3) for X in (G, H)]
    for layer in range(4):
        for u in range(G.num_nodes):
            for v in range(H.num_nodes):
                assert (slow[0][layer][u] == slow[1][layer][v]) == (fast[0][layer][u] == fast[1][layer][v])


@given(graphs_with_targets(), st.integers(0, 99))
def test_relabeling_the_nodes_changes_no_color(case, seed: int) -> None:
    G, S = case
    H, new = shuffled(G, seed)
    for encoding in (None, de.SPD(1), de.LandingProbability(3), de.PageRank(0.5)):
        assert np.array_equal(de.colors(G, S, encoding, layers=2), de.colors(H, new[S], encoding, layers=2)[:, new])


def test_colors_are_the_same_in_every_process() -> None:
    code = "import degnn_explore as de; print(de.colors(de.zoo.figure1(), S={2}, layers=3).tolist())"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert de.colors(de.zoo.figure1(), S={2}, layers=3).tolist() == json.loads(other)


def test_refinement_stops_when_no_class_splits() -> None:
    assert de.colors(de.zoo.petersen()).shape == (1, 10)
    assert de.colors(de.Graph.from_edges([(i, i + 1) for i in range(6)])).shape == (4, 7)
    assert de.colors(de.zoo.petersen(), layers=5).shape == (6, 10)


def test_attributes_color_from_the_start() -> None:
    G = de.zoo.cycle(4).with_attributes([[0.0], [1.0], [-0.0], [1.0]])
    assert partition(de.colors(G, attributes=True)[0]) == [[0, 2], [1, 3]]
    assert partition(de.colors(G)[-1]) == [[0, 1, 2, 3]]


@given(graphs_with_targets(6, 2), st.booleans(), st.integers(0, 6))
def test_exact_walks_differ_exactly_where_fractions_do(case, cut: bool, steps: int) -> None:
    G, S = case
    graph = G.to_networkx()
    if cut:
        graph.remove_edges_from([(u, v) for u in S for v in S])
    profile: list[list[tuple]] = [[] for _ in range(G.num_nodes)]
    for v in S:
        state = {v: Fraction(1)}
        rows = [state]
        for _ in range(steps):
            after: dict[int, Fraction] = {}
            for w, chance in state.items():
                for x in graph[w]:
                    after[x] = after.get(x, Fraction(0)) + chance / graph.degree[w]
            state = after
            rows.append(state)
        for u in range(G.num_nodes):
            profile[u].append(tuple(row.get(u, Fraction(0)) for row in rows))
    tokens = de.LandingProbability(steps).tokens(G, np.array([S]), cut)[0]
    for u in range(G.num_nodes):
        for w in range(G.num_nodes):
            for i in range(len(S)):
                assert (profile[u][i] == profile[w][i]) == bool((tokens[u, i] == tokens[w, i]).all())
    assert partition(de.colors(G, S, de.LandingProbability(steps), layers=0, cut=cut)[0]) == partition(
        [tuple(sorted(p)) for p in profile]
    )


def test_bad_questions_are_answered_clearly() -> None:
    G = de.zoo.petersen()
    with pytest.raises(de.ParameterError, match=r"hops.*0"):
        de.colors(G, hops=0)
    with pytest.raises(de.ParameterError, match=r"layers.*-1"):
        de.colors(G, layers=-1)
    with pytest.raises(de.ParameterError, match="needs a target set"):
        de.colors(G, encoding=de.SPD(2))
    with pytest.raises(de.TargetError, match="empty"):
        de.colors(G, S=[])


@given(graphs_with_targets(8, 3), st.integers(1, 2), st.sampled_from([None, de.SPD(1), de.LandingProbability(2)]))
def test_cutting_first_is_the_same_as_cut(case, hops: int, encoding) -> None:
    G, S = case
    cut, first = (de.colors(X, S, encoding, hops, 3, flag) for X, flag in ((G, True), (G.cut(S), False)))
    assert np.array_equal(cut, first)


def naive_classes(run: Instances, layers: int) -> list[list[int]]:
    """Every row looked at in every layer, numbered in order of appearance."""
    rows: list = [tuple(row) for row in run.initial.tolist()]
    history = []
    for _ in range(layers + 1):
        numbers: dict = {}
        now = [numbers.setdefault(row, len(numbers)) for row in rows]
        history.append(now)
        pairs = [[(int(t), now[w]) for w, t in zip(*run.row(u), strict=True)] for u in range(len(now))]
        rows = [(now[u], tuple(sorted(pairs[u]))) for u in range(len(now))]
    return history


@given(st.integers(1, 40), st.floats(0.5, 3), st.integers(0, 999), st.integers(1, 2))
def test_looking_only_at_changes_misses_none(n: int, degree: float, seed: int, hops: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = rng.integers(0, n, (int(n * degree / 2), 2))
    G = de.Graph.from_edges(pairs[pairs[:, 0] != pairs[:, 1]], num_nodes=n)
    run = Instances.build([(G, np.zeros((1, 0), dtype=np.int64)), (de.zoo.cycle(5), np.array([[0, 2]]))], hops=hops)
    history, slow, layer = History(), naive_classes(run, n + 6), -1
    every = np.arange(len(run.initial))
    kept = []
    for layer, (classes, changed) in enumerate(run.refine()):
        assert partition(classes) == partition(slow[layer])
        history.add(classes, changed)
        kept.append(classes.copy())
    assert len(set(slow[layer])) == len(set(slow[layer + 1]))  # it ended when no class split
    for k, classes in enumerate(kept):
        assert np.array_equal(history.at(k, every), classes)


def test_refinement_can_be_stopped_in_every_layer() -> None:
    path = de.Graph.from_edges([(i, i + 1) for i in range(30)])
    for layer in range(5):
        stop = threading.Event()
        layers = Instances.build([(path, np.zeros((1, 0), dtype=np.int64))]).refine()
        with watching(stop=stop):
            for _ in range(layer + 1):
                next(layers)
            stop.set()
            with pytest.raises(Cancelled):
                next(layers)


def test_more_hops_than_nodes_are_as_many_as_there_are() -> None:
    G = de.load("karate")
    assert np.array_equal(de.colors(G, {0}, hops=10**9, layers=2), de.colors(G, {0}, hops=34, layers=2))
    assert np.array_equal(de.theory.root_colors([G], 2, hops=10**9), de.theory.root_colors([G], 2, hops=34))
    with pytest.raises(de.ParameterError, match=r"layers=100,000,000 for 34 targets take 54\.4 GB"):
        de.theory.root_colors([G], 10**8)


def test_tables_that_cannot_fit_are_refused_before_they_are_made() -> None:
    path = de.zoo.cycle(20_000)
    with pytest.raises(de.ParameterError, match=r"20,000 nodes after 0..20,000 layers take 3\.2 GB"):
        de.colors(path, layers=20_000)
    line = de.Graph.from_edges(np.stack([np.arange(39_999), np.arange(1, 40_000)], axis=1), num_nodes=40_000)
    with pytest.raises(de.ParameterError, match=r"40,000 nodes after 0..19,999 layers take 6\.4 GB"):
        de.colors(line)  # until nothing changes: nobody knows how many layers, before they are counted
    with pytest.raises(de.ParameterError, match=r"needs about [\d,]+ arcs, more than 100,000,000"):
        de.colors(path, hops=10**9)
    with pytest.raises(de.ParameterError, match="arcs"):
        de.colors(path, S=range(20_000))  # 20,000 distances for each node
