"""Writes ``docs/results.md`` and the README's section of results from the committed runs in ``results/``.

    make results     # after new rows were committed

Every number and every sentence about numbers is computed, also while some cells have no runs yet.
"""

from __future__ import annotations

import re
import tempfile
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import degnn_explore as de
from degnn_explore.learn.registry import BASELINE, DE, MODELS, is_heuristic
from degnn_explore.studies.paper_table import MARKS, Result, SideBySide
from degnn_explore.studies.statistics import ENOUGH

ROOT = Path(__file__).resolve().parents[1]
README, PAGE = ROOT / "README.md", ROOT / "docs" / "results.md"
SECTION = re.compile(r"<!-- results -->.*?<!-- /results -->", re.DOTALL)
SHOWN = {
    "usa-airports roles": "roles",
    "celegans links": "links",
    "pb links": "links",
    "celegans triangles": "triangles",
}
TITLES = {"roles": "Node roles (accuracy)", "links": "Links (AUC)", "triangles": "Triangles (AUC)"}
NOT_YET = "–"
PM = "\u00a0±\u00a0"  # a number and its interval stay on one line

PAGE_TOP = """
# Results

The paper's Table 1, as `degnn-explore reproduce table1` reproduces it. Each row in [results/](../results) is one run of
at most 60 epochs (roles: 100) on one core. Held-out links are removed from the graph before anything is computed.
[Reproduce the paper](reproduce.md) shows how to run it yourself. `make results` writes this page.
"""
LEAKS_TOP = """
## How much leaks matter

The paper's published code leaks information that a model should not have; `de.leaks()` lists how. Here we switch on one
leak at a time. The numbers are changes in AUC points from the honest protocol, for DE-GNN-SPD, ± half the 95%
confidence interval.
"""
REMARKS = """
## What the numbers do not say

- **ns** falls apart when held-out edges are removed, as they must be: 14% of the test links and 71% of the test
  triangles have no path left between all their nodes. Where there is a path, DE-GNN-SPD reaches an AUC of 99.8 (links)
  and 100.0 (triangles); where there is none, 92.1 and 98.2 to 98.9 ([why.csv](../benchmarks/results/why.csv)). Our
  models reach the paper's number for triangles only with the degrees of the full graph; see the leaks above.
- **us-flights**, which is not in the paper, is an easy task: the labels are quartiles of traffic, and an airport's
  degree alone gives 70.6%. With 20 seeds, three of the four distance-encoded models (74.7 to 75.8) are above GCN,
  SAGE and GIN (71.6 to 73.8) and DEA-GNN-SPD (73.0) is not, but the differences are smaller than their 95% intervals
  of ± 3.3 to ± 4.3 ([quality.csv](../benchmarks/results/quality.csv)).
- **Speed**: an epoch of DE-GNN-SPD takes 0.14 s on celegans, 134 times less than the same network on PyG mini-batches
  of whole ego-networks; the paper's mean AUC is reached after 0.5 CPU-seconds there, and after 10 on pb
  ([training.csv](../benchmarks/results/training.csv)).
"""


def study(name: str, store: str) -> de.Study:
    """A study with its committed results only, without this machine's runs."""
    return de.study(ROOT / "studies" / f"{name}.toml", store=store)


def written() -> dict[Path, str]:
    """The text of both files."""
    with tempfile.TemporaryDirectory() as nothing:
        table, scores, leaks = (study(name, nothing) for name in ("table1", "heuristics", "leaks"))
        shown = table.side_by_side(beside=scores)
        if shown.missing:
            raise SystemExit("Cannot write the tables: " + " ".join(shown.missing.values()))
        reading = table.reading(scores).markdown()
        effects = leaks.only(tasks=["links", "triangles"]).reading(model="DE-GNN-SPD").markdown()
    readme = SECTION.sub(lambda _: section(shown), README.read_text(encoding="utf-8"))
    page = [PAGE_TOP, *tables(shown), notes(shown), "## In words", _list(reading), LEAKS_TOP, _list(effects)]
    page.append(REMARKS)
    return {README: readme, PAGE: "\n\n".join(part.strip() for part in page) + "\n"}


# ---- README ---------------------------------------------------------------------------------------


