"""Writes the README's section of results from the committed runs in ``results/``, so that the two cannot drift.

    make results                  # after new rows were committed
    python -m tools.results --check

The table and every number in its reading are computed; what is written here by hand says only how to read them.
"""

from __future__ import annotations

import re
import sys
import tempfile
import textwrap
from pathlib import Path

import degnn_explore as de

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
SECTION = re.compile(r"<!-- results -->.*?<!-- /results -->", re.DOTALL)
BEFORE = """
The paper's Table 1, repeated by `degnn-explore reproduce`: a run takes at most 60 epochs (roles: 100) on one core, and
the held-out links are taken out of the graph before anything is counted. Every row of [results/](results) is a run.
"""
LEAKS = """
**What leaks are worth.** The paper's published code lets through what it should not (`de.leaks()`). Each leak is a
switch here, turned on by itself ([leaks.csv](results/leaks.csv)); points of AUC beyond the honest protocol, for
DE-GNN-SPD:
"""


def study(name: str, store: str) -> de.Study:
    """As committed: no run of this machine counts."""
    return de.study(ROOT / "studies" / f"{name}.toml", store=store)


def section() -> str:
    """What stands between the two marks."""
    with tempfile.TemporaryDirectory() as nothing:
        table, scores, leaks = (study(name, nothing) for name in ("table1", "heuristics", "leaks"))
        shown = table.side_by_side(beside=scores)
        if shown.missing:
            raise SystemExit("Cannot write the table: " + " ".join(shown.missing.values()))
        *rows, _, notes = shown.markdown().split("\n")
        parts = [BEFORE.strip(), "\n".join(rows), _wrapped(notes), _list(table.reading(scores).markdown())]
        parts += [LEAKS.strip(), _list(leaks.only(tasks=["links", "triangles"]).reading(model="DE-GNN-SPD").markdown())]
    return "\n".join(["<!-- results -->", "\n\n".join(parts), "<!-- /results -->"])


def _list(text: str) -> str:
    return "\n".join(_wrapped(line, "  ") for line in text.split("\n"))


def _wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def main() -> None:
    """Writes the section; with --check only says whether it is stale."""
    old = README.read_text(encoding="utf-8")
    new = SECTION.sub(lambda _: section(), old)
    if new == old:
        return
    if "--check" in sys.argv[1:]:
        raise SystemExit("README.md is older than results/: run make results.")
    README.write_text(new, encoding="utf-8")
    print("README.md: written anew from results/")


if __name__ == "__main__":
    main()
