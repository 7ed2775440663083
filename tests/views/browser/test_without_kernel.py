"""What is left of an Explorer when its kernel is gone, and a report that never had one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import degnn_explore as de
from tests.support.waiting import LONG

RESTART = "() => [...window.jupyterapp.shell.widgets('main')][0].sessionContext.session.kernel.restart()"
SAID = "el => getComputedStyle(el, '::before').content"


def test_after_a_restart_one_sentence_says_what_to_do(lab: Any, visit: Any) -> None:
    one = visit(lab.notebook("restart.ipynb", "import degnn_explore as de\nde.Explorer(preset='hexagon')"))
    one.page.wait_for_selector(".de-explorer canvas")
    one.page.evaluate(RESTART)
    panel = one.page.locator(".de-explorer.de-gone")
    panel.wait_for()
    assert "Re-run this cell" in panel.evaluate(SAID)


def test_a_report_is_read_offline(chrome: Any, tmp_path: Path) -> None:
    board = de.TrainingBoard("karate", "links", ["Katz"], seeds=1, results=tmp_path / "runs")
    board.start()
    board.wait(LONG)
    file = board.report(tmp_path / "race.html")
    board.close()
    context = chrome.new_context(offline=True)
    context.set_default_timeout(1000 * LONG)
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.locator("h2").all_inner_texts()[:2] == ["Curves: test AUC", "Comparison"]
    assert page.locator("img").evaluate("el => el.naturalWidth") == 820
    context.close()
