"""Settings shared by all tests: examples, which tests share a worker, and what is said of tests that did not run."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

# `make test` sets it too; this serves a plain `pytest`.
AIRPORTS = Path(__file__).parents[2] / "shared" / "data" / "airports"
if AIRPORTS.is_dir():
    os.environ.setdefault("DEGNN_DATA", str(AIRPORTS))

# A first call compiles kernels, so the time of one example says nothing; in CI the examples are the same every time.
hypothesis.settings.register_profile("degnn", deadline=None, derandomize=bool(os.environ.get("CI")))
hypothesis.settings.load_profile("degnn")

BROWSER = Path(__file__).parent / "views" / "browser"
UNTESTED = {  # a word in the reason of a skip -> what was not tested, and how to change that
    "Chromium": (
        "the Explorer and the Training Board in a browser",
        "Install your system's chromium package, or run: .venv/bin/playwright install chromium",
    ),
    "need playwright": ("the Explorer and the Training Board in a browser", "Install the test tools: make test."),
    "node on PATH": ("the drawing logic of canvas.js", "Install Node.js 20 or newer."),
    "DEGNN_DATA": ("the graphs of airports", "Let the variable DEGNN_DATA name a folder with a copy of them."),
    "CUDA": ("training on a GPU", "Run the tests on a machine with a CUDA device."),
}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With several workers (make test): browser tests first and in one, notebooks by themselves, else file by file."""
    if not config.pluginmanager.hasplugin("xdist"):
        return
    items.sort(key=lambda item: not item.path.is_relative_to(BROWSER))  # stable: the rest keeps its order
    for item in items:
        if item.path.is_relative_to(BROWSER):
            item.add_marker(pytest.mark.xdist_group("browser"))
        elif item.path.name != "test_notebooks.py":
            item.add_marker(pytest.mark.xdist_group(str(item.path)))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, Any, Any]:
    """The very last lines, below the list of skips, say which part of the product was not tested."""
    result = yield
    reporter = session.config.pluginmanager.getplugin("terminalreporter")
    if reporter is not None and not hasattr(session.config, "workerinput"):
        say_what_was_not_tested(reporter)
    return result


def say_what_was_not_tested(reporter: Any) -> None:
    reasons = [str(report.longrepr) for report in reporter.stats.get("skipped", [])]
    counts = Counter(next((word for word in UNTESTED if word in reason), "") for reason in reasons)
    for word, count in counts.items():
        if word:
            what, remedy = UNTESTED[word]
            reporter.write_line(f"NOT TESTED: {what} ({count} tests). {remedy}", yellow=True, bold=True)
