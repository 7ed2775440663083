"""For readers without a kernel: a picture and its caption, as nbconvert and GitHub show it; whole pages as files."""

from __future__ import annotations

import base64
import hashlib
import os
from pathlib import Path

from ..common.errors import ParameterError
from ..common.files import write_whole
from .text import escape

_FONT = "font-family:system-ui,sans-serif;color:#1f2328;background:#ffffff"


def image(svg: str, alt: str) -> str:
    """An SVG as an image by its own bytes: viewers that strip or mangle SVG among markup leave this alone.

    >>> image("<svg/>", 'A "graph"')
    '<img style="max-width:100%;height:auto" alt="A &quot;graph&quot;" src="data:image/svg+xml;base64,PHN2Zy8+"/>'
    """
    packed = base64.b64encode(svg.encode()).decode()
    return f'<img style="max-width:100%;height:auto" alt="{escape(alt)}" src="data:image/svg+xml;base64,{packed}"/>'


def figure(caption: str, *parts: str) -> str:
    """HTML of these parts, which are markup already, with the caption below, which is not."""
    below = f'<figcaption style="font-size:13px;color:#57606a;padding:4px 0">{escape(caption)}</figcaption>'
    return f'<figure style="margin:0;padding:8px;max-width:920px;{_FONT}">{"".join(parts)}{below}</figure>'


def table(headings: list[str], rows: list[list[str]]) -> str:
    """A plain table of escaped texts; the styles are in it, for viewers drop style sheets."""
    cell = "padding:3px 10px;border-bottom:1px solid #d0d7de;text-align:left;font-size:13px"
    head = "".join(f'<th style="{cell}">{escape(heading)}</th>' for heading in headings)
    first = f"{cell};white-space:nowrap;font-weight:600"
    body = "".join(
        "<tr>" + "".join(f'<td style="{cell if k else first}">{escape(it)}</td>' for k, it in enumerate(row)) + "</tr>"
        for row in rows
    )
    return f'<table style="border-collapse:collapse"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def page(title: str, body: str, style: str = "", script: str = "") -> str:
    """A whole HTML document that may run its own script, if it has one, and reach nothing."""
    hashed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    runs = f"script-src 'sha256-{hashed}' blob:; " if script else ""
    policy = f"default-src 'none'; {runs}style-src 'unsafe-inline'; img-src data: blob:"
    end = f'<script type="module">{script}</script>' if script else ""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{style}</style></head><body>{body}{end}</body></html>\n"
    )


def save(file: str | os.PathLike[str], html: str) -> Path:
    """Writes a page, in one step, and says where."""
    path = Path(file).expanduser()
    if path.suffix.lower() not in (".html", ".htm"):
        raise ParameterError(f"A page is a file that ends in .html, not {path.name!r}; say {path.stem + '.html'!r}.")
    if not path.parent.is_dir():
        raise ParameterError(f"There is no folder {str(path.parent)!r} to write {path.name!r} into; make it first.")
    write_whole(path, html.encode())
    return path
