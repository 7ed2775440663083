"""The board's "Ask the model": an Explorer whose picked set is put to the trained models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import ipywidgets as W
import numpy as np

from ....common.errors import ParameterError
from ....graphs.graph import Graph
from ....learn.own_tasks import words_of
from ....learn.task import Task
from ....studies.density import corrected, density, learnt_share
from ....studies.judged import Shelf
from ....studies.records import Run
from ...explorer.explorer import Explorer
from ...explorer.state import ExplorerState, Side
from ...widgets.html import box, guarded, tag, text
from ...widgets.spot import Spot
from ..controls import Controls
from ..figures import paint
from ..missing_links import MissingLinks
from ..texts import set_name, share
from .why import Why

if TYPE_CHECKING:
    from ....learn.nets.base import SetNet


_HOME, _BELOW = "", " "  # in the menu of graphs: where the models were trained, and what was opened below


class Ask:
    """Asks the models of one seed about the set that is picked, on their graph or another; errors go to ``failed``.

    ``controls`` has the graphs to choose from; any that is opened in the Explorer below can be asked about as well.
    """

    def __init__(self, graph: Graph, controls: Controls, failed: Callable[[BaseException], None]) -> None:
        self._controls, self.show_error = controls, failed
        self._shelf: Shelf | None = None
        self._runs: Sequence[Run] = ()
        self._best, self._seed = "", 0
        self._graph: Graph | None = None  # where the models of this seed were trained
        self._elsewhere: Graph | None = None  # chosen in the menu instead
        self._prior: tuple[Graph, float | None] | None = None
        self._quiet = False
        self.explorer = Explorer(graph)
        self.explorer.become_part()
        self.explorer.state.observe(self._changed)
        self._answer = W.HTML(tag("div", "No trained model yet: press Start, then pick nodes.", "de-hint"))
        self.missing = MissingLinks(self._search, lambda pair: self.explorer.state.choose(0, np.array(pair)))
        self.why = Why(self._to_explain, failed)
        self.spot = Spot()
        first = [("their training graph", _HOME)]
        self.graph = W.Dropdown(description="On", options=first, style={"description_width": "initial"})
        self.graph.observe(lambda _: self._turn(), "value")
        title = W.HTML(tag("span", "Ask the model", "de-head"))
        head = box("de-row", title, self.graph, self.why.toggle, self.missing.button)
        self.box = box("de-card", self.spot, head, self._answer, self.why.box, self.missing.box, self.explorer)

    def put(self, shelf: Shelf, runs: Sequence[Run], best: str) -> None:
        """Asks these models from now on, those of the seed that is open."""
        self._runs, self._best = runs, best
        if shelf is self._shelf:
            self._say()
        else:
            self.open_set(shelf, 0, [])

    def open_set(self, shelf: Shelf, seed: int, nodes: Sequence[int]) -> None:
        """Shows a set in the Explorer, on the graph of a seed."""
        task = shelf.task(seed)
        if self._graph is not task.graph:
            self.missing.clear()
        self._shelf, self._seed, self._graph, self._elsewhere = shelf, seed, task.graph, None
        held_out = ": the held-out links are not in it" if task.graph.num_edges < task.full_graph.num_edges else ""
        self._show(task.graph, nodes, f"This is the graph that the models were trained on{held_out}.")

    def _show(self, graph: Graph, nodes: Sequence[int], idea: str) -> None:
        assert self._shelf is not None
        p = self._shelf.plan.p
        state = ExplorerState(Side(graph, tuple(nodes)))
        state.size, state.cut = p, p > 1
        state.idea = f"{idea} Click {'a node' if p == 1 else f'{p} nodes'} to ask about."
        self.explorer.state.take(state)

    @guarded
    def _turn(self) -> None:
        """Another graph was chosen in the menu."""
        if self._quiet or self._shelf is None or self.graph.value == _BELOW:
            return
        if self.graph.value == _HOME:
            self.open_set(self._shelf, self._seed, [])
        else:
            self._elsewhere = self._controls.find(self.graph.value)
            self._show(self._elsewhere, [], "The models have not seen this graph: they were trained on another.")

    def _changed(self, changed: set[str]) -> None:
        if changed & {"targets", "graphs"}:
            self._say()

    @guarded
    def _say(self) -> None:
        """The models' scores for the picked set."""
        if self._shelf is None:
            return
        task, home, picked = self._asked(self._shelf)
        self._offer(task.graph, home)
        self.missing.button.layout.display = self.missing.box.layout.display = (
            "" if home and task.kind == "links" else "none"
        )
        self._answer.value = self._words(self._shelf, task, home, picked)
        self.why.show()

    def _asked(self, shelf: Shelf) -> tuple[Task, bool, list[int]]:
        """The task on the graph that was clicked last, whether that is the training graph, and the picked nodes."""
        state, task = self.explorer.state, shelf.task(self._seed)
        side = state.sides[state.active]
        home = side.graph is task.graph
        return task if home else replace(task, graph=side.graph, full_graph=side.graph), home, list(side.nodes)

    def _offer(self, graph: Graph, home: bool) -> None:
        """The menu of graphs, at the one that is shown."""
        chosen = _HOME if home else self.graph.value if graph is self._elsewhere else _BELOW
        options = [("their training graph", _HOME), *self._controls.graph.options]
        if chosen == _BELOW:
            options.append(("the graph opened below", _BELOW))
        self._quiet = True
        try:
            if list(self.graph.options) != options:
                self.graph.options = options
            self.graph.value = chosen
        finally:
            self._quiet = False

    def _words(self, shelf: Shelf, task: Task, home: bool, picked: list[int]) -> str:
        if len(picked) != task.p:
            hint = f"Pick {task.p} node{'s' if task.p > 1 else ''} in the graph below; {len(picked)} picked so far."
            return tag("div", hint, "de-hint")
        answers = shelf.ask(self._runs, picked, self._seed, task.graph)
        if not answers:
            return tag("div", f"No trained model with seed {self._seed} yet.", "de-hint")
        names, prior, several = task.class_names, self._density(shelf, task, home), task.num_classes > 2
        parts, refused = [], []
        for model, p in answers.items():
            if isinstance(p, ParameterError):
                refused.append(tag("div", str(p), "de-hint"))
                continue
            said = f"{names[int(p[0].argmax())]}, {p[0].max():.3f}" if several else f"{p[0]:.3f}"
            dot = f'<span class="de-dot" style="background:{text(paint(model))}"></span>'
            meant = "" if prior is None else f" about {share(corrected(p[0], prior, learnt_share(task)))}"
            answer = f"{tag('span', model)} {tag('b', said)}{tag('span', meant, 'de-hint')}"
            parts.append(f'<span data-model="{text(model)}">{dot}{answer}</span>')
        head = f"{set_name(task.full_graph, picked)}: " + ("class" if several else f"score for “{names[1]}”")
        if prior is not None:
            head += f", and what it stands for where {share(prior)} of all are {names[1]}"
        truth = tag("div", _truth(task, picked) if home else _truth_here(task, picked), "de-notes")
        return f'{tag("div", head)}<div class="de-answers">{"".join(parts)}</div>{"".join(refused)}{truth}'

    def _density(self, shelf: Shelf, task: Task, home: bool) -> float | None:
        """The share of positives in the graph that is asked about."""
        if home:
            return shelf.density
        if self._prior is None or self._prior[0] is not task.graph:
            self._prior = task.graph, density(task)
        return self._prior[1] or None

    def _models(self, shelf: Shelf) -> dict[str, SetNet]:
        """Those that can be asked, the best first."""
        there = shelf.of_seed(self._runs, self._seed)
        return {name: shelf.model(there[name]) for name in sorted(there, key=lambda name: name != self._best)}

    def _search(self) -> tuple[dict[str, SetNet], Task, list[int]]:
        """Whom to ask for missing links, and near which set, on the training graph."""
        shelf = self._trained()
        _, home, picked = self._asked(shelf)
        return self._models(shelf), shelf.task(self._seed), picked if home else []

    def _to_explain(self) -> tuple[dict[str, SetNet], Task, list[int]]:
        """Whom to ask why, and about which set: on another graph, those that can judge it."""
        shelf = self._trained()
        task, home, picked = self._asked(shelf)
        models = self._models(shelf)
        return {name: model for name, model in models.items() if home or model.inductive}, task, picked

    def _trained(self) -> Shelf:
        if self._shelf is None:
            raise ParameterError("No trained model yet; press Start first.")
        return self._shelf


