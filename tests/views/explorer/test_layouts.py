"""Layouts: where nodes are drawn."""

from __future__ import annotations

import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.common.style import categorical, text_on
from degnn_explore.views.explorer import layouts


def test_concentric_radius_is_the_distance_to_the_nearest_target() -> None:
    G = de.zoo.figure1()
    radius = np.hypot(*layouts.concentric(G, {2}).T)
    np.testing.assert_allclose(radius, np.array([2, 2, 0, 2, 1, 1, 2, 1]) / 2)


def test_concentric_puts_unreachable_nodes_on_a_ring_of_their_own() -> None:
    radius = np.hypot(*layouts.concentric(de.zoo.two_triangles(), {0}).T)
    np.testing.assert_allclose(radius, [0, 0.5, 0.5, 1, 1, 1])


def test_concentric_without_targets_centres_the_hub() -> None:
    star = de.Graph.from_edges([(3, 0), (3, 1), (3, 2)])
    np.testing.assert_allclose(layouts.concentric(star, [])[3], [0, 0])


def test_force_is_the_same_every_time_and_ignores_targets() -> None:
    G = de.zoo.petersen()
    np.testing.assert_array_equal(layouts.place(G, "force", {0}), layouts.place(G, "force", {7, 8}))


def test_force_keeps_components_apart() -> None:
    x = layouts.force(de.zoo.two_triangles())
    apart = np.hypot(*(x[:3, None] - x[None, 3:]).transpose(2, 0, 1)).min()
    within = max(np.hypot(*(x[a] - x[b])) for a, b in [(0, 1), (1, 2), (0, 2)])
    assert apart > 0.3 * within
    assert x[:3].max(axis=0)[0] < x[3:].min(axis=0)[0] or x[:3].min(axis=0)[1] > x[3:].max(axis=0)[1]


def test_equal_components_are_drawn_alike_and_others_are_not() -> None:
    star, path = [(0, 1), (0, 2), (0, 3)], [(0, 1), (1, 2), (2, 3)]
    edges = [(u + 4 * k, v + 4 * k) for k, part in enumerate((star, path, star)) for u, v in part]
    x = layouts.force(de.Graph.from_edges(edges)).reshape(3, 4, 2)
    shapes = x - x.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(shapes[0], shapes[2], atol=1e-9)
    assert np.abs(shapes[0] - shapes[1]).max() > 0.05


@pytest.mark.parametrize("n", [1, 2, 3, 900])
def test_force_of_any_size_is_finite_and_within_the_box(n: int) -> None:
    path = de.Graph.from_edges([(i, i + 1) for i in range(n - 1)], num_nodes=n)
    x = layouts.force(path)
    assert x.shape == (n, 2)
    assert np.isfinite(x).all()
    assert np.abs(x).max() <= 1 + 1e-9


def test_force_draws_linked_nodes_nearer_than_others() -> None:
    G = de.load("karate")
    x = layouts.force(G)
    pairs = np.hypot(*(x[:, None] - x[None]).transpose(2, 0, 1))
    linked = pairs[tuple(G.edges.T)]
    assert linked.mean() < 0.75 * pairs[np.triu_indices(G.num_nodes, 1)].mean()


def test_geography_uses_the_coordinates_and_comes_first() -> None:
    G = de.load("us-flights")
    assert layouts.available(G)[0] == "geography"
    x = layouts.geography(G)
    seattle, miami = (int(G.target_set(name)[0]) for name in ("SEA", "MIA"))
    assert x[seattle, 0] < x[miami, 0]
    assert x[seattle, 1] > x[miami, 1]


def test_a_degree_of_longitude_is_shorter_in_the_north() -> None:
    info = {"lat": [60.0, 60.0, 61.0], "lng": [10.0, 12.0, 11.0]}
    G = de.Graph.from_edges([(0, 1), (1, 2)], info=info)
    np.testing.assert_allclose(layouts.geography(G), [[-1, -1], [1, -1], [0, 1]], atol=1e-9)  # cos 60 degrees: 1/2


def test_layouts_a_graph_cannot_have_are_refused_with_the_remedy() -> None:
    plain = de.Graph.from_edges([(0, 1)])
    with pytest.raises(de.GraphError, match="latitude"):
        layouts.place(plain, "geography")
    with pytest.raises(de.GraphError, match="no drawn positions"):
        layouts.place(plain, "as drawn")
    with pytest.raises(de.ParameterError, match="Did you mean 'circular'"):
        layouts.place(plain, "circlar")


def test_text_on_every_color_can_be_read() -> None:
    def luminance(color: str) -> float:
        linear = [
            (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4)
            for c in (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for color in categorical(18):
        one, other = sorted([luminance(color), luminance(text_on(color))])
        assert (other + 0.05) / (one + 0.05) >= 3.9, color
    assert len(set(categorical(18))) == 18
