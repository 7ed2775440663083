"""What all benchmarks share: the clock, and where figures go with the commit, the day and the machine beside them."""

from __future__ import annotations

import csv
import datetime
import importlib.metadata
import os
import platform
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("numpy", "numba", "scipy", "pandas", "networkx", "torch", "torch-geometric")
Row = dict[str, Any]


def timed(work: Callable[[], Any], repeats: int = 1) -> tuple[float, float]:
    """Seconds by the clock and of the processor, of the fastest of a few runs."""
    runs = []
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        result = work()
        runs.append((time.perf_counter() - wall, time.process_time() - cpu))
        del result  # freed outside the clock
    return min(runs)


def circumstances() -> dict[str, str]:
    """What a figure needs beside it to mean something: commit, date, machine, how busy it is, versions."""
    cpuinfo = Path("/proc/cpuinfo")  # Linux; platform.processor() is often empty there
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.processor())
    git = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(git, capture_output=True, text=True, check=False, cwd=RESULTS.parent).stdout.strip()
    return {
        "commit": commit or "unknown",
        "date": datetime.date.today().isoformat(),
        "machine": f"{model or platform.machine()}, {os.cpu_count()} cores",
        "load": f"{os.getloadavg()[0]:.1f}",
        "versions": "; ".join(
            [f"Python {platform.python_version()}", *(f"{p} {importlib.metadata.version(p)}" for p in PACKAGES)]
        ),
    }


def write(name: str, rows: Sequence[Row], about: dict[str, str] | None = None) -> None:
    """Writes results/NAME.csv anew, with the circumstances (of now, unless given) in every row."""
    rows = [{**row, **(about or circumstances())} for row in rows]
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / f"{name}.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, dict.fromkeys(column for row in rows for column in row))
        writer.writeheader()
        writer.writerows(rows)
    print(f"written to benchmarks/results/{name}.csv")


def add(name: str, row: Row) -> None:
    """Appends one row to results/NAME.csv; columns are those of the file, or of this first row."""
    row = {**row, **circumstances()}
    path = RESULTS / f"{name}.csv"
    columns = list(next(iter(read(name)), row))
    RESULTS.mkdir(exist_ok=True)
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        if not path.stat().st_size:
            writer.writeheader()
        writer.writerow(row)


def read(name: str) -> list[dict[str, str]]:
    """The rows of results/NAME.csv; none if there is no such file yet."""
    path = RESULTS / f"{name}.csv"
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
