"""A real marimo notebook shows the Explorer, and a click picks a target."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

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
    return (explorer,)

@app.cell
def _(explorer):
    import marimo
    marimo.md(f"picked {explorer.value['targets']}")
    return
"""


def test_marimo_shows_the_explorer_and_hears_a_click(tmp_path: Path, chrome: Any) -> None:
    pytest.importorskip("marimo")
    context = chrome.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(1000 * LONG)
    page = context.new_page()
    with marimo_page(tmp_path, NOTEBOOK) as address:
        page.goto(address)
        panel = Panel(page)
        panel.headline("A plain GNN cannot tell v2 from v3")
        panel.click(5)
        panel.targets([5, 11])
        panel.headline("v5")
        panel.until(lambda: page.get_by_text("picked [[5], [3]]").count() > 0, True)  # a dependent cell ran again
    context.close()
