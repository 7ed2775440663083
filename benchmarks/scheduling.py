"""What scheduling costs: runs of one second on two workers, on this machine (loky) and on a Dask cluster.

    nice -n 5 python benchmarks/scheduling.py                # 1,000 runs each: twenty minutes
    nice -n 5 python benchmarks/scheduling.py --runs 200     # fewer

A run is a small training whose first step waits until a second has passed since its network was built, so that the two
workers need not share processors with each other, the client and whatever else is going on. The share lost is that of
the workers' time, by the clock, beyond that second a run: loading, preparing, sending, writing down, and waiting for
each other at the end. A busy machine makes it larger, never smaller. Workers are started before the clock is.
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

WORKERS = 2
HERE, SECOND = os.getpid(), 1.0


class Second(nn.Module):
    """Its first step ends a second after it was built; not in this process, which checks it."""

    def __init__(self, features: int, outputs: int) -> None:
        super().__init__()
        self.out, self.built = nn.Linear(features, outputs), time.monotonic()

    def forward(self, batch: Any) -> Any:
        if os.getpid() != HERE:
            time.sleep(max(0.0, self.built + SECOND - time.monotonic()))
        return self.out(batch.x[batch.target_index].view(batch.num_graphs, -1, batch.x.shape[1]).mean(dim=1))


def measured(runs: int, workers: Any) -> dict[str, Any]:
    """The time that so many runs take."""
    with tempfile.TemporaryDirectory() as store:
        study = de.study(graphs="karate", models="second", seeds=runs, epochs=1, store=store)
        study.check()
        began, cpu = time.monotonic(), time.process_time()
        ended = study.run(workers, progress=False)
        took, cpu = time.monotonic() - began, time.process_time() - cpu
        assert (ended.done, ended.failed) == (runs, 0), study.failures()
    lost = 1 - runs * SECOND / (WORKERS * took)
    return {
        "runs": runs, "seconds_by_the_clock": round(took, 1), "share_lost": round(lost, 4),
        "client_cpu_seconds_a_run": round(cpu / runs, 4)}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    runs = parser.parse_args().runs
    de.register_model(de.PyGModel(Second, encoding=de.SPD(3), hops=1), name="second")
    rows = []
    measured(2 * WORKERS, WORKERS)  # processes start, loops are loaded
    rows.append({"on": "loky", "workers": WORKERS, **measured(runs, WORKERS)})
    print(rows[-1], flush=True)
    options = {"threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None}
    with LocalCluster(n_workers=WORKERS, processes=True, **options) as cluster, Client(cluster) as client:
        measured(2 * WORKERS, client)
        rows.append({"on": "Dask", "workers": WORKERS, **measured(runs, client)})
    print(rows[-1])
    write("scheduling", rows)


if __name__ == "__main__":
    main()
