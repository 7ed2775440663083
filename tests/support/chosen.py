"""A pytest plugin: run only the tests listed in ``chosen.json``, in its order, and write down the first that fails.

Compiled loops that run as plain Python take long on large graphs: there a test that takes too much CPU time is left
and written down. See mutation.py.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

PLAIN_SECONDS = 15  # of CPU time for a test


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    names = json.loads(Path("chosen.json").read_text(encoding="utf-8"))
    place = {name: k for k, name in enumerate(names)}
    items[:] = sorted((item for item in items if item.nodeid in place), key=lambda item: place[item.nodeid])


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        Path("failure.txt").write_text(report.nodeid, encoding="utf-8")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    if not os.environ.get("NUMBA_DISABLE_JIT"):
        return (yield)

    def leave(*_: Any) -> None:
        with Path("left.txt").open("a", encoding="utf-8") as out:
            out.write(f"{item.nodeid}\n")
        pytest.skip("takes long as plain Python")

    signal.signal(signal.SIGPROF, leave)
    signal.setitimer(signal.ITIMER_PROF, PLAIN_SECONDS)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
