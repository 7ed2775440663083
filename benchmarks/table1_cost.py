"""What the paper's Table 1 costs, cell by cell: CPU-seconds of preparing and of an epoch, and the whole projected.

    python benchmarks/table1_cost.py                        # measures the cells that results/table1_cost.csv lacks
    python benchmarks/table1_cost.py -m DEA-GNN-PR -d pb --again   # measures these anew; the last figure counts
    python benchmarks/table1_cost.py --report --seeds 20 --epochs 60 --steps 4000   # the table alone

The report takes a cell from the runs themselves where results/table1.csv has any: seeds x their mean CPU-seconds, with
the settings and the patience of the study. The others are projected from what is measured here: a few epochs with the
defaults on one seed, one torch thread, compiling not counted; seeds x (preparation + epochs x epoch), with no patience,
so it is an upper bound. With --steps a projected run ends after the epoch in which it has taken so many steps, as
`de.fit(..., max_steps=)` does.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import time
from pathlib import Path

import torch
from _record import add, read

import degnn_explore as de
from degnn_explore.learn.tasks import TASKS
from degnn_explore.studies.comparison import paper_number

MODELS = ["GCN", "SAGE", "GIN", "struc2vec", "PGNN", "SEAL", "DE-GNN-SPD", "DE-GNN-LP", "DEA-GNN-SPD", "DEA-GNN-PR"]
COLUMNS = [
    *((name, "roles") for name in ("brazil-airports", "europe-airports", "usa-airports")),
    *((name, "links") for name in ("celegans", "ns", "pb")),
    *((name, "triangles") for name in ("celegans", "ns")),
]
BATCH = 64
WORTH = 2.0  # CPU-seconds that are spent on the epochs of a cell, unless one alone takes more
FILE = "table1_cost"
RESULTS = Path(__file__).resolve().parents[1] / "results" / "table1.csv"
Cell = tuple[str, str, str]  # graph, task, model


def cells() -> list[Cell]:
    """Those that the paper has: 72."""
    metric = {"roles": "accuracy", "links": "auc", "triangles": "auc"}
    return [
        (dataset, task, model)
        for dataset, task in COLUMNS
        for model in MODELS
        if paper_number(model, dataset, TASKS[task].p, metric[task]) is not None
    ]


def measure(dataset: str, kind: str, model: str) -> None:
    """One cell, one row: the first epoch's time less a later one's is what preparing took."""
    task = TASKS[kind].make(de.load(dataset), seed=0)
    built = de.build(model, task, seed=0)
    taken, began = list[float](), time.process_time()
    for _ in de.fit(built, task, epochs=8, patience=None, device="cpu"):
        taken.append(time.process_time() - began)
        if len(taken) > 1 and sum(taken[1:]) > WORTH:
            break
        began = time.process_time()
    epoch = min(taken[1:])
    add(
        FILE,
        {
            "dataset": dataset,
            "task": kind,
            "model": model,
            "train_sets": len(task.train),
            "prepare_cpu_seconds": round(max(taken[0] - epoch, 0.0), 3),
            "epoch_cpu_seconds": round(epoch, 4),
        },
    )
    print(f"{dataset:16}{kind:10}{model:12} prepare {taken[0] - epoch:8.2f}, epoch {epoch:8.3f} CPU s", flush=True)


def made(file: Path) -> dict[Cell, list[float]]:
    """CPU-seconds of each run that a file of results has, by cell."""
    seconds: dict[Cell, list[float]] = {}
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            seconds.setdefault((row["dataset"], row["task"], row["model"]), []).append(float(row["cpu_seconds"]))
    return seconds


def searched(file: Path) -> float:
    """CPU-hours of the search; a trial's seconds include those of its lower rungs."""
    longest: dict[tuple[str, ...], float] = {}
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            trial = (row["dataset"], row["task"], row["model"], row["settings"], row["seed"])
            longest[trial] = max(longest.get(trial, 0.0), float(row["cpu_seconds"]))
    return sum(longest.values()) / 3600


def report(seeds: int, epochs: int, steps: int | None) -> None:
    """The cells, dearest first, and the sums."""
    runs = made(RESULTS)
    last = {(row["dataset"], row["task"], row["model"]): row for row in read(FILE)}
    rows: list[tuple[float, Cell, str]] = []
    for cell in cells():
        if cell in runs:
            a_run, how = statistics.fmean(runs[cell]), f"by {len(runs[cell])} runs"
        elif cell in last:
            row = last[cell]
            a_pass = -(-int(row["train_sets"]) // BATCH)
            number = epochs if steps is None else min(epochs, -(-steps // a_pass))
            prepare, epoch = float(row["prepare_cpu_seconds"]), float(row["epoch_cpu_seconds"])
            a_run, how = prepare + number * epoch, f"projected: {prepare:.2f} + {number} x {epoch:.3f}"
        else:
            print("not measured yet:", *cell)
            continue
        rows.append((seeds * a_run / 3600, cell, how))
    print(f"{'':38} CPU-hours for {seeds} seeds")
    for hours, cell, how in sorted(rows, reverse=True):
        print(f"{cell[0]:16}{cell[1]:10}{cell[2]:12} {hours:8.3f}  {how}")
    for at, names in ((2, MODELS), (0, dict.fromkeys(name for name, _ in COLUMNS))):
        print(*(f"{name} {sum(row[0] for row in rows if row[1][at] == name):.2f}" for name in names), sep=", ")
    limit = f"{epochs} epochs" + ("" if steps is None else f" or {steps:,} steps, whichever come first")
    known = sum(row[2].startswith("by") for row in rows)
    total = sum(row[0] for row in rows)
    print(f"{len(rows)} cells, {known} of them by their runs, the others {limit}: {total:.2f} CPU-hours")
    print(f"The search for settings so far took {searched(RESULTS.with_name('table1_search.csv')):.2f} more.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-m", "--models", nargs="*", default=MODELS)
    parser.add_argument("-d", "--datasets", nargs="*", default=[name for name, _ in COLUMNS])
    parser.add_argument("--again", action="store_true", help="measure cells that have a figure, too")
    parser.add_argument("--report", action="store_true", help="measure nothing")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--steps", type=int, default=None)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    measured = {(row["dataset"], row["task"], row["model"]) for row in read(FILE)}
    wanted = [c for c in cells() if c[0] in arguments.datasets and c[2] in arguments.models]
    wanted = [] if arguments.report else [c for c in wanted if arguments.again or c not in measured]
    for kind, model in sorted({(kind, model) for _, kind, model in wanted}):  # compiles
        small = de.zoo.random_regular(60, 4, 0).with_labels([i % 4 for i in range(60)])
        task = TASKS[kind].make(small if kind != "triangles" else de.load("karate"), seed=0)
        list(de.fit(de.build(model, task), task, epochs=1, device="cpu"))
    for cell in wanted:
        measure(*cell)
    report(arguments.seeds, arguments.epochs, arguments.steps)


if __name__ == "__main__":
    main()
