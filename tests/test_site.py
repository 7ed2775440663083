"""The documentation builds without a warning, has every public name, and its Explorers live without a kernel."""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

import degnn_explore as de
from tests.support.waiting import LONG

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site, without running notebooks. A broken link or docstring is a warning, and fails the build."""
    folder = tmp_path_factory.mktemp("site")
    sphinx = [sys.executable, *"-m sphinx -q -W --keep-going -c docs -d".split()]
    command = [*sphinx, str(folder / "doctrees"), ".", str(folder / "html")]
    environment = os.environ | {"SITE_NOTEBOOKS": "off", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=LONG)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "html"


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in (site / "docs" / "api").glob("*.html"))
    documented = set(re.findall(r'<dt class="sig[^>]*id="degnn_explore\.([\w.]+)"', pages))
    assert {name for name in de.__all__ if name not in ("zoo", "theory")} <= documented
    assert {"graphs.zoo.figure1", "graphs.zoo.rook"} <= documented


def test_guides_and_notebooks_are_there_and_nothing_is_fetched(site: Path) -> None:
    for page in ("README", "docs/install", "docs/architecture", "docs/glossary", "notebooks/00_start_here"):
        assert (site / f"{page}.html").is_file(), page
    for path in site.rglob("*.html"):
        text = html.unescape(path.read_text(encoding="utf-8"))
        fetched = re.findall(r'<(?:script|img|iframe|link rel="stylesheet")[^>]+(?:src|href)="(https?://[^"]+)', text)
        assert fetched == [], path.name


def living() -> InteractiveShell:
    """A shell as in the kernels that run notebooks for the site."""
    shell = InteractiveShell()
    code = (ROOT / "docs" / "living.py").read_text(encoding="utf-8")
    exec(compile(code, "living.py", "exec"), {"get_ipython": lambda: shell})
    return shell


def test_an_explorer_is_a_page_in_a_frame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEGNN_PAGES", str(tmp_path))
    monkeypatch.setenv("DEGNN_ROOT", str(tmp_path))
    (tmp_path / "notebooks").mkdir()
    monkeypatch.chdir(tmp_path / "notebooks")
    shell = living()
    for given in ({"preset": "hexagon"}, {"tour": "hexagon"}):
        explorer = de.Explorer(**given)
        shown, _ = shell.display_formatter.format(explorer)
        address = re.search(r'src="\.\./explorers/(\w+\.html)"', shown["text/html"])
        assert address is not None
        page = explorer.page(tmp_path / "page.html", tour=given.get("tour", "")).read_bytes()
        assert (tmp_path / address[1]).read_bytes() == page
        explorer.close()


def test_a_board_is_shown_after_its_race(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEGNN_RUNS", str(tmp_path))
    shell = living()
    board = de.TrainingBoard("karate", "links", ["common neighbors"], seeds=1, results=tmp_path)
    board.start()
    shown, _ = shell.display_formatter.format(board)
    board.close()
    assert "common neighbors" in shown["text/html"] and "Nothing is trained" not in shown["text/html"]
