"""How long the Theory Lab takes: the paper's full table, K hops, random networks, the scoreboard.

    python benchmarks/theory.py            # everything, some minutes
    python benchmarks/theory.py K=2        # the cases whose name holds this; writes nothing

Writes benchmarks/results/theory.csv. Kernels are compiled before the clock starts.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from _record import timed, write

from degnn_explore import theory


def square(table: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
    return table(*np.meshgrid(np.arange(8), np.arange(8), indexing="ij"))


def pair_of_64_nodes() -> tuple[Any, Any]:
    """Two strongly regular graphs (64, 21, 8, 6): the Latin squares of the cyclic group and of Z2³."""
    return (
        theory.latin_square_graph(square(lambda a, b: (a + b) % 8), "Latin square of Z8"),
        theory.latin_square_graph(square(lambda a, b: a ^ b), "Latin square of Z2³"),
    )


def main(chosen: str = "") -> None:
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
    rows = []
    for name, work in cases.items():
        if chosen in name:
            wall, cpu = timed(work)
            rows.append({"case": name, "seconds": round(wall, 2), "cpu_seconds": round(cpu, 2)})
            print(f"{wall:8.2f} s   {cpu:8.2f} s of CPU   {name}", flush=True)
    if not chosen:
        write("theory", rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
