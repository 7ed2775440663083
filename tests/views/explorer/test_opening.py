"""Opening a graph in the background: what is said meanwhile, Cancel at every stage, and what is there afterwards."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import Any

import pytest

import degnn_explore as de
from degnn_explore.views.explorer import opening
from degnn_explore.views.explorer.opening import Opening
from tests.support.waiting import LONG

RING = "source,target\n" + "".join(f"n{i},n{(i + 1) % 30}\n" for i in range(30))


@pytest.fixture
def ring(tmp_path: Path) -> Path:
    path = tmp_path / "ring.csv"
    path.write_text(RING, encoding="utf-8")
    return path


class Impatient(Opening):
    """One whose reader presses Cancel when progress is shown for the n-th time."""

    def __init__(self, patience: int) -> None:
        self.told: list[dict[str, Any]] = []
        self.done: list[Any] = []
        self.patience = patience
        super().__init__(self._heard, lambda *opened: self.done.append(opened), self.done.append)

    def _heard(self, told: dict[str, Any]) -> None:
        self.told.append(told)
        if len(self.told) == self.patience:
            self.stop()


def test_shares_grow_and_the_graph_comes_with_its_facts(ring: Path) -> None:
    made = Impatient(10**6)
    made.begin(str(ring), lambda: de.read_graph(ring))
    made.wait()
    [(_, graph, found)] = made.done
    assert (graph.num_nodes, found.diameter) == (30, 15)
    shares = [told["percent"] for told in made.told]
    assert shares == sorted(shares) and shares[0] == 0 and shares[-1] <= 100


def test_cancel_ends_it_whenever_it_comes(ring: Path) -> None:
    whole = Impatient(10**6)
    whole.begin(str(ring), lambda: de.read_graph(ring))
    whole.wait()
    for patience in range(1, len(whole.told)):
        made = Impatient(patience)
        made.begin(str(ring), lambda: de.read_graph(ring))
        made.wait()
        assert made.done == [] and "cancelled" in made.told[-1]["note"]


def test_the_graph_before_stays_until_all_is_there() -> None:
    explorer = de.Explorer(preset="fig1")
    begun, go_on = Event(), Event()

    def slow() -> de.Graph:
        begun.set()
        go_on.wait(LONG)
        return de.zoo.petersen()

    explorer._opening.begin("slow.csv", slow)
    assert begun.wait(LONG)
    assert explorer.static()[0].startswith("slow.csv was being opened when this cell ran")
    explorer.targets = [[5], [3]]  # the panel is alive meanwhile
    explorer._handle_custom_msg({"kind": "do", "name": "cancel"}, [])
    go_on.set()
    explorer.wait()
    assert explorer.targets == [[5], [3]] and explorer.graphs["example"] == "fig1"


def test_a_path_is_opened_and_a_wrong_one_is_told(ring: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    explorer = de.Explorer(preset="fig1")
    explorer._handle_custom_msg({"kind": "do", "name": "open", "path": str(ring.with_name("nobody.csv"))}, [])
    explorer.wait()
    assert "there is no such file" in explorer.error["text"] and explorer.targets == [[2], [3]]
    explorer._handle_custom_msg({"kind": "do", "name": "open", "path": str(ring)}, [])
    explorer.wait()
    assert explorer.graphs["titles"] == ["ring"] and explorer.error == {}
    monkeypatch.setenv("SERVER_SOFTWARE", "voila/0.5")  # readers of a served page name no files
    assert not de.Explorer().options["paths"]
    explorer._handle_custom_msg({"kind": "do", "name": "open", "path": str(ring)}, [])
    assert "upload one instead" in explorer.error["text"]


def test_a_large_file_opens_behind_the_example(ring: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "LARGE_FILE", 100)
    explorer = de.Explorer(str(ring))
    assert explorer.view == {"open": "file"}
    explorer.wait()
    assert explorer.graphs["titles"] == ["ring"]
