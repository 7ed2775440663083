"""Do the tests notice a fault? Puts each small fault of tests/mutants.toml into a copy of the code and runs its tests.

    make mutants                                      # all of them, two at a time; some minutes for each ten
    make mutants MUTANTS="--room graphs learn"        # of these rooms
    make mutants MUTANTS="--what seed --jobs 1"       # those whose description or file holds this word

An entry says which ``text``, found exactly once in ``module``, becomes which ``replacement``; which ``tests`` should
notice; and ``what`` is then wrong. Nothing is written to the working tree; exit code 0: every fault was noticed.
"""

from __future__ import annotations

import argparse
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "tests" / "mutants.toml"
LIMIT = 900  # seconds; a fault that makes the tests hang is noticed, too
SKIPPED = shutil.ignore_patterns(".git", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis", "runs")
NOTICED, UNNOTICED, STALE = "noticed", "NOT NOTICED", "NO LONGER APPLIES"


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

    def trouble(self, root: Path = ROOT) -> str:
        """Why it cannot be put in; "" if it can."""
        if not (root / self.module).is_file():
            return "no such file"
        count = (root / self.module).read_text().count(self.text)
        missing = [path for path in self.tests.split() if not (root / path.partition("::")[0]).exists()]
        return f"text found {count} times, expected once" if count != 1 else f"no {missing[0]}" if missing else ""


def read(file: Path = FILE) -> list[Mutant]:
    """The faults of a file, each with the five keys of a :class:`Mutant`."""
    names = {field.name for field in fields(Mutant)}
    entries = tomllib.loads(file.read_text()).get("mutant", [])
    for number, entry in enumerate(entries, start=1):
        if set(entry) != names:
            raise SystemExit(f"{file.name}, entry {number}: keys are {sorted(entry)}, expected {sorted(names)}.")
    return [Mutant(**entry) for entry in entries]


def run_tests(tree: Path, tests: str, compiled: bool) -> int:
    """The exit code of pytest in a copy of the tree; -1 if it did not end in time."""
    with tempfile.TemporaryDirectory(prefix="mutants-numba-") as fresh:
        # a cached kernel does not know that a kernel which it calls has changed
        cache = {"NUMBA_CACHE_DIR": fresh} if compiled else {}
        environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", "CI": "true", **cache}
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests.split()]
        with subprocess.Popen(
            command, cwd=tree, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT, text=True
        ) as process:
            try:
                return process.wait(LIMIT)
            except subprocess.TimeoutExpired:
                process.kill()
                return -1


def judge(mutant: Mutant, tree: Path) -> str:
    """Puts the fault into a copy of the tree, runs its tests there, and takes it out again."""
    if why := mutant.trouble(tree):
        return f"{STALE}: {why}"
    path = tree / mutant.module
    sound, dates = path.read_bytes(), path.stat()
    path.write_text(path.read_text().replace(mutant.text, mutant.replacement))
    try:
        code = run_tests(tree, mutant.tests, compiled=path.name.startswith("_") and path.name != "__init__.py")
    finally:
        path.write_bytes(sound)
        os.utime(path, ns=(dates.st_atime_ns, dates.st_mtime_ns))  # its old date, so that caches hold
    return {0: UNNOTICED, 4: f"{STALE}: pytest refused {mutant.tests!r}", 5: f"{STALE}: no tests"}.get(code, NOTICED)


def report(verdicts: dict[Mutant, str]) -> int:
    """Prints what was not noticed and the totals by room; the exit code."""
    bad = {mutant: verdict for mutant, verdict in verdicts.items() if verdict != NOTICED}
    for mutant, verdict in bad.items():
        print(f"\n{verdict}: {mutant.what}\n  {mutant.module}: {mutant.text!r} -> {mutant.replacement!r}")
        print(f"  tests: {mutant.tests}")
    rooms = Counter(mutant.room for mutant in verdicts)
    noticed = Counter(mutant.room for mutant, verdict in verdicts.items() if verdict == NOTICED)
    print(f"\n{'room':16} noticed")
    for room, count in sorted(rooms.items()):
        print(f"{room:16} {noticed[room]:3} of {count}")
    total = sum(noticed.values())
    print(f"{'together':16} {total:3} of {len(verdicts)}, {total / max(len(verdicts), 1):.0%}")
    return 1 if bad else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", type=Path, default=FILE, help="the list of faults")
    parser.add_argument("--room", nargs="+", default=(), help="of these rooms only, such as graphs or views/board")
    parser.add_argument("--what", default="", help="only where the description or the module holds this")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    parser.add_argument("--trust", action="store_true", help="do not run the tests without a fault first")
    options = parser.parse_args()
    chosen = [
        mutant
        for mutant in read(options.file)
        if (not options.room or mutant.room in options.room) and options.what in f"{mutant.what} {mutant.module}"
    ]
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        trees: queue.Queue[Path] = queue.Queue()
        for number in range(options.jobs):
            trees.put(Path(shutil.copytree(ROOT, Path(folder, str(number)), ignore=SKIPPED)))

        def in_a_copy(mutant: Mutant | str) -> str:
            tree, start = trees.get(), time.perf_counter()
            try:
                if isinstance(mutant, str):  # tests alone: what fails without a fault says nothing about one
                    return "" if run_tests(tree, mutant, compiled=False) == 0 else f"{mutant} fails without any fault"
                verdict = judge(mutant, tree)
                print(f"{verdict:11} {time.perf_counter() - start:5.0f} s  {mutant.room}: {mutant.what}", flush=True)
                return verdict
            finally:
                trees.put(tree)

        with ThreadPoolExecutor(options.jobs) as pool:
            tests = sorted({mutant.tests for mutant in chosen if not mutant.trouble()})
            if not options.trust and any(failing := [said for said in pool.map(in_a_copy, tests) if said]):
                print("\n".join(failing))
                return 2
            verdicts = dict(zip(chosen, pool.map(in_a_copy, chosen), strict=True))
    return report(verdicts)


if __name__ == "__main__":
    sys.exit(main())
