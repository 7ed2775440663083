"""Writes the table in docs/descendants.md from ``results/descendants.csv``, so that the two cannot drift.

python docs/descendants_results.py     # after new rows were committed
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd

from degnn_explore.studies.statistics import ENOUGH, interval

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "descendants.md"
SECTION = re.compile(r"<!-- results -->.*?<!-- /results -->", re.DOTALL)
MEASURES = {"mrr": "MRR", "hits@10": "Hits@10", "auc": "AUC"}


def section() -> str:
    """The text between the two marks of the page: a table for each graph, and who leads."""
    runs = pd.read_csv(ROOT / "results" / "descendants.csv")
    for measure in MEASURES:
        runs[measure] = [100 * json.loads(measures)[measure] for measures in runs["measures"]]
    parts = []
    for graph, rows in runs.groupby("dataset", sort=False):
        by_model = {model: own for model, own in rows.groupby("model", sort=False)}
        ordered = sorted(by_model, key=lambda model: -by_model[model]["mrr"].mean())
        lines = [f"**{graph}**", "", f"| model | {' | '.join(MEASURES.values())} | seeds |", "|---" * 5 + "|"]
        for model in ordered:
            cells = [_plus_minus(by_model[model][measure].tolist()) for measure in MEASURES]
            lines.append(f"| {model} | {' | '.join(cells)} | {len(by_model[model])} |")
        parts.append("\n".join([*lines, "", _leaders(str(graph), by_model)]))
    return "\n".join(["<!-- results -->", "\n\n".join(parts), "<!-- /results -->"])


def _plus_minus(values: list[float]) -> str:
    mean, half = interval(values)
    return f"{mean:.1f}" + ("" if half is None else f" ± {half:.1f}")


def _leaders(graph: str, by_model: dict[str, pd.DataFrame]) -> str:
    enough = {model: own for model, own in by_model.items() if len(own) >= ENOUGH}
    if len(enough) < 2:
        return f"Fewer than two models have {ENOUGH} seeds on {graph}: no claim."
    best = {measure: max(enough, key=lambda model: enough[model][measure].mean()) for measure in MEASURES}
    return (
        f"Of the models with {ENOUGH} seeds or more, "
        + ", ".join(f"{model} is first by {MEASURES[measure]}" for measure, model in best.items())
        + "."
    )


if __name__ == "__main__":
    PAGE.write_text(SECTION.sub(lambda _: section(), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
