"""How long the Theory Lab takes: the paper's full table, K hops, random networks, the scoreboard.

    python benchmarks/theory.py

Writes benchmarks/results/theory.csv. Kernels are compiled before the clock starts.
"""

from __future__ import annotations

import os
import platform
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from degnn_explore import theory

RESULTS = Path(__file__).parent / "results" / "theory.csv"


def square(table: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
    return table(*np.meshgrid(np.arange(8), np.arange(8), indexing="ij"))


def pair_of_64_nodes() -> tuple[Any, Any]:
    """Two strongly regular graphs (64, 21, 8, 6): the Latin squares of the cyclic group and of Z2³."""
    return (
        theory.latin_square_graph(square(lambda a, b: (a + b) % 8), "Latin square of Z8"),
        theory.latin_square_graph(square(lambda a, b: a ^ b), "Latin square of Z2³"),
    )


def main() -> None:
    theory.theorem_3_3(sizes=[10], nodes=20, networks=["float64", "float32"], progress=False)
    theory.scoreboard(["strongly regular"], progress=False)
    pair = {"64 nodes": [pair_of_64_nodes()]}
    cases: dict[str, Callable[[], Any]] = {
        "Theorem 3.3, r=3, all sizes, L=1..6, exact": lambda: theory.theorem_3_3(progress=False),
        "the same with random networks in float64 and float32": lambda: theory.theorem_3_3(
            networks=["float64", "float32"], progress=False
        ),
        "Theorem 3.3, r=4, exact": lambda: theory.theorem_3_3(r=4, progress=False),
        "Theorem 3.3, K=2, L=1..3, exact": lambda: theory.theorem_3_3(hops=2, layers=3, progress=False),
        "Corollary 3.4, 100 graphs of each size": lambda: theory.corollary_3_4(progress=False),
        "2-WL, a pair of 64 nodes": lambda: theory.scoreboard(pair, ["2-WL"], progress=False),
        "DE-2 over all pairs, a pair of 64 nodes": lambda: theory.scoreboard(pair, ["DE-2 pairs"], progress=False),
        "scoreboard, all families without DE-3": lambda: theory.scoreboard(
            methods=[m for m in theory.METHODS if m != "DE-3"], progress=False
        ),
        "scoreboard, all families and methods": lambda: theory.scoreboard(progress=False),
    }
    git = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    commit = git.stdout.strip()
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    rows = []
    for name, work in cases.items():
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        rows.append(
            {
                "case": name,
                "seconds": round(time.perf_counter() - wall, 2),
                "cpu_seconds": round(time.process_time() - cpu, 2),
                "commit": commit,
                "machine": machine,
            }
        )
        print(f"{rows[-1]['seconds']:8.2f} s   {rows[-1]['cpu_seconds']:8.2f} s of CPU   {name}")
    RESULTS.parent.mkdir(exist_ok=True)
    pd.DataFrame(rows).to_csv(RESULTS, index=False)


if __name__ == "__main__":
    main()
