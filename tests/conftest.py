"""Settings shared by all tests: examples, which tests share a worker, and what is said of tests that did not run."""

from __future__ import annotations

import gc
import os
import signal
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from degnn_explore.encodings.custom import REGISTRY

# `make test` sets it too; this serves a plain `pytest`.
DATA = [Path(__file__).parents[2] / "shared" / "data" / name for name in ("airports", "brec")]
if any(folder.is_dir() for folder in DATA):
    os.environ.setdefault("DEGNN_DATA", os.pathsep.join(str(folder) for folder in DATA if folder.is_dir()))

# Some virtual machines announce AMX and do not allow it: bf16 would end the process. Read before torch is loaded.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")

# Three workers, and the kernels and runs they start, share two cores, where torch's threads wait for one another:
# half of the CPU time of learn/test_nets.py, little where fit has one anyway. What depends on their number sets it.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A shell starts what runs in its background with SIGINT ignored, and so would be the programs that tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A first call compiles kernels, so the time of one example says nothing; in CI the examples are the same every time.
hypothesis.settings.register_profile("degnn", deadline=None, derandomize=bool(os.environ.get("CI")))
hypothesis.settings.load_profile("degnn")

UNTESTED = {  # a word in the reason of a skip -> what was not tested, and how to change that
    "Chromium": (
        "the Explorer and the Training Board in a browser",
        "Install your system's chromium package, or run: .venv/bin/playwright install chromium",
    ),
    "need playwright": ("the Explorer and the Training Board in a browser", "Install the test tools: make test."),
    "node on PATH": ("the drawing logic in JavaScript", "Install Node.js 20 or newer."),
    "DEGNN_DATA": ("the graphs of airports, or BREC", "Let the variable DEGNN_DATA name folders with copies of them."),
    "CUDA": ("training on a GPU", "Run the tests on a machine with a CUDA device."),
}


@pytest.fixture(autouse=True)
def _only_the_built_in_encodings() -> Iterator[None]:
    """What a test registers is forgotten after it."""
    REGISTRY.clear()
    yield
    REGISTRY.clear()


@pytest.fixture(scope="session")
def chrome() -> Iterator[Any]:
    """A headless Chromium, one for all tests of a process: playwright refuses to be started twice."""
    from tests.support import lab as jupyter

    pytest.importorskip("playwright", reason="browser tests need playwright: pip install playwright")
    if jupyter.chromium() is None:
        missing = pytest.fail if os.environ.get("CI") else pytest.skip
        missing("no Chromium found: install your system's chromium package, or run: playwright install chromium")
    with jupyter.browser() as opened:
        yield opened


@pytest.fixture
def own_jupyter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For notebooks: a store of its own, where nothing is trained yet, and fewer epochs and seeds on boards."""
    monkeypatch.setenv("DEGNN_FAST", "1")
    for folder in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "DEGNN_RUNS"):
        monkeypatch.setenv(folder, str(tmp_path / folder.lower()))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests and Binder's first: the longest groups, so that no worker is left alone with them at the end.

    In a new checkout a board's test compiles what training needs meanwhile; any other test in the place of Binder's,
    which compiles in a folder of its own, would compile the same at the same time.
    """
    first = ("browser", "tests/test_binder.py")
    items.sort(key=lambda item: not worker_group(item.nodeid).startswith(first))  # stable


def pytest_collection_finish() -> None:
    """Modules and tests stay till the end: looking through them at each ``gc.collect()`` takes most of a second."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With several workers (make test), in the order of collection."""
    from xdist.scheduler import LoadScopeScheduling

    class ByGroup(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return worker_group(nodeid)

    config.option.loadscopereorder = False
    return ByGroup(config, log)


def worker_group(nodeid: str) -> str:
    """Tests of one group share a worker: the board's browser tests, the other ones, a notebook, else a file.

    So the fixtures of a file are made once, and there are two JupyterLab servers at most.
    Not by the mark ``xdist_group``, which pytest-xdist 3.8 does not see under pytest 9.2.
    """
    file = nodeid.partition("::")[0]
    if file.startswith("tests/views/browser/"):
        return "browser: board" if "board" in file else "browser"
    return nodeid if file == "tests/test_notebooks.py" else file


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """In CI the tests of JavaScript must run: a skip for want of Node.js is a failure."""
    report = yield
    if os.environ.get("CI") and report.skipped and "node on PATH" in str(report.longrepr):
        report.outcome, report.longrepr = "failed", "no node on PATH: CI needs Node.js 20 or newer"
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, Any, Any]:
    """The very last lines, below the list of skips, say which part of the product was not tested."""
    result = yield
    reporter = session.config.pluginmanager.getplugin("terminalreporter")
    if reporter is not None and not hasattr(session.config, "workerinput"):
        reasons = [str(report.longrepr) for report in reporter.stats.get("skipped", [])]
        counts = Counter(word for reason in reasons for word in UNTESTED if word in reason)
        for word, count in counts.items():
            what, remedy = UNTESTED[word]
            reporter.write_line(f"NOT TESTED: {what} ({count} tests). {remedy}", yellow=True, bold=True)
    return result
