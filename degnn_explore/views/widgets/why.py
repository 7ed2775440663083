"""The picture of a *Why?*: S and the edges that move its score, to click on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import traitlets

from .messages import PageWidget, script, whole
from .sheet import STYLE


class WhyPicture(PageWidget):
    """Nodes and edges are the state; `why.js` draws them. ``act(u, v)`` is called when a pair is clicked.

    >>> clicked = []
    >>> picture = WhyPicture(lambda u, v: clicked.append((u, v)), print)
    >>> picture.nodes = [{"name": "a"}, {"name": "b"}]
    >>> picture._handle_custom_msg({"type": "pair", "u": 1, "v": 0}, [])
    >>> clicked
    [(1, 0)]
    """

    _esm = script("late", "dom", "why")
    _css = STYLE

    nodes: Any = traitlets.List().tag(sync=True)  # x and y from 0 to 1, name, target
    edges: Any = traitlets.List().tag(sync=True)  # u, v among the nodes, change or None, state, words
    title = traitlets.Unicode("").tag(sync=True)

    def __init__(self, act: Callable[[int, int], None], refuse: Callable[[Exception], None]) -> None:
        super().__init__()
        node = whole(lambda: len(self.nodes))
        self.hear("pair", act, refuse, u=node, v=node)
