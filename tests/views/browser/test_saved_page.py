"""Saved files in a real browser, opened offline: a page shows a tour, hears clicks and says what it lacks; a report.

That a page says what the live panel says is tested state by state in tests/views/js/test_saved_page.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import degnn_explore as de
from tests.support.explorers import Panel
from tests.support.waiting import LONG

Opener = Callable[[Path], Any]


@pytest.fixture
def offline(chrome: Any) -> Iterator[Opener]:
    """Opens files without a network; none may complain on the console."""
    context, complaints = chrome.new_context(offline=True), list[str]()
    context.set_default_timeout(1000 * LONG)

    def start(file: Path) -> Any:
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(file.as_uri())
        return page

    yield start
    context.close()
    assert complaints == []


def test_a_page_opens_offline_shows_its_tour_and_hears_clicks(offline: Opener, tmp_path: Path) -> None:
    file = de.Explorer(preset="hexagon").page(tmp_path / "hexagon.html", tour="hexagon")
    assert file.stat().st_size < 5_000_000
    panel = Panel(offline(file))
    lesson = panel.box.locator(".de-lesson-text")
    assert lesson.inner_text().startswith("1 of ")
    assert not panel.box.locator(".de-pills").is_visible()  # they would answer what the tour is about to ask
    for step in range(2, 6):
        panel.press("Next")
        panel.until(lambda step=step: lesson.inner_text().startswith(f"{step} of "), True)
    panel.press("Finish")
    panel.headline("after 2 layers")
    panel.click(1)
    panel.targets([1, 6])
    panel.layer(0)
    panel.shows(["target: 1 | 1", "distance 1: 2 | 2", "distance 2: 0 | 2", "distance 3: 0 | 1", "unreachable: 3 | 0"])
    panel.verdict("DE-SPD", "2")
    panel.toggle("plain GNN")
    panel.shows(["all nodes: 6 | 6"])


def test_what_is_not_recorded_is_disabled_and_says_so(offline: Opener, tmp_path: Path) -> None:
    page = offline(de.Explorer((de.zoo.cycle(61), [0])).page(tmp_path / "ring.html"))
    panel = Panel(page)
    panel.press("More")
    assert panel.box.locator(".de-bar select").is_disabled()
    assert page.get_by_text("Recorded here: single targets;").count()
    assert panel.box.locator(".de-row select[aria-label=Targets] option").all_inner_texts() == ["1 node"]
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 390, "height": 800})  # a phone stacks the cards
    left, right = (panel.box.locator(css).bounding_box() for css in (".de-left", ".de-right"))
    assert right["y"] >= left["y"] + left["height"] and left["width"] > 350
    assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")


def test_a_report_is_read_offline(offline: Opener, tmp_path: Path) -> None:
    board = de.TrainingBoard("karate", "links", ["Katz"], seeds=1, results=tmp_path / "runs")
    board.start()
    board.wait(LONG)
    page = offline(board.report(tmp_path / "race.html"))
    board.close()
    assert page.locator("h2").all_inner_texts()[:2] == ["Curves: test AUC", "Comparison"]
    assert page.locator("img").evaluate("el => el.naturalWidth") == 820
