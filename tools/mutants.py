"""Do the tests notice a fault? Puts each small fault of tests/mutants.toml into a copy of the code and runs its tests.

    make mutants                                      # all of them, two at a time; some minutes for each fifty
    make mutants MUTANTS="--room graphs learn"        # of these rooms
    make mutants MUTANTS="--what seed --jobs 1"       # those whose description or file holds this word
    make mutants MUTANTS="--since v0.1.0"             # those that the list did not have then
    make mutants MUTANTS="--after said.txt"           # goes on: those that this earlier output does not call noticed

An entry says which ``text``, found exactly once in ``module``, becomes which ``replacement``; which ``tests`` should
notice; and ``what`` is then wrong. Nothing is written to the working tree; exit code 0: every fault was noticed.

Each is tried in a process forked from one that has loaded what takes long (torch, numba, …), never anything of ours.
Before that the tests of each run once in the same way without a fault: they must pass, or would seem to notice.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "tests" / "mutants.toml"
LIMIT = 600  # seconds; a fault that makes the tests hang is noticed, too, but named at the end
SKIPPED = shutil.ignore_patterns(".git", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis", "runs")
NOTICED, HUNG, UNNOTICED, STALE = "noticed", "noticed, by the time it took", "NOT NOTICED", "NO LONGER APPLIES"
WARM = ["pytest", "hypothesis", "numba", "numba.typed", "networkx", "pandas", "scipy.sparse.csgraph", "scipy.stats"]
WARM += [
    "sklearn.metrics",
    "torch",
    "torch_geometric",
    "ipywidgets",
    "anywidget",
    "IPython.display",
    "plotly.graph_objects",
]


@dataclass(frozen=True)
class Mutant:
    """One fault."""

    module: str
    text: str
    replacement: str
    tests: str
    what: str

    @property
    def room(self) -> str:
        """``graphs``, ``views/board``, …; ``top`` for a module in no room."""
        parts = Path(self.module).parts[1:-1]
        return "/".join(parts[: 2 if parts[:1] == ("views",) else 1]) or "top"

    def __str__(self) -> str:
        return f"{self.room}: {self.what}"

    def trouble(self, root: Path = ROOT) -> str:
        """Why it cannot be put in; "" if it can."""
        if not (root / self.module).is_file():
            return "no such file"
        count = (root / self.module).read_text().count(self.text)
        missing = [path for path in self.tests.split() if not (root / path.partition("::")[0]).exists()]
        return f"text found {count} times, expected once" if count != 1 else f"no {missing[0]}" if missing else ""


def read(source: str = "") -> list[Mutant]:
    """The faults of a list, each with the five keys of a :class:`Mutant`."""
    names = {field.name for field in fields(Mutant)}
    entries = tomllib.loads(source or FILE.read_text()).get("mutant", [])
    for number, entry in enumerate(entries, start=1):
        if set(entry) != names:
            raise SystemExit(f"entry {number}: keys are {sorted(entry)}, expected {sorted(names)}.")
    return [Mutant(**entry) for entry in entries]


def settings(tree: Path) -> dict[str, str]:
    """What the environment says to tests in a copy of the tree."""
    return {"PYTHONPATH": str(tree), "CI": "true", "ONEDNN_MAX_CPU_ISA": "AVX512_CORE_BF16"}  # tests/conftest.py: why


def _work(tree: str, tests: str) -> None:
    """In a process of its own: pytest in a copy of the tree; the exit code is pytest's."""
    os.setsid()  # a group, to be ended with all that the tests have started
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    own = tempfile.mkdtemp(dir=Path(tree).parent)  # for what tests write: pytest's usual place is shared by all
    os.environ |= {**settings(Path(tree)), "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DEBUG_TEMPROOT": own}
    sys.dont_write_bytecode = True  # what a fault compiles to is nobody else's
    sys.path[:] = [tree, *(path for path in sys.path if not Path(path or ".").resolve().is_relative_to(ROOT / "tools"))]
    os.chdir(tree)
    import pytest

    os._exit(pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *tests.split()]))


def run_tests(tree: Path, tests: str) -> int:
    """The exit code of pytest in a copy of the tree; -1 if it did not end in time."""
    process = multiprocessing.get_context("forkserver").Process(target=_work, args=(str(tree), tests))
    process.start()
    process.join(LIMIT)
    code = -1 if process.exitcode is None else process.exitcode
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid or 0, signal.SIGKILL)
    process.join()
    return code


def compiled_from(tree: Path, module: Path) -> list[Path]:
    """What numba has cached of a compiled module, and of those that call into it and would not hear of its change."""
    sources = {path: path.read_text() for path in (tree / "degnn_explore").rglob("_[!_]*.py")}
    stems, before = {module.stem}, 0
    while before < len(stems):
        before = len(stems)
        word = re.compile(rf"\b({'|'.join(stems)})\b")
        stems |= {path.stem for path, source in sources.items() if word.search(source)}
    return [path for path in (tree / "degnn_explore").rglob("__pycache__/*.nb?") if path.name.split(".")[0] in stems]


