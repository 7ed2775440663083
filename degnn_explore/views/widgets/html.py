"""Text for HTML widgets, boxes and buttons, callbacks whose errors are seen.

Every string of a graph or a file that a page shows goes through here.
"""

from __future__ import annotations

import functools
import html
import traceback
from collections.abc import Callable
from typing import Any

import ipywidgets as W

from ...graphs.graph import Graph


def text(value: Any) -> str:
    """``value`` as text that no browser reads as markup."""
    return html.escape(str(value), quote=True)


def tag(name: str, content: Any, css: str = "") -> str:
    """An element around escaped text."""
    return f'<{name} class="{text(css)}">{text(content)}</{name}>' if css else f"<{name}>{text(content)}</{name}>"


def node_name(graph: Graph, node: int) -> str:
    """A node's name to show; a bare number gets a v, so that it is not read as a distance."""
    name = graph.names[node]
    return f"v{name}" if name == str(node) else name


def box(css: str, *children: W.Widget) -> W.Box:
    """A box whose look is in explorer.css: a row for "de-row", else a column."""
    made = W.VBox(children) if css != "de-row" else W.HBox(children)
    made.add_class(css)
    return made


def button(label: str, tooltip: str, act: Callable[[], Any], **more: Any) -> W.Button:
    """A button that calls ``act``."""
    made = W.Button(description=label, tooltip=tooltip, layout=W.Layout(width="auto"), **more)
    made.on_click(lambda _: act())
    return made


def error_box(error: BaseException) -> str:
    """An error as HTML: a user's mistake in one line, anything else with its traceback."""
    if isinstance(error, ValueError | OSError):
        return f'<div class="de-error" role="alert">{text(error)}</div>'
    trace = "".join(traceback.format_exception(error))
    return (
        f'<div class="de-error" role="alert"><b>{text(type(error).__name__)}</b>: {text(error)}'
        f"<details><summary>details, for a bug report</summary><pre>{text(trace)}</pre></details></div>"
    )


class Notice(W.HTML):
    """A line that takes no room while there is nothing to say.

    >>> notice = Notice()
    >>> notice.show(ValueError("p must be 2"))
    >>> notice.layout.display, notice.value
    ('', '<div class="de-error" role="alert">p must be 2</div>')
    """

    def __init__(self) -> None:
        super().__init__(layout=W.Layout(display="none"))

    def show(self, error: BaseException) -> None:
        """Shows an error; nothing that fails stays unseen."""
        self._say(error_box(error))

    def note(self, words: str) -> None:
        """Says what was done, or why nothing was."""
        self._say(tag("div", words, "de-idea"))

    def clear(self) -> None:
        """Takes the last message away."""
        self._say("")

    def _say(self, markup: str) -> None:
        self.value = markup
        self.layout.display = "" if markup else "none"


def guarded(act: Callable[..., Any]) -> Callable[..., Any]:
    """A method whose errors go to ``self.show_error`` instead of a log nobody sees; an earlier error stays as it is."""

    @functools.wraps(act)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return act(self, *args, **kwargs)
        except Exception as error:
            self.show_error(error)
            return None

    return run
