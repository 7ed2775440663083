"""An Explorer on a page, as a reader works it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tools.waiting import LONG, until

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


class Panel:
    """One Explorer on a page."""

    def __init__(self, page: Any, place: int = 0) -> None:
        self.page = page
        self.box = page.locator(".de-explorer").nth(place)
        self.box.locator(".de-subtree").wait_for()
        self.box.scroll_into_view_if_needed()
        self.graph, self.tree = self.box.locator(".de-canvas"), self.box.locator(".de-subtree")

    def point(self, node: int, canvas: Any = None) -> tuple[float, float]:
        """Where a node is on the page."""
        canvas = canvas or self.graph
        canvas.scroll_into_view_if_needed()
        x, y = canvas.evaluate(STEADY, node)
        box = canvas.locator("canvas, svg").bounding_box()
        return box["x"] + x, box["y"] + y

    def click(self, node: int) -> None:
        self.page.mouse.click(*self.point(node))

    def targets(self, wanted: list[int]) -> None:
        """Waits until exactly these drawn nodes are marked as targets."""
        self.until(lambda: json.loads(self.graph.get_attribute("data-targets") or "[]"), wanted)

    def legend(self) -> list[str]:
        return [" ".join(text.split()) for text in self.graph.locator(".de-legend-item").all_inner_texts()]

    def shows(self, wanted: list[str]) -> None:
        """Waits for this legend, each entry as "mark label counts"."""
        self.until(self.legend, wanted)

    def verdict(self, method: str, wanted: str) -> None:
        """Waits for a pill of the strip to end so."""
        pill = self.box.locator(f'.de-pill[data-method="{method}"]')
        self.until(lambda: pill.inner_text().endswith(wanted), True)

    def trees_say(self, wanted: str) -> None:
        self.until(lambda: wanted in self.tree.inner_text(), True)

    def until(self, get: Callable[[], Any], wanted: Any, seconds: float = LONG) -> None:
        until(
            lambda: get() == wanted,
            seconds,
            pause=lambda: self.page.wait_for_timeout(60),
            told=lambda: f"wanted {wanted!r}, got {get()!r}",
        )


def fresh(lab: Any, visit: Any, name: str, *cells: str) -> Panel:
    """A new notebook whose last cell shows an Explorer."""
    return Panel(visit(lab.notebook(f"{name}.ipynb", "import degnn_explore as de", *cells)).page)
