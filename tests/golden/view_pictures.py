"""Pictures of the Explorer and the Training Board; see pictures.py for how they are kept and recorded."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any
from xml.etree import ElementTree

import networkx as nx
import numpy as np

import degnn_explore as de
from degnn_explore.studies.statistics import Curve
from degnn_explore.views.board.chart_svg import chart_svg
from degnn_explore.views.board.figures import curve_figure
from degnn_explore.views.explorer import layouts, seen, svg
from degnn_explore.views.explorer.state import ExplorerState

NUMBER = re.compile(r"#[0-9a-f]{6}|-?\d+(?:\.\d+)?")
SENTENCE = re.compile(r"(?:\b[A-Za-z]{2,}\b.*?){5}")


def summed(text: str) -> dict[str, list[Any]]:
    """The elements of an SVG that differ in numbers alone: how many there are, and two sums of each number.

    The second sum depends on their order. Long texts are left out.
    """
    groups: dict[str, list[list[float]]] = {}
    for element in ElementTree.fromstring(text).iter():
        numbers: list[float] = []

        def taken(found: re.Match[str], numbers: list[float] = numbers) -> str:
            if found[0].startswith("#"):
                return found[0]
            numbers.append(float(found[0]))
            return "_"

        attributes = " ".join(f"{key}={value}" for key, value in sorted(element.attrib.items()))
        words = "…" if SENTENCE.search(element.text or "") else (element.text or "").strip()
        kind = NUMBER.sub(taken, f"{element.tag.rpartition('}')[2]} {attributes} {words}".strip())
        groups.setdefault(kind if len(kind) < 300 else f"{kind[:300]}…", []).append(numbers)
    found = {}
    for kind, rows in groups.items():
        width = max(map(len, rows))
        table = np.array([[*row, *[0.0] * (width - len(row))] for row in rows])
        order = table.T @ (1 + np.arange(len(rows)) % 7)
        if width > 40:  # a path
            table, order = table.sum(axis=1, keepdims=True), np.array([table[0] @ (1 + np.arange(width) % 7)])
        sums = np.concatenate([table.sum(axis=0), order]).round(4)  # a half stays one, in whatever order it was added
        found[kind] = [len(rows), *map(round, sums)]
    return found


def state(*sides: Any, **settings: Any) -> ExplorerState:
    made = ExplorerState(*sides)
    made.update(**settings)
    return made


def example(key: str, targets: Sequence[Sequence[int]] = (), **settings: Any) -> ExplorerState:
    made = ExplorerState.of_preset(key)
    made.update(size=0)
    for k, S in enumerate(targets):
        made.choose(k, S)
    made.update(**settings)
    return made


def cities() -> de.Graph:
    """A few airports of Europe, and one that is linked to none."""
    names = ["Rome", "Oslo", "Paris", "Wien", "Kyiv"]
    info = {"lon": np.array([12.5, 10.7, 2.4, 16.4, 30.5]), "lat": np.array([41.9, 59.9, 48.9, 48.2, 50.5])}
    return de.Graph.from_edges([(0, 1), (0, 2), (1, 2), (2, 3)], 5, names=names, info=info, title="airports")


def wide() -> de.Graph:
    """A tree whose second level has more kinds of subtrees than a level of a picture shows."""
    tree = nx.star_graph(30)
    for k in range(1, 31):
        tree.add_edges_from((k, f"{k}.{j}") for j in range(k))
    return de.Graph.from_networkx(tree)


def ring(n: int) -> de.Graph:
    return de.Graph.from_networkx(nx.cycle_graph(n))


GRAPHS: dict[str, Callable[[], ExplorerState]] = {
    "two sets": lambda: example("fig1", layer=2),
    "before the first layer": lambda: example("fig1", layer=0, color_by="LP"),
    "two graphs": lambda: example("hexagon", layer=3),
    "pairs": lambda: example("fig5", [[0, 1], [2, 3]], layer=1),
    "edges inside S are cut": lambda: example("cut", cut=True, layer=1),
    "a plain GNN": lambda: example("fig3", color_by="1-WL", layer=2),
    "no target yet": lambda: state(de.zoo.petersen(), (de.zoo.hexagon(), [1]), layer=2),
    "DRNL of single nodes": lambda: example("hexagon", color_by="DRNL"),
    "a map": lambda: state((cities(), ["Paris", "Rome"]), layer=1, cut=True),
    "one node": lambda: state((de.Graph.from_edges([], 1), [0])),
    "one set": lambda: state((de.load("karate"), [0, 33]), layer=1, layout="circular"),
    "around a set": lambda: state((de.load("karate"), [0, 33, 5]), layer=2, layout="concentric"),
    "heat": lambda: state((de.load("karate"), [0]), layer=0, layout="circular", color_by="heat kernel"),
    "sixty nodes": lambda: state((ring(30), [0]), (ring(30), [3]), layer=0, layout="circular"),
    "more nodes": lambda: state((ring(31), [0]), (ring(30), [3, 9]), layer=0, layout="circular"),
    "many nodes": lambda: state((ring(2_100), [0, 7, 9]), layer=0, layout="circular"),
    "many edges": lambda: state((de.zoo.complete(120), [3]), layer=1, layout="circular"),
    "an edge more than is drawn bold": lambda: state((de.zoo.complete(50), [3, 4]), layout="circular", cut=True),
}
TREES: dict[str, Callable[[], ExplorerState]] = {
    "two sets": lambda: example("fig1", layer=2),
    "two hops": lambda: example("fig1", layer=3, hops=2),
    "before the first layer": lambda: example("fig1", layer=0),
    "no target": lambda: state(de.zoo.petersen(), layer=2),
    "one side": lambda: state((de.zoo.petersen(), [3]), de.zoo.hexagon(), layer=2),
    "the second of each": lambda: example("fig5", [[0, 1], [2, 3, 4]], layer=2, root=1, color_by="LP"),
    "equal": lambda: example("fig1", [[3], [6]], layer=3, color_by="1-WL"),
    "edges inside S are cut": lambda: example("cut", cut=True, layer=2, color_by="RWSE"),
    "four targets": lambda: state((de.zoo.desargues(), [0, 5, 9, 12]), layer=2),
    "a wide one": lambda: state((wide(), [0]), layer=2),
}
FORCE = {  # small: larger ones depend on how a processor rounds
    "path": nx.path_graph(3),
    "fork": nx.Graph([(0, 1), (1, 2), (1, 3), (3, 4)]),
    "house": nx.Graph([(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4)]),
    "kite": nx.Graph([(0, 1), (0, 2), (1, 2), (2, 3)]),
    "crumbs": nx.disjoint_union_all([nx.path_graph(2)] * 3 + [nx.empty_graph(6)]),
}


def force() -> dict[str, Any]:
    """How far nodes are from each other, which no turn and no mirror image changes; of crumbs also where they are."""
    found: dict[str, Any] = {}
    for name, graph in FORCE.items():
        x = layouts.force(de.Graph.from_networkx(graph))
        apart = np.hypot(*(x[:, None] - x[None]).transpose(2, 0, 1))[np.triu_indices(len(x), 1)]
        found[name] = x.round(4).tolist() if name == "crumbs" else apart.round(4).tolist()
    return found


def labels() -> dict[str, Any]:
    """What each encoding says of a path of five nodes, by itself and of seventy."""
    found: dict[str, Any] = {}
    for name in seen.ENCODINGS:
        for n in (5, 70):
            S = np.array([1, 3] if name == "DRNL" else [1])
            path = de.Graph.from_edges([(i, i + 1) for i in range(n - 1)])
            made = seen.labels_of([(path, S)], seen.encoding_of(name, 4, n))
            counts = np.bincount(made.codes[0], minlength=len(made.table)).tolist()
            rows = [
                [label.text, label.mark, None if label.far is None else round(label.far, 3), count]
                for label, count in zip(made.table, counts, strict=True)
            ]
            found[f"{name} {n}"] = [made.title, made.values is None, rows[:12]]
    return found


def curve(model: str, seeds: Sequence[Sequence[float]], band: float = 0.0) -> Curve:
    mean = [sum(values) / len(values) for values in zip(*seeds, strict=True)]
    low, high = ([m - s * band for m in mean] if band else [] for s in (1, -1))
    return Curve(model, mean, [list(values) for values in seeds], low, high)


RISING = [[0.6 + 0.01 * k + 0.02 * s for k in range(4)] for s in range(3)]
CURVES: dict[str, Callable[[], dict[str, Any]]] = {
    "few": lambda: curve_figure([curve("GCN", RISING[:1])], 10),
    "bands": lambda: curve_figure([curve("GCN", RISING, 0.01), curve("DE-GNN-SPD", RISING[1:], 0.03)], 11),
    "longer than planned": lambda: curve_figure([curve("GCN", RISING[:2])], 2, 320),
    "formulas": lambda: curve_figure([curve("Katz", [[0.7], [0.8]], 0.1), curve("GIN", RISING[:1])], 30),
    "many seeds": lambda: curve_figure([curve("GCN", [RISING[0]] * 41)], 4),
    "as many as there are lines": lambda: curve_figure([curve("GCN", [RISING[0]] * 40)], 4),
    "level": lambda: curve_figure([curve(m, [[1.0, 1.0]]) for m in ("GCN", "SAGE", "GIN", "DE-GNN-SPD")], 5, 140),
    "low": lambda: curve_figure([curve("GCN", [[0.01]]), curve("Adamic-Adar", [[0.0]])], 5),
    "none": lambda: curve_figure([], 5),
}


def pictures(short: Callable[[Any], Any]) -> dict[str, Callable[[], Any]]:
    """All of them by name; ``short`` shortens numbers and sentences."""
    drawn: dict[str, Callable[[], Any]] = {
        "small drawings by force": force,
        "labels": labels,
        "curves": lambda: {name: short(make()) for name, make in CURVES.items()},
        "charts": lambda: {name: summed(chart_svg(make())) for name, make in CURVES.items()},
    }
    drawn |= {f"graphs: {name}": lambda make=make: summed(svg.graph(make())) for name, make in GRAPHS.items()}  # type: ignore[misc]
    drawn |= {f"trees: {name}": lambda make=make: summed(svg.tree(make())) for name, make in TREES.items()}  # type: ignore[misc]
    return drawn
