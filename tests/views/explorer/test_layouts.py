"""Where nodes are drawn; tests/golden/pictures.py has the drawings of small graphs."""

from __future__ import annotations

from itertools import combinations
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


def placed(longitude: Any, latitude: Any, **more: Any) -> de.Graph:
    n = len(longitude)
    info = {"longitude": np.array(longitude, dtype=float), "latitude": np.array(latitude, dtype=float)} | more
    return de.Graph.from_edges([(i, i + 1) for i in range(n - 1)], n, info=info)


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


def test_force_ignores_targets_and_is_the_same_every_time() -> None:
    G = de.load("karate")
    first = layouts.place(G, "force", {0})
    layouts.force.cache_clear()
    np.testing.assert_array_equal(first, layouts.place(G, "force", {7, 8}))


@pytest.mark.parametrize("n", [1, 2, 3, 900])
def test_force_of_any_size_is_finite_and_fills_the_box(n: int) -> None:
    x = layouts.force(de.Graph.from_edges([(i, i + 1) for i in range(n - 1)], num_nodes=n))
    assert x.shape == (n, 2) and np.isfinite(x).all()
    assert np.abs(x).max() == pytest.approx(min(n - 1, 1)) and np.ptp(x, axis=0).max() == pytest.approx(
        2 * min(n - 1, 1)
    )


@pytest.mark.parametrize(("side", "stress", "spread"), [(6, 0.003, 0.12), (26, 0.015, 0.18), (27, 0.015, 0.21)])
def test_force_draws_a_grid_as_a_grid(side: int, stress: float, spread: float) -> None:
    """Up to 700 nodes every pair repels; a larger graph takes another way, and looks alike."""
    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(side, side))
    x = layouts.force(joined(grid))
    near = dict(nx.all_pairs_shortest_path_length(grid, 6))
    pairs = [(u, v, d) for u in range(0, side**2, 7) for v, d in near[u].items() if d]
    apart = np.array([np.hypot(*(x[u] - x[v])) for u, v, _ in pairs])
    place = np.stack(np.divmod(np.arange(side**2), side), 1)
    straight = np.array([np.hypot(*(place[u] - place[v])) for u, v, _ in pairs])
    scale = (apart @ straight) / (straight @ straight)
    assert np.mean((apart - scale * straight) ** 2) / np.mean(apart**2) < stress
    edges = np.array([np.hypot(*(x[u] - x[v])) for u, v in grid.edges])
    assert edges.std() / edges.mean() < spread and scale * side > 1.6


def test_components_are_drawn_alone_alike_and_side_by_side() -> None:
    star, path = nx.star_graph(4), nx.path_graph(5)
    G = joined(star, path, star, nx.path_graph(2), nx.empty_graph(2), nx.path_graph(9))
    x = layouts.force(G)
    parts = [np.arange(a, b) for a, b in [(0, 5), (5, 10), (10, 15), (15, 17), (17, 18), (18, 19), (19, 28)]]
    shapes = [x[part] - x[part].mean(axis=0) for part in parts]
    np.testing.assert_allclose(shapes[0], shapes[2], atol=1e-9)
    assert np.abs(shapes[0] - shapes[1]).max() > 0.05
    for one, other in combinations(parts, 2):
        assert ((x[one].max(axis=0) < x[other].min(axis=0)) | (x[other].max(axis=0) < x[one].min(axis=0))).any()
    size = [np.hypot(*shape.T).max() for shape in shapes]
    assert size[6] > size[1] > size[3] > size[4] == 0
    for shape in (shapes[1], shapes[6]):  # the longer axis lies flat: panels are wider than high
        assert np.ptp(shape[:, 0]) > 3 * np.ptp(shape[:, 1]) and abs(np.corrcoef(shape.T)[0, 1]) < 1e-6
    assert x[parts[6], 1].mean() > x[parts[4], 1].mean()  # the largest comes first


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
    for layout in {"geography": not fits, "as drawn": True, "circlar": True}.items():
        if layout[1]:
            with pytest.raises(ValueError):
                layouts.place(plain, layout[0])
