"""The encodings that came after distance encoding: values, exactness, and what they can and cannot tell apart."""

from __future__ import annotations

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.encodings.positional import LaplacianPE, RandomWalkSE, ZeroOne


def random_graph(seed: int, n: int = 12) -> de.Graph:
    return de.Graph.from_networkx(nx.gnp_random_graph(n, 0.25, seed=seed))


def slow_returns(G: de.Graph, steps: int) -> list[tuple[Fraction, ...]]:
    """Return probabilities as fractions, walk by walk."""
    neighbors = [G.neighbors(u).tolist() for u in range(G.num_nodes)]
    rows = []
    for u in range(G.num_nodes):
        at, row = {u: Fraction(1)}, []
        for _ in range(steps):
            after: dict[int, Fraction] = {}
            for v, probability in at.items():
                for w in neighbors[v]:
                    after[w] = after.get(w, Fraction(0)) + probability / len(neighbors[v])
            at = after
            row.append(at.get(u, Fraction(0)))
        rows.append(tuple(row))
    return rows


@pytest.mark.parametrize("seed", range(8))
def test_return_probabilities_and_their_tokens_agree_with_fractions(seed: int) -> None:
    G = random_graph(seed)
    slow = slow_returns(G, 5)
    encoding = RandomWalkSE(5)
    assert np.allclose(encoding.encode(G, {0, 3}), np.array(slow, dtype=float))
    tokens = encoding.tokens(G, np.array([[0, 3]]))[0, :, 0]
    for u in range(G.num_nodes):
        for v in range(G.num_nodes):
            assert (tokens[u] == tokens[v]).all() == (slow[u] == slow[v])


def test_cutting_changes_return_probabilities_as_in_the_cut_graph() -> None:
    G, S = random_graph(3), np.array([1, 4])
    cut = G.cut(S)
    assert np.allclose(RandomWalkSE(4).encode(G, S, cut=True), RandomWalkSE(4).encode(cut, S))
    assert (RandomWalkSE(4).tokens(G, S[None], cut=True) == RandomWalkSE(4).tokens(cut, S[None])).all()


def test_zero_one_marks_the_targets_and_nothing_else() -> None:
    G = random_graph(0)
    assert np.flatnonzero(ZeroOne(pool="sum").encode(G, {2, 5}).ravel()).tolist() == [2, 5]
    assert ZeroOne().encode(G, {2, 5}).max() == 0.5  # the mean over two targets
    kept = ZeroOne(pool=None).encode(G, [5, 2])
    assert kept[5].ravel().tolist() == [1, 0] and kept[2].ravel().tolist() == [0, 1]


def test_marks_are_enough_for_two_triangles_against_a_hexagon_and_plain_gnns_are_blind() -> None:
    triangles = de.Graph.from_edges([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)])
    hexagon = de.Graph.from_edges([(i, (i + 1) % 6) for i in range(6)])
    assert not de.distinguish((triangles, [0]), (hexagon, [0]), method="1-WL").different
    assert de.distinguish((triangles, [0]), (hexagon, [0]), method=ZeroOne()).different
    assert de.distinguish((triangles, [0]), (hexagon, [0]), method=RandomWalkSE(3)).different


def test_marks_need_a_layer_for_each_step_that_distances_give_at_once() -> None:
    path = de.Graph.from_edges([(i, i + 1) for i in range(9)])
    by_distance = de.distinguish((path, [0, 4]), (path, [0, 6]), method=de.SPD(9))
    by_marks = de.distinguish((path, [0, 4]), (path, [0, 6]), method=ZeroOne())
    assert by_distance.different and by_marks.different
    assert by_distance.layer == 0 < by_marks.layer


@pytest.mark.parametrize("encoding", [ZeroOne(), RandomWalkSE(6)])
@pytest.mark.parametrize("seed", range(5))
def test_relabeling_the_nodes_moves_the_rows_along(encoding: de.Encoding, seed: int) -> None:
    G = random_graph(seed)
    order = np.random.default_rng(seed).permutation(G.num_nodes)
    H = de.Graph.from_edges(order[G.edges], num_nodes=G.num_nodes)
    S = np.array([0, 7])
    assert np.allclose(encoding.encode(H, order[S])[order], encoding.encode(G, S))


def test_laplacian_coordinates_are_eigenvectors_and_relabeling_changes_at_most_signs() -> None:
    G = de.load("karate")
    A = G.to_scipy().toarray()
    root = np.diag(1 / np.sqrt(A.sum(axis=1)))
    L = np.eye(len(A)) - root @ A @ root
    vectors = LaplacianPE(3).encode(G, {0})
    values = np.linalg.eigvalsh(L)[1:4]
    assert np.allclose(L @ vectors, vectors * values)
    order = np.random.default_rng(0).permutation(G.num_nodes)
    H = de.Graph.from_edges(order[G.edges], num_nodes=G.num_nodes)
    assert np.allclose(np.abs(LaplacianPE(3).encode(H, {0})[order]), np.abs(vectors))


