"""What a study does next, and how far it is: seed by seed over all cells, cheap ones first."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..records import Run
from .cells import Cell, Left, Work


@dataclass(frozen=True)
class Due:
    """A run that can be made now: its cell, its level (see :meth:`Cell.next`) and CPU-seconds it may take."""

    work: Work
    cell: Cell
    level: int
    seconds: float


@dataclass(frozen=True)
class Standing:
    """How far a study is. Trials of a search are counted among the runs."""

    done: int
    failed: int
    left: int  # as far as it can be known: what a search will ask for depends on what it finds
    trials: int  # of those done
    seconds_left: float  # by the clock, with ``workers`` at once
    cpu_hours: float  # spent on what is done
    workers: int

    @property
    def share(self) -> float:
        """Of the runs that have ended, from 0 to 1."""
        return (self.done + self.failed) / max(1, self.done + self.failed + self.left)

    def __str__(self) -> str:
        failed = f", {self.failed} failed" if self.failed else ""
        trials = f" ({self.trials} of them trials)" if self.trials else ""
        left = f"{self.left} left, about {_time(self.seconds_left)} with {self.workers} at once" if self.left else "all"
        if self.left and not self.workers:
            left = f"{self.left} left, waiting for workers"
        return f"{self.done} runs done{trials}{failed}, {left}; {self.cpu_hours:.2f} CPU-hours spent"


class Agenda:
    """The cells of a study with what is known of them; a cell is looked at again only when something in it ended."""

    def __init__(self, cells: Sequence[Cell], known: dict[str, Run]) -> None:
        self.cells, self.known = cells, known
        self._next: dict[int, list[tuple[int, Work]]] = {}
        self._scale = 1.0
        self.renew()

    def renew(self) -> None:
        """Look at every cell again."""
        self._next = {id(cell): cell.next(self.known) for cell in self.cells}
        measured = [cell.cost(self.known, 0.0) / cell.guess for cell in self.cells]
        self._scale = statistics.median([ratio for ratio in measured if ratio > 0] or [1.0])

    def learn(self, ended: Iterable[tuple[Cell, Run]]) -> None:
        """These runs have ended, here or elsewhere."""
        touched = {}
        for cell, run in ended:
            self.known[run.key] = run
            touched[id(cell)] = cell
        self._next |= {name: cell.next(self.known) for name, cell in touched.items()}

    def due(self) -> list[Due]:
        """What can be run now, in the order in which it should be."""
        ordered = []
        for place, cell in enumerate(self.cells):
            if works := self._next[id(cell)]:
                seconds = cell.cost(self.known, self._scale)
                # the first level by a guess that stays: a search that is begun comes to its end, and to a first seed
                ordered += [
                    ((level, seconds if level else cell.guess, place), Due(work, cell, level, seconds))
                    for level, work in works
                ]
        return [one for _, one in sorted(ordered, key=lambda pair: pair[0])]

    def standing(self, workers: int, slower: float = 1.0) -> Standing:
        """How far the study is; the clock runs ``slower`` times as long as the processor works for us."""
        done = failed = trials = 0
        spent, left = 0.0, list[Left]()
        for cell in self.cells:
            chosen, _ = cell.search(self.known)
            works = [work for _, work in cell.trial_works()] + ([] if chosen is None else cell.reported(chosen))
            ended = [run for work in works if (run := self.known.get(work.key)) is not None]
            done += sum(run.status == "finished" for run in ended)
            failed += sum(run.status == "failed" for run in ended)
            trials += sum(run.status == "finished" and run.rung > 0 for run in ended)
            spent += cell.spent(self.known)
            left += cell.left(self.known, self._scale)
        seconds = sum(part.runs * part.seconds for part in left) / max(1, workers) * slower
        return Standing(done, failed, sum(part.runs for part in left), trials, seconds, spent / 3600, workers)


def _time(seconds: float) -> str:
    """Seconds for people.

    >>> _time(42), _time(600), _time(9000)
    ('42 s', '10 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
