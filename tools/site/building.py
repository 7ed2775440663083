"""Which pages there are, how they hang together, and what stands around them."""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import dataclass, field
from html import escape, unescape
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

import nbformat

from . import books, reference
from .markup import Markdown, code
from .running import ROOT, executed

HERE = Path(__file__).parent
PROJECT = "degnn_explore"
SHORT = {  # what navigation calls a page whose heading is too long for it
    "index.html": "Overview", "docs/teaching.html": "The instructor's guide", "docs/own_model.html": "Your own model",
    "CONTRIBUTING.html": "Contributing", "CHANGELOG.html": "Changelog",
}  # fmt: skip
Heading = tuple[int, str, str]


@dataclass
class Page:
    """A page of the site: its address there, what it is made from, and what is on it."""

    address: str
    source: Path | None
    body: str = ""
    headings: list[Heading] = field(default_factory=list)

    @property
    def title(self) -> str:
        return next((said for level, _, said in self.headings if level == 1), PurePosixPath(self.address).stem)

    @property
    def short(self) -> str:
        return SHORT.get(self.address, self.title)


def address_of(path: Path) -> str:
    """Where a file of the project stands in the site: as there, but for its ending, and README is the first page.

    >>> address_of(ROOT / "README.md"), address_of(ROOT / "docs/shell.md"), address_of(ROOT / "LICENSE")
    ('index.html', 'docs/shell.html', 'LICENSE.html')
    """
    inside = path.relative_to(ROOT)
    if path == ROOT / "README.md":
        return "index.html"
    if path.is_dir():
        return (inside / "index.html").as_posix()
    if path.suffix in (".md", ".ipynb"):
        return inside.with_suffix(".html").as_posix()
    return f"{inside.as_posix()}.html"


