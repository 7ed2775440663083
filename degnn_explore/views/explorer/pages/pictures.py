"""The Explorer as a still picture with its caption, for nbconvert, GitHub and everybody without a kernel."""

from __future__ import annotations

from ....expressive.verdicts import Verdict
from ...widgets.canvas import Canvas
from ...widgets.still import figure, image
from ..presets import PRESETS
from ..state import ExplorerState
from ..verdict_table import Answers
from .svg import svg
from .tree_svg import tree_svg

_MOST_EDGES = 6_000  # of a picture in a notebook: 100 kB


def title_of(state: ExplorerState) -> str:
    """What an Explorer is about: its example, or its graphs."""
    graphs = " and ".join(dict.fromkeys(side.graph.title for side in state.sides if side.graph.title)) or "a graph"
    return next((it.title for it in PRESETS if it.key == state.preset_key), graphs)


def still(state: ExplorerState, canvas: Canvas, found: Answers) -> tuple[str, str]:
    """A caption, and HTML with the graphs as they are drawn, their folded subtrees and that caption.

    >>> from ..explorer import Explorer
    >>> explorer = Explorer(preset="hexagon")
    >>> explorer.wait()
    >>> caption, html = still(explorer.state, explorer.graph_canvas, explorer.verdicts)
    >>> caption.split(". ")[1]
    'A = {v0} · two triangles; B = {v0} · 6-cycle'
    """
    sides = range(len(state.sides))
    said = [f"Distance Encoding Explorer: {title_of(state)}", "; ".join(state.caption(k) for k in sides)]
    said.append(f"Colours: {canvas.legend_title}")
    told = [f"{name} from layer {it.layer}" for name, it in found.items() if isinstance(it, Verdict) and it.different]
    blind = [name for name, it in found.items() if isinstance(it, Verdict) and not it.different]
    if told or blind:
        said.append(f"A and B are told apart by {', '.join(told)}" if told else "No method tells A from B")
        if told and blind:
            said[-1] += f", not by {', '.join(blind)}"
    edges = len(canvas.edges) // 8
    if edges > _MOST_EDGES:
        said.append(f"Not every one of the {edges:,} edges is drawn")
    caption = ". ".join(said) + ". Run this cell to explore it."
    grown = state.layer > 0 and any(side.targets for side in state.sides)  # a root alone says nothing
    trees = [image(tree_svg(state), "Unrolled subtrees")] if grown else []
    return caption, figure(caption, image(svg(canvas, most=_MOST_EDGES), said[0]), *trees)
