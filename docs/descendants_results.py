"""Writes the tables in docs/descendants.md, and what they say, from ``results/descendants.csv``.

python docs/descendants_results.py     # after new rows were committed
"""

from __future__ import annotations

import json
import re
import textwrap
import tomllib
from pathlib import Path

import pandas as pd

from degnn_explore.studies.statistics import ENOUGH, corrected_p, holm, interval

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "descendants.md"
SECTION = re.compile(r"<!-- results -->.*?<!-- /results -->", re.DOTALL)
STUDY = ROOT / "studies" / "descendants.toml"
TEST_RATIO, LEVEL = 0.1 / 0.8, 0.05  # test links for each training link; the level of significance
MEASURES = {"mrr": "MRR", "hits@10": "Hits@10", "auc": "AUC"}


def section() -> str:
    """The text between the two marks of the page: a table for each graph, what it says, and what is missing."""
    study = tomllib.loads(STUDY.read_text(encoding="utf-8"))
    candidates = study["per_positive"] + 1  # the link and its negatives
    chance = 100 * sum(1 / rank for rank in range(1, candidates + 1)) / candidates
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
        means = {measure: [own[measure].mean() for own in by_model.values()] for measure in MEASURES}
        beyond = sum(mean > chance for mean in means["mrr"])
        text = (
            f"{beyond} of {len(by_model)} models beat a random guess, which has an MRR of {chance:.1f}. MRR is "
            f"{min(means['mrr']):.1f} to {max(means['mrr']):.1f}; AUC against random pairs is {min(means['auc']):.1f} "
            f"to {max(means['auc']):.1f}. {_leaders(by_model)}"
        )
        parts.append("\n".join([*lines, "", textwrap.fill(text, 120)]))
    wanted = len(study["models"]) * len(study["columns"]) * study["seeds"]
    if len(runs) < wanted:
        parts.append(
            textwrap.fill(
                f"**This study is not finished**: {len(runs)} of its {wanted} reported runs are here. To add more, run "
                "`degnn-explore reproduce descendants --results results/descendants.csv`, then "
                "`python docs/descendants_results.py`, which writes this section.",
                120,
                break_on_hyphens=False,
            )
        )
    return "\n".join(["<!-- results -->", "\n\n".join(parts), "<!-- /results -->"])


def _plus_minus(values: list[float]) -> str:
    mean, half = interval(values)
    return f"{mean:.1f}" + ("" if half is None else f" ± {half:.1f}")


def _leaders(by_model: dict[str, pd.DataFrame]) -> str:
    """The best model by each measure, and those not clearly worse by a paired test, corrected for many rivals."""
    enough = {model: own.set_index("seed") for model, own in by_model.items() if len(own) >= ENOUGH}
    if len(enough) < 2:
        return f"Too few seeds to say which model is best: that takes {ENOUGH}."
    said = []
    for measure, title in MEASURES.items():
        best = max(enough, key=lambda model: enough[model][measure].mean())
        rivals = [model for model in enough if model != best]
        leads = [(enough[best][measure] - enough[model][measure]).dropna().tolist() for model in rivals]
        chances = holm([1.0 if (p := corrected_p(lead, TEST_RATIO)) is None else p for lead in leads])
        close = [model for model, chance in zip(rivals, chances, strict=True) if chance >= LEVEL]
        clear = f"not clearly ahead of {', '.join(close)}" if close else "clearly ahead of all others"
        said.append(f"by {title}: {best} ({clear})")
    return f"Best {'; '.join(said)}."


if __name__ == "__main__":
    PAGE.write_text(SECTION.sub(lambda _: section(), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