def judge(mutant: Mutant, tree: Path) -> str:
    """Puts the fault into a copy of the tree, runs its tests there, and takes it out again."""
    if why := mutant.trouble(tree):
        return f"{STALE}: {why}"
    path = tree / mutant.module
    right, dates = path.read_bytes(), path.stat()
    compiled = path.suffix == ".py" and path.name.startswith("_") and path.name != "__init__.py"
    with tempfile.TemporaryDirectory(prefix="mutants-numba-") as aside:
        put = {cache: Path(aside, str(i)) for i, cache in enumerate(compiled_from(tree, path) if compiled else ())}
        for cache, place in put.items():
            shutil.move(cache, place)
        path.write_text(path.read_text().replace(mutant.text, mutant.replacement))
        try:
            code = run_tests(tree, mutant.tests)
        finally:
            path.write_bytes(right)
            os.utime(path, ns=(dates.st_atime_ns, dates.st_mtime_ns))  # its old date, so that caches hold
            for cache in compiled_from(tree, path) if compiled else ():
                cache.unlink()
            for cache, place in put.items():
                shutil.move(place, cache)
    refused, nothing = f"{STALE}: pytest refused {mutant.tests!r}", f"{STALE}: no tests"
    return {-1: HUNG, 0: UNNOTICED, 4: refused, 5: nothing}.get(code, NOTICED)


def report(verdicts: dict[Mutant, str]) -> int:
    """Prints what was not noticed and the totals by room; the exit code."""
    bad = {mutant: verdict for mutant, verdict in verdicts.items() if verdict != NOTICED}
    for mutant, verdict in bad.items():
        print(f"\n{verdict}: {mutant.what}\n  {mutant.module}: {mutant.text!r} -> {mutant.replacement!r}")
        print(f"  tests: {mutant.tests}")
    rooms = Counter(mutant.room for mutant in verdicts)
    noticed = Counter(mutant.room for mutant, verdict in verdicts.items() if verdict in (NOTICED, HUNG))
    print(f"\n{'room':16} noticed")
    for room, count in sorted(rooms.items()):
        print(f"{room:16} {noticed[room]:3} of {count}")
    total = sum(noticed.values())
    print(f"{'together':16} {total:3} of {len(verdicts)}, {total / max(len(verdicts), 1):.0%}")
    return 1 if {*bad.values()} - {HUNG} else 0


def try_all(chosen: list[Mutant], folder: Path, jobs: int, trust: bool) -> dict[Mutant, str]:
    """The verdict of each, told as it comes."""
    trees: queue.Queue[Path] = queue.Queue()
    for number in range(jobs):
        trees.put(Path(shutil.copytree(ROOT, folder / str(number), ignore=SKIPPED)))

    def in_a_copy(work: Callable[[Path], Any]) -> Any:
        tree = trees.get()
        try:
            return work(tree)
        finally:
            trees.put(tree)

    def without(tests: str) -> bool:
        """Whether they pass without any fault, each list by itself: what fails anyway notices nothing."""
        passed = in_a_copy(lambda tree: run_tests(tree, tests)) == 0
        if not passed:
            print(f"FAIL ANYWAY    pytest {tests}", flush=True)
        return passed

    def verdict(mutant: Mutant) -> str:
        start = time.perf_counter()
        said = in_a_copy(lambda tree: judge(mutant, tree)) if mutant.tests in sound else f"{STALE}: tests fail anyway"
        print(f"{said:11} {time.perf_counter() - start:5.0f} s  {mutant}", flush=True)
        return said

    os.environ |= settings(ROOT)  # read when torch is loaded
    multiprocessing.get_context("forkserver").set_forkserver_preload(WARM)
    with ThreadPoolExecutor(jobs) as pool:
        tests = sorted({mutant.tests for mutant in chosen})
        if not trust:
            print(f"First the tests without a fault, lists of them: {len(tests)}.", flush=True)
        passing = [True] * len(tests) if trust else pool.map(without, tests)
        sound = {each for each, passes in zip(tests, passing, strict=True) if passes}
        return dict(zip(chosen, pool.map(verdict, chosen), strict=True))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", type=Path, default=FILE, help="the list of faults")
    parser.add_argument("--room", nargs="+", default=(), help="of these rooms only, such as graphs or views/board")
    parser.add_argument("--what", default="", help="only where the description or the module holds this")
    parser.add_argument("--since", default="", help="only those that the list did not have at this commit")
    parser.add_argument("--after", type=Path, help="the output of an earlier run: what it calls noticed is left out")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    parser.add_argument("--trust", action="store_true", help="do not run the tests without a fault first")
    options = parser.parse_args()
    old: set[Mutant] = set()
    if options.since:
        show = ["git", "show", f"{options.since}:{FILE.relative_to(ROOT)}"]
        old = set(read(subprocess.run(show, cwd=ROOT, capture_output=True, text=True, check=True).stdout))
    said = options.after.read_text().splitlines() if options.after else []
    done = {line.partition(" s  ")[2] for line in said if line.startswith(NOTICED)}
    chosen = [
        mutant
        for mutant in read(options.file.read_text())
        if (not options.room or mutant.room in options.room)
        and options.what in f"{mutant.what} {mutant.module}"
        and mutant not in old
        and str(mutant) not in done
    ]
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        verdicts = try_all(chosen, Path(folder), options.jobs, options.trust)
    return report(verdicts)


if __name__ == "__main__":
    sys.exit(main())