def _truth(task: Task, picked: Sequence[int]) -> str:
    """What is known of the set."""
    full, names = task.full_graph, task.class_names
    if task.kind == "sets":
        parts = {"a set to learn from": task.train, "a validation set": task.val, "a test set": task.test}
        for what, part in parts.items():
            row = np.flatnonzero((np.sort(part.sets, axis=1) == np.sort(picked)).all(axis=1))
            if len(row):
                return f"In truth: {names[part.labels[row[0]]]} ({what})."
        return "It is none of the task's sets: its class is not known."
    if task.p == 1:
        label = -1 if full.labels is None else int(full.labels[picked[0]])
        return f"In truth: {names[task.classes.index(label)]}." if label in task.classes else "It has no label."
    pairs = [(u, v) for i, u in enumerate(picked) for v in picked[i + 1 :]]
    linked, known = (bool(graph.has_edges(pairs).all()) for graph in (full, task.graph))
    what = {2: "linked", 3: "a triangle"}[task.p]
    held_out = ", held out from training." if linked and not known else "."
    return f"In truth: {what if linked else 'not ' + what}{held_out}"


def _truth_here(task: Task, picked: Sequence[int]) -> str:
    """What is known of a set of another graph than the models were trained on."""
    if task.kind in ("links", "triangles"):
        return _truth(task, picked).replace("In truth", "In this graph")
    if task.kind == "roles" and task.graph.labels is not None:
        label = int(task.graph.labels[picked[0]])
        return f"Its label in this graph: {(words_of(task.graph, [label]) or [label])[0]}."
    return "Its class in this graph is not known."
