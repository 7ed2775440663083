"""Markdown and code as HTML: headings with anchors as GitHub makes them, links that lead to pages, highlighted code."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from html import escape, unescape
from typing import Any

import mistune
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

_PLAIN = HtmlFormatter(nowrap=True)
_TAGS = re.compile(r"<[^>]+>")


def code(text: str, language: str) -> str:
    """A block of code; Python that begins with a prompt is a session, whose results are not code."""
    if language in ("python", "py") and text.lstrip().startswith(">>>"):
        language = "pycon"
    try:
        marked = highlight(text, get_lexer_by_name(language or "text"), _PLAIN)
    except ClassNotFound:
        marked = escape(text)
    return f'<pre class="code" tabindex="0"><code>{marked.rstrip()}</code></pre>'


def anchor(heading: str) -> str:
    """What GitHub calls a heading in an address.

    >>> anchor("What to prepare: `de.check`, and more")
    'what-to-prepare-decheck-and-more'
    """
    kept = [ch for ch in heading.strip().lower() if ch in " -_" or unicodedata.category(ch)[0] in "LN"]
    return "".join(kept).replace(" ", "-")


class Markdown:
    """Turns Markdown into HTML; ``resolve`` says where a link leads, and ``headings`` fills on the way.

    >>> page = Markdown(lambda address, picture: address.replace(".md", ".html"))
    >>> page("## Two [pages](other.md#x)")
    '<h2 id="two-pages">Two <a href="other.html#x">pages</a></h2>\\n'
    >>> page.headings
    [(2, 'two-pages', 'Two pages')]
    """

    def __init__(self, resolve: Callable[[str, bool], str]) -> None:
        self.headings: list[tuple[int, str, str]] = []
        renderer = _Renderer(resolve, self.headings)
        self._parse = mistune.create_markdown(renderer=renderer, plugins=["table", "strikethrough"])

    def __call__(self, text: str) -> str:
        return str(self._parse(text))


class _Renderer(mistune.HTMLRenderer):
    def __init__(self, resolve: Callable[[str, bool], str], headings: list[tuple[int, str, str]]) -> None:
        super().__init__(escape=False)
        self._resolve, self.headings = resolve, headings

    def heading(self, text: str, level: int, **attrs: Any) -> str:
        said = unescape(_TAGS.sub("", text))
        name = anchor(said)
        before = sum(
            it[1] == name or re.fullmatch(rf"{re.escape(name)}-\d+", it[1]) is not None for it in self.headings
        )
        name = f"{name}-{before}" if before else name
        self.headings.append((level, name, said))
        return f'<h{level} id="{escape(name)}">{text}</h{level}>\n'

    def link(self, text: str, url: str, title: str | None = None) -> str:
        return f'<a href="{escape(self._resolve(url, False))}">{text}</a>'

    def image(self, text: str, url: str, title: str | None = None) -> str:
        return f'<img alt="{escape(unescape(_TAGS.sub("", text)))}" src="{escape(self._resolve(url, True))}">'

    def block_code(self, code_text: str, info: str | None = None) -> str:
        return code(code_text.rstrip("\n"), (info or "").split(" ")[0]) + "\n"

    def table(self, text: str) -> str:
        return f'<div class="wide" tabindex="0"><table>{text}</table></div>\n'
