"""Where nodes are drawn. Each layout takes a graph and returns float64 [n, 2] within [-1, 1], y upwards.

Every layout is a function of its arguments alone (seeded), so a picture never jumps between two visits.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ...common.errors import GraphError, check_choice
from ...graphs.distances import distances
from ...graphs.graph import Graph, Targets
from ...graphs.zoo import ring
from ..content import COAST

Positions = NDArray[np.float64]

LAYOUTS = ("as drawn", "geography", "force", "concentric", "circular")

_EXACT_UP_TO = 700  # nodes of a component for which every pair may repel every iteration


def available(graph: Graph) -> list[str]:
    """The layouts this graph can be drawn in, the best one first."""
    has = {"as drawn": graph.positions is not None, "geography": _coordinates(graph) is not None}
    if has["geography"]:  # positions of a graph with coordinates are those coordinates
        has["as drawn"] = False
    return [name for name in LAYOUTS if has.get(name, True)]


def place(graph: Graph, layout: str, S: Targets = ()) -> Positions:
    """Positions of the named layout; ``S`` matters for "concentric" alone."""
    check_choice("layout", layout, LAYOUTS)
    if layout == "geography":
        return geography(graph)
    if layout == "force":
        return force(graph)
    if layout == "concentric":
        return concentric(graph, S)
    if layout == "circular":
        return ring(graph.num_nodes) if graph.num_nodes > 1 else np.zeros((1, 2))
    if graph.positions is None:
        raise GraphError("This graph has no drawn positions; choose another layout or use with_positions.")
    return fit_box(graph.positions)


def fit_box(positions: Positions) -> Positions:
    """The same picture, centered and scaled so that its longer side spans [-1, 1]."""
    low, high = positions.min(axis=0), positions.max(axis=0)
    half = max(float((high - low).max()) / 2, 1e-12)
    return np.asarray((positions - (low + high) / 2) / half)


def concentric(graph: Graph, S: Targets) -> Positions:
    """Rings around S (or the node of highest degree): a radius grows with the distance to the nearest target.

    Within a ring, nodes are ordered by the mean angle of their neighbors one ring further in, so that edges stay
    short. Unreachable nodes share one last ring.
    """
    given = [S] if isinstance(S, int | np.integer | str) else list(S)
    nodes = graph.target_set(given or np.array([graph.degrees.argmax()]))
    far = distances(graph, nodes)  # [p, n], -1: unreachable
    hops = np.where(far < 0, np.iinfo(np.int32).max, far).min(axis=0)
    lost = hops == np.iinfo(np.int32).max
    hops[lost] = (hops[~lost].max() if (~lost).any() else 0) + 1
    source = np.repeat(np.arange(graph.num_nodes), graph.degrees)
    inward = hops[source] == hops[graph.indices] + 1
    source, inner = source[inward], graph.indices[inward]
    angle = np.zeros(graph.num_nodes)
    for hop in range(int(hops.max()) + 1):
        members = np.flatnonzero(hops == hop)
        if hop:  # the direction of the mean, so that angles either side of 0 do not average to the far side
            mine = hops[source] == hop
            east = np.bincount(source[mine], np.cos(angle[inner[mine]]), graph.num_nodes)[members]
            north = np.bincount(source[mine], np.sin(angle[inner[mine]]), graph.num_nodes)[members]
            wanted = np.arctan2(north, east)
            members = members[np.argsort(wanted, kind="stable")]
            start = float(np.sort(wanted)[0]) if len(members) else 0.0
        else:
            start = np.pi / 2
        angle[members] = start + 2 * np.pi * np.arange(len(members)) / max(len(members), 1)
    radius = hops + (0.45 if len(nodes) > 1 else 0.0)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1) / max(float(radius.max()), 1e-12)


def geography(graph: Graph) -> Positions:
    """Longitude and latitude as x and y, with degrees of longitude shortened as at the middle latitude."""
    places = _coordinates(graph)
    if places is None:
        raise GraphError(
            "This graph has no columns 'latitude' and 'longitude' to draw a map from; choose another layout."
        )
    return fit_box(places * (_shrink(places), 1.0))


def _shrink(places: Positions) -> float:
    """How much shorter a degree of longitude is than one of latitude, at the middle latitude."""
    return float(np.cos(np.radians(np.median(places[:, 1]))))


def coastline(graph: Graph) -> list[list[float]]:
    """Outlines of the land near a graph with coordinates, each [x, y, x, y, ...] as :func:`geography` places nodes."""
    places = _coordinates(graph)
    if places is None:
        return []
    flat = places * (_shrink(places), 1.0)
    low, high = flat.min(axis=0), flat.max(axis=0)
    half = max(float((high - low).max()) / 2, 1e-12)
    found = []
    for outline in COAST:
        moved = (np.array(outline).reshape(-1, 2) / 10 * (_shrink(places), 1.0) - (low + high) / 2) / half
        if (moved.max(axis=0) > -1.5).all() and (moved.min(axis=0) < 1.5).all():
            found.append(moved.round(3).ravel().tolist())
    return found


def _coordinates(graph: Graph) -> Positions | None:
    """Longitude and latitude of each node, if the graph has both as finite numbers. [n, 2]"""
    columns = {key.lower(): column for key, column in graph.info.items()}
    names = ("longitude", "lon", "lng"), ("latitude", "lat")
    both = [[columns[name] for name in axis if name in columns] for axis in names]
    try:
        places = np.array([found[0] for found in both if found], dtype=np.float64).T
    except ValueError:
        return None
    return places if places.ndim == 2 and places.shape[1] == 2 and np.isfinite(places).all() else None


@lru_cache(maxsize=16)
def force(graph: Graph, seed: int = 0) -> Positions:
    """A force-directed drawing, computed once: linked nodes attract, all nodes repel.

    Each component is laid out by itself and the components are packed in rows, the largest first.
    Up to 700 nodes every pair repels (Fruchterman and Reingold 1991); a larger component starts from
    its distances to a few pivots (Brandes and Pich 2007) and is refined with sampled repulsion.
    """
    from scipy.sparse.csgraph import connected_components

    count, member = connected_components(graph.to_scipy(), directed=False)
    order = np.argsort(member, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(member, minlength=count))[:-1])
    parts.sort(key=lambda part: (-len(part), int(part[0])))
    local = np.empty(graph.num_nodes, dtype=np.int64)
    edge_part = member[graph.edges[:, 0]] if graph.num_edges else np.empty(0, dtype=np.int64)
    by_part = np.argsort(edge_part, kind="stable")
    starts = np.searchsorted(edge_part[by_part], np.arange(count + 1))
    drawings: list[Positions] = []
    made: dict[tuple[int, bytes], Positions] = {}  # many small components are the same one again
    for part in parts:
        local[part] = np.arange(len(part))
        own = local[graph.edges[by_part[starts[member[part[0]]] : starts[member[part[0]] + 1]]]]
        key = len(part), own.tobytes()
        drawing = made[key] = made[key] if key in made else _component(own, len(part), seed)
        drawings.append(drawing * 0.62 * len(part) ** 0.6)  # the main component stays in view among many crumbs
    return fit_box(_pack(parts, drawings, graph.num_nodes))


def _component(edges: NDArray[np.int64], n: int, seed: int) -> Positions:
    """One connected component, centered, with a radius of about 1."""
    if n <= 2:
        return np.array([[-0.5, 0.0], [0.5, 0.0]])[:n] if n == 2 else np.zeros((n, 2))
    rng = np.random.default_rng(seed)
    start = _pivot_positions(edges, n)
    start = start / max(float(np.abs(start).max()), 1e-12) + rng.normal(0, 0.02, (n, 2))
    spread = _all_pairs(start, edges, n) if n <= _EXACT_UP_TO else _sampled(start, edges, n, rng)
    spread = spread - spread.mean(axis=0)
    _, _, axes = np.linalg.svd(spread, full_matrices=False)
    spread = spread @ axes.T  # the longer axis lies flat: panels are wider than high
    return np.asarray(spread / max(float(np.quantile(np.hypot(*spread.T), 0.98)), 1e-12))


def _pivot_positions(edges: NDArray[np.int64], n: int, pivots: int = 40) -> Positions:
    """Pivot MDS: the two main directions of the squared distances to far-apart pivots."""
    part = Graph.from_edges(edges, n)
    chosen, nearest, columns = 0, np.full(n, np.inf), []
    for _ in range(min(pivots, n)):
        columns.append(distances(part, np.array([chosen]))[0])
        nearest = np.minimum(nearest, columns[-1])
        chosen = int(nearest.argmax())
    squared = np.stack(columns, axis=1).astype(np.float64) ** 2
    centered = squared - squared.mean(axis=0) - squared.mean(axis=1, keepdims=True) + squared.mean()
    left, values, _ = np.linalg.svd(centered, full_matrices=False)
    return np.asarray(left[:, :2] * values[:2])


def _all_pairs(x: Positions, edges: NDArray[np.int64], n: int) -> Positions:
    ideal = 1 / np.sqrt(n)
    for step in np.linspace(0.12, 0.002, 220 if n > 30 else 80):
        length = np.einsum("ij,ij->i", x, x)
        square = x @ (-2 * x.T)  # of the distances, by one matrix product: a tenth of the time of all differences
        square += length[:, None]
        square += length + 1e-6
        weight = ideal**2 / np.maximum(square, 1e-6, out=square)  # [n, n]
        push = x * weight.sum(axis=1)[:, None] - weight @ x
        x = _moved(x, push - 0.15 * x, edges, np.ones(n), step)
    return x


def _sampled(x: Positions, edges: NDArray[np.int64], n: int, rng: np.random.Generator) -> Positions:
    # divided by the degree, or hubs would draw everything into one clump
    weight = 8 * (1 / np.maximum(np.bincount(edges.ravel(), minlength=n), 1))
    ideal, samples = 1 / np.sqrt(n), 12
    for step in np.linspace(0.06, 0.001, 150):
        move = -0.02 * x
        for _ in range(samples):
            apart = x - x[rng.permutation(n)]
            square = np.einsum("ij,ij->i", apart, apart) + 1e-6
            move += apart * (n / samples * ideal**2 / square * 0.5)[:, None]
        x = _moved(x, move, edges, weight, step)
    return x


def _moved(
    x: Positions, move: Positions, edges: NDArray[np.int64], weight: NDArray[np.float64], step: float
) -> Positions:
    """``move`` with the pull along the edges, which grows with their length, and no node further than ``step``."""
    n, (u, v) = len(x), edges.T
    ideal = 1 / np.sqrt(n)
    along = x[u] - x[v]
    pull = along * (np.hypot(*along.T) / ideal)[:, None]
    for axis in (0, 1):
        move[:, axis] -= weight * (np.bincount(u, pull[:, axis], n) - np.bincount(v, pull[:, axis], n))
    length = np.maximum(np.hypot(*move.T), 1e-12)
    return np.asarray(x + move / length[:, None] * np.minimum(length, step)[:, None])


def _pack(parts: list[NDArray[np.int64]], drawings: list[Positions], n: int) -> Positions:
    """Boxes of components side by side in rows, so that a wide panel is filled."""
    boxes = [drawing.max(axis=0) - drawing.min(axis=0) + 1.0 for drawing in drawings]
    width = max(1.25 * np.sqrt(sum(float(b[0] * b[1]) for b in boxes)), float(boxes[0][0]))
    out = np.empty((n, 2))
    x = y = height = 0.0
    for part, drawing, box in zip(parts, drawings, boxes, strict=True):
        if x and x + box[0] > width:
            x, y, height = 0.0, y - height, 0.0
        out[part] = drawing - drawing.min(axis=0) + (x + 0.5, y - box[1] + 0.5)
        x, height = x + float(box[0]), max(height, float(box[1]))
    return out
