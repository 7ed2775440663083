"""Opening a graph in the background: what is said meanwhile, Cancel at every stage, and what is there afterwards."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import Any

import pytest

import degnn_explore as de
from degnn_explore.common.stopping import at
from degnn_explore.views.explorer import opening
from degnn_explore.views.explorer.opening import Opening
from tools.waiting import LONG

RING = "source,target\n" + "".join(f"n{i},n{(i + 1) % 30}\n" for i in range(30))
STAGES = (
    "reading the file",
    "numbering the nodes",
    "joining the links",
    "finding the components",
    "measuring how far it is across",
    "counting the kinds of nodes that a plain GNN sees",
    "looking at links",
)


@pytest.fixture
def ring(tmp_path: Path) -> Path:
    path = tmp_path / "ring.csv"
    path.write_text(RING)
    return path


class Impatient(Opening):
    """One whose reader presses Cancel as soon as a certain stage is shown."""

    stage = ""

    def __init__(self) -> None:
        self.heard: list[Any] = []
        self.shares: list[tuple[str, int]] = []
        super().__init__(
            lambda *done: self.heard.append(done),
            lambda name: self.heard.append(("cancelled", name)),
            self.heard.append,
        )

    def _show(self, name: str, percent: str, what: str) -> None:
        super()._show(name, percent, what)
        self.shares.append((what, int(percent)))
        if what == self.stage:
            self.stop()


def test_every_stage_is_told_with_a_share_that_grows(ring: Path) -> None:
    made = Impatient()
    made.begin("ring.csv", lambda: de.read_graph(ring))
    made.wait()
    [(name, graph, found)] = made.heard
    assert (name, graph.num_nodes, found.diameter) == ("ring.csv", 30, 15)
    shares = [share for _, share in made.shares]
    assert tuple(dict.fromkeys(what for what, _ in made.shares)) == STAGES
    assert shares == sorted(shares)
    assert 0 == shares[0] < shares[-1] < 100
    assert made.box.layout.display == "none"


@pytest.mark.parametrize("stage", STAGES)
def test_cancel_ends_it_at_every_stage(ring: Path, stage: str) -> None:
    made = Impatient()
    made.stage = stage
    made.begin("ring.csv", lambda: de.read_graph(ring))
    made.wait()
    assert made.heard == [("cancelled", "ring.csv")]
    assert not {what for what, _ in made.shares} & set(STAGES[STAGES.index(stage) + 1 :])
    assert made.box.layout.display == "none"
    assert made.cancel.disabled


def test_a_name_is_data_and_no_markup(ring: Path) -> None:
    made = Impatient()
    made.begin("<img src=x>.csv", lambda: de.read_graph(ring))
    made.wait()
    assert "<img" not in made._line.value


def test_the_graph_before_stays_until_all_is_there_and_after_cancel() -> None:
    explorer = de.Explorer(preset="fig1")
    begun, go_on = Event(), Event()

    def slow() -> de.Graph:
        begun.set()
        go_on.wait(LONG)
        at("reading the file", 0.5)
        raise AssertionError("it was cancelled before")

    drawers = explorer._drawers
    drawers.toggle("file")
    drawers._begin("slow.csv", slow)
    assert begun.wait(LONG)
    assert drawers.opening.busy
    assert drawers.opening.box.layout.display == ""
    assert drawers.report.layout.display == "none"
    assert explorer.still()[0].startswith("slow.csv was being opened when this cell ran")
    explorer.state.pick(0, 5)  # the panel is alive meanwhile
    drawers.opening.cancel.click()
    go_on.set()
    explorer.wait()
    assert explorer.targets == [[5], [3]]
    assert "Opening slow.csv was cancelled; what is shown has not changed." in drawers.report.value
    assert (drawers.report.layout.display, drawers.opening.box.layout.display) == ("", "none")
    assert explorer._error.value == ""
    assert "Fig. 1(a)" in explorer.still()[0]


def test_of_two_files_the_later_one_is_opened(ring: Path) -> None:
    explorer = de.Explorer()
    go_on = Event()

    def slow() -> de.Graph:
        go_on.wait(LONG)
        return de.zoo.figure5()[0]

    drawers = explorer._drawers
    drawers._begin("slow.csv", slow)
    former = drawers.opening._thread
    drawers.path.value = str(ring)
    drawers.path._handle_msg({"content": {"data": {"method": "custom", "content": {"event": "submit"}}}, "buffers": []})
    explorer.wait()
    go_on.set()
    former.join(LONG)
    assert [side.graph.title for side in explorer.state.sides] == ["ring"]
    assert "30 nodes and 30 links" in drawers.report.value


def test_a_file_that_is_not_there_is_told_and_the_graph_stays(tmp_path: Path) -> None:
    explorer = de.Explorer(preset="fig1")
    explorer._drawers.path.value = str(tmp_path / "nobody.csv")
    explorer._drawers.open_path.click()
    explorer.wait()
    assert "there is no such file" in explorer._error.value
    assert explorer.targets == [[2], [3]]
    assert not explorer._drawers.opening.busy


def test_a_large_file_opens_behind_the_example(ring: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "LARGE_FILE", 100)
    explorer = de.Explorer(str(ring))
    assert explorer._drawers.open == "file"
    explorer.wait()
    assert [side.graph.title for side in explorer.state.sides] == ["ring"]
    assert "30 nodes and 30 links" in explorer._drawers.report.value
    explorer.close()
    monkeypatch.setattr(opening, "LARGE_FILE", 10**6)
    assert de.Explorer(str(ring)).state.sides[0].graph.title == "ring"  # at once, and no drawer


def test_readers_of_a_served_page_name_no_files(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(de.Explorer()._drawers.own.children) == 3
    monkeypatch.setenv("SERVER_SOFTWARE", "voila/0.5")
    assert len(de.Explorer()._drawers.own.children) == 1
