"""Both panels, opened by node on a page without a browser, where tests click, type and read (``*.journey.mjs``)."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import degnn_explore as de
from degnn_explore.views.explorer.explorer import MODULES

from .test_front_end import HERE, node


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What Python records in saved pages: two triangles and a hexagon with a tour, and one set of Fig. 1(a)."""
    folder = tmp_path_factory.mktemp("records")

    def recorded(explorer: de.Explorer, tour: str | None = None) -> str:
        found = re.search(r'openPage\("([^"]+)"\)', explorer.page(folder / "page.html", tour=tour).read_text("utf-8"))
        assert found is not None
        return found[1]

    made = {
        "hexagon": recorded(de.Explorer(preset="hexagon"), "hexagon"),
        "one": recorded(de.Explorer((de.zoo.figure1(), {2}))),
    }
    file = folder / "records.json"
    file.write_text(json.dumps(made), encoding="utf-8")
    return file


@pytest.mark.parametrize("panel", ["explorer", "board"])
def test_a_reader_in_a_panel(panel: str, records: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECORDS", str(records))
    monkeypatch.setenv("MODULES", json.dumps(MODULES))
    assert "fail 0" in node("--test", str(HERE / f"{panel}.journey.mjs"))
