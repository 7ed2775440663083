"""Coordinates by eigenvectors: what they are, what they tell apart, how models use them."""

from __future__ import annotations

import numpy as np
import pytest

import degnn_explore as de

PATH = de.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)])


@pytest.mark.parametrize("G", [de.load("karate"), de.Graph.from_edges(PATH.edges, 6)])
def test_laplacian_coordinates_are_eigenvectors_in_order(G: de.Graph) -> None:
    k, A = 3, G.to_scipy().toarray()
    root = np.diag(1 / np.sqrt(np.maximum(A.sum(axis=1), 1)))
    L = np.diag(A.any(axis=1).astype(float)) - root @ A @ root
    values = np.linalg.eigvalsh(L)[1 : k + 1]
    vectors = de.LaplacianPE(k).encode(G, {0})
    np.testing.assert_allclose(L @ vectors, vectors * values, atol=1e-9)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-9)
    assert (np.abs(vectors).max(axis=0) == vectors.max(axis=0)).all()  # the largest entry is positive
    np.testing.assert_array_equal(de.LaplacianPE(k, pool="sum").encode(G, {0, 1}), 2 * vectors)
    cut = de.LaplacianPE(k).encode(G, {0, 1}, cut=True)
    assert np.allclose(cut, de.LaplacianPE(k).encode(G.cut({0, 1}), {0, 1})) and not np.allclose(cut, vectors)
    assert np.array_equal(de.LaplacianPE(k).encode(G, {0, 4}, cut=True), vectors) != G.has_edge(0, 4)


def test_waves_are_the_coordinates_of_a_long_path() -> None:
    """More than 2,000 nodes, for the sparse solver."""
    n, k = 2_001, 3
    path = de.Graph.from_edges(np.stack([np.arange(n - 1), np.arange(1, n)], axis=1))
    vectors = de.LaplacianPE(k).encode(path, 0)
    waves = np.cos(np.outer(np.arange(n), np.arange(1, k + 1)) * np.pi / (n - 1)) * np.sqrt(path.degrees)[:, None]
    waves /= np.linalg.norm(waves, axis=0)
    np.testing.assert_allclose(np.abs(vectors), np.abs(waves), atol=1e-6)
    assert np.array_equal(de.LaplacianPE(k).encode(path.with_title("again"), 0), vectors)


def test_a_repeated_eigenvalue_or_too_few_nodes_give_no_verdict() -> None:
    for k in (1, 2):  # also the last that is used and the next
        with pytest.raises(de.ParameterError, match=r"eigenvalue 0\.5 .* repeated"):
            de.distinguish((de.zoo.cycle(6), [0]), (PATH, [0]), method=de.LaplacianPE(k))
    with pytest.raises(de.ParameterError, match=r"more than 5 nodes; .* has 5"):
        de.LaplacianPE(5).encode(PATH, {0})
    assert de.LaplacianPE(4).encode(PATH, {0}).shape == (5, 4)
    for cut in (False, True):
        same, other = (de.distinguish((PATH, [0, 2]), (PATH, T), de.LaplacianPE(2), cut=cut) for T in ([4, 2], [1, 3]))
        assert not same.different and other.different and "1e-9" in other.why


def test_models_draw_the_signs_of_eigenvectors_and_of_nothing_else() -> None:
    task = de.link_task(de.load("karate"))
    model = de.build("DE-GNN", task, encoding=de.LaplacianPE(9), hidden=8)
    assert model.signs is not None and de.build("DE-GNN-SPD", task).signs is None
    drawn = [tuple(model.signs.drawn.tolist()) for _ in de.fit(model, task, 4, seed=1)]
    assert len(set(drawn)) == 4 and all(each[0] == 1 for each in drawn)  # the degree keeps its sign
