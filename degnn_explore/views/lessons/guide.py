"""The panel that leads through a tour, and the one that asks before it shows; both stand in the Explorer's slot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import ipywidgets as W

from ..widgets.bar import Bar, menu, press
from ..widgets.canvas import Canvas
from ..widgets.html import box, button, tag
from .tours import TOURS, Step, Tour, tour

__all__ = ["Guide", "Host", "ask"]


class Host(Protocol):
    """What a lesson needs of an Explorer: a slot to stand in, parts to point at, and a way to change what is shown."""

    slot: W.Box
    spots: dict[str, W.DOMWidget]  # "graphs", "subtrees", "verdict"
    graph_canvas: Canvas

    def arrange(self, step: Step) -> None:
        """Shows what a step of a tour is about."""

    def show_error(self, error: BaseException) -> None:
        """Shows what went wrong."""


class Guide:
    """Leads through a tour: back, next, leave, or another tour; every step drives the Explorer."""

    def __init__(self, host: Host, left: Callable[[], None]) -> None:
        self.host, self._left = host, left
        self.tour: Tour | None = None
        self.at = 0
        self._text = W.HTML()
        titles = [(one.title, key) for key, one in TOURS.items()]
        fields = {
            "tour": menu("Tour", options=titles, title="Another tour"),
            "back": press("◀ Back", "The step before"),
            "next": press("Next ▶", "The next step"),
            "leave": press("Leave", "Close the tour and keep what is shown"),
        }
        self._bar = Bar("Tour", fields, self._asked, host.show_error)
        self.panel = box("de-lesson", self._text, self._bar)

    def start(self, name: str) -> None:
        """Begins a tour, by key or title."""
        self.tour = tour(name)
        self.host.slot.children = (self.panel,)
        self.go(0)

    def go(self, at: int) -> None:
        """Shows a step of the tour."""
        if self.tour is None:
            return
        self.at = max(0, min(at, len(self.tour.steps) - 1))
        step = self.tour.steps[self.at]
        self.host.arrange(step)
        where = f"{self.at + 1} of {len(self.tour.steps)}"
        self._text.value = f'<div class="de-lesson-text" role="status">{tag("b", where)} {tag("span", step.text)}</div>'
        self._bar.show(
            tour={"value": self.tour.key},
            back={"disabled": self.at == 0},
            next={"label": "Next ▶" if self.at + 1 < len(self.tour.steps) else "Finish"},
        )
        self._point_at(step.look)

    def leave(self) -> None:
        """Closes the tour; what it shows stays."""
        self.tour = None
        self._point_at("")
        self.host.slot.children = ()
        self._left()

    def _point_at(self, look: str) -> None:
        for name, part in self.host.spots.items():
            (part.add_class if name == look else part.remove_class)("de-look")

    def _asked(self, name: str, value: Any) -> None:
        if name == "tour":
            self.start(value)
        elif name == "leave" or (name == "next" and self.tour and self.at + 1 == len(self.tour.steps)):
            self.leave()
            self.host.graph_canvas.take_focus()
        else:
            self.go(self.at + (1 if name == "next" else -1))


def ask(host: Host, question: str) -> None:
    """Hides verdict and subtrees until the reader has answered the question; any answer will do."""
    hidden = [host.spots[name] for name in ("verdict", "subtrees")]
    answer = W.Text(description="Your prediction", continuous_update=False, layout=W.Layout(width="270px"))
    answer.style.description_width, answer.tooltip = "initial", "Enter when done"
    said = W.HTML(tag("div", f"Predict first, a guess will do: {question}", "de-lesson-text"))

    def reveal(_: Any = None) -> None:
        if row not in host.slot.children:  # also where a tour has taken its place
            for part in hidden:
                part.layout.display = ""
            host.slot.unobserve(reveal, "children")

    def shown(text: str) -> None:
        for part in hidden:
            part.layout.display = ""
        said.value = f'<div class="de-lesson-text" role="status">{tag("span", text)}</div>'
        row.children = (said, button("Close", "Close the question", close))

    def told(_: Any = None) -> None:
        if answer.value.strip():
            shown(
                f"{question} You said: {answer.value.strip()}. Now compare: what do the methods and the subtrees say?"
            )

    def close() -> None:
        host.slot.children = ()

    answer.observe(told, "value")
    row = box("de-lesson", said, answer, button("Show me", "Shows the verdict and the subtrees", told))
    host.slot.children = (row,)  # a question that stood there reveals what it hid
    for part in hidden:
        part.layout.display = "none"
    host.slot.observe(reveal, "children")
