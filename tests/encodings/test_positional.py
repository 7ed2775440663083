"""The encodings that came after distance encoding: eigenvectors, what they tell apart, how models use them."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import degnn_explore as de

PATH = de.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)])
TRIANGLES, HEXAGON = de.zoo.two_triangles(), de.zoo.cycle(6)


def laplacian(G: de.Graph) -> np.ndarray:
    A = G.to_scipy().toarray()
    root = np.diag(1 / np.sqrt(np.maximum(A.sum(axis=1), 1)))
    return np.diag(A.any(axis=1).astype(float)) - root @ A @ root


def large() -> de.Graph:
    """More than 2,000 nodes, for the sparse solver; two strips of a grid make all eigenvalues differ."""
    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(3, 701))
    return de.Graph.from_networkx(grid)


@pytest.mark.parametrize("G", [de.load("karate"), de.Graph.from_edges(PATH.edges, 6), large()])
def test_laplacian_coordinates_are_eigenvectors_in_order(G: de.Graph) -> None:
    L, k = laplacian(G), 3
    values = np.linalg.eigvalsh(L)[1 : k + 1]
    vectors = de.LaplacianPE(k).encode(G, {0})
    np.testing.assert_allclose(L @ vectors, vectors * values, atol=1e-6)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-6)
    assert (np.abs(vectors).max(axis=0) == vectors.max(axis=0)).all()  # the largest entry is positive
    np.testing.assert_array_equal(de.LaplacianPE(k, pool="sum").encode(G, {0, 1}), 2 * vectors)


def test_relabeling_changes_at_most_signs_and_cutting_is_that_of_the_cut_graph() -> None:
    G, zeta = de.load("karate"), de.LaplacianPE(3)
    order = np.random.default_rng(0).permutation(G.num_nodes)
    H = de.Graph.from_edges(order[G.edges], num_nodes=G.num_nodes)
    assert np.allclose(np.abs(zeta.encode(H, {0})[order]), np.abs(zeta.encode(G, {0})))
    cut = zeta.encode(G, {0, 1}, cut=True)
    assert np.allclose(cut, zeta.encode(G.cut({0, 1}), {0, 1})) and not np.allclose(cut, zeta.encode(G, {0, 1}))
    assert np.allclose(zeta.encode(G, {0, 9}, cut=True), zeta.encode(G, {0, 9}))  # not linked


def test_a_repeated_eigenvalue_gives_no_verdict_and_says_why() -> None:
    with pytest.raises(de.ParameterError, match=r"eigenvalue 0\.5 .* repeated"):
        de.distinguish((HEXAGON, [0]), (PATH, [0]), method=de.LaplacianPE(2))
    with pytest.raises(de.ParameterError, match="repeated"):  # the last that is used and the next
        de.distinguish((HEXAGON, [0]), (PATH, [0]), method=de.LaplacianPE(1))
    for cut in (False, True):
        same, other = (de.distinguish((PATH, [0, 2]), (PATH, T), de.LaplacianPE(2), cut=cut) for T in ([4, 2], [1, 3]))
        assert not same.different and other.different and "1e-9" in other.why


def test_too_small_a_graph_is_refused() -> None:
    assert de.LaplacianPE(4).encode(PATH, {0}).shape == (5, 4)
    with pytest.raises(de.ParameterError, match="needs more than 5 nodes; this graph has 5"):
        de.LaplacianPE(5).encode(PATH, {0})


def test_marks_need_a_layer_for_each_step_that_distances_give_at_once() -> None:
    path = de.Graph.from_edges([(i, i + 1) for i in range(9)])
    by_distance = de.distinguish((path, [0, 4]), (path, [0, 6]), method=de.SPD(9))
    by_marks = de.distinguish((path, [0, 4]), (path, [0, 6]), method=de.ZeroOne())
    assert by_distance.different and by_marks.different
    assert by_distance.layer == 0 < by_marks.layer


def test_verdicts_by_name_and_by_encoding() -> None:
    """Two triangles and a hexagon: marks and returns tell them apart, plain refinement does not."""
    answers = {m: de.distinguish((TRIANGLES, 0), (HEXAGON, 0), m).different for m in ("1-WL", "zero-one", "RWSE")}
    assert answers == {"1-WL": False, "zero-one": True, "RWSE": True}
    for name, encoding in (("zero-one", de.ZeroOne()), ("RWSE", de.RandomWalkSE(3))):
        by_name, by_encoding = (de.distinguish((TRIANGLES, 0), (HEXAGON, 0), how) for how in (name, encoding))
        assert by_name.layer == by_encoding.layer
    assert de.distinguish((TRIANGLES, {0, 1}), (HEXAGON, {0, 1}), "DRNL").different
    with pytest.raises(de.TargetError, match="pairs"):
        de.distinguish((TRIANGLES, 0), (HEXAGON, 0), "DRNL")


def test_positional_encodings_of_a_link_do_not_show_the_link() -> None:
    """A model reads the same of a training link as of the same pair in the graph without it."""
    G = de.Graph.from_networkx(nx.connected_watts_strogatz_graph(30, 4, 0.3, seed=1))
    S = G.edges[5]
    for encoding in (de.RandomWalkSE(6), de.LaplacianPE(3), de.ZeroOne()):
        linked, removed = (
            de.blocks(graph, S[None], layers=2, encoding=encoding).batch([0]) for graph in (G, G.without_edges(S[None]))
        )
        assert np.allclose(linked.x_self, removed.x_self, atol=1e-6)
        assert np.allclose(linked.x_agg, removed.x_agg, atol=1e-6)


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
