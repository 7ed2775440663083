"""Two parts of the board below the table: "Look into it" and "Ask the model"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import ipywidgets as W

from ...common.errors import ParameterError
from ...graphs.graph import Graph
from ...learn.tasks import Task
from ...study.records import Run
from ...study.shelf import Shelf
from ..explorer.explorer import Explorer
from ..explorer.state import ExplorerState, Side
from ..widgets.chart import Chart, look_figure, paint
from ..widgets.html import box, tag, text
from ..widgets.spot import Spot
from .missing_links import MissingLinks
from .texts import class_names, set_name

if TYPE_CHECKING:
    from ...learn.nets.base import SetNet

__all__ = ["Ask", "Look"]

_WIDE: dict[str, Any] = {"style": {"description_width": "initial"}}


class Look:
    """ROC, scores by distance or confusion, of one seed."""

    def __init__(self, failed: Callable[[BaseException], None]) -> None:
        self._failed = failed
        self._shelf: Shelf | None = None
        self._runs: Sequence[Run] = ()
        self._quiet = False
        self.model = W.Dropdown(description="Model", options=[], **_WIDE)
        self.seed = W.Dropdown(description="Seed", options=[], **_WIDE)
        self._note = W.HTML()
        self.chart = Chart()
        self.spot = Spot()
        self.box = box(
            "de-card",
            self.spot,
            box("de-row", W.HTML(tag("span", "Look into it", "de-head")), self.model, self.seed),
            self.chart,
            self._note,
        )
        for menu in (self.model, self.seed):
            menu.observe(lambda _: self._draw(), "value")

    def put(self, shelf: Shelf, runs: Sequence[Run], best: str) -> None:
        """Shows these runs, the best model first."""
        self._shelf, self._runs = shelf, runs
        seeds = sorted({run.seed for run in runs if shelf.of_seed(runs, run.seed)})
        models = list(dict.fromkeys([best, *(run.model for run in runs)]))
        self._quiet = True
        try:
            for menu, options in ((self.seed, seeds), (self.model, models)):
                if list(menu.options) != options:
                    kept = menu.value
                    menu.options = options
                    menu.value = kept if kept in options else (options[0] if options else None)
        finally:
            self._quiet = False
        self._draw()

    def _draw(self) -> None:
        if self._quiet or self._shelf is None or self.seed.value is None:
            return
        try:
            shelf = self._shelf
            there = shelf.of_seed(self._runs, self.seed.value)
            if self.model.value not in there:
                self._note.value = tag(
                    "div", f"{self.model.value} has no finished run with seed {self.seed.value}.", "de-hint"
                )
                return
            scored = {name: shelf.scored(run) for name, run in there.items()}
            chosen = scored[self.model.value]
            figure = look_figure(scored, self.model.value, class_names(chosen.task))
            wrong = int((chosen.given != chosen.task.test.labels).sum())
            of = len(chosen.task.test)
            what = f"{self.model.value}, seed {self.seed.value}: {wrong} of {of} test sets are judged wrong."
            self.chart.show(figure, what)
            how = (
                ""
                if chosen.task.p == 1
                else " Distances are those between the targets in the training graph, their own edges cut."
            )
            self._note.value = tag("div", what + how, "de-notes")
        except Exception as error:
            self._failed(error)


class Ask:
    """An Explorer whose picked set is put to the trained models."""

    def __init__(self, graph: Graph, failed: Callable[[BaseException], None]) -> None:
        self._failed = failed
        self._shelf: Shelf | None = None
        self._runs: Sequence[Run] = ()
        self._best = ""
        self._graph: Graph | None = None
        self.explorer = Explorer(graph)
        self.explorer.state.observe(self._changed)
        self._answer = W.HTML(tag("div", "No trained model yet: press Start, then pick nodes.", "de-hint"))
        self.missing = MissingLinks(self._search, lambda pair: self.explorer.state.choose(0, pair))
        self.spot = Spot()
        self.box = box(
            "de-card",
            self.spot,
            box("de-row", W.HTML(tag("span", "Ask the model", "de-head")), self.missing.button),
            self._answer,
            self.missing.box,
            self.explorer,
        )

    def put(self, shelf: Shelf, runs: Sequence[Run], best: str) -> None:
        """Asks these models from now on, on the graph that seed 0 was trained on."""
        self._shelf, self._runs, self._best = shelf, runs, best
        task = shelf.task(0)
        self.missing.button.layout.display = "" if task.p == 2 else "none"
        if self._graph is not task.graph:
            self._open(shelf, 0, [])
        else:
            self.answer()

    def open_set(self, shelf: Shelf, seed: int, nodes: Sequence[int]) -> None:
        """Shows a set in the Explorer, on the graph of a seed."""
        self._shelf = shelf
        self._open(shelf, seed, nodes)

    def _open(self, shelf: Shelf, seed: int, nodes: Sequence[int]) -> None:
        task = shelf.task(seed)
        if self._graph is not task.graph:
            self.missing.clear()
        self._seed = seed
        self._graph = task.graph
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
            self.answer()

    @property
    def seed(self) -> int:
        """The seed whose models are asked."""
        return getattr(self, "_seed", 0)

    def answer(self) -> None:
        """The models' probabilities for the picked set."""
        if self._shelf is None:
            return
        try:
            self._answer.value = self._words()
        except Exception as error:
            self._failed(error)

    def _words(self) -> str:
        shelf = self._shelf
        assert shelf is not None
        picked = self.explorer.targets[0]
        task = shelf.task(self.seed)
        if len(self.explorer.state.sides) != 1 or self.explorer.state.sides[0].graph is not task.graph:
            return tag("div", "The Explorer shows another graph; open a mistake above to come back.", "de-hint")
        if len(picked) != task.p:
            return tag(
                "div",
                f"Pick {task.p} node{'s' if task.p > 1 else ''} in the graph below; {len(picked)} picked so far.",
                "de-hint",
            )
        names = class_names(task)
        parts = []
        for model, p in shelf.ask(self._runs, picked, self.seed).items():
            said = f"{p[0]:.3f}" if p.ndim == 1 else f"{names[int(p[0].argmax())]}, {p[0].max():.3f}"
            dot = f'<span class="de-dot" style="background:{text(paint(model))}"></span>'
            parts.append(f'<span data-model="{text(model)}">{dot}{tag("span", model)} {tag("b", said)}</span>')
        if not parts:
            return tag("div", f"No trained model with seed {self.seed} yet.", "de-hint")
        truth = _truth(task, picked)
        head = f"{set_name(task.full_graph, picked)}: " + ("class" if task.p == 1 else f"probability of “{names[1]}”")
        return f'{tag("div", head)}<div class="de-answers">{"".join(parts)}</div>{tag("div", truth, "de-notes")}'

    def _search(self) -> tuple[dict[str, SetNet], Task, list[int]]:
        """Whom to ask for missing links, the best model first, and near which set."""
        if self._shelf is None:
            raise ParameterError("No trained model yet; press Start first.")
        there = self._shelf.of_seed(self._runs, self.seed)
        order = sorted(there, key=lambda name: name != self._best)
        models = {name: self._shelf.model(there[name]) for name in order}
        return models, self._shelf.task(self.seed), self.explorer.targets[0]


def _truth(task: Task, picked: Sequence[int]) -> str:
    """What is known of the set."""
    full = task.full_graph
    if task.p == 1:
        label = -1 if full.labels is None else int(full.labels[picked[0]])
        return f"Its label is {label}." if label >= 0 else "It has no label."
    pairs = [(u, v) for i, u in enumerate(picked) for v in picked[i + 1 :]]
    linked = bool(full.has_edges(pairs).all())
    known = bool(task.graph.has_edges(pairs).all())
    what = {2: "linked", 3: "a triangle"}[task.p]
    return f"In truth: {what if linked else 'not ' + what}" + (
        ", held out from training." if linked and not known else "."
    )
