"""A JupyterLab server and a Chromium for all browser tests; every page is checked when it closes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tools import lab as jupyter


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(item.fspath).parent == Path(__file__).parent:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chrome() -> Iterator[Any]:
    pytest.importorskip("playwright", reason="browser tests need playwright: pip install playwright")
    if jupyter.chromium() is None:
        missing = pytest.fail if os.environ.get("CI") else pytest.skip
        missing("no Chromium found: install your system's chromium package, or run: playwright install chromium")
    with jupyter.browser() as opened:
        yield opened


@pytest.fixture(scope="session")
def lab(chrome: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[jupyter.Lab]:
    server = jupyter.Lab(tmp_path_factory.mktemp("lab"))
    yield server
    left = server.kernels()
    server.close()
    assert left == []


@pytest.fixture
def visit(chrome: Any, lab: jupyter.Lab) -> Iterator[Callable[..., jupyter.Visit]]:
    """Opens pages; afterwards none may have left the machine or complained on the console, and their kernels end."""
    opened: list[jupyter.Visit] = []

    def start(url: str, **options: Any) -> jupyter.Visit:
        one = jupyter.Visit(chrome, **options)
        opened.append(one)
        one.open(url)
        return one

    yield start
    for one in opened:
        one.close()
    lab.shut_down_kernels()
    assert [address for one in opened for address in one.abroad] == []
    assert [line for one in opened for line in one.complaints] == []
