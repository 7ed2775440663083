"""The board's "Why?": what moves a trained model's score for the picked set, and what if an edge were not there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import ipywidgets as W
import numpy as np

from ....common.errors import ParameterError
from ....common.numbers import signed
from ....learn.tasks import Task
from ...widgets.html import box, button, guarded, tag
from ...widgets.sheet import Sheet, cell, column
from ...widgets.subtree import SubtreeView
from ...widgets.why import WhyPicture
from ..figures import paint
from ..texts import set_name
from .branches import subtrees_of
from .tables import TABLES, Pair, in_words, picture_of, strongest

if TYPE_CHECKING:
    from ....learn.nets.base import SetNet
    from ....learn.why.explaining import Explanation

_PARTS = [("Edges and nodes", "edges"), ("Branches", "branches"), ("Distances", "rings")]
_ABOUT = {
    "edges": "Each edge and node left out by itself, everything computed anew. Click an edge, or two nodes one after "
    "the other, to see what all models would say if it were not there, or were.",
    "branches": "Each branch of the trees that the network computes along, cut off by itself: the wider a line the "
    "more the score changes without it, − where it falls. Folded, a line is cut wherever that subtree stands.",
    "rings": "The encoding blanked: every node of the ring gets the average of all, as if all were equally far from S.",
}
_KEY = (
    ("de-why-for", 5, "speaks for it: without it the score falls"),
    ("de-why-against", 5, "speaks against it"),
    ("de-why-rest", 1.5, "other edges"),
)


class Why:
    """A button and the panel that it opens; ``ask()`` gives the trained models, their task and the picked nodes."""

    def __init__(
        self, ask: Callable[[], tuple[dict[str, SetNet], Task, list[int]]], failed: Callable[[BaseException], None]
    ) -> None:
        self._ask, self.show_error = ask, failed
        self.why: Explanation | None = None
        self.changes: list[Pair] = []  # edges left out, and pairs put in
        self._asked: tuple[Any, ...] = ()  # what ``why`` is the answer to
        self._drawn: list[int] = []  # the nodes of the picture
        self._rows: list[list[Pair]] = []  # the edges that each row of the table stands for
        self._quiet = False
        tip = "What moves this score, and what if an edge were not there"
        self.toggle = W.ToggleButton(description="Why?", tooltip=tip, layout=W.Layout(width="auto"))
        self.model = W.Dropdown(description="Model", options=[], style={"description_width": "initial"})
        self.part = W.ToggleButtons(options=_PARTS, style={"button_width": "auto"})
        self._title, self._about, self._note, self._if = (W.HTML() for _ in range(4))
        self.picture, self.subtrees = WhyPicture(self._clicked, failed), SubtreeView()
        self.sheet, self.answers = Sheet(), Sheet()
        self.sheet.on_row(self._row)
        back = button("Put all back", "The graph as it is", self.put_back)
        self._what_if = box("de-what-if", box("de-row", self._if, back), self.answers)
        self._pictured = box("de-why-left", self.picture, W.HTML(f'<div class="de-why-key">{_key()}</div>'))
        self._trees = box("de-why-trees", self.subtrees)
        self._left = box("de-why-left", self._pictured, self._trees, self._what_if)
        columns = box("de-cards", self._left, box("de-why-right", self.sheet, self._note))
        self.box = box("de-why", box("de-row", self._title, self.model, self.part), self._about, columns)
        self.box.layout.display = "none"
        for control in (self.toggle, self.model, self.part):
            control.observe(lambda _: self.show(), "value")

    @guarded
    def show(self) -> None:
        """Shows what there is to say of the picked set, if the panel is open."""
        if self._quiet:
            return
        self.box.layout.display = "" if self.toggle.value else "none"
        if not self.toggle.value:
            return
        models, task, picked = self._ask()
        self._offer(list(models))
        if not models or len(picked) != task.p:
            self._asked, self.why = (), None
            self._say(
                f"Pick {task.p} node{'s' if task.p > 1 else ''} in the graph below, and see what moves the score."
            )
            return
        self._explain(models, task, picked)
        if self.why is not None:
            self._answer(models, task, picked)
            self._draw(self.why, task)

    def _offer(self, names: list[str]) -> None:
        """Which models can be asked; the one that was asked stays."""
        if list(self.model.options) != names:
            self._quiet = True
            try:
                kept, self.model.options = self.model.value, names
                self.model.value = kept if kept in names else next(iter(names), None)
            finally:
                self._quiet = False

    def _say(self, words: str) -> None:
        """Nothing is explained; why not."""
        self._title.value, self._about.value = tag("div", "Why?", "de-head"), tag("div", words, "de-hint")
        self._note.value, self.sheet.rows, self.sheet.empty = "", [], ""
        self._left.layout.display = "none"

    def _explain(self, models: dict[str, SetNet], task: Task, picked: list[int]) -> None:
        from ....learn.why.explaining import explain

        name = self.model.value
        asked = (id(task.graph), tuple(picked), name, id(models[name]))
        if asked == self._asked:
            return
        if asked[:2] != self._asked[:2]:
            self.changes = []
        self._say(f"{name} is asked about {set_name(task.full_graph, picked)} …")
        self._asked, self.why = asked, None
        try:
            self.why = explain(models[name], task.graph, np.array(picked))
        except ParameterError as error:  # a model that cannot be asked; the others can
            self._say(str(error))

    # ---- what if ------------------------------------------------------------------------------

    def _clicked(self, u: int, v: int) -> None:
        self.change([(self._drawn[u], self._drawn[v])])

    def _row(self, row: int) -> None:
        self.change(self._rows[row])

    @guarded
    def change(self, pairs: list[Pair]) -> None:
        """Leaves these edges out, or puts them in where there are none; asked once more, they are as they were."""
        wanted = {(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]}
        if self.why is not None and any(set(pair) <= set(self.why.S) for pair in wanted):
            raise ParameterError("Edges between targets are cut in any case before a set is judged; take another pair.")
        done = wanted <= set(self.changes)
        self.changes = [pair for pair in self.changes if pair not in wanted] + ([] if done else sorted(wanted))
        self.show()

    def put_back(self) -> None:
        """The graph as it is."""
        self.changes = []
        self.show()

    def _answer(self, models: dict[str, SetNet], task: Task, picked: list[int]) -> None:
        """What all models would say of the graph with the changes, beside what they say."""
        from ....learn.why.what_if import scores_if

        self._what_if.layout.display = "" if self.changes else "none"
        if not self.changes:
            return
        pairs, rows = np.array(self.changes, dtype=np.int64), []
        for name, model in models.items():
            row = [cell(name, dot=paint(name))]
            try:
                before, after = scores_if(model, task.graph, np.array(picked), [pairs[:0], pairs]).reshape(2, -1)
                given = int(before.argmax())  # the class that is given to the set; of two there is one number
                named = f"{task.class_names[given]}, " if len(before) > 1 else ""
                change = float(after[given] - before[given])
                row += [cell(f"{named}{before[given]:.3f}", float(before[given])), cell(f"{after[given]:.3f}")]
                row += [cell(signed(change, 3), change, "de-strong")]
            except ParameterError:
                row += [cell("—", -1.0), cell("—", -1.0), cell("would have to be trained anew", 0.0, "de-hint")]
            rows.append(row)
        words = in_words(task.graph, self.changes)
        more = f" and {len(words) - 4} more" if len(words) > 4 else ""
        self._if.value = tag("div", f"What if: {', '.join(words[:4])}{more}", "de-head")
        heads = (("model", ""), ("score", ""), ("if so", "The score in the changed graph"), ("change", ""))
        with self.answers.hold_sync():
            self.answers.columns = [column(name, about) for name, about in heads]
            self.answers.rows = rows

    # ---- pictures and tables --------------------------------------------------------------------

    def _draw(self, why: Explanation, task: Task) -> None:
        part = self.part.value
        named = task.class_names[task.classes.index(why.label)]
        self._title.value = tag("div", f"Why {why.score:.3f} for “{named}”?", "de-head")
        self._about.value = tag("div", _ABOUT[part], "de-notes")
        self._pictured.layout.display = "" if part == "edges" else "none"
        trees = part == "branches" and why.along is not None
        self._trees.layout.display = "" if trees else "none"
        self._left.layout.display = "" if part == "edges" or trees or self.changes else "none"
        columns, rows = TABLES[part](why)
        with self.sheet.hold_sync():
            self.sheet.action = "what if" if part == "edges" else ""
            self.sheet.columns, self.sheet.rows = columns, rows
            self.sheet.empty = " ".join(note for note in why.notes if note.startswith(part.title()))
        wanted = "Of " if part == "edges" else f"{part.title()}:"
        notes = " ".join(note for note in why.notes if note.startswith(wanted)) if rows else ""
        self._note.value = tag("div", notes, "de-notes")
        if trees:
            self.subtrees.put(**subtrees_of(why))
        if part == "edges":
            self._rows = [pairs for pairs, _, _ in strongest(why)]
            self._drawn, nodes, edges = picture_of(why, self.changes)
            with self.picture.hold_sync():
                self.picture.nodes, self.picture.edges, self.picture.title = nodes, edges, why.title


def _key() -> str:
    """What the lines of the picture mean."""
    return "".join(
        f'<span><svg width="34" height="8"><line x1="1" y1="4" x2="33" y2="4" class="{css}" stroke-width="{width}"/>'
        f"</svg>{words}</span>"
        for css, width, words in _KEY
    )
