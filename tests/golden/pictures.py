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
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

import degnn_explore as de

from . import view_pictures

FILE = Path(__file__).parent / "reference" / "pictures.json"
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


def figure(made: Any) -> Any:
    return short(made.to_plotly_json())


def svg(text: str) -> Any:
    """Every element: its name, attributes and text."""
    found = []
    for element in ElementTree.fromstring(text).iter():
        attributes = " ".join(f"{key}={short(value)}" for key, value in sorted(element.attrib.items()))
        found.append(f"{element.tag.rpartition('}')[2]} {attributes} {short((element.text or '').strip())}".strip())
    return found


def explained(G: de.Graph) -> de.Explanation:
    task = de.link_task(G, seed=1)
    return de.explain(de.build("Adamic-Adar", task), G, {0, 33}, progress=False)


def compared(name: str) -> Any:
    """The comparison of made-up runs, as LaTeX."""
    from degnn_explore.studies.comparison import compare_runs

    from .cases import tables

    return short(compare_runs(tables()[name]).to_latex().splitlines())


CELLS = [  # model, graph, mean, half its interval, the paper's mean, seeds
    ("GCN", "celegans", 75.0, 0.5, 74.0, 5),
    ("GIN", "celegans", 92.0, 0.5, 75.0, 20),
    ("SEAL", "celegans", None, None, 88.0, 0),
    ("DE-GNN-SPD", "celegans", 91.0, 0.4, 89.0, 5),
    ("DEA-GNN-SPD", "celegans", 80.0, 2.5, 90.0, 5),
    ("GCN", "ns", 94.0, 1.0, None, 2),
    ("DE-GNN-SPD", "ns", 97.5, 0.2, 98.5, 20),
]


def cells() -> list[Any]:
    """Made-up cells of the paper's table."""
    from degnn_explore.studies.paper_table import Result, compared

    same = {"task": "links", "metric": "auc", "protocol": "honest", "settings": {}, "cpu_seconds": 60.0, "failed": 0}
    rows = []
    for model, graph, mean, half, paper, seeds in CELLS:
        around = None if paper is None else 1.0
        own: dict[str, Any] = {"model": model, "graph": graph, "mean": mean, "half": half, "seeds": seeds}
        own |= {"paper": paper, "paper_half": around, "compared": compared(mean, half, seeds, paper, around)}
        own["scores"] = () if mean is None else tuple((k, mean + (k - seeds / 2) / 4) for k in range(seeds))
        rows.append(Result(**same, **own, tried=3))
    return rows


def dots() -> Any:
    from degnn_explore.studies.plots import dot_plot

    return dot_plot(cells(), "Links")


def beside() -> Any:
    from degnn_explore.studies.paper_table import SideBySide

    both = SideBySide(cells(), beside=cells()[:1], missing={"pb": "No file."})
    return [short(re.split("(?<=>)", both._repr_html_())), both.markdown().splitlines()[:8]]


def leaks() -> Any:
    import pandas as pd

    from degnn_explore.studies.leak_effects import leak_figure

    rows = [["ns", "links", "GCN", name, 3, points, 0.3, [points - 0.1, points, points + 0.1]]
            for name, points in [("degrees", 0.2), ("published", -0.4)]]  # fmt: skip
    return leak_figure(pd.DataFrame(rows, columns="dataset task model protocol seeds points half differences".split()))


def panels() -> Any:
    """What both panels draw, opened by node."""
    from tests.views.js.records import HERE, node

    return json.loads(node(str(HERE / "drawn.mjs")))


def drawn_by_hand() -> Any:
    """Where the nodes of the small graphs are drawn."""
    found: dict[str, Any] = {}
    for name in dir(de.zoo):
        make = getattr(de.zoo, name)
        if name.startswith("_") or not callable(make) or getattr(make, "__module__", "") != de.zoo.__name__:
            continue
        if any(each.default is each.empty for each in inspect.signature(make).parameters.values()):
            continue
        made = make()
        graphs = made if isinstance(made, tuple) else (made,)
        found[name] = [None if G.positions is None else G.positions.round(3).tolist() for G in graphs]
    return found


PICTURES: dict[str, Callable[[], Any]] = {
    "walk counts": lambda: figure(de.theory.walk_counts(de.zoo.petersen()).plot()),
    "corollary 3.8": lambda: figure(de.theory.corollary_3_8([1, 2]).plot(width=700, height=300)),
    "theorem 3.7": lambda: figure(de.theory.theorem_3_7().plot()),
    "theorem 3.3": lambda: figure(
        de.theory.theorem_3_3(sizes=[8, 12], layers=2, nodes=60, networks=[], progress=False).plot()
    ),
    "scoreboard": lambda: figure(
        de.theory.scoreboard({"cubic": [list(de.zoo.figure3())]}, methods=["1-WL", "DE-1 SPD"], progress=False).plot()
    ),
    "why": lambda: svg(explained(de.load("karate")).picture()),
    "comparison": lambda: compared("ten seeds"),
    "comparison of few": lambda: compared("three seeds"),
    "cells of a study": lambda: figure(dots()),
    "beside the paper": beside,
    "leaks": lambda: figure(leaks()),
    "theorem 2.7": lambda: figure(de.theory.theorem_2_7(models=["GCN"], seeds=1).plot()),
    "corollary 3.4": lambda: figure(
        de.theory.corollary_3_4(sizes=[8], layers=2, graphs=4, progress=False).plot(width=500)
    ),
    "small graphs": drawn_by_hand,
    "panels": panels,
    **view_pictures.pictures(short),
}


def main(begins: list[str]) -> None:
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    chosen = [name for name in PICTURES if not begins or name.startswith(tuple(begins)) or name not in kept]
    made = {name: PICTURES[name]() if name in chosen else kept[name] for name in PICTURES}
    lines = (f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in made.items())
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{FILE.name}: {len(chosen)} recorded, {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
