"""An Explorer on a page, as a reader works it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.support.waiting import LONG, until

# Where a node is, once the canvas has stayed in its place for some frames: what is drawn above it may come later.
STEADY = """(el, i) => new Promise((done) => {
    let last = "", same = 0;
    const look = () => {
        const { x, y, width, height } = el.getBoundingClientRect(), now = [x, y, width, height].join();
        same = now === last ? same + 1 : 0;
        last = now;
        same < 6 ? requestAnimationFrame(look) : done(el.whereIs(i));
    };
    look();
})"""
# Focusable elements outside the pictures; a radio group and the row of pills count once each.
CONTROLS = """(root) => {
    const all = [...root.querySelectorAll('button, select, input, textarea, a[href], summary, [tabindex]')];
    const seen = (el) => !el.disabled && el.tabIndex >= 0 && el.checkVisibility() && !el.closest('canvas, svg');
    const open = all.filter(seen);
    const groups = open.map((el) => el.closest('[role=radiogroup], .de-pills') ?? el);
    return [...new Set(groups)].map((el) => el.getAttribute('aria-label') ?? el.textContent);
}"""


class Panel:
    """One Explorer on a page."""

    def __init__(self, page: Any, place: int = 0) -> None:
        self.page = page
        self.box = page.locator(".de-explorer").nth(place)
        self.graph, self.tree = self.box.locator(".de-stage"), self.box.locator(".de-tree")
        self.graph.wait_for()
        self.until(lambda: "de-waiting" in (self.box.get_attribute("class") or ""), False)
        self.box.scroll_into_view_if_needed()

    def point(self, node: int) -> tuple[float, float]:
        """Where a node is on the page."""
        self.graph.scroll_into_view_if_needed()
        x, y = self.graph.evaluate(STEADY, node)
        box = self.graph.locator("canvas").bounding_box()
        return box["x"] + x, box["y"] + y

    def click(self, node: int) -> None:
        self.page.mouse.click(*self.point(node))

    def press(self, name: str) -> None:
        """Presses a button of the panel by its text."""
        self.box.get_by_role("button", name=name, exact=True).first.click()

    def layer(self, number: int) -> None:
        self.box.locator(".de-layers button", has_text=str(number)).click()

    def toggle(self, text: str) -> None:
        self.box.get_by_role("radio", name=text, exact=True).click()

    def targets(self, wanted: list[int]) -> None:
        """Waits until exactly these drawn nodes are marked as targets."""
        self.until(lambda: json.loads(self.graph.get_attribute("data-targets") or "[]"), wanted)

    def headline(self, wanted: str) -> None:
        """Waits until the headline holds these words."""
        self.until(lambda: wanted in self.box.locator(".de-headline").inner_text(), True)

    def legend(self) -> list[str]:
        return [" ".join(text.split()) for text in self.box.locator(".de-item").all_inner_texts()]

    def shows(self, wanted: list[str]) -> None:
        """Waits for this legend, each entry as "label: counts"."""
        self.until(self.legend, wanted)

    def verdict(self, method: str, wanted: str) -> None:
        """Waits for a pill to end so."""
        pill = self.box.locator(f'.de-pill[data-method="{method}"]')
        self.until(lambda: pill.inner_text().strip().endswith(wanted), True)

    def controls(self) -> list[str]:
        """What a reader can reach with the Tab key outside the pictures."""
        return list(self.box.evaluate(CONTROLS))

    def until(self, get: Callable[[], Any], wanted: Any, seconds: float = LONG) -> None:
        def told() -> str:
            return f"wanted {wanted!r}, got {get()!r}"

        until(lambda: get() == wanted, seconds, pause=lambda: self.page.wait_for_timeout(60), told=told)


def fresh(lab: Any, visit: Any, name: str, *cells: str, **options: Any) -> Panel:
    """A new notebook whose last cell shows an Explorer."""
    return Panel(visit(lab.notebook(f"{name}.ipynb", "import degnn_explore as de", *cells), **options).page)
