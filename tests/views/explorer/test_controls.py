"""The row of settings and the drawers: a reader's change reaches the state, the state's change is shown, once."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

import pytest

import degnn_explore as de
from degnn_explore.views.explorer.pages import free_view
from degnn_explore.views.explorer.settings import Settings
from degnn_explore.views.explorer.state import ExplorerState
from degnn_explore.views.widgets.bar import Bar


def tell(bar: Bar, name: str, value: Any) -> None:
    """What a page sends when a reader changes a control."""
    bar._handle_custom_msg({"type": "set", "name": name, "value": value}, [])


def test_a_change_is_told_once_and_showing_a_state_answers_nothing_back() -> None:
    acts: list[tuple[str, Any]] = []
    settings = Settings(lambda name, value: acts.append((name, value)), print)
    settings.show(ExplorerState.of_preset("us-flights"))
    settings.show(ExplorerState.of_preset("fig2b"))
    assert acts == []
    tell(settings.bar, "layer", 3)
    tell(settings.root, "root", 1)
    assert acts == [("layer", 3), ("root", 1)]


def test_each_control_changes_its_setting() -> None:
    explorer = de.Explorer(preset="fig2b")
    bar, state = explorer._settings.bar, explorer.state
    for name, value in [("colour_by", "DEA-SPD"), ("hops", 3), ("layer", 1), ("cut", True), ("layout", "circular")]:
        tell(bar, name, value)
        assert getattr(state, name) == value
        assert bar[name]["value"] == value
    tell(bar, "size", 1)
    assert explorer.targets == [[1], [1]]
    tell(bar, "compare", False)
    assert len(state.sides) == 1
    assert explorer._error.value == ""


@pytest.mark.parametrize(("name", "value"), [("layer", 99), ("layer", True), ("colour_by", "x"), ("size", "1")])
def test_a_value_that_does_not_fit_is_refused_in_a_sentence_and_taken_back(
    name: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    explorer = de.Explorer(preset="fig1")
    again: list[Any] = []
    monkeypatch.setattr(explorer._settings.bar, "send", again.append)
    tell(explorer._settings.bar, name, value)
    assert "de-error" in explorer._error.value
    assert "<details>" not in explorer._error.value
    assert again == [{"type": "show"}]


@pytest.mark.parametrize(("colour_by", "shown"), [("LP", {"step"}), ("DEA-SPD", {"hops"}), ("SPD", set())])
def test_only_settings_that_matter_are_shown(colour_by: str, shown: set[str]) -> None:
    bar = de.Explorer(preset="fig1", colour_by=colour_by)._settings.bar
    assert {name for name in ("step", "hops") if not bar[name]["hidden"]} == shown


def test_the_layout_is_behind_more_settings() -> None:
    bar = de.Explorer(preset="fig1")._settings.bar
    for hidden in (True, False, True):
        assert (bar["layout"]["hidden"], bar["more"]["pressed"]) == (hidden, not hidden)
        tell(bar, "more", True)


def test_the_menu_of_roots_is_there_for_two_sets_of_several() -> None:
    explorer = de.Explorer(preset="fig2b")
    root = explorer._settings.root
    assert root.layout.display == ""
    assert [label for label, _ in root["root"]["options"]] == ["target 1 of each set", "target 2 of each set"]
    explorer.state.compare(False)
    assert root.layout.display == "none"


def test_a_size_above_three_joins_the_menu() -> None:
    menu = de.Explorer(de.zoo.petersen(), size=5)._settings.bar["size"]
    assert menu["options"][-1] == ("5", 5)
    assert menu["value"] == 5


def test_an_example_opens_once() -> None:
    explorer = de.Explorer()
    opened: list[set[str]] = []
    explorer.state.observe(opened.append)
    explorer.open_preset("hexagon")
    assert opened == [{"graphs"}]
    tell(explorer._drawers.header, "preset", "fig4")
    assert opened == [{"graphs"}] * 2
    assert explorer.state.preset_key == "fig4"


def test_one_drawer_is_open_at_a_time_and_follows_the_state() -> None:
    explorer = de.Explorer(preset="fig1")
    drawers = explorer._drawers
    tell(drawers.header, "help", True)
    assert "How to read" in drawers.content.value
    tell(drawers.header, "share", True)
    assert {name: drawers.header[name]["pressed"] for name in ("help", "share")} == {"help": False, "share": True}
    for _ in range(2):
        assert drawers.box.children == (drawers.share.box,)
        assert drawers.share.bar["code"]["copy"].endswith(f'de.Explorer.restore("{explorer.share()}")')
        assert drawers.share.bar["python"]["copy"] == explorer.code()
        explorer.state.pick(0, 5)
    tell(drawers.header, "free", True)
    assert drawers.content.value == free_view.frame(explorer.html())
    tell(drawers.header, "free", True)
    assert drawers.box.layout.display == "none"
    assert drawers.content.value == ""


def test_a_tour_closes_the_drawer_that_would_push_it_out_of_sight() -> None:
    explorer = de.Explorer(preset="fig1")
    tell(explorer._drawers.header, "help", True)
    tell(explorer._drawers.header, "tour", True)
    assert (explorer._drawers.open, explorer._drawers.header["help"]["pressed"]) == ("", False)
    assert explorer.slot.children


def test_a_drawer_that_fails_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    explorer = de.Explorer(preset="fig1")
    monkeypatch.setattr(free_view, "page", lambda forest: 1 / 0)
    explorer._drawers.toggle("free")
    assert "ZeroDivisionError" in explorer._error.value


@pytest.mark.parametrize(
    ("name", "mime"),
    [
        ("graph.png", ""),
        ("graph.svg", "image/svg+xml"),
        ("subtree.png", ""),
        ("subtree.svg", "image/svg+xml"),
        ("subtree.html", "text/html"),
        ("lesson.html", "text/html"),
    ],
)
def test_each_file_is_handed_over(name: str, mime: str, monkeypatch: pytest.MonkeyPatch) -> None:
    explorer = de.Explorer(preset="fig3")
    sent: list[dict[str, str]] = []
    monkeypatch.setattr(
        explorer.tree_view if name.startswith("subtree") else explorer.graph_canvas, "send", sent.append
    )
    tell(explorer._drawers.share.bar, name, True)
    (got,) = sent
    content = got.pop("text", "")
    assert got == ({"type": "download", "name": name, "mime": mime} if mime else {"type": "png", "name": name})
    wanted = {"graph.svg": explorer.svg(), "subtree.svg": explorer.svg("tree"), "subtree.html": explorer.html()}
    if name in wanted:
        assert content == wanted[name]
    assert content.startswith("<!doctype html>") == (name == "lesson.html")
    if name == "lesson.html":
        packed = content.split('<div class="de-data" hidden>')[1].split("<")[0]
        plain = gzip.decompress(base64.b64decode(packed))
        about = json.loads(plain[4 : 4 + int.from_bytes(plain[:4], "little")])
        assert about["canvas"]["busy"] == ""  # the note that it is being written stays here
        assert about["state"]["targets"] == explorer.targets
    assert explorer.graph_canvas.busy == ""


def test_a_page_that_is_too_large_is_refused_in_words() -> None:
    explorer = de.Explorer(preset="pb")
    tell(explorer._drawers.share.bar, "lesson.html", True)
    assert "the limit is 400 nodes" in explorer._error.value
    assert explorer.graph_canvas.busy == ""


def _file(name: str, content: bytes) -> tuple[dict[str, Any], ...]:
    return ({"name": name, "type": "", "size": len(content), "last_modified": None, "content": memoryview(content)},)


def test_a_file_is_opened_with_its_report() -> None:
    explorer = de.Explorer()
    explorer._drawers._uploaded({"new": _file("mine.csv", b"source,target\na,b\nb,b\n")})
    explorer.wait()
    assert [side.graph.title for side in explorer.state.sides] == ["mine"]
    assert "self-loop" in explorer._drawers.report.value
    assert "a plain GNN sees one kind of node here" in explorer._drawers.report.value


@pytest.mark.parametrize("value", [_file("x.csv", b""), _file("cat.jpg", b"\xff\xd8\xff"), ({"name": "x.csv"},)])
def test_a_file_that_cannot_be_read_is_told_in_a_sentence(value: Any) -> None:
    explorer = de.Explorer(preset="fig1")
    explorer._drawers._uploaded({"new": value})
    explorer.wait()
    assert "de-error" in explorer._error.value
    assert "<details>" not in explorer._error.value
    assert explorer.targets == [[2], [3]]
