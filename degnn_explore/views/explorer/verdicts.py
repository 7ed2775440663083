"""The verdicts: for each method, whether it tells A from B, and from which layer on. Computed in a thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from threading import Event, Thread
from typing import Any

from ...common.progress import Cancelled, on_compiling, watching
from ...expressive.methods import AFTERWARDS, Method, method_of
from ...expressive.symmetry import match_sets
from ...expressive.verdicts import Verdict, distinguish
from .state import PLAIN, ExplorerState

_ORDER = ("1-WL", "zero-one", "DRNL", "DE-SPD", "DE-LP", "DEA-SPD", "RWSE", "2-WL")
SHOWN = {name: method_of(name) for name in _ORDER}
EXPLAINED = 400  # nodes of both sides together whose classes by every method go to the page, for the reasons
LAYERS = 6


@dataclass(frozen=True)
class Question:
    """What is asked: a copy of a state, so that a thread cannot see it change."""

    state: ExplorerState
    hops: int  # K of DEA

    @classmethod
    def of(cls, state: ExplorerState) -> Question:
        """The question that a state asks; K is what is set, else 2."""
        return cls(copy(state), max(state.hops, 2))

    @property
    def key(self) -> Any:
        """What the answers depend on."""
        state = self.state
        other = state.color_by if state.color_by not in (PLAIN, "SPD", "LP", *AFTERWARDS) else ""
        step = state.step if other else 0
        return [(id(side.graph), side.targets) for side in state.sides], self.hops, state.cut, other, step

    @property
    def comparable(self) -> bool:
        """Whether there are two target sets of one size."""
        sizes = [len(side.targets) for side in self.state.sides]
        return len(sizes) == 2 and sizes[0] == sizes[1] > 0

    @property
    def methods(self) -> dict[str, Method]:
        """The methods that are asked, by name; the one that is shown is among them."""
        shown, p = self.state.color_by, len(self.state.sides[0].targets)
        listed = {name: method for name, method in SHOWN.items() if method.targets in (None, p)}
        if shown in (PLAIN, "SPD", "LP", *AFTERWARDS):
            return listed
        own = method_of(self.state.encoding())
        return listed | {own.name: own}


def answers(question: Question, stop: Event | None = None) -> Iterator[tuple[str, Verdict | str]]:
    """Each method with its verdict, or with the reason why it was skipped; ends early once ``stop`` is set."""
    a, b = question.state.picks
    for name, method in question.methods.items():
        if reason := method.infeasible([a[0].num_nodes, b[0].num_nodes], seconds=3):
            yield name, f"skipped: {reason}"
            continue
        asked = name if method.custom is None else method.custom
        hops = question.hops if method.many_hops else None
        try:
            with watching(stop=stop):
                verdict = distinguish(a, b, asked, hops=hops, cut=question.state.cut, progress=False)
            yield name, verdict
        except Cancelled:
            return
        except Exception as error:
            if method.custom is None:
                raise
            what = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
            yield name, f"skipped: {what}{error}"


def shown(question: Question, found: dict[str, Verdict | str], busy: bool) -> dict[str, Any]:
    """The verdicts for the page: a pill for each method, and what its reason is made of."""
    state = question.state
    p = len(state.sides[0].targets)
    small = sum(side.graph.num_nodes for side in state.sides) <= EXPLAINED
    pills = []
    for name, method in question.methods.items():
        answer = found.get(name)
        title = f"DE-{p} {state.color_by}" if method.custom is not None else title_of(method, p, question.hops)
        pill: dict[str, Any] = {"method": name, "title": title, "what": method.what}
        pill["hops"] = question.hops if method.many_hops else 1
        pill["afterwards"] = name in AFTERWARDS  # in the table of all reasons, not in the row
        if isinstance(answer, str):
            pill["skipped"] = answer
        elif answer is not None:
            pill["layer"] = answer.layer
            if not small or name in AFTERWARDS:
                pill["why"] = answer.why
            if small and not busy and name != "2-WL":
                pill["classes"] = [rows.tolist() for rows in state.classes(LAYERS, method, question.hops)]
        pills.append(pill)
    return {"pills": pills, "busy": busy}


def title_of(method: Method, p: int, hops: int) -> str:
    """A method's name on its pill.

    >>> [title_of(method, 1, 2) for method in SHOWN.values()]
    ['1-WL', 'zero-one', 'DRNL', 'DE-1 distance', 'DE-1 walks', 'DEA-1 (K = 2)', 'RWSE', '2-WL']
    """
    words = {"DE-SPD": f"DE-{p} distance", "DE-LP": f"DE-{p} walks", "DEA-SPD": f"DEA-{p} (K = {hops})"}
    return words.get(method.name, method.title(p, hops))


def symmetry(question: Question, found: dict[str, Verdict | str]) -> dict[str, Any]:
    """Why methods do not tell the sets apart: a map of nodes, or what the graphs are."""
    a, b = question.state.picks
    differ = any(isinstance(answer, Verdict) and answer.different for answer in found.values())
    alike = match_sets(a, b, question.state.cut, differ=differ)
    return {"kind": alike.kind, "map": list(alike.mapping), "degree": alike.degree, "family": alike.family}


class VerdictWorker:
    """Answers the latest question in a thread and shows each verdict, first of all none; an older one is cancelled."""

    def __init__(
        self,
        show: Callable[[dict[str, Any]], None],
        busy: Callable[[str], None],
        failed: Callable[[BaseException], None],
    ) -> None:
        self._show, self._busy, self._failed = show, busy, failed
        self._stop = Event()
        self._thread: Thread | None = None
        self._key: Any = None
        self.found: dict[str, Verdict | str] = {}

    def ask(self, question: Question) -> None:
        """Starts on a new question and forgets the old one; the same question is not asked twice."""
        if question.key == self._key:
            return
        self._stop.set()
        self._key, self._stop, self.found = question.key, Event(), {}
        if not question.comparable:
            self._show({"pills": [], "busy": False})
            return
        self._show(shown(question, {}, True))
        self._thread = Thread(target=self._work, args=(question, self._stop), daemon=True, name="verdicts")
        self._thread.start()

    def stop(self) -> None:
        """Forgets the last question."""
        self._stop.set()

    def wait(self, seconds: float = 60.0) -> None:
        """Waits until the last question is answered, for scripts and tests."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _work(self, question: Question, stop: Event) -> None:
        found: dict[str, Verdict | str] = {}
        if stop.wait(0.03):  # a reader who clicks on at once would only have it cancelled
            return
        try:
            with on_compiling(self._busy):
                for method, answer in answers(question, stop):
                    found[method] = answer
                    if stop.is_set():
                        return
                    self.found = dict(found)
                    self._show(shown(question, found, True))
            answered = shown(question, found, False) | {"symmetry": symmetry(question, found)}
            if not stop.is_set():
                self._show(answered)
        except Exception as error:
            if not stop.is_set():
                self._failed(error)
