"""What a Dask cluster costs: a thousand runs of about a second on two worker processes.

    nice -n 5 python benchmarks/cluster.py                # ten minutes
    nice -n 5 python benchmarks/cluster.py --runs 200     # fewer

A run is a small training whose first step waits until a second has passed since its network was built: on a cluster
workers have processors of their own, and here they need not share two with each other, the client, the scheduler and
whatever else is going on. The study is told that a run costs a second, since waiting costs no processor time; so runs
are sent out as those of a second are. Each process notes when a run of it began and ended. The share lost is that of
the workers' time, by the clock, in which no run was at work: sending, waiting for the next, writing down, and for each
other at the end. A busy machine makes it larger, never smaller. Starting workers and processes is not counted.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from _record import write
from distributed import Client, LocalCluster
from torch import nn

import degnn_explore as de
from degnn_explore.studies import workers
from degnn_explore.studies.whole.cells import Cell

WORKERS = 2
HERE, SECOND = os.getpid(), 1.0


def network(notes: str) -> Any:
    """Makes networks whose first step ends a second after they were built; not in this process, which checks them."""

    class Second(nn.Module):
        def __init__(self, features: int, outputs: int) -> None:
            super().__init__()
            self.out = nn.Linear(features, outputs)
            self.built = time.monotonic()
            if os.getpid() != HERE:
                noting(notes)

        def forward(self, batch: Any) -> Any:
            if os.getpid() != HERE:
                time.sleep(max(0.0, self.built + SECOND - time.monotonic()))
            return self.out(batch.x[batch.target_index].view(batch.num_graphs, -1, batch.x.shape[1]).mean(dim=1))

    return Second


def noting(notes: str) -> None:
    """In a process that trains: how long each run takes is noted from now on, in this folder."""
    here: Any = workers
    if not hasattr(here, "noted"):
        train = here.train

        def timed(*given: Any) -> None:
            began = time.monotonic()
            train(*given)
            with open(f"{here.noted}/{os.getpid()}", "a") as file:
                file.write(f"{time.monotonic() - began}\n")

        here.train = timed
    here.noted = notes


def at_work(notes: str) -> list[float]:
    """Seconds of each run."""
    return [float(line) for file in Path(notes).iterdir() for line in file.read_text().splitlines()]


def made(runs: int, client: Client) -> tuple[float, float, float]:
    """Seconds by the clock of so many runs, seconds in which they were at work, and CPU-seconds of this process."""
    with tempfile.TemporaryDirectory() as store, tempfile.TemporaryDirectory() as notes:
        de.register_model(de.PyGModel(network(notes), encoding=de.SPD(3), hops=1), name="second")
        study = de.study(graphs="karate", models=["second"], seeds=runs, epochs=1, store=store)
        study.check()
        began, cpu = time.monotonic(), time.process_time()
        standing = study.run(client, progress=False)
        took, cpu = time.monotonic() - began, time.process_time() - cpu
        assert (standing.done, standing.failed) == (runs, 0), study.failures()
        seconds = at_work(notes)
        assert len(seconds) == runs  # the processes are those of the first, short study
        return took, sum(seconds), cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    runs = parser.parse_args().runs
    options = {"threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None}
    with LocalCluster(n_workers=WORKERS, processes=True, **options) as cluster, Client(cluster) as client:
        Cell.cost = lambda *given: SECOND  # type: ignore[method-assign, assignment]
        for _ in range(WORKERS):
            with contextlib.suppress(AssertionError):
                made(4, client)  # processes start, loops are loaded, and each has a run that it does not note
        took, seconds, cpu = made(runs, client)
    row = {"workers": WORKERS, "runs": runs, "seconds_by_the_clock": round(took, 1),
           "seconds_of_a_run": round(seconds / runs, 3), "share_lost": round(1 - seconds / (WORKERS * took), 4),
           "client_and_scheduler_cpu_seconds_a_run": round(cpu / runs, 4)}  # fmt: skip
    print(row)
    write("cluster", [row])


if __name__ == "__main__":
    main()
