"""The Explorer as one HTML file that lives without a kernel or a network: its own widgets, and every answer."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ....common.errors import ParameterError, one_of
from ....common.files import readable_size
from ....common.palette import categorical, text_on
from ...lessons.tours import tour as find_tour
from ...widgets import still
from ...widgets.bar import Bar
from ...widgets.canvas import Canvas
from ...widgets.glossary import TERMS, Glossary
from ...widgets.messages import PageWidget
from ...widgets.messages import script as of_parts
from ...widgets.panel import close_tree
from ...widgets.strip import VerdictStrip
from ...widgets.subtree import SubtreeView
from ..scene import Scene
from ..state import ExplorerState
from ..verdict_table import Question, answers, pills, reason
from .pictures import title_of
from .precomputed import Packer, check, colourings_of, orders, packed, precompute

CONTROLS = ("pick", "colour_by", "layer", "size")
MAX_BYTES = 5_000_000
_HERE = Path(still.__file__).parent
_WIDGETS: dict[str, type[PageWidget]] = {
    "canvas": Canvas,
    "subtree": SubtreeView,
    "strip": VerdictStrip,
    "bar": Bar,
    "glossary": Glossary,
}
_LOOK = """
body { margin: 0; background: var(--jp-layout-color1, #fff); }
.de-page-part { flex: 1 1 0; min-height: 0; min-width: 0; display: flex; }
main.de-screen { display: flex; flex-direction: column; max-width: 1700px; margin: 0 auto; padding: 10px 14px; --de-room: clamp(330px, calc(100vh - 220px), 900px); }
.de-card { display: flex; flex-direction: column; }
h1.de-name { margin: 0; white-space: normal; }
.de-lesson-text { flex: 1 1 320px; }
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
    for name, widget in _WIDGETS.items():
        inside = re.sub(r"^export (?!default)", "", str(widget._esm), flags=re.MULTILINE)
        inside = re.sub(r"^export default (.*);\s*\Z", r"return \1;", inside, flags=re.MULTILINE)
        parts.append(f"{name}: (() => {{\n{inside}\n}})(),")
    own = re.sub(r"^export ", "", of_parts("dom", "page"), flags=re.MULTILINE)
    made = "const widgets = {\n" + "\n".join(parts) + "\n};\n" + own
    return made.replace("</script", "<\\/script")


def living(explorer: Shown, controls: Iterable[str] = CONTROLS, tour: str = "") -> str:
    """The page: the widgets as they stand, and what a reader may ask for, computed beforehand."""
    wanted = [one_of("controls", name, CONTROLS) for name in controls]
    explorer.wait()
    strip, opening = explorer.strip, explorer.state
    steps = []
    scenes = {_fixed(opening): opening}  # what a page can show without another graph or other classes
    said = [
        {_key(opening): {"hint": strip.hint, "pills": strip.pills, "moves": strip.moves}}
    ]  # the library's own words
    for step in find_tour(tour).steps if tour else ():
        state = ExplorerState.of_preset(step.preset)
        state.arrange(step.preset, step.targets, step.settings)
        check(state)
        scenes.setdefault(_fixed(state), state)
        number = list(scenes).index(_fixed(state))
        said += [{}] * (len(scenes) - len(said))
        if _key(state) not in said[number]:
            said[number] = {**said[number], _key(state): _judged(state)}
        shown = {"text": step.text, "look": step.look, "method": step.method, "title": title_of(state)}
        steps.append({**shown, "scene": number, "state": _state(state)})
    codes = []
    for state, words in zip(scenes.values(), said, strict=True):
        more = {"controls": wanted, "tour": steps, "said": words, "strip": _plain(strip)}
        if state is opening:
            codes.append(_lesson(state, explorer.graph_canvas, explorer.tree_view, more))
            continue
        scene = Scene(state, explorer.graph_canvas.link)
        scene.draw_graphs()
        codes.append(_lesson(state, scene.graph, scene.tree, more))
        close_tree(scene.graph, scene.tree)
    body = '<div id="de-page"></div>' + "".join(f'<div class="de-data" hidden>{code}</div>' for code in codes)
    style = (_HERE / "explorer.css").read_text() + (_HERE / "subtree.css").read_text() + _LOOK
    page = still.page(title_of(opening), body, style, script())
    if len(page) > MAX_BYTES:
        raise ParameterError(
            f"The page would take {readable_size(len(page))}, more than {readable_size(MAX_BYTES)}: all that a reader "
            "may pick is computed beforehand. Take a smaller graph, or compare sets of one graph instead of two."
        )
    return page


def _lesson(state: ExplorerState, canvas: Canvas, tree: SubtreeView, more: dict[str, Any]) -> str:
    """One example with all that can be asked of it, compressed, as text."""
    about, data = precompute(state)
    packer = Packer([data], len(data))
    places = {
        name: packer.put(np.frombuffer(getattr(canvas, name), dtype="u1"), "u1") for name in ("positions", "edges")
    }
    titles = [side.graph.title for side in state.sides]
    lesson = {
        **about,
        **more,
        "title": title_of(state),
        "idea": state.idea,
        "titles": titles if len(set(titles)) > 1 else [""] * len(titles),
        "canvas": _plain(canvas) | places | {"busy": ""},
        "subtree": _plain(tree) | {"step": -1, "effects": []},
        "terms": TERMS,
        "palette": [{"colour": colour, "ink": text_on(colour)} for colour in categorical(18)],
        "methods": [
            {
                "name": name,
                "what": it.what,
                "titles": {p: it.title(p, state.hops) for p in orders(state)},
                "yours": it.own is not None,
            }
            for name, it in Question.of(state).methods.items()
        ],
        "state": _state(state),
    }
    return base64.b64encode(b"".join(packed(lesson, b"".join(packer.parts)))).decode()


def _key(state: ExplorerState) -> str:
    """The target sets, as the page's script writes them."""
    return json.dumps([list(side.targets) for side in state.sides], separators=(",", ":"))


def _judged(state: ExplorerState) -> dict[str, Any]:
    """What the strip says of the state's target sets."""
    question = Question.of(state)
    if question.hint:
        return {"hint": question.hint, "pills": [], "moves": []}
    found = dict(answers(question))
    alike = reason(question, found)
    first = state.sides[0].graph.num_nodes
    moves = [(u, first + v) for u, v in enumerate(alike.mapping)]
    return {"hint": "", "pills": pills(question, found, alike), "moves": moves}


def _plain(widget: PageWidget) -> dict[str, Any]:
    """The traits that a page shows, except bytes, which are packed or made anew."""
    names = [name for name in widget.keys if not name.startswith("_") and name not in ("layout", "tabbable", "tooltip")]
    return {name: value for name in names if not isinstance(value := getattr(widget, name), bytes)}


def _fixed(state: ExplorerState) -> tuple[Any, ...]:
    """What a reader of a page cannot change."""
    graphs = (side.source or id(side.graph) for side in state.sides)
    return (*graphs, state.cut, state.hops, state.step)


def _state(state: ExplorerState) -> dict[str, Any]:
    picked = max(1, *(len(side.targets) for side in state.sides))
    kept = {name: getattr(state, name) for name in ("layer", "hops", "cut", "root")}
    kept["colour_by"] = state.colour_by if state.colour_by in colourings_of(state) else "SPD"
    size = min(state.size or picked, max(orders(state)))
    return {**kept, "size": size, "targets": [list(side.targets) for side in state.sides]}
