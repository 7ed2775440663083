"""Training in two checkouts, in CPU seconds: what preparing and an epoch of each model take.

    nice -n 5 python benchmarks/training_versions.py OLD_CHECKOUT   # alternates, writes results/training_versions.csv
    nice -n 5 python benchmarks/training_versions.py OLD_CHECKOUT --graphs pb --only SEAL --rounds 5   # writes nothing

Links of C. elegans, and of pb with 2,000 positives; one thread; the best of the rounds. Preparing is the first epoch
minus the second; compiling happens before, in an epoch of the same model on a small graph.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from _record import write

MODELS = "GCN SAGE GIN struc2vec PGNN SEAL DE-GNN-SPD DE-GNN-LP DEA-GNN-SPD DEA-GNN-PR".split()
CHILD = """
import json, sys, time, warnings
import degnn_explore as de

warnings.simplefilter("ignore")
name, graph = sys.argv[1:]
small = de.link_task(de.Graph.from_edges([(i, (i + s) % 30) for i in range(30) for s in (1, 2)]))
list(de.fit(de.build(name, small), small, epochs=1, device="cpu", progress=False))
task = de.link_task(de.load(graph), seed=1, max_positives=2000 if graph == "pb" else None)
model = de.build(name, task, **({"max_dist": 3} if "SPD" in name or "PR" in name else {}))
taken, began = [], time.process_time()
for _ in de.fit(model, task, epochs=4, patience=None, device="cpu", progress=False):
    taken.append(time.process_time() - began)
    began = time.process_time()
print(json.dumps([max(0.0, taken[0] - min(taken[1:])), min(taken[1:])]))
"""


def measured(checkout: Path, model: str, graph: str) -> list[float]:
    """CPU seconds of preparing and of an epoch, in a new process."""
    env = os.environ | {"PYTHONPATH": str(checkout), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", CHILD, model, graph]
    done = subprocess.run(command, env=env, check=True, capture_output=True, text=True, cwd=checkout)
    return list(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    """Measures both in turn, keeps the best of each, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--graphs", nargs="+", default=["celegans", "pb"])
    parser.add_argument("--only", nargs="+", choices=MODELS, help="some of the models: prints, writes nothing")
    asked = parser.parse_args()
    checkouts = asked.old.resolve(), Path(__file__).resolve().parents[1]
    rows = []
    for graph in asked.graphs:
        for model in asked.only or MODELS:
            rounds = [[measured(checkout, model, graph) for checkout in checkouts] for _ in range(asked.rounds)]
            row: dict[str, object] = {"graph": graph, "model": model}
            for place, what in enumerate(("prepare", "epoch")):
                old, new = (min(each[side][place] for each in rounds) for side in (0, 1))
                row |= {
                    f"old_{what}": round(old, 3),
                    f"new_{what}": round(new, 3),
                    f"{what}_ratio": round(new / old, 2),
                }
            print(row, flush=True)
            rows.append(row)
    if not asked.only:
        write("training_versions", rows)


if __name__ == "__main__":
    main()
