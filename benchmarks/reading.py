"""How long a million-edge CSV takes: pandas alone, read_graph, and networkx, in one run.

pandas reads a large file in several threads (since 3.1), and a buffer in one; both are shown.

    python benchmarks/reading.py [edges]
"""

from __future__ import annotations

import io
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd

import degnn_explore as de


def best(work: Callable[[], Any], repeats: int = 5) -> float:
    """The shortest of a few runs, in seconds: the one that other programs disturbed least."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def main(edges: int) -> None:
    drawn = np.random.default_rng(0).integers(0, edges // 5, size=(edges, 2))
    ids = np.unique(drawn, return_inverse=True)[1].reshape(-1, 2)  # exactly 0..n-1
    kinds = {"0..n-1": ids, "integers with gaps": 3 * ids + 10_000, "words": np.char.add("user-", ids.astype(str))}
    print(f"{edges:,} edges; {platform.processor() or platform.machine()}, Python {platform.python_version()}, "
          f"pandas {pd.__version__}, networkx {nx.__version__}; best of 5 (networkx: once)")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "edges.csv"
        for kind, pairs in kinds.items():
            pd.DataFrame(pairs, columns=["source", "target"]).to_csv(path, index=False)
            parsed, read = best(lambda: pd.read_csv(path)), best(lambda: de.read_graph(path))
            buffer = best(lambda: pd.read_csv(io.BytesIO(path.read_bytes())))
            slow = best(lambda: nx.read_edgelist(path, delimiter=","), repeats=1)
            print(f"{kind:20} read_graph {read:.3f} s; pandas.read_csv of the file {parsed:.3f} s "
                  f"(ratio {read / parsed:.2f}), in one thread {buffer:.3f} s (ratio {read / buffer:.2f}); networkx {slow:.2f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
