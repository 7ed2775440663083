"""Looks at the finished files: does every link lead somewhere, and does any page ask for what is not among them?"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_URL = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")
_ASKS = {"src", "srcset", "poster", "data"}  # attributes that a browser fetches by itself; href of <link> does, too


class _Page(HTMLParser):
    """What a page links to, what it fetches, and what can be linked to in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetches: list[str] = []
        self.anchors = {"", "top"}
        self._style = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._style = tag == "style"
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            elif name in ("href", "data-page") and value is not None and tag != "link":
                self.links.append(value)
            elif value and (name in _ASKS or name.endswith(":href") or (name == "href" and tag == "link")):
                self.fetches.append(value)
            elif name == "style":
                self.fetches += _urls(value or "")

    def handle_data(self, data: str) -> None:
        if self._style:
            self.fetches += _urls(data)

    def handle_endtag(self, tag: str) -> None:
        self._style = False


def _urls(css: str) -> list[str]:
    return [it for one, other in _URL.findall(css) if not (it := one or other).startswith("#")]


@dataclass
class Found:
    """What was found in a folder of pages; ``broken`` and ``fetched`` are empty if all is well."""

    pages: int = 0
    broken: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    outside: set[str] = field(default_factory=set)


def check(folder: Path) -> Found:
    """Every link and anchor inside, every address fetched by itself; addresses on the internet are collected only.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as name:
    ...     _ = Path(name, "a.html").write_text('<a href="b.html"></a><img src="https://x.org/y.png"><a href="#z"></a>')
    ...     found = check(Path(name))
    >>> found.broken, found.fetched
    (['a.html: b.html', 'a.html: #z'], ['a.html: https://x.org/y.png'])
    """
    folder = folder.resolve()
    pages = {path: _Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
    found = Found(len(pages))
    for path, page in pages.items():
        where = path.relative_to(folder)
        for address in page.links + page.fetches:
            parts = urlsplit(address)
            if parts.scheme == "data" or (parts.scheme == "blob" and address in page.fetches):
                continue
            if parts.scheme or parts.netloc:
                if address in page.fetches:
                    found.fetched.append(f"{where}: {address}")
                found.outside.add(address)
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            inside = target.is_relative_to(folder) and target.is_file()
            if not inside or (target in pages and unquote(parts.fragment) not in pages[target].anchors):
                found.broken.append(f"{where}: {address}")
    for path in sorted(folder.rglob("*.css")):
        found.fetched += [f"{path.relative_to(folder)}: {it}" for it in _urls(path.read_text()) if ":" in it]
    return found
