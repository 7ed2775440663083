"""The site: every public name is in it, links lead somewhere, and no page asks for anything but its own files."""

from __future__ import annotations

import contextlib
import doctest
import html
import json
import os
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

import degnn_explore as de
from degnn_explore import pyg
from tools.site import books, building, links, reference
from tools.site.markup import Markdown
from tools.waiting import LONG

SHOWN = "00_start_here"  # the one notebook that is executed here


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Any:
    made = building.Site(tmp_path_factory.mktemp("site"), {SHOWN})
    made.build()
    return made


def text_of(site: Any, address: str) -> str:
    return str((site.out / address).read_text(encoding="utf-8"))


def test_links_lead_somewhere_and_nothing_is_fetched(site: Any) -> None:
    found = links.check(site.out)
    assert found.pages > 40
    assert (found.broken, found.fetched) == ([], [])
    assert "https://arxiv.org/abs/2009.00142" in found.outside


def test_what_is_broken_is_said(tmp_path: Path) -> None:
    (tmp_path / "b.html").write_text('<h2 id="there">b</h2>')
    (tmp_path / "a.html").write_text(
        '<a href="b.html#there"></a><a href="b.html#gone"></a><a href="c.html"></a><a href="../up.html"></a>'
        '<img src="data:image/png;base64,AA"><script src="//x.org/s.js"></script><p style="background: url(http://y.org/)">'
        "<style>@import 'https://z.org/a.css'; p { fill: url(#here) }</style>"
    )
    found = links.check(tmp_path)
    assert found.broken == ["a.html: b.html#gone", "a.html: c.html", "a.html: ../up.html"]
    assert found.fetched == ["a.html: //x.org/s.js", "a.html: http://y.org/", "a.html: https://z.org/a.css"]


@pytest.mark.parametrize("page", reference.MODULES)
def test_every_public_name_is_in_the_reference_with_text_and_example(site: Any, page: str) -> None:
    text = text_of(site, page)
    entries = dict(re.findall(r'<section class="entry"><h2 id="(\w+)">(.*?)</section>', text, flags=re.DOTALL))
    listed = {
        "api/de.html": de.__all__,
        "api/zoo.html": de.zoo.__all__,
        "api/theory.html": de.theory.__all__,
        "api/pyg.html": pyg.__all__,
    }
    assert list(entries) == list(listed[page])
    for name in reference.names():
        if name.page == page and name.kind not in ("module", "exception"):
            assert "&gt;&gt;&gt;" in entries[name.anchor], name.called
            assert '<pre class="code"' in entries[name.anchor].partition("<h4>")[0], name.called  # how it is called
        if name.page == page:
            assert len(name.text.split()) >= 3, name.called


def test_examples_of_constants_run() -> None:
    """doctest finds those of functions and classes by itself."""
    for name in reference.names():
        if name.kind == "constant":
            case = doctest.DocTestParser().get_doctest(name.text, dict(_named(name)), name.called, None, 0)
            assert case.examples
            assert doctest.DocTestRunner().run(case).failed == 0


def _named(name: reference.Name) -> dict[str, Any]:
    """A constant under each name that its example may know it by."""
    return {name.anchor: name.value, "WHOLE_GRAPHS": name.value}


def test_a_signature_is_written_as_in_the_source() -> None:
    shown = html.unescape(re.sub(r"<[^>]+>", "", reference.signature("de.SPD", de.SPD)))
    assert shown == "de.SPD(max_dist: int = 3, *, pool: Pool = 'mean')"
    several = html.unescape(re.sub(r"<[^>]+>", "", reference.signature("de.distinguish", de.distinguish)))
    assert several.startswith("de.distinguish(\n    a: ")
    assert several.endswith(") -> Verdict")


def test_headings_get_the_anchors_that_github_gives_them() -> None:
    page = Markdown(lambda address, picture: address)
    page("# One `two`\n\n## One two\n\n## Ünï-code, 3!\n")
    assert [name for _, name, _ in page.headings] == ["one-two", "one-two-1", "ünï-code-3"]


def test_the_notebook_shows_its_results_and_a_page_that_lives(site: Any) -> None:
    text = text_of(site, f"notebooks/{SHOWN}.html")
    assert "different from layer 2" in text  # what a cell printed
    assert "VBox(" not in text
    assert "except ImportError" not in re.sub(r"<[^>]+>", "", text)  # the cell that installs is no reading
    (living,) = re.findall(r'data-page="([^"]+)"', text)
    assert "Content-Security-Policy" in (site.out / "notebooks" / living).read_text(encoding="utf-8")
    assert (site.out / "notebooks" / f"{SHOWN}.ipynb").read_bytes() == (
        building.ROOT / "notebooks" / f"{SHOWN}.ipynb"
    ).read_bytes()


def test_nothing_of_this_machine_and_no_airports_are_in_it(site: Any) -> None:
    names = {path.name for path in site.out.rglob("*")}
    assert not {name for name in names if "airports" in name}
    for path in site.out.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert str(building.ROOT) not in text, path
        assert os.path.expanduser("~/") not in text, path


def test_a_table_of_ours_keeps_its_look_and_others_take_that_of_the_site() -> None:
    shown = {"text/html": "<div><style scoped>.a {}</style><style>\n.de-beside p { color: red }</style></div>"}
    made = books._output(nbformat.v4.new_output("display_data", shown), [], "")
    assert made == '<div class="out rich"><div><style>\n.de-beside p { color: red }</style></div></div>'


def test_every_page_of_the_navigation_says_where_one_is(site: Any) -> None:
    for address in (it for row in site.sections.values() for it in row):
        text = text_of(site, address)
        assert text.count("aria-current=page") == 1
        assert f"<title>{html.escape(site.pages[address].title)}" in text
    assert {name for name, *_ in json.loads(text_of(site, "assets/index.js")[17:-2])} >= {
        "TrainingBoard",
        "Glossary",
        "DRNL",
    }


@pytest.mark.browser
def test_in_a_browser_the_page_lives_and_reaches_nothing(site: Any, chrome: Any) -> None:
    with contextlib.closing(chrome.new_page(viewport={"width": 390, "height": 844})) as page:
        page.set_default_timeout(1000 * LONG)
        asked: list[str] = []
        said: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto((site.out / "notebooks" / f"{SHOWN}.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")  # nothing sticks out on a phone
        page.click("button[data-page]")
        inside = page.frame_locator(".panel iframe")
        inside.locator(".de-pill").first.wait_for()
        page.fill(".search input", "LandingProbability")
        page.click(".search li a >> nth=0")
        page.wait_for_url("**/api/de.html#LandingProbability")
        assert said == []
        assert {address.partition(":")[0] for address in asked} <= {"file", "data", "blob"}
