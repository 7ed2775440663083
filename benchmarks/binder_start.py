"""From the start of Binder's image to a first Explorer that is drawn, on two slow cores.

    python benchmarks/binder_start.py                   # makes a fresh environment; writes results/binder_start.csv
    python benchmarks/binder_start.py --env FOLDER      # takes this one (with FOLDER/../compiled, if it is there)

The environment is installed from binder/requirements.txt and warmed by binder/postBuild. Then JupyterLab is started by
binder/start, with all its processes held to two cores and stopped for a share of every 40 ms, so that each core does
half or a quarter of its work; a browser, which is the visitor's and runs at full speed, opens a notebook with
``de.Explorer()`` and runs it. Seconds are by the clock, from the start of the server; CPU-seconds are those of the
server and its kernel. On a machine that does other things they get less of the two cores than their share: "cores that
it got" is what they really had, on average.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
from _record import circumstances, write

from tests.support import fresh
from tests.support import lab as jupyter

CELL = "import degnn_explore as de\nde.Explorer()"
TURN = 0.04  # seconds


class Throttle(threading.Thread):
    """Lets a process and all its children run for a share of each turn only."""

    def __init__(self, process: int, share: float) -> None:
        super().__init__(daemon=True)
        self._process, self._share, self._over = psutil.Process(process), share, threading.Event()
        self.cpu: dict[int, float] = {}

    def family(self) -> list[psutil.Process]:
        with contextlib.suppress(psutil.Error):
            return [self._process, *self._process.children(recursive=True)]
        return []

    def run(self) -> None:
        while not self._over.is_set():
            family = self.family()
            for member in family:
                with contextlib.suppress(psutil.Error):
                    member.resume()
                    self.cpu[member.pid] = sum(member.cpu_times()[:2])
            if self._share < 1:
                time.sleep(TURN * self._share)
                for member in family:
                    with contextlib.suppress(psutil.Error):
                        member.suspend()
            time.sleep(TURN * (1 - self._share) or TURN)
        for member in self.family():
            with contextlib.suppress(psutil.Error):
                member.resume()

    def end(self) -> None:
        self._over.set()
        self.join()


@contextlib.contextmanager
def environment(given: Path | None) -> Iterator[tuple[Path, dict[str, str]]]:
    """A Python with all that Binder installs, and the variables to start it with; compiled code is warm."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = given or Path(scratch) / "env"
        python = folder / "bin" / "python" if given else fresh.binder_environment(folder)
        variables = fresh.inside(python, folder.parent / "compiled")
        subprocess.run([fresh.ROOT / "binder" / "postBuild"], cwd=fresh.ROOT, env=variables, check=True)
        yield python, variables


def start(browser: object, python: Path, share: float) -> dict[str, float | str]:
    """Seconds until the server answers, and until the Explorer is drawn with its verdicts."""
    with tempfile.TemporaryDirectory() as scratch:
        began = time.perf_counter()
        slowed: list[Throttle] = []

        def slow(process: int) -> None:
            os.sched_setaffinity(process, sorted(os.sched_getaffinity(0))[:2])
            slowed.append(Throttle(process, share))
            slowed[0].start()

        server = jupyter.Lab(Path(scratch), [str(fresh.ROOT / "binder" / "start"), str(python)], started=slow)
        visit = jupyter.Visit(browser)
        try:
            answered = time.perf_counter() - began
            visit.page.set_default_timeout(300_000)
            visit.open(server.notebook("first.ipynb", CELL))
            visit.page.wait_for_selector(".de-stage canvas")
            canvas = time.perf_counter() - began
            visit.page.wait_for_selector(".de-pill.de-yes")
            drawn = time.perf_counter() - began
        finally:
            slowed[0].end()
            visit.close()
            server.close()
        row = {"share of each core": share, "server answers": answered, "graph drawn": canvas, "verdicts": drawn}
        row = {name: round(value, 2) for name, value in row.items()}
        cpu = sum(slowed[0].cpu.values())
        return {**row, "CPU-seconds": round(cpu, 1), "cores that it got": round(cpu / drawn, 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--env", type=Path)
    parser.add_argument("--shares", type=float, nargs="+", default=[1.0, 0.5, 0.25])
    given = parser.parse_args()
    with environment(given.env) as (python, variables), jupyter.browser() as browser:
        os.environ.update(variables)
        size = fresh.megabytes(python.parents[1])
        about, rows = circumstances(), []
        for share in given.shares:
            rows.append({**start(browser, python, share), "environment MB": size, "load": about["load"]})
            print(rows[-1])
    write("binder_start", rows, about)


if __name__ == "__main__":
    main()
