"""Notebooks as HTML: text, highlighted code, outputs, and still pictures with their pages instead of widgets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from .markup import Markdown, code

KIND = "application/vnd.degnn.panel"  # as in in_kernel.py, which only kernels import
CHARTS = "application/vnd.plotly.v1+json"
IMPORT = "import degnn_explore as de"
INSTALLS = f"try:\n    {IMPORT}\nexcept ImportError"  # how the cell of tools/lessons.py begins
OTHER_LOOK = re.compile(r"<style[^>]*>(?!\s*\.de-beside).*?</style>", re.DOTALL)  # pandas' own, and our theme's
ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def body(book: Any, markdown: Markdown, panels: Path | None, pages: str) -> Iterator[str]:
    """The cells as HTML; ``pages`` is where the panels' pages will stand, seen from this one."""
    told = json.loads((panels / "panels.json").read_text("utf-8")) if panels else []
    for cell in book.cells:
        if cell.cell_type == "markdown":
            yield f'<div class="text">{markdown(cell.source)}</div>'
        elif cell.cell_type == "code" and cell.source.strip():
            source = IMPORT if cell.source.startswith(INSTALLS) else cell.source  # who reads here need not install
            yield f'<div class="cell">{code(source, "python")}'
            yield from (_output(output, told, pages) for output in _joined(cell.get("outputs", [])))
            yield "</div>"


def _joined(outputs: list[Any]) -> list[Any]:
    """Streams that follow each other as one: a progress bar's lines are overwritten as in a terminal."""
    made: list[Any] = []
    for output in outputs:
        if made and output.output_type == "stream" == made[-1].output_type and made[-1].name == output.name:
            made[-1].text += output.text
        else:
            made.append(output)
    return made


def _output(output: Any, panels: list[dict[str, str]], pages: str) -> str:
    if output.output_type == "stream":
        lines = [line.rstrip("\r").rpartition("\r")[2] for line in ANSI.sub("", output.text).split("\n")]
        said = "\n".join(lines).strip("\n")
        return f'<pre class="out {output.name}">{escape(said)}</pre>' if said.strip() else ""
    if output.output_type == "error":
        return f'<pre class="out stderr">{escape(ANSI.sub("", f"{output.ename}: {output.evalue}".rstrip(": ")))}</pre>'
    data = output.data
    if KIND in data:
        return panel(panels[int(data[KIND])], pages)
    if CHARTS in data:
        chart = json.dumps(data[CHARTS]).replace("</", "<\\/")
        return f'<div class="chart"><script type="application/json">{chart}</script></div>'
    if "text/html" in data:
        markup = OTHER_LOOK.sub("", data["text/html"])
        return f'<div class="out rich">{markup}</div>' if markup.strip() else ""
    if "image/svg+xml" in data:
        return f'<div class="out rich">{data["image/svg+xml"]}</div>'
    if "image/png" in data:
        return f'<div class="out rich"><img alt="" src="data:image/png;base64,{data["image/png"]}"></div>'
    return f'<pre class="out">{escape(data.get("text/plain", ""))}</pre>'


def panel(told: dict[str, str], pages: str) -> str:
    """A panel's picture; where it has a page, a button puts that in the picture's place."""
    picture = re.sub(r"Run this cell to [^.<]*\.", "", told["picture"])
    if told.get("kind") == "living":
        address = escape(f"{pages}/{told['page']}")
        go = f'<button type="button" data-page="{address}">Explore it here</button>'
        more = f'<p class="go">{go} <a href="{address}">or on a page of its own</a></p>'
    elif told.get("kind") == "report":
        more = f'<p class="go"><a href="{escape(pages)}/{told["page"]}">The whole report of this race</a></p>'
    else:
        more = ""
    return f'<div class="panel">{picture}{more}</div>'
