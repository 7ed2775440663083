"""What node needs to open panels: which modules they are made of, and what Python records in saved pages."""

from __future__ import annotations

import json
import re
import tempfile
from functools import cache
from pathlib import Path

import degnn_explore as de
from degnn_explore.views.explorer.explorer import MODULES


def environment(folder: Path) -> dict[str, str]:
    """Variables for node; the recordings are written into the folder."""
    file = folder / "records.json"
    file.write_text(_records(), encoding="utf-8")
    return {"MODULES": json.dumps(MODULES), "RECORDS": str(file)}


@cache
def _records() -> str:
    """Two triangles and a hexagon with a tour, and one set of Fig. 1(a)."""
    hexagon, one = de.Explorer(preset="hexagon"), de.Explorer((de.zoo.figure1(), {2}))
    return json.dumps({"hexagon": _recorded(hexagon, "hexagon"), "one": _recorded(one)})


def _recorded(explorer: de.Explorer, tour: str | None = None) -> str:
    with tempfile.TemporaryDirectory() as folder:
        page = explorer.page(Path(folder, "page.html"), tour=tour).read_text(encoding="utf-8")
    found = re.search(r'openPage\("([^"]+)"\)', page)
    assert found is not None
    return found[1]
