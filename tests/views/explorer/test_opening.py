"""Opening a graph in the background: what is said meanwhile, Cancel at every stage, and what is there afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

import degnn_explore as de
from degnn_explore.views import panel
from degnn_explore.views.explorer import explorer as module
from degnn_explore.views.explorer import opening
from tests.support.page import Page
from tests.support.waiting import LONG, until

RING = "source,target\n" + "".join(f"n{i},n{(i + 1) % 30}\n" for i in range(30))


@pytest.fixture
def ring(tmp_path: Path) -> Path:
    path = tmp_path / "ring.csv"
    path.write_text(RING, encoding="utf-8")
    return path


@pytest.fixture
def page() -> Iterator[Page]:
    made = Page(de.Explorer(preset="fig1"))
    yield made
    made.panel.close()


def opened(page: Page, path: object, cancel_at: int = 10**6) -> list[dict[str, Any]]:
    """What is shown of a file that is being opened, by a reader who presses Cancel after so many messages."""
    shown: list[dict[str, Any]] = []

    def look(state: dict[str, Any]) -> None:
        if "opening" in page.changes[-1]:
            shown.append(state["opening"])
            if len(shown) == cancel_at:
                page.do("cancel")

    page.look = look
    page.do("open", path=str(path))
    page.panel.wait()
    page.look = lambda state: None
    return shown


class Slow:
    """A reader of files that waits, once it has begun, until it may go on."""

    def __init__(self, graph: de.Graph) -> None:
        self.graph, self.begun, self.go_on = graph, Event(), Event()

    def __call__(self, path: Path) -> de.Graph:
        self.begun.set()
        self.go_on.wait(LONG)
        return self.graph


def test_shares_grow_the_graph_comes_with_its_facts_and_cancel_ends_it_whenever_it_comes(
    page: Page, ring: Path
) -> None:
    *progress, last = opened(page, ring)
    shares = [it["percent"] for it in progress]
    assert shares == sorted(shares) and shares[0] == 0 and 60 in shares and 60 < shares[-1] <= 100
    assert {it["name"] for it in progress} == {"ring.csv"} and all(it["what"] for it in progress)
    assert last["name"] == "ring.csv" and dict(last["facts"])["reach"].startswith("15 ")
    assert page["graphs"]["titles"] == ["ring"] and page["targets"] == [[0]] and page["error"] == {}
    for cancel_at in range(1, len(progress)):
        page.do("example", key="fig1")
        shown = opened(page, ring, cancel_at)
        assert shown[-1].keys() == {"name", "note"} and "percent" in shown[-2] and page["graphs"]["example"] == "fig1"


@pytest.fixture
def slow(page: Page, monkeypatch: pytest.MonkeyPatch) -> Slow:
    """A file that is being opened."""
    reader = Slow(de.zoo.petersen())
    with monkeypatch.context() as patched:
        patched.setattr(module, "read_graph", reader)
        page.do("open", path="slow.csv")
    assert reader.begun.wait(LONG)
    return reader


def test_the_graph_before_stays_until_all_is_there(page: Page, slow: Slow) -> None:
    caption, html = page.panel.static()
    assert "slow.csv" in caption and "<img" not in html
    page.panel.targets = [[5], [3]]  # the panel is alive meanwhile
    page.do("cancel")
    slow.go_on.set()
    page.panel.wait()
    assert page["targets"] == [[5], [3]] and page["graphs"]["example"] == "fig1" and "<img" in page.panel.static()[1]


@pytest.mark.parametrize("end", ["another file", "closed"])
def test_a_file_that_nobody_waits_for_is_given_up(page: Page, slow: Slow, ring: Path, end: str) -> None:
    if end == "closed":
        page.panel.close()
    else:
        assert {it["name"] for it in opened(page, ring)} == {"ring.csv"}
    slow.go_on.set()
    page.panel.wait()
    titles = {side.graph.title for side in page.panel.state.sides}
    assert titles == {de.zoo.figure1().title if end == "closed" else "ring"}


def test_a_path_is_opened_and_a_wrong_one_is_refused(page: Page, ring: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert opened(page, ring.with_name("nobody.csv"))[-1] == {}
    assert "nobody.csv" in page["error"]["text"] and page["targets"] == [[2], [3]]
    monkeypatch.setenv("HOME", str(ring.parent))
    opened(page, " ~/ring.csv ")
    assert page["graphs"]["titles"] == ["ring"] and page["error"] == {}
    monkeypatch.setenv("SERVER_SOFTWARE", "voila/0.5")  # readers of a served page name no files
    assert not de.Explorer().options["paths"] and opened(page, ring) == [] and "upload" in page["error"]["text"]


@pytest.mark.parametrize("kind", [str, Path])
@pytest.mark.parametrize("larger", [True, False])
def test_a_large_file_opens_behind_the_example(
    ring: Path, monkeypatch: pytest.MonkeyPatch, kind: Callable[[Path], object], larger: bool
) -> None:
    monkeypatch.setattr(opening, "LARGE_FILE", len(RING) - larger)
    slow = Slow(de.read_graph(ring)) if larger else None
    if slow:
        monkeypatch.setattr(module, "read_graph", slow)
    explorer = de.Explorer(kind(ring), layer=1)
    assert explorer.view == ({"open": "file"} if larger else {}) and explorer.state.layer == 1
    if slow:
        slow.go_on.set()
    explorer.wait()
    assert explorer.graphs["titles"] == ["ring"]
    assert [opening.large_file(it) for it in ("no such file", "\0", de.zoo.petersen())] == [None] * 3


def test_uploads_arrive_in_slices_each_in_its_own_file(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    content = RING.encode()

    def title(name: str, content: bytes) -> str:
        page.upload(name, content)
        page.panel.wait()
        return "; ".join(page["graphs"]["titles"])

    page.send({"kind": "upload", "name": "ring.csv", "at": 0, "size": 10**6}, [memoryview(b"given up")])
    assert title(f"{'x' * 99}.csv", content) == "x" * 60 and page["graphs"]["nodes"] == [30]
    assert title("ring.csv", content) == "ring" and page["graphs"]["nodes"] == [30]  # begins again
    assert title("empty.csv", b"") == "ring"
    until(lambda: page["error"], LONG)
    assert "empty.csv" in page["error"]["text"]
    monkeypatch.setattr(panel, "MAX_UPLOAD", len(content))
    assert title("again.csv", content) == "again" and page["error"] == {}
    assert title("large.csv", content + b"\n") == "again" and "large.csv" in page["error"]["text"]
