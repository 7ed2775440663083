"""What node needs to open panels: which modules they are made of, and what Python records in saved pages."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import degnn_explore as de
from degnn_explore.views.explorer.explorer import MODULES


def environment(folder: Path) -> dict[str, str]:
    """Variables for node; the recordings are written into the folder."""
    file = folder / "records.json"
    if not file.exists():
        file.write_text(_records(folder), encoding="utf-8")
    return {"MODULES": json.dumps(MODULES), "RECORDS": str(file)}


@cache
def _records(folder: Path) -> str:
    """Two triangles and a hexagon with a tour, and one set of Fig. 1(a)."""

    def recorded(explorer: de.Explorer, tour: str | None = None) -> str:
        found = re.search(
            r'openPage\("([^"]+)"\)', explorer.page(folder / "page.html", tour=tour).read_text(encoding="utf-8")
        )
        assert found is not None
        return found[1]

    hexagon, one = de.Explorer(preset="hexagon"), de.Explorer((de.zoo.figure1(), {2}))
    return json.dumps({"hexagon": recorded(hexagon, "hexagon"), "one": recorded(one)})
