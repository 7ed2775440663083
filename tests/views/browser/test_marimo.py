"""A real marimo notebook shows both panels, and they answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.boards import Board
from tests.support.explorers import Panel
from tests.support.marimo_server import marimo_page
from tests.support.waiting import LONG

NOTEBOOK = """
import marimo
app = marimo.App()

@app.cell
def _():
    import marimo as mo
    import degnn_explore as de
    explorer = mo.ui.anywidget(de.Explorer(preset="fig1"))
    explorer
    return de, explorer, mo

@app.cell
def _(explorer):
    import marimo
    marimo.md(f"picked {explorer.value['targets']}")
    return

@app.cell
def _(de, mo):
    board = mo.ui.anywidget(de.TrainingBoard("karate", "links", ["GCN", "DE-GNN-SPD"], seeds=1, epochs=4))
    board
    return
"""


def test_marimo_shows_an_explorer_that_hears_clicks_and_a_board_that_races_asks_and_explains(
    tmp_path: Path, chrome: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("marimo")
    monkeypatch.setenv("DEGNN_RUNS", str(tmp_path / "runs"))
    context = chrome.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(1000 * LONG)
    page = context.new_page()
    with marimo_page(tmp_path, NOTEBOOK) as address:
        page.goto(address)
        panel, board = Panel(page), Board(page)
        panel.headline("A plain GNN cannot tell v2 from v3")
        panel.click(5)
        panel.targets([5, 11])
        panel.headline("v5")
        panel.until(lambda: page.get_by_text("picked [[5], [3]]").count() > 0, True)  # a dependent cell ran again
        board.means("race")
        board.go.click()
        board.means("done")
        board.until(lambda: set(board.results()) == {"GCN", "DE-GNN-SPD"})
        board.box.locator(".de-listed .de-link", has_text="Why?").first.click()
        board.until(lambda: set(board.answers()) == {"GCN", "DE-GNN-SPD"})
        board.says("Why does ")
        before = board.box.locator(".de-answer").inner_text()
        Panel(page, 1).click(9)  # in the Explorer inside: another pair is asked about
        board.until(lambda: board.box.locator(".de-answer").inner_text() != before)
        assert board.box.get_by_role("alert").filter(visible=True).count() == 0
    context.close()