def section(shown: SideBySide) -> str:
    """The README's table, four questions of Table 1, and what it says in three sentences."""
    lines = [
        "| question | best plain GNN | best baseline | best with distance encoding | the paper's best |",
        "|---" * 5 + "|",
    ]
    leads: dict[str, list[float]] = {"plain": [], "other": []}
    behind = []
    cells = [one for one in [*shown.results, *shown.beside] if one.mean is not None and one.seeds >= ENOUGH]
    for heading in SHOWN:
        own = [one for one in cells if one.heading == heading]
        plain = best(one for one in own if MODELS[one.model].bound == "1-WL")
        other = best(one for one in own if MODELS[one.model].group == BASELINE or is_heuristic(one.model))
        encoded = best(one for one in own if MODELS[one.model].group == DE)
        theirs = [one for one in shown.results if one.heading == heading and one.paper is not None]
        paper = max(
            (one for one in theirs if MODELS[one.model].group == DE), key=lambda one: one.paper or 0, default=None
        )
        published = f"{paper.model} {paper.paper:.1f}{PM}{paper.paper_half:.1f}" if paper else NOT_YET
        graph, task = heading.split()
        lines.append(f"| {task}, {graph} | {named(plain)} | {named(other)} | {named(encoded)} | {published} |")
        for kind, rival in (("plain", plain), ("other", other)):
            if encoded and rival:
                leads[kind].append(mean(encoded) - mean(rival))
        if encoded and other and mean(other) >= mean(encoded):
            behind.append(f"{graph} {task}")
    seeds = [one.seeds for one in cells if one.heading in SHOWN] or [0]
    said = [
        "Test accuracy (roles) and AUC (links, triangles) in percent, ± half the 95% confidence interval over "
        f"{span(seeds)} seeds; [all models and graphs](docs/results.md)."
    ]
    if leads["plain"]:
        wins = {kind: sum(lead > 0 for lead in values) for kind, values in leads.items()}
        losses = f": it loses on {listed(behind)}" if behind else ""
        said.append(
            f"Distance encoding beats the best plain GNN on {wins['plain']} of these {len(leads['plain'])} tasks (the "
            f"differences are {points(leads['plain'])}). It beats the best baseline of any kind, including simple "
            f"scores without a network, on {wins['other']} of {len(leads['other'])} ({points(leads['other'])}){losses}."
        )
    said.append(
        "Settings were chosen on validation data for every model, baselines included, but “best” means best on the "
        "test set, which flatters every column a little."
    )
    return "\n".join(["<!-- results -->", *lines, "", wrapped(" ".join(said)), "<!-- /results -->"])


def best(cells: Iterable[Result]) -> Result | None:
    return max(cells, key=mean, default=None)


def mean(one: Result) -> float:
    return float(one.mean or 0.0)


def named(one: Result | None) -> str:
    return (
        NOT_YET if one is None else f"{one.model} {mean(one):.1f}" + ("" if one.half is None else f"{PM}{one.half:.1f}")
    )


def span(numbers: Sequence[int]) -> str:
    return f"{min(numbers)}" if min(numbers) == max(numbers) else f"{min(numbers)} to {max(numbers)}"


def points(leads: Sequence[float]) -> str:
    low, high = (f"{lead:+.1f}".replace("-", "−") for lead in (min(leads), max(leads)))
    return f"{low} points" if low == high else f"{low} to {high} points"


def listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


# ---- docs/results.md ------------------------------------------------------------------------------


def tables(shown: SideBySide) -> list[str]:
    """A table for each task: of each graph ours, with the mark of the comparison, next to the paper's."""
    everything = [*shown.results, *shown.beside]
    usual = Counter(one.seeds for one in everything if one.seeds).most_common(1)
    parts = []
    for task, title in TITLES.items():
        cells = {(one.model, one.graph): one for one in everything if one.task == task}
        graphs = list(dict.fromkeys(one.graph for one in shown.results if one.task == task))
        models = [model for model in MODELS if any((model, graph) in cells for graph in graphs)]
        tops = {
            graph: best(
                cells[model, graph] for model in models if (model, graph) in cells and counts(cells[model, graph])
            )
            for graph in graphs
        }
        lines = ["| model | " + " | ".join(f"{graph}, ours | paper" for graph in graphs) + " |"]
        lines.append("|---" * (1 + 2 * len(graphs)) + "|")
        for model in models:
            row = [in_cell(cells.get((model, graph)), tops[graph], usual[0][0] if usual else 0) for graph in graphs]
            lines.append(f"| {model} | " + " | ".join(row) + " |")
        parts += [f"## {title}", "\n".join(lines)]
    return parts


def counts(one: Result) -> bool:
    return one.mean is not None and one.seeds >= ENOUGH


def in_cell(one: Result | None, top: Result | None, usual: int) -> str:
    """Ours and the paper's, two cells of a row."""
    if one is None:
        return " | "
    paper = "" if one.paper is None else f"{one.paper:.1f}{PM}{one.paper_half:.1f}"
    if one.mean is None:
        return f"{NOT_YET} | {paper}"
    ours = f"{mean(one):.1f}" + ("" if one.half is None else f"{PM}{one.half:.1f}")
    ours = f"**{ours}**" if one is top else ours
    few = "" if one.seeds == usual else f"({one.seeds})"
    return "\u00a0".join(filter(None, [ours, MARKS.get(one.compared), few])) + f" | {paper}"


def notes(shown: SideBySide) -> str:
    """How to read the tables."""
    tried = Counter(one.tried for one in shown.results if one.seeds).most_common()
    others = sorted({one.model for one in shown.results if one.seeds and tried and one.tried != tried[0][0]})
    text = (
        "In percent; ± is half the 95% confidence interval over seeds (Student's t). A number in parentheses is the "
        "number of seeds, where it differs from that of most cells. ▲ means that our mean is above the paper's, ▼ "
        "below, and ● that the 95% interval of the difference includes zero. Our best result in each column is bold. "
        "Each run's epoch is chosen on validation data."
    )
    if tried:
        text += f" Each model tried {tried[0][0]} settings, compared on validation data of seeds that are not reported"
        text += f" (fewer for {', '.join(others)})." if others else "."
    if any(one.seeds < ENOUGH for one in shown.results):
        text += f" {NOT_YET} means no run yet. We compare nothing below {ENOUGH} seeds."
    return wrapped(text)


def _list(text: str) -> str:
    return "\n".join(wrapped(line, "  ") for line in text.split("\n"))


def wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def main() -> None:
    """Writes both files."""
    for path, text in written().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
