"""A JupyterLab server for all browser tests; every page is checked when it closes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import lab as jupyter


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(item.fspath).parent == Path(__file__).parent:
            item.add_marker(pytest.mark.browser)


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
    lost = [one.page.url for one in opened if one.page.get_by_text("Error displaying widget").count()]
    for one in opened:
        one.close()
    lab.shut_down_kernels()
    assert [found for one in opened for found in (*one.abroad, *one.complaints)] == []
    assert lost == []  # whatever ipywidgets gives up is drawn all the same


def serious(page: Any, selector: str) -> list[tuple[str, str]]:
    """What axe-core finds."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, selector).response["violations"]
    return [(it["id"], it["nodes"][0]["html"]) for it in found if it["impact"] in ("serious", "critical")]
