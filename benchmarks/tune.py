"""What de.tune reaches by itself: one call a graph and seed, test AUC and CPU-minutes, appended to a CSV.

    python benchmarks/tune.py                          # links on celegans, ns and pb, 10 seeds, 2 CPU-minutes each
    python benchmarks/tune.py -d ns --seeds 3
    python benchmarks/tune.py --report                 # means over seeds

The call is the same for every graph; rows already in the file are not run again.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings

import numpy as np
from _record import add, read

import degnn_explore as de

SPLIT = (0.85, 0.05, 0.10)


def measured(graph: str, seed: int, minutes: float) -> dict[str, object]:
    """One search."""
    task = de.link_task(de.load(graph), seed=seed, split=SPLIT)
    began = time.process_time()
    tuned = de.tune(task, minutes=minutes, seed=seed, device="cpu")
    taken, trials = time.process_time() - began, tuned.trials
    alone = trials[trials.chosen].iloc[0]
    return {
        "dataset": graph, "task": "links", "seed": seed, "minutes": minutes, "val": round(tuned.val, 5),
        "test": round(tuned.test, 5), "cpu_seconds": round(taken, 1), "trials": len(trials),
        "together": int(trials.chosen.sum()), "best": alone.model, "settings": json.dumps(alone.settings),
    }  # fmt: skip


def means(name: str) -> None:
    """A line for each graph of a file of results."""
    rows = read(name)
    for graph in dict.fromkeys(row["dataset"] for row in rows):
        some = [row for row in rows if row["dataset"] == graph]
        test, seconds = (np.array([float(row[name]) for row in some]) for name in ("test", "cpu_seconds"))
        print(
            f"{graph:10} {100 * test.mean():6.2f} (from {100 * test.min():.2f} to {100 * test.max():.2f}), "
            f"{len(some)} seeds, {seconds.mean():.1f} CPU-seconds, at most {seconds.max():.1f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-d", "--datasets", nargs="+", default=["celegans", "ns", "pb"])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--report", action="store_true")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    done = {(row["dataset"], int(row["seed"]), float(row["minutes"])) for row in read("tune")}
    for seed in range(0 if given.report else given.seeds):
        for graph in given.datasets:
            if (graph, seed, given.minutes) not in done:
                add("tune", measured(graph, seed, given.minutes))
    means("tune")


if __name__ == "__main__":
    main()
