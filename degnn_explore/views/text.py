"""Text for pages: every string of a graph or a file that a page shows goes through here."""

from __future__ import annotations

import html
import traceback
from typing import Any

from ..expressive.explanations import node_name

__all__ = ["error_of", "escape", "node_name", "tag"]


def escape(value: Any) -> str:
    """``value`` as text that no browser reads as markup."""
    return html.escape(str(value), quote=True)


def tag(name: str, content: Any, css: str = "") -> str:
    """An element around escaped text."""
    return f'<{name} class="{escape(css)}">{escape(content)}</{name}>' if css else f"<{name}>{escape(content)}</{name}>"


def error_of(error: BaseException) -> dict[str, str]:
    """An error for a panel: a user's mistake in one line, anything else with its traceback."""
    if isinstance(error, ValueError | OSError):
        return {"text": str(error), "details": ""}
    return {"text": f"{type(error).__name__}: {error}", "details": "".join(traceback.format_exception(error))}
