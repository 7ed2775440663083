"""What walk profiles reach alone on links: test AUC and CPU-seconds of a fit, a row a graph and seed, in a CSV.

    python benchmarks/walk_profiles.py                 # celegans, ns and pb, 10 seeds, split 85/5/10
    python benchmarks/walk_profiles.py --report        # means over seeds

Rows already in the file are not run again.
"""

from __future__ import annotations

import argparse
import time

from _record import add, read
from tune import SPLIT, means

import degnn_explore as de


def measured(graph: str, seed: int) -> dict[str, object]:
    """One fit; it chooses nothing, so validation sets are not used."""
    task = de.link_task(de.load(graph), seed=seed, split=SPLIT)
    began = time.process_time()
    (epoch,) = de.fit(de.build("walk profiles", task), task, progress=False)
    taken, reached = time.process_time() - began, {"val": epoch.val["auc"], "test": epoch.test["auc"]}
    told = {name: round(value, 5) for name, value in reached.items()}
    return {"dataset": graph, "task": "links", "seed": seed, **told, "cpu_seconds": round(taken, 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-d", "--datasets", nargs="+", default=["celegans", "ns", "pb"])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--report", action="store_true")
    given = parser.parse_args()
    done = {(row["dataset"], int(row["seed"])) for row in read("walk_profiles")}
    for seed in range(0 if given.report else given.seeds):
        for graph in given.datasets:
            if (graph, seed) not in done:
                add("walk_profiles", measured(graph, seed))
    means("walk_profiles")


if __name__ == "__main__":
    main()
