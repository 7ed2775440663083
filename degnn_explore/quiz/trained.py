"""Exercises about training: an own ζ is raced on the spot, and what is wrong with a task is counted."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache
from typing import Any

from ..common.errors import ParameterError, one_of, whole_number
from ..encodings.base import Encoding
from ..encodings.paths import SPD
from ..graphs.regular import cycle
from ..learn.leaks import REPEATED, VALIDATION_LINKS
from ..learn.nets import build
from ..learn.task import Split, Task
from ..learn.tasks import link_task, set_task
from ..learn.training import fit
from ..reading.catalogue import load
from .exercise import Fact

GOAL = 0.95  # of the test AUC
EPOCHS = 40


@cache
def even_or_odd() -> Task:
    """Pairs on a ring of 40, 6 to 19 steps apart: an even number of steps, or an odd one?"""
    steps = range(6, 20)
    pairs = [(u, (u + far) % 40) for far in steps for u in range(40)]
    words = ["odd" if far % 2 else "even" for far in steps for _ in range(40)]
    return set_task(cycle(40), pairs, words, class_names=["odd", "even"], remove_edges=False)


def reached(encoding: Encoding) -> float:
    """The test AUC of a DE-GNN with this encoding, at its best epoch on validation."""
    task = even_or_odd()
    model = build("DE-GNN", task, encoding=encoding, layers=2, hidden=32, seed=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that all sets look alike to SPD is for the reader to find out
        best = max(fit(model, task, EPOCHS, seed=0, device="cpu", progress=False), key=lambda epoch: epoch.val["auc"])
    return best.test["auc"]


@cache
def reached_by_spd() -> float:
    """The same with what DE-GNN-SPD has."""
    return reached(SPD(max_dist=3))


def own_zeta(answer: Any) -> Fact:
    """An encoding with which a DE-GNN says whether two nodes far apart are an even number of steps apart."""
    if not isinstance(answer, Encoding):
        raise ParameterError(f"an encoding is asked for, as de.encoding makes it, not a {type(answer).__name__}.")
    own, usual = reached(answer), reached_by_spd()
    race = f"with your ζ the test AUC is {own:.2f}, with SPD(max_dist=3) it is {usual:.2f}"
    return own >= GOAL, f"{race}." if own >= GOAL else f"{race}; {GOAL} is asked for."


@cache
def suspect() -> Task:
    """Links of C. elegans with one leak switched on; the task does not say which."""
    return replace(link_task(load("celegans"), seed=0, protocol=REPEATED), leaks=())


def _sets(part: Split) -> set[frozenset[int]]:
    return {frozenset(row) for row in part.sets.tolist()}


def evidence(task: Task) -> dict[str, int]:
    """How many sets show each leak."""
    links = {name: part.sets[part.labels == 1] for name, part in (("val", task.val), ("test", task.test))}
    seen = _sets(task.train)
    return {
        REPEATED: sum(frozenset(row) in seen for row in task.test.sets.tolist()),
        VALIDATION_LINKS: int(task.graph.has_edges(links["val"]).sum()),
        "test_links_in_the_graph": int(task.graph.has_edges(links["test"]).sum()),
    }


def find_the_leak(answer: Any) -> Fact:
    """(leak, number): what leaks in :func:`suspect`, and how many sets show it."""
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        raise ParameterError("a leak and a number are asked for, as a tuple of 2.")
    counts = evidence(suspect())
    name, number = one_of("leak", answer[0], counts), whole_number("number", answer[1], least=0)
    if not counts[name]:
        return False, f"{name} does not occur here: no set shows it."
    if counts[name] != number:
        return False, f"{name} does occur here, but {number:,} is not how many test pairs show it."
    return True, f"{name}, shown by {number:,} sets."
