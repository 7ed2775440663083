"""What is left of an Explorer when its kernel is gone, and pages that never had one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import degnn_explore as de
from tools.waiting import LONG, until

RESTART = "() => [...window.jupyterapp.shell.widgets('main')][0].sessionContext.session.kernel.restart()"
SAID = "el => getComputedStyle(el, '::before').content"


def test_after_a_restart_one_sentence_says_what_to_do(lab: Any, visit: Any) -> None:
    one = visit(lab.notebook("restart.ipynb", "import degnn_explore as de\nde.Explorer(preset='hexagon')"))
    one.page.wait_for_selector(".de-explorer canvas")
    one.page.evaluate(RESTART)
    panel = one.page.locator(".de-explorer.jupyter-widgets-disconnected")
    panel.wait_for()
    assert "run this cell again" in panel.evaluate(SAID)
    inside = panel.locator(".jupyter-widgets-disconnected")
    assert inside.count() > 5
    assert set(inside.evaluate_all("all => all.map(el => getComputedStyle(el, '::before').content)")) == {"none"}


class Lesson:
    """A page opened from its file, in a browser that is offline; nothing may be asked for, nothing complain."""

    def __init__(self, chrome: Any, file: Path, **options: Any) -> None:
        size = {"width": options.get("width", 1280), "height": options.get("height", 800)}
        self.context = chrome.new_context(viewport=size, offline=True, color_scheme=options.get("theme", "light"))
        self.context.set_default_timeout(1000 * LONG)
        self.page = self.context.new_page()
        self.trouble: list[str] = []
        self.page.on("request", lambda r: None if r.url == file.as_uri() else self.trouble.append(r.url))
        self.page.on("console", lambda m: self.trouble.append(m.text) if m.type == "error" else None)
        self.page.on("pageerror", lambda e: self.trouble.append(str(e)))
        self.page.goto(file.as_uri())
        self.page.wait_for_selector(".de-strip")
        self.until("document.querySelector('.de-canvas')?.whereIs(0)[0] > 0", True)

    def click(self, node: int) -> None:
        x, y = self.page.locator(".de-canvas").evaluate("(el, i) => el.whereIs(i)", node)
        box = self.page.locator(".de-canvas canvas").bounding_box()
        self.page.mouse.click(box["x"] + x, box["y"] + y)

    def set(self, field: str, value: str) -> None:
        control = self.page.locator(f'[data-field="{field}"]').locator("select, input")
        control.evaluate(
            "(el, v) => { el.value = v; el.dispatchEvent(new Event(el.type === 'range' ? 'input' : 'change')); }", value
        )

    def until(self, script: str, wanted: Any) -> None:
        """Waits until a value on the page is this; asked anew each time, for its policy forbids to wait in it."""
        until(
            lambda: self.page.evaluate(f"() => {script}") == wanted,
            pause=lambda: self.page.wait_for_timeout(50),
            told=lambda: f"wanted {wanted!r}, got {self.page.evaluate(f'() => {script}')!r}",
        )

    def targets(self, wanted: list[list[int]]) -> None:
        self.until("JSON.parse(document.getElementById('de-page').dataset.targets)", wanted)

    def pills(self, wanted: list[str]) -> None:
        self.until("[...document.querySelectorAll('.de-pill')].map(p => p.textContent)", wanted)

    def close(self) -> None:
        self.context.close()
        assert self.trouble == []


def test_a_page_lives_without_kernel_and_network(chrome: Any, tmp_path: Path) -> None:
    file = de.Explorer(preset="fig1").page(tmp_path / "lesson.html")
    lesson = Lesson(chrome, file)
    lesson.targets([[2], [3]])
    lesson.pills(["1-WL no", "DE-1 SPD yes, 2 layers", "DE-1 LP yes, at once", "DEA-1, K=2 yes, 2", "2-WL yes, 2"])
    lesson.set("layer", "6")
    levels = "JSON.parse(document.querySelector('.de-subtree').dataset.levels)"
    lesson.until(levels, [2, 4, 7, 9, 10, 5, 3])
    lesson.click(8 + 6)  # of B
    lesson.targets([[2], [6]])
    lesson.click(7)  # another target of A: 2 and 7 are alike, as are 3 and 6
    lesson.targets([[7], [6]])
    lesson.until(levels, [2, 4, 7, 9, 10, 5, 3])
    lesson.click(3)
    lesson.targets([[3], [6]])
    lesson.pills(["1-WL no", "DE-1 SPD no", "DE-1 LP no", "DEA-1, K=2 no", "2-WL no"])
    lesson.set("colour_by", json.dumps("DE-SPD"))
    legend = "[...document.querySelectorAll('.de-canvas .de-legend-item')].map(el => el.textContent)"
    lesson.until(legend, ["aclass a2 | 2", "bclass b2 | 2", "cclass c2 | 2", "dclass d1 | 1", "eclass e1 | 1"])
    lesson.set("size", "2")
    for node in (4, 8 + 7):
        lesson.click(node)
    lesson.targets([[3, 4], [6, 7]])
    lesson.close()


def test_a_tour_travels_with_its_examples(chrome: Any, tmp_path: Path) -> None:
    lesson = Lesson(chrome, de.Explorer(preset="hexagon").page(tmp_path / "tour.html", tour="fig4"), width=1024)
    said = "document.querySelector('.de-lesson .de-hint').textContent"
    lesson.until(said, "1 of 4")
    lesson.targets([[0], [0]])
    for _ in range(3):
        lesson.page.get_by_role("button", name="Next").click()
    lesson.until(said, "4 of 4")
    lesson.targets([[0, 1], [0, 1]])  # another example: an edge of each graph
    lesson.until("document.querySelector('h1').textContent", "Fig. 2(b): Shrikhande or rook, an edge each")
    lesson.until("document.querySelector('.de-look').querySelector('.de-strip') !== null", True)
    lesson.page.get_by_role("button", name="◀ Back").click()
    lesson.until(said, "3 of 4")
    lesson.page.get_by_role("button", name="Leave").click()
    lesson.until("document.querySelectorAll('.de-lesson, .de-look').length", 0)
    assert lesson.page.evaluate("document.documentElement.scrollWidth") == 1024
    lesson.close()


def test_names_are_text_on_a_page(chrome: Any, tmp_path: Path) -> None:
    evil = "</script></div><img src=x onerror=document.title='HACKED'>"
    G = de.Graph.from_edges([(evil, "b"), ("b", "c")], title=evil)
    lesson = Lesson(chrome, de.Explorer((G, [evil]), (G, ["b"])).page(tmp_path / "evil.html"), theme="dark")
    lesson.click(2)
    lesson.targets([[2], [1]])
    lesson.page.locator(".de-find").fill("img")
    lesson.page.locator(".de-matches li").first.wait_for()
    assert lesson.page.locator("img").count() == 0
    assert lesson.page.title() == evil
    lesson.close()


def test_a_report_is_read_offline(chrome: Any, tmp_path: Path) -> None:
    board = de.TrainingBoard("karate", "links", ["GCN"], seeds=1, epochs=2, results=tmp_path / "karate.jsonl")
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
