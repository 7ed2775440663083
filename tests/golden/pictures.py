"""Pictures as they were drawn: figures, SVG and both panels. Where another look is meant, record them again:

    python -m tests.golden.pictures
    python -m tests.golden.pictures "graphs:" curves   # those whose names begin so, and new ones

A picture is kept as text: the elements of an SVG, the parts of a figure, what is drawn on a canvas. Lists of many
numbers are kept as how many they are, and two sums; sentences are left out, for wording is not what this is about.
"""

from __future__ import annotations

import base64
import inspect
import json
import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import degnn_explore as de
from degnn_explore.studies.leak_effects import leak_figure
from degnn_explore.studies.paper_table import Result, compared
from degnn_explore.studies.plots import dot_plot

from . import view_pictures
from .files import read, write

MANY = 12
NUMBER = re.compile(r"-?\d+\.\d+")
WORD = re.compile(r"\b[A-Za-z]{2,}\b")


def short(value: Any) -> Any:
    """A value as JSON, floats and numbers inside texts with four digits, long lists as sums."""
    if isinstance(value, dict):
        if "bdata" in value:  # how plotly packs an array
            raw = np.frombuffer(base64.b64decode(value["bdata"]), dtype=value["dtype"])
            return short(raw.reshape([int(n) for n in str(value.get("shape", raw.size)).split(",")]))
        return {str(key): short(item) for key, item in value.items() if key != "template"}
    if isinstance(value, np.ndarray):
        return short(value.tolist())
    if isinstance(value, list | tuple):
        if len(value) > MANY and all(isinstance(item, int | float) and not isinstance(item, bool) for item in value):
            real = np.nan_to_num(np.array(value, dtype=float), nan=-1.0)
            return [len(value), short(float(real.sum())), short(float(real @ np.arange(1, len(real) + 1)))]
        return [short(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return None if np.isnan(value) else float(f"{value:.4g}")
    if isinstance(value, str):
        if len(WORD.findall(value)) > 3:
            return "…"
        return NUMBER.sub(lambda found: f"{float(found[0]):.4g}", value)
    return value


CELLS = [  # model, graph, mean, half its interval, the paper's mean, seeds
    ("GCN", "celegans", 75.0, 0.5, 74.0, 5),
    ("GIN", "celegans", 92.0, 0.5, 75.0, 20),
    ("SEAL", "celegans", None, None, 88.0, 0),
    ("DE-GNN-SPD", "celegans", 91.0, 0.4, 89.0, 5),
    ("DEA-GNN-SPD", "celegans", 80.0, 2.5, 90.0, 5),
    ("GCN", "ns", 94.0, 1.0, None, 2),
    ("DE-GNN-SPD", "ns", 97.5, 0.2, 98.5, 20),
]


def dots() -> Any:
    """Made-up cells of the paper's table."""
    same = {"task": "links", "metric": "auc", "protocol": "honest", "settings": {}, "cpu_seconds": 60.0, "failed": 0}
    cells = []
    for model, graph, mean, half, paper, seeds in CELLS:
        around = None if paper is None else 1.0
        own: dict[str, Any] = {"model": model, "graph": graph, "mean": mean, "half": half, "seeds": seeds}
        own |= {"paper": paper, "paper_half": around, "compared": compared(mean, half, seeds, paper, around)}
        own["scores"] = () if mean is None else tuple((k, mean + (k - seeds / 2) / 4) for k in range(seeds))
        cells.append(Result(**same, **own, tried=3))
    return dot_plot(cells, "Links")


def leaks() -> Any:
    rows = [
        ["ns", "links", "GCN", name, 3, points, 0.3, [points - 0.1, points, points + 0.1]]
        for name, points in [("degrees", 0.2), ("published", -0.4)]
    ]
    return leak_figure(pd.DataFrame(rows, columns="dataset task model protocol seeds points half differences".split()))


def panels() -> Any:
    """What both panels draw, opened by node."""
    from tests.views.js.records import HERE, node

    return json.loads(node(str(HERE / "drawn.mjs")))


def drawn_by_hand() -> Any:
    """Where the nodes of the small graphs are drawn."""
    found: dict[str, Any] = {}
    for name, make in inspect.getmembers(de.zoo, inspect.isfunction):
        needed = [each for each in inspect.signature(make).parameters.values() if each.default is each.empty]
        if not name.startswith("_") and make.__module__ == de.zoo.__name__ and not needed:
            graphs = made if isinstance(made := make(), tuple) else (made,)
            found[name] = [None if G.positions is None else G.positions.round(3).tolist() for G in graphs]
    return found


FIGURES: dict[str, Callable[[], Any]] = {
    "walk counts": lambda: de.theory.walk_counts(de.zoo.petersen()).plot(),
    "corollary 3.8": lambda: de.theory.corollary_3_8([1, 2]).plot(width=700, height=300),
    "theorem 3.7": lambda: de.theory.theorem_3_7().plot(),
    "theorem 3.3": lambda: de.theory.theorem_3_3(sizes=[8, 12], layers=2, nodes=60, networks=[], progress=False).plot(),
    "scoreboard": lambda: de.theory.scoreboard(
        {"cubic": [list(de.zoo.figure3())]}, methods=["1-WL", "DE-1 SPD"], progress=False
    ).plot(),
    "cells of a study": dots,
    "leaks": leaks,
    "theorem 2.7": lambda: de.theory.theorem_2_7(models=["GCN"], seeds=1).plot(),
    "corollary 3.4": lambda: de.theory.corollary_3_4(sizes=[8], layers=2, graphs=4, progress=False).plot(width=500),
}
PICTURES: dict[str, Callable[[], Any]] = {
    **{name: lambda make=make: short(make().to_plotly_json()) for name, make in FIGURES.items()},  # type: ignore[misc]
    "small graphs": drawn_by_hand,
    "panels": panels,
    **view_pictures.pictures(short),
}


if __name__ == "__main__":
    kept, begins = read("pictures"), tuple(sys.argv[1:])
    chosen = [name for name in PICTURES if not begins or name.startswith(begins) or name not in kept]
    write("pictures", {name: PICTURES[name]() if name in chosen else kept[name] for name in PICTURES})
