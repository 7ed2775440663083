"""The board for readers without it: curves and table in the notebook as saved, and a report as one file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import degnn_explore as de
from tests.views.widgets.test_still import EVIL, converted, pictures, texts
from tools.waiting import LONG


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[de.TrainingBoard]:
    karate = de.load("karate")
    G = de.Graph.from_edges(karate.edges[1:], names=[EVIL, *karate.names[1:]], title="own <b>graph</b>")
    folder = tmp_path_factory.mktemp("report")
    made = de.TrainingBoard(G, "links", ["GCN", "DE-GNN-SPD"], seeds=2, epochs=3, results=folder / "own.jsonl")
    made.start()
    made.wait(LONG)
    yield made
    made.close()


def test_nbconvert_shows_curves_and_table(board: de.TrainingBoard) -> None:
    page = converted(board)
    assert "Training Board: links on own &lt;b&gt;graph&lt;/b&gt;, 2 models, up to 2 seeds." in page
    assert {"GCN", "DE-GNN-SPD"} <= set(texts(pictures(page)[0]))
    for row in board.results().rows:
        assert f"{row.mean:.1f}" in page


def test_a_report_has_curves_table_mistakes_settings_versions_and_code(board: de.TrainingBoard, tmp_path: Path) -> None:
    page = board.report(tmp_path / "race.html").read_text(encoding="utf-8")
    for heading in ("Curves", "Comparison", "Hardest mistakes of ", "Settings", "Versions", "Python that repeats"):
        assert f"<h2>{heading}" in page
    assert "<b>graph" not in page
    assert EVIL not in page
    assert "<script" not in page
    assert "http" not in page.replace('http-equiv="Content', "")
    assert "learning rate" in page
    assert page.count("<tr>") >= 2 + 1 + len(board.mistakes)
    assert len(pictures(page)) == 1


def test_saving_a_report_hands_it_to_the_page(board: de.TrainingBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[dict[str, str]] = []
    monkeypatch.setattr(board._mistakes.sheet, "send", sent.append)
    next(b for b in board._more.children if b.description == "Save report").click()
    assert [(it["name"], it["mime"]) for it in sent] == [("report-links-on-own-b-graph-b-.html", "text/html")]
    assert sent[0]["text"].startswith("<!doctype html>")
