"""Where nodes are drawn; tests/golden/pictures.py has the drawings of small graphs."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.views.content import COAST
from degnn_explore.views.explorer import layouts


def joined(*parts: Any) -> de.Graph:
    """These networkx graphs next to each other, without positions."""
    return de.Graph.from_networkx(nx.disjoint_union_all(parts))


def placed(longitude: Any, latitude: Any) -> de.Graph:
    info = {"longitude": np.array(longitude, dtype=float), "latitude": np.array(latitude, dtype=float)}
    return de.Graph.from_edges([], len(longitude), info=info)


@pytest.mark.parametrize("S", [{2}, {0, 7}, set(), 5])
def test_concentric_radius_grows_with_the_distance_to_the_nearest_target(S: Any) -> None:
    graph = nx.union(nx.barbell_graph(4, 3), nx.path_graph(range(11, 14)))
    targets = {S} if isinstance(S, int) else S or {3}  # 3 has most neighbors
    far = nx.multi_source_dijkstra_path_length(graph, targets, weight=None)
    hops = np.array([far.get(u, max(far.values()) + 1) for u in range(14)])
    radius = np.hypot(*layouts.place(de.Graph.from_networkx(graph), "concentric", S).T)
    wanted = hops + (0.45 if len(targets) > 1 else 0)
    np.testing.assert_allclose(radius, wanted / wanted.max(), atol=1e-12)


def test_nodes_of_a_ring_are_spread_evenly_and_near_their_inner_neighbors() -> None:
    tree = de.Graph.from_networkx(nx.balanced_tree(2, 5))
    x = layouts.concentric(tree, [0])
    angle, depth = np.arctan2(*x.T[::-1]), np.floor(np.log2(np.arange(63) + 1)).astype(int)
    for level in range(1, 6):
        gaps = np.diff(np.sort(angle[depth == level]))
        np.testing.assert_allclose(gaps, 2 * np.pi / 2**level)
    length = np.hypot(*(x[tree.edges[:, 0]] - x[tree.edges[:, 1]]).T)
    assert length.max() < 0.55 and length[depth[tree.edges[:, 1]] == 5].max() < 0.35


@pytest.mark.parametrize("n", [1, 2, 3, 900])
def test_force_of_any_size_fills_the_box_and_is_the_same_every_time(n: int) -> None:
    G = de.Graph.from_edges([(i, i + 1) for i in range(n - 1)], num_nodes=n)
    x = layouts.place(G, "force", {0})
    assert x.shape == (n, 2) and np.ptp(x, axis=0).max() == pytest.approx(2 * min(n - 1, 1))
    assert np.abs(x).max() == pytest.approx(min(n - 1, 1))
    layouts.force.cache_clear()
    np.testing.assert_array_equal(x, layouts.place(G, "force", {n - 1}))


def test_linked_nodes_are_drawn_nearer_than_others_and_none_lie_on_each_other() -> None:
    for G in (de.load("karate"), joined(nx.barabasi_albert_graph(800, 2, seed=1))):
        x = layouts.force(G)
        pairs = np.hypot(*(x[:, None] - x[None]).transpose(2, 0, 1))
        linked, every = pairs[tuple(G.edges.T)], pairs[np.triu_indices(G.num_nodes, 1)]
        assert linked.mean() < 0.45 * every.mean()
        nearest = np.sort(pairs + 9 * np.eye(len(pairs)), axis=1)[:, 0]
        assert np.median(nearest) > 0.7 / np.sqrt(len(x))


def test_a_map_places_nodes_and_coasts_alike() -> None:
    G = placed([10, 12, 11], [60, 60, 61])
    np.testing.assert_allclose(layouts.geography(G), [[-1, -1], [1, -1], [0, 1]], atol=1e-9)  # cos 60 degrees: 1/2
    outlines = [np.array(outline).reshape(-1, 2) / 10 for outline in COAST]
    south = next(outline for outline in outlines if len(outline) > 20 and outline[:, 1].max() < 30)
    for places in (outlines[0], south, south[:5]):
        G = placed(*places.T)
        x, drawn = layouts.place(G, "geography"), [np.array(it).reshape(-1, 2) for it in layouts.coastline(G)]
        (lon, x0), (lat, y0) = (np.polyfit(places[:, k], x[:, k], 1) for k in (0, 1))
        moved = [outline * (lon, lat) + (x0, y0) for outline in outlines]
        wanted = [it for it in moved if (it.min(axis=0) < 1.5).all() and (it.max(axis=0) > -1.5).all()]
        assert len(drawn) == len(wanted) < len(outlines) or len(places) > 100
        for one, other in zip(drawn, wanted, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-3)
    assert layouts.coastline(de.zoo.figure1()) == []


@pytest.mark.parametrize(
    ("columns", "fits"),
    [
        ({"Lat": [1, 2], "LNG": [3, 4]}, True),
        ({"latitude": ["1.5", "2"], "lon": ["3", "4"]}, True),
        ({"latitude": [1, 2]}, False),
        ({"lat": [1, 2], "lon": ["east", "west"]}, False),
        ({"lat": [1.0, float("nan")], "lon": [3, 4]}, False),
    ],
)
def test_a_graph_with_longitude_and_latitude_is_a_map_first(columns: dict[str, Any], fits: bool) -> None:
    info = {name: np.array(column) for name, column in columns.items()}
    plain = de.Graph.from_edges([(0, 1)], info=info)
    drawn = plain.with_positions([[0.0, 0.0], [1.0, 5.0]])
    others = ["force", "concentric", "circular"]
    assert layouts.available(plain) == (["geography", *others] if fits else others)
    assert layouts.available(drawn) == (["geography", *others] if fits else ["as drawn", *others])
    np.testing.assert_allclose(layouts.place(drawn, "as drawn"), [[-0.2, -1], [0.2, 1]])
    assert (layouts.coastline(plain) == []) or fits
    for layout in ["as drawn", "circlar", *(() if fits else ("geography",))]:
        with pytest.raises(ValueError):
            layouts.place(plain, layout)
