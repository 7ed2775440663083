"""The canvas: one widget that draws one or two graphs, side by side or stacked, and in step."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import traitlets
from numpy.typing import NDArray

from .messages import PageWidget, numbers, script, whole

_HERE = Path(__file__).parent


class Canvas(PageWidget):
    """Nodes, edges and colour codes as synced traits; `canvas.js` draws them and reports what is picked.

    All panels share one list of nodes: panel k holds nodes ``starts[k]`` to ``starts[k + 1] - 1``. Everything
    shown is a trait, so that a page reload shows the same picture.
    """

    _esm = script("late", "dom", "canvas_geometry", "canvas_drawing", "canvas")
    _css = _HERE / "explorer.css"

    positions = traitlets.Bytes(b"").tag(sync=True)  # float32 [n, 2], y upwards
    edges = traitlets.Bytes(b"").tag(sync=True)  # uint32 [m, 2]
    edge_styles = traitlets.Bytes(b"").tag(sync=True)  # uint8 [m]: 0 plain, 2 cut (dotted); empty: all plain
    starts = traitlets.List([0, 0]).tag(sync=True)
    codes = traitlets.Bytes(b"").tag(sync=True)  # uint16 [n]: each node's entry in the legend
    values = traitlets.Bytes(b"").tag(sync=True)  # float32 [n] where codes are only bins of a real value, else empty
    legend: Any = traitlets.List().tag(sync=True)  # entries with label, mark, colour, ink and counts (None: not listed)
    legend_title = traitlets.Unicode("").tag(sync=True)
    legend_note = traitlets.Unicode("").tag(sync=True)
    names: Any = traitlets.List().tag(sync=True)
    notes: Any = traitlets.List().tag(sync=True)  # a second line for the hover box, one a node, or empty
    targets: Any = traitlets.List().tag(sync=True)
    letters: Any = traitlets.List().tag(sync=True)
    captions: Any = traitlets.List().tag(sync=True)
    title = traitlets.Unicode("").tag(sync=True)
    note = traitlets.Unicode("").tag(sync=True)
    description = traitlets.Unicode("Graph. Arrow keys walk along edges, Enter picks, Escape clears.").tag(sync=True)
    busy = traitlets.Unicode("").tag(sync=True)  # over the picture, while another one is being laid out
    home = traitlets.Bytes(b"").tag(sync=True)  # the positions before nodes were dragged, for Fit; empty: none were
    camera = traitlets.List([1.0, 0.0, 0.0]).tag(sync=True)  # zoom and offset, kept over a reload
    link = traitlets.Unicode("").tag(sync=True)  # canvases with the same link light up together
    serial = traitlets.Int(0).tag(sync=True)  # counts the recolourings, for measuring how long one takes

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.node = whole(lambda: self.starts[-1])  # what the number of a drawn node must be, for :meth:`hear`
        self.from_page = {"positions": self._moved, "home": self._home, "camera": numbers(3)}

    def _moved(self, value: Any) -> str:
        places = np.frombuffer(value, dtype="u1") if isinstance(value, bytes | memoryview) else np.zeros(0, dtype="u1")
        fits = len(places) == len(self.positions) and np.isfinite(places.view("<f4")).all()
        return "" if fits else "a finite place for each node"

    def _home(self, value: Any) -> str:
        return "" if isinstance(value, bytes | memoryview) and not len(value) else self._moved(value)

    def put(
        self,
        *,
        positions: NDArray[np.floating[Any]],
        edges: NDArray[np.integer[Any]],
        starts: Sequence[int] | None = None,
        **texts: Any,
    ) -> None:
        """Shows other nodes and edges, in one message; ``texts`` are further traits by name."""
        with self.hold_sync():
            self.positions = np.ascontiguousarray(positions, dtype="<f4").tobytes()
            self.edges = np.ascontiguousarray(edges, dtype="<u4").tobytes()
            self.edge_styles = self.home = b""
            self.starts = [0, len(positions)] if starts is None else [int(s) for s in starts]
            for name, value in texts.items():
                self.set_trait(name, value)

    def recolour(
        self, codes: NDArray[np.integer[Any]], values: NDArray[np.floating[Any]] | None = None, **texts: Any
    ) -> None:
        """Shows other colours and targets; positions and edges are not sent again."""
        with self.hold_sync():
            self.codes = np.ascontiguousarray(codes, dtype="<u2").tobytes()
            self.values = b"" if values is None else np.ascontiguousarray(values, dtype="<f4").tobytes()
            self.serial += 1
            for name, value in texts.items():
                self.set_trait(name, value)

    def take_focus(self) -> None:
        """The keyboard goes on here: the control that had it is gone."""
        self.send({"type": "focus"})
