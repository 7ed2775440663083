"""What the network sees: the unrolled subtrees of some roots, as trees or folded, drawn by the page alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import traitlets

from .messages import Check, PageWidget, script

_HERE = Path(__file__).parent


def _one_of(*values: Any) -> Check:
    return lambda value: "" if any(value is v or value == v for v in values) else f"one of {values}"


class SubtreeView(PageWidget):
    """Arcs and colour classes as synced traits; `subtree.js` folds, compares and draws them.

    Nodes are numbered from 0, those of both sides in one row. A reader's clicks change only ``form``, ``method``,
    ``named`` and ``step``, and need no kernel.
    """

    _esm = script("late", "dom", "subtree_folding", "subtree_drawing", "subtree")
    _css = (_HERE / "explorer.css").read_text() + (_HERE / "subtree.css").read_text()

    # what is shown
    indptr = traitlets.Bytes(b"").tag(sync=True)  # uint32 [n + 1]: arcs in CSR form, none for the outermost nodes
    indices = traitlets.Bytes(b"").tag(sync=True)  # uint32 [arcs]
    tags = traitlets.Bytes(b"").tag(sync=True)  # uint8 [arcs]: hops, up to K; empty: all 1
    classes = traitlets.Bytes(b"").tag(sync=True)  # uint32 [layers + 1, n]: equal where the encoded GNN cannot tell
    plain = traitlets.Bytes(b"").tag(sync=True)  # the same for 1-WL; both mean the same on both sides
    codes = traitlets.Bytes(b"").tag(sync=True)  # uint16 [n]: each node's entry in the legend
    legend: Any = traitlets.List().tag(sync=True)  # entries with label, mark, colour and ink
    legend_title = traitlets.Unicode("").tag(sync=True)  # what the labels are, such as "distance to S"
    listed = traitlets.Bool(False).tag(sync=True)  # whether the legend is written below: the graphs show another one
    names: Any = traitlets.List().tag(sync=True)
    drawn = traitlets.Bytes(b"").tag(sync=True)  # int32 [n]: the number on the linked canvas, -1: not drawn there
    roots: Any = traitlets.List().tag(sync=True)
    letters: Any = traitlets.List().tag(sync=True)  # of each root: A or B, or S where there is one set
    layers = traitlets.Int(0).tag(sync=True)
    encoding = traitlets.Unicode("DE").tag(sync=True)  # the word on the toggle beside 1-WL
    # how much a score changes without a line, drawn by width and sign: "folded": [level, node above, node below, hop,
    # change], and "tree": [root, [hop, node, hop, node, ...] down from it, change]
    effects: Any = traitlets.Dict().tag(sync=True)
    note = traitlets.Unicode("").tag(sync=True)
    link = traitlets.Unicode("").tag(sync=True)  # the canvas with the same link lights up together

    # how a reader looks at it
    form = traitlets.Unicode("").tag(sync=True)  # "tree", "folded", or "" for what suits the depth
    method = traitlets.Unicode("DE").tag(sync=True)  # "DE" or "1-WL"
    named = traitlets.Bool(False).tag(sync=True)
    step = traitlets.Int(-1).tag(sync=True)  # the layer that Play has come to; -1: all

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.from_page = {
            "form": _one_of("tree", "folded"),
            "method": _one_of("DE", "1-WL"),
            "named": _one_of(True, False),
            "step": lambda value: "" if type(value) is int and -1 <= value <= self.layers else "a layer, or -1",
        }

    def put(self, **traits: Any) -> None:
        """Shows other subtrees, in one message."""
        with self.hold_sync():
            self.step = -1
            for name, value in traits.items():
                self.set_trait(name, value)