def test_a_large_graph_takes_the_sparse_solver_and_gives_the_same_vectors() -> None:
    G = de.Graph.from_networkx(nx.random_geometric_graph(2_100, 0.06, seed=1))
    giant = G.to_networkx().subgraph(max(nx.connected_components(G.to_networkx()), key=len))
    H = de.Graph.from_networkx(nx.convert_node_labels_to_integers(giant))
    assert H.num_nodes > 2_000
    values, vectors = LaplacianPE(2)._spectrum(H)
    A = H.to_scipy().toarray()
    root = np.diag(1 / np.sqrt(A.sum(axis=1)))
    L = np.eye(len(A)) - root @ A @ root
    assert np.allclose(L @ vectors, vectors * values[1:3], atol=1e-6)


def test_a_repeated_eigenvalue_gives_no_verdict_and_says_why() -> None:
    hexagon = de.Graph.from_edges([(i, (i + 1) % 6) for i in range(6)])
    path = de.Graph.from_edges([(i, i + 1) for i in range(5)])
    with pytest.raises(de.ParameterError, match="repeated"):
        de.distinguish((hexagon, [0]), (path, [0]), method=LaplacianPE(2))
    assert de.distinguish((path, [0]), (path, [2]), method=LaplacianPE(2)).different
    assert not de.distinguish((path, [0]), (path, [5]), method=LaplacianPE(2)).different


@pytest.mark.parametrize("make", [lambda: RandomWalkSE(0), lambda: LaplacianPE(0), lambda: LaplacianPE("3")])
def test_wrong_options_are_refused(make) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(de.ParameterError):
        make()


def test_too_small_a_graph_is_refused() -> None:
    with pytest.raises(de.ParameterError, match="needs more than 4 nodes"):
        LaplacianPE(4).encode(de.Graph.from_edges([(0, 1), (1, 2)]), {0})


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("p", [2, 3])
def test_the_quick_cut_of_return_probabilities_is_the_slow_one(seed: int, p: int) -> None:
    G = random_graph(seed, 14)
    for S in (*G.edges[:4], G.edges[-1], np.array([0, 1])):
        more = [v for v in range(G.num_nodes) if v not in S][: p - 2]
        targets = np.array([*S, *more])
        slow = np.array(slow_returns(G.cut(targets), 7), dtype=float)
        assert np.allclose(RandomWalkSE(7).encode(G, targets, cut=True), slow, atol=1e-12)


def test_positional_encodings_of_a_link_do_not_show_the_link() -> None:
    """A model reads the same of a training link as of the same pair in the graph without it."""
    G = de.Graph.from_networkx(nx.connected_watts_strogatz_graph(30, 4, 0.3, seed=1))
    S = G.edges[5]
    for encoding in (RandomWalkSE(6), LaplacianPE(3), ZeroOne()):
        linked, removed = (
            de.blocks(graph, S[None], layers=2, encoding=encoding).batch([0]) for graph in (G, G.without_edges(S[None]))
        )
        assert np.allclose(linked.x_self, removed.x_self, atol=1e-6)
        assert np.allclose(linked.x_agg, removed.x_agg, atol=1e-6)


def test_verdicts_by_name_and_by_encoding() -> None:
    """Two triangles and a hexagon: marks and returns tell them apart, plain refinement does not."""
    a, b = de.zoo.two_triangles(), de.zoo.cycle(6)
    answers = {m: de.distinguish((a, 0), (b, 0), m).different for m in ("1-WL", "zero-one", "RWSE")}
    assert answers == {"1-WL": False, "zero-one": True, "RWSE": True}
    assert de.distinguish((a, 0), (b, 0), de.ZeroOne()).layer == de.distinguish((a, 0), (b, 0), "zero-one").layer
    assert de.distinguish((a, {0, 1}), (b, {0, 1}), "DRNL").different
    with pytest.raises(de.TargetError, match="pairs"):
        de.distinguish((a, 0), (b, 0), "DRNL")
    with pytest.raises(de.ParameterError, match="repeated"):
        de.distinguish((a, 0), (b, 0), de.LaplacianPE(2))
    path = de.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)])
    ends = de.distinguish((path, 0), (path, 4), de.LaplacianPE(2))
    middle = de.distinguish((path, 0), (path, 2), de.LaplacianPE(2))
    assert not ends.different and middle.different and "1e-9" in middle.why


@pytest.mark.parametrize("encoding", [de.ZeroOne(), de.RandomWalkSE(4), de.LaplacianPE(3)])
def test_models_take_the_encodings(encoding: de.Encoding, tmp_path: object) -> None:
    task = de.link_task(de.load("karate"))
    model = de.build("DE-GNN", task, encoding=encoding, hidden=8)
    epochs = list(de.fit(model, task, 2, seed=1))
    again = de.build("DE-GNN", task, encoding=encoding, hidden=8)
    assert [e.loss for e in de.fit(again, task, 2, seed=1)] == [e.loss for e in epochs]  # signs follow the seed
    scores = de.predict(model, task.graph, task.test.sets)
    loaded = de.load_model(de.save(model, f"{tmp_path}/m.safetensors"))
    assert (de.predict(loaded, task.graph, task.test.sets) == scores).all()


def test_training_draws_the_signs_of_eigenvectors() -> None:
    task = de.link_task(de.load("karate"))
    model = de.build("DE-GNN-LapPE", task, hidden=8)
    assert model.signs is not None
    seen = []
    for _ in de.fit(model, task, 6):
        seen.append(tuple(model.signs.drawn.tolist()))
    assert len(set(seen)) > 1 and all(signs[0] == 1 for signs in seen)  # the degree keeps its sign
    model.eval()
    assert (model.factors == model.scale).all()
