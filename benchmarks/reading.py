"""How long a million-edge CSV takes: pandas alone, read_graph, and networkx, in one run.

pandas reads a large file in several threads (since 3.1), and a buffer in one; both are shown. The processor's time
is shown beside the clock's, for it depends less on what else the machine does.

    python benchmarks/reading.py            # a million edges; writes results/reading.csv
    python benchmarks/reading.py 10000      # so many edges; writes nothing
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from _record import circumstances, timed, write

import degnn_explore as de

MILLION = 1_000_000


def main(edges: int, repeats: int = 9) -> None:
    drawn = np.random.default_rng(0).integers(0, edges // 5, size=(edges, 2))
    ids = np.unique(drawn, return_inverse=True)[1].reshape(-1, 2)  # exactly 0..n-1
    kinds = {"0..n-1": ids, "integers with gaps": 3 * ids + 10_000, "words": np.char.add("user-", ids.astype(str))}
    about, rows = circumstances(), []
    print(f"{edges:,} edges; {about['machine']}, load {about['load']}; {about['versions']}")
    print(f"seconds by the clock / of the processor, each the least of {repeats} runs in turn (networkx: one run)")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "edges.csv"
        works: dict[str, Callable[[], Any]] = {
            "pandas, file": lambda: pd.read_csv(path),
            "pandas, buffer": lambda: pd.read_csv(io.BytesIO(path.read_bytes())),
            "read_graph": lambda: de.read_graph(path),
        }
        for kind, pairs in kinds.items():
            pd.DataFrame(pairs, columns=["source", "target"]).to_csv(path, index=False)
            runs = np.array([[timed(work) for work in works.values()] for _ in range(repeats)])  # [repeats, works, 2]
            least = dict(zip(works, runs.min(axis=0), strict=True)) | {
                "networkx": np.array(timed(lambda: nx.read_edgelist(path, delimiter=",")))
            }
            print(kind)
            for name, seconds in least.items():
                ratio = least["read_graph"] / seconds
                print(
                    f"  {name:15} {seconds[0]:7.3f} / {seconds[1]:7.3f}   "
                    f"read_graph takes {ratio[0]:.2f} / {ratio[1]:.2f} times as long"
                )
                wall, cpu = seconds.round(4)
                rows.append({"ids": kind, "reader": name, "edges": edges, "seconds": wall, "cpu_seconds": cpu})
    if edges == MILLION:
        write("reading", rows, about)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else MILLION)
