"""Text for HTML widgets, and callbacks whose errors are seen. Every string of a graph or file goes through here."""

from __future__ import annotations

import functools
import html
import traceback
from collections.abc import Callable
from typing import Any

__all__ = ["error_box", "guarded", "tag", "text"]


def text(value: Any) -> str:
    """``value`` as text that no browser reads as markup.

    Examples
    --------
    >>> text("<img src=x onerror=alert(1)>")
    '&lt;img src=x onerror=alert(1)&gt;'
    """
    return html.escape(str(value), quote=True)


def tag(name: str, content: Any, css: str = "") -> str:
    """An element around escaped text.

    Examples
    --------
    >>> tag("b", "a < b", "de-hint")
    '<b class="de-hint">a &lt; b</b>'
    """
    return f'<{name} class="{text(css)}">{text(content)}</{name}>' if css else f"<{name}>{text(content)}</{name}>"


def error_box(error: BaseException) -> str:
    """An error as HTML: a user's mistake in one line, anything else with its traceback."""
    if isinstance(error, ValueError | OSError):
        return f'<div class="de-error" role="alert">{text(error)}</div>'
    trace = "".join(traceback.format_exception(error))
    return (
        f'<div class="de-error" role="alert"><b>{text(type(error).__name__)}</b>: {text(error)}'
        f"<details><summary>details, for a bug report</summary><pre>{text(trace)}</pre></details></div>"
    )


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
