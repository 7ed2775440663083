"""A Training Board on a page, as a reader works it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tools.waiting import LONG, until

PAIR = "['GCN', 'DE-GNN-SPD']"

# A click, and the time until the text that a selector finds is another one that holds the given words.
CLICK = """([what, where, words]) => new Promise((done, fail) => {
    const text = () => document.querySelector(where)?.textContent ?? '';
    const before = text(), started = performance.now();
    const look = new MutationObserver(() => {
        if (text() !== before && text().includes(words)) { look.disconnect(); done(performance.now() - started); } });
    look.observe(document.querySelector('.de-board'), { childList: true, subtree: true, characterData: true });
    setTimeout(() => { look.disconnect(); fail(new Error('nothing changed: ' + text())); }, 300000);
    what.click();
})"""


class Board:
    """One board on a page."""

    def __init__(self, page: Any, place: int = 0) -> None:
        self.page = page
        self.box = page.locator(".de-board").nth(place)
        self.box.locator(".de-chart .main-svg").first.wait_for()
        self.go = self.box.locator(".de-go")

    def until(self, true: Callable[[], Any], seconds: float = LONG) -> None:
        until(
            true,
            seconds,
            pause=lambda: self.page.wait_for_timeout(50),
            told=lambda: f"the board says:\n{self.box.inner_text()}",
        )

    def says(self, text: str, seconds: float = LONG) -> None:
        self.until(lambda: text in self.box.inner_text(), seconds)

    def button(self, text: str) -> Any:
        return self.box.get_by_role("button", name=text, exact=True)

    def waits_for_button(self, text: str, seconds: float = 900) -> None:
        self.until(lambda: text in self.go.inner_text(), seconds)

    def progress(self, model: str) -> float:
        return float(self.box.locator(f'.de-bar[aria-label="{model}"]').get_attribute("aria-valuenow"))

    def points(self) -> int:
        """Epochs drawn: the commands in the paths of the lines."""
        paths = self.box.locator(".de-chart").first.locator(".scatterlayer path.js-line").all()
        return sum(len(re.findall("[ML,]", path.get_attribute("d") or "")) for path in paths)

    def milliseconds(self, click: Any, where: str, words: str = "") -> float:
        """From a click until the text at ``where`` is another one, with these words in it."""
        return float(self.page.evaluate(CLICK, [click.element_handle(), where, words]))

    def pick_missing(self, row: int) -> float | None:
        """Asks about a pair of "Which links are missing?", see :meth:`milliseconds`; None if it is asked about now."""
        link = self.box.locator(".de-missing .de-link").nth(row)
        one, other = link.locator("xpath=ancestor::tr").locator("td").first.inner_text().split(" — ")
        said = self.box.inner_text()
        now = any(f"{pair}: score for" in said for pair in (f"{one} — {other}", f"{other} — {one}"))
        return None if now else self.milliseconds(link, ".de-answers")

    def said(self) -> str:
        """The chart in words, as a screen reader has it."""
        return str(self.box.locator(".de-chart + .de-said").first.text_content())

    def table(self) -> dict[str, list[str]]:
        card = self.box.locator(".de-card", has=self.page.locator(".de-head", has_text="Compare"))
        # in one step: a table that is being replaced is not read in parts
        cells = card.locator(".de-sheet tbody tr").evaluate_all(
            "rows => rows.map((row) => [...row.cells].map((cell) => cell.innerText.trim()))"
        )
        return {one[0]: one[1:] for one in cells}


def fresh(lab: Any, visit: Any, name: str, *cells: str, **options: Any) -> Board:
    """A new notebook whose last cell shows a board; its results are in a folder of its own."""
    first = f"import os, degnn_explore as de\nos.makedirs({name!r}, exist_ok=True); os.chdir({name!r})"
    return Board(visit(lab.notebook(f"{name}.ipynb", first, *cells), **options).page)
