"""The verdict strip: one pill a method with its answer, and the sentence of one of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import traitlets

from .messages import PageWidget, script, text


class VerdictStrip(PageWidget):
    """Pills, a sentence and a table, drawn by `strip.js`, which needs no kernel to choose a pill.

    A pill is ``name, title, what, answer`` ("yes", "no", "busy", or "none": not computed), ``layer``, ``why``, and
    ``more``: why a method that says no fails. Hovering a node on the linked canvas lights where ``moves`` takes it.
    """

    _esm = script("late", "dom", "strip")
    _css = Path(__file__).with_name("explorer.css")

    pills: Any = traitlets.List().tag(sync=True)
    hint = traitlets.Unicode("").tag(sync=True)  # instead of pills: what is missing before there is anything to answer
    moves: Any = traitlets.List().tag(
        sync=True
    )  # [u, v]: a map of nodes that takes A to B, as the linked canvas counts
    chosen = traitlets.Unicode("").tag(sync=True)  # whose sentence is asked for; "": one's own ζ, or the first "yes"
    expanded = traitlets.Bool(False).tag(sync=True)  # whether the table of all reasons is open
    link = traitlets.Unicode("").tag(sync=True)  # lights up nodes of the canvas with the same link

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.from_page = {"chosen": text(100), "expanded": lambda value: "" if type(value) is bool else "yes or no"}
