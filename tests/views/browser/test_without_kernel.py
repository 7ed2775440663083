"""What is left of an Explorer when its kernel is gone, and pages that never had one."""

from __future__ import annotations

from typing import Any

RESTART = "() => [...window.jupyterapp.shell.widgets('main')][0].sessionContext.session.kernel.restart()"
SAID = "el => getComputedStyle(el, '::before').content"


def test_after_a_restart_one_sentence_says_what_to_do(lab: Any, visit: Any) -> None:
    one = visit(lab.notebook("restart.ipynb", "import degnn_explore as de\nde.Explorer(preset='hexagon')"))
    one.page.wait_for_selector(".de-explorer canvas", timeout=120_000)
    one.page.evaluate(RESTART)
    panel = one.page.locator(".de-explorer.jupyter-widgets-disconnected")
    panel.wait_for(timeout=120_000)
    assert "run this cell again" in panel.evaluate(SAID)
    inside = panel.locator(".jupyter-widgets-disconnected")
    assert inside.count() > 5
    assert set(inside.evaluate_all("all => all.map(el => getComputedStyle(el, '::before').content)")) == {"none"}
