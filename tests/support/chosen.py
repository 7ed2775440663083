"""A pytest plugin: run only the tests listed in ``chosen.json``, in its order, and write down the first that fails.

See mutation.py.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    names = json.loads(Path("chosen.json").read_text(encoding="utf-8"))
    place = {name: k for k, name in enumerate(names)}
    items[:] = sorted((item for item in items if item.nodeid in place), key=lambda item: place[item.nodeid])


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        Path("failure.txt").write_text(report.nodeid, encoding="utf-8")
