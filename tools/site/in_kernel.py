"""What the site asks of a kernel: of every panel that a notebook shows, a still picture at the end, and its page.

A board's picture of the moment its cell ran would be empty: it is taken again when the whole notebook has run.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from degnn_explore import Explorer, ParameterError, TrainingBoard
from degnn_explore.views.widgets.panel import Panel

KIND = "application/vnd.degnn.panel"  # beside a panel's other forms: which of the shown ones it is
_SHOWN: list[Any] = []


def watch() -> None:
    """From now on every panel that is shown is remembered."""
    bundle_of = Panel._repr_mimebundle_

    def remembered(panel: Any, **kwargs: Any) -> dict[str, Any]:
        bundle = bundle_of(panel, **kwargs)
        if panel not in _SHOWN:
            _SHOWN.append(panel)
        return bundle | {KIND: str(_SHOWN.index(panel))}

    Panel._repr_mimebundle_ = remembered  # type: ignore[method-assign]


def collect(folder: str) -> None:
    """Writes into the folder ``panels.json``, and of each panel its page, if it can have one."""
    told = []
    for number, panel in enumerate(_SHOWN):
        if isinstance(panel, Explorer):
            panel.wait()
        caption, picture = panel.still()
        told.append({"caption": caption, "picture": picture, **_page(panel, Path(folder) / f"{number}.html")})
    (Path(folder) / "panels.json").write_text(json.dumps(told), encoding="utf-8")


def _page(panel: Any, file: Path) -> dict[str, str]:
    try:
        if isinstance(panel, Explorer):
            tour = panel._guide.tour
            return {"page": panel.page(file, tour=tour.key if tour else "").name, "kind": "living"}
        if isinstance(panel, TrainingBoard):
            return {"page": panel.report(file).name, "kind": "report"}
    except ParameterError as error:  # such as a graph too large for a page
        return {"without": str(error)}
    return {}
