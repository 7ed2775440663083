"""The core of two checkouts side by side, in CPU seconds: distinguish, encode, unroll, read_graph, colors, summary.

python benchmarks/versions.py OLD_CHECKOUT     # alternates between the two, writes results/versions.csv
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from _record import write

ROUNDS = 3
CHILD = """
import json, sys, time
import numpy as np
import degnn_explore as de

rng = np.random.default_rng(0)
big = de.Graph.from_edges(rng.integers(0, 200_000, (800_000, 2)), num_nodes=200_000)
pb, ns, fig = de.load("pb"), de.load("ns"), de.zoo.figure1()
rook = de.zoo.rook(8)
colors = de.colours if "colours" in dir(de) else de.colors  # as it was called before 0.2
again = rook.relabel(rng.permutation(64))
small = [(de.zoo.random_regular(12, 3, s), 0) for s in range(20)]
tasks = {
    "encode: SPD(3) of a pair, 200,000 nodes": lambda: [de.SPD(3).encode(big, {4, 7}) for _ in range(3)],
    "encode: landing probabilities, pb": lambda: [de.LandingProbability(4).encode(pb, {0, k}) for k in range(1, 30)],
    "encode: PageRank, ns": lambda: [de.PageRank().encode(ns, {k}) for k in range(5)],
    "distinguish: DE-SPD, 190 pairs of small graphs": lambda: [
        de.distinguish(a, b) for i, a in enumerate(small) for b in small[:i]
    ],
    "distinguish: DE-LP, 190 pairs of small graphs": lambda: [
        de.distinguish(a, b, "DE-LP") for i, a in enumerate(small) for b in small[:i]
    ],
    "distinguish: PageRank as method, 190 pairs": lambda: [
        de.distinguish(a, b, de.PageRank(0.5)) for i, a in enumerate(small) for b in small[:i]
    ],
    "distinguish: 2-WL, 64 nodes, to the end": lambda: de.distinguish(rook, again, "2-WL"),
    "distinguish: DE-2 over all pairs, 64 nodes": lambda: de.distinguish(rook, again, order=2),
    "colors: 1-WL, pb": lambda: colors(pb, layers=3),
    "unroll: 5 layers, merged and not": lambda: [
        de.unroll(fig, v, 5, S={v}, merge=m, max_nodes=10**6) for v in range(8) for m in (False, True)
    ],
    "summary: ns": lambda: de.summary(ns),
    **{f"read_graph: {name}": lambda path=path: de.read_graph(path) for name, path in json.loads(sys.argv[1]).items()},
}
for task in tasks.values():
    task()  # compile, import
seconds = {}
for name, task in tasks.items():
    took = []
    for _ in range(3):
        start = time.process_time()
        task()
        took.append(time.process_time() - start)
    seconds[name] = min(took)
print(json.dumps(seconds))
"""


def write_files(folder: Path) -> dict[str, str]:
    """Edge lists to read: a million nodes and five million edges, and a smaller one of words."""
    rng = np.random.default_rng(0)
    pairs = np.concatenate([rng.permutation(1_000_000).reshape(-1, 2), rng.integers(0, 1_000_000, (4_500_000, 2))])
    words = np.char.add("user-", rng.integers(0, 50_000, (300_000, 2)).astype(str))
    files = {"CSV of 1,000,000 nodes, 5,000,000 edges": pairs, "CSV of 300,000 edges between words": words}
    paths = {name: str(folder / f"{i}.csv") for i, name in enumerate(files)}
    for name, rows in files.items():
        pd.DataFrame(rows, columns=["source", "target"]).to_csv(paths[name], index=False)
    return paths


def measured(checkout: Path, files: dict[str, str]) -> dict[str, float]:
    """CPU seconds of each task in a new process."""
    env = os.environ | {"PYTHONPATH": str(checkout), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", CHILD, json.dumps(files)]
    done = subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    """Measure both in turn, keep the best of each, print and write."""
    old, new = Path(sys.argv[1]).resolve(), Path(__file__).resolve().parents[1]
    best: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        files = write_files(Path(folder))
        for _ in range(ROUNDS):
            for place, checkout in enumerate((old, new)):
                for name, seconds in measured(checkout, files).items():
                    times = best.setdefault(name, [float("inf")] * 2)
                    times[place] = min(times[place], seconds)
    rows = [
        {"what": name, "old_cpu_seconds": round(a, 4), "new_cpu_seconds": round(b, 4), "ratio": round(b / a, 2)}
        for name, (a, b) in best.items()
    ]
    for row in rows:
        print(f"{row['what']:52} {row['old_cpu_seconds']:9.4f} {row['new_cpu_seconds']:9.4f} {row['ratio']:6.2f}")
    write("versions", rows)


if __name__ == "__main__":
    main()
