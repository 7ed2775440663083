"""What a Dask cluster costs: runs of about a second on two worker processes, beside the same runs without Dask.

    nice -n 5 python benchmarks/cluster.py                # 1,000 runs each way, half an hour
    nice -n 5 python benchmarks/cluster.py --runs 200     # fewer

A run is a small training that then waits until a second of its worker's time has passed: on a cluster workers have
processors of their own, and here they need not share two with each other, the client and the scheduler. The share lost
is that of the workers' time in which no run was made, 1 - (runs x second) / (workers x time by the clock), starting of
processes not counted. A busy machine makes it larger, never smaller. So the same runs are made by this machine's own
worker processes in turns, a block of each; the difference is Dask's part.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from typing import Any

from _record import write
from distributed import Client, LocalCluster
from torch import nn

import degnn_explore as de

WORKERS, BLOCKS = 2, 4
HERE, SECOND = os.getpid(), 1.0


class Second(nn.Module):
    """Its first step ends a second after it was built; not in this process, which only checks it."""

    def __init__(self, features: int, outputs: int) -> None:
        super().__init__()
        self.out = nn.Linear(features, outputs)
        self.until = time.monotonic() + SECOND

    def forward(self, batch: Any) -> Any:
        if os.getpid() != HERE and (left := self.until - time.monotonic()) > 0:
            time.sleep(left)
        return self.out(batch.x[batch.target_index].view(batch.num_graphs, -1, batch.x.shape[1]).mean(dim=1))


def block(number: int, runs: int, workers: Any) -> float:
    """Seconds by the clock of so many runs that were never made before."""
    with tempfile.TemporaryDirectory() as store:
        graphs = [de.load("karate").with_title(f"{number} {i}") for i in range(-(-runs // 20))]
        parts = [de.Graph.from_edges(graph.edges, attributes=[[i]] * 34) for i, graph in enumerate(graphs)]
        study = de.study(graphs=parts, models=["second"], seeds=20, epochs=1, store=store)
        began = time.monotonic()
        standing = study.run(workers, progress=False)
        assert (standing.done, standing.failed) == (20 * len(parts), 0), study.failures()
        return time.monotonic() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000, help="each way")
    size = parser.parse_args().runs // (20 * BLOCKS) * 20 or 20
    de.register_model(de.PyGModel(Second, encoding=de.SPD(3), hops=1), name="second")
    options = {"threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None}
    with LocalCluster(n_workers=WORKERS, processes=True, **options) as cluster, Client(cluster) as client:
        ways = {"Dask cluster": client, "worker processes": WORKERS}
        took = dict.fromkeys(ways, 0.0)
        for number in range(BLOCKS + 1):
            for way, workers in ways.items():
                seconds = block(number, size if number else 20, workers)
                took[way] += seconds if number else 0.0  # the first is short: processes start, loops are loaded
                print(f"{way}: {size if number else 20} runs in {seconds:.1f} s", flush=True)
    runs = size * BLOCKS
    rows = [
        {"way": way, "workers": WORKERS, "runs": runs, "seconds_of_a_run": SECOND, "seconds": round(seconds, 1),
         "share_lost": round(1 - runs * SECOND / (WORKERS * seconds), 4)}
        for way, seconds in took.items()
    ]  # fmt: skip
    extra = took["Dask cluster"] / took["worker processes"] - 1
    rows.append({"way": "Dask cluster, more than worker processes", "share_lost": round(extra, 4)})
    for row in rows:
        print(row)
    write("cluster", rows)


if __name__ == "__main__":
    main()
