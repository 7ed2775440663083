"""A Training Board on a page, as a reader works it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.support.waiting import LONG, until


class Board:
    """One board on a page."""

    def __init__(self, page: Any, place: int = 0) -> None:
        self.page = page
        self.box = page.locator(".de-board").nth(place)
        self.go = self.box.locator(".de-go")
        self.go.wait_for()

    def until(self, true: Callable[[], Any], seconds: float = LONG) -> None:
        until(true, seconds, pause=lambda: self.page.wait_for_timeout(50), told=self.box.inner_text)

    def says(self, text: str, seconds: float = LONG) -> None:
        self.until(lambda: text in self.box.inner_text(), seconds)

    def means(self, meaning: str, seconds: float = 900) -> None:
        """Waits until a click on the button would do this: race, cancel, continue, retry; done: nothing."""
        self.until(lambda: self.go.get_attribute("data-meaning") == meaning, seconds)

    def progress(self, model: str) -> float:
        bar = self.box.locator(f'[role=progressbar][aria-label="{model}"]')
        return float(bar.get_attribute("aria-valuenow")) if bar.count() else 100.0

    def results(self) -> dict[str, float]:
        """The means of the chart, by model."""
        found = self.box.locator(".de-dots .de-mean").evaluate_all(
            "marks => marks.map((mark) => [mark.dataset.model, mark.textContent])"
        )
        return {name: float(mean) for name, mean in found}

    def tab(self, name: str) -> None:
        self.box.get_by_role("radio", name=name, exact=True).click()

    def answers(self) -> dict[str, str]:
        """What each model says of the picked set."""
        found = self.box.locator(".de-answers [data-model]").evaluate_all(
            "all => all.map((one) => [one.dataset.model, one.querySelector('b').textContent])"
        )
        return dict(found)


def fresh(lab: Any, visit: Any, name: str, *cells: str, **options: Any) -> Board:
    """A new notebook whose last cell shows a board; its results are in a folder of its own."""
    first = f"import os, degnn_explore as de\nos.makedirs({name!r}, exist_ok=True); os.chdir({name!r})"
    return Board(visit(lab.notebook(f"{name}.ipynb", first, *cells), **options).page)
