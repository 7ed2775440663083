"""The Explorer as one HTML file that lives without a kernel or a network: its own widgets, and every answer."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ....common.errors import ParameterError, one_of
from ....common.files import readable_size
from ....common.palette import categorical, text_on
from ....expressive.methods import METHODS
from ...lessons.tours import Step
from ...lessons.tours import tour as find_tour
from ...widgets import still
from ...widgets.canvas import Canvas
from ...widgets.messages import PageWidget
from ...widgets.strip import VerdictStrip
from ...widgets.subtree import SubtreeView
from ..presets import PRESETS
from ..state import ExplorerState
from .precomputed import COLOURINGS, Packer, orders, packed, precompute

CONTROLS = ("pick", "colour_by", "layer", "size")
MAX_BYTES = 5_000_000
_HERE = Path(still.__file__).parent
_LOOK = """
body { margin: 0; background: var(--jp-layout-color1, #fff); }
.de-page-part { flex: 1 1 0; min-height: 0; min-width: 0; display: flex; }
main.de-screen { display: flex; flex-direction: column; max-width: 1700px; margin: 0 auto; padding: 10px 14px; --de-room: clamp(330px, calc(100vh - 220px), 900px); }
.de-card { display: flex; flex-direction: column; }
h1.de-name { margin: 0; white-space: normal; }
.de-tour { border-left: 3px solid var(--de-focus); padding: 6px 12px; background: var(--de-sunk); }
.de-tour-text { max-width: 90ch; margin-bottom: 6px; }
body[data-jp-theme-light="false"] { --jp-layout-color1: #16181d; --jp-layout-color2: #262a31; --jp-border-color2: #454c56; --jp-ui-font-color1: #e6e8eb; --jp-ui-font-color2: #a5adb8; --jp-brand-color1: #6ea8ff; color-scheme: dark; }
"""  # noqa: E501


class Shown(Protocol):
    """An Explorer, as far as a page is made of it."""

    state: ExplorerState
    graph_canvas: Canvas
    tree_view: SubtreeView
    strip: VerdictStrip

    def wait(self, seconds: float = 60.0) -> None: ...


@cache
def script() -> str:
    """The scripts of the widgets and of the page as one module: each in a function, for they share names."""
    parts = []
    for name in ("canvas", "subtree", "strip", "bar"):
        source = (_HERE / f"{name}.js").read_text()
        inside = re.sub(r"^export (?!default)", "", source, flags=re.MULTILINE)
        inside = re.sub(r"^export default (.*);\s*\Z", r"return \1;", inside, flags=re.MULTILINE)
        parts.append(f"{name}: (() => {{\n{inside}\n}})(),")
    own = re.sub(r"^export ", "", (_HERE / "page.js").read_text(), flags=re.MULTILINE)
    made = "const widgets = {\n" + "\n".join(parts) + "\n};\n" + own
    return made.replace("</script", "<\\/script")


def living(explorer: Shown, controls: Iterable[str] = CONTROLS, tour: str = "") -> str:
    """The page: the widgets as they stand, and what a reader may ask for, computed beforehand."""
    explorer.wait()
    state, canvas, strip = explorer.state, explorer.graph_canvas, explorer.strip
    wanted = [one_of("controls", name, CONTROLS) for name in controls]
    about, data = precompute(state)
    packer = Packer([data], len(data))
    places = {
        name: packer.put(np.frombuffer(getattr(canvas, name), dtype="u1"), "u1") for name in ("positions", "edges")
    }
    titles = [side.graph.title for side in state.sides]
    title = next((it.title for it in PRESETS if it.key == state.preset_key), canvas.title) or "Distance Encoding"
    lesson = {
        **about,
        "title": title,
        "idea": state.idea,
        "titles": titles if len(set(titles)) > 1 else [""] * len(titles),
        "canvas": _plain(canvas) | places,
        "subtree": _plain(explorer.tree_view) | {"step": -1, "effects": []},
        "strip": _plain(strip),
        "pills": strip.pills,
        "palette": [{"colour": colour, "ink": text_on(colour)} for colour in categorical(18)],
        "methods": [
            {"name": name, "what": it.what, "titles": {p: it.title(p, state.hops) for p in orders(state)}}
            for name, it in METHODS.items()
        ],
        "controls": wanted,
        "state": _state(state),
        "tour": [_step(state, k, step) for k, step in enumerate(find_tour(tour).steps if tour else ())],
    }
    code = base64.b64encode(b"".join(packed(lesson, b"".join(packer.parts)))).decode()
    body = f'<div id="de-page"></div><div id="de-data" hidden>{code}</div>'
    style = (_HERE / "explorer.css").read_text() + (_HERE / "subtree.css").read_text() + _LOOK
    page = still.page(title, body, style, script())
    if len(page) > MAX_BYTES:
        raise ParameterError(
            f"The page would take {readable_size(len(page))}, more than {readable_size(MAX_BYTES)}: all that a reader "
            "may pick is computed beforehand. Take a smaller graph, or compare sets of one graph instead of two."
        )
    return page


def _plain(widget: PageWidget) -> dict[str, Any]:
    """The traits that a page shows, except bytes, which are packed or made anew."""
    names = [name for name in widget.keys if not name.startswith("_") and name not in ("layout", "tabbable", "tooltip")]
    return {name: value for name in names if not isinstance(value := getattr(widget, name), bytes)}


def _state(state: ExplorerState) -> dict[str, Any]:
    picked = max(1, *(len(side.targets) for side in state.sides))
    kept = {name: getattr(state, name) for name in ("layer", "hops", "cut", "root")}
    kept["colour_by"] = state.colour_by if state.colour_by in COLOURINGS else "SPD"
    return {
        **kept,
        "size": min(state.size or picked, max(orders(state))),
        "targets": [list(side.targets) for side in state.sides],
    }


def _step(state: ExplorerState, number: int, step: Step) -> dict[str, Any]:
    """A step as the page's script takes it: only what a page of this state can show."""
    fixed = {name: getattr(state, name) for name in ("cut", "hops", "step")}
    other = [name for name, value in step.settings.items() if value != fixed.get(name, value)]
    if step.preset not in ("", state.preset_key) or other:
        what = f"the example {step.preset!r}" if not other else f"{other[0]}={step.settings[other[0]]!r}"
        raise ParameterError(
            f"Step {number + 1} of the tour needs {what}, and a page shows one example, with these settings fixed: "
            f"{', '.join(f'{name}={value}' for name, value in fixed.items())}. Leave that step out."
        )
    changes = {name: value for name, value in step.settings.items() if name not in fixed}
    changes |= {"size": max(orders(state))} if step.targets else {}
    if step.targets:
        sides = zip(state.sides, step.targets, strict=True)
        changes["targets"] = [side.graph.target_set(list(S)).tolist() for side, S in sides]
    return {"text": step.text, "changes": changes}
