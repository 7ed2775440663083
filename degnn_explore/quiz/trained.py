"""Exercises about training: an answer is raced, on the spot, against what it should be better than."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

from ..common.errors import ParameterError
from ..encodings.base import Encoding
from ..encodings.paths import SPD
from ..graphs.regular import cycle
from ..learn.nets import build
from ..learn.task import Task
from ..learn.tasks import set_task
from ..learn.training import fit
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
        best = max(fit(model, task, EPOCHS, seed=0, device="cpu"), key=lambda epoch: epoch.val["auc"])
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
