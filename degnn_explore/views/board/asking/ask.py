"""The board's "Ask the model": an Explorer whose picked set is put to the trained models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import ipywidgets as W
import numpy as np

from ....common.errors import ParameterError
from ....graphs.graph import Graph
from ....learn.tasks import Task
from ....study.density import corrected
from ....study.judged import Shelf
from ....study.records import Run
from ...explorer.explorer import Explorer
from ...explorer.state import ExplorerState, Side
from ...widgets.html import box, guarded, tag, text
from ...widgets.spot import Spot
from ..figures import paint
from ..missing_links import MissingLinks
from ..texts import set_name, share
from .why import Why

if TYPE_CHECKING:
    from ....learn.nets.base import SetNet


class Ask:
    """Asks the models of one seed about the set that is picked; errors go to ``failed``."""

    def __init__(self, graph: Graph, failed: Callable[[BaseException], None]) -> None:
        self.show_error = failed
        self._shelf: Shelf | None = None
        self._runs: Sequence[Run] = ()
        self._best, self._seed = "", 0
        self._graph: Graph | None = None
        self.explorer = Explorer(graph)
        self.explorer.become_part()
        self.explorer.state.observe(self._changed)
        self._answer = W.HTML(tag("div", "No trained model yet: press Start, then pick nodes.", "de-hint"))
        self.missing = MissingLinks(self._search, lambda pair: self.explorer.state.choose(0, np.array(pair)))
        self.why = Why(self._search, failed)
        self.spot = Spot()
        head = box("de-row", W.HTML(tag("span", "Ask the model", "de-head")), self.why.toggle, self.missing.button)
        self.box = box("de-card", self.spot, head, self._answer, self.why.box, self.missing.box, self.explorer)

    def put(self, shelf: Shelf, runs: Sequence[Run], best: str) -> None:
        """Asks these models from now on, on the graph that seed 0 was trained on."""
        self._shelf, self._runs, self._best = shelf, runs, best
        task = shelf.task(0)
        self.missing.button.layout.display = "" if task.p == 2 else "none"
        if self._graph is not task.graph:
            self.open_set(shelf, 0, [])
        else:
            self._say()

    def open_set(self, shelf: Shelf, seed: int, nodes: Sequence[int]) -> None:
        """Shows a set in the Explorer, on the graph of a seed."""
        task = shelf.task(seed)
        if self._graph is not task.graph:
            self.missing.clear()
        self._shelf, self._seed, self._graph = shelf, seed, task.graph
        state = ExplorerState(Side(task.graph, tuple(nodes)))
        state.size, state.cut = task.p, task.p > 1
        state.idea = (
            "This is the graph that the models were trained on"
            + (": the held-out links are not in it" if task.graph.num_edges < task.full_graph.num_edges else "")
            + f". Click {'a node' if task.p == 1 else f'{task.p} nodes'} to ask about."
        )
        self.explorer.state.take(state)

    def _changed(self, changed: set[str]) -> None:
        if changed & {"targets", "graphs"}:
            self._say()

    @guarded
    def _say(self) -> None:
        """The models' scores for the picked set."""
        if self._shelf is not None:
            self._answer.value = self._words(self._shelf)
            self.why.show()

    def _words(self, shelf: Shelf) -> str:
        picked = list(self.explorer.state.sides[0].nodes)
        task = shelf.task(self._seed)
        hint = ""
        if len(self.explorer.state.sides) != 1 or self.explorer.state.sides[0].graph is not task.graph:
            hint = "The Explorer shows another graph; open a mistake above to come back."
        elif len(picked) != task.p:
            hint = f"Pick {task.p} node{'s' if task.p > 1 else ''} in the graph below; {len(picked)} picked so far."
        answers = {} if hint else shelf.ask(self._runs, picked, self._seed)
        if not answers:
            return tag("div", hint or f"No trained model with seed {self._seed} yet.", "de-hint")
        names, prior = task.class_names, shelf.density
        parts = []
        for model, p in answers.items():
            said = f"{p[0]:.3f}" if p.ndim == 1 else f"{names[int(p[0].argmax())]}, {p[0].max():.3f}"
            dot = f'<span class="de-dot" style="background:{text(paint(model))}"></span>'
            stands_for = f" about {share(corrected(p[0], prior))}" if prior is not None else ""
            answer = f"{tag('span', model)} {tag('b', said)}{tag('span', stands_for, 'de-hint')}"
            parts.append(f'<span data-model="{text(model)}">{dot}{answer}</span>')
        head = f"{set_name(task.full_graph, picked)}: " + ("class" if task.p == 1 else f"score for “{names[1]}”")
        if prior is not None:
            head += f", and what it stands for where {share(prior)} of all are {names[1]}"
        truth = tag("div", _truth(task, picked), "de-notes")
        return f'{tag("div", head)}<div class="de-answers">{"".join(parts)}</div>{truth}'

    def _search(self) -> tuple[dict[str, SetNet], Task, list[int]]:
        """Whom to ask for missing links, the best model first, and near which set."""
        if self._shelf is None:
            raise ParameterError("No trained model yet; press Start first.")
        there = self._shelf.of_seed(self._runs, self._seed)
        order = sorted(there, key=lambda name: name != self._best)
        models = {name: self._shelf.model(there[name]) for name in order}
        return models, self._shelf.task(self._seed), list(self.explorer.state.sides[0].nodes)


def _truth(task: Task, picked: Sequence[int]) -> str:
    """What is known of the set."""
    full = task.full_graph
    if task.p == 1:
        label = -1 if full.labels is None else int(full.labels[picked[0]])
        return f"In truth: {task.class_names[task.classes.index(label)]}." if label >= 0 else "It has no label."
    pairs = [(u, v) for i, u in enumerate(picked) for v in picked[i + 1 :]]
    linked, known = (bool(graph.has_edges(pairs).all()) for graph in (full, task.graph))
    what = {2: "linked", 3: "a triangle"}[task.p]
    held_out = ", held out from training." if linked and not known else "."
    return f"In truth: {what if linked else 'not ' + what}{held_out}"