class Site:
    """Builds all pages into a folder; of the notebooks only those in ``run`` are executed, if it is given."""

    def __init__(self, out: Path, run: set[str] | None = None) -> None:
        self.out, self._run = out, run
        self.pages: dict[str, Page] = {}
        self._pictures: set[Path] = set()
        notebooks = ROOT / "notebooks"
        guides = [path for path in sorted((ROOT / "docs").glob("*.md")) if path.stem not in ("glossary", "teaching")]
        sections: dict[str, list[Path]] = {
            "": [ROOT / "README.md"],
            "Notebooks": sorted(notebooks.glob("*.ipynb")),
            "A lesson": [ROOT / "docs" / "teaching.md", *sorted((notebooks / "classroom").glob("*.ipynb"))],
            "Guides": guides,
            "Reference": [ROOT / "docs" / "glossary.md"],
            "Project": [ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md"],
        }
        self.sections = {title: [address_of(path) for path in paths] for title, paths in sections.items()}
        self.sections["Reference"] += reference.MODULES
        self._todo = [path for paths in sections.values() for path in paths]

    def build(self) -> None:
        """Makes every page, and those that they lead to; then writes them with their navigation."""
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir(parents=True)
        while self._todo:
            path = self._todo.pop(0)
            if (address := address_of(path)) not in self.pages:
                page = self.pages[address] = Page(address, path)
                page.body = self._made(page, path)
        for address in reference.MODULES:
            page = self.pages[address] = Page(address, None)
            page.body, page.headings = reference.body(address, lambda page=page: self._markdown(page))
            page.headings.insert(0, (1, "top", reference.MODULES[address][1]))
        for page in self.pages.values():
            self._write(page.address, self._around(page))
        for name in ("site.css", "site.js"):
            self._write(f"assets/{name}", (HERE / name).read_text(encoding="utf-8"))
        self._write("assets/index.js", f"window.deIndex = {json.dumps(self._index(), ensure_ascii=False)};\n")
        if any('class="chart"' in page.body for page in self.pages.values()):
            from plotly.offline import get_plotlyjs

            self._write("assets/plotly.js", get_plotlyjs())
        for picture in self._pictures:
            self._copy(picture, picture.relative_to(ROOT).as_posix())

    # ---- what is on a page --------------------------------------------------------------------

    def _made(self, page: Page, path: Path) -> str:
        if path.is_dir():
            return self._folder(page, path)
        if path.suffix == ".md":
            markdown = self._markdown(page)
            made = markdown(path.read_text(encoding="utf-8"))
            page.headings = markdown.headings
            return f'<div class="text">{made}</div>'
        if path.suffix == ".ipynb":
            return self._notebook(page, path)
        return self._file(page, path)

    def _markdown(self, page: Page) -> Markdown:
        return Markdown(lambda address, picture: self._resolve(page, address, picture))

    def _notebook(self, page: Page, path: Path) -> str:
        markdown, panels = self._markdown(page), None
        book = nbformat.read(path, as_version=4)
        solved = "solutions" in path.parts  # the guide leads there; a class should not see what comes out
        if not solved and (self._run is None or path.stem in self._run):
            book, panels = executed(path, errors="classroom" in path.parts)
        for living in panels.glob("*.html") if panels else ():
            self._copy(living, page.address.removesuffix(".html") + f"/{living.name}")
        made = "\n".join(books.body(book, markdown, panels, path.stem))
        page.headings = markdown.headings
        raw = self._copy(path, path.relative_to(ROOT).as_posix()).name
        return f'{made}\n<p class="raw"><a href="{raw}" download>Download this notebook</a></p>'

    def _file(self, page: Page, path: Path) -> str:
        """A file that is no page by itself, such as a licence, a study or a table of results."""
        inside = path.relative_to(ROOT).as_posix()
        page.headings = [(1, "top", inside)]
        self._copy(path, inside)
        language = {".py": "python", ".toml": "toml", ".cff": "yaml"}.get(path.suffix, "text")
        head = (
            f'<h1>{escape(inside)}</h1><p class="raw"><a href="{escape(path.name)}" download>Download this file</a></p>'
        )
        return head + code(path.read_text(encoding="utf-8"), language)

    def _folder(self, page: Page, path: Path) -> str:
        inside = path.relative_to(ROOT).as_posix()
        page.headings = [(1, "top", inside)]
        files = [it for it in sorted(path.iterdir()) if it.is_file() and not it.name.startswith(".")]
        self._todo += files
        listed = "".join(
            f'<li><a href="{escape(self._from(page, address_of(it)))}">{escape(it.name)}</a></li>' for it in files
        )
        return f"<h1>{escape(inside)}</h1><ul>{listed}</ul>"

    def _resolve(self, page: Page, address: str, picture: bool) -> str:
        """Where a link of a page leads in the site; what it leads to becomes part of the site."""
        parts = urlsplit(address)
        if parts.scheme or parts.netloc or not parts.path or page.source is None:
            return address
        target = (page.source.parent / parts.path).resolve()
        if not target.is_relative_to(ROOT) or not target.exists():
            return address  # the checker will say so
        if picture or target.suffix in (".png", ".svg"):
            self._pictures.add(target)
            there = target.relative_to(ROOT).as_posix()
        else:
            self._todo.append(target)
            there = address_of(target)
        return self._from(page, there) + (f"#{parts.fragment}" if parts.fragment else "")

    @staticmethod
    def _from(page: Page, address: str) -> str:
        return Path(os.path.relpath(address, Path(page.address).parent)).as_posix()

    # ---- what is around it --------------------------------------------------------------------

    def _around(self, page: Page) -> str:
        up = "../" * page.address.count("/")
        scripts = ["index.js", "site.js"] + ["plotly.js"] * ('class="chart"' in page.body)
        fields = {
            "title": escape(page.title if page.title == PROJECT else f"{page.title} · {PROJECT}"),
            "up": up,
            "navigation": self._navigation(page),
            "contents": self._contents(page),
            "body": page.body,
            "after": self._after(page),
            "scripts": "".join(f'<script src="{up}assets/{name}" defer></script>' for name in scripts[::-1]),
        }
        template = (HERE / "page.html").read_text(encoding="utf-8")
        return re.sub(r"\{\{(\w+)\}\}", lambda match: fields[match[1]], template)

    def _navigation(self, page: Page) -> str:
        made = []
        for title, addresses in self.sections.items():
            here = "".join(
                f'<li><a href="{self._from(page, it)}"{" aria-current=page" * (it == page.address)}>'
                f"{escape(self.pages[it].short)}</a></li>"
                for it in addresses
            )
            made.append((f"<h2>{title}</h2>" if title else "") + f"<ul>{here}</ul>")
        return "".join(made)

    def _contents(self, page: Page) -> str:
        """The headings of the page, if there are enough to be lost among."""
        listed = [it for it in page.headings if it[0] == 2]
        if len(listed) < 3:
            return ""
        lines = "".join(f'<li><a href="#{escape(name)}">{escape(said)}</a></li>' for _, name, said in listed)
        return f'<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>{lines}</ul></nav>'

    def _after(self, page: Page) -> str:
        """The pages before and after this one, in its section."""
        row = next((it for it in self.sections.values() if page.address in it and len(it) > 1), [])
        at = row.index(page.address) if row else 0
        before = row[at - 1] if at else None
        after = row[at + 1] if at + 1 < len(row) else None
        made = [
            f'<a class="{way}" href="{self._from(page, it)}">{escape(self.pages[it].short)}</a>'
            for way, it in (("before", before), ("after", after))
            if it
        ]
        return f'<nav class="turn" aria-label="Before and after">{"".join(made)}</nav>' if made else ""

    def _index(self) -> list[list[str]]:
        """What the search finds, and where: the glossary's words, every heading of the pages in the navigation."""
        shown = [self.pages[it] for row in self.sections.values() for it in row]
        words = re.findall(r"<td><strong>(.*?)</strong></td>", self.pages["docs/glossary.html"].body)
        return [[unescape(word), "Glossary", "docs/glossary.html"] for word in words] + [
            [said, page.short, page.address + (f"#{name}" if level > 1 else "")]
            for page in shown
            for level, name, said in page.headings
            if level <= 3
        ]

    def _write(self, address: str, text: str) -> None:
        path = self.out / address
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def _copy(self, path: Path, address: str) -> Path:
        target = self.out / address
        target.parent.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copyfile(path, target))
