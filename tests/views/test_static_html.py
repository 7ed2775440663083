"""What readers without a kernel get: a picture with its caption in any viewer, and files that reach nothing."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import nbformat
import pytest
from nbconvert import HTMLExporter

import degnn_explore as de
from degnn_explore.views import static_html
from degnn_explore.views.board.chart_svg import chart_svg

EVIL = "<img src=x onerror=alert(1)>"


def converted(panel: Any) -> str:
    """The page that nbconvert makes of a notebook, saved by JupyterLab, whose one output is this panel."""
    bundle = panel._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    out = nbformat.v4.new_output("execute_result", data=data, execution_count=1)
    cell = nbformat.v4.new_code_cell("panel", outputs=[out], execution_count=1)
    page, _ = HTMLExporter().from_notebook_node(nbformat.v4.new_notebook(cells=[cell]))
    return str(page)


def pictures(page: str) -> list[ElementTree.Element]:
    """The SVG images of a page, read as a browser would: not at all if one is not well formed."""
    found = re.findall(r"<img [^>]*image/svg\+xml;base64,([^\"]+)", page)
    return [ElementTree.fromstring(base64.b64decode(it)) for it in found]


def texts(picture: ElementTree.Element) -> list[str]:
    return [it.text or "" for it in picture.iter("{http://www.w3.org/2000/svg}text")]


def test_nbconvert_shows_an_explorer_as_a_picture_with_its_caption() -> None:
    explorer = de.Explorer(preset="hexagon")
    explorer.wait()
    page = converted(explorer)
    assert "VBox(" not in page
    assert "<figcaption" in page
    assert re.search(r"told apart by [^.]*DE-[^.]* from layer 2", page)
    assert "not by 1-WL" in page
    assert {"A = {v0} · two triangles", "∞a"} <= set(texts(pictures(page)[0]))


def test_a_large_graph_stays_a_small_picture_that_says_what_it_leaves_out() -> None:
    caption, html = de.Explorer(preset="pb").static()
    assert "Not every one of the 16,714 edges is drawn" in caption
    assert len(html) < 1_500_000


def test_names_are_text_in_pictures_and_captions() -> None:
    G = de.Graph.from_edges([(EVIL, "b"), ("b", "c")], title=EVIL)
    page = converted(de.Explorer((G, [EVIL])))
    assert EVIL not in page
    assert EVIL in texts(pictures(page)[0])
    assert EVIL not in static_html.table([EVIL], [[EVIL]])
    assert 'onload="' not in static_html.image("<svg/>", 'a picture" onload="alert(1)')


def test_a_picture_that_fails_leaves_the_live_view(monkeypatch: pytest.MonkeyPatch) -> None:
    explorer = de.Explorer(preset="fig5")
    monkeypatch.setattr(type(explorer), "static", lambda self: 1 / 0)
    bundle = explorer._repr_mimebundle_()[0]
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert "division by zero" in bundle["text/html"]


def test_a_chart_draws_lines_bands_and_dots_where_plotly_would() -> None:
    layout = {"height": 100, "margin": {"l": 0, "r": 0, "t": 0, "b": 0}, "xaxis": {"range": [0, 10]}}
    data = [
        {"x": [0, 10, 10], "y": [0, 0, 1], "fill": "toself", "fillcolor": "rgba(1,2,3,0.2)"},
        {"x": [0, 5], "y": [0, 0.5], "mode": "lines+markers", "line": {"color": "#111111", "dash": "dot"}},
    ]
    note = {"x": 5, "y": 0.5, "text": "<b>a &amp; b</b>", "font": {"color": "#222222"}}
    made = chart_svg({"data": data, "layout": {**layout, "yaxis": {"range": [0, 1]}, "annotations": [note]}}, 200)
    assert '<path d="M0.0 100.0L200.0 100.0L200.0 0.0Z" fill="rgba(1,2,3,0.2)"/>' in made
    assert (
        '<path d="M0.0 100.0L100.0 50.0" fill="none" stroke="#111111" stroke-width="2" stroke-dasharray="2 4"/>' in made
    )
    assert made.count("<circle ") == 2
    assert '<text x="100.0" y="54.0" fill="#222222" text-anchor="start" font-weight="600">a &amp; b</text>' in made
    ElementTree.fromstring(made)


def test_a_page_may_run_its_own_script_and_no_other() -> None:
    made = static_html.page(EVIL, "<p>hello</p>", script="document.title = 'alive'")
    assert EVIL not in made
    assert "default-src 'none'" in made
    assert "'sha256-" in made
    assert "script-src" not in static_html.page("title", "<p>hello</p>")


def test_a_page_is_written_where_it_is_asked_to(tmp_path: Path) -> None:
    assert static_html.save(tmp_path / "lesson.html", "<p>ü</p>").read_text(encoding="utf-8") == "<p>ü</p>"
