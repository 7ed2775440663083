"""The verdicts: for each method, whether it tells A from B, from which layer, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from threading import Event, Thread
from typing import Any

from ...common.stopping import Cancelled
from ...expressive.likeness import Likeness, likeness
from ...expressive.methods import METHODS, Method, method_of
from ...expressive.verdicts import Verdict, distinguish
from ...graphs.graph import Graph
from ..widgets.html import node_name
from .colouring import own_name
from .state import ExplorerState, Side

Answers = dict[str, Verdict | str]  # of each method its verdict, or why it was left out


@dataclass(frozen=True)
class Question:
    """What the strip answers, frozen, so that a thread cannot see it change."""

    sides: tuple[Side, ...]
    hops: int
    cut: bool
    own: Method | None = None  # of the encoding of one's own that the graphs are coloured by

    @classmethod
    def of(cls, state: ExplorerState) -> Question:
        """The question that a state asks."""
        own = own_name(state.colour_by)
        return cls(state.sides, state.hops, state.cut, method_of(f"DE-{own}") if own else None)

    @property
    def methods(self) -> dict[str, Method]:
        """The methods that are asked, by name."""
        return METHODS if self.own is None else METHODS | {self.own.name: self.own}

    @property
    def p(self) -> int:
        """The size of the target sets."""
        return len(self.sides[0].targets)

    @property
    def hint(self) -> str:
        """What is missing before there is anything to answer; "" if nothing is."""
        if len(self.sides) < 2:
            return "One target set so far. Tick “compare” to see which methods can tell A from B."
        sizes = [len(side.targets) for side in self.sides]
        if 0 in sizes:
            return f"Pick a target in {'AB'[sizes.index(0)]} to compare."
        if sizes[0] != sizes[1]:
            return f"A has {sizes[0]} targets and B has {sizes[1]}: pick equally many in each to compare them."
        return ""


def answers(question: Question, stop: Event | None = None) -> Iterator[tuple[str, Verdict | str]]:
    """Each method with its verdict, or with the reason why it was left out; ends early once ``stop`` is set."""
    a, b = ((_named(side.graph), side.nodes) for side in question.sides)
    sizes = [side.graph.num_nodes for side in question.sides]
    for name, method in question.methods.items():
        if reason := method.infeasible(sizes, seconds=3):
            yield name, f"left out: {reason}"
            continue
        hops = question.hops if method.many_hops else None
        asked = name if method.own is None else method.own
        try:
            yield name, distinguish(a, b, asked, hops=hops, cut=question.cut, stop=stop, progress=False)
        except Cancelled:
            return
        except Exception as error:
            if method.own is None:
                raise
            what = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
            yield name, f"left out: {what}{error}"


@lru_cache(maxsize=8)
def _named(graph: Graph) -> Graph:
    """The graph with the names that the canvas shows, for the reasons to use them."""
    if graph.num_nodes > 5_000 or node_name(graph, 0) == graph.names[0]:
        return graph
    return Graph.from_edges(graph.edges, graph.num_nodes, names=[node_name(graph, i) for i in range(graph.num_nodes)])


def reason(question: Question, found: Answers) -> Likeness:
    """Why the methods that do not tell the sets apart fail: a map of nodes, or what they are blind to."""
    a, b = ((_named(side.graph), side.nodes) for side in question.sides)
    differ = any(isinstance(answer, Verdict) and answer.different for answer in found.values())
    return likeness(a, b, question.cut, differ=differ)


def pills(question: Question, found: Answers, alike: Likeness | None = None) -> list[dict[str, Any]]:
    """What the strip shows of each method; none where there is nothing to compare yet."""
    if question.hint:
        return []
    shown = []
    for name, method in question.methods.items():
        answer = found.get(name)
        pill: dict[str, Any] = {
            "name": name,
            "title": method.title(question.p, question.hops),
            "what": method.what,
            "layer": None,
            "more": "",
            "yours": method.own is not None,  # its sentence is shown first
        }
        if answer is None:
            pill |= {"answer": "busy", "why": ""}
        elif isinstance(answer, str):
            pill |= {"answer": "none", "why": answer}
        else:
            yes = "yes" if answer.different else "no"
            pill |= {"answer": yes, "layer": answer.layer, "why": answer.why}
            if alike is not None and not answer.different:
                pill["more"] = alike.unseen(name, question.hops)
        shown.append(pill)
    return shown


class Judge:
    """Answers the latest question in a thread and shows each verdict, first of all none; an older one is cancelled.

    When all are in, what is shown last comes with the reason of those that fail.
    """

    def __init__(
        self, show: Callable[[Question, Answers, Likeness | None], None], failed: Callable[[BaseException], None]
    ) -> None:
        self._show, self._failed = show, failed
        self._stop = Event()
        self._thread: Thread | None = None

    def ask(self, question: Question) -> None:
        """Starts on a new question and forgets the old one."""
        self.stop()
        self._stop = stop = Event()
        self._show(question, {}, None)
        if not question.hint:
            self._thread = Thread(target=self._work, args=(question, stop), daemon=True, name="verdicts")
            self._thread.start()

    def stop(self) -> None:
        """Forgets the last question."""
        self._stop.set()

    def wait(self, seconds: float = 60.0) -> None:
        """Until the last question is answered, for scripts and tests."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _work(self, question: Question, stop: Event) -> None:
        found: Answers = {}
        # a moment's grace: while a reader drags the slider or clicks on, nothing is begun in vain
        if stop.wait(0.05):
            return
        try:
            for method, answer in answers(question, stop):
                found[method] = answer
                if stop.is_set():
                    return
                self._show(question, dict(found), None)
            if not stop.is_set():
                alike = reason(question, found)
                if not stop.is_set():
                    self._show(question, dict(found), alike)
        except Exception as error:
            if not stop.is_set():
                self._failed(error)
